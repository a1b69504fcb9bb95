"""States that satisfy the constraints: random ones moved to the nearest where the loops close and the rates fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.numbers import environment
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.constraints.rows import closure, with_cut_joints
from mbconcord.validation.judge.kinematics import Array
from mbconcord.validation.judge.states import complete_state, draw

#: Steps of the damped Gauss-Newton method before a state is said to admit no assembly nearby.
STEPS = 120
#: A gap below this part of what it is made of is closed; one below the second will do where rounding stops the steps.
CLOSED = 4e-16
ACCEPTED = 1e-12
#: How many times as many states are drawn as are wanted, where some cannot be assembled.
ATTEMPTS = 5
#: Singular values of D below this part of the largest are zero.
SINGULAR = 1e-9


@dataclass(frozen=True)
class Assembly:
    """States moved onto the constraints.

    Attributes
    ----------
    states : of the system
    extended : the same with the auxiliary coordinates of cut joints, for :func:`.closure.with_cut_joints`
    closed (N,) : which of them satisfy the constraints
    gaps (N,) : largest gap of a constraint or its rate, relative to what it is made of
    """

    states: Sequence[State]
    extended: tuple[State, ...]
    closed: Array
    gaps: Array

    def only(self, numbers: Sequence[int]) -> Assembly:
        """The states of these numbers."""
        chosen = list(numbers)
        return Assembly(
            tuple(self.states[i] for i in chosen),
            tuple(self.extended[i] for i in chosen),
            self.closed[chosen],
            self.gaps[chosen],
        )


@dataclass(frozen=True)
class ClosedStates:
    """A model with every function defined and states of it, which satisfy the constraints.

    ``assembly`` is None where no state could be assembled; ``states`` are then as they were drawn or given.
    """

    system: System
    states: tuple[State, ...]
    assembly: Assembly | None
    diagnostics: tuple[Diagnostic, ...] = ()


def closed_states(
    system: System, count: int, seed: int, given: Sequence[State] | None = None
) -> ClosedStates:
    """Random states of a system, or given ones, moved onto the constraints; those that cannot be are left out.

    So many states are drawn that ``count`` of them close, within :data:`ATTEMPTS` times as many.
    """
    drawn = draw(system, 0, seed)
    if given is not None:
        states = tuple(complete_state(system, s, seed) for s in given)
        made = assemble(drawn.system, states)
        notes = [*drawn.diagnostics, *_moved(states, made)]
        count = len(states)
    else:
        for attempts in (1, ATTEMPTS):
            drawn = draw(system, attempts * count, seed)
            states, made = drawn.states, assemble(drawn.system, drawn.states)
            if made.closed.sum() >= count:
                break
        notes = [*drawn.diagnostics]
    kept = np.flatnonzero(made.closed)[:count].tolist()
    tried = (kept[-1] + 1) if len(kept) == count else len(states)
    if len(kept) < tried:
        missed = tried - len(kept)
        message = f"{missed} of {tried} states are left out: no state near them satisfies the constraints"
        notes.append(Diagnostic("note", "constraints", message))
    chosen = made.only(kept) if kept else None
    return ClosedStates(
        drawn.system, tuple(chosen.states) if chosen else states[:count], chosen, tuple(notes)
    )


def _moved(given: Sequence[State], made: Assembly) -> Iterator[Diagnostic]:
    """Notes on given states that did not satisfy the constraints."""
    for before, after in zip(given, made.states, strict=True):
        far = max(
            (
                abs(new[name] - old[name])
                for old, new in ((before.q, after.q), (before.v, after.v))
                for name in old
            ),
            default=0.0,
        )
        if far > ACCEPTED:
            message = "the given state does not satisfy the constraints: the nearest one that does is taken"
            yield Diagnostic("warning", "constraints", message)


def assemble(system: System, states: Sequence[State], held: bool = False, start: float = 0.0) -> Assembly:
    """Move every state to one that satisfies the constraints: q by f(q, t) = 0, q' by D q' + γ = 0.

    q is found by the damped Gauss-Newton method from the state's own, q' by the smallest change. Auxiliary
    coordinates of cut joints begin at ``start``; where the states are ``held``, they alone move.
    """
    tree = with_cut_joints(system)
    names, own = tree.coordinate_names, len(system.coordinates)
    q, v = (_values(system, tree, states, suffix) for suffix in ("", "'"))
    auxiliary = np.arange(len(names)) >= own
    q = np.where(auxiliary, start, q)
    moving = auxiliary if held else np.full(len(names), True)
    q = _closed(system, tree, states, q, moving)
    for _ in range(2):
        here = closure(system, tree, _states(states, names, q, v))
        v = v + _least(here.D * moving, here.speed)
    found = _states(states, names, q, v)
    end = closure(system, tree, found)
    gaps = np.fmax(_relative(end.gap, end.reach), _relative(end.speed, end.flow))
    return Assembly(_states(states, names[:own], q, v), found, gaps <= ACCEPTED, gaps)


def _closed(system: System, tree: System, states: Sequence[State], q: Array, free: Array) -> Array:
    """Coordinates at which the gaps are zero, or as small as they become; those that are not free stay."""
    names = tree.coordinate_names
    here = closure(system, tree, _states(states, names, q))
    damping, better = np.full(len(states), 1e-3), np.full(len(states), True)
    for _ in range(STEPS):
        gaps = _relative(here.gap, here.reach)
        moving = (gaps > CLOSED) & (better | ~(gaps <= ACCEPTED))
        if not moving.any():
            break
        tried = q + np.where(moving[:, None], _least(here.D * free, here.gap, damping), 0.0)
        there = closure(system, tree, _states(states, names, tried))
        better = np.linalg.norm(there.gap, axis=1) < np.linalg.norm(here.gap, axis=1)
        q, here = np.where(better[:, None], tried, q), here.where(~better, there)
        damping = np.where(better, damping / 10, np.fmax(damping, 1e-9) * 10)
        damping = np.where(damping < 1e-9, 0.0, damping)
    return q


def _least(D: Array, gap: Array, damping: Array | float = 0.0) -> Array:
    """The smallest change d (N, k) with D d = -gap, or with damping μ the least |D d + gap|² + μ |D|² |d|²."""
    sound = np.asarray(np.isfinite(D).all(axis=(1, 2)) & np.isfinite(gap).all(axis=1))
    D, gap = np.where(sound[:, None, None], D, 0.0), np.where(sound[:, None], gap, 0.0)
    left, sizes, right = np.linalg.svd(D, full_matrices=False)
    largest = sizes.max(axis=1, initial=0.0)[:, None]
    kept = sizes > SINGULAR * largest
    factor = np.where(kept, sizes, 0.0) / np.where(
        kept, sizes**2 + np.reshape(damping, (-1, 1)) * largest**2, 1.0
    )
    return np.asarray(-np.einsum("srk,sr->sk", right, factor * np.einsum("smr,sm->sr", left, gap)))


def _relative(gap: Array, size: Array) -> Array:
    """Largest |gap| / size (N,); infinite where it is no number."""
    with np.errstate(all="ignore"):
        found = np.where(gap == 0, 0.0, np.abs(gap) / size)
    return np.asarray(np.where(np.isfinite(found), found, np.inf).max(axis=1, initial=0.0))


def _values(system: System, tree: System, states: Sequence[State], suffix: str) -> Array:
    """Numbers (N, k) of coordinates, or of rates; auxiliary ones start at zero."""
    numbers = environment(system, states)
    return np.array([[float(e.get(name + suffix, 0.0)) for name in tree.coordinate_names] for e in numbers])


def _states(
    states: Sequence[State], names: Sequence[str], q: Array, v: Array | None = None
) -> tuple[State, ...]:
    """The states with these coordinates and rates."""
    rates = q * 0 if v is None else v
    return tuple(
        replace(s, q=_named(names, row), v=_named(names, rate))
        for s, row, rate in zip(states, q, rates, strict=True)
    )


def _named(names: Sequence[str], row: Array) -> dict[str, float]:
    return {name: float(x) for name, x in zip(names, row, strict=False)}
