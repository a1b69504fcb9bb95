"""Forces and moments at the joints and cuts of a closed model at its initial state: the design loads of bearings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from mbconcord.model.diagnostics import DisagreementError, MbconcordError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, JOINT_FORCES, cuts, list_bodies
from mbconcord.model.notation.listing import ReportSection, SectionTable
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import place_state
from mbconcord.validation.judge.comparison import ArrayDifference, worst
from mbconcord.validation.judge.evidence import Comparison, Evidence
from mbconcord.validation.judge.tolerances import RUN_PRINTED
from mbconcord.validation.witnesses.screen import conclude
from mbconcord.validation.witnesses.sums.constrained_forces import Witnessed, compare_constrained_forces
from mbconcord.validation.witnesses.sums.joint_forces import BODIES

from .table import short

AnyEvidence = TypeVar("AnyEvidence", bound=Evidence)
#: Most rows that are listed.
MOST_ROWS = 60
TITLE = "Forces at joints and cuts"
HEADERS = ("at", "on", "from", "by", "Fx, N", "Fy, N", "Fz, N", "Mx, N m", "My, N m", "Mz, N m")
#: What stands in place of a number that rows which depend on each other leave open.
OPEN = "open"
#: What is smaller than this part of the largest number is rounding.
ROUNDING = 1e-12


def reactions(evidence: Evidence) -> ReportSection | None:
    """Write the section on joint forces of a closed model; None for an open model, or if there are no numbers."""
    system = evidence.system
    if not system.constraints or not evidence.states:
        return None
    parameters = evidence.states[0].parameters
    asked = [w.by for w in evidence.witnesses if w.by is not None and w.by.bears and not w.constraint_obstacles]
    try:
        begun = place_state(system, State(parameters=parameters))
        found = compare_constrained_forces(system, begun.assembly, asked)
    except MbconcordError as problem:
        return ReportSection(TITLE, note=f"Not known where the model begins: {problem.diagnostics[0].message}.")
    except Exception as problem:  # whatever a formalism raises spoils no report
        return ReportSection(TITLE, note=f"{type(problem).__name__}: {problem}")
    rows = list(_rows(system, found))
    if not rows:
        return None
    shared = f" {OPEN}: rows that depend on each other share it in any way." if any(OPEN in row for row in rows) else ""
    hidden = f" {len(rows) - MOST_ROWS} more are left out." if len(rows) > MOST_ROWS else ""
    about = (
        "Where the model begins, put onto its constraints and moved by its own forces: what the joint's carrier "
        "exerts on the body, moments about the origin of the body's frame; at a cut what the first body exerts on the "
        "second, moments about the cut. All in the axes of the frame of the body they act on."
    )
    return ReportSection(
        TITLE,
        about,
        SectionTable(HEADERS, tuple(rows[:MOST_ROWS]), 4),
        f"{_require_told(_judge_forces(found.comparisons), system, found.comparisons)}{shared}{hidden}",
    )


def confirm(evidence: AnyEvidence) -> AnyEvidence:
    """Compare printed forces with sums over the bodies; return the evidence with this comparison."""
    section = reactions(evidence)
    if section is None or section.table is None:
        return evidence
    system = evidence.system
    begun = place_state(system, State(parameters=evidence.states[0].parameters))
    again = compare_constrained_forces(system, begun.assembly, ())
    own = dict(zip([f"joint of {name}" for name in list_bodies(system)], _sixes(again.at_joints), strict=False))
    own |= dict(zip([cut.name for cut in cuts(system)], _sixes(again.at_cuts), strict=False))
    shown = [row for row in section.table.rows if row[0] in own]
    joined: dict[str, tuple[str | None, str | None]]
    joined = {f"joint of {name}": (name, system.body(name).parent) for name in list_bodies(system)}
    joined |= {cut.name: (cut.second.body, cut.first.body) for cut in cuts(system)}
    ends = ((row[:3], [x or "ground" for x in joined[row[0]]]) for row in shown)
    wrong = [f"{at} on {on} from {start}, expected {' from '.join(own)}" for (at, on, start), own in ends
             if own != [on, start]]  # fmt: skip
    heads = ("at", "on", "from", "by", *(f"{x}, N{' m' * (x[0] == 'M')}" for x in COMPONENTS))
    wrong += [f"heading {x!r}, expected {y!r}" for x, y in zip(section.table.headers, heads, strict=True) if x != y]
    if len(section.table.rows) < MOST_ROWS:
        wrong += [f"found no row of {at}" for at in own if all(at != row[0] for row in shown)]
    if wrong:
        named = replace(conclude("report", "rows and headings", wrong), claim="report")
        return replace(evidence, comparisons=(*evidence.comparisons, named))
    if not shown:
        return evidence
    cells = [[math.nan if x == OPEN else float(x) for x in row[4:]] for row in shown]
    printed = np.array([[*row, *[math.inf] * (6 - len(row))] for row in cells])
    summed = np.array([own[row[0]] for row in shown])
    both = ~np.isnan(printed) & ~np.isnan(summed)
    size = np.abs(np.where(both, summed, 0.0)).max(initial=0.0)
    scale, ones = np.full((1, printed.size), size), np.ones(1)
    one, other = (np.where(both, x, 0.0).reshape(1, -1) for x in (printed, summed))
    difference = ArrayDifference(one, other, scale, RUN_PRINTED * ones, ones)
    names = [f"{row[0]} {component}" for row in shown for component in COMPONENTS]
    found = worst("report", BODIES, "printed joint forces", difference, begun.assembly.states, names)
    if any(row[3].partition(",")[0] == BODIES for row in shown):
        reason = "the sums over the bodies are the printed ones, as no formalism has them"
        found = replace(found, verdict="not checked", explanation=reason)
    return replace(evidence, comparisons=(*evidence.comparisons, replace(found, claim="report")))


def _sixes(by: Mapping[str, Array]) -> Array:
    return np.reshape(by[BODIES][0], (-1, 6)) if BODIES in by else np.zeros((0, 6))


def _rows(system: System, found: Witnessed) -> Iterator[tuple[str, ...]]:
    joints = ((f"joint of {name}", name, system.body(name).parent) for name in list_bodies(system))
    ends = ((cut.name, cut.second.body, cut.first.body) for cut in cuts(system))
    every = [abs(x) for by in (found.at_joints, found.at_cuts) for values in by.values() for x in values[0].tolist()]
    rounding = ROUNDING * max(filter(math.isfinite, every), default=0.0)
    yield from _six(joints, found.at_joints, rounding)
    yield from _six(ends, found.at_cuts, rounding)


def _six(
    places: Iterable[tuple[str, str | None, str | None]], by: Mapping[str, Array], rounding: float
) -> Iterator[tuple[str, ...]]:
    """Yield a row for each joint or cut: bodies, witnesses, and the force and moment by the first witness."""
    for i, (place, on, from_) in enumerate(places):
        six = {name: x[0, 6 * i : 6 * i + 6].tolist() for name, x in by.items()}
        if six:
            numbers = (_number(x, rounding) for x in next(iter(six.values())))
            yield place, on or "ground", from_ or "ground", ", ".join(six), *numbers


def _number(x: float, rounding: float) -> str:
    return OPEN if math.isnan(x) else f"{x if abs(x) > rounding else 0.0:.6g}"


def _judge_forces(comparisons: Sequence[Comparison]) -> str:
    """Return sentences on the agreement of the witnesses, at joints and at cuts."""
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


def _require_told(said: str, system: System, comparisons: Sequence[Comparison]) -> str:
    """Return sentences on joints and cuts if they tell the comparisons whose worst entries are there; else raise."""
    places = {"joints": {*list_bodies(system)}, "cuts": {cut.name for cut in cuts(system)}}
    if places["joints"] & places["cuts"] or any(c.verdict == "disagrees" and not c.entry for c in comparisons):
        return said  # whose entry it is, is not known
    found = [c for c in comparisons if c.verdict != "not checked"]
    for what, names in places.items():
        own = [c for c in found if " ".join(c.entry).rpartition(" ")[0] in names]
        by = ", ".join(dict.fromkeys(name for c in own for name in (c.a, c.b)))
        most = short(max((c.discrepancy or 0.0 for c in own), default=0.0))
        told = [f"At {what} {c.a} and {c.b} disagree at" for c in own if c.verdict == "disagrees"]
        for line in told or [f"At {what} {by} agree to {most} of" if own else f"At {what} no two witnesses"]:
            if line not in said:
                remedy = "do not trust it; please report the model and the command"
                raise DisagreementError(error("forces at joints and cuts", f"found {said!r}, not {line!r}", remedy))
    return said
