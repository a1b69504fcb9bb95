"""Sections of elastic bodies turned farther than the series of their turns hold: nobody gives numbers there."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.lagrange import elastic as halves
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.formalisms.virtual_work.kinematics import TERMS
from mbconcord.model.constraint import Holonomic
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.elastic.rigid import REACH, turns
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.check import check
from mbconcord.validation.judge.sections import SQUARINGS, _exponentials
from mbconcord.validation.judge.sections import TERMS as SECTIONS_TERMS
from mbconcord.validation.judge.states import draw

ARM = read(folder() / "elastic" / "soft_arm.mbs.json").system
TIP = "bodies/boom/modes/nodes/tip"
#: Two modes bend the boom in two planes, one twists it.
BENT = State(q={"turn": 0.3, "lift": -0.8, "a1": 1.0, "a2": 0.7, "a3": 0.5, "swing": 0.4, "nod": 1.1, "b1": 0.02})


def bent(turned: float) -> State:
    """The boom's tip turned by so many radians."""
    there = float(turns(ARM, Instance(ARM, [BENT]).values)[TIP][0])
    scale = turned / there
    q = {name: x * scale if name in ("a1", "a2", "a3") else x for name, x in BENT.q.items()}
    return replace(BENT, q=q, v=dict.fromkeys(ARM.coordinate_names, 0.5))


def slender(system: System, times: int) -> System:
    """With so many times larger slopes of the modes."""
    bodies = []
    for body in system.bodies:
        if body.modes is not None:
            nodes = (
                replace(n, rotation=tuple(tuple(x * times for x in row) for row in n.rotation))
                for n in body.modes.nodes
            )
            body = replace(body, modes=replace(body.modes, nodes=tuple(nodes)))
        bodies.append(body)
    return replace(system, bodies=tuple(bodies))


def dragged() -> System:
    """A coordinate of a mode follows that of a joint."""
    follows = Holonomic("follows", parse_formula("a1 - turn"))
    return replace(ARM, constraints=(follows,))


@pytest.mark.slow
@pytest.mark.parametrize("turned", [0.5, 3.0, 0.999 * REACH])
def test_within_reach_all_derivations_agree(turned: float) -> None:
    takers = [name for name in BUILT_IN if not formalism(name).obstacles(ARM)]
    assert len(takers) >= 3
    found = [mb.evaluate(ARM, bent(turned), formalism=name) for name in takers]
    for quantity in ("M", "h", "gravity"):
        size = np.abs(found[0][quantity]).max()
        for other in found[1:]:
            assert np.abs(other[quantity] - found[0][quantity]).max() <= 1e-12 * size


@pytest.mark.parametrize("turned", [3.9, 4.1, 12.3, -31.0, 400.0])
def test_about_one_axis_turns_have_no_limit(turned: float) -> None:
    """Nobody needs a series there, and the direct witness squares the turn of a part."""
    system = read(folder() / "elastic" / "planar_arm.mbs.json").system
    at = [State(q={"q1": 0.3, "q2": -0.8, "e1": turned / 4, "e2": 0.0}, v={"q2": 1.0, "e1": 0.7, "e2": -0.4})]
    at += [replace(at[0], q={**at[0].q, "e1": 0.1})]
    evidence = check(system, given=at, claims=("fields", "kinetic_energy"), exact="off")
    fields = {c.quantity for c in evidence.comparisons if c.claim == "fields" and c.verdict == "agrees"}
    assert evidence.verdict == "agrees" and {"M", "h", "gravity", "inverse_dynamics"} <= fields


def test_what_series_leave_out_within_reach_is_below_rounding() -> None:
    """The first terms left out by what each writes: series of half the angle, of the angle, of parts of it."""
    half, whole = REACH / 2, REACH
    assert half ** (2 * halves.TERMS + 2) / math.factorial(2 * halves.TERMS + 2) < 1e-16
    assert whole ** (2 * TERMS) / math.factorial(2 * TERMS + 1) < 1e-16
    assert (REACH / 2**SQUARINGS) ** (SECTIONS_TERMS + 1) / math.factorial(SECTIONS_TERMS + 1) < 1e-16


@pytest.mark.parametrize("name", [n for n in BUILT_IN if not formalism(n).obstacles(ARM)])
def test_beyond_it_is_refused_with_place_reason_and_remedy(name: str) -> None:
    with pytest.raises(NumbersError) as caught:
        mb.evaluate(ARM, bent(1.01 * REACH), formalism=name)
    (finding,) = caught.value.diagnostics
    assert finding.place == TIP
    assert "turned by 5.05 rad" in finding.message and "smaller modal coordinates" in (finding.remedy or "")
    with pytest.raises(NumbersError, match=r"turned by 5\.05 rad"):
        check(ARM, given=[bent(1.01 * REACH)])


def test_states_are_drawn_within_reach() -> None:
    states = draw(slender(ARM, 1000), 20, 3).states
    found = turns(slender(ARM, 1000), Instance(ARM, states).values)
    assert max(float(x.max()) for x in found.values()) <= REACH
    assert max(float(x.max()) for x in found.values()) > REACH / 4, "they are not all made straight"
    assert draw(ARM, 20, 3).states != states


@pytest.mark.slow
def test_assembled_states_beyond_it_are_left_out() -> None:
    evidence = check(dragged(), states=4)
    assert evidence.verdict == "agrees"
    (told,) = [d for d in evidence.diagnostics if "left out" in d.message and "section" in d.message]
    assert "turned by more than 5 rad" in told.message


@pytest.mark.slow
def test_a_motion_that_leaves_it_ends_there() -> None:
    pytest.importorskip("scipy", reason="simulation needs scipy")
    fast = mb.simulate(ARM, until=0.01, q={"a1": 2.0}, v={"a1": 500.0})
    assert fast.stopped is not None and fast.stopped.place == TIP and fast.stopped.severity == "error"
    assert "stopped at t = 0.00" in fast.stopped.message and fast.reached < 0.01
    values = Instance(ARM, [State(q=dict(zip(ARM.coordinate_names, q, strict=True))) for q in fast.q.tolist()]).values
    assert 2 < max(float(x.max()) for x in turns(ARM, values).values()) <= REACH
    with pytest.raises(NumbersError, match=r"turned by 5\.05 rad"):
        mb.simulate(ARM, until=0.01, state=bent(1.01 * REACH))
    calm = mb.simulate(ARM, until=0.01)
    assert not [d for d in calm.diagnostics if "section" in d.message]


@pytest.mark.slow
def test_a_table_of_a_motion_that_leaves_it_is_refused() -> None:
    pandas = pytest.importorskip("pandas", reason="tables need pandas")
    t = np.linspace(0, 1, 4)
    table = pandas.DataFrame({"t": t, **{name: 3 * t**2 * (name == "a2") for name in ARM.coordinate_names}})
    with pytest.raises(NumbersError, match=r"the section is turned by 6\.67 rad"):
        mb.simulate(ARM, motion=table)


def test_a_large_turn_takes_no_digits_from_other_states() -> None:
    """Each is squared as often as it needs."""
    turn = np.array([[0, -0.1, 0.2], [0.1, 0, -0.3], [-0.2, 0.3, 0]])
    rates = np.stack([turn.T / 3] * 2)
    alone = _exponentials(np.stack([turn]), rates[:1])
    beside = _exponentials(np.stack([turn, 1e7 * turn]), rates)
    assert all(np.array_equal(x[0], y[0]) for x, y in zip(alone, beside, strict=True))
