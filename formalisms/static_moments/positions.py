"""Positions of the bodies' frames: poles O_i from the fixed frame outwards, and seats on the links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .frames import Frames
from .links import Link, Seat
from .vectors import NONE, Triple, combined, plus, times


def positions(
    made: Sequence[Link], seats: Mapping[str | None, Seat], placed: Frames, bodies: Iterable[str]
) -> tuple[Triple, ...]:
    """Origins of the bodies' frames in fixed axes (m): O_i is R_i from the base's pole, a prismatic one q_i q̄_i on."""
    poles: dict[int, Triple] = {0: NONE}
    for link in made:
        poles[link.number] = plus(poles[link.base], combined(placed.axes[link.base], link.arm))
        if not link.revolute:
            poles[link.number] = plus(poles[link.number], times(link.q, placed.joint_axis(link)))
    return tuple(
        plus(poles[seat.link], combined(placed.axes[seat.link], seat.origin))
        for seat in (seats[name] for name in bodies)
    )
