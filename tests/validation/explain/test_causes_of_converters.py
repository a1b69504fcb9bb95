"""Faults of converters are named first, in both orders: faults put into the text, as the audit found them."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import degrees

import pytest

import mbconcord
from mbconcord.validation.explain import search

AXES = ("0 0 1", "0 1 0", "0.6 0 0.8", "1 0 0", "0 0 1")
CENTRES = ("0.0112 -0.0347 0.0264", "0.0152 0.0289 -0.0406", "0.0262 -0.0498 -0.0055", "0.0401 -0.0469 0.0475",
           "0.0021 0.0013 0.0187")  # fmt: skip
PRODUCTS = ("0.0003041 0.0004963 0.0004596", "0.0001227 0.0007686 0.0004462", "0.0006772 0.000283 0.0008562",
            "0.0005331 0.0008513 0.000405", "0.0000211 0.0000132 0.0000341")  # fmt: skip
ORIGINS = ("0 0 0.0914", "0.01234 0.0237 0.20459", "0.0211 0.01957 0.1763", "0.0103 0.00211 0.1498", "0.0117 0 0.08765")


def urdf() -> str:
    """Return an arm of five links on a base that has an inertial and does not move, with a tool frame and a finger."""
    said = ""
    for i, (axis, centre, products, origin) in enumerate(zip(AXES, CENTRES, PRODUCTS, ORIGINS, strict=True), 1):
        xy, xz, yz = products.split()
        said += f"""
<link name="l{i}"><inertial><origin xyz="{centre}" rpy="0.2 0.1 0"/><mass value="{1.1 * (6 - i):.6g}"/>
<inertia ixx="0.0{i + 10}" ixy="{xy}" ixz="{xz}" iyy="0.0{i + 12}" iyz="{yz}" izz="0.009"/></inertial></link>
<joint name="j{i}" type="revolute"><parent link="l{i - 1}"/><child link="l{i}"/><origin xyz="{origin}"
 rpy="0.3 0.2 0.1"/><axis xyz="{axis}"/><dynamics damping="0.{i}" friction="0"/>
<limit lower="-2" upper="2" effort="50" velocity="3"/></joint>"""
    box = '<collision><geometry><box size="0.04 0.06 0.1"/></geometry></collision>'
    return f"""<robot name="r"><link name="l0"><inertial><mass value="4"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1"
 iyz="0" izz="0.12"/></inertial></link>{said}
<link name="tool">{box}</link><joint name="t" type="fixed"><parent link="l5"/><child link="tool"/>
<origin xyz="0.01 0 0.05"/></joint>
<link name="sensor"/><joint name="s" type="fixed"><parent link="l3"/><child link="sensor"/><origin xyz="0 0.1 0.05"/>
</joint>
<link name="finger"><inertial><origin xyz="0.01 0.02 0.03"/><mass value="0.2"/><inertia ixx="0.0002" ixy="0" ixz="0"
 iyy="0.0003" iyz="0" izz="0.0002"/></inertial></link><joint name="f" type="prismatic"><parent link="l5"/>
<child link="finger"/><origin xyz="0 0.02 0.1"/><axis xyz="0 1 0"/><limit lower="0" upper="0.1" effort="5"
 velocity="1"/><mimic joint="j5" multiplier="0.05" offset="0.01"/></joint></robot>"""


def free() -> str:
    """Return the arm on a base that moves freely."""
    return mjcf("<freejoint/>")


def mjcf(root: str = "") -> str:
    """Return the same arm in MJCF with armatures, gravity compensation and motors; ``root`` frees the base."""
    said = '<body name="tool" pos="0.01 0 0.05"/>'
    for i in reversed(range(1, 6)):
        said = f"""
