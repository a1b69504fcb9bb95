"""Seeded faults of the readers of URDF, MJCF and SDF, each to be detected by the second reading of the text."""

from __future__ import annotations

from .shared import Watched, watched

CLAIM = "second_reading"


def _table(format: str, *rows: tuple[str, str, str, str]) -> tuple[Watched, ...]:
    """Read rows: title, place in the reader of a format, or in the shapes of all of them, change, fixture."""
    told = (
        (f"{format.upper()}: {title}", place if place.startswith("shapes:") else f"{format}.{place}", change, fixture)
        for title, place, change, fixture in rows
    )
    return watched("converters", *((*row[:3], CLAIM, f"{format}/{row[3]}") for row in told), owner="reader")


URDF = _table(
    "urdf",
    ("ixy and ixz exchanged", "reader:", "('ixx', 'iyy', 'izz', '«ixy', 'ixz → ixz', 'ixy»', 'iyz')", "arm.urdf"),
    ("mass in grams", "reader:inertia",
     "Inertia(«mass or ZERO → (mass or ZERO) / 1000», (ZERO, ZERO, ZERO), tensor(moments))", "arm.urdf"),
    ("turn of the inertial frame dropped", "reader:inertia",
     "own«.rotate(matrix(turns)) if turns and turned else own → »", "arm.urdf"),
    ("centre of mass at the link's origin", "reader:inertia",
     "replace(own.rotate(matrix(turns)) if turns and turned else own«, centre=centre → »)", "arm.urdf"),
    ("a joint moves before its origin", "reader:_joint", "(*«constant, *moving → moving, *constant»)", "arm.urdf"),
    ("roll, pitch, yaw about turned axes", "reader:_turns",
     "zip(«'zyx', reversed(angles) → 'xyz', angles», strict=True)", "arm.urdf"),
    ("axes reversed", "reading.robot:motion",
     "(translation if kind == 'prismatic' else rotation)(«direction → [-x for x in direction]», name)", "arm.urdf"),
    ("axis z where none is given", "reader:axis",
     "if element is None:\n    return [«ONE, ZERO, ZERO → ZERO, ZERO, ONE»]", "arm.urdf"),
    ("axes of a planar joint exchanged", "reading.robot:planar",
     "(translation«(first, along), translation(second, across) → (second, along), translation(first, across)», "
     "rotation(axis, turn))", "rover.urdf"),
    ("a floating joint turns x y z", "reading.robot:floating", "zip('«zyx → xyz»', FLOATING[3:], strict=True)",
     "rover.urdf"),
    ("damping dropped", "reading.effects:efforts", "«not  → »value or not TYPES[joint.type] or joint.type in TURNED",
     "arm.urdf"),
    ("damping drives", "reading.effects:efforts", "LinearLaw(d=« → -»value)", "rover.urdf"),
    ("multiplier of a mimic dropped", "reading.effects:mimics", "«multiplier[0] *  → »symbol(leader)", "gripper.urdf"),
    ("offset of a mimic with the other sign", "reading.effects:mimics",
     "symbol(joint.name) - multiplier[0] * symbol(leader) «- → +» offset[0]", "gripper.urdf"),
    ("gravity upwards", "reader:read", "(ZERO, ZERO, « → -»MINUS_ONE)", "arm.urdf"),
)  # fmt: skip

