"""Own equations as functions of NumPy: called once with arrays of nodes, so that what they compute is a formula.

The functions are called over stand-ins of ``numpy`` and ``math``; nothing of the caller's is changed.
"""

from __future__ import annotations

import inspect
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from types import CellType, FunctionType
from typing import Any, Final, NoReturn

import numpy as np

from mbconcord.model.diagnostics import DisagreementError, Location, MbconcordError, error
from mbconcord.model.expressions import (
    FLOAT,
    ONE,
    PI_NODE,
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    apply,
    as_expression,
    evaluate,
    jacobian,
    number,
    substitute,
    symbol,
    symbols,
)
from mbconcord.records import replace

from .equations import SAME, STATES, TRIES, OwnEquations, separate
from .straight import FUNCTIONS, finish

#: Results of functions, and what they are of M u' = forcing.
RESULTS: Final = ("M", "forcing", "h", "inverse_dynamics", "acceleration")
#: Largest denominator of fractions for which floats stand, and digits of a decimal that is meant.
DENOMINATOR, DIGITS = 10_000, 12
FILLED: Final = ("zeros", "ones", "empty", "eye", "identity", "full")
MADE: Final = ("array", "asarray")


class NotTracedError(TypeError):
    """A function needs a number where there is a formula."""


class Traced:
    """A formula that is computed with like a number."""

    __slots__ = ("node",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Expression) -> None:
        self.node = node

    def __getattr__(self, name: str) -> Callable[..., Traced]:
        if name in FUNCTIONS and not name.startswith("__"):
            return lambda *args: Traced(apply(FUNCTIONS[name], self.node, *map(lift, args)))
        raise AttributeError(name)

    def _join(self, other: Any, operation: Callable[[Expression, Expression], Expression]) -> Any:
        if not isinstance(other, Traced | int | float | np.number):
            return NotImplemented
        return Traced(operation(self.node, lift(other)))

    def __add__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: a + b)

    def __radd__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: b + a)

    def __sub__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: a * b)

    def __rmul__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: b * a)

    def __truediv__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: b / a)

    def __pow__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: a**b)

    def __rpow__(self, other: Any) -> Any:
        return self._join(other, lambda a, b: b**a)

    def __neg__(self) -> Traced:
        return Traced(-self.node)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return Traced(apply("abs", self.node))

    def conjugate(self) -> Traced:
        """Return the same: all is real."""
        return self

    def _refuse(self, *_: Any) -> NoReturn:
        raise NotTracedError("a number is needed, where this is a formula: a branch, float(…) or compiled code")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse


def lift(x: Any) -> Expression:
    """Return a number as a node: a short decimal or a small fraction.

    Raises
    ------
    ExpressionError
        A float that is neither: its formula is not known.
    """
    if isinstance(x, Traced):
        return x.node
    if isinstance(x, int | np.integer):
        return number(str(int(x)))
    x = float(x)
    if not math.isfinite(x):
        raise ExpressionError(f"found {x}")
    digits = repr(x).partition("e")[0].replace(".", "").strip("-0")
    if len(digits) <= DIGITS:
        return number(repr(x))
    near = Fraction(x).limit_denominator(DENOMINATOR)
    if float(near) != x:
        raise ExpressionError(f"found the float {x!r}, which is no short decimal: write its formula in the function")
    return as_expression(near)


def _each(name: str) -> Callable[..., Any]:
    """Return a function of numbers, nodes and arrays of both that makes nodes."""

    def compute(*args: Any) -> Any:
        if any(isinstance(x, np.ndarray | list | tuple) for x in args):
            return np.vectorize(compute, otypes=[object])(*(np.asarray(x, dtype=object) for x in args))
        return Traced(apply(FUNCTIONS[name], *map(lift, args)))

    return compute


