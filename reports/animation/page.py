"""The page that plays a motion: it loads nothing, and asks nothing of the network."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import floor, log10
from typing import Any

import numpy as np
from jinja2 import Environment
from markupsafe import Markup

from mbconcord.model import State, System
from mbconcord.model.numbers import environment

from .. import templating
from ..description import units
from ..pictures.scene import Scene, scene_at
from .times import Array, States, drawn
from .tracks import drawing, floats

#: Most frames, and most numbers that their points have together.
MOST_FRAMES, MOST_NUMBERS, LEAST_FRAMES = 600, 360_000, 60
#: At so many rows it is looked which points move.
SOME = 8
#: Curves are drawn between rows where they are sure to so much: rad, and parts of the size of the mechanism.
NEAR = 0.02
#: Coordinates of a unit that are plotted: those that move most.
PLOTTED = 6
#: A run that lasts so long (s) is played as fast as it is; others in about this time.
SHORTEST, LONGEST, COMFORTABLE = 2.0, 60.0, 10.0


@dataclass(frozen=True)
class Motion:
    """What is played: states over time, and what is said of them.

    Attributes
    ----------
    states : of the coordinates of a system, in its order
    title, remarks : the heading, and lines below it
    parameters : values of parameters that have none in the model
    energies : by name over the same times (J)
    """

    states: States
    title: str
    remarks: Sequence[str] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    energies: Mapping[str, Array] = field(default_factory=dict)


def page(system: System, motion: Motion) -> str:
    """HTML of a motion; what is drawn of it is a scheme: bodies are lines between what is fastened to them.

    Raises
    ------
    NumbersError
        A parameter has no value.
    """
    values = environment(system, [State(parameters=motion.parameters)])[0]
    t, q, which = _chosen(system, values, motion.states)
    shown, at = _scene(system, values, t, q)
    found = drawing(system, at, shown, len(t))
    rate = _rate(float(t[-1] - t[0]))
    found |= {"t": floats(t), "rate": rate, "plots": _plots(system, motion, t)}
    return str(
        _environment()
        .get_template("animation.html")
        .render(
            title=motion.title,
            remarks=motion.remarks,
            frames=which,
            begin=f"{t[0]:.6g}",
            end=f"{t[-1]:.6g}",
            last=len(t) - 1,
            rates=[(f"{rate * k:.6g}", k == 1) for k in (0.1, 0.25, 0.5, 1, 2, 4)],
            solids=bool(found["solids"]),
            boxes=found["solids"] and found["boxes"],
            plots=found["plots"],
            style=Markup(_compact("animation.css")),
            script=Markup(_compact("animation.js")),
            data=Markup(json.dumps(found, separators=(",", ":")).replace("<", "\\u003c")),
        )
    )


@cache
def _environment() -> Environment:
    return templating.environment()


def _compact(name: str) -> str:
    """A script or a style sheet without its comments and margins."""
    lines = (line.strip() for line in templating.template(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _chosen(system: System, values: Mapping[str, Any], states: States) -> tuple[Array, Array, str]:
    """Times and positions of the frames: as many as a page may hold of the points of this mechanism."""
    some = np.unique(np.linspace(0, len(states.t) - 1, SOME).astype(int))
    shown, at = _scene(system, values, states.t[some], states.q[some])
    found = drawing(system, at, shown, len(some))
    most = min(MOST_FRAMES, max(LEAST_FRAMES, MOST_NUMBERS // (3 * max(1, found["moving"]))))
    unit = units(system)
    near = np.array([NEAR if unit[n] == "rad" else NEAR * found["size"] for n in system.coordinate_names])
    return drawn(states, most, near)


def _scene(system: System, values: Mapping[str, Any], t: Array, q: Array) -> tuple[Scene, Mapping[str, Any]]:
    """The mechanism at these times, and the values of its symbols; what stays the same is one number."""
    moving = dict(zip(system.coordinate_names, q.T, strict=True)) | {"t": t}
    at = {**values, **{n: x if np.ptp(x) else float(x[0]) for n, x in moving.items()}}
    return scene_at(system, at, {}, True), at


def _rate(duration: float) -> float:
    """How fast it is played at first, as a part of the true speed: 1, 2 or 5 times a power of ten."""
    if SHORTEST <= duration <= LONGEST or duration <= 0:
        return 1.0
    wanted = duration / COMFORTABLE
    power = 10.0 ** floor(log10(wanted))
    return float(max((k * power for k in (1, 2, 5) if k * power <= wanted), default=power))


def _plots(system: System, motion: Motion, t: Array) -> list[dict[str, Any]]:
    """Energies, and the coordinates of each unit that move most, at the times of the frames."""
    states = motion.states
    found = []
    known = {name: x for name, x in motion.energies.items() if np.isfinite(x).all()}
    if known:
        found.append(("energies, J", known))
    unit = units(system)
    for kind in ("rad", "m"):
        own = {n: x for n, x in zip(system.coordinate_names, states.q.T, strict=True) if unit[n] == kind}
        most = sorted(own, key=lambda n: -float(np.ptp(own[n])))[:PLOTTED]
        title = (
            f"coordinates, {kind}" if len(own) <= PLOTTED else f"{PLOTTED} of {len(own)} coordinates, {kind}"
        )
        if own:
            found.append((title, {n: x for n, x in own.items() if n in most}))
    return [
        {"title": title, "lines": [[name, floats(np.interp(t, states.t, x))] for name, x in lines.items()]}
        for title, lines in found
    ]
