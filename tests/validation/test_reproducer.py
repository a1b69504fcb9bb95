"""A reproducer is one line, and reading it gives the machine back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.converters import registry
from mbconcord.model import Body, Coordinate, Inertia, System, rotation
from mbconcord.model.body import Flywheel
from mbconcord.model.expressions import number
from mbconcord.validation.compare import same_machine
from mbconcord.validation.strategies.machines import reproducer
from mbconcord.validation.strategies.trees import random_system

from .fakes import double_pendulum, reproduced


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_the_line_reads_back_as_the_same_machine(seed: int) -> None:
    model = random_system(seed, 1 + seed % 5)
    line = reproducer(model)
    assert "\n" not in line
    assert same_machine(model, registry.read_text(line).system, 3, seed).verdict == "agrees"


def test_what_mbsd_holds_is_written_in_mbsd() -> None:
    model = replace(double_pendulum(), forces=double_pendulum().forces[:1])  # a wrench is nothing MBSD holds
    line = reproducer(model)
    assert not line.startswith("{")
    assert same_machine(model, registry.read_text(line, format="mbsd").system, 3).verdict == "agrees"


@pytest.mark.slow
def test_a_failing_assertion_carries_the_line() -> None:
    model = random_system(1, 2)
    with pytest.raises(AssertionError) as problem, reproduced(model):
        raise AssertionError("planted")
    assert problem.value.__notes__ == [f"reproduce: {reproducer(model)}"]


def test_what_mbsd_cannot_hold_is_written_in_native_json() -> None:
    inertia = Inertia(1, (0, 0, 0), (1, 1, 1))
    body = Body("b", None, (rotation("z", "a"),), inertia, flywheels=(Flywheel("w", (), inertia, 2),))
    model = System("wheel", (Coordinate("a"),), bodies=(body,))
    line = reproducer(model)
    assert line.startswith('{"format":"mbconcord"')
    assert registry.read_text(line).system == model


def test_the_digits_of_a_number_stay_where_a_line_is_json() -> None:
    exact = number("123456789012345678901234567890.5")
    inertia = Inertia(exact, (0, 0, 0), (1, 1, 1))
    body = Body('a "b"  c', None, (rotation("z", "a"),), inertia, flywheels=(Flywheel("w", (), inertia, 2),))
    model = System("two  blanks", (Coordinate("a"),), bodies=(body,))
    line = registry.format_named("native").line
    assert line is not None
    text = line(registry.write(model, "native").text)
    assert "\n" not in text and " " not in text.replace("two  blanks", "").replace('a \\"b\\"  c', "")
    assert registry.read_text(text).system == model
