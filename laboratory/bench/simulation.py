"""Motion in time: reference problems, singular positions, drift, the crane, a falling robot, a mechanism that locks.

Times are of the processor, for a whole run with its code generation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, pi

import numpy as np
from scipy.integrate import solve_ivp

from laboratory.machines import fixture, four_bars, serial_four_bars, serial_upright, upright
from mbconcord.converters.registry import read_text
from mbconcord.fixtures import folder
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory, quickest
from mbconcord.validation.judge.closed.rows import constraint_rows
from mbconcord.validation.judge.progress import count_progress

from ..reference.measure import follow, judge, problems
from .row import BenchmarkRow

#: Tolerances at which two four-bars pass positions with all rods in line, and from how many neighbouring starts.
TOLERANCES = (1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
STARTS = 40
#: Tolerance of a chain whose accelerations have no more digits.
CHAIN = 1e-8
#: A crank of 0.3 m longer than its rod of 0.2 m turns at 2 rad/s: it locks where 0.3 sin 2t = 0.2.
LOCKS = (
    "n(2 t) i0.3 $1 [0.01,0.01,0.01] #crank > z(b)°180 i0.2 $1 [0.01,0.01,0.01] #rod"
    " \\ u(s)°0.1 $1 [0.01,0.01,0.01] #slider \\ #rod z(p) = < #slider"
)
LOCKED = float(np.arcsin(2 / 3) / 2)
#: Where a UR5 falls from (rad).
FALLING = dict(zip(("q1", "q2", "q3", "q4", "q5", "q6"), (0.0, -1.0, 1.0, -0.5, 0.3, 0.2), strict=True))
#: Runs of which the quickest counts, where processor time is limited.
RUNS = 3
PENDULUM = "A01: a point of 1 kg on a rod"


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    yield from _reference()
    yield from _chain()
    yield from _in_line()
    yield from _drift()
    yield from _crane()
    yield from _robot()
    yield from _measure_lock_up()


def run(system: System, until: float, tolerance: float, state: State | None = None, **more: float) -> Trajectory:
    """Simulate by the fastest equations; the work of forces is not balanced."""
    settings = RunSettings(until, tolerance=tolerance, balanced=bool(more.pop("balanced", False)), **more)  # type: ignore[arg-type]
    return simulate(system, quickest(system), state or State(), settings)


def crank_angle(n: int, speed: float, until: float) -> float:
    """Integrate the angle of the cranks on the regular branch: ((N+1)/3 + N) θ'' = -((N+1)/2 + N) g cos θ."""
    ratio = ((n + 1) / 2 + n) / ((n + 1) / 3 + n)

    def rate(_: float, y: Sequence[float]) -> list[float]:
        return [y[1], -ratio * 9.81 * cos(y[0])]

    found = solve_ivp(rate, (0, until), [pi / 2, -speed], method="DOP853", rtol=3e-14, atol=1e-14)
    return float(found.y[0, -1])


def _reference() -> Iterator[BenchmarkRow]:
    for problem in problems(folder() / "reference"):
        tolerance = problem.tolerances[-1]
        found = follow(problem, tolerance)
        for row in judge(problem, found):
            note = f"tolerance {tolerance:g}, {row.evaluations:,} evaluations, {row.seconds:.2f} s"
            if row.limit is None:
                note += "; the limit is half a unit of the last digit printed"
                yield BenchmarkRow(f"{problem.name}: {row.what}: digits missed", float(not row.met), "", 0, note=note)
            else:
                yield BenchmarkRow(f"{problem.name}: {row.what}", row.error, "", row.limit, note=note)
    found = run(four_bars(40), 10.0, 1e-9, upright(40), step_out=10.0)
    yield BenchmarkRow("forty four-bars, 10 s", found.seconds, "s", 8.0, note=f"{found.evaluations:,} evaluations")


def _chain() -> Iterator[BenchmarkRow]:
    """Measure one chain, whose mass matrix is dense with a condition of 1e7.

    So its accelerations are known to about 1e-9, and below that step control follows rounding: at a tolerance of 1e-9
    it makes eight times as many as at 1e-8.
    """
    found = run(serial_four_bars(40), 20.0, CHAIN, serial_upright(40), step_out=10.0)
    for t, limit in ((10.0, 1e-6), (20.0, 1e-5)):
        row = next((row for row in found.found if row.t == t), None)
        error = np.inf if row is None else abs(row.q[0] - crank_angle(40, 1.0, t))
        yield BenchmarkRow(f"forty four-bars as one chain, {CHAIN:g}: crank at {t:g} s", error, "rad", limit)
    note = f"{found.evaluations:,} evaluations"
    yield BenchmarkRow("the same: time of 20 s", found.seconds, "s", 8.0, note=note)


def _in_line() -> Iterator[BenchmarkRow]:
    system, speeds = four_bars(2), np.linspace(0.98, 1.02, STARTS).tolist()
    exact = [crank_angle(2, speed, 10.0) for speed in speeds]
    for tolerance in TOLERANCES:
        stalls, errors, evaluations = 0, [], []
        for speed, angle in zip(count_progress("start", speeds, lambda s: f"{s:.4f} m/s"), exact, strict=True):
            found = run(system, 10.0, tolerance, upright(2, speed), step_out=10.0)
            stalls += found.stopped is not None
            errors.append(abs(found.q[-1, 0] - angle))
            evaluations.append(found.evaluations)
        what = f"two four-bars through positions in line, {STARTS} starts, {tolerance:g}"
        yield BenchmarkRow(f"{what}: runs that stall", stalls, "", 0)
        note = f"median error {np.median(errors):.1e}, median of evaluations {np.median(evaluations):,.0f}"
        limit = {1e-10: 1e-7}.get(tolerance)
        yield BenchmarkRow(f"{what}: largest error at 10 s", max(errors), "rad", limit, note=note)


def _drift() -> Iterator[BenchmarkRow]:
    """Measure gaps of all rows of tables over 100 s, by validation's own constraint rows."""
    pendulum = read_text("u(x)°-1 v(y) $1 [0,0,0] #bob ; g9.81-y \\ #bob :(1, 0) < #0", format="mbsd").system
    crane = fixture("mbsd/patu655.mbsd")
    for name, system, state, tolerance in (
        (PENDULUM, pendulum, State(), 1e-10),
        ("A02: two four-bars", four_bars(2), upright(2), 1e-10),
        ("A02: forty four-bars", four_bars(40), upright(40), 1e-9),
        ("crane", crane, State(), 1e-8),
    ):
        found = run(system, 100.0, tolerance, state)
        gap, speed = gaps(system, found)
        note = f"tolerance {tolerance:g}, {found.evaluations:,} evaluations, {found.seconds:.1f} s"
        yield BenchmarkRow(f"drift over 100 s, {name}", gap if found.stopped is None else np.inf, "m", 1e-11, note=note)
        closed = max(row.gap for row in found.found)
        yield BenchmarkRow(f"rows closed, {name}: positions, of what they are made of", closed, "", 1e-12)
        yield BenchmarkRow(f"rows closed, {name}: rates", speed, "m/s", 1e-10)


