"""Deep and large graphs: no operation calls itself, none grows faster than the graph."""

import gc
import json
import pickle
import weakref

import pytest

from mbconcord.model.expressions import (
    TIME,
    ZERO,
    Expression,
    ExpressionError,
    algebra,
    as_expression,
    c99_source,
    call,
    compile_numpy,
    cos,
    count_operations,
    derivative,
    dumps,
    evaluate,
    from_sympy,
    gradient,
    jacobian,
    loads,
    mpmath_arithmetic,
    node,
    numpy_arithmetic,
    python_source,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
    to_latex,
    to_mathml,
    to_sympy,
    to_text,
    topological,
)

x, y = symbol("x"), symbol("y")


def mixed(depth: int) -> Expression:
    """A chain of sums and products, sines and quotients: bounded values at x = 0.3, y = 0.7."""
    e = x
    for i in range(depth // 4):
        e = sin(e * y + x) / (2 + i % 3)
    return e


def ladder(depth: int) -> Expression:
    """A chain in which every node is used twice: as a tree it has 2^depth nodes."""
    e = x
    for i in range(depth // 3):
        e = sin(e) * (e + i)
    return e


def comb(depth: int) -> Expression:
    """Differences nested to the right."""
    e = x
    for i in range(depth):
        e = (x if i % 2 else y) * (i + 1) - e
    return e


def long_sum(depth: int) -> Expression:
    return sum((x * i + y**2 for i in range(1, depth)), ZERO)


def exponents(depth: int) -> Expression:
    e = x
    for _ in range(depth):
        e = y**e
    return e


CHAINS = [mixed, comb, long_sum]
DEPTH = 10_000


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize(("chain", "depth"), [(mixed, 2 * DEPTH), (comb, DEPTH), (long_sum, DEPTH)])
def test_every_operation_takes_deep_chains(chain, depth):
    e = chain(depth)
    values = {"x": 0.3, "y": 0.7}
    assert len(topological([e])) >= depth
    assert symbols([e]) == {"x", "y"}
    assert count_operations([e]).critical_path >= depth // 2
    number = evaluate([e], values)[0]
    assert abs(evaluate([e], values, mpmath_arithmetic(40))[0] - number) <= 1e-7 * max(1, abs(number))
    assert evaluate([e], values, numpy_arithmetic())[0] == pytest.approx(number, rel=1e-7)
    slope = derivative(e, x)
    assert gradient(e, [x, y])[0] is not None
    assert jacobian([e], [x])[0][0] is slope
    assert substitute(substitute([e], {x: TIME}), {TIME: x}) == [e]
    assert loads(json.loads(json.dumps(dumps([e])))) == [e]
    assert pickle.loads(pickle.dumps(e)) is e
    assert min(len(to_text(e)), len(to_latex(e)), len(to_mathml(e))) > depth
    assert str(e)[:1] and repr(e).endswith("many nodes>")
    assert len(python_source([e], ["x", "y"], "f").splitlines()) > depth // 20
    assert len(c99_source([e], ["x", "y"], "f").splitlines()) > depth // 20


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("chain", [*CHAINS, ladder, exponents])
def test_generated_code_of_10000_levels_computes(chain):
    e = chain(10_000)
    try:
        expected = evaluate([e], {"x": 0.3, "y": 0.7})[0]
    except ExpressionError:
        pytest.fail("the chain has no value")
    assert compile_numpy([e], ["x", "y"])([0.3, 0.7])[0] == pytest.approx(expected, rel=1e-7)


@pytest.mark.slow
def test_a_graph_of_shared_nodes_costs_what_it_holds():
    e = ladder(30_000)
    assert len(topological([e])) < 60_000
    assert evaluate([e], {"x": 0.0}) == [0.0]
    assert len(topological([derivative(e, x)])) < 300_000
    assert loads(dumps([e])) == [e]
    with pytest.raises(ExpressionError, match="give names to intermediates"):
        to_text(e)


@pytest.mark.slow
def test_calls_and_powers_nest_as_deep():
    e = exponents(DEPTH)
    assert derivative(e, x) is not ZERO
    assert to_text(e).startswith("y^(y^(y^")
    f = x
    for _ in range(DEPTH):
        f = call("f", [f], [1])
    assert to_text(f) == "f'(" * DEPTH + "x" + ")" * DEPTH
    assert substitute([f], {x: y})[0] is not f


@pytest.mark.slow
def test_sympy_is_refused_what_it_cannot_take():
    for e in (mixed(DEPTH), comb(10_000) * sin(ladder(2_000)), exponents(400)):
        with pytest.raises(ExpressionError, match="levels deep and SymPy takes"):
            to_sympy(e)
    assert from_sympy(to_sympy(mixed(80))) is not None
    assert len(to_sympy(sum((symbol(f"a{i}") for i in range(300)), ZERO)).args) == 300


def test_a_small_graph_is_exported_even_from_a_deep_stack():
    def deep(levels: int) -> object:
        return deep(levels - 1) if levels else to_sympy(mixed(390))

    with pytest.raises(ExpressionError, match="levels deep and SymPy takes"):
        deep(800)


@pytest.mark.slow
def test_unused_nodes_leave_the_table():
    tables = [algebra._sums, algebra._differences, algebra._products, algebra._powers, algebra._negatives]
    tables += [node._others, node._numbers, node._leaves]
    gc.collect()
    before = [len(table) for table in tables]
    outputs = [chain(20_000) for chain in (*CHAINS, ladder, exponents)]
    outputs += [derivative(e, x) for e in outputs]
    outputs.append(sqrt(cos(symbol("only here")) ** as_expression(0.123456789)))
    grown = [len(table) for table in tables]
    assert sum(grown) > sum(before) + 100_000
    witness = weakref.ref(outputs[0])
    del outputs
    assert witness() is None
    assert [len(table) for table in tables] == before


def test_graphs_are_the_same_where_no_node_is_forgotten():
    """Equal expressions are one node still, also those that were gone and are made anew; afterwards all leave."""
    p, q = symbol("kept for a while"), symbol("beside it")
    before = len(algebra._products)
    held = p * q + p**2
    node.forget_nodes(False)
    try:
        assert p * q + p**2 is held
        gone = weakref.ref(sin(p) * q)
        assert gone() is None and len(algebra._products) > before + 1
        again = sin(p) * q
        assert again is q * sin(p) and str(again) == str(q * sin(p))
    finally:
        node.forget_nodes(True)
    del again
    last = len(algebra._products)
    later = cos(p) * q
    assert len(algebra._products) == last + 1
    del later
    assert len(algebra._products) == last
