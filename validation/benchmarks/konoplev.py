"""Konoplev's aggregates: operations beside the paper's N_M and N_A, time to derive, agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.registry import formalism
from mbconcord.model import Body, Constant, Coordinate, Inertia, System, rotation, shift
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import ZERO, Expression, Operations, count_operations, number, sqrt
from mbconcord.model.inertia import tensor
from mbconcord.model.transformation import vector

from ..judge.kinematics import Kinematics
from ..judge.scale import scales
from .pair_trees import random_pairs
from .row import Row, seconds


@dataclass(frozen=True)
class Chain:
    """A family of revolute chains: what it is, and (multiplications, additions) of A and b that it may need by m.

    ``constant`` makes a number of its constants out of a whole number.
    """

    title: str
    limits: Mapping[int, tuple[int, int]]
    constant: Callable[[int], Expression]


def irrational(n: int) -> Expression:
    """±√((10 |n| + 3) / 1000), a number without symbols that no simplification joins with another; 0 for 0."""
    root = sqrt(abs(magnitude(n)))
    return root if n > 0 else -root if n < 0 else ZERO


def decimal(n: int) -> Expression:
    """±(10 |n| + 3) / 1000, as the files of users have their constants; 0 for 0."""
    return number(magnitude(n))


def magnitude(n: int) -> Fraction:
    """±(10 |n| + 3) / 1000; 0 for 0."""
    return Fraction((10 * abs(n) + 3) * (1 if n > 0 else -1) if n else 0, 1000)


#: Counts of an independent zero-aware implementation of the same formulas.
PARALLEL = {1: (12, 3), 2: (101, 51), 3: (277, 167), 4: (545, 357), 5: (911, 627), 6: (1381, 983), 7: (1961, 1431),
            8: (2657, 1977)}  # fmt: skip
ROTATED = {1: (45, 19), 2: (190, 104), 3: (443, 272), 4: (810, 529), 5: (1297, 881), 6: (1910, 1334), 7: (2655, 1894),
           8: (3538, 2567)}  # fmt: skip
CHAINS = {
    "parallel": Chain("principal central axes parallel to the body's axes", PARALLEL, irrational),
    "decimals": Chain("the same with decimals for constants", PARALLEL, decimal),
    "rotated": Chain("principal central axes turned against the body's axes", ROTATED, irrational),
    "straight": Chain("all joint axes parallel", {6: (392, 368)}, irrational),
}


def chain(m: int, kind: str) -> System:
    """m bodies with one rotation θ6 each after generic constant s, ψ4, ψ5 (none of the angles when straight)."""
    generic = CHAINS[kind].constant
    bodies: list[Body] = []
    for i in range(1, m + 1):
        place = shift(map(generic, (i + 3, i + 7, -i - 5)))
        angles = (Constant(generic(i)), Constant(-generic(i + 2)))
        turns = () if kind == "straight" else (rotation("x", angles[0]), rotation("y", angles[1]))
        products = map(generic, (1, -2, 3) if kind == "rotated" else (0, 0, 0))
        moments = tensor((*map(generic, (2 * i + 40, 3 * i + 60, 2 * i + 80)), *products))
        inertia = Inertia(generic(i + 100), vector(map(generic, (i + 1, 2 * i + 1, -i - 2))), moments)
        joint = (*place, *turns, rotation("z", f"q{i}"))
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i > 1 else None, joint, inertia))
    return System("chain", tuple(Coordinate(f"q{i}") for i in range(1, m + 1)), bodies=tuple(bodies))


def counted(m: int, kind: str) -> Operations:
    """Operations of A (upper triangle) and b together."""
    axes = "principal" if kind == "rotated" else "central"
    return operations_of(Konoplev(axes=axes).derive(chain(m, kind)))  # type: ignore[arg-type]


def operations_of(derivation: Derivation) -> Operations:
    """Operations of A (upper triangle) and b together, in a derivation."""
    M, h = derivation.quantities["M"], derivation.quantities["h"]
    assert isinstance(M, tuple) and isinstance(h, tuple)
    upper = [x for i, row in enumerate(M) if isinstance(row, tuple) for x in row[i:]]
    return count_operations([*upper, *h])  # type: ignore[list-item]


def revolute_chain(system: System) -> int | None:
    """How many links a chain has that the paper counts: one turn each, no medium, no flywheel; None for others."""
    carriers = [None, *(body.name for body in system.bodies)]
    for body, carrier in zip(system.bodies, carriers, strict=False):
        moving = [et for et in body.joint if not isinstance(et.motion, Constant)]
        revolute = len(moving) == 1 and bool(moving[0].coordinate) and not moving[0].is_translation
        if body.parent != carrier or not revolute or body.flywheels or body.added_inertia:
            return None
    return len(system.bodies) or None


def printed(m: int) -> tuple[int, int]:
    """N_M and N_A of the paper's item 5, with the decimals of N_A as the fractions that they round.

    ``N_M = 2m³ + 37m² - 17m - 10``, ``N_A = 5/3 m³ + 51/2 m² - 73/6 m - 14``: 1652 and 1191 for m = 6, as printed.
    """
    return 2 * m**3 + 37 * m**2 - 17 * m - 10, (10 * m**3 + 153 * m**2 - 73 * m) // 6 - 14


#: Trees of his pairs on which he is compared with the others.
TREES = 1000


def disagreement(trees: int) -> float:
    """Largest difference from the other formalisms relative to scale, on random trees of Konoplev's pairs."""
    worst = 0.0
    for seed in range(trees):
        model, states = random_pairs(seed)
        ours = Konoplev(split=bool(seed % 2)).evaluate(model, states).quantities
        sizes = scales(Kinematics(model, states))
        for name in ("lagrange", "newton_euler", "virtual_work"):
            theirs = formalism(name).evaluate(model, states).quantities
            for quantity in ("M", "h", "gravity", "inverse_dynamics"):
                size = sizes.mass if quantity == "M" else sizes.rows[quantity]
                difference = np.abs(ours[quantity] - theirs[quantity])
                worst = max(worst, float((difference / np.where(size > 0, size, 1)).max(initial=0)))
    return worst


