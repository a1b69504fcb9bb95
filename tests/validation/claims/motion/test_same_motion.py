"""Two models by their motion, whatever their coordinates are called and in which order they stand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.converters.registry import read, read_text, write
from mbconcord.fixtures import folder
from mbconcord.model import State, System
from mbconcord.validation.compare import Sameness, same_machine

PENDULUM = "z(a)°20 -j1 $1 [0.1,0.1,0.1] > z(b) -j1 ${m} [0.1,0.1,0.1] g9.81-y"
#: The same machine, its bodies' coordinates named otherwise; two carts in the other order.
TWO = "u(x) $1 [0,0,0] > v(y)°0.3 $2 [0,0,0] > z(c)°30 -j1 $1 [0.1,0.1,0.1] g9.81-y"


def pendulum(mass: str = "1", names: str = "ab") -> System:
    text = PENDULUM.replace("{m}", mass).replace("(a)", f"({names[0]})").replace("(b)", f"({names[1]})")
    return read_text(text, format="mbsd").system


def motions(found: Sameness) -> dict[str, set[str]]:
    by: dict[str, set[str]] = {}
    for c in found.comparisons:
        if c.claim == "motion":
            by.setdefault(c.quantity, set()).add(c.verdict)
    return by


def test_names_do_not_matter() -> None:
    found = same_machine(pendulum(), pendulum(names="pq"), states=2, simulate=0.2)
    assert motions(found) == {"motion: positions": {"agrees"}, "motion: rates": {"agrees"}}
    assert found.headline == "the same machine after matching a = p, b = q, in motion to 0.2 s"
    assert "in motion from 2 starts to 0.2 s" in str(found) and found.to_json()["simulated"]["reached"] == 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("mass", "verdict"), [("1.000001", "disagrees"), ("1", "agrees")])
def test_a_part_in_a_million_is_noticed(mass: str, verdict: str) -> None:
    found = same_machine(pendulum(), pendulum(mass), states=2, simulate=0.2)
    assert motions(found)["motion: rates"] == {verdict} and found.verdict == verdict


@pytest.mark.slow
def test_numbers_that_were_printed_are_allowed_for() -> None:
    """0.70710678 of another program stands for √½: the motions are as far apart as that makes them."""
    found = same_machine(pendulum("0.70710678"), pendulum("0.70710678118654752"), states=2, printed=True, simulate=0.2)
    assert motions(found)["motion: positions"] == {"agrees"} and found.verdict == "agrees"
    assert (
        same_machine(pendulum("0.70710678"), pendulum("0.7071"), states=2, printed=True, simulate=0.2).verdict
        == "disagrees"
    )


def test_coordinates_in_another_order() -> None:
    first = read_text(TWO, format="mbsd").system
    second = replace(first, coordinates=first.coordinates[::-1])
    found = same_machine(first, second, states=2, simulate=0.2)
    assert set().union(*motions(found).values()) == {"agrees"}


@pytest.mark.slow
def test_closed_models_of_two_formats() -> None:
    first = read(folder() / "um/four_bar/input.dat").system
    second = read_text(write(first, "native").text, format="native").system
    start = State(q={"q1": -1.2}, v={"q1": 1.0})
    found = same_machine(first, second, states=[start], simulate=0.05)
    assert set().union(*motions(found).values()) == {"agrees"} and found.horizon is not None
    assert found.horizon.reached == 0.05


def test_no_motion_is_not_checked() -> None:
    text = "z(a) z(b) i1 $1 [0,0,0] g9.81-y"
    one, other = (read_text(text, format="mbsd").system for _ in range(2))
    found = same_machine(one, other, states=2, simulate=0.1)
    assert motions(found) == {"motion": {"not checked"}} and found.verdict == "not checked"
