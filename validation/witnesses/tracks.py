"""Judge what an animation draws: points decoded from its page, at three states, by poses of the direct witness.

Joints, their axes, mass centres, loads and boxes of inertia are computed anew from the model's fields. Each end of a
line, and each point on the ground, must be one of these points or a point where a force or constraint is attached;
shapes are judged by their frames. The page holds points in single precision. A picture is judged as the page is, its
shapes by how far they reach.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from mbconcord.converters.registry import fittings
from mbconcord.model.constraint import FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.contact import Rolling
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.expressions import ExpressionError
from mbconcord.model.force import Bipolar, Bushing, PointForce, Torsion, Wrench
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Constant, Frame, Mapped, Prescribed

from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import Comparison
from ..judge.motion import Array
from .direct.formulas import bind
from .direct.motion import follow_joint
from .direct.series import constant
from .direct.tree import NAME, DirectTree, obstacles

#: Numbers of four bytes have seven digits; constants of the page have as many.
SINGLE: Final = 2e-6
BEGIN, END = '<script type="application/json" id="data">', "</script>"
DRAWING: Final = "drawn points"
#: Parts of a page's numbers below which a mechanism has no axes that could be seen.
SHOWN: Final = 1e-4
#: Kinds of lines that give a mechanism its size; the least size (m); the travel, in sizes, from which it is followed.
EXTENDED, SMALLEST, FOLLOWED = ("link", "beam", "arm"), 1e-6, 3.0
#: Motions that last 2 to 60 s are played at their own speed, others within 10 to 25 s.
AS_IT_IS, PLAYED = (2.0, 60.0), (10.0, 25.0)
#: Azimuth from which a mechanism in space is seen, rad; parts of an axis and of the extent that are zero, or not.
AZIMUTH, NOTHING, SOMETHING = np.radians(-52.0), 1e-11, 1e-7
#: Marks of joints and mass centres in a picture, and the colour of the latter; elevation of the view, rad; rounding.
MARKS: Final = re.compile(
    r'<(?:circle cx|rect x)="([^"]*)" (?:cy|y)="([^"]*)" (?:r="[^"]*"|width="([^"]*)" height="([^"]*)")[^>]*'
    r'fill="#ffffff" stroke="(#[0-9a-f]{6})"'
)
MASS, RAISED, PIXELS = "#b3541e", np.radians(18.0), 0.2
#: Strokes of a picture: ends, colour, width, dashes; and lines of more than one part, whose ends stand first and last.
STROKE: Final = re.compile(
    r'<line x1="([^"]*)" y1="([^"]*)" x2="([^"]*)" y2="([^"]*)" stroke="(#[0-9a-f]{6})" stroke-width="([^"]*)" '
    r'stroke-linecap="round"(?: stroke-dasharray="([^"]*)")?'
)
SPRING: Final = re.compile(r'<polyline points="(\S+) [^"]*?(\S+)" fill="none" stroke="#b3261e"')
#: Colours of links, of what is pale, of ink and of loads; a triangle that stands on the ground begins at its point.
LINK, PALE, INK, LOAD = "#4a6078", "#9aa7b4", "#1b2733", "#b3261e"
OUTLINE: Final = re.compile(r'<polyline points="([^"]*)" fill="none" stroke="#7d93a8"')
SUPPORT: Final = re.compile(r'<path d="M(\S+) (\S+)l[^"]*" fill="#e8edf2"')
#: Pale strokes that are no part of a mechanism: widths of arrows and leaders, dashes of joints and of undeformed beams.
BARE: Final = ("1.6", "0.6", "6 3", "3 3")
#: Length of the arrows of axes and of gravity, pixels; the place of the former from the left and the bottom.
ARROWS, CORNER = (26.0, 40.0), (34.0, 30.0)
#: Circles that show a ball reach so far, in parts of its radius, from wherever they are seen.
INSIDE: Final = 0.8
#: Kinds of lines whose ends elastic bodies move.
ELASTIC: Final = ("beam", "rest")


def check_page(
    system: System, html: str, t: Array, q: Array, parameters: Mapping[str, float],
    energies: Mapping[str, Array] = MappingProxyType({}), events: Sequence[str] = (),
) -> Iterator[Comparison]:  # fmt: skip
    """Yield comparisons of a page's points with poses computed anew, at three of N states q (N, n) and times t (N,)."""
    against = obstacles(system)
    if against:
        yield Comparison("page", NAME, DRAWING, "not checked", explanation=against[0].reason)
        return
    found = json.loads(html.partition(BEGIN)[2].partition(END)[0])
    times = _numbers(found["t"])
    frames, rows = _same_times(times, t)
    named = (dict(zip(system.coordinate_names, q[i].tolist(), strict=True)) for i in rows)
    chosen = [State(float(t[i]), at, parameters=parameters) for i, at in zip(rows, named, strict=True)]
    try:
        page, poses = _Page(found, frames), _Poses(system, chosen)
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        yield Comparison("page", NAME, DRAWING, "not checked", explanation=str(problem).splitlines()[0])
        return
    try:
        sides = [
            (quantity, *of(page, poses))
            for quantity, of in (
                ("mass centres", _masses), ("joints", _joints), ("loads", _loads), ("boxes", _boxes),
                ("ends of lines", _lines), ("frames of shapes", _frames),
            )
        ]  # fmt: skip
    except (LookupError, ValueError) as problem:
        said = f"the page draws what the model does not have: {type(problem).__name__}: {problem}"
        yield Comparison("page", NAME, DRAWING, "disagrees", explanation=said)
        return
    one = np.ones(len(chosen))
    for quantity, printed, own, names in sides:
        if names:
            x, y = (np.concatenate(v, axis=1) for v in (printed, own))
            difference = ArrayDifference(x, y, np.broadcast_to(page.reach[:, None], x.shape), SINGLE * one, one)
            axes = [f"{name} {axis}" for name in names for axis in "xyz"]
            yield worst("page", NAME, quantity, difference, chosen, axes)
    for quantity, wrong in (
        (
            "gravity and plots",
            [*_wrong_beside(found, poses, frames, q[rows], {n: x[rows] for n, x in energies.items()})],
        ),
        ("events", [*_wrong_events(found, system, t, q, events)]),
        ("view and speed", [*_wrong_view(found, poses), *_wrong_words(found, html, t), *_wrong_times(times, t)]),
    ):
        said = "; ".join(wrong[:3])
        yield Comparison("page", NAME, quantity, "disagrees" if wrong else "agrees", explanation=said)