def rows() -> Iterator[Row]:
    """Counts for m = 1…8 beside the paper's, parallelism, the time to derive, and agreement with the others."""
    for m in range(1, 9):
        paper = printed(m)
        for kind, family in CHAINS.items():
            found = counted(m, kind)
            limits = family.limits.get(m, (None, None))
            title = f"konoplev: A and b of {m} revolute joints, {family.title}"
            yield Row(f"{title}: multiplications", found.mul, "", limits[0], note=f"paper {paper[0]}")
            yield Row(f"{title}: additions", found.add, "", limits[1], note=f"paper {paper[1]}")
        found = counted(m, "parallel")
        note = f"critical path {found.critical_path}"
        yield Row(f"konoplev: average parallelism of {m} revolute joints", found.parallelism, "", note=note)
    for m, limit in ((6, 0.2), (30, 10.0)):
        model = chain(m, "parallel")
        wall = seconds(lambda model=model: Konoplev().derive(model), 3)  # type: ignore[misc]
        yield Row(f"konoplev: derive {m} revolute joints", wall, "s", limit)
    title = f"konoplev: disagreement on {TREES} trees of joints of 1, 2, 3 and 6 coordinates"
    yield Row(title, disagreement(TREES), "of scale", 1e-12)


HEADERS = (
    "m", "N_M, paper", "N_A, as printed", "N_A, corrected", "axes parallel, mul / add", "axes turned, mul / add",
)  # fmt: skip


def operations_rows() -> Iterator[tuple[str, ...]]:
    """Multiplications and additions of A and b for m = 1…8 under :data:`HEADERS`: the paper's and what is measured.

    N_A stands with the decimals of the paper's item 5 and with the fractions that they round.
    """
    for m in range(1, 9):
        multiplications, additions = printed(m)
        decimals = Fraction("1.7") * m**3 + Fraction("25.5") * m**2 - Fraction("12.17") * m - 14
        found = (counted(m, kind) for kind in ("parallel", "rotated"))
        cells = (
            m,
            multiplications,
            f"{float(decimals):.2f}",
            additions,
            *(f"{o.mul} / {o.add}" for o in found),
        )
        yield tuple(map(str, cells))


def operations_table() -> str:
    """The rows as a Markdown table."""
    rows = [HEADERS, ["---"] * len(HEADERS), *operations_rows()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows).replace(" --- ", "---")
