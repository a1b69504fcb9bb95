"""Random numbers for a check: states, and values left open by the model. All are recorded.

Magnitudes are spread logarithmically, because an error in a small term hides behind large ones. Numbers are
rounded to six digits: they depend on the seed alone, and a report can print them as they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from mbconcord.model.body import Inertia
from mbconcord.model.checks.physics import physics
from mbconcord.model.checks.scope import SystemScopes, formulas
from mbconcord.model.coordinate import Function
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.elastic.rigid import beyond
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import (
    ONE,
    TIME,
    Expression,
    ExpressionError,
    as_expression,
    derivative,
    evaluate,
    numpy_arithmetic,
    sin,
    substitute,
    symbol,
    symbols,
    topological,
)
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.force import Bipolar, Torsion, find_words
from mbconcord.model.functions import define
from mbconcord.model.limits import format_names
from mbconcord.model.numbers import Instance, environment, known_values, parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.poses import express_words, measured

if TYPE_CHECKING:
    from mbconcord.simulation.assembly import Assembly

#: Where a smaller part of the states that were asked for satisfies the constraints, the motion is not checked.
ENOUGH = 0.5
#: Smallest and largest magnitudes of shifts (m), rates and accelerations.
SHIFTS = (1e-3, 1e2)
RATES = (1e-3, 1e2)
#: Magnitudes of modal coordinates (m, or rad in torsion): shapes are 1 at the tip of bodies about a metre long.
DEFLECTIONS = (1e-4, 1e-1)
#: Angles (rad): half of them small and spread logarithmically, half uniform over two turns either way.
ANGLES = (1e-3, 1.0)
TURNS = 12.5
TIMES = (1e-2, 10.0)
PARAMETERS = (0.1, 10.0)
#: How often parameters are drawn anew before a model is said to have no physical values.
ATTEMPTS = 200
#: So many pieces are looked at, and for each so many places where its argument is zero or smallest, along one symbol
#: of this grid, made exact by so many halvings; and how far from such a place states stand, relative to it or to one.
MOST_PIECES, MOST_PLACES, HALVINGS = 24, 3, 100
#: A longer formula is not solved for a state on its other side.
MOST_NODES = 500
GRID = np.concatenate([-np.logspace(12, -9, 211), [0.0], np.logspace(-9, 12, 211)])
ASIDE = (0.0, -1e-3, 1e-3, -0.5, 1.0)
#: Edges beyond are reached by no state that is drawn for a check.
FAR = 1e6
#: What helps where no drawn state is within the tables.
WITHIN = "give states that are (--state), or say what is beyond a table: hold or extend"


@dataclass(frozen=True)
class DrawnModel:
    """A model with every function defined, states with every parameter known, and notes on the drawn values."""

    system: System
    states: tuple[State, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def draw(system: System, count: int, seed: int, before: bool = True) -> DrawnModel:
    """Draw states of a model, missing values of its parameters, and formulas of its undefined functions.

    Half of the states are at times ``before`` 0, if these are wanted.

    Raises
    ------
    NumbersError
        No drawn parameter values make every body physically possible.
    """
    random = Random(seed)
    defined, notes = _define_functions(system, seed)
    states = []
    inputs = [p.name for p in system.parameters if p.origin == "input" and p.value is not None]
    timed, only_late, ended, outside = _of_time(defined), 0, tables_that_end(defined), 0
    for i in range(count):
        for attempt in range(ATTEMPTS):
            parameters = _parameters(defined, random, drawn=inputs)
            state = _limit_turns(defined, _state(defined, random, parameters))
            if _has_values(defined, ended, state):
                outside += attempt > 0
                break
        else:
            raise NumbersError(error("states", f"none of {ATTEMPTS} that were drawn is within all tables", WITHIN))
        if i % 2 and before:
            earlier = replace(state, t=-state.t)
            early = _has_values(defined, timed, earlier)
            state, only_late = (earlier, only_late) if early else (state, only_late + 1)
        states.append(state)
    if only_late:
        why = "formulas of t have no value at some of the times before 0 that were drawn"
        notes.append(Diagnostic("note", "t", f"{why}: {only_late} of {count} states are after 0 instead"))
    if outside:
        said = f"{outside} of them were drawn anew, as tables end before those that came first"
        notes.append(Diagnostic("note", "states", said))
    states = _reach_branches(defined, states, [*ended, *timed], notes)
    names = [p.name for p in system.parameters if p.value is None]
    if names:
        notes.append(Diagnostic("note", "parameters", f"without values, drawn for each state: {', '.join(names)}"))
    if inputs:
        notes.append(Diagnostic("note", "parameters", f"inputs, drawn for each state: {', '.join(inputs)}"))
    return DrawnModel(defined, tuple(states), tuple(notes))


def _reach_branches(
    system: System, states: list[State], limited: Sequence[Expression], notes: list[Diagnostic]
) -> list[State]:
    """Change one number in some states, so that arguments of abs() and sign() in forces have both signs.

    No side is left by the only state on it. What is reached at no state is a note: there the states tell nothing.
    """
    switches = _switches(system)[:MOST_PIECES]
    arguments = [argument for _, argument in switches]

    def find_sides(own: Sequence[State]) -> set[tuple[int, float]]:
        return {(i, side) for i, x in enumerate(arguments) for s in own if (side := _side(system, x, s))}

    changed, missed, found = set[int](), [], list(states)
    covered = find_sides(found)
    for place, (shown, argument) in enumerate(switches):
        small = len(list(topological([argument]))) <= MOST_NODES
        sides = {side for i, side in covered if i == place}
        for wanted in sorted({1.0, -1.0} - sides) if sides else ():
            for k in ((place + i) % len(found) for i in range(len(found))):
                made = None if k in changed or not small else _cross(system, argument, wanted, found[k], limited)
                if made is not None and (now := find_sides([*found[:k], made, *found[k + 1 :]])) >= covered:
                    covered, found[k] = now, made
                    changed.add(k)
                    break
            else:
                if not small or any(_cross(system, argument, wanted, state, (), math.inf) for state in found):
                    missed.append(f"{shown} {'>' if wanted > 0 else '<'} 0")
    if missed and not system.constraints and len(found) > 1:
        said = f"no state has {format_names(missed)}: what the forces are there is not compared at states"
        notes.append(Diagnostic("note", "states", said, "give states that have (--state)"))
    return found


def _switches(system: System) -> list[tuple[Expression, Expression]]:
    """List the arguments of abs() and sign() in forces that move with the model or the time.

    Yield each as written, and as an expression in q, q' and t, with words for points, distances and angles expanded.
    """
    moving = {TIME.data, *system.coordinate_names, *(f"{name}'" for name in system.coordinate_names)}
    known = moving | {p.name for p in system.parameters}
    rigid = not any(body.modes for body in system.bodies)
    words = express_words(system) if rigid else {}
    of_force = {f"forces/{force.name}": force for force in system.forces if isinstance(force, (Bipolar, Torsion))}
    own: dict[Expression, Expression] = {}
    for place, group, _ in formulas(SystemScopes(system)):
        if place.startswith("forces/"):
            nodes = [
                x for x in topological(define(group, system.functions)) if x.op == "fun" and x.data in ("abs", "sign")
            ]
            put = dict(words)
            if nodes and rigid and place in of_force:
                put |= zip(map(symbol, ("@", "@'")), measured(system, of_force[place]), strict=True)
            shown = [x.args[0] for x in nodes]
            own |= zip(shown, substitute(shown, put), strict=True)
    return [(x, y) for x, y in own.items() if symbols([y]) & moving and symbols([y]) <= known]


def _side(system: System, argument: Expression, state: State) -> float:
    """Return the sign of an argument at a state; zero if the argument is zero or has no value."""
    try:
        (value,) = evaluate([argument], environment(system, [state])[0])
    except ExpressionError:
        return 0.0
    return float(np.sign(value)) if math.isfinite(value) else 0.0


def _cross(
    system: System, argument: Expression, wanted: float, state: State, limited: Sequence[Expression], far: float = FAR
) -> State | None:
    """Return the state with one number changed, up to ``far``, so that the argument has the wanted sign, or None."""
    here = {name: float(value) for name, value in environment(system, [state])[0].items()}
    modal = {name for body in system.bodies for name in body.modal}
    moving = {"t", *state.q, *(f"{n}'" for n in state.v)} - modal
    for name in sorted(symbols([argument]) & moving):
        for at in reversed(find_edges(argument, name, here)):  # far from the edge first: slopes are compared, too
            made = replace_value(state, name, float(f"{at:.6g}"))
            if abs(at) < far and _side(system, argument, made) == wanted and _has_values(system, limited, made):
                return made
    return None


def replace_value(state: State, name: str, value: float) -> State:
    """Return a state with another time, coordinate, or rate ``q'``."""
    if name == "t":
        return replace(state, t=value)
    if name.endswith("'"):
        return replace(state, v=dict(state.v) | {name[:-1]: value})
    return replace(state, q=dict(state.q) | {name: value})


