"""Texts of SDF by their parts, and what they mean as matrices."""

from __future__ import annotations

import numpy as np

from mbconcord.converters import registry
from mbconcord.converters.registry import Reading

from ..um.um_files import placed

MASS = "<inertial><mass>2</mass><inertia><ixx>0.05</ixx><iyy>0.04</iyy><izz>0.03</izz></inertia></inertial>"
AXIS = "<axis><xyz>0 0 1</xyz></axis>"
#: Poses.
A, B, C, D = ("1 2 3 0.1 0.2 0.3", "0.4 0.5 0.6 -0.3 0.2 0.1", "0.1 -0.2 0.3 0.2 0.4 -0.1", "-1 0 2 0.5 -0.6 0.7")


def read(text: str, file: str = "-") -> Reading:
    return registry.read_text(text, file, "sdf")


def model(inside: str, attributes: str = "", version: str = "1.11", before: str = "") -> str:
    return f'<sdf version="{version}"><model name="m" {attributes}>{before}{inside}</model></sdf>'


def link(name: str = "a", inside: str = MASS, pose: str = "") -> str:
    return f'<link name="{name}">{pose}{inside}</link>'


def joint(kind: str = "revolute", ends: str = "world a", inside: str = AXIS, name: str = "j") -> str:
    parent, child = ends.split()
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def pose(said: str, attributes: str = "") -> str:
    return f"<pose {attributes}>{said}</pose>"


def within(said: str, name: str) -> str:
    return pose(said, f'relative_to="{name}"')


def at(text: str, q: dict[str, float] | None = None, body: str = "a") -> np.ndarray:
    """Rotation and position of a body of a text, (3, 4)."""
    system = read(text).system
    return placed(system, dict.fromkeys(system.coordinate_names, 0.0) | (q or {}))[body][:3]


def turned(axis: str, angle: float) -> np.ndarray:
    """The matrix of a turn about x, y or z, written out here."""
    c, s = np.cos(angle), np.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def frame(text: str) -> np.ndarray:
    """The matrix (4, 4) of x y z roll pitch yaw: Rz Ry Rx."""
    *p, r, y, z = map(float, text.split())
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turned("z", z) @ turned("y", y) @ turned("x", r), p
    return made
