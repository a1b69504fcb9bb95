"""The command line: exit codes, output, JSON shapes, refusals. Most cases call ``main`` in this process."""

from __future__ import annotations

import importlib
import json
import math
import re
import shlex
import shutil
import sys
from dataclasses import is_dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from mbconcord.api.check import check
from mbconcord.api.interpreted import not_compared
from mbconcord.converters.registry import write
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import names
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.reports.summary import remarks
from mbconcord.validation.judge.evidence import Comparison

from ..formats.format_models import FEATURED
from .commands import DOUBLE, Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("check one.mbsd", 0),
        ("check one.mbsd two.mbsd", 0),
        ("check one.mbsd --formalisms lagrange", 3),
        ("check one.mbsd rod.mbsd", 3),
        ("check rod.mbsd", 3),
        ("check one.mbsd absent.mbsd", 2),
        ("check rod.mbsd absent.mbsd", 2),
        ("check one.mbsd --states 0", 2),
        ("check one.mbsd --formalisms magic", 2),
        ("compare one.mbsd one.mbsd", 0),
        ("compare one.mbsd two.mbsd", 1),
        ("compare one.mbsd one.mbsd --set L=5", 0),
        ("convert one.mbsd out.mbs.json", 0),
        ("convert one.mbsd out.mbs.json --verify --strict", 0),
        ("convert one.mbsd out.unknown", 2),
        ("convert one.mbsd -", 2),
        ("derive one.mbsd --formalism lagrange", 0),
        ("derive one.mbsd --formalism magic", 2),
        ("derive one.mbsd --formalism lagrange --quantity magic", 2),
        ("derive one.mbsd", 0),
        ("derive rod.mbsd --formalism lagrange", 0),
        ("evaluate one.mbsd --formalism newton_euler", 0),
        ("evaluate one.mbsd --formalism newton_euler --seed 3", 0),
        ("evaluate one.mbsd --formalism newton_euler --seed x", 2),
        ("evaluate named.mbsd --formalism newton_euler", 2),
        ("info one.mbsd", 0),
        ("info named.mbsd", 0),
        ("formats", 0),
        ("formalisms", 0),
        ("bench magic", 2),
        ("--version", 0),
        ("--help", 0),
        ("check --help", 0),
        ("", 2),
        ("magic", 2),
        ("check", 2),
        ("check one.mbsd --magic", 2),
        ("check one.mbsd --stat 3", 2),
    ],
)
def test_exit_codes(run: Run, command: str, code: int) -> None:
    done = run(*command.split())
    assert done.code == code, done.out + done.err
    assert "Traceback" not in done.out + done.err
    if code == 2:
        assert done.err.strip()


