"""Forms of a formalism: chosen by name or --form, refused where unknown, and one witness all together."""

from __future__ import annotations

import json

import pytest

from mbconcord.cli import main
from mbconcord.formalisms.interface import Formalism
from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.registry import BUILT_IN, formalism, in_form, names
from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.model import MbconcordError
from mbconcord.validation.check import check
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.strategies.special_trees import planar_system

PLANE = "zi > zi g"
#: The second joint turns about another direction.
SPACE = "zi > yi g"


@pytest.fixture
def model(tmp_path, request):
    path = tmp_path / "model.mbsd"
    path.write_text(getattr(request, "param", PLANE), encoding="utf-8")
    return str(path)


# --- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_asked_for_by_name(form):
    asked = formalism(f"telegin:{form}")
    assert (asked.name, asked.form) == ("telegin", form)
    assert formalism("telegin").form is None, "the formalism itself is left as it was"
    assert Telegin(None, "angles").in_form(form).leaves == "angles"
    assert asked.derive(planar_system(3, 3)).quantities == Telegin(form).derive(planar_system(3, 3)).quantities


def test_a_form_is_added_to_the_formalism_that_has_it():
    expected = tuple("telegin:rud" if name == "telegin" else name for name in names())
    assert in_form(names(), "rud") == expected
    assert in_form(["telegin:rud", "lagrange"], "rud") == ("telegin:rud", "lagrange")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: formalism("telegin:rut"), "telegin has no form 'rut' (did you mean 'rud'? known: rud, absolute, "),
        (lambda: formalism("lagrange:rud"), "lagrange has no form 'rud' (lagrange has no forms to choose)"),
        (lambda: formalism("telegen:rud"), "there is no formalism 'telegen'"),
        (lambda: in_form(["lagrange"], "rud"), "lagrange: no form 'rud' (telegin has it; known: telegin: rud, "),
        (lambda: in_form(["telegin:matrix"], "rud"), "telegin:matrix and the form rud exclude one another"),
    ],
)
def test_unknown_forms_are_refused(ask, message):
    with pytest.raises(MbconcordError) as refused:
        ask()
    assert message in str(refused.value)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_formalism_says_which_forms_it_has(name):
    assert formalism(name).forms == {"telegin": FORMS, "flexible": ("full", "frozen")}.get(name, ())
    assert len(set(formalism(name).forms)) == len(formalism(name).forms)


# --- one witness -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        [Telegin("rud"), Telegin("matrix")],
        [Telegin(), Telegin("rud")],
        ["telegin:rud", "telegin:spatial", "lagrange"],
        ["lagrange", "lagrange"],
        [Lagrange(), Lagrange()],
    ],
)
def test_two_forms_of_one_formalism_are_not_two_witnesses(asked):
    with pytest.raises(MbconcordError, match=r"is asked for twice.*forms of one formalism are one witness"):
        check(planar_system(3, 3), formalisms=asked, states=1)


def test_a_form_alone_is_not_confirmed_by_itself():
    found = check(planar_system(3, 3), formalisms=["telegin:rud"], states=1)
    assert found.verdict == "not checked"
    compared = {c.explanation for c in found.comparisons if not c.claim}
    assert compared == {"only telegin delivers it; two are needed"}


def test_what_a_form_gives_is_compared_under_the_formalism_s_name():
    """The wrong equation of one form is found by another formalism, and its name is that of the formalism."""
    drawn = draw(planar_system(3, 3), 2, 1)
    made = trial(drawn.system, drawn.states, [Lagrange(), formalism("telegin:rud")])
    assert list(made.evaluations) == ["lagrange", "telegin"]
    (_, witness) = made.witnesses
    assert (witness.name, witness.form, witness.full_name) == ("telegin", "rud", "telegin:rud")
    assert witness.to_json()["form"] == "rud" and witness.title.endswith(", form rud")


