"""Steps of links as functions of numbers of a prime field, and of degrees: code that is written from their programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.field.sizes import Over
from mbconcord.model.expressions.node import ADD, FUN, MUL, NEG, NUM, SYM
from mbconcord.model.expressions.program import SUB, Step, program
from mbconcord.model.recursion import ACCELERATION, AMOUNT, Kind, Recursion

#: What a step takes of its motion beside the amount, its rate and its acceleration: the functions it may ask of it.
TURNS: Final = ("sin", "cos")
#: Values of a step's inputs -> of its results.
Function = Callable[[Sequence[Any]], Sequence[Any]]


class UnfitError(Exception):
    """A step does what is not written here: a division, a root, a function of something else."""


def inputs(recursion: Recursion, kind: Kind) -> dict[str, int]:
    """Places of all that a step may need: own memory, the carrier's, the motion, its sine and cosine, the numbers."""
    names = [*recursion.inputs(kind)]
    last = names.index(ACCELERATION.data) + 1
    return {name: i for i, name in enumerate([*names[:last], *TURNS, *names[last:]])}


def in_field(results: Sequence[Expression], places: Mapping[str, int], p: int) -> Function:
    """The results as functions of numbers modulo p, of the field or of its quadratic extension."""
    lines = program(results)
    text = []
    for i, step in enumerate(lines.steps):
        given = _given(step, places)
        if given is not None:
            text.append(f"t{i} = x[{given}]")
            continue
        a = [f"t{k}" for k in step.args]
        if step.op is MUL:
            text.append(f"t{i} = {a[0]} * {a[1]} % p")
        elif step.op is NUM:
            text.append(f"t{i} = {step.node.data.numerator * pow(step.node.data.denominator, -1, p) % p}")
        else:  # reduced by the product, or the result, that it goes to
            text.append(f"t{i} = -{a[0]}" if step.op is NEG else f"t{i} = {a[0]} {_SIGN[step.op]} {a[1]}")
    return _made(text, [f"t{k} % p" for k in lines.outputs], {"p": p})


def in_degrees(
    results: Sequence[Expression], places: Mapping[str, int], number: Callable[[Expression], Over]
) -> Function:
    """The same of :class:`Over`: what sums and products of polynomials of these sizes are at most.

    ``number`` : of a number that stands in a step
    """
    lines = program(results)
    text, constants = [], {}
    for i, step in enumerate(lines.steps):
        given, mine = _given(step, places), f"d{i}, n{i}, w{i}, k{i}"
        if given is not None:
            text.append(f"{mine} = x[{given}]")
            continue
        if step.op is NUM:
            constants[f"c{i}"] = number(step.node)
            text.append(f"{mine} = c{i}")
            continue
        a, b = step.args[0], step.args[-1]
        if step.op is MUL:
            text.append(f"{mine} = d{a} + d{b}, n{a} + n{b}, w{a} + w{b}, k{a} + k{b}")
        elif step.op is NEG:
            text.append(f"{mine} = d{a}, n{a}, w{a}, k{a}")
        else:
            larger = ", ".join(f"({z}{a} if {z}{a} > {z}{b} else {z}{b}){more}" for z, more in _SUM)
            text.append(f"{mine} = {larger}")
    return _made(text, [f"(d{k}, n{k}, w{k}, k{k})" for k in lines.outputs], constants)


_SIGN: Final = {ADD: "+", SUB: "-"}
#: Of a sum: the larger degree, the larger of both sums of coefficients and a bit, the larger powers of denominators.
_SUM: Final = (("d", ""), ("n", " + 1"), ("w", ""), ("k", ""))


def _given(step: Step, places: Mapping[str, int]) -> int | None:
    """The place of what is given; None of what is computed."""
    if step.op is SYM:
        return places[step.node.data]
    if step.op is FUN and step.node.data in TURNS and step.node.args == (AMOUNT,):
        return places[step.node.data]
    if step.op is MUL or step.op is NEG or step.op is NUM or step.op in _SIGN:
        return None
    raise UnfitError(f"a step has {step.node!r}")


def _made(text: Sequence[str], outputs: Sequence[str], known: Mapping[str, Any]) -> Function:
    lines = "\n    ".join([*text, f"return [{', '.join(outputs)}]"])
    namespace: dict[str, Any] = dict(known)
    exec(compile(f"def compiled(x):\n    {lines}\n", "<generated code>", "exec"), namespace)
    function: Function = namespace["compiled"]
    return function
