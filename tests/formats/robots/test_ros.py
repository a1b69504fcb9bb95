"""What ROS refuses and this reader takes is a warning: urdfdom's rules, in its words."""

from __future__ import annotations

import re

import pytest

from mbconcord.converters import registry
from mbconcord.model.diagnostics import ReadError

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TEXT = f"""<robot name="r"><link name="a"/><link name="b">{BODY}</link>
  <joint name="j" type="revolute"><origin xyz="1 2 3"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/></joint></robot>"""
LIMIT = '<limit lower="-1" upper="1" effort="2" velocity="3"/>'
PAINT = '<material name="m"><color rgba="1 0 0 1"/></material>'
REFUSED = {
    "no limit": (LIMIT, "", "joint 'j' is of type REVOLUTE but it does not specify limits"),
    "no effort": (' effort="2"', "", "joint 'j' has a <limit> without effort"),
    "no velocity": (' velocity="3"', "", "joint 'j' has a <limit> without velocity"),
    "empty dynamics": (LIMIT, f"{LIMIT}<dynamics/>", "joint 'j' has <dynamics> with no damping and no friction"),
    "safety": (
        LIMIT,
        f'{LIMIT}<safety_controller k_position="1"/>',
        "joint 'j' has a <safety_controller> without k_ve",
    ),
    "material": ("</robot>", f"{PAINT}{PAINT}</robot>", "material 'm' is not unique"),
    "no name": ('<robot name="r">', "<robot>", "no name given for the robot"),
    "version": ('name="r"', 'name="r" version="2.0"', "version '2.0' is none of 1.0, 1.1, 1.2"),
    "infinite": ('lower="-1"', 'lower="-inf"', "joint 'j' has a <limit> whose lower (-inf) is not a valid float"),
    "empty": ('upper="1"', 'upper=""', "joint 'j' has a <limit> whose upper () is not a valid float"),
    "safe": (
        LIMIT,
        f'{LIMIT}<safety_controller k_velocity="x"/>',
        "joint 'j' has a <safety_controller> whose k_velocity (x) is not a valid float",
    ),
    "blank behind": ('upper="1"', 'upper="1 "', "<limit> whose upper (1 ) is not a valid float: a blank or"),
    "break behind": (
        LIMIT,
        f'{LIMIT}<dynamics damping="2\n"/>',
        "joint 'j' has a <dynamics> whose damping (2 ) is not a valid float: a blank or a line break is behind it",
    ),
    "mimic": (
        "</joint></robot>",
        '<mimic joint="k" multiplier="2\t"/></joint><link name="c"/>'
        '<joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint></robot>',
        "joint 'j' has a <mimic> whose multiplier (2 ) is not a valid float",
    ),
    "calibration": (
        LIMIT,
        f'{LIMIT}<calibration rising="0 "/>',
        "joint 'j' has a <calibration> whose rising (0 ) is not",
    ),
    "world": (
        "</robot>",
        '<joint name="k" type="fixed"><parent link="world"/><child link="a"/></joint></robot>',
        "no link 'world'; it is read as the fixed frame, as Drake does (ROS refuses the file: parent link [world] of"
        " joint [k] not found",
    ),
    "ball": ('type="revolute"', 'type="spherical"', "joint 'j' has no known type [spherical]"),
    "line break": (
        'xyz="1 2 3"',
        'xyz="1 2\n3"',
        "between its numbers: ROS refuses the file: Unable to parse component [2\\n3] to a double",
    ),
    "break at the end": ('xyz="1 2 3"', 'xyz="1 2 3\n"', "ROS refuses the file: Unable to parse component [3\\n] to a"),
    "break alone": (
        'xyz="1 2 3"',
        'xyz="1 \n 2 3"',
        "ROS refuses the file: Unable to parse component [\\n] to a double",
    ),
    "tab": ("xyz='0 0 1'", "xyz='0\t0 1'", "ROS refuses the file: Unable to parse component [0\\t0] to a double"),
}
TAKEN = {
    "continuous": ('type="revolute"', 'type="continuous"'),
    "fixed": ('type="revolute"', 'type="fixed"'),
    "a comment": ("</robot>", '<!-- xyz="1 2\n3" --></robot>'),
    "a break after a blank": ('xyz="1 2 3"', 'xyz="1 \n2 3"'),
    "a break before all": ('xyz="1 2 3"', 'xyz="\n1  2 3"'),
    "a break before a number": ('upper="1"', 'upper="\n 1"'),
    "what urdfdom does not read": ('upper="1"', 'upper="1" other="x"'),
    "as it is": ("", ""),
}


def said(text: str) -> list[str]:
    """Return the messages about ROS."""
    return [d.message for d in registry.read_text(text, "r.urdf").diagnostics if "ROS" in d.message]


@pytest.mark.parametrize("case", REFUSED)
def test_what_urdfdom_refuses_is_a_warning(case: str) -> None:
    old, new, message = REFUSED[case]
    text = TEXT.replace('xyz="0 0 1"', "xyz='0 0 1'")
    assert old in text and not said(text)
    (found,) = said(text.replace(old, new))
    assert message in found


@pytest.mark.parametrize("case", TAKEN)
def test_what_urdfdom_takes_is_none(case: str) -> None:
    assert not said(TEXT.replace(LIMIT, "" if case in ("continuous", "fixed") else LIMIT).replace(*TAKEN[case]))


