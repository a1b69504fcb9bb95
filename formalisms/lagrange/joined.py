"""The mass matrix of deep machines: M = ∂²T/∂q'∂q' from the energies of each body with all bodies it carries.

If all joints beyond a body rest, it forms one rigid body with all it carries, of mass m, with s and J about its origin
in its axes; (14) gives T = ½ m u·u + u·(ω × s) + ½ ω·J ω. No other energy contributes to elements of M between its own
joint and a joint that carries it. They are the derivatives of (u, ω) by the rates q'_j with the weights

    ∂²T/∂u ∂q'_i = m u_i + ω_i × s ,    ∂²T/∂ω ∂q'_i = J ω_i + s × u_i ,

(u_i, ω_i) = ∂(u, ω)/∂q'_i: one backward sweep over u and ω for each row. s and J of carried bodies are transformed to
a body's axes by the same product (11) as points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from mbconcord.model import Body, Inertia, System
from mbconcord.model.body import Tensor
from mbconcord.model.expressions import ZERO, Expression, jacobian, pullback, rate
from mbconcord.model.features import is_mapped
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass

from .kinematics import Frame, apply, cross, dot, plus, times, wheel_steps

#: Coordinates that move one body from which on bodies are joined; with fewer, slopes of all momenta cost no more.
DEEP = 8

Row = dict[str, Expression]


@dataclass(frozen=True, slots=True)
class Joined:
    """A rigid body: mass m, first moment s = m ρ_c and tensor J about the origin of its frame, in the frame's axes."""

    mass: Expression
    s: Vector
    J: Tensor

    @classmethod
    def from_inertia(cls, inertia: Inertia) -> Joined:
        """Return the mass properties of one body."""
        return cls(inertia.mass, times(inertia.mass, inertia.centre), inertia.tensor_about_origin())

    def to_outer_frame(self, frame: Frame) -> Joined:
        """Express the body about the origin and in the axes of an outer frame, in which ``frame`` gives its A and r.

        s' = A s + m r ;  J' = A J Aᵀ + r·(A s + s') E - r s'ᵀ - A s rᵀ.
        """
        A, r = frame.A, frame.r
        before = apply(A, self.s)
        s = plus(before, times(self.mass, r))
        xx, yy, zz, xy, xz, yz = self.J
        half = [apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), row) for row in A]
        turned = (dot(half[i], A[k]) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        xx, yy, zz, xy, xz, yz = turned
        x, y, z = (a * b for a, b in zip(r, plus(before, s), strict=True))
        return Joined(
            self.mass,
            s,
            (
                xx + (y + z),
                yy + (x + z),
                zz + (x + y),
                xy - (r[0] * s[1] + before[0] * r[1]),
                xz - (r[0] * s[2] + before[0] * r[2]),
                yz - (r[1] * s[2] + before[1] * r[2]),
            ),
        )

    def with_(self, other: Joined) -> Joined:
        """Return this body and another one, given in the same frame, as one rigid body."""
        xx, yy, zz, xy, xz, yz = (a + b for a, b in zip(self.J, other.J, strict=True))
        return Joined(self.mass + other.mass, plus(self.s, other.s), (xx, yy, zz, xy, xz, yz))

    def slopes(self, u: Vector, w: Vector) -> tuple[Vector, Vector]:
        """Compute ∂T/∂u = m u + ω × s and ∂T/∂ω = J ω + s × u."""
        xx, yy, zz, xy, xz, yz = self.J
        spin = apply(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), w)
        return plus(times(self.mass, u), cross(w, self.s)), plus(spin, cross(self.s, u))


def deep(system: System) -> bool:
    """Return True if M is taken from joined bodies: rigid ones, no fluid or maps, many coordinates moving one body."""
    depth: dict[str | None, int] = {None: 0}
    for body in system.bodies:
        if body.added_inertia or body.modes or is_mapped(body.joint):
            return False
        depth[body.name] = depth[body.parent] + len(body.coordinates)
    return max(depth.values()) >= DEEP


def mass_matrix(system: System, frames: Mapping[str | None, Frame]) -> tuple[tuple[Expression, ...], ...]:
    """Compute M of rigid bodies in no fluid, from frames of all bodies by name; with ½ a (cᵀq')² of armatures."""
    found: dict[tuple[str, str], Expression] = {}
    for outer, row in rows(system, frames):
        for inner, value in row.items():
            found[outer, inner] = found[inner, outer] = value
    for armature in system.armatures:
        for first, a in armature.coefficients.items():
            for second, b in armature.coefficients.items():
                known = found.get((first, second), ZERO)
                found[first, second] = known + armature.inertia * (a * b)
    names = system.coordinate_names
    return tuple(tuple(found.get((a, b), ZERO) for b in names) for a in names)


def rows(system: System, frames: Mapping[str | None, Frame]) -> Iterator[tuple[str, Row]]:
    """Yield (i, {j: ∂²T/∂q'_i ∂q'_j}); j: coordinates of i's joint up to i, and of the bodies that carry it."""
    carriers: dict[str | None, tuple[str, ...]] = {None: ()}
    for body in system.bodies:
        carriers[body.name] = (*carriers[body.parent], *body.coordinates)
    carried: dict[str, Joined] = {}
    for body in reversed(system.bodies):
        whole = reduce(Joined.with_, (*own(body), *filter(None, [carried.get(body.name)])))
        joint = Frame().follow(body.joint)
        if body.parent is not None:
            seen = whole.to_outer_frame(joint)
            before = carried.get(body.parent)
            carried[body.parent] = before.with_(seen) if before else seen
        moved = jacobian((*joint.u, *joint.w), [rate(name) for name in body.coordinates])
        frame, inner = frames[body.name], carriers[body.name]
        for i, name in enumerate(body.coordinates):
            x, y, z, a, b, c = (slopes[i] for slopes in moved)
            momentum, spin = whole.slopes((x, y, z), (a, b, c))
            upto = inner[: len(inner) - len(body.coordinates) + i + 1]
            works = pullback((*frame.u, *frame.w), (*momentum, *spin), [rate(other) for other in upto])
            yield name, dict(zip(upto, works, strict=True))


def own(body: Body) -> Iterable[Joined]:
    """Yield the mass properties of a body, then of each of its flywheels, all in the body's frame."""
    yield Joined.from_inertia(body.inertia)
    for wheel in body.flywheels:
        yield Joined.from_inertia(wheel.inertia).to_outer_frame(Frame().follow(wheel_steps(wheel)))
