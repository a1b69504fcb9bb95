"""Physics of elastic bodies: shapes, stiffness and inertia that an elastic body can have, one sentence a condition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Relative slack: integrals of finite-element programs carry about seven digits.
SLACK: Final = 1e-6
#: Smallest eigenvalue of the scaled modal mass at which shapes are told apart.
INDEPENDENT: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Numbers:
    """An elastic body in numbers: names of its N coordinates, and what the model calls the same.

    ``tensor`` about the origin (3, 3); ``second`` (W+1, W+1, 3, 3) of W = N modes and their products; ``sections`` I_s,
    D, R_ee or None; ``nodes`` by name: position (3), Φ (3, W) and Ψ (3, N).
    """

    names: Sequence[str]
    mass: float
    centre: Array
    tensor: Array
    second: Array
    stiffness: Array
    damping: Array
    sections: tuple[Array, Array, Array] | None
    nodes: dict[str, tuple[Array, Array, Array]]


#: Place below the modes, what is wrong, what to do.
Wrong = tuple[str, str, str]


def findings(x: Numbers) -> Iterator[Wrong]:
    """What no elastic body has."""
    if x.mass <= 0:
        yield "", f"modes on a body of {x.mass:.6g} kg", "give the body its mass, or leave the modes out"
        return
    yield from _pairs(x)
    yield from _undeformed(x)
    yield from _shapes(x)
    for name, matrix in (("stiffness", x.stiffness), ("damping", x.damping)):
        yield from _resistance(x, name, matrix)
    for name, (at, moves, turns) in x.nodes.items():
        if not at.any() and (moves.any() or turns.any()):
            message = "it is at the origin, where the body is clamped, and the modes move it"
            yield f"nodes/{name}", message, "shapes and their turns are zero at the inboard joint"


def _pairs(x: Numbers) -> Iterator[Wrong]:
    n = len(x.second)
    for k in range(n):
        for m in range(k, n):
            one, other = x.second[k, m], x.second[m, k].T
            if np.abs(one - other).max() > SLACK * max(np.abs(one).max(), np.abs(other).max()):
                message = f"P_{k}{m} is not the transpose of P_{m}{k}"
                yield "second_moments", message, "P_kl = ∫ φ_k φ_lᵀ dm"


def _undeformed(x: Numbers) -> Iterator[Wrong]:
    """The tensor of the undeformed body is tr(P_00) E - P_00, and I_s of the sections."""
    P = x.second[0, 0]
    expected = np.trace(P) * np.eye(3) - P
    if x.sections:
        expected = expected + x.sections[0]
    gap, size = np.abs(expected - x.tensor).max(), max(np.abs(expected).max(), np.abs(x.tensor).max())
    if gap > SLACK * size:
        message = f"the body's inertia about its origin and tr(P_00) E - P_00 + I_s differ by {gap:.6g} kg m²"
        yield "second_moments", message, "both are those of the undeformed body"


def _shapes(x: Numbers) -> Iterator[Wrong]:
    n = len(x.names)
    mass = np.einsum("klaa->kl", x.second[1 : n + 1, 1 : n + 1])
    if x.sections:
        mass = mass + x.sections[2]
    still = [name for name, own in zip(x.names, np.diag(mass), strict=True) if own <= 0]
    if still:
        found = f"the modal mass of {', '.join(still)} is not positive"
        yield "second_moments", found, "leave out modes that move nothing"
        return
    if not len(mass):
        return
    units = 1 / np.sqrt(np.diag(mass))
    values, vectors = np.linalg.eigh((mass + mass.T) / 2 * np.outer(units, units))
    if values[0] <= INDEPENDENT:
        share = np.abs(vectors[:, 0])
        involved = ", ".join(n for n, w in zip(x.names, share, strict=True) if w > 0.1 * share.max())
        yield "second_moments", f"the shapes of {involved} depend on each other", "leave one of them out"


def _resistance(x: Numbers, name: str, matrix: Array) -> Iterator[Wrong]:
    size = np.abs(matrix).max(initial=0.0)
    if np.abs(matrix - matrix.T).max(initial=0.0) > SLACK * size:
        i, k = np.unravel_index(np.abs(matrix - matrix.T).argmax(), matrix.shape)
        first, second = x.names[int(i)], x.names[int(k)]
        pair = f"{matrix[i, k]:.6g} for {first}, {second} and {matrix[k, i]:.6g} for {second}, {first}"
        message = f"it is not symmetric: {pair}"
        yield name, message, "it is the second derivative of an energy"
        return
    lowest = float(np.linalg.eigvalsh(matrix)[0]) if len(matrix) else 0.0
    if lowest < -SLACK * size:
        message = f"its smallest eigenvalue is {lowest:.6g}: a deformation gives energy away"
        yield name, message, "it is positive semidefinite"
