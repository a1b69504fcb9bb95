"""Motions that jump: found before a run, at the times at which a formula of time switches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from mbconcord.kernels.scalar import scalar
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import Expression, substitute

from .switches import Switches

#: Values that differ by no more than this part of 1 and their size are the same.
SAME = 1e-9


def require_continuous(
    switches: Switches, edges: Sequence[float], amounts: Iterable[tuple[str, Expression]], inputs: Sequence[str],
    values: Sequence[float],
) -> None:  # fmt: skip
    """Refuse positions that jump.

    Parameters
    ----------
    switches, edges : where formulas of time switch; the start, these times and the end
    amounts : place -> a prescribed position, or a constraint function
    inputs, values : of the formulas but time, at the start

    Raises
    ------
    NumbersError
        The places and the times.
    """
    named = list(amounts)
    if not switches.nodes or not named:
        return
    findings = []
    for before, t, after in zip(edges, edges[1:], edges[2:], strict=False):
        sides = []
        for pattern in (switches.pattern(before, t), switches.pattern(t, after)):
            formulas = substitute([x for _, x in named], switches.replacements(pattern))
            sides.append(np.array(scalar(formulas, ["t", *inputs])([t, *values])))
        left, right = sides
        for i in np.flatnonzero(np.abs(left - right) > SAME * (1 + np.abs(left) + np.abs(right))):
            message = (
                f"it jumps at t = {t:.9g}, from {left[i]:.6g} to {right[i]:.6g}: no finite forces do that"
            )
            findings.append(
                error(named[i][0], message, "give it a formula without a jump, or end the run before")
            )
    if findings:
        raise NumbersError(findings)