def check_picture(system: System, svg: str, pose: Mapping[str, float], parameters: Mapping[str, float]) -> str:
    """Say how far a picture draws joints, mass centres or ends of lines from where the model has them; empty if right.

    Arrows of axes and of gravity have to point along them, and an arm leads to each mass centre.
    Its scale and middle are fitted; its directions are those of the mechanism's plane, or of space.
    """
    against = [*(o.reason for o in obstacles(system)), *("bodies bend" for body in system.bodies if body.modal)]
    try:
        poses = None if against else _Poses(system, [State(q=dict(pose), parameters=parameters)])
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        against, poses = [str(problem).splitlines()[0]], None
    if poses is None:
        return f"not checked: {against[0]}"
    found = [(float(x) + float(w or 0) / 2, float(y) + float(h or 0) / 2, of) for x, y, w, h, of in MARKS.findall(svg)]
    masses = [poses.centres[body.name][0] for body in system.bodies if body.inertia.mass]
    points = np.array([*(joint[3][0] for joint in poses.joints), *masses]).reshape(-1, 3)
    joints = [(x, y) for x, y, of in found if of != MASS][: len(poses.joints)]
    shown = np.array([*joints, *((x, y) for x, y, of in found if of == MASS)]).reshape(-1, 2) * (1, -1)
    if len(shown) != len(points):
        return f"joints and masses that are drawn: {len(shown)}, expected {len(points)}"
    if not len(points):
        return ""
    off, size = [], float(np.ptp(points, axis=0).max())
    for flat, (right, up, toward) in _list_views(points[:, None], SOMETHING * size, poses):
        basis = np.array([right, up if flat else np.cos(RAISED) * up - np.sin(RAISED) * toward])
        own, drawn = (x - x.mean(axis=0) for x in (points @ basis.T, shown))
        scale = max(0.0, float((own * drawn).sum() / max(float((own * own).sum()), 1e-300)))
        middle = shown.mean(axis=0) - scale * (points @ basis.T).mean(axis=0)
        off.append((float(np.abs(drawn - scale * own).max()), basis, scale, middle))
    half = np.array([float(x) / 2 for x in svg.partition('viewBox="0 0 ')[2].partition('"')[0].split()])
    out = float((np.abs(shown * (1, -1) - half) - half).max())
    if out > 0:
        return f"joints or masses are drawn {out:.1f} pixels outside"
    least = min(view[0] for view in off)
    if least > PIXELS:
        return f"joints or masses are drawn {least:.1f} pixels elsewhere"
    views = (view[1:] for view in off if view[0] <= PIXELS)
    said = [_wrong_arrows(svg, view[0], poses.gravity, half) or _wrong_strokes(svg, poses, *view) for view in views]
    return min(said, key=lambda why: (bool(why), not why.startswith("not checked")))  # views may fit points alike


