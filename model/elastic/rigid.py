"""Elastic bodies taken as rigid: the rest of a model whose modes have no stiffness.

Rotation limits of elastic sections: Exp(θ) about several axes is a series in θ², accurate to 5 rad.

Derivations truncate that series below the rounding of floats for angles up to :data:`REACH`. Beyond it their
truncations differ, and all are wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..body import Armature
from ..diagnostics import Diagnostic, NumbersError, error
from ..expressions import ZERO, Expression, evaluate, numpy_arithmetic, symbol, symbols
from ..expressions import substitute as substituted
from ..force import JointEffort
from ..functions import define
from ..numbers import Instance
from ..system import System
from ..transformation import ElementaryTransformation, shift

#: Largest turn of a section about more than one axis, rad.
REACH: Final = 5.0


def turns(system: System, values: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """Compute |θ| (rad, over the states) of each section rotated about several axes, by its place in the model."""
    squares = dict(_squares(system))
    outputs = define(squares.values(), system.functions)
    found = evaluate(outputs, values, numpy_arithmetic()) if outputs else []
    return {place: np.sqrt(np.asarray(x, dtype=float)) for place, x in zip(squares, found, strict=True)}


def is_within_reach(system: System, at: Instance) -> NDArray[np.bool_]:
    """Mark the states (N,) at which no section is rotated beyond the range of the series."""
    good = np.ones(len(at), dtype=bool)
    for angle in turns(system, at.values).values() if _asks(system, at) else ():
        good &= angle <= REACH
    return good


def beyond(system: System, values: Mapping[str, Any]) -> list[Diagnostic]:
    """Report sections rotated beyond the range of the series; ``values`` of all symbols over the states."""
    return [
        error(
            place,
            f"the section is turned by {np.max(angle):.3g} rad; turns about several axes hold up to {REACH:g} rad",
            "take smaller modal coordinates, or more and shorter elastic bodies",
        )
        for place, angle in turns(system, values).items()
        if np.max(angle) > REACH
    ]


def require_within(system: System, at: Instance) -> None:
    """Raise :class:`.NumbersError` where a section is turned farther than series hold."""
    findings = beyond(system, at.values) if _asks(system, at) else []
    if findings:
        raise NumbersError(findings)


def _asks(system: System, at: Instance) -> bool:
    """Return True if the check needs numbers: there are states, and sections rotated about several axes."""
    return len(at) > 0 and turns_about_several_axes(system)


def turns_about_several_axes(system: System) -> bool:
    """Return True if a section turns about several axes: by a series, whose number of terms derivations choose."""
    return any(True for _ in _squares(system))


def _squares(system: System) -> Iterator[tuple[str, Expression]]:
    """Yield θ·θ, θ = Ψ q, of the sections that are rotated about several axes."""
    for body in system.bodies:
        if body.modes is None:
            continue
        q = [symbol(name) for name in body.modes.coordinates]
        for node in body.modes.nodes:
            if sum(any(x is not ZERO for x in row) for row in node.rotation) > 1:
                yield f"bodies/{body.name}/modes/nodes/{node.name}", _square(node.rotation, q)


def _square(rows: Sequence[Sequence[Expression]], q: Sequence[Expression]) -> Expression:
    angles = (sum((a * b for a, b in zip(row, q, strict=True)), ZERO) for row in rows)
    return sum((angle * angle for angle in angles), ZERO)


T = TypeVar("T")


def rigid(system: System) -> System:
    """Return the system with rigid bodies in place of elastic ones; loads at nodes act at their undeformed positions.

    Modal coordinates and their rates become zero in formulas; forces along them and their shares of armatures are
    dropped.
    """
    modal = {name for body in system.bodies for name in body.modal}
    if not any(body.modes for body in system.bodies):
        return system
    at: dict[tuple[str | None, str | None], tuple[ElementaryTransformation, ...]] = {
        (body.name, node.name): shift(node.position)
        for body in system.bodies
        if body.modes
        for node in body.modes.nodes
    }
    bodies = tuple(
        replace(b, modes=None, parent_node=None, joint=(*at.get((b.parent, b.parent_node), ()), *b.joint))
        for b in system.bodies
    )
    zero = {symbol(name + mark): ZERO for name in modal for mark in ("", "'")}
    forces = tuple(f for f in system.forces if not (isinstance(f, JointEffort) and f.coordinate in modal))
    return replace(
        system,
        coordinates=tuple(_put(c, zero) for c in system.coordinates if c.name not in modal),
        bodies=bodies,
        forces=_put(forces, zero),
        constraints=_put(system.constraints, zero),
        armatures=tuple(_still(system.armatures, modal)),
    )


def _still(armatures: Iterable[Armature], modal: Set[str]) -> Iterator[Armature]:
    """Yield the armatures without their coefficients along modal coordinates; those with no others are left out."""
    for armature in armatures:
        left = {name: c for name, c in armature.coefficients.items() if name not in modal}
        if left:
            yield replace(armature, coefficients=left)


def _put(value: T, given: Mapping[Expression, Expression]) -> T:
    """Replace symbols in every formula of a value of the model, and of the values in it."""
    result: Any = value
    if isinstance(value, Expression):
        if symbols([value]) & {x.data for x in given}:
            result = substituted([value], given)[0]
    elif isinstance(value, tuple):
        result = tuple(_put(x, given) for x in value)
    elif isinstance(value, Mapping):
        result = {key: _put(x, given) for key, x in value.items()}
    elif is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: getattr(value, f.name) for f in fields(value)}
        result = replace(value, **{name: _put(x, given) for name, x in parts.items()})
    return result  # type: ignore[no-any-return]
