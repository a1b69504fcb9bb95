"""Sine and cosine of kernels: the polynomials, the parts of π/2, errors in ulp, what is beyond the reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpmath import MPContext

from mbconcord.kernels import sincos as c

from .llvm import needs_llvm, ufunc
from .remez import rounded

EXACT = MPContext()
EXACT.dps = 60
HIGH = (EXACT.mpf("1.0001") * EXACT.pi / 4) ** 2


def _single(x: Any) -> float:
    return float(np.float32(float(x)))


def sine(z: Any) -> Any:
    """(sin r / r - 1) / z."""
    r = EXACT.sqrt(z)
    return (EXACT.sin(r) / r - 1) / z


def cosine(z: Any) -> Any:
    """(cos r - 1 + z/2) / z²."""
    return (EXACT.cos(EXACT.sqrt(z)) - 1 + z / 2) / z**2


def of_sine(z: Any) -> Any:
    """Error of S -> relative error of the sine."""
    r = EXACT.sqrt(z)
    return r * z / EXACT.sin(r)


def of_cosine(z: Any) -> Any:
    return z**2 / EXACT.cos(EXACT.sqrt(z))


POLYNOMIALS = [
    (sine, of_sine, c.SINE, float, -57.88),
    (cosine, of_cosine, c.COSINE, float, -63.93),
    (sine, of_sine, c.SINGLE_SINE, _single, -27.9),
    (cosine, of_cosine, c.SINGLE_COSINE, _single, -32.98),
]


@pytest.mark.parametrize(("function", "weight", "coefficients", "to", "bits"), POLYNOMIALS)
def test_polynomials_are_as_near_as_they_are_said_to_be(
    function: Any, weight: Any, coefficients: tuple[float, ...], to: Any, bits: float
) -> None:
    assert all(to(a) == a for a in coefficients)
    points = [HIGH * (i + 1) / 120 for i in range(120)]
    errors = [weight(z) * (function(z) - EXACT.polyval([EXACT.mpf(a) for a in coefficients[::-1]], z)) for z in points]
    assert float(EXACT.log(max(map(abs, errors)), 2)) < bits


@pytest.mark.slow
@pytest.mark.parametrize(("function", "weight", "coefficients", "to", "bits"), POLYNOMIALS)
def test_no_others_are_nearer(
    function: Any, weight: Any, coefficients: tuple[float, ...], to: Callable[[Any], float], bits: float
) -> None:
    """Remez' exchange, coefficient after coefficient rounded, finds these."""
    assert rounded(EXACT, function, weight, HIGH, len(coefficients), to) == coefficients


def test_parts_sum_to_half_pi() -> None:
    left = EXACT.pi / 2
    for part in c.PARTS:
        assert part == float(left)
        left -= EXACT.mpf(part)
    left = EXACT.pi / 2
    for part, bits in zip(c.SHORT_PARTS, (33, 33, 53), strict=True):
        assert part.as_integer_ratio()[0] < 2**bits
        assert abs(left - EXACT.mpf(part)) <= abs(EXACT.mpf(part)) * EXACT.mpf(2) ** -bits
        left -= EXACT.mpf(part)
    assert float(2 / EXACT.pi) == c.TWO_OVER_PI


def angles(reach: float, count: int = 300) -> np.ndarray[Any, Any]:
    """Random ones of every size, and those next to multiples of π/2."""
    random = np.random.default_rng(7)
    k = np.rint(10 ** random.uniform(0, np.log10(reach * 2 / np.pi), count))
    near = np.array([float(EXACT.mpf(int(n)) * EXACT.pi / 2) for n in k])
    sizes = 10 ** random.uniform(-8, np.log10(reach), count)
    found = np.concatenate([near, -near, np.nextafter(near, 0), sizes, -sizes, [0.0, np.pi / 4]])
    return np.asarray(found[np.abs(found) <= reach])


def ulps(found: Any, exact: list[Any], digits: int) -> float:
    """Largest error in units of the last place of the exact value, of so many binary digits."""
    errors = [
        abs(EXACT.mpf(float(a)) - b) / EXACT.mpf(2) ** (EXACT.floor(EXACT.log(abs(b), 2)) + 1 - digits)
        for a, b in zip(found, exact, strict=True)
        if b
    ]
    return float(max(errors))


