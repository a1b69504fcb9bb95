"""What packages list is looked for without reading all that is installed: the same is found."""

from __future__ import annotations

import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from mbconcord.plugins import entry_points

GROUP = "mbconcord.witnesses"
LISTED = f"[{GROUP}]\nmine = mine:Mine\n"


def named(group: str = GROUP) -> list[tuple[str, str]]:
    found = [(e.name, e.value) for e in entry_points(group)]
    assert sorted(found) == sorted((e.name, e.value) for e in metadata.entry_points(group=group))
    return [one for one in found if one == ("mine", "mine:Mine")]


@pytest.mark.parametrize("folder", ["mine-1.dist-info", "mine.egg-info", "Mine-1.DIST-INFO"])
def test_a_package_in_a_folder_is_found(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / folder
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n", encoding="utf-8")
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(LISTED, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert len(named()) == 1


def test_a_package_in_an_archive_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("mine-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: mine\nVersion: 1\n")
        archive.writestr("mine-1.dist-info/entry_points.txt", LISTED)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "mine.zip")])
    assert len(named()) == 1


def test_a_package_that_a_finder_knows_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Known(metadata.Distribution):
        def read_text(self, filename: str) -> str | None:
            return {"entry_points.txt": LISTED, "METADATA": "Metadata-Version: 2.1\nName: mine\n"}.get(filename)

        def locate_file(self, path: object) -> Path:
            return Path(str(path))

    class Finder:
        def find_spec(self, *_: object) -> None:
            return None

        def find_distributions(self, *_: object) -> list[metadata.Distribution]:
            return [Known()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert len(named()) == 1


def test_where_nothing_is_listed_nothing_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "no folder")])
    assert named() == []
