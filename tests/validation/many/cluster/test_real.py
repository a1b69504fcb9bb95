"""Workers of this machine give the rows that one process gives, by way of Dask and of processes with limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.validation.many.campaign.campaign import explore
from mbconcord.validation.many.campaign.corpus import Corpus, CorpusModel, CorpusRequest
from mbconcord.validation.many.campaign.folder import open_folder
from mbconcord.validation.many.campaign.row import CampaignRow
from mbconcord.validation.many.campaign.survey import survey

from ..campaign.test_corpus import made

pytestmark = [pytest.mark.slow, pytest.mark.rest]
cluster = pytest.importorskip("mbconcord.validation.many.cluster.cluster", reason="needs the extra [cluster]")


def rows(path: Path, joined: object = None) -> list[CampaignRow]:
    folder = open_folder(path, "ci", None, 0)
    if joined:
        folder.by_parts()
    explore(folder, 2, None, 1, cluster=joined)  # type: ignore[arg-type]
    return [replace(row, seconds=0.0) for row in folder.list_rows()]


def test_rows_are_those_of_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = CorpusRequest(("lagrange", "newton_euler"), 2, 5, (), "off")
    models: dict[str, CorpusModel | str] = {"a.mbsd": made("a.mbsd"), "bad.mbsd": made("a.mbsd", "x k g")}
    with cluster.DaskCluster("local", 1) as joined:
        assert joined.threads == 1
        there = rows(tmp_path / "there", joined)
        corpus = Corpus(tmp_path / "corpus", wanted)
        assert survey(corpus, corpus.take(models), 1, joined).done == 2
        assert [c.verdict for c in corpus.list_checked()] == ["agrees", "agrees"]
        # what a worker is asked cannot pass for an answer when it fails
        ((_, answer),) = joined.each("operator:truediv", 1, [[0]])
        assert answer == "ended with ZeroDivisionError: division by zero"
        monkeypatch.setattr(cluster, "require_same", _other)
        with pytest.raises(MbconcordError, match="that answered is another"):
            list(joined.each("operator:add", 1, [[0]]))
    assert there == rows(tmp_path / "here") and len(there) == 2


def _other(release: dict[str, str], worker: str) -> None:
    raise MbconcordError(f"{worker} is another")  # type: ignore[arg-type]
