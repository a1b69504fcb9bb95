"""Names of the paper and titles of the tiers, and naming of rows, vectors and forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..structure import Direction
from ..vectors import Vector
from .naming import Names

TITLES = {
    "I-0": "Auxiliary: inertias of the bodies with their flywheels",
    "A-0": "A, auxiliary: rows about the origins of the bodies' frames",
    "A-I": "A, tier I: rows of the structural matrix S",
    "A-II": "A, tier II: Z = S A",
    "A-III": "A, tier III: A(q) = Z S^T",
    "b-I": "b, tier I: absolute twists V = S^T q'",
    "b-II": "b, tier II: W = B V, and the flywheels' N = I psi'' + J psi'",
    "b-III": "b, tier III: b^1 = S (W + N)",
    "b-0": "b, auxiliary: rates of the auxiliary rows",
    "b-IV": "b, tier IV: rates of the rows of S",
    "b-V": "b, tier V: b^2 = Z (S')^T q'",
    "Q-0": "Q, auxiliary: gravity in the axes of the bodies",
    "Q-I": "Q, tier I: weights G of the bodies",
    "Q-II": "Q, tier II: generalized forces of weight S G",
    "U-0": "U, auxiliary: motion of the points where forces act and constraints hold",
    "U-I": "U, tier I: other forces F on the bodies",
    "U-II": "U, tier II: generalized forces S F + u",
    "D-0": "D, auxiliary: parts of rows",
    "D-I": "D, tier I: rows of the constraints",
    "D-II": "D, tier II: rates of the rows, D' q' + gamma'",
}


def component(letter: str, number: int, i: int, d: Direction) -> str:
    """Write the name ``s_{p,i}^{σt-α}``."""
    return f"{letter}_{{{number},{i}}}^{{{d.name}}}"


def absolute(number: int) -> str:
    """Write the superscript ``^{0,p}`` of motion relative to the fixed frame."""
    return f"^{{0,{number}}}"


def named_row(names: Names, group: str, letter: str, number: int, d: Direction, row: Vector) -> Vector:
    """Name the components of a row of body p and direction d."""
    return tuple(names.give(group, component(letter, number, i, d), x) for i, x in enumerate(row, 1))


def named_vector(names: Names, group: str, letter: str, number: int, vector: Vector, of: str = "") -> Vector:
    """Name the components of a vector of body p, breaking up long ones."""
    return tuple(
        names.give(group, f"{letter}_{{{number},{i}}}{of}", names.break_up(group, x)) for i, x in enumerate(vector, 1)
    )


def named_forces(
    names: Names, group: str, letter: str, power: str, found: Mapping[Direction, Any]
) -> dict[Direction, Any]:
    """Name generalized forces by their directions."""
    return {d: names.give(group, f"{letter}_{{{d.name}}}{power}", x) for d, x in found.items()}
