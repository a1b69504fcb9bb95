"""Dry friction that two texts share is no difference; that of a tendon with a joint's name is not the joint's."""

from __future__ import annotations

import pytest

import mbconcord as mb

MODEL = """<mujoco><worldbody><body><joint name="j" axis="0 1 0" frictionloss="{0}"/>
<inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body></worldbody>{1}</mujoco>"""
TENDON = '<tendon><fixed name="j" frictionloss="{0}"><joint joint="j" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ((0.5, ""), (0.5, ""), True), ((0.5, ""), (0.6, ""), False), ((0.5, ""), (0, ""), False),
        ((0.5, TENDON.format(0.3)), (0.5, TENDON.format(0.9)), False), ((0.5, ""), (0.5, TENDON.format(0.9)), False),
    ],
)  # fmt: skip
def test_equal_friction_is_that_of_the_same_joint_alone(a: tuple[float, str], b: tuple[float, str], same: bool) -> None:
    one, other = (mb.read(text=MODEL.format(*x), format="mjcf") for x in (a, b))
    found = mb.compare(one, other)
    assert (found.stands, found.alike) == (same, ("j",) if same else ())
