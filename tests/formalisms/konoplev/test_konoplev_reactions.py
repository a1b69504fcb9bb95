"""Konoplev's reactions: S_R R of the wrenches on the bodies is Dᵀ λ, (4.7); rows that are zero constrain nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import write
from mbconcord.fixtures import folder
from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.constraints import motion
from mbconcord.model import (
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Nonholonomic,
    Rod,
    State,
    System,
    rotation,
    shift,
)
from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.model.expressions import sin

from ...reference.konoplev import CLOSURES, F1, LENGTHS, components, fourbar, pivot_moments
from ..rocker import ENDS, STATE, rocker


def solved(model: System, state: State | None = None) -> ConstrainedMotion:
    return Konoplev().constrained_motion(model, [state or State()])


@pytest.mark.parametrize("name", ["point", "revolute", "sphere"])
def test_the_four_bar(name: str) -> None:
    """The reaction of the pivot acts on the tip alone: its moments about the three joints are its S_R R."""
    found = solved(fourbar(*CLOSURES[name]))
    assert found.from_bodies is not None and found.from_bodies.rows == found.rows
    assert np.abs(found.from_bodies.values[0] - pivot_moments()).max() < 1e-9
    assert np.abs(found.from_bodies.values - found.reactions).max() < 1e-13
    assert found.from_bodies.residual[0] < 1e-13


def test_a_rod_between_two_moving_bodies() -> None:
    found = solved(replace(rocker(), constraints=(Rod("rod", *ENDS, 1.2),)), STATE)
    assert found.from_bodies is not None and np.abs(found.reactions).max() > 1e-3
    assert np.abs(found.from_bodies.values - found.reactions).max() < 1e-13


def test_rows_of_coordinates_have_no_wrenches() -> None:
    assert solved(fourbar(*CLOSURES["rows"])).from_bodies is None
    drive = Nonholonomic("drive", {"q1": 1}, -1.3)
    found = solved(fourbar(*CLOSURES["point"], drive))
    assert found.from_bodies is not None and found.from_bodies.rows == ("loop (x)", "loop (y)", "loop (z)")
    others = found.D[0][3] * found.multipliers[0][3]
    assert np.abs(found.from_bodies.values[0] + others - found.reactions[0]).max() < 1e-12
    assert found.from_bodies.residual[0] < 1e-13


def test_bodies_that_share_their_reactions_with_rows_of_coordinates_have_none_of_their_own() -> None:
    """Of two rows that say the same only the sum of the reactions is unique."""
    found = solved(fourbar(*CLOSURES["point"], Holonomic("again", components(sin))))
    assert found.from_bodies is not None and np.isnan(found.from_bodies.values).all()
    assert np.abs(found.reactions[0] - solved(fourbar(*CLOSURES["rows"])).reactions[0]).max() < 1e-9


def in_space() -> System:
    """The four-bar in a plane of no special direction, weight turned with it: rounding fills its rows of zeros."""
    turn = rotation((1, 2, 2), 0.7)
    cut = FrameCoincidence(
        "loop",
        Frame("link3", (*shift([LENGTHS[2], 0, 0]), rotation("z", "p"))),
        Frame(None, (turn, *shift([LENGTHS[3], 0, 0]))),
    )
    model = fourbar(cut)
    first = replace(model.bodies[0], joint=(turn, *model.bodies[0].joint))
    n, v, angle = np.array([1, 2, 2]) / 3, np.array([0, -1, 0]), 0.7
    down = v * np.cos(angle) + np.cross(n, v) * np.sin(angle) + n * (n @ v) * (1 - np.cos(angle))
    return replace(model, bodies=(first, *model.bodies[1:]), gravity=Gravity(9.81, tuple(down)))


def test_rows_made_by_rounding_are_zero() -> None:
    found = solved(in_space())
    rest = found.D[0][2:]
    assert rest.any() and np.abs(rest).max() < 1e-14, "this model no longer has rows of rounding"
    assert found.rank[0] == 2 and found.redundant[0] == found.rows[2:]
    assert np.abs(found.acceleration[0] - F1["qdd"]).max() < 1e-9
    assert np.abs(found.multipliers[0][:2] - F1["lam"]).max() < 1e-9
    assert np.isnan(found.multipliers[0][2:]).all()
    assert all("is zero" in d.message and "rank is 2 of 5" in d.message for d in found.diagnostics)


def test_reactions_that_are_not_the_rows_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were those rows taken for rows, S_R R would tell."""
    monkeypatch.setattr(motion, "ROUNDING", 0.0)
    assert any("S_R R" in d.message and d.severity == "error" for d in solved(in_space()).diagnostics)


def test_a_row_of_zeros_is_told_from_one_that_depends() -> None:
    point, again = CLOSURES["point"], Holonomic("again", 2 * components(sin))
    messages = {d.place: d.message for d in solved(fourbar(*point, again)).diagnostics}
    assert "row loop (z) is zero, no coordinate moves along it: the rank is 2 of 4" in messages["constraints/loop"]
    assert "row again depends on other rows: the rank is 2 of 4" in messages["constraints/again"]


def test_evaluate_prints_both(run: Any) -> None:
    model = folder("konoplev") / "four_bar.mbs.json"
    data = json.loads(run("evaluate", model, "--formalism", "konoplev", "--json")[0])
    assert np.abs(np.subtract(data["reactions_from_bodies"], data["reactions"])).max() < 1e-13
    assert data["constraints"]["on_bodies"] == data["constraints"]["rows"]
    assert 0 <= data["constraints"]["residual"] < 1e-13
    text = run("evaluate", model, "--formalism", "konoplev")[0]
    (line,) = (x for x in text.splitlines() if x.startswith("reactions_from_bodies is S_R R"))
    assert line.endswith(f"largest difference from D^T lambda of these rows: {data['constraints']['residual']:.2g}")


def test_evaluate_names_rows_that_no_body_bears(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "mixed.mbs.json"
    for rows, words in (
        ((Nonholonomic("drive", {"q1": 1}, -1.3),), "no body bears drive; largest difference"),
        ((Holonomic("again", components(sin)),), "of these rows: not determined"),
    ):
        file.write_text(write(fourbar(*CLOSURES["point"], *rows), "native").text, encoding="utf-8")
        assert words in run("evaluate", file, "--formalism", "konoplev")[0]
    file.write_text(write(fourbar(*CLOSURES["rows"]), "native").text, encoding="utf-8")
    out = run("evaluate", file, "--formalism", "konoplev")[0]
    assert "S_R R" not in out and "reactions_from_bodies" not in out
