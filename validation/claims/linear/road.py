"""Equations of another formalism near a state, which check a printed linearization; sizes and worst entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbconcord.records import dataclass
from mbconcord.simulation.linear.equations import FIXED, SlopeEquations
from mbconcord.simulation.linear.reduction import LinearNumbers, solve_by_elimination, units_of

from ...judge.evidence import Comparison
from ...judge.floats import digits
from .exact import APART, Exactly, Referee, exactly, referee

#: Stiffness (1/s²) of what no force acts on: a period of an hour and three quarters.
TRACE: Final = 1e-6


@dataclass(frozen=True)
class Road:
    """A formalism's equations near a state.

    Attributes
    ----------
    made, found : the formalism's equations; their numbers at the state, in many digits
    at : the state
    own : equations of the printed formalism, whose rows the printed multipliers belong to; None if unknown
    resting : True if the state has no accelerations
    scale : units of the coordinates (n,) at an equilibrium
    probed : True if the derivatives are the printed formalism's own, to be checked by this one along directions
    """

    made: SlopeEquations
    found: Referee
    at: Exactly
    own: Referee | None = None
    resting: bool = False
    scale: Any = ()
    probed: bool = False

    @property
    def name(self) -> str:
        """Name of the formalism."""
        return self.made.formalism

    def floats(self, name: str) -> Any:
        """Round M, C, K, B, shapes, rates or rotation to floats."""
        return getattr(self.found.reduced, name).astype(float)

    def differentiate_along(self, shifts: Mapping[str, Any], apart: int = APART) -> list[Any]:
        """Compute central differences of q (n,), q' (n,), forces, D (m, n) along shifts of named numbers.

        The forces are q'' (n,), or, if the state is resting, forces on the admitted motions (p,); for equations
        without rows they are forces minus M times the state's q'' (n,), so that nothing is solved. The largest shift
        is 10^-apart m or rad, whatever the masses are.
        """
        h = referee().arithmetic.number(Fraction(1, 10**apart)) / (max(map(abs, shifts.values()), default=0) or 1)
        ends = [self._there({x: sign * h * d for x, d in shifts.items()}) for sign in (1, -1)]
        return [(x - y) / (2 * h) for x, y in zip(*ends, strict=True)]

    def _there(self, shifts: Mapping[str, Any]) -> tuple[Any, ...]:
        closing, made, names = self.at.closing, self.made, self.made.names
        held = [row.partition(" of ")[2] for row in made.rows if row.startswith(FIXED)]
        positions, rates = ([names[i] for i in places] for places in (self._positions, self._rates))
        fixed = {*positions, *(f"{x}'" for x in rates), *held, *(f"{x}'" for x in held)}
        moved = closing.start | {x: closing.start[x] + d for x, d in shifts.items() if x in closing.start}
        at = exactly(closing, closing.close(moved, fixed))
        values: dict[str, Any] = made.values(at.t, at.q, at.v, [0.0] * len(names), [0.0] * len(made.rows))
        numbers = made.numbers(values | {x: d for x, d in shifts.items() if x not in closing.start}, referee())
        q, v = (np.array(x, dtype=object) for x in (at.q, at.v))
        rows = list(self.found.chosen.rows)
        force = sum_forces(numbers)
        if self.resting:
            force = self._project_forces(numbers.D[rows], force)
        else:
            force = force - numbers.M @ self.accelerations if self.open else _accelerations(rows, numbers, force)
        return q, v, force, numbers.D

    @property
    def open(self) -> bool:
        """Return whether the equations have no constraint rows."""
        return not self.made.rows

    @property
    def accelerations(self) -> Any:
        """Accelerations q'' (n,) at the state."""
        return np.array([self.found.values[f"{x}''"] for x in self.made.names], dtype=object)

    @property
    def _positions(self) -> tuple[int, ...]:
        return self.found.chosen.positions

    @property
    def _rates(self) -> tuple[int, ...]:
        return self.found.chosen.rates

    def _project_forces(self, D: Any, force: Any) -> Any:
        """Project forces (p,) onto the motions that rows (r, n) admit."""
        own, others = list(self._rates), self.found.chosen.others(self._rates)
        if not others:
            return force[own]
        return force[own] - solve_by_elimination(D[:, others], D[:, own]).T @ force[others]


def sum_forces(numbers: LinearNumbers) -> Any:
    """Return gravity + applied - h (n,), from the formalism's own parts."""
    gravity, applied, h = numbers.parts
    return gravity + applied - h


