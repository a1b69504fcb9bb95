"""Gravity: a direction, which UM scales by 9.81 m/s²."""

from __future__ import annotations

from mbconcord.model import System
from mbconcord.model.expressions import number

from ..document import Block
from .fields import Fields, block

#: The acceleration by which UM scales a direction of gravity (m/s²).
STANDARD_GRAVITY = number("9.81")


def gravity_block(system: System, fields: Fields) -> Block:
    """The block egravity of a model."""
    gravity = system.gravity
    if gravity is None:
        reason = "no UM file seen is without gravity; its three components are empty"
        fields.lose("gravity", "certainty that there is none", reason)
        return block("egravity", None, [("gravityx", ""), ("gravityy", ""), ("gravityz", "")])
    value = fields.defined(gravity.value)
    found = fields.value(value)
    if found != float(STANDARD_GRAVITY.value):
        fields.lose("gravity", f"its size {gravity.value} = {found!r} m/s²", "UM scales a direction by 9.81")
    elif not value.constant:
        fields.lose(
            "gravity", f"the formula {gravity.value} of its size", "UM scales a direction by 9.81, its value"
        )
    x, y, z = (fields.formula("gravity", part) for part in gravity.direction)
    if not (x or y):
        return block("egravity", None, [("gravityz", z)])
    reason = "no UM file seen has gravity along another axis; gravityx, gravityy are written like gravityz"
    fields.lose("gravity", "certainty about its direction", reason)
    return block("egravity", None, [("gravityx", x), ("gravityy", y), ("gravityz", z)])
