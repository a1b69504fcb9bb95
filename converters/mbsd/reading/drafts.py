"""Bodies, connectors and names of an outline: counters, default names, references; no formula is read yet."""

from __future__ import annotations

from lark import Tree

from mbconcord.model.diagnostics import Location, ReadError, among
from mbconcord.model.expressions.formula import Use, build
from mbconcord.model.expressions.formula_errors import RESERVED
from mbconcord.records import dataclass, field

from ..syntax import default_name
from .items import (
    Braces,
    Chain,
    Connector,
    Degree,
    Item,
    MbsdMass,
    MbsdName,
    MbsdShift,
    MbsdWeight,
    Outline,
    Segment,
    Tensor,
    Value,
)


def _list_names(value: Value | None, file: str) -> list[Use] | None:
    """List uses of names, except functions, in a formula; None without one or after an error, reported later."""
    if not isinstance(value, Tree):
        return None
    called = {str(node.children[0]).partition("'")[0] for node in value.find_data("call")}
    try:
        return [use for use in build(value, file, called)[1] if use.kind not in ("call", "length")]
    except ReadError:
        return None


@dataclass(frozen=True, slots=True)
class Move:
    """A transformation of a body or an offset; ``name`` is a coordinate's name or a default parameter's.

    The name of a map is that of the coordinate that the map introduces, or empty.
    """

    item: MbsdShift | Degree | Braces
    name: str


@dataclass(frozen=True, slots=True)
class MapDraft:
    """A map of coordinates, and its index among the moves of a body."""

    moves: list[Move]
    number: int
    item: Degree


@dataclass(slots=True)
class BodyDraft:
    """A body before its formulas are read."""

    number: int
    name: str
    parent: str | None
    at: Location
    named: bool
    moves: list[Move] = field(default_factory=list)
    mass: MbsdMass | None = None
    tensor: Tensor | None = None
    centre: Braces | None = None

    @property
    def turns_last(self) -> bool:
        """True if the last transformation is a rotational coordinate, which has default inertias."""
        last = self.moves[-1].item if self.moves else None
        return isinstance(last, Degree) and last.rotational


@dataclass(slots=True)
class LinkDraft:
    """A connector before its formulas are read; the bodies it joins, None for the fixed frame."""

    connector: Connector
    name: str
    first: str | None
    left: list[Move]
    second: str | None
    right: list[Move]


@dataclass
class Drafts:
    """All bodies and connectors; ``coordinates`` and ``auxiliary`` map names of coordinates to locations."""

    bodies: list[BodyDraft] = field(default_factory=list)
    links: list[LinkDraft] = field(default_factory=list)
    weight: MbsdWeight | None = None
    coordinates: dict[str, Location] = field(default_factory=dict)
    auxiliary: dict[str, Location] = field(default_factory=dict)


def drafts(plan: Outline) -> Drafts:
    """Draft all bodies and connectors; errors go into the outline's findings."""
    return _MbsdDraft(plan).result