def _wrong_arrows(svg: str, basis: Array, gravity: Array, half: Array) -> str:
    """Say which arrow of the world's axes or of gravity points elsewhere; ``half`` the size of the picture."""
    x, y = CORNER[0], 2 * half[1] - CORNER[1]
    drawn = [(*map(float, found[:4]), *found[4:6]) for found in STROKE.findall(svg) if found[5] == "1.6"]
    axes = np.array([(c - a, b - d) for a, b, c, d, of, _ in drawn if of == PALE and (a, b) == (x, y)]).reshape(-1, 2)
    own = np.array([v for v in ARROWS[0] * basis.T if np.abs(v).sum() > 1]).reshape(-1, 2)
    if len(axes) != len(own) or np.abs(axes - own).max(initial=0.0) > PIXELS:
        return f"axes are drawn along {axes.round(1).tolist()} pixels, expected {own.round(1).tolist()}"
    size = float(np.linalg.norm(gravity))
    down = np.array([(c - a, b - d) for a, b, c, d, of, _ in drawn if of == INK]).reshape(-1, 2)
    own = (ARROWS[1] * (basis @ gravity) / size).reshape(-1, 2) if size else np.zeros((0, 2))
    if len(down) != len(own) or np.abs(down - own).max(initial=0.0) > PIXELS:
        return f"gravity is drawn along {down.round(1).tolist()} pixels, expected {own.round(1).tolist()}"
    return ""


