"""Shorter forms are the same functions, cost no more, and keep singularities; a wrong one is not let through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import (
    PI_NODE,
    ExpressionError,
    apply,
    call,
    cos,
    count_operations,
    number,
    sin,
    sqrt,
    symbol,
)
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.field import IDENTICAL, compare, shorter
from mbconcord.model.expressions.field import shorter as sums
from mbconcord.model.expressions.field.shorter import Shorter, confirm
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.node import ADD, MUL, NEG, POW, ZERO, intern
from mbconcord.model.expressions.program import program

from .graph_states import FUNCTIONS as MEANING
from .graph_states import state
from .recipes import SYMBOLS, expressions

q, v, a, b, c, m, r = map(symbol, ("q", "v", "a", "b", "c", "m", "r"))
PARAMETERS = frozenset("abcmr")


def raw(p, divisor):
    """p / divisor times divisor, as no one would write it."""
    return intern(MUL, (intern(MUL, (p, intern(POW, (divisor, number(-1)), None)), None), divisor), None)


def less(p, other):
    return intern(ADD, (p, intern(NEG, (other,), None)), None)


#: What is given, and what stands for it; q and v move, the others are parameters.
FORMS = {
    "a divisor cancels": (raw(r, m), r),
    "a difference of equal terms": (r * c - raw(r * c, m), ZERO),
    "a term in a longer sum": (r * q + (a - (b + raw(r * q, m))), a - b),
    "within a multiple": (2 * (v * q + a) - (2 * v * (q + 0) + b), 2 * a - b),
    "multiples": (2 * a * q + (c - a * q) - a * q, c),
    "a whole product": (v * (sin(q) * cos(q) - sin(2 * q) / 2), ZERO),
    "a shorter form that is there": (sin(q) * cos(a) + cos(q) * sin(a) + sin(q + a), 2 * sin(q + a)),
    "the opposite of one that is there": ((a - b) * (q - 1) * v + (b - a) * (v * (q - 1)), ZERO),
    "weight that turns nothing": (m * sin(q) * cos(q) * v - cos(q) * (m * v) * sin(q), ZERO),
    "squares": (m * (q + v) ** 2 - m * q**2 - 2 * m * (q * v), None),
    "nothing": (m * q + sin(v), m * q + sin(v)),
}


@pytest.mark.parametrize("what", FORMS)
def test_forms(what):
    given_, expected = FORMS[what]
    (found,) = Shorter(PARAMETERS).shorten([given_])
    assert found is (given_ if expected is None else expected), found


@pytest.mark.parametrize(
    "held",
    [
        raw(a, cos(q)),
        raw(a, q + m),
        raw(a, symbol("t")),
        raw(a, call("f", [q])),
        less(1 / cos(q), intern(POW, (sin(q + PI_NODE / 2), number(-1)), None)),
        less(apply("tan", q), sin(q) / cos(q)),
        less(sqrt(q + q * q), sqrt(q * (1 + q))),
        less(apply("log", q * 2 + q), apply("log", 3 * q)),
        less(apply("asin", q * 2 + q), apply("asin", 3 * q)),
        less(apply("atan2", q * 2 + q, v), apply("atan2", 3 * q, v)),
        less((q * 2 + q) ** number("0.3"), (3 * q) ** number("0.3")),
        intern(MUL, (q, intern(POW, (sin(a) ** 2 + less(cos(a) ** 2, number(1)), number(-1)), None)), None),
    ],
    ids=str,
)
def test_what_is_not_defined_everywhere_stays(held):
    """Where a coordinate, a rate, time or a function makes it so; and what divides by zero for all values."""
    (found,) = Shorter(PARAMETERS).shorten([held])
    lines = program([found])
    assert any(s.op == "div" or s.op == "pow" or s.op == "fun" for s in lines.steps), found
    assert found.op != "num"


def test_only_parameters_are_divided_by():
    same = raw(r, m)
    assert Shorter(frozenset("r")).shorten([same])[0] is not r
    assert Shorter(frozenset("m")).shorten([same])[0] is r


def test_a_form_without_a_divisor_is_preferred_to_a_shorter_one_with_it():
    long = a * b + a * c
    short = symbol("k") / m
    meant = {symbol("k"): m * long}
    found = Shorter(PARAMETERS | {"k"}, meant).shorten([long + q, short + q])
    assert all(x.op == ADD and not any(s.op == "div" for s in program([x]).steps) for x in found[:1])


def test_names_of_a_list_stay_and_vanish():
    """Without merging no name is put for what it stands for; what vanishes is zero behind names too."""
    s, z, d = symbol("s"), symbol("z"), symbol("d")
    meant = {s: sin(q), z: m * s, d: s * cos(q) - sin(q) * cos(q)}
    lines = [*meant.values(), z * v + d, sin(q) * v]
    found = Shorter(PARAMETERS, meant, merge=False).shorten(lines)
    assert found == [sin(q), m * s, ZERO, z * v, sin(q) * v]


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(expressions(max_size=10), min_size=1, max_size=3), st.sets(st.sampled_from(SYMBOLS)))
def test_random_graphs(outputs, parameters):
    """A shorter form is identical, costs no more, and is the same number where the given one is a number."""
    combined = [*outputs, outputs[0] - raw(outputs[-1], symbol("m10"))]
    found = Shorter(frozenset(parameters)).shorten(combined)
    before, after = count_operations(combined), count_operations(found)
    assert after.total <= before.total and after.div <= before.div
    values = state(3)
    numbers = [run_bounds(levels(program(x)), values, functions=MEANING) for x in (combined, found)]
    (one, off_one), (two, off_two) = numbers
    known = np.isfinite(off_one)
    assert np.isfinite(two[known]).all()
    near = np.abs(one - two) <= off_one + off_two
    assert (near | ~known).all()


@given(expressions(functions=("sin", "cos"), undefined={}))
def test_forms_are_identical_by_a_second_judge(p):
    (found,) = Shorter(frozenset(SYMBOLS)).shorten([p])
    assert compare([(p, found)], seed=9)[0].kind == IDENTICAL or found is p


@pytest.mark.parametrize(
    ("module", "name", "fault"),
    [
        (shorter, "_apply_sign", lambda x, sign: x),
        (sums, "_find_cancelling", lambda found, nonzero: [at for _, at in found]),
        (shorter, "class_of", lambda values, fields: ((values[0] % 7,), 1)),
        (shorter, "_rebuilt", lambda step, args: args[0] if args else step.node),
    ],
)
def test_a_wrong_form_is_not_let_through(monkeypatch, module, name, fault):
    """Each fault in the making of forms is met by the check at fresh points."""
    given_ = [FORMS[what][0] for what in FORMS] + [(b - a) * v, (a - b) * q]
    Shorter(PARAMETERS).shorten(given_)
    monkeypatch.setattr(module, name, fault)
    with pytest.raises(ExpressionError, match="is not the same"):
        Shorter(PARAMETERS).shorten(given_)


def test_confirmation_sees_the_smallest_difference():
    confirm([sin(2 * q)], [2 * sin(q) * cos(q)])
    with pytest.raises(ExpressionError, match="is not the same"):
        confirm([q, sin(2 * q)], [q, 2 * sin(q) * cos(q) * (1 + number("1e-15"))])


def test_large_graphs_are_left_as_they_are(monkeypatch):
    monkeypatch.setattr(shorter, "MOST_NODES", 5)
    given_ = r * c - raw(r * c, m)
    assert Shorter(PARAMETERS).shorten([given_]) == [given_]
