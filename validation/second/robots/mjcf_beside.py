"""What acts on the motion in an MJCF and is no part of it in either reading: the model must say that it is left out."""

from __future__ import annotations

from collections.abc import Iterator

from .mjcf_bodies import Bodies, Body, Joint
from .mjcf_tendons import law
from .mjcf_words import Words
from .tags import numbers


def beside(bodies: Bodies, words: Words) -> Iterator[str]:
    """Places ``kind/name`` of dry friction, fluids, and what is held along single coordinates alone."""
    if any(words.option.number(key, "0") for key in ("density", "viscosity")):
        yield "medium/option"
    for body in bodies.all:
        for joint in body.joints:
            for kind in _of(joint, body, words):
                yield f"{kind}/{joint.name}"


def _of(joint: Joint, body: Body, words: Words) -> Iterator[str]:
    tag = joint.tag
    if any(numbers(tag.own.get("frictionloss", ""))):
        yield "joint-friction"
    timed = any(numbers(tag.own.get("springdamper", "")))
    if timed:
        yield "joint-spring"
    if joint.single:
        return
    if not timed and law(tag, "stiffness") and not words.off("passive", "spring"):
        yield "joint-spring"
    if not timed and len(law(tag, "damping")) > 1 and not words.off("passive", "damper"):
        yield "joint-damping"
    first = body.parent is not None and not body.parent.moves and len(body.joints) == 1
    if tag.number("armature", "0") and not first:
        yield "rotor"
