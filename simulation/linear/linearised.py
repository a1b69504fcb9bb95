"""The motion of a system linearised at a state: reduced matrices, state space, modes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, NumbersError, error
from mbconcord.model.expressions import ZERO, ExpressionError, mpmath_arithmetic
from mbconcord.model.features import has_maps
from mbconcord.model.force import LENGTH, LENGTH_RATE, Bipolar
from mbconcord.model.limits import format_names
from mbconcord.model.mixed import CLOSER, coordinates_without_inertia, describe_singular, find_singular_map
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..keeping import SINGULAR, describe_moves, place_state
from ..motion.arrays import Array
from ..motion.formulas import EquationNumbers, array, with_limits
from ..poses import describe_far
from ..rows import left_open
from .equations import HELD, SlopeEquations, equations
from .inputs import Input
from .modes import (
    DIGITS,
    INDIFFERENT,
    MOST,
    LinearMode,
    find_in_digits,
    is_held_by_rates,
    is_stable,
    is_wide,
    modes,
    name_undetermined,
    resonate,
    soft,
)
from .periodic import Orbit, PeriodicMotion, has_corners
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
from .relative import LINEARLY, NEARLY, STEADY, FieldNumbers, RelativeMotion, find_generator, judge_relative
from .smooth import require_smooth
from .steady import FED, ROUNDING, SteadyMotion, may_feed, motion_through
from .symmetry import Symmetries, find_breaking_forces, find_period, find_symmetries

#: Forces that are not balanced below this part of what they are made of leave a state in equilibrium.
BALANCED: Final = 1e-9
#: What shows a motion.
SEEN: Final = "mbconcord simulate FILE --until SECONDS"
#: What is said of eigenvalues along a motion that is not steady.
FROZEN: Final = "not an equilibrium or steady motion: frozen-time eigenvalues say nothing about stability"
#: What is said of oscillations that the linear equations neither damp nor feed, where other terms may feed them.
HIGHER: Final = "stable in the linear equations alone: forces of higher order decide"


@dataclass(frozen=True)
class Linearised:
    """A system with n coordinates near a state, in d independent positions and p independent rates.

        z' = w , M w' + C w + K z = B u         (without rows that restrict rates alone; then p = d)
        x' = A x + B_x u ,   x = (z, w)

    Attributes
    ----------
    system : name of the system
    formalism : source of the equations
    state : positions, rates and time; on the constraints
    coordinates : names of all coordinates
    positions, rates : names of the independent coordinates and rates
    inputs : the inputs, in the order of the columns of B
    M (p, p), C (p, p), K (p, d), B (p, k) : M in kg, kg m or kg m², C also by s, K by s²
    geometric (p, d) : the part of K that the reactions cause, -Nᵀ ∂(Dᵀ λ)/∂q N
    shapes (n, d) : δq = shapes · z
    A (d + p, d + p), inputs_to_state (d + p, k)
    modes : all modes, the slowest first
    acceleration (n,), multipliers (m,), rows : q'', λ (NaN if undetermined) and names of its rows, at the state
    unbalanced : largest |M q''| at the state, relative to the forces; zero in equilibrium
    motion : what is proved of the motion through the state; see :mod:`.steady`
    choice : indices of the independent coordinates and rows
    moves : shifts of all positions, rates and accelerations by x (n, d + p), and of the accelerations by u (n, k)
    diagnostics : remarks
    fed : True if forces of higher order may feed an oscillation that the linear equations neither damp nor feed
    relative : of a motion along symmetries, A_rel in the frame that moves with it, whose modes are ``modes``
    periodic : of a motion that returns after a period, the multipliers
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
    relative: RelativeMotion | None = None
    periodic: PeriodicMotion | None = None

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
        """The symmetric part of K; all of K if it is not square."""
        return (self.K + self.K.T) / 2 if self.holonomic else self.K

    @property
    def circulatory(self) -> Array:
        """The skew part of K, of forces without a potential; zero where K is not square."""
        return (self.K - self.K.T) / 2 if self.holonomic else np.zeros_like(self.K)

    @property
    def steady(self) -> bool:
        """True if a matrix that is constant along the motion decides stability: A, or A_rel along symmetries."""
        return self.relative is not None or self.motion.steady

    @property
    def equilibrium(self) -> bool:
        """True if the state is at rest and stays there."""
        return self.relative.rests if self.relative else self.unbalanced <= BALANCED and self.motion.rests

    @property
    def kind(self) -> str:
        """``equilibrium``, ``steady``, ``constant`` (its matrices are proved so), ``periodic`` or ``neither``."""
        if self.periodic:
            return "periodic"
        if self.equilibrium and self.steady:
            return "equilibrium"
        return "steady" if self.relative else "constant" if self.steady else "neither"

    @property
    def stable(self) -> bool | None:
        """True if no mode grows; None if rounding, an unsteady motion or higher orders leave it undecided."""
        if known := self.relative or self.periodic:
            return known.stable
        found = is_stable(self.modes, self.C, self.K) if self.steady else None
        return None if found and self.fed else found

    @property
    def stability(self) -> str:
        """Stability in words."""
        if known := self.relative or self.periodic:
            return known.stability
        if not self.steady:
            return FROZEN
        if self.fed:
            return HIGHER
        if self.stable is None and not any(mode.kind == "indifferent" for mode in self.modes):
            return "stable but for modes whose growth or decay is within rounding"
        if self.stable and is_held_by_rates(self.modes, self.M, self.K):
            return LINEARLY
        return {True: "stable", False: "unstable", None: "stable but for modes at frequency zero"}[self.stable]

    @property
    def standing(self) -> str:
        """The kind and the stability in words."""
        if self.periodic:
            return f"in periodic motion ({self.periodic.describe_return}), {self.stability}"
        if self.relative and not self.equilibrium:
            return f"in steady motion ({self.relative.generator}), {self.stability}"
        kind = {"equilibrium": "in equilibrium, ", "constant": "moving, its matrices constant, "}.get(self.kind, "")
        return kind + self.stability

    @property
    def eigenvalues(self) -> tuple[complex, ...]:
        """Eigenvalues that decide stability, without neutral ones, by real part; empty if no matrix is constant."""
        if self.relative:
            return self.relative.eigenvalues
        if not self.steady:
            return ()
        every = (s for mode in self.modes for s in dict.fromkeys((mode.eigenvalue, mode.eigenvalue.conjugate())))
        return tuple(sorted(every, key=lambda s: (s.real, s.imag)))


