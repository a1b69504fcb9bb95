"""The write-out: static moments over НКО, with m_ci and m_ri introduced by the paper's rules.

From the last body to the first: terms in the order of (2) and (1); for each vector in НКО order its
constants are joined as m_ci when there are two or more, and with the variables as m_ri when there are two
or more summands. The result is written in НКО order (sections 3 and 4 of the paper).

For deep machines, m̄_i is not written out, which would take as many vectors НКО for each link as it carries links, but
summed by (1) in fixed axes, from the last link to the first: as many terms for all links together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import normalize

from mbconcord.model.derivation import Written
from mbconcord.model.expressions import ZERO, Expression, symbol, to_text
from mbconcord.model.expressions.latex import to_latex
from mbconcord.records import dataclass, field, replace

from .links import NONE, Frames, Triple, cross, dot, plus, times
from .moments import Moment, Scalar, Term, noncollinear, split_sign

MACRON = "\N{COMBINING MACRON}"


@dataclass(frozen=True)
class Sum:
    """A scalar introduced during the write-out: m_ci (constant) or m_ri, with its value, and its summands by name."""

    scalar: Scalar
    summands: tuple[Expression, ...]


@dataclass(frozen=True)
class Result:
    """m̄_i: its terms in НКО order, and the sums that were introduced for it."""

    number: int
    terms: tuple[Term, ...]
    sums: tuple[Sum, ...]


@dataclass
class WriteOut:
    """The whole write-out: the list НКО, and the results from the last body to the first."""

    units: tuple[str, ...]
    results: list[Result] = field(default_factory=list)

    @property
    def sums(self) -> list[Sum]:
        """All sums in order of introduction."""
        return [s for result in self.results for s in result.sums]

    def find_result(self, number: int) -> Result:
        """Return the result for a link."""
        return next(r for r in self.results if r.number == number)

    def lines(self) -> list[Written]:
        """Write the paper's lines: НКО, then m̄_N, …, m̄_1, each with the names that it introduces."""
        head = Written(
            f"НКО = ({', '.join(vector(u) for u in self.units)})",
            rf"\text{{НКО}} &= \left({', '.join(vector_latex(u) for u in self.units)}\right)",
        )
        return [head, *map(_line, self.results)]


def write_out(moments: Sequence[Moment]) -> WriteOut:
    """Write out formulas (1) and (2) over НКО."""
    made = WriteOut(noncollinear([m.link for m in moments]))
    of: dict[int, Result] = {}
    counts = {"c": 0, "r": 0}
    for moment in reversed(moments):
        terms = [*moment.terms]
        for j in moment.carried:
            terms += of[j].terms
        result = _join_terms(moment.link.number, terms, made.units, counts)
        of[moment.link.number] = result
        made.results.append(result)
    return made


def _join_terms(number: int, terms: Iterable[Term], units: Sequence[str], counts: dict[str, int]) -> Result:
    """Join like terms of one result, vector by vector."""
    by_unit: dict[str, list[Term]] = {unit: [] for unit in units}
    for term in terms:
        by_unit[term.unit].append(term)
    kept: list[Term] = []
    sums: list[Sum] = []
    for unit, group in by_unit.items():
        if sum((t.value for t in group), ZERO) is ZERO:
            continue
        constants = [t for t in group if not t.variable]
        variables = [t for t in group if t.variable]
        if len(constants) > 1:
            constants = [_introduce_sum("c", constants, sums, counts)]
        if variables and len(constants) + len(variables) > 1:
            kept.append(_introduce_sum("r", [*constants, *variables], sums, counts))
        else:
            kept += constants or variables
        kept[-1] = replace(kept[-1], unit=unit)
    return Result(number, tuple(kept), tuple(sums))


