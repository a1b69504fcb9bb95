"""Shift of link origins along the axes of their joints, which makes components of offsets between links vanish.

Any point of a joint's axis may be its link's origin, and every vanishing component of an offset saves products in the
outward and the inward pass. From the base to the tips each origin moves to the point where an offset loses a component,
and the link's contents are shifted accordingly; frames end up on common normals as in Denavit & Hartenberg 1955.
Lengths are exact, so all functions remain the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from mbconcord.model.expressions import ZERO, Expression, evaluate

from .links import Link
from .tree import NULL, UNITS, Place, Tree
from .vectors import Vector, add_along_axis, plus, times, transpose, triple


def slid(tree: Tree) -> Tree:
    """Move link origins along their axes; the bodies' frames stay where they are."""
    links, slides = [*tree.links], [ZERO] * len(tree.links)
    carried: list[list[int]] = [[] for _ in links]
    for i, link in enumerate(links):
        if link.parent >= 0:
            carried[link.parent].append(i)
    for i, own in enumerate(carried):
        for slide in _slides(links[i], [links[k] for k in own]):
            moved, *children = _slide_link(links[i], [links[k] for k in own], slide)
            if _components([moved, *children]) > _components([links[i], *(links[k] for k in own)]):
                continue
            slides[i], links[i] = slide, moved
            for k, child in zip(own, children, strict=True):
                links[k] = child
            break
    places = {name: _shift_place(place, links, slides) for name, place in tree.places.items()}
    return Tree(tuple(links), places)


def _slides(link: Link, children: Sequence[Link]) -> Iterator[Expression]:
    """Yield lengths (m) by which a link's origin may slide along its axis, the best first.

    The slide makes the offset from the carrier zero along the axis's largest component. An offset from the fixed frame
    costs no operations; so there, slides make a carried link's offset zero along the axis.
    """
    if link.parent < 0:
        yield from islice((child.shift[link.axis] for child in children if child.shift[link.axis]), 2)
        return
    e = _axis(link)
    if all(x.constant for x in e):
        k = _largest(e)
        if link.shift[k]:
            yield -(link.shift[k] / e[k])


def _slide_link(link: Link, children: Sequence[Link], slide: Expression) -> list[Link]:
    """Return the link with its origin moved by ``slide``, then the links that it carries, with their new offsets."""
    e = _axis(link)
    shift = [*plus(link.shift, times(e, slide))]
    if link.parent >= 0:
        shift[_largest(e)] = ZERO  # by the choice of the slide: the sum need not see it
    back = add_along_axis(NULL, link.axis, -slide)
    moved = replace(link, shift=triple(shift), mass=link.mass.shift(back))
    return [moved, *(replace(child, shift=plus(child.shift, back)) for child in children)]


def _shift_place(place: Place, links: Sequence[Link], slides: Sequence[Expression]) -> Place:
    """Express a frame fixed to a link relative to the link's new origin."""
    if place.link < 0:
        return place
    return replace(place, shift=add_along_axis(place.shift, links[place.link].axis, -slides[place.link]))


def _axis(link: Link) -> Vector:
    """Return the joint's axis in the carrier's axes."""
    return transpose(link.turn or UNITS)[link.axis]


def _largest(e: Vector) -> int:
    """Return the index of the largest component of a constant unit vector, by absolute value."""
    sizes = [abs(float(x)) for x in evaluate(e, {})]
    return sizes.index(max(sizes))


def _components(links: Sequence[Link]) -> int:
    """Count the nonzero components of offsets, without links on the fixed frame."""
    return sum(bool(x) for link in links if link.parent >= 0 for x in link.shift)
