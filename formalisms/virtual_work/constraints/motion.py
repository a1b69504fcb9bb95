"""Motion with constraints at states: virtual displacements admitted by every row; reactions do no work on them.

Each row removes one direction from the displacements that earlier rows leave, or none if it depends on these rows.
With N the displacements that are left and B those removed, all orthonormal, and D = L Bᵀ, L triangular::

    q'' = B y + N z ,    L y = -γ̃ ,    Nᵀ M N z = Nᵀ (gravity + applied - h - M B y) ,
    Lᵀ λ = Bᵀ (M q'' + h - gravity - applied)

Coordinates are scaled by √M_ii and rows to length 1, so that metres and radians are comparable. M may be singular as
long as the displacements that are left have inertia.

After one of two nearly equal rows, the other would add only their difference, which has few digits: so rows with a
large part in the remaining space are chosen first, and long rows before short ones. At a state read from printed digits
dependent rows differ by rounding: if the rank of the mechanism is known, no more rows than that are chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation, ReactionsFromBodies, at_states
from mbconcord.model.expressions import ZERO, Expression, rate
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.functions import define
from mbconcord.model.mixed import FREE, describe_fixed
from mbconcord.model.numbers import ANY_RANK, bind_states, largest_ranks
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from .row import Row

#: A row of length 1 that sees less than this of the displacements that are left depends on the rows that took others.
DEPENDENT = 1e-9
#: The first row goes next that sees this part of what any row sees of the displacements that are left.
MUCH = 0.1
#: A row smaller than this part of the largest entry of D (of 1, where all are smaller) is rounding: it is zero.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Admitted:
    """Displacements of n coordinates that m constraint rows of length 1 admit.

    Attributes
    ----------
    chosen : numbers of the r rows that are independent, in order
    L (r, r), B (n, r) : D = L Bᵀ for these rows, B orthonormal, L triangular
    left (n, n - r) : orthonormal admitted displacements, at right angles to B
    shares (m, r) : coefficients of the chosen rows in every row
    differing (m,) : True for rows not chosen for lack of rank that are independent of the chosen ones at this state
    """

    chosen: list[int]
    L: Array
    B: Array
    left: Array
    shares: Array
    differing: NDArray[np.bool_]

    @property
    def unique(self) -> Array:
        """Mask (m,) of unique multipliers: those of chosen rows of which no other row contains a share."""
        others = [i for i in range(len(self.shares)) if i not in self.chosen]
        found = np.zeros(len(self.shares), dtype=bool)
        found[self.chosen] = np.abs(self.shares[others]).max(axis=0, initial=0.0) <= DEPENDENT
        return found


def admit_displacements(rows: Array, lengths: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK) -> Admitted:
    """Return the displacements that rows (m, n) of length 1 admit; the last ``drives`` rows are chosen after others.

    ``lengths`` (m,) are the rows' lengths before they were scaled to 1: a short row has the rounding of the long terms
    in it. ``most`` are the largest ranks of the rows without those of drives, and with them.

    A reflection turns the part of a row in the remaining displacements into the first of these, which is removed: the
    others stay orthonormal to rounding, however nearly dependent the rows are.
    """
    m, n = rows.shape
    left, taken = np.eye(n), list[Array]()
    chosen = list[int]()
    seen = rows
    for asked, rank in zip((m - drives, m), most, strict=True):
        while left.size and len(chosen) < rank:
            parts = np.linalg.norm(seen[:asked], axis=1)
            sizes = np.where(parts > DEPENDENT, parts * lengths[:asked], 0.0)
            if sizes.max(initial=0.0) <= ROUNDING * lengths.max(initial=0.0):
                break
            i = int(np.argmax(sizes >= MUCH * sizes.max()))
            mirror = seen[i] / parts[i]
            chosen.append(i)
            taken.append(left @ mirror)
            mirror[0] += 1.0 if mirror[0] >= 0 else -1.0
            left, seen = (_beyond(x, mirror) for x in (left, seen))
    B = np.array(taken).reshape(len(taken), n).T
    L = rows[chosen] @ B
    shares = np.linalg.solve(L.T, (rows @ B).T).T if chosen else np.zeros((m, 0))
    differing = np.linalg.norm(seen, axis=1) > DEPENDENT
    differing[chosen] = False
    return Admitted(chosen, L, B, left, np.asarray(shares), differing)


def _beyond(x: Array, mirror: Array) -> Array:
    """Apply the reflection with the normal ``mirror`` to the rows of x, and remove the first column."""
    return (x - 2 * np.outer(x @ mirror, mirror) / (mirror @ mirror))[:, 1:]


def measure_formulas(D: Array, terms: Array) -> Array:
    """Return the sizes (N, m) of rows: for formulas their largest entry as a power of two, 1 for rows of bodies.

    ``terms`` (N, m, n) are sums of the absolute terms of each entry, zero for rows of bodies. A formula with no entry
    above :data:`DEPENDENT` times its terms gets a much larger size, so that the divided row counts as zero.
    """
    entries = np.abs(D)
    sees = (entries > DEPENDENT * terms).any(axis=2)
    beyond = 4 * DEPENDENT / ROUNDING
    sizes = np.where(sees, entries.max(axis=2, initial=0.0), beyond * terms.max(axis=2, initial=0.0))
    known = (terms > 0).any(axis=2) & (sizes > 0) & np.isfinite(sizes)
    powers = np.round(np.log2(np.where(known, sizes, 1.0)))
    return np.asarray(np.ldexp(1.0, powers.astype(int)))


def without_rounding(D: Array) -> Array:
    """Set rows of D (m, n) that are pure rounding to exact zeros: they belong to motions that no coordinate has."""
    size = np.abs(D).max(axis=1, initial=0.0)
    return np.where((size > ROUNDING * max(1.0, size.max(initial=0.0)))[:, None], D, 0.0)


# Findings about constraint rows at states: dependent, contradictory or violated ones.

#: Violations beyond this part of what they are made of are reported.
VIOLATED = 1e-8

SINGULAR = error(
    "constraints",
    "the equations are singular: a motion that the constraints admit has no inertia",
    "give the bodies it moves a mass or an inertia, or choose another state",
)
NO_NUMBERS = error(
    "constraints",
    "the equations have no numbers at a state",
    "look for a division by zero, or for numbers beyond the range of floats",
)


def dependencies(rows: Sequence[Row], found: Admitted) -> Iterator[Diagnostic]:
    """Report each row that removes no displacement, with the rank and the rows on which it depends."""
    rank = f"the rank is {len(found.chosen)} of {len(rows)} rows"
    for i, row in enumerate(rows):
        if i in found.chosen:
            continue
        if row.drive:
            yield error(row.place, describe_fixed(row.drive), FREE)
            continue
        shares = zip(found.chosen, found.shares[i], strict=True)
        made_of = ", ".join(rows[j].name for j, share in shares if abs(share) > DEPENDENT)
        if made_of:
            why = f"depends on other rows ({made_of}): {rank}, and their multipliers are not unique"
        else:
            why = f"is zero here: {rank}, and its multiplier is not determined"
        yield Diagnostic("warning", row.place, f"row {row.name} {why}", "leave it out where it is not meant")


def contradictions(
    rows: Sequence[Row], found: Admitted, rest: Array, lengths: Array, rates: Array
) -> Iterator[Diagnostic]:
    """Report rows that depend on others but require other accelerations; ``lengths`` (m,) are lengths of the rows.

    No row is reported at a state off the constraints, where rows that depend on others have independent numbers.
    """
    for i, row in enumerate(rows):
        if i in found.chosen or found.differing.any():
            continue
        parts = found.shares[i] * lengths[i] * (rest / lengths)[found.chosen]
        size = 1.0 + abs(rest[i]) + np.abs(parts).sum() + rates @ rates
        if abs(rest[i] - parts.sum()) > VIOLATED * size:
            message = f"row {row.name} depends on other rows and wants another acceleration than they do"
            yield error(row.place, message, "leave out one of the constraints that contradict each other")


def violations(
    rows: Sequence[Row], D: Array, rates: Array, position: Array, speed: Array, facing: Array, sizes: Array
) -> Iterator[Diagnostic]:
    """Report constraints that a state violates; D (N, m, n) has been divided by ``sizes`` (N, m) of the rows."""
    made_of = 1 + np.einsum("smn,sn->sm", np.abs(D), np.abs(rates))
    closing, admitting = "give coordinates at which the loop closes", "give rates that the constraint admits"
    for row, gaps, faces, speeds, whole, size in zip(
        rows, position.T, facing.T, speed.T, made_of.T, sizes.T, strict=True
    ):
        gap, slip = float(np.abs(gaps).max(initial=0.0)), float(np.abs(speeds).max(initial=0.0))
        if (np.abs(gaps) > VIOLATED * size).any():
            yield error(row.place, f"the coordinates violate {row.name} by {gap:.6g}; expected 0", closing)
        if (faces < 0).any():
            opposite = f"the coordinates turn {row.name} the opposite way; expected the frames to coincide"
            yield error(row.place, opposite, closing)
        if (np.abs(speeds) > VIOLATED * whole * size).any():
            missed = f"the velocities violate {row.name}: D q' + gamma = {slip:.6g}; expected 0"
            yield error(row.place, missed, admitting)


@dataclass(frozen=True)
class Numbers:
    """Numbers of m rows at N states: ``D`` (N, m, n), ``rest``, ``speed``, ``position``, ``facing`` (N, m).

    ``sizes`` (N, m) are sizes of formulas, by which rows are divided before they are compared with each other.
    ``rates`` (N, n) are q'; ``work`` (N, m, n) is the virtual work of reactions of λ = 1 on bodies, by coordinate,
    zero for rows without such reactions. The last ``drives`` rows are those of drives; ``most`` are the largest ranks
    of the other rows, and of all rows, at each state.
    """

    D: Array
    sizes: Array
    rest: Array
    speed: Array
    position: Array
    facing: Array
    rates: Array
    work: Array
    drives: int
    most: Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Solution:
    """Solution for n coordinates and m rows at one state.

    Attributes
    ----------
    found : displacements that the rows, scaled to length 1, remove and leave
    lengths (m,) : lengths of the rows before scaling
    acceleration (n,), multipliers (m,) : q'' and one possible λ; None if an admitted displacement has no inertia
    """

    found: Admitted
    lengths: Array
    acceleration: Array | None = None
    multipliers: Array | None = None

    def unscale(self, sizes: Array) -> Solution:
        """Return the solution for rows that are ``sizes`` (m,) times as long."""
        multipliers = None if self.multipliers is None else self.multipliers / sizes
        return replace(self, lengths=self.lengths * sizes, multipliers=multipliers)

    @property
    def free(self) -> Array:
        """Basis (m, m - r) of changes of λ that leave the reactions Dᵀ λ as they are."""
        others = [i for i in range(len(self.lengths)) if i not in self.found.chosen]
        columns = np.eye(len(self.lengths))[:, others]
        shares = self.found.shares[others].T
        columns[self.found.chosen] -= np.where(np.abs(shares) > DEPENDENT, shares, 0.0)
        return columns / self.lengths[:, None]


def solutions(tree: Evaluation, numbers: Numbers) -> list[Solution | None]:
    """Return the solution at every state; None where M, forces or rows are not finite."""
    q = tree.quantities
    force = q["gravity"] + q["applied"] - q["h"]
    found = []
    for s, size in enumerate(numbers.sizes):
        D, rest = numbers.D[s] / size[:, None], numbers.rest[s] / size
        solved = _solve_state(q["M"][s], force[s], D, rest, numbers.drives, numbers.most[s])
        found.append(solved and solved.unscale(size))
    return found


def _solve_state(
    mass: Array, force: Array, D: Array, rest: Array, drives: int, most: tuple[int, int] = ANY_RANK
) -> Solution | None:
    if not all(np.isfinite(x).all() for x in (mass, force, D, rest)):
        return None
    D = without_rounding(D)
    own = np.diag(mass)
    rounding = np.finfo(float).eps * own.size * own.max(initial=0.0)
    units = np.sqrt(np.where(own > rounding, own, 1.0))
    lengths = np.linalg.norm(D / units, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    found = admit_displacements(D / units / lengths[:, None], lengths, drives, most)
    B, N, chosen = found.B, found.left, found.chosen
    M, F = mass / np.outer(units, units), force / units
    x = B @ np.linalg.solve(found.L, -(rest / lengths)[chosen]) if chosen else np.zeros(len(F))
    inertia = N.T @ M @ N
    if len(inertia):
        sizes = np.linalg.eigvalsh(inertia)
        if sizes[0] <= len(sizes) * np.finfo(float).eps * sizes[-1]:
            return Solution(found, lengths)
        x = x + N @ np.linalg.solve(inertia, N.T @ (F - M @ x))
    multipliers = np.zeros(len(lengths))
    if chosen:
        multipliers[chosen] = np.linalg.solve(found.L.T, B.T @ (M @ x - F))
    return Solution(found, lengths, x / units, multipliers / lengths)


def constrained_motion(tree: Evaluation, rows: Sequence[Row], numbers: Numbers) -> ConstrainedMotion:
    """Return accelerations, multipliers and reactions at every state, with findings about the rows."""
    count, m, n = numbers.D.shape
    acceleration, solved = np.full((count, n), np.nan), np.full((count, m), np.nan)
    multipliers, rank = np.full((count, m), np.nan), np.zeros(count)
    redundant: list[tuple[str, ...]] = [()] * count
    findings: dict[Diagnostic, None] = {}
    for s, solution in enumerate(solutions(tree, numbers)):
        if solution is None:
            rank[s] = _rank(numbers.D[s] / numbers.sizes[s][:, None])
            findings[NO_NUMBERS] = None
            continue
        found = solution.found
        rank[s] = len(found.chosen)
        redundant[s] = tuple(row.name for i, row in enumerate(rows) if i not in found.chosen)
        findings |= dict.fromkeys(dependencies(rows, found))
        contrary = contradictions(rows, found, numbers.rest[s], solution.lengths, numbers.rates[s])
        findings |= dict.fromkeys(contrary)
        if solution.acceleration is None or solution.multipliers is None:
            findings[SINGULAR] = None
            continue
        acceleration[s], solved[s] = solution.acceleration, solution.multipliers
        multipliers[s] = np.where(found.unique, solved[s], np.nan)
    alike, sizes = numbers.D / numbers.sizes[:, :, None], numbers.sizes
    said = violations(rows, alike, numbers.rates, numbers.position, numbers.speed, numbers.facing, sizes)
    sound = np.stack([without_rounding(D) for D in alike]) * sizes[:, :, None] if count else numbers.D
    return ConstrainedMotion(
        tree,
        tuple(row.name for row in rows),
        acceleration,
        multipliers,
        np.einsum("smn,sm->sn", sound, solved),
        numbers.D,
        numbers.rest,
        rank,
        tuple(redundant),
        (*findings, *said),
        from_bodies(rows, numbers, solved),
    )


def from_bodies(rows: Sequence[Row], numbers: Numbers, multipliers: Array) -> ReactionsFromBodies | None:
    """Compare the virtual work of reactions on bodies with Dᵀ λ of the same rows; None if no row acts on bodies.

    Any multipliers that solve the equations will do: if only rows of bodies depend on each other, the work is unique.
    """
    touching = [i for i, row in enumerate(rows) if row.reactions]
    if not touching:
        return None
    own = multipliers[:, touching]
    values, expected = (np.einsum("smn,sm->sn", x[:, touching], own) for x in (numbers.work, numbers.D))
    others = [i for i in range(len(rows)) if i not in touching]
    if others:
        for s, D in enumerate(numbers.D / numbers.sizes[:, :, None]):
            ranks = [_rank(D[which]) for which in ([*range(len(rows))], touching, others)]
            if min(ranks[0], numbers.most[s][1]) < ranks[1] + ranks[2]:
                values[s] = np.nan
    residual = np.abs(values - expected).max(axis=1, initial=0.0)
    return ReactionsFromBodies(tuple(rows[i].name for i in touching), values, residual)


def _rank(D: Array) -> int:
    lengths = np.linalg.norm(without_rounding(D), axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        return 0
    lengths = np.where(lengths > 0, lengths, 1.0)
    return len(admit_displacements(without_rounding(D) / lengths, lengths[:, 0]).chosen)


def row_numbers(system: System, rows: Sequence[Row], states: Sequence[State]) -> Numbers:
    """Evaluate the rows at N states."""
    at, names, m = bind_states(system, states), system.coordinate_names, len(rows)

    def table(expressions: Iterable[Expression], *shape: int) -> Array:
        return at_states(define(expressions, system.functions), at.values, len(at)).reshape(len(at), *shape)

    D = table((row.D.get(name, ZERO) for row in rows for name in names), m, len(names))
    terms = (made_of(row.D.get(name, ZERO)) if row.of_formula else ZERO for row in rows for name in names)
    return Numbers(
        D=D,
        sizes=measure_formulas(D, table(terms, m, len(names))),
        rest=table((row.rest for row in rows), m),
        speed=table((row.speed for row in rows), m),
        position=table((ZERO if row.position is None else row.position for row in rows), m),
        facing=table((row.facing for row in rows), m),
        rates=table(map(rate, names), len(names)),
        work=table(
            (sum((on.work(name) for on in row.reactions), ZERO) for row in rows for name in names), m, len(names)
        ),
        drives=sum(bool(row.drive) for row in rows),
        most=largest_ranks(states),
    )
