"""The linkages of the published vectors, as systems."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np

from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Gravity,
    Inertia,
    System,
    rotation,
    shift,
)

VECTORS = json.loads((folder("telegin") / "vectors.json").read_text("utf-8"))
TREE = VECTORS["branched_tree"]


def exact(value: Any) -> Any:
    return Fraction(repr(float(value)))


def vector(values: Any, size: int = 3) -> tuple[Any, ...]:
    return (*map(exact, values), *[Fraction(0)] * (size - len(values)))


def branched(forces: tuple[Any, ...] = ()) -> System:
    """The published branched linkage of five links."""
    bodies = tuple(
        Body(
            f"b{k}",
            f"b{base}" if base else None,
            (*shift(vector(TREE["R_local"][k - 1])), rotation("z", f"q{k}")),
            Inertia(
                exact(TREE["m_own"][k - 1]), vector(TREE["c_own"][k - 1]), (0, 0, exact(TREE["I_own"][k - 1]))
            ),
        )
        for k, base in enumerate(TREE["base"], 1)
    )
    g = TREE["g"]
    size = float(np.hypot(*g))
    gravity = Gravity(size, (exact(g[0]), exact(g[1]), 0))
    return System(
        "branched", tuple(Coordinate(f"q{k}") for k in range(1, 6)), (), (), gravity, bodies, forces
    )
