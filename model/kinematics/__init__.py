"""Kinematics of frames and points by each formalism's own motions, and kinematic quantities by name.

Speeds u = Y(q, t) q' + y(q, t) other than rates, and the equations of motion in them.

    M_u = Xᵀ M X ,   X = Y⁻¹ ,   h_u = Xᵀ (h - M X b) ,   b = u' at q'' = 0 ,   forces Xᵀ Q ,   C_u = Xᵀ (C X + M Ẋ)

A speed is a component of the motion of a body against its carrier, in the body's own axes, or a formula linear in
rates. Rates that stand in no speed are speeds themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass, replace

from ..body import Body
from ..checks.scope import SystemScopes
from ..diagnostics import Diagnostic, MbconcordError, NumbersError, among, error
from ..evaluation import Array
from ..expressions import MINUS_ONE, ONE, ZERO, Expression, apply, rate, substitute, symbols, time_derivative
from ..expressions.calculus import jacobian, made_of
from ..expressions.formula import parse_formula
from ..expressions.traversal import Nested
from ..force import Point
from ..functions import define
from ..limits import count
from ..system import System
from ..transformation import Vector
from .machine import MACHINE, PointMotion, along, mass_point
from .quantities import (
    KINDS,
    KinematicQuantity,
    express_kinematics,
    jacobian_of,
    list_kinematics,
    put_in_words,
    read_kinematics,
    split_words,
)

#: How speeds of a body are asked for: names of their entries.
OF_BODIES: Final[Mapping[str, tuple[str, ...]]] = {
    "angular velocity": ("wx", "wy", "wz"),
    "velocity": ("vx", "vy", "vz"),
    "velocity; angular velocity": ("vx", "vy", "vz", "wx", "wy", "wz"),
}
#: Quantity in speeds -> canonical quantities and derivatives that it is made of.
IN_SPEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "u": (), "du_dv": (), "acceleration_u": (), "M_u": ("M",), "h_u": ("M", "h"), "gravity_u": ("gravity",),
    "applied_u": ("applied",), "inverse_dynamics_u": ("M", "h", "gravity", "applied"), "C_u": ("M", "C"),
}  # fmt: skip
#: Those that Y alone gives, invertible or not.
OF_RATES: Final = ("u", "du_dv", "acceleration_u")
#: So many speeds at most may depend on one another.
MOST: Final = 6
#: Determinants below this part of their size are rounding.
SINGULAR: Final = 2.0**-48


def find_singular(
    determinants: Array, sizes: Array, speeds: Sequence[str], rates: Sequence[str]
) -> tuple[Flags, tuple[Diagnostic, ...]]:
    """Find the states at which determinants (S, k) of blocks of Y are mere rounding.

    Returns
    -------
    tuple
        Flags (S,), and an error for each group of speeds that determines no rates at a state.
    """
    lost: Flags = np.logical_not(np.abs(determinants) > SINGULAR * sizes)
    findings = []
    for k in np.flatnonzero(lost.any(axis=0)).tolist():
        s = int(np.flatnonzero(lost[:, k])[0])
        message = f"they do not determine {rates[k]} at state {s} (det Y = {determinants[s, k]:.2g}): no number in them"
        findings.append(error(f"speeds/{speeds[k]}", message, "take other speeds, or move the state away"))
    return np.any(lost, axis=1), tuple(findings)


#: Motions of points of a system by a formalism, in their order.
MotionsOf = Callable[[System, Sequence[Point]], Sequence[PointMotion] | None]
Flags = NDArray[np.bool_]
Matrix = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True)
class Speeds:
    """Speeds that a model's rates are exchanged for.

    Attributes
    ----------
    system : the open tree
    bodies : name -> names of its entries, ``vx`` to ``wz``
    formulas : name -> formula, linear in rates
    groups : the names of bodies and formulas, in the order in which the author gave the speeds
    rest : coordinates whose rates are speeds themselves
    """

    system: System
    bodies: Mapping[str, tuple[str, ...]]
    formulas: Mapping[str, Expression]
    groups: tuple[str, ...]
    rest: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all speeds, in order; ``rest`` at the end."""
        found = [n for g in self.groups for n in ([f"{g}.{x}" for x in self.bodies[g]] if g in self.bodies else [g])]
        return (*found, *(f"{name}'" for name in self.rest))

    def indices(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Name the entries of a quantity in speeds, axis by axis."""
        if name == "du_dv":
            return self.names, self.system.coordinate_names
        return (self.names,) * (2 if name in ("M_u", "C_u") else 1)

    def alone(self, body: str) -> System:
        """Return a system of one body alone, carried by the fixed frame through the body's own joint."""
        system = self.system
        own = system.body(body)
        moving = {name for step in own.joint for name in step.moving}
        kept = tuple(replace(c, drive=None) for c in system.coordinates if c.name in moving)
        return System(
            system.name, kept, system.parameters, system.functions, bodies=(Body(body, None, own.joint),)
        )  # fmt: skip

    def express(self, motions: MotionsOf) -> ExpressedSpeeds:
        """Express the speeds by a formalism's own motions of points, and solve them for the rates."""
        rows: list[tuple[Expression, ...]] = []
        u, b = list[Expression](), list[Expression]()
        names = self.system.coordinate_names
        for group in self.groups:
            made = self._of_body(group, motions) if group in self.bodies else [self._of_formula(group)]
            for row, value, rest in made:
                rows.append(tuple(row.get(name, ZERO) for name in names))
                u.append(value)
                b.append(rest)
        for name in self.rest:
            rows.append(tuple(ONE if other == name else ZERO for other in names))
        u += [rate(name) for name in self.rest]
        b += [ZERO] * len(self.rest)
        X, determinants = _invert(rows, self.names, names)
        return ExpressedSpeeds(self, tuple(u), tuple(rows), tuple(b), X, tuple(determinants))

    def _of_body(self, name: str, motions: MotionsOf) -> Iterator[tuple[dict[str, Expression], Expression, Expression]]:
        """Yield for each speed of a body its row of Y, its value u, and u' at q'' = 0."""
        one = self.alone(name)
        (at,) = motions(one, [Point(name)]) or ()
        columns: list[Sequence[Expression]] = [*zip(*at.J, strict=True)]
        turned = [(*along(at.R, _three(c[:3])), *along(at.R, _three(c[3:]))) for c in columns]
        values = (*along(at.R, at.v), *along(at.R, at.w))
        x, y, z = at.w
        spun = (y * at.v[2] - z * at.v[1], z * at.v[0] - x * at.v[2], x * at.v[1] - y * at.v[0])
        pushed = _three([a - c for a, c in zip(at.a0, spun, strict=True)])
        rests = (*along(at.R, pushed), *along(at.R, at.e0))
        for entry in self.bodies[name]:
            k = OF_BODIES["velocity; angular velocity"].index(entry)
            row = {c: column[k] for c, column in zip(one.coordinate_names, turned, strict=True)}
            yield row, values[k], rests[k]

    def _of_formula(self, name: str) -> tuple[dict[str, Expression], Expression, Expression]:
        names = self.system.coordinate_names
        (formula,) = define([self.formulas[name]], self.system.functions)
        (row,) = jacobian([formula], [rate(n) for n in names])
        (moved,) = time_derivative([formula], names)
        (rest,) = substitute([moved], {rate(n, 2): ZERO for n in names})
        return dict(zip(names, row, strict=True)), formula, rest


@dataclass(frozen=True)
class Determinant:
    """Determinant of a block of Y, the rounding of its entries times their cofactors, and names of speeds and rates."""

    value: Expression
    size: Expression
    speeds: str
    rates: str


@dataclass(frozen=True)
class ExpressedSpeeds:
    """Speeds u as expressions, derived by one formalism.

    Attributes
    ----------
    speeds
    u, Y, b : values of the speeds, ∂u/∂q' (n×n), and u' at q'' = 0
    X : Y⁻¹
    determinants : of the blocks of Y with speeds that share rates; none may be zero
    """

    speeds: Speeds
    u: tuple[Expression, ...]
    Y: Matrix
    b: tuple[Expression, ...]
    X: Matrix
    determinants: tuple[Determinant, ...]

    def make(self, name: str, of: Mapping[str, Any]) -> Nested:
        """Compute a quantity in speeds, by its name, from the canonical quantities and derivatives ``of``."""
        X, names = self.X, self.speeds.system.coordinate_names
        if name == "u":
            return self.u
        if name == "du_dv":
            return self.Y
        if name == "acceleration_u":
            return tuple(x + y for x, y in zip(_apply(self.Y, [rate(n, 2) for n in names]), self.b, strict=True))
        turned = _transpose(X)
        if name == "M_u":
            return _product(turned, _product(of["M"], X))
        if name == "C_u":
            moved = _product(X, _product(self._rate_of_Y(), X))
            less = _product(of["M"], moved)
            inner = [
                [x - y for x, y in zip(*rows, strict=True)] for rows in zip(_product(of["C"], X), less, strict=True)
            ]
            return _product(turned, inner)
        if name == "h_u":
            held = _apply(of["M"], _apply(X, self.b))
            return _apply(turned, [x - y for x, y in zip(of["h"], held, strict=True)])
        if name == "inverse_dynamics_u":
            a = _apply(of["M"], [rate(n, 2) for n in names])
            parts = zip(a, of["h"], of["gravity"], of["applied"], strict=True)
            return _apply(turned, [x + h - g - f for x, h, g, f in parts])
        return _apply(turned, of[IN_SPEEDS[name][0]])

    def _rate_of_Y(self) -> Matrix:
        """Return Ẏ (n×n)."""
        flat, n = [x for row in self.Y for x in row], len(self.Y)
        made = time_derivative(flat, self.speeds.system.coordinate_names)
        return tuple(tuple(made[i * n : (i + 1) * n]) for i in range(n))


def read_speeds(system: System, given: Mapping[str, Any]) -> Speeds:
    """Read speeds by name: a body with ``angular velocity``, or a new name with a formula linear in rates.

    Raises
    ------
    NumbersError
        A text is not a speed of the model, or there are too few or too many speeds for the rates: all findings.
    """
    if not isinstance(given, Mapping):
        remedy = "{'hand': 'angular velocity'}, or {'u1': \"cos(q1)*q2'\"}"
        raise NumbersError(error("speeds", f"found {type(given).__name__}, expected speeds by name", remedy))
    tree, findings = system.open_loops(), list[Diagnostic]()
    scopes, known = SystemScopes(system), {body.name: body for body in tree.bodies}
    bodies, formulas = dict[str, tuple[str, ...]](), dict[str, Expression]()
    used: dict[str, list[str]] = {}
    for name, value in given.items():
        where = f"speeds/{name}"
        kind = " ".join(value.split()) if isinstance(value, str) else ""
        if kind in OF_BODIES:
            if name not in known:
                findings.append(error(where, f"there is no body {name!r}", among(name, known)))
                continue
            steps = known[name].joint
            turning = [s for s in steps if kind.startswith("velocity") or not s.is_translation]
            turning = [s for s in turning if kind != "velocity" or s.is_translation]
            used[name] = [*dict.fromkeys(n for s in turning for n in s.moving)]
            bodies[name] = OF_BODIES[kind]
            if len(used[name]) != len(bodies[name]):
                moving = (
                    f"{count(len(used[name]), 'coordinate')} ({', '.join(used[name])})"
                    if used[name]
                    else "no coordinate"
                )
                message = f"its joint has {moving} of its {kind}, not {len(bodies[name])}"
                findings.append(error(where, message, 'write formulas of rates, such as "q1\'"'))
            continue
        try:
            formulas[name] = value if isinstance(value, Expression) else parse_formula(str(value))
        except MbconcordError as problem:
            findings += [replace(d, place=where, location=None) for d in problem.diagnostics]
            continue
        found = [*scopes.check(where, [formulas[name]], scopes.moving)]
        if found and name in known:
            message = f"{value!r:.40} is neither a motion of the body nor a formula"
            found = [error(where, message, among(kind, OF_BODIES))]
        findings += found
        if found:
            continue
        used[name] = [n for n in tree.coordinate_names if f"{n}'" in symbols([formulas[name]])]
        if message := _find_bent(tree, formulas[name]):
            findings.append(error(where, message, "speeds are sums of rates with factors of q, t and parameters"))
    taken = {name for own in used.values() for name in own}
    rest = tuple(name for name in tree.coordinate_names if name not in taken)
    made = Speeds(tree, bodies, formulas, tuple(given), rest)
    findings += [
        error(f"speeds/{name}", "names are unique", "rename one") for name, n in Counter(made.names).items() if n > 1
    ]
    if not findings and len(made.names) != len(tree.coordinates):
        rates = ", ".join(f"{name}'" for name in tree.coordinate_names if name in taken)
        missing = len(made.names) - len(rest)
        several = "speed does" if missing == 1 else "speeds do"
        message = f"{missing} {several} not determine {len(taken)} rates ({rates})"
        findings.append(error("speeds", message, "give as many speeds as rates stand in them"))
    if findings:
        raise NumbersError(findings)
    return made


def _find_bent(tree: System, formula: Expression) -> str:
    """Return why a formula is not a speed: it is not linear in a rate, or has none; empty if it is one."""
    names = tree.coordinate_names
    (made,) = define([formula], tree.functions)
    (row,) = jacobian([made], [rate(n) for n in names])
    for name, slope in zip(names, row, strict=True):
        bent = sorted(symbols([slope]) & {f"{n}'" for n in names})
        if bent:
            return f"it is not linear in rates: its slope by {name}' depends on {bent[0]}"
    return "" if any(slope is not ZERO for slope in row) else "no rate stands in it"


def _invert(
    rows: Sequence[Sequence[Expression]], speeds: Sequence[str], names: Sequence[str]
) -> tuple[Matrix, list[Determinant]]:
    """Invert Y block by block: rows with one rate left first, then groups that share rates by cofactors.

    Raises
    ------
    NumbersError
        The speeds determine no rates, or too many of them depend on one another.
    """
    n = len(names)
    left, unknown, known = set(range(n)), set(range(n)), dict[int, list[Expression]]()
    determinants: list[Determinant] = []
    while left:
        block, columns = _choose_block(rows, left, unknown)
        said = ", ".join(speeds[i] for i in block)
        rates = ", ".join(f"{names[k]}'" for k in columns) or "no rate"
        if len(block) != len(columns):
            raise NumbersError(error(f"speeds/{said}", f"they do not determine {rates}", "give others"))
        if len(block) > MOST:
            message = f"{len(block)} speeds depend on one another ({rates}), at most {MOST} may"
            raise NumbersError(error(f"speeds/{said}", message, "give speeds of fewer rates each"))
        minors = _Minors([[rows[i][k] for k in columns] for i in block])
        whole = (1 << len(block)) - 1
        det = minors.find(whole, whole)
        if det is ZERO:
            raise NumbersError(error(f"speeds/{said}", f"they do not determine {rates}", "give others"))
        right = []
        for i in block:
            own = [ONE if j == i else ZERO for j in range(n)]
            for k, x in known.items():
                own = [a - rows[i][k] * b for a, b in zip(own, x, strict=True)]
            right.append(own)
        cofactors: dict[tuple[int, int], Expression] = {}
        for c, k in enumerate(columns):
            for r, i in enumerate(block):
                minor = minors.find(whole ^ (1 << r), whole ^ (1 << c))
                cofactors[i, k] = -minor if (r + c) % 2 else minor
            parts = ([cofactors[i, k] * x / det for x in own] for i, own in zip(block, right, strict=True))
            known[k] = [sum(column, ZERO) for column in zip(*parts, strict=True)]
        if not det.constant:
            size = sum((_abs(w) * made_of(rows[i][k]) for (i, k), w in cofactors.items()), ZERO)
            determinants.append(Determinant(det, size, said, rates))
        left -= set(block)
        unknown -= set(columns)
    return tuple(tuple(known[k]) for k in range(n)), determinants


def _choose_block(
    rows: Sequence[Sequence[Expression]], left: set[int], unknown: set[int]
) -> tuple[list[int], list[int]]:
    """Choose rows and the unknown rates in them: a row with one rate, else the smallest group that shares rates."""
    stand = {i: {k for k in unknown if rows[i][k] is not ZERO} for i in sorted(left)}
    single = next((i for i, own in stand.items() if len(own) <= 1), None)
    if single is not None:
        return [single], sorted(stand[single])
    groups: list[tuple[list[int], list[int]]] = []
    waiting = dict(stand)
    while waiting:
        first = next(iter(waiting))
        block, columns, grown = [first], waiting.pop(first), True
        while grown:
            more = [i for i, own in waiting.items() if own & columns]
            columns = columns.union(*(waiting.pop(i) for i in more))
            block, grown = [*block, *more], bool(more)
        groups.append((sorted(block), sorted(columns)))
    return min(groups, key=lambda each: len(each[0]))


class _Minors:
    """Minors of a square matrix, by rows and columns that are bits of integers; each is computed once."""

    def __init__(self, rows: Sequence[Sequence[Expression]]) -> None:
        self._rows = rows
        self._known: dict[tuple[int, int], Expression] = {(0, 0): ONE}

    def find(self, rows: int, columns: int) -> Expression:
        """Return the determinant of these rows and columns, expanded along the first row."""
        if (rows, columns) not in self._known:
            first = (rows & -rows).bit_length() - 1
            total, sign = ZERO, ONE
            for k in range(len(self._rows)):
                if columns & (1 << k):
                    entry = self._rows[first][k]
                    if entry is not ZERO:
                        total += sign * entry * self.find(rows ^ (1 << first), columns ^ (1 << k))
                    sign = sign * MINUS_ONE
            self._known[rows, columns] = total
        return self._known[rows, columns]


def _abs(x: Expression) -> Expression:
    return apply("abs", x)


def _three(values: Sequence[Expression]) -> Vector:
    x, y, z = values
    return x, y, z


def _transpose(A: Sequence[Sequence[Expression]]) -> Matrix:
    return tuple(zip(*A, strict=True))


def _apply(A: Sequence[Sequence[Expression]], x: Sequence[Expression]) -> tuple[Expression, ...]:
    return tuple(sum((a * b for a, b in zip(row, x, strict=True)), ZERO) for row in A)


def _product(A: Sequence[Sequence[Expression]], B: Sequence[Sequence[Expression]]) -> Matrix:
    columns = [*zip(*B, strict=True)]
    return tuple(tuple(sum((a * b for a, b in zip(row, column, strict=True)), ZERO) for column in columns) for row in A)


__all__ = [
    "IN_SPEEDS", "KINDS", "MACHINE", "OF_RATES", "SINGULAR", "KinematicQuantity", "PointMotion", "Speeds",
    "express_kinematics", "find_singular", "jacobian_of", "list_kinematics", "mass_point", "put_in_words",
    "read_kinematics", "read_speeds", "split_words",
]  # fmt: skip
