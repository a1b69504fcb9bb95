"""Newton and Euler for free bodies, and the rows of their joints.

The unknowns x are the acceleration a of each body's origin and its angular acceleration α, in world axes. With q'' of
the joints' coordinates and the forces of constraint λ

    M x + Gᵀλ = f ,   A q'' + Hᵀλ = u ,   G x + H q'' = c

M and f are those of single bodies about their origins, A the armatures', u efforts along coordinates. A row of
G x + H q'' = c says that the frame to which a joint leads from the parent is the child's, differentiated twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.records import dataclass, replace

from ..second.machine import SecondPlace, SecondRod, SecondStep, Steps, Triple, X, Y, Z
from ..second.world import Array, Motion, World, axial, follow

#: Most corrections of a solution, in long doubles; relative size at which they vanish; if they do not, it is NaN.
CORRECTIONS, VANISHED = 8, 1e-14
#: Eigenvalues below the first part of the largest are rows that depend on each other; between the two it is in doubt.
DEPENDENT, DOUBT = 1e-13, 1e-11
#: Largest entry of null vectors in unknowns that still count as determined by the equations.
UNDETERMINED = 1e-6
#: Number of times that rows and columns are scaled to equal size.
EQUILIBRATED = 3


@dataclass(frozen=True)
class MaximalEquations:
    """The matrices of all bodies, joints and constraints; the last columns of H are cut joints' coordinates."""

    mass: Array
    force: Array
    armature: Array
    effort: Array
    G: Array
    H: Array
    c: Array
    #: Number of rows of the tree's joints, and number of the model's coordinates.
    joints: int
    count: int

    def reorder(self, order: Sequence[int]) -> MaximalEquations:
        """Return the equations with the model's coordinates in another order, given by their present numbers."""
        columns = [*order, *range(self.count, self.H.shape[1])]
        armature = self.armature[np.ix_(order, order)]
        return replace(self, armature=armature, effort=self.effort[list(order)], H=self.H[:, columns])

    def inverse_dynamics(self, q2: Array) -> Array:
        """Return the efforts (n,) that, with the forces, give the open tree the accelerations q'' (n,)."""
        H = self.H[: self.joints, : self.count]
        x = self._outward(self.c[: self.joints] - H @ q2)
        return self.armature @ q2 + H.T @ self._inward(self.force - self.mass @ x) - self.effort

    def _outward(self, right: Array) -> Array:
        """Solve G x = right for the joints' rows, body after body: each row has -x of the child, and the parent's x.

        Elimination with pivoting would mix the accelerations, and the rounding, of different branches.
        """
        x = np.zeros_like(right)
        for i in range(0, self.joints, 6):
            x[i : i + 6] = self.G[i : i + 6, :i] @ x[:i] - right[i : i + 6]
        return x

    def _inward(self, right: Array) -> Array:
        """Solve Gᵀλ = right for the joints' rows: each joint bears its body's needs and those of all children."""
        bearing = np.zeros_like(right)
        for i in reversed(range(0, self.joints, 6)):
            bearing[i : i + 6] = self.G[i + 6 : self.joints, i : i + 6].T @ bearing[i + 6 :] - right[i : i + 6]
        return bearing

    def accelerations(self) -> Array:
        """Compute q'' (n,) of the model with its constraints; NaN if the equations do not determine it."""
        b, n, extra, m = len(self.force), self.count, self.H.shape[1], len(self.c)
        K = np.zeros((b + extra + m, b + extra + m))
        K[:b, :b], K[b : b + n, b : b + n] = self.mass, self.armature
        K[b + extra :, :b], K[b + extra :, b : b + extra] = self.G, self.H
        K[:b, b + extra :], K[b : b + extra, b + extra :] = self.G.T, self.H.T
        right = np.concatenate([self.force, self.effort, np.zeros(extra - n), self.c])
        return _solve(K, right, slice(b, b + n), m > self.joints)


def equations(world: World, motion: Motion) -> MaximalEquations:
    """Assemble the equations of a machine at zero coordinate accelerations: ``motion`` has q, q' and zero."""
    return _Assembly(world, motion).assemble()


