"""Numbers of a closed system at states: the recursions on arrays, and at each state the motion admitted by its rows.

Forces at the cuts and in the joints: the inward pass with the solved accelerations gives the wrench of every joint
without reactions; from it the wrenches of the reactions, carried inward with the rows, are subtracted. They are linear
in the multipliers, so for each component it is known whether undetermined multipliers leave it undetermined.

The motion admitted by rows, with their multipliers: M q'' = F + Dᵀ λ, D q'' = -γ̃, at one state.

If D q'' = -γ̃ holds, Dᵀ D q'' = -Dᵀ γ̃ may be added to the equations of motion, which gives the rows inertia,

    (M + Dᵀ D) q'' = F - Dᵀ γ̃ + Dᵀ λ ,

without changing λ; the matrix on the left is regular wherever the motion is determined, even with massless bodies.
With M + Dᵀ D = L Lᵀ and A = D L⁻ᵀ of independent rows, Aᵀ = Q R gives λ = R⁻¹ (-R⁻ᵀ γ̃ - Qᵀ y), y = L⁻¹ (F - Dᵀ γ̃).

Threshold. Coordinates are scaled by √M_ii and rows to length one, so all entries are at most one with rounding errors
of about 1e-15, and states satisfy constraints to about 1e-13. The part of a row orthogonal to the rows chosen before is
real if longer than :data:`DEPENDENT` = 1e-9, four powers of ten above its error; a shorter part would not survive a
change of the state in its last digits, and the row counts as a combination of the others. Rows with a long orthogonal
part are chosen first: after one of two nearly equal rows, the other adds only a difference with few digits, which a
third row may give with all its digits. If the rank of the mechanism is known, no more rows are chosen: at a state read
from printed digits, dependent rows differ by more than the threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.model import State, System
from mbconcord.model.diagnostics import Diagnostic, Severity, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation
from mbconcord.model.expressions import rate
from mbconcord.model.joint_forces import COMPONENTS, ConstrainedForces, cuts, list_jointed_bodies
from mbconcord.model.mixed import FREE, describe_fixed
from mbconcord.model.numbers import ANY_RANK, bind_states, largest_ranks
from mbconcord.records import dataclass

from ..equations import Equations, at_body
from ..vectors import Batch, over_states, triple
from .cut_joint import with_cut_frames
from .rows import Row, rows_of

#: Part of a row of length one, beyond the rows chosen before it, below which it depends on them.
DEPENDENT = 1e-9
#: The next row is the first that has this part of what any row has beyond the chosen ones.
NEXT = 0.1
#: A row whose entries are below this part of the largest one of D (of 1, if that is larger) is rounding.
NOTHING = 1e-12


@dataclass(frozen=True)
class Solution:
    """Motion at one state of n coordinates and m rows.

    Attributes
    ----------
    acceleration, reactions : (n,), q'' and Dᵀ λ
    multipliers : (m,), the solution λ with the least sum of squares (of lengths · λ)
    chosen : numbers of the independent rows, as many as the rank
    lengths : (m,), lengths of the rows in units of the coordinates
    open : (m, m - rank)
        Orthonormal columns: multiples of them added to lengths · λ change neither Dᵀ λ nor the motion.
    """

    acceleration: Array
    reactions: Array
    multipliers: Array
    chosen: tuple[int, ...]
    lengths: Array
    open: Array

    @property
    def is_determined(self) -> NDArray[np.bool_]:
        """Rows with a unique λ (m,), as a mask."""
        return np.asarray(np.linalg.norm(self.open, axis=1) <= DEPENDENT)

    def gives(self, factors: Array, reach: float) -> Array:
        """Apply the multipliers to wrenches: factors (6 k, m) · λ (6 k,), NaN for components that λ does not determine.

        A component is undetermined if :attr:`open` contributes more than the rounding of its vector, in which moments
        include those of forces at the distance ``reach`` (m).
        """
        scaled = factors / self.lengths
        sizes = np.linalg.norm(scaled.reshape(-1, 2, 3 * factors.shape[1]), axis=2)
        sizes[:, 1] += reach * sizes[:, 0]
        added = np.linalg.norm(scaled @ self.open, axis=1)
        return np.where(added > DEPENDENT * np.repeat(sizes, 3), np.nan, factors @ self.multipliers)


def dependences(
    rows: Array, lengths: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK
) -> tuple[tuple[int, ...], Array]:
    """Return the numbers of independent rows among rows (m, n) of length one, and the basis :attr:`Solution.open`.

    Rows of drives come last: they may depend on constraints, never the reverse. ``lengths`` (m,) are the original row
    lengths: long rows are chosen first, since a short row has the rounding of the long terms whose difference it is.
    ``most`` are the largest ranks without and with the rows of drives.
    """
    chosen: list[int] = []
    basis = np.zeros((0, rows.shape[1]))
    left, nothing = rows, NOTHING * lengths.max(initial=0.0)
    for asked, rank in zip((len(rows) - drives, len(rows)), most, strict=True):
        while len(chosen) < rank:
            parts = np.linalg.norm(left[:asked], axis=1)
            sizes = np.where(parts > DEPENDENT, parts * lengths[:asked], 0.0)
            if sizes.max(initial=0.0) <= nothing:
                break
            i = int(np.argmax(sizes >= NEXT * sizes.max()))
            way = left[i] / parts[i]
            way = way - way @ basis.T @ basis
            way = way / np.linalg.norm(way)
            left = left - np.outer(left @ way, way)
            left[i] = 0.0
            basis = np.vstack([basis, way])
            chosen.append(i)
    chosen.sort()
    others = [i for i in range(len(rows)) if i not in chosen]
    left_open = np.zeros((len(rows), len(others)))
    left_open[others] = np.eye(len(others))
    if chosen and others:
        left_open[chosen] = -np.linalg.lstsq(rows[chosen].T, rows[others].T, rcond=None)[0]
        left_open = np.linalg.qr(left_open)[0]
    return tuple(chosen), left_open


def scale_rows(D: Array, units: Array) -> tuple[Array, Array]:
    """Return the rows in units of the coordinates, scaled to length one, and their lengths; rounding becomes zero."""
    size = np.abs(D).max(axis=1, initial=0.0)
    rows = np.where((size > NOTHING * max(1.0, size.max(initial=0.0)))[:, None], D * units, 0.0)
    lengths = np.linalg.norm(rows, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return rows / lengths[:, None], lengths


def solve(
    mass: Array, force: Array, D: Array, rest: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK,
    scales: Array | float = 1.0,
) -> Solution | None:  # fmt: skip
    """Solve for the motion at one state, F = gravity + applied - h; None if a motion that D admits has no inertia.

    The last ``drives`` rows belong to drives; ``most`` as in :func:`dependences`. Rows are divided by ``scales`` (m,),
    their natural lengths, before they are compared with each other.
    """
    units, scales = _units(mass), np.ones(len(D)) * scales
    D, rest = D / scales[:, None], rest / scales
    rows, lengths = scale_rows(D, units)
    chosen, left_open = dependences(rows, lengths, drives, most)
    own, pull = rows[list(chosen)], (rest / lengths)[list(chosen)]
    weighty = mass * np.outer(units, units) + own.T @ own
    if not _definite(weighty):
        return None
    L = np.linalg.cholesky(weighty)
    y = np.linalg.solve(L, force * units - own.T @ pull)
    across = np.linalg.solve(L, own.T)  # Aᵀ
    Q, R = np.linalg.qr(across)
    z = y + Q @ (np.linalg.solve(R.T, -pull) - Q.T @ y)
    x = np.linalg.solve(L.T, z)
    found = np.zeros(len(D))
    found[list(chosen)] = np.linalg.solve(R, Q.T @ (z - y))
    multipliers = (found - left_open @ (left_open.T @ found)) / lengths
    return Solution(x * units, D.T @ multipliers, multipliers / scales, chosen, lengths * scales, left_open)


def independent(mass: Array, D: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK) -> tuple[int, ...]:
    """List the numbers of independent rows of D (m, n) at one state, even if its motion has no solution."""
    return dependences(*scale_rows(D, _units(mass)), drives, most)[0] if np.isfinite(D).all() else ()


def _units(mass: Array) -> Array:
    """Return 1/√M_ii (n,); 1 where a coordinate's inertia is only rounding."""
    diagonal = np.diag(mass)
    least = np.finfo(float).eps * len(diagonal) * diagonal.max(initial=0.0)
    return np.asarray(1 / np.sqrt(np.where(diagonal > least, diagonal, 1.0)))


