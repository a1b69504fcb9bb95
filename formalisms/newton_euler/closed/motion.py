"""Numbers of a closed system at states: the recursions on arrays, and at each state the motion admitted by its rows.

Forces at the cuts and in the joints: the inward pass with the solved accelerations gives the wrench of every joint
without reactions; from it the wrenches of the reactions, carried inward with the rows, are subtracted. They are linear
in the multipliers, so for each component it is known whether undetermined multipliers leave it undetermined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mbconcord.model import State, System
from mbconcord.model.diagnostics import Diagnostic, Severity, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation
from mbconcord.model.expressions import rate
from mbconcord.model.joint_forces import COMPONENTS, ConstrainedForces, cuts, list_jointed_bodies
from mbconcord.model.mixed import FREE, describe_fixed
from mbconcord.model.numbers import bind_states, largest_ranks
from mbconcord.records import dataclass

from ..equations import Equations, at_body
from ..scalars import Batch, over_states
from ..vectors import triple
from .cut_joint import with_cut_frames
from .multipliers import DEPENDENT, NOTHING, Solution, independent, solve
from .rows import Row, rows_of

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
