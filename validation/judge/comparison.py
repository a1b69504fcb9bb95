"""Where two results differ and by how much, against the scale of what they are made of: never a bare bool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State

from .evidence import Comparison
from .kinematics import Array
from .scale import Scales
from .tolerances import USELESS, evaluation_tolerance, solution_tolerance


@dataclass(frozen=True)
class Difference:
    """Two arrays (N, …), their scale (N, …), and per state the tolerance and the condition number it uses.

    ``unit`` (N, …): what the three were multiplied by to make entries comparable; they are shown without it.
    """

    a: Array
    b: Array
    scale: Array
    tolerance: Array
    cond: Array
    unit: Array | None = None


def compare_evaluations(
    a: Evaluation, b: Evaluation, scales: Scales, states: Sequence[State], names: Sequence[str]
) -> list[Comparison]:
    """Every quantity that both deliver: its worst entry relative to scale, over all states.

    Parameters
    ----------
    a, b : evaluations at the same states
    scales : of the same states
    names : of the coordinates
    """
    return [
        compare_quantity(a, b, quantity, scales, states, names)
        for quantity in QUANTITIES
        if quantity in a.quantities and quantity in b.quantities
    ]


def compare_quantity(
    a: Evaluation, b: Evaluation, quantity: str, scales: Scales, states: Sequence[State], names: Sequence[str]
) -> Comparison:
    """One quantity of two evaluations."""
    difference = difference_of(a, b, quantity, scales)
    why = "; ".join(dict.fromkeys(d.message for d in (*a.diagnostics, *b.diagnostics)))
    return worst(a.formalism, b.formalism, quantity, difference, states, names, why)


def difference_of(a: Evaluation, b: Evaluation, quantity: str, scales: Scales) -> Difference:
    """The numbers of one quantity by two witnesses, with scale and tolerance."""
    x, y = a.quantities[quantity], b.quantities[quantity]
    ones = np.ones(len(x))
    if quantity == "acceleration":
        tolerance = np.array([solution_tolerance(c) for c in scales.cond])
        x, y = x * scales.roots, y * scales.roots
        size = np.fmax(np.max(np.abs(x), axis=1, initial=0.0), np.max(np.abs(y), axis=1, initial=0.0))
        scale = np.broadcast_to(np.fmax(size, scales.forces)[:, None], x.shape)
        return Difference(x, y, scale, tolerance, scales.cond, scales.roots)
    scale = scales.mass if quantity == "M" else scales.rows[quantity]
    return Difference(x, y, scale, ones * evaluation_tolerance(), ones)


def excess(difference: Difference) -> Array:
    """|a - b| / (tolerance · scale) of every entry, (N, …): what is above one disagrees.

    A scale that is zero or no number (a bipolar force of length zero) must not hide a difference.
    """
    shape = difference.a.shape
    tolerance = difference.tolerance.reshape((-1,) + (1,) * (len(shape) - 1))
    return relative(difference) / tolerance


def relative(difference: Difference) -> Array:
    """|a - b| / scale of every entry, (N, …)."""
    scale = np.broadcast_to(difference.scale, difference.a.shape)
    gap = np.abs(difference.a - difference.b)
    with np.errstate(all="ignore"):
        judged = (scale > 0) & np.isfinite(scale)
        return np.where(gap == 0, 0.0, np.where(judged, gap / scale, np.inf))


def worst(
    a: str,
    b: str,
    quantity: str,
    difference: Difference,
    states: Sequence[State],
    names: Sequence[str],
    why: str = "",
) -> Comparison:
    """The worst entry of a difference as a comparison; ``why`` explains entries that are not numbers.

    A state at which neither side is a number, or whose tolerance is too wide to say anything, is not compared;
    a number against none is a disagreement. Where the scale is zero both must be equal.
    """
    x, y = difference.a, difference.b
    if x.shape != y.shape:
        shapes = f"{a} delivers {x.shape[1:]} entries, {b} {y.shape[1:]}"
        return Comparison(a, b, quantity, "disagrees", explanation=shapes)
    if not x.size:
        return Comparison(a, b, quantity, "not checked", explanation="there are no coordinates")
    flat = x.reshape(len(x), -1), y.reshape(len(y), -1)
    numbers = np.isfinite(flat[0]), np.isfinite(flat[1])
    one_sided = numbers[0] != numbers[1]
    if one_sided.any():
        s, e = (int(i[0]) for i in np.nonzero(one_sided))
        missing = b if numbers[0][s, e] else a
        return Comparison(
            a, b, quantity, "disagrees", state=states[s], entry=_entry(e, x.shape, names),
            explanation=f"{missing} gives no number here" + (f": {why}" if why else ""),
        )  # fmt: skip
    usable = numbers[0].all(axis=1) & (difference.tolerance < USELESS)
    if not usable.any():
        blind = numbers[0].all(axis=1)
        reason = why or "no witness has a number at any state"
        if blind.any():
            reason = f"ill-conditioned: cond {np.min(difference.cond[blind]):.1e} leaves no digits to compare"
        return Comparison(a, b, quantity, "not checked", explanation=reason)
    scale = np.broadcast_to(difference.scale, x.shape).reshape(len(x), -1)
    with np.errstate(all="ignore"):
        size = relative(difference).reshape(len(x), -1)
        beyond = excess(difference).reshape(len(x), -1)
    beyond[~usable] = -1.0
    s, e = (int(i) for i in np.unravel_index(np.argmax(beyond), beyond.shape))
    skipped = int(np.sum(~usable))
    unit = 1.0 if difference.unit is None else float(difference.unit.reshape(len(x), -1)[s, e])
    return Comparison(
        a, b, quantity,
        "agrees" if beyond[s, e] <= 1.0 else "disagrees",
        discrepancy=float(size[s, e]),
        tolerance=float(difference.tolerance[s]),
        scale=float(scale[s, e]) / unit,
        cond=float(difference.cond[s]),
        state=states[s],
        entry=_entry(e, x.shape, names),
        values=(float(flat[0][s, e]) / unit, float(flat[1][s, e]) / unit),
        explanation=f"{skipped} of {len(x)} states could not be compared" + (f": {why}" if why else "")
        if skipped
        else "",
    )  # fmt: skip


def _entry(flat: int, shape: tuple[int, ...], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[int(i)] for i in np.unravel_index(flat, shape[1:]))
