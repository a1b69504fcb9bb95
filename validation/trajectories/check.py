"""A model's motions as evidence: from its own start and a drawn one, by every formalism that moves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, FormalismError, MbconcordError, NumbersError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import imposed
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import placed

from ..horizon import Horizon
from ..judge.evidence import Comparison
from ..progress import counted
from . import drift, energy, momentum, reversibility, same_motion
from .horizon import Growth, allowed, growth, within
from .moved import Moved
from .runs import Run, Runner, common

#: Claims about motions, in their order.
CLAIMS: tuple[Callable[[Sequence[Moved]], Iterator[Comparison]], ...] = (
    same_motion.claim, energy.claim, momentum.claim, drift.claim, reversibility.claim,
)  # fmt: skip
#: How far a drawn start is from the model's own: angles (rad) and shifts (reaches), modal coordinates; rates.
FAR, BENT, FAST = 0.3, 1e-3, 1.0


def moving(
    system: System, formalisms: Sequence[Formalism], starts: Sequence[State], span: float, seed: int = 0
) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...], Horizon]:
    """What motions of a model say.

    Parameters
    ----------
    system : with numbers for its functions
    formalisms : those to ask
    starts : states, all with the same parameters
    span : how long each motion is (s)
    seed : of the directions in which neighbours are

    Returns
    -------
    comparisons, notes, horizon
    """
    able = [by for by in formalisms if not _refuses(by, system)]
    runner = Runner(system, span, starts[0].parameters if starts else {})
    failures: list[Comparison] = []
    found: list[Moved] = []
    reasons: list[str] = []
    for start in counted("motion", starts, lambda s: f"of {span:g} s"):
        made, failed, reason = _moved(runner, able, start, seed)
        failures += [
            c for c in failed if (c.a, c.explanation) not in {(f.a, f.explanation) for f in failures}
        ]
        if made is not None:
            found.append(made)
        if reason:
            reasons.append(reason)
    horizon = horizon_of(found, span, reasons)
    if not found:
        why = "; ".join(dict.fromkeys(reasons)) or "no formalism moves the model"
        silent = Comparison("", "", "motion", "not checked", explanation=why, claim=same_motion.CLAIM)
        return (*failures, silent), (), horizon
    told = [c for claim in CLAIMS for c in claim(found)]
    quiet = [c for c in told if c.verdict == "not checked" and c.claim != same_motion.CLAIM]
    notes = dict.fromkeys(
        Diagnostic("note", "motion", f"{c.quantity} not checked: {c.explanation}") for c in quiet
    )
    notes = {Diagnostic("note", "motion", horizon.explained()): None} | notes
    return (*failures, *(c for c in told if c not in quiet)), tuple(notes), horizon


def _refuses(by: Formalism, system: System) -> bool:
    return bool(by.constraint_obstacles(system) if system.constraints else by.obstacles(system))


def _moved(
    runner: Runner, able: Sequence[Formalism], start: State, seed: int
) -> tuple[Moved | None, list[Comparison], str]:
    """The motions from a start as far as they are evidence; formalisms that fail; why it ends early, or is none."""
    runs: dict[str, Run] = {}
    failures: list[Comparison] = []
    silent: dict[str, str] = {}
    for by in able:
        try:
            runs[by.name] = runner.run(by, start)
        except FormalismError:  # it delivers no equations of motion
            continue
        except (
            NumbersError,
            ExpressionError,
        ) as problem:  # of the model's start and numbers, not of a formalism
            silent[by.name] = _said(problem)
        except Exception as problem:  # whatever a formalism raises is evidence against it
            explanation = f"{type(problem).__name__}: {problem}"
            failures.append(
                Comparison(
                    by.name, "", "motion", "disagrees", explanation=explanation, claim=same_motion.CLAIM
                )
            )
    if not runs:
        return None, failures, "; ".join(dict.fromkeys(silent.values()))
    failures += [
        Comparison(name, "", "motion", "not checked", explanation=why, claim=same_motion.CLAIM)
        for name, why in silent.items()
    ]
    first = next(by for by in able if by.name in runs)
    spread = growth(runner, first, start, runs[first.name], seed)
    count, reason = known(list(runs.values()), spread, runner.span)
    taking = {by.name: by for by in able if by.name in runs}
    if count < 2:
        return None, failures, reason
    return Moved(runner, start, taking, runs, spread, count), failures, reason


def known(runs: Sequence[Run], spread: Growth, span: float) -> tuple[int, str]:
    """How many rows are evidence of these runs, and why not all of them."""
    count = min(common(runs), len(spread.t))
    stopped = next(
        (run.stopped for run in runs if run.stopped and len(run.trajectory.found) == common(runs)), None
    )
    pairs = [runs[0], runs[min(1, len(runs) - 1)]]
    known = within(allowed(pairs, spread, count)) if count else 0
    if known < count:
        t = spread.t[known] - spread.t[0]
        return known, f"neighbouring starts are {spread.factor[known]:.3g} times farther apart at {t:.4g} s"
    if stopped is not None:
        return count, stopped.message
    return count, "" if count and spread.t[count - 1] >= spread.t[0] + span * (
        1 - 1e-9
    ) else "a neighbour stops"


def horizon_of(found: Sequence[Moved], span: float, reasons: Sequence[str]) -> Horizon:
    """Up to when motions of so many seconds are compared."""
    if not found:
        return Horizon(span, 0.0, 0, 1.0, 0.0, 0, "; ".join(dict.fromkeys(reasons)))
    shortest = min(found, key=lambda m: m.spread.t[m.count - 1] - m.spread.t[0])
    reached = float(shortest.spread.t[shortest.count - 1] - shortest.spread.t[0])
    runs = [run for m in found for run in m.runs.values()]
    tolerance = max(
        float(allowed(pair, m.spread, m.count)[-1]) for m in found for pair in [list(m.runs.values())[:2]]
    )
    return Horizon(
        span, reached if reached < span * (1 - 1e-9) else span, len({repr(m.start) for m in found}),
        max(float(m.spread.factor[m.count - 1]) for m in found), tolerance,
        max(len(run.ends) for run in runs), "; ".join(dict.fromkeys(reasons)),
    )  # fmt: skip


def _said(problem: Exception) -> str:
    if isinstance(problem, MbconcordError):
        return "; ".join(d.message for d in problem.diagnostics)
    return str(problem)


def starts_of(system: System, given: Sequence[State] | None, parameters: State, seed: int) -> list[State]:
    """States from which motions begin: those that are given, or the model's own and one that is drawn near it."""
    if given:
        return [State(s.t, s.q, s.v, {}, parameters.parameters) for s in given]
    own = State(0.0, {}, {}, {}, parameters.parameters)
    try:
        at = placed(system, own)
    except MbconcordError:
        return [own]
    random = Random(seed)
    modal = {name for body in system.bodies for name in body.modal}
    fixed = set(imposed(system))
    q, v = dict(at.state.q), dict(at.state.v)
    for name, unit in zip(system.coordinate_names, at.units.tolist(), strict=True):
        size = BENT if name in modal else FAR * unit
        if name not in fixed:
            q[name] += size * random.uniform(-1, 1)
            v[name] += (BENT if name in modal else FAST * unit) * random.uniform(-1, 1)
    try:
        near = placed(system, replace(own, q=q, v=v), (), ())
    except MbconcordError:
        return [own]
    return [own, replace(near.state, parameters=own.parameters)]
