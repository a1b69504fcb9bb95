"""The free-text expressions of UM as nodes of the expression graph.

Functions that real files show are ``sqr``, ``sqrt`` and ``coordinate``; any other, as ``sin``, is kept as an undefined
function ``um_sin``, which cannot be evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Final

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from mbconcord.converters.findings import Findings
from mbconcord.model import Function, Location
from mbconcord.model.expressions import PI_NODE, TIME, ZERO, Expression, ExpressionError, call, sqrt
from mbconcord.model.expressions.formula import numeral
from mbconcord.model.expressions.formula_errors import syntax_error
from mbconcord.model.expressions.grammars import Grammar, of_package
from mbconcord.model.limits import SHOWN_NAMES, UM_EXPRESSION, too_many
from mbconcord.records import dataclass, field

from ..tree import Attribute

GRAMMAR = Grammar(__package__, "expression", of_package(__package__, "expression"))
_PLAIN = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
#: Undeclared names that mean the time: not seen in a real file.
TIMES: Final = frozenset({"t", "time"})
_NEVER_SEEN = "was never seen in an expression of a real UM file [?]"


class UnrepresentableError(Exception):
    """An expression that is valid in UM and has no counterpart in the model; the text names the reason."""


@dataclass
class UmScope:
    """The names of one object: its identifiers as nodes, and its variables (``with var``)."""

    path: tuple[str, ...]
    identifiers: dict[str, Expression] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)
    outer: UmScope | None = None
    _spellings: dict[str, list[str]] = field(default_factory=dict)

    def declare(self, name: str, node: Expression) -> None:
        """Add an identifier."""
        self.identifiers[name] = node
        self._spellings.setdefault(name.lower(), []).append(name)

    def alike(self, name: str) -> list[str]:
        """List identifiers that differ from a name at most in case, in file order."""
        return self._spellings.get(name.lower(), [])


@cache
def _parser() -> Lark:
    return GRAMMAR.parser()


class Expressions:
    """Reader of expressions; it collects the functions whose meaning no file shows."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.functions: dict[str, Function] = {}
        self.original: dict[str, str] = {}
        self._numbers: dict[str, Expression] = {}  # a file has the same few thousands of times

    def read_attribute(
        self,
        attribute: Attribute | None,
        scope: UmScope,
        local: Mapping[str, Expression] | None = None,
        timed: bool = False,
    ) -> Expression:
        """Evaluate an attribute; an absent or empty one is zero.

        Parameters
        ----------
        attribute, scope
        local : mapping, optional
            Names with a meaning of their own here: ``x`` and ``v`` in the law of a force.
        timed : bool
            True if functions of time are allowed here.

        Raises
        ------
        UnrepresentableError
            The text uses ``coordinate(…)`` or a variable of the object.
        """
        if attribute is None:
            return ZERO
        plain = self._numbers.get(attribute.value)
        if plain is not None:
            return plain
        return self.text(attribute.value, attribute.value_at(self.findings.file), scope, local, timed)

    def _plain(self, text: str, at: Location) -> Expression:
        """Parse a number, perhaps with a sign."""
        try:
            size = numeral(text.lstrip("+-"))
        except ExpressionError as problem:
            self.findings.refuse(at, f"expression {text!r:.40}: {problem}")
            return ZERO
        found = self._numbers[text] = -size if text.startswith("-") else size
        return found

    def constant(self, attribute: Attribute | None, scope: UmScope) -> Expression:
        """Evaluate an attribute that is a number or a formula of identifiers."""
        try:
            return self.read_attribute(attribute, scope)
        except UnrepresentableError as problem:
            assert attribute is not None
            message = f"found {problem} in {attribute.key}, expected numbers and identifiers"
            self.findings.refuse(attribute.value_at(self.findings.file), message)
            return ZERO

    def text(
        self,
        text: str,
        at: Location,
        scope: UmScope,
        local: Mapping[str, Expression] | None = None,
        timed: bool = False,
    ) -> Expression:
        """Parse a text that begins at a location; errors become findings and zero."""
        if not text.strip():
            return ZERO
        if len(text) > UM_EXPRESSION:
            found = f"found an expression of {too_many(len(text), 'characters', UM_EXPRESSION)}"
            self.findings.refuse(at, found)
            return ZERO
        if _PLAIN.fullmatch(text.strip()):  # most values: the grammar would say the same, later
            return self._plain(text.strip(), at)
        try:
            tree = _parser().parse(text)
        except UnexpectedInput as problem:
            wrong = syntax_error(problem, text, at.file, "expression")
            place = _move_location(at, wrong.location.line, wrong.location.column) if wrong.location else at
            self.findings.refuse(place, wrong.message, wrong.remedy)
            return ZERO
        reading = _UmReading(self, at, scope, local or {}, timed)
        of: dict[int, Expression] = {}
        for node in tree.iter_subtrees():
            try:
                of[id(node)] = reading.value(node, [of[id(c)] for c in node.children if isinstance(c, Tree)])
            except ExpressionError as problem:
                self.findings.refuse(at, f"expression {text!r:.40}: {problem}")
                return ZERO
        return of[id(tree)]


