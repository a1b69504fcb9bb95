"""What programs are known to make of a file that is not what it says, by their versions: found by running them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbconcord.converters.xml_text import Element, parse

from .peer import Peer, version_of

Versions = tuple[tuple[int, ...], tuple[int, ...]]
#: So much of the largest moment the two others may lack together: rounding.
EDGE: Final = 1e-12
EVER: Final[Versions] = ((0,), (9999,))


@dataclass(frozen=True)
class Known:
    """A fault of a program: in which versions (first and last), of which elements, and what it does."""

    program: str
    versions: Versions
    elements: Callable[[Element], list[str]]
    what: str

    def of(self, peer: Peer, root: Element) -> list[str]:
        """The elements of a text that this version of the program reads so."""
        first, last = self.versions
        applies = peer.name == self.program and first <= version_of(peer.version) <= last
        return self.elements(root) if applies else []

    def says(self, peer: Peer, root: Element) -> str:
        """The sentence where it applies to the version and the text; else empty."""
        found = self.of(peer, root)
        return f"{self.what} ({', '.join(found[:3])}{' and more' if len(found) > 3 else ''})" if found else ""


def _rotated(element: Element | None) -> bool:
    """Whether an origin turns."""
    origin = None if element is None else element.first("origin")
    return origin is not None and any(word.strip("+-0.") for word in origin.attributes.get("rpy", "").split())


def _turned_inertials(root: Element) -> list[str]:
    return [e.attributes.get("name", "") for e in root.all("link") if _rotated(e.first("inertial"))]


def _turned_fixed(root: Element) -> list[str]:
    fixed = (e for e in root.all("joint") if e.attributes.get("type") == "fixed")
    return [e.attributes.get("name", "") for e in fixed if _rotated(e)]


def _weightless(root: Element) -> list[str]:
    """Links with a tensor and without mass."""
    found = []
    for link in root.all("link"):
        inertial = link.first("inertial")
        mass, tensor = (
            (None, None) if inertial is None else (inertial.first("mass"), inertial.first("inertia"))
        )
        if mass is None or tensor is None or mass.attributes.get("value", "").strip("+-0. "):
            continue
        if any(value.strip("+-0. ") for value in tensor.attributes.values()):
            found.append(link.attributes.get("name", ""))
    return found


def _oblique_planes(root: Element) -> list[str]:
    planar = (e for e in root.all("joint") if e.attributes.get("type") == "planar")
    return [e.attributes.get("name", "") for e in planar if _axis(e) != [0.0, 0.0, 1.0]]


def _axis(joint: Element) -> list[float]:
    element = joint.first("axis")
    words = "1 0 0" if element is None else element.attributes.get("xyz", "1 0 0")
    return [float(word) for word in words.split()]


def _damped_planes(root: Element) -> list[str]:
    damped = ((e, e.first("dynamics")) for e in root.all("joint") if e.attributes.get("type") == "planar")
    return [
        e.attributes.get("name", "")
        for e, dynamics in damped
        if dynamics is not None and dynamics.attributes.get("damping", "").strip("+-0. ")
    ]


def _quaternions(root: Element) -> list[str]:
    tags = ("link", "joint")
    return [
        e.attributes.get("name", "")
        for e in root.children
        if e.tag in tags and any("quat_xyzw" in inner.attributes for inner in e.walk())
    ]


def _impossible(root: Element) -> list[str]:
    """Links with a tensor that no body has: a moment that is negative, or larger than the two others together."""
    found = []
    for link in _named(root, "link"):
        inertial = link.first("inertial")
        inertia = None if inertial is None else inertial.first("inertia")
        if inertia is None:
            continue
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        own = inertia.attributes or {e.tag: e.text for e in inertia.children}
        xx, xy, xz, yy, yz, zz = (float(own.get(key, "1" if key[1] == key[2] else "0")) for key in keys)
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if moments[0] < 0 or moments[0] + moments[1] < moments[2] * (1 - EDGE):
            found.append(link.attributes.get("name", ""))
    return found


def _named(root: Element, tag: str) -> list[Element]:
    return [e for e in root.walk() if e.tag == tag and "name" in e.attributes]


def _without_weight(root: Element) -> list[str]:
    """Links whose weight is switched off."""
    found = []
    for link in _named(root, "link"):
        gravity = link.first("gravity")
        if gravity is not None and gravity.text.lower() in ("0", "false"):
            found.append(link.attributes["name"])
    return found


def _unlike_axes(root: Element) -> list[str]:
    """Universal joints of an SDF whose axes are damped unlike."""
    found = []
    for joint in _named(root, "joint"):
        if joint.attributes.get("type") == "universal":
            axes = (joint.first(tag) for tag in ("axis", "axis2"))
            dynamics = (None if axis is None else axis.first("dynamics") for axis in axes)
            damping = (None if d is None else d.first("damping") for d in dynamics)
            if len({0.0 if d is None else float(d.text) for d in damping}) > 1:
                found.append(joint.attributes["name"])
    return found


KNOWN: Final = (
    Known("mujoco", ((3, 1, 3), (3, 13, 0)), _turned_inertials, "MuJoCo 3.1.3 to 3.13.0 drops turns of inertials"),
    Known("mujoco", ((3, 3, 3), (3, 10, 0)), _turned_fixed, "MuJoCo 3.3.3 to 3.10.0 merges turned fixed links wrongly"),
    Known("mujoco", EVER, _weightless, "MuJoCo drops the inertia of a fixed link without mass"),
    Known("mujoco", EVER, _quaternions, "MuJoCo does not read quat_xyzw"),
    Known("drake", EVER, _impossible, "Drake replaces a tensor that no body has by that of a ball of water"),
    Known("drake", EVER, _weightless, "Drake drops the inertia of a fixed link without mass"),
    Known("drake", EVER, _quaternions, "Drake does not read quat_xyzw"),
    Known("drake", EVER, _without_weight, "Drake gives every link of an SDF its weight"),
    Known("drake", EVER, _unlike_axes, "Drake damps both axes of a universal joint alike"),
    Known("pinocchio", EVER, _damped_planes, "Pinocchio does not keep the damping of a planar joint"),
    Known("pinocchio", EVER, _oblique_planes, "Pinocchio takes a planar joint in the plane xy, whatever its axis"),
)  # fmt: skip


def known_causes(peer: Peer, text: str) -> str:
    """What the program is known to read otherwise in this text; empty where nothing is."""
    root = parse(text, "-").root
    return "; ".join(filter(None, (known.says(peer, root) for known in KNOWN)))


def known_elements(peer: Peer, text: str) -> int:
    """Of how many elements of this text the program is known to read another thing."""
    root = parse(text, "-").root
    return len({name for known in KNOWN for name in known.of(peer, root)})
