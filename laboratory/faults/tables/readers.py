"""Seeded faults of readers, by format: a wrong model is read, and every witness agrees on it.

These faults are watched by the tables of numbers in ``tests/readers``, which must notice every one; random changes of
readers are tried there too. Of formats whose texts a check reads twice it has to notice them itself: :mod:`.texts`.
"""

from __future__ import annotations

from mbconcord.testing import Fault

from . import read_faults

FAULTS: dict[str, tuple[Fault, ...]] = {
    "mbsd": read_faults(
        "converters.mbsd",
        ("a letter with a minus goes along the axis", "reading.bodies:transformations",
         "«'-' if item.reverse else '' → ''»"),
        ("tensor about the centre for one about the origin", "reading.bodies:_inertia",
         "Inertia«.about_origin(mass, centre, values) → (mass, vector(centre), tensor(values))»"),
        ("centre of mass from its last component on", "reading.bodies:_inertia",
         "centre[:len(given)] = given« → [::-1]»"),
    ),
    "tp": read_faults(
        "converters.tp",
        ("joint along its axis before its arm", "reader:_joint",
         "(«*shift(found.arms[row.number]), make(axis, Variable(f'q{row.number}')) → make(axis, "
         "Variable(f'q{row.number}')), *shift(found.arms[row.number])»)"),
        ("centre d along the axis in spite of its sign", "masses:_centre",
         "«row.d.sign * (found.whole[row.number] * distance) → found.whole[row.number] * distance»"),
        ("carried masses added to the centre", "masses:_centre",
         "((s «- → +» r) / own for s, r in zip(moment, carried, strict=True))"),
    ),
    "um": read_faults(
        "converters.um",
        ("products of inertia: xy and xz exchanged", "reading.bodies:_inertia",
         "xx, yy, zz, «xy, xz → xz, xy», yz = values"),
        ("angles in degrees taken twice", "reading.positions:to_radians", "angle * PI_NODE / «180 → 90»"),
        ("second point of a joint added in place of taken back", "reading.joints:_one_degree",
         "(«-ro2[0], -ro2[1], -ro2[2] → ro2[0], ro2[1], ro2[2]»)"),
    ),
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
