"""What a formalism adds to a report, and how its listing is printed: nothing but what it says itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from mbconcord.converters.registry import read_text
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Assignment, Derivation, Nested, Stage
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import cos, rate, symbol
from mbconcord.model.notation.listing import Listing, Notation, ReportSection, SectionTable
from mbconcord.reports import render
from mbconcord.reports.equations import render as equations
from mbconcord.validation.check import check

MODEL = "zig\n"
#: Words that other formalisms' own lists and sections are made of.
OTHERS = ("tier", "konoplev", "object", "component", "work of")


class Pendulum(Formalism):
    """The pendulum of one line, written down with a name for the weight."""

    name = "pendulum"
    title = "A pendulum by hand"
    reference = "a textbook"
    takes = frozenset[str]()
    notation: ClassVar[Notation | None] = None
    following: ClassVar[tuple[ReportSection, ...]] = ()

    def derive(self, system: System) -> Derivation:
        m, i, g, z = map(symbol, ("m1", "i1", "g", "z1"))
        zero = m * 0
        quantities = {"M": ((m * i * i,),), "h": (zero,), "gravity": (-(m * g * i * cos(z)),), "applied": (zero,)}
        return Derivation(self.name, system, quantities)

    def listing(self, system: System) -> Listing:
        weight, m, i, g, z = map(symbol, ("θ1", "m1", "i1", "g", "z1"))
        stages = (Stage("one", "weight of the bob", (Assignment("θ1", m * g),)),)
        quantities = {"M": ((m * i * i,),), "gravity": (-(weight * i * cos(z)),)}
        more = {"notation": self.notation} if self.notation else {}
        return Listing(self.name, system, quantities, stages, sections=self.following, **more)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes a formalism known by its name, as an entry point does."""

    def announce(made: Formalism) -> Formalism:
        honest, others = registry.formalism, registry.names()
        monkeypatch.setattr(registry, "names", lambda: (*others, made.name))
        monkeypatch.setattr(registry, "formalism", lambda name: made if name == made.name else honest(name))
        return made

    return announce


def pages(*names: str) -> tuple[str, str]:
    """Markdown and HTML of a check of the pendulum."""
    found = check(read_text(MODEL, "model.mbsd").system, "model.mbsd", names, states=1)
    assert found.verdict != "disagrees"
    return render([found], "r.md"), render([found], "r.html")


# --- sections of reports ----------------------------------------------------------------------------


class Talking(Pendulum):
    """One that adds to reports."""

    def sections(self, derivation: Derivation) -> tuple[ReportSection, ...]:
        table = SectionTable(("what", "m", "size & unit"), (("bob", "2", "3 kg"), ("<b>", "4", "|")))
        n = len(derivation.system.bodies)
        return (ReportSection("Bobs", f"of {n} body", table, "no air"), ReportSection("Alone", note="nothing else"))

    def appendix(self) -> tuple[ReportSection, ...]:
        return (ReportSection("All bobs", "so many", SectionTable(("m", "n_M, all"), (("1", "2"),), names=0)),)


def test_what_a_formalism_adds_stands_in_the_reports(known: Any) -> None:
    known(Talking())
    lines, page = pages("pendulum", "lagrange")
    table = "| what | m | size & unit |\n| --- | --- | --- |\n| bob | 2 | 3 kg |\n| &lt;b> | 4 | \\| |\n"
    said = f"\nBobs:\n\nof 1 body\n\n{table}\nno air\n\nAlone:\n\nnothing else\n"
    assert said in lines
    assert "\n## All bobs\n\nso many\n\n| m | n_M, all |\n| --- | --- |\n| 1 | 2 |\n" in lines
    assert (
        '<summary>Bobs</summary>\n<p>of 1 body</p>\n<table class="names1">' in page
        and '<p class="note">no air</p>' in page
    )
    assert "<th>What</th><th>m</th><th>Size &amp; unit</th>" in page
    assert "<tr><td>bob<td>2<td>3 kg\n" in page
    assert "&lt;b&gt;" in page and "<b>" not in page.split("<summary>Bobs</summary>")[1].split("</table>")[0]
    assert '<summary>Alone</summary>\n<p class="note">nothing else</p>\n' in page
    assert (
        "<h2>All bobs</h2>\n<p>so many</p>" in page
        and '<table class="names0">\n<thead><tr><th>m</th><th>n_M, all</th>' in page
    )


def test_the_appendix_stands_once_whatever_the_number_of_models(known: Any) -> None:
    known(Talking())
    found = check(read_text(MODEL, "a.mbsd").system, "a.mbsd", ["pendulum", "lagrange"], states=1)
    for page in (render([found, found], "r.md"), render([found, found], "r.html")):
        assert page.count("All bobs") == 1 and page.count("Alone") == 2


def test_a_formalism_that_has_no_name_here_is_heard_too() -> None:
    """One that is handed over as an object: nobody has to announce it."""
    found = check(read_text(MODEL, "model.mbsd").system, "model.mbsd", [Talking(), "lagrange"], states=1)
    assert "\nBobs:\n" in render([found], "r.md") and "<h2>All bobs</h2>" in render([found], "r.html")


