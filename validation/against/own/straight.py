"""Own equations as the text of Python functions, read through its syntax tree and never run.

Functions without branches and loops are read: assignments, arithmetic, ``math`` and ``numpy``, arrays, one ``return``.
"""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

from mbconcord.converters.registry import contents
from mbconcord.model.diagnostics import Location, MbconcordError, ReadError, among, error
from mbconcord.model.expressions import (
    ONE,
    PI_NODE,
    TIME,
    TWO,
    ZERO,
    Expression,
    ExpressionError,
    apply,
    number,
    rate,
    substitute,
    symbol,
)
from mbconcord.model.expressions.algebra import add, div, mul, neg, power
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.node import NUM
from mbconcord.model.limits import count

from .alone import dot
from .equations import MOST, OwnEquations

#: Most places of a text that are evaluated: functions may call each other.
STEPS: Final = 500_000
MAIN: Final = "if __name__ == '__main__':"
READ: Final = "assignments, arithmetic, functions of math and numpy, arrays of rows, and one return at the end are read"
FUNCTIONS: Final = {
    **{name: name for name in ("sin", "cos", "tan", "sqrt", "exp", "log")},
    **{f"a{name}": f"a{name}" for name in ("sin", "cos", "tan", "tan2")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "tan2")},
    "abs": "abs", "absolute": "abs", "fabs": "abs", "sign": "sign", "clip": "clip",
    "maximum": "max", "fmax": "max", "minimum": "min", "fmin": "min",
}  # fmt: skip
#: Modules whose functions are known, and which of them are none of ``math``.
MODULES: Final = ("math", "numpy")
NUMPY: Final = {
    "arcsin", "arccos", "arctan", "arctan2", "abs", "absolute", "sign", "clip", "maximum", "fmax", "minimum", "fmin",
}  # fmt: skip
#: Functions of Python itself, as functions of the graph.
BUILTIN: Final = ("max", "min")
ARRAYS: Final = ("array", "zeros", "eye", "square", "power", "pow")
OPERATIONS: Final[Mapping[type, Callable[[Expression, Expression], Expression]]] = {
    ast.Add: add, ast.Sub: lambda a, b: add(a, neg(b)), ast.Mult: mul, ast.Div: div, ast.Pow: power,
}  # fmt: skip


class Array:
    """Array of one or two indices; ``filled``: its elements may be set, because no other name shares the array."""

    def __init__(self, shape: tuple[int, ...], cells: Sequence[Expression], filled: bool = False) -> None:
        self.shape, self.cells, self.filled = shape, list(cells), filled

    @property
    def rows(self) -> list[list[Expression]]:
        """Rows; those of a vector hold one element each."""
        wide = self.shape[1] if len(self.shape) == 2 else 1
        return [self.cells[i * wide : (i + 1) * wide] for i in range(self.shape[0])]


class ArgumentVector:
    """Vector argument of coordinates or rates, of a length not known yet: element ``q[0]`` is ``q1``."""

    def __init__(self, name: str, moving: bool) -> None:
        self.name, self.moving, self.most = name, moving, 0

    def take(self, i: int) -> Expression:
        """Return an element."""
        self.most = max(self.most, i + 1)
        return rate(f"q{i + 1}") if self.moving else symbol(f"q{i + 1}")


