"""States for the check of a model with constraints: drawn or given, assembled, and judged by validation's own rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, Severity
from mbconcord.model.elastic.turns import REACH, within
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly, assembled
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.continuation import sample
from mbconcord.simulation.levenberg_marquardt import ACCEPTED
from mbconcord.simulation.rows import constraint_rows

from ..judge.motion import Array
from ..judge.states import complete_state, draw
from ..progress import counted
from .rows import satisfied

#: How many times as many states are drawn as are wanted, where some cannot be assembled.
ATTEMPTS = 5
#: Where a smaller part of the states that were asked for satisfies the constraints, the motion is not checked.
ENOUGH = 0.5


@dataclass(frozen=True)
class ClosedStates:
    """A model with every function defined and states of it, which satisfy the constraints.

    Attributes
    ----------
    system : System
    states : as they were drawn or given, where none could be assembled
    assembly : Assembly or None
        Of the states; None where there is none.
    asked : how many states were asked for
    diagnostics : what was drawn, moved and left out
    """

    system: System
    states: tuple[State, ...]
    assembly: Assembly | None
    asked: int
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def missing(self) -> str:
        """Why the motion is not to be checked at these states; empty where they are enough."""
        got = len(self.states) if self.assembly else 0
        if got >= ENOUGH * self.asked and got:
            return ""
        return f"{got or 'none'} of {self.asked} states asked for satisf{'ies' if got == 1 else 'y'} the constraints"


def closed_states(
    system: System, count: int, seed: int, given: Sequence[State] | None = None
) -> ClosedStates:
    """Random states of a system on the constraints, or given ones moved onto them; others are left out.

    Where some of ``count`` drawn states lead to none, up to :data:`ATTEMPTS` times as many are drawn.
    """
    drawn = draw(system, 0, seed)
    if given is not None:
        states = tuple(complete_state(system, s, seed) for s in given)
        rows = RowsAtStates(constraint_rows(drawn.system), drawn.system, states)
        made, count = assembled(rows, states), len(states)
        notes = [*drawn.diagnostics, *_moved(drawn.system, states, assembled(rows, states, held=True), made)]
        kept, far = _kept(drawn.system, made)
    else:
        for attempts in counted("search of states", (1, ATTEMPTS), lambda n: f"{n * count} drawn"):
            drawn = draw(system, attempts * count, seed)
            states, made = drawn.states, sample(drawn.system, drawn.states, seed)
            kept, far = _kept(drawn.system, made)
            if kept.sum() >= count:
                break
        notes = [*drawn.diagnostics]
    numbers = np.flatnonzero(kept)[:count].tolist()
    tried = (numbers[-1] + 1) if len(numbers) == count else len(states)
    chosen = made.only(numbers) if numbers else None
    found = f"{len(numbers)} of {count} states asked for satisfy the constraints"
    notes = [*notes, _note(found), *_left_out(made, kept, far, tried), *_singular(chosen)]
    return ClosedStates(
        drawn.system, tuple(chosen.states) if chosen else states[:count], chosen, count, tuple(notes)
    )


def _kept(system: System, made: Assembly) -> tuple[Array, Array]:
    """Which states satisfy the constraints, and may be compared; which turn sections of elastic bodies too far."""
    far = ~within(system, Instance(system, made.states))
    return satisfied(system, made.extended) & ~far, far


def _note(message: str, severity: Severity = "note") -> Diagnostic:
    return Diagnostic(severity, "constraints", message)


def _moved(system: System, given: Sequence[State], held: Assembly, made: Assembly) -> Iterator[Diagnostic]:
    """Warnings of given states that do not satisfy the constraints, whatever coordinates cut joints take."""
    for good, before, after in zip(satisfied(system, held.extended), given, made.states, strict=True):
        if not good:
            shifts = [*_shift("", before.q, after.q), *_shift("'", before.v, after.v)]
            far = f": it moves {' and '.join(shifts)}" if shifts else ""
            message = "the given state does not satisfy the constraints: the nearest one that does is taken"
            yield _note(message + far, "warning")


def _shift(dot: str, before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[str]:
    """By how much the coordinate or the rate moves that moves most."""
    changes = {name: after[name] - x for name, x in before.items() if name in after}
    most = max(changes, key=lambda name: abs(changes[name]), default=None)
    if most is not None and changes[most]:
        yield f"{most}{dot} by {changes[most]:.6g}"


def _left_out(made: Assembly, kept: Array, far: Array, tried: int) -> Iterator[Diagnostic]:
    """Why the states tried that are not kept are left out."""
    reasons: Counter[str] = Counter()
    for i in np.flatnonzero(~kept[:tried]).tolist():
        if far[i]:
            reasons[f"a section of an elastic body would be turned by more than {REACH:g} rad"] += 1
        elif made.closed[i]:
            reasons["validation's own rows say that they do not satisfy the constraints"] += 1
        elif made.gaps[i] <= ACCEPTED:
            position = "regular" if made.regular[i] else "folded or singular"
            reasons[f"no rates satisfy the constraints there ({position}, {_rank(made, i)})"] += 1
        else:
            reasons["no state near them satisfies the constraints"] += 1
    for reason, number in reasons.items():
        contradicted = reason.startswith("validation")
        yield _note(
            f"{number} of {tried} states are left out: {reason}", "warning" if contradicted else "note"
        )


def _singular(chosen: Assembly | None) -> Iterator[Diagnostic]:
    """States that are kept although a singular value of D is in doubt."""
    if chosen is None:
        return
    ranks = Counter(_rank(chosen, i) for i in np.flatnonzero(~chosen.regular).tolist())
    for rank, number in ranks.items():
        yield _note(f"{number} of {len(chosen.states)} states are folded or singular: {rank}")


def _rank(made: Assembly, i: int) -> str:
    return f"rank {made.rank[i]} of {made.rows} rows"
