"""Comparison of generated code with the interpreter of the graph, at a few states.

Machine code, generated Python and C, modules of other packages and printed lists compute the same graph by other
means. The interpreter (:func:`mbconcord.model.evaluation.in_blocks`) evaluates the graph's program node by node, and
running error bounds tell how far rounding alone moves each number. A larger difference is an error with both numbers.
This does not test the equations themselves, which a check compares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.model.derivation import Nested, flatten, restore
from mbconcord.model.derivatives import CHANGE
from mbconcord.model.diagnostics import Diagnostic, DisagreementError, error
from mbconcord.model.evaluation import Array, in_blocks
from mbconcord.model.expressions import Arithmetic, ExpressionError, mpmath_arithmetic
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.evaluate import run
from mbconcord.model.expressions.levels import levels
from mbconcord.model.expressions.program import Program
from mbconcord.model.numbers import parameter_values
from mbconcord.model.system import System

#: Smallest and largest positions of each state, m or rad: ordinary ones; positive and negative ones whose sines machine
#: code reduces by a long π; those that it leaves to the C library; denormals. The last state is alone in its vector.
POSITIONS: Final = (
    (-3.0, 3.0), (-0.5, 0.5), (-9.0, 9.0), (1.2e7, 9e8), (-9e8, -1.2e7), (1.1e9, 1e12), (5e-324, 2e-308),
    (-3.0, 3.0), (-3.0, 3.0),
)  # fmt: skip
#: Rates and accelerations of ordinary states, per second; those of denormals are denormals.
RATES: Final = (-3.0, 3.0)
#: Range of factors by which parameters are varied; range from which values are drawn in place of zeros.
NEAR: Final = (0.75, 1.25)
ZERO: Final = (0.01, 0.1)
#: Allowed difference in running error bounds: one for the interpreter, two for code with other divisions and sines.
ROOM: Final = 3.0
#: Number of the state where the interpreter and its bounds are compared with more digits, and the number of these.
EXACT, DIGITS = 0, 50
#: Place that findings of these comparisons name.
WITNESS: Final = "witness"
#: Remedy that an error about a difference advises; changing the model does not help.
REMEDY: Final = "a fault of mbconcord or of what runs it, not of the model: please report it; do not use these numbers"


#: Beginning of the message about a comparison that was not made.
NOT_COMPARED: Final = "not compared with the interpreter"


def says_less(witness: Diagnostic) -> bool:
    """Return True if a note tells that some number was not compared; such notes are always shown."""
    return witness.message.startswith(NOT_COMPARED) or "no bound" in witness.message


def not_compared(reason: str, remedy: str = "") -> Diagnostic:
    """Return a note that the comparison was not made, with the reason."""
    return Diagnostic("note", WITNESS, f"{NOT_COMPARED}: {reason}", remedy)


#: Note if the user switched the comparison off.
TURNED_OFF: Final = not_compared("witness=False")


def note_comparison(by: str, numbers: int, unsure: int = 0) -> Diagnostic:
    """Return a note on a comparison that was made: how many numbers agree, and how many of them have no error bound."""
    if numbers and unsure == numbers:
        return not_compared(f"no number has a bound of its rounding at {len(POSITIONS)} states")
    left = f"; {unsure} of these have no bound there" if unsure else ""
    said = "1 number is" if numbers == 1 else f"{numbers} numbers are"
    said = f"{by}: {said} the interpreter's at {len(POSITIONS)} states, rounding apart{left}"
    return Diagnostic("note", WITNESS, said)


def draw_values(system: System, fixed: Collection[str] = ()) -> dict[str, Any]:
    """Return values of all symbols: positions, rates and accelerations (9,), t (9,), and numbers of parameters.

    Numbers of parameters that are not ``fixed`` are varied a little, as equal or zero defaults could hide a fault.
    """
    random = Random(0)
    count = len(POSITIONS)
    open_ones = {p.name: random.uniform(0.5, 2.0) for p in system.parameters if p.value is None}
    own = parameter_values(system, open_ones)
    numbers = (p.name for p in system.parameters if p.name not in fixed and p.value is not None and p.value.constant)
    moved = {name: own[name] * random.uniform(*NEAR) or random.uniform(*ZERO) for name in numbers}
    values: dict[str, Any] = dict(parameter_values(system, open_ones | moved))
    values["t"] = np.array([random.uniform(0.0, 5.0) for _ in range(count)])
    for name in system.coordinate_names:
        values[name] = np.array([random.uniform(*span) for span in POSITIONS])
        for mark in ("'", "''"):
            spans = (span if max(span) < 1e-300 else RATES for span in POSITIONS)
            values[name + mark] = np.array([random.uniform(*span) for span in spans])
    changes = [f"{name}{dot}{CHANGE}" for name in system.coordinate_names for dot in ("", "'")]
    return values | {name: np.array([random.uniform(*RATES) for _ in range(count)]) for name in changes}


class Points(ABC):
    """States of a model at :data:`POSITIONS`, and the comparison of numbers there.

    Attributes
    ----------
    values : value of every symbol, a float or an array (9,)
    count : number of states, 9
    rows, bounds : numbers of all scalars in their order, and their error bounds, (m, 9) each
    """

    rows: Array
    bounds: Array

    def __init__(self, system: System, fixed: Collection[str] = ()) -> None:
        self.values = draw_values(system, fixed)
        self.count = len(POSITIONS)
        self.coordinates = system.coordinate_names

    def operand(self, names: Sequence[str]) -> Array:
        """Return the values of symbols as an array (9, n)."""
        return np.stack([np.broadcast_to(self.values[name], (self.count,)) for name in names], axis=-1)

    def values_at(self, state: int) -> dict[str, float]:
        """Return the value of every symbol at one state."""
        return {name: float(x[state]) if np.ndim(x) else float(x) for name, x in self.values.items()}

    @abstractmethod
    def note(self, by: str) -> Diagnostic:
        """Return a note on the comparison of numbers that ``by`` computes."""

    @abstractmethod
    def has(self, quantity: str) -> bool:
        """Return True if the interpreter computes this quantity."""

    @abstractmethod
    def array(self, quantity: str) -> tuple[Array, Array]:
        """Return the interpreter's numbers of a quantity, and their error bounds, (9, …) each."""

    def compare(self, by: str, quantity: str, found: Array, known: Array, bounds: Array) -> None:
        """Compare an array (9, …) of one quantity with known numbers.

        Raises
        ------
        DisagreementError
            A difference is larger than rounding explains.
        """
        if found.shape != known.shape:
            message = f"{by} gives an array {found.shape}, and the interpreter {known.shape}"
            raise DisagreementError(error(f"{WITNESS}/{quantity}", message, REMEDY))
        place = find_farthest(found, known, bounds)
        if place is None:
            return
        state, *indices = place
        named = all(n == len(self.coordinates) for n in found.shape[1:])
        names = [self.coordinates[i] if named else str(i + 1) for i in indices]
        label = f"{quantity}[{', '.join(names)}]" if names else quantity
        raise self.disagreement(by, label, found[place], known[place], bounds[place], state)

    def compare_rows(self, by: str, found: Array, labels: Sequence[str]) -> None:
        """Compare numbers (m, 9) of all scalars, in order, with the interpreter's; ``labels`` name the scalars."""
        place = find_farthest(found, self.rows, self.bounds)
        if place is not None:
            row, state = place
            raise self.disagreement(by, labels[row], found[place], self.rows[place], self.bounds[place], state)

    def compare_digits(
        self, compute: Callable[[Mapping[str, float], Arithmetic], Iterable[Any]], labels: Sequence[str]
    ) -> None:
        """Compare the numbers at one state with those of :data:`DIGITS` digits that ``compute`` returns there."""
        exact = self.rows.copy()
        with suppress(ExpressionError):  # where some number does not exist, none is compared
            exact[:, EXACT] = [float(x) for x in compute(self.values_at(EXACT), mpmath_arithmetic(DIGITS))]
        self.compare_rows(f"arithmetic of {DIGITS} digits", exact, labels)

    def disagreement(
        self, by: str, label: str, found: float, known: float, bound: float, state: int
    ) -> DisagreementError:
        """Return the error that names both numbers and the state."""
        at = self.values_at(state)
        where = ", ".join(f"{name} = {at[name]!r}" for name in self.coordinates[:3])
        more = ", …" if len(self.coordinates) > 3 else ""
        message = (
            f"{by} gives {float(found)!r}, the interpreter {float(known)!r} at {where}{more}; rounding explains "
            f"{ROOM * float(bound):.1e}"
        )
        return DisagreementError(error(f"{WITNESS}/{label}", message, REMEDY))


