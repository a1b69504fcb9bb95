"""The motion of a system linearised at a state: reduced matrices, state space, modes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.limits import listed
from mbconcord.model.mixed import coordinates_without_inertia
from mbconcord.model.state import State
from mbconcord.model.system import System

from ..keeping import placed
from ..motion.arrays import Array
from ..multipliers import left_open
from ..shifts import moved
from .equations import Equations, equations
from .inputs import Input
from .modes import Mode, modes
from .reduction import Basis, Choice, Numbers, Reduced, Slopes, accelerations, choice, reduced
from .smooth import require_smooth

#: Forces that are not balanced below this part of what they are made of leave a state in equilibrium.
BALANCED: Final = 1e-9


@dataclass(frozen=True)
class Linearised:
    """A system with n coordinates near a state, in d independent positions and p independent rates.

        z' = w , M w' + C w + K z = B u         (without rows that restrict rates alone; then p = d)
        x' = A x + B_x u ,   x = (z, w)

    Attributes
    ----------
    system : its name
    formalism : by whose equations
    state : positions, rates and time; on the constraints
    coordinates : names of all
    positions, rates : names of the independent ones
    inputs : columns of B
    M (p, p), C (p, p), K (p, d), B (p, k) : in kg, kg m, kg m²; by seconds
    geometric (p, d) : the part of K that the reactions make, -Nᵀ ∂(Dᵀ λ)/∂q N
    shapes (n, d) : δq = shapes · z
    A (d + p, d + p), inputs_to_state (d + p, k)
    modes : all, the slowest first
    acceleration (n,), multipliers (m,), rows : of the state itself; NaN where the rows leave λ open
    unbalanced : |q''| of the state in its equations, as a part of the forces; zero in equilibrium
    choice : what is independent
    diagnostics : what was remarked
    """

    system: str
    formalism: str
    state: State
    coordinates: tuple[str, ...]
    positions: tuple[str, ...]
    rates: tuple[str, ...]
    inputs: tuple[Input, ...]
    M: Array
    C: Array
    K: Array
    B: Array
    geometric: Array
    shapes: Array
    A: Array
    inputs_to_state: Array
    modes: tuple[Mode, ...]
    acceleration: Array
    multipliers: Array
    rows: tuple[str, ...]
    unbalanced: float
    choice: Choice = field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def holonomic(self) -> bool:
        """Whether no row restricts rates alone: w = z', and K is square."""
        return self.positions == self.rates

    @property
    def damping(self) -> Array:
        """The symmetric part of C."""
        return (self.C + self.C.T) / 2

    @property
    def gyroscopic(self) -> Array:
        """The skew part of C: it has no power."""
        return (self.C - self.C.T) / 2

    @property
    def stiffness(self) -> Array:
        """The symmetric part of K; all of it where K is not square."""
        return (self.K + self.K.T) / 2 if self.holonomic else self.K

    @property
    def circulatory(self) -> Array:
        """The skew part of K, of forces without a potential; zero where K is not square."""
        return (self.K - self.K.T) / 2 if self.holonomic else np.zeros_like(self.K)

    @property
    def equilibrium(self) -> bool:
        """Whether nothing accelerates the state."""
        return self.unbalanced <= BALANCED

    @property
    def stable(self) -> bool | None:
        """Whether no mode grows; None where one at frequency zero leaves it open."""
        if any(mode.kind.endswith("grows") for mode in self.modes):
            return False
        return None if any(mode.kind == "indifferent" for mode in self.modes) else True


def linearise(
    system: System, by: Formalism, state: State, inputs: Sequence[str] | None = None,
    hold: Collection[str] = (), independent: Sequence[str] | None = None, timed: bool = False,
) -> Linearised:  # fmt: skip
    """The motion of a system near a state.

    Parameters
    ----------
    system, by : the equations of a model by a formalism
    state : what is missing is the model's own; it is put onto the constraints
    inputs : names of coordinates and forces; None: drives and forces of the model
    hold : coordinates that stay where they are
    independent : coordinates in which the matrices are written; None: those that depend least on each other
    timed : whether the time of the state was stated, which a model needs whose equations depend on it

    Raises
    ------
    FormalismError
        The formalism does not take the model.
    NumbersError
        No state near it satisfies the constraints; a motion without inertia; a force without derivative; something
        that has no number; the equations depend on a time that was not stated.
    """
    made = equations(system, by, state.parameters, inputs, sorted(hold))
    start = placed(system, state, set(state.q) | set(hold))
    return linearised(system, made, start.state, independent, timed, tuple(moved(system, start)))


