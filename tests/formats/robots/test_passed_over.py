"""What a reader passes over, tried with values that would act: the program of the format says whether they do.

The attributes are those that the vocabularies list; each value that changes the program's numbers makes another model,
or an omission that acts, or a refusal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mbconcord.converters import registry
from mbconcord.converters.mjcf.vocabulary import ATTRIBUTES, FLAGS
from mbconcord.converters.xml_text import XmlElement, parse, print_lines
from mbconcord.model import MbconcordError, System

MODEL = """<mujoco model="m"><compiler angle="radian"/><option><flag contact="enable"/></option>
<asset><mesh name="tet" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .3"/></asset>
<worldbody><site name="sw" pos="0.2 0.1 0.4"/>
<body name="a" pos="0 0 0.5" euler="0.1 0 0.2">
<joint name="qa" axis="0 1 0.2" stiffness="2" damping="0.3" pos="0.05 0 0"/>
<geom name="g1" type="box" size="0.1 0.2 0.3" pos="0.1 0 0" group="1"/>
<geom name="g2" type="capsule" size="0.05" fromto="0 0 0 0.3 0 0.1" mass="0.4"/><site name="sa" pos="0.1 0.2 0.05"/>
<frame pos="0.1 0 0"><body name="a2" pos="0.4 0 0" gravcomp="0.5"><joint name="qb" type="slide" axis="0 1 0.4"/>
<inertial pos="0.1 0 0" mass="1" diaginertia="0.01 0.02 0.02"/><site name="sb" pos="0 -0.1 0.02"/></body></frame></body>
<body name="b" pos="0.8 0.2 0.5"><joint name="ball" type="ball" damping="0.2"/><geom name="g4" type="mesh" mesh="tet"/>
<inertial pos="0 0 0.1" mass="1" fullinertia="0.01 0.02 0.02 0.001 0 0"/>
</body><body name="f" pos="0 2 0"><freejoint/><geom name="g5" type="ellipsoid" size="0.1 0.2 0.3"/></body></worldbody>
<tendon><fixed name="t1" stiffness="2" springlength="0.1"><joint joint="qa" coef="0.5"/><joint joint="qb" coef="-1.2"/>
</fixed><spatial name="t2" stiffness="5" damping="0.1"><site site="sw"/><site site="sb"/></spatial></tendon>
<equality><connect name="e1" body1="a2" body2="b" anchor="0.1 0.1 0"/><weld name="e2" body1="a" body2="b"/>
<joint name="e3" joint1="qa" joint2="qb" polycoef="0.1 0.5"/><tendon name="e4" tendon1="t1" polycoef="0.3"/></equality>
<actuator><general name="u0" joint="qa" gainprm="2" biasprm="1 2 3" biastype="affine"/><motor name="u1" joint="qa"/>
<position name="u2" joint="qb" kp="3" kv="0.2"/><velocity name="u3" joint="qa" kv="2"/>
<damper name="u4" joint="qb" kv="2" ctrlrange="0 1"/></actuator></mujoco>"""
#: Numbers of all lengths, words, and names of each kind of thing.
VALUES = (
    "0", "2", "-1", "0.3", "true", "false", "0.3 0.4", "-1 -0.5", "0.1 0.2 0.3", "0.5 1 0", "1 1 1 1",
    "0.1 0.2 0.3 0.4 0.5 0.6", "0.2 0 0 1 0 0 0", "a", "sa", "qb", "t1", "tet", "sphere", "auto", "affine",
    "integrator", "muscle", "XYZ", "degree", "disable", "enable",
)  # fmt: skip


def key_of(element: XmlElement, parent: str) -> str:
    """The key of an element among the attributes that are read."""
    return f"equality {element.tag}" if parent == "equality" and element.tag in ("joint", "tendon") else element.tag


def walk(root: XmlElement, parent: str = "") -> Iterator[tuple[str, XmlElement]]:
    yield key_of(root, parent), root
    for child in root.children:
        yield from walk(child, root.tag)


def numbers(text: str) -> list[np.ndarray]:
    """M, forces, equalities and poses by MuJoCo at a state, its friction and activity of rows."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data, random = mujoco.MjData(model), np.random.default_rng(1)
    mujoco.mj_integratePos(model, data.qpos, random.uniform(-0.5, 0.5, model.nv), 1.0)
    data.qvel[:], data.ctrl[:] = random.uniform(-1, 1, model.nv), random.uniform(0, 0.7, model.nu)
    data.act[:] = 0.3
    for step in (mujoco.mj_fwdPosition, mujoco.mj_fwdVelocity, mujoco.mj_fwdActuation):
        step(model, data)
    M, unit = np.zeros((model.nv, model.nv)), np.eye(model.nv)
    for row, along in zip(M, unit, strict=True):
        mujoco.mj_mulM(model, data, row, along)
    own = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    turned = weld_rows(model, data)  # scaled by torquescale, whatever it is
    J = data.efc_J.reshape(-1, model.nv) / turned[:, None]
    kinds = mujoco.mjtConstraint
    rubbing = np.isin(data.efc_type, [kinds.mjCNSTR_FRICTION_DOF, kinds.mjCNSTR_FRICTION_TENDON])
    acting = data.qfrc_passive + data.qfrc_actuator
    return [M, data.qfrc_bias, acting, (data.efc_pos / turned)[own], J[own], model.qpos0, data.xpos, rubbing.sum()]