def find_edges(argument: Expression, name: str, here: Mapping[str, float]) -> list[float]:
    """List values of one symbol at, near and beyond those where an argument is zero or smallest, others fixed."""
    places = find_places(argument, name, here)[:MOST_PLACES]
    return [at + part * max(abs(at), 1.0) for at in places for part in ASIDE]


@np.errstate(all="ignore")
def find_places(argument: Expression, name: str, here: Mapping[str, float]) -> list[float]:
    """Find where an argument is zero or smallest along one symbol, with the others fixed."""

    def size(x: Array) -> Array:
        (found,) = evaluate([argument], dict(here) | {name: x}, numpy_arithmetic())
        own = np.abs(np.broadcast_to(np.asarray(found, float), x.shape))
        return np.where(np.isfinite(own), own, np.inf)

    sizes = size(GRID)
    inner = (sizes[1:-1] <= sizes[:-2]) & (sizes[1:-1] <= sizes[2:]) & np.isfinite(sizes[1:-1])
    lowest = np.flatnonzero(inner & ((sizes[1:-1] < sizes[:-2]) | (sizes[1:-1] < sizes[2:])))
    lowest = lowest[np.argsort(sizes[1 + lowest], kind="stable")][:MOST_PLACES]
    low, high = GRID[lowest], GRID[lowest + 2]
    for _ in range(HALVINGS):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        left = size(one) <= size(two)
        low, high = np.where(left, low, one), np.where(left, two, high)
    return [float(x) for x in (low + high) / 2]


