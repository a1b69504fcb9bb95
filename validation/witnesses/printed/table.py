"""A printed table as a witness: its numbers at the states of its rows, within the rounding of their digits.

The rounding inside the other program is unknown, so a tolerance relative to the scale is added to that of the digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Location, NumbersError, ReadError, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import Expression, sqrt, time_derivative
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import program
from mbconcord.model.force import Bipolar, JointEffort, Point
from mbconcord.model.functions import Definitions
from mbconcord.model.limits import format_names
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import assemble

from ...judge.closed.motion import distances
from ...judge.comparison import ArrayDifference
from ...judge.kinematics import TreeKinematics
from ...judge.motion import Array
from ...judge.solutions import Bounded
from ...judge.uncertainty import Inputs, inputs
from ...judge.witness import Answer, Labelled, Question
from ..um.body_formulas import Vector, body_formula, frame
from ..um.numbers import AXES, KINEMATICS, expected_motion
from .columns import Columns
from .reader import Column, PrintedTable

#: The name of the witness.
TABLE = "table"


@dataclass(frozen=True, eq=False)
class Printed:
    """Witness whose answers are the columns of a table."""

    columns: Columns
    name: ClassVar[str] = TABLE
    shares: ClassVar[frozenset[str]] = frozenset({"texts"})

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return no obstacles: columns that a model does not have were refused when they were mapped to it."""
        return ()

    def answer(self, question: Question) -> Answer:
        """Return the table's canonical quantities (NaN for entries without a column), motions of bodies, and forces."""
        n, count, names = len(question.names), len(question.states), question.names
        quantities, entries = {}, {}
        for quantity, columns in self.columns.canonical.items():
            whole = np.full((count, n * n if quantity == "M" else n), np.nan)
            whole[:, self.places(quantity, n)] = stack_columns(self.find_columns(quantity))[0]
            quantities[quantity] = whole.reshape(-1, n, n) if quantity == "M" else whole
            entries[quantity] = [", ".join(names[i] for i in place) for _, place in columns]
        beside = {}
        for found in question.once(self.motions):
            values, room = stack_columns(found.columns)
            beside[found.quantity] = Labelled(values, found.labels, room=room, certain=True)

        def allow(quantity: str, difference: ArrayDifference) -> ArrayDifference:
            return difference if quantity in beside else self._select(quantity, difference, n)

        return Answer(Evaluation(TABLE, quantities), beside=beside, allow=allow, entries=entries)

    def motions(self, question: Question) -> list[ShownQuantity]:
        """Return the motions of bodies and forces that the table has, with the model's numbers for them."""
        assert question.given is not None
        return [*list_shown(question.system, self.columns, question.given, question.kinematics)]

    def expect_motions(self, question: Question) -> Answer:
        """Return the model's numbers of these motions and forces, with error bounds and scales."""
        beside = {
            x.quantity: Labelled(x.model.values, x.labels, x.scale, x.model.bounds) for x in question.once(self.motions)
        }
        return Answer(Evaluation(KINEMATICS, {}), beside=beside)

    def places(self, quantity: str, n: int) -> list[int]:
        """Return for each column of a canonical quantity the place of its entry in the flattened array."""
        places = [place for _, place in self.columns.canonical[quantity]]
        return [place[0] if len(place) == 1 else place[0] * n + place[1] for place in places]

    def find_columns(self, quantity: str) -> Sequence[Column]:
        """Return the columns of a canonical quantity, of a motion of bodies (``body_…``), or else of forces."""
        if quantity in self.columns.canonical:
            return [column for column, _ in self.columns.canonical[quantity]]
        motion = self.columns.motions.get(quantity.removeprefix("body_"))
        return [column for column, *_ in motion] if motion else [*self.columns.forces.values()]

    def _select(self, quantity: str, d: ArrayDifference, n: int) -> ArrayDifference:
        """Return the entries of a difference that have a column, with the rounding of the digits added to the bound."""
        flat = self.places(quantity, n)

        def choose_places(x: Array) -> Array:
            return np.asarray(np.broadcast_to(x, d.a.shape).reshape(len(d.a), -1)[:, flat])

        unit = None if d.unit is None else choose_places(d.unit)
        bound = stack_columns(self.find_columns(quantity))[1] * (1.0 if unit is None else unit)
        bound = bound if d.bound is None else bound + choose_places(d.bound)
        return replace(
            d,
            a=choose_places(d.a),
            b=choose_places(d.b),
            scale=choose_places(d.scale),
            unit=unit,
            bound=bound,
            certain=True,
        )


def stack_columns(columns: Sequence[Column]) -> tuple[Array, Array]:
    """Return the numbers of columns (N, K) and the rounding errors of their digits (N, K)."""
    return np.stack([c.values for c in columns], axis=1), np.stack([c.room for c in columns], axis=1)


@dataclass(frozen=True)
class ShownQuantity:
    """A quantity that is not canonical: its columns, the model's numbers (N, K) with bounds, and their scale."""

    quantity: str
    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    model: Bounded
    scale: Array


