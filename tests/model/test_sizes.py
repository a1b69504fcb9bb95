"""Tensors that belong to no body of that size and mass: one warning, at the author's values, the verdict unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

import mbconcord as mb
from mbconcord.api.source import Source
from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.fixtures import folder

#: A forearm, and a wrist of 1.2 kg whose flange is 0.1 m away; the tensor of the wrist is put in.
ARM = (
    "z(a) $2 [0.1,0.1,0.1] #fore > k0.4 y(b) $1.2 [{0},{0},{0}] {{0,0,0.05}} #wrist "
    "> {1} z(c) $0.1 [1e-4,1e-4,1e-4] ; g-z"
)


def remarks(text: str, **options: str) -> list[str]:
    found = mb.read(text=text, format="mbsd", **options)  # type: ignore[arg-type]
    return [str(d) for d in found.diagnostics if "radius of gyration" in d.message]


def test_a_tensor_of_no_such_body_is_remarked_once() -> None:
    (said,) = remarks(ARM.format("0.22", "k0.1"))
    assert (
        said.startswith("-:1:") and "warning: bodies/wrist/inertia/tensor: its radius of gyration, 0.428 m, is" in said
    )
    assert "4.3 times the 0.1 m to the body's farthest joint" in said and "check its units" in said


@pytest.mark.parametrize(
    ("tensor", "joint"),
    [
        ("0.01", "k0.1"),  # k is 0.08 m
        ("0.1", "k0.1"),  # 2.8 times: a wheel on a short axle
        ("0.22", ""),  # nothing tells the size of the wrist
        ("0.22", "w(s) k0.1"),  # what it carries slides along it
        ("J", "k0.1"),  # nobody gave a number
        ("0.22", "k(L)"),
    ],
)
def test_what_is_or_may_be_right_is_not_remarked(tensor: str, joint: str) -> None:
    assert not remarks(ARM.format(tensor, joint))


def test_bodies_on_the_fixed_frame_and_ignored_physics_are_not_remarked() -> None:
    base = "z(a) $2 [5,5,5] #base > k0.1 y(b) $1 [0.01,0.01,0.01] ; g-z"
    assert not remarks(base) and not remarks(ARM.format("0.22", "k0.1"), physics="ignore")


def test_points_of_springs_tell_the_size_too() -> None:
    spring = ' \\ #wrist {0.3,0,0} :"(-5*(@-1)) {3,0,0} < #0'
    assert remarks(ARM.format("0.22", "k0.1")) and not remarks(
        ARM.format("0.22", "k0.1").replace(" ; ", f"{spring} ; ")
    )


URDF = """<robot name="r"><link name="base"/><joint name="j" type="{joint}"><parent link="base"/><child link="tip"/>
<axis xyz="0 0 1"/></joint><link name="tip"><inertial><mass value="1.219"/><inertia ixx="{moment}" iyy="{moment}"
 izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>{more}</robot>"""
MJCF = """<mujoco><compiler angle="radian"/><worldbody><body name="tip"><joint type="hinge"/>
<inertial pos="0 0 0" mass="1.219" diaginertia="{moment} {moment} {moment}"/>{shape}</body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="r"><link name="tip"><inertial><mass>1.219</mass><inertia><ixx>{moment}</ixx>
<iyy>{moment}</iyy><izz>{moment}</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>{shape}</link>
<joint name="j" type="{joint}"><parent>world</parent><child>tip</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>"""

#: A box of 0.08, 0.08, 0.04 m, at 0.1 m: its farthest corner is at most 0.16 m away, 0.48 m three times.
SHAPES = {
    "urdf": '<{1}><origin xyz="0 0 0.1"/><geometry><box size="{0}"/></geometry></{1}>',
    "mjcf": '<geom type="box" pos="0 0 0.1" size="{0}"/>',
    "sdf": '<{1} name="s"><pose>0 0 0.1 0 0 0</pose><geometry><box><size>{0}</size></box></geometry></{1}>',
}
TEXTS = {"urdf": URDF, "mjcf": MJCF, "sdf": SDF}
BOX = {"urdf": "0.08 0.08 0.04", "mjcf": "0.04 0.04 0.02", "sdf": "0.08 0.08 0.04"}


def of_shapes(format: str, moment: str, shape: str, joint: str = "revolute", more: str = "") -> list[str]:
    limits = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    text = (
        TEXTS[format]
        .format(moment=moment, shape=shape, joint=joint, more=more)
        .replace("<axis xyz", f"{limits}<axis xyz")
    )
    return [str(d) for d in mb.read(text=text, format=format).diagnostics if "radius of gyration" in d.message]


@pytest.mark.parametrize("tag", ["visual", "collision"])
@pytest.mark.parametrize("format", TEXTS)
def test_shapes_tell_the_size_of_a_body_without_joints(format: str, tag: str) -> None:
    """A wrist's 0.21942 kg m² on 1.219 kg is k = 0.424 m; 0.5 on it is 0.64 m."""
    shape = SHAPES[format].format(BOX[format], tag)
    (said,) = of_shapes(format, "0.5", shape)
    assert "bodies/tip/inertia/tensor: its radius of gyration, 0.64 m, is 4 times the 0.16 m to the body's" in said
    assert "farthest point of its shapes" in said
    assert not of_shapes(format, "0.21942", shape)  # 2.65 times
    assert of_shapes(format, "0.21942", shape.replace("0.1", "0.02"))


