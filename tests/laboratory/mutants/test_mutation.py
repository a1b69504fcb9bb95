"""The mutation score: changes in place, what is drawn, what is kept, and how a mutant ends."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getsource
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from laboratory.command import main
from laboratory.mutants import __main__ as command
from laboratory.mutants import campaign as campaigns
from laboratory.mutants import on_worker, report
from laboratory.mutants.attempt import attempt
from laboratory.mutants.campaign import MutantTrial, MutationRequest, by_workers, campaign, draw_mutants
from laboratory.mutants.machines import FIXTURES, in_words, machine, pose
from laboratory.mutants.places import KINDS, choose_modules, kind, modules, possible, room
from laboratory.mutants.results import LINKED, differing, numbers, residues, verdicts
from laboratory.mutants.score import Score
from laboratory.mutants.survey import trace
from laboratory.runner import record as records
from laboratory.runner.change import swap_functions
from laboratory.runner.record import ChangeOutcome, ChangeRecord
from mbconcord.model.diagnostics import MbconcordError

from ...validation.many.cluster.here import Here

SMALL = "mbsd/particle.mbsd"

seats = import_module("mbconcord.formalisms.konoplev.aggregates")

HELD = """
from functools import cache, cached_property
from contextlib import contextmanager

CONSTANT = 1 + 2

def plain(x, y=1 + 4):
    return x + 2

@cache
def kept(x):
    return x + 3

class K:
    @property
    def given(self):
        return 1 + 5

    @cached_property
    def once(self):
        return 1 + 6

    @staticmethod
    def still(x):
        return [x + k for k in range(7)]

def outer():
    return lambda x: x + 8