def derive_linearised(
    system: System, by: Formalism, state: State, inputs: Sequence[str] | None = None,
    hold: Collection[str] = (), independent: Sequence[str] | None = None, timed: bool = False,
    period: float | None = None,
) -> tuple[Linearised, SlopeEquations]:  # fmt: skip
    """Linearise the motion of a system near a state; return the equations, too.

    Parameters
    ----------
    system, by : the model, and the formalism that gives its equations
    state : missing values are the model's own; it is moved onto the constraints
    inputs : names of coordinates and forces; None: drives and forces of the model
    hold : coordinates that stay fixed
    independent : coordinates in which the matrices are written; None: those that depend least on each other
    timed : True if the time of the state was given, which a model needs whose equations depend on it
    period : of a motion onto which the state is moved; None: that of the equations, if the motion returns after it

    Raises
    ------
    FormalismError
        The formalism does not take the model.
    NumbersError
        No state near it satisfies the constraints; no motion near it returns after the period;
        a motion without inertia; a force without derivative; a missing
        number; the equations depend on a time that was not given.
    """
    made = equations(system, by, state.parameters, inputs, sorted(hold))
    start = place_state(system, state, set(state.q) | set(hold))
    if start.singular:
        raise NumbersError(
            error("state", SINGULAR, "no linear equations are those of all its motions: begin beside it")
        )
    here = replace(start.state, parameters=state.parameters)
    notes = (*describe_moves(system, start), *describe_far(system, [here]))
    try:
        return linearise_equations(system, by, made, here, independent, timed, notes, period), made
    except NumbersError:
        left = _vanishing(with_limits(system, EquationNumbers(system, state.parameters)))
        usual = tuple(u.name for u in made.inputs if u.name not in left)
        if inputs is not None or len(usual) == len(made.inputs):
            raise
        made = equations(system, by, state.parameters, usual, sorted(hold))
        message = "no input: where its points coincide (@ = 0) a force along them has no direction"
        notes += tuple(Diagnostic("note", f"forces/{name}", message) for name in left)
        return linearise_equations(system, by, made, here, independent, timed, notes, period), made


