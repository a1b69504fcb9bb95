"""The front door: options become one request of the public function; what moved says where it went."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import FrozenInstanceError
from fractions import Fraction
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord.api.check import CheckRequest
from mbconcord.cli import COMMANDS, MOVED, Command, find_moved
from mbconcord.cli import check as command
from mbconcord.cli.numbers import overrides
from mbconcord.cli.source import read_allowed, read_physics
from mbconcord.converters.xacro import Allowed
from mbconcord.model.diagnostics import MbconcordError

from .commands import Run, runner

#: Most options that check has, beside those of every command.
MOST = 18
EVERYWHERE = {"help", "json"}
VALUES = {
    "--output": "out", "--cluster": "local", "--reference": "set", "--form": "rud", "--against": "pinocchio",
    "--map": "bodies:1=b", "--expect": "x.toml", "--simulate": "1", "--state": "s.json",
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize("words", MOVED)
def test_what_moved_says_where_it_went(run: Run, words: str) -> None:
    *before, option = words.split()
    before = before or ["info"] * option.startswith("--")
    value = [VALUES[option]] if option in VALUES else []
    done = run(*before, *(["one.mbsd"] if before else []), option, *value)
    assert done.code == 2 and not done.out
    assert done.err == f"mbconcord: error: {words} {MOVED[words]}\n"


def test_no_command_or_option_that_moved_is_still_there() -> None:
    for words in MOVED:
        *before, option = words.split()
        assert option not in COMMANDS
        for name in [".".join(before)] if before else COMMANDS if option.startswith("--") else ():
            assert option not in Command(command=name, prog="x").fill()._option_string_actions


#: Values of what stands for one where a message says where an option went.
FILLED = {"A=B": "z1=z1", "NAME=VALUE": "a=b", "FOLDER": ".", "PAGE": "cp1252", "FILE": "m.json"}


@pytest.mark.parametrize("words", [w for w in MOVED if MOVED[w].startswith("is now --")])
def test_where_an_option_went_is_taken(words: str) -> None:
    *before, _ = words.split()
    new = MOVED[words].removeprefix("is now ").partition(" (")[0]
    for word, value in FILLED.items():
        new = new.replace(word, value)
    found = Command(command=before[0] if before else "info", prog="x").fill().parse_args(["one.mbsd", *new.split()])
    assert find_moved(["check", "one.mbsd", *new.split()]) == ""
    assert new.split()[1] in str(vars(found)) or found.github


def test_only_an_option_before_two_dashes_has_moved(run: Run) -> None:
    assert find_moved(["info", "--", "--debug"]) == "" == find_moved(["check", "bench"])
    assert find_moved(["info", "a.urdf", "--free-base"]) == "--free-base is now --read free-base"
    assert find_moved(["--debug", "info"]).endswith("MBCONCORD_DEBUG=1")
    assert run("linearize", "one.mbsd", "--inputs", "z1", "--debug").code == 2
    assert (
        find_moved(["linearize", "a", "--inputs", "x"]) == find_moved(["compare", "a", "b", "--coordinates=a=b"]) == ""
    )


def test_check_has_few_options() -> None:
    parser = Command(command="check", prog="check").fill()
    own = [a.dest for a in parser._actions if a.option_strings and a.dest not in EVERYWHERE]
    assert len(own) <= MOST, own


def test_values_of_reading_are_those_of_the_file(tmp_path: Path) -> None:
    words = ["--read", "free-base, physics=warn", "--read", "snap-angles,package-path=a,b", "--read", "package-path=c"]
    words += [
        "--read",
        "xacro:n=1,2",
        "--read",
        "xacro:m=",
        "--read",
        "physics=warn,as=mujoco",
        "--allow",
        "xacro,binary",
    ]
    found = parsed(words)
    allowed = Allowed(True, ("a,b", "c"), True, ("n:=1,2", "m:="), True, "mujoco")
    assert (read_allowed(found), read_physics(found)) == (allowed, "warn")
    assert read_allowed(parsed([])) == Allowed() and read_physics(parsed([])) is None


def test_a_file_of_parameters_is_told_from_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("m=1", "values"):
        (tmp_path / name).write_text("m = 7\nL = 8\n", encoding="utf-8")
    for words, numbers in (
        (["m=1"], {"m": 1}),
        (["./m=1"], {"m": 7, "L": 8}),
        (["values", "m=2", "values"], {"m": 2, "L": 8}),
    ):
        assert overrides(argparse.Namespace(settings=words)).numbers == numbers


def test_witnesses_are_left_out_by_one_word() -> None:
    options = {o for name in COMMANDS for o in Command(command=name, prog="x").fill()._option_string_actions}
    assert {o for o in options if o.startswith("--no-")} == {"--no-witness", "--no-binary", "--no-browser"}
    verbs = {name: value for name in dir(mbconcord) if isfunction(value := getattr(mbconcord, name))}
    taking = {
        word: {name for name, verb in verbs.items() if word in signature(verb).parameters}
        for word in ("witness", "check")
    }
    assert not taking["check"] and taking["witness"] >= {"linearize", "equilibrium", "simulate", "compile", "evaluate"}


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_reading_come_below_those_of_the_command(name: str) -> None:
    parser = Command(command=name, prog="x").fill()
    own = {option for group in parser._action_groups[:2] for a in group._group_actions for option in a.option_strings}
    assert own.isdisjoint({"--from", "--read", "--allow", "--assume"})


def test_options_fill_the_request_of_the_public_function(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[CheckRequest] = []

    def check(model: Any, request: CheckRequest) -> Any:
        asked.append(request)
        raise MbconcordError([])

    monkeypatch.setattr(command, "check", check)
    line = (
        "check one.mbsd --formalisms lagrange,telegin --states 3 --seed 5 --claims none --exact off --simulate 2"
        " --against pinocchio --set m=2.5 --accept-omissions contact=2 --json"
    )
    run(*shlex.split(line))
    (found,) = asked
    assert found == CheckRequest(
        formalisms=["lagrange", "telegin"], states=3, seed=5, claims=(), exact="off", simulate=2.0,
        against="pinocchio", accept_omissions={"contact": 2}, parameters=found.parameters,
    )  # fmt: skip
    assert found.parameters is not None and getattr(found.parameters, "numbers", None) == {"m": Fraction(5, 2)}
    with pytest.raises(FrozenInstanceError):
        found.seed = 1  # type: ignore[misc]


def test_a_request_is_the_keywords() -> None:
    model = mbconcord.read(text="z°30 i > z°30 i g", format="mbsd")
    request = CheckRequest(states=2, seed=4, claims=(), exact="off", formalisms=["lagrange", "newton_euler"])
    one = mbconcord.check(model, request)
    other = mbconcord.check(model=model, **{name: getattr(request, name) for name in request.__dataclass_fields__})
    assert one.comparisons == other.comparisons and (one.states, one.seed) == (other.states, 4)
    with pytest.raises(TypeError, match=r"check\(\) takes no state= \(did you mean 'states'\?"):
        mbconcord.check(model, state=2)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--random --states 3", "--states: error: it is of a campaign over files, found --random (leave it out)"),
        ("--random --set m=2", "--set: error: it is of a campaign over files, found --random (leave it out)"),
        ("--random one.mbsd", "--random: error: found files, one.mbsd, too (give one of them)"),
        ("one.mbsd --count 3", "--count: error: it is of a campaign over random models, found files (leave it out)"),
        ("--random --report out.md", "--report: error: out.md: of random models there is a page (name it .html)"),
        ("", "the following arguments are required: FILE (for example mbconcord campaign run model.mbsd)"),
    ],
)
def test_a_campaign_is_of_files_or_of_random_models(run: Run, line: str, said: str) -> None:
    done = run("campaign", "run", *line.split())
    assert done.code == 2 and said in done.err and not done.out


def test_a_campaign_does_one_of_two_things(run: Run) -> None:
    for words, said in (
        (["campaign"], "for example mbconcord campaign run model.mbsd)"),
        (["campaign", "go"], "known: run, compare, report"),
    ):
        done = run(*words)
        assert done.code == 2 and said in done.err


def parsed(words: list[str]) -> argparse.Namespace:
    """Parse options of check."""
    parser = argparse.ArgumentParser(add_help=False)
    command.arguments(parser)
    return parser.parse_args(["model.urdf", *words])


def test_the_command_that_repeats_a_check_has_every_option_that_sets_a_number() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    command.arguments(parser)
    known = {"read": "free-base,physics=warn", "allow": "binary", "map": "rates:x=-R*w"}
    asked = [a for a in parser._actions if a.option_strings and a.dest not in command.ELSEWHERE]
    assert len(asked) == 10
    for action in asked:
        value = known.get(action.dest, str(action.choices[-1]) if action.choices else "-7=b")  # type: ignore[index]
        twice = 1 + (action.nargs is None and action.default == [])
        words = [f"{action.option_strings[0]}={value}"] * twice if action.nargs is None else action.option_strings[:1]
        given = parsed([*words])
        assert vars(parsed(command._options(given))) == vars(given), action.dest
    assert command._options(parsed(["--states", "3"])) == []
    assert command._options(parsed(["--states=-"])) == ["--state=-"]