@pytest.mark.slow
def test_disagreement_is_exit_code_1_and_shows_the_worst_entry(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("mbconcord.api.check")
    honest = module.check_system

    def wrong(*arguments: Any, **named: Any) -> Any:
        evidence = honest(*arguments, **named)
        first = evidence.comparisons[0]
        bad = replace(
            first, verdict="disagrees", discrepancy=0.25, values=(1.0, 1.5), explanation="the referee says so"
        )
        return replace(evidence, comparisons=(bad, *evidence.comparisons[1:]))

    monkeypatch.setattr(module, "check_system", wrong)
    done = run("check", "two.mbsd", "one.mbsd")
    assert done.code == 1
    for text in ("disagree", "M[z", "the referee says so", "state {", "mbconcord check two.mbsd", "2 disagrees"):
        assert text in done.out
    assert run("check", "two.mbsd", "rod.mbsd").code == 1
    assert run("check", "two.mbsd", "absent.mbsd").code == 2


BAD_TEXTS = {
    "grammar": "zi>",
    "reserved": "a z i",
    "binary": "\0\0",
    "empty": "",
    "undefined": "zi(L+)g",
    "negative mass": "zi$(-1)g",
}


COMMANDS = {
    "check": "check bad.mbsd",
    "info": "info bad.mbsd",
    "evaluate": "evaluate bad.mbsd --formalism lagrange",
    "derive": "derive bad.mbsd --formalism lagrange",
    "convert": "convert bad.mbsd out.mbs.json",
}
#: Formulas need no numbers: what is impossible in them is found where they are used.
SYMBOLIC = ("derive", "convert")


@pytest.mark.parametrize(
    ("command", "text"), [(c, t) for c in COMMANDS for t in BAD_TEXTS if not (t == "negative mass" and c in SYMBOLIC)]
)
def test_bad_models_are_refused_with_their_place(run: Run, command: str, text: str) -> None:
    Path("bad.mbsd").write_text(BAD_TEXTS[text], encoding="utf-8")
    before = sorted(Path().iterdir())
    done = run(*COMMANDS[command].split())
    assert done.code == 2
    assert re.search(r"^bad\.mbsd:\d+:\d+: error: .", done.err, re.MULTILINE), done.err
    assert "Traceback" not in done.err
    assert sorted(Path().iterdir()) == before


NUMERIC = ("check one.mbsd", "evaluate one.mbsd --formalism lagrange", "compare one.mbsd one.mbsd")
BAD_NUMBERS = [
    ("--set L", "--set"),
    ("--set =2", "--set"),
    ("--set L=two", "--set"),
    ("--set L=nan", "--set"),
    ("--set L=inf", "--set"),
    ("--set L=1e999", "--set: error: L: '1e999' is beyond the range of floats"),
    ("--set L=1e-400", "--set: error: L: '1e-400' is beyond the range of floats"),
    ("--set L=1_0", "--set: error: L: '1_0' is not a finite number"),
    ("--set L=١", "--set: error: L: '١' is not a finite number"),
    ("--set L=" + "1" * 5000, "is not a finite number"),
    ("--set L=1e" + "9" * 5000, "is not a finite number"),
    ("--set L=1 --set m=3 --set L=2", "--set: error: L: it has a number twice"),
    ("--set X=2", "known: L, m"),
    ("--set m=-1", "one.mbsd:1:"),
    ("--set absent", "--set: error: 'absent' is not name=number, nor a file"),
    ("--set absent.json", "absent.json: error: No such file"),
    ("--set bad.json --set bad.txt", "--set: error: found bad.json, and bad.txt (give one file)"),
    ("--set bad.json", "bad.json:2:9: error"),
    ("--set bad.txt", "bad.txt:2:"),
    ("--set syntax.json", "syntax.json:1:"),
    ("--set twice.json", "twice.json:2:4: error: the key 'L' stands twice"),
    ("--set twice.txt", "twice.txt:3:2: error: parameters/L: it has a number twice"),
    ("--set small.json", "small.json:1:2: error: parameters/L: '1e-400' is beyond the range of floats"),
    ("--set small.txt", "small.txt:1:5: error: '1_0' is not a finite number"),
]
BAD_FILES = {
    "bad.json": '{"L": 1,\n   "m": NaN}',
    "bad.txt": "L = 1\nm : 2\n",
    "syntax.json": '{"L": }',
    "twice.json": '{"L": 1,\n   "L": 1}',
    "twice.txt": "L = 1\nm = 2\n L = 1\n",
    "small.json": '{"L": 1e-400}',
    "small.txt": "L = 1_0\n",
}


@pytest.mark.parametrize(("command", "options", "message"), [(c, *row) for c in NUMERIC for row in BAD_NUMBERS])
def test_bad_parameters_are_refused(run: Run, command: str, options: str, message: str) -> None:
    for file, text in BAD_FILES.items():
        Path(file).write_text(text, encoding="utf-8")
    done = run(*command.split(), *options.split())
    assert done.code == 2, done.out
    assert message in done.err
    assert not done.out or done.out == "1 file: 1 refused\n"


BAD_STATES = {
    "absent": (None, "no such file"),
    "not JSON": ("{", "state.json:1:"),
    "no object": ("[1]", "expected an object"),
    "unknown key": ('{"t": 0,\n "p": {}}', "state.json:2:2: error"),
    "unknown coordinate": ('{"q": {\n"z7": 1}}', "state.json:2:1: error"),
    "NaN": ('{"q": {"z1": NaN}}', "state.json:1:14: error"),
    "infinite": ('{"v": {"z1": 1e999}}', "state.json:1:8: error"),
    "huge": ('{"v": {"z1": 1' + "0" * 400 + "}}", "beyond the range of floats"),
    "tiny": ('{"v":\n {"z1": -1e-400}}', "state.json:2:3: error: state/v/z1: '-1e-400' is beyond the range"),
    "digits": ('{"q": {"z1": 1' + "0" * 5000 + "}}", "state.json:1:14: error: a number of more than 1,000 digits"),
    "underscore": ('{"q": {"z1": 1_0}}', "state.json:1:15: error"),
    "twice": ('{"q": {"z1": 1,\n "z1": 2}}', "state.json:2:2: error: the key 'z1' stands twice in one object"),
    "group twice": ('{"q": {"z1": 1}, "q": {}}', "state.json:1:18: error: the key 'q' stands twice"),
    "text": ('{"v": {"z1": "1"}}', "state.json:1:8: error"),
    "bool": ('{"t": true}', "state.json:1:2: error"),
    "unknown parameter": ('{"parameters": {"X": 1}}', "no such parameter"),
    "not UTF-8": (b"\xff\xfe{}", "UTF-8"),
    "deep": ("[" * 100000, "nested deeper than 200 levels"),
}


@pytest.mark.parametrize(("text", "message"), BAD_STATES.values(), ids=BAD_STATES)
@pytest.mark.parametrize("command", NUMERIC)
def test_bad_states_are_refused(run: Run, command: str, text: str | bytes | None, message: str) -> None:
    if text is not None:
        Path("state.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run(*command.split(), "--state", "state.json")
    assert done.code == 2, done.out
    assert message in done.err.lower() if text is None else message in done.err
    assert "Traceback" not in done.err


def test_a_parameter_without_value_is_named_with_its_place(run: Run) -> None:
    done = run("evaluate", "named.mbsd", "--formalism", "lagrange")
    assert re.search(r"named\.mbsd:1:\d+: error: parameters/L: has no value", done.err)
    assert run("evaluate", "named.mbsd", "--formalism", "lagrange", "--set", "L=2").code == 0


def test_evaluate_prints_the_pendulum(run: Run) -> None:
    """M = m L², gravity = -m g L cos z1: specs' golden result of ``zig``."""
    Path("state.json").write_text('{"t": 0.5, "q": {"z1": 0.3}, "v": {"z1": 2}, "a": {"z1": 1}}', encoding="utf-8")
    done = run("evaluate", "one.mbsd", "--formalism", "lagrange", "--state", "state.json", "--set", "m=0.5", "--json")
    data = done.json
    weight = -0.5 * 9.81 * 2 * math.cos(0.3)
    assert list(data) == [
        "coordinates", "t", "q", "v", "a", "parameters", "M", "h", "gravity", "applied", "inverse_dynamics",
        "acceleration", "motion", "witnesses", "assumes",
    ]  # fmt: skip
    assert data["coordinates"] == ["z1"] and data["t"] == 0.5 and data["q"] == [0.3] and data["v"] == [2.0]
    assert data["parameters"] == {"L": 2.0, "m": 0.5}
    assert data["M"] == [[pytest.approx(2.0, rel=1e-15)]]
    assert data["h"] == [pytest.approx(0.0, abs=1e-15)] and data["applied"] == [0.0]
    assert data["gravity"] == [pytest.approx(weight, rel=1e-14)]
    assert data["acceleration"] == [pytest.approx(weight / 2, rel=1e-14)]
    assert data["inverse_dynamics"] == [pytest.approx(2 - weight, rel=1e-14)]
    text = run("evaluate", "one.mbsd", "--formalism", "lagrange", "--state", "state.json", "--set", "m=0.5").out
    assert repr(data["gravity"][0]) in text


def test_what_cannot_be_computed_is_null_with_a_diagnostic(run: Run) -> None:
    Path("massless.mbsd").write_text("z > i z $0 [0,0,0] g\n", encoding="utf-8")
    done = run("evaluate", "massless.mbsd", "--formalism", "lagrange", "--json")
    assert done.code == 2
    assert done.json["acceleration"] is None
    assert done.json["M"] is not None
    assert "no inertia along z2" in done.err


@pytest.mark.parametrize(
    ("file", "text"),
    [("p.json", '{"L": 4, "m": 0.25}'), ("p.txt", "L = 4\nm = 0.25  % kg\n\n# end\n"), ("p.txt", "m=2.5e-1,\nL=4;\n")],
)
def test_parameters_from_files(run: Run, file: str, text: str) -> None:
    Path(file).write_text(text, encoding="utf-8")
    done = run("evaluate", "one.mbsd", "--formalism", "lagrange", "--set", file, "--json")
    assert done.json["parameters"] == {"L": 4.0, "m": 0.25}
    done = run("evaluate", "one.mbsd", "--formalism", "lagrange", "--set", file, "--set", "L=5", "--json")
    assert done.json["parameters"] == {"L": 5.0, "m": 0.25}


@pytest.mark.parametrize(
    ("place", "broken", "told"),
    [
        ("mbconcord.cli.check._options", lambda _: [], "claims"),
        ("mbconcord.cli.check.check", lambda *x: replace(check(*x), seed=6), "seed 6, not 5"),
        ("mbconcord.reports.text.reproduction", lambda *_: "mbconcord check", "--seed 5"),
        ("mbconcord.reports.summary.remarks", lambda found: remarks([*found][1:]), "the check has"),
        ("mbconcord.reports.summary._line", lambda group: str(group[0]), "bodies/body2: note"),
        ("mbconcord.reports.summary.defaults", lambda _: "i1 = 1", "parameters/m1"),
        ("mbconcord.reports.text.notes", lambda _: [], "note: coordinates z1, z2"),
    ],
)
def test_a_report_that_leaves_out_what_its_check_has_is_noticed(
    run: Run, monkeypatch: pytest.MonkeyPatch, place: str, broken: Any, told: str
) -> None:
    monkeypatch.setattr(place, broken)
    done = run("check", "two.mbsd", "--states", "1", "--seed", "5", "--claims", "none", "--exact", "off", "-v")
    assert done.code == 1 and told in done.err


@pytest.mark.parametrize("name", ["-one.mbsd", "--json.mbsd", "a 'b' \"c\".mbsd"])
def test_the_command_that_repeats_a_check_takes_any_name_of_a_file(run: Run, name: str) -> None:
    Path(name).write_text(Path("one.mbsd").read_text("utf-8"), encoding="utf-8")
    words = ("--states", "1", "--claims", "none", "--exact", "off")
    done = run("check", *words, "--", name)
    assert done.code == 0, done.err
    (command,) = (x for x in done.out.splitlines() if "reproduce: mbconcord " in x)
    again = run(*shlex.split(command.partition("mbconcord ")[2]))
    assert again.code == 0 and command in again.out, again.err


#: What export takes from the files that it has made.
WRITTEN = ("targets", "write", "said", "quantities", "operations", "lacks")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "name", "field"),
    [
        ("evaluate two.mbsd --formalism lagrange --seed 1", "check_numbers", ""),
        ("evaluate two.mbsd --formalism lagrange --quantity velocity(body1)", "kinematics", "comparisons"),
        ("equilibrium two.mbsd", "equilibrium", "comparisons"),
        ("linearize spring.mbsd", "linearize", "comparisons"),
        ("linearize spring.mbsd --sweep k=1:2:1", "follow_modes", "comparisons"),
        ("simulate two.mbsd --until 0.1", "print_text", "witnesses"),
        ("walk quadruped.tp.csv --hull 30@0,0.05,0", "_follow", "comparison witnesses"),
        ("derive two.mbsd --formalism lagrange", "compare_printed", ""),
        ("derive two.mbsd --formalism lagrange --closed-form", "compare_printed", ""),
        ("export two.mbsd lib --formalism lagrange --language jax", "generate_files", ""),
        ("simulate two.mbsd --until 0.1 --ensemble 2 --step 0.01 --spread z1=0.1", "ensemble", "diagnostics"),
        ("assemble bar.mbsd", "assemble", "comparisons"),
        ("animate two.mbsd out.html", "animate", "comparisons"),
        ("info two.mbsd --base-parameters", "_base_parameters", ""),
    ],
)
def test_numbers_that_no_witness_compares_are_not_checked(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: str, name: str, field: str
) -> None:
    Path("spring.mbsd").write_text("u(x)\"(-k*x - 0.1*x') $2 ; k=4", encoding="utf-8")
    place = importlib.import_module(f"mbconcord.cli.{words.split()[0]}")
    shutil.copy(folder() / "tp" / "quadruped.tp.csv", "quadruped.tp.csv")
    shutil.copy(folder() / "mbsd" / "four_bar.mbsd", "bar.mbsd")
    asked = getattr(place, name)

    def silence(found: Any) -> Any:
        if isinstance(found, Comparison):
            return replace(found, verdict="not checked", explanation="none")
        if isinstance(found, Diagnostic):
            return not_compared("none")
        if hasattr(found, "compare"):
            return SimpleNamespace(**{x: getattr(found, x) for x in WRITTEN}, compare=lambda: not_compared("none"))
        if is_dataclass(found):
            return replace(found, **{x: silence(getattr(found, x)) for x in field.split()})
        return tuple(map(silence, found))

    assert run(*words.split()).code == 0
    with monkeypatch.context() as patch:
        patch.setattr(place, name, lambda *given, **named: silence(asked(*given, **named)))
        done = run(*words.split())
        assert done.code == 3 and ("not checked: " in done.out or name == "print_text")
        assert "not checked" in run(*words.split(), "--json").out or words.startswith(("derive", "export", "simulate"))
    alone = words.startswith(("evaluate", "walk", "assemble", "animate", "info"))
    assert alone or run(*words.split(), "--no-witness").code == 0


