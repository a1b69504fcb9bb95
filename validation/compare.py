"""Comparison of two models as one machine: coordinates matched, dynamics compared at the same states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.coordinate import Effort
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Diagnostic, NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions.field import IDENTICAL
from mbconcord.model.force import JointEffort
from mbconcord.model.limits import count, line
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.normal_forces import list_normal_forces
from mbconcord.model.numbers import bind_states
from mbconcord.model.omission import REACHED, Omission, format_acting, format_counts
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from .judge.closed.closed_states import ATTEMPTS
from .judge.closed.sameness import CONSTRAINTS, compare_constraints
from .judge.comparison import ILL_CONDITIONED
from .judge.evidence import (
    CONSTRAINED,
    NOTHING_COMPARED,
    Comparison,
    LargestDifference,
    Overall,
    Verdict,
    all_zero,
    headline,
    overall,
    verdict,
)
from .judge.exact.sameness import Proof, ProofSides, proof, sides
from .judge.kinematics import TreeKinematics
from .judge.left_out import SHAPE, LeftOut, OmissionDifference, differences, equal_texts
from .judge.matching import Matching, fill_open_values, match, names_that_decide, reorder, short_list, unlike_functions
from .judge.other_values import find_common, object_elsewhere
from .judge.pair import NAMES, QUANTITIES, ModelPair, compare_quantities, compare_sides
from .judge.pair_scales import MovingMass, describe_masses, find_masses, scales_of_pair
from .judge.scale import Scales, scales
from .judge.states import complete_state, draw
from .judge.tolerances import Horizon
from .judge.trial import require_size
from .judge.uncertainty import SINGLE, Numbers, conversion_error, foreign, name_digits, with_named_numbers
from .witnesses.direct.energies import carried_mass
from .witnesses.direct.formulas import bind
from .witnesses.direct.tree import NAME as DIRECT
from .witnesses.direct.tree import DirectTree, direct, obstacles

#: How many formalisms derive both models; one would do, two guard against a fault that hides a difference.
WITNESSES = 2
#: Initial positions and rates so near each other are the same.
CLOSE = 1e-9
#: Frames are compared at so many states.
STATES_OF_FRAMES = 8
#: Frames this near each other, of what their positions are made of, are one.
CLOSE_FRAMES = 1e-12
#: Masses that move, and their first moments, summed twice, are apart by no more than this part of them.
SUMMED = 1e-9
#: So many differences between what two models leave out are printed.
MOST_DIFFERENCES = 10


@dataclass(frozen=True)
class PrintedDigits:
    """Evidence that rounding of the numbers printed explains the whole difference.

    Attributes
    ----------
    digits : significant digits of the coarser file; 7.2 for single precision
    coarsest : the number whose last printed digit contributes most to the difference, in words
    parts : quantity -> its largest difference and its largest bound, both relative to the quantity's scale
    """

    digits: float
    coarsest: str
    parts: Mapping[str, tuple[float, float]]

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --json``."""
        parts = {name: {"difference": x, "bound": bound} for name, (x, bound) in self.parts.items()}
        return {"digits": self.digits, "coarsest": self.coarsest, "quantities": parts}

    def __str__(self) -> str:
        said = (f"{name} {x:.1e} (bound {bound:.1e})" for name, (x, bound) in self.parts.items())
        return f"within {name_digits(self.digits)}, of scale: {'; '.join(said)}"