def _vanishing(system: System) -> list[str]:
    """List names of the bipolar forces that vanish with the distance of their points."""
    return [
        f.name for f in system.forces
        if isinstance(f, Bipolar) and f.force_per_length(LENGTH, LENGTH_RATE) is not None
    ]  # fmt: skip


def linearise_equations(
    system: System, by: Formalism, made: SlopeEquations, state: State, independent: Sequence[str] | None = None,
    timed: bool = False, notes: tuple[Diagnostic, ...] = (), period: float | None = None,
    along: FieldNumbers | None = None,
) -> Linearised:  # fmt: skip
    """Linearise given equations at a state on the constraints, as :func:`derive_linearised` does.

    A steady motion is seen from the frame that moves ``along`` a given sum of symmetries, or along the simplest.
    """
    names, n, m = made.names, len(made.names), len(made.rows)
    if not n:
        raise NumbersError(error("coordinates", "the model has no coordinates", "nothing in it moves"))
    if made.rheonomic and not timed:
        message = "the equations depend on the time: their linear ones are those of one moment"
        raise NumbersError(error("t", message, "state it, for example --time 0, in Python t=0"))
    q, v = ([x[name] for name in names] for x in (state.q, state.v))
    values = made.values(state.t, q, v, [0.0] * n, [0.0] * m)
    require_smooth(system, made, values)
    if has_maps(system):
        singular = find_singular_map(system, values | parameter_values(system, state.parameters))
        if singular:
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
    unbalanced, unrest = _measure_imbalance(at, slopes.K, a), None
    if unbalanced > BALANCED:
        i = int(np.argmax(np.abs(a)))
        message = f"no equilibrium: the acceleration of {names[i]} is {a[i]:.6g}; linearised is what is near it"
        unrest = Diagnostic("warning", "state", message, "begin at the state of mbconcord equilibrium FILE")
    idle = np.flatnonzero(np.abs(multipliers) <= ROUNDING * at.sizes.max()).tolist()
    motion = motion_through(made, state, a * (unbalanced > BALANCED), idle)
    relative, periodic, moves = None, None, find_moves(found, A, B)
    near = Surroundings(system, by, made, state, at, chosen, found, a, moves)
    if (
        (made.rheonomic or any(v) or period)
        and not made.driven
        and not (unbalanced <= BALANCED and motion.rests and motion.steady)
    ):
        relative, more = near.find_relative(A, _size_forces(at, slopes.K, a), along)
        if relative is None and not motion.steady:
            periodic = near.find_periodic(A, period)
        notes = (*notes, *(() if periodic else more))
    if periodic is None and period is not None:
        made.require_undriven()
        there = near.find_orbit(A, period, bool(relative) or motion.steady)
        return linearise_equations(system, by, made, there[0], independent, timed, (*notes, there[2]), there[1])
    if relative is None and periodic is None and unrest:
        notes = (*notes, unrest)
    if made.driven:
        notes = (*notes, *(replace(d, severity="warning") for d in made.find_driven()))
    elif relative is None and periodic is None and not motion.steady:
        remedy = "begin at an equilibrium or a steady motion, or see mbconcord simulate FILE --until SECONDS"
        notes = (*notes, Diagnostic("warning", "state", f"the matrices change along the motion: {FROZEN}", remedy))
    if made.rheonomic and relative is None and periodic is None:
        message = f"the matrices are those of t = {state.t:g} s alone: the equations depend on the time"
        notes = (*notes, Diagnostic("warning", "t", message))
    plain = chosen.positions == chosen.rates
    wide = plain and len(found.M) > 0 and is_wide(A, found.M, found.C, found.K)
    decides = len(names) <= MOST[0] and motion.steady and not made.rows
    wide = wide and relative is None
    in_digits = _find_in_digits(system, made, state, chosen) if decides and wide else None
    notes += () if in_digits or not wide else tuple(_name_lost(found, positions))
    own = relative.modes if relative else in_digits or modes(A, found.M, found.C, found.K, found.shapes, plain)
    fed = relative is None and motion.steady and is_stable(own, found.C, found.K) is True
    fed = fed and any(mode.kind == "oscillates" for mode in own)
    if fed and unbalanced <= BALANCED and motion.rests:
        held = is_held_by_rates(own, found.M, found.K)
        alone = not made.linear and (made.changing or (held and resonate(own)))
        fed = alone or may_feed(system, made, state, chosen)
    else:  # what moves may feed it, unless all is linear
        fed = fed and not made.linear
    if fed:
        notes = (*notes, FED)
    return Linearised(
        system.name, made.formalism, state, names, tuple(positions), tuple(rates), made.inputs,
        found.M, found.C, found.K, found.B, found.rates.T @ (slopes.K - still.K) @ found.shapes,
        found.shapes, A, B, own, a,
        np.where(left_open(at.lines), np.nan, multipliers), made.rows, unbalanced, motion, chosen,
        moves, notes, fed, relative, periodic,
    )  # fmt: skip


