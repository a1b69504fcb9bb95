"""The witness of maximal coordinates: motions by hand, fixtures of every kind, what it does not take."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin

import numpy as np
import pytest

from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.model.state import State
from mbconcord.validation.check import check
from mbconcord.validation.judge.states import complete_state
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.judge.witness import Original, SilentError
from mbconcord.validation.strategies.trees import random_system
from mbconcord.validation.witnesses.maximal import free_bodies
from mbconcord.validation.witnesses.maximal.free_bodies import (
    BY_FIELDS,
    BY_TEXT,
    accelerations,
    at_states,
    inverse_dynamics,
)

G = 9.81
OWN = {"claims": ["maximal"], "exact": "off"}


def of(text: str, state: State, source: bool = True) -> Trial:
    """A trial of a text of MBSD at one state, with its text or without."""
    system = read_text(text, format="mbsd", physics="ignore").system
    made = trial(system, [complete_state(system, state, 0)], [])
    return replace(made, text=Original(text, "mbsd") if source else None)


def bar(q: float, v: float) -> float:
    """A uniform bar of 3 kg and 2 m about its end: I q'' = - m g cos q."""
    return -3 * G * cos(q) / (3 * 4 / 3)


#: Text, state, accelerations worked out by hand.
BY_HAND = {
    "point on a rod": ("z i2 $3 g", State(q={"z1": 0.4}, v={"z1": 5}), [-G * cos(0.4) / 2]),
    "bar": ("z $3 [0, 4, 4] {1, 0} g", State(q={"z1": 0.4}, v={"z1": 5}), [bar(0.4, 5)]),
    "bead": ("z > u $1 g", State(q={"z1": 0.3, "u1": 2}, v={"z1": 3, "u1": 1}),
             [(-2 * 2 * 1 * 3 - G * cos(0.3) * 2) / (4 + 1), 2 * 9 - G * sin(0.3)]),
    "free fall": ("u v w $2 g", State(v={"u1": 1, "v1": 2, "w1": 3}), [0, 0, -G]),
    "spring": ("u $2 #a \\ #a :\"(8 (1 - @))", State(q={"u1": 1.5}), [8 * (1 - 1.5) / 2]),
    "effort": ("u\"(6 - 2 u') $2", State(v={"u1": 1}), [2]),
    "shaken": ("i(0.1 sin(2 t)) z j-1 $1 g-y", State(t=0.5, q={"z1": 0.0}), [0.1 * 4 * sin(1.0)]),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("source", [True, False])
def test_motions_by_hand(name: str, source: bool) -> None:
    """By the text and by the fields."""
    text, state, expected = BY_HAND[name]
    made = of(text, state, source)
    found, said = at_states(made)
    assert said == (BY_TEXT if source else BY_FIELDS)
    np.testing.assert_allclose(accelerations(found)[0], expected, rtol=1e-13, atol=1e-13)
    given = replace(made.states[0], a=dict(zip(made.names, expected, strict=True)))
    needed = inverse_dynamics(replace(made, states=[given]), found)
    np.testing.assert_allclose(needed, 0, atol=1e-11)


FIXTURES = [
    "mbsd/andrews.mbsd", "mbsd/patu655.mbsd", "mbsd/free_body.mbsd", "um/four_bar/input.dat", "tp/angular.tp.csv",
    "native/pushed_gimbal.mbs.json", "native/geared_arm.mbs.json", "native/universal_joint.mbs.json",
    "native/loaded_parallelogram.mbs.json", "konoplev/gyrostat.mbs.json", "konoplev/four_bar.mbs.json",
    "overconstrained/bennett.mbs.json", "overconstrained/bricard.mbs.json", "reference/pendulum.mbsd",
]  # fmt: skip


@pytest.mark.sampled(6)
@pytest.mark.parametrize("file", FIXTURES)
def test_fixtures_agree(file: str) -> None:
    """Trees, forces, prescribed motion, rods, points, cut joints, redundant ones: in every quantity that it gives."""
    reading = read(folder() / file, physics="ignore")
    found = check(
        reading.system, states=2, formalisms=["lagrange", "virtual_work"], claims=["maximal"],
        exact="off", physics="ignore",
    )  # fmt: skip
    own = [c for c in found.comparisons if c.claim == "maximal"]
    closed = "constrained acceleration" if reading.system.constraints else "acceleration"
    assert {c.quantity for c in own} == {"inverse_dynamics", closed}
    assert {c.verdict for c in own} == {"agrees"}
    assert max(c.discrepancy for c in own) < 1e-11


#: What it does not take, and whether its open tree is checked all the same.
SILENT = {
    "native/rubber_mounts.mbs.json": ("springs and dampers between two frames", False),
    "native/torsion_shaft.mbs.json": ("moments about an axis", False),
    "konoplev/submarine.mbs.json": ("added inertia", False),
    "elastic/planar_arm.mbs.json": ("elastic", False),
    "elastic/slider_crank.mbs.json": ("impose an acceleration", False),
    "native/bead_on_parabola.mbs.json": ("holonomic", True),
    "native/chaplygin_sleigh.mbs.json": ("nonholonomic", True),
}


@pytest.mark.parametrize("file", SILENT)
def test_what_it_does_not_take_it_says(file: str) -> None:
    why, tree = SILENT[file]
    found = check(
        read(folder() / file, physics="ignore").system, states=1, claims=["maximal"], exact="off",
        formalisms=["lagrange", "virtual_work"], physics="ignore",
    )  # fmt: skip
    notes = [d.message for d in found.diagnostics if d.place == "claims/maximal"]
    assert notes and all(why in note for note in notes)
    own = {c.quantity for c in found.comparisons if c.claim == "maximal"}
    assert own == ({"inverse_dynamics"} if tree else set())


def test_a_large_model_is_not_tried() -> None:
    made = of("(z i $1 >)^70 z i $1 g", State())
    with pytest.raises(SilentError, match="71 bodies are too many"):
        at_states(made)


def test_a_coordinate_without_inertia_has_no_acceleration() -> None:
    found, _ = at_states(of("x $1 [0, 1, 1]", State()))
    assert np.isnan(accelerations(found)).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_random_trees_agree(seed: int) -> None:
    """General axes, prescribed motion, flywheels, forces."""
    system = random_system(seed, 4, flywheels=True)
    found = check(system, states=2, formalisms=["newton_euler", "lagrange"], claims=["maximal"], exact="off")
    own = [c for c in found.comparisons if c.claim == "maximal"]
    assert own and {c.verdict for c in own} == {"agrees"}


def test_rounding_of_one_branch_is_none_of_another() -> None:
    """A branch that turns fast far out does not change the last digits of what a slow one needs."""
    text = "z i $1 #a > i50 x j60 $90 [3e5, 2, 3e5] \\ #a j57 y i-20 $95 [3e5, 3e5, 3e5] g"
    still, fast = State(q={"y1": 0.3}, v={"z1": 0.2}), State(q={"y1": 0.3}, v={"z1": 0.2, "x1": 1e5})
    needed = []
    for state in (still, fast):
        made = of(text, state)
        needed.append(dict(zip(made.names, inverse_dynamics(made, at_states(made)[0])[0], strict=True)))
    assert abs(needed[1]["z1"]) > 1e8 * abs(needed[0]["z1"])
    assert needed[1]["y1"] == needed[0]["y1"] != 0


def test_a_fault_of_a_formalism_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """An effort that is off by 1e-9 of its scale."""
    system = read(folder() / "mbsd/driven_arm.mbsd").system
    honest = inverse_dynamics

    def faulty(made: Trial, found: list) -> np.ndarray:
        return honest(made, found) * (1 + 1e-9)

    monkeypatch.setattr(free_bodies, "inverse_dynamics", faulty)
    found = check(system, states=1, formalisms=["newton_euler", "lagrange"], claims=["maximal"], exact="off")
    assert {c.quantity for c in found.comparisons if c.verdict == "disagrees"} == {"inverse_dynamics"}
