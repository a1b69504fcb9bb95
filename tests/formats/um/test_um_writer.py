"""Writing input.dat: every block in UM's own signs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mbconcord import convert, read
from mbconcord.cli import main
from mbconcord.converters.um.syntax import parse
from mbconcord.model import (
    Bipolar,
    Body,
    Coordinate,
    Gravity,
    Inertia,
    JointEffort,
    LinearLaw,
    Parameter,
    Point,
    PointCoincidence,
    Rod,
    rotation,
    translation,
)  # fmt: skip
from mbconcord.model.expressions import PI_NODE, TIME, as_expression, evaluate_float, number, sin, symbol
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.transformation import vector
from mbconcord.validation.witnesses.second.machine import At, machine

from .um_writing import DOWN, SOLID, A, B, lines, losses, model, written

NONE = 'with scalarforce; name="s"; type=none;'
JOINTS = {
    "slide": ([translation("x", "s")], ["with et; type=tv; ex= 1.; ey=0; ez=0; coord0=0;", NONE]),
    "turn the other way": ([rotation("-z", "s")], ["with et; type=rv; ex=0; ey=0; ez=-1.; coord0=0;", NONE]),
    "shifts in order are one": ([translation("x", A), translation("z", -B)], ["with et; type=tc; ex=a; ey=; ez=-b;"]),
    "shifts out of order are two": (
        [translation("z", A), translation("x", B)],
        ["with et; type=tc; ex=; ey=; ez=a;", "with et; type=tc; ex=b; ey=; ez=;"],
    ),
    "two shifts along one axis": (
        [translation("x", A), translation("x", B)],
        ["with et; type=tc; ex=a; ey=; ez=;", "with et; type=tc; ex=b; ey=; ez=;"],
    ),
    "a shift along a reversed axis": ([translation("-y", A)], ["with et; type=tc; ex=; ey=-a; ez=;"]),
    "a shift in the plane": ([translation((3, 0, 4), A)], ["with et; type=tc; ex=0.6*a; ey=; ez=0.8*a;"]),
    "a fixed turn": ([rotation("y", PI_NODE / 2)], ["with et; type=rc; ex=0; ey= 1.; ez=0; coord0= 9.E1;"]),
    "a turn in radians": (
        [rotation("x", number("0.3"))],
        ["with et; type=rc; ex= 1.; ey=0; ez=0; coord0= 1.7188733853924695E1;"],
    ),
    "an oblique axis": (
        [rotation((3, 4, 0), -PI_NODE / 4)],
        ["with et; type=rc; ex= 6.E-1; ey= 8.E-1; ez=0; coord0=-4.5E1;"],
    ),
    "nothing": ([], ["with et; type=tc; ex=; ey=; ez=;"]),
    "a shift between turns": (
        [rotation("x", PI_NODE), translation("x", A), rotation("z", "s")],
        ["with et; type=rc; ex= 1.; ey=0; ez=0; coord0= 1.8E2;", "with et; type=tc; ex=a; ey=; ez=;",
         "with et; type=rv; ex=0; ey=0; ez= 1.; coord0=0;", NONE],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("joint", "expected"), JOINTS.values(), ids=JOINTS)
def test_joints(joint, expected):
    names = [et.coordinate for et in joint if et.coordinate]
    system = model(bodies=(Body("arm", None, joint, SOLID),), coordinates=tuple(map(Coordinate, names)))
    head = 'with joint1; name="jBase0_arm"; type=comm; bd1="Base0"; bd2="arm";'
    assert lines(system, "with joint1", "with end") == [head, *expected]
    assert losses(system) == []


def test_initial_positions():
    """Metres and degrees; a formula is frozen, because the field takes numbers."""
    joint = (translation("x", "s"), rotation("z", "phi"), rotation("x", "psi"))
    starts = (Coordinate("s", number("0.25")), Coordinate("phi", PI_NODE / 6), Coordinate("psi", A / 4))
    system = model(*joint, coordinates=starts)
    shown = [line.rpartition("coord0=")[2] for line in written(system).text.splitlines() if "coord0" in line]
    assert shown == [" 2.5E-1; ", " 3.E1; ", " 2.864788975654116E1; "]
    ((place, what),) = losses(system)
    assert place == "coordinates/psi"
    assert "UM has a number here: frozen at 28.64788975654116" in what


def test_an_axis_of_no_round_numbers():
    line = lines(model(rotation((1, 1, 1), "s")), "with et", "with scalarforce")[0]
    ex, ey, ez = (float(x) for x in re.findall(r"e[xyz]= *([^;]+)", line))
    assert abs(ex * ex + ey * ey + ez * ez - 1) < 1e-15
    assert ex == ey == ez


def chain(*names):
    """Bodies in a chain, one coordinate each."""
    bodies, parent = [], None
    for i, name in enumerate(names, 1):
        bodies.append(Body(f"b{i}", parent, (rotation("z", name), translation("x", A)), SOLID))
        parent = f"b{i}"
    return bodies


def test_joints_stand_in_the_order_of_the_coordinates():
    """UM numbers coordinates by joints in the order of the file, whatever the tree."""
    coordinates = tuple(map(Coordinate, ("q3", "q1", "q2")))
    system = model(bodies=chain("q1", "q2", "q3"), coordinates=coordinates)
    assert re.findall(r'bd2="(\w+)"', written(system).text) == ["b3", "b1", "b2"]
    assert re.findall(r'with body\d; name="(\w+)"', written(system).text) == ["b1", "b2", "b3"]
    assert losses(system) == []


def test_coordinates_of_two_joints_cannot_be_mixed():
    body = Body("arm", None, (rotation("z", "q1"), rotation("x", "q2")), SOLID)
    other = Body("hand", "arm", (rotation("z", "q3"),), SOLID)
    system = model(bodies=(body, other), coordinates=tuple(map(Coordinate, ("q1", "q3", "q2"))))
    assert losses(system) == [("coordinates", "the order q1, q3, q2: UM numbers them by joints: q1, q2, q3")]


GRAVITY = {
    "down": ((0, 0, -1), "gravityz=-1;", ()),
    "up": ((0, 0, 1), "gravityz=1;", ()),
    "along y": ((0, -1, 0), "gravityx=; gravityy=-1; gravityz=;", ("certainty about its direction",)),
    "oblique": ((3, 0, -4), "gravityx=0.6; gravityy=; gravityz=-0.8;", ("certainty about its direction",)),
}


@pytest.mark.parametrize(("direction", "shown", "lost"), GRAVITY.values(), ids=GRAVITY)
def test_gravity(direction, shown, lost):
    system = model(gravity=Gravity(number("9.81"), vector(direction)))
    assert f"with egravity; {shown}" in written(system).text
    assert tuple(loss.what for loss in written(system).losses) == lost
    assert {loss.place for loss in written(system).losses} <= {"gravity"}


G = symbol("g")
SIZES = {
    "the moon's": (number("1.62"), "its size 1.62 = 1.62 m/s²: UM scales a direction by 9.81"),
    "a parameter": (G, "the formula g of its size: UM scales a direction by 9.81, its value"),
    "a formula": (G / 6, "its size g/6 = 1.635 m/s²: UM scales a direction by 9.81"),
}


@pytest.mark.parametrize(("value", "what"), SIZES.values(), ids=SIZES)
def test_the_size_of_gravity_is_um_s_own(value, what):
    system = model(gravity=Gravity(value, DOWN.direction), parameters=(Parameter("g", number("9.81")),))
    assert losses(system) == [("gravity", what)]
    assert "gravityz=-1;" in written(system).text


def test_no_gravity():
    assert "gravityx=; gravityy=; gravityz=;" in written(model(gravity=None)).text
    ((place, what),) = losses(model(gravity=None))
    assert place == "gravity"
    assert "no UM file seen is without gravity" in what


def effort(law, name="s"):
    return JointEffort(name, "s", law)


S, RATE = symbol("s"), symbol("s'")


def test_a_force_in_the_words_of_um():
    system = model(forces=(effort(-A * (S - B) - 3 * RATE),))
    assert lines(system, "with scalarforce", "with end") == [
        'with scalarforce; name="s"; type=expression;', "expression=a*(b - x) - 3*v;",
    ]  # fmt: skip
    assert losses(system) == []


def test_a_linear_law():
    law = LinearLaw(A, B, number(1), number("0.5"))
    system = model(forces=(effort(law),))
    assert lines(system, "with scalarforce", "with end") == [
        'with scalarforce; name="s"; type=linear;', "f0=a; k=b; l0=1; d=0.5; q=0; w=0; a=0;",
    ]  # fmt: skip
    assert losses(system) == []


def test_forces_on_one_coordinate_are_added():
    law = LinearLaw(A, B, number(1), number("0.5"))
    system = model(forces=(effort(A), effort(law, "spring"), effort(sin(S), "wave")))
    shown = lines(system, "expression=", "with end")[0].removeprefix("expression=").removesuffix(";")
    values = {"a": 2.0, "b": 0.5, "x": 3.0, "v": -7.0}
    assert evaluate_float(parse_formula(shown), values) == 2.0 + (2.0 - 0.5 * (3.0 - 1.0) + 0.5 * 7.0)
    names = [(place, "the name" in what) for place, what in losses(system)]
    assert names == [
        ("coordinates/s", False), ("forces/spring", True), ("forces/wave", True), ("forces/spring", False),
        ("forces/wave", False),
    ]  # fmt: skip


LEFT_OUT = {
    "a sine": (A * sin(S), "sin() in a formula"),
    "the time": (A * TIME, "the time in a formula"),
    "another coordinate": (symbol("r"), "another coordinate (r) in the formula of a force"),
}


@pytest.mark.parametrize(("law", "missing"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_forces_that_no_um_file_confirms_are_left_out(law, missing):
    system = model(translation("x", "s"), translation("y", "r"), forces=(effort(law),))
    ((place, what),) = losses(system)
    assert place == "forces/s"
    assert f"no UM file seen has {missing}: left out" in what
    assert "type=expression" not in written(system).text


@pytest.mark.parametrize("name", ["x", "v"])
def test_a_coordinate_that_has_the_name_of_um_s_variable(name):
    """x and v in the force of another coordinate are not those of its own; in its own they are."""
    joint = (translation("x", name), translation("y", "s"))
    other = model(*joint, forces=(JointEffort("s", "s", A * symbol(name)),))
    assert f"another coordinate ({name})" in losses(other)[0][1]
    assert "expression" not in written(other).text
    own = model(*joint, forces=(JointEffort(name, name, A * symbol(name) - symbol(f"{name}'")),))
    assert "expression=a*x - v;" in written(own).text
    assert losses(own) == []


def test_a_bipolar_element():
    length, rate = symbol("@"), symbol("@'")
    spring = Bipolar(
        "spring", Point(None, vector((0, A, 1))), Point("arm", vector((B / 2, 0, 0))), A - B * length - rate
    )
    system = model(forces=(spring,))
    assert lines(system, "with bfrc", "with end") == [
        'with bfrc; name="spring"; bd1="Base0"; bd2="arm";',
        "ro1x=; ro1y=a; ro1z=1; ro2x=0.5*b; ro2y=; ro2z=;",
        'with scalarforce; name="spring"; type=expression;',
        "expression=a - b*x - v;",
    ]
    assert losses(system) == []
    heavy = replace(system, forces=(replace(spring, mass=number(4)),))
    assert losses(heavy)[0] == ("forces/spring", "its mass: half of it is put on each of the bodies it joins")
    assert "m=4; ixx=1;" in written(heavy).text


def test_a_body():
    inertia = Inertia(A, vector((0, B / 2, -1)), tuple(map(as_expression, (A * B**2, 2, 3, 0, 0, 0))))
    system = replace(model(), bodies=(Body("arm", None, (translation("x", "s"),), inertia),))
    line = next(x for x in written(system).text.splitlines() if " m=" in x)
    assert line.strip() == "m=a; ixx=a*sqr(b); ixy=; ixz=; iyy=2; iyz=; izz=3; rcx=; rcy=0.5*b; rcz=-1;"
    assert losses(system) == []


def test_products_of_inertia_are_elements_of_the_matrix():
    inertia = Inertia(number(1), vector((0, 0, 0)), tuple(map(number, (1, 1, 1, "0.1", 0, 0))))
    system = replace(model(), bodies=(Body("arm", None, (translation("x", "s"),), inertia),))
    assert "ixy=0.1;" in written(system).text
    assert losses(system) == []


def test_identifiers_stand_before_their_users():
    parameters = (Parameter("c", A + B), Parameter("b", A * 2), Parameter("a", number(2)))
    system = model(parameters=parameters)
    assert re.findall(r"cnst=\((.*)\)", written(system).text) == ["a# 2", "b# 2*a", "c# a + b"]
    assert [place for place, _ in losses(system)] == ["parameters"]


def test_a_parameter_without_value_is_marked():
    system = model(parameters=(Parameter("a"), Parameter("b", number(1))))
    assert 'cnst=(a# 0# "no value");' in written(system).text
    assert losses(system) == [
        ("parameters/a", "that it has no value: UM needs a number: 0 is written, marked 'no value'")
    ]


def test_a_formula_of_parameters_that_um_may_not_know():
    system = model(parameters=(Parameter("a", number(2)), Parameter("b", sin(A))))
    assert "cnst=(b# 0.9092974268256817);" in written(system).text
    ((place, what),) = losses(system)
    assert place == "parameters/b"
    assert "no UM file seen has sin() in a formula: 0.9092974268256817 is written" in what


IMAGES = {"x": (1, 0, 0), "-x": (-1, 0, 0), "y": (0, 1, 0), "-y": (0, -1, 0), "z": (0, 0, 1), "-z": (0, 0, -1)}


@pytest.mark.parametrize(("axis", "along"), IMAGES.items())
def test_a_rod_lies_along_the_shift_to_the_joint(axis, along):
    """A cylinder lies along z; its turn about axis 1 (x) or 2 (y) takes it from the body's origin back."""
    system = model(rotation("z", "s"), translation(axis, A))
    (ge,) = parse(written(system).text).main.all("go")[0].blocks
    assert (ge.get("type"), ge.get("h")) == ("CYLINDER", "a")
    angle = math.radians(float(ge.get("angle1")))
    turned = {"": (0, 0, 1), "1": (0, -math.sin(angle), math.cos(angle)), "2": (math.sin(angle), 0, math.cos(angle))}[
        ge.get("axis1")
    ]
    assert turned == pytest.approx([-x for x in along], abs=1e-15)


