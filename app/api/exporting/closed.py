"""Functions and numbers of a machine with constraints for an FMU, which itself solves for the accelerations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.c.library import Library
from mbconcord.kernels.c.trial import StoredNumbers
from mbconcord.kernels.fmu.sources import ClosedNumbers
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import Derivation
from mbconcord.model.derivatives.dynamics import require_parts
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, error
from mbconcord.model.expressions import ZERO, Expression, evaluate_float, rate
from mbconcord.model.expressions.calculus import Substitution
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.keeping import Placed, describe_moves, place_state
from mbconcord.simulation.motion.arrays import FINE_RANK, NOTHING, RANK, Lengths, NoInertiaError, factorise
from mbconcord.simulation.motion.equations import MotionEquations
from mbconcord.simulation.motion.formulas import formulas
from mbconcord.simulation.motion.projection import Projection
from mbconcord.simulation.motion.run import no_inertia
from mbconcord.simulation.rows import constraint_rows

from .library import library

Array = NDArray[np.float64]
#: Number of states at which numbers are stored; spread of their positions about the start; largest gap at them.
STATES, SPREAD, CLOSED = 5, 0.3, 1e-12
#: Relative length below which a row nearly depends on longer ones; at such states accelerations have no certain digits.
CLEAR = 1e-2
#: Difference from ``simulate``'s accelerations that rounding explains, as a part of the largest.
ROUNDING: Final = 1e-10


@dataclass(frozen=True)
class ClosedParts:
    """Quantities of a closed machine: M, forces, D, γ̃; and M, f, ∂f/∂q, γ of the rows that keep positions closed.

    Attributes
    ----------
    derivation : the equations, with all these quantities among the native ones
    wide : the system, with coordinates of cut joints as its last parameters
    terms, rows : quantities of the equations, and of the rows that keep positions, by name
    holonomic : for each row, True if it is a function of positions
    """

    derivation: Derivation
    wide: System
    terms: Mapping[str, Any]
    rows: Mapping[str, Any]
    holonomic: tuple[bool, ...]

    def write_whole(self, derivation: Derivation, energies: Mapping[str, Any], name: str) -> Library:
        """Return a library of forces and energies that tests a built FMU; it labels the forces as accelerations."""
        made = library(derivation, {"balance": self.terms["balance"], **energies}, name)
        labels = [f"acceleration[{c}]" for c in derivation.system.coordinate_names]
        return replace(made, results={"acceleration": labels, **{x: made.results[x] for x in energies}})


def derive_closed(by: Formalism, system: System) -> ClosedParts:
    """Derive the equations of a closed machine by a formalism, and the rows that keep its positions.

    Raises
    ------
    FormalismError
        The formalism does not take the model, or a part of its equations is missing.
    """
    derivation, closing = by.derive_whole(system), constraint_rows(system)
    q: Any = derivation.quantities
    require_parts(derivation)
    n = len(system.coordinates)
    both: Any = zip(derivation.native["D"], derivation.native["γ̃"], strict=True)  # type: ignore[arg-type]
    live = [(row, x) for row, x in both if any(d is not ZERO for d in row)]
    if not live or not closing.rows:
        raise FormalismError(error("constraints", "they have no rows that hold anything", "leave them out"))
    balance = tuple(g + f - h for g, f, h in zip(q["gravity"], q["applied"], q["h"], strict=True))
    still = Substitution(dict.fromkeys(map(rate, closing.coordinates), ZERO))
    terms = {"M": q["M"], "balance": balance, "lines": tuple(row for row, _ in live), "rest": tuple(x for _, x in live)}
    rows = {
        "M": q["M"],
        "gap": tuple(row.position for row in closing.rows),
        "slopes": tuple(row.D for row in closing.rows),
        "flow": tuple(still.apply(row.speed for row in closing.rows)),
    }
    extra = closing.coordinates[n:]
    wide = replace(system, parameters=(*system.parameters, *map(Parameter, extra)))
    native = {**derivation.native, **{x: y for x, y in (terms | rows).items() if x != "M"}}
    holonomic = tuple(row.position is not ZERO for row in closing.rows)
    return ClosedParts(replace(derivation, native=native), wide, terms, rows, holonomic)


def constraint_symbols(system: System) -> Iterator[Expression]:
    """Yield the formulas of the constraint rows, whose symbols are all that the rows depend on."""
    for row in constraint_rows(system).rows:
        yield from (row.position, row.speed)


@dataclass(frozen=True)
class ClosedStart:
    """Start of a closed machine on its constraints, and accelerations of ``simulate`` at states near it.

    Attributes
    ----------
    placed, numbers : the start, moved onto the constraints; numbers that the FMU needs to solve these
    states, accelerations : (t, q, q') of states on the constraints, and the accelerations there
    notes : notes on how the start was moved
    """

    placed: Placed
    numbers: ClosedNumbers
    states: Sequence[tuple[float, Array, Array]]
    accelerations: Sequence[Array]
    notes: tuple[Diagnostic, ...]

    @property
    def positions(self) -> dict[str, float]:
        """Positions and rates of the start by symbol."""
        at = self.placed.state
        return {name: float(x) for name, x in at.q.items()} | {f"{name}'": float(x) for name, x in at.v.items()}

    def store(self, library: Library, parameters: Sequence[float], energies: int) -> StoredNumbers:
        """Return the numbers that test a built FMU: accelerations by ``simulate``, and energies, at all states."""
        states, expected, bounds = [], [], []
        for (t, q, v), a in zip(self.states, self.accelerations, strict=True):
            states.append([t, *q.tolist(), *v.tolist(), *[0.0] * len(q)])
            known = dict(zip(library.symbols, states[-1], strict=True))
            known |= dict(zip(library.parameters, parameters, strict=True))
            last = [evaluate_float(x, known) for x in library.outputs[len(library.outputs) - energies :]]
            expected.append([*a.tolist(), *last])
            off = ROUNDING * max(1.0, float(np.abs(a).max()))
            bounds.append([*[off] * len(a), *(ROUNDING * max(1.0, abs(x)) for x in last)])
        return StoredNumbers([*parameters], states, expected, bounds)


def start_closed(by: Formalism, system: System, start: State, holonomic: Sequence[bool]) -> ClosedStart:
    """Move the start onto the constraints, and find dependent rows there and at states near it.

    Raises
    ------
    AssemblyError
        No state near the start satisfies the constraints.
    NumbersError
        Some coordinates have no inertia, or a number is missing.
    """
    placed, made = place_state(system, start), formulas(system, by, start.parameters)
    equations = MotionEquations(system, made, balanced=False)
    projection = Projection(made, equations, placed.auxiliary, placed.reach, placed.units)
    names = system.coordinate_names
    q, v = (np.array([x[name] for name in names]) for x in (placed.state.q, placed.state.v))
    t = start.t
    try:
        equations.require_inertia(t, q)
    except NoInertiaError as singular:
        raise NumbersError(no_inertia(str(singular))) from None
    states, lengths, dependent = [], [], False
    for at, moved in chain([(q, v)], _near(projection, placed, t, q)):
        metric = equations.metric(t, at)
        columns = metric.lower(equations.slopes(t, at).T)
        own = metric.lower(_without_extra(projection, t, at, len(names)).T)
        ranks = [
            [factorise(x, Lengths(any_), level).rank for level in (CLEAR, RANK, FINE_RANK)]
            for x, any_ in ((columns, equations.of_formulas), (own, False))
        ]
        dependent |= any(coarse != fine for _, coarse, fine in ranks)
        lengths.append([np.linalg.norm(x, axis=0) for x in (columns, own)])
        if all(clear == fine for clear, _, fine in ranks):
            states.append((t, at, moved))
    threshold = FINE_RANK if dependent else RANK
    found = [equations.evaluate_at(*state, threshold).a for state in states]
    rows, closing = (np.max(x, axis=0) for x in zip(*lengths, strict=True))
    judged = _judge(rows, equations.of_formulas), _judge(closing)
    numbers = ClosedNumbers(
        placed.auxiliary.tolist(), placed.reach.tolist(), *judged, tuple(holonomic), threshold, equations.augmented
    )
    return ClosedStart(placed, numbers, states, found, tuple(describe_moves(system, placed)))


def _near(projection: Projection, placed: Placed, t: float, q: Array) -> Iterator[tuple[Array, Array]]:
    """Yield states on the constraints near the start."""
    dice = np.random.default_rng(0)
    for _ in range(STATES):
        projection.p = placed.auxiliary.copy()
        shift, rates = dice.uniform(-1, 1, (2, len(q))) * placed.units
        try:
            found = projection(t, q + SPREAD * shift, rates, RANK)
        except NoInertiaError:
            continue
        if found.gap <= CLOSED and found.rate_gap <= CLOSED * 100:
            yield found.q, found.v
    projection.p = placed.auxiliary.copy()


def _without_extra(projection: Projection, t: float, q: Array, n: int) -> Array:
    """Return the derivatives of the rows (m', n) without their part that coordinates of cut joints can cancel."""
    _, D, _ = projection.rows(t, q)
    base = np.linalg.qr(D[:, n:])[0] if D.shape[1] > n else np.zeros((len(D), 0))
    return np.asarray(D[:, :n] - base @ (base.T @ D[:, :n]))


def _judge(lengths: Array, of_formulas: NDArray[np.bool_] | bool = False) -> list[float]:
    """Return lengths by which rows are divided: for rows of pure rounding 1e300, which makes them zero.

    Rows ``of_formulas`` may have any factor, so that short ones are no rounding, as in :class:`.Lengths`.
    """
    sound = (lengths > NOTHING * lengths.max(initial=0.0)) | (of_formulas & (lengths > 0))
    judged = np.where(sound, lengths, 1e300)
    return [float(x) for x in judged]
