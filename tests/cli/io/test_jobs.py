"""Files are checked in several processes: the same output in the same order, and a process that dies is told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mbconcord.cli.io.jobs import each, find_unguarded
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.judge.progress import count_progress, listen

from ..commands import Run, runner

FILES = ("zi > zig", "uvg", "zug", "no letter: §", "u > z-jg")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


def square(file: str) -> int:
    if file == "refused":
        raise MbconcordError(error("here", "refused", "ask otherwise"))
    if file == "dies":
        os._exit(9)
    return int(file) ** 2


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_files(jobs: int) -> None:
    files = ["3", "refused", "1", "4"]
    found = list(each(square, files, jobs))
    assert [name for name, _ in found] == files
    assert [value for _, value in found if isinstance(value, int)] == [9, 1, 16]
    refused = found[1][1]
    assert isinstance(refused, MbconcordError) and refused.diagnostics == (error("here", "refused", "ask otherwise"),)


def heard(file: str) -> int:
    """How often the listener of the process that checks hears of two items: a forked one has a copy of the list."""
    before = len(HEARD)
    list(count_progress("item", file))
    return len(HEARD) - before


HEARD: list[object] = []


def test_nobody_listens_in_a_process_of_its_own() -> None:
    with listen(lambda *event: HEARD.append(event)):
        assert dict(each(heard, ["ab", "cd"], 2)) == {"ab": 0, "cd": 0}
        assert dict(each(heard, ["ab"], 1)) == {"ab": 3}


def test_a_process_that_dies_costs_its_own_file_alone() -> None:
    found = dict(each(square, ["2", "dies", "3", "4"], 2))
    assert (found["2"], found["3"], found["4"]) == (4, 9, 16)
    assert "ended without a result" in str(found["dies"])


@pytest.mark.slow
def test_output_does_not_depend_on_the_number_of_processes(run: Run, tmp_path: Path) -> None:
    files = []
    for number, line in enumerate(FILES):
        files.append(tmp_path / f"m{number}.mbsd")
        files[-1].write_text(line, encoding="utf-8")
    command = ["check", *map(str, files), "--states", "2"]
    alone, together = (run(*command, "--jobs", jobs) for jobs in ("1", "2"))
    assert alone == together and alone.code == 2
    assert [line.split()[0] for line in alone.out.splitlines()[4:8]] == [str(f) for f in files if f != files[3]]


def test_interrupt_ends_processes_in_their_work(tmp_path: Path) -> None:
    import multiprocessing
    import time

    from mbconcord.cli.io.jobs import each_apart

    others = set(multiprocessing.active_children())
    files = [str(tmp_path / name) for name in ("at once", "a", "b", "c")]
    results = each_apart(_sleep, files, 2)
    assert next(results) == (files[0], files[0])
    with pytest.raises(KeyboardInterrupt):
        results.throw(KeyboardInterrupt())
    # The pool's own thread waits for the processes too: one that it has just reaped still reads as alive.
    while set(multiprocessing.active_children()) - others:
        time.sleep(0.05)
    assert [path.name for path in tmp_path.iterdir()] == ["at once"], "others slept to their end"


def _sleep(file: str) -> str:
    """Make a file, after a minute where it is not wanted at once."""
    import time

    path = Path(file)
    time.sleep(0 if path.name == "at once" else 60)
    path.touch()
    return file


#: A script that a user runs; its processes find the way of starting them chosen already.
SCRIPT = """
import multiprocessing, sys
multiprocessing.set_start_method({method!r}, force=True)
from mbconcord.cli import main
{guard}sys.exit(main(["check", *sys.argv[1:], "--jobs", "2", "--states", "1", "--claims", "none"]))
"""
GUARD = 'if __name__ == "__main__": '


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("guard", ["", GUARD])
def test_script_without_guard_is_one_error(tmp_path: Path, method: str, guard: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(method=method, guard=guard))
    files = [str(folder("mbsd") / name) for name in ("zig.mbsd", "zjg.mbsd")]
    done = subprocess.run([sys.executable, script, *files], capture_output=True, text=True, timeout=300)
    if guard:
        assert done.returncode == 0 and "2 files: 2 agrees" in done.stdout, done.stderr
    else:
        [said] = done.stderr.splitlines()
        assert done.returncode == 2 and said.startswith(f"{script}: error: ") and GUARD.strip() in said, said


@pytest.mark.parametrize("text, guarded", [
    ("run()", False), ("log = get(__name__)\nrun()", False), ("if x == '__main__': run()", False),
    ("if __name__ == '__main__': run()", True), ("if '__main__' == __name__:\n  run()", True), ("", True),
    ("match __name__:\n  case '__main__': run()", True), ("if mp.parent_process() is None: run()", True),
    ("not a program", True), ("\0", True),
])  # fmt: skip
def test_guards_of_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, guarded: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text(text)
    main = type(sys)("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    assert find_unguarded("spawn") is None  # python -c, or a session
    main.__file__ = str(script)
    assert find_unguarded("spawn") == (None if guarded else str(script)) and find_unguarded("fork") is None
    main.__file__ = str(tmp_path / "program.exe" / "__main__.py")
    assert find_unguarded("spawn") is None
