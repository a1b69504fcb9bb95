"""Forces at cuts and in joints under constraints: by hand, as joints of a tree, by all witnesses, and what is open."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from laboratory.faults.models import CUT_FIXTURES, closed_linkage, closed_tree, cut_fixture, cut_tree
from mbconcord.converters.registry import read, read_text
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model import (
    Body,
    Coordinate,
    Frame,
    FrameCoincidence,
    Gravity,
    Inertia,
    Point,
    PointForce,
    Rod,
    State,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import symbol
from mbconcord.model.joint_forces import CUT_FORCES, JOINT_FORCES, ConstrainedForces, open_forces
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.check import check
from mbconcord.validation.judge.closed.compare import measure_closed
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.witnesses.sums.constrained_forces import Witnessed, compare_constrained_forces
from mbconcord.validation.witnesses.sums.joint_forces import BODIES

from ....formalisms.rocker import STATE, rocker
from ....formalisms.test_cut_joints import JOINTS

BY = formalism("newton_euler")
ON_TREES = ("static_moments", "telegin")
#: Who has those of closed systems.
CLOSED = ("newton_euler", "virtual_work")


def forces(system: System, *states: State) -> ConstrainedForces:
    found = BY.constrained_forces(system, states)
    assert found is not None
    return found


# --- by hand ---------------------------------------------------------------------------------------


def test_the_force_of_a_rod_is_that_of_a_pendulum() -> None:
    """A particle on x and y, a rod of 2 m to the origin: it pulls m (v²/l + g cos φ) towards the origin."""
    m, length, g, phi, speed = 3.0, 2.0, 9.81, 0.4, 1.3
    along, across = np.array([np.sin(phi), -np.cos(phi), 0]), np.array([np.cos(phi), np.sin(phi), 0])
    bodies = (
        Body("slide", None, (translation("x", "x"),)),
        Body("ball", "slide", (translation("y", "y"),), Inertia(m)),
    )
    for first, second, sign in ((None, "ball", -1), ("ball", None, 1)):
        system = System(
            "pendulum", (Coordinate("x"), Coordinate("y")), gravity=Gravity(g, (0, -1, 0)), bodies=bodies,
            constraints=(Rod("rod", Point(first), Point(second), length),),
        )  # fmt: skip
        q, v = (dict(zip("xy", x[:2], strict=True)) for x in (length * along, length * speed * across))
        found = forces(system, State(0, q, v))
        pull = m * (length * speed**2 + g * np.cos(phi))
        assert found.at_cuts[0, 0] == pytest.approx([*(sign * pull * along), 0, 0, 0], abs=1e-12)
        assert found.at_joints[0, 1] == pytest.approx(np.zeros(6), abs=1e-12)  # no slide bears anything


#: What the last joint of a chain is made of, cut or not.
KINDS = ("revolute", "slide", "cylinder", "skew universal", "pin in a slot", "plane", "sphere", "sphere in a slot")


def chain(own: tuple[Any, ...], floats: bool) -> System:
    """Two bodies that a tree moves, and a third: joined to the second, or floating and tied to it by a cut joint."""
    tree = rocker()
    arm = (*shift([0.3, -0.2, 0.4]), rotation("x", 0.4), *own, *shift([0.1, 0.2, -0.3]), rotation("z", 0.5))
    names = [et.coordinate for et in own if et.coordinate]
    inertia = Inertia(2, (0.2, -0.1, 0.3), (0.3, 0.4, 0.5, 0.01, 0.02, 0.03))
    loads = (
        PointForce("push", Point("hand", (0.1, 0.3, 0.2)), (1, symbol("a"), -2)),
        PointForce("pull", Point("body2", (0.2, 0.1, 0)), (0.5, -1, symbol("d"))),
    )
    second = replace(tree.bodies[1], parent="body1")
    if not floats:
        bodies = (tree.bodies[0], second, Body("hand", "body2", arm, inertia))
        cuts: tuple[FrameCoincidence, ...] = ()
    else:
        free = tuple(make(axis, f"{make.__name__[0]}{axis}") for make in (translation, rotation) for axis in "xyz")
        bodies = (tree.bodies[0], second, Body("hand", None, free, inertia))
        cuts = (FrameCoincidence("wrist", Frame("body2", arm), Frame("hand")),)
        names = [et.coordinate for et in free]
    coordinates = (*tree.coordinates, *map(Coordinate, names))
    gravity = Gravity(9.81, (0, 0, -1))
    return replace(tree, coordinates=coordinates, bodies=bodies, forces=loads, gravity=gravity, constraints=cuts)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_transmits_what_the_joint_of_a_tree_does(kind: str) -> None:
    """One machine twice: a body in a tree, and floating, tied to its carrier by a cut joint of the same kind."""
    own = JOINTS[kind][0]
    tree, system = chain(own, False), chain(own, True)
    names = [et.coordinate for et in own]
    state = replace(STATE, q={**STATE.q, **dict.fromkeys(names, 0.3)}, v={**STATE.v, **dict.fromkeys(names, -0.7)})
    acceleration = BY.evaluate(tree, [state]).quantities["acceleration"][0]
    moving = replace(state, a=dict(zip(tree.coordinate_names, map(float, acceleration), strict=True)))
    k = TreeKinematics(tree, [moving])
    expected = k.vectors([x for six in BY.joint_forces(tree) for x in six]).reshape(-1, 6)
    found = forces(system, floated(system, state, k))
    assert found.acceleration[0, :6] == pytest.approx(acceleration[:6], abs=1e-9)
    size = np.abs(expected).max()
    np.testing.assert_allclose(found.at_joints[0], [*expected[:2], np.zeros(6)], atol=1e-11 * size)
    np.testing.assert_allclose(found.at_cuts[0, 0], expected[2], atol=1e-11 * size)


def floated(system: System, state: State, k: TreeKinematics) -> State:
    """The state with the pose and the twist of the hand that floats; ``k`` of the tree."""
    frame, free = k.frame("hand"), system.coordinate_names[6:]
    r = frame.rotation[0]
    angles = np.arctan2(-r[1, 2], r[2, 2]), np.arcsin(r[0, 2]), np.arctan2(-r[0, 1], r[0, 0])
    q, v = ({n: part[n] for n in system.coordinate_names[:6]} for part in (state.q, state.v))
    here = State(state.t, q | dict(zip(free, map(float, (*frame.position[0], *angles)), strict=True)), v)
    own = TreeKinematics(system.open_loops(), [here]).frame("hand")
    jacobian = np.concatenate([own.moving[0], own.turning[0]])[:, 6:]
    rates = np.linalg.solve(jacobian, np.concatenate([frame.velocity[0], frame.spin[0]]))
    return replace(here, v=v | dict(zip(free, map(float, rates), strict=True)))


# --- witnesses -------------------------------------------------------------------------------------

SUBJECTS: dict[str, Any] = {
    **{f"tree {i}": lambda i=i: closed_tree(i) for i in (0, 2, 3)},  # type: ignore[misc]
    "cut": lambda: cut_tree(8), "linkage": lambda: closed_linkage(2),
    **{name: lambda name=name: cut_fixture(name) for name in CUT_FIXTURES},  # type: ignore[misc]
}  # fmt: skip
#: Which are found from random starts, for seconds.
LARGE = {"cut", "linkage"}


def told(closed: Any, *names: str) -> Witnessed:
    return compare_constrained_forces(closed.system, closed.assembly, [BY, *map(formalism, names)])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in LARGE else []) for n in SUBJECTS])
def test_all_witnesses_agree(name: str) -> None:
    found = told(SUBJECTS[name](), *CLOSED[1:], *ON_TREES)
    assert {*found.at_joints} == {*CLOSED, *ON_TREES, BODIES} and {*found.at_cuts} == {*CLOSED, BODIES}
    pairs = {(c.a, c.b) for c in found.comparisons if c.quantity == JOINT_FORCES}
    assert pairs == {*combinations(found.at_joints, 2)}
    silent = ("not determined", "there are none")
    assert all(c.verdict == "agrees" or c.explanation in silent for c in found.comparisons), found.comparisons


def test_what_is_not_determined_is_told_alike() -> None:
    """Which components are open is compared too: a number of the one against none of the other disagrees."""
    closed = cut_fixture("universal_joint")
    found = told(closed, *CLOSED[1:])
    for by in (found.at_joints, found.at_cuts):
        *formal, sums = (np.isnan(by[name]) for name in (*CLOSED, BODIES))
        assert all((mine == sums).all() and mine.any() and not mine.all() for mine in formal)

    class Sure(type(BY)):  # type: ignore[misc]
        def constrained_forces(self, *given: Any) -> ConstrainedForces:
            honest = BY.constrained_forces(*given)
            assert honest is not None
            return replace(honest, at_joints=np.nan_to_num(honest.at_joints))

    said = compare_constrained_forces(closed.system, closed.assembly, [Sure()]).comparisons  # type: ignore[arg-type]
    assert [c.quantity for c in said if c.verdict == "disagrees"] == [JOINT_FORCES]


def test_the_claim_runs_on_closed_models() -> None:
    asked = ["newton_euler", "static_moments"]
    found = check(cut_fixture("slider_crank").system, formalisms=asked, states=2, claims=["joint_forces"]).comparisons
    claimed = [c for c in found if c.claim == JOINT_FORCES]
    assert {c.quantity for c in claimed} == {JOINT_FORCES, CUT_FORCES}
    assert {c.verdict for c in claimed} == {"agrees"} and {BODIES, "newton_euler"} <= {
        x for c in claimed for x in (c.a, c.b)
    }


def test_an_opened_cut_bears_its_wrench_at_the_frame_that_is_turned_and_shifted() -> None:
    """A floating body on one hinge: all six are determined; of who has none natively as of who has."""
    free = tuple(make(axis, f"{make.__name__[0]}{axis}") for make in (translation, rotation) for axis in "xyz")
    steps = (rotation("x", 0.7), translation("y", 0.3), rotation((1, 2, 2), 0.4), translation("z", -0.5))
    inertia = Inertia(2, (0.2, -0.1, 0.3), (0.3, 0.4, 0.5, 0.01, 0.02, 0.03))
    system = System(
        "door", tuple(Coordinate(et.coordinate or "") for et in free), gravity=Gravity(9.81, (0, 0, -1)),
        bodies=(Body("door", None, free, inertia),),
        constraints=(FrameCoincidence("hinge", Frame(None, (rotation("y", "turn"),)), Frame("door", steps)),),
    )  # fmt: skip
    values = dict(zip(system.coordinate_names, (0.1, 0.2, 0.3, -0.4, 0.5, 0.6), strict=True))
    moved = assemble(system, [State(0.0, values, values)])
    asked = [formalism(name) for name in (*CLOSED, "lagrange", "konoplev")]
    found = compare_constrained_forces(system, moved, asked)
    assert moved.is_closed.all() and {*found.at_cuts} == {*CLOSED, "lagrange", "konoplev", BODIES}
    assert {c.verdict for c in found.comparisons if c.quantity == CUT_FORCES} == {"agrees"}
    assert np.isfinite(found.at_cuts["lagrange"]).all() and np.abs(found.at_cuts["lagrange"]).min() > 1e-3


@pytest.mark.slow
def test_no_moment_at_the_end_of_a_rod_is_none_to_whom_it_is_rounding() -> None:
    """Of an opened rod it is solved for: rounding by the arms of the force is no difference."""
    system = read(folder() / "mbsd/patu655.mbsd").system
    found = check(system, states=2, claims=(), exact="off", count=False)
    at = assemble(system, found.states)
    compared = compare_constrained_forces(system, at, [BY, formalism("lagrange")]).comparisons
    verdicts = {c.verdict for c in compared if c.quantity == CUT_FORCES and "lagrange" in (c.a, c.b)}
    assert at.is_closed.all() and verdicts == {"agrees"}


#: A heavy body welded to the ground at its centre, beside an arm with a gripper whose fingers mirror each other.
PEDESTAL = "<robot name='r'><link name='base'/>" + "".join(
    f"<link name='{name}'><inertial><origin xyz='{centre}'/><mass value='{mass}'/><inertia ixx='5' iyy='6' izz='4.9' "
    f"ixy='0' ixz='0.8' iyz='0'/></inertial></link><joint name='{name}_joint' type='{kind}'><parent link='{carrier}'/>"
    f"<child link='{name}'/><origin xyz='{at}' rpy='{turn}'/><axis xyz='{axis}'/>"
    f"<limit lower='-3' upper='3' effort='9' velocity='9'/>{mimic}</joint>"
    for name, carrier, kind, mass, centre, at, turn, axis, mimic in (
        ("pedestal", "base", "fixed", 60.86, "0 0 0", "0 0 0", "0 0 0", "0 0 1", ""),
        ("one", "base", "revolute", 20, "0.3 0.1 0.2", "0.5 0.1 0.2", "0.3 0.2 0.1", "0 0 1", ""),
        ("two", "one", "revolute", 20, "0.3 0.1 0.2", "0.5 0.1 0.2", "0.3 0.2 0.1", "0 1 0", ""),
        ("left", "two", "prismatic", 1, "0 0 0.1", "0 0.1 0", "0 0 0", "0 1 0", ""),
        ("right", "two", "prismatic", 1, "0 0 0.1", "0 -0.1 0", "0 0 0", "0 1 0",
         "<mimic joint='left_joint' multiplier='-1'/>"),
    )
) + "</robot>"  # fmt: skip


def test_no_moment_of_a_pedestal_is_none_to_whom_it_is_rounding_of_the_arm() -> None:
    """Who opens all joints at once rounds each force as the largest of them: a pedestal of weight alone disagreed."""
    found = check(read_text(PEDESTAL, "r", "urdf", "ignore").system, formalisms=CLOSED, states=3, exact="off")
    forces = [c for c in found.comparisons if c.quantity == JOINT_FORCES]
    assert {c.verdict for c in forces} == {"agrees"} and found.verdict == "agrees"


def test_open_forces_are_named_by_cut_and_joint() -> None:
    closed = cut_fixture("universal_joint")
    said = {d.place: d.message for d in open_forces(closed.system, forces(closed.system, *closed.states))}
    assert [*said] == ["constraints/cross", "bodies/input/joint", "bodies/output/joint"]
    assert all(message.startswith("Fx, Fy, Fz not determined") for message in said.values())


def test_assembled_states_serve() -> None:
    """What cut joints take of a state is found from the state alone."""
    closed = cut_fixture("slider_crank")
    again = assemble(closed.system, closed.states, held=True)
    found = compare_constrained_forces(closed.system, again, [BY])
    np.testing.assert_allclose(found.at_cuts[BODIES], told(closed).at_cuts[BODIES], atol=1e-9)


def test_at_a_singular_position_nothing_is_compared() -> None:
    """A parallelogram in line: what it bears there hangs on the last digits of where it is."""
    system = read(folder() / "mbsd/four_bar.mbsd").system
    at = State(q=dict.fromkeys(system.coordinate_names, 0.0))
    found = compare_constrained_forces(system, assemble(system, [at], held=True), [formalism(name) for name in CLOSED])
    assert {c.verdict for c in found.comparisons} == {"not checked"}
    assert {c.explanation for c in found.comparisons} == {"every state is close to a singular position"}


@pytest.mark.parametrize(("cond", "verdict"), [(1e9, "disagrees"), (4e11, "not checked")])
def test_hardly_any_inertia_is_none_to_whom_it_is_rounding(cond: float, verdict: str) -> None:
    """Where the equations leave no digits, one witness calls them singular and another has numbers: both are right."""
    closed = cut_fixture("slider_crank")

    class Silent(type(BY)):  # type: ignore[misc]
        def constrained_forces(self, *given: Any) -> ConstrainedForces:
            honest = BY.constrained_forces(*given)
            assert honest is not None
            return replace(honest, at_joints=np.full_like(honest.at_joints, np.nan))

    own = measure_closed(closed.system, closed.assembly)
    own = replace(own, cond=np.full_like(own.cond, cond))
    said = compare_constrained_forces(closed.system, closed.assembly, [Silent()], measure=own).comparisons  # type: ignore[arg-type]
    assert {c.verdict for c in said if c.quantity == JOINT_FORCES} == {verdict}


@pytest.mark.slow
@pytest.mark.rest
def test_rows_that_nearly_depend_on_each_other_bear_what_they_bear() -> None:
    """Singular values of D of 6e-5 are squared in the equations of motion: at one state that counted as zero."""
    system = read(Path(__file__).parent / "nearly_dependent_cuts.mbs.json").system
    found = check(system, states=10, seed=2031, claims=("joint_forces",), exact="off").comparisons
    beside = [c for c in found if "bodies" in (c.a, c.b)]
    assert {c.quantity for c in beside} == {"cut_forces", "joint_forces", "joint_forces of one body"}
    assert {c.verdict for c in beside} == {"agrees"}
