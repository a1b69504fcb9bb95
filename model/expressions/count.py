"""Operation counts with sharing, and the critical path."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from .node import Expression


@dataclass(frozen=True, slots=True)
class Operations:
    """Operations after sharing: distinct nodes that cost something."""

    mul: int = 0
    add: int = 0
    div: int = 0
    trig: int = 0
    other: int = 0
    critical_path: int = 0

    def to_json(self) -> dict[str, int]:
        """As a mapping."""
        return asdict(self)


def count_operations(outputs: Iterable[Expression]) -> Operations:
    """Count."""
    raise NotImplementedError
