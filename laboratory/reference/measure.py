"""Reference problems as data (``reference.toml``), simulated: deviation from the known motion, and its cost."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.converters import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.registry import scalar
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ReadError, error
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.motion.formulas import EquationNumbers
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import DEFAULT, Trajectory, TrajectoryRow, quickest
from mbconcord.validation.judge.progress import count_progress

FILE: Final = "reference.toml"
KEYS: Final = {"name", "file", "source", "until", "tolerances"}


@dataclass(frozen=True)
class KnownMotion:
    """Values of formulas at a time.

    ``name`` says what they are. ``limit`` is of the errors; None: half a unit of the last digit of each number.
    ``relative``: to the largest.
    """

    name: str
    t: float
    formulas: tuple[Expression, ...]
    numbers: tuple[str, ...]
    limit: float | None
    relative: bool


@dataclass(frozen=True)
class Conserved:
    """A constant formula, relative to its size; None: the balance of energies with the work of forces."""

    name: str
    formula: Expression | None
    limit: float


@dataclass(frozen=True)
class ReferenceProblem:
    """A mechanism, its end time and tolerances, and its known motion.

    The limits are those of the last tolerance.
    """

    name: str
    system: System
    state: State
    source: str
    until: float
    tolerances: tuple[float, ...]
    values: tuple[KnownMotion, ...]
    conserved: tuple[Conserved, ...]


def problems(folder: Path) -> tuple[ReferenceProblem, ...]:
    """Read the problems of a folder that has a ``reference.toml``.

    :class:`ReadError`: there is no such file, it is not TOML, or a problem is wrong: which, and why.
    """
    file = folder / FILE if folder.is_dir() else folder
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        remedy = f"name a folder with a {FILE}, for example fixtures/reference"
        raise ReadError(error(str(file), f"{problem.strerror}", remedy)) from None
    except ValueError as problem:  # of TOML, or of its characters
        raise ReadError(error(str(file), f"not TOML: {problem}")) from None
    entries = data.get("problem")
    if not isinstance(entries, list) or not entries:
        raise ReadError(
            error(str(file), "it has no problems", "[[problem]] with name, file, source, until, tolerances")
        )
    found: list[ReferenceProblem] = []
    findings: list[Diagnostic] = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_problem(entry, file))
        except MbconcordError as problem:
            findings += problem.diagnostics
        except (KeyError, TypeError, ValueError) as problem:
            name = entry.get("name", number) if isinstance(entry, dict) else number
            findings.append(error(str(file), f"problem {name}: {type(problem).__name__} {problem}"))
    if findings:
        raise ReadError(findings)
    return tuple(found)


def _problem(entry: Mapping[str, Any], file: Path) -> ReferenceProblem:
    missing = sorted(KEYS - entry.keys())
    if missing:
        raise ReadError(_wrong(file, entry, f"has no {', '.join(missing)}"))
    model = file.parent / entry["file"]
    system = registry.read(model, "native" if model.suffix == ".json" else None, "ignore").system
    values = tuple(_read_known(item, file, entry) for item in entry.get("values", ()))
    conserved = tuple(_read_conserved(entry.get("conserved", ())))
    if not values and not conserved:
        raise ReadError(_wrong(file, entry, "says nothing of the motion: give values or conserved"))
    until, tolerances = float(entry["until"]), tuple(map(float, entry["tolerances"]))
    late = [known.t for known in values if not 0 < known.t <= until]
    if late or not tolerances or until <= 0:
        raise ReadError(_wrong(file, entry, "its times are not within the run, or it has no tolerances"))
    start = entry.get("state", {})  # where it differs from the model's own
    state = State(0.0, *({name: float(x) for name, x in start.get(part, {}).items()} for part in ("q", "v")))
    return ReferenceProblem(entry["name"], system, state, entry["source"], until, tolerances, values, conserved)


def _read_known(item: Mapping[str, Any], file: Path, entry: Mapping[str, Any]) -> KnownMotion:
    formulas, numbers = tuple(map(parse_formula, item["formulas"])), tuple(map(str, item["numbers"]))
    if len(formulas) != len(numbers):
        raise ReadError(_wrong(file, entry, f"has {len(formulas)} formulas for {len(numbers)} numbers"))
    for number in numbers:
        float(number)
    limit = None if item.get("digits") else float(item["limit"])
    return KnownMotion(item["name"], float(item["t"]), formulas, numbers, limit, bool(item.get("relative")))


def _read_conserved(items: Any) -> Iterator[Conserved]:
    for item in items:
        formula = parse_formula(item["formula"]) if "formula" in item else None
        yield Conserved(item["name"], formula, float(item["limit"]))


def _wrong(file: Path, entry: Mapping[str, Any], message: str) -> Diagnostic:
    return error(str(file), f"problem {entry.get('name', '')}: {message}")


Array = NDArray[np.float64]
#: Times are told apart to this (s).
TICK = 1e-6


@dataclass(frozen=True)
class MeasuredError:
    """Measured error of a run at a tolerance, infinite if the run did not get that far: see :class:`KnownMotion`.

    ``limit``: None if none is set at this tolerance, or if the printed digits are it. ``met``: None if none is set.
    ``evaluations``, ``seconds``: of the whole run; processor time. ``stopped``: why the run ended before its end.
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
    ticks = [round(t / TICK) for t in (*(known.t for known in problem.values), problem.until)]
    step = float(np.gcd.reduce(ticks)) * TICK if problem.values else None
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
