"""Conversion of a model and states to the numbers for evaluating a graph.

A model with numbers: a system at states, every symbol bound to its value once.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray

from .coordinate import ORIGINS, Function, Origin
from .diagnostics import Diagnostic, NumbersError, among, error
from .expressions import (
    FLOAT,
    Arithmetic,
    Expression,
    ExpressionError,
    evaluate,
    numpy_arithmetic,
    symbols,
    undefined_functions,
)
from .expressions.traversal import in_order
from .functions import Definitions, define
from .numerals import UNIT, UNIT_NAMES
from .omission import Omission, watchable
from .state import State
from .system import System

#: Who finds normal forces.
OF_NORMALS: Final = "evaluate and simulate find it; for another question give it a number"
#: What helps where the formula of a parameter has no number.
MEANING: Final = "give it, or the parameters in its formula, a value that has a meaning"
#: Who follows parameters that vary.
OF_VARYING: Final = "evaluate, simulate and linearize follow it; for another question give it a number"

__all__ = ["define", "environment", "has_varying", "known_values", "parameter_values"]


def parameter_values(
    system: System, overrides: Mapping[str, Any] | None = None, arithmetic: Arithmetic = FLOAT, t: Any = None
) -> dict[str, Any]:
    """Compute values of all parameters; overrides win over the model's own values and feed its formulas.

    Parameters that vary get their values at the time t.

    Raises
    ------
    NumbersError
        A parameter has no value (named, all at once), is unknown, or its formula has no value.
    """
    values: dict[str, Any] = {}
    findings: list[Diagnostic] = []
    given = dict(overrides or {})
    known = {p.name: p for p in system.parameters}
    for name in sorted(set(given) - set(known)):
        findings.append(error(f"parameters/{name}", "the model has no such parameter", among(name, known)))
    values.update((name, value) for name, value in given.items() if name in known)
    laws = {p.name: p.varies for p in system.parameters if p.varies is not None and t is not None}
    for p in system.parameters:
        if p.name not in values and p.value is None and p.name not in laws:
            unit = f"{UNIT}; or " if p.name in UNIT_NAMES else ""
            remedy = f"{unit}set it, for example --set {p.name}=1, in Python parameters={{'{p.name}': 1}}"
            message = "has no value"
            if p.normal:
                message, remedy = f"is the normal force of {p.normal}, which follows from the motion", OF_NORMALS
            elif p.varies is not None:
                message, remedy = f"varies with the time, as {p.varies}", OF_VARYING
            findings.append(error(f"parameters/{p.name}", message, remedy))
    if findings:
        raise NumbersError(findings)
    pending = {p.name: p.value for p in system.parameters if p.value is not None} | laws
    pending = {name: x for name, x in pending.items() if name not in values}
    values |= {"t": t} if laws else {}
    left = _evaluate(pending, values, system.functions, arithmetic)
    values = {name: x for name, x in values.items() if name in known}
    if left:
        raise NumbersError([error(f"parameters/{name}", "cannot be computed") for name in left])
    return values


def has_varying(system: System) -> bool:
    """Return True if parameters of a model vary with the time."""
    return any(p.varies is not None for p in system.parameters)


def known_values(
    system: System, overrides: Mapping[str, float] | None = None, origins: Collection[Origin] = ORIGINS
) -> dict[str, float]:
    """Compute values of parameters that follow from overrides and parameters of these origins; omit the others.

    Raises
    ------
    NumbersError
        The formula of one of these parameters has no value.
    """
    values = dict(overrides or {})
    pending = {
        p.name: p.value
        for p in system.parameters
        if p.name not in values and p.value is not None and p.origin in origins
    }
    definitions = Definitions(system.functions)
    pending = {name: value for name, value in pending.items() if not undefined_functions(definitions.apply([value]))}
    _evaluate(pending, values, system.functions, FLOAT)
    return values


def _evaluate(
    pending: Mapping[str, Expression], values: dict[str, Any], functions: Sequence[Function], arithmetic: Arithmetic
) -> tuple[str, ...]:
    """Add the values of pending formulas to ``values``; return names of parameters that need one without a value."""
    findings: list[Diagnostic] = []
    definitions = Definitions(functions)
    needs = {name: symbols([value]) for name, value in pending.items()}
    for name in in_order(needs):
        if not all(need in values for need in needs[name]):
            continue
        try:
            values[name] = evaluate(definitions.apply([pending[name]]), values, arithmetic)[0]
            if isinstance(values[name], float) and not math.isfinite(values[name]):
                findings.append(error(f"parameters/{name}", f"its formula gives {values[name]}", MEANING))
        except ExpressionError as problem:
            findings.append(error(f"parameters/{name}", str(problem), MEANING))
            values[name] = arithmetic.number(Fraction(0))
    if findings:
        raise NumbersError(findings)
    return tuple(name for name in pending if name not in values)


def environment(system: System, states: Sequence[State], arithmetic: Arithmetic = FLOAT) -> list[dict[str, Any]]:
    """Return for each state the value of every symbol: parameters, ``q``, ``q'``, ``q''`` and ``t``.

    Missing coordinates and velocities are the model's initial ones, missing accelerations zero.

    Raises
    ------
    NumbersError
        An unknown name, a NaN or an infinity, or a parameter without value.
    """

    exact = arithmetic.number is not float  # a float is what it would become again

    def scalar(value: Any) -> Any:
        if not isinstance(value, (int, float)):
            return value
        return arithmetic.number(Fraction(value)) if exact else float(value)

    names = system.coordinate_names
    symbols_of = [(name, f"{name}'", f"{name}''") for name in names]
    start = define([x for c in system.coordinates for x in (c.position, c.velocity)], system.functions)
    varying = has_varying(system)
    fixed: dict[str, Any] = {}
    initial: list[Any] = []
    before: State | None = None
    result = []
    for state in states:
        findings = list(_unfit(names, state))
        if findings:
            raise NumbersError(findings)
        if before is None or state.parameters != before.parameters or (varying and state.t != before.t):
            given = {n: scalar(x) for n, x in state.parameters.items()}
            fixed, before = parameter_values(system, given, arithmetic, scalar(state.t)), state
            try:
                initial = evaluate(start, fixed, arithmetic)
            except ExpressionError as problem:
                raise NumbersError(error("coordinates", f"an initial value: {problem}")) from None
        values = dict(fixed)
        for i, (q, v, a) in enumerate(symbols_of):
            values[q] = scalar(state.q[q]) if q in state.q else initial[2 * i]
            values[v] = scalar(state.v[q]) if q in state.v else initial[2 * i + 1]
            values[a] = scalar(state.a.get(q, 0))
        values["t"] = scalar(state.t)
        result.append(values)
    return result


def _unfit(names: Sequence[str], state: State) -> Iterator[Diagnostic]:
    """Report a state's names that are not coordinates, and values that are not finite."""
    groups = {"state/q": state.q, "state/v": state.v, "state/a": state.a}
    for key, group in groups.items():
        for name in sorted(group.keys() - names):
            yield error(f"{key}/{name}", "no such coordinate", among(name, names))
    for key, group in ({"state": {"t": state.t}} | groups | {"parameters": state.parameters}).items():
        for name, value in group.items():
            if isinstance(value, float) and not math.isfinite(value):
                yield error(f"{key}/{name}", f"{value} is not a finite number")


