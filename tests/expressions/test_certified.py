"""What all formalisms share of the graph, certified over prime fields on random graphs.

Programs are the graphs that they were made of, substitution is what defined symbols mean, and a derivative is the
coefficient of ε where ε² = 0: that is its definition, and shares no code with the differentiation of the graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mbconcord.model.expressions import (
    ONE,
    TIME,
    Expression,
    cos,
    derivative,
    directional,
    rate,
    sin,
    sqrt,
    substitute,
    symbol,
    time_derivative,
    topological,
)
from mbconcord.model.expressions.field import DIFFERS, IDENTICAL, Plan, compare, points
from mbconcord.model.expressions.program import program

from .recipes import SYMBOLS, expressions

SMOOTH = ("sin", "cos", "tan", "sqrt")
graphs = expressions(functions=SMOOTH, undefined={}, max_size=14)
names = st.sampled_from(SYMBOLS[:3])


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(expressions(functions=(*SMOOTH, "abs", "sign", "atan2", "exp")), min_size=1, max_size=3))
def test_a_program_is_the_graph(outputs: list[Expression]) -> None:
    plan, (places,) = Plan.of_programs([program(outputs)])
    plain = Plan(outputs)
    (point,) = points(plain, 1, atoms=True)
    a, b = point.run(plan), point.run(plain)
    assume(not a.poles and not b.poles)
    assert [a[i] for i in places] == [b[plain.place[x]] for x in outputs]


@settings(max_examples=60)
@given(graphs, graphs, names)
def test_substitution_is_what_a_defined_symbol_means(p: Expression, inner: Expression, name: str) -> None:
    other = symbol("other")
    (renamed,) = substitute([p], {symbol(name): other})
    (put,) = substitute([p], {symbol(name): inner})
    (found,) = compare([(renamed, put)], {other: inner}, draws=1)
    assert found.kind != DIFFERS, (p, inner)


@dataclass
class Dual:
    """a + ε b, ε² = 0: of the graph's own operations nothing but sums and products."""

    a: Expression
    b: Expression


def dual(p: Expression, of: Expression) -> Dual:
    """The value of a graph at x + ε."""
    found: dict[Expression, Dual] = {}
    for node in topological([p]):
        own = [found[arg] for arg in node.args]
        found[node] = one(node, own, of)
    return found[p]


def one(node: Expression, args: list[Dual], of: Expression) -> Dual:
    zero = node - node
    if not args:
        return Dual(node, zero + (1 if node is of else 0))
    u = args[0]
    if node.op == "neg":
        return Dual(-u.a, -u.b)
    if node.op == "add":
        v = args[1]
        return Dual(u.a + v.a, u.b + v.b)
    if node.op == "mul":
        v = args[1]
        return Dual(u.a * v.a, u.a * v.b + u.b * v.a)
    if node.op == "pow":
        n = node.args[1]
        return Dual(u.a**n, n * u.a ** (n - 1) * u.b)
    slope = {"sin": cos(u.a), "cos": -sin(u.a), "tan": 1 + node * node, "sqrt": 1 / (2 * sqrt(u.a))}
    return Dual(node, slope[node.data] * u.b)


@pytest.mark.slow
@settings(max_examples=60)
@given(graphs, names)
def test_a_derivative_is_the_coefficient_of_epsilon(p: Expression, name: str) -> None:
    x = symbol(name)
    assume(all(n.op != "pow" or n.args[1].op == "num" for n in topological([p])))
    (found,) = compare([(derivative(p, x), dual(p, x).b)], draws=1)
    assert found.kind != DIFFERS, (p, name)


@pytest.mark.slow
@settings(max_examples=40)
@given(graphs)
def test_time_derivatives_are_sums_of_partial_ones(p: Expression) -> None:
    assume(all(n.op != "pow" or n.args[1].op == "num" for n in topological([p])))  # (-1)^x has no derivative
    coordinates = SYMBOLS[:2]
    rates = {symbol(name): rate(name) for name in coordinates}
    sides = [time_derivative([p], coordinates)[0], directional([p], rates | {TIME: ONE})[0]]
    along = sum((derivative(p, q) * v for q, v in rates.items()), derivative(p, TIME))
    for found in compare([(along, other) for other in sides], draws=1):
        assert found.kind != DIFFERS, p


def test_most_of_it_is_decided() -> None:
    x, y = symbol("x"), symbol("y")
    p = sin(x * y) * sqrt(1 + x * x) / (2 + cos(y) ** 3)
    assert compare([(derivative(p, x), dual(p, x).b)])[0].kind == IDENTICAL
    assert compare([(derivative(p, x), dual(p, y).b)])[0].kind == DIFFERS
