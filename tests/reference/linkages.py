"""Andrews' mechanism, Telegin's linkages and Timofeev's manipulators (fixtures/tp) with their published numbers.

Numbers of a vector stand in the model as they are printed: 12 significant digits, exact decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from mbconcord.converters.registry import read
from mbconcord.fixtures import folder
from mbconcord.model import (
    Body,
    Coordinate,
    Effort,
    Gravity,
    Inertia,
    Point,
    PointCoincidence,
    State,
    System,
    Wrench,
    rotation,
    shift,
    translation,
)

from .row import DOUBLE, Row, data, row, states

VECTORS = data("telegin", "vectors.json")
TREE, FOUR_BAR = VECTORS["branched_tree"], VECTORS["four_bar"]
TABLES = data("tp", "vectors.json")
#: Keys of a vector for q, q', q''.
MOTION = ("q", "qd", "qdd")
DIGITS = 12
ANDREWS = "mbsd/andrews.mbsd"


def exact(value: Any) -> Fraction:
    """The decimal that a number is printed as."""
    return Fraction(repr(float(value)))


def triple(values: Sequence[Any]) -> tuple[Fraction, ...]:
    """A vector of space from one of space or of the plane."""
    return (*map(exact, values), *[Fraction(0)] * (3 - len(values)))


def tensor(values: Any) -> tuple[Fraction, ...]:
    """Moments and products about the centre of mass from a moment in the plane, six numbers or a matrix."""
    if np.ndim(values) == 0:
        return Fraction(0), Fraction(0), exact(values)
    if np.ndim(values) == 1:
        return tuple(map(exact, values))
    return tuple(exact(values[i][k]) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def tree(name: str, links: Sequence[Sequence[Any]], g: Sequence[float], **more: Any) -> System:
    """Links (base, R in base's axes, "R" or "P", axis, mass, centre, moments), frames parallel where q is zero."""
    bodies = tuple(
        Body(
            f"b{k}",
            f"b{base}" if base else None,
            (*shift(triple(R)), {"R": rotation, "P": translation}[kind](axis, f"q{k}")),
            Inertia(exact(m), triple(c), tensor(I)),
        )
        for k, (base, R, kind, axis, m, c, I) in enumerate(links, 1)
    )
    gravity = Gravity(exact(np.linalg.norm(g)), triple(g))
    coordinates = tuple(Coordinate(f"q{k}") for k in range(1, len(bodies) + 1))
    return System(name, coordinates, gravity=gravity, bodies=bodies, **more)


def linkage(v: dict[str, Any], **more: Any) -> System:
    """A vector in Telegin's own letters: axes and R in axes of the base."""
    count = range(len(v["base"]))
    kinds = v.get("type") or ["R" for _ in count]
    slide = triple(v.get("axis_P_local_in_base", (1, 0)))
    axes = list(map(triple, v["axis"])) if "axis" in v else [slide if t == "P" else "z" for t in kinds]
    R = v.get("R_local") or v["R0"]
    links = [(v["base"][k], R[k], kinds[k], axes[k], v["m_own"][k], v["c_own"][k], v["I_own"][k]) for k in count]
    return tree("linkage", links, v["g"], **more)


def manipulator(v: dict[str, Any]) -> System:
    """A vector with rows of a table of Timofeev's."""
    links = [
        (row["base"], row["R"], row["joint"], row["axis"].partition("_")[0], row["m"], row["c"], row["I"])
        for row in v["rows"]
    ]
    return tree("manipulator", links, v["g"])


def model(v: dict[str, Any]) -> System:
    """A vector of an open tree."""
    return manipulator(v) if "rows" in v else linkage(v)


def branched(forces: tuple[Any, ...] = ()) -> System:
    """The published branched linkage of five links."""
    return linkage(TREE, forces=forces)


def tool() -> Wrench:
    """The published load on it."""
    load = TREE["load"]
    point = Point(f"b{load['link']}", triple(load["point_local"]))
    return Wrench("tool", point, triple(load["F_world"]), triple([0, 0, load["couple"]]))


def relative(v: dict[str, Any]) -> State:
    """Angles, rates and accelerations of the joints of a chain from those of its links."""
    groups = [np.diff(v[key], prepend=0.0).tolist() for key in ("theta", "omega", "eps")]
    names = [f"q{k}" for k in range(1, len(groups[0]) + 1)]
    return states(names, [dict(zip("qva", groups, strict=True))])[0]


def four_bar(**drives: float) -> System:
    """The published four-bar, cut where its last link is joined to the ground."""
    end, ground = FOUR_BAR["close"]["point_local"], FOUR_BAR["close"]["ground"]
    cut = PointCoincidence("cut1", Point("b3", triple(end)), Point(None, triple(ground)))
    system = linkage(FOUR_BAR, constraints=(cut,))
    coordinates = tuple(
        Coordinate(c.name, drive=Effort(exact(drives[c.name])) if c.name in drives else None)
        for c in system.coordinates
    )
    return System(
        system.name, coordinates, gravity=system.gravity, bodies=system.bodies, constraints=system.constraints
    )


def at(system: System, v: dict[str, Any]) -> tuple[State, ...]:
    """The state of a vector."""
    return states(system.coordinate_names, [v], MOTION)


# --- rows -------------------------------------------------------------------------------------------


def loaded(key: str) -> Row:
    """The branched linkage, ``M_load`` with the tool or ``M_noload``."""
    system = branched((tool(),) if key == "M_load" else ())
    return row(system, at(system, TREE), DIGITS, {"inverse_dynamics": [TREE[key]]})


def published(v: dict[str, Any], file: str = "") -> Row:
    """A vector as the model made here, or as a file that holds it."""
    system = read(folder() / file).system if file else model(v)
    letters = {"inverse_dynamics": "tau", "M": "mass_matrix", "gravity": "Q_gravity"}
    return row(system, at(system, v), DIGITS, {q: [v[letter]] for q, letter in letters.items() if letter in v})


def closed() -> Row:
    """The four-bar driven by the published moment."""
    state = relative(FOUR_BAR)
    known = {"acceleration": [list(state.a.values())], "multipliers": [FOUR_BAR["F_r3"]], "rank": [2]}
    return row(four_bar(q1=FOUR_BAR["M1"]), [state], DIGITS, known)


def squeezer() -> Row:
    """Andrews' mechanism at the start of Mazzia & Magherini 2008: its accelerations, to the digits of doubles."""
    system = read(folder() / ANDREWS).system
    known = {"acceleration": [[14222.4439199541138706, -10666.8329399655854029, 0, 0, 0, 0, 0]], "rank": [6]}
    return row(system, [State()], DOUBLE, known)


def rows() -> dict[str, Callable[[], Row]]:
    """Andrews' mechanism; every linkage of Telegin's; every manipulator of Timofeev's as a table and as the file."""
    found = {f"telegin/branched_tree, {key}": partial(loaded, key) for key in ("M_noload", "M_load")}
    found |= {"telegin/four_bar": closed, ANDREWS: squeezer}
    trees = {name: v for name, v in VECTORS.items() if "type" in v or "rows" in v}
    found |= {f"telegin/{name}": partial(published, v) for name, v in trees.items()}
    return found | {f"tp/{name}.tp.csv": partial(published, v, f"tp/{name}.tp.csv") for name, v in TABLES.items()}