def list_shown(system: System, columns: Columns, given: Inputs, k: TreeKinematics) -> Iterator[ShownQuantity]:
    """Yield the motions of bodies and the forces that a table has columns for, with the model's numbers."""
    for quantity, entries in columns.motions.items():
        centred = quantity.startswith("centre_")
        plain = quantity.removeprefix("centre_")
        labels = [f"{body} {AXES[axis]}" for _, body, axis in entries]
        formulas = [body_formula(system, plain, AXES[axis], frame(system, body, centred)) for _, body, axis in entries]
        sizes = []
        for _, name, axis in entries:
            moved = k.centre(system.body(name)) if centred else k.frame(name)
            sizes.append(np.broadcast_to(_size(plain, moved, k, axis), (k.count,)))
        found = _evaluate_bounded(system, [x for x in formulas if x is not None], given)
        yield ShownQuantity(
            f"body_{quantity}", tuple(c for c, *_ in entries), tuple(labels), found, np.stack(sizes, axis=1)
        )
    if columns.forces:
        made = [_force(system, name) for name in columns.forces]
        found = _evaluate_bounded(system, made, given)
        size = np.fmax(np.abs(found.values), np.stack([np.abs(c.values) for c in columns.forces.values()], axis=1))
        yield ShownQuantity("force", tuple(columns.forces.values()), tuple(columns.forces), found, size)


def _size(quantity: str, moved: object, k: TreeKinematics, axis: int) -> Array:
    """Return the scale (N,) of a motion's component along an axis, by validation's own kinematics."""
    return np.asarray(expected_motion(quantity, moved, k)[1])  # type: ignore[arg-type]


def _evaluate_bounded(system: System, formulas: Sequence[Expression], given: Inputs) -> Bounded:
    values, bounds = given.run(levels(program(Definitions(system.functions).apply(formulas))))
    return Bounded(*(np.broadcast_to(x.T, (given.count, len(formulas))) for x in (values, bounds)))


def _force(system: System, name: str) -> Expression:
    """Return the formula of a force along a coordinate or between two points, by its law."""
    force = next(f for f in system.forces if f.name == name)
    if isinstance(force, JointEffort):
        return force.expression()
    assert isinstance(force, Bipolar)
    apart = [b - a for a, b in zip(_place(system, force.first), _place(system, force.second), strict=True)]
    length = sqrt(sum((x * x for x in apart[1:]), apart[0] * apart[0]))
    return force.force(length, time_derivative([length], system.coordinate_names)[0])


def _place(system: System, point: Point) -> Vector:
    """Return the formulas of a point's position in world axes."""
    at = frame(system, point.body, False)
    return tuple(
        origin + sum((r * x for r, x in zip(row[1:], point.position[1:], strict=True)), row[0] * point.position[0])
        for origin, row in zip(at.position, at.rotation, strict=True)
    )


#: Longest correction of a row onto the constraints, in the largest rounding of its digits; and what floats may add.
STEP: Final = 10.0
NOTHING: Final = 1e-9


@dataclass(frozen=True)
class PrintedStates:
    """States of a model, one per row of a table, and inputs of formulas there with the rounding of the digits."""

    states: tuple[State, ...]
    inputs: Inputs


def printed_states(system: System, table: PrintedTable, columns: Columns) -> PrintedStates:
    """Return the states of all rows, moved onto the constraints, and their uncertainties.

    Raises
    ------
    ReadError
        A row is not a state of the model: it is off the constraints by more than its rounding, or lacks numbers.
    """
    states = tuple(_state(system, columns, i) for i in range(table.count))
    uncertain = {name: column.room for name, column in columns.given.items()}
    if not system.constraints:
        return PrintedStates(states, _numbers(system, table, states, uncertain))
    made = assemble(system, states)
    moved = {
        name + dot: np.array([abs(getattr(b, part)[name] - getattr(a, part).get(name, 0.0))
                              for a, b in zip(states, made.states, strict=True)])
        for part, dot in (("q", ""), ("v", "'"))
        for name in system.coordinate_names
    }  # fmt: skip
    _require_closed(table, columns, moved, np.asarray(made.is_closed))
    near = distances(system, made.extended)
    for name, step in moved.items():
        uncertain[name] = uncertain.get(name, 0.0) + step + near.get(name, 0.0)
    return PrintedStates(tuple(made.states), _numbers(system, table, made.states, uncertain))


def _state(system: System, columns: Columns, row: int) -> State:
    given = {name: float(column.values[row]) for name, column in columns.given.items()}
    q, v, a = (
        {name: given[name + dots] for name in system.coordinate_names if name + dots in given}
        for dots in ("", "'", "''")
    )
    parameters = {p.name: given[p.name] for p in system.parameters if p.name in given}
    rest = dict.fromkeys(system.coordinate_names, 0.0)
    return State(given.get("t", 0.0), q, {**rest, **v}, {**rest, **a}, parameters)


def _numbers(system: System, table: PrintedTable, states: object, uncertain: Mapping[str, Array]) -> Inputs:
    try:
        return inputs(system, states, uncertain)  # type: ignore[arg-type]
    except NumbersError as problem:
        at = Location(table.file, table.lines[0], 1)
        raise ReadError(d if d.location else d.with_location(at) for d in problem.diagnostics) from None


def _require_closed(table: PrintedTable, columns: Columns, moved: Mapping[str, Array], closed: Array) -> None:
    """Refuse rows whose distance to the constraints is larger than rounding of the digits explains."""
    wrong = ~closed
    for dot in ("", "'"):
        own = {name: step for name, step in moved.items() if name.endswith("'") == bool(dot)}
        if any(name not in columns.given for name in own):
            continue
        room = np.max([columns.given[name].room for name in own], axis=0)
        wrong |= np.max(list(own.values()), axis=0) > STEP * room + NOTHING
    if not wrong.any():
        return
    rows = np.flatnonzero(wrong).tolist()
    first = Location(table.file, table.lines[rows[0]], 1)
    message = f"row {format_names(str(i + 1) for i in rows)}: no state of the model, the constraints do not hold there"
    remedy = "print more digits, or give the states of the closed mechanism"
    raise ReadError(error("", message, remedy, first))
