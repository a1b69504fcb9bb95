"""Linkages with sliding joints: one machine cut in several ways, against Lagrange's multipliers, and refusals."""

from __future__ import annotations

from dataclasses import replace
from math import asin, cos, sin

import numpy as np
import pytest

from mbconcord.formalisms.lagrange import Lagrange
from mbconcord.formalisms.telegin import Telegin
from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    FrameCoincidence,
    Gravity,
    Inertia,
    Point,
    PointCoincidence,
    State,
    System,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.constraint import Frame
from mbconcord.model.diagnostics import FormalismError, NumbersError
from mbconcord.model.transformation import Constant, vector

#: Crank, rod, height of the slide (m); angle, rate of the crank.
R, L, E = 0.3, 0.9, 0.12
PHI, OMEGA = 0.7, 4.0
PSI = asin((E - R * sin(PHI)) / L)
PSI_RATE = -R * cos(PHI) * OMEGA / (L * cos(PSI))
X = R * cos(PHI) + L * cos(PSI)
X_RATE = -R * sin(PHI) * OMEGA - L * sin(PSI) * PSI_RATE

CRANK = Inertia(2, (0.13, 0.02, 0), (0.01, 0.02, 0.03))
ROD = Inertia(1.5, (0.4, -0.03, 0), (0.02, 0.1, 0.11))
PISTON = Inertia(0.8, (0.05, 0.01, 0), (0.01, 0.01, 0.02))


def shift(*values: float) -> tuple:
    return tuple(translation(axis, Constant(x)) for axis, x in zip("xyz", values, strict=False) if x)


def machine(name: str, bodies: tuple, constraint: object, *, torque: float = 3.0) -> System:
    coordinates = tuple(et.coordinate for b in bodies for et in b.joint if et.coordinate)
    driven = [Coordinate(c, drive=Effort(torque) if c == "crank" else None) for c in coordinates]
    return System(name, tuple(driven), gravity=Gravity(9.81, (0, -1, 0)), bodies=bodies, constraints=(constraint,))


WRIST = vector((L, 0, 0))
CUT_AT_THE_WRIST = machine(
    "wrist",
    (
        Body("crank", None, (rotation("z", "crank"),), CRANK),
        Body("rod", "crank", (*shift(R), rotation("z", "rod")), ROD),
        Body("piston", None, (*shift(0, E), translation("x", "x")), PISTON),
    ),
    PointCoincidence("wrist", Point("rod", WRIST), Point("piston")),
)
CUT_AT_THE_SLIDE = machine(
    "slide",
    (
        Body("crank", None, (rotation("z", "crank"),), CRANK),
        Body("rod", "crank", (*shift(R), rotation("z", "rod")), ROD),
        Body("piston", "rod", (*shift(L), rotation("z", "piston")), PISTON),
    ),
    FrameCoincidence("slide", Frame(None, (*shift(0, E), translation("x", "s"))), Frame("piston")),
)
CUT_AT_THE_CRANK = machine(
    "crank",
    (
        Body("piston", None, (*shift(0, E), translation("x", "x")), PISTON),
        Body("rod", "piston", (rotation("z", "wrist"), *shift(-L)), ROD),
        Body("crank", "rod", (rotation("z", "elbow"), *shift(-R)), CRANK),
    ),
    PointCoincidence("ground", Point("crank"), Point(None)),
)
STATES = {
    "wrist": State(0, {"crank": PHI, "rod": PSI - PHI, "x": X}, {"crank": OMEGA, "rod": PSI_RATE - OMEGA, "x": X_RATE}),
    "slide": State(
        0, {"crank": PHI, "rod": PSI - PHI, "piston": -PSI},
        {"crank": OMEGA, "rod": PSI_RATE - OMEGA, "piston": -PSI_RATE},
    ),
    "crank": State(
        0, {"x": X, "wrist": PSI, "elbow": PHI - PSI}, {"x": X_RATE, "wrist": PSI_RATE, "elbow": OMEGA - PSI_RATE}
    ),
}  # fmt: skip
MACHINES = {m.name: m for m in (CUT_AT_THE_WRIST, CUT_AT_THE_SLIDE, CUT_AT_THE_CRANK)}


@pytest.mark.parametrize("name", MACHINES)
def test_the_motion_is_that_of_lagrange_s_multipliers(name: str) -> None:
    system, state = MACHINES[name], STATES[name]
    found, other = (f.constrained_motion(system, [state]) for f in (Telegin(), Lagrange()))
    assert other is not None and found.diagnostics == () and found.rank[0] == 2
    size = np.abs(other.acceleration).max()
    np.testing.assert_allclose(found.acceleration, other.acceleration, rtol=1e-11, atol=1e-12 * size)
    np.testing.assert_allclose(found.reactions, other.reactions, rtol=1e-11, atol=1e-11)
    made = Telegin().derive_closed(system)
    assert made is not None and len(made.rows) == 2


