"""The joint of a body as joints of one coordinate each, with links without mass between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from mbconcord.model import Body, Constant, ElementaryTransformation, System
from mbconcord.model.transformation import Prescribed, Vector

from ..reading.motions import floating, planar
from ..vocabulary import FLOATING, PLANAR

Transformations = Sequence[ElementaryTransformation]


@dataclass(frozen=True, slots=True)
class Step:
    """One joint of a URDF.

    Attributes
    ----------
    name : of the joint; empty: it is fixed
    kind : "rotation", "translation", "planar", "floating" or "fixed"
    origin : constant transformations from the parent's frame to the joint's
    axis : direction in the joint's frame, None where it has none
    coordinates : of the model, in the order of the joint
    parent, child : the model's names of bodies, or names of links between
    """

    name: str
    kind: str
    origin: Transformations
    axis: Vector | None
    coordinates: tuple[str, ...]
    parent: str | None
    child: str


def steps(body: Body, system: System, single: Set[str], between: Callable[[str], str]) -> Iterator[Step]:
    """The joints that carry a body, from its parent on.

    ``single`` are coordinates that need a joint of their own, ``between(name)`` gives a link that is new. What moves in
    time stands as at t = 0.
    """
    joint = [_frozen(et) for et in body.joint]
    moving = [i for i, et in enumerate(joint) if et.coordinate]
    first = moving[0] if moving else len(joint)
    whole = _whole(joint[first:], system, single)
    if whole is not None:
        name, kind, axis, count = whole
        rest = joint[first + count :]
        link = between(f"{body.name}_{name}") if rest else body.name
        yield Step(name, kind, joint[:first], axis, body.coordinates, body.parent, link)
        if rest:
            yield Step("", "fixed", rest, None, (), link, body.name)
        return
    parent, constants = body.parent, list[ElementaryTransformation]()
    for i, et in enumerate(joint):
        if et.coordinate is None:
            constants.append(et)
            continue
        last = i == len(joint) - 1
        link = body.name if last else between(f"{body.name}_{et.coordinate}")
        yield Step(et.coordinate, et.kind, constants, et.axis, (et.coordinate,), parent, link)
        parent, constants = link, []
    if constants or not moving:
        yield Step("", "fixed", constants, None, (), parent, body.name)


def _frozen(et: ElementaryTransformation) -> ElementaryTransformation:
    if isinstance(et.motion, Prescribed):
        return ElementaryTransformation(et.kind, et.axis, Constant(et.motion.value))
    return et


def _whole(
    moving: Transformations, system: System, single: Set[str]
) -> tuple[str, str, Vector | None, int] | None:
    """Name, kind, axis and number of transformations of a planar or floating joint, as it would be read."""
    names = system.coordinate_names
    for kind, endings in (("floating", FLOATING), ("planar", PLANAR)):
        count = len(endings)
        found = tuple(et.coordinate or "" for et in moving[:count])
        name = found[0].removesuffix(endings[0]) if found else ""
        if found != tuple(name + ending for ending in endings) or any(et.coordinate for et in moving[count:]):
            continue
        at = names.index(found[0])
        axis = moving[count - 1].axis
        made = floating(name) if kind == "floating" else planar(name, axis)
        if made == tuple(moving[:count]) and names[at : at + count] == found and {*single}.isdisjoint(found):
            return name, kind, None if kind == "floating" else axis, count
    return None
