"""SDF: what is left out, refused, included and remarked, and where it stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model import ReadError

from ..um.um_files import placed
from .sdf_texts import AXIS, MASS, A, B, C, D, frame, joint, link, model, pose, read, turned, within

FILES = sorted((folder() / "sdf").glob("*.sdf"))

ROUGH = "<axis><xyz>0 0 1</xyz><dynamics><friction>2</friction></dynamics></axis>"
STOP = "<axis><xyz>0 0 1</xyz><limit><lower>0</lower></limit></axis>"
DAMPED = "<axis><xyz>0 0 1</xyz><dynamics><damping>1</damping></dynamics></axis>"
FLUID = "<inertial><mass>1</mass><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>"
MESH = '<collision name="c"><geometry><mesh><uri>x</uri></mesh></geometry></collision>'
LEFT_OUT = {
    "friction": (link() + joint(inside=ROUGH), "stiction/j", "none"),
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
    "friction where a loop closes": (link() + joint() + joint(inside=ROUGH, name="k"), "joint-friction/k", "forces"),
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


@pytest.mark.parametrize("place", [place for _, place, effect in LEFT_OUT.values() if place.endswith("/k")])
def test_what_is_left_out_where_a_loop_closes_has_the_place_of_its_axis(place):
    text = model(
        link()
        + joint()
        + "\n\n"
        + joint(inside=ROUGH.replace("<friction>", "<damping>1</damping><friction>"), name="k")
    )
    assert read(text).locations[f"omissions/{place}"].line == text[: text.rindex("<axis>")].count("\n") + 1


def geared(against: str, axes: str = "", joints: str = "") -> str:
    """Two links that turn against a third, and a gearbox in line 3, whose reference body stands in line 4."""
    joints = joints or joint("revolute", "c a", name="p") + joint("revolute", "c b", name="q")
    axes = axes or AXIS + AXIS.replace("axis", "axis2")
    inside = f"\n<gearbox_reference_body>{against}</gearbox_reference_body>{axes}"
    parts = link("c") + link("a") + link("b") + joint("fixed", "world c", "", "f") + "\n" + joints
    return model(parts + "\n" + joint("gearbox", "a b", inside, "g"))


REFUSED = {
    "another root": ('<robot name="r"/>', (1, 1), ("<robot>", "expected <sdf>")),
    "no version": ("<sdf><model name='m'/></sdf>", (1, 1), ("version of <sdf>", "1.4 to 1.12")),
    "an old version": ("<sdf version='1.3'><model name='m'/></sdf>", (1, 1), ("SDF 1.3", "gz sdf")),
    "nothing": ('<sdf version="1.9"/>', (1, 1), ("without <model>",)),
    "several models": (
        '<sdf version="1.9">\n<model name="a"/>\n<model name="b"/></sdf>', (3, 1), ("'b'", "of its own")
    ),
    "an unknown type": (model("\n" + link() + "\n" + joint("hinge")), (3, 1), ("'hinge'", "known:")),
    "a gearbox against nothing": (
        model("\n" + joint("gearbox") + link()), (2, 1), ("no <gearbox_reference_body>", "name the link")
    ),
    "a gearbox against an unknown link": (geared("d"), (4, 1), ("no link or frame 'd'",)),
    "a gearbox of one axis": (geared("c", "<axis><xyz>0 0 1</xyz></axis>"), (3, 1), ("no <axis2>",)),
    "a gearbox against one of its links": (geared("a"), (3, 1), ("'a' and 'a'", "no joint that moves")),
    "a gearbox of a link that is free": (
        geared("c", joints=joint("revolute", "c a", name="p")), (3, 1), ("'b' and 'c'", "is no path", "one revolute"),
    ),
    "a gearbox of a slide": (
        geared("c", joints=joint("prismatic", "c a", name="p") + joint("revolute", "c b", name="q")), (3, 1),
        ("between them is 'p'", "one revolute joint"),
    ),
    "a gearbox over two joints": (
        geared("c", joints=joint("revolute", "c a", name="p") + joint("revolute", "a b", name="q")), (3, 1),
        ("between them is 'q', 'p'",),
    ),
    "a gearbox of one turn": (
        geared("c", joints=joint("revolute", "c a", name="p") + joint("fixed", "a b", "", "q")), (3, 1),
        ("turn with the joint 'p'", "a joint of its own"),
    ),
    "a gearbox beside the axis": (
        geared("c", "<axis><xyz>0 0 1</xyz></axis>\n<axis2><xyz>0 0.01 1</xyz></axis2>"), (5, 1),
        ("<axis2>", "not along the axis of the joint 'q'", "one direction"),
    ),
    "no axis": (model("\n" + joint(inside="") + link()), (2, 1), ("has no <axis>",)),
    "a zero axis": (model(link() + joint(inside="<axis>\n<xyz>0 0 0</xyz></axis>")), (2, 1), ("no direction",)),
    "no child": (model('\n<joint name="j" type="fixed"><parent>a</parent></joint>' + link()), (2, 1), ("no <child>",)),
    "an unknown link": (model(link() + joint(ends="world\n a")).replace("<child>", "\n<child>b"), (2, 1), ("'ba'",)),
    "an unknown frame": (model(link(pose=pose("", "\nrelative_to='x'"))), (1, 53), ("no frame 'x'",)),
    "a frame of old": (
        model(link() + link("b", pose="\n" + pose("1 0 0 0 0 0", "frame='a'")), version="1.6"), (2, 1),
        ("frame='a'", "programs ignore it", "write relative_to in SDF 1.7"),
    ),
    "a frame of old, of a mass": (
        model(link() + link("b", "<inertial>\n<pose frame='a'/><mass>1</mass></inertial>"), version="1.5"), (2, 1),
        ("frame='a'",),
    ),
    "a circle of poses": (
        model(link(pose=pose("", "relative_to='f'")) + "\n<frame name='f'><pose relative_to='a'/></frame>"), (1, 38),
        ("'a' is given by itself",),
    ),
    "a circle of attachments": (
        model(link() + "\n<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"), (2, 1), ("itself",)
    ),
    "a frame of no link": (
        model("\n<frame name='f'/>" + joint(ends="world f")), (2, 1), ("moves with no link", "attach it")
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


def included(tmp_path: Path, uri: str, more: str = "", own: str = "") -> Path:
    inner = tmp_path / "leg"
    inner.mkdir()
    (inner / "model.sdf").write_text(model(f'{own}{link(pose=pose(B))}<frame name="f">{pose(C)}</frame>'), "utf-8")
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


@pytest.mark.parametrize(
    ("more", "own", "there"),
    [
        ("", "", frame(B)),
        ("", pose(A), frame(A) @ frame(B)),
        (pose(D), pose(A), frame(D) @ frame(B)),
        (within(D, "t"), "", frame(D) @ frame(B)),
        (within(D, "t") + "<placement_frame>f</placement_frame>", "", frame(D) @ np.linalg.inv(frame(C)) @ frame(B)),
        (within(D, "t") + "<placement_frame>a</placement_frame>", "", frame(D)),
    ],
)
def test_a_model_that_is_merged(tmp_path, more, own, there):
    path = included(tmp_path, "leg", f"<name>one</name>{more}", own)
    text = path.read_text("utf-8").replace("<include>", '<include merge="true">')
    path.write_text(text.replace("</model>", f'<frame name="g" attached_to="f">{pose(A)}</frame></model>'), "utf-8")
    system = registry.read(path).system
    assert [body.name for body in system.bodies] == ["t", "a"]  # no name of a model before them
    found = placed(system, dict.fromkeys(system.coordinate_names, 0.0))["a"]
    np.testing.assert_allclose(found[:3], there[:3], atol=2e-15)


@pytest.mark.parametrize("merge", ["false", "true"])
@pytest.mark.parametrize(
    ("version", "xyz", "R"),
    [
        ("1.9", '<xyz expressed_in="__model__">0 0 1</xyz>', frame(D)),
        ("1.9", "<xyz>0 0 1</xyz>", frame(D) @ frame(B)),
        ("1.5", "<xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame>", frame(D)),
        ("1.4", "<xyz>0 0 1</xyz>", frame(D)),
    ],
)
def test_axes_of_an_included_model_are_in_the_frame_of_its_version(tmp_path, merge, version, xyz, R):
    path = included(tmp_path, "leg", f"<name>one</name>{pose(D)}")
    path.write_text(path.read_text("utf-8").replace("<include>", f'<include merge="{merge}">'), "utf-8")
    inner = link("b") + link(pose=pose(B)) + joint(ends="b a", inside=f"<axis>{xyz}</axis>")
    (tmp_path / "leg" / "model.sdf").write_text(model(inner, version=version), "utf-8")
    system = registry.read(path).system
    prefix = "" if merge == "true" else "one::"
    still = dict.fromkeys(system.coordinate_names, 0.0)
    before, after = (placed(system, still | {f"{prefix}j": q})[f"{prefix}a"] for q in (0.0, 0.5))
    turn = R[:3, :3] @ turned("z", 0.5) @ R[:3, :3].T @ before[:3, :3]
    np.testing.assert_allclose(after[:3, :3], turn, atol=2e-15)


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
        f"{kind}/{x.name}" for kind in ("forces", "constraints", "armatures") for x in getattr(reading.system, kind)
    }
    assert places <= reading.locations.keys()
    assert all(at.line > 1 and at.file == str(path) for at in (reading.locations[p] for p in places))
