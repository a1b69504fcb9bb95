"""A run with the equations and inputs that made it, its rows as states, and comparisons of numbers at these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import (
    MINUS_ONE,
    ZERO,
    Expression,
    ExpressionError,
    number,
    sqrt,
    substitute,
    symbols,
    topological,
)
from mbconcord.model.force import LENGTH_RATE, find_words
from mbconcord.model.functions import define
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.motion.formulas import MotionFormulas
from mbconcord.simulation.motion.trajectory import Trajectory, TrajectoryRow
from mbconcord.simulation.rows import PARTS, rewritten

from ...judge.comparison import ArrayDifference, worst
from ...judge.evidence import Comparison
from ...judge.kinematics import TreeKinematics, takes
from ...judge.motion import Array
from ...judge.tolerances import RUN, RUN_PRINTED, RUN_ROUNDED
from ..direct.energies import kinetic_energy, potential_energy
from ..direct.formulas import bind
from ..direct.tree import NAME as DIRECT
from ..direct.tree import DirectTree, obstacles

EQUATIONS, CLOSED, KINETIC, POTENTIAL, POWER, BALANCE, FIRST, LAST, SHOWN, GAPS, EVENTS = (
    "accelerations and multipliers", "accelerations along the constraints", "kinetic energy", "potential energy",
    "power", "balance of energy and work", "first row", "last state", "printed energy", "gaps of the constraints",
    "events",
)  # fmt: skip
CLAIM: Final = "run"
NO_ENERGIES: Final = "no formalism has the energies of the model"


@dataclass(frozen=True)
class Made:
    """A run with its inputs.

    Attributes
    ----------
    system : the model
    trajectory : rows of the run, without those of an earlier run
    formulas : the equations that were integrated, before dry friction was smoothed
    parameters : values of parameters that replace or complete those of the model
    slip : speed scale s of smoothed dry friction v (v² + s²)^(-1/2) (m/s, rad/s)
    ends (s,) : times at which steps of the integrator ended
    works (s,) : work until these times (J)
    rows : rows at which numbers are judged
    """

    system: System
    trajectory: Trajectory
    formulas: MotionFormulas
    parameters: Mapping[str, float]
    slip: float
    ends: Array
    works: Array
    rows: Sequence[TrajectoryRow] = ()

    @property
    def rigid(self) -> bool:
        """True if the model has rigid contacts, ropes or stops."""
        return any(row.loads for row in self.trajectory.found)

    @cached_property
    def tree(self) -> System:
        """The open tree of the model, without constraints."""
        return self.system.open_loops()

    @cached_property
    def integrated(self) -> System:
        """The model as it was integrated, with smoothed dry friction."""
        return smooth_signs(self.system, self.slip)

    @cached_property
    def bodies(self) -> DirectTree | str:
        """The direct witness at :attr:`rows`, or the reason why it does not support the model."""
        return bodies_of(self.integrated, self.states(self.rows))

    @cached_property
    def kinematics(self) -> TreeKinematics:
        """Validation's own kinematics of the open tree at :attr:`rows`; sizes include the rounding of formulas."""
        return TreeKinematics(self.tree, self.states(self.rows), RUN_ROUNDED)

    def states(self, rows: Sequence[TrajectoryRow]) -> list[State]:
        """Return the states of rows of this run, with accelerations."""
        return states_of(self.system, rows, self.parameters, self.trajectory.normal_forces)


def states_of(
    system: System, rows: Sequence[TrajectoryRow], parameters: Mapping[str, float], normal_forces: Sequence[str] = ()
) -> list[State]:
    """Return the states of a system at rows, with accelerations; the values of normal forces are those of the rows."""

    def named(x: Array) -> dict[str, float]:
        return dict(zip(system.coordinate_names, x.tolist(), strict=True))

    own = [{**parameters, **dict(zip(normal_forces, row.normal_forces, strict=False))} for row in rows]
    return [State(row.t, named(row.q), named(row.v), named(row.a), x) for row, x in zip(rows, own, strict=True)]


def silent(quantity: str, why: str) -> Comparison:
    """Return the comparison of a quantity that is not checked, with the reason."""
    return Comparison("", "", quantity, "not checked", explanation=why)


def compare_readings(
    a: str, quantity: str, x: Array, y: Array, scale: Array, tolerance: float, states: Sequence[State],
    names: Sequence[str], b: str = DIRECT, unit: Array | None = None, bound: Array | None = None,
) -> Comparison:  # fmt: skip
    """Return the comparison of x by ``a`` with y by ``b`` (by default the direct witness) in the worst entry."""
    x, y, scale = (v.reshape(len(states), -1) for v in (x, y, np.broadcast_to(scale.T, x.T.shape).T))
    ones, room = np.ones(len(states)), None if bound is None else bound.reshape(x.shape)
    difference = ArrayDifference(x, y, scale, tolerance * ones, ones, unit, room)
    return worst(a, b, quantity, difference, states, names)


