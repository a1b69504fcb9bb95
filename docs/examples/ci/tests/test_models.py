"""A project's own tests, in addition to those that the plugin makes of every model."""

from pathlib import Path

import mbconcord

MODELS = Path(__file__).parents[1] / "models"


def test_the_urdf_is_the_arm() -> None:
    """Test that a file from another tool moves like the hand-edited one."""
    mbconcord.assert_same_machine(MODELS / "arm.mbsd", MODELS / "arm.urdf")


def test_the_arm_agrees_at_many_states() -> None:
    """Test more states than the plugin draws, and every claim."""
    mbconcord.assert_agrees(MODELS / "arm.mbsd", states=50, claims=["all"])
