"""Derivatives and substitution on the graph. All are iterative: depth costs no recursion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from .algebra import add, div, mul, neg, power
from .functions import apply, call
from .interpolant import Interpolant
from .node import (
    ADD,
    CALL,
    FUN,
    MINUS_ONE,
    MUL,
    NEG,
    NUM,
    ONE,
    POW,
    TIME,
    TWO,
    ZERO,
    Expression,
    ExpressionError,
    number,
    rate,
    symbol,
)
from .traversal import topological


def rebuild(node: Expression, args: Sequence[Expression]) -> Expression:
    """Apply the same operation to other operands, simplified anew."""
    op = node.op
    if op is ADD:
        return add(args[0], args[1])
    if op is MUL:
        return mul(args[0], args[1])
    if op is NEG:
        return neg(args[0])
    if op is POW:
        return power(args[0], args[1])
    if op is FUN:
        return apply(node.data, *args)
    if op is CALL:
        return call(node.data[0], args, node.data[1])
    return node


def substitute(outputs: Iterable[Expression], replacements: Mapping[Expression, Expression]) -> list[Expression]:
    """Replace every occurrence of the given nodes in the outputs, all at the same time.

    Replacements are not searched for further nodes, nor is anything below a replaced node. The cost depends on the
    outputs, not on the number of replacements.
    """
    return Substitution(replacements).apply(outputs)


class Substitution:
    """Replacements of nodes for a series of formulas, whose shared parts are rebuilt once."""

    def __init__(self, replacements: Mapping[Expression, Expression]) -> None:
        self._replacements = replacements
        self._new: dict[Expression, Expression] = {}

    def apply(self, outputs: Iterable[Expression]) -> list[Expression]:
        """Replace every occurrence of the given nodes in the outputs; see :func:`substitute`."""
        roots, new, given = list(outputs), self._new, self._replacements
        for node in topological(roots, lambda node: () if node in given or node in new else node.args):
            if node in given:
                new[node] = given[node]
            elif node not in new:
                changed = any(new[arg] is not arg for arg in node.args)
                new[node] = rebuild(node, [new[arg] for arg in node.args]) if changed else node
        return [new[root] for root in roots]


def partials(node: Expression) -> tuple[Expression, ...]:
    """Return partial derivatives of one operation with respect to its operands."""
    op, args = node.op, node.args
    if op is NEG:
        return (MINUS_ONE,)
    if op is ADD:
        return ONE, ONE
    if op is MUL:
        return args[1], args[0]
    if op is POW:
        base, exponent = args
        if exponent.op is NUM:
            return mul(exponent, power(base, add(exponent, MINUS_ONE))), ZERO
        return (
            ZERO if base.constant else mul(exponent, power(base, add(exponent, MINUS_ONE))),
            ZERO if exponent.constant or base is ZERO else mul(node, apply("log", base)),
        )
    if op is FUN:
        return _function_partials(node.data, args, node)
    if op is CALL:
        name, orders = node.data
        return tuple(call(name, args, tuple(o + (i == k) for k, o in enumerate(orders))) for i in range(len(args)))
    raise ExpressionError(f"a {op} node has no operands")


def _function_partials(
    name: str | Interpolant, args: tuple[Expression, ...], node: Expression
) -> tuple[Expression, ...]:
    a = args[0]
    if isinstance(name, Interpolant):
        return (apply(name.differentiated(), a),)
    if name == "sin":
        return (apply("cos", a),)
    if name == "cos":
        return (neg(apply("sin", a)),)
    if name == "tan":
        return (add(ONE, power(node, TWO)),)
    if name in ("asin", "acos"):
        slope = power(apply("sqrt", add(ONE, neg(power(a, TWO)))), MINUS_ONE)
        return (slope if name == "asin" else neg(slope),)
    if name == "atan":
        return (power(add(ONE, power(a, TWO)), MINUS_ONE),)
    if name == "atan2":
        y, x = args
        norm = add(power(y, TWO), power(x, TWO))
        return div(x, norm), neg(div(y, norm))
    if name == "sqrt":
        return (div(ONE, mul(TWO, node)),)
    if name == "exp":
        return (node,)
    if name == "log":
        return (power(a, MINUS_ONE),)
    if name == "abs":
        return (apply("sign", a),)
    return (ZERO,)  # sign


def made_of(formula: Expression) -> Expression:
    """Return the sum of absolute values of a formula's terms: its rounding is a fraction of that, even if terms cancel.

    For a function f(a) the sum is |f| + |f'| times the sum of a.
    """
    sizes: dict[Expression, Expression] = {}
    for node in topological([formula]):
        own = [sizes[arg] for arg in node.args]
        if node.op is ADD:
            sizes[node] = own[0] + own[1]
        elif node.op is MUL:
            sizes[node] = own[0] * own[1]
        elif node.op is NEG:
            sizes[node] = own[0]
        else:
            slopes = partials(node) if own else ()
            terms = (apply("abs", slope) * size for slope, size in zip(slopes, own, strict=True))
            sizes[node] = sum(terms, apply("abs", node))
    return sizes[formula]


def directional(outputs: Iterable[Expression], directions: Mapping[Expression, Expression]) -> list[Expression]:
    """Differentiate each output along a direction: Σ ∂f/∂x · direction[x] (forward mode, one sweep)."""
    roots = list(outputs)
    slope: dict[Expression, Expression] = {}
    for node in topological(roots):
        given = directions.get(node)
        if given is not None:
            slope[node] = given
            continue
        args, op = node.args, node.op
        if node.constant or not args:
            slope[node] = ZERO
        elif op is ADD:
            slope[node] = add(slope[args[0]], slope[args[1]])
        elif op is MUL:
            a, b = args
            slope[node] = add(mul(b, slope[a]), mul(a, slope[b]))
        elif op is NEG:
            slope[node] = neg(slope[args[0]])
        else:
            slope[node] = _chain(node, [slope[arg] for arg in args])
    return [slope[root] for root in roots]


def _chain(node: Expression, slopes: Sequence[Expression]) -> Expression:
    """Sum partial · slope over the operands that change."""
    total = ZERO
    if any(slopes):
        for partial, slope in zip(partials(node), slopes, strict=True):
            total = add(total, mul(partial, slope))
    return total


def derivative(output: Expression, x: Expression) -> Expression:
    """Return ∂ output / ∂ x, x a symbol."""
    return directional([output], {x: ONE})[0]


def time_derivative(outputs: Iterable[Expression], coordinates: Iterable[str]) -> list[Expression]:
    """Differentiate outputs by t: the derivative of a coordinate ``z1`` is ``z1'``, of its rate ``z1''``, of t 1."""
    directions: dict[Expression, Expression] = {TIME: ONE}
    for name in coordinates:
        directions[symbol(name)] = rate(name)
        directions[rate(name)] = rate(name, 2)
    return directional(outputs, directions)


