"""The terms of one body: Φ, W', K and G of eqs. (4), (6) and (9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mbconcord.model.inertia import Inertia
from mbconcord.model.system import Body

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

    def inertia_times(self, a: Triple) -> Triple:
        """J a, about the centre of mass in body axes."""
        return to_world(self.inertia.matrix(), a)


def terms(body: Body, frame: Kinematics, fall: Triple, loads: Iterable[Load]) -> BodyTerms:
    """Φ, W', K and G of a body. K = (0; ω × Jω); G is the body's load reduced to its centre of mass."""
    inertia = body.inertia
    to_centre = to_world(frame.A, inertia.centre)
    centre = frame.at(to_centre)
    omega, epsilon = to_body(frame.A, frame.omega), to_body(frame.A, frame.epsilon)
    force, moment = NONE, NONE
    for loaded, at, push, twist in loads:
        if loaded == body.name:
            about = cross(minus(at, to_centre), push)
            force, moment = plus(force, push), plus(moment, twist, to_body(frame.A, about))
    return BodyTerms(
        name=body.name,
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