def _definite(matrix: Array) -> bool:
    if not np.isfinite(matrix).all():
        return False
    values = np.linalg.eigvalsh(matrix)
    return bool((values > len(matrix) * np.finfo(float).eps * values.max(initial=0.0)).all())


#: A violation of a constraint that is reported, of what it is made of.
VIOLATED = 1e-8
SIX = len(COMPONENTS)
SINGULAR = error(
    "constraints",
    "the equations are singular: a motion that the constraints admit has no inertia",
    "give the bodies it moves a mass or an inertia, or choose another state",
)


@dataclass(frozen=True)
class Closed:
    """A closed system at N states: equations of its open tree, rows, and the solution of each state (None: singular).

    ``rates`` (N, n) are q', ``D`` is (N, m, n); ``scales`` (N, m) are natural lengths of rows of formulas, 1 for other
    rows; ``most`` are the largest possible ranks of the rows at each state.
    """

    system: System
    eq: Equations
    rows: tuple[Row, ...]
    tree: dict[str, Array]
    rates: Array
    D: Array
    scales: Array
    rest: Array
    solutions: tuple[Solution | None, ...]
    most: Sequence[tuple[int, int]]


def solve_closed(system: System, states: Sequence[State]) -> Closed:
    """Solve a closed system at states."""
    tree, count = system.open_loops(), len(states)
    at = bind_states(system, states).values
    with np.errstate(all="ignore"):
        scalars = Batch(system, at, count)
        eq = Equations(with_cut_frames(tree, system), scalars)
        rows, n = rows_of(eq, system), eq.count
        found = {"M": np.moveaxis(eq.mass_matrix.matrix, -1, 0)} | {
            name: over_states(getattr(eq, name), count) for name in ("h", "gravity", "applied")
        }
        D = np.zeros((count, len(rows), n))
        for i, row in enumerate(rows):
            for k, value in row.D.items():
                D[:, i, k] = value
        rest = over_states([row.rest for row in rows], count)
        rates = over_states(scalars.to_scalars([rate(name) for name in system.coordinate_names]), count)
        force = found["gravity"] + found["applied"] - found["h"]
        drives, most = _drives(rows), largest_ranks(states)
        scales = np.stack([_scale(row, count) for row in rows], axis=1) if rows else np.ones((count, 0))
        solutions = tuple(
            solve(found["M"][s], force[s], D[s], rest[s], drives, most[s], scales[s]) for s in range(count)
        )
    return Closed(system, eq, rows, found, rates, D, scales, rest, solutions, most)


