"""Completion: the scripts know what the parsers know, and bash and fish complete by theirs."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from mbconcord.cli import COMMANDS, build_parser
from mbconcord.cli.completion import FILES, KNOWN, SHELLS, write_script

from .commands import Run, runner
from .test_mistakes import parsers

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
    (["check", "model2", "--states", "9", "mod"], ["model file.mbsd", "models"], []),
    (["convert", "a.mbsd", "--set", "m", "=", "2", "mod"], ["model file.mbsd", "models"], []),
    (["check", "--report", "=", "mod"], ["model file.mbsd", "models"], []),
    (["campaign", ""], ["run", "compare", "report"], ["models"]),
    (["campaign", "run", "--prof"], ["--profile"], ["--pairs"]),
    (["simulate", "a.mbsd", "--impacts", "s"], ["simultaneous", "sequential"], ["models"]),
]
#: How usage shows what completes as nothing: numbers, names that a model has, expressions.
OPEN = {
    "A,B", "A,B/C", "A,F", "DT", "E", "FORMAT:PATH", "FORMULA", "HEX", "KG,KG@X,Y,Z", "KG@X,Y,Z", "KIND=N,…", "N",
    "N,N", "NAME=FROM:TO:STEP", "NAME=Q,V,A", "NAME=SIZE,…", "NAME=SPEED", "NAME=VALUE", "OWN", "PART=N,…", "S", "T",
    "TIME", "V", "X", "X,Y,Z", "[NAME=]COMMAND", "a=b,c=d", "local|ADDRESS", "none|all|A,B", None,
}  # fmt: skip


#: How an option is spelled in the script of a shell.
FLAGS = {"bash": str, "zsh": str, "fish": lambda s: f" -l {s[2:]} " if s.startswith("--") else f" -s {s[1:]} "}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.fixture(scope="module")
def scripts() -> dict[str, str]:
    return {shell: write_script(shell) for shell in SHELLS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "models").mkdir()
    (tmp_path / "model file.mbsd").touch()
    return tmp_path


def find_program(shell: str) -> str:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell} to run the script")
    return program


def require_words(answers: Iterable[list[str]]) -> None:
    for (typed, there, absent), answer in zip(TYPED, answers, strict=True):
        found = {re.sub(r"^--\w+=|/$", "", word.partition("\t")[0]) for word in answer}
        assert found.issuperset(there) and not found & set(absent), (typed, answer)


def test_bash_completes(scripts: dict[str, str], folder: Path) -> None:
    bash = find_program("bash")
    lines = [scripts["bash"]]
    for typed, _, _ in TYPED:
        lines.append(f"COMP_WORDS=({shlex.join(['mbconcord', *typed])}); COMP_CWORD={len(typed)}; _mbconcord")
        lines.append("printf '%s|' \"${COMPREPLY[@]}\"; echo")
    lines.append("complete -p mbconcord")
    command = [bash, "--norc", "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    *answers, registered = done.stdout.splitlines()
    assert registered == "complete -F _mbconcord mbconcord" and not done.stderr
    require_words(answer.split("|") for answer in answers)


def test_fish_completes(scripts: dict[str, str], folder: Path) -> None:
    fish = find_program("fish")
    lines = [scripts["fish"]]
    for typed, _, _ in TYPED:
        line = " ".join(["mbconcord", *typed]).replace(" = ", "=")
        lines.append(f"complete -C '{line}'; echo '|'")
    command = [fish, "--no-config", "-c", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    assert not done.stderr
    require_words(answer.splitlines() for answer in done.stdout.split("|\n")[:-1])


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option_of_every_command_is_in_every_script(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert done.code == 0
    for parser in parsers(build_parser()):
        for spelling in parser._option_string_actions:
            assert FLAGS[shell](spelling) in done.out, (parser.prog, spelling)
    for name in (*COMMANDS, "konoplev", "inverse_dynamics", "kinetic_energy", "native", "bushing"):
        assert name in done.out


def test_it_is_decided_of_every_argument_what_completes_it() -> None:
    left = {
        action.metavar
        for parser in parsers(build_parser())
        for action in parser._actions
        if action.nargs != 0 and action.choices is None and action.dest not in KNOWN
        if not getattr(action, "known", ()) and not FILES.search(action.metavar or "")
    }
    assert left == OPEN


def test_zsh_takes_its_script(scripts: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "script").write_text(scripts["zsh"], encoding="utf-8")
    done = subprocess.run([find_program("zsh"), "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_zsh_takes_several_files_words_after_commas_and_values_after_signs_of_equality(scripts: dict[str, str]) -> None:
    lines = [line.strip() for line in scripts["zsh"].splitlines()]
    assert '"*:model file or directory:_files"' in lines and not [line for line in lines if line.startswith('"(*)')]
    assert """"*--allow=[run programs]:allow:{compset -P '*,'; compadd - xacro binary}\"""" in lines
