"""Proof for own equations: every entry of every part compared with one formalism's, and descriptions of differences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, UNDECIDED, Plan, Sample
from mbconcord.model.expressions.field.linear import rational, solve
from mbconcord.model.expressions.program import Program, program
from mbconcord.records import dataclass, replace

from ...judge.evidence import EntryTerms
from ...judge.exact.equations import DRAWS, SINGULAR, Points, size_solution
from ...judge.exact.proof import BUDGET, SIZE, Mode
from ...judge.exactness import NOT_TRIED, Exactness, together
from ...judge.monomials import differences
from .alone import TiedEquations
from .tied import ACCELERATION

#: Most entries and monomials that are listed.
ENTRIES, MONOMIALS = 6, 8
OFF: Final = Exactness(NOT_TRIED, "exact is off")

Names = tuple[str, ...]


@dataclass(frozen=True)
class OwnProof:
    """Own equations and those of one formalism, with the result of the proof for every entry.

    Attributes
    ----------
    apart : part -> entries that are different functions
    open : part -> reason why an entry is undecided; empty if all entries are decided
    log2 : part -> binary logarithm of the probability that "identical" is wrong
    acceleration : result of the proof for the solutions u' of both
    rows : the author's rows as linear combinations of the model's; None for rows that are not such
    open_rows : rows of M that are either multiples, or wrong in the column of a speed that never accelerates
    """

    own: TiedEquations
    model: TiedEquations
    apart: Mapping[str, tuple[Names, ...]]
    open: Mapping[str, Exactness]
    log2: Mapping[str, float]
    acceleration: Exactness
    rows: tuple[tuple[Any, ...], ...] | None = None
    open_rows: tuple[str, ...] = ()

    @property
    def different(self) -> int:
        """Number of entries that are different functions."""
        return sum(map(len, self.apart.values()))

    def exactness(self, part: str, scope: str = "") -> Exactness:
        """Return the result of the proof for a part."""
        if part == ACCELERATION:
            return replace(self.acceleration, scope=scope)
        if self.apart.get(part):
            return Exactness(DIFFERS, entry=self.apart[part][0], scope=scope)
        return self.open.get(part) or Exactness(IDENTICAL, log2=self.log2.get(part, 0.0), scope=scope)


def entries_of(part: str, u: Sequence[str]) -> list[Names]:
    """Name the entries of a part."""
    return list(product(u, repeat=2 if part == "M" else 1))


def skip_proof(mode: Mode, programs: Sequence[Program]) -> Exactness | None:
    """Return the result "not tried" if these programs are too large for a proof, or none is wanted; else None."""
    if mode == "off":
        return OFF
    return SIZE if mode == "auto" and sum(len(each.steps) for each in programs) * DRAWS > BUDGET else None


def prove(own: TiedEquations, model: TiedEquations, u: Sequence[str], seed: int = 0, mode: Mode = "on") -> OwnProof:
    """Prove which entries are the same functions, and whether the accelerations are."""
    shared = [part for part in own.parts if part in model.parts]
    lines = [program([x for part in shared for x in side.parts[part]]) for side in (own, model)]
    if skipped := skip_proof(mode, lines):
        return OwnProof(own, model, {}, dict.fromkeys(shared, skipped), {}, skipped)
    plan, (ours, theirs) = Plan.of_programs(lines)
    sample = Sample(plan, DRAWS, seed, joined=(*ours, *theirs))
    points = Points(sample)
    apart: dict[str, tuple[Names, ...]] = {}
    undecided: dict[str, Exactness] = {}
    chances: dict[str, float] = {}
    at: dict[str, slice] = {}
    start = 0
    for part in shared:
        names = entries_of(part, u)
        at[part] = slice(start, start + len(names))
        start += len(names)
        found = [sample.verdict(a, b) for a, b in zip(ours[at[part]], theirs[at[part]], strict=True)]
        apart[part] = tuple(name for name, v in zip(names, found, strict=True) if v.kind == DIFFERS)
        chances[part] = max((v.chance.log2 for v in found if v.chance), default=float("-inf"))
        for name, v in zip(names, found, strict=True):
            if v.kind == UNDECIDED:
                undecided.setdefault(part, Exactness(UNDECIDED, v.reason, name))
    n = len(u)
    sides = [[points.sample_steps(side[at[part]]) for part in ("M", "forcing")] for side in (ours, theirs)]

    def accelerate(point: Any, mass: Sequence[Any], force: Sequence[Any]) -> Any:
        return solve([mass[i * n : (i + 1) * n] for i in range(n)], force, point.field.p)

    moved = [points.compute(accelerate, side, size_solution(side, n), SINGULAR) for side in sides]
    motion = points.compare(moved[0], moved[1], entries_of("forcing", u))
    if moved[0].missing:
        motion = Exactness(UNDECIDED, "your M is singular for all states")
    if motion.kind != IDENTICAL or not (apart["M"] or apart["forcing"]):
        return OwnProof(own, model, apart, undecided, chances, motion)
    rows = _combine(points, [side[0].values for side in sides], n)
    still = {name for i, name in enumerate(u) if all(run[i] == 0 for run in moved[0].values)}
    return OwnProof(own, model, apart, undecided, chances, motion, rows, tuple(_find_open_rows(apart, rows, u, still)))


def _find_open_rows(
    apart: Mapping[str, Sequence[Names]], rows: Sequence[Sequence[Any]], u: Sequence[str], still: Collection[str]
) -> Iterator[str]:
    """Yield rows that are either multiples, or wrong only in entries that M multiplies by a zero acceleration.

    A row that differs elsewhere, too, is surely a multiple, if by a fraction; so are all rows with this factor.
    """
    sure = {row for row, column in apart["M"] if column not in still} | {row for (row,) in apart["forcing"]}
    factor = rows[0][0]
    scaled = factor is not None and all(
        x == (factor if i == j else 0) for i, r in enumerate(rows) for j, x in enumerate(r)
    )
    for name, row in zip(u, rows, strict=True):
        whole = name in sure and None not in row
        if any(x == name and column in still for x, column in apart["M"]) and not whole and not (scaled and sure):
            yield name


def _combine(points: Points, masses: Sequence[Any], n: int) -> tuple[tuple[Any, ...], ...]:
    """Return E in M = E M̂ row by row; entries are fractions, or None if they are no constants."""
    found = []
    for k, (point, _) in enumerate(points):
        p = point.field.p
        own, model = ([list(side[k][i * n : (i + 1) * n]) for i in range(n)] for side in masses)
        across = [list(column) for column in zip(*model, strict=True)]
        rows = [solve(across, row, p) for row in own]
        found.append([[rational(x, p) for x in row] for row in rows if row])
    first = found[0]
    return tuple(
        tuple(x if all(other[i][j] == x for other in found) else None for j, x in enumerate(row))
        for i, row in enumerate(first)
    )


def describe_rows(rows: Sequence[Sequence[Any]], u: Sequence[str]) -> str:
    """Describe the author's rows as linear combinations of the model's rows."""
    if any(x is None for row in rows for x in row):
        return "combined, with the same accelerations"
    said = []
    for name, row in zip(u, rows, strict=True):
        terms = " + ".join(f"{x} times [{other}]" for x, other in zip(row, u, strict=True) if x)
        if terms != f"1 times [{name}]":
            said.append(f"[{name}] is {terms}")
    return ", ".join(said)


def explain_entry(proof: OwnProof, part: str, name: Names, u: Sequence[str]) -> EntryTerms:
    """List the monomials in which an entry differs, with the author's coefficient and the model's."""
    at = entries_of(part, u).index(name)
    try:
        found = differences(proof.own.parts[part][at], proof.model.parts[part][at])
    except (MbconcordError, ExpressionError) as problem:
        return EntryTerms(name, reason=f"no list of monomials: {problem}")
    return EntryTerms(name, found[:MONOMIALS], max(0, len(found) - MONOMIALS))


def accept(found: OwnProof) -> bool:
    """Return True if every part, and the accelerations, are proved identical."""
    whole = together([found.exactness(part) for part in (*found.apart, ACCELERATION)])
    return whole is not None and whole.kind == IDENTICAL
