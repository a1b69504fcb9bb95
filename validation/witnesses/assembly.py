"""Judgement of a state's projection onto the constraints, and of constraint rows there, by rows of validation's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from random import Random
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, MbconcordError, Severity
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import replace
from mbconcord.simulation.assembly import Assembly, assemble
from mbconcord.simulation.keeping import Placed, place_state

from ..judge.closed.rows import RowsByConstraint, with_cut_joints
from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison, Verdict
from ..judge.motion import Array
from ..judge.tolerances import RUN, SATISFIED, SINGULAR
from .direct.formulas import bind
from .direct.tree import NAME

#: Factor by which two formulas of one gap may differ: one may be a difference of squares, the other of lengths.
GAP_FACTOR: Final = 100.0
#: Singular values between this part of the largest and the smallest that counts leave the rank open.
LEAST: Final = 1e-4
ROWS: Final = "own rows"
#: Distance to the neighbouring position where independent rows are counted again, in units of the coordinates.
ASIDE: Final = 0.05
#: Singular values below this part of the largest are rounding, and count for no rank.
ROUNDING: Final = 1e-12
#: A state at less than this part of a distance is nearer; steps of the search for it, and the longest in units.
NEARER, STEPS, LONGEST = 0.95, 80, 0.1


def check_assembly(
    system: System,
    given: State,
    found: Placed,
    rank: int,
    gap: float,
    regular: bool,
    kept: Collection[str] | None = None,
) -> Iterator[Comparison]:
    """Yield comparisons of a projection: its moves from a given state, rank, gap and regularity.

    ``kept`` are coordinates that had to keep their values (None: those that the given state names) unless released.
    """
    names = system.coordinate_names
    try:
        series = bind(system, [given], at_rest=True).symbols
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        yield Comparison("assemble", NAME, "distance", "not checked", explanation=str(problem).splitlines()[0])
        return
    begun, rates = (np.array([float(series[name].c[i][0]) for name in names]) for i in (0, 1))
    q, v = (np.array([x[name] for name in names]) for x in (found.state.q, found.state.v))
    stay = {*(given.q if kept is None else kept)} - {*found.released}
    for name, x, y in zip(names, q, begun, strict=True):
        if name in stay and abs(x - y) > ROUNDING * (1.0 + abs(y)):
            yield _disagree("held", f"{name} is {float(x)!r}, held at {float(y)!r}")
    distance = max((abs(x) / unit for x, unit in zip(q - begun, found.units, strict=True)), default=0.0)
    for quantity, own, way, labels, size in (
        ("moved by", found.shift, q - begun, names, np.abs(q) + np.abs(begun)),
        ("changed by", found.change, v - rates, names, np.abs(v) + np.abs(rates)),
        ("distance", np.array([found.distance]), np.array([distance]), ("distance",), np.array([distance])),
    ):
        if len(way):
            yield worst("assemble", NAME, quantity, _difference(own, way, size), [given], labels)
    try:
        yield from _constraints(system, found, rank, gap, regular)
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        yield Comparison("assemble", ROWS, "rank and gap", "not checked", explanation=str(problem).splitlines()[0])


def search_nearer(system: System, given: State, found: Placed, kept: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning if Newton's steps from the given state, by own rows, end nearer to it than the state found.

    ``kept`` are coordinates that had to keep their values, which were released if no state was found that keeps them:
    an error says if the steps end in one. A note says if they do not end.
    """
    names = system.coordinate_names
    begun = dict(zip(names, (np.array(list(found.state.q.values())) - found.shift).tolist(), strict=True))
    units = dict(zip(names, found.units.tolist(), strict=True))
    for held in [{*kept}, *([{*kept} - {*found.released}] if found.released else [])]:
        try:
            q = _step_onto(
                system, replace(given, q=begun, v={}), {n: 0.0 if n in held else u for n, u in units.items()}
            )
        except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
            yield Diagnostic("note", "assemble", f"nearness not checked: {str(problem).splitlines()[0]}")
            return
        distance = max((abs(q[n] - begun[n]) / units[n] for n in names), default=0.0) if q else np.inf
        lost = sorted(held & {*found.released})
        if q and (lost or distance < NEARER * found.distance):
            what = f"{', '.join(lost)} can be kept" if lost else "not the nearest"
            other = ", ".join(
                f"{n} = {q[n]:.6g}" for n, x in found.state.q.items() if abs(q[n] - x) > LONGEST * units[n]
            )
            message = f"{what}: at distance {distance:.6g}, not {found.distance:.6g}, {ROWS} close too: {other}"
            severity: Severity = "error" if lost else "warning"
            yield Diagnostic(severity, "assemble", message, "list others with --others, or give a state nearer to one")
        if q:
            return
    yield Diagnostic("note", "assemble", f"nearness not checked: {STEPS} steps by {ROWS} do not end")


