"""MATLAB text that is right, wrong in one place, or uses one construct: what is wrong never passes for right."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import mbconcord
from mbconcord.model.diagnostics import ReadError
from mbconcord.model.expressions.field import IDENTICAL, compare

from .test_straight import ABSOLUTE, DOUBLE, check

BASE = """function [M, f] = pendulum(q, v, m1, m2, l1, c1, c2, I1, I2, g)
% equations in absolute angles
th1 = q(1);
th2 = q(2);
k = m2*l1*c2;
M = [I1 + m1*c1^2 + m2*l1^2, k*cos(th1 - th2)
     k*cos(th1 - th2), I2 + m2*c2^2];
w = g*[m1*c1 + m2*l1; m2*c2];
f = k*sin(th1 - th2)*[-v(2)^2; v(1)^2] - w.*sin(q);
end
"""
K, W, SINE, HEAD, TH2 = "k = m2*l1*c2;", "w = g*", "w.*sin(q)", "(q, v, m1", "th2 = q(2);"
SAME, OTHER, UNREAD, CHANGED = "same", "other", "not read", "and changed"

#: What is replaced, by what, and what becomes of it.
TABLE = [
    ("", "", SAME),
    # signs, places, operators
    ("[-v(2)^2;", "[v(2)^2;", OTHER),
    ("[-v(2)^2; v(1)^2]", "[-v(1)^2; v(2)^2]", OTHER),
    ("[-v(2)^2; v(1)^2]", "[-v(2)^2, v(1)^2]", "found arrays of 1 by 2 and of 2 by 1"),
    ("[-v(2)^2; v(1)^2]", "[-v(2)^2 v(1)^2]'", SAME),
    ("[-v(2)^2; v(1)^2]", "[-v(2)^2 - v(1)^2]", OTHER),
    ("[-v(2)^2; v(1)^2]", "[-v(2)^2 -v(1)^2]'", OTHER),
    ("[-v(2)^2; v(1)^2]", "[-v(2)^2\n v(1)^2]", SAME),
    ("[-v(2)^2; v(1)^2]", "[-v(2)^2;...\n v(1)^2]", SAME),
    ("[-v(2)^2; v(1)^2]", "[0 -1; 1 0]*v.^2", SAME),
    ("[-v(2)^2; v(1)^2]", "[0 - 1; 1 0]*v.^2", "rows of unequal lengths"),
    ("[-v(2)^2; v(1)^2]", "[0 -...\n1; 1 0]*v.^2", UNREAD),
    ("[-v(2)^2; v(1)^2]", "[0 1; 1 0]*v^2", UNREAD),
    ("[-v(2)^2; v(1)^2]", "[-v(2)**2; v(1)^2]", UNREAD),
    ("[-v(2)^2; v(1)^2]", "-v(2)^2; v(1)^2", UNREAD),
    (SINE, "w*sin(q)", r"\* of 2 by 1 and 2 by 1"),
    (SINE, "w'*sin(q)", OTHER),
    (SINE, "w.*sin(q')", "found arrays of 2 by 1 and of 1 by 2"),
    (SINE, "w .*sin(q)", SAME),
    (SINE, "w./csc(q)", UNREAD),
    (SINE, "w.*cos(q)", OTHER),
    (SINE, "w.*sin(q(:))", UNREAD),
    (SINE, "w.*sin(q(1:2))", SAME),
    (SINE, "w.*sin(q(2:-1:1))", UNREAD),
    (SINE, "w.*sin(q([2 1]))", UNREAD),
    (SINE, "w.*sin(q(end))", UNREAD),
    (SINE, "w.*[sin(q(1)); sin(q(end))]", UNREAD),
    (SINE, "w.*sin(q).*(q < 2.9)", UNREAD),
    (SINE, "w(q > -9).*sin(q)", UNREAD),
    (SINE, "w.*sin(~q)", UNREAD),
    (SINE, "w.\\sin(q)", UNREAD),
    (SINE, "diag(w)*sin(q)", UNREAD),
    (SINE, "w.*arrayfun(@(x) sin(x), q)", UNREAD),
    (SINE, "w.*max(sin(q), -9)", UNREAD),
    (SINE, "w.*mod(sin(q), 9)", UNREAD),
    (SINE, "w.*floor(sin(q))", UNREAD),
    (SINE, "w.*real(sin(q))", UNREAD),
    (SINE, "w.*sin(q)*1i", UNREAD),
    (SINE, "w.*sin(q)*(-i^2)", "found the name i"),
    (SINE, "w.*sin(q)*rand", "found the name rand"),
    (SINE, "w.*sin(q)*nargin", "found the name nargin"),
    (SINE, "w.*sin(q)*(1:1)", UNREAD),
    (SINE, "w.*sind(q)", UNREAD),
    (SINE, "w.*sin(q)*1d0", UNREAD),
    (SINE, "w.*sin(q)*0x1", UNREAD),
    (SINE, "w.*sin(q) - 0", SAME),
    (SINE, "w.*sin (q)", SAME),
    (SINE, "w.*sin(q) '", "a quote after a blank"),
    (SINE, "w.*'s'", UNREAD),
    (SINE, 'w.*"s"', UNREAD),
    (SINE, "w{1}.*sin(q)", UNREAD),
    (SINE, "w.*sin(q);;", SAME),
    (SINE, "w.*sin(q) ...\n  + 0", SAME),
    (SINE, "w.*sin(q) ... + 1", UNREAD),
    (SINE, "w.*sin(q)\n + w", UNREAD),
    (SINE, "w.*sin(q) % + w", SAME),
    (SINE, "w.*sin(q) # + w", UNREAD),
    (SINE, "w.*sin(q) .. + w", UNREAD),
    # statements
    (K, K + " if th1 > 2.9, k = -k; end", UNREAD),
    (K, K + "\nif th1 > 2.9\nk = -k;\nend", UNREAD),
    (K, K + "\nfor n = 1:2, k = -k; end", UNREAD),
    (K, K + "\nwhile k > 9, k = -k; end", UNREAD),
    (K, K + "\nswitch 1, case 1, k = -k; end", UNREAD),
    (K, K + "\ntry, k = -k; end", UNREAD),
    (K, K + "\nglobal g", UNREAD),
    (K, "persistent k\n" + K, UNREAD),
    (K, K + "\nreturn", UNREAD),
    (K, K + "\nclear k", UNREAD),
    (K, K + "\nhold on", UNREAD),
    (K, K + "\ndisp(k)", UNREAD),
    (K, K + "\nk", UNREAD),
    (K, K + "\nk += 1;", UNREAD),
    (K, K + "\nk++;", UNREAD),
    (K, K + "\n!rm x", UNREAD),
    (K, K + "\neval('k = 1')", UNREAD),
    (K, K + "\nassert(k > 0)", UNREAD),
    (K, K + "\nh = @(x) -x;\nk = h(k);", UNREAD),
    (K, K + "\ns.k = 1;", UNREAD),
    (K, K + "\ns = struct('k', 1);", UNREAD),
    (K, K + "\n[k, n] = deal(-k, 1);", UNREAD),
    (K, K + "\nk(1) = [];", "found no rows"),
    (K, K + "\nk = k", SAME),
    (K, K + "\nk = -k;", OTHER),
    (K, K + "\nk = -k; k = -k;", SAME),
    (K, K + "\nk(1) = -k;", OTHER),
    (K, K + "\nsin = 3;", UNREAD),
    (K, K + "\ncos = k; k = cos(1);", UNREAD),
    (K, K + "\npi = 3; k = k*pi;", OTHER),
    (K, K + "\nfunction x = y(z)\nx = z;", "a second function"),
    (K, K + "\nend\nfunction x = y(z)\nx = z;", "a second function"),
    (K, K + "\n%{\nk = -k;\n%}", SAME),
    (K, K + "\n%{\n%{\n%}\nk = -k;\n%}", SAME),
    (K, K + "\n%{\n%{\n%}\nk = -k;", "a block comment never ends"),
    (K, K + "\n%{ k = -k;\nk = -k;\n%}", OTHER),
    (K, K + "\n% k = 1;\rk = -k;", "found the character"),
    (K, K + "\n% k = 1;\u2028k = -k;", "found the character"),
    (K, K + "\r\nk = 2*k;\r\n", OTHER),
    (K, K + " k２ = 1;", UNREAD),
    (K, "κ = m2*l1*c2; k = κ;", UNREAD),
    # arguments, their elements and their names
    (K, K + "\nm2 = 3;", f"m2 is given to the text, {CHANGED}"),
    (K, K + "\nm2(1) = 3;", f"m2 is given to the text, {CHANGED}"),
    (K, K + "\nq(1) = 0;", f"q is given to the text, {CHANGED}"),
    (K, K + "\nv = -v;", f"v is given to the text, {CHANGED}"),
    (TH2, TH2 + "\nth1 = -th1;", "th1 names an element, and is changed"),
    (TH2, "th2 = -q(2);", OTHER),
    (TH2, TH2 + "\ndth2 = v(1); dth1 = v(2);", "with the name dth2, which is that of element 2"),
    (TH2, TH2 + "\nv2 = v(2);", SAME),
    ("th1 = q(1);\nth2 = q(2);", "th1 = q(2);\nth2 = q(1);", "with the name th1, which is that of element 1"),
    (HEAD, "(q, v, u, m1", "found u and v, which both are the speeds"),
    (HEAD, "(q, v, dq, m1", "found dq and v, which both are the speeds"),
    (HEAD, "(q, v, in1, m1", "found in1 and q, which both are the coordinates"),
    (HEAD, "(q, v, q, m1", "found one name twice"),
    (HEAD, "(q, v, varargin, m1", "varargin is a name of MATLAB's own"),
    (HEAD, "(q, v, pi, m1", "pi is a name of MATLAB's own"),
    (HEAD, "(q, v, sin, m1", "sin is a name of MATLAB's own"),
    (HEAD, "(q, v, ~, m1", UNREAD),
    (HEAD, "(q, v, m1 = 1", UNREAD),
    ("pendulum(", "sin(", "sin is a name of MATLAB's own"),
    ("[M, f] =", "[f, M] =", "found the results f and M, expected M and one of"),
    ("[M, f] =", "[M, f, n] =", "does not return M and forcing"),
    ("[M, f] =", "[M, m1] =", "found one name twice"),
    ("f = k", "f = zeros(2, 2);\nf(1, 1) = k; f(2, 1) = w(2); %", "f is 2 by 2, expected a column"),
    ("f = k", "f(2) = 0; f = f' + k", SAME),
    ("f = k", "f(2) = 1; f = f' + k", OTHER),
    (W, "w(2,1) = 0; w = w + g*", SAME),
    (W, "w = eye(2)*g*", SAME),
    (W, "w = ones(2)*g*", OTHER),
    (W, "w = g/1*", SAME),
    (W, "w = 1/g*", OTHER),
    (W, "w = g*g^-1*g*", SAME),
    (W, "w = g^-1^-1*", SAME),
    (W, "w = -g*", OTHER),
    (W, "w = --g*", SAME),
]

SCRIPT = "J = m*l^2;\nM = J;\nf = -m*g*l*sin(q(1));\n"
SCRIPTS = [
    ("", "", SAME),
    ("J = m", "m = 2*m; J = m", f"m is given to the text, {CHANGED}"),
    ("J = m*l^2;", "J = m*l^2; m = 3;", f"m is given to the text, {CHANGED}"),
    ("J = m*l^2;", "q = 0; J = m*l^2;", f"q is given to the text, {CHANGED}"),
    ("J = m*l^2;", "q(1) = 0; J = m*l^2;", f"q is given to the text, {CHANGED}"),
    ("J = m*l^2;", "J(1,1) = m*l^2;", "an element is set of J, which is unknown"),
    ("q(1)", "in1(1)", SAME),
    ("q(1)", "q(1) + 0*in1(1)", "found in1 and q, which both are the coordinates"),
    ("q(1)", "q(1)) + 0*(dq(1) + u(1)", "found dq and u, which both are the speeds"),
    ("q(1)", "q(1)) + 0*(dq(1)", SAME),
    ("q(1)", "q(1)) + u(1)*(1", OTHER),
    ("J = m", "J = x(1)*m", UNREAD),
    ("J = m", "J = true*m", UNREAD),
    ("J = m", "J = i*m", UNREAD),
    ("J = m", "syms m; J = m", UNREAD),
    ("J = m", "clear; J = m", UNREAD),
]


def read(folder: Path, text: str, **options: Any) -> Any:
    """Read a text."""
    (folder / "mine.m").write_bytes(text.encode())
    return mbconcord.own(f"matlab:{folder / 'mine.m'}", **options)


@cache
def formulas(folder: Path) -> Any:
    """Return the right formulas, proved to be the model's."""
    found = read(folder, BASE, q=["th1", "th2"], coordinates=ABSOLUTE)
    assert check(DOUBLE, found).verdict == "agrees"
    return found.formulas


