"""Seeded faults of the readers of URDF, MJCF and SDF, each to be detected by the second reading of the text."""

from __future__ import annotations

from mbconcord.testing import Fault

from .shared import Watched

_CONVERTERS = "mbconcord.converters."
CLAIM = "second_reading"


def _table(format: str, *rows: tuple[str, str, str, str, str, str]) -> tuple[Watched, ...]:
    """Read rows: title, reader's module, fixture, function, original text, and the fault."""
    made = []
    for title, module, fixture, function, original, faulty in rows:
        place = _CONVERTERS + (module if module.startswith("shapes") else f"{format}.{module}")
        fault = Fault(f"{format.upper()}: {title}", place, function, original, faulty, owner="reader")
        made.append(Watched(fault, CLAIM, f"{format}/{fixture}", 2))
    return tuple(made)


URDF = _table(
    "urdf",
    ("ixy and ixz exchanged", "reader", "arm.urdf", "", "('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')",
     "('ixx', 'iyy', 'izz', 'ixz', 'ixy', 'iyz')"),
    ("mass in grams", "reader", "arm.urdf", "inertia",
     "Inertia(mass or ZERO, (ZERO, ZERO, ZERO), tensor(moments))",
     "Inertia((mass or ZERO) / 1000, (ZERO, ZERO, ZERO), tensor(moments))"),
    ("turn of the inertial frame dropped", "reader", "arm.urdf", "inertia",
     "own.rotate(matrix(turns)) if turns and turned else own", "own"),
    ("centre of mass at the link's origin", "reader", "arm.urdf", "inertia",
     "replace(own.rotate(matrix(turns)) if turns and turned else own, centre=centre)",
     "replace(own.rotate(matrix(turns)) if turns and turned else own)"),
    ("a joint moves before its origin", "reader", "arm.urdf", "_joint", "(*constant, *moving)",
     "(*moving, *constant)"),
    ("roll, pitch, yaw about turned axes", "reader", "arm.urdf", "_turns",
     "zip('zyx', reversed(angles), strict=True)", "zip('xyz', angles, strict=True)"),
    ("axes reversed", "reading.robot", "arm.urdf", "motion",
     "(translation if kind == 'prismatic' else rotation)(direction, name)",
     "(translation if kind == 'prismatic' else rotation)([-x for x in direction], name)"),
    ("axis z where none is given", "reader", "arm.urdf", "axis",
     "if element is None:\n    return [ONE, ZERO, ZERO]", "if element is None:\n    return [ZERO, ZERO, ONE]"),
    ("axes of a planar joint exchanged", "reading.robot", "rover.urdf", "planar",
     "(translation(first, along), translation(second, across), rotation(axis, turn))",
     "(translation(second, along), translation(first, across), rotation(axis, turn))"),
    ("a floating joint turns x y z", "reading.robot", "rover.urdf", "floating",
     "zip('zyx', FLOATING[3:], strict=True)", "zip('xyz', FLOATING[3:], strict=True)"),
    ("damping dropped", "reading.effects", "arm.urdf", "efforts",
     "not value or not TYPES[joint.type] or joint.type in TURNED",
     "value or not TYPES[joint.type] or joint.type in TURNED"),
    ("damping drives", "reading.effects", "rover.urdf", "efforts", "LinearLaw(d=value)", "LinearLaw(d=-value)"),
    ("multiplier of a mimic dropped", "reading.effects", "gripper.urdf", "mimics", "multiplier[0] * symbol(leader)",
     "symbol(leader)"),
    ("offset of a mimic with the other sign", "reading.effects", "gripper.urdf", "mimics",
     "symbol(joint.name) - multiplier[0] * symbol(leader) - offset[0]",
     "symbol(joint.name) - multiplier[0] * symbol(leader) + offset[0]"),
    ("gravity upwards", "reader", "arm.urdf", "read", "(ZERO, ZERO, MINUS_ONE)", "(ZERO, ZERO, -MINUS_ONE)"),
)  # fmt: skip

