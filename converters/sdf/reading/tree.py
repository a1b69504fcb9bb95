"""The open tree of links: which joint carries each, which joints close loops, and which links no joint carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .joints import Joint
from .scopes import Frame


@dataclass
class Tree:
    """Links that hang on the world.

    Attributes
    ----------
    carrying : link -> its joint and whether that is passed from its child to its parent
    free : links that nothing carries, in the order of the file
    fixed : links of models that do not move
    closing : joints that close loops
    still : joints of models that do not move
    """

    carrying: dict[Frame, tuple[Joint, bool]] = field(default_factory=dict)
    free: list[Frame] = field(default_factory=list)
    fixed: list[Frame] = field(default_factory=list)
    closing: list[Joint] = field(default_factory=list)
    still: list[Joint] = field(default_factory=list)
    order: list[Frame] = field(default_factory=list)

    def parent(self, link: Frame) -> Frame | None:
        """The link that carries another, or the world; None of those that nothing carries."""
        if link not in self.carrying:
            return None
        joint, inward = self.carrying[link]
        return joint.child if inward else joint.parent

    @property
    def joints(self) -> Iterator[Joint]:
        """The joints that carry links."""
        return (joint for joint, _ in self.carrying.values())


def tree(world: Frame, links: Iterable[Frame], joints: Iterable[Joint]) -> Tree:
    """The tree of all links: from the world, then from the first link that no joint carries, and so on.

    Of the joints around a loop the last in the file closes it. A joint is passed from its child to its parent where the
    parent hangs on the child.
    """
    made, links = Tree(), list(links)
    made.fixed = [link for link in links if link.scope.static]
    grounded = {id(world), *map(id, made.fixed)}
    group = {id(link): id(link) for link in (world, *links)} | dict.fromkeys(grounded, id(world))
    held: dict[int, list[Joint]] = {}
    for joint in joints:
        one, other = (_group(id(end), group) for end in (joint.parent, joint.child))
        if one != other:
            group[other] = one
            for end in (joint.parent, joint.child):
                held.setdefault(id(end), []).append(joint)
        elif id(joint.parent) in grounded and id(joint.child) in grounded:
            made.still.append(joint)
        else:
            made.closing.append(joint)
    reached = set(grounded)
    _grow(made, held, reached, [*grounded])
    children = {id(joint.child) for joints_of in held.values() for joint in joints_of}
    for certain in (
        True,
        False,
    ):  # first the links that no joint carries, then what is left: joints to one another
        for link in links:
            if id(link) not in reached and not (certain and id(link) in children):
                made.free.append(link)
                reached.add(id(link))
                _grow(made, held, reached, [id(link)])
    made.order = [*_outward(made, links)]
    return made


def _group(at: int, group: dict[int, int]) -> int:
    """Which links hang together: those with the same answer."""
    while group[at] != at:
        group[at] = group[group[at]]
        at = group[at]
    return at


def _grow(made: Tree, held: dict[int, list[Joint]], reached: set[int], new: list[int]) -> None:
    """Carry what hangs on what is reached, as far as it goes."""
    while new:
        at = new.pop(0)
        for joint in held.get(at, ()):
            inward = id(joint.child) == at
            end = joint.parent if inward else joint.child
            if id(end) not in reached:
                made.carrying[end] = (joint, inward)
                reached.add(id(end))
                new.append(id(end))


def _outward(made: Tree, links: list[Frame]) -> Iterator[Frame]:
    """Links so that each stands behind what carries it, else in the order of the file."""
    given: set[int] = set()
    for link in links:
        way: list[Frame] = []
        at: Frame | None = link
        while at is not None and at.kind == "link" and id(at) not in given:
            way.append(at)
            at = made.parent(at)
        for found in reversed(way):
            given.add(id(found))
            yield found