MJCF = _table(
    "mjcf",
    ("Euler angles about the other kind of axes", "reading.poses:Poses._euler",
     "«len(found) if letter.islower() else 0 → 0 if letter.islower() else len(found)»", "finger.xml"),
    ("degrees for radians", "reading.settings:settings", "«DEGREE if angle == 'degree' else  → »ONE", "hopper.xml"),
    ("quaternion with w last", "reading.poses:Poses._quaternion", "by_quaternion(«values → (values[3], *values[:3])»)",
     "finger.xml"),
    ("a class inherits nothing", "reading.settings:Classes.chain", "«self.held[at][0] → None»", "hopper.xml"),
    ("childclass not seen", "reading.settings:Classes.find_child_class",
     "element.attributes.get('«childclass → child»')", "hopper.xml"),
    ("moments in another order", "reading.masses:MjcfMasses._explicit",
     "Inertia(mass, vector(centre), tensor(«moments → [moments[1], moments[0], moments[2]]»))", "linkage.xml"),
    ("fullinertia: xy and xz exchanged", "reading.masses:MjcfMasses._explicit",
     "Inertia(mass, vector(centre), tensor(«full → [*full[:3], full[4], full[3], full[5]]»))", "finger.xml"),
    ("a shape of the density 1000", "reading.masses:MjcfMasses.geom",
     "«real(scalar(element, 'density', DENSITY, self.findings)) → 1000.0»", "hopper.xml"),
    ("a shape between two points at the first", "reading.masses:MjcfMasses._measure_fromto",
     "FloatPose(self.poses.pose(along).R, «(a + b) / 2 → a»)", "hopper.xml"),
    ("caps of a capsule half as far away", "shapes:_capsule", "2 * r * r / 5 + 3 * r * L / «8 → 16»", "hopper.xml"),
    ("the pose of a frame dropped", "reading.tree:Trees._inside", "«(*within, *self.poses.steps(child)) → within»",
     "finger.xml"),
    ("pos of a joint ignored", "reading.bodies:MjcfBodies._joint", "«joint.type == 'slide' → True»", "finger.xml"),
    ("ref with the other sign", "reading.bodies:MjcfBodies._one", "Constant(«- → »start)", "hopper.xml"),
    ("the initial position zero in spite of ref", "reading.bodies:MjcfBodies.coordinates",
     "Coordinate(name, «start → ZERO»)", "hopper.xml"),
    ("springref in the wrong unit", "reading.bodies:_MjcfAlong.springs",
     "«rest = rest * self.settings.angle if joint.type == 'hinge' else rest → pass»", "hopper.xml"),
    ("stiffness pushes", "reading.bodies:_MjcfAlong.springs", "LinearLaw(k=« → -»k[0], l0=rest)", "hopper.xml"),
    ("damping dropped", "reading.bodies:_MjcfAlong.damping", "LinearLaw(d=« → 0 * »d[0])", "hopper.xml"),
    ("damping of a ball as of three hinges", "reading.bodies:_MjcfAlong.damping", "«sin(symbol(y)) → 0 * symbol(y)»",
     "finger.xml"),
    ("armature twice", "reading.bodies:_MjcfAlong.armatures",
     "Armature(joint.name + ARMATURE, « → 2 * »a, {joint.name: ONE})", "hopper.xml"),
    ("compensation pulls down", "reading.bodies:compensation", "«-(c * own.mass * g) → c * own.mass * g»",
     "finger.xml"),
    ("gravity: y with the other sign", "reading.settings:settings", "_gravity(vector(«g → [g[0], -g[1], g[2]]»))",
     "finger.xml"),
    ("a tendon pulls all joints alike", "reading.tendons:_TendonReader._acts", "JointEffort(own, joint, «c *  → »pull)",
     "finger.xml"),
    ("a tendon between sites at rest at zero", "reading.tendons:_TendonReader._acts",
     "LinearLaw(k=stiffness[0] if stiffness else ZERO, d=damping[0] if damping else ZERO, l0=«length → ZERO»)",
     "finger.xml"),
    ("gear once", "reading.actuators:ActuatorReader._actuator", "c * «gear *  → »force", "hopper.xml"),
    ("gain with the other sign", "reading.actuators:ActuatorReader._actuator", "« → -»g0 + g1 * length", "hopper.xml"),
    ("kv of a servo drives", "reading.actuators:ActuatorReader._apply_element",
     "«- → »scalar(element, 'kv', '0', self.findings)", "hopper.xml"),
    ("a polynomial without its square", "reading.equalities:Equalities._polynomial", "coefficients[1:« → 2»]",
     "linkage.xml"),
    ("anchor of the second body in the world", "reading.equalities:Equalities._read_connect",
     "there«.seen_from(other.pose) → »", "linkage.xml"),
)  # fmt: skip

