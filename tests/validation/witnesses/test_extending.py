"""The witness of docs/extending.md, as it stands on the page: right on its model, noticed where it is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mbconcord.converters.registry import read_text
from mbconcord.validation import witnesses as registry
from mbconcord.validation.check import check

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8").partition("## A witness")[2]
LINKS = """<robot name="two"><link name="ground"/>
<joint name="q1" type="continuous"><parent link="ground"/><child link="a"/><axis xyz="0 0 1"/></joint>
<link name="a">{end}</link>
<joint name="q2" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
<link name="b">{end}</link></robot>"""
END = """<inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>"""


@pytest.fixture
def witness(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Its class, as a package of its own would bring it."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)[:1]
    assert code.count("\n") <= 60
    named: dict[str, Any] = {}
    exec(compile(code, "extending.md", "exec"), named)
    made = named["TwoLinks"]()
    monkeypatch.setattr(registry, "list_added", lambda: (made,))
    return named


def verdicts() -> dict[str, str]:
    system = read_text(LINKS.format(end=END), "two.urdf", "urdf", "ignore").system
    found = check(system, formalisms=["lagrange", "newton_euler"], states=3, claims=[], physics="ignore")
    return {f"{c.a}: {c.quantity}": c.verdict for c in found.comparisons if c.claim == "two_links"}


def test_it_agrees_with_every_formalism(witness: dict[str, Any]) -> None:
    assert verdicts() == {"lagrange: M": "agrees", "newton_euler: M": "agrees"}


def test_a_wrong_number_of_it_disagrees(witness: dict[str, Any]) -> None:
    honest = witness["mass_matrix"]
    witness["mass_matrix"] = lambda q: honest(q) * (1 + 1e-9)
    assert set(verdicts().values()) == {"disagrees"}


def test_what_it_does_not_take_or_raises_is_not_checked(witness: dict[str, Any]) -> None:
    system = read_text("z°30 i g", format="mbsd").system
    (row,) = (c for c in check(system, states=1, claims=[]).comparisons if c.claim == "two_links")
    assert row.verdict == "not checked" and "two links in a plane" in row.explanation
    witness["mass_matrix"] = lambda *_: 1 / 0
    assert verdicts() == {"two_links: two_links": "not checked"}
