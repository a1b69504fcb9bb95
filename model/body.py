"""A body of the tree, the joint that carries it, and the gravity that acts on it."""

from __future__ import annotations

from mbconcord.records import dataclass

from .elastic import ElasticModes
from .expressions import ZERO, Expression, as_expression
from .inertia import AddedInertia, Flywheel, Inertia
from .transformation import ElementaryTransformation, Vector, unit_vector

# Uniform gravity.


@dataclass(frozen=True, slots=True)
class Gravity:
    """Uniform gravity: its magnitude (m/s²) and direction of fall, in world axes."""

    value: Expression
    direction: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_expression(self.value))
        object.__setattr__(self, "direction", unit_vector(self.direction))

    @property
    def vector(self) -> Vector:
        """Acceleration of gravity in world axes (m/s²)."""
        x, y, z = self.direction
        return self.value * x, self.value * y, self.value * z


# A body of the tree, and the joint that carries it.


NO_INERTIA = Inertia(ZERO)


@dataclass(frozen=True, slots=True)
class Body:
    """A body, carried by its parent (None: the fixed frame) through a joint.

    ``joint`` leads from the parent's frame to this body's frame, left to right, each transformation acting in
    the frame left by the one before it. ``parent_node`` names an attachment point of an elastic parent.
    """

    name: str
    parent: str | None
    joint: tuple[ElementaryTransformation, ...] = ()
    inertia: Inertia = NO_INERTIA
    added_inertia: AddedInertia | None = None
    flywheels: tuple[Flywheel, ...] = ()
    modes: ElasticModes | None = None
    parent_node: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint", tuple(self.joint))
        object.__setattr__(self, "flywheels", tuple(self.flywheels))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the joint's coordinates, in joint order."""
        return tuple(et.coordinate for et in self.joint if et.coordinate)

    @property
    def modal(self) -> tuple[str, ...]:
        """Names of the coordinates of its elastic modes."""
        return self.modes.coordinates if self.modes else ()
