"""Assembly from rough starts, by a table; cut joints, held states, rates, and states that stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import pi
from random import Random

import numpy as np
import pytest

from mbconcord import Mechanism, simulate
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Holonomic,
    Inertia,
    Nonholonomic,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    translation,
)
from mbconcord.model.coordinate import Parameter
from mbconcord.model.expressions import ONE, TIME, Expression, cos, number, sin, symbol
from mbconcord.model.force import Point
from mbconcord.simulation.assembly import Assembly, assemble
from mbconcord.simulation.continuation import sample
from mbconcord.simulation.keeping import place_state
from mbconcord.validation.judge.closed.rows import find_satisfied
from mbconcord.validation.judge.states import draw
from mbconcord.validation.witnesses.runs.made import GAPS

from .mechanisms import FIXTURES, fixture, four_bars, pinned, serial_four_bars, slider_crank

SYSTEMS = {
    "2": four_bars(2), "10": four_bars(10), "40": four_bars(40), "serial 10": serial_four_bars(10),
    "slider-crank": slider_crank(), **{file: fixture(file) for file in FIXTURES},
}  # fmt: skip


def around(system: System, size: float, count: int) -> list[State]:
    """States within ± size of the model's own position, assembled, with random rates."""
    (own,) = assemble(system, [State()]).states
    random = Random(1)
    return [
        State(
            q={name: x + random.uniform(-size, size) for name, x in own.q.items()},
            v={name: random.uniform(-2, 2) for name in own.q},
        )
        for _ in range(count)
    ]


def require_closed(system: System, made: Assembly) -> None:
    """By the assembly's own rows and by validation's."""
    assert made.is_closed.all() and made.gaps.max() < 2e-15
    assert find_satisfied(system, made.extended).all()


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("size", [0.1, 0.3, 0.6])
def test_every_start_near_a_regular_position_closes(name: str, size: float) -> None:
    system = SYSTEMS[name]
    made = assemble(system, around(system, size, 5 if name == "40" else 20))
    require_closed(system, made)
    assert made.regular.all() and len(set(made.rank.tolist())) == 1


@pytest.mark.parametrize("file", FIXTURES)
def test_the_nearest_state_is_not_far(file: str) -> None:
    """What a start of ± 0.1 is moved by is of the size of 0.1, rates by no more than they are."""
    system = fixture(file)
    starts = around(system, 0.1, 20)
    for before, after in zip(starts, assemble(system, starts).states, strict=True):
        assert max(abs(after.q[n] - x) for n, x in before.q.items()) < 0.5
        assert max(abs(x) for x in after.v.values()) < 20


@pytest.mark.parametrize("turn", [0.0, 0.5, 1.5, 3.0, -2.0, pi])
def test_a_held_cut_joint_finds_its_own_coordinate(turn: float) -> None:
    """Straight out, the hinge has to turn by as much as its seat: however far that is, the other coordinates stay."""
    system = pinned(turn)
    made = assemble(system, [State(v={"u": 0.0})], held=True)
    assert made.states[0].q == {"u": 0, "v": 0, "w": 0}
    assert made.is_closed.all()
    assert np.exp(1j * (made.extended[0].q["p"] - turn)) == pytest.approx(1)


def test_what_is_held_is_not_moved_and_said_to_be_open() -> None:
    system = pinned(0.4)
    made = assemble(system, [State(q={"u": 0.2})], held=True)
    assert made.states[0].q == {"u": 0.2, "v": 0, "w": 0} and not made.is_closed.any()


def folded(n: int) -> State:
    """All rods of a chain of four-bars in line; where rows depend on each other at rest."""
    q = {f"a{i}": 0.0 for i in range(n + 1)} | {f"b{i}": 0.0 for i in range(n)}
    return State(q=q, v=dict.fromkeys(q, 0.0))


@pytest.mark.parametrize("n", [1, 2, 10])
def test_a_singular_state_that_satisfies_the_constraints_stays(n: int) -> None:
    made = assemble(four_bars(n), [folded(n)])
    assert made.states[0].q == folded(n).q and made.states[0].v == folded(n).v
    assert made.is_closed.all() and made.rows == 2 * n
    assert made.rank[0] == n  # of each loop the row along the line is lost


