"""Events: formulas of t, q, q' that change their sign, found on the steps to the accuracy of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from scipy.optimize import brentq

from mbconcord.kernels.registry import Scalar, scalar
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.expressions import (
    MINUS_ONE,
    ONE,
    TIME,
    Expression,
    compile_numpy,
    number,
    sqrt,
    substitute,
    symbols,
    topological,
)
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.records import dataclass

from ..poses import Branch
from .arrays import TOLD, Array, find_root, look_within
from .formulas import EquationNumbers, MotionFormulas
from .stretch import IntegrationStep

# Times at which formulas of time alone have a kink: where the argument of an abs or a sign changes its sign.
#
# Between two such times each abs(u) is u or -u and each sign(u) is 1 or -1, so the equations of every interval are
# smooth, and their limits at its ends are exact.


# Dry friction in integration: sign(v) of a speed v jumps at rest, and no step of an integrator ends at a jump.
#
# There it is v/√(v² + s²) with a small speed s, which slips: where friction would hold a force f of the largest F, the
# contact creeps at s f/√(F² - f²). What moves faster than s is off by (s/v)²/2 of the friction. Equations that are
# derived, evaluated and checked have sign(v) itself.


def frictions(formulas: MotionFormulas, rates: Sequence[str]) -> list[Expression]:
    """List the nodes sign(v) with arguments that depend on rates, inner ones first."""
    moving = frozenset(rates)
    return [
        node for node in topological([*formulas.every(), *formulas.applied])
        if node.op == "fun" and node.data == "sign" and moving & set(symbols([node]))
    ]  # fmt: skip


def smooth_friction(formulas: MotionFormulas, nodes: Sequence[Expression], slip: float) -> MotionFormulas:
    """Replace the nodes sign(v) by v/√(v² + s²), s = ``slip``."""
    replacements: dict[Expression, Expression] = {}
    width = number(repr(slip))
    for node in nodes:
        (v,) = substitute([node.args[0]], replacements)
        replacements[node] = v / sqrt(v * v + width * width)
    return formulas.replace_nodes(replacements) if nodes else formulas


def describe_friction(nodes: Sequence[Expression], slip: float) -> Diagnostic:
    """Return the note that sign(v) is replaced by a smooth function in a run."""
    listed = ", ".join(map(str, nodes[:3])) + (", …" if len(nodes) > 3 else "")
    message = f"{listed} jumps at rest: v/sqrt(v^2 + s^2) stands for sign(v), s = {slip:g} (m/s, rad/s)"
    return Diagnostic(
        "note", "friction", message, "what sticks creeps at up to some s; a smaller slip speed takes longer"
    )


# Motions that jump: found before a run, at the times at which a formula of time switches.


#: Values that differ by no more than this part of 1 and their size are the same.
SAME = 1e-9


def require_continuous(
    switches: Switches, edges: Sequence[float], amounts: Iterable[tuple[str, Expression]], inputs: Sequence[str],
    values: Sequence[float],
) -> None:  # fmt: skip
    """Refuse positions that jump in time.

    Parameters
    ----------
    switches, edges : kinks of formulas of time; the start, the times of the kinks and the end
    amounts : pairs of a place and its prescribed position or constraint function
    inputs, values : names of the formulas' arguments except time, and their values at the start

    Raises
    ------
    NumbersError
        A position jumps; the findings name places and times.
    """
    named = list(amounts)
    if not switches.nodes or not named:
        return
    findings = []
    for before, t, after in zip(edges, edges[1:], edges[2:], strict=False):
        sides = []
        for pattern in (switches.pattern(before, t), switches.pattern(t, after)):
            formulas = substitute([x for _, x in named], switches.replacements(pattern))
            sides.append(np.array(scalar(formulas, ["t", *inputs])([t, *values])))
        left, right = sides
        for i in np.flatnonzero(np.abs(left - right) > SAME * (1 + np.abs(left) + np.abs(right))):
            message = f"it jumps at t = {t:.9g}, from {left[i]:.6g} to {right[i]:.6g}: no finite forces do that"
            findings.append(error(named[i][0], message, "give it a formula without a jump, or end the run before"))
    if findings:
        raise NumbersError(findings)


def require_smooth_ends(amounts: Iterable[tuple[str, Expression]], start: float, end: float) -> None:
    """Refuse positions that stop at the end of a table while they still move.

    Raises
    ------
    NumbersError
        A position stops so; the findings name places and times.
    """
    findings = []
    for place, amount in amounts:
        for node in topological([amount]):
            if isinstance(node.data, Interpolant) and symbols([node]) == {TIME.data}:
                for t in _roots([node.args[0] - number(x) for x in node.data.stops], start, end):
                    message = f"it stops at t = {t:.9g}, where a table ends that holds its last value: an impulse"
                    findings.append(error(place, message, "end the run before, extend the table, or let it end flat"))
    if findings:
        raise NumbersError(findings)


#: So many times of an interval are looked at; what changes its sign twice between two of them is not seen.
LOOKED_AT = 10_000
Pattern = tuple[bool, ...]


def kinks(outputs: Iterable[Expression]) -> list[Expression]:
    """List the nodes abs(u(t)) and sign(u(t)) below the outputs, inner ones first."""
    return [
        node for node in topological(list(outputs))
        if node.op == "fun" and node.data in ("abs", "sign") and symbols([node]) == {TIME.data}
    ]  # fmt: skip


#: Rows of tables at which a run ends its steps; of more rows, none.
KNOTS = 2000


def row_crossings(outputs: Iterable[Expression], start: float, end: float) -> list[Expression]:
    """List u(t) - x for each row x of tables of u(t): it is zero at the row, where the rate of the table jumps."""
    tables = [
        node for node in topological(list(outputs))
        if isinstance(node.data, Interpolant) and symbols([node]) == {TIME.data}
    ]  # fmt: skip
    found = dict.fromkeys(
        node.args[0] - number(x) for node in tables for x in node.data.x if node.args[0] is not TIME or start < x < end
    )
    return list(found)


class Switches:
    """The kinks of formulas between two times; ``rows`` counts rows of tables that are passed without a stop."""

    def __init__(self, outputs: Iterable[Expression], start: float, end: float) -> None:
        roots = list(outputs)
        self.nodes = kinks(roots)
        arguments = [node.args[0] for node in self.nodes]
        self._values = scalar(arguments, ["t"])
        crossed = row_crossings(roots, start, end)
        self.rows = len(crossed) if len(crossed) > KNOTS else 0
        if crossed and not self.rows:
            arguments += crossed
        self.times = _roots(arguments, start, end)

    def pattern(self, start: float, end: float) -> Pattern:
        """Return for each kink True if its argument is positive between two neighbouring times."""
        return tuple(value > 0 for value in self._values([(start + end) / 2]))

    def apply(self, formulas: MotionFormulas, pattern: Pattern) -> MotionFormulas:
        """Return the formulas with each abs and sign replaced by its value in an interval with this pattern."""
        return formulas.replace_nodes(self.replacements(pattern)) if self.nodes else formulas

    def replacements(self, pattern: Pattern) -> Mapping[Expression, Expression]:
        """Map each node abs(u) or sign(u) to its value in an interval with this pattern."""
        found: dict[Expression, Expression] = {}
        for node, positive in zip(self.nodes, pattern, strict=True):
            (argument,) = substitute([node.args[0]], found)
            sign = ONE if positive else MINUS_ONE
            found[node] = sign if node.data == "sign" else sign * argument
        return found


def _roots(arguments: Sequence[Expression], start: float, end: float) -> list[float]:
    """List the times between ``start`` and ``end`` at which an argument changes its sign."""
    if not arguments:
        return []
    grid = np.linspace(start, end, LOOKED_AT + 1)
    found: set[float] = set()
    with np.errstate(all="ignore"):
        values = compile_numpy(arguments, ["t"])(grid[None, :])
    for argument, row in zip(arguments, values, strict=True):
        value = partial(_value, scalar([argument], ["t"]))
        signs = np.sign(row)
        found |= {float(grid[i]) for i in np.flatnonzero((signs[1:-1] == 0) & (signs[:-2] * signs[2:] < 0)) + 1}
        for i in np.flatnonzero(signs[:-1] * signs[1:] < 0):
            found.add(float(brentq(value, grid[i], grid[i + 1], xtol=1e-300, rtol=1e-15)))
    return _apart(sorted(t for t in found if start < t < end))


def _value(function: Scalar, t: float) -> float:
    return function([t])[0]


def _apart(times: Sequence[float]) -> list[float]:
    """Merge times that differ only by rounding."""
    found: list[float] = []
    for t in times:
        if not found or t - found[-1] > 1e-12 * max(1.0, abs(t)):
            found.append(t)
    return found


@dataclass(frozen=True)
class Event:
    """Event of a run: a formula crosses zero; with ``stops`` the run ends there."""

    name: str
    formula: Expression
    stops: bool = False


@dataclass(frozen=True)
class Happened:
    """An event at a time and state (q, q', work)."""

    event: Event
    t: float
    y: Array


class Events:
    """The events of a run; ``own`` converts its states to the coordinates of the formulas."""

    def __init__(
        self, events: Sequence[Event], numbers: EquationNumbers, inputs: Sequence[str], own: Callable[[Array], Array]
    ) -> None:
        self.events, self._own = tuple(events), own
        formulas = numbers.apply(event.formula for event in events)
        _require_known(events, formulas, inputs)
        self._values = scalar(formulas, inputs)
        self._count = 2 * ((len(inputs) - 1) // 2)

    def __bool__(self) -> bool:
        return bool(self.events)

    def values(self, t: float, y: Array) -> Array:
        """Evaluate the formulas at a state."""
        return np.array(self._values([t, *self._own(y)[: self._count].tolist()]))

    def any(self, t: float, y: Array, after: float, there: Array) -> bool:
        """Return True if a formula changes its sign between two states."""
        return bool(self.events) and bool((np.sign(self.values(t, y)) != np.sign(self.values(after, there))).any())

    def find_in_step(
        self, step: IntegrationStep, y: Array, projected: Callable[[float, Array], Array]
    ) -> list[Happened]:
        """List the events in a step from the state y in order of time, those with a zero just at its end included."""
        if not self.events or step.between is None:
            return []
        between = step.between
        times, values = look_within(step.start, y, step.end, step.y, between, self.values)
        found = []
        for i, (event, own) in enumerate(zip(self.events, values.T, strict=True)):
            signs = np.where(np.isfinite(own), np.sign(own), np.nan)
            signs[1:-1][(signs[1:-1] == 0) & (signs[:-2] * signs[2:] > 0)] = np.nan  # it only touches zero

            def value(t: float, i: int = i) -> float:
                return float(self.values(t, projected(t, between(t)))[i])

            for k in np.flatnonzero((signs[:-1] != 0) & (signs[:-1] * signs[1:] <= 0)).tolist():
                a, b = times[k : k + 2]
                nearer = a if abs(own[k]) < abs(own[k + 1]) else b
                t = b if own[k + 1] == 0 else find_root(value, a, b, nearer)
                found.append(Happened(event, t, projected(t, between(t))))
        return sorted(found, key=lambda happened: happened.t)


class Touches(Events):
    """Contacts, ropes and stops of a run by formulas that are positive where they act.

    Each acts, or does not, until its formula has crossed zero; the run begins a new step at a crossing, as the
    equations have a kink there.
    """

    def begin(self, t: float, y: Array) -> list[str]:
        """Record at the first state which of them act, and return their names."""
        self.acts = (self.values(t, y) > 0).tolist() if self.events else []
        self._crossed: list[tuple[float, int]] = []
        return [event.name for event, acts in zip(self.events, self.acts, strict=True) if acts]

    def back(self, t: float) -> None:
        """Forget crossings after a time."""
        for _, i in (late := [crossed for crossed in self._crossed if crossed[0] > t]):
            self.acts[i] = not self.acts[i]
        self._crossed = self._crossed[: len(self._crossed) - len(late)]

    def find_first(
        self, step: IntegrationStep, y: Array, projected: Callable[[float, Array], Array]
    ) -> Happened | None:  # fmt: skip
        """Return the first crossing in a step from the state y, and record it; None if there is none."""
        between = step.between
        if not self.events or between is None:
            return None
        times, values = look_within(step.start, y, step.end, step.y, between, self.values)
        found = list[tuple[float, int]]()
        for i, acts in enumerate(self.acts):
            own = values[:, i] if acts else -values[:, i]
            if not (over := np.flatnonzero(own[1:] < 0)).size:
                continue

            def value(t: float, i: int = i) -> float:
                return float(self.values(t, projected(t, between(t)))[i])

            a, b = times[over[0] : over[0] + 2]
            began = own[over[0]] <= 0  # to rounding
            found.append((a if began else find_root(value, a, b, a), i))
        if not found:
            return None
        t, i = min(found)
        self.acts[i] = not self.acts[i]
        self._crossed.append((t, i))
        event = Event(f"{'meets' if self.acts[i] else 'leaves'} {self.events[i].name}", self.events[i].formula)
        return Happened(event, t, projected(t, between(t)) if t > step.start else y)


def _require_known(events: Sequence[Event], formulas: Sequence[Expression], inputs: Sequence[str]) -> None:
    """Refuse events whose formulas have names that the model lacks."""
    known = list(inputs)
    findings = [
        error(f"events/{event.name}", f"the model has no {name!r}", among(name, known))
        for event, formula in zip(events, formulas, strict=True)
        for name in sorted(symbols([formula]) - set(inputs))
    ]
    if findings:
        raise NumbersError(findings)


# Crossings of the branches of laws in a run, and what is said of them.


class Crossings:
    """Times at which a run crosses the branches of force laws."""

    def __init__(self, found: Sequence[Branch]) -> None:
        self.branches = list(found)
        self._times: list[list[float]] = [[] for _ in found]

    @property
    def events(self) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """Events of crossings, and formulas that must be negative there; both named by the number of the branch."""
        formulas = ([b.crossed for b in self.branches], [b.beside for b in self.branches])
        first, second = (tuple(Event(str(i), x) for i, x in enumerate(part)) for part in formulas)
        return first, second

    def add(self, happened: Happened, besides: Array) -> None:
        """Record a crossing if the value in ``besides`` for its branch is negative."""
        i = int(happened.event.name)
        if besides[i] < 0:
            self._times[i].append(happened.t)

    def back(self, t: float) -> None:
        """Forget crossings after a time."""
        self._times = [[s for s in times if s <= t] for times in self._times]

    def notes(self) -> Iterator[Diagnostic]:
        """Yield a warning for each force that was taken past its branch."""
        for branch, times in zip(self.branches, self._times, strict=True):
            if times:
                when = ", ".join(f"{t:.9g}" for t in times[:TOLD])
                more = f" and {len(times) - TOLD} times more" if len(times) > TOLD else ""
                yield Diagnostic("warning", branch.place, f"at t = {when}{more} {branch.words}", branch.remedy)
