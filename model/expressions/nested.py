"""Vectors and matrices as formalisms deliver them: nested tuples of expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from .node import Expression

#: An expression, or nested tuples of expressions (rows of a matrix).
Nested: TypeAlias = "Expression | tuple[Nested, ...]"


def flatten(value: Nested) -> Iterator[Expression]:
    """The scalars of nested tuples in order."""
    if isinstance(value, tuple):
        for item in value:
            yield from flatten(item)
    else:
        yield value


def restore(value: Nested, scalars: Iterator[Any]) -> Any:
    """Nested lists of the same shape as ``value``, filled from ``scalars``."""
    if isinstance(value, tuple):
        return [restore(item, scalars) for item in value]
    return next(scalars)
