"""Forces in joints: the carrier's force on a body through the joint between them, drives included.

For every body, in the order of the model, there are six numbers: the force (N) and its moment (N m) about the origin
of the body's frame, both in the body's axes (:data:`COMPONENTS`). Bodies welded to the body are part of it; for a
welded body they are what the weld bears. The accelerations q'' need::

    force = Σ m (a - g) - Σ F ,   moment = Σ (r - o) × m (a - g) + d(I ω)/dt - Σ (p - o) × F - Σ T

over all that the joint carries, with the loads F at p and T. The forces of drives and joint efforts are included, as
they act between the carrier and the body. Identity: along a last revolute or prismatic axis through the origin they are
inverse dynamics and the efforts of the model along that coordinate.

Under constraints they are those at the accelerations that the constraints admit, and each constraint between bodies
(rods, coinciding points and frames; :func:`cuts`) has six numbers too: the force that its first side exerts on its
second, and its moment about the cut, in the axes of the second body's frame. The cut is the second point, or the
origin of the second frame. Formulas of coordinates, and drives that impose accelerations, act inside the joints of
their coordinates like any drive. Rows that depend on each other share their reaction in no way that the equations know:
what changes with the share is not determined, and NaN; the motion and all other forces are unique.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mbconcord.records import dataclass

from .constraint import FrameCoincidence, PointCoincidence, Rod
from .diagnostics import Diagnostic
from .evaluation import Array
from .system import System

#: The name under which formalisms deliver them natively: six expressions of each joint over q, q', q'' and t.
JOINT_FORCES: Final = "joint_forces"
#: The name under which forces at the cuts are asked for and shown.
CUT_FORCES: Final = "cut_forces"
#: The name of what the fixed frame exerts on the machine, through joints, cuts and elements that end at it.
GROUND: Final = "ground"
#: The six of one joint: N, then N m about the origin of the body's frame, in its axes.
COMPONENTS: Final = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")

#: The end of a finding about forces that rows which depend on each other leave open.
OPEN: Final = "not determined: rows that depend on each other share the load in any way"


def list_jointed_bodies(system: System) -> tuple[str, ...]:
    """Name the bodies that coordinates of their own joints move: those whose forces formalisms derive natively."""
    return tuple(body.name for body in system.bodies if any(et.moving for et in body.joint))


def list_bodies(system: System) -> tuple[str, ...]:
    """Name all bodies: each has a row of joint forces."""
    return tuple(body.name for body in system.bodies)


def cuts(system: System) -> tuple[Rod | PointCoincidence | FrameCoincidence, ...]:
    """List the constraints that transmit forces between bodies."""
    kinds = (Rod, PointCoincidence, FrameCoincidence)
    return tuple(c for c in system.constraints if isinstance(c, kinds))


@dataclass(frozen=True)
class ConstrainedForces:
    """Forces and moments at N states; NaN if undetermined, or if the equations are singular.

    Attributes
    ----------
    acceleration (N, n) : q''
    at_cuts (N, c, 6) : six numbers of each of the c :func:`cuts`
    at_joints (N, k, 6) : six numbers of each of the k bodies, or natively of those that coordinates move
    """

    acceleration: Array
    at_cuts: Array
    at_joints: Array


def open_forces(system: System, found: ConstrainedForces) -> Iterator[Diagnostic]:
    """Report forces that are undetermined at some of the states, cut by cut and joint by joint."""
    solved = np.isfinite(found.acceleration).all(axis=1)
    places = [(f"constraints/{cut.name}", x) for cut, x in zip(cuts(system), _each(found.at_cuts), strict=True)]
    places += [(f"bodies/{b}/joint", x) for b, x in zip(list_bodies(system), _each(found.at_joints), strict=True)]
    for place, six in places:
        unknown = np.isnan(six[solved]).any(axis=0)
        names = ", ".join(c for c, no in zip(COMPONENTS, unknown, strict=True) if no)
        if names:
            remedy = "leave out what constrains twice, or model what yields"
            yield Diagnostic("warning", place, f"{names} {OPEN}", remedy)


def _each(forces: Array) -> Array:
    return np.moveaxis(forces, 1, 0)
