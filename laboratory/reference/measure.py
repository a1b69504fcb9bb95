"""Simulated reference problems: deviation from the known motion, and its cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.registry import scalar
from mbconcord.model.expressions import Expression
from mbconcord.simulation.motion.formulas import EquationNumbers
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import DEFAULT, Trajectory, TrajectoryRow, quickest
from mbconcord.validation.judge.progress import count_progress

from .problems import Conserved, KnownMotion, ReferenceProblem

Array = NDArray[np.float64]
#: Times are told apart to this (s).
TICK = 1e-6


@dataclass(frozen=True)
class MeasuredError:
    """Measured error of a run at a tolerance.

    Attributes
    ----------
    problem, what : its name, and the compared quantity
    formalism, method, tolerance : of the run
    error : of the compared quantity, see :class:`.problems.KnownMotion`; infinite if the run did not get that far
    limit : of the error; None if none is set at this tolerance, or if the printed digits are the limit
    met : True if the error is within it; None if none is set
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
        """Convert to a mapping."""
        return asdict(self)


def measure_errors(
    problems: Iterable[ReferenceProblem], by: Formalism | None = None, method: str = DEFAULT
) -> Iterator[MeasuredError]:
    """Solve every problem at its tolerances; None: by the equations of the fastest formalism."""
    cases = [(problem, tolerance) for problem in problems for tolerance in problem.tolerances]
    for problem, tolerance in count_progress("run", cases, lambda case: f"{case[0].name} at {case[1]:g}"):
        yield from judge(problem, follow(problem, tolerance, by, method))


def follow(
    problem: ReferenceProblem, tolerance: float, by: Formalism | None = None, method: str = DEFAULT
) -> Trajectory:
    """Simulate, with a row at every time with a known result, or else at many."""
    ticks = [round(t / TICK) for t in (*problem.times, problem.until)]
    step = float(np.gcd.reduce(ticks)) * TICK if problem.times else None
    balanced = any(item.formula is None for item in problem.conserved)
    settings = RunSettings(problem.until, method, tolerance, step, balanced=balanced)
    return simulate(problem.system, by or quickest(problem.system), problem.state, settings)


def judge(problem: ReferenceProblem, found: Trajectory) -> Iterator[MeasuredError]:
    """Yield errors of a motion; limits apply at the problem's last tolerance and below."""
    numbers = EquationNumbers(problem.system, {})
    counts = found.tolerance <= problem.tolerances[-1]

    def result(what: str, error: float, limit: float | None, met: bool) -> MeasuredError:
        stopped = str(found.stopped) if found.stopped else ""
        return MeasuredError(
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
    found: Trajectory, numbers: EquationNumbers, formulas: Sequence[Expression], rows: Sequence[TrajectoryRow]
) -> Array:
    """Evaluate formulas at rows (rows, formulas)."""
    names = ["t", *found.coordinates, *(f"{name}'" for name in found.coordinates)]
    function = scalar(numbers.apply(formulas), names)
    return np.array([function([row.t, *row.q.tolist(), *row.v.tolist()]) for row in rows])


def _error(known: KnownMotion, values: Array) -> tuple[float, bool]:
    """Return the error, and whether it is within its limit."""
    numbers = np.array(list(map(float, known.numbers)))
    errors = np.abs(values - numbers)
    if known.limit is None:
        return float(errors.max()), bool((errors <= [half_unit(text) for text in known.numbers]).all())
    error = float(errors.max() / np.abs(numbers).max()) if known.relative else float(np.linalg.norm(errors))
    return error, error <= known.limit


def _change(item: Conserved, found: Trajectory, numbers: EquationNumbers) -> float:
    """Return the largest change of a conserved quantity, relative to its size."""
    if item.formula is None:
        sizes = [abs(row.kinetic) + abs(row.potential) + abs(row.work) for row in found.found]
        return float(max(abs(row.balance) for row in found.found) / max(sizes))
    values = _values(found, numbers, [item.formula], found.found)[:, 0]
    return float(np.abs(values - values[0]).max() / np.abs(values).max())


def half_unit(text: str) -> float:
    """Return half a unit of a written number's last digit."""
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - decimals)