def test_rates_are_changed_least_and_zero_is_zero() -> None:
    """Of two coordinates that must not differ each gives half; what is held still has no rate at all."""
    base = four_bars(1)
    tied = replace(base, constraints=(Holonomic("tied", symbol("a0") - symbol("b0") - pi),))
    (state,) = assemble(tied, [State(v={"a0": 1.0, "b0": 0.0, "a1": 3.0})]).states
    assert state.v == pytest.approx({"a0": 0.5, "b0": 0.5, "a1": 3.0})
    still = replace(base, constraints=(*tied.constraints, Holonomic("held", symbol("a0") - 1)))
    (state,) = assemble(still, [State(v={"a0": 1.0, "b0": -0.3, "a1": 3.0})]).states
    assert (state.v["a0"], state.v["b0"]) == (0, 0) and state.q["b0"] == pytest.approx(1 - pi)


def test_rates_follow_time_and_rows_of_rates() -> None:
    base = four_bars(1)
    driven = Holonomic("driven", symbol("a0") - sin(TIME))
    rolling = Nonholonomic("rolling", {"a1": 2, "a0": -1}, cos(TIME))
    (state,) = assemble(replace(base, constraints=(driven, rolling)), [State(0.7, v={"b0": 0.25})]).states
    assert state.q["a0"] == pytest.approx(np.sin(0.7)) and state.v["a0"] == pytest.approx(np.cos(0.7))
    assert state.v["a1"] == pytest.approx(0, abs=1e-15) and state.v["b0"] == 0.25


@pytest.mark.parametrize("factor", [1e-9, 1.0, 1e9])
def test_a_factor_of_a_row_changes_nothing(factor: float) -> None:
    base = four_bars(1)
    row = Holonomic("row", (sin(symbol("a0")) - symbol("b0") * symbol("a1")) * factor)
    (state,) = assemble(replace(base, constraints=(row,)), [State(q={"a0": 0.3, "b0": 2, "a1": 1})]).states
    q = state.q
    assert np.sin(q["a0"]) == pytest.approx(q["b0"] * q["a1"], rel=1e-14)


@pytest.mark.parametrize("scale", ["1/1000", "1", "1000"])
def test_the_unit_of_length_changes_nothing(scale: str) -> None:
    """Machines of a millimetre and of a kilometre assemble at the same angles."""
    length = as_number(scale)
    first, other = (
        replace(slider_crank(), constraints=(Rod("rod", Point("crank", (x, 0, 0)), Point("slider", (0, y, 0)), 2 * x),))
        for x, y in ((1, 0.5), (length, 0.5 * length))
    )
    a, b = (
        assemble(system, [State(q={"a": 1.0, "b": 0.0, "s": s})]).states[0]
        for system, s in ((first, 0.3), (other, 0.3 * length))
    )
    assert b.q["a"] == pytest.approx(a.q["a"], rel=1e-9)
    assert b.q["s"] == pytest.approx(length * a.q["s"], rel=1e-9)


def as_number(text: str) -> float:
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


def test_what_cannot_close_is_open() -> None:
    """Bad input: a rod too long to reach, and points that never meet."""
    base = slider_crank()
    far = Rod("far", Point("crank", (1, 0, 0)), Point(None, (0, 0, 0)), 5)
    apart = PointCoincidence("apart", Point("crank", (1, 0, 0)), Point(None, (5, 0, 0)))
    for constraint in (far, apart):
        made = assemble(replace(base, constraints=(constraint,)), [State(), State(q={"a": 2.0})])
        assert not made.is_closed.any() and (made.gaps > 0.1).all()


def test_no_constraints_and_no_states() -> None:
    base = slider_crank()
    made = assemble(replace(base, constraints=()), [State(v={"a": 1.5})])
    assert made.is_closed.all() and made.states[0].v["a"] == 1.5 and made.rows == 0
    assert assemble(base, []).states == ()


def leaning(lean: Expression, kind: str) -> System:
    """A frame that a wheel carries at its front, where ``lean`` is what a roll would lift it by: zero where upright."""
    z, roll, pitch = map(symbol, ("z", "roll", "pitch"))
    row = Holonomic("wheel", z - sin(pitch) / 2 + lean * sin(roll))
    rolling = Nonholonomic("wheel", {"z": ONE, "pitch": -cos(pitch) / 2, "roll": lean})
    joint = (translation("z", "z"), rotation("x", "roll"), rotation("y", "pitch"))
    return System(
        "frame", tuple(map(Coordinate, ("z", "roll", "pitch"))), (Parameter("a", number("0.3")),),
        bodies=(Body("frame", None, joint, Inertia(2.0, (0.1, 0.05, 0.2), (0.3, 0.4, 0.5))),),
        constraints=(row if kind == "position" else rolling,),
    )  # fmt: skip


