r"""LaTeX and MathML of equations are read back as a reader would: what is changed on paper is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mbconcord.api.derivatives import derived_asked, derived_whole
from mbconcord.api.interpreted import NOT_COMPARED
from mbconcord.api.printed import _lines, compare_printed
from mbconcord.api.typeset import appear, name_values, typeset_lines
from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import DisagreementError
from mbconcord.model.expressions import evaluate_float, to_latex, to_mathml
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.expressions.latex import LatexStyle, latex_name
from mbconcord.model.expressions.mathml import MathmlStyle, mathml_name
from mbconcord.model.notation.simplification import simplify
from mbconcord.reports import equations

from ..cli.commands import Run, runner

FIXTURES = Path(__file__).parents[2] / "fixtures"
PENDULUM, CRANK, BAR = "mbsd/double_pendulum.mbsd", "native/slider_crank.mbs.json", "mbsd/four_bar.mbsd"
NOTATIONS = ("latex", "mathml")

run = pytest.fixture(runner)


@cache
def derive_twice(file: str, name: str) -> tuple[Derivation, Derivation]:
    """Return the equations as derived, and as printed."""
    found = derived_whole(registry.formalism(name), formats.read(FIXTURES / file).system)
    return found, simplify(found)


def said_of(file: str, name: str, notation: str, changed: Mapping[str, str] | None = None) -> str:
    """Return what is said of a print, of which every line's right side has these texts in place of others."""
    whole, shown = derive_twice(file, name)
    text = str(equations.render(shown, [], notation))
    for old, new in (changed or {}).items():
        assert old in text
        text = text.replace(old, new)
    return compare_printed(whole, [], shown, text, notation).message


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("file", [PENDULUM, BAR, CRANK])
def test_every_line_is_read_back(file: str, name: str, notation: str) -> None:
    by, system = registry.formalism(name), formats.read(FIXTURES / file).system
    if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
        pytest.skip(f"{name} does not take {file}")
    assert "numbers are the interpreter's at 9 states" in said_of(file, name, notation)


PLANTED: dict[str, dict[str, str]] = {
    "latex": {
        r"\sin\left(": r"\cos\left(", " - ": " + ", "^{2}": "^{3}", r"\ddot{z}_{1}": r"\dot{z}_{1}", r"2 \,": r"3 \,",
        r"\dot{z}_{1}": r"\dot{z}_{2}", r"i_{1} \, ": "", r"m_{2}": "m_{1}",
    },
    "mathml": {
        "<mi>sin</mi>": "<mi>cos</mi>", "<mo>−</mo>": "<mo>+</mo>", "<mrow><mn>2</mn></mrow></msup>":
        "<mrow><mn>3</mn></mrow></msup>", "<mo>¨</mo>": "<mo>˙</mo>",
        "<msub><mi>m</mi><mrow><mn>2</mn></mrow></msub>": "<msub><mi>m</mi><mrow><mn>1</mn></mrow></msub>",
        "<mn>2</mn><mo>\u2062</mo>": "<mn>3</mn><mo>\u2062</mo>",
    },
}  # fmt: skip


@pytest.mark.parametrize(("notation", "old"), [(n, old) for n, own in PLANTED.items() for old in own])
def test_what_is_changed_on_paper_is_noticed(notation: str, old: str) -> None:
    with pytest.raises(DisagreementError, match=f"the printed {notation} gives"):
        said_of(PENDULUM, "telegin", notation, {old: PLANTED[notation][old]})


@pytest.mark.parametrize(("notation", "style"), [("latex", LatexStyle), ("mathml", MathmlStyle)])
def test_fractions_are_read(monkeypatch: pytest.MonkeyPatch, notation: str, style: type) -> None:
    own: Any = style.product  # type: ignore[attr-defined]
    monkeypatch.setattr(style, "product", lambda self, c, f: own(self, c, [(not d, x) for d, x in f]))
    with pytest.raises(DisagreementError, match=f"the printed {notation} gives"):
        said_of(PENDULUM, "newton_euler", notation)


