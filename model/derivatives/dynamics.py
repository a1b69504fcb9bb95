"""Derivatives of inverse and forward dynamics by the state.

Forward dynamics is not differentiated through its solution: τ(x, q''(x)) is constant, and so

    ∂q''/∂x = -M⁻¹ ∂τ/∂x   at   q'' = M⁻¹ (gravity + applied - h) ,   x = q, q' ,     ∂q''/∂τ = M⁻¹
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from ..derivation import Derivation
from ..diagnostics import Diagnostic, FormalismError, error
from ..expressions import Expression, jacobian, rate, substitute, symbol
from ..mixed import imposed
from .factors import Factors, Matrix, factors

#: What the equations of motion are made of.
PARTS = ("M", "h", "gravity", "applied")


def slopes(
    outputs: Iterable[Expression], coordinates: Sequence[str], inputs: Sequence[str] = ()
) -> tuple[Matrix, Matrix, Matrix]:
    """∂f/∂q (m×n), ∂f/∂q' (m×n) and ∂f/∂u (m×k) of m outputs; q'' is held."""
    n = len(coordinates)
    rows = jacobian(outputs, [*map(symbol, coordinates), *map(rate, coordinates), *map(symbol, inputs)])
    by_q = tuple(tuple(row[:n]) for row in rows)
    by_v = tuple(tuple(row[n : 2 * n]) for row in rows)
    return by_q, by_v, tuple(tuple(row[2 * n :]) for row in rows)


def inverse_dynamics(derivation: Derivation) -> tuple[Expression, ...]:
    """τ (n): what the formalism delivers, else M q'' + h - gravity - applied.

    Raises
    ------
    FormalismError
        It delivers neither.
    """
    q: Any = derivation.quantities
    if "inverse_dynamics" in q:
        return tuple(q["inverse_dynamics"])
    _require(derivation, PARTS)
    a = [rate(name, 2) for name in derivation.system.coordinate_names]
    rows = zip(q["M"], q["h"], q["gravity"], q["applied"], strict=True)
    return tuple(
        sum((m * x for m, x in zip(row, a, strict=True)), h) - gravity - applied
        for row, h, gravity, applied in rows
    )


class Dynamics:
    """Derivatives of one derivation, made when they are asked for; each n×n, rows of τ or q''."""

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self._names = derivation.system.coordinate_names

    @cached_property
    def _of_inverse(self) -> tuple[Matrix, Matrix]:
        by_q, by_v, _ = slopes(inverse_dynamics(self._derivation), self._names)
        return by_q, by_v

    @property
    def dtau_dq(self) -> Matrix:
        """∂τ/∂q."""
        return self._of_inverse[0]

    @property
    def dtau_dv(self) -> Matrix:
        """∂τ/∂q'."""
        return self._of_inverse[1]

    @cached_property
    def _mass(self) -> Factors:
        _require_free(self._derivation)
        q: Any = self._derivation.quantities
        return factors(q["M"], self._names)

    @cached_property
    def _acceleration(self) -> tuple[Expression, ...]:
        """q'' as the formalism solves it, else as M does."""
        q: Any = self._derivation.quantities
        if "acceleration" in q:
            return tuple(q["acceleration"])
        forces = zip(q["gravity"], q["applied"], q["h"], strict=True)
        return self._mass.solved([gravity + applied - h for gravity, applied, h in forces])

    @cached_property
    def da_dtau(self) -> Matrix:
        """∂q''/∂τ = M⁻¹."""
        return self._mass.inverse()

    @cached_property
    def da_dq(self) -> Matrix:
        """∂q''/∂q."""
        return self._implicitly(0)

    @cached_property
    def da_dv(self) -> Matrix:
        """∂q''/∂q'."""
        return self._implicitly(1)

    def _implicitly(self, which: int) -> Matrix:
        """-M⁻¹ ∂τ/∂x at the accelerations of forward dynamics."""
        mass, n = self._mass, len(self._names)
        own = (rate(name, 2) for name in self._names)
        at = dict(zip(own, self._acceleration, strict=True))
        found = substitute([-x for row in self._of_inverse[which] for x in row], at)
        return mass.solved_columns([found[i * n : (i + 1) * n] for i in range(n)])


def _require(derivation: Derivation, wanted: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in derivation.quantities]
    if missing:
        message = (
            f"{derivation.formalism} does not deliver {', '.join(missing)}: there is nothing to differentiate"
        )
        raise FormalismError(error(derivation.formalism, message, "take another formalism"))


def _require_free(derivation: Derivation) -> None:
    """Refuse what does not solve its accelerations from M alone."""
    _require(derivation, PARTS)
    system, found = derivation.system, list[Diagnostic]()
    if system.constraints:
        message = "derivatives of accelerations are of open trees; constraints solve theirs together with multipliers"
        remedy = (
            "linearize differentiates the motion with its constraints; dtau_dq, dtau_dv are of the open tree"
        )
        found.append(error("constraints", message, remedy))
    for name in imposed(system):
        message = "its acceleration is imposed by a drive, and so is none of forward dynamics"
        found.append(error(f"coordinates/{name}/drive", message, "give the drive an effort"))
    if found:
        raise FormalismError(found)
