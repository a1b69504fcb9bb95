"""A stage in singles is the same machine to single precision; what is beyond it is another."""

import json
import math
import re

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.validation.judge.left_out import differences
from tests.formats.usd.test_usd_writer import facts_of

from .test_digits import FULL


def stage_of(text: str, format: str = "urdf") -> str:
    """The facts of a stage that has nothing but singles of a model: no decimals beside them, no tensors in doubles."""
    facts = facts_of(registry.read_text(text, format=format).system)
    for prim in facts["prims"]:
        own = prim.get("values", {})
        prim["values"] = {key: made[:2] for key, made in own.items() if key != "newton:inertia"}
    return json.dumps(facts)


def compare(a: str, b: str, states: int = 4) -> mbconcord.results.Comparison:
    read = (mbconcord.read(text=text, format="usd" if text.startswith("{") else "urdf") for text in (a, b))
    return mbconcord.compare(*read, states=states)


STAGE = stage_of(FULL)


@pytest.mark.slow
@pytest.mark.parametrize("turned", [False, True])
def test_a_stage_in_singles_is_the_same_machine_to_single_precision(turned: bool) -> None:
    found = compare(*((STAGE, FULL) if turned else (FULL, STAGE)))
    assert (found.verdict, found.stands) == ("agrees to digits", True), str(found)
    assert found.headline.startswith("the same machine to single precision")
    assert found.printed and all(0 < x <= bound < 2e-6 for x, bound in found.printed.parts.values() if x)
    assert "within single precision, of scale" in str(found)


def change(text: str, field: str, factor: float) -> str:
    """The first number of an attribute, of the second link that has it, times a factor."""
    at = [*re.finditer(rf'{field}="\s*(-?[\d.]+(?:e-?\d+)?)', text)][1]
    return f"{text[: at.start(1)]}{float(at[1]) * factor!r}{text[at.end(1) :]}"


@pytest.mark.slow
@pytest.mark.parametrize("field", ["mass value", "ixx", "damping"])
@pytest.mark.parametrize(("by", "verdict"), [(2e-8, "agrees to digits"), (1e-5, "disagrees"), (5e-7, "disagrees")])
def test_a_number_beyond_the_last_bit_is_another(field: str, by: float, verdict: str) -> None:
    assert compare(change(FULL, field, 1 + by), STAGE, 2).verdict == verdict


@pytest.mark.parametrize(("angle", "verdict"), [(4e-7, "agrees to digits"), (1e-6, "disagrees")])
def test_a_turn_beyond_the_last_bits_of_its_quaternion_is_another(angle: float, verdict: str) -> None:
    """A converter's product of three quaternions in singles turned a frame by 2.8e-7 rad."""
    facts = json.loads(STAGE)
    turns = next(p["values"]["physics:localRot0"] for p in facts["prims"] if "physics:localRot0" in p.get("values", {}))
    (w, x, y, z), h = turns[1], angle / 2
    turns[1] = [float(np.float32(a)) for a in (w - x * h, x + w * h, y + z * h, z - y * h)]
    assert compare(FULL, json.dumps(facts), 2).verdict == verdict


@pytest.mark.slow
def test_decimals_beside_singles_leave_nothing_open() -> None:
    whole = json.dumps(facts_of(registry.read_text(FULL, format="urdf").system))
    assert compare(FULL, whole).verdict == "agrees"
    assert compare(change(FULL, "mass value", 1 + 2e-8), whole).verdict == "disagrees"


