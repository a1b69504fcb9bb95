"""Inertia of links of an SDF: what they say, what stands there where they do not, what their shapes weigh."""

from __future__ import annotations

from ..machine import Tensor, Triple, UnreadError, symmetric
from ..poses import Array
from .lumps import NOTHING, Lump, gathered, solid
from .sdf_frames import Frame, Frames, pose, yes
from .tags import Tag, numbers
from .turns import seen, triple

#: Shapes: their sizes, how many numbers each has, and the part of each that is a radius or half of a length.
SHAPES = {
    "box": (("size", "0 0 0", 0.5),), "sphere": (("radius", "0", 1.0),), "ellipsoid": (("radii", "0 0 0", 1.0),),
    "cylinder": (("radius", "0", 1.0), ("length", "0", 0.5)), "capsule": (("radius", "0", 1.0), ("length", "0", 0.5)),
}  # fmt: skip


def inertia(link: Frame, frames: Frames) -> tuple[float, Triple, Tensor, float]:
    """Mass 1 and the unit tensor where nothing is said; what collision shapes weigh where that is asked for."""
    inertial = link.tag.one("inertial")
    if yes(inertial.own.get("auto", "false")):
        return _shapes(link, frames, inertial).numbers
    moments = inertial.one("inertia")
    keys = (("ixx", "1"), ("iyy", "1"), ("izz", "1"), ("ixy", "0"), ("ixz", "0"), ("iyz", "0"))
    own = symmetric(*(moments.inside(key, default)[0] for key, default in keys))
    if inertial.one("pose").own.get("relative_to"):
        raise UnreadError("an inertial that stands in another frame")
    T = pose(inertial.one("pose"))
    return inertial.inside("mass", "1")[0], triple(T[:3, 3]), seen(own, T[:3, :3]), 0.0


def _shapes(link: Frame, frames: Frames, inertial: Tag) -> Lump:
    lumps = []
    for collision in link.tag.all("collision"):
        shape = collision.one("geometry").inner[0]
        if shape.name not in SHAPES:
            raise UnreadError(f"the inertia of a <{shape.name}>")
        sizes = [part * x for key, count, part in SHAPES[shape.name] for x in shape.inside(key, count)]
        a, b, c = (*sizes, 0.0, 0.0)[:3]
        density = numbers(
            (collision if collision.has("density") else inertial).one("density").text or "1000", 1
        )
        lumps.append(solid(shape.name, a, b, c).times(density[0]).at(_place(link, frames, collision)))
    return gathered(lumps) if lumps else NOTHING


def _place(link: Frame, frames: Frames, collision: Tag) -> Array:
    """A collision in its link."""
    said = collision.one("pose")
    relative = said.own.get("relative_to", "")
    base = frames.scope(link).named(relative) if relative else link
    return frames.between(link, base) @ pose(said)
