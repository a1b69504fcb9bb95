"""Seeded faults of readers, by format: a wrong model is read, and every witness agrees on it.

These faults are watched by the tables of numbers in ``tests/readers``, which must notice every one; random changes of
readers are tried there too. Of formats whose texts a check reads twice it has to notice them itself: :mod:`.texts`.
"""

from __future__ import annotations

from ..injection import Fault

_CONVERTERS = "mbconcord.converters."
_MBSD = _CONVERTERS + "mbsd.reading."
_TP = _CONVERTERS + "tp."
_UM = _CONVERTERS + "um.reading."
_NATIVE = _CONVERTERS + "native."

FAULTS: dict[str, tuple[Fault, ...]] = {
    "mbsd": (
        Fault("a letter with a minus goes along the axis", _MBSD + "bodies",
              'sign = "-" if item.reverse else ""', 'sign = ""'),
        Fault("tensor about the centre for one about the origin", _MBSD + "bodies",
              "return Inertia.about_origin(mass, centre, values)",
              "return Inertia(mass, vector(centre), tensor(values))"),
        Fault("centre of mass from its last component on", _MBSD + "bodies",
              "centre[: len(given)] = given", "centre[: len(given)] = given[::-1]"),
    ),
    "tp": (
        Fault("joint along its axis before its arm", _TP + "reader",
              "(*shift(found.arms[row.number]), make(axis, Variable(f\"q{row.number}\")))",
              "(make(axis, Variable(f\"q{row.number}\")), *shift(found.arms[row.number]))"),
        Fault("centre d along the axis in spite of its sign", _TP + "masses",
              "row.d.sign * (found.whole[row.number] * distance)", "(found.whole[row.number] * distance)"),
        Fault("carried masses added to the centre", _TP + "masses",
              "((s - r) / own for s, r in zip(moment", "((s + r) / own for s, r in zip(moment"),
    ),
    "um": (
        Fault("products of inertia: xy and xz exchanged", _UM + "bodies",
              "xx, yy, zz, xy, xz, yz = values", "xx, yy, zz, xz, xy, yz = values"),
        Fault("angles in degrees taken twice", _UM + "angles", "angle * PI_NODE / 180", "angle * PI_NODE / 90"),
        Fault("second point of a joint added in place of taken back", _UM + "joints",
              "*shift((-ro2[0], -ro2[1], -ro2[2]))", "*shift((ro2[0], ro2[1], ro2[2]))"),
    ),
    "native": (
        Fault("a minus before the letter of an axis is not seen", _NATIVE + "quantities",
              'return (-x, -y, -z) if word.startswith("-") else (x, y, z)', "return (x, y, z)"),
        Fault("tensor about the origin for one about the centre", _NATIVE + "layout", "INERTIA = Record(\n    Inertia,",
              "INERTIA = Record(\n    lambda mass, centre=NOWHERE, tensor=NOWHERE + NOWHERE: "
              "Inertia.about_origin(mass, centre, tensor),"),
        Fault("prescribed motion taken for a constant", _NATIVE + "layout",
              '"prescribed": Prescribed}[motion]', '"prescribed": Constant}[motion]'),
    ),
}  # fmt: skip
