"""The referee of motions with constraints: two witnesses differ; the same equations in 50 digits say who does not.

Beside the constraints, where floats are, witnesses may differ by the gap. So the state is first carried onto them in
these digits, along validation's own rows; there rows that depend on each other do so to 1e-40, no threshold has to be
chosen with care, and the rank is certain. Then M q'' - Dᵀ λ = Q - h, D q'' = -γ̃ of every witness is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import assemble, pseudoinverse
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.rows import constraint_rows

from ..judge.bounds import PARTS, ROWS, BoundedEquations
from ..judge.evidence import Comparison
from ..judge.referee import Judgement, judged, solution
from ..judge.tolerances import REFEREE_DIGITS
from .rows import with_cut_joints

#: A gap on the constraints, and what is left of a row that depends on others, in these digits; steps to get there.
CLOSED, DEPENDENT, STEPS = 1e-42, 1e-25, 12


class OffTheConstraintsError(ArithmeticError):
    """No state on the constraints was found in so many digits."""


@dataclass(frozen=True)
class Exact:
    """A motion in high precision: q'' and Dᵀ λ by coordinate, and the rank."""

    acceleration: Sequence[Any]
    reactions: Sequence[Any]
    rank: int


def on_constraints(system: System, state: State) -> dict[str, Any]:
    """Values of every symbol of the open tree at the nearest state on the constraints, in the referee's digits.

    Raises
    ------
    OffTheConstraintsError
        The rows contradict each other by what floats cannot show, or the position is singular.
    """
    (extended,) = assemble(system, [state], held=True).extended
    rows, wide = constraint_rows(system), with_cut_joints(system)
    arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
    values = dict(Instance(wide, [extended], arithmetic).environments[0])
    if rows.rows:
        at = RowsAtStates(rows, wide, [extended])
        least = pseudoinverse(at.positions(at.q).D)[0] if at.m else np.zeros((at.k, 0))
        for suffix, lines in (("", [r.position for r in rows.rows]), ("'", [r.speed for r in rows.rows])):
            _closed(values, program(lines), [name + suffix for name in rows.coordinates], least, arithmetic)
    return values


def _closed(values: dict[str, Any], lines: Any, names: Sequence[str], least: Any, arithmetic: Any) -> None:
    """Move the named symbols until the rows are closed: steps by D⁺ in floats, each 12 digits or more."""
    gap: Any = 0
    for _ in range(STEPS):
        off = run(lines, values, arithmetic)
        gap = max(map(abs, off), default=0)
        if gap < CLOSED:
            return
        for name, row in zip(names, least, strict=True):
            values[name] = values[name] - sum((float(x) * y for x, y in zip(row, off, strict=True)), 0)
    raise OffTheConstraintsError(
        f"no state near it satisfies the constraints in {REFEREE_DIGITS} digits, but by {float(gap):.1e}"
    )


def exactly(equations: BoundedEquations, values: Mapping[str, Any]) -> Exact:
    """The motion that the equations of a witness make at such values."""
    arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
    found = equations.exactly(_At(values, arithmetic), (*PARTS, *ROWS))  # type: ignore[arg-type]
    n = len(equations.names)
    context = next(iter(values.values())).context
    M, D = context.matrix(_square(found["M"], n)), _square(found["D"], n)
    force = [g + a - h for g, a, h in zip(found["gravity"], found["applied"], found["h"], strict=True)]
    chosen = independent(D)
    m = len(chosen)
    whole, right = context.zeros(n + m, n + m), context.zeros(n + m, 1)
    for i in range(n):
        right[i] = force[i]
        for j in range(n):
            whole[i, j] = M[i, j]
    for r, row in enumerate(chosen):
        right[n + r] = -found["γ̃"][row]
        for j in range(n):
            whole[n + r, j] = D[row][j]
            whole[j, n + r] = -D[row][j]
    solved = solution(whole, right)
    reactions = [
        sum((D[row][j] * solved[n + r] for r, row in enumerate(chosen)), 0 * force[j]) for j in range(n)
    ]
    return Exact([solved[i] for i in range(n)], reactions, m)


@dataclass(frozen=True)
class _At:
    """What :meth:`BoundedEquations.exactly` needs of an instance: one environment and its arithmetic."""

    values: Mapping[str, Any]
    arithmetic: Any

    @property
    def environments(self) -> tuple[Mapping[str, Any], ...]:
        """The one."""
        return (self.values,)


def _square(flat: Sequence[Any], n: int) -> list[list[Any]]:
    return [list(flat[i : i + n]) for i in range(0, len(flat), n)]


def independent(D: Sequence[Sequence[Any]]) -> list[int]:
    """Numbers of rows that do not depend on rows before them, by elimination with columns pivoted."""
    kept: list[tuple[int, list[Any]]] = []
    chosen = []
    for i, row in enumerate(D):
        left, size = list(row), max(map(abs, row), default=0)
        for pivot, other in kept:
            factor = left[pivot] / other[pivot]
            left = [x - factor * y for x, y in zip(left, other, strict=True)]
        pivot = max(range(len(left)), key=lambda k: abs(left[k]), default=0)
        if left and size > DEPENDENT and abs(left[pivot]) > DEPENDENT * size:
            kept.append((pivot, left))
            chosen.append(i)
    return chosen


def judge(
    system: System, equations: Mapping[str, BoundedEquations], comparison: Comparison, part: str
) -> Judgement:
    """Who is right about an entry of q'' or Dᵀ λ: ``part`` is ``acceleration``, ``reactions`` or ``rank``."""
    if comparison.state is None:
        return Judgement("undecided", (), {}, "no state to judge at")
    try:
        values = on_constraints(system, comparison.state)
    except (OffTheConstraintsError, ExpressionError, MbconcordError) as problem:
        return Judgement("undecided", (), {}, str(problem))
    exact: dict[str, Any] = {}
    failed = []
    context = next(iter(values.values())).context
    for name, own in equations.items():
        try:
            found = exactly(own, values)
        except (ExpressionError, ArithmeticError, MbconcordError) as problem:
            failed.append(f"{name} has no value in {REFEREE_DIGITS} digits ({problem})")
            continue
        if part == "rank":
            exact[name] = context.mpf(found.rank)
        else:
            (entry,) = comparison.entry
            exact[name] = getattr(found, part)[own.names.index(entry)]
    return judged(comparison, exact, failed)


def review(
    system: System, equations: Mapping[str, BoundedEquations], comparison: Comparison, part: str
) -> Comparison:
    """The disagreement with the referee's explanation behind what is said of it."""
    text = judge(system, equations, comparison, part).text
    return replace(comparison, explanation=". ".join(filter(None, (comparison.explanation, text))))
