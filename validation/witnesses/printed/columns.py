"""Mapping of a table's columns to a model: columns of states and parameters, and of numbers to compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mbconcord.model.diagnostics import Diagnostic, ReadError, among, error
from mbconcord.model.force import Bipolar, JointEffort
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ..um.numbers import AXES
from .headings import CANONICAL, CENTRES, INDEXED, LENGTH, MOTIONS, NUMBER, TIME, Dimension, spell_dimension
from .reader import Column, PrintedTable

#: Quantities that depend on positions alone; all others need rates too.
OF_POSITIONS: Final = frozenset({"M", "gravity", "position", "centre_position"})
#: Quantities that need accelerations of the coordinates.
OF_ACCELERATIONS: Final = frozenset(
    {"inverse_dynamics", "centre_acceleration", "angular_acceleration", "acceleration of a body"}
)


@dataclass(frozen=True)
class Columns:
    """The columns of a table, grouped by what they are in a model.

    Attributes
    ----------
    given : ``t``, names of coordinates, their rates and accelerations, names of parameters -> column
    canonical : quantity (M, h, …) -> columns, each with the numbers of the entry's coordinates
    motions : quantity of bodies (position, …) -> columns, each with the body's name and the number of the axis
    forces : name of a force -> column with its value
    """

    given: dict[str, Column]
    canonical: dict[str, list[tuple[Column, tuple[int, ...]]]]
    motions: dict[str, list[tuple[Column, str, int]]]
    forces: dict[str, Column]


def map_columns(table: PrintedTable, system: System) -> Columns:
    """Map columns to a model by name; accelerations of coordinates that no other column needs are compared too.

    Raises
    ------
    ReadError
        Unknown columns, units of another dimension, incomplete states, nothing to compare.
    """
    found = _Mapping(system)
    findings = [d for column in table.columns for d in found.take(column)]
    columns = found.columns
    rates = [name + "''" for name in system.coordinate_names if name + "''" in columns.given]
    needed = {*columns.canonical, *(_name_needed(q) for q in columns.motions)}
    if rates and not needed & OF_ACCELERATIONS:
        numbers = {name + "''": i for i, name in enumerate(system.coordinate_names)}
        columns.canonical.setdefault("acceleration", []).extend(
            (columns.given[name], (numbers[name],)) for name in rates
        )
    if not findings:
        findings += _incomplete(table, columns, system)
    if findings:
        raise ReadError(findings)
    return columns


def _name_needed(motion: str) -> str:
    """Return the name of a motion's quantity, in which a body's acceleration differs from that of coordinates."""
    return "acceleration of a body" if motion == "acceleration" else motion


class _Mapping:
    """Assignment of columns, one after another, to the groups of :class:`Columns`, with checks of their units."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.columns = Columns({}, {}, {}, {})
        turning = system.angles
        modal = {name for body in system.bodies for name in body.modal}
        self.numbers = {name: i for i, name in enumerate(system.coordinate_names)}
        #: Dimension of each coordinate; None for modal ones, which depends on their shapes.
        self.measures: dict[str, Dimension | None] = {
            name: None if name in modal else NUMBER if name in turning else LENGTH for name in self.numbers
        }
        self.states: dict[str, Dimension | None] = {"t": TIME}
        for name, measure in self.measures.items():
            self.states |= {name + "'" * k: _divide_dimension(measure, TIME, k) for k in range(3)}
        self.parameters = {p.name for p in system.parameters}
        self.bodies = {body.name: body for body in system.bodies}
        self.laws = {f.name: f for f in system.forces if isinstance(f, (JointEffort, Bipolar))}

    def take(self, column: Column) -> Iterator[Diagnostic]:
        """Assign a column; yield an error if the model has no such quantity or it has another unit."""
        head = column.heading
        if head.index:
            yield from self._entry(column)
        elif head.name in self.states:
            yield from self._check_unit(column, self.states[head.name])
            self.columns.given[head.name] = column
        elif head.name in self.parameters:
            self.columns.given[head.name] = column
        elif head.name in INDEXED:
            yield self._refusal(column, f"{head.name} without an index", _example(head.name))
        else:
            known = [*self.states, *self.parameters, *INDEXED]
            yield self._refusal(column, f"the model has no {head.name!r}", among(head.name, known))

    def _entry(self, column: Column) -> Iterator[Diagnostic]:
        name, index = column.heading.name, column.heading.index
        coordinates = all(i in self.numbers for i in index)
        if name == "force" and len(index) == 1:
            yield from self._force(column, index[0])
        elif name in CANONICAL and coordinates and len(index) == (2 if name == "M" else 1):
            yield from self._check_unit(column, self._canonical(name, index))
            places = tuple(self.numbers[i] for i in index)
            self.columns.canonical.setdefault(name, []).append((column, places))
        elif name in (*MOTIONS, *CENTRES) and len(index) == 2:
            yield from self._motion(column, *index)
        elif name in CANONICAL:
            unknown = next((i for i in index if i not in self.numbers), "")
            message = f"the model has no coordinate {unknown!r}" if unknown else f"so many indices: {len(index)}"
            yield self._refusal(column, message, f"{_example(name)}; coordinates: {', '.join(self.numbers)}")
        else:
            yield self._refusal(column, f"found {column.heading.key!r}", _example(name))

    def _force(self, column: Column, name: str) -> Iterator[Diagnostic]:
        force = self.laws.get(name)
        if force is None:
            known = f"forces along coordinates and between points: {', '.join(self.laws) or 'none'}"
            yield self._refusal(column, f"the model has no force {name!r} of one number", known)
            return
        along = self.measures[force.coordinate] if isinstance(force, JointEffort) else LENGTH
        yield from self._check_unit(column, _divide_dimension(_energy(along), TIME, 2))
        self.columns.forces[name] = column

    def _motion(self, column: Column, name: str, axis: str) -> Iterator[Diagnostic]:
        quantity = column.heading.name
        if name not in self.bodies:
            yield self._refusal(column, f"the model has no body {name!r}", among(name, self.bodies))
        elif axis not in AXES:
            yield self._refusal(column, f"found the axis {axis!r}", "x, y or z")
        elif any(body.modes is not None for body in self.system.bodies):
            yield self._refusal(column, "the motion of bodies is not compared beside elastic ones", "leave it out")
        else:
            order = ("position", "velocity", "acceleration").index(quantity.rpartition("_")[2])
            measure = NUMBER if quantity.startswith("angular") else LENGTH
            yield from self._check_unit(column, _divide_dimension(measure, TIME, order))
            self.columns.motions.setdefault(quantity, []).append((column, name, AXES.index(axis)))

    def _canonical(self, name: str, index: tuple[str, ...]) -> Dimension | None:
        measures = [self.measures[i] for i in index]
        if name == "acceleration":
            return _divide_dimension(measures[0], TIME, 2)
        if name == "M":
            along, across = (_energy(m) for m in measures)
            if along is None or across is None or measures[1] is None:
                return None
            return along[0] + measures[1][0], 1, 0
        return _divide_dimension(_energy(measures[0]), TIME, 2)

    def _check_unit(self, column: Column, expected: Dimension | None) -> Iterator[Diagnostic]:
        unit = column.heading.unit
        if expected is not None and unit.dimension != expected:
            message = f"the unit [{unit.text}] measures {spell_dimension(unit.dimension)}"
            yield self._refusal(column, message, f"a unit of {spell_dimension(expected)}")

    def _refusal(self, column: Column, message: str, remedy: str) -> Diagnostic:
        return error("", f"column {column.heading.key}: {message}", remedy, column.at)


