"""SDF: what its elements mean in numbers, what is left out of the model, what is refused and where."""

from __future__ import annotations

import json
from math import pi
from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.converters.floats import multiplied
from mbconcord.converters.registry import Reading
from mbconcord.fixtures import folder
from mbconcord.model import FrameCoincidence, Holonomic, JointEffort, PointForce, ReadError, State
from mbconcord.model.expressions import evaluate_float, number

from ..um.um_files import placed
from .test_mjcf import VECTORS, numbers, seen

NAMES = [p.stem for p in sorted(VECTORS.glob("*.sdf"))]
FILES = sorted((folder() / "sdf").glob("*.sdf"))
MASS = "<inertial><mass>2</mass><inertia><ixx>0.05</ixx><iyy>0.04</iyy><izz>0.03</izz></inertia></inertial>"
AXIS = "<axis><xyz>0 0 1</xyz></axis>"


def read(text: str, file: str = "-") -> Reading:
    return registry.read_text(text, file, "sdf")


def model(inside: str, attributes: str = "", version: str = "1.11", before: str = "") -> str:
    return f'<sdf version="{version}"><model name="m" {attributes}>{before}{inside}</model></sdf>'


def link(name: str = "a", inside: str = MASS, pose: str = "") -> str:
    return f'<link name="{name}">{pose}{inside}</link>'


def joint(kind: str = "revolute", ends: str = "world a", inside: str = AXIS, name: str = "j") -> str:
    parent, child = ends.split()
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def pose(said: str, attributes: str = "") -> str:
    return f"<pose {attributes}>{said}</pose>"


def within(said: str, name: str) -> str:
    return pose(said, f'relative_to="{name}"')


def at(text: str, q: dict[str, float] | None = None, body: str = "a") -> np.ndarray:
    """Rotation and position of a body of a text, (3, 4)."""
    system = read(text).system
    return placed(system, dict.fromkeys(system.coordinate_names, 0.0) | (q or {}))[body][:3]


def turned(axis: str, angle: float) -> np.ndarray:
    """The matrix of a turn about x, y or z, written out here."""
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def frame(text: str) -> np.ndarray:
    """The matrix (4, 4) of x y z roll pitch yaw: Rz Ry Rx."""
    *p, r, y, z = map(float, text.split())
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turned("z", z) @ turned("y", y) @ turned("x", r), p
    return made


# --- vectors --------------------------------------------------------------------------------------------


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
    for name, pose in expected["poses"].items():
        if name in poses:
            np.testing.assert_allclose(poses[name][:3], np.c_[pose["R"], pose["p"]], atol=3e-15)


# --- frames ---------------------------------------------------------------------------------------------

A, B, C, D = (
    "1 2 3 0.1 0.2 0.3",
    "0.4 0.5 0.6 -0.3 0.2 0.1",
    "0.1 -0.2 0.3 0.2 0.4 -0.1",
    "-1 0 2 0.5 -0.6 0.7",
)
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
        link("b", pose=within(B, "f"))
        + '<frame name="f" attached_to="a">'
        + within(C, "__model__")
        + "</frame>",
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
    "a placed link": (
        link("b", pose=pose(B)),
        'placement_frame="a"',
        frame(D) @ np.linalg.inv(frame(A)) @ frame(B),
    ),
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


# --- joints ---------------------------------------------------------------------------------------------

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
    ],
)
def test_axes_in_frames(said, version, R):
    parts = link(pose=pose(B)) + joint(inside=f"<axis>{said}</axis>")
    parts += f'<frame name="f">{pose(C)}</frame>' if "expressed_in" in said else ""
    turn = R @ turned("z", Q) @ R.T @ frame(B)[:3, :3]
    found = at(model(parts, version=version), {"j": Q})
    np.testing.assert_allclose(found, np.c_[turn, frame(B)[:3, 3]], atol=2e-15)


