"""A formalism that computes numbers without a graph computes those of its graph."""

from __future__ import annotations

from dataclasses import replace

from ..judge.evidence import Comparison
from ..judge.trial import Trial, has_numbers
from .claim import compare_numbers

SENTENCE = "Numbers that a formalism computes directly are those of the equations it derives."


def claim(made: Trial) -> list[Comparison]:
    """``Formalism.evaluate`` against the evaluated derivation, where the two are different code."""
    found = []
    for formalism in made.formalisms:
        name = formalism.name
        if name not in made.evaluations:
            continue
        if not has_numbers(formalism):
            continue  # its numbers are those of its graph
        direct = made.direct.get(name) or formalism.evaluate(made.system, made.states)
        own = replace(direct, formalism=f"{name}, directly")
        found += compare_numbers(made.evaluations[name], own, made)
    return found