def weld_rows(model: Any, data: Any) -> np.ndarray:
    """The factor of every row: torquescale of the turns of a weld, else one."""
    import mujoco

    found = np.ones(data.nefc)
    for i in range(model.neq):
        rows = np.flatnonzero((data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY) & (data.efc_id == i))
        if model.eq_type[i] == mujoco.mjtEq.mjEQ_WELD:
            found[rows[3:]] = model.eq_data[i][10] or 1.0
    return found


def alike(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    pairs = list(zip(a, b, strict=True))
    return all(np.shape(x) == np.shape(y) and np.allclose(x, y, rtol=1e-9, atol=1e-11) for x, y in pairs)


def meaning(text: str, format: str) -> tuple[System, list[tuple[str, str]]]:
    """The model of a text, and what acts and is left out of it."""
    system = registry.read_text(text, "-", format, "ignore").system
    acting = sorted((o.place, o.effect) for o in system.omissions if o.acts)
    return replace(system, omissions=(), metadata={}), acting


def changes(format: str, text: str, tag: str, names: Iterator[str], values: tuple[str, ...]) -> tuple[list, int]:
    """Values that change MuJoCo's numbers and nothing that the reader says; how many it takes."""
    base, said, silent, acting = numbers(text), meaning(text, format), [], 0
    for place, (key, _) in enumerate(walk(parse(text, "-").root)):
        for name, value in ((n, v) for n in names if key == tag for v in values):
            root = parse(text, "-").root
            [e for _, e in walk(root)][place].attributes[name] = value
            changed = "\n".join(print_lines(root))
            try:
                found = numbers(changed)
            except ValueError:
                continue
            if alike(found, base):
                continue
            acting += 1
            try:
                if meaning(changed, format) == said:
                    silent.append((name, value))
            except MbconcordError:
                continue
    return silent, acting


KEYS = sorted({key for key, _ in walk(parse(MODEL, "-").root)} & ATTRIBUTES.keys() | {"flag"})


@pytest.mark.sampled(8)
@pytest.mark.parametrize("key", KEYS)
def test_no_attribute_of_an_mjcf_acts_in_silence(key):
    pytest.importorskip("mujoco", reason="mujoco is not installed: the extra peers")
    names = sorted(FLAGS if key == "flag" else ATTRIBUTES[key] - {"name", "class"})
    silent, acting = changes("mjcf", MODEL, key, names, VALUES)
    assert silent == []
    assert acting or key in ("mujoco", "worldbody", "site", "freejoint", "inertial", "frame")


LIMITS = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'
MASS = (
    '<inertial><origin xyz="0.1 0 0" rpy="0.1 0.2 0"/><mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" '
    'iyz="0" izz="0.02"/></inertial>'
)
BOX = "<{0}><geometry><box size='0.2 0.1 0.1'/></geometry></{0}>"
URDF = (
    f'<robot name="r"><mujoco>IN</mujoco><link name="base"/><link name="a">{MASS}{BOX.format("visual")}</link>'
    f'<link name="foot">{BOX.format("visual")}</link><link name="toe">{MASS}{BOX.format("collision")}</link>'
    f'<joint name="j" type="revolute"><parent link="base"/><child link="a"/>{LIMITS}<dynamics damping="0.1"/></joint>'
    '<joint name="f" type="fixed"><parent link="a"/><child link="foot"/></joint>'
    f'<joint name="k" type="prismatic"><parent link="a"/><child link="toe"/>{LIMITS}</joint></robot>'
)
#: Every attribute that MuJoCo's settings may have in a URDF.
SETTINGS = [(tag, name) for tag in ("compiler", "option") for name in sorted(ATTRIBUTES[tag])]
SETTINGS += [("flag", name) for name in sorted(FLAGS)]


#: What an effect of an omission leaves as it is, among M, bias, and the other forces.
SPARED = {"inertia": (2,), "forces": (0, 1), "unknown": ()}


@pytest.mark.parametrize(("tag", "name"), SETTINGS)
def test_what_mujoco_is_told_in_a_urdf_acts_or_changes_nothing(tag, name):
    """A value of no effect changes no number of MuJoCo's, one of an effect those alone that it may; it is named."""
    pytest.importorskip("mujoco", reason="mujoco is not installed: the extra peers")
    inside = f'<option><flag {name}="VALUE"/></option>' if tag == "flag" else f'<{tag} {name}="VALUE"/>'
    base = numbers(URDF.replace("IN", ""))[:3]
    for value in (*VALUES, "dense", "sparse", "PGS", "CG", "RK4", "implicit", "elliptic", "0.0", "0 0 -9.810"):
        text = URDF.replace("IN", inside.replace("VALUE", value))
        try:
            found = numbers(text)[:3]
        except ValueError:
            continue
        said = meaning(text, "urdf")[1]
        spared = {k for _, effect in said for k in SPARED[effect]} if said else {0, 1, 2}
        assert [place for place, _ in said] in ([], [f"extension/(MuJoCo: {name})"])
        assert all(alike([found[k]], [base[k]]) for k in spared), (name, value)