def _move_location(at: Location, line: int, column: int) -> Location:
    """Return the location of a place in a text that begins at a location."""
    return Location(at.file, at.line + line - 1, at.column + column - 1 if line == 1 else column)


@dataclass
class _UmReading:
    """Evaluation of one text: its location, and the meaning of the names in it."""

    expressions: Expressions
    at: Location
    scope: UmScope
    local: Mapping[str, Expression]
    timed: bool

    def value(self, node: Tree[Token], args: list[Expression]) -> Expression:
        """Evaluate a subtree from the values of its parts."""
        kind = node.data
        if kind == "add":
            return args[0] + args[1]
        if kind == "subtract":
            return args[0] - args[1]
        if kind == "multiply":
            return args[0] * args[1]
        if kind == "divide":
            return args[0] / args[1]
        if kind == "negate":
            return -args[0]
        if kind == "same":
            return args[0]
        if kind == "string":
            return ZERO  # an argument of coordinate(…), which is refused as a whole
        if kind == "power":
            message = f"a power '^' {_NEVER_SEEN}; read as a power"
            self.expressions.findings.remark("warning", "power", self.at, message)
            return args[0] ** args[1]
        token = node.children[0]
        assert isinstance(token, Token)
        if kind == "number":
            return numeral(token)
        return self.name(token) if kind == "name" else self.call(token, args)

    def name(self, token: Token) -> Expression:
        """Resolve an identifier, a local name, π or the time."""
        name, remark = str(token), self.expressions.findings.remark
        identifiers = self.scope.identifiers
        alike = self.scope.alike(name)
        local = self.local.get(name, None if alike else self.local.get(name.lower()))
        if local is not None or name in identifiers:
            if alike and name.lower() in self.local:
                meant = "the latter" if local is not None else "the former"
                message = f"{name} may be the identifier {alike[0]} or the {name.lower()} of the force: read as {meant}"
                remark("warning", f"local {name}", self.where(token), f"{message} [?]")
            return identifiers[name] if local is None else local
        if name == "pi":
            return PI_NODE
        if name in self.scope.variables:
            raise UnrepresentableError(f"the variable {name}")
        if len(alike) == 1:
            message = f"found {name} for the identifier {alike[0]}: upper and lower case are read as the same [I]"
            remark("note", "case", self.where(token), message)
            return identifiers[alike[0]]
        if name in TIMES and self.timed:
            return self.keep_undefined(token, (TIME,))
        self.unknown(token)
        return ZERO

    def unknown(self, token: Token) -> None:
        """Refuse a name that nothing defines."""
        name, scope = str(token), self.scope
        outer = scope.outer
        while outer is not None and name not in outer.identifiers:
            outer = outer.outer
        lower = {known.lower(): known for known in scope.identifiers}
        few = len(self.expressions.findings.errors) < SHOWN_NAMES  # it looks through all of them
        near = get_close_matches(name.lower(), list(lower), 1) if few else []
        if outer is not None:
            remedy = "the object around the subsystem has it; whether UM looks there is unknown [?]"
        elif name in TIMES:
            remedy = "the time cannot stand in a constant"
        elif near:
            remedy = f"did you mean {lower[near[0]]}?"
        else:
            remedy = f"declare it: cnst=({name}# 1);"
        self.expressions.findings.refuse(
            self.where(token), f"found {name!r}, expected an identifier of this object", remedy
        )

    def where(self, token: Token) -> Location:
        """Return the location of a token in the file."""
        return _move_location(self.at, token.line or 1, token.column or 1)

    def call(self, token: Token, args: list[Expression]) -> Expression:
        """Resolve a function call."""
        name = str(token)
        if name == "coordinate":
            raise UnrepresentableError("coordinate(…)")
        if name in ("sqr", "sqrt"):
            if len(args) != 1:
                raise ExpressionError(f"{name} takes 1 argument, not {len(args)}")
            return args[0] * args[0] if name == "sqr" else sqrt(args[0])
        if not args:
            raise ExpressionError(f"{name}() has no argument")
        return self.keep_undefined(token, tuple(args))

    def keep_undefined(self, token: Token, args: tuple[Expression, ...]) -> Expression:
        """Return a call of a function without a formula, since no real file shows its meaning."""
        name, e = str(token), self.expressions
        kept = f"um_{name}"
        while kept in e.functions and len(e.functions[kept].arguments) != len(args):
            kept += "_"
        if kept not in e.functions:
            e.functions[kept] = Function(kept, tuple(f"x{i}" for i in range(1, len(args) + 1)))
            e.original[kept] = name
        message = f"{name} {_NEVER_SEEN}: kept as the function {kept} without a formula"
        e.findings.remark(
            "warning",
            f"function {kept}",
            self.where(token),
            message,
            "equations can be derived; numbers cannot be computed",
            f"functions/{kept}",
        )
        return call(kept, args)
