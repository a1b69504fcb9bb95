"""Origins of links slid along the axes of their joints: fewer components of the offsets from link to link.

A joint does not care which point of its axis is its link's origin, and every component of an offset that
vanishes saves products on the way out and on the way in. From the base to the tips each origin goes to the point
where an offset loses a component, which what the link carries makes up for; so frames come to stand on common normals
as in Denavit & Hartenberg 1955. Lengths are exact, so all functions remain what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from mbconcord.model.expressions import ZERO, Expression, evaluate

from .links import Link
from .rotations import UNITS
from .tree import NULL, Place, Tree
from .vectors import Vector, along, plus, times, transposed, triple


def slid(tree: Tree) -> Tree:
    """The same tree, links with other origins, the bodies' frames where they are."""
    links, slides = [*tree.links], [ZERO] * len(tree.links)
    carried: list[list[int]] = [[] for _ in links]
    for i, link in enumerate(links):
        if link.parent >= 0:
            carried[link.parent].append(i)
    for i, own in enumerate(carried):
        for slide in _slides(links[i], [links[k] for k in own]):
            moved, *children = _after(links[i], [links[k] for k in own], slide)
            if _components([moved, *children]) > _components([links[i], *(links[k] for k in own)]):
                continue
            slides[i], links[i] = slide, moved
            for k, child in zip(own, children, strict=True):
                links[k] = child
            break
    places = {name: _seen(place, links, slides) for name, place in tree.places.items()}
    return Tree(tuple(links), places)


def _slides(link: Link, children: Sequence[Link]) -> Iterator[Expression]:
    """Lengths along its axis (m) by which a link's origin may slide, the best first.

    They take the largest component of the axis out of the offset from the carrier. Offsets from the fixed frame cost
    nothing: there it is the component along the axis of an offset of what the link carries.
    """
    if link.parent < 0:
        yield from islice((child.shift[link.axis] for child in children if child.shift[link.axis]), 2)
        return
    e = _axis(link)
    if all(x.constant for x in e):
        k = _largest(e)
        if link.shift[k]:
            yield -(link.shift[k] / e[k])


def _after(link: Link, children: Sequence[Link], slide: Expression) -> list[Link]:
    """A link whose origin has slid, and what it carries."""
    e = _axis(link)
    shift = [*plus(link.shift, times(e, slide))]
    if link.parent >= 0:
        shift[_largest(e)] = ZERO  # by the choice of the slide: the sum need not see it
    back = along(NULL, link.axis, -slide)
    moved = replace(link, shift=triple(shift), mass=link.mass.shifted(back))
    return [moved, *(replace(child, shift=plus(child.shift, back)) for child in children)]


def _seen(place: Place, links: Sequence[Link], slides: Sequence[Expression]) -> Place:
    """A frame fixed to a link, from the origin that the link has now."""
    if place.link < 0:
        return place
    return replace(place, shift=along(place.shift, links[place.link].axis, -slides[place.link]))


def _axis(link: Link) -> Vector:
    """The joint's axis in the carrier's axes."""
    return transposed(link.turn or UNITS)[link.axis]


def _largest(e: Vector) -> int:
    """The component of a constant unit vector that is at least 1/√3."""
    sizes = [abs(float(x)) for x in evaluate(e, {})]
    return sizes.index(max(sizes))


def _components(links: Sequence[Link]) -> int:
    """Components of the offsets of links that a link carries."""
    return sum(bool(x) for link in links if link.parent >= 0 for x in link.shift)
