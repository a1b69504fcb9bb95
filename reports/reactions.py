"""Forces and moments at the joints and cuts of a closed model, where it begins: what bearings are designed from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import CUT_FORCES, JOINT_FORCES, cuts, jointed
from mbconcord.model.notation.section import Section, Table
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import placed
from mbconcord.validation.bodies.constrained_forces import Witnessed, witnessed
from mbconcord.validation.judge.evidence import Comparison, Evidence

from .table import short

#: Most rows that are listed.
MOST_ROWS = 60
TITLE = "Forces at joints and cuts"
HEADERS = ("at", "on", "from", "by", "Fx, N", "Fy, N", "Fz, N", "Mx, N m", "My, N m", "Mz, N m")
#: What stands in place of a number that rows which depend on each other leave open.
OPEN = "open"
#: What is smaller than this part of the largest number is rounding.
ROUNDING = 1e-12


def reactions(evidence: Evidence) -> Section | None:
    """The section of a closed model; None of an open one, and where nobody says them."""
    system = evidence.system
    if not system.constraints or not evidence.states:
        return None
    parameters = evidence.states[0].parameters
    asked = [w.by for w in evidence.witnesses if w.by is not None and not w.constraint_obstacles]
    try:
        begun = placed(system, State(parameters=parameters))
        found = witnessed(system, begun.assembly, asked)
    except MbconcordError as problem:
        return Section(TITLE, note=f"Not known where the model begins: {problem.diagnostics[0].message}.")
    except Exception as problem:  # whatever a formalism raises spoils no report
        return Section(TITLE, note=f"{type(problem).__name__}: {problem}")
    rows = list(_rows(system, found))
    if not rows:
        return None
    shared = (
        f" {OPEN}: rows that depend on each other share it in any way."
        if any(OPEN in row for row in rows)
        else ""
    )
    hidden = f" {len(rows) - MOST_ROWS} more are left out." if len(rows) > MOST_ROWS else ""
    about = (
        "Where the model begins, put onto its constraints and moved by its own forces: what the joint's carrier "
        "exerts on the body, moments about the origin of the body's frame; at a cut what the first body exerts on the "
        "second, moments about the cut. All in the axes of the frame of the body they act on."
    )
    return Section(
        TITLE,
        about,
        Table(HEADERS, tuple(rows[:MOST_ROWS]), 4),
        f"{_judged(found.comparisons)}{shared}{hidden}",
    )


def _rows(system: System, found: Witnessed) -> Iterator[tuple[str, ...]]:
    joints = ((f"joint of {name}", name, system.body(name).parent) for name in jointed(system))
    ends = ((cut.name, cut.second.body, cut.first.body) for cut in cuts(system))
    every = [
        abs(x)
        for by in (found.at_joints, found.at_cuts)
        for values in by.values()
        for x in values[0].tolist()
    ]
    rounding = ROUNDING * max(filter(math.isfinite, every), default=0.0)
    yield from _six(joints, found.at_joints, rounding)
    yield from _six(ends, found.at_cuts, rounding)


def _six(
    places: Iterable[tuple[str, str | None, str | None]], by: Mapping[str, Array], rounding: float
) -> Iterator[tuple[str, ...]]:
    """A row for each place: who has its six numbers, and those of the first of them."""
    for i, (place, on, from_) in enumerate(places):
        six = {name: x[0, 6 * i : 6 * i + 6].tolist() for name, x in by.items()}
        if six:
            numbers = (_number(x, rounding) for x in next(iter(six.values())))
            yield place, on or "ground", from_ or "ground", ", ".join(six), *numbers


def _number(x: float, rounding: float) -> str:
    return OPEN if math.isnan(x) else f"{x if abs(x) > rounding else 0.0:.6g}"


def _judged(comparisons: Sequence[Comparison]) -> str:
    """Whether the witnesses agree, and how closely; what they contradict is said before."""
    said = []
    for quantity, what in ((JOINT_FORCES, "joints"), (CUT_FORCES, "cuts")):
        pairs = [c for c in comparisons if c.quantity == quantity and c.verdict != "not checked"]
        wrong = [c for c in pairs if c.verdict == "disagrees"]
        said += [f"At {what} {c.a} and {c.b} disagree at {' '.join(c.entry)}: {c.values}." for c in wrong]
        if pairs and not wrong:
            worst = max(pairs, key=lambda c: c.excess)
            names = ", ".join(dict.fromkeys(name for c in pairs for name in (c.a, c.b)))
            said.append(
                f"At {what} {names} agree to {short(worst.discrepancy)} of what the numbers are made of; "
                f"the first one's are shown."
            )
        elif not pairs:
            said.append(f"At {what} no two witnesses were compared.")
    return " ".join(said)