@pytest.mark.parametrize(
    ("format", "shape"),
    [
        ("urdf", ""),
        ("urdf", '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'),
        ("urdf", '<visual><geometry><ball radius="1"/></geometry></visual>'),  # no shape that is known
        ("mjcf", '<geom type="plane" size="1 1 1"/>'),
        ("sdf", '<visual name="v"><geometry><mesh><uri>a.stl</uri></mesh></geometry></visual>'),
    ],
)
def test_a_body_whose_shapes_are_not_all_known_is_not_judged(format: str, shape: str) -> None:
    assert not of_shapes(format, "50", shape)
    assert (
        format == "mjcf"
        or not shape
        or not of_shapes(format, "50", shape + SHAPES[format].format("0.01 0.01 0.01", "collision"))
    )


def test_a_body_that_does_not_move_is_not_judged() -> None:
    assert not of_shapes("urdf", "50", SHAPES["urdf"].format("0.01 0.01 0.01", "visual"), "fixed")


def test_shapes_excuse_a_body_that_joints_alone_would_accuse() -> None:
    """A screen of 0.3 m whose camera stands 16 mm off its frame."""
    camera = """<joint name="c" type="fixed"><parent link="screen"/><child link="camera"/>
    <origin xyz="0 0 0.016"/></joint><link name="camera"/><joint name="s" type="continuous"><parent link="tip"/>
    <child link="screen"/><axis xyz="0 0 1"/><origin xyz="0 0 {1}"/></joint><link name="screen"><inertial>
    <mass value="0.44"/><inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>{0}</link>"""
    box = SHAPES["urdf"].format("0.3 0.2 0.01", "visual")
    mesh = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
    assert of_shapes("urdf", "0", "", more=camera.format("", 0.1))
    assert not of_shapes("urdf", "0", "", more=camera.format(box, 0.1))
    # No longer than a link of this model may be, whose size its mesh alone would tell.
    assert not of_shapes("urdf", "0", "", more=camera.format(mesh, 0.4))


@pytest.mark.slow
def test_of_all_models_the_wrists_of_the_ur5_alone_are_remarked() -> None:
    """Which are known to carry moments of the wrong size in the published file."""
    found = {}
    for file in sorted(p for p in Path(folder()).rglob("*") if p.is_file() and registry.is_model(p)):
        model = registry.read(file, physics="ignore")
        source = Source(str(file), model.system, (), model.locations, "warn")
        said = [d for d in source.implausible() if "radius of gyration" in d.message]
        found |= {file.name: (said[0].place, said[0].message)} if said else {}
    assert found.keys() == {"ur5.mbsd"}
    place, message = found["ur5.mbsd"]
    assert place == "bodies/wrist_3_link/inertia/tensor" and "so are those of wrist_1_link, wrist_2_link" in message


def test_the_exit_code_stays_and_info_lints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "arm.mbsd"
    file.write_text(ARM.format("0.22", "k0.1"), encoding="utf-8")
    check = ["check", str(file), "--states", "2", "--formalisms", "lagrange,newton_euler", "--claims", "none"]
    assert main(check) == 0 and capsys.readouterr().out.count("radius of gyration") == 1
    assert main(["info", str(file), "--lint"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("radius of gyration" in line for line in lines) == 1 and all(
        line.startswith(str(file)) for line in lines
    )
    file.write_text(ARM.format("0.01", "k0.1"), encoding="utf-8")
    assert main(["info", str(file), "--lint"]) == 0 and "radius" not in capsys.readouterr().out
