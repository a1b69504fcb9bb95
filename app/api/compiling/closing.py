"""Positions and rates moved onto the constraints by compiled steps of Newton's method, in the metric of M."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.motion import MotionFactors, indicate
from mbconcord.kernels.operands import ResultArray
from mbconcord.kernels.routine import Pass, Repeat, Routine
from mbconcord.model.constraint import Nonholonomic
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, NumbersError, error
from mbconcord.model.evaluation import Array, at_states
from mbconcord.model.expressions import TIME, ZERO, Expression, number, rate, symbol, symbols
from mbconcord.model.expressions.functions import apply
from mbconcord.model.expressions.program import program
from mbconcord.model.functions import define
from mbconcord.model.limits import count as counted
from mbconcord.model.numbers import Instance, known_values
from mbconcord.records import replace
from mbconcord.simulation.batch import RowsAtStates, largest
from mbconcord.simulation.rows import constraint_rows

from ..interpreted import REMEDY, TURNED_OFF, WITNESS, Interpreted
from .closed import LEAST, SOUND, ClosedMotion, choose_rows, scale_formulas
from .direct import find_operands

#: Changes of positions, and of rates, by one step onto the constraints.
CLOSING: Final = ("closing", "closing_rates")
#: Largest number of steps; violation, as a part of the size of its terms, at which a state moves no further.
TURNS, CLOSED = 8, 4e-15
#: Violation, as a part of the size of its terms, above which a state is not closed.
OPEN = 1e-12
#: Names of numbers of the routine: largest number of turns; whether a state moves; largest gap; sum of parts squared.
TURN, FLAG, GAP, PART = "number of turns", "state is open", "largest gap", "square of gaps"
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
        self._rows, self._places, self._seen = closing, places, seen
        self._moves = indicate(_add_parts(places) - number(Fraction(least) ** 2)) if places else ZERO
        self.step = first.solve(still, [row.position for row in places])[0]
        self.turn = second.solve(still, [speeds[k] for k in kept])[0]
        self._regular = regularity(second.sound, len(names) + len(kept))
        self.sound = first.sound + second.sound
        self.count = 2 * len(names) + len(kept) + len(places)

    def extend(self) -> ClosedMotion:
        """Return the constrained motion with the steps in place of what is solved; its gaps are not reported."""
        step = tuple(self._moves * x for x in self.step)
        native: Any = {CLOSING[0]: step, CLOSING[1]: self.turn, SOUND: self.sound}
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
        results = (*names, *(f"{x}'" for x in names), GAP, PART)
        routine = Routine(tuple(self.passes(made._expand)), results)
        operands = find_operands(
            made.system, routine.symbols - {*routine.made}, known_values(made.system), ("q", "v"), (TURN,)
        )
        shapes = [ResultArray(x, (len(names),) if x in ("q", "v") else ()) for x in ("q", "v", GAP, PART)]
        other._function = ArrayFunction(operands, shapes, routine, made.backend, made._options)
        if made.witness is not TURNED_OFF:
            other._compare_turns(made)
            other._compare(made)
        return other

    def passes(
        self, expand: Callable[[Iterable[Expression]], list[Expression]], *before: Expression
    ) -> Iterator[Pass | Repeat]:
        """Yield the passes that move positions, then rates, and that tell the gaps left, or those ``before``."""
        names = self._closed.derivation.system.coordinate_names
        if self._places:
            look = Pass(tuple(expand([self._moves])), (FLAG,))
            moved = tuple(expand(symbol(name) + x for name, x in zip(names, self.step, strict=True)))
            yield look
            yield Repeat((Pass(moved, names), look), TURN, FLAG)
        turned = [(rate(name) + x) * self._regular for name, x in zip(names, self.turn, strict=True)]
        gaps = [*(apply("abs", row.position) for row in self._seen), *before] or [ZERO]
        targets = (*(f"{x}'" for x in names), PART, *len(gaps) * (GAP,))
        yield Pass(tuple(expand([*turned, _add_parts(self._seen), *gaps])), targets, (GAP,))

    parameters: Array | None = None
    _function: ArrayFunction

    @property
    def is_complete(self) -> bool:
        """True if the model has the values of all parameters that the steps need."""
        return all(o.default is not None for o in self._function.operands if o.name == "parameters")

    def __call__(self, q: Array, v: Array, t: Any, turns: int | None = None) -> tuple[Array, Array, Array, Array]:
        """Return positions and rates (n, N) on the constraints, and of each state what gap is left (n,).

        First the largest gap of a position, m or rad; then the sum of squares of all gaps, as parts of their sizes.
        Rates are NaN where rows depend on each other. The numbers of a state do not depend on the others. ``turns`` is
        the largest number of moves, if it is not that of these steps.
        """
        given = {"q": q, "v": v, "t": t} | ({} if self.parameters is None else {"parameters": self.parameters})
        given[TURN] = float(self._turns if turns is None else turns)
        out = *(np.empty(q.shape, order="F") for _ in "qv"), *(np.empty(len(q)) for _ in "qv")
        with np.errstate(all="ignore"):
            own = {o.name: given[o.name] for o in self._function.operands if o.name in given}
            self._function(**own, out=out)
        moved, turned, gap, part = out
        gap[np.isnan(part)] = np.nan
        return moved, turned, gap, part

    def _compare_turns(self, made: Any) -> None:
        """Compare one move of positions, and the rates and gaps without one, with the interpreter."""
        names = made.coordinates
        moved = tuple(symbol(name) + self._moves * x for name, x in zip(names, self.step, strict=True))
        turned = tuple((rate(name) + x) * self._regular for name, x in zip(names, self.turn, strict=True))
        formulas = {"moved": moved, "turned": turned, "gaps": tuple(apply("abs", row.position) for row in self._seen)}
        outputs = made._expand(x for value in formulas.values() for x in value)
        known = Interpreted(made.system, formulas, program(outputs), made.fixed)
        q, v = (known.operand([f"{x}{mark}" for x in names]) for mark in ("", "'"))
        other = self.give(known.operand(made.parameters) if made.parameters else None)
        found = {"moved": other(q, v, known.values["t"], 1)[0]} if self._places else {}
        _, found["turned"], gap, _ = other(q, v, known.values["t"], 0)
        for name, array in found.items():
            known.compare(f"{made.backend}, steps", name, array, *known.array(name))
        if self._seen:
            values, bounds = known.array("gaps")
            known.compare(f"{made.backend}, steps", "gaps", gap, values.max(axis=1), bounds.max(axis=1))

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
        if self._places:
            step = other(q, v, values["t"], 1)[0] - q
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


def _add_parts(rows: Sequence[Any]) -> Expression:
    """Return the sum of squares of the positions of rows, as parts of the sizes of their terms."""
    return sum((row.position * row.position / (row.reach * row.reach + LEAST) for row in rows), ZERO)


def regularity(sound: Expression, count: int) -> Expression:
    """Return 1 where the number of pivots and rows above rounding is ``count``, and NaN where it is less."""
    return apply("sqrt", apply("sign", sound - number(Fraction(2 * count - 1, 2))))


def _require_small(name: str, off: Array, least: float, what: str) -> None:
    """Raise an error if a part at a state is larger than rounding explains."""
    off = np.where(np.isnan(off), np.inf, off)
    if off.max(initial=0.0) > least:
        message = f"{off.max():.2g} {what} at state {int(off.argmax())} near the constraints"
        raise DisagreementError(error(f"{WITNESS}/{name}", message, REMEDY))


def finish_closing(q: Array, v: Array, gap: Array, part: Array) -> tuple[list[Diagnostic], dict[str, Array]]:
    """Return findings and the arrays ``q``, ``v`` and ``gap``: NaN where the steps did not end on the constraints."""
    said, chosen = list[Diagnostic](), {"q": q, "v": v, "gap": gap}
    if (part <= OPEN * OPEN).all() and np.isfinite(q.sum() + v.sum()):
        return said, chosen
    open_ = ~(part <= OPEN * OPEN) | ~np.isfinite(q).all(axis=1)
    loose = ~open_ & ~np.isfinite(v).all(axis=1)
    for lost, message in (
        (open_, "the steps onto the constraints do not end"), (loose, "rows depend on each other, rates have no step"),
    ):  # fmt: skip
        if lost.any():
            where = f"at {counted(int(lost.sum()), 'state')} of {len(q)}, the first is number {int(lost.argmax())}"
            remedy = "mbconcord.assemble finds a state, or says why there is none"
            said.append(Diagnostic("warning", "constraints", f"{message} {where}", remedy))
    moved = np.where(open_[:, None], np.nan, q), np.where((open_ | loose)[:, None], np.nan, v)
    return said, chosen | dict(zip("qv", moved, strict=True))
