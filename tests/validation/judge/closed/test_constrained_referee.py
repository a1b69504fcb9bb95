"""The referee of motions with constraints: 50 digits, states on the constraints, certain ranks, the odd one out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from laboratory.faults.models import ClosedStates, closed_tree, cut_fixture
from laboratory.faults.score import constraint_faults
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Holonomic, State, System
from mbconcord.testing import inject
from mbconcord.validation.judge.agreement import judge_motions
from mbconcord.validation.judge.bounds import BoundedEquations
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.referee import (
    Exact,
    OffTheConstraintsError,
    exactly,
    independent,
    judge_motion,
    on_constraints,
)
from mbconcord.validation.judge.trial import constrained_trial

from ....reference.konoplev import CLOSURES, fourbar
from ....reference.test_overconstrained import LINKAGES, expected, linkage

SOLVERS = ("lagrange", "newton_euler", "konoplev")
CUTS = ("slider_crank", "quick_return", "universal_joint")


def overconstrained(name: str) -> tuple[System, State]:
    return linkage(name), expected(linkage(name), LINKAGES[name][0], 1.3, 2)[0]


MODELS: dict[str, Callable[[], tuple[System, State]]] = {
    **{name: lambda name=name: (cut_fixture(name).system, cut_fixture(name).states[0]) for name in CUTS},  # type: ignore
    **{name: lambda name=name: overconstrained(name) for name in LINKAGES},  # type: ignore
    "tree": lambda: (closed_tree(0).system, closed_tree(0).states[0]),
}  # fmt: skip
RANKS = {"slider_crank": 2, "quick_return": 1, "universal_joint": 1, "bennett": 2, "bricard": 4, "tree": 2}


def solved(system: System, state: State) -> dict[str, Exact]:
    values = on_constraints(system, state)
    able = [f for f in map(formalism, SOLVERS) if not f.constraint_obstacles(system)]
    made = {f.name: f.derive_closed(system) for f in able}
    return {name: exactly(BoundedEquations(d), values) for name, d in made.items() if d}


@pytest.mark.parametrize("name", MODELS)
def test_witnesses_are_the_same_in_fifty_digits(name: str) -> None:
    """Rows of different kinds, cut joints with and without their coordinates, overconstrained: to 1e-35."""
    first, *others = solved(*MODELS[name]()).values()
    assert others and first.rank == RANKS[name]
    for other in others:
        assert other.rank == first.rank
        for x, y in ((first.acceleration, other.acceleration), (first.reactions, other.reactions)):
            size = 1 + max(map(abs, x))
            assert max(abs(a - b) for a, b in zip(x, y, strict=True)) < 1e-35 * size


def compared(closed: ClosedStates, faulty: str) -> list[Comparison]:
    with inject(next(f for f in constraint_faults("newton_euler") if f.title == faulty)) as wrong:
        asked = [formalism("lagrange"), wrong, formalism("konoplev")]
        assert closed.assembly is not None
        return judge_motions(constrained_trial(closed.system, closed.assembly, asked))


@pytest.mark.slow
def test_the_odd_one_out_is_named() -> None:
    found = compared(closed_states(linkage("bennett"), 1, 0), "centripetal acceleration of an end")
    said = {c.quantity: c.explanation for c in found if c.verdict == "disagrees" and "own" not in c.quantity}
    assert {*said} == {"constrained acceleration", "reactions"}
    for text in said.values():
        assert "differ in 50 digits" in text and "konoplev stand against newton_euler" in text


def test_rows_that_contradict_each_other_are_left_undecided() -> None:
    """A row again, off by 1e-16: in floats they are one."""
    rows = CLOSURES["rows"]
    again = Holonomic("again", rows[1].expression + 1e-16)
    state = State()
    with pytest.raises(OffTheConstraintsError, match=r"e-1[67]"):
        on_constraints(fourbar(*rows, again), state)
    question = Comparison("a", "b", "rank", "disagrees", state=state)
    assert judge_motion(fourbar(*rows, again), {}, question, "rank").verdict == "undecided"
    twice = replace(again, expression=2 * rows[1].expression)
    assert {x.rank for x in solved(fourbar(*rows, twice), state).values()} == {2}


def test_rows_are_independent_or_not() -> None:
    assert independent([[1, 0], [2, 1e-30], [0, 0], [0, 3]]) == [0, 3]
    assert independent([[1, 0], [2, 1e-20]]) == [0, 1]
    assert independent([]) == []
