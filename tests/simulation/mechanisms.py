"""Closed mechanisms: chains of four-bars in two cuts, a slider-crank, a spatial four-bar, and the closed fixtures."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from laboratory.machines import four_bars, rod, serial_four_bars
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Point,
    PointCoincidence,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import as_expression
from mbconcord.validation.judge.states import draw

__all__ = ["FIXTURES", "fixture", "four_bars", "pinned", "rod", "serial_four_bars", "slider_crank"]

FIXTURES = ("mbsd/four_bar.mbsd", "mbsd/patu655.mbsd", "um/four_bar/input.dat", "konoplev/four_bar.mbs.json")


def _coordinate(name: str, position: float = 0.0) -> Coordinate:
    return Coordinate(name, position=as_expression(position))


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
