"""Walking machines: moments as the paper writes them, and the first moment of a machine with numbers."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mbconcord.formalisms.registry import formalism
from mbconcord.model import State
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.numbers import Instance
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.witnesses.sums.joint_forces import compare_first_moment

from ...formats.test_tp import system, text
from .formulas import machine_moment

STATIC = formalism("static_moments")


def table(name):
    return system(text(f"{name}.tp.csv"))


def lines(name, legs=None):
    return [line.text for line in STATIC.walker(table(name), legs).lines]


def test_the_quadruped_is_written_as_in_section_9():
    assert lines("table8_corrected", 4) == [
        "m̄_1 = (m_n - m_c·q_3)·ȳ + (m_b·q_2 - m_d)·x̄_1",
        "m̄_2 = (m_n - m_c·q_6)·ȳ + (m_b·q_5 - m_d)·x̄_2",
        "m̄_3 = (m_n - m_c·q_9)·ȳ + (m_b·q_8 - m_d)·x̄_3",
        "m̄_4 = (m_n - m_c·q_12)·ȳ + (m_b·q_11 - m_d)·x̄_4",
        "m̄_c = [4·m_n - m_c·(q_3 + q_6 + q_9 + q_12)]·ȳ + (m_b·q_2 - m_d)·x̄_1 + (m_b·q_5 - m_d)·x̄_2 "
        "+ (m_b·q_8 - m_d)·x̄_3 + (m_b·q_11 - m_d)·x̄_4",
        "where m_n = m_1·d_1, m_c = m_3, m_b = m_2, m_d = m_2·d_2",
    ]


def test_the_hexapod_is_written_as_in_section_10_with_six_m_n():
    *legs, machine, letters = lines("table5", 6)
    assert legs == [f"m̄_{i} = m_n·ȳ + m_d·x̄_{i} - m_f·ȳ_{i}" for i in range(1, 7)]
    x, y = (" + ".join(f"{letter}_{i}" for i in range(1, 7)) for letter in ("x̄", "ȳ"))
    assert machine == f"m̄_c = 6·m_n·ȳ + m_d·({x}) - m_f·({y})"
    assert letters == "where m_n = m_1·d_1, m_d = m_2·d_2, m_f = m_3·d_3"


@pytest.mark.parametrize(("name", "leg", "legs"), [("quadruped", "table8_corrected", 4), ("hexapod", "table5", 6)])
def test_a_machine_of_equal_legs_is_written_as_copies_of_one(name, leg, legs):
    """With what the letters are in numbers."""
    *own, letters = lines(name)
    *copies, meanings = lines(leg, legs)
    assert own == copies
    assert re.sub(r" = [0-9.]+(?=,|$)", "", letters) == meanings


def test_legs_that_differ_keep_the_numbers_of_the_machine():
    rows = text("quadruped.tp.csv").splitlines()
    rows[4] = rows[4].replace(";4;0.5;0;-0.3;0.02;0.05;-0.01;", ";8;0.5;0;-0.3;0.01;0.05;-0.005;")
    shown = [line.text for line in STATIC.walker(system("\n".join(rows))).lines]
    assert shown[1] == "m̄_2 = (m_d4 - m_6·q_6)·ȳ + (m_5·q_5 - m_d5)·x̄_4"
    assert len(shown) == 5 and "m_n" not in shown[4]


@pytest.mark.parametrize(
    ("text_", "latex"), [("m̄_c = ", r"\bar{m}_{c} &= "), ("(q_3 + q_6", r"(q_{3} + q_{6}"), ("x̄_4", r"\bar{x}_{4}")]
)
def test_latex_says_the_same(text_, latex):
    line = STATIC.walker(table("table8_corrected"), 4).lines[4]
    assert text_ in line.text and latex in line.latex


def test_two_vectors_of_one_letter_keep_the_number_of_their_body():
    assert "(ȳ_2,1 + ȳ_2,2)" in lines("table6", 2)[2]


NAMES = ["quadruped", "hexapod", "one leg", "cartesian", "cylindrical", "spherical"]


@pytest.mark.parametrize("name", NAMES)
def test_the_first_moment_of_a_machine(name):
    """Legs around the hull, one alone off its centre, and roots that slide: there nothing cancels."""
    leg = "".join(text("quadruped.tp.csv").splitlines(keepends=True)[:4])
    model = system(leg) if name == "one leg" else table(name)
    made = STATIC.walker(model)
    states = [State(0, {n: k * 0.1 * i for i, n in enumerate(model.coordinate_names, 1)}) for k in (1, -2)]
    k = TreeKinematics(model, Instance(model, states))
    moment = np.stack(k.scalars(made.moment), axis=1)
    assert compare_first_moment("static_moments", moment, k).verdict == "agrees"
    assert compare_first_moment("static_moments", moment + np.array([1e-9, 0, 0]), k).verdict == "disagrees"
    assert k.scalars([made.mass])[0][0] == pytest.approx(sum(float(b.inertia.mass.value) for b in model.bodies))


def test_legs_and_distances_of_a_machine():
    made = STATIC.walker(table("quadruped"))
    assert [leg.foot for leg in made.legs] == ["body3", "body6", "body9", "body12"]
    assert made.legs[1].coordinates == ("q4", "q5", "q6")
    assert made.distances == ("q2", "q3", "q5", "q6", "q8", "q9", "q11", "q12")


def test_the_machine_s_moment_is_the_sum_of_its_legs():
    """Equal legs, each with its own coordinates: the numbers of the machine's own table."""
    shown = machine_moment(table("table5"), 6)
    assert shown["y"] is parse_formula("m_d1 + m_d1 + m_d1 + m_d1 + m_d1 + m_d1")
    assert set(shown) == {"y"} | {f"x_2_{i}" for i in range(1, 7)} | {f"y_3_{i}" for i in range(1, 7)}


TWO_ROOTS = ("1;ПКП;x_1;0;x_1;y;z_1\n1;ПКП;x_1;0;x_1;y;z_1", "0;ПКП;x;0;x;y;z")


@pytest.mark.parametrize("written", [machine_moment, STATIC.walker])
def test_a_leg_has_one_root(written):
    two = text("table7.tp.csv").replace(*TWO_ROOTS)
    with pytest.raises(FormalismError, match="2 roots"):
        written(system(two), 4)
