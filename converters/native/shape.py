"""Shapes of the native format: what a JSON value must look like, read and written by the same description.

Each shape has ``read`` (a JSON value with its position to a value of the model; what is wrong goes to the
:class:`Findings`, and ``None`` comes back) and ``write`` (the reverse). Records, lists and choices are built of
smaller shapes, so that the table of all types in :mod:`.layout` is the whole format.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError, ReadError, WriteError, error
from mbconcord.model.expressions import ExpressionError

from .formula import read_formula, read_graph, read_number, write_expression
from .json_text import MAX_DEPTH, MAX_DIGITS, JsonText, Numeral, Value

#: What a field without default has in place of one.
REQUIRED: Final = object()
#: What ``read`` returns for a value that is wrong.
WRONG: Final = object()


@dataclass
class Findings:
    """What is wrong with a text, and where every place of the model stands in it."""

    source: JsonText
    errors: list[Diagnostic] = field(default_factory=list)
    locations: dict[str, Location] = field(default_factory=dict)

    def refuse(self, place: str, value: Value, message: str, remedy: str = "") -> Any:
        """Record an error at a value; returns ``WRONG``."""
        self.errors.append(error(place, message, remedy, self.source.location(value.offset)))
        return WRONG

    def expected(self, place: str, value: Value, what: str) -> Any:
        """Record that something else than ``what`` was found; returns ``WRONG``."""
        return self.refuse(place, value, f"found {value.kind}; expected {what}")

    def locate(self, finding: Diagnostic) -> Diagnostic:
        """The finding with the location of the nearest place that is known."""
        place = finding.place
        while place and place not in self.locations:
            place = place.rpartition("/")[0]
        return finding.at(self.locations.get(place, self.source.location(0)))


def joined(path: str, place: str) -> str:
    """A place inside a place; names that end the one and begin the other stand once."""
    outer, inner = path.split("/"), place.split("/")
    overlap = next((k for k in range(len(inner), 0, -1) if outer[-k:] == inner[:k]), 0)
    return "/".join(filter(None, (*outer, *inner[overlap:])))


class Shape(ABC):
    """One kind of value."""

    @abstractmethod
    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The value of the model, or ``WRONG`` after recording why."""

    @abstractmethod
    def write(self, value: Any) -> Any:
        """The JSON value: dicts, lists, strings, numerals."""


class Name(Shape):
    """A name: a string that is not empty."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The string."""
        if not isinstance(value.data, str):
            return findings.expected(place, value, "a name")
        return value.data or findings.refuse(place, value, "a name is not empty")

    def write(self, value: Any) -> Any:
        """The string."""
        return value


class Text(Shape):
    """Any string."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The string."""
        return value.data if isinstance(value.data, str) else findings.expected(place, value, "a string")

    def write(self, value: Any) -> Any:
        """The string."""
        return value


@dataclass(frozen=True)
class Word(Shape):
    """One of a few words."""

    words: tuple[str, ...]

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The word."""
        if value.data in self.words:
            return value.data
        found = repr(value.data) if isinstance(value.data, str) else value.kind
        return findings.refuse(place, value, f"found {found}; expected one of {', '.join(self.words)}")

    def write(self, value: Any) -> Any:
        """The word."""
        return value


@dataclass(frozen=True)
class Optional(Shape):
    """A value or null."""

    shape: Shape

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """None or the value."""
        return None if value.data is None else self.shape.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """Null or the value."""
        return None if value is None else self.shape.write(value)


class Scalar(Shape):
    """An expression: a number, a formula in a string, or ``{"graph": …}``."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The expression."""
        try:
            if isinstance(value.data, Numeral):
                return read_number(value.data.text)
            if isinstance(value.data, str):
                return read_formula(value.data, findings.source.location(value.offset))
            if isinstance(value.data, dict) and set(value.data) == {"graph"}:
                return read_graph(value.data["graph"].plain())
        except ReadError as problem:
            findings.errors += [replace(d, place=place) for d in problem.diagnostics]
            return WRONG
        except ExpressionError as problem:
            return findings.refuse(place, value, str(problem))
        return findings.expected(place, value, "a number, a formula in quotes or a graph")

    def write(self, value: Any) -> Any:
        """The shortest of the three that is exact."""
        return write_expression(value)


@dataclass(frozen=True)
class ListOf(Shape):
    """A list of values of one shape; ``lengths`` it may have (any, when there are none).

    A list of records with names makes places such as ``bodies/boom1``, any other ``joint/0``.
    """

    shape: Shape
    lengths: tuple[int, ...] = ()

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """A tuple."""
        if not isinstance(value.data, list):
            return findings.expected(place, value, "a list")
        if self.lengths and len(value.data) not in self.lengths:
            allowed = " or ".join(map(str, self.lengths))
            return findings.refuse(place, value, f"found {len(value.data)} values; expected {allowed}")
        items = []
        for i, item in enumerate(value.data):
            name = item.data.get("name") if isinstance(item.data, dict) else None
            label = name.data if name and isinstance(name.data, str) and name.data else str(i)
            inner = f"{place}/{label}"
            if isinstance(item.data, dict):
                findings.locations[inner] = findings.source.location(item.offset)
            items.append(self.shape.read(item, inner, findings))
        return WRONG if any(item is WRONG for item in items) else tuple(items)

    def write(self, value: Any) -> Any:
        """A list."""
        return [self.shape.write(item) for item in value]


