"""Symmetries of equations of motion: fields X(q) + c ∂/∂t along which the same motions go on elsewhere.

A field, prolonged to rates and accelerations as (X, DX v, D²X(v, v) + DX a), is one where

    L R + DXᵀ R = 0 ,   R = M a - gravity - applied + h        for all t, q, v, a: M and the forces are the same
    L (D v + γ) = Λ (D v + γ)                                  for all t, q, v: admitted motions stay admitted

and positions stay on the constraints of the state. Fields are sought among ∂/∂t, ∂/∂q_i, rigid motions of everything
and turns of single bodies about axes of their own: combinations in floats, at random states and times. Each is then an
identity in prime fields, or none: a force that breaks it in the twelfth digit breaks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm, pi
from typing import Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.expressions import (
    ONE,
    PI_NODE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    evaluate,
    number,
    rate,
    symbol,
    symbols,
    topological,
)
from mbconcord.model.expressions.calculus import Substitution, derivative, directional, jacobian
from mbconcord.model.expressions.field import IDENTICAL, compare, vanish
from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..motion.arrays import Array
from ..motion.formulas import EquationNumbers, Formula, array
from .equations import SlopeEquations, equations
from .reduction import Arrays, LinearNumbers, Slopes
from .smooth import kinks

#: Combinations of fields are sought at so many states, so far from the state; others are tried where it has no numbers.
STATES, TRIES, FAR = 6, 40, 0.4
#: A combination is tried below this part of what its equations are made of, and looks like one below the other.
SOUGHT, LIKE = 1e-11, 1e-6
#: Beyond this part a field is made of others; a number nearer to a fraction of this denominator is that one.
APART, DENOMINATOR = 1e-8, 720
#: Rates of sines are in a ratio of whole numbers up to this part; so is a stated period to that of the equations.
RATIO: Final = 1e-12
#: Positions move off the constraints of the state beyond this part of what their rates are made of.
OFF: Final = 1e-12


@dataclass(frozen=True)
class SymmetryField:
    """X(q) of n coordinates, and c of ∂/∂t, as expressions with numbers of the parameters."""

    name: str
    X: tuple[Expression, ...]
    c: Expression = ZERO

    def scale(self, factor: Expression) -> SymmetryField:
        """Return the product of the field with a number."""
        return SymmetryField(self.name, tuple(factor * x for x in self.X), factor * self.c)

    def add(self, other: SymmetryField, name: str) -> SymmetryField:
        """Return the sum of two fields."""
        return SymmetryField(name, tuple(a + b for a, b in zip(self.X, other.X, strict=True)), self.c + other.c)


@dataclass(frozen=True)
class Symmetries:
    """Symmetries of a model, and what looked like them.

    Attributes
    ----------
    fields : symmetries that are proved
    broken : fields that are symmetries in floats only
    """

    fields: tuple[SymmetryField, ...]
    broken: tuple[SymmetryField, ...] = field(default=())


def find_symmetries(system: System, by: Formalism, made: SlopeEquations, state: State) -> Symmetries:
    """Find the symmetries of equations near a state on the constraints."""
    search = _SymmetrySearch(made, state)
    every = search.drop_dependent([*_along_coordinates(made), *_rigid_motions(system, by, made, state)])
    near, like = search.combine(every)
    proved = [found for found in near if search.prove(found)]
    known = {found.name for found in proved}
    return Symmetries(tuple(proved), tuple(found for found in like if found.name not in known))


def find_breaking_forces(
    system: System, by: Formalism, state: State, broken: SymmetryField, hold: Sequence[str]
) -> list[str]:
    """List forces of a model without which, one at a time, a field is a symmetry."""
    found = []
    for force in system.forces:
        others = replace(system, forces=tuple(f for f in system.forces if f is not force))
        made = equations(others, by, state.parameters, (), hold)
        if _SymmetrySearch(made, state).prove(broken):
            found.append(force.name)
    return found


def lift(found: SymmetryField, names: Sequence[str]) -> list[Expression]:
    """Return the derivative of a field along the rates, DX v (n,)."""
    return directional(found.X, {symbol(n): rate(n) for n in names})


def find_period(made: SlopeEquations, stated: float | None = None) -> float | None:
    """Find a time after which equations repeat: by the rates of their sines of t, or the stated one; None if none is.

    That equations repeat is decided as an identity in prime fields, with numbers as they are written.
    """
    every = _list_equations(made)
    if TIME.data not in symbols(every):
        return stated
    sines = (x for x in topological(every) if x.op == "fun" and x.data in ("sin", "cos", "tan"))
    rates = [pace for x in sines if (pace := derivative(x.args[0], TIME)) is not ZERO and pace.constant]
    period = _join_periods(list(dict.fromkeys(rates)))
    tried = [period] if period is not None else []
    if stated is not None:
        own = float(evaluate(tried, {})[0]) if tried else stated
        times = round(stated / own)
        near = [number(times) * x for x in tried if times and abs(times * own - stated) <= RATIO * stated]
        tried = [*near, number(Fraction(repr(float(stated))))]
    return next((float(evaluate([T], {})[0]) for T in tried if _repeats(every, TIME, T)), None)


def repeats_after_turn(made: SlopeEquations, name: str) -> bool:
    """Return True if equations are the same after a whole turn of a coordinate: an identity in prime fields."""
    return _repeats(_list_equations(made), symbol(name), number(2) * PI_NODE)


def _list_equations(made: SlopeEquations) -> list[Expression]:
    return [*made.M.ravel(), *made.parts.ravel(), *made.D.ravel(), *made.rest, *made.flow]


def _repeats(every: Sequence[Expression], x: Expression, period: Expression) -> bool:
    later = Substitution({x: x + period}).apply(every)
    apart = [(a, b) for a, b in dict.fromkeys(zip(every, later, strict=True)) if a is not b]
    return all(found.kind == IDENTICAL for found in compare(apart))


def _join_periods(rates: Sequence[Expression]) -> Expression | None:
    """Return 2π over the largest number of which all rates are whole multiples; None if there is none."""
    if not rates:
        return None
    first, *_ = values = evaluate(rates, {})
    parts = [Fraction(x / first).limit_denominator(DENOMINATOR) for x in values]
    if any(abs(float(part) * first - x) > RATIO * abs(first) for part, x in zip(parts, values, strict=True)):
        return None
    below = lcm(*(x.denominator for x in parts))
    times = Fraction(below, gcd(*(x.numerator * below // x.denominator for x in parts)))
    return number(2 * times) * PI_NODE / (rates[0] if first > 0 else -rates[0])


class _SymmetrySearch:
    """Search for fields that are symmetries of equations, and proof that they are."""

    def __init__(self, made: SlopeEquations, state: State) -> None:
        self.made, self.state, self.names = made, state, made.names
        nothing = Substitution({symbol(x): ZERO for x in (*made.multipliers, *(u.symbol for u in made.inputs))})
        self.residual, self.D, self.rest, self.flow = (
            nothing.apply(x.ravel().tolist()) for x in (made.residual, made.D, made.rest, made.flow)
        )
        n = len(self.names)
        self.lines = [self.D[i * n : i * n + n] for i in range(len(made.rows))]
        rates = [rate(x) for x in self.names]
        self.speeds = [
            sum((d * v for d, v in zip(line, rates, strict=True)), ZERO if holonomic else flow)
            for line, flow, holonomic in zip(self.lines, self.flow, made.holonomic, strict=True)
        ]
        self.timed = TIME.data in symbols([*self.D, *self.rest])

    def conditions(self, one: SymmetryField) -> list[Expression]:
        """Return expressions that are zero for a symmetry: n forces and, at admitted rates, m rates of the rows."""
        names = self.names
        q, v, a = ([rate(x, k) for x in names] for k in range(3))
        w = lift(one, names)
        along = dict(zip(q, one.X, strict=True)) | dict(zip(v, w, strict=True))
        bent = directional(w, dict(zip(q, v, strict=True)) | dict(zip(v, a, strict=True)))
        every = {x: d for x, d in (along | dict(zip(a, bent, strict=True)) | {TIME: one.c}).items() if d is not ZERO}
        forces = directional(self.residual, every)
        turned = jacobian(one.X, q)
        for i, column in enumerate(zip(*turned, strict=True)):
            forces[i] = sum((r * x for r, x in zip(self.residual, column, strict=True) if x is not ZERO), forces[i])
        return [*forces, *self.rates_of_rows(one, every)]

    def rates_of_rows(self, one: SymmetryField, along: Mapping[Expression, Expression]) -> list[Expression]:
        """Return L (D v + γ) (m,); γ of a row that restricts positions is known by its derivatives."""
        found = directional(self.speeds, along)
        if not self.timed:
            return found
        still = Substitution({rate(x): ZERO for x in self.names})
        for i, holonomic in enumerate(self.made.holonomic):
            if holonomic:
                turning = directional(self.lines[i], {TIME: ONE})
                found[i] = sum((x * d for x, d in zip(one.X, turning, strict=True)), found[i])
                found[i] = found[i] + one.c * still.apply([self.rest[i]])[0]
        return found

    def drop_dependent(self, every: Sequence[SymmetryField]) -> list[SymmetryField]:
        """Keep fields that are no sums of those before them."""
        values, kept, basis = self._sample(every), [], np.zeros((0, len(next(iter(every)).X) * STATES + 1))
        for one, line in zip(every, values, strict=True):
            size = float(np.linalg.norm(line))
            left = line - basis.T @ (basis @ line)
            left = left - basis.T @ (basis @ left)
            if np.isfinite(size) and size > 0 and np.linalg.norm(left) > APART * size:
                kept.append(one)
                basis = np.vstack([basis, left / np.linalg.norm(left)])
        return kept

    def _sample(self, every: Sequence[SymmetryField]) -> Array:
        """Evaluate fields at random states: (fields, n * states + 1)."""
        found, rng = [], np.random.default_rng(1)
        program = Arrays([_array(one.X) for one in every])
        for _ in range(TRIES):
            q = self._positions(rng, 1.0)
            try:
                found.append(np.array(program.evaluate(dict(zip(self.names, q, strict=True)))))
            except ExpressionError:
                continue
            if len(found) == STATES:
                break
        while len(found) < STATES:
            found.append(np.zeros((len(every), len(self.names))))
        times = np.array(evaluate([one.c for one in every], {}), dtype=float)
        return np.hstack([*found, times[:, None]])

    def _positions(self, rng: np.random.Generator, part: float) -> list[float]:
        return [self.state.q[x] + part * FAR * rng.standard_normal() for x in self.names]

    def combine(self, every: Sequence[SymmetryField]) -> tuple[list[SymmetryField], list[SymmetryField]]:
        """List combinations that are symmetries in floats, those of a coordinate first; and those that nearly are."""
        made, n, m, rng = self.made, len(self.names), len(self.made.rows), np.random.default_rng(2)
        conditions = [self.conditions(one) for one in every]
        program = Arrays([_array([x for line in conditions for x in line])])
        lines = [self._at_state(every)] if m else []
        part, taken = 1.0, 0
        for tried in range(TRIES):
            q, t = self._positions(rng, part), self.state.t + rng.standard_normal() * bool(made.rheonomic)
            v, a = rng.standard_normal((2, n))
            try:
                values = made.values(t, q, [0.0] * n, [0.0] * n, [0.0] * m)
                D = made.numbers(values).D
                if m and not self.timed and not any(x is not ZERO for x in self.flow):
                    v = v - np.linalg.lstsq(D, D @ v, rcond=1e-10)[0]
                values = made.values(t, q, v.tolist(), a.tolist(), [0.0] * m)
                there = made.numbers(values), made.slopes(values)
                (found,) = program.evaluate(values)
            except ExpressionError:
                part = part / 2 if tried % 4 == 3 else part
                continue
            by_field = found.reshape(len(every), n + m).T
            sizes = self._sizes(*there, v, a)
            if np.isfinite(by_field).all() and np.isfinite(sizes).all():
                lines.append(by_field / sizes[:, None])
                taken += 1
            if taken == STATES:
                break
        if taken < STATES:
            return [], []
        _, sizes, right = np.linalg.svd(np.vstack(lines))
        ranks = [int((sizes > part).sum()) for part in (SOUGHT, LIKE)]
        near, like = ([_join(every, line) for line in _echelon(right[rank:])] for rank in ranks)
        return near, like

    def _at_state(self, every: Sequence[SymmetryField]) -> Array:
        """Return how fields move positions off the constraints: D_h X + c γ_h, γ_h = -D v."""
        made, state = self.made, self.state
        q, v = ([x[name] for name in self.names] for x in (state.q, state.v))
        at = made.numbers(made.values(state.t, q, v, [0.0] * len(q), [0.0] * len(made.rows)))
        names = dict(zip(self.names, q, strict=True))
        X, times = (np.array(Arrays([_array(x)]).evaluate(names)[0]) for x in _stack(every))
        lines = at.lines[list(made.holonomic)]
        return np.asarray(lines @ (X.reshape(len(every), -1).T - np.outer(v, times)))

    def _sizes(self, at: LinearNumbers, slopes: Slopes, v: Array, a: Array) -> Array:
        """Return sizes of the terms of the conditions (n + m,)."""
        forces = np.abs(at.M) @ np.abs(a) + at.sizes + np.abs(slopes.K).sum(axis=1) + np.abs(slopes.C) @ np.abs(v)
        rows = np.abs(at.D).sum(axis=1) + np.abs(slopes.turning).sum(axis=1)
        every = np.concatenate([forces, rows])
        return np.where(every > 0, every, 1.0)

    def prove(self, one: SymmetryField) -> bool:
        """Return True if it is proved that a field is a symmetry, and that positions stay on the constraints."""
        n, made = len(self.names), self.made
        found = self.conditions(one)
        factors = self._turn_rows(one) if made.rows else np.zeros((0, 0))
        if factors is None or (self.timed and factors.any()):
            return False
        edges = [node.args[0] for node in kinks([*self.residual, *self.D, *self.rest])]  # beyond them are other forces
        if any(x.kind != IDENTICAL for x in vanish(directional(edges, self._along(one)))):
            return False
        for i, line in enumerate(factors):
            turned = (number(Fraction(x)) * speed for x, speed in zip(line, self.speeds, strict=True) if x)
            found[n + i] = sum((-x for x in turned), found[n + i])
        straying = np.abs(self._at_state([one]))
        if any(x.kind != IDENTICAL for x in vanish(found)) or (straying > OFF).any():
            return False
        held = [line for line, holonomic in zip(self.lines, made.holonomic, strict=True) if holonomic]
        off = [sum((d * x for d, x in zip(line, one.X, strict=True)), ZERO) for line in held]
        return bool(factors.any() or one.c is not ZERO or all(x.kind == IDENTICAL for x in vanish(off)))

    def _turn_rows(self, one: SymmetryField) -> Array | None:
        """Return the constant Λ (m, m), in fractions, with L (D v + γ) = Λ (D v + γ); None without numbers."""
        made, m, n = self.made, len(self.made.rows), len(self.names)
        state, rng = self.state, np.random.default_rng(3)
        moved = self.rates_of_rows(one, self._along(one))
        program, speeds = Arrays([_array(moved)]), Arrays([_array(self.speeds)])
        left, right = [], []
        for _ in range(TRIES):
            q, v = self._positions(rng, 0.5), rng.standard_normal(n).tolist()
            values = made.values(state.t, q, v, [0.0] * n, [0.0] * m)
            try:
                left.append(program.evaluate(values)[0])
                right.append(speeds.evaluate(values)[0])
            except ExpressionError:
                continue
            if len(left) == m + 2:
                break
        if len(left) < m + 2:
            return None
        factors = np.linalg.lstsq(np.array(right), np.array(left), rcond=1e-12)[0].T
        return np.array([[float(_recognise(x)[0]) for x in line] for line in factors])

    def _along(self, one: SymmetryField) -> dict[Expression, Expression]:
        q, v = ([rate(x, k) for x in self.names] for k in range(2))
        along = zip([*q, *v, TIME], [*one.X, *lift(one, self.names), one.c], strict=True)
        return {x: d for x, d in along if d is not ZERO}


def _array(values: Iterable[Expression]) -> Formula:
    flat = list(values)
    return array(flat, (len(flat),))


def _stack(every: Sequence[SymmetryField]) -> tuple[list[Expression], list[Expression]]:
    return [x for one in every for x in one.X], [one.c for one in every]


def _along_coordinates(made: SlopeEquations) -> Iterator[SymmetryField]:
    names = made.names
    for name in names:
        yield SymmetryField(name, tuple(ONE if x == name else ZERO for x in names))
    if made.rheonomic:
        yield SymmetryField("time", (ZERO,) * len(names), ONE)


def _rigid_motions(system: System, by: Formalism, made: SlopeEquations, state: State) -> Iterator[SymmetryField]:
    """Yield rigid motions of everything about axes of the fixed frame, and turns of bodies about their own axes."""
    tree = system.open_loops()
    bodies = [b for b in tree.bodies if b.coordinates]
    first = [b for b in bodies if not any(x.coordinates for x in tree.path(b.name)[:-1])]
    last = [b for b in bodies if not tree.children(b.name)]
    points = [Point(b.name) for b in (*first, *last)]
    motions = by.motions(tree, points) or next(
        (found for x in map(registry.formalism, registry.names()) if (found := _ask(x, tree, points))), ()
    )
    if not motions:
        return
    numbers = EquationNumbers(system, state.parameters)
    at = {"t": state.t} | dict(state.q) | {f"{x}'": v for x, v in state.v.items()}
    places = {name: i for i, name in enumerate(made.names)}
    for order in ((0, 1, 2, 3, 4, 5), (3, 4, 5, 0, 1, 2)):
        parts = [
            _solve_twists(_columns(x, b.coordinates, places, numbers), _twists(numbers.apply(x.r)), at, order)
            for b, x in zip(first, motions, strict=False)
        ]
        for k, name in enumerate((*(f"translation along {x}" for x in "xyz"), *(f"rotation about {x}" for x in "xyz"))):
            X = [ZERO] * len(places)
            for body, part in zip(first, parts, strict=True):
                for j, coordinate in enumerate(body.coordinates):
                    X[places[coordinate]] = part[j][k]
            yield SymmetryField(name, tuple(X))
    for body, x in zip(last, motions[len(first) :], strict=True):
        R, centre = ([numbers.apply(row) for row in x.R], numbers.apply(body.inertia.centre))
        arm = [sum((a * c for a, c in zip(row, centre, strict=True)), ZERO) for row in R]
        axes = list(zip(*R, strict=True))
        twists = [[*_cross(arm, axis), *axis] for axis in axes]
        right = [list(line) for line in zip(*twists, strict=True)]
        part = _solve_twists(_columns(x, body.coordinates, places, numbers), right, at, (3, 4, 5, 0, 1, 2))
        for k, axis in enumerate("xyz"):
            X = [ZERO] * len(places)
            for j, coordinate in enumerate(body.coordinates):
                X[places[coordinate]] = part[j][k]
            yield SymmetryField(f"spin of {body.name} about its {axis}", tuple(X))


def _ask(by: Formalism, tree: System, points: Sequence[Point]) -> tuple[PointMotion, ...] | None:
    return None if by.obstacles(tree) else by.motions(tree, points)


def _columns(
    x: PointMotion, names: Sequence[str], places: Mapping[str, int], numbers: EquationNumbers
) -> list[list[Expression]]:
    return [numbers.apply(row[places[name]] for name in names) for row in x.J]


def _cross(a: Sequence[Expression], b: Sequence[Expression]) -> list[Expression]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _twists(r: Sequence[Expression]) -> list[list[Expression]]:
    """Return velocity and angular velocity at r (6,) of six twists about the origin: as rows (6, 6)."""
    units = [[ONE if i == k else ZERO for i in range(3)] for k in range(3)]
    none = [ZERO] * 3
    columns = [*([*u, *none] for u in units), *([*_cross(u, r), *u] for u in units)]
    return [list(row) for row in zip(*columns, strict=True)]


def _solve_twists(
    J: list[list[Expression]], right: list[list[Expression]], at: Mapping[str, float], order: Sequence[int]
) -> list[list[Expression]]:
    """Solve J x = right (6, r) for x (k, r) by as many of the six rows as there are columns, chosen at a state.

    The other rows are ignored: a field that does not satisfy them is no symmetry, which its conditions show.
    """
    lines = [[*J[i], *right[i]] for i in order]
    k, width, taken = len(J[0]), len(right[0]), []
    for column in range(k):
        left = [i for i in range(len(lines)) if i not in taken]
        try:
            values = np.abs(evaluate([lines[i][column] for i in left], at))
        except ExpressionError:
            return [[ZERO] * width for _ in range(k)]
        if not values.size or values.max() < 1e-9:
            return [[ZERO] * width for _ in range(k)]
        pivot = left[int(np.argmax(values > 0.3 * values.max()))]
        head = lines[pivot] = [x / lines[pivot][column] for x in lines[pivot]]
        for i, line in enumerate(lines):
            if i != pivot and line[column] is not ZERO:
                times = line[column]
                lines[i] = [a - times * b for a, b in zip(line, head, strict=True)]
        taken.append(pivot)
    return [lines[i][k:] for i in taken]


def _echelon(lines: Array) -> Array:
    """Return the reduced echelon form of independent rows."""
    left, done = lines.copy(), 0
    for column in range(left.shape[1]):
        if done == len(left):
            break
        best = done + int(np.argmax(np.abs(left[done:, column])))
        if abs(left[best, column]) < APART:
            left[done:, column] = 0.0
            continue
        left[[done, best]] = left[[best, done]]
        left[done] /= left[done, column]
        for i in range(len(left)):
            if i != done:
                left[i] -= left[i, column] * left[done]
        done += 1
    return left


def _recognise(x: float) -> tuple[Fraction, int]:
    """Return a fraction, and 1 if it is to be multiplied by pi; a number that is neither stays itself."""
    for power in (0, 1):
        near = Fraction(x / pi**power).limit_denominator(DENOMINATOR)
        if abs(float(near) * pi**power - x) <= APART * max(1.0, abs(x)):
            return near, power
    return Fraction(x), 0


def _join(every: Sequence[SymmetryField], line: Array) -> SymmetryField:
    """Make the combination of fields with these factors."""
    found, terms = None, []
    for one, x in zip(every, line.tolist(), strict=True):
        near, power = _recognise(x)
        if not near:
            continue
        factor = number(near) * PI_NODE if power else number(near)
        terms.append(one.name if near == 1 and not power else f"{x:.6g} {one.name}")
        part = one.scale(factor)
        found = part if found is None else found.add(part, "")
    assert found is not None
    return SymmetryField(" + ".join(terms).replace("+ -", "- "), found.X, found.c)