def _energy(measure: Dimension | None) -> Dimension | None:
    """Return the dimension of a generalized force times s²: kg m along a shift, kg m² about an angle."""
    return None if measure is None else ((1, 1, 0) if measure == LENGTH else (2, 1, 0))


def _divide_dimension(measure: Dimension | None, by: Dimension, times: int) -> Dimension | None:
    if measure is None:
        return None
    x, y, z = (a - times * b for a, b in zip(measure, by, strict=True))
    return x, y, z


def _example(name: str) -> str:
    if name == "M":
        return "as in M[z1, z2] [kg m^2]"
    if name == "force":
        return "as in force[spring] [N]"
    if name in CANONICAL and name not in MOTIONS:
        return f"as in {name}[z1] [N m]"
    return f"as in {name}[arm, x], a body and an axis"


def _incomplete(table: PrintedTable, columns: Columns, system: System) -> Iterator[Diagnostic]:
    """Yield errors if parts of the rows' states are missing, or if no column can be compared."""
    at = table.columns[0].at
    compared = [*columns.canonical, *map(_name_needed, columns.motions), *(["force"] if columns.forces else [])]
    if not compared:
        remedy = "a column of what the other program computed: z1'' [rad/s^2], M[z1, z2] [kg m^2], position[arm, x] [m]"
        yield error("", "the table has nothing to compare: its columns are states and parameters", remedy, at)
        return
    orders = [0]
    if any(name not in OF_POSITIONS for name in compared):
        orders.append(1)
    if any(name in OF_ACCELERATIONS for name in compared):
        orders.append(2)
    wanted = [name + "'" * k for k in orders for name in system.coordinate_names]
    missing = [name for name in wanted if name not in columns.given]
    if missing:
        why = f"{', '.join(sorted(dict.fromkeys(compared)))} cannot be computed without it"
        message = f"the states are not whole: there is no column for {', '.join(missing)}"
        yield error("", message, f"add it with its unit; {why}", at)
    free = [p.name for p in system.parameters if p.value is None and p.name not in columns.given]
    if free:
        message = f"without a value, in the model and in the table: {', '.join(free)}"
        yield error("", message, f"add a column, or --set {free[0]}=…", at)
    undefined = [f.name for f in system.functions if f.formula is None]
    if undefined:
        yield error("", f"functions without a formula: {', '.join(undefined)}", "give them one", at)
