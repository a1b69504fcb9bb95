"""Losses of a model in an MBSD text."""

from __future__ import annotations

from collections.abc import Iterator

from mbconcord.converters import losses
from mbconcord.converters.losses import KEPT, Holds
from mbconcord.model import Bipolar, FrameCoincidence, JointEffort, Loss, Rod, System
from mbconcord.model.coordinate import Effort
from mbconcord.model.expressions import symbols, undefined_functions

from ..order import expressions

HOLDS = Holds(
    features=frozenset({"prescribed_motion", "joint_efforts", "bipolar_forces", "rods", "cut_joints"}),
    kept=KEPT.keys()
    - {
        "coordinate_order",
        "force_names",
        "constraint_names",
        "armature_names",
        "linear_laws",
        "several_joint_forces",
        "language",
        "omissions",
    },
    encodings=frozenset({"utf-8-sig"}),
    reason="MBSD has no sign for it",
    reasons={
        "coordinate_order": "coordinates stand in the order of the joints",
        "force_names": "forces have no names in MBSD; it is read as {!r}",
        "constraint_names": "constraints have no names in MBSD; it is read as {!r}",
        "linear_laws": "it is written as a formula",
        "several_joint_forces": "a coordinate has one; their sum is written",
        "line_ends": "the lines of a file end alike",
        "encodings": "an MBSD text is in UTF-8",
    },
)


def list_losses(system: System) -> Iterator[Loss]:
    """Yield losses in the order of the model."""
    yield from losses.order(system, HOLDS)
    yield from losses.coordinates(system, HOLDS)
    yield from _list_unused(system)
    yield from losses.bodies(system, HOLDS)
    yield from losses.forces(system, HOLDS, dict(_forces(system)))
    yield from losses.constraints(system, HOLDS, dict(_constraints(system)))
    yield from losses.armatures(system, HOLDS)
    yield from losses.metadata(system, HOLDS)
    yield from losses.omissions(system, HOLDS)


def _list_unused(system: System) -> Iterator[Loss]:
    """Yield losses of unused parameters and functions without a value: the text cannot name them."""
    values = list(expressions(system.bodies, system.coordinates, system.gravity, system.forces, system.constraints))
    values += [c.drive.value for c in system.coordinates if isinstance(c.drive, Effort)]
    values += [p.value for p in system.parameters if p.value is not None]
    values += [f.formula for f in system.functions if f.formula is not None]
    used, called = symbols(values), undefined_functions(values)
    reason = "nothing in the text uses it, and MBSD has no declarations without a value"
    for p in system.parameters:
        if p.value is None and p.name not in used:
            yield Loss(f"parameters/{p.name}", "the parameter", reason, acts=False)
    for f in system.functions:
        if f.formula is None and f.name not in called:
            yield Loss(f"functions/{f.name}", "the function", reason, acts=False)


def _forces(system: System) -> Iterator[tuple[str, str]]:
    """Yield forces' names and those the reader gives: of the coordinate, or numbered; one with _ made it unique."""
    number = 0
    for force in system.forces:
        number += isinstance(force, Bipolar)
        given = force.coordinate if isinstance(force, JointEffort) else f"bipolar{number}"
        yield force.name, force.name if force.name.rstrip("_") == given.rstrip("_") else given


def _constraints(system: System) -> Iterator[tuple[str, str]]:
    """Yield names of rods and closures and those that the reader gives: numbered."""
    numbers = {"rod": 0, "closure": 0}
    for constraint in system.constraints:
        if isinstance(constraint, (Rod, FrameCoincidence)):
            kind = "rod" if isinstance(constraint, Rod) else "closure"
            numbers[kind] += 1
            yield constraint.name, f"{kind}{numbers[kind]}"
