"""Positions of the bodies' frames: poles O_i from the fixed frame outwards, and seats on the links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .frames import Frames
from .links import Link, Seat
from .vectors import NONE, Triple, combined, plus, times


def poles(made: Sequence[Link], placed: Frames) -> dict[int, Triple]:
    """O_i of every link in fixed axes, from the fixed origin (0): O_b + R_i, and q̄_i q_i on where it slides (m)."""
    found: dict[int, Triple] = {0: NONE}
    for link in made:
        at = plus(found[link.base], combined(placed.axes[link.base], link.arm))
        found[link.number] = at if link.revolute else plus(at, times(link.q, placed.joint_axis(link)))
    return found


def positions(
    made: Sequence[Link], seats: Mapping[str | None, Seat], placed: Frames, bodies: Iterable[str]
) -> tuple[Triple, ...]:
    """Origins of the bodies' frames in fixed axes (m)."""
    origins = poles(made, placed)
    return tuple(
        plus(origins[seat.link], combined(placed.axes[seat.link], seat.origin))
        for seat in (seats[name] for name in bodies)
    )
