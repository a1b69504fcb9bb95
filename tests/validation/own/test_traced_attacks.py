"""Functions of NumPy that are right, wrong in one place, or use one construct: what is wrong never passes for right."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import mbconcord
from mbconcord import MbconcordError
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.model.expressions.field import IDENTICAL, compare

from .test_straight import ABSOLUTE, DOUBLE, check

BASE = """
import functools, math, random, time
import numpy as np
from math import sin

CACHE, CALLS, SIGN, UNIT = {}, [], 1, np.array([1.0, 1.0])

@functools.lru_cache
def kept(x):
    return x

def helper(x, factor=1):
    return factor * math.sin(x)

def M(q, p):
    th1, th2 = q
    k = p["m2"] * p["l1"] * p["c2"] * np.cos(th1 - th2)
    A = np.zeros((2, 2))
    A[0, 0] = p["I1"] + p["m1"] * p["c1"] ** 2 + p["m2"] * p["l1"] ** 2
    A[0, 1] = A[1, 0] = k
    A[1, 1] = p["I2"] + p["m2"] * p["c2"] ** 2
    return A

def f(q, v, p):
    s = np.sin(q[0] - q[1])
    m2 = p["m2"]
    k = m2 * p["l1"] * p["c2"] * s
    w = p["g"] * np.array([p["m1"] * p["c1"] + m2 * p["l1"], m2 * p["c2"]])
    return np.array([-k * v[1] ** 2, k * v[0] ** 2]) - w * np.sin(q)
