"""Small drawings of the modes of elastic bodies: displacements from the clamp to the last node, and the frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from mbconcord.model import Body, ElasticModes, NumbersError, State, System
from mbconcord.model.expressions import Expression, evaluate
from mbconcord.model.numbers import define, environment
from mbconcord.records import dataclass

from .frames import Array, Numbers, nodes

PANEL, HEIGHT, MARGIN, BETWEEN = 150.0, 104.0, 12.0, 12.0
COLUMNS = 4
INK, CURVE, PALE = "#1b2733", "#0b66c3", "#9aa7b4"


@dataclass(frozen=True)
class ModePicture:
    """A mode: its coordinate, kind, displacements over the distance from the clamp, and its frequency alone (Hz)."""

    body: str
    name: str
    kind: str
    distance: Array
    value: Array
    frequency: float


def shapes(system: System, parameters: Mapping[str, float] | None = None) -> list[ModePicture]:
    """Return the modes of all elastic bodies that have nodes.

    Raises
    ------
    NumbersError
        A parameter has no value.
    """
    values = environment(system, [State(parameters=parameters or {})])[0]

    def numbers(given: Sequence[Expression]) -> Array:
        return np.array(evaluate(define(given, system.functions), values), dtype=float)

    return [shape for body in system.bodies if body.modes for shape in _draw_modes(body, body.modes, numbers)]


def _draw_modes(body: Body, modes: ElasticModes, numbers: Numbers) -> list[ModePicture]:
    found = nodes(modes, numbers)
    if not found.names:
        return []
    made = []
    for k, name in enumerate(modes.coordinates):
        mass = [modes.second_moments[k + 1][k + 1][a][a] for a in range(3)]
        sections: list[Expression] = [modes.section_inertia[2][k][k]] if modes.section_inertia else []
        inertia = float(np.sum(numbers([*mass, *sections])))
        (stiffness,) = numbers([modes.stiffness[k][k]])
        frequency = float(np.sqrt(max(stiffness, 0.0) / inertia) / (2 * np.pi)) if inertia > 0 else 0.0
        made.append(ModePicture(body.name, name, *found.shape(k), frequency))
    return made


def drawing(system: System, parameters: Mapping[str, float] | None = None) -> str:
    """Draw an SVG with a panel for each mode; empty if there is none, or a number is missing."""
    try:
        listed = shapes(system, parameters)
    except NumbersError:
        return ""
    if not listed:
        return ""
    rows = -(-len(listed) // COLUMNS)
    width = min(len(listed), COLUMNS) * (PANEL + BETWEEN) + BETWEEN
    height = rows * (HEIGHT + BETWEEN) + BETWEEN
    parts = [
        _panel(shape, BETWEEN + (i % COLUMNS) * (PANEL + BETWEEN), BETWEEN + (i // COLUMNS) * (HEIGHT + BETWEEN))
        for i, shape in enumerate(listed)
    ]
    title = escape(f"Elastic modes of {system.name}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{title}" '
        'font-family="sans-serif" font-size="11">' + "".join(parts) + "</svg>"
    )


def _panel(shape: ModePicture, left: float, top: float) -> str:
    size = float(np.abs(shape.value).max()) or 1.0
    inner, middle = PANEL - 2 * MARGIN, top + MARGIN + 14 + (HEIGHT - 3 * MARGIN - 14) / 2
    x = left + MARGIN + inner * shape.distance / (float(shape.distance.max()) or 1.0)
    y = middle - 0.5 * (HEIGHT - 3 * MARGIN - 14) * shape.value / size
    curve = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    label = escape(f"{shape.name} of {shape.body}: {shape.kind}")
    speed = f"{shape.frequency:.4g} Hz" if shape.frequency else "no stiffness"
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{PANEL:g}" height="{HEIGHT:g}" rx="3" fill="none" stroke="{PALE}"/>'
        f'<text x="{left + 6:g}" y="{top + 14:g}" fill="{INK}">{label}</text>'
        f'<text x="{left + 6:g}" y="{top + HEIGHT - 6:g}" fill="{INK}">{speed}</text>'
        f'<line x1="{left + MARGIN:g}" y1="{middle:.1f}" x2="{left + PANEL - MARGIN:g}" y2="{middle:.1f}" '
        f'stroke="{PALE}" stroke-dasharray="4 3"/>'
        f'<line x1="{left + MARGIN:g}" y1="{middle - 8:.1f}" x2="{left + MARGIN:g}" y2="{middle + 8:.1f}" '
        f'stroke="{INK}" stroke-width="2"/>'
        f'<polyline points="{curve}" fill="none" stroke="{CURVE}" stroke-width="1.8"/>'
    )
