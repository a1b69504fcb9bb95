"""States for checking a model with constraints: drawn or given, assembled, and judged by validation's own rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Constraint, FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.diagnostics import Diagnostic, ModelError, NumbersError, Severity, error
from mbconcord.model.elastic.rigid import REACH, is_within_reach
from mbconcord.model.limits import FREEDOM_NUMBERS, FREEDOM_OPERATIONS, FREEDOM_PRODUCTS, too_many
from mbconcord.model.mixed import FREE, describe_fixed, find_imposed_accelerations
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass
from mbconcord.simulation.assembly import Assembly
from mbconcord.simulation.continuation import Nearest, find_nearest, sample
from mbconcord.simulation.levenberg_marquardt import ACCEPTED

from ..motion import Array
from ..progress import count_progress
from ..states import ClosedStates, complete_state, draw
from ..tolerances import SINGULAR
from .compare import generalize_rows, measure_closed
from .rows import constraint_rows, find_satisfied

#: How many times as many states are drawn as are wanted, where some cannot be assembled.
ATTEMPTS = 5


def closed_states(
    system: System, count: int, seed: int, given: Sequence[State] | None = None, most: int | None = None,
    before: bool = True,
) -> ClosedStates:  # fmt: skip
    """Draw states of a system on the constraints, or project given ones onto them; others are left out.

    ``most`` limits the operations of each search: :class:`.NumbersError` beyond. If some of ``count`` random states
    lead to none, up to :data:`ATTEMPTS` times as many are drawn; half at times ``before`` 0, if these are wanted.
    """
    drawn = draw(system, 0, seed)
    if given is not None:
        states = tuple(complete_state(system, s, seed) for s in given)
        nearest = find_nearest(drawn.system, states)
        made, count = nearest.moved, len(states)
        notes = [*drawn.diagnostics, *_warn_moved(drawn.system, states, nearest)]
        kept, far = _select_states(drawn.system, made)
    else:
        for attempts in count_progress("search of states", (1, ATTEMPTS), lambda n: f"{n * count} drawn"):
            drawn = draw(system, attempts * count, seed, before)
            states, made = drawn.states, sample(drawn.system, drawn.states, seed, most)
            kept, far = _select_states(drawn.system, made)
            if kept.sum() >= count:
                break
        notes = [*drawn.diagnostics]
    numbers = np.flatnonzero(kept)[:count].tolist()
    tried = (numbers[-1] + 1) if len(numbers) == count else len(states)
    chosen = made.only(numbers) if numbers else None
    found = f"{len(numbers)} of {count} states asked for satisfy the constraints"
    notes = [*notes, _note(found), *_left_out(made, kept, far, tried), *_singular(chosen)]
    return ClosedStates(drawn.system, tuple(chosen.states) if chosen else states[:count], chosen, count, tuple(notes))


def _select_states(system: System, made: Assembly) -> tuple[Array, Array]:
    """Select states that satisfy the constraints and are comparable, and those with excessive elastic rotations."""
    far = ~is_within_reach(system, Instance(system, made.states))
    return find_satisfied(system, made.extended) & ~far, far


def _note(message: str, severity: Severity = "note") -> Diagnostic:
    return Diagnostic(severity, "constraints", message)


def _warn_moved(system: System, given: Sequence[State], nearest: Nearest) -> Iterator[Diagnostic]:
    """Warn of given states that no values of the cut joints' coordinates make satisfy the constraints."""
    good = find_satisfied(system, nearest.given.extended)
    for s, (before, after) in enumerate(zip(given, nearest.moved.states, strict=True)):
        if not good[s]:
            shifts = [*_shift("", before.q, after.q), *_shift("'", before.v, after.v)]
            far = f": it moves {' and '.join(shifts)}" if shifts else ""
            name, gap = nearest.say_gap(s)
            message = f"the given state does not satisfy the constraints, {name} is off {gap}"
            yield _note(f"{message}: the nearest one that does is taken{far}", "warning")


def _shift(dot: str, before: Mapping[str, float], after: Mapping[str, float]) -> Iterator[str]:
    """Report the largest change of a coordinate or rate."""
    changes = {name: after[name] - x for name, x in before.items() if name in after}
    most = max(changes, key=lambda name: abs(changes[name]), default=None)
    if most is not None and changes[most]:
        yield f"{most}{dot} by {changes[most]:.6g}"


def _left_out(made: Assembly, kept: Array, far: Array, tried: int) -> Iterator[Diagnostic]:
    """Say why rejected states are left out."""
    reasons: Counter[str] = Counter()
    for i in np.flatnonzero(~kept[:tried]).tolist():
        if far[i]:
            reasons[f"a section of an elastic body would be turned by more than {REACH:g} rad"] += 1
        elif made.is_closed[i]:
            reasons["validation's own rows say that they do not satisfy the constraints"] += 1
        elif made.gaps[i] <= ACCEPTED:
            position = "regular" if made.regular[i] else "folded or singular"
            reasons[f"no rates satisfy the constraints there ({position}, {_rank(made, i)})"] += 1
        else:
            reasons["no state near them satisfies the constraints"] += 1
    for reason, number in reasons.items():
        contradicted = reason.startswith("validation")
        yield _note(f"{number} of {tried} states are left out: {reason}", "warning" if contradicted else "note")


