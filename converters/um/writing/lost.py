"""What of a model no block of an input.dat that was seen can hold."""

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

NONE = "no UM file seen has a block for it"
_CONSTRAINTS = {
    Rod: "the rod",
    PointCoincidence: "the coincidence of two points",
    Holonomic: "the holonomic row",
    Nonholonomic: "the nonholonomic row",
}


def lost(system: System) -> Iterator[Loss]:
    """Losses in the order of the model; those of single fields are found where these are written."""
    yield from velocities(system)
    for c in system.coordinates:
        if isinstance(c.drive, Motion):
            yield Loss(f"coordinates/{c.name}/drive", "the drive that imposes an acceleration", NONE)
    yield from _parameters(system)
    for f in system.functions:
        instead = "an input.dat has none: its formula stands in its place" if f.formula is not None else NONE
        yield Loss(f"functions/{f.name}", "the function", instead)
    yield from _bodies(system)
    for force in system.forces:
        place = f"forces/{force.name}"
        if isinstance(force, Bipolar):
            if force.mass:
                yield Loss(place, "its mass", "half of it is put on each of the bodies it joins")
        elif not isinstance(force, JointEffort):
            what = (
                "the force at a point" if isinstance(force, PointForce) else "the force and moment on a body"
            )
            yield Loss(place, what, NONE)
    for constraint in system.constraints:
        if not isinstance(constraint, FrameCoincidence):
            yield Loss(f"constraints/{constraint.name}", _CONSTRAINTS[type(constraint)], NONE)
    yield from foreign(system)


def velocities(system: System) -> Iterator[Loss]:
    """Initial velocities."""
    for c in system.coordinates:
        if c.velocity:
            reason = "an input.dat has no initial velocities: a state file (.xv) has"
            yield Loss(f"coordinates/{c.name}/velocity", f"the initial velocity {c.velocity}", reason)


def foreign(system: System) -> Iterator[Loss]:
    """What other formats keep in the metadata."""
    for key in sorted(system.metadata):
        if not key.startswith("um:"):
            yield Loss(f"metadata/{key}", "what another format kept there", NONE)


def _parameters(system: System) -> Iterator[Loss]:
    for p in system.parameters:
        if p.value is None:
            reason = "UM needs a number: 0 is written, marked 'no value'"
            yield Loss(f"parameters/{p.name}", "that it has no value", reason)
    chosen = [p.name for p in system.parameters if p.value is not None and p.origin != "given"]
    if chosen:
        what = f"that nobody gave the values of {', '.join(chosen)}"
        yield Loss("parameters", what, "an identifier has a value only")


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
