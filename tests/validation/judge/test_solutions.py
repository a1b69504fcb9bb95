"""Bounds of solutions of linear equations: against exact fractions, with uncertain numbers, near singular."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from mbconcord.validation.judge.solutions import Bounded, bound_contraction, enclose, powers, solution

DIGITS = mpmath.MPContext()
DIGITS.dps = 60


def exactly(values: object) -> Bounded:
    array = np.array(values, dtype=float)
    return Bounded(array, np.zeros_like(array))


def solved(matrix: np.ndarray, right: np.ndarray, dK: object = 0.0, dr: object = 0.0) -> Bounded:
    """Of one state, with the same bound for all entries or an array of them."""
    K, r = (np.array(x, dtype=float)[None] for x in (matrix, right))
    return solution(Bounded(K, np.zeros_like(K) + dK), Bounded(r, np.zeros_like(r) + dr))


def true_solution(matrix: np.ndarray, right: np.ndarray) -> list[Fraction]:
    """By elimination with fractions."""
    rows = [[*map(Fraction, row), Fraction(b)] for row, b in zip(matrix.tolist(), right.tolist(), strict=True)]
    n = len(rows)
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[p] = rows[p], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


def definite(random: np.random.Generator, n: int, spread: float) -> np.ndarray:
    """A mass matrix: coordinates in units that differ by the spread."""
    a = random.normal(size=(n, n))
    units = np.exp(random.uniform(-spread, spread, n))
    return units[:, None] * (a @ a.T + 0.1 * np.eye(n)) * units


def ratio(found: Bounded, true: list[Fraction]) -> float:
    """Largest error in units of its bound."""
    pairs = zip(found.values[0].tolist(), found.bounds[0].tolist(), true, strict=True)
    return max(float(abs(Fraction(x) - t) / Fraction(e)) if x != t else 0.0 for x, e, t in pairs)


@pytest.mark.parametrize("n", [1, 2, 3, 6, 12])
@pytest.mark.parametrize("spread", [0.0, 3.0, 14.0])
def test_the_exact_solution_lies_within(n: int, spread: float) -> None:
    random = np.random.default_rng(n)
    for _ in range(10):
        K, r = definite(random, n, spread), random.normal(size=n)
        found = solved(K, r)
        assert found.has_bound.all()
        assert ratio(found, true_solution(K, r)) <= 1
        assert (found.bounds[0] <= 1e-9 * np.abs(found.values[0]).max() * math.exp(2 * spread)).all()


@pytest.mark.parametrize("size", [1e-14, 1e-9, 1e-4])
def test_solutions_of_all_equations_within_the_bounds_lie_within(size: float) -> None:
    """Every entry of K and r moved by up to its bound, the corners among them."""
    random = np.random.default_rng(7)
    for n in (1, 2, 4):
        K, r = definite(random, n, 1.0), random.normal(size=n)
        dK, dr = size * np.abs(K), size * np.abs(r)
        found = solved(K, r, dK, dr)
        seen = 0.0
        for _ in range(30):
            moved = (K + dK * random.choice([-0.999, 0.999], K.shape), r + dr * random.choice([-0.999, 0.999], n))
            seen = max(seen, ratio(found, true_solution(*moved)))
        assert 0.01 < seen <= 1


def test_the_bound_of_one_equation_is_that_of_a_quotient() -> None:
    found = solved(np.array([[4.0]]), np.array([2.0]), 1e-6, 1e-6)
    assert found.values[0, 0] == 0.5
    assert found.bounds[0, 0] == pytest.approx((1e-6 + 0.5e-6) / 4, rel=2e-3)


@pytest.mark.parametrize("n", [3, 5, 8, 10])
def test_hilbert_matrices_lose_digits_and_say_so(n: int) -> None:
    K = np.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])
    r = np.ones(n)
    found = solved(K, r)
    assert found.has_bound.all() and ratio(found, true_solution(K, r)) <= 1
    lost = math.log10(np.linalg.cond(K)) - 16
    assert np.median(found.bounds / np.abs(found.values)) == pytest.approx(10**lost, rel=1e4)


@pytest.mark.parametrize("part", [0.3, 0.5, 0.9, 1.0, 1.5])
@pytest.mark.parametrize("start", [0.0, 0.5, 1.0])
def test_a_poor_inverse_and_a_poor_solution_are_enclosed_as_well(part: float, start: float) -> None:
    """With X a part of the inverse, and x of the solution: |x* - x| ≤ (E - |E - X K|)⁻¹ |X| |r - K x|."""
    K = np.array([[[4.0, 1.0], [1.0, 3.0]]])
    r = np.array([[1.0, -2.0]])
    true = np.linalg.solve(K, r[..., None])[..., 0]
    none = np.zeros_like
    found = enclose(K, none(K), r, none(r), part * np.linalg.inv(K), start * true)
    gap = np.abs((1 - start) * true)
    assert (gap <= found).all() and (found < 20 * gap + 1e-14).all()


def test_the_proof_does_not_rest_on_how_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    G, z = np.array([[[0.5, 0.1], [0.2, 0.4]]]), np.array([[1.0, 2.0]])
    solve = np.linalg.solve
    true = solve(np.eye(2) - G[0], z[0])
    assert (true <= bound_contraction(G, z)[0]).all() and (bound_contraction(G, z)[0] <= 1.01 * true).all()
    monkeypatch.setattr(np.linalg, "solve", lambda a, b: 0.5 * solve(a, b) * [1.0, 1.1])
    assert (true <= bound_contraction(G, z)[0]).all()
    monkeypatch.setattr(np.linalg, "solve", lambda a, b: -solve(a, b))
    assert np.isinf(bound_contraction(G, z)).all()


@pytest.mark.parametrize("radius", [0.9, 0.998, 0.9995, 1.0, 1.1, 50.0])
def test_a_spectral_radius_of_one_proves_nothing(radius: float) -> None:
    found = bound_contraction(radius * np.array([[[0.0, 1.0], [1.0, 0.0]]]), np.ones((1, 2)))
    assert np.isfinite(found).all() == (radius < 0.999)
    assert radius >= 0.999 or (found >= 1 / (1 - radius)).all()


NONE = [
    ("singular", [[1.0, 2.0], [2.0, 4.0]], 0.0),
    ("zero", [[0.0, 0.0], [0.0, 1.0]], 0.0),
    ("singular to rounding", [[1.0, 1.0], [1.0, 1.0 + 2.0**-52]], 0.0),
    ("may be singular", [[1.0, 0.0], [0.0, 1e-3]], 1.1e-3),
    ("no number", [[1.0, math.nan], [0.0, 1.0]], 0.0),
    ("an infinity", [[1.0, 0.0], [0.0, math.inf]], 0.0),
    ("no bound", [[1.0, 0.0], [0.0, 1.0]], math.inf),
]


@pytest.mark.parametrize(("why", "matrix", "error"), NONE)
def test_where_nothing_is_decided_the_bound_is_infinite(why: str, matrix: list[list[float]], error: float) -> None:
    found = solved(np.array(matrix), np.array([1.0, 1.0]), error)
    assert np.isinf(found.bounds).all()


def test_a_right_side_without_a_bound_gives_none() -> None:
    assert np.isinf(solved(np.eye(2), np.ones(2), 0.0, math.inf).bounds).all()
    assert np.isinf(solved(np.eye(2), np.array([1.0, math.nan])).bounds).all()


def test_one_singular_state_does_not_spoil_the_others() -> None:
    K = np.array([np.eye(2), np.zeros((2, 2)), 2 * np.eye(2)])
    found = solution(exactly(K), exactly(np.ones((3, 2))))
    assert found.has_bound.all(axis=1).tolist() == [True, False, True]
    assert found.values[2].tolist() == [0.5, 0.5]


def test_forces_that_are_zero_have_accelerations_that_are() -> None:
    found = solved(np.array([[2.0, 1.0], [1.0, 3.0]]), np.zeros(2))
    assert found.values.tolist() == [[0.0, 0.0]] and (found.bounds < 1e-280).all()
    one = solved(np.eye(1), np.zeros(1))
    assert 0.5e-290 < one.bounds[0, 0] < 5e-290, "a zero has a bound, far below whatever is scaled to one"


@pytest.mark.parametrize("exponent", [-40, -12, 12, 40])
def test_units_make_no_difference(exponent: int) -> None:
    """Coordinates in other units, by powers of two: the same bound in these units, bit for bit."""
    random = np.random.default_rng(2)
    K, r = definite(random, 4, 1.0), random.normal(size=4)
    units = 2.0 ** np.array([0, exponent, 0, exponent // 2])
    found, other = solved(K, r), solved(units[:, None] * K * units, units * r)
    assert np.array_equal(found.values, other.values * units)
    assert np.allclose(found.bounds, other.bounds * units, rtol=1e-12)


def test_no_coordinates() -> None:
    found = solution(exactly(np.zeros((3, 0, 0))), exactly(np.zeros((3, 0))))
    assert found.values.shape == found.bounds.shape == (3, 0)


@pytest.mark.parametrize(("size", "power"), [(1.0, 1.0), (4.0, 0.5), (1e-6, 1024.0), (0.0, 1.0), (math.nan, 1.0)])
def test_powers_of_two(size: float, power: float) -> None:
    assert powers(np.array([size, -size])).tolist() == [power, power]


def test_bounded_parts() -> None:
    whole = Bounded(np.arange(4.0).reshape(2, 2), np.array([[1.0, math.inf], [0.0, math.nan]]))
    assert whole.has_bound.tolist() == [[True, False], [True, False]]
    assert whole[1].values.tolist() == [2.0, 3.0]


@pytest.mark.parametrize("least", [1e-290, 1e-60, 1e-24])
def test_what_is_nothing_beside_its_neighbours_has_a_bound(least: float) -> None:
    """A zero coupled to a number by rounding: its bound is that coupling, and a few percent more."""
    G, z = 1e-16 * np.array([[[0.5, 3.0], [2.0, 0.1]]]), np.array([[least, 1e-24]])
    found = bound_contraction(G, z)[0]
    true = np.linalg.solve(np.eye(2) - G[0], z[0])
    assert (true <= found).all() and (found <= 1.03 * true).all()
