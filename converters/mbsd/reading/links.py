"""Connectors of a text: rods, bipolar forces, rigid closures."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model import Bipolar, Frame, FrameCoincidence, Point, Prescribed, Rod
from mbconcord.model.constraint import Constraint
from mbconcord.model.expressions import ZERO, Expression, cos, sin
from mbconcord.model.force import Force
from mbconcord.model.transformation import ElementaryTransformation, Vector, X, Y, Z, vector

from .bodies import transformations
from .drafts import Drafts, LinkDraft, Move
from .scope import Scope

Matrix = tuple[Vector, Vector, Vector]


def read_links(scope: Scope, made: Drafts, taken: Iterable[str]) -> tuple[list[Force], list[Constraint]]:
    """Bipolar forces and constraints in order; ``taken`` are names that forces already have."""
    forces: list[Force] = []
    constraints: list[Constraint] = []
    names = set(taken)
    for link in made.links:
        name = link.name
        while link.connector.kind == "bipolar" and name in names:
            name += "_"
        place = f"{'forces' if link.connector.kind == 'bipolar' else 'constraints'}/{name}"
        scope.findings.locations[place] = link.connector.at
        if link.connector.kind == "closure":
            first = Frame(link.first, _frame(scope, link.left, place))
            constraints.append(
                FrameCoincidence(name, first, Frame(link.second, _frame(scope, link.right, place)))
            )
            continue
        ends = (
            Point(link.first, _point(scope, link.left, place)),
            Point(link.second, _point(scope, link.right, place)),
        )
        value, mass = _values(scope, link, place)
        if link.connector.kind == "rod":
            constraints.append(Rod(name, *ends, value, mass))
        else:
            forces.append(Bipolar(name, *ends, value, mass))
    return forces, constraints


def _values(scope: Scope, link: LinkDraft, place: str) -> tuple[Expression, Expression]:
    values = link.connector.values
    value = scope.expression(values[0], "bipolar" if link.connector.kind == "bipolar" else "constant", place)
    if len(values) > 1:
        return value, scope.expression(values[1], "constant", place)
    scope.findings.note(link.connector.at, place, "mass 0 kg by default")
    return value, ZERO


def _frame(scope: Scope, moves: list[Move], place: str) -> tuple[ElementaryTransformation, ...]:
    return tuple(et for move in moves for et in transformations(scope, move, place))


def _point(scope: Scope, moves: list[Move], place: str) -> Vector:
    """Where constant transformations lead the origin of a frame."""
    at: Vector = (ZERO, ZERO, ZERO)
    columns: Matrix = (X, Y, Z)
    for move in moves:
        for et in transformations(scope, move, place):
            if isinstance(et.motion, Prescribed):
                message = "found t in the offset of a rod or bipolar element, expected a fixed point"
                scope.findings.refuse(
                    move.item.at, message, "put the point on a body of its own that moves so", place
                )
            elif et.is_translation:
                at = vector(p + et.amount * d for p, d in zip(at, _apply(columns, et.axis), strict=True))
            else:
                columns = _turned(columns, et)
    return at


def _apply(columns: Matrix, v: Vector) -> Vector:
    return vector(sum((columns[k][i] * v[k] for k in range(3)), ZERO) for i in range(3))


def _turned(columns: Matrix, et: ElementaryTransformation) -> Matrix:
    """Columns of the matrix after one more rotation about a coordinate axis."""
    c, s = cos(et.amount), sin(et.amount)
    about = next(i for i, part in enumerate(et.axis) if part)
    first, second = (about + 1) % 3, (about + 2) % 3
    e1, e2 = columns[first], columns[second]
    result = list(columns)
    result[first] = vector(c * p + s * q for p, q in zip(e1, e2, strict=True))
    result[second] = vector(c * q - s * p for p, q in zip(e1, e2, strict=True))
    return result[0], result[1], result[2]
