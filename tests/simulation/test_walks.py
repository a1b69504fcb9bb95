"""Walks on the constraints, step by step: how long, how far, when one turns back and when it gives up.

Not here: ``ROUNDS``, which the limits of length and of failures keep every walk from, and ``STARTS`` of the assembly:
they say where a search begins, not which states count. That searches find what they should is in the tables of
test_assembly.py and test_continuation.py.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from mbconcord.model import Frame, FrameCoincidence, Holonomic, State, System, rotation, translation
from mbconcord.model.expressions import as_expression
from mbconcord.simulation import assembly, continuation
from mbconcord.simulation.batch import Array, RowsAtStates
from mbconcord.simulation.continuation import walk
from mbconcord.simulation.levenberg_marquardt import solve
from mbconcord.simulation.rows import constraint_rows

from .test_limits import X, Y, Z, particle

CIRCLE = particle(X * X + Y * Y - 1)


def at(system: System, count: int, **q: float) -> RowsAtStates:
    return RowsAtStates(constraint_rows(system), system, [State(q=q)] * count)


def plane(count: int) -> RowsAtStates:
    """A particle that is held in z; x and y are walked along too, as if a row depended on them."""
    rows = at(particle(Z), count)
    rows.bound = np.array([True, True, True])
    return rows


class Watched:
    """Stands for the method of Levenberg and Marquardt: notes each step of a walk, and what it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fails: bool = False) -> None:
        self.ahead: list[Array] = []
        self.asked: set[tuple[object, ...]] = set()
        self.fails = fails
        monkeypatch.setattr(continuation, "solve", self)

    def __call__(self, rows: RowsAtStates, q: Array, units: Array, *more: object) -> Array:
        if not more:  # the end of the walk
            return q
        self.ahead.append(q)
        self.asked.add(more[1:])
        return q + 10.0 if self.fails else solve(rows, q, units, *more)  # type: ignore[arg-type]


def test_steps_grow_from_a_twentieth_to_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a radian, or of the reach, by three tenths each. A correction has eight steps, and is content with 1e-10."""
    watched, rows = Watched(monkeypatch), plane(1)
    walk(rows, rows.q, Random(3))
    places = np.concatenate([[rows.q], watched.ahead])[:, 0]
    steps = np.abs(np.diff(places, axis=0)).max(axis=1)
    assert steps[:6] == pytest.approx([0.05, 0.065, 0.0845, 0.1, 0.1, 0.1])
    assert watched.asked == {(8, 1e-10)}


def test_walks_are_as_long_as_is_drawn() -> None:
    """They go almost where they are directed: from half a radian, or half of the reach, to six."""
    rows = plane(200)
    far = np.abs(walk(rows, rows.q, Random(0))).max(axis=1)
    assert 0.4 < far.min() < 0.6 and 4.0 < far.max() <= 6.0


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_that_fails_shortens_its_steps_turns_back_and_gives_up(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Halves, down to a thousandth; back after twelve failures, and no further after sixty."""
    watched, rows = Watched(monkeypatch, fails=True), at(CIRCLE, 1, x=1.0)
    walk(rows, rows.q, Random(seed))
    along = np.array([q[0, 1] for q in watched.ahead])
    assert len(along) == 60
    assert np.abs(along[:8]) == pytest.approx([0.05, 0.025, 0.0125, 0.00625, 0.003125, 0.0015625, 1e-3, 1e-3])
    assert (np.abs(along[6:]) == pytest.approx(1e-3)) and len(set(np.sign(along[:12]))) == 1
    turns = np.flatnonzero(np.diff(np.sign(along))) + 1
    assert turns.tolist() == [12, 24, 36, 48]


def test_a_walk_keeps_most_of_its_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a plane, by a fifth of noise: from step to step it turns by 0.2/√3 times a normal number, or so."""
    watched, rows = Watched(monkeypatch), plane(400)
    walk(rows, rows.q, Random(0))
    first, second = watched.ahead[0][:, :2], (watched.ahead[1] - watched.ahead[0])[:, :2]
    turned = np.arctan2(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0], np.sum(first * second, axis=1))
    assert 0.05 < np.median(np.abs(turned)) < 0.2


@pytest.mark.parametrize(("size", "still"), [(3e-4, True), (1.4e-4, False)])
def test_what_hardly_admits_a_motion_is_still(monkeypatch: pytest.MonkeyPatch, size: float, still: bool) -> None:
    """The rows x and x + ε y leave 4e-14/ε² of a direction along y: of 1e-6 and less nothing is made."""
    watched = Watched(monkeypatch)
    rows = at(particle(X, X + as_expression(size) * Y), 1)
    walk(rows, rows.q, Random(0))
    assert (len(watched.ahead) == 60) is still


def test_a_cut_joint_that_does_not_close_is_tried_from_six_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twenty steps each; the first with the frames as they are."""
    tried: list[tuple[float, int]] = []

    def watched(rows: RowsAtStates, q: Array, units: Array, moving: Array, steps: int) -> Array:
        tried.append((float(q[0, -1]), steps))
        return q

    monkeypatch.setattr(assembly, "solve", watched)
    cut = FrameCoincidence("cut", Frame("p", (rotation("z", "turn"),)), Frame(None, (translation("x", 1),)))
    system = System("cut", *_parts(particle()), constraints=(cut, Holonomic("row", X)))
    rows = at(system, 1)
    assembly.with_auxiliary(rows, rows.q)
    assert [steps for _, steps in tried] == [20] * 6
    assert tried[0][0] == 0.0 and len({start for start, _ in tried}) == 6


def _parts(system: System) -> tuple[object, ...]:
    return system.coordinates, system.parameters, system.functions, system.gravity, system.bodies
