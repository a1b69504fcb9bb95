"""Forces in joints, as ``evaluate`` shows them: every witness beside the others, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from mbconcord.api.joint_forces import JointForces
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import COMPONENTS
from mbconcord.reports.table import short, table

from ..output import say

#: Of whose axes the numbers are, in words.
_WHOSE = {"body": "the body's axes", "carrier": "the carrier's axes", "fixed": "the fixed axes"}


def shown(found: JointForces) -> dict[str, Any]:
    """The joint forces at the first state in the form of ``evaluate --json``."""
    joints = []
    for i, (body, carrier) in enumerate(zip(found.bodies, found.carriers, strict=True)):
        six = {name: x[0, i].tolist() for name, x in found.by.items()}
        by = {name: {"force": x[:3], "moment": x[3:]} for name, x in six.items()}
        joints.append({"body": body, "carrier": carrier, "by": by})
    result: dict[str, Any] = {"axes": found.axes, "joints": joints}
    if found.cuts:
        result["cuts"] = []
        for i, (name, second, first) in enumerate(found.cuts):
            six = {witness: x[0, i].tolist() for witness, x in found.at_cuts.items()}
            by = {witness: {"force": x[:3], "moment": x[3:]} for witness, x in six.items()}
            result["cuts"].append({"constraint": name, "body": second, "carrier": first, "by": by})
    result["comparisons"] = [
        {"a": c.a, "b": c.b, "quantity": c.quantity, "verdict": c.verdict, "discrepancy": c.discrepancy}
        for c in found.comparisons
    ]
    return result


def print_joint_forces(found: JointForces, accelerated: bool, constrained: bool = False) -> None:
    """A table with a row for each joint and witness, of the cuts too, and a line for every two of them."""
    print(
        f"\nforces of the carriers upon the bodies, N, and N m about the bodies' origins, in {_WHOSE[found.axes]};"
    )
    if constrained:
        print("they need the accelerations that the constraints admit")
    elif accelerated:
        print("they need the accelerations of the state")
    else:
        print("q'' = 0: the drives hold the motion")
    _table(("body", "carrier"), list(zip(found.bodies, found.carriers, strict=True)), found.by)
    if found.cuts:
        print(
            f"\nforces of the first upon the second bodies at the cuts, N m about the cuts, in {_WHOSE[found.axes]}"
        )
        _table(("cut", "second", "first"), found.cuts, found.at_cuts)
    print()
    for c in found.comparisons:
        differ = c.values if c.verdict == "disagrees" else None
        where = f" at {' '.join(c.entry)}: {differ[0]!r} and {differ[1]!r}" if differ else ""
        what = f"{c.quantity} by " if constrained else ""
        how = (
            f"{short(c.discrepancy)} of what the numbers are made of"
            if c.discrepancy is not None
            else c.explanation
        )
        say(f"{what}{c.a} and {c.b}: {c.verdict}, {how}{where}")


def _table(titles: Sequence[str], places: Sequence[Sequence[str]], by: Mapping[str, Array]) -> None:
    rows = [
        (*place, *map(_number, x[0, i].tolist()), name)
        for i, place in enumerate(places)
        for name, x in by.items()
    ]
    print()
    say(table((*titles, *COMPONENTS, "by"), rows))


def _number(x: float) -> str:
    return "null" if math.isnan(x) else repr(x)
