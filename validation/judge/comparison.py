"""Differences of two results, relative to the scale of their terms: never a bare bool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.derivation import EFFORT, QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State
from mbconcord.records import dataclass, replace

from .evidence import Comparison, LargestDifference
from .motion import Array
from .scale import Scales
from .tolerances import SMALLEST, USELESS, evaluation_tolerance, solution_tolerance

#: How a reason begins why numbers say nothing although there are some.
ILL_CONDITIONED = "ill-conditioned"


@dataclass(frozen=True)
class ArrayDifference:
    """Two arrays (N, …), their tolerance, and their scale.

    Entries agree if |a - b| ≤ bound + tolerance · scale: ``bound`` (N, …) is the rounding error of both sides with
    known bounds; ``tolerance`` (N,), relative to ``scale`` (N, …), covers sides without bounds, with the condition
    number ``cond`` (N,) that the tolerance uses.

    ``unit`` (N, …): factor by which entries were multiplied to be comparable; they are shown without it. ``certain``: a
    difference beyond the tolerance counts, however few digits of the scale remain.
    """

    a: Array
    b: Array
    scale: Array
    tolerance: Array
    cond: Array
    unit: Array | None = None
    bound: Array | None = None
    certain: bool = False

    def first(self, count: int) -> ArrayDifference:
        """Return the difference at the first ``count`` states, with NaN where either side has no number."""
        known = np.isfinite(self.a) & np.isfinite(self.b) if self.a.shape == self.b.shape else np.array(True)
        return replace(
            self, a=np.where(known, self.a, np.nan)[:count], b=np.where(known, self.b, np.nan)[:count],
            scale=self.scales[:count], tolerance=self.tolerance[:count], cond=self.cond[:count],
            unit=None if self.unit is None else self.unit[:count],
            bound=None if self.bound is None else self.bound[:count],
        )  # fmt: skip

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
    def relative_gap(self) -> Array:
        """|a - b| / scale of every entry (N, …).

        A scale that is zero or not a number (a bipolar force of length zero) must not hide a difference.
        """
        with np.errstate(all="ignore"):
            judged = (self.scales > 0) & np.isfinite(self.scales)
            return np.where(self.gap == 0, 0.0, np.where(judged, self.gap / self.scales, np.inf))

    @cached_property
    def tolerated_gap(self) -> Array:
        """Allowed differences of the entries (N, …)."""
        with np.errstate(all="ignore"):
            relative = np.where(self.tolerances > 0, self.tolerances * self.scales, 0.0)
        return relative if self.bound is None else relative + self.bound


def compare_evaluations(
    a: Evaluation, b: Evaluation, scales: Scales, states: Sequence[State], names: Sequence[str]
) -> list[Comparison]:
    """Compare every quantity that both evaluations deliver: its worst entry relative to scale, over all states.

    Parameters
    ----------
    a, b : evaluations at the same states
    scales : scales at these states
    names : names of the coordinates
    """
    return [
        compare_quantity(a, b, quantity, scales, states, names)
        for quantity in QUANTITIES
        if quantity in a.quantities and quantity in b.quantities
    ]


def compare_quantity(
    a: Evaluation, b: Evaluation, quantity: str, scales: Scales, states: Sequence[State], names: Sequence[str]
) -> Comparison:
    """Compare one quantity of two evaluations."""
    difference = difference_of(a, b, quantity, scales)
    why = "; ".join(dict.fromkeys(d.message for d in (*a.diagnostics, *b.diagnostics)))
    return worst(a.formalism, b.formalism, quantity, difference, states, names, why)


def difference_of(a: Evaluation, b: Evaluation, quantity: str, scales: Scales) -> ArrayDifference:
    """Pair the numbers of one quantity by two witnesses, with scale, and bounds or tolerance.

    A side without bounds is allowed the tolerance of scale.
    """
    x, y = a.quantities[quantity], b.quantities[quantity]
    bounds = [e.bounds[quantity] for e in (a, b) if quantity in e.bounds]
    bound = sum(bounds, np.zeros_like(x)) if x.shape == y.shape else None
    known, ones = len(bounds) == 2, np.ones(len(x))
    if quantity == "acceleration":
        tolerance = ones * 0.0 if known else np.array([solution_tolerance(c) for c in scales.cond])
        roots = np.where(scales.roots > 0, scales.roots, 1.0)  # imposed ones need no inertia
        with np.errstate(all="ignore"):
            x, y = x * roots, y * roots
            own = None if bound is None else bound * roots
        size = np.fmax(np.max(np.abs(x), axis=1, initial=0.0), np.max(np.abs(y), axis=1, initial=0.0))
        scale = np.broadcast_to(np.fmax(size, scales.forces)[:, None], x.shape)
        return ArrayDifference(x, y, scale, tolerance, scales.cond, roots, own)
    if quantity == EFFORT:
        known_a = [np.abs(e.quantities["acceleration"]) for e in (a, b) if "acceleration" in e.quantities]
        moved = np.fmax.reduce(known_a)
        scale = scales.scale_efforts(moved)
        tolerance = ones * 0.0 if known else np.array([solution_tolerance(c) for c in scales.cond])
        return ArrayDifference(x, y, scale, tolerance, scales.cond, None, bound)
    scale = scales.mass if quantity == "M" else scales.rows[quantity]
    return ArrayDifference(x, y, scale, ones * (0.0 if known else evaluation_tolerance()), ones, None, bound)


def excess(difference: ArrayDifference) -> Array:
    """Compute |a - b| / allowed of every entry, (N, …): above one it disagrees.

    If no difference is allowed, any nonzero one gives infinity.
    """
    gap, allowed = difference.gap, difference.tolerated_gap
    with np.errstate(all="ignore"):
        return np.where(gap == 0, 0.0, np.where(allowed > 0, gap / allowed, np.inf))


def largest(
    quantity: str, difference: ArrayDifference, states: Sequence[State], names: Sequence[str]
) -> LargestDifference | None:
    """Return the entry that differs most in units of its scale; None where no entry has two numbers."""
    x, y = difference.a, difference.b
    if x.shape != y.shape or not x.size:
        return None
    size = np.where(np.isfinite(x) & np.isfinite(y), difference.relative_gap, -1.0)
    at = np.unravel_index(int(np.argmax(size)), x.shape)
    if size[at] < 0:
        return None
    unit = 1.0 if difference.unit is None else float(np.broadcast_to(difference.unit, x.shape)[at])
    entry = tuple(names[int(i)] for i in at[1:])
    return LargestDifference(
        quantity, entry, (float(x[at]) / unit, float(y[at]) / unit), float(size[at]), states[int(at[0])]
    )


def worst(
    a: str,
    b: str,
    quantity: str,
    difference: ArrayDifference,
    states: Sequence[State],
    names: Sequence[str],
    why: str = "",
) -> Comparison:
    """Return the worst entry of a difference as a comparison; ``why`` explains entries that are not numbers.

    An entry is not compared at a state where neither side is a number or no digit is certain; if it is compared at no
    state, it and its quantity are not checked. A number on one side only is a disagreement. Compared entries that
    differ take precedence over uncompared ones.
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
    allowed = difference.tolerated_gap.reshape(len(x), -1)
    usable = numbers[0] & numbers[1] & _sure(difference).reshape(len(x), -1)
    with np.errstate(all="ignore"):
        size = difference.relative_gap.reshape(len(x), -1)
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
        largest=largest(quantity, difference, states, names),
    )  # fmt: skip


