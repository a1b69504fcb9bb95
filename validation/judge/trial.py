"""A trial: one model at given states, derived and evaluated by every formalism that can take it.

Claims are made about trials; :func:`mbconcord.validation.check.check` reports one.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import Diagnostic, FormalismError, MbconcordError, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import RangeError
from mbconcord.model.instance import Instance, bound
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..constraints.measure import Measure, measured_at
from ..progress import counted
from ..second.machine import At, Machine, UnreadError
from ..second.reading import machine
from .bounds import BoundedEquations
from .evidence import Comparison, Witness
from .floats import measured
from .kinematics import Kinematics
from .scale import Scales, scales
from .uncertainty import Inputs, inputs

#: At so many of the states a text is read a second time, one of so many signs or more at the first alone.
REREAD, LONG_TEXT = 3, 5000


@dataclass(frozen=True)
class Text:
    """The text that a model was read from, its format, and which parameters have another value than it says.

    ``folder`` is where files stand that it names; empty where it came from no file.
    """

    text: str
    format: str
    changed: frozenset[str] = frozenset()
    folder: str = ""


@dataclass(frozen=True)
class Trial:
    """What the witnesses say about a model at states; ``evaluations`` holds those who gave numbers.

    ``equations`` are theirs as programs.
    ``closed`` is the model with constraints of which ``system`` is the open tree; None where there are none.
    ``assembly`` are the states with what cut joints take there; None where they do not satisfy the constraints.
    ``text`` is what the model was read from, where that is known.
    ``direct`` are the numbers that formalisms computed without their equations, of those that were asked for them.
    """

    system: System
    states: Sequence[State]
    formalisms: tuple[Formalism, ...]
    witnesses: tuple[Witness, ...]
    evaluations: Mapping[str, Evaluation]
    closed: System | None = None
    equations: Mapping[str, BoundedEquations] = field(default_factory=dict)
    assembly: Assembly | None = None
    text: Text | None = None
    direct: Mapping[str, Evaluation] = field(default_factory=dict)

    @cached_property
    def reread(self) -> tuple[Machine, ...]:
        """The machine that a second reading of the text finds at the first states.

        Raises
        ------
        UnreadError
            There is no text, or the second reading does not know it.
        """
        return tuple(map(self.read_at, self.placed))

    def read_at(self, state: State) -> Machine:
        """The machine that a second reading of the text finds at a state.

        Raises
        ------
        UnreadError
            There is no text, or the second reading does not know it.
        """
        if self.text is None:
            raise UnreadError("a model that came from no text")
        return machine(self.text.text, self.text.format, self._at(self.text, state))

    @cached_property
    def placed(self) -> tuple[State, ...]:
        """The states of a second reading, with the initial positions and rates of what they do not say."""
        states = self.states[: 1 if self.text and len(self.text.text) >= LONG_TEXT else REREAD]
        values = bound(self.system, self.states).values
        return tuple(
            replace(
                state,
                q={name: float(values[name][i]) for name in self.system.coordinate_names},
                v={name: float(values[f"{name}'"][i]) for name in self.system.coordinate_names},
            )
            for i, state in enumerate(states)
        )

    def _at(self, text: Text, state: State) -> At:
        """A state with nothing of the model but names, and values that its text leaves open or the user set.

        A coordinate that the text has and the model lost stands still at zero: which there are is compared first.
        """
        model = {p.name: p.value for p in self.original.parameters}
        values = bound(self.system, (state,)).values if text.changed else {}
        given = {name: float(values[name][0]) for name in text.changed}
        drawn = {name: value for name, value in state.parameters.items() if model.get(name) is None}
        given |= {name: value for name, value in state.parameters.items() if name not in drawn}
        q, v = defaultdict(float, state.q), defaultdict(float, state.v)
        return At(q, v, state.t, self.names, given, drawn, text.folder)

    @property
    def original(self) -> System:
        """The model whose open tree this is about, with its constraints and the masses of rods on them."""
        return self.closed or self.system

    @cached_property
    def kinematics(self) -> Kinematics:
        """Validation's own kinematics at the states."""
        return Kinematics(self.system, self.states)

    @cached_property
    def scales(self) -> Scales:
        """Scales of every quantity at the states."""
        return scales(self.kinematics)

    @cached_property
    def measure(self) -> Measure | None:
        """What motions with the constraints are judged by; None where no states satisfy them."""
        if self.closed is None or self.assembly is None:
            return None
        return measured_at(self.closed, self.assembly, self.kinematics, self.scales)

    @cached_property
    def derivations(self) -> dict[str, Derivation]:
        """Derivations of those who gave numbers, by name."""
        return {w.name: w.derivation for w in self.witnesses if w.derivation and w.name in self.evaluations}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.system.coordinate_names

    @property
    def pairs(self) -> list[tuple[Evaluation, Evaluation]]:
        """All pairs of evaluations."""
        return list(combinations(self.evaluations.values(), 2))

    def failures(self) -> list[Comparison]:
        """A witness that declared no obstacle and then failed is a finding, never left out.

        It disagrees, unless all it says is that the model's numbers are beyond the range of floats.
        """
        return [
            Comparison(
                w.name, "", "derivation",
                "disagrees" if any(d.severity == "error" for d in w.diagnostics) else "not checked",
                explanation="; ".join(d.message for d in w.diagnostics),
            )
            for w in self.witnesses
            if not w.obstacles and w.name not in self.evaluations
        ]  # fmt: skip