@pytest.mark.slow
def test_what_is_set_is_no_default_any_more(run: Run) -> None:
    before, after = (run("check", "two.mbsd", *options) for options in ((), ("--set", "i1=2")))
    assert "defaults: i1 = 1, " in before.out and "i1" not in after.out.partition("reproduce")[0]
    assert "--set i1=2" in after.out
    done = run("evaluate", "two.mbsd", "--formalism", "lagrange", "--set", "i1=2")
    assert "i2" in done.err and "i1" not in done.err


def test_set_parameters_are_exact(run: Run) -> None:
    text = run("convert", "one.mbsd", "-", "--to", "native", "--set", "L=0.1").out
    assert '"value": 0.1' in text


@pytest.mark.slow
def test_json_of_check(run: Run) -> None:
    lines = run("check", "one.mbsd", "rod.mbsd", "--json").out.splitlines()
    good, rod = map(json.loads, lines)
    assert good["file"] == "one.mbsd" and good["verdict"] == "agrees" and good["seed"] == 0
    assert {"name", "obstacles"} <= set(good["formalisms"][0])
    wanted = {"a", "b", "quantity", "verdict", "discrepancy", "tolerance", "scale", "cond", "state", "entry"}
    assert all(wanted <= set(pair) for pair in good["pairs"])
    assert {pair["quantity"] for pair in good["pairs"] if not pair["claim"]} == {
        "M", "h", "gravity", "applied", "inverse_dynamics", "acceleration",
    }  # fmt: skip
    assert rod["verdict"] == "not checked"  # the rod is stretched: it admits no other position
    assert {"constrained acceleration", "reactions", "rank"} <= {pair["quantity"] for pair in rod["pairs"]}
    assert any(f["constraint_obstacles"] for f in rod["formalisms"])


