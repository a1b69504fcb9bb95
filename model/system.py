"""The shared intermediate model: one multibody system, from any format.

SI units and radians; every scalar is an :class:`~mbconcord.model.expressions.Expression`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mbconcord.records import dataclass, field, replace

from .body import Armature, Body, Gravity
from .checks.structure import structure
from .constraint import Constraint, Rod
from .coordinate import Coordinate, Function, Parameter
from .diagnostics import ModelError, among, error
from .expressions import ZERO, Expression, derivative, symbol, symbols
from .force import Bipolar, Force, NamedPoint, Point, list_acting, map_formulas, mark_words, may_have_words
from .limits import count, frame, html_table, line
from .omission import Omission, format_without
from .transformation import Kind, Mapped, Vector

if TYPE_CHECKING:
    from pandas import DataFrame

_TUPLES = (
    "coordinates", "parameters", "functions", "bodies", "forces", "constraints", "omissions", "armatures", "points",
)  # fmt: skip
_COLUMNS = ("body", "parent", "joint", "mass", "centre", "tensor")


class _RememberedTree:
    """Room for the open tree of a system, which is asked for many times: :meth:`System.open_loops`."""

    __slots__ = ("_tree",)
    _tree: System


@dataclass(frozen=True, slots=True, repr=False)
class System(_RememberedTree):
    """A multibody system.

    Attributes
    ----------
    name : str
    coordinates : tuple of Coordinate
        In the source's own order; every array of every result uses it.
    parameters, functions : tuples
    gravity : Gravity or None
    bodies : tuple of Body
        Parents precede children.
    forces, constraints : tuples
    metadata : mapping of JSON values
        Content of a format outside the model, under keys such as ``"um:images"``.
    omissions : tuple of Omission
        Content of the source that the model does not hold.
    armatures : tuple of Armature
        Inertia along coordinates alone.
    points : tuple of NamedPoint
        Points of bodies that words of formulas and kinematic quantities may name.

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
    armatures: tuple[Armature, ...] = ()
    points: tuple[NamedPoint, ...] = ()

    def __post_init__(self) -> None:
        for name in _TUPLES:
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if any(isinstance(et.motion, Mapped) for body in self.bodies for et in body.joint):
            object.__setattr__(self, "bodies", _name_mapped(self.bodies, self.coordinate_names))
        if may_have_words(x for _, group in list_acting(self.coordinates, self.forces) for x in group):
            functions = {f.name for f in self.functions}
            marked = map_formulas(self.coordinates, self.forces, lambda x, own: mark_words(x, functions, own))
            for name, value in zip(("coordinates", "forces"), marked, strict=True):
                object.__setattr__(self, name, value)
        findings = structure(self)
        if findings:
            raise ModelError(findings)

    def __repr__(self) -> str:
        return line("System", self.name, *self._facts())

    def _facts(self) -> Iterator[str]:
        """Yield the facts about the system that its display shows, in words."""
        yield count(len(self.bodies), "body", "bodies")
        for thing, group in (("coordinate", self.coordinates), ("force", self.forces)):
            yield count(len(group), thing) if group else ""
        yield count(len(self.constraints), "constraint") if self.constraints else ""
        yield count(len(self.armatures), "armature") if self.armatures else ""
        yield count(len(self.points), "point") if self.points else ""
        yield format_without(self.omissions)

    def _rows(self) -> Iterator[dict[str, str]]:
        """Yield a row for each body; formulas as text."""
        for body in self.bodies:
            inertia = body.inertia
            yield {
                "body": body.name,
                "parent": body.parent or "",
                "joint": "; ".join(map(str, body.joint)),
                "mass": str(inertia.mass),
                "centre": ", ".join(map(str, inertia.centre)),
                "tensor": ", ".join(map(str, inertia.tensor)),
            }

    def to_frame(self) -> DataFrame:
        """Tabulate the bodies in pandas: ``body``, ``parent``, ``joint``, ``mass``, ``centre``, ``tensor``.

        All are texts. Mass in kg; centre of mass in m, body axes; tensor (xx, yy, zz, xy, xz, yz) about it in kg m².
        """
        return frame(self._rows(), _COLUMNS)

    def _repr_html_(self) -> str:
        return html_table(repr(self)[1:-1], _COLUMNS, (tuple(row.values()) for row in self._rows()))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the generalized coordinates: the order of every array."""
        return tuple(c.name for c in self.coordinates)

    @property
    def names(self) -> frozenset[str]:
        """Names that formulas of the model use: of coordinates, parameters and functions."""
        return frozenset(x.name for group in (self.coordinates, self.parameters, self.functions) for x in group)

    @property
    def places(self) -> dict[str, Point]:
        """Origins of the bodies, and the points that have names, by name."""
        return {b.name: Point(b.name) for b in self.bodies} | {p.name: p.point for p in self.points}

    @property
    def kinds(self) -> dict[str, Kind]:
        """Kind of motion along each coordinate of joints, by name: the kind of its own transformation.

        A coordinate that is only in maps has the kind of a transformation that it moves at a constant slope; else none.
        """
        steps = [et for body in self.bodies for et in body.joint]
        found = {et.coordinate: et.kind for et in steps if et.coordinate}
        for et in steps:
            for name in () if et.coordinate else et.moving:
                if name not in found and derivative(et.amount, symbol(name)).constant:
                    found[name] = et.kind
        return found

    @property
    def angles(self) -> frozenset[str]:
        """Names of the coordinates that are angles."""
        return frozenset(name for name, kind in self.kinds.items() if kind == "rotation")

    @property
    def gravity_vector(self) -> Vector:
        """Acceleration of gravity in world axes (m/s²); zero without gravity."""
        return self.gravity.vector if self.gravity else (ZERO, ZERO, ZERO)

    def body(self, name: str) -> Body:
        """Return the body of that name; an unknown one raises :class:`ModelError` with the known names."""
        for body in self.bodies:
            if body.name == name:
                return body
        raise ModelError(error("bodies", f"there is no body {name!r}", among(name, (b.name for b in self.bodies))))

    def path(self, name: str | None) -> tuple[Body, ...]:
        """List the bodies from the fixed frame out to the named one, inclusive; empty for the fixed frame."""
        bodies = {body.name: body for body in self.bodies}
        found: list[Body] = []
        while name is not None:
            found.append(bodies.get(name) or self.body(name))
            name = found[-1].parent
        return tuple(reversed(found))

    def children(self, name: str | None) -> tuple[Body, ...]:
        """List the bodies carried by the named one (None: by the fixed frame)."""
        return tuple(b for b in self.bodies if b.parent == name)

    def lump_masses(self) -> System:
        """Move the masses of rods and bipolar elements to the bodies that they join.

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
            inertia, modes = body.inertia, body.modes
            for name, mass, at in extra:
                if name == body.name:
                    inertia = inertia.with_point(mass, at)
                    modes = modes and modes.with_point(mass, at)
            bodies.append(replace(body, inertia=inertia, modes=modes))
        forces = tuple(replace(f, mass=ZERO) if isinstance(f, Bipolar) else f for f in self.forces)
        rods = tuple(replace(c, mass=ZERO) if isinstance(c, Rod) else c for c in self.constraints)
        return replace(self, bodies=tuple(bodies), forces=forces, constraints=rods)

    def open_loops(self) -> System:
        """Return the open tree: no constraints, with the masses of rods on the bodies that they join."""
        if not self.constraints:
            return self.lump_masses()
        if not hasattr(self, "_tree"):
            object.__setattr__(self, "_tree", replace(self.lump_masses(), constraints=()))
        return self._tree

    def massive(self) -> Iterator[Bipolar | Rod]:
        """Yield bipolar elements and rods that have a mass."""
        for element in (*self.forces, *self.constraints):
            if isinstance(element, (Bipolar, Rod)) and element.mass:
                yield element


def _name_mapped(bodies: Iterable[Body], names: Sequence[str]) -> tuple[Body, ...]:
    """Return the bodies with maps that list which of their symbols are coordinates, in the order of the system."""
    made = []
    for body in bodies:
        joint = []
        for et in body.joint:
            if isinstance(et.motion, Mapped):
                used = symbols([et.motion.value])
                found = tuple(name for name in names if name in used)
                et = et if found == et.motion.coordinates else replace(et, motion=Mapped(et.motion.value, found))
            joint.append(et)
        made.append(replace(body, joint=tuple(joint)))
    return tuple(made)
