"""Rotation axes of bodies for all coordinates: the parts of an inertia that affect the motion.

The angular velocity of a body is a sum over the rotations between it and the fixed frame. Where all their axes are
parallel, as in a planar model, it lies along one direction n of the body, and nᵀJn is all that it sees of a tensor J.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import cos, isfinite, sin
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass

from ..expressions import Expression, ExpressionError, evaluate, symbols, undefined_functions
from ..functions import Definitions
from ..transformation import Constant, ElementaryTransformation
from .model import Model

# Physics of elastic bodies: shapes, stiffness and inertia that an elastic body can have, one sentence a condition.


Array = NDArray[np.float64]

#: Relative slack: integrals of finite-element programs carry about seven digits.
SLACK: Final = 1e-6
#: Smallest eigenvalue of the scaled modal mass at which shapes are told apart.
INDEPENDENT: Final = 1e-10


@dataclass(frozen=True, slots=True)
class Numbers:
    """An elastic body in numbers; ``names`` are those of its N modal coordinates.

    ``tensor`` (3, 3) about the origin; ``second`` (W+1, W+1, 3, 3) for W modes and products of modes; ``sections`` I_s,
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
    """Yield violations of the properties that every elastic body has."""
    if x.mass <= 0:
        yield "", f"modes on a body of {x.mass:.6g} kg", "give the body its mass, or leave the modes out"
        return
    yield from _pairs(x)
    yield from _check_undeformed(x)
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


def _check_undeformed(x: Numbers) -> Iterator[Wrong]:
    """Check that the undeformed body's tensor is tr(P_00) E - P_00, plus I_s of the sections."""
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


Triple = tuple[float, float, float]
#: Sine of the angle up to which two axes are parallel.
PARALLEL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Turning:
    """Rotation of a frame: none, about a fixed ``axis`` (a unit vector in the frame's axes), or ``freely``."""

    axis: Triple | None = None
    freely: bool = False


STILL, FREE = Turning(), Turning(freely=True)


class Turnings:
    """Rotations of the bodies of a system at given values of parameters."""

    def __init__(self, system: Model, values: Mapping[str, float]) -> None:
        self.definitions, self.values = Definitions(system.functions), values
        self.of: dict[str | None, Turning] = {None: STILL}
        for body in system.bodies:
            carrier = FREE if body.parent_node is not None else self.of[body.parent]
            self.of[body.name] = self.further(carrier, body.joint)

    def further(self, turning: Turning, joint: Iterable[ElementaryTransformation]) -> Turning:
        """Return the rotation of the frame at the end of a joint, given the rotation of the frame at its start."""
        for et in joint:
            if turning.freely:
                return FREE
            if not et.is_translation:
                turning = self._follow_motion(turning.axis, et)
        return turning

    def _follow_motion(self, axis: Triple | None, et: ElementaryTransformation) -> Turning:
        x, y, z = (float(c) for c in evaluate(et.axis, {}))
        about = (x, y, z)
        if isinstance(et.motion, Constant):
            if axis is None or _parallel(axis, about):
                return Turning(axis)
            angle = self._value(et.motion.value)
            return FREE if angle is None else Turning(_rotate(axis, about, -angle))
        return Turning(about) if axis is None else Turning(axis) if _parallel(axis, about) else FREE

    def _value(self, angle: Expression) -> float | None:
        """Evaluate a constant angle (rad); None if the values do not determine it."""
        (formula,) = self.definitions.apply([angle])
        if not symbols([formula]) <= self.values.keys() or undefined_functions([formula]):
            return None
        try:
            found = float(evaluate([formula], self.values)[0])
        except ExpressionError:
            return None
        return found if isfinite(found) else None


def _cross(a: Triple, b: Triple) -> Triple:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _parallel(a: Triple, b: Triple) -> bool:
    c = _cross(a, b)
    return _dot(c, c) <= PARALLEL**2


def _rotate(v: Triple, about: Triple, angle: float) -> Triple:
    """Rotate v about the axis a by Rodrigues' formula: v cos θ + a×v sin θ + a (a·v)(1 − cos θ)."""
    c, s, along, across = cos(angle), sin(angle), _dot(about, v), _cross(about, v)
    x, y, z = (c * p + s * q + (1 - c) * along * a for p, q, a in zip(v, across, about, strict=True))
    return x, y, z
