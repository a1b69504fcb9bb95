"""A body of the tree, and the joint that carries it."""

from __future__ import annotations

from dataclasses import dataclass

from .elastic import ElasticModes
from .expressions import ZERO
from .inertia import AddedInertia, Flywheel, Inertia
from .transformation import ElementaryTransformation

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
