"""SDF: frames, joints and trees in numbers by hand, and numbers of other programs."""

from __future__ import annotations

import json
from math import pi

import numpy as np
import pytest

import mbconcord
from mbconcord.converters import registry
from mbconcord.converters.floats import compose_pose
from mbconcord.model import FrameCoincidence, Holonomic, JointEffort, PointForce, State
from mbconcord.model.expressions import evaluate_float, number

from ..um.um_files import placed
from .mjcf_texts import VECTORS, numbers, seen
from .sdf_texts import AXIS, MASS, A, B, C, D, at, frame, joint, link, model, pose, read, turned, within

NAMES = [p.stem for p in sorted(VECTORS.glob("*.sdf"))]


@pytest.mark.skipif(not NAMES, reason="vectors of robots are not part of the project: none lie beside")
@pytest.mark.parametrize("name", NAMES)
def test_vectors(name):
    """Numbers of MuJoCo, on the twin in MJCF, and of Drake on this file, to the digits that they are stored with."""
    expected = json.loads((VECTORS / f"{name}.json").read_text("utf-8"))
    system = registry.read(VECTORS / f"{name}.sdf").system
    state, wanted = seen(system, expected)
    found = numbers(system, state)
    for quantity, values in wanted.items():
        size = max(1.0, np.abs(wanted["M"]).max(), np.abs(values).max())
        np.testing.assert_allclose(found[quantity], values, atol=1e-12 * size, rtol=0, err_msg=quantity)
    poses = placed(system, state.q)
    for name, placing in expected["poses"].items():
        if name in poses:
            np.testing.assert_allclose(poses[name][:3], np.c_[placing["R"], placing["p"]], atol=3e-15)


TWO = link("a", pose=pose(A)) + joint("fixed")
FRAMES = {
    "a link in the model": (link("b", pose=pose(B)), "", frame(D) @ frame(B)),
    "a link in a link": (link("b", pose=within(B, "a")), "", frame(D) @ frame(A) @ frame(B)),
    "a frame in the model": (
        link("b", pose=within(B, "f")) + f'<frame name="f">{pose(C)}</frame>',
        "",
        frame(D) @ frame(C) @ frame(B),
    ),
    "a frame on a link": (
        link("b", pose=within(B, "f")) + f'<frame name="f" attached_to="a">{pose(C)}</frame>',
        "",
        frame(D) @ frame(A) @ frame(C) @ frame(B),
    ),
    "a frame on a link in another": (
        link("b", pose=within(B, "f")) + '<frame name="f" attached_to="a">' + within(C, "__model__") + "</frame>",
        "",
        frame(D) @ frame(C) @ frame(B),
    ),
    "a joint's frame is in its child": (
        link("c", pose=pose(C)) + joint("fixed", "a c", pose(A), "k") + link("b", pose=within(B, "k")),
        "",
        frame(D) @ frame(C) @ frame(A) @ frame(B),
    ),
    "a placed frame": (
        link("b", pose=pose(B)) + f'<frame name="f">{pose(C)}</frame>',
        'placement_frame="f"',
        frame(D) @ np.linalg.inv(frame(C)) @ frame(B),
    ),
    "a placed link": (link("b", pose=pose(B)), 'placement_frame="a"', frame(D) @ np.linalg.inv(frame(A)) @ frame(B)),
    "a model in it": (
        f'<model name="n">{pose(C)}{link("b", pose=pose(B))}</model>',
        "",
        frame(D) @ frame(C) @ frame(B),
    ),
    "a model in it by a frame of its own": (
        '<model name="n" placement_frame="b">' + within(C, "a") + link("b", pose=pose(B)) + "</model>",
        "",
        frame(D) @ frame(A) @ frame(C),
    ),
    "what stands in a model": (
        f'<model name="n">{pose(C)}{link("x", pose=pose(A))}</model>' + link("b", pose=within(B, "n::x")),
        "",
        frame(D) @ frame(C) @ frame(A) @ frame(B),
    ),
}


