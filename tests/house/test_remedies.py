"""What a message says to do can be done: commands that it names are taken, options that it names are there."""

from __future__ import annotations

import ast
import re
import shlex
from argparse import ArgumentParser, _SubParsersAction
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import COMMANDS, build_parser
from mbconcord.cli.check import NAMED
from mbconcord.cli.source import READINGS, RUNS
from mbconcord.model.omission import ACCEPTABLE, Omission

from ..cli.commands import Run, runner

ROOT = Path(mbconcord.__file__).parents[1]
ROOMS = ("app", "converters", "formalisms", "kernels", "model", "reports", "simulation", "validation")
#: A command in a text, up to where its sentence goes on; what follows it is no part of it.
COMMAND = re.compile(
    r"mbconcord ((?:" + "|".join(COMMANDS) + r")\b(?: (?:--?[a-z][\w-]*|[A-Z]+\b|report|run|save|check|‹›))*)"
)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
#: Options of programs that are not ours.
THEIRS = {"--mbconcord", "--mbconcord-baseline", "--version", "--rootdir"}
#: Texts that speak of a command, and tell nobody to run it: titles of measurements, help of options.
TITLES = ("app/pytest_plugin/__init__", "reports/annotations")
#: Names that stand for what a message does not know -> something of the kind.
NAMES = {"FILE": "one.mbsd", "SECONDS": "1"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@cache
def texts() -> list[tuple[str, str]]:
    """Return every text of the product that is no docstring, with where it stands; ``‹›`` is what is put in."""
    found = []
    for file in (file for room in ROOMS for file in (ROOT / room).rglob("*.py")):
        source = file.read_text("utf-8")
        if not (COMMAND.search(source) or OPTION.search(source)):
            continue
        nodes = [*ast.walk(ast.parse(source))]
        inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if id(node) in inner or id(node) in alone:
                continue
            if isinstance(node, ast.JoinedStr):
                said = "".join(str(p.value) if isinstance(p, ast.Constant) else "‹›" for p in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                said = node.value
            else:
                continue
            found.append((f"{file.relative_to(ROOT)}:{node.lineno}", said))
    return found


def parsers() -> dict[str, ArgumentParser]:
    found = {}
    for name, parser in build_parser()._subparsers._group_actions[0].choices.items():  # type: ignore[union-attr]
        parser.fill()
        found[name] = parser
        for action in (a for a in parser._actions if isinstance(a, _SubParsersAction)):
            found |= {f"{name} {inner}": p.fill() for inner, p in action.choices.items()}
    return found


def test_commands_in_messages_are_whole() -> None:
    wrong = []
    for where, text in texts():
        if where.startswith(TITLES) or "`mbconcord" in text:
            continue
        for said in COMMAND.findall(text):
            words = [NAMES.get(word, word) for word in said.replace("‹›", "one.mbsd").split()]
            try:
                build_parser().parse_args(words)
            except SystemExit as stop:
                wrong += [f"{where}: mbconcord {said}"] if stop.code else []
    assert wrong == []


def test_options_in_messages_are_there() -> None:
    known = {option for parser in parsers().values() for option in parser._option_string_actions}
    others = ("app/cli/__init__", "kernels")
    own = [(where, text) for where, text in texts() if not where.startswith(others)]
    wrong = [f"{w}: {option}" for w, text in own for option in OPTION.findall(text) if option not in known | THEIRS]
    assert wrong == []


def test_names_within_options_of_messages_are_there() -> None:
    known = {"read": READINGS, "allow": RUNS, "map": NAMED}
    own = [(w, *said) for w, text in texts() for said in re.findall(r"--(read|allow|map) '?([a-z][a-z-]*)", text)]
    assert [f"{where}: --{option} {name}" for where, option, name in own if name not in known[option]] == []
    assert len(own) > 20


@pytest.mark.parametrize("command", COMMANDS)
def test_example_of_a_command_that_lacks_arguments_is_taken(run: Run, command: str) -> None:
    required = [a for a in parsers()[command]._actions if a.required and a.nargs != "*"]
    if not required:
        return
    example = re.search(r"\(for example mbconcord (.*)\)$", run(command).err.strip())
    assert example
    assert build_parser().parse_args(shlex.split(example[1])).command == command


@pytest.mark.slow
def test_what_is_printed_to_accept_omissions_is_taken(run: Run) -> None:
    system = mbconcord.read(text="z j-2 $3 g", format="mbsd").system
    left_out = tuple(Omission(f"{kind}/that", kind, "text", "forces") for kind in ACCEPTABLE)
    Path("m.mbs.json").write_text(mbconcord.write(replace(system, omissions=left_out), "native").text, encoding="utf-8")
    for command in (("check", "m.mbs.json", "--states", "2"), ("compare", "m.mbs.json", "m.mbs.json")):
        done = run(*command)
        option = re.search(r"\(to accept: (.*)\)", done.out)
        assert done.code == (4 if command[0] == "compare" else 3) and option
        assert run(*command, *shlex.split(option[1])).code == 0
    with pytest.raises(AssertionError, match=r"to accept: accept_omissions=\{") as failed:
        mbconcord.assert_agrees("m.mbs.json", states=2)
    argument = re.search(r"to accept: accept_omissions=(\{.*\})\)", str(failed.value))
    assert argument
    assert mbconcord.assert_agrees("m.mbs.json", states=2, accept_omissions=ast.literal_eval(argument[1])).stands


@pytest.mark.parametrize("text", [None, "no TOML", "format = 1", "format = 9\nprime = '7'"], ids=str)
def test_what_is_printed_of_baselines_can_be_run(run: Run, text: str | None) -> None:
    if text is not None:
        Path("old.toml").write_text(text, encoding="utf-8")
    done = run("baseline", "check", "one.mbsd", "--output", "old.toml")
    command = re.search(r"mbconcord (baseline save [^)]*)\)", done.err)
    assert done.code == 2 and command
    Path("old.toml").unlink(missing_ok=True)
    assert run(*shlex.split(command[1])).code == 0
    assert run("baseline", "check", "one.mbsd", "--output", "old.toml").code == 0
    missing = run("baseline", "check", "two.mbsd", "--output", "old.toml")
    command = re.search(r"mbconcord (baseline save [^)]*)\)", missing.err)
    assert missing.code == 1 and command and run(*shlex.split(command[1])).code == 0
