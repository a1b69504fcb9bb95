"""Common mistakes of converters and authors in gravity, a force or a drive, the commonest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from itertools import permutations
from typing import Any, Final

from mbconcord.model.body import Gravity
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import PI_NODE as PI
from mbconcord.model.expressions import TIME, ZERO, Expression, as_expression, derivative, substitute, symbol, symbols
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar, Force, JointEffort, Law, LinearLaw, NamedPoint, Torsion
from mbconcord.model.system import System
from mbconcord.model.transformation import AXES

from .groups import has_steps_of

Made = tuple[str, str, System]
#: Usual values of the acceleration of free fall (m/s²).
USUAL: Final = ("9.81", "9.80665", "9.8", "9.82", "9.832", "9.78", "10")
FACTORS: Final = (
    ("doubled", 2), ("halved", Fraction(1, 2)), ("1000 times as large", 1000), ("divided by 1000", Fraction(1, 1000)),
)  # fmt: skip
#: What all other forces are made of.
_PARTS: Final = ("force", "moment", "stiffness", "damping", "preload")
_LAW: Final = {"f0": "constant part", "k": "stiffness", "l0": "rest length", "d": "damping", "q": "harmonic part"}


def gravity_changes(system: System) -> Iterator[Made]:
    """Yield place, clause and changed model for each common mistake in gravity."""

    def change_gravity(value: Expression, direction: tuple[Expression, Expression, Expression]) -> System:
        return replace(system, gravity=Gravity(value, direction))

    own = system.gravity
    if own is None:
        for name, axis in (("-z", AXES["z"]), ("-y", AXES["y"]), ("-x", AXES["x"])):
            for text in USUAL:
                down = (-axis[0], -axis[1], -axis[2])
                yield (
                    "gravity",
                    f"gravity is {text} m/s² along {name}",
                    change_gravity(as_expression(Fraction(text)), down),
                )
        return
    x, y, z = own.direction
    yield "gravity", "gravity points the other way", change_gravity(own.value, (-x, -y, -z))
    yield "gravity", "there is no gravity", replace(system, gravity=None)
    for text in USUAL:
        yield ("gravity", f"gravity is {text} m/s²", change_gravity(as_expression(Fraction(text)), own.direction))
    for order in list(permutations(range(3)))[1:]:
        words = "".join("xyz"[i] for i in order)
        direction = (own.direction[order[0]], own.direction[order[1]], own.direction[order[2]])
        if direction != own.direction:
            yield (
                "gravity",
                f"the direction of gravity has its components in the order {words}",
                change_gravity(own.value, direction),
            )
            back = (-direction[0], -direction[1], -direction[2])
            yield (
                "gravity",
                f"the direction of gravity has its components in the order {words} and the other sign",
                change_gravity(own.value, back),
            )
    for what, factor in FACTORS:
        yield "gravity", f"gravity is {what}", change_gravity(own.value * factor, own.direction)


def force_changes(system: System) -> Iterator[Made]:
    """Yield place, clause and changed model: for one force or drive after the other, then for all of them."""
    for i, force in enumerate(system.forces):
        for said, other in _force(force):
            forces = (*system.forces[:i], *((other,) if other else ()), *system.forces[i + 1 :])
            yield f"forces/{force.name}", said.format(f=force.name), replace(system, forces=forces)
    for i, c in enumerate(system.coordinates):
        if isinstance(c.drive, Effort):
            for what, factor in (("dropped", 0), ("of the other sign", -1), *FACTORS):
                drive = Effort(c.drive.value * factor) if factor else None
                coordinates = (*system.coordinates[:i], replace(c, drive=drive), *system.coordinates[i + 1 :])
                changed = replace(system, coordinates=coordinates)
                yield f"coordinates/{c.name}", f"the drive of {c.name} is {what}", changed
    yield from _all(system)


def point_changes(system: System, points: Sequence[NamedPoint]) -> Iterator[Made]:
    """Yield place, clause and changed model: one named point moved to the other model's place, then all of them."""
    known, bodies = {p.name for p in system.parameters}, {body.name for body in system.bodies}
    theirs = {p.name: p for p in points if p.body in bodies and symbols(p.position) <= known}
    moved = [theirs[p.name] for p in system.points if p.name in theirs and theirs[p.name] != p]
    for chosen in (*([p] for p in moved), *([moved] if len(moved) > 1 else [])):
        own = tuple(next((x for x in chosen if x.name == p.name), p) for p in system.points)
        said = " and ".join(f"the point {p.name} is ({', '.join(map(str, p.position))}) in {p.body}" for p in chosen)
        yield f"points/{chosen[0].name}", said, replace(system, points=own)


