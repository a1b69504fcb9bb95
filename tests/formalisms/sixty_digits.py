"""Numbers in sixty digits: rounding is then no excuse for a difference."""

from __future__ import annotations

from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import evaluate
from mbconcord.model.expressions.arithmetic import mpmath_arithmetic
from mbconcord.model.numbers import define, environment
from mbconcord.validation.judge.states import draw
from mbconcord.validation.strategies.trees import random_system

EXACT = mpmath_arithmetic(60)


def close(found, expected, tolerance=1e-40):
    """Whether two lists of numbers are equal, to so much of the largest one (or of 1)."""
    scale = max([1, *map(abs, expected)])
    return all(abs(a - b) <= tolerance * scale for a, b in zip(found, expected, strict=True))


def numbers(expressions, values, functions=None):
    """Values of expressions, or of nested tuples of them."""
    return evaluate(list(flatten(tuple(expressions))), values, EXACT, functions)


def drawn(seed, bodies=3):
    """A random system, the values of its symbols at a random state, and what evaluates there."""
    found = draw(random_system(seed, bodies), 1, seed)
    (values,) = environment(found.system, found.states, EXACT)

    def at(expressions, more=None):
        return numbers(define(flatten(tuple(expressions)), found.system.functions), {**values, **(more or {})})

    return found.system, values, at