def _scale(row: Row, count: int) -> Array:
    """Return the scale (N,) of a row: for a formula a power of two near its largest real entry, 1 for other rows.

    If all entries of a formula are rounding, within the digits to which states satisfy constraints, the scale is so
    large that the divided row counts as zero.
    """
    if not row.made:
        return np.ones(count)
    entries, made = (np.abs(over_states(list(x.values()), count)) for x in (row.D, row.made))
    real = np.where(entries > DEPENDENT * made, entries, 0.0).max(axis=1)
    lengths = np.where(real > 0, real, made.max(axis=1) * (4 * DEPENDENT / NOTHING))
    return np.where((lengths > 0) & np.isfinite(lengths), np.ldexp(1.0, np.frexp(lengths)[1] - 1), 1.0)


def constrained_motion(name: str, system: System, states: Sequence[State]) -> ConstrainedMotion:
    """Compute accelerations, multipliers and reactions of a closed system at states."""
    made = solve_closed(system, states)
    count, m, n = made.D.shape
    acceleration, reactions = np.full((count, n), np.nan), np.full((count, n), np.nan)
    multipliers, rank = np.full((count, m), np.nan), np.zeros(count)
    redundant: list[tuple[str, ...]] = []
    findings: dict[Diagnostic, None] = {}
    for s, found in enumerate(made.solutions):
        chosen = (
            found.chosen
            if found
            else independent(made.tree["M"][s], made.D[s] / made.scales[s][:, None], _drives(made.rows), made.most[s])
        )
        rank[s] = len(chosen)
        redundant.append(tuple(row.name for i, row in enumerate(made.rows) if i not in chosen))
        if found is None:
            findings[SINGULAR] = None
            continue
        acceleration[s], reactions[s] = found.acceleration, found.reactions
        multipliers[s] = np.where(found.is_determined, found.multipliers, np.nan)
        findings |= dict.fromkeys(_dependences(made.rows, made.D[s], found))
    return ConstrainedMotion(
        Evaluation(name, made.tree),
        tuple(row.name for row in made.rows),
        acceleration,
        multipliers,
        reactions,
        made.D,
        made.rest,
        rank,
        tuple(redundant),
        (*findings, *_violations(made, count)),
    )


def _drives(rows: Sequence[Row]) -> int:
    """Count the rows that belong to drives, the last ones."""
    return sum(bool(row.drive) for row in rows)


def _dependences(rows: Sequence[Row], D: Array, found: Solution) -> Iterator[Diagnostic]:
    """Report rows that depend on other rows, so that their reactions are undetermined."""
    rank = f"the rank is {len(found.chosen)} of {len(rows)} rows"
    for i, row in enumerate(rows):
        if i in found.chosen:
            continue
        if row.drive:
            yield _finding("error", row, describe_fixed(row.drive), FREE)
        elif D[i].any():
            shared = ", ".join(rows[k].name for k in _sharing(found, i))
            message = f"row {row.name} repeats other rows: {rank}; how they share the load is open: {shared}"
            yield _finding("warning", row, message, "cut the loop elsewhere, or take such reactions for unknown")
        else:
            message = f"row {row.name} is zero, no coordinate moves along it: {rank}; its reaction is open"
            yield _finding("warning", row, message, "leave it out: it constrains nothing here")