class _Assembly:
    def __init__(self, world: World, motion: Motion) -> None:
        self.world, self.machine, self.motion = world, world.machine, motion
        self.at = {s.name: 6 * i for i, s in enumerate(self.machine.solids)}
        cut = [s.coordinate for c in self.machine.closures for s in c.first[1] if s.coordinate]
        self.columns = {q: i for i, q in enumerate((*self.machine.coordinates, *cut))}
        size = 6 * len(self.at)
        self.mass, self.force = np.zeros((size, size)), np.zeros(size)
        self.rows: list[tuple[Array, Array, Array]] = []

    def assemble(self) -> MaximalEquations:
        machine, n = self.machine, len(self.machine.coordinates)
        for s in machine.solids:
            self._add_mass(SecondPlace(s.name, s.centre), s.mass, np.array(s.tensor))
        for element in machine.massive:
            for end in (element.first, element.second):
                self._add_mass(end, element.mass / 2, np.zeros((3, 3)))
        for place, push, moment in self.world.forces():
            self._add_force(place, push, moment)
        for s in machine.solids:
            self._together((s.parent, s.steps), (s.name, ()))
        joints = 6 * len(machine.solids)
        for closure in machine.closures:
            self._together(closure.first, closure.second)
        for rod in machine.rods:
            self._apart(rod)
        for pair in machine.joined:
            first, second = ((place.body, _shift(place.point)) for place in (pair.first, pair.second))
            self._together(first, second, rows=3)
        armature = np.zeros((n, n))
        for inertia, row in machine.armatures:
            along = np.array([row.get(q, 0.0) for q in machine.coordinates])
            armature += inertia * np.outer(along, along)
        effort = np.array([machine.efforts.get(q, 0.0) for q in machine.coordinates])
        G, H, c = (
            np.concatenate([np.zeros((0, *row[k].shape[1:])), *(r[k] for r in self.rows)])
            for row in [self.rows[0]]
            for k in range(3)
        )
        return MaximalEquations(self.mass, self.force, armature, effort, G, H, c, joints, n)

    def _axes(self, body: str | None) -> tuple[Array, Array]:
        """Return a body's rotation matrix R and its angular velocity, in world axes."""
        pose = self.world.poses[body]
        R = pose.T[:3, :3]
        return R, axial(pose.rate[:3, :3] @ R.T)

    def _add_mass(self, place: SecondPlace, mass: float, tensor: Array) -> None:
        """Add to a body's equations, about its origin, a mass at a point with a tensor about that point."""
        if place.body is None:
            return
        R, w = self._axes(place.body)
        d, inertia, i = R @ np.array(place.point), R @ tensor @ R.T, self.at[place.body]
        D, pull = _cross(d), mass * (np.array(self.machine.gravity) - np.cross(w, np.cross(w, d)))
        self.mass[i : i + 3, i : i + 3] += mass * np.eye(3)
        self.mass[i : i + 3, i + 3 : i + 6] -= mass * D
        self.mass[i + 3 : i + 6, i : i + 3] += mass * D
        self.mass[i + 3 : i + 6, i + 3 : i + 6] += inertia - mass * D @ D
        self.force[i : i + 3] += pull
        self.force[i + 3 : i + 6] += np.cross(d, pull) - np.cross(w, inertia @ w)

    def _add_force(self, place: SecondPlace, push: Array, moment: Array) -> None:
        if place.body is not None:
            d, i = self._axes(place.body)[0] @ np.array(place.point), self.at[place.body]
            self.force[i : i + 3] += push
            self.force[i + 3 : i + 6] += np.cross(d, push) + moment

    def _frame(self, body: str | None, steps: Steps) -> tuple[Array, Array, Array]:
        """Return G, H and rest: a frame's acceleration and angular acceleration are G x + H q'' + rest (6,)."""
        R, w = self._axes(body)
        own = follow(steps, self.motion)
        A, d = own.T[:3, :3], R @ own.T[:3, 3]
        G, H = np.zeros((6, len(self.force))), np.zeros((6, len(self.columns)))
        if body is not None:
            i = self.at[body]
            G[:, i : i + 6] = np.eye(6)
            G[:3, i + 3 : i + 6] = -_cross(d)
        for q, by in own.by.items():
            H[:3, self.columns[q]] = R @ by[:3, 3]
            H[3:, self.columns[q]] = R @ axial(by[:3, :3] @ A.T)
        spin = R @ axial(own.rate[:3, :3] @ A.T)
        moved = np.cross(w, np.cross(w, d)) + 2 * np.cross(w, R @ own.rate[:3, 3]) + R @ own.second[:3, 3]
        turned = np.cross(w, spin) + R @ axial(own.second[:3, :3] @ A.T)
        return G, H, np.concatenate([moved, turned])

    def _together(self, first: tuple[str | None, Steps], second: tuple[str | None, Steps], rows: int = 6) -> None:
        """Add six rows by which two frames coincide, or three rows by which their origins do."""
        G, H, rest = self._frame(*first)
        other, columns, end = self._frame(*second)
        self.rows.append(((G - other)[:rows], (H - columns)[:rows], (end - rest)[:rows]))

    def _apart(self, rod: SecondRod) -> None:
        """Add the row by which the vector d between two points has constant length: d·d'' = -d'·d'."""
        (p, u), (q, v) = self.world.place(rod.first), self.world.place(rod.second)
        (G, _, rest), (other, _, end) = (
            self._frame(place.body, _shift(place.point)) for place in (rod.first, rod.second)
        )
        row, H = (q - p) @ (other - G)[:3], np.zeros((1, len(self.columns)))
        self.rows.append((row[None], H, np.array([-(v - u) @ (v - u) - (q - p) @ (end - rest)[:3]])))