def hold(found: Any, right: Any, becomes: str) -> None:
    """Hold formulas against the right ones."""
    same = all(x.kind == IDENTICAL for x in compare(zip(found.formulas, right, strict=True)))
    assert becomes == (SAME if same else OTHER)


def try_text(folder: Path, text: str, right: Any, becomes: str, **options: Any) -> None:
    """Read a text that is right, wrong, or refused with its place."""
    if becomes in (SAME, OTHER):
        hold(read(folder, text, **options), right, becomes)
    else:
        with pytest.raises(ReadError, match=rf"mine.m:\d+:\d+: error: .*({becomes})"):
            read(folder, text, **options)


@pytest.mark.parametrize(("old", "new", "becomes"), TABLE)
def test_functions_are_read_as_they_are_or_refused(
    old: str, new: str, becomes: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert old in BASE
    text = BASE.replace(old, new, 1) if old else BASE
    try_text(tmp_path, text, formulas(tmp_path_factory.getbasetemp()), becomes, q=["th1", "th2"])


@pytest.mark.parametrize(("old", "new", "becomes"), SCRIPTS)
def test_scripts_are_read_as_they_are_or_refused(old: str, new: str, becomes: str, tmp_path: Path) -> None:
    right = read(tmp_path, SCRIPT).formulas
    assert old in SCRIPT
    try_text(tmp_path, SCRIPT.replace(old, new, 1) if old else SCRIPT, right, becomes)


MASS = "function M = F(in1, in2, p)\nth1 = in1(1,:); m1 = p(1); m2 = p(2);\nM = [m1 0; 0 m2];"
FORCE = "function f = G(in1, in2, p)\nth1 = in1(1,:); th2 = in1(2,:); {};\nm1 = p(1); m2 = p(2);\nf = [w*m1; m2];"


@pytest.mark.parametrize(
    ("mass", "force", "words"),
    [
        (MASS, FORCE.format("w = in2(1)"), r"found in2\(1\) with the name w "),
        (MASS, FORCE.format("b_th1 = in2(1); w = b_th1"), r"found in2\(1\) with the name b_th1 "),
        (MASS, FORCE.format("th1_0 = in2(1); w = th1_0"), r"found in2\(1\) with the name th1_0 "),
        (
            MASS,
            FORCE.format("dth1 = in2(2); w = dth1"),
            r"found in2\(2\) with the name dth1, which is that of element 1",
        ),
        (MASS, FORCE.format("dth1 = in2(1); w = dth1"), ""),
        (MASS, FORCE.format("th1_dot = in2(1,:); w = th1_dot"), ""),
        (
            MASS,
            FORCE.format("w = 1").replace("m1 = p(1); m2 = p(2)", "m2 = p(1); m1 = p(2)"),
            r"p\(1\) is m2, and in the other file m1",
        ),
        (
            MASS,
            FORCE.format("w = 1").replace("m1 = p(1); m2", "m1 = p(3); m2"),
            r"p\(3\) is m1, and in the other file m1 is element 1",
        ),
        (MASS, FORCE.format("w = 1").replace("f = ", "h = "), "found the results M and h, expected M and one of f"),
        (FORCE.format("dth1 = in2(1); w = dth1"), MASS, "found the results f and M"),
    ],
)
def test_two_files_name_one_element_alike(mass: str, force: str, words: str, tmp_path: Path) -> None:
    for name, text in (("M.m", mass), ("f.m", force)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    source = f"matlab:{tmp_path / 'M.m'},{tmp_path / 'f.m'}"
    if not words:
        assert mbconcord.own(source).q == ("th1", "th2")
        return
    with pytest.raises(ReadError, match=rf"\.m:\d+:\d+: error: .*{words}"):
        mbconcord.own(source)
