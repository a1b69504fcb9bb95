"""Closed linkages: the published four-bar, six-bars against free bodies, other cuts, singular positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.formalisms.telegin.closed.assembly import motion
from mbconcord.formalisms.telegin.closed.dynamics import ClosedDynamics, ClosedLinkage
from mbconcord.model import Effort, JointEffort, Point, PointForce, State, System
from mbconcord.model.expressions import symbol

from ...reference.konoplev import CLOSURES, fourbar
from ...reference.linkages import FOUR_BAR, exact, four_bar, relative, triple
from .telegin_linkages import GRAVITY, SIX_BARS, Row, closed_system, same, six_bar

PUBLISHED_STATE = relative(FOUR_BAR)
ABSOLUTE = [np.array(FOUR_BAR[key]) for key in ("theta", "omega", "eps")]
RELATIVE = [np.diff(values, prepend=0.0) for values in ABSOLUTE]


def published_rows() -> list[Row]:
    v = FOUR_BAR
    return [
        (v["base"][k], v["R_local"][k], v["m_own"][k], v["c_own"][k], v["I_own"][k])
        for k in range(3)
    ]  # fmt: skip


# --- the published four-bar ------------------------------------------------------------------------


def test_published_parts() -> None:
    n = ClosedLinkage(four_bar()).numbers(PUBLISHED_STATE)
    for part, key in ((n.H, "H"), (n.h, "h"), (n.G, "G"), (n.C, "C"), (n.drift, "Cdot_omega")):
        same(part, FOUR_BAR[key])


def test_published_inverse_dynamics() -> None:
    found = ClosedLinkage(four_bar()).inverse_dynamics(PUBLISHED_STATE, ["q1"])
    same(found.drives["q1"], FOUR_BAR["M1"])
    same(found.reactions["cut1"], FOUR_BAR["F_r3"])
    same(list(found.joint_forces.values()), FOUR_BAR["joint_forces_on_link_from_base"])
    assert found.diagnostics == ()


def test_published_forward_dynamics() -> None:
    found = ClosedLinkage(four_bar()).forward_dynamics(PUBLISHED_STATE, {"q1": FOUR_BAR["M1"]})
    same(list(found.accelerations.values()), RELATIVE[2])
    same(found.reactions["cut1"], FOUR_BAR["F_r3"])


def test_published_motion() -> None:
    guess = State(0.0, {name: value + 0.05 for name, value in PUBLISHED_STATE.q.items()})
    found = motion(ClosedLinkage(four_bar()), {"q1": tuple(values[0] for values in RELATIVE)}, guess)
    for group, values in ((found.q, RELATIVE[0]), (found.v, RELATIVE[1]), (found.a, RELATIVE[2])):
        same([group[f"q{k}"] for k in (1, 2, 3)], values)


def test_cut_between_links_gives_the_same() -> None:
    """The four-bar cut at joint 2-3: link 3 stands on the ground, its own axes turned by half a turn."""
    v = FOUR_BAR
    ground, length = v["close"]["ground"], v["close"]["point_local"][0]
    rows = published_rows()[:2]
    m, (x, y), inertia = v["m_own"][2], v["c_own"][2], v["I_own"][2]
    rows.append((0, ground, m, (length - x, -y), inertia))
    system = closed_system(rows, [(2, v["R_local"][2], 3, (length, 0.0))], v["g"])
    angles = [*RELATIVE[0][:2], ABSOLUTE[0][2] + np.pi]
    groups = [angles, [*RELATIVE[1][:2], ABSOLUTE[1][2]], [*RELATIVE[2][:2], ABSOLUTE[2][2]]]
    state = State(0.0, *({f"q{k}": float(x) for k, x in enumerate(values, 1)} for values in groups))
    linkage = ClosedLinkage(system)
    found = linkage.inverse_dynamics(state, ["q1"])
    same(found.drives["q1"], v["M1"])
    forward = linkage.forward_dynamics(state, {"q1": v["M1"]})
    same([forward.accelerations[f"q{k}"] for k in (1, 2, 3)], groups[2])
    same(found.reactions["cut1"], -np.array(v["joint_forces_on_link_from_base"][2]))


# --- six-bars, against free bodies -----------------------------------------------------------------


def turned(angle: float, r: Sequence[float]) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * r[0] - s * r[1], s * r[0] + c * r[1]])


def cross(a: Any, b: Any) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def free_body_gaps(name: str, state: State, found: ClosedDynamics, senses: Sequence[int]) -> float:
    """Largest gap in Newton's and Euler's equations of single links, with own masses."""
    rows, cuts, _ = SIX_BARS[name]
    theta, omega, epsilon, O, a = {0: 0.0}, {0: 0.0}, {0: 0.0}, {}, {}
    O[0] = a[0] = np.zeros(2)
    for k, (base, R, *_) in enumerate(rows, 1):
        sign = senses[k - 1]
        theta[k] = theta[base] + sign * state.q[f"q{k}"]
        omega[k] = omega[base] + sign * state.v[f"q{k}"]
        epsilon[k] = epsilon[base] + sign * found.accelerations[f"q{k}"]
        r = turned(theta[base], R)
        O[k] = O[base] + r
        a[k] = a[base] + epsilon[base] * np.array([-r[1], r[0]]) - omega[base] ** 2 * r
    drives = {k: senses[k - 1] * found.drives.get(f"q{k}", 0.0) for k in range(1, len(rows) + 1)}
    gaps = []
    for k, (_, _, m, c, inertia) in enumerate(rows, 1):
        r = turned(theta[k], c)
        C = O[k] + r
        acceleration = a[k] + epsilon[k] * np.array([-r[1], r[0]]) - omega[k] ** 2 * r
        force = np.array(found.joint_forces[f"q{k}"])
        moment = drives[k] + cross(O[k] - C, force)
        for j, row in enumerate(rows, 1):
            if row[0] == k:
                passed = np.array(found.joint_forces[f"q{j}"])
                force = force - passed
                moment -= drives[j] + cross(O[j] - C, passed)
        for i, (e, p, f, q) in enumerate(cuts, 1):
            reaction = np.array(found.reactions[f"cut{i}"])
            for link, point, sign in ((e, p, 1), (f, q, -1)):
                if link == k:
                    force = force + sign * reaction
                    moment += sign * cross(O[k] + turned(theta[k], point) - C, reaction)
        gaps += [*(force + m * np.array(GRAVITY) - m * acceleration), moment - inertia * epsilon[k]]
    return float(np.abs(gaps).max())


@pytest.mark.parametrize("senses", [(1, 1, 1, 1, 1), (1, -1, 1, -1, -1), (-1, 1, -1, 1, 1)])
@pytest.mark.parametrize("name", SIX_BARS)
def test_six_bars_against_free_bodies(name: str, senses: Sequence[int]) -> None:
    linkage, state = six_bar(name, senses)
    assert linkage.freedom == 1
    for gap in linkage_gaps(linkage, state):
        assert np.abs(gap).max() < 1e-11
    inverse = linkage.inverse_dynamics(state, ["q1"])
    assert free_body_gaps(name, state, inverse, senses) < 1e-10
    forward = linkage.forward_dynamics(state, inverse.drives)
    assert free_body_gaps(name, state, forward, senses) < 1e-10
    same([forward.accelerations[n] for n in linkage.names], [state.a[n] for n in linkage.names])
    for cut, reaction in inverse.reactions.items():
        same(forward.reactions[cut], reaction)


def linkage_gaps(linkage: ClosedLinkage, state: State) -> tuple[np.ndarray, ...]:
    n = linkage.numbers(state)
    return n.closure, n.C @ n.omega, n.C @ n.epsilon + n.drift


@pytest.mark.parametrize("name", SIX_BARS)
def test_any_joint_can_drive_a_six_bar(name: str) -> None:
    """The power of the drive is the same whichever joint drives the same motion."""
    linkage, state = six_bar(name)
    powers = []
    for driven in linkage.names:
        found = linkage.inverse_dynamics(state, [driven])
        assert found.diagnostics == ()
        powers.append(found.drives[driven] * state.v[driven])
    same(powers, [powers[0]] * len(powers))


def test_known_loads_and_efforts_are_not_asked_of_the_drive() -> None:
    load = PointForce("load", Point("b5", triple((0.2, 0.1))), (3, -2, 0))
    brake = JointEffort("brake", "q3", -2 * symbol("q3'"))
    plain, state = six_bar("Stephenson")
    loaded, _ = six_bar("Stephenson", forces=(load, brake))
    inverse = loaded.inverse_dynamics(state, ["q1"])
    forward = loaded.forward_dynamics(state, inverse.drives)
    same([forward.accelerations[n] for n in loaded.names], [state.a[n] for n in loaded.names])
    n = plain.numbers(state)
    v5 = sum(n.omega[k - 1] * np.array([-r[1], r[0]]) for k, r in loaded_path(n))
    work = np.array([3.0, -2.0]) @ v5 - 2 * state.v["q3"] ** 2
    more = (plain.inverse_dynamics(state, ["q1"]).drives["q1"] - inverse.drives["q1"]) * state.v["q1"]
    same(more, work)


def loaded_path(n: Any) -> list[tuple[int, np.ndarray]]:
    """Arms from the poles of links 1, 2, 4, 5 to the next one and to the load's point."""
    theta5 = np.arctan2(n.s[4][1], n.s[4][0]) - np.arctan2(0.05, 0.25)
    return [(1, n.R[1]), (2, n.R[3]), (4, n.R[4]), (5, turned(theta5, (0.2, 0.1)))]


