"""Contacts and ropes: forces and motions by hand, momentum that they keep, what is read, written and refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import mbconcord as mb
from mbconcord.model import ModelError
from mbconcord.records import replace

HARD = {"law": "kelvin_voigt", "k": 10000, "c": 20}
SOFT = {"law": "hunt_crossley", "k": 10000, "d": "0.3"}
HERTZ = {"law": "hunt_crossley", "k": 200000, "exponent": "3/2"}
RUBS = {"friction": "regularised", "mu": "0.4", "v_s": "0.02"}
Array = Any


def ball(**law: Any) -> mb.System:
    """A ball of radius 0.1 m above the floor."""
    made = mb.Mechanism("ball").gravity(z="-9.81").body("b", mass=1).slides("z", along="z", start="0.6")
    return made.contact("floor", "b", radius="0.1", **law).build()


def turn(axis: int, angle: float) -> Array:
    """Rotation matrix about an axis of the frame."""
    x, y = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[x, x] = R[y, y] = np.cos(angle)
    R[y, x], R[x, y] = np.sin(angle), -np.sin(angle)
    return R


@pytest.mark.parametrize(
    ("law", "rows"),
    [
        (HARD, {0.25: 0.2934375, 0.5: 0.3326119505360736, 1.0: 0.24002635253371835, 2.0: 0.1011325268335131}),
        (SOFT, {0.25: 0.2934375, 0.5: 0.2633571838834836, 1.0: 0.12275715732870875, 2.0: 0.0973931207560176}),
    ],
)
def test_a_ball_bounces_as_an_event_driven_integration_has_it(law: dict[str, Any], rows: dict[float, float]) -> None:
    """The numbers are of another program's contact within 5e-8 (soft) and of a closed form of the first (hard)."""
    made = mb.simulate(ball(**law), 2.0, step_out=0.25, tolerance=1e-10)
    found = {round(float(t), 9): float(q[0]) for t, q in zip(made.t, made.q, strict=True)}
    for t, z in rows.items():
        assert found[t] == pytest.approx(z, abs=1e-7)


def test_a_ball_by_hertz_touches_as_long_as_a_quadrature_says() -> None:
    """∫ dδ/√(v² + 2 g δ - (4/5)(k/m) δ^(5/2)) up to the deepest place, twice; then the ball rises as it fell."""
    fall, g, k = 0.5, 9.81, 200000.0
    v, t = np.sqrt(2 * g * fall), np.sqrt(2 * fall / g)

    def squared(x: float) -> float:
        return v * v + 2 * g * x - 0.8 * k * x**2.5

    low, high = 0.0, 0.1
    for _ in range(200):
        low, high = ((low + high) / 2, high) if squared((low + high) / 2) > 0 else (low, (low + high) / 2)
    touch = 2 * quad(lambda s: 2 * low * s / np.sqrt(squared(low * (1 - s * s))), 1e-9, 1, epsabs=1e-13, limit=200)[0]
    made = mb.simulate(ball(**HERTZ), t + touch + 0.1, tolerance=1e-11)
    assert float(made.q[-1][0]) == pytest.approx(0.1 + v * 0.1 - g * 0.1**2 / 2, abs=1e-7)


def test_a_taut_rope_swings_about_where_it_hangs() -> None:
    """Free until √(2 L/g), then δ'' = g - k δ/m with δ' = √(2 g L) at δ = 0."""
    length, g, k, m, after = 0.8, 9.81, 400.0, 2.0, 0.15
    made = mb.Mechanism("rope").gravity(z="-9.81").body("b", mass=2).slides("z", along="z", start="-0.001")
    rope = made.rope("rope", None, "b", "0.8", law="kelvin_voigt", k=400).build()
    w, v = np.sqrt(k / m), np.sqrt(2 * g * (length - 0.001))
    t = np.sqrt(2 * (length - 0.001) / g)
    depth = g / w**2 * (1 - np.cos(w * after)) + v / w * np.sin(w * after)
    found = mb.simulate(rope, t + after, tolerance=1e-11)
    assert float(found.q[-1][0]) == pytest.approx(-length - depth, abs=1e-7)


def two_bodies(against: str | None = "plate") -> mb.Mechanism:
    """A body with a sphere and a plate, each turned about the world's z axis first, then shifted and turned."""
    made = mb.Mechanism("two")
    for body, s in (("ball", "a"), ("plate", "b")):
        made.body(body, mass=2, inertia=(1, 2, 2.5)).turns(f"{s}0", about="z")
        for axis in "xyz":
            made.slides(f"{s}{axis}", along=axis)
        made.turns(f"{s}1", about="x").turns(f"{s}2", about="y")
    return made.contact(
        "touch",
        ("ball", ("0.1", "0.2", "0.3")),
        (2, 3, 6),
        radius="0.25",
        offset="0.1",
        against=against,
        **HARD,
        **RUBS,
    )


