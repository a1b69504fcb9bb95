"""Text of an expression in the formula grammar, so that :func:`parse_formula` reads it back to the same node."""

from __future__ import annotations

from collections.abc import Mapping

from .node import Expression


def to_text(output: Expression, names: Mapping[Expression, str] | None = None) -> str:
    """Formula of an expression; nodes in ``names`` are printed by their name (except the output itself)."""
    return f"{output.op}{[to_text(a) for a in output.args] or output.data}"
