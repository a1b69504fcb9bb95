"""Base parameters: the inertial parameters, and combinations of them, on which inverse dynamics depends.

τ = Y π has the same values for all π that differ by what Y takes to zero at every state. The columns of Y are linearly
dependent as functions exactly where they are at enough random states; over a prime field no pivot is small, only zero,
and so the rank is exact. A state at which the rank grows no more is the last one: were it not reached, a random state
would raise it but for the few that are roots of a polynomial.

Of dependent columns the later one is removed: its parameter is added to those of the columns that it combines, Y_j = Σ
β_ji Y_i ⟹ Y π = Σ Y_i (π_i + Σ β_ji π_j) .
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivatives import TEN, labels
from mbconcord.model.derivatives.regressor import regressor
from mbconcord.model.diagnostics import Diagnostic, FormalismError, error
from mbconcord.model.expressions import (
    TIME,
    Expression,
    ExpressionError,
    rate,
    substitute,
    symbols,
    undefined_functions,
)
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.field import Plan, Value
from mbconcord.model.expressions.field.linear import EchelonRows, rational, reduce_rows
from mbconcord.model.expressions.field.point import NoRootError, Point, points
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.limits import frame, line
from mbconcord.model.system import System
from mbconcord.records import dataclass

from .sameness import values

if TYPE_CHECKING:
    from pandas import DataFrame

#: Fields that are tried where a root within a root is in none of them.
TRIES: Final = 40
#: Parameters of a body in the order in which they are kept: what the joint feels of it alone, its mass last.
KEPT_FIRST: Final = tuple(TEN[4:] + TEN[1:4] + TEN[:1])


#: What base parameters of a model with constraints are not.
OPEN: Final = "the constraints are left out: these are the base parameters of the open tree"
REMEDY: Final = "along motions that the constraints admit fewer can be identified"


@dataclass(frozen=True)
class Base:
    """One base parameter: an identifiable combination of inertial parameters.

    Attributes
    ----------
    parameter : the inertial parameter whose column of the regressor it keeps: ``link2.mx``
    added : name of a parameter added to it -> its coefficient; rational if possible, else float; None: it depends on
        parameters or functions without value
    """

    parameter: str
    added: Mapping[str, Fraction | float | None]

    def __str__(self) -> str:
        return self.parameter + "".join(_term(c, name) for name, c in self.added.items())


@dataclass(frozen=True, repr=False)
class BaseParameters:
    """Base parameters of inverse dynamics, among the ten parameters of every body that has inertia.

    Attributes
    ----------
    formalism : whose equations were used
    parameters : all of them, in the order of the regressor's columns
    base : the identifiable ones, in order; their number is the rank of the regressor
    idle : the parameters without any effect on inverse dynamics
    diagnostics : for a model with constraints, the note that these are the base parameters of its open tree
    """

    formalism: str
    parameters: tuple[str, ...]
    base: tuple[Base, ...]
    idle: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        whose = " of the open tree" if self.diagnostics else ""
        told = f"{self.rank} of {len(self.parameters)} inertial parameters{whose}, by {self.formalism}"
        return line(type(self).__name__, told, f"nothing depends on {len(self.idle)}")

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table: ``parameter`` kept, parameter ``added`` to it, ``coefficient`` (1 for itself)."""
        heads = ("parameter", "added", "coefficient")
        return frame((dict(zip(heads, row, strict=True)) for row in self.list_terms()), heads)

    def list_terms(self) -> list[tuple[str, str, Fraction | float | None]]:
        """List the terms of all sums: the parameter that is kept, the parameter added to it, the coefficient."""
        return [(b.parameter, x, c) for b in self.base for x, c in ((b.parameter, Fraction(1)), *b.added.items())]

    @property
    def rank(self) -> int:
        """Number of identifiable parameters."""
        return len(self.base)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``info --base-parameters --json``; rational coefficients are texts."""
        base = [
            {"text": str(b), "parameter": b.parameter, "added": {n: _json(c) for n, c in b.added.items()}}
            for b in self.base
        ]
        return {
            "formalism": self.formalism, "parameters": len(self.parameters), "rank": self.rank, "base": base,
            "idle": list(self.idle),
        }  # fmt: skip


def base_parameters(system: System, by: Formalism, seed: int = 0) -> BaseParameters:
    """Find the base parameters of the open tree of a model.

    Parameters with values are replaced by them; for others the result holds for almost all values.

    Raises
    ------
    FormalismError
        The formalism does not take the model, or a body is elastic.
    """
    names = labels(system)
    rows = regressor(system, by.derive)
    columns = [names.index(f"{body}.{part}") for body in _bodies(names) for part in KEPT_FIRST]
    known = values(system, frozenset())
    scalars = define(substitute((row[k] for row in rows for k in columns), known), system.functions)
    found, p = _reduce_rows(system, scalars, len(columns), seed, by.name) if scalars else (EchelonRows((), ()), 0)
    ordered = [names[k] for k in columns]
    exact = {
        (pivot, k): rational(row[k], p)
        for row, pivot in zip(found.rows, found.pivots, strict=True)
        for k in range(len(columns))
        if k not in found.pivots and row[k] != 0
    }
    sums: dict[tuple[int, int], Fraction | float | None] = dict(exact)
    if None in exact.values():
        sums |= _in_floats(system, scalars, found.pivots, {at for at, c in exact.items() if c is None})
    base = tuple(
        Base(ordered[pivot], {ordered[k]: c for (at, k), c in sums.items() if at == pivot}) for pivot in found.pivots
    )
    used = set(found.pivots) | {k for _, k in exact}
    idle = {name for k, name in enumerate(ordered) if k not in used}
    told = (Diagnostic("note", "constraints", OPEN, REMEDY),) if system.constraints else ()
    return BaseParameters(by.name, names, base, tuple(name for name in names if name in idle), told)


def _bodies(names: Sequence[str]) -> list[str]:
    return [name.removesuffix(f".{TEN[0]}") for name in names[:: len(TEN)]]


def _reduce_rows(
    system: System, scalars: Sequence[Expression], width: int, seed: int, by: str
) -> tuple[EchelonRows, int]:
    """Return the regressor's rows at random states in echelon form, with the prime of their field."""
    plan = Plan(scalars)
    for point in points(plan, TRIES, seed):
        try:
            return _reduce_at(point, system, plan, width), point.field.p
        except NoRootError:
            continue
    message = "its roots are in no field that was tried: the rank is not known"
    raise FormalismError(error(f"{by}/regressor", message))


