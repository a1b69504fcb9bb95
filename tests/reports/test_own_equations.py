"""Own equations in reports of all forms, and in assertions: the entry, where the difference vanishes, the values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

import mbconcord
from mbconcord.reports import FORMS

MODEL = "z(q1) $(m)[0,m*l^2,m*l^2]{l,0} #bob ; g(g)i; m=2,l=0.7,g=9.81"
WRONG = "-2*m*g*l*sin(q1)"
OPTIONS: dict[str, Any] = {"formalisms": ("lagrange", "newton_euler"), "states": 2}


def write(folder: Path, forcing: str) -> str:
    """Write the equation of a pendulum, as a neutral file."""
    data = {"format": "mbconcord equations", "version": 1, "source": "by hand", "q": ["q1"], "M": [["m*l^2"]]}
    (folder / "mine.eqs.json").write_text(json.dumps(data | {"forcing": [forcing]}), encoding="utf-8")
    return f"eqs:{folder / 'mine.eqs.json'}"


def check(folder: Path, forcing: str) -> mbconcord.Check:
    """Check a pendulum against its equation."""
    return mbconcord.check(mbconcord.read(text=MODEL, format="mbsd"), against=write(folder, forcing), **OPTIONS)


@pytest.mark.parametrize("suffix", sorted(FORMS))
def test_every_report_says_which_term_differs(suffix: str, tmp_path: Path) -> None:
    page = check(tmp_path, WRONG).save(tmp_path / f"out{suffix}").read_text(encoding="utf-8")
    assert "gravity" in page
    assert "yours" in page
    if suffix != ".sarif":
        assert "the difference vanishes with g, or l, or m alone" in page.replace("\n", " ")


def test_junit_does_not_pass_what_holds_for_some_values_alone(tmp_path: Path) -> None:
    suite = fromstring(
        check(tmp_path, WRONG.replace("-2*m*g", "-m*9.81")).save(tmp_path / "out.xml").read_text("utf-8")
    )
    case = suite.find(".//testcase[@name='values']/skipped")
    assert case is not None
    assert case.get("message") == "compared only where g = 9.81"
    whole = fromstring(check(tmp_path, WRONG.replace("-2*m", "-m")).save(tmp_path / "out.xml").read_text("utf-8"))
    assert whole.find(".//skipped") is None


def test_an_assertion_says_which_term_differs(tmp_path: Path) -> None:
    model = mbconcord.read(text=MODEL, format="mbsd")
    mine = mbconcord.own(write(tmp_path, WRONG))
    with pytest.raises(AssertionError, match=r"gravity\[q1'\]: yours disagrees with lagrange, newton_euler"):
        mbconcord.assert_agrees(model, against=mine, **OPTIONS)
    mine = mbconcord.own(write(tmp_path, WRONG.replace("-2", "-1")))
    assert mbconcord.assert_agrees(model, against=mine, **OPTIONS).verdict == "agrees"
