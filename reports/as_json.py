"""Evidence as JSON: the objects of ``check --json`` in one document."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mbconcord.validation.judge.evidence import Evidence


def render(evidences: Sequence[Evidence], options: Sequence[str] = (), faults: bool = False) -> str:
    """A document ``{"files": [...]}``."""
    return dumps({"files": [e.to_json() for e in evidences]}, indent=1) + "\n"


def dumps(value: Any, indent: int | None = None) -> str:
    """JSON text; floats with all the digits that tell them apart, null for NaN and infinity."""
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
