"""Seeded faults of the readers of URDF, MJCF and SDF, each of which the second reading of the text has to notice."""

from __future__ import annotations

from ..injection import Fault
from .shared import Watched

_CONVERTERS = "mbconcord.converters."
CLAIM = "second_reading"


def _table(format: str, *rows: tuple[str, str, str, str, str]) -> tuple[Watched, ...]:
    """Rows: title, module of the reader, fixture, what stands there, and the fault."""
    made = []
    for title, module, fixture, original, faulty in rows:
        place = _CONVERTERS + (module if module.startswith("shapes") else f"{format}.{module}")
        fault = Fault(f"{format.upper()}: {title}", place, original, faulty, owner="reader")
        made.append(Watched(fault, CLAIM, f"{format}/{fixture}", 2))
    return tuple(made)


URDF = _table(
    "urdf",
    ("ixy and ixz exchanged", "reading.bodies", "arm.urdf", '"izz", "ixy", "ixz"', '"izz", "ixz", "ixy"'),
    ("mass in grams", "reading.bodies", "arm.urdf",
     "own = Inertia(mass or ZERO,", "own = Inertia((mass or ZERO) / 1000,"),
    ("turn of the inertial frame dropped", "reading.bodies", "arm.urdf",
     "own.rotated(matrix(turns)) if turns else own", "own"),
    ("centre of mass at the link's origin", "reading.bodies", "arm.urdf", "else own, centre=centre)", "else own)"),
    ("a joint moves before its origin", "reading.bodies", "arm.urdf", "(*constant, *moving)", "(*moving, *constant)"),
    ("roll, pitch, yaw about turned axes", "reading.frames", "arm.urdf",
     'zip("zyx", reversed(angles), strict=True)', 'zip("xyz", angles, strict=True)'),
    ("axes reversed", "reading.motions", "arm.urdf",
     "rotation)(direction, name),)", "rotation)([-x for x in direction], name),)"),
    ("axis z where none is given", "reading.frames", "arm.urdf", "return [ONE, ZERO, ZERO]\n    found",
     "return [ZERO, ZERO, ONE]\n    found"),
    ("axes of a planar joint exchanged", "reading.motions", "rover.urdf",
     "translation(first, along), translation(second, across)",
     "translation(second, along), translation(first, across)"),
    ("a floating joint turns x y z", "reading.motions", "rover.urdf",
     'zip("zyx", FLOATING[3:], strict=True)', 'zip("xyz", FLOATING[3:], strict=True)'),
    ("damping dropped", "reading.effects", "arm.urdf", "if not value or TYPES", "if value or TYPES"),
    ("damping drives", "reading.effects", "rover.urdf", "LinearLaw(d=value)", "LinearLaw(d=-value)"),
    ("multiplier of a mimic dropped", "reading.effects", "gripper.urdf",
     "- multiplier[0] * symbol(leader)", "- symbol(leader)"),
    ("offset of a mimic with the other sign", "reading.effects", "gripper.urdf", "- offset[0]", "+ offset[0]"),
    ("gravity upwards", "reader", "arm.urdf", "(ZERO, ZERO, MINUS_ONE))", "(ZERO, ZERO, -MINUS_ONE))"),
)  # fmt: skip

MJCF = _table(
    "mjcf",
    ("Euler angles about the other kind of axes", "reading.poses", "finger.xml",
     "len(found) if letter.islower() else 0", "0 if letter.islower() else len(found)"),
    ("degrees for radians", "reading.settings", "hopper.xml", 'DEGREE if angle == "degree" else ONE,', "ONE,"),
    ("quaternion with w last", "reading.poses", "finger.xml",
     "found = by_quaternion(values)", "found = by_quaternion((values[3], *values[:3]))"),
    ("a class inherits nothing", "reading.classes", "hopper.xml", "at = self.held[at][0]", "at = None"),
    ("childclass not seen", "reading.classes", "hopper.xml", 'attributes.get("childclass")', 'attributes.get("child")'),
    ("moments in another order", "reading.masses", "linkage.xml",
     "tensor(moments))", "tensor([moments[1], moments[0], moments[2]]))"),
    ("fullinertia: xy and xz exchanged", "reading.masses", "finger.xml",
     "tensor(full))", "tensor([*full[:3], full[4], full[3], full[5]]))"),
    ("a shape of the density 1000", "reading.masses", "hopper.xml",
     'factor = real(scalar(element, "density", DENSITY, self.findings))', "factor = 1000.0"),
    ("a shape between two points at the first", "reading.masses", "hopper.xml", "(a + b) / 2", "a"),
    ("caps of a capsule half as far away", "shapes", "hopper.xml", "3 * r * L / 8", "3 * r * L / 16"),
    ("the pose of a frame dropped", "reading.tree", "finger.xml", "steps = (*within, *self.poses.steps(child))",
     "steps = within"),
    ("pos of a joint ignored", "reading.bodies", "finger.xml", 'if joint.type == "slide":\n            position',
     "if True:\n            position"),
    ("ref with the other sign", "reading.bodies", "hopper.xml", "motion=Constant(-start)", "motion=Constant(start)"),
    ("the initial position zero in spite of ref", "reading.bodies", "hopper.xml", "yield Coordinate(name, start)",
     "yield Coordinate(name, ZERO)"),
    ("springref in the wrong unit", "reading.effects", "hopper.xml",
     'rest = rest * self.settings.angle if joint.type == "hinge" else rest', "pass"),
    ("stiffness pushes", "reading.effects", "hopper.xml", "LinearLaw(k=k[0]", "LinearLaw(k=-k[0]"),
    ("damping dropped", "reading.effects", "hopper.xml", "LinearLaw(d=d[0])", "LinearLaw(d=0 * d[0])"),
    ("damping of a ball as of three hinges", "reading.effects", "finger.xml",
     "tilt = sin(symbol(y))", "tilt = 0 * symbol(y)"),
    ("armature twice", "reading.effects", "hopper.xml",
     "ARMATURE, a, {joint.name: ONE}", "ARMATURE, 2 * a, {joint.name: ONE}"),
    ("compensation pulls down", "reading.effects", "finger.xml", "vector(-(c * own", "vector((c * own"),
    ("gravity: y with the other sign", "reading.settings", "finger.xml", "_gravity(vector(g))",
     "_gravity(vector([g[0], -g[1], g[2]]))"),
    ("a tendon pulls all joints alike", "reading.tendons", "finger.xml", "JointEffort(own, joint, c * pull)",
     "JointEffort(own, joint, pull)"),
    ("a tendon between sites at rest at zero", "reading.tendons", "finger.xml", "l0=length", "l0=ZERO"),
    ("gear once", "reading.actuators", "hopper.xml", "push = c * gear * force", "push = c * force"),
    ("gain with the other sign", "reading.actuators", "hopper.xml", "(g0 + g1 * length", "(-g0 + g1 * length"),
    ("kv of a servo drives", "reading.actuators", "hopper.xml",
     '-scalar(element, "kv", "0"', 'scalar(element, "kv", "0"'),
    ("a polynomial without its square", "reading.equalities", "linkage.xml", "in coefficients[1:]",
     "in coefficients[1:2]"),
    ("anchor of the second body in the world", "reading.equalities", "linkage.xml", "there.seen_from(other.pose).p",
     "there.p"),
)  # fmt: skip

