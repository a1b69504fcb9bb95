"""Rotations of inertial frames that a format has and the model has not: its tensors are turned already."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from mbconcord.converters.xml_text import parse
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.system import System
from mbconcord.model.transformation import rotation

from .inertia import Terms, rotation_matrix

#: Where a model that was read from URDF keeps its text.
TEXT = "urdf:text"


def turned(system: System) -> dict[str, Terms]:
    """Of every link of a URDF whose inertial frame is turned the rotation (3, 3) from its axes to the link's."""
    kept = system.metadata.get(TEXT)
    return urdf("\n".join(kept)) if isinstance(kept, Sequence) else {}


def urdf(text: str) -> dict[str, Terms]:
    """Of the text of a URDF; rpy turns about fixed axes, Rz Ry Rx."""
    found = {}
    for link in parse(text, "-").root.all("link"):
        inertial = link.first("inertial")
        origin = None if inertial is None else inertial.first("origin")
        words = "" if origin is None else origin.attributes.get("rpy", "")
        angles = dict(zip("xyz", words.split(), strict=False))
        if any(word.strip("+-0.") for word in angles.values()):
            turns = [rotation_matrix(rotation(axis, parse_formula(angles[axis]))) for axis in "zyx"]
            found[link.attributes.get("name", "")] = reduce(np.matmul, turns)
    return found
