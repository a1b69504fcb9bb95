"""The page that plays a motion: self-contained, without access to the network."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import floor, log10
from typing import Any

import numpy as np
from jinja2 import Environment
from markupsafe import Markup

from mbconcord.model import State, System
from mbconcord.model.contact import Contact, Rope, Stop, split_elements
from mbconcord.model.limits import count, format_names
from mbconcord.model.numbers import environment
from mbconcord.records import dataclass, field
from mbconcord.witnessed import list_head

from .. import templating
from ..description import units
from ..pictures.frames import FrameTracker, rotate_vectors
from ..pictures.scene import Scene, axes, scene_at
from .times import Array, States, choose_times

# What an animation draws, as points over its frames: those that stand still once, those that move in every frame.


#: Length of the axis of a joint, as a part of the mechanism's size.
AXIS = 0.06
#: A mechanism that goes farther than so many times its size is followed.
FAR = 3.0
#: Boxes with two half-axes longer than this part of the mechanism's size would hide it: they are shown on request.
LARGE = 0.2
#: What a frame goes into at least: a mechanism without extent is drawn this large (m).
LEAST = 1e-6


class Tracks:
    """Collection of points over F frames; moving points have the numbers 0, 1, …, fixed points -1, -2, …."""

    def __init__(self, frames: int) -> None:
        self.frames = frames
        self.moving: list[Array] = []
        self.fixed: list[list[float]] = []
        self._numbers: dict[bytes, int] = {}

    def add(self, point: Array) -> int:
        """Add a point (3,) or (F, 3) if it is new, and return its number."""
        if point.ndim > 1 and not np.ptp(point, axis=0).any():
            point = point[0]
        if (found := self._numbers.get(point.tobytes())) is None:
            if point.ndim > 1:
                self.moving.append(point)
                found = len(self.moving) - 1
            else:
                self.fixed.append([float(f"{x:.7g}") for x in point])
                found = -len(self.fixed)
            self._numbers[point.tobytes()] = found
        return found

    def pack(self) -> str:
        """Encode the coordinates of the moving points in base64, frame by frame."""
        points = np.array(self.moving).reshape(-1, self.frames, 3)
        return floats(points.transpose(1, 0, 2))


def floats(values: Array) -> str:
    """Encode an array as little-endian floats of four bytes in base64."""
    return b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


def drawing(
    system: System, values: Mapping[str, Any], shown: Scene, frames: int, size: float | None = None
) -> dict[str, Any]:
    """Convert a scene over its frames to JSON for the script; ``size`` of axes and shapes, None: from the mechanism."""
    tracks = Tracks(frames)
    plane = shown.plane()
    names = [body.name for body in system.bodies]
    own_size, travel, centre = _extent(shown, frames)
    size = size or own_size
    solids = list(_solids(system, values, shown))
    number = {name: i for i, name in enumerate(names)} | {None: -1}

    shapes = [
        [number[body], *(tracks.add(p) for p in _list_axes(*shown.frames[body], size)),
         [[[float(f"{x:.7g}") for x in point] for point in curve / size] for curve in curves]]
        for body, curves in shown.outlines
    ]  # fmt: skip

    def tip(joint: Any) -> int | None:
        if joint.kind == "closure" or (plane is not None and joint.kind == "rotation"):
            return None
        return tracks.add(joint.point + AXIS * size * joint.axis)

    found = {
        "bodies": names,
        "lines": [
            [line.kind, tracks.add(line.start), tracks.add(line.end), number[line.body]]
            for line in shown.lines
        ],
        "joints": [
            [j.kind, tracks.add(j.point), tip(j), j.label, int(j.prescribed)] for j in shown.joints
        ],
        "masses": [[tracks.add(point), number[name]] for name, point in shown.masses],
        "ground": [tracks.add(point) for point in shown.ground],
        "loads": [[tracks.add(point), name] for name, point in shown.loads],
        "traces": [[tracks.add(point), label] for label, point in _list_traceable(shown)],
        "shapes": shapes,
        "solids": [[number[name], *(tracks.add(p) for p in points)] for name, points in solids],
    }  # fmt: skip
    gravity = shown.gravity.reshape(-1, 3)[0]
    return found | {
        "points": tracks.pack(), "moving": len(tracks.moving), "fixed": tracks.fixed,
        "centre": floats(centre), "size": size, "follow": bool(travel > FAR * size),
        "axes": axes(shown, plane).tolist(), "flat": plane is not None,
        "boxes": all(np.linalg.norm(p[2] - p[0], axis=-1).max() <= LARGE * size for _, p in solids),
        "gravity": gravity.tolist() if gravity.any() else None,
    }  # fmt: skip


def _list_traceable(shown: Scene) -> Iterator[tuple[str, Array]]:
    """Yield points whose trace can be drawn: mass centres, and tips of elastic bodies."""
    yield from shown.masses
    tips = {line.body: line.end for line in shown.lines if line.kind == "beam"}
    yield from ((f"tip of {name}", point) for name, point in tips.items())


def _extent(shown: Scene, frames: int) -> tuple[float, float, Array]:
    """Return the size of the mechanism with its shapes (m), the travel of its middle (m), and the middle (F, 3)."""
    parts = [p for line in shown.lines if line.kind in ("link", "beam", "arm") for p in (line.start, line.end)]
    parts += [point for _, point in shown.masses]
    parts = parts or [joint.point for joint in shown.joints] or [np.zeros(3)]
    over = np.array([np.broadcast_to(p, (frames, 3)) for p in parts])
    centre = over.mean(axis=0)
    own = [curve for body, curves in shown.outlines if body is not None for curve in curves]
    reach = max((float(np.linalg.norm(curve, axis=1).max()) for curve in own), default=0.0)
    size = 2 * max(float(np.linalg.norm(over - centre, axis=2).max()), reach)
    return max(size, LEAST), float(np.linalg.norm(np.ptp(centre, axis=0))), centre


def _list_axes(rotation: Array, at: Array, size: float) -> list[Array]:
    """Return the origin of a frame, and the end points of its three axes, each ``size`` long."""
    return [at, *(at + size * rotation[..., k] for k in range(3))]


def _solids(system: System, values: Mapping[str, Any], shown: Scene) -> Iterator[tuple[str, list[Array]]]:
    """Yield boxes with the mass and moments of inertia of bodies: (body, [centre, ends of half-axes]).

    Half a side along principal axis i is √(3/(2m) (J_j + J_k - J_i)); an ellipsoid's half-axis is √(5/3) times that.
    The end of the longest half-axis comes last.
    """
    numbers = FrameTracker(system, values).numbers
    centres = dict(shown.masses)
    for body in system.bodies:
        mass = numbers([body.inertia.mass]).reshape(-1)[0]
        if body.modal or body.name not in centres or not mass > 0:
            continue
        tensor = np.array([numbers(row).reshape(-1, 3)[0] for row in body.inertia.matrix()])
        moments, directions = np.linalg.eigh(tensor)
        halves = np.sqrt(np.maximum(moments.sum() - 2 * moments, 0) * 1.5 / mass)
        if halves.any():
            rotation, centre = shown.frames[body.name][0], centres[body.name]
            ends = (centre + rotate_vectors(rotation, halves[i] * directions[:, i]) for i in np.argsort(halves))
            yield body.name, [centre, *ends]


#: Most frames, and most numbers that their points have together.
MOST_FRAMES, MOST_NUMBERS, LEAST_FRAMES = 600, 360_000, 60
#: At so many rows it is looked which points move.
SOME = 8
#: Curves are drawn between rows where they are sure to so much: rad, and parts of the size of the mechanism.
NEAR = 0.02
#: Points and curves of frames between rows.
BETWEEN = "what is between rows of a page"
#: Coordinates of a unit that are plotted: those that move most.
PLOTTED = 6
#: First words of events of contacts, ropes and stops; their names follow.
VERBS = ("impact", "meets", "leaves", "sticks", "slips")
#: A run that lasts so long (s) is played as fast as it is; others in about this time.
SHORTEST, LONGEST, COMFORTABLE = 2.0, 60.0, 10.0


@dataclass(frozen=True)
class AnimatedMotion:
    """Motion to be played: states over time, with a title and remarks.

    Attributes
    ----------
    states : positions and rates of a system's coordinates over time, in the system's order
    title, remarks : the heading, and lines below it
    parameters : values of parameters that have none in the model
    energies : name of an energy -> its values at the times of the states (J)
    events : for each state the name of its event, empty if it is none
    """

    states: States
    title: str
    remarks: Sequence[str] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    energies: Mapping[str, Array] = field(default_factory=dict)
    events: Sequence[str] = ()


def page(system: System, motion: AnimatedMotion) -> str:
    """Write the HTML of a motion, drawn as a scheme: bodies are lines between their connections.

    Raises
    ------
    NumbersError
        A parameter has no value.
    """
    values = environment(system, [State(parameters=motion.parameters)])[0]
    t, q, which = _choose_frames(system, values, motion.states)
    shown, at = _scene(system, values, t, q)
    found = drawing(system, at, shown, len(t))
    rate = _rate(float(t[-1] - t[0]))
    found |= {"t": floats(t), "rate": rate, "plots": _plots(system, motion, t)}
    found["events"] = list(_list_events(system, motion))
    return str(
        _environment()
        .get_template("animation.html")
        .render(
            title=motion.title,
            remarks=(
                *motion.remarks,
                *([f"Not drawn: {format_names(shown.undrawn)}."] if shown.undrawn else []),
                *list_head("animate", ["page", *([BETWEEN] if len(t) > len(motion.states.t) else [])]),
            ),
            frames=which,
            begin=f"{t[0]:.6g}",
            end=f"{t[-1]:.6g}",
            last=len(t) - 1,
            rates=[(f"{rate * k:.6g}", k == 1) for k in (0.1, 0.25, 0.5, 1, 2, 4)],
            solids=bool(found["solids"]),
            shapes=bool(found["shapes"]),
            boxes=found["solids"] and found["boxes"],
            plots=found["plots"],
            events=count(len(found["events"]), "event") if found["events"] else "",
            style=Markup(_compact("animation.css")),
            script=Markup(_compact("scene.js") + "\n" + _compact("animation.js")),
            data=Markup(json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")),
        )
    )


@cache
def _environment() -> Environment:
    return templating.environment()


def _compact(name: str) -> str:
    """Strip a script or style sheet of its comments and margins."""
    lines = (line.strip() for line in templating.template(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _choose_frames(system: System, values: Mapping[str, Any], states: States) -> tuple[Array, Array, str]:
    """Choose times and positions of the frames, as many as a page can hold; describe the choice in words."""
    some = np.unique(np.linspace(0, len(states.t) - 1, SOME).astype(int))
    shown, at = _scene(system, values, states.t[some], states.q[some])
    found = drawing(system, at, shown, len(some))
    most = min(MOST_FRAMES, max(LEAST_FRAMES, MOST_NUMBERS // (3 * max(1, found["moving"]))))
    unit = units(system)
    near = np.array([NEAR if unit[n] == "rad" else NEAR * found["size"] for n in system.coordinate_names])
    return choose_times(states, most, near)


def _scene(system: System, values: Mapping[str, Any], t: Array, q: Array) -> tuple[Scene, Mapping[str, Any]]:
    """Return the scene at these times, and the values of all symbols: arrays, or one number for constant ones."""
    moving = dict(zip(system.coordinate_names, q.T, strict=True)) | {"t": t}
    at = {**values, **{n: x if np.ptp(x) else float(x[0]) for n, x in moving.items()}}
    return scene_at(system, at, {}, True), at


def _rate(duration: float) -> float:
    """Choose the initial playback speed relative to real time: 1, 2 or 5 times a power of ten."""
    if SHORTEST <= duration <= LONGEST or duration <= 0:
        return 1.0
    wanted = duration / COMFORTABLE
    power = 10.0 ** floor(log10(wanted))
    return float(max((k * power for k in (1, 2, 5) if k * power <= wanted), default=power))


def _list_events(system: System, motion: AnimatedMotion) -> Iterator[list[Any]]:
    """Yield the time and the name of each event, coordinates of its stop with values and units, and bodies that touch.

    Bodies are numbers.
    """
    elements, unit = {e.name: e for e in split_elements(system)[0]}, units(system)
    number, states = {body.name: i for i, body in enumerate(system.bodies)}, motion.states
    for i, name in enumerate(motion.events):
        verb, _, of = name.partition(" ")
        element, bodies, ends = elements.get(of) if verb in VERBS else None, list[int](), list[list[Any]]()
        if isinstance(element, Stop):
            row = dict(zip(system.coordinate_names, states.q[i].tolist(), strict=True))
            ends = [[n, float(f"{row[n]:.7g}"), unit[n]] for n in element.along]
        elif isinstance(element, (Contact, Rope)):
            bodies = [number[x.body] for x in (element.first, element.second) if x.body is not None]
        if name:
            yield [float(f"{states.t[i]:.9g}"), name, ends, bodies]


def _plots(system: System, motion: AnimatedMotion, t: Array) -> list[dict[str, Any]]:
    """Return the plots below the animation: energies, and for each unit the coordinates that move most."""
    states = motion.states
    found = []
    known = {name: x for name, x in motion.energies.items() if np.isfinite(x).all()}
    if known:
        found.append(("energies, J", known))
    unit = units(system)
    for kind in ("rad", "m"):
        own = {n: x for n, x in zip(system.coordinate_names, states.q.T, strict=True) if unit[n] == kind}
        most = sorted(own, key=lambda n: -float(np.ptp(own[n])))[:PLOTTED]
        title = f"coordinates, {kind}" if len(own) <= PLOTTED else f"{PLOTTED} of {len(own)} coordinates, {kind}"
        if own:
            found.append((title, {n: x for n, x in own.items() if n in most}))
    return [
        {"title": title, "lines": [[name, floats(np.interp(t, states.t, x))] for name, x in lines.items()]}
        for title, lines in found
    ]
