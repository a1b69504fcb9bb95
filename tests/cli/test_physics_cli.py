"""What is made of inertias that no body has: ``--physics`` of every command that reads a model, and of the API."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mbconcord import check, read, write
from mbconcord.converters import registry
from mbconcord.converters.registry import read_text
from mbconcord.model import MbconcordError, ModelError, ReadError
from mbconcord.model.diagnostics import WriteError

from .commands import Run, runner

#: A body that turns about two axes, with the moments 1, 1, 5; the same in a plane, which does not see them.
TUMBLING, PLANAR = "xy i $1 [1,1,5] g-y", "z i1 $1 [0,0,1/3] {-0.5,0} g"
SAID = "principal moments 1, 1, 5 kg m² violate the triangle inequality"
QUICK = ("--formalisms", "lagrange,newton_euler", "--states", "2")
DEFAULT = {"native": "error", "tp": "error", "mbsd": "error", "um": "warn"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    Path("a.mbsd").write_text(TUMBLING, encoding="utf-8")
    Path("plane.mbsd").write_text(PLANAR, encoding="utf-8")
    system = read("a.mbsd", physics="ignore").system
    for file, format in (("a.mbs.json", "native"), ("a.dat", "um")):
        Path(file).write_text(write(system, format, physics="ignore").text, encoding="utf-8")
    return call


COMMANDS = {
    "check": ("check", "{}", *QUICK),
    "convert": ("convert", "{}", "out.mbs.json"),
    "state": ("convert", "{}", "out.xv"),
    "compare": ("compare", "{}", "{}"),
    "derive": ("derive", "{}", "--formalism", "lagrange"),
    "evaluate": ("evaluate", "{}", "--formalism", "lagrange"),
    "info": ("info", "{}"),
}


@pytest.mark.parametrize("policy", ["error", "warn", "ignore", ""])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_reads_a_model(run: Run, command: str, policy: str) -> None:
    done = run(
        *(word.format("a.mbsd") for word in COMMANDS[command]), *(["--read", f"physics={policy}"] if policy else [])
    )
    told = [line for line in (done.err + done.out).splitlines() if SAID in line]
    if policy in ("error", ""):
        assert done.code == 2
        assert told[0].startswith("a.mbsd:1:9: error: ") and "--read physics=warn" in told[0]
    else:
        assert done.code == 0
        assert bool(told) == (policy == "warn") and all("warning: " in line for line in told)


@pytest.mark.parametrize(("file", "code"), [("a.mbsd", 2), ("a.mbs.json", 2), ("a.dat", 0)])
def test_the_default_is_that_of_the_format(run: Run, file: str, code: int) -> None:
    done = run("check", file, *QUICK)
    assert done.code == code and SAID in done.err + done.out
    known = {f["name"]: f["physics"] for f in run("formats", "--json").json["formats"]}
    assert known.items() >= DEFAULT.items()


@pytest.mark.parametrize("command", ["check", "info", "convert"])
def test_what_the_motion_cannot_see_is_not_demanded(run: Run, command: str) -> None:
    done = run(*(word.format("plane.mbsd") for word in COMMANDS[command]), "--read", "physics=error")
    assert done.code == 0 and "principal" not in done.err + done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_numbers_are_those_of_the_command_line(run: Run, command: str) -> None:
    """A mass that no body has is mended by --set, and made by it."""
    Path("b.mbsd").write_text("z i $(m) ; m = -1", encoding="utf-8")
    words = [word.format("b.mbsd") for word in COMMANDS[command]]
    assert run(*words).code == 2
    assert run(*words, "--set", "m=2").code == 0
    assert run(*words, "--set", "m=-2").code == 2
    assert "mass is -2 kg" in run(*words, "--set", "m=-2").err


def test_what_is_written_is_read_back(run: Run) -> None:
    """Refused by the format that is written, where that refuses to read it."""
    refused = run("convert", "a.dat", "again.mbsd")
    assert refused.code == 2 and SAID in refused.err and not Path("again.mbsd").exists()
    assert run("convert", "a.dat", "b.dat").code == 0
    assert run("convert", "a.dat", "again.mbsd", "--read", "physics=warn", "--verify").code == 0
    assert run("check", "again.mbsd", *QUICK).code == 2
    assert run("check", "again.mbsd", *QUICK, "--read", "physics=ignore").code == 0


@pytest.mark.parametrize("suffix", [".md", ".xml", ".json", pytest.param(".html", marks=pytest.mark.slow)])
def test_the_warning_stands_in_the_report(run: Run, suffix: str) -> None:
    words = ("check", "a.mbsd", *QUICK, "--read", "physics=warn", "--report", f"r{suffix}")
    assert run(*words).code == 0
    assert SAID in Path(f"r{suffix}").read_text("utf-8")
    assert "--read physics=warn" in next(line for line in run(*words).out.splitlines() if "reproduce" in line)


def test_the_wrong_policy_is_refused(run: Run) -> None:
    done = run("info", "a.mbsd", "--read", "physics=relaxed")
    assert done.code == 2 and "known: error, warn, ignore" in done.err


API: dict[str, tuple[Any, type[MbconcordError]]] = {
    "read": (lambda **p: read_text(TUMBLING, "a.mbsd", **p), ReadError),
    "write": (lambda **p: write(_impossible(), "native", **p), WriteError),
    "check": (lambda **p: check(_impossible(), formalisms=["lagrange", "newton_euler"], states=1, **p), ModelError),
}


def _impossible() -> Any:
    return read_text(TUMBLING, "a.mbsd", physics="ignore").system


@pytest.mark.parametrize("call", API)
def test_the_api(call: str) -> None:
    function, refusal = API[call]
    for policy in ({}, {"physics": "error"}):
        with pytest.raises(refusal, match="triangle inequality"):
            function(**policy)
    warned, ignored = function(physics="warn"), function(physics="ignore")
    if call != "write":
        assert [d.severity for d in warned.diagnostics if SAID in d.message] == ["warning"]
        assert not [d for d in ignored.diagnostics if SAID in d.message]


def test_parameters_without_value_are_drawn_beside_an_impossible_body() -> None:
    """The draws are judged by what rests on them, not by what the author gave."""
    system = read_text("xy i $1 [1,1,5] > z i(L) $(m) [J,J,J] g-y", "a.mbsd", physics="ignore").system
    evidence = check(system, formalisms=["lagrange", "newton_euler"], states=2, physics="warn")
    assert evidence.verdict == "agrees"


def test_the_record_of_a_third_format_says_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    lenient = replace(registry.format_named("mbsd"), physics="warn")
    monkeypatch.setattr(registry, "format_named", lambda name: lenient)
    assert SAID in registry.read_text(TUMBLING, "a.mbsd").diagnostics[-1].message
