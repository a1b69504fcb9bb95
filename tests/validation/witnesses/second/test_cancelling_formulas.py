"""Formulas whose terms cancel: no witness disagrees about them, and every witness of the text notices what is planted.

A float of such a formula has lost digits in proportion to its terms, so a tolerance of its value is too narrow for it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from mbconcord.converters import registry
from mbconcord.model.numbers import Instance
from mbconcord.validation.check import check
from mbconcord.validation.claims import ALL, EVERY, SOONER, fields
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.states import draw
from mbconcord.validation.judge.trial import trial
from mbconcord.validation.judge.witness import Original

SEEDS = range(10)
#: Model -> its text, and changes of the text by a sign, and by a relative 1e-6 of what is left of the formula.
MODELS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "1 - cos a": ('z(a)"(-3*(1-cos(a))) i1 $1 g', (("-3*", "3*"), ("-3*", "-3.000003*"))),
    "sqrt(1 + x^2) - 1": ('u(x)"(-2*(sqrt(1+x^2)-1)) $1 g', (("-2*", "2*"), ("-2*", "-2.000002*"))),
    "exp(0.01 a) - 1": ('z(a)"(2*(exp(0.01*a)-1)) i1 $1 g', (("2*", "-2*"), ("0.01*a", "0.01000001*a"))),
    "a - sin a": ('z(a)"(-4*(a-sin(a))) i1 $1 g', (("-4*", "4*"), ("-4*", "-4.000004*"))),
    "x - ln(1 + x)": ('u(x)"(5*(x-ln(1+x^2))) $1 g', (("5*", "-5*"), ("5*", "5.000005*"))),
    "a cogging torque": (
        'z(a)"(k*sin(24*(a-pi/48))+k*cos(24*a)-0.1*(1-cos(48*a))) i1 $1 g ; k=0.02',
        (("-0.1", "+0.1"), ("-0.1", "-0.1000001")),
    ),
    "inverse-square gravity beside that at the ground": (
        'w(r)"(GM/R^2-GM/(R+r)^2) $1 ; GM=3.986004418e14; R=6.371e6',
        (("GM/R^2-GM/(R+r)^2", "GM/(R+r)^2-GM/R^2"), ("GM=3.986004418e14", "GM=3.986008404e14")),
    ),
    "a square that is multiplied out": (
        'u(x)"((1e6+x)^2-1e12-2e6*x) $1 g',
        (("(1e6+x)^2-1e12-2e6*x", "1e12+2e6*x-(1e6+x)^2"), ("2e6*x", "2.000000000001e6*x")),
    ),
    "numbers of parameters": (
        'z(a)"(-k*a) i(L) $(m) g ; k=(1e8+1/3)-1e8; L=sqrt(1e12+1)-999999; m=1e7-9999999.7',
        (("-k*a", "k*a"), ("k=(1e8+1/3)", "k=(1e8+1/3+3e-7)"), ("1e12+1", "1e12+5"), ("9999999.7", "9999999.6999997")),
    ),
    "a law of a length": (
        'z(a) i1 $1 #a :"(-100*(sqrt(1+1e-4*@^2)-1)) i(2) j(0.5) ; g', (("-100*", "100*"), ("-100*", "-100.0001*")),
    ),
    "beside a rod": (
        'z(a)"(-3*(1-cos(a))) i1 $1 > z(b) i1 $1 #r :(1.2) i(1.5) ; g', (("-3*", "3*"), ("-3*", "-3.000003*")),
    ),
    "all of it is rounding": (
        'u(a)"((0.1+0.2-0.3)*a) v(b)"(cos(pi/2)+sin(pi)+tan(pi)) w(c)"(sin(c)^2+cos(c)^2-1) $1 > '
        'u(d)"(log(sin(d)^2+cos(d)^2)) v(f)"(acos(sin(f)^2+cos(f)^2)) w(l)"(asin(sqrt(2)^2/2)-pi/2) $1 > '
        'u(n)"(sign(0.1+0.2-0.3)) v(o)"(sign(sin(pi))) w(p)"(where(sin(p)^2+cos(p)^2>=1, p, 0)) $1 g',
        (
            ("(0.1+0.2-0.3)*a", "(0.1+0.2-0.3+1e-40)*a"), ("tan(pi)", "tan(pi*1.00000001)"), ("^2-1)", "^2-1-1e-40)"),
            ("log(sin(d)^2", "log(1e-40+sin(d)^2"), ("acos(sin(f)^2", "acos(-1e-20+sin(f)^2"),
            ("sign(0.1+0.2-0.3)", "sign(0.1+0.2-0.3+1e-43)"), ("sqrt(2)^2/2", "sqrt(2)^2/2-1e-40"),
            ("sign(sin(pi))", "sign(sin(pi)+1e-40)"), ("sin(p)^2+cos(p)^2>=1", "sin(p)^2+cos(p)^2>1"),
        ),
    ),
    "rounding that no graph folds": (
        'u(a)"(sin(2*a)-2*sin(a)*cos(a)) v(b)"(exp(b)*exp(-b)-1) w(c)"(tan(pi/4)-1) $1 > '
        'u(d)"(max(d, d*1.0000000000000001)-d) v(f)"(exp(log(3))-3) w(l)"(sign(exp(l)*exp(-l)-1)) $1 g',
        (
            ("*cos(a)", "*cos(a)-1e-40"), ("exp(-b)-1", "exp(-b)-1-1e-40"), ("tan(pi/4)-1", "tan(pi/4)-1-1e-40"),
            ("log(3))-3", "log(3))-3+1e-40"), ("exp(-l)-1", "exp(-l)-1+1e-40"), ("d*1.", "-d*1."),
        ),
    ),
    "a shift in time": (
        "z(a) i(1e6*(1-cos(1e-3*t))+0.5) i1 $1 g", (("1e6*(1", "-1e6*(1"), ("1e6*(1", "1.000001e6*(1")),
    ),
}  # fmt: skip
PLANTED = [(name, *change) for name, (_, changes) in MODELS.items() for change in changes]


def said(text: str, seed: int, of: str | None = None) -> list[Comparison]:
    """What the claim says of the model of a text beside that text, or another one."""
    drawn = draw(registry.read_text(text, "-", "mbsd", "ignore").system, 3, seed)
    made = trial(drawn.system.open_loops(), Instance(drawn.system, drawn.states), [])
    return fields.second_reading(replace(made, closed=drawn.system, text=Original(of or text, "mbsd")))


@pytest.mark.parametrize("model", MODELS)
def test_a_formula_whose_terms_cancel_is_read_alike(model: str) -> None:
    """At ten seeds each: both sides compute it in 50 digits, so nothing is left of the tolerance but roundings."""
    found = [c for seed in SEEDS for c in said(MODELS[model][0], seed)]
    assert {c.verdict for c in found} == {"agrees"}
    assert max(c.discrepancy or 0.0 for c in found) < 1e-14


@pytest.mark.parametrize(("model", "old", "new"), PLANTED)
def test_a_formula_that_is_read_wrong_disagrees(model: str, old: str, new: str) -> None:
    """At every one of ten seeds, however much its terms cancel."""
    text = MODELS[model][0]
    assert old in text
    for seed in SEEDS:
        assert "disagrees" in {c.verdict for c in said(text.replace(old, new), seed, text)}, seed


@pytest.mark.sampled(9)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", MODELS)
def test_no_witness_disagrees_about_a_formula_whose_terms_cancel(model: str, seed: int) -> None:
    """Every claim there is but those that derivatives alone are asked for, beside the formalisms."""
    text = MODELS[model][0]
    system = registry.read_text(text, "-", "mbsd", "ignore").system
    found = check(system, states=3, seed=seed, claims=EVERY, original=Original(text, "mbsd", {}), count=False)
    assert [c for c in found.comparisons if c.verdict == "disagrees"] == []


def test_the_walk_leaves_no_claim_out() -> None:
    """A claim that is new is asked above, or says in another what it says."""
    left = {claim.name for claim in ALL} - {*EVERY, *(n for names in SOONER.values() for n in names), "agreement"}
    assert left == {"derivatives", "regressor"}
