"""Rigid contacts, ropes and stops of a run: which of them press, and the impacts of those that close.

With gaps g, g' = W q' + ∂g/∂t, and slips s along a plane, a closed gap has g'' = 0 and a force λ ≥ 0, an open one
λ = 0; Coulomb's law bounds the force along the slip by μ λ. At an impact g' becomes -e g' by impulses (Newton) under
the same law. Which modes hold is found by trying all; modes that were just left are tried last. Forces that are not
unique are NaN; where they change the motion, there is none. In space a slip has the direction of its velocity, one
that begins that of its acceleration, and at an impact that which it has after it: all roots of a quartic are tried.
Where several begin or turn at once, or loads are shared, Newton's method seeks them if nothing else holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import permutations, product
from math import prod
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from scipy.optimize import linprog, nnls
from scipy.sparse.csgraph import connected_components

from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ONE as RATE_OF_TIME
from mbconcord.model.expressions import (
    TIME,
    ZERO,
    Expression,
    directional,
    evaluate_float,
    gradient,
    number,
    rate,
    symbol,
)
from mbconcord.model.limits import count, format_names
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..poses import list_gaps
from .arrays import TOLD, Array, find_root, generate_arrays, look_within
from .formulas import EquationNumbers, array
from .trajectory import UnsettledError

if TYPE_CHECKING:
    from .equations import Accelerations, MotionEquations
    from .projection import Projected

OPEN, CLOSED, STICKS, FORTH, BACK = ("open", "closed", "sticks", "+", "-")
#: Signs and words of the slips of modes that slip.
SLIDES: Final = {FORTH: 1.0, BACK: -1.0}
SLIPPING: Final = {FORTH: "slips forth", BACK: "slips back"}
#: Gaps (m, rad) below which a contact touches; it may be so deep at the start.
TOUCHES: Final = 1e-10
#: Of a flight that stays below this (m, rad) the contact closes.
FLIGHT: Final = 1e-11
#: What was zero is looked at once it has been larger than this.
ARMED: Final = 1e-13
#: Parts of what they are made of below which values are zero, and by which results differ.
ROUNDED: Final = 1e-12
APART: Final = 1e-9
#: Of a slip that moves, the part by mobility below which one along another direction does not.
STILL: Final = 1e-12
#: By this part of all forces a linear program tells them apart.
LOOSE: Final = 1e-6
#: So many combinations of modes are tried; of so many gaps every order of impacts is.
TRIED: Final = 4096
ORDERED: Final = 5
#: So many combinations of modes seek directions of slips by iteration; so many do even if there is a solution.
SOUGHT: Final = 512
CHECKED: Final = 12
ITERATED_WAYS, OTHER_WAYS = "directions of its slips were found", "slips in other directions were not sought"
#: States at which directions of slips are compared.
DRAWN: Final = 3
#: So many rates are listed, those that differ most.
LISTED: Final = 6
#: Impacts one after the other at one instant.
SEQUENCE: Final = 10_000
#: First step after an impact, as a part of the time in which the rate of the gap vanishes.
FIRST: Final = 0.4
#: Slips in space that are slower (m/s) are integrated by an implicit method.
SLOW: Final = 1e-2
#: One that has turned across its direction, and is slower (m/s), has ended if friction holds it.
ENDED: Final = 1e-7
#: Directions of slips are turned so many times, at first by projection; those of the quartic are off this angle.
ITERATED: Final = 30
PROJECTED: Final = 10
ASKEW: Final = 0.1
#: Sides of the polygon within a cone of friction.
SIDES: Final = 16


#: A gap that sticks, unit directions (h, 2) of its slips, and the places of their rows.
Held = tuple[int, Array, list[int]]


class PressedProblem(Protocol):
    """Equations that contacts press: of the tree, with the least pivot of a row, and whether constraints move."""

    @property
    def equations(self) -> MotionEquations:
        """The accelerations."""

    @property
    def threshold(self) -> float:
        """Relative size of a pivot below which a row is judged to depend on others."""

    @property
    def moving(self) -> bool:
        """True if constraints move in time, or drives impose accelerations."""


@dataclass(frozen=True)
class GapsAtState:
    """Gaps g, W = ∂g/∂q, ∂g/∂t, γ of g'' = W q'' + γ at a state; slips s, T = ∂s/∂q', s - T q', γ of s' = T q'' + γ.

    Slips (k, 2) have T (k, 2, n). Where there are two, the first is along the slip, and the second across it.
    """

    g: Array
    W: Array
    w: Array
    rest: Array
    s: Array
    T: Array
    z: Array
    turn: Array


@dataclass(frozen=True)
class SolvedModes:
    """Accelerations or rates x (n,) of modes, and forces or impulses (k, 3) along gaps and two slips.

    ``free`` (k, 3) marks those that are not unique, ``loose`` that x is not for this reason. ``ways`` has directions
    (2,) of slips in space that were sought.
    """

    modes: tuple[str, ...]
    x: Array
    forces: Array
    free: Array
    loose: bool = False
    ways: Mapping[int, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """Search for the modes of gaps ``which``: W x + c ≥ 0 and T x + d, with x = x₀ + P (Wᵀ λ + Tᵀ μ).

    ``size`` (n,) is how large x is made of, to judge what is rounding; ``wide`` (k,) marks gaps with two slips.
    """

    which: Sequence[int]
    W: Array
    c: Array
    T: Array
    d: Array
    mu: Array
    P: Array
    start: Array
    size: Array
    wide: Array

    def solve(self, modes: Sequence[str], turns: Sequence[int] | None = None) -> tuple[SolvedModes, bool]:
        """Return the solution of modes, and True if it satisfies the rows and all inequalities except directions.

        With slips ``turns``, whose directions follow from x, it is looked at whether x is unique.
        """
        pressing = [i for i in self.which if modes[i] != OPEN]
        forces, k, free = np.zeros((len(self.c), 3)), len(pressing), np.zeros((len(self.c), 3), dtype=bool)
        if not pressing:
            return SolvedModes(tuple(modes), self.start, forces, free), self._apart(self.start, modes)
        stuck, R, off, bent, C, size = self._weigh(modes)
        A, b = R @ self.P @ C.T, -(R @ self.start + off)
        scaled = A / np.outer(size, size)
        made_of = (np.abs(R) @ self.size + np.abs(off)) / size
        values, _, rank, _ = np.linalg.lstsq(scaled, b / size, rcond=1e-10)
        fits = bool((np.abs(scaled @ values - b / size) <= APART * made_of.max()).all())
        for i, ways, _ in stuck:  # where no coordinate moves a slip, it holds if it is not changed
            made = (np.abs([self.W[i], *self.T[i]]) @ self.size).max() + 1e-300
            fits &= bool(np.abs(self.d[i] - ways.T @ (ways @ self.d[i])).max() <= APART * made)
        room = ROUNDED * (made_of.max() + np.abs(values).max())
        cone, whole = self._cone(pressing, stuck, size)

        def margin(x: Array) -> float:
            own, least = x / size, [float((cone[:whole] @ x).min())]
            for i, ways, j in stuck:
                if len(ways) == 2:
                    least.append(float(self.mu[i] * own[pressing.index(i)] - np.hypot(*own[j])) * size[j].max())
            return min(least)

        least, loose = margin(values), False
        if rank < len(values):
            null = np.linalg.svd(scaled)[2][rank:].T
            apart = np.abs(null).max(axis=1) > APART
            free[pressing, 0] = apart[:k]
            for i, ways, j in stuck:
                free[i, 1:] = np.abs(ways.T) @ apart[j] > APART
            loose = turns is not None and self._is_loose(modes, turns, values, null, cone, self.P @ C.T / size, room)
            if fits and least < -room:  # of all forces those that are farthest within the cones
                most = 1.0 + np.abs(values).max()
                rows = np.hstack([-cone, np.ones((len(cone), 1))])
                held = np.hstack([scaled, np.zeros((len(scaled), 1))])
                bounds = [(None, None)] * len(values) + [(None, most)]
                at = linprog([0.0] * len(values) + [-1.0], rows, np.zeros(len(cone)), held, scaled @ values, bounds)
                if at.status == 0:
                    values = values + null @ (null.T @ (at.x[:-1] - values))
                    least, room = margin(values), 1e3 * room
        sound, values = least >= -room, values / size
        forces[pressing, 0] = values[:k]
        forces[pressing, 1] = -bent * values[:k]
        for i, ways, j in stuck:
            forces[i, 1:] = ways.T @ values[j]
        x = self.start + self.P @ C.T @ values
        return SolvedModes(tuple(modes), x, forces, free, loose), fits and sound and self._apart(x, modes)

    def _weigh(self, modes: Sequence[str]) -> tuple[list[Held], Array, Array, Array, Array, Any]:
        """Return slips that stick, rows R x + off = 0, bent = ±μ of gaps, columns C of forces, and sizes √(R P Rᵀ)."""
        pressing = [i for i in self.which if modes[i] != OPEN]
        stuck, R, off = _list_rows(self.W, self.T, self.c, self.d, self.P, pressing, modes)
        bent, C = np.array([SLIDES.get(modes[i], 0.0) * self.mu[i] for i in pressing]), R.copy()
        C[: len(pressing)] -= bent[:, None] * self.T[pressing, 0]
        return stuck, R, off, bent, C, np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", R, self.P, R), 1e-300))

    def _is_loose(
        self, modes: Sequence[str], turns: Sequence[int], values: Array, null: Array, cone: Array, moves: Array,
        room: float,
    ) -> bool:  # fmt: skip
        """Return True if scaled forces values + null z within the cones, which change x by moves, do not have one x."""
        changes = moves @ null
        _, sizes, ways = np.linalg.svd(changes, full_matrices=False)
        ways = ways[sizes > APART * np.sqrt(np.abs(np.diagonal(self.P)).max(initial=1e-300))]
        if not len(ways):
            return False
        signs = np.array([SLIDES.get(modes[i], 0.0) for i in turns])[:, None]
        T = signs * self.T[list(turns), 0]
        own = T @ (self.start + moves @ values) + signs[:, 0] * self.d[list(turns), 0]
        rows, least = -np.vstack([cone @ null, T @ changes]), np.concatenate([cone @ values, own]) + room
        most = 1.0 + np.abs(values).max()
        for way in ways:
            ends = [linprog(side * way, rows, least, bounds=(-most, most)) for side in (1.0, -1.0)]
            if all(at.status == 0 for at in ends) and abs(way @ (ends[1].x - ends[0].x)) > LOOSE * most:
                return True
        return False

    def _cone(self, pressing: Sequence[int], stuck: Sequence[Held], size: Array) -> tuple[Array, int]:
        """Return rows of inequalities ≥ 0 of scaled forces: no pull, and within the cone of friction.

        Behind the number that is returned stand those of cones in space, a polygon within each: forces within that
        are within the cone.
        """
        own, turned = np.diag(1.0 / size), np.arange(SIDES) * 2 * np.pi / SIDES
        rows, last = [*np.eye(len(size))[: len(pressing)]], list[Array]()
        for i, ways, j in stuck:
            normal = own[pressing.index(i)] * self.mu[i]
            if len(ways) == 2:
                way = np.stack([np.cos(turned), np.sin(turned)], axis=1) @ own[j]
                last += [*((normal * np.cos(np.pi / SIDES) - way) * size[j].max())]
            else:
                rows += [*((normal - own[j]) * size[j]), *((normal + own[j]) * size[j])]
        return np.array([*rows, *last]), len(rows)

    def _apart(self, x: Array, modes: Sequence[str]) -> bool:
        left = [i for i in self.which if modes[i] == OPEN]
        room = ROUNDED * (np.abs(self.W[left]) @ (np.abs(x) + self.size) + np.abs(self.c[left]))
        return bool((self.W[left] @ x + self.c[left] >= -room).all())

    def find(
        self, options: Mapping[int, Sequence[str]], free: Sequence[int], *, rests: bool
    ) -> tuple[list[SolvedModes], str]:
        """List the different solutions of all combinations of modes; directions of slips ``free`` follow from x.

        For one slip in space with unique forces all directions are found. Several are along those before an impact, and
        none if all ``rests``; if not one is found, or few are left, iteration seeks others where forces allow them.
        It is returned what iteration did, or did not.

        Raises
        ------
        UnsettledError
            There are more than :data:`TRIED` combinations of modes with friction, or :data:`SOUGHT` to iterate.
        """
        if (only := self._rest(options, free)) is not None:
            return [only], ""
        found, sought, tries = list[SolvedModes](), list[list[str]](), 0
        names, several = [OPEN] * len(self.c), [options[i] for i in self.which]
        if (many := prod(map(len, several))) > TRIED:
            if any(self.mu[i] for i in self.which):
                message = f"{count(len(several), 'contact')} with friction touch at once, in {many:,} combinations"
                raise UnsettledError("contacts", f"{message} of modes", f"leave some out: {TRIED:,} are tried")
            several = [self._press_least()]
        for chosen in product(*several) if len(several) == len(self.which) else several:
            for i, mode in zip(self.which, chosen, strict=True):
                names[i] = mode
            slips = self._list_wide(names, free)
            ways = self._find_ways(names, slips[0]) if len(slips) == 1 else None
            if ways is None and slips:
                sought.append([*names])
            straight = [] if slips and (rests or len(slips) == 1) else [np.eye(2)[[0] * len(slips)]]
            self._hold(names, free, straight if ways is None else ways, found)
        skips = any(x.loose for x in found) or (len(found) == 1 and len(sought) > CHECKED)
        for names in [] if skips else sought:
            slips = self._list_wide(names, free)
            moves = [self.T[slips] @ other.x + self.d[slips] for other in found]
            ways = [way / long for way in moves if (long := np.hypot(*way.T)[:, None]).all()]
            if self._hold(names, free, ways, found) or not self._may_hold(names, slips):
                continue
            if (tries := tries + 1) > SOUGHT:
                message = f"more than {SOUGHT:,} combinations of modes may slip in several directions at"
                message = f"{message} {count(len(self.which), 'contact')} with friction"
                raise UnsettledError("contacts", message, "leave some out: no more are sought by iteration")
            self._hold(names, free, self._seek_ways(names, slips), found)
        return found, ITERATED_WAYS if tries else OTHER_WAYS if skips else ""

    def _rest(self, options: Mapping[int, Sequence[str]], free: Sequence[int]) -> SolvedModes | None:
        """Return the solution that needs no friction, if it is the only one with friction; else None.

        With its changes u* of gaps and slips, and another x with normal forces N, (x - x*)ᵀ M (x - x*) is
        Σ (f - f*)·(u - u*) ≤ -Σ N (u*_N - μ |u*_T|): where no slip is faster than its gap opens, x is x*.
        """
        rough = [i for i in self.which if self.mu[i]]
        if not rough or not set(rough) <= set(free):
            return None
        smooth, modes = replace(self, mu=np.zeros_like(self.mu)), [OPEN] * len(self.c)
        for i, mode in zip(self.which, self._press_least(), strict=True):
            modes[i] = mode
        alone, sound = smooth.solve(modes)
        made_of = np.abs(alone.x) + self.size
        off, room = self.W @ alone.x + self.c, np.abs(self.W) @ made_of + np.abs(self.c)
        aside, aside_room = self.T @ alone.x + self.d, np.abs(self.T) @ made_of + np.abs(self.d)
        slips = [self.mu[i] * np.hypot(*aside[i]) - off[i] > ROUNDED * (room[i] + aside_room[i].max()) for i in rough]
        if not sound or any(slips):
            return None
        stuck = [STICKS if mode == CLOSED and self.mu[i] else mode for i, mode in enumerate(modes)]
        if any(stuck[i] not in options[i] for i in self.which):
            return None
        solution, sound = self.solve(stuck)
        same = np.abs(solution.x - alone.x).max(initial=0.0) <= APART * (1.0 + np.abs(alone.x).max(initial=0.0))
        return solution if sound and same else None

    def split(self) -> list[list[int]]:
        """List groups of gaps whose forces change no gap and no slip of another group."""
        rows = np.concatenate([self.W[:, None], self.T], axis=1)[list(self.which)].reshape(-1, len(self.P))
        A = rows @ self.P @ rows.T
        size = np.sqrt(np.maximum(np.diagonal(A), 1e-300))
        bound = (np.abs(A) > ROUNDED * np.outer(size, size)).reshape(len(self.which), 3, len(self.which), 3)
        many, group = connected_components(bound.any(axis=(1, 3)), directed=False)
        return [[i for i, own in zip(self.which, group, strict=True) if own == j] for j in range(many)]

    def _list_wide(self, modes: Sequence[str], free: Sequence[int]) -> list[int]:
        return [i for i in free if modes[i] in SLIDES and self.wide[i]]

    def _hold(self, modes: Sequence[str], free: Sequence[int], ways: Sequence[Array], found: list[SolvedModes]) -> bool:
        """Add solutions with directions of slips in space to those found that differ; return True if one holds."""
        slides, wide, holds = [i for i in free if modes[i] in SLIDES], self._list_wide(modes, free), False
        for way in ways:
            own = self._turn(wide, way)
            solution, sound = own.solve(modes)
            along, across = (own.T[slides] @ solution.x + own.d[slides]).T
            room, aside = (np.abs(own.T[slides]) @ (np.abs(solution.x) + self.size) + 1e-300).T
            backward = np.array([SLIDES[modes[i]] for i in slides]) * along < -ROUNDED * room
            if not sound or backward.any() or (np.abs(across) > APART * (room + aside)).any():
                continue
            if solution.free.any():
                solution, _ = own.solve(modes, free)
            forces, holds = solution.forces.copy(), True
            forces[wide, 1:] = way * forces[wide, 1:2]
            solution = replace(solution, forces=forces, ways=dict(zip(wide, way, strict=True)))
            size = APART * (1.0 + np.abs(solution.x).max(initial=0.0))
            if solution.loose or all(np.abs(other.x - solution.x).max(initial=0.0) > size for other in found):
                found.append(solution)
        return holds

    def _may_hold(self, modes: Sequence[str], slides: Sequence[int]) -> bool:
        """Return False if no forces in polygons around the cones give the rows, whatever the directions of slips."""
        _, R, off, bent, _, _ = self._weigh(modes)
        left = [i for i in self.which if modes[i] == OPEN]
        cone = np.exp(2j * np.pi * np.arange(SIDES) / SIDES) / np.cos(np.pi / SIDES)
        polygon, ways = np.stack([cone.real, cone.imag], axis=1), list[Array]()
        for i, bend in zip([i for i in self.which if modes[i] != OPEN], bent, strict=True):
            around = modes[i] == STICKS or i in slides
            ways += [*(self.W[i] + self.mu[i] * polygon @ self.T[i])] if around else [self.W[i] - bend * self.T[i, 0]]
        rows, k = np.vstack([R, self.W[left]]), len(R)
        size = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", rows, self.P, rows), 1e-300))
        made = np.hstack([rows @ self.P @ np.array(ways).T, -np.diag(size)[:, k:]]) / size[:, None]
        wanted = -(rows @ self.start + np.concatenate([off, self.c[left]])) / size
        _, off_by = nnls(made, wanted, maxiter=100 * len(made.T))
        return bool(off_by <= LOOSE * np.abs(wanted).max(initial=0.0))

    def _turn(self, slides: Sequence[int], ways: Array) -> Choice:
        """Return the same search with the slips of gaps along and across directions (m, 2)."""
        T, d, turned = self.T.copy(), self.d.copy(), np.stack([ways, ways[:, ::-1] * [-1, 1]], axis=1)
        T[slides], d[slides] = turned @ T[slides], np.einsum("mab,mb->ma", turned, d[slides])
        return replace(self, T=T, d=d)

    def _find_ways(self, modes: Sequence[str], i: int) -> list[Array] | None:
        """List directions u (1, 2) of a gap's slip in space with u × (T x + d) = 0, friction against u; None if all.

        One column of the matrix of the forces depends on u, linearly: with its determinant the product is a
        trigonometric polynomial of degree 2, which five directions give. A matrix that is singular has none.
        """
        values = list[float]()
        for angle in 2 * np.pi * np.arange(5) / 5 + ASKEW:
            own = self._turn([i], np.array([[np.cos(angle), np.sin(angle)]]))
            _, R, off, _, C, size = own._weigh(modes)
            A = R @ self.P @ C.T / np.outer(size, size)
            det = float(np.linalg.det(A))
            if not abs(det) > ROUNDED:
                return None
            push = np.linalg.solve(A, (R @ self.start + off) / size) / size
            values.append(det * float(own.T[i, 1] @ (self.start - self.P @ C.T @ push) + own.d[i, 1]))
        c = np.fft.fft(values) / 5
        c[np.abs(c) < ROUNDED * np.abs(c).max()] = 0.0
        roots = np.roots([c[2], c[1], c[0], c[4], c[3]]) * np.exp(1j * ASKEW)
        return [np.array([[z.real, z.imag]]) / abs(z) for z in roots if abs(abs(z) - 1.0) < LOOSE]

    def _seek_ways(self, modes: Sequence[str], slides: Sequence[int]) -> list[Array]:
        """List directions (m, 2) of slips in space, each with T x + d along its own, that iteration finds.

        It begins with the slips of the start, those without friction, and what friction would have to hold; u turns to
        u μ N + (T x + d)/|T P Tᵀ|, as Coulomb's force is projected onto its cone, and Newton's method ends it.
        """
        stuck, smooth = list(modes), replace(self, mu=np.where(np.isin(range(len(self.mu)), slides), 0.0, self.mu))
        for i in slides:
            stuck[i] = STICKS
        x, held = smooth.solve(modes)[0].x, self.solve(stuck)[0].forces
        T, d, found = self.T[slides], self.d[slides], list[Array]()
        ease = len(slides) * np.einsum("man,nk,mak->m", T, self.P, T)
        pressing = [i for i in self.which if modes[i] != OPEN]
        at = [pressing.index(i) for i in slides]
        for way in (T @ self.start + d, T @ x + d, -held[slides, 1:]):
            long = np.hypot(*way.T)
            if not (moves := long > ROUNDED * long.max()).any():
                continue
            u = np.where(moves[:, None], way / np.where(moves, long, 1.0)[:, None], [1.0, 0.0])
            for turn in range(ITERATED):
                own = self._turn(slides, u)
                _, R, off, bent, C, size = own._weigh(modes)
                inverse = np.linalg.pinv(R @ self.P @ C.T / np.outer(size, size), 1e-10)
                push = -(inverse @ ((R @ self.start + off) / size)) / size
                slip = own.T[slides] @ (self.start + self.P @ C.T @ push) + own.d[slides]
                rubs = (bent[at] * push[at])[:, None]
                if turn < PROJECTED:
                    turns = np.arctan2(slip[:, 1], ease * rubs[:, 0] + slip[:, 0])
                else:
                    bends = -rubs * own.T[slides, 1] @ self.P  # changes of x by angles, without those of forces
                    bends -= (inverse @ (bends @ R.T / size).T / size[:, None]).T @ C @ self.P
                    J = own.T[slides, 1] @ bends.T - np.diag(slip[:, 0])
                    turns = np.clip(-np.linalg.lstsq(J, slip[:, 1], rcond=1e-10)[0], -0.5, 0.5)
                u = np.cos(turns)[:, None] * u + np.sin(turns)[:, None] * u[:, ::-1] * [-1, 1]
                if np.abs(turns).max() < ROUNDED:
                    break
            if all(np.abs(u - other).max() > APART for other in found):
                found.append(u)
        return found

    def _press_least(self) -> list[str]:
        """Return the modes of gaps without friction by Gauss's principle, however many touch.

        x is the nearest to x₀ in the metric of M with W x + c ≥ 0: with P = F Fᵀ the least y with W F y ≥ -(W x₀ + c)
        by non-negative least squares (Lawson and Hanson 1974, chapter 23).
        """
        W, sizes, turns = self.W[list(self.which)], *np.linalg.eigh(self.P)
        F = turns * np.sqrt(np.maximum(sizes, 0.0))
        G, h = W @ F, -(W @ self.start + self.c[list(self.which)])
        scale = np.sqrt((G * G).sum(axis=1)).max(initial=1e-300)
        reach = max(float(np.abs(h).max(initial=0.0)) / scale, 1e-300)
        u, _ = nnls(np.vstack([G.T / scale, h / (scale * reach)]), np.eye(len(F) + 1)[-1], maxiter=100 * len(h))
        left = 1.0 - h @ u / (scale * reach)
        y = reach * (G.T @ u / scale) / left if left > 0 else np.zeros(len(F))
        closing = G @ y - h
        return [CLOSED if g <= APART * scale * reach else OPEN for g in closing]


class RigidContacts:
    """The rigid contacts, ropes and stops of a system, and their modes in a run.

    Attributes
    ----------
    names, e, mu : of k gaps their element, restitution and coefficient of friction (0: none)
    modes : the mode of each
    first : longest first step after an event (s); None: any
    lost : energy that impacts have taken so far (J)
    """

    def __init__(self, system: System, numbers: EquationNumbers, impacts: str) -> None:
        found, names = list(list_gaps(system)), system.coordinate_names
        self.impacts, self.k, self.n, self.coordinates = impacts, len(found), len(names), names
        self.names, self.within = tuple(x.name for x in found), tuple(x.within for x in found)
        own, rates = [symbol(name) for name in names], [rate(name) for name in names]
        still = {TIME: RATE_OF_TIME}
        moving = still | dict(zip(own, rates, strict=True))
        gaps, e, mu = (numbers.apply(getattr(x, key) for x in found) for key in ("gap", "e", "mu"))
        pairs = [_find_slips(numbers.apply(x.slips), names) for x in found]
        slips, self.wide = [x for pair in pairs for x in pair], np.array([pair[1] is not ZERO for pair in pairs])
        self._toward = np.tile([1.0, 0.0], (self.k, 1))
        self.e, self.mu = (np.array([evaluate_float(x, {}) for x in values]) for values in (e, mu))
        for i in np.flatnonzero((self.e < 0) | (self.e > 1)):  # of parameters
            message = f"found the restitution {self.e[i]:.6g}, expected one from 0 to 1"
            raise NumbersError(error(f"contacts/{self.names[i]}/normal/e", message, ""))

        def slopes(values: Sequence[Expression], by: list[Expression]) -> list[Expression]:
            return [d for x in values for d in gradient(x, by)]

        closing, T = directional(gaps, moving), slopes(slips, rates)
        along = [sum((a * v for a, v in zip(T[i * self.n :], rates, strict=False)), ZERO) for i in range(2 * self.k)]
        flat, wide, two = (self.k,), (self.k, self.n), (self.k, 2)
        parts = [
            (gaps, flat), (slopes(gaps, own), wide), (directional(gaps, still), flat),
            (directional(closing, moving), flat), (slips, two), (T, (self.k, 2, self.n)),
            ([s - x for s, x in zip(slips, along, strict=True)], two), (directional(slips, moving), two),
        ]  # fmt: skip
        inputs = ("t", *names, *(f"{name}'" for name in names))
        self._arrays = generate_arrays([array(x, size) for x, size in parts], inputs)
        self.modes: tuple[str, ...] = (OPEN,) * self.k
        self.first: float | None = None
        self.lost = 0.0
        self._largest = np.zeros(self.n)
        self._left: tuple[float, frozenset[tuple[int, str]]] = (-np.inf, frozenset())
        self.notes: list[Diagnostic] = []
        self._told = False

    def follow(self, before: RigidContacts) -> None:
        """Take over modes, energy and notes from the contacts of the same system in other coordinates."""
        self.modes, self.lost, self.notes, self.first = before.modes, before.lost, before.notes, before.first
        self._largest, self._left, self._told = before._largest, before._left, before._told
        self._toward = before._toward

    @property
    def pressing(self) -> list[int]:
        """Indices of the gaps that are closed."""
        return [i for i, mode in enumerate(self.modes) if mode != OPEN]

    def at(self, t: float, y: Array) -> GapsAtState:
        """Compute gaps, slips and their derivatives at a state (q, q', …)."""
        return self._turn(GapsAtState(*self._arrays([t, *y[: 2 * self.n].tolist()])))

    def _turn(self, at: GapsAtState) -> GapsAtState:
        """Return the same with two slips turned along and across the slip, on the side to which it was last."""
        if not self.wide.any():
            return at
        size = np.hypot(*at.s.T)
        moves = self.wide & (size > ROUNDED)
        u = np.where(moves[:, None], at.s / np.where(moves, size, 1.0)[:, None], self._toward)
        u *= np.where((u * self._toward).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        U = np.stack([u, np.stack([-u[:, 1], u[:, 0]], axis=1)], axis=1)
        s, z, turn = (np.einsum("kab,kb->ka", U, x) for x in (at.s, at.z, at.turn))
        return replace(at, s=s, T=np.einsum("kab,kbn->kan", U, at.T), z=z, turn=turn)

    def _aim(self, t: float, y: Array) -> None:
        """Note the directions of slips in space, so that one that turns round has ended in between."""
        if self.wide.any():
            s = GapsAtState(*self._arrays([t, *y[: 2 * self.n].tolist()])).s
            size = np.hypot(*s.T)
            moves = self.wide & (size > ROUNDED)
            self._toward = np.where(moves[:, None], s / np.where(moves, size, 1.0)[:, None], self._toward)

    def _choice(self, problem: PressedProblem, at: GapsAtState, x: list[float], a: Array, which: list[int]) -> Choice:
        P, self._largest = problem.equations.mobility(x, problem.threshold), np.fmax(self._largest, np.abs(a))
        return Choice(which, at.W, at.rest, at.T, at.turn, self.mu, P, a, self._largest, self.wide)

    def press(
        self, problem: PressedProblem, found: Accelerations, t: float, y: Array
    ) -> tuple[Accelerations, Array, Array]:
        """Return the accelerations of the present modes, forces (k, 3) along gaps and slips (N, N m), and which
        of them are not unique.
        """
        if not (which := self.pressing):
            return found, np.zeros((self.k, 3)), np.zeros((self.k, 3), dtype=bool)
        at, equations, x = self.at(t, y), problem.equations, [t, *y[: 2 * self.n].tolist()]
        solved, _ = self._choice(problem, at, x, found.a, which).solve(self.modes)
        force = _push(at, solved.forces)
        reactions = found.reactions
        if len(equations.live):
            reactions = reactions + equations.mass(t, y[: self.n]) @ (solved.x - found.a) - force
        return (
            replace(found, a=solved.x, reactions=reactions, applied=found.applied + force),
            solved.forces,
            solved.free,
        )

    def project(self, problem: PressedProblem, t: float, found: Projected) -> Projected:
        """Return the state with closed gaps, their rates and the slips of what sticks at zero."""
        if not (which := self.pressing):
            return found
        q, v = found.q, found.v
        P = problem.equations.mobility([t, *q.tolist(), *v.tolist()], problem.threshold)
        for _ in range(2):
            at = self.at(t, np.concatenate([q, v]))
            q = q - P @ at.W[which].T @ _least(at.W[which] @ P @ at.W[which].T, at.g[which])
        at = self.at(t, np.concatenate([q, v]))
        return replace(found, q=q, v=v + P @ self._stop(at, P, which, self.modes, v))

    def _stop(self, at: GapsAtState, P: Array, which: Sequence[int], modes: Sequence[str], v: Array) -> Array:
        """Return the impulse (n,) that stops gaps, and the slips of those that stick."""
        _, R, off = _list_rows(at.W, at.T, at.w, at.z, P, which, modes)
        return np.asarray(-R.T @ _least(R @ P @ R.T, R @ v + off))

    def is_slow(self, y: Array, t: float) -> bool:
        """Return True if a slip in space is so slow that friction turns it faster than explicit steps follow."""
        slides = [i for i, mode in enumerate(self.modes) if mode in SLIDES and self.wide[i]]
        return bool(slides) and bool((np.hypot(*self.at(t, y).s[slides].T) < SLOW).any())

    # Instants at which a mode ends.

    def values(self, problem: PressedProblem, t: float, y: Array) -> Array:
        """Return (k, 2) what is positive in the present modes: gaps or forces; what is left to slip or to stick."""
        at, found = self.at(t, y), np.full((self.k, 2), np.inf)
        found[:, 0] = at.g
        if not (which := self.pressing):
            return found
        free = problem.equations.evaluate([t, *y[: 2 * self.n].tolist()], problem.threshold)
        forces = self.press(problem, free, t, y)[1]
        found[which, 0] = forces[which, 0]
        for i in which:
            if self.modes[i] == STICKS:
                found[i, 1] = self.mu[i] * forces[i, 0] - np.hypot(*forces[i, 1:])
            elif self.modes[i] in SLIDES:
                found[i, 1] = SLIDES[self.modes[i]] * at.s[i, 0]
        return found

    def find_first(
        self, problem: PressedProblem, t: float, y: Array, end: float, there: Array,
        between: Callable[[float], Array],
    ) -> tuple[float, int] | None:  # fmt: skip
        """Return the first instant in a step at which a mode ends, and the place of its value; None if none does."""
        times, seen = look_within(t, y, end, there, between, lambda s, x: self.values(problem, s, x).ravel())
        found = list[tuple[float, int]]()
        for j, own in enumerate(seen.T):
            sound = np.flatnonzero(own > ARMED)
            first = int(sound[0]) if sound.size else 0
            over = np.flatnonzero(own[first + 1 :] < (0.0 if sound.size else -TOUCHES))
            if not over.size:
                continue

            def value(s: float, j: int = j) -> float:
                return float(self.values(problem, s, between(s)).ravel()[j])

            a, b = times[first + int(over[0]) :][:2]
            found.append((find_root(value, a, b, a), j))
        if not found:
            self._aim(end, there)
        return min(found, default=None)

    # What happens at such an instant.

    def begin(self, t: float, y: Array) -> None:
        """Refuse a start at which a part is inside another, or a rope is shorter than the distance of its ends.

        Raises
        ------
        NumbersError
            It is so.
        """
        at = self.at(t, y)
        deep = [
            error(f"contacts/{self.names[i]}", f"{self.within[i]} by {-at.g[i]:.6g} at the start", "start outside")
            for i in range(self.k) if at.g[i] < -TOUCHES
        ]  # fmt: skip
        if deep:
            raise NumbersError(deep)

    def settle(
        self, problem: PressedProblem, t: float, y: Array, place: int | None
    ) -> tuple[Array, list[str]]:  # fmt: skip
        """Return the state (q, q', …) after impacts, and names of events; set the modes that follow.

        ``place`` is that of the value of :meth:`values` that became zero, None at the start.

        Raises
        ------
        UnsettledError
            There is no solution, or more than one.
        """
        before, y = self.modes, y.copy()
        n, events = self.n, list[str]()
        self._aim(t, y)
        at = self.at(t, y)
        which = [i for i in range(self.k) if abs(at.g[i]) <= TOUCHES or before[i] != OPEN or place == 2 * i]
        P = problem.equations.mobility([t, *y[: 2 * n].tolist()], problem.threshold)
        v, still = y[n : 2 * n], ROUNDED * 10
        rates, sizes = at.W @ v + at.w, np.abs(at.W) @ np.abs(v) + np.abs(at.w)
        if any(rates[i] < -still * (1e-3 + sizes[i]) for i in which):
            solved = self._strike(at, P, which, v)
            hit = [i for i in which if solved.forces[i, 0] > 0]
            impulse, lost = _push(at, solved.forces), self.lost
            events += [f"impact {name}" for name in dict.fromkeys(self.names[i] for i in hit)]
            y[n : 2 * n] = v = self._change(problem, t, y, v, solved.x, impulse)
            gain, still_planes = lost - self.lost, not (at.w[hit].any() or at.z[hit].any() or problem.moving)
            if still_planes and gain > APART * float(np.abs(impulse) @ np.abs(v)):
                message = f"the impact at t = {t:.9g} gains {gain:.3g} J, as Newton's law of restitution may"
                self._tell(f"contacts/{self.names[hit[0]]}", message, "take a smaller e, or a law with a stiffness")
            self._aim(t, y)
            at = self.at(t, y)
            rates = at.W @ v + at.w
        resting = [i for i in which if rates[i] <= still * (1e-3 + sizes[i])]
        if events or place is None or t - self._left[0] > APART * (1 + abs(t)):
            self._left = t, frozenset()
        if place is not None and not events:
            self._left = t, self._left[1] | {(place // 2, before[place // 2])}
        flights: dict[int, tuple[float, float]] = {}
        while True:
            solved = self._settle(problem, t, y, resting)
            rows = self.at(t, y)
            a = rows.W @ solved.x + rows.rest
            low = [i for i in which if i not in resting and a[i] < 0 and rates[i] ** 2 < -2 * a[i] * FLIGHT]
            if not low:
                break
            flights |= {i: (float(rates[i]), float(-a[i])) for i in low}
            resting = sorted({*resting, *low})
        modes = solved.modes
        for i, (along, across) in solved.ways.items():
            x, aside = self._toward[i]
            self._toward[i] = along * x - across * aside, along * aside + across * x
        if solved.free[:, 0].any() and not self._told:
            self._told = True
            names = format_names(list(dict.fromkeys(self.names[i] for i in np.flatnonzero(solved.free[:, 0]))))
            message = (
                f"from t = {t:.9g} on the motion is unique, and the forces of {names} are not: they have no numbers"
            )
            self.notes.append(Diagnostic("note", "contacts", message, "springs say how they share a load"))
        closing = [i for i in which if modes[i] != OPEN]
        if closing:
            impulse = self._stop(at, P, closing, modes, v)
            y[n : 2 * n] = self._change(problem, t, y, v, v + P @ impulse, impulse)
        for i, (speed, fall) in flights.items():
            if modes[i] != OPEN and self.e[i] < 1:
                left = 2 * speed * self.e[i] / (fall * (1 - self.e[i]))
                message = f"impacts accumulate: closed at t = {t:.9g}, {left:.2g} s before their series ends"
                self._tell(f"contacts/{self.names[i]}", message)
        said = {STICKS: "sticks", FORTH: "slips", BACK: "slips"}
        for i in which:
            if (before[i] == OPEN) != (modes[i] == OPEN):
                events.append(f"{'leaves' if modes[i] == OPEN else 'meets'} {self.names[i]}")
            elif before[i] != modes[i]:
                events.append(f"{said.get(modes[i], 'meets')} {self.names[i]}")
        self.modes = modes
        flying = [FIRST * rates[i] / -a[i] for i in which if modes[i] == OPEN and rates[i] > 0 > a[i]]
        self.first = min(flying, default=None)
        return y, events

    def _tell(self, place: str, message: str, remedy: str = "") -> None:
        if sum(note.place == place for note in self.notes) < TOLD:
            self.notes.append(Diagnostic("note", place, message, remedy))

    def _change(self, problem: PressedProblem, t: float, y: Array, v: Array, after: Array, impulse: Array) -> Array:
        """Return the rates after an impulse (n,) of contacts, and count the energy that it takes."""
        if problem.moving or self.wide.any():  # constraints that move do work too; slips turn from impact to impact
            impulse = problem.equations.mass(t, y[: self.n]) @ (after - v)
        self.lost -= float(impulse @ (v + after)) / 2
        return after

    def _strike(self, at: GapsAtState, P: Array, which: Sequence[int], v: Array) -> SolvedModes:
        """Return the rates after an impact of all gaps that touch, and its impulses."""
        groups, found = self._strike_choice(at, P, which, v).split(), list[SolvedModes]()
        for group in groups:
            found.append(self._strike_group(at, P, group, found[-1].x if found else v))
        return _join(found, groups)

    def _strike_group(self, at: GapsAtState, P: Array, which: Sequence[int], v: Array) -> SolvedModes:
        """Return the rates after an impact of gaps that change one another, and its impulses."""
        whole = self._strike_at_once(at, P, which, v)
        if len(which) == 1 or self.impacts == "simultaneous":
            return whole
        orders = [*permutations(which)] if len(which) <= ORDERED else [which, which[::-1]]
        turns = [self._strike_in_turn(at, P, order, v) for order in orders]
        size = APART * (1.0 + np.abs(whole.x).max())
        unlike = [s for s in turns if not np.abs(s.x - turns[0].x).max() <= size]
        all_tried, same = len(which) <= ORDERED, not unlike and np.abs(turns[0].x - whole.x).max() <= size
        if all_tried and not unlike and (same or self.impacts == "sequential"):
            return whole if same else turns[0]
        names = format_names(list(dict.fromkeys(self.names[i] for i in which)))
        remedy = "--impacts simultaneous takes the first"
        if same:
            message = (
                f"{count(len(which), 'impact')} at once, of {names}, may depend on their order: the results of two"
            )
            raise UnsettledError("contacts", f"{message} orders are the same, not all are tried", remedy)
        results = [whole.x, turns[0].x, *(s.x for s in unlike[:1])]
        most = sorted(np.argsort(-np.ptp(results, axis=0), kind="stable")[:LISTED])
        first, *others = (_list(np.where(np.abs(x) > size, x, 0.0)[most]) for x in results)
        found = (
            f"of {', '.join(self.coordinates[i] for i in most)} simultaneous {first}, sequential {' and '.join(others)}"
        )
        remedy += "" if unlike or not all_tried else ", sequential the other"
        raise UnsettledError("contacts", f"simultaneous impacts of {names} are not unique: rates {found}", remedy)

    def _strike_choice(self, at: GapsAtState, P: Array, which: Sequence[int], v: Array) -> Choice:
        back = np.maximum(-self.e * (at.W @ v + at.w), 0.0)
        return Choice(which, at.W, at.w - back, at.T, at.z, self.mu, P, v, np.abs(v), self.wide)

    def _strike_at_once(self, at: GapsAtState, P: Array, which: Sequence[int], v: Array) -> SolvedModes:
        choice = self._strike_choice(at, P, which, v)
        slides = [(FORTH,) if self.wide[i] else (FORTH, BACK) for i in range(self.k)]
        options = {i: (STICKS, *slides[i], OPEN) if self.mu[i] else (CLOSED, OPEN) for i in which}
        return self._only(*choice.find(options, which, rests=False), which, "impact")

    def _strike_in_turn(self, at: GapsAtState, P: Array, order: Sequence[int], v: Array) -> SolvedModes:
        """Return the rates after impacts of single gaps, always of the first in the order that still closes."""
        forces, loose = np.zeros((self.k, 3)), np.zeros((self.k, 3), dtype=bool)
        for _ in range(SEQUENCE):
            at = self._turn(replace(at, s=at.T @ v + at.z))
            rates, sizes = at.W @ v + at.w, np.abs(at.W) @ np.abs(v) + np.abs(at.w)
            i = next((i for i in order if rates[i] < -10 * ROUNDED * (1e-3 + sizes[i])), None)
            if i is None:
                return SolvedModes(self.modes, v, forces, loose)
            solved = self._strike_at_once(at, P, [i], v)
            v, forces = solved.x, forces + solved.forces
        return SolvedModes(self.modes, np.full(self.n, np.nan), forces, loose)

    def _settle(self, problem: PressedProblem, t: float, y: Array, which: list[int]) -> SolvedModes:
        """Return the modes and accelerations of gaps whose rates are zero, of modes left at this instant the last."""
        at, x, found = self.at(t, y), [t, *y[: 2 * self.n].tolist()], list[SolvedModes]()
        choice = self._choice(problem, at, x, problem.equations.evaluate(x, problem.threshold).a, which)
        groups = choice.split() or [[]]
        for group in groups:
            start = found[-1].x if found else choice.start
            found.append(self._settle_group(replace(choice, which=group, start=start), at, y))
        return _join(found, groups)

    def _settle_group(self, choice: Choice, at: GapsAtState, y: Array) -> SolvedModes:
        """Return the modes and accelerations of gaps that change one another."""
        which, free, options = choice.which, list[int](), dict[int, Sequence[str]]()
        barred = self._left[1]
        turned = any(self.wide[i] and (i, FORTH) in barred for i in which)  # a slip has, at its end
        for i in which:
            options[i] = (CLOSED, OPEN)
            if self.mu[i]:
                size = (np.abs(at.T[i]) @ np.abs(y[self.n : 2 * self.n]) + np.abs(at.z[i])).max()
                if abs(slip := at.s[i, 0]) > 100 * ROUNDED * (1e-3 + size):
                    slides = FORTH if slip > 0 else BACK
                    ends = self.wide[i] and abs(slip) < ENDED and turned  # other feet of a body end with it
                    options[i] = (STICKS, slides, OPEN) if ends else (slides, OPEN)
                    if ends:
                        barred |= {(i, slides)}
                else:
                    options[i] = (STICKS, FORTH, OPEN) if self.wide[i] else (STICKS, FORTH, BACK, OPEN)
                    free.append(i)
        several, A = [i for i in free if self.wide[i]], at.W[which] @ choice.P @ at.W[which].T
        few = prod(map(len, options.values())) <= TRIED
        apart = len(several) < 2 or np.linalg.matrix_rank(A, 1e-10 * np.trace(A)) == len(A)
        tries = [] if apart and few else [options | dict.fromkeys(several, (STICKS, OPEN))]  # loads may be shared
        for left, tried in product((barred, frozenset[tuple[int, str]]()), [*tries, options] if few else tries):
            kept = {i: [m for m in s if (i, m) not in left] for i, s in tried.items()}
            found, said = choice.find(kept, free, rests=True)
            if found:
                break
        if not found and not few:
            found, said = choice.find(options, free, rests=True)
        return self._only(found, said, which, "motion")

    def _only(self, found: Sequence[SolvedModes], said: str, which: Sequence[int], what: str) -> SolvedModes:
        """Return the only solution.

        Raises
        ------
        UnsettledError
            There is none, or another.
        """
        names = list(dict.fromkeys(self.names[i] for i in which))
        if len(found) == 1 and not found[0].loose:
            doubt = said == OTHER_WAYS or (said and found[0].ways)
            if doubt and not any("iteration" in note.message for note in self.notes):
                message = f"{said} by iteration in the {what} at {format_names(names)}"
                self._tell("contacts", message, "that there are no others is not checked")
            return found[0]
        place = f"contacts/{names[0]}" if len(names) == 1 else "contacts"
        remedy = f"rigid bodies with Coulomb's friction have {'several' if found else 'none'} there"
        remedy = f"{remedy}; take a law with a stiffness"
        if not found and said:
            message = f"the {what} at {format_names(names)} has slips in space that iteration sought and did not find"
            raise UnsettledError(place, message, "take a law with a stiffness, and friction that is regularised")
        if not found:
            raise UnsettledError(place, f"no solution (Painlevé) of the {what} at {format_names(names)}", remedy)
        if any(s.loose for s in found):
            message = f"the {what} at {format_names(names)} is not unique: their forces are not, and friction with them"
            raise UnsettledError(place, message, remedy)
        modes = " or ".join(", ".join(SLIPPING.get(s.modes[i], s.modes[i]) for i in which) for s in found)
        raise UnsettledError(place, f"the {what} at {format_names(names)} is not unique: {modes}", remedy)


def _find_slips(slips: Sequence[Expression], names: Sequence[str]) -> tuple[Expression, Expression]:
    """Return the slip along the one direction in which the part can slip on the plane, and zero; else both slips."""
    moves = [x for x in slips if x is not ZERO]
    if len(moves) < 2:
        return moves[0] if moves else ZERO, ZERO
    draw, inputs = np.random.default_rng(0), ("t", *names, *(f"{name}'" for name in names))
    at = generate_arrays([array(moves, (2, 1))], inputs)  # a plane that moves with t may slip where no coordinate does
    both = np.hstack([at([draw.uniform(), *draw.uniform(-1, 1, 2 * len(names)).tolist()])[0] for _ in range(DRAWN)])
    if not np.isfinite(both).all():
        return moves[0], moves[1]
    U, sizes, _ = np.linalg.svd(both)
    if sizes[1] > APART * sizes[0]:
        return moves[0], moves[1]
    (a, b) = (number(repr(float(x))) if abs(x) > ROUNDED else ZERO for x in U[:, 0])
    return a * moves[0] + b * moves[1], ZERO


def _join(found: Sequence[SolvedModes], groups: Sequence[Sequence[int]]) -> SolvedModes:
    """Return one solution of groups of gaps, each of which begins with the x of that before."""
    modes = list(found[-1].modes)
    for solved, group in zip(found, groups, strict=True):
        for i in group:
            modes[i] = solved.modes[i]
    forces, free = np.sum([s.forces for s in found], axis=0), np.any([s.free for s in found], axis=0)
    return SolvedModes(tuple(modes), found[-1].x, forces, free, ways={i: w for s in found for i, w in s.ways.items()})


def _list_rows(
    W: Array, T: Array, c: Array, d: Array, P: Array, pressing: Sequence[int], modes: Sequence[str]
) -> tuple[list[Held], Array, Array]:
    """Return slips of gaps that stick, each with directions that coordinates move, and all rows R x + off = 0."""
    rows, off, stuck = list(W[pressing]), list(c[pressing]), list[Held]()
    for i in pressing:
        if modes[i] == STICKS:
            sizes, ways = np.linalg.eigh(T[i] @ P @ T[i].T)
            ways = ways.T[sizes > STILL * max(sizes[-1], W[i] @ P @ W[i])]
            stuck.append((i, ways, list(range(len(rows), len(rows) + len(ways)))))
            rows, off = [*rows, *(ways @ T[i])], [*off, *(ways @ d[i])]
    return stuck, np.array(rows).reshape(-1, len(P)), np.array(off)


def _push(at: GapsAtState, forces: Array) -> Array:
    """Return the generalised forces (n,) of forces (k, 3) along gaps and slips."""
    held = forces.any(axis=1)  # a rope whose ends coincide has no slopes, and does not pull
    return np.asarray(at.W[held].T @ forces[held, 0] + np.einsum("kan,ka->n", at.T[held], forces[held, 1:]))


def _least(A: Array, b: Array) -> Array:
    """Solve A x = b with symmetric positive semidefinite A, least squares where it is singular."""
    size = np.sqrt(np.maximum(np.diagonal(A), 1e-300))
    return np.asarray(np.linalg.lstsq(A / np.outer(size, size), b / size, rcond=1e-10)[0] / size)


def _list(x: Array) -> str:
    return f"({', '.join(f'{v:.6g}' for v in x)})"
