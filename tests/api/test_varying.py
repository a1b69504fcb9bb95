"""Masses that vary with the time: rockets, raindrops and drums by closed forms; what refuses them, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbconcord as mb

from ..cli.commands import runner


def rocket(law: str = "10 - t/10") -> mb.Mechanism:
    """A rocket that burns 0.1 kg/s and exhausts it at 500 m/s; it spins, what leaves has its part of the spin."""
    made = mb.Mechanism("rocket").gravity(z=-9.81).varies("m", law).parameters(J="m/100")
    made = made.body("hull", mass="m", inertia=(1, 1, "J")).slides("z", along="z").turns("s", about="z", rate=2)
    return made.force("jet", "hull", (0, 0, "500/10"), axes="body")


def test_a_rocket_by_the_formula_of_tsiolkovsky() -> None:
    at = mb.evaluate(rocket(), t=10)
    np.testing.assert_allclose(at["acceleration"], [50 / 9 - 9.81, 0], rtol=0, atol=1e-14)
    assert {c.verdict for c in at.witnesses} == {"agrees"} and not at.diagnostics
    motion = mb.simulate(rocket(), 5, tolerance=1e-10)
    speed = 500 * math.log(10 / 9.5) - 9.81 * 5
    np.testing.assert_allclose(motion.v[-1], [speed, 2], rtol=0, atol=1e-8)
    verdicts = {c.quantity: c.verdict for c in motion.witnesses}
    assert {*verdicts.values()} == {"agrees"} and {"power", "balance of energy and work"} <= verdicts.keys()


@pytest.mark.parametrize("by", ["lagrange", "newton_euler", "virtual_work", "konoplev"])
def test_a_raindrop_that_takes_mass_at_rest(by: str) -> None:
    """m v' = -m g - m' v, so m v = -g (t + t^2/20) of m = 1 + t/10; the height follows by a second integral."""
    made = mb.Mechanism("drop").gravity(z=-9.81).varies("m", "1 + t/10").body("drop", mass="m").slides("z", along="z")
    motion = mb.simulate(made.effort("at rest", "z", "-z'/10"), 2, formalism=by, tolerance=1e-10)
    np.testing.assert_allclose(motion.v[-1, 0], -9.81 * (2 + 4 / 20) / 1.2, rtol=1e-9)
    height = -9.81 * ((2**2 / 2 + 2 * 10) / 2 - 50 * math.log(1.2))
    np.testing.assert_allclose(motion.q[-1, 0], height, rtol=1e-8)


def test_a_mass_on_a_turning_table_balances_what_it_takes_away() -> None:
    """The table turns as the time says, so H is not T + V; r'' = w^2 r whatever the mass is."""
    made = mb.Mechanism("table").varies("m", "2*exp(-t)").body("table").rotate("3*t", about="z")
    made = made.body("bead", on="table", mass="m").slides("r", along="x", start=0.1).shift(y=0.2)
    motion = mb.simulate(made, 1, tolerance=1e-10)
    np.testing.assert_allclose(motion.q[-1, 0], 0.1 * math.cosh(3), rtol=1e-8)
    assert {c.quantity: c.verdict for c in motion.witnesses if c.verdict != "agrees"} == {}


def test_equations_are_those_of_every_mass() -> None:
    assert mb.check(rocket(), states=2).verdict == "agrees"
    assert str(mb.derive(rocket())["M"][0][0]) == "m"
    np.testing.assert_allclose(mb.evaluate(rocket(), t=10, parameters={"m": 5})["M"][0, 0], 5)
    here = mb.linearize(rocket().effort("spring", "z", "-4*z"), t=10)
    np.testing.assert_allclose(max(here.frequencies), math.sqrt(4 / 9), rtol=1e-12)


def test_native_files_hold_the_law(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = runner(capsys, monkeypatch, tmp_path)
    text = mb.write(rocket(), "native").text
    assert '{"name": "m", "varies": "10 - 0.1*t"}' in text
    Path("rocket.mbs.json").write_text(text, encoding="utf-8")
    Path("at.json").write_text('{"t": 10}', encoding="utf-8")
    done = run("evaluate", "rocket.mbs.json", "--state", "at.json", "--quantity", "M")
    assert done.code == 0 and "9.0" in done.out
    done = run("simulate", "rocket.mbs.json", "--until", "1", "--set", "m=10", "-q")
    assert done.code == 0
    done = run("simulate", "rocket.mbs.json", "--until", "150", "-q")
    assert (
        done.code == 2
        and "13:27: error: bodies/hull/inertia/mass: the body's mass is -0.05 kg at t = 100.5" in done.err
    )
    assert mb.compare(rocket(), mb.read(text=text, format="native"), states=2).verdict == "agrees"


#: Question -> its message.
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a length": (
        lambda: mb.Mechanism("a").varies("l", "t").body("a", mass=1).slides("x", along="x").shift(x="l").build(),
        "bodies/a/joint/1: error: 'l' varies, and stands in masses and forces alone",
    ),
    "a formula of it": (
        lambda: rocket().parameters(k="2*m").point("tip", "hull", (0, 0, "k")).build(),
        "points/tip: error: 'k' varies, and stands in masses and forces alone",
    ),
    "a coordinate": (
        lambda: rocket("10 - z").build(), "parameters/m: error: 'z' may not stand here (here only parameters and t",
    ),
    "two laws": (
        lambda: rocket().varies("n", "2*m").build(), "parameters/n: error: it varies by another that varies",
    ),
    "a mass of t": (
        lambda: mb.Mechanism("a").body("a", mass="1 + t").slides("x", along="x").build(), "vary with t (varies",
    ),
    "compile": (lambda: mb.compile(rocket(), "acceleration")(), "parameters/m: error: varies with the time, as 10"),
    "another law": (
        lambda: mb.compare(rocket(), rocket("10 - t/5")), "parameters/m: error: varies in A as 10 - 0.1*t, in B as 10",
    ),
    "a run beyond": (lambda: mb.simulate(rocket(), 200), "bodies/hull/inertia/mass: error: the body's mass is"),
    "an instant beyond": (lambda: mb.evaluate(rocket(), t=200), "mass is -10 kg at t = 200"),
}  # fmt: skip


@pytest.mark.parametrize("question", REFUSED)
def test_what_is_refused_is_named(question: str) -> None:
    ask, text = REFUSED[question]
    with pytest.raises(mb.MbconcordError) as problem:
        ask()
    assert text in str(problem.value)
