"""Chains of revolute joints with generic constants, whose operations the paper counts in item 5."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from mbconcord.model import Body, Constant, Coordinate, Inertia, System, rotation, shift
from mbconcord.model.body import tensor
from mbconcord.model.expressions import ZERO, Expression, number, sqrt
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass

from .body import Axes


@dataclass(frozen=True)
class Family:
    """Chains of a kind: their name, constants as functions of an integer, and the bodies' axes.

    ``products``: bodies have products of inertia in the axes of their frames; ``turned``: joint axes are not parallel.
    """

    title: str
    constant: Callable[[int], Expression]
    axes: Axes = "central"
    products: tuple[int, int, int] = (0, 0, 0)
    turned: bool = True


def irrational(n: int) -> Expression:
    """Return ±√((10 |n| + 3) / 1000), a number that no simplification combines with another; 0 for 0."""
    root = sqrt(abs(magnitude(n)))
    return root if n > 0 else -root if n < 0 else ZERO


def decimal(n: int) -> Expression:
    """Return ±(10 |n| + 3) / 1000, like the constants in users' files; 0 for 0."""
    return number(magnitude(n))


def magnitude(n: int) -> Fraction:
    """Return ±(10 |n| + 3) / 1000; 0 for 0."""
    return Fraction((10 * abs(n) + 3) * (1 if n > 0 else -1) if n else 0, 1000)


FAMILIES: Mapping[str, Family] = {
    "parallel": Family("principal central axes parallel to the body's axes", irrational),
    "decimals": Family("the same with decimals for constants", decimal),
    "rotated": Family("principal central axes turned against the body's axes", irrational, "principal", (1, -2, 3)),
    "full": Family(
        "the same bodies with full tensors in central axes parallel to the body's", irrational, "central", (1, -2, 3)
    ),
    "straight": Family("all joint axes parallel", irrational, turned=False),
}


def chain(m: int, kind: str) -> System:
    """Build m bodies with one rotation θ6 each after generic constant s, ψ4, ψ5 (no angles if straight)."""
    family = FAMILIES[kind]
    generic = family.constant
    bodies: list[Body] = []
    for i in range(1, m + 1):
        place = shift(map(generic, (i + 3, i + 7, -i - 5)))
        angles = (Constant(generic(i)), Constant(-generic(i + 2)))
        turns = (rotation("x", angles[0]), rotation("y", angles[1])) if family.turned else ()
        products = map(generic, family.products)
        moments = tensor((*map(generic, (2 * i + 40, 3 * i + 60, 2 * i + 80)), *products))
        inertia = Inertia(generic(i + 100), vector(map(generic, (i + 1, 2 * i + 1, -i - 2))), moments)
        joint = (*place, *turns, rotation("z", f"q{i}"))
        bodies.append(Body(f"b{i}", f"b{i - 1}" if i > 1 else None, joint, inertia))
    return System("chain", tuple(Coordinate(f"q{i}") for i in range(1, m + 1)), bodies=tuple(bodies))


def revolute_chain(system: System) -> int | None:
    """Return the number of links of a chain that the paper counts (one rotation per link, no flywheel), else None."""
    carriers = [None, *(body.name for body in system.bodies)]
    for body, carrier in zip(system.bodies, carriers, strict=False):
        moving = [et for et in body.joint if not isinstance(et.motion, Constant)]
        revolute = len(moving) == 1 and bool(moving[0].coordinate) and not moving[0].is_translation
        if body.parent != carrier or not revolute or body.flywheels or body.added_inertia:
            return None
    return len(system.bodies) or None
