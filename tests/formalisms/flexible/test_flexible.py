"""The recursion against numbers of others, and against itself: mixed problem, both arithmetics, long chains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mbconcord.formalisms.flexible import Flexible
from mbconcord.formalisms.flexible.equations import Equations, Machine
from mbconcord.formalisms.flexible.kinematics import falling, series
from mbconcord.formalisms.flexible.vectors import Batch
from mbconcord.model import Body, Coordinate, Effort, Motion, PointForce, State, System, rotation
from mbconcord.model.beams import beam, bending, power, round_section
from mbconcord.model.elastic.rigid import rigid
from mbconcord.model.expressions import evaluate, evaluate_float, numpy_arithmetic
from mbconcord.model.force import Point
from mbconcord.model.numbers import bind_states

from . import arms

MIXED = Flexible()
#: Of the largest: cond(M) is 1e4 … 1e9 and the other derivation is in floats too.
CLOSE = {"a": 1e-14, "b1": 2e-11, "b2": 2e-12, "c": 1e-13, "d0": 1e-12, "d1": 1e-12}


@pytest.mark.parametrize("case", arms.CASES)
def test_the_mixed_problem_of_the_vectors(case: str) -> None:
    found = MIXED.solve(arms.system(case), [arms.state(case)])
    expected = np.array(arms.expected(case))
    assert np.abs(found.accelerations[0] - expected).max() <= CLOSE[case] * np.abs(expected).max()
    efforts = arms.VECTORS[case]["effort"]
    for name, imposed, effort in zip(arms.joints(case), arms.VECTORS[case]["imposed"], efforts, strict=True):
        assert (name in found.efforts) == imposed
        if imposed:
            assert found.efforts[name][0] == pytest.approx(effort, rel=100 * CLOSE[case], abs=0)


@pytest.mark.parametrize("case", arms.CASES)
def test_every_intermediate_of_the_vectors(case: str) -> None:
    """V and h of the first pass, V̇ and F of the third, link by link."""
    system, at = arms.system(case), arms.state(case)
    batch = Batch(system, bind_states(system, [at]).values)
    eq = Equations(Machine(system, batch), batch)
    found = {"V": eq.k.velocities, "h": eq.k.bias, "F": eq.motion.F, "dV": eq.motion.V}
    for name, values in found.items():
        expected = np.array(arms.VECTORS[case][name])
        size = max(np.abs(expected).max(), 1.0)
        shown = np.array([np.broadcast_to(x, (1, 6))[0] for x in values])
        assert np.abs(shown - expected).max() <= CLOSE[case] * size, name


@pytest.mark.parametrize("case", arms.CASES)
def test_energies_of_the_vectors(case: str) -> None:
    """½ q̇ᵀ M q̇; elastic energy is half of the work of the elastic forces at rest."""
    system, at = _free(arms.system(case)), arms.state(case)
    v = np.array([at.v[name] for name in system.coordinate_names])
    M = MIXED.evaluate(system, [at]).quantities["M"][0]
    assert v @ M @ v / 2 == pytest.approx(arms.VECTORS[case]["T"], rel=1e-12, abs=0)


@pytest.mark.parametrize("form", ["full", "frozen"])
@pytest.mark.parametrize("case", ["b1", "c", "d1"])
def test_the_graph_says_what_the_recursion_in_floats_says(case: str, form: str) -> None:
    system, at = _free(arms.system(case)), arms.state(case)
    formalism = MIXED.in_form(form)
    numbers = formalism.evaluate(system, [at]).quantities
    derivation = formalism.derive(system)
    for name, value in derivation.quantities.items():
        flat = [x for row in value for x in (row if name == "M" else (row,))]
        found = np.array(
            [float(np.ravel(x)[0]) for x in evaluate(flat, bind_states(system, [at]).values, numpy_arithmetic())]
        )
        size = np.abs(numbers[name]).max() or 1.0
        assert np.abs(found - numbers[name][0].ravel()).max() <= 1e-9 * size, name


@pytest.mark.parametrize("case", ["a", "b1", "c", "d1"])
def test_the_recursion_solves_the_equations_that_it_gives(case: str) -> None:
    """M q̈ + h = gravity + applied with χ = 0 everywhere, and inverse dynamics of q̈ is zero."""
    system, at = _free(arms.system(case)), arms.state(case)
    found = MIXED.evaluate(system, [at]).quantities
    q = {name: x[0] for name, x in found.items()}
    left = q["M"] @ q["acceleration"] + q["h"] - q["gravity"] - q["applied"]
    size = np.abs(q["M"]) @ np.abs(q["acceleration"]) + np.abs(q["h"]) + np.abs(q["applied"])
    assert (np.abs(left) <= 1e-11 * size.max()).all()
    again = dict(zip(system.coordinate_names, q["acceleration"], strict=True))
    back = MIXED.evaluate(system, [replace(at, a=again)]).quantities["inverse_dynamics"][0]
    assert (np.abs(back) <= 1e-11 * size.max()).all()


@pytest.mark.parametrize("case", ["a", "b2", "c", "d1"])
@pytest.mark.parametrize("turned", ["all imposed", "all free", "flipped"])
def test_found_efforts_put_in_again_give_the_same_motion(case: str, turned: str) -> None:
    system, at = arms.system(case), arms.state(case)
    first = MIXED.solve(system, [at])
    names = arms.joints(case)
    a = dict(zip(system.coordinate_names, first.accelerations[0], strict=True))
    tau = {c.name: evaluate_float(c.drive.value, {}) for c in system.coordinates if isinstance(c.drive, Effort)}
    tau |= {name: float(x[0]) for name, x in first.efforts.items()}
    imposed = {
        "all imposed": set(names), "all free": set(),
        "flipped": {n for n in names if n not in first.efforts},
    }[turned]  # fmt: skip
    drives = {n: Motion(float(a[n])) if n in imposed else Effort(tau[n]) for n in names}
    changed = tuple(replace(c, drive=drives.get(c.name)) for c in system.coordinates)
    second = MIXED.solve(replace(system, coordinates=changed), [at])
    size = np.abs(first.accelerations).max()
    assert np.abs(second.accelerations - first.accelerations).max() <= 1e-9 * size
    for name, effort in second.efforts.items():
        assert effort[0] == pytest.approx(tau[name], rel=1e-8, abs=1e-9)


def test_many_states_at_once_are_each_for_itself() -> None:
    system, at = arms.system("c"), arms.state("c")
    other = replace(at, q={n: 0.5 * x for n, x in at.q.items()})
    both = MIXED.solve(system, [at, other])
    for i, one in enumerate((at, other)):
        alone = MIXED.solve(system, [one])
        assert (both.accelerations[i] == alone.accelerations[0]).all()
        assert all(both.efforts[n][i] == x[0] for n, x in alone.efforts.items())


def test_modes_that_are_at_rest_and_stiff_leave_the_rigid_machine() -> None:
    """The stiffer the beam, the nearer to the rigid one: accelerations differ by a multiple of 1/E."""
    gaps = []
    for young in (1e14, 1e16):
        inertia, modes = beam(
            0.5, round_section(0.01), {"e": bending(2, power(2))}, young=young, density=2700, nodes={"tip": 0.5}
        )
        hand, _ = beam(0.3, round_section(0.01), {}, young=1, density=2700)
        bodies = (
            Body("1", None, (rotation("z", "q1"),), inertia, modes=modes),
            Body("2", "1", (rotation("z", "q2"),), hand, parent_node="tip"),
        )
        coordinates = [Coordinate("q1", drive=Effort(2)), Coordinate("q2"), Coordinate("e")]
        system = System("arm", coordinates, bodies=bodies)
        stiff = rigid(system)
        at = State(0.0, {"q1": 0.3, "q2": 0.8}, {"q1": 1.0, "q2": -2.0})
        wanted = MIXED.solve(stiff, [at]).accelerations[0]
        # the deflection at which the mode does not accelerate
        e = 0.0
        for _ in range(3):
            still = replace(at, q={**at.q, "e": e}, v={**at.v, "e": 0.0})
            e += MIXED.solve(system, [still]).accelerations[0][2] / _square(system, still)
        found = MIXED.solve(system, [replace(at, q={**at.q, "e": e})]).accelerations[0]
        gaps.append(np.abs(found[:2] - wanted).max() / np.abs(wanted).max())
    assert gaps[0] <= 1e-6 and gaps[1] <= 1e-7


def _square(system: System, at: State) -> float:
    """∂(-q̈_e)/∂q_e by a difference."""
    step = 1e-9
    one = MIXED.solve(system, [at]).accelerations[0][2]
    more = MIXED.solve(system, [replace(at, q={**at.q, "e": at.q["e"] + step})]).accelerations[0][2]
    return float((one - more) / step)


def test_series_are_those_of_sines() -> None:
    for angle in (0.3, 1.0, 3.0, 5.0):
        x = np.array(angle**2)
        s, c = np.sin(angle), np.cos(angle)
        assert series(x, 1) == pytest.approx(s / angle, rel=1e-13, abs=1e-14)
        assert series(x, 2) / 2 == pytest.approx((1 - c) / angle**2, rel=1e-13, abs=1e-14)
        assert series(x, 3) / 6 == pytest.approx((angle - s) / angle**3, rel=1e-13, abs=1e-14)
        d1 = (angle * s - 2 * (1 - c)) / angle**4
        d2 = ((1 - c) * angle - 3 * (angle - s)) / angle**5
        assert falling(x, 4) / -12 == pytest.approx(d1, rel=1e-11, abs=1e-13)
        assert falling(x, 5) / -60 == pytest.approx(d2, rel=1e-11, abs=1e-13)


def test_a_force_at_the_tip_bends_a_clamped_beam_by_its_closed_form() -> None:
    """F L³/(3 E I) with the static shape, which is the line of that force."""
    length, young, radius, force = 0.4, 7e10, 0.004, 3.0
    inertia, modes = beam(
        length, round_section(radius), {"e": bending(2, power(2)), "f": bending(2, power(3))},
        young=young, density=2700, nodes={"tip": length},
    )  # fmt: skip
    tip = Point("b", (length, 0, 0))
    load = PointForce("f", tip, (0, force, 0))
    system = System(
        "cantilever", (Coordinate("e"), Coordinate("f")), bodies=(Body("b", None, (), inertia, modes=modes),),
        forces=(load,),
    )  # fmt: skip
    K = np.array([[evaluate_float(x, {}) for x in row] for row in modes.stiffness])
    q = np.linalg.solve(K, [force, force])
    at = State(0.0, {"e": q[0], "f": q[1]})
    exact = force * length**3 / (3 * young * np.pi * radius**4 / 4)
    assert q.sum() == pytest.approx(exact, rel=1e-12, abs=0)
    applied = MIXED.evaluate(system, [at]).quantities["applied"][0]
    assert np.abs(applied).max() <= 1e-12 * force


def _free(system: System) -> System:
    """The model with no imposed accelerations."""
    kept = [replace(c, drive=None) if isinstance(c.drive, Motion) else c for c in system.coordinates]
    return replace(system, coordinates=tuple(kept))
