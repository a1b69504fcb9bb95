"""The method's own objects: motion of the bodies, and what each of them adds to the sums (9).

``A`` orientation, ``r`` origin of a body's frame (12), world axes; ``r_c``, ``v_c`` position and velocity of its mass
centre; ``Φ = [D; B]`` and ``W'`` (4): ``v_c = D q'`` where nothing is prescribed, and ``w = Φ q'' + W'``.

``M_i`` (the paper's M_i*), ``k_i`` and ``Q_i`` of (9), body by body and then flywheel by flywheel; a fluid is part of
its body. Elastic bodies come after them: they have no ``r_c`` and no ``Φ`` of six rows. Armatures come
last. ``efforts`` act along the coordinates and belong to no body. Identities::

    Σ M_i = M ,   Σ k_i = h ,   Σ Q_i + efforts = gravity + applied
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mbconcord.model.expressions import Expression
from mbconcord.model.lazy import Lazy

from .body import BodyTerms
from .kinematics import Kinematics
from .medium import MediumTerms
from .soft import Bent
from .stages import rows
from .sums import Acting, Inertial, Row, acting, inertial, row, together

AXES = ("x", "y", "z")
SIX = (*AXES, "wx", "wy", "wz")


@dataclass(frozen=True)
class Parts:
    """What a system is made of: bodies, flywheels, the fluid around a body by its name, armatures by theirs."""

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
        """All that has weight."""
        return *self.bodies, *self.rotors

    @property
    def along(self) -> Iterator[Row]:
        """Efforts one by one."""
        return ({name: effort} for name, effort in self.efforts)

    def shares(self) -> Iterator[Inertial]:
        """M_i* and k_i of every body with the fluid around it, then of every flywheel."""
        for body in self.bodies:
            share = inertial(body, self.names)
            around = self.fluids.get(body.name)
            yield together([share, inertial(around, self.names)]) if around else share
        for rotor in self.rotors:
            yield inertial(rotor, self.names)
        for part in self.bent:
            yield part.inertial(self.names)
        yield from self.turned.values()

    def loaded(self) -> Iterator[Acting]:
        """Q_i of every body, in the order of the shares."""
        yield from map(acting, self.solids)
        yield from (part.acting() for part in self.bent)
        yield from (Acting({}, {}) for _ in self.turned)

    def indices(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """What the entries of the objects are called."""
        bodies, all_bodies = tuple(body.name for body in self.bodies), tuple(filter(None, self.frames))
        parts = (*(b.name for b in self.solids), *(part.terms.name for part in self.bent), *self.turned)
        names = self.names
        return {
            "A": (all_bodies, AXES, AXES),
            "r": (all_bodies, AXES),
            **dict.fromkeys(("r_c", "v_c"), (bodies, AXES)),
            "Φ": (bodies, SIX, names),
            "W'": (bodies, SIX),
            "M_i": (parts, names, names),
            "k_i": (parts, names),
            "Q_i": (parts, names),
            "efforts": (names,),
        }

    def native(self) -> Lazy:
        """The objects by name, each made when it is asked for."""
        names, frames = self.names, [frame for body, frame in self.frames.items() if body is not None]
        return Lazy(
            {
                "A": lambda: tuple(frame.A for frame in frames),
                "r": lambda: tuple(frame.r for frame in frames),
                "r_c": lambda: tuple(body.centre.r for body in self.bodies),
                "v_c": lambda: tuple(body.centre.v for body in self.bodies),
                "Φ": lambda: tuple(tuple(rows(body, names)) for body in self.bodies),
                "W'": lambda: tuple(body.W[0] + body.W[1] for body in self.bodies),
                "M_i": lambda: tuple(share.square(names) for share in self.shares()),
                "k_i": lambda: tuple(row([share.k], names) for share in self.shares()),
                "Q_i": lambda: tuple(row([share.gravity, share.applied], names) for share in self.loaded()),
                "efforts": lambda: row(self.along, names),
            }
        )
