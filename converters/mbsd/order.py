"""The order in which a text displays expressions, and the resulting order of parameters and functions.

Equal models have equal lists: the reader puts parameters and functions in this order, whatever the text's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Function,
    Gravity,
    JointEffort,
    Rod,
)  # fmt: skip
from mbconcord.model.constraint import Constraint
from mbconcord.model.expressions import Expression, symbols, topological, undefined_functions
from mbconcord.model.force import Force, read_word


def natural(name: str) -> tuple[tuple[int, str], ...]:
    """Return the sort key that puts m2 before m10."""
    pieces = (p.lstrip("0") if p.isdecimal() else p for p in re.findall(r"\d+|\D+", name))
    return tuple((len(p), p) if not p or p.isdecimal() else (-1, p) for p in pieces)


def expressions(
    bodies: Sequence[Body],
    coordinates: Sequence[Coordinate],
    gravity: Gravity | None,
    forces: Sequence[Force],
    constraints: Sequence[Constraint],
) -> Iterator[Expression]:
    """Yield the expressions of a model that MBSD holds, in the order of its text."""
    for body in bodies:
        yield from (et.amount for et in body.joint)
        yield from (body.inertia.mass, *body.inertia.tensor_about_origin(), *body.inertia.centre)
    for coordinate in coordinates:
        yield from (coordinate.position, coordinate.velocity)
    for force in forces:
        if isinstance(force, JointEffort):
            yield force.expression()
        elif isinstance(force, Bipolar):
            law = force.law
            yield from (*force.first.position, *force.second.position, force.mass)
            if isinstance(law, Expression):
                yield law
    for constraint in constraints:
        if isinstance(constraint, Rod):
            yield from (*constraint.first.position, *constraint.second.position, constraint.length, constraint.mass)
        elif isinstance(constraint, FrameCoincidence):
            yield from _frames(constraint.first, constraint.second)
    if gravity is not None:
        yield gravity.value


def _frames(*frames: Frame) -> Iterator[Expression]:
    for frame in frames:
        yield from (et.amount for et in frame.transformations)


def parameter_order(
    values: Iterable[Expression],
    coordinates: Iterable[str],
    functions: Iterable[Function],
    assigned: Mapping[str, Expression],
) -> list[str]:
    """List parameters in order of appearance: in ``values``, in functions, as ``assigned``, in assigned formulas."""
    others = {name + prime for name in coordinates for prime in ("", "'")} | {"t", "@", "@'"}
    order: dict[str, None] = {}

    def visit(names: Iterable[str]) -> None:
        for name in sorted(names, key=natural):
            order.setdefault(name)

    for value in values:
        visit(name for name in symbols([value]) - others if not read_word(name))
    for function in functions:
        if function.formula is not None:
            visit(symbols([function.formula]) - set(function.arguments))
    visit(assigned)
    pending = list(order)
    while pending:
        name = pending.pop(0)
        for more in sorted(symbols([assigned[name]]) if name in assigned else (), key=natural):
            if more not in order:
                order.setdefault(more)
                pending.append(more)
    return list(order)


def function_order(values: Iterable[Expression], defined: Mapping[str, Function]) -> list[Function]:
    """List functions in order of appearance, undeclared ones too, with arguments; then unused ones."""
    order: dict[str, None] = {}
    calls: dict[str, list[tuple[Expression, ...]]] = {}
    queue = list(values)

    def meet(name: str) -> None:
        formula = defined[name].formula if name in defined else None
        if name not in order and formula is not None:
            queue.append(formula)
        order.setdefault(name)

    at = 0
    for unused in (None, *sorted(defined, key=natural)):
        if unused is not None:
            meet(unused)
        while at < len(queue):
            for name in sorted(undefined_functions([queue[at]]), key=natural):
                meet(name)
            for node in topological([queue[at]]):
                if node.op == "call":
                    calls.setdefault(node.data[0], []).append(node.args)
            at += 1
    return [defined.get(name) or Function(name, _arguments(calls[name])) for name in order]


def _arguments(calls: list[tuple[Expression, ...]]) -> tuple[str, ...]:
    """Return names of arguments for an undeclared function: those of its calls if all are the same, or x1, x2, …."""
    first = calls[0]
    plain = all(arg.op == "sym" for arg in first) and len(set(first)) == len(first)
    if plain and all(call == first for call in calls):
        return tuple(arg.data for arg in first)
    return tuple(f"x{i}" for i in range(1, len(first) + 1))
