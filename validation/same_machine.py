"""Whether two models are the same machine: coordinates matched, dynamics compared at the same states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.derivation import EFFORT, Obstacle
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.instance import bound
from mbconcord.model.mixed import imposed
from mbconcord.model.omission import Omission
from mbconcord.model.shown import line
from mbconcord.model.state import State
from mbconcord.model.system import System

from .constraints.closed_states import ATTEMPTS
from .constraints.sameness import CONSTRAINTS, compare_constraints
from .direct.witness import NAME as DIRECT
from .direct.witness import direct, obstacles
from .exact.sameness import Proof, proof
from .horizon import Horizon
from .judge.comparison import compare_quantity
from .judge.evidence import NOTHING_COMPARED, Comparison, Overall, all_zero, headline, overall, verdict
from .judge.kinematics import Kinematics
from .judge.left_out import Difference, LeftOut, differences
from .judge.matching import Matching, match, reordered
from .judge.scale import Scales, scales
from .judge.size import require_size
from .judge.states import complete_state, draw
from .judge.trial import trial
from .judge.uncertainty import Numbers, converted, converted_room, foreign, inputs
from .left_open import informed, unlike_functions
from .printed_numbers import with_named_numbers

QUANTITIES = ("M", "h", "gravity", "applied")
#: What is compared besides where drives impose accelerations.
SOLVED = ("acceleration", EFFORT)
#: How many formalisms derive both models; one would do, two guard against a fault that hides a difference.
WITNESSES = 2
#: So many differences between what two models leave out are printed.
MOST_DIFFERENCES = 10


@dataclass(frozen=True, repr=False)
class Sameness:
    """Evidence that two models are the same machine, or the entry and state where they differ most.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Per quantity and formalism; ``a`` and ``b`` are the two models, entries are A's coordinates.
    matching : Matching
        Which coordinate of A is which of B, and how that was found.
    diagnostics : tuple of Diagnostic
        What was drawn.
    closed : int or None
        At how many states that satisfy the constraints of both; None for models without.
    left_out : LeftOut
        What the readers of the models left out of them.
    differences : tuple of Difference
        Where that is not the same of both.
    proof : Proof or None
        Whether the equations of both are proved to be the same functions; None where they do not agree, or no
        formalism takes both.
    horizon : Horizon or None
        Up to when their motions were compared.
    """

    comparisons: tuple[Comparison, ...]
    matching: Matching
    diagnostics: tuple[Diagnostic, ...] = ()
    closed: int | None = None
    left_out: LeftOut = field(default_factory=LeftOut)
    differences: tuple[Difference, ...] = ()
    proof: Proof | None = None
    horizon: Horizon | None = None

    def __repr__(self) -> str:
        compared = dict.fromkeys(c.quantity for c in self.comparisons if c.verdict != "not checked")
        return line(type(self).__name__, "", self.headline, f"{', '.join(compared) or 'nothing'} compared")

    @property
    def verdict(self) -> Overall:
        """``disagrees`` if anything does, ``not checked`` if anything was not or the models leave out different
        things that act on the motion, else ``agrees``: after matching coordinates by their structure, in part where
        both leave out the same."""
        found = verdict(self.comparisons)
        if found == "agrees" and any(d.acts for d in self.differences):
            return "not checked"
        return overall(found, self.left_out, self.matching.words)

    @property
    def stands(self) -> bool:
        """Whether they are the same machine, but for what both leave out and was accepted."""
        return self.verdict in ("agrees", "agrees in part") and self.left_out.stands

    @property
    def worst(self) -> Comparison:
        """The comparison that decides the verdict: of those with it, the one that is largest beside its tolerance.

        Zeros that agree are not checked together; none of them is so alone.
        """
        found = verdict(self.comparisons)
        deciding = [c for c in self.comparisons if c.verdict == found]
        return max(deciding or self.comparisons, key=lambda c: c.excess)

    @property
    def headline(self) -> str:
        """The verdict in words: ``the same machine without 19 contacts, 1 bushing``; of motions up to when."""
        found = headline(_SAID[self.verdict], self.verdict, self.left_out, self.matching.words)
        return f"{found}, {self.horizon.words}" if self.horizon else found

    def to_json(self) -> dict[str, Any]:
        """The form of ``compare --json``."""
        return {
            "verdict": self.verdict,
            "headline": self.headline,
            **self.left_out.to_json(),
            "stands": self.stands,
            "left_out_differently": [d.to_json() for d in self.differences],
            "matching": {
                "by": self.matching.by,
                "coordinates": dict(self.matching.pairs),
                "searched": self.matching.words,
            },
            "pairs": [c.to_json() for c in self.comparisons],
            "diagnostics": [str(d) for d in self.diagnostics],
            "closed_states": self.closed,
            "exact": self.proof.to_json() if self.proof else None,
        } | ({"simulated": self.horizon.to_json()} if self.horizon else {})

    def __str__(self) -> str:
        lines = [self.headline, *self._omitted(), *([str(self.proof)] if self.proof else ())]
        if self.matching.pairs:
            pairs = ", ".join(a if a == b else f"{a} = {b}" for a, b in self.matching.pairs)
            lines.append(f"coordinates matched by {self.matching.by}: {pairs}")
        if self.matching.searched:
            lines.append(
                f"nobody told this matching (where it is meant: --coordinates {self.matching.setting})"
            )
        if self.closed is not None:
            compared = dict.fromkeys(c.quantity for c in self.comparisons if c.verdict != "not checked")
            trees, closed = (
                ", ".join(q for q in compared if (q in QUANTITIES) == tree) or "nothing"
                for tree in (True, False)
            )
            lines.append(f"compared as open trees: {trees}")
            lines.append(f"compared at {self.closed} states that satisfy the constraints of both: {closed}")
        if self.horizon is not None:
            lines.append(f"in motion {self.horizon.explained()}")
        worst = self.worst
        if worst.discrepancy is not None and worst.state is not None and worst.values is not None:
            at = f"[{', '.join(worst.entry)}]" if worst.entry else ""
            lines.append(
                f"largest difference: {worst.quantity}{at} {worst.values[0]:.17g} and {worst.values[1]:.17g}, "
                f"{worst.discrepancy:.2e} of scale (tolerance {worst.tolerance:.2e})"
            )
            if self.verdict == "disagrees":
                lines.append(f"at the state {worst.state.to_json()}")
        if all_zero(self.comparisons):
            lines.append(NOTHING_COMPARED)
        broken = (c for c in self.comparisons if c.quantity == CONSTRAINTS and c.verdict == "disagrees")
        lines += dict.fromkeys(c.explanation for c in (worst, *broken) if c.explanation)
        return "\n".join(lines)

    def _omitted(self) -> Iterator[str]:
        """What both leave out, whether that was accepted, and what they leave out differently."""
        if said := self.left_out.said():
            yield f"what is left out is {said}"
        acting = [d for d in self.differences if d.acts]
        if acting:
            yield "not the same is left out of the two:"
            yield from (f"  {d}" for d in acting[:MOST_DIFFERENCES])
        if len(acting) > MOST_DIFFERENCES:
            yield f"  and {len(acting) - MOST_DIFFERENCES} more"


_SAID: dict[Overall, str] = {
    "agrees": "the same machine",
    "agrees after matching": "the same machine",
    "agrees in part": "the same machine",
    "disagrees": "not the same machine",
    "not checked": "not checked",
}


@np.errstate(all="ignore")  # numbers beyond the range of floats are found by being none
def same_machine(
    a: System,
    b: System,
    states: int | Sequence[State] = 10,
    seed: int = 0,
    formalisms: Sequence[str] | None = None,
    coordinates: Mapping[str, str] | None = None,
    printed: bool = False,
    simulate: float | None = None,
) -> Sameness:
    """Compare M, h, gravity and applied forces of two models, and what their constraints say.

    Coordinates are matched as told, then by name, then by structure; parameters and functions that one model leaves
    open are taken from the other by name, and what both leave open is drawn, the same for both.

    Parameters
    ----------
    a, b : System
    states : how many are drawn, or states of A
    seed : of what is drawn
    formalisms : names; None: the first two that take both models, or solve their constraints
    coordinates : coordinate of A -> that of B, where these are told
    printed : whether another program may have printed the numbers, and rounded those of 8 to 15 digits
    simulate : seconds over which their motions are compared, too; None: they are not

    Raises
    ------
    NumbersError
        A state or what is told of the coordinates names what the models do not have.
    """
    for system in (a, b):
        require_size(system, states if isinstance(states, int) else 1)
    require_ranges(a)
    require_ranges(b)
    pair, cost = ((with_named_numbers(a), with_named_numbers(b)), foreign) if printed else ((a, b), converted)
    found = _compare(*pair, match(*pair, coordinates), states, seed, formalisms, cost, simulate)
    return replace(found, left_out=LeftOut(_either(a, b)), differences=differences(a, b))


def _either(a: System, b: System) -> tuple[Omission, ...]:
    """What A leaves out, then what B leaves out and A does not."""
    ours = {(omission.place, omission.kind) for omission in a.omissions}
    return (
        *a.omissions,
        *(omission for omission in b.omissions if (omission.place, omission.kind) not in ours),
    )


def _compare(
    a: System, b: System, matching: Matching, states: int | Sequence[State], seed: int,
    formalisms: Sequence[str] | None, cost: Numbers, simulate: float | None,
) -> Sameness:  # fmt: skip
    """The dynamics of two models, whose numbers may be so far from those meant."""
    unlike_drives = _imposed_by_one(a, b, matching)
    if matching.reason or unlike_drives:
        why = matching.reason or unlike_drives
        found = [Comparison("A", "B", q, "disagrees", explanation=why) for q in QUANTITIES]
        return Sameness(tuple(found), matching)
    closed = bool(a.constraints or b.constraints)
    count = states if isinstance(states, int) else len(states)
    spare = ATTEMPTS if closed else 1  # some states may not be near any that satisfies the constraints
    drawn = draw(informed(a, b), spare * count if isinstance(states, int) else 0, seed)
    first = drawn.system
    unlike = unlike_functions(a, b)
    second = draw(informed(b, first, unlike), 0, seed).system
    ours = drawn.states if isinstance(states, int) else tuple(complete_state(first, s, seed) for s in states)
    _ = bound(first, ours).environments  # refuses unknown names and values that are no numbers
    theirs = tuple(complete_state(second, matching.translated(s, second), seed) for s in ours)
    found = _trees(first.opened(), second.opened(), ours[:count], theirs[:count], matching, formalisms, cost)
    if unlike:
        said = ", ".join(f"{name} of B for {own} of A" for name, own in unlike.items())
        why = f"functions without a formula have other names; taken for the same: {said}"
        found.append(Comparison("A", "B", "functions", "not checked", explanation=why))
    held = None
    if closed:
        solving, _ = _chosen(first, second, formalisms, closed=True)
        held = compare_constraints(first, second, ours, theirs, count, matching, solving, seed, cost)
        found += held.comparisons
    proved, (deriving, _) = None, _chosen(first.opened(), second.opened(), formalisms)
    if deriving and not unlike and verdict(found) == "agrees":
        proved = proof(first, second, matching.pairs, deriving[0], seed)
    same = Sameness(tuple(found), matching, drawn.diagnostics, held.states if held else None, proof=proved)
    if simulate is None:
        return same
    given = None if isinstance(states, int) else ours
    moving, _ = _chosen(first, second, formalisms, closed)
    return _in_motion(same, first, second, given, ours[0], moving, simulate, seed)


def _in_motion(
    same: Sameness, first: System, second: System, given: Sequence[State] | None, known: State,
    formalisms: Sequence[Formalism], span: float, seed: int,
) -> Sameness:  # fmt: skip
    """The evidence with motions of both from corresponding states: A's, or its own and one that is drawn near it."""
    from .trajectories import starts_of  # not before: it needs packages of an extra
    from .trajectories.same import same_motion

    def translated(state: State) -> State:
        return complete_state(second, same.matching.translated(state, second), seed)

    starts = starts_of(first, given, known, seed)
    tolerances = [c.tolerance for c in same.comparisons if c.verdict == "agrees" and c.tolerance]
    cond = float(np.max(scales(Kinematics(first.opened(), bound(first, [known]))).cond, initial=1.0))
    room = max(tolerances, default=0.0) * (cond if np.isfinite(cond) else 1.0)
    found, horizon = same_motion(
        first, second, same.matching.order(second), starts, translated, formalisms, span, room, seed
    )
    return replace(same, comparisons=(*same.comparisons, *found), horizon=horizon)


