"""Chains of four-bars (A02 of the IFToMM benchmark): rods of 1 m, 1 kg that pass positions with all in line."""

from __future__ import annotations

from fractions import Fraction
from math import pi

from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Inertia,
    Point,
    PointCoincidence,
    State,
    System,
    rotation,
    shift,
)
from mbconcord.model.expressions import as_expression
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import X, vector

GRAVITY = Gravity(as_expression(9.81), (as_expression(0), as_expression(-1), as_expression(0)))


def rod(length: Fraction = Fraction(1)) -> Inertia:
    """A uniform rod of 1 kg along x."""
    across = length * length / 12
    return Inertia(as_expression(1), vector((length / 2, 0, 0)), tensor((0, across, across, 0, 0, 0)))


def four_bars(n: int) -> System:
    """N cranks and a last one hinged at (i, 0), couplers on their tips, each closed at the next tip; all of 1 m."""
    bodies, coordinates, loops = [], [], []
    for i in range(n + 1):
        bodies.append(Body(f"crank{i}", None, (*shift((i, 0, 0)), rotation("z", f"a{i}")), rod()))
        coordinates.append(_coordinate(f"a{i}", pi / 2))
        if i < n:
            bodies.append(
                Body(f"coupler{i}", f"crank{i}", (*shift((1, 0, 0)), rotation("z", f"b{i}")), rod())
            )
            coordinates.append(_coordinate(f"b{i}", -pi / 2))
            ends = Point(f"coupler{i}", X), Point(f"crank{i + 1}", X)
            loops.append(PointCoincidence(f"loop{i}", *ends))
    return System(
        f"{n} four-bars", tuple(coordinates), gravity=GRAVITY, bodies=tuple(bodies), constraints=tuple(loops)
    )


def serial_four_bars(n: int) -> System:
    """The same machine as one chain of couplers; every crank but the first hangs on it and is cut at its hinge."""
    bodies = [Body("crank0", None, (rotation("z", "a0"),), rod())]
    coordinates, loops, parent = [_coordinate("a0", pi / 2)], [], "crank0"
    for i in range(n):
        bodies.append(Body(f"coupler{i}", parent, (*shift((1, 0, 0)), rotation("z", f"b{i}")), rod()))
        bodies.append(
            Body(f"crank{i + 1}", f"coupler{i}", (*shift((1, 0, 0)), rotation("z", f"a{i + 1}")), rod())
        )
        coordinates += [_coordinate(f"b{i}", 0 if i else -pi / 2), _coordinate(f"a{i + 1}", -pi / 2)]
        loops.append(
            PointCoincidence(f"loop{i}", Point(f"crank{i + 1}", X), Point(None, vector((i + 1, 0, 0))))
        )
        parent = f"coupler{i}"
    return System(
        f"{n} serial", tuple(coordinates), gravity=GRAVITY, bodies=tuple(bodies), constraints=tuple(loops)
    )


def upright(n: int, speed: float = 1.0) -> State:
    """Of :func:`four_bars`: the cranks upright, their tips moving to the right."""
    q = {f"a{i}": pi / 2 for i in range(n + 1)} | {f"b{i}": -pi / 2 for i in range(n)}
    v = {f"a{i}": -speed for i in range(n + 1)} | {f"b{i}": speed for i in range(n)}
    return State(q=q, v=v)


def serial_upright(n: int, speed: float = 1.0) -> State:
    """The same of :func:`serial_four_bars`."""
    v = {"a0": -speed, "b0": speed} | {f"a{i}": -speed for i in range(1, n + 1)}
    return State(v=v | {f"b{i}": 0.0 for i in range(1, n)})


def _coordinate(name: str, position: float) -> Coordinate:
    return Coordinate(name, position=as_expression(position))