@dataclass(frozen=True, repr=False)
class Sameness:
    """Evidence that two models are the same machine, or the entry and state where they differ most.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Per quantity and formalism; ``a`` and ``b`` are the two models, entries are A's coordinates.
    matching : Matching
        The pairs of coordinates of A and B, and how they were found.
    diagnostics : tuple of Diagnostic
        Notes on random choices.
    closed : int or None
        Number of states that satisfy the constraints of both; None for models without.
    left_out : LeftOut
        Omissions of the models' readers.
    differences : tuple of Difference
        Differences between the omissions of A and those of B.
    proof : Proof or None
        Whether the equations of both are proved to be the same functions; None where they do not agree, or no
        formalism takes both.
    horizon : Horizon or None
        End of the compared motions.
    apart : tuple of str
        A's coordinates whose initial positions or rates differ between the models; motions of both were then compared
        from A's initial state.
    masses : tuple of MovingMass
        Moving mass and its centre, of A and of B; empty if their parameters have no values.
    freed : str
        Note: which welded root was freed like the other's, how far the base frames of two free roots are apart, or at
        which instant a conversion fixed the model; empty if there is none.
    elements : tuple of Omission
        Omissions of both with equal texts, parameters and poses of the bodies that they join: these are no difference.
    alike : tuple of str
        Coordinates of A whose dry friction both models leave out and both texts give alike: this is no difference.
    softened : tuple of str
        Those of ``alike`` with Coulomb's law in one text and MuJoCo's soft constraint of the same size in the other.
    limits : tuple of str
        Joints whose limits differ, with the limits in A and in B; equations of motion do not contain limits.
    printed : PrintedDigits or None
        Evidence that the two differ by the digits printed alone.
    idle : tuple of str
        A's coordinates that move nothing with inertia, force or constraint: their joints are not compared.
    """

    comparisons: tuple[Comparison, ...]
    matching: Matching
    diagnostics: tuple[Diagnostic, ...] = ()
    closed: int | None = None
    left_out: LeftOut = field(default_factory=LeftOut)
    differences: tuple[OmissionDifference, ...] = ()
    proof: Proof | None = None
    horizon: Horizon | None = None
    apart: tuple[str, ...] = ()
    masses: tuple[MovingMass, ...] = ()
    freed: str = ""
    elements: tuple[Omission, ...] = ()
    alike: tuple[str, ...] = ()
    softened: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    printed: PrintedDigits | None = None
    idle: tuple[str, ...] = ()

    def __repr__(self) -> str:
        compared = dict.fromkeys(c.quantity for c in self.comparisons if c.verdict != "not checked")
        return line(type(self).__name__, "", self.headline, f"{', '.join(compared) or 'nothing'} compared")

    @property
    def verdict(self) -> Overall:
        """``disagrees`` if a comparison does, or if an element that both leave out is attached to frames that differ.

        ``not checked`` if a comparison is not, or if the models leave out different things that act on the motion, else
        ``agrees``: "after matching" if coordinates were matched by structure, "in part" where both leave out the same.
        """
        if any(d.moved for d in self.differences):
            return "disagrees"
        found = "agrees" if self.printed else verdict(self.comparisons)
        if found == "agrees" and any(d.acts for d in self.differences):
            return "not checked"
        whole = overall(found, self.left_out, self.matching.words)
        return "agrees to digits" if self.printed and whole == "agrees" else whole

    @property
    def stands(self) -> bool:
        """True if they are the same machine, except for accepted omissions of both.

        If the matching was searched, it must be the only possible one, and the equations must be proved identical.
        """
        return self.verdict.startswith("agrees") and self.left_out.stands and self.is_matched

    @property
    def is_matched(self) -> bool:
        """True if the coordinates were matched by names or by the user, or in one way only, and that is proved."""
        proved = self.proof is not None and self.proof.exact.kind == IDENTICAL and not self.proof.rows
        return not self.matching.searched or (self.matching.is_unique and proved)

    @property
    def worst(self) -> Comparison:
        """The comparison that decides the verdict: of those with this verdict, the largest relative to its tolerance.

        Where only zeros agree the whole is "not checked", though no single comparison has this verdict.
        """
        found = verdict(self.comparisons)
        deciding = [c for c in self.comparisons if c.verdict == found]
        return max(deciding or self.comparisons, key=lambda c: c.excess)

    @property
    def largest(self) -> tuple[LargestDifference, ...]:
        """The largest difference of every quantity in units of the pair's scale, whatever decides the verdict."""
        found: dict[str, LargestDifference] = {}
        for c in self.comparisons:
            if c.largest and c.largest.of_scale >= getattr(found.get(c.quantity), "of_scale", 0.0):
                found[c.quantity] = c.largest
        return tuple(found.values())

    @property
    def headline(self) -> str:
        """The verdict in words: ``the same machine without 19 contacts, 1 bushing``; for motions with the end time."""
        said, printed = _SAID[self.verdict], self.printed
        if printed and self.verdict.startswith("agrees"):
            coarsest = "" if printed.digits == SINGLE else f", the coarsest: {printed.coarsest}"
            said = f"{said} to {name_digits(printed.digits)}{coarsest}"
        found = headline(said, self.verdict, self.left_out, self.matching.words, self._count_by_sides())
        if self.elements and self.verdict.startswith("agrees"):
            found = f"{found}, {format_acting(self.elements)} equal as texts on equal frames"
        found = f"{found} ({self.freed})" if self.freed else found
        if self.matching.root:
            first, last = self.matching.root[0], self.matching.root[-1]
            found = f"{found}, free roots matched: {first[0]} to {last[0]} = {first[1]} to {last[1]}"
        if self.idle and self.verdict.startswith("agrees"):
            unseen = "is not compared: nothing with inertia, force or constraint"
            found = f"{found}; what {short_list(self.idle)} moves {unseen}"
        if self.softened and self.verdict.startswith("agrees"):
            laws = "by Coulomb's law in one, in the other MuJoCo's soft constraint of the same size"
            found = f"{found} but for dry friction along {short_list(self.softened)}: {laws}"
        if self.verdict.startswith("agrees"):
            found += self._count_beside()
        moved = f"{found}, {self.horizon.words}" if self.horizon else found
        return f"{moved}; of themselves they begin apart along {short_list(self.apart)}" if self.apart else moved

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --json``."""
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
            "freed": self.freed,
            "elements": [omission.place for omission in self.elements],
            "alike": list(self.alike),
            "softened": list(self.softened),
            "limits": list(self.limits),
            "idle": list(self.idle),
            "printed": self.printed.to_json() if self.printed else None,
            "masses": [m.to_json() for m in self.masses],
            "largest": {d.quantity: d.to_json() for d in self.largest},
            "pairs": [c.to_json() for c in self.comparisons],
            "diagnostics": [str(d) for d in self.diagnostics],
            "closed_states": self.closed,
            "exact": self.proof.to_json() if self.proof else None,
        } | ({"simulated": self.horizon.to_json()} if self.horizon else {})

    def __str__(self) -> str:
        lines = [self.headline, *self._describe_omitted()]
        lines += [self.proof.describe(self.verdict != "disagrees")] if self.proof else []
        lines += [describe_masses(*self.masses)] if self.masses else []
        lines += [f"largest difference, of scale: {'; '.join(map(str, self.largest))}"] if self.largest else []
        if self.matching.pairs:
            pairs = ", ".join(a if a == b else f"{a} = {b}" for a, b in self.matching.pairs)
            lines.append(f"coordinates matched by {self.matching.by}: {pairs}")
        if self.matching.searched:
            told = f"nobody told this matching (where it is meant: --coordinates {self.matching.setting})"
            proved = "no other matching has its structure, and with it the equations are proved identical"
            lines.append(proved if self.is_matched else told)
        if self.closed is not None:
            compared = dict.fromkeys(c.quantity for c in self.comparisons if c.verdict != "not checked")
            trees, closed = (
                ", ".join(q for q in compared if (q in QUANTITIES) == tree) or "nothing" for tree in (True, False)
            )
            lines.append(f"compared as open trees: {trees}")
            lines.append(f"compared at {count(self.closed, 'state')} on the constraints of both: {closed}")
        if self.horizon is not None:
            lines.append(f"in motion {self.horizon.explain()}")
        worst, moved = self.worst, any(d.moved for d in self.differences)
        lines += [str(self.printed)] if self.printed else []
        decides = not self.printed and not moved
        if decides and worst.discrepancy is not None and worst.state is not None and worst.values is not None:
            at = f"[{', '.join(worst.entry)}]" if worst.entry else ""
            lines.append(
                f"decided by {worst.quantity}{at} {worst.values[0]:.17g} and {worst.values[1]:.17g}, "
                f"{worst.discrepancy:.2e} of its terms (tolerance {worst.tolerance:.2e})"
            )
            if self.verdict == "disagrees":
                lines.append(f"at the state {worst.state.to_json()}")
        if all_zero(self.comparisons):
            lines.append(NOTHING_COMPARED)
        broken = (c for c in self.comparisons if c.quantity == CONSTRAINTS and c.verdict == "disagrees")
        lines += dict.fromkeys(c.explanation for c in (worst, *broken) if c.explanation)
        return "\n".join(lines)

    def _count_by_sides(self) -> str:
        """Write the numbers of elements left out of A only, of B only and of both; empty if both leave out all."""
        alone = {(d.place, d.kind): "A only" if d.second is None else "B only" for d in self.differences if d.is_alone}
        sides: dict[str, list[Omission]] = {}
        for omission in self.left_out.omissions:
            if omission.acts:
                sides.setdefault(alone.get((omission.place, omission.kind), "both"), []).append(omission)
        said = (f" of {side}: {format_acting(omissions)}" for side, omissions in sorted(sides.items()))
        return "" if {*sides} == {"both"} else ",".join(said)

    @property
    def _beside(self) -> list[OmissionDifference]:
        """Differences between omissions that act only where the motion reaches them, and that enter no equation."""
        return [d for d in self.differences if d.kind in REACHED and not (d.acts or d.moved)]

    def _count_beside(self) -> str:
        """Write for the headline the numbers of differences that act only where reached; empty if there are none."""
        # shapes of other formats have other texts, and nothing compares them
        found = Counter(d.kind for d in self._beside if d.kind != SHAPE) + Counter({"joint-limit": len(self.limits)})
        return f"; where the motion reaches them, these differ: {format_counts(found)}" if found else ""

    def _describe_omitted(self) -> Iterator[str]:
        """Yield lines on the omissions of both models, on whether these were accepted, and on omissions that differ."""
        if same := [name for name in self.alike if name not in self.softened]:
            yield f"dry friction is in no equation and the same in both texts: {short_list(same)}"
        if self.softened:
            yield f"dry friction is in no equation, of the same size and not the same law: {short_list(self.softened)}"
        yield from self.limits
        if said := self.left_out.describe_acceptance():
            yield f"what is left out is {said}"
        for said, found in (
            ("not the same is left out of the two:", [d for d in self.differences if d.acts]),
            ("not the same where the motion reaches it, beside the equations:", self._beside),
        ):
            if found:
                yield said
                yield from (f"  {d}" for d in found[:MOST_DIFFERENCES])
            if len(found) > MOST_DIFFERENCES:
                yield f"  and {len(found) - MOST_DIFFERENCES} more"


_SAID: dict[Overall, str] = {
    "agrees": "the same machine",
    "agrees to digits": "the same machine",
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

    Coordinates are matched as given, then by name, then by structure; parameters and functions without value in one
    model are taken from the other by name, and those without value in both are drawn, the same for both.

    Parameters
    ----------
    a, b : System
    states : number of random states, or states of A
    seed : seed of random choices
    formalisms : their names; None: the first two that take both models, or that solve their constraints
    coordinates : coordinate of A -> matching coordinate of B, for the pairs that the user gives
    printed : whether another program may have printed the numbers, and rounded those of 8 to 15 digits
    simulate : seconds over which their motions are compared, too; None: they are not

    Raises
    ------
    NumbersError
        A state or the pairs of coordinates have an unknown name; the models' normal forces belong to different parts.
    """
    _require_same_normal_forces(a, b)
    for system in (a, b):
        require_size(system, states if isinstance(states, int) else 1)
    require_ranges(a)
    require_ranges(b)
    pair, cost = ((with_named_numbers(a), with_named_numbers(b)), foreign) if printed else ((a, b), conversion_error)
    named = {p.name for system in (a, b) for p in system.parameters}
    found = _compare(*pair, match(*pair, coordinates), states, seed, formalisms, cost, simulate, named)
    masses = () if obstacles(a) or obstacles(b) else find_masses(*pair)
    found = replace(found, comparisons=(*found.comparisons, *_sum_masses_again(pair, masses)))
    return replace(compare_omissions(found, a, b), masses=masses)


