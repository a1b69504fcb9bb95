"""Writing MBSD: what the language cannot hold is a named loss, and names it would misread are changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.converters.registry import read_text, write
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Effort,
    Function,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    Rod,
    System,
    rotation,
    translation,
)
from mbconcord.model.expressions import number, symbol
from mbconcord.model.expressions.formula import parse_formula


def read(text: str, name: str = "mbsd") -> System:
    return read_text(text, f"{name}.mbsd").system


def system_with(**parts) -> System:
    base = read("z i #a > x #b")
    return replace(base, **parts)


X = symbol("x_0")
BODY = read("z i #a > x #b").bodies[0]
LOSSES = [
    ({"forces": (JointEffort("spring", "z1", LinearLaw(k=number(3))),)}, "forces/spring", "linear law"),
    ({"forces": (JointEffort("spring", "z1", number(3)),)}, "forces/spring", "the name 'spring'"),
    (
        {"forces": (JointEffort("z1", "z1", number(3)), JointEffort("other", "z1", number(2)))},
        "coordinates/z1",
        "2 joint forces",
    ),
    ({"forces": (Bipolar("S", Point("a"), Point("b"), number(1)),)}, "forces/S", "the name 'S'"),
    ({"constraints": (Rod("R", Point("a"), Point("b"), number(1)),)}, "constraints/R", "the name 'R'"),
    ({"coordinates": (Coordinate("x1"), Coordinate("z1"))}, "coordinates", "order x1, z1"),
    ({"functions": (Function("F", ("t",)),)}, "functions/F", "function"),
]


@pytest.mark.parametrize(("parts", "place", "what"), LOSSES)
def test_losses_are_named(parts, place, what):
    system = system_with(**parts)
    losses = write(system, "mbsd").losses
    assert any(loss.place == place and what in loss.what for loss in losses), losses


def test_drives_and_several_forces_are_added():
    drive = Coordinate("z1", drive=Effort(parse_formula("2*z1")))
    forces = (JointEffort("z1", "z1", number(3)), JointEffort("more", "z1", parse_formula("z1'")))
    system = system_with(coordinates=(drive, Coordinate("x1")), forces=forces)
    again = read(write(system, "mbsd").text)
    assert again.forces == (JointEffort("z1", "z1", parse_formula("3 + z1' + 2*z1")),)


RENAMED = [("bad name", "bad_name"), ("1st", "_1st"), ("pi", "pi_"), ("sin", "sin_"), ("m-ω", "m_ω")]


@pytest.mark.parametrize(("name", "written"), RENAMED)
def test_names_that_are_no_names_are_changed_and_noted(name, written):
    body = replace(
        BODY, inertia=Inertia(symbol(name)), joint=(rotation("z", name + "q"), translation("x", symbol(name)))
    )
    system = System("s", (Coordinate(name + "q"),), (Parameter(name, number(2)),), bodies=(body,))
    writing = write(system, "mbsd")
    again = read(writing.text, "s")
    assert again.parameters[0] == Parameter(written, number(2))
    assert any(loss.place == f"parameters/{name}" and written in loss.reason for loss in writing.losses)


def test_a_parameter_named_like_the_letter_of_a_force_is_changed():
    """In the force of a coordinate u the letter u is this coordinate: a parameter u would be misread."""
    body = Body("a", None, (translation("x", "q"),), Inertia(number(1)))
    effort = JointEffort("q", "q", parse_formula("-u*q"))
    system = System("s", (Coordinate("q"),), (Parameter("u", number(5)),), bodies=(body,), forces=(effort,))
    writing = write(system, "mbsd")
    again = read(writing.text, "s")
    assert again.forces[0].effort is parse_formula("-u_*q")
    assert again.parameters == (Parameter("u_", number(5)),)
    assert [loss.place for loss in writing.losses] == ["parameters/u"]
