"""Shapes made of shapes: lists, maps, records of the model's types, and choices between records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mbconcord.converters.json_text import Value
from mbconcord.model.diagnostics import MbconcordError, among
from mbconcord.model.expressions import ExpressionError

from .findings import WRONG, Findings
from .shape import Schema, Shape, Word, object_schema

#: What a field without default has in place of one.
REQUIRED: Final = object()


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
            return findings.wrong(place, value, f"found {len(value.data)} values; expected {allowed}")
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

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """An array of one of the lengths."""
        free = {"type": "array", "items": of(self.shape)}
        sized = [free | {"minItems": n, "maxItems": n} for n in self.lengths]
        return free if not sized else sized[0] if len(sized) == 1 else {"oneOf": sized}


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

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """An object of any keys."""
        return {"type": "object", "additionalProperties": of(self.shape)}


@dataclass(frozen=True)
class Field:
    """A key of a record: its shape, and the value it has when it is absent (then it is not written)."""

    key: str
    shape: Shape
    default: Any = REQUIRED


class Record(Shape):
    """An object with known keys, made into a value of the model by ``build`` and taken apart by attributes.

    ``take`` gives the mapping key -> value of a value where attributes do not have the keys' names. Of each group of
    ``one_of`` exactly one key is there.
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

    def read(self, value: Value, place: str, findings: Findings, skip: str = "") -> Any:
        """``build`` of the keys; ``skip`` is a key that has been read."""
        if not isinstance(value.data, dict):
            return findings.expected(place, value, "an object")
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
        """The keys in order, without those that have their default."""
        parts = self.take(value)
        return {
            f.key: f.shape.write(parts[f.key])
            for f in self.fields
            if f.key in parts and (f.default is REQUIRED or parts[f.key] != f.default)
        }

    def schema(self, of: Callable[[Shape], Schema], kind: str = "") -> Schema:
        """An object of the known keys; ``kind`` is that of a choice."""
        told = {"kind": {"const": kind}} if kind else {}
        required = [f.key for f in self.fields if f.default is REQUIRED]
        found = object_schema(told | {f.key: of(f.shape) for f in self.fields}, [*told, *required])
        groups = [{"oneOf": [{"required": [key]} for key in group]} for group in self.one_of]
        return found | {"allOf": groups} if groups else found


@dataclass(frozen=True)
class Choice(Shape):
    """A record of one of several kinds, told by its key ``kind``."""

    records: Mapping[str, Record]

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """The record of that kind."""
        kind = value.data.get("kind") if isinstance(value.data, dict) else None
        if kind is None:
            return findings.expected(place, value, f"an object with a 'kind': {', '.join(self.records)}")
        if not isinstance(kind.data, str) or kind.data not in self.records:
            return Word(tuple(self.records)).read(kind, f"{place}/kind", findings)
        return self.records[kind.data].read(value, place, findings, skip="kind")

    def write(self, value: Any) -> Any:
        """The kind and the keys of the record."""
        name, record = next((n, r) for n, r in self.records.items() if r.build is type(value))
        return {"kind": name, **record.write(value)}

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """One of the records."""
        return {"oneOf": [record.schema(of, kind) for kind, record in self.records.items()]}
