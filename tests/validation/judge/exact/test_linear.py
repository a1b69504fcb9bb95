"""Linear algebra over a prime field: by what it is, not by how it is done."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from mbconcord.model.expressions.field.extension import Extended
from mbconcord.model.expressions.field.linear import null_space, rational, reduce_rows, solve, times
from mbconcord.model.expressions.field.primes import prime_of

FIELD = prime_of(3)
P = FIELD.p


def matrix(dice: Random, rows: int, columns: int, extended: bool) -> list[list[object]]:
    def entry() -> object:
        if dice.random() < 0.3:
            return 0
        a = dice.randrange(P)
        return Extended(a, dice.randrange(1, P), FIELD) if extended and dice.random() < 0.5 else a

    return [[entry() for _ in range(columns)] for _ in range(rows)]


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("n", range(1, 7))
def test_solutions_solve(n: int, extended: bool) -> None:
    dice = Random(n)
    A = matrix(dice, n, n, extended)
    for i in range(n):
        A[i][(i + 1) % n] = 1 + i  # regular, with zeros on the diagonal
    b = [dice.randrange(P) for _ in range(n)]
    x = solve(A, b, P)
    assert x is not None and times(A, x, P) == b
    assert solve([*A[:-1], A[0]], b, P) is None or n == 1


@pytest.mark.parametrize("extended", [False, True])
def test_a_space_has_one_reduced_form(extended: bool) -> None:
    dice = Random(5)
    A = matrix(dice, 3, 6, extended)
    mixed = [[(2 * x + 5 * y) % P for x, y in zip(A[i], A[(i + 1) % 3], strict=True)] for i in range(3)]
    one, other = reduce_rows(A, P), reduce_rows([*mixed, mixed[1]], P)
    assert one.rows == other.rows and one.rank == 3 and not one.torn
    basis = null_space(one, 6, P)
    assert len(basis) == 3 and all(not any(times(A, x, P)) for x in basis)
    assert reduce_rows([*A, [0] * 6], P).rank == 3


def test_contradicting_rows_are_torn() -> None:
    assert reduce_rows([[1, 2, 3], [2, 4, 6]], P, 2).torn is False
    assert reduce_rows([[1, 2, 3], [2, 4, 7]], P, 2).torn is True


@pytest.mark.parametrize("value", [Fraction(0), Fraction(7), Fraction(-7, 3), Fraction(10**9 + 7, 998244353)])
def test_small_fractions_are_found_again(value: Fraction) -> None:
    assert rational(value.numerator * pow(value.denominator, -1, P) % P, P) == value


def test_others_are_no_fractions() -> None:
    dice = Random(1)
    assert {rational(dice.randrange(P), P) for _ in range(50)} == {None}
    assert rational(Extended(1, 1, FIELD), P) is None
