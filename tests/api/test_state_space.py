"""A, B, C and D with outputs of one's choice: against differences of the motion itself, and closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.signal import StateSpace

import mbconcord as mb
from mbconcord.fixtures import folder
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import replace

ARM = 'z(q1)"({tau!r}) i(0.5) $({m}) #upper > z(q2) i(0.4) $1 #hand g9.81-y'
QUANTITIES = ["position(hand)", "velocity(hand)", "acceleration", "kinetic_energy", "acceleration(hand)"]
OUTPUTS = ["position(hand)", "velocity(hand).x", "q1''", "kinetic_energy", "acceleration(hand).y", "center_of_mass.y"]
X = np.array([0.3, 0.4, 0.7, -0.5])


def measured(x: Sequence[float], m: float = 2.0, tau: float = 0.0) -> np.ndarray:
    """Outputs of the arm with this mass and torque, by another formalism's equations."""
    arm = mb.read(text=ARM.format(tau=tau, m=repr(m)), format="mbsd")
    found = mb.evaluate(
        arm, q=x[:2], v=x[2:], quantities=[*QUANTITIES, "center_of_mass"], formalism="newton_euler", witness=False
    )
    hand, moving = found["position(hand)"], found["velocity(hand)"]
    energy, falling = float(found["kinetic_energy"]), found["acceleration(hand)"][1]
    return np.array([*hand, moving[0], found["acceleration"][0], energy, falling, found["center_of_mass"][1]])


def test_outputs_have_the_slopes_of_the_motion() -> None:
    arm = mb.read(text=ARM.format(tau=0.0, m="m1") + "; m1 = 2", format="mbsd")
    near = mb.linearize(arm, q=X[:2], v=X[2:], inputs=["q1", "m1"])
    found = near.abcd(outputs=OUTPUTS)
    assert near.verdict == found.verdict == "agrees"
    assert {(c.quantity, c.b) for c in found.comparisons} >= {("linear C", "newton_euler"), ("linear D", "konoplev")}
    assert found.outputs[3:5] == ("velocity(hand).x", "q1''") and found.inputs == ("q1", "m1")
    A, B, C, D = found
    assert np.array_equal(A, near.A) and np.array_equal(B, near.inputs_to_state)
    h = 1e-5
    slopes = [(measured(X + h * e) - measured(X - h * e)) / (2 * h) for e in np.eye(4)]
    assert pytest.approx(np.array(slopes).T, abs=1e-7) == C
    by_mass = (measured(X, m=2 + h) - measured(X, m=2 - h)) / (2 * h)
    by_torque = (measured(X, tau=h) - measured(X, tau=-h)) / (2 * h)
    assert pytest.approx(np.stack([by_torque, by_mass], axis=1), abs=1e-7) == D
    StateSpace(*found)
    (_, only, _, direct) = near.abcd(inputs=["m1"], outputs=OUTPUTS)
    assert np.array_equal(only, B[:, 1:]) and np.array_equal(direct, D[:, 1:])


def test_in_a_moving_loop_dependent_coordinates_follow_to_their_accelerations() -> None:
    """Against differences of the motion at neighbouring states on the constraints."""
    crank = mb.read(folder() / "native" / "slider_crank.mbs.json")
    names = crank.system.coordinate_names
    lead = names[0]

    def at(q: float, v: float) -> State:
        start = mb.assemble(crank, q={lead: q}, v={lead: v})[0].state  # nothing in it is a formula of t
        return replace(start, v={n: x * v / start.v[lead] for n, x in start.v.items()})

    def motion(q: float, v: float) -> np.ndarray:
        start = at(q, v)
        a = mb.evaluate(crank, start, quantities="acceleration", witness=False)["acceleration"]
        return np.array([*(start.q[n] for n in names), *(start.v[n] for n in names), *a])

    near = mb.linearize(crank, at(0.7, 3.0), independent=[lead])
    found = near.abcd(outputs=[n + dot for dot in ("", "'", "''") for n in names])
    h = 1e-5
    by_q = (motion(0.7 + h, 3.0) - motion(0.7 - h, 3.0)) / (2 * h)
    by_v = (motion(0.7, 3.0 + h) - motion(0.7, 3.0 - h)) / (2 * h)
    assert pytest.approx(np.stack([by_q, by_v], axis=1), rel=1e-6, abs=1e-6) == found.C
    assert np.array_equal(near.abcd().C, found.C[: 2 * len(names)])


def driven() -> System:
    """A pendulum on a cart whose acceleration is imposed."""
    made = mb.Mechanism("cart").gravity(y=-9.81).body("cart", mass=3).slides("x", along="x")
    model = made.body("bob", on="cart", mass=1, com=(0, -1, 0)).turns("th", about="z").build()
    drive = Motion(parse_formula("2"))
    return replace(model, coordinates=tuple(replace(c, drive=drive) if c.name == "x" else c for c in model.coordinates))