class Parameters:
    """Parameters by name: ``p["m"]``, ``p.m``, or ``m, l = p``; ``taken``: names of coordinates and speeds."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = {*taken, "t"}
        self.used: dict[str, ast.AST] = {}


def read_python(
    named: str, q: Sequence[Any] | None = None, u: Sequence[Any] | None = None, qdot: Mapping[Any, Any] | None = None
) -> OwnEquations:
    """Read ``FILE:NAME`` or ``FILE:M,FORCING``: one function that returns both, or two.

    Parameters
    ----------
    named : file, and names of functions
    q, u, qdot : names of coordinates and speeds, and formulas of rates as texts; None: the names to which the first
        function unpacks ``q``, else q1, q2, …; speeds ``v`` or ``u`` are their rates

    Raises
    ------
    ReadError
        The text cannot be read, or has something else than straight functions: with its line.
    """
    file, colon, functions = named.rpartition(":")
    chosen = [name.strip() for name in functions.split(",")]
    if not colon or not file or len(chosen) > 2 or not all(map(str.isidentifier, chosen)):
        message = f"found {named!r}, expected FILE:NAME, or FILE:M,FORCING of two functions"
        raise MbconcordError(error("python", message, "for example python:arm.py:equations"))
    try:
        return _Module(read_source(file), file).read(chosen, q, u, qdot or {})
    except RecursionError:
        raise ReadError(error(file, "the text is nested too deep", "split its longest formulas")) from None


def read_source(file: str) -> str:
    """Read a file of UTF-8."""
    try:
        return contents(file).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ReadError(error(file, "no text in UTF-8", "save it as UTF-8")) from None


def finish(
    kind: str, place: Location | None, q: tuple[str, ...], u: tuple[str, ...], M: Sequence[Sequence[Expression]],
    forcing: Sequence[Expression], qdot: Mapping[Any, Any],
) -> OwnEquations:  # fmt: skip
    """Return equations read from a text; ``qdot``: formulas of q' in the speeds; ``place``: location for errors."""
    told = {str(x): parse_formula(str(formula)) for x, formula in qdot.items()}
    rates = tuple(map(rate, q))
    if unknown := next((x for x in told if x not in q), ""):
        raise MbconcordError(error("qdot", f"found {unknown}", among(unknown, q)))
    if u != tuple(f"{x}'" for x in q) and len(told) < len(q):
        raise MbconcordError(error("qdot", "found speeds and no rates by them", "give a formula for each of q"))
    of_q = tuple(told.get(x, rate(x)) for x in q)
    try:
        own = OwnEquations(kind, q, u, of_q, tuple(map(tuple, M)), tuple(forcing))
    except MbconcordError as problem:
        raise ReadError([d.with_location(place) for d in problem.diagnostics]) from None
    return own.with_formulas(substitute(own.formulas, dict(zip(rates, of_q, strict=True))))


