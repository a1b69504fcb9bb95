"""Own equations as functions of NumPy: traced and proved; what cannot be traced is told by its line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from math import cos
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbconcord
from mbconcord import MbconcordError
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.validation.against.own import traced

from .test_straight import ABSOLUTE, DOUBLE, MODEL, check

HALF = 0.5
LONG = math.sqrt(2) * 0.3


def mass(q: Any, p: Any) -> Any:
    """Fill a matrix, by the library's own numbers."""
    A = np.zeros((2, 2))
    A[0, 0] = p["I1"] + p["m1"] * p["c1"] ** 2 + p["m2"] * p["l1"] ** 2
    A[0, 1] = A[1, 0] = p["m2"] * p["l1"] * p["c2"] * math.cos(q[0] - q[1])
    A[1, 1] = 2 * HALF * (p["I2"] + p["m2"] * p["c2"] ** 2)
    return A


def mass_of_bodies(q: Any, p: Any) -> Any:
    """Sum over bodies, by Jacobians."""
    A = np.zeros((2, 2))
    m, c, l, I = ([p[f"{n}{i}"] for i in (1, 2)] for n in ("m", "c", "l", "I"))
    for i in range(2):
        Jv, Jw = np.zeros((3, 2)), np.zeros((3, 2))
        for k in range(i + 1):
            Jv[:, k] = (c[i] if k == i else l[k]) * np.array([np.cos(q[k]), np.sin(q[k]), 0], dtype=float)
        Jw[2, i] = 1
        A += m[i] * Jv.T @ Jv + Jw.T @ (I[i] * np.eye(3)) @ Jw
    return A


def forces(q: Any, v: Any, p: Any) -> Any:
    """Compute weights and turning."""
    m1, m2, l1, c1, c2, g = (getattr(p, x) for x in ("m1", "m2", "l1", "c1", "c2", "g"))
    k = m2 * l1 * c2 * np.sin(q[0] - q[1])
    return np.array([-k * v[1] ** 2, k * v[0] ** 2]) - g * np.array([m1 * c1 + m2 * l1, m2 * c2]) * np.sin(q)


def wrong(q: Any, v: Any, p: Any) -> Any:
    """Lose a sign."""
    return forces(q, v, p) + np.array([0, 2 * p.g * p.m2 * p.c2 * np.sin(q[1])])


def both(q: Any, v: Any, p: Any) -> Any:
    """Return both."""
    return mass(q, p), forces(q, v, p)


def bias(q: Any, u: Any, params: Any) -> Any:
    """Return h."""
    return -forces(q, u, params)


def inverse(q: Any, v: Any, a: Any, p: Any) -> Any:
    """Return efforts."""
    return mass(q, p) @ a - forces(q, v, p)


def acceleration(q: Any, v: Any, p: Any) -> Any:
    """Solve."""
    return np.linalg.solve(mass(q, p), forces(q, v, p))


def acceleration_by_efforts(q: Any, v: Any, tau: Any, p: Any) -> Any:
    """Solve with efforts."""
    return np.linalg.inv(mass_of_bodies(q, p)) @ (tau + forces(q, v, p))


def own(source: Any, **options: Any) -> Any:
    """Read functions in absolute angles."""
    return mbconcord.own(source, q=["th1", "th2"], coordinates=ABSOLUTE, **options)


@pytest.mark.parametrize(
    "source",
    [
        both, inverse, {"M": mass_of_bodies, "forcing": forces}, {"M": mass, "h": bias},
        {"acceleration": acceleration_by_efforts}, {"M": mass, "acceleration": acceleration},
    ],
    ids=["both", "inverse", "bodies", "h", "efforts", "M and acceleration"],
)  # fmt: skip
def test_functions_are_proved(source: Any) -> None:
    found = check(DOUBLE, own(source))
    assert found.verdict == "agrees"
    assert {c.exact.kind for c in found.comparisons} == {"identical"}
    assert {"M", "gravity", "quadratic in rates", "acceleration"} <= {c.quantity for c in found.comparisons}


