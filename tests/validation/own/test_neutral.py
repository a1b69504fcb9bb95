"""The neutral file of own equations: written, read back, checked; every broken file is told its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord import MbconcordError
from mbconcord.cli import main

MODEL = "z(q1) $(m)[0,m*l^2,m*l^2]{l,0} #bob ; g(g)i; m=2,l=0.7,g=9.81"
EQUATIONS: dict[str, Any] = {
    "format": "mbconcord equations", "version": 1, "source": "by hand", "q": ["q1"], "M": [["m*l^2"]],
    "forcing": ["-m*g*l*sin(q1)"],
}  # fmt: skip
FEW = ("lagrange", "newton_euler")


def write(folder: Path, **changes: Any) -> str:
    """Write equations with changes; None takes a key away."""
    data = {key: value for key, value in (EQUATIONS | changes).items() if value is not None}
    (folder / "mine.eqs.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    return f"eqs:{folder / 'mine.eqs.json'}"


def check(against: str, **options: Any) -> Any:
    """Check by two formalisms."""
    model = mbconcord.read(text=MODEL, format="mbsd")
    return mbconcord.check(model, against=against, formalisms=FEW, states=3, **options)


def test_formulas_of_a_file_are_proved_or_told_apart(tmp_path: Path) -> None:
    found = check(write(tmp_path))
    assert found.verdict == "agrees"
    assert {c.exact.kind for c in found.comparisons} == {"identical"}
    assert found.to_json()["against"]["own"]["kind"] == "by hand"
    found = check(write(tmp_path, forcing=["m*g*l*sin(q1)"]))
    assert found.verdict == "disagrees"
    assert found.to_json()["against"]["own"]["entries"]["gravity"] == [["q1'"]]


def test_names_are_told_by_the_file_or_beside_it(tmp_path: Path) -> None:
    other = {"q": ["a"], "forcing": ["-m*g*l*cos(a) + F*b"], "inputs": {"F": "0"}, "symbols": {"b": "l"}}
    assert check(write(tmp_path, **other, coordinates={"q1": "a + pi/2"})).verdict == "agrees"
    assert check(write(tmp_path, **other), coordinates={"q1": "a + pi/2"}).verdict == "agrees"
    assert check(write(tmp_path, **other), coordinates={"q1": "a"}).verdict == "disagrees"
    with pytest.raises(MbconcordError, match="q1 of the model is none of a"):
        check(write(tmp_path, **other))
    with pytest.raises(MbconcordError, match="found 'L' in your equations; the model has g, l, m"):
        check(write(tmp_path, M=[["m*L^2"]]))


def test_speeds_of_their_own_and_rates_inside_formulas(tmp_path: Path) -> None:
    half = {"u": ["w"], "qdot": ["2*w"], "M": [["2*m*l^2"]], "forcing": ["-m*g*l*sin(q1) + q1' - 2*w"]}
    found = check(write(tmp_path, **half))
    assert found.verdict == "agrees"
    assert check(write(tmp_path, **half | {"M": [["m*l^2"]]})).verdict == "disagrees"


def test_what_is_written_is_read_back_the_same(tmp_path: Path) -> None:
    pytest.importorskip("sympy", reason="SymPy is not installed")
    from .derivations import ABSOLUTE, PENDULUM, pendulum
    from .test_constraints import kane, sled

    model = mbconcord.read(text=PENDULUM, format="mbsd")
    file = tmp_path / "kane.eqs.json"
    for source, machine, told in ((pendulum(), model, ABSOLUTE), (kane(), sled(), {})):
        mine = mbconcord.own(source, coordinates=told)
        file.write_text(json.dumps(mine.to_json()), encoding="utf-8")
        assert mbconcord.own(f"eqs:{file}") == mine
        found = mbconcord.check(machine, against=f"eqs:{file}", formalisms=FEW, states=3)
        assert found.verdict == "agrees"
    data = mbconcord.own(kane()).to_json()
    data["constraints"] = "2 rows with multipliers"
    file.write_text(json.dumps(data), encoding="utf-8")
    found = mbconcord.check(sled(), against=f"eqs:{file}", formalisms=FEW, states=3)
    assert found.verdict == "not checked"
    assert "left out: your 2 rows with multipliers" in str([c.explanation for c in found.comparisons])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "other"}, r"mine.eqs.json:2:\d+: error: format: found 'other', expected 'mbconcord equations'"),
        ({"version": 2}, r":3:\d+: error: version: found 2, expected 1"),
        ({"forcing": None}, "found no 'forcing' .keys that have to be: format, version, q, M, forcing"),
        ({"forcings": []}, r"forcings: unknown key .did you mean 'forcing'"),
        ({"q": "q1"}, "q: found a string, expected a list"),
        ({"q": [1]}, "q: found a number, expected a text"),
        ({"q": ["q1", "q1"]}, "two of them have one name, or one has that of the time t"),
        ({"q": ["t"]}, "two of them have one name, or one has that of the time t"),
        ({"u": ["q1'"], "qdot": ["2*q1'"]}, "u: found q1' as the name of something else than the rate of q1"),
        ({"qdot": ["2*q1'"]}, "u: found q1' as the name of something else than the rate of q1"),
        ({"q": ["q1", "q1'"], "u": ["a", "b"], "qdot": ["a", "b"]}, "q: found q1' as the name of something else"),
        ({"M": [["m", "0"]]}, "M: M is 1 by 2 and forcing has 1 row .give a row for every speed .q1'."),
        ({"M": [["m"], ["m"]]}, "M is 2 by 1"),
        ({"M": "m"}, "M: found a string, expected a list"),
        ({"M": [["m*"]]}, r"M\[1\]\[1\]: "),
        ({"M": [["1/0"]]}, r"M\[1\]\[1\]: "),
        ({"M": [[2]]}, r"M\[1\]\[1\]: found 2, and 0 outputs of a graph .write a formula as text"),
        ({"M": [[None]]}, r"M\[1\]\[1\]: found null"),
        ({"M": [[1.5]], "graph": {"nodes": [["sym", "m"]], "outputs": [0]}}, r"found 1.5, and 1 output of a graph"),
        ({"graph": {"nodes": [["run", "m"]], "outputs": [0]}}, "graph: row 0 of the graph"),
        ({"forcing": ["-m*q1''"]}, r"forcing\[q1'\]: found q1'' .bring it to the other side"),
        ({"u": ["w"]}, "u: found speeds and no rates by them .give .qdot."),
        ({"u": ["w"], "qdot": ["w", "w"]}, "qdot: found 2 formulas for 1 coordinate"),
        ({"coordinates": {"q1": 2}}, "coordinates/q1: found a number, expected a text"),
        ({"velocity_rows": {"B": [["1", "1"]], "c": ["0"], "A": [[]]}}, r"velocity_rows: B, c and A have 1, 1 and 1"),
        ({"velocity_rows": {"B": [["1"]], "c": ["0"]}}, "velocity_rows: found no 'A'"),
        ({"notes": {}}, "notes: found an object, expected a list"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(MbconcordError, match=words):
        mbconcord.own(write(tmp_path, **changes))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"M": NaN}', "JSON has finite numbers alone"),
        ('{"M": [], "M": []}', "M"),
        ("[1]", "found a list, expected an object"),
        ("", "found the end of the text"),
        (b"\xff\xfe", "no text in UTF-8"),
        (None, "No such file"),
    ],
)
def test_what_is_no_file_of_equations_is_refused(text: str | bytes | None, words: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.eqs.json"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(MbconcordError, match=words):
        mbconcord.own(f"eqs:{file}")


def test_nothing_of_a_file_is_run_and_nothing_is_told_twice(tmp_path: Path) -> None:
    with pytest.raises(MbconcordError, match="found"):
        check(write(tmp_path, M=[["__import__('os').system('exit')"]]))
    with pytest.raises(MbconcordError, match="found q, u or qdot beside 'eqs:"):
        mbconcord.own(write(tmp_path), q=["q1"])
    with pytest.raises(MbconcordError, match="bodies: error: found beside own equations"):
        check(write(tmp_path), bodies={"bob": "bob"})


def test_the_command_line_takes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.mbsd").write_text(MODEL, encoding="utf-8")
    model, few = str(tmp_path / "arm.mbsd"), ("--formalisms", ",".join(FEW), "--states", "3")
    assert main(["check", model, *few, "--against", write(tmp_path)]) == 0
    assert "agrees" in capsys.readouterr().out
    wrong = write(tmp_path, q=["a"], forcing=["-m*g*l*sin(2*a)"])
    assert main(["check", model, *few, "--against", wrong, "--map", "coordinates:q1=a"]) == 1
    printed = capsys.readouterr().out
    assert "gravity[a'] of yours and of lagrange are different functions" in printed
    assert main(["check", model, *few, "--against", wrong]) == 2
    assert "q1 of the model is none of a" in capsys.readouterr().err
    assert main(["check", model, *few, "--against", write(tmp_path, forcing=["-1e400*sin(q1)"])]) == 1
    assert "E+400" in capsys.readouterr().out
    assert main(["check", model, *few, "--against", write(tmp_path, M=[["m", "0"]])]) == 2
    assert "mine.eqs.json:" in capsys.readouterr().err
    assert main(["check", model, model, *few, "--against", write(tmp_path)]) == 2
    assert main(["check", model, *few, "--against", write(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["against"]["own"]["kind"] == "by hand"


def test_the_command_line_takes_what_is_said_of_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bob, its angle a, in another's names; ``x`` is a way that the author does not have."""
    model, few = tmp_path / "arm.mbsd", ("--formalisms", ",".join(FEW), "--states", "3")
    model.write_text(MODEL, encoding="utf-8")
    mine = write(tmp_path, M=[["J"]], forcing=["-m*g*L*sin(q1) + F"])
    line = ["check", str(model), *few, "--against", mine]
    told = ["--map", "symbols:J=m*l^2,L=atan2(sin(l), cos(l))", "--map", "inputs:F=0"]
    assert main([*line, *told, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["against"]["own"]
    assert said["symbols"] == {"J": "m*l^2", "L": "atan2(sin(l), cos(l))"}
    assert said["inputs"] == {"F": "0"}
    assert main([*line, "--map", "symbols:J=2*m*l^2,L=l", *told[2:], "--report", str(tmp_path / "out.md")]) == 1
    assert "--map 'symbols:J=2*m*l^2,L=l' --map inputs:F=0" in (tmp_path / "out.md").read_text(encoding="utf-8")
    capsys.readouterr()
    rolling = write(tmp_path, q=["th"], u=["w"], qdot=["w"], M=[["3*m*R^2/2"]], forcing=["0"])
    model.write_text("u(x) z(th) $(m)[0,0,m*R^2/2] #disc ; m=2, R=0.3", encoding="utf-8")
    assert main(["check", str(model), *few, "--against", rolling, "--map", "rates:x=-R*w", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["against"]["matching"]["coordinates"] == {"x": "-R*w"}
    assert {c["verdict"] for c in found["pairs"] if c["quantity"] == "M"} == {"agrees"}


def test_a_file_says_the_same_of_names_as_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, few = tmp_path / "arm.mbsd", ("--formalisms", ",".join(FEW), "--states", "3")
    model.write_text(MODEL, encoding="utf-8")
    line = ["check", str(model), *few, "--against", write(tmp_path, M=[["J"]], forcing=["-m*g*L*sin(q1) + F"])]
    (tables := tmp_path / "names.toml").write_text('[symbols]\nJ = "m*l^2"\nL = "l"\n[inputs]\nF = 0\n', "utf-8")
    assert main([*line, "--map", str(tables), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["against"]["own"]
    assert (said["symbols"], said["inputs"]) == ({"J": "m*l^2", "L": "l"}, {"F": "0"})
    assert main([*line, "--map", str(tables), "--report", str(tmp_path / "out.md")]) == 0
    assert f"--map {tables}" in (tmp_path / "out.md").read_text(encoding="utf-8")
    assert main([*line, "--map", str(tables), "--map", "inputs:F=1"]) == 2
    assert "--map inputs: error: F is 0, and 1 (name it once)" in capsys.readouterr().err
    assert main(["check", str(model), "--map", str(tables)]) == 2
    assert "--map symbols: error: found no --against" in capsys.readouterr().err
    both = ["--map", "symbols:J=m*l^2", "--map", "symbols:L=l", "--map", "inputs:F=0"]
    assert main([*line, *both, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["against"]["own"]
    assert (again["symbols"], again["inputs"]) == (said["symbols"], said["inputs"])
    assert main([*line, "--map", ""]) == 2
    assert "No such file or directory" in capsys.readouterr().err
    tables.write_text('[symbols]\nJ = "2*m*l^2"\nL = "l"\n[inputs]\nF = 0\n', "utf-8")
    assert main([*line, "--map", str(tables)]) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[symbol]\nJ = 1", "names.toml:1:1: error: found 'symbol', expected a table of names .did you mean 'symbols'"),
        ("symbols = 'J'", "names.toml:1:1: error: found symbols = 'J', expected a table of names"),
        ("[symbols]\nJ = [1]", r"names.toml:2:1: error: found J = \[1\], expected a formula in quotes"),
        ("[symbols]\nJ = true", "names.toml:2:1: error: found J = True"),
        ("[symbols\nJ = 1", "names.toml:1:9: error: no TOML: .*write tables"),
        ("[symbols]\nJ = 1" + "0" * 5000, "names.toml:1:1: error: no TOML: "),
        ("[symbols]\nJ = 0x1" + "0" * 5000, "names.toml:1:1: error: no TOML: "),
        ("[symbols]\n# b\nJb = 1\nb = []", r"names.toml:4:1: error: found b = \[\], expected a formula in quotes"),
    ],
    ids=["unknown", "no_table", "list", "truth", "no_toml", "digits", "hexadecimal digits", "place"],
)  # fmt: skip
def test_a_file_of_names_that_cannot_be_read_is_refused(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.mbsd").write_text(MODEL, encoding="utf-8")
    (tmp_path / "names.toml").write_text(text, encoding="utf-8")
    line = ["check", str(tmp_path / "arm.mbsd"), "--against", write(tmp_path), "--map", str(tmp_path / "names.toml")]
    assert main(line) == 2
    assert re.search(words, capsys.readouterr().err)


SQUARE = "--map", "symbols:J=m*l^2"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (["--map", "symbols:J=m*l^2,K=1"], "symbols/K: error: no parameter or input of .*known: F, J, g, l, m"),
        (["--map", "symbols:J=m*r^2"], "symbols/J: error: found 'r' in its formula .*known: g, l, m"),
        (["--map", "inputs:Fx=0", *SQUARE], "inputs/Fx: error: no parameter .* mean 'F'. known: F, J, g"),
        (["--map", "inputs:F=f", *SQUARE], "inputs/F: error: found 'f' in its formula .*known: g, l, m"),
        (["--map", "inputs:F=0", "--map", "rates:y=q1'", *SQUARE], "rates/y: error: expected a coordinate of the"),
        (["--map", "symbols:J=m*l^2"], "symbols: error: found 'F' in your equations; the model has g, l, m .*say what"),
        (["--map", "symbols:J"], "--map symbols: error: found 'J', expected one=other"),
        (["--map", "inputs:F=0,F=1"], "--map inputs: error: F is named twice"),
        (["--map", "bodies:bob=bob"], "bodies: error: found beside own equations"),
        (["--map", "symbol:J=1"], "--map: error: found 'symbol:J=1', .*did you mean 'symbols'. known: coordinates"),
        (["--map", "J=1"], "found 'J=1', expected TABLE:A=B or FILE.toml .known: coordinates, rates, symbols"),
        (["--map", "inputs:F=1", "--map", "inputs:F=2"], "--map inputs: error: F is 1, and 2 .name it once"),
    ],
)  # fmt: skip
def test_names_on_the_command_line_that_do_not_match_are_told(
    told: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.mbsd").write_text(MODEL, encoding="utf-8")
    mine = write(tmp_path, M=[["J"]], forcing=["-m*g*l*sin(q1) + F"])
    assert main(["check", str(tmp_path / "arm.mbsd"), "--against", mine, *told]) == 2
    assert re.search(words, capsys.readouterr().err)


@pytest.mark.parametrize("option", ["rates", "symbols", "inputs"])
@pytest.mark.parametrize("against", [(), ("--against", "sympy"), ("--against", "um:folder")])
def test_names_of_own_equations_are_said_beside_some(
    option: str, against: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "arm.mbsd").write_text(MODEL, encoding="utf-8")
    assert main(["check", str(tmp_path / "arm.mbsd"), *against, "--map", f"{option}:a=b"]) == 2
    assert f"--map {option}: error: found no --against with equations of your own" in capsys.readouterr().err
