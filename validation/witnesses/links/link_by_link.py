"""Check of a model link by link: recursions of several formalisms at random states, in time linear in the bodies.

Inverse dynamics M q'' + h - gravity - applied contains all of the equations, at random positions, rates and
accelerations; M q'', h and gravity are also compared separately at the first state: that locates a difference, and
finds those hidden in the rounding of sums with fast turns. Two agree if rounding alone explains their difference
(:mod:`.errors`), and differ if prime fields say so (:mod:`.exact`). The floats are those of generated Python: no
verdict depends on a compiler.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from mbconcord.formalisms.interface import Formalism
from mbconcord.kernels.links.function import require_formulas
from mbconcord.kernels.links.loop import Layout, plan_levels
from mbconcord.model.checks.physics import Policy
from mbconcord.model.derivation import Derivation, Obstacle
from mbconcord.model.diagnostics import Diagnostic, FormalismError, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions.bounds import run_bounds
from mbconcord.model.expressions.field import DIFFERS
from mbconcord.model.expressions.traversal import no_search_for_cycles
from mbconcord.model.functions import define
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace

from ...judge.agreement import compare, list_unchecked
from ...judge.comparison import excess
from ...judge.evidence import Comparison, Evidence, WitnessRecord
from ...judge.exact.proof import SIZE, Mode, approximate, with_proof
from ...judge.formalism import FormalismWitness
from ...judge.states import complete_state, draw
from ...judge.trial import plausible
from ...judge.witness import Answer, Labelled, Question
from .errors import Errors, LinkInputs
from .exact import BUDGET, LinkOutputs, outermost

Array = NDArray[np.float64]

#: Compared quantity -> True for each of accelerations, rates and weight that is set to zero for it.
QUANTITIES: Final[Mapping[str, tuple[bool, bool, bool]]] = {
    "M q''": (False, True, True), "h": (True, False, True), "gravity": (True, True, False),
    "inverse_dynamics": (False, False, False),
}  # fmt: skip
#: The quantity that is compared at every state; the others are compared at the first state.
WHOLE: Final = "inverse_dynamics"
#: Said of every model that is checked so.
SAID: Final = Diagnostic(
    "note", "",
    "checked link by link, equations as a whole were not derived: inverse_dynamics was compared at all states, M q'', "
    "h and gravity at the first; M itself, applied and acceleration were not; no claim was asked",
)  # fmt: skip
#: States that are drawn where nothing else is asked for.
STATES: Final = 3


def check_links(
    system: System,
    file: str,
    asked: Sequence[Formalism],
    states: int = STATES,
    seed: int = 0,
    given: Sequence[State] | None = None,
    physics: Policy = "error",
    exact: Mode = "auto",
) -> Evidence:
    """Check an open tree whose equations are not derived as a whole.

    Parameters
    ----------
    asked : formalisms; those without steps of links are silent
    states, seed, given, physics, exact : as :func:`mbconcord.validation.check.check` takes them

    Raises
    ------
    FormalismError
        No requested formalism takes the model, and why.
    """
    drawn = draw(system, states if given is None else 0, seed)
    chosen = drawn.states if given is None else tuple(complete_state(system, s, seed) for s in given)
    warned = plausible(drawn.system, chosen, physics)
    question = Question(drawn.system, Instance(drawn.system, chosen))
    records: list[WitnessRecord] = []
    answers: dict[str, Answer] = {}
    layouts: dict[str, Layout] = {}
    with no_search_for_cycles():
        for by in map(LinkByLink, asked):
            record, found = by.ask(question)
            records.append(record)
            if found is not None:
                layouts[by.name], answers[by.name] = found
    if not answers:
        raise FormalismError(list(dict.fromkeys(error(o.place, o.reason) for w in records for o in w.obstacles)))
    compared = add_proofs(comparisons(question, answers), LinkOutputs(system, layouts, seed), exact)
    notes = (*warned, *drawn.diagnostics, SAID)
    return Evidence(file, drawn.system, seed, chosen, tuple(records), compared, notes, by_links=True)


@dataclass(frozen=True)
class LinkByLink:
    """A formalism's recursion over links, with rounding followed link by link; no equations are derived."""

    formalism: Formalism
    shares: ClassVar[frozenset[str]] = FormalismWitness.shares | {"recursions"}

    @property
    def name(self) -> str:
        """The formalism's name."""
        return self.formalism.name

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return the reasons why the formalism has no recursion over links, or none for the model."""
        try:
            self.layout(model)
        except FormalismError as refused:
            return _obstacles(refused)
        return ()

    def layout(self, model: System) -> Layout:
        """Return the recursion of a model; raise :class:`FormalismError` if there is none."""
        return Layout(self.formalism.recursion(model), model.functions)

    def answer(self, question: Question) -> Answer:
        """Return the quantities of the recursion; raise :class:`FormalismError` if there is none."""
        return answer_of(self.name, self.layout(question.system), question.system, question.states)

    def ask(self, question: Question) -> tuple[WitnessRecord, tuple[Layout, Answer] | None]:
        """Return the formalism's record with times, and its recursion and answer (None if it has obstacles)."""
        by, system, begin = self.formalism, question.system, time.process_time()
        record = WitnessRecord(by.name, by.title, by.reference, by=by)
        try:
            layout = self.layout(system)
        except FormalismError as refused:
            return replace(record, obstacles=_obstacles(refused)), None
        require_formulas([*layout.formulas, *define(layout.recursion.efforts, system.functions)])
        made = time.process_time()
        found = answer_of(by.name, layout, system, question.states)
        spent = time.process_time() - made
        derivation = Derivation(by.name, system, {}, ())
        record = replace(record, derivation=derivation, seconds=made - begin, evaluation_seconds=spent)
        return record, (layout, found)


