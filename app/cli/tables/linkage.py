"""Forces of closed linkages, as ``evaluate`` shows them: motion, drives, reactions, joints, whether witnesses agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mbconcord.api.linkages import PLANAR, Linkage
from mbconcord.converters.decimals import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.reports.table import short, table

from ..output import say

EXAMPLE = "for example --drive q1=0.7,1.3,2: q, q', q''; or --drive q1, all from --state"


def drives(given: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """``q1=0.7,1.3,2``: the coordinate with q, q', q''; ``q1`` alone: what the state says.

    Raises
    ------
    NumbersError
        It is neither, or some have numbers and some have none.
    """
    found: dict[str, tuple[float, ...]] = {}
    for text in given:
        name, equals, numbers = (part.strip() for part in text.partition("="))
        try:
            values = tuple(float(exact(x.strip())) for x in numbers.split(",")) if equals else ()
        except NumeralError as problem:
            raise NumbersError(error("--drive", f"{name}: {problem}", problem.remedy or EXAMPLE)) from None
        if not name or len(values) not in (0, 3) or (equals and not values):
            raise NumbersError(error("--drive", f"{text!r:.60} is not name=q,v,a", EXAMPLE))
        found[name] = values
    if len({bool(values) for values in found.values()}) > 1:
        raise NumbersError(error("--drive", "some coordinates have numbers and some have none", EXAMPLE))
    return found


def shown(found: Linkage, names: Sequence[str]) -> dict[str, Any]:
    """The forces in the form of ``evaluate --json``; what is not determined is NaN, printed as null."""
    forces = found.forces
    joints = [
        {"body": body, "force": forces.force[0, i].tolist(), "moment": float(forces.moment[0, i])}
        for i, body in enumerate(forces.bodies)
    ]
    reactions = [
        {"constraint": r.constraint, "body": r.body, "point": r.point[0].tolist(), "force": r.force[0].tolist(),
         "moment": r.moment[0].tolist()}
        for r in forces.reactions
    ]  # fmt: skip
    return {
        "coordinates": list(names),
        "q": [found.state.q.get(name) for name in names],
        "v": [found.state.v.get(name) for name in names],
        "acceleration": forces.accelerations[0].tolist(),
        "drives": {name: float(x[0]) for name, x in forces.drives.items()},
        "plane": forces.axes.tolist(),
        "joint_forces": joints,
        "cut_joints": reactions,
        "comparisons": [
            {"a": c.a, "b": c.b, "quantity": c.quantity, "verdict": c.verdict, "discrepancy": c.discrepancy}
            for c in found.comparisons
        ],
    }


def print_linkage(found: Linkage, names: Sequence[str]) -> None:
    """The same as tables."""
    result = shown(found, names)
    columns = (names, *(map(_number, result[key]) for key in ("q", "v", "acceleration")))
    say(table(("coordinate", "q", "v", "acceleration"), zip(*columns, strict=True)))
    for name, x in result["drives"].items():
        print(f"\ndrive of {name}, besides the model's own efforts: {x!r}")
    where = "along x and y of the plane; moments, N m, about its normal at the bodies' origins"
    print(f"\nforces of the carriers upon the bodies, N, {where}\n")
    rows = [(j["body"], *map(_number, (*j["force"], j["moment"]))) for j in result["joint_forces"]]
    say(table(("body", *PLANAR), rows))
    print("\nreactions of the cut joints upon the bodies, N and N m, fixed axes\n")
    normal = found.forces.axes[2]
    cuts = [
        (r.constraint, r.body, *map(_number, (*r.force[0], normal @ r.moment[0])))
        for r in found.forces.reactions
    ]
    say(table(("cut joint", "body", "Fx", "Fy", "Fz", "M"), cuts))
    print()
    for c in found.comparisons:
        say(
            f"{c.quantity} by {c.a} and {c.b}: {c.verdict}, {short(c.discrepancy)} of what the numbers are made of"
        )


def _number(x: float | None) -> str:
    return "null" if x is None or x != x else repr(float(x) + 0.0)
