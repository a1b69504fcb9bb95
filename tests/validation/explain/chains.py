"""Arms of four links as URDF and MJCF, whose fields tests change one by one."""

from __future__ import annotations

from typing import Any

from mbconcord.converters.registry import read_text
from mbconcord.model import System

AXES = ("0 1 0", "0 0 1", "1 0 0", "0 1 0")
CENTRES = ("-0.0366 0.0347 0.0264", "0.0152 0.0289 -0.0406", "0.0262 -0.0498 -0.0055", "0.0401 -0.0469 -0.0475")
PRODUCTS = ("0.0003041 0.0004963 0.0004596", "0.0001227 0.0007686 0.0004462", "0.0006772 0.000283 0.0008562",
            "0.0005331 0.0008513 0.000405")  # fmt: skip


def links(**everywhere: str) -> list[dict[str, str]]:
    """The numbers of four links; names of fields are those of the text below."""
    return [
        {
            "name": f"l{i}", "joint": f"j{i}", "parent": f"l{i - 1}", "mass": f"{1 + i / 10}", "centre": CENTRES[i - 1],
            "diagonal": "0.01 0.012 0.009", "products": PRODUCTS[i - 1], "origin": "0.01 0.02 0.2", "rpy": "0.3 0 0.1",
            "axis": AXES[i - 1], "damping": "0", "mimic": "", **everywhere,
        }
        for i in range(1, 5)
    ]  # fmt: skip


def change_link(i: int, **fields: str) -> list[dict[str, str]]:
    """The links with other fields of one of them, from 1."""
    found = links()
    found[i - 1] |= fields
    return found


def write_urdf(given: list[dict[str, str]], more: str = "") -> str:
    """Write the links on a root without inertia; ``more`` are further elements."""
    said = []
    for link in given:
        (xx, yy, zz), (xy, xz, yz) = link["diagonal"].split(), link["products"].split()
        inertial = f"""<inertial><origin xyz="{link["centre"]}"/><mass value="{link["mass"]}"/><inertia ixx="{xx}"
 iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial>"""
        said.append(
            f"""<link name="{link["name"]}">{inertial if float(link["mass"]) else ""}</link>
<joint name="{link["joint"]}" type="continuous"><parent link="{link["parent"]}"/><child link="{link["name"]}"/>
<origin xyz="{link["origin"]}" rpy="{link["rpy"]}"/><axis xyz="{link["axis"]}"/><dynamics damping="{link["damping"]}"/>
{link["mimic"]}</joint>"""
        )
    return f'<robot name="r"><link name="l0"/>{"".join(said)}{more}</robot>'


def urdf(given: list[dict[str, str]], more: str = "") -> System:
    return read_text(write_urdf(given, more), format="urdf").system


def mjcf(joint: str = "", body: str = "", root: str = "", inertia: Any = None, option: str = "") -> System:
    """Read the arm in MJCF; ``{i}`` in what is added to joints and bodies is the number of the link."""
    text = ""
    for i in reversed(range(1, 5)):
        own = inertia(i) if inertia else f'mass="1.{i}" diaginertia="0.01 0.012 0.009"'
        text = (
            f'<body name="l{i}" pos="0 0.02 0.2" euler="0.3 0 0.1" {body.format(i=i)}>'
            f'{f"""<inertial pos="0.01 0.02 0.0{i}" {own}/>""" if own else ""}'
            f'<joint name="j{i}" axis="{AXES[i - 1]}" {joint.format(i=i)}/>{text}</body>'
        )
    text = f'<body name="base">{root}{text}</body>' if root else text
    return read_text(
        f'<mujoco><compiler angle="radian"/>{option}<worldbody>{text}</worldbody></mujoco>', format="mjcf"
    ).system
