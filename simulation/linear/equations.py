"""Equations to be linearised: those of a formalism as expressions, and their exact derivatives.

    R = M q'' + h - gravity - applied - Dᵀ λ = 0 ,     c = D q'' + γ̃ = 0

R and c depend on q, q', t, the accelerations and multipliers of the state, and on inputs u. Locked coordinates, and
those along which drives impose accelerations, add rows to D like the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Holonomic, Nonholonomic
from mbconcord.model.derivatives import require_parts, slopes
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.expressions import ONE, TIME, ZERO, Expression, derivative, rate, symbol, symbols
from mbconcord.model.expressions.calculus import made_of
from mbconcord.model.expressions.field import IDENTICAL, vanish
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.naming import Namer
from mbconcord.model.system import System
from mbconcord.records import dataclass

from ..motion.formulas import EquationNumbers as InNumbers
from ..motion.formulas import Formula, array, require_known, with_limits
from ..poses import express_rolling
from .inputs import Input, with_inputs
from .reduction import FLOATS, Arrays, Kernel, LinearNumbers, Slopes

#: How the names of rows begin that fix a coordinate: held, or driven.
HELD, DRIVEN = "hold of ", drive_row("")
FIXED = (HELD, DRIVEN)


@dataclass(frozen=True)
class SlopeEquations:
    """Equations of a system with n coordinates and m rows by a formalism; parameters have their numbers.

    Attributes
    ----------
    formalism : name of the formalism
    names, rows : names of the coordinates and of the rows
    inputs : external actions that may be varied
    M (n, n), force (n,), D (m, n), rest (m,) : force is gravity + applied - h, rest is γ̃
    parts (3, n) : gravity, applied, h
    holonomic (m,) : True for rows that restrict positions
    flow (m,) : γ of the other rows
    multipliers : symbols of λ
    terms (m, n) : sums of absolute terms of D where a row is a formula of the model, else zero
    driven : nonzero accelerations that drives impose, by coordinate, except for coordinates that are to be held
    """

    formalism: str
    names: tuple[str, ...]
    rows: tuple[str, ...]
    inputs: tuple[Input, ...]
    M: Formula
    force: Formula
    D: Formula
    rest: Formula
    parts: Formula
    holonomic: tuple[bool, ...]
    flow: Formula
    multipliers: tuple[str, ...]
    terms: Formula
    driven: Mapping[str, Expression]

    @property
    def fixed_coordinates(self) -> list[str]:
        """The coordinates that rows fix: held, or driven."""
        return [row.partition(" of ")[2] for row in self.rows if row.startswith(FIXED)]

    def find_driven(self) -> list[Diagnostic]:
        """Return an error for each drive that accelerates a coordinate, which linear equations take as held."""
        return [
            error(
                f"coordinates/{name}/drive", f"it imposes the acceleration {a}: the coordinate cannot rest",
                f"what follows takes {name} as held: say so, --hold {name}, in Python hold=[{name!r}]",
            )
            for name, a in self.driven.items()
        ]  # fmt: skip

    def require_undriven(self) -> None:
        """Refuse drives that accelerate their coordinates whatever the position."""
        if found := self.find_driven():
            raise NumbersError(found)

    @cached_property
    def residual(self) -> Formula:
        """R (n,), the residual of the equations of motion."""
        accelerations = [rate(name, 2) for name in self.names]
        found = [
            sum((m * a for m, a in zip(row, accelerations, strict=True)), -force)
            - sum((d * symbol(x) for d, x in zip(column, self.multipliers, strict=True)), ZERO)
            for row, force, column in zip(self.M, self.force, self.D.T, strict=True)
        ]
        return array(found, (len(found),))

    @cached_property
    def closure(self) -> Formula:
        """c (m,), the residual of the rows for accelerations."""
        accelerations = [rate(name, 2) for name in self.names]
        found = [
            sum((d * a for d, a in zip(row, accelerations, strict=True)), rest)
            for row, rest in zip(self.D, self.rest, strict=True)
        ]
        return array(found, (len(found),))

    @cached_property
    def slopes_of_forces(self) -> tuple[Formula, Formula, Formula]:
        """∂R/∂q (n, n), ∂R/∂q' (n, n), ∂R/∂u (n, k)."""
        return self._differentiate(self.residual, [u.symbol for u in self.inputs])

    @cached_property
    def slopes_of_rows(self) -> tuple[Formula, Formula, Formula]:
        """∂c/∂q (m, n), ∂c/∂q' (m, n), and ∂(D q' + γ)/∂q (m, n) with the state's rates.

        For a row f(q, t) = 0 the last is half of ∂γ̃/∂q', as γ̃ is of the second degree in the rates.
        """
        by_q, by_v, _ = self._differentiate(self.closure, [])
        rates = [rate(name) for name in self.names]
        speeds = [
            sum((d * v for d, v in zip(row, rates, strict=True)), flow)
            for row, flow in zip(self.D, self.flow, strict=True)
        ]
        turning = self._differentiate(array(speeds, (len(speeds),)), [])[0]
        for i, holonomic in enumerate(self.holonomic):
            if holonomic:
                turning[i] = by_v[i] / 2
        return by_q, by_v, turning

    def _differentiate(self, outputs: Formula, inputs: Sequence[str]) -> tuple[Formula, Formula, Formula]:
        n, m = len(self.names), len(outputs)
        by_q, by_v, by_u = slopes(outputs.tolist(), self.names, inputs)
        parts = ((by_q, n), (by_v, n), (by_u, len(inputs)))
        q, v, u = (array([x for row in part for x in row], (m, width)) for part, width in parts)
        return q, v, u

    @cached_property
    def _numbers(self) -> Arrays:
        return Arrays([self.M, self.force, self.D, self.rest, self.parts, self.terms])

    @cached_property
    def _derivatives(self) -> Arrays:
        return Arrays([*self.slopes_of_forces, *self.slopes_of_rows])

    def numbers(self, values: Mapping[str, Any], kernel: Kernel = FLOATS) -> LinearNumbers:
        """Evaluate M, force, D, γ̃ at a state from :meth:`values`; ExpressionError if one has no value."""
        return LinearNumbers(*self._numbers.evaluate(values, kernel))

    def slopes(self, values: Mapping[str, Any], kernel: Kernel = FLOATS) -> Slopes:
        """Evaluate exact derivatives at a state; ``values`` include accelerations and multipliers."""
        return Slopes(*self._derivatives.evaluate(values, kernel))

    @cached_property
    def _slopes_of_applied(self) -> Arrays:
        return Arrays([*self._differentiate(self.parts[1], [])[:2]])

    def slopes_of_applied(self, values: Mapping[str, Any]) -> tuple[Any, Any]:
        """Evaluate derivatives of the applied forces by positions and by rates (n, n)."""
        by_q, by_v = self._slopes_of_applied.evaluate(values)
        return by_q, by_v

    @property
    def rheonomic(self) -> bool:
        """True if the equations depend on time explicitly."""
        return TIME.data in symbols(self._every)

    @property
    def _every(self) -> list[Expression]:
        return [*self.M.ravel(), *self.force, *self.D.ravel(), *self.rest]

    @cached_property
    def changing(self) -> bool:
        """True if the equations are not proved to be the same at all times: forms in t may cancel."""
        timed = [derivative(x, TIME) for x in self._every if TIME.data in symbols([x])]
        return any(found.kind != IDENTICAL for found in vanish(timed))

    @property
    def linear(self) -> bool:
        """True if M, D, and slopes of the forces are the same at all states and times."""
        every = (self.M, self.D, *self.slopes_of_forces[:2])
        return not symbols([x for part in every for x in part.ravel()])

    def values(
        self, t: float, q: Sequence[float], v: Sequence[float], a: Sequence[float], multipliers: Sequence[float]
    ) -> dict[str, float]:
        """Return numbers of all symbols, with inputs zero."""
        found = {"t": t} | {u.symbol: 0.0 for u in self.inputs}
        for names, numbers in (
            (self.names, q), ([f"{x}'" for x in self.names], v), ([f"{x}''" for x in self.names], a),
            (self.multipliers, multipliers),
        ):  # fmt: skip
            found |= dict(zip(names, numbers, strict=True))
        return found


