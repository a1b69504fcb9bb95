"""Seeded faults of readers and of the model's constructors, each to be detected by every check of the text.

All witnesses have the wrong model, the direct one too. The second reading of the text does not, nor has the witness of
maximal coordinates, which takes its bodies from there.
"""

from __future__ import annotations

from mbconcord.testing import Fault

from . import readers, robots
from .shared import Watched

_CONVERTERS, _MODEL = "mbconcord.converters.", "mbconcord.model."
_MBSD, _TP, _UM = _CONVERTERS + "mbsd.reading.bodies", _CONVERTERS + "tp.", _CONVERTERS + "um.reading."
_FORMULA, _TRANSFORMATION = _MODEL + "expressions.formula", _MODEL + "transformation"
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


def _row(
    title: str, module: str, claim: str, model: str, function: str, original: str, faulty: str, states: int = 2
) -> Watched:
    return Watched(Fault(title, module, function, original, faulty, owner="reader"), claim, model, states)


#: One of each format and one of shared code, each tried by a test of its own.
FIRST: tuple[Watched, ...] = (
    _row("MBSD: y and z exchanged", _MBSD, MAXIMAL, GIMBAL, "", "zip('ijklmnuvwxyz', 'xyz' * 4, strict=True)",
         "zip('ijklmnuvwxyz', 'xzy' * 4, strict=True)"),
    _row("ТП: sign of products of inertia", _TP + "masses", SECOND, "tp/angular.tp.csv", "_tensor",
         "_value(table, row, key)", "_value(table, row, key) * (-1 if key in MOMENTS[3:] else 1)"),
    _row("UM: another g", _UM + "bodies", SECOND, "um/manipulator/input.dat", "", "number('9.81')", "number('9.8')"),
    _row("axes: y and z exchanged where a model is built", _TRANSFORMATION, SECOND, GIMBAL, "",
         "{'x': X, 'y': Y, 'z': Z}", "{'x': X, 'y': Z, 'z': Y}"),
    robots.URDF[0],
)  # fmt: skip

FAULTS: tuple[Watched, ...] = (
    *FIRST,
    *(
        Watched(fault, SECOND, model)
        for format, models in SHOWN.items()
        for fault, model in zip(readers.FAULTS[format], models, strict=True)
    ),
    *robots.FAULTS[1:],
    # readers
    _row("MBSD: gravity of a planar text along z", _MBSD, MAXIMAL, "mbsd/double_pendulum.mbsd", "_direction",
         "'-y' if letters <= PLANAR else '-z'", "'-z' if letters <= PLANAR else '-z'"),
    _row("MBSD: a rate for an initial position", _MBSD, SECOND, GIMBAL, "_coordinate",
         "Coordinate(name, position, velocity)", "Coordinate(name, velocity, position)"),
    _row("MBSD: second point of a spring on the first body", _CONVERTERS + "mbsd.reading.bodies", MAXIMAL, SPRINGS,
         "read_links", "Point(link.second, _point(scope, link.right, place))",
         "Point(link.first, _point(scope, link.right, place))"),
    _row("MBSD: frame of a closure at the body", _CONVERTERS + "mbsd.reading.bodies", SECOND, "mbsd/four_bar.mbsd",
         "read_links", "Frame(link.second, _frame(scope, link.right, place))", "Frame(link.second)", 0),
    _row("ТП: gravity upwards", _TP + "rows", MAXIMAL, "tp/leg.tp.csv", "", "(ZERO, -ONE, ZERO)",
         "(ZERO, ONE, ZERO)"),
    _row("ТП: a joint against its axis", _TP + "reader", SECOND, "tp/cylindrical.tp.csv", "_joint",
         "number(row.axis.sign)", "number(-row.axis.sign)"),
    _row("UM: turns of 6dof about x, y, z whatever is said", _UM + "joints", SECOND, "um/platform/input.dat",
         "_angle_axes", "''.join(('xyz'[int(digit) - 1] for digit in digits))", "'xyz'"),
    _row("UM: joint of e2 not carried to e1", _UM + "joints", MAXIMAL, "um/six_legs/input.dat", "_smallest_rotation",
         "[UmStep('rotation', normal, angle)]", "[]"),
    # what readers build models with
    _row("parallel axes: sign, where a tensor is read", _MODEL + "body", SECOND, GIMBAL, "Inertia.about_origin",
         "(a - p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))",
         "(a + p for a, p in zip(tensor(about), point_tensor(m, c), strict=True))"),
    _row("formulas: a difference read as a sum", _FORMULA, SECOND, CRANE, "_value", "add(args[0], neg(args[1]))",
         "add(args[0], args[1])"),
    _row("formulas: base and exponent exchanged", _FORMULA, SECOND, SPRINGS, "_value", "power(args[0], args[1])",
         "power(args[1], args[0])"),
    _row("a minus before an axis is not seen", _TRANSFORMATION, MAXIMAL, BRANCHED, "_axis",
         "(-x, -y, -z) if axis.startswith('-') else (x, y, z)", "(x, y, z) if axis.startswith('-') else (x, y, z)"),
)  # fmt: skip
