"""Closed forms of the short lines: every formalism derives them, equal as functions and not at states only."""

from __future__ import annotations

import pytest
import sympy

from mbconcord.formalisms import registry
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import evaluate, symbols
from mbconcord.model.expressions.arithmetic import sympy_arithmetic

from .golden import formulas, held, system
from .table import FILES


@pytest.mark.parametrize("formalism", registry.names())
@pytest.mark.parametrize(("file", "golden"), held(FILES).items(), ids=lambda x: x if isinstance(x, str) else "")
def test_the_derivation_is_the_closed_form(file, golden, formalism):
    found = registry.formalism(formalism).derive(system(file, golden)).quantities
    expected = formulas(golden)
    assert "gravity" in found
    for quantity in expected.keys() & found.keys():
        for ours, theirs in zip(flatten(found[quantity]), expected[quantity], strict=True):
            names = {name: sympy.Symbol(name) for name in symbols([ours, theirs])}
            a, b = evaluate([ours, theirs], names, sympy_arithmetic())
            gap = sympy.expand(sympy.expand_trig(a - b))
            assert gap == 0 or sympy.simplify(gap) == 0, quantity
    assert not any(flatten(found.get("applied", ())))
