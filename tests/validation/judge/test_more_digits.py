"""Accelerations that the bounds of floats say nothing of: long chains, and light bodies beside heavy ones."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.model import System
from mbconcord.model.expressions import cos, sin, sqrt, symbol
from mbconcord.model.expressions.functions import apply
from mbconcord.model.expressions.program import program
from mbconcord.validation.check import check
from mbconcord.validation.judge import kinematics, referee
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.judge.floats import invert, refine
from mbconcord.validation.witnesses.peers import Original

from ..fakes import Altered


def chain(links: int, turns: str = "z") -> System:
    """A serial chain of so many bodies, its joints turning about these axes in turn."""
    bodies = (f"{turns[i % len(turns)]} i $1 [0.1,0.2,0.3]" for i in range(links))
    return registry.read_text(" > ".join(bodies) + " g", "-", "mbsd", "ignore").system


def solved(found: Evidence) -> set[str]:
    """Verdicts of the accelerations of all pairs of formalisms."""
    return {c.verdict for c in found.comparisons if c.quantity == "acceleration" and not c.claim}


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.sampled(2)
@pytest.mark.parametrize("turns", ["z", "xyz"])
def test_a_chain_of_fifty_bodies_is_checked(turns: str) -> None:
    """A recursion's running bound is infinite there, though it loses two digits."""
    names = ["lagrange", "newton_euler", "flexible"]
    found = check(chain(50, turns), formalisms=names, states=1, claims=(), exact="off", count=False)
    assert solved(found) == {"agrees"} and found.verdict == "agrees"


@pytest.mark.rest
@pytest.mark.slow
@pytest.mark.parametrize("links", [100, 200])
def test_chains_of_more_bodies_are_checked(links: int) -> None:
    """Bounds of solutions of M are infinite, too; at the second state of 200 one M loses its digits in floats alone."""
    names = ["lagrange", "newton_euler", "konoplev"]
    found = check(chain(links), formalisms=names, states=2, claims=(), exact="off", count=False)
    assert solved(found) == {"agrees"} and found.verdict == "agrees"


@pytest.mark.slow
@pytest.mark.sampled(8)
@pytest.mark.parametrize("base", ["newton_euler", "flexible"])
@pytest.mark.parametrize("factor", ["1.000001", "-1"])
def test_a_wrong_acceleration_of_a_chain_is_noticed(base: str, factor: str) -> None:
    """Of the last body: more digits of wrong equations are wrong."""

    def change(found: dict[str, Any]) -> Mapping[str, Any]:
        *others, last = found["acceleration"]
        return {**found, "acceleration": (*others, last * Fraction(factor))}

    names = ["lagrange", Altered(change, base=base)]
    found = check(chain(40), formalisms=names, states=1, claims=(), exact="off", count=False)
    assert solved(found) == {"disagrees"}


