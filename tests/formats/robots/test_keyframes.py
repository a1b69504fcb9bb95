"""Keyframes of MJCF: of another length than the model's they are a finding with place, reason and remedy."""

from __future__ import annotations

import pytest

from mbconcord.converters import registry
from mbconcord.model import Diagnostic

MODEL = """<mujoco>
  <worldbody>
    <body name="loose"><freejoint/><geom size="0.1"/></body>
    <body name="arm"><joint name="a" type="ball"/><geom size="0.1"/>
      <body name="hand"><joint name="b"/><geom size="0.1"/></body></body>
    <body name="mark" mocap="true"/>
  </worldbody>
  <actuator><motor joint="b"/></actuator>
  <keyframe>
    KEY
  </keyframe>
</mujoco>
"""
#: Attribute -> how many numbers the model has: 7 + 4 + 1, 6 + 3 + 1, an actuator, a mocap body.
EXPECTED = {"qpos": 12, "qvel": 10, "ctrl": 1, "mpos": 3, "mquat": 4}


def found(*keys: str) -> list[Diagnostic]:
    text = MODEL.replace("KEY", "\n    ".join(keys))
    return [d for d in registry.read_text(text, "m.xml").diagnostics if "keyframe" in d.message]


def of(attribute: str, count: int) -> str:
    return f'{attribute}="{" ".join(["1"] * count)}"'


@pytest.mark.parametrize("attribute", EXPECTED)
def test_of_another_length_it_is_a_finding(attribute: str) -> None:
    right = EXPECTED[attribute]
    assert found(f"<key {of(attribute, right)}/>") == []
    for wrong in (right - 1, right + 1):
        if not wrong:
            continue
        (said,) = found(f'<key name="home" {of(attribute, wrong)}/>')
        assert said.severity == "warning" and said.place == "state/home"
        assert (said.location.line, said.location.column) == (10, 5)
        assert said.message.startswith(f"{attribute} of the keyframe 'home' has {wrong} number")
        assert said.message.endswith(f"; the model has {right}") and "MuJoCo refuses the file" in said.remedy


def test_each_is_told_by_name_or_number_and_empty_ones_say_nothing() -> None:
    keys = [f"<key {of('qpos', 3)} {of('qvel', 2)}/>", '<key name="x" qpos="" ctrl=" "/>', f"<key {of('ctrl', 2)}/>"]
    assert [(d.place, d.location.line) for d in found(*keys)] == [("state/0", 10), ("state/0", 10), ("state/2", 12)]
