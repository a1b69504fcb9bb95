"""What a person sees: colours, narrow screens, progress, code pages without the signs, how much is told."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path

import pytest

from mbconcord.cli import main
from mbconcord.cli.io.streams import register
from mbconcord.cli.output import narrow
from mbconcord.cli.terminal.screen import paint, wants_colour
from mbconcord.reports.table import table
from mbconcord.validation.judge.progress import count_progress, listen

from .commands import DOUBLE, Done, Run, runner

CHECK = ("check", "two.mbsd", "--formalisms", "lagrange,newton_euler", "--states", "2")
SGR = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return runner(capsys, monkeypatch, tmp_path)


class Stream(io.TextIOWrapper):
    """A stream of a code page that may be a terminal."""

    def __init__(self, encoding: str, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    @property
    def text(self) -> str:
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def shown(monkeypatch: pytest.MonkeyPatch, *words: str, encoding: str = "utf-8", terminal: bool = True) -> Done:
    """The command with streams of that code page, which a person reads or not."""
    out, err = Stream(encoding, terminal), Stream(encoding, terminal)
    with monkeypatch.context() as changed:
        changed.setattr(sys, "stdout", out)
        changed.setattr(sys, "stderr", err)
        code = main(words)
    return Done(code, out.text, err.text)


@pytest.mark.parametrize(
    ("terminal", "environment", "colours"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "0"}, False),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (False, {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
    ],
)
def test_when_there_are_colours(terminal: bool, environment: dict[str, str], colours: bool) -> None:
    assert wants_colour(terminal, environment) is colours


@pytest.mark.parametrize(
    ("line", "word", "style"),
    [
        ("a.mbsd: agrees  (10 states, seed 0)", "agrees", "32"),
        ("  M    2  lagrange, konoplev  1e-16  agrees", "agrees", "32"),
        ("a.mbsd   disagrees    2", "disagrees", "1;31"),
        ("a.mbsd: not checked  (1 state)", "not checked", "33"),
        ("a.mbsd: agrees without 19 contacts", "agrees without", "33"),
        ("the same machine after matching z1 = q1", "the same machine after", "33"),
        ("not the same machine", "not the same machine", "1;31"),
        ("a.mbsd:1:2: error: it agrees", "error", "1;31"),
        ("error: absent", "error", "1;31"),
    ],
)
def test_verdicts_and_severities_are_painted(line: str, word: str, style: str) -> None:
    assert paint(line) == line.replace(word, f"\x1b[{style}m{word}\x1b[0m", 1)


@pytest.mark.parametrize("line", ["reproduce: mbconcord check agrees.mbsd", "5 comparisons agree", "notes:"])
def test_other_words_are_not(line: str) -> None:
    assert paint(line) == line


def test_colours_stand_on_a_terminal_and_never_in_a_pipe_or_in_json(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = run(*CHECK)
    monkeypatch.setenv("FORCE_COLOR", "1")
    forced = run(*CHECK)
    assert "\x1b" not in piped.out and "\x1b[32magrees\x1b[0m" in forced.out
    assert SGR.sub("", forced.out) == piped.out
    as_json = run(*CHECK, "--json")
    assert "\x1b" not in as_json.out and as_json.json["verdict"] == "agrees"
    assert "\x1b[1;31merror\x1b[0m" in run("info", "absent.mbsd").err
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("info", "absent.mbsd").err


def test_a_name_cannot_paint(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    found = run("info", "a\x1b[31m.mbsd")
    assert SGR.findall(found.err) == ["\x1b[1;31m", "\x1b[0m"] and "\\x1b[31m" in found.err


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_a_table_is_as_wide_as_the_screen(columns: int) -> None:
    rows = [("M", "lagrange, konoplev", "1.0e-16", "agrees"), ("inverse_dynamics", "all", "", "agrees, zero")]
    text = "first\n\n" + table(("quantity", "closest", "discrepancy", "verdict"), rows) + "\n\nlast"
    found = narrow(text, columns)
    if columns >= max(map(len, text.split("\n"))):
        assert found == text
    else:
        assert max(map(len, found.split("\n"))) <= columns
    assert found.startswith("first\n\n") and found.endswith("\n\nlast")
    for cell in (cell for row in rows for cell in row):
        assert cell in " ".join(found.split())


@pytest.mark.parametrize("command", [CHECK, ("info", "two.mbsd"), ("formats",), ("formalisms",), ("--help",)])
def test_forty_columns(run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    done = shown(monkeypatch, *command)
    assert done.code == 0
    tables = [line for line in SGR.sub("", done.out).splitlines() if re.match(" *-+  -+", line)]
    assert all(len(line) <= 40 for line in tables)


@pytest.mark.parametrize("encoding", ["ascii", "koi8-r", "utf-8"])
@pytest.mark.parametrize(
    "command",
    [
        ("formats",),
        ("info", "модель.mbsd"),
        ("check", "модель.mbsd", "--states", "2"),
        ("compare", "модель.mbsd", "two.mbsd"),
        ("info", "absent-é中.mbsd"),
        ("derive", "модель.mbsd", "--formalism", "konoplev"),
    ],
)
def test_code_pages_without_the_signs(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, encoding: str, command: tuple[str, ...]
) -> None:
    (tmp_path / "модель.mbsd").write_text(DOUBLE + " ; \n", encoding="utf-8")
    done = shown(monkeypatch, *command, encoding=encoding, terminal=False)
    assert done.code in (0, 1, 2, 3) and "internal error" not in done.err
    assert "UnicodeEncodeError" not in done.err
    if encoding == "ascii":
        assert (done.out + done.err).isascii()
        if "formats" in command:
            assert "TP: table of parameters" in done.out
        elif "info" in command and "модель.mbsd" in command:
            assert "model' (model'.mbsd)" in done.out
        elif "absent-é中.mbsd" in command:
            assert "absent-\\xe9\\u4e2d.mbsd" in done.err


@pytest.mark.parametrize(
    ("text", "code_page", "plain"),
    [
        ("M ≤ 2·10⁴ m²", "ascii", "M <= 2*10^4 m^2"),
        ("D^T λ, γ = 30°, −1 … 5", "ascii", "D^T lambda, gamma = 30 deg, -1 ... 5"),
        ("Щука, ёж, объём", "ascii", "Shchuka, yozh, ob'yom"),
        ("Щука ≤ №1", "koi8-r", "Щука ≤ No.1"),
        ("Щука ≠ №1", "cp1251", "Щука != №1"),
        ("é中😀", "ascii", "\\xe9\\u4e2d\\U0001f600"),
    ],
)
def test_what_stands_for_a_sign(text: str, code_page: str, plain: str) -> None:
    assert text.encode(code_page, register()).decode(code_page) == plain


def test_json_is_json_in_every_code_page(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "модель.mbsd").write_text("z(поворот)i(дл) ; дл = 1\n", encoding="utf-8")
    texts = [
        shown(monkeypatch, "info", "модель.mbsd", "--json", encoding=encoding, terminal=False).out
        for encoding in ("ascii", "koi8-r", "utf-8")
    ]
    first, *others = map(json.loads, texts)
    assert "поворот" in json.dumps(first, ensure_ascii=False) and all(other == first for other in others)


def test_a_file_that_is_piped_is_utf_8(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "русский.mbsd").write_text("z(угол)i(дл)g ; дл = 1\n", encoding="utf-8")
    out = Stream("ascii", terminal=False)
    with monkeypatch.context() as changed:
        changed.setattr(sys, "stdout", out)
        assert main(("convert", "русский.mbsd", "-", "--to", "mbsd")) == 0
    written = out.buffer.getvalue()  # type: ignore[attr-defined]
    assert "угол" in written.decode("utf-8")


def test_progress_stands_on_a_terminal_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = shown(monkeypatch, *CHECK)
    assert "formalism 2 of 2: newton_euler, model two.mbsd" in done.err
    assert "claim 1 of 12: float_evaluation" in done.err
    assert done.err.endswith("\r\x1b[K") and "\x1b[K" not in done.out
    for words, terminal in ((CHECK, False), ((*CHECK, "--quiet"), True)):
        assert "formalism" not in shown(monkeypatch, *words, terminal=terminal).err
    monkeypatch.setenv("TERM", "dumb")
    assert shown(monkeypatch, *CHECK).err == ""


def test_progress_of_several_models_in_several_processes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    done = shown(monkeypatch, "check", "one.mbsd", "two.mbsd", *CHECK[2:], "--jobs", "2")
    assert "model 2 of 2: two.mbsd" in done.err and "formalism" not in done.err


def test_the_line_of_progress_is_wiped_before_anything_is_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Stream("utf-8", terminal=True)
    with monkeypatch.context() as changed:
        changed.setattr(sys, "stdout", both)
        changed.setattr(sys, "stderr", both)
        main(("check", "one.mbsd", "absent.mbsd", *CHECK[2:], "--jobs", "1"))
    lines = both.text.split("\n")
    assert sum("\r" in line for line in lines) >= 2
    for line in lines:
        *_, last = line.split("\r")
        assert last == line or last.startswith("\x1b[K"), line
        assert not re.match("\x1b\\[K(formalism|claim|model) ", last), line


def test_what_is_counted_is_told_and_over_when_it_is_over() -> None:
    seen: list[tuple[str, int, int, str]] = []
    with listen(lambda *event: seen.append(event)):
        for item in count_progress("letter", "ab"):
            if item == "b":
                break
            list(count_progress("digit", [1], lambda n: f"no. {n}"))
    assert seen == [
        ("letter", 1, 2, "a"),
        ("digit", 1, 1, "no. 1"),
        ("digit", 0, 0, ""),
        ("letter", 2, 2, "b"),
        ("letter", 0, 0, ""),
    ]
    assert list(count_progress("letter", "ab")) == ["a", "b"] and len(seen) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "lines"),
    [
        (("check", "one.mbsd", *CHECK[2:]), 1),
        (("check", "one.mbsd", "two.mbsd", *CHECK[2:]), 1),
        (("compare", "two.mbsd", "two.mbsd"), 1),
        (("compare", "one.mbsd", "two.mbsd"), 1),
        (("convert", "one.mbsd", "x.dat"), 1),
        (("derive", "two.mbsd", "--formalism", "lagrange", "--quantity", "M"), 6),
        (("evaluate", "two.mbsd", "--formalism", "lagrange"), 15),
    ],
)
def test_more_or_less_is_told(run: Run, command: tuple[str, ...], lines: int) -> None:
    """-q tells so many lines, at most as much as usual, -v as much or more; the exit code is the same."""
    options = ("-q", "", "-v") if command[0] != "evaluate" else ("-q", "")
    told = [run(*command, *option.split()) for option in options]
    assert len({done.code for done in told}) == 1
    lengths = [len(done.out + done.err) for done in told]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1]
    assert len((told[0].out + told[0].err).splitlines()) == lines
