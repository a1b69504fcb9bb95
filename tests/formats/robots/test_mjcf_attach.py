"""Attached models of MJCF: the same machine as one that is composed by hand, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import pytest

from mbconcord import compare
from mbconcord.converters import registry, shapes
from mbconcord.model.diagnostics import ReadError

KID: Final = """<mujoco model="kid">
  <compiler angle="radian"/>
  <default><joint damping="0.5"/><default class="big"><joint damping="2"/></default></default>
  <worldbody>
    <body name="arm" pos="0 0 0.5" euler="0.1 0.2 0.3">
      <joint name="j" axis="0 1 0" ref="0.25" range="-1 1"/><inertial pos="0.2 0 0" mass="2" diaginertia="1 2 2"/>
      <body name="hand" pos="0.4 0 0" childclass="big">
        <joint name="k" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
        <frame name="tip" pos="0 0 1"><body name="end"><joint name="e"/>
          <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></frame>
      </body>
    </body>
    <body name="other"><joint name="o"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="2"/><joint joint="k" coef="1"/></fixed></tendon>
  <equality><joint joint1="j" joint2="k"/><joint joint1="j" joint2="o"/></equality>
  <actuator><motor name="m" tendon="t" gear="3"/><motor name="n" joint="o"/></actuator>
  <keyframe><key qpos="0 0 0 0"/></keyframe>
</mujoco>"""
TOP: Final = """<mujoco model="top">
  {before}<default><joint armature="0.1"/></default>
  <asset><model {name} file="{file}"/></asset>
  <worldbody><body name="base" pos="1 0 0"><joint name="b" type="slide"/>
    <inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>{attach}</body></worldbody>
  <equality><joint joint1="b" joint2="L_k"/></equality>
