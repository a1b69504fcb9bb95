"""The models of fixtures/elastic/vectors.toml: a rigid, b planar, c spatial with a nodal link, d the paper's own."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import cache
from typing import Any

from laboratory.machines import four_links
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    ElementaryTransformation,
    Gravity,
    Inertia,
    Motion,
    State,
    System,
    rotation,
    shift,
    translation,
)  # fmt: skip
from mbconcord.model.beams import ClampedFree, Sine, beam, bending, power, round_section, static, torsion

VECTORS: dict[str, Any] = tomllib.loads((folder() / "elastic" / "vectors.toml").read_text("utf-8"))
CASES = tuple(VECTORS)


def turned(*v: float) -> tuple[ElementaryTransformation, ...]:
    """Exp of a rotation vector."""
    angle = math.hypot(*v)
    return (rotation([x / angle for x in v], angle),)


def modal(case: str) -> tuple[str, ...]:
    """Names of the modal coordinates of a case."""
    return tuple(f"e{k + 1}" for k in range(len(VECTORS[case]["qe"])))


def joints(case: str) -> tuple[str, ...]:
    """Names of the joint coordinates of a case."""
    return tuple(f"q{k + 1}" for k in range(len(VECTORS[case]["q"])))


@cache
def system(case: str) -> System:
    """The model of a case, its efforts and its imposed accelerations as drives."""
    given = VECTORS[case]
    drives = [
        Motion(a) if imposed else Effort(tau)
        for imposed, a, tau in zip(given["imposed"], given["acceleration"], given["effort"], strict=True)
    ]
    coordinates = [Coordinate(n, drive=d) for n, d in zip(joints(case), drives, strict=True)]
    coordinates += [Coordinate(n) for n in modal(case)]
    bodies, down = {"a": (_a, (0, 0, -1)), "b": (_b, (0, -1, 0)), "c": (_c, (0, 0, -1)), "d": (_d, None)}[case[0]]
    gravity = Gravity(9.81, down) if down else None
    return System(case, coordinates, gravity=gravity, bodies=bodies())


def state(case: str) -> State:
    """The state of a case."""
    given = VECTORS[case]
    names = (*joints(case), *modal(case))
    q = dict(zip(names, given["q"] + given["qe"], strict=True))
    v = dict(zip(names, given["v"] + given["ve"], strict=True))
    return State(0.0, q, v)


def expected(case: str) -> list[float]:
    """Accelerations in the order of the coordinates."""
    return [*VECTORS[case]["acceleration"], *VECTORS[case]["modal_acceleration"]]


def _a() -> Sequence[Body]:
    skew = (0.02, 0.03, 0.025, 0.001, 0, -0.002)
    return (
        Body("1", None, (rotation("z", "q1"),), Inertia(2, (0.25, 0, 0), (0.01, 0.05, 0.05))),
        Body(
            "2", "1", (*shift((0.5, 0, 0)), *shift((0, 0.02, 0)), *turned(0.3, -0.2, 0.5), rotation("y", "q2")),
            Inertia(1.5, (0.2, 0.05, 0), skew),
        ),
        Body(
            "3", "1", (*shift((0.25, 0, 0.1)), *turned(-0.4, 0.1, 0.2), translation((1, 2, 2), "q3")),
            Inertia(1, (0.1, 0, -0.05), (0.004, 0.006, 0.005)),
        ),
    )  # fmt: skip


def _b() -> Sequence[Body]:
    inertia, modes = beam(
        0.5, round_section(0.004), {"e1": bending(2, power(2)), "e2": bending(2, power(3))},
        young=7e10, density=2700, nodes={"tip": 0.5},
    )  # fmt: skip
    hand = Inertia(0.3, (0.2, 0, 0), (0, 0.004, 0.004))
    return (
        Body("1", None, (rotation("z", "q1"),), inertia, modes=modes),
        Body("2", "1", (rotation("z", "q2"),), hand, parent_node="tip"),
    )


def _c() -> Sequence[Body]:
    first = {"e1": bending(2, ClampedFree(1)), "e2": bending(3, ClampedFree(1)), "e3": torsion(Sine(1))}
    nodal, modes = beam(0.6, round_section(0.005), first, young=2e11, density=7800, nodes={"tip": 0.6, "mid": 0.3})
    leaf, own = beam(0.4, round_section(0.004), {"e4": bending(2, static())}, young=7e10, density=2700)
    return (
        Body("1", None, (rotation("z", "q1"),), Inertia(1.2, (0.1, 0.02, 0), (0.003, 0.006, 0.007))),
        Body(
            "2", "1", (*shift((0.25, 0, 0.05)), *turned(0.2, 0, -0.3), rotation("y", "q2")), nodal,
            modes=modes,
        ),
        Body(
            "3", "2", (*shift((0.02, 0, 0.01)), *turned(0.1, 0.4, 0), rotation((1, 0, 1), "q3")),
            Inertia(0.4, (0.15, 0, 0.03), (0.001, 0.004, 0.005)), parent_node="tip",
        ),
        Body(
            "4", "2", (*shift((0, 0.03, 0)), *turned(0.5, -0.3, 0.2), translation("z", "q4")),
            Inertia(0.5, (0.1, 0, 0), (0.0012, 0.002, 0.003)), parent_node="mid",
        ),
        Body("5", "3", (*shift((0.3, 0.1, 0)), *turned(0, 0.2, 0.6), rotation("y", "q5")), leaf, modes=own),
    )  # fmt: skip


def _d() -> Sequence[Body]:
    return four_links().bodies
