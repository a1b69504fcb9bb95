"""Completion: the scripts know what the parsers know, and bash completes by its own."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest

from mbconcord.cli import COMMANDS, build_parser
from mbconcord.cli.completion import SHELLS, commands, words

from .commands import Run, runner

#: What is typed, the last word being completed -> what is among the completions, what is not.
TYPED = [
    (["ch"], ["check"], ["convert"]),
    (["check", "--rep"], ["--report"], ["--map"]),
    (["convert", "a.mbsd", "b", "--to", ""], ["native", "tp", "mbsd", "um"], ["lagrange"]),
    (["convert", "a.mbsd", "b", "--to", "=", "mb"], ["mbsd"], ["um"]),
    (["derive", "--formalism", "la"], ["lagrange"], ["konoplev"]),
    (["check", "--formalisms", "lagrange,ko"], ["lagrange,konoplev"], ["konoplev"]),
    (["derive", "--quantity", "M,inv"], ["M,inverse_dynamics"], ["M,M"]),
    (["check", "--read", ""], ["physics=warn", "free-base", "package-path="], ["lagrange"]),
    (["info", "--read", "free-base,sn"], ["free-base,snap-angles"], ["snap-angles"]),
    (["check", "--allow", ""], ["xacro", "binary"], []),
    (["check", "--assume", ""], ["bushing", "stop="], ["physics=warn", "assume=bushing"]),
    (["info", "--allow", ""], ["xacro"], ["binary"]),
    (["check", "mod"], ["model file.mbsd", "models"], ["check"]),
    (["check", "--report", "mod"], ["models"], []),
    (["completion", ""], ["bash", "zsh", "fish"], ["models"]),
    (["check", "--seed", ""], [], ["models", "--report"]),
]


#: How an option is spelled in a script, and in that of fish.
FLAGS = (str, lambda s: f" -l {s[2:]}" if s.startswith("--") else f" -s {s[1:]}")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def script() -> str:
    return SHELLS["bash"](commands(build_parser()))


def test_bash_completes(script: str, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash to run the script")
    (tmp_path / "models").mkdir()
    (tmp_path / "model file.mbsd").touch()
    lines = [script]
    for typed, _, _ in TYPED:
        words = " ".join(f"'{word}'" for word in ("mbconcord", *typed))
        lines.append(f"COMP_WORDS=({words}); COMP_CWORD={len(typed)}; COMPREPLY=(); _mbconcord")
        lines.append("printf '%s|' \"${COMPREPLY[@]}\"; echo")
    lines.append("complete -p mbconcord")
    done = subprocess.run(
        [bash, "--norc", "-c", "\n".join(lines)], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    *answers, registered = done.stdout.splitlines()
    assert registered == "complete -F _mbconcord mbconcord" and not done.stderr
    for (typed, there, absent), answer in zip(TYPED, answers, strict=True):
        found = set(answer.split("|"))
        assert found.issuperset(there) and not found & set(absent), (typed, answer)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_of_every_command_is_in_every_script(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert done.code == 0
    for command in commands(build_parser()):
        assert command.name in COMMANDS
        for option in command.options:
            for spelling in option.spellings:
                assert FLAGS[shell == "fish"](spelling) in done.out, (command.name, spelling)
    for name in ("konoplev", "inverse_dynamics", "kinetic_energy", "native"):
        assert name in done.out


def test_an_argument_that_nobody_foresaw_is_an_error() -> None:
    parser = argparse.ArgumentParser()
    with pytest.raises(KeyError, match="new"):
        words(parser.add_argument("--new"))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_scripts(run: Run, shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} to read the script")
    (tmp_path / "script").write_text(run("completion", shell).out, encoding="utf-8")
    done = subprocess.run([program, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