def test_a_body_without_a_rod_is_a_ball():
    (ge,) = parse(written(model()).text).main.all("go")[0].blocks
    assert ge.get("type") == "ELLIPSOID"


def test_convert_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("double.mbsd").write_text("z°30 i > z°30 i g\n", encoding="utf-8")
    assert main(["convert", "double.mbsd", "input.dat", "--verify"]) == 0
    assert "gravityx, gravityy" in capsys.readouterr().err
    assert Path("input.dat").read_bytes().startswith(b"with main; version=80 ;\n")
    Path("input.dat").unlink()
    assert main(["convert", "double.mbsd", "input.dat", "--strict"]) == 1
    assert not Path("input.dat").exists()


def test_verifying_excuses_a_formula_by_its_value_only_where_that_is_told():
    """With g as a symbol UM's 9.81 is the same where g = 9.81, not at every value, which the listed loss says."""
    made = convert(read(text="z i > z i g", format="mbsd"), to="um")
    assert made.verify().verdict == "agrees"
    untold = replace(made, writing=replace(made.writing, losses=()))
    assert "the same where g = 9.81, not at every value" in str(untold.verify())


TREE = (
    "z(a)°20 i0.8 $2 [1.1,1.1,1.2] {0.3,0.1,0.05} #one > y(b)°-30 i0.2 $1.5 [1.0,1.1,1.2] {0.2,0,0.1} #two"
    " \\ u(s)°0 y(c)°40 i0.3 v(p) z(d) $1 [0.9,1.0,1.2] {0,0.1,0.2} #three ; g-y ; L=1.25"
)


