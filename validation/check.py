"""Check of one model: every formalism that takes it, all pairs compared at random states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import CHANGED, Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, error
from mbconcord.model.elastic.rigid import require_within
from mbconcord.model.expressions import ExpressionError, RangeError
from mbconcord.model.expressions.traversal import no_search_for_cycles
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.poses import describe_unreached

from . import witnesses
from .claims import DEFAULT, Claim, choose_claims
from .claims.derived.derivatives import beside_program
from .claims.fields import second_reading
from .judge.agreement import compare, compare_with, judge_motions, judge_pairs, list_unchecked
from .judge.evidence import CONSTRAINED, NOTHING_COMPARED, OWN, SOLUTION, Comparison, Evidence, all_zero
from .judge.exact.proof import Mode, ProofRequest, exactly
from .judge.formalism import FormalismWitness
from .judge.matching import short_list
from .judge.progress import count_progress
from .judge.states import ClosedStates, complete_state, draw
from .judge.trial import SOLVED, Trial, plausible, require_links, require_size, too_large, trial, with_motions
from .judge.witness import Original, Witness
from .witnesses.peers import takes_model
from .witnesses.peers.peer import PeerError
from .witnesses.peers.program import ProgramWitness, by_kinematics, full_name
from .witnesses.text import PRINTED


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
    """Check a model: where the formalisms agree, where they disagree, and what was not checked.

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
        :data:`.exact.proof.BUDGET` operations, ``on``, ``off``
    simulate : seconds over which the model's motions are computed and compared, too; None: no motions
    count : whether the operations of every formalism are counted
    per_link : whether recursions are compared link by link and no equations derived (:mod:`.link_by_link`); None: only
        for open trees with more coordinates than the limit for comparing whole equations

    Raises
    ------
    ModelError
        A body is physically impossible, and the policy refuses it; a drive imposes a motion that constraints fix.
    NumbersError
        A state has an unknown name, or some value is no number.
    MbconcordError
        A formalism is unknown.
    """
    asked = [registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names()]
    # What is no number is told by its verdict.
    with np.errstate(all="ignore"), no_search_for_cycles():
        if per_link or (per_link is None and too_large(system) and not system.constraints):
            from .witnesses.links.link_by_link import check_links  # not before: nothing else compiles recursions

            programs = original is not None and original.programs
            others = bool(claims) and tuple(claims) != DEFAULT
            _require_nothing_beside(simulate=simulate is not None, against=programs, claims=others)
            require_links(system, states if given is None else len(given))
            require_ranges(system)
            able = asked if formalisms else [f for f in asked if f.steps]
            evidence = check_links(system, file, able, states, seed, given, physics, exact)
            return replace(evidence, read_once=original is not None)  # no claim reads its text anew
        require_size(system, states if given is None else 1)
        require_ranges(system)
        at_hand = _choose_states(system, states, seed, given)
        if at_hand.assembly:
            from .judge.closed.closed_states import require_free  # not before: most models have no constraints

            require_free(at_hand.system, at_hand.assembly)
        warned = plausible(at_hand.system, at_hand.states, physics)
        made = _ask(at_hand, asked, original, count, seed)
        found, said = _compare(made, claims, at_hand, ProofRequest(exact, seed, system))
        said += tuple(describe_unreached(at_hand.system, at_hand.states))
    once = read_once(claims, original, found)
    evidence = Evidence(
        file, at_hand.system, seed, at_hand.states, made.witnesses, found, (*warned, *said), read_once=once
    )
    return evidence if simulate is None else in_motion(evidence, asked, given, simulate)


def read_again(system: System, original: Original, seed: int = 0) -> list[Comparison]:
    """Compare a model with a second reading of its text, at drawn states; no formalism is asked."""
    drawn = draw(system, 2, seed)
    closed = drawn.system if system.constraints else None
    try:
        tree = drawn.system.open_loops() if closed else drawn.system
        return second_reading(trial(tree, with_numbers(drawn.system, drawn.states), (), closed=closed, text=original))
    except (MbconcordError, ExpressionError) as problem:
        return [Comparison("", "", "the text", "not checked", explanation=str(problem).splitlines()[0])]


def _choose_states(system: System, count: int, seed: int, given: Sequence[State] | None = None) -> ClosedStates:
    """Return random states of a system, or given ones; with constraints those that :func:`closed_states` finds."""
    if system.constraints:
        from .judge.closed.closed_states import closed_states  # not before: most models have no constraints

        return closed_states(system, count, seed, given)
    drawn = draw(system, count if given is None else 0, seed)
    states = drawn.states if given is None else tuple(complete_state(system, s, seed) for s in given)
    return ClosedStates(drawn.system, states, None, count, drawn.diagnostics)


def _require_nothing_beside(**asked: object) -> None:
    """Raise :class:`MbconcordError` if options are given that a check link by link does not support."""
    for what in (name for name, value in asked.items() if value):
        message = "a model that is checked link by link is compared by its recursions alone"
        raise MbconcordError(error(what, message, "leave it out, or check a part of the model"))


def in_motion(evidence: Evidence, asked: Sequence[Formalism], given: Sequence[State] | None, span: float) -> Evidence:
    """Add evidence from motions that start at given states, or at the model's own state and a random one near it."""
    from .claims.motion import moving, starts_of  # not before: it needs packages of an extra

    system, known = evidence.system, next(iter(evidence.states), State())
    starts = starts_of(system, given, known, evidence.seed)
    found, notes, horizon = moving(system, asked, starts, span, evidence.seed)
    return replace(
        evidence, comparisons=(*evidence.comparisons, *found), diagnostics=(*evidence.diagnostics, *notes),
        horizon=horizon,
    )  # fmt: skip