def _require_same_normal_forces(a: System, b: System) -> None:
    """Refuse models whose normal forces are of other joints or rows: their equations have these as parameters.

    Refuse also parameters that vary in only one of the models, or by different formulas.
    """
    laws, others = ({p.name: p.varies for p in system.parameters if p.varies is not None} for system in (a, b))
    for name in [n for n in (*laws, *others) if laws.get(n) != others.get(n)][:1]:
        of = [f"as {x[name]}" if name in x else "not at all" for x in (laws, others)]
        message = f"varies in A {of[0]}, in B {of[1]}: equations are compared with it as a parameter"
        raise NumbersError(error(f"parameters/{name}", message, "give both the same formula, or numbers"))
    ours, theirs = ({p.name: p.normal for p in list_normal_forces(system)} for system in (a, b))
    for name in [n for n in (*ours, *theirs) if ours.get(n) != theirs.get(n)][:1]:
        of = [f"that of {x[name]}" if name in x else "none" for x in (ours, theirs)]
        message = f"is a normal force, in A {of[0]}, in B {of[1]}: equations are compared with it as a parameter"
        raise NumbersError(error(f"parameters/{name}", message, "declare it in both, of parts of the same name"))


def _sum_masses_again(pair: Sequence[System], masses: Sequence[MovingMass]) -> Iterator[Comparison]:
    """Yield a disagreement for each model whose moving mass or centre is not the direct witness's sum."""
    for name, one, other, told in zip("AB", pair, pair[::-1], masses, strict=False):
        system = fill_open_values(one, other).open_loops()
        zero = dict.fromkeys(system.coordinate_names, 0.0)
        tree = DirectTree(system, bind(system, [State(0.0, zero, zero)], at_rest=True))
        (mass,), (moment,) = carried_mass(tree)
        apart = np.abs(moment - told.mass * np.array(told.centre or (0.0, 0.0, 0.0)))
        if abs(mass - told.mass) > SUMMED * mass or (apart > SUMMED * (mass + np.abs(moment).sum())).any():
            why = f"the mass that moves is {told.mass:.9g} kg, and {mass:.9g} kg by {DIRECT}, or has another centre"
            yield Comparison(name, f"{name}, {DIRECT}", "masses", "disagrees", explanation=why)


