"""Machine code of equations: time per state, of one state, of compiling, from disk; compared with NumPy and other
programs.

Times are of the processor, the least of several runs, so that other work on the machine counts less. Batches are of
10,000 states, written to arrays that are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from laboratory.machines import fixture
from mbconcord.api.assemble import assemble
from mbconcord.api.compiling.compile import compile
from mbconcord.api.derivatives import derived_asked
from mbconcord.fixtures import folder
from mbconcord.formalisms.newton_euler import NewtonEuler
from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.llvm.build import BuildTask, build, digest, forget, source
from mbconcord.kernels.llvm.cache import Cache
from mbconcord.kernels.llvm.engine import host, machine_code
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.operands import Operand, ResultArray
from mbconcord.kernels.registry import choose_backend, over_numpy, scalar
from mbconcord.model.derivation import flatten
from mbconcord.model.derivatives import CHANGE
from mbconcord.model.expressions import Expression, symbols
from mbconcord.model.expressions.program import program
from mbconcord.model.limits import count as counted
from mbconcord.model.system import System

from .newton_euler import chain
from .row import BenchmarkRow, in_turn, least, ratio

#: Of the batch by NumPy, and by generated Python.
FEWER, FEW = 2_000, 200


def rows() -> Iterator[BenchmarkRow]:
    """Yield all rows."""
    choose_backend("llvm")  # refuses where it is not installed
    ur5 = fixture("robots/ur5.mbsd")
    inverse = Case("UR5", ur5, "inverse_dynamics")
    yield BenchmarkRow(f"{inverse}, single precision, columns", inverse.batch("F", np.float32), "ns/state")
    for what, options in (
        ("products not fused", Options(fma=False)), ("sines within 1.5 ulp", Options(accuracy="plain")),
    ):  # fmt: skip
        yield BenchmarkRow(f"{inverse}, {what}, columns", inverse.batch("F", options=options), "ns/state")
    yield from _others(inverse)
    yield BenchmarkRow(f"{inverse}: processor time of two threads over one's", inverse.threads(), "", 1.1)
    talos = Case("Talos", fixture("robots/talos.mbsd"), "inverse_dynamics")
    longest = Case("chain of 100 bodies", chain(100), "inverse_dynamics")
    for case, limit in ((inverse, 0.15), (talos, 0.5), (longest, 1.5)):
        yield from _compiling(case, limit)


def plain_calls() -> Iterator[BenchmarkRow]:
    """Measure what a user types, without formalism and backend, beside the function of bare arrays of the same run."""
    ur5, crane = folder("robots") / "ur5.mbsd", folder("mbsd") / "patu655.mbsd"
    cases = [(ur5, "inverse_dynamics"), (ur5, "acceleration"), (ur5, "M"), (crane, "acceleration")]
    for file, quantity in cases:
        f = compile(file, quantity)
        start = f(assemble(file)).given.values
        for count in (1, 100, STATES):
            shape = (count,) if count > 1 else ()
            q = np.broadcast_to([float(start[x].item()) for x in f.coordinates], (*shape, len(f.coordinates))).copy()
            given: dict[str, Any] = {"q": q, "v": np.zeros_like(q), "a": np.zeros_like(q)}
            bare: dict[str, Any] = {o.name: given[o.name] for o in f.arrays.operands if o.name in given}
            times = in_turn({"plain": partial(f, **bare), "bare": partial(f.arrays, **bare)})
            each, what = median(times["plain"]), f"{file.stem}: {quantity}, plain call, {counted(count, 'state')}"
            if count == 1:
                yield BenchmarkRow(what, each * 1e6, "us", 8)
            else:
                note = f"{each / count * 1e9:.3g} ns/state by {f.formalism}, {f.backend}"
                over = ratio(times["plain"], times["bare"])
                yield BenchmarkRow(f"{what}, over bare arrays", over, "times", 1.3, note=note)


def _others(case: Case) -> Iterator[BenchmarkRow]:
    """Measure the other backends of this program, next to machine code of rows in the same run."""
    here = case.batch("C")
    values, run = case.values(FEWER), over_numpy(case.outputs)
    states = np.concatenate([*case.states(count=FEW).values()], axis=1).tolist()
    python = scalar(case.outputs, [name for group in case.operands.values() for name in group])
    for name, work, count, limit in (
        ("NumPy", lambda: run(values), FEWER, 25), ("Python", lambda: [*map(python, states)], FEW, 100),
    ):  # fmt: skip
        there = least(work, 3) / count * 1e9
        note = f"{name} {there:,.0f} ns/state"
        yield BenchmarkRow(f"{case}: faster than {name}", there / here, "times", limit, False, note)


def _compiling(case: Case, limit: float) -> Iterator[BenchmarkRow]:
    task = case.task()

    note = f"{len(program(case.outputs).steps):,} steps; order, text, machine code"
    cold = least(lambda: machine_code(source(task), host()), 3)
    yield BenchmarkRow(f"{case}: compiled", cold, "s", limit, note=note)
    with TemporaryDirectory() as place:
        cache = Cache(Path(place) / "kernels")
        cache.put(digest(task, host()), machine_code(source(task), host()))

        def load_from_disk() -> None:
            forget()
            assert build(task, cache).origin == "disk"

        note = "the digest of the program included"
        yield BenchmarkRow(f"{case}: loaded from disk", least(load_from_disk, 5) * 1e3, "ms", 10, note=note)


STATES = 10_000
#: Marks of the symbols of each operand.
OPERANDS = {"q": "", "v": "'", "a": "''", "dq": CHANGE, "dv": f"'{CHANGE}"}


@dataclass(frozen=True)
class Case:
    """A quantity of a model, or several with ", " between, by Newton and Euler as a function of arrays."""

    name: str
    system: System
    quantity: str

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"

    def derive(self) -> Any:
        """Derive what is measured."""
        return derived_asked(NewtonEuler(), self.system, self.quantity.split(", "))

    @property
    def entries(self) -> list[int] | None:
        """Places of the results in the matrix that other programs give; None: they are all of it."""
        return None

    @property
    def sure(self) -> int:
        """Number of leading results in which other programs must agree."""
        return len(self.outputs)

    @cached_property
    def outputs(self) -> list[Expression]:
        """Computed expressions."""
        made = self.derive()
        found = {**made.native, **made.quantities}
        return [x for name in self.quantity.split(", ") for x in flatten(found[name])]

    @cached_property
    def operands(self) -> dict[str, tuple[str, ...]]:
        """Symbols of q, v, a and a direction, as far as they are needed; robots and chains have no others."""
        used = symbols(self.outputs)
        groups = {name: tuple(x + mark for x in self.system.coordinate_names) for name, mark in OPERANDS.items()}
        return {name: group for name, group in groups.items() if used & {*group}}

    def function(self, options: Options | None = None) -> ArrayFunction:
        """Return a function over machine code."""
        operands = [Operand(name, group) for name, group in self.operands.items()]
        results = [ResultArray(self.quantity, (len(self.outputs),))]
        return ArrayFunction(operands, results, self.outputs, "llvm", options or Options())

    def states(self, order: Any = "C", dtype: Any = np.float64, count: int = STATES) -> dict[str, Any]:
        """Map operands to arrays (states, coordinates), by rows or by columns."""
        dice = np.random.default_rng(1)
        return {x: np.asarray(dice.uniform(-3, 3, (count, len(g))), dtype, order) for x, g in self.operands.items()}

    def batch(self, order: Any, dtype: Any = np.float64, options: Options | None = None) -> float:
        """Measure nanoseconds per state."""
        function, given = self.function(options), self.states(order, dtype)
        out = np.empty((STATES, len(self.outputs)), dtype, order)
        return least(lambda: function(**given, out=out)) / STATES * 1e9

    def threads(self) -> float:
        """Return the total processor time of two threads over that of one, for twenty batches."""
        function = self.function()
        given = {name: np.tile(x, (20, 1)) for name, x in self.states().items()}
        out = np.empty((20 * STATES, len(self.outputs)))
        one, two = (least(lambda n=n: function(**given, out=out, threads=n)) for n in (1, 2))  # type: ignore[misc]
        return two / one

    def one(self) -> float:
        """Measure nanoseconds of one state in bound arrays."""
        bound = self.function().bind(**{name: x[0] for name, x in self.states(count=1).items()})

        def many() -> None:
            for _ in range(1000):
                bound()

        return least(many) / 1000 * 1e9

    def values(self, count: int) -> Mapping[str, Any]:
        """Return columns by symbol."""
        states = self.states(count=count)
        return {x: states[name][:, i] for name, group in self.operands.items() for i, x in enumerate(group)}

    def task(self) -> BuildTask:
        """Return the compilation task."""
        return BuildTask(program(self.outputs), (*self.operands.values(),), (len(self.outputs),))
