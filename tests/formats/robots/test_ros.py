"""What ROS refuses and this reader takes is a warning: urdfdom's rules, in its words."""

from __future__ import annotations

import pytest

from mbconcord.converters import registry

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
TEXT = f"""<robot name="r"><link name="a"/><link name="b">{BODY}</link>
  <joint name="j" type="revolute"><origin xyz="1 2 3"/><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/></joint></robot>"""
LIMIT = '<limit lower="-1" upper="1" effort="2" velocity="3"/>'
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
    "material": ("</robot>", '<material name="m"/><material name="m"/></robot>', "material 'm' is not unique"),
    "line break": ('xyz="1 2 3"', 'xyz="1 2\n3"', "xyz has a line break or a tab between its numbers"),
    "tab": ("xyz='0 0 1'", "xyz='0\t0 1'", "xyz has a line break or a tab between its numbers"),
}
TAKEN = {
    "continuous": ('type="revolute"', 'type="continuous"'),
    "fixed": ('type="revolute"', 'type="fixed"'),
    "a comment": ("</robot>", '<!-- xyz="1 2\n3" --></robot>'),
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


def test_warning_names_the_place() -> None:
    found = registry.read_text(TEXT.replace('xyz="1 2 3"', 'xyz="1 2\n3"'), "r.urdf").diagnostics
    assert [(d.location.line, d.location.column) for d in found if d.location] == [(2, 43)]
