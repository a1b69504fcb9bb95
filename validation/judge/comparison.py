"""Where two results differ and by how much, against the scale of what they are made of: never a bare bool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.derivation import EFFORT, QUANTITIES
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State

from .evidence import Comparison
from .motion import Array
from .scale import Scales
from .tolerances import SMALLEST, USELESS, evaluation_tolerance, solution_tolerance


@dataclass(frozen=True)
class Difference:
    """Two arrays (N, …), what they may differ by, and their scale.

    Entries agree where |a - b| ≤ bound + tolerance · scale: ``bound`` (N, …) is what the arithmetic of floats
    explains, of both sides whose bounds are known; ``tolerance`` (N,), relative to ``scale`` (N, …), stands for sides
    without bounds, with the condition number ``cond`` (N,) that it uses.

    ``unit`` (N, …): what all were multiplied by to make entries comparable; they are shown without it.
    ``certain``: what is farther apart than allowed differs, however few digits of the scale are allowed.
    """

    a: Array
    b: Array
    scale: Array
    tolerance: Array
    cond: Array
    unit: Array | None = None
    bound: Array | None = None
    certain: bool = False

    @cached_property
    def scales(self) -> Array:
        """The scale of every entry (N, …)."""
        return np.broadcast_to(self.scale, self.a.shape)

    @cached_property
    def tolerances(self) -> Array:
        """The tolerance of every entry (N, …)."""
        return np.broadcast_to(self.tolerance.reshape((-1,) + (1,) * (self.a.ndim - 1)), self.a.shape)

    @cached_property
    def gap(self) -> Array:
        """|a - b| of every entry (N, …)."""
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(self.a - self.b))

    @cached_property
    def allowed(self) -> Array:
        """What the entries may differ by (N, …)."""
        with np.errstate(all="ignore"):
            relative = np.where(self.tolerances > 0, self.tolerances * self.scales, 0.0)
        return relative if self.bound is None else relative + self.bound


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
    """The numbers of one quantity by two witnesses, with scale, and bounds or tolerance.

    A side without bounds is allowed the tolerance of scale.
    """
    x, y = a.quantities[quantity], b.quantities[quantity]
    bounds = [e.bounds[quantity] for e in (a, b) if quantity in e.bounds]
    bound = sum(bounds, np.zeros_like(x)) if x.shape == y.shape else None
    known, ones = len(bounds) == 2, np.ones(len(x))
    if quantity == "acceleration":
        tolerance = ones * 0.0 if known else np.array([solution_tolerance(c) for c in scales.cond])
        with np.errstate(all="ignore"):
            x, y = x * scales.roots, y * scales.roots
            own = None if bound is None else bound * scales.roots
        size = np.fmax(np.max(np.abs(x), axis=1, initial=0.0), np.max(np.abs(y), axis=1, initial=0.0))
        scale = np.broadcast_to(np.fmax(size, scales.forces)[:, None], x.shape)
        return Difference(x, y, scale, tolerance, scales.cond, scales.roots, own)
    if quantity == EFFORT:
        moved = np.fmax(*(np.abs(e.quantities["acceleration"]) for e in (a, b)))
        scale = scales.needed(moved)
        tolerance = ones * 0.0 if known else np.array([solution_tolerance(c) for c in scales.cond])
        return Difference(x, y, scale, tolerance, scales.cond, None, bound)
    scale = scales.mass if quantity == "M" else scales.rows[quantity]
    return Difference(x, y, scale, ones * (0.0 if known else evaluation_tolerance()), ones, None, bound)


def excess(difference: Difference) -> Array:
    """|a - b| / allowed of every entry, (N, …): what is above one disagrees.

    Where nothing is allowed any difference is too much.
    """
    gap, allowed = difference.gap, difference.allowed
    with np.errstate(all="ignore"):
        return np.where(gap == 0, 0.0, np.where(allowed > 0, gap / allowed, np.inf))


def relative(difference: Difference) -> Array:
    """|a - b| / scale of every entry, (N, …).

    A scale that is zero or no number (a bipolar force of length zero) must not hide a difference.
    """
    scale, gap = difference.scales, difference.gap
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

    An entry at which neither side is a number, or of which no digit is sure, is not compared at that state; one that
    is compared at no state is not checked, and with it the quantity. A number against none is a disagreement. What
    is compared and differs comes first: nothing that is not compared hides it.
    """
    x, y = difference.a, difference.b
    if x.shape != y.shape:
        shapes = f"{a} delivers {x.shape[1:]} entries, {b} {y.shape[1:]}"
        return Comparison(a, b, quantity, "disagrees", explanation=shapes)
    if not x.size:
        return Comparison(a, b, quantity, "not checked", explanation="there are no coordinates")
    flat = x.reshape(len(x), -1), y.reshape(len(y), -1)
    numbers = np.isfinite(flat[0]), np.isfinite(flat[1])
    scale = difference.scales.reshape(len(x), -1)
    allowed = difference.allowed.reshape(len(x), -1)
    usable = numbers[0] & numbers[1] & _sure(difference).reshape(len(x), -1)
    with np.errstate(all="ignore"):
        size = relative(difference).reshape(len(x), -1)
        beyond = excess(difference).reshape(len(x), -1)
    beyond[~usable] = -1.0
    s, e = (int(i) for i in np.unravel_index(np.argmax(beyond), beyond.shape))
    if beyond[s, e] <= 1.0:
        silent = _silent(a, b, quantity, difference, numbers, usable, states, names, why)
        if silent is not None:
            return silent
    skipped = int(np.sum(~usable.all(axis=1)))
    unit = 1.0 if difference.unit is None else float(difference.unit.reshape(len(x), -1)[s, e])
    told = f"{skipped} of {len(x)} states could not be compared in every entry" if skipped else ""
    return Comparison(
        a, b, quantity,
        "agrees" if beyond[s, e] <= 1.0 else "disagrees",
        discrepancy=float(size[s, e]),
        tolerance=_part(allowed[s, e], scale[s, e]),
        scale=float(scale[s, e]) / unit,
        cond=float(difference.cond[s]),
        state=states[s],
        entry=_entry(e, x.shape, names),
        values=(float(flat[0][s, e]) / unit, float(flat[1][s, e]) / unit),
        explanation=told + (f": {why}" if told and why else ""),
        noticeable=noticeable(difference, usable.reshape(x.shape)),
        zero=not (x.any() or y.any()),
    )  # fmt: skip