def test_a_contact_presses_and_rubs_as_by_hand() -> None:
    """F = N n - μ N u/√(u² + v_s²) at the sphere's lowest place, projected on a, x, y, z, 1 and 2 by moments."""
    q, v = np.array([0.3, -0.2, 0.1, -0.3, 0.7, -0.4]), np.array([0.5, 0.3, -0.6, -0.8, 1.1, 0.9])
    system = two_bodies(None).build()
    R0, n = turn(2, q[0]), np.array([2, 3, 6]) / 7
    origin, R1 = R0 @ q[1:4], R0 @ turn(0, q[4])
    R = R1 @ turn(1, q[5])
    axes = np.array([[0, 0, 1], R0[:, 0], R1[:, 1]])  # of the three turns
    rates = v[[0, 4, 5]]
    spin = rates @ axes
    moving = R0 @ v[1:4] + np.cross([0, 0, v[0]], origin)
    centre = origin + R @ [0.1, 0.2, 0.3]
    at = centre - 0.25 * n
    slip = moving + np.cross(spin, at - origin)
    depth, closing = 0.25 + 0.1 - n @ centre, -n @ (moving + np.cross(spin, centre - origin))
    N = max(0.0, 10000 * depth + 20 * closing)
    u = slip - (slip @ n) * n
    F = N * n - 0.4 * N * u / np.sqrt(u @ u + 0.02**2)
    assert depth > 0 and N > 0
    expected = [np.cross(at, F)[2], *(R0.T @ F), np.cross(at - origin, F) @ axes[1], np.cross(at - origin, F) @ axes[2]]
    still = [0.0] * 6
    found = mb.evaluate(system, q=[*q, *still], v=[*v, *still])["applied"]
    assert found == pytest.approx([*expected, *still], rel=1e-11, abs=1e-9)


def test_a_plane_that_moves_gets_the_opposite_force_and_moment() -> None:
    """Forces along x, y, z of both bodies, brought to the world, cancel, and so do moments about its z axis."""
    q = [0.3, -0.2, 0.1, -0.3, 0.7, -0.4, -0.5, 0.1, 0.2, 0.1, 0.2, 0.6]
    v = [0.5, 0.3, -0.6, -0.8, 1.1, 0.9, -0.7, 0.2, 0.9, 0.4, -0.3, 0.8]
    found = np.array(mb.evaluate(two_bodies().build(), q=q, v=v)["applied"])
    forces = [turn(2, q[i]) @ found[i + 1 : i + 4] for i in (0, 6)]
    assert np.abs(forces[0]).max() > 100
    assert forces[0] == pytest.approx(-forces[1], rel=1e-11)
    assert found[0] == pytest.approx(-found[6], rel=1e-11)


@pytest.mark.slow
def test_check_compares_a_contact_on_both_sides_of_its_plane() -> None:
    """Four formalisms: identical in every piece, and states within the plane and off it."""
    made = mb.check(two_bodies().build(), states=4)
    assert made.stands and {c.exact.kind for c in made.comparisons if c.exact} == {"identical"}
    depths = [float(np.abs(mb.evaluate(two_bodies().build(), s)["applied"]).max()) for s in made.states]
    assert {d > 0 for d in depths} == {True, False}


def test_check_names_a_contact_that_no_drawn_state_touches() -> None:
    made = mb.Mechanism("far").body("b", mass=1).slides("z", along="z").contact("moon", "b", offset=-1e8, **SOFT)
    notes = [d.message for d in mb.check(made.build(), states=3).diagnostics if d.place == "states"]
    assert any("no state has" in note and "here of moon" in note for note in notes)


def test_elements_are_written_as_they_were_read() -> None:
    made = two_bodies().stop("end", "ax", lower=-1, **SOFT).rope("rope", None, ("ball", (0, 0, 1)), 2, **HERTZ)
    system = made.point("tip", "plate", (0, 0, 1)).build()
    text = mb.write(system, "native").text
    assert text.count('"kind"') == 3 and '"forces"' not in text
    read = mb.read(text=text, format="native").system
    assert read == system and mb.write(read, "native").text == text
    changed = replace(system, forces=(replace(system.forces[0], point=system.forces[1].point), *system.forces[1:]))
    text = mb.write(changed, "native").text
    assert '"contacts"' not in text and mb.read(text=text, format="native").system == changed