class _MbsdDraft:
    def __init__(self, plan: Outline) -> None:
        self.plan = plan
        self.result = Drafts()
        self.counters: dict[str, int] = {}
        self.known: dict[str, Location] = {}
        self.author = {
            item.name
            for chain in plan.chains
            for segment in chain.bodies
            for item in segment.items
            if isinstance(item, MbsdName) and item.name is not None
        }
        self.later = set(self.author)
        for item in plan.common:
            if isinstance(item, MbsdWeight):
                self._weigh(item)
        self.maps: list[MapDraft] = []
        for chain in plan.chains:
            self._chain(chain)
        self._name_maps()

    def _chain(self, chain: Chain) -> None:
        at = self._find_body(chain.root)
        for segment in chain.bodies:
            at = self._body(segment, at)
        if chain.connector is not None:
            closure = chain.connector.kind == "closure"
            left = self._moves(chain.left.items if chain.left else (), offset=not closure, auxiliary=True)
            right = self._moves(chain.right.items if chain.right else (), offset=True)
            end = MbsdName(chain.end.name, chain.end.at) if chain.end else None
            kind = str(chain.connector.kind)
            name = self._link_name(kind)
            self.result.links.append(LinkDraft(chain.connector, name, at, left, self._find_body(end), right))

    def _link_name(self, kind: str) -> str:
        return f"{kind}{self._count(kind)}"

    def _find_body(self, reference: MbsdName | None) -> str | None:
        if reference is None or reference.name is None:
            return None
        name = reference.name
        if name not in self.known:
            if name in self.later:
                message, remedy = (f"the body {name!r} is defined later; expected an earlier one", "change the order")
            else:
                message = f"found #{name}, but there is no body {name!r}"
                remedy = f"{among(name, self.known)}; the fixed frame is #0"
            self.plan.findings.refuse(reference.at, message, remedy)
        return name

    def _body(self, segment: Segment, parent: str | None) -> str:
        number = len(self.result.bodies) + 1
        given = next((item for item in segment.items if isinstance(item, MbsdName)), None)
        if given is not None and given.name is None:
            self.plan.findings.refuse(
                given.at, "found #0 as the name of a body; it is the fixed frame", "choose another name"
            )
        name = given.name if given is not None and given.name else f"body{number}"
        while given is None and name in self.author:
            name += "_"
        if name in self.known and given is not None:
            first = self.known[name]
            message = f"found a second body {name!r}; the first is in line {first.line}, column {first.column}"
            self.plan.findings.refuse(given.at, message, "names are unique")
        at = segment.items[0].at if segment.items else segment.at
        body = BodyDraft(number, name, parent, at, given is not None)
        body.moves = self._moves(segment.items)
        for item in segment.items:
            if isinstance(item, MbsdMass):
                body.mass = item
            elif isinstance(item, Tensor):
                body.tensor = item
            elif isinstance(item, Braces) and item.centre:
                body.centre = item
        self.result.bodies.append(body)
        self.known.setdefault(name, at if given is None else given.at)
        self.later.discard(name)
        return name

    def _moves(self, items: tuple[Item, ...], offset: bool = False, auxiliary: bool = False) -> list[Move]:
        moves: list[Move] = []
        for item in items:
            if isinstance(item, MbsdWeight):
                self._weigh(item)
            elif isinstance(item, MbsdShift):
                number = self._count(item.letter)
                moves.append(Move(item, "" if item.value is not None else default_name(item.letter, number)))
            elif isinstance(item, Degree):
                if offset:
                    message = f"found the coordinate {item.letter!r} in the offset of a rod or bipolar element"
                    self.plan.findings.refuse(
                        item.at, f"{message}, expected constant shifts", "coordinates may stand before '='"
                    )
                elif item.map is not None:
                    self._count(item.letter)
                    if auxiliary:
                        message = "found a map of coordinates in a cut joint, expected a coordinate of its own"
                        self.plan.findings.refuse(item.at, message, "maps stand in joints of bodies")
                    self.maps.append(MapDraft(moves, len(moves), item))
                    moves.append(Move(item, ""))
                    continue
                moves.append(Move(item, self._degree(item, auxiliary)))
            elif isinstance(item, Braces) and not item.centre:
                moves.append(Move(item, ""))
        return moves

    def _name_maps(self) -> None:
        """Find the coordinate that each map introduces: the only name in it of no known coordinate or parameter."""
        known = {*self.result.coordinates, *self.result.auxiliary, *(a.name for a in self.plan.assignments), *RESERVED}
        known |= {move.name for body in self.result.bodies for move in body.moves if isinstance(move.item, MbsdShift)}
        for n in range(1, len(self.result.bodies) + 1):
            known |= {f"{stem}{n}" for stem in ("m", "Ix", "Iy", "Iz", "rho_x", "rho_y", "rho_z")}
        for draft in self.maps:
            item, found = draft.item, dict[str, Location]()
            uses = _list_names(item.map, self.plan.findings.file)
            if not any(use.name in self.result.coordinates or use.name not in known for use in uses or ()):
                if uses is not None:
                    message = "found no coordinate in the brackets after a coordinate letter"
                    remedy = "an initial position is written °(value), a repetition follows a blank"
                    expected = "expected (name) or a formula of coordinates"
                    self.plan.findings.refuse(item.named_at, f"{message}, {expected}", remedy)
                continue
            for use in uses or ():
                if use.name not in known:
                    found.setdefault(use.name, Location(self.plan.findings.file, use.line, use.column))
            if len(found) > 1:
                message = f"found the new names {', '.join(found)} in a map, expected one at most"
                remedy = "assign a value to those of parameters, or give a coordinate a joint of its own"
                self.plan.findings.refuse(item.named_at, message, remedy)
            elif item.suffixes and not found:
                suffix = next(iter(item.suffixes.values()))
                message = f"found {suffix.sign!r} on a map without a coordinate of its own"
                self.plan.findings.refuse(suffix.at, message, "put it behind the letter of the coordinate's joint")
            for name, at in found.items():
                known.add(name)
                self.result.coordinates.setdefault(name, at)
                draft.moves[draft.number] = Move(item, name)
                note = f"{name} is a coordinate that moves this joint, since nothing gives it a value"
                self.plan.findings.note(item.at, f"coordinates/{name}", note)

    def _degree(self, item: Degree, auxiliary: bool) -> str:
        number = self._count(item.letter)
        name = item.name or default_name(item.letter, number)
        first = self.result.coordinates.get(name) or self.result.auxiliary.get(name)
        if first is not None:
            message = f"a second coordinate {name!r}; the first is in line {first.line}, column {first.column}"
            remedy = "name one of them otherwise" if item.name else f"{name} is the default name of this letter"
            self.plan.findings.refuse(item.named_at, message, remedy)
        (self.result.auxiliary if auxiliary else self.result.coordinates).setdefault(name, item.named_at)
        if auxiliary and item.suffixes:
            suffix = next(iter(item.suffixes.values()))
            self.plan.findings.refuse(
                suffix.at,
                f"found {suffix.sign!r} on a cut joint's coordinate, which has no initial value and no force",
                "expected none: its motion follows from the closure",
            )
        return name

    def _count(self, letter: str) -> int:
        self.counters[letter] = self.counters.get(letter, 0) + 1
        return self.counters[letter]

    def _weigh(self, item: MbsdWeight) -> None:
        if self.result.weight is not None:
            first = self.result.weight.at
            message = f"a second gravity; the first is in line {first.line}, column {first.column}"
            self.plan.findings.refuse(item.at, message, "a text has one g")
        else:
            self.result.weight = item
