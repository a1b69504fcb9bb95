"""How many seeded faults the claims catch, with the mutated formalism against the honest others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.evaluation import Evaluation

from ..bodies.constrained_forces import witnessed
from ..claims import ALL, BY_NAME, Claim
from ..constraints.closed_states import ClosedStates
from ..constraints.distance import closed_inputs
from ..constraints.motion import ConstrainedTrial, constrained_trial
from ..constraints.witness import Motion
from ..judge.evidence import Comparison, Witness
from ..judge.kinematics import Kinematics
from ..judge.scale import Scales
from ..judge.trial import Trial, trial
from ..judge.uncertainty import Inputs
from ..progress import counted
from .catch import Catch, catches
from .closed_models import closed_subjects
from .injection import Fault, injected
from .models import subjects
from .shared import tried
from .tables import armatures, constraints, shared, subtle

#: What is asked on every model first, and what of survivors only.
AGREEMENT, *OTHERS = sorted(
    (claim for claim in ALL if claim.name not in BY_NAME), key=lambda claim: claim.name != "agreement"
)

#: Entry points of tables of faults, each by the name of its formalism.
GROUP = "mbconcord.faults"


@dataclass(frozen=True)
class Score:
    """How each fault was caught, and which were not."""

    found: tuple[tuple[Fault, Catch], ...]
    survivors: tuple[Fault, ...] = ()

    @property
    def caught(self) -> int:
        """How many were caught."""
        return len(self.found)

    @property
    def total(self) -> int:
        """How many were tried."""
        return len(self.found) + len(self.survivors)

    @property
    def claims(self) -> dict[str, int]:
        """How many each claim caught, the most first."""
        return dict(Counter(catch.claim for _, catch in self.found).most_common())

    @property
    def faintest(self) -> tuple[Fault, Catch] | None:
        """The fault that was caught with the smallest discrepancy."""
        return min(self.found, key=lambda pair: pair[1].discrepancy, default=None)


def scored(pairs: Iterable[tuple[Fault, Catch | None]]) -> Score:
    """The score of faults with their catches."""
    tried = tuple(pairs)
    return Score(tuple((f, c) for f, c in tried if c), tuple(f for f, c in tried if c is None))


def faults(formalism: str) -> tuple[Fault, ...]:
    """The faults of a formalism, those of its table, of armatures and the subtle ones; empty when it has none.

    Of one that another distribution brings it is the entry point of its name in the group :data:`GROUP`.
    """
    if formalism in registry.BUILT_IN:
        name = f"{__package__}.tables.{formalism}"
        table: tuple[Fault, ...] = import_module(name).FAULTS if find_spec(name) else ()
        more = (*armatures.FAULTS, *subtle.FAULTS)
        return table + tuple(fault for fault in more if fault.formalism == formalism)
    found = [entry.load() for entry in entry_points(group=GROUP) if entry.name == formalism]
    return tuple(replace(fault, owner=formalism) for table in found for fault in table)


def constraint_faults(formalism: str) -> tuple[Fault, ...]:
    """Faults of the motion with constraints by a formalism."""
    return tuple(fault for fault in constraints.FAULTS if fault.formalism == formalism)


def score(formalism: str) -> Score:
    """Inject every fault of a formalism in turn, and see how some claim catches it."""
    return scored(
        (
            *((fault, catcher(fault)) for fault in counted("fault", faults(formalism), _title)),
            *(
                (fault, constraint_catcher(fault))
                for fault in counted("fault of constraints", constraint_faults(formalism), _title)
            ),
        )
    )


def _title(fault: Fault) -> str:
    return fault.title


def shared_score() -> Score:
    """The same of the faults of what every formalism is built on: ``check`` has to catch them by itself."""
    return scored((one.watched.fault, one.catch) for one in tried(shared.FAULTS))


def catcher(fault: Fault) -> Catch | None:
    """How the fault is caught on one of the models; None when it survives them all.

    Most faults fall by the comparison with the other formalisms. That is asked on every model first; the other
    claims, which derive changed models anew, are asked only for what survives it. Small models come first.
    """
    order = sorted(range(len(subjects())), key=lambda i: len(subjects()[i].system.coordinates))
    for i in order:
        honest(i)  # derived before the fault is there
    with injected(fault) as faulty:
        made: list[Trial] = []
        for i in order:
            if not faulty.obstacles(subjects()[i].system):
                made.append(against_honest(faulty, i))
                found = catches(objections(AGREEMENT, made[-1], faulty), AGREEMENT.name)
                if found:
                    return found[0]
        for one in made:
            for claim in OTHERS:
                found = catches(objections(claim, one, faulty), claim.name)
                if found:
                    return found[0]
    return None


def constraint_catcher(fault: Fault) -> Catch | None:
    """How a fault of the motion with constraints is caught on one of the closed models, by comparison with others."""
    with injected(fault) as faulty:
        for closed in closed_subjects():
            if not faulty.constraint_obstacles(closed.system):
                for compared in (motions_against_honest, forces_against_honest):
                    found = catches(compared(faulty, closed))
                    if found:
                        return found[0]
    return None


def forces_against_honest(suspect: Formalism, closed: ClosedStates) -> list[Comparison]:
    """Forces at cuts and in joints by the suspect, where it has them, beside the sums over the bodies."""
    if type(suspect).constrained_forces is Formalism.constrained_forces or closed.assembly is None:
        return []
    return [*witnessed(closed.system, closed.assembly, [suspect]).comparisons]


def motions_against_honest(suspect: Formalism, closed: ClosedStates) -> list[Comparison]:
    """All comparisons of a motion with constraints by the suspect and by the other formalisms that take the model."""
    honest = _Honest.of(closed)
    own = motions(closed, (suspect,), honest.numbers)
    others = [honest.motions(name) for name in registry.BUILT_IN if name != suspect.name]
    return replace(
        own, motions={**own.motions, **{k: m for found in others for k, m in found.items()}}
    ).comparisons()


def motions(
    closed: ClosedStates, formalisms: Sequence[Formalism], numbers: Inputs | None = None
) -> ConstrainedTrial:
    """The motion with constraints by those formalisms that take the model."""
    assert closed.assembly is not None
    witnesses = [Witness(f.name, f.title, f.reference) for f in formalisms]
    return constrained_trial(closed.system, closed.assembly, formalisms, witnesses, numbers)


@dataclass
class _Honest:
    """What honest formalisms say of a closed model, each asked once."""

    closed: ClosedStates
    numbers: Inputs
    known: dict[str, Mapping[str, Motion]] = field(default_factory=dict)

    @classmethod
    def of(cls, closed: ClosedStates) -> _Honest:
        """Kept by the model's place in memory, and the model with it."""
        if id(closed) not in _HONEST:
            assert closed.assembly is not None
            _HONEST[id(closed)] = cls(closed, closed_inputs(closed.system, closed.assembly))
        return _HONEST[id(closed)]

    def motions(self, name: str) -> Mapping[str, Motion]:
        """The motion by a formalism, under its name; empty where it does not take the model."""
        if name not in self.known:
            self.known[name] = motions(self.closed, (registry.formalism(name),), self.numbers).motions
        return self.known[name]


