"""States in the forms of users: arrays, mappings by name, tables of pandas; all become arrays by symbol.

Every array is over n states: its first axis counts them; without it there is one state. For arrays without names the
last axis are the N coordinates in the model's order. Metres and radians, per second, per second squared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.converters.format import StateFile
from mbconcord.model.derivatives import CHANGE
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.kinematics import KINDS, MACHINE
from mbconcord.model.limits import count as counted
from mbconcord.model.limits import format_names
from mbconcord.model.mixed import drive_row
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace


@runtime_checkable
class Table(Protocol):
    """A table with named columns, such as a DataFrame of pandas."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return a column."""


@runtime_checkable
class StateResult(Protocol):
    """A result of this program that holds states: of an equilibrium, an assembly, a linearisation, a run."""

    def as_states(self) -> Any:
        """Return the states in a form that :func:`read_states` takes."""


#: Forms in which a user may give states: see :func:`read_states`.
States: TypeAlias = (
    State
    | StateFile
    | StateResult
    | Sequence[State]
    | Sequence[StateResult]
    | Mapping[str, ArrayLike]
    | Table
    | ArrayLike
)
#: Beginnings of names of columns of a run's table that are no part of a state; energies and gaps are others.
RESULTS: Final = (
    "lambda[", "effort[", "joint_forces[", "cut_forces[", "ground[", "normal_force(", *MACHINE,
    *map("{}(".format, KINDS),
)  # fmt: skip
#: Largest number of findings about numbers in one error.
MOST: Final = 20
_ORDERS: Final = {"q": "", "v": "'", "a": "''"}
_PLACES: Final = {**_ORDERS, "dq": "", "dv": "'"}


def is_result(column: str) -> bool:
    """Return True if a column of a run's table holds a result, such as an energy, and no part of a state."""
    from mbconcord.simulation.motion.trajectory import LOST, SCALARS  # not before: most states are of no run

    return column.removesuffix("_") in (*SCALARS, LOST, "event") or column.startswith(RESULTS)


@dataclass(frozen=True)
class GivenNumbers:
    """Numbers that a user gave at n states, by symbol.

    Attributes
    ----------
    values : symbol (``z1``, ``z1'``, ``z1''``, ``t``, a parameter) -> array (n,), or a float for all states
    count : number n of states
    single : True if there is one state, given without an axis of states
    own : the State objects, if the user gave such; else empty
    driven : coordinates that were driven in a run, known from the names of its table's columns
    """

    system: System
    values: Mapping[str, Any]
    count: int
    single: bool
    own: tuple[State, ...] = field(default=(), repr=False)
    driven: tuple[str, ...] = ()

    @property
    def has_accelerations(self) -> bool:
        """True if accelerations were given."""
        if self.own:
            return any(state.a for state in self.own)
        return any(f"{name}''" in self.values for name in self.system.coordinate_names)

    def fill(self, values: Mapping[str, Any]) -> GivenNumbers:
        """Return a copy with times, positions, rates and what else was given, taken from the values of all symbols."""
        names = self.system.coordinate_names
        shown = ["t", *names, *(f"{n}'" for n in names), *(f"{n}''" for n in names if self.has_accelerations)]
        shown += [p.name for p in self.system.parameters if p.name in self.values and not self.own]
        return replace(self, values={name: np.asarray(values[name], dtype=float) for name in shown})

    def states(self) -> tuple[State, ...]:
        """Return the states one by one, without values that were not given."""
        return self.own or tuple(self._states())

    def _states(self) -> Iterator[State]:
        names = self.system.coordinate_names
        groups = [[(n + order, n) for n in names] for order in _ORDERS.values()]
        groups.append([(p.name, p.name) for p in self.system.parameters])
        there = [[(symbol, n) for symbol, n in group if symbol in self.values] for group in groups]
        keys = [[n for _, n in group] for group in there]
        times = self._rows(["t"]) if "t" in self.values else repeat((0.0,), self.count)
        rows = zip(times, *(self._rows([symbol for symbol, _ in group]) for group in there), strict=True)
        for (t,), *numbers in rows:
            yield State(t, *(dict(zip(own, row, strict=True)) for own, row in zip(keys, numbers, strict=True)))

    def _rows(self, symbols: Sequence[str]) -> Iterable[Sequence[float]]:
        """Yield the numbers of these symbols for each state."""
        wide = [np.broadcast_to(self.values[symbol], (self.count,)) for symbol in symbols]
        return np.stack(wide, axis=1, dtype=float).tolist() if wide else repeat((), self.count)


