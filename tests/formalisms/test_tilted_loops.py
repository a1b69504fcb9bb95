"""A planar loop turned in space: of the rows of its three coinciding components two are nearly the same.

Which rows are solved for is a formalism's own choice: of the bad pair accelerations lose the digits that the two have
in common. What :func:`check` judges has bounds and no choice; these are the solutions that ``evaluate`` gives.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.konoplev.constraints import motion as konoplev
from mbconcord.formalisms.lagrange import multipliers as lagrange
from mbconcord.formalisms.newton_euler.closed import motion as newton_euler
from mbconcord.formalisms.registry import formalism
from mbconcord.formalisms.virtual_work.constraints import motion as virtual_work
from mbconcord.model import Body, Gravity, Inertia, Point, State, System, rotation
from mbconcord.model.constraint import PointCoincidence
from mbconcord.model.coordinate import Motion
from mbconcord.model.evaluation import ConstrainedMotion

FORMALISMS = ("konoplev", "lagrange", "newton_euler", "virtual_work")
#: A parallelogram moves as φ, -φ, φ.
STATES = tuple(
    State(0.0, {"z1": x, "z2": -x, "z3": x}, {"z1": v, "z2": -v, "z3": v})
    for x, v in ((1.0, 2.0), (0.4, -3.0), (2.0, 0.5))
)
AROUND, SPIN = 0.6, 0.3


@cache
def loop() -> System:
    """The parallelogram of a fixture, closed at a point: a row for each axis of the world."""
    system = read(folder() / "mbsd" / "four_bar.mbsd").system
    tip = PointCoincidence("loop", Point("coupler", (0, 0, 0)), Point("rocker", (0.5, 0, 0)))
    return replace(system, constraints=(tip,))


def upright(tilt: float) -> System:
    """The loop in a plane that leans from the vertical by a small angle, at a slant to the axes of the world."""
    turns = rotation("z", AROUND), rotation("x", pi / 2 + tilt), rotation("z", SPIN)
    bodies = (replace(b, parent=b.parent or "base") for b in loop().bodies)
    return replace(loop(), bodies=(Body("base", None, turns, Inertia(0)), *bodies), gravity=Gravity(9.81, (0, 0, -1)))


def flat(tilt: float) -> System:
    """The loop in the plane z, with gravity as it is seen there; none of its rows is like another."""
    x, z = -cos(tilt), sin(tilt)  # of Rxᵀ (0, 0, -1)
    return replace(loop(), gravity=Gravity(9.81, (x * sin(SPIN), x * cos(SPIN), z)))


def driven(system: System) -> System:
    """With two accelerations imposed, of which the loop admits the first, and fixes the second as it is."""
    crank, coupler, rocker = system.coordinates
    return replace(system, coordinates=(replace(crank, drive=Motion(3)), replace(coupler, drive=Motion(-3)), rocker))


def solved(name: str, system: System) -> ConstrainedMotion:
    found = formalism(name).constrained_motion(system, STATES)
    assert found is not None
    return found


@pytest.mark.parametrize("tilt", [0.0, 1e-10, 1e-8, 1e-7, 3.7e-6, 1e-4, 1e-3, 0.3])
@pytest.mark.parametrize("name", FORMALISMS)
def test_a_plane_that_leans_costs_no_digits(name: str, tilt: float) -> None:
    found, expected = solved(name, upright(tilt)), solved("lagrange", flat(tilt))
    assert (found.rank == 2).all() and all(len(repeated) == 1 for repeated in found.redundant)
    for part in ("acceleration", "reactions"):
        wanted = getattr(expected, part)
        assert np.abs(getattr(found, part) - wanted).max() < 1e-12 * np.abs(wanted).max()


@pytest.mark.parametrize("tilt", [0.0, 1e-8, 1e-4, 0.3])
@pytest.mark.parametrize("name", FORMALISMS)
def test_a_drive_repeats_the_loop_and_not_the_loop_a_drive(name: str, tilt: float) -> None:
    found = solved(name, driven(upright(tilt)))
    assert np.abs(found.acceleration - [3, -3, 3]).max() < 1e-7
    told = [d.message for d in found.diagnostics if d.severity == "error"]
    assert found.rank.tolist() == [3, 3, 3] and len(told) == 1 and "z2" in told[0], told


@pytest.mark.parametrize("tilt", [0.0, 1e-8, 1e-4, 0.3])
def test_only_what_the_loop_leaves_open_has_no_number(tilt: float) -> None:
    """Across the plane the ends share a force as they like: no arm turns it where the coupler's frame is."""
    found = {}
    for name in ("newton_euler", "virtual_work"):
        forces = formalism(name).constrained_forces(upright(tilt), STATES)
        assert forces is not None
        found[name] = forces.at_joints[:, -2]
        assert (np.isnan(found[name]) == [False, False, True, False, False, False]).all()
    a, b = (np.nan_to_num(x) for x in found.values())
    assert np.abs(a - b).max() < 1e-12 * np.abs(a).max()


