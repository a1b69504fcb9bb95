"""The motion of a system linearised at a state: reduced matrices, state space, modes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ExpressionError, mpmath_arithmetic
from mbconcord.model.features import has_maps
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar
from mbconcord.model.limits import format_names
from mbconcord.model.mixed import CLOSER, coordinates_without_inertia, describe_singular, find_singular_map
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..keeping import describe_moves, place_state
from ..motion.arrays import Array
from ..motion.formulas import EquationNumbers, array, with_limits
from ..poses import describe_far
from ..rows import left_open
from .equations import SlopeEquations, equations
from .inputs import Input
from .modes import (
    DIGITS,
    INDIFFERENT,
    MOST,
    LinearMode,
    find_in_digits,
    is_stable,
    is_wide,
    modes,
    name_undetermined,
    soft,
)
from .reduction import (
    FLOATS,
    Arrays,
    Basis,
    IndependentCoordinates,
    Kernel,
    LinearNumbers,
    ReducedMatrices,
    Slopes,
    accelerations,
    choice,
    reduce_equations,
    solve_by_elimination,
    state_space,
    units_of,
)
from .smooth import require_smooth
from .steady import FED, ROUNDING, SteadyMotion, may_feed, motion_through

#: Forces that are not balanced below this part of what they are made of leave a state in equilibrium.
BALANCED: Final = 1e-9
#: What is said of eigenvalues along a motion that is not steady.
FROZEN: Final = "frozen at this state: its eigenvalues do not decide stability"
#: What is said of oscillations that the linear equations neither damp nor feed, where other terms may feed them.
HIGHER: Final = "stable in the linear equations alone: forces of higher order decide"


@dataclass(frozen=True)
class Linearised:
    """A system with n coordinates near a state, in d independent positions and p independent rates.

        z' = w , M w' + C w + K z = B u         (without rows that restrict rates alone; then p = d)
        x' = A x + B_x u ,   x = (z, w)

    Attributes
    ----------
    system : its name
    formalism : source of the equations
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
    motion : what is proved of the motion through the state; see :mod:`.steady`
    choice : what is independent
    moves : shifts of all positions, rates and accelerations by x (n, d + p), and of the accelerations by u (n, k)
    diagnostics : remarks
    fed : True if forces of higher order may feed an oscillation that the linear equations neither damp nor feed
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
    modes: tuple[LinearMode, ...]
    acceleration: Array
    multipliers: Array
    rows: tuple[str, ...]
    unbalanced: float
    motion: SteadyMotion
    choice: IndependentCoordinates = field(repr=False)
    moves: tuple[Array, Array, Array, Array] = field(repr=False, default=())  # type: ignore[assignment]
    diagnostics: tuple[Diagnostic, ...] = ()
    fed: bool = False

    @property
    def holonomic(self) -> bool:
        """True if no row restricts rates alone: w = z', and K is square."""
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
    def steady(self) -> bool:
        """True if the matrices stay the same along the motion through the state."""
        return self.motion.steady

    @property
    def equilibrium(self) -> bool:
        """True if the state is at rest and stays there."""
        return self.unbalanced <= BALANCED and self.motion.rests

    @property
    def kind(self) -> str:
        """``in equilibrium``, ``in steady motion``, ``moving`` or, of a state at rest, ``no equilibrium``."""
        if self.equilibrium:
            return "in equilibrium"
        if self.unbalanced <= BALANCED and self.motion.uniform and self.steady:
            return "in steady motion"
        return "moving" if any(self.state.v[name] for name in self.coordinates) else "no equilibrium"

    @property
    def stable(self) -> bool | None:
        """True if no mode grows; None if rounding, an unsteady motion or higher orders leave it undecided."""
        found = is_stable(self.modes, self.C, self.K) if self.steady else None
        return None if found and self.fed else found

    @property
    def stability(self) -> str:
        """The same in words."""
        if not self.steady:
            return FROZEN
        if self.fed:
            return HIGHER
        if self.stable is None and not any(mode.kind == "indifferent" for mode in self.modes):
            return "stable but for modes whose growth or decay is within rounding"
        return {True: "stable", False: "unstable", None: "stable but for modes at frequency zero"}[self.stable]


def derive_linearised(
    system: System, by: Formalism, state: State, inputs: Sequence[str] | None = None,
    hold: Collection[str] = (), independent: Sequence[str] | None = None, timed: bool = False,
) -> tuple[Linearised, SlopeEquations]:  # fmt: skip
    """Linearise the motion of a system near a state; return the equations, too.

    Parameters
    ----------
    system, by : the equations of a model by a formalism
    state : missing values are the model's own; it is moved onto the constraints
    inputs : names of coordinates and forces; None: drives and forces of the model
    hold : coordinates that stay fixed
    independent : coordinates in which the matrices are written; None: those that depend least on each other
    timed : True if the time of the state was given, which a model needs whose equations depend on it

    Raises
    ------
    FormalismError
        The formalism does not take the model.
    NumbersError
        No state near it satisfies the constraints; a motion without inertia; a force without derivative; a missing
        number; the equations depend on a time that was not given.
    """
    made = equations(system, by, state.parameters, inputs, sorted(hold))
    start = place_state(system, state, set(state.q) | set(hold))
    here = replace(start.state, parameters=state.parameters)
    notes = (*describe_moves(system, start), *describe_far(system, [here]))
    try:
        return linearise_equations(system, made, start.state, independent, timed, notes), made
    except NumbersError:
        left = _vanishing(with_limits(system, EquationNumbers(system, state.parameters)))
        usual = tuple(u.name for u in made.inputs if u.name not in left)
        if inputs is not None or len(usual) == len(made.inputs):
            raise
        made = equations(system, by, state.parameters, usual, sorted(hold))
        message = "no input: where its points coincide (@ = 0) a force along them has no direction"
        notes += tuple(Diagnostic("note", f"forces/{name}", message) for name in left)
        return linearise_equations(system, made, start.state, independent, timed, notes), made


