"""Seeded faults of readers, by format: a wrong model is read, and every witness agrees on it.

These faults are watched by the tables of numbers in ``tests/readers``, which must notice every one; random changes of
readers are tried there too. Of formats whose texts a check reads twice it has to notice them itself: :mod:`.texts`.
"""

from __future__ import annotations

from mbconcord.testing import Fault

_CONVERTERS = "mbconcord.converters."
_MBSD = _CONVERTERS + "mbsd.reading."
_TP = _CONVERTERS + "tp."
_UM = _CONVERTERS + "um.reading."
_NATIVE = _CONVERTERS + "native."

FAULTS: dict[str, tuple[Fault, ...]] = {
    "mbsd": (
        Fault("a letter with a minus goes along the axis", _MBSD + "bodies", "transformations",
              "'-' if item.reverse else ''", "''"),
        Fault("tensor about the centre for one about the origin", _MBSD + "bodies", "_inertia",
              "Inertia.about_origin(mass, centre, values)", "Inertia(mass, vector(centre), tensor(values))"),
        Fault("centre of mass from its last component on", _MBSD + "bodies", "_inertia", "centre[:len(given)] = given",
              "centre[:len(given)] = given[::-1]"),
    ),
    "tp": (
        Fault("joint along its axis before its arm", _TP + "reader", "_joint",
              "(*shift(found.arms[row.number]), make(axis, Variable(f'q{row.number}')))",
              "(make(axis, Variable(f'q{row.number}')), *shift(found.arms[row.number]))"),
        Fault("centre d along the axis in spite of its sign", _TP + "masses", "_centre",
              "row.d.sign * (found.whole[row.number] * distance)", "found.whole[row.number] * distance"),
        Fault("carried masses added to the centre", _TP + "masses", "_centre",
              "((s - r) / own for s, r in zip(moment, carried, strict=True))",
              "((s + r) / own for s, r in zip(moment, carried, strict=True))"),
    ),
    "um": (
        Fault("products of inertia: xy and xz exchanged", _UM + "bodies", "_inertia", "xx, yy, zz, xy, xz, yz = values",
              "xx, yy, zz, xz, xy, yz = values"),
        Fault("angles in degrees taken twice", _UM + "positions", "to_radians", "angle * PI_NODE / 180",
              "angle * PI_NODE / 90"),
        Fault("second point of a joint added in place of taken back", _UM + "joints", "_one_degree",
              "(-ro2[0], -ro2[1], -ro2[2])", "(ro2[0], ro2[1], ro2[2])"),
    ),
    "native": (
        Fault("a minus before the letter of an axis is not seen", _NATIVE + "record", "NativeAxis.vector",
              "(-x, -y, -z) if word.startswith('-') else (x, y, z)", "(x, y, z)"),
        Fault("tensor about the origin for one about the centre", _NATIVE + "layout", "", "Inertia",
              "lambda mass, centre=NOWHERE, tensor=NOWHERE + NOWHERE: Inertia.about_origin(mass, centre, tensor)"),
        Fault("prescribed motion taken for a constant", _NATIVE + "layout", "_transformation",
              "MOTIONS[motion](parts[motion])",
              "(Constant if motion == 'prescribed' else MOTIONS[motion])(parts[motion])"),
    ),
}  # fmt: skip
