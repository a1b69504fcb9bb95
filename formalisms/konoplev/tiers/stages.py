"""The intermediates of a derivation by their names in the tiers: those scalars that are operations of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mbconcord.model.derivation import Assignment, Stage
from mbconcord.model.expressions import Expression, as_expression

from ..aggregates import Aggregates, Moving
from ..structure import Rows
from ..vectors import absent
from .lists import TITLES, absolute, component


def stages(system: Aggregates) -> tuple[Stage, ...]:
    """Tiers A-I, A-II, b-I, b-II, b-IV and Q-I of a symbolic system.

    Each node has its first name; numbers and single symbols have none. The list over names alone, in which nothing is
    left out, is :func:`.tiers.tiers`.
    """
    bodies = system.bodies
    groups: tuple[tuple[str, Iterable[tuple[str, Any]]], ...] = (
        ("A-I", (item for body in bodies for item in rows("s", body, body.rows))),
        ("A-II", (item for body in bodies for item in rows("z", body, body.z))),
        (
            "b-I",
            (item for body in bodies for item in components("V", body, body.twist, absolute(body.number))),
        ),
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
    named: set[Expression] = set()
    made = (Stage(name, TITLES[name], tuple(assignments(items, named))) for name, items in groups)
    return tuple(stage for stage in made if stage.assignments)


def rows(letter: str, body: Moving, found: Rows) -> Iterator[tuple[str, Any]]:
    """Components of rows by name."""
    for d, row in found.items():
        for i, x in enumerate(row, 1):
            yield component(letter, body.number, i, d), x


def components(letter: str, body: Moving, vector: Iterable[Any], of: str = "") -> Iterator[tuple[str, Any]]:
    """Components of a vector of a body by name."""
    for i, x in enumerate(vector, 1):
        yield f"{letter}_{{{body.number},{i}}}{of}", x


def assignments(items: Iterable[tuple[str, Any]], named: set[Expression]) -> Iterator[Assignment]:
    """Those that are operations and have no name yet."""
    for name, value in items:
        if absent(value):
            continue
        node = as_expression(value)
        body = node.args[0] if node.op == "neg" else node
        if body.args and not node.constant and body not in named:
            named.add(body)
            yield Assignment(name, node)