#: sin a cos a - sin(2 a)/2 is 0, and 2.8e-17 in floats.
UPRIGHT = cos(symbol("a")) * sin(symbol("a")) - sin(2 * symbol("a")) / 2
ROLLS = State(0.0, {"z": 0.0, "roll": 0.0, "pitch": 0.0}, {"z": 0.0, "roll": 0.5, "pitch": 0.0})


@pytest.mark.parametrize("kind", ["position", "rates"])
def test_rates_that_meet_a_row_in_rounding_alone_are_kept(kind: str) -> None:
    """An upright bicycle with a roll rate: nothing of its row is left but rounding, which is no part of itself."""
    upright = leaning(UPRIGHT, kind)
    found = place_state(upright, ROLLS)
    assert (found.state.v, found.rates_released) == (ROLLS.v, ())
    assert find_satisfied(upright, found.assembly.extended).tolist() == [True]


@pytest.mark.parametrize("kind", ["position", "rates"])
@pytest.mark.parametrize("lean", [-1e-9, 1e-9, 1e-3])
def test_rates_that_miss_a_row_by_little_are_not_kept(kind: str, lean: float) -> None:
    """What is more than rounding of what the row is made of is a gap, as before."""
    off = leaning(UPRIGHT + number(f"{lean:.9f}"), kind)
    assert place_state(off, ROLLS).rates_released == ("pitch", "roll", "z")
    assert find_satisfied(off, [ROLLS]).tolist() == [False]


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-11, 1e-9, 1e-7])
@pytest.mark.parametrize("name", ["bennett", "bricard"])
def test_rates_change_in_proportion_to_what_a_state_is_off(name: str, size: float) -> None:
    """Rates of auxiliary coordinates, which nobody gives, follow before any given rate changes."""
    system = read(folder() / "overconstrained" / f"{name}.mbs.json").system
    states = sample(system, draw(system, 5, 3).states, 3).states
    random = Random(5)

    def rounded(given: Mapping[str, float]) -> dict[str, float]:
        return {k: x + size * random.uniform(-1, 1) for k, x in given.items()}

    printed = [replace(s, q=rounded(s.q), v=rounded(s.v)) for s in states]
    moved = assemble(system, printed)
    assert moved.is_closed.all()
    for before, after in zip(printed, moved.states, strict=True):
        for part in "qv":
            fast = 1 + max(map(abs, before.v.values()))
            for k, x in getattr(before, part).items():
                assert abs(getattr(after, part)[k] - x) < 1e3 * fast * size


@pytest.mark.slow
@pytest.mark.parametrize("row", ["h", "h - 0.1", "3*h - 0.2", "h - 0.1*t"])
def test_a_row_of_one_coordinate_is_closed_in_rates(row: str) -> None:
    system = machine_with(row)
    random = Random(1)
    for _ in range(20):
        given = {name: random.uniform(-1, 1) * 10.0 ** random.randint(-3, 3) for name in "hx"}
        found = place_state(system, State(0.5, given, given), (), ())
        assert found.assembly.is_closed[0] and found.state.v["x"] == given["x"]


def test_a_run_from_a_start_that_is_moved_onto_such_a_row_is_accused_of_nothing() -> None:
    """The rate that is left of ``h`` is rounding of the others: 4e-32 was half of what its row was made of."""
    made = Mechanism("m").body("p", mass=2).slides("h", along="x").body("bob", on="p", mass=1, com=(0.5, 0, 0))
    made = made.turns("q", about="z")
    ran = simulate(made.holds("c", "h - 0.1").build(), 0.1, q=[0.3, 0.2], v=[0.4, 1.0])
    gaps = [c for c in ran.witnesses if c.quantity == GAPS]
    assert {c.verdict for c in gaps} == {"agrees"}


def machine_with(row: str) -> System:
    made = Mechanism("m").body("p", mass=1).slides("h", along="z").slides("x", along="x")
    return made.holds("c", row).build()
