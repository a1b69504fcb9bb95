"""Mass centre, momenta and energies of the machine: closed forms, laws of momentum and energy, Pinocchio."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import mbconcord
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.formalisms.registry import formalism
from mbconcord.model.derivation import flatten
from mbconcord.model.diagnostics import NumbersError
from mbconcord.model.expressions import FLOAT, ZERO
from mbconcord.model.expressions import evaluate as evaluate_scalars
from mbconcord.model.expressions.field import IDENTICAL, compare
from mbconcord.model.kinematics import KINDS, MACHINE, PointMotion, express_kinematics, read_kinematics
from mbconcord.validation.witnesses.peers.peer import open_peer

#: Two point masses in a plane: 2 kg at 0.5 m from the axis, 1 kg at 0.4 m from the first.
TWO = "z(q1) i(0.5) $2 #upper > z(q2) i(0.4) $1 #hand g9.81-y"
UR5 = folder("robots") / "ur5.mbsd"
Q = np.array([0.3, -0.7, 0.9, -0.4, 0.8, 0.2])
V = np.array([0.5, -0.3, 0.7, 1.1, -0.6, 0.4])
A = np.array([-0.2, 0.6, 0.1, -0.9, 0.3, 0.8])
ABLE = ("lagrange", "newton_euler", "virtual_work", "konoplev")
ABOUT = "angular_momentum(about=center_of_mass)"
#: Half a difference in time, s.
STEP = 1e-4


def evaluate(model: Any, *names: str, **numbers: object) -> mbconcord.results.Numbers:
    model = mbconcord.read(text=model, format="mbsd") if isinstance(model, str) else model
    found = mbconcord.evaluate(model, quantities=names, **numbers)  # type: ignore[arg-type]
    assert {c.verdict for c in found.witnesses} <= {"agrees", "agrees, zero"}
    return found


def test_two_point_masses_by_hand() -> None:
    found = evaluate(TWO, *MACHINE, q=[0.3, 0.4], v=[1.0, 2.0])
    c, s, c12, s12 = math.cos(0.3), math.sin(0.3), math.cos(0.7), math.sin(0.7)
    r1, r2 = np.array([0.5 * c, 0.5 * s, 0]), np.array([0.5 * c + 0.4 * c12, 0.5 * s + 0.4 * s12, 0])
    v1, v2 = np.array([-r1[1], r1[0], 0]), np.array([-0.5 * s - 1.2 * s12, 0.5 * c + 1.2 * c12, 0])
    expected = {
        "center_of_mass": (2 * r1 + r2) / 3,
        "linear_momentum": 2 * v1 + v2,
        "angular_momentum": 2 * np.cross(r1, v1) + np.cross(r2, v2),
        ABOUT: 2 / 3 * np.cross(r2 - r1, v2 - v1),
        "kinetic_energy": v1 @ v1 + 0.5 * v2 @ v2,
        "potential_energy": 9.81 * (2 * r1[1] + r2[1]),
    }
    for name, numbers in expected.items():
        np.testing.assert_allclose(found[name], numbers, rtol=0, atol=1e-14, err_msg=name)
    assert {c.b for c in found.witnesses} == {"direct", "newton_euler", "virtual_work", "konoplev"}
    assert len(found.witnesses) == len(MACHINE) * 4


def test_a_bar_that_spins_about_its_centre_has_angular_momentum_of_its_tensor_alone() -> None:
    found = evaluate(
        "x(s1) z $3 [4,2,5]", "angular_momentum", "kinetic_energy", "linear_momentum", q=[0.0, 0.4], v=[0, 2.0]
    )
    np.testing.assert_allclose(found["angular_momentum"], [0, 0, 10], atol=1e-14)
    np.testing.assert_allclose(found["linear_momentum"], [0, 0, 0], atol=1e-14)
    assert found["kinetic_energy"] == pytest.approx(10)


@pytest.mark.slow
def test_rates_of_momenta_are_forces_and_moments_of_ground_and_weight() -> None:
    """On UR5, whose momenta are seen a moment before and after a state."""
    names = ("linear_momentum", "angular_momentum", "center_of_mass", "kinetic_energy", "potential_energy")
    h = np.array([-STEP, STEP])[:, None]
    around = evaluate(UR5, *names, q=Q + h * V + h**2 / 2 * A, v=V + h * A)
    at = evaluate(UR5, *names, "M", "gravity", "ground", q=Q, v=V, a=A)
    masses, g = [body.inertia.mass for body in read(UR5).system.bodies], read(UR5).system.gravity
    assert g is not None
    mass, size, *direction = map(float, evaluate_scalars([sum(masses, ZERO), g.value, *g.direction], {}, FLOAT))
    weight = mass * size * np.array(direction)
    rate = {name: (around[name][1] - around[name][0]) / (2 * STEP) for name in names}
    force, moment = at["ground"][:3], at["ground"][3:]
    np.testing.assert_allclose(mass * rate["center_of_mass"], at["linear_momentum"], atol=1e-6)
    np.testing.assert_allclose(rate["linear_momentum"], force + weight, atol=1e-5)
    np.testing.assert_allclose(rate["angular_momentum"], moment + np.cross(at["center_of_mass"], weight), atol=1e-5)
    assert at["kinetic_energy"] == pytest.approx(V @ at["M"] @ V / 2, rel=1e-12)
    assert rate["potential_energy"] == pytest.approx(-at["gravity"] @ V, rel=1e-6)


@pytest.mark.parametrize("name", ["angular_momentum( about = center_of_mass )", ABOUT])
def test_momentum_about_the_mass_centre_may_have_blanks(name: str) -> None:
    assert evaluate(TWO, name, q=[0.3, 0.4], v=[1.0, 2.0])[name][2] == pytest.approx(0.32, rel=1e-14)


def test_momentum_about_something_else_is_refused_with_what_there_is() -> None:
    with pytest.raises(NumbersError, match=r"whole machine \(write angular_momentum or angular_momentum\(about=center"):
        evaluate(TWO, "angular_momentum(hand)")
    with pytest.raises(NumbersError, match="no body has a mass"):
        mbconcord.evaluate(mbconcord.Mechanism("m").body("b").turns("q", about="z"), quantities=ABOUT)


def test_four_formalisms_derive_the_same_functions() -> None:
    tree = read(UR5).system
    asked = read_kinematics(tree, MACHINE)

    def made(by: str) -> list[Any]:
        def motions(points: Any) -> tuple[PointMotion, ...]:
            found: tuple[PointMotion, ...] | None = formalism(by).motions(tree, points)
            assert found is not None
            return found

        return [x for each in express_kinematics(tree, motions, asked).values() for x in flatten(each)]

    first = made(ABLE[0])
    for name in ABLE[1:]:
        assert all(v.kind == IDENTICAL for v in compare(zip(first, made(name), strict=True))), name


def test_rotors_have_energy_and_their_angular_momentum_is_refused() -> None:
    geared = folder("native") / "geared_arm.mbs.json"
    n = len(read(geared).system.coordinates)
    v = np.linspace(0.5, 1.0, n)
    found = evaluate(geared, "kinetic_energy", "M", v=v)
    assert found["kinetic_energy"] == pytest.approx(v @ found["M"] @ v / 2, rel=1e-12)
    with pytest.raises(NumbersError, match="angular_momentum: error: not known of a model with inertia along"):
        evaluate(geared, "angular_momentum", v=v)


@pytest.mark.parametrize(
    ("file", "feature"),
    [("elastic/planar_arm.mbs.json", "elastic bodies"), ("konoplev/gyrostat.mbs.json", "flywheels"),
     ("konoplev/submarine.mbs.json", "added inertia")],
)  # fmt: skip
def test_inertia_beside_that_of_rigid_bodies_is_refused(file: str, feature: str) -> None:
    with pytest.raises(NumbersError, match=f"kinetic_energy: error: not known of a model with .*{feature}"):
        mbconcord.evaluate(folder() / file, quantities="kinetic_energy")


def test_a_model_without_mass_has_no_mass_centre() -> None:
    with pytest.raises(NumbersError, match=r"center_of_mass: error: no body has a mass .give one a mass."):
        evaluate("z(q1) i2 $0 #rod", "center_of_mass")


def heavy(*masses: str) -> mbconcord.Mechanism:
    made = mbconcord.Mechanism("heavy").parameters(m=2, n=1, l=1)
    for i, mass in enumerate(masses):
        made = made.body(f"b{i}", mass=mass, on=f"b{i - 1}" if i else None).turns(f"q{i}", about="z").shift(x="l")
    return made


@pytest.mark.parametrize("backend", ["numpy", "python", "llvm"])
@pytest.mark.parametrize("masses", [("m",), ("m", "m"), ("m", "n"), ("m", "3*m")])
def test_no_backend_has_a_mass_centre_where_the_masses_of_a_call_are_zero(
    masses: tuple[str, ...], backend: str
) -> None:
    """Though m r / m is r, and 0 / m along z is 0."""
    model, q = heavy(*masses), [0.3] * len(masses)
    compiled = mbconcord.compile(model, "center_of_mass", backend=backend)
    nothing = {"m": 0.0, "n": 0.0}
    own = mbconcord.evaluate(model, q=q, parameters=nothing, quantities="center_of_mass")
    for found in (own, compiled(q, parameters=nothing)):
        assert np.isnan(found["center_of_mass"]).all()
        assert any("center_of_mass: error: it has no number at state 0" in str(d) for d in found.diagnostics)
    weights = [{"m": 4.0, "3*m": 12.0, "n": 1.0}[mass] for mass in masses]
    places = np.cumsum([[math.cos(0.3 * i), math.sin(0.3 * i), 0] for i in range(1, len(masses) + 1)], axis=0)
    found = compiled(q, parameters={"m": 4.0})["center_of_mass"]
    np.testing.assert_allclose(found, np.average(places, axis=0, weights=weights), rtol=0, atol=1e-15)


def test_a_mass_that_is_a_length_too_has_no_centre_where_it_is_zero() -> None:
    model = mbconcord.Mechanism("ball").parameters(m=2).body("b", mass="m").turns("q", about="z").shift(x="m")
    found = mbconcord.compile(model, "center_of_mass")([[0.3]], parameters={"m": 0.0})
    assert np.isnan(found["center_of_mass"]).all()
    np.testing.assert_allclose(mbconcord.compile(model, "center_of_mass")([0.0])["center_of_mass"], [2, 0, 0])


def test_scalars_have_an_entry_for_each_state_and_a_column() -> None:
    found = evaluate(TWO, "kinetic_energy", "linear_momentum", q=np.zeros((3, 2)), v=np.ones((3, 2)))
    assert found["kinetic_energy"].shape == (3,)
    pytest.importorskip("pandas", reason="pandas is not installed")
    columns = list(found.to_frame().columns)
    assert columns[-4:] == ["kinetic_energy", "linear_momentum[x]", "linear_momentum[y]", "linear_momentum[z]"]


def test_pinocchio_finds_the_same_of_an_arm() -> None:
    pin: Any = pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")
    file = folder("urdf") / "arm.urdf"
    model = pin.buildModelFromUrdf(str(file))
    data, system = model.createData(), read(file).system
    assert [model.names[i] for i in range(1, model.njoints)] == list(system.coordinate_names)
    q, v = np.linspace(0.2, 0.6, model.nv), np.linspace(-0.5, 0.7, model.nv)
    found = evaluate(file, *MACHINE, q=q, v=v)
    joints = zip(model.nqs.tolist()[1:], q.tolist(), strict=True)
    own = np.array([x for size, angle in joints for x in ((angle,) if size == 1 else (np.cos(angle), np.sin(angle)))])
    pin.centerOfMass(model, data, own, v)
    pin.computeCentroidalMomentum(model, data, own, v)
    linear, about_centre = np.array(data.hg.linear), np.array(data.hg.angular)
    whole = sum(float(x.get("value")) for x in ElementTree.parse(file).iter("mass"))  # its base, too, at the origin
    centre = data.com[0] * pin.computeTotalMass(model) / whole
    expected = {
        "center_of_mass": centre, "linear_momentum": linear,
        "angular_momentum": about_centre + np.cross(data.com[0], linear),
        ABOUT: about_centre + np.cross(data.com[0] - centre, linear),
        "kinetic_energy": pin.computeKineticEnergy(model, data, own, v),
        "potential_energy": pin.computePotentialEnergy(model, data, own),
    }  # fmt: skip
    for name, numbers in expected.items():
        np.testing.assert_allclose(found[name], numbers, rtol=0, atol=1e-12, err_msg=name)


def measure_from_pinocchio(file: Path, by: str) -> dict[str, float]:
    """Return the largest difference of each quantity of all links from Pinocchio's, by the largest number, or by 1."""
    pin: Any = pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")
    text = re.sub("<mimic[^>]*>", "", file.read_text("utf-8"))  # rows that states would have to satisfy
    text = text.replace('<axis xyz="0 0.6 0.8"/>', '<axis xyz="0 0 1"/>')  # it takes planes as xy, whatever the axis
    peer: Any = open_peer("pinocchio", text)
    system = mbconcord.read(text=text, format="urdf").system
    peer.fit(system)
    model, data, world = peer.model, peer.data, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    kinds = ("pose", "velocity", "angular_velocity", "acceleration", "angular_acceleration", "jacobian", "drift")
    q, v, a = np.random.default_rng(5).uniform(-1, 1, (3, 3, len(system.coordinate_names)))
    asked = [f"{kind}({link})" for kind in kinds for link in peer.links]
    found = mbconcord.evaluate(system, q, v, a=a, quantities=asked, formalism=by, witness=False)
    worst = dict.fromkeys(kinds, 0.0)
    for i in range(len(q)):
        there, G, rest = peer._chart(q[i], v[i])
        for link, frame in peer.links.items():
            pin.forwardKinematics(model, data, there, G @ v[i], G @ a[i] + rest)
            placed = pin.updateFramePlacement(model, data, frame)
            moves = pin.getFrameVelocity(model, data, frame, world)
            gains = pin.getFrameClassicalAcceleration(model, data, frame, world)
            by_hand = {
                "pose": placed.homogeneous[:3], "velocity": moves.linear, "angular_velocity": moves.angular,
                "acceleration": gains.linear, "angular_acceleration": gains.angular,
                "jacobian": pin.computeFrameJacobian(model, data, there, frame, world).reshape(6, -1) @ G,
            }  # fmt: skip
            by_hand["drift"] = np.r_[gains.linear, gains.angular] - by_hand["jacobian"] @ a[i]
            for kind, numbers in by_hand.items():
                size = max(1.0, np.abs(numbers).max(initial=0.0))
                off = np.abs(found[f"{kind}({link})"][i] - numbers).max(initial=0.0) / size
                worst[kind] = max(worst[kind], float(off))
    return worst


