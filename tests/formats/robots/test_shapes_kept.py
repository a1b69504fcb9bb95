"""Shapes and meshes go with a model into other formats, without mass; what MuJoCo refuses is said before it does."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mbconcord
from mbconcord.cli import main
from mbconcord.converters import registry
from mbconcord.converters.fittings import MeshPaths, Shape
from mbconcord.converters.floats import compose_pose
from mbconcord.model.expressions import evaluate_float
from mbconcord.validation.witnesses.peers.program import refusal

from .test_fittings import INERTIA, PAIRS

ORIGIN = '<origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/>'
URDF = f"""<robot name="arm"><material name="blue"><color rgba="0 0 1 0.5"/></material>
  <link name="base"><visual>{ORIGIN}<geometry><box size="0.2 0.4 0.1"/></geometry><material name="blue"/></visual>
  </link>
  <link name="a"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>{INERTIA}</inertial>
    <visual>{ORIGIN}<geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="j" type="continuous"><origin xyz="1 2 3" rpy="0.3 0.2 0.1"/><parent link="base"/><child link="a"/>
    <axis xyz="0 1 0"/></joint></robot>"""
MJCF = """<mujoco><worldbody><geom name="floor" type="plane" size="1 2 .1" rgba=".5 .5 .5 1"/>
  <body name="a" pos="0 0 1" euler="10 20 30"><joint name="j" axis="0 1 0"/>
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    <geom type="capsule" fromto="0 0 0 .3 0 .4" size=".05"/>
    <frame pos="1 0 0" euler="0 90 0"><geom type="ellipsoid" size=".1 .2 .3" contype="0" conaffinity="0"/></frame>
    <geom type="box" size=".1 .2 .3" group="3" contype="2" conaffinity="4" pos="0 .5 0" axisangle="0 0 1 45"/>
  </body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><link name="a"><pose>0 0 1 0 0 0</pose>
  <visual name="v"><pose relative_to="f">0 0 0 0.1 0 0</pose>
    <geometry><capsule><radius>0.1</radius><length>1</length></capsule></geometry>
    <material><diffuse>1 0 0 1</diffuse></material></visual>
  <collision name="c"><geometry><box><size>1 2 3</size></box></geometry><surface/></collision></link>
  <frame name="f" attached_to="a"><pose relative_to="a">0 1 0 0 0 0.2</pose></frame>
  <joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
  </model></sdf>"""
TEXTS = {"urdf": URDF, "mjcf": MJCF, "sdf": SDF}


def told(shapes: Sequence[Shape]) -> list[tuple[object, ...]]:
    """Return shapes as numbers, sorted."""
    found = []
    for s in shapes:
        pose = compose_pose(s.pose)
        numbers = [*(evaluate_float(x, {}) for x in s.size), *pose.p, *pose.R.ravel()]
        colour = s.colour and tuple(evaluate_float(x, {}) for x in s.colour)
        found.append((s.body or "", s.kind, s.seen, any(s.contacts), tuple(np.round(numbers, 12) + 0.0), colour))
    return sorted(found, key=str)


def split(shapes: Sequence[Shape]) -> list[Shape]:
    """Return shapes as formats hold them that tell what is seen from what touches."""
    seen = [replace(s, contacts=(0, 0)) for s in shapes if s.seen]
    return [*seen, *(replace(s, seen=False, colour=None) for s in shapes if any(s.contacts))]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_shapes_are_kept(source: str, target: str) -> None:
    model = mbconcord.read(text=TEXTS[source], format=source)
    made = mbconcord.convert(model, to=target, verify=True)
    before = list(registry.fittings(model.system).shapes)
    after = registry.fittings(registry.read_text(made.text, f"-.{target}", target).system).shapes
    assert len(before) >= 2
    if target == "urdf":  # it has boxes, spheres, cylinders and meshes
        before = [s for s in before if s.kind in ("box", "sphere", "cylinder")]
        after = tuple(s for s in after if s.kind == "box" or source == "urdf")
    if target == "sdf":
        before = [s for s in before if s.body is not None]  # no body is fixed in the world
    assert told(after) == told(split(before)) and after
    assert made.verification is not None and made.verification.stands


def test_what_is_left_of_a_shape_is_a_loss() -> None:
    made = mbconcord.convert(mbconcord.read(text=SDF, format="sdf"), to="mjcf")
    assert [loss.what for loss in made.losses if "collision-shape/c" in loss.place] == ["surface of the shape"]
    made = mbconcord.convert(mbconcord.read(text=MJCF, format="mjcf"), to="urdf")
    lost = {loss.place: loss.reason for loss in made.losses if "has no" in loss.reason}
    assert lost["omissions/image/a.2"] == "URDF has no ellipsoid"
    assert lost["omissions/collision-shape/floor"] == "URDF has no plane"


def test_capsule_is_a_cylinder_between_two_spheres_in_urdf() -> None:
    made = mbconcord.convert(mbconcord.read(text=SDF, format="sdf"), to="urdf")
    shapes = registry.fittings(registry.read_text(made.text, "-.urdf", "urdf").system).shapes
    ends = [compose_pose(s.pose).p for s in shapes if s.kind == "sphere"]
    middle = next(compose_pose(s.pose) for s in shapes if s.kind == "cylinder")
    assert np.allclose(ends, [middle.p + middle.R[:, 2] / 2, middle.p - middle.R[:, 2] / 2], atol=1e-12)


def test_changed_mjcf_keeps_its_shapes_and_what_they_touch() -> None:
    model = mbconcord.read(text=MJCF.replace("<worldbody>", '<option gravity="0 0 -1"/><worldbody>', 1), format="mjcf")
    changed = replace(model.system, gravity=None)
    again = registry.read_text(registry.write(changed, "mjcf").text, "-.xml", "mjcf").system
    assert told(registry.fittings(again).shapes) == told(registry.fittings(model.system).shapes)
    assert {s.contacts for s in registry.fittings(again).shapes} == {(1, 1), (0, 0), (2, 4)}


def test_shapes_of_a_body_in_its_principal_axes_are_a_loss() -> None:
    body = '<body name="a"><freejoint align="true"/><geom size=".1" pos="1 0 0"/></body>'
    text = f"<mujoco><worldbody>{body}</worldbody></mujoco>"
    made = mbconcord.convert(mbconcord.read(text=text, format="mjcf"), to="urdf")
    assert "omissions/collision-shape/a.1" in {loss.place for loss in made.losses} and "<sphere" not in made.text


def test_geoms_are_where_mujoco_puts_those_of_the_urdf() -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    keep = '<mujoco><compiler discardvisual="false" fusestatic="false"/></mujoco></robot>'
    ours = mujoco.MjModel.from_xml_string(mbconcord.convert(mbconcord.read(text=URDF, format="urdf"), to="mjcf").text)
    theirs = mujoco.MjModel.from_xml_string(URDF.replace("</robot>", keep))
    for key in ("geom_type", "geom_size", "geom_pos", "geom_contype", "geom_rgba", "body_mass"):
        own, other = getattr(ours, key), getattr(theirs, key)
        if key == "geom_rgba":
            own, other = own[:1], other[:1]
        if key.startswith("body"):
            own, other = own[own > 0], other[other > 0]
        assert np.allclose(own, other, atol=1e-12), key
    assert np.allclose(np.abs(np.sum(ours.geom_quat * theirs.geom_quat, axis=1)), 1, atol=1e-12)


def stl(path: Path, triangles: Sequence[Sequence[Sequence[float]]]) -> None:
    """Write a binary file of triangles."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [struct.pack("<12fH", 0, 0, 0, *np.ravel(t), 0) for t in triangles]
    path.write_bytes(b" " * 80 + struct.pack("<I", len(rows)) + b"".join(rows))


