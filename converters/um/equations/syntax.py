"""Parsing of generated equations: the C++ subset and Pascal-like prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions import FUNCTIONS, ONE, ZERO, Expression, ExpressionError, apply, number
from mbconcord.model.expressions.formula import is_within_limits
from mbconcord.model.expressions.formula_errors import syntax_error
from mbconcord.model.expressions.grammars import Grammar, of_package
from mbconcord.model.limits import UM_BLOCKS, UM_DIGITS
from mbconcord.records import dataclass

# In which order a set takes its identifiers from the kernel, and whether its parts say the same.


#: Members of the struct that are no identifiers: the work array, sines and cosines, joint forces, accelerations.
_INTERNAL = re.compile(r"_(?:[sc]\d+|jf\d+|ap)?")
_MEMBER = re.compile(r"_->(\w+)")
_ELEMENT = re.compile(r"_parmarr\[(\d{1,6})\]")


def identifiers(procedures: Mapping[str, Procedure], members: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the identifiers in the order of the array that ParCalc reads, and contradictions of the set to that order.

    Without ParCalc the identifiers are the members of the struct that UM itself does not use.
    """
    declared = tuple(name for name in members if not _INTERNAL.fullmatch(name))
    if "ParCalc" not in procedures:
        return declared, ()
    read = _number_identifiers(procedures["ParCalc"], name_first=True)
    names = tuple(name for _, name in sorted(read, key=lambda pair: pair[0]))
    return names, tuple(_doubts(read, names, declared, procedures))


def _doubts(
    read: Sequence[tuple[int, str]], names: tuple[str, ...], declared: tuple[str, ...],
    procedures: Mapping[str, Procedure],
) -> Iterator[str]:  # fmt: skip
    numbers = sorted(number for number, _ in read)
    if numbers != list(range(len(numbers))) or len(set(names)) < len(names):
        listed = ", ".join(f"{name} from element {number}" for number, name in read)
        yield f"ParCalc does not read one identifier from each element of the kernel's array: {listed}"
    if declared and declared != names:
        yield f"ParCalc reads {', '.join(names)}, the struct declares {', '.join(declared)}"
    if "GetIdentifiers" in procedures:
        back = _number_identifiers(procedures["GetIdentifiers"], name_first=False)
        if sorted(back) != sorted(read):
            listed = ", ".join(name for _, name in sorted(back))
            yield f"ParCalc reads {', '.join(names)}, GetIdentifiers hands back {listed}"


def _number_identifiers(procedure: Procedure, name_first: bool) -> list[tuple[int, str]]:
    """List (element of the array, identifier) of assignments ``_->name = _parmarr[k]``, or of reverse ones."""
    found = []
    for statement in procedure.block.find_data("assignment"):
        sides = [re.sub(r"\s+", "", text_of(child)) for child in statement.children]
        name, element = sides if name_first else sides[::-1]
        member, number = _MEMBER.fullmatch(name), _ELEMENT.fullmatch(element)
        if member and number:
            found.append((int(number[1]), member[1]))
    return found


def text_of(node: Node | Token) -> str:
    """Join the tokens of a node."""
    if isinstance(node, Token):
        return str(node)
    return "".join(str(token) for token in node.scan_values(lambda token: isinstance(token, Token)))


# Right sides of generated statements to expressions; what an operand means is asked of the reader of a language.


#: An expression; None: what a missing file of the set would have told.
Value: TypeAlias = Expression | None
Operand = Callable[[Token], Value]


def place(token: Token, file: str) -> Location:
    """Return the location of a token."""
    return Location(file, token.line or 1, token.column or 1)


def value(node: Node, operand: Operand, file: str) -> Value:
    """Evaluate a node ``sum`` of the grammar; None if any operand is unknown.

    Raises
    ------
    ReadError
        A division by zero, an unknown function, a number out of range; and errors of ``operand``.
    """
    try:
        return _sum(node, operand, file)
    except ExpressionError as problem:
        raise ReadError(error("", str(problem), location=place(first_token(node), file))) from None


def _sum(node: Node, operand: Operand, file: str) -> Value:
    total: Value = ZERO
    sign = "+"
    for child in node.children:
        if isinstance(child, Token):
            sign = str(child)
            continue
        term = _product(child, operand, file)
        if term is None or total is None:
            total = None
        else:
            total = total - term if sign == "-" else total + term
    return total


def _product(node: Node, operand: Operand, file: str) -> Value:
    total: Value = ONE
    divide = False
    for child in node.children:
        if isinstance(child, Token) and child.type in ("STAR", "SLASH"):
            divide = child.type == "SLASH"
            continue
        factor = _factor(child, operand, file)
        if factor is None or total is None:
            total = None
        else:
            total = total / factor if divide else total * factor
    return total