def test_however_it_is_cut_the_machine_is_the_same() -> None:
    """φ'' of the crank, which the cut at its own pivot has as a sum; without its drive, which turns another angle."""
    found = {}
    for name, system in MACHINES.items():
        free = machine(name, system.bodies, system.constraints[0], torque=0.0)
        names = free.coordinate_names
        a = dict(zip(names, Telegin().constrained_motion(free, [STATES[name]]).acceleration[0], strict=True))
        found[name] = a["crank"] if "crank" in a else a["wrist"] + a["elbow"]
    assert found["slide"] == pytest.approx(found["wrist"], rel=1e-11)
    assert found["crank"] == pytest.approx(found["wrist"], rel=1e-11)


def test_the_force_across_the_slide_and_its_moment_hold_the_piston() -> None:
    """Newton's and Euler's equations of the piston, which goes along x with x'' of the loop: no turn, no rise."""
    motion = Telegin().constrained_motion(CUT_AT_THE_SLIDE, [STATES["slide"]])
    assert motion.rows == ("slide (force across)", "slide (moment)")
    wrist = Telegin().constrained_motion(CUT_AT_THE_WRIST, [STATES["wrist"]])
    force, moment = motion.multipliers[0]  # of the piston upon the ground; the moment of the ground upon the piston
    x, y = wrist.multipliers[0]  # of the piston upon the rod, at the wrist
    a = wrist.acceleration[0, 2]
    m, (cx, cy, _) = 0.8, (0.05, 0.01, 0)
    assert -x == pytest.approx(m * a, rel=1e-10)
    assert -force - y == pytest.approx(m * 9.81, rel=1e-10)
    assert moment == pytest.approx(m * 9.81 * cx - m * a * cy, rel=1e-9)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"x": X + 1e-3}, "constraints/wrist: the position breaks the loop by 0.001"),
        ({"rod": PSI - PHI + 0.1}, "constraints/wrist: the position breaks the loop"),
    ],
)
def test_a_loop_that_does_not_close_says_where_and_by_how_much(change: dict[str, float], reason: str) -> None:
    state = State(0, {**STATES["wrist"].q, **change}, STATES["wrist"].v)
    with pytest.raises(NumbersError) as caught:
        Telegin().constrained_motion(CUT_AT_THE_WRIST, [state])
    (finding,) = caught.value.diagnostics
    assert f"{finding.place}: {finding.message}".startswith(reason)
    assert finding.remedy == "give a state in which the loop is closed"


def test_a_slide_turned_around_is_not_closed() -> None:
    q = {**STATES["slide"].q, "piston": np.pi - PSI}
    with pytest.raises(NumbersError, match="turning the slide around"):
        Telegin().constrained_motion(CUT_AT_THE_SLIDE, [State(0, q)])


def test_rates_that_break_the_loop_are_refused() -> None:
    state = State(0, STATES["wrist"].q, {**STATES["wrist"].v, "x": X_RATE + 0.1})
    with pytest.raises(NumbersError, match=r"the velocity breaks the loop by 0\.1"):
        Telegin().constrained_motion(CUT_AT_THE_WRIST, [state])


@pytest.mark.parametrize(
    ("joint", "reason"),
    [
        ((translation("z", "x"),), "this joint slides out of the linkage's plane"),
        ((translation("x", "x"), rotation("y", "y")), "this axis is not along the normal"),
    ],
)
def test_what_leaves_the_plane_is_no_linkage(joint: tuple, reason: str) -> None:
    bodies = (*CUT_AT_THE_WRIST.bodies[:2], Body("piston", None, joint, PISTON))
    system = machine("out", bodies, CUT_AT_THE_WRIST.constraints[0])
    with pytest.raises(FormalismError, match=reason):
        Telegin().constrained_motion(system, [State()])


@pytest.mark.parametrize("first", (0, 2), ids=("crank", "slide"))
def test_rows_of_an_inclined_plane_take_no_root(first: int) -> None:
    """A root of a sum of sines is an element of its own for whoever proves that functions are equal."""
    base = Body("base", None, (rotation("y", 0.3), rotation("x", 0.7)), Inertia(0))
    turned = [replace(body, parent=body.parent or "base") for body in CUT_AT_THE_WRIST.bodies]
    bodies = (base, turned[first], *(body for body in turned if body is not turned[first]))
    native = Telegin().derive_closed(replace(CUT_AT_THE_WRIST, bodies=bodies)).native
    waiting = [*native["D"][0], *native["D"][1], *native["γ̃"]]
    while waiting:
        node = waiting.pop()
        assert node.data != "sqrt", node
        waiting += node.args
