"""Elastic trees: all derivations against each other on random trees, and validation's own two ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from laboratory.machines import small_state, soft_arm
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import BUILT_IN, formalism
from mbconcord.model import Bipolar, Body, Coordinate, Gravity, Inertia, LinearLaw, Point, Rod, System, rotation
from mbconcord.model.beams import ClampedFree, ShapeFunction, beam, bending, power, round_section
from mbconcord.model.body import tensor
from mbconcord.model.expressions import as_expression
from mbconcord.model.transformation import vector
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.check import check
from mbconcord.validation.claims import ALL, BY_NAME
from mbconcord.validation.judge.elastic import soft_bodies
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.states import DEFLECTIONS, draw
from mbconcord.validation.judge.trial import Trial, trial
from mbconcord.validation.strategies.machines import elastic_tree
from mbconcord.validation.witnesses.direct.tree import direct


def made(seed: int) -> Trial:
    """A random tree of two to five bodies at two states, by everyone who takes it."""
    drawn = draw(elastic_tree(seed, 2 + seed % 4), 2, seed)
    takers = [f for f in map(formalism, BUILT_IN) if not f.obstacles(drawn.system)]
    assert len(takers) >= 2
    return trial(drawn.system, drawn.states, takers)


def objections(tried: Trial) -> list[Comparison]:
    """What any claim disagrees with."""
    asked = (claim for claim in ALL if claim.name not in BY_NAME)
    return [c for claim in asked for c in claim.check(tried) if c.verdict == "disagrees"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 8])
def test_random_elastic_trees_agree(seed: int) -> None:
    tried = made(seed)
    assert objections(tried) == []
    assert {"M", "h", "gravity", "applied", "acceleration"} <= {
        c.quantity for claim in ALL[:1] for c in claim.check(tried) if c.verdict == "agrees"
    }


@pytest.mark.rest
@pytest.mark.sampled(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 13))
def test_more_random_elastic_trees_agree(seed: int) -> None:
    assert objections(made(seed)) == []


def test_validations_own_two_ways_agree() -> None:
    """Points of the Gram matrix against matrices q_k R: M and M a + h."""
    system = soft_arm()
    state = small_state(system, 7)
    k = TreeKinematics(system, [state])
    found = direct(system, [state]).quantities
    bodies = list(soft_bodies(k))
    rigid = [b for b in k.rigid_bodies if not b.inertia.is_zero]
    M = sum(b.mass() for b in bodies)
    for body in rigid:
        (m,), c = k.scalars([body.inertia.mass]), k.centre(body)
        M = M + m[:, None, None] * np.einsum("sai,saj->sij", c.moving, c.moving)
        M = M + np.einsum("sai,sab,sbj->sij", c.turning, k.tensor(body), c.turning)
    assert np.abs(M - found["M"]).max() <= 1e-13 * np.abs(M).max()


def heavy(system: System, element: str) -> System:
    """With a massive element between the ground and the tip of the beam."""
    ends = Point(None, vector((1, 2, 0))), Point("1", vector((as_expression(1) / 2, 0, 0)))
    mass = as_expression(7) / 10
    if element == "rod":
        return replace(system, constraints=(Rod("rod", *ends, as_expression(2), mass),))
    return replace(system, forces=(Bipolar("strut", *ends, LinearLaw(k=as_expression(20)), mass),))


@pytest.mark.slow
@pytest.mark.parametrize("element", ["strut", "rod"])
def test_masses_at_nodes_move_with_the_section(element: str) -> None:
    """Two formalisms put them into the integrals, one makes links of them, validation has points."""
    system = heavy(read(folder() / "elastic/planar_arm.mbs.json").system, element)
    evidence = check(system, states=2)
    assert [c for c in evidence.comparisons if c.verdict == "disagrees"] == []
    assert {("M", "lagrange", "flexible"), ("M", "lagrange", "virtual_work")} <= {
        (c.quantity, c.a, c.b) for c in evidence.comparisons
    }


@pytest.mark.parametrize("turns", [((0, 0), (0, 0), (4, 6)), ((1, 0), (2, -1), (4, 6))], ids=["one axis", "three"])
def test_a_cut_at_a_node_is_opened_at_the_section(turns: tuple[tuple[int, ...], ...]) -> None:
    """Weld what opens cuts to the section that moves with the modes; its force is told in the body's axes."""
    system = heavy(read(folder() / "elastic/planar_arm.mbs.json").system, "rod")
    soft, *others = system.bodies
    assert soft.modes is not None
    (tip,) = soft.modes.nodes
    modes = replace(soft.modes, nodes=(replace(tip, rotation=turns),))  # type: ignore[arg-type]
    system = replace(system, bodies=(replace(soft, modes=modes), *others))
    at = assemble(system, draw(system, 2, 0).states)
    opened, native = (
        formalism(name).forces_with_constraints(system, at.states) for name in ("lagrange", "virtual_work")
    )
    assert at.is_closed.all() and opened is not None and native is not None
    for x, y in ((opened.at_cuts, native.at_cuts), (opened.at_joints, native.at_joints)):
        assert np.abs(x - y).max() <= 1e-9 * np.abs(y).max() and np.abs(y).max() > 1


def test_modal_coordinates_are_drawn_small() -> None:
    system = soft_arm()
    modal = {name for body in system.bodies for name in body.modal}
    for state in draw(system, 20, 3).states:
        assert all(DEFLECTIONS[0] <= abs(state.q[name]) <= DEFLECTIONS[1] for name in modal)


@pytest.mark.slow
@pytest.mark.parametrize("shapes", [(power(2), power(3)), (ClampedFree(1),)], ids=["polynomials", "clamped-free"])
def test_stiffened_beams_agree(shapes: tuple[ShapeFunction, ...]) -> None:
    """Products of modal coordinates move points and nodes: all derivations, both of validation's own kinematics."""
    names = [f"e{i + 1}" for i in range(len(shapes))]
    made = {n: bending(2, f) for n, f in zip(names, shapes, strict=True)}
    inertia, modes = beam(0.5, round_section(0.01), made, young=7e8, density=2700, nodes={"tip": 0.5}, stiffened=True)
    hand = Inertia(as_expression(0.3), vector((0.2, 0, 0)), tensor((0, 0.004, 0.004)))
    bodies = (
        Body("1", None, (rotation("z", "q"),), inertia, modes=modes),
        Body("2", "1", (rotation("z", "p"),), hand, parent_node="tip"),
    )
    coordinates = tuple(map(Coordinate, ("q", *names, "p")))
    system = System("stiffened", coordinates, gravity=Gravity(as_expression(9.81), vector((0, -1, 0))), bodies=bodies)
    evidence = check(system, states=2)
    assert [c for c in evidence.comparisons if c.verdict == "disagrees"] == [] and evidence.verdict == "agrees"
    pairs = {(c.quantity, c.a, c.b) for c in evidence.comparisons}
    assert {("M", "lagrange", "virtual_work"), ("h", "virtual_work", "flexible"), ("h", "lagrange", "direct")} <= pairs
