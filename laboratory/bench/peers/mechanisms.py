"""Machines with constraints and entries of matrices, as ``compile`` gives them; claims beside no program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import median
from typing import Any, Final

import numpy as np

from laboratory.machines import delta, fixture, four_bars, stewart
from mbconcord.api.compiling.compile import compile
from mbconcord.api.compiling.compiled import Compiled
from mbconcord.api.ensemble import ensemble
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import Expression
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import replace
from mbconcord.simulation.assembly import assemble

from ..kernels import STATES, Case
from ..row import BenchmarkRow, in_turn, least

ALONG, JACOBIANS = "acceleration, da_along", "acceleration, da_dq, da_dv, da_dtau"
#: Name -> machine, times as fast as Pinocchio from columns and rows, along a direction, Jacobians.
MECHANISMS: Final[dict[str, tuple[Callable[[], System], tuple[float, float], float, float | None]]] = {
    **{f"{name}four-bar{'s' * (n > 1)}": (partial(four_bars, n), limits, 75, None)
       for name, n, limits in (("", 1, (145, 75)), ("three ", 3, (125, 95)), ("seven ", 7, (90, 90)))},
    "four-bar with a cut joint": (partial(fixture, "mbsd/four_bar.mbsd"), (130, 70), 75, None),
    "delta": (delta, (60, 58), 110, 34), "Stewart platform": (stewart, (50, 50), 110, 14),
    "Andrews' squeezer": (partial(fixture, "mbsd/andrews.mbsd"), (105, 85), 75, None),
    "Bennett's linkage": (partial(fixture, "overconstrained/bennett.mbs.json"), (70, 70), 75, None),
    "Bricard's linkage": (partial(fixture, "overconstrained/bricard.mbs.json"), (58, 56), 75, None),
}  # fmt: skip
#: How far from the start states are drawn, before they are moved onto the constraints; of rates all.
SPREAD: Final = 0.2
#: Seconds to compile accelerations and Jacobians, of machines of more coordinates than these too; of one state, us.
COMPILED, LARGE, ONE = {"acceleration": (0.25, 1.4), JACOBIANS: (2, 5)}, 15, (4, None)
#: Parameters of a body in the order of Pinocchio's columns.
INERTIA: Final = ("m", "mx", "my", "mz", "Jxx", "Jxy", "Jyy", "Jxz", "Jyz", "Jzz")
#: States that are assembled one by one.
FEW: Final = 200
#: Nanoseconds to close a state that is 0.01 off, and of a step of an ensemble.
FURTHER: Final = {"four-bar": (50, 60), "delta": (None, 350), "Stewart platform": (500, 1000)}


@dataclass(frozen=True)
class Mechanism(Case):
    """Quantities of :func:`compile` with the model's numbers put in; with constraints, states are on these."""

    def derive(self) -> Compiled:
        """Compile what is measured."""
        return compile(self.system, self.quantity.split(", "), parameters="fixed", witness=False)

    @cached_property
    def outputs(self) -> list[Expression]:
        """Computed expressions."""
        made = self.made
        return made._expand(x for name in made.quantities for x in flatten(made._formula(name)))

    made = cached_property(derive)

    @property
    def sure(self) -> int:
        """Number of leading results in which others must agree; slopes depend on how constraint rows are written."""
        return len(self.system.coordinates) if self.system.constraints else len(self.outputs)

    @property
    def entries(self) -> list[int] | None:
        """Places of the results in the matrix by rows; columns of a regressor in Pinocchio's order."""
        if self.quantity not in self.made.places:
            return None
        rows, columns = (x.tolist() for x in self.made.places[self.quantity])
        width = len(self.system.coordinates)
        if self.quantity.startswith("regressor"):
            moved = [body.name for body in self.system.bodies if body.coordinates]
            labels = (label.split(", ")[1].rsplit(".", 1) for label in self.made._indices[self.quantity][0])
            columns, width = [10 * moved.index(body) + INERTIA.index(x) for body, x in labels], 10 * width
        return [i * width + k for i, k in zip(rows, columns, strict=True)]

    @cached_property
    def motion(self) -> dict[str, Any]:
        """States on the constraints, and directions that these admit: those of the motion, rates and accelerations."""
        solved, n = compile(self.system, "acceleration", witness=False), len(self.system.coordinate_names)
        dice, (start,) = np.random.default_rng(1), assemble(self.system, [State()]).states
        q, v = (dice.uniform(-size, size, (2 * STATES, n)) for size in (SPREAD, 1))
        q += [start.q[x] for x in solved.coordinates]
        try:
            found = solved.close(q, v)
            q, v = (found[x][np.isfinite(found["q"]).all(axis=1)][:STATES] for x in "qv")
        except NumbersError:  # of cut joints whose own coordinates are not given
            some = assemble(self.system, _states(solved.coordinates, q, v))
            kept = [state for state, good in zip(some.states, some.is_closed, strict=True) if good]
            q, v = (np.resize([[*getattr(s, x).values()] for s in kept], (STATES, n)) for x in "qv")
        return {"q": q, "v": v, "dq": v, "dv": solved.arrays(q, v)}

    def states(self, order: Any = "C", dtype: Any = np.float64, count: int = STATES) -> dict[str, Any]:
        """Map operands to arrays (states, coordinates); on the constraints, if there are any."""
        if not self.system.constraints:
            return super().states(order, dtype, count)
        return {name: np.asarray(self.motion[name][:count], dtype, order) for name in self.operands}


