"""Mises matrices: mass, static moment and inertia of a body about the origin of its frame."""

from __future__ import annotations

import numpy as np

from mbconcord.model.expressions import as_expression, evaluate_float
from mbconcord.model.inertia import Inertia
from mbconcord.model.transformation import Vector as Triple
from mbconcord.model.transformation import vector

from .pair import Of
from .vectors import NONE, Matrix, mul, product, skew, summed, times, transposed


def mises(inertia: Inertia, of: Of) -> Matrix:
    """Θ = [[m E, m <rc>ᵀ], [m <rc>, J_o]] with J_o = J_c + m <rc> <rc>ᵀ (6×6), in the arithmetic of ``of``.

    ``Θ V`` is the momentum and the angular momentum about the origin. Equals ``L_c diag(m, m, m, J_c) L_cᵀ``.
    """
    m = of(inertia.mass)
    arm = skew(tuple(map(of, inertia.centre)))
    static = tuple(times(m, row) for row in arm)
    about = tuple(times(m, row) for row in product(arm, transposed(arm)))
    tensor = summed(tuple(tuple(map(of, row)) for row in inertia.matrix()), about)
    upper = tuple(
        (*(mul(m, x) for x in unit), *row)
        for unit, row in zip(((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)), transposed(static), strict=True)
    )
    return upper + tuple((*a, *b) for a, b in zip(static, tensor, strict=True))


def mises_central(inertia: Inertia, of: Of) -> Matrix:
    """diag(m, m, m, J_c): the Mises matrix about the mass centre (6×6)."""
    m = of(inertia.mass)
    upper = tuple((*(m if i == k else 0 for k in range(3)), *NONE) for i in range(3))
    return upper + tuple((*NONE, *map(of, row)) for row in inertia.matrix())


def principal_axes(inertia: Inertia) -> tuple[Triple, Triple, Triple] | None:
    """Rotation (3×3) whose columns are the principal axes about the mass centre, in body axes.

    None where the tensor is diagonal already, or is no tensor of numbers. The axes are floats: the equations are
    then exact to rounding only.
    """
    if not any(inertia.tensor[3:]) or not all(x.constant for x in inertia.tensor):
        return None
    tensor = np.array([[evaluate_float(x, {}) for x in row] for row in inertia.matrix()])
    columns = np.linalg.eigh(tensor)[1]
    columns[:, 2] *= np.sign(np.linalg.det(columns))
    one, two, three = (vector(map(float, row)) for row in columns)
    return one, two, three


def along_principal_axes(inertia: Inertia, axes: tuple[Triple, Triple, Triple]) -> Inertia:
    """The same inertia in the axes that are the columns of ``axes``; products of inertia are zero there."""
    moments = (
        sum(
            (
                a * x * b
                for a, row in zip(column, inertia.matrix(), strict=True)
                for x, b in zip(row, column, strict=True)
            )
        )
        for column in zip(*axes, strict=True)
    )
    return Inertia(inertia.mass, inertia.centre, tuple(map(as_expression, moments)))  # type: ignore[arg-type]
