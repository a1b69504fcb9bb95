"""Sums, products and powers, simplified locally on construction.

Sums and products are binary and kept in a canonical order; they are never flattened, because a partial sum that two
results share is the saving this graph exists for. For the same reason a number stays with the factor it multiplies,
``(2 x) y`` is not ``2 (x y)``: a constant length times a sine is shared by many products. Signs travel outwards: ``b -
a`` is the negation of ``a - b``. Each simplification looks at one or two levels only, and each is an identity of real
numbers wherever both sides are defined. The sign of a number is needed often: it is taken from the numerator, as
comparing fractions is four times slower.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from ..limits import NUMBER_BITS
from .node import (
    ADD,
    FUN,
    MINUS_ONE,
    MUL,
    NEG,
    NUM,
    ONE,
    OP_RANK,
    POW,
    TWO,
    ZERO,
    Expression,
    ExpressionError,
    Table,
    intern,
    new,
    number,
    operators,
)

#: Numbers of more bits in numerator or denominator stay where they are in sums and products.
SHORT_BITS: Final = 256

_sums: Table = {}
_differences: Table = {}  # (a, b) -> a + (-b)
_products: Table = {}
_powers: Table = {}
_negatives: Table = {}
_RANK_ADD, _RANK_MUL, _RANK_POW, _RANK_NEG = (OP_RANK[op] for op in (ADD, MUL, POW, NEG))


def neg(a: Expression) -> Expression:
    """Return -a."""
    if a.op is NEG:
        return a.args[0]
    entry = _negatives.get(a)
    node = entry() if entry is not None else None
    if node is None:
        if a.op is NUM:
            return number(-a.data)
        node = new(_negatives, a, NEG, (a,), None, a.constant, hash((_RANK_NEG, a.rank)))
    return node


def add(a: Expression, b: Expression) -> Expression:
    """Return a + b."""
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if a.op is NEG:
        if b.op is NEG:
            return _sum(a.args[0], b.args[0], True, True)
        return _sum(a.args[0], b, True, False)
    if b.op is NEG:
        return _sum(a, b.args[0], False, True)
    return _sum(a, b, False, False)


def subtract(a: Expression, b: Expression) -> Expression:
    """Return a - b, kept as a + (-b)."""
    if b is ZERO:
        return a
    if a is ZERO:
        return neg(b)
    if a.op is NEG:
        if b.op is NEG:
            return _sum(a.args[0], b.args[0], True, False)
        return _sum(a.args[0], b, True, True)
    if b.op is NEG:
        return _sum(a, b.args[0], False, False)
    return _sum(a, b, False, True)


def _sum(x: Expression, y: Expression, minus_x: bool, minus_y: bool) -> Expression:
    """Return ±x ± y, where neither is a negation."""
    if x.op is NUM or y.op is NUM:
        if x.op is y.op:
            return number((-x.data if minus_x else x.data) + (-y.data if minus_y else y.data))
        if x.op is NUM:
            x, y, minus_x, minus_y = y, x, minus_y, minus_x
        if y.data.numerator < 0:
            y, minus_y = neg(y), not minus_y
        folded = _fold_number(x, y, minus_x, minus_y)
        if folded is not None:
            return folded
    if x.rank > y.rank:
        x, y, minus_x, minus_y = y, x, minus_y, minus_x
    table = _sums if minus_x is minus_y else _differences
    key = (x, y)
    entry = table.get(key)
    node = entry() if entry is not None else None
    if node is None:
        folded = _fold_sum(x, y, minus_x, minus_y)
        if folded is not None:
            return folded
        args = key if minus_x is minus_y else (x, neg(y))
        rank = hash((_RANK_ADD, x.rank, args[1].rank))
        node = new(table, key, ADD, args, None, x.constant and y.constant, rank)
    return neg(node) if minus_x else node


def _fold_number(s: Expression, n: Expression, minus_s: bool, minus_n: bool) -> Expression | None:
    """Fold ±s ± n for a positive number n: 2 + (3 + x) = 5 + x, 1 - sin² = cos²."""
    if s.op is ADD:
        p, r = s.args
        inner, rest = (p, r) if p.op is NUM else (r, p)
        if inner.op is NUM and is_short(inner.data) and is_short(n.data):
            total = (-inner.data if minus_s else inner.data) + (-n.data if minus_n else n.data)
            return add(number(total), neg(rest) if minus_s else rest)
    elif n is ONE and minus_s is not minus_n and s.op is POW:
        found = _squared_trigonometry(s)
        if found is not None and found[0] is ONE:
            rest = power(intern(FUN, (found[2],), "cos" if found[1] == "sin" else "sin"), TWO)
            return rest if minus_s else neg(rest)
    return None


def _fold_sum(x: Expression, y: Expression, minus_x: bool, minus_y: bool) -> Expression | None:
    """Fold ±x ± y if one step shortens it: like terms, a cancelling term, sin² + cos²."""
    if x is y:
        if minus_x is not minus_y:
            return ZERO
        both = mul(TWO, x)
        return neg(both) if minus_x else both
    x_op, y_op = x.op, y.op
    if x_op is ADD:
        rest = _cancel(x, y, minus_x is minus_y)
        if rest is not None:
            return neg(rest) if minus_x else rest
    if y_op is ADD:
        rest = _cancel(y, x, minus_x is minus_y)
        if rest is not None:
            return neg(rest) if minus_y else rest
    if (x_op is MUL and x.args[0].op is NUM) or (y_op is MUL and y.args[0].op is NUM):
        return _like_terms(x, y, minus_x, minus_y)
    if minus_x is minus_y and _has_power(x) and _has_power(y):
        return _fold_trigonometry(x, y, minus_x)
    return None


def _has_power(a: Expression) -> bool:
    return a.op is POW or (a.op is MUL and (a.args[0].op is POW or a.args[1].op is POW))


def coefficient(a: Expression) -> tuple[Fraction, Expression]:
    """Return c, x of a multiple c x by a number c of few digits; 1, a of anything else."""
    if a.op is MUL and a.args[0].op is NUM and is_short(a.args[0].data):
        return a.args[0].data, a.args[1]
    return ONE.data, a


def is_short(value: Fraction) -> bool:
    """Return True if a number may be combined with others; without a limit its digits would grow with the graph."""
    return value.numerator.bit_length() <= SHORT_BITS and value.denominator.bit_length() <= SHORT_BITS


def _like_terms(x: Expression, y: Expression, minus_x: bool, minus_y: bool) -> Expression | None:
    """Fold 2 x + 3 x = 5 x; 2 p + 2 q = 2 (p + q) if p + q is shorter, as in 2 sin² + 2 cos² = 2."""
    (c, p), (d, q) = coefficient(x), coefficient(y)
    if p is x and q is y:
        return None
    if p is q:
        return mul(number((-c if minus_x else c) + (-d if minus_y else d)), p)
    if c == d:
        folded = _fold_sum(p, q, minus_x, minus_y)
        return None if folded is None else mul(number(c), folded)
    return None


def _cancel(total: Expression, term: Expression, same: bool) -> Expression | None:
    """Fold (p + r) + term (same signs) or (p + r) - term, if the term cancels p or r."""
    p, r = total.args
    if same:  # p is never a negation
        return p if r.op is NEG and r.args[0] is term else None
    return r if p is term else p if r is term else None


def _squared_trigonometry(a: Expression) -> tuple[Expression, str, Expression] | None:
    """Return (factor, function, argument) of factor * sin(argument)² or cos; also of (c * sin(argument))²."""
    if a.op is POW:
        base, exponent = a.args
        if exponent is not TWO:
            return None
        if base.op is FUN and (base.data == "sin" or base.data == "cos"):
            return ONE, base.data, base.args[0]
        if base.op is MUL:
            for i in (0, 1):
                f = base.args[i]
                if f.op is FUN and (f.data == "sin" or f.data == "cos"):
                    return power(base.args[1 - i], TWO), f.data, f.args[0]
    elif a.op is MUL:
        for i in (0, 1):
            f = a.args[i]
            if f.op is POW:
                found = _squared_trigonometry(f)
                if found is not None:
                    return mul(found[0], a.args[1 - i]), found[1], found[2]
    return None


def _fold_trigonometry(x: Expression, y: Expression, minus: bool) -> Expression | None:
    """Fold ±(c sin² + c cos²) = ±c."""
    one, other = _squared_trigonometry(x), _squared_trigonometry(y)
    if one is None or other is None or one[1] == other[1]:
        return None
    if one[0] is not other[0] or one[2] is not other[2]:
        return None
    return neg(one[0]) if minus else one[0]


def mul(a: Expression, b: Expression) -> Expression:
    """Return a * b."""
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    if a.op is NEG:
        if b.op is NEG:
            return _product(a.args[0], b.args[0])
        return neg(_product(a.args[0], b))
    if b.op is NEG:
        return neg(_product(a, b.args[0]))
    return _product(a, b)


def _product(a: Expression, b: Expression) -> Expression:
    """Return a * b, where neither is a negation."""
    if a.op is NUM:
        return number(a.data * b.data) if b.op is NUM else _scale(a, b)
    if b.op is NUM:
        return _scale(b, a)
    if a.rank > b.rank:
        a, b = b, a
    key = (a, b)
    entry = _products.get(key)
    node = entry() if entry is not None else None
    if node is None:
        folded = _fold_product(a, b)
        if folded is not None:
            return folded
        rank = hash((_RANK_MUL, a.rank, b.rank))
        node = new(_products, key, MUL, key, None, a.constant and b.constant, rank)
    return node


def _scale(c: Expression, b: Expression) -> Expression:
    """Return c * b for a number c and no negation b; the sign of the number goes outwards."""
    if c.data.numerator < 0:
        return neg(_scale(neg(c), b))
    if b.op is MUL and b.args[0].op is NUM and is_short(c.data):
        factor, b = coefficient(b)
        c = number(c.data * factor)
    if c is ONE:
        return b
    if c is ZERO:
        return c
    key = (c, b)
    entry = _products.get(key)
    node = entry() if entry is not None else None
    if node is None:
        node = new(_products, key, MUL, key, None, b.constant, hash((_RANK_MUL, c.rank, b.rank)))
    return node


def _fold_product(a: Expression, b: Expression) -> Expression | None:
    """Join powers of one base; (x y) / x is y."""
    a_op, b_op = a.op, b.op
    if a is b:
        return power(a, TWO)
    if a_op is not POW and b_op is not POW:
        return None
    (x, m), (y, n) = _whole_power(a), _whole_power(b)
    if x is y:
        return power(x, number(m + n))
    if n == -1 and a_op is MUL:
        if a.args[0] is y:
            return a.args[1]
        if a.args[1] is y:
            return a.args[0]
    if m == -1 and b_op is MUL:
        if b.args[0] is x:
            return b.args[1]
        if b.args[1] is x:
            return b.args[0]
    return None


def _whole_power(a: Expression) -> tuple[Expression, int]:
    """Return x, n of xⁿ."""
    if a.op is POW:
        exponent = a.args[1]
        if exponent.op is NUM and exponent.data.denominator == 1:
            return a.args[0], exponent.data.numerator
    return a, 1


def div(a: Expression, b: Expression) -> Expression:
    """Return a / b, kept as a * b^-1; x / (2 y) is 1/2 (x / y)."""
    if b.op is NUM:
        if b is ZERO:
            raise ExpressionError("division by zero")
        return mul(a, number(1 / b.data))
    if a is b:
        return ONE
    (c, p), (d, q) = coefficient(a), coefficient(b)
    if q is b:
        return mul(a, power(b, MINUS_ONE))
    return mul(number(c / d), mul(p, power(q, MINUS_ONE)))


def power(a: Expression, b: Expression) -> Expression:
    """Return a ^ b."""
    if b.op is NUM:
        if b is ONE:
            return a
        if b is ZERO:
            return ONE
        if b.data.denominator == 1:
            folded = _whole(a, b.data.numerator)
            if folded is not None:
                return folded
        elif a is ZERO:
            if b.data < 0:
                raise ExpressionError("division by zero")
            return ZERO
        elif b.data.denominator == 2:
            return power(square_root(a), number(b.data.numerator))
    if a is ONE:
        return ONE
    key = (a, b)
    entry = _powers.get(key)
    node = entry() if entry is not None else None
    if node is None:
        rank = hash((_RANK_POW, a.rank, b.rank))
        node = new(_powers, key, POW, key, None, a.constant and b.constant, rank)
    return node


def _whole(a: Expression, n: int) -> Expression | None:
    """Simplify a^n of a number, a negation, a multiple, a power or a square root; None otherwise."""
    op = a.op
    if op is NUM:
        if a is ZERO:
            if n < 0:
                raise ExpressionError("division by zero")
            return ZERO
        size = max(a.data.numerator.bit_length(), a.data.denominator.bit_length())
        return number(a.data**n) if size * abs(n) <= NUMBER_BITS else None
    if op is NEG:
        even = power(a.args[0], number(n))
        return even if n % 2 == 0 else neg(even)
    if op is MUL:
        factor, rest = coefficient(a)
        if rest is not a:
            return mul(power(number(factor), number(n)), power(rest, number(n)))
    if op is POW:
        exponent = a.args[1]
        if exponent.op is NUM:
            return power(a.args[0], number(exponent.data * n))
    elif op is FUN and a.data == "sqrt" and n % 2 == 0:
        return power(a.args[0], number(n // 2))
    return None


def square_root(a: Expression) -> Expression:
    """Return √a; a number where a is the square of one."""
    if a.op is NUM:
        if a.data < 0:
            raise ExpressionError(f"square root of the negative number {a}")
        p, q = math.isqrt(a.data.numerator), math.isqrt(a.data.denominator)
        if p * p == a.data.numerator and q * q == a.data.denominator:
            return number(Fraction(p, q))
    return intern(FUN, (a,), "sqrt")


operators(add=add, subtract=subtract, mul=mul, div=div, power=power, neg=neg)