def unwrap(q: States | None) -> Any:
    """Return the states of a result or of a list of results; return any other value unchanged."""
    if isinstance(q, StateResult):
        return q.as_states()
    if isinstance(q, tuple | list) and q and all(isinstance(each, StateResult) for each in q):
        found = [each.as_states() for each in q]
        return found[0] if len(found) == 1 else found
    return q


def one_state(
    system: System, q: States | None, v: States | None, t: ArrayLike | None, remedy: str = "give one"
) -> State:
    """Return the one state that is given; if it comes from a file, ``t`` replaces the file's time.

    Raises
    ------
    NumbersError
        Several states are given.
    """
    if isinstance(q, StateResult) and hasattr(q, "last"):
        remedy += "; the end of a run is its .last"
    q = unwrap(q)
    if isinstance(q, StateFile):
        state = q.to_state(system)
        return state if t is None else replace(state, t=float(np.asarray(t)))
    at = read_states(system, q, v, None, t, None)
    if at.count != 1:
        raise NumbersError(error("q", f"{at.count} states were given", remedy))
    return at.states()[0]


def read_states(
    system: System,
    q: States | None = None,
    v: States | None = None,
    a: States | None = None,
    t: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
) -> GivenNumbers:
    """Read what a user gives as states: positions, rates, accelerations, times, parameters, at one state or at n.

    Parameters
    ----------
    q : array (N,) or (n, N) of positions, or (2N,) or (n, 2N) of positions, then rates; or a mapping or a DataFrame
        whose names are coordinates ``z1``, rates ``z1'``, accelerations ``z1''``, ``t`` and parameters; or a State, or
        several; or a result with states, of equilibrium, assemble, linearize, simulate. Missing values are left out
    v, a : array (N,) or (n, N) of rates, of accelerations; or a mapping or a DataFrame by the coordinates' names
    t : a number, or (n,)
    parameters : numbers, or arrays (n,), by name

    Raises
    ------
    NumbersError
        Another shape, an unknown name, a repeated value, a value that is not finite: each with its place, what was
        expected and what to do.
    """
    q = unwrap(q)
    if isinstance(q, StateFile):
        q = q.to_state(system)
    if isinstance(q, State) and parameters and v is a is t is None:  # one state, spread over an axis of parameters
        parts = zip(_ORDERS.values(), (q.q, q.v, q.a), strict=True)
        q = {"t": q.t, **q.parameters, **{n + order: x for order, part in parts for n, x in part.items()}}
    if _is_state(q):
        return _of_states(system, q, v, a, t, parameters)
    reader = _StateReader(system)
    reader.take("q", q, both=v is None)
    reader.take("v", v)
    reader.take("a", a)
    if t is not None:
        reader.put("t", "t", t)
    known = [p.name for p in system.parameters]
    for name, value in (parameters or {}).items():
        if name in known:
            reader.put(f"parameters/{name}", name, value)
        else:
            reader.findings.append(_no_parameter(name, known))
    return reader.finish()


def _no_parameter(name: str, known: Sequence[str]) -> Diagnostic:
    return error(f"parameters/{name}", "the model has no such parameter", among(name, known))