def _ask(
    at_hand: ClosedStates, asked: Sequence[Formalism], original: Original | None, count: bool, seed: int = 0
) -> Trial:
    """Ask every formalism for the open tree, and for constrained motion if enough states satisfy the constraints."""
    system = at_hand.system
    closed = system if system.constraints else None
    at = with_numbers(system, at_hand.states)
    require_within(system, at)
    assembly = replace(at_hand.assembly, states=at) if at_hand.assembly and not at_hand.missing else None
    tree = system.open_loops() if closed else system
    made = trial(tree, at, asked, count=count, closed=closed, assembly=assembly, text=original, seed=seed)
    return with_motions(made) if assembly else made


def _compare(
    made: Trial, claims: Sequence[str], at_hand: ClosedStates, asked: ProofRequest
) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """Compare the witnesses of a trial, check claims, ask other witnesses; add notes on those that give no answer.

    For a model with constraints, accelerations of the open tree are left out: they are not the model's.
    """
    watched, notes = check_claims(made, claims)
    others, told = beside(made, DERIVATIVES in claims)
    told = (*told, *_tell_unseen(made, others, watched), *_tell_changed(made))
    own, of_tree = judge_pairs(made, OF_TREES if made.closed else None), (OF_THE_TREE,) if made.closed else ()
    motions = judge_motions(made) if made.assembly else list_unchecked(at_hand.missing) if made.closed else ()
    moving, silent = heard(motions)
    of_motions = {*CONSTRAINED, SOLUTION}
    first, last = ([c for c in watched if (c.quantity in of_motions) == late] for late in (False, True))
    found = exactly((*own, *others, *first, *moving, *last), made, asked)
    found = (*found, *find_unwatched(made, found))
    if any(c.b == PRINTED for c in found):
        told = (*told, Diagnostic("note", REREADS, BY_PROGRAM))
    return found, (*of_tree, *told, *at_hand.diagnostics, *notes, *silent, *of_zeros(found))


def beside(made: Trial, derived: bool) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """Compare every formalism with other programs and with witnesses of installed packages; return notes, too.

    A program that is absent, refuses the text or reads other joints is ``not checked``, with the reason. Derivatives
    are compared with programs, too, if they are ``derived``.
    """
    found: list[Comparison] = []
    notes: list[Diagnostic] = []
    programs = [ProgramWitness(name, made.text) for name in made.text.programs] if made.text else []
    for witness in (*programs, *witnesses.list_added()):
        own, said = _heard_of(made, witness, derived)
        found += (replace(c, claim=witness.name) for c in own)
        notes += said
    return tuple(found), tuple(notes)


def _heard_of(
    made: Trial, witness: Witness, derived: bool
) -> tuple[list[Comparison], list[Diagnostic]]:  # fmt: skip
    """Return the comparisons and notes of one witness; if it raises, one "not checked" with the error as reason."""
    try:
        found, answer = compare_with(made, witness, witness.name)
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}"
        return [Comparison(witness.name, "", witness.name, "not checked", explanation=reason)], []
    notes = [*answer.notes] if answer else []
    if answer and isinstance(witness, ProgramWitness):
        peer = made.once(witness.peer)
        found += (c for c, _ in compare(by_kinematics(made, witness, answer), answer, made))
        if derived:
            try:
                found += beside_program(made, peer, full_name(peer))
            except PeerError as problem:
                notes.append(Diagnostic("note", witness.name, f"{problem}; none are compared with it"))
        if any(c.verdict == "disagrees" for c in found):
            from .explain.programs import why_not_of_program  # not before: what agrees is not explained

            notes += (Diagnostic("note", witness.name, said) for said in why_not_of_program(made, witness))
    return found, notes


def _tell_unseen(
    made: Trial, others: Sequence[Comparison], watched: Sequence[Comparison]
) -> Iterator[Diagnostic]:  # fmt: skip
    """Yield what every program was asked, which elements it never saw, and which no program saw."""
    nobody: dict[str, None] | None = None
    for program in [ProgramWitness(name, made.text) for name in made.text.programs] if made.text else []:
        compared = (c.quantity for c in others if c.claim == program.name and c.verdict != "not checked")
        asked = [q.removeprefix(f"{program.name}: ") for q in dict.fromkeys(compared)]
        if not asked:
            continue
        unseen = program.find_unseen(made, asked)
        yield Diagnostic("note", program.name, f"asked for {', '.join(asked)}")
        if unseen:
            yield Diagnostic("note", program.name, f"never saw {short_list(unseen)}")
        nobody = dict.fromkeys(x for x in unseen if nobody is None or x in nobody)
    if nobody:
        reread = any(c.claim == REREADS and c.verdict == "agrees" for c in watched)
        readers = "mbconcord's two readers" if reread else "mbconcord's reader"
        yield Diagnostic("note", "programs", f"only {readers} saw {short_list([*nobody])}")


