"""The sums (9) body by body: M_i* = Φ_iᵀ M_i Φ_i, k_i = Φ_iᵀ (M_i W'_i + K_i), Q_i = Φ_iᵀ G_i.

A share holds what a body adds, at the coordinates that move it; everything else it adds is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.inertia import Armature
from mbconcord.records import dataclass

from .body import BodyTerms
from .medium import MediumTerms
from .vectors import dot

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
    """Sum over bodies, at all coordinates."""
    whole = add_shares(shares)
    return tuple(whole.get(name, ZERO) for name in names)


def add_shares(shares: Iterable[Mapping[Key, Expression]]) -> dict[Key, Expression]:
    """Sum shares by key."""
    whole: dict[Key, Expression] = {}
    for share in shares:
        for key, value in share.items():
            whole[key] = whole.get(key, ZERO) + value
    return whole


def together(shares: Iterable[Inertial]) -> Inertial:
    """Sum M and k of several bodies."""
    made = list(shares)
    return Inertial(add_shares(share.mass for share in made), add_shares(share.k for share in made))
