"""What is said of the rows at states: which depend on others, contradict them, or are violated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.evaluation import Array
from mbconcord.model.mixed import FREE, fixed

from .admitted import DEPENDENT, Admitted
from .row import Row

#: Violations beyond this part of what they are made of are reported.
VIOLATED = 1e-8

SINGULAR = error(
    "constraints",
    "the equations are singular: a motion that the constraints admit has no inertia",
    "give the bodies it moves a mass or an inertia, or choose another state",
)
NO_NUMBERS = error(
    "constraints",
    "the equations have no numbers at a state",
    "look for a division by zero, or for numbers beyond the range of floats",
)


def dependencies(rows: Sequence[Row], found: Admitted) -> Iterator[Diagnostic]:
    """Rows that take no displacement away: of which rows they are made, the rank, and whose multipliers are lost."""
    rank = f"the rank is {len(found.chosen)} of {len(rows)} rows"
    for i, row in enumerate(rows):
        if i in found.chosen:
            continue
        if row.drive:
            yield error(row.place, fixed(row.drive), FREE)
            continue
        shares = zip(found.chosen, found.shares[i], strict=True)
        made_of = ", ".join(rows[j].name for j, share in shares if abs(share) > DEPENDENT)
        if made_of:
            why = f"depends on other rows ({made_of}): {rank}, and their multipliers are not unique"
        else:
            why = f"is zero here: {rank}, and its multiplier is not determined"
        yield Diagnostic("warning", row.place, f"row {row.name} {why}", "leave it out where it is not meant")


def contradictions(
    rows: Sequence[Row], found: Admitted, rest: Array, lengths: Array, rates: Array
) -> Iterator[Diagnostic]:
    """Rows that depend on others and want other accelerations than these; ``lengths`` are those of the rows (m,)."""
    for i, row in enumerate(rows):
        if i in found.chosen:
            continue
        parts = found.shares[i] * lengths[i] * (rest / lengths)[found.chosen]
        size = 1.0 + abs(rest[i]) + np.abs(parts).sum() + rates @ rates
        if abs(rest[i] - parts.sum()) > VIOLATED * size:
            message = f"row {row.name} depends on other rows and wants another acceleration than they do"
            yield error(row.place, message, "leave out one of the constraints that contradict each other")


def violations(
    rows: Sequence[Row], D: Array, rates: Array, position: Array, speed: Array, facing: Array
) -> Iterator[Diagnostic]:
    """Constraints that a state does not obey."""
    made_of = 1 + np.einsum("smn,sn->sm", np.abs(D), np.abs(rates))
    closing, admitting = "give coordinates at which the loop closes", "give rates that the constraint admits"
    for row, gaps, faces, speeds, sizes in zip(rows, position.T, facing.T, speed.T, made_of.T, strict=True):
        gap, slip = float(np.abs(gaps).max(initial=0.0)), float(np.abs(speeds).max(initial=0.0))
        if gap > VIOLATED:
            yield error(row.place, f"the coordinates violate {row.name} by {gap:.6g}; expected 0", closing)
        if (faces < 0).any():
            opposite = f"the coordinates turn {row.name} the opposite way; expected the frames to coincide"
            yield error(row.place, opposite, closing)
        if (np.abs(speeds) > VIOLATED * sizes).any():
            missed = f"the velocities violate {row.name}: D q' + gamma = {slip:.6g}; expected 0"
            yield error(row.place, missed, admitting)
