"""Catalogs: a witness that is no longer heard is noticed, and whatever else departs from what was expected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.registry import formalism, names
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import ReadError
from mbconcord.validation.check import check
from mbconcord.validation.claims.claim import directly, name_evaluated
from mbconcord.validation.judge.evidence import Evidence
from mbconcord.validation.judge.formalism import has_numbers
from mbconcord.validation.many.expectations import OTHERS, read_catalog, witnesses
from mbconcord.validation.witnesses.peers import Original
from mbconcord.validation.witnesses.text import PRINTED

from ..cli.commands import Run, runner


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    return runner(capsys, monkeypatch, tmp_path)


HEAD = """
[witnesses.two]
M = ["lagrange", "konoplev", "direct", "konoplev, directly", "lagrange, evaluated"]
gravity = ["lagrange", "konoplev", "direct"]
"kinetic energy" = ["konoplev", "physics"]

[[model]]
file = "one.mbsd"
source = "a pendulum"
bodies = 1
"""
ENTRY = 'witnesses = ["two"]\nzero = ["h", "applied"]\n'
ASKED = "lagrange,konoplev"


def errors(done: str) -> list[str]:
    return [line for line in done.splitlines() if ": error: " in line]


def expecting(run: Run, entry: str, files: str = "one.mbsd", *options: str, head: str = HEAD):  # type: ignore[no-untyped-def]
    Path("catalog.toml").write_text(head + entry, encoding="utf-8")
    asked = () if "--formalisms" in options else ("--formalisms", ASKED)
    return run("check", files, "--expect", "catalog.toml", "--states", "2", *asked, *options)


def test_what_is_expected_is_exit_code_0_and_said(run: Run) -> None:
    done = expecting(run, ENTRY)
    assert (done.code, errors(done.err)) == (0, [])
    assert done.out.endswith("as expected by catalog.toml\n")


def test_unnamed_witnesses_are_a_note_and_no_departure(run: Run) -> None:
    done = expecting(run, ENTRY)
    assert "one.mbsd/M: " not in done.err
    (note,) = [line for line in done.err.splitlines() if "one.mbsd/acceleration: " in line]
    assert note.startswith("catalog.toml:7:1: note: ") and "lagrange, evaluated, maximal (text) too, unnamed" in note


def test_a_formalism_that_refuses_is_noticed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two formalisms and the fields still agree; the verdict alone would stay."""
    refused = (Obstacle("bodies/b", "bodies", "none of late"),)
    monkeypatch.setattr(Konoplev, "obstacles", lambda self, system: refused)
    done = expecting(run, ENTRY, "one.mbsd", "--formalisms", "lagrange,konoplev,telegin")
    assert done.code == 1 and "one.mbsd: agrees" in done.out
    told = errors(done.err)
    assert len(told) == 4  # M twice, gravity, kinetic energy
    assert all("konoplev" in line and "does not witness it: bodies/b: none of late" in line for line in told)
    assert all(line.startswith("catalog.toml:7:1: error: one.mbsd/") for line in told)
    assert done.out.endswith("4 departures from catalog.toml\n")


DEPARTURES: Mapping[str, tuple[str, str, str]] = {
    "a witness that was not asked": (
        ENTRY,
        "--formalisms lagrange,telegin",
        "konoplev does not witness it: it was not asked",
    ),
    "a claim that was not made": (
        ENTRY,
        "--claims kinetic_energy",
        "direct does not witness it: no comparison with it agrees",
    ),
    "a quantity that is zero": (
        'witnesses = ["two"]\nzero = ["applied"]\n',
        "",
        "one.mbsd/h: it is zero at every state, expected numbers",
    ),
    "a quantity that is not zero": (
        'witnesses = ["two"]\nzero = ["h", "applied", "gravity"]\n',
        "",
        "one.mbsd/gravity: it is not zero, expected zeros",
    ),
    "weight that vanishes": (ENTRY, "--set g=0", "one.mbsd/gravity: it is zero at every state"),
    "a model that agrees": (
        ENTRY + 'verdict = "not checked"\nreason = "singular"\n',
        "",
        "agrees, expected not checked",
    ),
    "a model that is not checked": (ENTRY, "--formalisms lagrange", "not checked, expected agrees"),
    "another number of bodies": (ENTRY + "coordinates = 2\n", "", "one.mbsd/coordinates: there are 1, expected 2"),
    "an entry without witnesses": ("", "", "names no witnesses of this model"),
}


