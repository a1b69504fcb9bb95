"""Check a model against numbers that another program printed: every formalism is compared with them, row by row.

A printed number may be anything that rounds to it. Of states and parameters it is an uncertainty of the inputs,
which running bounds carry into every result; of results it is what they may differ by. The program's own rounding
is not known, so the tolerance of scale stands for it. Where the digits leave nothing to decide, nothing is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, Location, MbconcordError
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.mixed import asked
from mbconcord.model.shown import count
from mbconcord.model.system import System

from ...check import OF_THE_TREE, of_zeros, with_numbers
from ...judge.bounds import PARTS, ROWS, BoundedEquations
from ...judge.closed_bounds import bounded_motion
from ...judge.comparison import Difference, difference_of, excess, worst
from ...judge.evidence import Against, Comparison, Evidence, Witness
from ...judge.motion import Array
from ...judge.plausible import plausible
from ...judge.size import require_size
from ...judge.tolerances import USELESS, evaluation_tolerance
from ...judge.trial import Trial, trial
from ..numbers import KINEMATICS
from .columns import Columns, mapped
from .motions import shown
from .reader import Cell, Column, PrintedTable
from .states import PrintedStates, printed_states
from .why import Agrees, why_not_printed

#: The name of the witness.
TABLE = "table"
ACCELERATION = "acceleration"


@np.errstate(all="ignore")
def against_table(
    system: System,
    table: PrintedTable,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    physics: Policy = "error",
    why: bool = True,
) -> Evidence:
    """Evidence about a model and a table of numbers that another program printed for it; where they differ, why.

    ``why`` off: the cause is not searched.

    Raises
    ------
    ReadError
        Columns or states that the model does not have, with line and column of the table.
    ModelError, NumbersError
        As for :func:`mbconcord.validation.check.check`.
    """
    witnesses = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    evidence, wrong = _compared(system, table, file, witnesses, physics)
    if not (wrong and why):
        return evidence
    answer = why_not_printed(system, table, wrong, _by_one(evidence, witnesses))
    return replace(
        evidence, diagnostics=(*evidence.diagnostics, Diagnostic("note", f"{TABLE}/why", str(answer)))
    )


def _by_one(evidence: Evidence, witnesses: Sequence[Formalism]) -> Agrees:
    """Judges a change by one formalism: what was compared agrees.

    Of digits that are so coarse that they tell nothing but a larger difference, none is left.
    """
    told = {c.quantity for c in evidence.comparisons if c.verdict != "not checked"}
    coarse = {c.quantity for c in evidence.comparisons if (c.tolerance or 0.0) > USELESS}
    spoke = {c.b for c in evidence.comparisons if c.quantity in QUANTITIES and c.quantity in told}
    who = [w for w in witnesses if w.name in spoke][:1]

    def agrees(system: System, table: PrintedTable) -> bool:
        try:
            found, _ = _compared(system, table, evidence.file, who, "ignore")
        except MbconcordError:
            return False
        equal = {c.quantity for c in found.comparisons if c.verdict == "agrees"}
        apart = {c.quantity for c in found.comparisons if c.verdict == "disagrees"}
        return bool(equal) and not apart and told <= equal | coarse

    return agrees


def _compared(
    system: System, table: PrintedTable, file: str, witnesses: Sequence[Formalism], physics: Policy
) -> tuple[Evidence, tuple[Cell, ...]]:  # fmt: skip
    """The evidence, and the cells that their digits do not explain."""
    require_size(system, table.count)
    columns = mapped(table, system)
    found = printed_states(system, table, columns)
    warned = plausible(system, found.states, physics)
    tree = system.opened() if system.constraints else system
    canonical = any(q in columns.canonical for q in QUANTITIES)
    at = with_numbers(tree, found.states)
    made = trial(tree, at, witnesses if canonical else (), count=True, given=found.inputs)
    judge = _Judge(system, table, columns, found, made)
    comparisons = tuple(judge.comparisons())
    witness = Witness(TABLE, f"numbers of {table.file}", f"{count(table.count, 'row')}")
    notes = [*warned, *judge.notes(), *_left_open(comparisons), *of_zeros(comparisons)]
    evidence = Evidence(
        file, system, 0, tuple(found.states), (witness, *made.witnesses), comparisons, tuple(notes),
        Against(f"{TABLE}:{table.file}", TABLE, "name", (), ()),
    )  # fmt: skip
    return evidence, tuple(judge.wrong.values())


def _left_open(comparisons: Sequence[Comparison]) -> Iterator[Diagnostic]:
    """Of quantities that agree, at how many states they could not be compared."""
    told = {c.quantity: c.explanation for c in comparisons if c.verdict == "agrees" and c.explanation}
    for quantity, words in told.items():
        yield Diagnostic("warning", TABLE, f"{quantity}: {words}")


class _Judge:
    """The numbers of a table beside those of the witnesses at the same states."""

    def __init__(
        self, system: System, table: PrintedTable, columns: Columns, at: PrintedStates, made: Trial
    ) -> None:
        self.system, self.table, self.columns, self.at, self.made = system, table, columns, at, made
        #: Cells that their digits do not explain.
        self.wrong: dict[tuple[str, int], Cell] = {}

    def comparisons(self) -> Iterator[Comparison]:
        """The table with every formalism, and with validation's own kinematics."""
        yield from self.made.failures()
        for quantity in QUANTITIES:
            if quantity in self.columns.canonical:
                yield from self._canonical(quantity)
        for found in shown(self.made.system, self.columns, self.at.inputs, self.made.kinematics):
            printed, room = _stacked(found.columns)
            ones = np.ones(len(printed))
            difference = Difference(
                printed, found.model.values, found.scale, ones * evaluation_tolerance(), ones,
                bound=room + found.model.bounds, certain=True,
            )  # fmt: skip
            yield self._judged(KINEMATICS, found.quantity, difference, found.columns, found.labels)

    def notes(self) -> Iterator[Diagnostic]:
        """What the table says nothing of, and what so few rows cannot say."""
        if self.system.constraints:
            yield OF_THE_TREE
        told = [*self.columns.canonical, *self.columns.motions, *(["force"] if self.columns.forces else [])]
        silent = ", ".join(q for q in asked(self.system) if q not in told)
        message = f"{count(self.table.count, 'row')} with {', '.join(told)}" + (
            f"; nothing of {silent}" if silent else ""
        )
        yield Diagnostic("note", TABLE, message)
        if self.table.count == 1:
            remedy = "give rows at other states, with rates that are not zero"
            place = Location(self.table.file, self.table.lines[0], 1)
            message = "one row is one state: terms that vanish or cancel there are not seen"
            yield Diagnostic("warning", TABLE, message, remedy, place)

    def _canonical(self, quantity: str) -> Iterator[Comparison]:
        entries = self.columns.canonical[quantity]
        columns = tuple(column for column, _ in entries)
        names = self.made.names
        labels = [", ".join(names[i] for i in place) for _, place in entries]
        printed, room = _stacked(columns)
        n = len(names)
        flat = [place[0] if len(place) == 1 else place[0] * n + place[1] for _, place in entries]
        whole = np.full((len(printed), n * n if quantity == "M" else n), np.nan)
        whole[:, flat] = printed
        shaped = whole.reshape(-1, n, n) if quantity == "M" else whole
        who = [e for e in self._evaluations(quantity) if quantity in e.quantities]
        for other in who:
            moved = {name: x for name, x in other.quantities.items() if name == ACCELERATION != quantity}
            own = Evaluation(
                TABLE, {**moved, quantity: shaped}
            )  # efforts are judged by the accelerations they make
            d = difference_of(own, other, quantity, self.made.scales)
            difference = _selected(d, flat, room)
            yield self._judged(other.formalism, quantity, difference, columns, labels)
        if not who:
            reason = "no formalism that takes the model delivers it with bounds"
            yield Comparison(TABLE, "", quantity, "not checked", explanation=reason)

    def _evaluations(self, quantity: str) -> list[Evaluation]:
        """Of the formalisms; accelerations of a model with constraints are those with them."""
        if quantity != ACCELERATION or not self.system.constraints:
            return list(self.made.evaluations.values())
        found = []
        for formalism in self.made.formalisms:
            if formalism.constraint_obstacles(self.system):
                continue
            derivation = formalism.derive_closed(self.system)
            if derivation is None:
                continue
            q = BoundedEquations(derivation).at(self.at.inputs)
            if all(name in q for name in (*PARTS, *ROWS)):
                motion = bounded_motion(q).acceleration
                found.append(
                    Evaluation(formalism.name, {quantity: motion.values}, (), {quantity: motion.bounds})
                )
        return found

    def _judged(
        self,
        who: str,
        quantity: str,
        difference: Difference,
        columns: Sequence[Column],
        labels: Sequence[str],
    ) -> Comparison:
        """The worst entry, with its row and column in the table."""
        c = worst(TABLE, who, quantity, difference, self.at.states, labels)
        if c.verdict == "not checked" and c.entry:
            text = (
                f"{c.explanation}; column {c.entry[0]}: the digits that were printed leave nothing to compare"
            )
            return replace(c, explanation=text)
        if c.verdict != "disagrees" or not c.entry or c.state is None:
            return c
        row = next(i for i, state in enumerate(self.at.states) if state is c.state)
        column = columns[list(labels).index(c.entry[0])]
        head, line = column.heading, self.table.lines[row]
        cells = excess(difference) > 1.0
        for i, k in np.argwhere(cells).tolist():
            self.wrong.setdefault((columns[k].heading.key, i), Cell(columns[k], i))
        beyond = int(np.sum(np.any(cells, axis=1)))
        said = (
            f"row {row + 1} ({self.table.file}:{line}), column {head.text}: {column.texts[row]} {head.unit.text}, "
            f"printed to ±{column.room[row] / head.unit.factor:.1g}; beyond what the digits explain in {beyond} of "
            f"{count(self.table.count, 'row')}"
        )
        return replace(c, explanation=". ".join(filter(None, (said, c.explanation))))


def _stacked(columns: Sequence[Column]) -> tuple[Array, Array]:
    """Numbers (N, K) and how far each may be from the one meant."""
    return np.stack([c.values for c in columns], axis=1), np.stack([c.room for c in columns], axis=1)


def _selected(d: Difference, flat: Sequence[int], room: Array) -> Difference:
    """The entries of a difference that the table has, with room for its digits."""

    def chosen(x: Array) -> Array:
        return np.asarray(np.broadcast_to(x, d.a.shape).reshape(len(d.a), -1)[:, flat])

    unit = None if d.unit is None else chosen(d.unit)
    bound = room * (1.0 if unit is None else unit)
    if d.bound is not None:
        bound = bound + chosen(d.bound)
    return Difference(
        chosen(d.a), chosen(d.b), chosen(d.scale), d.tolerance, d.cond, unit, bound, certain=True
    )
