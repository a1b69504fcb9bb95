"""Pictures of mechanisms as SVG: planar ones in their plane, spatial ones in axonometry with the vertical upwards."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import cos, radians, sin

import numpy as np

from mbconcord.model import NumbersError, System
from mbconcord.model.diagnostics import DisagreementError, error
from mbconcord.model.limits import format_names
from mbconcord.validation.witnesses.tracks import check_picture
from mbconcord.witnessed import NOT_CHECKED

from .frames import Array, rotate_vectors
from .scene import Scene, SceneJoint, SceneLine, basis, scene

WIDTH, HEIGHT, MARGIN = 520.0, 400.0, 58.0
FONT = 12.0
#: Above these counts names would hide the mechanism.
MOST_BODY_NAMES, MOST_COORDINATE_NAMES, MOST_POSE = 6, 40, 12

INK, LINK, JOINT, MASS, FORCE, PALE = "#1b2733", "#4a6078", "#0b66c3", "#b3541e", "#b3261e", "#9aa7b4"
BEAM, SHAPE = "#2c7a4b", "#7d93a8"


def picture(system: System, parameters: Mapping[str, float] | None = None) -> tuple[str, str]:
    """Draw the mechanism and its pose as SVG; return an empty SVG and the reason when a number is missing.

    Raises
    ------
    DisagreementError
        A joint, mass centre, end of a line, shape or arrow is drawn elsewhere than the model's fields have it.
    """
    try:
        shown = scene(system, parameters)
    except NumbersError as problem:
        return "", "no picture: " + "; ".join(f"{d.place} {d.message}" for d in problem.diagnostics)
    svg = _PictureDrawing(system.name, shown).svg()
    said = check_picture(system, svg, shown.pose, parameters or {})
    if said and not said.startswith(NOT_CHECKED):
        raise DisagreementError(error("picture", said, "do not trust it; please report the model and the command"))
    return svg, "; ".join(filter(None, (_caption(shown), said)))


def _caption(shown: Scene) -> str:
    undrawn = f"; not drawn: {format_names(shown.undrawn)}" if shown.undrawn else ""
    if shown.initial and not any(shown.pose.values()):
        return f"at its initial pose: all coordinates zero{undrawn}"
    which = "its initial pose" if shown.initial else "a bent pose"
    if any(line.kind == "beam" for line in shown.lines):
        which += ", elastic bodies at rest dashed"
    if len(shown.pose) > MOST_POSE:
        return f"at {which}{undrawn}"
    return f"at {which}: " + ", ".join(f"{name} = {value:.4g}" for name, value in shown.pose.items()) + undrawn


class _PictureDrawing:
    def __init__(self, name: str, shown: Scene) -> None:
        self.name, self.scene = name, shown
        self.plane = shown.plane()
        self.basis = basis(shown, self.plane)
        self.curves = [
            shown.frames[body][1] + rotate_vectors(shown.frames[body][0], curve)
            for body, curves in shown.outlines for curve in curves
        ]  # fmt: skip
        flat = np.concatenate([shown.points, *self.curves, np.zeros((0, 3))]) @ self.basis.T
        flat = flat if len(flat) else np.zeros((1, 2))
        low, high = flat.min(axis=0), flat.max(axis=0)
        wide = float(np.max(high - low))
        size = np.maximum(high - low, 1e-9 * (wide or 1.0))
        inside = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
        self.scale = float(np.min(inside / size)) if wide else 1.0
        self.middle = (low + high) / 2
        self.boxes: list[tuple[float, float, float, float]] = []
        self.parts: list[str] = []
        self.small = len(shown.joints) > 14

    def to_picture(self, point: Array) -> tuple[float, float]:
        """Return the coordinates in the picture of a point of the world."""
        x, y = (self.basis @ point - self.middle) * self.scale
        return WIDTH / 2 + float(x), HEIGHT / 2 - float(y)

    def svg(self) -> str:
        self._axes()
        self._gravity()
        for point in self.scene.ground:
            self._ground(*self.to_picture(point))
        for curve in self.curves:
            self._outline(curve)
        for line in self.scene.lines:
            self._line(line)
        for joint in self.scene.joints:
            self._joint(joint)
        for name, point in self.scene.masses:
            self._mass(*self.to_picture(point))
            if len(self.scene.masses) <= MOST_BODY_NAMES:
                self._label(name, *self.to_picture(point), MASS)
        for name, point in self.scene.loads:
            self._load(name, *self.to_picture(point))
        if len(self.scene.joints) <= MOST_COORDINATE_NAMES:
            for joint in (j for j in self.scene.joints if j.label):
                self._label(joint.label, *self.to_picture(joint.point), JOINT)
        title = escape(f"Mechanism {self.name}")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
            f'aria-label="{escape(title, quote=True)}" font-family="sans-serif" '
            'stroke-linecap="round" paint-order="stroke">' + "".join(self.parts) + "</svg>"
        )

    def _add(self, tag: str, **attributes: object) -> None:
        listed = " ".join(f'{key.replace("_", "-")}="{_format_attribute(value)}"' for key, value in attributes.items())
        self.parts.append(f"<{tag} {listed}/>")

    def _stroke(
        self, a: tuple[float, float], b: tuple[float, float], colour: str, width: float, dash: str = ""
    ) -> None:
        extra = {"stroke_dasharray": dash} if dash else {}
        ends = {"x1": a[0], "y1": a[1], "x2": b[0], "y2": b[1]}
        self._add("line", **ends, stroke=colour, stroke_width=width, stroke_linecap="round", **extra)

    def _outline(self, curve: Array) -> None:
        """Draw a curve of a shape, or a mark if it has one point only."""
        if len(curve) == 1:
            x, y = self.to_picture(curve[0])
            return self._add("circle", cx=x, cy=y, r=2.5, fill=FORCE)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(self.to_picture, curve))
        return self._add("polyline", points=points, fill="none", stroke=SHAPE, stroke_width=0.8)

    def _line(self, line: SceneLine) -> None:
        a, b = self.to_picture(line.start), self.to_picture(line.end)
        thin = 0.7 if self.small else 1.0
        if line.kind == "link":
            self._stroke(a, b, LINK, 5 * thin)
        elif line.kind == "slide":
            self._stroke(a, b, PALE, 6 * thin)
            self._stroke(a, b, INK, 1.2, "5 4")
        elif line.kind in ("arm", "base"):
            self._stroke(a, b, PALE, 2 * thin, "" if line.kind == "arm" else "2 4")
        elif line.kind == "beam":
            self._stroke(a, b, BEAM, 3.5 * thin)
        elif line.kind == "rest":
            self._stroke(a, b, PALE, 1.0, "3 3")
        elif line.kind == "rod":
            self._stroke(a, b, INK, 5)
            self._stroke(a, b, "#ffffff", 2.5)
        elif line.kind == "gap":
            self._stroke(a, b, FORCE, 1.2, "2 3")
        else:
            self._spring(a, b)

    def _spring(self, a: tuple[float, float], b: tuple[float, float]) -> None:
        start, along = np.array(a), np.array(b) - np.array(a)
        length = float(np.linalg.norm(along)) or 1.0
        side = np.array([-along[1], along[0]]) / length * 5
        marks = [start, start + 0.2 * along]
        marks += [start + (0.2 + 0.6 * (k + 0.5) / 8) * along + side * (-1) ** k for k in range(8)]
        marks += [start + 0.8 * along, start + along]
        points = " ".join(f"{p[0]:.1f},{p[1]:.1f}" for p in marks)
        self._add("polyline", points=points, fill="none", stroke=FORCE, stroke_width=1.5)

    def _joint(self, joint: SceneJoint) -> None:
        x, y = self.to_picture(joint.point)
        colour = INK if joint.prescribed else JOINT
        size = 4.0 if self.small else 6.0
        if joint.kind == "translation":
            direction = self.basis @ joint.axis
            u, v = (float(d) for d in direction * 5 * size)
            self._stroke((x - u, y + v), (x + u, y - v), PALE, 1.4, "6 3")
            angle = float(np.degrees(np.arctan2(-direction[1], direction[0])))
            self.parts.append(
                f'<rect x="{x - 1.5 * size:.1f}" y="{y - size:.1f}" width="{3 * size:g}" '
                f'height="{2 * size:g}" rx="2" transform="rotate({angle:.1f} {x:.1f} {y:.1f})" '
                f'fill="#ffffff" stroke="{colour}" stroke-width="1.6"/>'
            )
            return
        if self.plane is None:
            half = self.basis @ joint.axis * (2.6 * size)
            a, b = (x - float(half[0]), y + float(half[1])), (x + float(half[0]), y - float(half[1]))
            self._stroke(a, b, colour, 1.2, "4 2")
        self._add("circle", cx=x, cy=y, r=size, fill="#ffffff", stroke=colour, stroke_width=1.8)
        self._claim(x - size, y - size, x + size, y + size)

    def _mass(self, x: float, y: float) -> None:
        r = 3.0 if self.small else 6.5
        self._add("circle", cx=x, cy=y, r=r, fill="#ffffff", stroke=MASS, stroke_width=1.2)
        quarters = "".join(
            f"M{x:.1f} {y:.1f}v{-k:g}a{r:g} {r:g} 0 0 1 {k:g} {k:g}z" for k in (r, -r)
        )  # the two filled quarters of the sign for a centre of mass
        self._add("path", d=quarters, fill=MASS)
        self._claim(x - r, y - r, x + r, y + r)

    def _load(self, name: str, x: float, y: float) -> None:
        self._arrow(x - 30, y - 22, x - 5, y - 4, FORCE)
        self._label(name, x - 30, y - 22, FORCE)

    def _ground(self, x: float, y: float) -> None:
        u = 5.0 if self.small else 8.0
        self.parts.append(
            f'<path d="M{x:.1f} {y:.1f}l{-1.6 * u:g} {2.4 * u:g}h{3.2 * u:g}z" fill="#e8edf2" stroke="{INK}" '
            f'stroke-width="1.2"/><path d="M{x - 2.5 * u:.1f} {y + 2.4 * u:.1f}h{5 * u:g}'
            + "".join(f"M{x + (k - 2.25) * u:.1f} {y + 3.4 * u:.1f}l{u:g} {-u:g}" for k in range(5))
            + f'" fill="none" stroke="{INK}" stroke-width="1.2"/>'
        )
        self._claim(x - 2.25 * u, y + u, x + 2.25 * u, y + 3.5 * u)

    def _axes(self) -> None:
        x, y = 34.0, HEIGHT - 30.0
        self._claim(x - 25, y - 40, x + 40, y + 20)
        for name, direction in zip("xyz", np.eye(3)):
            u, v = self.basis @ direction * 26
            if abs(u) + abs(v) > 1:
                self._arrow(x, y, x + float(u), y - float(v), PALE)
                self._text(name, x + float(u) * 1.28, y - float(v) * 1.28 + 4, INK, "middle")

    def _gravity(self) -> None:
        size = float(np.linalg.norm(self.scene.gravity))
        if not size:
            return
        u, v = self.basis @ (self.scene.gravity / size) * 40
        x, y = WIDTH - 40.0, 44.0
        self._claim(x - 25, y - 25, x + 25, y + 25)
        self._arrow(x - float(u) / 2, y + float(v) / 2, x + float(u) / 2, y - float(v) / 2, INK)
        self._text("g", x + 10, y + 4, INK, "start")

    def _arrow(self, x1: float, y1: float, x2: float, y2: float, colour: str) -> None:
        self._stroke((x1, y1), (x2, y2), colour, 1.6)
        along = np.array([x2 - x1, y2 - y1])
        along = along / (float(np.linalg.norm(along)) or 1.0) * 7
        side = np.array([-along[1], along[0]]) * 0.45
        tip = np.array([x2, y2])
        points = " ".join(
            f"{p[0]:.1f},{p[1]:.1f}" for p in (tip + along * 0.4, tip - along * 0.6 + side, tip - along * 0.6 - side)
        )
        self._add("polygon", points=points, fill=colour)

    def _label(self, text: str, x: float, y: float, colour: str) -> None:
        """Write a label at the nearest free place around a point."""
        size = FONT - 2.5 if self.small else FONT
        width = 0.58 * size * len(text)
        for radius in (11.0, 17.0, 25.0, 34.0):
            for degrees in (35, 145, -35, -145, 90, -90, 0, 180):
                u, v = radius * cos(radians(degrees)), -radius * sin(radians(degrees))
                left = x + u - (width if u < -1 else width / 2 if abs(u) <= 1 else 0)
                box = (left, y + v - size / 2, left + width, y + v + size / 2)
                if self._free(box):
                    self._claim(*box)
                    if radius > 17:
                        self._stroke((x, y), (x + u, y + v), PALE, 0.6)
                    self._text(text, left, y + v + size * 0.35, colour, "start", size)
                    return

    def _text(self, text: str, x: float, y: float, colour: str, anchor: str, size: float = FONT) -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}" '
            f'stroke="#ffffff" stroke-width="3">{escape(text)}</text>'
        )

    def _claim(self, *box: float) -> None:
        left, top, right, bottom = box
        self.boxes.append((left, top, right, bottom))

    def _free(self, box: tuple[float, float, float, float]) -> bool:
        left, top, right, bottom = box
        if left < 2 or top < 2 or right > WIDTH - 2 or bottom > HEIGHT - 2:
            return False
        return all(right < a or left > c or bottom < b or top > d for a, b, c, d in self.boxes)


def _format_attribute(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else escape(str(value), quote=True)
