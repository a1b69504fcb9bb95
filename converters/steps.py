"""The joint of a body as joints of one coordinate each, with links without mass between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mbconcord.model import Body, Constant, ElementaryTransformation
from mbconcord.model.transformation import Prescribed, Vector

Transformations = Sequence[ElementaryTransformation]
#: Name, kind, axis and number of the transformations at the beginning of some that are one joint; None: none are.
Whole = Callable[[Transformations], "tuple[str, str, Vector | None, int] | None"]


@dataclass(frozen=True, slots=True)
class Step:
    """One joint of a file.

    Attributes
    ----------
    name : of the joint; empty: it is fixed
    kind : "rotation", "translation", "fixed", or what the format calls a joint of several coordinates
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


def steps(body: Body, whole: Whole, between: Callable[[str], str]) -> Iterator[Step]:
    """The joints that carry a body, from its parent on.

    ``whole`` finds joints of several coordinates, ``between(name)`` gives a link that is new. What moves in time stands
    as at t = 0.
    """
    joint = [_frozen(et) for et in body.joint]
    moving = [i for i, et in enumerate(joint) if et.coordinate]
    first = moving[0] if moving else len(joint)
    several = whole(joint[first:])
    if several is not None:
        name, kind, axis, count = several
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
