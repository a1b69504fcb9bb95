"""A model's motions as evidence: from its own initial state and a random one, by every formalism that simulates it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, FormalismError, MbconcordError, NumbersError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import place_state

from ...judge.evidence import Comparison
from ...judge.progress import count_progress
from ...judge.tolerances import Horizon
from ...witnesses.motion import (
    POSITIONS,
    RATES,
    SAMPLES,
    FormalismRun,
    Growth,
    MotionWitness,
    Moved,
    Runner,
    common,
    count_known,
    find_tolerances,
    growth,
    join_starts,
)
from . import energy, momentum, reversibility

#: How far a drawn start is from the model's own: angles (rad) and shifts (reaches), modal coordinates; rates.
FAR, BENT, FAST = 0.3, 1e-3, 1.0


def moving(
    system: System, formalisms: Sequence[Formalism], starts: Sequence[State], span: float, seed: int = 0
) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...], Horizon]:
    """Check motions of a model.

    Parameters
    ----------
    system : the model, with a formula for every function
    formalisms : formalisms to use
    starts : states, all with the same parameters
    span : duration of each motion (s)
    seed : seed of the directions in which neighbouring motions start

    Returns
    -------
    comparisons, notes, horizon
    """
    runner = Runner(system, span, starts[0].parameters if starts else {})
    able = [by for by in (MotionWitness(f, runner) for f in formalisms) if not by.obstacles(system)]
    failures: list[Comparison] = []
    found: list[Moved] = []
    reasons: list[str] = []
    for start in count_progress("motion", starts, lambda s: f"of {span:g} s"):
        made, failed, reason = _run_motions(runner, able, start, seed)
        failures += [c for c in failed if (c.a, c.explanation) not in {(f.a, f.explanation) for f in failures}]
        if made is not None:
            found.append(made)
        if reason:
            reasons.append(reason)
    horizon = horizon_of(found, span, reasons)
    if not found:
        why = "; ".join(dict.fromkeys(reasons)) or "no formalism moves the model"
        silent = Comparison("", "", "motion", "not checked", explanation=why, claim=CLAIM)
        return (*failures, silent), (), horizon
    told = [c for claim in CLAIMS for c in claim(found)]
    quiet = [c for c in told if c.verdict == "not checked" and c.claim != CLAIM]
    notes = dict.fromkeys(Diagnostic("note", "motion", f"{c.quantity} not checked: {c.explanation}") for c in quiet)
    notes = {Diagnostic("note", "motion", horizon.explain()): None} | notes
    return (*failures, *(c for c in told if c not in quiet)), tuple(notes), horizon


def _run_motions(
    runner: Runner, able: Sequence[MotionWitness], start: State, seed: int
) -> tuple[Moved | None, list[Comparison], str]:
    """Return the motions from a start while they are evidence, failed formalisms, and the reason for an early end."""
    runs: dict[str, FormalismRun] = {}
    failures: list[Comparison] = []
    silent: dict[str, str] = {}
    for by in able:
        try:
            runs[by.name] = by.run(start)
        except FormalismError:  # it delivers no equations of motion
            continue
        except (NumbersError, ExpressionError) as problem:  # of the model's start and numbers, not of a formalism
            silent[by.name] = _describe_change(problem)
        except Exception as problem:  # whatever a formalism raises is evidence against it
            explanation = f"{type(problem).__name__}: {problem}"
            failures.append(Comparison(by.name, "", "motion", "disagrees", explanation=explanation, claim=CLAIM))
    if not runs:
        return None, failures, "; ".join(dict.fromkeys(silent.values()))
    failures += [
        Comparison(name, "", "motion", "not checked", explanation=why, claim=CLAIM) for name, why in silent.items()
    ]
    first = next(by.formalism for by in able if by.name in runs)
    try:
        spread = growth(runner, first, start, runs[first.name], seed)
    except NumbersError as problem:
        return None, failures, f"a neighbouring start: {_describe_change(problem)}"
    count, reason = count_known_rows(list(runs.values()), spread, runner.span)
    taking = {by.name: by.formalism for by in able if by.name in runs}
    if count < 2:
        return None, failures, reason
    return Moved(runner, start, taking, runs, spread, count), failures, reason


def count_known_rows(runs: Sequence[FormalismRun], spread: Growth, span: float) -> tuple[int, str]:
    """Count the rows of these runs that are evidence, and return the reason if not all are."""
    count = min(common(runs), len(spread.t))
    stopped = next(
        (run.stop_reason for run in runs if run.stop_reason and len(run.trajectory.found) == common(runs)), None
    )
    pairs = [runs[0], runs[min(1, len(runs) - 1)]]
    known = count_known(find_tolerances(pairs, spread, count)) if count else 0
    if known < count:
        t = spread.t[known] - spread.t[0]
        return known, f"neighbouring starts are {spread.factor[known]:.3g} times farther apart at {t:.4g} s"
    if stopped is not None:
        return count, stopped.message
    return count, "" if count and spread.t[count - 1] >= spread.t[0] + span * (1 - 1e-9) else "a neighbour stops"


def horizon_of(found: Sequence[Moved], span: float, reasons: Sequence[str]) -> Horizon:
    """Return the time up to which motions of this span (s) are compared, with tolerances."""
    if not found:
        return Horizon(span, 0.0, 0, 1.0, 0.0, 0, "; ".join(dict.fromkeys(reasons)))
    shortest = min(found, key=lambda m: m.spread.t[m.count - 1] - m.spread.t[0])
    reached = float(shortest.spread.t[shortest.count - 1] - shortest.spread.t[0])
    runs = [run for m in found for run in m.runs.values()]
    tolerance = max(
        float(find_tolerances(pair, m.spread, m.count)[-1]) for m in found for pair in [list(m.runs.values())[:2]]
    )
    return Horizon(
        span, reached if reached < span * (1 - 1e-9) else span, len({repr(m.start) for m in found}),
        max(float(m.spread.factor[m.count - 1]) for m in found), tolerance,
        max(len(run.ends) for run in runs), "; ".join(dict.fromkeys(reasons)),
    )  # fmt: skip


def _describe_change(problem: Exception) -> str:
    if isinstance(problem, MbconcordError):
        return "; ".join(d.message for d in problem.diagnostics)
    return str(problem)


def starts_of(system: System, given: Sequence[State] | None, parameters: State, seed: int) -> list[State]:
    """Return initial states of motions: the given ones, or the model's own and a random one near it."""
    if given:
        return [State(s.t, s.q, s.v, {}, parameters.parameters) for s in given]
    own = State(0.0, {}, {}, {}, parameters.parameters)
    try:
        at = place_state(system, own)
    except MbconcordError:
        return [own]
    random = Random(seed)
    modal = {name for body in system.bodies for name in body.modal}
    fixed = set(find_imposed_accelerations(system))
    q, v = dict(at.state.q), dict(at.state.v)
    for name, unit in zip(system.coordinate_names, at.units.tolist(), strict=True):
        size = BENT if name in modal else FAR * unit
        if name not in fixed:
            q[name] += size * random.uniform(-1, 1)
            v[name] += (BENT if name in modal else FAST * unit) * random.uniform(-1, 1)
    try:
        near = place_state(system, replace(own, q=q, v=v), (), ())
    except MbconcordError:
        return [own]
    return [own, replace(near.state, parameters=own.parameters)]