def _all(system: System) -> Iterator[Made]:
    if len(system.forces) > 1:
        yield "forces", "all forces are dropped", replace(system, forces=())
        for said in ("of the other sign", "doubled", "halved"):
            found = [other for force in system.forces for what, other in _force(force) if what.endswith(f"is {said}")]
            if len(found) == len(system.forces):
                yield "forces", f"all forces are {said}", replace(system, forces=tuple(filter(None, found)))
        for name, what in _LAW.items():
            laws = [_linear(force) for force in system.forces]
            if sum(bool(law and getattr(law, name)) for law in laws) > 1:
                gone = tuple(
                    _replace_law(force, replace(law, **{name: ZERO})) if law else force
                    for force, law in zip(system.forces, laws, strict=True)
                )
                yield "forces", f"the {what} of all forces is dropped", replace(system, forces=gone)


def _force(force: Force) -> Iterator[tuple[str, Force | None]]:
    yield "{f} is dropped", None
    yield "{f} is of the other sign", _times(force, as_expression(-1))
    for what, factor in FACTORS:
        yield f"{{f}} is {what}", _times(force, as_expression(factor))
    yield "{f} is given per degree and taken per radian", _times(force, PI / 180)
    yield "{f} is given per radian and taken per degree", _times(force, 180 / PI)
    law = _linear(force)
    if law is None:
        return
    for name, what in _LAW.items():
        value = getattr(law, name)
        if value:
            yield f"the {what} of {{f}} is dropped", _replace_law(force, replace(law, **{name: ZERO}))
            yield (f"the {what} of {{f}} has the other sign", _replace_law(force, replace(law, **{name: -value})))
            yield f"the {what} of {{f}} is doubled", _replace_law(force, replace(law, **{name: 2 * value}))
            yield f"the {what} of {{f}} is halved", _replace_law(force, replace(law, **{name: value / 2}))
    if law.k or law.d:
        yield ("stiffness and damping of {f} are exchanged", _replace_law(force, replace(law, k=law.d, d=law.k)))


def _linear(force: Force) -> LinearLaw | None:
    """Return a force's law if it is linear in a length or coordinate and its rate, else None."""
    if isinstance(force, (Bipolar, Torsion)):
        law, x, v = force.law, LENGTH, LENGTH_RATE
    elif isinstance(force, JointEffort):
        law, x, v = force.effort, symbol(force.coordinate), symbol(force.coordinate + "'")
    else:
        return None
    if isinstance(law, LinearLaw):
        return law
    k, d = -derivative(law, x), -derivative(law, v)
    moving = {x.data, v.data, TIME.data}
    if symbols([k, d]) & moving or has_steps_of(law, moving):
        return None  # before it is taken at zero, where a law that is not linear may have no value
    (rest,) = substitute([law], {x: ZERO, v: ZERO})
    return None if symbols([rest]) & moving else LinearLaw(f0=rest, k=k, d=d)


def _replace_law(force: Force, law: Law) -> Force:
    if isinstance(force, (Bipolar, Torsion)):
        return replace(force, law=law)
    assert isinstance(force, JointEffort)
    return replace(force, effort=law)


def _times(force: Force, factor: Expression) -> Force:
    """Multiply a force by a factor."""
    if isinstance(force, (Bipolar, Torsion)):
        return _replace_law(force, _law_times(force.law, factor))
    if isinstance(force, JointEffort):
        return _replace_law(force, _law_times(force.effort, factor))
    own = {name: getattr(force, name) for name in _PARTS if hasattr(force, name)}
    parts: dict[str, Any] = {name: _scale(value, factor) for name, value in own.items()}
    return replace(force, **parts)


def _scale(value: tuple[object, ...], factor: Expression) -> tuple[object, ...]:
    return tuple(_scale(x, factor) if isinstance(x, tuple) else x * factor for x in value)  # type: ignore[operator]


def _law_times(law: Law, factor: Expression) -> Law:
    if not isinstance(law, LinearLaw):
        return law * factor
    scaled = {f.name: getattr(law, f.name) * factor for f in fields(law) if f.name in ("f0", "k", "d", "q")}
    return replace(law, **scaled)