@pytest.mark.parametrize(("inside", "attributes", "expected"), FRAMES.values(), ids=FRAMES)
def test_poses_by_products_of_matrices(inside, attributes, expected):
    system = read(model(TWO + inside, attributes, before=pose(D))).system
    body = next(name for name in ("b", "n::b") if name in {x.name for x in system.bodies})
    found = placed(system, dict.fromkeys(system.coordinate_names, 0.0))[body]
    np.testing.assert_allclose(found[:3], expected[:3], atol=3e-15)


@pytest.mark.parametrize(
    ("said", "attributes", "R"),
    [
        ("0 0 0 90 0 90", 'degrees="true"', turned("z", pi / 2) @ turned("x", pi / 2)),
        ("0 0 0 0 0 1 1", 'rotation_format="quat_xyzw"', turned("z", pi / 2)),
        ("0 0 0 3 0 0 0", 'rotation_format="quat_xyzw"', turned("x", pi)),
        ("0 0 0 0.1 0.2 0.3", 'rotation_format="euler_rpy"', frame("0 0 0 0.1 0.2 0.3")[:3, :3]),
    ],
)
def test_forms_of_turns(said, attributes, R):
    np.testing.assert_allclose(at(model(link(pose=pose(said, attributes))))[:, :3], R, atol=2e-16)


Q, P = 0.7, -0.4
OBLIQUE = np.array([1.0, 2.0, -2.0]) / 3
K = np.array([[0, -OBLIQUE[2], OBLIQUE[1]], [OBLIQUE[2], 0, -OBLIQUE[0]], [-OBLIQUE[1], OBLIQUE[0], 0]])
ABOUT = np.eye(4)
ABOUT[:3, :3] = np.eye(3) + np.sin(Q) * K + (1 - np.cos(Q)) * (K @ K)
ALONG = np.eye(4)
ALONG[:3, 3] = Q * OBLIQUE


def of(*turns: tuple[str, float]) -> np.ndarray:
    made = np.eye(4)
    for axis, angle in turns:
        made[:3, :3] = made[:3, :3] @ turned(axis, angle)
    return made


def along(axis: int, by: float) -> np.ndarray:
    made = np.eye(4)
    made[axis, 3] = by
    return made


OBLIQUELY = "<axis><xyz>1 2 -2</xyz></axis>"
XY = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
MOTIONS = {
    "revolute": (OBLIQUELY, {"j": Q}, ABOUT),
    "continuous": ("<axis/>", {"j": Q}, of(("z", Q))),
    "prismatic": (OBLIQUELY, {"j": Q}, ALONG),
    "universal": (XY, {"j_0": Q, "j_1": P}, of(("x", Q), ("y", P))),
    "revolute2": (XY, {"j_0": Q, "j_1": P}, of(("x", Q), ("y", P))),
    "ball": ("", {"j_RZ": Q, "j_RY": P, "j_RX": 0.2}, of(("z", Q), ("y", P), ("x", 0.2))),
    "screw": (AXIS, {"j": Q, "j_slide": 0.3}, of(("z", Q)) @ along(2, 0.3)),
    "fixed": ("", {}, np.eye(4)),
}


@pytest.mark.parametrize(("kind", "said"), MOTIONS.items(), ids=MOTIONS)
def test_motions_by_hand(kind, said):
    """The child stands as in the file at zero; the joint, in its frame, moves it, outward or against its direction."""
    inside, q, motion = said
    parts = link("p", pose=pose(A)) + joint("fixed", "world p", "", "held") + link(pose=pose(B))
    moved = frame(A) @ np.linalg.inv(frame(A)) @ frame(B) @ frame(C) @ motion @ np.linalg.inv(frame(C))
    found = at(model(parts + joint(kind, "p a", pose(C) + inside)), q)
    np.testing.assert_allclose(found, moved[:3], atol=2e-15)
    parts = link("p", pose=pose(A)) + link(pose=pose(B))
    back = frame(A) @ frame(C) @ np.linalg.inv(motion) @ np.linalg.inv(frame(A) @ frame(C)) @ frame(B)
    ends = joint("fixed", "world p", "", "held") + joint(kind, "a p", pose(C) + inside)
    np.testing.assert_allclose(at(model(parts + ends), q), back[:3], atol=2e-15)


