"""Changes of a model without effect on its motion: order of bodies, splitting and welding, moving the world."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mbconcord.model.body import NO_INERTIA, Body, Gravity, Inertia
from mbconcord.model.expressions import ZERO, Expression, apply, as_expression, substitute, symbol
from mbconcord.model.force import (
    Bipolar,
    Bushing,
    Force,
    JointEffort,
    KinematicWord,
    Point,
    Torsion,
    find_words,
    map_formulas,
)
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, Frame, Vector, rotation, shift, vector

from ..judge.evidence import Comparison
from ..judge.states import DrawnModel
from ..judge.trial import Trial
from .claim import same_after

PERMUTED_BODIES = "Listing bodies and forces in another order changes nothing."


def permuted_bodies(made: Trial) -> list[Comparison]:
    """Compare results with those for bodies and forces in reverse order, parents still before children."""
    return same_after(made, DrawnModel(permute_bodies(made.system), tuple(made.states)), "bodies permuted")


def permute_bodies(system: System) -> System:
    """Order bodies by a traversal that takes the last child first; reverse forces."""
    order, waiting = [], list(system.children(None))
    while waiting:
        body = waiting.pop()
        order.append(body)
        waiting += system.children(body.name)
    return replace(system, bodies=tuple(order), forces=system.forces[::-1])


WELDED_BODIES = "Merging bodies that are welded together, or cutting one body into such, changes nothing."

#: The welded frame: a shift (body axes), and the rows of a turn about (1,2,2)/3 by the angle with cos 3/5, sin 4/5.
ARM = vector((Fraction(3, 10), Fraction(-1, 5), Fraction(1, 2)))
AXIS = (1, 2, 2)
ROWS = (
    vector((Fraction(29, 45), Fraction(-20, 45), Fraction(28, 45))),
    vector((Fraction(28, 45), Fraction(35, 45), Fraction(-4, 45))),
    vector((Fraction(-20, 45), Fraction(20, 45), Fraction(35, 45))),
)
ANGLE = apply("atan2", as_expression(4), as_expression(3))


def welded_bodies(made: Trial) -> list[Comparison]:
    """Compare with joints divided by massless bodies between their transformations, and inertias on welded bodies."""
    return same_after(made, DrawnModel(split_bodies(made.system), tuple(made.states)), "bodies split and welded")


def split_bodies(system: System) -> System:
    """Divide the same machine into more bodies."""
    bodies: list[Body] = []
    for body in system.bodies:
        parent, node = body.parent, body.parent_node
        for i, et in enumerate(body.joint[:-1]):
            bodies.append(Body(f"{body.name}:{i}", parent, (et,), parent_node=node))
            parent, node = f"{body.name}:{i}", None
        last = replace(body, parent=parent, joint=body.joint[-1:], parent_node=node)
        if body.modal:  # its inertia is that of its shapes
            bodies.append(last)
            continue
        bodies.append(replace(last, inertia=NO_INERTIA))
        bodies.append(Body(f"{body.name}:inertia", body.name, frame(), change_frame(body.inertia)))
    return replace(system, bodies=tuple(bodies))


def frame() -> tuple[ElementaryTransformation, ...]:
    """Return the transformations to the welded frame."""
    return *shift(ARM), rotation(AXIS, Constant(ANGLE))


def change_frame(inertia: Inertia) -> Inertia:
    """Express the inertia in the welded frame: centre Rᵀ(c - arm), tensor RᵀJR."""
    away = [c - a for c, a in zip(inertia.centre, ARM, strict=True)]
    x, y, z = (vector(column) for column in zip(*ROWS, strict=True))
    centre = (sum((r * d for r, d in zip(row, away, strict=True)), ZERO) for row in (x, y, z))
    return replace(inertia.rotate((x, y, z)), centre=vector(centre))


#: The body without mass that words of kinematics see the world from.
MOVED = "world_moved"
MOVED_WORLD = "Moving the whole machine and its gravity by a rigid motion of the world changes nothing."


def moved_world(made: Trial) -> list[Comparison]:
    """Compare after moving machine, gravity, fixed points and world-axis forces by the same rigid motion."""
    return same_after(made, DrawnModel(move_world(made.system), tuple(made.states)), "world moved")


def move_world(system: System) -> System:
    """Move the system with the world."""
    bodies = tuple(
        replace(body, joint=(*frame(), *body.joint)) if body.parent is None else body for body in system.bodies
    )
    gravity = system.gravity and Gravity(system.gravity.value, rotate(system.gravity.direction))
    coordinates, forces = system.coordinates, system.forces
    if words := find_words(coordinates, forces):
        bodies = (Body(MOVED, None, frame()), *bodies)
        seen = {symbol(str(word)): _see_from_moved(word) for word in words}
        coordinates, forces = map_formulas(coordinates, forces, lambda x, _: substitute([x], seen)[0])
    return replace(system, coordinates=coordinates, bodies=bodies, gravity=gravity, forces=tuple(map(_force, forces)))


def _see_from_moved(word: KinematicWord) -> Expression:
    """Return an expression for a word's value before the world moved: in axes of the moved frame, from its origin."""
    along = word.along or MOVED
    seen = symbol(str(replace(word, along=along)))
    return seen - symbol(str(replace(word, place=MOVED, along=along, owner=None))) if word.kind == "r" else seen


def rotate(v: Vector) -> Vector:
    """Return R v."""
    x, y, z = (sum((r * c for r, c in zip(row, v, strict=True)), ZERO) for row in ROWS)
    return x, y, z


def _point(point: Point) -> Point:
    if point.body is not None:
        return point
    x, y, z = (a + p for a, p in zip(ARM, rotate(point.position), strict=True))
    return Point(None, (x, y, z))


def _frame(end: Frame) -> Frame:
    return end if end.body is not None else Frame(None, (*frame(), *end.transformations))


def _force(force: Force) -> Force:
    if isinstance(force, JointEffort):
        return force
    if isinstance(force, Bipolar):
        return replace(force, first=_point(force.first), second=_point(force.second))
    if isinstance(force, (Bushing, Torsion)):
        return replace(force, first=_frame(force.first), second=_frame(force.second))
    return replace(force, point=_point(force.point), force=force.force if force.follows else rotate(force.force))
