"""Signs (tokens) of a text of MBSD: letters of joints, masses, tensors, names, separators; with values as texts.

A repetition is expanded to repeated text. :class:`SecondNames` then evaluates the values at a state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .formula import BARE, FUNCTIONS, Number, compute, number
from .machine import At, UnreadError

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
    """One sign (token): its kind, its text, and its values as texts.

    Kinds: ``move`` (a letter with a value or name, the ``factor`` before it, ``suffixes``, or a ``map``), ``mass``,
    ``tensor``, ``braces``, ``body``, ``gravity``, ``next``, ``rod``, ``spring``, ``closure``, ``back``.
    """

    kind: str
    text: str = ""
    values: list[str] = field(default_factory=list)
    factor: str = ""
    suffixes: dict[str, str | None] = field(default_factory=dict)
    map: str = ""


def parts(text: str) -> list[str]:
    """Remove the comments of a text and split it at semicolons."""
    plain = "\n".join(line.partition("%")[0] for line in text.removeprefix("\ufeff").splitlines())
    return plain.translate(_SAME).split(";")


def inside(text: str, start: int) -> int:
    """Return the index of the closing bracket of the one that opens at ``start``."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in OPENING) - (text[i] in CLOSING)
        if depth == 0:
            return i
    raise UnreadError("a bracket that is not closed")


def split_list(text: str) -> list[str]:
    """Split a list at its commas outside brackets; an empty list has no parts."""
    found, start, depth = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in OPENING) - (c in CLOSING)
        if c == "," and depth == 0:
            found.append(text[start:i])
            start = i + 1
    return [*found, text[start:]] if text.strip() else []


def written_out(text: str) -> str:
    """Expand the repetitions in a text."""
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
    """List the signs of one chain; a suffix after a mass belongs to the coordinate before it."""
    text, at = written_out(text), 0
    found: list[Sign] = []
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] in SUFFIXES and len(found) > 1 and found[-1].kind == "mass":
            at = _take_suffixes(found[-2], text, at)
        else:
            sign, at = _sign(text, at)
            found.append(sign)
    return found


def _sign(text: str, at: int) -> tuple[Sign, int]:
    c = text[at]
    if c in "[{":
        end = inside(text, at)
        return Sign("tensor" if c == "[" else "braces", values=split_list(text[at + 1 : end])), end + 1
    if c == "$":
        value, end = _value(text, at + 1)
        return Sign("mass", values=[_require(value, "$")]), end
    if c == "g":
        return _gravity(text, at + 1)
    if c in "><=":
        return Sign({">": "next", "<": "back", "=": "closure"}[c]), at + 1
    if found := _BODY.match(text, at):
        return Sign("body", found.group(1)), found.end()
    if found := _CONNECTOR.match(text, at):
        end = inside(text, found.end() - 1)
        kind = "spring" if found.group(1) else "rod"
        return Sign(kind, values=split_list(text[found.end() : end])), end + 1
    if found := _LETTER.match(text, at):
        return _move(text, found)
    raise UnreadError(f"{text[at : at + 12]!r}")


def _value(text: str, at: int) -> tuple[str | None, int]:
    """Return the number or bracketed text at this place (None if there is neither), and the index after it."""
    if text[at : at + 1] == "(":
        end = inside(text, at)
        return text[at + 1 : end], end + 1
    found = _VALUE.match(text, at)
    return (found.group(1).replace(" ", ""), found.end()) if found else (None, at)


def _require(value: str | None, what: str) -> str:
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
    if named is None and text[at : at + 1] == "(":
        end = inside(text, at)
        made.map, at = text[at + 1 : end], end + 1
    return made, _take_suffixes(made, text, at)


def _take_suffixes(coordinate: Sign, text: str, at: int) -> int:
    """Store suffixes found at ``at`` (initial position, rate, force) in a coordinate; return the index after them."""
    while next_ := _SUFFIX.match(text, at):
        kind = next_.group(1).replace("@", "°")
        if kind in coordinate.suffixes or coordinate.text not in "uvwxyz":
            raise UnreadError(f"{kind} behind {coordinate.text or coordinate.kind}")
        coordinate.suffixes[kind], at = _value(text, next_.end())
    return at


