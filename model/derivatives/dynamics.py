"""Derivatives of inverse and forward dynamics by the state.

Forward dynamics is not differentiated through its solution: τ(x, q''(x)) is constant, and so

    ∂q''/∂x = -M⁻¹ ∂τ/∂x   at   q'' = M⁻¹ (gravity + applied - h) ,   x = q, q' ,     ∂q''/∂τ = M⁻¹

The Coriolis matrix is that of Christoffel's symbols, of which M' - 2 C is skew where no motion is prescribed:

    C = ½ (∂h/∂q' - ∂h/∂q' at q' = 0) = ½ (Ṁ + P - Pᵀ) ,   Ṁ = Σ ∂M/∂q_k q'_k ,   P = ∂(M q')/∂q at fixed q'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from mbconcord.records import dataclass

from ..derivation import Derivation
from ..diagnostics import Diagnostic, FormalismError, error
from ..expressions import HALF, ONE, ZERO, Expression, directional, jacobian, rate, substitute, symbol
from ..mixed import find_imposed_accelerations

# Symmetric positive definite systems on the graph: M = L D Lᵀ, without a root and without a choice of pivots.


Rows = Sequence[Sequence[Expression]]
Matrix = tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True)
class Factors:
    """M = L D Lᵀ: L (n×n) with ones on its diagonal and zeros above, D a diagonal (n)."""

    lower: tuple[tuple[Expression, ...], ...]
    diagonal: tuple[Expression, ...]

    def solve(self, right: Sequence[Expression]) -> tuple[Expression, ...]:
        """Solve M x = right for x (n)."""
        n, lower = len(self.diagonal), self.lower
        x = list(right)
        for i in range(n):
            x[i] = sum((-lower[i][k] * x[k] for k in range(i)), x[i])
        x = [value / pivot for value, pivot in zip(x, self.diagonal, strict=True)]
        for i in reversed(range(n)):
            x[i] = sum((-lower[k][i] * x[k] for k in range(i + 1, n)), x[i])
        return tuple(x)

    def solve_columns(self, right: Rows) -> Matrix:
        """Solve M X = right (n×k) for X (n×k)."""
        columns = [self.solve(column) for column in zip(*right, strict=True)]
        return tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in right)

    def inverse(self) -> Matrix:
        """Return M⁻¹ (n×n)."""
        places = range(len(self.diagonal))
        return self.solve_columns([[ONE if i == k else ZERO for k in places] for i in places])


def factors(M: Rows, names: Sequence[str]) -> Factors:
    """Factor a mass matrix whose coordinates have these names.

    Raises
    ------
    FormalismError
        A pivot is zero whatever the state: a coordinate without inertia.
    """
    lower: list[tuple[Expression, ...]] = []
    diagonal: list[Expression] = []
    for i, name in enumerate(names):
        scaled: list[Expression] = []  # L D of this row
        for k in range(i):
            scaled.append(sum((-scaled[j] * lower[k][j] for j in range(k)), M[i][k]))
        row = [x / pivot for x, pivot in zip(scaled, diagonal, strict=True)]
        pivot = sum((-x * y for x, y in zip(scaled, row, strict=True)), M[i][i])
        if pivot is ZERO:
            message = "no body has inertia along it: accelerations, and their derivatives, do not exist"
            raise FormalismError(error(f"coordinates/{name}", message, "give a body that it moves a mass"))
        lower.append((*row, ONE, *[ZERO] * (len(names) - i - 1)))
        diagonal.append(pivot)
    return Factors(tuple(lower), tuple(diagonal))


#: What the equations of motion are made of.
PARTS = ("M", "h", "gravity", "applied")
#: Changes along a direction of positions and rates: of which quantity, and of which order.
ALONG: Final = {
    "dtau_along": ("inverse_dynamics", 1), "d2tau_along": ("inverse_dynamics", 2),
    "da_along": ("acceleration", 1), "d2a_along": ("acceleration", 2),
    "dlambda_along": ("lambda", 1), "d2lambda_along": ("lambda", 2),
}  # fmt: skip
#: Those of the motion that is solved for, and its quantities that have an entry for every row of constraints.
CHANGES: Final = tuple(name for name, (of, _) in ALONG.items() if of != "inverse_dynamics")
OF_ROWS: Final = ("lambda", *(name for name, (of, _) in ALONG.items() if of == "lambda"))
#: End of the symbols of a direction: ``z1~`` is the change of ``z1``, ``z1'~`` that of its rate.
CHANGE: Final = "~"


def slopes(
    outputs: Iterable[Expression], coordinates: Sequence[str], inputs: Sequence[str] = ()
) -> tuple[Matrix, Matrix, Matrix]:
    """Compute ∂f/∂q (m×n), ∂f/∂q' (m×n) and ∂f/∂u (m×k) of m outputs at fixed q''."""
    n = len(coordinates)
    rows = jacobian(outputs, [*map(symbol, coordinates), *map(rate, coordinates), *map(symbol, inputs)])
    by_q = tuple(tuple(row[:n]) for row in rows)
    by_v = tuple(tuple(row[n : 2 * n]) for row in rows)
    return by_q, by_v, tuple(tuple(row[2 * n :]) for row in rows)