def watched(system: System, values: Mapping[str, Any]) -> tuple[tuple[Omission, ...], dict[str, Any]]:
    """Return a system's omissions with the gaps that can be evaluated, and ``values`` with those of its parameters."""
    found = dict(values)
    if any(symbols(o.gaps) - values.keys() for o in system.omissions):
        given = {p.name: values[p.name] for p in system.parameters if p.name in values}
        with suppress(NumbersError):
            found |= parameter_values(system, given, numpy_arithmetic())
    return watchable(system.omissions, found.keys()), found


Array = NDArray[np.float64]
#: Largest ranks of rows where none are known.
ANY_RANK: Final = (sys.maxsize, sys.maxsize)


class Instance(Sequence[State]):
    """A system at N states.

    It is the sequence of its states and may be passed instead of them; :func:`bind_states` computes the numbers on
    first use, shared by all who use the same states.

    Parameters
    ----------
    system, states
    arithmetic : of the numbers in :attr:`environments`; :attr:`values` are always floats

    Raises
    ------
    NumbersError
        On access to numbers: an unknown name, a NaN or an infinity, or a parameter without value.
    """

    #: (N, 2), of the constraints, and of these with the drives that impose accelerations, as they are at states on the
    #: constraints beside these; None where the states are on them.
    ranks: Array | None = None

    def __init__(self, system: System, states: Sequence[State], arithmetic: Arithmetic = FLOAT) -> None:
        self.system = system
        self.states = tuple(states)
        self.arithmetic = arithmetic

    def with_ranks(self, ranks: Array) -> Instance:
        """Return the same instance with these :attr:`ranks`."""
        made = copy(self)
        made.ranks = ranks
        return made

    @cached_property
    def environments(self) -> tuple[Mapping[str, Any], ...]:
        """Values of every symbol, by name, at each state: parameters, ``q``, ``q'``, ``q''`` and ``t``."""
        return tuple(environment(self.system, self.states, self.arithmetic))

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """Values of each symbol over all states: name -> array (N,) that cannot be written to."""
        found: dict[str, Array] = {}
        for name in self.environments[0] if self.states else ():
            found[name] = np.array([e[name] for e in self.environments], dtype=float)
            found[name].flags.writeable = False
        return found

    def serves(self, system: System) -> bool:
        """Return True if the numbers are valid for this system too: only symbols matter, not bodies or forces."""
        own = self.system
        return own is system or (
            own.coordinates == system.coordinates
            and own.parameters == system.parameters
            and own.functions == system.functions
        )

    @overload
    def __getitem__(self, place: int) -> State: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[State, ...]: ...
    def __getitem__(self, place: int | slice) -> State | tuple[State, ...]:
        return self.states[place]

    def __len__(self) -> int:
        return len(self.states)


def bind_states(system: System, states: Sequence[State]) -> Instance:
    """Return the states with their numbers, reusing those of this or an equivalent system."""
    if isinstance(states, Instance) and states.arithmetic is FLOAT and states.serves(system):
        return states
    return Instance(system, states)


def largest_ranks(states: Sequence[State]) -> list[tuple[int, int]]:
    """Return the largest rank that rows may have at each state: of constraints alone, and of them with drives.

    A state written in nine digits violates the constraints by its rounding. Rows that are dependent on the constraints
    look independent there, so the rank is the mechanism's (:attr:`Instance.ranks`), not that of their numbers.
    """
    ranks = states.ranks if isinstance(states, Instance) else None
    if ranks is None:
        return [ANY_RANK] * len(states)
    return [(int(own), int(whole)) for own, whole in ranks]
