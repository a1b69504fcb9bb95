"""Write the table of witnessed numbers, tests/laboratory/numbers.md: the program's rows, and what witnesses share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

from mbconcord.validation.witnesses import BUILT_IN
from mbconcord.witnessed import NOT_CHECKED, ROWS, WitnessedNumber

PAGE: Final = Path(__file__).resolve().parents[1] / "tests/laboratory/numbers.md"
BEGIN, END = "<!-- numbers: written by python -m laboratory.evidence -->\n", "<!-- end of numbers -->\n"
#: What stands for a cell that is that of the row above, where it has more characters than these.
DITTO, LONG = "″", 12
HEAD: Final = ("printed by", "number", "assumes", "who witnesses it", "what that shares with the number", "cost")


def shares(row: WitnessedNumber) -> str:
    """Return what the witnesses of a row share, in words."""
    found: list[str] = []
    for name in row.by:
        module, _, witness = BUILT_IN[name].partition(":")
        found += sorted(getattr(import_module(module), witness).shares)
    return "; ".join(x for x in (", ".join(dict.fromkeys(found)), row.shares) if x) or "–"


def lines() -> Iterator[str]:
    """Yield the lines of the table."""
    for cells in (HEAD, ["---"] * len(HEAD)):
        yield f"| {' | '.join(cells)} |"
    above: tuple[str, ...] = ("",) * len(HEAD)
    for row in ROWS:
        verbs = "every command" if row.verbs == "*" else ", ".join(f"`{verb}`" for verb in row.verbs.split())
        fields = ", ".join(f"`{each.strip()}`" for each in row.fields.split(" | "))
        told = "–" if row.witness == NOT_CHECKED else shares(row)
        cells = (verbs, fields, row.assumes, row.witness, told, row.cost or "–")
        shown = (DITTO if cell == old and len(cell) > LONG else cell for cell, old in zip(cells, above, strict=True))
        yield f"| {' | '.join(shown)} |"
        above = cells


def page(text: str) -> str:
    """Return the page with the table in its place."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    return head + begin + "\n".join(lines()) + "\n" + end + tail


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
    sys.exit(0)