def _introduce_sum(letter: str, group: Sequence[Term], sums: list[Sum], counts: dict[str, int]) -> Term:
    """Return a term with a new name for the sum of a group, and append the sum to ``sums``."""
    counts[letter] += 1
    name = f"m_{letter}{counts[letter]}"
    value = sum((t.value for t in group), ZERO)
    sums.append(Sum(Scalar(name, value), tuple(t.shown for t in group)))
    return Term(group[0].unit, symbol(name), value, letter == "r")


def in_fixed_axes(result: Result, placed: Frames) -> Triple:
    """Compute a static moment in fixed axes."""
    total = NONE
    for term in result.terms:
        total = plus(total, times(term.value, placed.units[term.unit]))
    return total


def vector(unit: str) -> str:
    """Write a vector's name as the paper does: ``x̄_1`` for ``x_1``."""
    return normalize("NFC", unit[0] + MACRON) + unit[1:]


def vector_latex(unit: str) -> str:
    r"""Write a vector's name in LaTeX: ``\bar{x}_{1}``."""
    letter, _, index = unit.partition("_")
    return rf"\bar{{{letter}}}" + (f"_{{{index}}}" if index else "")


def _line(result: Result) -> Written:
    text = _total((t.shown, f"·{vector(t.unit)}") for t in result.terms)
    latex = _total(((t.shown, rf" \, {vector_latex(t.unit)}") for t in result.terms), latex=True)
    text, latex = f"m{MACRON}_{result.number} = {text}", rf"\bar{{m}}_{{{result.number}}} &= {latex}"
    if result.sums:
        text += ",  where " + "; ".join(_definition(s) for s in result.sums)
        latex += r", \quad \text{where } " + r"; \; ".join(_definition(s, latex=True) for s in result.sums)
    return Written(text, latex)


def _definition(made: Sum, latex: bool = False) -> str:
    name = to_latex(symbol(made.scalar.name)) if latex else made.scalar.name
    return f"{name} = {_total(((x, '') for x in made.summands), latex)}"


def _total(terms: Iterable[tuple[Expression, str]], latex: bool = False) -> str:
    """Write a sum in the given order; each summand is a scalar and the text after it."""
    pieces: list[str] = []
    for shown, behind in terms:
        minus, size = split_sign(shown)
        written = to_latex(size) if latex else to_text(size)
        sign = (" - " if minus else " + ") if pieces else ("-" if minus else "")
        pieces.append(f"{sign}{written}{behind}")
    return "".join(pieces) or "0"


#: Links from the fixed frame out to one from which on sums are taken; with fewer the write-out costs no more.
DEEP = 8


def deep(parts: Sequence[Moment]) -> bool:
    """Return True if summing in fixed axes costs less than a write-out: many links lie below one link."""
    depth = {0: 0}
    for part in parts:
        depth[part.link.number] = depth[part.link.base] + 1
    return max(depth.values()) >= DEEP


def static_moments(parts: Sequence[Moment], placed: Frames) -> dict[int, Triple]:
    """Compute m̄_i of every link in fixed axes (kg m): by the write-out, or for deep machines by sums."""
    if deep(parts):
        return sum_moments(parts, placed)
    written = write_out(parts)
    return {part.link.number: in_fixed_axes(written.find_result(part.link.number), placed) for part in parts}


def sum_moments(parts: Sequence[Moment], placed: Frames) -> dict[int, Triple]:
    """Sum m̄_i = m̄_ri + Σ m̄_j over the links j that i carries, (1)."""
    found: dict[int, Triple] = {}
    for part in reversed(parts):
        total = NONE
        for term in part.terms:
            total = plus(total, times(term.value, placed.units[term.unit]))
        for j in part.carried:
            total = plus(total, found[j])
        found[part.link.number] = total
    return found


def force(part: Moment, moment: Triple, placed: Frames, fall: Triple) -> Expression:
    """Compute gravity's generalized force of one coordinate: q̄ · (m̄ × g), or m q̄ · g if it slides."""
    axis = placed.joint_axis(part.link)
    return dot(axis, cross(moment, fall)) if part.link.revolute else part.mass * dot(axis, fall)
