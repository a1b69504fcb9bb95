"""Equations as matrices of SymPy and as LaTeX, a run as a figure: what notebooks show and people type."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
import sympy

import mbconcord as mb
from mbconcord.model import MbconcordError

ARM = mb.read(text="z(a) i(L) $(m) > z(b) i(L) $(m) g ; L = 0.5, m = 2", format="mbsd")
STATE = {"a": 0.3, "b": -0.4, "a'": 1.2, "b'": -0.7}


@pytest.mark.parametrize("formalism", ["lagrange", "newton_euler", "virtual_work"])
def test_matrices_of_sympy_have_the_numbers_of_evaluate(formalism: str) -> None:
    found = mb.derive(ARM, formalism).to_sympy()
    numbers = mb.evaluate(ARM, STATE, formalism="konoplev")
    for name in ("M", "h", "gravity"):
        values = {s: (STATE | {"L": 0.5, "m": 2.0, "g": 9.81})[s.name] for s in found[name].free_symbols}
        expected = np.asarray(numbers[name])
        assert found[name].shape == (2, 2 if name == "M" else 1)
        assert np.allclose(np.array(found[name].subs(values), float).reshape(expected.shape), expected, rtol=1e-12)


def test_the_mass_matrix_is_a_matrix_that_sympy_computes_with() -> None:
    equations = mb.derive(ARM)
    L, m = (sympy.Symbol(name, real=True) for name in "Lm")
    b = sympy.Symbol("b", real=True)
    assert sympy.simplify(equations.M.det() - m**2 * L**4 * (2 - sympy.cos(b) ** 2)) == 0
    assert equations.to_sympy("T").shape == (1, 1)
    with pytest.raises(MbconcordError, match="did you mean 'M'"):
        equations.to_sympy("mass_matrix")


def test_attributes_of_other_programs_name_those_here() -> None:
    equations, numbers = mb.derive(ARM), mb.evaluate(ARM, witness=False)
    compiled = mb.compile(ARM, witness=False)
    for owner, name, likely in (
        (equations, "mass_matrix", r"did you mean M\?"), (equations, "bias", r"did you mean equations\['h'\]\?"),
        (compiled, "mass_matrix", r"did you mean f\(q, v\)\['M'\], of a call\?"),
        (numbers, "mass_matrix", r"did you mean numbers\['M'\]\?"), (numbers, "M", r"did you mean numbers\['M'\]\?"),
    ):  # fmt: skip
        with pytest.raises(AttributeError, match=likely):
            getattr(owner, name)
    assert not hasattr(compiled, "_repr_png_") and copy(compiled).quantities is compiled.quantities
    assert not hasattr(numbers, "_repr_png_") and copy(numbers).quantities is numbers.quantities


def test_latex_is_shown_for_small_systems_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    small = mb.derive(ARM)
    shown, text = small._repr_latex_(), str(small.render("latex"))
    assert shown is not None and r"\begin{align" in text and not [x for x in shown.splitlines() if x.startswith("%")]
    comments = [x.removeprefix("% ") for x in text.splitlines() if x.startswith("%")]
    assert {"M", "h"} <= set(comments) and all(rf"$\text{{{x}}}$" in shown for x in ("M", "h"))
    assert [x for x in shown.splitlines() if not x.startswith(r"$\text")] == [
        x for x in text.splitlines() if not x.startswith("%")
    ]
    monkeypatch.setattr("mbconcord.api.derive.MOST_NODES", 20)
    assert small._repr_latex_() is None


@pytest.mark.slow
def test_a_run_is_a_figure() -> None:
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    run = mb.simulate(ARM, 0.1, witness=False)
    lines = {line.get_label(): line for axis in run.plot().axes for line in axis.get_lines()}
    assert np.array_equal(lines["a"].get_ydata(), run.q[:, 0])
