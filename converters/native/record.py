"""Composite shapes: lists, maps, records of the model's types, and choices between records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from mbconcord.converters.json_text import Value
from mbconcord.model import LinearLaw
from mbconcord.model.diagnostics import MbconcordError, among
from mbconcord.model.expressions import ZERO, ExpressionError
from mbconcord.model.limits import count
from mbconcord.model.transformation import AXES, Vector
from mbconcord.records import dataclass

from .shape import WRONG, NativeFindings, NativeName, NativeScalar, NativeShape, Schema, Word, object_schema

#: What a field without default has in place of one.
REQUIRED: Final = object()


@dataclass(frozen=True)
class ListOf(NativeShape):
    """A list of values of one shape; ``lengths``: allowed lengths (any if empty).

    In places, records are counted by their names, ``bodies/boom1``, other items by index, ``joint/0``.
    """

    shape: NativeShape
    lengths: tuple[int, ...] = ()

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read a tuple."""
        if not isinstance(value.data, list):
            return findings.refuse_kind(place, value, "a list")
        if self.lengths and len(value.data) not in self.lengths:
            allowed = " or ".join(map(str, self.lengths))
            return findings.wrong(place, value, f"found {count(len(value.data), 'value')}; expected {allowed}")
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
        """Write a list."""
        return [self.shape.write(item) for item in value]

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: an array of one of the lengths."""
        free = {"type": "array", "items": of(self.shape)}
        sized = [free | {"minItems": n, "maxItems": n} for n in self.lengths]
        return free if not sized else sized[0] if len(sized) == 1 else {"oneOf": sized}


@dataclass(frozen=True)
class MapOf(NativeShape):
    """An object of any names with values of one shape."""

    shape: NativeShape

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read a dict."""
        if not isinstance(value.data, dict):
            return findings.refuse_kind(place, value, "an object")
        items = {key: self.shape.read(item, f"{place}/{key}", findings) for key, item in value.data.items()}
        return WRONG if any(item is WRONG for item in items.values()) else items

    def write(self, value: Any) -> Any:
        """Write an object."""
        return {key: self.shape.write(item) for key, item in value.items()}

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: an object with any keys."""
        return {"type": "object", "additionalProperties": of(self.shape)}


@dataclass(frozen=True)
class Field:
    """A key of a record: its shape, and its default (which is not written)."""

    key: str
    shape: NativeShape
    default: Any = REQUIRED


class NativeRecord(NativeShape):
    """An object with known keys, built into a value of the model by ``build`` and read back by attributes.

    ``take`` maps a value to its parts by key, if its attributes do not have the keys' names. Of each group of keys in
    ``one_of`` exactly one must be there.
    """

    def __init__(
        self,
        build: Callable[..., Any],
        *fields: Field,
        take: Callable[[Any], Mapping[str, Any]] | None = None,
        one_of: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self.build = build
        self.fields = fields
        self.one_of = one_of
        self.take = take or (lambda value: {f.key: getattr(value, f.key) for f in fields})

    def read(self, value: Value, place: str, findings: NativeFindings, skip: str = "") -> Any:
        """Read the keys and call ``build``; ``skip`` is a key that has been read."""
        if not isinstance(value.data, dict):
            return findings.refuse_kind(place, value, "an object")
        known = [f.key for f in self.fields]
        before = len(findings.errors)
        for key, item in value.data.items():
            if key not in known and key != skip:
                findings.wrong(f"{place}/{key}".lstrip("/"), item, "unknown key", among(key, known))
        found: dict[str, Any] = {}
        for f in self.fields:
            item = value.data.get(f.key)
            if item is not None:
                inner = f"{place}/{f.key}".lstrip("/")
                findings.locations[inner] = findings.source.location(item.offset)
                found[f.key] = f.shape.read(item, inner, findings)
            elif f.default is REQUIRED:
                findings.wrong(place, value, f"the key {f.key!r} is missing")
        if len(findings.errors) > before:
            return WRONG
        for group in self.one_of:
            if sum(key in found for key in group) != 1:
                *others, last = map(repr, group)
                return findings.wrong(place, value, f"expected one of {', '.join(others)} and {last}")
        try:
            return self.build(**found)
        except MbconcordError as problem:
            for finding in problem.diagnostics:
                findings.inside(place, finding)
        except ExpressionError as problem:
            findings.wrong(place, value, str(problem))
        return WRONG

    def write(self, value: Any) -> Any:
        """Write the keys in order, without those at their default."""
        parts = self.take(value)
        return {
            f.key: f.shape.write(parts[f.key])
            for f in self.fields
            if f.key in parts and (f.default is REQUIRED or parts[f.key] != f.default)
        }

    def schema(self, of: Callable[[NativeShape], Schema], kind: str = "") -> Schema:
        """Return the schema: an object with the known keys; ``kind`` is that of a choice."""
        told = {"kind": {"const": kind}} if kind else {}
        required = [f.key for f in self.fields if f.default is REQUIRED]
        found = object_schema(told | {f.key: of(f.shape) for f in self.fields}, [*told, *required])
        groups = [{"oneOf": [{"required": [key]} for key in group]} for group in self.one_of]
        return found | {"allOf": groups} if groups else found


@dataclass(frozen=True)
class NativeChoice(NativeShape):
    """A record of one of several kinds, selected by its key ``kind``."""

    records: Mapping[str, NativeRecord]

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read the record of the value's kind."""
        kind = value.data.get("kind") if isinstance(value.data, dict) else None
        if kind is None:
            return findings.refuse_kind(place, value, f"an object with a 'kind': {', '.join(self.records)}")
        if not isinstance(kind.data, str) or kind.data not in self.records:
            return Word(tuple(self.records)).read(kind, f"{place}/kind", findings)
        return self.records[kind.data].read(value, place, findings, skip="kind")

    def write(self, value: Any) -> Any:
        """Write the kind and the keys of the record."""
        name, record = next((n, r) for n, r in self.records.items() if r.build is type(value))
        return {"kind": name, **record.write(value)}

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: one of the records."""
        return {"oneOf": [record.schema(of, kind) for kind, record in self.records.items()]}


# Shapes of quantities: names, scalars, vectors, directions, matrices, laws of forces.


NAME = NativeName()
SCALAR = NativeScalar()
VECTOR = ListOf(SCALAR, (3,))
ROWS = ListOf(ListOf(SCALAR))


class NativeAxis(NativeShape):
    """A direction: ``"x"``, ``"-z"`` or three numbers."""

    words: ClassVar = tuple(sign + axis for axis in AXES for sign in ("", "-"))

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read a triple of expressions."""
        if isinstance(value.data, list):
            return VECTOR.read(value, place, findings)
        word = Word(self.words).read(value, place, findings)
        return self.vector(word) if word in self.words else word

    def write(self, value: Any) -> Any:
        """Write a word if there is one."""
        return next((word for word in self.words if self.vector(word) == value), None) or VECTOR.write(value)

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: a word or three numbers."""
        return {"oneOf": [Word(self.words).schema(of), of(VECTOR)]}

    @staticmethod
    def vector(word: str) -> Vector:
        """Return the unit vector for a word."""
        x, y, z = AXES[word[-1]]
        return (-x, -y, -z) if word.startswith("-") else (x, y, z)


class NativeLaw(NativeShape):
    """The law of a force: an expression, or ``{"linear": {…}}``."""

    linear = NativeRecord(LinearLaw, *(Field(key, SCALAR, ZERO) for key in ("f0", "k", "l0", "d", "q", "w", "a")))

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read an expression or a linear law."""
        if isinstance(value.data, dict) and set(value.data) == {"linear"}:
            return self.linear.read(value.data["linear"], f"{place}/linear", findings)
        return SCALAR.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """Write the expression or the object."""
        return {"linear": self.linear.write(value)} if isinstance(value, LinearLaw) else SCALAR.write(value)

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: that of an expression, or the object."""
        linear = object_schema({"linear": of(self.linear)}, ["linear"])
        return {"oneOf": [*SCALAR.schema(of)["oneOf"], linear]}


class Square(NativeShape):
    """A square matrix of expressions; the model checks its size, and its error speaks of a matrix."""

    def __init__(self, size: int) -> None:
        self.size = size

    def read(self, value: Value, place: str, findings: NativeFindings) -> Any:
        """Read a matrix by its rows."""
        return ROWS.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """Write a matrix by its rows."""
        return ROWS.write(value)

    def schema(self, of: Callable[[NativeShape], Schema]) -> Schema:
        """Return the schema: a square array of fixed size."""
        return ListOf(ListOf(SCALAR, (self.size,)), (self.size,)).schema(of)


AXIS = NativeAxis()
LAW = NativeLaw()
