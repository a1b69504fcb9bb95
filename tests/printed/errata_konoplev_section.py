"""The errata of Konoplev 1989 as a section of tests/printed/errata.md."""

from __future__ import annotations

from functools import cache
from unicodedata import normalize

from .errata_konoplev import Erratum, group_rows, matrix_rows, other_rows
from .errata_konoplev_example import mechanism_rows

#: Rows that are wrong in what they say, whatever the letters.
PAPERS = (7, 10, 28, 30, 31)
#: A dot, and two dots, over the letter before.
DOTS = "\u0307\u0308"


def section() -> str:
    """The section of tests/printed/errata.md."""
    lines = [
        "## Konoplev 1989: aggregative models of trees of rigid bodies",
        "",
        "Both expressions are evaluated at the state of a vector of fixtures/konoplev; E1 is the paper's mechanism. "
        "For matrices the values are their largest errors. A number raised on a letter is a body's: `θ_5²` is θ_5 "
        "of body 2.",
        "",
        "The copy used here is a scan in which dots and indices suffer. *Whose*: `paper` is wrong in what it says, "
        "whatever the letters (and so is row 15 below); `dots` differs in dots alone, which the scan loses, adds or "
        "doubles in many places; of the others, an index, a sign, an entry too many or too few, it can be either.",
        "",
        "| # | place | printed | correct | at | printed gives | correct gives | whose |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for e in errata():
        cells = (
            e.number,
            e.place,
            f"`{e.printed}`",
            f"`{e.correct}`",
            e.state,
            _short(e.printed_value),
            _short(e.correct_value),
            whose(e),
        )
        lines.append("| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def whose(e: Erratum) -> str:
    """Whether the paper errs, it seems, or the letters differ in dots alone, or either can be."""
    if e.number in PAPERS:
        return "paper"
    return "dots" if undotted(e.printed) == undotted(e.correct) else "either"


def undotted(text: str) -> str:
    """A formula without the dots over its letters."""
    return "".join(c for c in normalize("NFD", text) if c not in DOTS)


def _short(value: float) -> str:
    return "0" if abs(value) < 1e-12 else f"{value:.6g}"


@cache
def errata() -> tuple[Erratum, ...]:
    """All rows in the order of their numbers."""
    return tuple(sorted((*group_rows(), *mechanism_rows(), *matrix_rows(), *other_rows()), key=lambda e: e.number))
