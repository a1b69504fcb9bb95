"""Comparison term by term: two polynomials in parameters, sines and cosines, and their different monomials.

An expression becomes a sum of monomials with exact coefficients. Sines and cosines of sums and of whole
multiples are expanded, and sin² is written 1 - cos², so that two equal expressions have the same monomials:
where the lists differ, the expressions differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.expressions import Expression, apply, to_text, topological
from mbconcord.records import dataclass

#: Factors with their powers, in the canonical order of the graph.
Monomial = tuple[tuple[Expression, int], ...]
Polynomial = dict[Monomial, Fraction]

#: More monomials than this are no list a reader could use.
LARGEST = 200_000
#: Powers above this are not expanded.
HIGHEST = 1000


@dataclass(frozen=True, slots=True)
class TermDifference:
    """A monomial that two expressions do not share: its text and its coefficient in each (0: absent)."""

    monomial: str
    first: Fraction
    second: Fraction


def monomials(value: Expression, limit: int = LARGEST) -> Polynomial:
    """Expand the expression to monomials and their coefficients.

    Raises
    ------
    MbconcordError
        It is not a polynomial in symbols, sines and cosines, has a power above ``HIGHEST``, or an intermediate
        product has more than ``limit`` monomials.
    """
    of: dict[Expression, Polynomial] = {}
    for node in topological([value]):
        of[node] = _polynomial(node, of, limit)
    return of[value]


def polynomials(values: Iterable[Expression], limit: int = LARGEST) -> dict[Expression, Polynomial]:
    """Map the expressions and all their subexpressions to polynomials; others, or too long ones, are left out."""
    of: dict[Expression, Polynomial] = {}
    for node in topological(list(values)):
        if all(part in of for part in node.args):
            try:
                of[node] = _polynomial(node, of, limit)
            except MbconcordError:
                continue
    return of


def differences(first: Expression, second: Expression) -> tuple[TermDifference, ...]:
    """Return monomials with different coefficients, ordered by text; empty if the expressions are equal."""
    a, b = monomials(first), monomials(second)
    found = [
        TermDifference(monomial_text(m), a.get(m, Fraction(0)), b.get(m, Fraction(0)))
        for m in {*a, *b}
        if a.get(m, 0) != b.get(m, 0)
    ]
    return tuple(sorted(found, key=lambda d: d.monomial))


def monomial_text(monomial: Monomial) -> str:
    """Write a monomial as a formula: parameters first, then sines and cosines."""
    ordered = sorted(monomial, key=lambda factor: (factor[0].op == "fun", to_text(factor[0])))
    return "*".join(to_text(f) + (f"^{n}" if n > 1 else "") for f, n in ordered) or "1"


def _polynomial(node: Expression, of: dict[Expression, Polynomial], limit: int) -> Polynomial:
    op, args = node.op, node.args
    if op == "num":
        return {(): node.value} if node.value else {}
    if op in ("sym", "pi"):
        return {((node, 1),): Fraction(1)}
    if op == "neg":
        return {m: -c for m, c in of[args[0]].items()}
    if op == "add":
        return _sum(of[args[0]], of[args[1]])
    if op == "mul":
        return _product(of[args[0]], of[args[1]], limit)
    if op == "pow" and args[1].op == "num" and args[1].value.denominator == 1 and args[1].value > 0:
        if args[1].value > HIGHEST:
            raise MbconcordError(error("terms", f"a power above {HIGHEST} is not expanded"))
        result: Polynomial = {(): Fraction(1)}
        for _ in range(args[1].value.numerator):
            result = _product(result, of[args[0]], limit)
        return result
    if op == "fun" and node.data in ("sin", "cos"):
        return _trigonometric(node.data, args[0], limit)
    raise MbconcordError(error("terms", f"{to_text(node)} is no polynomial in parameters, sines and cosines"))


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    result = dict(a)
    for m, c in b.items():
        total = result.get(m, Fraction(0)) + c
        if total:
            result[m] = total
        else:
            result.pop(m, None)
    return result


def _product(a: Polynomial, b: Polynomial, limit: int) -> Polynomial:
    if len(a) * len(b) > limit:
        raise MbconcordError(error("terms", f"more than {limit} monomials"))
    result: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            for monomial, coefficient in _reduce(_merge(m, n)):
                total = result.get(monomial, Fraction(0)) + c * d * coefficient
                if total:
                    result[monomial] = total
                else:
                    result.pop(monomial, None)
    return result


def _rank(factor: tuple[Expression, int]) -> int:
    return factor[0].rank


def _merge(m: Monomial, n: Monomial) -> dict[Expression, int]:
    powers = dict(m)
    for factor, power in n:
        powers[factor] = powers.get(factor, 0) + power
    return powers


def _reduce(powers: dict[Expression, int]) -> Iterable[tuple[Monomial, Fraction]]:
    """Replace sin² by 1 - cos² in the product."""
    pending = [(powers, Fraction(1))]
    while pending:
        here, coefficient = pending.pop()
        square = next((f for f, n in here.items() if f.op == "fun" and f.data == "sin" and n > 1), None)
        if square is None:
            yield tuple(sorted(here.items(), key=_rank)), coefficient
            continue
        rest = {f: n - 2 * (f is square) for f, n in here.items() if f is not square or n > 2}
        cosine = apply("cos", square.args[0])
        pending.append((rest, coefficient))
        pending.append(({**rest, cosine: rest.get(cosine, 0) + 2}, -coefficient))


def _trigonometric(name: str, angle: Expression, limit: int) -> Polynomial:
    """Expand sine or cosine of an angle by the addition formulas."""
    sine, cosine = _sine_cosine(angle, limit)
    return sine if name == "sin" else cosine


def _sine_cosine(angle: Expression, limit: int) -> tuple[Polynomial, Polynomial]:
    if angle.op == "neg":
        sine, cosine = _sine_cosine(angle.args[0], limit)
        return {m: -c for m, c in sine.items()}, cosine
    if angle.op == "add":
        return _add_angles(_sine_cosine(angle.args[0], limit), _sine_cosine(angle.args[1], limit), limit)
    if angle.op == "mul" and angle.args[0].op == "num" and angle.args[0].value.denominator == 1:
        times, one = angle.args[0].value.numerator, _sine_cosine(angle.args[1], limit)
        total = one
        for _ in range(times - 1):
            total = _add_angles(total, one, limit)
        return total
    return _atom(apply("sin", angle)), _atom(apply("cos", angle))


def _atom(node: Expression) -> Polynomial:
    if node.op == "num":
        return {(): node.value} if node.value else {}
    return {((node, 1),): Fraction(1)}


def _add_angles(
    a: tuple[Polynomial, Polynomial], b: tuple[Polynomial, Polynomial], limit: int
) -> tuple[Polynomial, Polynomial]:
    minus = {m: -c for m, c in _product(a[0], b[0], limit).items()}
    sine = _sum(_product(a[0], b[1], limit), _product(a[1], b[0], limit))
    return sine, _sum(_product(a[1], b[1], limit), minus)
