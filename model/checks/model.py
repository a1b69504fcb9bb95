"""Parts of a model that its checks read; a :class:`~mbconcord.model.system.System` provides them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..body import Body, Gravity
from ..constraint import Constraint, Rod
from ..coordinate import Coordinate, Function, Parameter
from ..force import Bipolar, Force, NamedPoint
from ..inertia import Armature
from ..omission import Omission


class Model(Protocol):
    """The parts of a system. A system is checked on construction, so the checks do not know its class."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Generalized coordinates."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Named constants."""

    @property
    def functions(self) -> tuple[Function, ...]:
        """Functions of the model's author."""

    @property
    def gravity(self) -> Gravity | None:
        """Gravity, if there is any."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the tree."""

    @property
    def forces(self) -> tuple[Force, ...]:
        """Forces."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Constraints."""

    @property
    def armatures(self) -> tuple[Armature, ...]:
        """Inertia along coordinates alone."""

    @property
    def points(self) -> tuple[NamedPoint, ...]:
        """Points of bodies that have names."""

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """Things that the reader of the source left out."""

    def massive(self) -> Iterator[Bipolar | Rod]:
        """Yield bipolar elements and rods that have a mass."""
