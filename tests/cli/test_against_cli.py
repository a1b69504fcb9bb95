"""``check --against``: prints of positions, sources, exit codes, JSON and reports."""

from __future__ import annotations

import json
import shutil
import tomllib

import pytest

from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.um.equations import read
from mbconcord.model import ModelError
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.reports import render
from mbconcord.reports.text import one_file
from mbconcord.validation.against.programs import check_against

from ..printed import errata_manipulator
from ..validation.witnesses.um.against_models import FIXTURES, PRINT_9, SETS, model, said, text_model


def test_the_print_of_figure_9(tmp_path):
    """Its third row, as the paper has it, is of the other sign."""
    file = tmp_path / "fig9.txt"
    file.write_text(PRINT_9)
    evidence = check_against(text_model("xk"), read(str(file)), states=3)
    (comparison,) = evidence.comparisons
    assert (comparison.verdict, comparison.entry) == ("disagrees", ("body1 z",))
    (terms,) = comparison.terms
    assert [(t.monomial, t.first, t.second) for t in terms.terms] == [("k1*cos(x1)", -1, 1)]
    file.write_text(PRINT_9.replace("-_c1", "_c1"))
    assert check_against(text_model("xk"), read(str(file)), states=3).verdict == "agrees"
    assert check_against(text_model("x-k"), read(str(file)), states=3).verdict == "disagrees"


def test_the_print_of_figure_12_differs_where_the_errata_say(tmp_path):
    folder = FIXTURES / "um_prints" / "manipulator_position.toml"
    rows = tomllib.loads(folder.read_text("utf-8"))["fig12"]["rows"]
    lines = []
    for number, row in enumerate(rows, 1):
        formula = " ".join(row.split())
        named = "".join(f"_{word}" if word[0].isalpha() else word for word in _words(formula))
        lines.append(f"_bodyposition[{number}] := {named};")
    file = tmp_path / "fig12.txt"
    file.write_text("\n".join(lines))
    given = {"1": "z1", "2": "x1", "3": "x2 + pi/2", "4": "x3", "5": "z2", "6": "z3"}
    evidence = check_against(model("mbsd/arm.mbsd"), read(str(file)), states=3, coordinates=given)
    (comparison,) = evidence.comparisons
    found = {t.entry[0]: {(m.monomial, m.first, m.second) for m in t.terms} for t in comparison.terms}
    expected = {
        f"body6 {axis}": {(d.monomial, d.second, d.first) for d in row}
        for axis, row in zip("xyz", errata_manipulator.manipulator_differences()["fig12"], strict=True)
    }
    assert found == expected
    assert "base" in said(evidence, "um/identifiers")


def _words(formula):
    word = ""
    for sign in formula:
        if sign.isalnum():
            word += sign
            continue
        if word:
            yield word
        word = ""
        yield sign
    if word:
        yield word


def test_a_print_of_more_coordinates_than_the_model_has_is_refused(tmp_path):
    file = tmp_path / "print.txt"
    file.write_text(PRINT_9.replace("_s1", "_s3"))
    with pytest.raises(ModelError, match="uses coordinate 3, the model has 1"):
        check_against(text_model("xk"), read(str(file)))


@pytest.mark.parametrize("source", ["um", "um:", ":x", "mbsd:x", "nothing:x"])
def test_sources_that_name_no_equations(source):
    with pytest.raises(MbconcordError):
        registry.read_equations(source)


PENDULUM = str(FIXTURES / "mbsd" / "zi_zig.mbsd")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}"], 0),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum' / 'C' / '_KPendulum.hpp'}"], 3),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum_wrong'}"], 1),
        ([PENDULUM, "--against", str(SETS / "double_pendulum")], 0),
        ([PENDULUM, "--against", "um:/nowhere"], 2),
        ([PENDULUM, "--against", "native:x"], 2),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}", "--map", "coordinates:1=z2,2=z1"], 1),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}", "--map", "coordinates:1=z1,1=z2"], 2),
        ([PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}", "--map", "coordinates:z1"], 2),
        ([PENDULUM, "--map", "coordinates:1=z1"], 2),
        ([PENDULUM, PENDULUM, "--against", f"um:{SETS / 'double_pendulum'}"], 2),
        ([str(FIXTURES / "mbsd" / "zig.mbsd"), "--against", f"um:{SETS / 'double_pendulum'}"], 2),
    ],
)
def test_exit_codes(arguments, code, capsys):
    assert main(["check", *arguments, "--states", "2", "--formalisms", "lagrange,newton_euler"]) == code
    captured = capsys.readouterr()
    assert ("error: " in captured.err) is (code == 2)


