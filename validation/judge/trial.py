"""A trial: a question with the answers of every formalism that takes the model, derived and evaluated.

Claims are made about trials; :func:`mbconcord.validation.check.check` reports one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.physics import physics as impossible
from mbconcord.model.derivation import EFFORT, Derivation
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ModelError, NumbersError, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.limits import (
    CHECKED_COORDINATES,
    CHECKED_MATRICES,
    CHECKED_STATES,
    LARGE_STATES,
    LINKED_COORDINATES,
    LINKED_NUMBERS,
    too_many,
)
from mbconcord.model.numbers import bind_states, has_varying, parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from .bounds import BoundedEquations
from .evidence import ACCELERATION, Comparison, WitnessRecord
from .formalism import FormalismWitness
from .motion import Array
from .progress import count_progress
from .uncertainty import Inputs, inputs
from .witness import Question

if TYPE_CHECKING:
    from mbconcord.simulation.assembly import Assembly

    from .closed.motion import SolvedMotion

#: What is solved for, with the constraints where there are any.
SOLVED = ("acceleration", EFFORT)


@dataclass(frozen=True)
class Trial(Question):
    """A question with the formalisms' answers; ``evaluations`` holds their numbers by name of the formalism.

    Attributes
    ----------
    equations : formalism -> its equations as a program
    direct : formalism -> numbers that it computed without its equations, if requested
    motions : formalism -> its motion with the constraints, if it gave one
    lost : a comparison for each formalism that declared no obstacle to such motions, but gave none
    """

    formalisms: tuple[Formalism, ...]
    witnesses: tuple[WitnessRecord, ...]
    evaluations: Mapping[str, Evaluation]
    equations: Mapping[str, BoundedEquations] = field(default_factory=dict)
    direct: Mapping[str, Evaluation] = field(default_factory=dict)
    motions: Mapping[str, SolvedMotion] = field(default_factory=dict)
    lost: tuple[Comparison, ...] = ()

    @cached_property
    def derivations(self) -> dict[str, Derivation]:
        """Derivations of the formalisms whose numbers are known, by name."""
        return {w.name: w.derivation for w in self.witnesses if w.derivation and w.name in self.evaluations}

    @property
    def pairs(self) -> list[tuple[Evaluation, Evaluation]]:
        """All pairs of evaluations."""
        return list(combinations(self.evaluations.values(), 2))

    def failures(self) -> list[Comparison]:
        """Comparisons that report each witness that declared no obstacle and then failed; none is left out."""
        return [
            report_failure(w, "derivation")
            for w in self.witnesses
            if not w.obstacles and w.name not in self.evaluations
        ]


def report_failure(record: WitnessRecord, quantity: str) -> Comparison:
    """Return the comparison that reports a witness without numbers.

    The verdict is "disagrees", unless the only reason is that the model's numbers are beyond the range of floats.
    """
    wrong = any(d.severity == "error" for d in record.diagnostics)
    why = "; ".join(d.message for d in record.diagnostics)
    return Comparison(record.name, "", quantity, "disagrees" if wrong else "not checked", explanation=why)


def trial(
    system: System,
    states: Sequence[State],
    formalisms: Iterable[Formalism],
    count: bool = False,
    given: Inputs | None = None,
    told: bool = True,
    **known: Any,
) -> Trial:
    """Derive and evaluate a model by each formalism.

    Parameters
    ----------
    system : the open tree, with a formula for every function
    states : with a value for every parameter
    formalisms : formalisms to ask; if one does not take the model, the trial records its obstacles
    count : whether to count operations per quantity
    given : values of all symbols, with their uncertainty; None: every number of the model is exact
    told : whether to use the numbers that formalisms compute themselves at these states
    known : further facts about the question (:class:`.Question`)

    Raises
    ------
    MbconcordError
        A formalism is repeated.
    """
    chosen, at = tuple(formalisms), bind_states(system, states)
    require_distinct(chosen)
    question = Question(system, at, given=given or inputs(system, at), **known)
    records: list[WitnessRecord] = []
    evaluations: dict[str, Evaluation] = {}
    equations: dict[str, BoundedEquations] = {}
    direct: dict[str, Evaluation] = {}
    for formalism in count_progress("formalism", chosen, lambda f: f.name):
        record, answer = FormalismWitness(formalism).ask(question, count, told)
        records.append(record)
        if answer is not None and answer.equations is not None:
            equations[record.name] = answer.equations
            evaluations[record.name] = _of_tree(answer.numbers) if question.closed else answer.numbers
            direct |= {} if answer.own is None else {record.name: answer.own}
    return Trial(system, at, chosen, tuple(records), evaluations, equations, direct, given=given, **known)


def _of_tree(numbers: Evaluation) -> Evaluation:
    """Return the numbers of an open tree without solved quantities, which differ in a model with constraints."""
    kept = {name: x for name, x in numbers.quantities.items() if name not in SOLVED}
    return replace(numbers, quantities=kept)


def with_motions(made: Trial) -> Trial:
    """Return the trial with the motion of every formalism at the assembly; existing derivations are reused."""
    from .closed.motion import closed_inputs  # not before: most models have no constraints

    assert made.closed is not None and made.assembly is not None
    question = replace(made, given=made.given or closed_inputs(made.closed, made.assembly))
    records: list[WitnessRecord] = []
    motions: dict[str, SolvedMotion] = {}
    lost: list[Comparison] = []
    for formalism, known in zip(made.formalisms, made.witnesses, strict=True):
        record, answer, failure = FormalismWitness(formalism).ask_motion(question, known)
        records.append(record)
        if answer is not None and answer.motion is not None:
            motions[record.name] = answer.motion
        elif failure:
            lost.append(report_failure(replace(record, diagnostics=failure), ACCELERATION))
    return replace(made, witnesses=tuple(records), motions=motions, lost=tuple(lost))


def constrained_trial(
    system: System, assembly: Assembly, formalisms: Iterable[Formalism], numbers: Inputs | None = None,
    room: Mapping[str, Array] | None = None,
) -> Trial:  # fmt: skip
    """Ask each formalism for the constrained motion alone, at assembled states.

    ``numbers``: values of all symbols with their uncertainty; None: the model's own, at states near the constraints.
    ``room``: quantity of the open tree -> addition to its error bounds.
    """
    chosen = tuple(formalisms)
    records = tuple(WitnessRecord(f.name, f.title, f.reference) for f in chosen)
    return with_motions(
        Trial(
            system.open_loops(), assembly.states, chosen, records, {},
            closed=system, assembly=assembly, given=numbers, room=room,
        )
    )  # fmt: skip


def require_distinct(formalisms: Iterable[Formalism]) -> None:
    """Raise :class:`MbconcordError` if a formalism is listed twice: it would be its own witness.

    Two forms of one formalism share its model of the machine, so they count as one witness.
    """
    seen: dict[str, Formalism] = {}
    for f in formalisms:
        other = seen.get(f.name)
        seen[f.name] = f
        if other:
            forms = " and ".join(x.form or "of its choice" for x in (other, f))
            found = f"{f.name} is asked for twice" + (f", in the forms {forms}" if other.form or f.form else "")
            remedy = "ask once: forms of one formalism are one witness, and a witness does not confirm itself"
            raise MbconcordError(error("formalisms", found, remedy))


# Limits of size and number of states for checks: witnesses are compared in matrices of the model's rows.


def too_large(system: System) -> bool:
    """Return True if a model has more coordinates than matrix comparisons permit."""
    return len(system.coordinates) > CHECKED_COORDINATES


def require_links(system: System, states: int) -> None:
    """Refuse a model with too many coordinates, or too many states, for a comparison link by link.

    Raises
    ------
    NumbersError
        At the first coordinate that is too many, or at ``states``.
    """
    names = system.coordinate_names
    if len(names) > LINKED_COORDINATES:
        found = f"a model of {too_many(len(names), 'coordinates', LINKED_COORDINATES)} to be checked"
        raise NumbersError(error(f"coordinates/{names[LINKED_COORDINATES]}", found, "check its parts"))
    most = min(CHECKED_STATES, max(LARGE_STATES, LINKED_NUMBERS // max(1, len(names))))
    if not 1 <= states <= most:
        found = too_many(states, f"states of a model of {len(names):,} coordinates", most)
        raise NumbersError(error("states", found, "ask for one at least, and again with another seed"))


def require_size(system: System, states: int = 1) -> None:
    """Refuse a model of too many coordinates, or too many states of it, before anything is derived.

    Raises
    ------
    NumbersError
        At the first coordinate that is too many, or at ``states``.
    """
    names = system.coordinate_names
    if len(names) > CHECKED_COORDINATES:
        found = f"a model of {too_many(len(names), 'coordinates', CHECKED_COORDINATES)} to be checked"
        remedy = "evaluate it by one formalism, or check its parts"
        raise NumbersError(error(f"coordinates/{names[CHECKED_COORDINATES]}", found, remedy))
    if states < 1:
        raise NumbersError(error("states", f"{states} states were asked for", "ask for at least one"))
    most = min(CHECKED_STATES, max(LARGE_STATES, CHECKED_MATRICES // max(1, len(names)) ** 2))
    if states > most:
        found = too_many(states, f"states of a model of {len(names):,} coordinates", most)
        raise NumbersError(error("states", found, "ask for fewer, and again with another seed"))


def plausible(system: System, states: Sequence[State], policy: Policy) -> tuple[Diagnostic, ...]:
    """Warn of bodies that are impossible with some state's parameters; raise if the policy refuses them."""
    seen: list[dict[str, float]] = []
    warnings: dict[Diagnostic, None] = {}
    varying = has_varying(system)
    for state in states:
        own = parameter_values(system, state.parameters, t=state.t) if varying else dict(state.parameters)
        if own not in seen:
            seen.append(own)
            findings = impossible(system, parameter_values(system, own), policy)
            if varying:
                findings = [replace(d, message=f"{d.message} at t = {state.t:g}") for d in findings]
            if any(d.severity == "error" for d in findings):
                raise ModelError(findings)
            warnings |= dict.fromkeys(findings)
    return tuple(warnings)
