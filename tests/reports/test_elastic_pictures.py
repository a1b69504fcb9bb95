"""Elastic bodies in pictures: what hangs on a node hangs where the kinematics have it, modes by their closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from laboratory.machines import four_links
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import State
from mbconcord.reports.pictures.modes import drawing, shapes
from mbconcord.reports.pictures.picture import picture
from mbconcord.reports.pictures.scene import scene
from mbconcord.validation.compare import same_machine
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.strategies.trees import random_system


@pytest.mark.parametrize("name", ["as assumed", "stiffened"])
def test_bodies_hang_on_the_nodes_that_carry_them(name: str) -> None:
    """The centres of mass of 3 and 4, which joints at nodes carry, are those of validation's kinematics."""
    system = four_links(name)
    shown = scene(system)
    k = TreeKinematics(system, [State(q=shown.pose)])
    centres = dict(shown.masses)
    for body in system.bodies:
        if not body.modes:
            assert np.abs(centres[body.name] - k.centre(body).position[0]).max() < 1e-12
    beam = [line for line in shown.lines if line.kind == "beam"]
    ends = {round(float(np.linalg.norm(b.end - a.start)), 12) for a, b in zip(beam[1:], beam, strict=False)}
    assert ends == {0.0}, "one line from the clamp to the tip"


def test_the_picture_says_what_is_dashed() -> None:
    svg, caption = picture(four_links())
    assert svg.startswith("<svg") and "elastic bodies at rest dashed" in caption


def test_modes_are_told_apart_with_their_frequencies() -> None:
    found = {s.name: s for s in shapes(read(folder() / "elastic/soft_arm.mbs.json").system)}
    assert {found[n].kind for n in ("a1", "a2", "b1", "b2")} == {"bending"}
    assert (found["a3"].kind, found["a4"].kind) == ("torsion", "stretching")
    (link,) = shapes(four_links())
    assert link.frequency == pytest.approx(34.70, abs=5e-3)
    assert link.distance[-1] == pytest.approx(0.35) and link.value[-1] == pytest.approx(1.0)
    assert drawing(four_links()).count("<polyline") == 1


def test_rigid_models_have_no_modes_to_show() -> None:
    assert drawing(random_system(1, 3)) == ""


def test_the_fixture_is_the_example_and_the_page_has_its_picture() -> None:
    system = read(folder() / "elastic/four_links.mbs.json").system
    assert same_machine(system, four_links(), 2).verdict == "agrees"
    page = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "four_links.svg"
    assert page.read_text("utf-8") == picture(system)[0] + "\n"
