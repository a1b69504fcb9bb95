"""Kinematics of frames and points as formalisms give them, and the quantities that are asked of it."""

from .machine import MACHINE, PointMotion, jacobian_of, mass_point
from .quantities import (
    KINDS,
    KinematicQuantity,
    express_kinematics,
    list_kinematics,
    put_in_words,
    read_kinematics,
    split_words,
)

__all__ = [
    "KINDS", "MACHINE", "KinematicQuantity", "PointMotion", "express_kinematics", "jacobian_of",
    "list_kinematics", "mass_point", "put_in_words", "read_kinematics", "split_words",
]  # fmt: skip
