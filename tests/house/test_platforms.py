"""What Windows and macOS do otherwise, as far as Linux can pretend it; docs/releases.md says what never ran there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mbconcord.cli import main
from mbconcord.fixtures import folder

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "releases.md").read_text(encoding="utf-8")
PENDULUM = str(folder("mbsd") / "zig.mbsd")

#: Takes from a process what Windows has not; what Python itself and NumPy need of it they have imported before.
WINDOWS = """
import sys, os, signal, subprocess, tempfile, pathlib, shutil, multiprocessing, ssl, numpy, concurrent.futures.process
for gone in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[gone] = None
for gone in ("fork", "geteuid", "getuid", "killpg", "register_at_fork", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY"):
    delattr(os, gone)
del signal.SIGKILL
os.supports_dir_fd.clear()
sys.platform = "win32"
from mbconcord.cli import main
sys.exit(main(sys.argv[1:]))
"""
SPAWN = """
import multiprocessing, sys
multiprocessing.set_start_method("spawn")
from mbconcord.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(code: str, *words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=cwd, env=os.environ | environment, capture_output=True, timeout=300
    )  # fmt: skip


@pytest.mark.slow
def test_without_fcntl_fork_and_owners_of_folders(tmp_path: Path) -> None:
    for words in (
        ("check", PENDULUM),
        ("convert", PENDULUM, "pendulum.mbs.json"),
        ("baseline", "save", PENDULUM),
        ("baseline", "check", PENDULUM),
        ("export", PENDULUM, "c", "--formalism", "lagrange"),
        ("doctor",),
    ):
        done = run(WINDOWS, *words, cwd=tmp_path)
        code = 3 if words[0] == "export" else 0  # there is no compiler that its test could be run by
        assert done.returncode == code, (words, done.stderr.decode())
    assert b"machine code is not kept" in done.stdout and (tmp_path / "c" / "zig.c").exists()


@pytest.mark.slow
def test_processes_that_are_spawned(tmp_path: Path) -> None:
    done = run(SPAWN, "check", PENDULUM, str(folder("mbsd") / "zjg.mbsd"), "--jobs", "2", cwd=tmp_path)
    assert done.returncode == 0 and b"2 files: 2 agree" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("page", ["cp1251", "cp866", "cp437", "ascii"])
def test_consoles_of_other_code_pages(tmp_path: Path, page: str) -> None:
    for words in (("check", PENDULUM), ("formats",), ("derive", PENDULUM, "--formalism", "lagrange")):
        done = run(
            "from mbconcord.cli import main; raise SystemExit(main())", *words, cwd=tmp_path, PYTHONIOENCODING=page
        )
        assert done.returncode == 0 and done.stdout.decode(page), done.stderr


@pytest.mark.parametrize("name", [r"C:\models\arm.mbsd", "C:arm.mbsd", r"\\server\models\arm.mbsd"])
def test_names_with_drives_and_backslashes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(Path(PENDULUM).read_bytes())
    assert main(["check", name, "--formalisms", "lagrange,newton_euler", "--claims", "none"]) == 0
    assert capsys.readouterr().out.startswith(f"{name}: agrees")
    Path(name).write_text("z(z1) i(L", encoding="utf-8")
    assert main(["check", name]) == 2
    assert f"{name}:1:" in capsys.readouterr().err
    assert main(["check", PENDULUM, "--against", f"table:{name}x.csv"]) == 2
    assert f"{name}x.csv" in capsys.readouterr().err


#: Runs what an editable install does for type checkers, where the system makes no links.
LINKLESS = """
import pathlib, runpy, sys, setuptools
def refuse(*_, **__):
    raise OSError("no links here")
found = {}
pathlib.Path.symlink_to, setuptools.setup = refuse, found.update
runpy.run_path("setup.py")
command = found["cmdclass"]["build_types"](setuptools.Distribution())
command.editable_mode = True
command.run()
"""


def test_an_editable_install_without_links(tmp_path: Path) -> None:
    """Type checkers then follow no such install, which is said; Python does."""
    for name in ("setup.py", "CITATION.cff", "README.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "app").mkdir()
    for part in ("__init__.py", "py.typed"):
        (tmp_path / "app" / part).touch()
    done = run(LINKLESS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"type checkers will not follow this editable install: no links here" in done.stdout + done.stderr


def test_names_of_files_fit_every_file_system() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("needs git to tell the project's files from others")
    paths = listed.stdout.splitlines()
    assert len({path.casefold() for path in paths}) == len(paths) > 1000
    reserved = re.compile(r'(?:^|/)(?:con|nul|aux|prn|com\d|lpt\d)(?:\.|/|$)|[<>:"|?*\\]|[. ](?:/|$)', re.IGNORECASE)
    assert [path for path in paths if reserved.search(path) or len(path) > 120] == []


def test_the_page_names_tests_that_are_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) >= 8
    for file, test in named:
        assert re.search(rf"^def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), test