def _sharing(found: Solution, i: int) -> list[int]:
    """List the rows with which row ``i`` shares its load in an undetermined way, ``i`` included."""
    way = found.open @ found.open[i]
    return [k for k, x in enumerate(way) if abs(x) > 1e-9]


def _violations(made: Closed, count: int) -> Iterator[Diagnostic]:
    """Report constraints that a state violates."""
    moving = np.abs(made.D * made.rates[:, None, :]).sum(axis=2) / made.scales
    for i, row in enumerate(made.rows):
        speed = np.abs(over_states([row.speed], count)[:, 0])
        if row.gap is not None:
            gap = float(np.abs(row.gap).max(initial=0.0))
            if (np.abs(row.gap) > VIOLATED * made.scales[:, i]).any():
                message = f"the coordinates violate {row.name} by {gap:.6g}; expected 0"
                yield _finding("error", row, message, "give coordinates at which the loop closes")
        if row.facing is not None and np.min(row.facing) < 0:
            message = f"the coordinates turn {row.name} the opposite way; expected the frames to coincide"
            yield _finding("error", row, message, "give coordinates at which the loop closes")
        if (speed / made.scales[:, i] > VIOLATED * (1 + moving[:, i])).any():
            message = f"the velocities violate {row.name}: D q' + gamma = {speed.max():.6g}; expected 0"
            yield _finding("error", row, message, "give rates that the constraint admits")


def _finding(severity: Severity, row: Row, message: str, remedy: str) -> Diagnostic:
    return Diagnostic(severity, row.place, message, remedy)


def constrained_forces(system: System, states: Sequence[State]) -> ConstrainedForces:
    """Compute forces at the cuts and in the joints of a closed system."""
    made, count = solve_closed(system, states), len(states)
    acceleration = np.full((count, made.D.shape[2]), np.nan)
    for s, found in enumerate(made.solutions):
        if found is not None:
            acceleration[s] = found.acceleration
    alone = _alone(made, bind_states(system, states).values, acceleration)
    borne, across = -_compute_unit_reactions(made, count), _across(made, count)
    reach = _reach(made, count)
    at_cuts, at_joints = np.full(across.shape[:2], np.nan), np.full(borne.shape[:2], np.nan)
    for s, found in enumerate(made.solutions):
        if found is not None:
            at_cuts[s] = found.gives(across[s], reach[s])
            at_joints[s] = alone[s] + found.gives(borne[s], reach[s])
    return ConstrainedForces(acceleration, at_cuts.reshape(count, -1, SIX), at_joints.reshape(count, -1, SIX))


def _alone(made: Closed, values: Mapping[str, Array], acceleration: Array) -> Array:
    """Compute the joint wrenches (N, 6 k) that these accelerations need when no reactions act."""
    count, names = len(acceleration), made.system.coordinate_names
    at = {**values, **{f"{name}''": acceleration[:, i] for i, name in enumerate(names)}}
    tree = with_cut_frames(made.system.open_loops(), made.system)
    eq = Equations(tree, Batch(made.system, at, count), regroup=False)
    wrenches = (
        at_body(eq, name, eq.joint_wrenches[eq.tree.places[name].link]) for name in list_jointed_bodies(made.system)
    )
    with np.errstate(all="ignore"):
        return over_states([x for six in wrenches for x in six], count)


def _reach(made: Closed, count: int) -> Array:
    """Return the sum (N,) of the lengths (m) of all offsets between links and from links to frames on them."""
    shifts = [triple(made.eq.scalars.to_scalars(place.shift)) for place in made.eq.tree.places.values()]
    found = [over_states(v, count) for v in (*(link.offset for link in made.eq.links), *shifts)]
    return np.asarray(sum((np.linalg.norm(v, axis=1) for v in found), np.zeros(count)))


def _compute_unit_reactions(made: Closed, count: int) -> Array:
    """Compute the joint wrenches caused by unit multipliers (N, 6 k, m)."""
    eq, names = made.eq, list_jointed_bodies(made.system)
    found = np.zeros((count, SIX * len(names), len(made.rows)))
    for i, row in enumerate(made.rows):
        for k, name in enumerate(names):
            wrench = row.borne.get(eq.tree.places[name].link)
            if wrench is not None:
                found[:, SIX * k : SIX * (k + 1), i] = over_states(at_body(eq, name, wrench), count)
    return found


def _across(made: Closed, count: int) -> Array:
    """Compute the wrenches of unit multipliers on the second sides of the cuts (N, 6 c, m)."""
    places = {cut.name: SIX * k for k, cut in enumerate(cuts(made.system))}
    found = np.zeros((count, SIX * len(places), len(made.rows)))
    for i, row in enumerate(made.rows):
        if row.reaction is not None:
            at = places[row.constraint]
            force, moment = row.reaction
            found[:, at : at + SIX, i] = over_states((*force, *moment), count)
    return found
