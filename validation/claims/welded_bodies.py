"""Merging bodies that are welded together changes nothing; nor does the reverse."""

from __future__ import annotations

from dataclasses import replace

from mbconcord.model.expressions import ZERO, apply, as_expression
from mbconcord.model.inertia import Inertia
from mbconcord.model.system import NO_INERTIA, Body, System
from mbconcord.model.transformation import Constant, Vector, rotation, translation

from ..draw import Drawn
from ..evidence import Comparison
from ..trial import Trial
from .claim import same_after

SENTENCE = "Merging bodies joined by a fixed joint changes nothing: neither where joints are cut nor whose the inertia is."

#: The welded frame: a shift (body axes), and rows of a rotation with rational entries: about (1,2,2)/3, cos = 3/5.
ARM = tuple(as_expression(x) / 10 for x in (3, -2, 5))
AXIS = (1, 2, 2)
ROWS = tuple(
    tuple(as_expression(x) / 45 for x in row) for row in ((29, -20, 28), (28, 35, -4), (-20, 20, 35))
)


def claim(made: Trial) -> list[Comparison]:
    """Every joint cut between its transformations by massless bodies, every inertia carried by a welded body."""
    return same_after(made, Drawn(welded(made.system), made.states), "bodies split and welded")


def welded(system: System) -> System:
    """The same machine from more bodies."""
    bodies: list[Body] = []
    for body in system.bodies:
        parent = body.parent
        for i, et in enumerate(body.joint[:-1]):
            bodies.append(Body(f"{body.name}:{i}", parent, (et,)))
            parent = f"{body.name}:{i}"
        bodies.append(replace(body, parent=parent, joint=body.joint[-1:], inertia=NO_INERTIA))
        weld = (
            *(translation(axis, Constant(x)) for axis, x in zip("xyz", ARM, strict=True)),
            rotation(AXIS, Constant(apply("atan2", as_expression(4), as_expression(3)))),
        )
        bodies.append(Body(f"{body.name}:inertia", body.name, weld, moved(body.inertia)))
    return replace(system, bodies=tuple(bodies))


def moved(inertia: Inertia) -> Inertia:
    """The inertia in the welded frame: centre Rᵀ(c - arm), tensor RᵀJR."""
    away = tuple(c - a for c, a in zip(inertia.centre, ARM, strict=True))
    turned = tuple(zip(*ROWS, strict=True))
    centre = tuple(sum((r * x for r, x in zip(row, away, strict=True)), ZERO) for row in turned)
    return replace(inertia.rotated(_matrix(turned)), centre=_vector(centre))


def _vector(values: tuple) -> Vector:  # type: ignore[type-arg]
    x, y, z = values
    return x, y, z


def _matrix(rows: tuple) -> tuple[Vector, Vector, Vector]:  # type: ignore[type-arg]
    a, b, c = rows
    return _vector(a), _vector(b), _vector(c)