@dataclass(frozen=True)
class Surroundings:
    """A state with its equations, their numbers and reduced matrices, accelerations, and shifts by x and u."""

    system: System
    by: Formalism
    made: SlopeEquations
    state: State
    at: LinearNumbers
    chosen: IndependentCoordinates
    found: ReducedMatrices
    a: Array
    moves: tuple[Array, Array, Array, Array]

    @cached_property
    def symmetries(self) -> Symmetries:
        """The symmetries of the equations near the state."""
        return find_symmetries(self.system, self.by, self.made, self.state)

    def find_relative(
        self, A: Array, size: float, frame: FieldNumbers | None = None
    ) -> tuple[RelativeMotion | None, list[Diagnostic]]:
        """Judge a steady motion along symmetries, with forces of this ``size``, and return remarks; else None."""
        made, state, symmetries = self.made, self.state, self.symmetries
        along, gap = find_generator(made, state, self.a, self.at, size, symmetries)
        if gap > STEADY:
            return None, [*self._explain(symmetries, gap, size)]
        along, units, T = frame or along, units_of(self.at.M), self.moves[:2]
        found = judge_relative(
            made, state, symmetries, along, A, T, self.chosen, units,
            lambda: may_feed(self.system, made, state, self.chosen, along.evaluate), self.place,
        )  # fmt: skip
        return found, []

    def find_periodic(self, A: Array, period: float | None) -> PeriodicMotion | None:
        """Judge a motion that returns after a period (None: that of the equations); return None if it does not.

        Raises
        ------
        NumbersError
            The equations do not repeat after the stated period, or variations are not continuous.
        """
        if period is None and not self.made.rheonomic:
            return None
        T = find_period(self.made, period)
        if period is not None and T is None:
            own = find_period(self.made)
            remedy = f"they repeat after {own!r} s: leave the period out" if own else f"see {SEEN}"
            raise NumbersError(error("period", f"the equations do not repeat after {period!r} s", remedy))
        if T is None or has_corners(self.made):
            if period is not None:
                message = "forces have kinks, across which variations of a motion are not continuous"
                raise NumbersError(error("period", message, "make them smooth, for example v/sqrt(v^2 + 0.001^2)"))
            return None
        try:
            return Orbit(self.made, self.state, self.chosen, A, self.symmetries.fields).judge(self.state, T)
        except ExpressionError:  # it leads to where nothing has numbers
            return None

    def find_orbit(self, A: Array, period: float, steady: bool) -> tuple[State, float, Diagnostic]:
        """Find the state near this one whose motion returns, its period, and a remark.

        Raises
        ------
        NumbersError
            No such motion is near, or the state is in equilibrium or steady motion.
        """
        if steady:
            message = "the state is in equilibrium or steady motion: eigenvalues decide, for every period"
            raise NumbersError(error("period", message, "leave the period out"))
        T, here = find_period(self.made, period), None
        orbit = Orbit(self.made, self.state, self.chosen, A, self.symmetries.fields)
        with suppress(ExpressionError):  # steps lead to where nothing has numbers
            here = orbit.find(self.state, T or period, self.place)
        if here is None or here[0] is self.state:
            message = f"no motion near the state returns after {period:g} s"
            raise NumbersError(error("period", message, f"begin nearer to one: see {SEEN}"))
        state, T = here
        far = max(
            (abs(x[n] - y[n]) for x, y in ((state.q, self.state.q), (state.v, self.state.v)) for n in x), default=0.0
        )
        message = f"moved onto a motion that returns after {T!r} s: positions and rates by {far:.3g} at most"
        return state, T, Diagnostic("warning", "state", message)

    def _explain(self, symmetries: Symmetries, gap: float, size: float) -> Iterator[Diagnostic]:
        """Report why a motion is only nearly steady: its state has few digits, or a force breaks a symmetry."""
        if gap <= NEARLY:
            message = f"steady to {gap:.2g} of its rates and forces only: not steady"
            remedy = f"give its positions and rates to {STEADY:g} of them, in all digits of what computed them"
            yield Diagnostic("warning", "state", message, remedy)
        if not symmetries.broken:
            return
        more = Symmetries((*symmetries.fields, *symmetries.broken))
        along, gap = find_generator(self.made, self.state, self.a, self.at, size, more)
        if gap > STEADY:
            return
        hold = [row.removeprefix(HELD) for row in self.made.rows if row.startswith(HELD)]
        for one in (x for x in symmetries.broken if x in along.fields):
            forces = find_breaking_forces(self.system, self.by, self.state, one, hold)
            by = " and ".join(forces) or "the equations"
            message = f"steady but for a symmetry that {by} break{'s' if len(forces) == 1 else ''}: {one.name}"
            remedy = "give numbers that are meant to be equal the same digits"
            yield Diagnostic("warning", f"forces/{forces[0]}" if forces else "state", message, remedy)

    def place(self, x: Array) -> tuple[State, Array] | None:
        """Return a state on the constraints shifted by x (d + p,), and its accelerations."""
        made, state, chosen = self.made, self.state, self.chosen
        names, shifts = made.names, [move @ x for move in self.moves[:2]]
        q, v = (
            {name: there[name] + float(s) for name, s in zip(names, shift, strict=True)}
            for there, shift in zip((state.q, state.v), shifts, strict=True)
        )
        kept, rates = ([names[i] for i in places] for places in (chosen.positions, chosen.rates))
        try:
            there = replace(state, q=q, v=v)
            given = made.rheonomic or any(x is not ZERO for x in made.flow)
            if made.rows:
                start = there if given else replace(there, v=dict.fromkeys(names, 0.0))
                there = replace(place_state(self.system, start, kept, rates).state, parameters=state.parameters)
            zeros = ([0.0] * len(names), [0.0] * len(made.rows))
            q_there = [there.q[name] for name in names]
            if not given:
                own = made.numbers(made.values(there.t, q_there, *zeros[:1] * 2, zeros[1]))
                N = Basis(own.D, chosen, np.linalg.solve).rates
                there = replace(there, v=dict(zip(names, (N @ [v[name] for name in rates]).tolist(), strict=True)))
            at = made.numbers(made.values(there.t, q_there, [there.v[name] for name in names], *zeros))
            a, _ = accelerations(at, Basis(at.D, chosen, np.linalg.solve), np.linalg.solve)
        except (MbconcordError, ExpressionError, np.linalg.LinAlgError):
            return None
        return there, a


