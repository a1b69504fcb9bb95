"""Konoplev's own objects S, Ṡ, Z, V, W, A, B, computed on first access; the equations need only b = B q̇."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mbconcord.model.derivation import Lazy
from mbconcord.model.expressions import number, rate
from mbconcord.model.force import Point

from .aggregates import Aggregates, Moving
from .canonical import nodes
from .structure import Direction, Rows, pair_rate_rows, rate_rows, twists
from .vectors import REST, Matrix, Vector, add, dot, plus, times, to_column_axes

Elements = dict[tuple[Direction, Direction], Any]


def native(system: Aggregates) -> Lazy:
    """Return the objects of a symbolic system by the paper's names.

    ``S``, ``S'``, ``Z`` (n × 6m, rows in the model's order, six columns a link), ``V``, ``W`` (6m), ``A`` (6×6 of every
    link), ``B`` and its skew variant ``B~`` (n × n), ``pairs`` (number of pairs in each body's joint),
    ``motor_torques`` of the flywheels (in q, q', q''); ``r``, the origins of the bodies' frames in fixed axes (m).
    """
    return Lazy(
        {
            "r": lambda: tuple(nodes(place) for place in positions(system)),
            "S": lambda: nodes(stack_rows(system, rows_of(system))),
            "S'": lambda: nodes(stack_rows(system, rates_of(system))),
            "Z": lambda: nodes(stack_rows(system, {body.number: body.z for body in system.bodies})),
            "V": lambda: nodes(sum((twist_of(system, link) for link in system.tree.links), ())),
            "W": lambda: nodes(sum(momenta_rates(system), ())),
            "A": lambda: nodes(tuple(body.inertia.matrix for body in system.bodies)),
            "B": lambda: nodes(square(system, velocity_matrix(system.bodies))),
            "B~": lambda: nodes(square(system, velocity_matrix(system.bodies, skew=True))),
            "pairs": lambda: tuple(number(len(road.links)) for road in system.mechanism.roads),
            "motor_torques": lambda: nodes(tuple(motor_torques(system))),
        }
    )


def indices(system: Aggregates) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Name the entries of the objects; links, their six components and flywheels are numbered."""
    model = system.mechanism.system
    bodies, names = tuple(body.name for body in model.bodies), model.coordinate_names
    rows = dict.fromkeys(("S", "S'", "Z"), (names,))
    return {"r": (bodies, ("x", "y", "z")), **rows, "B": (names, names), "B~": (names, names), "pairs": (bodies,)}


def positions(system: Aggregates) -> Iterator[Vector]:
    """Yield the origins of the bodies' frames, from (1.1)."""
    return (system.places.position(Point(body.name)) for body in system.mechanism.system.bodies)


def rows_of(system: Aggregates) -> dict[int, Rows]:
    """Return the rows of S of every link: in the frame of its aggregate, or in its own if it has no inertia."""
    return dict(system.origin) | {body.number: body.rows for body in system.bodies}


def rates_of(system: Aggregates) -> dict[int, Rows]:
    """Compute rows of Ṡ of every link."""
    pair_rates = pair_rate_rows(system.tree)
    found = {}
    for link in system.tree.links:
        rows = system.origin[link]
        found[link] = rate_rows(rows, pair_rates[link], twists(system.tree, link, rows)[0])
    return found | {body.number: body.rates for body in system.bodies}


def twist_of(system: Aggregates, link: int) -> Vector:
    """Return V of a link."""
    for body in system.bodies:
        if body.number == link:
            return body.twist
    return system.places.twist(link)


def momenta_rates(system: Aggregates) -> Iterator[Vector]:
    """Yield W of every link."""
    own = {body.number: body.inertia.gyroscopic(body.twist) for body in system.bodies}
    return (own.get(link, REST) for link in system.tree.links)


def motor_torques(system: Aggregates) -> Iterator[object]:
    """Yield the torques about the spin axes, flywheel by flywheel."""
    for body in system.bodies:
        moving = (times(rate(d.coordinate, 2), row) for d, row in body.rows.items() if d.coordinate)
        twist_rate = plus(body.bias, *moving)
        for rotor in body.inertia.rotors:
            yield rotor.torque(body.twist, twist_rate, body.g)


def stack_rows(system: Aggregates, rows: Mapping[int, Rows]) -> Matrix:
    """Stack the rows of all links side by side: one row per coordinate."""
    found: dict[str, Vector] = dict.fromkeys(system.mechanism.system.coordinate_names, ())
    for link in system.tree.links:
        by_name = {d.coordinate: row for d, row in rows.get(link, {}).items()}
        found = {name: row + by_name.get(name, REST) for name, row in found.items()}
    return tuple(found.values())


def square(system: Aggregates, elements: Elements) -> Matrix:
    """Arrange elements as a matrix in the model's order."""
    by_name = {(a.coordinate, b.coordinate): x for (a, b), x in elements.items()}
    names = system.mechanism.system.coordinate_names
    return tuple(tuple(by_name.get((a, b), 0) for b in names) for a in names)


def velocity_matrix(bodies: Iterable[Moving], skew: bool = False) -> Elements:
    """Compute B = S B Sᵀ + S A Ṡᵀ, (4.1), or with ``skew`` the variant for which Ȧ - 2 B is skew-symmetric.

    ``B q̇ = b`` if no motion is prescribed; B is not symmetric.
    """
    result: Elements = {}
    for body in bodies:
        own = body.inertia.B(body.twist, skew)
        free = [d for d in body.rows if d.coordinate]
        for first in free:
            turned = to_column_axes(body.rows[first], own)
            for second in free:
                share = dot(turned, body.rows[second])
                if second in body.rates:
                    share = add(share, dot(body.z[first], body.rates[second]))
                result[first, second] = add(result.get((first, second), 0), share)
    return result
