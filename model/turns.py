"""Angles of torsions as sums of joint turns about one axis, which go on beyond half a turn; right angles in digits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import takewhile
from math import pi
from typing import Any, Final, TypeVar

from mbconcord.records import fields, replace

from .expressions import (
    ONE,
    PI_NODE,
    ZERO,
    Expression,
    apply,
    cos,
    evaluate_float,
    sin,
    substitute,
    time_derivative,
    topological,
)
from .force import LENGTH_RATE, Bushing, Point, Torsion, Wrench, law_at
from .system import System
from .transformation import Constant, ElementaryTransformation, Vector

#: Constant numbers that differ by no more are one.
SAME = 1e-15
Either = TypeVar("Either", Bushing, Torsion, Bushing | Torsion)
AXIS: Vector = (ZERO, ZERO, ONE)


def sum_of_turns(system: System, force: Torsion) -> Expression | None:
    """Return the angle @ of a torsion (rad) where every joint between its frames turns about its axis; else None.

    It is the sum of the joints' turns and of the angle (-π to π) between the frames where no joint is turned.
    """
    before: list[tuple[Vector, Expression]] = []  # constant rotations so far
    if any(b.parent_node for end in (force.first, force.second) for b in system.path(end.body)):
        return None  # a section of an elastic body turns with its modes
    total: Expression = ZERO
    for axis, amount, constant in _rotations(system, force):
        if constant:
            before.append((axis, amount))
            continue
        sign = _along_axis(_rotate(before, axis))
        if sign is None:
            return None
        total += sign * amount
    x, y, _ = _rotate(before, (ONE, ZERO, ZERO))
    if x is ZERO and y is ZERO:
        return None
    return total if y is ZERO and x is ONE else total + apply("atan2", y, x)


def follow_turns(system: System, force: Either) -> Either:
    """Return a torsion whose law has the sum of turns in place of @; the force unchanged if there is no such sum."""
    if not isinstance(force, Torsion) or (turns := sum_of_turns(system, force)) is None:
        return force
    return replace(force, law=law_at(force.law, turns, LENGTH_RATE))


def to_wrenches(system: System, force: Torsion) -> tuple[Torsion | Wrench, ...]:
    """Return a torsion as wrenches on its bodies, if its angle is a sum of turns; else the torsion itself.

    The wrenches stay valid if joints get more turns, about other axes, by coordinates that are zero.
    """
    if (turns := sum_of_turns(system, force)) is None:
        return (force,)
    moment = law_at(force.law, turns, time_derivative([turns], system.coordinate_names)[0])
    fixed = [(axis, amount) for axis, amount, constant in _rotations(system, force) if constant]
    beyond = _rotate([(axis, -amount) for axis, amount in reversed(fixed)], AXIS)  # turns leave the axis where it is
    taken, made = {f.name for f in system.forces}, list[Wrench]()
    for end, axis, sign in ((force.first, AXIS, -1), (force.second, beyond, 1)):
        if end.body is not None:
            steps = [(et.axis, et.amount) for et in end.transformations if not et.is_translation]
            name = force.name if sign > 0 else f"{force.name} on {end.body}"
            while sign < 0 and name in taken:
                name += "_"
            x, y, z = (sign * moment * x for x in _rotate(steps, axis))
            made.append(Wrench(name, Point(end.body), moment=(x, y, z)))
    return tuple(made)


def _rotations(system: System, force: Torsion) -> Iterator[tuple[Vector, Expression, bool]]:
    """Yield the axis and angle of each rotation from the first frame to the second, and True if it is constant."""
    first, second = (system.path(end.body) for end in (force.first, force.second))
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(first, second, strict=False)))
    back = [*(s for body in first[shared:] for s in body.joint), *force.first.transformations]
    onward = [*(s for body in second[shared:] for s in body.joint), *force.second.transformations]
    for sign, steps in ((-1, reversed(back)), (1, onward)):
        for step in steps:
            if not step.is_translation:
                yield step.axis, sign * step.amount, isinstance(step.motion, Constant)


def _rotate(rotations: Iterable[tuple[Vector, Expression]], v: Vector) -> Vector:
    """Return R₁ R₂ … v, each rotation R given by its axis and angle."""
    for u, angle in reversed(list(rotations)):
        along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
        cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        if any(x is not ZERO for x in cross):
            c, s = cos(angle), sin(angle)
            x, y, z = (c * v[i] + s * cross[i] + (ONE - c) * along * u[i] for i in range(3))
            v = (x, y, z)
    return v


def _along_axis(v: Vector) -> int | None:
    """Return 1 for the unit vector along the z axis, -1 for its opposite, None for any other."""
    for sign in (1, -1):
        if all(_is(x, sign * y) for x, y in zip(v, AXIS, strict=True)):
            return sign
    return None


def _is(x: Expression, y: Expression) -> bool:
    return x is y or (x.constant and abs(evaluate_float(x - y, {})) <= SAME)


# Right angles that a file writes in digits.


#: An angle this near to a multiple of 90 degrees was written for it (rad).
WRITTEN: Final = 1e-9
#: So was one whose last digit alone is off, if it has so many behind the point: 1.570796, and 1.5708 is an angle.
PLACES: Final = 6
#: Functions whose constant arguments are angles.
TURNS: Final = ("sin", "cos", "tan")


def snap_angles(system: System) -> tuple[System, tuple[str, ...]]:
    """Replace angles in digits that mean a multiple of 90 degrees by that multiple; return the model and those angles.

    They are within 1e-9 rad of the multiple, or off by less than their last digit, with six or more after the point.
    """
    written: dict[Expression, Expression] = {}

    def snap(angle: Expression) -> Expression:
        if not angle.constant or angle in written:
            return written.get(angle, angle)
        value = evaluate_float(angle, {})
        exact = PI_NODE * Fraction(round(2 * value / pi), 2)
        places = -int(Decimal(repr(value)).as_tuple().exponent)
        near = max(WRITTEN, 10.0**-places if places >= PLACES else 0.0)
        if exact is not angle and abs(value - evaluate_float(exact, {})) < near:
            written[angle] = exact
        return written.get(angle, angle)

    def change(value: Any) -> Any:
        if isinstance(value, Expression):
            found = [x for x in topological([value]) if x.op == "fun" and x.data in TURNS and x.args[0].constant]
            return substitute([value], {x: apply(x.data, snap(x.args[0])) for x in found})[0] if found else value
        if (
            isinstance(value, ElementaryTransformation)
            and isinstance(value.motion, Constant)
            and value.kind == "rotation"
        ):
            return replace(value, motion=Constant(change(snap(value.motion.value))))
        if isinstance(value, Mapping):
            return {key: change(inner) for key, inner in value.items()}
        if isinstance(value, tuple):
            return tuple(map(change, value))
        if hasattr(value, "__dataclass_fields__"):
            new = {f.name: change(getattr(value, f.name)) for f in fields(value) if f.init}
            same = all(new[name] is getattr(value, name) or new[name] == getattr(value, name) for name in new)
            return value if same else replace(value, **new)
        return value

    changed = replace(system, **{f.name: change(getattr(system, f.name)) for f in fields(system) if f.name in SNAPPED})
    return changed, tuple(map(str, written))


#: Parts of a model that have angles.
SNAPPED: Final = ("bodies", "forces", "constraints", "gravity")
