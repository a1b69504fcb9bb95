"""What a formalism adds to a report: headings, sentences and tables, shown without knowing who wrote them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """Cells in rows under headings; the first ``names`` columns are names, all others numbers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1

    @property
    def numbers(self) -> frozenset[int]:
        """The columns of numbers, counted from 0."""
        return frozenset(range(self.names, len(self.headers)))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence before a table, the table, and a note after it; what is empty is left out."""

    title: str
    about: str = ""
    table: Table | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The section as JSON."""
        found: dict[str, Any] = {"title": self.title, "about": self.about, "note": self.note}
        if self.table is not None:
            found |= {"headers": list(self.table.headers), "rows": [list(row) for row in self.table.rows]}
        return found
