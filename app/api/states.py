"""States as users have them: arrays, mappings by name, tables of pandas; all become arrays by symbol.

Every array is over n states: its first axis counts them, and where there is none it is one state. Of arrays without
names the last axis are the N coordinates in the model's order. Metres and radians, per second, per second squared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.instance import Instance
from mbconcord.model.limits import listed
from mbconcord.model.state import State
from mbconcord.model.system import System


@runtime_checkable
class Table(Protocol):
    """A table with named columns, such as a DataFrame of pandas."""

    @property
    def columns(self) -> Any:
        """Names of the columns."""

    def __getitem__(self, key: Any, /) -> Any:
        """A column."""


#: What stands for states: see :func:`given`.
States: TypeAlias = State | Sequence[State] | Mapping[str, ArrayLike] | Table | ArrayLike
#: So many findings about numbers are told.
MOST: Final = 20
_ORDERS: Final = {"q": "", "v": "'", "a": "''"}


@dataclass(frozen=True)
class Given:
    """Numbers at n states by symbol, as they were given.

    Attributes
    ----------
    values : symbol (``z1``, ``z1'``, ``z1''``, ``t``, a parameter) -> array (n,), or a float for all states
    count : n
    single : whether they are one state, given without an axis of states
    states : the states themselves, where these were given
    """

    system: System
    values: Mapping[str, Any]
    count: int
    single: bool
    own: tuple[State, ...] = field(default=(), repr=False)

    @property
    def accelerated(self) -> bool:
        """Whether accelerations were given."""
        if self.own:
            return any(state.a for state in self.own)
        return any(f"{name}''" in self.values for name in self.system.coordinate_names)

    def filled(self, values: Mapping[str, Any]) -> Given:
        """With times, positions and rates, and what else was given, taken from the values of all symbols."""
        names = self.system.coordinate_names
        shown = ["t", *names, *(f"{n}'" for n in names), *(f"{n}''" for n in names if self.accelerated)]
        shown += [p.name for p in self.system.parameters if p.name in self.values and not self.own]
        return replace(self, values={name: np.asarray(values[name], dtype=float) for name in shown})

    def states(self) -> tuple[State, ...]:
        """The states one by one; what was not given is not in them."""
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
            yield State(
                t, *(dict(zip(own, row, strict=True)) for own, row in zip(keys, numbers, strict=True))
            )

    def _rows(self, symbols: Sequence[str]) -> Iterable[Sequence[float]]:
        """For each state the numbers of these symbols."""
        wide = [np.broadcast_to(self.values[symbol], (self.count,)) for symbol in symbols]
        return np.stack(wide, axis=1, dtype=float).tolist() if wide else repeat((), self.count)


def given(
    system: System,
    q: States | None = None,
    v: States | None = None,
    a: States | None = None,
    t: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
) -> Given:
    """The numbers that a user gives at one state or at n.

    Parameters
    ----------
    q : array (N,) or (n, N) of positions, or (2N,) or (n, 2N) of positions, then rates; or a mapping or a DataFrame
        whose names are coordinates ``z1``, rates ``z1'``, accelerations ``z1''``, ``t`` and parameters; or a State, or
        several. What is missing is left out.
    v, a : array (N,) or (n, N) of rates, of accelerations; or a mapping or a DataFrame by the coordinates' names
    t : a number, or (n,)
    parameters : numbers, or arrays (n,), by name

    Raises
    ------
    NumbersError
        Another shape, an unknown name, something twice, what is no finite number: each with its place, what was
        expected and what to do.
    """
    if _is_state(q):
        return _of_states(system, q, v, a, t, parameters)
    reader = _Reader(system)
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
    return reader.done()


def _no_parameter(name: str, known: Sequence[str]) -> Diagnostic:
    return error(f"parameters/{name}", "the model has no such parameter", among(name, known))


def _is_state(q: object) -> bool:
    several = isinstance(q, Sequence) and bool(q) and not isinstance(q, str)
    return isinstance(q, State) or (several and all(isinstance(state, State) for state in q))  # type: ignore[attr-defined]


def _of_states(system: System, q: Any, *others: object) -> Given:
    """Of states as the model has them, which hold everything."""
    if any(x is not None and x != {} for x in others):
        message = "states hold their own rates, accelerations, times and parameters"
        raise NumbersError(error("q", message, "put them into the states, or give arrays"))
    single = isinstance(q, State)
    states = (q,) if single else tuple(q)
    instance = Instance(system, states)
    return Given(system, instance.values, len(states), single, states)


class _Reader:
    """Takes what is given piece by piece, and what is wrong with it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.names = system.coordinate_names
        self.values: dict[str, Array] = {}
        self.from_: dict[str, str] = {}
        self.findings: list[Diagnostic] = []
        self.finite = True

    def take(self, place: str, value: States | None, both: bool = False) -> None:
        """What was given as q, v or a; ``both``: positions may be followed by rates."""
        if value is None:
            return
        if isinstance(value, Mapping) or (isinstance(value, Table) and not hasattr(value, "dtype")):
            self._columns(place, value)
        else:
            self._rows(place, value, both)

    def _columns(self, place: str, value: Any) -> None:
        names = list(value.columns if isinstance(value, Table) else value)
        order = _ORDERS[place]
        known = [n + order for n in self.names]
        if place == "q":
            parameters = [p.name for p in self.system.parameters]
            known = [*(n + o for o in _ORDERS.values() for n in self.names), "t", *parameters]
        for name in names:
            symbol = f"{name}{order}" if name in self.names else str(name)
            if symbol in known:
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
        orders = ("", "'") if array.shape[-1] > n else (_ORDERS[place],)
        for i, symbol in enumerate(name + order for order in orders for name in self.names):
            self._keep(place, symbol, array[..., i])

    def _wrong_shape(self, place: str, shape: tuple[int, ...], both: bool) -> None:
        n, letters = len(self.names), f"{place}, v" if both else place
        expected = f"({n},) for one state or (n, {n}) for n of them"
        expected += f", or with rates ({2 * n},) or (n, {2 * n})" if both else ""
        remedy = f"the last axis of {letters} are the coordinates {listed(self.names)}"
        if n == 1 and len(shape) == 1:
            remedy += f"; for {shape[0]} states reshape(-1, 1)"
        if any(p.name == place for p in self.system.parameters):
            remedy += f"; the parameter {place} is set by parameters={{'{place}': …}}"
        self.findings.append(error(place, f"found an array of shape {shape}; expected {expected}", remedy))

    def _numbers(self, place: str, value: Any) -> Array | None:
        """The value as floats; None, and a finding, where it is not made of numbers."""
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
        """One symbol's numbers."""
        array = self._numbers(place, value)
        if array is not None:
            self._keep(place, symbol, array)

    def _keep(self, place: str, symbol: str, array: Array) -> None:
        if symbol in self.values:
            where = self.from_[symbol]
            self.findings.append(error(place, f"{symbol} is given twice, in {where} too", "give it once"))
        elif array.ndim > 1:
            remedy = "a number for all states, or one for each"
            self.findings.append(
                error(place, f"{symbol} has shape {array.shape}; expected () or (n,)", remedy)
            )
        else:
            self.values[symbol], self.from_[symbol] = array, place

    def done(self) -> Given:
        """Everything, or everything that is wrong with it."""
        lengths = {symbol: len(x) for symbol, x in self.values.items() if x.ndim}
        count = next(iter(lengths.values()), 1)
        for symbol, length in lengths.items():
            if length != count:
                first = next(iter(lengths))
                message = f"{symbol} is given at {length} states, {first} at {count}"
                self.findings.append(error(self.from_[symbol], message, "give all at the same states"))
                break
        else:
            if not count:
                self.findings.append(error("states", "there are none", "give at least one"))
            if not self.finite:
                self.findings += self._not_finite(bool(lengths))
        if self.findings:
            more = len(self.findings) - MOST
            rest = [error("states", f"and {more:,} more findings of this kind")] if more > 0 else []
            raise NumbersError([*self.findings[:MOST], *rest])
        return Given(self.system, self.values, count, not lengths)

    def _not_finite(self, several: bool) -> Iterator[Diagnostic]:
        for symbol, x in self.values.items():
            wrong = np.flatnonzero(~np.isfinite(np.atleast_1d(x)))
            if len(wrong):
                at = f"state/{wrong[0]}/{symbol}" if several else f"state/{symbol}"
                more = f", and so at {len(wrong) - 1} more states" if len(wrong) > 1 else ""
                message = f"{np.atleast_1d(x)[wrong[0]]} is not a finite number{more}"
                yield error(at, message, "leave such states out")
