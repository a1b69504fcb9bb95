"""MJCF, the models of MuJoCo, as MuJoCo compiles them: bodies, joints, inertia from shapes, forces."""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import Holds

HOLDS = Holds(
    features=frozenset({"armatures", "point_coincidences"}),
    partly=frozenset(
        {"joint_efforts", "effort_drives", "holonomic_rows", "cut_joints", "bipolar_forces", "bushings", "point_forces"}
    ),
    kept=frozenset({"coordinate_names", "body_names", "comments", "line_ends"}),
    metadata="mjcf:",
    encodings=frozenset({"utf-8-sig"}),
    reason="MJCF has no element for it",
    reasons={
        "coordinate_order": "coordinates stand in the order of the bodies",
        "joint_efforts": "MJCF has springs and dampers that are polynomials alone",
        "effort_drives": "MJCF has actuators that are linear in control, length and speed alone",
        "holonomic_rows": "MJCF has polynomials of one joint in another alone",
        "cut_joints": "MJCF welds frames and joins points: a cut joint is written if it is a hinge or a ball",
        "bipolar_forces": "MJCF has linear springs between points alone",
        "bushings": "MJCF has actuators at sites alone, and they are written where the text is unchanged",
        "point_forces": "MJCF has weight that is compensated alone",
        "initial_positions": "an MJCF has no state but its reference",
        "initial_velocities": "an MJCF has no state but its reference",
        "force_names": "forces are called after what they act on; it is read as {!r}",
        "constraint_names": "XML has no way to write it; it is read as {!r}",
        "armature_names": "armatures are called after what they turn with; it is read as {!r}",
        "functions": "MJCF has numbers alone",
        "prescribed_motion": "MJCF has no motion in time: it stands as at t = 0",
        "mapped_motion": "MJCF has no joint that a formula moves: it stands as at zero coordinates and t = 0",
        "omissions": "only what stood in the MJCF that the model was read from stays",
        "line_ends": "the lines of a file end alike",
        "encodings": "an MJCF is in UTF-8",
    },
)
FORMAT = Format(
    name="mjcf",
    title="MJCF: models of MuJoCo",
    suffixes=(".mjcf.xml", ".mjcf", ".xml"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.vocabulary:looks_like_mjcf"),
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    packages=True,
    refusals=Later(f"{__name__}.reader:refusals"),
    fittings=Later(f"{__name__}.reading.fittings:fittings"),
    physics="warn",
)

__all__ = ["FORMAT", "HOLDS"]
