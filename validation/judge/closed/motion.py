"""One formalism's constrained motion: its own solution, and a solution of its equations with error bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.derivation import Derivation
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import Levels, levels
from mbconcord.model.expressions.program import program
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import Assembly, pseudoinverse
from mbconcord.simulation.batch import RowsAtStates, largest
from mbconcord.simulation.levenberg_marquardt import units_of, weight_rows
from mbconcord.simulation.rows import ConstraintRows, constraint_rows

from ..bounds import PARTS, ROWS, BoundedEquations
from ..matching import reorder
from ..motion import Array
from ..solutions import Bounded, BoundedMotion, bounded_motion
from ..tolerances import REFEREE_DIGITS
from ..uncertainty import Inputs, inputs
from .rows import with_cut_joints


@dataclass(frozen=True)
class SolvedMotion:
    """Motion with constraints by one witness at N states of n coordinates.

    Attributes
    ----------
    own : the formalism's own solution
    solution : the solution that is compared: the one with bounds if available, else the formalism's own
    bounds : the same equations solved with bounds; None if they are not given as expressions
    equations : these expressions as a program
    """

    own: ConstrainedMotion
    solution: ConstrainedMotion
    bounds: BoundedMotion | None = None
    equations: BoundedEquations | None = None

    @property
    def silent(self) -> Array:
        """Mask of states (N,) at which equations are numbers but their solution has no bound: these decide nothing."""
        if self.bounds is None:
            return np.zeros(len(self.own.acceleration), dtype=bool)
        return self.bounds.sound & ~(self.bounds.clear & self.bounds.acceleration.has_bound.all(axis=1))

    def reorder(self, order: Sequence[int], name: str) -> SolvedMotion:
        """Reorder the coordinates, under a new name; rows stay as they are."""
        columns = list(order)

        def motion(x: ConstrainedMotion) -> ConstrainedMotion:
            tree, acceleration = reorder(x.tree, columns, name), x.acceleration[:, columns]
            return replace(x, tree=tree, acceleration=acceleration, reactions=x.reactions[:, columns])

        found = self.bounds and replace(
            self.bounds, acceleration=self.bounds.acceleration[:, columns], reactions=self.bounds.reactions[:, columns]
        )
        return replace(self, own=motion(self.own), bounds=found, solution=motion(self.solution))


def motion_of(
    formalism: Formalism, system: System, states: Sequence[State], given: Inputs,
    room: Mapping[str, Array] | None = None, tree: Derivation | None = None,
) -> SolvedMotion:  # fmt: skip
    """Return the motion by a formalism that takes the system; errors that the formalism raises are passed on.

    Parameters
    ----------
    formalism, system, states
    given : values of all symbols, with their uncertainty
    room : quantity -> addition to its error bounds
    tree : the formalism's derivation of the open tree, if there is one already

    Raises
    ------
    ValueError
        The formalism gives no motion, or its motion is not numeric arrays of the right shape.
    """
    solved, derivation = formalism.solve_closed(system, states, tree)
    own = _check_arrays(solved, len(states), len(system.coordinates))
    if derivation is None:
        return SolvedMotion(own, own)
    equations = BoundedEquations(derivation, PARTS)
    q = equations.own(given)
    absent = [name for name in (*PARTS, *ROWS) if name not in q]
    if absent:
        raise ValueError(f"its equations with constraints lack {', '.join(absent)}")
    extra = room or {}
    q = {name: Bounded(x.values, x.bounds + extra.get(name, 0.0)) for name, x in q.items()}
    found = bounded_motion(q)
    return SolvedMotion(own, _merge_numbers(own, q, found), found, equations)


def _check_arrays(found: ConstrainedMotion | None, count: int, n: int) -> ConstrainedMotion:
    """Convert the motion to arrays of floats."""
    if found is None:
        raise ValueError("it declares no obstacle and gives no motion")
    shapes = {"acceleration": (count, n), "reactions": (count, n), "rank": (count,)}
    arrays = {name: np.array(getattr(found, name), dtype=float) for name in shapes}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {shape}")
    return replace(found, **arrays)  # type: ignore[arg-type]


def _merge_numbers(own: ConstrainedMotion, q: Mapping[str, Bounded], found: BoundedMotion) -> ConstrainedMotion:
    """Return the solution with bounds, else the formalism's own; NaN if the equations have none."""

    def numbers(x: Bounded, other: Array) -> Array:
        return np.where(x.has_bound, x.values, np.where(found.sound[:, None], other, np.nan))

    return replace(
        own,
        tree=Evaluation(own.tree.formalism, {name: q[name].values for name in PARTS}),
        acceleration=numbers(found.acceleration, own.acceleration),
        reactions=numbers(found.reactions, own.reactions),
        rank=np.where(found.clear, found.rank, own.rank),
    )


# Distance of the floats of a state from a state that satisfies the constraints.


#: Inputs of a system at states, with uncertainties by symbol.
Given = Callable[[System, Sequence[State], Mapping[str, Array]], Inputs]
#: All steps together by the first, and how much D may change on the way, as a part of itself.
STEPS, CHANGE = 2.0, 0.5


def closed_inputs(system: System, assembly: Assembly, given: Given = inputs) -> Inputs:
    """Make the inputs of a system at assembled states, with the states' distances from the constraints."""
    return given(system, assembly.states, distances(system, assembly.extended, given))


