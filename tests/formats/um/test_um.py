"""input.dat of Universal Mechanism: what each block becomes, against facts of UM where they are known."""

from __future__ import annotations

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.model import FrameCoincidence, Point, Variable
from mbconcord.model.expressions import PI_NODE, ZERO, evaluate_float, number, symbol, to_text
from mbconcord.model.numbers import parameter_values

from ...work import at_most
from .um_files import (
    BODY,
    FACTS,
    HEAD,
    MODELS,
    REAL,
    WELD,
    X,
    Y,
    Z,
    elementary,
    initial,
    joint,
    model,
    one,
    placed,
    reading,
    real,
    steps,
    system,
    text,
)

JOINTS = [
    ("fixed", joint("6dof", "with jnt6dof; angles=312;"), []),
    (
        "six degrees, 312",
        joint("6dof", "with jnt6dof; angles=312; x0=1; y0=2; z0=a; angle10=90; angle20=0; angle30=45;"),
        [("t", X, "q1"), ("t", Y, "q2"), ("t", Z, "q3"), ("r", Z, "q4"), ("r", X, "q5"), ("r", Y, "q6")],
    ),
    (
        "some lines of six, Cardan(123)",
        joint("6dof", "with jnt6dof; angles=Cardan(123); z0=1; angle10=3; angle30=4;"),
        [("t", Z, "q1"), ("r", X, "q2"), ("r", Z, "q3")],
    ),
    (
        "frames on the bodies",
        joint("6dof", "with jnt6dof; position=1; p1x=a; p1z=1; position=2; p1y=b; position=0; angles=312; x0=0;"),
        [("t", X, "a"), ("t", Z, "1"), ("t", X, "q1"), ("t", Y, "-b")],
    ),
    (
        "turned frames",
        joint(
            "6dof",
            "with jnt6dof; position=1; p1x=a; p2y=3; axis1=1; angle1=90; position=2; p1x=1; axis1=3; angle1=30; "
            "position=0; angles=312; angle10=0;",
        ),
        [
            ("t", X, "a"), ("r", X, "0.5*pi"), ("t", Y, "3"), ("r", Z, "q1"), ("r", Z, "-pi/6"), ("t", X, "-1"),
        ],
    ),
    (
        "rotat",
        joint("rotat", one("0,0,1", "0,0,1", "ro1x=a; ro1y=b; ro2z=1; consta=90; x0=40;")),
        [("t", X, "a"), ("t", Y, "b"), ("r", Z, "0.5*pi"), ("r", Z, "q1"), ("t", Z, "-1")],
    ),
    (
        "rotat, e2 is carried to e1",
        joint("rotat", one("0,-1,0", "0,0,1", "ro2x=a;")),
        [("r", ("0", "-1", "0"), "q1"), ("r", X, "0.5*pi"), ("t", X, "-a")],
    ),
    (
        "transl",
        joint("transl", one("0,1,0", "0,1,0", "ro1z=1; ro2x=a; x0=0.3;")),
        [("t", Z, "1"), ("t", Y, "q1"), ("t", X, "-a")],
    ),
    (
        "comm",
        joint(
            "comm",
            "with et; type=tc; ex=a; ez=-b/2; with et; type=rc; ex=0; ey=0; ez= 1.; coord0=-4.5E1; "
            "with et; type=rv; ex=-1.; ey=0; ez=0; coord0=10; with et; type=tv; ex=0; ey=1.; ez=0; coord0=10;",
        ),
        [("t", X, "a"), ("t", Z, "-0.5*b"), ("r", Z, "-0.25*pi"), ("r", ("-1", "0", "0"), "q1"), ("t", Y, "q2")],
    ),
    (
        "disabled",
        joint(
            "comm",
            "with et; type=rv; enabled = false; ex=1.; ey=0; ez=0; coord0=0; with et; type=rv; ex=0; ey=1.; ez=0;",
        ),
        [("r", Y, "q1")],
    ),
    (
        "reversed comm",
        joint(
            "comm",
            "with et; type=tc; ey=a; with et; type=rc; ez=1.; coord0=30; with et; type=rv; ex=1.; coord0=20; "
            "with et; type=tv; ez=1.; coord0=5;",
            "B1",
            "Base0",
        ),
        [("t", Z, "q1"), ("r", X, "q2"), ("r", Z, "-pi/6"), ("t", Y, "-a")],
    ),
    (
        "reversed rotat",
        joint("rotat", one("0,1,0", "0,0,1", "ro1x=a; ro2y=1; consta=90;"), "B1", "Base0"),
        [("t", Y, "1"), ("r", ("-1", "0", "0"), "-0.5*pi"), ("r", Y, "q1"), ("r", Y, "-0.5*pi"), ("t", X, "-a")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("case", "text", "expected"), JOINTS, ids=[case for case, *_ in JOINTS])
def test_joints(case, text, expected):
    assert steps(model(text, WELD).system) == expected


def test_initial_values_are_degrees_and_metres():
    text = joint("6dof", "with jnt6dof; angles=312; x0=1; y0=2; z0=a; angle10=90; angle20=-35; angle30=45;")
    machine = model(text, WELD).system
    positions = [c.position for c in machine.coordinates]
    assert positions[:3] == [number(1), number(2), symbol("a")]
    assert positions[3:] == [PI_NODE / 2, -PI_NODE * 7 / 36, PI_NODE / 4]
    assert all(c.velocity is ZERO for c in machine.coordinates)
    slides = model(joint("transl", one("0,1,0", "0,1,0", "x0=0.3;")), WELD).system
    assert slides.coordinates[0].position is number("0.3")
    turns = model(joint("rotat", one("0,1,0", "0,1,0", "x0= 4.E1;")), WELD).system
    assert float(evaluate_float(turns.coordinates[0].position, {})) == 0.6981317007977318


def test_the_orientations_and_positions_of_um():
    machine = system("two_bodies")
    for s in FACTS["two_bodies"]["states"]:
        found = placed(machine, dict(zip(machine.coordinate_names, s["q"])))
        for body, name in (("first", "body1"), ("second", "body2")):
            assert np.allclose(found[body][:3, :3].T, s["bodies"][name]["Ai0"], atol=1e-14, rtol=0)
            assert np.allclose(found[body][:3, 3], s["bodies"][name]["position"], atol=1e-14, rtol=0)


def test_six_tips_stand_where_um_saved_them():
    machine, facts = system("six_legs"), FACTS["six_legs"]
    found = placed(machine, dict(zip(machine.coordinate_names, facts["q"])))
    for name, tip in facts["tips"].items():
        here = found[name] @ np.array([*facts["tip_in_segment"], 1])
        assert np.allclose(here[:3], tip, atol=2e-16 * 100, rtol=0)
        assert abs(here[2]) < 1e-6


def test_a_reversed_joint_turns_as_the_picture_shows():
    machine, facts = system("back_to_base"), FACTS["back_to_base"]
    start = initial(machine)
    found = placed(machine, start)
    expected = [0, 0, *list(facts["xv"].values())[:2], 0, 0, *list(facts["xv"].values())[2:]]
    assert np.allclose(list(start.values()), expected, atol=1e-17, rtol=0)
    middle = found["part2"]
    for name, degrees in facts["measured"].items():
        relative = np.linalg.inv(middle) @ found[name]
        angle = np.degrees(np.arctan2(relative[2, 1], relative[1, 1]))
        assert abs(angle - degrees) < facts["tolerance"]
    outer = np.linalg.inv(middle) @ found["part1"]
    assert outer[1, 3] > 0.4  # the transformations are reversed, so the part lies on the other side


def test_gravity_is_that_of_um():
    gravity = system("two_bodies").gravity
    assert gravity.value is number("9.81")
    assert tuple(map(to_text, gravity.vector)) == ("0", "0", "-9.81")
    assert abs(evaluate_float(gravity.value, {}) - FACTS["gravity"]["g"]) < FACTS["gravity"]["difference"]


GRAVITY = [
    ("autogravity=true;", "with egravity; gravityz=-1.0;", (0, 0, -9.81), False),
    ("autogravity=true;", "with egravity; gravityz=-9.8;", (0, 0, -9.81), True),
    ("autogravity=true;", "with egravity; gravityx=1; gravityz=;", (9.81, 0, 0), False),
    ("autogravity=false;", "with egravity; gravityz=-1.62;", (0, 0, -1.62), True),
    ("", "with egravity; gravityy=-2;", (0, -2, 0), True),
    ("autogravity=true;", "with egravity; gravityz=;", (0, 0, 0), False),
    ("autogravity=true;", "", (0, 0, 0), False),
]


@pytest.mark.parametrize(("main", "block", "expected", "warned"), GRAVITY)
def test_gravity(main, block, expected, warned):
    head = f"with main; {main}\nwith const; cnst=(a# 2); cnst=(b# 1);\n{block}\n"
    read = model(joint("6dof", "with jnt6dof; angles=312;"), WELD, head=head)
    assert [float(evaluate_float(g, {})) for g in read.system.gravity_vector] == list(expected)
    assert any("gravity" in d.message and d.severity == "warning" for d in read.diagnostics) == warned


def test_the_order_of_coordinates_is_that_of_the_joints_and_then_of_the_subsystems():
    machine = system("six_legs")
    legs = ["FL", "ML", "RL", "FR", "MR", "RR"]
    expected = [("", "jBase0_trunk", k) for k in ("x0", "y0", "z0", "angle10", "angle20", "angle30")]
    expected += [("", f"jtrunk_{leg}", "rotat") for leg in legs]
    expected += [(leg, j, "rotat") for leg in legs for j in ("jseg1_seg2", "jseg2_seg3")]
    found = machine.metadata["um:coordinates"]
    assert [(c["subsystem"], c["joint"], c["line"]) for c in found] == expected
    assert machine.coordinate_names == tuple(f"q{i}" for i in range(1, 25)) == tuple(c["name"] for c in found)


def test_names_of_subsystems():
    machine = system("six_legs")
    assert [b.name for b in machine.bodies][:4] == ["trunk", "FL.seg1", "FL.seg2", "FL.seg3"]
    parameters = {p.name: to_text(p.value) for p in machine.parameters}
    assert parameters["FL_l1"] == "0.05"
    assert machine.metadata["um:identifiers"]["FL_l1"] == "FL.l1"
    assert "moment_FL" not in machine.metadata["um:identifiers"]
    assert to_text(machine.body("MR.seg2").inertia.centre[0]) == "0.5*MR_l1"
    efforts = {f.name: to_text(f.effort) for f in machine.forces}
    assert efforts["RL.jseg1_seg2"] == "RL_moment_b"
    assert efforts["jtrunk_RR"] == "moment_RR"  # the file writes Moment_RR


def test_a_name_that_formulas_cannot_hold_is_changed_and_kept():
    text = HEAD.replace("cnst=(a# 2);", "cnst=(a# 2); cnst=(t# 4); cnst=(exp# t+1); cnst=(q1# 7);")
    machine = model(joint("rotat", one("0,0,1", "0,0,1", "ro1x=t+exp+q1;")), WELD, head=text).system
    assert [p.name for p in machine.parameters] == ["a", "t_", "exp_", "q1", "b"]
    assert machine.metadata["um:identifiers"] == {"t_": "t", "exp_": "exp"}
    assert machine.coordinate_names == ("q1_",)
    assert machine.body("B1").joint[0].amount is symbol("t_") + symbol("exp_") + symbol("q1")


def test_coordinates_take_the_names_of_their_scalar_forces_where_all_have_fitting_ones():
    law = 'with scalarforce; name="{}"; type=none;'

    def names(*given):
        ets = "".join(f"with et; type=tv; e{a}=1.; {law.format(n)}" for a, n in zip("xyz", given))
        return model(joint("comm", ets), WELD).system.coordinate_names

    assert names("u", "v1", "w") == ("u", "v1", "w")
    assert names("u", "u", "w") == ("q1", "q2", "q3")  # not distinct
    assert names("u", "a", "w") == ("q1", "q2", "q3")  # the name of an identifier
    assert names("u", "RVy(-)", "w") == ("q1", "q2", "q3")  # no name
    assert names("u", "sin", "w") == ("q1", "q2", "q3")  # means something
    assert system("gripper").coordinate_names == ("phi", "psi", "s")


def test_a_loop_is_cut_at_the_last_joint_of_the_file():
    read = reading("four_bar")
    machine = read.system
    assert [(b.name, b.parent) for b in machine.bodies] == [
        ("crank", None), ("coupler", "crank"), ("rocker", "coupler"),
    ]  # fmt: skip
    (cut,) = machine.constraints
    assert isinstance(cut, FrameCoincidence)
    assert (cut.name, cut.first.body, cut.second.body) == ("jrocker_Base0", "rocker", None)
    assert cut.auxiliary == ("c1_1",)
    notes = [d for d in read.diagnostics if "closes a loop" in d.message]
    assert [(d.severity, d.place) for d in notes] == [("note", "constraints/jrocker_Base0")]


def test_the_loop_of_the_fixture_closes():
    machine = system("four_bar")
    start = {**parameter_values(machine), **initial(machine)}
    found = placed(machine, start)
    (cut,) = machine.constraints
    gap = found["rocker"]
    for et in cut.first.transformations:  # its own coordinate stands at 90 degrees, as the file says
        amount = np.pi / 2 if isinstance(et.motion, Variable) else evaluate_float(et.amount, start)
        gap = gap @ elementary(et.kind, np.array([evaluate_float(a, {}) for a in et.axis]), amount)
    assert np.abs(gap - np.eye(4)).max() < 1e-15


def test_bodies_without_a_joint_are_free_by_their_own():
    own = "with jnt6dof; angles=312; x0=0; angle10=0;"
    bodies = BODY.replace("izz=1;\nwith body2", f"izz=1;\n{own}\nwith body2")
    free = model(WELD, bodies=bodies)
    assert free.system.coordinate_names == ("q1", "q2")
    assert any("its own jnt6dof" in d.message for d in free.diagnostics)
    held = model(joint("6dof", "with jnt6dof; angles=312;"), WELD, bodies=bodies)
    assert held.system.coordinate_names == ()


def test_a_subsystem_stands_where_it_is_put():
    inner = (
        'with subs1; name="S"; type=mbsincluded; ro1x=a; ro1z=1; with main; with const; cnst=(a# 9);\n'
        'with body1; name="P"; m=1;\n'
        + joint("transl", one("0,1,0", "0,1,0", "ro1x=a;"), "Base0", "P")
        + '\nwith bfrc; name="s"; bd1="P"; bd2="Base0"; ro2y=a;\n'
        'with scalarforce; name="s"; type=linear; k=1;\nwith end;\n'
    )
    read = model(joint("6dof", "with jnt6dof; angles=312;"), WELD, head=HEAD + inner)
    assert steps(read.system, "S.P") == [("t", X, "a"), ("t", Z, "1"), ("t", X, "S_a"), ("t", Y, "q1")]
    (spring,) = read.system.forces
    assert spring.second == Point(None, (symbol("a"), symbol("S_a"), number(1)))
    assert spring.name == "S.s"
    assert any("place of its Base0 [I]" in d.message for d in read.diagnostics)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_the_name_of_its_folder(name):
    assert system(name).name == name


def test_the_format_is_found_by_name_and_by_content():
    assert registry.detect("some/input.dat").name == "um"
    assert registry.detect("model.DAT").name == "um"
    assert registry.detect("-", text("platform")[:2048]).name == "um"


@real
@pytest.mark.parametrize("name", sorted(p.parent.name for p in REAL.glob("*/input.dat")))
def test_real_models_are_read(name):
    import struct

    path = REAL / name / "input.dat"
    with at_most(0.5):
        machine = registry.read(path).system
    stored = path.with_name("input.xv")
    if stored.exists():
        data, digits = stored.read_bytes(), len(str(len(machine.coordinates)))
        assert data[: 2 + digits] == b"xv%d" % len(machine.coordinates)
        q = struct.unpack_from(f"<{len(machine.coordinates)}d", data, 2 + digits)
        assert list(initial(machine).values()) == pytest.approx(q, abs=1e-15)
