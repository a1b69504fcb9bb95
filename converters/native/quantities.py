"""Shapes of quantities: names, scalars, vectors, directions, matrices, laws of forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from mbconcord.converters.json_text import Value
from mbconcord.model import LinearLaw
from mbconcord.model.expressions import ZERO
from mbconcord.model.transformation import AXES, Vector

from .findings import Findings
from .record import Field, ListOf, Record
from .shape import Name, Scalar, Schema, Shape, Word, object_schema

NAME = Name()
SCALAR = Scalar()
VECTOR = ListOf(SCALAR, (3,))
ROWS = ListOf(ListOf(SCALAR))


class Axis(Shape):
    """A direction: ``"x"``, ``"-z"`` or three numbers."""

    words: ClassVar = tuple(sign + axis for axis in AXES for sign in ("", "-"))

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """A triple of expressions."""
        if isinstance(value.data, list):
            return VECTOR.read(value, place, findings)
        word = Word(self.words).read(value, place, findings)
        return self.vector(word) if word in self.words else word

    def write(self, value: Any) -> Any:
        """A word where there is one."""
        return next((word for word in self.words if self.vector(word) == value), None) or VECTOR.write(value)

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """A word or three numbers."""
        return {"oneOf": [Word(self.words).schema(of), of(VECTOR)]}

    @staticmethod
    def vector(word: str) -> Vector:
        """The unit vector that a word means."""
        x, y, z = AXES[word[-1]]
        return (-x, -y, -z) if word.startswith("-") else (x, y, z)


class Law(Shape):
    """The law of a force: an expression, or ``{"linear": {…}}``."""

    linear = Record(LinearLaw, *(Field(key, SCALAR, ZERO) for key in ("f0", "k", "l0", "d", "q", "w", "a")))

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """An expression or a linear law."""
        if isinstance(value.data, dict) and set(value.data) == {"linear"}:
            return self.linear.read(value.data["linear"], f"{place}/linear", findings)
        return SCALAR.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """The expression or the object."""
        return {"linear": self.linear.write(value)} if isinstance(value, LinearLaw) else SCALAR.write(value)

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """What an expression is, or the object."""
        linear = object_schema({"linear": of(self.linear)}, ["linear"])
        return {"oneOf": [*SCALAR.schema(of)["oneOf"], linear]}


class Square(Shape):
    """A square matrix of expressions; its size is refused by the model, in the words of what the matrix is."""

    def __init__(self, size: int) -> None:
        self.size = size

    def read(self, value: Value, place: str, findings: Findings) -> Any:
        """Rows."""
        return ROWS.read(value, place, findings)

    def write(self, value: Any) -> Any:
        """Rows."""
        return ROWS.write(value)

    def schema(self, of: Callable[[Shape], Schema]) -> Schema:
        """So many rows of so many."""
        return ListOf(ListOf(SCALAR, (self.size,)), (self.size,)).schema(of)


AXIS = Axis()
LAW = Law()
