"""Forces in axes of the body on which they act: closed forms, a printed vector, and what every part makes of them."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin

import numpy as np
import pytest

import mbconcord as mb
from laboratory.machines import soft_arm
from mbconcord.converters import registry
from mbconcord.formalisms.registry import formalism
from mbconcord.model import ModelError, Point, PointForce, State, System, Wrench, rotation, translation
from mbconcord.model.expressions import symbol
from mbconcord.model.transformation import vector
from mbconcord.validation.check import check

TAKE = ("lagrange", "newton_euler", "virtual_work", "konoplev", "telegin", "flexible")
takers = pytest.mark.parametrize("name", TAKE)


def quantity(name: str, system: System, q: dict[str, float], what: str = "applied") -> np.ndarray:
    state = State(0.0, q, dict.fromkeys(q, 0.0), dict.fromkeys(q, 0.0))
    return formalism(name).evaluate(system, [state]).quantities[what][0]


def hull(axes: str = "body") -> mb.Mechanism:
    """A free body with thrust along its third axis: the hull of a quadrotor."""
    made = mb.Mechanism("hull").gravity(z=-9.81).parameters(F=12).body("hull", mass=1, inertia=(0.01, 0.02, 0.03))
    for x in "xyz":
        made.slides(x, x)
    for name, about, start in (("psi", "z", 0.3), ("th", "y", 0.4), ("ph", "x", 0.5)):
        made.turns(name, about, start=start)
    return made.wrench("thrust", "hull", (0, 0, "F"), axes=axes)


@takers
def test_a_quadrotor_by_an_oracle_in_60_digits(name: str) -> None:
    """Made by energies and differences; F (cos psi sin th cos ph + sin psi sin ph, …) is the same by hand."""
    q = {"x": 0.0, "y": 0.0, "z": 0.0, "psi": 0.3, "th": 0.4, "ph": 0.5}
    expected = [5.617956854510474, -4.284235700383559, 9.699684801292142, 0, 0, 0]
    np.testing.assert_allclose(quantity(name, hull().build(), q), expected, rtol=0, atol=1e-13)
    x = 12 * (cos(0.3) * sin(0.4) * cos(0.5) + sin(0.3) * sin(0.5))
    assert expected[0] == pytest.approx(x, rel=1e-15)
    np.testing.assert_allclose(quantity(name, hull("world").build(), q)[:3], [0, 0, 12], rtol=0, atol=1e-14)


@takers
def test_a_force_across_a_welded_arm_has_the_same_moment_at_every_angle(name: str) -> None:
    """The arm is welded to the link by a turn about its axis and one across it; F L stands for every q."""
    made = (
        mb.Mechanism("arm").body("link", mass=1, inertia=(1, 1, 1)).turns("q", "z")
        .body("jet", on="link", mass=1, inertia=(1, 1, 1)).rotate(0.7, "z").shift(x=2).rotate(0.4, "x")
        .force("thrust", ("jet", (0, 0, 0)), (0, 3, 0), axes="body")
    )  # fmt: skip
    for q in (0.0, 1.0, -2.5):
        found = quantity(name, made.build(), {"q": q})
        np.testing.assert_allclose(found, [3 * cos(0.4) * 2], rtol=1e-14)


@pytest.mark.slow
def test_all_claims_hold_on_a_closed_linkage_and_an_elastic_arm() -> None:
    linkage = (
        mb.Mechanism("four bars").gravity(y=-9.81)
        .body("a", mass=1, com=(0.5, 0.1, 0), inertia=(1, 1, 1)).turns("q1", "z", start=1)
        .body("b", on="a", mass=1, com=(0.5, 0, 0), inertia=(1, 1, 1)).shift(x=1).turns("q2", "z", start=-0.6)
        .body("c", on="b", mass=1, com=(0.5, 0, 0), inertia=(1, 1, 1)).shift(x=2).turns("q3", "z", start=-1.2)
        .close("loop", ("c", [translation("x", 1.3), rotation("z", "free")]), (None, [translation("x", 2.2)]))
        .force("thrust", ("b", (1, 0.2, 0)), (1, "2 + t", 0), axes="body")
        .wrench("jet", ("a", (0.2, 0.3, 0)), ("q2'", 1, 0), (0, 0, "q1"), axes="body")
    )  # fmt: skip
    arm = soft_arm()
    at_nodes = tuple(replace(f, axes="body") if isinstance(f, (PointForce, Wrench)) else f for f in arm.forces)
    carried = (
        PointForce("lamp's", Point("lamp", vector((1, 2, 0))), vector((1, 2, symbol("lift'"))), "body"),
        Wrench("whip's", Point("whip"), vector((1, 2, 3)), vector((1, 0, 2)), "body"),
    )
    for system, by in (
        (linkage.build(), {*TAKE, "direct"}),
        (replace(arm, forces=(*at_nodes, *carried)), {"lagrange", "virtual_work", "flexible", "direct"}),
    ):
        found = check(system, states=2, claims=("all",))
        assert found.verdict == "agrees", [c for c in found.comparisons if not c.verdict.startswith("agrees")]
        compared = {c.a for c in found.comparisons if c.quantity == "applied"}
        assert by <= compared | {c.b for c in found.comparisons if c.quantity == "applied"}


@takers
def test_linear_equations_know_that_the_force_turns_with_its_body(name: str) -> None:
    """Of a rocket in a plane: m x'' = -F sin th, m y'' = F cos th, so K[x, th] = F cos th and K[y, th] = F sin th."""
    for axes, K, B in (("body", [12 * cos(0.3), 12 * sin(0.3), 0], [-sin(0.3), cos(0.3), 0]), ("world", 0, [0, 1, 0])):
        rocket = (
            mb.Mechanism("rocket").body("hull", mass=2, inertia=(1, 1, 0.5))
            .slides("x", "x").slides("y", "y").turns("th", "z")
            .force("thrust", "hull", (0, 12, 0), axes=axes)
        )  # fmt: skip
        found = mb.linearize(rocket, q=[0, 0, 0.3], formalism=name, inputs=["thrust.y"])
        np.testing.assert_allclose(found.K[:, 2], K, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.B[:, 0], B, rtol=0, atol=1e-15)


def test_formats_name_the_loss_and_none_takes_it_for_compensated_weight() -> None:
    """MJCF and SDF hold a force that carries the weight of its body in world axes; here it turns away."""
    for axes in ("world", "body"):
        made = (
            mb.Mechanism("held").gravity(z=-10).body("b", mass=2, inertia=(1, 1, 1)).turns("q", "x")
            .force("f", ("b", (0, 0, 0)), (0, 0, 20), axes=axes)
        )  # fmt: skip
        for name in registry.names():
            if registry.format_named(name).write is None:
                continue
            result = mb.convert(made, to=name)
            lost = {loss.place: loss for loss in result.losses if loss.place == "forces/f"}
            if axes == "body" and name != "native":
                assert lost["forces/f"].acts and "follows the body" in lost["forces/f"].what, name
            elif name == "native":
                assert not lost
                assert mb.read(text=result.text, format="native").system == made.build()


def test_two_machines_differ_by_the_axes_alone() -> None:
    same, other = mb.compare(hull(), hull()), mb.compare(hull(), hull("world"))
    assert (same.verdict, other.verdict) == ("agrees", "disagrees")


def test_axes_are_known_words_and_the_fixed_frame_has_but_one() -> None:
    with pytest.raises(ModelError, match=r"forces/f/axes: error: its force is in 'bdy' axes .did you mean 'body'"):
        hull().force("f", "hull", (1, 0, 0), axes="bdy")
    assert not PointForce("f", Point(None), vector((1, 0, 0)), "body").follows
