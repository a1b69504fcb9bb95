"""The terms of an ideal fluid around a body, by Kirchhoff's equations (Lamb, Hydrodynamics, 1932, art. 121).

The fluid's impulse and moment of impulse, (p; H) = Λ(u; ω), depend on the motion of the body's frame: u is the
velocity of its origin; all vectors are in body axes and about the origin. The body must exert on the fluid

    dp/dt = p' + ω × p ,    dH/dt = H' + ω × H + u × p ,

which is added to M_i (Φ_i q'' + W'_i) + K_i in the sums (9), with (p'; H') = Λ(u'; ω'). The derivative u' of the
components in body axes is the acceleration minus ω × u. The fluid has no weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model import AddedInertia
from mbconcord.model.expressions import ZERO
from mbconcord.records import dataclass

from .kinematics import Kinematics, Triple, cross, minus, plus, to_body


@dataclass(frozen=True, slots=True)
class MediumTerms:
    """The fluid's terms in (9): D, B of the frame's origin and the counterpart of M_i W'_i + K_i, in body axes."""

    name: str
    added: AddedInertia
    D: Mapping[str, Triple]
    B: Mapping[str, Triple]
    impulse: tuple[Triple, Triple]
    bias: tuple[Triple, Triple]

    @property
    def phi(self) -> Iterator[tuple[str, Triple, Triple]]:
        """Columns of [D; B], by coordinate."""
        for name, d in self.D.items():
            yield name, d, self.B[name]

    def momenta(self, d: Triple, b: Triple) -> tuple[Triple, Triple]:
        """Return Λ(d; b)."""
        return impulse(self.added, d, b)


def impulse(added: AddedInertia, u: Triple, omega: Triple) -> tuple[Triple, Triple]:
    """Compute (p; H) = Λ(u; ω)."""
    velocity = (*u, *omega)
    a, b, c, d, e, f = (sum((x * y for x, y in zip(row, velocity, strict=True)), ZERO) for row in added.rows)
    return (a, b, c), (d, e, f)


def medium(name: str, added: AddedInertia, frame: Kinematics) -> MediumTerms:
    """Compute the terms of the fluid around a body in a given frame."""
    u, omega = to_body(frame.A, frame.v), to_body(frame.A, frame.omega)
    growth = minus(to_body(frame.A, frame.w), cross(omega, u))
    p, H = impulse(added, u, omega)
    push, twist = impulse(added, growth, to_body(frame.A, frame.epsilon))
    return MediumTerms(
        name=name,
        added=added,
        D={q: to_body(frame.A, column) for q, column in frame.D.items()},
        B={q: to_body(frame.A, column) for q, column in frame.B.items()},
        impulse=(p, H),
        bias=(plus(push, cross(omega, p)), plus(twist, cross(omega, H), cross(u, p))),
    )