def find_unwatched(made: Trial, found: Sequence[Comparison]) -> Iterator[Comparison]:
    """Yield "not checked" for each quantity whose witnesses all share a part that nothing else verifies."""
    shares: dict[str, frozenset[str]] = {w.name: w.shares for w in witnesses.list_added()}
    for quantity in dict.fromkeys(c.quantity for c in found if c.quantity in QUANTITIES):
        sides = {side for c in found if c.quantity == quantity and c.b for side in (c.a, c.b)}
        own = [shares.get(side, FormalismWitness.shares) for side in sides & {*made.evaluations, *shares}]
        if own and (common := witnesses.find_unwatched(own)):
            reason = f"all its witnesses share {', '.join(common)}, which nothing watches"
            yield Comparison("", "", quantity, "not checked", explanation=reason)


def read_once(claims: Sequence[str], original: Original | None, found: Sequence[Comparison]) -> bool:
    """Return True if the claim that rereads the text was requested, and neither it nor another program read it."""
    if original is None or not any(claim.name == REREADS for claim in choose_claims(claims)):
        return False
    others = {REREADS, *(name for name in original.programs if not takes_model(name))}
    return not any(c.claim in others and c.verdict != "not checked" for c in found)


#: What is compared of an open tree whose model has constraints.
OF_TREES = tuple(q for q in QUANTITIES if q not in SOLVED)
#: Said of every model with constraints.
OF_THE_TREE = Diagnostic(
    "note", "constraints", "M, h, gravity, applied and inverse_dynamics are those of the open tree"
)


def _tell_changed(made: Trial) -> Iterator[Diagnostic]:
    """Name the formalisms whose equations one common step transformed to the model's coordinates, and the others."""
    notes = [(name, note) for name, d in made.derivations.items() for note in d.notes if note.message == CHANGED]
    if notes:
        changed = [name for name, _ in notes]
        own = [name for name in made.derivations if name not in changed]
        beside = f"{', '.join(own)} derive in the model's" if own else "none that was asked derives in the model's"
        yield Diagnostic("note", notes[0][1].place, f"{', '.join(changed)}: {CHANGED}; {beside}")


def of_zeros(found: Sequence[Comparison]) -> tuple[Diagnostic, ...]:
    """Warn that zeros agreeing with zeros are no agreement, if nothing else was compared."""
    return (Diagnostic("warning", "", NOTHING_COMPARED),) if all_zero(found) else ()


#: The claim of derivatives: programs that have them are asked for theirs.
DERIVATIVES = "derivatives"
REREADS = "second_reading"
#: Said where a part of the text was not read twice.
BY_PROGRAM = "OpenUSD printed the binary layers for the second reading: of these the readers share it"
#: Claims that watch what every formalism shares: where one of them says nothing, the model is not checked; where the
#: text is not read again, the verdict says so.
WATCHING = {witnesses.SHARED[what][1] for what in FormalismWitness.shares} - {REREADS}


def check_claims(made: Trial, names: Sequence[str]) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """Check claims on a trial: comparisons with the names of their claims, and notes on those that do not apply."""
    asked = count_progress("claim", choose_claims(names), lambda claim: claim.name)
    return heard([replace(c, claim=claim.name) for claim in asked for c in _check_claim(claim, made)])


def heard(found: Sequence[Comparison]) -> tuple[tuple[Comparison, ...], tuple[Diagnostic, ...]]:
    """Return the comparisons that count, and notes in place of unchecked ones that are allowed to be so."""
    silent = [
        c for c in found
        if c.verdict == "not checked" and (c.quantity in (OWN, SOLUTION) or (c.claim and c.claim not in WATCHING))
    ]  # fmt: skip
    notes = dict.fromkeys(
        Diagnostic("note", f"claims/{c.claim}", f"says nothing of {c.quantity}: {c.explanation}")
        if c.claim
        else Diagnostic("note", c.a, f"says nothing of its {OWN}: {c.explanation}")
        for c in silent
    )
    return tuple(c for c in found if c not in silent), tuple(notes)


def _check_claim(claim: Claim, made: Trial) -> list[Comparison]:
    """Check one claim; if a number exceeds the range of floats, return the reason only."""
    try:
        return claim.check(made)
    except RangeError as problem:
        return [Comparison("", "", claim.name, "not checked", explanation=str(problem))]


def with_numbers(system: System, states: Sequence[State]) -> Instance:
    """Evaluate the states; raise if a value is not a number at one of them."""
    made = Instance(system, states)
    _ = made.environments
    return made