def _is_state(q: object) -> bool:
    several = isinstance(q, Sequence) and bool(q) and not isinstance(q, str)
    return isinstance(q, State) or (several and all(isinstance(state, State) for state in q))  # type: ignore[attr-defined]


def _of_states(system: System, q: Any, *others: object) -> GivenNumbers:
    """Read State objects; refuse rates, accelerations, times or parameters beside them, as states contain these."""
    if any(x is not None and x != {} for x in others):
        message = "states hold their own rates, accelerations, times and parameters"
        raise NumbersError(error("q", message, "put them into the states, or give arrays"))
    single = isinstance(q, State)
    states = (q,) if single else tuple(q)
    instance = Instance(system, states)
    return GivenNumbers(system, instance.values, len(states), single, states)


def read_direction(at: GivenNumbers, dq: States | None, dv: States | None) -> GivenNumbers:
    """Add a direction of positions and rates to states: one for all, or one at each; values not given do not change.

    Raises
    ------
    NumbersError
        As for :func:`read_states`; or there are other numbers of states and of directions.
    """
    reader = _StateReader(at.system)
    reader.take("dq", dq)
    reader.take("dv", dv)
    found = reader.finish()
    if 1 not in (at.count, found.count) and at.count != found.count:
        message = f"{counted(found.count, 'direction')} at {counted(at.count, 'state')}"
        raise NumbersError(error("dq", message, "give one direction, or one at each state"))
    values, own = dict(at.values), at.own
    if at.count < found.count:
        values, own = {name: np.reshape(x, ()) if np.size(x) == 1 else x for name, x in values.items()}, ()
    for name in (n + dot for n in at.system.coordinate_names for dot in ("", "'")):
        values[f"{name}{CHANGE}"] = found.values.get(name, np.zeros(()))
    return replace(at, values=values, count=max(at.count, found.count), single=at.single and found.single, own=own)


