"""The equations of a run between two switches, and the rows of its table."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Final

import numpy as np

from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ..keeping import Placed
from .arrays import FINE_RANK, RANK, Array, generate_arrays
from .equations import Accelerations, MotionEquations
from .formulas import MotionFormulas, array
from .projection import Projected, Projection
from .trajectory import TrajectoryRow

if TYPE_CHECKING:
    from .impacts import RigidContacts

# What integrators have in common: the problem they are given, the steps they make, and why they stop.


UNDERFLOW: Final = "the step has become shorter than the distance of two floats"
#: So many steps of SUNDIALS in a row may end where they begin, as one does after an interpolation: it never stops.
STILL: Final = 10
#: Whether anything between two states (t, y) is asked for.
Needed = Callable[[float, Array, float, Array], bool]


@dataclass(frozen=True)
class IntegrationStep:
    """A completed step.

    Attributes
    ----------
    start, end : times (s)
    y : (q, q', work) at its end
    between : function from a time within the step to y there, not yet on the constraints; None unless requested
    back : if not None, the run returns to this time, later reports do not count, and from there on rows are selected by
        FINE_RANK
    stiff : True if stability, not accuracy, limited the step
    """

    start: float
    end: float
    y: Array
    between: Callable[[float], Array] | None = None
    back: float | None = None
    stiff: bool = False


@dataclass(frozen=True)
class ContactEvent:
    """A rigid contact closes or opens, sticks or slips: time, state, and place of the value that became zero."""

    t: float
    y: Array
    place: int


class StoppedError(ArithmeticError):
    """Failure of the integrator: the reason, and the time and state (t, y) from which no step was possible."""

    def __init__(self, message: str, t: float, y: Array) -> None:
        super().__init__(message)
        self.t, self.y = t, y


@dataclass(frozen=True)
class IntegrationProblem:
    """Equations and constraints for an integrator: y = (q, q'), followed by the work of forces if ``balanced``.

    Attributes
    ----------
    equations, projection : the accelerations, and the projection onto the constraints
    moving : True if constraints move in time, or drives impose accelerations, so that reactions have power
    balanced : True if the work is integrated as one more unknown
    threshold : relative size of a pivot below which a row is judged to depend on others
    contacts : rigid contacts, ropes and stops; None if the system has none
    """

    equations: MotionEquations
    projection: Projection
    moving: bool
    balanced: bool
    threshold: float = RANK
    contacts: RigidContacts | None = None

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.equations.names)

    def accelerations_at(self, t: float, y: Array) -> Accelerations:
        """Return the accelerations at a state (q, q', …)."""
        found = self.equations.evaluate([t, *y[: 2 * self.n].tolist()], self.threshold)
        return found if self.contacts is None else self.contacts.press(self, found, t, y)[0]

    def rate(self, t: float, y: Array) -> Array:
        """Compute y' = (q', q'', power)."""
        return self.rate_of(self.accelerations_at(t, y), y)

    def rate_of(self, found: Accelerations, y: Array) -> Array:
        """Return y' = (q', q'', power) of the accelerations at a state."""
        n = self.n
        v = y[n : 2 * n]
        if not self.balanced:
            return np.concatenate([v, found.a])
        return np.concatenate([v, found.a, [self.power(found.applied, found.reactions, found.explicit, v)]])

    def power(self, applied: Array, reactions: Array, explicit: float, v: Array) -> float:
        """Compute Q·q' - ∂L/∂t, of applied forces and of the reactions of moving constraints (W)."""
        forces = applied + reactions if self.moving else applied
        return float(forces @ v) - explicit

    def project(self, t: float, y: Array) -> Projected:
        """Return the nearest state on the constraints, and how well it closes them."""
        n = self.n
        found = self.projection(t, y[:n], y[n : 2 * n], self.threshold)
        return found if self.contacts is None else self.contacts.project(self, t, found)

    def project_state(self, t: float, y: Array) -> Array:
        """Project y onto the constraints."""
        found = self.project(t, y)
        return np.concatenate([found.q, found.v, y[2 * self.n :]])


#: Gaps of position and of rates that a row of the table may have, and how far a fine projection may move it.
CLOSED: Final = 1e-12
RATE_CLOSED: Final = 1e-10
NEAR: Final = 1e-10


class Stretch:
    """Generated code of equations, projection and energies.

    Attributes
    ----------
    problem : the equations and constraints that are integrated
    """

    def __init__(
        self, system: System, formulas: MotionFormulas, start: Placed, moving: bool, balanced: bool,
        contacts: RigidContacts | None = None,
    ) -> None:  # fmt: skip
        equations = MotionEquations(system, formulas, balanced)
        projection = Projection(formulas, equations, start.auxiliary, start.reach, start.units)
        self.problem = IntegrationProblem(equations, projection, moving, balanced, contacts=contacts)
        energies = formulas.energies
        self._scalars = self._momenta = None
        if energies is not None:
            scalars = array((energies.kinetic, energies.potential, energies.hamiltonian), (3,))
            self._scalars = generate_arrays([scalars], equations.inputs)
            self._momenta = generate_arrays([energies.momenta], equations.inputs)

    def judging(self, threshold: float) -> Stretch:
        """Return the same stretch, with dependent rows selected by a threshold."""
        found = copy(self)
        found.problem = replace(self.problem, threshold=threshold)
        return found

    def follow(self, before: Stretch) -> None:
        """Take over auxiliary coordinates, and whether M is augmented, from the stretch before."""
        self.problem.projection.p = before.problem.projection.p
        self.problem.equations.augmented = before.problem.equations.augmented
        if self.problem.contacts is not None and before.problem.contacts is not None:
            self.problem.contacts.follow(before.problem.contacts)

    def energies(self, t: float, y: Array) -> Array:
        """Compute T, Π and H at (q, q', …) (3,); NaN if no formalism has them."""
        if self._scalars is None:
            return np.full(3, np.nan)
        return np.asarray(self._scalars([t, *y[: 2 * self.problem.n].tolist()])[0])

    def hamiltonian(self, t: float, y: Array) -> float:
        """Compute H; see :class:`.formulas.Energies`."""
        return float(self.energies(t, y)[2])

    def momenta(self, t: float, q: Array) -> Array:
        """Compute ∂T/∂q' of prescribed motions alone (n,); zero if no formalism has T."""
        if self._momenta is None:
            return np.zeros(len(q))
        return np.asarray(self._momenta([t, *q.tolist(), *[0.0] * len(q)])[0])

    def row(self, t: float, y: Array, reference: float, event: str = "") -> TrajectoryRow:
        """Compute a row of the table, on the constraints; ``reference`` is H before any work was done."""
        problem, equations = self.problem, self.problem.equations
        found = self._close(t, y)
        q, v = found.q, found.v
        at, reactions, loads = equations.evaluate_at(t, q, v, problem.threshold), None, tuple[float, ...]()
        if (contacts := problem.contacts) is not None:
            at, forces, free = contacts.press(problem, at, t, np.concatenate([q, v]))
            reactions, loads = at.reactions, tuple(np.where(free, np.nan, forces)[:, 0].tolist())
        multipliers = equations.multipliers(t, q, v, problem.threshold, None, reactions)
        kinetic, potential, H = self.energies(t, np.concatenate([q, v])).tolist()
        work = float(y[-1]) if problem.balanced else 0.0
        power = problem.power(at.applied, at.reactions, at.explicit, v) if problem.balanced else 0.0
        balance = H - reference - work
        press = equations.normal_forces
        pressing = tuple(press([t, *q.tolist(), *v.tolist()]).tolist()) if press else ()
        return TrajectoryRow(
            t, q, v, at.a, multipliers, kinetic, potential, work, power, balance, found.gap, found.rate_gap, event,
            pressing, loads, contacts.lost if contacts else 0.0,
        )  # fmt: skip

    def _close(self, t: float, y: Array) -> Projected:
        """Project a state onto the constraints, also by rows of D judged to vanish there, if that moves it little."""
        projection = self.problem.projection
        auxiliary, found = projection.p, self.problem.project(t, y)
        if found.gap > CLOSED or found.rate_gap > RATE_CLOSED:
            fine = projection(t, found.q, found.v, FINE_RANK)
            if fine.moved < NEAR:
                found = fine
        projection.p = auxiliary
        return found
