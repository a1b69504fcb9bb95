"""Evaluation of a graph in any arithmetic: float, NumPy over a batch of states, mpmath, SymPy, …

One pass over the straight-line program, operands first; every shared node is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

from .arithmetic import FLOAT, Arithmetic
from .node import ADD, CALL, FUN, MUL, NEG, NUM, PI, POW, SYM, Expression, ExpressionError, RangeError
from .program import DIV, SUB, Program, program

#: Numeric meaning of undefined functions: name -> f(orders, *arguments).
FunctionTable = Mapping[str, Callable[..., Any]]


def evaluate(
    outputs: Iterable[Expression],
    values: Mapping[str, Any],
    arithmetic: Arithmetic = FLOAT,
    functions: FunctionTable | None = None,
) -> list[Any]:
    """Evaluate the outputs.

    Parameters
    ----------
    outputs : expressions
    values : symbol name -> scalar (for :func:`numpy_arithmetic`, also an array over a batch of states)
    arithmetic : Arithmetic
    functions : meaning of undefined functions, ``f(orders, *arguments)``; ``orders[i]`` counts the
        differentiations with respect to the i-th argument

    Raises
    ------
    ExpressionError
        A symbol or a function has no value (all missing names are listed), a division by zero, or an
        argument outside the domain of its function.
    """
    return run(program(outputs), values, arithmetic, functions)


def missing_names(lines: Program, symbols: Container[str], functions: Container[str]) -> list[str]:
    """List missing symbols, and missing undefined functions as ``f()``, of a program."""
    named = [step for step in lines.steps if step.op is SYM or step.op is CALL]
    absent = {s.node.data for s in named if s.op is SYM and s.node.data not in symbols}
    undefined = {s.node.data[0] for s in named if s.op is CALL and s.node.data[0] not in functions}
    return sorted(absent) + sorted(f"{name}()" for name in undefined)


def run(
    lines: Program, values: Mapping[str, Any], arithmetic: Arithmetic = FLOAT, functions: FunctionTable | None = None
) -> list[Any]:
    """Run a program; see :func:`evaluate`."""
    meaning = functions or {}
    absent = missing_names(lines, values, meaning)
    if absent:
        raise ExpressionError(f"no value for {', '.join(absent)}")
    number, table, convert, power = (
        arithmetic.number, arithmetic.functions, arithmetic.convert, arithmetic.power,
    )  # fmt: skip
    of: list[Any] = []
    put = of.append
    try:
        for step in lines.steps:
            op, args = step.op, step.args
            if op is MUL:
                put(of[args[0]] * of[args[1]])
            elif op is ADD:
                put(of[args[0]] + of[args[1]])
            elif op is SUB:
                put(of[args[0]] - of[args[1]])
            elif op is NEG:
                put(-of[args[0]])
            elif op is NUM:
                put(number(step.node.data))
            elif op is SYM:
                put(convert(values[step.node.data]))
            elif op is DIV:
                put(of[args[0]] / of[args[1]])
            elif op is FUN:
                put(table[step.node.data](*[of[i] for i in args]))
            elif op is POW:
                put(power(of[args[0]], of[args[1]]))
            elif op is PI:
                if arithmetic.pi is None:
                    raise ExpressionError(f"pi has no value in {arithmetic.name}")
                put(arithmetic.pi)
            else:
                name, orders = step.node.data
                put(convert(meaning[name](orders, *[of[i] for i in args])))
    except ZeroDivisionError:
        raise ExpressionError(f"division by zero in {step.node!r}") from None
    except OverflowError as problem:
        raise RangeError(f"{step.node!r}: {problem}") from None
    except ValueError as problem:
        raise ExpressionError(f"{step.node!r}: {problem}") from None
    return [of[i] for i in lines.outputs]


def evaluate_float(output: Expression, values: Mapping[str, float]) -> float:
    """Evaluate one expression to a float."""
    return float(evaluate([output], values)[0])