def _shift(point: Triple) -> Steps:
    return tuple(SecondStep(False, axis, (x, 0.0, 0.0)) for axis, x in zip((X, Y, Z), point, strict=True))


def _cross(v: Array) -> Array:
    """Return the cross-product matrix v× of a vector."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _solve(K: Array, right: Array, wanted: slice, closed: bool) -> Array:
    """Solve K y = right for the wanted part, corrected in long doubles until corrections vanish; else NaN.

    Constraint rows, present if ``closed``, may depend on each other: then λ is the shortest one, and q'' is independent
    of that. Rows of joints are independent: small entries next to a heavy body are inertia.
    """
    nothing = np.full(len(K), np.nan)[wanted]
    unit = np.abs(K).max(axis=1, initial=0.0)
    if not len(K) or not unit.all() or not (np.isfinite(K).all() and np.isfinite(right).all()):
        return nothing
    for _ in range(EQUILIBRATED):
        unit = unit * np.sqrt(np.abs(K / np.sqrt(np.outer(unit, unit))).max(axis=1))
    root = np.sqrt(unit)
    K, right = K / np.outer(root, root), right / root
    inverse = _inverse(K, wanted, closed)
    if inverse is None:
        return nothing
    y, exact, target = inverse @ right, K.astype(np.longdouble), right.astype(np.longdouble)
    for _ in range(CORRECTIONS):
        change = inverse @ (target - exact @ y).astype(float)
        y = y + change
        if np.abs(change).max() <= VANISHED * np.abs(y).max():
            return np.asarray(y / root)[wanted]
    return nothing


def _inverse(K: Array, wanted: slice, closed: bool) -> Array | None:
    """Return the inverse of K, or the pseudoinverse if constraints (``closed``) have rows that depend on each other.

    Return None if that dependence is in doubt, or if the equations do not determine the wanted part.
    """
    size = np.linalg.norm(K, 1)
    try:
        inverse = np.linalg.inv(K)
        if not closed or np.linalg.norm(inverse, 1) * size * DEPENDENT < 1:
            return np.asarray(inverse)
    except np.linalg.LinAlgError:
        if not closed:
            return None
    values, vectors = np.linalg.eigh(K)
    small = np.abs(values) <= DEPENDENT * np.abs(values).max()
    if (np.abs(values[~small]) < DOUBT * np.abs(values).max()).any():
        return None
    if (np.abs(vectors[wanted][:, small]) > UNDETERMINED).any():
        return None
    kept = vectors[:, ~small]
    return np.asarray(kept / values[~small] @ kept.T)
