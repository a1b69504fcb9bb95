"""Degrees, exactly: UM's files hold angles in degrees, the model in radians."""

from __future__ import annotations

from mbconcord.model.expressions import PI_NODE, Expression


def to_radians(angle: Expression) -> Expression:
    """The angle in radians of one in degrees; a multiple of a degree is a rational part of π."""
    return angle * PI_NODE / 180