def compare_omissions(found: Sameness, a: System, b: System, same: Mapping[str, str] | None = None) -> Sameness:
    """Add the omissions of both and their differences; ``same``: place of an omission in A -> that in B."""
    kept = same or {}
    a = replace(a, omissions=tuple(o for o in a.omissions if o.place not in kept))
    b = replace(b, omissions=tuple(o for o in b.omissions if o.place not in kept.values()))
    return replace(found, left_out=LeftOut(_either(a, b)), differences=differences(a, b))


def find_equal_elements(
    a: System, b: System, matching: Matching, seed: int
) -> tuple[tuple[Omission, ...], tuple[OmissionDifference, ...]]:
    """Return omissions of both that are the same element, and differences: equal texts, but bodies with other poses.

    A text is relative to the frames of bodies that it names: their poses are compared at drawn states of open trees.
    """
    texts = [x for x in equal_texts(a, b) if {*x.bodies} <= {body.name for s in (a, b) for body in s.bodies}]
    if not texts:
        return (), ()
    drawn = draw(fill_open_values(a, b).open_loops(), STATES_OF_FRAMES, seed)
    first, ours = drawn.system, [complete_state(drawn.system, s, seed) for s in drawn.states]
    second = draw(fill_open_values(b, a).open_loops(), 0, seed).system
    theirs = [complete_state(second, matching.translate(s, second), seed) for s in ours]
    one, other = TreeKinematics(first, ours), TreeKinematics(second, theirs)
    apart: dict[str, str] = {}
    for name in dict.fromkeys(name for x in texts for name in x.bodies):
        p, q = one.frame(name), other.frame(name)
        shift = np.linalg.norm(p.position - q.position, axis=-1).max()
        turn = 2 * np.arcsin(np.minimum(1, np.linalg.norm(p.rotation - q.rotation, axis=(-2, -1)) / np.sqrt(8))).max()
        if not shift <= CLOSE_FRAMES * (1 + max(p.path.max(), q.path.max())) or not turn <= CLOSE_FRAMES:
            apart[name] = f"up to {shift:.3g} m and {turn:.3g} rad from it"
    equal = tuple(x for x in texts if not apart.keys() & {*x.bodies})
    moved = tuple(
        OmissionDifference(x.place, x.kind, f"the frame of {name}", apart[name], True, moved=True)
        for x in texts for name in x.bodies if name in apart
    )  # fmt: skip
    return equal, moved