def test_what_differs_is_told_by_its_entry() -> None:
    found = check(DOUBLE, own({"M": mass, "forcing": wrong}))
    assert found.verdict == "disagrees"
    said = found.to_json()["against"]["own"]
    assert said["kind"] == "functions of NumPy"
    assert said["entries"]["gravity"] == [["th2'"]]


def test_accelerations_alone_are_compared_alone(tmp_path: Path) -> None:
    """The mass falls out of a pendulum's acceleration, and M is not known: neither narrows the verdict."""

    def pendulum(q: Any, g: Any, l: Any) -> Any:
        return -g / l * np.sin(q)

    mine = mbconcord.own({"acceleration": pendulum}, q=["q1"])
    found = check(MODEL, mine)
    assert (found.verdict, found.headline) == ("agrees", "agrees")
    assert {c.quantity for c in found.comparisons} == {"acceleration"}
    assert mine.findings == ()
    assert "only accelerations are compared" in " ".join(map(str, found.diagnostics))
    file = tmp_path / "mine.eqs.json"
    file.write_text(json.dumps(mine.to_json()), encoding="utf-8")
    assert mbconcord.own(f"eqs:{file}") == mine
    file.write_text(file.read_text(encoding="utf-8").replace("true", "1"), encoding="utf-8")
    with pytest.raises(MbconcordError, match=r"solved: found a number .say true, or leave it out"):
        mbconcord.own(f"eqs:{file}")

    def other(q: Any, g: Any, l: Any) -> Any:
        return -2 * g / l * np.sin(q)

    found = check(MODEL, mbconcord.own({"acceleration": other}, q=["q1"]))
    assert found.verdict == "disagrees"
    assert {c.quantity for c in found.comparisons} == {"acceleration"}
    assert found.to_json()["against"]["own"]["entries"] == {}

    def falling(q: Any, l: Any) -> Any:
        return -9.81 / l * np.sin(q)

    found = check(MODEL, mbconcord.own({"acceleration": falling}, q=["q1"]))
    assert found.headline.startswith("agrees where g = 9.81")


def test_numbers_are_the_decimals_and_fractions_that_they_print() -> None:
    """1/12 and pi are no decimals of 16 digits; a float of which nothing is known is refused."""

    def turned(q: Any, m: Any, l: Any, g: Any) -> Any:
        return np.array([[12 * m * l**2 * (1 / 12)]]), -m * g * l * np.array([cos(q[0] - np.pi / 2)])

    assert check(MODEL, mbconcord.own(turned, q=["q1"])).verdict == "agrees"

    def long(q: Any, m: Any) -> Any:
        return np.array([[m * LONG]]), np.array([0])

    with pytest.raises(MbconcordError, match=r"not traced: found the float 0.4242.* no short decimal"):
        mbconcord.own(long, q=["q1"])


def test_speeds_are_told() -> None:
    def halves(a: Any, q: Any, u: Any, m: Any, l: Any, g: Any) -> Any:
        return np.array([[2 * m * l**2]]), -m * g * l * np.sin(q) + 0 * u

    told: dict[str, Any] = {"q": ["q1"], "u": ["w"], "qdot": {"q1": "2*w"}}
    assert check(MODEL, mbconcord.own(halves, **told)).verdict == "agrees"
    assert check(MODEL, mbconcord.own(halves, **told | {"qdot": {"q1": "w"}})).verdict == "disagrees"
    with pytest.raises(MbconcordError, match=r"found functions without coordinates .name them"):
        mbconcord.own(halves)


def branch(q: Any, m: Any) -> Any:
    """Branch on a coordinate."""
    return (m, 1) if q[0] > 0 else (m, 2)


def equal(q: Any, m: Any) -> Any:
    """Ask for equality."""
    return (m, 1) if q[0] == 0 else (m, 2)


