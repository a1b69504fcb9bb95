"""Where the bodies' frames are: every formalism's ``r`` beside validation's kinematics, and how it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters.registry import read_text
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model.derivation import flatten
from mbconcord.reports.equations import render
from mbconcord.reports.equations.listing import SPELLED
from mbconcord.validation.judge.kinematics import TreeKinematics

from ..fixture_models import MODELS, derivations, model

#: Their derivation by everybody takes seconds.
LARGE = ("robots/talos.mbsd", "um/six_legs/input.dat", "elastic/soft_arm.mbs.json")
#: Of the largest distance, in numbers of a few roundings each.
ROUNDING = 1e-13


@pytest.mark.sampled(3)
@pytest.mark.parametrize("file", [pytest.param(file, marks=[pytest.mark.slow] * (file in LARGE)) for file in MODELS])
def test_every_formalism_finds_the_frames_where_they_are(file: str) -> None:
    drawn = model(file)
    k = TreeKinematics(drawn.system, drawn.states)
    expected = np.concatenate([k.frame(body.name).position for body in drawn.system.bodies], axis=1)
    tolerance = ROUNDING * max(1.0, np.abs(expected).max())
    for derivation in derivations(drawn):
        found = k.vectors(flatten(derivation.native["r"]))
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance, err_msg=derivation.formalism)


@pytest.mark.parametrize("by", BUILT_IN)
def test_positions_are_printed_by_body_and_axis(by: str) -> None:
    """Where there are as many bodies as coordinates, and three coordinates, too."""
    system = read_text("z i #upper > z i #lower > z i #hand g", "-", "mbsd").system
    printed = render(formalism(by).derive_whole(system), ["r"], "text").split("# r\n")[1]
    labels = [line.partition(" = ")[0] for line in printed.splitlines()]
    assert labels == [f"r[{body}, {axis}]" for body in ("upper", "lower", "hand") for axis in "xyz"]


def test_json_tells_what_the_places_are_called() -> None:
    data = render(formalism("virtual_work").derive(read_text("z i > u", "-", "mbsd").system), ["M_i", "r"], "json")
    assert data["indices"] == {
        "M_i": [["body1", "body2"], ["z1", "u1"], ["z1", "u1"]],
        "r": [["body1", "body2"], ["x", "y", "z"]],
    }


OWN = {"z i > z i g": ("telegin:matrix", "telegin"), "u > z i g": ("telegin",)}


def test_the_page_lists_what_every_formalism_has_of_its_own() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8")
    rows = {row.split("|")[1].strip(" `"): set(re.findall(r"`([^`]+)`", row.split("|", 2)[2]))
            for row in page.splitlines() if row.startswith("| `") or row.startswith("| all |")}  # fmt: skip
    found: dict[str, set[str]] = {name: set() for name in BUILT_IN}
    spelled = {own: ascii for ascii, own in SPELLED.items()}
    for line, forms in OWN.items():
        for by in {*BUILT_IN, *forms}:
            native = formalism(by).derive(read_text(line, "-", "mbsd").system).native
            found[by.partition(":")[0]] |= {spelled.get(name, name) for name in native}
    for by, names in found.items():
        assert names - {"r"} == rows[by] - {"gamma", "r"}, by
