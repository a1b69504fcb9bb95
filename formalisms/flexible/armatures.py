"""Armatures: rotors that turn with joints and modes, with inertia along their coordinates alone.

The inertia of a rotor on one joint is added to a_jᵀ K_j a_j in the paper's Z_j. On a mode, or on several coordinates,
it changes the solution x by the response z to its coefficients c as efforts, without other forces and at rest (Sherman
& Morrison 1950): x - z a (cᵀ x) / (1 + a cᵀ z).
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
    """An armature: a, and c by coordinate."""

    inertia: Array
    c: Along

    def turning(self, x: Along) -> Array:
        """Return C · x."""
        first, *rest = (c * x[name] for name, c in self.c.items())
        return sum(rest, first)


@dataclass(frozen=True, slots=True)
class Response:
    """Accelerations by coordinate, and efforts of the drives that impose some."""

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
    """Separate the armatures of single joints, a c² by coordinate, from the others."""
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
    """Add the armatures to a motion that was computed without them."""
    waiting = [response(rotor.c) for rotor in rotors]
    found = free
    for k, rotor in enumerate(rotors):
        own = waiting[k]
        part = rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))
        found = found.less(own, part * rotor.turning(found.accelerations))
        later = [x.less(own, part * rotor.turning(x.accelerations)) for x in waiting[k + 1 :]]
        waiting[k + 1 :] = later
    return found
