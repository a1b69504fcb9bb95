"""OpenUSD stages of robots: rigid bodies, joints that carry them or close loops, masses by the rules of UsdPhysics."""

from mbconcord.converters.format import Format, Later
from mbconcord.converters.losses import Holds

HOLDS = Holds(
    features=frozenset({"point_coincidences", "rods"}),
    partly=frozenset({"joint_efforts", "effort_drives", "holonomic_rows", "armatures", "cut_joints"}),
    kept=frozenset({"coordinate_order", "coordinate_names", "body_names", "initial_positions"}),
    metadata="usd:",
    reason="USD has no prim for it",
    reasons={
        "coordinate_order": "coordinates of free bodies come first, and those of one body stand together",
        "joint_efforts": "USD has springs and dampers that are linear, dry friction and actuators, alone",
        "effort_drives": "MjcActuator is linear in controls, position and speed of its joint alone",
        "holonomic_rows": "USD has mimics alone: one coordinate is linear in another, and both turn or both shift",
        "armatures": "USD has rotors that turn with one joint alone",
        "armature_names": "rotors are called after their joints; it is read as {!r}",
        "cut_joints": "a cut joint is written if it has one coordinate or none",
        "initial_positions": "a stage has them where a joint is the only one of its body, of less than half a turn",
        "initial_velocities": "a stage has them of free bodies alone",
        "force_names": "forces are called after what they act on; it is read as {!r}",
        "constraint_names": "constraints are called after their joints; it is read as {!r}",
        "functions": "USD has numbers alone",
        "prescribed_motion": "a stage is written without motion in time: it stands as at t = 0",
        "mapped_motion": "USD has no joint that a formula moves: it stands as at zero coordinates and t = 0",
        "omissions": "a stage is written anew",
    },
)
FORMAT = Format(
    name="usd",
    title="OpenUSD: stages with UsdPhysics",
    suffixes=(".usda", ".usd", ".usdc", ".usdz"),
    holds=HOLDS,
    sniff=Later(f"{__name__}.opening:looks_like_usd"),
    read=Later(f"{__name__}.opening:read"),
    write=Later(f"{__name__}.writer:write"),
    decode=Later(f"{__name__}.opening:decode"),
    encode=Later(f"{__name__}.writer:encode"),
    packages=True,
    words=("all", "physics", "newton", "mujoco"),
    fittings=Later(f"{__name__}.reader:fittings"),
    transcribe=Later(f"{__name__}.opening:transcribe"),
    physics="warn",
)

__all__ = ["FORMAT", "HOLDS"]