def gradient(output: Expression, variables: Sequence[Expression]) -> list[Expression]:
    """Return ∂ output / ∂ x for all the variables in one backward sweep (reverse mode)."""
    return pullback([output], [ONE], variables)


def pullback(
    outputs: Sequence[Expression], weights: Sequence[Expression], variables: Sequence[Expression]
) -> list[Expression]:
    """Return Σ weight · ∂ output / ∂ x for all variables in one backward sweep with constant weights."""
    order = topological(outputs)
    active: set[Expression] = set(variables)
    for node in order:
        for arg in node.args:
            if arg in active:
                active.add(node)
                break
    adjoint: dict[Expression, Expression] = {}
    for output, weight in zip(outputs, weights, strict=True):
        before = adjoint.get(output)
        adjoint[output] = weight if before is None else add(before, weight)
    for node in reversed(order):
        if not node.args or node not in active:
            continue
        total = adjoint.get(node)
        if total is None or total is ZERO:
            continue
        for arg, partial in zip(node.args, partials(node), strict=True):
            if arg in active:
                share = mul(total, partial)
                before = adjoint.get(arg)
                adjoint[arg] = share if before is None else add(before, share)
    return [adjoint.get(x, ZERO) for x in variables]


def jacobian(outputs: Iterable[Expression], variables: Sequence[Expression]) -> list[list[Expression]]:
    """Return ∂ output / ∂ x, a row for each output: one forward sweep over the dependencies of each node."""
    roots = list(outputs)
    nothing: dict[int, Expression] = {}
    rows: dict[Expression, dict[int, Expression]] = {x: {k: ONE} for k, x in enumerate(variables)}
    for node in topological(roots):
        if node in rows:
            continue
        below = [rows[arg] for arg in node.args]
        if not any(below):
            rows[node] = nothing
            continue
        row: dict[int, Expression] = {}
        for slopes, partial in zip(below, partials(node), strict=True):
            for k, slope in slopes.items():
                share = mul(partial, slope)
                before = row.get(k)
                row[k] = share if before is None else add(before, share)
        rows[node] = row
    return [[rows[root].get(k, ZERO) for k in range(len(variables))] for root in roots]


