"""Machine code on disk: what does not fit is compiled anew, what may be somebody else's is not touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mbconcord.kernels.llvm import build as building
from mbconcord.kernels.llvm.build import BuildTask, build, digest, forget
from mbconcord.kernels.llvm.cache import MAGIC, VARIABLE, Cache
from mbconcord.kernels.llvm.engine import Target
from mbconcord.model.expressions.node import CALL, SYM
from mbconcord.model.expressions.program import ProgramStep

from .llvm import needs_llvm, task

KEY, OTHER = "a" * 64, "b" * 64
CODE = bytes(range(256)) * 20
HERE = Target("x86_64", "znver4", "+avx512f", "llvmlite 0.50.0, LLVM 22.1.0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "caches" / "kernels"


@pytest.fixture
def cache(folder: Path) -> Cache:
    made = Cache(folder)
    made.put(KEY, CODE)
    assert not made.findings
    return made


def test_what_was_put_is_got(cache: Cache, folder: Path) -> None:
    assert cache.get(KEY) == CODE and cache.get(OTHER) is None
    assert [path.name for path in folder.iterdir()] == [KEY]
    assert folder.stat().st_mode & 0o777 == 0o700 and (folder / KEY).stat().st_mode & 0o777 == 0o600
    cache.put(KEY, CODE[::-1])
    assert cache.get(KEY) == CODE[::-1] and not cache.findings


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "the header alone": lambda x: x[: len(x) - len(CODE)],
    "half a header": lambda x: x[:30],
    "truncated": lambda x: x[:-1],
    "longer": lambda x: x + b"\0",
    "one bit of the code": lambda x: x[:-100] + bytes([x[-100] ^ 1]) + x[-99:],
    "one bit of the digest": lambda x: x[:40] + bytes([x[40] ^ 1]) + x[41:],
    "another length": lambda x: MAGIC + b"\xff" * 8 + x[len(MAGIC) + 8 :],
    "another magic": lambda x: x.replace(b"kernel 1", b"kernel 2"),
    "a text": lambda _: b"hello\n" * 1000,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_not_loaded_and_is_replaced(damage: str, cache: Cache, folder: Path) -> None:
    path = folder / KEY
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert cache.get(KEY) is None and not cache.findings
    cache.put(KEY, CODE)
    assert cache.get(KEY) == CODE


def test_a_file_of_another_name_is_not_loaded(cache: Cache, folder: Path) -> None:
    (folder / KEY).rename(folder / OTHER)
    assert cache.get(OTHER) is None


def test_a_link_to_a_file_a_folder_and_a_pipe_are_not_loaded(cache: Cache, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (folder / KEY).rename(elsewhere)
    for make in (
        lambda path: path.symlink_to(elsewhere),
        lambda path: path.symlink_to(tmp_path / "nothing"),
        lambda path: path.mkdir(),
        os.mkfifo,
    ):
        make(folder / KEY)
        assert cache.get(KEY) is None
        if (folder / KEY).is_dir():
            (folder / KEY).rmdir()
        else:
            cache.put(KEY, CODE)
            assert cache.get(KEY) == CODE and not (folder / KEY).is_symlink()
            (folder / KEY).unlink()
    assert elsewhere.stat().st_size > len(CODE)


def unusable(folder: Path, words: str) -> None:
    """Nothing is read, nothing is written, and it is said."""
    before = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else None
    cache = Cache(folder)
    assert cache.get(KEY) is None
    cache.put(OTHER, CODE)
    (finding,) = cache.findings
    assert words in finding.message and VARIABLE in finding.remedy and finding.severity == "warning"
    assert before is None or sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o702, 0o777])
def test_a_folder_that_others_may_enter_is_not_used(mode: int, cache: Cache, folder: Path) -> None:
    folder.chmod(mode)
    unusable(folder, "other users may enter it")


def test_a_folder_of_another_user_is_not_used(cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    unusable(folder, "another user owns it")


def test_a_link_to_a_folder_is_not_used(cache: Cache, folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    unusable(link, "machine code is not kept")


def test_a_file_in_the_place_of_the_folder_is_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("mine")
    unusable(path, "machine code is not kept")
    unusable(path / "below", "machine code is not kept")
    assert path.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_said(cache: Cache, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    unusable_now = Cache(folder)
    assert unusable_now.get(KEY) == CODE
    unusable_now.put(OTHER, CODE)
    assert "No space left on device" in unusable_now.findings[0].message
    assert [path.name for path in folder.iterdir()] == [KEY]


def test_no_folder_is_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")
    cache = Cache.own()
    cache.put(KEY, CODE)
    assert cache.get(KEY) is None and not cache.findings


def test_the_folder_is_among_the_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Cache.own().folder == tmp_path / "mbconcord" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Cache.own().folder == tmp_path / ".cache" / "mbconcord" / "kernels"
    monkeypatch.setenv(VARIABLE, str(tmp_path / "own"))
    assert Cache.own().folder == tmp_path / "own"


@pytest.mark.parametrize("home", ["", "relative", ".", None])
@pytest.mark.parametrize("listed", ["/home/listed", "", "elsewhere", None])
def test_the_folder_is_never_beside_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str | None, listed: str | None
) -> None:
    """The list of users has the home that $HOME does not name; where it has none, nothing is kept."""
    import pwd
    from types import SimpleNamespace

    def find(_: int) -> SimpleNamespace:
        if listed is None:
            raise KeyError("no such user")
        return SimpleNamespace(pw_dir=listed)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pwd, "getpwuid", find)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delenv("HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    cache = Cache.own()
    assert cache.folder == (Path("/home/listed/.cache/mbconcord/kernels") if listed == "/home/listed" else None)
    if cache.folder is None:
        cache.put(KEY, CODE)
        assert cache.get(KEY) is None and not cache.findings and not list(tmp_path.iterdir())


def test_a_home_that_nobody_may_write_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(os, "mkdir", refuse)
    cache = Cache.own()
    cache.put(KEY, CODE)
    [found] = cache.findings
    assert found.message == f"machine code is not kept in {cache.folder}: Read-only file system"
    assert VARIABLE in (found.remedy or "") and cache.get(KEY) is None and not list(tmp_path.iterdir())


def test_what_was_used_longest_ago_is_removed(folder: Path) -> None:
    cache = Cache(folder, limit=3 * (len(CODE) + 100))
    for i, key in enumerate("abc"):
        cache.put(key * 64, CODE)
        os.utime(folder / (key * 64), (1000 + i, 1000 + i))
    assert cache.get("a" * 64) == CODE  # now it was used
    cache.put("d" * 64, CODE)
    assert sorted(path.name[0] for path in folder.iterdir()) == ["a", "c", "d"]
    assert (folder / ("a" * 64)).stat().st_mtime > 1_000_000


# --- what is kept of kernels -------------------------------------------------------------------------------


def test_a_name_stands_for_all_that_the_code_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    own = task(["x y + 1", "sin(x)"], ("x", "y"))
    names = {digest(own, HERE)}
    targets = [replace(HERE, **{name: "other"}) for name in ("triple", "cpu", "features", "version")]
    options = (
        {"fma": False}, {"accuracy": "plain"}, {"accuracy": "library"}, {"dtype": "float32"}, {"width": 4},
        {"reciprocals": False},
    )  # fmt: skip
    tasks: list[BuildTask] = [
        *(task(["x y + 1", "sin(x)"], ("x", "y"), **chosen) for chosen in options),
        task(["x y + 2", "sin(x)"], ("x", "y")), task(["x y + 1", "cos(x)"], ("x", "y")),
        task(["sin(x)", "x y + 1"], ("x", "y")), task(["x y + 1", "sin(x)"], ("y", "x")),
        task(["x y - 1", "sin(x)"], ("x", "y")), task(["1 - x y", "sin(x)"], ("x", "y")),
        task(["x y + 1", "sin(y)"], ("x", "y")), task(["x y + 1", "atan2(x, y)"], ("x", "y")),
        task(["x y + 1", "atan2(y, x)"], ("x", "y")), task(["x y + 0.1", "sin(x)"], ("x", "y")),
        task(["x y + 1", "sin(x)"], ("x",), ("y",)), task(["x y + 1", "sin(x)"], ("x",), "y"),
        replace(own, results=(1, 1)), replace(own, lines=replace(own.lines, outputs=own.lines.outputs[::-1])),
    ]  # fmt: skip
    names |= {digest(own, target) for target in targets} | {digest(other, HERE) for other in tasks}
    monkeypatch.setattr(building, "generator", lambda: "another version of this program")
    names.add(digest(own, HERE))
    assert len(names) == 1 + len(targets) + len(tasks) + 1
    assert digest(task(["x y + 1", "sin(x)"], ("x", "y")), HERE) == digest(own, HERE)


def test_a_name_does_not_depend_on_what_is_shared_in_memory() -> None:
    own = task(["x y + 1", "sin(x y) + cos(x y)"], ("x", "y"))
    steps = [ProgramStep("".join(s.op), tuple(i for i in s.args), s.node) for s in own.lines.steps]
    assert digest(replace(own, lines=replace(own.lines, steps=tuple(steps))), HERE) == digest(own, HERE)


def test_which_steps_are_constant_follows_from_what_the_name_stands_for() -> None:
    lines = task(["x (2 pi + sqrt(3)) / sin(2)", "sin(1)^2 + y pi", "x^3"], ("x", "y")).lines
    constant: list[bool] = []
    for op, args, node in lines.steps:
        constant.append(op not in (SYM, CALL) and all(constant[place] for place in args))
        assert node.constant == constant[-1], node
    assert 3 < sum(constant) < len(constant)


@needs_llvm
def test_a_kernel_is_compiled_once_then_loaded(folder: Path) -> None:
    own = task(["x y - 17", "cos(x y)"], ("x", "y"))
    origins, values = [], []
    for fresh in (True, True, False):
        if fresh:
            forget()
        built = build(own, Cache(folder))
        origins.append(built.origin)
        values.append(built.ufunc([0.3, 0.7]).tolist())
    assert origins == ["compiled", "disk", "memory"] and values[0] == values[1] == values[2]


@needs_llvm
@pytest.mark.parametrize("damage", ["empty", "truncated", "one bit of the code"])
def test_a_damaged_kernel_is_compiled_anew(damage: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = task(["x y - 18"], ("x", "y"))
    forget()
    build(own, Cache(folder))
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[damage](whole))
    forget()
    built = build(own, Cache(folder))
    assert built.origin == "compiled" and built.ufunc([2.0, 3.0]).item() == -12
    assert path.read_bytes() == whole


@needs_llvm
def test_without_a_folder_it_is_compiled_and_said(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o777)
    folder.chmod(0o777)
    forget()
    built = build(task(["x y - 19"], ("x", "y")), Cache(folder))
    assert built.ufunc([2.0, 3.0]).item() == -13 and not list(folder.iterdir())
    assert ["other users" in finding.message for finding in built.findings] == [True]


PROCESS = """
from mbconcord.kernels.llvm.build import BuildTask, build
from mbconcord.model.expressions import sin, symbol
from mbconcord.model.expressions.program import program

x = symbol("x")
for i in range(6):
    built = build(BuildTask(program([sin(x) * x + i]), (("x",),), (1,)))
    print(built.ufunc([0.5]).item(), *built.findings)
"""


@pytest.mark.slow
@needs_llvm
def test_two_processes_compile_the_same_kernels(folder: Path) -> None:
    environment = {**os.environ, VARIABLE: str(folder)}
    command = [sys.executable, "-c", PROCESS]
    pair = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert said[0] == said[1] and len(said[0].splitlines()) == 6 and "warning" not in said[0]
    assert len(list(folder.iterdir())) == 6
