"""Armatures: a c cᵀ in M and nothing else, in every formalism and in every way that it solves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import mbconcord
from laboratory.machines import soft_arm
from mbconcord.converters import registry as registry_of_files
from mbconcord.fixtures import folder
from mbconcord.formalisms import registry
from mbconcord.model import Armature, ModelError, State, System
from mbconcord.model.checks.physics import physics
from mbconcord.model.derivation import EFFORT, Derivation
from mbconcord.model.evaluation import Evaluation, evaluate_derivation
from mbconcord.model.expressions import number, symbol
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.special_trees import build_geared, driven
from mbconcord.validation.witnesses.direct.tree import direct

#: Who delivers more than gravity.
NAMES = ["lagrange", "newton_euler", "virtual_work", "konoplev", "flexible"]
MOVING = ("M", "h", "gravity", "applied", "inverse_dynamics")


def ways(name: str, drawn: tuple[System, tuple[State, ...]]) -> list[Evaluation]:
    """What a formalism computes, and what it derives."""
    formalism, (system, states) = registry.formalism(name), drawn
    return [formalism.evaluate(system, states), evaluate_derivation(formalism.derive(system), states)]


def bent() -> System:
    """Elastic links with armatures along a joint, a mode, and both; a joint and a mode are driven."""
    arm = soft_arm()
    modal = [name for body in arm.bodies for name in body.modal]
    joints = [name for name in arm.coordinate_names if name not in modal]
    armatures = (
        Armature("rotor", number("0.2"), {joints[-1]: number(3)}),
        Armature("mode", number("0.1"), {modal[0]: number(2)}),
        Armature("both", number("0.3"), {joints[0]: number(1), modal[-1]: number(-2)}),
    )
    return driven(replace(arm, armatures=armatures), {modal[1]: symbol(f"{joints[0]}'") - 1})


@pytest.mark.slow
@pytest.mark.parametrize("model", [build_geared, bent])
def test_all_who_take_armatures_agree_with_the_fields_of_the_model(model) -> None:
    """Of a driven tree with rotors and tendons, and of an elastic one: the mixed problem too."""
    made = draw(model(), 2, 3)
    expected = direct(made.system, made.states).quantities
    solved: dict[str, np.ndarray] = {}
    takers = [n for n in NAMES if not registry.formalism(n).obstacles(made.system)]
    assert len(takers) >= 3
    for name in takers:
        for found in ways(name, (made.system, made.states)):
            values = found.quantities
            for quantity in MOVING:
                size = np.abs(expected[quantity]).max()
                np.testing.assert_allclose(values[quantity], expected[quantity], rtol=0, atol=1e-11 * size)
            for quantity in ("acceleration", EFFORT):
                known = solved.setdefault(quantity, values[quantity])
                np.testing.assert_allclose(values[quantity], known, rtol=1e-8, atol=1e-9 * np.abs(known).max())


@pytest.mark.parametrize("name", NAMES)
def test_an_armature_adds_a_c_c_and_nothing_else(name: str) -> None:
    """By hand, of two joints: 0.1 (3, -2)ᵀ (3, -2)."""
    plain = (
        mbconcord.Mechanism("pair")
        .gravity(z=-9.81)
        .body("a", mass=1, com=(0.4, 0, 0), inertia=(1, 2, 3))
        .turns("q1", about="y")
        .body("b", on="a", mass=2, com=(0.1, 0.2, 0), inertia=(3, 4, 5))
        .shift(x=1)
        .turns("q2", about="z")
    )
    without = registry.formalism(name).derive(plain.build())
    geared = plain.armature("r", "0.1", {"q1": 3, "q2": -2}).build()
    state = State(q={"q1": 0.3, "q2": 0.7}, v={"q1": 2, "q2": -1})
    one, other = (_numbers(x, state) for x in (registry.formalism(name).derive(geared), without))
    np.testing.assert_allclose(one["M"] - other["M"], [[0.9, -0.6], [-0.6, 0.4]], atol=1e-14)
    for quantity in ("h", "gravity", "applied"):
        np.testing.assert_allclose(one[quantity], other[quantity], rtol=1e-14)


def _numbers(derivation: Derivation, state: State) -> dict[str, np.ndarray]:
    return {k: v[0] for k, v in evaluate_derivation(derivation, [state]).quantities.items()}


def test_a_joint_whose_rotor_alone_has_inertia_is_solved() -> None:
    """A link without mass behind gears: q'' = effort / (n² J), by hand 6 / (0.02 · 10²)."""
    system = (
        mbconcord.Mechanism("motor")
        .body("shaft", mass=0)
        .turns("q", about="z")
        .drive("q", 6)
        .armature("rotor", "0.02", {"q": 10})
        .build()
    )
    for name in NAMES:
        for found in ways(name, (system, (State(),))):
            assert found.quantities["acceleration"][0, 0] == pytest.approx(3.0, rel=1e-15)


def test_what_is_wrong_with_an_armature_is_said() -> None:
    made = mbconcord.Mechanism("m").body("b", mass=1).turns("q", about="z")
    with pytest.raises(ModelError, match="along no coordinate"):
        Armature("r", number(1), {})
    with pytest.raises(ModelError, match="there is no coordinate 'p'"):
        made.armature("r", 1, {"p": 2}).build()
    system = mbconcord.Mechanism("m").body("b", mass=1).turns("q", about="z").build()
    (found,) = physics(replace(system, armatures=(Armature("r", number(-1), {"q": number(1)}),)), {})
    assert found.place == "armatures/r/inertia" and "negative energy" in found.message


def test_the_fixture_by_hand() -> None:
    """Two links in a plane with motors behind gears 120 and 80, and a belt that runs 4 times as fast as the elbow.

    m₁ = 4, m₂ = 2.5, L = 0.6, centres at 0.3 and 0.25, moments 0.12 and 0.05; cos of the elbow from the state.
    """
    system = registry_of_files.read(folder() / "native" / "geared_arm.mbs.json").system
    state = State(q={"shoulder": 0.2, "elbow": 0.7}, v={})
    far, bent = 0.05 + 2.5 * 0.25**2, 2.5 * 0.6 * 0.25 * np.cos(0.7)
    near = 0.12 + 4 * 0.3**2 + 2.5 * 0.6**2
    belt = 0.003 * 16
    expected = [
        [near + far + 2 * bent + 0.0002 * 120**2 + belt, far + bent - belt],
        [far + bent - belt, far + 0.0001 * 80**2 + belt],
    ]
    for name in NAMES:
        found = _numbers(registry.formalism(name).derive(system), state)
        np.testing.assert_allclose(found["M"], expected, rtol=1e-14)
