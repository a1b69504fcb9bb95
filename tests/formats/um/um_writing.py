"""What the tests of writing input.dat share: a small model, its text and its losses."""

from __future__ import annotations

from mbconcord.converters import registry
from mbconcord.model import Body, Coordinate, Gravity, Inertia, Parameter, System, translation
from mbconcord.model.expressions import number, symbol
from mbconcord.model.transformation import vector

A, B = symbol("a"), symbol("b")
DOWN = Gravity(number("9.81"), vector((0, 0, -1)))
SOLID = Inertia(number(2), vector((0, 0, 0)), (1, 1, 1, 0, 0, 0))


def model(*joint, **changes):
    """One body on a joint; by default it slides along x by ``s``."""
    body = Body("arm", None, joint or (translation("x", "s"),), SOLID)
    parts = {
        "coordinates": tuple(map(Coordinate, body.coordinates)),
        "parameters": (Parameter("a", number(2)), Parameter("b", number("0.5"))),
        "gravity": DOWN,
        "bodies": (body,),
    }
    return System("m", **(parts | changes))


def written(system):
    return registry.write(system, "um")


def losses(system):
    return [(loss.place, f"{loss.what}: {loss.reason}") for loss in written(system).losses]


def lines(system, first, last):
    """The lines of the text from the first that begins so to that before the last, without blanks around."""
    text = [line.strip() for line in written(system).text.splitlines()]
    start = next(i for i, line in enumerate(text) if line.startswith(first))
    return text[start : next(i for i in range(start, len(text)) if text[i].startswith(last))]