def _wrong_strokes(svg: str, poses: _Poses, basis: Array, scale: float, middle: Array) -> str:
    """Say how far the end of a line, or a support, stands from all places of the model, and which arm is missing.

    Pixels are those of basis (2, 3), scale and middle, fitted to joints and masses: less well far from these.
    """

    def to_picture(at: Array) -> Array:
        return np.asarray((scale * (at @ basis.T) + middle) * (1, -1))

    if not scale:
        return ""
    drawn, arms = [], set()
    for *ends, colour, width, dash in STROKE.findall(svg):
        a, b = np.array(ends, dtype=float).reshape(2, 2)
        pale = colour == PALE and width not in BARE and dash not in BARE
        if colour == LINK or pale or (colour == INK and width == "5") or (colour == LOAD and dash == "2 3"):
            drawn += [a, b]
        if pale and not dash and float(width) <= 2:
            arms.add((*a.round(1).tolist(), *b.round(1).tolist()))
    drawn += [np.array(x.split(","), dtype=float) for found in SPRING.findall(svg) for x in found]
    drawn += [np.array(x, dtype=float) for x in SUPPORT.findall(svg)]
    places = to_picture(np.array(poses.places)[:, 0])
    far = max((float(np.abs(places - x).max(axis=1).min()) for x in drawn), default=0.0)
    fitted = to_picture(np.array([*(joint[3][0] for joint in poses.joints), *(x[0] for x in poses.centres.values())]))
    near = PIXELS * max(1.0, float(np.ptp(places, axis=0).max()) / max(float(np.ptp(fitted, axis=0).max()), PIXELS))
    if far > near:
        return f"an end of a line is drawn {far:.1f} pixels from every point of the model"
    for body in poses.system.bodies:
        own = np.concatenate([to_picture(poses.tree.frames[body.name].r[0]), to_picture(poses.centres[body.name][0])])
        led = not body.inertia.mass or np.abs(own[:2] - own[2:]).max() <= 1
        if not led and min((float(np.abs(own - arm).max()) for arm in arms), default=np.inf) > near:
            return f"no line leads to the mass centre of {body.name}"
    boxes = np.array([*_boxes_of_shapes(poses, basis)]).reshape(-1, 2, 3)
    if np.isnan(boxes).any():
        return "not checked: shapes, of which one rolls or is no box, sphere, ellipsoid, cylinder or capsule"
    if not len(boxes):
        return ""
    low, high = np.sort(np.stack([to_picture(x) for x in boxes.transpose(1, 0, 2)]), axis=0)
    curves = [np.array([x.split(",") for x in found.split()], dtype=float) for found in OUTLINE.findall(svg)]
    off = [float(np.maximum(low - c.min(axis=0), c.max(axis=0) - high).max(axis=1).min()) for c in curves]
    if max(off, default=0.0) > near:
        return f"a shape is drawn {max(off):.1f} pixels outside of every shape of the model"
    every = np.concatenate([*curves, np.zeros((0, 2))])
    wide, own = (np.ptp(x, axis=0) if len(x) else np.zeros(2) for x in (every, np.concatenate([low, high])))
    if (wide < INSIDE * own - near).any():
        return f"shapes are drawn {wide.round(1).tolist()} pixels wide, expected {own.round(1).tolist()}"
    return ""


def _boxes_of_shapes(poses: _Poses, basis: Array) -> Iterator[tuple[Array, Array]]:
    """Yield points at the lower left and upper right of each shape as it is seen along basis (2, 3); NaN if unknown."""
    system, f = poses.system, poses.tree.f
    shapes = [shape for shape in fittings(system, seen=True).shapes if shape.seen]
    rolling = any(isinstance(getattr(e, "element", None), Rolling) for e in system.constraints)
    for shape in (shape for shape in shapes if shape.body is None or shape.body in poses.tree.frames):
        frame = follow_joint(poses.tree.frames[shape.body], shape.pose, poses.tree.names, f)
        w, size = basis @ frame.R[0], f.values(shape.size)[0] if shape.size else np.zeros(0)
        match shape.kind, len(size):
            case "box", 3:
                half = np.abs(w) @ size / 2
            case ("sphere", 1) | ("ellipsoid", 3):
                half = np.sqrt(w**2 @ np.broadcast_to(size**2, 3))
            case (("cylinder" | "capsule"), 2):
                across = np.sqrt(np.fmax(0.0, 1 - w[:, 2] ** 2)) if shape.kind == "cylinder" else np.ones(2)
                half = size[0] * across + size[1] / 2 * np.abs(w[:, 2])
            case _:
                half = np.full(2, np.nan)
        half = half * (np.nan if rolling else 1.0)
        yield frame.r[0] - half @ basis, frame.r[0] + half @ basis


def _wrong_times(times: Array, t: Array) -> Iterator[str]:
    """Yield an error if times of frames decrease, or lie outside the times t of rows; frames may lie between rows."""
    near = SINGLE * float(np.abs(t).max(initial=0.0))
    back = np.flatnonzero(np.diff(times) < -near)
    if len(times) and (len(back) or times.min() < t.min() - near or times.max() > t.max() + near):
        k = int(back[0]) + 1 if len(back) else int(np.argmax(np.abs(times - t.mean())))
        yield f"a frame at t = {times[k]:.9g}, expected times from row to row"


def _turned(system: System) -> frozenset[str]:
    return system.angles