CLAIM = "motion"


def same_motion(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Compare positions and rates of every two formalisms within the horizon; report formalisms that stop early."""
    names = starts[0].system.coordinate_names
    who = list(starts[0].runs)
    if len(who) < 2:
        reason = f"only {who[0]} moves the model; two are needed" if who else "no formalism moves the model"
        yield Comparison(who[0] if who else "", "", "motion", "not checked", explanation=reason, claim=CLAIM)
        return
    for a, b in combinations(who, 2):
        for quantity in (POSITIONS, RATES):
            parts = []
            for moved in starts:
                runs = moved.runs[a], moved.runs[b]
                x, y = (run.answer(names, moved.count).beside[quantity] for run in runs)
                assert x.scale is not None and y.scale is not None
                size = np.fmax(x.scale, y.scale)
                parts.append((x.values, y.values, size, moved.tolerances(*runs), moved.states(runs[0])))
            yield join_starts(a, b, quantity, CLAIM, parts, names)
    for moved in starts:
        yield from _compare_stops(moved)


def _compare_stops(moved: Moved) -> Iterator[Comparison]:
    """Yield a disagreement for a formalism whose motion stops where others continue."""
    longest = max(len(run.trajectory.found) for run in moved.runs.values())
    beyond = max(2, SAMPLES // 25)
    others = [name for name, run in moved.runs.items() if len(run.trajectory.found) == longest]
    for name, run in moved.runs.items():
        if _has_failed(run) and len(run.trajectory.found) + beyond < longest:
            assert run.stop_reason is not None
            explanation = f"{name} stops where {', '.join(others)} go on: {run.stop_reason.message}"
            yield Comparison(name, others[0], "motion", "disagrees", explanation=explanation, claim=CLAIM)


def _has_failed(run: FormalismRun) -> bool:
    return run.stop_reason is not None and run.stop_reason.severity == "error"


#: Claims about motions, in their order.
CLAIMS: tuple[Callable[[Sequence[Moved]], Iterator[Comparison]], ...] = (
    same_motion, energy.claim, momentum.claim, energy.drift, reversibility.claim,
)  # fmt: skip
