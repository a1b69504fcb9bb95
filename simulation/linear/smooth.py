"""Forces with kinks: where abs or sign changes, a force has no derivative."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.model.checks.scope import SystemScopes, formulas
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import (
    MINUS_ONE,
    ONE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    derivative,
    evaluate,
    rate,
    substitute,
    symbol,
    symbols,
    topological,
)
from mbconcord.model.expressions.interpolant import Interpolant
from mbconcord.model.force import find_words, list_acting, map_formulas
from mbconcord.model.functions import define
from mbconcord.model.limits import format_names
from mbconcord.model.system import System
from mbconcord.records import replace

from .equations import SlopeEquations

#: An argument below this is at the kink.
AT: Final = 1e-12
KINKED: Final = ("abs", "sign")


def kinks(outputs: Sequence[Expression]) -> list[Expression]:
    """List the nodes abs(u), sign(u) and tables of u with corners below the outputs, with a variable argument."""
    return [
        node for node in topological(list(outputs))
        if node.op == "fun" and (node.data in KINKED or corners(node)) and not node.args[0].constant
    ]  # fmt: skip


def corners(node: Expression) -> list[float]:
    """List the arguments at which a node abs, sign or of a table has no derivative: where a table ends, too."""
    table = node.data
    if not isinstance(table, Interpolant):
        return [0.0] if table in KINKED else []
    ends = [table.x[0], table.x[-1]] if table.beyond == "refuse" else []
    return [] if symbols([node]) == {TIME.data} else [float(x) for x in (*table.corners(), *ends)]


def at_kinks(made: SlopeEquations, values: Mapping[str, float]) -> list[str]:
    """List coordinates whose forces have a kink at the state."""
    return [name for name, force in zip(made.names, made.force, strict=True) if any(_find_near([force], values))]


def _find_near(outputs: Sequence[Expression], values: Mapping[str, float]) -> Iterator[Expression]:
    """Yield the nodes below the outputs that are at a kink at the state; none of a formula without a value there."""
    nodes = kinks(outputs)
    try:
        arguments = evaluate([node.args[0] for node in nodes], values)
    except ExpressionError:
        return
    for node, x in zip(nodes, arguments, strict=True):
        if any(abs(x - c) <= AT * max(1, abs(c)) for c in corners(node)):
            yield node


def find_kinks_of_rest(
    made: SlopeEquations, values: Mapping[str, float], curved: bool = False
) -> tuple[list[str], list[str]]:
    """Return coordinates whose forces jump with rates at a state of rest, and those with a kink of positions there.

    The first have dry friction. Along the second the stiffness differs between the sides of the position: with abs(x)
    replaced by x and by -x, sign(x) by 1 and by -1, the force or a slope is another number; roots of zero have none.
    If ``curved``, those are named too whose slopes are the same on both sides, but not what is beyond: x abs(x).
    """
    positions, still = [symbol(x) for x in made.names], {rate(x): ZERO for x in made.names}
    rubbed, kinked = list[str](), list[str]()
    for name, force in zip(made.names, made.force, strict=True):
        near = [*_find_near([force], values), *_find_roots_of_zero([force], values)]
        for node, inside in zip(near, substitute([node.args[0] for node in near], still), strict=True):
            moves = not symbols([inside]).isdisjoint(made.names)
            along = positions if moves else []
            if name in (kinked if moves else rubbed):
                continue
            if (moves and curved) or _differs(force, node, along, values):
                (kinked if moves else rubbed).append(name)
    return rubbed, kinked


def _find_roots_of_zero(outputs: Sequence[Expression], values: Mapping[str, float]) -> Iterator[Expression]:
    """Yield square roots below the outputs whose arguments are zero at the state."""
    nodes = [node for node in topological(list(outputs)) if node.op == "fun" and node.data == "sqrt"]
    for node in nodes:
        try:
            zero = abs(evaluate([node.args[0]], values)[0]) <= AT
        except ExpressionError:
            zero = False
        if zero and not node.args[0].constant:
            yield node


def _differs(force: Expression, node: Expression, along: Sequence[Expression], values: Mapping[str, float]) -> bool:
    """Return True if a force or one of its slopes is another number on the other side of a kink."""
    if node.data not in KINKED:
        return bool(along)
    sides = []
    for side in (ONE, MINUS_ONE):
        (there,) = substitute([force], {node: side * node.args[0] if node.data == "abs" else side})
        try:
            sides.append(evaluate([there, *(derivative(there, x) for x in along)], values))
        except ExpressionError:
            return True
    return any(abs(x - y) > AT * max(abs(x), abs(y)) for x, y in zip(*sides, strict=True))


def require_smooth(system: System, made: SlopeEquations, values: Mapping[str, float]) -> None:
    """Refuse forces that have no derivative at the state.

    Raises
    ------
    NumbersError
        Forces have kinks there; the finding names their coordinates, and formulas of the model with kinks.
    """
    with np.errstate(all="ignore"):
        along = at_kinks(made, values)
    if along:
        places = [place for place, _ in find_kinked_places(system)]
        message = f"the forces along {format_names(along)} have a kink at the state: no derivative"
        said = f"{format_names(places)}: " if places else ""
        smooth = "v/sqrt(v^2 + 0.001^2) for sign(v), cubic with extend for a table"
        remedy = f"{said}make it smooth, for example {smooth}, or move the state away"
        raise NumbersError(error(places[0] if places else made.formalism, message, remedy))


def find_kinked_places(system: System) -> Iterator[tuple[str, list[Expression]]]:
    """Yield places of the model whose formulas have kinks, with the nodes of these."""
    for place, group, _ in formulas(SystemScopes(system)):
        nodes = kinks(list(group))
        if nodes:
            yield place, nodes


def describe_kinks_of_rest(rubbed: Sequence[str], kinked: Sequence[str]) -> Iterator[Diagnostic]:
    """Note that a position of rest is one of many where friction would also hold; warn that forces have a kink."""
    if rubbed:
        message = (
            f"dry friction along {format_names(rubbed)} holds positions around this one too, which is that without it"
        )
        yield Diagnostic("note", "forces", message)
    if kinked:
        message = f"the forces along {format_names(kinked)} have a kink at this position"
        message += ": the stiffness differs between its sides, and stability is not judged"
        remedy = "see whether it comes back from beside: mbconcord simulate FILE --until SECONDS"
        yield Diagnostic("warning", "forces", message, remedy)


def moves_by_itself(system: System) -> bool:
    """Return True if formulas of t move bodies or flywheels."""
    amounts = [step.amount for body in system.bodies for step in body.joint if not step.coordinate]
    amounts += [wheel.angle for body in system.bodies for wheel in body.flywheels]
    return "t" in symbols(amounts)


def omit_speeds(system: System) -> System:
    """Return the model near rest with speeds taken as zero: -c*speed(here)*vx(here) has the slope zero there.

    The speed itself has no derivative at rest, so each must be multiplied by what vanishes with the velocity.

    Raises
    ------
    NumbersError
        A formula is not multiplied so; the finding names its place and the speed.
    """
    words = [] if moves_by_itself(system) else [*find_words(system.coordinates, system.forces)]
    speeds = {symbol(str(word)): replace(word, owner=None) for word in words if word.word == "speed"}
    if not speeds:
        return system
    still = dict.fromkeys((symbol(str(word)) for word in words if word.kind != "r"), ZERO)
    for place, group in list_acting(system.coordinates, system.forces):
        for formula in define(group, system.functions):
            for speed, shown in speeds.items():
                try:
                    is_smooth = not substitute([derivative(formula, speed)], still)[0]
                except ExpressionError:
                    is_smooth = False
                if not is_smooth:
                    remedy = "multiply it by a component of the velocity, or move the state away"
                    raise NumbersError(error(place, f"no derivative at rest ({shown} = 0)", remedy))
    none = dict.fromkeys(speeds, ZERO)
    made = map_formulas(system.coordinates, system.forces, lambda x, _: substitute([x], none)[0])
    return replace(system, coordinates=made[0], forces=made[1])
