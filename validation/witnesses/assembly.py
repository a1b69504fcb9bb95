"""Judgement of a state's projection onto the constraints, by the direct witness's initial positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.keeping import Placed

from ..judge.closed.rows import RowsByConstraint
from ..judge.comparison import ArrayDifference, contradict, worst
from ..judge.evidence import Comparison, Verdict
from ..judge.motion import Array
from ..judge.tolerances import RUN, SATISFIED, SINGULAR
from .direct.formulas import bind

#: Another formula of a gap is made of other terms: of squares, of lengths.
GAP_FACTOR: Final = 100.0
#: Singular values between this part of the largest and the smallest that counts leave the rank open.
LEAST: Final = 1e-4
ROWS: Final = "own rows"


def check_assembly(system: System, given: State, found: Placed, rank: int, gap: float) -> Iterator[Diagnostic]:
    """Yield an error if the stated path from a given state is wrong, a note if it cannot be checked."""
    names = system.coordinate_names
    try:
        series = bind(system, [given], at_rest=True).symbols
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        yield Diagnostic("note", "assemble", f"distance not checked: {str(problem).splitlines()[0]}")
        return
    begun, rates = (np.array([float(series[name].c[i][0]) for name in names]) for i in (0, 1))
    q, v = (np.array([x[name] for name in names]) for x in (found.state.q, found.state.v))
    distance = max((abs(x) / unit for x, unit in zip(q - begun, found.units, strict=True)), default=0.0)
    for quantity, own, way, labels, size in (
        ("moved by", found.shift, q - begun, names, np.abs(q) + np.abs(begun)),
        ("changed by", found.change, v - rates, names, np.abs(v) + np.abs(rates)),
        ("distance", np.array([found.distance]), np.array([distance]), ("distance",), np.array([distance])),
    ):
        if len(way):
            compared = worst("assemble", "direct", quantity, _difference(own, way, size), [given], labels)
            yield from contradict([compared], "assemble")
    yield from contradict(list(_constraints(system, found, rank, gap)), "assemble")


def _constraints(system: System, found: Placed, rank: int, printed: float) -> Iterator[Comparison]:
    """Yield what validation's own rows, weighed by what they are made of, say of the rank and the gap of a state."""
    made = found.assembly
    own = RowsByConstraint(system, made.extended[:1])
    gap = float(own.rows.relative_gaps[:, : own.rows.gap.shape[1]].max(initial=0.0))
    verdict: Verdict = "agrees" if gap <= GAP_FACTOR * printed + SATISFIED else "disagrees"
    yield Comparison("assemble", ROWS, "largest gap", verdict, values=(printed, gap))
    drives = {drive_row(name) for name in find_imposed_accelerations(system)}
    closing = [name not in drives for name in own.names]
    made_of = own.rows.lever[0][closing].max(axis=1, keepdims=True, initial=0.0)
    D = own.rows.D[0][closing] / np.where(made_of > 0, made_of, 1.0)
    values = np.linalg.svd(D, compute_uv=False)
    most, least = (int((values > part * values.max(initial=0.0)).sum()) for part in (SINGULAR, LEAST))
    if not least <= rank <= most:
        said = f"rank {rank} by assemble, {least if least == most else f'{least} to {most}'} by {ROWS}"
        yield Comparison("assemble", ROWS, "rank", "disagrees", explanation=said)


def _difference(x: Array, y: Array, size: Array) -> ArrayDifference:
    one = np.ones(1)
    return ArrayDifference(x[None], y[None], (1.0 + size)[None], RUN * one, one)
