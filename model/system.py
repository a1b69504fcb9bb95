"""The shared intermediate model: one multibody system, whatever format it came from.

SI units and radians; every scalar is an :class:`~mbconcord.model.expressions.Expression`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .body import Body
from .checks.structure import structure
from .constraint import Constraint, Rod
from .coordinate import Coordinate, Function, Parameter
from .diagnostics import ModelError, among, error
from .expressions import ZERO, Expression
from .force import Bipolar, Force
from .gravity import Gravity
from .omission import Omission
from .transformation import Vector

_TUPLES = ("coordinates", "parameters", "functions", "bodies", "forces", "constraints", "omissions")


@dataclass(frozen=True, slots=True)
class System:
    """A multibody system.

    Attributes
    ----------
    name : str
    coordinates : tuple of Coordinate
        In the source's own order; every array of every result uses it.
    parameters, functions : tuples
    gravity : Gravity or None
    bodies : tuple of Body
        A parent stands before its children.
    forces, constraints : tuples
    metadata : mapping of JSON values
        What a format holds and the model does not, under keys such as ``"um:images"``.
    omissions : tuple of Omission
        What the reader of the source met and the model does not hold.

    Raises
    ------
    ModelError
        On construction, when the structure is broken: all findings at once.
    """

    name: str
    coordinates: tuple[Coordinate, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    functions: tuple[Function, ...] = ()
    gravity: Gravity | None = None
    bodies: tuple[Body, ...] = ()
    forces: tuple[Force, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    omissions: tuple[Omission, ...] = ()

    def __post_init__(self) -> None:
        for name in _TUPLES:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        findings = structure(self)
        if findings:
            raise ModelError(findings)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the generalized coordinates: the order of every array."""
        return tuple(c.name for c in self.coordinates)

    @property
    def names(self) -> frozenset[str]:
        """Names that formulas of the model use: of coordinates, parameters and functions."""
        return frozenset(
            x.name for group in (self.coordinates, self.parameters, self.functions) for x in group
        )

    @property
    def gravity_vector(self) -> Vector:
        """Acceleration of gravity in world axes (m/s²); zero without gravity."""
        return self.gravity.vector if self.gravity else (ZERO, ZERO, ZERO)

    def body(self, name: str) -> Body:
        """The body of that name; :class:`ModelError` naming the known ones when there is none."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise ModelError(
            error("bodies", f"there is no body {name!r}", among(name, (b.name for b in self.bodies)))
        )

    def path(self, name: str | None) -> tuple[Body, ...]:
        """Bodies from the fixed frame out to the named one, inclusive; empty for the fixed frame."""
        bodies = {body.name: body for body in self.bodies}
        found: list[Body] = []
        while name is not None:
            found.append(bodies.get(name) or self.body(name))
            name = found[-1].parent
        return tuple(reversed(found))

    def children(self, name: str | None) -> tuple[Body, ...]:
        """Bodies carried by the named one (None: by the fixed frame)."""
        return tuple(b for b in self.bodies if b.parent == name)

    def lumped(self) -> System:
        """The same system with the masses of rods and bipolar elements put on the bodies they join.

        Half on each end point; a half on the fixed frame has no effect on the motion.
        """
        extra: list[tuple[str, Expression, Vector]] = []
        for element in self.massive():
            for end in (element.first, element.second):
                if end.body is not None:
                    extra.append((end.body, element.mass / 2, end.position))
        if not extra:
            return self
        bodies = []
        for body in self.bodies:
            inertia = body.inertia
            for name, mass, at in extra:
                if name == body.name:
                    inertia = inertia.with_point(mass, at)
            bodies.append(replace(body, inertia=inertia))
        forces = tuple(replace(f, mass=ZERO) if isinstance(f, Bipolar) else f for f in self.forces)
        rods = tuple(replace(c, mass=ZERO) if isinstance(c, Rod) else c for c in self.constraints)
        return replace(self, bodies=tuple(bodies), forces=forces, constraints=rods)

    def opened(self) -> System:
        """The open tree of the system: no constraints, the masses of rods on the bodies that they join."""
        return replace(self.lumped(), constraints=())

    def massive(self) -> Iterator[Bipolar | Rod]:
        """Bipolar elements and rods that have a mass."""
        for element in (*self.forces, *self.constraints):
            if isinstance(element, (Bipolar, Rod)) and element.mass:
                yield element
