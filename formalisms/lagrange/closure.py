"""Constraints as functions f(q, t) = 0 of the coordinates, and as rows Z q' + γ = 0 of the rates.

D q' + γ is df/dt, and D q'' + γ̃ its time derivative: everything is differentiated on the graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod, System
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, directional, jacobian, rate, sqrt, symbol
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .cut_joint import conditions
from .elastic import place
from .kinematics import Frame, dot
from .paths import frames, separation


@dataclass(frozen=True, slots=True)
class Row:
    """A constraint row.

    Attributes
    ----------
    constraint, part : name of the model's constraint, and which of its rows; empty when it has one
    place : of what makes the row in the model
    speed : D q' + γ
    position : f(q, t); None for a nonholonomic row
    facing : positive where the parts of a cut joint face each other as they should, and not the opposite way
    drive : coordinate whose acceleration a drive imposes, q'' - a = 0: there is neither f nor a speed
    formula : whether it is one of the model's own, of any scale
    """

    constraint: str
    part: str
    speed: Expression
    position: Expression | None = None
    facing: Expression = ONE
    drive: str = ""
    formula: bool = False

    @property
    def place(self) -> str:
        """Its place in the model."""
        return f"coordinates/{self.drive}/drive" if self.drive else f"constraints/{self.constraint}"

    @property
    def name(self) -> str:
        """``loop (x)``."""
        return f"{self.constraint} ({self.part})" if self.part else self.constraint


@dataclass(frozen=True, slots=True)
class Closure:
    """All rows with their derivatives: ``D`` by row and coordinate, ``rest`` γ̃ by row."""

    rows: tuple[Row, ...]
    D: tuple[tuple[Expression, ...], ...]
    rest: tuple[Expression, ...]


def closure(system: System) -> Closure:
    """Derive the constraint rows of a system: D = ∂(speed)/∂q', γ̃ = d(speed)/dt at q'' = 0.

    Identity: where speed = df/dt, D = ∂f/∂q. A drive that imposes an acceleration a is a row q'' - a = 0.
    """
    rows = tuple(_rows(system))
    speeds = [row.speed for row in rows]
    names = system.coordinate_names
    drives = find_imposed_accelerations(system)
    return Closure(
        (*rows, *(Row(drive_row(name), "", ZERO, drive=name) for name in drives)),
        (
            *map(tuple, jacobian(speeds, [rate(name) for name in names])),
            *(tuple(ONE if name == driven else ZERO for name in names) for driven in drives),
        ),
        (*directional(speeds, flow(system)), *(-a for a in drives.values())),
    )


def flow(system: System) -> dict[Expression, Expression]:
    """Map each symbol to its time derivative at q'' = 0."""
    return {TIME: ONE, **{symbol(name): rate(name) for name in system.coordinate_names}}


def _rows(system: System) -> Iterator[Row]:
    of_body = frames(system.bodies)
    along = flow(system)
    for constraint in system.constraints:
        if isinstance(constraint, Nonholonomic):
            terms = (z * rate(name) for name, z in constraint.coefficients.items())
            yield Row(constraint.name, "", sum(terms, constraint.rest), formula=True)
            continue
        for part, f, facing in _functions(system, of_body, constraint):
            own = isinstance(constraint, Holonomic)
            yield Row(constraint.name, part, directional([f], along)[0], f, facing, formula=own)


def _functions(
    system: System,
    of_body: Mapping[str | None, Frame],
    constraint: Rod | PointCoincidence | FrameCoincidence | Holonomic,
) -> Iterator[tuple[str, Expression, Expression]]:
    """Yield (part, f, facing) of a holonomic constraint."""
    if isinstance(constraint, Holonomic):
        yield "", constraint.expression, ONE
    elif isinstance(constraint, Rod):
        apart = separation(system, constraint.first, constraint.second)
        yield "", sqrt(dot(apart, apart)) - constraint.length, ONE
    elif isinstance(constraint, PointCoincidence):
        ends = (of_body[end.body].point(place(system, end)) for end in (constraint.first, constraint.second))
        for part, f in zip("xyz", difference(*ends), strict=True):
            yield part, f, ONE
    else:
        yield from conditions(constraint, of_body)


def difference(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