def _factor(node: Node | Token, operand: Operand, file: str) -> Value:
    if isinstance(node, Tree):
        if node.data == "function":
            return _function(node, operand, file)
        return _sum(node.children[-1], operand, file)  # a bracket
    if node.type == "NUMBER":
        if not is_within_limits(node, UM_DIGITS):
            raise ReadError(error("", f"the number {node[:30]!s} is out of range", location=place(node, file)))
        return number(str(node))
    return operand(node)


def _function(node: Node, operand: Operand, file: str) -> Value:
    name = node.children[0]
    assert isinstance(name, Token)
    if name not in FUNCTIONS:
        known = ", ".join(FUNCTIONS)
        raise ReadError(error("", f"found the function {name!s}, expected one of {known}", "", place(name, file)))
    args = [_sum(child, operand, file) for child in node.children[1:] if isinstance(child, Tree)]
    known_args = [arg for arg in args if arg is not None]
    return apply(str(name), *known_args) if len(known_args) == len(args) else None


Language = Literal["cplusplus", "pascal"]
Node: TypeAlias = "Tree[Token]"
GRAMMARS: Final = {
    name: Grammar(__package__, name, of_package(__package__, name, "values")) for name in get_args(Language)
}

WORDS = {
    "COLON": "':'", "SEMICOLON": "';'", "REFERENCE": "an element", "SIGN": "a sign", "AMPERSAND": "'&'",
    "STRUCT": "'struct'", "TYPEDEF": "'typedef'", "CASE": "'case'", "DEFAULT": "'default'", "IF": "'if'",
    "SWITCH": "'switch'", "FOR": "'for (…)'", "TRY": "'try'", "CATCH": "'catch (...)'", "BREAK": "'break'",
    "RETURN": "'return'", "ELSE": "'else'", "CAST": "a cast", "_ASSIGN": "':='", "COMPARISON": "'=='",
}  # fmt: skip


@dataclass(frozen=True)
class Procedure:
    """A procedure of a file: names of its parameters and its block."""

    name: str
    parameters: tuple[str, ...]
    block: Node
    file: str


@dataclass(frozen=True)
class UmUnit:
    """Definitions of a C++ file: procedures, and members of its structures."""

    file: str
    procedures: Mapping[str, Procedure]
    members: tuple[str, ...]


@cache
def _parser(language: Language) -> Lark:
    return GRAMMARS[language].parser()


def parse(text: str, file: str, language: Language) -> Node:
    """Parse a text to a tree.

    Raises
    ------
    ReadError
        A statement that the grammar lacks, with its place, what was found and what was expected.
    """
    _require_shallow(text, file)
    try:
        tree: Node = _parser(language).parse(text)
    except UnexpectedInput as problem:
        title = {"cplusplus": "generated C++", "pascal": "generated Pascal"}[language]
        finding = syntax_error(problem, text.rstrip(), file, title, WORDS)
        raise ReadError(finding) from None
    return tree


def unit(text: str, file: str) -> UmUnit:
    """Parse procedures and members that a C++ text defines."""
    procedures: dict[str, Procedure] = {}
    members: list[str] = []
    for item in parse(text, file, "cplusplus").children:
        assert isinstance(item, Tree)
        if item.data == "structure":
            members += [_last(words) for member in item.find_data("member") for words in trees(member)]
        elif item.data == "function_definition":
            *heads, last = trees(item)
            if last.data == "block":
                name = _last(heads[0])
                procedures[name] = Procedure(name, tuple(map(_last, heads[1:])), last, file)
    return UmUnit(file, procedures, tuple(members))


def trees(node: Node) -> Iterator[Node]:
    """Yield children that are trees."""
    return (child for child in node.children if isinstance(child, Tree))


def tokens(node: Node, *types: str) -> Iterator[Token]:
    """Yield children that are tokens of these types."""
    return (child for child in node.children if isinstance(child, Token) and child.type in types)


def first_token(node: Node | Token) -> Token:
    """Return the first token of a nonempty node."""
    while not isinstance(node, Token):
        node = node.children[0]
    return node


def _last(words: Node) -> str:
    return re.sub(r"[\s\[].*", "", str(words.children[-1]), flags=re.DOTALL)


def _require_shallow(text: str, file: str) -> None:
    """Refuse brackets nested deeper than any generator writes them, before the text is parsed."""
    depth = 0
    for found in re.finditer(r"[({})]", text):
        depth += 1 if found[0] in "({" else -1
        if depth > UM_BLOCKS:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            message = f"brackets nested deeper than {UM_BLOCKS}; expected generated equations"
            raise ReadError(error("", message, location=Location(file, line, column)))