def _wrong_beside(
    found: Mapping[str, Any], poses: _Poses, frames: Sequence[int], q: Array, energies: Mapping[str, Array]
) -> Iterator[str]:
    """Yield errors in the arrow of gravity, and in units and values of plotted numbers."""
    turned, down, arrow = _turned(poses.system), poses.gravity, np.array(found["gravity"] or [0.0] * 3)
    if np.abs(arrow - down).max() > SINGLE * np.abs(down).max():
        yield f"gravity {arrow.tolist()}, expected {down.tolist()}"
    lines = [(x, plot["title"].rpartition(", ")[2]) for plot in found["plots"] for x in plot["lines"]]
    own = {("rad" if name in turned else "m", name): q[:, i] for i, name in enumerate(poses.system.coordinate_names)}
    own |= {("J", name): x for name, x in energies.items()}
    if {"kinetic", "potential"} <= energies.keys():
        own["J", "total"] = energies["kinetic"] + energies["potential"]
    for (name, values), unit in lines:
        shown, x = _numbers(values)[frames], own.get((unit, name))
        if x is None or (np.abs(shown - x) > SINGLE * (1.0 + np.abs(x))).any():
            yield f"plot of {name} in {unit}: {shown.tolist()}, expected {None if x is None else x.tolist()}"


def _wrong_events(
    found: Mapping[str, Any], system: System, t: Array, q: Array, events: Sequence[str]
) -> Iterator[str]:  # fmt: skip
    """Yield errors in times, names and places of events; places are where the forces of an element act."""
    own, names, shown = [i for i, name in enumerate(events) if name], system.coordinate_names, found["events"]
    if len(shown) != len(own):
        yield f"{len(shown)} events, expected {len(own)}"
    for (when, name, ends, bodies), i in zip(shown, own, strict=False):
        forces = [f for f in system.forces if (e := getattr(f, "element", None)) and e.name == name.partition(" ")[2]]
        along = {getattr(f, "coordinate", None) for f in forces}
        row = sorted((n, q[i, k], "rad" if n in system.angles else "m") for k, n in enumerate(names) if n in along)
        same = [(n, unit) for n, _, unit in sorted(ends)] == [(n, unit) for n, _, unit in row]
        off = max((abs(x[1] - y[1]) - SINGLE * abs(y[1]) for x, y in zip(sorted(ends), row, strict=False)), default=0.0)
        places = {getattr(getattr(f, of, None), "body", None) for f in forces for of in ("point", "first", "second")}
        if (name, abs(when - t[i]) <= SINGLE * (1.0 + abs(t[i]))) != (events[i], True):
            yield f"{name} at t = {when:.9g}, expected {events[i]} at {t[i]:.9g}"
        elif not same or off > SINGLE:
            yield f"{name} where {ends}, expected {row}"
        elif {found["bodies"][k] for k in bodies} != places - {None}:
            yield f"{name} at {bodies}, expected {sorted(map(str, places))}"


def _list_views(points: Array, near: float, poses: _Poses) -> Iterator[tuple[bool, Array]]:
    """Yield ways to see a mechanism, flat or in space, with directions right, up and to the viewer.

    It is flat along a world axis, z before y before x, if no drawn point (N, S, 3) leaves the plane, joints turn about
    it or slide across it, and gravity acts across it. The first way is right, or the next where rounding decides.
    """
    eye, places, size = np.eye(3), np.array(poses.places), np.ptp(points, axis=(0, 1)).max() or 1.0
    for k in (2, 1, 0):
        tilts = [np.abs(np.abs(axis[:, k]) - (kind == "rotation")).max() for _, kind, _, _, axis in poses.joints]
        off, out = max(tilts, default=0.0) + abs(poses.gravity[k]), np.ptp(places[..., k])
        if np.ptp(points[..., k]) <= near and off < SOMETHING:
            right, up = np.delete(eye, k, axis=0)
            yield True, np.array([right, up, np.cross(right, up)])
            if off < NOTHING and out < NOTHING * size and not any(body.modal for body in poses.system.bodies):
                return
    down, up = np.abs(poses.gravity), eye[2]
    if down.any() and down.max() > 0.999 * np.linalg.norm(down):
        up = np.round(down / np.linalg.norm(down))
    first = eye[1] if up[0] else eye[0]
    right = np.cos(AZIMUTH) * np.cross(up, first) - np.sin(AZIMUTH) * first
    yield False, np.array([right, up, np.cross(right, up)])


