"""Equations of motion by d'Alembert's principle, for models whose positions are typed from the drawing.

Of a tree: bodies at r(q) with spins ω(q, q') in their own axes, differentiated by SymPy. With J = ∂r/∂q, E = ∂ω/∂q' it
is M = Σ (m JᵀJ + Eᵀ I E), h = Σ (m Jᵀ J' q' + Eᵀ (I E' q' + ω × I ω)), gravity = Σ m Jᵀ g, applied = Σ Jᵀ F. Of a
closed system: its coordinates as explicit functions q(u, t) of free ones, q'' = B u'' + b with B = ∂q/∂u; the
reactions do no work along B, so Bᵀ (M q'' + h - gravity - applied) = 0, and what is lacking in the equations is Dᵀ λ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import State

from .row import DOUBLE, Row, row

R = sp.Rational
T = sp.Symbol("t")
G = R("9.81")
X, Y, Z = (sp.Matrix(sp.eye(3)[:, i]) for i in range(3))


def vector(*text: str) -> sp.Matrix:
    """A vector of exact decimals."""
    return sp.Matrix([R(x) for x in text])


def turned(n: sp.Matrix, q: Any, v: sp.Matrix) -> sp.Matrix:
    """v after a turn by q about n: v cos q + n×v sin q + n (n·v) (1 - cos q)."""
    return v * sp.cos(q) + n.cross(v) * sp.sin(q) + n * n.dot(v) * (1 - sp.cos(q))


def tensor(*text: str) -> sp.Matrix:
    """J from xx yy zz and, where they are not zero, xy xz yz."""
    xx, yy, zz, xy, xz, yz = (*map(R, text), *[R(0)] * (6 - len(text)))
    return sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# --- d'Alembert's principle -------------------------------------------------------------------------


@dataclass
class Tree:
    """Bodies and loads of an open tree in coordinates q and rates v."""

    names: Sequence[str]
    g: sp.Matrix = field(default_factory=lambda: -G * Y)

    def __post_init__(self) -> None:
        self.q, self.v = ([sp.Symbol(name + dot) for name in self.names] for dot in ("", "'"))
        self.points: list[tuple[sp.Expr, sp.Matrix]] = []
        self.spins: list[tuple[sp.Matrix, sp.Matrix]] = []
        self.applied = sp.zeros(len(self.names), 1)

    def body(self, mass: str, r: sp.Matrix, J: sp.Matrix | None = None, spin: sp.Matrix = 0 * X) -> None:
        """A body with its centre at r, and tensor and ω in its own axes."""
        self.points.append((R(mass), r))
        if J is not None:
            self.spins.append((J, spin))

    def force(self, r: sp.Matrix, F: sp.Matrix) -> None:
        """F in world axes at the point r."""
        self.applied += r.jacobian(self.q).T * F

    def spring(self, length: Any, law: Callable[[Any, Any], Any]) -> None:
        """A force F(l, l') that pushes along a length l(q)."""
        slopes = sp.Matrix([length]).jacobian(self.q)
        self.applied += slopes.T * law(length, slopes.dot(sp.Matrix(self.v)))

    def equations(self) -> Callable[..., dict[str, np.ndarray]]:
        """M, h, gravity and applied as numbers of (q, v, t), from forty digits."""
        v, n = sp.Matrix(self.v), len(self.names)
        asked: list[sp.Matrix] = [self.applied]
        for _, r in self.points:
            along = r.jacobian(self.q)
            asked += [along, (along * v).jacobian(self.q) * v]
        for _, spin in self.spins:
            asked += [spin, spin.jacobian(self.v), spin.jacobian(self.q) * v]
        at = sp.lambdify([*self.q, *self.v, T], [list(x) for x in asked], "mpmath", cse=True)
        masses, g = [float(mass) for mass, _ in self.points], np.array(self.g, dtype=float).ravel()
        tensors = [np.array(J, dtype=float) for J, _ in self.spins]

        def numbers(*values: float) -> dict[str, np.ndarray]:
            with mpmath.workdps(40):
                found = iter([np.array([float(x) for x in part]) for part in at(*values)])
            applied, M, h, gravity = next(found), np.zeros((n, n)), np.zeros(n), np.zeros(n)
            for m in masses:
                J, a = next(found).reshape(3, n), next(found)
                M, h, gravity = M + m * J.T @ J, h + m * J.T @ a, gravity + m * J.T @ g
            for own in tensors:
                w, E, dw = next(found), next(found).reshape(3, n), next(found)
                M, h = M + E.T @ own @ E, h + E.T @ (own @ dw + np.cross(w, own @ w))
            return {"M": M, "h": h, "gravity": gravity, "applied": applied}

        return numbers


def forces(part: Mapping[str, np.ndarray]) -> np.ndarray:
    """gravity + applied - h."""
    return np.asarray(part["gravity"] + part["applied"] - part["h"])


def collected(numbers: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {name: [one[name] for one in numbers] for name in numbers[0]}


def tree_row(file: str, tree: Tree, motions: Sequence[tuple[Sequence[float], ...]]) -> Row:
    """An open tree at motions (q, q', q'') at the times 0, 0.3, 0.6, …"""
    equations, found, states = tree.equations(), [], []
    for k, (q, v, a) in enumerate(motions):
        t = 0.3 * k
        part = equations(*q, *v, t)
        acceleration = np.linalg.solve(part["M"], forces(part))
        found.append(part | {"inverse_dynamics": part["M"] @ a - forces(part), "acceleration": acceleration})
        states.append(State(t, *(dict(zip(tree.names, x, strict=True)) for x in (q, v, a))))
    return row(read(folder() / file).system, states, DOUBLE, collected(found))


def closed_row(
    file: str, tree: Tree, free: str, coordinates: Sequence[Any], motions: Sequence[tuple[Sequence[float], ...]],
    rank: int,
) -> Row:  # fmt: skip
    """A closed system whose coordinates are functions of the free ones, at motions (u, u') of these."""
    u = sp.symbols(free, seq=True)
    du = [sp.Symbol(f"{x}'") for x in u]
    q = sp.Matrix(coordinates)

    def flow(x: sp.Matrix) -> sp.Matrix:
        return x.jacobian(u) * sp.Matrix(du) + sp.diff(x, T)

    B, b = q.jacobian(u), flow(flow(q))
    at = sp.lambdify([*u, *du, T], [list(x) for x in (q, flow(q), B, b)], "mpmath")
    equations, found, states = tree.equations(), [], []
    for k, (position, rates) in enumerate(motions):
        t = 0.3 * k
        with mpmath.workdps(40):
            numbers = at(*position, *rates, t)
        x, v, across, drift = (np.array([float(y) for y in part]) for part in numbers)
        across = across.reshape(len(x), -1)
        part = equations(*x, *v, t)
        mass = part["M"]
        own = np.linalg.solve(across.T @ mass @ across, across.T @ (forces(part) - mass @ drift))
        a = across @ own + drift
        found.append(part | {"acceleration": a, "reactions": mass @ a - forces(part), "rank": rank})
        states.append(State(t, *(dict(zip(tree.names, y, strict=True)) for y in (x, v))))
    return row(read(folder() / file).system, states, DOUBLE, collected(found))
