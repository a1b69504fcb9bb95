"""Machine code of equations and of other programs in one run: Pinocchio in C++, MuJoCo in C, CasADi's C.

Times are of the processor, on one core, medians of rounds in which all take turns; ratios are medians of the ratios of
a round. A program is measured once its numbers agree; programs that are not installed are listed. Batches have 10,000
states.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from laboratory.machines import fixture
from mbconcord.kernels.llvm.build import source
from mbconcord.kernels.llvm.engine import host, machine_code
from mbconcord.kernels.registry import choose_backend
from mbconcord.model.expressions import count_operations

from ..kernels import STATES, Case, plain_calls
from ..lagrange import derivation_time, pendulum, sympy_time
from ..newton_euler import chain
from ..row import BenchmarkRow, in_turn, least, pin_processor, ratio
from .mechanisms import Mechanism, claims, limits, mechanisms
from .programs import PROGRAMS, AbsentError, PeerProgram, Work


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    choose_backend("llvm")  # refuses where it is not installed
    results = measure()
    for measured in (*results.batches, *results.mechanisms, *results.chains):
        yield from rows_of(measured)
    yield from (BenchmarkRow(**{name: x for name, x in row.items() if name != "met"}) for row in results.claims)
    for p in results.pendulums:
        what = f"planar pendulum of {p['links']} links: derived faster than by SymPy"
        yield BenchmarkRow(what, p["sympy"] / p["here"], "times", 100, False, f"{p['here']:.2g} s here")


def rows_of(measured: PeerTiming) -> Iterator[BenchmarkRow]:
    """Report one quantity: our times, and the ratio to each other program."""
    what = f"{measured.model}: {measured.quantity}"
    limits = LIMITS.get((measured.model, measured.quantity), (None, None))
    for i, layout in enumerate(("columns", "rows")):
        yield BenchmarkRow(f"{what}, {layout}", measured.columns if layout == "columns" else measured.rows, "ns/state")
        for name, other in measured.others.items():
            if other.faster is None or other.time is None:
                if not i:
                    yield BenchmarkRow(f"{what}: {name}", float("nan"), "", note=other.note)
                continue
            limit = limits[i] if name.startswith("Pinocchio") else None
            note = f"{other.time:,.0f} ns/state{f', {other.note}' if other.note else ''}"
            yield BenchmarkRow(f"{what}, {layout}: faster than {name}", other.faster[i], "times", limit, False, note)


#: Largest difference from another program, relative to the largest number, with which it is measured.
AGREEMENT: Final = 1e-9
CHAINS: Final = (5, 10, 20, 30, 50, 100)
#: Of the pendulums that SymPy derives too.
LINKS: Final = (2, 3, 4, 5)
#: States at which a program is asked which of its ways is fastest, and whether it agrees.
FEW: Final = 200
#: States of which the numbers fit in the caches of a core.
NEAR: Final = 480
#: Of the last link of a UR5.
MOTION: Final = "pose(tool0), jacobian(tool0)"
#: (model, quantity) -> how many times as fast as Pinocchio, from columns, from rows; of robots, and of all.
ROBOTS: Final[Mapping[tuple[str, str], tuple[float | None, float | None]]] = {
    ("UR5", "inverse_dynamics"): (60, 50), ("UR5", "acceleration"): (58, 54), ("UR5", "M"): (28, 20),
    ("UR5", MOTION): (20, 18), ("UR5", "dtau_dq, dtau_dv"): (35, None), ("UR5", "da_dq, da_dv, da_dtau"): (25, None),
    ("Talos", "inverse_dynamics"): (28, 28), ("Talos", "acceleration"): (30, 30), ("Talos", "M"): (4, 4),
    ("UR5", "regressor_nonzero"): (10, None), ("Talos", "M_lower"): (8, None),
}  # fmt: skip
CHAINED: Final = {("chain of 30", "inverse_dynamics"): (25, 25), ("chain of 100", "inverse_dynamics"): (17, 17)}
LIMITS: Final = {**ROBOTS, **CHAINED, **limits()}


@dataclass(frozen=True)
class Other:
    """Another program, compared with ours: nanoseconds per state; None: it was not measured.

    ``note``: the way of its that is fastest, or why it was not measured. ``difference``: from our results, relative to
    the largest. ``faster``: how many times as fast ours is, from columns, from rows.
    """

    time: float | None = None
    note: str = ""
    difference: float = 0.0
    faster: tuple[float, float] | None = None


@dataclass(frozen=True)
class PeerTiming:
    """A quantity of a model: seconds of derivation and of compiling, operations, nanoseconds per state.

    ``near`` is that of few states again and again, by columns, which the processor's caches hold.
    """

    model: str
    quantity: str
    coordinates: int
    derived: float
    compiled: float
    multiplications: int
    additions: int
    columns: float
    rows: float
    near: float
    one: float
    others: Mapping[str, Other] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """All results of a run.

    ``claims``: rows beside no other program. ``pendulums``: seconds, here and by SymPy, of M, h and Q of planar ones
    with symbolic lengths and masses.
    """

    machine: Mapping[str, str]
    versions: Mapping[str, str]
    batches: tuple[PeerTiming, ...]
    mechanisms: tuple[PeerTiming, ...]
    claims: tuple[Mapping[str, Any], ...]
    chains: tuple[PeerTiming, ...]
    pendulums: tuple[Mapping[str, float], ...]


def measure() -> Results:
    """Measure everything, on one processor."""
    with TemporaryDirectory() as place, pin_processor():
        programs, absent = _programs(Path(place))
        batches = tuple(_measure(case, programs, absent) for case in cases())
        closed = tuple(_measure(case, programs, absent) for case in mechanisms())
        others = tuple(row.to_json() for row in (*plain_calls(), *claims(closed)))
        chains = tuple(_measure(Case(f"chain of {n}", chain(n), "inverse_dynamics"), programs, absent) for n in CHAINS)
        pendulums = tuple({"links": n, "here": derivation_time(pendulum(n)), "sympy": sympy_time(n)} for n in LINKS)
    versions = {name: version(name) for name in ("numpy", "llvmlite", "sympy")}
    versions |= {program.name: program.version for program in programs} | absent
    return Results(_machine(), versions, batches, closed, others, chains, pendulums)


def cases() -> Iterator[Case]:
    """Yield the claimed cases other than the chains."""
    for name, quantity in ROBOTS:
        make = Mechanism if quantity in ("regressor_nonzero", "M_lower") else Case
        yield make(name, fixture(f"robots/{name.lower()}.mbsd"), quantity)


def _programs(place: Path) -> tuple[list[PeerProgram], dict[str, str]]:
    """Return measurable programs, and why others are not."""
    found, absent = [], {}
    for name, make in PROGRAMS.items():
        try:
            found.append(make(place))
        except AbsentError as reason:
            absent[name] = str(reason)
    return found, absent


def _measure(case: Case, programs: list[PeerProgram], absent: Mapping[str, str]) -> PeerTiming:
    counted = count_operations(case.outputs)
    task = case.task()
    compiled = least(lambda: machine_code(source(task), host()), 1)
    function, named = case.function(), case.states()
    states = [*named.values()]
    works: dict[str, Callable[[], Any]] = {}
    for name, order in (("columns", "F"), ("rows", "C")):
        given = {key: np.asarray(x, order=order) for key, x in named.items()}  # type: ignore[call-overload]
        out = np.empty((STATES, len(case.outputs)), order=order)  # type: ignore[call-overload]
        works[name] = partial(function, **given, out=out)
    few = [np.asfortranarray(x[:NEAR]) for x in states]
    held = np.empty((NEAR, len(case.outputs)), order="F")
    works["near"] = partial(function.ufunc, *few, out=held)
    expected = function(**{key: x[:FEW] for key, x in named.items()})
    others = {name: Other(note=reason) for name, reason in absent.items()}
    for program in programs:
        try:
            way, work, difference = _fastest(program, case, states, expected)
        except AbsentError as reason:
            others[program.name] = Other(note=str(reason))
            continue
        others[program.name] = Other(note=way, difference=difference)
        works[program.name] = partial(work, states, None)
    times = in_turn(works)
    each = {name: median(found) / (NEAR if name == "near" else STATES) * 1e9 for name, found in times.items()}
    for program in programs:
        if program.name in times:
            kept, own = others[program.name], times[program.name]
            faster = ratio(own, times["columns"]), ratio(own, times["rows"])
            others[program.name] = Other(each[program.name], kept.note, kept.difference, faster)
    return PeerTiming(
        case.name, case.quantity, len(case.system.coordinate_names), least(case.derive, 1), compiled, counted.mul,
        counted.add,
        each["columns"], each["rows"], each["near"], case.one(), {x: others[x] for x in PROGRAMS if x in others},
    )  # fmt: skip


def _fastest(program: PeerProgram, case: Case, states: list[Any], expected: Any) -> tuple[str, Work, float]:
    """Return the fastest way of a program, once its numbers equal ours.

    :class:`AbsentError`: it does not take the model, or it disagrees.
    """
    few = [np.ascontiguousarray(x[:FEW]) for x in states]
    found, apart = [], []
    for name, work in program.works(case).items():
        out = np.full((FEW, len(case.outputs)), np.nan)
        work(few, out)
        off = np.abs(out - expected) / np.abs(expected).max()
        difference = float(off[:, : case.sure].max())
        if difference <= AGREEMENT:
            found.append((least(partial(work, few, None), 5), name, work, difference))
        else:
            apart.append(difference)
    if not found:
        raise AbsentError(f"disagrees: {min(apart):.1e} of the largest number")
    _, name, work, difference = min(found, key=lambda each: each[0])
    return name, work, difference


def _machine() -> dict[str, str]:
    """Describe the machine of the measurement, and its load."""
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": f"{host().cpu}, {os.cpu_count()} cores",
        "system": platform.platform(terse=True),
        "Python": platform.python_version(),
        "load in the last 1, 5 and 15 minutes": load,
    }