def _either(a: System, b: System) -> tuple[Omission, ...]:
    """List the omissions of A, then those of B alone."""
    ours = {(omission.place, omission.kind) for omission in a.omissions}
    return (*a.omissions, *(omission for omission in b.omissions if (omission.place, omission.kind) not in ours))


def _compare(
    a: System, b: System, matching: Matching, states: int | Sequence[State], seed: int,
    formalisms: Sequence[str] | None, cost: Numbers, simulate: float | None, named: Collection[str],
) -> Sameness:  # fmt: skip
    """Compare the dynamics of two models; ``cost`` is the error of their numbers, ``named`` the authors' parameters."""
    unlike_drives = _imposed_by_one(a, b, matching)
    if matching.reason or unlike_drives:
        why = matching.reason or unlike_drives
        decided: Verdict = "disagrees" if unlike_drives or matching.decides else "not checked"
        found = [Comparison("A", "B", q, decided, explanation=why) for q in QUANTITIES]
        return Sameness(tuple(found), matching)
    closed = bool(a.constraints or b.constraints)
    count = states if isinstance(states, int) else len(states)
    spare = ATTEMPTS if closed else 1  # some states may not be near any that satisfies the constraints
    drawn = draw(fill_open_values(a, b), spare * count if isinstance(states, int) else 0, seed)
    first = drawn.system
    unlike = unlike_functions(a, b)
    second = draw(fill_open_values(b, first, unlike), 0, seed).system
    ours = drawn.states if isinstance(states, int) else tuple(complete_state(first, s, seed) for s in states)
    _ = bind_states(first, ours).environments  # refuses unknown names and values that are no numbers
    theirs = tuple(complete_state(second, matching.translate(s, second), seed) for s in ours)
    found = _trees(first.open_loops(), second.open_loops(), ours[:count], theirs[:count], matching, formalisms, cost)
    found += [
        Comparison("A", "B", NAMES, "not checked", explanation=f"the same only under a condition: {name}")
        for name in names_that_decide(a, b)
    ]
    if unlike:
        said = ", ".join(f"{name} of B for {own} of A" for name, own in unlike.items())
        why = f"functions without a formula have other names; taken for the same: {said}"
        found.append(Comparison("A", "B", "functions", "not checked", explanation=why))
    held = None
    if closed:
        solving, _ = _choose_formalisms(first, second, formalisms, closed=True)
        held = compare_constraints(first, second, ours, theirs, count, matching, solving, seed, cost)
        found += held.comparisons
    proved, (deriving, _) = None, _choose_formalisms(first.open_loops(), second.open_loops(), formalisms)
    if deriving and not unlike and verdict(found) != "disagrees":
        trees, constrained = sides(fill_open_values(a, b), fill_open_values(b, a), matching.pairs, deriving[0])
        pair = ModelPair(first, second, ours[:count], theirs[:count], matching, deriving[0], cost, seed)
        proved = proof(trees, named, seed)
        if proved.exact.kind == IDENTICAL:
            found = [_settle(c) for c in found]
        agreed = verdict(found) == "agrees"
        common = find_common(first, second, named, cost)
        found += pair.beyond(trees, proved, common)

        def unproved(of: ProofSides, at_hand: Proof) -> list[str]:
            open_ = at_hand.exact.kind != IDENTICAL
            return [name for name in common if name in of.reached] if open_ else []

        def compare_trees(one: System, other: System) -> list[Comparison]:
            trees = one.open_loops(), other.open_loops()
            return _trees(*trees, ours[:count], theirs[:count], matching, formalisms, cost)

        def compare_rows(one: System, other: System) -> list[Comparison]:
            made = compare_constraints(one, other, ours, theirs, count, matching, (), seed, cost)
            return [c for c in made.comparisons if c.quantity not in CONSTRAINED]

        found += object_elsewhere(first, second, unproved(trees, proved), compare_trees)
        if closed:
            of_rows = proof(constrained, named, seed)
            if of_rows.exact.kind != IDENTICAL:
                found_again = (proof(written, named, seed) for written in pair.recombine(constrained))
                whole = (p for p in found_again if p.exact.kind == IDENTICAL and not p.only_while)
                of_rows = next(whole, of_rows)
            found += pair.beyond_rows(constrained, of_rows, common)
            found += object_elsewhere(first, second, unproved(constrained, of_rows), compare_rows)
            proved = proved.with_rows(of_rows)
        proved = proved if agreed else None
    idle = tuple(_list_idle(first, ours[:count], solving[:1] if closed else []))
    same = Sameness(tuple(found), matching, drawn.diagnostics, held.states if held else None, proof=proved, idle=idle)
    if simulate is None:
        return same
    given = None if isinstance(states, int) else ours
    moving, _ = _choose_formalisms(first, second, formalisms, closed)
    return _in_motion(same, first, second, given, ours[0], moving, simulate, seed)