def test_compare_takes_numbers_of_eight_digits_as_printed(run: Run, tmp_path: Path) -> None:
    """A third to eight digits is the third; to seven it is another number."""
    for digits, code in (("0.33333333", 0), ("0.3333333", 1)):
        for name, length in (("a.mbsd", "1/3"), ("b.mbsd", digits)):
            (tmp_path / name).write_text(f"z(z1) i({length}) $2 g", encoding="utf-8")
        assert run("compare", "a.mbsd", "b.mbsd").code == code


def test_json_of_the_other_commands(run: Run) -> None:
    formalisms = run("formalisms", "--json").json["formalisms"]
    assert {"name", "title", "reference", "forms"} == set(formalisms[0])
    assert [f["name"] for f in formalisms] == list(names())
    formats = run("formats", "--json").json["formats"]
    assert {"name", "title", "suffixes"} <= set(formats[0])
    assert {"mbsd", "native"} <= {f["name"] for f in formats}
    info = run("info", "two.mbsd", "--json").json
    assert [c["unit"] for c in info["coordinates"]] == ["rad", "rad"]
    assert {p["name"]: p["origin"] for p in info["parameters"]}["i1"] == "default"
    compared = run("compare", "one.mbsd", "one.mbsd", "--json").json
    assert compared["verdict"] == "agrees"
    converted = run("convert", "one.mbsd", "out.mbs.json", "--json", "--verify").json
    assert converted["losses"] == [] and converted["verification"]["verdict"] == "agrees" and converted["written"]
    derived = run("derive", "one.mbsd", "--formalism", "lagrange", "--json").json
    assert set(derived["quantities"]) == {"M", "h", "gravity", "applied"}


