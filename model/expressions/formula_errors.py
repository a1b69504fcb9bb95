"""Errors in a formula's text: brackets without a partner, and the parser's exceptions in words."""

from __future__ import annotations

from collections.abc import Collection

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ..diagnostics import Diagnostic, Location, ReadError, error
from ..limits import BRACKETS
from ..numerals import units
from .node import FUNCTIONS

#: Names that mean something in every formula: they cannot name anything else.
RESERVED = frozenset({*FUNCTIONS, "ln", "pi", "t"})


def brackets(text: str, file: str) -> None:
    """Raise ReadError if brackets of a text have no partner or are nested beyond the limit."""
    closing = {")": "(", "]": "[", "}": "{"}
    opened: list[int] = []

    def locate(position: int) -> Location:
        return Location(file, text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))

    for position, sign in enumerate(text):
        if sign in "([{":
            opened.append(position)
            if len(opened) > BRACKETS:
                found = f"brackets nested deeper than {BRACKETS:,}"
                raise ReadError(error("", found, "no model needs so many", locate(position)))
        elif sign in closing:
            if not opened:
                raise ReadError(error("", f"found {sign!r} that closes nothing", "", locate(position)))
            start = opened.pop()
            if text[start] != closing[sign]:
                expected = {v: k for k, v in closing.items()}[text[start]]
                began = locate(start)
                raise ReadError(
                    error(
                        "",
                        f"found {sign!r}, expected {expected!r} to close the {text[start]!r} of "
                        f"line {began.line}, column {began.column}",
                        "",
                        locate(position),
                    )
                )
    if opened:
        start = opened[-1]
        expected = {v: k for k, v in closing.items()}[text[start]]
        raise ReadError(
            error(
                "",
                f"found the end of the text, expected {expected!r}: this {text[start]!r} is never closed",
                "",
                locate(start),
            )
        )


#: Terminals in words. Groups of them that stand for one idea are named by :func:`_describe_expected`.
WORDS = {
    "PLUS": "'+'", "MINUS": "'-'", "STAR": "'*'", "SLASH": "'/'", "CIRCUMFLEX": "'^'",
    "LPAR": "'('", "RPAR": "')'",
    "LSQB": "'['", "RSQB": "']'", "LBRACE": "'{'", "RBRACE": "'}'", "COMMA": "','", "EQUAL": "'='",
    "NAME": "a name", "NUMBER": "a number", "LENGTH": "'@'", "$END": "the end",
}  # fmt: skip
_OPERAND = {"NAME", "LENGTH", "LPAR", "CALLED"}
_OPERATOR = {"PLUS", "MINUS", "STAR", "SLASH"}
_HIDDEN = {"APPLIED", "FUNCTION", "CALLED", "PARTIAL", "COMPARED"}


def _describe_expected(names: Collection[str], words: dict[str, str]) -> str:
    rest = set(names)
    items = []
    if "STAR" in rest or ("PLUS" in rest and "NAME" not in rest):  # what may follow as a factor is no news
        rest -= _OPERATOR | _OPERAND | _HIDDEN | {"CIRCUMFLEX"}
        items.append("an operator")
    elif rest >= _OPERAND:
        rest -= _OPERAND | _HIDDEN | {"PLUS", "MINUS", "NUMBER"}
        items.append("a value")
    items += sorted({words.get(name, name.lower()) for name in rest - _HIDDEN})
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}" if items else "nothing"


def found_at(text: str, position: int) -> str:
    """Describe the text at a position in words."""
    if position >= len(text):
        return "the end"
    end = position + 1
    if text[position].isalnum() or text[position] == "_":
        while end < len(text) and end < position + 30 and (text[end].isalnum() or text[end] in "_."):
            end += 1
    piece = text[position:end]
    return repr(piece) if piece.isascii() or len(piece) > 1 else f"{piece!r} (U+{ord(piece):04X})"


def syntax_error(
    problem: UnexpectedInput, text: str, file: str, what: str, words: dict[str, str] | None = None
) -> Diagnostic:
    """Convert the parser's exception to a finding with the text found and expected."""
    names: Collection[str]
    if isinstance(problem, UnexpectedCharacters):
        position, names = problem.pos_in_stream or 0, problem.allowed or ()
    elif isinstance(problem, UnexpectedToken):
        token = problem.token
        position = len(text.rstrip()) if token.type == "$END" else token.start_pos or 0
        names = problem.accepts or problem.expected
    else:
        position, names = len(text), ()
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    found = found_at(text, position)
    expected = _describe_expected(names, {**WORDS, **(words or {})})
    remedy = _remedy(text, position, set(names))
    return error("", f"{what}: found {found}, expected {expected}", remedy, Location(file, line, column))


def _remedy(text: str, position: int, expected: set[str]) -> str:
    before, here = text[:position].rstrip(), text[position : position + 1]
    ambiguous = "CIRCUMFLEX" not in expected and "LPAR" not in expected and "/" in before[-200:]
    if "STAR" in expected and ambiguous:
        return "an implicit product after '/' is ambiguous: write '*' or brackets"
    near = units(text, position)
    if near:
        return near
    word = before[len(before.rstrip("abcdefghijklmnopqrstuvwxyz0123456789")) :]
    if here == "^" and word in RESERVED - {"pi", "t"}:
        return f"write {word}(…)^2"
    if "STAR" not in expected:
        return ""
    if here.isdigit() or here == ".":
        return "a number may only start an implicit product: write '*'"
    return ""
