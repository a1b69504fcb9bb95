"""MJCF: what is left out of the model, and what is refused and where."""

from __future__ import annotations

import pytest

from mbconcord.converters import registry
from mbconcord.fixtures import folder
from mbconcord.model import ReadError

from .mjcf_texts import MASS, body, read, world

LEFT_OUT = {
    "frictionloss": (body('<joint frictionloss="0.2"/>'), "joint-friction", "forces"),
    "stops": (body('<joint limited="true" range="0 1"/>'), "joint-limit", "none"),
    "a shape": (body("<joint/>", MASS + '<geom size="1"/>'), "collision-shape", "none"),
    "a fluid": (body("<joint/>", before='<option density="1"/>'), "medium", "forces"),
    "a muscle": (body('<joint name="j"/>', after='<actuator><muscle joint="j"/></actuator>'), "actuator", "forces"),
    "states": (body('<joint name="j"/>', after='<actuator><general joint="j" dyntype="integrator"/></actuator>'),
               "actuator", "forces"),
    "a site's drive against another": (body("<joint/>", f'{MASS}<site name="s"/>',
                                       after='<actuator><position site="s" refsite="s" gear="0 0 0 1"/></actuator>'),
                                       "actuator", "forces"),
    "a site's drive by its speed": (body("<joint/>", f'{MASS}<site name="s"/>',
                                    after='<actuator><velocity site="s" kv="2"/></actuator>'), "actuator", "forces"),
    "a spring of a ball": (body('<joint type="ball" stiffness="1"/>'), "joint-spring", "forces"),
    "a spring by its time": (body('<joint type="ball" springdamper="1 1"/>'), "joint-spring", "forces"),
    "a mesh": (body("<joint/>", MASS.replace("inertial", "x")[:0] + '<geom type="mesh" mesh="m"/><inertial pos="0 0 0" '
               'mass="1" diaginertia="1 1 1"/>', before='<asset><mesh name="m" file="no.stl"/></asset>'),
               "collision-shape", "none"),
    "a sensor": (body("<joint/>", after='<sensor><clock name="c"/></sensor>'), "sensor", "none"),
    "a key": (body("<joint/>", after='<keyframe><key name="k"/></keyframe>'), "state", "none"),
    "a camera": (body("<joint/>", MASS + '<camera name="c"/>'), "image", "none"),
    "a contact": (body("<joint/>", after='<contact><exclude body1="a" body2="a"/></contact>'), "contact", "none"),
    "an extension": (body("<joint/>", after='<extension><plugin plugin="p"/></extension>'), "extension", "unknown"),
    "an attribute": (body('<joint armatur="1"/>'), "attribute", "unknown"),
    "a block": (body("<joint/>", MASS + "<wheel/>"), "block", "unknown"),
    "a rope": (body("<joint/>", MASS + '<site name="s"/><site name="w" pos="0 0 3"/>',
                    after='<tendon><spatial range="0 1"><site site="s"/><site site="w"/></spatial></tendon>'),
               "joint-limit", "forces"),
    "a comment": (body("<joint/><!-- said -->"), "comment", "none"),
    **{f"{drive}, {limits}": (body(f'<joint name="j" {joint}/>',
                                         after=f'<actuator><{drive} joint="j" {limits}/></actuator>'),
                      "saturation", effect)
       for drive, joint, limits, effect in (
           ("damper", "", 'forcerange="-1 1"', "none"), ("motor", "", 'forcerange="-1 1"', "none"),
           ("position", "", 'ctrlrange="-1 1"', "none"), ("position", "", 'ctrlrange="1 2"', "forces"),
           ("position", 'actuatorfrcrange="-1 1"', "", "forces"), ("motor", 'actuatorfrcrange="-1 1"', "", "none"),
       )},
}  # fmt: skip


@pytest.mark.parametrize("case", LEFT_OUT)
def test_what_is_left_out(case):
    text, kind, effect = LEFT_OUT[case]
    found = {o.kind: o.effect for o in read(text).system.omissions}
    assert found.pop(kind) == effect
    assert set(found) <= {"material", "site", "collision-shape"}


def test_a_mesh_whose_inertia_is_not_known_stands_in_the_verdict():
    before = '<asset><mesh name="m" file="no.stl"/></asset>'
    reading = read(body("<joint/>", '<geom type="mesh" mesh="m"/>', before=before))
    (left,) = [o for o in reading.system.omissions if o.kind == "computed-inertia"]
    assert left.effect == "inertia" and "no.stl" in left.what


