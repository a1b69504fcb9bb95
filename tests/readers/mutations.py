"""Small changes of a module's source: a sign, an index, a letter, a factor, a condition, a word.

What only says, locates or writes something is left alone: such a change reads no model otherwise.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: Calls whose arguments are words for a person, or a place in a file.
SAYING = {
    "refuse", "remark", "note", "error", "Diagnostic", "Location", "format_message", "text_of", "refuse_kind",
    "_refuse", "_refusal", "_unexpected_token", "record_comment", "_error", "compile",
    "word", "joint_word", "_columns", "wrong", "say", "object_schema", "TypeVar", "cast", "isinstance", "Final",
}  # fmt: skip
#: Functions that write, recognise a format, or make words and places of findings.
ASIDE = re.compile(
    r"^_?refus|write|schema|encode|render|_flat|to_json|from_json|looks_like|lost|list_losses|um_name|_parts$|"
    r"_reads_back|_note_reversal|describe|locat|locate|_explain|_shorter|_after_gravity|_offset$|_syntax_error|_open_string|"
    r"_at$|^at$|where|_near|_number_line|stop|_remarks|_warn|_loose|order_note|_format_|unknown$|"
    r"(?<!rotate)_columns$|heading$|kind$|plain$"
)
SPELLED = re.compile(r"[^\s]{1,16}")
AXES = re.compile(r"xyz|ijk|uvw|lmn|123")
#: Keywords that make a check or a parser stricter, and no model different.
KEYWORDS = {"strict", "maybe_placeholders", "compare", "default_factory"}
WORDS_ONLY = {"message", "remedy", "shown", "expected"}
#: Calls whose arguments may stand in any order.
UNORDERED = {"Record", "same", "join", "max", "min"}
#: Calls that say something and let the reading go on.
REMARKS = {"remark", "note", "say"}


@dataclass(frozen=True)
class Mutant:
    """A module with one change: which of the changes that can be made, where, from what to what."""

    module: str
    path: Path
    number: int
    place: str
    change: str

    def __str__(self) -> str:
        return f"{self.module.removeprefix('mbconcord.converters.')} {self.place}: {self.change}"

    def tree(self) -> ast.Module:
        """The changed source."""
        tree = ast.parse(self.path.read_text("utf-8"))
        for number, site in enumerate(_sites(tree)):
            if number == self.number:
                site.make()
                return ast.fix_missing_locations(tree)
        raise AssertionError(f"no change {self.number}")


@dataclass(frozen=True)
class _Site:
    place: str
    change: str
    make: Callable[[], None]


def mutants(module: str, path: Path) -> list[Mutant]:
    """All changes that can be made to a module, in the order of its source."""
    tree = ast.parse(path.read_text("utf-8"))
    return [Mutant(module, path, n, s.place, s.change) for n, s in enumerate(_sites(tree))]


def _sites(tree: ast.Module) -> Iterator[_Site]:
    yield from _within(tree, "")


def _within(node: ast.AST, place: str, around: ast.AST | None = None) -> Iterator[_Site]:
    """The changes that can be made in the parts of a node."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        parts = value if isinstance(value, list) else [value]
        for i, part in enumerate(parts):
            if not isinstance(part, ast.AST) or _aside(part) or _member(node, part):
                continue
            inner = place
            if isinstance(part, (ast.FunctionDef, ast.ClassDef)):
                inner = f"{place}.{part.name}".lstrip(".")
            for change in _changes(part):
                shown = f"{_text(part)} -> {_text(change)}"
                for outer in (node, around):
                    shown += f" in {_text(outer)}" if isinstance(outer, (ast.expr, ast.Slice)) else ""
                yield _Site(place, shown, _putting(node, field, i if isinstance(value, list) else None, change))
            yield from _within(part, inner, node)


def _putting(node: ast.AST, field: str, index: int | None, change: ast.AST) -> Callable[[], None]:
    def put() -> None:
        if index is None:
            setattr(node, field, change)
        else:
            getattr(node, field)[index] = change

    return put


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) < 90 else text[:50] + " … " + text[-36:]