def _obstacles(refused: FormalismError) -> tuple[Obstacle, ...]:
    return tuple(Obstacle(d.place, "links", d.message) for d in refused.diagnostics)


def add_proofs(found: Iterable[Comparison], links: LinkOutputs, mode: Mode) -> tuple[Comparison, ...]:
    """Return comparisons with proofs in prime fields added to those of inverse dynamics, which alone they decide.

    M q'', h and gravity are computed with the model's motion at rest; with prescribed motion they are no special cases.
    """
    listed = list(found)
    pairs = dict.fromkeys((c.a, c.b) for c in listed if c.b)
    if mode == "off" or not pairs:
        return tuple(listed)
    tried = mode == "on" or links.operations <= BUDGET
    told = {pair: links.compare(*pair) if tried else SIZE for pair in pairs}
    why = approximate(links.system) if any(x.kind == DIFFERS for x in told.values()) else ""
    return tuple(with_proof(c, told[c.a, c.b], lambda _: "", why) if c.b and c.quantity == WHOLE else c for c in listed)


def answer_of(who: str, layout: Layout, system: System, states: Sequence[State]) -> Answer:
    """Return the quantities of a recursion at states, with bounds of their rounding."""
    at = states if isinstance(states, Instance) else Instance(system, states)
    errors = Errors(layout)
    efforts = plan_levels(define(layout.recursion.efforts, system.functions))
    names = system.coordinate_names
    found: dict[str, list[tuple[Array, Array, Array]]] = {name: [] for name in QUANTITIES}
    for state, values in enumerate(at.environments):
        numbers = _tables(layout, values)
        motions, off = _motions(layout, names, values)
        acting, unsure = run_bounds(efforts, values)
        for name in QUANTITIES if not state else (WHOLE,):
            resting = QUANTITIES[name]
            forces, doubt, scale = errors(_resting(layout, LinkInputs(*numbers, motions, off), resting))
            if name == WHOLE:
                forces, doubt = (forces - acting[:, 0], doubt + unsure[:, 0] + np.finfo(float).eps * abs(forces))
                scale = scale + np.abs(acting[:, 0])
            found[name].append((-forces if name == "gravity" else forces, doubt, scale))
    beside = {}
    for quantity, rows in found.items():
        forces, doubt, scale = (np.array([row[i] for row in rows]) for i in range(3))
        beside[quantity] = Labelled(forces, names, scale, doubt, certain=True)
    return Answer(Evaluation(who, {}), beside=beside)


def _tables(layout: Layout, values: Mapping[str, Any]) -> tuple[Array, Array, Array, Array]:
    """Return numbers of the links and of the fixed frame, each with its error bound."""
    exact, off = run_bounds(layout.constants, values)
    (numbers, ground), (unsure, doubt) = layout.tables(exact[:, 0]), layout.tables(off[:, 0])
    return numbers, unsure, ground, doubt


def _motions(layout: Layout, names: Sequence[str], values: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return motions of all joints, (3, M), and their error bounds: coordinates are exact."""
    own = np.array([[values[name + mark] for name in names] for mark in ("", "'", "''")], dtype=float)
    given, off = run_bounds(layout.moving, values)
    return (
        np.concatenate([own, layout.motions(given)[..., 0]], axis=1),
        np.concatenate([np.zeros_like(own), layout.motions(off)[..., 0]], axis=1),
    )


def _resting(layout: Layout, given: LinkInputs, resting: tuple[bool, bool, bool]) -> LinkInputs:
    """Return inputs with coordinate accelerations, all joint rates, or weight set to zero, as ``resting`` selects.

    Prescribed motions keep accelerations where there are rates.
    """
    accelerations, rates, weight = resting
    motions, off = given.motions.copy(), given.motion_errors.copy()
    count = layout.recursion.coordinates
    if accelerations:
        motions[2, :count] = off[2, :count] = 0.0
    if rates:
        motions[1] = off[1] = 0.0
        motions[2, count:] = off[2, count:] = 0.0
    ground, doubt = given.ground, given.ground_errors
    if weight:
        ground, doubt = np.zeros_like(ground), np.zeros_like(doubt)
    return LinkInputs(given.numbers, given.number_errors, ground, doubt, motions, off)


def comparisons(question: Question, answers: Mapping[str, Answer]) -> Iterator[Comparison]:
    """Yield comparisons of every quantity between all pairs of answers; with one answer alone, as not checked."""
    if len(answers) < 2:
        yield from list_unchecked("no second formalism computes it link by link", next(iter(answers)), QUANTITIES)
    for a, b in combinations(answers.values(), 2):
        for found, difference in compare(a, b, question):
            if found.verdict == "disagrees":
                found = replace(found, explanation=outermost(question.system, excess(difference)))
            yield found
