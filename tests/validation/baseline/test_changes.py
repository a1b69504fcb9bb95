"""What has changed since a baseline was saved: each change is seen, its cause named; damaged files are told."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import mbconcord
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.system import System
from mbconcord.validation.baseline import changes
from mbconcord.validation.baseline.changes import BaselineComparison, _field_changes, compare_with_baseline
from mbconcord.validation.baseline.fingerprint import NOT_EXACT, FingerprintRow, fingerprint
from mbconcord.validation.baseline.text import Baselines, Saved, read_baselines, to_saved, to_toml
from mbconcord.validation.explain import Causes

ARM = "z(q1) j-0.5 $2 [0.3,0.7,0.9] {0.1,-0.2,0} #upper > i0.1 v(q2) $1.5 #fore ; g9.81-y"


def model(text: str) -> mbconcord.System:
    return mbconcord.read(text=text, format="mbsd").system


@pytest.fixture(scope="module")
def arm() -> Saved:
    return to_saved(fingerprint(model(ARM)), "mbconcord 0.0.1")


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what has changed: why is the subject of others, and takes its time."""
    monkeypatch.setattr(changes, "why", lambda old, new, seed: Causes(reason="a test"))


def after(arm: Saved, old: str, new: str) -> BaselineComparison:
    assert old in ARM
    return compare_with_baseline(arm, model(ARM.replace(old, new)))


#: What is edited, quantities that change, words of the cause.
EDITS = [
    ("g9.81", "g9.80665", {"gravity"}, "the model equals the baseline when gravity is 9.80665 m/s²"),
    ("{0.1,-0.2,0}", "{-0.1,-0.2,0}", {"M", "h", "gravity"}, "the centre of mass of upper has the other sign in x"),
    ("j-0.5", "j0.5", {"M", "h", "gravity"}, "the offset of the joint of upper points the other way"),
]


@pytest.mark.parametrize(("old", "new", "quantities", "words"), EDITS)
def test_a_change_is_seen_and_its_cause_named(arm: Saved, old: str, new: str, quantities: set[str], words: str) -> None:
    found = after(arm, old, new)
    assert found.outcome == "changed"
    assert {c.quantity for c in found.changes} - {"inverse_dynamics", "acceleration"} <= quantities
    assert found.fields and found.why.startswith("why: ")
    assert words in found.why


#: What is edited, and the fields that are named where no cause of the catalogue is their change.
FIELDS = [
    ("$1.5", "$1.7", "why: bodies/fore/inertia/mass; with"),
    ("i0.1", "i0.13", "why: bodies/fore/joint/1/constant; with"),
    ("0.7,0.9]", "0.7,0.95]", "why: bodies/upper/inertia/tensor; with"),
    ("g9.81", "g9.7", "why: gravity/value; with"),
    ("i0.1 v", "i0.13 u", "why: bodies/fore/joint/1/constant, bodies/fore/joint/2/translation; with"),
]


@pytest.mark.parametrize(("old", "new", "words"), FIELDS)
def test_changed_fields_are_named_as_the_cause_without_a_search(
    monkeypatch: pytest.MonkeyPatch, arm: Saved, old: str, new: str, words: str
) -> None:
    monkeypatch.setattr(changes, "why", None)
    found = after(arm, old, new)
    assert found.outcome == "changed" and found.why.startswith(words)


def test_fields_are_no_cause_where_this_version_does_not_derive_what_was_saved(
    monkeypatch: pytest.MonkeyPatch, arm: Saved
) -> None:
    monkeypatch.setattr(changes, "why", lambda old, new, seed: Causes(reason="a test"))
    rows = {**arm.rows, "h[q1]": replace(arm.rows["h[q1]"], residue="x0")}
    found = compare_with_baseline(replace(arm, rows=rows), model(ARM.replace("$1.5", "$1.7")))
    assert found.outcome == "changed" and found.why == "why: not searched: a test"


@pytest.mark.usefixtures("no_search")
def test_one_part_in_a_million_billion_is_a_change(arm: Saved) -> None:
    found = after(arm, "$1.5", "$1.500000000000001")
    assert found.outcome == "changed"
    assert all("residue" in change.before for change in found.changes)
    assert "bodies/fore/inertia/mass was 1.5, is 1.500000000000001" in found.fields


@pytest.mark.parametrize(
    ("old", "new", "said"), [("#fore", "#forearm", "bodies/fore"), ("$2 ", "$2.0 ", ""), ("j-0.5", "j(-1/2)", "")]
)
def test_what_does_not_change_the_equations_is_the_same(arm: Saved, old: str, new: str, said: str) -> None:
    found = after(arm, old, new)
    assert found.outcome == "same" and not found.changes and not found.why
    assert said in str(found)


