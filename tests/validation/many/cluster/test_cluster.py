"""Campaigns on a cluster: the same rows as here, what ends tasks, workers and schedulers, and who is refused."""

from __future__ import annotations

import json
import socket
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.check import check
from mbconcord.validation.many.campaign import apart, campaign, on_worker, subject
from mbconcord.validation.many.campaign.campaign import explore, list_findings
from mbconcord.validation.many.campaign.folder import Folder, open_folder
from mbconcord.validation.many.campaign.row import CampaignRow
from mbconcord.validation.many.cluster import worker as releases
from mbconcord.validation.many.cluster.worker import release, require_same
from mbconcord.validation.strategies.machines import Features

from .here import Forks, Here


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain trees of one body, checked by two formalisms at one state, in this process."""

    def one(system: Any, **asked: Any) -> Any:
        return check(system, states=1, formalisms=["lagrange", "newton_euler"], claims=(), exact="off")

    monkeypatch.setattr(campaign, "warm_up", lambda: None)
    monkeypatch.setattr("mbconcord.validation.many.campaign.subject.MIX", (Features(),))
    monkeypatch.setattr("mbconcord.validation.many.campaign.subject.SIZES", (1,))
    monkeypatch.setattr(subject, "check", one)
    monkeypatch.setattr(on_worker, "children", lambda warm, seconds: Forks())


def new(path: Path) -> Folder:
    folder = open_folder(path, "ci", None, 0)
    folder.by_parts()
    return folder


def rows(path: Path) -> list[CampaignRow]:
    return [replace(row, seconds=0.0) for row in open_folder(path, "ci", None, 0).list_rows()]


@pytest.mark.slow
def test_rows_are_those_of_one_machine_and_a_campaign_goes_on_either_way(tmp_path: Path) -> None:
    explore(open_folder(tmp_path / "a", "ci", None, 0), 4, None, 1)
    assert explore(new(tmp_path / "b"), 2, None, 1, cluster=Here()).done == 2
    assert explore(open_folder(tmp_path / "b", "ci", None, 0), 3, None, 1).done == 1
    assert explore(new(tmp_path / "b"), 4, None, 1, cluster=Here()).done == 1
    assert rows(tmp_path / "a") == rows(tmp_path / "b") and len(rows(tmp_path / "a")) == 4


@pytest.mark.slow
@pytest.mark.parametrize("breaks", [None, MbconcordError(error("--cluster", "the scheduler is gone"))])
def test_what_breaks_it_loses_nothing(tmp_path: Path, breaks: BaseException | None) -> None:
    told = pytest.raises(MbconcordError, match="gone") if breaks else nullcontext()
    with told:
        assert explore(new(tmp_path), 4, None, 1, cluster=Here(2, breaks)).stopped
    assert len(rows(tmp_path)) == 2
    assert explore(new(tmp_path), 4, None, 1, cluster=Here()).done == 2
    assert [row.number for row in rows(tmp_path)] == [0, 1, 2, 3]


def test_a_finding_comes_with_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(system: Any, **asked: Any) -> Any:
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setattr(subject, "check", fails)
    monkeypatch.setattr(campaign, "MOST_SHRUNK", 0)
    folder = new(tmp_path)
    explore(folder, 1, None, 1, cluster=Here())
    (one,) = list_findings(folder, 0)
    assert one.finding.kind == "crash" and one.file is not None and f"check {one.file}" in one.command


def test_a_task_that_no_worker_could_end_is_a_finding(tmp_path: Path) -> None:
    class Deadly(Here):
        def each(self, function: str, context: Any, tasks: Any) -> Any:
            for task in tasks:
                yield task, "ended its worker again and again"

    folder = new(tmp_path)
    explore(folder, 1, None, 1, cluster=Deadly())
    (one,) = list_findings(folder, 0)
    assert (
        one.finding.kind == "limit"
        and one.file is None
        and "campaign run --random" in one.command
        and "--count 1" in one.command
    )


@pytest.mark.parametrize("name", release())
def test_a_worker_of_another_release_is_refused(name: str) -> None:
    require_same(release(), "tcp://there")
    for other in ({**release(), name: "0.0.1"}, {k: v for k, v in release().items() if k != name}):
        with pytest.raises(MbconcordError, match=rf"tcp://there has {name} (0\.0\.1|none), this program"):
            require_same(other, "tcp://there")


def test_every_answer_says_its_release(monkeypatch: pytest.MonkeyPatch) -> None:
    from mbconcord.validation.many.cluster.worker import perform

    answer = json.loads(perform("mbconcord.validation.many.cluster.worker:nothing", "null", "[7]"))
    assert answer == {"release": release(), "answer": 7} and next(iter(releases.release())) == "mbconcord"


def test_no_scheduler_is_told_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = pytest.importorskip("mbconcord.validation.many.cluster.cluster", reason="needs the extra [cluster]")
    asked: list[float] = []
    client = cluster.Client

    def connect(address: Any, **given: Any) -> Any:
        asked.append(given["timeout"])
        return client(address, **given)

    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    monkeypatch.setattr(cluster, "Client", connect)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address in (f"tcp://127.0.0.1:{port}", "no-such-protocol://x", "tcp://", f"tls://127.0.0.1:{port}"):
        with pytest.raises(MbconcordError, match=r"--cluster: error: .*no scheduler answers.*dask scheduler"):
            cluster.DaskCluster(address).__enter__()
    assert asked == [0.3] * 4


@pytest.mark.skipif(sys.platform == "win32", reason="processes with limits are those of POSIX")
def test_a_worker_judges_in_a_process_with_limits_of_its_own() -> None:
    how = {"judge": "operator:add", "wanted": 1}
    with releases.Children((), 600) as workers:
        assert workers.run(f"{on_worker.__name__}:judge_one", how, 2).value == 3


@pytest.mark.skipif(sys.platform == "win32", reason="processes with limits are those of POSIX")
def test_a_machine_with_limits_judges() -> None:
    def limit_both() -> Any:
        import resource

        for kind, most in ((resource.RLIMIT_CPU, 60), (resource.RLIMIT_AS, apart.ROOM)):
            resource.setrlimit(kind, (most, most))
        return apart.apart(lambda: 3, 600)

    assert apart.apart(limit_both) == 3