@pytest.mark.parametrize(
    ("said", "version", "R"),
    [
        ('<xyz expressed_in="__model__">0 0 1</xyz>', "1.9", np.eye(3)),
        ('<xyz expressed_in="f">0 0 1</xyz>', "1.9", frame(C)[:3, :3]),
        ("<xyz>0 0 1</xyz>", "1.9", frame(B)[:3, :3]),
        ("<xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame>", "1.6", np.eye(3)),
        ("<xyz>0 0 1</xyz><use_parent_model_frame>0</use_parent_model_frame>", "1.6", frame(B)[:3, :3]),
        ("<xyz>0 0 1</xyz>", "1.5", frame(B)[:3, :3]),
        ("<xyz>0 0 1</xyz>", "1.4", np.eye(3)),
    ],
)
def test_axes_in_frames(said, version, R):
    parts = link(pose=pose(B)) + joint(inside=f"<axis>{said}</axis>")
    parts += f'<frame name="f">{pose(C)}</frame>' if "expressed_in" in said else ""
    turn = R @ turned("z", Q) @ R.T @ frame(B)[:3, :3]
    found = at(model(parts, version=version), {"j": Q})
    np.testing.assert_allclose(found, np.c_[turn, frame(B)[:3, 3]], atol=2e-15)


@pytest.mark.parametrize("version", ["1.4", "1.5"])
def test_gravity_of_old_worlds_stands_in_their_physics(version):
    world = "<physics type='ode'><gravity>0 0 -1.5</gravity></physics>"
    text = '<sdf version="{}"><world name="w">{}<model name="x">{}</model></world></sdf>'
    old, new = (read(text.format(v, world, link())).system for v in (version, "1.6"))
    assert old.gravity is not None and old.gravity.value is number("1.5")
    assert new.gravity is not None and new.gravity.value is number("9.8")


@pytest.mark.parametrize("version", ["1.5", "1.7"])
def test_names_of_flattened_models_have_two_colons(version):
    parts = link("arm::a", pose=pose(B)) + joint(ends="world arm::a", inside=AXIS, name="arm::j")
    system = read(model(parts, version=version)).system
    assert [b.name for b in system.bodies] == ["arm::a"] and system.coordinate_names == ("arm::j",)
    assert mbconcord.check(
        read(model(parts, version=version)), states=1, formalisms=["lagrange", "newton_euler"]
    ).stands


def test_a_screw_is_a_row_of_a_shift_and_a_turn():
    system = read(model(link() + joint("screw", inside=AXIS + "<screw_thread_pitch>0.3</screw_thread_pitch>"))).system
    (row,) = system.constraints
    assert isinstance(row, Holonomic)
    value = evaluate_float(row.expression, {"j": 2 * pi, "j_slide": 0.5})
    assert value == pytest.approx(0.2, abs=1e-16)


def test_a_mimic_by_hand():
    """q = -2 (leader - 0.1) + 0.3."""
    copy = (
        "<axis><xyz>0 0 1</xyz><mimic joint='l' axis='axis2'><multiplier>-2</multiplier><offset>0.3</offset>"
        "<reference>0.1</reference></mimic></axis>"
    )
    parts = link() + joint("universal", inside=XY, name="l") + link("b") + joint("revolute", "a b", copy)
    (row,) = read(model(parts)).system.constraints
    assert isinstance(row, Holonomic)
    assert row.name == "j_mimic"
    assert evaluate_float(row.expression, {"j": 0.5, "l_1": 0.7, "l_0": 9.0}) == pytest.approx(0.5 + 1.2 - 0.3)


