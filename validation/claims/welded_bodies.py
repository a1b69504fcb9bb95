"""Merging bodies that are welded together changes nothing; nor does the reverse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mbconcord.model.body import NO_INERTIA, Body
from mbconcord.model.expressions import ZERO, apply, as_expression
from mbconcord.model.inertia import Inertia
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, ElementaryTransformation, rotation, shift, vector

from ..judge.evidence import Comparison
from ..judge.states import Drawn
from ..judge.trial import Trial
from .claim import same_after

SENTENCE = "Merging bodies that are welded together, or cutting one body into such, changes nothing."

#: The welded frame: a shift (body axes), and the rows of a turn about (1,2,2)/3 by the angle with cos 3/5, sin 4/5.
ARM = vector((Fraction(3, 10), Fraction(-1, 5), Fraction(1, 2)))
AXIS = (1, 2, 2)
ROWS = (
    vector((Fraction(29, 45), Fraction(-20, 45), Fraction(28, 45))),
    vector((Fraction(28, 45), Fraction(35, 45), Fraction(-4, 45))),
    vector((Fraction(-20, 45), Fraction(20, 45), Fraction(35, 45))),
)
ANGLE = apply("atan2", as_expression(4), as_expression(3))


def claim(made: Trial) -> list[Comparison]:
    """Every joint cut between its transformations by massless bodies, every inertia carried by a welded body."""
    return same_after(made, Drawn(welded(made.system), tuple(made.states)), "bodies split and welded")


def welded(system: System) -> System:
    """The same machine from more bodies."""
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
        bodies.append(Body(f"{body.name}:inertia", body.name, frame(), moved(body.inertia)))
    return replace(system, bodies=tuple(bodies))


def frame() -> tuple[ElementaryTransformation, ...]:
    """The transformations to the welded frame."""
    return *shift(ARM), rotation(AXIS, Constant(ANGLE))


def moved(inertia: Inertia) -> Inertia:
    """The inertia in the welded frame: centre Rᵀ(c - arm), tensor RᵀJR."""
    away = [c - a for c, a in zip(inertia.centre, ARM, strict=True)]
    x, y, z = (vector(column) for column in zip(*ROWS, strict=True))
    centre = (sum((r * d for r, d in zip(row, away, strict=True)), ZERO) for row in (x, y, z))
    return replace(inertia.rotated((x, y, z)), centre=vector(centre))
