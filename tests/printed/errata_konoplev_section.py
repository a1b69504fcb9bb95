"""The errata of Konoplev 1989 as a section of docs/errata.md."""

from __future__ import annotations

from .errata_konoplev import Erratum, group_rows, matrix_rows, other_rows
from .errata_konoplev_example import mechanism_rows


def section() -> str:
    """The section of docs/errata.md."""
    lines = [
        "## Konoplev 1989: aggregative models of trees of rigid bodies",
        "",
        "Both expressions are evaluated at the state of a vector of fixtures/konoplev; E1 is the paper's mechanism. "
        "For matrices the values are their largest errors. A number raised on a letter is a body's: `θ_5²` is θ_5 "
        "of body 2.",
        "",
        "The copy used here is a scan in which dots and indices suffer; what is printed may be the paper's or the "
        "scan's. A lost dot, another index, an entry too many or too few can be either. Rows 7, 10, 15, 28, 30 and "
        "31 are wrong in what they say, whatever the letters: those are the paper's, it seems.",
        "",
        "| # | place | printed | correct | at | printed gives | correct gives |",
        "|---|---|---|---|---|---|---|",
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
        )
        lines.append("| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |")
    return "\n".join(lines) + "\n"


def _short(value: float) -> str:
    return "0" if abs(value) < 1e-12 else f"{value:.6g}"


def errata() -> tuple[Erratum, ...]:
    """All rows in the order of their numbers."""
    return tuple(
        sorted((*group_rows(), *mechanism_rows(), *matrix_rows(), *other_rows()), key=lambda e: e.number)
    )
