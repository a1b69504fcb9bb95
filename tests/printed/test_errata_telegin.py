"""The errata of Telegin & Kaygorodtsev: the right formulas give numbers of another program, the others do not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ..reference.linkages import TREE as V
from .errata_telegin import WITHOUT_NUMBER, errata, section
from .errata_timofeev import NOTATION, timofeev
from .planar_numbers import Tree

#: What the rows compute, by that program.
KNOWN = {
    "M_1": V["M_noload"][0], "M_3": V["M_noload"][2], "M_1 with the load on link 4": V["M_load"][0],
    "A_53": V["A"]["5,3"], "b_31": V["b"]["3,1"], "H_31": V["Hrel"]["3,1"], "H_11": V["Hrel"]["1,1"],
    "h_31": V["hrel"]["3,1"], "h_51": V["hrel"]["5,1"],
}  # fmt: skip


def kinetic_energy() -> float:
    """From the velocities of the mass centres of the links themselves."""
    place, turn, speed, rate = {0: 0j}, {0: 1 + 0j}, {0: 0j}, {0: 0.0}
    energy = 0.0
    for k, base in enumerate(V["base"], 1):
        arm = complex(*V["R_local"][k - 1]) * turn[base]
        place[k], speed[k] = place[base] + arm, speed[base] + 1j * rate[base] * arm
        turn[k] = turn[base] * np.exp(1j * V["q"][k - 1])
        rate[k] = rate[base] + V["qd"][k - 1]
        centre = complex(*V["c_own"][k - 1]) * turn[k]
        velocity = speed[k] + 1j * rate[k] * centre
        energy += V["m_own"][k - 1] * abs(velocity) ** 2 / 2 + V["I_own"][k - 1] * rate[k] ** 2 / 2
    return energy


@pytest.mark.parametrize("row", errata(), ids=lambda row: f"{row.number} {row.place}")
def test_the_right_formula_gives_the_number_and_the_other_does_not(row):
    expected = kinetic_energy() if row.quantity == "T" else KNOWN[row.quantity]
    assert row.correct_value == pytest.approx(expected, rel=1e-9)
    assert abs(row.found_value - expected) > 1e-2 * abs(expected)


@pytest.mark.parametrize("loaded", [False, True])
def test_every_form_gives_every_drive(loaded):
    tree = Tree(V, loaded)
    for drives in (
        [tree.absolute(k) for k in tree.links],
        [tree.relative(k) for k in tree.links],
        [tree.transported(k) for k in tree.links],
    ):
        np.testing.assert_allclose(drives, V["M_load" if loaded else "M_noload"], rtol=1e-9)
    assert tree.rud(tree.M_difference) == pytest.approx(V["M_load" if loaded else "M_noload"][0], rel=1e-9)


def test_every_row_is_on_the_page():
    """Twenty-three rows, with a number or with the reason why there is none."""
    numbered = {row.number for row in errata()}
    assert numbered.isdisjoint(WITHOUT_NUMBER) and numbered | set(WITHOUT_NUMBER) == set(range(1, 24))
    text = section()
    assert {int(n) for n in re.findall(r"^(?:\| |\* )(\d+)", text, re.MULTILINE)} == set(range(1, 24))
    assert text.count("\n| ") == len(errata()) + 1


def test_what_timofeev_prints_without_effect_is_named():
    text = timofeev()
    assert len(NOTATION) == 5 and all(f"* {line}" in text for line in NOTATION)
