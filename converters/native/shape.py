"""Shapes of the native format: what a JSON value must look like, read and written by the same description.

Each shape has ``read``, from a JSON value with its position to a value of the model (what is wrong goes to
the :class:`~.findings.Findings`, and ``WRONG`` comes back), ``write``, the reverse, and ``schema``, what JSON
Schema can say of it. Here are the plain ones; :mod:`.record` builds lists and records of them, :mod:`.layout` is
the table of all types.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from mbconcord.converters.json_text import Numeral, Value
from mbconcord.model.diagnostics import ReadError, WriteError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.expressions.exchange import KINDS
from mbconcord.model.limits import JSON_DEPTH, JSON_DIGITS

from .findings import WRONG, Findings
from .formula import read_formula, read_graph, read_number, write_graph, write_short

Schema: TypeAlias = dict[str, Any]


class Shape(ABC):
    """One kind of value."""

    @abstractmethod
    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The value of the model, or ``WRONG`` after recording why."""

    @abstractmethod
    def write(self, value: Any) -> Any:
        """The JSON value: dicts, lists, strings, numerals."""

    @abstractmethod
    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """The JSON Schema of the value; ``of`` gives that of a shape inside, or the reference to it."""


class Name(Shape):
    """A name: a string that is not empty."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The string."""
        if not isinstance(value.data, str):
            return findings.expected(place, value, "a name")
        return value.data or findings.wrong(place, value, "a name is not empty")

    def write(self, value: Any) -> Any:
        """The string."""
        return value

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """A string of one letter at least."""
        return {"type": "string", "minLength": 1}


class Text(Shape):
    """Any string."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The string."""
        return value.data if isinstance(value.data, str) else findings.expected(place, value, "a string")

    def write(self, value: Any) -> Any:
        """The string."""
        return value

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """A string."""
        return {"type": "string"}


@dataclass(frozen=True)
class Word(Shape):
    """One of a few words; ``remedy`` is said of any other."""

    words: tuple[str, ...]
    remedy: str = ""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The word."""
        if value.data in self.words:
            return value.data
        found = repr(value.data) if isinstance(value.data, str) else value.kind
        message = f"found {found}; expected one of {', '.join(self.words)}"
        return findings.wrong(place, value, message, self.remedy)

    def write(self, value: Any) -> Any:
        """The word."""
        return value

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """One of the words."""
        return {"enum": list(self.words)}


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

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """Null or the value."""
        return {"oneOf": [{"type": "null"}, of(self.shape)]}


class Graph(Shape):
    """An expression with every shared node once, as :mod:`mbconcord.model.expressions.exchange` has it."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The expression."""
        try:
            return read_graph(value.plain())
        except ExpressionError as problem:
            return findings.wrong(place, value, str(problem))

    def write(self, value: Any) -> Any:
        """The nodes."""
        return write_graph(value)

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """Rows that begin with the kind of a node, and the place of one output."""
        row = {"type": "array", "prefixItems": [{"enum": list(KINDS)}], "minItems": 1}
        place = {"type": "integer", "minimum": 0}
        outputs = {"type": "array", "items": place, "minItems": 1, "maxItems": 1}
        return object_schema(
            {"nodes": {"type": "array", "items": row}, "outputs": outputs}, ["nodes", "outputs"]
        )


GRAPH = Graph()


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
                return GRAPH.read(replace(value.data["graph"], offset=value.offset), place, findings)
        except ReadError as problem:
            findings.errors += [replace(d, place=place) for d in problem.diagnostics]
            return WRONG
        except ExpressionError as problem:
            return findings.wrong(place, value, str(problem))
        return findings.expected(place, value, "a number, a formula in quotes or a graph")

    def write(self, value: Any) -> Any:
        """The shortest of the three that is exact."""
        short = write_short(value)
        return {"graph": GRAPH.write(value)} if short is None else short

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """One of the three."""
        graph = object_schema({"graph": of(GRAPH)}, ["graph"])
        return {"oneOf": [{"type": "number"}, {"type": "string", "minLength": 1}, graph]}


class Json(Shape):
    """Any object of JSON values, kept as it is."""

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The object as Python's json reads it."""
        if not isinstance(value.data, dict):
            return findings.expected(place, value, "an object")
        plain = value.plain()
        return plain if _is_json(plain) else findings.wrong(place, value, "a number is too large for a float")

    def write(self, value: Any) -> Any:
        """The same object."""
        if not _is_json(dict(value)):
            remedy = "dicts with string keys, lists, strings, finite numbers, booleans and None only"
            raise WriteError(error("metadata", "it holds something that JSON cannot", remedy))
        return dict(value)

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """Any object."""
        return {"type": "object"}


def object_schema(properties: Schema, required: list[str]) -> Schema:
    """The JSON Schema of an object with these keys and no others."""
    found = {"type": "object", "properties": properties, "additionalProperties": False}
    return found | {"required": required} if required else found


def _is_json(value: Any, depth: int = 2) -> bool:
    if type(value) is dict:
        return depth < JSON_DEPTH and all(type(k) is str and _is_json(v, depth + 1) for k, v in value.items())
    if type(value) is list:
        return depth < JSON_DEPTH and all(_is_json(v, depth + 1) for v in value)
    if isinstance(value, int) and not isinstance(value, bool):
        return bool(abs(value) < 10 ** (JSON_DIGITS - 1))
    return value is None or type(value) in (str, bool) or (type(value) is float and math.isfinite(value))
