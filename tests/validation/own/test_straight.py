"""Own equations as the text of Python functions: read, never run, checked; what is not read is refused by its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord import MbconcordError
from mbconcord.cli import main

MODEL = "z(q1) $(m)[0,m*l^2,m*l^2]{l,0} #bob ; g(g)i; m=2,l=0.7,g=9.81"
FEW = ("lagrange", "newton_euler")
DOUBLE = (
    "z(q1) $(m1)[I1/2,I1/2+m1*c1^2,I1+m1*c1^2]{c1,0} #upper > "
    "i(l1) z(q2) $(m2)[I2/2,I2/2+m2*c2^2,I2+m2*c2^2]{c2,0} #lower ; g(g)-y;"
    " I1=0.1,I2=0.2,l1=1,l2=1.2,c1=0.5,c2=0.6,m1=1,m2=2,g=9.81"
)
FORMS = '''"""Both matrices of a double pendulum in absolute angles."""
import math
import numpy as np
from math import sin

GRAVITY = {"along": 1}


def M(q, p):
    """Mass matrix."""
    th1, th2 = q
    c = np.cos(th1 - th2)
    k = p["m2"] * p["l1"] * p["c2"] * c
    first = p["I1"] + p["m1"] * p["c1"] ** 2 + p["m2"] * p["l1"] ** 2
    return np.array([[first, k], [k, p["I2"] + p["m2"] * p["c2"] ** 2]])


def f(q, v, p):
    s = np.sin(q[0] - q[1])
    k = p["m2"] * p["l1"] * p["c2"] * s
    first = -k * v[1] ** 2 - (p["m1"] * p["c1"] + p["m2"] * p["l1"]) * p["g"] * np.sin(q[0])
    return np.array([first, k * v[0] ** 2 - p["m2"] * p["c2"] * p["g"] * np.sin(q[1])])


def M_filled(q, p):
    A = np.zeros((2, 2))
    k: float = p.m2 * p.l1 * p.c2 * math.cos(q[0] - q[1])
    A[0, 0] = p.I1 + p.m1 * p.c1**2
    A[0, 0] += p.m2 * p.l1**2
    A[0, 1] = A[1, 0] = k
    A[-1, -1] = p.I2 + p.m2 * pow(p.c2, 2)
    return A


def weights(q, m1, m2, l1, c1, c2, g=9.81):
    W = np.array([[m1 * c1 + m2 * l1, 0.0], [0.0, m2 * c2]])
    return -g * GRAVITY["along"] * (W.T @ np.sin(q))


def both(q, v, p):
    th1, th2 = q
    m1, m2, l1, c1, c2, g = p
    k = m2 * l1 * c2 * sin(th1 - th2)
    turning = np.array([-k * v[1] ** 2, k * np.square(v[0])])
    return M_filled(q, p), turning + weights(q, m1, m2, l1, c1, c2, g)


if __name__ == "__main__":
    print(M([0, 1], {}))
'''
ABSOLUTE = {"q1": "th1 - pi/2", "q2": "th2 - th1"}


def write(folder: Path, text: str, functions: str = "both") -> str:
    """Write a module."""
    (folder / "mine.py").write_text(text, encoding="utf-8")
    return f"python:{folder / 'mine.py'}:{functions}"


def check(model: str, against: Any, **options: Any) -> Any:
    """Check by two formalisms."""
    read = mbconcord.read(text=model, format="mbsd")
    return mbconcord.check(read, against=against, formalisms=FEW, states=3, **options)


@pytest.mark.slow
@pytest.mark.parametrize("functions", ["M,f", "both"])
def test_functions_are_proved_or_their_entry_is_told(functions: str, tmp_path: Path) -> None:
    found = check(DOUBLE, write(tmp_path, FORMS, functions), coordinates=ABSOLUTE)
    assert found.verdict == "agrees"
    assert {c.exact.kind for c in found.comparisons} == {"identical"}
    wrong = FORMS.replace("-k * v[1]", "k * v[1]")
    found = check(DOUBLE, write(tmp_path, wrong, functions), coordinates=ABSOLUTE)
    assert found.verdict == "disagrees"
    entries = found.to_json()["against"]["own"]["entries"]
    assert entries["quadratic in rates"] == [["th1'"]]


def test_elements_without_names_are_q1_and_on(tmp_path: Path) -> None:
    text = (
        "import numpy as np\ndef M(q, m, l):\n    return m * l**2\n"
        "def f(q, m, g, l):\n    return -m * g * l * np.sin(q[0])\n"
    )
    assert check(MODEL, write(tmp_path, text, "M,f")).verdict == "agrees"
    named = mbconcord.own(write(tmp_path, text, "M, f"), q=["a"], coordinates={"q1": "a"})
    assert (named.q, named.u, named.kind) == (("a",), ("a'",), "Python text")
    assert check(MODEL, named).verdict == "agrees"


def test_arguments_are_coordinates_and_speeds_where_these_are_told(tmp_path: Path) -> None:
    text = (
        "from math import sin as s\ndef F(a, w, m, l, g, t):\n"
        "    return {'M': [[2 * m * l * l]], 'forcing': [-m * g * l * s(a)]}\n"
    )
    told: dict[str, Any] = {"q": ["a"], "u": ["w"], "qdot": {"a": "2*w"}, "coordinates": {"q1": "a"}}
    assert check(MODEL, mbconcord.own(write(tmp_path, text, "F"), **told)).verdict == "agrees"
    wrong = mbconcord.own(write(tmp_path, text, "F"), **told | {"qdot": {"a": "w"}})
    assert check(MODEL, wrong).verdict == "disagrees"
    with pytest.raises(MbconcordError, match="found speeds and no rates by them"):
        mbconcord.own(write(tmp_path, text, "F"), q=["a"], u=["w"])
    with pytest.raises(MbconcordError, match="qdot: error: found b"):
        mbconcord.own(write(tmp_path, text, "F"), q=["a"], u=["w"], qdot={"b": "w"})


def test_numbers_of_the_text_are_its_decimals(tmp_path: Path) -> None:
    text = "import numpy as np\ng = 9.81\ndef F(q, m, l):\n    return m * l**2, -m * g * l * np.sin(q[0])\n"
    found = check(MODEL, write(tmp_path, text, "F"))
    assert found.headline.startswith("agrees where g = 9.81")
    assert check(MODEL, write(tmp_path, text.replace("9.81", "9.8100000001"), "F")).verdict == "disagrees"


def test_nothing_of_a_text_is_run(tmp_path: Path) -> None:
    text = f"open({str(tmp_path / 'ran')!r}, 'w')\n" + FORMS
    assert check(DOUBLE, write(tmp_path, text), coordinates=ABSOLUTE).verdict == "agrees"
    assert not (tmp_path / "ran").exists()


HEAD = "import math\nimport numpy as np\nG = [1, 2]\n"


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("for i in range(3): pass\n    return 1, 2", 5, r"for i in range\(3\): pass: not read .assign"),
        ("if q[0] > 0:\n        return 1, 2\n    return 1, 2", 5, r"if q\[0\] > 0:: not read"),
        ("return __import__('os').system('exit'), 1", 5, "found the name '__import__', which the text does not"),
        ("return eval('1'), 1", 5, "found the name 'eval', which the text does not give"),
        ("return m.__class__, 1", 5, "not read"),
        ("return np.linalg.inv(q), 1", 5, "not read"),
        ("return np.asin(1), math.sign(m)", 5, "not read"),
        ("return np.zeros(2, dtype=int), 1", 5, "not read"),
        ("return [x for x in q], 1", 5, "not read"),
        ("return m if m else 1, 1", 5, "not read"),
        ("return m // 2, 1", 5, "not read"),
        ("return 1j * m, 1", 5, "not read"),
        ("return True, 1", 5, "not read"),
        ("return 1e999, 1", 5, "not read"),
        ("return m / 0, 1", 5, "division by zero"),
        ("return math.sin(1, 2), 1", 5, "sin takes 1 argument, not 2"),
        ("return m * unknown, 1", 5, "found the name 'unknown'"),
        ("x = x + 1\n    return 1, x", 5, "x is used before it is assigned"),
        ("return m", 4, "F does not return M and forcing .return M, forcing"),
        ("m = 2", 5, "F does not end in a return of a value"),
        ("return np.sin(q), 1", 5, r"q is taken whole, and its length is not known .unpack it first"),
        ("return q[0] * q[3], 1", 4, r"found q\[3\], and M has 1 row"),
        ("return q[-1], 1", 5, "found the index -1"),
        ("return q[:2], 1", 5, "not read"),
        ("return [[1, 2], [3]], [1, 2]", 4, "found rows of unequal lengths"),
        ("return [[m, 0], [0, m]], [1, 2, 3]", 4, "M is 2 by 2 and forcing has 3 rows"),
        ("return np.array([1, 2]) + np.array([1, 2, 3]), 1", 5, r"found arrays of \(2,\) and of \(3,\)"),
        ("return np.array([1, 2]) @ m, 1", 5, r"@ of \(2,\) and a number"),
        ("return [1] + [2], 1", 5, "found a list, expected a number or an array"),
        ("A = np.array([[1, 0], [0, 1]])\n    A[0, 0] = 0.5\n    return A, [1, 2]", 6, "an element is set in what is"),
        ("A = np.zeros((2, 2))\n    B = A[0]\n    A[0, 0] = 1\n    return A, B", 7, "or shares its elements"),
        ("A = np.zeros((2, 2))\n    B = A.T\n    A[0, 1] = 1\n    return B, A", 7, "or shares its elements"),
        ("A = np.zeros((2, 2))\n    A[0] = m\n    return A, [1, 2]", 6, "whole rows are set"),
        ("A = np.zeros((2, 2))\n    A[2, 0] = m\n    return A, [1, 2]", 6, "found the index 2 of 2 elements"),
        ("A = np.eye(2)\n    A += 1\n    return A, [1, 2]", 6, "an array is changed in its place"),
        ("a, b = 1, 2, 3\n    return a, b", 5, "found a tuple, expected 2 values"),
        ("return F(q, m), 1", 4, "F calls itself"),
        ("return H(1), 1", 5, "H takes 2 arguments, found 1"),
        ("return K(1), 1", 5, "K is bound twice"),
        ("return L, 1", 5, "L is bound twice, or by what is not read"),
        ("return G[0] * P, 1", 5, "P is bound twice, or by what is not read"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_by_its_line(body: str, line: int, words: str, tmp_path: Path) -> None:
    rest = "\ndef H(a, b):\n    return a\ndef K(a):\n    return a\ndef K(a):\n    return -a\nL = 1\nL = 2\n"
    text = f"{HEAD}def F(q, m):\n    {body}\n{rest}P = 1\ndef later():\n    global P\n    P = 2\n"
    with pytest.raises(MbconcordError, match=rf"mine.py:{line}:\d+: error: .*{words}"):
        mbconcord.own(write(tmp_path, text, "F"))


#: Every function calls the one before it twice.
DOUBLING = "def F0(q): return 1, 2\n" + "".join(
    f"def F{i}(q): return F{i - 1}(q)[0] + F{i - 1}(q)[1], 1\n" for i in range(1, 40)
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "functions", "words"),
    [
        ("def F(q:\n", "F", r"mine.py:1:\d+: error: no Python: "),
        ("def F(q): return 1, 2", "G", "there is no function 'G'"),
        ("F = 1", "F", "there is no function 'F'"),
        ("@cache\ndef F(q): return 1, 2", "F", "F has a decorator"),
        ("def F(*q): return 1, 2", "F", "F has a decorator, or arguments that are no plain names"),
        ("from math import *\ndef F(q): return sin(q[0]), 2", "F", ":1:1: error: names of a whole module are not read"),
        ("a = b\nb = a\ndef F(q): return a, 2", "F", "a is made of itself"),
        ("def F(q): return 1, 2", "F,F,F", "expected FILE:NAME, or FILE:M,FORCING"),
        ("def F(q): return 1, 2", "", "expected FILE:NAME, or FILE:M,FORCING"),
        ("def F(q, g=-9.81): return 1, g*q[0]", "F", ":1:12: error: found a default of an argument of F"),
        ("def F(q, v, u): return 1, u[0]", "F", ":1:13: error: found v and u, which both are the speeds"),
        ("def F(q, p): return p.q1, q[0]", "F", ":1:21: error: found q1, a parameter with the name of an element of q"),
        ("def F(q, p):\n a, = q\n return p['a'], a", "F", ":3:9: error: found the parameter a, which is a coordinate"),
        ("def F(q, p):\n a, t = p\n return a, t*q[0]", "F", ":2:5: error: found the parameter t, which is .* the time"),
        ("def F(q, q1): return q1, q[0]", "F", ":1:10: error: found q1, a parameter with the name of an element of q"),
        (DOUBLING, "F39", "more than 500000 places"),
        (f"def F(q): return {'-' * 5000}1, 2", "F", "no Python|nested too deep"),
        ("\0", "F", "no Python|null bytes"),
    ],
)  # fmt: skip
def test_what_is_no_straight_module_is_refused(text: str, functions: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(MbconcordError, match=words):
        mbconcord.own(write(tmp_path, text, functions))


def test_a_long_sum_is_read(tmp_path: Path) -> None:
    terms = " + ".join(f"m * {i}" for i in range(1, 2000))
    mine = mbconcord.own(write(tmp_path, f"def F(q, m):\n    return {terms}, 0\n", "F"))
    assert str(mine.M[0][0]).replace(" ", "") in ("1999000*m", "1999000m")


def test_the_command_line_takes_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.mbsd").write_text(DOUBLE, encoding="utf-8")
    line = ["check", str(tmp_path / "arm.mbsd"), "--formalisms", ",".join(FEW), "--states", "3", "--against"]
    told = ["--map", "coordinates:q1=th1 - pi/2,q2=th2 - th1"]
    assert main([*line, write(tmp_path, FORMS), *told]) == 0
    assert main([*line, write(tmp_path, FORMS.replace("-g *", "g *")), *told]) == 1
    assert "gravity[th1'] of yours" in capsys.readouterr().out
    assert main([*line, write(tmp_path, FORMS + "\nimport os; np = os\n"), *told]) == 2
    assert "np is bound twice" in capsys.readouterr().err
