"""URDF, the robot description format of ROS: links, the joints that carry them, and content that does not affect
dynamics.
"""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import Holds

HOLDS = Holds(
    partly=frozenset({"joint_efforts", "holonomic_rows", "armatures"}),
    kept=frozenset({"coordinate_order", "coordinate_names", "body_names", "comments", "line_ends"}),
    metadata="urdf:",
    encodings=frozenset({"utf-8-sig"}),
    reason="URDF has no element for it",
    reasons={
        "joint_efforts": "URDF has damping -d q' and dry friction -F sign(q') alone",
        "holonomic_rows": "URDF has mimics alone: one coordinate is linear in another",
        "armatures": "URDF has rotors that turn with one joint alone",
        "armature_names": "rotors are called after their joints; it is read as {!r}",
        "initial_positions": "a URDF has no state",
        "initial_velocities": "a URDF has no state",
        "force_names": "forces have no names in URDF; it is read as {!r}",
        "constraint_names": "constraints have no names in URDF; it is read as {!r}",
        "functions": "URDF has numbers alone",
        "prescribed_motion": "URDF has no motion in time: it stands as at t = 0",
        "mapped_motion": "URDF has no joint that a formula moves: it stands as at zero coordinates and t = 0",
        "omissions": "only what stood in the URDF that the model was read from stays",
        "line_ends": "the lines of a file end alike",
        "encodings": "a URDF is in UTF-8",
    },
)
FORMAT = Format(
    name="urdf",
    title="URDF: robots of ROS",
    suffixes=(".urdf",),
    holds=HOLDS,
    sniff=Later(f"{__name__}.vocabulary:looks_like_urdf"),
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    freed=Later(f"{__name__}.reader:free_base"),
    programs={"mujoco": Later(f"{__name__}.as_mujoco:as_mujoco")},
    fittings=Later(f"{__name__}.reading.fittings:fittings"),
    physics="warn",
)

__all__ = ["FORMAT", "HOLDS"]
