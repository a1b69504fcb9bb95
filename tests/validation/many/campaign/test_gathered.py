"""Totals of a campaign are those of its rows, however they are split, sent, and stored; nothing counts twice."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pandas.testing import assert_frame_equal

from mbconcord.cli import main
from mbconcord.model.diagnostics import ReadError
from mbconcord.validation.many.campaign import totals as module
from mbconcord.validation.many.campaign.folder import Folder, open_folder
from mbconcord.validation.many.campaign.parts import key
from mbconcord.validation.many.campaign.row import CampaignRow, ClaimCount, Finding
from mbconcord.validation.many.campaign.totals import KEYS, PLAIN, WORST, Totals, gather

from ..cluster.here import Here

FOUND = Finding("limit", "took more than 1 s", "", ("took",))


def row(number: int) -> CampaignRow:
    """Rows of which every third has a feature, every fourth is not checked, every fifth has a finding."""
    cells = {("agreement", "lagrange"): ClaimCount(number, 0, 1, 0.5 / (1 + number)), ("fields", ""): ClaimCount(1)}
    if number % 2:
        cells |= {("agreement", "telegin"): ClaimCount(number % 7, int(number % 5 == 0), 0, -1.0)}
    joints = {"1R": 2, "1T": 1} if number % 2 else {"3R": 1} if number % 8 else {}
    return CampaignRow(
        number, "not checked" if number % 4 == 0 else "agrees", 1 + number % 6, 3, number % 2,
        ("elastic_modes", "springs")[: number % 3], joints, {}, cells,
        {None: 2, -number: 3}, {"identical": number}, (FOUND,) if number % 5 == 0 else (),
        ("M: why",) if number % 4 == 0 else (), 0.25 * number,
    )  # fmt: skip


def same(a: Totals, b: Totals) -> bool:
    parts = ("models", "verdicts", "sizes", "closed", "elastic", "decades", "exact", "having")
    assert [getattr(a, name) for name in parts] == [getattr(b, name) for name in parts]
    assert a.seconds == pytest.approx(b.seconds, rel=1e-12)
    assert sorted(a.silent) == sorted(b.silent) and sorted(a.times) == sorted(b.times)
    first, second = (x.cells.sort_values([*KEYS]).reset_index(drop=True) for x in (a, b))
    assert_frame_equal(first, second)
    return True


def folder(path: Path) -> Folder:
    """Thirty models: the first ten from this machine, the others by a cluster, four of them twice."""
    made = open_folder(path, "ci", 7, 0)
    for number in range(10):
        made.add(row(number).to_json())
    made.by_parts()
    for number in (*range(10, 30), 3, 12, 12, 29):
        made.add(row(number).to_json())
        made.settle()
    return made


@pytest.mark.parametrize("split", [0, 1, 13, 29, 30])
def test_totals_add_up_and_travel(split: int) -> None:
    rows = [row(number) for number in range(30)]
    whole = Totals.from_rows(rows, [5.0, 3.0])
    parts = Totals.from_rows(rows[split:], [3.0]), Totals.from_rows(rows[:split], [5.0])
    assert same(parts[0] + parts[1], whole)
    assert same(Totals.from_json(json.loads(json.dumps(whole.to_json()))), whole)


def test_cells_are_sums_over_the_rows_and_the_largest() -> None:
    """Against loops over the rows: neither groups nor tables."""
    rows = [row(number) for number in range(30)]
    expected: dict[tuple[str, ...], list[float]] = {}
    for one in rows:
        for (claim, formalism), cell in one.cells.items():
            own = [("", "", claim, formalism)] if formalism else []
            own += [("feature", name, claim, formalism) for name in one.features or (PLAIN,) if formalism]
            own += [("joint", name, "", formalism) for name in one.joints or ("",) if formalism]
            for name in own:
                sums = expected.setdefault(name, [0, 0, 0, -1.0])
                for n, count in enumerate((cell.agrees, cell.disagrees, cell.not_checked)):
                    sums[n] += count
                sums[3] = max(sums[3], cell.worst)
    found = Totals.from_rows(rows).cells.fillna({WORST: -1.0})
    assert {tuple(line[:4]): line[4:] for line in found.to_numpy().tolist()} == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("files", "lines"), [(100, 1000), (1, 1), (3, 4)])
@pytest.mark.parametrize("cluster", [None, Here()])
def test_every_model_counts_once(
    files: int, lines: int, cluster: Here | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FILES", files)
    monkeypatch.setattr(module, "LINES", lines)
    times = folder(tmp_path / "out").times()
    there, totals = gather(tmp_path / "out", cluster)
    assert same(totals, Totals.from_rows(map(row, range(30)), totals.times)) and len(totals.times) == 30
    assert min(times) <= min(totals.times)
    assert sorted(there.rows) == [number for number in range(30) if number % 5 == 0]


@pytest.mark.slow
def test_one_row_at_most_is_held_of_a_model_without_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are read some at a time, so that a report of any campaign takes the memory of a part of it."""
    folder(tmp_path / "out")
    monkeypatch.setattr(module, "FILES", 2)
    asked: list[int] = []
    honest = module.of_files

    def counted(of: Mapping[str, Any], names: Sequence[str], known: Sequence[int] = ()) -> dict[str, Any]:
        found = honest(of, names, known)
        asked.append(len(found["numbers"]))
        return found

    monkeypatch.setattr(module, "of_files", counted)
    gather(tmp_path / "out")
    assert max(asked) <= 2 and len(asked) >= 10


