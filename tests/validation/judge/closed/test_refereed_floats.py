"""Motions with constraints in floats against 50 digits: rigid and elastic ones, in units of their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mpmath import mpf

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.state import State
from mbconcord.reports.html import rounding
from mbconcord.validation.check import check
from mbconcord.validation.judge import referee
from mbconcord.validation.judge.closed.closed_states import closed_states
from mbconcord.validation.judge.closed.motion import SolvedMotion, closed_inputs, motion_of
from mbconcord.validation.judge.evidence import SOLUTION, Comparison
from mbconcord.validation.judge.floats import against_digits
from mbconcord.validation.judge.referee import solution_evaluation, widen_bounds
from mbconcord.validation.judge.solutions import Bounded

ELASTIC, RIGID = "elastic/slider_crank.mbs.json", "mbsd/four_bar.mbsd"
SOLVED = ("constrained acceleration", "reactions")


def found(file: str, name: str = "lagrange", **changed: Any) -> Iterator[Comparison]:
    """What is said of a formalism's motion; ``changed``: a factor of a quantity in floats."""
    closed = closed_states(read(folder() / file).system, 1, 0)
    assert closed.assembly is not None
    motion = motion_of(formalism(name), closed.system, closed.states, closed_inputs(closed.system, closed.assembly))
    yield from solution_evaluation(closed.system, [_times(motion, changed)], closed.states[0])


def _times(motion: SolvedMotion, factors: dict[str, float]) -> SolvedMotion:
    assert motion.bounds is not None
    wrong = {
        name: replace(part, values=part.values * factor)
        for name, factor in factors.items()
        for part in [getattr(motion.bounds, name)]
    }
    return replace(motion, bounds=replace(motion.bounds, **wrong))


@pytest.mark.parametrize("file", [ELASTIC, RIGID])
@pytest.mark.parametrize("name", ["lagrange", "virtual_work"])
def test_solutions_are_within_their_bounds(file: str, name: str) -> None:
    (c,) = found(file, name)
    said = dict(c.rounding)
    assert (c.verdict, c.quantity, c.a) == ("agrees", SOLUTION, name)
    assert tuple(said) == SOLVED and all(0 < x < 1 for x in said.values())


@pytest.mark.parametrize("file", [ELASTIC, RIGID])
@pytest.mark.parametrize("quantity", ["acceleration", "reactions"])
def test_a_solution_that_is_off_is_noticed(file: str, quantity: str) -> None:
    (c,) = found(file, **{quantity: 1 + 1e-9})
    assert c.verdict == "disagrees" and dict(c.rounding)[SOLVED[quantity == "reactions"]] > 1


def test_the_report_has_them_of_an_elastic_mechanism() -> None:
    evidence = check(read(folder() / ELASTIC).system, states=1, claims=["float_evaluation"], exact="off")
    table = rounding(evidence.comparisons)
    assert evidence.verdict == "agrees" and table is not None
    columns = [table.quantities.index(q) for q in SOLVED]
    given = {who for who, values in table.rows if all(values[i] is not None for i in columns)}
    assert given == {"lagrange", "virtual_work"}


def test_what_is_too_large_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "MOST_STEPS", 0)
    evidence = check(read(folder() / RIGID).system, states=1, claims=["float_evaluation"], exact="off")
    notes = [d for d in evidence.diagnostics if SOLUTION in d.message]
    assert evidence.verdict == "agrees" and len(notes) == 1 and "not tried (size)" in notes[0].message


@pytest.mark.parametrize(("off", "verdict"), [("1e-53", "agrees"), ("1e-26", "disagrees")])
def test_digits_of_a_solution_round_too(off: str, verdict: str) -> None:
    """Along a coordinate that constraints lock a float is sure to 1e-60; what 50 digits solve is not."""
    digits = [mpf(off), mpf(3)]
    floats = widen_bounds(Bounded(np.array([0.0, 3.0]), np.array([1e-60, 1e-15])), digits)
    found = against_digits("lagrange", {"x": digits}, [("x", (("a", "b"),), floats)], State())
    assert found.verdict == verdict
