"""``mbconcord doctor``: what is installed, and what works where a home, a compiler or a folder is missing."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from mbconcord.cli import doctor
from mbconcord.model.diagnostics import DisagreementError, error

from .commands import Run, runner

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow  # each compiles C

TRIED = ("check", "compiled equations", "C compiler", "cache of machine code")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def test_each_extra_of_a_user_says_what_it_adds(run: Run) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {e: packages for e, packages in project["optional-dependencies"].items() if e in doctor.ADDS}
    assert extras.keys() == project["optional-dependencies"].keys() - {"all", "docs", "test", "lint"}
    assert project["optional-dependencies"]["all"] == [f"mbconcord[{','.join(extras)}]"]
    found = run("doctor", "--json")
    assert found.code == 0
    listed = {name: list(extra["packages"]) for name, extra in found.json["extras"].items()}
    assert listed == {e: [re.split(r"[<>;]", p)[0] for p in packages] for e, packages in extras.items()}
    assert list(found.json["packages"]) == [p.partition(">")[0] for p in project["dependencies"]]
    assert all(found.json["packages"].values()) and tuple(found.json["tried"]) == TRIED


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PATH", "/nowhere", "C compiler: not compared with the interpreter: there is no C compiler"),
        ("XDG_CACHE_HOME", "/proc/nowhere", "cache of machine code: machine code is not kept in /proc/nowhere"),
        ("MBCONCORD_KERNEL_CACHE", "", "cache of machine code: none: no home is known"),
    ],
)
def test_what_is_missing_is_said_and_is_no_failure(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.delenv("MBCONCORD_KERNEL_CACHE", raising=False)
    monkeypatch.setenv(variable, value)
    found = run("doctor")
    assert found.code == 0 and said in found.out, found.out


def test_a_folder_that_takes_no_files_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise PermissionError(13, "Permission denied", "/home/me/.cache")

    monkeypatch.setattr(doctor, "_keep", refuse)
    found = run("doctor")
    assert found.code == 0 and "cache of machine code: PermissionError: [Errno 13] Permission denied" in found.out


def test_a_cache_that_was_written_and_takes_nothing_any_more_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What was kept while it could be written is still read."""
    monkeypatch.setenv("MBCONCORD_KERNEL_CACHE", str(tmp_path / "kernels"))
    assert f"cache of machine code: {tmp_path / 'kernels'}" in run("doctor").out

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("mbconcord.kernels.llvm.cache._write", refuse)
    assert "machine code is not kept in" in run("doctor").out


def test_numbers_that_disagree_end_with_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def disagree() -> str:
        raise DisagreementError(error("witness", "M[z1, z1] is 1, expected 2"))

    monkeypatch.setattr(doctor, "_export", disagree)
    found = run("doctor")
    assert found.code == 1 and "C compiler: witness: error: M[z1, z1] is 1, expected 2" in found.out


def test_a_package_that_breaks_ends_with_1(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fall_over() -> str:
        raise ImportError("libLLVM.so: cannot open shared object file")

    monkeypatch.setattr(doctor, "_export", fall_over)
    found = run("doctor")
    assert found.code == 1 and "C compiler: ImportError: libLLVM.so: cannot open" in found.out
    assert "check: agrees" in found.out