@pytest.mark.parametrize("by", ABLE)
@pytest.mark.parametrize("name", ["arm", "gripper", "rover"])
def test_pinocchio_moves_every_link_of_the_fixtures_likewise(name: str, by: str) -> None:
    assert max(measure_from_pinocchio(folder("urdf") / f"{name}.urdf", by).values()) < 1e-13


#: The frame of the second mass of TWO, by hand, at q = (0.3, 0.4), q' = (1, 2), q'' = (0.5, -1).
_C, _S, _C12, _S12 = math.cos(0.3), math.sin(0.3), math.cos(0.7), math.sin(0.7)
_R = np.array([[_C12, -_S12, 0], [_S12, _C12, 0], [0, 0, 1]])
_UPPER, _LOWER = np.array([0.5 * _C, 0.5 * _S, 0]), np.array([0.4 * _C12, 0.4 * _S12, 0])
_TURN = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]])  # a quarter turn about z
_VELOCITY = _TURN @ (_UPPER + 3 * _LOWER)
_DRIFT = -_UPPER - 9 * _LOWER
HAND = {
    "pose(hand)": np.column_stack([_R, _UPPER + _LOWER]),
    "position(hand)": _UPPER + _LOWER,
    "velocity(hand)": _VELOCITY,
    "velocity(hand, in=body)": _R.T @ _VELOCITY,
    "angular_velocity(hand)": [0, 0, 3],
    "acceleration(hand)": _DRIFT + _TURN @ (0.5 * _UPPER - 0.5 * _LOWER),
    "angular_acceleration(hand)": [0, 0, -0.5],
    "jacobian(hand)": np.column_stack([[*_TURN @ (_UPPER + _LOWER), 0, 0, 1], [*_TURN @ _LOWER, 0, 0, 1]]),
    "drift(hand)": [*_DRIFT, 0, 0, 0],
    "center_of_mass": _UPPER + _LOWER / 3,
    "linear_momentum": _TURN @ (2 * _UPPER) + _VELOCITY,
    "angular_momentum": [0, 0, 0.5 + (_UPPER + _LOWER) @ (_UPPER + 3 * _LOWER)],
    ABOUT: [0, 0, 2 / 3 * 0.4**2 * 3],
    "kinetic_energy": 0.25 + 0.5 * _VELOCITY @ _VELOCITY,
    "potential_energy": 9.81 * (3 * _UPPER + _LOWER)[1],
}


