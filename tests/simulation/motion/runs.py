"""Runs of small mechanisms whose motion is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from laboratory.machines import four_bars, upright
from mbconcord.converters.registry import read_text
from mbconcord.formalisms import registry
from mbconcord.model import State, System
from mbconcord.simulation.motion.run import RunSettings, simulate
from mbconcord.simulation.motion.trajectory import Trajectory

#: A point of 1 kg on a rod of 1 m to a fixed one, released from the level: two coordinates, one row.
PENDULUM = "u(x)°-1 v(y) $1 #bob ; g9.81-y \\ #bob :(1, 0) < #0"
#: A crank of 0.3 m longer than its rod of 0.2 m turns at 2 rad/s: it locks where 0.3 sin 2t = 0.2.
LOCKS = (
    "n(2 t) i0.3 $1 [0.01,0.01,0.01] #crank > z(b)°180 i0.2 $1 [0.01,0.01,0.01] #rod"
    " \\ u(s)°0.1 $1 [0.01,0.01,0.01] #slider \\ #rod z(p) = < #slider"
)
#: A pendulum of 1 m on a cart that turns back at t = 1.
TURNS_BACK = "i(abs(t-1)) #cart > z(a)°30 -j1 $1 [0,0,0] g9.81-y"


def mbsd(text: str) -> System:
    return read_text(text, format="mbsd").system


def go(system: System, until: float, tolerance: float = 1e-9, state: State | None = None, **more: Any) -> Trajectory:
    by = registry.formalism(more.pop("by", "lagrange"))
    told, before = more.pop("told", None), more.pop("before", None)
    settings = RunSettings(until, tolerance=tolerance, **more)
    return simulate(system, by, state or State(), settings, told, before)


def in_line(n: int, speed: float = 1.0) -> tuple[System, State]:
    """N four-bars, cranks upright, their tips moving to the right: they pass positions with all rods in line."""
    return four_bars(n), upright(n, speed)


def parallelogram(excess: str) -> Any:
    """Cranks of 1 m, a coupler of 1 m, and a base that is longer by a little: nearly in line its rows nearly depend."""

    return mbsd(
        f"z(a)°90'-1 i1 $1 [0,0,1/3] {{-0.5,0}} #crank > z(b)°-90'1 i1 $1 [0,0,1/3] {{-0.5,0}} #coupler"
        f" \\ {{1 + {excess}, 0}} z(c)°90'-1 i1 $1 [0,0,1/3] {{-0.5,0}} #rocker ; g9.81-y"
        f" \\ #coupler z(p) = < #rocker"
    )


def crank_angle(n: int, speed: float, until: float) -> float:
    """The angle of the cranks on the regular branch: ((N+1)/3 + N) θ'' = -((N+1)/2 + N) g cos θ."""
    inertia, weight = (n + 1) / 3 + n, (n + 1) / 2 + n

    def rate(_: float, y: Any) -> list[float]:
        return [y[1], -weight * 9.81 * np.cos(y[0]) / inertia]

    found = solve_ivp(rate, (0, until), [np.pi / 2, -speed], method="DOP853", rtol=1e-12, atol=1e-12)
    return float(found.y[0, -1])
