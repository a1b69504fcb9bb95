"""Konoplev's own objects: S, Ṡ, Z, V, W, A, B, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mbconcord.model.expressions import number, rate
from mbconcord.model.force import Point
from mbconcord.model.lazy import Lazy

from .aggregates import Aggregates
from .canonical import nodes
from .elementwise import Elements, velocity_matrix
from .screw import REST
from .structure import Rows, pair_rate_rows, rate_rows, twists
from .vectors import Matrix, Vector, plus, times


def native(system: Aggregates) -> Lazy:
    """The objects of a symbolic system by the paper's names.

    ``S``, ``S'``, ``Z`` (n × 6m, rows in the model's order, six columns a link), ``V``, ``W`` (6m), ``A`` (6×6 of every
    link), ``B`` and its skew variant ``B~`` (n × n), ``pairs`` (how many pairs the joint of every body became),
    ``motor_torques`` of the flywheels (in q, q', q''); ``r``, the origins of the bodies' frames in fixed axes (m).
    """
    return Lazy(
        {
            "r": lambda: tuple(nodes(place) for place in positions(system)),
            "S": lambda: nodes(stacked(system, rows_of(system))),
            "S'": lambda: nodes(stacked(system, rates_of(system))),
            "Z": lambda: nodes(stacked(system, {body.number: body.z for body in system.bodies})),
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
    """What the entries of the objects are called; links, their six components and flywheels are counted."""
    model = system.mechanism.system
    bodies, names = tuple(body.name for body in model.bodies), model.coordinate_names
    rows = dict.fromkeys(("S", "S'", "Z"), (names,))
    return {
        "r": (bodies, ("x", "y", "z")),
        **rows,
        "B": (names, names),
        "B~": (names, names),
        "pairs": (bodies,),
    }


def positions(system: Aggregates) -> Iterator[Vector]:
    """Origins of the bodies' frames, from (1.1)."""
    return (system.places.position(Point(body.name)) for body in system.mechanism.system.bodies)


def rows_of(system: Aggregates) -> dict[int, Rows]:
    """Rows of S of every link: in the frame of its aggregate, or in its own where it has no inertia."""
    return dict(system.origin) | {body.number: body.rows for body in system.bodies}


def rates_of(system: Aggregates) -> dict[int, Rows]:
    """Rows of Ṡ of every link."""
    pair_rates = pair_rate_rows(system.tree)
    found = {}
    for link in system.tree.links:
        rows = system.origin[link]
        found[link] = rate_rows(rows, pair_rates[link], twists(system.tree, link, rows)[0])
    return found | {body.number: body.rates for body in system.bodies}


def twist_of(system: Aggregates, link: int) -> Vector:
    """V of a link."""
    for body in system.bodies:
        if body.number == link:
            return body.twist
    return system.places.twist(link)


def momenta_rates(system: Aggregates) -> Iterator[Vector]:
    """W of every link."""
    own = {body.number: body.inertia.gyroscopic(body.twist) for body in system.bodies}
    return (own.get(link, REST) for link in system.tree.links)


def motor_torques(system: Aggregates) -> Iterator[object]:
    """Torques about the spin axes, flywheel by flywheel."""
    for body in system.bodies:
        moving = (times(rate(d.coordinate, 2), row) for d, row in body.rows.items() if d.coordinate)
        twist_rate = plus(body.bias, *moving)
        for rotor in body.inertia.rotors:
            yield rotor.torque(body.twist, twist_rate, body.g)


def stacked(system: Aggregates, rows: Mapping[int, Rows]) -> Matrix:
    """Rows of all links side by side: a row a coordinate."""
    found: dict[str, Vector] = dict.fromkeys(system.mechanism.system.coordinate_names, ())
    for link in system.tree.links:
        by_name = {d.coordinate: row for d, row in rows.get(link, {}).items()}
        found = {name: row + by_name.get(name, REST) for name, row in found.items()}
    return tuple(found.values())


def square(system: Aggregates, elements: Elements) -> Matrix:
    """Elements as a matrix in the model's order."""
    by_name = {(a.coordinate, b.coordinate): x for (a, b), x in elements.items()}
    names = system.mechanism.system.coordinate_names
    return tuple(tuple(by_name.get((a, b), 0) for b in names) for a in names)
