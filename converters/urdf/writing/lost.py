"""What of a model a URDF cannot hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.model import Loss, System

from ..holds import HOLDS
from ..vocabulary import TEXT


def lost(system: System, used: Collection[str], held: Mapping[str, str], template: bool) -> Iterator[Loss]:
    """Losses in the order of the model.

    ``used`` are parameters whose values are written, ``held`` the names that written forces, constraints and armatures
    are read with, by their places; ``template`` is whether the model's own URDF stands behind the text.
    """
    yield from losses.coordinates(system, HOLDS)
    yield from losses.parameters(system, used, "URDF")
    yield from losses.functions(system, HOLDS)
    yield from losses.in_time(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    yield from losses.acting(system, HOLDS, held)
    yield from losses.metadata(system, HOLDS)
    for key in sorted(system.metadata):
        if key.startswith("urdf:") and not (key == TEXT and template):
            yield Loss(f"metadata/{key}", "what is kept there", "it is no URDF that can be read")
    if not template:
        yield from losses.omitted(system.omissions, HOLDS)