# --- against another formalism ---------------------------------------------------------------------


@pytest.mark.parametrize("name", CLOSURES)
def test_ways_to_close_a_linkage_that_it_takes(name: str) -> None:
    assert bool(formalism("telegin").constraint_obstacles(fourbar(*CLOSURES[name]))) == (name in ("rows", "sphere"))


def konoplev(system: System, state: State) -> Any:
    found = formalism("konoplev").constrained_motion(system, [state])
    assert found is not None
    return found


@pytest.mark.parametrize("name", SIX_BARS)
def test_six_bars_agree_with_konoplev_s_aggregates(name: str) -> None:
    """Free motion under gravity: accelerations, and the reactions of the cut joints as his multipliers."""
    linkage, state = six_bar(name)
    rows, cuts, _ = SIX_BARS[name]
    theirs = konoplev(closed_system(rows, cuts, GRAVITY), state)
    found = linkage.forward_dynamics(state)
    same([found.accelerations[n] for n in linkage.names], theirs.acceleration[0])
    multipliers = dict(zip(theirs.rows, theirs.multipliers[0], strict=True))
    for cut, reaction in found.reactions.items():
        same(reaction, [multipliers[f"{cut} ({axis})"] for axis in "xy"])


def test_the_four_bar_of_the_fixtures_agrees_with_konoplev_s_aggregates() -> None:
    """In its initial state, and driven: the moment that was asked for makes the motion that it was asked for."""
    system = read(folder("konoplev") / "four_bar.mbs.json").system
    linkage = ClosedLinkage(system)
    found, theirs = linkage.forward_dynamics(State()), konoplev(system, State())
    same([*found.accelerations.values()], theirs.acceleration[0])
    same(found.reactions["pivot"], theirs.multipliers[0][:2])
    state = motion(linkage, {"q1": (0.7, 1.3, 2.0)}, guess=State())
    same([*state.q.values()], [float(c.position.value) for c in system.coordinates])
    drive = linkage.inverse_dynamics(state, ["q1"]).drives["q1"]
    (first, *rest) = system.coordinates
    driven = replace(system, coordinates=(replace(first, drive=Effort(first.drive.value + exact(drive))), *rest))
    same(konoplev(driven, replace(state, a={})).acceleration[0], [*state.a.values()])


def test_a_guess_without_angles_is_the_model_s_initial_position() -> None:
    linkage = ClosedLinkage(read(folder("konoplev") / "four_bar.mbs.json").system)
    state = motion(linkage, {"q1": (0.75, 0.0, 0.0)}, guess=State())
    assert abs(state.q["q2"] + 0.137) < 0.1 and abs(state.q["q3"] + 2.409) < 0.1
