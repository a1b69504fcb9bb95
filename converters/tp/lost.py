"""What of a model a table cannot hold, beside the shape of its joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mbconcord.model import Bipolar, Loss, System
from mbconcord.model.expressions import evaluate_float, symbols

from .links import Link, Links
from .reader import STANDARD_GRAVITY

NONE = "a table has no column for it"
NUMBERED = "a table numbers its bodies"


def lost(system: System, links: Links) -> Iterator[Loss]:
    """Losses in the order of the model."""
    made = links.made
    yield from _gravity(system, links)
    order = tuple(link.coordinate for link in made)
    if order != system.coordinate_names:
        listed = ", ".join(system.coordinate_names)
        yield Loss("coordinates", f"the order {listed}", "coordinates stand in the order of the bodies")
    yield from _names(system, made)
    for c in system.coordinates:
        if c.velocity:
            yield Loss(f"coordinates/{c.name}/velocity", "the initial velocity", NONE)
        if c.drive is not None:
            yield Loss(f"coordinates/{c.name}/drive", "the drive", NONE)
    for body in system.bodies:
        place = f"bodies/{body.name}"
        if body.added_inertia is not None:
            yield Loss(f"{place}/added_inertia", "the added inertia of the fluid", NONE)
        for wheel in body.flywheels:
            yield Loss(f"{place}/flywheels/{wheel.name}", "the flywheel with its mass", NONE)
        if body.modes is not None:
            yield Loss(f"{place}/modes", "the elastic modes", NONE)
        if body.parent_node is not None:
            yield Loss(f"{place}/parent_node", f"the elastic node {body.parent_node!r}", NONE)
    for force in system.forces:
        heavy = isinstance(force, Bipolar) and force.mass
        yield Loss(f"forces/{force.name}", "the force with its mass" if heavy else "the force", NONE)
    for constraint in system.constraints:
        yield Loss(f"constraints/{constraint.name}", "the constraint", "a table holds trees")
    for function in system.functions:
        yield Loss(f"functions/{function.name}", "the function", NONE)
    for key in sorted(system.metadata):
        yield Loss(f"metadata/{key}", "what another format kept there", NONE)


def _gravity(system: System, links: Links) -> Iterator[Loss]:
    vector = [links.value(x) for x in system.gravity_vector]
    if symbols(vector):
        yield Loss("gravity", "its formula", "a table states no gravity: it is read as 9.81 along -y")
    elif vector[0] or vector[2] or vector[1] is not -STANDARD_GRAVITY:
        shown = ", ".join(f"{float(evaluate_float(x, {})):.6g}" for x in vector)
        yield Loss("gravity", f"({shown}) m/s²", "a table states no gravity: it is read as 9.81 along -y")


def _names(system: System, made: Sequence[Link]) -> Iterator[Loss]:
    """Names of coordinates, of bodies and of parameters with values."""
    for link in made:
        if link.coordinate != f"q{link.number}":
            written = f"{NUMBERED}: it is read as q{link.number}"
            yield Loss(f"coordinates/{link.coordinate}", f"the name {link.coordinate!r}", written)
    last = {link.coordinate: link.number for link in made}
    for body in system.bodies:
        if body.coordinates:
            name = f"body{last[body.coordinates[-1]]}"
            if body.name != name:
                yield Loss(
                    f"bodies/{body.name}", f"the name {body.name!r}", f"{NUMBERED}: it is read as {name}"
                )
    for p in system.parameters:
        if p.value is not None:
            yield Loss(f"parameters/{p.name}", "the name of its value", "numbers are written")