def at(body: str | None, *place: str) -> Point:
    return Point(body, tuple(map(number, place)))


#: Each axis of the first body is the farthest from one of the rods: triples of turns of both hands.
LOOPS = [
    Rod("link", at("one", "0.1", "0.2", "0.3"), at("three", "-0.2", "0.1", "0.4"), symbol("L"), number("0.5")),
    Rod("link", at(None, "0.1", "1.2", "0.3"), at("two", "-0.2", "0.1", "0.4"), symbol("L")),
    Rod("link", at(None, "0.1", "0.1", "2.3"), at("two", "-0.2", "0.1", "0.4"), number(2)),
    Rod("link", at(None, "0.9", "0.4", "-1"), at("one", "0", "0", "0.5"), number(2)),
    PointCoincidence("link", at("two", "0.1", "0.2", "0.3"), at("three", "0", "-0.1", "0.2")),
]


@pytest.mark.slow
@pytest.mark.parametrize("loop", LOOPS, ids=str)
def test_rod_and_coinciding_points_come_back(loop):
    """The same machine, reactions too; both halves of the rod's mass are on its bodies; a rod is a rod again."""
    given = replace(read(text=TREE, format="mbsd").system, constraints=(loop,))
    made = convert(given, to="um", verify=True)
    assert made.verification.headline == "the same machine"
    assert {x.quantity for x in made.verification.comparisons} >= {"reactions", "constrained acceleration", "M"}
    acting = [x.what for x in made.losses if x.place == "constraints/link" and x.acts]
    assert acting == (["its mass"] if getattr(loop, "mass", None) else [])
    (again,) = read(text=made.text, format="um").system.constraints
    if isinstance(loop, Rod):
        assert again == replace(loop, mass=number(0))