_HONEST: dict[int, _Honest] = {}


@dataclass(frozen=True)
class Suspected(Trial):
    """A trial of one formalism against honest ones, which are compared with it and not with each other."""

    honest: Trial = field(kw_only=True)

    @property
    def pairs(self) -> list[tuple[Evaluation, Evaluation]]:
        """The suspect with every other that gave numbers."""
        own = [self.evaluations[f.name] for f in self.formalisms if f.name in self.evaluations]
        return [(one, other) for one in own for other in self.evaluations.values() if other is not one]

    @cached_property
    def kinematics(self) -> Kinematics:
        """Validation's own kinematics at the states."""
        return self.honest.kinematics

    @cached_property
    def scales(self) -> Scales:
        """Scales of every quantity at the states."""
        return self.honest.scales


def against_honest(suspect: Formalism, index: int) -> Suspected:
    """A trial of the suspect on a model, with what the other formalisms say of it."""
    rest = honest(index)
    own = trial(rest.system, rest.states, [suspect])
    witnesses = tuple(w for w in rest.witnesses if w.name != suspect.name)
    others = {name: e for name, e in rest.evaluations.items() if name != suspect.name}
    return Suspected(
        own.system, own.states, own.formalisms, (*own.witnesses, *witnesses), {**own.evaluations, **others},
        equations=own.equations, honest=rest,
    )  # fmt: skip


@cache
def honest(index: int) -> Trial:
    """A trial of all honest formalisms on a model."""
    drawn = subjects()[index]
    return trial(drawn.system, drawn.states, map(registry.formalism, registry.BUILT_IN))


def objections(claim: Claim, made: Trial, suspect: Formalism) -> list[Comparison]:
    """The disagreements that a claim finds and in which the suspect takes part."""
    return [c for c in claim.check(made) if c.verdict == "disagrees" and _involves(c.a, c.b, suspect.name)]


def _involves(a: str, b: str, name: str) -> bool:
    return any(side == name or side.startswith(f"{name}, ") for side in (a, b))
