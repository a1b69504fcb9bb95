"""A body of the tree, the joint that carries it, and the gravity that acts on it.

Inertia of a body, and of what it may carry: added inertia of a fluid, flywheels; armatures along coordinates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mbconcord.model.limits import count
from mbconcord.records import dataclass

from .diagnostics import ModelError, error
from .elastic import ElasticModes
from .expressions import ZERO, Expression, Scalar, as_expression
from .transformation import ElementaryTransformation, Vector, unit_vector, vector

Tensor = tuple[Expression, Expression, Expression, Expression, Expression, Expression]


def tensor(values: Iterable[Scalar]) -> Tensor:
    """Convert matrix elements (xx, yy, zz, xy, xz, yz) to expressions; three values are a diagonal tensor."""
    items = tuple(map(as_expression, values))
    if len(items) == 3:
        items += (ZERO, ZERO, ZERO)
    xx, yy, zz, xy, xz, yz = items
    return xx, yy, zz, xy, xz, yz


def point_tensor(mass: Expression, r: Vector) -> Tensor:
    """Return the tensor m (r·r E - r rᵀ) of a point mass at r, about the origin: matrix elements."""
    x, y, z = r
    xx, yy, zz = x * x, y * y, z * z
    return (
        mass * (yy + zz), mass * (xx + zz), mass * (xx + yy),
        -(mass * (x * y)), -(mass * (x * z)), -(mass * (y * z)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass (kg), centre of mass (m, body axes) and inertia tensor about it (kg m², body axes).

    The tensor is (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz), **elements of the matrix**: Jxy = -∫xy dm.
    """

    mass: Expression
    centre: Vector = (ZERO, ZERO, ZERO)
    tensor: Tensor = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", as_expression(self.mass))
        object.__setattr__(self, "centre", vector(self.centre))
        object.__setattr__(self, "tensor", tensor(self.tensor))

    @classmethod
    def about_origin(cls, mass: Scalar, centre: Iterable[Scalar], about: Iterable[Scalar]) -> Inertia:
        """Make an inertia whose tensor is given about the origin of the body's frame."""
        m, c = as_expression(mass), vector(centre)
        shifted = (a - p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))
        return cls(m, c, tensor(shifted))

    def tensor_about_origin(self) -> Tensor:
        """Compute the tensor about the origin of the body's frame (parallel-axis theorem)."""
        moved = point_tensor(self.mass, self.centre)
        return tensor(a + p for a, p in zip(self.tensor, moved, strict=True))

    def matrix(self) -> tuple[Vector, Vector, Vector]:
        """Return the tensor about the centre of mass as rows of a matrix."""
        xx, yy, zz, xy, xz, yz = self.tensor
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)

    @property
    def is_zero(self) -> bool:
        """True when the mass and the tensor are structurally zero: a massless body."""
        return not self.mass and not any(self.tensor)

    def with_point(self, mass: Scalar, at: Iterable[Scalar]) -> Inertia:
        """Return the inertia with a point mass added at a point of the body."""
        return self.merge(Inertia(as_expression(mass), vector(at)))

    def merge(self, other: Inertia) -> Inertia:
        """Combine the inertia of two bodies welded together; both in the same frame."""
        if self.is_zero:
            return other
        if other.is_zero:
            return self
        m = self.mass + other.mass
        a, b = self.tensor_about_origin(), other.tensor_about_origin()
        if not m:  # two rotors without mass
            return Inertia(m, self.centre, tensor(x + y for x, y in zip(a, b, strict=True)))
        c = vector((self.mass * p + other.mass * q) / m for p, q in zip(self.centre, other.centre, strict=True))
        return Inertia.about_origin(m, c, (x + y for x, y in zip(a, b, strict=True)))

    def rotate(self, rotation: tuple[Vector, Vector, Vector]) -> Inertia:
        """Express the inertia in other axes of the same origin: R c and R J Rᵀ.

        ``rotation`` has the rows of R, whose columns are the present basis vectors in the new axes.
        """
        r = rotation
        j = self.matrix()
        rj = [[sum((r[i][k] * j[k][n] for k in range(3)), ZERO) for n in range(3)] for i in range(3)]
        m = [[sum((rj[i][k] * r[n][k] for k in range(3)), ZERO) for n in range(3)] for i in range(3)]
        centre = vector(sum((r[i][k] * self.centre[k] for k in range(3)), ZERO) for i in range(3))
        return Inertia(self.mass, centre, (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]))