@pytest.mark.parametrize("loop", LOOPS, ids=str)
def test_turns_of_a_rod_begin_where_it_lies(loop):
    """The written turns carry the first body's axes into the second's; along the shift between them lies the rod."""
    given = replace(read(text=TREE, format="mbsd").system, constraints=(loop,))
    main = parse(convert(given, to="um").text).main
    joint = next(b for b in main.all("joint") if b.text("name") == "link")
    poses = {None: (np.eye(3), np.zeros(3))}
    shift, turn = (lambda *x: (np.eye(3), np.array(x))), (lambda axis, x: (_turned("xyz".index(axis), x), np.zeros(3)))
    for name, parent, steps in (
        ("one", None, [turn("z", 20), shift(0.8, 0, 0)]),
        ("two", "one", [turn("y", -30), shift(0.2, 0, 0)]),
        ("three", None, [turn("y", 40), shift(0.3, 0, 0)]),
    ):
        poses[name] = _follow(poses[parent], steps)
    steps, before = [], None
    for et in joint.all("et"):
        x, y, z = (float(et.get(k) or 0) if et.get(k) != "L" else 1.25 for k in ("ex", "ey", "ez"))
        axis = [x, y, z].index(max(x, y, z, key=abs))
        moves = et.get("type") == "tc"
        if moves and len(steps) - (steps[0][1].any() if steps else 0) == 2 and isinstance(loop, Rod):
            before = _follow(poses[loop.first.body], steps)[0] @ (x, y, z)
        steps.append(shift(x, y, z) if moves else turn("xyz"[axis], (x + y + z) * float(et.get("coord0"))))
    axes = _follow(poses[loop.first.body], steps)[0]
    assert axes == pytest.approx(poses[loop.second.body][0], abs=1e-12)
    if isinstance(loop, Rod):
        ends = [R @ [float(evaluate_float(v, {})) for v in end.position] + r
                for end in (loop.first, loop.second) for R, r in [poses[end.body]]]  # fmt: skip
        apart = ends[1] - ends[0]
        assert before / np.linalg.norm(before) == pytest.approx(apart / np.linalg.norm(apart), abs=1e-12)


