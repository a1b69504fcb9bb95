"""Whole numbers of options are bounded: what is too large, negative or no number is wrong usage, before any work."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from laboratory.bench.reading import chain
from mbconcord.cli import COMMANDS, Command
from mbconcord.cli.campaign import ACTIONS
from mbconcord.cli.campaign.run import MOST as EXPLORED
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.limits import CHECKED_MATRICES, CHECKED_STATES, LARGE_STATES, PROCESSES, SEED, cut
from mbconcord.validation.check import check
from mbconcord.validation.compare import same_machine

from .commands import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


#: command, option -> least and most
BOUNDED = {
    ("check", "--states"): (1, CHECKED_STATES),
    ("check", "--seed"): (0, SEED),
    ("check", "--jobs"): (1, PROCESSES),
    ("compare", "--states"): (1, CHECKED_STATES),
    ("compare", "--seed"): (0, SEED),
    ("compare", "--jobs"): (1, PROCESSES),
    ("compare", "--convert-seconds"): (1, 3600),
    ("evaluate", "--seed"): (0, SEED),
    ("simulate", "--ensemble"): (1, CHECKED_STATES),
    ("simulate", "--seed"): (0, SEED),
    ("convert", "--seed"): (0, SEED),
    ("assemble", "--others"): (1, 50),
    ("linearize", "--mode"): (1, 100_000),
    ("animate", "--mode"): (1, 100_000),
    ("campaign run", "--count"): (1, EXPLORED),
    ("campaign run", "--seed"): (0, SEED),
    ("campaign run", "--jobs"): (1, PROCESSES),
    ("campaign run", "--states"): (1, CHECKED_STATES),
    ("campaign compare", "--states"): (1, CHECKED_STATES),
    ("campaign compare", "--seed"): (0, SEED),
    ("campaign compare", "--jobs"): (1, PROCESSES),
    ("campaign compare", "--convert-seconds"): (1, 3600),
}
WRONG = ("1e3", "1_0", "٣", "1.0", "", "9" * 5000)


def numbers() -> Iterator[tuple[str, argparse.Action]]:
    """Every option of a command that reads its value as something else than a text."""
    for command in (*COMMANDS, *(f"campaign {action}" for action in ACTIONS)):
        parser = Command(command=command.replace(" ", "."), prog=command)
        with pytest.raises(SystemExit):
            parser.parse_known_args(["--help"])
        yield from ((command, action) for action in parser._actions if action.type is not None and not action.choices)


def test_every_number_of_an_option_is_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    found = {(command, action.option_strings[0]): action.type for command, action in numbers()}
    assert found.keys() == BOUNDED.keys()
    for place, (least, most) in BOUNDED.items():
        read = found[place]
        assert callable(read)
        assert (read(str(least)), read(str(most))) == (least, most)
        for text in (str(least - 1), str(most + 1), *WRONG):
            with pytest.raises(argparse.ArgumentTypeError) as refused:
                read(text)
            said = f"found {cut(text)!r}, expected a whole number from {least:,} to {most:,}"
            assert str(refused.value).removesuffix(", or a state file") == said


@pytest.mark.parametrize(("command", "option"), BOUNDED)
def test_wrong_usage_is_told_with_what_may_stand(run: Run, command: str, option: str) -> None:
    found = run(*command.split(), "a.mbsd", "b.mbsd", option, "1000000000000000000000")
    assert found.code == 2
    assert (
        f"argument {option}" in found.err
        and ": found '1000000000000000000000', expected a whole number from" in found.err
    )


@pytest.mark.parametrize("bodies", [1, 10, 60, 400])
def test_states_are_fewer_of_a_large_model(bodies: int) -> None:
    """Memory grows with the states and the square of the coordinates."""
    system = chain(bodies)
    most = min(CHECKED_STATES, max(LARGE_STATES, CHECKED_MATRICES // bodies**2))
    for refused in (lambda: check(system, "-", states=most + 1), lambda: same_machine(system, system, most + 1)):
        with pytest.raises(NumbersError, match=f"expected at most {most:,}") as problem:
            refused()
        assert problem.value.diagnostics[0].place == "states"


def test_what_info_prints_grows_with_the_bodies(run: Run, tmp_path: Path) -> None:
    """A column as wide as the tree is deep would make it their square, sixteen times as much."""
    sizes = []
    for bodies in (50, 200):
        file = tmp_path / f"{bodies}.mbsd"
        file.write_text(f"(z i >)^{bodies - 1} z i g", encoding="utf-8")
        sizes.append(len(run("info", str(file)).out))
    assert sizes[1] < 6 * sizes[0]