def _singular(chosen: Assembly | None) -> Iterator[Diagnostic]:
    """Warn of accepted states that are folded or singular, because the rank of D is in doubt there."""
    if chosen is None:
        return
    ranks = Counter(_rank(chosen, i) for i in np.flatnonzero(~chosen.regular).tolist())
    for rank, number in ranks.items():
        yield _note(f"{number} of {len(chosen.states)} states are folded or singular: {rank}")


def _rank(made: Assembly, i: int) -> str:
    return f"rank {made.rank[i]} of {made.rows} rows"


#: At how many drawn states.
STATES = 3
#: Rows of one constraint at most.
ROWS_OF_ONE = 6


@dataclass(frozen=True)
class RemainingFreedom:
    """Freedom that the constraints leave, at most of the random states that satisfy them.

    Attributes
    ----------
    states : number of these states; 0 if none was found, and nothing is known
    rows : names of the constraint rows, by the formalism ``by``; empty if no formalism solves the model
    rank : rank of D, by validation's own kinematics
    degrees : degrees of freedom, coordinates less rank; drives that impose accelerations are subtracted
    redundant : rows that depend linearly on rows before them
    open : rows with undetermined multipliers, because dependent rows share them
    """

    states: int
    rank: int = 0
    degrees: int = 0
    by: str = ""
    rows: tuple[str, ...] = ()
    redundant: tuple[str, ...] = ()
    open: tuple[str, ...] = ()


def freedom(system: System, formalisms: Iterable[Formalism], seed: int = 0) -> RemainingFreedom:
    """Compute the freedom of a system with constraints; rows are named by the first formalism that solves it.

    Raises
    ------
    NumbersError
        The system is so large that the search for states takes longer than a description may.
    """
    of = f"{len(system.constraints):,} constraints of {len(system.coordinates):,} coordinates, up to "
    numbers = ROWS_OF_ONE * len(system.constraints) * len(system.coordinates)
    if numbers > FREEDOM_NUMBERS:
        message = too_many(f"{of}{numbers:,}", "numbers", FREEDOM_NUMBERS)
        raise NumbersError(error("constraints", message, "describe a part of the machine"))
    products = ROWS_OF_ONE * sum(_count_coordinates(system, c) ** 2 for c in system.constraints)
    if products > FREEDOM_PRODUCTS:
        message = too_many(f"{of}{products:,}", "products along their loops", FREEDOM_PRODUCTS)
        raise NumbersError(error("constraints", message, "describe a part of the machine"))
    closed = closed_states(system, STATES, seed, most=FREEDOM_OPERATIONS)
    if closed.assembly is None:
        return RemainingFreedom(0)
    with np.errstate(all="ignore"):
        measure = measure_closed(closed.system, closed.assembly)
    ranks = measure.rank.astype(int).tolist()
    rank = Counter(ranks).most_common(1)[0][0]
    found = RemainingFreedom(len(ranks), rank, len(system.coordinates) - rank)
    s = ranks.index(rank)
    for formalism in formalisms:
        if formalism.constraint_obstacles(closed.system):
            continue
        motion = formalism.constrained_motion(closed.system, [closed.states[s]])
        if motion is not None:
            unknown = np.isnan(motion.multipliers[0]) & np.isfinite(motion.acceleration[0]).all()
            names = tuple(name for name, no in zip(motion.rows, unknown, strict=True) if no)
            return RemainingFreedom(
                len(ranks), rank, found.degrees, formalism.name, motion.rows, motion.redundant[0], names
            )
    return found


def _count_coordinates(system: System, constraint: Constraint) -> int:
    """Count the coordinates of a loop: along the bodies on the paths to both sides, and of the cut joint itself."""
    if not isinstance(constraint, (FrameCoincidence, PointCoincidence, Rod)):
        return 0  # the row is a formula of the model's own
    one, other = ({b.name: b for b in system.path(side.body)} for side in (constraint.first, constraint.second))
    loop = [(one | other)[name] for name in one.keys() ^ other.keys()]
    own = constraint.auxiliary if isinstance(constraint, FrameCoincidence) else ()
    return len(own) + sum(len({name for e in b.joint for name in e.moving}) + len(b.modal) for b in loop)


def require_free(system: System, assembly: Assembly) -> None:
    """Raise :class:`ModelError` where a drive imposes an acceleration that is fixed at every one of the states."""
    found = [error(f"coordinates/{name}/drive", describe_fixed(name), FREE) for name in _list_fixed(system, assembly)]
    if found:
        raise ModelError(found)


def _list_fixed(system: System, assembly: Assembly) -> Iterator[str]:
    """Yield the driven coordinates whose drive's row depends linearly on preceding rows at every state."""
    driven = list(find_imposed_accelerations(system))
    if not driven or not assembly.states:
        return
    rows = constraint_rows(system, assembly.extended)
    D, _, _ = generalize_rows(rows, np.ones((len(assembly.states), len(system.coordinates))))
    first = D.shape[1] - len(driven)
    for i, name in enumerate(driven, first):
        if all(_rows_rank(each[: i + 1]) == _rows_rank(each[:i]) for each in D):
            yield name


def _rows_rank(rows: Array) -> int:
    return int((np.linalg.svd(rows, compute_uv=False) > SINGULAR).sum()) if rows.size else 0