@pytest.mark.parametrize("version", ["1.5", "1.6", "1.9"])
def test_a_pose_may_name_with_frame_what_it_stands_in(version):
    """Where both meanings of the attribute, to act and to be ignored, are one."""
    inertial = MASS.replace("<mass>", pose("0.1 0 0 0 0 0", "frame='a'") + "<mass>")
    inside = link(inside=inertial, pose=pose(A, "frame='__model__'")) + joint(
        "revolute", inside=AXIS + pose(B, "frame='a'")
    )
    plain = inside.replace("frame='a'", "").replace("frame='__model__'", "")
    found, expected = (read(model(text, version=version)).system for text in (inside, plain))
    assert found.bodies == expected.bodies


def test_a_pose_of_old_that_names_a_frame_is_read_as_programs_do_with_a_warning():
    inside = link("b", pose=pose(A)) + link(pose=within(B, "b"))
    old, new = (read(model(inside, version=version)) for version in ("1.6", "1.7"))
    assert old.system.bodies == new.system.bodies
    assert [
        ("relative_to is of SDF 1.7" in str(d), d.severity) for d in old.diagnostics if "relative_to" in str(d)
    ] == [(True, "warning")]
    assert not [d for d in new.diagnostics if "relative_to" in str(d)]


def test_joints_name_what_stands_in_models_within_models():
    """Links, joints and frames by :: from 1.8 on, two models deep; the second reading finds the same."""
    inner = f"<model name='k'><pose>{A}</pose>{link()}<frame name='f' attached_to='a'><pose>{B}</pose></frame></model>"
    inside = f"<model name='n'><pose>{C}</pose>{inner}</model>" + link("b", pose=within(D, "n::k::f"))
    inside += joint("revolute", "world n::k::f") + joint("revolute", "n::k b", name="q")
    found = read(model(inside, version="1.8"))
    assert [(b.name, b.parent) for b in found.system.bodies] == [("n::k::a", None), ("b", "n::k::a")]
    at_zero = placed(found.system, {"j": 0.0, "q": 0.0})
    np.testing.assert_allclose(at_zero["b"], frame(C) @ frame(A) @ frame(B) @ frame(D), atol=1e-14)
    checked = mbconcord.check(found, states=2, formalisms=["lagrange", "newton_euler"], claims=["second_reading"])
    verdicts = {c.quantity: c.verdict for c in checked.comparisons if c.quantity.startswith("text:")}
    assert checked.stands and verdicts["text: poses"] == "agrees", verdicts


def gearbox(inside: str, ends: str = "a b", axes: str = "0 0 1 / 0 0 1") -> str:
    """A gearbox between two links; the axes are those of ``axis`` and ``axis2``."""
    one, two = axes.split(" / ")
    return joint("gearbox", ends, f"<axis><xyz>{one}</xyz></axis><axis2><xyz>{two}</xyz></axis2>{inside}", "g")


