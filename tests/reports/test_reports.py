"""Reports: complete, self-contained, well-formed, the same bytes every time; pictures show the mechanism."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from math import cos, pi, sin
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import mbconcord
from mbconcord.converters.registry import read_text
from mbconcord.formalisms.registry import names
from mbconcord.model import MbconcordError, State, System
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.reports import description, html, render, text
from mbconcord.reports.part import closing_line, digest, dumps
from mbconcord.reports.pictures.frames import turn
from mbconcord.reports.pictures.picture import picture
from mbconcord.reports.pictures.scene import scene
from mbconcord.reports.plots.histogram import LABELS, counts, draw_counts, histogram
from mbconcord.reports.summary import obstacles, open_tree_only
from mbconcord.reports.table import short, table
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import WORST_FIRST, Comparison, Evidence
from mbconcord.witnessed import CONSTRAINTS, find_rows, list_assumptions

FIXTURES = Path(__file__).parents[2] / "fixtures"
MODELS = {
    "pendulum": "zig",
    "double pendulum": "zi>zig",
    "cart": "u>z-jg",
    "spatial": "zk+0.2>xk+0.4>xj+0.3>yj+0.15>xj+0.1>yj+0.05g",
    "particle": "uvwg",
    "named particle": "u(x_p)°(x_0)'(v_0)$(m_p)\"(-c_1 u + c_3 u^3 - d_1 u') ; x_0=1, v_0=0, "
    "m_p=2, c_1=1, c_3=2, d_1=3",
    "rod": "zi#a ; g-y \\ #a :(2) {3,0} < #0",
    "spring": 'zi#a ; g-y \\ #a :"(-5*(@-1)) {3,0} < #0',
    "prescribed": "z i(1+0.1*sin(t)) z i g",
    "drawn parameter": "zi(L)g",
    "no gravity": "zi>zi",
}


def system(name: str) -> System:
    return read_text(MODELS[name], f"{name}.mbsd", "mbsd").system


@pytest.fixture(scope="module")
def evidences() -> list[Evidence]:
    return [check(system(name), f"models/{name}.mbsd", states=3) for name in MODELS]


@pytest.fixture(scope="module")
def with_disagreement(evidences: list[Evidence]) -> list[Evidence]:
    first = evidences[1].comparisons[0]
    wrong = replace(
        first, verdict="disagrees", discrepancy=0.25, values=(1.0, 1.5), explanation="newton_euler is wrong by <half>"
    )
    return [replace(evidences[1], comparisons=(wrong, *evidences[1].comparisons[1:])), *evidences]


@pytest.fixture(scope="module")
def page(with_disagreement: list[Evidence]) -> str:
    return render(with_disagreement, "r.html")


class Balanced(HTMLParser):
    """Fails on a tag that is closed wrongly or not at all."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})
    #: What HTML lets end with the next cell or the end of its row.
    CELLS = ("td", "th")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.shown: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag in (*self.CELLS, "tr") and self.open[-1] in self.CELLS:
            self.open.pop()
        if tag == "tr" and self.open[-1] == "tr":
            self.open.pop()
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        for ending in (self.CELLS, ("tr",)) if tag in ("tr", "tbody") else ():
            if self.open[-1] in ending and self.open[-1] != tag:
                self.open.pop()
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def parsed(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert not parser.open
    return parser


@pytest.mark.slow
def test_html_is_well_formed_and_self_contained(page: str) -> None:
    seen = parsed(page).seen
    assert {"svg", "math", "table", "style"} <= seen
    assert not seen & {"link", "img", "iframe", "object", "embed"} and page.count("<script>") == 1
    assert {*re.findall(r"https?://[^\s\"'<)]*", page)} <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|\bsrc=", page)


@pytest.mark.slow
def test_html_shows_what_was_found(page: str, with_disagreement: list[Evidence]) -> None:
    shown = " ".join("".join(parsed(page).shown).split())
    for evidence in with_disagreement:
        for words in (evidence.file, evidence.verdict, f"mbconcord check '{evidence.file}'", f"seed {evidence.seed}"):
            assert words in shown or words.replace("'", "") in shown
    for words in ("newton_euler is wrong by <half>", "1.5", "M[z", "2.5e-01", "takes its open tree only: "):
        assert words in shown
    for formalism in names():
        assert formalism in shown
    assert "drawn for each state" in shown and "default" in shown and "given" in shown


@pytest.mark.slow
@pytest.mark.parametrize("form", ["md", "xml", "json"])
def test_same_evidence_same_bytes(form: str, with_disagreement: list[Evidence]) -> None:
    assert render(with_disagreement, f"r.{form}") == render(with_disagreement, f"r.{form}")


@pytest.mark.slow
def test_same_evidence_same_page(page: str, with_disagreement: list[Evidence]) -> None:
    assert render(with_disagreement, "r.html") == page


@pytest.mark.rest
@pytest.mark.slow
def test_reports_do_not_depend_on_the_process() -> None:
    code = (
        "from dataclasses import replace\n"
        "from mbconcord.converters.registry import read_text\n"
        "from mbconcord.validation.check import check\n"
        "from mbconcord.reports import render\n"
        "e = check(read_text('zi>zig', 'a.mbsd', 'mbsd').system, 'a.mbsd', states=2)\n"
        "e = replace(e, witnesses=tuple(replace(w, seconds=None) for w in e.witnesses))\n"
        "print(render([e], 'r.html'))\n"
    )
    pages = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8",
            env={"PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_names_of_users_are_escaped() -> None:
    evil = "</script><b>&\"'"
    model = system("double pendulum")
    model = replace(
        model,
        name=evil,
        bodies=tuple(replace(b, name=b.name + evil, parent=b.parent and b.parent + evil) for b in model.bodies),
    )
    evidence = check(model, f"{evil}.mbsd", states=1)
    page = render([evidence], "r.html")
    parsed(page)
    assert "<b>" not in page
    prose = re.sub(r"^```.*?^```", "", render([evidence], "r.md"), flags=re.MULTILINE | re.DOTALL)
    assert "&lt;/script>&lt;b>" in prose and "<b>" not in prose and "</script>" not in prose
    ElementTree.fromstring(render([evidence], "r.xml"))


@pytest.mark.slow
def test_junit_counts(with_disagreement: list[Evidence]) -> None:
    root = ElementTree.fromstring(render(with_disagreement, "r.xml"))
    for suite, evidence in zip(root, with_disagreement, strict=True):
        verdicts = [c.verdict for c in evidence.comparisons]
        assert int(suite.get("tests", "")) == len(verdicts) == len(suite.findall("testcase"))
        assert int(suite.get("failures", "")) == verdicts.count("disagrees") == len(suite.findall("*/failure"))
        assert int(suite.get("skipped", "")) == verdicts.count("not checked") == len(suite.findall("*/skipped"))


def test_json_is_strict(with_disagreement: list[Evidence]) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    data = json.loads(render(with_disagreement, "r.json"), parse_constant=refuse)
    assert [f["verdict"] for f in data["files"]] == [e.verdict for e in with_disagreement]
    assert dumps({"a": [float("nan"), 1.5, -float("inf")]}) == '{"a": [null, 1.5, null]}'


@pytest.mark.slow
def test_markdown_and_text_name_every_verdict(with_disagreement: list[Evidence]) -> None:
    digests = [digest(evidence) for evidence in with_disagreement]
    brief = text.one_file(with_disagreement[0], brief=True)
    for shown in (render(with_disagreement, "r.md"), text.summary(digests) + brief):
        for words in ("agrees", "disagrees", "not checked"):
            assert words in shown
    for words in ("newton_euler is wrong", "mbconcord check"):
        assert words in brief
    assert closing_line(digests, 2) == "14 files: 9 agrees, 1 disagrees, 2 not checked, 2 refused"


@pytest.mark.slow
@pytest.mark.parametrize("file", ["r.html", "r.md"])
def test_the_top_of_a_report_says_what_agreement_is(file: str, evidences: list[Evidence]) -> None:
    """The words of docs/conventions.md: bounds, and nothing of a tolerance that somebody chose."""
    top = " ".join(render(evidences[:1], file).partition("models/pendulum.mbsd")[0].split())
    assert "no more than the arithmetic of floats explains" in top
    assert "the sum of their running error bounds" in top
    assert "never excused as ill-conditioned" in top
    assert "fewer than two independent witnesses" in top
    assert "the smallest relative error in an entry that this comparison would have caught" in top
    assert "tolerance · scale" not in top


@pytest.mark.slow
@pytest.mark.parametrize("file", ["r.md", "r.html", "r.xml", "r.json", "r.sarif"])
def test_a_report_says_under_which_assumptions_its_numbers_hold(file: str, evidences: list[Evidence]) -> None:
    """Once for each model, before its table; of constraints where the model has some."""
    (about,) = (row.assumes for row in find_rows("check", CONSTRAINTS))
    (common,) = list_assumptions("check", ["quantity"])
    for evidence in evidences:
        shown = render([evidence], file)
        assert (shown.count(common), shown.count(about)) == (1, 1 if evidence.system.constraints else 0)
        assert file.endswith(("json", "sarif")) or shown.index(common) < shown.rindex("newton_euler")


def test_every_form_shows_what_would_have_been_noticed() -> None:
    """Of quantities of trees and of motions with constraints; zeros are said to be."""
    closed = read_text("zi zi #a ; g-y \\ #a :(2) {3,0} < #0", "rod.mbsd", "mbsd").system
    rod = check(closed, formalisms=["lagrange", "konoplev"], states=3, claims=[])
    pages = [render([rod], "r.html"), render([rod], "r.md"), text.one_file(rod, detail=2)]
    for quantity in ("M", "gravity", "inverse_dynamics", "constrained acceleration", "reactions"):
        (c, *_) = (c for c in rod.comparisons if c.quantity == quantity and not c.claim)
        assert c.noticeable is not None and 1e-16 < c.noticeable < 1e-10
        assert all(short(c.noticeable) in page for page in pages)
    assert all("ensitivity" in page and "agrees, zero" in page for page in pages)


def test_the_form_is_told_by_the_suffix(evidences: list[Evidence]) -> None:
    assert render(evidences, "a.md").startswith("# ")
    assert render(evidences[:1], "a.HTML").lstrip().startswith("<!DOCTYPE html>")
    with pytest.raises(MbconcordError, match=r"known: \.html"):
        render(evidences, "a.docx")


@pytest.mark.parametrize("name", MODELS)
def test_pictures_are_drawings_inside_their_frame(name: str) -> None:
    svg, caption = picture(system(name), {"L": 2.0} if name == "drawn parameter" else {})
    root = ElementTree.fromstring(svg)
    assert caption
    _, _, width, height = map(float, root.get("viewBox", "").split())
    names = {"x1": width, "x2": width, "cx": width, "x": width, "y1": height, "y2": height, "cy": height, "y": height}
    for element in root.iter():
        for key, most in names.items():
            value = element.get(key)
            assert value is None or -1 <= float(value) <= most + 1, ElementTree.tostring(element)
    labels = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert set(system(name).coordinate_names) <= labels


def test_a_picture_without_numbers_says_what_is_missing() -> None:
    svg, caption = picture(system("drawn parameter"))
    assert not svg and "parameters/L has no value" in caption


@pytest.mark.parametrize(("axis", "vector", "turned"), [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")])
def test_turns_are_right_handed(axis: str, vector: str, turned: str) -> None:
    unit = dict(zip("xyz", np.eye(3), strict=True))
    assert turn(unit[axis], pi / 2) @ unit[vector] == pytest.approx(unit[turned], abs=1e-15)


def test_scene_of_the_double_pendulum_at_thirty_degrees() -> None:
    """Centres of mass by hand: (cos 30°, sin 30°), and there plus (cos 90°, sin 90°)."""
    shown = scene(read_text("z°30 i > z°60 i g", format="mbsd").system)
    first, second = (point for _, point in shown.masses)
    assert first == pytest.approx([cos(pi / 6), sin(pi / 6), 0])
    assert second == pytest.approx([cos(pi / 6), sin(pi / 6) + 1, 0])
    assert [joint.label for joint in shown.joints] == ["z1", "z2"]
    assert shown.joints[1].point == pytest.approx(first)
    assert shown.initial and shown.plane() == 2


@pytest.mark.parametrize(
    ("name", "plane", "initial"),
    [("double pendulum", 2, False), ("cart", 2, False), ("spatial", None, True), ("no gravity", 2, False)],
)
def test_planar_mechanisms_are_drawn_in_their_plane(name: str, plane: int | None, initial: bool) -> None:
    shown = scene(system(name))
    assert shown.plane() == plane
    assert shown.initial is initial or name in ("cart", "spatial")


def test_gravity_out_of_the_plane_is_spatial() -> None:
    assert scene(read_text("z°30 i > z°60 i g-z", format="mbsd").system).plane() is None


def test_equations_of_small_models_are_shown(evidences: list[Evidence]) -> None:
    found = html.formulas(evidences[1])
    assert found is not None and found.groups and found.operands <= html.FULL


@pytest.mark.slow
def test_equations_that_are_too_long_to_be_read_are_pointed_to(evidences: list[Evidence]) -> None:
    evidence = evidences[list(MODELS).index("spatial")]
    found = html.formulas(evidence)
    assert found is not None and not found.groups and found.operands > html.FULL
    page = render([evidence], "r.html")
    assert f"have {found.operands} operands" in page and "mbconcord derive models/spatial.mbsd" in page


def test_info_describes_the_model() -> None:
    facts = description.describe("f.mbsd", system("named particle"), {}, [], {})
    assert facts["coordinates"][0]["name"] == "x_p" and facts["coordinates"][0]["unit"] == "m"
    assert facts["bodies"][0]["joint"] == "shift x_p along x"
    shown = description.text(facts)
    for words in ("x_p", "m_p", "joint_efforts", "gravity: none"):
        assert words in shown


@pytest.mark.slow
def test_a_state_given_by_the_user_is_in_the_command(evidences: list[Evidence]) -> None:
    options = ["--set", "m1=2", "--state", "my state.json"]
    said = text.one_file(evidences[0], options)
    assert "--set m1=2 --state 'my state.json'" in said and "--states" not in said
    given = check(system("pendulum"), "p.mbsd", given=[State(q={"z1": 0.5})])
    assert "1 state," in text.one_file(given)


def test_table_columns() -> None:
    assert table(("a", "bb"), [("ccc", 1), ("", 22)]) == "a    bb\n---  --\nccc  1\n     22"
    assert table(("a", "b"), [(-0.0, f"{-0.0:.6g}"), ("-0.05", "-01")]) == "a      b\n-----  ---\n0.0    0\n-0.05  -01"
    assert [short(x) for x in (None, 0.0, 1.25e-13, float("inf"))] == ["-", "0", "1.2e-13", "inf"]


@pytest.mark.parametrize(
    ("excess", "column"),
    [(0.0, 0), (1e-30, 1), (1e-4, 1), (1.1e-4, 2), (1.0, 5), (1.001, 6), (900.0, 8), (1e4, 9), (float("inf"), 9)],
)
def test_the_histogram_counts_by_decades_of_what_is_tolerated(excess: float, column: int) -> None:
    found = counts([excess])
    assert [i for i, n in enumerate(found) if n] == [column] and sum(found) == 1
    assert ('class="over"' in histogram([excess])) is (column > 5)


def test_columns_that_are_drawn_are_counted_by_powers_of_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    excesses = [0.0, 1e-20, 1e-4, 1.1e-4, 0.5, 1.0, 1.5, 10.0, 1e9, float("inf"), float("nan")]
    assert histogram(excesses)
    for wrong in (lambda k: 0 if k is None else min(max(k, -4), 3) + 5, lambda k: 0 if k is None else 5):
        monkeypatch.setattr("mbconcord.reports.plots.histogram._column", wrong)
        with pytest.raises(DisagreementError, match="histogram: error: columns"):
            histogram(excesses)
        with pytest.raises(DisagreementError, match="histogram: error: columns"):
            draw_counts({None: 3, -9: 2, 0: 5, 309: 1})


@pytest.mark.parametrize(
    ("place", "wrong"),
    [("LABELS", LABELS[::-1]), ("LABELS", (*LABELS[:-2], *LABELS[:-3:-1])), ("math.log1p", lambda n: n)],
)
def test_bars_and_labels_of_a_histogram_are_read_back(
    monkeypatch: pytest.MonkeyPatch, place: str, wrong: object
) -> None:
    for drawn in (histogram([]), histogram([0.0]), draw_counts({}), draw_counts({None: 3, -200: 2, 0: 5, 309: 1})):
        assert drawn.count("<svg") == bool(drawn)
    monkeypatch.setattr(f"mbconcord.reports.plots.histogram.{place}", wrong)
    with pytest.raises(DisagreementError, match="histogram: error: columns"):
        histogram([0.0, 0.5, 0.5, 20.0])


@pytest.mark.parametrize("said", [(), ("parameters/a: anything",)])
def test_what_formalisms_do_not_take_is_read_back(monkeypatch: pytest.MonkeyPatch, said: tuple[str, ...]) -> None:
    tree = check(system("rod"), "rod.mbsd", states=1, claims=())
    none = replace(tree, witnesses=tuple(replace(w, obstacles=w.constraint_obstacles) for w in tree.witnesses))
    assert open_tree_only(tree) == obstacles(none) and open_tree_only(tree)
    assert not open_tree_only(none) and not obstacles(tree)
    monkeypatch.setattr("mbconcord.reports.summary.refusals", lambda name, found: said if found else ())
    for of, given in ((open_tree_only, tree), (obstacles, none)):
        with pytest.raises(DisagreementError, match="obstacles: error: only the report or the check has"):
            of(given)


def test_disagreements_come_first_and_every_pair_is_folded_away(page: str) -> None:
    verdicts = re.findall(r'<section id="[^"]*" data-file="[^"]*" data-verdict="([^"]*)"', page)
    assert verdicts[0] == "disagrees" and verdicts == sorted(verdicts, key=WORST_FIRST.index)
    assert page.count("<details>") == page.count("</details>") and ">All " in page


def _crane() -> tuple[Comparison, ...]:
    return tuple(mbconcord.check(FIXTURES / "mbsd/patu655.mbsd", states=2).comparisons)


@pytest.mark.slow
def test_short_table_has_at_most_eight_rows() -> None:
    from mbconcord.reports.quantities import CLAIMED, group, quantities
    from mbconcord.validation.claims import ALL

    assert {*CLAIMED["independent witnesses"], *CLAIMED["second reading"]} <= {claim.name for claim in ALL}
    comparisons = _crane()
    rows = group([q for q in quantities(comparisons) if q.is_compared])
    assert [row.name for row in rows] == [
        "M", "h", "generalized forces", "inverse dynamics", "acceleration", "physical identities",
        "independent witnesses", "second reading",
    ]  # fmt: skip
    assert sum(len(row.pairs) for row in rows) == sum(c.verdict != "not checked" for c in comparisons)


@pytest.mark.slow
def test_quantity_that_disagrees_keeps_its_own_row() -> None:
    from mbconcord.reports.quantities import group, quantities

    comparisons = _crane()
    wrong = [replace(c, verdict="disagrees") if c.quantity == "kinetic energy" else c for c in comparisons]
    rows = {row.name: row.verdict for row in group([q for q in quantities(wrong) if q.is_compared])}
    assert rows["kinetic energy"] == "disagrees"
    assert rows["physical identities"] == "agrees"
