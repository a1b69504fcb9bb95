"""Constraints as rows of virtual displacements: D δq is the relative displacement of two bodies in the row's direction.

Points r₁, r₂ of two bodies have the possible displacements δr = D δq and the accelerations w = D q'' + W' of eq. (4);
d = r₁ - r₂, and ω_c, ε_c belong to the last body that carries both::

    coinciding points    δr₁ - δr₂ - δπ_c × d = 0 ,     γ̃ = W'₁ - W'₂ - ε_c × d - ω_c × (v₁ - v₂)
    rod along e          e · (δr₂ - δr₁) = 0 ,          γ̃ = e · (W'₂ - W'₁) + (|v₂ - v₁|² - (e · (v₂ - v₁))²)/|d|

γ̃ is exactly the rate of the row's speed at q'' = 0, also where the constraint does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.model.constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, directional, gradient, rate, sqrt, symbol
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.system import System

from ..body import place
from ..kinematics import NONE, cross, dot, kinematics, minus, times
from .cut import cut_rows
from .row import Frames, Row, opposite, pair_bodies


def constraint_rows(system: System, frames: Frames | None = None) -> tuple[Row, ...]:
    """Derive the rows of all constraints in model order, then those of drives that impose accelerations.

    ``frames`` are those of the bodies; they may have columns in addition to those of the coordinates.
    """
    tree = system.open_loops()
    frames = frames or kinematics(tree)
    return (*(row for made in _constraints(system, tree, frames) for row in made), *_drives(system))


def _constraints(system: System, tree: System, frames: Frames) -> Iterator[Iterator[Row]]:
    for constraint in system.constraints:
        if isinstance(constraint, Rod):
            yield iter((_rod(constraint, tree, frames),))
        elif isinstance(constraint, PointCoincidence):
            yield _points(constraint, tree, frames)
        elif isinstance(constraint, FrameCoincidence):
            yield cut_rows(constraint, tree, frames)
        elif isinstance(constraint, Holonomic):
            yield iter((_holonomic(constraint, system),))
        else:
            yield iter((_nonholonomic(constraint, system),))


def _points(constraint: PointCoincidence, tree: System, frames: Frames) -> Iterator[Row]:
    """Yield rows for first point minus second along the axes of the world; λ is the force on the first point (N)."""
    ends = constraint.first, constraint.second
    first, second = (place(tree, end, frames) for end in ends)
    pair = pair_bodies(tree, ends[0].body, ends[1].body)
    carrier = frames[pair.carrier]
    d, drift = minus(first.r, second.r), minus(first.v, second.v)
    speed = minus(drift, cross(carrier.omega, d))
    rest = minus(minus(minus(first.w, second.w), cross(carrier.epsilon, d)), cross(carrier.omega, drift))
    columns = {
        name: minus(minus(first.D.get(name, NONE), second.D.get(name, NONE)), cross(carrier.B.get(name, NONE), d))
        for name in pair.moving
    }
    for i, (part, axis) in enumerate(zip("xyz", UNITS, strict=True)):
        D = {name: column[i] for name, column in columns.items() if column[i]}
        pushes = opposite((ends[0].body, first), (ends[1].body, second), axis)
        yield Row(constraint.name, part, D, speed[i], rest[i], d[i], reactions=pushes)


UNITS = (ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)


def _rod(constraint: Rod, tree: System, frames: Frames) -> Row:
    """Return the row that constrains the distance of two points to l; λ > 0 pushes them apart (N)."""
    ends = constraint.first, constraint.second
    near, far = (place(tree, end, frames) for end in ends)
    d, drift = minus(far.r, near.r), minus(far.v, near.v)
    length = sqrt(dot(d, d))
    if not length:
        message = "its two points coincide: a rod has no direction there"
        raise FormalismError(error(f"constraints/{constraint.name}", message, "move one of them"))
    e = times(1 / length, d)
    growth = dot(e, drift)
    across = (dot(drift, drift) - growth * growth) / length
    moving = pair_bodies(tree, ends[0].body, ends[1].body).moving
    columns = {name: dot(e, minus(far.D.get(name, NONE), near.D.get(name, NONE))) for name in moving}
    return Row(
        constraint.name,
        "",
        {name: x for name, x in columns.items() if x},
        growth,
        dot(e, minus(far.w, near.w)) + across,
        length - constraint.length,
        reactions=opposite((ends[0].body, near), (ends[1].body, far), minus(NONE, e)),
    )


def _holonomic(constraint: Holonomic, system: System) -> Row:
    """Return the row of f(q, t) = 0: δf = Σ ∂f/∂q δq = 0."""
    f = constraint.expression
    (speed,) = directional([f], _flow(system))
    return _formula(constraint.name, gradient(f, [*map(symbol, system.coordinate_names)]), speed, f, system)


def _nonholonomic(constraint: Nonholonomic, system: System) -> Row:
    """Return the row of Z q' + γ = 0: displacements satisfy Z δq = 0."""
    Z = [constraint.coefficients.get(name, ZERO) for name in system.coordinate_names]
    terms = (z * rate(name) for z, name in zip(Z, system.coordinate_names, strict=True))
    return _formula(constraint.name, Z, sum(terms, constraint.rest), None, system)


def _formula(name: str, D: list[Expression], speed: Expression, position: Expression | None, system: System) -> Row:
    (rest,) = directional([speed], _flow(system))
    own = {q: d for q, d in zip(system.coordinate_names, D, strict=True) if d}
    return Row(name, "", own, speed, rest, position, of_formula=True)


def _flow(system: System) -> dict[Expression, Expression]:
    """Map symbols to their time derivatives at q'' = 0."""
    return {TIME: ONE, **{symbol(name): rate(name) for name in system.coordinate_names}}


def _drives(system: System) -> Iterator[Row]:
    """Yield rows q'' - a = 0 of drives that impose accelerations: such a coordinate has no virtual displacement."""
    for name, a in find_imposed_accelerations(system).items():
        yield Row(drive_row(name), "", {name: ONE}, ZERO, -a, drive=name)