MJCF = _table(
    "mjcf",
    ("Euler angles about the other kind of axes", "reading.poses", "finger.xml", "Poses._euler",
     "len(found) if letter.islower() else 0", "0 if letter.islower() else len(found)"),
    ("degrees for radians", "reading.settings", "hopper.xml", "settings", "DEGREE if angle == 'degree' else ONE",
     "ONE"),
    ("quaternion with w last", "reading.poses", "finger.xml", "Poses._quaternion", "by_quaternion(values)",
     "by_quaternion((values[3], *values[:3]))"),
    ("a class inherits nothing", "reading.settings", "hopper.xml", "Classes.chain", "self.held[at][0]", "None"),
    ("childclass not seen", "reading.settings", "hopper.xml", "Classes.find_child_class",
     "element.attributes.get('childclass')",
     "element.attributes.get('child')"),
    ("moments in another order", "reading.masses", "linkage.xml", "MjcfMasses._explicit",
     "Inertia(mass, vector(centre), tensor(moments))",
     "Inertia(mass, vector(centre), tensor([moments[1], moments[0], moments[2]]))"),
    ("fullinertia: xy and xz exchanged", "reading.masses", "finger.xml", "MjcfMasses._explicit",
     "Inertia(mass, vector(centre), tensor(full))",
     "Inertia(mass, vector(centre), tensor([*full[:3], full[4], full[3], full[5]]))"),
    ("a shape of the density 1000", "reading.masses", "hopper.xml", "MjcfMasses.geom",
     "real(scalar(element, 'density', DENSITY, self.findings))", "1000.0"),
    ("a shape between two points at the first", "reading.masses", "hopper.xml", "MjcfMasses._measure_fromto",
     "FloatPose(self.poses.pose(along).R, (a + b) / 2)", "FloatPose(self.poses.pose(along).R, a)"),
    ("caps of a capsule half as far away", "shapes", "hopper.xml", "_capsule", "2 * r * r / 5 + 3 * r * L / 8",
     "2 * r * r / 5 + 3 * r * L / 16"),
    ("the pose of a frame dropped", "reading.tree", "finger.xml", "Trees._inside",
     "(*within, *self.poses.steps(child))", "within"),
    ("pos of a joint ignored", "reading.bodies", "finger.xml", "MjcfBodies._joint", "joint.type == 'slide'", "True"),
    ("ref with the other sign", "reading.bodies", "hopper.xml", "MjcfBodies._one", "Constant(-start)",
     "Constant(start)"),
    ("the initial position zero in spite of ref", "reading.bodies", "hopper.xml", "MjcfBodies.coordinates",
     "Coordinate(name, start)", "Coordinate(name, ZERO)"),
    ("springref in the wrong unit", "reading.bodies", "hopper.xml", "_MjcfAlong.springs",
     "rest = rest * self.settings.angle if joint.type == 'hinge' else rest", "pass"),
    ("stiffness pushes", "reading.bodies", "hopper.xml", "_MjcfAlong.springs", "LinearLaw(k=k[0], l0=rest)",
     "LinearLaw(k=-k[0], l0=rest)"),
    ("damping dropped", "reading.bodies", "hopper.xml", "_MjcfAlong.damping", "LinearLaw(d=d[0])",
     "LinearLaw(d=0 * d[0])"),
    ("damping of a ball as of three hinges", "reading.bodies", "finger.xml", "_MjcfAlong.damping", "sin(symbol(y))",
     "0 * symbol(y)"),
    ("armature twice", "reading.bodies", "hopper.xml", "_MjcfAlong.armatures",
     "Armature(joint.name + ARMATURE, a, {joint.name: ONE})",
     "Armature(joint.name + ARMATURE, 2 * a, {joint.name: ONE})"),
    ("compensation pulls down", "reading.bodies", "finger.xml", "compensation", "-(c * own.mass * g)",
     "c * own.mass * g"),
    ("gravity: y with the other sign", "reading.settings", "finger.xml", "settings", "_gravity(vector(g))",
     "_gravity(vector([g[0], -g[1], g[2]]))"),
    ("a tendon pulls all joints alike", "reading.tendons", "finger.xml", "_TendonReader._acts",
     "JointEffort(own, joint, c * pull)", "JointEffort(own, joint, pull)"),
    ("a tendon between sites at rest at zero", "reading.tendons", "finger.xml", "_TendonReader._acts",
     "LinearLaw(k=stiffness[0] if stiffness else ZERO, d=damping[0] if damping else ZERO, l0=length)",
     "LinearLaw(k=stiffness[0] if stiffness else ZERO, d=damping[0] if damping else ZERO, l0=ZERO)"),
    ("gear once", "reading.actuators", "hopper.xml", "ActuatorReader._actuator", "c * gear * force", "c * force"),
    ("gain with the other sign", "reading.actuators", "hopper.xml", "ActuatorReader._actuator", "g0 + g1 * length",
     "-g0 + g1 * length"),
    ("kv of a servo drives", "reading.actuators", "hopper.xml", "ActuatorReader._apply_element",
     "-scalar(element, 'kv', '0', self.findings)", "scalar(element, 'kv', '0', self.findings)"),
    ("a polynomial without its square", "reading.equalities", "linkage.xml", "Equalities._polynomial",
     "coefficients[1:]", "coefficients[1:2]"),
    ("anchor of the second body in the world", "reading.equalities", "linkage.xml", "Equalities._read_connect",
     "there.seen_from(other.pose)", "there"),
)  # fmt: skip