SDF = _table(
    "sdf",
    ("axes in the joint's frame, whatever is said", "reading.joints:SdfJoints.find_direction",
     "if «not name → True»:\n    return ((), direction)", "arm.sdf"),
    ("axis2 before axis", "reading.joints:SdfJoints._motion", "('«axis', 'axis2 → axis2', 'axis»')", "arm.sdf"),
    ("relative_to not seen", "reading.scopes:SdfScopes.find_base", "return «self.look_up(relative, scope, said) → own»",
     "arm.sdf"),
    ("a joint stands in its parent", "reading.scopes:SdfScopes._place_frame",
     "self._end(frame, «'child', child → 'parent', element.first('parent')»)", "arm.sdf"),
    ("degrees not seen", "reading.documents:_read_turns", "angle« * PI_NODE / 180 if in_degrees else angle → »",
     "arm.sdf"),
    ("angles about turned axes", "reading.documents:_read_turns",
     "zip(«'zyx', reversed(angles) → 'xyz', angles», strict=True)", "arm.sdf"),
    ("quaternion with w first", "reading.documents:pose", "«(turns[3], *turns[:3]) → turns»", "arm.sdf"),
    ("turn of the inertial frame dropped", "reading.masses:SdfMasses._link",
     "own«.rotate(matrix(turns)) if turns else own → »", "arm.sdf"),
    ("ixy and iyz exchanged", "reading.masses:",
     "(('ixx', '1'), ('iyy', '1'), ('izz', '1'), «('ixy', '0'), ('ixz', '0'), ('iyz', '0') → ('iyz', '0'), ('ixz', "
     "'0'), ('ixy', '0')»)", "arm.sdf"),
    ("a length for half of it", "reading.masses:",
     "{'box': (('size', 3, 0.5),), 'sphere': (('radius', 1, 1.0),), 'cylinder': (('radius', 1, 1.0), ('length', 1, "
     "«0.5 → 1.0»)), 'capsule': (('radius', 1, 1.0), ('length', 1, 0.5)), 'ellipsoid': (('radii', 3, 1.0),)}",
     "station.sdf"),
    ("the density of a shape not seen", "reading.masses:SdfMasses._of_shapes",
     "row(«element.first('density') → None», str(general), self.findings)", "station.sdf"),
    ("a free link at the origin", "reading.tree:SdfBodies._way", "(*«there, * → »along, *about)", "drone.sdf"),
    ("rest length of springs dropped", "reading.tree:forces", "LinearLaw(k=k«, l0=rest → »)", "arm.sdf"),
    ("damping twice", "reading.tree:forces", "LinearLaw(d=« → 2 * »d)", "arm.sdf"),
    ("pitch of a screw by the radian", "reading.tree:screws", "pitch * symbol(turn) / «(TWO * PI_NODE) → TWO»",
     "press.sdf"),
    ("reference of a mimic dropped", "reading.tree:mimics", "symbol(leader)« - reference → »", "press.sdf"),
    ("gear of a rotor taken twice", "reading.tree:rotors", "{joint.coordinates[0]: « → 2 * »gear}", "press.sdf"),
    ("a link without weight weighs twice", "reading.tree:weights", "«-(own.mass * g) → own.mass * g»", "press.sdf"),
    ("gravity: x with the other sign", "reader:gravity", "(« → -»g[0], g[1], g[2])", "press.sdf"),
    ("frame of a closure on the second link the wrong way", "reading.tree:SdfBodies.closures",
     "«back(joint.after) → joint.after»", "linkage.sdf"),
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (*URDF, *MJCF, *SDF)