REFUSED = {
    "no joint axis": (body('<joint name="j" axis="0 0 0"/>'), "'j' is zero"),
    "a size": (body("<joint/>", '<geom type="box" size="1"/>'), "found 1 number, expected 3"),
    "no size": (body("<joint/>", "<geom/>"), "found 0 numbers, expected 1"),
    "a negative size": (body("<joint/>", '<geom size="-1"/>'), "is not positive"),
    "a negative mass": (body("<joint/>", '<geom size="1" mass="-1"/>'), "negative mass"),
    "ends that coincide": (body("<joint/>", '<geom type="capsule" size="1" fromto="1 1 1 1 1 1"/>'), "coincide"),
    "words": (body('<joint axis="a b c"/>'), "'a' is not a finite number"),
    "too few": (body('<joint axis="1 0"/>'), "expected 3 numbers"),
    "too many": (body('<joint damping="1 2 3 4"/>'), "expected 1 to 3"),
    "an unknown class": (body('<joint class="x"/>'), "there is no class 'x'"),
    "an unknown type": (body('<joint type="hing"/>'), "hinge"),
    "two orientations": (body("<joint/>", pose='euler="0 0 0" quat="1 0 0 0"'), "turned by one of them"),
    "a zero quaternion": (body("<joint/>", pose='quat="0 0 0 0"'), "no direction"),
    "flat axes": (body("<joint/>", pose='xyaxes="1 0 0 2 0 0"'), "no direction"),
    "twice the same name": (world(2 * f'<body name="a"><joint/>{MASS}</body>'), "'a' stands twice, first in line 1"),
    "a body called world": (world('<body name="world"/>'), "that is the fixed frame"),
    "a joint of the world": (world('<joint name="j"/>'), "a joint of the world"),
    "a free joint within": (world(f'<body><joint/>{MASS}<body><freejoint/>{MASS}</body></body>'), "free joint"),
    "behind a ball": (body('<joint type="ball"/><joint/>'), "behind a ball"),
    "a full tensor turned": (body("<joint/>", '<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0" '
                             'euler="1 0 0"/>'), "fullinertia and an orientation"),
    "no pos": (body("<joint/>", '<inertial mass="1" diaginertia="1 1 1"/>'), "has no pos"),
    "an unknown joint": (body("<joint/>", after='<actuator><motor joint="k"/></actuator>'), "no joint 'k'"),
    "an unknown body": (body("<joint/>", after='<equality><weld body1="k"/></equality>'), "no body 'k'"),
    "global coordinates": (body("<joint/>", before='<compiler coordinate="global"/>'), "global coordinates"),
    "bodies by rules": (world('<composite type="cable"/>'), "rules of MuJoCo's own"),
    "an include from outside": (body('<include file="../x.xml"/>'), "outside the folder"),
    "an include without file": (body("<include/>"), "without file"),
    "no such include": (body('<include file="none.xml"/>'), "No such file"),
    "no bodies": ("<mujoco/>", "without <worldbody>"),
    "another root": ("<robot/>", "expected <mujoco>"),
    "an order of angles": (body("<joint/>", before='<compiler eulerseq="xyw"/>'), "three of x, y, z"),
    "groups between whole ones": (body(before='<compiler inertiagrouprange="0.5 3"/>'),
                                  "inertiagrouprange of <compiler>: found '0.5 3', expected whole numbers"),
    "groups with an exponent": (body(before='<compiler inertiagrouprange="0 3e0"/>'), "expected whole numbers"),
    "one group": (body(before='<compiler inertiagrouprange="3"/>'), "expected 2 numbers"),
    "a group of no number": (body("<joint/>", '<geom size="0.3" group="x"/>'), "found 'x', expected whole numbers"),
    "half a group": (body("<joint/>", '<geom size="0.3" group="1.5"/>'), "found '1.5', expected whole"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    text, said = REFUSED[case]
    with pytest.raises(ReadError) as caught:
        registry.read_text(text, "model.xml", "mjcf")
    assert all(d.location is not None for d in caught.value.diagnostics)
    assert said in str(caught.value)


def test_from_standard_input_nothing_is_included():
    with pytest.raises(ReadError, match="included from standard input"):
        registry.read_text(body('<include file="x.xml"/>'), "-", "mjcf")


def test_a_file_of_a_robot_called_xml_is_read_as_what_it_is(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text((folder() / "urdf" / "arm.urdf").read_text("utf-8"))
    assert registry.read(path).format == "urdf"