def test_a_conversion_loses_a_contact_by_its_name() -> None:
    lost = mb.write(ball(**SOFT), "urdf").losses
    assert any(x.acts and x.place == "forces/floor" and "contact" in x.what for x in lost)


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({"law": "rigid", "e": -1}, "normal/e", "found the restitution -1, expected one from 0 to 1"),
        ({"law": "rigid", "e": 2}, "normal/e", "found the restitution 2, expected one from 0 to 1"),
        (
            {"law": "rigid", "friction": "regularised", "mu": 1, "v_s": 1},
            "friction",
            "friction regularised under the normal law rigid",
        ),
        ({"law": "rigid", "friction": "coulomb", "mu": -1}, "friction/mu", "expected a number that is not negative"),
        ({"law": "rigid", "friction": "coulomb", "mu": 1, "v_s": 1}, "friction/v_s", "coulomb has no v_s"),
        ({"law": "spring"}, "normal/law", "there is no law 'spring'"),
        ({**SOFT, "exponent": 2}, "normal/exponent", "found 2, expected 1 or 3/2"),
        ({**SOFT, "k": 0}, "normal/k", "expected a number that is positive"),
        ({**HARD, "law": "rigid"}, "normal/k", "rigid has no k"),
        ({**HARD, "d": 1}, "normal/d", "kelvin_voigt has no d"),
        ({**SOFT, **RUBS, "mu": "-0.1"}, "friction/mu", "expected a number that is not negative"),
        ({**SOFT, **RUBS, "v_s": 0}, "friction/v_s", "expected a number that is positive"),
        ({**SOFT, "friction": "coulomb", "mu": 1}, "friction", "coulomb under the normal law hunt_crossley"),
        ({**SOFT, **RUBS, "friction": "bristle"}, "friction/law", "the law 'bristle' needs a state of its own"),
        ({**SOFT, "mu": 1}, "friction/mu", "mu is given without a law of friction"),
        ({**SOFT, "radius": "-0.1"}, "first/radius", "expected a number that is not negative"),
        ({**SOFT, "normal": (0, 0, 0)}, "second/plane/normal", "an axis of zero length has no direction"),
        ({**SOFT, "against": "b"}, "first", "a body that touches itself"),
        ({**SOFT, "stiffness": 3}, "normal/stiffness", "no law has a constant 'stiffness'"),
    ],
)
def test_contacts_that_are_none_are_refused_where_they_are(change: dict[str, Any], place: str, words: str) -> None:
    made = mb.Mechanism("ball").body("b", mass=1).slides("z", along="z")
    with pytest.raises(ModelError, match=f"contacts/floor/{place}.*{words}"):
        made.contact("floor", "b", **change)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"k": 10000', '"k": -1', "contacts/floor/normal/k: found -1"),
        ('"normal": "z"', '"normal": [0, 0, 0]', "an axis of zero length has no direction"),
        ('"plane": {"normal": "z"}', '"plane": {}', "contacts/floor/second/plane: the key 'normal' is missing"),
        ('"body": "b"', '"body": "c"', "contacts/floor: there is no body 'c'"),
        ('"radius": 0.1', '"radius": -1', "contacts/floor/first/radius: found -1"),
        ('"law": "hunt_crossley"', '"law": "rigid"', "contacts/floor/normal/k: rigid has no k"),
    ],
)
def test_errors_of_elements_have_a_line(old: str, new: str, words: str) -> None:
    text = mb.write(ball(**SOFT), "native").text
    assert old in text
    with pytest.raises(mb.MbconcordError, match=rf"-:\d+:\d+: error: .*{words}"):
        mb.read(text=text.replace(old, new), format="native")


@pytest.mark.parametrize("length", [0, -1])
def test_a_rope_has_a_length(length: int) -> None:
    with pytest.raises(ModelError, match=r"contacts/rope/length.*positive"):
        mb.Mechanism("rope").body("b", mass=1).slides("z", along="z").rope("rope", None, "b", length, **HARD)


def test_a_rope_has_two_bodies() -> None:
    with pytest.raises(ModelError, match=r"contacts/rope/second.*both ends of the rope are on one body"):
        mb.Mechanism("rope").body("b", mass=1).slides("z", along="z").rope("rope", "b", "b", 1, **HARD)


