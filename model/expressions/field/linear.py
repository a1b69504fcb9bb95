"""Linear algebra over a prime field, or its quadratic extension, and states at which forms are zero: :func:`meet`.

No pivot is small, only zero. Forms are zero by those of their symbols in which they are linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import dropwhile, zip_longest
from math import factorial
from random import Random

from mbconcord.records import dataclass

from ..algebra import neg
from ..calculus import gradient, substitute
from ..node import CALL, FUN, FUNCTIONS, NUM, PI_NODE, ZERO, Expression, ExpressionError, symbol
from ..traversal import symbols, topological
from .extension import inverse
from .plan import Plan, is_positive, split_offset
from .point import NoRootError, Point, Value
from .primes import prime_of

Row = list[Value]
MOST_DEGREE = 20  # of polynomials whose common roots are sought


@dataclass(frozen=True)
class EchelonRows:
    """Rows in reduced echelon form.

    Attributes
    ----------
    rows : those that are not zero, each with a 1 at its pivot
    pivots : column of the pivot of each row
    torn : True if a row is zero in the columns of pivots but not in others: the equations contradict each other
    """

    rows: tuple[tuple[Value, ...], ...]
    pivots: tuple[int, ...]
    torn: bool = False

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.rows)


def reduce_rows(rows: Sequence[Sequence[Value]], p: int, columns: int | None = None) -> EchelonRows:
    """Reduce rows to reduced echelon form, with pivots among the first ``columns`` (None: all)."""
    left = [list(row) for row in rows]
    width = columns if columns is not None else len(left[0]) if left else 0
    done: list[Row] = []
    pivots: list[int] = []
    for column in range(width):
        k = next((i for i, row in enumerate(left) if row[column] != 0), None)
        if k is None:
            continue
        pivot = left.pop(k)
        factor = inverse(pivot[column], p)
        pivot = [x * factor % p for x in pivot]
        for group in (left, done):
            for i, row in enumerate(group):
                if row[column] != 0:
                    group[i] = _less(row, row[column], pivot, p)
        done.append(pivot)
        pivots.append(column)
    return EchelonRows(tuple(map(tuple, done)), tuple(pivots), any(x != 0 for row in left for x in row))


def _less(row: Row, times: Value, pivot: Row, p: int) -> Row:
    return [(x - times * y) % p for x, y in zip(row, pivot, strict=True)]


def solve(matrix: Sequence[Sequence[Value]], right: Sequence[Value], p: int) -> Row | None:
    """Solve a square system A x = b; None if A is singular."""
    n = len(right)
    left = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for column in range(n):
        k = next((i for i in range(column, n) if left[i][column] != 0), None)
        if k is None:
            return None
        left[column], left[k] = left[k], left[column]
        head = left[column]
        factor = inverse(head[column], p)
        head = left[column] = [x * factor % p for x in head[column:]]
        for i in range(column + 1, n):
            times = left[i][column]
            tail = left[i][column:]
            left[i][column:] = _less(tail, times, head, p) if times != 0 else tail
    found: Row = [0] * n
    for i in range(n - 1, -1, -1):
        row = left[i]
        found[i] = (row[-1] - dot(row[1:-1], found[i + 1 :])) % p
    return found


def dot(a: Sequence[Value], b: Sequence[Value]) -> Value:
    """Return the sum of products, not reduced modulo p."""
    total: Value = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def times(matrix: Sequence[Sequence[Value]], x: Sequence[Value], p: int) -> Row:
    """Return the product A x of a matrix and a vector, modulo p."""
    return [dot(row, x) % p for row in matrix]


def rational(x: Value, p: int, most: int = 1 << 40) -> Fraction | None:
    """Return the fraction with numerator and denominator below ``most`` that equals x in the field, or None."""
    if not isinstance(x, int):
        return None
    (a, b), (u, v) = (p, x), (0, 1)
    while b >= most:
        q = a // b
        (a, b), (u, v) = (b, a - q * b), (v, u - q * v)
    return Fraction(b, v) if v and abs(v) < most else None


def null_space(found: EchelonRows, width: int, p: int) -> list[Row]:
    """Return a basis of the null space of the rows."""
    free = [k for k in range(width) if k not in found.pivots]
    basis = []
    for column in free:
        vector: Row = [0] * width
        vector[column] = 1
        for row, pivot in zip(found.rows, found.pivots, strict=True):
            vector[pivot] = -row[column] % p
        basis.append(vector)
    return basis


# States at which forms are zero.


def meet(
    kinds: Sequence[Sequence[Expression]], plan: Plan, chosen: tuple[int, ...] = (), known: Set[int] = frozenset()
) -> Iterator[tuple[dict[Expression, Expression], frozenset[Expression]]]:
    """Yield the sets of two or more kinds of equal forms that may be zero together.

    Each is given by values of symbols there, and by all forms that are zero. A set of which the others follow from
    some is yielded for each of these: x, y and x + y for x and y.
    """
    for k in range(chosen[-1] + 1 if chosen else 0, len(kinds)):
        own = (*chosen, k)
        found = None if k in known else _solve([kinds[i][0] for i in own], plan)
        if found is not None:
            placed, left = found
            forms = [insert(alike[0], placed) for alike in kinds]
            zero = {i for i, x in enumerate(forms) if i in own or x in left or (x and find_number(x, plan) == 0)}
            if len(zero) > 1:
                yield placed, frozenset(x for i in zero for x in kinds[i])
            yield from meet(kinds, plan, own, zero)


def _solve(forms: list[Expression], plan: Plan) -> tuple[dict[Expression, Expression], list[Expression]] | None:
    """Return values of symbols at which forms are zero together, and forms left; None if no state has that."""
    placed: dict[Expression, Expression] = {}
    left = [] if _has_gap(forms) else forms
    while (at := next(filter(None, (_find_zero(x, plan) for x in left)), None)) is not None:
        placed = {x: substitute([value], at)[0] for x, value in placed.items()} | at
        there = [insert(x, at) for x in left]
        if None in there:
            return None
        parts = [(x, plan.split(x)) for x in there if x is not None and find_number(x, plan) != 0]
        left = [of[0] if len(of) == 1 else x for x, of in parts]
    nowhere = any(is_positive(x) or is_positive(neg(x)) or find_number(x, plan) for x in left)
    return None if nowhere or _has_gap(forms) or _has_gap(left) else (placed, left)


def _has_gap(forms: Sequence[Expression]) -> bool:
    """Return True if two forms are apart by a number, up to factors, or sine and cosine of one angle, or have no root
    in common as polynomials in one symbol.
    """
    known: dict[Expression, Fraction] = {}
    turns = {x.args[0] for x in forms if x.op is FUN and x.data == "cos"}
    together = any(x.op is FUN and x.data == "sin" and x.args[0] in turns for x in forms)
    common: dict[Expression, list[Fraction]] = {}
    for own, a in filter(None, map(_read_polynomial, forms)):
        b = common.get(own, [])
        while b:  # Euclid
            for _ in range(len(a) - len(b) + 1):
                a = [x - a[0] / b[0] * y for x, y in zip_longest(a, b, fillvalue=Fraction())][1:]
            a, b = b, list(dropwhile(lambda c: c == 0, a))
        common[own] = a
    apart = any(known.setdefault(base, c) != c for base, c, _ in map(split_offset, forms))
    return together or apart or any(len(a) == 1 for a in common.values())


def _read_polynomial(form: Expression) -> tuple[Expression, list[Fraction]] | None:
    """Return the only symbol of a polynomial and its coefficients, from the highest power on; None of other forms."""
    names, found = symbols([form]), list[Fraction]()
    if len(names) == 1 and not any(x.op is FUN or x.op is CALL for x in topological([form])):
        (own,) = map(symbol, names)
        while len(found) < MOST_DEGREE and (at := insert(form, {own: ZERO})) is not None and at.op is NUM:
            found.insert(0, at.data / factorial(len(found)))
            if own.data not in symbols([form]):
                return own, list(dropwhile(lambda c: c == 0, found))
            (form,) = gradient(form, [own])
    return None


def _find_zero(form: Expression, plan: Plan) -> dict[Expression, Expression] | None:
    """Return a symbol and its value at all zeros of a form without signs, linear in it with a number as slope."""
    if not any(x in plan.definitions or _is_sign(x) for x in topological([form])):
        for own in map(symbol, sorted(symbols([form]))):
            slope = find_slope(form, own)
            if slope is not None and slope.op is NUM:
                return {own: neg(substitute([form], {own: ZERO})[0]) / slope}
    return None


def find_slope(x: Expression, own: Expression) -> Expression | None:
    """Return the slope of x in a symbol in which it is linear; None if it is not, or may jump with it."""
    functions = (node for node in topological([x]) if node.op is FUN)
    jumps = (node for node in functions if node.data == "sign" or node.data not in FUNCTIONS)
    (slope,) = gradient(x, [own])
    return None if slope is ZERO or own.data in symbols([slope, *jumps]) else slope


def is_whole(slope: Expression, rest: Expression, plan: Plan) -> bool:
    """Return True if slope x + rest is known to have no factor without x: rest is not zero where the slope is."""
    for part in plan.split(slope):
        if part.op is NUM or is_positive(part) or is_positive(neg(part)):
            continue
        turned = part.op is FUN and part.data in ("sin", "cos")
        for quarter in (0, 2) if turned and part.data == "sin" else (1, 3) if turned else (0,):
            at = _find_zero(part.args[0] - PI_NODE * quarter / 2 if turned else part, plan)
            left = None if at is None else insert(rest, at)
            if left is None or find_number(left, plan) == 0 or any(map(_is_sign, topological([left]))):
                return False
    return True


def find_number(form: Expression, plan: Plan) -> Value | None:
    """Return the value of a form that is one number at all states, in some field; None if it is not, or has roots."""
    own = Plan([form], plan.definitions)
    field = prime_of(0, own.angles.divisor)
    try:
        one, other = (Point(Random(k), field).run(own) for k in range(2))
    except NoRootError:
        return None
    return None if one[-1] != other[-1] or one.signs or one.poles or own.roots else one[-1]


def insert(x: Expression, values: Mapping[Expression, Expression]) -> Expression | None:
    """Return x with values in place of symbols; None if it has no value there."""
    try:
        return substitute([x], values)[0]
    except ExpressionError:
        return None


def _is_sign(x: Expression) -> bool:
    """Return True if the value of a node depends on a sign that a run chooses."""
    return x.op is FUN and x.data in ("sign", "abs", "sqrt")
