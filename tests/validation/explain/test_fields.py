"""Fields that differ stand in order of what they do; each is applied; faults of all bodies are one row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.model import Holonomic, State, System
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import JointEffort
from mbconcord.validation.explain import Causes, systematic, why
from mbconcord.validation.explain import fields as fields_module
from mbconcord.validation.explain import kinematics as joints_module
from mbconcord.validation.explain import search as search_module
from mbconcord.validation.explain.fields import FieldLine, FieldRow, FieldTable, LumpedPair
from mbconcord.validation.explain.search import compare_fields
from mbconcord.validation.judge.evidence import Comparison as JudgedComparison
from mbconcord.validation.judge.evidence import LargestDifference
from mbconcord.validation.judge.matching import match
from mbconcord.validation.judge.progress import try_each

from ..witnesses.test_run import broken
from .chains import change_link, links, mjcf, urdf, write_urdf


def table(a: System, b: System, drawn: int = 4) -> FieldTable:
    found = compare_fields(a, b, match(a, b), 0, drawn)
    assert found is not None
    return found


def list_rows(found: FieldTable) -> list[tuple[str, str]]:
    return [(line.place, line.field) for row in found.rows for line in row.lines]


#: what is changed of link 2, and the lines that name it
FIELDS = {
    "mass": ({"mass": "1.3"}, [("l2", "mass")]),
    "centre": ({"centre": "0.0152 0.0289 -0.0407"}, [("l2", "centre")]),
    "tensor": ({"diagonal": "0.0101 0.012 0.009"}, [("l2", "tensor xx")]),
    "product": ({"products": "0.0001227 0.0007686 -0.0004462"}, [("l2", "tensor yz")]),
    "origin": ({"origin": "0.011 0.02 0.2"}, [("j2", "origin")]),
    "turn": ({"rpy": "0.3 0.1 0.1"}, [("j2", "turn")]),
    "axis": ({"axis": "0 0 -1"}, [("j2", "axis")]),
    "tilted axis": ({"axis": "0 0.001 1"}, [("j2", "axis")]),
    "damping": ({"damping": "0.3"}, [("j2", "damping")]),
    "mass and centre": (
        {"mass": "1.3", "centre": "0.0152 0.0289 -0.0407"}, [("l2", "mass"), ("l2", "centre")],
    ),
    "inertial dropped": ({"mass": "0"}, [("1 body without inertia in B has 1.2 kg and", "")]),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_differs_is_a_row_in_both_orders(name: str) -> None:
    fields, lines = FIELDS[name]
    a, b = urdf(links()), urdf(change_link(2, **fields))
    for pair in ((a, b), (b, a)):
        found = table(*pair)
        assert len(found.rows) == 1 and found.is_whole
        (row,) = found.rows
        assert row.needed and row.left <= 1e-12 < row.alone == pytest.approx(found.before)
        if name == "inertial dropped":
            which = ("B has", "A has") if pair[0] is a else ("A has", "B has")
            assert row.lines[0].place.startswith(f"1 body without inertia in {which[0][0]} has 1.2 kg and ")
        else:
            assert list_rows(found) == lines
    assert table(a, urdf(change_link(2))).rows == ()


def test_rows_stand_in_order_of_what_they_do_and_the_last_leaves_nothing() -> None:
    given = links()
    given[2]["axis"], given[1]["mass"], given[3]["damping"] = "-1 0 0", "1.2001", "1e-9"
    found = table(urdf(links()), urdf(given))
    alone = [row.alone for row in found.rows]
    assert alone == sorted(alone, reverse=True) and found.left <= 1e-12
    assert set(list_rows(found)) == {("j3", "axis"), ("l2", "mass"), ("j4", "damping")}


def test_small_differences_do_not_hide_a_cause() -> None:
    """A reversed axis beside masses of eight digits and a frame of 1e-9 kg: its row is the first, alone the whole."""
    given = links()
    for k, link in enumerate(given):
        link["mass"] = f"{float(link['mass']) + (k + 1) * 1e-8:.8f}"
    given[2]["axis"] = "-1 0 0"
    tool = (
        '<link name="tool"><inertial><mass value="1e-9"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" '
        'iyz="0"/></inertial></link><joint name="t" type="fixed"><parent link="l4"/><child link="tool"/></joint>'
    )
    found = table(urdf(links()), urdf(given, tool))
    axis = next(row for row in found.rows if row.lines[0].field == "axis")
    assert axis.alone == pytest.approx(found.before, rel=1e-5) and axis.left < 1e-6
    assert all(row.alone < 1e-5 for row in found.rows if row is not axis) and found.is_whole


def test_other_frames_and_other_names_are_no_rows() -> None:
    arm = urdf(links())
    other = mbconcord.convert(arm, to="mjcf").text
    assert table(arm, mbconcord.read(text=other, format="mjcf").system).rows == ()
    given = [
        link | {"joint": f"z{k}", "name": f"b{k}", "parent": f"b{k - 1}" if k else "l0"}
        for k, link in enumerate(links())
    ]
    given[1]["mass"] = "1.3"
    renamed = table(arm, urdf(given))
    assert [(row.lines[0].field, row.lines[0].a, row.lines[0].b) for row in renamed.rows] == [("mass", "1.2", "1.3")]


BOX = (
    '<link name="{0}"><inertial><mass value="{1}"/><inertia ixx="{2}" iyy="{2}" izz="{2}" ixy="0" ixz="0" iyz="0"/>'
    "</inertial></link>"
)
WELD = '<joint name="{0}_fixed" type="fixed"><parent link="l{1}"/><child link="{0}"/><origin xyz="0.1 0 0"/></joint>'
FRAMES = "".join(f'<link name="f{i}"/>' + WELD.format(f"f{i}", i) for i in range(1, 5))
HEAVY = "".join(BOX.format(f"f{i}", "1", "1") + WELD.format(f"f{i}", i) for i in range(1, 5))
LIGHT = "".join(BOX.format(f"f{i}", "0.001", "1e-9") + WELD.format(f"f{i}", i) for i in range(1, 5))
SPHERES = "".join(
    BOX.format(f"f{i}", "0.0005235987755982989", "5.235987755982989e-09") + WELD.format(f"f{i}", i) for i in range(1, 5)
)
FREE = '<freejoint name="root"/><inertial pos="0.1 0 0" mass="5" diaginertia="0.1 0.1 0.1"/>'
EMPTY = '<freejoint name="root"/>'
GRAVITY = '<option gravity="0 0 -9.81"/>'

#: A, B, and how the rows begin
SYSTEMATIC = {
    "products of inertia dropped": (
        lambda: (urdf(links()), urdf(links(products="0 0 0"))), ["products of inertia of 4 bodies dropped in B"]
    ),
    "products of the other sign": (
        lambda: (urdf(links()), urdf([x | {"products": f"-{x['products'].replace(' ', ' -')}"} for x in links()])),
        ["sign of the products of inertia of 4 bodies turned in"],
    ),
    "damping and armature dropped": (
        lambda: (mjcf('damping="0.{i}" armature="0.0{i}"'), mjcf()),
        ["damping of 4 joints dropped in B: j1, j2, j3, j4", "armature of 4 joints dropped in B: j1, j2, j3, j4"],
    ),
    "stiffness dropped": (lambda: (mjcf('stiffness="{i}"'), mjcf()), ["stiffness of 4 joints dropped in B"]),
    "a servo of kp 100 on every joint": (
        lambda: (mjcf('stiffness="{i}"'), mjcf('stiffness="100"')), ["stiffness of 4 joints is 100 in B: j1, j2"],
    ),
    "gravity compensation dropped": (
        lambda: (mjcf(body='gravcomp="1"'), mjcf()), ["gravity compensation of 4 bodies dropped in B: "],
    ),
    "the root's inertial dropped": (
        lambda: (mjcf(root=FREE), mjcf(root=EMPTY)), ["the inertial of the root, base, dropped in B (5 kg)"],
    ),
    "bodies without inertia given 1 kg and 1 kg m²": (
        lambda: (urdf(links(), FRAMES), urdf(links(), HEAVY)),
        ["4 bodies without inertia in A have 1 kg and 1 1 1 kg m² in B: f1, f2, f3, f4"],
    ),
    "frames given 1e-3 kg": (
        lambda: (urdf(links(), FRAMES), urdf(links(), LIGHT)),
        ["4 bodies without inertia in A have 0.001 kg and 1e-09"],
    ),
    "frames that one file has alone": (
        lambda: (urdf(links()), urdf(links(), LIGHT)),
        ["4 bodies of 0.001 kg and 1e-09 1e-09 1e-09 kg m² in B alone: f1"],
    ),
    "inertia from shapes": (
        lambda: (urdf(links(), FRAMES), urdf(links(), SPHERES)),
        ["4 bodies without inertia in A have 0.000523599 kg and 5.23599e-09 5.23599e-09 5.23599e-09 kg m² in B, "
         "those of a sphere of radius 0.005 m at 1000 kg/m³: f1"],
    ),
    "moments raised to a floor": (
        lambda: (urdf(links(products="0 0 0")), urdf(links(products="0 0 0", diagonal="0.011 0.012 0.011"))),
        ["moments of 4 bodies raised to 0.011 kg m² in B"],
    ),
    "products and masses": (
        lambda: (urdf(links(), FRAMES), urdf(links(products="0 0 0"), HEAVY)),
        ["products of inertia of 4 bodies dropped in B", "4 bodies without inertia in A have 1 kg and 1 1 1 kg m²"],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMATIC)
def test_a_fault_of_all_bodies_is_one_row_in_both_orders(name: str) -> None:
    make, begins = SYSTEMATIC[name]
    a, b = make()
    turned = str.maketrans("AB", "BA")
    for pair, words in (((a, b), begins), ((b, a), [text.translate(turned) for text in begins])):
        found = table(*pair)
        assert found.is_whole and len(found.rows) == len(begins), str(found)
        rows = [row.lines[0].place for row in found.rows]
        assert all(any(row.startswith(text) for row in rows) for text in words), (rows, words)
        assert found.rows[-1].left <= 1e-12


MIMIC = '<mimic joint="j1" multiplier="{}"/>'


def test_constraints_are_compared_by_their_rows() -> None:
    a, b = urdf(change_link(3, mimic=MIMIC.format(2))), urdf(links())
    assert table(a, b).constraints == ("1 row of A alone: j3 = 2 j1",)
    assert table(b, a).constraints == ("1 row of B alone: j3 = 2 j1",)
    assert table(a, a).constraints == ()
    assert (
        table(a, urdf(change_link(3, mimic=MIMIC.format(0.5))))
        .constraints[0]
        .startswith("the factor is inverted: j3 = 2 j1")
    )
    assert "constraints: 1 row of A alone: j3 = 2 j1" in str(table(a, b))


@pytest.mark.slow
def test_no_share_is_blamed_on_a_body_where_forces_differ() -> None:
    """Tendons are no linear laws of one coordinate, so the fields are not set side by side here."""
    text = (
        '<tendon><fixed name="t" damping="{}"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed></tendon>'
        "</mujoco>"
    )
    pair = []
    for damping, mass in (("0.5", "1.1"), ("0.7", "1.15")):
        arm = mbconcord.convert(
            mjcf(inertia=lambda i, mass=mass: f'mass="{mass}" diaginertia="0.02 0.01{i} 0.02"'), to="mjcf"
        ).text
        pair.append(mbconcord.read(text=arm.replace("</mujoco>", text.format(damping)), format="mjcf").system)
    found = why(*pair)
    assert not found.shares and "%" not in str(found)


@pytest.mark.parametrize(("damping", "tabled"), [("0.5", True), ("0.7", False)])
def test_no_table_says_that_nothing_is_left_of_forces_that_it_does_not_hold(damping: str, tabled: bool) -> None:
    """A tendon is no law of one coordinate: where it differs, too, a row of a mass would not be the whole."""
    tendon = (
        '<tendon><fixed name="t" damping="{}"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed></tendon>'
    )
    a, b = (
        mjcf(inertia=lambda i, mass=mass: f'mass="{mass}" diaginertia="0.02 0.01{i} 0.02"', option=tendon.format(own))
        for mass, own in (("1.1", "0.5"), ("1.15", damping))
    )
    found = compare_fields(a, b, match(a, b), 0, 4)
    assert (found is not None and found.is_whole and bool(found.rows)) == tabled


def test_the_search_stops_in_time() -> None:
    a, b = urdf(links()), urdf(change_link(2, mass="1.3"))
    found = why(a, b, seconds=0)
    assert (found.steps, found.fields) == ((), None)
    assert str(found) == "the search was stopped after 0 s (--why-seconds)"
    assert isinstance(found, Causes) and found.to_json()["stopped"]


@pytest.mark.slow
def test_other_words_are_tried_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of one field took a minute of tries where its row says all; what is found without them stays."""
    tried: list[object] = []

    def count(items: Iterable[object]) -> Iterator[object]:
        for item in try_each(items):
            tried.append(item)
            yield item

    monkeypatch.setattr(joints_module, "try_each", count)
    monkeypatch.setattr(search_module, "TRIED", 5 * len(urdf(links()).coordinates) ** 2)
    mass = why(urdf(links()), urdf(change_link(2, mass="1.3")))
    assert len(tried) == 10 and mass.fields is not None and mass.fields.is_whole and not mass.steps
    assert str(mass).splitlines()[-1].startswith("5 changes of joints and forces of each model are tried as other")
    product = why(urdf(links()), urdf(change_link(2, products="0.0001227 0.0007686 -0.0004462")))
    assert len(tried) == 15 and "yz of l2 has the other sign" in str(product.steps[0]) and product.stopped


