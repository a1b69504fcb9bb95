"""Operands and results of array functions: names, shapes, tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.records import dataclass

# States shared among threads by their first axis: NumPy releases the GIL while machine code runs.


#: States of a thread are a whole number of these, so that none shares a vector or a line of memory with another's.
ROWS: Final = 64


def share_states(
    function: Callable[..., Any], given: Sequence[Any], outs: tuple[Array, ...] | None,
    operands: Sequence[Operand], results: Sequence[ResultArray], threads: int,
) -> Any:  # fmt: skip
    """Compute ``function(*given, out=outs)`` with a part of the states in each thread."""
    held = [np.asarray(x) for x in given]
    shape = loop_shape(held, operands)
    if not shape or shape[0] < 2 * ROWS:
        return function(*held) if outs is None else function(*held, out=outs)
    pairs = zip(held, operands, strict=True)
    wide = [np.broadcast_to(x, (*shape, x.shape[-1]) if o.axis else shape) for x, o in pairs]
    if outs is None:
        dtype = np.float32 if all(x.dtype == np.float32 for x in held) else np.float64
        outs = tuple(np.empty((*shape, prod(r.shape)), dtype) for r in results)
    step = -(-shape[0] // (threads * ROWS)) * ROWS
    parts = [slice(first, first + step) for first in range(0, shape[0], step)]
    pool = _pool(threads)
    jobs = [pool.submit(function, *(x[part] for x in wide), out=tuple(x[part] for x in outs)) for part in parts]
    for job in jobs:
        job.result()
    return outs


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that persist between calls: starting two takes as long as computing thousands of states."""
    return ThreadPoolExecutor(threads, "mbconcord")


if hasattr(os, "register_at_fork"):  # a forked process has none of them
    os.register_at_fork(after_in_child=_pool.cache_clear)


Array = NDArray[Any]
#: Operands that have a place; the others are given by name, since which are needed differs from function to function.
PLACES: Final = ("q", "v")


class ColumnTable(Protocol):
    """A table with named columns, such as a DataFrame of pandas."""

    columns: Any

    def __getitem__(self, key: Any, /) -> Any:
        """Return a column."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An input array.

    Attributes
    ----------
    name : such as ``q``
    symbols : names of the numbers along its last axis
    axis : whether it has such an axis; without, the array has one number for each state
    default : value that is used if the operand is omitted
    """

    name: str
    symbols: tuple[str, ...]
    axis: bool = True
    default: Array | None = None


@dataclass(frozen=True, slots=True)
class ResultArray:
    """An output array: its name and its shape at one state."""

    name: str
    shape: tuple[int, ...]


def is_table(value: Any) -> bool:
    """Return True if a value is a table with named columns."""
    return hasattr(value, "columns") and not hasattr(value, "dtype")


def columns(operand: Operand, table: ColumnTable) -> Array:
    """Return the operand's columns of a table, by symbol; for rates and accelerations also by coordinate."""
    there = set(table.columns)
    found = []
    for symbol in operand.symbols:
        plain = symbol.rstrip("'")
        name = symbol if symbol in there or operand.name == "q" else plain
        if name not in there:
            raise NumbersError(error(operand.name, f"the table has no column {symbol}"))
        found.append(np.asarray(table[name], dtype=float))
    return np.stack(found, axis=-1) if operand.axis else found[0]


def flatten_result(array: Any, result: ResultArray) -> Array:
    """View an array (…, *shape) with one axis instead of its last ones."""
    if not isinstance(array, np.ndarray) or array.shape[array.ndim - len(result.shape) :] != result.shape:
        shape = ", ".join(map(str, ("…", *result.shape)))
        message = f"expected an array ({shape}), found {getattr(array, 'shape', type(array).__name__)}"
        raise NumbersError(error(f"out/{result.name}", message))
    if len(result.shape) == 1:
        return array
    flat = array.reshape(*array.shape[: array.ndim - len(result.shape)], prod(result.shape))
    if not np.may_share_memory(flat, array):
        message = "its last axes are not contiguous"
        raise NumbersError(error(f"out/{result.name}", message, "an array made by numpy.empty"))
    return flat


def loop_shape(given: Sequence[Array], operands: Sequence[Operand]) -> tuple[int, ...]:
    """Return the common shape of the states, to which the operands broadcast."""
    for x, operand in zip(given, operands, strict=True):
        if operand.axis and (not x.ndim or x.shape[-1] != len(operand.symbols)):
            raise ValueError(f"{operand.name}: expected (…, {len(operand.symbols)}), found {x.shape}")
    return np.broadcast_shapes(*(x.shape[:-1] if o.axis else x.shape for x, o in zip(given, operands, strict=True)))
