"""SDF, the format of Gazebo: links with poses in named frames, joints between them, models within models, worlds."""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import Holds

HOLDS = Holds(
    partly=frozenset({"joint_efforts", "holonomic_rows", "armatures", "point_forces", "cut_joints"}),
    kept=frozenset({"coordinate_order", "coordinate_names", "body_names", "comments", "line_ends"}),
    metadata="sdf:",
    encodings=frozenset({"utf-8-sig"}),
    reason="SDF has no element for it",
    reasons={
        "coordinate_order": "coordinates of free links come first",
        "joint_efforts": "SDF has springs and dampers that are linear, and dry friction -F sign(q'), alone",
        "holonomic_rows": "SDF has mimics alone: one coordinate is linear in another",
        "armatures": "SDF has rotors that turn with one joint alone",
        "point_forces": "SDF has weight that is switched off alone",
        "cut_joints": "SDF has joints that close where all coordinates are zero alone",
        "armature_names": "rotors are called after their joints; it is read as {!r}",
        "initial_positions": "an SDF has no state but that of the file",
        "initial_velocities": "an SDF has no state but that of the file",
        "force_names": "forces are called after what they act on; it is read as {!r}",
        "constraint_names": "constraints are called after their joints; it is read as {!r}",
        "functions": "SDF has numbers alone",
        "prescribed_motion": "SDF has no motion in time: it stands as at t = 0",
        "mapped_motion": "SDF has no joint that a formula moves: it stands as at zero coordinates and t = 0",
        "omissions": "only what stood in the SDF that the model was read from stays",
        "line_ends": "the lines of a file end alike",
        "encodings": "an SDF is in UTF-8",
    },
)
FORMAT = Format(
    name="sdf",
    title="SDF: models of Gazebo",
    suffixes=(".sdf", ".world"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.vocabulary:looks_like_sdf"),
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    packages=True,
    fittings=Later(f"{__name__}.reading.fittings:fittings"),
    physics="warn",
)

__all__ = ["FORMAT", "HOLDS"]