"""
SINE, MASS, ARRAY, RESULT = "s = np.sin(q[0] - q[1])", 'm2 = p["m2"]', "A = np.zeros((2, 2))", "    return np.array([-k"
F = "def f(q, v, p):"
LAST = "- w * np.sin(q)\n"
NUMBER, CHANGES, AGAIN = "a number is needed", "is changed in its place", "other numbers when they are called again"
NAMES, FACTOR = "which parameters there are is not known", "has the factor"
SAME, OTHER = "same", "other"

#: What is replaced, by what, and what becomes of it.
TABLE = [
    ("", "", SAME),
    # signs and places
    ("th1 - th2", "th1 + th2", OTHER),
    ("[-k", "[k", OTHER),
    ("v[0] ** 2", "v[0] ** 3", OTHER),
    ("A[0, 1] = A[1, 0] = k", "A[0, 1] = k", OTHER),
    ("q[0] - q[1]", "q[1] - q[0]", OTHER),
    ("q[0] - q[1]", "q[-2] - q[-1]", SAME),
    ("np.sin(q)\n", "np.sin(q[::-1])\n", OTHER),
    ("A[1, 1]", "A[1, 0]", OTHER),
    # branches, whole numbers, types
    (SINE, SINE + " * np.where(q[0] > 2.9, -1, 1)", NUMBER),
    (SINE, SINE + " if q[0] < 2.9 else 0", NUMBER),
    (SINE, "s = np.maximum(np.sin(q[0] - q[1]), -9)", SAME),
    (SINE, "s = np.maximum(np.sin(q[0] - q[1]), -0.9)", OTHER),
    (SINE, "s = np.clip(np.sin(q[0] - q[1]), -9, 9)", OTHER),
    (SINE, SINE + "\n    s = np.minimum(s, s)", SAME),
    (SINE, SINE + "\n    while s > 2: s = -s", NUMBER),
    (SINE, SINE + "\n    assert s < 2", NUMBER),
    (SINE, "q = np.sort(q)\n    " + SINE, NUMBER),
    (SINE, SINE + " * max(1, q[0] - 2)", NUMBER),
    (SINE, SINE + " * (1 + q[0] // 9)", NUMBER),
    (SINE, SINE + " + q[0] % 7", NUMBER),
    (SINE, SINE + "\n    s = s + round(s)", NUMBER),
    (SINE, SINE + " + math.floor(q[0] / 9)", NUMBER),
    (SINE, SINE + " + np.floor(q[0] / 9)", NUMBER),
    (SINE, SINE + " * int(q[0] < 9)", NUMBER),
    (SINE, SINE + " * bool(q[0])", NUMBER),
    (SINE, SINE + " * (1 if isinstance(q[0], float) else -1)", NUMBER),
    (SINE, "try:\n        s = float(q[0] > 2.9)\n    except TypeError:\n        " + SINE, NUMBER),
    (SINE, "try:\n        s = np.sin(q[0] - q[1]) // (q[0] < 2.9)\n    except:\n        " + SINE, NUMBER),
    (SINE, SINE + " if hash(q[0]) else 0", NUMBER),
    (SINE, SINE + " if f'{q[0]:.1f}' != '2.9' else 0", NUMBER),
    (SINE, SINE + " * (1 if type(q[0]) is np.float64 and q[0] > 2.9 else 1)", NUMBER),
    (SINE, SINE + " * (1 if str(q[0])[0] != '9' else -1)", NUMBER),
    (SINE, SINE + " * (-1 if id(q) == 1 else 1)", "gives other values"),
    ("    return A\n", "    return np.ma.array(A, mask=[[0, 1], [1, 0]])\n", "found NoneType, no number"),
    (SINE, "s = np.float32(np.sin(q[0] - q[1]))", NUMBER),
    (SINE, "s = np.exp(1j * (q[0] - q[1])).imag", "TypeError"),
    (SINE, SINE + " * np.heaviside(q[0] + 9, 1)", "TypeError"),
    (SINE, SINE + " if q.any() else 0", NUMBER),
    (SINE, "s = kept(np.sin(q[0] - q[1]))", NUMBER),
    (SINE, "s = np.sin(q[0] - q[1]) ^ 1", "TypeError"),
    # arrays
    (ARRAY, "A = np.zeros((2, 2), int)", NUMBER),
    (ARRAY, "A = np.zeros((2, 2), dtype=np.float32)", NUMBER),
    (ARRAY, "A = np.array([[0, 0], [0, 0]])", NUMBER),
    (ARRAY, "A = np.full((2, 2), 0)", NUMBER),
    (ARRAY, "A = np.array([[0., 0], [0, 0]])", SAME),
    (ARRAY, "A = np.array([[0, 0], [0, 0]], float)", SAME),
    (ARRAY, "A = 0 * np.eye(2)", SAME),
    (ARRAY, "A = np.empty((2, 2))", SAME),
    (ARRAY, "A = np.zeros((2, 2)).T", SAME),
    (ARRAY + "\n", "A = np.empty((2, 2))\n    return A\n", "found NoneType, no number"),
    (ARRAY, "A = np.zeros(4)", "IndexError"),
    ("    return A\n", "    return A.T\n", SAME),
    ("    return A\n", "    return A.ravel()\n", "expected a matrix"),
    ("    return A\n", "    A[0] *= 2\n    return A\n", OTHER),
    ("    return A\n", "    return A + A\n", OTHER),
    ("    return A\n", "    B = A[0]\n    B[1] = 0\n    return A\n", OTHER),
    ("    return A\n", "    return np.array(A, int)\n", NUMBER),
    ("    return A\n", "    B = A.copy()\n    B[0] = 0\n    return A\n", SAME),
    ("    return A\n", "    return A.tolist()\n", SAME),
    (LAST, "- np.diag(w) @ np.sin(q)\n", SAME),
    (LAST, "- np.outer(w, np.sin(q))[0]\n", OTHER),
    (LAST, "- (w[:, None] * np.sin(q)).sum(axis=0)\n", OTHER),
    (LAST, "- np.einsum('i,i->i', w, np.sin(q))\n", SAME),
    (LAST, "- w * [math.sin(x) for x in q]\n", SAME),
    (LAST, "- w * np.vectorize(helper)(q)\n", NUMBER),
    # what is changed in its place, and kept between calls
    (SINE, "q *= 1\n    " + SINE, CHANGES),
    (SINE, "b = q[1:]\n    b[0] = 0\n    " + SINE, CHANGES),
    (SINE, "v[:] = 0\n    " + SINE, CHANGES),
    (SINE, "q = q * 1\n    " + SINE, SAME),
    (SINE, "np.sin(q, out=q)\n    " + SINE, "TypeError"),
    (ARRAY, ARRAY + "\n    q[0] = 0", CHANGES),
    (SINE, "q = q.copy(); q[0] *= 1\n    " + SINE, SAME),
    (SINE, "CALLS.append(1)\n    " + SINE + " * (-1) ** (len(CALLS) > 2)", AGAIN),
    (SINE, "global SIGN\n    SIGN = -SIGN\n    " + SINE + " * -SIGN", AGAIN),
    (ARRAY, 'CACHE["s"] = np.sin(th1 - th2)\n    ' + ARRAY, SAME),
    (SINE, 's = CACHE.setdefault("s", np.sin(q[0] - q[1]))', "give no numbers"),
    (SINE, SINE + " * random.choice([1, 1, 1, -1])", "gives other values"),
    (SINE, SINE + " * (0.1 + np.random.rand())", "gives other values"),
    (SINE, SINE + " * (time.time() > 0)", "gives other values"),
    (SINE, "import math as n\n    " + SINE, "imported within"),
    ("SIGN, UNIT = {}, [], 1", "SIGN, UNIT = {}, [], -1", SAME),
    (SINE, SINE + " * SIGN", SAME),
    (SINE, SINE + " * UNIT[0]", SAME),
    # names
    (SINE, "sin = np.cos\n    s = sin(q[0] - q[1])", OTHER),
    (SINE, "s = sin(q[0] - q[1])", SAME),
    (SINE, "s = helper(q[0] - q[1])", SAME),
    (SINE, "s = helper(q[0] - q[1], -1)", OTHER),
    (SINE, "s = [lambda x: i * np.sin(x) for i in (1, -1)][0](q[0] - q[1])", OTHER),
    (F, "def f(q, v, p, g=-9.81):", "without defaults"),
    (F, "def f(q, v, u, p):", "v and u, which both are the speeds"),
    (F, "def f(q, v, p, *rest):", "without defaults"),
    (MASS, "m2 = p.m2", SAME),
    (MASS, 'm2 = p["q1"]', OTHER),
    (MASS, 'm2 = p["th1"]', "which is a coordinate"),
    (MASS, 'm2 = p["t"]', "the time"),
    (MASS, "m2 = p[0]", "parameters have names"),
    (MASS, 'm2 = p.get("m2", 2.0)', NAMES),
    (MASS, 'm2 = p["m2"] if "m2" in p else 1', NAMES),
    (MASS, MASS + " + 0 * len(p)", NAMES),
    (MASS, "m2 = dict(p)['m2']", NAMES),
    (MASS, "m2 = [*p.values()][0]", NAMES),
    (MASS, "m2, *_ = p", NAMES),
    (MASS, 'm2 = p["m2"] if isinstance(p, dict) else 0', NAMES),
    (MASS, 'p["m2"] = 2\n    ' + MASS, "TypeError"),
    (MASS, 'try:\n        m2 = p.get("m2", 2.0)\n    except Exception:\n        ' + MASS, NAMES),
    # efforts
    (F, "def f(q, v, tau, p):", FACTOR),
    *[
        ("def f(q, v, p):|" + LAST, "def f(q, v, tau, p):|- w * np.sin(q) + " + x + "\n", y)
        for x, y in (
            ("tau", SAME),
            ("2 * tau", FACTOR),
            ("-tau", FACTOR),
            ("tau[::-1]", FACTOR),
            ("p['m2'] * tau", FACTOR),
            ("tau - 0 * q", SAME),
            ("tau**2", FACTOR),
            ("tau[0]", FACTOR),
            ("np.array([tau[0], 0])", FACTOR),
        )
    ],
    # results
    (RESULT, "    return [1, [2, 3]]\n" + RESULT, "no number|unequal"),
    (RESULT, "    return 'abc'\n" + RESULT, "found 'abc', no number"),
    (RESULT, "    return None\n" + RESULT, "found NoneType, no number"),
    (RESULT, "    return np.eye(2)\n" + RESULT, "expected a vector"),
    (RESULT, "    return [k, True]\n" + RESULT, "found True, no number"),
    (RESULT, "    return [[k], [1, 2]]\n" + RESULT, "no number|unequal"),
    (RESULT, "    return [k, q]\n" + RESULT, "no number|unequal"),
    (RESULT, "    return k\n" + RESULT, "forcing has 1 row"),
    (RESULT, "    yield 1\n" + RESULT, "no number"),
    (RESULT, "    return np.ones(3)\n" + RESULT, "forcing has 3 rows"),
    (RESULT, "    return k * math.sqrt(2) * np.ones(2)\n" + RESULT, OTHER),
]


def read(old: str = "", new: str = "") -> Any:
    """Read the functions with a change; of ``a|b`` both are replaced."""
    text = BASE
    for a, b in zip(old.split("|"), new.split("|"), strict=True):
        assert a in text
        text = text.replace(a, b, 1) if a else text
    scope: dict[str, Any] = {"__name__": "attack"}
    exec(compile(text, "attack.py", "exec"), scope)
    return mbconcord.own({"M": scope["M"], "forcing": scope["f"]}, q=["th1", "th2"], coordinates=ABSOLUTE)


@cache
def right() -> Any:
    """Return the right equations, proved to be the model's."""
    found = read()
    assert check(DOUBLE, found).verdict == "agrees"
    return found