@dataclass(frozen=True)
class MapOf(Shape):
    """An object of any names with values of one shape."""

    shape: Shape

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """A dict."""
        if not isinstance(value.data, dict):
            return findings.expected(place, value, "an object")
        items = {key: self.shape.read(item, f"{place}/{key}", findings) for key, item in value.data.items()}
        return WRONG if any(item is WRONG for item in items.values()) else items

    def write(self, value: Any) -> Any:
        """An object."""
        return {key: self.shape.write(item) for key, item in value.items()}


@dataclass(frozen=True)
class Field:
    """A key of a record: its shape, and the value it has when it is absent (then it is not written)."""

    key: str
    shape: Shape
    default: Any = REQUIRED


class Record(Shape):
    """An object with known keys, made into a value of the model by ``build`` and taken apart by attributes.

    ``take`` gives the mapping key -> value of a value where attributes do not have the keys' names.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        *fields: Field,
        take: Callable[[Any], Mapping[str, Any]] | None = None,
    ) -> None:
        self.build = build
        self.fields = fields
        self.take = take or (lambda value: {f.key: getattr(value, f.key) for f in fields})

    def read(self, value: Value, place: str, findings: Findings, skip: str = "") -> Any:
        """``build`` of the keys; ``skip`` is a key that has been read."""
        if not isinstance(value.data, dict):
            return findings.expected(place, value, "an object")
        known = [f.key for f in self.fields]
        before = len(findings.errors)
        for key, item in value.data.items():
            if key not in known and key != skip:
                findings.refuse(
                    f"{place}/{key}".lstrip("/"), item, "unknown key", f"known: {', '.join(known)}"
                )
        found: dict[str, Any] = {}
        for f in self.fields:
            item = value.data.get(f.key)
            if item is not None:
                inner = f"{place}/{f.key}".lstrip("/")
                findings.locations[inner] = findings.source.location(item.offset)
                found[f.key] = f.shape.read(item, inner, findings)
            elif f.default is REQUIRED:
                findings.refuse(place, value, f"the key {f.key!r} is missing")
        if len(findings.errors) > before:
            return WRONG
        try:
            return self.build(**found)
        except MbconcordError as problem:
            findings.errors += [
                findings.locate(replace(d, place=joined(place, d.place))) for d in problem.diagnostics
            ]
        except ExpressionError as problem:
            findings.refuse(place, value, str(problem))
        return WRONG

    def write(self, value: Any) -> Any:
        """The keys in order, without those that have their default."""
        parts = self.take(value)
        return {
            f.key: f.shape.write(parts[f.key])
            for f in self.fields
            if f.key in parts and (f.default is REQUIRED or parts[f.key] != f.default)
        }


@dataclass(frozen=True)
class Choice(Shape):
    """A record of one of several kinds, told by its key ``kind``."""

    records: Mapping[str, Record]

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The record of that kind."""
        kind = value.data.get("kind") if isinstance(value.data, dict) else None
        if kind is None:
            return findings.expected(place, value, f"an object with a 'kind': {', '.join(self.records)}")
        if kind.data not in self.records:
            return Word(tuple(self.records)).read(kind, f"{place}/kind", findings)
        return self.records[kind.data].read(value, place, findings, skip="kind")

    def write(self, value: Any) -> Any:
        """The kind and the keys of the record."""
        name, record = next((n, r) for n, r in self.records.items() if r.build is type(value))
        return {"kind": name, **record.write(value)}


class Json(Shape):
    """Any object of JSON values, kept as it is."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The object as Python's json reads it."""
        if not isinstance(value.data, dict):
            return findings.expected(place, value, "an object")
        plain = value.plain()
        return (
            plain if _is_json(plain) else findings.refuse(place, value, "a number is too large for a float")
        )

    def write(self, value: Any) -> Any:
        """The same object."""
        if not _is_json(dict(value)):
            remedy = "dicts with string keys, lists, strings, finite numbers, booleans and None only"
            raise WriteError(error("metadata", "it holds something that JSON cannot", remedy))
        return dict(value)


def _is_json(value: Any, depth: int = 2) -> bool:
    if type(value) is dict:
        return depth < MAX_DEPTH and all(type(k) is str and _is_json(v, depth + 1) for k, v in value.items())
    if type(value) is list:
        return depth < MAX_DEPTH and all(_is_json(v, depth + 1) for v in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return bool(abs(value) < 10 ** (MAX_DIGITS - 1))
    return value is None or type(value) in (str, bool) or (type(value) is float and math.isfinite(value))
