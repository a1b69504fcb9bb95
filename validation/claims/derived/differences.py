"""Derivatives of one formalism's own graph, times a direction, compared with central differences in 50 digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any, Final

from mbconcord.model.derivatives import inverse_dynamics
from mbconcord.model.derivatives.dynamics import PARTS
from mbconcord.model.derivatives.regressor import OF_INVERSE
from mbconcord.model.expressions import Arithmetic, ExpressionError, mpmath_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import program
from mbconcord.model.expressions.traversal import flatten
from mbconcord.model.functions import define
from mbconcord.model.numbers import Instance

from ...judge.evidence import Comparison, Verdict
from ...judge.referee import solution
from ...judge.tolerances import LINEAR_SAME, REFEREE_DIGITS
from ...judge.trial import Trial
from ..claim import not_checked
from .by_graph import GraphMatrices

#: The other side of differences.
DIFFERENCES: Final = "differences"
#: Half the distances of the values that are taken, the second where the first finds something else: of equations that
#: change within 1e-5 the first leaves more out than :data:`LINEAR_SAME`, the second of those that do within 1e-11.
APART: Final = (Fraction(1, 10**17), Fraction(1, 10**23))
#: What is smaller than this part of the forces is the rounding of their difference: a derivative that is zero.
LOST: Final = 1e-6
#: Differences to the two sides that are not the same to this part are of no derivative.
STEADY: Final = 1e-9
#: Said of them.
NONE: Final = "the forces have no derivative at the state, or change within 1e-11 of it"


#: Vectors (n) of 50 digits that are added to one.
Parts = Sequence[Sequence[Any]]


class Differences:
    """One formalism's equations at a state, in high precision, and differences of what follows from them."""

    def __init__(self, made: Trial, name: str, state: int) -> None:
        self._made, self._name, self._state = made, name, made.states[state]
        self._arithmetic: Arithmetic = mpmath_arithmetic(REFEREE_DIGITS)
        self._values = dict(Instance(made.system, [self._state], self._arithmetic).environments[0])
        functions, derivation = made.system.functions, made.derivations[name]
        self._tau = program(define(inverse_dynamics(derivation), functions))
        parts = [x for part in PARTS for x in flatten(derivation.quantities[part])]
        self._equations = program(define(parts, functions))

    def compare(self, graph: GraphMatrices, quantities: Sequence[str]) -> Iterator[Comparison]:
        """Yield for each quantity of a graph, times a random direction, the row farthest from its finite difference.

        Raises
        ------
        ExpressionError, ArithmeticError
            The graph has no value at the state.
        """
        numbers = run(graph.program, self._values, self._arithmetic)
        self._numbers = {q: numbers[place] for q, place in graph.places.items()}
        random = Random(0)
        for quantity in quantities:
            u = [self._arithmetic.convert(random.uniform(-1, 1)) for _ in self._made.names]
            try:
                yield self._judge(quantity, u)
            except (ExpressionError, ArithmeticError) as problem:  # forces end at the state
                yield not_checked(
                    self._name, quantity, f"no value beside the state in {REFEREE_DIGITS} digits: {problem}"
                )

    def _multiply(self, quantity: str, u: Sequence[Any]) -> list[Any]:
        """Multiply the matrix of the graph by a direction."""
        n, flat = len(u), self._numbers[quantity]
        return [sum((x * y for x, y in zip(flat[i * n : (i + 1) * n], u, strict=True)), 0 * u[0]) for i in range(n)]

    def _beside(self, quantity: str, u: Sequence[Any], half: Fraction) -> tuple[list[Any], list[Any]]:
        """Evaluate the function on both sides of the state in a direction."""
        dot = "'" if quantity.endswith("_dv") else ""
        function = self._inverse if quantity in OF_INVERSE else self._solve
        h = self._arithmetic.number(half)
        behind, before = (
            function(
                self._values
                | {
                    f"{name}{dot}": self._values[f"{name}{dot}"] + sign * h * x
                    for name, x in zip(self._made.names, u, strict=True)
                }
            )
            for sign in (-1, 1)
        )
        return before, behind

    @cached_property
    def _here(self) -> tuple[list[Any], Parts]:
        """M, row by row, at the state; and h, gravity and applied forces."""
        return self._parts(self._values)

    @cached_property
    def _forces(self) -> Parts:
        """Return inverse dynamics at the state; and h, gravity and applied forces."""
        return self._inverse(self._values), *self._here[1]

    @cached_property
    def _solutions(self) -> Parts:
        """Return forward dynamics at the state; and accelerations due to h, gravity and applied forces, each alone."""
        return self._solve(self._values), *(self._solve(self._values, x) for x in self._here[1])

    def _inverse(self, values: Mapping[str, Any]) -> list[Any]:
        return list(run(self._tau, values, self._arithmetic))

    def _parts(self, values: Mapping[str, Any]) -> tuple[list[Any], Parts]:
        """Return M, row by row; and h, gravity and applied forces."""
        n = len(self._made.names)
        numbers = run(self._equations, values, self._arithmetic)
        return numbers[: n * n], [numbers[n * (n + k) : n * (n + k + 1)] for k in range(3)]

    def _solve(self, values: Mapping[str, Any], right: Sequence[Any] | None = None) -> list[Any]:
        """Return M⁻¹ times the forces, or times another right side."""
        n = len(self._made.names)
        M, (h, gravity, applied) = self._here if values is self._values else self._parts(values)
        if right is None:
            right = [g + f - x for g, f, x in zip(gravity, applied, h, strict=True)]
        context = right[0].context
        matrix = context.matrix([M[i * n : (i + 1) * n] for i in range(n)])
        return list(solution(matrix, context.matrix(list(right))))

    def _judge(self, quantity: str, u: Sequence[Any]) -> Comparison:
        ours = self._multiply(quantity, u)
        if quantity == "da_dtau":  # forward dynamics is linear in τ
            return self._compare_rows(quantity, ours, self._solve(self._values, u), 0)
        here, *parts = self._forces if quantity in OF_INVERSE else self._solutions
        made_of = max(abs(x) for part in (here, *parts) for x in part) * LOST
        last: list[Any] = []
        for half in APART:
            h = self._arithmetic.number(half)
            before, behind = self._beside(quantity, u, half)
            theirs = [(x - y) / (2 * h) for x, y in zip(before, behind, strict=True)]
            found = self._compare_rows(quantity, ours, theirs, made_of)
            if found.verdict == "agrees":
                return found
            moved = _farthest(theirs, last or theirs)
            bent = _farthest(before, [2 * x - y for x, y in zip(here, behind, strict=True)]) / h
            last = theirs
        size = max(map(abs, (*ours, *last, made_of)))
        if bent > STEADY * size or _farthest(ours, last) <= 2 * moved:
            return not_checked(self._name, quantity, NONE)
        return found

    def _compare_rows(self, quantity: str, ours: Sequence[Any], theirs: Sequence[Any], made_of: Any) -> Comparison:
        """Compare the row that differs most, relative to the largest row or to the terms subtracted in differences."""
        gaps = [abs(x - y) for x, y in zip(ours, theirs, strict=True)]
        i = max(range(len(gaps)), key=lambda k: gaps[k])
        size = max(map(abs, (*ours, *theirs, made_of)))
        part = float(gaps[i] / size) if size else 0.0
        verdict: Verdict = "agrees" if part <= LINEAR_SAME else "disagrees"
        row = self._made.names[i]
        told = f"along a random direction, row {row}: {part:.1e} of the size in {REFEREE_DIGITS} digits"
        return Comparison(
            self._name, DIFFERENCES, quantity, verdict, part, LINEAR_SAME, float(size), state=self._state,
            entry=(row,), values=(float(ours[i]), float(theirs[i])),
            explanation="" if verdict == "agrees" else told,
        )  # fmt: skip


def _farthest(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return max(abs(x - y) for x, y in zip(a, b, strict=True))