def test_other_names_of_coordinates_are_told(arm: Saved) -> None:
    found = after(arm, "q2", "elbow")
    assert found.outcome == "changed" and not found.changes
    assert found.notes == ("coordinates were q1, q2, are q1, elbow",)
    assert "the same machine" in found.why and "q2 = elbow" in found.why


def test_another_version_that_derives_other_equations_is_the_cause(arm: Saved) -> None:
    rows = {**arm.rows, "h[q1]": replace(arm.rows["h[q1]"], residue="x0")}
    found = compare_with_baseline(replace(arm, rows=rows), model(ARM))
    assert [c.entry for c in found.changes] == ["h[q1]"]
    assert "the model is the same: mbconcord 0.0.1" in found.why


def test_what_is_left_out_stands_in_it() -> None:
    urdf = (
        '<robot name="r"><link name="a"/><joint name="j" type="planar"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 0 1"/><limit effort="1" velocity="1"/>{}</joint><link name="b"><inertial><mass value="1"/>'
        '<origin xyz="1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    plain, rubbing = (
        mbconcord.read(text=urdf.format(more), format="urdf").system for more in ("", '<dynamics friction="2"/>')
    )
    before = to_saved(fingerprint(plain), "mbconcord 0.0.1")
    assert before.left_out == ()
    found = compare_with_baseline(before, rubbing)
    assert found.outcome == "changed"
    assert any(note.startswith("left out: ") and "joint-friction" in note for note in found.notes)


def limited(upper: str, more: str = "") -> System:
    """Return a pendulum with limits, which act where they are reached, and dry friction, which is held."""
    text = (
        '<robot name="r"><link name="a"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
        f'<axis xyz="0 1 0"/><limit lower="-1" upper="{upper}" effort="1" velocity="1"/>{more}</joint><link name="b">'
        '<inertial><mass value="1"/><origin xyz="1 0 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link></robot>"
    )
    return mbconcord.read(text=text, format="urdf").system


def test_a_limit_that_has_changed_is_told() -> None:
    before = to_saved(fingerprint(limited("1")), "mbconcord 0.0.1")
    found = compare_with_baseline(before, limited("2"))
    assert found.outcome == "changed" and not found.changes and "the equations have not" in found.why
    assert [note[:30] for note in found.notes] == ["no longer left out: joint-limi", "left out: joint-limit/j: joint"]
    same = compare_with_baseline(before, limited("1"))
    assert same.outcome == "same" and same.stands
    assert str(same) == "holds where nothing of this is reached, which is left out too: 1 limit of a joint"


def test_limits_of_an_older_file_are_named_as_not_compared() -> None:
    before = replace(to_saved(fingerprint(limited("1")), "mbconcord 0.0.1"), reached=None)
    text = to_toml(Baselines({"r.urdf": before}))
    assert "reached" not in text
    found = compare_with_baseline(before, limited("2"))
    assert found.outcome == "same" and "not compared, as it is not saved: joint-limit/j" in str(found)


# --- another prime, digits ---------------------------------------------------------------------------


@pytest.mark.usefixtures("no_search")
def test_another_prime_is_compared_by_digits(arm: Saved) -> None:
    found = compare_with_baseline(arm, model(ARM), exact=False)
    assert found.outcome == "same by digits" and "mbconcord baseline save" in str(found)
    found = compare_with_baseline(arm, model(ARM.replace("$1.5", "$1.5001")), exact=False)
    assert found.outcome == "changed"


def test_an_entry_that_cannot_be_compared_is_never_the_same(arm: Saved) -> None:
    blind = {**arm.rows, "h[q1]": FingerprintRow(NOT_EXACT)}
    found = compare_with_baseline(replace(arm, rows=blind), model(ARM))
    assert found.outcome == "not compared" and found.compared == len(arm.rows) - 1
    assert "neither a residue nor a digit: h[q1]" in str(found)


def test_without_digits_nothing_is_compared(arm: Saved) -> None:
    bare = replace(arm, states=(), rows={key: replace(row, digits=()) for key, row in arm.rows.items()})
    assert compare_with_baseline(bare, model(ARM), exact=False).outcome == "not compared"