def _list_idle(system: System, states: Sequence[State], solving: Sequence[Formalism]) -> Iterator[str]:
    """Yield coordinates whose rows are all zero: they move no inertia, no force and no constraint of the equations.

    Efforts and armatures along the coordinate itself are ignored: they do not depend on the bodies that it moves.
    """
    free = tuple(replace(c, drive=None) if isinstance(c.drive, Effort) else c for c in system.coordinates)
    forces = tuple(force for force in system.forces if not isinstance(force, JointEffort))
    tree, names = replace(system.open_loops(), coordinates=free, forces=forces, armatures=()), system.coordinate_names
    if obstacles(tree) or not names:
        return
    found = direct(tree, bind_states(tree, states)).quantities
    rows = [np.abs(found[q]).reshape(len(states), len(names), -1).sum(axis=(0, 2)) for q in QUANTITIES]
    try:
        motions = [by.constrained_motion(system, states) for by in solving]
    except np.linalg.LinAlgError:  # rows have no value at a state
        return
    rows += [np.abs(motion.D).sum(axis=(0, 1)) for motion in motions if motion]
    yield from (name for name, x in zip(names, sum(rows), strict=True) if x == 0)


def _settle(c: Comparison) -> Comparison:
    """Return "agrees" for a quantity whose functions are proved identical, if rounding left its numbers no digits."""
    ill = c.verdict == "not checked" and c.quantity in QUANTITIES and c.explanation.startswith(ILL_CONDITIONED)
    return replace(c, verdict="agrees", explanation="") if ill else c


