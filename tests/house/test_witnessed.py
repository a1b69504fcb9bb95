"""Every number that a command prints, or a function returns, has a row that says who witnesses it, or nobody.

The row says under which assumption the number holds, too, and so do the head of the table and the JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord as mb
from laboratory import evidence
from mbconcord.cli import COMMANDS
from mbconcord.reports.summary import COMMENTS
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.witnessed import (
    CONSTRAINTS,
    NOT_CHECKED,
    NOTHING,
    ROWS,
    WitnessedNumber,
    find_rows,
    list_assumptions,
    list_fields,
    list_head,
    list_unchecked,
)

from ..cli.commands import Done, Run, runner

FIXTURES = Path(__file__).parents[2] / "fixtures"
PENDULUM, CRANK, BAR, WALKER = (
    str(FIXTURES / name)
    for name in (
        "mbsd/double_pendulum.mbsd", "native/slider_crank.mbs.json", "mbsd/four_bar.mbsd", "tp/quadruped.tp.csv",
    )
)  # fmt: skip
CERTIFICATE = str(FIXTURES.parent / "tests" / "certificate" / "vectors" / "pendulum.cert")
DERIVATIVES = "joint_forces,regressor,dtau_dq,dtau_dv,da_dq,da_dv,da_dtau"
FRAMES = "pose(body2),jacobian(body2),drift(body2),velocity(body2, in=body),acceleration(body2),"
FRAMES += "center_of_mass,linear_momentum,angular_momentum,angular_momentum(about=center_of_mass),"
FRAMES += "kinetic_energy,potential_energy"
RUNS = [
    ["check", PENDULUM, "--states", "2"],
    ["check", CRANK, "--states", "2", "--claims", "none"],
    ["convert", BAR, "-", "--to", "native", "--verify"],
    ["compare", BAR, BAR, "--states", "2"],
    ["derive", BAR, "--formalism", "lagrange"],
    ["export", BAR, "lib", "--formalism", "lagrange", "--force"],
    ["export", BAR, "lib", "--formalism", "lagrange", "--actuated", "z1", "--force"],
    ["export", BAR, "lib", "--formalism", "lagrange", "--quantity", "da_along", "--force"],
    ["baseline", "save", BAR, "--output", "base.toml", "--force"],
    ["evaluate", BAR, "--formalism", "lagrange", "--quantity", "M"],
    ["evaluate", PENDULUM, "--formalism", "lagrange", "--hold", "z1", "--actuated", "z2"],
    ["assemble", BAR],
    ["evaluate", "pin.mbs.json", "--formalism", "lagrange", "--quantity", "normal_force(N)"],
    ["linearize", PENDULUM],
    ["info", BAR, "--base-parameters"],
    ["convert", PENDULUM, "-", "--to", "native", "--verify"],
    ["compare", PENDULUM, PENDULUM],
    ["baseline", "save", PENDULUM, "--output", "base.toml", "--force"],
    ["derive", PENDULUM, "--formalism", "lagrange"],
    ["export", PENDULUM, "lib", "--formalism", "lagrange", "--force"],
    ["export", PENDULUM, "out.fmu", "--formalism", "lagrange", "--force"],
    ["evaluate", PENDULUM, "--formalism", "lagrange", "--state", "start.json"],
    ["evaluate", CRANK, "--formalism", "konoplev"],
    ["evaluate", PENDULUM, "--formalism", "newton_euler", "--quantity", DERIVATIVES],
    ["evaluate", PENDULUM, "--formalism", "lagrange", "--hold", "z1"],
    ["evaluate", PENDULUM, "--formalism", "lagrange", "--quantity", FRAMES],
    ["evaluate", BAR, "--formalism", "telegin", "--drive", "z1=0.3,1,0"],
    ["walk", WALKER, "--hull", "30@0,0.05,0"],
    ["assemble", BAR, "--others", "1"],
    ["simulate", PENDULUM, "--until", "0.2", "--event", "z1 + 0.01"],
    ["simulate", CRANK, "--until", "0.05", "--forces"],
    ["simulate", PENDULUM, "--until", "0.1", "--quantity", FRAMES],
    ["simulate", BAR, "--motion", "motion.csv"],
    ["simulate", "pin.mbs.json", "--until", "0.05"],
    ["simulate", BAR, "--until", "0.1", "--ensemble", "3", "--step", "0.01", "--spread", "z1=0.1"],
    ["equilibrium", BAR],
    ["linearize", BAR],
    ["animate", PENDULUM, "still.csv", "out.html", "--force"],
    ["info", PENDULUM, "--base-parameters"],
    ["info", BAR],
    ["certify", PENDULUM, "--formalisms", "lagrange", "--output", "pendulum.cert", "--force"],
    ["verify", CERTIFICATE],
    ["formats"],
    ["formalisms"],
    ["campaign", "run", "one.mbsd", "--states", "1", "--claims", "none"],
    ["um", "probes", "kit", "--force"],
    ["doctor"],
    ["completion", "bash"],
]
#: Runs whose sentences are those of the verifier.
CERTIFIED = [
    ["compare", CERTIFICATE, CERTIFICATE],
    ["check", PENDULUM, "--states", "2", "--claims", "none", "--report", "proved.cert"],
]
COORDINATES = ("z1", "z2", "z3", "crank", "rod", "piston")
#: Heads of columns of words, and those that are coordinates of the models.
WORDS = {
    "model", "extra", "adds", "packages",
    "coordinate", "quantity", "witnesses", "exact", "verdict", "step", "body", "carrier", "by", "row", "joint", "unit",
    "drive", "parameter", "origin", "formalism", "takes it", "solves it", "obstacles", "how it takes it", "constraint",
    "kind", "left out", "name", "effect on the motion", "feature", "meaning", "format", "suffixes", "ways", "title",
    "reference", "cut joint", "forms, chosen by --form", "event", *COORDINATES,
}  # fmt: skip

#: Most letters of a sentence, which a terminal shows in a line.
LONGEST = 120
#: What is below the head of a table.
RULE = r"\s*-[\s-]*"
#: Commands that print counts, words and lists.
WITHOUT_QUANTITIES = {"formats", "formalisms", "campaign", "doctor", "completion", "um", "certify", "verify"}
run = pytest.fixture(runner)
#: What commands of the table told: each is run once for all tests that look at it.
TOLD: dict[tuple[str, ...], Done] = {}


@pytest.fixture
def tell(run: Run) -> Run:
    return lambda *words: TOLD[words] if words in TOLD else TOLD.setdefault(words, run(*words))


@pytest.fixture(autouse=True)
def files(run: Run) -> None:
    Path("start.json").write_text('{"q": {"z1": 0.3}, "v": {"z1": 1}, "a": {"z1": 1}}', encoding="utf-8")
    Path("still.csv").write_text("t,z1,z2\n0,0,0\n1,0.1,0.2\n2,0.2,0.1\n", encoding="utf-8")
    Path("motion.csv").write_text("t,z1\n0,0.3\n0.1,0.31\n0.2,0.34\n", encoding="utf-8")
    pin = mb.Mechanism("pin").parameters(mu=0.2, r=0.05).gravity(y=-9.81).normal_force("N", "bar")
    pin = pin.body("bar", mass=2, com=(0.3, 0, 0), inertia=(0, 0, 0.1)).turns("crank", about="z", start=0.4, rate=2)
    Path("pin.mbs.json").write_text(
        mb.write(pin.effort("friction", "crank", "-mu*r*N*sign(crank')").build(), "native").text
    )


def test_every_command_is_run() -> None:
    """But view, which serves until it is stopped: it shows what the others print."""
    assert {words[0] for words in RUNS} == set(COMMANDS) - {"view"}


def find_named(verb: str, field: str, rows: Sequence[WitnessedNumber] = ROWS) -> list[WitnessedNumber]:
    """Return the rows about a field; the one of all columns of a run is about coordinates and their rates alone."""
    own = [row for row in rows if row.names(verb, field)]
    moving = {f"columns.{name}{dot}[]" for name in ("t", *COORDINATES) for dot in ("", "'")}
    return [row for row in own if field in moving or "columns.*" not in row.fields.split(" | ")]


def test_without_its_row_a_column_of_a_run_is_seen() -> None:
    """Each of these is named by a row of its own, and the walk misses it where that row is gone."""
    for name in ("power", "kinetic", "work", "z1''", "lambda[a]", "effort[a]", "joint_forces[a].Fx", "position error"):
        field = f"columns.{name}[]"
        (own, *more) = find_named("simulate", field)
        assert not more or name.startswith("lambda")
        assert find_named("simulate", field, [row for row in ROWS if row not in (own, *more)]) == []
    assert all(find_rows("linearize", x) for x in ("printed text", "definitions"))


@pytest.mark.parametrize("words", RUNS + CERTIFIED, ids=lambda words: " ".join(Path(w).name for w in words[:3]))
def test_every_printed_field_has_a_row(tell: Run, words: list[str]) -> None:
    if words[0] == "simulate":
        pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
    told = tell(*words, "--json") if words[0] != "completion" else None
    if told is not None:
        assert told.code in (0, 3), told.err
        found = dict.fromkeys(list_fields(told.json))
        assert [name for name in found if not find_named(words[0], name)] == []
        if words[0] in ("evaluate", "simulate", "walk", "info", "assemble"):
            without = "--no-witness" in words
            assert told.json.get("not_checked", []) == list_unchecked(words[0], found, not without)
    done = tell(*words)
    lines = (done.out + done.err).splitlines()
    heads = {i: re.split(r"\s{2,}", a.strip()) for i, (a, b) in enumerate(pairwise(lines)) if re.fullmatch(RULE, b)}
    cells = dict.fromkeys(x for head in heads.values() for x in head if x not in WORDS)
    assert [x for x in cells if not list(find_rows(words[0], x))] == []


@pytest.mark.parametrize("words", RUNS, ids=lambda words: " ".join(Path(w).name for w in words[:3]))
def test_the_head_says_under_which_assumption_every_number_holds(tell: Run, words: list[str]) -> None:
    """Sentences are those of the rows, which the page shows; they stand before the table, and in JSON."""
    if words[0] == "simulate":
        pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
    done, verb = tell(*words), words[0]
    text = done.out + done.err
    known = {row.assumes for row in ROWS if verb in row.verbs.split() and row.assumes != NOTHING}
    assert bool(known) == (verb not in WITHOUT_QUANTITIES)
    told = {sentence for sentence in known if sentence in text}
    assert told or not known or verb == "baseline"  # whose numbers are printed where they changed
    unchecked = [x for x in text.splitlines() if x.lstrip(" #").startswith("not checked: ")]
    assert [x for x in unchecked if re.search(r"\b(rows|evaluations|seconds|states|steps)\b[,;]", x)] == []
    lines = text.splitlines()
    for i, (head, rule) in enumerate(pairwise(lines)):
        if re.fullmatch(RULE, rule):
            above = "\n".join(lines[:i])
            cells = [x for x in re.split(r"\s{2,}", head.strip()) if x not in WORDS]
            assert [x for x in list_assumptions(verb, cells) if x not in above] == []
    if known:
        found = tell(*words, "--json").json
        assert set(list_assumptions(verb, list_fields(found))) <= set(found["assumes"]) <= known
        assert told <= set(found["assumes"])


@pytest.mark.parametrize("words", RUNS, ids=lambda words: " ".join(Path(w).name for w in words[:3]))
def test_words_on_constraints_are_of_models_that_have_some(tell: Run, words: list[str]) -> None:
    if words[0] == "simulate":
        pytest.importorskip("scipy", reason="SciPy, of the extra [sim], is not installed")
    about = {row.assumes for row in find_rows(words[0], CONSTRAINTS)}
    silent = "--drive" in words or (words[0] == "info" and "--base-parameters" not in words)
    expected = about if {CRANK, BAR} & {*words} and not silent else set()
    done = tell(*words)
    if words[0] != "baseline":
        assert {sentence for sentence in about if sentence in done.out + done.err} == expected
    if about:
        assert about & {*tell(*words, "--json").json["assumes"]} == expected


@pytest.mark.slow
def test_of_several_models_each_assumption_is_said_once(run: Run) -> None:
    words = ("--states", "1", "--claims", "none", "--exact", "off")
    (about,) = (row.assumes for row in find_rows("check", CONSTRAINTS))
    (common,) = list_assumptions("check", ["quantity"])
    both, open_ones = run("check", PENDULUM, CRANK, *words).out, run("check", PENDULUM, PENDULUM, *words).out
    assert [(x.count(common), x.count(about)) for x in (both, open_ones)] == [(1, 1), (1, 0)]


def test_every_row_is_a_sentence_or_no_quantity() -> None:
    for row in ROWS:
        assert row.assumes == NOTHING or re.fullmatch(r"[A-Z][^.]+[^ ]\.", row.assumes), row.fields
        assert len(row.assumes) <= LONGEST, row.assumes
    assert [row.fields.split(" | ")[0] for row in ROWS if row.assumes == NOTHING] == [
        "*pairs[].*", "*seconds", "t", "printed text", "certificates[].*", "models", "reproduce", "*standing",
        "*payload", "families", "mode_motion", "losses",
    ]  # fmt: skip


@pytest.mark.slow
def test_sentences_above_equations_are_comments_of_every_notation(run: Run) -> None:
    """No mark of a sentence ends a comment of C or XML, or goes on to the next line."""
    for words in (["derive", PENDULUM], ["derive", BAR]):
        for notation, (begin, end) in COMMENTS.items():
            lines = run(*words, "--output", notation).out.splitlines()
            said = [line.removeprefix(begin).removesuffix(end) for line in lines[: 1 + (BAR in words)]]
            assert said == list_assumptions("derive", ["equations", *([CONSTRAINTS] if BAR in words else [])])
            assert all(line.isascii() and not re.search(r"--|\*/|\\|\?\?", line) for line in said)


@pytest.mark.slow
def test_a_quiet_check_that_disagrees_says_its_assumptions(run: Run) -> None:
    Path("arm.csv").write_text("z1 [rad];z2 [rad];M[z1, z1] [kg m^2]\n0.1;0.2;7.000\n", encoding="utf-8")
    done = run("check", PENDULUM, "--quiet", "--against", "table:arm.csv")
    assert done.code == 1 and set(list_assumptions("check", ["quantity"])) <= {x.strip() for x in done.out.splitlines()}


def test_a_table_without_its_assumption_is_seen() -> None:
    assert list_assumptions("evaluate", ["acceleration[]", "M"]) == list_assumptions("evaluate", ["M", "acceleration"])
    assert len(list_assumptions("evaluate", ["M", "acceleration", "joint_forces.joints[].by.bodies.force[]"])) == 4
    assert list_assumptions("evaluate", ["t", "new"]) == []


def arrays(value: Any) -> Iterator[str]:
    """Names of the numbers that a result has, those of its fields and of its mappings."""
    items = {f.name: getattr(value, f.name) for f in fields(value) if not f.name.startswith("_")}
    items |= dict(value.items()) if isinstance(value, Mapping) else {}
    for name, x in items.items():
        if isinstance(x, (int, float, np.ndarray)) and not isinstance(x, bool):
            yield name
        elif isinstance(x, Mapping) and x and all(isinstance(y, (float, np.ndarray)) for y in x.values()):
            yield from x


RESULTS = {
    "evaluate": lambda: mb.evaluate(CRANK),
    "linearize": lambda: mb.linearize(BAR),
    "equilibrium": lambda: mb.equilibrium(BAR),
    "assemble": lambda: mb.assemble(BAR)[0],
    "base_parameters": lambda: mb.base_parameters(PENDULUM),
    "check": lambda: mb.check(PENDULUM),
    "compare": lambda: mb.compare(PENDULUM, PENDULUM),
    "convert": lambda: mb.convert(PENDULUM, to="native"),
    "derive": lambda: mb.derive(PENDULUM),
    "animate": lambda: mb.animate(PENDULUM, {"t": [0.0, 1.0], "z1": [0.0, 0.1]}),
}


@pytest.mark.parametrize("verb", RESULTS)
def test_every_returned_array_has_a_row(verb: str) -> None:
    found = RESULTS[verb]()
    assert is_dataclass(found)
    assert [name for name in arrays(found) if not list(find_rows(verb, name))] == []


@pytest.mark.parametrize("model", [PENDULUM, BAR])
def test_every_quantity_that_witnesses_of_small_motions_compare_has_a_row(model: str) -> None:
    for verb, found in (("linearize", mb.linearize(model)), ("equilibrium", mb.equilibrium(model))):
        quantities = {c.quantity for c in found.comparisons}
        assert len(quantities) > 10 and [x for x in sorted(quantities) if not list(find_rows(verb, x))] == []


def test_every_public_function_has_a_row() -> None:
    values = {"MbconcordError", "Mechanism", "Reading", "State", "System", "read", "write"}
    verdicts = {"assert_agrees", "compare_pairs", "assert_same_machine"}
    named = {verb for row in ROWS for verb in row.verbs.split()}
    public = {name for name in dir(mb) if not name.startswith("_")} & {*mb._PUBLIC} if hasattr(mb, "_PUBLIC") else set()
    assert public - values - verdicts - named == set()


def test_the_page_has_the_table() -> None:
    text = evidence.PAGE.read_text(encoding="utf-8")
    assert evidence.page(text) == text, "write it: python -m laboratory.evidence"


def test_a_field_without_a_row_is_seen() -> None:
    assert list(find_rows("evaluate", "M[][]")) and not list(find_rows("evaluate", "new[]"))
    assert list_unchecked("evaluate", ["M[][]", "constraints.change"]) == ["constraints.change"]
    assert list_unchecked("simulate", ["t", "energy", "evaluations"], witnesses=False) == ["energy"]
    assert all(row.by or row.shares or row.witness == NOT_CHECKED or row.verbs == "*" for row in ROWS)


def test_the_head_names_what_nobody_has_checked_and_why() -> None:
    silent = Comparison("a", "b", "lambda", "not checked", explanation="no number at a state")
    agreed = Comparison("a", "b", "M", "agrees")
    *_, last = list_head("evaluate", ["M[][]", "constraints.change", "seconds", CONSTRAINTS], [silent, agreed])
    assert last == "not checked: constraints.change; lambda (no number at a state)"
    assert not any("not checked" in x for x in list_head("evaluate", ["M[][]", "rows", "unknown"], [agreed]))
    *_, last = list_head("simulate", ["columns.z1''[]", "seconds"], witnesses=False)
    assert last == "not checked: z1''"
    with pytest.raises(ValueError, match="no row is about numbers of 'simulated'"):
        list_head("simulated", ["t"])


def test_text_names_what_nobody_has_checked(run: Run) -> None:
    """Commands print, before their first table, the names that their JSON has."""
    for words, names in (
        (["evaluate", CRANK, "--formalism", "konoplev"], {"constraints.distance", "constraints.change"}),
        (["info", BAR], {"bodies", "freedom.degrees"}),
        (["linearize", PENDULUM, "--no-witness"], {"matrices.M", "modes"}),
        (["export", PENDULUM, "lib", "--formalism", "lagrange", "--force", "--no-witness"], {"files"}),
    ):
        (line,) = (x for x in run(*words).out.split("\n-", 1)[0].splitlines() if x.startswith("not checked: "))
        assert names <= {*re.split(", |; ", line.removeprefix("not checked: "))}
