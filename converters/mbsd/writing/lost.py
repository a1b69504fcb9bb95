"""What of a model an MBSD text cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.model import (
    Bipolar,
    FrameCoincidence,
    Holonomic,
    JointEffort,
    Loss,
    Motion,
    Nonholonomic,
    PointCoincidence,
    PointForce,
    Rod,
    System,
)  # fmt: skip
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import symbols, undefined_functions
from mbconcord.model.force import LinearLaw

from .arrange import expressions

NONE = "MBSD has no sign for it"
_CONSTRAINTS = {
    PointCoincidence: "the coincidence of two points",
    Holonomic: "the holonomic row",
    Nonholonomic: "the nonholonomic row",
}


def lost(system: System) -> list[Loss]:
    """Losses in the order of the model."""
    return [
        *_coordinates(system),
        *_names(system),
        *_bodies(system),
        *_forces(system),
        *_constraints(system),
    ] + [Loss(f"metadata/{key}", "what another format kept there", NONE) for key in sorted(system.metadata)]


def _coordinates(system: System) -> Iterator[Loss]:
    forced = [f.coordinate for f in system.forces if isinstance(f, JointEffort)]
    in_joints = tuple(name for body in system.bodies for name in body.coordinates)
    if in_joints != system.coordinate_names:
        reason = "coordinates stand in the order of the joints"
        yield Loss("coordinates", f"the order {', '.join(system.coordinate_names)}", reason)
    for coordinate in system.coordinates:
        place = f"coordinates/{coordinate.name}/drive"
        if isinstance(coordinate.drive, Motion):
            yield Loss(place, "the drive that imposes an acceleration", NONE)
        elif isinstance(coordinate.drive, Effort):
            added = " and added to it" if coordinate.name in forced else ""
            yield Loss(place, "that the effort is a drive", f"it is written as the joint force{added}")
        if forced.count(coordinate.name) > 1:
            reason = "a coordinate has one; their sum is written"
            yield Loss(
                f"coordinates/{coordinate.name}", f"the {forced.count(coordinate.name)} joint forces", reason
            )


def _names(system: System) -> Iterator[Loss]:
    values = list(
        expressions(system.bodies, system.coordinates, system.gravity, system.forces, system.constraints)
    )
    values += [c.drive.value for c in system.coordinates if isinstance(c.drive, Effort)]
    values += [p.value for p in system.parameters if p.value is not None]
    values += [f.formula for f in system.functions if f.formula is not None]
    used, called = symbols(values), undefined_functions(values)
    reason = "nothing in the text uses it, and MBSD has no declarations without a value"
    for p in system.parameters:
        if p.value is None and p.name not in used:
            yield Loss(f"parameters/{p.name}", "the parameter", reason)
    for f in system.functions:
        if f.formula is None and f.name not in called:
            yield Loss(f"functions/{f.name}", "the function", reason)


def _bodies(system: System) -> Iterator[Loss]:
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


def _forces(system: System) -> Iterator[Loss]:
    number = 0
    for force in system.forces:
        place = f"forces/{force.name}"
        if not isinstance(force, (JointEffort, Bipolar)):
            what = (
                "the force at a point" if isinstance(force, PointForce) else "the force and moment on a body"
            )
            yield Loss(place, what, NONE)
            continue
        law = force.effort if isinstance(force, JointEffort) else force.law
        if isinstance(law, LinearLaw):
            yield Loss(place, "the structure of the linear law", "it is written as a formula")
        number += isinstance(force, Bipolar)
        expected = force.coordinate if isinstance(force, JointEffort) else f"bipolar{number}"
        if force.name.rstrip("_") != expected.rstrip("_"):
            yield Loss(
                place, f"the name {force.name!r}", f"forces have no names in MBSD; it is read as {expected!r}"
            )


def _constraints(system: System) -> Iterator[Loss]:
    counts = {"rod": 0, "closure": 0}
    for constraint in system.constraints:
        place = f"constraints/{constraint.name}"
        if not isinstance(constraint, (Rod, FrameCoincidence)):
            yield Loss(place, _CONSTRAINTS[type(constraint)], NONE)
            continue
        kind = "rod" if isinstance(constraint, Rod) else "closure"
        counts[kind] += 1
        expected = f"{kind}{counts[kind]}"
        if constraint.name != expected:
            reason = f"constraints have no names in MBSD; it is read as {expected!r}"
            yield Loss(place, f"the name {constraint.name!r}", reason)
