"""A model held at an instant: convert --at t=0, and what depends on time no longer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.fixtures import folder
from mbconcord.model.expressions import symbols
from mbconcord.model.functions import hold_time

from .commands import Run, runner

run = pytest.fixture(runner)
MBSD = folder() / "mbsd"


@pytest.mark.slow
def test_a_drive_of_time_is_an_identifier(run: Run) -> None:
    """JK = 0.4 + 0.6 (1 - cos(0.5 t))/2; the file is the machine held there, and acts as another until accepted."""
    arguments = ("convert", str(MBSD / "patu655_tree.mbsd"), "out.dat")
    assert run(*arguments, "--verify").code == 1
    assert not Path("out.dat").exists()
    done = run(*arguments, "--at", "t=0.5", "--verify")
    assert done.code == 3 and done.err.startswith("the same machine (held at t = 0.5)\n"), done.err
    assert "JK = JK(t)" in done.err and "held as it is at t = 0.5" in done.err
    assert "the same machine at t = 0.5 alone: what is lost acts on the motion: parameters=1" in done.err
    done = run(*arguments, "--at", "t=0.5", "--verify", "--accept-losses", "parameters=1")
    assert done.code == 0, done.err
    (line,) = (line for line in Path("out.dat").read_text(encoding="utf-8").splitlines() if "cnst=(JK#" in line)
    assert float(line.split("#")[1].rstrip(");")) == pytest.approx(0.4 + 0.3 * (1 - math.cos(0.25)), abs=1e-15)


@pytest.mark.slow
def test_the_crane_goes_to_um(run: Run) -> None:
    """Fig. 15 with its rods, and the laws of time of its telescope and of both cylinders as identifiers.

    HI, a formula with cos(), is written as its number: the verdict holds at it, and it is a loss like those of time.
    """
    arguments = ("convert", str(MBSD / "patu655.mbsd"), "out.dat", "--at", "t=0", "--verify")
    refused = run(*arguments)
    said = "alone: what is lost acts on the motion: parameters=6 (to accept: --accept-losses parameters=6)"
    assert refused.code == 3 and said in refused.err
    done = run(*arguments, "--accept-losses", "parameters=6", "--json")
    assert done.code == 0
    found = done.json["verification"]
    assert found["verdict"] == "agrees"
    assert found["headline"] == "the same machine (held at t = 0; HI held at 0.49755013420949934)"
    assert {x["verdict"] for x in found["pairs"]} == {"agrees"}
    assert {"M", "constraints", "reactions", "constrained acceleration"} <= {x["quantity"] for x in found["pairs"]}
    held = {x["place"] for x in done.json["losses"] if x["reason"] == "held as it is at t = 0"}
    names = {"JK", "lengthCD", "lengthCD_rate", "lengthEH", "lengthEH_rate"}
    assert held == {f"parameters/{name}" for name in names}
    assert not [x for x in done.json["losses"] if "left out" in x["reason"]]
    text = Path("out.dat").read_text(encoding="utf-8")
    assert "cnst=(lengthCD# CD0);" in text and "expression=dCD*(lengthCD_rate - v) - cCD*(x - lengthCD);" in text


@pytest.mark.slow
def test_a_wrong_number_for_a_formula_is_not_taken() -> None:
    """The verdict holds at the number of a formula only where this is its value."""
    made = mbconcord.convert(str(MBSD / "patu655.mbsd"), to="um", at=0)
    right = made.verify()
    assert right.verdict == "agrees" and [x.place for x in made.list_limits(right)][-1] == "parameters/HI"
    text = made.writing.text.replace("0.49755013420949934", "0.49755013420949")
    assert text != made.writing.text
    wrong = replace(made, writing=replace(made.writing, text=text)).verify()
    assert wrong.verdict != "agrees" and "HI" not in wrong.freed


@pytest.mark.parametrize(
    ("out", "value", "words"),
    [
        ("out.dat", "t=x", "--at: error"),
        ("out.dat", "t=1/0", "--at: error"),
        ("out.xv", "t=1", "--at: error: out.xv holds no time (leave out --at)"),
        ("out.dat", "q=1", "--state: error: out.dat holds a model"),
    ],
)
def test_what_is_no_instant_is_refused(run: Run, out: str, value: str, words: str) -> None:
    done = run("convert", str(MBSD / "patu655_tree.mbsd"), out, "--at", value)
    assert done.code == 2 and words in done.err and not Path(out).exists(), done.err


@pytest.mark.parametrize("name", ["driven_arm", "moving_support", "patu655", "patu655_tree", "springs", "particle"])
def test_held_models_have_the_numbers_of_their_instant(name: str) -> None:
    """M and gravity, and forces at rest of what does not move of itself, at t = 0.7 and at every time of the held."""
    model = mbconcord.read(MBSD / f"{name}.mbsd").system
    held, changed = hold_time(model, 0.7)
    assert changed and held != model
    formulas = [et.amount for body in held.bodies for et in body.joint] + [
        getattr(force, "law", getattr(force, "effort", None)) for force in held.forces
    ]
    assert "t" not in symbols([x for x in formulas if hasattr(x, "op")])
    rng = np.random.default_rng(1)
    q = rng.normal(size=len(model.coordinates))
    given = {p.name: 1.5 for p in model.parameters if p.value is None}
    one = mbconcord.evaluate(model, q, v=np.zeros_like(q), t=0.7, parameters=given)
    two = mbconcord.evaluate(held, q, v=np.zeros_like(q), t=-3.0, parameters=given)
    np.testing.assert_allclose(one["M"], two["M"], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(one["gravity"], two["gravity"], rtol=1e-12, atol=1e-9)
    if not any(type(et.motion).__name__ == "Prescribed" for body in model.bodies for et in body.joint):
        np.testing.assert_allclose(one["applied"], two["applied"], rtol=1e-12, atol=1e-9)
        other = mbconcord.evaluate(model, q, v=np.zeros_like(q), t=0.0, parameters=given)
        assert np.abs(other["applied"] - one["applied"]).max() > 1e-3
