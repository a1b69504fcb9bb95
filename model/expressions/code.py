"""Code that computes expressions: Python over NumPy or over ``math``, and C99, with temporaries for shared parts.

All are written from the straight-line program, so they compute what :func:`evaluate` computes. Symbols are read by
position from one array; their names appear in comments only.
"""

from __future__ import annotations

import keyword
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .evaluate import FunctionTable, evaluate, missing_names
from .interpolant import Interpolant
from .node import ADD, CALL, FUN, MUL, NEG, POW, SYM, Expression, ExpressionError
from .program import DIV, SUB, Program, ProgramStep, program

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_SIGNS = {ADD: "+", SUB: "-", MUL: "*", DIV: "/"}
#: Longer texts become temporaries even when they are used once: no line and no nesting grows with the graph.
_INLINE: Final = 60

#: Words of C that name nothing else.
C_KEYWORDS: Final = frozenset(
    re.findall(
        "[a-z]+",
        "auto break case char const continue default do double else enum extern float for goto if inline int long main "
        "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while",
    )
)


class _Language(ABC):
    """Syntax of operations in a language: the methods write texts of that language."""

    @abstractmethod
    def literal(self, value: float) -> str:
        """Write a floating-point number that reads back as the same number."""

    @abstractmethod
    def input(self, place: int) -> str:
        """Write an element of the input."""

    def __init__(self) -> None:
        #: Tables in the order of their first use.
        self.tables: dict[Interpolant, str] = {}

    @abstractmethod
    def function(self, name: str, args: Sequence[str]) -> str:
        """Write an elementary function."""

    def table(self, table: Interpolant, args: Sequence[str]) -> str:
        """Write the call of a table's function; the function itself is written once."""
        return f"{self.tables.setdefault(table, f'table_{len(self.tables)}')}({args[0]})"

    @abstractmethod
    def power(self, base: str, exponent: str) -> str:
        """Write a non-integer power."""

    @abstractmethod
    def call(self, name: str, orders: Sequence[int], args: Sequence[str]) -> str:
        """Write an undefined function."""


class _Python(_Language):
    def __init__(self, functions: Sequence[str]) -> None:
        super().__init__()
        self.functions = list(functions)

    def write_tables(self) -> str:
        """Write the tables as functions; empty without tables."""
        look_up = _LOOK_UP_ONE if isinstance(self, _Scalar) else _LOOK_UP
        parts = [look_up] if self.tables else []
        for table, name in self.tables.items():
            arrays = [repr(x.tolist()).replace("nan", 'float("nan")') for x in table.floats]
            if not isinstance(self, _Scalar):
                arrays = [f"np.array({x})" for x in arrays]
            knots, rows = arrays
            parts.append(f"\n\ndef {name}(a, knots={knots}, rows={rows}):\n    return look_up(knots, rows, a)\n")
        return "".join(parts)

    def literal(self, value: float) -> str:
        return repr(value) if math.copysign(1, value) > 0 else f"({value!r})"

    def input(self, place: int) -> str:
        return f"x[{place}]"

    def function(self, name: str, args: Sequence[str]) -> str:
        numpy = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
        return f"np.{numpy.get(name, name)}({', '.join(args)})"

    def power(self, base: str, exponent: str) -> str:
        return f"np.power({base}, {exponent})"

    def call(self, name: str, orders: Sequence[int], args: Sequence[str]) -> str:
        return f"functions[{self.functions.index(name)}](({', '.join(map(str, orders))},), {', '.join(args)})"


class _Scalar(_Python):
    """Syntax of Python for one state, with functions of ``math`` by their own names."""

    def function(self, name: str, args: Sequence[str]) -> str:
        return f"{name}({', '.join(args)})"

    def power(self, base: str, exponent: str) -> str:
        return f"pow({base}, {exponent})"