class Interpreted(Points):
    """Quantities by the interpreter, with bounds of their rounding."""

    def __init__(
        self, system: System, quantities: Mapping[str, Nested], lines: Program, fixed: Collection[str] = ()
    ) -> None:
        super().__init__(system, fixed)
        self.rows = in_blocks(lines, self.values, self.count).T
        self.bounds = np.broadcast_to(run_bounds(levels(lines), self.values)[1], self.rows.shape)
        places = iter(range(len(lines.outputs)))
        self.ranges = {name: [next(places) for _ in flatten(value)] for name, value in quantities.items()}
        self._places = {name: restore(quantities[name], iter(own)) for name, own in self.ranges.items()}
        labels = [*(name for name, own in self.ranges.items() for _ in own), *len(self.rows) * ("number",)]
        self.compare_digits(lambda at, digits: run(lines, at, digits), labels)

    def note(self, by: str) -> Diagnostic:
        """Return a note on the number of scalars compared, and of those without a bound."""
        return note_comparison(by, len(self.rows), int((~np.isfinite(self.bounds)).all(axis=1).sum()))

    def has(self, quantity: str) -> bool:
        """Return whether the graph gives a quantity."""
        return quantity in self._places

    def array(self, quantity: str) -> tuple[Array, Array]:
        """Return a regular quantity and its bounds, (9, …) each."""
        places = np.array(self._places[quantity], dtype=int)
        return np.moveaxis(self.rows[places], -1, 0), np.moveaxis(self.bounds[places], -1, 0)


def find_farthest(found: Array, known: Array, bounds: Array) -> tuple[int, ...] | None:
    """Return the indices of the number farthest beyond its bound, as NaN is; None if all are within their bounds."""
    with np.errstate(all="ignore"):
        off = np.abs(found - known) / np.where(bounds > 0, bounds, np.nan)
        same = found == known
    off = np.where(np.isnan(off), np.inf, off)
    off = np.where(same | ~np.isfinite(bounds), 0.0, off)
    if not off.size or off.max() <= ROOM:
        return None
    place = np.unravel_index(int(off.argmax()), off.shape)
    return tuple(int(i) for i in place)