def _in_motion(
    same: Sameness, first: System, second: System, given: Sequence[State] | None, known: State,
    formalisms: Sequence[Formalism], span: float, seed: int,
) -> Sameness:  # fmt: skip
    """Add evidence of motions of both from the same states: A's given ones, or A's own and a random one near it."""
    from .claims.motion import starts_of  # not before: it needs packages of an extra
    from .claims.motion.same import same_motion

    def translate(state: State) -> State:
        return complete_state(second, same.matching.translate(state, second), seed)

    starts = starts_of(first, given, known, seed)
    tolerances = [c.tolerance for c in same.comparisons if c.verdict == "agrees" and c.tolerance]
    cond = float(np.max(scales(TreeKinematics(first.open_loops(), bind_states(first, [known]))).cond, initial=1.0))
    room = max(tolerances, default=0.0) * (cond if np.isfinite(cond) else 1.0)
    found, horizon = same_motion(
        first, second, same.matching.order(second), starts, translate, formalisms, span, room, seed
    )
    apart = tuple(_begin_apart(first, second, same.matching, seed))
    return replace(same, comparisons=(*same.comparisons, *found), horizon=horizon, apart=apart)


def _begin_apart(first: System, second: System, matching: Matching, seed: int) -> Iterator[str]:
    """Yield A's coordinates with initial states that differ between the models beyond rounding."""
    one, other = (bind_states(s, [complete_state(s, State(), seed)]).values for s in (first, second))
    for a, b in matching.pairs:
        pairs = ((one[a + mark][0], other[b + mark][0]) for mark in ("", "'"))
        if any(not np.isclose(x, y, rtol=CLOSE, atol=CLOSE) for x, y in pairs):
            yield a


