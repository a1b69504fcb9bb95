"""Texts of generated equations to parse trees: the C++ subset and Pascal-like prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias, get_args

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions.formula_errors import syntax_error
from mbconcord.model.expressions.grammars import Grammar, of_package
from mbconcord.model.limits import UM_BLOCKS

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
class Unit:
    """What a C++ file defines: procedures, and members of its structures."""

    file: str
    procedures: Mapping[str, Procedure]
    members: tuple[str, ...]


@cache
def _parser(language: Language) -> Lark:
    return GRAMMARS[language].parser()


def parse(text: str, file: str, language: Language) -> Node:
    """The parse tree of a text.

    Raises
    ------
    ReadError
        A statement that the grammar does not have, with its place, what was found and what was expected.
    """
    _require_shallow(text, file)
    try:
        tree: Node = _parser(language).parse(text)
    except UnexpectedInput as problem:
        title = {"cplusplus": "generated C++", "pascal": "generated Pascal"}[language]
        finding = syntax_error(problem, text.rstrip(), file, title, WORDS)
        raise ReadError(finding) from None
    return tree


def unit(text: str, file: str) -> Unit:
    """Procedures and members that a C++ text defines."""
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
    return Unit(file, procedures, tuple(members))


def trees(node: Node) -> Iterator[Node]:
    """Children that are trees."""
    return (child for child in node.children if isinstance(child, Tree))


def tokens(node: Node, *types: str) -> Iterator[Token]:
    """Children that are tokens of these types."""
    return (child for child in node.children if isinstance(child, Token) and child.type in types)


def first_token(node: Node | Token) -> Token:
    """The first token of a node that has one."""
    while not isinstance(node, Token):
        node = node.children[0]
    return node


def _last(words: Node) -> str:
    return re.sub(r"[\s\[].*", "", str(words.children[-1]), flags=re.DOTALL)


def _require_shallow(text: str, file: str) -> None:
    """Refuse nesting that no generator writes, before anything walks it."""
    depth = 0
    for found in re.finditer(r"[({})]", text):
        depth += 1 if found[0] in "({" else -1
        if depth > UM_BLOCKS:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            message = f"brackets nested deeper than {UM_BLOCKS}; expected generated equations"
            raise ReadError(error("", message, location=Location(file, line, column)))