def mechanisms() -> Iterator[Mechanism]:
    """Yield what is claimed of machines with constraints, without springs and drives."""
    for name, (make, *_) in MECHANISMS.items():
        made = make()
        bare = replace(made, forces=(), coordinates=tuple(replace(x, drive=None) for x in made.coordinates))
        for quantity in ("acceleration", ALONG, JACOBIANS):
            yield Mechanism(name, bare, quantity)


def limits() -> Mapping[tuple[str, str], tuple[float | None, float | None]]:
    """Return (model, quantity) -> how many times as fast as Pinocchio, from columns, from rows."""
    each = {name: {"acceleration": whole, ALONG: (along, None), JACOBIANS: (jacobians, None)}
            for name, (_, whole, along, jacobians) in MECHANISMS.items()}  # fmt: skip
    return {(name, quantity): limit for name, quantities in each.items() for quantity, limit in quantities.items()}


def claims(measured: Iterable[Any]) -> Iterator[BenchmarkRow]:
    """Yield what is claimed beside no program: compiling, one state, the interpreter, closing, ensembles."""
    times = {(m.model, m.quantity): m for m in measured}
    for (name, quantity), m in times.items():
        if quantity in COMPILED:
            limit = COMPILED[quantity][m.coordinates > LARGE]
            yield BenchmarkRow(f"{name}: {quantity}: compiled", m.compiled, "s", limit)
        if quantity == "acceleration":
            yield BenchmarkRow(f"{name}: {quantity}: one state", m.one / 1000, "us", ONE[m.coordinates > LARGE])
    for case in mechanisms():
        if case.quantity == "acceleration":
            yield from _claims_of(case, times[case.name, case.quantity].columns)


def _claims_of(case: Mechanism, columns: float) -> Iterator[BenchmarkRow]:
    f, motion = case.made, case.motion
    states = _states(case.system.coordinate_names, motion["q"], motion["v"])
    there = least(lambda: formalism(f.formalism).constrained_motion(case.system, states), 3) / FEW * 1e9
    what = f"{case.name}: faster than the interpreter"
    yield BenchmarkRow(what, there / columns, "times", 2500, False, f"{there:,.0f} ns/state")
    if case.name in FURTHER:
        off = motion["q"] + np.random.default_rng(2).uniform(-0.01, 0.01, motion["q"].shape)
        gap = float(f.close(off, motion["v"])["gap"].max())
        closing = median(in_turn({"": lambda: f.close(off, motion["v"])})[""]) / STATES * 1e9
        note = f"largest gap {gap:.1g}; positions and rates, by the plain call"
        yield BenchmarkRow(f"{case.name}: closed from 0.01", closing, "ns/state", FURTHER[case.name][0], note=note)
        starts = np.hstack([motion["q"], motion["v"]])
        took = [
            least(partial(ensemble, case.system, starts, n * 1e-3, 1e-3, rows=2, witness=False), 2) for n in (4, 12)
        ]
        step = (took[1] - took[0]) / (8 * 1.5 * STATES) * 1e9  # half as many again, to tell errors
        yield BenchmarkRow(f"{case.name}: step of an ensemble", step, "ns", FURTHER[case.name][1])


def _states(names: Iterable[str], q: Any, v: Any) -> list[State]:
    rows = zip(q[:FEW].tolist(), v[:FEW].tolist(), strict=True)
    return [State(0, *(dict(zip(names, x, strict=True)) for x in row)) for row in rows]
