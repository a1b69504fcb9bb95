"""The signs of a text of MBSD, one after another: bodies' letters, values as texts, separators.

A repetition is its text written so many times. Nothing is computed here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from .machine import UnreadError

_NUMBER: Final = r"[+-]?\s*(?>\d+\.?\d*|\.\d+)(?>[eE][+-]?\d+)?(?!\s*\*)"
_VALUE: Final = re.compile(rf"\s*({_NUMBER})")
_LETTER: Final = re.compile(r"([+-]\s*)?(?:((?>\d+\.?\d*|\.\d+)(?>[eE][+-]?\d+)?)\s*\*\s*)?([i-nu-z])")
_NAME: Final = re.compile(r"\(\s*([^\W\d]\w*)\s*\)")
_BODY: Final = re.compile(r"#(0(?!\w)|[^\W\d]\w*)")
_AXIS: Final = re.compile(r"\s*([+-]?)\s*([i-ku-z])")
_POWER: Final = re.compile(r"\s*\^\s*([1-9]\d{0,5})")
_CONNECTOR: Final = re.compile(r':\s*("?)\s*\(')
_SAME: Final = str.maketrans("º˚′’″”−", "°°''\"\"-")
#: A text that repetitions make longer than this is not read.
LONGEST: Final = 200_000
SUFFIXES: Final = "°@'\""
_SUFFIX: Final = re.compile(rf"\s*([{SUFFIXES}])")
OPENING, CLOSING = "([{", ")]}"


@dataclass
class Sign:
    """One sign: its kind, its text, its values as texts.

    Kinds: ``move`` (a letter; ``name`` of a coordinate, ``factor`` before it, ``suffixes``), ``mass``, ``tensor``,
    ``braces``, ``body``, ``gravity``, ``next``, ``rod``, ``spring``, ``closure``, ``back``.
    """

    kind: str
    text: str = ""
    values: list[str] = field(default_factory=list)
    factor: str = ""
    suffixes: dict[str, str | None] = field(default_factory=dict)


def parts(text: str) -> list[str]:
    """The parts of a text between semicolons, without comments."""
    plain = "\n".join(line.partition("%")[0] for line in text.removeprefix("\ufeff").splitlines())
    return plain.translate(_SAME).split(";")


def inside(text: str, start: int) -> int:
    """Where the bracket that opens at ``start`` closes."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in OPENING) - (text[i] in CLOSING)
        if depth == 0:
            return i
    raise UnreadError("a bracket that is not closed")


def divided(text: str) -> list[str]:
    """A list at its commas outside brackets; nothing of an empty one."""
    found, start, depth = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in OPENING) - (c in CLOSING)
        if c == "," and depth == 0:
            found.append(text[start:i])
            start = i + 1
    return [*found, text[start:]] if text.strip() else []


def written_out(text: str) -> str:
    """The text with its repetitions written so many times."""
    at = 0
    while at < len(text):
        c = text[at]
        if c not in OPENING:
            at += 1
        elif c == "(" and (at == 0 or text[at - 1] in " \t\n>(\\") and not text[:at].rstrip().endswith(":"):
            end = inside(text, at)
            times = _POWER.match(text, end + 1)
            after = times.end() if times else end + 1
            inner = written_out(text[at + 1 : end])
            many = f" {inner} " * (int(times.group(1)) if times else 1)
            if len(many) > LONGEST:
                raise UnreadError("a repetition of that length")
            text = text[:at] + many + text[after:]
            at += len(many)
        else:
            at = inside(text, at) + 1
    return text


def signs(text: str) -> list[Sign]:
    """The signs of one chain; a suffix behind a mass belongs to the coordinate before it."""
    text, at = written_out(text), 0
    found: list[Sign] = []
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] in SUFFIXES and len(found) > 1 and found[-1].kind == "mass":
            at = _suffixed(found[-2], text, at)
        else:
            sign, at = _sign(text, at)
            found.append(sign)
    return found


def _sign(text: str, at: int) -> tuple[Sign, int]:
    c = text[at]
    if c in "[{":
        end = inside(text, at)
        return Sign("tensor" if c == "[" else "braces", values=divided(text[at + 1 : end])), end + 1
    if c == "$":
        value, end = _value(text, at + 1)
        return Sign("mass", values=[_needed(value, "$")]), end
    if c == "g":
        return _gravity(text, at + 1)
    if c in "><=":
        return Sign({">": "next", "<": "back", "=": "closure"}[c]), at + 1
    if found := _BODY.match(text, at):
        return Sign("body", found.group(1)), found.end()
    if found := _CONNECTOR.match(text, at):
        end = inside(text, found.end() - 1)
        kind = "spring" if found.group(1) else "rod"
        return Sign(kind, values=divided(text[found.end() : end])), end + 1
    if found := _LETTER.match(text, at):
        return _move(text, found)
    raise UnreadError(f"{text[at : at + 12]!r}")


def _value(text: str, at: int) -> tuple[str | None, int]:
    """A number, or what stands in brackets right here; None where neither does."""
    if text[at : at + 1] == "(":
        end = inside(text, at)
        return text[at + 1 : end], end + 1
    found = _VALUE.match(text, at)
    return (found.group(1).replace(" ", ""), found.end()) if found else (None, at)


def _needed(value: str | None, what: str) -> str:
    if value is None:
        raise UnreadError(f"{what} without a value")
    return value


def _gravity(text: str, at: int) -> tuple[Sign, int]:
    value, at = _value(text, at)
    if found := _AXIS.match(text, at):
        return Sign("gravity", found.group(1) + found.group(2), [] if value is None else [value]), found.end()
    return Sign("gravity", "", [] if value is None else [value]), at


def _move(text: str, found: re.Match[str]) -> tuple[Sign, int]:
    sign, times, letter = (found.group(k) or "" for k in (1, 2, 3))
    at, factor = found.end(), sign.strip() + times
    if letter in "ijklmn":
        value, at = _value(text, at)
        return Sign("move", letter, [] if value is None else [value], factor), at
    if times:
        raise UnreadError(f"a factor before the coordinate {letter}")
    named = _NAME.match(text, at)
    at = named.end() if named else at
    made = Sign("move", letter, [named.group(1)] if named else [], factor)
    return made, _suffixed(made, text, at)


def _suffixed(coordinate: Sign, text: str, at: int) -> int:
    """Take the suffixes that stand here: initial position, rate, force."""
    while next_ := _SUFFIX.match(text, at):
        kind = next_.group(1).replace("@", "°")
        if kind in coordinate.suffixes or coordinate.text not in "uvwxyz":
            raise UnreadError(f"{kind} behind {coordinate.text or coordinate.kind}")
        coordinate.suffixes[kind], at = _value(text, next_.end())
    return at