def _imposed_by_one(a: System, b: System, matching: Matching) -> str:
    """Which coordinates have their accelerations imposed in one of the models only; empty where none has."""
    names = dict(matching.pairs)
    ours, theirs = {names.get(name, name): name for name in imposed(a)}, imposed(b)
    found = [f"that of {ours[name]} in A only" for name in ours if name not in theirs]
    found += [f"that of {name} in B only" for name in theirs if name not in ours]
    return f"a drive imposes an acceleration in one of the models: {', '.join(found)}" if found else ""


def _trees(
    first: System, second: System, ours: Sequence[State], theirs: Sequence[State], matching: Matching,
    names: Sequence[str] | None, cost: Numbers,
) -> list[Comparison]:  # fmt: skip
    """The quantities of two open trees by the first formalisms that take both."""
    chosen, refusals = _chosen(first, second, names)
    if not chosen:
        why = "; ".join(dict.fromkeys(map(str, refusals)))
        return [Comparison("A", "B", q, "not checked", explanation=why) for q in QUANTITIES]
    ours, theirs = bound(first, ours), bound(second, theirs)
    size, order = scales(Kinematics(first, ours)), matching.order(second)
    found: list[Comparison] = []
    room: dict[str, Array] = {}
    for formalism in chosen:
        compared, bounds = _compared(formalism, first, second, ours, theirs, order, size, cost)
        found, room = found + compared, room | bounds
    return found + _fields(first, second, ours, theirs, order, size, room)