@pytest.mark.parametrize(
    ("change", "place", "words"),
    [
        ({**SOFT, **RUBS, "mu": "p"}, "floor/friction/mu", "found -1, expected a number that is not negative"),
        ({**SOFT, **RUBS, "v_s": "1+p"}, "floor/friction/v_s", "found 0, expected a number that is positive"),
        ({**SOFT, "k": "p"}, "floor/normal/k", "found -1, expected a number that is positive"),
        ({**SOFT, "radius": "p"}, "floor/first/radius", "found -1"),
        ({**SOFT, "radius": "1/(1+p)"}, "floor/first/radius", "division by zero"),
    ],
)
def test_values_of_parameters_are_judged_where_they_stand(change: dict[str, Any], place: str, words: str) -> None:
    made = mb.Mechanism("ball").parameters(p=-1).body("b", mass=1).slides("z", along="z")
    text = mb.write(made.contact("floor", "b", **change).build("ignore"), "native", physics="ignore").text
    with pytest.raises(mb.MbconcordError, match=rf"-:\d+:\d+: error: contacts/{place}.*{words}"):
        mb.read(text=text, format="native", physics="error")


def test_ends_of_a_stop_that_parameters_exchange_are_judged() -> None:
    made = mb.Mechanism("ball").parameters(low=2).body("b", mass=1).slides("z", along="z")
    made = made.stop("end", "z", lower="low", upper=1, **HARD)
    found = mb.read(
        text=mb.write(made.build("ignore"), "native", physics="ignore").text, format="native", physics="warn"
    ).diagnostics
    assert [d.place for d in found] == ["contacts/end/upper - lower"]
    assert "found -1, expected a number that is positive" in found[0].message


def test_what_is_beyond_at_the_start_presses_from_the_start() -> None:
    made = mb.Mechanism("rope").body("b", mass=1).slides("z", along="z", start=2).contact("top", "b", "-z", **HARD)
    system = made.rope("rope", None, "b", 1, law="kelvin_voigt", k=3).build()
    found = mb.evaluate(system, q=[2.0], v=[0.0])["applied"]
    assert found == pytest.approx([-20000.0 - 3.0])


def test_slopes_of_an_open_contact_by_hertz_are_zero() -> None:
    made = mb.linearize(
        mb.Mechanism("b").body("b", mass=1).slides("z", along="z").contact("f", "b", offset=-1, **HERTZ)
    )
    assert np.abs(np.array(made.stiffness)).max() == 0


def test_a_tilted_plane_is_compared() -> None:
    """Its normal is a direction: the numbers of other places alone are those that a text may have rounded."""
    tilted = []
    for y in (0.1, 0.2):
        made = mb.Mechanism("ball").gravity(z=-9.81).body("ball", mass=1).slides("z", along="z", start=0.05)
        tilted.append(made.contact("floor", "ball", (0, y, 1), radius=0.1, law="hunt_crossley", k=1e4, d=0.3).build())
    assert mb.compare(tilted[0], tilted[0], states=2).verdict == "agrees"
    assert mb.compare(*tilted, states=2).verdict == "disagrees"


def free_ball(**inertia: Any) -> mb.Mechanism:
    """A ball of 1 kg and 1 m that is free in space, its centre at z = 1."""
    made = mb.Mechanism("ball").gravity(x=3, z="-9.81").body("b", mass=1, inertia=(0.4, 0.4, 0.4))
    for axis in "xyz":
        made = made.slides(axis, along=axis, start=int(axis == "z"))
    return made.turns("a", about="z").turns("b_", about="y").turns("c", about="x")


def test_a_ball_rolls_with_five_sevenths_of_what_falls() -> None:
    system = free_ball().rolling("floor", "b", radius=1).build()
    assert mb.evaluate(system)["acceleration"] == pytest.approx([15 / 7, 0, 0, 0, 15 / 7, 0], abs=1e-12)
    assert mb.read(text=mb.write(system, "native").text, format="native").system == system


@pytest.mark.slow
def test_discs_ellipsoids_and_balls_in_balls_roll() -> None:
    for shape in (
        {"radius": 1, "about": "y", "tube": "0.1", "offset": "-0.1"}, {"half_axes": (2, 3, 1)},
        {"radius": 1, "ball": 2, "centre": (0, 0, -2)}, {"radius": 1, "ball": 2, "centre": (0, 0, 2), "inside": True},
    ):  # fmt: skip
        system = free_ball().rolling("floor", "b", **shape).build()
        assert mb.check(system, states=2).verdict == "agrees"
        assert mb.read(text=mb.write(system, "native").text, format="native").system == system


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "contacts/floor.*both or neither of radius and half_axes"), ({"radius": 0}, "a number that is positive"),
        ({"on": None, "radius": 1}, "a rolling fixed frame"), ({"on": "c", "radius": 1}, "there is no body .*'c'"),
        ({"half_axes": (1, 2, 3), "ball": 5}, "an ellipsoid rolls on planes alone|ellipsoid"),
        ({"radius": 1, "inside": True}, "a plane has no inside"),
    ],
)  # fmt: skip
def test_rolling_that_is_none_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(mb.MbconcordError, match=words):
        free_ball().rolling("floor", **{"on": "b", **given}).build()
