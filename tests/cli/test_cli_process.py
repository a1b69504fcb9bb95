"""The program as a process: what it loads, how fast it answers, pipes and interrupts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mbconcord.cli import COMMANDS, build_parser, main
from mbconcord.fixtures import folder

from ..work import at_most
from .commands import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


PACKAGES = ("numpy", "sympy", "scipy", "matplotlib", "lark", "mpmath", "hypothesis", "jinja2", "shtab")


def _modules(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.slow
def test_importing_a_part_loads_that_part_only() -> None:
    loaded = {name for name in _modules("import mbconcord.model") if name.startswith("mbconcord.")}
    assert all(name == "mbconcord.records" or name.startswith("mbconcord.model") for name in loaded), loaded
    assert not {name for name in _modules("import mbconcord") if name.startswith("mbconcord.")}
    assert not _modules("import mbconcord.model") & set(PACKAGES)


def test_help_loads_no_heavy_package() -> None:
    loaded = _modules("from mbconcord.cli import main; main(['--help'])")
    assert not loaded & set(PACKAGES)
    assert {n for n in loaded if n.startswith("mbconcord.")} == {
        "mbconcord.cli",
        "mbconcord.cli.io",
        "mbconcord.cli.io.streams",
    }


@pytest.mark.parametrize(("given", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_linear_algebra_has_one_thread_unless_the_user_says_otherwise(given: dict[str, str], threads: str) -> None:
    code = "import os; from mbconcord.cli import main; main(); print(os.environ['OPENBLAS_NUM_THREADS'])"
    before = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", code, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=before | given)
    assert done.stdout.split()[-1] == threads


@pytest.mark.slow
def test_a_command_loads_its_own_module_and_what_it_needs() -> None:
    loaded = _modules("from mbconcord.cli import main; main(['formats'])")
    assert {f"mbconcord.cli.{name}" for name in COMMANDS} & loaded == {"mbconcord.cli.formats"}
    assert not loaded & {"sympy", "matplotlib", "hypothesis", "jinja2", "shtab"}
    assert "shtab" not in _modules("from mbconcord.cli import main; main(['completion', '--help'])")


#: What a check of an open tree has no use for: rooms of closed systems, compiled code, explanations, other formats and
#: reports, and packages of the standard library that take long.
UNUSED = (
    "formalisms.telegin.closed", "formalisms.newton_euler.closed", "formalisms.virtual_work.constraints",
    "formalisms.konoplev.constraints", "formalisms.lagrange.closure", "kernels", "simulation.assembly",
    "validation.judge.closed", "validation.explain", "validation.compare",
    "validation.many", "validation.witnesses.links", "validation.witnesses.um", "validation.witnesses.second.um",
    "validation.witnesses.second.tp", "validation.witnesses.second.robots", "model.expressions.code",
    "converters.native.reader", "reports.description", "reports.html", "api.simulate",
)  # fmt: skip
#: The limit of its own modules: it falls where modules are folded or imported later.
OWN = 300


@pytest.mark.slow
def test_a_check_of_a_tree_loads_what_it_needs() -> None:
    file = str(folder("mbsd") / "double_pendulum.mbsd")
    loaded = _modules(f"from mbconcord.cli import main; main(['check', {file!r}, '--quiet'])")
    own = {name.removeprefix("mbconcord.") for name in loaded if name.startswith("mbconcord.")}
    assert not {name for name in own for unused in UNUSED if f"{name}.".startswith(f"{unused}.")}
    assert not loaded & {"email", "importlib.metadata", "difflib", "sympy", "pandas", "hypothesis", "shtab"}
    assert len(own) <= OWN, "import what a check has no use for inside of the function that uses it"


def test_every_command_of_the_table_has_its_module(capsys: pytest.CaptureFixture[str]) -> None:
    for name, help in COMMANDS.items():
        assert main([name, "--help"]) == 0
        assert f"usage: mbconcord {name} " in capsys.readouterr().out
        assert help[0].islower() and not help.endswith(".")


def test_a_parser_parses_again() -> None:
    parser = build_parser()
    for states in ("3", "4"):
        assert parser.parse_args(["check", "a.mbsd", "--states", states]).states == int(states)


def test_public_names_are_there() -> None:
    import mbconcord

    for name in ("read", "write", "check", "System", "State", "compare", "simulate"):
        assert callable(getattr(mbconcord, name))
        assert name in dir(mbconcord)
    with pytest.raises(AttributeError, match="magic"):
        _ = mbconcord.magic


@pytest.mark.slow
def test_the_module_and_the_script_are_the_same_command(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "mbconcord"
    commands = [[sys.executable, "-m", "mbconcord"]] + ([[str(script)]] if script.exists() else [])
    for command in commands:
        done = subprocess.run([*command, "formats"], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0 and "mbsd" in done.stdout
        done = subprocess.run([*command, "info", "absent.mbsd"], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 2 and "Traceback" not in done.stderr


def test_help_answers_at_once() -> None:
    """The benchmark measures the claim of 0.3 s."""
    with at_most(1):
        subprocess.run([sys.executable, "-m", "mbconcord", "--help"], capture_output=True, check=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is told otherwise there")
def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "arm.mbsd").write_text("zk>xk>xk>zk>xk>zk g", encoding="utf-8")
    command = f"{sys.executable} -m mbconcord derive arm.mbsd --formalism lagrange | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert len(done.stdout.splitlines()) == 1
    assert not done.stderr


def test_an_interrupt_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from mbconcord.cli import formats

    def interrupted(arguments: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(formats, "run", interrupted)
    done = run("formats")
    assert done.code == 130 and not done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "searched"), [("main()", False), ("main(sys.argv[1:])", True)], ids=["process", "in a program"]
)
def test_a_process_that_ends_is_not_searched_for_garbage(call: str, searched: bool) -> None:
    """That of the command line; a program that calls it keeps its collector as it is. What is written is all there."""
    ends = "import atexit, gc, sys; atexit.register(lambda: print(not gc.get_freeze_count(), file=sys.stderr))"
    code = f"{ends}; sys.argv = ['mbconcord', 'formats']; from mbconcord.cli import main; sys.exit({call})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == str(searched)
    assert "urdf" in done.stdout and done.stdout.endswith("\n")