def linearised(
    system: System, made: Equations, state: State, independent: Sequence[str] | None = None, timed: bool = False,
    notes: tuple[Diagnostic, ...] = (),
) -> Linearised:  # fmt: skip
    """:func:`linearise` at a state on the constraints, with the equations made."""
    names, n, m = made.names, len(made.names), len(made.rows)
    if not n:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    if made.rheonomic and not timed:
        message = "the equations depend on the time: their linear ones are those of one moment"
        raise NumbersError(error("t", message, "state it, for example --time 0, in Python t=0"))
    q, v = ([x[name] for name in names] for x in (state.q, state.v))
    values = made.values(state.t, q, v, [0.0] * n, [0.0] * m)
    require_smooth(system, made, values)
    try:
        at = made.numbers(values)
        chosen = _chosen(made, at, independent)
        basis = Basis(at.D, chosen, np.linalg.solve)
        _require_inertia(at.M, basis, [names[i] for i in chosen.rates])
        a, multipliers = accelerations(at, basis, np.linalg.solve)
        values = made.values(state.t, q, v, a.tolist(), multipliers.tolist())
        slopes = made.slopes(values)
        still = made.slopes(values | dict.fromkeys(made.multipliers, 0.0))
    except ExpressionError as problem:
        raise NumbersError(error(made.formalism, str(problem))) from None
    _require_numbers(made, slopes)
    found = reduced(at.M, slopes, basis)
    positions, rates = ([names[i] for i in places] for places in (chosen.positions, chosen.rates))
    A, B = _state_space(found, chosen)
    unbalanced = _unbalanced(at, slopes.K, a)
    if unbalanced > BALANCED:
        i = int(np.argmax(np.abs(a)))
        message = (
            f"no equilibrium: the acceleration of {names[i]} is {a[i]:.6g}; linearised is what is near it"
        )
        notes = (*notes, Diagnostic("warning", "state", message, "begin with mbconcord equilibrium"))
    if made.rheonomic:
        message = f"the matrices are those of t = {state.t:g} s alone: the equations depend on the time"
        notes = (*notes, Diagnostic("warning", "t", message))
    return Linearised(
        system.name, made.formalism, state, names, tuple(positions), tuple(rates), made.inputs,
        found.M, found.C, found.K, found.B, found.rates.T @ (slopes.K - still.K) @ found.shapes,
        found.shapes, A, B,
        modes(A, found.M, found.C, found.K, found.shapes, chosen.positions == chosen.rates),
        a, np.where(left_open(at.D), np.nan, multipliers), made.rows, unbalanced, chosen, notes,
    )  # fmt: skip


def _chosen(made: Equations, at: Numbers, independent: Sequence[str] | None) -> Choice:
    names = made.names
    for what, value in (("M", at.M), ("forces", at.force), ("D", at.D), ("γ̃", at.rest)):
        if not np.isfinite(value).all():
            raise NumbersError(error(made.formalism, f"{what} has no numbers at the state"))
    places = None if independent is None else [names.index(name) for name in independent]
    try:
        return choice(at.D, made.holonomic, units_of(at.M), places)
    except ValueError as problem:
        message = f"found {listed(independent or ())}: {problem}"
        raise NumbersError(error("independent", message, "name as many, that fix all others")) from None


def units_of(M: Array) -> Array:
    """Units (n,) in which the coordinates compare: 1/√M_ii; 1 where there is no inertia."""
    diagonal = np.diag(M)
    size = float(diagonal.max(initial=0.0))
    return np.asarray(1 / np.sqrt(np.where(diagonal > 1e-13 * size, diagonal, size or 1.0)))


def _require_inertia(M: Array, basis: Basis, names: Sequence[str]) -> None:
    without = coordinates_without_inertia(basis.rates.T @ M @ basis.rates, names)
    if without:
        message = f"the mass matrix is singular: no inertia along {without}"
        remedy = "give the bodies it moves a mass or an inertia, or hold the coordinate"
        raise NumbersError(error(f"coordinates/{without.split(',')[0]}", message, remedy))


def _require_numbers(made: Equations, slopes: Slopes) -> None:
    for name, value in zip(("K", "C", "B"), (slopes.K, slopes.C, slopes.U), strict=True):
        if not np.isfinite(value).all():
            row = made.names[int(np.argwhere(~np.isfinite(value))[0][0])]
            message = f"a derivative of the forces along {row} has no number at the state"
            raise NumbersError(error(f"coordinates/{row}", message, f"{name} does not exist here; move away"))


def _state_space(found: Reduced, chosen: Choice) -> tuple[Array, Array]:
    """A and B of x = (z, w)."""
    places = list(chosen.positions)
    d, p = found.shapes.shape[1], found.rates.shape[1]
    A, B = np.zeros((d + p, d + p)), np.zeros((d + p, found.B.shape[1]))
    A[:d, :d], A[:d, d:] = found.turning[places], found.rates[places]
    if p:
        solved = np.linalg.solve(found.M, np.hstack([found.K, found.C, found.B]))
        A[d:], B[d:] = -solved[:, : d + p], solved[:, d + p :]
    return A + 0.0, B + 0.0  # no negative zeros


def _unbalanced(at: Numbers, K: Array, a: Array) -> float:
    """The largest |M q''|, by the forces, and by those that shifts of 1 m or rad would make."""
    units = units_of(at.M)
    reactions = np.abs(at.M @ a - at.force)
    size = float(((at.sizes + reactions + np.abs(K).sum(axis=1)) * units).max(initial=0.0))
    return float(np.abs(at.M @ a * units).max(initial=0.0)) / size if size > 0 else 0.0
