"""Problems of textbooks with closed forms, in the words that a reader has: maps, rows, drives, words of forces."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np

import mbconcord as mb


def test_the_sleigh_of_chaplygin_turns_out_of_its_blade() -> None:
    """v' = a w^2 and (J + m a^2) w' = -m a v w, the blade at the origin, the centre of mass a before it."""
    sleigh = mb.Mechanism("sleigh").body("sleigh", mass=2, com=(0.4, 0, 0), inertia=(1, 1, 0.3))
    sleigh = sleigh.slides("x", along="x").slides("y", along="y").turns("th", about="z")
    sleigh = sleigh.rolls("blade", {"x": "-sin(th)", "y": "cos(th)"})
    th, v, w = 0.6, 1.5, 0.8
    found = mb.evaluate(sleigh, {"th": th}, {"x": v * cos(th), "y": v * sin(th), "th": w})["acceleration"]
    forth, turn = 0.4 * w * w, -2 * 0.4 * v * w / (0.3 + 2 * 0.4**2)
    expected = [forth * cos(th) - v * w * sin(th), forth * sin(th) + v * w * cos(th), turn]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_a_bead_on_a_cycloid_swings_as_a_sine_whatever_its_amplitude() -> None:
    """Along the arc s = 4 R sin(p/2) the motion is harmonic, of the rate sqrt(g/(4 R)) (Huygens)."""
    bead = mb.Mechanism("bead").parameters(R=0.3).gravity(y=-9.81).body("bead", mass=1.7)
    bead = bead.slides(map="R*(p + sin(p))", along="x").slides(map="R*(1 - cos(p))", along="y").coordinate("p", start=2)
    motion = mb.simulate(bead, 1, tolerance=1e-10)
    assert abs(sin(motion.q[-1, 0] / 2) - sin(1) * cos(sqrt(9.81 / 1.2))) < 1e-8


def test_a_coin_rolls_and_leans() -> None:
    """A thin coin of mass 1 and radius r, leaning by th: (I + r^2) th'' of its turn ps', roll ph' and weight."""
    r, th, W, p = 0.5, 0.3, 1.2, 2.0
    coin = (
        mb.Mechanism("coin")
        .gravity(z=-9.81)
        .parameters(r=r)
        .body("coin", mass=1, inertia=(r * r / 4, r * r / 2, r * r / 4))
    )
    coin = coin.slides("x", along="x").slides("y", along="y").slides("z", along="z")
    coin = coin.turns("ps", about="z").turns("th", about="x").turns("ph", about="y").holds("floor", "z - r*cos(th)")
    coin = coin.rolls("along", {"x": "cos(ps)", "y": "sin(ps)", "ps": "-r*sin(th)", "ph": "-r"})
    coin = coin.rolls("across", {"x": "-sin(ps)", "y": "cos(ps)", "th": "r*cos(th)"})
    rates = {"ps": W, "ph": p, "x": r * (W * sin(th) + p)}
    found = mb.evaluate(coin, {"th": th, "z": r * cos(th)}, rates)["acceleration"]
    moment = (5 * W * W * sin(th) / 4 + 3 * W * p / 2) * r * r * cos(th) + 9.81 * r * sin(th)
    np.testing.assert_allclose(found[4], moment / (1.25 * r * r), rtol=1e-13)


def test_a_charge_circles_in_a_magnetic_field() -> None:
    charge = (
        mb.Mechanism("charge").parameters(q=2, B=3).body("e", mass=1.5).slides("x", along="x").slides("y", along="y")
    )
    charge = charge.force("field", "e", ("q*B*vy(here)", "-q*B*vx(here)", 0))
    motion = mb.simulate(charge, pi / 8, v=[1, 0], tolerance=1e-10)  # a quarter of a turn at 4 rad/s
    np.testing.assert_allclose(motion.q[-1], [0.25, -0.25], rtol=0, atol=1e-9)


def test_a_joint_of_hooke_turns_unevenly_without_any_mass() -> None:
    """tan s = cos b tan p, s' = p' cos b/(cos² p + cos² b sin² p)."""
    joint = mb.Mechanism("joint").parameters(b=0.5).body("in").turns("p", about="z").body("out").rotate("b", about="x")
    joint = joint.turns("s", about="z").holds("cross", "sin(p)*cos(b)*cos(s) - cos(p)*sin(s)")
    (found,) = mb.assemble(joint, {"p": 0.4}, {"p": 2}, hold=["p"])
    q, v = found.state.q["s"], found.state.v["s"]
    slope = cos(0.5) / (cos(0.4) ** 2 + cos(0.5) ** 2 * sin(0.4) ** 2)
    np.testing.assert_allclose([q, v], [atan2(cos(0.5) * sin(0.4), cos(0.4)), 2 * slope], rtol=1e-12)


def test_a_cart_whose_acceleration_is_imposed_shakes_a_pendulum() -> None:
    cart = mb.Mechanism("cart").parameters(a=2).gravity(y=-9.81).body("cart", mass=2).slides("x", along="x")
    cart = cart.body("bob", on="cart", mass=0.5).turns("q", about="z").shift(y=-0.8).drive("x", acceleration="a")
    found = mb.evaluate(cart, {"q": 0.3})["acceleration"]
    np.testing.assert_allclose(found, [2, -(9.81 * sin(0.3) + 2 * cos(0.3)) / 0.8], rtol=1e-14)
    space = mb.linearize(cart, parameters={"a": 0}).abcd(inputs=["x"], outputs=["position(bob).x"])
    np.testing.assert_allclose(space.B[:, 0], [0, 0, 1, -1 / 0.8], rtol=0, atol=1e-14)
    np.testing.assert_allclose(space.C, [[1, 0.8, 0, 0]], rtol=0, atol=1e-14)
