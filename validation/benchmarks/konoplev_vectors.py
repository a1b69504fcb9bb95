"""The vectors of fixtures/konoplev as models: trees of Konoplev's pairs with medium and flywheels."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from mbconcord.fixtures import folder
from mbconcord.model import (
    AddedInertia,
    Body,
    Coordinate,
    Flywheel,
    Gravity,
    Inertia,
    System,
    rotation,
    shift,
    translation,
)
from mbconcord.model.expressions import TIME, as_expression
from mbconcord.model.transformation import ElementaryTransformation
from mbconcord.model.transformation import vector as triple

#: Vectors of open trees.
OPEN = ("E1", "E2", "R1", "G1")


def vector(name: str) -> dict[str, Any]:
    """A vector: model, state, expected values."""
    path = folder("konoplev") / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8")))


def inertia(data: Mapping[str, Any]) -> Inertia:
    """Inertia from mass, centre and the matrix about it."""
    J = data["Jc"]
    return Inertia(data["m"], data["rc"], (J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]))


def flywheel(data: Mapping[str, Any]) -> Flywheel:
    """With ψ(0), ψ'(0) and ψ'' of the vector."""
    turns = (rotation(axis, angle) for axis, angle in zip("xyz", data["rot"], strict=True))
    psi = data["psi"] + data["dpsi"] * TIME + data["ddpsi"] * TIME * TIME / 2
    return Flywheel("wheel", (*shift(data["o"]), *turns), inertia(data), psi)


def pair(constants: list[Any], free: Mapping[int, str]) -> list[ElementaryTransformation]:
    """A joint in Konoplev's order from its six constants and the names of its coordinates by α."""
    joint: list[ElementaryTransformation] = []
    for alpha, axis in enumerate("xyzxyz", 1):
        make = translation if alpha <= 3 else rotation
        if constants[alpha - 1]:
            joint.append(make(axis, constants[alpha - 1]))
        if alpha in free:
            joint.append(make(axis, free[alpha]))
    return joint


def system(data: Mapping[str, Any]) -> System:
    """The model of a vector; its initial state is the vector's state."""
    bodies: list[Body] = []
    coordinates: list[Coordinate] = []
    for number, b in enumerate(data["bodies"], 1):
        free: dict[int, str] = {}
        for alpha in b["dofs"]:
            k = len(coordinates)
            free[alpha] = f"q{number}_{alpha}"
            coordinates.append(Coordinate(free[alpha], data["q"][k], data["qd"][k]))
        parent = f"body{b['parent']}" if b["parent"] else None
        medium = AddedInertia(tuple(map(tuple, b["Lam"]))) if b.get("Lam") else None
        wheels = tuple(map(flywheel, b.get("flywheels", ())))
        bodies.append(
            Body(f"body{number}", parent, tuple(pair(b["const"], free)), inertia(b), medium, wheels)
        )
    g = data["gravity"]
    return System(
        data["name"],
        tuple(coordinates),
        gravity=Gravity(as_expression(math.hypot(*g)), triple(g)),
        bodies=tuple(bodies),
    )
