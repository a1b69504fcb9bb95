"""The terms of one body, Φ, W', K and G of eqs. (4), (6) and (9), of loads on it, and of an ideal fluid around it.

A flywheel is one more body, whose frame follows its carrier and the known rotation ψ(t): it has
columns of Φ for the carrier's coordinates, ψ' and ψ'' in its W' and K, and a weight of its own.

The sums (9) body by body: M_i* = Φ_iᵀ M_i Φ_i, k_i = Φ_iᵀ (M_i W'_i + K_i), Q_i = Φ_iᵀ G_i.

A share has the terms that a body adds, by the coordinates that move it; terms of other coordinates are zero.

Loads act on the bodies at their points, efforts along coordinates.

The terms of a fluid follow Kirchhoff's equations (Lamb, Hydrodynamics, 1932, art. 121). Its impulse and moment of
impulse, (p; H) = Λ(u; ω), depend on the motion of the body's frame: u is the velocity of its origin; all vectors are in
body axes and about the origin. The body must exert on the fluid

    dp/dt = p' + ω × p ,    dH/dt = H' + ω × H + u × p ,

which is added to M_i (Φ_i q'' + W'_i) + K_i in the sums (9), with (p'; H') = Λ(u'; ω'). The derivative u' of the
components in body axes is the acceleration minus ω × u. The fluid has no weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from mbconcord.model import AddedInertia, Body, Inertia, rotation
from mbconcord.model.body import Armature
from mbconcord.model.coordinate import Effort
from mbconcord.model.diagnostics import FormalismError, error
from mbconcord.model.expressions import ONE, ZERO, Expression, sqrt
from mbconcord.model.force import Bipolar, Bushing, JointEffort, Point, PointForce, Torsion, Wrench
from mbconcord.model.system import System
from mbconcord.model.turns import follow_turns
from mbconcord.records import dataclass

from .kinematics import NONE, Kinematics, Triple, cross, dot, minus, node_at, plus, section, times, to_body, to_world


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


HALF = ONE / 2
Load = tuple[str | None, Triple, Triple, Triple]
Frames = Mapping[str | None, Kinematics]


def forces(system: System, frames: Frames) -> tuple[list[Load], list[tuple[str, Expression]]]:
    """Return the loads on the bodies, and (coordinate, effort) of efforts, which are generalized forces already.

    A load: a body, an arm from its origin and a force (world axes), and a moment (body axes). Loads at nodes of elastic
    bodies are not included: see :func:`at_nodes`.
    """
    loads: list[Load] = []
    efforts = [(c.name, c.drive.value) for c in system.coordinates if isinstance(c.drive, Effort)]
    for force in system.forces:
        if isinstance(force, JointEffort):
            efforts.append((force.coordinate, force.expression()))
        elif isinstance(force, Bipolar):
            ends = bipolar(force, *(place(system, p, frames) for p in (force.first, force.second)))
            for point, pushed in zip((force.first, force.second), ends, strict=True):
                if node_at(system, point) is None:
                    loads.append((point.body, arm(point, frames), pushed, NONE))
        elif isinstance(force, Bushing):
            loads += bushing(force, frames)
        elif isinstance(force, Torsion):
            loads += torsion(follow_turns(system, force), frames)
        elif node_at(system, force.point) is None:
            moment = force.moment if isinstance(force, Wrench) else NONE
            loads.append((force.point.body, arm(force.point, frames), push(force, frames), moment))
    return loads, efforts


def at_nodes(system: System, frames: Frames) -> Iterator[tuple[str, Kinematics, Load]]:
    """Yield (body, section's frame, load) for each force at a node; the load's moment is in the section's axes."""
    for force in system.forces:
        if isinstance(force, (Bushing, JointEffort, Torsion)):
            continue
        if isinstance(force, Bipolar):
            points = (force.first, force.second)
            pushes = bipolar(force, *(place(system, p, frames) for p in points))
            acting = [(p, pushed, NONE) for p, pushed in zip(points, pushes, strict=True)]
        else:
            acting = [(force.point, push(force, frames), force.moment if isinstance(force, Wrench) else NONE)]
        for point, pushed, moment in acting:
            if node_at(system, point) is not None:
                frame = place(system, point, frames)
                twist = to_body(frame.A, to_world(frames[point.body].A, moment))
                yield point.body or "", frame, (None, NONE, pushed, twist)


def push(force: PointForce | Wrench, frames: Frames) -> Triple:
    """Return the force in world axes."""
    return to_world(frames[force.point.body].A, force.force) if force.follows else force.force


def place(system: System, point: Point, frames: Frames) -> Kinematics:
    """Return the frame at a point: parallel to that of its body, or of the section at a node of an elastic body."""
    node = node_at(system, point)
    if node is None:
        return frames[point.body].shift_to(arm(point, frames))
    return section(frames[point.body], system.body(point.body or ""), node)


def arm(point: Point, frames: Frames) -> Triple:
    """Return the vector from the origin of the point's body to the point, in world axes."""
    return to_world(frames[point.body].A, point.position)


def bipolar(force: Bipolar, first: Kinematics, second: Kinematics) -> tuple[Triple, Triple]:
    """Return the two forces of a bipolar element between frames at its points: a positive one pushes them apart."""
    apart = minus(second.r, first.r)
    length = sqrt(dot(apart, apart))
    if not length:
        raise FormalismError(
            error(f"forces/{force.name}", "its two points coincide: no line between them", "move one of them")
        )
    along = times(1 / length, apart)
    growth = dot(along, minus(second.v, first.v))
    stretch = force.force_per_length(length, growth)  # it needs no direction
    pull = times(force.force(length, growth), along) if stretch is None else times(stretch, apart)
    return minus(NONE, pull), pull


def ends(force: Bushing | Torsion, frames: Mapping[str | None, Kinematics]) -> list[Kinematics]:
    """Return the two frames, on the first and on the second body, between which an element acts."""
    found = []
    for end in (force.first, force.second):
        frame = frames[end.body]
        for et in end.transformations:
            frame = frame.apply_transformation(et)
        found.append(frame)
    return found


def torsion(force: Torsion, frames: Mapping[str | None, Kinematics]) -> list[Load]:
    """Return the moments on both bodies about the z axis of the first frame."""
    here, there = ends(force, frames)
    x, y, n = zip(*here.A, strict=True)
    e, _, _ = zip(*there.A, strict=True)
    M = force.moment(dot(y, e), dot(x, e), dot(n, minus(there.omega, here.omega)))
    twist = times(M, n)
    return [
        (end.body, NONE, NONE, to_body(frames[end.body].A, moment))
        for end, moment in ((force.second, twist), (force.first, minus(NONE, twist)))
    ]


def bushing(force: Bushing, frames: Mapping[str | None, Kinematics]) -> list[Load]:
    """Return the loads on both bodies; that on the first body also acts at the origin of the second frame."""
    here, there = ends(force, frames)
    d = minus(there.r, here.r)
    drift = minus(minus(there.v, here.v), cross(here.omega, d))
    columns = tuple(zip(*there.A, strict=True))
    seen = [to_body(here.A, (x, y, z)) for x, y, z in columns]
    s = [(seen[j][k] - seen[k][j]) * HALF for j, k in ((1, 2), (2, 0), (0, 1))]
    rates = (*to_body(here.A, drift), *to_body(here.A, minus(there.omega, here.omega)))
    w = force.wrench((*to_body(here.A, d), *s), rates)
    f, m = to_world(here.A, (w[0], w[1], w[2])), to_world(here.A, (w[3], w[4], w[5]))
    against = plus(m, cross(d, f))
    loads = []
    for end, frame, pushed, moment in (
        (force.second, there, f, m), (force.first, here, minus(NONE, f), minus(NONE, against)),
    ):  # fmt: skip
        body = frames[end.body]
        loads.append((end.body, minus(frame.r, body.r), pushed, to_body(body.A, moment)))
    return loads


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