def test_a_screw_is_a_row_of_a_shift_and_a_turn():
    system = read(
        model(link() + joint("screw", inside=AXIS + "<screw_thread_pitch>0.3</screw_thread_pitch>"))
    ).system
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
    assert evaluate_float(row.expression, {"j": 0.5, "l_1": 0.7, "l_0": 9.0}) == pytest.approx(
        0.5 + 1.2 - 0.3
    )


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
    assert [force.name for force in system.forces if isinstance(force, JointEffort)] == [
        "j_1_spring",
        "j_1_damping",
    ]


def test_gravity_of_a_link_that_is_off():
    system = read(
        model(link(inside=MASS + "<gravity>false</gravity>") + joint(inside="<axis><xyz>1 0 0</xyz></axis>"))
    ).system
    (force,) = system.forces
    assert isinstance(force, PointForce)
    found = numbers(system, State(q={"j": 0.3}, v={"j": 0.0}))
    np.testing.assert_allclose(found["gravity"] + found["applied"], 0, atol=1e-15)


# --- trees ----------------------------------------------------------------------------------------------


def test_a_link_that_nothing_carries_is_free_and_those_of_a_static_model_are_fixed():
    free = read(model(link(pose=pose(A)))).system
    assert free.coordinate_names == ("a_TX", "a_TY", "a_TZ", "a_RZ", "a_RY", "a_RX")
    fixed = read(
        model("<static>1</static>" + link(pose=pose(A)) + link("b") + joint("revolute", "a b"))
    ).system
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
        pose = multiplied(et for et in end.transformations if et.coordinate is None)
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
    [
        ("<gravity>1 -2 2</gravity>", ("3", (1, -2, 2))),
        ("", ("9.8", (0, 0, -9.8))),
        ("<gravity>0 0 0</gravity>", None),
    ],
)
def test_gravity(world, expected):
    system = read(
        f'<sdf version="1.9"><world name="w">{world}<model name="x">{link()}</model></world></sdf>'
    ).system
    if expected is None:
        assert system.gravity is None
    else:
        assert system.gravity is not None
        assert system.gravity.value is number(expected[0])
        values = [evaluate_float(x, {}) for x in system.gravity_vector]
        np.testing.assert_allclose(values, expected[1], atol=1e-15)
    assert read(model(link())).system.gravity.value is number("9.81")


# --- inertia --------------------------------------------------------------------------------------------

SHAPES = {  # mass per density, moments per mass: by hand, of whole lengths
    "<box><size>2 4 6</size></box>": (48, [13 / 3, 10 / 3, 5 / 3]),
    "<sphere><radius>0.5</radius></sphere>": (pi / 6, [0.1, 0.1, 0.1]),
    "<cylinder><radius>2</radius><length>6</length></cylinder>": (24 * pi, [4, 4, 2]),
    "<ellipsoid><radii>1 2 3</radii></ellipsoid>": (8 * pi, [13 / 5, 10 / 5, 1]),
    "<capsule><radius>1</radius><length>6</length></capsule>": (
        22 / 3 * pi,
        [(6 * (3 + 36) / 12 + 4 / 3 * (0.4 + 9 / 4 + 9)) / (22 / 3)] * 2 + [(3 + 8 / 15) / (22 / 3)],
    ),
}


@pytest.mark.parametrize(("said", "expected"), SHAPES.items(), ids=SHAPES)
@pytest.mark.parametrize(("inertial", "collision", "density"), [("", "", 1000), ("3", "", 3), ("3", "5", 5)])
def test_inertia_of_shapes_by_hand(said, expected, inertial, collision, density):
    mass, moments = expected
    inertial, collision = (f"<density>{x}</density>" if x else "" for x in (inertial, collision))
    turn = within("1 0 0 0 0 1.5707963267948966", "f")
    text = link(
        inside=f'<inertial auto="true">{inertial}</inertial><collision name="c">{collision}{turn}'
        f"<geometry>{said}</geometry></collision>"
    )
    own = (
        read(model(text + f'<frame name="f" attached_to="a">{pose("0 2 0 0 0 0")}</frame>'))
        .system.bodies[0]
        .inertia
    )
    found = [evaluate_float(x, {}) for x in (own.mass, *own.centre, *own.tensor)]
    y, x, z = moments
    wanted = [1, *np.array([1, 2, 0]) / (density * mass), x, y, z, 0, 0, 0]
    np.testing.assert_allclose(np.array(found) / (density * mass), wanted, rtol=1e-14, atol=1e-14)


