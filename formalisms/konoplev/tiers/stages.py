"""The intermediates of a derivation by their names in the tiers: scalars that are operations of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from mbconcord.model.derivation import Stage
from mbconcord.model.expressions import as_expression
from mbconcord.model.naming import Named, Namer

from ..aggregates import Aggregates, Moving
from ..structure import Rows
from ..vectors import absent
from .labels import TITLES, absolute, component


def stages(system: Aggregates, taken: Collection[str]) -> tuple[Stage, ...]:
    """List tiers A-I, A-II, b-I, b-II, b-IV and Q-I of a symbolic system.

    Each node keeps its first name; numbers and single symbols have none. ``taken`` are names of the model. The complete
    list over names alone is :func:`.lists.tiers`.
    """
    bodies = system.bodies
    groups: tuple[tuple[str, Iterable[tuple[str, Any]]], ...] = (
        ("A-I", (item for body in bodies for item in rows("s", body, body.rows))),
        ("A-II", (item for body in bodies for item in rows("z", body, body.z))),
        ("b-I", (item for body in bodies for item in components("V", body, body.twist, absolute(body.number)))),
        (
            "b-II",
            (
                item
                for body in bodies
                for item in components("W", body, body.inertia.gyroscopic(body.twist), absolute(body.number))
            ),
        ),
        ("b-IV", (item for body in bodies for item in rows("ṡ", body, body.rates))),
        ("Q-I", (item for body in bodies for item in components("G", body, body.inertia.weight(body.g)))),
    )
    namer = Namer(taken)
    made = (Stage(name, TITLES[name], namer.assignments(present(items))) for name, items in groups)
    return tuple(stage for stage in made if stage.assignments)


def rows(letter: str, body: Moving, found: Rows) -> Iterator[tuple[str, Any]]:
    """Yield the components of rows with their names."""
    for d, row in found.items():
        for i, x in enumerate(row, 1):
            yield component(letter, body.number, i, d), x


def components(letter: str, body: Moving, vector: Iterable[Any], of: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the components of a body's vector with their names."""
    for i, x in enumerate(vector, 1):
        yield f"{letter}_{{{body.number},{i}}}{of}", x


def present(items: Iterable[tuple[str, Any]]) -> Iterator[Named]:
    """Yield the items that are not structural zeros, as nodes."""
    return ((name, as_expression(value)) for name, value in items if not absent(value))