def test_a_worker_that_does_not_see_the_folder_is_told(tmp_path: Path) -> None:
    class Elsewhere(Here):
        def each(
            self, function: str, context: Any, tasks: Iterable[Sequence[Any]]
        ) -> Generator[tuple[Sequence[Any], Any]]:
            for task in tasks:
                yield task, "ended with ReadError: No such file or directory"

    folder(tmp_path / "out")
    with pytest.raises(ReadError, match=r"a worker has not read .*No such file.*where all workers see it"):
        gather(tmp_path / "out", Elsewhere())


def test_damage_is_told_with_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder(tmp_path / "out")
    (file, *_) = sorted((tmp_path / "out" / "rows").iterdir())
    file.write_bytes(file.read_bytes()[:-1])
    assert main(["campaign", "report", str(tmp_path / "out")]) == 2
    assert f"{file}: error: damaged" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows", [[{"at": 1.0}], [[1]], [{**row(3).to_json(), "task": key(["explore", 8, 3]), "at": 1.0}]]
)
def test_rows_of_another_campaign_are_refused(rows: list[Any], tmp_path: Path) -> None:
    """A file that was copied there is whole, and its numbers are of other models."""
    folder(tmp_path / "out")
    data = "".join(json.dumps(one) + "\n" for one in rows).encode()
    name = f"{sha256(data).hexdigest()[:24]}.jsonl"
    (tmp_path / "out" / "rows" / name).write_bytes(data)
    with pytest.raises(ReadError, match=f"{name}: error: holds what is no row of this campaign"):
        gather(tmp_path / "out")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_is_no_table_is_damaged(suffix: str, tmp_path: Path) -> None:
    folder(tmp_path / "out")
    name = f"{sha256(b'{').hexdigest()[:24]}.{suffix}"
    (tmp_path / "out" / "rows" / name).write_bytes(b"{")
    with pytest.raises(ReadError, match=f"{name}: error: damaged"):
        gather(tmp_path / "out")


@pytest.mark.parametrize("wrong", [{"at": None}, {"number": "a"}])
def test_a_line_that_is_no_row_is_damaged(wrong: dict[str, Any], tmp_path: Path) -> None:
    folder(tmp_path / "out")
    with (tmp_path / "out" / "rows.jsonl").open("a") as out:
        out.write(json.dumps(row(40).to_json() | wrong) + "\n")
    with pytest.raises(ReadError, match="damaged: no row of a campaign"):
        gather(tmp_path / "out")
