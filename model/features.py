"""Features of models: the vocabulary in which formalisms and formats declare what they support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .constraint import FrameCoincidence, Holonomic, Nonholonomic, PointCoincidence, Rod
from .coordinate import Effort, Motion
from .expressions import symbols
from .force import Bipolar, Bushing, JointEffort, PointForce, Torsion, Wrench, list_acting, list_words, may_have_words
from .system import System
from .transformation import ElementaryTransformation, Mapped, Prescribed

#: feature -> what it means, for tables and messages
FEATURES: dict[str, str] = {
    "prescribed_motion": "shifts and angles that are known functions of time",
    "mapped_motion": "shifts and angles that are functions of coordinates (maps)",
    "joint_efforts": "forces and torques along a coordinate",
    "effort_drives": "drives that apply a force or torque",
    "motion_drives": "drives that impose an acceleration (the mixed problem)",
    "bipolar_forces": "forces along the line between two points",
    "point_forces": "forces at a point of a body",
    "wrenches": "a force at a point and a moment on a body",
    "follower_forces": "forces in axes of the body on which they act",
    "kinematic_words": "formulas of forces that say how a point moves (vx(here), speed(tip))",
    "bushings": "springs and dampers between two frames (6×6)",
    "torsions": "moments about an axis between two frames",
    "rods": "inextensible rods between two points",
    "point_coincidences": "coinciding points",
    "cut_joints": "coinciding frames (cut joints)",
    "holonomic_rows": "holonomic constraint rows",
    "nonholonomic_rows": "nonholonomic constraint rows",
    "added_inertia": "added inertia of an ideal fluid",
    "flywheels": "flywheels",
    "elastic_modes": "elastic bodies",
    "armatures": "inertia along coordinates alone (rotors, armatures)",
}

#: What every formalism for open trees of rigid bodies takes.
OPEN_TREES = frozenset(
    {
        "prescribed_motion", "joint_efforts", "effort_drives", "bipolar_forces", "point_forces", "wrenches",
        "motion_drives",
    }
)  # fmt: skip

#: What steps of links (:mod:`.recursion`) take: forces along coordinates, and none between bodies.
STEPS_OF_LINKS = frozenset({"prescribed_motion", "joint_efforts", "effort_drives", "motion_drives"})

_CONSTRAINTS = {
    Rod: "rods",
    PointCoincidence: "point_coincidences",
    FrameCoincidence: "cut_joints",
    Holonomic: "holonomic_rows",
    Nonholonomic: "nonholonomic_rows",
}


def is_mapped(joint: Iterable[ElementaryTransformation]) -> bool:
    """Return True if a map of coordinates moves one of the transformations."""
    return any(isinstance(et.motion, Mapped) for et in joint)


def is_prescribed(et: ElementaryTransformation) -> bool:
    """Return True if time alone moves a transformation, or stands in its map."""
    motion = et.motion
    return isinstance(motion, Prescribed) or (isinstance(motion, Mapped) and "t" in symbols([motion.value]))


def has_maps(system: System) -> bool:
    """Return True if maps of coordinates move bodies of the model."""
    return any(is_mapped(body.joint) for body in system.bodies)


def features(system: System) -> Iterator[tuple[str, str]]:
    """Yield (feature, place) for everything the model uses beyond plain rigid trees."""
    for coordinate in system.coordinates:
        if isinstance(coordinate.drive, Motion):
            yield "motion_drives", f"coordinates/{coordinate.name}/drive"
        elif isinstance(coordinate.drive, Effort):
            yield "effort_drives", f"coordinates/{coordinate.name}/drive"
    for body in system.bodies:
        place = f"bodies/{body.name}"
        if any(map(is_prescribed, body.joint)):
            yield "prescribed_motion", f"{place}/joint"
        if is_mapped(body.joint):
            yield "mapped_motion", f"{place}/joint"
        if body.added_inertia:
            yield "added_inertia", f"{place}/added_inertia"
        if body.flywheels:
            yield "flywheels", f"{place}/flywheels"
        if body.modes:
            yield "elastic_modes", f"{place}/modes"
    for force in system.forces:
        kind = (
            "joint_efforts" if isinstance(force, JointEffort)
            else "bipolar_forces" if isinstance(force, Bipolar)
            else "follower_forces" if isinstance(force, (PointForce, Wrench)) and force.follows
            else "point_forces" if isinstance(force, PointForce)
            else "bushings" if isinstance(force, Bushing)
            else "torsions" if isinstance(force, Torsion)
            else "wrenches"
        )  # fmt: skip
        yield kind, f"forces/{force.name}"
    for place, group in list_acting(system.coordinates, system.forces):
        if may_have_words(group) and list_words(group):  # the first is faster
            yield "kinematic_words", place
    for armature in system.armatures:
        yield "armatures", f"armatures/{armature.name}"
    for constraint in system.constraints:
        yield _CONSTRAINTS[type(constraint)], f"constraints/{constraint.name}"