class _C(_Language):
    def __init__(self, functions: Mapping[str, str]) -> None:
        super().__init__()
        self.functions = functions

    def literal(self, value: float) -> str:
        text = f"{value:.17g}"
        text = text if re.search("[.e]", text) else f"{text}.0"
        return f"({text})" if text.startswith("-") else text

    def input(self, place: int) -> str:
        return f"in[{place}]"

    def function(self, name: str, args: Sequence[str]) -> str:
        own = {"abs": "fabs", "sign": "sign_of"}.get(name, name)
        return f"{own}({', '.join(args)})"

    def power(self, base: str, exponent: str) -> str:
        return f"pow({base}, {exponent})"

    def call(self, name: str, orders: Sequence[int], args: Sequence[str]) -> str:
        return f"{self.functions[name]}({', '.join([*map(str, orders), *args])})"


def _write(lines: Program, places: Mapping[str, int], language: _Language) -> tuple[list[tuple[str, str]], list[str]]:
    """Write temporaries (name, text) in order, and the texts of the outputs."""
    steps = lines.steps
    needed = [i for i, step in enumerate(steps) if not step.node.constant]
    uses = [0] * len(steps)
    for i in needed:
        for arg in steps[i].args:
            uses[arg] += 1
    for i in lines.outputs:
        uses[i] += 1
    constants = [i for i, step in enumerate(steps) if step.node.constant and uses[i]]
    text = [""] * len(steps)
    for i, value in zip(constants, evaluate([steps[i].node for i in constants], {}), strict=True):
        if not math.isfinite(value):
            raise ExpressionError(f"the constant {steps[i].node!r} is beyond the range of floating-point numbers")
        text[i] = language.literal(value)
    temporaries: list[tuple[str, str]] = []
    for i in needed:
        step = steps[i]
        if step.op is SYM:
            text[i] = language.input(places[step.node.data])
            continue
        written = _operation(step, [text[arg] for arg in step.args], language)
        if uses[i] > 1 or len(written) > _INLINE:
            name = f"t{len(temporaries)}"
            temporaries.append((name, _bare(written)))
            written = name
        text[i] = written
    return temporaries, [_bare(text[i]) for i in lines.outputs]


def _operation(step: ProgramStep, args: list[str], language: _Language) -> str:
    sign = _SIGNS.get(step.op)
    for one in (1.0, -1.0) if step.op is MUL else ():  # of a constant whose float it is: x itself, to the last digit
        if language.literal(one) in args:
            rest = args[1 - args.index(language.literal(one))]
            return rest if one > 0 else f"(-{rest})"
    if sign:
        return f"({args[0]} {sign} {args[1]})"
    if step.op is NEG:
        return f"(-{args[0]})"
    if step.op is POW:
        return language.power(*args)
    if step.op is FUN:
        table = isinstance(step.node.data, Interpolant)
        return language.table(step.node.data, args) if table else language.function(step.node.data, args)
    name, orders = step.node.data
    return language.call(name, orders, args)


def _bare(text: str) -> str:
    """Remove the outermost brackets, if they belong together."""
    if not text.startswith("("):
        return text
    level = 0
    for i, letter in enumerate(text):
        level += (letter == "(") - (letter == ")")
        if not level:
            return text[1:-1] if i == len(text) - 1 else text
    return text


def _prepare(
    outputs: Sequence[Expression], inputs: Sequence[str], functions: Sequence[str]
) -> tuple[Program, dict[str, int]]:
    places = {name: i for i, name in enumerate(inputs)}
    if len(places) != len(inputs):
        raise ExpressionError(f"an input is named twice: {', '.join(inputs)}")
    lines = program(outputs)
    absent = missing_names(lines, places, functions)
    if absent:
        raise ExpressionError(
            f"code for {', '.join(absent)} is not known: list symbols as inputs, and give undefined "
            "functions (name()) a meaning or replace them before code is written"
        )
    return lines, places


def _comment(names: Sequence[str]) -> str:
    return ", ".join(f"[{i}] " + re.sub(r"[^\w' ]", "_", name) for i, name in enumerate(names))


