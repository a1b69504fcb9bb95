"""Inputs of a linearised system: efforts of drives and forces of elements, each increased by a symbol of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mbconcord.model.checks.scope import SystemScopes, formulas
from mbconcord.model.coordinate import Effort, Motion, Parameter
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.expressions import TIME, ZERO, Expression, symbol, symbols
from mbconcord.model.force import Bipolar, Bushing, Force, JointEffort, Law, LinearLaw, PointForce, Torsion, Wrench
from mbconcord.model.functions import define
from mbconcord.model.naming import Namer
from mbconcord.model.system import System
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass, replace

_AXES: Final = ("x", "y", "z")
PARAMETER: Final = "parameter"


@dataclass(frozen=True)
class Input:
    """External action on a system that may be varied.

    Attributes
    ----------
    name : that of a driven coordinate, a force or its component (``pull.x``, ``pull.mx`` of a moment), or a parameter
    unit : N or N m; empty for a parameter
    symbol : name of the symbol that is added to it
    is_parameter : True if it is a parameter, which is varied as a constant
    """

    name: str
    unit: str
    symbol: str
    is_parameter: bool = False


@dataclass(frozen=True)
class _InputPlace:
    """A place for an input: a coordinate or a force, and one of its components."""

    kind: str
    owner: str
    component: int
    unit: str
    usual: bool = True


def with_inputs(system: System, names: Sequence[str] | None) -> tuple[System, tuple[Input, ...]]:
    """Return the system with a symbol added to each drive or force that is an input, and the inputs.

    Parameters
    ----------
    system
    names : of coordinates, forces and parameters; None: all drives that apply efforts, and all forces that are not zero

    Raises
    ------
    NumbersError
        A name is not an input; the message lists the known ones.
    """
    places = dict(_places(system))
    if names is None:
        names = [name for name, place in places.items() if place.usual]
    chosen = list(dict.fromkeys(x for name in names for x in _of_name(name, places)))
    unknown = [_unknown(name, system, places) for name in names if not _of_name(name, places)]
    if unknown:
        raise NumbersError(unknown)
    namer = Namer(system.names)
    inputs = tuple(
        Input(name, places[name].unit, namer.fresh(f"u{i}"), places[name].kind == PARAMETER)
        for i, name in enumerate(chosen, 1)
    )
    _require_free(system, [x.name for x in inputs if x.is_parameter])
    parameters = (*system.parameters, *(Parameter(found.symbol, ZERO) for found in inputs))
    system = replace(system, parameters=parameters)
    for found in inputs:
        system = _add_input(system, places[found.name], symbol(found.symbol))
    return system, inputs


def _require_free(system: System, names: Sequence[str]) -> None:
    """Refuse parameters on which constraints or prescribed motions depend: positions would follow them."""
    if not names:
        return
    meaning = {p.name: p.value for p in system.parameters if p.value is not None}
    for place, group, _ in formulas(SystemScopes(system)):
        used, seen = set(symbols(define(group, system.functions))), set[str]()
        by_time = place.startswith("bodies/") and TIME.data in used
        closed = bool(system.constraints) and place.startswith("bodies/") and "/joint" in place
        if not by_time and not closed and not place.startswith("constraints/"):
            continue
        while used - seen:
            name = min(used - seen)
            seen.add(name)
            used |= set(symbols(define([meaning[name]], system.functions))) if name in meaning else set()
        found = [name for name in names if name in used]
        if found:
            message = f"{place} depends on it: positions would follow what it becomes"
            raise NumbersError(error(f"inputs/{found[0]}", message, "take a parameter of forces, masses or the tree"))


def _of_name(name: str, places: dict[str, _InputPlace]) -> list[str]:
    """List the inputs of a name: itself, or its components."""
    return [name] if name in places else [x for x in places if x.rpartition(".")[0] == name]


def _unknown(name: str, system: System, places: dict[str, _InputPlace]) -> Diagnostic:
    imposed = {c.name for c in system.coordinates if isinstance(c.drive, Motion)}
    if name in imposed:
        remedy = f"ask abcd(inputs=[{name!r}]) of the result in Python, or give the drive an effort"
        return error("inputs", f"the drive of {name} imposes its acceleration", remedy)
    return error("inputs", f"there is no coordinate, no force and no parameter {name!r}", among(name, places))


def _places(system: System) -> Iterator[tuple[str, _InputPlace]]:
    turning = system.angles
    units = {c.name: "N m" if c.name in turning else "N" for c in system.coordinates}
    for c in system.coordinates:
        if not isinstance(c.drive, Motion):
            yield c.name, _InputPlace("drive", c.name, 0, units[c.name], isinstance(c.drive, Effort))
    for force in system.forces:
        yield from ((name, place) for name, place in _of_force(force, units) if name not in units)
    taken = {*units, *(force.name for force in system.forces)}
    yield from (
        (p.name, _InputPlace(PARAMETER, p.name, 0, "", False)) for p in system.parameters if p.name not in taken
    )


def _of_force(force: Force, units: dict[str, str]) -> Iterator[tuple[str, _InputPlace]]:
    if isinstance(force, JointEffort):
        yield force.name, _InputPlace("force", force.name, 0, units[force.coordinate])
    elif isinstance(force, (Bipolar, Torsion)):
        yield force.name, _InputPlace("force", force.name, 0, "N" if isinstance(force, Bipolar) else "N m")
    elif not isinstance(force, Bushing):
        for i, axis in enumerate(_AXES):
            there = force.force[i] is not ZERO
            yield f"{force.name}.{axis}", _InputPlace("force", force.name, i, "N", there)
        moments = force.moment if isinstance(force, Wrench) else ()
        for i, moment in enumerate(moments):
            yield (f"{force.name}.m{_AXES[i]}", _InputPlace("force", force.name, 3 + i, "N m", moment is not ZERO))


def _add_input(system: System, place: _InputPlace, u: Expression) -> System:
    """Add u at a place of the system; to a parameter u is added later, together with its number."""
    if place.kind == PARAMETER:
        return system
    if place.kind == "drive":
        coordinates = (
            replace(c, drive=Effort(u + (c.drive.value if isinstance(c.drive, Effort) else ZERO)))
            if c.name == place.owner
            else c
            for c in system.coordinates
        )
        return replace(system, coordinates=tuple(coordinates))
    forces = (_increase(f, place.component, u) if f.name == place.owner else f for f in system.forces)
    return replace(system, forces=tuple(forces))


def _increase(force: Force, component: int, u: Expression) -> Force:
    if isinstance(force, JointEffort):
        return replace(force, effort=_more(force.effort, u))
    if isinstance(force, (Bipolar, Torsion)):
        return replace(force, law=_more(force.law, u))
    assert isinstance(force, PointForce | Wrench)
    if component < 3:
        return replace(force, force=_add_component(force.force, component, u))
    assert isinstance(force, Wrench)
    return replace(force, moment=_add_component(force.moment, component - 3, u))


def _more(law: Law, u: Expression) -> Law:
    return replace(law, f0=law.f0 + u) if isinstance(law, LinearLaw) else law + u


def _add_component(values: Vector, component: int, u: Expression) -> Vector:
    x, y, z = (value + u if i == component else value for i, value in enumerate(values))
    return x, y, z