class _StateReader:
    """Reader that takes given states argument by argument and collects all errors."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.names = system.coordinate_names
        self.values: dict[str, Array] = {}
        self.from_: dict[str, str] = {}
        self.empty: dict[str, int] = {}
        self.findings: list[Diagnostic] = []
        self.finite = True
        self.driven: list[str] = []

    def take(self, place: str, value: States | None, both: bool = False) -> None:
        """Read the argument q, v or a, which ``place`` names; if ``both``, rates may follow positions in an array."""
        if value is None:
            return
        if isinstance(value, Mapping) or (isinstance(value, Table) and not hasattr(value, "dtype")):
            self._columns(place, value)
        else:
            self._rows(place, value, both)

    def _columns(self, place: str, value: Any) -> None:
        names = list(value.columns if isinstance(value, Table) else value)
        order = _PLACES[place]
        known = [n + order for n in self.names]
        if place == "q":
            parameters = [p.name for p in self.system.parameters]
            known = [*(n + o for o in _ORDERS.values() for n in self.names), "t", *parameters]
        for name in names:
            symbol = f"{name}{order}" if name in self.names else str(name)
            if symbol not in known and is_result(symbol):
                self.driven += [n for n in self.names if symbol == f"lambda[{drive_row(n)}]"]
            elif symbol in known:
                self.put(f"{place}/{name}", symbol, value[name])
            else:
                message = "no such coordinate" if place != "q" else "no coordinate, rate, time or parameter"
                self.findings.append(error(f"{place}/{name}", message, among(str(name), known)))

    def _rows(self, place: str, value: Any, both: bool) -> None:
        array = self._numbers(place, value)
        if array is None:
            return
        n = len(self.names)
        widths = (n, 2 * n) if both else (n,)
        if array.ndim not in (1, 2) or array.shape[-1] not in widths:
            self._wrong_shape(place, array.shape, both)
            return
        orders = ("", "'") if array.shape[-1] > n else (_PLACES[place],)
        if not n and array.ndim > 1:  # states of a model without coordinates
            self.empty[place] = len(array)
        for i, symbol in enumerate(name + order for order in orders for name in self.names):
            self._keep(place, symbol, array[..., i])

    def _wrong_shape(self, place: str, shape: tuple[int, ...], both: bool) -> None:
        n, letters = len(self.names), f"{place}, v" if both else place
        expected = f"({n},) for one state or (n, {n}) for n of them"
        expected += f", or with rates ({2 * n},) or (n, {2 * n})" if both else ""
        remedy = f"the last axis of {letters} are the coordinates {format_names(self.names)}"
        if n == 1 and len(shape) == 1:
            remedy += f"; for {counted(shape[0], 'state')} reshape(-1, 1)"
        if any(p.name == place for p in self.system.parameters):
            remedy += f"; the parameter {place} is set by parameters={{'{place}': …}}"
        self.findings.append(error(place, f"found an array of shape {shape}; expected {expected}", remedy))

    def _numbers(self, place: str, value: Any) -> Array | None:
        """Convert the value to floats; record a finding and return None if it is not made of numbers."""
        try:
            array = np.asarray(value)
        except (TypeError, ValueError):
            self.findings.append(
                error(place, "rows of different lengths", "give each state as many numbers as the others")
            )
            return None
        if array.dtype.kind not in "iuf":
            kinds = {"b": "truth values", "c": "complex numbers", "U": "text", "S": "bytes", "M": "dates"}
            found = kinds.get(array.dtype.kind, "objects")
            remedy = "give floats; rows of one length, nothing missing"
            self.findings.append(error(place, f"expected numbers, found {found}", remedy))
            return None
        floats = array.astype(np.float64)
        self.finite = self.finite and bool(np.isfinite(floats).all())
        return floats

    def put(self, place: str, symbol: str, value: Any) -> None:
        """Store one symbol's numbers."""
        array = self._numbers(place, value)
        if array is not None:
            self._keep(place, symbol, array)

    def _keep(self, place: str, symbol: str, array: Array) -> None:
        if symbol in self.values:
            where = self.from_[symbol]
            self.findings.append(error(place, f"{symbol} is given twice, in {where} too", "give it once"))
        elif array.ndim > 1:
            remedy = "a number for all states, or one for each"
            self.findings.append(error(place, f"{symbol} has shape {array.shape}; expected () or (n,)", remedy))
        else:
            self.values[symbol], self.from_[symbol] = array, place

    def finish(self) -> GivenNumbers:
        """Return all that was read; raise one error with all findings, if there are any."""
        lengths = {symbol: len(x) for symbol, x in self.values.items() if x.ndim} | self.empty
        count = next(iter(lengths.values()), 1)
        for symbol, length in lengths.items():
            if length != count:
                first = next(iter(lengths))
                message = f"{symbol} is given at {counted(length, 'state')}, {first} at {count}"
                self.findings.append(error(self.from_.get(symbol, symbol), message, "give all at the same states"))
                break
        else:
            if not count:
                self.findings.append(error("states", "there are none", "give at least one"))
            if not self.finite:
                self.findings += self._not_finite(bool(lengths))
        if self.findings:
            more = len(self.findings) - MOST
            rest = [error("states", f"and {counted(more, 'more finding')} of this kind")] if more > 0 else []
            raise NumbersError([*self.findings[:MOST], *rest])
        return GivenNumbers(self.system, self.values, count, not lengths, driven=tuple(self.driven))

    def _not_finite(self, several: bool) -> Iterator[Diagnostic]:
        for symbol, x in self.values.items():
            wrong = np.flatnonzero(~np.isfinite(np.atleast_1d(x)))
            if len(wrong):
                at = f"state/{wrong[0]}/{symbol}" if several else f"state/{symbol}"
                more = f", and so at {counted(len(wrong) - 1, 'more state')}" if len(wrong) > 1 else ""
                message = f"{np.atleast_1d(x)[wrong[0]]} is not a finite number{more}"
                yield error(at, message, "leave such states out")
