"""Random inertias, flywheels and added inertia: physical by construction, and nothing symmetric by accident."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from mbconcord.model import AddedInertia, Flywheel, Inertia, rotation, shift
from mbconcord.model.expressions import TIME, as_expression, sin
from mbconcord.model.inertia import Tensor, tensor
from mbconcord.model.transformation import Constant, vector

from .choices import Choices


def random_tensor(c: Choices) -> Tensor:
    """The tensor tr(P) E - P of a sum P of r rᵀ: physical whatever is chosen."""
    p = _squares([c.point(), c.point(), c.point()])
    for i in range(3):
        p[i][i] += Fraction(i + 1, 100)
    whole = p[0][0] + p[1][1] + p[2][2]
    return tensor((whole - p[0][0], whole - p[1][1], whole - p[2][2], -p[0][1], -p[0][2], -p[1][2]))


def random_flywheels(c: Choices) -> Iterator[Flywheel]:
    """One or two rotors, unbalanced and of three different moments, tilted, with ψ' and ψ'' that change."""
    for i in range(c.pick((1, 1, 2))):
        tilts = (rotation(c.direction(), Constant(as_expression(c.decimal(-2, 2)))) for _ in range(2))
        inertia = Inertia(as_expression(c.positive()), vector(c.point()), random_tensor(c))
        angle = c.decimal(-3, 3) * TIME + c.decimal(-1, 1) * sin(c.decimal(-3, 3) * TIME)
        yield Flywheel(f"wheel{i + 1}", (*shift(c.point()), *tilts), inertia, angle)


def random_added_inertia(c: Choices) -> AddedInertia:
    """A full positive definite 6×6 matrix: a sum of r rᵀ, and something on the diagonal."""
    p = _squares([(*c.point(), *c.point()) for _ in range(6)])
    for i in range(6):
        p[i][i] += Fraction(i + 1, 10)
    return AddedInertia(tuple(tuple(map(as_expression, row)) for row in p))


def _squares(arms: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Σ r rᵀ."""
    size = range(len(arms[0]))
    return [[sum((r[i] * r[k] for r in arms), Fraction(0)) for k in size] for i in size]
