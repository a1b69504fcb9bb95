"""The vectors of fixtures/konoplev as models: trees of Konoplev's pairs with medium and flywheels, and a four-bar."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from laboratory.bench.konoplev import pair
from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import (
    AddedInertia,
    Body,
    Coordinate,
    Effort,
    Flywheel,
    Frame,
    FrameCoincidence,
    Gravity,
    Holonomic,
    Inertia,
    Point,
    PointCoincidence,
    State,
    System,
    rotation,
    shift,
)
from mbconcord.model.expressions import TIME, as_expression, cos, sin, symbol
from mbconcord.model.transformation import vector as triple

from .row import DOUBLE, Row, data, row

#: Vectors of open trees.
OPEN = ("E1", "E2", "R1", "G1")


def vector(name: str) -> dict[str, Any]:
    """A vector: model, state, expected values."""
    return dict(data("konoplev", f"{name}.json"))


def full(upper: list[list[float]]) -> np.ndarray:
    """A symmetric matrix from the rows of its upper triangle."""
    found = np.zeros((len(upper), len(upper)))
    for i, entries in enumerate(upper):
        found[i, i:] = found[i:, i] = entries
    return found


def inertia(data: Mapping[str, Any]) -> Inertia:
    """Inertia from mass, centre and the matrix about it."""
    J = data["Jc"]
    return Inertia(data["m"], data["rc"], (J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]))


def flywheel(data: Mapping[str, Any]) -> Flywheel:
    """With ψ(0), ψ'(0) and ψ'' of the vector."""
    turns = (rotation(axis, angle) for axis, angle in zip("xyz", data["rot"], strict=True))
    psi = data["psi"] + data["dpsi"] * TIME + data["ddpsi"] * TIME * TIME / 2
    return Flywheel("wheel", (*shift(data["o"]), *turns), inertia(data), psi)


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
        bodies.append(Body(f"body{number}", parent, tuple(pair(b["const"], free)), inertia(b), medium, wheels))
    g = data["gravity"]
    return System(
        data["name"],
        tuple(coordinates),
        gravity=Gravity(as_expression(math.hypot(*g)), triple(g)),
        bodies=tuple(bodies),
    )


# --- the four-bar F1 --------------------------------------------------------------------------------

F1 = vector("F1")
LENGTHS = F1["l"]


def fourbar(*constraints: Any) -> System:
    """The open chain of vector F1 with some way to close it."""
    bodies, coordinates = [], []
    for i in range(3):
        joint = (*shift([LENGTHS[i - 1] if i else 0, 0, 0]), rotation("z", f"q{i + 1}"))
        inertia = Inertia(F1["m"][i], (F1["a"][i], F1["e"][i], 0), (0.1, 0.1, F1["J"][i]))
        bodies.append(Body(f"link{i + 1}", f"link{i}" if i else None, joint, inertia))
        drive = Effort(F1["tau"]) if i == 0 else None
        coordinates.append(Coordinate(f"q{i + 1}", F1["q"][i], F1["qd"][i], drive))
    g = Gravity(9.81, (0, -1, 0))
    return System("four-bar", tuple(coordinates), gravity=g, bodies=tuple(bodies), constraints=constraints)


def components(function: Any) -> Any:
    """Where the chain ends along one axis: Σ l_i cos or sin of the links' angles."""
    q = [symbol(f"q{i}") for i in (1, 2, 3)]
    angles = (q[0], q[0] + q[1], q[0] + q[1] + q[2])
    return sum(length * function(angle) for length, angle in zip(LENGTHS, angles, strict=False))


TIP, PIVOT = Point("link3", (LENGTHS[2], 0, 0)), Point(None, (LENGTHS[3], 0, 0))


def cut(*joint: Any) -> FrameCoincidence:
    """The pivot as a cut joint of these transformations."""
    tip, pivot = (*shift([LENGTHS[2], 0, 0]), *joint), shift([LENGTHS[3], 0, 0])
    return FrameCoincidence("loop", Frame("link3", tip), Frame(None, pivot))


#: Ways to close the chain. The first two rows of each hold the tip along x and y.
CLOSURES: dict[str, tuple[Any, ...]] = {
    "rows": (Holonomic("x", components(cos) - LENGTHS[3]), Holonomic("y", components(sin))),
    "point": (PointCoincidence("loop", TIP, PIVOT),),
    "revolute": (cut(rotation("z", "p")),),
    "sphere": (cut(rotation("x", "a"), rotation("y", "b"), rotation("z", "c")),),
}


def pivot_moments() -> np.ndarray:
    """Dᵀ λ of F1: moments of the force on the tip about the three joints."""
    angles = np.cumsum(F1["q"])
    links = np.array([LENGTHS[:3] * np.cos(angles), LENGTHS[:3] * np.sin(angles)]).T
    arms = links[::-1].cumsum(axis=0)[::-1]
    x, y = F1["lam"]
    return arms[:, 0] * y - arms[:, 1] * x


# --- rows -------------------------------------------------------------------------------------------


def known(v: Mapping[str, Any]) -> dict[str, Any]:
    """A of (4.1) as M, b as h, Q as gravity.

    Q of a vector with flywheels has -(I ψ'' + J ψ'), which the canonical equations put into h: of these only
    b - Q is known, inverse dynamics without accelerations.
    """
    found = {"M": [full(v["A_upper"])], "acceleration": [v["qdd"]]}
    found["inverse_dynamics"] = [np.subtract(v["b"], v["Q"])]
    if not any(b.get("flywheels") for b in v["bodies"]):
        found |= {"h": [v["b"]], "gravity": [v["Q"]]}
    return found


def open_tree(name: str, file: str = "") -> Row:
    """A vector as the model made here, or as a file that holds it; its flywheels need be none that can be built."""
    v = vector(name)
    return row(read(folder() / file, physics="ignore").system if file else system(v), [State()], 15, known(v))


def four_bar(closure: str = "", file: str = "") -> Row:
    """F1 closed in one way, open, or as a file that holds it."""
    found = {"M": [F1["A"]], "h": [F1["b"]], "gravity": [F1["Q"]], "applied": [[F1["tau"], 0, 0]]}
    if closure or file:
        found |= {"acceleration": [F1["qdd"]], "multipliers": [F1["lam"]], "reactions": [pivot_moments()]}
        found |= {"rank": [2]}
    model = read(folder() / file).system if file else fourbar(*CLOSURES.get(closure, ()))
    return row(model, [State()], DOUBLE, found)


def rows(files: Mapping[str, str]) -> dict[str, Callable[[], Row]]:
    """Every vector as a model made here and as every file that holds it: path -> what the catalog says is known."""
    found = {f"konoplev/{name}": partial(open_tree, name) for name in OPEN}
    found |= {f"konoplev/F1, {closure or 'open'}": partial(four_bar, closure) for closure in ("", *CLOSURES)}
    for file, told in files.items():
        name = told.removeprefix("konoplev/").removesuffix(".json")
        if name in OPEN:
            found[file] = partial(open_tree, name, file)
        elif name == "F1":
            found[file] = partial(four_bar, file=file)
    return found