@pytest.mark.slow
@needs_llvm
@pytest.mark.parametrize(
    ("options", "reach", "limit"),
    [
        ({}, 1e2, 0.75), ({}, 1e5, 0.75), ({}, 1e9, 0.75), ({}, 1e14, 0.75),
        ({"accuracy": "plain"}, 1e2, 1.5), ({"accuracy": "plain"}, 1e9, 1.5),
        ({"fma": False}, 1e2, 0.75), ({"fma": False}, 1e6, 0.75), ({"fma": False}, 1e14, 0.75),
        ({"dtype": "float32"}, 1e2, 0.75), ({"dtype": "float32"}, 1e6, 0.75), ({"dtype": "float32"}, 1e12, 0.75),
        ({"dtype": "float32", "fma": False}, 1e6, 0.75), ({"dtype": "float32", "accuracy": "plain"}, 1e6, 1.5),
    ],
)  # fmt: skip
def test_errors_are_as_small_as_they_are_said_to_be(options: dict[str, Any], reach: float, limit: float) -> None:
    function = ufunc(["sin(x)", "cos(x)"], ("x",), **options)
    x = angles(reach).astype(options.get("dtype", "float64"))
    found = function(x[:, None])
    digits = 53 if x.dtype == np.float64 else 24
    for i, exact in enumerate((EXACT.sin, EXACT.cos)):
        assert ulps(found[:, i], [exact(EXACT.mpf(float(a))) for a in x], digits) < limit


@needs_llvm
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_what_is_no_number_stays_in_its_place(dtype: str) -> None:
    function = ufunc(["sin(x)", "cos(x)"], ("x",), dtype=dtype)
    x = np.linspace(-3, 3, 40).astype(dtype)[:, None]
    clean = function(x)
    for bad in (np.nan, np.inf, -np.inf, 1e30):
        mixed = x.copy()
        mixed[[3, 17]] = bad
        with np.errstate(all="raise", invalid="ignore"):
            found = function(mixed)
        others = np.delete(np.arange(40), [3, 17])
        assert np.array_equal(found[others], clean[others])
        assert np.isnan(found[[3, 17]]).all() == (not np.isfinite(bad))


@needs_llvm
def test_angles_beyond_the_reach_change_no_others() -> None:
    """Of angles that are given, which are asked together, and of one that is computed."""
    random = np.random.default_rng(3)
    x = random.uniform(-3, 3, (40, 3))
    x[random.random(x.shape) < 0.2] *= 1e15
    alone = ufunc(["sin(x)", "cos(x)"], ("x",))
    found = ufunc(["sin(x)", "cos(y)", "sin(x + y)", "cos(z)"], ("x", "y", "z"))(x)
    angles = (x[:, 0], x[:, 1], x[:, 0] + x[:, 1], x[:, 2])
    for i, (angle, which) in enumerate(zip(angles, (0, 1, 0, 1), strict=True)):
        assert np.array_equal(found[:, i], alone(angle[:, None])[:, which])


@needs_llvm
@pytest.mark.parametrize(
    ("options", "reach"),
    [
        ({}, c.REACH), ({"accuracy": "plain"}, c.REACH), ({"fma": False}, c.SHORT_REACH),
        ({"dtype": "float32"}, c.SHORT_REACH),
    ],
)  # fmt: skip
def test_an_angle_at_the_end_of_the_reach_is_within_it(options: dict[str, Any], reach: float) -> None:
    """Alone and beside one beyond: there the C library's cosine is another one than the plain one by one digit."""
    function = ufunc(["sin(x)", "cos(x)"], ("x",), **options)
    x = np.array([reach, -reach, 1.0, 0.5] * 2, options.get("dtype", "float64"))[:, None]
    found = function(x)
    digits = 53 if x.dtype == np.float64 else 24
    for i, exact in enumerate((EXACT.sin, EXACT.cos)):
        assert ulps(found[:, i], [exact(EXACT.mpf(float(a))) for a in x[:, 0]], digits) < 1.5
    beyond = x.copy()
    beyond[3] = 4 * reach
    assert np.array_equal(function(beyond)[[0, 1, 2]], found[[0, 1, 2]])


@needs_llvm
def test_a_negative_zero_has_a_positive_sine() -> None:
    found = ufunc(["sin(x)", "cos(x)"], ("x",))(np.array([-0.0]))
    assert found.tolist() == [0.0, 1.0] and not np.signbit(found[0])