def contradict(found: Sequence[Comparison], place: str) -> Iterator[Diagnostic]:
    """Yield an error for each comparison that disagrees, with both numbers."""
    for c in found:
        if c.verdict == "disagrees":
            when = "" if c.state is None else f" at t = {c.state.t:.9g}"
            where = " ".join((c.quantity, *(e for e in c.entry if e not in c.quantity)))
            numbers = "" if c.values is None else f": {c.values[0]:.9g} by {c.a}, {c.values[1]:.9g} by {c.b}"
            message = f"{where}{when}{numbers}{c.explanation and '; ' + c.explanation}"
            yield error(place, message, "do not trust these numbers; please report the model and the command")


def note_unchecked(found: Sequence[Comparison], place: str) -> Iterator[Diagnostic]:
    """Yield a note for each comparison that was not made, with the reason."""
    for c in found:
        if c.verdict == "not checked":
            yield Diagnostic("note", place, f"{c.quantity} not checked: {c.explanation}")


def _sure(difference: ArrayDifference) -> NDArray[np.bool_]:
    """Select decidable entries (N, …): those with a finite tolerance that leaves digits of the scale.

    Structural zeros are always decidable, as are nonzero entries without scale. Entries of a side without bounds that
    are so small that they have lost their digits count as zero.
    """
    a, b, allowed = difference.a, difference.b, difference.tolerated_gap
    scale, tolerance, gap = difference.scales, difference.tolerances, difference.gap
    with np.errstate(all="ignore"):
        size = np.fmax(np.abs(a), np.abs(b))
        digits = np.isfinite(allowed) & (tolerance < USELESS) & ~(allowed > USELESS * scale)
        zero = np.isfinite(allowed) & (scale == 0) & (size == 0)
        vanishing = (tolerance > 0) & (gap > allowed) & (size < SMALLEST)
        apart = np.isfinite(allowed) & (gap > allowed) & difference.certain
    return np.asarray((digits | zero | (allowed == 0) | apart) & ~vanishing)


def _silent(
    a: str, b: str, quantity: str, difference: ArrayDifference, numbers: tuple[NDArray[np.bool_], ...],
    usable: NDArray[np.bool_], states: Sequence[State], names: Sequence[str], why: str,
) -> Comparison | None:  # fmt: skip
    """Return a comparison for a number on one side only, or an entry compared at no state; None without these."""
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


def noticeable(difference: ArrayDifference, usable: Array) -> float | None:
    """Return the sensitivity: the median relative change that would have been detected, over nonzero entries."""
    size = np.fmax(np.abs(difference.a), np.abs(difference.b))
    there = usable & (size > difference.tolerated_gap)
    found = sorted((difference.tolerated_gap[there] / size[there]).tolist())
    middle = found[(len(found) - 1) // 2 : len(found) // 2 + 1]
    return float(sum(middle) / len(middle)) if middle else None  # NumPy's median imports masked arrays


def _blind(numbers: Array, cond: Array, why: str) -> str:
    """Return the reason why an entry is compared at no state."""
    if not numbers.any():
        return why or "no witness has a number at any state"
    least = float(np.min(cond[numbers]))
    conditioned = f", condition number {least:.1e} or more" if least > 1 else ""
    return f"{ILL_CONDITIONED}{conditioned}: the bounds of rounding leave no digits to compare"


def _part(allowed: float, scale: float) -> float:
    """Return the allowed difference relative to scale; zero if the scale is zero."""
    return float(allowed / scale) if scale > 0 and np.isfinite(scale) else 0.0


def _entry(flat: int, shape: tuple[int, ...], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[int(i)] for i in np.unravel_index(flat, shape[1:]))
