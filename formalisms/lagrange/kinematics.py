"""Homogeneous transformations and velocities of the bodies: Golomazdin & Dmitrochenko 2022, eqs. (10)-(13).

A frame is the matrix T = [A r; 0 1] of eq. (12) together with T⁻¹ dT/dt = [ω̃ u; 0 0]: ω̃ = Aᵀ dA/dt is
the angular velocity of eq. (13) and u = Aᵀ dr/dt the velocity of the origin, both in the body's own axes.
Appending one elementary transformation E of the product (11) gives

    (T E)⁻¹ d(T E)/dt = E⁻¹ (T⁻¹ dT/dt) E + E⁻¹ dE/dt ,

so the time derivative of A and r is taken factor by factor, where almost all entries are zero.

Parts with kinetic energy: the bodies, and the flywheels on them, each of which is one more rigid body.

A flywheel's frame is its carrier's, mounted and rotated about its own z axis by the known angle ψ(t):

    T_f = T · T_mounting · T_z(ψ(t)) ,

one more product (11). It adds no coordinate: its ψ' and ψ'' enter h, and its weight enters gravity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mbconcord.model import (
    AddedInertia,
    Body,
    ElasticModes,
    ElementaryTransformation,
    Flywheel,
    Inertia,
    Variable,
    rotation,
)
from mbconcord.model.expressions import ONE, ZERO, Expression, cos, rate, sin, time_derivative
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass, replace

Matrix = tuple[Vector, Vector, Vector]

NOTHING: Vector = (ZERO, ZERO, ZERO)
UNITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def plus(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Vector, b: Vector) -> Vector:
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(factor: Expression, a: Vector) -> Vector:
    """Return factor · a."""
    return factor * a[0], factor * a[1], factor * a[2]


def dot(a: Vector, b: Vector) -> Expression:
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product ãb."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def transpose(a: Matrix) -> Matrix:
    """Return Aᵀ."""
    x, y, z = zip(*a, strict=True)
    return x, y, z


def apply(a: Matrix, b: Vector) -> Vector:
    """Return A b."""
    return dot(a[0], b), dot(a[1], b), dot(a[2], b)


def product(a: Matrix, b: Matrix) -> Matrix:
    """Return A B."""
    columns = transpose(b)
    return apply(columns, a[0]), apply(columns, a[1]), apply(columns, a[2])


def rotation_matrix(axis: Vector, angle: Expression) -> Matrix:
    """Build the rotation matrix of eq. (10) about any unit axis n: E cos φ + ñ sin φ + n nᵀ (1 - cos φ) (Rodrigues)."""
    c, s = cos(angle), sin(angle)
    x, y, z = axis
    d = ONE - c
    return (
        (c + x * x * d, x * y * d - z * s, x * z * d + y * s),
        (x * y * d + z * s, c + y * y * d, y * z * d - x * s),
        (x * z * d - y * s, y * z * d + x * s, c + z * z * d),
    )


@dataclass(frozen=True, slots=True)
class Shift:
    """Effect of a translation on the velocity of the origin, in its axes (m/s).

    ``before`` is the velocity u at its start, ``added`` the increment at its end: ω × ρ + n dρ/dt.
    """

    before: Vector
    added: Vector

    @property
    def end_velocity(self) -> Vector:
        """Velocity of the origin at the end of the translation (m/s)."""
        return plus(self.before, self.added)


@dataclass(frozen=True, slots=True)
class Frame:
    """Position, orientation and velocity of a frame.

    Attributes
    ----------
    A, r : orientation (columns are the frame's axes in world axes) and origin in world axes (m)
    u, w : velocity of the origin (m/s) and angular velocity (rad/s) in the frame's axes
    shifts : translations since the frame of the parent (of the carrier, for a flywheel)
    """

    A: Matrix = UNITY
    r: Vector = NOTHING
    u: Vector = NOTHING
    w: Vector = NOTHING
    shifts: tuple[Shift, ...] = ()

    def point(self, position: Vector) -> Vector:
        """Return the position r + Aρ in world axes of a point ρ given in this frame."""
        return plus(self.r, apply(self.A, position))

    def follow(self, steps: Iterable[ElementaryTransformation]) -> Frame:
        """Return the frame after elementary transformations, eq. (11); ``shifts`` has only those of these steps."""
        frame = replace(self, shifts=())
        for step in steps:
            frame = frame.move(step)
        return frame

    def move(self, step: ElementaryTransformation) -> Frame:
        """Return the frame after one more elementary transformation."""
        amount, speed = step.amount, amount_rate(step)
        n = step.axis
        if step.is_translation:
            way = times(amount, n)
            shift = Shift(self.u, plus(cross(self.w, way), times(speed, n)))
            return Frame(self.A, self.point(way), shift.end_velocity, self.w, (*self.shifts, shift))
        E = rotation_matrix(n, amount)
        back = transpose(E)
        turned = apply(back, self.w)
        return Frame(product(self.A, E), self.r, apply(back, self.u), plus(turned, times(speed, n)), self.shifts)


def amount_rate(step: ElementaryTransformation) -> Expression:
    """Return the time derivative of a transformation's shift (m/s) or angle (rad/s)."""
    if isinstance(step.motion, Variable):
        return rate(step.motion.coordinate)
    return time_derivative([step.amount], step.moving)[0]


@dataclass(frozen=True, slots=True)
class Part:
    """A body or a flywheel.

    Attributes
    ----------
    label : for a body its number in the model, such as 2; for a flywheel on it 2f1
    frame, inertia : motion of the part's frame, and inertia of the part in this frame
    carried : mass that the part's joint, or mounting, carries (kg)
    medium : added inertia of the fluid around the part, or None
    modes : modes of an elastic body; None if rigid
    """

    label: str
    frame: Frame
    inertia: Inertia
    carried: Expression
    medium: AddedInertia | None = None
    modes: ElasticModes | None = None


def moving_parts(bodies: Sequence[Body], frames: Mapping[str | None, Frame]) -> list[Part]:
    """List the bodies in order, each followed by its flywheels."""
    carried = carried_masses(bodies)
    found: list[Part] = []
    for k, body in enumerate(bodies, 1):
        frame = frames[body.name]
        found.append(Part(str(k), frame, body.inertia, carried[body.name], body.added_inertia, body.modes))
        for f, wheel in enumerate(body.flywheels, 1):
            turning = frame.follow(wheel_steps(wheel))
            found.append(Part(f"{k}f{f}", turning, wheel.inertia, wheel.inertia.mass))
    return found


def wheel_steps(wheel: Flywheel) -> tuple[ElementaryTransformation, ...]:
    """Return the transformations from the carrier's frame to that of a flywheel."""
    return (*wheel.mounting, rotation("z", wheel.angle))


def carried_masses(bodies: Sequence[Body]) -> dict[str, Expression]:
    """Return the mass of each body together with its flywheels and all bodies that it carries (kg), by name."""
    carried: dict[str, Expression] = {}
    for body in bodies:
        carried[body.name] = sum((wheel.inertia.mass for wheel in body.flywheels), body.inertia.mass)
    for body in reversed(bodies):
        if body.parent is not None:
            carried[body.parent] += carried[body.name]
    return carried