<body name="l{i}" pos="{ORIGINS[i - 1]}" euler="0.3 0.2 0.1" gravcomp="0.{i}">
<joint name="j{i}" axis="{AXES[i - 1]}" damping="0.{i}" armature="0.0{i}" stiffness="{i}" frictionloss="0"
 range="-2 2"/><inertial pos="{CENTRES[i - 1]}" mass="{1.1 * (6 - i):.6g}"
 fullinertia="0.0{i + 10} 0.0{i + 12} 0.009 {PRODUCTS[i - 1]}"
/>{said}</body>"""
    base = '<inertial pos="0 0.01 0" mass="4" diaginertia="0.1 0.1 0.12"/>'
    motors = "".join(f'<motor name="m{i}" joint="j{i}" gear="50"/>' for i in range(1, 6))
    return f"""<mujoco model="r"><compiler angle="radian" autolimits="true"/><worldbody><body name="l0">{root}{base}
{said}</body></worldbody><equality><joint name="e" joint1="j5" joint2="j4" polycoef="0 0.5"/></equality>
<actuator>{motors}</actuator></mujoco>"""


def sub(pattern: str, by: str | Callable[[re.Match[str]], str], count: int = 0) -> Callable[[str], str]:
    """Return the change of a text that a converter makes everywhere, or so many times."""

    def change(text: str) -> str:
        new, times = re.subn(pattern, by, text, count=count, flags=re.DOTALL)
        assert times and new != text
        return new

    return change


def after(place: str, change: Callable[[str], str]) -> Callable[[str], str]:
    """Return a change behind a place of the text."""
    return lambda text: text[: text.index(place)] + change(text[text.index(place) :])


def rounded(found: re.Match[str]) -> str:
    """Round an offset to millimetres."""
    return f'origin xyz="{" ".join(f"{float(x):.3f}" for x in found[1].split())}"'


def scaled(name: str, factor: float) -> Callable[[re.Match[str]], str]:
    """Return the change of a number that multiplies it."""
    return lambda found: f'{name.format(found[1])}="{float(found[2]) * factor:.17g}"'


def noisy(text: str) -> str:
    """Round all numbers to six digits, a little off."""
    return sub(r"(?<![\w.])\d+\.\d{3,}", lambda found: f"{float(found[0]) * (1 + 4e-6):.6g}")(text)


INERTIA = '<inertial><mass value="{0}"/><inertia ixx="{1}" ixy="0" ixz="0" iyy="{2}" iyz="0" izz="{3}"/></inertial>'
ONE, LIGHT = INERTIA.format(1, 1, 1, 1), INERTIA.format("1e-3", "1e-9", "1e-9", "1e-9")
BOX = INERTIA.format(0.24, 0.000272, 0.000232, 0.000104)  # 4 × 6 × 10 cm at 1000 kg/m³

#: Fault: the robot, what a converter does to its text, and how the first cause begins; A and B turn with the files.
FAULTS = {
    "products dropped": (urdf, sub('i(xy|xz|yz)="[^"]*"', r'i\1="0"'), "products of inertia of 5 bodies dropped in B"),
    "products of one body dropped": (urdf, after('name="l3"', sub('i(xy|xz|yz)="[^"]*"', r'i\1="0"', 3)), "l3 tensor"),
    "inertial frames not turned": (
        urdf, sub('(<inertial><origin xyz="[^"]*") rpy="[^"]*"', r"\1"),
        "turns of inertial frames of 5 bodies dropped in B",
    ),
    "one inertial frame not turned": (
        urdf, after('name="l3"', sub('(<inertial><origin xyz="[^"]*") rpy="[^"]*"', r"\1", 1)), "l3 tensor"
    ),
    "tensors in kg mm²": (
        urdf, sub(r'\bi(..)="([^"]*)"', scaled("i{0}", 1e-6)), "tensors of 6 bodies times 1e+06 in A"
    ),
    "pounds": (
        urdf, sub('(mass value)="([^"]*)"', scaled("{0}", 1 / 0.45359237)), "masses of 6 bodies times 2.20462 in B"
    ),
    "another density": (
        urdf, sub(r'\b(mass value|i..)="([^"]*)"', scaled("{0}", 1.2)), "masses and tensors of 6 bodies times 1.2 in B"
    ),
    "centres dropped": (
        urdf, sub('<inertial><origin xyz="[^"]*"', '<inertial><origin xyz="0 0 0"'),
        "offsets of centres of mass of 6 bodies dropped in B",
    ),
    "inertia from a shape": (
        urdf, after('name="tool"', sub("<collision>", BOX + "<collision>", 1)),
        "1 body without inertia in A has 0.24 kg and 0.000104 0.000232 0.000272 kg m² in B, those of a box of "
        "0.04 × 0.06 × 0.1 m at 1000 kg/m³: tool",
    ),
    "1 kg and 1 kg m²": (
        urdf, sub(r'<link name="(sensor|tool)"(/>|>.*?</link>)', rf'<link name="\1">{ONE}</link>'),
        "2 bodies without inertia in A have 1 kg and 1 1 1 kg m² in B: sensor, tool",
    ),
    "frames of 1e-3 kg": (
        urdf, sub(r'<link name="(sensor|tool)"(/>|>.*?</link>)', rf'<link name="\1">{LIGHT}</link>'),
        "2 bodies without inertia in A have 0.001 kg and 1e-09 1e-09 1e-09 kg m² in B: sensor, tool",
    ),
    "a body's inertial dropped": (
        urdf, after('name="l4"', sub("<inertial>.*?</inertial>", "", 1)), "1 body without inertia in B has 2.2 kg"
    ),
    "mimic dropped": (urdf, sub("<mimic[^>]*>", ""), "constraints: 1 row of A alone: f = 0.05 j5 + 0.01"),
    "mimic inverted": (urdf, sub('multiplier="0.05"', 'multiplier="20"'), "constraints: the factor is inverted: f = "),
    "damping dropped": (urdf, sub(' damping="[^"]*"', ""), "damping of 5 joints dropped in B: j1, j2, j3, j4, j5"),
    "damping of one joint dropped": (urdf, after('name="j4"', sub(' damping="[^"]*"', "", 1)), "j4 damping"),
    "damping per degree": (
        urdf, sub('(damping)="([^"]*)"', scaled("{0}", degrees(1))), "damping of 5 joints times 57.2958 in B"
    ),
    "friction as damping": (
        lambda: sub(' damping="[^"]*" friction="0"', ' friction="0.3"')(urdf()), sub("friction", "damping"),
        "damping of 5 joints dropped in A",
    ),
    "friction dropped": (
        lambda: sub('friction="0"', 'friction="0.3"')(urdf()), sub(' friction="[^"]*"', ""),
        "dry friction of 5 joints dropped in B: j1, j2, j3, j4, j5",
    ),
    "friction of one joint dropped": (
        lambda: sub('friction="0"', 'friction="0.3"')(urdf()), after('name="j4"', sub(' friction="[^"]*"', "", 1)),
        "j4 dry friction 0.3 in A, 0 in B",
    ),
    "friction ten times": (
        lambda: sub('(damping="0.(.)") friction="0"', r'\1 friction="0.\2"')(urdf()),
        sub('(friction)="([^"]*)"', scaled("{0}", 10)), "dry friction of 5 joints times 10 in B",
    ),
    "axis reversed": (urdf, after('name="j4"', sub('axis xyz="1 0 0"', 'axis xyz="-1 0 0"', 1)), "j4 axis 1 0 0 in A"),
    "axis not of length one": (urdf, sub("0.6 0 0.8", "0.6 0 0.7"), "j3 axis 0.6 0 0.8 in A"),
    "axis dropped": (urdf, after('name="j2"', sub("<axis[^>]*>", "", 1)), "j2 axis 0 1 0 in A"),
    "wrist reversed under noise": (
        urdf, lambda text: noisy(after('name="j5"', sub('axis xyz="0 0 1"', 'axis xyz="0 0 -1"', 1))(text)),
        "j5 axis 0 0 1 in A",
    ),
    "origins in millimetres": (urdf, sub('origin xyz="([^"]*)"', rounded), "j3 origin"),
    "angles in another order": (
        urdf, after('name="j3"', sub('rpy="0.3 0.2 0.1"', 'rpy="0.1 0.2 0.3"', 1)), "j3 turn 0.3 0.2 0.1 in A"
    ),
    "degrees for radians": (mjcf, sub(' angle="radian"', ""), "j2 turn"),
    "armature dropped": (mjcf, sub(' armature="[^"]*"', ""), "armature of 5 joints dropped in B: j1, j2, j3, j4, j5"),
    "armature added": (mjcf, sub(' armature="[^"]*"', ' armature="0.1"'), "armature of 5 joints is 0.1 in B"),
    "stiffness dropped": (mjcf, sub(' stiffness="[^"]*"', ""), "stiffness of 5 joints dropped in B"),
    "servos for motors": (
        mjcf, sub(r'<motor (name="\w+" joint="\w+") gear="50"/>', r'<position \1 kp="50"/>'),
        "stiffness of 5 joints 50 larger in B: j1, j2, j3, j4, j5",
    ),
    "gravity compensation dropped": (
        mjcf, sub(' gravcomp="[^"]*"', ""), "gravity compensation of 5 bodies dropped in B: l1_gravcomp"
    ),
    "gravity the other way": (
        mjcf, sub("<worldbody>", '<option gravity="0 0 9.81"/><worldbody>'),
        "gravity m/s² 0 0 -9.81 in A, 0 0 9.81 in B",
    ),
    "equality dropped": (mjcf, sub("<equality>.*</equality>", ""), "constraints: 1 row of A alone: j5 = 0.5 j4"),
    "root's inertial dropped": (
        free, sub("<inertial [^>]*>", "", 1), "the inertial of the root, l0, dropped in B (4 kg)"
    ),
    "root's inertial from its mesh": (
        free, sub('mass="4" diaginertia="[^"]*"', 'mass="6" diaginertia="0.2 0.2 0.1"', 1), "l0 mass 4 in A, 6 in B"
    ),
}  # fmt: skip
QUICK = ("products dropped", "mimic dropped")


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", [pytest.param(x, marks=[] if x in QUICK else [pytest.mark.slow]) for x in FAULTS])
def test_a_fault_of_a_converter_is_named_first_in_both_orders(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SMALL", 0)  # the fields are looked at, and no other words for them are searched
    make, change, begins = FAULTS[name]
    format, text = ("urdf" if make is urdf or "<robot" in make() else "mjcf"), make()
    if "mimic" not in name and "equality" not in name:  # rows of constraints take half of the time
        text = sub("<mimic[^>]*>|<equality>.*</equality>", "")(text)
    one, other = (mbconcord.read(text=x, format=format) for x in (text, change(text)))
    for a, b in ((one, other), (other, one)):
        found = mbconcord.compare(a, b, states=3)
        assert found.verdict == "disagrees"
        said = found.why(600)
        first = said.brief
        if a is other:
            first = re.sub(r"\bA\b|\bB\b", lambda m: "BA"[m[0] == "B"], first)
            values = re.match(r"(\S+ (?:axis|turn|origin|mass|m/s²|dry friction)) (.*?) in B, (.*?) in A", first)
            first = f"{values[1]} {values[3]} in A, {values[2]} in B" if values else first
        assert first.startswith(begins), str(said)
        assert said.fields is not None and said.fields.is_whole


def test_motors_of_one_model_alone_are_named() -> None:
    one, other = (mbconcord.read(text=x, format="mjcf") for x in (mjcf(), sub("<motor [^>]*>", "")(mjcf())))
    for pair in ((one, other), (other, one)):
        found = mbconcord.compare(*pair, states=3)
        assert found.verdict == "not checked" and "m1_ctrl is an input of" in str(found)