FORMULAS = (
    "sqrt(x)/(1 + abs(x))", "exp(-x^2)*y", "sin(x)^2/3", "x^(1/2) - y", "atan2(x, y)/2", "1.5e-7*x", "-x^2", "(-x)^3",
    "2*x/(3*y)", "pi*x", "x^(-3)", "log(x)^2", "sign(x)*y", "asin(x/9)*acos(y/9)*atan(x*y)", "tan(x + y)", "exp(x)^2",
    "sin(x)*(-2)", "x^y^2", "cos(sin(x - y)^2)", "x/y/2", "x - (y - 2)", "abs(x - y)^3", "sqrt(x*y)^3",
)  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS)
def test_every_kind_of_formula_is_read(formula: str) -> None:
    made, values = parse_formula(formula), {"x": 0.7, "y": 2.3}
    known = evaluate_float(made, values)
    latex = f"% one\n\\begin{{align*}}\n  f &= {to_latex(made)}\n\\end{{align*}}\n"
    for notation, text in (("latex", latex), ("mathml", f"<math><mi>f</mi><mo>=</mo>{to_mathml(made)}</math>")):
        looks = name_values(values)
        (found,) = _lines(typeset_lines(text, notation, [], looks), looks).values()
        assert found == pytest.approx(known, rel=1e-14)


def test_command_compares_what_it_prints(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("derive", str(FIXTURES / PENDULUM), "--formalism", "lagrange", "--output", "latex")
    assert run(*words).err == ""
    own = LatexStyle.sum
    monkeypatch.setattr(LatexStyle, "sum", lambda self, terms: own(self, [(False, x) for _, x in terms]))
    found = run(*words)
    assert found.code == 1 and "the printed latex gives" in found.err


def test_names_that_would_look_alike_are_told_apart() -> None:
    """Telegin's m_1 = m1 + m2 was printed as m₁ = m₁ + m₂."""
    assert latex_name("m_1") == latex_name("m1") and mathml_name("m_1") == mathml_name("m1")
    _, shown = derive_twice(PENDULUM, "telegin")
    text = equations.render(shown, [], "latex")
    assert r"\mathrm{m\_1} &= m_{1} + m_{2}" in text and r"s_{1,x} &= i_{1} \, \mathrm{m\_1}" in text
    assert "<mi>m_1</mi>" in equations.render(shown, [], "mathml")


def test_names_that_look_alike_are_not_read() -> None:
    whole, shown = derive_twice(PENDULUM, "telegin")
    text = str(equations.render(shown, [], "latex")).replace(r"\mathrm{m\_1}", "m_{1}")
    assert compare_printed(whole, [], shown, text, "latex").message == f"{NOT_COMPARED}: two names look alike, m1"


@pytest.mark.parametrize("name", ["z1", "rho_x1''", "crank_angle'", "Δ_a_b", "omega12", "m_1", "a&b", "%x", "x_1_y"])
def test_names_are_read_as_they_look(name: str) -> None:
    text = rf"% title{chr(10)}\begin{{align*}}{chr(10)}  {latex_name(name)} &= 1{chr(10)}\end{{align*}}{chr(10)}"
    (line,) = typeset_lines(text, "latex", [], {}).split("\n")
    (other,) = typeset_lines(f"<math>{mathml_name(name)}<mo>=</mo><mn>1</mn></math>", "mathml", [], {}).split("\n")
    assert line == other == f"n{appear(name).encode().hex()} = 1"


@pytest.mark.parametrize("notation", ["text", "latex", "mathml", "json", "c", "python"])
def test_quantity_called_like_a_parameter_is_no_disagreement(notation: str) -> None:
    """The length L of the arm stands in r and M: it is not the Lagrangian L, whose line stands before."""
    system, names = formats.read(FIXTURES / "native/geared_arm.mbs.json").system, ["L", "r", "M"]
    whole = derived_asked(registry.formalism("lagrange"), system, names)
    shown = simplify(whole)
    text = equations.render(shown, names, notation)
    found = compare_printed(whole, names, shown, text, notation).message
    if notation in ("text", "latex", "mathml"):
        assert found == f"{NOT_COMPARED}: two names look alike, L"
    else:
        assert "numbers are the interpreter's" in found
