"""Reduced matrices in high precision, and the same derivatives by differences."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from mbconcord.model.constraint import Holonomic, Nonholonomic
from mbconcord.model.elastic.rigid import turns_about_several_axes
from mbconcord.model.expressions import ZERO, mpmath_arithmetic
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import Program, program
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field
from mbconcord.simulation.assembly import assemble_at
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.levenberg_marquardt import units_of
from mbconcord.simulation.linear.equations import SlopeEquations
from mbconcord.simulation.linear.reduction import (
    DEPENDENT,
    NOTHING,
    Arrays,
    Basis,
    IndependentCoordinates,
    Kernel,
    LinearNumbers,
    ReducedMatrices,
    Slopes,
    accelerations,
    choice,
    natural_lengths,
    reduce_equations,
    solve_by_elimination,
)
from mbconcord.simulation.motion.formulas import array
from mbconcord.simulation.rows import constraint_rows

from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import LINEAR_DIGITS, LINEAR_SAME, REFEREE_DIGITS, evaluation_tolerance

#: Newton's steps onto the constraints: each gains as many digits as floats have.
STEPS: Final = 6
#: Half the distance of two values whose difference is taken.
APART: Final = 17


@cache
def referee() -> Kernel:
    """Return the arithmetic of many digits: a single one, as numbers of two do not mix."""
    return Kernel(mpmath_arithmetic(REFEREE_DIGITS), solve_by_elimination, object)


class Closing:
    """The constraints of a system near a state, closed in many digits by Newton's method.

    Attributes
    ----------
    t : time
    start : positions and rates of all coordinates, those of cut joints among them; on the constraints
    gap : largest gap that remains at the nearest state, in units of coordinates; rounding if the rows are consistent
    series : True if rotations of elastic sections are computed by series, to the precision of floats only
    names : names of the system's own coordinates
    """

    def __init__(self, system: System, state: State) -> None:
        arithmetic, rows = referee().arithmetic, constraint_rows(system)
        at = RowsAtStates(rows, system, [state])
        (extended,) = assemble_at(at, [state], held=True).extended
        self.names, self._coordinates = system.coordinate_names, rows.coordinates
        self._values = dict(Instance(system, [state], arithmetic).environments[0])
        self.t = self._values["t"]
        exact = {name: arithmetic.convert(x) for name, x in extended.q.items()}
        exact |= {f"{name}'": arithmetic.convert(x) for name, x in extended.v.items()}
        self._groups: tuple[tuple[Program, Any, Any, str], ...] = ()
        if rows.rows:
            units = units_of(at, np.array([[extended.q[name] for name in rows.coordinates]]))[0]
            own = {c.name for c in system.constraints if isinstance(c, Holonomic | Nonholonomic)}
            D = array([x for row in rows.rows for x in row.D], (len(rows.rows), len(units)))
            terms = [made_of(x) if row.constraint in own else ZERO for row in rows.rows for x in row.D]
            self._rows = Arrays([D, array([row.rest for row in rows.rows], (len(rows.rows),)), array(terms, D.shape)])
            speeds, _, sums = (x.astype(float) for x in self._rows.evaluate(self._values | exact, referee()))
            self._lengths = natural_lengths(speeds, sums)
            speeds = speeds / self._lengths[:, None]
            positions = speeds * [[row.position is not ZERO] for row in rows.rows]
            self._groups = (
                (program([row.position for row in rows.rows]), positions, units, ""),
                (program([row.speed for row in rows.rows]), speeds, units, "'"),
            )
        self.start, self.gap, self.series = self.close(exact), 0.0, turns_about_several_axes(system)
        for formulas, *_ in self._groups:
            gaps = run(formulas, self._values | self.start, arithmetic)
            self.gap = max(self.gap, *(abs(float(gap)) / x for gap, x in zip(gaps, self._lengths, strict=True)))

    def opening(self, accelerations: Any) -> Any:
        """Return D q'' + γ̃ (m,) of these rows at the start; empty if cut joints have coordinates of their own."""
        if not self._groups or len(self._coordinates) > len(self.names):
            return np.zeros(0)
        D, rest, _ = self._rows.evaluate(self._values | self.start, referee())
        return (D @ accelerations + rest) / self._lengths

    def close(self, exact: dict[str, Any], fixed: Collection[str] = ()) -> dict[str, Any]:
        """Return numbers changed so that they satisfy the rows; those in ``fixed`` (``q1``, ``q1'``) stay unchanged."""
        exact, arithmetic = dict(exact), referee().arithmetic
        for rows, D, units, dot in self._groups:
            moving = [i for i, name in enumerate(self._coordinates) if f"{name}{dot}" not in fixed]
            J = D[:, moving] * units[moving]
            lengths = np.linalg.norm(J, axis=1)[:, None]
            lengths[lengths <= NOTHING * lengths.max(initial=0.0)] = np.inf
            step = units[moving][:, None] * np.linalg.pinv(J / lengths, rcond=DEPENDENT) / lengths.T / self._lengths
            for _ in range(STEPS):
                gaps = run(rows, self._values | exact, arithmetic)
                for i, line in zip(moving, step, strict=True):
                    parts = (arithmetic.convert(x) * gap for x, gap in zip(line, gaps, strict=True) if x)
                    exact[f"{self._coordinates[i]}{dot}"] -= sum(parts, 0)
        return exact


@dataclass(frozen=True)
class Exactly:
    """A state on the constraints in many digits: positions and rates (n,)."""

    t: Any
    q: list[Any]
    v: list[Any]
    closing: Closing = field(repr=False)

    @property
    def same(self) -> float:
        """Return the relative tolerance for equal equations: that of floats if rows contradict or series are used."""
        closing = self.closing
        exact = closing.gap <= LINEAR_SAME * LINEAR_DIGITS and not closing.series
        return LINEAR_SAME if exact else LINEAR_DIGITS


def on_constraints(system: System, state: State) -> Exactly:
    """Find the state on the constraints nearest to floats that satisfy them up to rounding."""
    closing = Closing(system, state)
    return exactly(closing, closing.start)


def exactly(closing: Closing, numbers: dict[str, Any]) -> Exactly:
    """Return the state that has these positions and rates, given by name."""
    names = closing.names
    return Exactly(closing.t, [numbers[n] for n in names], [numbers[f"{n}'"] for n in names], closing)


@dataclass(frozen=True)
class Referee:
    """One formalism's equations at a state, in many digits.

    Attributes
    ----------
    values : values of all symbols, including accelerations and multipliers
    multipliers (m,)
    numbers : M, force, D, γ̃
    slopes, reduced : derivatives by the graph; the equations on the constraints
    chosen : the independent coordinates and rates, with this formalism's rows
    """

    values: dict[str, Any]
    multipliers: Any
    numbers: LinearNumbers
    slopes: Slopes
    reduced: ReducedMatrices
    chosen: IndependentCoordinates


def refereed(
    made: SlopeEquations, at: Exactly, chosen: IndependentCoordinates, floats: Any, units: Any, resting: bool = False,
    judged: Referee | None = None,
) -> Referee:  # fmt: skip
    """Reduce the equations of a formalism to the same independent coordinates.

    Parameters
    ----------
    made, at
    chosen : the independent coordinates
    floats : the formalism's D (m, n) in floats, from which its independent rows are chosen
    units (n,) : units of the coordinates
    resting : True if nothing accelerates, as at an equilibrium of coordinates that may have no inertia
    judged : other equations, whose derivatives and reduced matrices are checked along directions; None: its own
    """
    kernel, n, m = referee(), len(made.names), len(made.rows)
    own = choice(floats, made.holonomic, units, chosen.positions, chosen.rates)
    values: dict[str, Any] = made.values(at.t, at.q, at.v, [0.0] * n, [0.0] * m)
    numbers = made.numbers(values, kernel)
    basis = Basis(numbers.D, own, kernel.solve)
    if resting:
        a, multipliers = numbers.force * 0, basis.multipliers(-numbers.force)
    else:
        a, multipliers = accelerations(numbers, basis, kernel.solve)
    values = made.values(at.t, at.q, at.v, list(a), list(multipliers))
    if judged is not None:
        return Referee(values, multipliers, numbers, judged.slopes, judged.reduced, own)
    slopes = made.slopes(values, kernel)
    return Referee(values, multipliers, numbers, slopes, reduce_equations(numbers.M, slopes, basis), own)


# C and D of a linearised system by the kinematics of two formalisms.


def compare_outputs(
    a: str, b: str, quantity: str, x: Array, y: Array, sizes: Array, state: State, rows: Sequence[str],
    columns: Sequence[str],
) -> Comparison:  # fmt: skip
    """Compare two matrices; ``sizes`` are sums of the entries' absolute terms, and each row has one scale."""
    scale = np.broadcast_to(np.maximum(sizes.max(axis=1, keepdims=True), 0.0), x.shape)
    gap, allowed = np.abs(x - y), evaluation_tolerance()
    with np.errstate(all="ignore"):
        part = np.where(gap == 0, 0.0, np.where(scale > 0, gap / scale, np.inf))
    part = np.where(np.isfinite(x) & np.isfinite(y), part, np.inf)
    i, j = (int(k) for k in np.unravel_index(int(np.argmax(part)), part.shape))
    return Comparison(
        a, b, quantity, "agrees" if part[i, j] <= allowed else "disagrees", discrepancy=float(part[i, j]),
        tolerance=allowed, scale=float(scale[i, j]), state=state, entry=(rows[i], columns[j]),
        values=(float(x[i, j]), float(y[i, j])), zero=not (x.any() or y.any()),
    )  # fmt: skip
