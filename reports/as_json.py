"""Evidence as JSON: the objects of ``check --json`` in one document."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mbconcord.validation.judge.evidence import Evidence
from mbconcord.witnessed import with_constraints, with_evidence

from .part import Refusal, ReportPart, ReportRequest

#: Formalisms add nothing to it.
APPENDICES = False


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write one model's object, as ``check --json`` prints it."""
    return dumps(with_evidence("check", evidence.to_json(), with_constraints(evidence.system, "quantity")), indent=1)


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write a document ``{"files": [...]}``, with ``"refused"`` where there are such models."""
    files = ",\n".join(part.body for part in parts)
    refused = [{"file": r.file, "diagnostics": [str(d) for d in r.findings]} for r in refusals]
    also = f',\n"refused": {dumps(refused)}' if refused else ""
    return f'{{"files": [\n{files}\n]{also}}}\n'


def dumps(value: Any, indent: int | None = None) -> str:
    """Write JSON text; floats with all digits that distinguish them, null for NaN and infinity."""
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