#: What is light beside what is heavy, by 13 to 19 powers of ten.
RATIOS = {
    "1e13 at the base": "z i $1e10 > z i $0.001 g",
    "1e13 at the tip": "z i $0.001 > z i $1e10 g",
    "1e13 on a slide": "u $1e13 > z i $1 g",
    "1e13, both turn": "z i $1 > x j $1e-13 [2e-13,1e-13,2e-13] g",
    "1e16": "z i $1e16 > z i $1 g",
    "1e19": "z i $1e16 > z i $0.001 g",
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("model", RATIOS)
def test_a_light_body_on_a_heavy_one_has_inertia(model: str, seed: int) -> None:
    """An inertia is none where its own bound reaches it, not where another is larger; no witness disagrees."""
    system = registry.read_text(RATIOS[model], "-", "mbsd", "ignore").system
    found = check(system, states=3, seed=seed, original=Original(RATIOS[model], "mbsd", {}), count=False)
    assert solved(found) == {"agrees"} and found.verdict == "agrees"


def test_a_solution_is_refined_to_all_its_digits() -> None:
    """Hilbert's matrix of ten rows, condition number 1.6e13, and the sums of its rows: the solution is all ones."""
    context = mpmath.MPContext()
    context.dps = 50
    mass = [[context.mpf(1) / (i + k + 1) for k in range(10)] for i in range(10)]
    found = refine(mass, [context.fsum(row) for row in mass], invert(mass), 50)
    assert found is not None and max(abs(x - 1) for x in found) < 1e-31


def test_the_referee_solves_large_equations_without_elimination() -> None:
    """Elimination in 50 digits takes n³ of their products: of 200 coordinates 60 seconds an entry."""
    context = mpmath.MPContext()
    context.dps = 50
    made = np.random.default_rng(1).normal(size=(30, 30))
    matrix, right = context.matrix(made.tolist()), context.matrix([1] * 30)
    wanted = context.lu_solve(matrix, right)
    context.LU_decomp = lambda *given: pytest.fail("eliminated in 50 digits")
    found = referee.solution(matrix, right)
    assert max(abs(x - y) for x, y in zip(found, wanted, strict=True)) < 1e-31


def test_formulas_that_lose_digits_are_computed_again_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each as alone, also beside one that has a value in floats only; the steps that they share are computed once."""
    x, y, a, b, e = map(symbol, "xyabe")
    known = {"x": 1e-3, "y": 1e-3, "a": 1.0, "b": 1.0, "e": 1e-20}
    values = {"t": np.zeros(2), **{name: np.array([value, 2 * value]) for name, value in known.items()}}
    short = x + a - b
    found = kinematics.evaluate_formulas([short, sqrt(y - short - e), short * short], values)
    alone = [*kinematics.evaluate_formulas([short], values), *kinematics.evaluate_formulas([short * short], values)]
    np.testing.assert_array_equal([found[0], found[2]], alone)
    assert found[0].tolist() == [1e-3, 2e-3] and 1.0 + 1e-3 - 1.0 != 1e-3
    assert found[1][0] == (1e-3 - (1e-3 + 1.0 - 1.0) - 1e-20) ** 0.5
    steps: list[int] = []
    honest = kinematics.run
    monkeypatch.setattr(
        kinematics, "run", lambda lines, *given: steps.append(len(lines.steps)) or honest(lines, *given)
    )
    for _ in range(40):
        short = short * y + a - b
    formulas = [short * number for number in range(1, 20)]
    kinematics.evaluate_formulas(formulas, values)
    assert sum(steps) == 2 * len(program(formulas).steps)


def test_formulas_that_lose_digits_are_computed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joint forces of chains share their motions: each computed by itself takes n² steps, not n."""
    steps, run = list[int](), kinematics.run
    monkeypatch.setattr(kinematics, "run", lambda made, *given: steps.append(len(made.steps)) or run(made, *given))
    carried = symbol("x")
    for _ in range(200):
        carried = sin(carried + 1)
    values = {"x": np.array([0.3, 0.4]), "t": np.zeros(2)}
    found = kinematics.evaluate_formulas([1 - cos(carried / (10**6 + k)) for k in range(40)], values)
    at = np.array([0.3, 0.4])
    for _ in range(200):
        at = np.sin(at + 1)
    wanted = [2 * np.sin(at / (2 * (10**6 + k))) ** 2 for k in range(40)]
    assert np.allclose(found, wanted, rtol=1e-12, atol=0) and sum(steps) < 2 * 1000


def test_a_formula_with_a_value_in_floats_alone_leaves_the_others_their_digits() -> None:
    a, b, c, x = map(symbol, "abcx")
    values = {"a": np.array([1e16]), "b": np.array([1.0]), "c": np.array([1e16]), "x": np.array([1e-6])}
    small = 1 - cos(x)
    formulas = [small, apply("log", Fraction(1, 2) - ((a + b) - c)), small * x]
    found = kinematics.evaluate_formulas(formulas, values | {"t": np.zeros(1)})
    exact = 2 * np.sin(5e-7) ** 2
    assert np.allclose([x[0] for x in found], [exact, np.log(0.5), exact * 1e-6], rtol=1e-14, atol=0)
