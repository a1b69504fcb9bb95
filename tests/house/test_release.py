"""``make release``: what it says is missing, the notes it cuts, the number it gives; the building itself it tries."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG = """# Changelog

## [Unreleased]
{}
## [0.2.0] - 2026-11-21

### Added
- A thing.

## [0.1.0] - 2026-10-01
- The first.
"""


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script of releases over a small project of its own."""
    spec = spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec and spec.loader
    found = module_from_spec(spec)
    spec.loader.exec_module(found)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "__init__.py").write_text('"""Docstring."""\n\n__version__ = "0.2.0"\n', encoding="utf-8")
    (tmp_path / "CITATION.cff").write_text("title: a\nversion: 0.2.0\ndate-released: 2026-11-21\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG.format(""), encoding="utf-8")
    (tmp_path / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    monkeypatch.setattr(found, "ROOT", tmp_path)
    return found


def test_notes_are_those_of_the_version(release: ModuleType) -> None:
    assert release.notes("0.2.0") == "### Added\n- A thing.\n"
    assert release.notes("0.1.0") == "- The first.\n" and release.notes("9.9.9") == ""


def test_a_release_that_is_cut_and_committed_is_ready(release: ModuleType) -> None:
    assert release.unready() == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n- New.\n", "has lines under Unreleased"),
        ("CHANGELOG.md", "[0.2.0]", "[0.2.1]", "says nothing of 0.2.0"),
        ("CITATION.cff", "version: 0.2.0", "version: 0.1.0", "CITATION.cff is not of 0.2.0"),
        ("app/__init__.py", "0.2.0", "0.3.0", "says nothing of 0.3.0"),
    ],
)
def test_what_is_missing_is_said(release: ModuleType, file: str, old: str, new: str, said: str) -> None:
    path = release.ROOT / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    found = release.unready()
    assert any(said in line for line in found) and any("commit them" in line for line in found)


def test_cutting_gives_every_file_the_number(release: ModuleType) -> None:
    path = release.ROOT / "CHANGELOG.md"
    path.write_text(CHANGELOG.format("- New.\n"), encoding="utf-8")
    assert release.cut("0.3.0") == 0
    assert release.version() == "0.3.0" and release.notes("0.3.0") == "- New.\n" and release.notes("Unreleased") == "\n"
    assert re.search(r"^version: 0\.3\.0\ndate-released: \d{4}-\d\d-\d\d$", release.text("CITATION.cff"), re.MULTILINE)
    assert all("commit them" in line for line in release.unready())
    with pytest.raises(SystemExit, match="expected three numbers"):
        release.cut("v3")


def tag(folder: Path, name: str) -> None:
    words = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run([*words, "commit", "-qam", "b"], cwd=folder, check=True)
    subprocess.run([*words, "tag", "-a", name, "-m", name], cwd=folder, check=True)


def test_what_comes_after_the_cut_joins_it_until_a_tag_has_the_number(release: ModuleType) -> None:
    path, words = release.ROOT / "CHANGELOG.md", "- Late.\n\n### Added\n\n- More.\n\n### Fixed\n- A fault.\n"
    path.write_text(CHANGELOG.format(words), encoding="utf-8")
    assert any(
        "cut VERSION (0.2.0 again, as no tag has it, or a number above 0.2.0)" in line for line in release.unready()
    )
    assert release.cut("0.2.0") == 0
    assert release.notes("0.2.0") == "- Late.\n\n### Added\n- A thing.\n- More.\n\n### Fixed\n- A fault.\n"
    assert release.notes("Unreleased") == "\n" and release.notes("0.1.0") == "- The first.\n"
    tag(release.ROOT, "v0.2.0")
    assert release.unready() == []
    path.write_text(
        path.read_text(encoding="utf-8").replace("[Unreleased]\n", "[Unreleased]\n- New.\n"), encoding="utf-8"
    )
    assert any("cut VERSION (a number above 0.2.0)" in line for line in release.unready())
    for number in ("0.2.0", "0.1.9"):
        with pytest.raises(SystemExit, match=r"expected a number above 0\.2\.0"):
            release.cut(number)
    tag(release.ROOT, "other")
    assert any("v0.2.0 is the tag of another commit" in line for line in release.unready())


@pytest.mark.slow
def test_one_interpreter_of_every_version_is_found(release: ModuleType) -> None:
    found = release.pythons()
    said = [
        subprocess.run([p, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True).stdout for p in found
    ]
    assert found and len(set(said)) == len(said) and all(said)


def test_what_the_owner_fills_in_is_listed_until_it_is(release: ModuleType) -> None:
    for file in ("pyproject.toml", "LICENSE", "CITATION.cff"):
        (release.ROOT / file).write_text((ROOT / file).read_text(encoding="utf-8"), encoding="utf-8")
    found = release.list_unfilled()
    page = (ROOT / "docs" / "releases.md").read_text(encoding="utf-8")
    assert all(f"`{line.partition(':')[0]}`" in page for line in found)
    for file in ("pyproject.toml", "LICENSE", "CITATION.cff"):
        path = release.ROOT / file
        path.write_text(
            re.sub("(?i)the mbconcord authors", "A. Person", path.read_text(encoding="utf-8")), encoding="utf-8"
        )
    assert all("repository-code" in line for line in release.list_unfilled())
    path.write_text(f"{path.read_text(encoding='utf-8')}\nrepository-code: https://example.org/a\n", encoding="utf-8")
    assert release.list_unfilled() == []


def test_what_a_command_prints_stands_after_what_was_printed_before(release: ModuleType) -> None:
    code = (
        "import runpy, sys; own = runpy.run_path(sys.argv[1]); print('before'); "
        "own['run'](sys.executable, '-c', 'print(\\'command\\')'); print('after')"
    )
    words = [sys.executable, "-c", code, str(ROOT / ".ci" / "release.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["before", "command", "after"]
