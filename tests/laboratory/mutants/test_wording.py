"""Changes of texts: which are made, which tests are asked of them, and that their score stands apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from laboratory.faults.mutants import mutants
from laboratory.mutants import by_tests, places, report
from laboratory.mutants import campaign as campaigns
from laboratory.mutants.campaign import MutationRequest, campaign
from laboratory.mutants.score import Score
from laboratory.mutants.wording import WORDING, watching
from laboratory.runner.record import ChangeOutcome, ChangeRecord
from mbconcord.validation.many.cluster.worker import ProcessAnswer


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("'no such model'", {"'XXno such modelXX'"}),
        ("'model'", set()),
        ("'a+b'", set()),
        ("f'{x} is no number'", {"f'{x}XX is no numberXX'", "f' is no number'"}),
        ("f'{x}'", set()),
        ("re.compile('two words')", set()),
        ("g('two words')", {"g('XXtwo wordsXX')"}),
    ],
)
def test_the_changes_of_a_text(tmp_path: Path, source: str, changed: set[str]) -> None:
    file = tmp_path / "m.py"
    file.write_text(f'"""What it is for."""\nv = {source}\n', "utf-8")
    made = [m.source.partition("v = ")[2] for m in mutants("m", file, WORDING)]
    assert set(made) == changed and len(made) == len(changed)


READERS = Path(__file__).parents[2] / "readers"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Tests that quote a text, import a module, are of its name, and have nothing to do with it."""
    for name, text in {
        "tests/cli/test_quoting.py": "assert 'there is no such model' in said",
        "tests/cli/test_importing.py": "from mbconcord.cli import options, things",
        "tests/cli/test_things.py": "",
        "tests/cli/test_others.py": "from mbconcord.cli import thing",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_tests_that_quote_a_text_come_first(root: Path) -> None:
    file = root / "things.py"
    file.write_text("v = 'there was once a model'\n", "utf-8")
    (quoted,) = mutants("mbconcord.cli.things", file, WORDING)
    file.write_text("v = 'there is no such model'\n", "utf-8")
    (found,) = mutants("mbconcord.cli.things", file, WORDING)
    names = [[Path(p).name for p in group] for group in watching(found, root)]
    assert names == [["test_quoting.py"], ["test_importing.py"], ["test_things.py"]]
    assert [Path(p).name for p in watching(quoted, root)[0]] == ["test_importing.py"]


@pytest.mark.parametrize(
    ("module", "first"),
    [
        ("mbconcord.formalisms.konoplev.pair", ["konoplev"]),
        ("mbconcord.formalisms.static_moments", ["static_moments"]),
        ("mbconcord.model.expressions.algebra", ["expressions"]),
        ("mbconcord.model.beams.beam", ["test_beams.py"]),
        ("mbconcord.model.derivatives.dynamics", ["test_derivatives.py"]),
        ("mbconcord.converters.um.reading.reading", sorted(p.name for p in READERS.glob("test_um_*.py"))),
        ("mbconcord.validation.judge.scale", ["judge"]),
        ("mbconcord.validation.witnesses.direct.loads", ["test_direct.py"]),
    ],
)
def test_the_tests_of_a_module_are_asked_first(module: str, first: list[str]) -> None:
    root = places.checkout()
    assert root is not None
    assert [Path(p).name for p in places.tests(module, root)[0]] == first


def test_a_page_that_tests_compare_quotes_for_them(root: Path) -> None:
    page = root / "tests/cli/said/words.txt"
    page.parent.mkdir()
    page.write_text("x: error: there was once a model\n", "utf-8")
    (root / "tests/cli/test_said_in_full.py").write_text("", "utf-8")
    file = root / "things.py"
    file.write_text("v = 'there was once a model'\n", "utf-8")
    (found,) = mutants("mbconcord.cli.things", file, WORDING)
    assert [Path(p).name for p in watching(found, root)[0]] == ["test_said_in_full.py"]


@pytest.mark.parametrize(("failing", "how"), [("tests/a.py::b", "tests"), ("", "survived")])
def test_tests_alone_are_asked_of_a_text(monkeypatch: pytest.MonkeyPatch, root: Path, failing: str, how: str) -> None:
    file = root / "things.py"
    file.write_text("v = 'there is no such model'\n", "utf-8")
    monkeypatch.setattr(campaigns, "texts", lambda: tuple(mutants("mbconcord.cli.things", file, WORDING)))
    monkeypatch.setattr(campaigns, "draw_mutants", lambda *_: {})
    monkeypatch.setattr(campaigns, "checkout", lambda: root)
    monkeypatch.setattr(
        "laboratory.runner.change.run", lambda _, change, *rest: ProcessAnswer(failing if change else "")
    )
    record = ChangeRecord()
    (found,) = campaign(MutationRequest(words=5), record)
    assert (found.how, found.words, by_tests.SECONDS > 0) == (how, True, True)
    assert campaign(MutationRequest(words=5), record) == [found], "it is not tried again"


@pytest.mark.parametrize("suffix", [".md", ".json"])
def test_texts_have_a_table_of_their_own(suffix: str) -> None:
    said = [
        ChangeOutcome(n, "mbconcord.cli.check", n, how, words=True) for n, how in (("a", "tests"), ("b", "survived"))
    ]
    score = Score([ChangeOutcome("c", "mbconcord.model.force", "c", "check"), *said])
    page = report.page(score, f"r{suffix}", "python -m laboratory.mutants --seed 1 --words 2")
    assert score.short == [] and [row.total for row in score.kinds] == [1]
    assert "| cli | 2 | 1 | 1 | 50% |" in page or suffix != ".md"
    assert "exts" in page and score.list_ended("survived") == []
    assert "50%" in report.text(score)
