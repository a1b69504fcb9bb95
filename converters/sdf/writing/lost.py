"""What of a model an SDF cannot hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from mbconcord.converters import losses
from mbconcord.model import Loss, Prescribed, System

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
    for p in system.parameters:
        if p.value is None and p.name not in used:
            yield Loss(f"parameters/{p.name}", "the parameter", "nothing in the SDF uses it")
        elif p.value is not None:
            yield Loss(f"parameters/{p.name}", "the name of its value", "numbers are written")
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
        if key.startswith("sdf:") and not (key == TEXT and template):
            yield Loss(f"metadata/{key}", "what is kept there", "it is no SDF that can be read")
    if not template:
        yield from losses.omitted(system.omissions, HOLDS)