def test_forms_are_open_to_other_formalisms():
    class Own(Lagrange):
        name = "own"
        forms = ("short", "long")

    own: Formalism = Own()
    assert own.in_form("long").form == "long" and own.form is None


# --- the command line ------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_derived_evaluated_and_checked(form, model, capsys):
    assert main(["derive", model, "--formalism", "telegin", "--form", form, "--quantity", "M"]) == 0
    assert "M[z1, z1] = " in capsys.readouterr().out
    values = []
    for name, more in (("telegin", ["--form", form]), (f"telegin:{form}", []), ("lagrange", [])):
        assert main(["evaluate", model, "--formalism", name, *more, "--seed", "3", "--json"]) == 0
        values.append(json.loads(capsys.readouterr().out))
    assert values[0] == values[1]
    for quantity in ("h", "gravity", "inverse_dynamics"):
        assert values[0][quantity] == pytest.approx(values[2][quantity], rel=1e-12)
    assert main(["check", model, "--formalisms", ",".join(in_form(names(), form)), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {f["name"]: f["form"] for f in found["formalisms"]} == {
        name: form if name == "telegin" else None for name in names()
    }
    assert any(c["b"] == "telegin" and c["quantity"] == "h" for c in found["pairs"])


def test_forms_print_their_own_coefficients(model, capsys):
    """The letters of the paper tell the forms apart."""
    letters = {"rud": "Jc_2_2", "absolute": "A_2_2", "relative": "R_2_x", "spatial": "N_1_z"}
    for form, letter in letters.items():
        assert main(["derive", model, "--formalism", "telegin", "--form", form]) == 0
        assert f"{letter} = " in capsys.readouterr().out, form


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["derive", "--formalism", "telegin", "--form", "rut"],
            "no form 'rut' (did you mean 'rud'? known: telegin: rud, absolute, ",
        ),
        (["evaluate", "--formalism", "lagrange", "--form", "rud"], "lagrange: no form 'rud'"),
        (["check", "--formalisms", "telegin:rut"], "no form 'rut' (did you mean 'rud'? known: rud, absolute, "),
        (["check", "--formalisms", "lagrange:rud,newton_euler"], "no form 'rud'"),
        (["check", "--formalisms", "telegin:rud,telegin:matrix"], "in the forms rud and matrix"),
        (["check", "--formalisms", "telegin,telegin:rud"], "in the forms of its choice and rud"),
    ],
)
def test_bad_forms_are_bad_input(words, message, model, capsys):
    assert main([words[0], model, *words[1:]]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("model", [SPACE], indirect=True)
def test_a_form_that_cannot_take_the_model(model, capsys):
    """derive and evaluate refuse; in a check the others go on, and the form's obstacle is told."""
    reason = "bodies/body2/joint: the form rud is for parallel axes; this one has another direction"
    for command in ("derive", "evaluate"):
        assert main([command, model, "--formalism", "telegin", "--form", "rud"]) == 2
        assert f"{model}:1:6: error: {reason}" in capsys.readouterr().err
    assert main(["check", model, "--formalisms", ",".join(in_form(names(), "rud"))]) == 0
    printed = capsys.readouterr().out
    assert f"telegin: {reason}" in printed and "telegin  " not in printed
    assert main(["check", model, "--formalisms", "telegin:rud,lagrange"]) == 3


def test_the_command_that_repeats_a_check_asks_for_the_form(model, capsys):
    assert main(["check", model, "--formalisms", "lagrange,telegin:rud"]) == 0
    printed = capsys.readouterr().out
    assert f"reproduce: mbconcord check {model} --formalisms lagrange,telegin:rud --states 10" in printed


def test_formalisms_lists_the_forms(capsys):
    assert main(["formalisms"]) == 0
    assert f"telegin    {', '.join(FORMS)}" in capsys.readouterr().out
    assert main(["formalisms", "--json"]) == 0
    listed = {f["name"]: f["forms"] for f in json.loads(capsys.readouterr().out)["formalisms"]}
    assert listed == {name: list(formalism(name).forms) for name in names()}