def test_info_counts_the_coordinates_of_elastic_modes(run: Run) -> None:
    Path("beam.mbs.json").write_text(write(FEATURED["elastic_modes"], "native").text, encoding="utf-8")
    done = run("info", "beam.mbs.json")
    assert "1 body, 2 coordinates (1 of elastic modes), " in done.out
    assert re.search(r"^e1 +m +0 +0 +elastic mode of body1$", done.out, re.MULTILINE)
    listed = run("info", "beam.mbs.json", "--json").json["coordinates"]
    assert [(c["name"], c["mode_of"]) for c in listed] == [("q1", None), ("e1", "body1")]


def test_losses_are_shown_and_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A format that loses the colours of bodies, and one that loses a body without saying so."""
    from mbconcord.converters import registry
    from mbconcord.converters.registry import Writing
    from mbconcord.model import Loss, System

    native = registry.format_named("native")

    def lossy(system: System) -> Writing:
        assert native.write is not None
        return replace(native.write(system), losses=(Loss("bodies/1", "its colour", "no colours", acts=False),))

    def wrong(system: System) -> Writing:
        assert native.write is not None
        return native.write(replace(system, gravity=None))

    module = ModuleType("formats_of_this_test")
    module.lossy = replace(native, name="lossy", suffixes=(".lossy",), write=lossy)  # type: ignore[attr-defined]
    module.wrong = replace(native, name="wrong", suffixes=(".wrong",), write=wrong)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in ("lossy", "wrong"):
        monkeypatch.setitem(registry.BUILT_IN, name, f"{module.__name__}:{name}")
    registry.names.cache_clear()
    try:
        kept = run("convert", "one.mbsd", "out.lossy")
        assert kept.code == 0 and "its colour" in kept.err and Path("out.lossy").exists()
        refused = run("convert", "one.mbsd", "strict.lossy", "--strict")
        assert refused.code == 1 and "its colour" in refused.err and not Path("strict.lossy").exists()
        data = run("convert", "one.mbsd", "-", "--to", "lossy", "--strict", "--json")
        assert data.code == 1 and data.json["written"] is False and data.json["text"] is None
        assert data.json["losses"] == [
            {"place": "bodies/1", "what": "its colour", "reason": "no colours", "acts": False}
        ]
        assert run("convert", "one.mbsd", "out.wrong").code == 0
        found = run("convert", "one.mbsd", "verified.wrong", "--verify")
        assert found.code == 1 and "gravity[z1]" in found.err and not Path("verified.wrong").exists()
    finally:
        registry.names.cache_clear()
        for cached in (registry.format_named,):
            cached.cache_clear()


def test_standard_streams(run: Run) -> None:
    done = run("convert", "-", "-", "--from", "mbsd", "--to", "native", stdin=DOUBLE.encode())
    assert done.code == 0
    again = run("check", "-", stdin=done.out.encode())
    assert again.code == 0 and again.out.startswith("-: agrees")
    refused = run("info", "-", stdin=b"zi>")
    assert refused.code == 2 and re.search(r"^-:1:\d+: error", refused.err)


def test_directories_stand_for_their_model_files(run: Run) -> None:
    Path("models").mkdir()
    for name in ("two.mbsd", "one.mbsd"):
        shutil.copy(name, "models")
    Path("models/readme.txt").write_text("not a model", encoding="utf-8")
    Path("empty").mkdir()
    Path("models/crane").mkdir()
    assert run("convert", "two.mbsd", "models/crane/input.dat").code == 0
    done = run("check", "models", "--json")
    files = [Path(json.loads(line)["file"]).as_posix() for line in done.out.splitlines()]
    assert files == ["models/crane/input.dat", "models/one.mbsd", "models/two.mbsd"]
    assert run("check", "empty").code == 2


@pytest.mark.slow
def test_an_output_is_replaced_only_when_all_went_well(run: Run) -> None:
    Path("out.mbs.json").write_text("before", encoding="utf-8")
    Path("bad.mbsd").write_text("zi>", encoding="utf-8")
    assert run("convert", "bad.mbsd", "out.mbs.json").code == 2
    assert Path("out.mbs.json").read_text(encoding="utf-8") == "before"
    assert run("convert", "one.mbsd", "out.mbs.json").code == 0
    assert Path("out.mbs.json").read_text(encoding="utf-8") != "before"
    assert run("convert", "one.mbsd", "nowhere/out.mbs.json").code == 2
    assert not [p for p in Path().iterdir() if p.name.startswith(".")]


def test_a_write_that_fails_leaves_the_old_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    Path("out.mbs.json").write_text("before", encoding="utf-8")
    monkeypatch.setattr(Path, "replace", full)
    done = run("convert", "one.mbsd", "out.mbs.json")
    assert done.code == 2 and "No space left" in done.err
    assert Path("out.mbs.json").read_text(encoding="utf-8") == "before"
    assert not [p for p in Path().iterdir() if p.name.startswith(".")]