def _wrong_view(found: Mapping[str, Any], poses: _Poses) -> Iterator[str]:
    """Yield errors in the centre and size of the drawn mechanism, in ``follow``, and in the first view's directions."""
    count = len(_numbers(found["t"]))
    page = _Page(found, range(count))
    lines = [n for kind, *ends, _ in found["lines"] if kind in EXTENDED for n in ends]
    parts = [*lines, *(n for n, _ in found["masses"])] or [n for _, n, *_ in found["joints"]]
    points = np.array([page.at(n) for n in parts] or [np.zeros((count, 3))])
    middle, near = points.mean(axis=0), SINGLE * page.reach.max()
    shapes = [np.linalg.norm(c, axis=1).max() for body, *_, curves in found["shapes"] if body >= 0 for c in curves]
    reach = max(np.linalg.norm(points - middle, axis=2).max(), found["size"] * max(shapes, default=0.0))
    size = max(2 * reach, SMALLEST)
    travel, far = float(np.linalg.norm(np.ptp(middle, axis=0))), FOLLOWED * found["size"]
    if np.abs(_numbers(found["centre"]).reshape(-1, 3) - middle).max() > near:
        yield f"middle {_numbers(found['centre'])[:3].tolist()}, expected {middle[0].tolist()}"
    if abs(found["size"] - size) > 2 * near:
        yield f"size {found['size']}, expected {size}"
    if abs(travel - far) > near and found["follow"] != (travel > far):
        yield f"followed: {found['follow']}, where the middle moves by {travel:.6g} m and the size is {size:.6g} m"
    drawn = [*(n for line in found["lines"] for n in line[1:3]), *(n for _, n, *_ in found["joints"])]
    drawn += [*(n for n, _ in found["masses"]), *found["ground"]]
    every = np.array([page.at(n) for n in drawn] or [np.zeros((count, 3))])
    views, axes = [*_list_views(every, near, poses)], np.array(found["axes"])
    if not any(found["flat"] == flat and np.abs(axes - own).max() <= SINGLE for flat, own in views):
        flat, own = views[0]
        yield f"view {axes.tolist()}, flat: {found['flat']}, expected {own.tolist()}, flat: {flat}"


def _wrong_words(found: Mapping[str, Any], html: str, t: Array) -> Iterator[str]:
    """Yield errors in printed times, number of frames, and speed: 1 for runs of 2 to 60 s, else 10 to 25 s of play."""
    rate, lasts, last = found["rate"], float(t[-1] - t[0]), len(_numbers(found["t"])) - 1
    short = lasts <= 0 or AS_IT_IS[0] <= lasts <= AS_IT_IS[1]
    if rate != 1.0 if short else not PLAYED[0] * (1 - SINGLE) <= lasts / rate <= PLAYED[1] * (1 + SINGLE):
        yield f"speed {rate} of a motion of {lasts:.6g} s"
    speeds = re.findall(r'<option value="([^"]*)"( selected)?>×([^<]*)</option>', html)
    if [value for value, chosen, _ in speeds if chosen] != [f"{rate:.6g}"] or any(x != y for x, _, y in speeds):
        yield f"speeds {speeds}, expected {rate:.6g} to be selected"
    said = re.search(r"<p>(\S+) s to (\S+) s\. Frames: ([\d,]+)", html), re.search(r' max="(\d+)"', html)
    own = (f"{t[0]:.6g}", f"{t[-1]:.6g}", f"{last + 1:,}", str(last))
    if tuple(x for part in said if part for x in part.groups()) != own:
        yield f"times and frames {[part and part.groups() for part in said]}, expected {own}"


