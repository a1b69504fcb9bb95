"""Each command that prints numbers says what the model leaves out, and ends with 3 until that is accepted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import COMMANDS
from mbconcord.fixtures import folder
from mbconcord.model.omission import ACCEPTABLE, ASSUMED, EFFECTS, KINDS, NAMED, REACHED, Omission

from ..commands import Run, runner

BY = ("--formalism", "lagrange")
#: A command that prints numbers or equations of a model -> its arguments.
VERBS = {
    "derive": BY,
    "export": ("code", *BY, "--force"),
    "evaluate": BY,
    "simulate": ("--until", "0.01"),
    "equilibrium": ("--state", "near.json", "--no-witness"),
    "linearize": ("--at", "rest.json", "--no-witness"),
    "animate": ("motion.csv", "page.html", "--force"),
    "assemble": (),
}
#: The other commands, and why they stay as they are.
OTHERS = {
    "check": "test_omissions_cli", "compare": "test_omissions_cli", "convert": "test_omissions_cli",
    "baseline": "a baseline keeps what is left out, and tells changes of it", "info": "it lists everything",
    "campaign": "it shows verdicts of check", "walk": "a machine with legs: test_a_walking_machine_says_it",
    "formats": "no model", "formalisms": "no model", "completion": "no model", "doctor": "no model",
    "um": "its models are its own", "verify": "certificates: test_a_certificate_says_what_is_left_out",
    "certify": "test_a_certificate_says_what_is_left_out", "view": "it shows what the others print",
}  # fmt: skip
ACCEPT = ",".join(f"{kind}=1" for kind in ACCEPTABLE)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    call = runner(capsys, monkeypatch, tmp_path)
    Path("motion.csv").write_text("t,z1\n0,0\n1,0.1\n", encoding="utf-8")
    Path("near.json").write_text('{"q": {"z1": -1.5}}', encoding="utf-8")
    assert call("equilibrium", "one.mbsd", "--state", "near.json", "--output", "rest.json").code == 0
    return call


def write_model(run: Run, *omissions: Omission) -> None:
    assert run("convert", "one.mbsd", "m.mbs.json", "--force").code == 0
    model = json.loads(Path("m.mbs.json").read_text("utf-8"))
    model["omissions"] = [o.to_json() for o in omissions]
    Path("m.mbs.json").write_text(json.dumps(model), encoding="utf-8")


def test_every_command_is_here() -> None:
    assert {*VERBS, *OTHERS} == {*COMMANDS}


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_every_kind_is_said_by_every_command(run: Run, verb: str) -> None:
    write_model(run, *(Omission(f"{kind}/that", kind, "text", "unknown") for kind in ACCEPTABLE))
    done = run(verb, "m.mbs.json", *VERBS[verb])
    assert done.code == 3
    head = "# left out of the model" if verb == "derive" else "left out of the model:\n"
    assert done.out.startswith(head)
    assert [kind for kind in ACCEPTABLE if f"1 {KINDS[kind][0]}" not in done.out] == []
    assert f"to accept: --accept-omissions {ACCEPT}" in done.out + done.err
    assert run(verb, "m.mbs.json", *VERBS[verb], "--accept-omissions", "contact=1").code == 3
    assert run(verb, "m.mbs.json", *VERBS[verb], "--accept-omissions", ACCEPT).code == 0
    told = run(verb, "m.mbs.json", *VERBS[verb], "--json")
    assert told.code == 3 and told.json["stands"] is False
    assert [o["kind"] for o in told.json["omissions"]] == [*ACCEPTABLE]


LAW = "law of 1 {} assumed {}"


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_an_assumed_law_is_said_by_every_command_and_never_accepted(run: Run, verb: str) -> None:
    write_model(run, Omission("contact/that", "contact", "text", "forces"))
    assert run(verb, "m.mbs.json", *VERBS[verb], "--accept-omissions", "contact=1").code == 0
    for kind in ASSUMED:
        write_model(run, Omission(f"{kind}/that", kind, "text", "unknown"))
        done = run(verb, "m.mbs.json", *VERBS[verb])
        assert (done.code, "left out of the model" in done.out, "to accept" in done.out + done.err) == (3, False, False)
        law = LAW.format(KINDS[kind][0], "by --assume" if kind in NAMED else "as in docs/formats/um.md")
        assert done.out.startswith(f"# {law}" if verb == "derive" else f"assumed:\n  {law}")
        refused = run(verb, "m.mbs.json", *VERBS[verb], "--accept-omissions", f"{kind}=1")
        assert refused.code == 2 and f"unknown kind '{kind}'" in refused.err
        told = run(verb, "m.mbs.json", *VERBS[verb], "--json")
        assert (told.code, told.json["stands"], told.json["left_out"]) == (3, False, {kind: 1})
        write_model(run, Omission("contact/that", "contact", "text", "forces"), Omission(f"{kind}/a", kind, "text"))
        both = run(verb, "m.mbs.json", *VERBS[verb], "--accept-omissions", "contact=1")
        assert both.code == 3 and law in both.out


@pytest.mark.slow
@pytest.mark.parametrize("verb", VERBS)
def test_a_command_says_nothing_of_what_does_not_act(run: Run, verb: str) -> None:
    write_model(run, *(Omission(f"{kind}/that", kind, "text", "none") for kind in KINDS))
    done = run(verb, "m.mbs.json", *VERBS[verb])
    assert done.code == 0 and "left out of the model" not in done.out
    told = run(verb, "m.mbs.json", *VERBS[verb], "--json").json
    assert "omissions" not in told
    # what acts where it is reached is said as the condition on which the numbers hold
    conditional = {} if verb == "assemble" else {kind: 1 for kind in KINDS if kind in REACHED}
    said = {KINDS[kind][0] for kind in conditional}
    assert told.get("where_reached", {}) == conditional
    assert all((f"1 {word}" in done.out) == (word in said) for word, _ in KINDS.values())


#: effect, kind -> quantities that are right although it is left out
RIGHT = {
    ("forces", "joint-friction"): {"M", "h", "gravity"},
    ("forces", "gravity"): {"M", "h"},
    ("inertia", "rotor"): {"applied"},
    ("inertia", "tendon"): set(),
    ("geometry", "block"): set(),
    ("unknown", "block"): set(),
    ("none", "image"): {"M", "h", "gravity", "applied", "acceleration"},
}


def test_every_effect_is_in_the_table() -> None:
    assert {effect for effect, _ in RIGHT} == {*EFFECTS}


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "kind"), RIGHT)
def test_a_quantity_is_narrowed_by_what_acts_on_it_alone(run: Run, effect: str, kind: str) -> None:
    write_model(run, Omission(f"{kind}/that", kind, "text", effect))  # type: ignore[arg-type]
    every = ("M", "h", "gravity", "applied", "acceleration")
    for verb in ("evaluate", "derive", "export"):  # accelerations are numbers alone
        for quantity in every if verb == "evaluate" else every[:4]:
            code = run(verb, "m.mbs.json", *VERBS[verb], "--quantity", quantity).code
            assert (verb, quantity, code) == (verb, quantity, 0 if quantity in RIGHT[effect, kind] else 3)


def test_the_constraints_lack_a_loop_that_is_left_out(run: Run) -> None:
    write_model(run, Omission("closure/that", "closure", "text", "forces"))
    assert run("assemble", "m.mbs.json").code == 3
    write_model(run, Omission("contact/that", "contact", "text", "forces"))
    assert run("assemble", "m.mbs.json").code == 0


@pytest.mark.parametrize("notation", ["text", "latex", "mathml", "python", "c"])
def test_derived_equations_begin_with_a_comment(run: Run, notation: str) -> None:
    write_model(run, Omission("contact/*/-->", "contact", "text", "forces"))
    first = run("derive", "m.mbs.json", *BY, "--output", notation).out.splitlines()[0]
    words = "left out of the model, although it acts on what stands here: 1 contact"
    begin, end = {"c": ("/* ", " */"), "latex": ("% ", ""), "mathml": ("<!-- ", " -->")}.get(notation, ("# ", ""))
    assert first == f"{begin}{words}{end}"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "jax", "casadi"])
def test_each_exported_file_begins_with_it(run: Run, language: str) -> None:
    write_model(run, Omission("contact/foot", "contact", "text", "forces"))
    done = run("export", "m.mbs.json", "code", *BY, "--language", language, "--json")
    assert done.code == 3
    for file in done.json["written"]:
        assert "left out of the model" in Path(file).read_text("utf-8").splitlines()[0]


def test_pages_say_it(run: Run) -> None:
    write_model(run, Omission("contact/foot", "contact", "text", "forces"))
    run("animate", "m.mbs.json", "motion.csv", "a.html")
    run("simulate", "m.mbs.json", "--until", "0.01", "--plot", "b.html")
    for page in ("a.html", "b.html"):
        assert "1 contact, effect on the motion forces: foot" in Path(page).read_text("utf-8")


@pytest.mark.slow
def test_results_of_python_carry_it(run: Run) -> None:
    write_model(run, Omission("contact/foot", "contact", "text", "forces"))
    model = "m.mbs.json"
    at = {"q": [0.1], "v": [0.0]}
    found = {
        "evaluate": mbconcord.evaluate(model, **at),
        "derive": mbconcord.derive(model),
        "export": mbconcord.export(model, "code"),
        "compile": mbconcord.compile(model),
        "simulate": mbconcord.simulate(model, 0.01),
        "linearize": mbconcord.linearize(model, witness=False),
        "equilibrium": mbconcord.equilibrium(model, [-1.5], witness=False),
        "animate": mbconcord.animate(model, {"t": [0, 1], "z1": [0.0, 0.1]}),
    }
    for verb, result in found.items():
        assert (verb, result.left_out.words, result.left_out.stands) == (verb, "1 contact", False)
    assert mbconcord.evaluate(model, **at, quantities="M").left_out.stands


def test_a_walking_machine_says_it(run: Run) -> None:
    assert run("convert", str(folder() / "tp/quadruped.tp.csv"), "m.mbs.json").code == 0
    assert run("walk", "m.mbs.json").code == 0
    model = json.loads(Path("m.mbs.json").read_text("utf-8"))
    for effect, code in (("inertia", 3), ("forces", 0)):
        model["omissions"] = [Omission("block/hip", "block", "text", effect).to_json()]  # type: ignore[arg-type]
        Path("m.mbs.json").write_text(json.dumps(model), encoding="utf-8")
        assert run("walk", "m.mbs.json").code == code


@pytest.mark.slow
def test_a_settings_file_accepts_for_every_command(run: Run) -> None:
    write_model(run, Omission("contact/foot", "contact", "text", "forces"))
    text = '[tool.mbconcord.accept-omissions]\n"m.mbs.json" = { contact = 1 }\n'
    Path("pyproject.toml").write_text(text, encoding="utf-8")
    assert {verb: run(verb, "m.mbs.json", *VERBS[verb]).code for verb in VERBS} == dict.fromkeys(VERBS, 0)
