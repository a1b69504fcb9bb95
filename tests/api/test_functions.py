"""The functions at top level: what they take for a model, what they give, and that they say no more than they know."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from mbconcord.fixtures import folder
from mbconcord.model.diagnostics import (
    DisagreementError,
    FormalismError,
    MbconcordError,
    ModelError,
    NumbersError,
    ReadError,
    WriteError,
)
from mbconcord.model.evaluation import evaluate_derivation
from mbconcord.model.limits import MOST_ROWS, html_table
from mbconcord.model.omission import Omission

from ..cli.commands import Run, runner

PENDULUM = folder() / "mbsd" / "double_pendulum.mbsd"
CRANK = folder() / "native" / "slider_crank.mbs.json"
MODELS: dict[str, Any] = {
    "path": PENDULUM,
    "name": str(PENDULUM),
    "reading": mb.read(PENDULUM),
    "text": mb.read(text=PENDULUM.read_text("utf-8"), format="mbsd"),
    "system": mb.read(PENDULUM).system,
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_model_is_taken_in_every_form(model: Any) -> None:
    assert mb.check(model, states=2, formalisms=["lagrange", "newton_euler"]).verdict == "agrees"
    assert np.array_equal(mb.evaluate(model)["M"], mb.evaluate(PENDULUM)["M"])


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (3, ReadError, ("found int", "expected a path")),
        (None, ReadError, ("found NoneType",)),
        ("z i\ng", ReadError, ("a text where a path", "read(text=")),
        ("no_such.mbsd", ReadError, ("no_such.mbsd", "No such file")),
        ("arm.urdf", mb.MbconcordError, ("arm.urdf",)),
    ],
)
def test_what_is_no_model_is_refused(model: Any, error: type[Exception], words: tuple[str, ...]) -> None:
    with pytest.raises(error) as caught:
        mb.check(model)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("wrong", [5, b"z i\ng", ["z i"], PENDULUM])
def test_texts_and_programs_of_another_kind_are_refused(wrong: Any) -> None:
    with pytest.raises(ReadError, match=f"text: error: found {type(wrong).__name__}, expected a text"):
        mb.read(text=wrong)
    with pytest.raises(mb.MbconcordError, match=f"against: error: found {type(wrong).__name__}"):
        mb.check(PENDULUM, against=[wrong])


# --- the same as the command line ------------------------------------------------------------------------


@pytest.mark.parametrize("file", [PENDULUM, CRANK], ids=lambda p: p.name)
def test_the_numbers_are_those_of_the_command(file: Path, run: Run) -> None:
    printed = run("evaluate", str(file), "--formalism", "lagrange", "--json").json
    found = mb.evaluate(file)
    names = [name for name in found if name in printed]
    assert {"M", "h", "gravity", "applied", "acceleration"} <= set(names)
    for name in names:
        assert np.array_equal(np.array(printed[name], dtype=float), found[name], equal_nan=True), name
    table = found.to_frame()
    assert [table[name][0] for name in found.coordinates] == printed["q"]


@pytest.mark.slow
def test_the_evidence_is_that_of_the_command(run: Run) -> None:
    printed = run("check", str(PENDULUM), "--states", "3", "--seed", "5", "--json").json
    found = mb.check(str(PENDULUM), states=3, seed=5).to_json()
    for data in (printed, found):
        for formalism in data["formalisms"]:
            formalism.pop("seconds"), formalism.pop("evaluation_seconds")
    assert printed.pop("assumes")  # the command's alone
    assert found == printed


# --- check and compare ------------------------------------------------------------------------------------


def test_states_may_be_given_to_a_check() -> None:
    found = mb.check(PENDULUM, states=np.array([[0.1, 0.2, 0.3, 0.4], [1.0, 2.0, 3.0, 4.0]]), claims=())
    assert [s.q for s in found.states] == [{"z1": 0.1, "z2": 0.2}, {"z1": 1.0, "z2": 2.0}]
    assert found.verdict == "agrees"


def with_contacts() -> mb.System:
    """The pendulum, of which a reader left out what acts."""
    left_out = tuple(Omission(f"forces/foot{i}", "contact", "a contact", "forces") for i in (1, 2))
    return replace(mb.read(PENDULUM).system, omissions=left_out)


def test_a_verdict_says_what_it_leaves_out() -> None:
    model, few = with_contacts(), {"states": 1, "claims": (), "formalisms": ["lagrange", "newton_euler"]}
    found = mb.check(model, **few)
    assert found.verdict == "agrees in part" and not found.stands
    for shown in (
        repr(found),
        found._repr_html_(),
        repr(found.system),
        repr(mb.evaluate(model)),
        repr(mb.compile(model)()),
    ):
        assert "without 2 contacts" in shown
    assert mb.check(model, **few, accept_omissions={"contact": 2}).stands
    assert not mb.check(model, **few, accept_omissions={"contact": 3}).stands
    for call in (mb.check, lambda m, **k: mb.compare(m, m, **k), lambda m, **k: mb.convert(m, to="native", **k)):
        with pytest.raises(mb.MbconcordError, match="did you mean 'contact'"):
            call(model, accept_omissions={"contacts": 2})


def test_a_single_witness_is_no_agreement() -> None:
    found = mb.check(PENDULUM, states=1, formalisms=["lagrange"], claims=())
    assert found.verdict == "not checked" and "not checked" in repr(found)
    assert set(found.to_frame()["verdict"]) == {"not checked"}


def test_another_machine_is_told() -> None:
    text = PENDULUM.read_text("utf-8").replace("i g", "i1.001 g")
    found = mb.compare(PENDULUM, mb.read(text=text, format="mbsd"), states=2)
    assert found.verdict == "disagrees" and "not the same machine" in repr(found)
    assert "disagrees" in found._repr_html_() and "disagrees" in set(found.to_frame()["verdict"])
    same = mb.compare(PENDULUM, mb.read(PENDULUM), states=2, parameters={"i2": 0.75})
    assert same.verdict == "agrees" and all(s.parameters == {} for c in same.comparisons if (s := c.state))


@pytest.mark.parametrize(
    "call", [lambda p: mb.check(PENDULUM, parameters=p), lambda p: mb.compare(PENDULUM, PENDULUM, parameters=p)]
)
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"m9": 1}, "no such parameter"), ({"m1": float("nan")}, "not a finite number"), ({"m1": "2kg"}, "m1"),
        ({"m1": None}, "not a number"), ({"m1": True}, "not a number"),
    ],
)  # fmt: skip
def test_values_that_are_none_are_refused(call: Any, values: dict[str, Any], words: str) -> None:
    with pytest.raises(NumbersError, match=words):
        call(values)


# --- derive ------------------------------------------------------------------------------------------------


def test_equations_are_rendered_and_saved(tmp_path: Path) -> None:
    found = mb.derive(PENDULUM, "newton_euler")
    for suffix, words in {
        ".txt": "gravity[z1]",
        ".tex": r"\cos",
        ".py": "def quantities",
        ".c": "double",
        ".json": "{",
    }.items():
        written = found.save(tmp_path / f"equations{suffix}").read_text("utf-8")
        assert words in written
    namespace: dict[str, Any] = {"__name__": "equations"}
    exec((tmp_path / "equations.py").read_text("utf-8"), namespace)
    state = [0.3, -0.2], [0.5, 0.7]
    numbers = namespace["quantities"](0.0, *state)
    expected = mb.evaluate(PENDULUM, *state, formalism="newton_euler")
    assert all(np.allclose(numbers[name], expected[name], rtol=1e-13) for name in ("M", "h", "gravity"))
    for wrong in (
        lambda: found.save(tmp_path / "a.doc"),
        lambda: found.save(tmp_path / "no" / "a.c"),
        lambda: found.render("C"),
    ):
        with pytest.raises(WriteError):
            wrong()


def test_equations_are_tables_of_names_and_formulas() -> None:
    table = mb.derive(PENDULUM).to_frame("M")
    assert list(table.columns) == ["name", "formula"]
    assert set(table["name"]) >= {"M[z1, z1]", "M[z2, z2]"} and not table["formula"].str.contains("=").any()


def test_parameters_stay_symbols_of_equations() -> None:
    found = mb.derive(PENDULUM, parameters={"m1": 7})
    assert "m1" in found.render(quantities="M")
    assert [str(p.value) for p in found.system.parameters if p.name == "m1"] == ["7"]


def test_a_formalism_says_why_it_does_not_take_a_model() -> None:
    with pytest.raises(FormalismError, match="static_moments does not take"):
        mb.derive(CRANK, "static_moments")
    assert {"D", "γ̃"} <= set(mb.derive(CRANK).derivation.native)


# --- convert -----------------------------------------------------------------------------------------------


def test_a_conversion_is_proved_and_lists_its_losses(tmp_path: Path) -> None:
    found = mb.convert(PENDULUM, tmp_path / "arm.mbs.json", verify=True)
    assert found.format == "native" and found.verification and found.verification.verdict == "agrees"
    assert mb.compare(PENDULUM, tmp_path / "arm.mbs.json").verdict == "agrees"
    lossy = mb.convert(PENDULUM, to="tp")
    assert lossy.losses and len(lossy.to_frame()) == len(lossy.losses) and "not verified" in repr(lossy)
    with pytest.raises(WriteError, match="would be lost"):
        mb.convert(PENDULUM, tmp_path / "strict.tp.csv", strict=True)
    assert not (tmp_path / "strict.tp.csv").exists()
    with pytest.raises(mb.MbconcordError, match="neither a format nor a file"):
        mb.convert(PENDULUM)


@pytest.mark.parametrize(
    "file",
    ["mjcf/hopper.xml", "urdf/arm.urdf", "sdf/arm.sdf", "um/four_bar/input.dat", "mbsd/arm.mbsd", "tp/leg.tp.csv"],
)
def test_a_model_that_is_read_wrongly_is_no_proved_conversion(file: str, tmp_path: Path) -> None:
    """The text of the original is read a second time, where that is possible."""
    (tmp_path / "pendulum.mbs.json").write_text(mb.write(mb.read(PENDULUM), "native").text, encoding="utf-8")
    made = mb.convert(folder() / file, to="native", verify=True)
    assert {c.verdict for c in made.rereading} == {"agrees"}
    first, *others = made.source.system.bodies
    heavier = replace(first, inertia=replace(first.inertia, mass=first.inertia.mass + 1))
    wrong = replace(made.source, system=replace(made.source.system, bodies=(heavier, *others)))
    with pytest.raises(DisagreementError, match="text: inertia"):
        replace(made, source=wrong).verify()
    (alone,) = mb.convert(tmp_path / "pendulum.mbs.json", to="native", verify=True).rereading
    assert alone.verdict == "not checked" and "no second reading" in alone.explanation


def test_what_cannot_be_shown_to_be_the_same_is_not_written(tmp_path: Path) -> None:
    model, out = with_contacts(), tmp_path / "arm.mbs.json"
    with pytest.raises(WriteError, match="not written: the same machine without 2 contacts"):
        mb.convert(model, out, verify=True)
    assert not out.exists()
    assert mb.convert(model, out, verify=True, accept_omissions={"contact": 2}).verification
    assert out.exists()


# --- numbers -----------------------------------------------------------------------------------------------

STATES = np.array([[0.4, -0.3, 0.5, 0.1], [1.2, 0.8, -0.7, 2.0], [0.1, 0.2, 0.3, 0.4]])


def test_numbers_have_the_shapes_that_are_told() -> None:
    many, one = mb.evaluate(PENDULUM, STATES), mb.evaluate(PENDULUM, STATES[1])
    assert {name: x.shape for name, x in many.items()} == {
        "M": (3, 2, 2), "h": (3, 2), "gravity": (3, 2), "applied": (3, 2), "acceleration": (3, 2),
    }  # fmt: skip
    for name, x in one.items():
        assert np.array_equal(x, many[name][1]) and x.shape == many[name].shape[1:]
    assert "inverse_dynamics" in mb.evaluate(PENDULUM, STATES, a=STATES[:, :2])
    with pytest.raises(KeyError, match="did you mean 'gravity'"):
        many["Gravity"]


def test_a_table_has_each_entry_and_goes_back_as_states() -> None:
    found = mb.evaluate(PENDULUM, STATES, t=[0.0, 1.0, 2.0])
    table = found.to_frame()
    assert np.array_equal(table["M[z1, z2]"], found["M"][:, 0, 1])
    assert np.array_equal(table["h[z2]"], found["h"][:, 1])
    again = mb.evaluate(PENDULUM, table[["t", "z1", "z2", "z1'", "z2'"]])
    assert all(np.array_equal(again[name], found[name]) for name in found)


def test_what_has_no_number_is_said() -> None:
    text = "z i(sqrt(z_0)) $2 g ; z_0 = -1"
    found = mb.read(text=text, format="mbsd", physics="ignore")
    with pytest.raises(mb.MbconcordError, match=r"bodies/body1/joint/1: <sqrt\(z_0\)>: math domain error"):
        mb.evaluate(found, [0.1])
    assert mb.evaluate(found, [0.1], parameters={"z_0": 4})["M"] == 8
    pushed = mb.Mechanism("pushed").body("b", mass=2).slides("x", "x").effort("f", "x", "sqrt(x - 1)")
    for numbers in (mb.evaluate(pushed, [[2.0], [0.5], [0.0]]), mb.compile(pushed, "applied")([[2.0], [0.5], [0.0]])):
        assert np.isnan(numbers["applied"]).tolist() == [[False], [True], [True]]
        assert "applied: error: it has no number at state 1 and at 1 more state" in str(numbers.diagnostics[0])
        assert "error" in repr(numbers)


def test_own_numbers_are_compared_entry_by_entry() -> None:
    ours = mb.evaluate(PENDULUM, STATES)
    found = ours.compare({name: ours[name] for name in ("M", "h", "acceleration")})
    assert found.verdict == "agrees" and found.missing == ("gravity", "applied")
    assert "not compared: gravity, applied" in repr(found)
    wrong = ours["h"].copy()
    wrong[1, 0] *= 1 + 1e-9
    found = ours.compare({"M": ours["M"], "h": wrong})
    assert found.verdict == "disagrees"
    (worst,) = (c for c in found.comparisons if c.verdict == "disagrees")
    assert (worst.quantity, worst.entry) == ("h", ("z1",)) and worst.state and worst.state.q["z1"] == 1.2
    assert "disagrees" in found._repr_html_() and list(found.to_frame()["verdict"]) == ["agrees", "disagrees"]


def test_printed_numbers_are_allowed_their_last_digit_and_no_more() -> None:
    ours = mb.evaluate(PENDULUM, STATES)
    printed = np.array([[[float(f"{x:.4g}") for x in row] for row in m] for m in ours["M"]])
    assert ours.compare({"M": printed}).verdict == "disagrees"
    assert ours.compare({"M": printed}, digits=4).verdict == "agrees"
    printed[0, 0, 0] += 0.01
    assert ours.compare({"M": printed}, digits=4).verdict == "disagrees"


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({}, "nothing to compare"), ({"H": 1.0}, "did you mean 'h'"), ({"M": [1.0]}, r"expected \(3, 2, 2\)"),
        ({"M": "a"}, "not an array of numbers"),
    ],
)  # fmt: skip
def test_own_numbers_that_do_not_fit_are_refused(own: dict[str, Any], words: str) -> None:
    with pytest.raises(NumbersError, match=words):
        mb.evaluate(PENDULUM, STATES).compare(own)


def test_zeros_alone_are_no_agreement() -> None:
    ours = mb.evaluate(PENDULUM, STATES)
    assert ours.compare({"applied": np.zeros((3, 2))}).verdict == "not checked"


# --- shown -------------------------------------------------------------------------------------------------


@cache
def results() -> dict[str, Any]:
    found = mb.read(PENDULUM)
    return {
        "reading": found,
        "system": found.system,
        "check": mb.check(found, states=1, claims=()),
        "equations": mb.derive(found),
        "derivation": mb.derive(found).derivation,
        "comparison": mb.compare(found, found, states=1),
        "sameness": mb.compare(found.system, found.system, states=1),
        "conversion": mb.convert(found, to="um"),
        "numbers": mb.evaluate(found),
        "agreement": mb.evaluate(found).compare({"M": mb.evaluate(found)["M"]}),
        "compiled": mb.compile(found),
        "mechanism": mb.Mechanism("arm").body("b"),
    }


def test_every_result_shows_itself_in_a_line() -> None:
    shown = {name: repr(value) for name, value in results().items()}
    assert {name: text for name, text in shown.items() if len(text) > 160 or "\n" in text} == {}
    assert all(text.startswith("<") and text.endswith(">") for text in shown.values())
    assert shown["check"] == "<Check of double_pendulum: agrees, 7 witnesses, 6 quantities>"


@pytest.mark.parametrize(
    "name", ["reading", "system", "check", "equations", "comparison", "conversion", "numbers", "agreement"]
)
def test_in_a_notebook_it_is_a_table(name: str) -> None:
    text = results()[name]._repr_html_()
    assert text.startswith("<div>") and text.count("<table>") == 1 and text.count("<tr>") > 1


def test_what_a_model_says_is_no_html() -> None:
    hostile = mb.Mechanism("<script>").body("<b>&").turns("q", "z").build()
    assert "<script>" not in hostile._repr_html_() and "&lt;b&gt;&amp;" in hostile._repr_html_()
    long = html_table("t", ("a",), ((i,) for i in range(MOST_ROWS + 7)))
    assert long.count("<tr>") == MOST_ROWS + 1 and "and 7 more rows" in long


def test_a_large_model_is_shown_at_once() -> None:
    found = mb.derive(folder() / "robots" / "panda.mbsd")
    assert "multiplications" in found._repr_html_() and len(found._repr_html_()) < 20_000


def test_a_report_is_saved_in_the_form_of_its_suffix(tmp_path: Path) -> None:
    found = mb.check(PENDULUM, states=1, claims=())
    assert '"agrees"' in found.save(tmp_path / "a.json").read_text("utf-8")
    with pytest.raises(mb.MbconcordError, match="no report has this suffix"):
        found.save(tmp_path / "a.doc")


@pytest.mark.parametrize(
    "call", [mb.check, mb.evaluate, mb.compile, mb.derive, lambda m, **k: mb.convert(m, to="um", **k)]
)
def test_impossible_bodies_are_refused_with_their_place(call: Any) -> None:
    reading = mb.read(text="z i2 $-1 g", format="mbsd", physics="ignore")
    with pytest.raises((ReadError, ModelError), match="-:1:6: error: bodies/body1/inertia/mass"):
        call(reading)
    assert call(reading, physics="ignore")


def test_the_derivation_is_that_of_the_formalism() -> None:
    found = mb.derive(PENDULUM)
    numbers = evaluate_derivation(found.derivation, mb.evaluate(PENDULUM, STATES).given.states())
    assert np.array_equal(numbers.quantities["h"], mb.evaluate(PENDULUM, STATES)["h"])


@pytest.mark.parametrize("policy", ["errors", 1])
def test_an_unknown_policy_of_inertias_is_refused(policy: Any) -> None:
    """It acted as "ignore"."""
    with pytest.raises(MbconcordError, match=r"physics: error: found .*error, warn, ignore"):
        mb.read(text="z i2 $-1 g", format="mbsd", physics=policy)


@pytest.mark.parametrize("given", [Path("x.urdf"), 1, ("urdf",)])
def test_a_format_that_is_no_name_is_refused(given: Any) -> None:
    with pytest.raises(MbconcordError, match=r"format: error: found .*, expected a name .one of native, "):
        mb.write(mb.read(text="z i2 $1 g", format="mbsd").system, given)
