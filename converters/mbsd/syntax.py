"""Parsing of an MBSD file: look-alikes, comments, brackets, errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, error
from mbconcord.model.expressions import ONE, PI_NODE, Expression, number
from mbconcord.model.expressions.formula import GRAMMAR as FORMULA
from mbconcord.model.expressions.formula_errors import brackets, syntax_error
from mbconcord.model.expressions.grammars import Grammar, of_package
from mbconcord.model.numerals import units

GRAMMAR = Grammar(__package__, "grammar", FORMULA.text + of_package(__package__, "grammar"))

#: Signs that are read as what they show.
LOOK_ALIKES = str.maketrans(
    {"º": "°", "˚": "°", "′": "'", "’": "'", "″": '"', "”": '"', "−": "-", "\N{ZERO WIDTH NO-BREAK SPACE}": " "}
)
#: Cyrillic letters and the Latin ones they look like.
CYRILLIC = dict(zip("аАВеЕкКМНоОрРсСТуУхХіІјЈѕЅѵԛԝ", "aABeEkKMHoOpPcCTyYxXiIjJsSvqw", strict=True))
RESERVED_LETTERS = "abcdefhopqrst"

WORDS = {
    "COORDINATE": "a letter u…z",
    "CONSTANT": "a letter i…n",
    "GRAVITY": "'g'",
    "BODY": "'#name'",
    "NEXT": "'>'",
    "BRANCH": "'\\'",
    "SEMICOLON": "';'",
    "BACK": "'<'",
    "MASS": "'$'",
    "DEGREES": "'°'",
    "CLOSURE": "'='",
    "ROD": "':('",
    "BIPOLAR": "':\"('",
    "SIGN": "a sign",
    "SIGNED_NUMBER": "a number",
    "COEFFICIENT": "a factor",
    "VALUE_BRACKET": "'('",
    "REPEAT_BRACKET": "a repetition",
    "COORDINATE_NAME": "(name)",
    "ASSIGNED": "name =",
    "DEFINED": "name(arguments) =",
    "PRIME": "a rate '",
    "FORCE": 'a force "',
    "SQUARE": "'['",
    "CURLY": "'{'",
    "COLUMNS": 'table("file.csv", column)',
}
_BEGINNING = re.compile(r"[\s\\(;]*(?:[+-]?\s*(?:[0-9.]+\s*\*\s*)?[gi-nu-z]+(?![^\W\d])|[$#\[]|\{[^\"]*?\})")
_COMMENT = re.compile(r"%[^\r\n]*")
_COORDINATE = re.compile(r"[uvwxyz](?:\(\s*\w+\s*\))?$")


@cache
def _parser() -> Lark:
    return GRAMMAR.parser()


def plain(text: str) -> str:
    """Replace look-alikes and blank out comments; every character keeps its line and column."""
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}").translate(LOOK_ALIKES)
    return _COMMENT.sub(lambda comment: " " * len(comment[0]), text)


def comments(text: str) -> Iterator[str]:
    """Yield the nonempty comments of a text, stripped."""
    yield from filter(None, (comment.lstrip("%").strip() for comment in _COMMENT.findall(text)))


def looks_like_mbsd(head: str) -> bool:
    """Return True if a text begins like a chain: with letters of MBSD, a mass, an inertia, a shift or a name."""
    return bool(_BEGINNING.match(plain(head)))


def parse(text: str, file: str) -> Tree[Token]:
    """Parse an MBSD text to a tree.

    Raises
    ------
    ReadError
        The text is empty, a bracket has no partner, or a sign is unexpected.
    """
    source = plain(text)
    if not source.strip():
        found = "only comments" if text.strip() else "an empty text"
        raise ReadError(error("", f"found {found}, expected a model, as in 'z i g'", "", Location(file, 1, 1)))
    brackets(source, file)
    try:
        return _parser().parse(source)
    except UnexpectedInput as problem:
        raise ReadError(_explain(problem, source, file)) from None


def _explain(problem: UnexpectedInput, text: str, file: str) -> Diagnostic:
    plain_finding = syntax_error(problem, text, file, "MBSD", WORDS)
    assert plain_finding.location is not None
    where = plain_finding.location
    start = _offset(text, where)
    here, before = text[start : start + 1], text[:start].rstrip()
    expected = getattr(problem, "accepts", None) or getattr(problem, "allowed", None) or set()
    letters = {"COORDINATE", "CONSTANT"} & set(expected)
    message, remedy = plain_finding.message, plain_finding.remedy
    unit = units(text, start)
    near = unit if remedy == unit else ""
    if "\u0400" <= here <= "\u052f" and letters:
        message = f"found the Cyrillic letter {here!r} (U+{ord(here):04X}), expected a Latin letter"
        remedy = f"it looks like the Latin {CYRILLIC[here]!r}: type that" if here in CYRILLIC else ""
    elif here in RESERVED_LETTERS and here and letters:
        message = f"found {here!r}, expected a letter of i…n, u…z or g"
        remedy = f"{here!r} is reserved in MBSD; its meaning was never published"
    elif here == "(" and before.endswith(")") and _COORDINATE.search(before):
        message, remedy = "found a second '('; expected one (name) per coordinate", ""
    elif here == "(" and _COORDINATE.search(before) and start == len(before):
        message = "found no name in the brackets after a coordinate letter, expected (name)"
        remedy = "an initial position is written °(value), a repetition follows a blank"
    elif here == "(" and letters:
        message = "found '(', expected a separator or a letter"
        remedy = "the bracket of a repetition follows a blank, the start, '>', '(', '\\' or ';'"
    elif _after_gravity(before) and re.match(r"[ijklmnuvwxyz{0-9+-]", here):
        message = f"found {here!r} after gravity, expected '>', '\\', ';', '#name' or the end"
        remedy = "no transformation may follow gravity in its segment: write g last"
    elif re.match(r"[^\W\d]\w*\s*=", text[start:]) and "SEMICOLON" in expected:
        remedy = "assignments stand after a ';'"
    elif here and here in "$[{" and before.endswith(","):
        remedy = "global items stand before assignments, with a ';' between them"
    elif letters and remedy in ("", near):
        message = _shorter(message)
    return error("", message, near or remedy, where)


def _shorter(message: str) -> str:
    head, _, _ = message.partition(", expected")
    return f"{head}, expected an item of a body (a letter i…n or u…z, $, [, {{, #name, g) or a separator"


def _after_gravity(before: str) -> bool:
    segment = re.split(r"[>\\;]", before)[-1]
    return "g" in re.sub(r"\([^()]*\)|#\w+|\[[^]]*\]", "", segment)


def _offset(text: str, where: Location) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: where.line - 1]) + where.column - 1


# Degrees, exactly: the initial position of a rotational coordinate is written in degrees.


# What a text need not say: default names of parameters and coordinates, and the value of gravity.


STANDARD_GRAVITY = number("9.81")
#: Stems of default names by letter: l, mu, nu instead of l, m, n keep m1 a mass.
STEMS = {"m": "mu", "n": "nu"}


def default_name(letter: str, number: int) -> str:
    """Return the default name of a letter with its number: ``i1``, ``mu2``."""
    return f"{STEMS.get(letter, letter)}{number}"


PER_PI = ONE / PI_NODE


def to_radians(angle: Expression) -> Expression:
    """Convert an angle from degrees to radians; :func:`to_degrees` undoes it exactly."""
    return _scale(angle, Fraction(1, 180), PI_NODE, PER_PI)


def to_degrees(angle: Expression) -> Expression:
    """Convert an angle from radians to degrees; :func:`to_radians` undoes it exactly."""
    return _scale(angle, Fraction(180), PER_PI, PI_NODE)


def _scale(angle: Expression, factor: Fraction, unit: Expression, inverse: Expression) -> Expression:
    """Compute ``angle * factor * unit``; if the angle contains the inverse unit, remove that instead."""
    if angle.op == "neg":
        return -_scale(angle.args[0], factor, unit, inverse)
    if angle.op == "num":
        return number(angle.value * factor) * unit
    size, rest = ONE, angle
    if angle.op == "mul" and angle.args[0].op == "num":
        size, rest = angle.args
    if rest is inverse:
        rest = ONE
    elif rest.op == "mul" and inverse in rest.args:
        rest = rest.args[1] if rest.args[0] is inverse else rest.args[0]
    else:
        rest = rest * unit
    return number(size.value * factor) * rest