def _name_lost(found: ReducedMatrices, positions: Sequence[str]) -> Iterator[Diagnostic]:
    """Warn of slow modes that rounding hides beside fast ones: here they have the frequency zero."""
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
    """Compute the modes of a tree in many digits, from the model's numbers on; None for too many if damped.

    If floats of a file incline a vertical axis by 1e-16, the stiffness by gravity that this makes counts as zero.
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


def find_moves(found: ReducedMatrices, A: Array, B: Array) -> tuple[Array, Array, Array, Array]:
    """Return the derivatives of positions, rates and accelerations by x, and of the accelerations by u."""
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


def _size_forces(at: LinearNumbers, K: Array, a: Array) -> float:
    """Return the largest of the forces, including those that shifts of 1 m or rad would cause."""
    reactions = np.abs(at.M @ a - at.force)
    return float(((at.sizes + reactions + np.abs(K).sum(axis=1)) * units_of(at.M)).max(initial=0.0))


def _measure_imbalance(at: LinearNumbers, K: Array, a: Array) -> float:
    """Return the largest |M q''| relative to the forces, including those that shifts of 1 m or rad would cause."""
    units, size = units_of(at.M), _size_forces(at, K, a)
    return float(np.abs(at.M @ a * units).max(initial=0.0)) / size if size > 0 else 0.0