def harmless(text: str) -> str:
    """Return a model's text without characters that could end a comment, line or string of any language."""
    plain = "".join(sign if sign.isprintable() and sign not in '\\"' else "_" for sign in text)
    return re.sub(r"(?<=[*/?])(?=[*/?])", " ", plain)


def python_source(
    outputs: Sequence[Expression], inputs: Sequence[str], name: str, functions: Sequence[str] = ()
) -> str:
    """Write a Python module with the function ``name(x, functions=())`` that returns the list of outputs.

    Parameters
    ----------
    outputs : expressions
    inputs : names of symbols
        ``x[i]`` is the value of the i-th, a number or an array over a batch of states.
    name : str
        A Python identifier.
    functions : names of undefined functions
        ``functions[i](orders, *arguments)`` is called for the i-th.

    Raises
    ------
    ExpressionError
        A symbol is not among the inputs or an undefined function not among the functions.
    """
    return _python("import numpy as np\n", _Python(functions), outputs, inputs, name, functions)


def scalar_source(outputs: Sequence[Expression], inputs: Sequence[str], name: str) -> str:
    """Write a Python module with the function ``name(x)`` of one state, over ``math``.

    It is several times faster at one state than the module of :func:`python_source`. Where a formula has no value it
    raises ValueError, ZeroDivisionError or OverflowError.

    Raises
    ------
    ExpressionError
        As :func:`python_source`; no undefined function has a meaning here.
    """
    return _python(_SCALAR_HEAD, _Scalar(()), outputs, inputs, name, ())


_LOOK_UP: Final = """

def look_up(knots, rows, a):
    a = np.asarray(a, dtype=float)
    i = np.where(a == knots[-1], len(knots) - 1, np.searchsorted(knots, a, side="right"))
    s, c = a - knots[np.maximum(i - 1, 0)], rows[i]
    total = c[..., -1]
    for k in range(c.shape[-1] - 2, -1, -1):
        total = total * s + c[..., k]
    return total + 0 * s
"""
_LOOK_UP_ONE: Final = """

def look_up(knots, rows, a):
    from bisect import bisect_right

    i = len(knots) - 1 if a == knots[-1] else bisect_right(knots, a)
    s, c = a - knots[max(i - 1, 0)], rows[i]
    total = c[-1]
    for each in c[-2::-1]:
        total = total * s + each
    return total + 0 * s
"""

_C_LOOK_UP: Final = """static double look_up(int n, const double *knots, int width, const double *rows, double a)
{
    int i = 0, end = n;
    if (a == knots[n - 1]) i = end = n - 1;
    while (i < end) {
        const int middle = (i + end) / 2;
        if (knots[middle] <= a) i = middle + 1;
        else end = middle;
    }
    const double s = a - knots[i ? i - 1 : 0];
    const double *c = rows + width * i;
    double total = c[width - 1];
    for (int k = width - 2; k >= 0; --k) {
        const double product = total * s;
        total = product + c[k];
    }
    return total + 0 * s;
}

"""


def write_c_tables(tables: Mapping[Interpolant, str], prefix: str = "") -> str:
    """Write tables as static functions of C99 with these names, which call ``look_up``; empty without tables."""
    parts = [_C_LOOK_UP.replace("look_up", f"{prefix}look_up")] if tables else []
    for table, name in tables.items():
        knots, rows = table.floats
        texts = [", ".join("NAN" if x != x else f"{x:.17g}" for x in found.ravel().tolist()) for found in (knots, rows)]
        parts.append(
            f"static double {name}(double a)\n{{\n"
            f"    static const double knots[] = {{{texts[0]}}};\n    static const double rows[] = {{{texts[1]}}};\n"
            f"    return {prefix}look_up({len(knots)}, knots, {rows.shape[1]}, rows, a);\n}}\n\n"
        )
    return "".join(parts)


_SCALAR_HEAD: Final = """from math import acos, asin, atan, atan2, cos, exp, fabs as abs, log, pow, sin, sqrt, tan


def sign(a):
    return 1.0 if a > 0 else -1.0 if a < 0 else 0.0 if a == 0 else a
"""


