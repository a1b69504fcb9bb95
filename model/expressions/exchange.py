"""Graphs as plain data: every shared node once, so that the size does not grow.

The data are lists, texts and whole numbers, ready for ``json.dumps``::

    {"nodes": [["num", "1/2"], ["sym", "m1"], ["mul", 0, 1]], "outputs": [2]}

Numbers in a row of ``nodes`` are the places of operands, which precede their users.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..limits import DERIVATIVE_ORDER, too_many
from .algebra import add, mul, neg, power
from .functions import apply, call
from .interpolant import Interpolant, from_json
from .node import ADD, CALL, FUN, MUL, NEG, NUM, PI, PI_NODE, POW, SYM, Expression, ExpressionError, number, symbol
from .traversal import topological

#: What a node of plain data may be: the first item of its row.
KINDS = (NUM, PI, SYM, NEG, ADD, MUL, POW, FUN, CALL)
_NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?")
_OPERANDS = {NEG: 1, ADD: 2, MUL: 2, POW: 2}


def dumps(outputs: Iterable[Expression]) -> dict[str, Any]:
    """Convert outputs to plain data, with shared nodes once; ``loads(dumps(x)) == x``, node by node."""
    roots = list(outputs)
    place: dict[Expression, int] = {}
    rows: list[list[Any]] = []
    for node in topological(roots):
        place[node] = len(rows)
        row: list[Any] = [node.op]
        if node.op is CALL:
            row += [node.data[0], list(node.data[1])]
        elif isinstance(node.data, Interpolant):
            row.append(node.data.to_json())
        elif node.data is not None:
            row.append(str(node.data))
        rows.append(row + [place[arg] for arg in node.args])
    return {"nodes": rows, "outputs": [place[root] for root in roots]}


def loads(data: Any) -> list[Expression]:
    """Rebuild the expressions of plain data by the rules of the graph.

    Raises
    ------
    ExpressionError
        The data are not of the form that :func:`dumps` makes; the message names the row.
    """
    if not isinstance(data, dict) or set(data) != {"nodes", "outputs"}:
        raise ExpressionError('a graph is {"nodes": [...], "outputs": [...]}')
    rows, outputs = data["nodes"], data["outputs"]
    if not isinstance(rows, list) or not isinstance(outputs, list):
        raise ExpressionError("nodes and outputs of a graph are lists")
    made: list[Expression] = []
    for i, row in enumerate(rows):
        try:
            made.append(_node(row, made))
        except (ValueError, TypeError, IndexError, KeyError, ZeroDivisionError) as problem:
            raise ExpressionError(f"row {i} of the graph, {str(row)[:80]}: {problem}") from None
    return [_operand(place, made) for place in outputs]


def _operand(place: Any, made: Sequence[Expression]) -> Expression:
    if isinstance(place, bool) or not isinstance(place, int):
        raise ExpressionError(f"{place!r} is not the place of a node")
    if not 0 <= place < len(made):
        raise ExpressionError(f"place {place} is not that of an earlier node")
    return made[place]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ExpressionError(f"{value!r} is not a text")
    return value


def _node(row: Any, made: Sequence[Expression]) -> Expression:
    if not isinstance(row, list) or not row:
        raise ExpressionError("a node is a list that begins with its kind")
    op, *rest = row
    if op == NUM:
        (value,) = rest
        if not _NUMBER.fullmatch(_text(value)):
            raise ExpressionError(f"{value!r:.40} is not a whole number or a fraction of two")
        return number(value)
    if op == SYM:
        (name,) = rest
        return symbol(_text(name))
    if op == PI:
        () = rest
        return PI_NODE
    if op == FUN:
        name, *places = rest
        return apply(
            from_json(name) if isinstance(name, dict) else _text(name), *[_operand(place, made) for place in places]
        )
    if op == CALL:
        name, orders, *places = rest
        if not isinstance(orders, list) or any(type(order) is not int for order in orders):
            raise ExpressionError(f"{orders!r:.80} is not a list of orders of differentiation")
        if any(order > DERIVATIVE_ORDER for order in orders):
            raise ExpressionError(too_many(max(orders), "differentiations", DERIVATIVE_ORDER))
        return call(_text(name), [_operand(place, made) for place in places], orders)
    args = [_operand(place, made) for place in rest]
    if _OPERANDS.get(op) != len(args):
        raise ExpressionError(f"{op!r} with {len(args)} operands is no kind of node")
    if op == NEG:
        return neg(args[0])
    return (add if op == ADD else mul if op == MUL else power)(*args)


def load_one(data: Any) -> Expression:
    """Load the only expression of plain data; unpickling calls this."""
    (output,) = loads(data)
    return output


def reduce_node(node: Expression) -> tuple[Callable[[Any], Expression], tuple[dict[str, Any]]]:
    """Convert a node to plain data at any depth, where pickle itself would recurse."""
    return load_one, (dumps([node]),)