def _sure(difference: Difference) -> NDArray[np.bool_]:
    """In which entries something is decided (N, …): what is allowed leaves digits of the scale, and is a number.

    Zeros that nothing makes are decided, whatever is allowed. So is what has no scale and is there; but numbers of a
    side without bounds that are so small that they have lost digits are not told from zero.
    """
    a, b, allowed = difference.a, difference.b, difference.allowed
    scale, tolerance, gap = difference.scales, difference.tolerances, difference.gap
    with np.errstate(all="ignore"):
        size = np.fmax(np.abs(a), np.abs(b))
        digits = np.isfinite(allowed) & (tolerance < USELESS) & ~(allowed > USELESS * scale)
        zero = np.isfinite(allowed) & (scale == 0) & (size == 0)
        vanishing = (tolerance > 0) & (gap > allowed) & (size < SMALLEST)
        apart = np.isfinite(allowed) & (gap > allowed) & difference.certain
    return np.asarray((digits | zero | (allowed == 0) | apart) & ~vanishing)


def _silent(
    a: str, b: str, quantity: str, difference: Difference, numbers: tuple[NDArray[np.bool_], ...],
    usable: NDArray[np.bool_], states: Sequence[State], names: Sequence[str], why: str,
) -> Comparison | None:  # fmt: skip
    """A number against none, or an entry that is compared at no state; None where there is neither."""
    shape = difference.a.shape
    one_sided = numbers[0] != numbers[1]
    if one_sided.any():
        s, e = (int(i[0]) for i in np.nonzero(one_sided))
        missing = b if numbers[0][s, e] else a
        return Comparison(
            a, b, quantity, "disagrees", state=states[s], entry=_entry(e, shape, names),
            explanation=f"{missing} gives no number here" + (f": {why}" if why else ""),
        )  # fmt: skip
    if usable.any(axis=0).all():
        return None
    e = int(np.argmin(usable.any(axis=0)))
    return Comparison(
        a, b, quantity, "not checked", entry=_entry(e, shape, names),
        explanation=_blind(numbers[0][:, e], difference.cond, why),
    )  # fmt: skip


def noticeable(difference: Difference, usable: Array) -> float | None:
    """The relative change that would have been noticed in half of the entries that are not zero to rounding."""
    size = np.fmax(np.abs(difference.a), np.abs(difference.b))
    there = usable & (size > difference.allowed)
    found = (difference.allowed[there] / size[there]).tolist()
    return float(median(found)) if found else None  # NumPy's own imports masked arrays


def _blind(numbers: Array, cond: Array, why: str) -> str:
    """Why an entry is compared at no state."""
    if not numbers.any():
        return why or "no witness has a number at any state"
    least = float(np.min(cond[numbers]))
    conditioned = f", condition number {least:.1e} or more" if least > 1 else ""
    return f"ill-conditioned{conditioned}: the bounds of rounding leave no digits to compare"


def _part(allowed: float, scale: float) -> float:
    """Allowed, relative to scale; where that is zero nothing but equality is."""
    return float(allowed / scale) if scale > 0 and np.isfinite(scale) else 0.0


def _entry(flat: int, shape: tuple[int, ...], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[int(i)] for i in np.unravel_index(flat, shape[1:]))