SDF = _table(
    "sdf",
    ("axes in the joint's frame, whatever is said", "reading.joints", "arm.sdf", "SdfJoints.find_direction",
     "if not name:\n    return ((), direction)", "if True:\n    return ((), direction)"),
    ("axis2 before axis", "reading.joints", "arm.sdf", "SdfJoints._motion", "('axis', 'axis2')", "('axis2', 'axis')"),
    ("relative_to not seen", "reading.scopes", "arm.sdf", "SdfScopes.find_base",
     "return self.look_up(relative, scope, said)", "return own"),
    ("a joint stands in its parent", "reading.scopes", "arm.sdf", "SdfScopes._place_frame",
     "self._end(frame, 'child', child)",
     "self._end(frame, 'parent', element.first('parent'))"),
    ("degrees not seen", "reading.documents", "arm.sdf", "_read_turns",
     "angle * PI_NODE / 180 if in_degrees else angle",
     "angle"),
    ("angles about turned axes", "reading.documents", "arm.sdf", "_read_turns",
     "zip('zyx', reversed(angles), strict=True)",
     "zip('xyz', angles, strict=True)"),
    ("quaternion with w first", "reading.documents", "arm.sdf", "pose", "(turns[3], *turns[:3])", "turns"),
    ("turn of the inertial frame dropped", "reading.masses", "arm.sdf", "SdfMasses._link",
     "own.rotate(matrix(turns)) if turns else own", "own"),
    ("ixy and iyz exchanged", "reading.masses", "arm.sdf", "",
     "(('ixx', '1'), ('iyy', '1'), ('izz', '1'), ('ixy', '0'), ('ixz', '0'), ('iyz', '0'))",
     "(('ixx', '1'), ('iyy', '1'), ('izz', '1'), ('iyz', '0'), ('ixz', '0'), ('ixy', '0'))"),
    ("a length for half of it", "reading.masses", "station.sdf", "",
     "{'box': (('size', 3, 0.5),), 'sphere': (('radius', 1, 1.0),), 'cylinder': (('radius', 1, 1.0), ('length', 1, "
     "0.5)), 'capsule': (('radius', 1, 1.0), ('length', 1, 0.5)), 'ellipsoid': (('radii', 3, 1.0),)}",
     "{'box': (('size', 3, 0.5),), 'sphere': (('radius', 1, 1.0),), 'cylinder': (('radius', 1, 1.0), ('length', 1, "
     "1.0)), 'capsule': (('radius', 1, 1.0), ('length', 1, 0.5)), 'ellipsoid': (('radii', 3, 1.0),)}"),
    ("the density of a shape not seen", "reading.masses", "station.sdf", "SdfMasses._of_shapes",
     "row(element.first('density'), str(general), self.findings)", "row(None, str(general), self.findings)"),
    ("a free link at the origin", "reading.tree", "drone.sdf", "SdfBodies._way", "(*there, *along, *about)",
     "(*along, *about)"),
    ("rest length of springs dropped", "reading.tree", "arm.sdf", "forces", "LinearLaw(k=k, l0=rest)",
     "LinearLaw(k=k)"),
    ("damping twice", "reading.tree", "arm.sdf", "forces", "LinearLaw(d=d)", "LinearLaw(d=2 * d)"),
    ("pitch of a screw by the radian", "reading.tree", "press.sdf", "screws",
     "pitch * symbol(turn) / (TWO * PI_NODE)", "pitch * symbol(turn) / TWO"),
    ("reference of a mimic dropped", "reading.tree", "press.sdf", "mimics", "symbol(leader) - reference",
     "symbol(leader)"),
    ("gear of a rotor taken twice", "reading.tree", "press.sdf", "rotors", "{joint.coordinates[0]: gear}",
     "{joint.coordinates[0]: 2 * gear}"),
    ("a link without weight weighs twice", "reading.tree", "press.sdf", "weights", "-(own.mass * g)",
     "own.mass * g"),
    ("gravity: x with the other sign", "reader", "press.sdf", "gravity", "(g[0], g[1], g[2])",
     "(-g[0], g[1], g[2])"),
    ("frame of a closure on the second link the wrong way", "reading.tree", "linkage.sdf", "SdfBodies.closures",
     "back(joint.after)", "joint.after"),
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (*URDF, *MJCF, *SDF)
