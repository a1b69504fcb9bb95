"""What is attached to elastic bodies: only of their origins and nodes the model knows where they go."""

from __future__ import annotations

from collections.abc import Iterator

from ..constraint import FrameCoincidence, PointCoincidence, Rod
from ..diagnostics import Diagnostic, error
from ..force import Bipolar, Point, PointForce, Wrench
from .model import Model

#: What to do about an attachment between the nodes.
REMEDY = "add a node there, or weld a body without mass to a node"


def attached(system: Model) -> Iterator[Diagnostic]:
    """Findings about forces, constraints, flywheels and fluid at places of elastic bodies that are no nodes."""
    elastic = {body.name: body for body in system.bodies if body.modes}
    if not elastic:
        return
    for place, point in _points(system):
        body = elastic.get(point.body or "")
        if body is not None and any(point.position):
            nodes = body.modes.nodes if body.modes else ()
            if not any(node.position == point.position for node in nodes):
                at = ", ".join(map(str, point.position))
                yield error(
                    place,
                    f"({at}) of the elastic body {body.name!r} is neither its origin nor a node",
                    REMEDY,
                )
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for end in (constraint.first, constraint.second):
                if end.body in elastic and any(et.is_translation for et in end.transformations):
                    message = f"a frame beside the origin of the elastic body {end.body!r}"
                    yield error(
                        f"constraints/{constraint.name}", message, "weld a body without mass to a node"
                    )
    for body in elastic.values():
        for what, present in (("flywheels", body.flywheels), ("added_inertia", body.added_inertia)):
            if present:
                message = f"{what.replace('_', ' ')} of an elastic body: nobody says how they deform with it"
                yield error(
                    f"bodies/{body.name}/{what}", message, "weld a rigid body to a node, and put them there"
                )


def _points(system: Model) -> Iterator[tuple[str, Point]]:
    """Points of forces and constraints, with the places of these."""
    for force in system.forces:
        place = f"forces/{force.name}"
        if isinstance(force, Bipolar):
            yield from ((place, force.first), (place, force.second))
        elif isinstance(force, (PointForce, Wrench)):
            yield place, force.point
    for constraint in system.constraints:
        if isinstance(constraint, (Rod, PointCoincidence)):
            place = f"constraints/{constraint.name}"
            yield from ((place, constraint.first), (place, constraint.second))
