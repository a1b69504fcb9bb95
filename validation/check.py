"""Check one model: every formalism that can take it, all pairs compared at random states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.ranges import require_ranges
from mbconcord.model.derivation import EFFORT, QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, error
from mbconcord.model.elastic.turns import require_within
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import RangeError
from mbconcord.model.expressions.collector import no_search_for_cycles
from mbconcord.model.instance import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System

from .claims import DEFAULT, Claim, chosen
from .constraints.agreement import OWN
from .constraints.closed_states import closed_states
from .constraints.drives import require_free
from .constraints.motion import ConstrainedTrial, constrained_trial, unchecked
from .constraints.refereed_floats import SOLUTION
from .exact.agreement import Asked, Mode, exactly, exactly_closed
from .judge.agreement import judged
from .judge.evidence import NOTHING_COMPARED, Comparison, Evidence, all_zero
from .judge.plausible import plausible
from .judge.size import require_links, require_size, too_large
from .judge.states import complete_state, draw
from .judge.trial import Text, Trial, trial
from .links.check import check_links
from .maximal.witness import held
from .peers import Original, takes_model, witnessed
from .progress import counted


@dataclass(frozen=True)
class Wanted:
    """What is asked of a check; see :func:`check`. ``asked`` are the formalisms."""

    file: str
    asked: Sequence[Formalism]
    states: int
    seed: int
    given: Sequence[State] | None
    claims: Sequence[str]
    physics: Policy
    original: Original | None
    exact: Mode
    count: bool

    @property
    def derived(self) -> bool:
        """Whether derivatives are asked for."""
        return DERIVATIVES in self.claims


def check(
    system: System,
    file: str = "-",
    formalisms: Sequence[str | Formalism] | None = None,
    states: int = 10,
    seed: int = 0,
    given: Sequence[State] | None = None,
    claims: Sequence[str] = DEFAULT,
    physics: Policy = "error",
    original: Original | None = None,
    exact: Mode = "auto",
    simulate: float | None = None,
    count: bool = True,
    per_link: bool | None = None,
) -> Evidence:
    """Evidence about a model: where the formalisms agree, where they do not, and what was not checked.

    Parameters
    ----------
    system : System
    file : name for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : how many states are drawn, and from what
    given : states to use instead of drawn ones; parameters without value are still drawn
    claims : names of the claims that are checked beside the agreement of the formalisms; ``all`` is every one
    physics : what is made of masses and inertias that no body has: ``error``, ``warn`` (they stand in the evidence),
        ``ignore``
    original : the text that the model was read from, and the programs that read it themselves and are witnesses
    exact : whether equations are proved to be the same functions: ``auto`` where that costs no more than
        :data:`.exact.agreement.BUDGET` operations, ``on``, ``off``
    simulate : seconds over which its motions are evidence, too; None: they are not
    count : whether the operations of every formalism are counted
    per_link : whether recursions are compared link by link and no equations derived (:mod:`.links.check`); None: of
        open trees of more coordinates than whole equations are compared of

    Raises
    ------
    ModelError
        A body is physically impossible, and that is to be refused; a drive imposes what constraints fix.
    NumbersError
        A state names what the model does not have, or some value is no number.
    MbconcordError
        There is no formalism of a given name.
    """
    if per_link or (per_link is None and too_large(system) and not system.constraints):
        beside = {
            "simulate": simulate is not None,
            "against": bool(original and original.programs),
            "claims": bool(claims) and tuple(claims) != DEFAULT,
        }
        return _per_link(system, file, formalisms, states, seed, given, physics, exact, original, beside)
    require_size(system, states if given is None else 1)
    require_ranges(system)
    asked = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    wanted = Wanted(file, asked, states, seed, given, claims, physics, original, exact, count)
    # What is no number is told by its verdict.
    with np.errstate(all="ignore"), no_search_for_cycles():
        evidence = check_closed(system, wanted) if system.constraints else check_tree(system, wanted)
    return evidence if simulate is None else in_motion(evidence, asked, given, simulate)


def _per_link(
    system: System, file: str, formalisms: Sequence[str | Formalism] | None, states: int, seed: int,
    given: Sequence[State] | None, physics: Policy, exact: Mode, original: Original | None, beside: Mapping[str, bool],
) -> Evidence:  # fmt: skip
    """Evidence link by link, by formalisms that are named or all that have steps of links.

    Recursions give nothing else: what is asked for beside them is refused.
    """
    for what, asked in beside.items():
        if asked:
            message = "a model that is checked link by link is compared by its recursions alone"
            raise MbconcordError(error(what, message, "leave it out, or check a part of the model"))
    require_links(system, states if given is None else len(given))
    require_ranges(system)
    found = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    able = found if formalisms else [f for f in found if f.steps]
    with np.errstate(all="ignore"):
        evidence = check_links(system, file, able, states, seed, given, physics, exact)
    return replace(evidence, read_once=original is not None)  # no claim reads its text anew


def in_motion(
    evidence: Evidence, asked: Sequence[Formalism], given: Sequence[State] | None, span: float
) -> Evidence:
    """Evidence with what motions of the model say, from given states, or from its own and one that is drawn near it."""
    from .trajectories import moving, starts_of  # not before: it needs packages of an extra

    system, known = evidence.system, next(iter(evidence.states), State())
    starts = starts_of(system, given, known, evidence.seed)
    found, notes, horizon = moving(system, asked, starts, span, evidence.seed)
    return replace(
        evidence, comparisons=(*evidence.comparisons, *found), diagnostics=(*evidence.diagnostics, *notes),
        horizon=horizon,
    )  # fmt: skip


def check_tree(system: System, wanted: Wanted) -> Evidence:
    """Evidence about an open tree."""
    given, seed = wanted.given, wanted.seed
    drawn = draw(system, wanted.states if given is None else 0, seed)
    chosen = drawn.states if given is None else tuple(complete_state(system, s, seed) for s in given)
    warned = plausible(drawn.system, chosen, wanted.physics)
    at = with_numbers(drawn.system, chosen)
    require_within(drawn.system, at)
    made = trial(drawn.system, at, wanted.asked, count=wanted.count)
    made = replace(made, text=_text(wanted.original))
    watched, notes = claimed(made, wanted.claims)
    others, told = witnessed(made, wanted.original, wanted.derived)
    agreed = exactly(judged(made), made.equations, Asked(wanted.exact, seed, system))
    found = (*agreed, *others, *watched)
    said = (*warned, *drawn.diagnostics, *told, *notes, *of_zeros(found))
    once = read_once(wanted, found)
    return Evidence(wanted.file, drawn.system, seed, chosen, made.witnesses, found, said, read_once=once)


def check_closed(system: System, wanted: Wanted) -> Evidence:
    """Evidence about a model with constraints: of its open tree, and of its motion with them.

    All states satisfy the constraints. Accelerations of the open tree are none of the model and are left out.
    """
    closed = closed_states(system, wanted.states, wanted.seed, wanted.given)
    if closed.assembly:
        require_free(closed.system, closed.assembly)
    warned = plausible(closed.system, closed.states, wanted.physics)
    at = with_numbers(closed.system, closed.states)
    require_within(closed.system, at)
    tree = trial(closed.system.opened(), at, wanted.asked, count=wanted.count)
    evaluations = {name: _of_tree(e) for name, e in tree.evaluations.items()}
    assembly = replace(closed.assembly, states=at) if closed.assembly and not closed.missing else None
    tree = replace(
        tree, evaluations=evaluations, closed=closed.system, assembly=assembly, text=_text(wanted.original)
    )
    watched, silent = claimed(tree, wanted.claims)
    others, told = witnessed(tree, wanted.original, wanted.derived)
    agreed = judged(tree, tuple(q for q in QUANTITIES if q not in SOLVED))
    found = (*exactly(agreed, tree.equations, Asked(wanted.exact, wanted.seed, system)), *others, *watched)
    witnesses = tree.witnesses
    if assembly:
        motion = constrained_trial(closed.system, assembly, wanted.asked, witnesses)
        motion = replace(motion, known=tree.measure)
        compared, quiet = _of_motion(motion, tree, wanted.claims)
        proved = exactly_closed(compared, motion, Asked(wanted.exact, wanted.seed))
        found, witnesses, silent = (*found, *proved), motion.witnesses, (*silent, *quiet)
    else:
        found = (*found, *unchecked(closed.missing))
    notes = (*warned, OF_THE_TREE, *told, *closed.diagnostics, *silent, *of_zeros(found))
    once = read_once(wanted, found)
    return Evidence(
        wanted.file, closed.system, wanted.seed, closed.states, witnesses, found, notes, read_once=once
    )


def read_once(wanted: Wanted, found: Sequence[Comparison]) -> bool:
    """Whether the claim that reads the text anew was asked, and neither it nor another program read it."""
    original = wanted.original
    if original is None or not any(claim.name == REREADS for claim in chosen(wanted.claims)):
        return False
    others = {REREADS, *(name for name in original.programs if not takes_model(name))}
    return not any(c.claim in others and c.verdict != "not checked" for c in found)


def _text(original: Original | None) -> Text | None:
    """The text for a second reading."""
    if original is None:
        return None
    folder = "" if original.file in ("", "-") else str(Path(original.file).parent)
    return Text(original.text, original.format, original.changed, folder)


def _of_motion(
    motion: ConstrainedTrial, tree: Trial, claims: Sequence[str]
) -> tuple[list[Comparison], tuple[Diagnostic, ...]]:
    """What is compared of a motion with constraints, and notes on formalisms whose own solution cannot be."""
    found = motion.comparisons()
    if any(claim.name == FLOATS for claim in chosen(claims)):
        found += [replace(c, claim=FLOATS) for c in motion.floats()]
    if any(claim.name == FREE for claim in chosen(claims)):
        found += [replace(c, claim=FREE) for c in held(tree, motion)]
    unsaid = (OWN, SOLUTION)
    quiet = [c for c in found if (c.quantity in unsaid or c.claim == FREE) and c.verdict == "not checked"]
    notes = (
        Diagnostic("note", f"claims/{c.claim}", f"says nothing of {c.quantity}: {c.explanation}")
        if c.claim
        else Diagnostic("note", c.a, f"says nothing of its {OWN}: {c.explanation}")
        for c in quiet
    )
    return [c for c in found if c not in quiet], tuple(dict.fromkeys(notes))


#: What is solved for, with the constraints where there are any.
SOLVED = ("acceleration", EFFORT)
#: Said of every model with constraints.
OF_THE_TREE = Diagnostic(
    "note", "constraints", "M, h, gravity, applied and inverse_dynamics are those of the open tree"
)


def of_zeros(found: Sequence[Comparison]) -> tuple[Diagnostic, ...]:
    """Why zeros that agree with zeros are no agreement, where there is nothing else."""
    return (Diagnostic("warning", "", NOTHING_COMPARED),) if all_zero(found) else ()


def _of_tree(evaluation: Evaluation) -> Evaluation:
    kept = {name: x for name, x in evaluation.quantities.items() if name not in SOLVED}
    return replace(evaluation, quantities=kept)


#: Claims that watch what every witness shares: where one of them says nothing, the model is not checked.
FLOATS = "float_evaluation"
#: The claim of derivatives: programs that have them are asked for theirs.
DERIVATIVES = "derivatives"
FREE = "maximal"
REREADS = "second_reading"
WATCHING = frozenset({FLOATS, "fields"})


def claimed(made: Trial, names: Sequence[str]) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """What claims say of a trial, each comparison with the name of its claim; and notes on those that do not apply."""
    asked = counted("claim", chosen(names), lambda claim: claim.name)
    found = [replace(c, claim=claim.name) for claim in asked for c in _said(claim, made)]
    silent = [c for c in found if c.verdict == "not checked" and c.claim not in WATCHING]
    notes = dict.fromkeys(
        Diagnostic("note", f"claims/{c.claim}", f"says nothing of {c.quantity}: {c.explanation}")
        for c in silent
    )
    return tuple(c for c in found if c not in silent), tuple(notes)


def _said(claim: Claim, made: Trial) -> list[Comparison]:
    """What a claim says; nothing, with the reason, where a number is beyond the range of floats."""
    try:
        return claim.check(made)
    except RangeError as problem:
        return [Comparison("", "", claim.name, "not checked", explanation=str(problem))]


def with_numbers(system: System, states: Sequence[State]) -> Instance:
    """The states with their numbers; raise where a value is no number at one of them."""
    made = Instance(system, states)
    _ = made.environments
    return made
