"""JSON texts with positions: each value knows its offset, and numbers keep their decimal text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from fractions import Fraction
from typing import Any

from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions.formula import is_within_limits
from mbconcord.model.limits import JSON_DEPTH, JSON_DIGITS
from mbconcord.model.numerals import units
from mbconcord.records import dataclass

_BLANK = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BETWEEN = re.compile(r'("(?:[^"\\]|\\.)*")|[ \t\n\r]+')
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|.", re.DOTALL)
_CONSTANTS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as its decimal text, exactly as written."""

    text: str

    @property
    def value(self) -> Fraction:
        """The exact number."""
        return Fraction(self.text)

    @property
    def plain(self) -> int | float:
        """The value that Python's json reads."""
        value: int | float = json.loads(self.text)
        return value


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON value and the offset where it begins.

    ``data`` is None, a bool, a str, a :class:`Numeral`, a list of values or a dict of values.
    """

    data: Any
    offset: int

    @property
    def kind(self) -> str:
        """Kind of the value, in words."""
        kinds = {bool: "true or false", str: "a string", Numeral: "a number", list: "a list", dict: "an object"}
        return kinds.get(type(self.data), "null")

    def plain(self) -> Any:
        """Return the value as Python's json would read it."""
        if isinstance(self.data, list):
            return [item.plain() for item in self.data]
        if isinstance(self.data, dict):
            return {key: item.plain() for key, item in self.data.items()}
        return self.data.plain if isinstance(self.data, Numeral) else self.data


class JsonText:
    """A text in JSON: its value, and the line and column of any offset.

    Raises
    ------
    ReadError
        From ``scan``: the text is not JSON, repeats a key in an object, nests too deep, or has too long a number.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]

    def location(self, offset: int) -> Location:
        """Return line and column of an offset."""
        line = bisect_right(self._lines, offset)
        return Location(self.file, line, offset - self._lines[line - 1] + 1)

    def scan(self) -> Value:
        """Parse the whole text."""
        value, end = self._value(self._skip(0), 0)
        end = self._skip(end)
        if end < len(self.text):
            raise self._unexpected_token(end, "the end of the text")
        return value

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        assert match is not None
        return match.end()

    def _unexpected_token(self, at: int, expected: str) -> ReadError:
        match = _WORD.match(self.text, at)
        found = repr(match.group()[:40]) if match else "the end of the text"
        return self._error(at, f"found {found}; expected {expected}", self._remedy(at))

    def _remedy(self, at: int) -> str:
        """Suggest a correction for common deviations of people and programs from JSON."""
        here, before = self.text[at : at + 20], self.text[:at].rstrip()
        near = units(self.text, at)
        if near:
            return near
        if here.startswith("'"):
            return "strings of JSON stand in double quotes"
        if here[:1] in ("}", "]") and before.endswith(","):
            return "remove the comma before it"
        if here.startswith(("//", "/*", "#", "%")):
            return "JSON has no comments"
        if before.endswith(("{", ",")) and (word := re.match(r"([^\W\d]\w*)\s*:", here)):
            return f'write "{word[1]}"'
        if re.match(r"[-+]?(?:nan|inf)", here, re.IGNORECASE):
            return "JSON has finite numbers alone"
        if not before and re.match(r"---|%YAML|[\w-]+:(?:\s|$)|- ", self.text[at : at + 80]):
            return "this is YAML: write it as JSON, which begins with { or ["
        return "JSON begins with { or [" if not before else ""

    def _error(self, at: int, message: str, remedy: str = "") -> ReadError:
        return ReadError(error("", message, remedy, self.location(at)))

    def _value(self, at: int, depth: int) -> tuple[Value, int]:
        if depth > JSON_DEPTH:
            raise self._error(at, f"nested deeper than {JSON_DEPTH} levels")
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._list(at, depth)
        if first == '"':
            text, end = self._string(at)
            return Value(text, at), end
        match = _NUMBER.match(self.text, at)
        if match:
            return Value(self._numeral(match.group(), at), at), match.end()
        word = _WORD.match(self.text, at)
        if word and word.group() in _CONSTANTS:
            return Value(_CONSTANTS[word.group()], at), word.end()
        raise self._unexpected_token(at, "a JSON value")

    def _numeral(self, text: str, at: int) -> Numeral:
        if not is_within_limits(text, JSON_DIGITS):
            raise self._error(at, f"a number of more than {JSON_DIGITS:,} digits")
        return Numeral(text)

    def _string(self, at: int) -> tuple[str, int]:
        match = _STRING.match(self.text, at)
        if not match:
            raise self._unexpected_token(at, "a string that is closed on its line, with the escapes of JSON")
        raw = match.group()
        text: str = json.loads(raw) if "\\" in raw else raw[1:-1]
        if any("\ud800" <= c <= "\udfff" for c in text):
            raise self._error(at, "an escape of half a character (a lone surrogate)")
        return text, match.end()

    def _list(self, at: int, depth: int) -> tuple[Value, int]:
        items: list[Value] = []
        end = self._skip(at + 1)
        if self.text[end : end + 1] == "]":
            return Value(items, at), end + 1
        while True:
            item, end = self._value(end, depth + 1)
            items.append(item)
            end = self._skip(end)
            mark = self.text[end : end + 1]
            if mark == "]":
                return Value(items, at), end + 1
            if mark != ",":
                raise self._unexpected_token(end, "',' or ']'")
            end = self._skip(end + 1)

    def _object(self, at: int, depth: int) -> tuple[Value, int]:
        items: dict[str, Value] = {}
        end = self._skip(at + 1)
        if self.text[end : end + 1] == "}":
            return Value(items, at), end + 1
        while True:
            if self.text[end : end + 1] != '"':
                raise self._unexpected_token(end, "a key in double quotes")
            start = end
            key, end = self._string(end)
            if key in items:
                raise self._error(start, f"the key {key!r} stands twice in one object")
            end = self._skip(end)
            if self.text[end : end + 1] != ":":
                raise self._unexpected_token(end, "':'")
            items[key], end = self._value(self._skip(end + 1), depth + 1)
            end = self._skip(end)
            mark = self.text[end : end + 1]
            if mark == "}":
                return Value(items, at), end + 1
            if mark != ",":
                raise self._unexpected_token(end, "',' or '}'")
            end = self._skip(end + 1)


def on_one_line(text: str) -> str:
    """Remove blanks and line ends between the parts of a JSON text; strings and numbers stay unchanged."""
    return _BETWEEN.sub(r"\1", text)


def render(value: Any, indent: int = 0, width: int = 110) -> str:
    """Write a JSON value, on one line if it fits. :class:`Numeral` is written unchanged.

    Raises
    ------
    ValueError, TypeError
        The value contains a NaN, an infinity or a type that JSON does not have.
    """
    flat = _flat(value)
    if len(flat) + indent <= width or not isinstance(value, (dict, list, tuple)) or not value:
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        items = [f"{_flat(key)}: {render(item, indent + 2, width)}" for key, item in value.items()]
    else:
        items = [render(item, indent + 2, width) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = f",\n{inner}".join(items)
    return f"{opening}\n{inner}{body}\n{' ' * indent}{closing}"


def _flat(value: Any) -> str:
    if isinstance(value, Numeral):
        return value.text
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flat(str(k))}: {_flat(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
