"""Shapes of the native format: the structure of a JSON value, used both to read and to write it.

Each shape has ``read``, from a JSON value with its position to a value of the model (errors go to
the :class:`~.findings.Findings`, and ``WRONG`` is returned), ``write``, the reverse, and ``schema``, its JSON
Schema. Plain shapes are defined here; :mod:`.record` builds lists and records of them, :mod:`.layout` is
the table of all types.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeAlias

from mbconcord.converters import findings
from mbconcord.converters.json_text import JsonText, Numeral, Value
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, WriteError, error
from mbconcord.model.expressions import Expression, ExpressionError, number, to_text
from mbconcord.model.expressions.exchange import KINDS, dumps, loads
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.printer import written_size
from mbconcord.model.expressions.text import decimal
from mbconcord.model.force import write_words
from mbconcord.model.limits import JSON_DEPTH, JSON_DIGITS
from mbconcord.records import dataclass, replace

# What is wrong with a text, collected while it is read.


#: What ``read`` returns for a value that is wrong.
WRONG: Final = object()


class NativeFindings(findings.Findings):
    """Findings about a JSON text, located by its values."""

    def __init__(self, source: JsonText) -> None:
        super().__init__(source.file)
        self.source = source

    def wrong(self, place: str, value: Value, message: str, remedy: str = "") -> Any:
        """Record an error at a value; returns ``WRONG``."""
        self.refuse(self.source.location(value.offset), message, remedy, place)
        return WRONG

    def refuse_kind(self, place: str, value: Value, what: str) -> Any:
        """Record that something else than ``what`` was found; returns ``WRONG``."""
        return self.wrong(place, value, f"found {value.kind}; expected {what}")

    def inside(self, place: str, finding: Diagnostic) -> None:
        """Record a finding of the model whose place is relative to ``place``."""
        self.errors.append(self.locate(replace(finding, place=join_places(place, finding.place))))


def join_places(path: str, place: str) -> str:
    """Join a place to an outer one, without repeating names that end one and begin the other."""
    outer, inner = path.split("/"), place.split("/")
    overlap = next((k for k in range(len(inner), 0, -1) if outer[-k:] == inner[:k]), 0)
    return "/".join(filter(None, (*outer, *inner[overlap:])))


# Expressions in JSON: an exact decimal number, a formula in a string, or a graph of shared nodes.
#
# A number stands for exactly the decimal it shows: ``0.1`` is one tenth. What is no short decimal is a formula
# (``"1/3"``, ``"m1*g"``). A formula repeats what an expression shares, so a large one is written as
# ``{"graph": …}``, which names every node once.


#: Larger formulas (operands repeated as often as they are written) are graphs.
MAX_FORMULA = 200
#: Numbers of longer decimals are formulas or graphs.
MAX_DECIMAL = 40


def read_number(text: str) -> Expression:
    """Parse a decimal text exactly."""
    return number(Fraction(text))


def read_formula(text: str, at: Location) -> Expression:
    """Parse a formula that begins at a place of the text (at its string's quote).

    Raises
    ------
    ReadError
        The formula is wrong; the location is inside the string.
    """
    return parse_formula(text, file=at.file, line=at.line, column=at.column + 1)


def read_graph(data: Any) -> Expression:
    """Read the expression of a graph.

    Raises
    ------
    ExpressionError
        The data are no graph, or one of several expressions.
    """
    outputs = loads(data)
    if len(outputs) != 1:
        raise ExpressionError(f"a graph of {len(outputs)} expressions; expected one output")
    return outputs[0]


def write_graph(value: Expression) -> Any:
    """Write the graph of an expression; :func:`read_graph` reads it back."""
    return dumps([value])


def write_short(value: Expression) -> Numeral | str | None:
    """Write the first short form, numeral or formula, that reads back as the same expression; None if neither does."""
    if value.op == "num":
        text = decimal(abs(value.value))
        if text and len(text) <= MAX_DECIMAL:
            return Numeral(f"-{text}" if value.value < 0 else text)
    if written_size(value, lambda node: node.args) <= MAX_FORMULA:
        text = to_text(value)
        if _reads_back(text, value):
            return text
    return None


def _reads_back(text: str, value: Expression) -> bool:
    try:
        return parse_formula(text) is value
    except ReadError:
        return False


Schema: TypeAlias = dict[str, Any]


class NativeShape(ABC):
    """Structure of one kind of JSON value: how it is read, written and described."""

    @abstractmethod
    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the value of the model, or return ``WRONG`` after recording why."""

    @abstractmethod
    def write(self, value: Any) -> Any:
        """Write the JSON value: dicts, lists, strings, numerals."""

    @abstractmethod
    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the JSON Schema of the value; ``of`` gives that of a shape inside, or the reference to it."""


class NativeName(NativeShape):
    """A name: a nonempty string."""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read a string that is not empty."""
        if not isinstance(value.data, str):
            return findings.refuse_kind(place, value, "a name")
        return value.data or findings.wrong(place, value, "a name is not empty")

    def write(self, value: Any) -> Any:
        """Write the name, as it is."""
        return value

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: a nonempty string."""
        return {"type": "string", "minLength": 1}


class Text(NativeShape):
    """Any string."""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the string."""
        return value.data if isinstance(value.data, str) else findings.refuse_kind(place, value, "a string")

    def write(self, value: Any) -> Any:
        """Write the string, as it is."""
        return value

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: a string."""
        return {"type": "string"}


class Flag(NativeShape):
    """True or false."""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the boolean."""
        return value.data if isinstance(value.data, bool) else findings.refuse_kind(place, value, "true or false")

    def write(self, value: Any) -> Any:
        """Write the boolean, as it is."""
        return value

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: a boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Word(NativeShape):
    """One of a few words; ``remedy`` is the advice for any other."""

    words: tuple[str, ...]
    remedy: str = ""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the word."""
        if value.data in self.words:
            return value.data
        found = repr(value.data) if isinstance(value.data, str) else value.kind
        message = f"found {found}; expected one of {', '.join(self.words)}"
        return findings.wrong(place, value, message, self.remedy)

    def write(self, value: Any) -> Any:
        """Write the word, as it is."""
        return value

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: one of the words."""
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Optional(NativeShape):
    """A value or null."""

    shape: NativeShape

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read None or the value."""
        return None if value.data is None else self.shape.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """Write null or the value."""
        return None if value is None else self.shape.write(value)

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: null, or that of the value."""
        return {"oneOf": [{"type": "null"}, of(self.shape)]}


class NativeGraph(NativeShape):
    """An expression with every shared node once, as :mod:`mbconcord.model.expressions.exchange` has it."""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the expression."""
        try:
            return read_graph(value.plain())
        except ExpressionError as problem:
            return findings.wrong(place, value, str(problem))

    def write(self, value: Any) -> Any:
        """Write the nodes."""
        return write_graph(value)

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: rows that begin with the kind of a node, and the place of one output."""
        row = {"type": "array", "prefixItems": [{"enum": list(KINDS)}], "minItems": 1}
        place = {"type": "integer", "minimum": 0}
        outputs = {"type": "array", "items": place, "minItems": 1, "maxItems": 1}
        return object_schema({"nodes": {"type": "array", "items": row}, "outputs": outputs}, ["nodes", "outputs"])


GRAPH = NativeGraph()


class NativeScalar(NativeShape):
    """An expression: a number, a formula in a string, or ``{"graph": …}``."""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the expression."""
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
        return findings.refuse_kind(place, value, "a number, a formula in quotes or a graph")

    def write(self, value: Any) -> Any:
        """Write the shortest of the three forms that is exact."""
        value = write_words(value)
        short = write_short(value)
        return {"graph": GRAPH.write(value)} if short is None else short

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: one of the three."""
        graph = object_schema({"graph": of(GRAPH)}, ["graph"])
        return {"oneOf": [{"type": "number"}, {"type": "string", "minLength": 1}, graph]}


class Json(NativeShape):
    """Any object of JSON values, kept unchanged."""

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the object as Python's json does."""
        if not isinstance(value.data, dict):
            return findings.refuse_kind(place, value, "an object")
        plain = value.plain()
        return plain if _is_json(plain) else findings.wrong(place, value, "a number is too large for a float")

    def write(self, value: Any) -> Any:
        """Write the same object."""
        if not _is_json(dict(value)):
            remedy = "dicts with string keys, lists, strings, finite numbers, booleans and None only"
            raise WriteError(error("metadata", "it holds something that JSON cannot", remedy))
        return dict(value)

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: any object."""
        return {"type": "object"}


def object_schema(properties: Schema, required: list[str]) -> Schema:
    """Return the JSON Schema of an object with these keys and no others."""
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
