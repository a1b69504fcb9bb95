"""The terms of one body: Φ, W', K and G of eqs. (4), (6) and (9).

A flywheel is one more body, on a frame that its carrier's motion and the known turn ψ(t) lead to: it has
columns of Φ for the carrier's coordinates, ψ' and ψ'' in its W' and K, and a weight of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mbconcord.model import Body, Inertia, rotation
from mbconcord.records import dataclass

from .forces import Load
from .kinematics import Kinematics
from .vectors import NONE, Triple, cross, minus, plus, times, to_body, to_world


@dataclass(frozen=True, slots=True)
class BodyTerms:
    """The terms of one body in (9): D, W' (translation) in world axes, B, W' (rotation), K in body axes."""

    name: str
    inertia: Inertia
    centre: Kinematics
    D: Mapping[str, Triple]
    B: Mapping[str, Triple]
    omega: Triple
    W: tuple[Triple, Triple]
    K: Triple
    weight: Triple
    load: tuple[Triple, Triple]

    @property
    def phi(self) -> Iterator[tuple[str, Triple, Triple]]:
        """Columns of Φ = [D; B], by coordinate."""
        for name, d in self.D.items():
            yield name, d, self.B[name]

    @property
    def bias(self) -> tuple[Triple, Triple]:
        """M_i W'_i + K_i of (9)."""
        pushed = times(self.inertia.mass, self.W[0])
        return pushed, plus(self.inertia_times(self.W[1]), self.K)

    def momenta(self, d: Triple, b: Triple) -> tuple[Triple, Triple]:
        """Return M_i (d; b)."""
        return times(self.inertia.mass, d), self.inertia_times(b)

    def inertia_times(self, a: Triple) -> Triple:
        """Return J a, about the centre of mass in body axes."""
        return to_world(self.inertia.matrix(), a)


def wheels(body: Body, frame: Kinematics, fall: Triple) -> Iterator[BodyTerms]:
    """Yield the terms of the flywheels on a body in a given frame; only weight acts on them."""
    for wheel in body.flywheels:
        turned = frame
        for et in (*wheel.mounting, rotation("z", wheel.angle)):
            turned = turned.apply_transformation(et)
        yield terms(f"{body.name}_{wheel.name}", wheel.inertia, turned, fall, ())


def terms(name: str, inertia: Inertia, frame: Kinematics, fall: Triple, loads: Iterable[Load]) -> BodyTerms:
    """Compute Φ, W', K and G of a body. K = (0; ω × Jω); G is its loads reduced to its centre of mass."""
    to_centre = to_world(frame.A, inertia.centre)
    centre = frame.shift_to(to_centre)
    omega, epsilon = to_body(frame.A, frame.omega), to_body(frame.A, frame.epsilon)
    force, moment = NONE, NONE
    for _, at, push, twist in loads:
        about = cross(minus(at, to_centre), push)
        force, moment = plus(force, push), plus(moment, twist, to_body(frame.A, about))
    return BodyTerms(
        name=name,
        inertia=inertia,
        centre=centre,
        D=centre.D,
        B={q: to_body(frame.A, column) for q, column in frame.B.items()},
        omega=omega,
        W=(centre.w, epsilon),
        K=cross(omega, to_world(inertia.matrix(), omega)),
        weight=times(inertia.mass, fall),
        load=(force, moment),
    )
