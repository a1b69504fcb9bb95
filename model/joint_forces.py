"""Forces in joints: what a carrier exerts on a body through the joint between them, drives included.

Of every body that a coordinate moves (:func:`jointed`), in the order of the model, six numbers: the force (N) and its
moment (N m) about the origin of the body's frame, both in the body's axes (:data:`COMPONENTS`). Bodies welded to the
body are part of it. They are those that the accelerations q'' need::

    force = Σ m (a - g) - Σ F ,   moment = Σ (r - o) × m (a - g) + d(I ω)/dt - Σ (p - o) × F - Σ T

over all that the joint carries, with the loads F at p and T. What drives and joint efforts do is inside them, as they
act between the carrier and the body. Identity: along a last revolute or prismatic axis through the origin they are
inverse dynamics and the efforts of the model along that coordinate.
"""

from __future__ import annotations

from typing import Final

from .system import System

#: The name under which formalisms deliver them natively: six expressions of each joint over q, q', q'' and t.
JOINT_FORCES: Final = "joint_forces"
#: The six of one joint: N, then N m about the origin of the body's frame, in its axes.
COMPONENTS: Final = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")


def jointed(system: System) -> tuple[str, ...]:
    """Names of the bodies that coordinates of their own joints move."""
    return tuple(body.name for body in system.bodies if any(et.coordinate for et in body.joint))