@pytest.mark.parametrize("by", ABLE)
@pytest.mark.parametrize("backend", ["numpy", "python", "llvm"])
def test_compiled_kinematic_quantities_by_hand(by: str, backend: str) -> None:
    two = mbconcord.read(text=TWO, format="mbsd")
    found = mbconcord.compile(two, HAND, by, backend)([0.3, 0.4], [1, 2], a=[0.5, -1])
    assert found.keys() == HAND.keys()
    for name, numbers in HAND.items():
        np.testing.assert_allclose(found[name], numbers, rtol=0, atol=4e-15, err_msg=name)


@pytest.mark.parametrize("by", ABLE)
def test_derived_kinematic_quantities_by_hand(by: str) -> None:
    made = mbconcord.derive(mbconcord.read(text=TWO, format="mbsd"), by)
    values = {"q1": 0.3, "q2": 0.4, "q1'": 1.0, "q2'": 2.0, "q1''": 0.5, "q2''": -1.0}
    for name, numbers in HAND.items():
        found = evaluate_scalars(flatten(made[name]), values, FLOAT)
        np.testing.assert_allclose(found, np.ravel(numbers), rtol=0, atol=4e-15, err_msg=name)
        assert name in made.render(quantities=name)


def test_kinds_by_hand_are_all_that_there_are() -> None:
    assert {name if name in MACHINE else name.partition("(")[0] for name in HAND} == {*KINDS, *MACHINE}