def gaps(system: System, found: Trajectory) -> tuple[float, float]:
    """Return largest |f| and |D q' + γ| of all rows (m, m/s), by rows independent of the simulation's."""
    names = found.coordinates
    states = [State(row.t, *(dict(zip(names, x.tolist(), strict=True)) for x in (row.q, row.v))) for row in found.found]
    rows = constraint_rows(system, states)
    return float(np.abs(rows.gap).max()), float(np.abs(rows.speed).max())


def _crane() -> Iterator[BenchmarkRow]:
    system = fixture("mbsd/patu655.mbsd")
    found = min((run(system, 20.0, 1e-8, balanced=True) for _ in range(RUNS)), key=lambda one: one.seconds)
    note = f"{found.evaluations:,} evaluations, tolerance 1e-8, quickest of {RUNS}"
    yield BenchmarkRow("crane, 20 s", found.seconds, "s", 1.0, note=note)
    fine = run(system, 20.0, 1e-11, balanced=True)
    apart = float(np.abs(found.q - fine.q).max())
    yield BenchmarkRow("crane, 20 s: difference from a run at 1e-11", apart, "m, rad", 1e-6)
    size = max(abs(row.kinetic) + abs(row.potential) for row in found.found)
    balance = max(abs(row.balance) for row in found.found) / size
    yield BenchmarkRow("crane, 20 s: energies and work balance", balance, "", 1e-7, note="relative")


def _robot() -> Iterator[BenchmarkRow]:
    system = fixture("robots/ur5.mbsd")
    state = State(q=FALLING)
    found = min((run(system, 10.0, 1e-9, state) for _ in range(RUNS)), key=lambda one: one.seconds)
    note = f"{found.evaluations:,} evaluations by {found.formalism}, tolerance 1e-9, quickest of {RUNS}"
    yield BenchmarkRow("UR5 falling, 10 s", found.seconds, "s", 0.5, note=note)
    total = np.array([row.kinetic + row.potential for row in found.found])
    size = max(abs(row.kinetic) + abs(row.potential) for row in found.found)
    note = "its end is chaotic and never compared"
    yield BenchmarkRow("UR5 falling: change of its energy", float(np.ptp(total) / size), "", 1e-7, note=note)


def _measure_lock_up() -> Iterator[BenchmarkRow]:
    system = read_text(LOCKS, format="mbsd").system
    found = run(system, 1.0, 1e-9, step_out=0.01)
    late = abs(found.reached - LOCKED) if found.stopped is not None else np.inf
    yield BenchmarkRow("a crank longer than its rod: distance of the stop from the lock-up", late, "s", 1e-9)
    yield BenchmarkRow("the same: gap of the last row", found.found[-1].gap, "", 1e-10)
