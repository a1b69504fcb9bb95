"""Formulas of an MBSD text: the meaning of names by place, and their first occurrences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from lark import Token, Tree

from mbconcord.converters.findings import Findings
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.tabulated import LineError, name_columns, read_columns
from mbconcord.model.checks.scope import OF_ACCELERATIONS, OF_MASSES
from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions import ZERO, Expression, apply, call, number, substitute, symbol
from mbconcord.model.expressions.formula import Use, build
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.model.expressions.interpolant import BEYOND, METHODS
from mbconcord.model.force import WORDS, is_word_call, mark_words
from mbconcord.model.limits import count
from mbconcord.records import dataclass, field

from ..syntax import CYRILLIC
from .items import MbsdAssignment, Value

#: Where a formula stands decides what may stand in it.
Kind = Literal["constant", "timed", "map", "force", "bipolar", "definition"]
_ALLOWED = {
    "constant": "numbers and parameters",
    "timed": "numbers, parameters and t",
    "map": "numbers, parameters, coordinates and t",
    "force": "parameters, coordinates, their rates and t",
    "bipolar": "parameters, t, @ and @'",
    "definition": "parameters and the arguments of the function",
}


@dataclass(frozen=True, slots=True)
class Own:
    """The coordinate whose joint force is being read: in the force its letter and its name mean this coordinate."""

    letter: str
    name: str


@dataclass(frozen=True, slots=True)
class Default:
    """Default of a generated name: its value, the value in words, and the location of the item that needs it."""

    value: Expression
    words: str
    at: Location


@dataclass
class MbsdScope:
    """State of reading a text: names, uses in formulas, findings about them."""

    findings: Findings
    coordinates: Mapping[str, Location]
    auxiliary: Mapping[str, Location]
    functions: Collection[str]
    assigned: Collection[str]
    defaults: dict[str, Default] = field(default_factory=dict)
    parameters: dict[str, Location] = field(default_factory=dict)
    calls: dict[str, Use] = field(default_factory=dict)

    def locate(self, use: Use) -> Location:
        """Return the location of a name in the text."""
        return Location(self.findings.file, use.line, use.column)

    def default(self, name: str, value: Expression, words: str, at: Location) -> Expression:
        """Return the symbol of a generated name, and record its default value."""
        self.defaults.setdefault(name, Default(value, words, at))
        return symbol(name)

    def expression(
        self, value: Value, kind: Kind, place: str, own: Own | None = None, arguments: Collection[str] = ()
    ) -> Expression:
        """Build the expression of a value; zero after an error, which is recorded."""
        if isinstance(value, Token):
            return self._number(value, place)
        functions = set(self.functions) - ({own.letter, own.name} if own else set())
        try:
            expression, uses = build(value, self.findings.file, functions)
        except ReadError as problem:
            self.findings.errors += [error(place, d.message, d.remedy, d.location) for d in problem.diagnostics]
            return ZERO
        before = len(self.findings.errors)
        for use in self._without_words(uses, kind, place):
            self._check(use, kind, place, own, arguments)
        if len(self.findings.errors) > before:
            return ZERO
        if kind == "force":
            expression = mark_words(expression, {*self.assigned, *self.coordinates})
        if own is not None and own.letter != own.name:
            renamed = {symbol(own.letter + p): symbol(own.name + p) for p in ("", "'")}
            expression = substitute([expression], renamed)[0]
        return expression

    def _without_words(self, uses: Sequence[Use], kind: Kind, place: str) -> Iterator[Use]:
        """Yield the uses of names except words for the motion of a point; refuse such words outside of forces."""
        left = iter(uses)
        for use in left:
            taken = {*self.assigned, *self.coordinates}
            if (
                use.kind != "call"
                or use.name not in WORDS
                or use.order
                or not is_word_call(call(use.name, use.args), taken)
            ):
                yield use
                continue
            if kind != "force":
                message = f"found {use.name}(…), expected {_ALLOWED[kind]}"
                self.findings.refuse(self.locate(use), message, "it says how a point moves, in forces only", place)
            for _ in use.args:
                next(left)

    def _number(self, token: Token, place: str) -> Expression:
        text = "".join(token.split())
        sign = text[0] if text[0] in "+-" else ""
        tree = Tree("number", [Token("NUMBER", text[len(sign) :], line=token.line, column=token.column)])
        try:
            value = build(tree, self.findings.file)[0]
        except ReadError as problem:
            self.findings.errors += [error(place, d.message, d.remedy, d.location) for d in problem.diagnostics]
            return ZERO
        return number(-value.value) if sign == "-" else value

    def _check(self, use: Use, kind: Kind, place: str, own: Own | None, arguments: Collection[str]) -> None:
        at = self.locate(use)
        shown = use.name + "'" * use.order
        expected = f"expected {_ALLOWED[kind]}"
        if use.kind == "length":
            if kind != "bipolar" and use.name not in arguments:
                message = f"found {use.name}, {expected}"
                self.findings.refuse(at, message, "@ is the length of a bipolar element, in its force only", place)
            return
        twin = self._twin(use.name)
        if twin is not None:
            remedy = f"type it as {twin!r} in Latin letters"
            self.findings.refuse(at, f"{use.name!r} has Cyrillic letters where Latin ones belong", remedy, place)
        elif use.kind == "call":
            self._check_call(use, at, place, own)
        elif use.name in arguments:
            if use.order:
                self.findings.refuse(at, f"found {shown}: an argument has no rate", f"{expected}", place)
        elif use.name == "t":
            if kind not in ("timed", "map", "force", "bipolar"):
                remedy = OF_MASSES if "/inertia" in place else "what depends on t is a function: f(t) = …"
                self.findings.refuse(at, f"found t, {expected}", remedy, place)
        elif use.name in self.coordinates or (own is not None and use.name in (own.letter, own.name)):
            if kind == "map" and use.order:
                remedy = "a map is a function of positions"
                self.findings.refuse(at, f"found the rate {shown}, {expected}", remedy, place)
            elif kind not in ("map", "force"):
                remedy = OF_MASSES if "/inertia" in place else ""
                self.findings.refuse(at, f"found the coordinate {shown}, {expected}", remedy, place)
            elif use.order > 1:
                remedy = OF_ACCELERATIONS.removeprefix("; ")
                self.findings.refuse(at, f"found the acceleration {shown}, {expected}", remedy, place)
        elif use.name in self.auxiliary:
            self.findings.refuse(at, f"found {shown}, a cut joint's coordinate, {expected}", "", place)
        elif use.order:
            remedy = "a prime stands only on coordinates and on @"
            self.findings.refuse(at, f"found {shown}, but {use.name} is no coordinate; {expected}", remedy, place)
        else:
            self.parameters.setdefault(use.name, at)

    def _check_call(self, use: Use, at: Location, place: str, own: Own | None) -> None:
        if use.name in self.coordinates or (own is not None and use.name == own.letter):
            self.findings.refuse(
                at, f"found {use.name}(…), but {use.name} is a coordinate", f"write {use.name}*(…)", place
            )
            return
        first, count = self.calls.setdefault(use.name, use), len(use.args)
        if len(first.args) != count:
            message = (
                f"{use.name} has {count} argument{'s' * (count != 1)} here, "
                f"expected {len(first.args)} as in line {first.line}, column {first.column}"
            )
            self.findings.refuse(at, message, "", place)

    def _twin(self, name: str) -> str | None:
        """Return the Latin name for a name with Cyrillic look-alikes, or None."""
        if not any(letter in CYRILLIC for letter in name):
            return None
        latin = "".join(CYRILLIC.get(letter, letter) for letter in name)
        if not latin.isascii() or name in self.assigned or name in self.coordinates or name in self.auxiliary:
            return None
        mixed = any(letter.isascii() and letter.isalpha() for letter in name)
        known = {*self.coordinates, *self.assigned, *self.defaults, *self.parameters, *self.calls, *RESERVED}
        return latin if mixed or latin in known else None


def likely_product(call: Use) -> str:
    """Suggest the product that a call of an unknown function probably means; empty if impossible."""
    return f"{call.name}*({call.args[0]})" if len(call.args) == 1 and not call.order else ""


def definition(scope: MbsdScope, assignment: MbsdAssignment) -> Expression | None:
    """Check and return the formula of a function; None after an error."""
    arguments = assignment.arguments or ()
    place = f"functions/{assignment.name}"
    before = len(scope.findings.errors)
    for i, name in enumerate(arguments):
        if name in arguments[:i]:
            scope.findings.refuse(assignment.at, f"the argument {name} twice; expected different names", "", place)
        elif (name in RESERVED and name != "t") or (name.endswith("'") and name != "@'"):
            scope.findings.refuse(assignment.at, f"the argument {name} cannot be; expected a name", "", place)
    if isinstance(assignment.value, Token) and assignment.value.type == "COLUMNS":
        expression = _tabulated(scope, assignment.value, arguments, place)
    else:
        expression = scope.expression(assignment.value, "definition", place, arguments=arguments)
    return expression if len(scope.findings.errors) == before else None


def _tabulated(scope: MbsdScope, token: Token, arguments: tuple[str, ...], place: str) -> Expression:
    """Read the columns that a text names, ``table("road.csv", time, height, cubic)``; zero after an error.

    If no column of arguments is named, it is the first of the file. Files are in the folder of the text.
    """
    findings = scope.findings
    at = Location(findings.file, token.line or 1, token.column or 1)
    _, name, rest = token.split('"')
    words = [word.strip() for word in rest.strip(" \t)").split(",") if word.strip()]
    ways = [word for word in words if word in (*METHODS, *BEYOND)]
    columns = [word for word in words if word not in ways]
    inclusions = Inclusions("", findings.file, "put it beside the model", findings)
    chosen = [[word for word in ways if word in known] for known in (METHODS, BEYOND)]
    if len(arguments) != 1 or not 1 <= len(columns) <= 2 or max(map(len, chosen)) > 1:
        remedy = 'write f(x) = table("file.csv", column) or table("file.csv", arguments, values, cubic, hold)'
        twice = next((words for words in chosen if len(words) > 1), [])
        said = f"{count(len(arguments), 'argument')} and {count(len(columns), 'column')}"
        said = f"{' and '.join(twice)} cannot both hold" if twice else said
        findings.refuse(at, said, remedy, place)
        return ZERO
    path = inclusions.path(name, at)
    text = inclusions.text(path, name, at) if path is not None else None
    if path is None or text is None:
        return ZERO
    method, beyond = ((*found, known[0])[0] for found, known in zip(chosen, (METHODS, BEYOND), strict=True))
    try:
        for word in {*ways} & {*name_columns(text)}:
            raise LineError(1, f"a column is called {word!r}, which the model says of the way to read: which is meant?")
        table = read_columns(text, columns[0] if len(columns) == 2 else None, columns[-1], method, beyond)
    except LineError as problem:
        there = Location(inclusions.name_file(path), problem.line, 1)
        findings.refuse(there, problem.message, "mend this line of the table", place)
        return ZERO
    return apply(table, symbol(arguments[0]))
