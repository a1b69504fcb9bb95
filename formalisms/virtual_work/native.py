"""Parts of a machine with the loads on it, and the method's own objects.

Motion of the bodies, and the contribution of each to the sums (9):

``A`` orientation, ``r`` origin of a body's frame (12), world axes; ``r_c``, ``v_c`` position and velocity of its mass
centre; ``Φ = [D; B]`` and ``W'`` (4): ``v_c = D q'`` if no motion is prescribed, and ``w = Φ q'' + W'``.

``M_i`` (the paper's M_i*), ``k_i`` and ``Q_i`` of (9), body by body and then flywheel by flywheel; a fluid is part of
its body. Elastic bodies come after them: they have no ``r_c`` and no ``Φ`` of six rows. Armatures come
last. ``efforts`` act along the coordinates and belong to no body. Identities::

    Σ M_i = M ,   Σ k_i = h ,   Σ Q_i + efforts = gravity + applied

The intermediates of a derivation under the names of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from mbconcord.model.body import Inertia
from mbconcord.model.derivation import Lazy
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.system import System
from mbconcord.records import dataclass, field

from .body import (
    Acting,
    BodyTerms,
    Frames,
    Inertial,
    MediumTerms,
    Row,
    acting,
    add_shares,
    at_nodes,
    forces,
    inertial,
    medium,
    row,
    terms,
    together,
    turning,
    wheels,
)
from .kinematics import Kinematics

if TYPE_CHECKING:
    from .soft import Bent

from collections.abc import Collection, Iterable

from mbconcord.model.derivation import Stage
from mbconcord.model.naming import Named, Namer

from .kinematics import Triple


def rows(body: BodyTerms, names: tuple[str, ...]) -> Iterator[tuple[Expression, ...]]:
    """Yield the six rows of Φ over all coordinates."""
    for part in (body.D, body.B):
        for axis in range(3):
            yield tuple(part[name][axis] if name in part else ZERO for name in names)


def stages(bodies: Iterable[BodyTerms], fluids: Iterable[MediumTerms], taken: Collection[str]) -> Iterator[Stage]:
    """Yield the intermediates of every body as the paper groups them; numbers and bare symbols get no name.

    ``taken`` are names of the model.
    """
    listed = list(bodies)
    around = [
        (f"{letter}_{part.name}", vector)
        for part in fluids
        for letter, vector in zip(("p", "H", "dp", "dH"), (*part.impulse, *part.bias), strict=True)
    ]
    groups: list[tuple[str, str, Callable[[BodyTerms], Iterator[tuple[str, Triple]]]]] = [
        ("D", "D_i: displacements of the centres of mass, eq. (4), world axes", lambda b: columns_of("D", b.name, b.D)),
        ("B", "B_i: rotations, eq. (4), body axes", lambda b: columns_of("B", b.name, b.B)),
        ("ω", "Angular velocities, body axes", lambda b: iter([(f"omega_{b.name}", b.omega)])),
        (
            "W'",
            "W'_i: accelerations at q'' = 0 (w in world axes, eps in body axes)",
            lambda b: iter([(f"w_{b.name}", b.W[0]), (f"eps_{b.name}", b.W[1])]),
        ),
        ("K", "K_i: gyroscopic moments ω × Jω, body axes", lambda b: iter([(f"K_{b.name}", b.K)])),
        (
            "G",
            "G_i: applied forces and moments at the centres of mass",
            lambda b: iter([(f"F_{b.name}", b.load[0]), (f"M_{b.name}", b.load[1])]),
        ),
    ]
    grouped = [(name, title, [pair for b in listed for pair in vectors(b)]) for name, title, vectors in groups]
    fluid = "Impulse p, moment of impulse H of the fluid, and their rates at q'' = 0, body axes"
    namer = Namer(taken, signed=True)
    for name, title, pairs in [*grouped, ("Λ", fluid, around)]:
        found = namer.assignments(item for pair in pairs for item in components(*pair))
        if found:
            yield Stage(name, title, found)


def components(label: str, vector: Triple) -> Iterator[Named]:
    """Yield a vector's components with their names."""
    return zip((f"{label}_x", f"{label}_y", f"{label}_z"), vector, strict=True)


def columns_of(letter: str, body: str, columns: Mapping[str, Triple]) -> Iterator[tuple[str, Triple]]:
    """Yield the columns of D or B with their names."""
    for name, column in columns.items():
        yield f"{letter}_{body}_{name}", column


AXES = ("x", "y", "z")
SIX = (*AXES, "wx", "wy", "wz")