def test_an_imposed_acceleration_is_an_input() -> None:
    with pytest.raises(NumbersError, match=r"imposes its acceleration \(ask abcd\(inputs=\['x'\]\) of the result"):
        mb.linearize(driven(), q=[0.0, 0.3], inputs=["x"])
    near = mb.linearize(driven(), q=[0.0, 0.3], inputs=[])
    found = near.abcd(inputs=["x"], outputs=["th''", "x''", "acceleration(bob).x"])
    assert found.states == ("x", "th", "x'", "th'") and found.verdict == "agrees"
    weight, inertial = -9.81 * math.cos(0.3) + 2 * math.sin(0.3), -math.cos(0.3)
    assert found.A[2:] == pytest.approx(np.array([[0, 0, 0, 0], [0, weight, 0, 0]]), abs=1e-12)
    assert found.B[:, 0] == pytest.approx([0, 0, 1, inertial], abs=1e-12)
    assert found.C[0] == pytest.approx([0, weight, 0, 0], abs=1e-12)
    assert found.D[:, 0] == pytest.approx([inertial, 1, 1], abs=1e-12)


def test_imposed_accelerations_are_inputs_about_what_the_drives_impose() -> None:
    """Two of three joints, beside differences of the motion with the drives; inputs in another order."""

    def arm(first: float, last: float) -> System:
        made = mb.Mechanism("arm").gravity(y=-9.81).body("a", mass=1, com=(1, 0, 0)).turns("q1", about="z")
        made.body("b", on="a", mass=2, com=(0.7, 0, 0)).shift(x=1).turns("q2", about="z")
        model = made.body("c", on="b", mass=0.5, com=(0.3, 0, 0)).shift(x=0.7).turns("q3", about="z").build()
        drives = {"q1": Motion(parse_formula(repr(first))), "q3": Motion(parse_formula(f"{last!r} + t"))}
        return replace(
            model, coordinates=tuple(replace(c, drive=drives.get(c.name, c.drive)) for c in model.coordinates)
        )

    def motion(x: np.ndarray, first: float = 1.0, last: float = -0.5) -> np.ndarray:
        found = mb.evaluate(arm(first, last), q=x[:3], v=x[3:], t=0.7, quantities="acceleration", witness=False)
        return found["acceleration"]

    x, h = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), 1e-5
    near = mb.linearize(arm(1.0, -0.5), q=x[:3], v=x[3:], t=0.7)
    found = near.abcd(inputs=["q3", "q1"], outputs=["q1''", "q2''", "q3''"])
    slopes = [(motion(x + h * e) - motion(x - h * e)) / (2 * h) for e in np.eye(6)]
    by_last = (motion(x, last=-0.5 + h) - motion(x, last=-0.5 - h)) / (2 * h)
    by_first = (motion(x, first=1 + h) - motion(x, first=1 - h)) / (2 * h)
    for A, B in ((found.A[3:], found.B[3:]), (found.C, found.D)):
        assert pytest.approx(np.array(slopes).T, abs=1e-7) == A
        assert pytest.approx(np.stack([by_last, by_first], axis=1), abs=1e-7) == B
    assert found.verdict == "agrees"


def test_formulas_of_a_varied_parameter_vary_with_it() -> None:
    text = 'x(u)"(-k2*u + g2(t)) $1 #a; k2 = 2 k, k = 3, g2(s) = k^2'
    near = mb.linearize(mb.read(text=text, format="mbsd"), q=[0.5], t=0.0, inputs=["k"])
    assert near.B.ravel() == pytest.approx([-2 * 0.5 + 2 * 3]) and near.verdict == "agrees"


@pytest.mark.parametrize(
    ("inputs", "outputs", "said"),
    [
        (["q3"], None, r"inputs/q3.*no input of this linearization \(known: q1"),
        (None, ["velocity(hnd)"], r"there is no body or point 'hnd' \(did you mean 'hand'"),
        (None, ["velocity(hand).v"], r"it has no entry 'v' \(known: x, y, z"),
        (None, ["q3"], r"outputs/q3.*there is none \(known: q1, q2, q1'"),
    ],
)
def test_wrong_names_are_refused(inputs: list[str] | None, outputs: list[str] | None, said: str) -> None:
    near = mb.linearize(mb.read(text=ARM.format(tau=0.0, m="2"), format="mbsd"), inputs=["q1"])
    with pytest.raises(NumbersError, match=said):
        near.abcd(inputs=inputs, outputs=outputs)


def test_a_parameter_of_an_imposed_acceleration_names_the_input_that_there_is() -> None:
    """An inverted pendulum of 0.5 m on a cart that is moved by an acceleration: th'' = 19.62 th + 2 x''."""
    cart = mb.Mechanism("cart").parameters(a=0).gravity(y=-9.81).body("cart", mass=1).slides("x", along="x")
    made = cart.body("bob", on="cart", mass=1, com=(0, 0.5, 0)).turns("th", about="z").build()
    x, th = made.coordinates
    cart = replace(made, coordinates=(replace(x, drive=Motion(parse_formula("a"))), th))
    with pytest.raises(NumbersError, match=r"inputs/a: error: the drive of x imposes .*abcd\(inputs=\['x'\]\)"):
        mb.linearize(cart, inputs=["a"])
    found = mb.linearize(cart).abcd(inputs=["x"])
    np.testing.assert_allclose(found.A[3], [0, 19.62, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.B[:, 0], [0, 0, 1, 2], atol=1e-12)


def test_parameters_that_move_positions_are_no_inputs() -> None:
    text = "j(a*sin(t)) z(q1) i(0.5) $1 #hand g9.81-y; a = 0.1"
    with pytest.raises(NumbersError, match=r"inputs/a.*positions would follow what it becomes"):
        mb.linearize(mb.read(text=text, format="mbsd"), t=0.0, inputs=["a"])
