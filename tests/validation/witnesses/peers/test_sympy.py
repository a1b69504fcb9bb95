"""SymPy's mechanics as a witness: it takes the model of any format, and notices what is changed in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import mbconcord
from mbconcord.fixtures import folder
from mbconcord.model import System
from mbconcord.model.body import Body
from mbconcord.validation.witnesses.peers import symbolic

QUANTITIES = {"M", "h", "gravity", "applied", "inverse_dynamics", "acceleration"}
#: Every kind of joint, turned tensors, drives, drawn parameters, lumped masses; which quantities there are.
MODELS = {
    "mbsd/double_pendulum.mbsd": QUANTITIES,
    "mbsd/zug.mbsd": QUANTITIES,
    "mbsd/free_body.mbsd": QUANTITIES,
    "mbsd/gimbal.mbsd": QUANTITIES,
    "mbsd/springs.mbsd": {"M", "h", "gravity"},
    "mbsd/four_bar.mbsd": QUANTITIES - {"acceleration"},
}


def said(model: str) -> list[mbconcord.results.Comparison]:
    """What is said of a model by SymPy beside one formalism."""
    found = mbconcord.check(model, formalisms=["lagrange"], states=2, claims=(), against="sympy", exact="off")
    return [c for c in found.comparisons if c.claim == "sympy"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", MODELS)
def test_sympy_agrees(name):
    found = said(str(folder() / name))
    assert {c.quantity for c in found} == MODELS[name]
    assert {c.verdict for c in found} == {"agrees"}


def heavier(body: Body) -> Body:
    return replace(body, inertia=replace(body.inertia, mass=body.inertia.mass * (1 + 1e-9)))


def farther(body: Body) -> Body:
    x, y, z = body.inertia.centre
    return replace(body, inertia=replace(body.inertia, centre=(x + 1e-8, y, z)))


def turned(body: Body) -> Body:
    xx, yy, zz, xy, xz, yz = body.inertia.tensor
    return replace(body, inertia=replace(body.inertia, tensor=(xx, yy, zz + 1e-8, xy, xz, yz)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("change", [heavier, farther, turned])
def test_sympy_disagrees_on_a_model_that_is_changed(change, monkeypatch):
    built = symbolic._Kane

    def changed(system: System) -> symbolic._Kane:
        return built(replace(system, bodies=(*system.bodies[:-1], change(system.bodies[-1]))))

    monkeypatch.setattr(symbolic, "_Kane", changed)
    monkeypatch.setattr("mbconcord.validation.explain.programs.why_not_of_program", lambda *_: "why: not asked here")
    assert "disagrees" in {c.verdict for c in said(str(folder() / "mbsd" / "double_pendulum.mbsd"))}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("robots/talos.mbsd", "is given models of at most 6 coordinates and 8 turns"),
        ("elastic/planar_arm.mbs.json", "takes rigid bodies"),
        ("mbsd/moving_support.mbsd", "is given no prescribed motion"),
    ],
)
def test_what_it_does_not_take_is_said(name, why):
    system = mbconcord.read(folder() / name).system
    assert why in next(symbolic.obstacles(system))


def test_the_evidence_says_that_it_takes_the_model():
    found = mbconcord.check(
        mbconcord.read(text="z°90 -j1 $1 [0,0,0] g9.81-y", format="mbsd").system,
        formalisms=["lagrange"], states=1, claims=(), against="sympy", exact="off",
    )  # fmt: skip
    assert "takes the model, not the file" in " ".join(map(str, found.diagnostics))
