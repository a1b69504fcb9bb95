"""Charts of freely rotating joints: three successive turns, the axis of the middle one normal to both others.

R = A(α) B(β) C(γ) about the unit axes a, b, c; ω = W (α', β', γ') in the axes before the turns, W of the columns a, A b
and A B c. det W is the sine of the angle between a and A B c, up to its sign: where they are parallel M is singular,
though nothing happens to the body. There R = Q A B C, Q a quarter turn about b, has another triple. The sines of the
angles of A B c with a and with Q a, which are orthogonal, have squares that sum up to 1 at least: of the two charts one
is always far from its singular position.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.model.body import Armature, Body
from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.expressions import PI_NODE, Expression, evaluate_float, symbols
from mbconcord.model.force import JointEffort
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, rotation
from mbconcord.records import dataclass, replace

from ..rows import PARTS, rewritten
from .arrays import Array

#: A chart is left where the sine of its angle from the singular position is below this; the other's is above 0.96.
NEAR: Final = 0.25
#: Axes are normal to each other, and a rotation is at its singular position, to within this.
ROUNDING: Final = 1e-12


@dataclass(frozen=True, eq=False)
class Ball:
    """Three successive turns in the joint of a body, by which it rotates freely.

    Attributes
    ----------
    body, first : name of the body, and index of the first turn among the transformations of its joint
    names, places : names of the three coordinates, and their indices among all
    axes (3, 3) : rows a, b, c
    tied : other uses of these coordinates in the model, so that they cannot be replaced
    """

    body: str
    first: int
    names: tuple[str, ...]
    places: Array
    axes: Array
    tied: tuple[str, ...]

    def matrix(self, q: Array) -> Array:
        """Compute R = A B C (3, 3)."""
        A, B, C = (rotation_about(axis, angle) for axis, angle in zip(self.axes, q, strict=True))
        return A @ B @ C

    def sine(self, q: Array) -> float:
        """Compute the sine of the angle from the singular position: det W up to its sign."""
        a, b, c = self.axes
        return float(abs(a @ np.cross(b, rotation_about(b, q[1]) @ c)))

    def spin(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Compute W (3, 3), and W' v (3,): ω = W v, ω' = W v' + W' v."""
        a, b, c = self.axes
        A = rotation_about(a, q[0])
        second, third = A @ b, A @ rotation_about(b, q[1]) @ c
        first = a * v[0]
        rest = v[1] * np.cross(first, second) + v[2] * np.cross(first + second * v[1], third)
        return np.stack([a, second, third], axis=1), rest

    def angles(self, R: Array, near: Array) -> Array:
        """Return the angles (3,) of R nearest to the given ones, among both triples and full turns.

        With w = R c: b turns c into the cone about a that contains w, a turns it to w. If w is along a, any first angle
        is valid: that of ``near`` is used.
        """
        a, b, c = self.axes
        w, side = R @ c, np.cross(b, c)
        along = float(a @ w)
        across = float(np.linalg.norm(np.cross(a, w)))
        singular = np.arctan2(a @ side, a @ c)
        found = []
        for sign in (1.0, -1.0):
            beta = singular + sign * np.arctan2(across, along)
            u = rotation_about(b, beta) @ c
            alpha = near[0] if across < ROUNDING else np.arctan2(a @ np.cross(u, w), u @ w - along * (a @ u))
            C = (rotation_about(a, alpha) @ rotation_about(b, beta)).T @ R
            gamma = np.arctan2(c @ np.cross(b, C @ b), b @ C @ b)
            angles = np.array([alpha, beta, gamma])
            found.append(angles + 2 * np.pi * np.round((near - angles) / (2 * np.pi)))
        return min(found, key=lambda angles: float(np.abs(angles - near).max()))

    @property
    def quarter(self) -> Array:
        """Q (3, 3), the quarter turn about b."""
        return rotation_about(self.axes[1], np.pi / 2)

    def change_chart(self, q: Array, v: Array, a: Array, onto: Array, near: Array) -> tuple[Array, Array, Array]:
        """Convert angles, rates and accelerations of R to those of ``onto`` R: the same motion in another chart."""
        found = self.angles(onto @ self.matrix(q), near)
        W, rest = self.spin(q, v)
        there, _ = self.spin(found, v)
        rates = _least(there, onto @ W @ v)
        _, own = self.spin(found, rates)
        return found, rates, _least(there, onto @ (W @ a + rest) - own)


def _least(W: Array, omega: Array) -> Array:
    """Return the smallest rates that give an angular velocity, or the closest to it if W is singular."""
    return np.asarray(np.linalg.lstsq(W, omega, rcond=ROUNDING)[0], dtype=float)


def rotation_about(axis: Array, angle: float) -> Array:
    """Return Rodrigues' matrix: cos E + sin K + (1 - cos) u uᵀ, K = u ×."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)


def balls(system: System) -> tuple[Ball, ...]:
    """List the joints of a system in which a body rotates freely."""
    names, used = system.coordinate_names, _list_used_names(system)
    return tuple(
        Ball(body.name, first, own, np.array([names.index(n) for n in own]), axes, _find_ties(own, used))
        for body in system.bodies
        for first, own, axes in _triples(body)
    )


def _triples(body: Body) -> Iterator[tuple[int, tuple[str, ...], Array]]:
    """Yield starts of three consecutive rotations, with their coordinates and axes."""
    first = 0
    while first + 3 <= len(body.joint):
        steps = body.joint[first : first + 3]
        own = tuple(step.coordinate for step in steps if step.coordinate and not step.is_translation)
        if len(own) == 3:
            axes = np.array([[evaluate_float(x, {}) for x in step.axis] for step in steps])
            if abs(axes[0] @ axes[1]) < ROUNDING and abs(axes[1] @ axes[2]) < ROUNDING:
                yield first, own, axes
                first += 2
        first += 1


def _list_used_names(system: System) -> dict[str, frozenset[str]]:
    """Map each place of the model to the names that are used there, except coordinates in their own joints."""
    found: dict[str, frozenset[str]] = {}
    for part in (*PARTS, "armatures", "functions"):
        value = getattr(system, part)
        for item in value if isinstance(value, tuple) else (value,):
            names: set[str] = set()

            def note_names(x: Expression, names: set[str] = names) -> Expression:
                names.update(name.rstrip("'") for name in symbols([x]))
                return x

            rewritten(item, note_names)
            if isinstance(item, JointEffort):
                names.add(item.coordinate)
            if isinstance(item, Armature | Nonholonomic):
                names.update(item.coefficients)
            if part == "coordinates" and item.drive is not None:
                names.add(item.name)
            found[f"{part}/{getattr(item, 'name', '')}".rstrip("/")] = frozenset(names)
    return found


def _find_ties(own: Sequence[str], used: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """List the places of the model that use any of these coordinates."""
    return tuple(place for place, names in used.items() if not names.isdisjoint(own))


def change_charts(system: System, quarters: Sequence[Ball]) -> System:
    """Insert a quarter turn before the rotations of some joints, which selects their other charts."""
    bodies = {body.name: body for body in system.bodies}
    for ball in sorted(quarters, key=lambda ball: -ball.first):
        body = bodies[ball.body]
        axis = body.joint[ball.first + 1].axis
        joint = (*body.joint[: ball.first], rotation(axis, Constant(PI_NODE / 2)), *body.joint[ball.first :])
        bodies[ball.body] = replace(body, joint=joint)
    return replace(system, bodies=tuple(bodies[body.name] for body in system.bodies))