def _of_time(system: System) -> list[Expression]:
    """List the formulas of a model that contain t, with functions expanded."""
    values = [x for _, group, _ in formulas(SystemScopes(system)) for x in group]
    return [x for x in define(values, system.functions) if TIME.data in symbols([x])]


def tables_that_end(system: System) -> list[Expression]:
    """List the tables in a model's formulas that refuse arguments outside their range; @ in them is expanded."""
    found = []
    of_force = {f"forces/{force.name}": force for force in system.forces}
    words = {str(word) for word in find_words(system.coordinates, system.forces)}
    for place, group, _ in formulas(SystemScopes(system)):
        if place.startswith("functions/"):
            continue
        nodes = [
            node for node in topological(define(group, system.functions))
            if isinstance(node.data, Interpolant) and node.data.beyond == "refuse" and not node.args[0].constant
            and not words & symbols([node])  # a table of a speed: whether it ends is seen by the forces alone
        ]  # fmt: skip
        force = of_force.get(place)
        if nodes and isinstance(force, (Bipolar, Torsion)):
            length, rate = measured(system, force)
            nodes = substitute(nodes, {symbol("@"): length, symbol("@'"): rate})
        found += nodes
    return define(found, system.functions)


def _has_values(system: System, timed: Sequence[Expression], state: State) -> bool:
    """Return True if these formulas have values at a state; a bipolar element is 1 m long and at rest."""
    if not timed:
        return True
    try:
        found = evaluate(timed, environment(system, [state])[0] | {"@": 1.0, "@'": 0.0})
    except ExpressionError:
        return False
    return all(map(math.isfinite, found))


def draw_states(system: System, count: int, seed: int) -> tuple[State, ...]:
    """Return the states of :func:`draw`."""
    return draw(system, count, seed).states


def complete_state(system: System, state: State, seed: int) -> State:
    """Draw values for the parameters that have none, neither in the state nor in the model."""
    drawn = _parameters(system, Random(seed), dict(state.parameters))
    return replace(state, parameters=drawn)


def magnitude(random: Random, smallest: float, largest: float) -> float:
    """Draw a positive number, log-uniform, of six digits."""
    return float(f"{smallest * (largest / smallest) ** random.random():.6g}")


def _draw_signed(random: Random, bounds: tuple[float, float]) -> float:
    value = magnitude(random, *bounds)
    return value if random.getrandbits(1) else -value


def _angle(random: Random) -> float:
    if random.getrandbits(1):
        return _draw_signed(random, ANGLES)
    return float(f"{TURNS * (2 * random.random() - 1):.6g}")


def _state(system: System, random: Random, parameters: dict[str, float]) -> State:
    turning = system.angles
    modal = {name for body in system.bodies for name in body.modal}
    names = system.coordinate_names
    q = {
        name: _angle(random) if name in turning else _draw_signed(random, DEFLECTIONS if name in modal else SHIFTS)
        for name in names
    }
    v = {name: _draw_signed(random, RATES) for name in names}
    a = {name: _draw_signed(random, RATES) for name in names}
    return State(magnitude(random, *TIMES), q, v, a, parameters)


def _limit_turns(system: System, state: State) -> State:
    """Halve modal coordinates until no section of an elastic body exceeds its rotation limit."""
    modal = [name for body in system.bodies for name in body.modal]
    while modal and beyond(system, Instance(system, [state]).values):
        state = replace(state, q=dict(state.q) | {name: state.q[name] / 2 for name in modal})
    return state


