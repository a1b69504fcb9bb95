"""Units of length, mass and time change the numbers and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from mbconcord.model.body import AddedInertia, Armature, Body, Gravity, Inertia, tensor
from mbconcord.model.coordinate import Coordinate, Effort, Motion
from mbconcord.model.elastic import ElasticModes, Matrix
from mbconcord.model.expressions import TIME, Expression, as_expression, rate, substitute, symbol
from mbconcord.model.force import (
    LENGTH,
    LENGTH_RATE,
    Bipolar,
    Bushing,
    Force,
    JointEffort,
    Point,
    SixRows,
    Torsion,
    Wrench,
    find_words,
    law_at,
)
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Variable, Vector, vector

from ..judge.evidence import Comparison
from ..judge.motion import Array
from ..judge.states import DrawnModel
from ..judge.trial import Trial
from .claim import same_after
from .same_motion import move_world, permute_bodies, split_bodies

SENTENCE = "In other units of length, mass and time every quantity changes by the factor of its dimension."

#: One metre, kilogram and second in the new units: powers of two, so that no number is rounded.
LENGTHS, MASSES, TIMES = 1024, 64, 8
FORCE = as_expression(MASSES) * LENGTHS / TIMES**2


def claim(made: Trial) -> list[Comparison]:
    """Compare results with those for the model and its states in new units, converted back."""
    return same_after(made, change_units(made), "units changed", factors(made))


def factors(made: Trial) -> dict[str, Array]:
    """Return the factor of each quantity in the new units."""
    shifts = np.array([float(LENGTHS) if name in _sliding(made.system) else 1.0 for name in made.names])
    energy = MASSES * LENGTHS**2 / TIMES**2
    rows: Array = np.broadcast_to(energy / shifts, (1, len(shifts)))
    found = dict.fromkeys(("h", "gravity", "applied", "inverse_dynamics", "effort"), rows)
    found["M"] = (MASSES * LENGTHS**2 / np.outer(shifts, shifts))[None]
    found["acceleration"] = (shifts / TIMES**2)[None]
    return found


def change_units(made: Trial) -> DrawnModel:
    """Convert the model and its states to the new units."""
    system = made.system
    sliding = _sliding(system)
    unit = {name: LENGTHS if name in sliding else 1 for name in made.names}
    old: dict[Expression, Expression] = {
        TIME: TIME / TIMES,
        LENGTH: LENGTH / LENGTHS,
        LENGTH_RATE: LENGTH_RATE * TIMES / LENGTHS,
    }
    for name, factor in unit.items():
        old[symbol(name)] = symbol(name) / factor
        old[rate(name)] = rate(name) * TIMES / factor

    for word in find_words(system.coordinates, system.forces):
        old[symbol(str(word))] = symbol(str(word)) * {"r": 1, "v": TIMES, "w": TIMES}[word.kind]
        if word.kind != "w":
            old[symbol(str(word))] /= LENGTHS

    def formula(value: Expression) -> Expression:
        return substitute([value], old)[0]

    states = tuple(
        replace(
            s,
            t=s.t * TIMES,
            q={name: x * unit[name] for name, x in s.q.items()},
            v={name: x * unit[name] / TIMES for name, x in s.v.items()},
            a={name: x * unit[name] / TIMES**2 for name, x in s.a.items()},
        )
        for s in made.states
    )
    gravity = system.gravity and Gravity(system.gravity.value * LENGTHS / TIMES**2, system.gravity.direction)
    new = replace(
        system,
        coordinates=tuple(_coordinate(c, unit[c.name], formula) for c in system.coordinates),
        gravity=gravity,
        bodies=tuple(_body(body, formula) for body in system.bodies),
        forces=tuple(_force(force, unit, formula) for force in system.forces),
        armatures=tuple(_armature(armature, unit) for armature in system.armatures),
        points=tuple(replace(p, position=_scale(p.position, LENGTHS)) for p in system.points),
    )
    return DrawnModel(new, states)


Formula = Callable[[Expression], Expression]


def _sliding(system: System) -> frozenset[str]:
    return frozenset(name for name, kind in system.kinds.items() if kind == "translation")


def _scale(v: Vector, factor: Expression | int) -> Vector:
    return vector(x * factor for x in v)


def _coordinate(c: Coordinate, unit: int, formula: Formula) -> Coordinate:
    drive = c.drive
    if isinstance(drive, Effort):
        drive = Effort(formula(drive.value) * FORCE * LENGTHS / unit)
    elif isinstance(drive, Motion):
        drive = Motion(formula(drive.acceleration) * unit / TIMES**2)
    return Coordinate(c.name, c.position * unit, c.velocity * unit / TIMES, drive)


def _body(body: Body, formula: Formula) -> Body:
    def steps(old: tuple[ElementaryTransformation, ...]) -> tuple[ElementaryTransformation, ...]:
        return tuple(_transformation(et, formula) for et in old)

    wheels = tuple(
        replace(w, mounting=steps(w.mounting), inertia=_inertia(w.inertia), angle=formula(w.angle))
        for w in body.flywheels
    )
    medium = body.added_inertia and _added_inertia(body.added_inertia)
    return replace(
        body, joint=steps(body.joint), inertia=_inertia(body.inertia), added_inertia=medium, flywheels=wheels,
        modes=body.modes and _modes(body.modes),
    )  # fmt: skip


def _modes(modes: ElasticModes) -> ElasticModes:
    """Keep modal coordinates: shapes are lengths, rotations of sections are unchanged."""

    def times(rows: Matrix, factor: Expression | Fraction | int) -> Matrix:
        return tuple(tuple(x * factor for x in row) for row in rows)

    inertia = MASSES * LENGTHS**2
    nodes = tuple(
        replace(n, position=_scale(n.position, LENGTHS), translation=times(n.translation, LENGTHS)) for n in modes.nodes
    )
    return replace(
        modes,
        first_moments=times(modes.first_moments, MASSES * LENGTHS),
        second_moments=tuple(tuple(times(block, inertia) for block in row) for row in modes.second_moments),
        stiffness=times(modes.stiffness, Fraction(inertia, TIMES**2)),
        damping=times(modes.damping, Fraction(inertia, TIMES)),
        section_inertia=tuple(times(part, inertia) for part in modes.section_inertia),
        nodes=nodes,
    )


def _inertia(i: Inertia) -> Inertia:
    moments = tensor(x * MASSES * LENGTHS**2 for x in i.tensor)
    return Inertia(i.mass * MASSES, _scale(i.centre, LENGTHS), moments)


def _added_inertia(medium: AddedInertia) -> AddedInertia:
    """Scale added inertia: each row and column that belongs to a rotation has a factor of one length."""
    units = [1] * 3 + [LENGTHS] * 3
    return AddedInertia(
        tuple(
            tuple(x * (MASSES * a * b) for x, b in zip(row, units, strict=True))
            for row, a in zip(medium.rows, units, strict=True)
        )
    )


def _transformation(et: ElementaryTransformation, formula: Formula) -> ElementaryTransformation:
    if isinstance(et.motion, Variable):
        return et
    amount = formula(et.amount) * (LENGTHS if et.is_translation else 1)
    return replace(et, motion=type(et.motion)(amount))


def _armature(armature: Armature, unit: dict[str, int]) -> Armature:
    """Convert an armature a c cᵀ: a c_i c_k has the unit of M_ik, so c_i is per length if coordinate i is a length."""
    coefficients = {name: c / unit[name] for name, c in armature.coefficients.items()}
    return Armature(armature.name, armature.inertia * MASSES * LENGTHS**2, coefficients)


def _point(point: Point) -> Point:
    return Point(point.body, _scale(point.position, LENGTHS))


#: Factors of a force and a moment, and of a place and a turn.
_WRENCH = (FORCE,) * 3 + (FORCE * LENGTHS,) * 3
_PLACE = (LENGTHS,) * 3 + (1,) * 3


def _resistance(rows: SixRows, times: int) -> SixRows:
    """Convert a stiffness, or with ``times`` a damping."""
    return tuple(
        tuple(x * y * times / z for x, z in zip(row, _PLACE, strict=True)) for row, y in zip(rows, _WRENCH, strict=True)
    )


def _force(force: Force, unit: dict[str, int], formula: Formula) -> Force:
    if isinstance(force, JointEffort):
        return replace(force, effort=formula(force.expression()) * FORCE * LENGTHS / unit[force.coordinate])
    if isinstance(force, Bipolar):
        law = formula(force.force(LENGTH, LENGTH_RATE)) * FORCE
        first, second = _point(force.first), _point(force.second)
        return replace(force, first=first, second=second, law=law, mass=force.mass * MASSES)
    if isinstance(force, (Bushing, Torsion)):
        one, other = (
            replace(end, transformations=tuple(_transformation(et, formula) for et in end.transformations))
            for end in (force.first, force.second)
        )
        if isinstance(force, Torsion):
            twist = law_at(force.law, LENGTH * LENGTHS, LENGTH_RATE * LENGTHS)  # an angle
            return Torsion(force.name, one, other, formula(twist) * FORCE * LENGTHS)
        preload = tuple(x * y for x, y in zip(force.preload, _WRENCH, strict=True))
        stiffness, damping = _resistance(force.stiffness, 1), _resistance(force.damping, TIMES)
        return Bushing(force.name, one, other, stiffness, damping, preload)
    applied = vector(formula(x) * FORCE for x in force.force)
    if isinstance(force, Wrench):
        moment = vector(formula(x) * FORCE * LENGTHS for x in force.moment)
        return replace(force, point=_point(force.point), force=applied, moment=moment)
    return replace(force, point=_point(force.point), force=applied)


CHANGED_TOGETHER = (
    "The world moved, bodies permuted, split and welded, and units changed, all at once, change every quantity by the "
    "factor of its dimension."
)


def changed_together(made: Trial) -> list[Comparison]:
    """Check on one changed model the four claims about changes without effect: units, order, division, moved world."""
    system = move_world(split_bodies(permute_bodies(made.system)))
    return same_after(made, change_units(replace(made, system=system)), "all changed", factors(made))
