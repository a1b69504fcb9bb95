"""Random states that satisfy the constraints: assembled, or reached along the null space of D.

Chains of loops that are closed from far away end folded, in line, where D loses rank. From one regular state the
others that belong to it are reached by small steps along directions that the constraints admit, each followed by
an assembly. A walk stays on the part of the constraint manifold on which it starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from random import Random

import numpy as np

from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass

from .assembly import KICKS, Assembly, assemble_at, complete, find_singular, generic_ranks, kick, noise, with_auxiliary
from .batch import Array, RowsAtStates
from .levenberg_marquardt import ACCEPTED, Weighted, solve, units_of, weight_rows
from .rows import constraint_rows

#: Length of a walk (rad, or reaches of the mechanism), and of its first, longest and shortest steps.
LENGTHS = (0.5, 6.0)
STEP, LONGEST, SHORTEST, GROWTH = 0.05, 0.1, 1e-3, 1.3
#: How a direction changes from step to step: so large a part of it is noise. Nothing is admitted below the second part.
NOISE, STILL = 0.2, 1e-6
#: Failed steps after which a walk turns back, and after which it ends; all steps that it may make.
TURN, FAILURES, ROUNDS = 12, 60, 400
#: Steps of the method after each step of a walk, and the gap with which they are content.
CORRECTIONS, CONTENT = 8, 1e-10


def sample(system: System, starts: Sequence[State], seed: int, most: int | None = None) -> Assembly:
    """Sample one state on the constraints for each start, at its time and parameters, regular if possible.

    A start that assembles at a regular position gives the state found. Any other gives the end of a random walk from
    the model's initial position, assembled at its time, or from a state found for another start.
    """
    random = Random(seed)
    at = RowsAtStates(constraint_rows(system), system, starts, most)
    q = with_auxiliary(at, at.q)
    q = solve(at, q, units_of(at, q))
    rank = _regular_ranks(at, starts, q)
    initial = at.with_states([replace(s, q={}, v={}) for s in starts])
    origin = with_auxiliary(initial, initial.q)
    for _ in range(1 + KICKS):
        left = np.flatnonzero(rank < rank.max(initial=0))
        if not left.size:
            break
        part, some = at.only(left), [starts[i] for i in left.tolist()]
        near = np.where(at.bound, origin[left], at.q[left])
        near = solve(part, near, units_of(part, near))
        found = _regular_ranks(part, some, near)
        sound = np.flatnonzero(found >= 0)
        chosen, some = left[sound], [some[i] for i in sound]
        far = walk(at.only(chosen), near[sound], random)
        ends = _regular_ranks(at.only(chosen), some, far)
        q[chosen] = np.where((ends >= found[sound])[:, None], far, near[sound])
        rank[chosen] = np.fmax(ends, found[sound])
        origin[left] = _origins(part, near, q[rank == rank.max(initial=0)], random)
    return complete(at, starts, q)


def _regular_ranks(at: RowsAtStates, states: Sequence[State], q: Array) -> Array:
    """Return the rank of D (N,) where the constraints hold at a regular position, -1 elsewhere."""
    made = complete(at, states, q)
    return np.where(made.is_closed & made.regular, made.rank, -1)


def _origins(at: RowsAtStates, stuck: Array, found: Array, random: Random) -> Array:
    """Choose new starts (N, k): random ones of the positions ``found``; if there are none, perturbed ``stuck`` ones."""
    if len(found):
        return found[[random.randrange(len(found)) for _ in range(at.count)]]
    return kick(at, stuck, random)


def walk(at: RowsAtStates, q: Array, random: Random) -> Array:
    """Walk randomly on the constraints from q (N, k), which satisfies them, and return the ends (N, k).

    Coordinates without rows stay unchanged.
    """
    units, q = units_of(at, q), q.copy()
    z = noise(random, at.count, at.k) * at.bound
    wanted = np.array([random.uniform(*LENGTHS) for _ in range(at.count)])
    walked, h, failures = np.zeros(at.count), np.full(at.count, STEP), np.zeros(at.count, dtype=int)
    for _ in range(ROUNDS):
        left = np.flatnonzero((walked < wanted) & (failures < FAILURES))
        if not left.size:
            break
        part, unit = at.only(left), units[left]
        length = np.linalg.norm(z[left], axis=1)[:, None]
        turn = noise(random, len(left), at.k) * at.bound
        d = project_directions(
            weight_rows(part.positions(q[left]), unit, at.bound), z[left] + NOISE * length / at.k**0.5 * turn
        )
        size = np.abs(d).max(axis=1, initial=0.0)
        d /= np.where(size > 0, size, 1.0)[:, None]
        step = np.minimum(h, wanted - walked)[left]
        ahead = q[left] + step[:, None] * d * unit
        there = solve(part, ahead, unit, at.bound, CORRECTIONS, CONTENT)
        off = np.abs((there - ahead) / unit).max(axis=1, initial=0.0)
        still = size <= STILL * length[:, 0]
        good = ~still & (part.positions(there).gaps <= CONTENT) & (off <= step)
        gone, stayed = left[good], left[~good]
        q[gone], z[gone] = there[good], d[good]
        walked[gone] += step[good]
        h[gone] = np.minimum(GROWTH * h[gone], LONGEST)
        h[stayed] = np.maximum(h[stayed] / 2, SHORTEST)
        failures[stayed] += 1
        back = stayed[failures[stayed] % TURN == 0]
        z[back] = -z[back]
        z[left[still]] = noise(random, int(still.sum()), at.k) * at.bound
    return solve(at, q, units)


def project_directions(w: Weighted, z: Array) -> Array:
    """Return directions z (N, k) without their part J⁺ J z across the constraints."""
    return z + Weighted(np.einsum("sij,sj->si", w.J, z), w.J).step(np.zeros(len(z)))


# Given states and the nearest ones on the constraints: their distance, and the mechanism's rank.


@dataclass(frozen=True)
class Nearest:
    """N given states, and the nearest states on the constraints.

    Attributes
    ----------
    at : the constraint rows at these states
    given : the given states, with auxiliary coordinates that close cut joints as far as they can be closed
    moved : the nearest states on the constraints that were found
    """

    at: RowsAtStates
    given: Assembly
    moved: Assembly

    @cached_property
    def ranks(self) -> Array:
        """Rank (N, 2) of the constraints, and of these with drives, of the mechanism around the nearest states."""
        return generic_ranks(self.at, _values(self.at, self.moved.extended))

    @cached_property
    def singular(self) -> Array:
        """True where a given state (N,) is on the constraints and admits more motions than those beside it."""
        q = _values(self.at, self.given.extended)
        return self.given.is_closed & find_singular(self.at, q, self.given.regular)

    @property
    def gaps(self) -> Array:
        """Largest gap (N,) of a position or a rate, relative to the size of its terms."""
        return np.asarray(np.fmax(self.given.gaps, self.given.rate_gaps))

    @property
    def shifts(self) -> Array:
        """Changes (N, n) of positions from given to nearest states, in radians or parts of the mechanism's reach."""
        own = self.at.rows.own
        before, after = (_values(self.at, made.extended) for made in (self.given, self.moved))
        return np.asarray(((after - before) / units_of(self.at, before))[:, :own])

    def say_gap(self, s: int) -> tuple[str, str]:
        """Return the constraint that state number s is farthest off, and by how much, in the units of its rows."""
        part = self.at.only(np.array([s]))
        q, v = (_values(part, self.given.extended[s : s + 1], order) for order in "qv")
        positions, rates = part.positions(q), part.rates(q, v)
        places, speeds = _parts(positions.f[0], positions.reach[0]), _parts(rates.speed[0], rates.flow[0])
        i, j = int(np.argmax(places)), int(np.argmax(speeds))
        name = self.at.rows.rows[i if places[i] >= speeds[j] else j].constraint
        said = []
        if places[i] > ACCEPTED:
            said.append(f"by {abs(positions.f[0, i]):.2g}{self._unit(i)}".rstrip())
        if speeds[j] > ACCEPTED:
            said.append(f"in its rates by {abs(rates.speed[0, j]):.2g}{self._unit(j)}/s")
        return name, " and ".join(said)

    def _unit(self, i: int) -> str:
        row = self.at.rows.rows[i]
        turned = {c.name for c in self.at.system.constraints if isinstance(c, FrameCoincidence)}
        return " m" if row.metric else " rad" if row.constraint in turned else " "


def find_nearest(system: System, states: Sequence[State]) -> Nearest:
    """Find the states on the constraints that are next to states of a system."""
    at = RowsAtStates(constraint_rows(system), system, states)
    at.require_leaning(at.q)
    return Nearest(at, assemble_at(at, states, held=True), assemble_at(at, states))


def _values(at: RowsAtStates, states: Sequence[State], order: str = "q") -> Array:
    """Return coordinates or rates (N, k) of states with auxiliary coordinates."""
    return np.array([[getattr(s, order)[name] for name in at.rows.coordinates] for s in states])


def _parts(gaps: Array, sizes: Array) -> Array:
    """Return gaps (m,) relative to their scales; infinite if one is undefined."""
    with np.errstate(all="ignore"):
        found = np.where(gaps == 0, 0.0, np.abs(gaps) / sizes)
    return np.where(np.isfinite(found), found, np.inf)
