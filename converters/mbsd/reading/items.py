"""Items of an MBSD text as values, each with its place. A value is a formula's tree or a number."""

from __future__ import annotations

from typing import Any, TypeAlias

from lark import Token, Tree

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location
from mbconcord.model.expressions.formula import first_token
from mbconcord.model.limits import count
from mbconcord.records import dataclass, field

# One item of an MBSD text from its part of the parse tree; what is wrong with it goes to the findings.


def describe(item: Item) -> str:
    """Describe an item in words."""
    if isinstance(item, Braces):
        return "centre of mass '{'"
    words = {MbsdMass: "mass '$'", Tensor: "inertia '['", MbsdWeight: "gravity 'g'", MbsdName: "name '#'"}
    return words.get(type(item), "item")


def read_item(node: Any, found: Outline) -> Any:
    """Read one item of the tree; suffixes are :class:`Suffix`."""
    if isinstance(node, Token):
        at = found.locate(node)
        if node.type == "BODY":
            return MbsdName(_body(node), at)
        return Connector("closure", (), at) if node.type == "CLOSURE" else Next(at)
    children = node.children
    token = first_token(node)
    at = found.locate(token) if token is not None else Location(found.findings.file, node.meta.line, node.meta.column)
    kind = node.data
    if kind == "constant":
        factor = str(children[0]) if children[0].type in ("SIGN", "COEFFICIENT") else ""
        letter = next(c for c in children if isinstance(c, Token) and c.type == "CONSTANT")
        return MbsdShift(str(letter), "".join(factor.split()), _value(children[children.index(letter) + 1 :]), at)
    if kind == "coordinate":
        return _degree(children, found)
    if kind in ("initial_position", "initial_velocity", "joint_force"):
        sign = {"initial_position": "°", "initial_velocity": "'", "joint_force": '"'}[kind]
        return Suffix(sign, _value(children[1:]), at)
    values = tuple(c for c in children if isinstance(c, Tree))
    if kind == "mass":
        value = _value(children[1:])
        assert value is not None
        return MbsdMass(value, at)
    if kind == "inertia":
        if len(values) not in (0, 3, 6):
            found.findings.refuse(
                at, f"{count(len(values), 'value')} of inertia, expected none, 3 or 6", "[Ixx,Iyy,Izz,Ixy,Ixz,Iyz]"
            )
        return Tensor(values if len(values) in (0, 3, 6) else (), at)
    if kind == "braces":
        if len(values) not in (0, 2, 3):
            found.findings.refuse(at, f"{count(len(values), 'value')} in braces, expected 2 or 3 (none: the default)")
        return Braces(values if len(values) in (0, 2, 3) else (*values, *values, *values)[:3], at)
    if kind == "gravity":
        return _weight(children, found, at)
    if kind == "back":
        return Back(_body(children[-1]), at)
    return Connector(kind, values, at)


def _body(token: Token) -> str | None:
    return None if token == "#0" else str(token[1:])


def _value(children: list[Any]) -> Value | None:
    for child in children:
        if isinstance(child, Tree) or child.type == "SIGNED_NUMBER":
            value: Value = child
            return value
    return None


def _degree(children: list[Any], found: Outline) -> Degree:
    letter = next(c for c in children if isinstance(c, Token) and c.type == "COORDINATE")
    sign = children[0] if children[0] is not letter else None
    if sign is not None and sign.type == "COEFFICIENT":
        found.findings.refuse(
            found.locate(sign),
            f"found the factor {str(sign)!r} before the coordinate {str(letter)!r}, expected at most a sign",
            "a factor belongs to a shift or rotation i…n",
        )
    at = found.locate(letter)
    reverse = sign is not None and sign.startswith("-")
    bracketed = next((c for c in children if isinstance(c, Token) and c.type == "COORDINATE_NAME"), None)
    if bracketed is None:
        value = next((c for c in children if isinstance(c, Tree)), None)
        return Degree(str(letter), reverse, None, at, at, map=value)
    start, name = found.locate(bracketed), bracketed[1:-1].strip()
    before = bracketed[: bracketed.index(name)]
    line = start.line + before.count("\n")
    column = start.column + len(before) if line == start.line else len(before) - before.rindex("\n")
    return Degree(str(letter), reverse, name, at, Location(start.file, line, column))


