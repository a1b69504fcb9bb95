"""Timofeev's static moments: the paper's lines, gravity of any open tree."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from mbconcord.cli import main
from mbconcord.converters.registry import read_text
from mbconcord.formalisms.registry import formalism
from mbconcord.formalisms.static_moments.links import frames, links
from mbconcord.formalisms.static_moments.moments import moments, noncollinear, subsystem_masses
from mbconcord.formalisms.static_moments.writeout import write_out
from mbconcord.model import Prescribed
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import FormalismError
from mbconcord.model.expressions import evaluate, symbol, symbols, time_derivative
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.notation.collect import collect_terms
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

from ...formats.test_tp import PRINTED, system, text
from ...printed import errata_timofeev
from ...reference.linkages import TABLES as VECTORS
from ...reference.linkages import at
from .formulas import second_derivatives

STATIC = formalism("static_moments")

#: The paper's lines in its own order; scalars of one sum stand as (1) and (2) bring them.
LINES = {
    "table1": ["m̄_2 = 0", "m̄_1 = m_r1·x̄_1,  where m_r1 = m_d1 + m_q2"],
    "table2": [
        "m̄_3 = 0",
        "m̄_2 = -m_q3·ȳ - m_d2·x̄_1",
        "m̄_1 = m_r1·ȳ + m_r2·x̄_1,  where m_r1 = m_d1 - m_q3; m_r2 = -m_d2 + m_q2",
    ],
    "table3": [
        "m̄_6 = -m_d6·ȳ_5",
        "m̄_5 = m_c1·ȳ_5,  where m_c1 = -m_d5 - m_d6",
        "m̄_4 = m_d4·ȳ + m_c1·ȳ_5",
        "m̄_3 = m_r1·ȳ + m_c1·ȳ_5,  where m_c2 = -m_d3 + m_d4; m_r1 = m_c2 - m_q4",
        "m̄_2 = m_r1·ȳ - m_d2·z̄ + m_c1·ȳ_5",
        "m̄_1 = -m_d1·x̄ + m_r1·ȳ + m_r2·z̄ + m_c1·ȳ_5,  where m_r2 = -m_d2 + m_q2",
    ],
    "table4": ["m̄_3 = 0", "m̄_2 = m_q3·x̄_2", "m̄_1 = m_d1·ȳ + m_q3·x̄_2"],
    "table5": ["m̄_3 = -m_d3·ȳ_3", "m̄_2 = m_d2·x̄_2 - m_d3·ȳ_3", "m̄_1 = m_d1·ȳ + m_d2·x̄_2 - m_d3·ȳ_3"],
    "table6": [
        "m̄_6 = -m_d6·ȳ_5",
        "m̄_5 = m_c1·ȳ_5,  where m_c1 = -m_d5 - m_d6",
        "m̄_4 = m_d4·ȳ_3 + m_c1·ȳ_5",
        "m̄_3 = m_c2·ȳ_3 + m_c1·ȳ_5,  where m_c2 = -m_d3 + m_d4",
        "m̄_2 = -m_d2·ȳ_2 + m_c2·ȳ_3 + m_c1·ȳ_5",
        "m̄_1 = m_d1·ȳ - m_d2·ȳ_2 + m_c2·ȳ_3 + m_c1·ȳ_5",
    ],
    "table7": ["m̄_3 = 0", "m̄_2 = 0", "m̄_1 = m_r1·x̄_1,  where m_r1 = m_d1 + m_q2 + m_q3"],
}


def table(name):
    return system(text(f"{name}.tp.csv"))


def line(source):
    return read_text(source, "t.mbsd").system


def composed(source):
    """Text with one way of writing a letter under a macron."""
    import unicodedata

    return unicodedata.normalize("NFC", source)


@pytest.mark.parametrize("name", LINES)
def test_the_paper_s_lines(name):
    written = write_out(moments(links(table(name))))
    assert [composed(x.text) for x in written.lines()][1:] == [composed(x) for x in LINES[name]]
    assert written.units == tuple(PRINTED[name]["nko"])


@pytest.mark.parametrize("name", LINES)
def test_numbers_do_not_change_the_lines(name):
    """The extended table gives the lines of the paper's table: d completes the digits of its centres."""
    full = {"table1": "polar", "table2": "cylindrical", "table3": "cartesian", "table4": "spherical",
            "table5": "leg", "table6": "angular", "table7": "two_arm"}[name]  # fmt: skip
    own, other = (write_out(moments(links(table(n)))).lines() for n in (name, full))
    assert own == other


def test_every_printed_moment_is_derived_but_for_the_errata():
    found = {
        (name, moment): [(t.monomial, t.first, t.second) for t in terms]
        for name, moment, terms in errata_timofeev.compared()
    }
    assert len(found) == 30
    assert {key: terms for key, terms in found.items() if terms} == {
        ("table3", "m_2"): [("m_d5*y_5", -1, 1), ("m_d6*y_5", -1, 1)],
        ("table7", "m_2"): [("m_q3*x_1", 0, 1)],
        ("table8", "m_1"): [("m_d1*x_1", 1, 0), ("m_d1*y", 0, 1)],
        ("hexapod", "m_c"): [("m_d1*y", 6, 5)],
    }


