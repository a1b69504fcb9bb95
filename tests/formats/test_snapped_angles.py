"""Right angles written in seven digits or more are right angles on demand, and nothing else changes."""

from __future__ import annotations

import re
from math import pi

import pytest

import mbconcord as mb
from mbconcord.model.expressions.node import FUN
from mbconcord.model.expressions.traversal import flatten, topological

URDF = """<robot name="r"><link name="a"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="{0} 0 {1}"/>
<axis xyz="0 0 1"/><limit effort="1" velocity="1"/></joint>
<link name="b"><inertial><mass value="1.5707963268"/><origin xyz="0.5 0 0.1" rpy="0 {0} 0"/>
<inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0.01" ixz="0" iyz="0"/></inertial></link></robot>"""
SDF = """<sdf version="1.8"><model name="m"><link name="b"><pose>0 0 1 {0} 0 {1}</pose><inertial>
<mass>1.5707963268</mass>
<pose>0.5 0 0.1 0 {0} 0</pose><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.3</izz><ixy>0.01</ixy><ixz>0</ixz><iyz>0</iyz>
</inertia></inertial></link><joint name="j" type="revolute"><parent>world</parent><child>b</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
MJCF = """<mujoco><compiler angle="radian"/><worldbody><body name="b" pos="0 0 1" euler="{0} 0 {1}">
<joint name="j" axis="0 0 1"/><inertial pos="0.5 0 0.1" euler="0 {0} 0" mass="1.5707963268" diaginertia="0.1 0.2 0.25"/>
</body></worldbody></mujoco>"""
MBSD = "k1 m({0}) n({1}) z(j) $1.5707963268 [1.1,1.2,1.3,0.01,0,0] {{0.5,0,0.1}} ; g9.81-z"
TEXTS = {"urdf": URDF, "sdf": SDF, "mjcf": MJCF, "mbsd": MBSD}


def formulas(system: mb.System) -> dict[str, str]:
    return mb.derive(system).to_frame().set_index("name")["formula"].to_dict()


@pytest.mark.parametrize("format", TEXTS)
@pytest.mark.parametrize(
    "written", ["1.5707963268 3.141592654", "-1.570796327 1.57079632679", f"{pi / 2!r} 4.9e-12", "1.570796 -3.1415926"]
)
def test_right_angles_are_those_of_the_letter(format: str, written: str) -> None:
    """The same model as with quarter turns, and no sine or cosine of a number is left in its equations."""
    text = TEXTS[format].format(*written.split())
    snapped = mb.read(text=text, format=format, snap_angles=True)
    assert any(d.place == "--read snap-angles" and written.split()[0] in d.message for d in snapped.diagnostics)
    left = [
        x
        for value in mb.derive(snapped).quantities.values()
        for x in topological(flatten(value))
        if x.op == FUN and x.args[0].constant
    ]
    assert not left
    numbers = mb.evaluate(snapped, {"j": 0.3, "j'": 0.4}, witness=False)
    near = mb.evaluate(mb.read(text=text, format=format), {"j": 0.3, "j'": 0.4}, witness=False)
    off = 10.0 ** -min(8, len(written.split()[0].partition(".")[2]) - 1)
    assert abs(numbers["M"] - near["M"]).max() < off
    assert abs(numbers["gravity"] - near["gravity"]).max() < 10 * off


@pytest.mark.parametrize("written", ["1.5708", "1.570795", "0.000001", "1.570797001"])
def test_what_is_no_right_angle_stays(written: str) -> None:
    text = URDF.format(written, "0.7853981634")
    plain, snapped = (mb.read(text=text, format="urdf", snap_angles=on) for on in (False, True))
    assert formulas(plain.system) == formulas(snapped.system) and snapped.text == plain.text
    mass = mb.read(text=URDF.format("1.570796327", "0"), format="urdf", snap_angles=True).system.bodies[1].inertia.mass
    assert str(mass) == "1.5707963268"


def test_the_verdict_says_that_its_text_was_not_read_a_second_time() -> None:
    text = URDF.format("1.5707963268", "0")
    given = {"formalisms": ["lagrange", "newton_euler"], "states": 2}
    plain, snapped = (mb.check(mb.read(text=text, format="urdf", snap_angles=on), **given) for on in (False, True))
    assert plain.headline == "agrees"
    assert snapped.headline == "agrees; its text was read by one reader only"
    assert snapped.to_json()["read_once"] and any("--read snap-angles" in str(d) for d in snapped.diagnostics)


def test_code_has_no_factors_of_one() -> None:
    """Sines of right angles are 1 in floats, whoever wrote them."""
    for angle in ("1.5707963267948966", "-1.5707963267948966"):
        equations = mb.derive(mb.read(text=URDF.format(angle, angle), format="urdf"))
        for notation in ("c", "python"):
            code = equations.render(notation)
            assert "cos(" in code and not re.search(r"(?<![\d.])1\.0\)? \*|\* \(?-?1\.0\b", code)


LINK = """<link name="{}"><pose>{}</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>
</inertial></link>"""
JOINT = """<joint name="{}" type="revolute"><pose>{}</pose><parent>{}</parent><child>{}</child>
<axis><xyz>{}</xyz></axis></joint>"""


def write_loop(written: str) -> str:
    """Return four bars in a plane, of which two stand turned by that angle."""
    links = (("crank", f"0 0 0 {written} 0 0"), ("coupler", f"0 0 0.2 {written} 0.4 0"), ("rocker", "0.4 0 0 0 0.3 0"))
    joints = (
        ("a", "", "world", "crank", "0 0 1"), ("b", "", "crank", "coupler", "0 0 1"),
        ("d", "", "world", "rocker", "0 -1 0"), ("c", "0.05 0 0.27 0 0 0", "coupler", "rocker", "0 -1 0"),
    )  # fmt: skip
    inside = [LINK.format(*x) for x in links] + [JOINT.format(*x) for x in joints]
    return f'<sdf version="1.9"><model name="bars">{"".join(inside)}</model></sdf>'


@pytest.mark.slow
@pytest.mark.parametrize("written", ["1.5707963", "1.570796", "1.570796327"])
def test_a_loop_that_angles_in_digits_hold_open_names_what_closes_it(written: str) -> None:
    text = write_loop(written)
    with pytest.raises(mb.MbconcordError, match=rf"constraints/c: cannot be closed.*{written}.*--read snap-angles"):
        mb.assemble(mb.read(text=text, format="sdf"), {"a": 0.3})
    assert mb.assemble(mb.read(text=text, format="sdf", snap_angles=True), {"a": 0.3})[0].state.q["a"] == 0.3


WELD = """<mujoco><compiler angle="radian"/><worldbody><body name="crank"><joint name="a" axis="0 -1 0"/>
<inertial pos="0 0 0.1" mass="1" diaginertia="1 1 1"/><body name="rod" pos="0 0 0.2" euler="1.5707963 0 0">
<joint name="b" axis="0 0 1"/><inertial pos="0.2 0 0" mass="1" diaginertia="1 1 1"/></body></body></worldbody>
<equality><weld name="pin" body1="rod" relpose="0 0 9 1 0 0 0"/></equality></mujoco>"""


def test_a_loop_that_its_lengths_hold_open_names_them() -> None:
    with pytest.raises(mb.MbconcordError, match="change its lengths") as found:
        mb.assemble(mb.read(text=WELD, format="mjcf"))
    assert "--read snap-angles" not in str(found.value)
