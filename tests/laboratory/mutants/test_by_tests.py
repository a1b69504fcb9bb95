"""What no check noticed goes to the tests: which one failed, and what becomes of a mutant then."""

from __future__ import annotations

from pathlib import Path

import pytest

from laboratory.mutants import by_tests
from laboratory.mutants.attempt import failing
from laboratory.mutants.campaign import draw_mutants
from laboratory.mutants.places import choose_modules
from laboratory.runner.record import MISSED, ChangeOutcome, ChangeRecord
from mbconcord.validation.many.cluster.worker import Children, ProcessAnswer

MODEL = "mbsd/particle.mbsd"


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("def test_a(): pass\ndef test_b(): assert 0\ndef test_c(): assert 0\n", "test_b"),
        ("def test_a(): pass\n", ""),
        ("def test_a(): pass\nimport no_such_module\n", "FILE"),
        ("", ""),
    ],
    ids=["one fails", "all pass", "cannot be imported", "none"],
)
def test_the_first_that_fails_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"test_{tmp_path.name}.py"  # modules of one name would be one module
    (tmp_path / name).write_text(source, "utf-8")
    assert failing([name], str(tmp_path)).rpartition("::")[2] == named.replace("FILE", name)


#: With the change and without it a test fails, or none does, or the tests come to no end.
FAILS, PASSES, NO_END = (ProcessAnswer("tests/a.py::b"), ProcessAnswer(""), ProcessAnswer(failure="ended by SIGKILL"))


@pytest.mark.parametrize(
    ("model", "changed", "honest", "how"),
    [
        (MODEL, FAILS, PASSES, "tests"),
        (MODEL, FAILS, FAILS, "survived"),
        (MODEL, PASSES, PASSES, "survived"),
        (MODEL, NO_END, PASSES, "survived"),
        ("", FAILS, PASSES, "tests"),
        ("", PASSES, PASSES, "not reached"),
    ],
)
def test_how_it_ends(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, changed: ProcessAnswer, honest: ProcessAnswer, how: str
) -> None:
    key, mutant = next(iter(draw_mutants(choose_modules(["model.body"]), 0, 1).items()))
    monkeypatch.setattr(by_tests, "tests", lambda *_: [["tests/a.py"], ["tests/c.py"]])
    monkeypatch.setattr("laboratory.runner.change.run", lambda _, change, *rest: changed if change else honest)
    missed = ChangeOutcome(key, mutant.module, str(mutant), MISSED, "M", model)
    found = by_tests.Tests({key: missed}, {}, tmp_path).outcome(Children(), (key, mutant))
    assert found.how == how and found.by == ("tests/a.py::b" if how == "tests" else "M")


def test_of_an_installation_without_tests_nobody_is_asked() -> None:
    key, mutant = next(iter(draw_mutants(choose_modules(["model.body"]), 0, 1).items()))
    missed = ChangeOutcome(key, mutant.module, str(mutant), MISSED, "M", MODEL)
    assert by_tests.Tests({key: missed}, {}, None).outcome(Children(), (key, mutant)).how == "survived"


def test_who_was_not_asked_yet_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ChangeRecord.from_file(path).add(ChangeOutcome("a", "mbconcord.model.force", "a", MISSED, "M", MODEL))
    assert ChangeRecord.from_file(path).outcomes["a"].how == MISSED
