"""Forces under constraints: what cuts transmit, and what the joints of the tree bear with that.

Of every constraint between bodies (rods, coinciding points and frames; :func:`cuts`) six numbers: the force (N) that
its first side exerts on its second, and its moment (N m) about the cut, in the axes of the second body's frame. The cut
is the second point, or the origin of the second frame. Of every joint those of :mod:`mbconcord.model.joint_forces`,
at the accelerations that the constraints admit. Formulas of coordinates, and drives that impose accelerations, act
inside the joints of their coordinates like any drive.

Rows that depend on each other share their reaction in no way that the equations know: what changes with the share is
not determined, and NaN; the motion and all other forces are unique.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .constraint import FrameCoincidence, PointCoincidence, Rod
from .diagnostics import Diagnostic
from .evaluation import Array
from .joint_forces import COMPONENTS, jointed
from .system import System

#: The name under which forces at the cuts are asked for and shown.
CUT_FORCES = "cut_forces"


def cuts(system: System) -> tuple[Rod | PointCoincidence | FrameCoincidence, ...]:
    """The constraints that bodies transmit forces through."""
    kinds = (Rod, PointCoincidence, FrameCoincidence)
    return tuple(c for c in system.constraints if isinstance(c, kinds))


@dataclass(frozen=True)
class ConstrainedForces:
    """Forces and moments at N states; NaN what is not determined, or where the equations are singular.

    Attributes
    ----------
    acceleration (N, n) : q''
    at_cuts (N, c, 6) : of the c :func:`cuts`
    at_joints (N, k, 6) : of the k bodies that coordinates move
    """

    acceleration: Array
    at_cuts: Array
    at_joints: Array


def open_forces(system: System, found: ConstrainedForces) -> Iterator[Diagnostic]:
    """Which forces are not determined at some of the states, cut by cut and joint by joint."""
    solved = np.isfinite(found.acceleration).all(axis=1)
    places = [
        (f"constraints/{cut.name}", x) for cut, x in zip(cuts(system), _each(found.at_cuts), strict=True)
    ]
    places += [(f"bodies/{b}/joint", x) for b, x in zip(jointed(system), _each(found.at_joints), strict=True)]
    for place, six in places:
        unknown = np.isnan(six[solved]).any(axis=0)
        names = ", ".join(c for c, no in zip(COMPONENTS, unknown, strict=True) if no)
        if names:
            message = f"{names} not determined: rows that depend on each other share the load in any way"
            yield Diagnostic(
                "warning", place, message, "leave out what constrains twice, or model what yields"
            )


def _each(forces: Array) -> Array:
    return np.moveaxis(forces, 1, 0)
