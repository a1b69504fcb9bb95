"""compare_pairs: the table of ``compare --pairs`` in Python, from a table, two folders or paths."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import main

MODELS = {"one.mbsd": "z j-2 $3 g", "same.mbsd": "z j-2 $3.0 g", "other.mbsd": "z j-2 $6 g"}
ROWS = {"r1": ("one.mbsd", "same.mbsd"), "r2": ("one.mbsd", "other.mbsd"), "gone": ("one.mbsd", "gone.mbsd")}


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in MODELS.items():
        Path(name).write_text(text, "utf-8")
    rows = [("robot", "a", "b"), *((name, *pair) for name, pair in ROWS.items())]
    Path("pairs.csv").write_text("\n".join(map(",".join, rows)), "utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_the_table_is_that_of_the_command() -> None:
    assert main(["compare", "--pairs", "pairs.csv", "--states", "2", "--report", "r.csv", "-q"]) == 2
    expected = list(csv.DictReader(Path("r.csv").read_text("utf-8").splitlines()))
    for pairs in ("pairs.csv", Path("pairs.csv"), ROWS, [(name, *files) for name, files in ROWS.items()]):
        found = mbconcord.compare_pairs(pairs, states=2, jobs=1)
        assert [*found.columns] == ["robot", "verdict", "largest, of scale", "cause", "exit"] == [*expected[0]]
        assert found.astype(str).to_dict("records") == expected and found["exit"].tolist() == [0, 1, 2]
    assert "gone.mbsd: No such file" in found["cause"][2]


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_folders_and_rows_without_names() -> None:
    for folder, name in (("x", "one.mbsd"), ("y", "same.mbsd")):
        Path(folder).mkdir()
        Path(folder, "p.mbsd").write_text(MODELS[name], "utf-8")
    Path("y/lone.mbsd").write_text(MODELS["one.mbsd"], "utf-8")
    found = mbconcord.compare_pairs("x", "y", states=2, jobs=1)
    assert found[["robot", "verdict", "exit"]].values.tolist() == [["lone", "refused", 2], ["p", "agrees", 0]]
    lone = mbconcord.compare_pairs({"arm": "one.mbsd", "all": ("x", "one.mbsd")})
    assert lone["robot"].tolist() == ["arm", "all"] and lone["exit"].tolist() == [2, 2]
    assert "expected robot, a, b, found arm, one.mbsd" in lone["cause"][0] and "x: a folder" in lone["cause"][1]
    named = mbconcord.compare_pairs([("one.mbsd", "same.mbsd"), ("one.mbsd",)], states=2)
    assert named["robot"].tolist() == ["one", "row 2"] and "expected robot, a, b, found one.mbsd" in named["cause"][1]


@pytest.mark.usefixtures("files")
def test_what_is_no_table_is_refused() -> None:
    for pairs, said in (("lost.csv", "No such file"), ({}, "found none"), ("one.mbsd", "its columns are")):
        with pytest.raises(mbconcord.MbconcordError, match=said):
            mbconcord.compare_pairs(pairs)
    with pytest.raises(mbconcord.MbconcordError, match="unknown kind 'contacts'"):
        mbconcord.compare_pairs(ROWS, accept_omissions={"contacts": 1})