def _python(
    head: str, language: _Python, outputs: Sequence[Expression], inputs: Sequence[str], name: str,
    functions: Sequence[str],
) -> str:  # fmt: skip
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ExpressionError(f"{name!r} cannot name a Python function")
    lines, places = _prepare(outputs, inputs, functions)
    temporaries, results = _write(lines, places, language)
    body = [f"    {variable} = {text}\n" for variable, text in temporaries]
    body += ["    return [\n", *[f"        {text},\n" for text in results], "    ]\n"]
    taken = "x" if isinstance(language, _Scalar) else "x, functions=()"
    return f"{head}{language.write_tables()}\n\ndef {name}({taken}):\n    # x: {_comment(inputs)}\n" + "".join(body)


def compile_numpy(
    outputs: Sequence[Expression], inputs: Sequence[str], functions: FunctionTable | None = None
) -> Callable[[ArrayLike], NDArray[np.float64]]:
    """Compile a function of an array of inputs.

    The function takes an array of shape (inputs,) or (inputs, …states) and returns (outputs,) or
    (outputs, …states). For numbers it equals ``evaluate(outputs, dict(zip(inputs, x)), numpy_arithmetic())``.

    Raises
    ------
    ExpressionError
        As :func:`python_source`.
    """
    import numpy as np

    table = dict(functions or {})
    source = python_source(outputs, inputs, "compiled", list(table))
    namespace: dict[str, Any] = {}
    exec(compile(source, "<generated code>", "exec"), namespace)
    compiled, meanings = namespace["compiled"], list(table.values())

    def function(values: ArrayLike) -> NDArray[np.float64]:
        x = np.asarray(values, dtype=np.float64)
        if x.ndim == 0 or x.shape[0] != len(inputs):
            raise ExpressionError(f"an array of shape {x.shape} was given; expected ({len(inputs)}, …)")
        result = np.empty((len(outputs), *x.shape[1:]))
        for i, value in enumerate(compiled(x, meanings)):
            result[i] = value
        return result

    return function


def c99_source(
    outputs: Sequence[Expression], inputs: Sequence[str], name: str, functions: Mapping[str, str] | None = None
) -> str:
    """Write a C99 translation unit with ``void name(const double in[], double out[])``.

    Parameters
    ----------
    outputs : expressions
    inputs : names of symbols
        ``in[i]`` is the value of the i-th.
    name : str
        A C identifier.
    functions : mapping, optional
        Undefined function -> C function that computes it, called with the orders of differentiation and
        then the arguments: ``double jk(int order, double t)``.

    Raises
    ------
    ExpressionError
        As :func:`python_source`.
    """
    table = dict(functions or {})
    for identifier in (name, *table.values()):
        if not re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", identifier) or identifier in C_KEYWORDS:
            raise ExpressionError(f"{identifier!r} cannot name a C function")
    lines, places = _prepare(outputs, inputs, list(table))
    language = _C(table)
    temporaries, results = _write(lines, places, language)
    parts = ["#include <math.h>\n\n", *_declarations(lines, table), write_c_tables(language.tables)]
    parts.append(f"/* in: {_comment(inputs)} */\nvoid {name}(const double in[], double out[])\n{{\n")
    parts += [f"    const double {variable} = {text};\n" for variable, text in temporaries]
    parts += [f"    out[{i}] = {text};\n" for i, text in enumerate(results)]
    return "".join([*parts, "    (void)in;\n    (void)out;\n}\n"])


def _declarations(lines: Program, functions: Mapping[str, str]) -> list[str]:
    found = {}
    for step in lines.steps:
        if step.op is FUN and step.node.data == "sign":
            found["sign_of"] = "static double sign_of(double a)\n{\n    return a > 0 ? 1 : a < 0 ? -1 : a * 0;\n}\n\n"
        elif step.op is CALL:
            count = len(step.args)
            kinds = ", ".join(["int"] * count + ["double"] * count)
            found[step.node.data[0]] = f"double {functions[step.node.data[0]]}({kinds});\n\n"
    return [found[key] for key in sorted(found)]
