"""MBSD, the short symbolic line of Golomazdin & Dmitrochenko 2022: ``zi>zig`` is a double pendulum."""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import KEPT, Holds

from .syntax import looks_like_mbsd

HOLDS = Holds(
    features=frozenset(
        {
            "prescribed_motion",
            "mapped_motion",
            "joint_efforts",
            "bipolar_forces",
            "rods",
            "cut_joints",
            "kinematic_words",
        }
    ),
    kept=KEPT.keys()
    - {
        "coordinate_order",
        "force_names",
        "constraint_names",
        "armature_names",
        "points",
        "normal_forces",
        "elements",
        "linear_laws",
        "several_joint_forces",
        "language",
        "omissions",
    },
    encodings=frozenset({"utf-8-sig"}),
    reason="MBSD has no sign for it",
    reasons={
        "coordinate_order": "coordinates stand in the order of the joints",
        "force_names": "forces have no names in MBSD; it is read as {!r}",
        "constraint_names": "constraints have no names in MBSD; it is read as {!r}",
        "linear_laws": "it is written as a formula",
        "elements": "it is written as a formula",
        "several_joint_forces": "a coordinate has one; their sum is written",
        "line_ends": "the lines of a file end alike",
        "encodings": "an MBSD text is in UTF-8",
    },
)

FORMAT = Format(
    name="mbsd",
    title="MBSD: short symbolic line",
    suffixes=(".mbsd",),
    holds=HOLDS,
    sniff=looks_like_mbsd,
    read=Later(f"{__name__}.reader:read"),
    write=Later(f"{__name__}.writer:write"),
    line=Later(f"{__name__}.writer:on_one_line"),
)

__all__ = ["FORMAT", "HOLDS"]