def _accelerations(rows: list[int], numbers: LinearNumbers, force: Any) -> Any:
    """Solve M q'' - Dᵀ λ = force, D q'' = -γ̃ with independent rows; return q'' (n,)."""
    n, D, zero = len(numbers.M), numbers.D[rows], referee().arithmetic.number(Fraction(0))
    whole = np.full((n + len(D), n + len(D)), zero, dtype=object)
    whole[:n, :n], whole[:n, n:], whole[n:, :n] = numbers.M, -D.T, D
    return solve_by_elimination(whole, np.concatenate([force, -numbers.rest[rows]])[:, None])[:n, 0]


def worst(
    a: str, b: str, quantity: str, x: Any, y: Any, weights: Any, size: float, axes: Sequence[Sequence[str]],
    tolerance: float, claim: str = "linear",
) -> Comparison:  # fmt: skip
    """Compare the entry of x and y that differs most, in units of weights, relative to a size or a larger y."""
    gaps = np.abs((x - y).astype(float)) / weights
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(gaps)), gaps.shape))
    largest = max(size, float((np.abs(y.astype(float)) / weights).max()))
    discrepancy = float(gaps[place]) / largest if largest > 0 else 0.0
    agrees = bool(np.isfinite(discrepancy)) and discrepancy <= tolerance
    entry = tuple(axis[i] for axis, i in zip(axes, place, strict=False))
    explanation = "" if agrees else f"{a}: {_digits(x[place])}; {b}: {_digits(y[place])}"
    return Comparison(
        a, b, quantity, "agrees" if agrees else "disagrees", discrepancy, tolerance,
        scale=largest * float(weights[place]), entry=entry, values=(float(x[place]), float(y[place])),
        explanation=explanation, noticeable=tolerance, zero=not (x.any() or y.any()), claim=claim,
    )  # fmt: skip


def _digits(value: Any) -> str:
    return digits(value) if hasattr(value, "context") else repr(float(value))


def sizes(name: str, found: Any, weights: Any, least: float) -> float:
    """Return the size of the entries of M, B, C or K in units of ``weights``: C at least √K, K at least C².

    K is also at least ``least``, the size of the terms in it (:func:`stiffness_of_forces`), and C its root: entries
    may vanish by cancellation.
    """

    def largest(matrix: Any) -> float:
        return float((np.abs(matrix.astype(float)) / weights).max(initial=0.0))

    if name == "B":
        return float((np.abs(found.rates.astype(float)).sum(axis=0)[:, None] / weights).max(initial=0.0))
    if name == "M":
        return largest(found.M)
    if found.K.shape != found.C.shape:
        return max(largest(getattr(found, name)), least if name == "K" else float(least**0.5))
    k, c = max(largest(found.K), least), max(largest(found.C), float(least**0.5))
    return max(k, c * c) if name == "K" else max(c, float(k**0.5))


def forces(found: Referee) -> Any:
    """Sum the absolute values of weights, applied forces, inertia forces and reactions (n,), in N or N m."""
    numbers, names = found.numbers, [x for x in found.values if x.endswith("''")]
    inertia = (numbers.M @ np.array([found.values[x] for x in names], dtype=object)).astype(float)
    return numbers.sizes.astype(float) + np.abs(inertia) + np.abs(inertia - numbers.force.astype(float))


def stiffness_of_forces(found: Referee) -> float:
    """Return the largest force at a state, divided by inertia and 1 rad or 1 m (1/s²); at least ``TRACE``."""
    units = units_of(found.numbers.M.astype(float))
    return max(float((forces(found) * units**2).max(initial=0.0)), TRACE)
