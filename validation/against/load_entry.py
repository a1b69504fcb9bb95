"""How generated equations take a force and a moment on a body: -∂R/∂F and -∂R/∂M against Jacobians of its centre.

A model that puts no moment on a body says nothing about how the equations take one; these are compared all the same:

    ∂Q/∂F = J_v(centre of mass)ᵀ (world axes),   ∂Q/∂M = J_ωᵀ (body axes) .
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbconcord.model.equations import GeneratedEquations, body_force_symbol, body_moment_symbol
from mbconcord.model.expressions import MINUS_ONE, Expression, directional
from mbconcord.model.system import System
from mbconcord.validation.judge.comparison import Difference
from mbconcord.validation.judge.kinematics import Kinematics
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.tolerances import evaluation_tolerance

from .body_formulas import body_formula, frame
from .numbers import AXES, TWIST, generated_numbers
from .pairing import Pair, Pairing


@dataclass(frozen=True)
class Load:
    """An entry: the load on a body, the coordinate on which it acts, and the formula that the equations have of it."""

    body: str
    symbol: Expression
    kind: str
    axis: int
    pair: Pair
    formula: Expression

    @property
    def label(self) -> str:
        """``body1 force x q1``."""
        return f"{self.body} {self.kind} {AXES[self.axis]} {self.pair.coordinate}"

    def expected(self, system: System) -> Expression | None:
        """The model's formula: the column of the Jacobian of the centre of mass."""
        component = TWIST[self.axis + (0 if self.kind == "force" else 3)]
        origin = frame(system, self.body, centred=True)
        return body_formula(system, "jacobian", f"{component} {self.pair.coordinate}", origin)


def load_entry(
    equations: GeneratedEquations, k: Kinematics, bodies: Mapping[int, str | None], pairing: Pairing,
    values: Mapping[str, Any],
) -> tuple[list[Load], Difference] | None:  # fmt: skip
    """Entries and numbers of both sides; None where there is no force vector or no body."""
    entries: list[Load] = []
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
                load = symbol_of(number, axis)
                slopes = directional(equations.residual, {load: MINUS_ONE})
                for pair in pairing.pairs:
                    j = names.index(pair.coordinate)
                    slope = slopes[pair.number] if pair.sign > 0 else -slopes[pair.number]
                    entries.append(Load(name, load, kind, axis, pair, slope))
                    expected.append(own[:, axis, j])
                    scales.append(size[:, j])
    if not entries:
        return None
    ones = np.ones(k.count)
    formulas = [load.formula for load in entries]
    own = generated_numbers(formulas, values, k.count, equations.digits)
    return entries, Difference(
        own.values, np.stack(expected, axis=1), np.stack(scales, axis=1), ones * evaluation_tolerance(), ones,
        bound=own.bounds,
    )  # fmt: skip