A, B, C, D, E = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)
TETRAHEDRON, SQUARE = [(A, C, B), (A, B, D), (A, D, C), (B, C, D)], [(A, B, E), (A, E, C)]
MESH = f"""<robot name="m"><link name="base"/><link name="a"><inertial><mass value="2"/>{INERTIA}</inertial>
  <visual><geometry><mesh filename="FILE" scale="1 -2 1"/></geometry></visual></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint></robot>"""
MESHES = {
    "package": ("package://arm/meshes/a.stl", "../arm/meshes/a.stl", ""),
    "relative": ("../meshes/a.stl", "../arm/meshes/a.stl", ""),
    "flat": ("../meshes/flat.stl", "../arm/meshes/flat.stl", ""),
    "missing": ("package://arm/meshes/b.stl", "", "is not found"),
    "collada": ("../meshes/a.dae", "", "MuJoCo reads .stl, .obj, .msh"),
    "text": ("../meshes/text.stl", "", "MuJoCo reads binary .stl"),
    "empty": ("../meshes/empty.stl", "", "triangles at most"),
}


@pytest.mark.parametrize("case", MESHES)
def test_meshes_are_named_from_the_new_file_and_open(case: str, tmp_path: Path) -> None:
    file, named, lost = MESHES[case]
    for name, triangles in (("a", TETRAHEDRON), ("flat", SQUARE), ("empty", [])):
        stl(tmp_path / "arm" / "meshes" / f"{name}.stl", triangles)
    (tmp_path / "arm" / "meshes" / "a.dae").write_text("<COLLADA/>")
    (tmp_path / "arm" / "meshes" / "text.stl").write_text("solid\nendsolid\n")
    source, out = tmp_path / "arm" / "urdf" / "m.urdf", tmp_path / "out" / "m.xml"
    source.parent.mkdir()
    out.parent.mkdir()
    source.write_text(MESH.replace("FILE", file))
    made = mbconcord.convert(source, out, verify=True)
    assert (f'file="{named}"' in made.text) == bool(named) and ("<geom" in made.text) == bool(named)
    reasons = [loss.reason for loss in made.losses if loss.place == "omissions/image/a"]
    assert bool(reasons) == bool(lost) and all(lost in reason for reason in reasons)
    assert made.open(str(out)) == ""
    kept = mbconcord.convert(source, to="sdf", place=str(tmp_path / "out" / "m.sdf"))
    uri = "../arm/meshes/" + file.removeprefix("../meshes/") if file.startswith("..") else file
    assert f"<uri>{uri}</uri>" in kept.text