AGAINST = "<gearbox_reference_body>{}</gearbox_reference_body>"
RATIO = "<gearbox_ratio>3</gearbox_ratio>"
#: Links of a gear train, how they turn, the gearbox -> the row at the turns p of a and q of b, by what SDFormat
#: documents: the turn of the child against the reference body is minus the ratio times that of the parent.
TRAIN = link("c") + link("a") + link("b") + joint("fixed", "world c", "", "f")
OUT = TRAIN + joint("revolute", "c a", name="p") + joint("continuous", "c b", name="q")
AWAY = OUT.replace("<xyz>0 0 1</xyz>", "<xyz>0 0 -2</xyz>", 1)
IN = TRAIN + joint("revolute", "a c", name="p") + joint("continuous", "c b", name="q")
TURNED = OUT.replace('<link name="b">', '<link name="b"><pose>1 0 0 1.5707963267948966 0 0</pose>', 1)
FOLDED = TRAIN + joint("revolute", "c a", name="p") + joint("revolute", "a b", name="q")
GEARS = {
    "as documented": (OUT + gearbox(RATIO + AGAINST.format("c")), lambda p, q: q + 3 * p),
    "without a ratio": (OUT + gearbox(AGAINST.format("c")), lambda p, q: q + p),
    "against the world": (OUT + gearbox(RATIO + AGAINST.format("world")), lambda p, q: q + 3 * p),
    "child first": (OUT + gearbox(RATIO + AGAINST.format("c"), "b a"), lambda p, q: p + 3 * q),
    "an axis of the joint the other way": (AWAY + gearbox(RATIO + AGAINST.format("c")), lambda p, q: q - 3 * p),
    "axes of the gearbox the other way": (
        OUT + gearbox(RATIO + AGAINST.format("c"), axes="0 0 -1 / 0 0 3"), lambda p, q: q - 3 * p
    ),
    "a joint from the other side": (IN + gearbox(RATIO + AGAINST.format("c")), lambda p, q: q - 3 * p),
    "a turned child, in whose frame the axes stand": (
        TURNED + gearbox(RATIO + AGAINST.format("c"), axes="0 1 0 / 0 0 1"), lambda p, q: q + 3 * p
    ),
    "the reference between": (FOLDED + gearbox(RATIO + AGAINST.format("a"), "c b"), lambda p, q: q - 3 * p),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "expected"), GEARS.values(), ids=GEARS)
def test_gearboxes_by_hand(inside, expected):
    found = read(model(inside))
    (row,) = found.system.constraints
    assert isinstance(row, Holonomic) and row.name == "g_gearbox"
    for p, q in ((0.3, 0.0), (0.0, -0.7), (0.2, 1.1)):
        assert evaluate_float(row.expression, {"p": p, "q": q}) == pytest.approx(expected(p, q), abs=1e-15)
    assert not [o for o in found.system.omissions if o.acts]
    checked = mbconcord.check(found, states=2, formalisms=["lagrange", "newton_euler"], claims=["second_reading"])
    verdicts = {c.quantity: c.verdict for c in checked.comparisons if c.quantity.startswith("text:")}
    assert checked.stands and verdicts["text: constraints"] == "agrees", verdicts


def test_springs_damping_and_rotors_by_hand():
    """-3 (q - 0.2) - 0.5 q' along the second axis; 90² · 2e-5 behind gears along the first of another joint."""
    acts = "<dynamics><damping>0.5</damping><spring_stiffness>3</spring_stiffness>"
    acts += "<spring_reference>0.2</spring_reference>"
    axes = f"<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz>{acts}</dynamics></axis2>"
    rotor = "<drake:rotor_inertia>2e-5</drake:rotor_inertia><drake:gear_ratio>90</drake:gear_ratio>"
    parts = link() + joint("universal", inside=axes) + link("b") + joint("revolute", "a b", AXIS + rotor, "k")
    system = read(model(parts).replace("<sdf ", '<sdf xmlns:drake="x" ')).system
    state = State(q={"j_0": 0.3, "j_1": 0.4, "k": 0.0}, v={"j_0": 1.0, "j_1": -2.0, "k": 0.0})
    found = numbers(system, state)
    np.testing.assert_allclose(found["applied"], [0, -3 * 0.2 + 0.5 * 2, 0], atol=1e-15)
    assert found["M"][2, 2] == pytest.approx(0.03 + 8100 * 2e-5)
    assert [force.name for force in system.forces if isinstance(force, JointEffort)] == ["j_1_spring", "j_1_damping"]


def test_gravity_of_a_link_that_is_off():
    system = read(
        model(link(inside=MASS + "<gravity>false</gravity>") + joint(inside="<axis><xyz>1 0 0</xyz></axis>"))
    ).system
    (force,) = system.forces
    assert isinstance(force, PointForce)
    found = numbers(system, State(q={"j": 0.3}, v={"j": 0.0}))
    np.testing.assert_allclose(found["gravity"] + found["applied"], 0, atol=1e-15)


