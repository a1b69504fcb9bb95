"""Operations of A and b beside the paper's N_M and N_A: item 5."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import Operations, count_operations
from mbconcord.model.notation.section import Section, Table

from .chains import revolute_chain

HEADERS = (
    "m", "N_M, paper", "N_A, as printed", "N_A, corrected", "axes parallel, mul / add",
    "axes turned, full tensors, mul / add", "axes turned, principal, mul / add",
)  # fmt: skip
ABOUT = (
    "Multiplications and additions of A (upper triangle) and b of chains of m revolute joints beside the paper's "
    "item 5. The principal axes of the bodies are parallel to their frames, or turned against them: then "
    "the tensors are full in central axes parallel to the frames, as equations are derived, or the rows are turned "
    "into the principal axes. Sign changes, sines and cosines are not counted."
)

#: Operations of A and b of the chain of m links of a family.
Counted = Callable[[int, str], Operations]


def operations_of(derivation: Derivation) -> Operations:
    """Operations of A (upper triangle) and b together, in a derivation."""
    M, h = derivation.quantities["M"], derivation.quantities["h"]
    assert isinstance(M, tuple) and isinstance(h, tuple)
    upper = [x for i, row in enumerate(M) if isinstance(row, tuple) for x in row[i:]]
    return count_operations([*upper, *h])  # type: ignore[list-item]


def printed(m: int) -> tuple[int, int]:
    """N_M and N_A of the paper's item 5, with the decimals of N_A as the fractions that they round.

    ``N_M = 2m³ + 37m² - 17m - 10``, ``N_A = 5/3 m³ + 51/2 m² - 73/6 m - 14``: 1652 and 1191 for m = 6, as printed.
    """
    return 2 * m**3 + 37 * m**2 - 17 * m - 10, (10 * m**3 + 153 * m**2 - 73 * m) // 6 - 14


def in_words(derivation: Derivation) -> str:
    """What A and b cost; for a chain of revolute joints beside N_M and N_A."""
    found = operations_of(derivation)
    own = f"A (upper triangle) and b need {found.mul} multiplications and {found.add} additions"
    m = revolute_chain(derivation.system)
    if m is None:
        return f"{own}; the paper's formulas are for chains of revolute joints, which this model is not."
    return f"{own}; the paper's formulas give N_M = {printed(m)[0]} and N_A = {printed(m)[1]} for a chain of m = {m}."


def counts(counted: Counted) -> Table:
    """Multiplications and additions of A and b for m = 1…8: the paper's and what is measured.

    N_A stands with the decimals of the paper's item 5 and with the fractions that they round.
    """
    rows = []
    for m in range(1, 9):
        multiplications, additions = printed(m)
        decimals = Fraction("1.7") * m**3 + Fraction("25.5") * m**2 - Fraction("12.17") * m - 14
        found = (counted(m, kind) for kind in ("parallel", "full", "rotated"))
        cells = (
            m,
            multiplications,
            f"{float(decimals):.2f}",
            additions,
            *(f"{o.mul} / {o.add}" for o in found),
        )
        rows.append(tuple(map(str, cells)))
    return Table(HEADERS, tuple(rows), names=0)


def section(name: str, counted: Counted) -> Section:
    """The counts as a section of a report."""
    return Section(f"Operations of {name}", ABOUT, counts(counted))
