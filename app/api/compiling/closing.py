"""Positions and rates moved onto the constraints by compiled steps of Newton's method, in the metric of M."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.motion import MotionFactors, indicate
from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.derivation import Nested, flatten
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, NumbersError, error
from mbconcord.model.evaluation import Array, at_states
from mbconcord.model.expressions import TIME, ZERO, number, rate, symbol, symbols
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.limits import count as counted
from mbconcord.model.numbers import Instance
from mbconcord.records import replace
from mbconcord.simulation.batch import RowsAtStates, largest
from mbconcord.simulation.rows import constraint_rows

from ..interpreted import REMEDY, TURNED_OFF, WITNESS, Interpreted
from .closed import LEAST, SOUND, ClosedMotion, choose_rows, scale_formulas
from .direct import array_function
from .witness import compare_arrays

#: Changes of positions, and of rates, by one step onto the constraints.
CLOSING: Final = ("closing", "closing_rates")
#: Largest number of steps; violation, as a part of the size of its terms, at which a state moves no further.
TURNS, CLOSED = 8, 4e-15
#: Violation, as a part of the size of its terms, above which a state is not closed.
OPEN = 1e-12
#: Number that avoids division by zero.
TINY = 1e-300
#: Number of states that are moved together, so that their numbers stay near the processor.
BLOCK = 4096
#: Shift of the states at which the steps are witnessed; difference that rounding explains, as a part of the largest.
SHIFT, ROUNDING = 1e-3, 1e-7


class Closing:
    """Formulas and code that move states of a compiled machine onto its constraints.

    ``least`` is the violation at which a state moves no further, ``turns`` the largest number of moves.

    Attributes
    ----------
    step, turn : changes (N,) of positions and of rates by one step, as formulas
    sound : number of pivots and rows above rounding; ``count`` if all are

    Raises
    ------
    NumbersError
        Positions of cut joints cannot be closed without their own coordinates, or the rows move with time unseen.
    """

    def __init__(self, closed: ClosedMotion, least: float = CLOSED, turns: int = TURNS) -> None:
        self._closed, self._turns = closed, turns
        system, native = closed.derivation.system, closed.derivation.native
        closing, names = constraint_rows(system), system.coordinate_names
        extra = {f"{name}{mark}" for name in closing.coordinates[closing.own :] for mark in ("", "'")}
        seen = [row for row in closing.rows if row.position is not ZERO and not symbols([row.position]) & extra]
        values, size = Instance(system, closed.states).values, len(closed.states)
        D = np.array([at_states(define(row.D[: closing.own], system.functions), values, size) for row in seen])
        D = np.moveaxis(D.reshape(len(seen), size, closing.own), 0, 1)
        D = scale_formulas(system, [row.constraint for row in seen], D)
        rank = int(np.max(np.linalg.matrix_rank(D, tol=1e-9))) if seen else 0
        rates = sum(isinstance(c, Nonholonomic) for c in system.constraints)
        if rank + rates < int(closed.motion.rank[0]) - len(closed.drives):
            message = "positions of cut joints cannot be kept without their own coordinates"
            remedy = "mbconcord.simulate keeps them, one motion after the other"
            raise NumbersError(error("constraints", message, remedy))
        flow: Any = native.get("γ")
        if not flow and TIME.data in symbols(x for row in closing.rows for x in (row.position, row.speed)):
            message = "rates of rows that move with time are not delivered"
            raise NumbersError(error(f"{closed.derivation.formalism}/γ", message, "take another formalism"))
        places = [seen[i] for i in choose_rows(D, closed.motion.tree.quantities["M"], rank)]
        kept = [k for k in closed.kept if closed.derivation.rows[k] not in closed.drives]
        lines: Any = native["D"]
        speeds = flow or [sum((d * v for d, v in zip(x, map(rate, names), strict=True)), ZERO) for x in lines]
        still = [ZERO] * len(names)
        first = MotionFactors(closed.held.M, [row.D[: closing.own] for row in places])
        second = MotionFactors(closed.held.M, [lines[k] for k in kept])
        parts = (row.position * row.position / (row.reach * row.reach + LEAST) for row in places)
        moves = indicate(sum(parts, number(-(Fraction(least) ** 2)))) if places else ZERO
        self._rows, self._places, self._seen = closing, places, seen
        self.step = tuple(moves * x for x in first.solve(still, [row.position for row in places])[0])
        self.turn = second.solve(still, [speeds[k] for k in kept])[0]
        self._moves, self._turning, self._regular = moves, second.sound, len(names) + len(kept)
        self.sound, self.count = first.sound + second.sound, self._regular + len(names) + len(places)

    def extend(self) -> ClosedMotion:
        """Return the constrained motion with the steps in place of what is solved; its gaps are not reported."""
        native: Any = {**dict(zip(CLOSING, (self.step, self.turn), strict=True)), SOUND: self.sound}
        derivation = replace(self._closed.derivation, native={**self._closed.derivation.native, **native})
        return replace(self._closed, derivation=derivation, sound=self.count, rows=(), closing=self)

    def give(self, parameters: Array | None) -> Closing:
        """Return the same steps with parameters (P,) or (n, P)."""
        other = copy(self)
        other.parameters = parameters
        return other

    def compile(self, made: Any) -> Closing:
        """Return the same steps with code by the backend of a :class:`.Compiled`, and compare it with its witnesses."""
        other, names = copy(self), made.coordinates
        moved = tuple(symbol(name) + x for name, x in zip(names, self.step, strict=True))
        turned = tuple(rate(name) + x for name, x in zip(names, self.turn, strict=True))
        gaps, sizes = tuple(row.position for row in self._seen), tuple(row.reach for row in self._seen)
        if self._places:
            other._positions = other._function(made, {"moved": moved, "moves": self._moves})
            other._gaps = other._function(made, {"gaps": gaps, "sizes": sizes})
        other._rates = other._function(made, {"turned": turned, SOUND: self._turning})
        if made.witness is not TURNED_OFF:
            other._compare(made)
        return other

    parameters: Array | None = None
    _positions: ArrayFunction | None = None
    _gaps: ArrayFunction
    _rates: ArrayFunction

    def _function(self, made: Any, quantities: Mapping[str, Nested]) -> ArrayFunction:
        of = made.system, quantities, made._expand, made.backend, made._options
        found = array_function(*of, {})
        if made.witness is TURNED_OFF:
            return found
        outputs = made._expand(x for value in quantities.values() for x in flatten(value))
        compare_arrays(Interpreted(made.system, quantities, program(outputs), made.fixed), found)
        return found

    def __call__(self, q: Array, v: Array, t: Any) -> tuple[Array, Array, Array, Array]:
        """Return positions and rates (n, N) on the constraints, and of each state the largest gap left (n,).

        Gaps are those of positions, first as they are (m or rad), then as a part of the size of their terms. Rates are
        NaN where rows depend on each other. The numbers of a state do not depend on the others.
        """
        count = len(q)
        found = [np.empty(q.shape, order="F") for _ in range(2)], np.zeros((2, count))
        with np.errstate(all="ignore"):
            for first in range(0, count, BLOCK):
                at = slice(first, first + BLOCK)
                given = {"t": t[at] if np.ndim(t) else t, "parameters": self.parameters}
                if self.parameters is not None and self.parameters.ndim > 1:
                    given["parameters"] = self.parameters[at]
                self._move(given | {"q": q[at], "v": v[at]}, [x[at] for x in found[0]], found[1][:, at])
        return *found[0], *found[1]

    def _move(self, given: dict[str, Any], moved: Sequence[Array], off: Array) -> None:
        """Move states, and store positions with rates (2, n, N), and the gaps left (2, n)."""
        given |= {name: np.asfortranarray(given[name]) for name in "qv"}  # columns are what code takes fastest
        if self._positions:
            buffers = [(np.empty_like(given["q"]), np.empty(len(given["q"]))) for _ in range(2)]
            for turn in range(self._turns):
                _run(self._positions, given, buffers[turn % 2])
                if not buffers[turn % 2][1].any():
                    break
                given["q"] = buffers[turn % 2][0]
            both = np.empty((2, len(self._seen), len(given["q"])))
            _run(self._gaps, given, (both[0].T, both[1].T))
            for gap, size in zip(np.abs(both[0]), both[1], strict=True):
                np.maximum(off[0], gap, out=off[0])
                np.maximum(off[1], gap / (size + TINY), out=off[1])
        sound = np.empty(len(given["q"]))
        _run(self._rates, given, (moved[1], sound))
        moved[0][:] = given["q"]
        if (sound != self._regular).any():
            moved[1][sound != self._regular] = np.nan

    def _compare(self, made: Any) -> None:
        """Compare a step of positions with linear algebra, and all rows where it ends with :class:`RowsAtStates`.

        Raises
        ------
        DisagreementError
            A difference is larger than rounding explains.
        """
        closed, dice, own = self._closed, np.random.default_rng(1), len(made.coordinates)
        system = closed.derivation.system
        shifted = []
        for state in closed.states:
            near = ({name: y + SHIFT * dice.uniform(-1, 1) for name, y in x.items()} for x in (state.q, state.v))
            shifted.append(replace(state, q=next(near), v=next(near)))
        at = RowsAtStates(self._rows, system, shifted)
        values = Instance(system, shifted).values
        parameters = np.array([values[x] for x in made.parameters]).T
        other = self.give(parameters.reshape(len(shifted), -1))
        q, v = at.q[:, :own], at.v[:, :own]
        moved, turned, _, _ = other(q, v, values["t"])
        if self._positions:
            given = {"q": q, "v": v, "t": values["t"], "parameters": other.parameters}
            step = _run(self._positions, given)[0] - q
            if closed.held.sigma is ZERO:
                metric = closed.by.evaluate(system.open_loops(), shifted).quantities["M"]
            else:
                M = [x for row in closed.held.M for x in row]
                metric = at_states(define(M, system.functions), values, len(shifted)).reshape(-1, own, own)
            rows = [[row is x for x in self._rows.rows].index(True) for row in self._places]
            there = at.positions(at.q)
            f, D = there.f[:, rows], there.D[:, rows, :own]
            columns = np.linalg.solve(metric, np.swapaxes(D, 1, 2))
            known = -np.einsum("sik,sk->si", columns, np.linalg.solve(D @ columns, f[..., None])[..., 0])
            size = np.abs(known).max(axis=1, initial=1e-300)
            off = np.abs(step - known).max(axis=1) / size
            _require_small("closing", off, ROUNDING, "of the step by linear algebra")
        places = at.q.copy(), at.v.copy()
        places[0][:, :own], places[1][:, :own] = moved, turned
        there, rates = at.positions(places[0]), at.rates(*places)
        bound = ~(there.D[:, :, own:] != 0).any(axis=(0, 2))
        off = largest(there.f[:, bound], there.reach[:, bound])
        _require_small("closing", off, OPEN, "of the terms of a row are left")
        _require_small(
            "closing_rates", largest(rates.speed[:, bound], rates.flow[:, bound]), ROUNDING, "of a row's rate are left"
        )


def _run(function: ArrayFunction, given: Mapping[str, Any], out: tuple[Array, ...] | None = None) -> Any:
    """Return the results of a function at its operands among the given ones."""
    return function(**{o.name: given[o.name] for o in function.operands}, out=out)


def _require_small(name: str, off: Array, least: float, what: str) -> None:
    """Raise an error if a part at a state is larger than rounding explains."""
    off = np.where(np.isnan(off), np.inf, off)
    if off.max(initial=0.0) > least:
        message = f"{off.max():.2g} {what} at state {int(off.argmax())} near the constraints"
        raise DisagreementError(error(f"{WITNESS}/{name}", message, REMEDY))


def finish_closing(q: Array, v: Array, gap: Array, part: Array) -> tuple[list[Diagnostic], dict[str, Array]]:
    """Return findings and the arrays ``q``, ``v`` and ``gap``: NaN where the steps did not end on the constraints."""
    said = list[Diagnostic]()
    open_ = ~(part <= OPEN) | ~np.isfinite(q).all(axis=1)
    loose = ~open_ & ~np.isfinite(v).all(axis=1)
    for lost, message in (
        (open_, "the steps onto the constraints do not end"), (loose, "rows depend on each other, rates have no step"),
    ):  # fmt: skip
        if lost.any():
            where = f"at {counted(int(lost.sum()), 'state')} of {len(q)}, the first is number {int(lost.argmax())}"
            remedy = "mbconcord.assemble finds a state, or says why there is none"
            said.append(Diagnostic("warning", "constraints", f"{message} {where}", remedy))
    moved = np.where(open_[:, None], np.nan, q), np.where((open_ | loose)[:, None], np.nan, v)
    return said, {"q": moved[0], "v": moved[1], "gap": gap}
