"""The terms of one body: Φ, W', K and G of eqs. (4), (6) and (9).

A flywheel is one more body, whose frame follows its carrier and the known rotation ψ(t): it has
columns of Φ for the carrier's coordinates, ψ' and ψ'' in its W' and K, and a weight of its own.

The sums (9) body by body: M_i* = Φ_iᵀ M_i Φ_i, k_i = Φ_iᵀ (M_i W'_i + K_i), Q_i = Φ_iᵀ G_i.

A share has the terms that a body adds, by the coordinates that move it; terms of other coordinates are zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from mbconcord.model import Body, Inertia, rotation
from mbconcord.model.body import Armature
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.records import dataclass

from .forces import Load
from .kinematics import NONE, Kinematics, Triple, cross, dot, minus, plus, times, to_body, to_world
from .medium import MediumTerms


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
    """Yield the terms of the flywheels on a body; ``frame`` is the body's, and only weight acts on flywheels."""
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


Key = TypeVar("Key", str, tuple[str, str])
Row = Mapping[str, Expression]
Rows = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Inertial:
    """Contributions of bodies to M (elements by two coordinates, the earlier one first) and to k."""

    mass: Mapping[tuple[str, str], Expression]
    k: Row

    def square(self, names: tuple[str, ...]) -> Rows:
        """Return M over all coordinates; it is symmetric."""
        found, count = self.mass, range(len(names))
        return tuple(tuple(found.get((names[min(i, j)], names[max(i, j)]), ZERO) for j in count) for i in count)


@dataclass(frozen=True, slots=True)
class Acting:
    """Contributions of bodies to Q: their weight, and the loads on them."""

    gravity: Row
    applied: Row


def inertial(part: BodyTerms | MediumTerms, names: tuple[str, ...]) -> Inertial:
    """Compute M_i* and k_i of a body, or of the fluid around it."""
    index = {name: i for i, name in enumerate(names)}
    mass, k = {}, {}
    pushed, twisted = part.bias
    columns = list(part.phi)
    for p, (name, d, b) in enumerate(columns):
        k[name] = dot(d, pushed) + dot(b, twisted)
        momentum, spin = part.momenta(d, b)
        for other, d2, b2 in columns[: p + 1]:
            first, second = sorted((name, other), key=index.__getitem__)
            mass[first, second] = dot(d2, momentum) + dot(b2, spin)
    return Inertial(mass, k)


def turning(armature: Armature, names: tuple[str, ...]) -> Inertial:
    """Compute M_i* = c a cᵀ of an armature with speed cᵀ q': virtual displacement cᵀ δq, torque a (cᵀ q'')."""
    given = [name for name in names if name in armature.coefficients]
    mass: dict[tuple[str, str], Expression] = {}
    for i, first in enumerate(given):
        momentum = armature.inertia * armature.coefficients[first]
        mass |= {(first, second): momentum * armature.coefficients[second] for second in given[i:]}
    return Inertial(mass, {})


def acting(body: BodyTerms) -> Acting:
    """Compute Q_i of a body."""
    gravity, applied = {}, {}
    for name, d, b in body.phi:
        gravity[name] = dot(d, body.weight)
        applied[name] = dot(d, body.load[0]) + dot(b, body.load[1])
    return Acting(gravity, applied)


def row(shares: Iterable[Row], names: tuple[str, ...]) -> tuple[Expression, ...]:
    """Return the sum of the bodies' shares for every coordinate, in the order of ``names``."""
    whole = add_shares(shares)
    return tuple(whole.get(name, ZERO) for name in names)


def add_shares(shares: Iterable[Mapping[Key, Expression]]) -> dict[Key, Expression]:
    """Return the sum of shares for each key that any of them has."""
    whole: dict[Key, Expression] = {}
    for share in shares:
        for key, value in share.items():
            whole[key] = whole.get(key, ZERO) + value
    return whole


def together(shares: Iterable[Inertial]) -> Inertial:
    """Sum M and k of several bodies."""
    made = list(shares)
    return Inertial(add_shares(share.mass for share in made), add_shares(share.k for share in made))
