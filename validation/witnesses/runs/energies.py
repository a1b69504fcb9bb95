"""Judge energies of a run, and printed ones, by sums over the bodies of the direct witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ZERO, ExpressionError
from mbconcord.model.system import System
from mbconcord.simulation.motion.trajectory import TrajectoryRow

from ...judge.evidence import Comparison
from ...judge.kinematics import TreeKinematics, takes
from ...judge.motion import Array
from ...judge.tolerances import RUN, RUN_PRINTED
from ..direct.energies import kinetic_energy, potential_energy
from .made import (
    CLAIM,
    KINETIC,
    NO_ENERGIES,
    POTENTIAL,
    SHOWN,
    Made,
    bodies_of,
    compare_readings,
    kinematics_of,
    silent,
    states_of,
    tree_of,
)

#: So long before and after a row (s, of 1 + |t|) its energy is that of either side of a jump of prescribed rates.
MOMENT: Final = 1e-9


def check_energies(made: Made, rows: Sequence[TrajectoryRow]) -> Iterator[Comparison]:
    """Compare both energies of the table with sums over the bodies."""
    tree, rounded = tree_of(made, rows), _size_rounding(made, rows)
    for quantity, energy, column in (
        (KINETIC, kinetic_energy, "kinetic"), (POTENTIAL, potential_energy, "potential"),
    ):  # fmt: skip
        printed = np.array([getattr(row, column) for row in rows])
        if isinstance(tree, str) or not np.isfinite(printed).any():
            yield silent(quantity, tree if isinstance(tree, str) else NO_ENERGIES)
            continue
        found, size = energy(tree)
        size = size + rounded if quantity == KINETIC else size
        yield compare_readings("table", quantity, printed, found, size, RUN, made.states(rows), (column,))


def _size_rounding(made: Made, rows: Sequence[TrajectoryRow]) -> Array:
    """Return what rounding of prescribed rates adds to the size of the kinetic energy (S,)."""
    energies, sizes = made.formulas.energies, []
    if energies is None or energies.explicit is ZERO or not takes(made.tree):
        return np.zeros(len(rows))
    for k in (TreeKinematics(made.tree, made.states(rows)), kinematics_of(made, rows)):
        sizes.append(np.zeros(k.count))
        for body in k.rigid_bodies:
            if not body.inertia.is_zero:
                c, turning = k.centre(body), np.abs(k.tensor(body)).sum(axis=(1, 2))
                sizes[-1] += (np.abs(k.scalars([body.inertia.mass])[0]) * c.speed**2 + turning * c.turn_speed**2) / 2
    return np.asarray(sizes[1] - sizes[0])


def check_shown(
    system: System, parameters: Mapping[str, float], shown: Sequence[tuple[TrajectoryRow, str]]
) -> Comparison:
    """Compare printed total energies, as texts with their rows, with sums over the bodies."""
    rows = [row for row, _ in shown]
    states = states_of(system, rows, parameters)
    beside = [replace(row, t=row.t + side * MOMENT * (1.0 + abs(row.t))) for side in (-1, 1) for row in rows]
    printed = np.array([float(text) for _, text in shown])
    try:
        tree = bodies_of(system, [*states, *states_of(system, beside, parameters)])
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        tree = str(problem).splitlines()[0]
    if isinstance(tree, str) or not np.isfinite(printed).any():
        return replace(silent(SHOWN, tree if isinstance(tree, str) else NO_ENERGIES), claim=CLAIM)
    (kinetic, size), (potential, reach) = kinetic_energy(tree), potential_energy(tree)
    energy, made_of = ((x + y).reshape(3, -1) for x, y in ((kinetic, potential), (size, reach)))
    jump = np.nan_to_num(np.abs(energy[1:] - energy[0])).sum(axis=0)
    found = compare_readings(
        "table", SHOWN, printed, energy[0], made_of[0], RUN_PRINTED, states, ("energy",), bound=jump
    )
    return replace(found, claim=CLAIM)
