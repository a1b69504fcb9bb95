"""Derivatives and the regressor: formalisms agree, differences and bodies confirm them, a wrong sign is found."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Coordinate, Gravity, Inertia, JointEffort, Motion, translation
from mbconcord.model.derivatives import dynamics, regressor
from mbconcord.model.expressions import as_expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.validation.check import check
from mbconcord.validation.claims import ALL, BY_NAME, DEFAULT, EVERY, choose_claims
from mbconcord.validation.claims.derived.derivatives import CHRISTOFFEL, LINEAR
from mbconcord.validation.claims.derived.differences import DIFFERENCES
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.strategies.trees import random_system

from .fakes import Altered, double_pendulum, entry, soft

CLAIMS = {claim.name: claim for claim in ALL}
TWO = ("newton_euler", "lagrange")


def made(system: System, *names: str) -> Trial:
    drawn = draw(system, 2, 3)
    return trial(drawn.system, drawn.states, map(formalism, names))


@cache
def tree(seed: int) -> Trial:
    """A random tree of one or two bodies: prismatic joints, branches, springs, rotors."""
    return made(random_system(300 + seed, 1 + seed % 2, flywheels=seed % 2 == 1), *TWO)


def verdicts(found: list[Comparison]) -> set[str]:
    return {c.verdict for c in found}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("seed", range(4))
def test_the_claim_holds_on_seeded_trees(name: str, seed: int) -> None:
    found = CLAIMS[name].check(tree(seed))
    assert "disagrees" not in verdicts(found)
    assert any(c.verdict == "agrees" and not c.zero for c in found)
    assert all(c.exact.kind in ("identical", "undecided") for c in found if c.exact is not None)


def test_every_derivative_is_compared_with_everyone_and_with_differences() -> None:
    found = CLAIMS["derivatives"].check(made(double_pendulum(), *TWO))
    assert verdicts(found) == {"agrees"}
    for other in ("lagrange", DIFFERENCES):
        compared = {c.quantity for c in found if other in (c.a, c.b)}
        assert compared - {"C"} == {"dtau_dq", "dtau_dv", "da_dq", "da_dv", "da_dtau"}
    proved = {c.quantity for c in found if c.exact and c.exact.kind == "identical"}
    assert proved == {"C", "dtau_dq", "dtau_dv"}
    assert {(c.a, c.b) for c in found if c.quantity == "C"} == {
        TWO, *((name, CHRISTOFFEL) for name in TWO)
    }  # fmt: skip


def test_the_regressor_has_two_witnesses_beside_the_pairs() -> None:
    found = CLAIMS["regressor"].check(made(double_pendulum(), *TWO))
    assert verdicts(found) == {"agrees"}
    assert {(c.b, c.quantity) for c in found} == {
        ("lagrange", "regressor"), ("physics", "regressor"), ("physics", LINEAR),
    }  # fmt: skip


@pytest.mark.parametrize("quantity", ["C", "dtau_dq", "dtau_dv", "da_dq", "da_dv", "da_dtau"])
def test_a_sign_that_is_wrong_for_all_formalisms_is_found_by_differences(
    quantity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs do not see what all share; the derivative itself is shared."""
    honest = getattr(dynamics.Dynamics(trial_of().derivations["lagrange"]), quantity)
    turned = tuple(tuple(-x for x in row) for row in honest)
    monkeypatch.setattr(dynamics.Dynamics, quantity, turned)
    bad = [c for c in CLAIMS["derivatives"].check(trial_of()) if c.verdict == "disagrees"]
    other = CHRISTOFFEL if quantity == "C" else DIFFERENCES
    assert {(c.b, c.quantity) for c in bad} == {(other, quantity)}


@cache
def trial_of() -> Trial:
    return made(double_pendulum(), "lagrange")


def test_a_regressor_that_is_wrong_for_all_formalisms_is_found_by_the_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    from mbconcord.validation.claims.derived import derivatives as module

    def turned(*given: object) -> object:
        (first, *others), *rows = regressor.regressor(*given)  # type: ignore[arg-type]
        return ((-first, *others), *rows)

    monkeypatch.setattr(module, "regressor", turned)
    bad = [c for c in CLAIMS["regressor"].check(trial_of()) if c.verdict == "disagrees"]
    assert {(c.b, c.quantity) for c in bad} == {("physics", "regressor"), ("physics", LINEAR)}
    assert next(c.entry for c in bad if c.quantity == "regressor") == ("z1", "a.m")


@pytest.mark.parametrize("name", BY_NAME)
def test_a_formalism_that_is_wrong_is_found(name: str) -> None:
    drawn = draw(double_pendulum(), 2, 3)
    wrong = Altered(entry("h", (0,), lambda x: -x))
    found = CLAIMS[name].check(trial(drawn.system, drawn.states, [wrong, formalism("lagrange")]))
    bad = [c for c in found if c.verdict == "disagrees"]
    assert bad and all("altered" in (c.a, c.b) for c in bad)
    assert any(c.exact and c.exact.kind == "differs" for c in bad)


def test_they_are_asked_for_by_name() -> None:
    assert not {*BY_NAME} & ({*DEFAULT} | {*EVERY} | {c.name for c in choose_claims(["all"])})
    assert {c.name for c in choose_claims(["all", *BY_NAME])} >= {*BY_NAME}
    evidence = check(double_pendulum(), formalisms=TWO, states=2, claims=BY_NAME)
    assert evidence.verdict == "agrees" and {c.claim for c in evidence.comparisons} == {"", *BY_NAME}