#: Step of differences in time, which give rates in 50 digits; their error is 1e-24 of the third rate.
STEP: Final = "1e-12"
#: Largest depth of names defined by other names; deeper ones count as defined by themselves.
DEEPEST: Final = 60


class SecondNames:
    """Values of names at a state.

    Attributes
    ----------
    formulas : formula of each name that the text assigns
    functions : names of arguments and formula of each function that the text defines
    """

    def __init__(self, at: At) -> None:
        self.at = at
        self.formulas: dict[str, str] = {}
        self.functions: dict[str, tuple[list[str], str]] = {}
        self._known: dict[str, tuple[Number, bool]] = {}
        self._t, self._timed, self._depth = number(at.t), False, 0

    def evaluate(self, text: str, own: Mapping[str, Number] | None = None) -> Number:
        """Evaluate a formula; ``own`` are numbers of names that hold in this formula only."""
        local = own or {}

        def value(name: str) -> Number:
            return local[name] if name in local else self.name(name)

        return compute(text, value, self.call, BARE, self.functions)

    def real(self, text: str, own: Mapping[str, Number] | None = None) -> float:
        """Evaluate a formula as a float."""
        return float(self.evaluate(text, own))

    def moving(self, text: str, own: Mapping[str, Number] | None = None) -> tuple[float, float, float]:
        """Evaluate a formula with its first and second rate in time."""
        self._timed = False
        value = self.evaluate(text, own)
        if not self._timed:
            return float(value), 0.0, 0.0
        t, h = self._t, number(STEP)
        after, before = (self._later(text, own, t + s * h) for s in (1, -1))
        self._later(text, own, t)
        return float(value), float((after - before) / (2 * h)), float((after - 2 * value + before) / (h * h))

    def at_time(self, text: str, own: Mapping[str, Number], t: Number) -> Number:
        """Evaluate a formula at the time t instead of the state's time."""
        found = self._later(text, own, t)
        self._t = number(self.at.t)
        self._known.clear()
        return found

    def _later(self, text: str, own: Mapping[str, Number] | None, t: Number) -> Number:
        self._t = t
        self._known.clear()
        return self.evaluate(text, own)

    def name(self, name: str, otherwise: Number | None = None) -> Number:
        """Return the value of a name; ``otherwise`` if the text does not define it."""
        if name == "t":
            self._timed = True
            return self._t
        if name == "pi":
            return FUNCTIONS["acos"](number(-1))
        if name not in self._known:
            outside, self._timed = self._timed, False
            found = self._find(name, otherwise)
            self._known[name], self._timed = (found, self._timed), outside
        found, timed = self._known[name]
        self._timed = self._timed or timed
        return found

    def _find(self, name: str, otherwise: Number | None) -> Number:
        if name in self.at.set:
            return number(self.at.set[name])
        if name in self.formulas:
            self._depth += 1
            if self._depth > DEEPEST:
                raise UnreadError(f"{name}, which is defined by itself or by too many others")
            found = self.evaluate(self.formulas[name])
            self._depth -= 1
            return found
        if otherwise is not None:
            return otherwise
        if name in self.at.open:
            return number(self.at.open[name])
        raise UnreadError(f"the name {name}, which the text does not say")

    def call(self, name: str, arguments: Sequence[Number]) -> Number:
        """Evaluate a function that the text defines or a built-in one; a name with a prime is its derivative."""
        if name.endswith("'"):
            return self._slope(name[:-1], *arguments)
        if name in self.functions:
            names, text = self.functions[name]
            if len(names) != len(arguments):
                raise UnreadError(f"{name} with another number of arguments, {len(arguments)}")
            return self.evaluate(text, dict(zip(names, arguments, strict=True)))
        if name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        raise UnreadError(f"the function {name}, which the text does not define")

    def _slope(self, name: str, *arguments: Number) -> Number:
        """Return the derivative of a function of one argument, by a central difference in 50 digits."""
        if len(arguments) != 1 or name.endswith("'"):
            raise UnreadError(f"the derivative {name}'")
        (x,), h = arguments, number(STEP)
        return (self.call(name, (x + h,)) - self.call(name, (x - h,))) / (2 * h)
