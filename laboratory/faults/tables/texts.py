"""Seeded faults of readers and of the model's constructors, each to be detected by every check of the text.

All witnesses have the wrong model, the direct one too. The second reading of the text does not, nor has the witness of
maximal coordinates, which takes its bodies from there.
"""

from __future__ import annotations

from . import readers, robots
from .shared import Watched, watched

SECOND, MAXIMAL = "second_reading", "maximal"

#: Fixtures: three axes and a full tensor; branches and axes reversed; formulas of parameters; laws of springs.
GIMBAL, BRANCHED, CRANE, SPRINGS = (
    f"mbsd/{name}.mbsd" for name in ("gimbal", "branched", "patu655_tree", "springs")
)  # fmt: skip
#: A fixture that shows each fault of the table of readers, in its order.
SHOWN = {
    "mbsd": (BRANCHED, SPRINGS, GIMBAL),
    "tp": ("tp/angular.tp.csv", "tp/table2.tp.csv", "tp/table3.tp.csv"),
    "um": ("um/patu655_tree/input.dat", "um/double_pendulum/input.dat", "um/suspension/input.dat"),
}

#: One of each format and one of shared code, each tried by a test of its own.
FIRST = watched(
    "",
    ("MBSD: y and z exchanged", "converters.mbsd.reading.bodies:",
     "zip('ijklmnuvwxyz', '«xyz → xzy»' * 4, strict=True)", MAXIMAL, GIMBAL),
    ("ТП: sign of products of inertia", "converters.tp.masses:_tensor",
     "_value(table, row, key)« →  * (-1 if key in MOMENTS[3:] else 1)»", SECOND, "tp/angular.tp.csv"),
    ("UM: another g", "converters.um.reading.bodies:", "number('«9.81 → 9.8»')", SECOND, "um/manipulator/input.dat"),
    ("axes: y and z exchanged where a model is built", "model.transformation:",
     "{'x': X, 'y': «Y, 'z': Z → Z, 'z': Y»}", SECOND, GIMBAL),
    owner="reader",
) + robots.URDF[:1]  # fmt: skip

FAULTS: tuple[Watched, ...] = (
    *FIRST,
    *(
        Watched(fault, SECOND, model)
        for format, models in SHOWN.items()
        for fault, model in zip(readers.FAULTS[format], models, strict=True)
    ),
    *robots.FAULTS[1:],
    *watched(
        "",
        # readers
        ("MBSD: gravity of a planar text along z", "converters.mbsd.reading.bodies:_direction",
         "'-«y → z»' if letters <= PLANAR else '-z'", MAXIMAL, "mbsd/double_pendulum.mbsd"),
        ("MBSD: a rate for an initial position", "converters.mbsd.reading.bodies:_coordinate",
         "Coordinate(name, «position, velocity → velocity, position»)", SECOND, GIMBAL),
        ("MBSD: second point of a spring on the first body", "converters.mbsd.reading.bodies:read_links",
         "Point(link.«second → first», _point(scope, link.right, place))", MAXIMAL, SPRINGS),
        ("MBSD: frame of a closure at the body", "converters.mbsd.reading.bodies:read_links",
         "Frame(link.second«, _frame(scope, link.right, place) → »)", SECOND, "mbsd/four_bar.mbsd", 0),
        ("ТП: gravity upwards", "converters.tp.rows:", "(ZERO, «- → »ONE, ZERO)", MAXIMAL, "tp/leg.tp.csv"),
        ("ТП: a joint against its axis", "converters.tp.reader:_joint", "number(« → -»row.axis.sign)", SECOND,
         "tp/cylindrical.tp.csv"),
        ("UM: turns of 6dof about x, y, z whatever is said", "converters.um.reading.joints:_angle_axes",
         "«''.join(('xyz'[int(digit) - 1] for digit in digits)) → 'xyz'»", SECOND, "um/platform/input.dat"),
        ("UM: joint of e2 not carried to e1", "converters.um.reading.joints:_smallest_rotation",
         "[«UmStep('rotation', normal, angle) → »]", MAXIMAL, "um/six_legs/input.dat"),
        # what readers build models with
        ("parallel axes: sign, where a tensor is read", "model.body:Inertia.about_origin",
         "(a «- → +» p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))", SECOND, GIMBAL),
        ("formulas: a difference read as a sum", "model.expressions.formula:_value",
         "add(args[0], «neg(args[1]) → args[1]»)", SECOND, CRANE),
        ("formulas: base and exponent exchanged", "model.expressions.formula:_value",
         "power(«args[0], args[1] → args[1], args[0]»)", SECOND, SPRINGS),
        ("a minus before an axis is not seen", "model.transformation:_axis",
         "(«-x, -y, -z → x, y, z») if axis.startswith('-') else (x, y, z)", MAXIMAL, BRANCHED),
        owner="reader",
    ),
)  # fmt: skip
