"""Static moments of deep machines: (1), from the last link to the first, in fixed axes.

The write-out has m̄_i over the vectors НКО of all links that i carries: as many terms for each link. What is only to be
computed takes m̄_i from the sums of the links that i carries: as many for all links together.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.expressions import Expression

from .links import Frames
from .moments import Moment
from .vectors import NONE, Triple, cross, dot, plus, times
from .writeout import in_fixed_axes, write_out

#: Links from the fixed frame out to one from which on sums are taken; with fewer the write-out costs no more.
DEEP = 8


def deep(parts: Sequence[Moment]) -> bool:
    """Return True if sums pay off: a link has many others below it."""
    depth = {0: 0}
    for part in parts:
        depth[part.link.number] = depth[part.link.base] + 1
    return max(depth.values()) >= DEEP


def static_moments(parts: Sequence[Moment], placed: Frames) -> dict[int, Triple]:
    """Compute m̄_i of every link in fixed axes (kg m): by the write-out, or for deep machines by sums."""
    if deep(parts):
        return sum_moments(parts, placed)
    written = write_out(parts)
    return {part.link.number: in_fixed_axes(written.find_result(part.link.number), placed) for part in parts}


def sum_moments(parts: Sequence[Moment], placed: Frames) -> dict[int, Triple]:
    """Sum m̄_i = m̄_ri + Σ m̄_j over the links j that i carries, (1)."""
    found: dict[int, Triple] = {}
    for part in reversed(parts):
        total = NONE
        for term in part.terms:
            total = plus(total, times(term.value, placed.units[term.unit]))
        for j in part.carried:
            total = plus(total, found[j])
        found[part.link.number] = total
    return found


def force(part: Moment, moment: Triple, placed: Frames, fall: Triple) -> Expression:
    """Compute gravity's generalized force of one coordinate: q̄ · (m̄ × g), or m q̄ · g if it slides."""
    axis = placed.joint_axis(part.link)
    return dot(axis, cross(moment, fall)) if part.link.revolute else part.mass * dot(axis, fall)
