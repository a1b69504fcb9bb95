"""Reference problems followed in time: how far the motion is from what is known of it, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.scalar import scalar
from mbconcord.model.expressions import Expression
from mbconcord.simulation.motion.choice import quickest
from mbconcord.simulation.motion.formulas import Numbers
from mbconcord.simulation.motion.methods import DEFAULT
from mbconcord.simulation.motion.run import Settings, simulate
from mbconcord.simulation.motion.trajectory import Row, Trajectory

from ..progress import counted
from .problems import Conserved, Known, Problem

Array = NDArray[np.float64]
#: Times are told apart to this (s).
TICK = 1e-6


@dataclass(frozen=True)
class Measured:
    """What is known of a problem beside what a run at a tolerance has found.

    Attributes
    ----------
    problem, what : its name, and what is compared
    formalism, method, tolerance : of the run
    error : of what is compared, see :class:`.problems.Known`; infinite where the run did not come so far
    limit : of the error; None where none is set at this tolerance, or where the digits that are printed are it
    met : whether the error is within it; None where none is set
    evaluations, seconds : of the whole run; processor time
    stopped : why the run ended before its end
    """

    problem: str
    what: str
    formalism: str
    method: str
    tolerance: float
    error: float
    limit: float | None
    met: bool | None
    evaluations: int
    seconds: float
    stopped: str = ""

    def to_json(self) -> dict[str, Any]:
        """As a mapping."""
        return asdict(self)


def measured(
    problems: Iterable[Problem], by: Formalism | None = None, method: str = DEFAULT
) -> Iterator[Measured]:
    """Every problem at each of its tolerances; None: by the equations of the formalism that is quickest."""
    cases = [(problem, tolerance) for problem in problems for tolerance in problem.tolerances]
    for problem, tolerance in counted("run", cases, lambda case: f"{case[0].name} at {case[1]:g}"):
        yield from judged(problem, followed(problem, tolerance, by, method))


def followed(
    problem: Problem, tolerance: float, by: Formalism | None = None, method: str = DEFAULT
) -> Trajectory:
    """The motion, with a row at every time at which something is known, or else at many."""
    ticks = [round(t / TICK) for t in (*problem.times, problem.until)]
    step = float(np.gcd.reduce(ticks)) * TICK if problem.times else None
    balanced = any(item.formula is None for item in problem.conserved)
    settings = Settings(problem.until, method, tolerance, step, balanced=balanced)
    return simulate(problem.system, by or quickest(problem.system), problem.state, settings)


def judged(problem: Problem, found: Trajectory) -> Iterator[Measured]:
    """Errors of a motion. Limits are of the problem's last tolerance, and of what is finer."""
    numbers = Numbers(problem.system, {})
    counts = found.tolerance <= problem.tolerances[-1]

    def result(what: str, error: float, limit: float | None, met: bool) -> Measured:
        stopped = str(found.stopped) if found.stopped else ""
        return Measured(
            problem.name, what, found.formalism, found.method, found.tolerance, error, limit if counts else None,
            met if counts else None, found.evaluations, found.seconds, stopped,
        )  # fmt: skip

    for known in problem.values:
        row = next((row for row in found.found if abs(row.t - known.t) < TICK / 2), None)
        error, met = np.inf, False
        if row is not None:
            error, met = _error(known, _values(found, numbers, known.formulas, [row])[0])
        yield result(f"{known.name} at {known.t:g} s", error, known.limit, met)
    for item in problem.conserved:
        error = _change(item, found, numbers) if found.stopped is None else np.inf
        yield result(item.name, error, item.limit, error <= item.limit)


def _values(
    found: Trajectory, numbers: Numbers, formulas: Sequence[Expression], rows: Sequence[Row]
) -> Array:
    """Values of formulas at rows (rows, formulas)."""
    names = ["t", *found.coordinates, *(f"{name}'" for name in found.coordinates)]
    function = scalar(numbers.of(formulas), names)
    return np.array([function([row.t, *row.q.tolist(), *row.v.tolist()]) for row in rows])


def _error(known: Known, values: Array) -> tuple[float, bool]:
    """The error, and whether it is within its limit."""
    numbers = np.array(list(map(float, known.numbers)))
    errors = np.abs(values - numbers)
    if known.limit is None:
        return float(errors.max()), bool((errors <= [half_unit(text) for text in known.numbers]).all())
    error = float(errors.max() / np.abs(numbers).max()) if known.relative else float(np.linalg.norm(errors))
    return error, error <= known.limit


def _change(item: Conserved, found: Trajectory, numbers: Numbers) -> float:
    """The largest change of what is conserved, relative to its size."""
    if item.formula is None:
        sizes = [abs(row.kinetic) + abs(row.potential) + abs(row.work) for row in found.found]
        return float(max(abs(row.balance) for row in found.found) / max(sizes))
    values = _values(found, numbers, [item.formula], found.found)[:, 0]
    return float(np.abs(values - values[0]).max() / np.abs(values).max())


def half_unit(text: str) -> float:
    """Half a unit of the last digit of a number as it is written."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - decimals)