def change_along(
    residuals: Sequence[Expression], names: Sequence[str], known: Mapping[Expression, Expression],
    solve: Callable[[Sequence[Expression]], Sequence[Expression]], order: int = 1,
) -> Sequence[Expression]:  # fmt: skip
    """Compute the first or second derivative of unknowns x along a direction of q and q', where r(q, q', x) = 0 (m).

    r is linear in x. ``known`` are the unknowns' symbols with their formulas; ``solve`` solves ∂r/∂x · X = right side.
    With q(s), q'(s) along the line and x' = dx/ds: ∂r/∂x x' = -∂r, and ∂r/∂x x'' = -d²r/ds² at x'' = 0.
    """
    moved = {own: symbol(f"{own.data}{CHANGE}") for name in names for own in (symbol(name), rate(name))}
    first = solve([-x for x in substitute(directional(residuals, moved), known)])
    if order == 1:
        return first
    moved |= {x: symbol(f"{x.data}{CHANGE}") for x in known}
    here = {**known, **{moved[x]: change for x, change in zip(known, first, strict=False)}}
    return solve([-x for x in substitute(directional(directional(residuals, moved), moved), here)])


def inverse_dynamics(derivation: Derivation) -> tuple[Expression, ...]:
    """Return τ (n) as the formalism delivers it, else M q'' + h - gravity - applied.

    Raises
    ------
    FormalismError
        The formalism delivers neither.
    """
    q: Any = derivation.quantities
    if "inverse_dynamics" in q:
        return tuple(q["inverse_dynamics"])
    require_parts(derivation)
    a = [rate(name, 2) for name in derivation.system.coordinate_names]
    rows = zip(q["M"], q["h"], q["gravity"], q["applied"], strict=True)
    return tuple(
        sum((m * x for m, x in zip(row, a, strict=True)), h) - gravity - applied for row, h, gravity, applied in rows
    )


def constrained_residuals(
    derivation: Derivation, rows: Sequence[int], multipliers: Sequence[str]
) -> list[Expression]:  # fmt: skip
    """Return r = M q'' + h - gravity - applied - Dᵀ λ (n), then c = D q'' + γ̃ (k), of k rows of a system.

    ``multipliers`` are symbols of λ (k).
    """
    native: Any = derivation.native
    a, loads = [rate(name, 2) for name in derivation.system.coordinate_names], [*map(symbol, multipliers)]
    lines, rest = ([native[part][k] for k in rows] for part in ("D", "γ̃"))
    r = [
        sum((-line[i] * load for line, load in zip(lines, loads, strict=True)), tau)
        for i, tau in enumerate(inverse_dynamics(derivation))
    ]
    return r + [sum((d * x for d, x in zip(line, a, strict=True)), x) for line, x in zip(lines, rest, strict=True)]