@dataclass(frozen=True, slots=True)
class AddedInertia:
    """Added inertia Λ of a body in an ideal fluid: 6×6, symmetric, (v; ω), body axes, about the origin.

    Kirchhoff's equations; it has no weight. ``rows`` are the rows of the matrix.
    """

    rows: tuple[tuple[Expression, ...], ...]

    def __post_init__(self) -> None:
        rows = tuple(tuple(map(as_expression, row)) for row in self.rows)
        if len(rows) != 6 or any(len(row) != 6 for row in rows):
            widths = " and ".join(map(str, sorted({len(row) for row in rows})))
            found = f"{count(len(rows), 'row')} of {widths}"
            remedy = "give six rows of six, linear velocity first"
            raise ModelError(error("added_inertia", f"found {found}; the added inertia is a 6 by 6 matrix", remedy))
        wrong = [(i + 1, k + 1) for i in range(6) for k in range(i) if rows[i][k] is not rows[k][i]]
        if wrong:
            i, k = wrong[0]
            found = f"elements ({i},{k}) and ({k},{i}) differ: {rows[i - 1][k - 1]} and {rows[k - 1][i - 1]}"
            raise ModelError(error("added_inertia", f"not symmetric: {found}", "make them equal"))
        object.__setattr__(self, "rows", rows)


@dataclass(frozen=True, slots=True)
class Flywheel:
    """A rotor carried by a body, turned by the prescribed angle ψ(t) about axis 3 of its own frame.

    Attributes
    ----------
    name : str
    mounting : tuple of ElementaryTransformation
        Constant transformations from the carrier's frame to the flywheel's frame at ψ = 0; the origin lies on
        the spin axis, which is the frame's z axis.
    inertia : Inertia
        In the flywheel's own frame; need not be balanced nor axisymmetric. The carrier's inertia excludes it.
    angle : Expression
        ψ(t), rad.
    """

    name: str
    mounting: tuple[ElementaryTransformation, ...]
    inertia: Inertia
    angle: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "mounting", tuple(self.mounting))
        object.__setattr__(self, "angle", as_expression(self.angle))
        moving = [et.coordinate for et in self.mounting if et.coordinate]
        if moving:
            found = f"found {', '.join(moving)}; a flywheel's mounting has no coordinates"
            remedy = "give constants; only the angle changes, by a law of t"
            raise ModelError(error(f"flywheels/{self.name}", found, remedy))


@dataclass(frozen=True, slots=True)
class Armature:
    """A constant symmetric addition a c cᵀ to the mass matrix: the kinetic energy ½ a (cᵀ q')² and nothing else.

    A rotor behind gears, an actuator, a tendon: it does not weigh, nor resist being tilted. Its inertial force along
    coordinate i is -a c_i Σ c_k q_k''; there are no velocity terms, because c is constant.

    Attributes
    ----------
    name : str
    inertia : Expression
        a; a c_i c_k has the unit of M_ik (kg m² of two rotations).
    coefficients : mapping of coordinate to Expression
        c; coordinates that are not named have 0.

    Raises
    ------
    ModelError
        No coordinate is named.
    """

    name: str
    inertia: Expression
    coefficients: Mapping[str, Expression]

    def __post_init__(self) -> None:
        items = {name: as_expression(value) for name, value in sorted(self.coefficients.items())}
        if not items:
            found = "an armature along no coordinate"
            raise ModelError(error(f"armatures/{self.name}", found, "name one that it turns with"))
        object.__setattr__(self, "inertia", as_expression(self.inertia))
        object.__setattr__(self, "coefficients", items)

    def __hash__(self) -> int:
        return hash((self.name, self.inertia, tuple(self.coefficients.items())))

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Formulas of the armature: a, then the coefficients c in their order."""
        return self.inertia, *self.coefficients.values()


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
        """Names of the body's modal coordinates; empty if the body is rigid."""
        return self.modes.coordinates if self.modes else ()