def _solve(A: Any, b: Any) -> Any:
    """Solve A x = b by elimination; a pivot is any entry that is no zero."""
    A, b = np.array(A, dtype=object), np.array(b, dtype=object)
    n = len(A)
    rows = [[Traced(lift(x)) for x in (*A[i], *np.atleast_1d(b[i]))] for i in range(n)]
    for i in range(n):
        pivot = next((k for k in range(i, n) if rows[k][i].node is not ZERO), None)
        if pivot is None:
            raise ExpressionError("found a singular matrix")
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i and rows[k][i].node is not ZERO:
                factor = rows[k][i]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i], strict=True)]
    found = np.array([row[n:] for row in rows], dtype=object)
    return found.reshape(b.shape)


class _Linalg:
    """Stand-in of ``numpy.linalg``."""

    solve = staticmethod(_solve)

    @staticmethod
    def inv(A: Any) -> Any:
        """Return the inverse."""
        return _solve(A, np.eye(len(A)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np.linalg, name)


class StandIn:
    """Stand-in of ``numpy`` or ``math``, whose functions take nodes."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        there = getattr(self._module, name)
        if name == "pi":
            return Traced(PI_NODE)
        if name in FUNCTIONS:
            return _each(name)
        if self._module is np and name in FILLED:
            return lambda *args, dtype=None, **options: there(*args, dtype=object, **options)
        if self._module is np and name in MADE:
            return lambda x, *_, **options: there(x, **{k: v for k, v in options.items() if k != "dtype"})
        if self._module is np and name == "linalg":
            return _Linalg()
        return there


class _Rebinding:
    """Functions bound again over the stand-ins; each global dictionary once."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.known: dict[int, Any] = {id(np): StandIn(np), id(math): StandIn(math), id(np.linalg): _Linalg()}
        self.known |= {id(x): getattr(_Linalg(), x.__name__) for x in (np.linalg.solve, np.linalg.inv)}
        for module in (np, math):
            names = [x for x in (*FUNCTIONS, *FILLED, *MADE) if hasattr(module, x)]
            self.known |= {id(getattr(module, x)): getattr(StandIn(module), x) for x in names}

    def replace(self, value: Any, home: dict[str, Any]) -> Any:
        """Return what stands in for a value that a function of the module ``home`` uses."""
        if isinstance(value, FunctionType) and value.__globals__ is home:
            return self.bind(value)
        if value is math.pi or value is np.pi:
            return Traced(PI_NODE)
        return self.known.get(id(value), value)

    def bind(self, function: FunctionType) -> FunctionType:
        """Return the function over the stand-ins."""
        if id(function) in self.made:
            found: FunctionType = self.made[id(function)]
            return found
        home = function.__globals__
        fresh = id(home) not in self.made
        scope = self.made.setdefault(id(home), {})
        cells = tuple(CellType() for _ in function.__closure__ or ())
        made = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
        made.__kwdefaults__ = function.__kwdefaults__
        self.made[id(function)] = made
        if fresh:
            scope |= {name: self.replace(value, home) for name, value in [*home.items()]}
        for new, old in zip(cells, function.__closure__ or (), strict=True):
            new.cell_contents = self.replace(old.cell_contents, home)
        return made


class _Parameters(dict[str, Any]):
    """Parameters by name, ``p["m"]`` or ``p.m``, made when they are asked for."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, name: str) -> Any:
        if not isinstance(name, str) or not name.isidentifier():
            raise ExpressionError(f"found the parameter {name!r}: parameters have names")
        return self._make(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._make(name)


def is_traceable(source: Any) -> bool:
    """Return True for a function, or functions by the names of their results."""
    if isinstance(source, Mapping):
        return bool(source) and all(isinstance(x, FunctionType) for x in source.values())
    return isinstance(source, FunctionType)


def read_functions(
    source: Any, q: Sequence[Any] | None = None, u: Sequence[Any] | None = None, qdot: Mapping[Any, Any] | None = None
) -> OwnEquations:
    """Read equations from functions of NumPy.

    Parameters
    ----------
    source : a function that returns M and forcing, or (q, v, a) -> M a - forcing; or functions by their results
    q, u, qdot : names of coordinates and speeds, and formulas of rates as texts; None: speeds are the rates
    """
    first = next(iter(source.values())) if isinstance(source, Mapping) else source
    if q is None:
        raise MbconcordError(error("q", "found functions without coordinates", "name them: q=['q1', 'q2']"))
    names = tuple(map(str, q))
    speeds = tuple(map(str, u)) if u is not None else tuple(f"{x}'" for x in names)
    n, made = len(speeds), trace(source, names, speeds)
    efforts, solved = [symbol(f"{x} effort") for x in speeds], False
    found = {key: [x for row in rows for x in row] for key, rows in made.items()}
    still = dict(zip(found, ([*substitute(x, dict.fromkeys(efforts, ZERO))] for x in found.values()), strict=True))
    M = [still["M"][i * n : (i + 1) * n] for i in range(n)] if len(still.get("M", ())) == n * n else made.get("M", [])
    if "M" in made and len({"forcing", "h"} & made.keys()) == 1:
        forcing = still["forcing"] if "forcing" in made else [-x for x in still["h"]]
    elif made.keys() == {"inverse_dynamics"}:
        rows = {str(i): x for i, x in enumerate(still["inverse_dynamics"])}
        M, forcing = separate(rows, speeds, {})
    elif "acceleration" in made and made.keys() <= {"M", "acceleration"}:
        forcing = still["acceleration"]
        if len(forcing) != n:
            message = f"found {len(forcing)} accelerations, expected {n}"
            raise MbconcordError(error("acceleration", message, f"give one for each of {', '.join(speeds)}"))
        slopes = jacobian(found["acceleration"], efforts)
        if "M" not in made and any(x is not ZERO for row in slopes for x in row):
            if used := symbols([x for row in slopes for x in row]) & {x.data for x in efforts}:
                raise MbconcordError(error("acceleration", f"found no linear function of tau ({min(used)})"))
            M = [[lift(x) for x in row] for row in _Linalg.inv([[Traced(x) for x in row] for row in slopes])]
        solved = not M
        if solved:
            M = [[ONE if i == k else ZERO for k in range(n)] for i in range(n)]
        forcing = [sum((x * y for x, y in zip(row, forcing, strict=True)), ZERO) for row in M]
    else:
        said = ", ".join(made)
        remedy = "give M and forcing, M and h, inverse_dynamics, or acceleration"
        raise MbconcordError(error("own", f"found {said}", remedy))
    code = first.__code__
    own = finish(
        "functions of NumPy", Location(code.co_filename, code.co_firstlineno, 1), names, speeds, M, forcing, qdot or {}
    )
    notes = ("only accelerations are compared: no function gives M",) if solved else ()
    return replace(own, solved=solved, notes=notes)


def trace(source: Any, q: Sequence[str], u: Sequence[str]) -> dict[str, list[list[Expression]]]:
    """Return the results of functions as rows of formulas, held against the functions' own numbers.

    Raises
    ------
    MbconcordError
        A function cannot be traced, with its line; or it raises.
    DisagreementError
        A formula does not have the numbers of its function: the conversion is wrong.
    """
    functions = dict(source) if isinstance(source, Mapping) else {"": source}
    if unknown := [x for x in functions if x not in (*RESULTS, "")]:
        raise MbconcordError(error("own", f"found {unknown[0]!r}", f"expected some of {', '.join(RESULTS)}"))
    binding, a = _Rebinding(), [f"{x}'" for x in u]
    leaves = {"q": q, "v": u, "u": u, "a": a, "tau": [f"{x} effort" for x in u]}
    given = {name: np.array([Traced(symbol(x)) for x in own], dtype=object) for name, own in leaves.items()}
    nodes = _Parameters(lambda name: Traced(symbol(name)))
    made = {
        name: _name_results(name, f, _call(f, binding.bind(f), {**given, "t": Traced(TIME), "p": nodes}, nodes))
        for name, f in functions.items()
    }
    whole = {name: [[lift(x) for x in row] for row in rows] for each in made.values() for name, rows in each.items()}
    _hold(functions, made, leaves)
    return whole


def _call(original: FunctionType, function: FunctionType, given: Mapping[str, Any], parameters: _Parameters) -> Any:
    """Call a function with the arguments that its signature names."""
    args = {}
    for name, x in inspect.signature(original).parameters.items():
        if x.kind not in (x.POSITIONAL_OR_KEYWORD, x.KEYWORD_ONLY):
            raise MbconcordError(
                error(original.__name__, f"found the argument {str(x).partition(':')[0]}", "write plain names: q, v, p")
            )
        args[name] = given["p"] if name == "params" else given[name] if name in given else parameters[name]
    try:
        return function(**args)
    except MbconcordError:
        raise
    except Exception as problem:
        lines = [x.lineno for x in traceback.extract_tb(problem.__traceback__) if x.filename != __file__]
        file = original.__code__.co_filename
        own = [x.lineno for x in traceback.extract_tb(problem.__traceback__) if x.filename == file] or lines
        said = problem if isinstance(problem, ExpressionError) else f"{type(problem).__name__}: {problem}"
        message = f"not traced: line {own[-1]}: {said}"
        remedy = "write it by arithmetic and functions of NumPy, or give SymPy's matrices"
        raise MbconcordError(error(original.__name__, message, remedy)) from None


def _name_results(name: str, function: FunctionType, result: Any) -> dict[str, list[list[Any]]]:
    """Return results by their names, as rows."""
    if not name and isinstance(result, tuple) and len(result) == 2:
        result = dict(zip(("M", "forcing"), result, strict=True))
    if not name and not isinstance(result, Mapping):
        if "a" not in inspect.signature(function).parameters:
            remedy = "return M, forcing; or name what it gives: {'acceleration': f}, {'inverse_dynamics': f}"
            raise MbconcordError(error(function.__name__, "found a function of one result", remedy))
        name = "inverse_dynamics"
    named = result if not name else {name: result}
    if unknown := [x for x in named if x not in RESULTS]:
        raise MbconcordError(error("own", f"found {unknown[0]!r}", f"expected some of {', '.join(RESULTS)}"))
    found = {}
    for key, value in named.items():
        array = np.array(value, dtype=object)
        if array.ndim > 2:
            raise MbconcordError(error(key, f"found an array of {array.ndim} indices", "expected a matrix or a vector"))
        rows = array.reshape(-1, 1) if key != "M" and array.ndim < 2 else np.atleast_2d(array)
        found[key] = [list(row) for row in rows]
    return found


def _hold(
    functions: Mapping[str, FunctionType], made: Mapping[str, Mapping[str, list[list[Any]]]],
    leaves: Mapping[str, Sequence[str]],
) -> None:  # fmt: skip
    """Hold formulas against the functions' own numbers at random states."""
    flat = {
        f"{key}[{i + 1}, {k + 1}]": lift(x)
        for each in made.values() for key, rows in each.items() for i, row in enumerate(rows) for k, x in enumerate(row)
    }  # fmt: skip
    random, done = Random(0), 0
    for _ in range(TRIES):
        names = sorted(symbols(flat.values()) | {x for own in leaves.values() for x in own} | {"t"})
        values = {name: random.uniform(0.2, 1.2) for name in names}
        numbers = _Parameters(lambda name, values=values: values.setdefault(name, 0.7))  # type: ignore[misc]
        given = {key: np.array([values[x] for x in own]) for key, own in leaves.items()}
        theirs = []
        try:
            for name, f in functions.items():
                result = _name_results(name, f, _call(f, f, {**given, "t": values["t"], "p": numbers}, numbers))
                theirs += [float(x) for rows in result.values() for row in rows for x in row]
            ours = evaluate([*flat.values()], values, FLOAT)
        except (ValueError, ZeroDivisionError, OverflowError, ExpressionError, MbconcordError):
            continue
        largest = max(map(abs, theirs), default=0.0)
        if not math.isfinite(largest):
            continue
        for place, x, y in zip(flat, theirs, ours, strict=True):
            if not abs(x - y) <= SAME * largest:
                message = f"not converted: your function gives {x!r} and its conversion {y!r}"
                raise DisagreementError(error(place, message, "a fault of mbconcord, not of yours: please report it"))
        done += 1
        if done == STATES:
            return
    raise MbconcordError(error("own", f"your functions give no numbers at {TRIES} random states", "look for 1/0"))