@pytest.mark.parametrize(("old", "new", "becomes"), TABLE)
def test_functions_are_read_as_they_are_or_refused(old: str, new: str, becomes: str) -> None:
    try:
        found = read(old, new)
    except MbconcordError as problem:
        assert not isinstance(problem, DisagreementError)  # nobody's conversion is blamed
        assert any(x in str(problem) for x in becomes.split("|"))
        return
    pairs = list(zip(found.formulas, right().formulas, strict=True))
    same = all(x.kind == IDENTICAL for x in compare(pairs))
    assert becomes == (SAME if same else OTHER)


@pytest.mark.parametrize(
    ("name", "args", "body", "becomes"),
    [
        ("inverse_dynamics", "q, v, a, p", "M(q, p) @ a - f(q, v, p)", SAME),
        ("inverse_dynamics", "q, v, a, tau, p", "M(q, p) @ a - f(q, v, p) - tau", SAME),
        ("inverse_dynamics", "q, v, a, tau, p", "M(q, p) @ a - f(q, v, p) + tau", FACTOR),
        ("inverse_dynamics", "q, v, a, tau, p", "M(q, p) @ a - f(q, v, p)", FACTOR),
        ("inverse_dynamics", "q, v, a, p", "M(q, p) @ a * a - f(q, v, p)", "not linear in"),
        ("acceleration", "q, v, tau, p", "np.linalg.solve(M(q, p), f(q, v, p) + tau)", SAME),
        ("acceleration", "q, v, tau, p", "np.linalg.solve(M(q, p), f(q, v, p) + 2 * tau)", OTHER),
        ("acceleration", "q, v, tau, p", "np.linalg.solve(M(q, p), f(q, v, p))", "tau does not move every speed"),
        ("M acceleration", "q, v, tau, p", "np.linalg.solve(M(q, p), f(q, v, p) + tau)", SAME),
        ("M acceleration", "q, v, tau, p", "np.linalg.solve(M(q, p), f(q, v, p) + 2 * tau)", FACTOR),
        ("M acceleration", "q, v, tau, p", "np.linalg.solve(M(q, p), f(q, v, p))", FACTOR),
        ("M h", "q, v, tau, p", "-f(q, v, p) - tau", SAME),
        ("M h", "q, v, tau, p", "-f(q, v, p) + tau", FACTOR),
        ("M h", "q, v, a, p", "-f(q, v, p) + a", "bring it to the other side"),
    ],
)
def test_efforts_enter_with_factor_one(name: str, args: str, body: str, becomes: str) -> None:
    scope: dict[str, Any] = {"__name__": "attack"}
    exec(compile(f"{BASE}\ndef g({args}):\n    return {body}\n", "attack.py", "exec"), scope)
    source = {x: scope["M" if x == "M" else "g"] for x in name.split()}
    try:
        found = mbconcord.own(source, q=["th1", "th2"])
    except MbconcordError as problem:
        assert becomes in str(problem)
        return
    same = all(x.kind == IDENTICAL for x in compare(zip(found.formulas, right().formulas, strict=True)))
    assert becomes == (SAME if same else OTHER)