def test_what_is_not_said_of_inertia_is_one():
    silent = read(model(link(inside=""))).system.bodies[0].inertia
    assert [evaluate_float(x, {}) for x in (silent.mass, *silent.tensor)] == [1, 1, 1, 1, 0, 0, 0]
    half = (
        read(model(link(inside="<inertial><inertia><ixx>3</ixx></inertia></inertial>")))
        .system.bodies[0]
        .inertia
    )
    assert [evaluate_float(x, {}) for x in (half.mass, *half.tensor)] == [1, 3, 1, 1, 0, 0, 0]


# --- what is left out -----------------------------------------------------------------------------------

ROUGH = "<axis><xyz>0 0 1</xyz><dynamics><friction>2</friction></dynamics></axis>"
STOP = "<axis><xyz>0 0 1</xyz><limit><lower>0</lower></limit></axis>"
DAMPED = "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>"
FLUID = "<inertial><mass>1</mass><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>"
MESH = '<collision name="c"><geometry><mesh><uri>x</uri></mesh></geometry></collision>'
LEFT_OUT = {
    "friction": (link() + joint(inside=ROUGH), "joint-friction/j", "forces"),
    "a stop": (link() + joint(inside=STOP), "joint-limit/j", "none"),
    "a shape": (link(inside=MASS + '<visual name="v"/>'), "image/v", "none"),
    "a plugin": (link() + '<plugin name="p" filename="x"/>', "extension/p", "unknown"),
    "another's words": (link(inside=MASS + "<gz:x/>"), "extension/a", "unknown"),
    "an unknown word": (link(inside=MASS + "<colour/>"), "block/a", "unknown"),
    "an unknown attribute": (link().replace("<link ", '<link kind="x" '), "attribute/a", "unknown"),
    "wind": (link(inside=MASS + "<enable_wind>true</enable_wind>"), "medium/a", "forces"),
    "no wind": (link(inside=MASS + "<enable_wind>0</enable_wind>"), "medium/a", "none"),
    "decay": (link(inside=MASS + "<velocity_decay><linear>0.1</linear></velocity_decay>"), "medium/a", "forces"),
    "fluid": (link(inside=FLUID), "medium/a", "inertia"),
    "a mesh that should weigh": (
        link(inside='<inertial auto="1"/>' + MESH),
        "computed-inertia/c",
        "inertia",
    ),
    "a second inertial": (link(inside=MASS * 2), "block/a", "unknown"),
    "damping where a loop closes": (
        link() + joint() + joint(inside=DAMPED, name="k"),
        "joint-damping/k",
        "forces",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("inside", "place", "effect"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_is_left_out(inside, place, effect):
    system = read(model(inside).replace("<sdf ", '<sdf xmlns:gz="x" ')).system
    assert (place, effect) in {(o.place, o.effect) for o in system.omissions}


# --- refused --------------------------------------------------------------------------------------------

REFUSED = {
    "another root": ('<robot name="r"/>', (1, 1), ("<robot>", "expected <sdf>")),
    "no version": ("<sdf><model name='m'/></sdf>", (1, 1), ("version of <sdf>", "1.6 to 1.12")),
    "an old version": ("<sdf version='1.4'><model name='m'/></sdf>", (1, 1), ("SDF 1.4", "gz sdf")),
    "nothing": ('<sdf version="1.9"/>', (1, 1), ("without <model>",)),
    "several models": (
        '<sdf version="1.9">\n<model name="a"/>\n<model name="b"/></sdf>', (3, 1), ("'b'", "of its own")
    ),
    "an unknown type": (model("\n" + link() + "\n" + joint("hinge")), (3, 1), ("'hinge'", "known:")),
    "a gearbox": (model("\n" + joint("gearbox") + link()), (2, 1), ("'gearbox'", "apart")),
    "no axis": (model("\n" + joint(inside="") + link()), (2, 1), ("has no <axis>",)),
    "a zero axis": (model(link() + joint(inside="<axis>\n<xyz>0 0 0</xyz></axis>")), (2, 1), ("no direction",)),
    "no child": (model('\n<joint name="j" type="fixed"><parent>a</parent></joint>' + link()), (2, 1), ("no <child>",)),
    "an unknown link": (model(link() + joint(ends="world\n a")).replace("<child>", "\n<child>b"), (2, 1), ("'ba'",)),
    "an unknown frame": (model(link(pose=pose("", "\nrelative_to='x'"))), (1, 53), ("no frame 'x'",)),
    "a circle of poses": (
        model(link(pose=pose("", "relative_to='f'")) + "\n<frame name='f'><pose relative_to='a'/></frame>"), (1, 38),
        ("'a' is given by itself",),
    ),
    "a circle of attachments": (
        model(link() + "\n<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), (2, 1), ("itself",)
    ),
    "a joint of one link": (model(link() + "\n" + joint(ends="a a")), (2, 1), ("with itself",)),
    "a name twice": (model(link() + "\n" + link()), (2, 1), ("the name of the link in line 1",)),
    "a name of two things": (model(link() + "\n" + joint(name="a")), (2, 1), ("'a' has the name of the link",)),
    "a reserved name": (model("\n" + link("world")), (2, 1), ("name of SDF's own",)),
    "a negative mass": (model(link(inside="<inertial>\n<mass>-2</mass></inertial>")), (2, 1), ("-2 kg",)),
    "units": (model(link(inside="<inertial>\n<mass>2kg</mass></inertial>")), (2, 1), ("'2kg'",)),
    "five numbers": (model(link(pose="\n<pose>0 0 0 0 0</pose>")), (2, 1), ("expected 6 numbers",)),
    "a zero quaternion": (
        model(link(pose="\n<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>")), (2, 1), ("has a length",)
    ),
    "an unknown truth": (model(link() + "\n<static>yes</static>"), (2, 1), ("'yes'", "known: true")),
    "a mimic of itself": (
        model(link() + joint(inside="<axis><xyz>0 0 1</xyz>\n<mimic joint='j'/></axis>")), (2, 1), ("itself",)
    ),
    "a mimic of nothing": (
        model(link() + joint(inside="<axis><xyz>0 0 1</xyz>\n<mimic joint='x'/></axis>")), (2, 1), ("no joint 'x'",)
    ),
    "a shape without extent": (
        model(link(inside="<inertial auto='1'/><collision name='c'><geometry>\n<sphere><radius>0</radius></sphere>"
                          "</geometry></collision>")), (2, 1), ("without extent",),
    ),
    "mass beside auto": (
        model(link(inside="\n<inertial auto='1'><mass>1</mass></inertial>")), (2, 1), ("beside auto",)
    ),
    "an entity": ('<!DOCTYPE x [<!ENTITY a "b">]><sdf version="1.9"/>', (1, 13), ("document type",)),
    "an inclusion from standard input": (model("\n<include><uri>x.sdf</uri></include>"), (2, 1), ("standard input",)),
}  # fmt: skip


@pytest.mark.parametrize(("text", "where", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_and_where(text, where, words):
    with pytest.raises(ReadError) as caught:
        read(text)
    places = {(d.location.line, d.location.column) for d in caught.value.diagnostics if d.location}
    said = str(caught.value)
    assert where in places, said
    assert all(word in said for word in words), said


# --- files that are included ----------------------------------------------------------------------------


def included(tmp_path: Path, uri: str, more: str = "", own: str = "") -> Path:
    inner = tmp_path / "leg"
    inner.mkdir()
    (inner / "model.sdf").write_text(
        model(f'{own}{link(pose=pose(B))}<frame name="f">{pose(C)}</frame>'), "utf-8"
    )
    path = tmp_path / "robot.sdf"
    path.write_text(model(link("t") + f"<include><uri>{uri}</uri>{more}</include>"), "utf-8")
    return path


PACKAGED = "<sdf version='1.9'>{}</sdf>"


@pytest.mark.parametrize("uri", ["model://legs/left", "package://legs/left/model.sdf", "package://legs/left"])
@pytest.mark.parametrize("named", ["robots", "robots/legs"])
def test_a_model_of_a_package_is_included(tmp_path, uri, named):
    (tmp_path / "robots" / "legs").mkdir(parents=True)
    here, there = tmp_path / "here", tmp_path / "robots" / "legs"
    here.mkdir()
    inside = registry.read(included(here, "leg")).system
    (here / "leg").rename(there / "left")
    path = here / "robot.sdf"
    path.write_text(path.read_text("utf-8").replace("<uri>leg<", f"<uri>{uri}<"), "utf-8")
    assert registry.read(path, package_path=[tmp_path / named]).system.bodies == inside.bodies
    with pytest.raises(ReadError, match=r"robot\.sdf:\d+:\d+: error"):
        registry.read(path)


@pytest.mark.parametrize(
    "uri", ["package://legs/../secret", "package://../secret", "model://legs/../secret", "package://arms"]
)
def test_what_stands_outside_of_packages_is_refused(tmp_path, uri):
    for name in ("here", "robots/legs", "robots/secret"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "robots" / "secret" / "model.sdf").write_text(PACKAGED.format(""), "utf-8")
    path = included(tmp_path / "here", uri)
    with pytest.raises(ReadError, match="no such file in a package that is named"):
        registry.read(path, package_path=[tmp_path / "robots"])


@pytest.mark.parametrize("uri", ["leg", "leg/model.sdf", "model://leg"])
def test_a_model_that_is_included(tmp_path, uri):
    placement = within(D, "t") + "<placement_frame>f</placement_frame>"
    more = f"<name>one</name>{placement}<static>true</static>"
    system = registry.read(included(tmp_path, uri, more)).system
    found = placed(system, dict.fromkeys(system.coordinate_names, 0.0))["one::a"]
    expected = frame(D) @ np.linalg.inv(frame(C)) @ frame(B)
    np.testing.assert_allclose(found[:3], expected[:3], atol=2e-15)
    assert "sdf:text" not in system.metadata  # the text alone does not say the model


@pytest.mark.parametrize(
    ("uri", "more", "words"),
    [
        ("../leg", "", "from outside the folder"),
        ("/etc/hostname", "", "from outside the folder"),
        ("foot", "", "No such file"),
        ("", "", "without <uri>"),
        ("robot.sdf", "", "includes itself"),
    ],
)
def test_inclusions_that_are_refused(tmp_path, uri, more, words):
    path = included(tmp_path, uri, more)
    with pytest.raises(ReadError, match=words):
        registry.read(path)


def test_a_model_that_is_merged_is_refused(tmp_path):
    path = included(tmp_path, "leg")
    path.write_text(path.read_text("utf-8").replace("<include>", '<include merge="true">'), "utf-8")
    with pytest.raises(ReadError, match="is merged"):
        registry.read(path)


# --- what is said ---------------------------------------------------------------------------------------


NO_MASS = "<inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        (link(inside=""), "SDF takes 1 kg"),
        (link(inside=NO_MASS), "nothing on it has mass"),
        (link(pose=pose("0 0 0 90 0 0")), "more than two turns"),
        (link(pose=pose("0 0 0 1 0 0 1", 'rotation_format="quat_xyzw"')), "not of the length 1"),
        (link() + joint("revolute", "a world"), "the child of the joint 'j' is the world"),
        (link() + joint("screw", inside=AXIS + "<thread_pitch>3</thread_pitch>"), "old <thread_pitch>"),
        (link() + joint() + joint(name="k"), "closes a loop"),
        (link(), "a model without a world says none"),
    ],
)  # fmt: skip
def test_what_is_remarked(inside, words):
    assert any(words in d.message for d in read(model(inside)).diagnostics)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_place_of_a_file_is_known(path):
    reading = registry.read(path)
    places = {f"bodies/{b.name}/joint" for b in reading.system.bodies}
    places |= {f"coordinates/{n}" for n in reading.system.coordinate_names}
    places |= {
        f"{kind}/{x.name}"
        for kind in ("forces", "constraints", "armatures")
        for x in getattr(reading.system, kind)
    }
    assert places <= reading.locations.keys()
    assert all(at.line > 1 and at.file == str(path) for at in (reading.locations[p] for p in places))