@pytest.mark.parametrize(("source", "code"), [("um", 0), (".", 0), ("C", 0), ("D", 2)])
def test_a_user_of_um_stands_in_the_folder_of_the_model(source, code, monkeypatch, capsys):
    monkeypatch.chdir(SETS / "double_pendulum")
    arguments = ["check", PENDULUM, "--states", "2", "--formalisms", "lagrange,newton_euler"]
    assert main([*arguments, "--against", source]) == code
    assert ("found 'D' (expected um:PATH" in capsys.readouterr().err) is (code == 2)


@pytest.mark.slow
def test_json_and_reports(capsys, tmp_path):
    command = ["check", PENDULUM, "--against", f"um:{SETS / 'double_pendulum_wrong'}", "--json"]
    assert main([*command, "--report", str(tmp_path / "report.html")]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["against"]["matching"] == {"by": "order", "coordinates": {"1": "z1", "2": "z2"}}
    assert data["against"]["bodies"] == {"1": "body1", "2": "body2"}
    (terms,) = {json.dumps(p["terms"]) for p in data["pairs"] if p["quantity"] == "h" and "terms" in p}
    assert json.loads(terms) == [
        {
            "entry": ["z1"],
            "terms": [{"monomial": "i1*i2*m2*z1'*z2'*sin(z2)", "a": -1.0, "b": -2.0}],
            "more": 0,
            "reason": "",
            "location": f"{SETS / 'double_pendulum_wrong' / 'C' / 'EqPendulum.hpp'}:14:5",
            "term_location": f"{SETS / 'double_pendulum_wrong' / 'C' / 'PendulumE.hpp'}:64:7",
        }
    ]
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Against um:" in page
    assert "i1*i2*m2*z1&#39;*z2&#39;*sin(z2)" in page
    evidence = check_against(model("mbsd/zi_zig.mbsd"), read(str(SETS / "double_pendulum_wrong")), PENDULUM)
    for form in ("r.md", "r.xml", "r.json"):
        assert "i1*i2*m2*z1'*z2'*sin(z2)" in render([evidence], form).replace("&#39;", "'")
    shown = one_file(evidence, ["--against", "um:x"])
    assert "h[z1]: um disagrees with lagrange, newton_euler, virtual_work, konoplev, telegin" in shown
    command = next(line for line in shown.splitlines() if "reproduce: " in line)
    assert "um," not in command
    assert "--against um:x" in command


@pytest.mark.slow
def test_a_long_disagreement_is_cut(capsys, tmp_path):
    """Another angle in the driver makes all quantities disagree: three are told whole, the others in a line each."""
    folder = tmp_path / "C"
    shutil.copytree(SETS / "double_pendulum" / "C", folder)
    driver = folder / "AlPendulum.hpp"
    text = driver.read_text("utf-8").replace("_->_s2 = sin( _x[1] );", "_->_s2 = sin( _x[0] );")
    driver.write_text(text, "utf-8")
    command = ["check", PENDULUM, "--against", f"um:{tmp_path}", "--formalisms", "lagrange", "--states", "2"]
    assert main(command) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 90
    whole = [line for line in lines if line.startswith("    scale ")]
    assert len(whole) == 3
    start = lines.index("  more disagreements (all of each: -vv, --json, --report):")
    rest = [line.split("[")[0].strip() for line in lines[start + 1 :][: lines[start:].index("") - 1]]
    assert "body_position" in rest
    assert "body_loads" in rest
    assert any(f"written at {folder / 'EqPendulum.hpp'}:15, first term at" in line for line in lines)
    assert main([*command, "-vv"]) == 1
    verbose = capsys.readouterr().out.splitlines()
    assert len([line for line in verbose if line.startswith("    scale ")]) == 3 + len(rest)
