"""The front door: options become one request of the public function; what moved says where it went."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import FrozenInstanceError
from fractions import Fraction
from inspect import isfunction, signature
from typing import Any

import pytest

import mbconcord
from mbconcord.api.check import CheckRequest
from mbconcord.cli import COMMANDS, MOVED, Command
from mbconcord.cli import check as command
from mbconcord.model.diagnostics import MbconcordError

from .commands import Run, runner

#: Most options of its own that check has, beside those of reading models and those of every command.
MOST = 19
#: What names in equations of one's own mean, beside --coordinates: only these equations take them.
OF_OWN = {"rates", "symbols", "inputs", "map", "allow_binary"}
EVERYWHERE = {"help", "json", "debug", "color"}
VALUES = {
    "--output": "out", "--cluster": "local", "--reference": "set", "--form": "rud", "--against": "pinocchio",
    "--coordinates": "1=z", "--bodies": "1=b", "--expect": "x.toml", "--simulate": "1", "--state": "s.json",
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize("words", MOVED)
def test_what_moved_says_where_it_went(run: Run, words: str) -> None:
    *before, option = words.split()
    value = [VALUES[option]] if option in VALUES else []
    done = run(*before, *(["one.mbsd"] if before else []), option, *value)
    assert done.code == 2 and not done.out
    assert done.err == f"mbconcord: error: {words} {MOVED[words]}\n"


def test_no_command_or_option_that_moved_is_still_there(capsys: pytest.CaptureFixture[str]) -> None:
    for words in MOVED:
        *before, option = words.split()
        if not before:
            assert option not in COMMANDS
            continue
        parser = Command(command=".".join(before), prog="x").fill()
        assert option not in parser._option_string_actions


def test_check_has_few_options() -> None:
    parser = Command(command="check", prog="check").fill()
    (reading,) = (group for group in parser._action_groups if group.title == "reading models")
    shared = {*map(id, reading._group_actions)}
    own = [a.dest for a in parser._actions if a.option_strings and id(a) not in shared and a.dest not in EVERYWHERE]
    own = [name for name in own if name not in OF_OWN]
    assert len(own) <= MOST, own


def test_witnesses_are_left_out_by_one_word() -> None:
    options = {o for name in COMMANDS for o in Command(command=name, prog="x").fill()._option_string_actions}
    assert {o for o in options if o.startswith("--no-")} == {"--no-witness", "--no-binary"}
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
    reading = {"--from", "--physics", "--allow-xacro", "--package-path", "--free-base", "--snap-angles", "--assume"}
    reading |= {"--encoding"}
    assert own.isdisjoint(reading)


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
    asked = [a for a in parser._actions if a.option_strings and a.dest not in command.ELSEWHERE]
    assert len(asked) > 15
    for action in asked:
        value = str(action.choices[-1]) if action.choices else "-7=b"  # type: ignore[index]
        twice = 1 + (action.nargs is None and action.default == [])
        words = [f"{action.option_strings[0]}={value}"] * twice if action.nargs is None else action.option_strings[:1]
        given = parsed([*words])
        assert vars(parsed(command._options(given))) == vars(given), action.dest
    assert command._options(parsed([])) == []