def _compared(
    formalism: Formalism, first: System, second: System, ours: Sequence[State], theirs: Sequence[State],
    order: list[int], size: Scales, cost: Numbers,
) -> tuple[list[Comparison], dict[str, Array]]:  # fmt: skip
    """The comparisons, and by quantity what the numbers of the two may make of it."""
    x = trial(first, ours, [formalism], given=inputs(first, ours, numbers=cost))
    y = trial(second, theirs, [formalism], given=inputs(second, theirs, numbers=cost))
    found = [
        replace(c, a=f"{which}, {formalism.name}")
        for which, made in (("A", x), ("B", y))
        for c in made.failures()
    ]
    if found:
        return found, {}
    left, right = x.evaluations[formalism.name], y.evaluations[formalism.name]
    room = converted_room(size)
    bounds = {name: x + room[name] for name, x in left.bounds.items() if name in room}
    one = replace(left, formalism=f"A, {formalism.name}", bounds=bounds)
    other = reordered(right, order, f"B, {formalism.name}")
    both = {name: x + other.bounds[name] for name, x in bounds.items() if name in other.bounds}
    return _quantities(one, other, size, ours, first), both


def _fields(
    first: System,
    second: System,
    ours: Sequence[State],
    theirs: Sequence[State],
    order: list[int],
    size: Scales,
    room: Mapping[str, Array],
) -> list[Comparison]:
    """The quantities by the direct witness, which shares nothing with the formalisms: none where it does not know
    a feature of the models. What their numbers may make of them is that by a formalism, which has bounds."""
    if obstacles(first) or obstacles(second):
        return []
    one = replace(direct(first, ours), formalism=f"A, {DIRECT}", bounds=dict(room))
    return _quantities(one, reordered(direct(second, theirs), order, f"B, {DIRECT}"), size, ours, first)


def _quantities(
    one: Evaluation, other: Evaluation, size: Scales, states: Sequence[State], first: System
) -> list[Comparison]:
    wanted = (*QUANTITIES, *SOLVED) if imposed(first) else QUANTITIES
    return [
        compare_quantity(one, other, quantity, size, states, first.coordinate_names)
        for quantity in wanted
        if quantity in one.quantities and quantity in other.quantities
    ]


def _chosen(
    first: System, second: System, names: Sequence[str] | None, closed: bool = False
) -> tuple[list[Formalism], list[Obstacle]]:
    """The first formalisms that take both models, with their constraints or as trees; the others' obstacles."""
    chosen: list[Formalism] = []
    obstacles: list[Obstacle] = []
    for name in names or registry.names():
        formalism = registry.formalism(name)
        of = formalism.constraint_obstacles if closed else formalism.obstacles
        found = (*of(first), *of(second))
        obstacles += found
        if not found and (names or len(chosen) < WITNESSES):
            chosen.append(formalism)
    return chosen, obstacles