def test_a_link_that_nothing_carries_is_free_and_those_of_a_static_model_are_fixed():
    free = read(model(link(pose=pose(A)))).system
    assert free.coordinate_names == ("a_TX", "a_TY", "a_TZ", "a_RZ", "a_RY", "a_RX")
    fixed = read(model("<static>1</static>" + link(pose=pose(A)) + link("b") + joint("revolute", "a b"))).system
    assert fixed.coordinate_names == ()
    np.testing.assert_allclose(placed(fixed, {})["a"][:3], frame(A)[:3], atol=1e-15)


def test_a_loop_is_a_tree_and_a_closure():
    parts = link() + link("b", pose=pose("1 0 0 0 0 0.5")) + joint() + joint("revolute", "a b", name="k")
    system = read(model(parts + joint("ball", "world b", "", "last"))).system
    assert system.coordinate_names == ("j", "k")
    (closure,) = system.constraints
    assert isinstance(closure, FrameCoincidence)
    assert (closure.name, closure.auxiliary) == ("last", ("last_RZ", "last_RY", "last_RX"))
    assert residual(system, {"j": 0.0, "k": 0.0}) == pytest.approx(0, abs=1e-15)
    assert residual(system, {"j": 0.3, "k": 0.0}) > 0.1


def residual(system, q: dict[str, float]) -> float:
    """How far apart the frames of a closure are whose own coordinates are zero."""
    (closure,), at = system.constraints, placed(system, q) | {None: np.eye(4)}
    ends = []
    for end in (closure.first, closure.second):
        pose = compose_pose(et for et in end.transformations if et.coordinate is None)
        ends.append(at[end.body][:3, :3] @ pose.p + at[end.body][:3, 3])
    return float(np.abs(ends[0] - ends[1]).max())


def test_two_links_that_carry_one_are_a_tree():
    """What hangs on no joint is free once; the other is passed from its child, moved against the joint's direction."""
    parts = link() + link("b", pose=pose(A)) + link("c", pose=pose(B))
    system = read(model(parts + joint("revolute", "a c") + joint("revolute", "b c", name="k"))).system
    assert [(b.name, b.parent) for b in system.bodies] == [("a", None), ("c", "a"), ("b", "c")]
    assert system.coordinate_names == (*(f"a_{x}" for x in ("TX", "TY", "TZ", "RZ", "RY", "RX")), "j", "k")


def test_names_of_models_in_a_world():
    one = f'<model name="x">{link()}{joint()}</model>'
    alone = read(f'<sdf version="1.9"><world name="w">{one}</world></sdf>').system
    assert (alone.name, alone.bodies[0].name, alone.coordinate_names) == ("x", "a", ("j",))
    other = f'<model name="y"><model name="n">{link()}{joint()}</model></model>'
    both = read(f'<sdf version="1.9"><world name="w">{one}{other}</world></sdf>').system
    assert [b.name for b in both.bodies] == ["x::a", "y::n::a"]
    assert both.coordinate_names == ("x::j", "y::n::j")
    assert both.name == "w"


@pytest.mark.parametrize(
    ("world", "expected"),
    [("<gravity>1 -2 2</gravity>", ("3", (1, -2, 2))), ("", ("9.8", (0, 0, -9.8))), ("<gravity>0 0 0</gravity>", None)],
)
def test_gravity(world, expected):
    system = read(f'<sdf version="1.9"><world name="w">{world}<model name="x">{link()}</model></world></sdf>').system
    if expected is None:
        assert system.gravity is None
    else:
        assert system.gravity is not None
        assert system.gravity.value is number(expected[0])
        values = [evaluate_float(x, {}) for x in system.gravity_vector]
        np.testing.assert_allclose(values, expected[1], atol=1e-15)
    assert read(model(link())).system.gravity.value is number("9.81")