def tree_of(made: Made, rows: Sequence[TrajectoryRow]) -> DirectTree | str:
    """Return the direct witness of the model as it was integrated, at rows of the run; or why it has none."""
    return made.bodies if rows is made.rows else bodies_of(made.integrated, made.states(rows))


def kinematics_of(made: Made, rows: Sequence[TrajectoryRow]) -> TreeKinematics:
    """Return validation's own kinematics of the open tree at rows of the run."""
    return replace(made, rows=rows).kinematics if rows is not made.rows else made.kinematics


def bodies_of(system: System, states: Sequence[State]) -> DirectTree | str:
    """Return the direct witness of a model at states, or the reason why it does not support the model."""
    against = obstacles(system)
    return against[0].reason if against else DirectTree(system, bind(system, states, at_rest=False))


def smooth_signs(system: System, slip: float) -> System:
    """Return the model with sign(v) of rates replaced by v (v² + s²)^(-1/2), as in a run, by code of its own."""
    rates = {str(LENGTH_RATE.data), *(f"{name}'" for name in system.coordinate_names)}
    rates |= {str(word) for word in find_words(system.coordinates, system.forces) if word.kind != "r"}

    def change(x: Expression) -> Expression:
        (whole,) = define([x], system.functions)
        replacements: dict[Expression, Expression] = {}
        for node in topological([whole]):
            if node.op == "fun" and node.data == "sign" and rates & symbols([node]):
                (v,) = substitute([node.args[0]], replacements)
                replacements[node] = v * sqrt(v * v + number(repr(slip)) ** 2) ** MINUS_ONE
        return substitute([whole], replacements)[0] if replacements else x

    parts = {name: rewritten(getattr(system, name), change) for name in PARTS} if slip else {}
    return replace(system, **parts)


# Judge energies of a run, and printed ones, by sums over the bodies of the direct witness.


#: Time before and after a row (s, relative to 1 + |t|) at which energies on both sides of a jump are computed.
MOMENT: Final = 1e-9


def check_energies(made: Made, rows: Sequence[TrajectoryRow]) -> Iterator[Comparison]:
    """Yield comparisons of the table's kinetic and potential energies with sums over the bodies."""
    tree, rounded = tree_of(made, rows), _size_rounding(made, rows)
    for quantity, energy, column in (
        (KINETIC, kinetic_energy, "kinetic"), (POTENTIAL, potential_energy, "potential"),
    ):  # fmt: skip
        printed = np.array([getattr(row, column) for row in rows])
        if isinstance(tree, str) or not np.isfinite(printed).any():
            yield silent(quantity, tree if isinstance(tree, str) else NO_ENERGIES)
            continue
        found, size = energy(tree)
        size = size + rounded if quantity == KINETIC else size
        yield compare_readings("table", quantity, printed, found, size, RUN, made.states(rows), (column,))


def _size_rounding(made: Made, rows: Sequence[TrajectoryRow]) -> Array:
    """Return the part of the size of the kinetic energy (S,) that rounding of prescribed rates adds."""
    energies, sizes = made.formulas.energies, []
    if energies is None or energies.explicit is ZERO or not takes(made.tree):
        return np.zeros(len(rows))
    for k in (TreeKinematics(made.tree, made.states(rows)), kinematics_of(made, rows)):
        sizes.append(np.zeros(k.count))
        for body in k.rigid_bodies:
            if not body.inertia.is_zero:
                c, turning = k.centre(body), np.abs(k.tensor(body)).sum(axis=(1, 2))
                sizes[-1] += (np.abs(k.scalars([body.inertia.mass])[0]) * c.speed**2 + turning * c.turn_speed**2) / 2
    return np.asarray(sizes[1] - sizes[0])


def check_shown(
    system: System, parameters: Mapping[str, float], shown: Sequence[tuple[TrajectoryRow, str]]
) -> Comparison:
    """Compare printed total energies, as texts with their rows, with sums over the bodies."""
    rows = [row for row, _ in shown]
    states = states_of(system, rows, parameters)
    beside = [replace(row, t=row.t + side * MOMENT * (1.0 + abs(row.t))) for side in (-1, 1) for row in rows]
    printed = np.array([float(text) for _, text in shown])
    try:
        tree = bodies_of(system, [*states, *states_of(system, beside, parameters)])
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        tree = str(problem).splitlines()[0]
    if isinstance(tree, str) or not np.isfinite(printed).any():
        return replace(silent(SHOWN, tree if isinstance(tree, str) else NO_ENERGIES), claim=CLAIM)
    (kinetic, size), (potential, reach) = kinetic_energy(tree), potential_energy(tree)
    energy, made_of = ((x + y).reshape(3, -1) for x, y in ((kinetic, potential), (size, reach)))
    jump = np.nan_to_num(np.abs(energy[1:] - energy[0])).sum(axis=0)
    found = compare_readings(
        "table", SHOWN, printed, energy[0], made_of[0], RUN_PRINTED, states, ("energy",), bound=jump
    )
    return replace(found, claim=CLAIM)
