"""Armatures: rotors that turn with joints and modes, with inertia along their coordinates alone.

The inertia of a rotor on one joint is added to a_jᵀ K_j a_j in the paper's Z_j. A rotor on a mode, or on several
coordinates, with inertia a and coefficients c changes the solution x to x - z a (cᵀ x) / (1 + a cᵀ z) (Sherman &
Morrison 1950), where z is the response to efforts c at rest without other forces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from mbconcord.model import System
from mbconcord.records import dataclass

from .scalars import Scalars
from .vectors import Array

#: Numbers by the names of coordinates.
Along = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Rotor:
    """An armature: its inertia a, and its coefficients c by coordinate."""

    inertia: Array
    c: Along

    def turning(self, x: Along) -> Array:
        """Return c · x for values x by coordinate."""
        first, *rest = (c * x[name] for name, c in self.c.items())
        return sum(rest, first)


@dataclass(frozen=True, slots=True)
class Response:
    """Response to loads: accelerations by coordinate, and efforts of the drives that impose accelerations."""

    accelerations: Along
    drives: Along

    def less(self, other: Response, share: Array) -> Response:
        """Subtract a share of another response from this one."""
        return Response(
            *(
                {name: x - share * rest[name] for name, x in own.items()}
                for own, rest in ((self.accelerations, other.accelerations), (self.drives, other.drives))
            )
        )


def rotors_of(system: System, scalars: Scalars) -> list[Rotor]:
    """Return the armatures of a system in the given arithmetic."""
    return [
        Rotor(scalars.row([x.inertia]), {name: scalars.row([c]) for name, c in x.coefficients.items()})
        for x in system.armatures
    ]


def own_of(rotors: Sequence[Rotor], joints: Collection[str | None]) -> tuple[dict[str, Array], list[Rotor]]:
    """Return the inertias a c² by coordinate of armatures on single joints, and the list of the other armatures."""
    single: dict[str, Array] = {}
    others = []
    for rotor in rotors:
        name = next(iter(rotor.c))
        if len(rotor.c) > 1 or name not in joints:
            others.append(rotor)
            continue
        own = rotor.inertia * (rotor.c[name] * rotor.c[name])
        single[name] = single[name] + own if name in single else own
    return single, others


def couple_armatures(free: Response, rotors: Sequence[Rotor], response: Callable[[Along], Response]) -> Response:
    """Return the response ``free``, computed without these armatures, with their effect added."""
    waiting = [response(rotor.c) for rotor in rotors]
    found = free
    for k, rotor in enumerate(rotors):
        own = waiting[k]
        part = rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))
        found = found.less(own, part * rotor.turning(found.accelerations))
        later = [x.less(own, part * rotor.turning(x.accelerations)) for x in waiting[k + 1 :]]
        waiting[k + 1 :] = later
    return found
