"""Armatures: the moment of inertia that rotors reflect on joints, and the coupling of joints through tendons.

An armature with inertia a and coefficients c acts along coordinate i with -a c_i (cᵀ q''). If it belongs to one joint,
it is reflected on the joint, I = a c², and is added to the joint's inertia D in forward dynamics (Featherstone 2008,
section 9.6: rotors). If it couples several joints, let M_0 be the mass matrix without it; z = M_0⁻¹ c takes one more
run of the articulated bodies, and (Sherman & Morrison 1950)

    (M_0 + a c cᵀ)⁻¹ r = x - z a (cᵀ x) / (1 + a cᵀ z) ,   x = M_0⁻¹ r .
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mbconcord.model import System
from mbconcord.records import dataclass

from .scalars import Scalars
from .vectors import Number


@dataclass(frozen=True, slots=True)
class Rotor:
    """An armature: its name, its inertia a, and its coefficients c by the index of the coordinate."""

    name: str
    inertia: Number
    coefficients: dict[int, Number]

    def turning(self, rates: Sequence[Number]) -> Number:
        """Return c · x for values x of all coordinates."""
        terms = [c * rates[i] for i, c in self.coefficients.items()]
        return sum(terms[1:], terms[0])


@dataclass(frozen=True, slots=True)
class Response:
    """Response to a load: accelerations of all coordinates, and efforts of those with imposed accelerations."""

    accelerations: list[Number]
    drives: dict[int, Number]

    def less(self, other: Response, share: Number) -> Response:
        """Subtract a share of another response from this one."""
        return Response(
            [x - share * y for x, y in zip(self.accelerations, other.accelerations, strict=True)],
            {i: x - share * other.drives[i] for i, x in self.drives.items()},
        )


def rotors_of(system: System, scalars: Scalars) -> list[Rotor]:
    """Return the armatures of a system in the given arithmetic."""
    place = {name: i for i, name in enumerate(system.coordinate_names)}
    numbers = iter(scalars.to_scalars([x for armature in system.armatures for x in armature.expressions]))
    return [
        Rotor(x.name, next(numbers), {place[name]: next(numbers) for name in x.coefficients}) for x in system.armatures
    ]


def sum_reflected_inertias(rotors: Sequence[Rotor]) -> dict[int, Number]:
    """Return by coordinate the moment of inertia a c² of armatures that belong to this joint alone."""
    found: dict[int, Number] = {}
    for rotor in rotors:
        if len(rotor.coefficients) == 1:
            ((i, c),) = rotor.coefficients.items()
            own = rotor.inertia * (c * c)
            found[i] = found[i] + own if i in found else own
    return found


def add_to(matrix: Any, rotors: Sequence[Rotor]) -> None:
    """Add a c cᵀ of every armature to a mass matrix."""
    for rotor in rotors:
        for i, c in rotor.coefficients.items():
            for k, d in rotor.coefficients.items():
                matrix[i, k] = matrix[i, k] + rotor.inertia * (c * d)


def resisting(rotors: Sequence[Rotor], accelerations: Sequence[Number], forces: Sequence[Number]) -> list[Number]:
    """Add the torques of the armatures, a c (cᵀ q''), to the forces along the coordinates."""
    total = [*forces]
    for rotor in rotors:
        push = rotor.inertia * rotor.turning(accelerations)
        for i, c in rotor.coefficients.items():
            total[i] = total[i] + c * push
    return total


def couple_armatures(
    free: Response, rotors: Sequence[Rotor], response: Callable[[Mapping[int, Number]], Response]
) -> Response:
    """Add the armatures of several joints to a motion that was computed without them.

    ``response(c)`` is the response of the joints at rest to efforts c alone, without these armatures.
    """
    several = [rotor for rotor in rotors if len(rotor.coefficients) > 1]
    waiting = [response(rotor.coefficients) for rotor in several]
    found = free
    for k, rotor in enumerate(several):
        own = waiting[k]
        part = rotor.inertia / (1 + rotor.inertia * rotor.turning(own.accelerations))
        found = found.less(own, part * rotor.turning(found.accelerations))
        later = waiting[k + 1 :]
        waiting[k + 1 :] = [x.less(own, part * rotor.turning(x.accelerations)) for x in later]
    return found
