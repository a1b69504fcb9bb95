"""The expression graph: see :mod:`.node` for its rules, :mod:`.calculus`, :mod:`.evaluate`, :mod:`.formula`.

Building: :func:`symbol`, :func:`number`, :func:`call`, operators and elementary functions. Calculus:
:func:`derivative`, :func:`gradient`, :func:`jacobian`, :func:`time_derivative`, :func:`substitute`. Numbers:
:func:`evaluate` in any :class:`Arithmetic`, :func:`compile_numpy`. Print: :func:`to_text`, :func:`to_latex`,
:func:`to_mathml`; code: :func:`python_source`, :func:`c99_source`; exchange: :func:`to_sympy`,
:func:`from_sympy`, :func:`dumps`, :func:`loads`. Every one of them is iterative: depth costs no recursion.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .arithmetic import FLOAT, FRACTION, Arithmetic, mpmath_arithmetic, numpy_arithmetic, sympy_arithmetic
from .calculus import derivative, directional, gradient, jacobian, pullback, substitute, time_derivative
from .evaluate import evaluate, evaluate_float
from .functions import apply, call, cos, sin, sqrt
from .node import (
    FUNCTIONS,
    HALF,
    MINUS_ONE,
    ONE,
    PI_NODE,
    TIME,
    TWO,
    ZERO,
    Expression,
    ExpressionError,
    RangeError,
    Scalar,
    as_expression,
    number,
    rate,
    symbol,
)
from .program import Operations, count_operations, count_parts, count_program
from .text import to_text
from .traversal import symbols, topological, undefined_functions, unknowns

if TYPE_CHECKING:
    from .code import c99_source, compile_numpy, python_source, scalar_source
    from .exchange import dumps, loads
    from .latex import to_latex
    from .mathml import to_mathml
    from .sympy_exchange import from_sympy, to_sympy

#: Writers, by the names of their modules: imported when they are asked for, as a check of numbers writes nothing.
_WRITERS = {
    "c99_source": "code", "compile_numpy": "code", "dumps": "exchange", "from_sympy": "sympy_exchange",
    "loads": "exchange", "python_source": "code", "scalar_source": "code", "to_latex": "latex",
    "to_mathml": "mathml", "to_sympy": "sympy_exchange",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _WRITERS:
        return getattr(import_module(f"{__name__}.{_WRITERS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "FLOAT", "FRACTION", "FUNCTIONS", "HALF", "MINUS_ONE", "ONE", "PI_NODE", "TIME", "TWO", "ZERO", "Arithmetic",
    "Expression", "ExpressionError", "Operations", "RangeError", "Scalar", "apply", "as_expression", "c99_source",
    "call", "compile_numpy", "cos", "count_operations", "count_parts", "count_program", "derivative", "directional",
    "dumps", "evaluate", "evaluate_float", "from_sympy", "gradient", "jacobian", "loads",
    "mpmath_arithmetic", "number", "numpy_arithmetic", "pullback", "python_source", "rate", "scalar_source", "sin",
    "sqrt", "substitute", "symbol", "symbols", "sympy_arithmetic", "time_derivative", "to_latex", "to_mathml",
    "to_sympy", "to_text", "topological", "undefined_functions", "unknowns",
]  # fmt: skip
