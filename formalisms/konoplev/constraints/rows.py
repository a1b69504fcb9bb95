"""Constraints as rows, (4.6)-(4.8): ``D q̇ + γ = 0`` and ``D q̈ + γ̃ = 0``; their forces on the coordinates are Dᵀ λ.

Konoplev's D is our Dᵀ. Rows for bodies that touch follow from the rows of S, and so do generalized forces of their
reactions: ``S_R R = Dᵀ λ``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model.constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, derivative, directional, rate, symbol
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.force import Point
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.system import System

from ..aggregates import Aggregates
from ..structure import Places
from ..vectors import NONE, REST, Arithmetic, Vector, absent, add, dot, minus, mul, plus, sub, times
from .cut import Row, cut_rows

AXES = (("x", (1.0, 0, 0)), ("y", (0, 1.0, 0)), ("z", (0, 0, 1.0)))


def constraint_rows(system: Aggregates) -> list[Row]:
    """Derive the rows of all constraints of a model, in its order."""
    return rows_of(system.mechanism.system, system.places)


def rows_of(model: System, places: Places) -> list[Row]:
    """Derive the rows of all constraints of a model, in its order, from the motion of its points."""
    found: list[Row] = []
    for constraint in model.constraints:
        if isinstance(constraint, Holonomic):
            found.append(holonomic(constraint, model, places.arithmetic))
        elif isinstance(constraint, Nonholonomic):
            found.append(nonholonomic(constraint, model, places.arithmetic))
        elif isinstance(constraint, PointCoincidence):
            found += point_rows(constraint, places)
        elif isinstance(constraint, FrameCoincidence):
            found += cut_rows(constraint, places)
        else:
            found.append(rod(constraint, places))
    return [*found, *drives(model, places.arithmetic)]


def drives(model: System, arithmetic: Arithmetic) -> Iterator[Row]:
    """Yield imposed accelerations, q̈ - a = 0: rows of coordinates alone with the drives' efforts as multipliers."""
    zero, one = arithmetic.to_scalar(ZERO), arithmetic.to_scalar(ONE)
    for name, a in find_imposed_accelerations(model).items():
        yield Row(drive_row(name), "", {name: one}, zero, arithmetic.to_scalar(-a), drive=name)


def holonomic(constraint: Holonomic, model: System, arithmetic: Arithmetic) -> Row:
    """Derive the row of f(q, t) = 0: D = ∂f/∂q, D q̇ + γ = ḟ, γ̃ = f̈ at q̈ = 0."""
    f, of = constraint.expression, arithmetic.to_scalar
    names = model.coordinate_names
    slopes = {name: derivative(f, symbol(name)) for name in names}
    along = flow(names)
    (first,) = directional([f], along)
    (second,) = directional([first], along)
    D = {name: of(slope) for name, slope in slopes.items() if slope}
    sums = {name: of(made_of(slope)) for name, slope in slopes.items() if slope}
    return Row(constraint.name, "", D, of(first), of(second), of(f), sums=sums)


def nonholonomic(constraint: Nonholonomic, model: System, arithmetic: Arithmetic) -> Row:
    """Derive the row of Z(q, t) q̇ + γ(q, t) = 0: D = Z, γ̃ = Ż q̇ + γ̇."""
    of = arithmetic.to_scalar
    along = flow(model.coordinate_names)
    whole = sum((z * rate(name) for name, z in constraint.coefficients.items()), constraint.rest)
    (second,) = directional([whole], along)
    D = {name: of(z) for name, z in constraint.coefficients.items() if z}
    sums = {name: of(made_of(z)) for name, z in constraint.coefficients.items() if z}
    return Row(constraint.name, "", D, of(whole), of(second), sums=sums)


def flow(names: tuple[str, ...]) -> dict[Expression, Expression]:
    """Map symbols to their d/dt at q̈ = 0: q to q', time to 1."""
    return {TIME: derivative(TIME, TIME)} | {symbol(name): rate(name) for name in names}


def point_rows(constraint: PointCoincidence, places: Places) -> Iterator[Row]:
    """Yield three rows of coincident points: first minus second point along the axes of the fixed frame."""
    first, second = constraint.first, constraint.second
    columns = difference(places.columns(first), places.columns(second))
    apart = minus(places.position(first), places.position(second))
    velocity = minus(places.velocity(first), places.velocity(second))
    acceleration = minus(places.acceleration(first), places.acceleration(second))
    for i, (part, axis) in enumerate(AXES):
        D = {name: column[i] for name, column in columns.items() if not absent(column[i])}
        reactions = pushes(places, first, second, axis)
        yield Row(constraint.name, part, D, velocity[i], acceleration[i], apart[i], reactions)


def rod(constraint: Rod, places: Places) -> Row:
    """Constrain the distance of two points to l: f = |r2 - r1| - l; λ pushes them apart (N)."""
    first, second = constraint.first, constraint.second
    apart = minus(places.position(second), places.position(first))
    squared = dot(apart, apart)
    if absent(squared):
        raise FormalismError(
            error(f"constraints/{constraint.name}", "its two points coincide: a rod has no line there")
        )
    length = places.arithmetic.sqrt(squared)
    line = times(1.0 / length, apart)
    columns = difference(places.columns(second), places.columns(first))
    velocity = minus(places.velocity(second), places.velocity(first))
    acceleration = minus(places.acceleration(second), places.acceleration(first))
    D = {name: dot(line, column) for name, column in columns.items()}
    growth = dot(line, velocity)
    across = sub(dot(velocity, velocity), mul(growth, growth))
    rest = add(dot(line, acceleration), mul(1.0 / length, across))
    violation = sub(length, places.arithmetic.to_scalar(constraint.length))
    return Row(constraint.name, "", D, growth, rest, violation, pushes(places, second, first, line))


def difference(first: Mapping[str, Vector], second: Mapping[str, Vector]) -> dict[str, Vector]:
    """Subtract the columns of the second from those of the first."""
    return {name: minus(first.get(name, NONE), second.get(name, NONE)) for name in {**first, **second}}


def pushes(places: Places, first: Point, second: Point, force: Vector) -> dict[int, Vector]:
    """Return wrenches, by link, of a force on the first point and its opposite on the second; none for the ground."""
    found: dict[int, Vector] = {}
    for point, acting in ((first, force), (second, minus(NONE, force))):
        if point.body is not None:
            number = places.numbers[point.body]
            found[number] = plus(found.get(number, REST), places.wrench(point, acting))
    return found
