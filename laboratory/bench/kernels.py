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
from mbconcord.model.derivation import Derivation, flatten
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
    inverse, forward = Case("UR5", ur5, "inverse_dynamics"), Case("UR5", ur5, "acceleration")
    yield from _batches(inverse)
    yield from _batches(forward)
    yield from _batches(Case("UR5", ur5, "M"))
    yield BenchmarkRow(f"{inverse}, single precision, columns", inverse.batch("F", np.float32), "ns/state")
    yield BenchmarkRow(
        f"{inverse}, products not fused, columns", inverse.batch("F", options=Options(fma=False)), "ns/state"
    )
    plain = inverse.batch("F", options=Options(accuracy="plain"))
    yield BenchmarkRow(f"{inverse}, sines within 1.5 ulp, columns", plain, "ns/state")
    yield from _others(inverse)
    yield BenchmarkRow(f"{inverse}, one state, bound arrays", inverse.one(), "ns")
    yield BenchmarkRow(f"{inverse}: processor time of two threads over one's", inverse.threads(), "", 1.1)
    yield from _plain_calls()
    yield from _others_installed(inverse)
    talos = fixture("robots/talos.mbsd")
    larger = [Case("Talos", talos, name) for name in ("inverse_dynamics", "acceleration")]
    larger += [Case(f"chain of {n} bodies", chain(n), "inverse_dynamics") for n in (30, 100)]
    for case in larger:
        yield from _batches(case)
    for case, limit in ((inverse, 0.15), (larger[0], 0.5), (larger[-1], 1.5)):
        yield from _compiling(case, limit)


def _batches(case: Case) -> Iterator[BenchmarkRow]:
    for layout, order in (("columns", "F"), ("rows", "C")):
        yield BenchmarkRow(f"{case}, {layout}", case.batch(order), "ns/state")


def _plain_calls() -> Iterator[BenchmarkRow]:
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
    values = case.values(FEWER)
    run = over_numpy(case.outputs)
    there = least(lambda: run(values), 3) / FEWER * 1e9
    yield BenchmarkRow(f"{case}: faster than NumPy", there / here, "times", 25, False, f"NumPy {there:,.0f} ns/state")
    names = [name for group in case.operands for name in group]
    states = np.concatenate([*case.states(count=FEW).values()], axis=1).tolist()
    python = scalar(case.outputs, names)
    there = least(lambda: [python(state) for state in states], 3) / FEW * 1e9
    yield BenchmarkRow(
        f"{case}: faster than Python", there / here, "times", 100, False, f"Python {there:,.0f} ns/state"
    )


def _others_installed(case: Case) -> Iterator[BenchmarkRow]:
    """Measure Pinocchio, if installed, by its Python function, on a chain with as many joints."""
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
    yield BenchmarkRow(f"{case}: batch, faster than Pinocchio's Python", there / case.batch("C"), "times", note=note)


def _compiling(case: Case, limit: float) -> Iterator[BenchmarkRow]:
    task = case.task()

    def cold() -> None:
        machine_code(source(task), host())

    steps = len(task.lines.steps)
    yield BenchmarkRow(
        f"{case}: compiled", least(cold, 3), "s", limit, note=f"{steps:,} steps; order, text, machine code"
    )
    with TemporaryDirectory() as place:
        cache = Cache(Path(place) / "kernels")
        cache.put(digest(task, host()), machine_code(source(task), host()))

        def load_from_disk() -> None:
            forget()
            assert build(task, cache).origin == "disk"

        note = "the digest of the program included"
        yield BenchmarkRow(f"{case}: loaded from disk", least(load_from_disk, 5) * 1e3, "ms", 10, note=note)


STATES = 10_000


@dataclass(frozen=True)
class Case:
    """A quantity of a model, or several with ", " between, by Newton and Euler as a function of arrays."""

    name: str
    system: System
    quantity: str

    def __str__(self) -> str:
        return f"{self.name}: {self.quantity}"

    def derive(self) -> Derivation:
        """Derive what is measured."""
        return derived_asked(NewtonEuler(), self.system, self.quantity.split(", "))

    @cached_property
    def outputs(self) -> list[Expression]:
        """Computed expressions."""
        made = self.derive()
        found = {**made.native, **made.quantities}
        return [x for name in self.quantity.split(", ") for x in flatten(found[name])]

    @cached_property
    def operands(self) -> tuple[tuple[str, ...], ...]:
        """Symbols of q, v, a, as far as they are needed; robots and chains have no others."""
        names = self.system.coordinate_names
        groups = [tuple(name + order for name in names) for order in ("", "'", "''")]
        used = symbols(self.outputs)
        return tuple(group for group in groups if used & {*group})

    def function(self, options: Options | None = None) -> ArrayFunction:
        """Return a function over machine code."""
        operands = [Operand("qva"[i], group) for i, group in enumerate(self.operands)]
        return ArrayFunction(
            operands, [ResultArray(self.quantity, (len(self.outputs),))], self.outputs, "llvm", options or Options()
        )

    def states(self, order: Any = "C", dtype: Any = np.float64, count: int = STATES) -> dict[str, Any]:
        """Map operands to arrays (states, coordinates), by rows or by columns."""
        dice = np.random.default_rng(1)
        arrays = (np.asarray(dice.uniform(-3, 3, (count, len(g))), dtype, order) for g in self.operands)
        return dict(zip("qva", arrays, strict=False))

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
        groups = zip(self.operands, self.states(count=count).values(), strict=True)
        return {name: x[:, i] for group, x in groups for i, name in enumerate(group)}

    def task(self) -> BuildTask:
        """Return the compilation task."""
        return BuildTask(program(self.outputs), self.operands, (len(self.outputs),))
