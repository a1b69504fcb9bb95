"""Losses of a model in a table, except for the form of its joints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mbconcord.converters import losses
from mbconcord.converters.losses import Holds
from mbconcord.model import Loss, System
from mbconcord.model.expressions import symbol, symbols

from .columns import GRAVITY
from .links import TpLink, TpLinks

_TREES = "a table holds trees"
HOLDS = Holds(
    kept=frozenset({"initial_positions", "line_ends", "language"}),
    encodings=frozenset({"utf-8-sig", "cp1251"}),
    reason="a table has no column for it",
    reasons={
        "coordinate_order": "coordinates stand in the order of the bodies",
        "coordinate_names": "a table numbers its bodies: it is read as {}",
        "line_ends": "the lines of a file end alike",
        "encodings": "a table is in UTF-8 or Windows-1251",
        "body_names": "a table numbers its bodies: it is read as {}",
        "rods": _TREES,
        "point_coincidences": _TREES,
        "cut_joints": _TREES,
        "holonomic_rows": _TREES,
        "nonholonomic_rows": _TREES,
    },
)


def list_losses(system: System, links: TpLinks) -> Iterator[Loss]:
    """Yield losses in the order of the model."""
    yield from _gravity(system, links)
    yield from losses.order(system, HOLDS)
    yield from _names(system, links.made)
    yield from losses.coordinates(system, HOLDS)
    yield from losses.bodies(system, HOLDS)
    yield from losses.forces(system, HOLDS)
    yield from losses.constraints(system, HOLDS)
    yield from losses.armatures(system, HOLDS)
    yield from losses.functions(system, HOLDS)
    yield from losses.metadata(system, HOLDS)
    yield from losses.omissions(system, HOLDS)


def _gravity(system: System, links: TpLinks) -> Iterator[Loss]:
    if system.gravity is None:
        return
    value = links.value(system.gravity.value)
    if symbols([value]) and value is not symbol(GRAVITY):
        reason = f"a magnitude without value is the parameter {GRAVITY} of the table"
        yield Loss("gravity", f"the formula {value} of its size", reason)


def _names(system: System, made: Sequence[TpLink]) -> Iterator[Loss]:
    """Yield losses of names of coordinates, of bodies and of parameters with values."""
    numbers = {link.coordinate: link.number for link in made}
    coordinates = {name: f"q{number}" for name, number in numbers.items()}
    bodies = {b.name: f"body{numbers[b.coordinates[-1]]}" for b in system.bodies if b.coordinates}
    for link in made:
        yield from losses.list_rename_losses("coordinates", link.coordinate, HOLDS, coordinates)
    for body in system.bodies:
        yield from losses.list_rename_losses("bodies", body.name, HOLDS, bodies)
    for p in system.parameters:
        if p.value is not None:
            yield Loss(f"parameters/{p.name}", "the name of its value", "numbers are written", acts=False)
