"""Reduced matrices in the referee's digits, and the same derivatives by differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.model.expressions import Arithmetic, mpmath_arithmetic
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.program import Program, program
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import assembled, pseudoinverse
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.levenberg_marquardt import units_of, weighted
from mbconcord.simulation.linear.equations import Equations
from mbconcord.simulation.linear.numbers import Arrays, Kernel
from mbconcord.simulation.linear.reduction import (
    Basis,
    Choice,
    Reduced,
    Slopes,
    accelerations,
    choice,
    reduced,
)
from mbconcord.simulation.rows import constraint_rows

from ..judge.tolerances import REFEREE_DIGITS

#: Newton's steps onto the constraints: each gains as many digits as floats have.
STEPS: Final = 6
#: Half the distance of two values whose difference is taken.
APART: Final = 17


@cache
def referee() -> Kernel:
    """Arithmetic of many digits: one, as numbers of two do not mix."""
    return Kernel(mpmath_arithmetic(REFEREE_DIGITS), eliminated, object)


def eliminated(A: Any, b: Any) -> Any:
    """A⁻¹ b by Gauss's elimination with pivots, in whatever numbers the arrays (r, r) and (r, k) hold."""
    A, b = A.copy(), b.copy()
    for i in range(len(A)):
        p = max(range(i, len(A)), key=lambda k: abs(A[k, i]))
        A[[i, p]], b[[i, p]] = A[[p, i]], b[[p, i]]
        for k in range(i + 1, len(A)):
            factor = A[k, i] / A[i, i]
            A[k, i:] = A[k, i:] - factor * A[i, i:]
            b[k] = b[k] - factor * b[i]
    for i in reversed(range(len(A))):
        b[i] = (b[i] - (A[i, i + 1 :] @ b[i + 1 :] if i + 1 < len(A) else 0)) / A[i, i]
    return b


@dataclass(frozen=True)
class Exactly:
    """A state on the constraints in many digits: positions and rates (n,)."""

    t: Any
    q: list[Any]
    v: list[Any]


def on_constraints(system: System, state: State) -> Exactly:
    """The state on the constraints that is nearest to floats which are there to rounding."""
    arithmetic = referee().arithmetic
    rows = constraint_rows(system)
    at = RowsAtStates(rows, system, [state])
    (extended,) = assembled(at, [state], held=True).extended
    values = dict(Instance(system, [state], arithmetic).environments[0])
    exact = {name: arithmetic.convert(x) for name, x in extended.q.items()}
    exact |= {f"{name}'": arithmetic.convert(x) for name, x in extended.v.items()}
    if rows.rows:
        q = np.array([[extended.q[name] for name in rows.coordinates]])
        units, position = units_of(at, q), at.positions(q)
        step = (
            units[0][:, None]
            * pseudoinverse(weighted(position, units, np.ones(at.k)).J)[0]
            / position.reach[0]
        )
        for outputs, dot in (([r.position for r in rows.rows], ""), ([r.speed for r in rows.rows], "'")):
            _newton(
                program(outputs),
                step,
                values,
                exact,
                [f"{name}{dot}" for name in rows.coordinates],
                arithmetic,
            )
    names = system.coordinate_names
    return Exactly(values["t"], [exact[n] for n in names], [exact[f"{n}'"] for n in names])


def _newton(
    rows: Program, step: Any, values: dict[str, Any], exact: dict[str, Any], names: list[str], arithmetic: Arithmetic
) -> None:  # fmt: skip
    """Change the named numbers until the rows vanish."""
    for _ in range(STEPS):
        gaps = run(rows, values | exact, arithmetic)
        for name, line in zip(names, step, strict=True):
            exact[name] -= sum((arithmetic.convert(x) * gap for x, gap in zip(line, gaps, strict=True)), 0)


@dataclass(frozen=True)
class Referee:
    """One formalism's equations at a state, in many digits.

    Attributes
    ----------
    values : of all symbols, accelerations and multipliers among them
    slopes, reduced : derivatives by the graph; the equations on the constraints
    """

    values: dict[str, Any]
    slopes: Slopes
    reduced: Reduced


def refereed(made: Equations, at: Exactly, chosen: Choice, floats: Any, units: Any) -> Referee:
    """The equations of a formalism reduced to the same independent coordinates.

    Parameters
    ----------
    made, at
    chosen : what is independent
    floats : its D (m, n) in floats, by which its own rows are chosen
    units (n,) : of the coordinates
    """
    kernel, n, m = referee(), len(made.names), len(made.rows)
    own = choice(floats, made.holonomic, units, chosen.positions, chosen.rates)
    values: dict[str, Any] = made.values(at.t, at.q, at.v, [0.0] * n, [0.0] * m)
    numbers = made.numbers(values, kernel)
    basis = Basis(numbers.D, own, kernel.solve)
    a, multipliers = accelerations(numbers, basis, kernel.solve)
    values = made.values(at.t, at.q, at.v, list(a), list(multipliers))
    slopes = made.slopes(values, kernel)
    return Referee(values, slopes, reduced(numbers.M, slopes, basis))


def differences(made: Equations, found: Referee) -> Iterator[tuple[str, Any, Any]]:
    """Name of a derivative, and its product with a random direction: by the graph and by central differences."""
    kernel = referee()
    outputs = Arrays([made.residual, made.closure])
    random, h = Random(0), kernel.arithmetic.number(Fraction(1, 10**APART))
    slopes = found.slopes
    groups = (
        ("K", made.names, np.concatenate([slopes.K, slopes.closing_q])),
        ("C", [f"{name}'" for name in made.names], np.concatenate([slopes.C, slopes.closing_v])),
        ("B", [u.symbol for u in made.inputs], slopes.U),
    )
    for name, symbols, matrix in groups:
        if not symbols:
            continue
        direction = [kernel.arithmetic.convert(random.uniform(-1, 1)) for _ in symbols]
        ends = []
        for sign in (1, -1):
            there = {x: found.values[x] + sign * h * d for x, d in zip(symbols, direction, strict=True)}
            ends.append(np.concatenate(outputs.at(found.values | there, kernel)))
        difference = (ends[0] - ends[1]) / (2 * h)
        yield name, matrix @ np.array(direction, dtype=object), difference[: len(matrix)]