class _Module:
    """The text of a module: its functions, constants and imports, and names that are bound in other ways."""

    def __init__(self, text: str, file: str) -> None:
        self.file, self.lines, self.steps = file, text.splitlines(), 0
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what Python says of the style of the text
                tree = ast.parse(text)
        except SyntaxError as problem:
            place = Location(file, problem.lineno or 1, problem.offset or 1)
            raise ReadError(error("", f"no Python: {problem.msg}", "correct it", place)) from None
        except (ValueError, MemoryError) as problem:
            raise ReadError(error(file, f"no Python: {problem}", "save it as text")) from None
        self.names: dict[str, ast.stmt] = {}
        self.others: dict[str, ast.AST] = {}  # bound twice, or by what is not read
        self.active: list[str] = []
        for statement in tree.body:
            if isinstance(statement, ast.If) and ast.unparse(statement).startswith(MAIN) and not statement.orelse:
                continue
            for name in _bind(statement):
                if name == "*":
                    self.refuse(statement, "names of a whole module are not read", "import the functions by name")
                (self.others if name in self.names else self.names)[name] = statement
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                self.others |= dict.fromkeys(node.names, node)

    def read(self, chosen: Sequence[str], q: Any, u: Any, qdot: Mapping[Any, Any]) -> OwnEquations:
        functions = [self._find(name) for name in chosen]
        names = tuple(map(str, q)) if q is not None else next(filter(None, map(_unpacked, functions)), ())
        moving = [symbol(str(x)) for x in u] if u is not None else [rate(x) for x in names]
        parameters = Parameters([*names, *(str(x) for x in u or ())])
        start: dict[str, Any] = {"t": TIME, "p": parameters, "params": parameters}
        vectors: list[ArgumentVector] = []
        for key, cells in (("q", [*map(symbol, names)]), ("v", moving), ("u", moving)):
            start[key] = Array((len(cells),), cells) if cells else ArgumentVector(key, key != "q")
            vectors += [] if cells else [start[key]]
        made = []
        for function in functions:
            known = {x.arg: x for x in function.args.args}
            if function.args.defaults:
                message = f"found a default of an argument of {function.name}, and who calls it is not known"
                self.refuse(function.args.defaults[0], message, "leave the default out, or write its number below")
            if {"v", "u"} <= known.keys():
                self.refuse(known["u"], "found v and u, which both are the speeds", "keep one of them")
            given = {x.arg: start.get(x.arg, symbol(x.arg)) for x in function.args.args}
            made.append(_Straight(self, function, given).run())
        whole = made[0]
        if len(chosen) == 1:
            if isinstance(whole, dict) and {"M", "forcing"} <= whole.keys():
                whole = (whole["M"], whole["forcing"])
            if not isinstance(whole, tuple) or len(whole) != 2:
                message = f"{chosen[0]} does not return M and forcing"
                self.refuse(functions[0], message, 'return M, forcing; or name two functions, "FILE:M,FORCING"')
            made = list(whole)
        M, forcing = (self.arrange(f, x) for f, x in zip((functions[0], functions[-1]), made, strict=True))
        n = M.shape[0]
        if not names:
            names = tuple(f"q{i + 1}" for i in range(n))
            used = {x.arg: x for f in functions for x in f.args.args} | parameters.used
            for name in used.keys() & {*names}:
                remedy = f"rename it, or name the elements: {', '.join(f'a{i + 1}' for i in range(n))} = q"
                self.refuse(used[name], f"found {name}, a parameter with the name of an element of q", remedy)
        if beyond := next((x for x in vectors if x.most > n), None):
            self.refuse(functions[0], f"found {beyond.name}[{beyond.most - 1}], and M has {count(n, 'row')}")
        speeds = tuple(map(str, u)) if u is not None else tuple(f"{x}'" for x in names)
        right = [x for row in forcing.rows for x in row]
        return finish("Python text", self.locate(functions[0]), names, speeds, M.rows, right, qdot)

    def _find(self, name: str) -> ast.FunctionDef:
        found = self.names.get(name)
        if not isinstance(found, ast.FunctionDef):
            known = [x for x, node in self.names.items() if isinstance(node, ast.FunctionDef)]
            raise ReadError(error(self.file, f"there is no function {name!r}", among(name, known)))
        if name in self.others:
            self.refuse(self.others[name], f"{name} is bound twice", "bind it once")
        a = found.args
        if found.decorator_list or a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            self.refuse(
                found, f"{name} has a decorator, or arguments that are no plain names", "write def NAME(q, v, p)"
            )
        return found

    def arrange(self, node: ast.AST, x: Any) -> Array:
        """Return a function's result, or nested lists, as an array."""
        if isinstance(x, Array):
            return x
        if isinstance(x, Expression):
            return Array((1,), [x])
        if not isinstance(x, list | tuple) or not x:
            self.refuse(node, f"found {_describe(x)}, expected an array")
        rows: list[Any] = [y.cells if isinstance(y, Array) and len(y.shape) == 1 else y for y in x]
        if all(isinstance(y, Expression) for y in rows):
            return Array((len(rows),), rows)
        if any(not isinstance(row, list | tuple) or len(row) != len(rows[0]) for row in rows):
            self.refuse(node, "found rows of unequal lengths, or rows beside numbers", "write [[a, b], [c, d]]")
        cells = [z for row in rows for z in row]
        if not all(isinstance(z, Expression) for z in cells):
            self.refuse(node, "found an element that is no number", "write [[a, b], [c, d]]")
        return Array((len(rows), len(rows[0])), cells)

    def locate(self, node: ast.AST) -> Location:
        """Return the place of a node."""
        return Location(self.file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)

    def refuse(self, node: ast.AST, message: str, remedy: str = "") -> NoReturn:
        """Raise :class:`ReadError` at a node."""
        raise ReadError(error("", message, remedy, self.locate(node)))

    def refuse_text(self, node: ast.AST) -> NoReturn:
        """Raise :class:`ReadError` for a statement or formula that is not read."""
        text = self.lines[getattr(node, "lineno", 1) - 1].strip()
        self.refuse(node, f"{text[:60]}: not read", READ)

    def find_global(self, node: ast.AST, name: str) -> Any:
        """Return the value of a name of the module."""
        if name in self.others:
            self.refuse(node, f"{name} is bound twice, or by what is not read", "bind it once, by name = formula")
        bound = self.names.get(name)
        if isinstance(bound, ast.FunctionDef):
            return self._find(name)
        if isinstance(bound, ast.Import):
            module = next(x.name for x in bound.names if (x.asname or x.name) == name)
            return module if module in MODULES else self.refuse_text(node)
        if isinstance(bound, ast.ImportFrom):
            alias = next(x.name for x in bound.names if (x.asname or x.name) == name)
            return self.find_member(node, str(bound.module), alias)
        if isinstance(bound, ast.Assign | ast.AnnAssign) and bound.value is not None:
            if name in self.active:
                self.refuse(node, f"{name} is made of itself")
            self.active.append(name)
            inner = _Straight(self, None, {})
            inner.assign(bound)
            self.active.pop()
            value = inner.known[name]
            if isinstance(value, Array):
                value.filled = False  # functions share it
            return value
        if name in ("abs", "pow", *BUILTIN) and bound is None:
            return ("builtins" if name in BUILTIN else "numpy", name)
        known = among(name, [*self.names]) if self.names else ""
        self.refuse(node, f"found the name {name!r}, which the text does not give", known)

    def find_member(self, node: ast.AST, module: str, name: str) -> Any:
        """Return a member of ``math`` or ``numpy``."""
        if module in MODULES:
            if name == "pi":
                return PI_NODE
            known = {*FUNCTIONS, *ARRAYS} if module == "numpy" else {*FUNCTIONS, "pow"} - NUMPY
            if name in known:
                return (module, name)
        self.refuse_text(node)