def test_exported_kinematic_quantities_pass_their_self_test(tmp_path: Path) -> None:
    made = mbconcord.export(mbconcord.read(text=TWO, format="mbsd"), tmp_path, HAND, "virtual_work", name="two")
    assert made.quantities == tuple(HAND)
    assert "velocity(hand, in=body)[x]" in (tmp_path / "two.h").read_text(encoding="utf-8")


def test_compiled_pose_of_bodies_without_mass() -> None:
    bars = mbconcord.Mechanism("bars").body("hand").turns("q", about="z").shift(x=2)
    np.testing.assert_allclose(
        mbconcord.compile(bars, "position(hand)")([math.pi / 2])["position(hand)"], [0, 2, 0], atol=1e-15
    )


@pytest.mark.parametrize(
    ("name", "by", "words"),
    [
        ("velocity(hnd)", "lagrange", "no body or point 'hnd' (did you mean 'hand'"),
        ("speed(hand)", "lagrange", "no quantity 'speed' of a body"),
        ("position", "lagrange", "position(BODY)"),
        ("pose(hand)", "telegin", "telegin has no motions of points (take lagrange"),
    ],
)
def test_quantities_that_are_none_are_refused(name: str, by: str, words: str) -> None:
    with pytest.raises(mbconcord.MbconcordError, match=re.escape(words)):
        mbconcord.compile(mbconcord.read(text=TWO, format="mbsd"), name, by)