#: Largest power of which a quotient is written out.
POWER = 8


def divide_out(output: Expression, x: Expression) -> Expression | None:
    """Return a formula q with output = x q, which has a value at x = 0 too; None if none is found.

    x is a symbol that is not negative. With f - f₀ = x Q[f], f₀ being f at zero: Q[a b] = Q[a] b + a₀ Q[b],
    Q[aⁿ] = Q[a] Σ aⁱ a₀ⁿ⁻¹⁻ⁱ, Q[1/a] = -Q[a]/(a a₀), Q[√a] = Q[a]/(√a + √a₀), or √Q[Q[a]] where Q[a]₀ = a₀ = 0.
    """
    zero: dict[Expression, Expression | None] = {}
    quotients: dict[Expression, Expression | None] = {}
    for node in topological([output]):
        if node is x:
            zero[node], quotients[node] = ZERO, ONE
            continue
        at, parts = [zero[arg] for arg in node.args], [quotients[arg] for arg in node.args]
        known = [a for a in at if a is not None]
        try:
            whole = len(known) == len(at)
            zero[node] = rebuild(node, known) if whole else None
            still = all(q is ZERO for q in parts)
            quotients[node] = ZERO if still else _quotient(node, known, parts, x) if whole else None
        except ExpressionError:  # it has no value at zero
            zero[node] = quotients[node] = None
    return quotients[output] if zero[output] is ZERO else None


def _quotient(
    node: Expression, at: Sequence[Expression], parts: Sequence[Expression | None], x: Expression
) -> Expression | None:
    """Return Q of an operation from its operands at zero and their Q."""
    op, a, q = node.op, node.args[0], parts[0]
    if op is MUL:
        b, r = node.args[1], parts[1]
        if at[1] is ZERO and r is not None:
            return mul(a, r)
        if q is None or (at[0] is not ZERO and r is None):
            return None
        return mul(q, b) if at[0] is ZERO or r is None else add(mul(q, b), mul(at[0], r))
    if any(part is None for part in parts) or q is None:
        return None
    if op is ADD:
        other = parts[1]
        return None if other is None else add(q, other)
    if op is NEG:
        return neg(q)
    if op is POW and node.args[1].op is NUM:
        return _power_quotient(a, node.args[1].data, at[0], q)
    if op is FUN and node.data == "abs" and at[0] is ZERO:
        return apply("abs", q)
    if op is FUN and node.data == "sqrt":
        if at[0] is not ZERO:
            return div(q, add(node, apply("sqrt", at[0])))
        twice = divide_out(q, x)
        return None if twice is None else apply("sqrt", twice)
    return None


def _power_quotient(a: Expression, n: Fraction, at: Expression, q: Expression) -> Expression | None:
    """Return Q[aⁿ] from a, from Q[a], and from ``at``, the value of a at zero."""
    if at is ZERO:
        return mul(q, power(a, number(n - 1))) if n >= 1 else None
    size = abs(n)
    if n.denominator != 1 or size > POWER:
        return None
    total = ZERO
    for i in range(int(size)):
        total = add(total, mul(power(a, number(i)), power(at, number(size - 1 - i))))
    total = mul(q, total)
    return total if n > 0 else neg(div(total, mul(power(a, number(size)), power(at, number(size)))))