def _weight(children: list[Any], found: Outline, at: Location) -> MbsdWeight:
    vector = next((c for c in children if isinstance(c, Tree) and c.data == "braces"), None)
    value = _value([c for c in children[1:] if c is not vector])
    if vector is not None:
        braces = read_item(vector, found)
        if not braces.values:
            found.findings.refuse(braces.at, "found '{}', expected a direction {x,y,z} after g")
            return MbsdWeight(value, None, at)
        return MbsdWeight(value, braces, at)
    axis = next((c for c in children[1:] if isinstance(c, Token) and c.type in ("CONSTANT", "COORDINATE")), None)
    if axis is None:
        return MbsdWeight(value, None, at)
    if axis in "lmn":
        found.findings.refuse(found.locate(axis), f"found {str(axis)!r} after g, expected an axis i j k u v w x y z")
        return MbsdWeight(value, None, at)
    minus = any(isinstance(c, Token) and c.type == "SIGN" and c == "-" for c in children)
    return MbsdWeight(value, ("-" if minus else "") + "xyz"["ijkuvwxyz".index(axis) % 3], at)


# The outline of an MBSD text: its chains, global items and assignments, before any formula is read.


@dataclass
class Outline:
    """The parts of a text in order, and its errors."""

    findings: Findings
    chains: list[Chain] = field(default_factory=list)
    common: list[Item] = field(default_factory=list)
    assignments: list[MbsdAssignment] = field(default_factory=list)

    def locate(self, token: Token) -> Location:
        """Return the location of a token."""
        return Location(self.findings.file, token.line or 1, token.column or 1)


Value: TypeAlias = Tree[Token] | Token


@dataclass(frozen=True, slots=True)
class MbsdShift:
    """``i j k`` and ``l m n``: a constant or prescribed shift or rotation; factor ``-``, ``2*`` or empty."""

    letter: str
    factor: str
    value: Value | None
    at: Location


@dataclass(frozen=True, slots=True)
class Suffix:
    """Suffix of a coordinate: ``°`` initial position, ``'`` initial velocity, ``"`` joint force."""

    sign: str
    value: Value | None
    at: Location


@dataclass(frozen=True, slots=True)
class Degree:
    """``u … z``: a degree of freedom with its name, direction and suffixes by sign; or a map of coordinates.

    ``named_at`` is the place of the name, or of the letter where it has none.
    """

    letter: str
    reverse: bool
    name: str | None
    at: Location
    named_at: Location
    suffixes: dict[str, Suffix] = field(default_factory=dict)
    map: Value | None = None

    @property
    def rotational(self) -> bool:
        """True for a rotation."""
        return self.letter in "xyz"


@dataclass(frozen=True, slots=True)
class MbsdMass:
    """Mass of a body: ``$ value``."""

    value: Value
    at: Location


@dataclass(frozen=True, slots=True)
class Tensor:
    """Inertia tensor ``[…]``: no value, three or six."""

    values: tuple[Value, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Braces:
    """``{…}``: a shift or a centre of mass."""

    values: tuple[Value, ...]
    at: Location
    centre: bool = False


@dataclass(frozen=True, slots=True)
class MbsdWeight:
    """``g``: gravity's value and direction: an axis letter with its sign, or a vector, or neither."""

    value: Value | None
    direction: str | Braces | None
    at: Location


@dataclass(frozen=True, slots=True)
class MbsdName:
    """Name of a body ``#name``; the fixed frame ``#0`` has the name None."""

    name: str | None
    at: Location


@dataclass(frozen=True, slots=True)
class Next:
    """Sign ``>``: the next body of a chain follows."""

    at: Location


@dataclass(frozen=True, slots=True)
class Connector:
    """Rod ``:(…)``, bipolar force ``:"(…)`` or closure ``=``."""

    kind: str
    values: tuple[Value, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Back:
    """End of a connector ``< #name``: the body to which it leads."""

    name: str | None
    at: Location


Item = MbsdShift | Degree | MbsdMass | Tensor | Braces | MbsdWeight | MbsdName | Next | Connector | Back


@dataclass(frozen=True, slots=True)
class Segment:
    """Items of a body or of an offset, between separators."""

    items: tuple[Item, ...]
    at: Location


@dataclass(frozen=True, slots=True)
class Chain:
    """Bodies carried one by another, or a connector between two points, or both.

    ``root`` is the body referred to at the start; ``left``, ``right`` (offsets) and ``end`` belong to the connector.
    """

    root: MbsdName | None
    bodies: tuple[Segment, ...]
    at: Location
    connector: Connector | None = None
    left: Segment | None = None
    right: Segment | None = None
    end: Back | None = None


@dataclass(frozen=True, slots=True)
class MbsdAssignment:
    """Assignment ``name = formula`` or ``name(arguments) = formula``."""

    name: str
    arguments: tuple[str, ...] | None
    value: Value
    at: Location
