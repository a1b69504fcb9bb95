"""Reading of a text of URDF at one state: each link is carried by a joint, placed by its origin in the parent link.

Coordinates are named after their joints; the root link is fixed, and if it is called ``world`` it is the fixed frame
itself. Joint limits and shapes are left out of the motion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..machine import (
    NO_TENSOR,
    NOWHERE,
    At,
    SecondMachine,
    SecondRow,
    SecondSolid,
    Steps,
    Tensor,
    Triple,
    UnreadError,
    linear,
    symmetric,
)
from .tags import (
    Tag,
    free,
    matrix,
    move_along,
    quaternion,
    roll_pitch_yaw,
    root,
    rotate_tensor,
    shift,
    tilt,
    triple,
    unit,
)

#: Type of a joint -> endings that the joint's name gets in names of its coordinates.
ENDINGS = {
    "revolute": ("",), "continuous": ("",), "prismatic": ("",), "fixed": (), "planar": ("_TX", "_TY", "_RZ"),
    "floating": ("_TX", "_TY", "_TZ", "_RZ", "_RY", "_RX"), "spherical": ("_RZ", "_RY", "_RX"),
}  # fmt: skip
G = 9.81


def read(text: str, at: At) -> SecondMachine:
    """Read the machine of a text at a state."""
    robot = root(text, "robot")
    links = {link.own["name"]: link for link in robot.all("link")}
    joints = {joint.own["name"]: joint for joint in robot.all("joint")}
    carried = {joint.one("child").own["link"]: joint for joint in joints.values()}
    if len(links) != len(robot.all("link")) or len(carried) != len(robot.all("joint")):
        raise UnreadError("two links or joints of one name, or a link on two joints")
    worlds = {"world"} & {joint.one("parent").own["link"] for joint in joints.values()}  # declared or not
    (base,) = (name for name in {*links, *worlds} if name not in carried)
    solids = [] if base == "world" else [_solid(base, None, (), links[base])]
    reached = {base: None if base == "world" else base}
    waiting = dict(carried)
    while waiting:
        ready = [name for name, joint in waiting.items() if joint.one("parent").own["link"] in reached]
        if not ready:
            raise UnreadError("links that hang on one another")
        for name in ready:
            joint = waiting.pop(name)
            parent = reached[joint.one("parent").own["link"]]
            reached[name] = name
            solids.append(_solid(name, parent, (*_origin(joint), *_motion(joint)), links[name]))
    coordinates = [name for joint in joints.values() for name in _coordinates(joint)]
    return SecondMachine(
        tuple(coordinates),
        tuple(solids),
        (0.0, 0.0, -G),
        {q: f for joint in joints.values() for q, f in _list_rubbed(joint, at)},
        rows=tuple(_mimic(joint, at) for joint in joints.values() if joint.has("mimic") and _coordinates(joint)),
        starts=dict.fromkeys(coordinates, (0.0, 0.0)),
        armatures=tuple(x for t in robot.all("transmission") for x in _rotor(t, joints)),
        beside=tuple(f"{kind}/{name}" for name, joint in joints.items() for kind in _beside(joint)),
    )  # fmt: skip


def _coordinates(joint: Tag) -> list[str]:
    return [joint.own["name"] + ending for ending in ENDINGS[joint.own["type"]]]


def _read_origin(origin: Tag) -> tuple[Steps, Steps]:
    """Return the steps of an origin: its shift, and the turns after it, about the fixed axes x, y, z."""
    turns = (
        quaternion(*(origin.row("quat_xyzw", "0 0 0 1")[k] for k in (3, 0, 1, 2)))
        if "quat_xyzw" in origin.own
        else roll_pitch_yaw(*origin.row("rpy", "0 0 0"))
    )
    return shift(origin.row("xyz", "0 0 0")), turns


def _origin(joint: Tag) -> Steps:
    place, turns = _read_origin(joint.one("origin"))
    return (*place, *turns)


def _motion(joint: Tag) -> Steps:
    """Return the steps of a joint's coordinates, which follow those of its origin."""
    kind, names = joint.own["type"], _coordinates(joint)
    if kind == "fixed":
        return ()
    if kind in ("floating", "spherical"):
        return free(names)
    axis = unit(joint.one("axis").row("xyz", "1 0 0"))
    if kind == "planar":
        R = matrix(tilt(axis))[:3, :3]
        return move_along("sst", (triple(R[:, 0]), triple(R[:, 1]), axis), names)
    return move_along("s" if kind == "prismatic" else "t", (axis,), names)


def _solid(name: str, parent: str | None, steps: Steps, link: Tag) -> SecondSolid:
    mass, centre, tensor = _inertia(link)
    return SecondSolid(name, parent, steps, mass, centre, tensor)


def _inertia(link: Tag) -> tuple[float, Triple, Tensor]:
    """Return mass, centre and tensor of a link, the tensor rotated from the inertial's axes to those of the link."""
    if not link.has("inertial"):
        return 0.0, NOWHERE, NO_TENSOR
    inertial = link.one("inertial")
    moments, (place, turns) = inertial.one("inertia"), _read_origin(inertial.one("origin"))
    own = symmetric(*(moments.number(key, "missing") for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")))
    return (
        inertial.one("mass").number("value", "missing"),
        triple(matrix(place)[:3, 3]),
        rotate_tensor(own, matrix(turns)[:3, :3]) if turns else own,
    )


def _list_rubbed(joint: Tag, at: At) -> list[tuple[str, float]]:
    """Return coordinates with efforts of damping and friction; planar: damping only; floating, spherical: none."""
    names = _coordinates(joint)
    d, rough = (joint.one("dynamics").number(key, "0") for key in ("damping", "friction"))
    if len(names) > 1:
        rough = 0.0
    if joint.own["type"] in ("floating", "spherical") or not (d or rough):
        return []
    return [(q, -d * at.v[q] - math.copysign(rough, at.v[q]) * (at.v[q] != 0)) for q in names]


def _beside(joint: Tag) -> Iterator[str]:
    """Yield kinds of left-out efforts: dry friction of planar joints; also damping of floating and spherical ones."""
    dynamics = joint.one("dynamics")
    if len(_coordinates(joint)) > 1 and dynamics.number("friction", "0"):
        yield "joint-friction"
    if joint.own["type"] in ("floating", "spherical") and dynamics.number("damping", "0"):
        yield "joint-damping"


def _mimic(joint: Tag, at: At) -> SecondRow:
    """Return the constraint row q - multiplier · leader - offset = 0 of a mimic joint."""
    mimic, q = joint.one("mimic"), joint.own["name"]
    leader, factor, offset = mimic.own["joint"], mimic.number("multiplier", "1"), mimic.number("offset", "0")
    terms, rates = (at.q[q], -factor * at.q[leader], -offset), (at.v[q], -factor * at.v[leader])
    return linear(f"{q}_mimic", terms, rates)


def _rotor(transmission: Tag, joints: dict[str, Tag]) -> list[tuple[float, dict[str, float]]]:
    """Return pairs of a rotor's inertia and gear ratio by coordinate, for a transmission of one joint and actuator."""
    named, actuators = transmission.all("joint"), transmission.all("actuator")
    if len(named) != 1 or len(actuators) != 1 or named[0].own.get("name") not in joints:
        return []
    joint, actuator = joints[named[0].own["name"]], actuators[0]
    inertia = actuator.one("drake:rotor_inertia").number("value", "0")
    if not inertia or len(_coordinates(joint)) != 1:
        return []
    return [(inertia, {joint.own["name"]: actuator.one("drake:gear_ratio").number("value", "1")})]
