"""Motions of two models: the same formalism integrates both from corresponding states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import FormalismError, MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import place_state

from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import Horizon
from ...witnesses.motion import POSITIONS, RATES, FormalismRun, Moved, Runner, growth, join_starts
from .by_formalisms import CLAIM, count_known_rows, horizon_of


def same_motion(
    first: System, second: System, order: Sequence[int], starts: Sequence[State], translated: Callable[[State], State],
    formalisms: Sequence[Formalism], span: float, room: float, seed: int = 0,
) -> tuple[tuple[Comparison, ...], Horizon]:  # fmt: skip
    """Compare positions and rates of two models from corresponding states, up to the horizon.

    Parameters
    ----------
    first, second : models, with formulas for their functions and values for their parameters
    order : for each coordinate of the first, its place in the second
    starts : initial states of the first; ``translated`` returns the second's corresponding state
    formalisms : formalisms that integrate both
    span : duration (s)
    room : possible relative effect of both models' inexact numbers on accelerations; it is part of the tolerance

    Returns
    -------
    comparisons, horizon
    """
    found: list[Comparison] = []
    all_moved: list[Moved] = []
    reasons: list[str] = []
    runner = Runner(first, span, starts[0].parameters)
    other = Runner(second, span, translated(starts[0]).parameters)
    for by in formalisms:
        made: list[tuple[Moved, FormalismRun]] = []
        try:
            for start in starts:
                at = place_state(first, start)
                begun = replace(at.state, parameters=start.parameters)
                x, y = runner.run(by, begun), other.run(by, translated(begun))
                spread = growth(runner, by, begun, x, seed)
                count, reason = count_known_rows([x, y], spread, span)
                reasons += [reason] if reason else []
                if count > 1:
                    made.append((Moved(runner, begun, {by.name: by}, {by.name: x}, spread, count), y))
        except FormalismError:  # it delivers no equations of motion
            continue
        except (MbconcordError, ExpressionError) as problem:
            reasons.append(str(problem).splitlines()[0])
        all_moved += [moved for moved, _ in made]
        if made:
            found += _compare(by.name, made, list(order), room)
    horizon = horizon_of(all_moved, span, reasons)
    if not found:
        why = "; ".join(dict.fromkeys(reasons)) or "no formalism moves both models"
        found = [Comparison("A", "B", "motion", "not checked", explanation=why, claim=CLAIM)]
    return tuple(found), horizon


def _compare(name: str, made: Sequence[tuple[Moved, FormalismRun]], order: list[int], room: float) -> list[Comparison]:
    """Compare positions and rates of both models by a formalism, over all initial states."""
    names = made[0][0].system.coordinate_names
    n = len(names)
    found = []
    for quantity, columns in ((POSITIONS, slice(0, n)), (RATES, slice(n, 2 * n))):
        parts = []
        for moved, y in made:
            x = moved.runs[name]
            theirs = np.hstack([y.trajectory.q[:, order], y.trajectory.v[:, order]])[: moved.count]
            own = x.y[: moved.count]
            extra = room * _measure_travel(moved, x)
            tolerance = moved.tolerances(x, x) + extra * moved.spread.factor[: moved.count]
            parts.append((own[:, columns], theirs[:, columns], moved.sizes(x)[:, columns], tolerance, moved.states(x)))
        found.append(join_starts(f"A, {name}", f"B, {name}", quantity, CLAIM, parts, names))
    return found


def _measure_travel(moved: Moved, run: FormalismRun) -> Array:
    """Return the effect on rates and positions, up to each row (K,), of changing accelerations by 1 + |q''|."""
    t = run.t[: moved.count] - run.t[0]
    a = np.maximum.accumulate(1.0 + np.abs(run.trajectory.a[: moved.count]).max(axis=1, initial=0.0))
    return np.asarray(a * np.maximum(t, t**2 / 2))
