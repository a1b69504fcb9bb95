"""A planar linkage in numbers, by the equations of Telegin & Kaygorodtsev 2010 as they are right, and as they are not.

Apart from the formalism: from the links' own masses, vectors of the plane being complex numbers. Signs and factors
that a damaged print leaves open are arguments.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable
from functools import cached_property
from typing import Any

#: Data of links in their own axes, R in those of the base.
OWN = ("q", "qd", "qdd", "m_own", "I_own", "c_own", "R_local")


def dot(a: complex, b: complex) -> float:
    """a · b."""
    return (a.conjugate() * b).real


def cross(a: complex, b: complex) -> float:
    """k · (a × b)."""
    return (a.conjugate() * b).imag


class Tree:
    """A planar linkage at a state: links k = 1…N with base 0 for the ground, fixed axes.

    ``s`` m_d i, ``R`` R e and ``J`` of the augmented bodies, ``omega`` and ``epsilon``, loads ``F`` and ``M``.
    """

    def __init__(self, data: dict[str, Any], loaded: bool) -> None:
        n = len(data["base"])
        self.links = range(1, n + 1)
        self.base = dict(zip(self.links, data["base"], strict=True))
        own = {name: dict(zip(self.links, map(_number, data[name]), strict=True)) for name in OWN}
        self.turn, self.omega, self.epsilon = {0: 1 + 0j}, {0: 0.0}, {0: 0.0}
        for k in self.links:
            b = self.base[k]
            self.turn[k] = self.turn[b] * cmath.exp(1j * own["q"][k])
            self.omega[k], self.epsilon[k] = (self.omega[b] + own["qd"][k].real, self.epsilon[b] + own["qdd"][k].real)
        self.acceleration = {k: own["qdd"][k].real for k in self.links}
        self.rate = {k: own["qd"][k].real for k in self.links}
        self.mass = {k: own["m_own"][k].real for k in self.links}
        self.inertia = {k: own["I_own"][k].real for k in self.links}
        self.centre = {k: own["c_own"][k] * self.turn[k] for k in self.links}
        self.R = {k: own["R_local"][k] * self.turn[self.base[k]] for k in self.links}
        self.m = {k: sum(self.mass[p] for p in self.sub(k)) for k in self.links}
        self.s, self.J = {}, {}
        for k in self.links:
            self.s[k] = self.mass[k] * self.centre[k] + sum(self.m[j] * self.R[j] for j in self.children(k))
            self.J[k] = self.inertia[k] + self.mass[k] * abs(self.centre[k]) ** 2
            self.J[k] += sum(self.m[j] * abs(self.R[j]) ** 2 for j in self.children(k))
        self.g = _number(data["g"])
        self.G = {k: cross(self.s[k], self.g) for k in self.links}
        self.F, self.M = dict.fromkeys(self.links, 0j), dict.fromkeys(self.links, 0.0)
        if loaded:
            load = data["load"]
            k = load["link"]
            self.F[k] = _number(load["F_world"])
            self.M[k] = load["couple"] + cross(_number(load["point_local"]) * self.turn[k], self.F[k])

    def chain(self, k: int) -> tuple[int, ...]:
        """From the root to k."""
        return (*self.chain(self.base[k]), k) if k else ()

    def carriers(self, k: int) -> tuple[int, ...]:
        """The chain without k."""
        return self.chain(k)[:-1]

    def sub(self, k: int) -> tuple[int, ...]:
        """k and what it carries."""
        return tuple(i for i in self.links if k in self.chain(i))

    def children(self, k: int) -> tuple[int, ...]:
        """The adjacent links."""
        return tuple(i for i in self.links if self.base[i] == k)

    def path(self, k: int, i: int) -> tuple[int, ...]:
        """After k up to i."""
        return tuple(m for m in self.chain(i) if m not in self.chain(k))

    def after(self, i: int, k: int) -> int:
        """The paper's i+1 on the way to k."""
        return self.path(i, k)[0]

    def between(self, k: int, i: int) -> complex:
        """O_k O_i."""
        return sum((self.R[m] for m in self.path(k, i)), 0j)

    def Jc(self, j: int, i: int) -> float:
        """J^c_ji."""
        return dot(self.R[i], self.s[j])

    def Js(self, j: int, i: int) -> float:
        """J^s_ji."""
        return cross(self.R[i], self.s[j])

    @cached_property
    def moments(self) -> dict[int, complex]:
        """m_ck, static moments of k and what it carries."""
        return {k: sum((self.s[j] for j in self.sub(k)), 0j) for k in self.links}

    def M_sum(self, k: int) -> float:
        """(2)."""
        return sum(self.M[i] + cross(self.between(k, i), self.F[i]) for i in self.sub(k))

    def M_difference(self, k: int, carried: bool = True) -> float:
        """(25); not ``carried``: with the force of the adjacent link alone."""
        return self.M[k] + sum(
            cross(self.R[j], sum((self.F[i] for i in (self.sub(j) if carried else [j])), 0j)) for j in self.children(k)
        )

    def rud(self, load: Callable[[int], float], sign: int = 1) -> float:
        """M_1 by (24): the sum of its left sides; ``sign`` of the first J^s."""

        def left(k: int) -> float:
            value = self.J[k] * self.epsilon[k] - self.G[k] - load(k)
            for i in self.carriers(k):
                p = self.after(i, k)
                value += self.Jc(k, p) * self.epsilon[i] + sign * self.Js(k, p) * self.omega[i] ** 2
            for i in self.sub(k)[1:]:
                p = self.after(k, i)
                value += self.Jc(i, p) * self.epsilon[i] - sign * self.Js(i, p) * self.omega[i] ** 2
            return value

        return sum(map(left, self.links))

    def absolute(self, k: int, first: int = -1, second: int = -1) -> float:
        """M_k by (1) with (3); ``first``, ``second``: signs of B in the first and of Σ B_jj in the second sum."""
        value = -self.M_sum(k)
        for i in self.carriers(k):
            A, B = self.A_and_B(k, self.after(i, k))
            value += A * self.epsilon[i] + first * B * self.omega[i] ** 2
        for i in self.sub(k):
            R, own = self.between(k, i), [self.A_and_B(j, j) for j in self.children(i)]
            value += (self.J[i] + dot(self.s[i], R) + sum(A for A, _ in own)) * self.epsilon[i] - self.G[i]
            value += (cross(self.s[i], R) + second * sum(B for _, B in own)) * self.omega[i] ** 2
        return value

    def A_and_B(self, k: int, m: int) -> tuple[float, float]:
        """A_km and B_km of (3)."""
        return dot(self.moments[k], self.R[m]), dot(1j * self.moments[k], self.R[m])

    def H(self, k: int, i: int, only: bool = False, factor: int = 2) -> float:
        """(14); ``only`` R_ij; ``factor`` of the last sum in (16)."""
        value = 0.0
        for j in self.sub(k):
            far, near = dot(self.between(i, j), self.s[j]), dot(self.between(k, j), self.s[j])
            value += self.J[j] + far + (0 if only else (factor - 1) * near)
        return value

    def h(self, k: int, i: int) -> float:
        """(15)."""
        return sum(
            dot(self.between(k, j), 1j * self.s[j]) - dot(self.between(i, j), 1j * self.s[j]) for j in self.sub(k)
        )

    def relative(self, k: int, sign: int = -1, factor: int = 2) -> float:
        """M_k by (13); ``sign`` of h_ik in the carried sum, ``factor`` in q'(q' + 2 ω_base)."""
        u = {i: self.rate[i] * (self.rate[i] + factor * self.omega[self.base[i]]) for i in self.links}
        value = self.H(k, k) * self.acceleration[k] - self.M_sum(k) - sum(self.G[i] for i in self.sub(k))
        value += sum(self.H(k, i) * self.acceleration[i] + self.h(k, i) * u[i] for i in self.carriers(k))
        return value + sum(self.H(i, k) * self.acceleration[i] + sign * self.h(i, k) * u[i] for i in self.sub(k)[1:])

    def transported(self, k: int, sign: int = 1, whole: bool = True) -> float:
        """M_k by the proof of (1), m_ck × a_O with a ``sign``; m_ck of the ``whole`` subtree, or m_dk i_k."""
        terms = ((self.epsilon[i] * 1j - self.omega[i] ** 2) * self.R[self.after(i, k)] for i in self.carriers(k))
        arm = self.moments[k] if whole else self.s[k]
        return self.absolute(k) + cross(sign * arm - self.moments[k], sum(terms, 0j))

    def kinetic_energy(self) -> float:
        """½ ωᵀ H ω with H of (21)."""
        H = {(k, k): self.J[k] for k in self.links}
        for k in self.links:
            for i in self.carriers(k):
                H[k, i] = H[i, k] = self.Jc(k, self.after(i, k))
        return 0.5 * sum(x * self.omega[k] * self.omega[i] for (k, i), x in H.items())


def _number(value: Any) -> complex:
    return complex(*value) if isinstance(value, list) else complex(value)
