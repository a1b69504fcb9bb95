"""What is lost when a model is written as an MJCF."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.model import Loss, Prescribed, System

from ..holds import HOLDS
from ..vocabulary import TEXT


def lost(system: System, used: Collection[str], held: Mapping[str, str], written: bool) -> Iterator[Loss]:
    """Losses in the order of the model.

    ``used`` are parameters whose values are written; ``held`` the names with which written parts are read, by their
    places, empty where they have none; ``written`` is whether the text is that which the model was read from.
    """
    yield from _coordinates(system, held)
    yield from _parameters(system, used, held)
    yield from losses.functions(system, HOLDS)
    for body in system.bodies:
        if any(isinstance(et.motion, Prescribed) for et in body.joint):
            yield Loss(f"bodies/{body.name}/joint", "the motion in time", HOLDS.why("prescribed_motion"))
    yield from losses.bodies(system, HOLDS)
    kinds = (
        ("forces", losses.forces),
        ("constraints", losses.constraints),
        ("armatures", losses.armatures),
    )
    for kind, parts in kinds:
        yield from (loss for loss in parts(system, HOLDS) if loss.place not in held)
        for item in getattr(system, kind):
            place = f"{kind}/{item.name}"
            if place in held:
                yield from losses.renamed(kind, item.name, HOLDS, {item.name: held[place]})
    yield from losses.metadata(system, HOLDS)
    for key in sorted(system.metadata):
        if key.startswith("mjcf:") and not (key == TEXT and written):
            what = (
                "what the source says beside the motion: shapes, materials, sensors" if key == TEXT else "it"
            )
            yield Loss(f"metadata/{key}", what, "the MJCF is written anew")
    if not written:
        yield from losses.omitted(system.omissions, HOLDS)


def _coordinates(system: System, held: Mapping[str, str]) -> Iterator[Loss]:
    for loss in losses.coordinates(system, HOLDS):
        if loss.place not in held:
            yield loss


def _parameters(system: System, used: Collection[str], held: Mapping[str, str]) -> Iterator[Loss]:
    for p in system.parameters:
        place = f"parameters/{p.name}"
        if place in held:
            if p.value:
                yield Loss(place, f"the control {p.value}", "controls are no part of an MJCF: they are zero")
        elif p.value is None and p.name not in used:
            yield Loss(place, "the parameter", "nothing in the MJCF uses it")
        elif p.value is not None:
            yield Loss(place, "the name of its value", "numbers are written")