def trial(
    system: System,
    states: Sequence[State],
    formalisms: Iterable[Formalism],
    count: bool = False,
    given: Inputs | None = None,
    told: bool = True,
) -> Trial:
    """Derive and evaluate a model by each formalism.

    Parameters
    ----------
    system : the model, with a formula for every function
    states : with a value for every parameter
    formalisms : those to ask; one with obstacles is recorded with them
    count : whether to count operations per quantity
    told : whether formalisms with numbers of their own are asked what they say of these states
    given : the numbers with their uncertainty; None: every number of the model is meant as it stands

    Raises
    ------
    MbconcordError
        A formalism is asked for twice.
    """
    chosen, at = tuple(formalisms), bound(system, states)
    given = given or inputs(system, at)
    require_distinct(chosen)
    witnesses: list[Witness] = []
    evaluations: dict[str, Evaluation] = {}
    equations: dict[str, BoundedEquations] = {}
    direct: dict[str, Evaluation] = {}
    for formalism in counted("formalism", chosen, lambda f: f.name):
        witness, numbers = _ask(formalism, system, at, given, count, told)
        witnesses.append(replace(witness, by=formalism))
        if numbers is not None:
            equations[formalism.name], evaluations[formalism.name], own = numbers
            direct |= {} if own is None else {formalism.name: own}
    return Trial(system, at, chosen, tuple(witnesses), evaluations, equations=equations, direct=direct)


def require_distinct(formalisms: Iterable[Formalism]) -> None:
    """Raise :class:`MbconcordError` when a formalism is there twice: it would be its own witness.

    Forms of one formalism share its model of the machine, so they are one witness too.
    """
    seen: dict[str, Formalism] = {}
    for f in formalisms:
        other = seen.get(f.name)
        seen[f.name] = f
        if other:
            forms = " and ".join(x.form or "of its choice" for x in (other, f))
            found = f"{f.name} is asked for twice" + (
                f", in the forms {forms}" if other.form or f.form else ""
            )
            remedy = "ask once: forms of one formalism are one witness, and a witness does not confirm itself"
            raise MbconcordError(error("formalisms", found, remedy))


def _ask(
    formalism: Formalism, system: System, states: Instance, given: Inputs, count: bool, told: bool
) -> tuple[Witness, tuple[BoundedEquations, Evaluation, Evaluation | None] | None]:
    name, reference, form = formalism.name, formalism.reference, formalism.form
    title = f"{formalism.title}, form {form}" if form else formalism.title
    derivation = None
    try:
        obstacles = formalism.obstacles(system)
        if obstacles:
            return Witness(name, title, reference, obstacles, form=form), None
        start = time.perf_counter()
        derivation = formalism.derive(system)
        _require_own(derivation, name)
        derivation.outputs()  # what is made when it is asked for is part of deriving
        derived = time.perf_counter()
        equations = BoundedEquations(derivation)
        evaluation = measured(equations, states, given)
        evaluated = time.perf_counter()
        direct = formalism.evaluate(system, states) if told and has_numbers(formalism) else None
        said = (*evaluation.diagnostics, *(direct.diagnostics if direct else ()))
    except RangeError as problem:  # the model's numbers, not the formalism
        findings = (Diagnostic("warning", name, str(problem)),)
        return Witness(name, title, reference, (), derivation, diagnostics=findings, form=form), None
    except Exception as problem:  # whatever a formalism raises is evidence against it
        message = f"{type(problem).__name__}: {problem}"
        findings = (error(name, message),)
        return Witness(name, title, reference, (), derivation, diagnostics=findings, form=form), None
    operations = equations.operations() if count else {}
    witness = Witness(
        name, title, reference, (), derivation, operations,
        derived - start, tuple(dict.fromkeys(said)) if told else said, evaluated - derived, form,
    )  # fmt: skip
    return witness, (equations, evaluation, direct)


def _require_own(derivation: Derivation, name: str) -> None:
    """Raise :class:`FormalismError` where a derivation is by another formalism: what it says would stand under that."""
    if derivation.formalism != name:
        message = f"it derives as {derivation.formalism!r}"
        raise FormalismError(error(name, message, f"give Derivation(formalism={name!r}, …)"))


def has_numbers(formalism: Formalism) -> bool:
    """Whether a formalism computes numbers without its equations."""
    return type(formalism).evaluate is not Formalism.evaluate