@pytest.mark.parametrize("name", VECTORS)
def test_published_static_moments(name):
    case, model = VECTORS[name], table(name)
    made = links(model)
    (values,) = environment(model, at(model, case))
    own = STATIC.derive(model).native["static_moments"]
    numbers = np.array(evaluate(list(flatten(own)), values)).reshape(-1, 3)
    np.testing.assert_allclose(numbers, case["static_moments_world"], rtol=1e-9, atol=1e-10)
    masses = subsystem_masses(made)
    np.testing.assert_allclose([float(masses[k.number].value) for k in made], case["m_i"], rtol=1e-12)
    sizes = [sum(float(s.value.value) for s in m.scalars) for m in moments(made)]
    np.testing.assert_allclose(sizes, case["m_di"], rtol=1e-9, atol=1e-10)


def first_moments(model, values):
    """Σ m (C - O) of what each coordinate carries, straight from the positions: {coordinate: vector}."""
    axis = dict.fromkeys(model.coordinate_names)
    pose, carriers = {None: (np.eye(3), np.zeros(3))}, {None: []}
    found = {name: np.zeros(3) for name in axis}
    for body in model.bodies:
        turn, at = pose[body.parent]
        chain = list(carriers[body.parent])
        for et in body.joint:
            u = np.array(evaluate(list(et.axis), {}), dtype=float)
            s = float(evaluate(define([et.amount], model.functions), values)[0])
            if et.is_translation:
                at = at + turn @ u * s
            else:
                k = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
                turn = turn @ (np.eye(3) + np.sin(s) * k + (1 - np.cos(s)) * k @ k)
            if et.coordinate:
                chain.append((et.coordinate, at))
        pose[body.name], carriers[body.name] = (turn, at), chain
        m, *c = (float(x) for x in evaluate([body.inertia.mass, *body.inertia.centre], values))
        for name, pole in chain:
            found[name] += m * (at + turn @ np.array(c) - pole)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_static_moments_of_random_trees_are_first_moments_about_the_poles(seed):
    drawn = draw(random_system(seed, 1 + seed % 7), 1, seed)
    model, values = drawn.system.lump_masses(), environment(drawn.system, drawn.states)[0]
    native = STATIC.derive(drawn.system).native["static_moments"]
    numbers = np.array(evaluate(define(list(flatten(native)), model.functions), values)).reshape(-1, 3)
    expected = first_moments(model, values)
    for link, vector in zip(links(model), numbers, strict=True):
        scale = 1 + sum(np.abs(x).max() for x in expected.values())
        np.testing.assert_allclose(vector, expected[link.coordinate], atol=1e-12 * scale)


@pytest.mark.parametrize("name", ["cartesian", "angular", "two_arm", "hexapod"])
def test_a_shared_name_is_the_same_vector(name):
    made = links(table(name))
    placed = frames(made)
    for link in made:
        assert tuple(placed.units[n] for n in link.names) == placed.axes[link.number]


@pytest.mark.parametrize("name", [*VECTORS, "quadruped"])
def test_second_derivatives_are_those_of_the_static_moments(name):
    model = table(name)
    names = model.coordinate_names
    native = list(flatten(STATIC.derive(model).native["static_moments"]))
    twice = time_derivative(time_derivative(native, names), names)
    short = [x for vector in second_derivatives(model) for x in vector]
    state = draw(model, 1, 3).states[0]
    values = environment(model, [state])[0]
    a, b = (np.array(evaluate(values_of, values)) for values_of in (twice, short))
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(a).max())
    assert np.abs(a).max() > 0


def test_a_vector_product_per_vector_not_per_body():
    """m̄'' needs as many vectors as m̄ has of НКО: of table 6 four, of its six bodies."""
    result = write_out(moments(links(table("table6")))).find_result(1)
    assert [t.unit for t in result.terms] == ["y", "y_2", "y_3", "y_5"]


def test_general_joints_get_names_and_sums_of_their_own():
    """A joint of two turns is two links; a turned prismatic axis has names of its own; a weld its mass."""
    made = links(line("z x k > m0.3 u > {1,2,0} ; g"))
    assert [(k.number, k.base, k.revolute, k.names) for k in made] == [
        (1, 0, True, ("x_1", "y_1", "z")),
        (2, 1, True, ("x_1", "y_2", "z_2")),
        (3, 2, False, ("x_3", "y_2", "z_3")),
    ]  # fmt: skip
    assert noncollinear(made) == ("z", "x_1", "y_1", "y_2", "z_2", "x_3", "z_3")
    assert [len(k.bodies) for k in made] == [0, 1, 2]
    total = write_out(moments(made)).find_result(3)
    assert {t.unit for t in total.terms} == {"x_3", "y_2"}


