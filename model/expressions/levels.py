"""A program by levels: independent steps of one operation are one NumPy operation over all states.

Operations take turns in a fixed order, repeatedly. A step is done in the first turn of its operation after its operands
are ready; steps of one turn do not use each other. This gives fewer groups than one for each depth and operation, since
steps that are not needed soon join a later turn. The numbers of all steps are in one array (steps, N), ordered so that
a group fills consecutive rows::

    rows[group] = operation(rows[places of the first operands], rows[places of the second operands])

The floats are those of :func:`.evaluate.run` with NumPy's arithmetic, bit for bit: the same operations on the
same operands, in another order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.records import dataclass

from .arithmetic import Functions, numpy_arithmetic
from .evaluate import FunctionTable
from .interpolant import Interpolant
from .node import ADD, CALL, FUN, MUL, NEG, PI, POW, SYM, Expression, ExpressionError, RangeError, number
from .program import DIV, SUB, Program, ProgramStep

Array = NDArray[np.float64]
Places = NDArray[np.intp]

#: Bytes of the array of all steps that are worked on at once: more states than fit are taken in turns.
BLOCK: Final = 16_000_000

_OPERATIONS: Final[Mapping[Any, Any]] = Functions({
    NEG: np.negative, ADD: np.add, SUB: np.subtract, MUL: np.multiply, DIV: np.divide,
    POW: numpy_arithmetic().power, **numpy_arithmetic().functions,
}, lambda table: table)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LevelGroup:
    """Steps of one operation that are done at once.

    Attributes
    ----------
    operation : NEG, ADD, SUB, MUL, DIV, POW, CALL, or an elementary function by name, or a table
    rows : rows of the k results
    operands : for each argument of the operation, the rows of the steps' operands (k,)
    data : ``(name, orders)`` of a call; of a power, whether its exponent is a constant
    """

    operation: str | Interpolant
    rows: slice
    operands: tuple[Places, ...]
    data: Any = None


@dataclass(frozen=True)
class Levels:
    """A program in groups. Rows 0 … k - 1 hold its k numbers (π among them), the next ones its symbols.

    Attributes
    ----------
    numbers : (k,)
        Constants as floats; infinite beyond their range.
    exact : k rationals
        The numbers themselves; None: π.
    rounded : (k,)
        True where the float differs from the exact number.
    symbols : names of the symbols
    groups : in an order in which operands come first
    outputs : (m,)
        Rows of the results.
    size : int
        Number of rows.
    """

    numbers: Array
    exact: tuple[Fraction | None, ...]
    rounded: NDArray[np.bool_]
    symbols: tuple[str, ...]
    groups: tuple[LevelGroup, ...]
    outputs: Places
    size: int

    @cached_property
    def undefined_names(self) -> frozenset[str]:
        """Names of the undefined functions."""
        return frozenset(group.data[0] for group in self.groups if group.operation is CALL)

    @property
    def widest(self) -> int:
        """Largest number of steps in a group."""
        return max((g.rows.stop - g.rows.start for g in self.groups), default=0)


def levels(lines: Program) -> Levels:
    """Group the steps of a program."""
    steps = lines.steps
    turns = np.array(_turns(lines), dtype=np.intp)
    order = np.argsort(turns, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    # One operand or two; a call may have more, and they are looked up again.
    firsts = place[np.array([s.args[0] if s.args else 0 for s in steps], dtype=np.intp)[order]]
    lasts = place[np.array([s.args[-1] if s.args else 0 for s in steps], dtype=np.intp)[order]]
    leaves = int(np.count_nonzero(turns < 0))
    changes = np.flatnonzero(np.diff(turns[order])) + 1
    edges = [leaves, *changes[changes > leaves].tolist(), len(order)]
    groups = [
        _group(steps, order, place, slice(first, last), firsts, lasts)
        for first, last in itertools.pairwise(edges)
        if first < last
    ]
    ends = [steps[i] for i in order[:leaves].tolist()]
    constants = [step.node for step in ends if step.op is not SYM]
    exact = tuple(node.data for node in constants)
    floats = [_float(node) for node in constants]
    return Levels(
        np.array(floats, dtype=np.float64),
        exact,
        np.array([not _is(x, value) for x, value in zip(exact, floats, strict=True)], dtype=np.bool_),
        tuple(step.node.data for step in ends if step.op is SYM),
        tuple(groups),
        place[np.array(lines.outputs, dtype=np.intp)],
        len(steps),
    )


def _group(
    steps: Sequence[ProgramStep], order: Places, place: Places, rows: slice, firsts: Places, lasts: Places
) -> LevelGroup:
    head = steps[order[rows.start]]
    if head.op is CALL:
        called = np.array([steps[i].args for i in order[rows].tolist()], dtype=np.intp)
        return LevelGroup(CALL, rows, tuple(place[column] for column in called.T), head.node.data)
    operands = (firsts[rows], lasts[rows]) if len(head.args) == 2 else (firsts[rows],)
    data = head.node.args[1].constant if head.op is POW else None
    return LevelGroup(head.node.data if head.op is FUN else head.op, rows, operands, data)


_SEVERAL = frozenset({FUN, CALL, POW})


def _kind(step: ProgramStep) -> Any:
    """Return the key of a step's operation: steps with equal keys can run at once."""
    return (POW, step.node.args[1].constant) if step.op is POW else step.node.data