def distances(system: System, extended: Sequence[State], given: Given = inputs) -> dict[str, Array]:
    """Bound |q* - q| and |q'* - q'| (N,) by symbol, for the system's own coordinates.

    Infinite if no nearby state on the constraints is known to exist.

    Parameters
    ----------
    system : every function defined
    extended : states with the auxiliary coordinates of cut joints
    given : function that makes the inputs; uncertain inputs make the nearest state on the constraints uncertain, too
    """
    rows, wide = constraint_rows(system), with_cut_joints(system)
    if not rows.rows:
        return {}
    at = RowsAtStates(rows, wide, extended)
    units, here = units_of(at, at.q), at.positions(at.q)
    J = weight_rows(here, units, np.ones(at.k)).J
    least = pseudoinverse(J)
    gap, speed = exactly(rows, wide, extended)
    plan = _plan(rows)
    plain = _Bounds.from_rows(rows, plan, inputs(wide, extended))
    meant = _Bounds.from_rows(rows, plan, given(wide, extended, {}))

    def measure_shift(off: Array, doubt: Array) -> Array:
        """Bound the displacement of coordinates or rates (N, k) for rows that are ``off`` (N, m), with their doubt."""
        missed, more = off / here.reach, doubt / here.reach
        beyond = missed - np.einsum("sik,skj,sj->si", J, least, missed)  # what no step closes
        step = STEPS * np.einsum("skm,sm->sk", np.abs(least), np.abs(missed) + more)
        moving = units * (step + np.abs(beyond).max(axis=1, initial=0.0)[:, None])
        return np.where(at.bound, moving, 0.0)

    with np.errstate(all="ignore"):
        off = measure_shift(gap, meant.position - plain.position)
        there = _Bounds.from_rows(rows, plan, given(wide, extended, dict(zip(rows.coordinates, off.T, strict=True))))
        rates = measure_shift(speed, there.speed - plain.speed)
        change = (there.D - plain.D) * units[:, None, :] / here.reach[:, :, None]
        part = np.einsum("smk,skj->smj", change, np.abs(least)).sum(axis=2).max(axis=1, initial=0.0)
        near = (part <= CHANGE)[:, None]
    found = {"": np.where(near | ~at.bound, off, np.inf), "'": np.where(near | ~at.bound, rates, np.inf)}
    own = rows.coordinates[: rows.own]
    return {name + dot: x[:, i] for dot, x in found.items() for i, name in enumerate(own)}


def doubts(
    system: System, extended: Sequence[State], given: Given, off: Mapping[str, Array] | None = None
) -> tuple[Array, Array]:
    """Bound the effect of uncertain numbers alone on gaps, and on D in coordinate units, relative to row scales.

    ``off`` is how far the states are from some on the constraints, :func:`distances`: numbers that are uncertain, too.

    Return two arrays (N,), the largest effect at each state on gaps and on D; zero if rows have no bounds: then nothing
    is excused.
    """
    rows, wide = constraint_rows(system), with_cut_joints(system)
    if not (rows.rows and extended):
        return np.zeros(len(extended)), np.zeros(len(extended))
    at, plan = RowsAtStates(rows, wide, extended), _plan(rows)
    units, here = units_of(at, at.q), at.positions(at.q)
    plain, meant = (
        _Bounds.from_rows(rows, plan, made(wide, extended, o)) for made, o in ((inputs, {}), (given, off or {}))
    )
    with np.errstate(all="ignore"):
        gaps = [
            largest(meant.position - plain.position, here.reach),
            largest(meant.speed - plain.speed, at.rates(at.q, at.v).flow),
        ]
        J = weight_rows(here, units, np.ones(at.k)).J
        turning = {c.name for c in system.constraints if isinstance(c, FrameCoincidence)}
        lengths = np.linalg.norm(J, axis=2)  # of turns 1 at least: of a loop in a plane, two rows vanish
        lengths = np.where([row.constraint in turning for row in rows.rows], np.fmax(lengths, 1.0), lengths)
        lengths = np.where([row.metric for row in rows.rows], 1.0, lengths) * here.reach
        turned = (meant.D - plain.D) * units[:, None, :] / lengths[:, :, None]
        found = np.fmax(*gaps), np.abs(turned).max(axis=(1, 2), initial=0.0)
    gap, direction = (np.where(np.isfinite(x), x, 0.0) for x in found)
    return gap, direction


def exactly(rows: ConstraintRows, system: System, states: Sequence[State]) -> tuple[Array, Array]:
    """Evaluate f and D q' + γ (N, m) at floats, rounded once; NaN where undefined."""
    arithmetic, m = mpmath_arithmetic(REFEREE_DIGITS), len(rows.rows)
    found = np.full((len(states), 2 * m), np.nan)
    lines = program([*(r.position for r in rows.rows), *(r.speed for r in rows.rows)])
    for s, values in enumerate(Instance(system, states, arithmetic).environments):
        try:
            found[s] = [float(x) for x in run(lines, values, arithmetic)]
        except (ExpressionError, ArithmeticError):
            continue
    return found[:, :m], found[:, m:]


@dataclass(frozen=True)
class _Bounds:
    """Bounds of the rows f (N, m), D q' + γ (N, m) and D (N, m, k) at given numbers."""

    position: Array
    speed: Array
    D: Array

    @classmethod
    def from_rows(cls, rows: ConstraintRows, plan: Levels, given: Inputs) -> _Bounds:
        """Compute the bounds by the program of :func:`_plan`."""
        m, k = len(rows.rows), len(rows.coordinates)
        f, speed, D = np.split(given.run(plan)[1].T, [m, 2 * m], axis=1)
        return cls(f, speed, D.reshape(-1, m, k))


def _plan(rows: ConstraintRows) -> Levels:
    parts = ([r.position for r in rows.rows], [r.speed for r in rows.rows], [d for r in rows.rows for d in r.D])
    return levels(program([x for part in parts for x in part]))