def test_packages_of_the_user_are_looked_through_first(tmp_path: Path) -> None:
    stl(tmp_path / "elsewhere" / "arm" / "a.stl", TETRAHEDRON)
    paths = MeshPaths("-", str(tmp_path / "m.xml"), (str(tmp_path / "elsewhere"),))
    fittings = registry.fittings(registry.read_text(MESH.replace("FILE", "package://arm/a.stl"), "-.urdf").system)
    (shape,) = paths.place(fittings).shapes
    assert shape.beside == "elsewhere/arm/a.stl" and shape.file == "package://arm/a.stl"


#: Joint or none, mass and moments of a body, and what MuJoCo's compiler says: empty where it takes them.
SMALL, TRIANGLE, EIGEN = "too small", "triangle inequality", "eigenvalue"
BODIES = [
    (True, 1, (1, 1, 1, 0, 0, 0), ""), (True, 0, (1, 1, 1, 0, 0, 0), SMALL), (True, 1, (0, 0, 0, 0, 0, 0), SMALL),
    (True, 1, (0, 1, 1, 0, 0, 0), SMALL), (True, 1, (1, 1, 2, 0, 0, 0), ""), (True, 1, (1, 1, 3, 0, 0, 0), TRIANGLE),
    (True, 1, (1, 1, 1, 2, 0, 0), SMALL), (True, 1, (1.3, 0.7, 3, 0.2, 0, 0), TRIANGLE),
    (True, 1e-16, (1, 1, 1, 0, 0, 0), SMALL), (True, 1, (2e-15, 2e-15, 2e-15, 0, 0, 0), ""),
    (True, 1, (5e-15, 5e-15, 5e-15, 1e-20, 0, 0), EIGEN), (False, 1, (1, 1, 3, 0, 0, 0), TRIANGLE),
    (False, 1, (0, 1, 1, 0, 0, 0), ""), (False, 0, (0, 0, 0, 0, 0, 0), ""), (False, 1, (1, 1, 1, 2, 0, 0), EIGEN),
    (False, 1, (0, 0, 0, 0, 0, 0), ""),
]  # fmt: skip


@pytest.mark.parametrize("fixed", [False, True], ids=["alone", "with a fixed body"])
@pytest.mark.parametrize(("joint", "mass", "six", "said"), BODIES)
def test_what_mujoco_refuses_is_said_before(
    joint: bool, mass: float, six: Sequence[float], said: str, fixed: bool, tmp_path: Path
) -> None:
    keys = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), six, strict=True)
    moments = " ".join(f'{key}="{value!r}"' for key, value in keys)
    kind = "continuous" if joint else "fixed"
    other = f'<link name="c"><inertial><mass value="1"/>{INERTIA}</inertial></link>' if fixed else ""
    other += '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>' if fixed else ""
    text = f"""<robot name="r"><link name="world"/><link name="b"><inertial><mass value="{mass!r}"/><inertia {moments}/>
      </inertial></link><joint name="j" type="{kind}"><parent link="world"/><child link="b"/></joint>{other}</robot>"""
    said = "" if fixed and said == SMALL and six[3] == 0 else EIGEN if fixed and said == SMALL else said
    made = mbconcord.convert(mbconcord.read(text=text, format="urdf"), to="mjcf", physics="ignore")
    told = [d.message for d in made.diagnostics if d.message.startswith("MuJoCo will refuse this: body b, ")]
    assert bool(told) == bool(said) and all(said in message for message in told)
    pytest.importorskip("mujoco", reason="mujoco is not installed: its word is not heard")
    assert bool(made.open(str(tmp_path / "x.xml"))) == bool(said)
    found = [d.message for d in registry.read_text(made.text, "x.xml", "mjcf").diagnostics]
    assert bool([m for m in found if "MuJoCo" in m]) == bool(said)


def test_verify_ends_with_3_where_mujoco_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    source, out = tmp_path / "a.urdf", tmp_path / "a.xml"
    source.write_text(URDF.replace('izz="0.1"', 'izz="0.3"'))
    assert main(["convert", str(source), str(out), "--verify"]) == 3 and not out.exists()
    told = capsys.readouterr().err
    assert "MuJoCo will refuse this: body a, its inertia breaks the triangle inequality: 0.3 > 0.1 + 0.1 kg m²" in told
    assert "refuses it: Error: inertia must satisfy A + B >= C" in told and "(--force writes it)" in told
    assert main(["convert", str(source), str(out), "--verify", "--force"]) == 3 and out.exists()


def test_opening_says_nothing_of_other_formats() -> None:
    assert refusal("urdf", "<robot/>", "-") == ""