"""


@pytest.fixture
def held(tmp_path: Path) -> ModuleType:
    path = tmp_path / "held.py"
    path.write_text(HELD, "utf-8")
    spec = spec_from_file_location("held", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("honest", "changed", "shown", "value"),
    [
        ("x + 2", "x - 2", lambda m: m.plain(1), -1),
        ("x + 3", "x - 3", lambda m: m.kept(1), -2),
        ("1 + 5", "1 - 5", lambda m: m.K().given, -4),
        ("1 + 6", "1 - 6", lambda m: m.K().once, -5),
        ("x + k", "x - k", lambda m: m.K.still(0)[2], -2),
        ("x + 8", "x - 8", lambda m: m.outer()(1), -7),
    ],
)
def test_a_function_is_changed_in_place(held: ModuleType, honest: str, changed: str, shown: Any, value: int) -> None:
    assert held.__file__ and HELD.count(honest) == 1
    before = shown(held)
    if honest != "x + 3" and honest != "1 + 6":
        assert before != value
    held.kept.cache_clear()
    assert swap_functions(held, held.__file__, HELD.replace(honest, changed))
    assert shown(held) == value


@pytest.mark.parametrize(("honest", "changed"), [("1 + 2", "1 - 2"), ("1 + 4", "1 - 4"), ("", "")])
def test_what_an_import_makes_is_not(held: ModuleType, honest: str, changed: str) -> None:
    assert held.__file__
    assert not swap_functions(held, held.__file__, HELD.replace(honest, changed) if honest else HELD)


def test_every_kind_of_module_is_mutated_and_no_words() -> None:
    assert {kind(m) for m in modules()} == set(KINDS)
    assert {room(m) for m in modules()} >= {"formalisms.lagrange", "model.force", "converters.um", "validation.judge"}
    assert not [m for m in modules() if "printer" in m or "obstacles" in m or "writer" in m]
    assert not [m for m in possible(choose_modules(["formalisms.telegin.closed"])) if "obstacle" in m.place]


@pytest.mark.slow
@pytest.mark.rest
def test_a_name_that_resembles_words_but_makes_numbers_is_mutated() -> None:
    places = {m.place.rpartition(".")[2] for m in possible(choose_modules(None))}
    assert places >= {"required_forces", "find_reasons", "_spread_reasons", "_split_line", "count_known_rows"}
    assert not places & {"format_number", "_format_value", "_format_version", "record_comment", "print_lines"}


@pytest.mark.parametrize("given", ["model/force", "mbconcord.model.force", "model.force"])
def test_modules_are_told_by_name(given: str) -> None:
    assert choose_modules([given]) == ("mbconcord.model.force",)


def test_the_draw_is_the_same_and_a_prefix() -> None:
    few, more = (list(draw_mutants(choose_modules(["model.force", "model.body"]), 3, count)) for count in (10, 30))
    assert few == more[:10] and len(set(more)) == 30
    assert few != list(draw_mutants(choose_modules(["model.force", "model.body"]), 4, 10))
    alone = [key for key in more if "model.body" in key.partition(" ")[0]]
    assert list(draw_mutants(choose_modules(["model.body"]), 3, None))[: len(alone)] == alone, (
        "of other sources nothing changes"
    )


# --- the file of results -----------------------------------------------------------------------------


def outcome(key: str = "a", how: str = "check", module: str = "mbconcord.model.force") -> ChangeOutcome:
    return ChangeOutcome(key, module, key, how, "agreement", SMALL)


def test_a_record_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    first = ChangeRecord.from_file(path)
    first.add(outcome())
    first.survey(SMALL, {"kinds": []})
    again = ChangeRecord.from_file(path)
    assert (again.outcomes, again.surveys, again.notes) == (first.outcomes, first.surveys, ())


def test_a_torn_line_is_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ChangeRecord.from_file(path).add(outcome())
    with path.open("a", encoding="utf-8") as file:
        file.write('{"mutant": {"key": "b", "mod')
    found = ChangeRecord.from_file(path)
    assert set(found.outcomes) == {"a"} and "r.jsonl:3: the last line is torn" in found.notes[0]
    assert ChangeRecord.from_file(path).notes == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["no json"], ":1: it is no file of results"),
        (["{}"], ":1: it is no file of results"),
        (["HEAD", "no json", "MUTANT"], ":2: this line is no result"),
        (["HEAD", '{"mutant": {"key": "a"}}', "MUTANT"], ":2: this line is no result"),
        (["HEAD", '{"survey": 3}', "MUTANT"], ":2: this line is no result"),
        (["HEAD", "MUTANT".replace("M", "W"), "MUTANT"], ":2: this line is no result"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path: Path, lines: list[str], said: str) -> None:
    path = tmp_path / "r.jsonl"
    ChangeRecord.from_file(path).add(outcome())
    head, mutant, _ = path.read_text("utf-8").split("\n")
    text = "\n".join(lines).replace("HEAD", head).replace("MUTANT", mutant) + "\n"
    path.write_text(text, "utf-8")
    with pytest.raises(MbconcordError, match=said):
        ChangeRecord.from_file(path)
    assert path.read_text("utf-8") == text, "it stays as it was"


def test_results_of_another_source_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.jsonl"
    ChangeRecord.from_file(path).add(outcome())
    monkeypatch.setattr(records, "digest", lambda: "another")
    found = ChangeRecord.from_file(path)
    assert not found.outcomes and "of another source: begun anew" in found.notes[0]


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("1\n", "utf-8")
    for words in (
        ["--modules", "model.farce"], ["--results", str(path)], ["--report", "a.pdf"], ["--count", "0"],
        ["--at-least", "101"],
        ["--results", str(tmp_path / "none" / "r.jsonl")],
    ):  # fmt: skip
        assert main(command, words) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1 and "error:" in said.err and not said.out


# --- how a mutant ends -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def honest() -> dict[str, Any]:
    return numbers(pose(machine(SMALL)), ["lagrange"])


def test_the_same_results_are_proved_the_same(honest: dict[str, Any]) -> None:
    exact = {SMALL: residues(machine(SMALL), ["lagrange"])}
    assert attempt("formalisms", ["lagrange"], {SMALL: honest}, exact) == {
        "how": "same", "by": "", "model": "", "proved": True,
    }  # fmt: skip


def test_the_same_function_in_another_order_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns about one axis in the other order: symbols are met in another order, and the function is the same."""
    before = residues(machine("sprung"), ["konoplev"])
    one, other = "product(transpose(before.c), first)", "product(first, transpose(before.c))"
    source = getsource(seats.element)
    assert before and one in source
    changed = dict(vars(seats))
    exec(source.replace(one, other), changed)
    monkeypatch.setattr(seats, "element", changed["element"])
    assert differing(residues(machine("sprung"), ["konoplev"]), before) == ([], [])


