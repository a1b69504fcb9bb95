"""Lagrange's equations with multipliers, solved at states: M q'' + h = gravity + applied + Dᵀ λ, D q'' = -γ̃.

D = U Σ Vᵀ splits the accelerations: those orthogonal to the admitted motions follow from the constraints alone, those
along them from the equations projected on the admitted motions, V₀ᵀ M V₀ z = V₀ᵀ (…), where reactions drop out (they do
no work there). The residual of the equations of motion is Dᵀ λ. No choice among dependent rows is needed, and M may be
singular if the admitted motions have inertia. If the rank of the mechanism is known, as many of the largest singular
values count: at a state read from printed digits, the others, zero on the constraints, are not exactly zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, Severity, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation
from mbconcord.model.mixed import FREE, describe_fixed
from mbconcord.model.numbers import ANY_RANK
from mbconcord.records import dataclass

from .closure import Row

#: Singular values below this part of the largest, of rows scaled to one another, are zero.
DEPENDENT = 1e-9
#: Rows are scaled to length one, but for those that are shorter than this part of the longest: they are differences of
#: long ones, with the rounding of these, and shall weigh no more than they say.
SHORT = 1e-3
#: A row smaller than this part of the largest entry of D (of 1, where all are smaller) is rounding: it is zero.
NOTHING = 1e-12
#: What this makes smaller is, of rounding, below that.
GONE = 4 * DEPENDENT / NOTHING
#: Violations beyond this are reported, relative to what they are made of.
VIOLATED = 1e-8


@dataclass(frozen=True)
class Numbers:
    """Numbers of the rows at N states: ``D`` (N, m, n), ``rest``, ``speed``, ``position``, ``facing`` (N, m).

    ``factors`` (N, m) bring the rows to one scale: :func:`level_formulas`.
    ``most`` (N, 2) are the largest ranks of the rows at each state, without those of drives and with them.
    """

    D: Array
    factors: Array
    rest: Array
    speed: Array
    position: Array
    facing: Array
    most: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Solution:
    """Solution at one state: accelerations (n,), multipliers (m,) with NaN where not unique, reactions Dᵀ λ (n,)."""

    acceleration: Array
    multipliers: Array
    reactions: Array


def constrained_motion(tree: Evaluation, rows: Sequence[Row], numbers: Numbers, rates: Array) -> ConstrainedMotion:
    """Solve for accelerations, multipliers and reactions at every state; ``rates`` (N, n) are q'."""
    q = tree.quantities
    force = q["gravity"] + q["applied"] - q["h"]
    count, m, n = numbers.D.shape
    acceleration, multipliers = np.full((count, n), np.nan), np.full((count, m), np.nan)
    reactions, rank = np.full((count, n), np.nan), np.zeros(count)
    dependent: list[tuple[str, ...]] = []
    findings: dict[Diagnostic, None] = {}
    drives = sum(bool(row.drive) for row in rows)
    for s in range(count):
        factors = numbers.factors[s]
        D = without_rounding(numbers.D[s] * factors[:, None])
        beyond = find_dependent_rows(D, drives, numbers.most[s])
        rank[s] = m - len(beyond)
        dependent.append(tuple(rows[i].name for i in beyond))
        findings |= dict.fromkeys(_dependencies(rows, D, beyond))
        found = solve(q["M"][s], force[s], D, numbers.rest[s] * factors, drives, numbers.most[s])
        if found is None:
            findings[SINGULAR] = None
            continue
        acceleration[s], multipliers[s], reactions[s] = found.acceleration, found.multipliers * factors, found.reactions
    return ConstrainedMotion(
        tree,
        tuple(row.name for row in rows),
        acceleration,
        multipliers,
        reactions,
        numbers.D,
        numbers.rest,
        rank,
        tuple(dependent),
        (*findings, *_violations(rows, numbers, rates)),
    )


SINGULAR = error(
    "constraints",
    "the equations are singular: a motion that the constraints admit has no inertia",
    "give the bodies it moves a mass or an inertia, or choose another state",
)


def solve(
    mass: Array, force: Array, D: Array, rest: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK
) -> Solution | None:
    """Solve the equations at one state; None if some motion that the constraints admit has no inertia.

    The coordinates are scaled by √M_ii and the rows by their length, to make metres and radians comparable. Rounding on
    the diagonal of a coordinate without inertia is not used as a scale. The last ``drives`` rows belong to drives, and
    ``most`` are the largest ranks without and with them.
    """
    diagonal = np.diag(mass)
    noise = len(diagonal) * np.finfo(float).eps * diagonal.max(initial=0.0)
    units = 1 / np.sqrt(np.where(diagonal > noise, diagonal, 1.0))
    inertia, load, rows = mass * np.outer(units, units), force * units, D * units
    lengths = _scales(rows)
    left, sizes, right = np.linalg.svd(rows / lengths[:, None])
    rank = _rank(sizes, _least(rows / lengths[:, None], drives, most))
    unique = _unique(D, lengths, left[:, rank:])
    left, sizes, across, along = left[:, :rank], sizes[:rank], right[:rank], right[rank:]
    forced = across.T @ (left.T @ (-rest / lengths) / sizes)
    reduced = along @ inertia @ along.T
    if len(reduced) and not _definite(reduced):
        return None
    x = forced + along.T @ np.linalg.solve(reduced, along @ (load - inertia @ forced))
    lacking = inertia @ x - load
    multipliers = left @ (across @ lacking / sizes) / lengths
    return Solution(x * units, np.where(unique, multipliers, np.nan), D.T @ multipliers)


