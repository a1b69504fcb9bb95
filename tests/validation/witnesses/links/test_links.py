"""Checks link by link: agreement, bounds that hold, seeded faults, and what is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import mbconcord as mb
from laboratory.bench.newton_euler import chain
from laboratory.faults.score import read_faults
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.kernels.links.loop import Layout
from mbconcord.model import Body, Function, Inertia, System, rotation
from mbconcord.model.diagnostics import FormalismError, MbconcordError, NumbersError
from mbconcord.model.expressions import TIME, as_expression, call, evaluate, mpmath_arithmetic
from mbconcord.model.functions import define
from mbconcord.model.numbers import environment
from mbconcord.testing import Fault, inject
from mbconcord.validation.check import check
from mbconcord.validation.judge import trial
from mbconcord.validation.judge.states import DrawnModel
from mbconcord.validation.judge.witness import Labelled, Question
from mbconcord.validation.witnesses.links.link_by_link import WHOLE, answer_of, check_links, comparisons

from ....kernels.links import FORMALISMS, at_random, looped, random_tree

#: Faults of what a recursion calls.
STEPS = ("outward", "inward", "links", "spatial", "augmented")
#: Of these what no step does: weight as a force, mass matrices, composite bodies, loads; numbers are taken from trees.
OTHERS = ("motions", "weight", "gravity", "composite", "(17)", "(18)", "mass matrix", "loads", "regroup", "applied")
#: Of the tree at which faults are seeded.
SEED = 1
SEEDED = [
    fault
    for fault in (*read_faults("newton_euler"), *read_faults("telegin"))
    if fault.module.rpartition(".")[2] in STEPS and not any(word in fault.title for word in OTHERS)
]


@pytest.mark.slow
def test_formalisms_agree_at_random_trees() -> None:
    for seed in range(2):
        drawn = random_tree(seed, 4)
        evidence = check_links(drawn.system, "-", [formalism(name) for name in FORMALISMS], 2, seed)
        assert evidence.verdict == "agrees" and evidence.headline == "agrees, link by link"
        assert {c.quantity for c in evidence.comparisons} == {"inverse_dynamics", "M q''", "h", "gravity"}


@pytest.mark.slow
def test_large_models_are_checked_link_by_link_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "CHECKED_COORDINATES", 30)
    system = chain(31)
    evidence = check(system, states=1)
    assert evidence.by_links and evidence.verdict == "agrees"
    assert [w.name for w in evidence.witnesses] == [*FORMALISMS]
    assert evidence.to_json()["link_by_link"] is True
    assert any("M itself, applied and acceleration were not" in str(d) for d in evidence.diagnostics)
    noticed = [c.noticeable for c in evidence.comparisons]
    assert all(x is not None and x < 1e-10 for x in noticed)
    assert not check(chain(2), states=1).by_links


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMALISMS)
@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold(seed: int, name: str) -> None:
    """Numbers of 60 digits, of the equations derived, are within the bounds, and these are not wide."""
    drawn = random_tree(seed, 5, 2)
    system = drawn.system
    layout = Layout(formalism(name).recursion(system), system.functions)
    found = answer_of(name, layout, system, drawn.states).beside[WHOLE]
    digits = mpmath_arithmetic(60)
    outputs = define(formalism("newton_euler").inverse_dynamics(system), system.functions)
    for state, values, bounds, scales in zip(
        environment(system, drawn.states, digits), found.values, found.bounds, found.scale,
        strict=True,
    ):  # fmt: skip
        exact = evaluate(outputs, state, digits)
        off = np.array([abs(float(x - y)) for x, y in zip(exact, values.tolist(), strict=True)])
        assert (off <= bounds).all()
        assert (bounds < 1e-11 * np.maximum(scales, np.abs(values))).all()


def test_a_wrong_sign_of_one_body_is_found_and_named() -> None:
    system = chain(100)
    wrong = list(system.bodies)
    body = wrong[67]
    six = list(body.inertia.tensor)
    six[4] = -six[4]
    wrong[67] = replace(body, inertia=replace(body.inertia, tensor=tuple(six)))
    states = (at_random(system),)
    honest, other = (
        answer_of(name, Layout(formalism(name).recursion(each)), each, states)
        for name, each in (("newton_euler", system), ("telegin", replace(system, bodies=tuple(wrong))))
    )
    answers = {"newton_euler": honest, "telegin": other}
    found = {c.quantity: c for c in comparisons(Question(system, states), answers)}
    assert found[WHOLE].verdict == "disagrees" and found["gravity"].verdict == "agrees"
    assert "(body b67)" in found[WHOLE].explanation


@cache
def honest() -> tuple[DrawnModel, Labelled]:
    """A tree of all kinds of joints at a state, and what Newton and Euler make of it."""
    drawn = random_tree(SEED, 16, 1)
    layout = Layout(formalism("newton_euler").recursion(drawn.system), drawn.system.functions)
    return drawn, answer_of("", layout, drawn.system, drawn.states).beside[WHOLE]


@pytest.mark.slow
@pytest.mark.parametrize("fault", SEEDED, ids=lambda fault: f"{fault.formalism}: {fault.title}")
def test_changed_steps_are_found(fault: Fault) -> None:
    """Farther from the other formalism than both bounds allow, which are alike."""
    drawn, other = honest()
    with inject(fault) as faulty:
        gap = np.abs(looped(drawn, "", "numpy", by=faulty) - other.values)
    assert (gap > 4 * other.bounds).any()


def test_no_fault_is_found_where_there_is_none() -> None:
    drawn, other = honest()
    for name in FORMALISMS:
        assert (np.abs(looped(drawn, name, "numpy") - other.values) <= 2 * other.bounds).all()


def test_a_changed_step_makes_the_check_disagree() -> None:
    drawn = random_tree(5, 4, 1)
    with inject(SEEDED[1]) as faulty:
        evidence = check_links(drawn.system, "-", [formalism("telegin"), faulty], 1, 5)
    assert evidence.verdict == "disagrees"


#: Model -> what is said of it.
REFUSED = {
    "mbsd/four_bar.mbsd": "inextensible rods|coinciding",
    "mbsd/springs.mbsd": "forces along the line between two points",
    "elastic/planar_arm.mbs.json": "elastic bodies",
}


@pytest.mark.parametrize("file", REFUSED)
@pytest.mark.parametrize("ask", ["check", "compile"])
def test_what_acts_between_bodies_is_refused_by_name(file: str, ask: str) -> None:
    model = folder() / file
    with pytest.raises(FormalismError, match=REFUSED[file]) as refused:
        if ask == "check":
            check(mb.read(model).system, per_link=True, states=1)
        else:
            mb.compile(model, "inverse_dynamics", per_link=True)
    assert "link by link does not take" in str(refused.value)


#: What is asked -> the error, and what is said.
ASKED: dict[str, tuple[Callable[[], object], type[MbconcordError], str]] = {
    "motions": (lambda: check(chain(2), per_link=True, simulate=1.0), MbconcordError, "recursions alone"),
    "a claim": (
        lambda: check(chain(2), per_link=True, claims=["second_reading"]), MbconcordError, "claims: error",
    ),
    "every claim of a large model": (
        lambda: check(chain(1001), claims=["all"]), MbconcordError, "claims: error",
    ),
    "no state": (lambda: check(chain(2), per_link=True, states=0), NumbersError, "states: error"),
    "too many states": (lambda: check(chain(200), per_link=True, states=9000), NumbersError, "at most 5,000"),
    "a formalism without steps": (
        lambda: check(chain(2), formalisms=["lagrange"], per_link=True), FormalismError, "no steps of links",
    ),
    "another quantity": (
        lambda: mb.compile(chain(2), ("M", "inverse_dynamics"), per_link=True), NumbersError, "quantities/M",
    ),
    "fixed parameters": (
        lambda: mb.compile(chain(2), "inverse_dynamics", parameters="fixed", per_link=True), NumbersError,
        "parameters='free'",
    ),
    "a function without formula": (
        lambda: mb.compile(undefined(), "inverse_dynamics", per_link=True), NumbersError, "functions/f",
    ),
    "a missing operand": (
        lambda: mb.compile(chain(2), "inverse_dynamics", per_link=True).arrays([0, 0], [0, 0]), NumbersError,
        "a: error",
    ),
    "a wrong shape": (
        lambda: mb.compile(chain(2), "inverse_dynamics", per_link=True).arrays([0.0], [0.0], a=[0.0]), ValueError,
        "expected",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ASKED)
def test_what_cannot_be_done_is_said(case: str) -> None:
    ask, kind, words = ASKED[case]
    with pytest.raises(kind, match=words):
        ask()


def test_one_witness_alone_checks_nothing() -> None:
    evidence = check(chain(2), formalisms=["telegin"], per_link=True, states=1)
    assert evidence.verdict == "not checked"
    assert {c.explanation for c in evidence.comparisons} == {"no second formalism computes it link by link"}


def undefined() -> System:
    """A joint whose angle is a function of time without a formula."""
    turned = rotation("x", call("f", [TIME]))
    found = chain(2)
    first = replace(found.bodies[0], joint=(turned, *found.bodies[0].joint))
    return replace(found, bodies=(first, found.bodies[1]), functions=(Function("f", ("t",)),))


def test_bodies_without_coordinates_have_nothing_to_compare() -> None:
    inertia = Inertia(as_expression(1))
    still = System("still", bodies=(Body("b", None, (rotation("x", 1.0),), inertia),))
    evidence = check(still, per_link=True, states=1)
    assert evidence.verdict == "not checked"
    assert {c.explanation for c in evidence.comparisons} == {"there are no coordinates"}