@pytest.mark.parametrize("departure", DEPARTURES)
def test_a_departure_is_told_with_its_place_and_exit_code_1(run: Run, departure: str) -> None:
    entry, options, words = DEPARTURES[departure]
    Path("one.mbsd").write_text("z(z1) i(L) $(m) g(g)-y ; L=2, m=3, g=9.81\n", encoding="utf-8")
    done = expecting(run, entry, "one.mbsd", *options.split())
    assert done.code == 1
    assert any(words in line and line.startswith("catalog.toml:7:1: error: ") for line in errors(done.err))
    assert "from catalog.toml" in done.out


def test_a_departure_is_exit_code_1_with_json_too(run: Run) -> None:
    done = expecting(run, "", "one.mbsd", "--json")
    assert done.code == 1 and done.json["verdict"] == "agrees" and errors(done.err)


KNOWN = """
[witnesses.two]
M = ["lagrange", "konoplev"]
[[model]]
file = "thin.mbsd"
witnesses = ["two"]
zero = ["applied"]
verdict = "not checked"
"""


def test_not_checked_is_accepted_with_its_reason_alone(run: Run) -> None:
    Path("thin.mbsd").write_text("z i x i(L) $(m) g-z ; L=1, m=3\n", encoding="utf-8")
    kept = expecting(run, 'reason = "singular: no inertia along x1"\n', "thin.mbsd", head=KNOWN)
    assert (kept.code, errors(kept.err)) == (0, [])
    other = expecting(run, 'reason = "only lagrange delivers it"\n', "thin.mbsd", head=KNOWN)
    assert other.code == 1
    (told,) = errors(other.err)
    assert "thin.mbsd/acceleration: not checked for another reason than 'only lagrange delivers it'" in told


def test_a_disagreement_keeps_its_code_whatever_is_expected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    derive = Konoplev.derive

    def wrong(self, system):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        found = derive(self, system)
        gravity = tuple(-x for x in found.quantities["gravity"])
        return replace(found, quantities={**found.quantities, "gravity": gravity})

    monkeypatch.setattr(Konoplev, "derive", wrong)
    done = expecting(run, ENTRY + 'verdict = "not checked"\nreason = "known"\n')
    assert done.code == 1 and "a catalog excuses no disagreement" in done.err


def test_a_refused_model_keeps_its_code(run: Run) -> None:
    Path("one.mbsd").write_text("z(\n", encoding="utf-8")
    assert expecting(run, ENTRY).code == 2


@pytest.mark.slow
def test_models_of_a_folder_and_of_the_catalog_are_the_same(run: Run) -> None:
    """A file without an entry, and an entry without its file; only where the folder was checked."""
    catalog = (HEAD + ENTRY).replace('"one.mbsd"', '"models/one.mbsd"')
    gone = '[[model]]\nfile = "models/gone.mbsd"\nwitnesses = ["two"]\n'
    outside = '[[model]]\nfile = "others/far.mbsd"\nwitnesses = ["two"]\n'
    Path("models").mkdir()
    for name in ("one.mbsd", "more.mbsd"):
        Path("models", name).write_text(Path("one.mbsd").read_text())
    done = expecting(run, gone + outside, "models", head=catalog)
    assert done.code == 1
    assert sorted(line.partition("error: ")[2] for line in errors(done.err)) == [
        "models/gone.mbsd: there is no such model in the folder (take its entry out)",
        "models/more.mbsd: the catalog lacks this model (give catalog.toml an entry of it)",
    ]
    assert expecting(run, gone + outside, "models/one.mbsd", head=catalog).code == 0