def test_what_is_raised_names_files_as_the_set_does() -> None:
    """No path of the machine that a score is made on is in it."""
    with pytest.raises(MbconcordError) as raised:
        machine("mbsd/none.mbsd")
    assert in_words(raised.value).startswith("ReadError: mbsd/none.mbsd: error: ")


@pytest.mark.slow
def test_another_number_that_no_check_notices_is_missed(honest: dict[str, Any]) -> None:
    other = {**honest, "lagrange M": [x * 1.001 for x in honest["lagrange M"]]}
    found = attempt("formalisms", ["lagrange"], {SMALL: other}, {})
    assert (found["how"], found["model"]) == ("missed", SMALL)
    hidden = {SMALL: {"lagrange M": "0" * 16}}
    assert attempt("formalisms", ["lagrange"], {SMALL: honest}, hidden)["how"] == "missed"


@pytest.mark.parametrize("name", ["newton_euler", "telegin"])
def test_a_wrong_recursion_is_noticed_link_by_link(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Small models are checked by whole equations: the steps of links, by which large ones are, are asked for."""
    module = import_module(f"mbconcord.formalisms.{name}")
    before = numbers(pose(machine(SMALL)), [name])
    assert f"{name} inverse_dynamics {LINKED}" in before
    inward = module._inward

    def wrong(*given: Any) -> Any:
        step = inward(*given)
        return replace(step, force=-step.force)

    monkeypatch.setattr(module, "_inward", wrong)
    module.kind_of.cache_clear()
    try:
        found = attempt("formalisms", [name], {SMALL: before}, {})
    finally:
        module.kind_of.cache_clear()
    assert found["how"] == "check" and found["by"].startswith(LINKED)


def test_what_rows_admit_is_the_same_however_they_are_written() -> None:
    """A multiple of a row is another row and no other result: D⁺D and D⁺γ̃ are those of every formalism."""
    found = numbers(pose(machine("native/slider_crank.mbs.json")), ["lagrange", "virtual_work", "konoplev"])
    one, *others = (values for key, values in found.items() if key.endswith("admitted motions"))
    assert len(others) == 2
    for other in others:
        assert other == pytest.approx(one, rel=1e-9, abs=1e-9)


def test_a_check_that_ends_with_an_error_says_of_nothing_that_it_agrees(
    monkeypatch: pytest.MonkeyPatch, honest: dict[str, Any]
) -> None:
    def broken(*given: Any, **more: Any) -> None:
        raise ValueError("not enough values")

    monkeypatch.setattr("laboratory.mutants.attempt.check", broken)
    other = {**honest, "lagrange M": [x * 1.001 for x in honest["lagrange M"]]}
    found = attempt("formalisms", ["lagrange"], {SMALL: other}, {})
    assert (found["how"], found["by"]) == ("raised", "check: ValueError: not enough values")


def test_numbers_that_are_gone_are_no_catch(honest: dict[str, Any]) -> None:
    more = {**honest, "lagrange lost": [1.0]}
    assert attempt("formalisms", ["lagrange"], {SMALL: more}, {})["how"] == "raised"


@pytest.mark.parametrize(
    ("value", "other", "changed", "gone"),
    [
        ([1.0, 2.0], [1.0, 2.0 + 1e-12], 0, 0),
        ([1.0, 2.0], [1.0, 2.0 + 1e-8], 1, 0),
        ([1.0], [float("nan")], 0, 0),
        ([1.0], [1.0, 2.0], 1, 0),
        ([1.0], None, 0, 1),
        ("a", "b", 1, 0),
        ("a", "a", 0, 0),
        ([], [], 0, 0),
    ],
)
def test_what_is_another_result(value: Any, other: Any, changed: int, gone: int) -> None:
    found = differing({"x": other} if other is not None else {}, {"x": value})
    assert tuple(map(len, found)) == (changed, gone)


def test_a_planted_difference_has_another_verdict() -> None:
    found = verdicts("pendulum", machine("mbsd/double_pendulum.mbsd"))
    assert found["right"]["verdict"] == "agrees"
    assert {found[f"wrong {q}"]["verdict"] for q in ("M", "gravity")} == {"disagrees"}


def test_lines_are_traced_in_functions(held: ModuleType) -> None:
    assert held.__file__
    before = sys.gettrace()
    with trace([held.__file__]) as lines:
        held.plain(1)
    assert lines == {held.__file__: {8}} and sys.gettrace() is before


def test_the_models_are_there() -> None:
    assert len(set(FIXTURES)) == len(FIXTURES)
    assert all(machine(name).bodies for name in FIXTURES[:3])


#: Two changes, and how they end on a model with a body that stands off its joint.
TRIED = {
    "formalisms.newton_euler.tree Mass.shift: a[1] + b[1] -> b[1]": "check",
    "formalisms.lagrange.elastic _turn: c * z -> c / z": "not reached",
}


@pytest.mark.slow
@pytest.mark.rest
@pytest.mark.parametrize("cluster", [None, Here()], ids=["here", "by workers"])
def test_mutants_are_tried_and_kept(cluster: Here | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = draw_mutants(choose_modules(["formalisms.newton_euler.tree", "formalisms.lagrange.elastic"]), 0, None)
    monkeypatch.setattr(campaigns, "draw_mutants", lambda *_: {key: every[key] for key in TRIED})
    monkeypatch.setattr(campaigns, "_on_import", lambda record: {})
    path = tmp_path / "r.jsonl"
    given = MutationRequest(jobs=1, models=("mbsd/moving_support.mbsd",))
    first = campaign(given, ChangeRecord.from_file(path), cluster)
    assert {o.key: o.how for o in first} == TRIED
    assert first[0].by.startswith("agreement, M")
    monkeypatch.setattr(campaigns, "apart", None)  # nothing is left to do
    assert campaign(given, ChangeRecord.from_file(path), cluster) == first


def test_what_a_worker_could_not_try_says_nothing_of_a_mutant() -> None:
    class Broken(Here):
        def each(self, function: str, context: Any, tasks: Any) -> Any:
            assert json.loads(json.dumps(context)) == context  # it travels
            yield next(iter(tasks)), "ended its worker again and again"

    (item,) = draw_mutants(choose_modules(["model.body"]), 0, 1).items()
    with pytest.raises(MbconcordError, match=r"again and again.*run the same command again"):
        list(by_workers(Broken(), MutantTrial({}, {"m": {2, 1}}, False), [item]))


def test_a_worker_without_tests_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_worker, "checkout", lambda: None)
    with pytest.raises(MbconcordError, match="a worker has no tests"):
        on_worker.run_tests({"tests": True, "before": {}, "on_import": {}}, "key", "module")


@pytest.mark.parametrize("how", on_worker.INTERRUPTED)
def test_a_worker_that_is_stopped_says_nothing_of_a_mutant(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ((key, mutant),) = draw_mutants(choose_modules(["model.body"]), 0, 1).items()
    ended = ChangeOutcome(key, mutant.module, str(mutant), "raised", how)
    monkeypatch.setattr(MutantTrial, "outcome", lambda *_: ended)
    with pytest.raises(MbconcordError, match=how):
        on_worker.try_mutant({"surveyed": {}, "on_import": {}, "unreached": False}, key, mutant.module)


def test_a_worker_draws_the_same_mutants() -> None:
    every = draw_mutants(choose_modules(["model.body"]), 7, None)
    own = {key: m for module in choose_modules(["model.body"]) for key, m in on_worker._mutants(module).items()}
    assert own == every and own


# --- the score ---------------------------------------------------------------------------------------


def test_the_score_counts_and_says_what_is_short() -> None:
    lagrange = "mbconcord.formalisms.lagrange.forces"
    found = [outcome(str(i), "check", lagrange) for i in range(97)] + [outcome("t", "tests", lagrange)]
    found += [
        outcome("e", "equivalent", lagrange),
        outcome("n", "not reached", lagrange),
        outcome("r", "raised", lagrange),
    ]
    enough = Score(found)
    assert enough.kinds[0].share == pytest.approx(97 / 98) and enough.short == []
    less = Score([*found, *(outcome(f"t{i}", "tests", lagrange) for i in range(9))])
    assert less.short == ["formalisms: 90.7% by check alone, wanted 97% (by chance in 0.1% of draws)"]
    assert Score([outcome(str(i), "tests", lagrange) for i in range(29)]).short == [], "too few to say"


@pytest.mark.parametrize(("noticed", "of", "red"), [(96, 100, 0), (94, 100, 0), (93, 100, 1), (83, 88, 0), (82, 88, 1)])
def test_a_share_is_short_where_chance_does_not_explain_it(noticed: int, of: int, red: int) -> None:
    """Limits by hand: the binomial distribution of 97 %, at most 93 of 100 in 3.1 % of draws, 94 in 8.1 %."""
    lagrange = "mbconcord.formalisms.lagrange.forces"
    score = Score([outcome(str(i), "check" if i < noticed else "tests", lagrange) for i in range(of)])
    assert (len(score.short), len(score.warnings)) == (red, 1 - red)


@pytest.mark.parametrize(("survivors", "of", "red"), [(0, 10, 0), (1, 10, 0), (2, 10, 1), (3, 1000, 0), (6, 1000, 1)])
def test_one_survivor_is_a_warning_and_two_are_red(survivors: int, of: int, red: int) -> None:
    """Of large draws 0.5 % may survive."""
    score = Score([outcome(f"m{i}", "survived" if i < survivors else "check") for i in range(of)])
    assert len(score.short) == red and len(score.warnings) == (survivors > 0) - red
    assert all(f"m{i}" in said for i in range(survivors) for said in (*score.short, *score.warnings))
    assert ("m0" in report.text(score)) == (survivors > 0)


@pytest.mark.parametrize(
    ("asked", "enough"), [([], True), (["--at-least", "100"], False), (["--at-least", "98"], True)]
)
def test_less_than_is_asked_for_ends_with_1(monkeypatch: pytest.MonkeyPatch, asked: list[str], enough: bool) -> None:
    """Of a hundred that change a result a check notices 97."""
    lagrange = "mbconcord.formalisms.lagrange.forces"
    found = [outcome(str(i), "check" if i < 97 else "tests", lagrange) for i in range(100)]
    monkeypatch.setattr(command, "campaign", lambda *_: found)
    assert main(command, ["--modules", "model.body", *asked]) == (0 if enough else 1)


@pytest.mark.parametrize("suffix", [".md", ".json"])
def test_reports_name_every_survivor(suffix: str) -> None:
    score = Score([outcome("a <b> survivor", "survived"), outcome("b", "survived"), outcome("c", "check")])
    page = report.page(score, f"r{suffix}", "python -m laboratory.mutants --seed 1")
    assert "a <b> survivor" in page
    if suffix == ".json":
        assert json.loads(page)["enough"] is False
    else:
        assert "python -m laboratory.mutants --seed 1" in page
    assert "a <b> survivor" in report.text(score)
