"""Forces in joints, as ``evaluate`` shows them: every witness beside the others, and whether they agree."""

from __future__ import annotations

from typing import Any

from mbconcord.api.joint_forces import JointForces
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
    compared = [
        {"a": c.a, "b": c.b, "verdict": c.verdict, "discrepancy": c.discrepancy} for c in found.comparisons
    ]
    return {"axes": found.axes, "joints": joints, "comparisons": compared}


def print_joint_forces(found: JointForces, accelerated: bool) -> None:
    """A table with a row for each joint and witness, and a line for every two of them."""
    print(
        f"\nforces of the carriers upon the bodies, N, and N m about the bodies' origins, in {_WHOSE[found.axes]};"
    )
    print(
        "they need the accelerations of the state" if accelerated else "q'' = 0: the drives hold the motion"
    )
    rows = [
        (body, carrier, *map(repr, x[0, i].tolist()), name)
        for i, (body, carrier) in enumerate(zip(found.bodies, found.carriers, strict=True))
        for name, x in found.by.items()
    ]
    print()
    say(table(("body", "carrier", *COMPONENTS, "by"), rows))
    print()
    for c in found.comparisons:
        differ = c.values if c.verdict == "disagrees" else None
        where = f" at {' '.join(c.entry)}: {differ[0]!r} and {differ[1]!r}" if differ else ""
        say(f"{c.a} and {c.b}: {c.verdict}, {short(c.discrepancy)} of what the numbers are made of{where}")
