"""The joints of all objects as a tree from the base, and the joints that close loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from mbconcord.model import Location
from mbconcord.records import dataclass

from ..tree import UmBlock
from .joints import TYPES, UmStep, leave_out, reverse, shift, six_degrees, steps
from .reading import BASE, EXTERNAL, Thing, UmReading


@dataclass(frozen=True)
class UmEnd:
    """Target of an attribute such as bd1: a body by its full name, or the base (None)."""

    body: str | None


@dataclass(frozen=True)
class UmLink:
    """A joint: its name, the bodies it joins (None: the base), its steps from the first to the second.

    ``is_seen`` is False if no file seen has the type of the joint: it is left out, and its bodies move freely.
    """

    name: str
    thing: Thing
    block: UmBlock
    first: str | None
    second: str | None
    steps: list[UmStep]
    is_seen: bool = True


@dataclass(frozen=True)
class Branch:
    """A joint in the tree: the body it carries, its parent, the steps between, and whether it is reversed."""

    link: UmLink
    parent: str | None
    child: str
    steps: list[UmStep]
    reversed: bool


@dataclass(frozen=True)
class UmTree:
    """Branches in the order of the joints in the file; bodies with parents first; the joints that close loops.

    ``carrying`` has the branch that carries each body.
    """

    branches: list[Branch]
    carrying: dict[str, Branch]
    order: list[str]
    cuts: list[UmLink]


def links(things: list[Thing], reading: UmReading) -> list[UmLink]:
    """Read the joints of all objects in order: the main object first."""
    bodies = {thing.full_name(name) for thing in things for name in thing.bodies}
    made: list[UmLink] = []
    for thing in things:
        for subsystem in thing.left.values():
            reading.omit("subsystem", subsystem, thing, "unknown")
        names: set[str] = set()
        for block in thing.main.all("joint"):
            reading.single(block)
            name = block.text("name")
            if name in names:
                found = f"found a second joint {name!r}, expected a name of its own"
                reading.findings.refuse(block.locate(reading.file), found, "rename it")
            names.add(name)
            outside = [key for key in ("bd1", "bd2") if thing.leads_out(block.text(key))]
            one, other = (
                UmEnd(None) if key in outside else find_end(block, key, thing, bodies, reading)
                for key in ("bd1", "bd2")
            )
            if len(outside) == 2:
                continue  # it stands in what is left out
            way = leave_out(block, thing, reading) if outside else steps(block, thing, reading)
            if way is None or one is None or other is None:
                continue
            first, second = one.body, other.body
            if first == second:
                found = f"found a joint of {first or BASE} with itself, expected two bodies"
                reading.findings.refuse(block.locate(reading.file), found)
                continue
            seen = block.get("type") in TYPES and not outside
            steps_between = _from_base(way, first, second, thing)
            made.append(UmLink(thing.full_name(name), thing, block, first, second, steps_between, seen))
    return made


def _from_base(way: list[UmStep], first: str | None, second: str | None, thing: Thing) -> list[UmStep]:
    """Add the position of a subsystem's Base0 in the main object to the steps, at the end that is on the base."""
    if first is None:
        return [*shift(thing.shift), *way]
    if second is None:
        return [*way, *(step.reverse() for step in reversed(shift(thing.shift)))]
    return way


def find_end(block: UmBlock, key: str, thing: Thing, bodies: set[str], reading: UmReading) -> UmEnd | None:
    """Return the end that an attribute names; None if it is outside the model, or, with a finding, if it is unknown."""
    attribute = block.attribute(key)
    name = block.text(key)
    at = attribute.value_at(reading.file) if attribute else block.locate(reading.file)
    if name == BASE:
        return UmEnd(None)
    if (name == EXTERNAL and block.keyword != "joint") or thing.leads_out(name):
        return None
    full = thing.full_name(name)
    if full in bodies:
        return UmEnd(full)
    known = ", ".join([BASE, *sorted(n for n in bodies if not thing.path or n.startswith(thing.full_name("")))][:20])
    found = f"found {key}={name!r}, expected a body of this object" if name else f"found no {key}, expected a body"
    if name == EXTERNAL:
        found = f"found {key}={name!r} in a joint: to which body it leads is unknown [?]"
    reading.findings.refuse(at, found, f"known: {known}")
    return None