def _step_onto(system: System, start: State, units: Mapping[str, float]) -> Mapping[str, float] | None:
    """Return coordinates at which own rows hold, by least steps from a start; None after STEPS. A unit of 0 stays."""
    state, every = assemble(system, [start], held=True).extended[0], with_cut_joints(system).coordinate_names
    size = np.array([units.get(name, 1.0) for name in every])
    for _ in range(STEPS):
        own = RowsByConstraint(system, [state]).rows
        if own.relative_gaps[0, : own.gap.shape[1]].max(initial=0.0) <= SATISFIED:
            return state.q
        step = np.linalg.lstsq(own.D[0] * size, -own.gap[0], SINGULAR)[0]
        step *= size / max(1.0, float(np.abs(step).max(initial=0.0)) / LONGEST)
        state = replace(state, q={n: state.q[n] + float(x) for n, x in zip(every, step, strict=True)})
    return None


def check_rows(system: System, by: str, given: Assembly, D: Array, ranks: Array, gaps: Array) -> Iterator[Comparison]:
    """Yield comparisons of gaps (S,), and of D (S, m, n) and ranks (S,) at closed states, with validation's own rows.

    Formalisms choose rows in several ways: each row of D must be a combination of validation's own rows in which the
    coordinates of cut joints cancel.
    """
    try:
        own = RowsByConstraint(system, given.extended)
        yield from _compare_rows(own, by, given, D, ranks, gaps)
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        yield Comparison(by, ROWS, "D and rank", "not checked", explanation=str(problem).splitlines()[0])


def _compare_rows(
    own: RowsByConstraint, by: str, given: Assembly, D: Array, ranks: Array, gaps: Array
) -> Iterator[Comparison]:
    found = own.rows.relative_gaps.max(axis=1, initial=0.0)
    s = int(np.argmax(np.abs(np.log((found + SATISFIED) / (gaps + SATISFIED)))))
    near = max(found[s], gaps[s]) <= GAP_FACTOR * min(found[s], gaps[s]) + SATISFIED
    yield Comparison(by, ROWS, "gap", "agrees" if near else "disagrees", values=(float(gaps[s]), float(found[s])))
    sound = given.is_closed & own.rows.certain & np.isfinite(D).all(axis=(1, 2)) if D.size else given.is_closed
    if not sound.all():
        yield Comparison(by, ROWS, "D and rank", "not checked", explanation="the state is off the constraints")
        return
    wrong = False
    for s, rows in enumerate(D):
        n = rows.shape[1]
        made_of = np.abs(own.rows.lever[s]).max(axis=1, keepdims=True, initial=0.0)
        every = own.rows.D[s] / np.where(made_of > 0, made_of, 1.0)
        _, sizes, right = np.linalg.svd(every)
        space = right[: int((sizes > ROUNDING * sizes.max(initial=0.0)).sum())]
        wide = np.concatenate([rows, np.zeros((len(rows), every.shape[1] - n))], axis=1)
        beyond = np.abs(wide - wide @ space.T @ space).max(initial=0.0)
        size = np.abs(rows).max(initial=1.0)
        if beyond > RUN * size:
            said = f"a row is no combination of {ROWS}, by {beyond / size:.2g}"
            yield Comparison(by, ROWS, "D", "disagrees", explanation=said)
            wrong = True
        most, least = (_count(every, a) - _count(every[:, n:], b) for a, b in ((SINGULAR, LEAST), (LEAST, SINGULAR)))
        if not least <= ranks[s] <= most:
            yield _judge_rank(by, int(ranks[s]), every, least, most)
            wrong = True
    if not wrong:
        yield Comparison(by, ROWS, "D and rank", "agrees")


def _count(rows: Array, part: float) -> int:
    """Count the singular values above a part of the largest."""
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > part * values.max(initial=0.0)).sum())


