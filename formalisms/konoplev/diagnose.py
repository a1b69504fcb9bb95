"""Causes of singular equations at a state: the angles of a pair, added inertia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.state import State

from .aggregates import Aggregates
from .canonical import arrays

#: Below this cos θ5 rounding hides the third axis of a pair: the mass matrix has lost half its digits.
SINGULAR = 1e-7


def singular_angles(system: Aggregates, states: Sequence[State]) -> Iterator[Diagnostic]:
    """Report pairs with θ5 = ±π/2 while θ4 and θ6 are free: det ε = cos θ5 = 0, (1.8)."""
    for link in system.mechanism.links:
        four, five, six = link.pair.slots[3:]
        if four.coordinate and six.coordinate:
            cosines = np.abs(arrays(system.arithmetic.to_scalar(five.circular[0]), len(states)))
            if (cosines < SINGULAR).any():
                road = next(road for road in system.mechanism.roads if link.number in road.links)
                which = f"coordinate {five.coordinate}" if five.coordinate else "constant or prescribed"
                angles = arrays(system.arithmetic.to_scalar(five.amount), len(states))
                yield error(
                    f"bodies/{road.body}/joint",
                    f"the angle θ5 ({which}) is {angles[cosines.argmin()]:.6g} rad: at ±π/2 the axes of "
                    f"{four.coordinate} and {six.coordinate} coincide and the angles of this joint are singular",
                    "choose another order of its rotations, or other states",
                )


def indefinite_medium(system: Aggregates, mass: NDArray[np.float64]) -> Iterator[Diagnostic]:
    """Report bodies whose A = Θ + Λ is not positive definite, if the mass matrix A(q) (N, n, n) is not either."""
    count = len(mass)
    if not any(_indefinite(m) for m in mass):
        return
    by_number = {link.number: link.body for link in system.mechanism.links if link.body}
    for body in system.bodies:
        model = by_number[body.number]
        if model.added_inertia:
            smallest = min(float(np.linalg.eigvalsh(m)[0]) for m in arrays(body.inertia.matrix, count))
            if smallest <= 0:
                yield error(
                    f"bodies/{model.name}/added_inertia",
                    f"with it the inertia of the body is not positive definite (smallest eigenvalue {smallest:.6g}), "
                    "and the mass matrix is singular or indefinite",
                    "an added inertia is positive semidefinite: check its signs and its frame",
                )


def _indefinite(mass: NDArray[np.float64]) -> bool:
    if not np.isfinite(mass).all():
        return False
    values = np.linalg.eigvalsh(mass)
    return len(values) > 0 and bool(values[0] <= 4 * len(values) * np.finfo(float).eps * abs(values[-1]))
