"""Every command shown in README.md, README.ru.md and docs/ is run, and prints what the page shows.

A block marked ``console`` is run: lines ``$ command`` (``> `` continues one), each followed by what it prints
on both streams. ``…`` or ``...`` alone on a line stands for any lines, inside a line for any characters;
columns may be wider or narrower. The blocks of a page run one after another in one empty folder, in which
``fixtures``, ``docs`` and ``laboratory`` are those of the repository. Blocks in other languages (``sh``) are not run.

Blocks marked ``console peers`` are run where the programs of that extra are installed.
Blocks marked ``pycon`` are one session of Python, run as doctests in such a folder.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [p for p in (*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").rglob("*.md"))) if p.exists()]
SESSION = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: A block that needs programs of the extra [peers].
PEERS = re.compile(r"^```console peers\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: A command that needs neither a shell nor standard input, and where its output and its messages go.
PLAIN = re.compile(r"(mbconcord (?!\w+ - )[^|<>&;$*?`()\\]*?)(?: > (\S+))?( 2> /dev/null| 2>&1)?")

#: Pages whose examples need the package of an extra.
EXTRAS = {"simulation.md": ("scipy", "sim"), "telegin.md": ("matplotlib", "plot")}


@dataclass(frozen=True)
class Example:
    """A command, the lines it shall print, and where it stands."""

    command: str
    expected: tuple[str, ...]
    where: str


def examples(page: Path, fence: re.Pattern[str] = FENCE) -> Iterator[Example]:
    text = page.read_text(encoding="utf-8")
    for block in fence.finditer(text):
        first = text.count("\n", 0, block.start()) + 2
        command, expected, line = "", [], first
        for number, shown in enumerate(block[1].splitlines(), first):
            if shown.startswith("$ "):
                if command:
                    yield Example(command, tuple(expected), f"{page.name}:{line}")
                command, expected, line = shown[2:], [], number
            elif shown.startswith("> ") and not expected:
                command = command.removesuffix("\\") + shown[2:]
            else:
                expected.append(shown)
        if command:
            yield Example(command, tuple(expected), f"{page.name}:{line}")


def session(page: Path) -> str:
    """The session of Python on a page, in the lines where it stands there; empty where there is none."""
    text = page.read_text(encoding="utf-8")
    blocks = [slice(text.count("\n", 0, m.start(1)), text.count("\n", 0, m.end(1))) for m in SESSION.finditer(text)]
    kept = {i for block in blocks for i in range(block.start, block.stop)}
    lines = (line if i in kept else "\n" for i, line in enumerate(text.splitlines(keepends=True)))
    return "".join(lines) if kept else ""


def pattern(expected: tuple[str, ...]) -> re.Pattern[str]:
    """What the lines of a page accept."""
    parts = [r"(?:.*\n)*?" if line.strip() in ("…", "...") else _line(line) for line in expected]
    return re.compile("".join(parts) + r"\Z")


def _line(line: str) -> str:
    """One line: ellipses take the blanks beside them, and columns of a table may be of any width."""
    if re.fullmatch(r"\s*-[- ]*", line):
        return r"\s*" + " +".join("-+" for _ in line.split()) + r" *\n"
    made = []
    for piece in re.split(r"(\s*(?:…|\.\.\.)\s*|(?<=\S) {2,})", line.rstrip()):
        if "…" in piece or "..." in piece:
            made.append(".*")
        else:
            made.append(" +" if piece.isspace() and made else re.escape(piece))
    return "".join(made) + r" *\n"


def run(command: str, folder: Path, previous: int) -> tuple[str, int]:
    """Both streams of a command and its exit code; plain commands of ours run in this process."""
    plain = PLAIN.fullmatch(command)
    if plain:
        return in_this_process(*plain.groups(), folder)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONIOENCODING": "utf-8",
    }
    done = subprocess.run(
        ["bash", "-c", f"(exit {previous}); {command}"],
        cwd=folder,
        env=environment,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=1200,
    )
    return done.stdout, done.returncode


def in_this_process(command: str, file: str | None, messages: str | None, folder: Path) -> tuple[str, int]:
    """What a command of ours shows, but for what goes into a file or nowhere, and its exit code."""
    out = io.StringIO()
    shown = io.StringIO() if file else out
    said = io.StringIO() if messages and "null" in messages else shown
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = main(shlex.split(command)[1:])
    if file:
        (folder / file).write_text(out.getvalue(), encoding="utf-8")
    return shown.getvalue(), code


@pytest.mark.sampled(8)
@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if any(examples(p))], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_page_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    if page.name in EXTRAS:
        package, extra = EXTRAS[page.name]
        pytest.importorskip(package, reason=f"an example needs {package}, of the extra [{extra}]")
    shows(examples(page), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(examples(p, PEERS))], ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_page_prints_what_it_shows_of_other_programs(page: Path, tmp_path: Path) -> None:
    for program in ("pinocchio", "mujoco"):
        pytest.importorskip(program, reason=f"an example asks {program}, of the extra [peers]")
    shows(examples(page, PEERS), tmp_path)


def shows(found: Iterator[Example], folder: Path) -> None:
    """Run examples in a folder, one after another."""
    with_folders(folder)
    code = 0
    for example in found:
        printed, code = run(example.command, folder, code)
        printed = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
        assert pattern(example.expected).match(printed), f"{example.where}: $ {example.command}\n{printed}"


def with_folders(folder: Path) -> None:
    for name in ("fixtures", "docs", "laboratory", "app", "tests"):
        (folder / name).symlink_to(ROOT / name, target_is_directory=True)


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in PAGES if session(p)], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_session_prints_what_it_shows(page: Path, tmp_path: Path) -> None:
    with_folders(tmp_path)
    told: list[str] = []
    examples = doctest.DocTestParser().get_doctest(session(page), {}, page.name, str(page), 0)
    with contextlib.chdir(tmp_path):
        result = doctest.DocTestRunner(verbose=False).run(examples, out=told.append)
    assert result.attempted > 3 and not result.failed, "".join(told)


@pytest.mark.slow
def test_what_can_be_asked_is_answered_and_judged_by_whom_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="a line simulates: SciPy, of the extra [sim]")
    page = ROOT / "docs" / "asked.md"
    known: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(session(page)):
        exec(example.source, known)
    for example in examples(page):
        run(example.command, tmp_path, 0)
    asked = 0
    for part in re.findall(r"^Judged by .+?(?=^Judged|\Z)", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        judges = part[len("Judged by ") : part.index(":")]
        for question, quantity, state in re.findall(r"^\| (.+\?) \| `(.+)` \| (.+) \|$", part, re.MULTILINE):
            asked += 1
            at, hold = state.split()[-1] if "motion" in state else state.split(",")[0], "hold q1" in state
            verb = "simulate" if "motion" in state else "evaluate"
            until = "--until 0.1 --formalism lagrange" if verb == "simulate" else "--hold q1" if hold else ""
            command = f"mbconcord {verb} arm.mbsd --state {at}.json {until} --quantity {quantity!r} --json --quiet"
            printed, code = in_this_process(command, None, None, tmp_path)
            more = {"hold": "q1"} if hold else {"formalism": "lagrange"} if verb == "simulate" else {}
            start = (known["arm"], 0.1) if verb == "simulate" else (known["arm"],)
            names = re.findall(r"\w+(?:\(.*?\))?", quantity)
            found = getattr(known["mb"], verb)(*start, **known[at], quantities=names, **more)
            for witnesses in (json.loads(printed)["witnesses"], [c.to_json() for c in found.witnesses]):
                judged = [c for c in witnesses if c["quantity"] in names]
                assert code == 0 and {c["verdict"] for c in judged} <= {"agrees", "agrees, zero"}, question
                assert ", ".join(sorted({c["b"] for c in judged})) == judges, question
    assert asked > 15


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.ipynb")), ids=lambda p: p.name)
def test_a_notebook_shows_what_it_has_stored(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs" / "site")
    notebooks = import_module("notebooks")
    with_folders(tmp_path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    stored = [notebooks.outputs(cell) for cell in notebooks.code_cells(notebook)]
    with contextlib.chdir(tmp_path):
        assert notebooks.run(notebook) == stored
    assert len(stored) > 3 and any(stored)


def test_pages_have_examples() -> None:
    assert any(example for page in PAGES for example in examples(page))
    assert any(map(session, PAGES))


@pytest.mark.parametrize(
    ("expected", "printed", "fits"),
    [
        (("a",), "a\n", True),
        (("a",), "b\n", False),
        (("a",), "a\nb\n", False),
        (("a", "…"), "a\nb\nc\n", True),
        (("…", "c"), "a\nb\nc\n", True),
        (("a … ms",), "a 12.5 ms\n", True),
        (("a … ms",), "a 12.5 s\n", False),
        (("a.c",), "abc\n", False),
        (("a     b", "-  --"), "a b\n-  -----\n", True),
        (("  a",), "a\n", False),
        (("a  …  c",), "a b  c\n", True),
        ((), "", True),
        ((), "a\n", False),
    ],
)
def test_ellipsis(expected: tuple[str, ...], printed: str, fits: bool) -> None:
    assert bool(pattern(expected).match(printed)) is fits
