"""States with printed digits: off the constraints by their rounding, where rows that depend on each other do not.

Bennett's and Bricard's linkages, and a parallelogram with three cranks, move although rows count them fixed. What every
verb answers at a state that is off the constraints by δ differs from its answer on them by as much as δ, not by itself;
how far the state is off is said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from math import pi
from pathlib import Path
from random import Random

import numpy as np
import pytest

import mbconcord
from laboratory.machines import rod
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Holonomic,
    Motion,
    Point,
    PointCoincidence,
    State,
    System,
    rotation,
    shift,
)
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import as_expression, symbol
from mbconcord.simulation.continuation import find_nearest, sample
from mbconcord.validation.check import check
from mbconcord.validation.judge.states import draw

from ..cli.commands import Run, runner

SOLVERS = ("lagrange", "newton_euler", "virtual_work", "konoplev")
SIZES = (1e-11, 1e-9, 1e-7)
#: What answers may change by, as a part of themselves, by what the state is off.
SLOPE = 1e3


def three_cranks() -> System:
    """A bar on three cranks of 1 m, 1 m apart, which two can carry: the third says what they say."""
    crank = {"first": 0, "second": 1, "third": 2}
    bodies = [Body(name, None, (*shift((x, 0, 0)), rotation("z", name)), rod()) for name, x in crank.items()]
    bodies.append(Body("bar", "first", (*shift((1, 0, 0)), rotation("z", "bar")), rod()))
    loops = [
        PointCoincidence(f"hinge {name}", Point("bar", (x, 0, 0)), Point(name, (1, 0, 0)))
        for name, x in crank.items() if x
    ]  # fmt: skip
    names = (*crank, "bar")
    return System(
        "three cranks", tuple(map(Coordinate, names)), gravity=Gravity(as_expression(9.81), (0, -1, 0)),
        bodies=tuple(bodies), constraints=tuple(loops),
    )  # fmt: skip


def turned(angle: float, speed: float) -> State:
    signs = {"first": 1, "second": 1, "third": 1, "bar": -1}
    return State(0.0, *({name: sign * x for name, sign in signs.items()} for x in (angle, speed)))


@cache
def linkage(name: str) -> System:
    return read(folder() / "overconstrained" / f"{name}.mbs.json").system if "three" not in name else three_cranks()


@cache
def assembled(name: str) -> tuple[State, ...]:
    """Six states on the constraints, away from singular positions."""
    if name == "three cranks":
        return tuple(turned(angle, 1.5) for angle in (0.4, 0.8, 1.3, 1.9, 2.3, -1.1))
    system = linkage(name)
    return tuple(sample(system, draw(system, 6, 3).states, 3).states)


def printed(states: tuple[State, ...], size: float) -> tuple[State, ...]:
    """The states off by up to so much, in positions and rates."""
    random = Random(7)

    def off(given: Mapping[str, float]) -> dict[str, float]:
        return {name: x + size * random.uniform(-1, 1) for name, x in given.items()}

    return tuple(replace(s, q=off(s.q), v=off(s.v)) for s in states)


def change(a: Array, b: Array) -> float:
    """Largest change as a part of the largest."""
    return float((np.abs(a - b).max(axis=-1) / np.abs(b).max(axis=-1)).max())


#: Telegin's formalism refuses loops that are open by more than 1e-8 of their reach.
CASES = [
    *((name, by, size) for name in ("bennett", "bricard", "three cranks") for by in SOLVERS for size in SIZES),
    ("three cranks", "telegin", 1e-11), ("three cranks", "telegin", 1e-9),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "by", "size"), CASES)
def test_accelerations_change_in_proportion(name: str, by: str, size: float) -> None:
    system, states = linkage(name), assembled(name)
    given = printed(states, size)
    solver = formalism(by)
    exact = solver.constrained_motion(system, states)
    found = mbconcord.evaluate(system, q=list(given), formalism=by)
    assert exact is not None
    assert change(found["acceleration"], exact.acceleration) < SLOPE * size
    assert change(found["reactions"], exact.reactions) < SLOPE * size
    (told,) = (d for d in found.diagnostics if "off the constraints" in d.message)
    assert "of 6 states are off the constraints, at most " in told.message
    assert [d for d in found.diagnostics if "contradict" in d.remedy] == []


@pytest.mark.parametrize("name", ["bennett", "bricard", "three cranks"])
def test_a_state_on_the_constraints_is_told_of_nothing(name: str) -> None:
    found = mbconcord.evaluate(linkage(name), q=list(assembled(name)), formalism="lagrange")
    assert [d for d in found.diagnostics if "off" in d.message.split()] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rank"), [("bennett", 2), ("bricard", 4), ("three cranks", 3)])
def test_the_rank_is_the_mechanisms(name: str, rank: int) -> None:
    """Of printed states, and with drives, of which the first is free and the second is not."""
    system, given = linkage(name), printed(assembled(name), 1e-7)
    assert find_nearest(system, given).ranks.tolist() == [[rank, rank]] * 6
    first, second, *others = system.coordinates
    for count in (1, 2):
        drives = [replace(c, drive=Motion(2)) if i < count else c for i, c in enumerate((first, second))]
        driven = replace(system, coordinates=(*drives, *others))
        assert find_nearest(driven, given).ranks.tolist() == [[rank, rank + 1]] * 6
        for by in SOLVERS:
            numbers = mbconcord.evaluate(driven, q=list(given), formalism=by)
            fixed = [d for d in numbers.diagnostics if "fix already" in d.message]
            assert len(fixed) == count - 1, (by, count)


@pytest.mark.parametrize("by", SOLVERS)
def test_a_singular_position_stays_one(by: str) -> None:
    """In line two rows are one; the rank is that of the position, not that of the positions around it."""
    system = three_cranks()
    flat, near = turned(0.0, 0.0), turned(1e-3, 0.0)
    ranks = find_nearest(system, [flat, near]).ranks
    assert ranks[0, 0] > 2 and ranks[1].tolist() == [3, 3]
    solver = formalism(by)
    found = mbconcord.evaluate(system, q=[flat, near], formalism=by)
    alone = solver.constrained_motion(system, [flat, near])
    assert alone is not None and alone.rank[0] < alone.rank[1] == 3
    np.testing.assert_array_equal(found["acceleration"], alone.acceleration)
    np.testing.assert_array_equal(found["lambda"], alone.multipliers)


def test_a_state_far_from_every_other_is_told() -> None:
    """A rod of 1 m whose ends are held 3 m apart."""
    bodies = (Body("a", None, (rotation("z", "q"), *shift((1, 0, 0))), rod()),)
    hinge = PointCoincidence("hinge", Point("a"), Point(None, (3, 0, 0)))
    system = System("apart", (Coordinate("q"),), bodies=bodies, constraints=(hinge,))
    found = mbconcord.evaluate(system, q=[0.3], formalism="lagrange")
    (told,) = (d for d in found.diagnostics if "no state near it satisfies the constraints" in d.message)
    assert told.severity == "error" and told.place == "constraints/hinge" and "off it by 2 m: " in told.message


Answer = Callable[[System, State], Array]


def _simulated(system: System, state: State) -> Array:
    run = mbconcord.simulate(system, state.t + 0.05, q=state, formalism="lagrange")
    return np.array([[*row.q, *row.v, *row.a] for row in (run.found[0], run.found[-1])])


def _linearised(system: System, state: State) -> Array:
    found = mbconcord.linearize(system, q=state, formalism="lagrange", witness=False)
    return np.concatenate([np.ravel(found.M), np.ravel(found.K)])


def _resting(system: System, state: State) -> Array:
    found = mbconcord.equilibrium(system, q=state, formalism="lagrange", witness=False)
    return np.array(list(found.state.q.values()))


def _checked(system: System, state: State) -> Array:
    evidence = check(system, given=[state], formalisms=SOLVERS, claims=[], exact="off")
    assert evidence.verdict == "agrees"
    (moved,) = evidence.states
    return np.array([*moved.q.values(), *moved.v.values()])


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["bennett", "bricard"])
@pytest.mark.parametrize("verb", [_simulated, _linearised, _resting, _checked])
def test_other_verbs_begin_on_the_constraints(verb: Answer, name: str, size: float) -> None:
    system, state = linkage(name), assembled(name)[0]
    (given,) = printed((state,), size)
    assert change(np.ravel(verb(system, given)), np.ravel(verb(system, state))) < SLOPE * max(size, 1e-9)


def test_check_tells_how_far_a_state_is_off() -> None:
    (given,) = printed(assembled("bennett")[:1], 1e-9)
    evidence = check(linkage("bennett"), given=[given], formalisms=SOLVERS[:2], claims=[], exact="off")
    (told,) = (d for d in evidence.diagnostics if "given state" in d.message)
    assert told.severity == "warning" and "pivot is off by " in told.message and " rad/s: the nearest" in told.message


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "code", "severity"), [(0.0, 0, ""), (1e-11, 0, "warning"), (1e-7, 2, "error")])
def test_the_command_line_says_it_beside_the_numbers(run: Run, size: float, code: int, severity: str) -> None:
    (state,) = printed(assembled("bricard")[:1], size)
    Path("state.json").write_text(json.dumps({"q": dict(state.q), "v": dict(state.v)}), encoding="utf-8")
    file = str(folder() / "overconstrained/bricard.mbs.json")
    asked = ("evaluate", file, "--formalism", "konoplev", "--state", "state.json", "--quantity", "acceleration,lambda")
    done = run(*asked, "--json")
    about = done.json["constraints"]
    assert done.code == code and about["rank"] == 4
    assert about["gap"] <= max(1e-12, 10 * size) and about["change"] <= SLOPE * size
    assert (about["change"] > 0) == (size > 0) and about["distance"] <= max(1e-12, 10 * size)
    assert (f"{severity}: constraints/pivot: the state is off it by " in done.err) == bool(severity)


def test_the_distance_is_in_the_units_of_the_rows() -> None:
    system = three_cranks()
    state = turned(pi / 3, 1.0)
    off = replace(state, q={**state.q, "third": pi / 3 + 1e-6})
    name, gap = find_nearest(system, [off]).say_gap(0)
    assert (name, gap.split(" and ")) == ("hinge third", ["by 8.7e-07 m", "in its rates by 8.7e-07 m/s"])


def test_the_distance_from_a_row_of_no_known_unit_is_a_number() -> None:
    slide = mbconcord.read(text="u(x) $1", format="mbsd").system
    held = replace(slide, constraints=(Holonomic("row", symbol("x") - 1),))
    assert find_nearest(held, [State(q={"x": 1.5})]).say_gap(0) == ("row", "by 0.5")


def test_rates_alone_may_be_off(run: Run) -> None:
    file = str(folder() / "overconstrained/bennett.mbs.json")
    Path("state.json").write_text('{"v": {"q1": 2.5}}', encoding="utf-8")
    done = run("evaluate", file, "--formalism", "lagrange", "--state", "state.json")
    assert done.code == 2 and "the state is off it in its rates by 0." in done.err
    assert "\nthe state is off them by 0." in done.out
    part = ("--formalism", "lagrange", "--state", "state.json", "--quantity")
    assert "\nthe state is off the constraints by 0." in run("evaluate", file, *part, "acceleration").out
    assert "off the constraints" not in run("evaluate", file, *part, "M").out  # of the open tree, at any state


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["acceleration", "constraints", "D", "lambda", "reactions"])
def test_each_quantity_of_the_motion_says_that_the_state_is_off_in_text_and_json(run: Run, asked: str) -> None:
    file = str(folder() / "native/slider_crank.mbs.json")
    Path("state.json").write_text('{"q": {"crank": 0.3}}', encoding="utf-8")
    words = ("evaluate", file, "--formalism", "lagrange", "--state", "state.json", "--quantity", asked)
    text, made = run(*words), run(*words, "--json")
    assert text.code == made.code == 2 and "the state is off it by " in text.err + made.err
    assert re.search(r"\nthe state is off (the constraints|them) by 0\.", text.out)
    assert made.json["constraints"]["gap"] > 0.01 and made.json["constraints"]["change"] > 0.01
