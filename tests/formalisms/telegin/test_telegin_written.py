"""The list in the paper's names: its coefficients are the published ones, its equations hold, open and closed."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import closed_linkage
from mbconcord.converters.registry import read_text
from mbconcord.formalisms.telegin import FORMS, Telegin
from mbconcord.formalisms.telegin.planarity import PLANAR
from mbconcord.model import State, System
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import evaluate, evaluate_float, to_text
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.notation.listing import Listing
from mbconcord.model.numbers import define, environment
from mbconcord.reports.equations.listed import latex, mathml, python

from ...reference.linkages import TREE, at, branched, tool
from .telegin_linkages import same, six_bar

#: Published coefficient -> forms that print it, the letter of its lines, and whether body indices come first.
PUBLISHED = {
    "A": ("absolute-sums", "absolute-recurrent"),
    "a": ("absolute-sums", "absolute-recurrent"),
    "B": ("absolute-sums", "absolute-recurrent"),
    "b": ("absolute-sums", "absolute-recurrent"),
    "Hrel": ("relative", "relative-sums", "relative-recurrent"),
    "hrel": ("relative", "relative-sums", "relative-recurrent"),
}


@cache
def written(form: str | None, name: str) -> tuple[Listing, System, State]:
    """A list, and a state at which it is to hold."""
    if name == "tree":
        system = branched((tool(),))
        made = at(system, TREE)[0]
    elif name == "six-bar":
        _, made = six_bar("Watt, loop without the ground", (1, -1, 1, -1, 1))
        system = linkage_system()
    else:
        closed = closed_linkage(6)
        system, made = closed.system, closed.states[0]
    found = Telegin(form).listing(system)
    assert isinstance(found, Listing)
    return found, system, made


def linkage_system() -> System:
    """The six-bar as a system, with its cuts."""
    from .telegin_linkages import GRAVITY, SIX_BARS, closed_system

    rows, cuts, _ = SIX_BARS["Watt, loop without the ground"]
    return closed_system(rows, cuts, GRAVITY, (1, -1, 1, -1, 1))


def numbers(listing: Listing, system: System, state: State) -> dict[str, float]:
    """Every line in order, over the lines before it."""
    values = dict(environment(system, [state])[0])
    for line in listing.assignments:
        (whole,) = define([line.expression], system.functions)
        values[line.name] = evaluate_float(whole, values)
    return values


@pytest.mark.parametrize(("key", "form"), [(key, form) for key, forms in PUBLISHED.items() for form in forms])
def test_lines_are_the_published_coefficients(key: str, form: str) -> None:
    listing, system, state = written(form, "tree")
    values = numbers(listing, system, state)
    letter = key.removesuffix("rel")
    for pair, expected in TREE[key].items():
        name = f"{letter}_{pair.replace(',', '_')}"
        assert name in values or expected == 0
        same(values.get(name, 0.0), expected)


def test_lines_are_the_published_bodies_angles_and_weights() -> None:
    listing, system, state = written("rud", "tree")
    values, aug = numbers(listing, system, state), TREE["aug"]
    for k in range(1, 6):
        same(values[f"m_d{k}"], aug["md"][k - 1])
        same(values[f"J_{k}"], aug["J"][k - 1])
        same(values[f"delta_{k}"], aug["delta"][k - 1])
        same(values[f"theta_{k}"], TREE["theta"][k - 1])
        same(values[f"omega_{k}"], TREE["omega"][k - 1])
        same(values[f"G_{k}"], TREE["RUD"]["G"][k - 1])
        same(values.get(f"R_{k}", 0.0), aug["R"][k - 1])
        same(values.get(f"gamma_{k}", 0.0), aug["gamma"][k - 1] if aug["R"][k - 1] else 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tree", "six-bar", "random"])
@pytest.mark.parametrize("form", PLANAR)
def test_quantities_and_equations_of_a_list(form: str, name: str) -> None:
    """The lines give M, h, gravity, applied, D and γ̃ of the formalism; the equations hold in the motion they give."""
    listing, system, state = written(form, name)
    values = numbers(listing, system, state)
    whole = Telegin().derive_whole(system)
    for key, own in {**listing.quantities, **listing.native}.items():
        reference = {**whole.quantities, **whole.native}[key]
        expected = evaluate(define(flatten(reference), system.functions), values)
        same(evaluate(list(flatten(own)), values), expected)
    assert set(listing.native) == ({"D", "γ̃"} if system.constraints else set())

    n, m = len(system.coordinates), len(listing.rows)
    M, h, gravity, applied = (
        np.array(evaluate(list(flatten(listing.quantities[key])), values)) for key in ("M", "h", "gravity", "applied")
    )
    M = M.reshape(n, n)
    D = np.array(evaluate(list(flatten(listing.native.get("D", ()))), values)).reshape(m, n)
    rest = np.array(evaluate(list(flatten(listing.native.get("γ̃", ()))), values))
    left = np.block([[M, -D.T], [D, np.zeros((m, m))]])
    solution = np.linalg.lstsq(left, np.concatenate([gravity + applied - h, -rest]), rcond=None)[0]
    names = system.coordinate_names
    values |= {f"{c}''": float(x) for c, x in zip(names, solution[:n], strict=True)}
    forces = iter(solution[n:])
    for unknown, meaning in listing.unknowns.items():
        _, colon, formula = meaning.partition(": ")
        values[unknown] = evaluate_float(parse_formula(formula), values) if colon else float(next(forces))
    gaps = evaluate([each.residual for each in listing.balances], values)
    sizes = [
        sum(abs(evaluate_float(x, values)) for term in each.left for x in term.factors) for each in listing.balances
    ]
    assert [each.name for each in listing.balances][n:] == list(listing.rows)
    assert all(abs(gap) <= 1e-10 * max(1.0, size) for gap, size in zip(gaps, sizes, strict=True)), gaps


def test_the_papers_form_of_two_links() -> None:
    """РУД of an arm, (24), letter by letter."""
    from mbconcord.converters.registry import read_text
    from mbconcord.reports.equations.text import balance

    table = (
        "i-1;КП;q;d;x;y;z;m_o;R_x;R_y;c_x;c_y;I_zz\n"
        "0;ВКП;z;x_1;x_1;y_1;z;2;0;0;0.3;0;0.05\n1;ВКП;z;x_2;x_2;y_2;z;1;0.6;0;0.25;0;0.02\n"
    )
    listing = Telegin("rud").listing(read_text(table, "arm.tp.csv").system)
    assert isinstance(listing, Listing)
    assert [balance(each) for each in listing.balances] == [
        "J_1*epsilon_1 + Jc_2_2*epsilon_2 - Js_2_2*omega_2^2 - G_1 = M_1 - M_2",
        "Jc_2_2*epsilon_1 + Js_2_2*omega_1^2 + J_2*epsilon_2 - G_2 = M_2",
    ]
    assert r"J^{s}_{2,2}" in latex(listing) and r"\alpha_{2,2}" in latex(listing)
    assert "<msubsup><mi>J</mi><mrow><mn>2</mn><mo>,</mo><mn>2</mn></mrow><mi>c</mi></msubsup>" in mathml(listing)
    module: dict[str, Any] = {"__name__": "derived"}
    exec(compile(python(listing), "derived.py", "exec"), module)
    assert module["quantities"](0.0, [0.3, 0.2], [0.0, 0.0])["M"][1, 1] == pytest.approx(0.0825, rel=1e-15)


def test_a_tree_in_space_is_printed_as_it_is_derived() -> None:
    from mbconcord.converters.registry import read_text

    system = read_text("zk>xk g", "arm.mbsd").system
    assert not isinstance(Telegin().listing(system), Listing)
    assert set(PLANAR) == set(FORMS) - {"spatial"}


def test_a_table_without_numbers_is_written_in_the_paper_s_own_symbols():
    """m_d = m d with the mass of what a link carries; the own mass divides nothing but the own centre in J."""
    table = "i-1;КП;q;d;x;y;z\n0;ВКП;z;x_1;x_1;y_1;z\n1;ВКП;z;x_2;x_2;y_2;z\n2;ВКП;z;x_3;x_3;y_3;z\n"
    made = Telegin("rud").listing(read_text(table, "t.tp.csv").system)
    shown = {a.name: to_text(a.expression) for a in made.assignments}
    assert [shown[f"m_d{k}"] for k in (1, 2, 3)] == ["d_1*m_1", "d_2*m_2", "d_3*m_o3"]
    assert not [name for name in shown if name.startswith("delta")]
    assert {name for name, text in shown.items() if "/" in text} == {"J_1", "J_2"}
    assert shown["Jc_3_2"] == "R_2*m_d3*cos(alpha_2_3)"