def _parameters(
    system: System, random: Random, given: dict[str, float] | None = None, drawn: Collection[str] = ()
) -> dict[str, float]:
    """Draw values of parameters that have none or are to be drawn, so that bodies are physically possible."""
    fixed = dict(given or {})
    names = [p.name for p in system.parameters if (p.value is None or p.name in drawn) and p.name not in fixed]
    if not names:
        return fixed
    findings: list[Diagnostic] = []
    without = physics(system, known_values(system, fixed))  # of what does not rest on drawn values
    for _ in range(ATTEMPTS):
        values = fixed | {name: magnitude(random, *PARAMETERS) for name in names}
        free = set(names)
        for body in system.bodies:
            for inertia in (body.inertia, *(wheel.inertia for wheel in body.flywheels)):
                _fit_tensor(system, inertia, values, free, random)
        findings = physics(system, parameter_values(system, values))
        if all(finding in without for finding in findings):
            return values
    raise NumbersError(
        [
            error("parameters", f"no physical values found in {ATTEMPTS} draws of {', '.join(names)}", "set them"),
            *findings,
        ]
    )


def _fit_tensor(system: System, inertia: Inertia, values: dict[str, float], free: set[str], random: Random) -> None:
    """Set the free parameters in a tensor of the form ``parameter + rest`` so that it is physical.

    The tensor tr(P) E - P of a drawn positive definite P = ∫ r rᵀ dm satisfies the triangle inequality.
    """
    terms = [_own_parameter(element, free) for element in inertia.tensor]
    if not any(terms):
        return
    arms = [[_draw_signed(random, (0.1, 1.0)) for _ in range(3)] for _ in range(4)]
    p = [[sum(r[i] * r[k] for r in arms) for k in range(3)] for i in range(3)]
    whole = p[0][0] + p[1][1] + p[2][2]
    target = (whole - p[0][0], whole - p[1][1], whole - p[2][2], -p[0][1], -p[0][2], -p[1][2])
    for name, element, wanted in zip(terms, inertia.tensor, target, strict=True):
        if name in free:
            known = parameter_values(system, values)
            present = evaluate([element], known)[0]
            values[name] = float(f"{known[name] + wanted - present:.6g}")
            free.discard(name)


def _own_parameter(element: Expression, free: set[str]) -> str:
    """Return the free parameter that the element contains as a plain summand, or an empty string."""
    for name in sorted(symbols([element]) & free):
        if derivative(element, symbol(name)) is ONE:
            return name
    return ""


def _define_functions(system: System, seed: int) -> tuple[System, list[Diagnostic]]:
    """Give each function without a formula one that depends only on its name and the seed."""
    functions, notes = [], []
    for function in system.functions:
        if function.formula is None:
            function = replace(function, formula=_smooth(function, Random(f"{seed} {function.name}")))
            signature = f"{function.name}({', '.join(function.arguments)})"
            notes.append(Diagnostic("note", f"functions/{function.name}", f"drawn: {signature} = {function.formula}"))
        functions.append(function)
    return (replace(system, functions=tuple(functions)) if notes else system), notes


def _smooth(function: Function, random: Random) -> Expression:
    """Make a smooth formula with nonzero derivatives, mixed ones too."""
    numbers = _coefficients(random)
    arguments = [symbol(name) for name in function.arguments]
    total = as_expression(next(numbers))
    for x in arguments:
        total = total + next(numbers) * x + next(numbers) * sin(next(numbers) * x + next(numbers))
    for x, y in itertools.pairwise(arguments):
        total = total + next(numbers) * sin(x) * y
    return total


def _coefficients(random: Random) -> Iterator[Fraction]:
    while True:
        yield Fraction(random.randint(10, 150), 100)


@dataclass(frozen=True)
class ClosedStates:
    """A model with every function defined, and states that satisfy its constraints.

    Attributes
    ----------
    system : System
    states : as drawn or given, if none could be assembled
    assembly : Assembly or None
        Of the states; None where there is none.
    asked : number of requested states
    diagnostics : states drawn, moved and left out
    """

    system: System
    states: tuple[State, ...]
    assembly: Assembly | None
    asked: int
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def missing(self) -> str:
        """Reason why the motion is not to be checked at these states; empty if they suffice."""
        got = len(self.states) if self.assembly else 0
        if got >= ENOUGH * self.asked and got:
            return ""
        return f"{got or 'none'} of {self.asked} states asked for satisf{'ies' if got == 1 else 'y'} the constraints"