SDF = _table(
    "sdf",
    ("axes in the joint's frame, whatever is said", "reading.joints", "arm.sdf",
     "        if not name:\n            return (), direction",
     "        if True:\n            return (), direction"),
    ("axis2 before axis", "reading.joints", "arm.sdf", '("axis", "axis2") if kind', '("axis2", "axis") if kind'),
    ("relative_to not seen", "reading.scopes", "arm.sdf", "frame.base = self.look_up(relative, scope, said)", "pass"),
    ("a joint stands in its parent", "reading.scopes", "arm.sdf",
     'frame.base = frame.held = self._end(frame, "child", child)',
     'frame.base = frame.held = self._end(frame, "parent", element.first("parent"))'),
    ("degrees not seen", "reading.poses", "arm.sdf", "angle * PI_NODE / 180 if in_degrees else angle", "angle"),
    ("angles about turned axes", "reading.poses", "arm.sdf",
     'zip("zyx", reversed(angles), strict=True)', 'zip("xyz", angles, strict=True)'),
    ("quaternion with w first", "reading.poses", "arm.sdf", "(turns[3], *turns[:3])", "turns"),
    ("turn of the inertial frame dropped", "reading.masses", "arm.sdf",
     "own.rotated(matrix(turns)) if turns else own", "own"),
    ("ixy and iyz exchanged", "reading.masses", "arm.sdf", '("ixy", "0"), ("ixz", "0"), ("iyz", "0")',
     '("iyz", "0"), ("ixz", "0"), ("ixy", "0")'),
    ("a length for half of it", "reading.masses", "station.sdf",
     '"cylinder": (("radius", 1, 1.0), ("length", 1, 0.5))', '"cylinder": (("radius", 1, 1.0), ("length", 1, 1.0))'),
    ("the density of a shape not seen", "reading.masses", "station.sdf", 'element.first("density"), str(general)',
     "None, str(general)"),
    ("a free link at the origin", "reading.bodies", "drone.sdf", "return (*there, *along, *about)",
     "return (*along, *about)"),
    ("rest length of springs dropped", "reading.effects", "arm.sdf", "LinearLaw(k=k, l0=rest)", "LinearLaw(k=k)"),
    ("damping twice", "reading.effects", "arm.sdf", "LinearLaw(d=d)", "LinearLaw(d=2 * d)"),
    ("pitch of a screw by the radian", "reading.effects", "press.sdf", "/ (TWO * PI_NODE)", "/ TWO"),
    ("reference of a mimic dropped", "reading.effects", "press.sdf", "(symbol(leader) - reference)", "symbol(leader)"),
    ("gear of a rotor taken twice", "reading.effects", "press.sdf",
     "coordinates[0]: gear}", "coordinates[0]: 2 * gear}"),
    ("a link without weight weighs twice", "reading.effects", "press.sdf",
     "vector(-(own.mass * g)", "vector((own.mass * g)"),
    ("gravity: x with the other sign", "reading.top", "press.sdf", "Gravity(size, (g[0],", "Gravity(size, (-g[0],"),
    ("frame of a closure on the second link the wrong way", "reading.bodies", "linkage.sdf",
     "At(_name(joint.child), back(joint.after))", "At(_name(joint.child), joint.after)"),
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (*URDF, *MJCF, *SDF)
