"""Own equations as functions of NumPy: called once with arrays of nodes, so that their results are formulas.

The functions are called with stand-ins for ``numpy`` and ``math``; the caller's own objects are not changed.
"""

from __future__ import annotations

import builtins
import inspect
import math
import operator
import traceback
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from types import CellType, FunctionType, ModuleType
from typing import Any, Final, NoReturn

import numpy as np

from mbconcord.model.diagnostics import DisagreementError, Location, MbconcordError, error
from mbconcord.model.expressions import (
    FLOAT,
    ONE,
    PI_NODE,
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
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.limits import count
from mbconcord.records import replace

from .alone import dot
from .equations import SAME, STATES, TRIES, OwnEquations, separate
from .straight import FUNCTIONS, finish

#: Results of functions, and what they are of M u' = forcing.
RESULTS: Final = ("M", "forcing", "h", "inverse_dynamics", "acceleration")
#: Largest denominator of fractions for which floats stand, and digits of a decimal that is meant.
DENOMINATOR, DIGITS = 10_000, 12
FILLED: Final = ("zeros", "ones", "empty", "eye", "identity", "full")
MADE: Final = ("array", "asarray")
#: Modules that give other values when they are asked again.
CHANGING: Final = ("random", "secrets", "time", "datetime")
TAU: Final = "tau is the effort along each speed, M u' = f + tau: add it to forcing, or leave it out"
#: States at which functions are held against their formulas, if they have numbers there.
HELD: Final = 6
#: Refusals of the function that is traced: it may not catch one and go on.
_REFUSED: list[Exception] = []


class NotTracedError(TypeError, AttributeError):
    """Error: a function makes an operation that cannot be converted to a formula."""


def _refuse(message: str) -> NoReturn:
    _REFUSED.append(NotTracedError(message))
    raise _REFUSED[-1]


def _operate(operation: Callable[[Any, Any], Expression]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return the methods for an operation of a formula with a number or formula: as left, and as right operand."""

    def join(a: Traced, other: Any, swap: bool = False) -> Any:
        if type(other) is not Traced and not isinstance(other, int | float | np.number):
            return NotImplemented
        nodes = (a.node, lift(other))
        return Traced(operation(*nodes[::-1] if swap else nodes))

    return join, lambda b, other: join(b, other, swap=True)


class Traced:
    """A formula that supports the operations of a number."""

    __slots__ = ("node",)

    def __init__(self, node: Expression) -> None:
        self.node = node

    def __getattr__(self, name: str) -> Callable[..., Traced]:
        if name in FUNCTIONS and not name.startswith("__"):
            return lambda *args: Traced(apply(FUNCTIONS[name], self.node, *map(lift, args)))
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse(f"{name} of a formula is not known")

    __add__, __radd__ = _operate(operator.add)
    __sub__, __rsub__ = _operate(operator.sub)
    __mul__, __rmul__ = _operate(operator.mul)
    __truediv__, __rtruediv__ = _operate(operator.truediv)
    __pow__, __rpow__ = _operate(operator.pow)

    def __neg__(self) -> Traced:
        return Traced(-self.node)

    def __abs__(self) -> Traced:
        return Traced(apply("abs", self.node))

    def conjugate(self) -> Traced:
        """Return the formula unchanged, because all numbers are real."""
        return self

    __pos__ = conjugate

    def _need_number(self, *_: Any) -> NoReturn:
        _refuse("a number is needed, where this is a formula: a branch, float(…), whole numbers or compiled code")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = __hash__ = __round__ = __floor__ = _need_number
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __ceil__ = __trunc__ = _need_number
    __str__ = __repr__ = __format__ = _need_number
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _need_number
    __class__ = property(_need_number)  # of whom isinstance(x, float) asks


def lift(x: Any) -> Expression:
    """Return a number as a node: a short decimal or a small fraction.

    Raises
    ------
    ExpressionError
        The float is neither, so that its exact value is not known.
    """
    if type(x) in (Traced, Expression):
        return x.node if type(x) is Traced else x  # which is not asked for its class
    if isinstance(x, int | np.integer):
        return as_expression(int(x))
    x = float(x)
    if not math.isfinite(x):
        raise ExpressionError(f"found {x}")
    digits = repr(x).partition("e")[0].replace(".", "").strip("-0")
    if len(digits) <= DIGITS:
        return number(repr(x))
    near, turns = (Fraction(y).limit_denominator(DENOMINATOR) for y in (x, x / math.pi))
    if turns.numerator * math.pi / turns.denominator == x:
        return as_expression(turns) * PI_NODE
    if float(near) != x:
        raise ExpressionError(f"found the float {x!r}, which is no short decimal: write its formula in the function")
    return as_expression(near)


def _each(name: str) -> Callable[..., Any]:
    """Return a function of numbers, nodes and arrays of both that makes nodes."""

    def compute(*args: Any) -> Any:
        if any(not isinstance(x, Traced) and isinstance(x, np.ndarray | list | tuple) for x in args):
            return np.vectorize(compute, otypes=[object])(*(np.asarray(x, dtype=object) for x in args))
        return Traced(apply(FUNCTIONS[name], *map(lift, args)))

    return compute


def _solve(A: Any, b: Any) -> Any:
    """Solve A x = b by elimination; any entry that is not identically zero can be a pivot."""
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
        return np.linalg.norm if name == "norm" else _refuse(f"numpy.linalg.{name} is not known")


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
        if self._module is np and name in (*FILLED, *MADE):
            return _make(there, name)
        if self._module is np and name == "linalg":
            return _Linalg()
        return Changing("numpy.random") if there is np.random else there


def _make(there: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a stand-in for a function that makes arrays: arrays of floats can hold nodes, others cannot."""

    def make(x: Any, *args: Any, **options: Any) -> Any:
        if name in MADE:
            options |= {"dtype": args[0]} if args else {}
            args = args[1:]
            if options.get("dtype") is not None and np.dtype(options["dtype"]) == float:
                x = there(x)  # of which floats take nodes, and nodes stay
                options["dtype"] = float if x.dtype.kind in "iu" else None
        made = there(x, *args, **options)
        if made.dtype == float:
            return np.full(made.shape, None) if name == "empty" else made.astype(object)
        return made

    return make


class Changing:
    """Stand-in for functions that return another value at every call, such as random numbers."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> NoReturn:
        self(name)

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse to be called."""
        _refuse(f"{self._name} gives other values when it is asked again")


def _type(x: Any, *rest: Any) -> Any:
    """Return an object's type, as ``type`` does; refuse formulas."""
    return type(x, *rest) if rest or type(x) is not Traced else x._need_number()


def _is_changing(value: Any) -> bool:
    """Return True for a module of random numbers or of clocks, its functions and its generators."""
    homes = [type(x).__module__ for x in (value, getattr(value, "__self__", None))]
    homes += [value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")]
    return any(str(x).partition(".")[0] in CHANGING or str(x).startswith("numpy.random") for x in homes)


def _import(name: str, *args: Any) -> Any:
    """Allow only those imports that NumPy itself makes during calls."""
    if name.startswith("numpy._"):
        return builtins.__import__(name, *args)
    _refuse(f"{name} is imported within a function: import it above")


#: What functions find that they did not import.
BUILTINS: Final = {**vars(builtins), "__import__": _import, "type": _type, "id": Changing("id")}


class _Rebinding:
    """Functions rebound to globals with stand-ins; each dictionary of globals is copied once."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self.known: dict[int, Any] = {id(np): StandIn(np), id(math): StandIn(math), id(np.linalg): _Linalg()}
        self.known |= {id(x): getattr(_Linalg(), x.__name__) for x in (np.linalg.solve, np.linalg.inv)}
        for module in (np, math):
            names = [x for x in (*FUNCTIONS, *FILLED, *MADE) if hasattr(module, x)]
            self.known |= {id(getattr(module, x)): getattr(StandIn(module), x) for x in names}

    def replace(self, value: Any, home: dict[str, Any]) -> Any:
        """Return the stand-in for a value that a function with globals ``home`` uses, or the value itself."""
        if isinstance(value, FunctionType) and value.__globals__ is home:
            return self.bind(value)
        if value is math.pi or value is np.pi:
            return Traced(PI_NODE)
        if _is_changing(value):
            return Changing(getattr(value, "__name__", type(value).__name__))
        return self.known.get(id(value), value)

    def bind(self, function: FunctionType) -> FunctionType:
        """Return a copy of the function that uses the stand-ins."""
        if id(function) in self.made:
            found: FunctionType = self.made[id(function)]
            return found
        home = function.__globals__
        fresh = id(home) not in self.made
        scope = self.made.setdefault(id(home), {"__builtins__": BUILTINS})
        cells = tuple(CellType() for _ in function.__closure__ or ())
        made = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells or None)
        made.__kwdefaults__ = function.__kwdefaults__
        self.made[id(function)] = made
        if fresh:
            scope |= {name: self.replace(x, home) for name, x in [*home.items()] if name != "__builtins__"}
        for new, old in zip(cells, function.__closure__ or (), strict=True):
            if old != CellType():  # else it is empty: what the function takes of it is never assigned
                new.cell_contents = self.replace(old.cell_contents, home)
        return made


class ByName:
    """Parameters by name, ``p["m"]`` or ``p.m``, created at first access, as their names are not known before."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._make = make

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str) or not name.isidentifier():
            _refuse(f"found the parameter {name!r}: parameters have names")
        return self._make(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._need_name() if hasattr(dict, name) else self._make(name)

    def _need_name(self, *_: Any) -> NoReturn:
        _refuse("which parameters there are is not known: take each by its name, p['m']")

    __class__ = property(_need_name)  # of whom isinstance(p, dict) asks
    __contains__ = __iter__ = __len__ = __bool__ = __eq__ = __hash__ = __reversed__ = _need_name


def is_traceable(source: Any) -> bool:
    """Return True for functions of NumPy or with ``convert``: a single one, or a mapping by result."""
    functions = source.values() if isinstance(source, Mapping) else [source]
    return bool(functions) and all(isinstance(x, FunctionType) or hasattr(x, "convert") for x in functions)


def read_functions(
    source: Any, q: Sequence[Any] | None = None, u: Sequence[Any] | None = None, qdot: Mapping[Any, Any] | None = None
) -> OwnEquations:
    """Read equations from functions of NumPy, or those of other libraries that ``convert`` themselves.

    Parameters
    ----------
    source : a function that returns M and forcing, or (q, v, a) -> M a - forcing; or functions by their results
    q, u, qdot : names of coordinates and speeds, and formulas of rates as texts; None: speeds are the rates
    """
    if q is None:
        raise MbconcordError(error("q", "found functions without coordinates", "name them: q=['q1', 'q2']"))
    names = tuple(map(str, q))
    speeds = tuple(map(str, u)) if u is not None else tuple(f"{x}'" for x in names)
    n = len(speeds)
    functions = dict(source) if isinstance(source, Mapping) else {"": source}
    made, driven = trace(functions, names, speeds)
    efforts, solved = [symbol(f"{x} effort") for x in speeds], False
    still = {
        key: [substitute(row, dict.fromkeys(efforts, ZERO)) for row in rows] if key in driven else rows
        for key, rows in made.items()
    }
    M, column = still.get("M", []), {key: [x for row in rows for x in row] for key, rows in still.items()}
    slopes = {key: jacobian([x for row in made[key] for x in row], efforts) for key in driven}
    if "M" in made and len({"forcing", "h"} & made.keys()) == 1:
        forcing = column["forcing"] if "forcing" in made else [-x for x in column["h"]]
    elif made.keys() == {"inverse_dynamics"}:
        M, forcing = separate({str(i): x for i, x in enumerate(column["inverse_dynamics"])}, speeds, {})
    elif "acceleration" in made and made.keys() <= {"M", "acceleration"}:
        forcing = column["acceleration"]
        if len(forcing) != n:
            message = f"found {count(len(forcing), 'acceleration')}, expected {n}"
            raise MbconcordError(error("acceleration", message, f"give one for each of {', '.join(speeds)}"))
        if "acceleration" in driven:
            rows = slopes["acceleration"]
            if symbols([x for row in rows for x in row]) & {x.data for x in efforts}:
                raise MbconcordError(error("acceleration", "found no linear function of tau", "give M and forcing"))
            if not M:
                try:
                    made_of = [[Traced(x) for x in row] for row in rows]
                    M = [[lift(x) for x in row] for row in _Linalg.inv(made_of)]
                except (ExpressionError, ZeroDivisionError):
                    raise MbconcordError(error("acceleration", "tau does not move every speed", TAU)) from None
            slopes["acceleration"] = [[dot(row, x) for x in zip(*rows, strict=True)] for row in M]
        solved = not M
        if solved:
            M = [[ONE if i == k else ZERO for k in range(n)] for i in range(n)]
        forcing = [dot(row, forcing) for row in M]
    else:
        said = ", ".join(made)
        remedy = "give M and forcing, M and h, inverse_dynamics, or acceleration"
        raise MbconcordError(error("own", f"found {said}", remedy))
    for key in driven:
        _require_efforts(key, slopes[key], speeds)
    first = next(iter(functions.values()))
    own = finish(
        f"functions of {getattr(first, 'library', 'NumPy')}", _locate(first), names, speeds, M, forcing, qdot or {}
    )
    return replace(own, solved=solved)


def _require_efforts(key: str, slopes: Sequence[Sequence[Expression]], u: Sequence[str]) -> None:
    """Raise :class:`MbconcordError` where tau does not enter with factor one: M u' = f + tau."""
    one = ZERO if key == "M" else -ONE if key in ("h", "inverse_dynamics") else ONE
    pairs = [(x, one if i == k else ZERO) for i, row in enumerate(slopes) for k, x in enumerate(row)]
    for at, verdict in enumerate(compare(pairs)):
        if verdict.kind != IDENTICAL:
            i, k = divmod(at, len(u))
            message = f"tau[{k}] has the factor {pairs[at][0]!s:.60}, expected {pairs[at][1]}"
            raise MbconcordError(error(f"{key}[{i}]", message, TAU))


def trace(
    functions: Mapping[str, FunctionType], q: Sequence[str], u: Sequence[str]
) -> tuple[dict[str, list[list[Expression]]], list[str]]:
    """Return results of functions as rows of formulas, checked by their own numbers; and those that take tau."""
    if unknown := [x for x in functions if x not in (*RESULTS, "")]:
        raise MbconcordError(error("own", f"found {unknown[0]!r}", f"expected some of {', '.join(RESULTS)}"))
    binding, a = _Rebinding(), [f"{x}'" for x in u]
    leaves = {"q": q, "v": u, "u": u, "a": a, "tau": [f"{x} effort" for x in u]}

    def make(name: str) -> Traced:
        if name in (*q, *u, "t"):
            _refuse(f"found the parameter {name}, which is a coordinate, a speed or the time: rename it")
        return Traced(symbol(name))

    made = {}
    for name, f in functions.items():
        result = _call(
            f, getattr(f, "convert", None) or binding.bind(f), leaves, lambda x: Traced(symbol(x)), ByName(make)
        )
        made[name] = _name_results(name, f, result)
    whole: dict[str, list[list[Expression]]] = {}
    for f, each in zip(functions.values(), made.values(), strict=True):
        for name, rows in each.items():
            try:
                whole[name] = [[lift(x) for x in row] for row in rows]
            except ExpressionError as problem:
                raise MbconcordError(error(name, str(problem), "", _locate(f))) from None
    _hold(functions, whole, leaves)
    driven = [x for name, f in functions.items() if "tau" in inspect.signature(f).parameters for x in made[name]]
    return whole, driven


def _locate(function: FunctionType, problem: BaseException | None = None) -> Location | None:
    """Return the location of a function, or of the line that raised; None if its source text is unknown."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    if problem is not None:
        frames = traceback.extract_tb(problem.__traceback__)
        for x in [x for x in frames if x.filename == code.co_filename][-1:]:
            return Location(x.filename, x.lineno or 1, (x.colno or 0) + 1)
    return Location(code.co_filename, code.co_firstlineno, 1)


def _call(
    original: FunctionType, function: FunctionType, leaves: Mapping[str, Sequence[str]], make: Callable[[str], Any],
    parameters: ByName,
) -> Any:  # fmt: skip
    """Call a function with new copies of the arguments that its signature names; refuse if it changes them."""
    known = inspect.signature(original).parameters
    place, title = _locate(original), original.__name__
    for x in known.values():
        if x.kind not in (x.POSITIONAL_OR_KEYWORD, x.KEYWORD_ONLY) or x.default is not x.empty:
            message = f"found the argument {str(x).partition(':')[0]}"
            raise MbconcordError(error(title, message, "write plain names without defaults: q, v, p", place))
    if {"v", "u"} <= known.keys():
        raise MbconcordError(error(title, "found v and u, which both are the speeds", "keep one of them", place))
    vectors = {name: [make(x) for x in own] for name, own in leaves.items() if name in known}
    arrays = {name: np.array(cells) for name, cells in vectors.items()}
    args: dict[str, Any] = {**arrays}
    _REFUSED.clear()
    try:
        for name in known.keys() - vectors.keys():
            named = name in ("t", *leaves["q"], *leaves["v"])
            args[name] = parameters if name in ("p", "params") else make(name) if named else parameters[name]
        found = function(**args)
        if _REFUSED:
            raise _REFUSED[0]
        for name, cells in vectors.items():
            if any(x is not y and (isinstance(y, Traced) or x != y) for x, y in zip(arrays[name], cells, strict=True)):
                raise NotTracedError(f"{name} is changed in its place: write {name} = {name} + …, which is a new array")
    except MbconcordError:
        raise
    except (Exception, SystemExit) as problem:  # one that ends the program ends the tracing alone
        ours = isinstance(problem, ExpressionError | NotTracedError)
        said = problem if ours else f"{type(problem).__name__}: {problem}".partition("\n")[0]
        remedy = "write it by arithmetic and functions of NumPy, or give SymPy's matrices"
        raise MbconcordError(error(title, f"not traced: {said}", remedy, _locate(original, problem))) from None
    return found


def _name_results(name: str, function: FunctionType, result: Any) -> dict[str, list[list[Any]]]:
    """Return results by their names, as rows."""
    place = _locate(function)
    if not name and isinstance(result, tuple) and len(result) == 2:
        result = dict(zip(("M", "forcing"), result, strict=True))
    if not name and not isinstance(result, Mapping):
        if "a" not in inspect.signature(function).parameters:
            remedy = "return M, forcing; or name what it gives: {'acceleration': f}, {'inverse_dynamics': f}"
            raise MbconcordError(error(function.__name__, "found a function of one result", remedy, place))
        name = "inverse_dynamics"
    named = result if not name else {name: result}
    if unknown := [x for x in named if x not in RESULTS]:
        raise MbconcordError(error("own", f"found {unknown[0]!r}", f"expected some of {', '.join(RESULTS)}", place))
    found = {}
    for key, value in named.items():
        try:
            array = np.array(None if isinstance(value, np.ma.MaskedArray) else value, dtype=object)
        except ValueError:
            raise MbconcordError(error(key, "found rows of unequal lengths", "expected an array", place)) from None
        for x in array.flat:
            if isinstance(x, bool) or not isinstance(x, Traced | int | float | np.integer | np.floating):
                said = repr(x) if isinstance(x, str | bool) else type(x).__name__
                raise MbconcordError(error(key, f"found {said:.40}, no number", "expected an array of numbers", place))
        if array.ndim > 2 or (array.size > 1 and (array.ndim != 2 if key == "M" else sorted(array.shape)[:-1] > [1])):
            expected = "a matrix" if key == "M" else "a vector"
            raise MbconcordError(error(key, f"found an array of shape {array.shape}", f"expected {expected}", place))
        rows = array.reshape(-1, 1) if key != "M" else np.atleast_2d(array)
        found[key] = [list(row) for row in rows]
    return found


def _hold(
    functions: Mapping[str, FunctionType], made: Mapping[str, Sequence[Sequence[Expression]]],
    leaves: Mapping[str, Sequence[str]],
) -> None:  # fmt: skip
    """Compare formulas with the functions' own numbers at random states, calling them in both orders."""
    flat = {
        f"{key}[{i + 1}, {k + 1}]": x
        for key, rows in made.items() for i, row in enumerate(rows) for k, x in enumerate(row)
    }  # fmt: skip
    moving = {x for own in leaves.values() for x in own}
    names, random, done, last = sorted(symbols(flat.values()) | moving | {"t"}), Random(0), 0, ""
    for number_of_try in range(TRIES):
        wide = number_of_try % 2
        values = {name: random.uniform(*((-3.0, 3.0) if wide and name in moving else (0.2, 1.2))) for name in names}
        numbers = ByName(lambda name, values=values: values.setdefault(name, 0.7))  # type: ignore[misc]

        def compute(order: Sequence[str], values: Any = values, numbers: Any = numbers) -> list[Any]:
            each = {}
            for name in order:
                f = functions[name]
                each[name] = _name_results(name, f, _call(f, f, leaves, values.__getitem__, numbers))
            return [x for name in functions for rows in each[name].values() for row in rows for x in row]

        try:
            with np.errstate(all="ignore"):
                other, theirs = compute([*functions][::-1]), compute([*functions])
            ours = evaluate([*flat.values()], values, FLOAT)
        except (ValueError, ZeroDivisionError, OverflowError, ExpressionError) as problem:
            last = str(problem)
            continue
        except MbconcordError as problem:
            last = problem.diagnostics[0].message
            continue
        kept = len(theirs) != len(flat) or any(isinstance(x, Traced) for x in (*other, *theirs))
        largest = 0.0 if kept else max(map(abs, theirs), default=0.0)
        pairs = zip(theirs, other, strict=True)
        if kept or not all(x == y or x != x or abs(x - y) <= SAME * largest for x, y in pairs):
            message = "your functions give other numbers when they are called again, or in another order"
            raise MbconcordError(error("own", message, "keep nothing between calls, and draw nothing"))
        if not math.isfinite(largest):
            continue
        for place, x, y in zip(flat, theirs, ours, strict=True):
            if not abs(x - y) <= SAME * largest:
                message = f"not converted: your function gives {x!r} and its conversion {y!r}"
                raise DisagreementError(
                    error(
                        place,
                        message,
                        "a fault of mbconcord, unless your function asks for dtypes or draws: please report it",
                    )
                )
        done += 1
        if done == HELD:
            return
    if done < STATES:
        message = f"your functions give no numbers at {TRIES} random states" + (f": {last}" if last else "")
        raise MbconcordError(error("own", message, "look for 1/0"))
