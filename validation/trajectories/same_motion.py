"""The same motion by different formalisms, each by its own equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..judge.evidence import Comparison
from .moved import Moved, joined
from .runs import SAMPLES, Run

SENTENCE = "Formalisms that are integrated one by one move the model alike, as far as motions are known."
CLAIM = "motion"


def claim(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Positions and rates of every two formalisms at the rows within the horizon, and who stops before others."""
    names = starts[0].system.coordinate_names
    n = len(names)
    who = list(starts[0].runs)
    if len(who) < 2:
        reason = f"only {who[0]} moves the model; two are needed" if who else "no formalism moves the model"
        yield Comparison(who[0] if who else "", "", "motion", "not checked", explanation=reason, claim=CLAIM)
        return
    for a, b in combinations(who, 2):
        for quantity, columns in (("motion: positions", slice(0, n)), ("motion: rates", slice(n, 2 * n))):
            parts = []
            for moved in starts:
                x, y = moved.runs[a], moved.runs[b]
                parts.append(
                    (
                        x.y[: moved.count, columns], y.y[: moved.count, columns], moved.sizes(x, y)[:, columns],
                        moved.tolerances(x, y), moved.states(x),
                    )
                )  # fmt: skip
            yield joined(a, b, quantity, CLAIM, parts, names)
    for moved in starts:
        yield from _stopped(moved)


def _stopped(moved: Moved) -> Iterator[Comparison]:
    """A formalism that stops where others go on."""
    longest = max(len(run.trajectory.found) for run in moved.runs.values())
    beyond = max(2, SAMPLES // 25)
    others = [name for name, run in moved.runs.items() if len(run.trajectory.found) == longest]
    for name, run in moved.runs.items():
        if _failed(run) and len(run.trajectory.found) + beyond < longest:
            assert run.stopped is not None
            explanation = f"{name} stops where {', '.join(others)} go on: {run.stopped.message}"
            yield Comparison(name, others[0], "motion", "disagrees", explanation=explanation, claim=CLAIM)


def _failed(run: Run) -> bool:
    return run.stopped is not None and run.stopped.severity == "error"
