"""Random faults: every small change of a source, without knowledge of mechanics.

Tables of faults hold what their author thought of. Mutants are systematic: an operation, a sign, a constant, an index,
a comparison, the order of arguments, a letter x, y, z, sine for cosine, a term left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Operators:
    """The kinds of changes: what may replace a node, and whether in a part of it nothing is changed."""

    changes: Callable[[ast.AST], Iterator[ast.AST]]
    aside: Callable[[ast.AST, ast.AST], bool]


@dataclass(frozen=True)
class Mutant:
    """A module with one change: its number among all changes, its function, the text before and after.

    ``lines`` are those of the changed part inside a function; empty for what is done when the module is imported.
    """

    module: str
    path: Path
    operators: Operators
    number: int
    place: str
    change: str
    lines: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return f"{self.module.partition('.')[2]} {self.place}: {self.change}"

    @cached_property
    def source(self) -> str:
        """The changed source."""
        tree = ast.parse(self.path.read_text("utf-8"))
        for number, site in enumerate(_find_changes(tree, "", False, self.operators)):
            if number == self.number:
                site.make()
                return ast.unparse(ast.fix_missing_locations(tree))
        raise AssertionError(f"no change {self.number}")


@dataclass(frozen=True)
class _Site:
    place: str
    change: str
    lines: frozenset[int]
    make: Callable[[], None]


def mutants(module: str, path: Path, operators: Operators) -> list[Mutant]:
    """Return all possible changes of a module, in source order."""
    tree = ast.parse(path.read_text("utf-8"))
    return [
        Mutant(module, path, operators, n, s.place, s.change, s.lines)
        for n, s in enumerate(_find_changes(tree, "", False, operators))
    ]


def _find_changes(node: ast.AST, place: str, called: bool, operators: Operators) -> Iterator[_Site]:
    """Yield the possible changes in the parts of a node."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        parts = value if isinstance(value, list) else [value]
        for i, part in enumerate(parts):
            if not isinstance(part, ast.AST) or operators.aside(node, part):
                continue
            inner = place
            if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
                inner = f"{place}.{part.name}".lstrip(".")
            for change in _different(part, operators.changes(part)):
                shown = f"{text(part)} -> {text(change)}"
                if isinstance(part, (ast.Constant, ast.Name)):
                    shown += f" in {text(node)}"
                put = _putting(node, field, i if isinstance(value, list) else None, change)
                yield _Site(place, shown, _lines(part) if called else frozenset(), put)
            yield from _find_changes(part, inner, called or isinstance(part, ast.FunctionDef), operators)


def _different(node: ast.AST, changes: Iterator[ast.AST]) -> Iterator[ast.AST]:
    """Yield each actual change once."""
    seen = {ast.dump(node)}
    for change in changes:
        if (shape := ast.dump(change)) not in seen:
            seen.add(shape)
            yield change


def _lines(part: ast.AST) -> frozenset[int]:
    first = getattr(part, "lineno", 0)
    return frozenset(range(first, getattr(part, "end_lineno", first) + 1)) - {0}


def _putting(node: ast.AST, field: str, index: int | None, change: ast.AST) -> Callable[[], None]:
    def put() -> None:
        if index is None:
            setattr(node, field, change)
        else:
            getattr(node, field)[index] = change

    return put


def text(node: ast.AST) -> str:
    """Write a node as one shortened line."""
    line = " ".join(ast.unparse(node).split())
    return line if len(line) < 90 else line[:50] + " … " + line[-36:]


# --- changes of mechanics in Python ----------------------------------------------------------------

#: Letters that go over into the next, in turn.
LETTERS = ("xyz", ("xx", "yy", "zz"), ("xy", "xz", "yz"), "XYZ")
NEXT = {a: b for row in LETTERS for a, b in zip(row, (*row[1:], row[0]), strict=True)}
TWINS = {
    "sin": "cos", "cos": "sin", "arcsin": "arccos", "arccos": "arcsin", "asin": "acos", "acos": "asin",
    "first": "second", "second": "first", "any": "all", "all": "any", "exp": "log", "log": "exp",
}  # fmt: skip
#: Calls that raise when their arguments are exchanged.
FIXED = {"map", "getattr", "__setattr__", "error", "zip"}
OTHER_OPERATION: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip
OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the replacements of a node."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in OTHER_OPERATION:
            yield ast.BinOp(left, OTHER_OPERATION[type(op)](), right)
            yield left
            yield right
            if isinstance(op, (ast.Mult, ast.Div)):
                yield ast.UnaryOp(ast.USub(), node)
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            yield operand
        case ast.Compare(left, [op], comparators) if type(op) in OTHER_COMPARISON:
            yield ast.Compare(left, [OTHER_COMPARISON[type(op)]()], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.And() if isinstance(op, ast.Or) else ast.Or(), values)
        case ast.Constant(value):
            yield from (ast.Constant(changed) for changed in _constants(value))
        case ast.Name(name, ast.Load() as ctx) if name in NEXT or name in TWINS:
            yield ast.Name(NEXT.get(name) or TWINS[name], ctx)
        case ast.Attribute(value, name, ast.Load() as ctx) if name in TWINS:
            yield ast.Attribute(value, TWINS[name], ctx)
        case ast.Call(func, [one, two, *rest], keywords) if (
            not _has_starred(node.args) and ast.unparse(func).rpartition(".")[2] not in FIXED
        ):
            yield ast.Call(func, [two, one, *rest], keywords)
            if rest:
                yield ast.Call(func, [one, rest[0], two, *rest[1:]], keywords)
        case ast.Tuple([_, _, *_] as parts, ast.Load()) if not _has_starred(parts):
            for i in range(len(parts) - 1):
                yield ast.Tuple([*parts[:i], parts[i + 1], parts[i], *parts[i + 2 :]], ast.Load())
        case _:
            pass


def _constants(value: object) -> Iterator[bool | int | float | str]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield value + 1
        yield value - 1
    elif isinstance(value, str) and value in NEXT:
        yield NEXT[value]
    elif isinstance(value, str) and value in TWINS:
        yield TWINS[value]
    elif isinstance(value, str) and value in ("xyz", "'"):
        yield {"xyz": "xzy", "'": "''"}[value]


def _has_starred(parts: list[ast.expr]) -> bool:
    return any(isinstance(part, ast.Starred) for part in parts)


def aside(node: ast.AST, part: ast.AST) -> bool:
    """Return True if a part is a name, import, documentation, refusal or message."""
    if isinstance(part, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)):
        return True
    if isinstance(node, ast.Dict):
        return part in node.keys
    if isinstance(part, ast.Call):
        return isinstance(part.func, ast.Name) and part.func.id in ("error", "isinstance")
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


#: Changes of what mechanics is written with.
MECHANICS = Operators(changes, aside)