@pytest.mark.parametrize("quantity", ["dtau_dq", "dtau_dv", "da_dq", "da_dv", "da_dtau"])
def test_every_check_looks_once_at_each_derivative(quantity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = dynamics.Dynamics.__dict__[quantity].__get__
    monkeypatch.setattr(
        dynamics.Dynamics, quantity, property(lambda own: tuple(tuple(-x for x in row) for row in honest(own)))
    )
    evidence = check(double_pendulum(), formalisms=TWO, states=2)
    bad = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    assert evidence.verdict == "disagrees"
    assert {(c.b, c.quantity, c.claim) for c in bad} == {(DIFFERENCES, quantity, "derivatives_once")}


@pytest.mark.rest
def test_a_check_says_where_derivatives_are_too_large_or_have_no_number() -> None:
    once = CLAIMS["derivatives_once"]
    (right,) = once.check(trial_of())
    assert (right.verdict, right.quantity, right.b) == ("agrees", "derivatives", DIFFERENCES)
    (large,) = once.check(made(read(folder("robots") / "talos.mbsd").system, "newton_euler"))
    assert large.verdict == "not checked" and "--claims derivatives" in large.explanation
    assert not once.check(made(double_pendulum(), "static_moments"))


def test_a_wrong_derivative_makes_a_check_disagree() -> None:
    wrong = Altered(entry("h", (0,), lambda x: -x))
    evidence = check(double_pendulum(), formalisms=[wrong, "lagrange"], states=2, claims=["derivatives"])
    assert evidence.verdict == "disagrees"


def test_elastic_bodies_have_no_regressor() -> None:
    found = CLAIMS["regressor"].check(made(soft(), "flexible"))
    assert verdicts(found) == {"not checked"} and "elastic" in found[0].explanation


def cart(force: str, mass: str = "2") -> System:
    """A mass on a line with a force."""
    return System(
        "cart", (Coordinate("q"),), (), (), Gravity(as_expression(0), (0, 0, -1)),
        (Body("a", None, (translation("x", "q"),), Inertia(parse_formula(mass))),),
        (JointEffort("f", "q", parse_formula(force)),),
    )  # fmt: skip


def once(system: System, q: float, v: float = 0.0) -> dict[str, str]:
    """What is said of the derivatives of a mass on a line at a state: verdicts by quantity."""
    found = trial(system, [State(q={"q": q}, v={"q": v})], [formalism("lagrange")])
    return {c.quantity: c.verdict for c in CLAIMS["derivatives_once"].check(found)}


#: Forces that change within 1e-6 of a state, and the state: position and rate.
SHARP = {
    "a stop": ("-exp(1000000*q)/1000", 1e-6, 0.0),
    "friction that is almost dry": ("-10*(1 - 2/(1 + exp(2000000*q')))", 0.3, 1e-7),
    "waves": ("-sin(1000000*q)", 0.3, 0.0),
    "a spring of micrometres": ("-1000*(1 - 0.0000005/sqrt(q^2 + 0.000001^2))*q", 3e-7, 0.0),
    "charges": ("0.000000000001/q^2", 1e-6, 0.0),
}
#: Forces without a derivative by position, or rate, at rest.
BENT = {
    "dry friction": ("-sign(q')", "v"),
    "a contact that does not pull": ("(abs(500*(abs(q) - q) - 3*q') + 500*(abs(q) - q) - 3*q')/2", "q"),
    "a root that ends": ("-sqrt(q' + 10^(-20))", "v"),
}


@pytest.mark.parametrize("name", SHARP)
@pytest.mark.parametrize("wrong", [False, True])
def test_sharp_forces_have_derivatives(name: str, wrong: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the wider difference leaves out is no disagreement, and hides none."""
    if wrong:
        honest = dynamics.Dynamics.__dict__["_of_inverse"].func

        def scaled(own: dynamics.Dynamics) -> tuple[object, ...]:
            almost = Fraction(999999, 10**6)
            return tuple(tuple(tuple(x * almost for x in row) for row in rows) for rows in honest(own))

        monkeypatch.setattr(dynamics.Dynamics, "_of_inverse", property(scaled))
    force, q, v = SHARP[name]
    of = "dtau_dv" if "q'" in force else "dtau_dq"
    said = once(cart(force), q, v)
    expected = {of: "disagrees", of.replace("tau", "a"): "disagrees"} if wrong else {"derivatives": "agrees"}
    assert said == expected


@pytest.mark.parametrize("name", BENT)
def test_bent_forces_have_none(name: str) -> None:
    force, by = BENT[name]
    found = once(cart(force), 0.0)
    other = "v" if by == "q" else "q"
    right = f"dtau_d{other}, da_d{other}, da_dtau"
    assert found == {right: "agrees", f"dtau_d{by}": "not checked", f"da_d{by}": "not checked"}


def test_what_agrees_is_what_there_is() -> None:
    """Of forces alone, where there are no accelerations: without inertia, or imposed."""
    driven = replace(cart("-q"), coordinates=(Coordinate("q", drive=Motion(as_expression(1))),))
    for system in (cart("-q", "0"), driven):
        assert once(system, 0.3) == {"dtau_dq, dtau_dv": "agrees"}


@pytest.mark.parametrize("quantity", ["dtau_dq", "da_dq"])
def test_the_mass_of_a_planet_hides_no_wrong_sign(quantity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accelerations are judged by accelerations, whatever the forces are."""
    planet = cart("-4*10^44/q^2", "10^30")
    assert once(planet, 7e6) == {"derivatives": "agrees"}
    honest = dynamics.Dynamics.__dict__[quantity].__get__
    turned = property(lambda own: tuple(tuple(-x for x in row) for row in honest(own)))
    monkeypatch.setattr(dynamics.Dynamics, quantity, turned)
    assert once(planet, 7e6) == {quantity: "disagrees"}
