"""Recursions in prime fields: identical where they are, different where rounding hides it; the chance of an error."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from laboratory.bench.newton_euler import chain
from mbconcord.formalisms.registry import formalism
from mbconcord.kernels.links.loop import Layout
from mbconcord.model import Function, Parameter, System, rotation
from mbconcord.model.expressions import TIME, Expression, as_expression, call, sin, sqrt, symbol
from mbconcord.model.expressions.field import Plan
from mbconcord.model.expressions.field.sizes import Over, Sizes
from mbconcord.reports.quantities import describe_proof as sentences
from mbconcord.testing import Fault, inject
from mbconcord.validation.check import check
from mbconcord.validation.judge.witness import Question
from mbconcord.validation.witnesses.links import link_by_link as links_check
from mbconcord.validation.witnesses.links.exact import LinkOutputs, UnfitError, in_degrees, in_field
from mbconcord.validation.witnesses.links.link_by_link import WHOLE, add_proofs, answer_of, check_links, comparisons

from ....kernels.links import FORMALISMS, at_random, random_tree
from .test_links import SEEDED


def links(system: System, other: System | None = None) -> LinkOutputs:
    """Newton and Euler of a system, Telegin of it or of another."""
    return LinkOutputs(system, {
        name: Layout(formalism(name).recursion(each), each.functions)
        for name, each in zip(FORMALISMS, (system, other or system), strict=True)
    }, 0)  # fmt: skip


def changed(system: System, place: int, factor: Fraction) -> System:
    """One body with a product of inertia times a factor."""
    body = system.bodies[place]
    six = [*body.inertia.tensor]
    six[4] = six[4] * factor
    body = replace(body, inertia=replace(body.inertia, tensor=tuple(six)))
    return replace(system, bodies=(*system.bodies[:place], body, *system.bodies[place + 1 :]))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_recursions_of_random_trees_are_identical(seed: int) -> None:
    """General axes and turns, prescribed motions, efforts."""
    found = links(random_tree(seed, 5).system).compare(*FORMALISMS)
    assert found.kind == "identical" and found.log2 is not None and found.log2 < -200


@pytest.mark.sampled(4)
@pytest.mark.parametrize("fault", SEEDED, ids=lambda fault: f"{fault.formalism}: {fault.title}")
def test_a_changed_step_differs(fault: Fault) -> None:
    system = random_tree(3, 8, 1).system
    with inject(fault) as faulty:
        layouts = {
            name: Layout((faulty if name == fault.formalism else formalism(name)).recursion(system), system.functions)
            for name in FORMALISMS
        }
        found = LinkOutputs(system, layouts, 0).compare(*FORMALISMS)
    assert found.kind == "differs" and found.entry[0] in system.coordinate_names


@pytest.mark.slow
@pytest.mark.rest
def test_what_rounding_hides_among_thousands_of_bodies_differs_and_is_named() -> None:
    """A product of inertia in the middle of a chain, off by 1e-9 of it: floats agree, the functions do not."""
    system = chain(400)
    other = changed(system, 200, 1 + Fraction(1, 10**9))
    states = (at_random(system),)
    numbers = {
        name: answer_of(name, Layout(formalism(name).recursion(each), each.functions), each, states)
        for name, each in zip(FORMALISMS, (system, other), strict=True)
    }
    made = list(comparisons(Question(system, states), numbers))
    assert {c.verdict for c in made} == {"agrees"}
    found = {c.quantity: c for c in add_proofs(made, links(system, other), "on")}
    assert found[WHOLE].verdict == "disagrees"
    assert found[WHOLE].exact is not None and found[WHOLE].exact.kind == "differs"
    assert "(body b200)" in found[WHOLE].explanation


def test_parameters_and_functions_without_formula_stay_symbols() -> None:
    """What is identical is so for all their values."""
    system = chain(3)
    first, second, third = system.bodies
    swung = replace(first, joint=(rotation("x", call("f", [TIME])), *first.joint))
    heavy = replace(second, inertia=replace(second.inertia, mass=symbol("m")))
    model = replace(
        system, bodies=(swung, heavy, third), functions=(Function("f", ("t",)),), parameters=(Parameter("m"),)
    )
    evidence = check_links(model, "-", [formalism(name) for name in FORMALISMS], 1)
    assert {(c.quantity, c.exact.kind) for c in evidence.comparisons if c.exact} == {(WHOLE, "identical")}
    (sentence,) = sentences(evidence.comparisons)
    assert sentence.startswith("identical for all states and parameters") and sentence.endswith(f": {WHOLE}")
    lighter = replace(second, inertia=replace(second.inertia, mass=symbol("m") * Fraction(10**16 + 1, 10**16)))
    assert links(model, replace(model, bodies=(swung, lighter, third))).compare(*FORMALISMS).kind == "differs"


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "on", "off"])
@pytest.mark.parametrize("small", [False, True])
def test_how_it_is_asked_for(mode: str, small: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if small:
        monkeypatch.setattr(links_check, "BUDGET", 10)
    evidence = check(chain(4), states=1, per_link=True, exact=mode)
    kinds = {c.exact.kind if c.exact else None for c in evidence.comparisons}
    assert evidence.verdict == "agrees"
    expected = {"off": {None}, "on": {"identical", None}, "auto": {"not tried" if small else "identical", None}}
    assert kinds == expected[mode]


X, Y, Z = map(symbol, "xyz")
#: Sums and products of all sizes; constants that are whole and not.
FORMULAS = [X * Y + Z, (X + Y) * (X - Z) * 7, -X * X * X + Y / 3, X * Fraction(1, 8) - Y * 1000 + Z * Z]


def test_degrees_are_those_of_whole_derivations() -> None:
    """By the code that is written from a step, and by what counts them in derivations."""
    plan = Plan([*FORMULAS, *(as_expression(Fraction(1, c)) for c in (3, 8))])
    sizes = Sizes(plan)
    known, _ = sizes.over_one(range(len(plan.steps)))
    written = in_degrees(FORMULAS, {"x": 0, "y": 1, "z": 2}, lambda x: known[plan.place[x]])
    found = written([known[plan.place[x]] for x in (X, Y, Z)])
    assert [Over(*x) for x in found] == [known[plan.place[x]] for x in FORMULAS]


def test_common_denominators_are_counted() -> None:
    """(x/a + y/b)² - z/a over a² b²: never less than what counts it in a derivation."""
    a, b = symbol("a"), 1 + symbol("b") ** 3
    given = [X / a, Y / b, Z / a]
    whole = (given[0] + given[1]) * (given[0] + given[1]) - given[2]
    sizes = Sizes(plan := Plan([*given, whole]))
    known, common = sizes.over_one([plan.place[x] for x in given])
    text = (X + Y) * (X + Y) - Z
    (found,) = in_degrees([text], {"x": 0, "y": 1, "z": 2}, lambda x: known[0])(known)
    size, exact = sizes.combine(Over(*found), common), sizes.find_size(plan.place[whole])
    assert all(one >= other for one, other in zip(size, exact, strict=True))
    assert size.above <= 3 * exact.above and size.bits <= 3 * exact.bits


def test_values_are_those_of_fractions() -> None:
    p = 2**61 - 1
    found = in_field(FORMULAS, {"x": 0, "y": 1, "z": 2}, p)([3, 5, 11])
    third, eighth = pow(3, -1, p), pow(8, -1, p)
    assert list(found) == [26, (8 * -8 * 7) % p, (-27 + 5 * third) % p, (3 * eighth - 5000 + 121) % p]


@pytest.mark.parametrize("formula", [X / Y, sqrt(X), sin(X)], ids=str)
def test_what_is_not_written_here_is_said(formula: Expression) -> None:
    with pytest.raises(UnfitError, match="a step has"):
        in_field([formula], {"x": 0, "y": 1}, 7)


@pytest.mark.slow
def test_the_chance_of_an_error_grows_with_the_links() -> None:
    chances = [links(chain(n)).compare(*FORMALISMS).log2 for n in (2, 20, 200)]
    assert None not in chances and np.all(np.diff(np.array(chances, dtype=float)) > 1)
