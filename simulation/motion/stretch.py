"""The equations of a run between two switches, and the rows of its table."""

from __future__ import annotations

from typing import Final

import numpy as np

from mbconcord.model.system import System

from ..keeping import Placed
from .algebra import FINE_RANK
from .arrays import Array, generated
from .equations import Equations
from .formulas import Formulas, array
from .projection import Projected, Projection
from .step import Problem
from .trajectory import Row

#: Gaps of position and of rates that a row of the table may have, and how far a fine projection may move it.
CLOSED: Final = 1e-12
RATE_CLOSED: Final = 1e-10
NEAR: Final = 1e-10


class Stretch:
    """Generated code of equations, projection and energies.

    Attributes
    ----------
    problem : what is integrated
    """

    def __init__(
        self, system: System, formulas: Formulas, start: Placed, moving: bool, balanced: bool
    ) -> None:
        equations = Equations(system, formulas, balanced)
        projection = Projection(formulas, equations, start.auxiliary, start.reach, start.units)
        self.problem = Problem(equations, projection, moving, balanced)
        energies = formulas.energies
        self._scalars = self._momenta = None
        if energies is not None:
            scalars = array((energies.kinetic, energies.potential, energies.hamiltonian), (3,))
            self._scalars = generated([scalars], equations.inputs)
            self._momenta = generated([energies.momenta], equations.inputs)

    def follow(self, before: Stretch, threshold: float) -> None:
        """Go on where another stretch ends, and tell rows apart by a threshold."""
        problem, equations = self.problem, self.problem.equations
        problem.projection.p = before.problem.projection.p
        equations.augmented = before.problem.equations.augmented
        equations.threshold = problem.projection.threshold = threshold

    def energies(self, t: float, y: Array) -> Array:
        """T, Π and H at (q, q', …) (3,); NaN where no formalism has them."""
        if self._scalars is None:
            return np.full(3, np.nan)
        return np.asarray(self._scalars([t, *y[: 2 * self.problem.n].tolist()])[0])

    def hamiltonian(self, t: float, y: Array) -> float:
        """H; see :class:`.formulas.Energies`."""
        return float(self.energies(t, y)[2])

    def momenta(self, t: float, q: Array) -> Array:
        """∂T/∂q' of prescribed motions alone (n,); zero where no formalism has T."""
        if self._momenta is None:
            return np.zeros(len(q))
        return np.asarray(self._momenta([t, *q.tolist(), *[0.0] * len(q)])[0])

    def row(self, t: float, y: Array, reference: float, event: str = "") -> Row:
        """A row of the table, on the constraints; ``reference``: H where no work was done."""
        problem, equations = self.problem, self.problem.equations
        found, deficient = self._closed(t, y), equations.deficient
        q, v = found.q, found.v
        at = equations.at(t, q, v)
        multipliers = equations.multipliers(t, q, v)
        equations.deficient = deficient
        kinetic, potential, H = self.energies(t, np.concatenate([q, v])).tolist()
        work = float(y[-1]) if problem.balanced else 0.0
        power = problem.power(at.applied, at.reactions, at.explicit, v) if problem.balanced else 0.0
        balance = H - reference - work
        return Row(
            t,
            q,
            v,
            at.a,
            multipliers,
            kinetic,
            potential,
            work,
            power,
            balance,
            found.gap,
            found.rate_gap,
            event,
        )

    def _closed(self, t: float, y: Array) -> Projected:
        """A state on the constraints, by rows of D that were judged to die there too, where that moves it little."""
        projection, n = self.problem.projection, self.problem.n
        auxiliary, threshold = projection.p, projection.threshold
        found = projection(t, y[:n], y[n : 2 * n])
        if found.gap > CLOSED or found.rate_gap > RATE_CLOSED:
            projection.threshold = FINE_RANK
            fine = projection(t, found.q, found.v)
            projection.threshold = threshold
            if fine.moved < NEAR:
                found = fine
        projection.p = auxiliary
        return found