def round_off(q: Any, m: Any) -> Any:
    """Convert to a float."""
    return float(m), q


def raises(q: Any, m: Any) -> Any:
    """Ask for more coordinates."""
    return m, q[3]


def ends(q: Any, m: Any) -> Any:
    """End the program."""
    raise SystemExit("bye")


def hyperbolic(q: Any, m: Any) -> Any:
    """Use a function without a node."""
    return m, np.sinh(q)


def one(q: Any, m: Any) -> Any:
    """Return one result."""
    return m * q


def many(*q: Any) -> Any:
    """Take any number."""
    return q


def high(q: Any, m: Any) -> Any:
    """Return three indices."""
    return np.array([[[m]]]), q


def unequal(q: Any, m: Any) -> Any:
    """Return two rows for one speed."""
    return np.array([[m, 0], [0, m]]), q


def squared(q: Any, tau: Any, m: Any) -> Any:
    """Square efforts."""
    return tau**2 / m


def constant(value: Any) -> Any:
    """Return a function whose force is a number."""

    def made(q: Any, m: Any) -> Any:
        return m, [value]

    return made


def unbound() -> Any:
    """Return a function that takes what is assigned after it, and never."""

    def made(q: Any, m: Any) -> Any:
        return m, later

    return made
    later = 1


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (constant(0.1 + 0.2), r"test_traced.py:\d+:1: error: forcing: found the float 0.30000000000000004"),
        (constant(float("nan")), "error: forcing: found nan"),
        (constant(float("inf")), "error: forcing: found inf"),
        (constant(10**5000), "error: forcing: a number has more than"),
        (unbound(), "not traced: NameError.*later"),
        (lambda q, m: (m, (10.0**200 * q) ** 2), "your functions give no numbers at 20 random states"),
        (branch, r"test_traced.py:\d+:22: error: branch: not traced: .*a branch, float"),
        (equal, r"error: equal: not traced: .*a branch, float"),
        (round_off, r"not traced: .*a branch, float"),
        (raises, r"not traced: IndexError"),
        (ends, r"not traced: SystemExit: bye"),
        (hyperbolic, r"not traced: TypeError.*sinh"),
        (one, "error: one: found a function of one result .return M, forcing; or name what it gives"),
        (many, r"found the argument .q .write plain names"),
        (high, r"error: M: found an array of shape .1, 1, 1. .expected a matrix"),
        (unequal, r"test_traced.py:\d+:1: error: M: M is 2 by 2 and forcing has 1 row"),
        ({"acceleration": squared}, "no linear function of tau"),
        ({"M": one, "forces": one}, "found 'forces' .expected some of M, forcing, h"),
        ({"M": one}, "found M .give M and forcing"),
        ({"M": one, "forcing": one, "h": one}, "found M, forcing, h .give M and forcing"),
    ],
)
def test_what_is_not_traced_is_told(source: Any, words: str) -> None:
    with pytest.raises(MbconcordError, match=words):
        mbconcord.own(source, q=["q1"])


def test_a_conversion_that_is_wrong_accuses_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(q: Any, m: Any) -> Any:
        return m, np.cos(q)

    assert mbconcord.own(drawn, q=["q1"]).kind == "functions of NumPy"
    changed: dict[str, Any] = {**traced.FUNCTIONS, "cos": "sin"}
    monkeypatch.setattr(traced, "FUNCTIONS", changed)
    with pytest.raises(DisagreementError, match=r"forcing\[1, 1\]: error: not converted: your function gives"):
        mbconcord.own(drawn, q=["q1"])


def test_nothing_of_the_callers_is_changed() -> None:
    before: tuple[Callable[..., Any], ...] = (np.zeros, math.cos, np.linalg.solve)
    own({"acceleration": acceleration})
    assert (np.zeros, math.cos, np.linalg.solve) == before
    assert mass([0.0, 0.0], dict.fromkeys(("I1", "I2", "m1", "m2", "c1", "c2", "l1"), 1.0)).dtype == float