WRONG: Mapping[str, tuple[str, str]] = {
    "no TOML": ("[[model]\n", "catalog.toml:1:8: error: no TOML"),
    "an unknown table": ("[witness.a]\n", "catalog.toml:1:1: error: witness: no such table (known: witnesses, model)"),
    "an unknown formalism": (
        '\n[witnesses.a]\nM = ["lagrnge"]\n',
        "catalog.toml:2:1: error: witnesses/a/M: there is no witness 'lagrnge' (known: ",
    ),
    "witnesses that are no list": (
        '[witnesses.a]\nM = "lagrange"\n',
        "1:1: error: witnesses/a/M: expected a list of strings, found 'lagrange'",
    ),
    "a set that is no table": ("witnesses.a = 3\n", "witnesses/a: expected a table of quantities, found 3"),
    "sets that are no table": ("witnesses = 3\n", "witnesses: expected a table of tables, found 3"),
    "models that are no list": ('[model]\nfile = "a"\n', "model: expected entries [[model]]"),
    "an unknown key": (
        '\n\n[[model]]\nfile = "a"\nwitnes = ["b"]\n',
        "catalog.toml:3:1: error: a/witnes: no such key (known: file, ",
    ),
    "an entry without file": (
        "[[model]]\nbodies = 3\n",
        "catalog.toml:1:1: error: model/file: an entry needs the file",
    ),
    "a number that is none": ('[[model]]\nfile = "a"\nbodies = "3"\n', "a/bodies: expected a whole number, found '3'"),
    "a number that is true": (
        '[[model]]\nfile = "a"\nbodies = true\n',
        "a/bodies: expected a whole number, found True",
    ),
    "a file that is a number": ("[[model]]\nfile = 3\n", "3/file: expected a string, found 3"),
    "a list of numbers": (
        '[[model]]\nfile = "a"\nwitnesses = [1]\n',
        "a/witnesses: expected a list of strings, found [1]",
    ),
    "an unknown set": (
        '[[model]]\nfile = "a"\nwitnesses = ["b"]\n',
        "a/witnesses: there is no set 'b' (write a table [witnesses.b])",
    ),
    "an unknown quantity": ('[[model]]\nfile = "a"\nzero = ["g"]\n', "a/zero: there is no quantity 'g' (known: M, h, "),
    "an excused disagreement": (
        '[[model]]\nfile = "a"\nverdict = "disagrees"\n',
        "a/verdict: expected 'agrees' or 'not checked', found 'disagrees'",
    ),
    "no reason": (
        '[[model]]\nfile = "a"\nverdict = "not checked"\n',
        "a/reason: verdict = 'not checked' and a reason belong together",
    ),
    "a reason for nothing": (
        '[[model]]\nfile = "a"\nreason = "b"\n',
        "a/reason: verdict = 'not checked' and a reason belong together",
    ),
    "a model twice": (
        '[[model]]\nfile = "a"\n[[model]]\nfile = "./a"\n',
        "catalog.toml:3:1: error: ./a: a second entry: the first is in line 1",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_catalog_is_refused_with_its_place(run: Run, what: str) -> None:
    text, words = WRONG[what]
    done = expecting(run, "", head=text)
    assert done.code == 2 and not done.out
    assert words in done.err


def test_all_that_is_wrong_is_told(run: Run) -> None:
    done = expecting(run, "", head='[witnesses.a]\nM = ["x", "y"]\n[[model]]\nfle = "a"\n')
    assert len(errors(done.err)) == 4


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_catalog_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "catalog.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ReadError, match=r"catalog\.toml: "):
        read_catalog(str(file))


# --- the fixtures ----------------------------------------------------------------------------------

CATALOG = read_catalog(str(folder() / "catalog.toml"))
EXPECTED = {e.file: e for e in CATALOG.expectations.values() if e.witnesses is not None}


def evidence(file: str, **how: int) -> Evidence:
    reading = read(folder() / file)
    text = Original(reading.text, reading.format, ())
    return check(reading.system, str(folder() / file), original=text, **how)  # type: ignore[arg-type]


@pytest.mark.sampled(32)
@pytest.mark.slow
@pytest.mark.parametrize("file", EXPECTED)
def test_a_fixture_has_the_witnesses_of_the_catalog_and_no_others(file: str) -> None:
    """Not one more: its loss would not be noticed. The catalog names who opens a joint of those that seed 0 draws."""
    assert CATALOG.departures(evidence(file, states=1, seed=0)) == ()


@pytest.mark.slow
def test_every_formalism_and_every_claim_of_a_check_witnesses_something() -> None:
    """What stands in no line of the catalog may vanish."""
    heard = {who for e in EXPECTED.values() for names in (e.witnesses or {}).values() for who in names}
    computing = {directly(name) for name in names() if has_numbers(formalism(name))}
    assert heard == {*names(), *computing, name_evaluated("lagrange"), *OTHERS} - {PRINTED}  # no fixture is binary
    assert {"direct", "physics", "50 digits", "zero", "second reading", "maximal (text)"} < set(OTHERS)
    found = evidence("mbsd/springs.mbsd", states=1)
    assert (
        {c.quantity for c in found.comparisons}
        == witnesses(found).keys()
        == EXPECTED["mbsd/springs.mbsd"].witnesses.keys()
    )  # type: ignore[union-attr]