def tree(made: list[UmLink], things: list[Thing], reading: UmReading) -> UmTree:
    """Build the tree of the joints.

    A joint whose bodies are already connected by earlier joints in the file closes a loop: it is cut. (Which joint of a
    loop UM cuts is unknown [?]; the motion is the same.) A body to which no joint leads, and which has a ``jnt6dof`` of
    its own, is free.
    """
    groups = _Groups()
    kept: list[UmLink] = []
    cuts: list[UmLink] = []
    for link in sorted(made, key=lambda link: not link.is_seen):  # one that is left out closes no loop
        if groups.join(link.first, link.second):
            kept.append(link)
        elif link.is_seen:
            cuts.append(link)
    kept += _free(groups, things, reading)
    ranks = {id(thing): i for i, thing in enumerate(things)}
    kept.sort(key=lambda link: ranks[id(link.thing)])  # stable: a free body's own joint comes after the others
    at = {thing.full_name(name): block.locate(reading.file) for thing in things for name, block in thing.bodies.items()}
    for link in cuts:
        where, message = (link.block.locate(reading.file), f"the joint {link.name} closes a loop: it is cut [?]")
        reading.findings.remark("note", f"cut {link.name}", where, message, "", f"constraints/{link.name}")
    branches = _direct_branches(kept)
    order = _order([name for name in at if groups.same(None, name)], branches)
    placed = set(order)
    for name in at:
        if name not in placed:
            _loose(name, at[name], reading)
    by_link = {id(branch.link): branch for branch in branches.values()}
    return UmTree([by_link[id(link)] for link in kept if id(link) in by_link], branches, order, cuts)


def _loose(name: str, at: Location, reading: UmReading) -> None:
    message = f"found no joint that leads from {BASE} to the body {name}, expected one"
    remedy = "join it to Base0, for example by a joint 6dof; what UM does with it is unknown [?]"
    reading.findings.refuse(at, message, remedy, f"bodies/{name}")


class _Groups:
    """Sets of connected bodies."""

    def __init__(self) -> None:
        self.parent: dict[str | None, str | None] = {}

    def root(self, name: str | None) -> str | None:
        while (above := self.parent.get(name, name)) != name:
            self.parent[name] = self.parent.get(above, above)
            name = above
        return name

    def same(self, a: str | None, b: str | None) -> bool:
        return self.root(a) == self.root(b)

    def join(self, a: str | None, b: str | None) -> bool:
        if self.same(a, b):
            return False
        self.parent[self.root(a)] = self.root(b)
        return True


def _free(groups: _Groups, things: list[Thing], reading: UmReading) -> Iterator[UmLink]:
    """Yield a joint from the base for each body with a jnt6dof of its own that no joint connects to the base."""
    for thing in things:
        for name, block in thing.bodies.items():
            own = block.all("jnt6dof")
            if not own or not groups.join(None, thing.full_name(name)):
                continue
            at = own[0].locate(reading.file)
            message = f"no joint leads to the body {thing.full_name(name)}: it is free by its own jnt6dof [I]"
            remedy = "the place of its coordinates among those of the joints is unknown [?]"
            reading.findings.remark("warning", "free body", at, message, remedy)
            way = six_degrees(own[0], thing, reading)
            if way is not None:
                yield UmLink(
                    thing.full_name(name), thing, block, None, thing.full_name(name), [*shift(thing.shift), *way]
                )


def _direct_branches(kept: list[UmLink]) -> dict[str, Branch]:
    """Return branches by the body they carry, directed from the base."""
    joined: dict[str | None, list[UmLink]] = {}
    for link in kept:
        joined.setdefault(link.first, []).append(link)
        joined.setdefault(link.second, []).append(link)
    branches: dict[str, Branch] = {}
    pending: deque[str | None] = deque([None])
    done: set[int] = set()
    while pending:
        parent = pending.popleft()
        for link in joined.get(parent, ()):
            if id(link) in done:
                continue
            done.add(id(link))
            backwards = link.second == parent
            child = link.first if backwards else link.second
            assert child is not None
            way = reverse(link.steps) if backwards else link.steps
            branches[child] = Branch(link, parent, child, way, backwards)
            pending.append(child)
    return branches


def _order(names: list[str], branches: dict[str, Branch]) -> list[str]:
    """Order the bodies as in the file, but parents first."""
    order: dict[str, None] = {}
    for name in names:
        way = []
        at: str | None = name
        while at is not None and at not in order and at in branches:
            way.append(at)
            at = branches[at].parent
        order.update(dict.fromkeys(reversed(way)))
    return list(order)