def _lagrange(D: Any, rest: Any) -> tuple[int, Any]:
    found = lagrange.solve(np.eye(3), np.zeros(3), D, rest)
    assert found is not None
    return int(np.linalg.matrix_rank(D, 1e-6)), found.acceleration


def _newton_euler(D: Any, rest: Any) -> tuple[int, Any]:
    found = newton_euler.solve(np.eye(3), np.zeros(3), D, rest)
    assert found is not None
    return len(found.chosen), found.acceleration


def _virtual_work(D: Any, rest: Any) -> tuple[int, Any]:
    found = virtual_work._solve_state(np.eye(3), np.zeros(3), D, rest, 0)
    assert found is not None
    return len(found.found.chosen), found.acceleration


def _konoplev(D: Any, rest: Any) -> tuple[int, Any]:
    chosen = konoplev.independent(D)
    return len(chosen), -np.linalg.pinv(D[chosen]) @ rest[chosen]


@pytest.mark.parametrize("short", [1.0, 4e-6, 3e-8, 1e-9, 1e-11])
@pytest.mark.parametrize("by", [_konoplev, _lagrange, _newton_euler, _virtual_work])
def test_a_short_row_is_the_rounding_of_long_ones(by: Any, short: float) -> None:
    """A row with the cosine of 1.5707963 in it has few digits, and counts as one more only where it says more."""
    rounding = 2e-16 if short < 1 else 0.0
    D = np.array([[short, rounding, -rounding], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rest = np.array([5 * short + 100 * rounding, 5.0, -2.0])
    rank, found = by(D, rest)
    assert rank == 2 and np.abs(found - [-5.0, 2.0, 0.0]).max() < 1e-13


def test_a_drive_repeats_a_loop_that_says_little_more() -> None:
    """The second row has a twentieth beyond the first, and the drive, the third, all: it is the drive that repeats."""
    D = np.array([[1.0, 0.0], [-1.0, 0.05], [0.0, 1.0]])
    assert konoplev.independent(D, 1) == [0, 1]
    found = newton_euler.solve(np.eye(2), np.zeros(2), D, np.zeros(3), 1)
    assert found is not None and found.chosen == (0, 1)
    other = virtual_work._solve_state(np.eye(2), np.zeros(2), D, np.zeros(3), 1)
    assert other is not None and other.found.chosen == [0, 1]


@pytest.mark.parametrize("by", [_konoplev, _newton_euler, _virtual_work])
def test_a_short_row_counts_where_it_says_more(by: Any) -> None:
    D = np.array([[1e-6, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    rank, found = by(D, np.array([3e-6, 5.0, -2.0]))
    assert rank == 3 and np.abs(found - [-3.0, 2.0, -5.0]).max() < 1e-9


def test_what_a_short_row_shares_with_a_long_one_is_not_determined() -> None:
    """How the first two share a load is open; the third has its own, unless rounding of the first is in doubt."""
    D = np.array([[3e-8, 0.0, 2e-16], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rest = np.array([15e-8, 5.0, -2.0])
    known = [konoplev.find_unique_multipliers(D, konoplev.independent(D))]
    by_lagrange = lagrange.solve(np.eye(3), np.zeros(3), D, rest)
    by_newton_euler = newton_euler.solve(np.eye(3), np.zeros(3), D, rest)
    by_virtual_work = virtual_work._solve_state(np.eye(3), np.zeros(3), D, rest, 0)
    assert by_lagrange is not None and by_newton_euler is not None and by_virtual_work is not None
    known += [np.isfinite(by_lagrange.multipliers), by_newton_euler.is_determined, by_virtual_work.found.unique]
    assert [own.tolist() for own in known] == [[False, False, True]] * 4
