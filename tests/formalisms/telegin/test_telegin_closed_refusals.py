"""Closed linkages: singular positions, broken loops, cut joints of the fixtures, what closes no linkage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.formalisms.telegin import planarity
from mbconcord.formalisms.telegin.closed.assembly import motion
from mbconcord.formalisms.telegin.closed.dynamics import ClosedLinkage
from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    Frame,
    FrameCoincidence,
    Inertia,
    NumbersError,
    Point,
    PointCoincidence,
    Rod,
    State,
    System,
    rotation,
    translation,
)
from mbconcord.model.diagnostics import FormalismError

from ...hostile.inputs import _linked
from ...reference.linkages import exact
from .telegin_linkages import GRAVITY, SIX_BARS, closed_system, same, six_bar

# --- singular positions, obstacles, wrong input ----------------------------------------------------


def crank_and_rocker(g: tuple[float, float] = (0.0, -9.81)) -> ClosedLinkage:
    """A parallelogram: crank and rocker 1 long, 2 apart."""
    rows = [
        (0, (0.0, 0.0), 1.0, (0.5, 0.1), 0.1),
        (1, (1.0, 0.0), 1.0, (1.0, 0.0), 0.2),
        (2, (2.0, 0.0), 1.0, (0.5, 0.0), 0.1),
    ]
    return ClosedLinkage(closed_system(rows, [(3, (1.0, 0.0), 0, (2.0, 0.0))], g))


def test_the_change_point_of_a_parallelogram_is_singular() -> None:
    linkage = crank_and_rocker()
    flat = State(0.0, {"q1": 0.0, "q2": 0.0, "q3": np.pi})
    for found in (linkage.forward_dynamics(flat), linkage.inverse_dynamics(flat, ["q1"])):
        (finding,) = found.diagnostics
        assert "singular position: rank" in finding.message
        assert all(np.isnan(x) for pair in found.reactions.values() for x in pair)
    with pytest.raises(NumbersError, match="singular position"):
        motion(linkage, {"q1": (0.0, 1.0, 0.0)}, flat)


def test_a_dead_point_of_the_drive_is_singular_for_it_alone() -> None:
    """Crank and coupler in line: the rocker cannot drive, the crank can."""
    rows = [
        (0, (0.0, 0.0), 1.0, (0.2, 0.0), 0.1),
        (1, (0.5, 0.0), 1.0, (0.6, 0.1), 0.2),
        (0, (1.2, 0.0), 1.0, (0.5, 0.0), 0.1),
    ]
    linkage = ClosedLinkage(closed_system(rows, [(2, (1.0, 0.0), 3, (0.9, 0.0))], (0.0, -9.81)))
    angle = np.arccos((1.5**2 + 1.2**2 - 0.9**2) / (2 * 1.5 * 1.2))
    tip = 1.5 * np.array([np.cos(angle), np.sin(angle)]) - np.array([1.2, 0.0])
    state = State(0.0, {"q1": float(angle), "q2": 0.0, "q3": float(np.arctan2(tip[1], tip[0]))})
    (finding,) = linkage.inverse_dynamics(state, ["q3"]).diagnostics
    assert finding.message == "singular position: rank 2 of 3 with q3 driven"
    assert linkage.inverse_dynamics(state, ["q1"]).diagnostics == ()
    assert linkage.forward_dynamics(state).diagnostics == ()


@pytest.mark.parametrize(
    ("groups", "what"),
    [
        (({"q1": 1.0, "q2": 0.3, "q3": 2.0},), "position breaks the loop"),
        (({"q1": 1.0, "q2": -1.0, "q3": 1 + np.pi}, {"q1": 1.0}), "velocity breaks the loop"),
        (({"q1": 1.0, "q2": -1.0, "q3": 1 + np.pi}, {}, {"q1": 1.0}), "acceleration breaks the loop"),
    ],
)
def test_motions_that_break_the_loop_are_refused(groups: Any, what: str) -> None:
    with pytest.raises(NumbersError, match=rf"constraints/cut1: error: the {what} by"):
        crank_and_rocker().inverse_dynamics(State(0.0, *groups), ["q1"])


def test_wrong_drives_are_refused() -> None:
    linkage = crank_and_rocker()
    state = State(0.0, {"q1": 1.0, "q2": -1.0, "q3": 1 + np.pi})
    with pytest.raises(NumbersError, match="2 driven, but the degrees of freedom are 1"):
        linkage.inverse_dynamics(state, ["q1", "q2"])
    with pytest.raises(NumbersError, match="known: q1, q2, q3"):
        linkage.forward_dynamics(state, {"motor": 1.0})
    with pytest.raises(NumbersError, match="driven are q1, q2, the degrees of freedom are 1"):
        motion(linkage, {"q1": (0, 0, 0), "q2": (0, 0, 0)}, state)
    with pytest.raises(NumbersError, match="cannot be closed"):
        rows = [
            (0, (0.0, 0.0), 1.0, (0.5, 0.1), 0.1),
            (1, (1.0, 0.0), 1.0, (1.0, 0.1), 0.2),
            (2, (0.2, 0.0), 1.0, (0.5, 0.0), 0.1),
        ]
        short = ClosedLinkage(closed_system(rows, [(3, (0.3, 0.0), 0, (4.0, 0.5))], GRAVITY))
        motion(short, {"q1": (1.0, 0.0, 0.0)}, State(0.0, {"q2": -1.0, "q3": 0.4}))


def test_the_parallelogram_of_the_fixtures() -> None:
    """A cut joint with a rotation of its own; the coupler stays level, so crank and rocker turn alike."""
    linkage = ClosedLinkage(read(folder("mbsd") / "four_bar.mbsd").system)
    start = State(0.0, {"z1": np.pi / 3, "z2": -np.pi / 3, "z3": np.pi / 3})
    state = motion(linkage, {"z1": (1.2, 2.0, 0.5)}, start)
    same([state.q["z3"], state.v["z3"], state.a["z3"]], [1.2, 2.0, 0.5])
    same(state.q["z2"], -1.2)
    found = linkage.inverse_dynamics(state, ["z1"])
    same(linkage.forward_dynamics(state, found.drives).accelerations["z3"], 0.5)


def test_an_effort_drive_is_part_of_the_model() -> None:
    rows, cuts, _ = SIX_BARS["Stephenson"]
    plain, state = six_bar("Stephenson")
    system = closed_system(rows, cuts, GRAVITY)
    needed = plain.inverse_dynamics(state, ["q1"]).drives["q1"]
    driven = (Coordinate("q1", drive=Effort(exact(needed))), *system.coordinates[1:])
    with_drive = System("driven", driven, (), (), system.gravity, system.bodies, (), system.constraints)
    linkage = ClosedLinkage(with_drive)
    same(linkage.forward_dynamics(state).accelerations["q1"], state.a["q1"])
    assert abs(linkage.inverse_dynamics(state, ["q1"]).drives["q1"]) < 1e-9


CARRIER = Body("b1", None, (rotation("z", "a"),), Inertia(1, (1, 0, 0), (1, 1, 1)))


@pytest.mark.parametrize(
    ("bodies", "constraint", "place"),
    [
        ((CARRIER,), Rod("rod", Point("b1"), Point(None), 1), "constraints/rod"),
        ((CARRIER,), FrameCoincidence("weld", Frame("b1"), Frame(None)), "constraints/weld"),
        ((CARRIER,), FrameCoincidence("tilted", Frame("b1", (rotation("x", "c"),)), Frame(None)), "constraints/tilted"),
        (
            (CARRIER,),
            FrameCoincidence("slot", Frame("b1", (translation("x", "c"), rotation("z", "d"))), Frame(None)),
            "constraints/slot",
        ),
        (
            (CARRIER, Body("b2", "b1", (translation("x", "b"),), Inertia(1))),
            PointCoincidence("point", Point("b2"), Point(None)),
            "bodies/b2/joint",
        ),
    ],
)
def test_what_closes_no_planar_linkage(bodies: Any, constraint: Any, place: str) -> None:
    coordinates = tuple(Coordinate(name) for body in bodies for name in body.coordinates)
    with pytest.raises(FormalismError) as refused:
        ClosedLinkage(System("s", coordinates, bodies=bodies, constraints=(constraint,)))
    assert [d.place for d in refused.value.diagnostics] == [place]


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("cut", ["point", "frame"])
def test_a_linkage_in_which_nothing_moves_is_refused_with_the_reason_or_has_no_accelerations(
    name: str, cut: str
) -> None:
    shelf = Body("shelf", None, (translation("z", 1),), Inertia(exact(3)))
    points = (Point(None, (1, 0, 1)), Point("shelf", (1, 0, 0)))
    frames = (Frame(None, (translation("z", 1),)), Frame("shelf"))
    prop = PointCoincidence("prop", *points) if cut == "point" else FrameCoincidence("prop", *frames)
    system, by = System("propped", bodies=(shelf,), constraints=(prop,)), formalism(name)
    if not by.constraint_obstacles(system):
        found = by.constrained_motion(system, [State()])
        assert found.acceleration.shape == (1, 0) and found.rank.tolist() == [0]
    assert name != "telegin" or "its plane is not told" in by.constraint_obstacles(system)[0].reason


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("tilt", ["0.1 0.2 0.3", "0 0 0"])
def test_all_joints_are_asked_at_once(kind: str, tilt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The axis of each rests on the whole chain: asked one by one, those of 500 links took most of ``info``."""
    asked: list[object] = []

    def count(name: str) -> Any:
        evaluated = getattr(planarity, name)
        return lambda *given: asked.append(given) or evaluated(*given)

    for name in ("evaluate", "evaluate_float"):
        monkeypatch.setattr(planarity, name, count(name))
    joint = f'<joint name="s" type="{kind}"><parent>world</parent><child>l0</child>'
    joint += "<axis><xyz>0 0.6 0.8</xyz></axis></joint>"
    counts = []
    for n in (6, 12):
        text = _linked(n, tuple((i - 2, i) for i in range(2, n))).replace("0.1 0.2 0.3", tilt)
        system = read(text=text.replace("</model>", f"{joint}</model>"), format="sdf").system
        asked.clear()
        found = formalism("telegin").constraint_obstacles(system)
        planar = kind == "revolute"
        assert bool(found) is not planar, found
        counts.append(len(asked))
    assert counts[0] == counts[1] > 0, counts