class _Straight:
    """Evaluation of one function, or of one constant of a module, over expressions."""

    def __init__(self, module: _Module, function: ast.FunctionDef | None, known: dict[str, Any]) -> None:
        self.module, self.function, self.known = module, function, known
        self.local = {*known, *(name for x in (function.body if function else ()) for name in _bind(x))}

    def run(self) -> Any:
        """Return what the function returns."""
        assert self.function is not None
        name, body = self.function.name, self.function.body
        if name in self.module.active:
            self.module.refuse(self.function, f"{name} calls itself")
        self.module.active.append(name)
        if not isinstance(body[-1], ast.Return) or body[-1].value is None:
            self.module.refuse(body[-1], f"{name} does not end in a return of a value", READ)
        for statement in body[:-1]:
            if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
                self.assign(statement)
            elif not isinstance(statement, ast.Pass) and not (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            ):
                self.module.refuse_text(statement)
        found = self.evaluate(body[-1].value)
        self.module.active.pop()
        return found

    def assign(self, statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        """Carry out an assignment."""
        if isinstance(statement, ast.AugAssign):
            value = self.evaluate(statement.target)
            if not isinstance(value, Expression):
                self.module.refuse(statement, "an array is changed in its place", "write A = A + B")
            self._store(statement.target, self._operate(statement, statement.op, value, self.evaluate(statement.value)))
            return
        if statement.value is None:
            self.module.refuse_text(statement)
        value = self.evaluate(statement.value)
        for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
            self._store(target, value)

    def _store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.known[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            for x, part in zip(target.elts, self._unpack(target, value), strict=True):
                self._store(x, part)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            array = self._name(target.value)
            if not isinstance(array, Array) or not array.filled:
                message = "an element is set in what is no array of np.zeros or np.eye, or shares its elements"
                self.module.refuse(target, message, "fill np.zeros((n, n)) element by element: A[0, 1] = …")
            at = self._index(target, array)
            if len(at) != len(array.shape) or not isinstance(value, Expression):
                self.module.refuse(target, "whole rows are set", "set element by element: A[0, 1] = …")
            array.cells[at[0] * array.shape[1] + at[1] if len(at) == 2 else at[0]] = value
        else:
            self.module.refuse_text(target)

    def _unpack(self, target: ast.Tuple | ast.List, value: Any) -> list[Any]:
        names = target.elts
        if isinstance(value, Parameters) and all(isinstance(x, ast.Name) for x in names):
            return [self._take(x, value, _named(x).id) for x in names]
        if isinstance(value, Array):
            value = value.cells if len(value.shape) == 1 else None
        if not isinstance(value, list | tuple) or len(value) != len(names):
            self.module.refuse(target, f"found {_describe(value)}, expected {count(len(names), 'value')}")
        return [*value]

    def evaluate(self, node: ast.expr) -> Any:
        """Return the value of a formula."""
        self.module.steps += 1
        if self.module.steps > STEPS:
            self.module.refuse(node, f"more than {STEPS} places of the text are evaluated", "name shared terms")
        try:
            return self._read(node)
        except (ExpressionError, ZeroDivisionError) as problem:
            self.module.refuse(node, str(problem))

    def _read(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.BinOp):
            spine: list[ast.BinOp] = []
            first: ast.expr = node
            while isinstance(first, ast.BinOp):  # a long sum does not recur
                spine.append(first)
                first = first.left
            value = self.evaluate(first)
            for each in reversed(spine):
                value = self._operate(each, each.op, value, self.evaluate(each.right))
            return value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = self._numbers(node, self.evaluate(node.operand))
            return value if isinstance(node.op, ast.UAdd) else _each(neg, value)
        if isinstance(node, ast.List | ast.Tuple) and not any(isinstance(x, ast.Starred) for x in node.elts):
            parts = [self.evaluate(x) for x in node.elts]
            return parts if isinstance(node, ast.List) else tuple(parts)
        if isinstance(node, ast.Dict) and all(isinstance(x, ast.Constant) for x in node.keys):
            return {
                x.value: self.evaluate(y)
                for x, y in zip(node.keys, node.values, strict=True) if isinstance(x, ast.Constant)
            }  # fmt: skip
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        self.module.refuse_text(node)

    def _constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.module.refuse_text(node)
        return number(repr(value))

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.known:
            return self.known[node.id]
        if node.id in self.local:
            self.module.refuse(node, f"{node.id} is used before it is assigned")
        return self.module.find_global(node, node.id)

    def _take(self, node: ast.AST, parameters: Parameters, name: str) -> Expression:
        """Return a parameter."""
        if name in parameters.taken:
            self.module.refuse(
                node, f"found the parameter {name}, which is a coordinate, a speed or the time", "rename it"
            )
        parameters.used[name] = node
        return symbol(name)

    def _numbers(self, node: ast.AST, value: Any) -> Any:
        if isinstance(value, ArgumentVector):
            message = f"{value.name} is taken whole, and its length is not known"
            self.module.refuse(node, message, "unpack it first (th1, th2 = q), or take its elements (q[0])")
        if not isinstance(value, Expression | Array):
            self.module.refuse(node, f"found {_describe(value)}, expected a number or an array")
        return value

    def _operate(self, node: ast.AST, op: ast.operator, a: Any, b: Any) -> Any:
        a, b = self._numbers(node, a), self._numbers(node, b)
        try:
            if isinstance(op, ast.MatMult):
                return self._multiply(node, a, b)
            operation = OPERATIONS.get(type(op))
            if operation is None:
                self.module.refuse_text(node)
            if isinstance(a, Expression) and isinstance(b, Expression):
                return operation(a, b)
            if isinstance(a, Array) and isinstance(b, Array):
                if a.shape != b.shape:
                    self.module.refuse(node, f"found arrays of {a.shape} and of {b.shape}", "give them one shape")
                return Array(a.shape, [operation(x, y) for x, y in zip(a.cells, b.cells, strict=True)])
            if isinstance(a, Array):
                return _each(lambda x: operation(x, b), a)
            return _each(lambda x: operation(a, x), b)
        except (ExpressionError, ZeroDivisionError) as problem:
            self.module.refuse(node, str(problem))

    def _multiply(self, node: ast.AST, a: Any, b: Any) -> Any:
        """Return a @ b."""
        if not (isinstance(a, Array) and isinstance(b, Array)) or a.shape[-1] != b.shape[0]:
            shapes = " and ".join(str(x.shape) if isinstance(x, Array) else "a number" for x in (a, b))
            self.module.refuse(node, f"@ of {shapes}", "give arrays whose shapes fit")
        rows = a.rows if len(a.shape) == 2 else [a.cells]
        columns = [*zip(*b.rows, strict=True)]
        cells = [dot(row, column) for row in rows for column in columns]
        shape = (*a.shape[:-1], *b.shape[1:])
        return Array(shape, cells) if shape else cells[0]

    def _subscript(self, node: ast.Subscript) -> Any:
        value, key = self.evaluate(node.value), node.slice
        text = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
        if text is not None and isinstance(value, Parameters) and text.isidentifier():
            return self._take(node, value, text)
        if text is not None and isinstance(value, dict) and text in value:
            return value[text]
        if isinstance(value, ArgumentVector):
            at = self._index(node, Array((MOST,), []))
            return value.take(at[0])
        if isinstance(value, list | tuple) and text is None:
            return value[self._index(node, Array((len(value),), []))[0]]
        if not isinstance(value, Array) or text is not None:
            self.module.refuse_text(node)
        at = self._index(node, value)
        if len(at) == len(value.shape):
            return value.cells[at[0] * value.shape[1] + at[1] if len(at) == 2 else at[0]]
        value.filled = False  # its row shares its elements
        return Array(value.shape[1:], value.rows[at[0]])

    def _index(self, node: ast.Subscript, array: Array) -> list[int]:
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        found = []
        for key, size in zip(keys, array.shape, strict=False):
            negative = isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub)
            plain = key.operand if isinstance(key, ast.UnaryOp) and negative else key
            if not isinstance(plain, ast.Constant) or type(plain.value) is not int or len(keys) > len(array.shape):
                self.module.refuse_text(node)
            at = size - plain.value if negative else plain.value
            if not 0 <= at < size or (negative and not array.cells):
                self.module.refuse(node, f"found the index {ast.unparse(key)} of {count(size, 'element')}")
            found.append(at)
        return found

    def _attribute(self, node: ast.Attribute) -> Any:
        value = self.evaluate(node.value)
        if isinstance(value, str):
            return self.module.find_member(node, value, node.attr)
        if isinstance(value, Parameters):
            return self._take(node, value, node.attr)
        if isinstance(value, Array) and node.attr == "T":
            value.filled = False
            if len(value.shape) == 1:
                return value
            return Array(value.shape[::-1], [x for column in zip(*value.rows, strict=True) for x in column])
        self.module.refuse_text(node)

    def _call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name | ast.Attribute) or node.keywords:
            self.module.refuse_text(node)
        function = self.evaluate(node.func)
        args = [self.evaluate(x) for x in node.args]
        if isinstance(function, ast.FunctionDef):
            names, defaults = [x.arg for x in function.args.args], function.args.defaults
            given = dict(zip(names, args, strict=False))
            for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
                if name not in given:
                    given[name] = _Straight(self.module, None, {}).evaluate(default)
            if len(args) > len(names) or len(given) < len(names):
                self.module.refuse(node, f"{function.name} takes {count(len(names), 'argument')}, found {len(args)}")
            return _Straight(self.module, function, given).run()
        if not isinstance(function, tuple) or len(function) != 2:
            self.module.refuse_text(node)
        module, name = function
        if name == "array" and len(args) == 1:
            if isinstance(args[0], Expression):
                self.module.refuse_text(node)
            made = self.module.arrange(node, args[0])
            return Array(made.shape, made.cells)
        if name in ("zeros", "eye"):
            return self._fill(node, name, args)
        values = [self._numbers(node, x) for x in args]
        if name in ("pow", "power") and len(values) == 2:
            return self._operate(node, ast.Pow(), *values)
        if name == "square" and len(values) == 1:
            return self._operate(node, ast.Pow(), values[0], TWO)
        known: Mapping[str, str] = {x: x for x in BUILTIN} if module == "builtins" else FUNCTIONS
        if name not in known or any(isinstance(x, Array) for x in values[module == "numpy" :]):
            self.module.refuse_text(node)
        if isinstance(values[0] if values else None, Array):
            return _each(lambda x: apply(known[name], x, *values[1:]), values[0])
        return apply(known[name], *values)

    def _fill(self, node: ast.Call, name: str, args: Sequence[Any]) -> Array:
        wanted = args[0] if len(args) == 1 else None
        parts = wanted if isinstance(wanted, tuple | list) else [wanted]
        shape = tuple(int(x.data) for x in parts if isinstance(x, Expression) and x.op is NUM and x.data > 0)
        if len(shape) != len(parts) or len(shape) > 2 or max(shape) > MOST or (name == "eye" and len(shape) > 1):
            self.module.refuse_text(node)
        if name == "zeros":
            return Array(shape, [ZERO] * math.prod(shape), filled=True)
        n = shape[0]
        return Array((n, n), [ONE if i == j else ZERO for i in range(n) for j in range(n)], filled=True)


def _each(function: Callable[[Expression], Expression], value: Any) -> Any:
    return Array(value.shape, [function(x) for x in value.cells]) if isinstance(value, Array) else function(value)


def _named(node: ast.expr) -> ast.Name:
    return node if isinstance(node, ast.Name) else ast.Name("", ast.Load())


def _describe(value: Any) -> str:
    """Name the kind of a value for a message."""
    kinds = {list: "a list", tuple: "a tuple", dict: "a mapping", Parameters: "all parameters", Expression: "a number"}
    return kinds.get(type(value), f"an array of {value.shape}" if isinstance(value, Array) else "no number")


def _bind(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds, or changes."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (x.asname or x.name for x in statement.names)
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                yield node.id
            elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
                yield from (x.id for x in ast.walk(node.value) if isinstance(x, ast.Name))


def _unpacked(function: ast.FunctionDef) -> tuple[str, ...]:
    """Return the names to which a function first unpacks ``q``; empty if it does not unpack it."""
    for statement in function.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name) and statement.value.id == "q":
            for target in statement.targets:
                if isinstance(target, ast.Tuple | ast.List) and all(isinstance(x, ast.Name) for x in target.elts):
                    return tuple(_named(x).id for x in target.elts)
    return ()