def _vanishing(system: System) -> list[str]:
    """List the bipolar forces that vanish with the distance."""
    return [
        f.name for f in system.forces
        if isinstance(f, Bipolar) and f.force_per_length(LENGTH, LENGTH_RATE) is not None
    ]  # fmt: skip


def linearise_equations(
    system: System, made: SlopeEquations, state: State, independent: Sequence[str] | None = None, timed: bool = False,
    notes: tuple[Diagnostic, ...] = (),
) -> Linearised:  # fmt: skip
    """Do :func:`derive_linearised` at a state on the constraints, with given equations."""
    names, n, m = made.names, len(made.names), len(made.rows)
    if not n:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    if made.rheonomic and not timed:
        message = "the equations depend on the time: their linear ones are those of one moment"
        raise NumbersError(error("t", message, "state it, for example --time 0, in Python t=0"))
    q, v = ([x[name] for name in names] for x in (state.q, state.v))
    values = made.values(state.t, q, v, [0.0] * n, [0.0] * m)
    require_smooth(system, made, values)
    if has_maps(system) and (singular := find_singular_map(system, values)):
        raise NumbersError(singular)
    try:
        at = made.numbers(values)
        chosen = _choose(made, at, independent)
        basis = Basis(at.D, chosen, np.linalg.solve)
        _require_inertia(at.M, basis, [names[i] for i in chosen.rates])
        a, multipliers = accelerations(at, basis, np.linalg.solve)
        values = made.values(state.t, q, v, a.tolist(), multipliers.tolist())
        slopes = made.slopes(values)
        still = made.slopes(values | dict.fromkeys(made.multipliers, 0.0))
    except ExpressionError as problem:
        raise NumbersError(error(made.formalism, str(problem))) from None
    _require_numbers(made, slopes)
    found = reduce_equations(at.M, slopes, basis)
    positions, rates = ([names[i] for i in places] for places in (chosen.positions, chosen.rates))
    A, B = state_space(found, chosen)
    unbalanced = _measure_imbalance(at, slopes.K, a)
    if unbalanced > BALANCED:
        i = int(np.argmax(np.abs(a)))
        message = f"no equilibrium: the acceleration of {names[i]} is {a[i]:.6g}; linearised is what is near it"
        notes = (*notes, Diagnostic("warning", "state", message, "begin at the state of mbconcord equilibrium FILE"))
    idle = np.flatnonzero(np.abs(multipliers) <= ROUNDING * at.sizes.max()).tolist()
    motion = motion_through(made, state, a * (unbalanced > BALANCED), idle)
    if not motion.steady:
        remedy = "begin at an equilibrium or a steady motion, or see mbconcord simulate FILE --until SECONDS"
        notes = (*notes, Diagnostic("warning", "state", f"the matrices change along the motion: {FROZEN}", remedy))
    if made.rheonomic:
        message = f"the matrices are those of t = {state.t:g} s alone: the equations depend on the time"
        notes = (*notes, Diagnostic("warning", "t", message))
    plain = chosen.positions == chosen.rates
    wide = plain and len(found.M) > 0 and is_wide(A, found.M, found.C, found.K)
    few = len(names) <= MOST[0]
    in_digits = _find_in_digits(system, made, state, chosen) if few and wide and not made.rows else None
    notes += () if in_digits or not wide else tuple(_name_lost(found, positions))
    own = in_digits or modes(A, found.M, found.C, found.K, found.shapes, plain)
    fed = (
        unbalanced <= BALANCED and motion.rests and is_stable(own, found.C, found.K) is True
        and any(mode.kind == "oscillates" for mode in own) and may_feed(made, state, found.rates)
    )  # fmt: skip
    if fed:
        notes = (*notes, FED)
    return Linearised(
        system.name, made.formalism, state, names, tuple(positions), tuple(rates), made.inputs,
        found.M, found.C, found.K, found.B, found.rates.T @ (slopes.K - still.K) @ found.shapes,
        found.shapes, A, B, own, a,
        np.where(left_open(at.lines), np.nan, multipliers), made.rows, unbalanced, motion, chosen,
        _moves(found, A, B), notes, fed,
    )  # fmt: skip


