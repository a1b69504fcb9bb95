"""What becomes of a change in a reader: by what it made of a text, and by what a check then says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from laboratory.mutants import attempt as attempts
from laboratory.mutants.attempt import attempt
from laboratory.mutants.campaign import MutantTrial
from laboratory.mutants.machines import MODELS, machine, original
from laboratory.mutants.places import kind
from laboratory.mutants.results import SAID, differing, reading
from laboratory.runner.record import MISSED
from mbconcord.model import System

MODEL = "mbsd/particle.mbsd"


@pytest.fixture(scope="module")
def right() -> System:
    return machine(MODEL)


def of_another_name(system: System) -> System:
    return replace(system, name="another", metadata={**system.metadata, "other": 1})


def heavier(system: System) -> System:
    body = system.bodies[-1]
    inertia = replace(body.inertia, mass=body.inertia.mass + 1)
    return replace(system, bodies=(*system.bodies[:-1], replace(body, inertia=inertia)))


def impossible(system: System) -> System:
    body = system.bodies[-1]
    inertia = replace(body.inertia, mass=-body.inertia.mass)
    return replace(system, bodies=(*system.bodies[:-1], replace(body, inertia=inertia)))


def of_another_body(system: System) -> System:
    *rest, last = system.bodies
    return replace(system, bodies=(*rest, replace(last, name="another")))


@pytest.mark.parametrize(
    ("read", "how", "by"),
    [
        (lambda s: s, "same", ""),
        (of_another_name, SAID, "only what is said"),
        (heavier, "check", "second_reading, text: inertia"),
        (of_another_body, "check", "second_reading, text: bodies"),
        (impossible, "raised", "ModelError: "),
    ],
    ids=["the same", "another name", "another mass", "another body", "no possible body"],
)
def test_how_a_change_of_a_reader_ends(
    right: System, monkeypatch: pytest.MonkeyPatch, read: Any, how: str, by: str
) -> None:
    honest = reading(right)
    monkeypatch.setattr(attempts, "machine", lambda name: read(right))
    found = attempt("readers", ["mbsd"], {MODEL: honest}, {})
    assert found["how"] == how and found["by"].startswith(by)


def test_words_are_no_part_of_what_moves(right: System) -> None:
    assert differing(reading(of_another_name(right)), reading(right)) == ([SAID], [])
    assert differing(reading(heavier(right)), reading(right)) == (["reading", SAID], [])


def test_what_is_only_said_is_asked_of_tests_and_scored_with_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Answered:
        spent = 1.0

    monkeypatch.setattr(MutantTrial, "_try_mutant", lambda *_: (SAID, "only what is said of the model", MODEL))
    mutant: Any = type("M", (), {"module": "mbconcord.converters.mbsd.reader"})()
    children: Any = Answered()
    found = MutantTrial({}, {}, False).outcome(children, ("key", mutant))
    assert (found.how, found.words, found.model) == (MISSED, True, MODEL)


@pytest.mark.parametrize("format", ["mbsd", "tp", "um", "urdf", "sdf", "mjcf"])
def test_texts_of_every_format_are_read_twice(format: str) -> None:
    name = next(name for name in MODELS if name.startswith(f"{format}/"))
    text = original(name)
    assert text is not None and text.format == format and text.file.endswith(name)


def test_beams_are_no_readers_of_a_text() -> None:
    assert kind("mbconcord.model.derivatives.dynamics") == "shared"
    assert kind("mbconcord.model.beams.beam") == kind("mbconcord.model.elastic.table") == "builders"
    assert kind("mbconcord.converters.poses") == "readers"
