"""Seeded faults of readers and of the model's constructors, each to be detected by every check of the text.

All witnesses have the wrong model, the direct one too. The second reading of the text does not, nor has the witness of
maximal coordinates, which takes its bodies from there. Faults of :data:`READERS` are watched by the tables of numbers
in ``tests/readers`` too, which must notice every one; random changes of readers are tried there.
"""

from __future__ import annotations

from functools import partial

from . import read_faults
from .shared import Watched, watched

SECOND, MAXIMAL = "second_reading", "maximal"
_reader = partial(watched, owner="reader")

#: Fixtures: three axes and a full tensor; branches and axes reversed; formulas of parameters; laws of springs.
GIMBAL, BRANCHED, CRANE, SPRINGS = (
    f"mbsd/{name}.mbsd" for name in ("gimbal", "branched", "patu655_tree", "springs")
)  # fmt: skip

#: By format, of those whose texts a check reads twice.
SHOWN = {
    "mbsd": _reader(
        "converters.mbsd", SECOND,
        ("a letter with a minus goes along the axis", "reading.bodies:transformations",
         "«'-' if item.reverse else '' → ''»", BRANCHED),
        ("tensor about the centre for one about the origin", "reading.bodies:_inertia",
         "Inertia«.about_origin(mass, centre, values) → (mass, vector(centre), tensor(values))»", SPRINGS),
        ("centre of mass from its last component on", "reading.bodies:_inertia",
         "centre[:len(given)] = given« → [::-1]»", GIMBAL),
    ),
    "tp": _reader(
        "converters.tp", SECOND,
        ("joint along its axis before its arm", "reader:_joint",
         "(«*shift(found.arms[row.number]), make(axis, Variable(f'q{row.number}')) → make(axis, "
         "Variable(f'q{row.number}')), *shift(found.arms[row.number])»)", "tp/angular.tp.csv"),
        ("centre d along the axis in spite of its sign", "masses:_centre",
         "«row.d.sign * (found.whole[row.number] * distance) → found.whole[row.number] * distance»",
         "tp/table2.tp.csv"),
        ("carried masses added to the centre", "masses:_centre",
         "((s «- → +» r) / own for s, r in zip(moment, carried, strict=True))", "tp/table3.tp.csv"),
    ),
    "um": _reader(
        "converters.um", SECOND,
        ("products of inertia: xy and xz exchanged", "reading.bodies:_inertia",
         "xx, yy, zz, «xy, xz → xz, xy», yz = values", "um/patu655_tree/input.dat"),
        ("angles in degrees taken twice", "reading.images:to_radians", "angle * PI_NODE / «180 → 90»",
         "um/double_pendulum/input.dat"),
        ("second point of a joint added in place of taken back", "reading.joints:_one_degree",
         "(«-ro2[0], -ro2[1], -ro2[2] → ro2[0], ro2[1], ro2[2]»)", "um/suspension/input.dat"),
    ),
}  # fmt: skip
#: Of all formats.
READERS = {name: tuple(row.fault for row in rows) for name, rows in SHOWN.items()} | {
    "native": read_faults(
        "converters.native",
        ("a minus before the letter of an axis is not seen", "record:NativeAxis.vector",
         "«(-x, -y, -z) if word.startswith('-') else  → »(x, y, z)"),
        ("tensor about the origin for one about the centre", "layout:",
         "«Inertia → lambda mass, centre=NOWHERE, tensor=NOWHERE + NOWHERE: Inertia.about_origin(mass, centre, "
         "tensor)»"),
        ("prescribed motion taken for a constant", "layout:_transformation",
         "«MOTIONS[motion] → (Constant if motion == 'prescribed' else MOTIONS[motion])»(parts[motion])"),
    ),
}  # fmt: skip


def _table(format: str, *rows: tuple[str, str, str, str]) -> tuple[Watched, ...]:
    """Read rows: title, place in the reader of a format, or in the shapes of all of them, change, fixture."""
    told = (
        (f"{format.upper()}: {title}", place if place.startswith("shapes:") else f"{format}.{place}", change, fixture)
        for title, place, change, fixture in rows
    )
    return _reader("converters", SECOND, *((*row[:3], f"{format}/{row[3]}") for row in told))


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

ROBOTS = (*URDF, *MJCF, *SDF)

#: One of each format and one of shared code, each tried by a test of its own.
FIRST = _reader(
    "", SECOND,
    ("ТП: sign of products of inertia", "converters.tp.masses:_tensor",
     "_value(table, row, key)« →  * (-1 if key in MOMENTS[3:] else 1)»", "tp/angular.tp.csv"),
    ("UM: another g", "converters.um.reading.bodies:", "number('«9.81 → 9.8»')", "um/manipulator/input.dat"),
    ("axes: y and z exchanged where a model is built", "model.transformation:",
     "{'x': X, 'y': «Y, 'z': Z → Z, 'z': Y»}", GIMBAL),
) + _reader(
    "", MAXIMAL,
    ("MBSD: y and z exchanged", "converters.mbsd.reading.bodies:",
     "zip('ijklmnuvwxyz', '«xyz → xzy»' * 4, strict=True)", GIMBAL),
) + URDF[:1]  # fmt: skip

FAULTS = FIRST + sum(SHOWN.values(), ROBOTS[1:]) + _reader(
    "", MAXIMAL,
    ("MBSD: gravity of a planar text along z", "converters.mbsd.reading.bodies:_direction",
     "'-«y → z»' if letters <= PLANAR else '-z'", "mbsd/double_pendulum.mbsd"),
    ("MBSD: second point of a spring on the first body", "converters.mbsd.reading.bodies:read_links",
     "Point(link.«second → first», _point(scope, link.right, place))", SPRINGS),
    ("ТП: gravity upwards", "converters.tp.rows:", "(ZERO, «- → »ONE, ZERO)", "tp/leg.tp.csv"),
    ("UM: joint of e2 not carried to e1", "converters.um.reading.joints:_smallest_rotation",
     "[«UmStep('rotation', normal, angle) → »]", "um/six_legs/input.dat"),
    # what readers build models with
    ("a minus before an axis is not seen", "model.transformation:_axis",
     "(«-x, -y, -z → x, y, z») if axis.startswith('-') else (x, y, z)", BRANCHED),
) + _reader(
    "", SECOND,
    ("MBSD: a rate for an initial position", "converters.mbsd.reading.bodies:_coordinate",
     "Coordinate(name, «position, velocity → velocity, position»)", GIMBAL),
    ("MBSD: frame of a closure at the body", "converters.mbsd.reading.bodies:read_links",
     "Frame(link.second«, _frame(scope, link.right, place) → »)", "mbsd/four_bar.mbsd", 0),
    ("ТП: a joint against its axis", "converters.tp.reader:_joint", "number(« → -»row.axis.sign)",
     "tp/cylindrical.tp.csv"),
    ("UM: turns of 6dof about x, y, z whatever is said", "converters.um.reading.joints:_angle_axes",
     "«''.join(('xyz'[int(digit) - 1] for digit in digits)) → 'xyz'»", "um/platform/input.dat"),
    # what readers build models with
    ("parallel axes: sign, where a tensor is read", "model.body:Inertia.about_origin",
     "(a «- → +» p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))", GIMBAL),
    ("formulas: a difference read as a sum", "model.expressions.formula:_value",
     "add(args[0], «neg(args[1]) → args[1]»)", CRANE),
    ("formulas: base and exponent exchanged", "model.expressions.formula:_value",
     "power(«args[0], args[1] → args[1], args[0]»)", SPRINGS),
)  # fmt: skip