</mujoco>"""
#: The same, with every name, default and angle put in by hand.
DEGREE: Final = 0.017453292519943295


def arm(prefix: str) -> str:
    """Return the tree of the arm as the parent has it: in degrees, without its armature."""
    one, two = 'armature="0" damping="0.5"', 'armature="0" damping="2"'
    turned = " ".join(repr(x / DEGREE) for x in (0.1, 0.2, 0.3))
    return f"""<body name="{prefix}arm" pos="0 0 0.5" euler="{turned}">
      <joint name="{prefix}j" axis="0 1 0" {one} ref="{0.25 / DEGREE!r}" range="{-1 / DEGREE!r} {1 / DEGREE!r}"/>
      <inertial pos="0.2 0 0" mass="2" diaginertia="1 2 2"/>
      <body name="{prefix}hand" pos="0.4 0 0"><joint name="{prefix}k" axis="0 0 1" {two}/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{end(prefix)}</body></body>"""


def end(prefix: str) -> str:
    return f"""<body name="{prefix}end" pos="0 0 1"><joint name="{prefix}e" armature="0" damping="2"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>"""


def beside(prefix: str) -> tuple[str, str, str]:
    """Return what of the tendons, equalities and actuators refers to the arm alone."""
    return (
        f"""<fixed name="{prefix}t"><joint joint="{prefix}j" coef="2"/><joint joint="{prefix}k" coef="1"/></fixed>""",
        f"""<joint joint1="{prefix}j" joint2="{prefix}k"/>""",
        f"""<motor name="{prefix}m" tendon="{prefix}t" gear="3"/>""",
    )


def by_hand(inside: str, *prefixes: str) -> str:
    tendons, rows, motors = ("".join(x) for x in zip(*map(beside, prefixes), strict=True))
    return f"""<mujoco model="top"><worldbody><body name="base" pos="1 0 0">
      <joint name="b" type="slide" armature="0.1"/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>{inside}</body>
      </worldbody><tendon>{tendons}</tendon>
      <equality><joint joint1="b" joint2="L_k"/>{rows}</equality><actuator>{motors}</actuator></mujoco>"""


def write(folder: Path, attach: str, kid: str = KID, before: str = "", name: str = 'name="kid"') -> Path:
    (folder / "parts").mkdir(exist_ok=True)
    (folder / "parts" / "kid.xml").write_text(kid)
    path = folder / "top.xml"
    path.write_text(TOP.format(attach=attach, before=before, name=name, file="parts/kid.xml"))
    return path


LEFT: Final = '<frame pos="0 0 0.2" euler="90 0 0"><attach model="kid" body="arm" prefix="L_"/></frame>'


@pytest.mark.slow
def test_an_attached_body_is_the_machine_composed_by_hand(tmp_path: Path) -> None:
    right = '<attach model="kid" body="arm" prefix="R_"/><attach model="kid" frame="tip" prefix="T_"/>'
    path = write(tmp_path, LEFT + right)
    inside = f'<frame pos="0 0 0.2" euler="90 0 0">{arm("L_")}</frame>{arm("R_")}{end("T_")}'
    (tmp_path / "hand.xml").write_text(by_hand(inside, "L_", "R_"))
    found = compare(path, tmp_path / "hand.xml")
    assert found.verdict == "agrees", str(found)
    reading = registry.read(path)
    assert reading.system.coordinate_names == ("b", "L_j", "L_k", "L_e", "R_j", "R_k", "R_e", "T_e")
    assert [c.name for c in registry.read(path).system.constraints] == ["joint1", "joint2", "joint3"]
    assert "keyframes of the attached model 'kid' are left out" in str(reading.diagnostics)


def test_a_whole_model_is_attached_under_its_own_name(tmp_path: Path) -> None:
    path = write(tmp_path, '<attach model="kid" prefix="L_"/>', name="")
    names = registry.read(path).system.coordinate_names
    assert names == ("b", "L_j", "L_k", "L_e", "L_o")
    assert len(registry.read(path).system.constraints) == 3


#: A model with a mesh, defaults of sections, an angle after an axis, a spring's rest and a slide, as text and by hand.
CARRIED: Final = """<mujoco model="kid"><compiler angle="{unit}" meshdir="{folder}"/>
  <default><motor gear="4"/><joint stiffness="3"/></default><asset><mesh name="{p}m" file="block.stl"/></asset>
  <worldbody>{base}<body name="{p}arm" axisangle="0 1 0 {turn}"><joint name="{p}j" springref="{rest}"/>
      <joint name="{p}s" type="slide" range="0 0.4" springref="0.2"/><geom type="mesh" mesh="{p}m"/></body>
    <body name="{p}post" pos="0 2 0"><joint name="{p}q"/><geom type="mesh" mesh="{p}m"/></body>{end}</worldbody>
  <equality><connect body1="{p}arm" body2="world" anchor="0 0 0"/></equality>
  <actuator><motor name="{p}a" joint="{p}j"/></actuator></mujoco>"""


def block(data: bytes, kind: str, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return corners and faces of a block of 1 x 1 x 2 m, as trimesh has them of its file."""
    assert (data, kind, name) == (b"a block", "stl", "block.stl")
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    return np.array([(x, y, 2.0 * z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]), np.array(faces)


def test_meshes_defaults_and_angles_are_carried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_by_trimesh", block)
    given = {"unit": "radian", "folder": "shapes", "p": "", "base": "", "end": "", "turn": 0.7, "rest": 0.3}
    base = '<body name="base"><joint name="b" type="slide"/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>'
    attach = "".join(f'<attach model="kid" body="{body}" prefix="L_"/>' for body in ("arm", "post"))
    (tmp_path / "parts" / "shapes").mkdir(parents=True)
    (tmp_path / "parts" / "shapes" / "block.stl").write_bytes(b"a block")
    (tmp_path / "parts" / "kid.xml").write_text(CARRIED.format(**given))
    (tmp_path / "top.xml").write_text(
        f'<mujoco><asset><model name="kid" file="parts/kid.xml"/></asset><worldbody>{base}{attach}</body></worldbody>'
        "</mujoco>"
    )
    given |= {"unit": "degree", "folder": "parts/shapes", "p": "L_", "turn": 0.7 / DEGREE, "rest": 0.3 / DEGREE}
    given |= {"base": base.replace("/>", ' stiffness="0"/>', 1), "end": "</body>"}
    (tmp_path / "hand.xml").write_text(CARRIED.format(**given))
    found = compare(tmp_path / "top.xml", tmp_path / "hand.xml")
    assert found.verdict == "agrees" and {d.place for d in found.differences} == {"material/L_m"}, str(found)
    assert len(registry.read(tmp_path / "top.xml").system.constraints) == 1


def test_models_attach_models(tmp_path: Path) -> None:
    (tmp_path / "kid.xml").write_text(KID)
    middle = TOP.format(attach=LEFT, before="", name='name="kid"', file="../kid.xml").replace('"L_k"', '"L_j"')
    path = write(tmp_path, '<attach model="top" body="base" prefix="L_"/>', middle, name='name="top"')
    path.write_text(path.read_text().replace('joint2="L_k"', 'joint2="L_L_k"'))
    system = registry.read(path).system
    assert system.coordinate_names == ("b", "L_b", "L_L_j", "L_L_k", "L_L_e")
    damped = {f.name: str(f.expression()) for f in system.forces if f.name.endswith("_damping")}
    assert {armature.name for armature in system.armatures} == {"b_armature", "L_b_armature"}
    assert len(damped) == 3


REFUSED: Final = {
    "no model": ('<attach model="kit" body="arm" prefix="L_"/>', {}, "there is no model 'kit'"),
    "no body": ('<attach model="kid" body="arn" prefix="L_"/>', {}, "has no body 'arn'"),
    "no prefix": ('<attach model="kid" body="arm"/>', {}, "<attach> without prefix"),
    "in a frame": ('<attach model="kid" body="end" prefix="L_"/>', {}, "stands in a frame of its body"),
    "angles": (LEFT, {"before": "<compiler eulerseq=\"zyx\"/>"}, "eulerseq of the attached model 'kid' is 'xyz'"),
    "bounds": (LEFT, {"before": '<compiler boundmass="1"/>'}, "boundmass of the attached model 'kid' is '0'"),
    "itself": (LEFT, {"kid": KID.replace("<worldbody>", '<asset><model file="kid.xml"/></asset><worldbody>').replace(
        "</worldbody>", '<attach model="kid" prefix="x"/></worldbody>')}, "attaches itself"),
    "another format": (LEFT, {"kid": "<robot/>"}, "the root element is <robot>"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_attached_is_refused(tmp_path: Path, case: str) -> None:
    attach, given, said = REFUSED[case]
    with pytest.raises(ReadError) as refusal:
        registry.read(write(tmp_path, attach, **given))
    assert said in str(refusal.value)


def test_options_of_an_attached_model_do_not_act(tmp_path: Path) -> None:
    path = write(tmp_path, LEFT, KID.replace("<default>", '<option gravity="0 0 -1"/><default>', 1))
    assert "gravity of the attached model 'kid' does not act" in str(registry.read(path).diagnostics)


def test_mujoco_agrees(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    from mbconcord import check

    path = write(tmp_path, LEFT + '<attach model="kid" body="arm" prefix="R_"/>')
    model = mujoco.MjModel.from_xml_path(str(path))
    assert [model.joint(i).name for i in range(model.njnt)] == list(registry.read(path).system.coordinate_names)
    found = check(path, against="mujoco", states=2, formalisms=["lagrange", "newton_euler"])
    assert found.verdict == "agrees", str(found)


@pytest.mark.parametrize("root", ["mujocoinclude", "worldbody", "default"])
def test_a_fragment_is_named(root: str) -> None:
    with pytest.raises(ReadError, match=f"a fragment: the root element is <{root}>") as refusal:
        registry.read_text(f"<{root}/>", "part.xml", "mjcf")
    assert "name a model that includes it" in str(refusal.value)


def test_a_fragment_of_any_root_is_included(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(f"<worldbody>{end('')}</worldbody>")
    (tmp_path / "m.xml").write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    assert registry.read(tmp_path / "m.xml").system.coordinate_names == ("e",)
