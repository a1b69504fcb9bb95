"""Elastic bodies taken as rigid: the rest of a model whose modes have no stiffness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from ..body import Armature
from ..expressions import ZERO, Expression, symbol, symbols
from ..expressions import substitute as substituted
from ..force import JointEffort
from ..system import System
from ..transformation import ElementaryTransformation, shift

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
