"""Items of an MBSD text as values, each with its place. A value is a formula's tree or a number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from lark import Token, Tree

from mbconcord.model.diagnostics import Location

Value: TypeAlias = Tree[Token] | Token


@dataclass(frozen=True, slots=True)
class Shift:
    """``i j k`` and ``l m n``: a constant or prescribed shift or rotation; factor ``-``, ``2*`` or empty."""

    letter: str
    factor: str
    value: Value | None
    at: Location


@dataclass(frozen=True, slots=True)
class Suffix:
    """What follows a coordinate: ``°`` initial position, ``'`` initial velocity, ``"`` joint force."""

    sign: str
    value: Value | None
    at: Location


@dataclass(frozen=True, slots=True)
class Degree:
    """``u … z``: a degree of freedom with its name, direction and suffixes by sign.

    ``named_at`` is the place of the name, or of the letter where it has none.
    """

    letter: str
    reverse: bool
    name: str | None
    at: Location
    named_at: Location
    suffixes: dict[str, Suffix] = field(default_factory=dict)

    @property
    def rotational(self) -> bool:
        """True for a rotation."""
        return self.letter in "xyz"


@dataclass(frozen=True, slots=True)
class Mass:
    """``$ value``."""

    value: Value
    at: Location


@dataclass(frozen=True, slots=True)
class Tensor:
    """``[…]``: no value, three or six."""

    values: tuple[Value, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Braces:
    """``{…}``: a shift or a centre of mass."""

    values: tuple[Value, ...]
    at: Location
    centre: bool = False


@dataclass(frozen=True, slots=True)
class Weight:
    """``g``: gravity's value and direction: an axis letter with its sign, or a vector, or neither."""

    value: Value | None
    direction: str | Braces | None
    at: Location


@dataclass(frozen=True, slots=True)
class Name:
    """``#name``; ``#0`` has the name None."""

    name: str | None
    at: Location


@dataclass(frozen=True, slots=True)
class Next:
    """``>``."""

    at: Location


@dataclass(frozen=True, slots=True)
class Connector:
    """``:(…)``, ``:"(…)`` or ``=``."""

    kind: str
    values: tuple[Value, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Back:
    """``< #name``."""

    name: str | None
    at: Location


Item = Shift | Degree | Mass | Tensor | Braces | Weight | Name | Next | Connector | Back


@dataclass(frozen=True, slots=True)
class Segment:
    """What stands between separators."""

    items: tuple[Item, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Chain:
    """Bodies carried one by another, or a connector between two points, or both.

    ``root`` is the leading reference; ``offset`` and ``end`` belong to the connector.
    """

    root: Name | None
    bodies: tuple[Segment, ...]
    at: Location
    connector: Connector | None = None
    left: Segment | None = None
    right: Segment | None = None
    end: Back | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """``name = formula`` or ``name(arguments) = formula``."""

    name: str
    arguments: tuple[str, ...] | None
    value: Value
    at: Location
