"""Bodies, connectors and names of an outline: counters, default names, references; no formula is read yet."""

from __future__ import annotations

from mbconcord.model.diagnostics import Location, among
from mbconcord.records import dataclass, field

from ..angles import default_name
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
)


@dataclass(frozen=True, slots=True)
class Move:
    """A transformation of a body or an offset; ``name`` is a coordinate's name or a default parameter's."""

    item: MbsdShift | Degree | Braces
    name: str


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
    """All items by name; ``coordinates`` and ``auxiliary`` map names to places."""

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
        for chain in plan.chains:
            self._chain(chain)

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
                moves.append(Move(item, self._degree(item, auxiliary)))
            elif isinstance(item, Braces) and not item.centre:
                moves.append(Move(item, ""))
        return moves

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
