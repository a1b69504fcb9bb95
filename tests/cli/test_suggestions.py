"""A name that is not there is answered with the one that was probably meant, and with all there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from mbconcord.model.diagnostics import among, find_similar

from .commands import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    (tmp_path / "state.json").write_text('{"q": {"z11": 1}}', encoding="utf-8")
    (tmp_path / "l=3").mkdir()
    (tmp_path / "stage.usda").write_text("#usd 1.0", encoding="utf-8")
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("chek one.mbsd", "invalid choice: 'chek' (did you mean 'check'? known: check, compare, convert, "),
        ("check one.mbsd --reprot x.html", "(did you mean --report?)"),
        ("derive one.mbsd --formalism=lagrange --quantty M", "(did you mean --quantity?)"),
        ("check one.mbsd --formalism lagrnge", "did you mean 'lagrange'? known: lagrange, "),
        ("check one.mbsd --formalisms lagrange,Newton-Euler", "did you mean 'newton_euler'?"),
        ("convert one.mbsd two.x --to mbds", "did you mean 'mbsd'? known: "),
        ("evaluate one.mbsd --quantity massmatrix", "there is no 'massmatrix' here (did you mean 'M'? known: M, h, "),
        ("derive one.mbsd --quantity mass", "does not deliver 'mass' here (did you mean 'M'? known: "),
        ("check one.mbsd --set l=2", "did you mean 'L'? known: L, m"),
        ("check one.mbsd --claims kinetic_enrgy", "did you mean 'kinetic_energy'? known: all, "),
        ("check one.mbsd --state state.json", "did you mean 'z1'? known: z1"),
        (
            "simulate one.mbsd --until 1 --state z1=0.1",
            "z1=0.1: error: No such file or directory (write this text into ",
        ),
        ('evaluate one.mbsd --state {"q":{"z1":1}}', "No such file or directory (write this text into a file"),
        ("check one.mbsd --set ./m=1/2", "m=1/2: error: No such file or directory (write this text into a file"),
        ("check one.mbsd --set ./m=2.toml", "m=2.toml: error: No such file or directory (name a file that can "),
        ("check one.mbsd --set ./m=2/a.toml", "No such file or directory (there is no folder m=2"),
        ("check one.mbsd --set ./l=3", "l=3: error: Is a directory (name a file that can be read)"),
        ("check stage.usda", "stage.usda:1:1: error: the text does not begin with #usda (name the format with --from)"),
        ("check https://example.org/a.mbsd", "an address is not read (download it, and name the file)"),
    ],
)
def test_a_slip_is_answered(run: Run, command: str, answer: str) -> None:
    found = run(*command.split())
    assert found.code == 2 and answer in found.err, found.err


@pytest.mark.parametrize("command", ["derive", "evaluate", "check"])
@pytest.mark.parametrize("option", ["--formalism", "--formalisms"])
def test_one_or_several_formalisms_are_asked_for_by_either_word(run: Run, command: str, option: str) -> None:
    assert run(command, "one.mbsd", option, "lagrange").code == (3 if command == "check" else 0)


@pytest.mark.parametrize(
    ("name", "known", "likely"),
    [
        ("Lagrange", ["lagrange"], "lagrange"),
        ("q", ["z1", "z2"], ""),
        ("x", [], ""),
        ("z11", ["z1", "y"], "z1"),
        ("Mass_Matrix", ["M", "h"], "M"),
        ("MassMatrix", ["M", "h"], "M"),
        ("mass", ["M", "center_of_mass"], "M"),
        ("rnea", ["M", "inverse_dynamics"], "inverse_dynamics"),
        ("rnea", ["M", "h"], ""),
        ("kinetic", ["kinematics", "kinetic_energy"], "kinetic_energy"),
    ],
)
def test_what_was_meant(name: str, known: list[str], likely: str) -> None:
    assert find_similar(name, known) == likely
    assert among(name, known).startswith("did you mean ") is bool(likely)
    assert among(name, known).endswith("known: " + (", ".join(known) or "none"))
