"""A file is the old one or the new one, whatever happens while it is written."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from mbconcord.api import files
from mbconcord.api.files import replace_file, write
from mbconcord.model.diagnostics import WriteError

from ...hostile.kills import kills

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@POSIX
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_mode_of_a_file_is_kept(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")
    target.chmod(mode)
    replace_file(target, b"new")
    assert target.read_bytes() == b"new" and stat.S_IMODE(target.stat().st_mode) == mode
    assert kept(tmp_path) == ["a"]


@POSIX
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_mode_that_the_mask_leaves(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        replace_file(tmp_path / "a", b"new")
    finally:
        assert os.umask(before) == mask
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


@POSIX
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_a_link_to_a_file_is_not_followed(tmp_path: Path, there: bool) -> None:
    other, link = tmp_path / "other", tmp_path / "link"
    if there:
        other.write_bytes(b"mine")
    link.symlink_to(other)
    with pytest.raises(OSError, match="symbolic link"):
        replace_file(link, b"new")
    assert link.is_symlink() and other.exists() is there
    assert not there or other.read_bytes() == b"mine"


@POSIX
def test_a_device_is_written_to() -> None:
    replace_file(Path(os.devnull), b"new")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_fails_on_the_way_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def failing(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((files.os, "fsync") if step == "fsync" else (Path, "replace")), failing)
    with pytest.raises(OSError, match="No space"):
        replace_file(target, b"new")
    assert target.read_bytes() == b"old" and kept(tmp_path) == ["a"]


def test_bytes_are_on_the_disk_before_the_name_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(files.os, "fsync", lambda descriptor: (done.append("fsync"), fsync(descriptor)))
    monkeypatch.setattr(Path, "replace", lambda *paths: (done.append("replace"), replace(*paths))[1])
    replace_file(tmp_path / "a", b"new")
    assert done[:2] == ["fsync", "replace"]


def test_the_name_while_it_is_written_cannot_be_foreseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = []
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda *paths: (names.append(paths[0].name), replace(*paths))[1])
    for _ in range(2):
        replace_file(tmp_path / "a", b"new")
    assert len(set(names)) == 2 and all(name.startswith(files.PREFIX) for name in names)


@pytest.mark.slow
@POSIX
def test_a_writer_that_is_killed_leaves_the_old_or_the_new_file(tmp_path: Path) -> None:
    """At few moments; ``make fuzz`` tries a hundred."""
    assert kills(tmp_path / "a", 4) <= {bytes([kind]) for kind in b"0123456789"}


#: what is found beside the target: name, seconds since it was written, whether somebody holds it -> whether it is left
BESIDE = {
    "left by a killed process": (".mbconcord-abcd_123.part", files.LEFT_OVER + 60, False, False),
    "that another writes": (".mbconcord-abcd_123.part", files.LEFT_OVER + 60, True, True),
    "new": (".mbconcord-abcd_123.part", files.LEFT_OVER - 60, False, True),
    "of another name": (".mbconcord-abcd_123.part.toml", files.LEFT_OVER + 60, False, True),
    "of the user": (".mbconcord-settings", files.LEFT_OVER + 60, False, True),
}


@POSIX
@pytest.mark.parametrize(("name", "age", "held", "left"), BESIDE.values(), ids=BESIDE)
def test_what_killed_processes_left_is_deleted(tmp_path: Path, name: str, age: float, held: bool, left: bool) -> None:
    import fcntl  # which POSIX has

    beside = tmp_path / name
    with beside.open("wb") as opened:
        if held:
            fcntl.flock(opened, fcntl.LOCK_EX)
        os.utime(beside, (time.time() - age,) * 2)
        replace_file(tmp_path / "a", b"new")
        assert beside.exists() is left and kept(tmp_path) == sorted({"a"} | ({name} if left else set()))


@POSIX
@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a link"])
def test_what_is_no_file_is_no_leftover(tmp_path: Path, kind: str) -> None:
    beside, other = tmp_path / ".mbconcord-abcd_123.part", tmp_path / "other"
    other.write_bytes(b"mine")
    {"a folder": beside.mkdir, "a pipe": lambda: os.mkfifo(beside), "a link": lambda: beside.symlink_to(other)}[kind]()
    for path in (other, beside):
        os.utime(path, (0, 0))
    replace_file(tmp_path / "a", b"new")
    assert kept(tmp_path) == sorted([beside.name, "a", "other"])


@POSIX
def test_a_file_is_held_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer that ends at that moment, long after it was begun, leaves it."""
    replace = Path.replace

    def meanwhile(made: Path, target: Path) -> Path:
        os.utime(made, (0, 0))
        files._delete_leftovers(tmp_path)
        assert made.exists()
        return replace(made, target)

    monkeypatch.setattr(Path, "replace", meanwhile)
    replace_file(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


@POSIX
def test_a_file_that_was_deleted_before_it_was_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, taken = files._lock, []

    def late(descriptor: int, wait: bool = True) -> bool:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        return lock(descriptor, wait)

    monkeypatch.setattr(files, "_lock", late)
    replace_file(tmp_path / "a", b"new")
    assert taken and kept(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "text"), [("run.csv", "<?xml"), ("run.html", "<?xml"), ("run.svg", "<!DOCTYPE html>")]
)
def test_a_drawing_is_no_table(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(WriteError, match=f"found a .*, expected what {Path(name).suffix} holds"):
        write(tmp_path / name, text.encode())
    assert not (tmp_path / name).exists()
