"""Machine code of equations: time per state, of one state, of compiling, from disk; beside NumPy and other programs.

Times are of the processor, the least of several runs, so that other work on the machine counts less. Batches are of
10,000 states, written to arrays that are there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.batch import over_numpy
from mbconcord.kernels.llvm import build as building
from mbconcord.kernels.llvm.build import Task, build, digest, source
from mbconcord.kernels.llvm.cache import Cache
from mbconcord.kernels.llvm.engine import host, machine_code
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.operands import Operand, Result
from mbconcord.kernels.registry import chosen
from mbconcord.kernels.scalar import scalar
from mbconcord.model.derivation import flatten
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.expressions.program import program
from mbconcord.model.system import System

from .newton_euler import chain
from .row import Row

STATES = 10_000
#: Of the batch by NumPy, and by generated Python.
FEWER, FEW = 2_000, 200


def rows() -> Iterator[Row]:
    """All rows."""
    chosen("llvm")  # refuses where it is not installed
    ur5 = read(folder("robots") / "ur5.mbsd").system
    inverse, forward = Case("UR5", ur5, "inverse_dynamics"), Case("UR5", ur5, "acceleration")
    yield from _batches(inverse)
    yield from _batches(forward)
    yield from _batches(Case("UR5", ur5, "M"))
    yield Row(f"{inverse}, single precision, columns", inverse.batch("F", np.float32), "ns/state")
    yield Row(
        f"{inverse}, products not fused, columns", inverse.batch("F", options=Options(fma=False)), "ns/state"
    )
    plain = inverse.batch("F", options=Options(accuracy="plain"))
    yield Row(f"{inverse}, sines within 1.5 ulp, columns", plain, "ns/state")
    yield from _others(inverse)
    yield Row(f"{inverse}, one state, bound arrays", inverse.one(), "ns")
    yield from _others_installed(inverse)
    talos = read(folder("robots") / "talos.mbsd").system
    larger = [Case("Talos", talos, name) for name in ("inverse_dynamics", "acceleration")]
    larger += [Case(f"chain of {n} bodies", chain(n), "inverse_dynamics") for n in (30, 100)]
    for case in larger:
        yield from _batches(case)
    for case, limit in ((inverse, 0.15), (larger[0], 0.5), (larger[-1], 1.5)):
        yield from _compiling(case, limit)


@dataclass(frozen=True)
class Case:
    """A quantity of a model by Newton and Euler as a function of arrays."""

    name: str
    system: System
    quantity: str

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"

    @cached_property
    def outputs(self) -> list[Expression]:
        """What is computed."""
        return list(flatten(NewtonEuler().derive(self.system).quantities[self.quantity]))

    @cached_property
    def operands(self) -> tuple[tuple[str, ...], ...]:
        """Symbols of q, v, a, as far as they are needed; robots and chains have no others."""
        names = self.system.coordinate_names
        groups = [tuple(name + order for name in names) for order in ("", "'", "''")]
        used = symbols(self.outputs)
        return tuple(group for group in groups if used & {*group})

    def function(self, options: Options | None = None) -> ArrayFunction:
        """Over machine code."""
        operands = [Operand("qva"[i], group) for i, group in enumerate(self.operands)]
        return ArrayFunction(
            operands,
            [Result(self.quantity, (len(self.outputs),))],
            self.outputs,
            "llvm",
            options or Options(),
        )

    def states(self, order: Any = "C", dtype: Any = np.float64, count: int = STATES) -> list[Any]:
        """Arrays (states, coordinates), by rows or by columns."""
        dice = np.random.default_rng(1)
        return [np.asarray(dice.uniform(-3, 3, (count, len(g))), dtype, order) for g in self.operands]

    def batch(self, order: Any, dtype: Any = np.float64, options: Options | None = None) -> float:
        """Nanoseconds per state."""
        function, given = self.function(options), self.states(order, dtype)
        out = np.empty((STATES, len(self.outputs)), dtype, order)
        return least(lambda: function(*given, out=out)) / STATES * 1e9

    def one(self) -> float:
        """Nanoseconds of one state in bound arrays."""
        bound = self.function().bind(*(x[0] for x in self.states(count=1)))

        def many() -> None:
            for _ in range(1000):
                bound()

        return least(many) / 1000 * 1e9

    def values(self, count: int) -> Mapping[str, Any]:
        """Columns by symbol."""
        groups = zip(self.operands, self.states(count=count), strict=True)
        return {name: x[:, i] for group, x in groups for i, name in enumerate(group)}

    def task(self) -> Task:
        """What is compiled."""
        return Task(program(self.outputs), self.operands, (len(self.outputs),))


def least(work: Callable[[], object], runs: int = 9) -> float:
    """Least processor time of a call over several runs, after one that is not counted."""
    work()
    times = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def _batches(case: Case) -> Iterator[Row]:
    for layout, order in (("columns", "F"), ("rows", "C")):
        yield Row(f"{case}, {layout}", case.batch(order), "ns/state")


def _others(case: Case) -> Iterator[Row]:
    """The other backends of this program, beside machine code of rows in the same run."""
    here = case.batch("C")
    values = case.values(FEWER)
    run = over_numpy(case.outputs)
    there = least(lambda: run(values), 3) / FEWER * 1e9
    yield Row(f"{case}: faster than NumPy", there / here, "times", 25, False, f"NumPy {there:,.0f} ns/state")
    names = [name for group in case.operands for name in group]
    states = np.concatenate(case.states(count=FEW), axis=1).tolist()
    python = scalar(case.outputs, names)
    there = least(lambda: [python(state) for state in states], 3) / FEW * 1e9
    yield Row(
        f"{case}: faster than Python", there / here, "times", 100, False, f"Python {there:,.0f} ns/state"
    )


def _others_installed(case: Case) -> Iterator[Row]:
    """Pinocchio where it is installed, by its function of Python, of a chain with as many joints."""
    try:
        import pinocchio
    except ImportError:
        return
    model = pinocchio.buildSampleModelManipulator()
    data = model.createData()
    dice = np.random.default_rng(1)
    q = pinocchio.randomConfiguration(model)
    v, a = dice.uniform(-1, 1, (2, model.nv))

    def many() -> None:
        for _ in range(1000):
            pinocchio.rnea(model, data, q, v, a)

    there = least(many) / 1000 * 1e9
    note = f"pinocchio.rnea of its sample arm of 6 joints, called from Python: {there:,.0f} ns, the call included"
    yield Row(f"{case}: batch, faster than Pinocchio's Python", there / case.batch("C"), "times", note=note)


def _compiling(case: Case, limit: float) -> Iterator[Row]:
    task = case.task()

    def cold() -> None:
        machine_code(source(task), host())

    steps = len(task.lines.steps)
    yield Row(
        f"{case}: compiled", least(cold, 3), "s", limit, note=f"{steps:,} steps; order, text, machine code"
    )
    with TemporaryDirectory() as place:
        cache = Cache(Path(place) / "kernels")
        cache.put(digest(task, host()), machine_code(source(task), host()))

        def kept() -> None:
            building.forget()
            assert build(task, cache).origin == "disk"

        note = "the digest of the program included"
        yield Row(
            f"{case}: loaded from disk", least(kept, 5) * 1e3, "ms", 10 if limit < 1 else None, note=note
        )
