"""Campaigns: what is wrong is found, made smaller and kept; what stops a run or a model stops nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord.converters.registry import read
from mbconcord.model import System
from mbconcord.model.diagnostics import MbconcordError, ReadError, WriteError
from mbconcord.model.expressions import as_expression
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.many.campaign import apart, campaign, subject
from mbconcord.validation.many.campaign.campaign import CampaignRun, explore, list_findings
from mbconcord.validation.many.campaign.folder import ROWS, Folder, open_folder
from mbconcord.validation.many.campaign.row import CampaignRow

from ...fakes import Altered, entry

WRONG = Altered(entry("gravity", (0,), lambda x: x * as_expression(1001) / 1000))


def _quick(system: System, witness: Any = "newton_euler", **asked: Any) -> Evidence:
    """A check of one pair at one state."""
    return check(
        system.open_loops(), states=1, seed=asked["seed"], formalisms=["lagrange", witness], claims=(), exact="off"
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[..., Evidence]], None]:
    """Put another check in place of the whole one; models are plain trees, which are drawn at once."""
    monkeypatch.setattr(campaign, "warm_up", lambda: None)
    monkeypatch.setattr("mbconcord.validation.many.campaign.subject.MIX", (subject_features(),))
    monkeypatch.setattr("mbconcord.validation.many.campaign.subject.SIZES", (1, 2))

    def put(other: Callable[..., Evidence]) -> None:
        monkeypatch.setattr(subject, "check", other)

    put(_quick)
    return put


def subject_features() -> Any:
    from mbconcord.validation.strategies.machines import Features

    return Features()


def new(path: Path, seed: int | None = None) -> Folder:
    return open_folder(path / "out", "ci", seed, 0)


def same_rows(folder: Folder) -> list[CampaignRow]:
    return [replace(row, seconds=0.0) for row in folder.list_rows()]


@pytest.mark.rest
@pytest.mark.slow
def test_a_seeded_fault_is_found_made_smaller_and_kept(
    tmp_path: Path, quick: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "SHRINKING", 10)
    monkeypatch.setattr("mbconcord.validation.many.campaign.subject.SIZES", (1,))
    quick(lambda system, **asked: _quick(system, WRONG, **asked))
    folder, told = new(tmp_path), []
    assert explore(folder, 2, None, 2, told.append).done == 2
    found = [one for row in folder.list_rows() for one in list_findings(folder, row.number)]
    assert found and {one.number for one in found} == {one.number for one in told}
    for one in found:
        assert one.finding.kind == "disagreement" and one.finding.shows[:2] == ("agreement", "gravity")
        assert one.file is not None and f"mbconcord check {one.file} --states 10 --seed 0" in one.command
        smaller = read(one.file).system
        assert len(smaller.coordinates) == 1 and not smaller.forces
        assert _quick(smaller, WRONG, seed=0).verdict == "disagrees"
        assert _quick(smaller, seed=0).verdict != "disagrees"


def _hang(system: System, **asked: Any) -> Evidence:
    while True:
        pass


def _die(system: System, **asked: Any) -> Evidence:
    os.abort()


def _raise(system: System, **asked: Any) -> Evidence:
    raise ZeroDivisionError("nobody expected this")


def _devour(system: System, **asked: Any) -> Evidence:
    return bytearray(1 << 44)  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        (_hang, "limit", "took more than 5 s"),
        (_die, "limit", "ended by SIGABRT"),
        (_devour, "limit", "took more than 4 GiB"),
        (_raise, "crash", "ZeroDivisionError in"),
    ],
)
def test_what_ends_the_checker_is_a_finding_and_not_the_end(
    wrong: Any, kind: str, words: str, tmp_path: Path, quick: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(wrong)
    monkeypatch.setattr(campaign, "MOST_SHRUNK", 0)
    if wrong is _hang:  # the others end by themselves; a model is drawn first, which may take seconds
        begun = apart.begin
        monkeypatch.setattr(apart, "begin", lambda work, seconds=5: begun(work, 5))
    folder = new(tmp_path)
    assert explore(folder, 1, None, 1).done == 1
    (one,) = list_findings(folder, 0)
    assert one.finding.kind == kind and one.finding.what.startswith(words)
    assert one.file is not None and read(one.file).system.bodies


def test_a_refused_model_is_told_and_is_no_finding(tmp_path: Path, quick: Any) -> None:
    def refuse(system: System, **asked: Any) -> Evidence:
        raise MbconcordError("no such thing")  # type: ignore[arg-type]

    quick(refuse)
    folder = new(tmp_path)
    explore(folder, 1, None, 1)
    (row,) = folder.list_rows()
    assert row.verdict == "refused" and not row.findings and row.silent


@pytest.mark.slow
def test_a_campaign_goes_on_and_is_the_same_with_any_number_of_processes(tmp_path: Path, quick: Any) -> None:
    first, second = new(tmp_path / "a"), new(tmp_path / "b")
    explore(first, 1, None, 1)
    before = (first.path / ROWS).read_bytes()
    again = new(tmp_path / "a")
    assert explore(again, 3, None, 2).done == 2
    assert (again.path / ROWS).read_bytes().startswith(before)
    explore(second, 3, None, 1)
    assert same_rows(again) == same_rows(second) and len(same_rows(second)) == 3
    assert explore(new(tmp_path / "a"), 3, None, 2).done == 0


@pytest.mark.slow
def test_interrupted_it_keeps_what_there_is(tmp_path: Path, quick: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    added = Folder.add
    started: list[int] = []

    def interrupted(folder: Folder, row: Any) -> None:
        added(folder, row)
        raise KeyboardInterrupt

    monkeypatch.setattr(Folder, "add", interrupted)
    begun = apart.begin

    def note(work: Callable[[], Any]) -> apart.Child:
        child = begun(work)
        started.append(child.pid)
        return child

    monkeypatch.setattr(apart, "begin", note)
    folder = new(tmp_path)
    found = explore(folder, 3, None, 2)
    assert found.stopped and found.done == 1 and started
    for pid in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)  # it has ended and is waited for
    monkeypatch.setattr(Folder, "add", added)
    assert explore(new(tmp_path), 3, None, 2).done == 2


def test_time_ends_it(tmp_path: Path, quick: Any) -> None:
    found = explore(new(tmp_path), None, 1e-9, 1)
    assert found == CampaignRun(found.seconds, 0)


@pytest.mark.slow
def test_a_line_that_was_cut_off_is_removed_and_said(tmp_path: Path, quick: Any) -> None:
    folder = new(tmp_path)
    explore(folder, 2, None, 1)
    file = folder.path / ROWS
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    again = new(tmp_path)
    assert "cut off" in str(again.notes[0]) and len(again.rows) == 1
    explore(again, 2, None, 1)
    assert same_rows(again) == same_rows(folder)


@pytest.mark.parametrize("line", [b"{}\n", b"[1]\n", b"\xff\xfe\n", b'{"number": 1}\n', b"\n"])
def test_a_damaged_line_is_named(line: bytes, tmp_path: Path) -> None:
    folder = new(tmp_path)
    folder.add(CampaignRow(0, "agrees").to_json())
    assert [row.number for row in new(tmp_path).list_rows()] == [0], "the line before it is sound"
    with (folder.path / ROWS).open("ab") as out:
        out.write(line)
    with pytest.raises(ReadError, match=r"rows\.jsonl:2:1: .*damaged"):
        new(tmp_path)


def test_another_campaign_is_not_gone_on_with(tmp_path: Path) -> None:
    new(tmp_path)
    with pytest.raises(ReadError, match="campaign with profile ci, this one has nightly"):
        open_folder(tmp_path / "out", "nightly", None, 0)
    with pytest.raises(ReadError, match="campaign with seed 0, this one has 1"):
        new(tmp_path, seed=1)
    about = tmp_path / "out" / "campaign.json"
    about.write_text(json.dumps(json.loads(about.read_text()) | {"program": "0.0.1"}))
    with pytest.raises(ReadError, match=r"campaign with program 0\.0\.1, this one has"):
        new(tmp_path)
    about.write_text("{")
    with pytest.raises(ReadError, match="does not say which campaign"):
        new(tmp_path)


def test_folders_that_take_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="Not a directory"):
        open_folder(tmp_path / "file" / "out", "ci", None, 0)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine").write_text("")
    with pytest.raises(WriteError, match="holds other files"):
        open_folder(tmp_path / "other", "ci", None, 0)


def test_a_nightly_seed_is_kept(tmp_path: Path) -> None:
    assert open_folder(tmp_path / "n", "nightly", None, 17).about.seed == 17
    assert open_folder(tmp_path / "n", "nightly", None, 18).about.seed == 17


def test_what_a_process_had_before_takes_no_room_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "ROOM", 128 << 20)
    assert apart.apart(lambda: len(bytearray(64 << 20))) == 64 << 20
    assert apart.apart(lambda: len(bytearray(192 << 20))) == "took more than 0 GiB"
