"""What is lost when a model is written as an MJCF."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.model import Loss, System

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
    yield from losses.in_time(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    yield from losses.acting(system, HOLDS, held)
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
    yield from (x for x in losses.parameters(system, used, "MJCF") if x.place not in held)
    for p in system.parameters:
        if f"parameters/{p.name}" in held and p.value:
            why = "controls are no part of an MJCF: they are zero"
            yield Loss(f"parameters/{p.name}", f"the control {p.value}", why)
