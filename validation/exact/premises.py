"""What all derivations rely on, and rounded numbers of a model keep to rounding only.

An axis is a unit vector, the integrals of an elastic body belong to one body: one derivation uses the one form of it,
another the other. Where a model's decimals break it in their last digits the equations are no identical functions, and
that says nothing about the derivations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

from mbconcord.model.body import Body
from mbconcord.model.constraint import FrameCoincidence
from mbconcord.model.elastic.modes import ElasticModes
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.expressions.field import IDENTICAL, vanish
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation

#: Place, what it is taken for, and what should be zero.
Premise = tuple[str, str, Expression]


def approximate(system: System) -> str:
    """What of a model derivations take each in its own way, to rounding only; empty where there is nothing of it."""
    asked = [premise for premise in _premises(system) if premise[2]]
    for (place, said, _), found in zip(asked, vanish(x for _, _, x in asked), strict=True):
        if found.kind != IDENTICAL:
            return f"the model's numbers are rounded: {place}: {said} to rounding only"
    turned = (
        f"bodies/{body.name}/modes/nodes/{node.name}"
        for body in system.bodies
        for node in (body.modes.nodes if body.modes else ())
        if any(x for row in node.rotation for x in row)
    )
    place = next(turned, "")
    return (
        f"{place}: its turn is a power series, which derivations break off after different terms"
        if place
        else ""
    )


def _premises(system: System) -> Iterator[Premise]:
    for body in system.bodies:
        yield from _axes(f"bodies/{body.name}/joint", body.joint)
        for flywheel in body.flywheels:
            yield from _axes(f"bodies/{body.name}/flywheels/{flywheel.name}", flywheel.mounting)
        if body.modes is not None:
            yield from _elastic(f"bodies/{body.name}/modes", body, body.modes)
    for constraint in system.constraints:
        if isinstance(constraint, FrameCoincidence):
            for side in (constraint.first, constraint.second):
                yield from _axes(f"constraints/{constraint.name}", side.transformations)


def _axes(place: str, steps: Sequence[ElementaryTransformation]) -> Iterator[Premise]:
    for step in steps:
        yield place, "an axis is a unit vector", sum((x * x for x in step.axis), -ONE)


def _elastic(place: str, body: Body, modes: ElasticModes) -> Iterator[Premise]:
    P = modes.second_moments
    count = len(P)
    for k, m in combinations_with_replacement(range(count), 2):
        said = f"P_{k}{m} is the transpose of P_{m}{k}"
        for i, j in product(range(3), repeat=2):
            yield f"{place}/second_moments", said, P[k][m][i][j] - P[m][k][j][i]
    for name, matrix in (("stiffness", modes.stiffness), ("damping", modes.damping)):
        for k, row in enumerate(matrix):
            for m in range(k):
                yield f"{place}/{name}", "it is symmetric", row[m] - matrix[m][k]
    own = P[0][0]
    sections = modes.section_inertia[0] if modes.section_inertia else ((ZERO,) * 3,) * 3
    xx, yy, zz, xy, xz, yz = body.inertia.tensor_about_origin()
    about = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    for i, j in product(range(3), repeat=2):
        whole = own[0][0] + own[1][1] + own[2][2] if i == j else ZERO
        said = "the body's tensor is tr(P_00) E - P_00 + I_s"
        yield f"{place}/second_moments", said, whole - own[i][j] + sections[i][j] - about[i][j]
