"""What robots' files get wrong, row by row in every format: a place, a reason, a remedy, and exit code 2.

None stands for what a format cannot say: SDF's joints have a default axis but no default element, its loops are
constraints and its roots are free; MJCF's bodies stand within each other.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mbconcord.cli import main

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
OWN = f'<inertial><mass value="2"/>{INERTIA}</inertial>'
BODY = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>'
MASS = "<inertial><mass>2</mass></inertial>"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>\n'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'


def urdf(joint: str = '<axis xyz="0 0 1"/>', own: str = OWN, more: str = "", parent: str = "base") -> str:
    return (
        f'<robot name="r">\n<link name="base"/>\n<link name="a">{own}</link>\n<joint name="j" type="continuous">'
        f'\n<parent link="{parent}"/><child link="a"/>\n{joint}</joint>\n{more}</robot>'
    )


def mjcf(joint: str = '<joint name="j"/>', own: str = BODY, more: str = "", before: str = "") -> str:
    inside = f'<body name="a">\n{joint}\n{own}</body>'
    return f'<mujoco model="r">\n{before}<worldbody>\n{inside}</worldbody>\n{more}</mujoco>'


def sdf(axis: str = "<axis><xyz>0 0 1</xyz></axis>", own: str = MASS, more: str = "", parent: str = "world") -> str:
    return (
        f'<sdf version="1.9">\n<model name="r">\n<link name="a">{own}</link>\n<joint name="j" type="revolute">'
        f"\n<parent>{parent}</parent><child>a</child>\n{axis}</joint>\n{more}</model></sdf>"
    )


def more_urdf(name: str, parent: str, child: str) -> str:
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>\n'


#: What is wrong: in each format the text, the line where it is, words of the reason and of the remedy.
ROWS: dict[str, dict[str, tuple[str, int, str, str] | None]] = {
    "a circle of links": {
        "urdf": (urdf(parent="b", more='<link name="b"/>\n' + more_urdf("k", "a", "b")), 4, "in a circle", "root"),
        "mjcf": None,
        "sdf": None,
    },
    "several roots": {
        "urdf": (urdf(more='<link name="b"/>\n'), 7, "2 links hang on no joint: base, b", "fixed or floating"),
        "mjcf": None,
        "sdf": None,
    },
    "a joint without an axis": {"urdf": None, "mjcf": None, "sdf": (sdf(""), 4, "has no <axis>", "<axis>")},
    "a zero axis": {
        "urdf": (urdf('<axis xyz="0 0 0"/>'), 6, "'j' is zero", "0 0 1"),
        "mjcf": (mjcf('<joint name="j" axis="0 0 0"/>'), 4, "'j' is zero", "0 0 1"),
        "sdf": (sdf("<axis>\n<xyz>0 0 0</xyz></axis>"), 7, "'j' is zero", "0 0 1"),
    },
    "an unknown parent": {
        "urdf": (urdf(parent="bse"), 5, "no link 'bse'", "did you mean 'base'"),
        "mjcf": (mjcf(more='<equality>\n<weld body1="b"/></equality>'), 7, "no body 'b'", "known: world, a"),
        "sdf": (sdf(parent="bse"), 5, "'bse'", "known: "),
    },
    "a negative mass": {
        "urdf": (urdf(own=OWN.replace('"2"', '"-2"')), 3, "-2 kg", "not negative"),
        "mjcf": (mjcf(own=BODY.replace('"2"', '"-2"')), 5, "-2 kg", "not negative"),
        "sdf": (sdf(own="<inertial>\n<mass>-2</mass></inertial>"), 4, "-2 kg", "not negative"),
    },
    "entities that grow": {
        "urdf": (LAUGHS + urdf(own="&c;"), 1, "document type", "remove <!DOCTYPE"),
        "mjcf": (LAUGHS + mjcf(own="&c;"), 1, "document type", "remove <!DOCTYPE"),
        "sdf": (LAUGHS + sdf(own="&c;"), 1, "document type", "remove <!DOCTYPE"),
    },
    "an entity from outside": {
        "urdf": (OUTSIDE + urdf(own="&a;"), 1, "document type", "remove <!DOCTYPE"),
        "mjcf": (OUTSIDE + mjcf(own="&a;"), 1, "document type", "remove <!DOCTYPE"),
        "sdf": (OUTSIDE + sdf(own="&a;"), 1, "document type", "remove <!DOCTYPE"),
    },
    "an inclusion from outside the folder": {
        "urdf": (urdf(more='<xacro:include filename="../x.xacro"/>'), 7, "macros", "xacro"),
        "mjcf": (mjcf(more='<include file="../x.xml"/>'), 6, "outside the folder", "folder"),
        "sdf": (sdf(more="<include><uri>../x</uri></include>"), 7, "outside the folder", "folder"),
    },
    "mixed units": {
        "urdf": (urdf('<origin xyz="10cm 0 0"/>'), 6, "'10cm'", "write 0.1"),
        "mjcf": (mjcf('<joint name="j" pos="10cm 0 0"/>'), 4, "'10cm'", "write 0.1"),
        "sdf": (sdf(own=f"\n<pose>10cm 0 0 0 0 0</pose>{MASS}"), 4, "'10cm'", "write 0.1"),
    },
}
TABLE = [(name, kind) for name, row in ROWS.items() for kind, case in row.items() if case is not None]


@pytest.mark.parametrize(("name", "kind"), TABLE, ids=lambda x: x)
def test_bad_input(name: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = ROWS[name][kind]
    assert case is not None
    text, line, reason, remedy = case
    file = tmp_path / f"robot.{'xml' if kind == 'mjcf' else kind}"
    file.write_text(text, "utf-8")
    code = main(["check", str(file)])
    shown = capsys.readouterr()
    assert code == 2 and shown.out == "1 file: 1 refused\n", shown
    first = shown.err.splitlines()[0]
    found = re.fullmatch(r".*:(\d+):\d+: error: (.*) \((.*)\)", first)
    assert found, first
    assert int(found[1]) == line and reason in found[2] and remedy in found[3], first


#: What is said of files that are read all the same: the line, its words, and what is left out of the model.
NO_MESH = "<collision name='c'><geometry><mesh><uri>no.stl</uri></mesh></geometry></collision>"
NO_MASS = "<inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"
ASSET = '<asset><mesh name="m" file="no.stl"/></asset>\n'
SAID: dict[str, dict[str, tuple[str, str, str]]] = {
    "nothing that moves has mass": {
        "urdf": (urdf(own=""), ":3:1: warning: .* 'j' moves nothing with mass: .*it has no <inertial>.*give", ""),
        "mjcf": (mjcf(own=""), ":3:1: warning: .* 'a' moves, and nothing on it has mass.*give it mass", ""),
        "sdf": (sdf(own=NO_MASS), ":3:1: warning: .* 'a' moves, and nothing on it has mass.*give it mass", ""),
    },
    "a mesh that is missing, and inertia comes from it": {
        "mjcf": (mjcf(own='<geom type="mesh" mesh="m"/>', before=ASSET),
                 ":6:1: warning: .*no.stl: No such file.* <inertial>", "inertia .* image  a.1 +inertia"),
        "sdf": (sdf(own=f"<inertial auto='true'/>{NO_MESH}"),
                ":3:39: warning: .*no.stl: No such file.* <inertial>", "inertia .* image  c +inertia"),
    },
    "a mesh that is missing, and inertia does not": {
        "urdf": (urdf(own=OWN + "<visual><geometry><mesh filename='no.stl'/></geometry></visual>"), "",
                 "1 image +none"),
        "mjcf": (mjcf(own=BODY + '<geom type="mesh" mesh="m"/>', before=ASSET), "", "1 collision shape +where it"),
        "sdf": (sdf(own=MASS + NO_MESH), "", "1 collision shape +where it"),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, row in SAID.items() for kind in row], ids=lambda x: x
)
def test_what_is_said(name: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, warning, left_out = SAID[name][kind]
    file = tmp_path / f"robot.{'xml' if kind == 'mjcf' else kind}"
    file.write_text(text, "utf-8")
    assert main(["info", str(file)]) == 0
    shown = capsys.readouterr()
    assert re.search(warning, shown.err) and re.search(left_out, shown.out), shown
    assert bool(shown.err) == bool(warning), shown
