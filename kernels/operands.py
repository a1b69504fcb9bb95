"""What functions of arrays are given and what they compute: names, shapes, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import NumbersError, error

Array = NDArray[Any]


class Table(Protocol):
    """A table with named columns, such as a DataFrame of pandas."""

    columns: Any

    def __getitem__(self, key: Any, /) -> Any:
        """A column."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An array that is given.

    Attributes
    ----------
    name : such as ``q``
    symbols : of its last axis
    axis : whether there is one; without, the array has a number for each state
    default : what is taken where it is not given
    """

    name: str
    symbols: tuple[str, ...]
    axis: bool = True
    default: Array | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """An array that is computed: its name and its shape at one state."""

    name: str
    shape: tuple[int, ...]


def is_table(value: Any) -> bool:
    """Whether it has named columns."""
    return hasattr(value, "columns") and not hasattr(value, "dtype")


def columns(operand: Operand, table: Table) -> Array:
    """The operand's columns of a table, by their symbols; of rates and accelerations by coordinates too."""
    there = set(table.columns)
    found = []
    for symbol in operand.symbols:
        plain = symbol.rstrip("'")
        name = symbol if symbol in there or operand.name == "q" else plain
        if name not in there:
            raise NumbersError(error(operand.name, f"the table has no column {symbol}"))
        found.append(np.asarray(table[name], dtype=float))
    return np.stack(found, axis=-1) if operand.axis else found[0]


def flattened(array: Any, result: Result) -> Array:
    """A view of an array (…, *shape) with one axis in the place of its last."""
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
    """The shape of the states."""
    for x, operand in zip(given, operands, strict=True):
        if operand.axis and (not x.ndim or x.shape[-1] != len(operand.symbols)):
            raise ValueError(f"{operand.name}: expected (…, {len(operand.symbols)}), found {x.shape}")
    return np.broadcast_shapes(
        *(x.shape[:-1] if o.axis else x.shape for x, o in zip(given, operands, strict=True))
    )