def test_compiled_accelerations_of_points_need_those_of_coordinates() -> None:
    run = mbconcord.compile(mbconcord.read(text=TWO, format="mbsd"), ["acceleration(hand)", "drift(hand)"])
    with pytest.raises(NumbersError, match="a: error: accelerations of points are functions of q''"):
        run([0.3, 0.4], [1, 2])


@pytest.mark.parametrize(("word", "angle"), [("acos", math.acos(0.6)), ("asin", math.asin(0.6))])
def test_a_map_by_an_inverse_function_is_judged(word: str, angle: float) -> None:
    arm = (
        mbconcord.Mechanism("arm")
        .coordinate("x")
        .body("arm", mass=1, inertia=(1, 1, 1))
        .turns(map=f"{word}(x)", about="z")
    )
    found = mbconcord.evaluate(arm, q=[0.6], v=[0.2], quantities=["M", "acceleration", "pose(arm)"])
    assert {c.verdict for c in found.witnesses} <= {"agrees", "agrees, zero"}
    np.testing.assert_allclose(found["M"], [[1 / 0.64]], rtol=1e-15)
    np.testing.assert_allclose(found["acceleration"], [-0.6 * 0.04 / 0.64], rtol=1e-14)
    np.testing.assert_allclose(found["pose(arm)"][:2, 0], [math.cos(angle), math.sin(angle)], rtol=1e-15)
