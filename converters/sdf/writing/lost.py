"""What of a model an SDF cannot hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.model import Loss, System

from ..holds import HOLDS
from ..vocabulary import TEXT


def lost(
    system: System, used: Collection[str], held: Mapping[str, str], template: bool, in_order: bool
) -> Iterator[Loss]:
    """Losses in the order of the model.

    ``used`` are parameters whose values are written, ``held`` the names that written forces, constraints and armatures
    are read with, by their places; ``template`` is whether the model's own SDF stands behind the text, ``in_order``
    whether coordinates are read in the order in which they are.
    """
    yield from (loss for loss in losses.coordinates(system, HOLDS) if loss.place != "coordinates")
    if not in_order:
        what = f"the order {', '.join(system.coordinate_names)}"
        yield Loss("coordinates", what, HOLDS.why("coordinate_order"))
    yield from losses.parameters(system, used, "SDF")
    yield from losses.functions(system, HOLDS)
    yield from losses.in_time(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    yield from losses.acting(system, HOLDS, held)
    yield from losses.metadata(system, HOLDS)
    for key in sorted(system.metadata):
        if key.startswith("sdf:") and not (key == TEXT and template):
            yield Loss(f"metadata/{key}", "what is kept there", "it is no SDF that can be read")
    if not template:
        yield from losses.omitted(system.omissions, HOLDS)