@pytest.mark.usefixtures("no_search")
def test_what_is_not_exact_is_compared_by_digits(arm: Saved) -> None:
    rows = {key: replace(row, residue=NOT_EXACT) for key, row in arm.rows.items()}
    assert compare_with_baseline(replace(arm, rows=rows), model(ARM)).outcome == "same"
    rows["h[q1]"] = replace(rows["h[q1]"], digits=("1.5", *rows["h[q1]"].digits[1:]))
    assert [c.entry for c in compare_with_baseline(replace(arm, rows=rows), model(ARM)).changes] == ["h[q1]"]


@pytest.mark.parametrize(
    ("x", "y", "same"),
    [("1.00000000001", "1.00000000002", True), ("1", "1.0000000001", False), ("0", "1e-20", False), ("0", "0", True)],
)  # fmt: skip
def test_the_last_of_twelve_digits_may_be_rounded(x: str, y: str, same: bool) -> None:
    assert changes._same(x, y) is same


# --- the text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["models/arm.mbsd", "a'''b\"c\\d.mbsd", "ä\x7f.mbsd", "with blank.mbsd"])
def test_what_is_written_is_read(arm: Saved, name: str, tmp_path: Path) -> None:
    odd = model(ARM.replace("z(q1)", "z(θ1)"))
    odd = replace(odd, name="it's '''quoted''' \"so\" \x7f")
    found = Baselines({name: arm, "odd": to_saved(fingerprint(odd), "mbconcord 0.0.1")})
    text = to_toml(found)
    (tmp_path / "b.toml").write_text(text, encoding="utf-8")
    back = read_baselines(tmp_path / "b.toml")
    assert back.models[name] == arm and back.exact
    assert mbconcord.read(text=back.models["odd"].model, format="native").system == odd
    (tmp_path / "b.toml").write_bytes(text.replace("\n", "\r\n").encode())  # as a checkout on Windows may have it
    assert read_baselines(tmp_path / "b.toml").models[name] == arm


def test_an_entry_is_a_line(arm: Saved) -> None:
    lines = to_toml(Baselines({"arm": arm})).splitlines()
    assert sum(line.startswith('"M[') for line in lines) == 3
    other = to_saved(fingerprint(model(ARM.replace("g9.81", "g9.8"))), "mbconcord 0.0.1")
    again = to_toml(Baselines({"arm": other})).splitlines()
    kinds = {x.partition("[")[0].strip(' "=') for x, y in zip(lines, again, strict=True) if x != y}
    assert "gravity" in kinds and not {"M", "h", "applied"} & kinds


#: What is done to a file, and what is said.
DAMAGE = [
    ("format = 1", "format = 99", "written by a newer version, in format 99"),
    ("format = 1", "format = 'x'", "no file of baselines"),
    ("format = 1\n", "format = 1\n]\n", "no TOML"),
    ('hash = "sha256:', 'hash = "sha256:0', "one of them was edited"),
    ('"name": "fore"', '"name": "aft"', "one of them was edited"),
    ('coordinates = ["q1", "q2"]', "coordinates = 3", "coordinates is no list of strings"),
    ("saved_by", "saved", "saved_by is missing"),
    (".equations]", ".inequations]", "equations are missing"),
    ('"M[q1, q1]" = [', '"M[q1, q1]" = 5 #', "equations are missing, or one of them"),
    (".model]", ".muddle]", "the model is missing"),
    ('{"t": ', '{"tt": ', "a state is none"),
]


@pytest.mark.parametrize(("old", "new", "said"), DAMAGE)
def test_a_damaged_file_is_told(arm: Saved, old: str, new: str, said: str, tmp_path: Path) -> None:
    text = to_toml(Baselines({"arm": arm}))
    assert old in text
    file = tmp_path / "b.toml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ReadError, match=re.escape(said)) as caught:
        read_baselines(file)
    (finding, *_) = caught.value.diagnostics
    assert finding.location and finding.location.file == str(file) and finding.location.line > 0
    assert "baseline save" in finding.remedy


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no such file of baselines.*mbconcord baseline save"):
        read_baselines(tmp_path / "b.toml")


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ('{"a": {"b": 1}}', '{"a": {"b": 1.50}}', ('a/b was 1, is 1.50',)),
        ('{"bodies": [{"name": "x", "m": 1}]}', '{"bodies": [{"name": "x"}]}',
         ("bodies/x/m was 1, is gone", 'bodies/x is new: "x"')),
        ('{"a": [1, 2]}', '{"a": [1, 3]}', ("a was [1, 2], is [1, 3]",)),
        ('{"a": [[1], [2]]}', '{"a": [[1], [2]]}', ()),
    ],
)  # fmt: skip
def test_fields(before: str, now: str, said: tuple[str, ...]) -> None:
    assert tuple(_field_changes(before, now).values()) == said