def _name_lost(found: ReducedMatrices, positions: Sequence[str]) -> Iterator[Diagnostic]:
    """Name slow modes of which floats leave nothing beside fast ones: they are at frequency zero here."""
    remedy = "bring stiffnesses and masses closer to each other"
    for stiffness, shape in soft(found.M, found.K):
        rate, name = f"{np.sqrt(abs(stiffness)):.3g}", positions[int(np.argmax(np.abs(shape)))]
        motion_lost = f"an oscillation at {rate} rad/s" if stiffness > 0 else f"a growth at {rate} 1/s"
        message = f"along {name} {motion_lost}, by K alone, has frequency zero here: beside the largest it is rounding"
        yield Diagnostic("warning", "modes", message, remedy)
    undetermined = name_undetermined(found.M, found.K)
    if undetermined:
        along = format_names(dict.fromkeys(positions[int(np.argmax(np.abs(shape)))] for _, shape in undetermined))
        least = f"a frequency below {undetermined[0][0]:.2g} rad/s"
        message = f"along {along} {least} is not determined: beside the largest it is rounding"
        yield Diagnostic("warning", "modes", message, remedy)


def _find_in_digits(
    system: System, made: SlopeEquations, state: State, chosen: IndependentCoordinates
) -> tuple[LinearMode, ...] | None:
    """Compute the modes of a tree in many digits, from the numbers of the model on; None for too many with damping.

    A vertical axis that floats of a file incline by 1e-16 has no stiffness by gravity.
    """
    arithmetic, n = mpmath_arithmetic(DIGITS), len(made.names)
    kernel = Kernel(arithmetic, solve_by_elimination, object)

    def evaluate(a: Sequence[Any]) -> dict[str, Any]:
        q, v = ([x[name] for name in made.names] for x in (state.q, state.v))
        found = made.values(state.t, q, v, [0.0] * n, [])
        exact = {name: arithmetic.convert(x) for name, x in found.items()}
        return exact | {f"{name}''": x for name, x in zip(made.names, a, strict=True)}

    zeros = [arithmetic.convert(0.0)] * n
    at = made.numbers(evaluate(zeros), kernel)
    basis = Basis(at.D, chosen, kernel.solve)
    a, _ = accelerations(at, basis, kernel.solve)
    found = reduce_equations(at.M, made.slopes(evaluate(a), kernel), basis)
    falls = array(EquationNumbers(system, state.parameters).apply(system.gravity_vector), (3,))
    (g,) = Arrays([falls]).evaluate({"t": state.t}, FLOATS)
    return find_in_digits(found.M, found.C, found.K, INDIFFERENT * float(np.linalg.norm(g)))


def _moves(found: ReducedMatrices, A: Array, B: Array) -> tuple[Array, Array, Array, Array]:
    """Return shifts of positions, rates and accelerations by x, and of the accelerations by u."""
    d, N = found.shapes.shape[1], found.rates
    by_x = N @ A[d:] + np.hstack([found.closing_z, found.closing_w])
    return np.hstack([found.shapes, 0 * N]), np.hstack([found.turning, N]), by_x, N @ B[d:]


def _choose(made: SlopeEquations, at: LinearNumbers, independent: Sequence[str] | None) -> IndependentCoordinates:
    names = made.names
    for what, value in (("M", at.M), ("forces", at.force), ("D", at.D), ("γ̃", at.rest)):
        if not np.isfinite(value).all():
            raise NumbersError(error(made.formalism, f"{what} has no numbers at the state"))
    places = None if independent is None else [names.index(name) for name in independent]
    try:
        return choice(at.lines, made.holonomic, units_of(at.M), places)
    except ValueError as problem:
        message = f"found {format_names(independent or ())}: {problem}"
        raise NumbersError(error("independent", message, "name as many, that fix all others")) from None


def _require_inertia(M: Array, basis: Basis, names: Sequence[str]) -> None:
    without = coordinates_without_inertia(basis.rates.T @ M @ basis.rates, names)
    if without:
        message = describe_singular(without)
        remedy = f"give the bodies it moves a mass or an inertia, hold the coordinate, or {CLOSER}"
        raise NumbersError(error(f"coordinates/{without.split(',')[0]}", message, remedy))


def _require_numbers(made: SlopeEquations, slopes: Slopes) -> None:
    for name, value in zip(("K", "C", "B"), (slopes.K, slopes.C, slopes.U), strict=True):
        if not np.isfinite(value).all():
            row = made.names[int(np.argwhere(~np.isfinite(value))[0][0])]
            message = f"a derivative of the forces along {row} has no number at the state"
            raise NumbersError(error(f"coordinates/{row}", message, f"{name} does not exist here; move away"))


def _measure_imbalance(at: LinearNumbers, K: Array, a: Array) -> float:
    """Return the largest |M q''| relative to the forces, including those that shifts of 1 m or rad would cause."""
    units = units_of(at.M)
    reactions = np.abs(at.M @ a - at.force)
    size = float(((at.sizes + reactions + np.abs(K).sum(axis=1)) * units).max(initial=0.0))
    return float(np.abs(at.M @ a * units).max(initial=0.0)) / size if size > 0 else 0.0