def test_without_the_formalism_its_sections_are_not_there(known: Any) -> None:
    known(Talking())
    for page in pages("newton_euler", "lagrange"):
        assert "bobs" not in page.lower()


def test_a_formalism_that_fails_here_spoils_no_report(known: Any) -> None:
    class Failing(Pendulum):
        def sections(self, derivation: Derivation) -> tuple[ReportSection, ...]:
            raise KeyError("bob")

        def appendix(self) -> tuple[ReportSection, ...]:
            raise ZeroDivisionError("no bobs")

    known(Failing())
    for page in pages("pendulum", "lagrange"):
        assert page.count("Sections of pendulum") == 2
        assert "ZeroDivisionError: no bobs" in page and "KeyError" in page


# --- listings ---------------------------------------------------------------------------------------


def printed(made: Formalism, output: str) -> Any:
    return equations(made.listing(read_text(MODEL, "model.mbsd").system), [], output)


@pytest.mark.parametrize("output", ["text", "latex", "python", "c", "json"])
def test_a_listing_is_printed_with_nothing_of_another_formalism(output: str) -> None:
    found = printed(Pendulum(), output)
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    assert not [word for word in OTHERS if word in text.lower()]
    assert "weight of the bob" in text


def test_a_listing_in_plain_names() -> None:
    assert printed(Pendulum(), "text").startswith("# one: weight of the bob\nθ1 = g*m1\n\n# M\n")
    found = printed(Pendulum(), "json")
    assert list(found) == ["formalism", "system", "coordinates", "stages", "quantities"]
    assert found["stages"] == [
        {"name": "one", "title": "weight of the bob", "assignments": [{"name": "θ1", "expression": "g*m1"}]}
    ]
    assert printed(Pendulum(), "c").startswith("/* model: the stages of pendulum\n")
    assert r"  θ_{1} &= g \, m_{1}" in printed(Pendulum(), "latex")


def test_python_of_a_listing_runs_whatever_its_names_are() -> None:
    scope: dict[str, Any] = {"__name__": "derived"}
    exec(compile(printed(Pendulum(), "python"), "pendulum.py", "exec"), scope)
    values = {"m1": 2.0, "i1": 0.5, "g": 9.81}
    known = {name: values[name] for name in scope["PARAMETERS"] if name in values}
    found = scope["quantities"](0.0, [0.3], [0.1], parameters=known)
    assert found["gravity"] == pytest.approx([-2 * 9.81 * 0.5 * np.cos(0.3)])


class Bobs(Notation):
    """Names of its own."""

    stages = "bobs"

    def latex(self, name: str) -> str:
        return r"\bob" if name == "θ1" else super().latex(name)

    def code(self, name: str) -> str:
        return name.replace("θ", "bob")


def test_a_listing_says_how_its_names_are_typeset_and_what_follows_it() -> None:
    class Written(Pendulum):
        notation = Bobs()
        following = (ReportSection("bobs", "counted", SectionTable(("bob", "kg"), (("first", "2"),)), "that is all"),)

    assert printed(Written(), "text").endswith(
        "\n\n# bobs\n# counted\n# bob    kg\n# -----  --\n# first   2\n# that is all\n"
    )
    assert r"  \bob &= " in printed(Written(), "latex")
    assert re.search(r"^    bob1 = ", printed(Written(), "python"), re.MULTILINE)
    assert "const double bob1 = " in printed(Written(), "c") and "the bobs of pendulum" in printed(Written(), "c")
    found = printed(Written(), "json")
    assert found["bobs"][0]["name"] == "one"
    assert found["sections"] == [
        {"title": "bobs", "about": "counted", "note": "that is all", "headers": ["bob", "kg"], "rows": [["first", "2"]]}
    ]


# --- subsystems -------------------------------------------------------------------------------------


def test_one_that_divides_nothing_says_so() -> None:
    system = read_text(MODEL, "model.mbsd").system
    assert not Pendulum().divides
    with pytest.raises(FormalismError, match="pendulum does not divide its equations"):
        Pendulum().divide(system, {"a": ("z1",)})


def test_subsystems_of_any_formalism_that_divides(known: Any, run: Any, tmp_path: Any) -> None:
    class Dividing(Pendulum):
        def divide(self, system: System, groups: Mapping[str, Sequence[str]]) -> Derivation:
            (coordinates,) = groups.values()
            assert coordinates == ["z1"]
            own, force = symbol("m1") * rate("z1", 2), -symbol("g")
            parts: Mapping[str, Nested] = {"own": (own,), "interaction": (own * 0,), "force": (force,)}
            return Derivation(self.name, system, {}, native=parts)

    known(Dividing())
    (tmp_path / "model.mbsd").write_text(MODEL, encoding="utf-8")
    out, _ = run("derive", tmp_path / "model.mbsd", "--formalism", "pendulum", "--subsystems", "z1")
    assert "own[z1] = " in out and "force[z1] = -g\n" in out
    _, err = run("derive", tmp_path / "model.mbsd", "--formalism", "lagrange", "--subsystems", "z1", code=2)
    assert "use --formalism konoplev or --formalism pendulum" in err