def _reduce_at(point: Point, system: System, plan: Plan, width: int) -> EchelonRows:
    """Add rows of random states in one prime field until a state adds none; all states share the parameters' values."""
    found = EchelonRows((), ())
    moving = {TIME, *(rate(name, order) for name in system.coordinate_names for order in range(3))}
    while True:
        point.redraw(moving)
        numbers = point.run(plan)
        if numbers.poles:
            raise NoRootError
        new: list[Value] = [numbers[plan.place[x]] for x in plan.outputs]
        rows = [*found.rows, *(new[i : i + width] for i in range(0, len(new), width))]
        after = reduce_rows(rows, point.field.p)
        if after.rank == found.rank:
            return after
        found = after


def _in_floats(
    system: System, scalars: Sequence[Expression], pivots: Sequence[int], wanted: set[tuple[int, int]]
) -> dict[tuple[int, int], float | None]:
    """Fit coefficients by least squares over random states; None if a parameter or function has no value."""
    moving = {x.data for name in system.coordinate_names for x in (rate(name, k) for k in range(3))}
    if symbols(scalars) - moving - {TIME.data} or undefined_functions(scalars):
        return dict.fromkeys(wanted)
    n, dice = len(system.coordinates), Random(0)
    width = len(scalars) // n
    blocks, lines = [], program(scalars)
    for _ in range(4 * width // n + 4):
        state = {name: dice.uniform(-2, 2) for name in (*sorted(moving), TIME.data)}
        try:
            blocks.append(np.array(run(lines, state), dtype=float).reshape(n, width))
        except ExpressionError:
            continue
    Y = np.concatenate(blocks)
    dependent = sorted({k for _, k in wanted})
    beta = np.linalg.lstsq(Y[:, pivots], Y[:, dependent], rcond=None)[0]
    return {(at, k): float(beta[list(pivots).index(at), dependent.index(k)]) for at, k in wanted}


def _term(c: Fraction | float | None, name: str) -> str:
    if c is None:
        return f" + (…) {name}"
    size = abs(float(c))
    factor = "" if size == 1 else f"{size:.12g} "
    return f" {'-' if c < 0 else '+'} {factor}{name}"


def _json(c: Fraction | float | None) -> str | float | None:
    return str(c) if isinstance(c, Fraction) else c
