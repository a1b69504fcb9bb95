"""Kinematics of frames and points by each formalism's own motions, and kinematic quantities by name."""

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
from .speeds import IN_SPEEDS, OF_RATES, SINGULAR, Speeds, find_singular, read_speeds

__all__ = [
    "IN_SPEEDS", "KINDS", "MACHINE", "OF_RATES", "SINGULAR", "KinematicQuantity", "PointMotion", "Speeds",
    "express_kinematics", "find_singular", "jacobian_of", "list_kinematics", "mass_point", "put_in_words",
    "read_kinematics", "read_speeds", "split_words",
]  # fmt: skip
