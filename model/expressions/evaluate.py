"""Evaluation of a graph in any arithmetic: float, NumPy over a batch of states, mpmath, SymPy, …

One pass over the nodes, operands first; every shared node is computed once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .node import ADD, CALL, FUN, MUL, NEG, NUM, PI, POW, SYM, Expression, ExpressionError, topological

#: Numeric meaning of undefined functions: name -> f(orders, *arguments).
FunctionTable = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Arithmetic:
    """What a graph is evaluated with.

    Attributes
    ----------
    name : str
    number : exact rational -> scalar of this arithmetic
    pi : scalar
    functions : name -> callable, for every name of ``FUNCTIONS``
    """

    name: str
    number: Callable[[Fraction], Any]
    pi: Any
    functions: Mapping[str, Callable[..., Any]]

    def sin(self, a: Any) -> Any:
        """Sine in this arithmetic."""
        return self.functions["sin"](a)

    def cos(self, a: Any) -> Any:
        """Cosine in this arithmetic."""
        return self.functions["cos"](a)


def _sign(a: float) -> float:
    return float((a > 0) - (a < 0))


FLOAT = Arithmetic(
    "float",
    float,
    math.pi,
    {
        "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
        "atan": math.atan, "atan2": math.atan2, "sqrt": math.sqrt, "exp": math.exp, "log": math.log,
        "abs": abs, "sign": _sign,
    },
)  # fmt: skip


def evaluate(
    outputs: Iterable[Expression],
    values: Mapping[str, Any],
    arithmetic: Arithmetic = FLOAT,
    functions: FunctionTable | None = None,
) -> list[Any]:
    """Values of the outputs.

    Parameters
    ----------
    outputs : expressions
    values : symbol name -> scalar (for :func:`numpy_arithmetic`, also an array over a batch of states)
    arithmetic : Arithmetic
    functions : meaning of undefined functions, ``f(orders, *arguments)``

    Raises
    ------
    ExpressionError
        A symbol or a function has no value (all missing names are listed), or a division by zero.
    """
    roots = list(outputs)
    order = topological(roots)
    missing = sorted(
        {n.data for n in order if n.op is SYM and n.data not in values}
        | {f"{n.data[0]}()" for n in order if n.op is CALL and n.data[0] not in (functions or {})}
    )
    if missing:
        raise ExpressionError(f"no value for {', '.join(missing)}")
    of: dict[Expression, Any] = {}
    number, table = arithmetic.number, arithmetic.functions
    try:
        for node in order:
            op, args = node.op, node.args
            if op is MUL:
                a, b = args
                if b.op is POW and b.args[1].op is NUM and b.args[1].data == -1:
                    of[node] = of[a] / of[b.args[0]]
                elif a.op is POW and a.args[1].op is NUM and a.args[1].data == -1:
                    of[node] = of[b] / of[a.args[0]]
                else:
                    of[node] = of[a] * of[b]
            elif op is ADD:
                a, b = args
                of[node] = of[a] - of[b.args[0]] if b.op is NEG else of[a] + of[b]
            elif op is NEG:
                of[node] = -of[args[0]]
            elif op is NUM:
                of[node] = number(node.data)
            elif op is SYM:
                of[node] = values[node.data]
            elif op is POW:
                exponent = args[1]
                if exponent.op is NUM and exponent.data.denominator == 1:
                    n = exponent.data.numerator
                    x = of[args[0]]
                    of[node] = x * x if n == 2 else x**n if n > 0 else 1 / x**-n
                else:
                    of[node] = of[args[0]] ** of[exponent]
            elif op is FUN:
                of[node] = table[node.data](*[of[arg] for arg in args])
            elif op is PI:
                of[node] = arithmetic.pi
            else:
                name, orders = node.data
                assert functions is not None
                of[node] = functions[name](orders, *[of[arg] for arg in args])
    except ZeroDivisionError:
        raise ExpressionError(f"division by zero in {node!r}") from None
    except (ValueError, OverflowError) as problem:
        raise ExpressionError(f"{node!r}: {problem}") from None
    return [of[root] for root in roots]


def evaluate_float(output: Expression, values: Mapping[str, float]) -> float:
    """One expression as a float."""
    return float(evaluate([output], values)[0])


def numpy_arithmetic() -> Arithmetic:
    """NumPy: scalars or arrays over a batch of states."""
    import numpy as np

    return Arithmetic(
        "numpy",
        float,
        math.pi,
        {
            "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
            "atan": np.arctan, "atan2": np.arctan2, "sqrt": np.sqrt, "exp": np.exp, "log": np.log,
            "abs": np.abs, "sign": np.sign,
        },
    )  # fmt: skip
