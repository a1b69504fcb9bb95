"""Which body hangs on which: the joints of all objects as a tree from the base, and the joints that close loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from mbconcord.model import Location

from ..tree import Block
from .joints import Step, reverse, shift, six_degrees, steps
from .objects import BASE, EXTERNAL, Thing
from .reading import Reading


@dataclass(frozen=True)
class End:
    """What an attribute such as bd1 names: a body by its full name, or the base (None)."""

    body: str | None


@dataclass(frozen=True)
class Link:
    """A joint: its name, the bodies it joins (None: the base), its steps from the first to the second."""

    name: str
    thing: Thing
    block: Block
    first: str | None
    second: str | None
    steps: list[Step]


@dataclass(frozen=True)
class Branch:
    """A joint in the tree: the body it carries, the body it hangs on, the steps between, and whether reversed."""

    link: Link
    parent: str | None
    child: str
    steps: list[Step]
    reversed: bool


@dataclass(frozen=True)
class Tree:
    """Branches in the order of the joints in the file; bodies with parents first; the joints that close loops.

    ``carrying`` has the branch that carries each body.
    """

    branches: list[Branch]
    carrying: dict[str, Branch]
    order: list[str]
    cuts: list[Link]


def links(things: list[Thing], reading: Reading) -> list[Link]:
    """The joints of all objects in their order: the main object first."""
    bodies = {thing.named(name) for thing in things for name in thing.bodies}
    made: list[Link] = []
    for thing in things:
        names: set[str] = set()
        for block in thing.main.all("joint"):
            reading.single(block)
            name = block.text("name")
            if name in names:
                found = f"found a second joint {name!r}, expected a name of its own"
                reading.findings.refuse(block.at(reading.file), found, "rename it")
            names.add(name)
            one, other = (attached(block, key, thing, bodies, reading) for key in ("bd1", "bd2"))
            way = steps(block, thing, reading)
            if way is None or one is None or other is None:
                continue
            first, second = one.body, other.body
            if first == second:
                found = f"found a joint of {first or BASE} with itself, expected two bodies"
                reading.findings.refuse(block.at(reading.file), found)
                continue
            made.append(
                Link(thing.named(name), thing, block, first, second, _from_base(way, first, second, thing))
            )
    return made


def _from_base(way: list[Step], first: str | None, second: str | None, thing: Thing) -> list[Step]:
    """The steps with the place of a subsystem's Base0 in the main object's."""
    if first is None:
        return [*shift(thing.shift), *way]
    if second is None:
        return [*way, *(step.reversed() for step in reversed(shift(thing.shift)))]
    return way


def attached(block: Block, key: str, thing: Thing, bodies: set[str], reading: Reading) -> End | None:
    """What an attribute names; None, with a finding but for External in a force, when that is no body here."""
    attribute = block.attribute(key)
    name = block.text(key)
    at = attribute.value_at(reading.file) if attribute else block.at(reading.file)
    if name == BASE:
        return End(None)
    if name == EXTERNAL and block.keyword != "joint":
        return None
    full = thing.named(name)
    if full in bodies:
        return End(full)
    known = ", ".join(
        [BASE, *sorted(n for n in bodies if not thing.path or n.startswith(thing.named("")))][:20]
    )
    found = (
        f"found {key}={name!r}, expected a body of this object"
        if name
        else f"found no {key}, expected a body"
    )
    if name == EXTERNAL:
        found = f"found {key}={name!r} in a joint: to which body it leads is unknown [?]"
    reading.findings.refuse(at, found, f"known: {known}")
    return None


def tree(made: list[Link], things: list[Thing], reading: Reading) -> Tree:
    """The tree of the joints.

    A joint whose bodies hang together already by joints before it in the file closes a loop: it is cut. (Which
    joint of a loop UM cuts is unknown [?]; the motion is the same.) A body that no joint leads to, and that has a
    ``jnt6dof`` of its own, is free.
    """
    groups = _Groups()
    kept: list[Link] = []
    cuts: list[Link] = []
    for link in made:
        (kept if groups.join(link.first, link.second) else cuts).append(link)
    kept += _free(groups, things, reading)
    ranks = {id(thing): i for i, thing in enumerate(things)}
    kept.sort(
        key=lambda link: ranks[id(link.thing)]
    )  # stable: a free body's own joint comes after the others
    at = {
        thing.named(name): block.at(reading.file) for thing in things for name, block in thing.bodies.items()
    }
    for link in cuts:
        where, message = link.block.at(reading.file), f"the joint {link.name} closes a loop: it is cut [?]"
        reading.findings.remark("note", f"cut {link.name}", where, message, "", f"constraints/{link.name}")
    branches = _directed(kept)
    order = _order([name for name in at if groups.same(None, name)], branches)
    placed = set(order)
    for name in at:
        if name not in placed:
            _loose(name, at[name], reading)
    by_link = {id(branch.link): branch for branch in branches.values()}
    return Tree([by_link[id(link)] for link in kept if id(link) in by_link], branches, order, cuts)


def _loose(name: str, at: Location, reading: Reading) -> None:
    message = f"found no joint that leads from {BASE} to the body {name}, expected one"
    remedy = "join it to Base0, for example by a joint 6dof; what UM does with it is unknown [?]"
    reading.findings.refuse(at, message, remedy, f"bodies/{name}")


class _Groups:
    """Sets of bodies that hang together."""

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


def _free(groups: _Groups, things: list[Thing], reading: Reading) -> Iterator[Link]:
    """Joints of bodies that carry a jnt6dof of their own and hang on nothing else."""
    for thing in things:
        for name, block in thing.bodies.items():
            own = block.all("jnt6dof")
            if not own or not groups.join(None, thing.named(name)):
                continue
            at = own[0].at(reading.file)
            message = f"no joint leads to the body {thing.named(name)}: it is free by its own jnt6dof [I]"
            remedy = "the place of its coordinates among those of the joints is unknown [?]"
            reading.findings.remark("warning", "free body", at, message, remedy)
            way = six_degrees(own[0], thing, reading)
            if way is not None:
                yield Link(
                    thing.named(name), thing, block, None, thing.named(name), [*shift(thing.shift), *way]
                )


def _directed(kept: list[Link]) -> dict[str, Branch]:
    """Branches by the body they carry, seen from the base."""
    joined: dict[str | None, list[Link]] = {}
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
    """Bodies in the order of the file, but parents first."""
    order: dict[str, None] = {}
    for name in names:
        way = []
        at: str | None = name
        while at is not None and at not in order and at in branches:
            way.append(at)
            at = branches[at].parent
        order.update(dict.fromkeys(reversed(way)))
    return list(order)