def _turns(lines: Program) -> list[int]:
    """Return the turn of every step; -2 for constants, -1 for symbols."""
    kinds = [s.op if s.op not in _SEVERAL else _kind(s) for s in lines.steps]
    numbers = {kind: i for i, kind in enumerate(dict.fromkeys(kinds))}
    cycle = len(numbers)
    turns: list[int] = []
    put = turns.append
    for step, kind in zip(lines.steps, kinds, strict=True):
        args = step.args
        if args:
            free = turns[args[0]]
            for arg in args[1:]:
                if turns[arg] > free:
                    free = turns[arg]
            free = free + 1 if free >= 0 else 0
            put(free + (numbers[kind] - free) % cycle)
        else:
            put(-1 if step.op is SYM else -2)
    return turns


def _float(node: Expression) -> float:
    """Convert a constant to NumPy's arithmetic; infinite beyond the range of floats."""
    try:
        return float(numpy_arithmetic().pi if node.op is PI else node.data)
    except OverflowError:
        return math.inf if node.data > 0 else -math.inf


def _is(exact: Fraction | None, value: float) -> bool:
    return (
        exact is not None and math.isfinite(value) and value.as_integer_ratio() == (exact.numerator, exact.denominator)
    )


def run_levels(plan: Levels, values: Mapping[str, Any], functions: FunctionTable | None = None) -> Array:
    """Evaluate the outputs (m, N) of a program by levels.

    Parameters
    ----------
    plan : Levels
    values : symbol name -> number, or array (N,) over the states
    functions : meaning of undefined functions, as for :func:`.evaluate.evaluate`; called with arrays (N,)

    Raises
    ------
    ExpressionError
        A symbol or a function has no value; all missing names are listed. Or a number is beyond the range of floats.
    """
    for value, exact in zip(plan.numbers.tolist(), plan.exact, strict=True):
        if math.isinf(value) and exact is not None:
            raise RangeError(f"{number(exact)!r} is beyond the range of floats")
    given = inputs(plan, values, functions or {})
    found = np.empty((len(plan.outputs), given.shape[1]))
    for part in blocks(plan, given.shape[1]):
        rows = np.empty((plan.size, part.stop - part.start))
        load(plan, rows, given[:, part])
        with np.errstate(all="ignore"):
            for group, operands in gather_groups(plan, rows):
                apply_group(group, operands, rows[group.rows], functions)
        found[:, part] = rows[plan.outputs]
    return found


def inputs(plan: Levels, values: Mapping[str, Any], functions: FunctionTable) -> Array:
    """Return the values of the symbols over the states (k, N); a single number applies to all states."""
    absent = sorted(set(plan.symbols) - set(values)) + sorted(f"{n}()" for n in plan.undefined_names - set(functions))
    if absent:
        raise ExpressionError(f"no value for {', '.join(absent)}")
    (count,) = np.broadcast_shapes((1,), *(np.shape(value) for value in values.values()))
    found = np.empty((len(plan.symbols), count))
    for row, name in zip(found, plan.symbols, strict=True):
        row[:] = values[name]
    return found


def blocks(plan: Levels, count: int) -> Iterator[slice]:
    """Split the states into slices of :data:`BLOCK` bytes each."""
    turns = max(1, round(8 * plan.size * count / BLOCK))
    width = -(-count // turns)
    return (slice(first, min(first + width, count)) for first in range(0, count, width))


def load(plan: Levels, rows: Array, given: Array) -> None:
    """Store the constants and the symbols' values in their rows."""
    k = len(plan.numbers)
    rows[:k] = plan.numbers[:, None]
    rows[k : k + len(given)] = given


def gather_groups(plan: Levels, *tables: Array) -> Iterator[Any]:
    """Yield each group with its operands' numbers (k, N) from each table; the next group overwrites these arrays."""
    width = tables[0].shape[1]
    room = np.empty((len(tables), 2, plan.widest, width))
    for group in plan.groups:
        k = group.rows.stop - group.rows.start
        found = (
            tuple(table.take(places, 0, out=space[i, :k], mode="clip") for i, places in enumerate(group.operands))
            for table, space in zip(tables, room, strict=True)
        )
        yield group, *found


def apply_group(
    group: LevelGroup, operands: tuple[Array, ...], results: Array, functions: FunctionTable | None
) -> None:
    """Do the group's operation for all its steps at once."""
    if group.operation is POW and group.data:  # NumPy squares, where one number is the exponent of all
        for row, base, exponent in zip(results, *operands, strict=True):
            np.power(base, exponent[0], out=row)
    elif group.operation is CALL:
        assert functions is not None
        name, orders = group.data
        for row, *arguments in zip(results, *operands, strict=True):
            row[:] = functions[name](orders, *arguments)
    else:
        _OPERATIONS[group.operation](*operands, out=results)
