"""Assertions about models: what they raise locates, names and reproduces; what they pass stands."""

from __future__ import annotations

import io
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.witnessed import STATES

PENDULUM = "z(q) j-0.5 $2 [0.6,0.1,0.6] {0,-0.1,0} #bob ; g9.81-y"


def model(text: str = PENDULUM) -> mbconcord.System:
    return mbconcord.read(text=text, format="mbsd").system


class Theirs(Formalism):
    """Lagrange's equations with gravity reversed."""

    name, title, reference = "theirs", "Theirs", "none"
    takes = frozenset()

    def derive(self, system: mbconcord.System) -> Derivation:
        own = registry.formalism("lagrange").derive(system)
        minus = tuple(-x for x in own.quantities["gravity"])  # type: ignore[operator,union-attr]
        return replace(own, formalism="theirs", quantities={**own.quantities, "gravity": minus})


def test_what_agrees_is_given_back() -> None:
    found = mbconcord.assert_agrees(model(), states=2)
    assert isinstance(found, mbconcord.results.Check) and found.stands
    same = mbconcord.assert_same_machine(model(), model(), states=2)
    assert isinstance(same, mbconcord.results.Comparison) and same.stands


def test_a_disagreement_locates() -> None:
    with pytest.raises(AssertionError) as caught:
        mbconcord.assert_agrees(model(), formalisms=["lagrange", "newton_euler", Theirs()], states=2)
    said = str(caught.value)
    for words in ("gravity[q]: lagrange and theirs disagree", "stand against theirs", '"q": {"q": ', STATES):
        assert words in said


def test_a_model_that_is_no_file_is_reproduced_by_a_line_and_a_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not checked is no agreement; the command of the message says the same of the line of the message."""
    with pytest.raises(AssertionError, match="the mass matrix is singular") as caught:
        mbconcord.assert_agrees(model("z i2 > z i1 $0"), states=2, formalisms=["lagrange", "newton_euler"])
    line = re.search(r"with: echo '(.+)' \|", str(caught.value))
    command = re.search(r"reproduce: mbconcord (.+)", str(caught.value))
    assert line and command
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(line[1].encode())))
    assert main(shlex.split(command[1])) == 3
    assert "the mass matrix is singular" in capsys.readouterr().out


def test_other_machines_locate_and_say_why() -> None:
    other = model(PENDULUM.replace("9.81-y", "9.81y"))
    with pytest.raises(AssertionError) as caught:
        mbconcord.assert_same_machine(model(), other, states=3)
    first, *lines = str(caught.value).splitlines()
    assert first == "not the same machine"
    assert lines[0] == STATES and lines[1].startswith("Masses and their centres are of the bodies that")
    assert any(line.startswith("decided by gravity[q] ") for line in lines)
    assert any(line.startswith("at the state {'t': ") for line in lines)
    assert any(line.startswith("the same change in other words: B equals A when gravity") for line in lines)
    told = {line[0]: line[3:] for line in lines if line[:3] in ("A: ", "B: ")}
    for name, system in (("A", model()), ("B", other)):
        assert mbconcord.compare(mbconcord.read(text=told[name], format="mbsd"), system).verdict == "agrees"


@pytest.mark.slow
def test_of_files_the_names_are_told(tmp_path: Path) -> None:
    for name, text in (("a", PENDULUM), ("b", PENDULUM.replace("$2", "$2.5"))):
        (tmp_path / f"{name}.mbsd").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"B: .*b\.mbsd"):
        mbconcord.assert_same_machine(tmp_path / "a.mbsd", tmp_path / "b.mbsd", states=2)


def test_what_cannot_be_read_is_no_assertion() -> None:
    with pytest.raises(mbconcord.MbconcordError):
        mbconcord.assert_agrees("nowhere.mbsd")