def _scales(rows: Array) -> Array:
    """Compute the scales (m,) of rows (m, n): see :data:`SHORT`; 1 for a zero row."""
    lengths = np.linalg.norm(rows, axis=1)
    return np.where(lengths > 0, np.maximum(lengths, SHORT * lengths.max(initial=0.0)), 1.0)


def _unique(D: Array, scales: Array, vanishing: Array) -> Array:
    """Return a mask (m,) of rows with a unique λ; ``vanishing`` are combinations of scaled rows that are zero.

    Rows count by their own lengths, whatever the masses: beside a very light rod a heavy slider's load is as open.
    """
    lengths = np.linalg.norm(D, axis=1)
    parts = np.linalg.qr(vanishing * np.where(lengths > 0, lengths / scales, 1.0)[:, None])[0]
    return np.asarray(np.einsum("ij,ij->i", parts, parts) <= DEPENDENT)


def _least(rows: Array, drives: int, most: tuple[int, int]) -> float:
    """Return the threshold above which singular values of scaled rows (m, n) count as nonzero.

    If more values than the ranks ``most`` exceed :data:`DEPENDENT`, the threshold lies below the last one that counts.
    """
    least = 0.0
    for asked, rank in zip((len(rows) - drives, len(rows)), most, strict=True):
        sizes = _sizes(rows[:asked])
        least = max(least, DEPENDENT * max(1.0, float(sizes.max(initial=0.0))))
        if rank < len(sizes):
            least = max(least, float(np.sqrt(sizes[rank - 1] * sizes[rank]))) if rank else np.inf
    return least


def _rank(sizes: Array, least: float) -> int:
    return int((sizes > least).sum())


def _sizes(rows: Array) -> Array:
    return np.asarray(np.linalg.svd(rows, compute_uv=False), dtype=np.float64)


def _definite(matrix: Array) -> bool:
    values = np.linalg.eigvalsh(matrix)
    return bool(np.isfinite(matrix).all() and values[0] > len(matrix) * np.finfo(float).eps * values[-1])


def level_formulas(D: Array, made: Array, formulas: Sequence[bool]) -> Array:
    """Return powers of two (N, m) that bring rows of formulas to an entry of about 1; 1 for rows of bodies.

    A formula may have any factor. If all entries of its row are rounding of the terms that they sum (``made``: sums of
    absolute terms, (N, m, n)), as states satisfy constraints to their digits only, the factor makes the row negligible.
    """
    size, whole = np.abs(D).max(axis=2, initial=0.0), made.max(axis=2, initial=0.0)
    some = ~(np.abs(D) <= DEPENDENT * made).all(axis=2)
    with np.errstate(all="ignore"):
        powers = np.exp2(-np.rint(np.log2(np.where(some, size, GONE * whole))))
    return np.where(np.asarray(formulas, dtype=bool) & np.isfinite(powers) & (powers > 0), powers, 1.0)


def without_rounding(D: Array) -> Array:
    """Set rows of D (m, n) that are pure rounding to exact zeros: they belong to motions that no coordinate has."""
    largest = np.abs(D).max(axis=1, initial=0.0)
    nothing = largest <= NOTHING * max(1.0, largest.max(initial=0.0))
    return np.where(nothing[:, None], 0.0, D)


def find_dependent_rows(D: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK) -> list[int]:
    """List the numbers of rows that depend on the rows before them: they do not raise the rank."""
    rows = D / _scales(D)[:, None]
    least = _least(rows, drives, most)
    ranks = [0, *(_rank(_sizes(rows[: i + 1]), least) for i in range(len(rows)))]
    return [i for i in range(len(rows)) if ranks[i + 1] == ranks[i]]


def _dependencies(rows: Sequence[Row], D: Array, beyond: Sequence[int]) -> Iterator[Diagnostic]:
    rank = f"the rank is {len(rows) - len(beyond)} of {len(rows)} rows"
    for i in beyond:
        why = "depends on the rows before it" if D[i].any() else "is zero, no coordinate moves along it"
        if rows[i].drive:
            yield _finding("error", rows[i], describe_fixed(rows[i].drive), FREE)
            continue
        message = f"row {rows[i].name} {why}: {rank}"
        yield _finding("warning", rows[i], message, "leave it out where it is not meant")


def _violations(rows: Sequence[Row], numbers: Numbers, rates: Array) -> Iterator[Diagnostic]:
    """Report constraints that a state violates."""
    moving = np.abs(numbers.D * rates[:, None, :]).sum(axis=2) * numbers.factors
    for i, row in enumerate(rows):
        gap = float(np.abs(numbers.position[:, i]).max(initial=0.0))
        if (np.abs(numbers.position[:, i]) * numbers.factors[:, i] > VIOLATED).any():
            message = f"the coordinates violate {row.name} by {gap:.6g}; expected 0"
            yield _finding("error", row, message, "give coordinates at which the loop closes")
        if (numbers.facing[:, i] < 0).any():
            message = f"the coordinates turn {row.name} the opposite way; expected the frames to coincide"
            yield _finding("error", row, message, "give coordinates at which the loop closes")
        speed = np.abs(numbers.speed[:, i])
        if (speed * numbers.factors[:, i] > VIOLATED * (1 + moving[:, i])).any():
            message = f"the velocities violate {row.name}: D q' + gamma = {speed.max():.6g}; expected 0"
            yield _finding("error", row, message, "give rates that the constraint admits")


def _finding(severity: Severity, row: Row, message: str, remedy: str) -> Diagnostic:
    return Diagnostic(severity, row.place, message, remedy)
