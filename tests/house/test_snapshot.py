"""The gate shows what other bytes a branch prints than main, and takes those that a commit names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from . import snapshot

ROOT = Path(__file__).resolve().parents[2]
ARM, NEW = "fixtures/mbsd/arm.mbsd/check_json.txt", "fixtures/mbsd/new.mbsd/check_json.txt"


@pytest.mark.parametrize(
    ("before", "after", "commits", "code", "said"),
    [
        ({ARM: "a\nb\n"}, {ARM: "a\nb\n"}, "", 0, "1 outputs: 0 other"),
        ({ARM: "a\nb\n"}, {ARM: "a\nc\n"}, "", 1, f"{ARM} differs from main\n  -b\n  +c\n"),
        ({ARM: "a\n"}, {ARM: "c\n"}, "fixtures/mbsd/arm.mbsd: a digit", 0, "1 other than those of main, 1 of them on"),
        ({ARM: "a\n"}, {ARM: "a\n", NEW: "n\n"}, "", 1, f"{NEW} differs from main\n  +n\n"),
        ({ARM: "a\n", NEW: "n\n"}, {ARM: "a\n"}, "", 1, f"{NEW} differs from main\n  -n\n"),
    ],
    ids=["the same", "other", "on purpose", "new", "gone"],
)
def test_differences_are_shown_unless_a_commit_names_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
    before: dict[str, str], after: dict[str, str], commits: str, code: int, said: str,
) -> None:  # fmt: skip
    for folder, texts in (("before", before), ("after", after)):
        for name, text in texts.items():
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True)
            path.write_text(text, "utf-8")
    assert snapshot.tell(tmp_path / "before", tmp_path / "after", commits, "main") == code
    assert said in capsys.readouterr().out


def test_every_folder_of_models_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    corpus = re.search(r"^CORPUS := (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert corpus
    assert {"/".join(model.split("/")[:2]) for model in snapshot.models()} >= set(corpus[1].split())


def test_one_command_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    snapshot.snapshot(str(tmp_path), "info_json", "fixtures/mbsd/double_pendulum.mbsd")
    (file,) = tmp_path.rglob("*.txt")
    assert file.name == "info_json.txt" and file.read_text("utf-8").startswith("exit 0\n")


def test_folders_are_laid_out_as_an_installation(tmp_path: Path) -> None:
    snapshot.lay_out(ROOT, tmp_path)
    there = {path.name for path in (tmp_path / "mbconcord").iterdir()}
    assert there >= {"__init__.py", "cli", "api", "model", "validation", "fixtures"} and "tests" not in there