def _same_times(frames: Array, t: Array) -> tuple[list[int], list[int]]:
    """Return numbers of up to three frames of a page, and those of the rows at the same times."""
    near = np.abs(frames[None] - t[:, None]).argmin(axis=1)
    rows = np.flatnonzero(np.abs(frames[near] - t) <= SINGLE * (1e-9 + np.ptp(t) + np.abs(t) * 0.1))
    rows = rows[sorted({0, len(rows) // 2, len(rows) - 1})]
    return near[rows].tolist(), rows.tolist()


#: Printed and own points (S, 3), and their names.
Sides = tuple[list[Array], list[Array], list[str]]


class _Page:
    """Points of a page at some of its frames."""

    def __init__(self, found: Mapping[str, Any], frames: Sequence[int]) -> None:
        self.found = found
        moving = _numbers(found["points"]).reshape(len(_numbers(found["t"])), found["moving"], 3)[frames]
        fixed = np.array(found["fixed"], dtype=float).reshape(-1, 3)
        self.moving, self.fixed, self.count = moving, fixed, len(frames)
        every = np.concatenate([moving, np.broadcast_to(fixed, (len(frames), *fixed.shape))], axis=1)
        self.reach = 1e-9 + np.abs(every).max(axis=(1, 2), initial=0.0)

    def at(self, number: int) -> Array:
        """Return a point (S, 3) by its number."""
        if number >= 0:
            return self.moving[:, number]
        return np.broadcast_to(self.fixed[-number - 1], (self.count, 3))


class _Poses:
    """Positions of all points that a page may draw, in the fixed frame, by the direct witness."""

    def __init__(self, system: System, states: Sequence[State]) -> None:
        self.system = system
        self.tree = DirectTree(system, bind(system, states, at_rest=True))
        f = self.tree.f
        for element in system.constraints:  # what closes cut joints is not known: drawn at zero
            if isinstance(element, FrameCoincidence):
                f.symbols = {**{name: constant(np.zeros(f.count), f.orders) for name in element.auxiliary}, **f.symbols}
        self.places: list[Array] = [np.zeros((f.count, 3))]
        self.joints: list[tuple[str, str, bool, Array, Array]] = []
        g = system.gravity
        self.gravity = np.zeros(3) if g is None else (f.value(g.value)[:, None] * f.values(g.direction))[0]
        self.centres: dict[str, Array] = {}
        for body in system.bodies:
            carrier = self.tree.carrier(body)
            for k, step in enumerate(body.joint):
                before = follow_joint(carrier, body.joint[:k], self.tree.names, f)
                self.places.append(before.r)
                if not isinstance(step.motion, Constant):
                    axis = np.einsum("sij,sj->si", before.R, f.values(step.axis))
                    label = str(step.motion.value) if isinstance(step.motion, Mapped) else step.coordinate or "t"
                    self.joints.append((label, step.kind, isinstance(step.motion, Prescribed), before.r, axis))
            frame = self.tree.frames[body.name]
            self.centres[body.name] = frame.point(f.values(body.inertia.centre)).r
            self.places += [frame.r, carrier.r]
        self.places += self.centres.values()
        self.fastened = [place for element in (*system.forces, *system.constraints) for place in self._ends(element)]
        self.places += self.fastened

    def _ends(self, element: Any) -> Iterator[Array]:
        if isinstance(element, (Bipolar, Rod, PointCoincidence)):
            yield from (self.tree.locate(point).r for point in (element.first, element.second))
        elif isinstance(element, (FrameCoincidence, Bushing, Torsion)):
            steps = element.first.transformations
            moving = [i for i, step in enumerate(steps) if not isinstance(step.motion, Constant)]
            yield self._frame(element.first, moving[0] if moving else len(steps))
            yield self._frame(element.second, len(element.second.transformations))
        elif isinstance(element, (PointForce, Wrench)):
            yield self.tree.locate(element.point).r

    def _frame(self, frame: Frame, count: int) -> Array:
        start = self.tree.frames[frame.body]
        return follow_joint(start, frame.transformations[:count], self.tree.names, self.tree.f).r


def _masses(page: _Page, poses: _Poses) -> Sides:
    names = [page.found["bodies"][body] for _, body in page.found["masses"]]
    return ([page.at(point) for point, _ in page.found["masses"]], [poses.centres[name] for name in names], names)


def _joints(page: _Page, poses: _Poses) -> Sides:
    """Return places of joints in the tree's order, and tips of their axes; closures are judged as ends of lines.

    Turns in a plane alone have no tip.
    """
    printed, own, names = [], [], []
    drawn = [j for j in page.found["joints"] if j[0] != "closure"]
    cuts = sum(isinstance(x, (FrameCoincidence, PointCoincidence)) for x in poses.system.constraints)
    if cuts != len(page.found["joints"]) - len(drawn):
        raise ValueError(f"{cuts} loops are closed")
    for (label, kind, driven, at, axis), (shown, point, tip, said, by_time) in zip(poses.joints, drawn, strict=True):
        bare = tip is None and (kind != "rotation" or not page.found["flat"])
        printed.append(page.at(point))
        own.append(np.full_like(at, np.nan) if bare or (label, kind, driven) != (said, shown, bool(by_time)) else at)
        names.append(label)
        if tip is not None:
            along = page.at(tip) - page.at(point)
            length = np.linalg.norm(along, axis=1, keepdims=True)
            printed.append(page.at(tip))
            least = float(page.found["size"] > SHOWN * page.reach.max())  # an axis without a length shows none
            own.append(at + (length.max() or least) * axis)
            names.append(f"axis of {label}")
    return printed, own, names


def _loads(page: _Page, poses: _Poses) -> Sides:
    of = {e.name: poses.tree.locate(e.point).r for e in poses.system.forces if isinstance(e, (PointForce, Wrench))}
    names = [name for _, name in page.found["loads"]]
    return [page.at(point) for point, _ in page.found["loads"]], [of[name] for name in names], names


def _boxes(page: _Page, poses: _Poses) -> Sides:
    """Return drawn and own centres of boxes, and rows of their tensors per mass divided by the longest half-axis."""
    printed, own, names = [], [], []
    for body, centre, *ends in page.found["solids"]:
        name = page.found["bodies"][body]
        inertia = poses.system.body(name).inertia
        solid = poses.tree._solid(poses.tree.frames[name], inertia, name)
        halves = np.stack([page.at(end) - page.at(centre) for end in ends], axis=2)
        S = np.einsum("sik,sjk->sij", halves, halves)
        tensor = (np.trace(S, axis1=1, axis2=2)[:, None, None] * np.eye(3) - S) / 3
        given = solid.tensor / solid.mass[:, None, None]
        moments = np.linalg.eigvalsh(given)
        if (moments.sum(axis=1) < 2 * moments.max(axis=1) * (1 - SINGLE)).any():
            continue  # no box has such moments
        far = np.fmax(np.linalg.norm(halves, axis=1).max(axis=1), 1e-30)[:, None]
        printed += [page.at(centre), *(tensor[:, k] / far for k in range(3))]
        own += [poses.centres[name], *(given[:, k] / far for k in range(3))]
        names += [f"centre of {name}", *(f"tensor of {name}, {axis}" for axis in "xyz")]
    return printed, own, names


def _lines(page: _Page, poses: _Poses) -> Sides:
    """Return ends of lines and points on the ground, each with the place of ``poses`` nearest to it over all states."""
    lines = [line for line in page.found["lines"] if line[0] not in ELASTIC]
    if len(lines) != len(page.found["lines"]):  # what elastic bodies carry, their shapes move
        lines = []
    others = [*page.found["ground"], *(n for kind, n, *_ in page.found["joints"] if kind == "closure")]
    numbers = dict.fromkeys([*(n for line in lines for n in line[1:3]), *(others if lines else ())])
    places = np.array(poses.places)
    printed = [page.at(n) for n in numbers]
    near = (int(np.abs(places - x).max(axis=2).max(axis=1).argmin()) for x in printed)
    return printed, [places[i] for i in near], [f"point {n}" for n in numbers]


def _frames(page: _Page, poses: _Poses) -> Sides:
    """Return origins of the frames in which shapes are drawn, and ends of axes as long as the mechanism."""
    printed: list[Any] = []
    own: list[Any] = []
    names: list[str] = []
    for body, *numbers, _ in page.found["shapes"]:
        frame = poses.tree.frames[page.found["bodies"][body] if body >= 0 else None]
        printed += map(page.at, numbers)
        own += [frame.r, *(frame.r + page.found["size"] * frame.R[..., k] for k in range(3))]
        names += [f"{what} of {body}" for what in ("origin", "x", "y", "z")]
    return printed, own, names


def _numbers(text: str) -> Array:
    return np.frombuffer(b64decode(text), dtype="<f4").astype(float)
