"""Derivatives of one formalism's own graph, times a direction, against central differences in 50 digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, Final

from mbconcord.model.derivatives import inverse_dynamics
from mbconcord.model.derivatives.dynamics import PARTS
from mbconcord.model.derivatives.quantities import OF_INVERSE
from mbconcord.model.expressions import Arithmetic, mpmath_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.nested import flatten
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.instance import Instance

from ...judge.evidence import Comparison, Verdict
from ...judge.referee import solution
from ...judge.tolerances import LINEAR_SAME, REFEREE_DIGITS
from ...judge.trial import Trial
from ..claim import not_checked
from .by_graph import Graph

#: The other side of differences, and half the distance of the values that are taken.
DIFFERENCES, APART = "differences", Fraction(1, 10**17)
#: What is smaller than this part of the forces is the rounding of their difference: a derivative that is zero.
LOST: Final = 1e-6
#: Differences of two distances that are not the same to this part are of no derivative.
STEADY: Final = 1e-9


class Differences:
    """One formalism's equations at a state, in the referee's digits, and derivatives of them that a graph computes."""

    def __init__(self, made: Trial, name: str, graph: Graph, state: int) -> None:
        self._made, self._name, self._graph, self._state = made, name, graph, made.states[state]
        self._arithmetic: Arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
        self._values = dict(Instance(made.system, [self._state], self._arithmetic).environments[0])
        functions, derivation = made.system.functions, graph.derivation
        self._tau = program(define(inverse_dynamics(derivation), functions))
        parts = [x for part in PARTS for x in flatten(derivation.quantities[part])]
        self._equations = program(define(parts, functions))
        numbers = run(graph.program, self._values, self._arithmetic)
        self._forces = run(self._equations, self._values, self._arithmetic)[len(made.names) ** 2 :]
        self._numbers = {q: numbers[place] for q, place in graph.places.items()}

    def compared(self, quantities: Sequence[str]) -> Iterator[Comparison]:
        """The row of every quantity, times a random direction, that differs most from its difference."""
        random = Random(0)
        for quantity in quantities:
            u = [self._arithmetic.convert(random.uniform(-1, 1)) for _ in self._made.names]
            yield self._judged(quantity, u)

    def _along(self, quantity: str, u: Sequence[Any]) -> list[Any]:
        """The matrix of the graph times a direction."""
        n, flat = len(u), self._numbers[quantity]
        return [
            sum((x * y for x, y in zip(flat[i * n : (i + 1) * n], u, strict=True)), 0 * u[0])
            for i in range(n)
        ]

    def _difference(self, quantity: str, u: Sequence[Any], half: Fraction) -> tuple[list[Any], Any]:
        """The derivative in a direction by central differences, and how large what is subtracted is."""
        if quantity == "da_dtau":  # forward dynamics is linear in τ
            return self._solved(self._values, u), 0
        dot = "'" if quantity.endswith("_dv") else ""
        function = self._inverse if quantity in OF_INVERSE else self._solved
        h = self._arithmetic.number(half)
        ends = []
        for sign in (1, -1):
            moved = {
                f"{name}{dot}": self._values[f"{name}{dot}"] + sign * h * x
                for name, x in zip(self._made.names, u, strict=True)
            }
            ends.append(function(self._values | moved))
        found = [(x - y) / (2 * h) for x, y in zip(*ends, strict=True)]
        return found, max(map(abs, (*ends[0], *self._forces)))

    def _inverse(self, values: Mapping[str, Any]) -> list[Any]:
        return list(run(self._tau, values, self._arithmetic))

    def _solved(self, values: Mapping[str, Any], right: Sequence[Any] | None = None) -> list[Any]:
        """M⁻¹ of the forces, or of another right side."""
        n = len(self._made.names)
        numbers = run(self._equations, values, self._arithmetic)
        M, (h, gravity, applied) = (
            numbers[: n * n],
            (numbers[n * (n + k) : n * (n + k + 1)] for k in range(3)),
        )
        if right is None:
            right = [g + f - x for g, f, x in zip(gravity, applied, h, strict=True)]
        context = right[0].context
        matrix = context.matrix([M[i * n : (i + 1) * n] for i in range(n)])
        return list(solution(matrix, context.matrix(list(right))))

    def _judged(self, quantity: str, u: Sequence[Any]) -> Comparison:
        ours = self._along(quantity, u)
        theirs, made_of = self._difference(quantity, u, APART)
        gaps = [abs(x - y) for x, y in zip(ours, theirs, strict=True)]
        i = max(range(len(gaps)), key=lambda k: gaps[k])
        size = max(map(abs, (*ours, *theirs, made_of * LOST)))
        part = float(gaps[i] / size) if size else 0.0
        verdict: Verdict = "agrees" if part <= LINEAR_SAME else "disagrees"
        if verdict == "disagrees" and quantity != "da_dtau":
            closer, _ = self._difference(quantity, u, APART / 16)
            if abs(closer[i] - theirs[i]) > STEADY * size:
                return not_checked(self._name, quantity, "the forces have no derivative at the state")
        row = self._made.names[i]
        told = f"along a random direction, row {row}: {part:.1e} of the size in {REFEREE_DIGITS} digits"
        return Comparison(
            self._name, DIFFERENCES, quantity, verdict, part, LINEAR_SAME, float(size), state=self._state,
            entry=(row,), values=(float(ours[i]), float(theirs[i])),
            explanation="" if verdict == "agrees" else told,
        )  # fmt: skip