def test_terms_that_cancel_leave_nothing():
    written = write_out(moments(links(line("z $2 {0,0,1} > z $2 {0,0,-1}"))))
    assert [(t.unit, str(t.shown)) for t in written.find_result(2).terms] == [("z", "-m_d2")]
    assert written.find_result(1).terms == () and written.sums == []


@pytest.mark.parametrize(
    ("given", "mass", "expected"),
    [
        ("m1*((d*(m1+m2) - m2*R)/m1) + m2*R", "m1 + m2", "d*(m1 + m2)"),
        ("a*b - b*a + c", "1", "c"),
        ("(a + b)*c - a*c - b*c", "a", "0"),
        ("(a + b)^2 - a^2 - 2*a*b", "1", "b^2"),
        ("a*sin(q) + b", "1", "b + a*sin(q)"),
        ("6*m*d + 3*n*d", "2*m + n", "3*d*(2*m + n)"),
        ("3*a", "a", "3*a"),
        ("a + b", "a", "a + b"),
        ("2.5", "a", "2.5"),
    ],
)
def test_like_terms(given, mass, expected):
    found = collect_terms(parse_formula(given), parse_formula(mass))
    assert found is parse_formula(expected), str(found)


def test_like_terms_keep_their_value():
    drawn = draw(random_system(5, 4), 1, 5)
    names = sorted(symbols([x for b in drawn.system.bodies for x in b.inertia.centre]))
    total = parse_formula("(a+b+c)*(a-b)^3/c + a*(b - 2*c)*c^2 - a/b")
    values = {n: 0.7 + 0.3 * i for i, n in enumerate([*"abc", *names])}
    found = collect_terms(total, symbol("a"))
    assert evaluate([found], values)[0] == pytest.approx(evaluate([total], values)[0], rel=1e-13)


def test_obstacles_are_those_of_open_trees():
    rod = line("zi #a ; g-y \\ #a :(2) {3,0} < #0")
    assert [o.feature for o in STATIC.obstacles(rod)] == ["rods"]
    with pytest.raises(FormalismError):
        STATIC.derive(rod)
    assert set(STATIC.derive(line("zig")).quantities) == {"gravity"}


def test_prescribed_motion_makes_a_scalar_variable():
    model = line("z u(slide) g-y")
    body = model.bodies[0]
    moved = replace(body, joint=(body.joint[0], replace(body.joint[1], motion=Prescribed(parse_formula("sin(t)")))))
    model = replace(model, bodies=(moved,), coordinates=model.coordinates[:1])
    ((term,),) = [m.terms for m in moments(links(model))]
    assert term.variable and "t" in symbols([term.value])


@pytest.mark.parametrize(
    ("output", "pieces"),
    [
        (
            "text",
            ["m̄_1 = m_r1·ȳ + m_r2·x̄_1,  where m_r1 = m_d1 - m_q3; m_r2 = -m_d2 + m_q2", "gravity[q3] = 9.81*m_o3"],
        ),
        ("latex", [r"\bar{m}_{1} &= m_{r1} \, \bar{y} + m_{r2} \, \bar{x}_{1}, \quad \text{where } m_{r1} ="]),
    ],
)
def test_derive_prints_the_paper_s_lines(output, pieces, tmp_path, capsys):
    path = tmp_path / "t.tp.csv"
    path.write_text(text("table2.tp.csv"), encoding="utf-8")
    code = main(["derive", str(path), "--formalism", "static_moments", "--output", output])
    assert code == (3 if output == "text" else 0)  # 3: nobody reads back text that has vectors
    printed = composed(capsys.readouterr().out)
    for piece in pieces:
        assert composed(piece) in printed


def test_derive_as_json_has_the_lines_in_both_notations(tmp_path, capsys):
    path = tmp_path / "t.tp.csv"
    path.write_text(text("table1.tp.csv"), encoding="utf-8")
    assert main(["derive", str(path), "--formalism", "static_moments", "--json"]) == 0
    stages = {s["name"]: s for s in json.loads(capsys.readouterr().out)["stages"]}
    (head, _, last) = stages["m_c, m_r"]["written"]
    assert head["text"].startswith("НКО = (") and last["latex"].startswith(r"\bar{m}_{1} &=")


def test_names_that_the_model_has_taken_get_an_underscore():
    model = system(text("table1.tp.csv"))
    renamed = [replace(p, name="m_d1") if p.name == "d_2" else p for p in model.parameters]
    model = replace(
        model, parameters=(*renamed, *([] if any(p.name == "m_d1" for p in renamed) else [type(renamed[0])("m_d1")]))
    )
    names = [a.name for a in STATIC.derive(model).assignments]
    assert "m_d1_" in names and "m_d1" not in names
