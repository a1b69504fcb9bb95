"""Tables of evaluate: closed-loop systems, joint forces, linkages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbconcord.api.joint_forces import JointForces
from mbconcord.api.linkages import Linkage
from mbconcord.converters.floats import NumeralError, exact
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.evaluation import Array, ConstrainedMotion
from mbconcord.model.joint_forces import COMPONENTS
from mbconcord.reports.equations.listing import units
from mbconcord.reports.table import short, table
from mbconcord.simulation.continuation import Nearest
from mbconcord.simulation.levenberg_marquardt import ACCEPTED
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.witnesses.sums.joint_forces import BODIES

from ..output import say

# The numbers of a system with constraints, as ``evaluate`` shows them.


def constrained_to_json(motion: ConstrainedMotion) -> dict[str, Any]:
    """Return the entries of ``evaluate --json`` about constraints; numbers that are not unique are NaN (null)."""
    about: dict[str, Any] = {
        "rows": list(motion.rows),
        "rank": int(motion.rank[0]),
        "redundant": list(motion.redundant[0]),
    }
    result = {
        "acceleration": numbers_or_none(motion.acceleration[0]),
        "constraints": about,
        "D": motion.D[0].tolist(),
        "lambda": motion.multipliers[0].tolist(),
        "reactions": numbers_or_none(motion.reactions[0]),
    }
    if motion.from_bodies:
        about["on_bodies"] = list(motion.from_bodies.rows)
        about["residual"] = float(motion.from_bodies.residual[0])
        result["reactions_from_bodies"] = numbers_or_none(motion.from_bodies.values[0])
    return result


def distances(nearest: Nearest, changes: Array) -> dict[str, float | None]:
    """Return entries of ``constraints``: gap and distance of the state, and the relative change of accelerations."""
    gap, distance, change = nearest.gaps[0], np.abs(nearest.shifts[0]).max(initial=0.0), changes[0]
    closed = bool(nearest.moved.is_closed[0])
    return {
        "gap": float(gap) if np.isfinite(gap) else None,
        "distance": float(distance) if closed else None,
        "change": float(change) if np.isfinite(change) else None,
    }


def numbers_or_none(values: Any) -> list[float] | None:
    """Return a list of numbers; None if none of them could be computed."""
    found: list[float] | None = values.tolist() if np.isfinite(values).any() or not values.size else None
    return found


def print_constraints(result: dict[str, Any]) -> None:
    """Print the constraint rows as a table of D and λ."""
    about, names = result["constraints"], result["coordinates"]
    redundant = f"; redundant: {', '.join(about['redundant'])}" if about["redundant"] else ""
    count = len(about["rows"])
    print(f"\nconstraints: {count} {'row' if count == 1 else 'rows'}, rank {about['rank']}{redundant}\n")
    print_distance(about, "", "\n")
    lines = zip(about["rows"], result["D"], result["lambda"], strict=True)
    rows = [(row, *map(_number, (*D, x))) for row, D, x in lines]
    say(table(("D", *names, "lambda"), rows))
    if "residual" in about:
        print(f"\n{_residual(about)}")
    print(f"\n{units(about['rows'])}")


def print_distance(about: dict[str, Any], before: str = "\n", after: str = "", them: str = "them") -> None:
    """Print the relative distance from the constraints of a state that is off them."""
    if "gap" in about and not (about["gap"] is not None and about["gap"] <= ACCEPTED):
        gap, change = ("?" if about[key] is None else f"{about[key]:.2g}" for key in ("gap", "change"))
        made_of = f"{gap} of what they are made of; accelerations depend on it by {change}"
        print(f"{before}the state is off {them} by {made_of}{after}")


def _residual(about: dict[str, Any]) -> str:
    """Describe the largest difference between S_R R and Dᵀ λ of the same rows."""
    others = [row for row in about["rows"] if row not in about["on_bodies"]]
    which = f" of {', '.join(about['on_bodies'])}; no body bears {', '.join(others)}" if others else ""
    found = "not determined" if math.isnan(about["residual"]) else f"{about['residual']:.2g}"
    return f"reactions_from_bodies is S_R R{which}; largest difference from D^T lambda of these rows: {found}"


# Forces in joints, as ``evaluate`` shows them: every witness beside the others, and whether they agree.


#: Of whose axes the numbers are, in words.
_WHOSE = {"body": "the body's axes", "carrier": "the carrier's axes", "fixed": "the fixed axes"}


def show_joint_forces(found: JointForces) -> dict[str, Any]:
    """Convert the joint forces at the first state to the form of ``evaluate --json``."""
    joints = []
    for i, (body, carrier) in enumerate(zip(found.bodies, found.carriers, strict=True)):
        six = {name: x[0, i].tolist() for name, x in found.by.items()}
        by = {name: {"force": x[:3], "moment": x[3:]} for name, x in six.items()}
        joints.append({"body": body, "carrier": carrier, "by": by})
    result: dict[str, Any] = {"axes": found.axes, **found.motion.to_json(), "joints": joints}
    if found.cuts:
        result["cuts"] = []
        for i, (name, second, first) in enumerate(found.cuts):
            six = {witness: x[0, i].tolist() for witness, x in found.at_cuts.items()}
            by = {witness: {"force": x[:3], "moment": x[3:]} for witness, x in six.items()}
            result["cuts"].append({"constraint": name, "body": second, "carrier": first, "by": by})
    if found.ground is not None:
        x = found.ground[0].tolist()
        result["ground"] = {"force": x[:3], "moment": x[3:]}
    result["comparisons"] = [
        {"a": c.a, "b": c.b, "quantity": c.quantity, "verdict": c.verdict, "discrepancy": c.discrepancy}
        | ({"explanation": c.explanation} if c.explanation else {})
        for c in found.comparisons
    ]
    return result


def print_joint_forces(found: JointForces) -> None:
    """Print a row for each joint, cut and witness, and which witnesses agree."""
    print(f"\nforces of the carriers upon the bodies, N, and N m about the bodies' origins, in {_WHOSE[found.axes]};")
    print(f"motion: {found.motion.describe()}")
    borne = [any(np.any(x[0, i]) for x in found.by.values()) for i in range(len(found.bodies))]
    places = list(zip(found.bodies, found.carriers, strict=True))
    _table(("body", "carrier"), places, found.by, borne)
    if not all(borne):
        nothing = (body for body, some in zip(found.bodies, borne, strict=True) if not some)
        say(f"\nnothing is borne by: {', '.join(nothing)}")
    if found.cuts:
        print(f"\nforces of the first upon the second bodies at the cuts, N m about the cuts, in {_WHOSE[found.axes]}")
        _table(("cut", "second", "first"), found.cuts, found.at_cuts, [True] * len(found.cuts))
    if found.ground is not None:
        print("\nforces of the fixed frame upon the machine, N m about its origin, in its axes\n")
        say(table((*COMPONENTS, "by"), [(*map(_number, found.ground[0].tolist()), BODIES)]))
    print()
    for quantity in dict.fromkeys(c.quantity for c in found.comparisons):
        _say_agreement(found, [c for c in found.comparisons if c.quantity == quantity], quantity)


def _say_agreement(found: JointForces, compared: Sequence[Comparison], quantity: str) -> None:
    """Print which witnesses agree, and how closely; if two disagree, a line for every pair."""
    what = f"{quantity} by " if found.motion.constrained else ""
    apart = any(c.verdict == "disagrees" for c in compared)
    agreeing = [] if apart else [c for c in compared if c.verdict == "agrees"]
    if agreeing:
        names = ", ".join(dict.fromkeys(name for c in agreeing for name in (c.a, c.b)))
        most = short(max(c.discrepancy or 0.0 for c in agreeing))
        say(f"{what}{names} agree to {most} of what the numbers are made of")
    for c in compared:
        if c.verdict == "agrees" and not apart:
            continue
        x = c.values if c.verdict == "disagrees" else None
        where = f" at {' '.join(c.entry)}: {x[0]!r} and {x[1]!r}" if x else ""
        how = f"{short(c.discrepancy)} of what the numbers are made of" if c.discrepancy is not None else c.explanation
        say(f"{what}{' and '.join(filter(None, (c.a, c.b)))}: {c.verdict}, {how}{where}")


def _table(
    titles: Sequence[str], places: Sequence[Sequence[str]], by: Mapping[str, Array], shown: Sequence[bool]
) -> None:
    rows = [
        (*place, *map(_number, x[0, i].tolist()), name)
        for i, place in enumerate(places)
        for name, x in by.items()
        if shown[i]
    ]
    print()
    say(table((*titles, *COMPONENTS, "by"), rows))


def _number(x: float) -> str:
    return "null" if math.isnan(x) else repr(x)


# Forces of closed linkages, as ``evaluate`` shows them: motion, drives, reactions, joints, whether witnesses agree.


EXAMPLE = "for example --drive q1=0.7,1.3,2: q, q', q''; or --drive q1, all from --state"


def drives(given: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Parse ``q1=0.7,1.3,2``: a coordinate with q, q', q''; ``q1`` alone takes those of the state.

    Raises
    ------
    NumbersError
        A text has neither form, or only some coordinates have numbers.
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


def show_linkage(found: Linkage, names: Sequence[str]) -> dict[str, Any]:
    """Convert the forces to the form of ``evaluate --json``; undetermined ones are NaN, printed as null."""
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
    """Print the forces of a linkage as tables."""
    result = show_linkage(found, names)
    columns = (names, *(map(_cell, result[key]) for key in ("q", "v", "acceleration")))
    say(table(("coordinate", "q", "v", "acceleration"), zip(*columns, strict=True)))
    for name, x in result["drives"].items():
        print(f"\ndrive of {name}, besides the model's own efforts: {x!r}")
    where = "along x and y of the plane; moments, N m, about its normal at the bodies' origins"
    print(f"\nforces of the carriers upon the bodies, N, {where}\n")
    rows = [(j["body"], *map(_cell, (*j["force"], j["moment"]))) for j in result["joint_forces"]]
    say(table(("body", "Fx", "Fy", "moment"), rows))
    print("\nreactions of the cut joints upon the bodies, N and N m, fixed axes\n")
    normal = found.forces.axes[2]
    cuts = [(r.constraint, r.body, *map(_cell, (*r.force[0], normal @ r.moment[0]))) for r in found.forces.reactions]
    say(table(("cut joint", "body", "Fx", "Fy", "Fz", "moment"), cuts))
    print()
    for c in found.comparisons:
        say(f"{c.quantity} by {c.a} and {c.b}: {c.verdict}, {short(c.discrepancy)} of what the numbers are made of")


def _cell(x: float | None) -> str:
    return "null" if x is None or x != x else repr(float(x) + 0.0)