def find_nearness(system: System, state: State) -> float | None:
    """Return the smallest singular value of own rows at a state, relative to the largest, if below LEAST; else None."""
    D, _ = _weigh(system, RowsByConstraint(system, assemble(system, [state], held=True).extended))
    values = np.linalg.svd(D, compute_uv=False)
    sizes = values / values.max(initial=1e-300)
    return min(sizes[(sizes > ROUNDING) & (sizes < LEAST)].tolist(), default=None)


def _judge_rank(by: str, rank: int, rows: Array, least: int, most: int) -> Comparison:
    """Return the comparison of a wrong rank: it disagrees, or is not checked if the state is near a singular position.

    Near such a position, singular values of the rows lie between ROUNDING and SINGULAR times the largest.
    """
    values = np.linalg.svd(rows, compute_uv=False)
    sizes = values / values.max(initial=1e-300)
    small = sizes[(sizes > ROUNDING) & (sizes <= SINGULAR)]
    if most < rank <= most + len(small):
        near = f"near a singular position: rows are independent by {small.max():.1g} of their size only"
        return Comparison(by, ROWS, "rank", "not checked", explanation=f"{near} (evaluate farther beside it)")
    said = f"rank {rank} by {by}, {least if least == most else f'{least} to {most}'} by {ROWS}"
    return Comparison(by, ROWS, "rank", "disagrees", explanation=said)


def _disagree(quantity: str, said: str) -> Comparison:
    return Comparison("assemble", ROWS, quantity, "disagrees", explanation=said)


def _count_around(system: System, found: Placed) -> int | None:
    """Count independent own rows at a nearby position on the constraints; None if no such position is found."""
    random = Random(1)
    moved = {n: x + ASIDE * unit * random.uniform(-1, 1) for (n, x), unit in zip(found.state.q.items(), found.units)}
    try:
        near = place_state(system, replace(found.state, q=moved, v={}), (), ())
    except MbconcordError:
        return None
    return _count(_weigh(system, RowsByConstraint(system, near.assembly.extended[:1]))[0], SINGULAR)


def _weigh(system: System, own: RowsByConstraint) -> tuple[Array, Array]:
    """Return rows of constraints (without drives) at the first state, over the size of their terms; and their names."""
    drives = {drive_row(name) for name in find_imposed_accelerations(system)}
    closing = [name not in drives for name in own.names]
    made_of = own.rows.lever[0][closing].max(axis=1, keepdims=True, initial=0.0)
    return own.rows.D[0][closing] / np.where(made_of > 0, made_of, 1.0), np.array(own.names)[closing]


def _constraints(system: System, found: Placed, rank: int, printed: float, regular: bool) -> Iterator[Comparison]:
    """Yield comparisons of a state's rank, gap, regularity and number of rows with own rows of unit size."""
    made = found.assembly
    own = RowsByConstraint(system, made.extended[:1])
    gap = float(own.rows.relative_gaps[:, : own.rows.gap.shape[1]].max(initial=0.0))
    verdict: Verdict = "agrees" if gap <= GAP_FACTOR * printed + SATISFIED else "disagrees"
    yield Comparison("assemble", ROWS, "largest gap", verdict, values=(printed, gap))
    D, names = _weigh(system, own)
    most, least = (_count(D, part) for part in (SINGULAR, LEAST))
    if not least <= rank <= most:
        yield _judge_rank("assemble", rank, D, least, most)
    around = most if least == len(D) else _count_around(system, found)
    if around is not None and regular is not (around == most) and (not regular or around > most) and least == most:
        yield _disagree("position", f"{'regular' if regular else 'folded'}; rank {most} here, {around} aside by {ROWS}")
    each = [D[names == name] for name in dict.fromkeys(names)]  # three of points, three of turns, which axes may turn
    least = sum(int(np.linalg.matrix_rank(x[i : i + 3], tol=LEAST)) for x in each for i in range(0, len(x), 3))
    if not least <= made.rows <= len(D):
        yield _disagree("rows", f"{made.rows} rows by assemble, {least} to {len(D)} by {ROWS}")


def _difference(x: Array, y: Array, size: Array) -> ArrayDifference:
    one = np.ones(1)
    return ArrayDifference(x[None], y[None], (1.0 + size)[None], RUN * one, one)
