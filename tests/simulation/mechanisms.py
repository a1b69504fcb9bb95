"""Closed mechanisms: chains of four-bars in two cuts, a slider-crank, a spatial four-bar, and the closed fixtures."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import pi

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Gravity,
    Inertia,
    Point,
    PointCoincidence,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import as_expression
from mbconcord.model.inertia import tensor
from mbconcord.validation.judge.states import draw

FIXTURES = ("mbsd/four_bar.mbsd", "mbsd/patu655.mbsd", "um/four_bar/input.dat", "konoplev/four_bar.mbs.json")


def rod(length: Fraction = Fraction(1)) -> Inertia:
    """A uniform rod of 1 kg along x."""
    across = length * length / 12
    return Inertia(as_expression(1), (length / 2, 0, 0), tensor((0, across, across, 0, 0, 0)))


def _coordinate(name: str, position: float = 0.0) -> Coordinate:
    return Coordinate(name, position=as_expression(position))


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
            ends = Point(f"coupler{i}", (1, 0, 0)), Point(f"crank{i + 1}", (1, 0, 0))
            loops.append(PointCoincidence(f"loop{i}", *ends))
    gravity = Gravity(as_expression(9.81), (0, -1, 0))
    return System(
        f"{n} four-bars", tuple(coordinates), gravity=gravity, bodies=tuple(bodies), constraints=tuple(loops)
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
            PointCoincidence(f"loop{i}", Point(f"crank{i + 1}", (1, 0, 0)), Point(None, (i + 1, 0, 0)))
        )
        parent = f"coupler{i}"
    gravity = Gravity(as_expression(9.81), (0, -1, 0))
    return System(
        f"{n} serial", tuple(coordinates), gravity=gravity, bodies=tuple(bodies), constraints=tuple(loops)
    )


def slider_crank() -> System:
    """Crank 0.1 m, rod 0.3 m, stretched out at the start."""
    crank, link = Fraction(1, 10), Fraction(3, 10)
    bodies = (
        Body("crank", None, (rotation("z", "a"),), rod(crank)),
        Body("rod", "crank", (*shift((crank, 0, 0)), rotation("z", "b")), rod(link)),
        Body("slider", None, (translation("x", "s"),), rod(crank)),
    )
    pin = PointCoincidence("pin", Point("rod", (link, 0, 0)), Point("slider", (0, 0, 0)))
    coordinates = (_coordinate("a"), _coordinate("b"), _coordinate("s", 0.4))
    return System("slider-crank", coordinates, bodies=bodies, constraints=(pin,))


def pinned(turn: float) -> System:
    """A plate on three hinges in a row whose tip is a cut hinge, turned by so much against its seat at q = 0."""
    names = ("u", "v", "w")
    bodies, parent = [], None
    for name, axis in zip(names, "zzz", strict=True):
        bodies.append(Body(name, parent, (rotation(axis, name), *shift((1, 0, 0))), rod()))
        parent = name
    seat = (*shift((3, 0, 0)), rotation("z", as_expression(turn)))
    cut = FrameCoincidence("cut", Frame("w", (rotation("z", "p"),)), Frame(None, seat))
    return System("pinned", tuple(map(_coordinate, names)), bodies=tuple(bodies), constraints=(cut,))


@cache
def fixture(file: str) -> System:
    """A closed fixture with every function defined."""
    place, _, name = file.partition("/")
    return draw(read(folder(place) / name).system, 0, 0).system
