"""Derivations in shorter formulas: the same equations and names, fewer operations, zeros that are zeros."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import Derivation, flatten
from mbconcord.model.expressions import count_operations, symbol
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.notation import simplification as module
from mbconcord.model.notation.simplification import simplify, without_zeros
from mbconcord.reports.equations import render

from ..fixture_models import derivations, model

FILES = (
    "konoplev/mechanism_offset.mbsd", "konoplev/gyrostat.mbs.json", "mbsd/gimbal.mbsd", "mbsd/springs.mbsd",
    "mbsd/moving_support.mbsd", "tp/table2.tp.csv", "tp/table7.tp.csv", "native/pushed_gimbal.mbs.json",
)  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("file", FILES)
def test_every_formula_stays_the_same_function(file):
    for derivation in derivations(model(file)):
        short = simplify(derivation)
        meant = {a.name: a.expression for a in derivation.assignments}
        pairs = list(zip(derivation.outputs(), short.outputs(), strict=True))
        for a in short.assignments:
            turned = a.name not in meant
            whole = meant[module.opposite(a.name)] if turned else meant[a.name]
            pairs.append((-whole if turned else whole, a.expression))
        changed = [(before, after) for before, after in pairs if before is not after]
        assert all(v.kind == IDENTICAL for v in compare(changed, draws=1, seed=7))
        assert count_operations(short.outputs()).total <= count_operations(derivation.outputs()).total
        assert len({a.name for a in short.assignments}) == len(short.assignments)


def test_native_objects_go_with_the_names():
    derivation = formalism("konoplev").derive(read(folder() / "konoplev/mechanism.mbsd").system)
    short = simplify(derivation)
    for name in ("B", "S"):
        pairs = zip(flatten(derivation.native[name]), flatten(short.native[name]), strict=True)
        assert all(v.kind == IDENTICAL for v in compare(pairs, draws=1))


def derived(file: str, name: str) -> Derivation:
    return simplify(formalism(name).derive(read(folder() / file).system))


#: Model, formalism, and elements as they are printed.
PRINTED = [
    ("tp/table2.tp.csv", "telegin", ["M[q1, q2] = R_z2*m_2", "M[q1, q3] = 0", "P_2_x = d_2*m_2*q1'^2"]),
    ("tp/table2.tp.csv", "lagrange", ["M[q1, q2] = R_z2*(m_o2 + m_o3)"]),
    ("tp/table2.tp.csv", "newton_euler", ["minus_fv2_z = massc1*minus_av2_z"]),
    ("konoplev/mechanism.mbsd", "virtual_work", ["M[s2, t5] = 0", "gravity[s2] = 0"]),
    ("mbsd/branched.mbsd", "virtual_work", ["M[x1, x2] = 0", "gravity[z1] = 0"]),
]


@pytest.mark.parametrize(("file", "name", "lines"), PRINTED)
def test_what_vanishes_or_cancels_is_not_printed(file, name, lines):
    text = render(derived(file, name), (), "text").splitlines()
    assert set(lines) <= set(text)


def test_masses_that_no_one_divides_by_need_not_be_there():
    """`R_y3*m_o3 - R_y3*m_o3/m_o2*m_o2` of a table without numbers; what is divided by a mass for good stays so."""
    for name in ("telegin", "lagrange"):
        text = render(derived("tp/table2.tp.csv", name), (), "text")
        assert "/m_o2*m_o2" not in text
        assert "R_x2*" in text and "/m_o1)^2" in text


def test_a_list_over_names_has_its_zeros():
    """Konoplev's b²₁ is 0, as the paper prints it, and h, the equations and the work of the tiers know it."""
    listing = formalism("konoplev").listing(read(folder() / "konoplev/mechanism.mbsd").system)
    values = {a.name: a.expression for a in listing.assignments}
    assert not values["b_{1-2}^{2}"] and not values["Q_{1-2}"]
    assert listing.quantities["h"][0] is symbol("b_{1-2}^{1}")
    assert listing.balances[0].right == () and listing.balances[1].right
    text = render(listing, (), "text")
    assert "b_{1-2}^{2} = 0\n" in text and "# b-V        3          10" in text
    assert without_zeros(listing).stages == listing.stages and simplify(listing) is listing


@pytest.mark.parametrize("taken", [(), ("minus_n",)])
def test_a_name_turns_with_its_sign(taken):
    q, p = symbol("q"), symbol("p")
    (one,) = {module.strip_sign(p - q)}
    assignments = tuple(module.Assignment(name, one) for name in ("n", *taken))
    base = replace(derived("mbsd/zjg.mbsd", "lagrange"), stages=(module.Stage("s", "t", assignments),))
    (made,) = module._stages(base, iter([-(one * q), p * q][: len(assignments)]))
    assert [a.name for a in made.assignments] == ["minus_n" + "_" * len(taken), *taken]
    assert made.assignments[0].expression is one * q


def test_a_lazy_quantity_is_made_when_it_is_asked_for():
    made = []

    def slow():
        made.append(1)
        return (symbol("p") * 0 + symbol("p"),)

    base = derived("mbsd/zjg.mbsd", "lagrange")
    later = simplify(replace(base, native=module.Lazy({"own": slow})))
    assert not made
    assert later.native["own"] == (symbol("p"),) and made == [1]