def constrained_slopes(
    derivation: Derivation, rows: Sequence[int], multipliers: Sequence[str]
) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Compute ∂r/∂q, ∂r/∂q' (n×n), ∂c/∂q and ∂c/∂q' (k×n) at fixed q'' and λ of :func:`constrained_residuals`.

    Where both are zero, M ∂q'' - Dᵀ ∂λ = -∂r and D ∂q'' = -∂c.
    """
    names = derivation.system.coordinate_names
    by_q, by_v, _ = slopes(constrained_residuals(derivation, rows, multipliers), names)
    n = len(names)
    return by_q[:n], by_v[:n], by_q[n:], by_v[n:]


class Dynamics:
    """Derivatives of one derivation, made on first use; each n×n, rows of τ or q''."""

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        self._names = derivation.system.coordinate_names

    @cached_property
    def _of_inverse(self) -> tuple[Matrix, Matrix]:
        by_q, by_v, _ = slopes(inverse_dynamics(self._derivation), self._names)
        return by_q, by_v

    def change(self, order: int) -> tuple[Expression, ...]:
        """First or second derivative (n) of τ along a direction at fixed q''."""
        tau = [-x for x in inverse_dynamics(self._derivation)]
        return tuple(change_along(tau, self._names, {}, tuple, order))

    @property
    def dtau_dq(self) -> Matrix:
        """∂τ/∂q."""
        return self._of_inverse[0]

    @property
    def dtau_dv(self) -> Matrix:
        """∂τ/∂q'."""
        return self._of_inverse[1]

    @cached_property
    def C(self) -> Matrix:
        """½ (∂h/∂q' - ∂h/∂q' at q' = 0), of h alone: C q' is the part of h that is quadratic in rates."""
        q: Any = self._derivation.quantities
        require_parts(self._derivation, ("h",))
        _, by_v, _ = slopes(q["h"], self._names)
        entries, n = [x for row in by_v for x in row], len(self._names)
        still = substitute(entries, {rate(name): ZERO for name in self._names})
        found = [HALF * (x - y) for x, y in zip(entries, still, strict=True)]
        return tuple(tuple(found[i * n : (i + 1) * n]) for i in range(n))

    @cached_property
    def christoffel(self) -> Matrix:
        """½ (Ṁ + P - Pᵀ), of M alone."""
        q: Any = self._derivation.quantities
        require_parts(self._derivation, ("M",))
        n, v = len(self._names), [rate(name) for name in self._names]
        by_q, _, _ = slopes([x for row in q["M"] for x in row], self._names)
        moved = [sum((x * y for x, y in zip(row, v, strict=True)), ZERO) for row in by_q]
        P = [[sum((by_q[i * n + j][k] * v[j] for j in range(n)), ZERO) for k in range(n)] for i in range(n)]
        return tuple(tuple(HALF * (moved[i * n + k] + P[i][k] - P[k][i]) for k in range(n)) for i in range(n))

    @cached_property
    def _mass(self) -> Factors:
        require_free(self._derivation)
        q: Any = self._derivation.quantities
        return factors(q["M"], self._names)

    @cached_property
    def acceleration(self) -> tuple[Expression, ...]:
        """q'' as the formalism solves it, else as M does."""
        q: Any = self._derivation.quantities
        if "acceleration" in q:
            return tuple(q["acceleration"])
        forces = zip(q["gravity"], q["applied"], q["h"], strict=True)
        return self._mass.solve([gravity + applied - h for gravity, applied, h in forces])

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
        """Compute -M⁻¹ ∂τ/∂x at the accelerations of forward dynamics."""
        mass, n = self._mass, len(self._names)
        own = (rate(name, 2) for name in self._names)
        at = dict(zip(own, self.acceleration, strict=True))
        found = substitute([-x for row in self._of_inverse[which] for x in row], at)
        return mass.solve_columns([found[i * n : (i + 1) * n] for i in range(n)])


def require_parts(derivation: Derivation, wanted: Sequence[str] = PARTS) -> None:
    """Raise FormalismError if quantities are missing from which accelerations and derivatives are computed."""
    missing = [name for name in wanted if name not in derivation.quantities]
    if missing:
        message = f"{derivation.formalism} does not deliver {', '.join(missing)}, so no accelerations, no derivatives"
        raise FormalismError(error(derivation.formalism, message, "take another formalism"))


def require_free(derivation: Derivation) -> None:
    """Raise FormalismError if M alone does not determine the accelerations: constraints, imposed accelerations."""
    require_parts(derivation)
    system, found = derivation.system, list[Diagnostic]()
    if system.constraints:
        message = "derivatives of accelerations are of open trees; constraints solve theirs together with multipliers"
        remedy = "evaluate and compile solve them with their constraints; dtau_dq, dtau_dv are of the open tree"
        found.append(error("constraints", message, remedy))
    for name in find_imposed_accelerations(system):
        message = "its acceleration is imposed by a drive, and so is none of forward dynamics"
        found.append(error(f"coordinates/{name}/drive", message, "give the drive an effort"))
    if found:
        raise FormalismError(found)
