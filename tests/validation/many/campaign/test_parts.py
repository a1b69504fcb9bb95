"""Files of rows: what is written is what is read, each task once, and no damage passes for a row."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from mbconcord.model.diagnostics import MbconcordError, ReadError, WriteError
from mbconcord.validation.many.campaign import parts as module
from mbconcord.validation.many.campaign.parts import PARTS, CampaignParts, key
from mbconcord.validation.many.campaign.row import CampaignRow, ClaimCount, Finding

FOUND = Finding("limit", "took more than 1 s", "", ("took",))
ROW = CampaignRow(
    3, "agrees in part", 6, 7, 1, ("rods",), {"1R": 5}, {"a": ("rods", "springs")},
    {("agreement", "a"): ClaimCount(5, 0, 1, 0.25), ("fields", ""): ClaimCount(1)}, {None: 3, -1: 8}, {"identical": 4},
    (FOUND,), ("M: why", "h: é"), 2.5,
)  # fmt: skip


def record(number: int = 3, at: float = 5.0, **other: Any) -> dict[str, Any]:
    made = {"task": key(["explore", 0, number]), "at": at, **ROW.to_json(), "number": number, **other}
    return json.loads(json.dumps(made))


@pytest.fixture(params=["parquet", "jsonl"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="rows are Parquet with the extra [data]")
    else:
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    return str(request.param)


def written(path: Path, *rows: dict[str, Any]) -> Path:
    """The one file of these rows."""
    parts = CampaignParts(path)
    parts._waiting = [*rows]
    parts.settle(all=True)
    (file,) = (path / PARTS).iterdir()
    return file


def test_what_is_written_is_read(tmp_path: Path, form: str) -> None:
    made = record(file="a.mbsd", witnesses=["a", "b"], omissions={"contact": 19}, stands=True, format="mbsd")
    file = written(tmp_path, made)
    assert file.suffix == f".{form}"
    (back,) = CampaignParts(tmp_path).rows()
    assert back == made and CampaignRow.from_json(back) == ROW and asdict(CampaignRow.from_json(back)) == asdict(ROW)


def test_a_task_is_there_once_the_first_that_came(tmp_path: Path, form: str) -> None:
    for at in (7.0, 5.0, 6.0):
        parts = CampaignParts(tmp_path)
        parts.add(record(at=at))
        parts.add(record(4, at))
        parts.settle(all=True)
    assert sorted((row["number"], row["at"]) for row in CampaignParts(tmp_path).rows()) == [(3, 5.0), (4, 5.0)]


def test_rows_of_one_second_share_a_file(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    parts, counts = CampaignParts(tmp_path), []
    for number, later in enumerate((0, 0, 0, 2, 0)):
        now[0] += later
        parts.add(record(number))
        counts.append(len(list((tmp_path / PARTS).iterdir())))
    assert counts == [1, 1, 1, 2, 2]
    parts.settle(all=True)
    assert len(list((tmp_path / PARTS).iterdir())) == 3 and len(list(CampaignParts(tmp_path).rows())) == 5


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: b"", lambda data: b"\x00" + data[1:]])
def test_a_damaged_file_is_named_and_no_other_row_is_lost(tmp_path: Path, form: str, damage: Any) -> None:
    first = written(tmp_path, record(1))
    CampaignParts(tmp_path).add(record(2))
    whole = first.read_bytes()
    first.write_bytes(damage(whole))
    with pytest.raises(ReadError, match=rf"{first.name}: error: damaged.*move it away"):
        list(CampaignParts(tmp_path).rows())
    first.rename(tmp_path / "away")
    assert [row["number"] for row in CampaignParts(tmp_path).rows()] == [2]
    first.write_bytes(whole)
    assert sorted(row["number"] for row in CampaignParts(tmp_path).rows()) == [1, 2]


def test_a_file_that_was_not_finished_is_no_part(tmp_path: Path, form: str) -> None:
    file = written(tmp_path, record(1))
    (file.parent / f".{file.name}.77").write_bytes(b"half")
    assert [row["number"] for row in CampaignParts(tmp_path).rows()] == [1]


def test_a_full_disk_is_told_and_leaves_what_there_is(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, record(1))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(module.os, "fsync", full)
        parts = CampaignParts(tmp_path)
        with pytest.raises(WriteError, match=r"No space left on device; 1 row could not be kept.*make room"):
            parts.add(record(2))
    assert [row["number"] for row in CampaignParts(tmp_path).rows()] == [1]
    assert len(list((tmp_path / PARTS).iterdir())) == 1
    parts.settle(all=True)  # with room again nothing is lost
    assert sorted(row["number"] for row in CampaignParts(tmp_path).rows()) == [1, 2]


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="rows are Parquet with the extra [data]")
    written(tmp_path, record())
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MbconcordError, match=r"needs pyarrow.*mbconcord\[data\]"):
        list(CampaignParts(tmp_path).rows())


def test_a_key_is_of_the_values_alone() -> None:
    assert key({"a": 1, "b": [2]}) == key({"b": [2], "a": 1}) != key({"a": 1, "b": [3]})
    assert len({key(["explore", seed, number]) for seed in range(3) for number in range(3)}) == 9