def equations(
    system: System,
    by: Formalism,
    parameters: Mapping[str, float],
    inputs: Sequence[str] | None = (),
    hold: Sequence[str] = (),
) -> SlopeEquations:
    """Derive the equations of a system by a formalism.

    Parameters
    ----------
    system, by, parameters
    inputs : names, as :func:`.inputs.with_inputs` takes them
    hold : coordinates that are locked

    Raises
    ------
    FormalismError
        The formalism does not take the model; the message says why.
    NumbersError
        A parameter or a formula has no value; an imposed acceleration depends on the state.
    """
    acted, added = with_inputs(system, inputs)
    numbers = InNumbers(system, parameters, {u.name: symbol(u.symbol) for u in added if u.is_parameter})
    require_known(acted, numbers)
    derivation = by.derive_whole(with_limits(acted, numbers))
    own, n = derivation.quantities, len(system.coordinates)
    require_parts(derivation)
    gravity, applied, h = (numbers.array(own[name]) for name in ("gravity", "applied", "h"))
    drives = find_imposed_accelerations(system)
    _require_given(dict(zip(drives, numbers.apply(drives.values()), strict=True)), system)
    m = len(derivation.rows)
    D = numbers.array(derivation.native["D"]).reshape(m, n) if m else _nothing(0, n)
    rest = numbers.array(derivation.native["γ̃"]) if m else _nothing(0)
    of_drives = {drive_row(name) for name in drives}
    kept = [i for i, row in enumerate(derivation.rows) if row not in of_drives]
    fixed = [name for name in system.coordinate_names if name in drives or name in hold]
    rows = (*(derivation.rows[i] for i in kept), *(_fixed_row(name, name in drives) for name in fixed))
    unit = [ONE if c == name else ZERO for name in fixed for c in system.coordinate_names]
    free = {c.name: c for c in express_rolling(system).constraints if isinstance(c, Nonholonomic)}
    owners = [row.partition(" (")[0] for row in rows]
    formulas = {c.name for c in system.constraints if isinstance(c, Holonomic | Nonholonomic)}
    D = np.concatenate([D[kept], array(unit, (len(fixed), n))])
    terms = [made_of(x) if owner in formulas else ZERO for owner, line in zip(owners, D, strict=True) for x in line]
    flows = numbers.apply(free[owner].rest if owner in free else ZERO for owner in owners)
    varied = {u.symbol: u.name for u in added if u.is_parameter} if m else {}
    for name in sorted(symbols([*D.ravel().tolist(), *rest.tolist()]) & varied.keys()):
        message, remedy = "constraints depend on it: positions would follow what it becomes", "of forces or masses"
        imposed = [c for c, formula in drives.items() if name in symbols(numbers.apply([formula]))]
        if imposed:
            message = f"the drive of {imposed[0]} imposes an acceleration by it"
            remedy = f"of forces or masses, or abcd(inputs=[{imposed[0]!r}]) of the result in Python"
        raise NumbersError(error(f"inputs/{varied[name]}", message, f"take a parameter {remedy}"))
    namer = Namer(system.names)
    imposing = zip(drives, numbers.apply(drives.values()), strict=True)
    return SlopeEquations(
        by.name, system.coordinate_names, rows, added, numbers.array(own["M"]).reshape(n, n),
        gravity + applied - h if n else _nothing(0),
        D,
        np.concatenate([rest[kept], array([ZERO] * len(fixed), (len(fixed),))]),
        np.array([gravity, applied, h], dtype=object).reshape(3, n),
        tuple(owner not in free for owner in owners), array(flows, (len(rows),)),
        tuple(namer.fresh(f"λ{i}") for i in range(1, len(rows) + 1)), array(terms, (len(rows), n)),
        {name: a for name, a in imposing if a is not ZERO and name not in hold},
    )  # fmt: skip


def _fixed_row(name: str, driven: bool) -> str:
    return drive_row(name) if driven else HELD + name


def _nothing(*shape: int) -> Formula:
    return np.empty(shape, dtype=object)


def _require_given(drives: Mapping[str, Expression], system: System) -> None:
    """Refuse imposed accelerations that depend on the state: their coordinates would not stay."""
    moving = {name + dot for name in system.coordinate_names for dot in ("", "'")}
    findings = [
        error(
            f"coordinates/{name}/drive",
            "the acceleration that it imposes depends on the state: the coordinate is neither held nor free",
            "give the drive an effort, or impose an acceleration of t",
        )
        for name, a in drives.items()
        if symbols([a]) & moving
    ]
    if findings:
        raise NumbersError(findings)
