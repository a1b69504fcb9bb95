"""Keyframes: they lie beside the model, but their lengths tell whether they were written for it."""

from __future__ import annotations

from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import Element
from mbconcord.model.shown import count

from .classes import ACTUATORS
from .tree import Tree
from .values import yes

#: Numbers of a position and of a rate, by type of the joint: MuJoCo's quaternions have four.
POSITIONS: Final = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
RATES: Final = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}


def keyframes(root: Element, tree: Tree, findings: Findings) -> None:
    """Warn of keyframes with other numbers of positions, rates or controls than the model has: MuJoCo refuses them."""
    kinds = [joint.type for _, joint in tree.joints]
    actuators = sum(child.tag in ACTUATORS for section in root.all("actuator") for child in section.children)
    mocap = sum(yes(link.element, "mocap", findings) for link in tree.bodies)
    expected = {
        "qpos": (sum(POSITIONS[kind] for kind in kinds), "a ball has four, a free body seven"),
        "qvel": (sum(RATES[kind] for kind in kinds), "a ball has three, a free body six"),
        "ctrl": (actuators, "one for each actuator"),
        "mpos": (3 * mocap, "three for each mocap body"),
        "mquat": (4 * mocap, "four for each mocap body"),
    }
    for number, key in enumerate(key for section in root.all("keyframe") for key in section.all("key")):
        name = key.attributes.get("name") or str(number)
        for attribute, (most, rule) in expected.items():
            found = len(key.attributes.get(attribute, "").split())
            if found not in (0, most):
                message = (
                    f"{attribute} of the keyframe {name!r} has {count(found, 'number')}; the model has {most}"
                )
                remedy = f"{rule}: write it for this model, or remove it; MuJoCo refuses the file"
                findings.remark("warning", "", key.at, message, remedy, f"state/{name}")