def _aside(node: ast.AST) -> bool:
    """Whether a part says something to a person, or stands for types."""
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Assert)):
        return True
    if isinstance(node, ast.keyword):
        return node.arg in KEYWORDS
    if isinstance(node, ast.If):
        return _says(node)
    if isinstance(node, ast.FunctionDef):
        return ASIDE.search(node.name) is not None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, (ast.Assign, ast.Call)) and _places(node):
        return True
    if isinstance(node, ast.Assign):
        names = {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        return bool(names & WORDS_ONLY) or names == {"__all__"} or any(map(_sentence, ast.walk(node.value)))
    return isinstance(node, ast.Call) and _name(node.func) in SAYING


def _places(node: ast.Assign | ast.Call) -> bool:
    """Whether it is noted where something stands in the file."""
    told = node.targets[0] if isinstance(node, ast.Assign) else node.func
    return isinstance(told, (ast.Subscript, ast.Attribute)) and _name(told.value) == "locations"


def _says(node: ast.stmt) -> bool:
    """Whether a statement only finds words, or remarks on something that is read all the same."""
    if isinstance(node, ast.Assign):
        names = {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        return names <= WORDS_ONLY | {"at", "where"} or _aside(node)
    if isinstance(node, ast.If):
        return all(map(_says, (*node.body, *node.orelse)))  # nothing but remarks, or the words of one
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _name(node.value.func) in REMARKS


def _member(node: ast.AST, part: ast.AST) -> bool:
    """Whether the order of the letters of a string does not matter: one is looked for in it."""
    looked = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
    return looked and isinstance(part, ast.Constant) and part is not node.left


def _sentence(node: ast.AST) -> bool:
    spelled = isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip()
    return spelled or isinstance(node, ast.JoinedStr)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in place of a node."""
    if isinstance(node, ast.BinOp):
        other = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.FloorDiv,
                 ast.Pow: ast.Mult, ast.FloorDiv: ast.Mod}.get(type(node.op))  # fmt: skip
        if other is not None:
            yield ast.BinOp(node.left, other(), node.right)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand  # a sign, or a not
    elif isinstance(node, (ast.If, ast.While)):
        yield type(node)(_not(node.test), node.body, node.orelse)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(_not(node.test), node.body, node.orelse)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [_not(node.ifs[0]), *node.ifs[1:]], node.is_async)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}.get(type(node.ops[0]))
        if other is not None:
            yield ast.Compare(node.left, [other()], node.comparators)


def _not(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _constants(node: ast.Constant) -> Iterator[ast.Constant]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        yield ast.Constant(value + 1)
        if value in (1, 2):
            yield ast.Constant(value - 1)
    elif isinstance(value, str) and AXES.search(value):
        yield ast.Constant(AXES.sub(lambda m: m[0][1] + m[0][0] + m[0][2], value))
        yield ast.Constant(AXES.sub(lambda m: m[0][0] + m[0][2] + m[0][1], value))
    elif isinstance(value, str) and value and value in "xyz":
        yield ast.Constant("yzx"["xyz".index(value)])
    elif isinstance(value, str) and SPELLED.fullmatch(value):
        yield ast.Constant(value + "~")


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    other = {"sin": "cos", "cos": "sin", "min": "max", "max": "min", "asin": "acos", "any": "all", "all": "any"}.get(
        _name(node.func)
    )
    if other is not None and isinstance(node.func, ast.Name):
        yield ast.Call(ast.Name(other, ast.Load()), node.args, node.keywords)
    if _name(node.func) in ("reversed", "abs", "sorted") and node.args:
        yield node.args[0]
    plain = _name(node.func) not in UNORDERED and not any(isinstance(a, ast.Starred) for a in node.args)
    if plain and len(node.args) == 2 and _name(node.func) != "getattr":
        yield ast.Call(node.func, node.args[::-1], node.keywords)
    elif plain and len(node.args) > 2:
        yield ast.Call(node.func, [node.args[0], node.args[2], node.args[1], *node.args[3:]], node.keywords)