def test_a_drive_of_the_one_is_a_force_of_the_other() -> None:
    """A servo of limited force, which MJCF has as the drive of a coordinate and a stage as a force of another name."""
    inertial = '<inertial mass="2.123456789" pos="0.1 0.2 0.3" diaginertia="0.0212345678 0.03 0.04"/>'
    text = f"""<mujoco><worldbody><body name="b"><joint name="j" axis="0 1 0"/>{inertial}</body></worldbody>
        <actuator><velocity name="m" joint="j" kv="20" forcerange="-3 3"/></actuator></mujoco>"""
    facts = json.loads(stage_of(text, "mjcf"))
    (joint,) = (prim["path"] for prim in facts["prims"] if prim.get("type") == "PhysicsRevoluteJoint")
    law = {"mjc:gainPrm": ["double[]", [20.0]], "mjc:biasPrm": ["double[]", [0.0, 0.0, -20.0]]}
    law |= {"mjc:biasType": ["token", "affine"], "mjc:forceRange:min": ["double", -3.0]}
    law |= {"mjc:forceRange:max": ["double", 3.0]}
    facts["prims"].append({"path": "/m", "type": "MjcActuator", "values": law, "targets": {"mjc:target": [joint]}})
    for most, verdict in ((3.0, "agrees to digits"), (3.1, "disagrees")):
        law["mjc:forceRange:max"][1] = most
        both = mbconcord.read(text=text, format="mjcf"), mbconcord.read(text=json.dumps(facts), format="usd")
        assert mbconcord.compare(*both, states=4).verdict == verdict


LAGS = (
    ('<general name="m" joint="j" dyntype="filter" dynprm="0.05" gainprm="4" biastype="affine" biasprm="1 -2 3"'
     ' gear="3" ctrlrange="-1 1" forcelimited="false" forcerange="-5 5" actrange="-1 2" actearly="true"/>',
     {"dynType": ["token", "filter"], "dynPrm": ["double[]", [0.05, 0.0]], "gainPrm": ["double[]", [4.0, 0.0]],
      "biasType": ["token", "affine"], "biasPrm": ["double[]", [1.0, -2.0, 3.0]], "gear": ["double[]", [3.0, 0.0]],
      "ctrlRange:min": ["double", -1.0], "ctrlRange:max": ["double", 1.0], "forceLimited": ["token", "false"],
      "forceRange:min": ["double", -5.0], "forceRange:max": ["double", 5.0], "actRange:min": ["double", -1.0],
      "actRange:max": ["double", 2.0], "actEarly": ["bool", True]}),
    ('<cylinder name="m" joint="j" timeconst="0.3" diameter="2" bias="1 2 3"/>',
     {"dynType": ["token", "filter"], "dynPrm": ["double[]", [0.3]], "gainPrm": ["double[]", [math.pi]],
      "biasType": ["token", "affine"], "biasPrm": ["double[]", [1.0, 2.0, 3.0]]}),
    ('<position name="m" joint="j" kp="3" timeconst="0.2"/>',
     {"dynType": ["token", "filterexact"], "dynPrm": ["double[]", [0.2]], "gainPrm": ["double[]", [3.0]],
      "biasType": ["token", "affine"], "biasPrm": ["double[]", [0.0, -3.0, 0.0]]}),
)  # fmt: skip


@pytest.mark.parametrize(("words", "law"), LAGS, ids=["general", "cylinder", "position"])
def test_actuators_with_states_are_one_omission_by_their_numbers(words: str, law: dict[str, list[object]]) -> None:
    """Two published dogs have 38 such, which MJCF and stage leave out in words of their own."""
    inertial = '<inertial mass="2" pos="0.1 0.2 0.3" diaginertia="0.02 0.03 0.04"/>'
    text = f"""<mujoco><worldbody><body name="b"><joint name="j" axis="0 1 0"/>{inertial}</body></worldbody>
        <actuator>{words}</actuator></mujoco>"""
    model, facts = registry.read_text(text, format="mjcf").system, json.loads(stage_of(text, "mjcf"))
    (joint,) = (prim["path"] for prim in facts["prims"] if prim.get("type") == "PhysicsRevoluteJoint")
    facts["prims"].append({"path": "/m", "type": "MjcActuator", "targets": {"mjc:target": [joint]}})

    def list_unlike(law: dict[str, list[object]]) -> list[str]:
        facts["prims"][-1]["values"] = {f"mjc:{key}": value for key, value in law.items()}
        made = registry.read_text(json.dumps(facts), format="usd").system
        return [d.place for d in differences(model, made) if d.acts]

    assert not list_unlike(law)
    for key in {*law} - {"forceRange:min", "forceRange:max"}:  # which are switched off
        assert list_unlike({k: v for k, v in law.items() if k != key}) == ["actuator/m"], key