@dataclass(frozen=True)
class Parts:
    """Parts of a system: bodies, flywheels, fluids by the name of their body, armatures by their own name."""

    names: tuple[str, ...]
    frames: Mapping[str | None, Kinematics]
    bodies: Sequence[BodyTerms]
    rotors: Sequence[BodyTerms]
    fluids: Mapping[str, MediumTerms]
    efforts: Sequence[tuple[str, Expression]]
    bent: Sequence[Bent] = ()
    turned: Mapping[str, Inertial] = field(default_factory=dict)

    @property
    def solids(self) -> tuple[BodyTerms, ...]:
        """Terms of the rigid bodies, then of the flywheels: of all rigid parts that have weight."""
        return *self.bodies, *self.rotors

    @property
    def effort_rows(self) -> Iterator[Row]:
        """Efforts along coordinates, each as a row of its own."""
        return ({name: effort} for name, effort in self.efforts)

    def sums(self) -> tuple[Inertial, Acting]:
        """Sum M and k, and Q, body by body (9)."""
        moving: list[BodyTerms | MediumTerms] = [*self.solids, *self.fluids.values()]
        rigid = [inertial(part, self.names) for part in moving]
        inertia = together([*rigid, *(part.inertial(self.names) for part in self.bent), *self.turned.values()])
        shares = [*map(acting, self.solids), *(part.acting() for part in self.bent)]
        applied = [*(share.applied for share in shares), *self.effort_rows]
        return inertia, Acting(add_shares(share.gravity for share in shares), add_shares(applied))

    def shares(self) -> Iterator[Inertial]:
        """Yield M_i* and k_i of every body with the fluid around it, then of every flywheel."""
        for body in self.bodies:
            share = inertial(body, self.names)
            around = self.fluids.get(body.name)
            yield together([share, inertial(around, self.names)]) if around else share
        for rotor in self.rotors:
            yield inertial(rotor, self.names)
        for part in self.bent:
            yield part.inertial(self.names)
        yield from self.turned.values()

    def list_loads(self) -> Iterator[Acting]:
        """Yield Q_i of every body, in the order of the shares."""
        yield from map(acting, self.solids)
        yield from (part.acting() for part in self.bent)
        yield from (Acting({}, {}) for _ in self.turned)


def native(system: System, made: Callable[[], Parts]) -> Lazy:
    """Return the method's objects by name, each computed on first access; ``made`` builds the parts then."""
    names = system.coordinate_names

    def frames() -> Iterator[Kinematics]:
        return (frame for body, frame in made().frames.items() if body is not None)

    return Lazy(
        {
            "A": lambda: tuple(frame.A for frame in frames()),
            "r": lambda: tuple(frame.r for frame in frames()),
            "r_c": lambda: tuple(body.centre.r for body in made().bodies),
            "v_c": lambda: tuple(body.centre.v for body in made().bodies),
            "Φ": lambda: tuple(tuple(rows(body, names)) for body in made().bodies),
            "W'": lambda: tuple(body.W[0] + body.W[1] for body in made().bodies),
            "M_i": lambda: tuple(share.square(names) for share in made().shares()),
            "k_i": lambda: tuple(row([share.k], names) for share in made().shares()),
            "Q_i": lambda: tuple(row([share.gravity, share.applied], names) for share in made().list_loads()),
            "efforts": lambda: row(made().effort_rows, names),
        }
    )


def indices(system: System) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return the names of the entries of each object, axis by axis."""
    names = system.coordinate_names
    every, bent = tuple(body.name for body in system.bodies), {b.name for b in system.bodies if b.modal}
    bodies = tuple(body.name for body in system.bodies if body.name not in bent)
    rotors = (f"{b.name}_{wheel.name}" for b in system.bodies if b.name not in bent for wheel in b.flywheels)
    parts = (*bodies, *rotors, *(b.name for b in system.bodies if b.name in bent))
    parts += tuple(armature.name for armature in system.armatures)
    return {
        "A": (every, AXES, AXES),
        "r": (every, AXES),
        **dict.fromkeys(("r_c", "v_c"), (bodies, AXES)),
        "Φ": (bodies, SIX, names),
        "W'": (bodies, SIX),
        "M_i": (parts, names, names),
        "k_i": (parts, names),
        "Q_i": (parts, names),
        "efforts": (names,),
    }


#: Inertia of a section, and of the frame of an elastic body.
NOTHING = Inertia(ZERO)


def parts(system: System, frames: Frames) -> Parts:
    """Build the parts of a system from the frames of its bodies; elements such as rods must have no mass."""
    loads, efforts = forces(system, frames)
    fall = system.gravity_vector
    bodies: list[BodyTerms] = []
    rotors: list[BodyTerms] = []
    fluids: dict[str, MediumTerms] = {}
    bent: list[Bent] = []
    sections: dict[str, list[BodyTerms]] = {}
    for name, frame, load in at_nodes(system, frames):
        sections.setdefault(name, []).append(terms(name, NOTHING, frame, fall, [load]))
    for body in system.bodies:
        frame = frames[body.name]
        on_body = [load for load in loads if load[0] == body.name]
        if body.modes and body.modes.coordinates:
            from .soft import Bent, soft  # not before: few bodies are elastic

            at_origin = terms(body.name, NOTHING, frame, fall, on_body)
            bent.append(Bent(soft(body, frame, fall), (at_origin, *sections.get(body.name, ()))))
            continue
        bodies.append(terms(body.name, body.inertia, frame, fall, on_body))
        rotors += wheels(body, frame, fall)
        if body.added_inertia:
            fluids[body.name] = medium(body.name, body.added_inertia, frame)
    names = system.coordinate_names
    turned = {armature.name: turning(armature, names) for armature in system.armatures}
    return Parts(names, frames, bodies, rotors, fluids, efforts, bent, turned)
