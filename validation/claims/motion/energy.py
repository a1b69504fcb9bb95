"""Balance of energies and work along a motion, and satisfaction of constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.model.expressions import gradient, rate, symbol
from mbconcord.simulation.assembly import assemble_at
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.motion.arrays import generate_arrays
from mbconcord.simulation.motion.formulas import array
from mbconcord.simulation.rows import constraint_rows as simulated_rows

from ...judge.closed.rows import constraint_rows
from ...judge.evidence import Comparison
from ...judge.motion import Array
from ...judge.tolerances import DRIFT, RATE_DRIFT
from ...witnesses.motion import FormalismRun, Moved, join_starts
from ..claim import not_checked

CLAIM, DRIFTS = "energy", "drift"
QUANTITY = "energy balance"


def claim(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Check for every formalism H - H(0) against the integral of its own forces' power, ∫ (Q·q' - ∂L/∂t) dt.

    Energies come from a formalism that delivers T and Π, regardless of which formalism computed the motion. The error
    of each step changes H by at most Σ |∂H/∂y| (1 + |y|) ε, and does not grow.
    """
    for name in starts[0].runs:
        energies = starts[0].runner.formulas(starts[0].formalisms[name]).energies
        if energies is None:
            yield not_checked(name, QUANTITY, "no formalism has the energies of the model")
        else:
            parts = []
            for moved in starts:
                run = moved.runs[name]
                rows = run.trajectory.found[: moved.count]
                work, balance = (np.array([getattr(row, what) for row in rows]) for what in ("work", "balance"))
                size = np.maximum.accumulate(_sizes(moved, run, name) + 1.0 + np.abs(work))
                parts.append((work + balance, work, size, moved.tolerances(run, growing=False), moved.states(run)))
            yield join_starts(name, "work", QUANTITY, CLAIM, parts, ())


def _sizes(moved: Moved, run: FormalismRun, name: str) -> Array:
    """Compute Σ |∂H/∂y_i| (1 + |y_i|) at the rows (K,)."""
    energies = moved.runner.formulas(moved.formalisms[name]).energies
    assert energies is not None
    names = moved.system.coordinate_names
    variables = [*map(symbol, names), *map(rate, names)]
    slopes = array(gradient(energies.hamiltonian, variables), (len(variables),))
    function = generate_arrays([slopes], ("t", *names, *(f"{n}'" for n in names)))
    y, t = run.y[: moved.count], run.t[: moved.count]
    found = np.array([function([s, *x])[0] for s, x in zip(t.tolist(), y.tolist(), strict=True)])
    return np.asarray((np.abs(found) * (1.0 + np.abs(y))).sum(axis=1))


def drift(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Compare constraint gaps of every formalism's motion with zero, by validation's own rows, relative to their terms.

    Positions are projected onto the constraints after every step, to 1e-12; rates to 1e-10, as rows may be lost.
    """
    system = starts[0].system
    if not system.constraints:
        yield not_checked("motion", "drift of constraints", "the model has none")
        return
    rows = simulated_rows(system)
    for name in starts[0].runs:
        found: dict[str, list[tuple]] = {"position": [], "rates": []}  # type: ignore[type-arg]
        for moved in starts:
            states = moved.states(moved.runs[name])
            extended = assemble_at(RowsAtStates(rows, system, states), states, held=True).extended
            gaps = constraint_rows(system, extended)
            m = gaps.gap.shape[1]
            none = np.zeros(len(states))
            for what, part, limit in (
                ("position", gaps.relative_gaps[:, :m], DRIFT), ("rates", gaps.relative_gaps[:, m:], RATE_DRIFT),
            ):  # fmt: skip
                worst = part.max(axis=1, initial=0.0)
                found[what].append((worst, none, none + 1.0, none + limit, states))
        for what, parts in found.items():
            yield join_starts(name, "constraints", f"drift of constraints, {what}", DRIFTS, parts, ())