#: Lines of the table that are broken: the function, what stands there, what stands there wrongly.
BROKEN = {
    "the smaller effect of both": (LumpedPair.table, "alone = max(self.measure", "alone = min(self.measure"),
    "what was left before": (LumpedPair.table, "self.measure(one, other)\n", "self.measure(self.a, other)\n"),
    "columns exchanged": (LumpedPair.table, "change.lines, alone, left, needed", "change.lines, left, alone, needed"),
    "half of it": (LumpedPair.gap, "np.max(self.part(x, y, name), initial=0.0))", "0.5 * self.part(x, y, name).max())"),
    "without M": (LumpedPair.gap, "in QUANTITIES if", "in QUANTITIES[1:] if"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_effect_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = links()
    given[2]["mass"], given[3]["damping"] = "0", "0.4"
    a, b = urdf(links()), urdf(given)
    right = table(a, b).comparisons
    assert len(right) > 8 and {c.verdict for c in right} == {"agrees"}
    broken(monkeypatch, *BROKEN[name])
    assert "disagrees" in {c.verdict for c in table(a, b).comparisons}


@pytest.mark.slow
def test_a_wrong_effect_is_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(tmp_path / f"{name}.urdf") for name in "ab"]
    for file, given in zip(files, (links(), change_link(3, axis="-1 0 0")), strict=True):
        Path(file).write_text(write_urdf(given), encoding="utf-8")
    broken(monkeypatch, *BROKEN["half of it"])
    assert main(["compare", *files, "--why", "-q"]) == 1
    assert "why: error: j3 axis: alone: " in capsys.readouterr().err


#: Lines between what differs and the screen that are broken: what prints, with JSON or as a text.
TOLD = {
    "both columns of A": (fields_module._unlike, "write_pair(x[0], y[0])", "write_pair(x[0], x[0])", ()),
    "columns exchanged": (fields_module._unlike, "write_pair(x[1], y[1])", "write_pair(y[1], x[1])", ()),
    "another element": (fields_module._unlike, "one[unlike]", "one[[0]]", ()),
    "three digits": (fields_module.write_pair, "range(6, 18)", "range(3, 18)", ()),
    "angles exchanged": (fields_module._angles, "R[2, 1], R[2, 2]", "R[2, 2], R[2, 1]", ()),
    "another origin": (fields_module.changes, "write_pair(x, y)", "write_pair(x, 2 * y)", ()),
    "half a law": (fields_module.changes, "write_pair(a.laws[i, k], b.laws", "write_pair(b.laws[i, k], b.laws", ()),
    "before": (LumpedPair.table, "before = left = self", "before = left = 2 * self", ()),
    "what is left": (FieldTable.to_json, '"left": self.left', '"left": self.before', ("--json",)),
    "texts of JSON": (FieldLine.to_json, '"a": self.a', '"a": self.b', ("--json",)),
    "effects of JSON": (FieldRow.to_json, '"alone": self.alone', '"alone": self.left', ("--json",)),
    "accelerations of a state": (State.to_json, '"a": dict(self.a)', '"a": {}', ("--json",)),
    "scale of a pair": (JudgedComparison.to_json, "_finite(self.scale)", "_finite(self.cond)", ("--json",)),
    "largest": (LargestDifference.to_json, "_finite(self.of_scale)", "None", ("--json",)),
    "sides of the head": (FieldTable._table, '"A", "B", "alone"', '"B", "A", "alone"', ()),
    "order of a line": (FieldTable._table, "line.a, line.b, *((", "line.b, line.a, *((", ()),
    "line left out": (FieldTable._table, "enumerate(row.lines)", "enumerate(row.lines[:1])", ()),
    "effect of a line": (FieldTable._table, "f'{row.left:.2g}')", "f'{row.alone:.2g}')", ()),
    "cause": (Causes._describe_search, "map(str, self.steps)", "map(repr, self.steps[:0])", ()),
    "cause of JSON": (Causes.to_json, "for cause in step.causes", "for cause in step.causes[:0]", ("--json",)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", TOLD)
def test_what_why_prints_is_read_back(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, right, wrong, how = TOLD[name]
    of_two = {"products": "0.0001227 0.0007686 -0.0004462", "rpy": "0.3 0.1 0.1", "damping": "0.3"}
    given = change_link(2, mass="1.3", centre="0.0152 0.0289 -0.0407", origin="0.011 0.02 0.2", **of_two)
    given = change_link(3, axis="-1 0 0") if "cause" in name else given
    files = [str(tmp_path / f"{file}.urdf") for file in "ab"]
    for file, own in zip(files, (links(), given), strict=True):
        Path(file).write_text(write_urdf(own), encoding="utf-8")
    assert main(["compare", *files, "--why", *how]) == 1
    assert " error: " not in capsys.readouterr().err
    broken(monkeypatch, function, right.replace("'", '"'), wrong.replace("'", '"'))
    assert main(["compare", *files, "--why", *how]) == 1
    assert " error: " in capsys.readouterr().err


def test_scales_of_another_model_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = urdf(links()), urdf(change_link(2, mass="1.3"))
    assert {c.verdict for c in table(a, b).comparisons} == {"agrees"}
    broken(monkeypatch, LumpedPair.__init__, "TreeKinematics(second, theirs)", "TreeKinematics(first, theirs)")
    wrong = [c for c in table(a, b).comparisons if c.verdict == "disagrees"]
    assert {c.quantity for c in wrong} >= {"scale of M", "scale of gravity"}
    assert all(c.values and c.values[0] < c.values[1] for c in wrong)


def test_groups_that_are_not_their_model_s_are_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B's groups beside A's numbers: the table was left out in silence, and the search alone was printed."""
    files, heavy = [str(tmp_path / f"{name}.urdf") for name in "ab"], change_link(2, mass="1.3")
    for file, given in zip(files, (links(), heavy), strict=True):
        Path(file).write_text(write_urdf(given), encoding="utf-8")
    broken(monkeypatch, LumpedPair.__init__, "(self.y, second, theirs, order)", "(self.y, first, theirs, order)")
    assert main(["compare", *files, "--why", "-q"]) == 1
    said = "why: error: the groups of bodies do not give the model's own numbers"
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_why_prints_the_table(capsys: pytest.CaptureFixture[str], tmp_path) -> None:  # type: ignore[no-untyped-def]
    files = []
    for name, given in (("a", links()), ("b", change_link(3, axis="-1 0 0"))):
        files.append(str(tmp_path / f"{name}.urdf"))
        (tmp_path / f"{name}.urdf").write_text(write_urdf(given), encoding="utf-8")
    assert main(["compare", *files, "--why", "--why-seconds", "5m", "-q"]) == 1
    head, columns, row, *rest = capsys.readouterr().out.splitlines()
    assert head == "not the same machine"
    assert columns.split() == ["why,", "in", "order", "of", "size:", "A", "B", "alone", "left", "after", "it"]
    assert row.split()[:8] == ["j3", "axis", "1", "0", "0", "-1", "0", "0"]
    assert rest[0] == "nothing is left"
    assert main(["compare", *files, "--why", "--json"]) == 1
    fields = json.loads(capsys.readouterr().out)["why"]["fields"]
    assert fields["whole"] and fields["rows"][0]["lines"] == [
        {"place": "j3", "field": "axis", "a": "1 0 0", "b": "-1 0 0"}
    ]
    assert main(["compare", *files, "--why", "--why-seconds", "0"]) == 2


def test_of_many_coordinates_the_catalogue_is_not_searched_for_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows leave nothing: single changes of a humanoid cost half a minute to try, and say no more."""

    def search(*_: object) -> Causes:
        raise AssertionError("it is searched")

    monkeypatch.setattr(search_module, "_search", search)
    one, other = (" > ".join(f"z(q{i}) i(0.5) ${m if i == 7 else 1}" for i in range(24)) for m in (1, 2))
    a, b = (mbconcord.read(text=f"{text} g9.81-y", format="mbsd").system for text in (one, other))
    found = why(a, b)
    assert found.fields is not None and found.fields.is_whole and list_rows(found.fields)[0][1] == "mass"
    with pytest.raises(AssertionError, match="searched"):
        why(urdf(links()), urdf(change_link(2, mass="1.3")))


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("law", ["sqrt(q2-100)", "log(q2-1000)"])
def test_a_law_without_a_value_at_rest_does_not_end_the_search(law: str) -> None:
    """It was taken at zero, where it has no number, before it was seen to be no linear law."""
    a, b = (
        mbconcord.read(text=f"z(q1) j-0.5 $1 > z(q2) j-0.5 ${mass} g9.81-y", format="mbsd").system for mass in (1, 2)
    )
    rubbed = [replace(x, forces=(JointEffort("f", "q2", parse_formula(law)),)) for x in (a, b)]
    tied = replace(b, constraints=(Holonomic("row", parse_formula(f"q1 - {law}")),))
    for pair in (rubbed, (rubbed[0], b), (b, rubbed[0]), (a, tied)):
        assert isinstance(why(*pair), Causes)


def test_columns_a_and_b_that_are_exchanged_are_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields of A under B would be a right table of another question."""
    texts = "z j-2 $3 > z j-1 $1 g9.81", "z j-2 $3 > z j-1 $2 g9.81"
    a, b = (mbconcord.read(text=text, format="mbsd").system for text in texts)
    assert not why(a, b).comparisons
    monkeypatch.setattr(search_module, "LumpedPair", lambda x, y, *rest: LumpedPair(y, x, *rest))
    assert [c.verdict for c in why(a, b).comparisons] == ["disagrees"]


def test_a_cause_that_changes_nothing_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change is applied before it is named, and once more by the judge: one that names nothing changes nothing."""
    a, b = urdf(links()), urdf(change_link(2, mass="1.3"))
    idle = fields_module.of_a([FieldLine("force of 0 bodies dropped in B", "")], lambda x, _: x)
    monkeypatch.setattr(systematic, "_pulls", lambda *_: [idle])
    assert list_rows(table(a, b)) == [("l2", "mass")]
    monkeypatch.setattr(search_module, "find_systematic", lambda *_: [idle])
    found = table(a, b)
    assert list_rows(found)[0] == ("force of 0 bodies dropped in B", "")
    assert [c.explanation for c in found.comparisons if c.verdict == "disagrees"] == [
        "it changes no field that differs"
    ]
