"""Each tolerance of the judge between two values, one on either side of it, written as numbers.

The two values are a few tenths apart: a tolerance of 101 for one of 100 is the same.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Holonomic, Inertia, State, System, rotation, translation
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation
from mbconcord.model.expressions import as_expression, symbol
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.closed.compare import Measure, compare_motions, find_broken_equations, measure_closed
from mbconcord.validation.judge.closed.motion import SolvedMotion
from mbconcord.validation.judge.closed.rows import find_satisfied
from mbconcord.validation.judge.closed.sameness import OF_CONSTRAINTS, _compare_satisfied
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.referee import judge
from mbconcord.validation.judge.scale import scales

from .fakes import Altered, double_pendulum, entry

X, Y = symbol("x"), symbol("y")


def particle(*rows: object) -> System:
    """A particle of 1 kg in the plane, with rows f(x, y) = 0."""
    joint = tuple(translation(axis, axis) for axis in "xy")
    constraints = tuple(Holonomic(f"row{i}", as_expression(row)) for i, row in enumerate(rows))  # type: ignore[arg-type]
    return System(
        "particle", (Coordinate("x"), Coordinate("y")), bodies=(Body("p", None, joint, Inertia(1)),),
        constraints=constraints,
    )  # fmt: skip


# --- motions with constraints ----------------------------------------------------------------------

ONES = np.ones((1, 1))


def motion(name: str, acceleration: float, reaction: float) -> ConstrainedMotion:
    tree = Evaluation(name, {q: np.zeros((1, 1)) for q in ("h", "gravity", "applied")})
    return ConstrainedMotion(
        tree, ("row",), acceleration * ONES, ONES, reaction * ONES, ONES[None], ONES, np.ones(1), ((),), ()
    )


def measure(cond: float) -> Measure:
    one = np.ones(1)
    return Measure(
        ONES,
        one,
        cond * one,
        one,
        one.astype(bool),
        ONES[None],
        np.zeros((1, 0, 1)),
        np.zeros((1, 0)),
        one.astype(bool),
    )


#: Difference, condition number and verdict: 100 · 2^-52 is 2.22e-14.
MOTIONS = [
    (2.0e-14, 1.0, "agrees"), (2.5e-14, 1.0, "disagrees"),
    (2.0e-8, 1e6, "agrees"), (2.5e-8, 1e6, "disagrees"),
    (0.5, 4.4e10, "disagrees"), (0.5, 4.6e10, "not checked"),
]  # fmt: skip


@pytest.mark.parametrize(("off", "cond", "verdict"), MOTIONS)
@pytest.mark.parametrize("place", [0, 1])
def test_motions_with_constraints(off: float, cond: float, verdict: str, place: int) -> None:
    values = [1.0, 1.0]
    values[place] += off
    a, b = (motion("a", 1.0, 1.0), motion("b", *values))
    found = compare_motions(("a", SolvedMotion(a, a)), ("b", SolvedMotion(b, b)), measure(cond), [State()], ("x",))
    assert found[place].verdict == verdict
    assert found[2].verdict == "agrees"  # the rank


@pytest.mark.parametrize(("off", "told"), [(0.8e-12, False), (1.0e-12, True)])
def test_equations_that_a_motion_breaks(off: float, told: bool) -> None:
    """q'' = reaction of a unit mass, to 4096 · 2^-52, 9.1e-13, of their size of one."""
    lines = find_broken_equations(motion("a", 1.0, 1.0 - off), measure(1.0), 0)
    assert any("not balanced" in line for line in lines) is told


#: ε of the rows x and x + ε y, whose singular values are √2 and ε/√2: the rank, and whether it is clear.
SPECTRA = [
    (0.7e-12, 1, True), (3e-12, 1, False), (0.7e-9, 1, False), (3e-9, 2, False), (0.7e-6, 2, False), (3e-6, 2, True),
]  # fmt: skip


@pytest.mark.parametrize(("size", "rank", "clear"), SPECTRA)
def test_the_rank_of_rows_that_almost_depend_on_each_other(size: float, rank: int, clear: bool) -> None:
    system = particle(X, X + as_expression(size) * Y)
    found = measure_closed(system, assemble(system, [State()]))
    assert (found.rank.tolist(), found.clear.tolist()) == ([rank], [clear])


@pytest.mark.parametrize(("gap", "good"), [(0.9e-12, True), (1.1e-12, False), (-1.1e-12, False)])
def test_a_state_that_satisfies_the_constraints(gap: float, good: bool) -> None:
    """The row x is made of 1 + |x|."""
    assert find_satisfied(particle(X), [State(q={"x": gap})]).tolist() == [good]


def told(a: System, b: System) -> dict[str, str]:
    found = same_machine(a, b, [State(q={"x": 1.0})]).comparisons
    return {c.quantity: c.verdict for c in found if c.quantity in OF_CONSTRAINTS}


#: How far the rows of two models stand apart (of two), and how far they are turned against each other.
APART = [(1.8e-12, 0.0, "agrees", "agrees"), (2.3e-12, 0.0, "disagrees", ""),
         (0.0, 1.5e-14, "agrees", "agrees"), (0.0, 4e-14, "agrees", "disagrees")]  # fmt: skip


@pytest.mark.parametrize(("shift", "turn", "constraints", "admitted"), APART)
def test_constraints_that_are_almost_the_same(shift: float, turn: float, constraints: str, admitted: str) -> None:
    """Rows x - 1 = 0 are made of 2; the admitted motions of x + ε y turn by ε."""
    found = told(particle(X - 1), particle(X - 1 - as_expression(shift) + as_expression(turn) * Y))
    assert found["constraints"] == constraints
    if admitted:
        assert found["admitted motions"] == admitted


@pytest.mark.parametrize(("own", "verdict"), [(0.0, "disagrees"), (5e-14, "disagrees"), (2e-13, "agrees")])
def test_states_that_miss_their_own_constraints_may_miss_the_other_s(own: float, verdict: str) -> None:
    """By 16 times as much: a gap of 2e-12 is more than 1e-12 + 16 · 5e-14 and less than 1e-12 + 16 · 2e-13."""
    state = State(q={"x": 2e-12})
    system = particle(X)
    held = assemble(system, [state], held=True)
    found = _compare_satisfied("A", "B", replace(held, gaps=np.array([own])), system, held, [state], np.zeros(1))
    assert found.verdict == verdict


# --- scale and referee -----------------------------------------------------------------------------


@pytest.mark.parametrize(("off", "counts"), [(2e-8, False), (4e-8, True)])
def test_inertia_that_is_left_of_a_sum(off: float, counts: bool) -> None:
    """A mass at 1 m and back: M is ε² of contributions of 4, and counts above 2^-52 of them: ε = 3e-8."""
    back = as_expression(-1) + as_expression(off)
    joint = (rotation("z", "q"), translation("x", as_expression(1)), translation("x", back))
    system = System("pendulum", (Coordinate("q"),), bodies=(Body("b", None, joint, Inertia(1)),))
    found = scales(TreeKinematics(system, [State()]))
    assert found.mass[0, 0, 0] == pytest.approx(off**2 if counts else 4.0, rel=1e-6)


#: Relative differences of two derivations.
DIFFERENCES = [
    ("1e-20", "derivations differ"), ("2e-30", "derivations differ"), ("0.5e-30", "rounding"), ("1e-45", "rounding"),
]  # fmt: skip


@pytest.mark.parametrize(("off", "verdict"), DIFFERENCES)
def test_values_that_the_referee_takes_for_the_same(off: str, verdict: str) -> None:
    """To 1e-30 of their size, in 50 digits."""
    altered = Altered(entry("h", (0,), lambda x: x * as_expression(1 + Fraction(off))))
    pair = {f.name: f.derive(double_pendulum()) for f in (formalism("lagrange"), altered)}
    state = State(0.0, {"z1": 0.3, "z2": 0.7}, {"z1": 1.5, "z2": -2.0}, {}, {"m1": 2.0, "m2": 3.0})
    asked = Comparison(
        "lagrange", "altered", "h", "disagrees", state=state, entry=("z1",), scale=1e-3, values=(1.0, 1.0)
    )
    found = judge(pair, asked)
    assert found.verdict == verdict
    assert "50 digits" in found.text


def test_a_disagreement_of_the_referee_keeps_its_digits() -> None:
    """A value is shown with 17 digits of the 50."""
    pair = {f.name: f.derive(double_pendulum()) for f in (formalism("lagrange"), formalism("konoplev"))}
    state = State(0.0, {"z1": 0.3, "z2": 0.7}, {"z1": 1.5, "z2": -2.0}, {}, {"m1": 2.0, "m2": 3.0})
    asked = replace(Comparison("lagrange", "konoplev", "gravity", "disagrees", state=state, entry=("z2",)), scale=1.0)
    # -3 · 9.81 · 1.1 · cos of the sum of the two doubles, by hand in 40 digits
    assert judge(pair, asked).exact["lagrange"] == "-17.491206547869289"
