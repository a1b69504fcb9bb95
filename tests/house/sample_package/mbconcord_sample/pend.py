"""Pendulums in two numbers: lines ``length = 1.2`` and ``mass = 3`` under the word ``pendulum``."""

from __future__ import annotations

from fractions import Fraction

from mbconcord.converters.losses import Holds
from mbconcord.converters.registry import Format, Reading
from mbconcord.model import Body, Coordinate, Gravity, Inertia, System, rotation
from mbconcord.model.body import tensor
from mbconcord.model.diagnostics import Location, ReadError, error
from mbconcord.model.expressions import as_expression
from mbconcord.model.transformation import vector


def read(text: str, file: str) -> Reading:
    """A bob on a rod that turns about z; gravity along -y."""
    values = {}
    for number, line in enumerate(text.splitlines()[1:], 2):
        key, equals, value = (part.strip() for part in line.partition("="))
        if key not in ("length", "mass") or not equals:
            raise ReadError(error("", f"{line!r}; expected a length or a mass", location=Location(file, number, 1)))
        values[key] = as_expression(Fraction(value))
    centre = vector((values["length"], 0, 0))
    bob = Body("bob", None, (rotation("z", "angle"),), Inertia(values["mass"], centre, tensor((0,) * 6)))
    gravity = Gravity(as_expression(Fraction("9.81")), vector((0, -1, 0)))
    return Reading(System("pendulum", (Coordinate("angle"),), bodies=(bob,), gravity=gravity))


FORMAT = Format(
    name="pend",
    title="A pendulum in two numbers",
    suffixes=(".pend",),
    holds=Holds(),
    sniff=lambda head: head.startswith("pendulum\n"),
    read=read,
    write=None,
)
