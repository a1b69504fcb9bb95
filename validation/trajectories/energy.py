"""Energies and work balance along a motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.model.expressions import gradient, rate, symbol
from mbconcord.simulation.motion.arrays import generated
from mbconcord.simulation.motion.formulas import array

from ..claims.claim import not_checked
from ..judge.evidence import Comparison
from ..judge.motion import Array
from .moved import Moved, joined
from .runs import Run

SENTENCE = (
    "T + Π changes by the work of the forces: what dampers, drives and prescribed motions take and give."
)
CLAIM = "energy"
QUANTITY = "energy balance"


def claim(starts: Sequence[Moved]) -> Iterator[Comparison]:
    """Of every formalism: H - H(0) against the integral of its own forces' power, ∫ (Q·q' - ∂L/∂t) dt.

    Energies are those of a formalism that has T and Π, of whatever formalism the motion is. What steps err in the state
    changes H by no more than Σ |∂H/∂y| (1 + |y|) ε each, and does not grow.
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
                work, balance = (
                    np.array([getattr(row, what) for row in rows]) for what in ("work", "balance")
                )
                size = np.maximum.accumulate(_sizes(moved, run, name) + 1.0 + np.abs(work))
                parts.append(
                    (work + balance, work, size, moved.tolerances(run, growing=False), moved.states(run))
                )
            yield joined(name, "work", QUANTITY, CLAIM, parts, ())


def _sizes(moved: Moved, run: Run, name: str) -> Array:
    """Σ |∂H/∂y_i| (1 + |y_i|) at the rows (K,)."""
    energies = moved.runner.formulas(moved.formalisms[name]).energies
    assert energies is not None
    names = moved.system.coordinate_names
    variables = [*map(symbol, names), *map(rate, names)]
    slopes = array(gradient(energies.hamiltonian, variables), (len(variables),))
    function = generated([slopes], ("t", *names, *(f"{n}'" for n in names)))
    y, t = run.y[: moved.count], run.t[: moved.count]
    found = np.array([function([s, *x])[0] for s, x in zip(t.tolist(), y.tolist(), strict=True)])
    return np.asarray((np.abs(found) * (1.0 + np.abs(y))).sum(axis=1))
