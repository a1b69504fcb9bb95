"""How generated equations take a force and a moment on a body: -∂R/∂F and -∂R/∂M against Jacobians of its centre.

A model that puts no moment on a body says nothing about how the equations take one; these are compared all the same:

    ∂Q/∂F = J_v(centre of mass)ᵀ (world axes),   ∂Q/∂M = J_ωᵀ (body axes) .
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mbconcord.model.equations import GeneratedEquations, body_force_symbol, body_moment_symbol
from mbconcord.model.expressions import MINUS_ONE, Expression, directional
from mbconcord.validation.judge.comparison import Difference
from mbconcord.validation.judge.kinematics import Array, Kinematics
from mbconcord.validation.judge.tolerances import evaluation_tolerance

from .numbers import AXES, generated_values
from .pairing import Pairing


def load_entry(
    equations: GeneratedEquations, k: Kinematics, bodies: Mapping[int, str | None], pairing: Pairing,
    values: Mapping[str, Any],
) -> tuple[list[str], Difference] | None:  # fmt: skip
    """Labels and numbers of both sides; None where there is no force vector or no body."""
    labels: list[str] = []
    formulas: list[Expression] = []
    expected: list[Array] = []
    scales: list[Array] = []
    names = k.system.coordinate_names
    for number, name in bodies.items():
        if equations.residual is None or name is None:
            continue
        m = k.centre(k.system.body(name))
        turning = np.einsum("sji,sjk->sik", m.rotation, m.turning)
        for kind, symbol_of, own, size in (
            ("force", body_force_symbol, m.moving, m.lever),
            ("moment", body_moment_symbol, turning, m.turns),
        ):
            for axis in range(3):
                slopes = directional(equations.residual, {symbol_of(number, axis): MINUS_ONE})
                for pair in pairing.pairs:
                    j = names.index(pair.coordinate)
                    labels.append(f"{name} {kind} {AXES[axis]} {pair.coordinate}")
                    formulas.append(slopes[pair.number] if pair.sign > 0 else -slopes[pair.number])
                    expected.append(own[:, axis, j])
                    scales.append(size[:, j])
    if not labels:
        return None
    ones = np.ones(k.count)
    return labels, Difference(
        generated_values(formulas, values, k.count), np.stack(expected, axis=1), np.stack(scales, axis=1),
        ones * evaluation_tolerance(), ones,
    )  # fmt: skip