@pytest.mark.parametrize("case", [*REFUSED, *TAKEN])
def test_pinocchio_refuses_these_and_no_others(case: str) -> None:
    """By the same parser; a line break in rpy or xyz is refused, and elsewhere it may be dropped."""
    pinocchio = pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")
    text = TEXT.replace('xyz="0 0 1"', "xyz='0 0 1'")
    text = text.replace(LIMIT, "") if case in ("continuous", "fixed") else text
    text = text.replace(*(REFUSED[case][:2] if case in REFUSED else TAKEN[case]))
    try:
        pinocchio.buildModelFromXML(text)
    except ValueError:
        assert case in REFUSED
    else:
        assert case in TAKEN


#: What stands first in a link -> what urdfdom does with a line break in it.
DROPPED = {
    '<inertial><origin xyz="1\n2 3"/>': "ROS reads a link without mass: Unable to parse component [1\\n2] to a double",
    '<visual><origin rpy="0\n0 0"/><geometry><sphere radius="1"/></geometry></visual><inertial>': (
        "ROS goes on without the element: Unable to parse component [0\\n0] to a double"
    ),
    '<collision><geometry><box size="1\t1 1"/></geometry></collision><inertial>': (
        "ROS goes on without the element: Unable to parse component [1\\t1] to a double"
    ),
    '<!-- <joint --><inertial><!-- <visual --><origin xyz="1 2\n3"/>': "ROS reads a link without mass: ",
}


#: A number of a link with a blank behind it -> what urdfdom makes of the link: mass and moment about z.
BLANKS = {
    '<mass value="1\n"/>': ("ROS reads a link without mass: <mass> has a number that it cannot read, value (1 )", 0, 0),
    'ixx="1 "': ("ROS reads moments of inertia that are zero: <inertia> has a number that it cannot read, ixx", 1, 0),
    'izz="1\t"': ("ROS reads moments of inertia that are zero", 1, 0),
    '<mass value="\n1"/>': ("", 1, 1),
    'iyy=" 1"': ("", 1, 1),
}


@pytest.mark.parametrize("new", BLANKS)
def test_blank_behind_a_number_of_a_link(new: str) -> None:
    message, mass, moment = BLANKS[new]
    text = TEXT.replace(re.sub('"[^"]*"', '"1"', new), new)
    assert text != TEXT
    found = said(text)
    assert len(found) == bool(message) and all(message in m and "link 'b'" in m for m in found)
    pinocchio = pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")
    own = pinocchio.buildModelFromXML(text).inertias[1]
    assert (own.mass, own.inertia[2, 2]) == (mass, moment)


def test_first_number_that_urdfdom_cannot_read_decides() -> None:
    text = TEXT.replace('<mass value="1"/>', "").replace("</inertial>", '<mass value="1 "/></inertial>')
    (found,) = said(text.replace('ixx="1"', 'ixx="1 "'))
    assert "ROS reads a link without mass" in found


def test_shape_with_a_blank_behind_its_radius_is_dropped_by_ros() -> None:
    shape = '<visual><geometry><sphere radius="1 "/></geometry></visual>'
    (found,) = said(TEXT.replace("<inertial>", f"{shape}<inertial>"))
    assert "ROS goes on without the element: <sphere> has a number that it cannot read, radius (1 )" in found


@pytest.mark.parametrize("begin", DROPPED)
def test_what_urdfdom_drops_is_said(begin: str) -> None:
    (found,) = said(TEXT.replace("<inertial>", begin))
    assert DROPPED[begin] in found


def test_pinocchio_reads_a_link_without_mass() -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="pinocchio is not installed: the extra peers")
    text = TEXT.replace("<inertial>", next(iter(DROPPED)))
    assert pinocchio.buildModelFromXML(text).inertias[1].mass == 0


#: A file that nobody reads, and the words in which urdfdom refuses it.
NEITHER = {
    '<link name="a"/><link name="a"/>': "link 'a' is not unique",
    '<link name="b"/><link name="a"/>': "Two root links found: [a] and [b]",
    "": "No link elements found in urdf file",
    '<link name="a"/><link name="b"/><link name="c"/>'
    + "".join(f'<joint name="j" type="fixed"><parent link="a"/><child link="{b}"/></joint>' for b in "bc"): (
        "joint 'j' is not unique"
    ),
}


@pytest.mark.parametrize("inside", NEITHER)
def test_what_both_refuse_is_in_the_words_of_urdfdom_too(inside: str) -> None:
    with pytest.raises(ReadError, match=re.escape(f"(ROS: {NEITHER[inside]})")):
        registry.read_text(f'<robot name="r">{inside}</robot>', "r.urdf")


def test_warning_names_the_place() -> None:
    found = registry.read_text(TEXT.replace('xyz="1 2 3"', 'xyz="1 2\n3"'), "r.urdf").diagnostics
    assert [(d.location.line, d.location.column) for d in found if d.location] == [(2, 43)]


def test_a_world_that_a_joint_carries_is_no_fixed_frame() -> None:
    joint = '<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/></joint>'
    made = f'<robot name="r"><link name="a"/><link name="b"/>{joint}{joint}</robot>'
    with pytest.raises(ReadError, match="there is no link 'world'"):
        registry.read_text(made.format("j", "a", "world", "k", "world", "b"), "r.urdf")