def _turned(axis: int, degrees: float) -> np.ndarray:
    """Write out the matrix of a turn about x, y or z."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([
        [[1, 0, 0], [0, c, -s], [0, s, c]], [[c, 0, s], [0, 1, 0], [-s, 0, c]], [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    ][axis])  # fmt: skip


def _follow(pose, steps):
    R, r = pose
    for turn, shift in steps:
        R, r = R @ turn, r + R @ shift
    return R, r


ROD = (
    "rv z, rv y, tc x 2, rv z, rv y, rv x", "rv x, rv z, tc y 2, rv x, rv z, rv y",
    "rv z, rv y, tc x -2, rv z, rv y, rv z",
)  # fmt: skip
NO_ROD = (
    "rv z, rv y, tc y 2, rv z, rv y, rv x",
    "rv z, rv z, tc x 2, rv z, rv y, rv x",
    "rv z, rv y, rv x, tc x 2, rv z, rv y",
    "rv z, rv y, tv x 2, rv z, rv y, rv x",
    "rv z, tc x 2, rv z, rv y, rv x",
    "rv z, rv y, tc x 2, rv z, rv z, rv x",
    "rc y 9, rv z, rv y, tc x 2, rv z, rv y, rv x",
    "rv z, rv y, tc x 2, tc y 1, rv z, rv y, rv x",
    "rv z, rv y, tc x 0, rv z, rv y, rv x",
    "rv z, rv y, tc x 2, rv z, rv y, rv x, rc x 5",
)


@pytest.mark.parametrize("written_as", [*ROD, *NO_ROD])
def test_five_turns_round_a_length_are_a_rod(written_as):
    """What is unlike in one step, an axis or a turn beside, stays the cut joint that it is, for both readers."""
    blocks = []
    for step in written_as.split(", "):
        kind, axis, *amount = step.split()
        size = amount[0] if kind == "tc" else "1."
        parts = " ".join(f"e{a}={size if a == axis else '0' if kind != 'tc' else ''};" for a in "xyz")
        blocks.append(f"  with et; type={kind}; {parts} " + (f"coord0={(amount or ['0'])[0]};" if kind != "tc" else ""))
        blocks += ['  with scalarforce; name="n"; type=none;'] if kind in ("rv", "tv") else []
    joint = "\n".join(['with joint9; name="link"; type=comm; bd1="Base0"; bd2="three";', *blocks])
    text = convert(read(text=TREE, format="mbsd").system, to="um").text.replace("with end;", f"{joint}\nwith end;")
    (found,) = read(text=text, format="um").system.constraints
    assert isinstance(found, Rod) == (written_as in ROD), found
    second = machine(text, "um", At({}, {}, 0.0))
    assert len(second.rods) == (written_as in ROD) and len(second.closures) == (written_as in NO_ROD)
    if written_as in ROD:
        assert float(evaluate_float(found.length, {})) == second.rods[0].length == 2
