"""A corpus: rows are those of a check of each file, files that changed are checked anew, poison ends nothing."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.model.diagnostics import MbconcordError, ReadError, WriteError, error
from mbconcord.validation.check import check
from mbconcord.validation.many.campaign import on_worker, survey
from mbconcord.validation.many.campaign.corpus import CheckedModel, Corpus, CorpusModel, CorpusRequest, model
from mbconcord.validation.many.campaign.survey import prepare
from mbconcord.validation.many.cluster.worker import ProcessAnswer

from ..cluster.here import Forks, Here

WANTED = CorpusRequest(("lagrange", "newton_euler"), 2, 5, (), "off")
TEXTS = {"a.mbsd": "z°30 i g", "b.mbsd": "x k g", "c.mbsd": "z j g"}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "warm_up", lambda: None)
    monkeypatch.setattr(on_worker, "children", lambda warm, seconds: Forks())


def made(file: str, text: str | None = None) -> CorpusModel:
    reading = read_text(TEXTS[file] if text is None else text, file, "mbsd")
    return model(file, "mbsd", reading.text, reading.system, "error", None, ())


def models() -> dict[str, CorpusModel | str]:
    return {file: made(file) for file in TEXTS}


def run(path: Path, found: dict[str, CorpusModel | str], cluster: Here | None = None) -> tuple[int, list[CheckedModel]]:
    """How many were checked, and all there is."""
    corpus = Corpus(path, WANTED)
    done = survey.survey(corpus, corpus.take(found), 1, cluster).done
    return done, Corpus(path).list_checked()


def rows(found: list[CheckedModel]) -> list[Any]:
    return [replace(c, at=0.0, row=c.row and replace(c.row, seconds=0.0)) for c in found]


@pytest.mark.slow
def test_a_row_is_the_check_of_its_file_here_and_on_a_cluster(tmp_path: Path) -> None:
    (_, here), (_, there) = run(tmp_path / "a", models()), run(tmp_path / "b", models(), Here())
    assert rows(here) == rows(there) and [c.file for c in here] == [*TEXTS]
    for c in here:
        own = check(read_text(TEXTS[c.file], c.file, "mbsd").system, formalisms=WANTED.formalisms, states=2, seed=5,
                    claims=(), exact="off")  # fmt: skip
        assert c.verdict == own.verdict and c.witnesses == WANTED.formalisms and c.stands == own.stands and c.row
        assert sum(cell.agrees for cell in c.row.cells.values()) == 2 * sum(
            x.verdict == "agrees" for x in own.comparisons
        )


@pytest.mark.slow
def test_only_what_changed_is_checked_anew_and_it_goes_on(tmp_path: Path) -> None:
    assert run(tmp_path, models(), Here(2))[0] == 2
    assert run(tmp_path, models())[0] == 1
    assert run(tmp_path, models())[0] == 0
    done, found = run(tmp_path, {**models(), "b.mbsd": made("b.mbsd", "x y k g")})
    assert done == 1 and [c.row.coordinates for c in found if c.row] == [1, 2, 1]
    done, found = run(tmp_path, {"a.mbsd": made("a.mbsd")})  # a smaller corpus is that alone
    assert done == 0 and [c.file for c in found] == ["a.mbsd"]


def _die(*_: Any, **asked: Any) -> Any:
    os.abort()


def _raise(*_: Any, **asked: Any) -> Any:
    raise ZeroDivisionError("nobody expected this")


def _refuse(*_: Any, **asked: Any) -> Any:
    raise MbconcordError(error("a", "no such thing"))


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("wrong", "verdict", "said"),
    [
        (_die, "failed", "ended by SIGABRT"),
        (_raise, "failed", "ZeroDivisionError in"),
        (_refuse, "refused", "no such thing"),
    ],
)
def test_a_poisoned_model_is_a_finding_with_its_file(
    wrong: Any, verdict: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = survey.check
    monkeypatch.setattr(
        survey, "check", lambda system, file, *a, **k: (wrong if file == "b.mbsd" else honest)(system, file, *a, **k)
    )
    for path, cluster in ((tmp_path / "a", None), (tmp_path / "b", Here())):
        _, found = run(path, models(), cluster)
        assert [c.verdict for c in found] == ["agrees", verdict, "agrees"]
        assert found[1].row is not None
        told = [f.what for f in found[1].findings] if verdict == "failed" else found[1].row.silent
        assert len(told) == 1 and said in told[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("wrong", "verdict", "said"),
    [
        (_die, "failed", "reading it ended by SIGABRT"),
        (_raise, "failed", "reading it raised ZeroDivisionError"),
        (_refuse, "refused", "no such thing"),
    ],
)
def test_reading_that_fails_ends_nothing(wrong: Any, verdict: str, said: str, tmp_path: Path) -> None:
    found = prepare(lambda file: wrong() if file == "b.mbsd" else made(file), [*TEXTS], 2)
    assert [*found] == [*TEXTS]
    _, told = run(tmp_path, found)
    assert [c.verdict for c in told] == ["agrees", verdict, "agrees"] and said in told[1].refused
    assert bool(told[1].findings) == (verdict == "failed")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 6}, "with seed 5, this one has 6"), ({"states": 3}, "with states 2"), ({"claims": ("x",)}, "claims"),
        ({"exact": "on"}, "with exact off"), ({"formalisms": None}, "formalisms"), ({}, None),
    ],
)  # fmt: skip
def test_another_campaign_is_not_gone_on_with(tmp_path: Path, change: dict[str, Any], said: str | None) -> None:
    Corpus(tmp_path / "x", WANTED)
    with pytest.raises(ReadError, match=said) if said else nullcontext():
        Corpus(tmp_path / "x", replace(WANTED, **change))


def test_folders_of_other_things_are_refused(tmp_path: Path) -> None:
    from mbconcord.validation.many.campaign.folder import open_folder

    open_folder(tmp_path / "random", "ci", None, 0)
    with pytest.raises(ReadError, match="no campaign over files"):
        Corpus(tmp_path / "random", WANTED)
    Corpus(tmp_path / "files", WANTED)
    with pytest.raises(ReadError, match="does not say which campaign"):
        open_folder(tmp_path / "files", "ci", None, 0)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").write_text("")
    with pytest.raises(WriteError, match="holds other files"):
        Corpus(tmp_path / "other", WANTED)
    with pytest.raises(ReadError, match="holds no campaign"):
        Corpus(tmp_path / "nowhere")


def test_clocks_that_are_set_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((2e9, 1e9, 1.5e9))
    monkeypatch.setattr("mbconcord.validation.many.campaign.corpus.time.time", lambda: next(times))
    done, found = run(tmp_path, models())
    assert done == 3 and [c.at for c in found] == [2e9, 1e9, 1.5e9] and all(c.row for c in found)


def test_a_worker_that_is_stopped_says_nothing_of_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Forks):
        def run(self, function: str, *arguments: Any) -> ProcessAnswer:
            return ProcessAnswer(failure="ended by SIGINT")

    monkeypatch.setattr(on_worker, "children", lambda warm, seconds: Stopped())
    with pytest.raises(MbconcordError, match=r"a\.mbsd: ended by SIGINT"):
        run(tmp_path, models(), Here())
    with pytest.raises(MbconcordError, match="model 3: ended by SIGINT"):
        on_worker.explore({"seed": 0}, 3, 20)
    assert [c.verdict for c in Corpus(tmp_path).list_checked()] == ["waits"] * 3
