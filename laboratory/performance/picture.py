"""Time per state against the number of bodies, as a small picture with logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH, HEIGHT, LEFT, BELOW, RIGHT, TOP = 420.0, 240.0, 60.0, 40.0, 130.0, 12.0
COLOURS = ("#0b6", "#c33", "#36c", "#b80")
Curve = Sequence[tuple[float, float]]


def picture(chains: Sequence[Mapping[str, Any]]) -> str:
    """Draw SVG."""
    curves: dict[str, Curve] = {"here": [(m["coordinates"], m["columns"]) for m in chains]}
    for name in chains[0]["others"]:
        times = ((m["coordinates"], m["others"][name]["time"]) for m in chains)
        found = [(n, time) for n, time in times if time is not None]
        curves |= {name: found} if found else {}
    points = [point for curve in curves.values() for point in curve]
    x = PlotAxis([n for n, _ in points], LEFT, LEFT + WIDTH)
    y = PlotAxis([time for _, time in points], TOP + HEIGHT, TOP)
    size = f"{LEFT + WIDTH + RIGHT:g} {TOP + HEIGHT + BELOW:g}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img"',
            'font-family="sans-serif" font-size="11">',
            "<title>Nanoseconds per state against the number of bodies</title>",
            f'<rect x="{LEFT:g}" y="{TOP:g}" width="{WIDTH:g}" height="{HEIGHT:g}" fill="none" stroke="#888"/>',
            *_ticks(chains, points, x, y),
            *(line for i, (name, curve) in enumerate(curves.items()) for line in _draw_curve(i, name, curve, x, y)),
            "</svg>\n",
        ]
    )


class PlotAxis:
    """Numbers to places: logarithmic from end to end."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        self._low, self._high = math.log(min(values)) - 0.15, math.log(max(values)) + 0.15
        self._first, self._last = first, last

    def __call__(self, value: float) -> float:
        """Place a value on the axis."""
        part = (math.log(value) - self._low) / (self._high - self._low)
        return self._first + part * (self._last - self._first)


def _ticks(chains: Sequence[Mapping[str, Any]], points: Curve, x: PlotAxis, y: PlotAxis) -> Iterator[str]:
    for m in chains:
        n = m["coordinates"]
        yield f'<text x="{x(n):.1f}" y="{TOP + HEIGHT + 16:g}" text-anchor="middle">{n}</text>'
    yield f'<text x="{LEFT + WIDTH / 2:g}" y="{TOP + HEIGHT + 32:g}" text-anchor="middle">bodies</text>'
    low, high = (math.log10(end(time for _, time in points)) for end in (min, max))
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = y(10.0**power)
        yield f'<path d="M{LEFT:g} {at:.1f}H{LEFT + WIDTH:g}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6:g}" y="{at + 4:.1f}" text-anchor="end">{10**power:,} ns</text>'


def _draw_curve(i: int, name: str, curve: Curve, x: PlotAxis, y: PlotAxis) -> Iterator[str]:
    colour = COLOURS[i % len(COLOURS)]
    places = [f"{x(n):.1f},{y(time):.1f}" for n, time in curve]
    yield f'<polyline points="{" ".join(places)}" fill="none" stroke="{colour}" stroke-width="2"/>'
    n, time = curve[-1]
    yield f'<text x="{x(n) + 8:.1f}" y="{y(time) + 4:.1f}" fill="{colour}">{name}</text>'