def _imposed_by_one(a: System, b: System, matching: Matching) -> str:
    """Name coordinates with accelerations imposed in only one of the models; empty if none."""
    names = dict(matching.pairs)
    ours, theirs = (
        {names.get(name, name): name for name in find_imposed_accelerations(a)},
        find_imposed_accelerations(b),
    )
    found = [f"that of {ours[name]} in A only" for name in ours if name not in theirs]
    found += [f"that of {name} in B only" for name in theirs if name not in ours]
    return f"a drive imposes an acceleration in one of the models: {', '.join(found)}" if found else ""


def _trees(
    first: System, second: System, ours: Sequence[State], theirs: Sequence[State], matching: Matching,
    names: Sequence[str] | None, cost: Numbers,
) -> list[Comparison]:  # fmt: skip
    """Compare two open trees by the first formalisms that take both."""
    chosen, refusals = _choose_formalisms(first, second, names)
    if not chosen:
        why = "; ".join(dict.fromkeys(map(str, refusals)))
        return [Comparison("A", "B", q, "not checked", explanation=why) for q in QUANTITIES]
    ours, theirs = bind_states(first, ours), bind_states(second, theirs)
    order = matching.order(second)
    size, shown = scales_of_pair(TreeKinematics(first, ours), TreeKinematics(second, theirs), order)
    found: list[Comparison] = []
    room: dict[str, Array] = {}
    for formalism in chosen:
        compared, bounds = compare_sides(formalism, first, second, ours, theirs, order, size, cost, shown)
        found, room = found + compared, room | bounds
    return found + _fields(first, second, ours, theirs, order, (size, shown), room)


def _fields(
    first: System,
    second: System,
    ours: Sequence[State],
    theirs: Sequence[State],
    order: list[int],
    sizes: tuple[Scales, Scales],
    room: Mapping[str, Array],
) -> list[Comparison]:
    """Compare by the direct witness, which shares nothing with the formalisms; empty if it does not take the models.
    ``room`` is the effect of inexact numbers on each quantity, by a formalism, because the witness has no bounds.
    """
    if obstacles(first) or obstacles(second):
        return []
    one = replace(direct(first, ours), formalism=f"A, {DIRECT}", bounds=dict(room))
    return compare_quantities(
        one, reorder(direct(second, theirs), order, f"B, {DIRECT}"), sizes[0], ours, first, sizes[1]
    )


def _choose_formalisms(
    first: System, second: System, names: Sequence[str] | None, closed: bool = False
) -> tuple[list[Formalism], list[Obstacle]]:
    """Choose the first formalisms that take both models, closed or as trees; return the others' obstacles."""
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
