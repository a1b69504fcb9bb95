"""Check a model against an FMU: one more witness, of which only its answers are known.

The FMU is run in a process of its own. Its derivatives at drawn states are accelerations; where it has an input for the
effort along each coordinate, these are affine in the efforts, and M, gravity, and forces linear and quadratic in the
rates are recovered. Its parameters that have the names of the model's get the values of the model, and then others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, ModelError, NumbersError, among, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.expressions import ExpressionError, evaluate_float, symbols
from mbconcord.model.expressions.bounds import U
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.features import features
from mbconcord.model.functions import define
from mbconcord.model.limits import count
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.assembly import assemble
from mbconcord.simulation.rows import constraint_rows

from ..check import with_numbers
from ..explain.numbers import Said
from ..explain.numbers import states as ordinary_states
from ..explain.search import why_not_said
from ..judge.agreement import compare, list_unchecked
from ..judge.closed.closed_states import closed_states
from ..judge.closed.motion import closed_inputs
from ..judge.closed.rows import find_satisfied
from ..judge.comparison import ArrayDifference, worst
from ..judge.evidence import ACCELERATION, Against, Comparison, Evidence
from ..judge.matching import short_list
from ..judge.motion import Array
from ..judge.solutions import Bounded, bounded_motion
from ..judge.states import ClosedStates, complete_state, draw
from ..judge.tolerances import EPSILON, FOREIGN_ZEROS, constrained_tolerance, solution_tolerance
from ..judge.trial import Trial, plausible, require_size, trial, with_motions
from ..judge.witness import Answer, Labelled, Question
from .fmu_archive import FmuArchive, NamedReal, ask, read_archive
from .own.files import FMU

NAME: Final = "fmu"
#: Starts of motions, at most.
STARTS: Final = 3
#: States at which rates are looked for among the derivatives, and how near these must be.
PROBES, SAME = 3, 1e-12
#: How far from the start, of the others, the rates of a machine with constraints are looked for; a state that is moved.
NEAR, MOVED = 0.05, 1e-9
#: Accelerations with efforts, of a machine with constraints.
PUSHED: Final = f"{ACCELERATION} with efforts"
#: Said of such a machine.
HELD: Final = (
    "constrained accelerations alone are compared: they do not tell M, gravity and h; "
    "nothing is said of reactions, nor of the constraints themselves"
)
#: How far accelerations may be from affine in an effort, of their largest change, and of their own size.
AFFINE, AFFINE_ROUNDING = 1e-6, 1e-10
#: Digits of recovered matrices in which a cause is looked for.
DIGITS: Final = 1e-9
#: Why there is no M of an FMU that has all inputs: a fault of these, or of their names.
STILL: Final = "its efforts do not move every coordinate"
BENT: Final = "its accelerations are not affine in its efforts, which may saturate"
#: Rows of what is recovered where it is none of the canonical quantities.
AT_REST, LINEAR, QUADRATIC = "static", "linear in rates", "quadratic in rates"
#: The same of a model on which nothing but weights acts.
BARE: Final = {AT_REST: ("gravity", 1.0), LINEAR: (LINEAR, 1.0), QUADRATIC: ("h", -1.0)}


@dataclass(frozen=True)
class FmuEquations:
    """An FMU that may be run, with its user's mappings of names.

    Attributes
    ----------
    archive : description of the FMU
    coordinates, rates : coordinate of the model -> name of the FMU's state that is the coordinate, or its rate
    symbols : name of a parameter of the FMU -> formula in the model's parameters
    inputs : coordinate of the model -> name of the FMU's input that is the effort along it
    """

    archive: FmuArchive
    coordinates: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Kind of source: ``FMU 3.0``."""
        return f"FMU {self.archive.version}.0"


def read_fmu(file: str, allow_binary: bool, **told: Mapping[str, str]) -> FmuEquations:
    """Read an FMU that the user allows to be run.

    Raises
    ------
    MbconcordError
        Running it is not allowed, the file is no FMU, or it has no binary for Model Exchange on this platform.
    """
    if not allow_binary:
        message = "an FMU is a program, and is run only where that is allowed"
        remedy = "run it if you trust it: --allow binary, in Python allow_binary=True"
        raise MbconcordError(error(f"{FMU}{file}", message, remedy))
    archive = read_archive(file)
    archive.require_binary()
    if archive.exchange and not archive.states:
        raise MbconcordError(error(file, "it has no continuous states", "equations of motion have some"))
    return FmuEquations(archive, **told)


@dataclass(frozen=True)
class TiedFmu:
    """An FMU whose variables are matched with the model's coordinates, rates and parameters.

    Attributes
    ----------
    own : the FMU
    q, v : places of positions and rates among the FMU's states, in the order of the model's coordinates
    efforts : the FMU's inputs along the coordinates; empty if any is missing
    parameters : name of a parameter of the model -> variable of the FMU
    formulas : variable of the FMU -> formula of the model's parameters
    by : how coordinates were matched: ``name``, ``the command`` or ``order``
    pairs : coordinate of the model -> name of the FMU's variable
    """

    own: FmuEquations
    names: tuple[str, ...]
    q: tuple[int, ...]
    v: tuple[int, ...]
    efforts: tuple[int, ...]
    parameters: Mapping[str, NamedReal]
    formulas: Mapping[str, str]
    by: str
    pairs: Mapping[str, str]

    def measure(self, system: System, states: Sequence[State]) -> FmuNumbers:
        """Run the FMU at states; if it takes efforts, also at rest, with reversed rates, and with efforts.

        Raises
        ------
        MbconcordError
            The FMU fails, or a result is not a number.
        """
        kinds = (1.0, 0.0, -1.0) if self.efforts else (1.0,)
        push = [{"push": self.efforts}, {}, {}]
        points = [(s, sign, more) for s in states for sign, more in zip(kinds, push, strict=False)]
        found, each = self.ask(system, points), len(kinds)
        slopes = np.array([answer["d"] for answer in found], dtype=float).reshape(len(states), each, len(self.names))
        whole = FmuNumbers(slopes)
        if self.efforts:
            whole = self._push(whole, [answer["push"] for answer in found[::each]])
        return whole

    def ask(self, system: System, points: Sequence[tuple[State, float, Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """Run the FMU at points: a state, a factor of its rates, and further requests for the run."""
        runs: list[dict[str, Any]] = []
        known: Any = None
        for state, sign, more in points:
            values = parameter_values(system, dict(state.parameters))
            if known != values:
                runs.append({"t": 0.0, "set": self.list_settings(values), "points": []})
                known = values
            x = [0.0] * (2 * len(self.names))
            for c, i, k in zip(self.names, self.q, self.v, strict=True):
                x[i], x[k] = float(state.q.get(c, 0.0)), sign * float(state.v.get(c, 0.0))
            runs[-1]["points"].append({"t": state.t, "x": x, "take": self.v, **more})
        found: list[dict[str, Any]] = ask(self.own.archive, runs)
        for (state, _, _), answer in zip(points, found, strict=True):
            if not np.isfinite(np.array(answer["d"], dtype=float)).all():
                at = ", ".join(f"{c} = {state.q.get(c, 0.0)!r}" for c in self.names[:3])
                message = f"its derivatives are no numbers at the state {at}"
                raise MbconcordError(error(self.own.archive.file, message, "look at it there"))
        return found

    def list_settings(self, values: Mapping[str, Any]) -> list[list[Any]]:
        """Return references and values of the variables that are set before a run."""
        chosen = {variable.name: float(values[name]) for name, variable in self.parameters.items()}
        for name, text in self.formulas.items():
            try:
                chosen[name] = evaluate_float(parse_formula(text), {k: float(x) for k, x in values.items()})
            except (MbconcordError, ExpressionError, ZeroDivisionError, KeyError) as problem:
                names = ", ".join(sorted(values)) or "none"
                message = f"{name} = {text} is no formula of the model's parameters ({names}): {problem}"
                raise MbconcordError(error("symbols", message, "write a number, or a formula of these")) from None
        known = self.own.archive.variables
        return [[known[name].reference for name in chosen], [*chosen.values()]]

    def _push(self, found: FmuNumbers, pushed: Sequence[Sequence[Mapping[str, Any]]]) -> FmuNumbers:
        """Recover M and the forces from accelerations with efforts."""
        inverse, here = [], found.slopes[:, 0]
        for still, columns in zip(here, pushed, strict=True):
            made = []
            for column in columns:
                one, plus, minus = (np.array(column[name], dtype=float) for name in ("one", "plus", "minus"))
                slope = (plus - minus) / (2 * column["size"])
                room = AFFINE * np.abs(slope).max(initial=0.0) + AFFINE_ROUNDING * np.abs(still).max(initial=0.0)
                whole = (plus - still) / column["size"]
                if not (np.abs(np.stack((one - still, whole)) - slope) <= room).all():
                    return replace(found, why=BENT)
                made.append(slope)
            inverse.append(np.stack(made, axis=1))
        W = np.array(inverse)
        own = np.einsum("sii->si", W)
        if not own.all():
            return replace(found, why=STILL)
        d = np.sqrt(np.abs(own))
        unit = d[:, :, None] * d[:, None, :]
        try:
            M = np.linalg.inv(W / unit) / unit
        except np.linalg.LinAlgError:
            return replace(found, why="its efforts do not move the coordinates independently")
        forces = np.einsum("sij,skj->ski", M, found.slopes)
        return replace(found, M=M, forces=forces)


@dataclass(frozen=True)
class FmuNumbers:
    """Numbers of an FMU at N states: as they are, at rest, and with reversed rates.

    Attributes
    ----------
    slopes (N, k, n) : accelerations for the k choices of rates
    M (N, n, n), forces (N, k, n) : mass matrix, and M q'' without efforts; None if they are not recovered
    why : reason why M and forces are not recovered
    """

    slopes: Array
    M: Array | None = None
    forces: Array | None = None
    why: str = ""


class FmuWitness:
    """An FMU as a witness; a question's ``base`` states are followed by the same at rest and with reversed rates."""

    name = NAME
    shares = frozenset[str]()

    def __init__(self, tied: TiedFmu, base: int) -> None:
        self.tied, self.base = tied, base

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return no obstacles: models that cannot be compared are refused before the FMU is run."""
        return ()

    def answer(self, question: Question) -> Answer:
        """Return the FMU's accelerations, M, and parts of its forces."""
        found = question.once(self.measure)
        kinds = found.slopes.shape[1]
        own = {"acceleration": np.concatenate([found.slopes[:, k] for k in range(kinds)])}
        if found.M is None or found.forces is None:
            return Answer(Evaluation(NAME, own), allow=self._allow(question))
        rest = len(question.states) - self.base
        own["M"] = np.pad(found.M, ((0, rest), (0, 0), (0, 0)), constant_values=np.nan)
        scale = self._scale(question)
        parts = self._name_parts(question, found.forces, scale)
        return Answer(Evaluation(NAME, own), beside=parts, allow=self._allow(question))

    def measure(self, question: Question) -> FmuNumbers:
        """Run the FMU at the first ``base`` states; later calls return the stored result."""
        return self.tied.measure(question.system, question.states[: self.base])

    def expect(self, question: Question, numbers: Evaluation) -> Answer:
        """Return a formalism's numbers, with the same parts of its forces as the FMU's answer."""
        q = numbers.quantities
        if not all(name in q for name in ("gravity", "applied", "h")):
            return Answer(numbers)
        forces = q["gravity"] + q["applied"] - q["h"]
        whole = np.stack(np.split(forces, len(question.states) // self.base), axis=1)
        scale = self._scale(question)
        return Answer(numbers, beside=self._name_parts(question, whole, scale))

    def _name_parts(self, question: Question, forces: Array, scale: Array) -> dict[str, Labelled]:
        named = {name: (name, 1.0) for name in BARE} if question.system.forces else BARE
        parts = ((*named[name], x) for name, x in divide_by_rates(forces).items())
        return {name: Labelled(sign * x, question.names, scale) for name, sign, x in parts}

    def _scale(self, question: Question) -> Array:
        """Return the scale of recovered forces: that of the largest force, in units of each coordinate."""
        s = question.scales
        return np.asarray((s.roots * s.forces[:, None])[: self.base])

    def _allow(self, question: Question) -> Any:
        """Return a function that allows the FMU's numbers, which have no bounds, a tolerance."""
        cond = question.scales.cond

        def allow(quantity: str, d: ArrayDifference) -> ArrayDifference:
            if quantity == "M":
                d = d.first(self.base)
            room = np.array([solution_tolerance(c) for c in cond[: len(d.a)]])
            zeros = FOREIGN_ZEROS * EPSILON * np.max(d.scales.reshape(len(d.a), -1), axis=1, initial=0.0)
            zeros = np.broadcast_to(zeros.reshape((-1,) + (1,) * (d.a.ndim - 1)), d.a.shape)
            bound = zeros if d.bound is None else zeros + d.bound
            return replace(d, tolerance=d.tolerance + room, cond=cond[: len(d.a)], bound=bound)

        return allow


def divide_by_rates(forces: Array) -> dict[str, Array]:
    """Split forces (N, 3, n), given at rates v, 0 and -v, into parts constant, linear and quadratic in the rates."""
    if forces.shape[1] != 3:
        return {}
    forth, rest, back = forces[:, 0], forces[:, 1], forces[:, 2]
    return {AT_REST: rest, LINEAR: (forth - back) / 2, QUADRATIC: (forth + back) / 2 - rest}


#: What ties the FMU to a model, and what compares both in a trial and says in words what was compared.
Motions = tuple[Callable[[System, FmuEquations], TiedFmu], Callable[[TiedFmu, Trial], tuple[list[Comparison], str]]]


def check_fmu(
    system: System, own: FmuEquations, file: str = "-", formalisms: Sequence[str | Formalism] | None = None,
    states: int = 10, seed: int = 0, given: Sequence[State] | None = None, physics: Policy = "error",
    motions: Motions | None = None,
) -> Evidence:  # fmt: skip
    """Compare a model with an FMU.

    Parameters
    ----------
    system : System
    own : the FMU, with its user's mappings of names
    file : name of the model for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : number of random states, and their seed
    given : states to use instead
    physics : treatment of impossible masses and inertias: ``error``, ``warn`` or ``ignore``
    motions : for an FMU with Co-Simulation only: functions that match its names and that compare its motions

    Raises
    ------
    MbconcordError
        Names do not match, the FMU fails, or the model has imposed accelerations, undefined functions, or constraints
        that the FMU does not have.
    """
    require_size(system, states if given is None else len(given))
    _require_equations(system, motions is not None)
    asked = tuple(registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names())
    equations = motions is None
    tied = (motions[0] if motions else tie)(system, own)

    def judge(model: System) -> Evidence:
        held = closed_states(model, states, seed, given, before=False) if model.constraints else None
        number = (states if equations else min(states, STARTS)) if given is None else 0
        drawn = held or draw(model, number, seed, before=False)
        at = tuple(drawn.states) if equations else tuple(replace(s, t=0.0) for s in drawn.states)
        at = at if given is None or held else tuple(complete_state(model, s, seed) for s in given)
        warned = plausible(drawn.system, at, physics)
        signs = (1.0, 0.0, -1.0) if tied.efforts and equations else (1.0,)
        whole = tuple(replace(s, v={c: sign * float(x) for c, x in s.v.items()}) for sign in signs for s in at)
        made = _try_held(held, asked) if held else trial(drawn.system, with_numbers(drawn.system, whole), asked)
        notes = [*warned, *drawn.diagnostics, *_note_names(tied, drawn.system)]
        if held:
            found, said = _compare_held(tied, made, len(at), seed)
            found += list_unchecked(held.missing, quantities=[ACCELERATION]) if held.missing else []
            reach = f"accelerations on the constraints alone, asked at {count(len(at), 'state')}"
            reach += ": never for reactions and motions, nor events and stops elsewhere"
            how = ", at rest and with reversed rates" + (", and with efforts" if tied.efforts else "")
            notes += [Diagnostic("note", NAME, HELD), *said, _note_reach(tied, at, how)]
        elif motions:
            found, reach = motions[1](tied, made)
        else:
            witness = FmuWitness(tied, len(at))
            found = [c for e in made.evaluations.values() for c in _compare(witness, made, e)]
            reach = f"asked at {count(len(at), 'state')}: never for motions, nor events and stops elsewhere"
            why = made.once(witness.measure).why
            if made.once(witness.measure).M is None:
                lacks = why or "it has not an input for the effort along each coordinate (--map inputs:q1=NAME)"
                notes.append(Diagnostic("note", NAME, f"only accelerations are compared: {lacks}"))
            how = ", at rest, with reversed rates and with each effort" if tied.efforts else ""
            notes += [_note_reach(tied, at, how), *_explain(tied, made, found)]
            found += [Comparison(NAME, "", "M", "not checked", explanation=why)] if why else []
        if not found:
            reason = "no formalism that takes the model delivers accelerations"
            found = [Comparison(NAME, "", "acceleration", "not checked", explanation=reason)]
        about = Against(
            f"{FMU}{own.archive.file}", NAME, tied.by, tuple(tied.pairs.items()), (),
            "taking its states in their order" if tied.by == "order" else "",
            asked=reach,
        )  # fmt: skip
        return Evidence(
            file, drawn.system, seed, at, made.witnesses, (*made.failures(), *found), tuple(notes), about
        )  # fmt: skip

    return _judge_values(system, tied, judge)


def _judge_values(system: System, tied: TiedFmu, judge: Any) -> Evidence:
    """Compare at the model's parameter values; if all agrees, also at drawn values of parameters that the FMU has."""
    found: Evidence = judge(system)
    known = {*tied.parameters}
    kept = _list_closing(system)
    loose = [
        p.name for p in system.parameters
        if p.name in known and p.name not in kept and p.value is not None and p.value.constant
    ]  # fmt: skip
    if found.verdict == "disagrees" or not loose:
        return found
    free = (Parameter(p.name) if p.name in loose else p for p in system.parameters)
    place = f"{NAME}/parameters"
    try:
        other: Evidence = judge(replace(system, parameters=tuple(free)))
    except NumbersError:
        message = "no other values of the parameters are physical: compared at the model's values only"
        return replace(found, diagnostics=(*found.diagnostics, Diagnostic("warning", place, message)))
    if other.verdict == "disagrees":
        message = "equal at the model's values of the parameters, not at the drawn ones shown here"
        return replace(other, diagnostics=(*other.diagnostics, Diagnostic("warning", place, message)))
    said = f"at the model's values and at drawn ones of {short_list(loose)}"
    if other.verdict == "not checked" and tied.own.archive.exchange:
        return other
    if other.verdict == "not checked":
        said = "at the model's values only: motions with drawn ones tell nothing"
    return replace(found, diagnostics=(*found.diagnostics, Diagnostic("note", place, f"compared {said}")))


def _compare(witness: FmuWitness, made: Trial, numbers: Evaluation) -> Iterator[Comparison]:
    """Compare one formalism with the FMU, which is named first."""
    for c, _ in compare(witness.answer(made), witness.expect(made, numbers), made):
        yield c


def _list_closing(system: System) -> frozenset[str]:
    """List the parameters that constraints depend on: with other values the machine may not close."""
    rows = [x for row in constraint_rows(system).rows for x in (row.position, row.speed)] if system.constraints else []
    found = symbols(define(rows, system.functions))
    for p in reversed(system.parameters):
        found |= symbols([p.value]) if p.name in found and p.value is not None else frozenset()
    return frozenset(found)


def _try_held(drawn: ClosedStates, asked: Sequence[Formalism]) -> Trial:
    """Make a trial of a closed machine: at its states, at rest and reversed as far as possible, and for efforts."""
    system, own = drawn.system, drawn.assembly
    tree = system.open_loops()
    if own is None or drawn.missing:
        return trial(tree, with_numbers(system, drawn.states), asked, closed=system)
    turned = [replace(s, v={c: sign * float(x) for c, x in s.v.items()}) for sign in (0.0, -1.0) for s in own.states]
    others = assemble(system, turned)
    others = others.only(np.flatnonzero(find_satisfied(system, others.extended)).tolist())
    whole = own.with_those_of(others).with_those_of(own)
    at = with_numbers(system, whole.states)
    return with_motions(trial(tree, at, asked, closed=system, assembly=replace(whole, states=at)))


def _compare_held(tied: TiedFmu, made: Trial, base: int, seed: int) -> tuple[list[Comparison], list[Diagnostic]]:
    """Compare accelerations on the constraints, and with efforts at the last states; note what the FMU changes."""
    measure, found = made.measure, [*made.lost]
    if made.closed is None or made.assembly is None or measure is None:
        return found, []
    units, size = measure.units, np.where(measure.scale > 0, measure.scale, 1.0)[:, None]
    dice, pushes = np.random.default_rng(seed), np.zeros_like(units)
    pushes[-base:] = (units * size * dice.uniform(0.5, 1.0, units.shape) * dice.choice((-1, 1), units.shape))[-base:]
    pushed = [{"set": [tied.efforts, p[: len(tied.efforts)].tolist()], "back": True} for p in pushes]
    answers = tied.ask(made.closed, [(s, 1.0, push) for s, push in zip(made.states, pushed, strict=True)])
    own, x, back = (np.array([answer[name] for answer in answers], dtype=float) for name in ("d", "x", "back"))
    given, parts = made.given or closed_inputs(made.closed, made.assembly), {ACCELERATION: slice(0, -base)}
    parts |= {PUSHED: slice(-base, None)} if tied.efforts else {}
    for who, equations in ((who, motion.equations) for who, motion in made.motions.items() if motion.equations):
        q = equations.own(given)
        f = q["applied"].values + pushes
        q["applied"] = Bounded(f, q["applied"].bounds + U * np.abs(f))
        theirs = bounded_motion(q).acceleration
        known = np.where(np.isfinite(theirs.values), own, np.nan)
        for quantity, k in parts.items():
            a, b, bound = (y[k] * units[k] for y in (known, theirs.values, theirs.bounds))
            scale = np.fmax(np.fmax(np.abs(a), np.abs(b)).max(axis=1, initial=0.0)[:, None], size[k])
            tolerance, at = np.array([constrained_tolerance(c) for c in measure.cond[k]]), made.states[k]
            difference = ArrayDifference(a, b, scale, tolerance, measure.cond[k], units[k], bound)
            c = worst(NAME, who, quantity, difference, at, made.names)
            if quantity == PUSHED and c.verdict == "disagrees":
                s = next(i for i, state in enumerate(at) if state is c.state)
                said = [f"{name} {p:.6g}" for name, p in zip(made.names, pushes[k][s], strict=True)]
                c = replace(c, explanation=f"with the efforts {short_list(said)}")
            found.append(c)
    s, i = (int(n) for n in np.unravel_index(np.argmax(np.abs(back - x) / (1 + np.abs(x))), x.shape))
    if abs(back[s, i] - x[s, i]) <= MOVED * (1 + abs(x[s, i])):
        return found, []
    way = f"{tied.own.archive.states[i].name} by {abs(back[s, i] - x[s, i]):.3g}"
    message = f"it moves states that satisfy the model's constraints, {way}: its own may be others"
    return found, [Diagnostic("warning", NAME, message)]


def _require_equations(system: System, moving: bool) -> None:
    found = [error(place, "an imposed acceleration is no equation of an FMU with efforts", "give an effort instead")
             for feature, place in features(system) if feature == "motion_drives"]  # fmt: skip
    if system.constraints and moving:
        message = "the model has constraints, and of an FMU of Co-Simulation alone motions of trees are compared"
        found.append(error("constraints", message, "export it for Model Exchange, with the states of the model"))
    found += [
        error(f"functions/{f.name}", "a function without a formula is compared with nothing of an FMU", "define it")
        for f in system.functions if f.formula is None
    ]  # fmt: skip
    if found:
        raise ModelError(found)


def tie(system: System, own: FmuEquations) -> TiedFmu:
    """Find the model's coordinates, efforts and parameters in an FMU.

    Raises
    ------
    MbconcordError
        They do not match; the message lists the names that exist.
    """
    names, states = system.coordinate_names, own.archive.states
    if system.constraints and len(states) < 2 * len(names):
        message = f"the FMU has {count(len(states), 'state')}, the model {count(len(names), 'coordinate')} with rates"
        remedy = "export it with all coordinates as states, or give the model in the coordinates that its tool has kept"
        raise MbconcordError(error("coordinates", f"{message}: its tool has solved the constraints", remedy))
    rates = _find_rates(own.archive, bool(system.constraints))
    places = {state.name: i for i, state in enumerate(states)}
    require_names("coordinates", own.coordinates, names)
    require_names("rates", own.rates, names)
    q: dict[str, int] = {}
    for c, text in own.coordinates.items():
        if text.strip() not in places:
            message = f"{c} = {text.strip()} is no state of the FMU"
            raise MbconcordError(error("coordinates", message, f"{among(text.strip(), [*places])}"))
        q[c] = places[text.strip()]
    by = "the command" if q else "name"
    for c in names:
        fitting = [i for i in rates if states[i].last == c and i not in q.values()]
        if c not in q and len(fitting) == 1:
            q[c] = fitting[0]
    left, open_ones = [i for i in rates if i not in q.values()], [c for c in names if c not in q]
    if open_ones:
        if len(left) != len(open_ones):
            listed = short_list([states[i].name for i in left]) or "none"
            message = f"no state of the FMU is {short_list(open_ones)} by its name; positions that are left: {listed}"
            remedy = f"say which: --map coordinates:{open_ones[0]}=NAME; states are {short_list([*places])}"
            raise MbconcordError(error("coordinates", message, remedy))
        q |= dict(zip(open_ones, left, strict=True))
        by = "order"
    v = {c: _find_rate(c, q[c], own, rates) for c in names}
    used = {*q.values(), *v.values()}
    if len(used) != 2 * len(names):
        raise MbconcordError(error("coordinates", "one state of the FMU is told of two", "each is one coordinate"))
    if extra := [state.name for i, state in enumerate(states) if i not in used]:
        message = f"states of the FMU are neither a coordinate of the model nor a rate: {short_list(extra)}"
        raise MbconcordError(error("coordinates", message, "a model with all of them, or an FMU without"))
    places_of = [tuple(x[c] for c in names) for x in (q, v)]
    return complete_tie(system, own, [states[i] for i in used], places_of, by, [states[i].name for i in places_of[0]])


def complete_tie(
    system: System, own: FmuEquations, used: Sequence[NamedReal], places: Sequence[tuple[int, ...]], by: str,
    titles: Sequence[str],
) -> TiedFmu:  # fmt: skip
    """Complete a match of positions and rates by efforts and parameters; refuse units other than SI."""
    parameters, formulas = _find_parameters(system, own)
    efforts = _find_efforts(system.coordinate_names, own)
    for variable in (*used, *parameters.values(), *efforts):
        if variable.factor != 1.0:
            why = f"factor {variable.factor:g}"
            if np.isnan(variable.factor):
                why = "the description gives no factor of it, or an offset"
            message = f"the unit {variable.unit!r:.40} of its {variable.name} is no unit of SI alone ({why})"
            raise MbconcordError(error(own.archive.file, message, "export it with rad, m, kg and s, each defined"))
    names, pushed = system.coordinate_names, tuple(x.reference for x in efforts)
    pairs = dict(zip(names, titles, strict=True))
    return TiedFmu(own, names, places[0], places[1], pushed, parameters, formulas, by, pairs)


def require_names(option: str, told: Mapping[str, str], names: Sequence[str]) -> None:
    """Refuse names in an option that are no coordinates of the model."""
    for name in told:
        if name not in names:
            raise MbconcordError(error(option, f"the model has no {name!r}", among(name, names)))


def _find_rates(archive: FmuArchive, held: bool) -> dict[int, list[int]]:
    """Map each state's place to the places of states that equal its derivative at random points.

    For a machine with constraints the points are near its start, as changed by the FMU.
    """
    random, n = Random(0), len(archive.states)
    points = [[random.choice((-1, 1)) * random.uniform(0.2, 1.2) for _ in range(n)] for _ in range(PROBES)]
    asked: list[dict[str, Any]] = [{"t": 0.5, "x": x, "back": True} for x in points]
    if held:
        asked = [{"t": 0.0, "x": None, "shift": [NEAR * y for y in x], "back": True} for x in points]
    answers = ask(archive, [{"t": 0.0, "set": [[], []], "points": [point]} for point in asked])
    found = {}
    for i in range(n):
        fitting = [
            k for k in range(n)
            if k != i and all(abs(x["d"][i] - x["back"][k]) <= SAME * abs(x["back"][k]) for x in answers)
        ]  # fmt: skip
        if fitting:
            found[i] = fitting
    return found


def _find_rate(c: str, place: int, own: FmuEquations, rates: Mapping[int, list[int]]) -> int:
    """Return the place of the rate of a coordinate."""
    states, told = own.archive.states, own.rates.get(c, "").strip()
    fitting = rates.get(place, [])
    chosen = [k for k in fitting if told in ("", states[k].name)]
    chosen = chosen if len(chosen) == 1 else [k for k in chosen if states[k].last == c]
    if len(chosen) == 1:
        return chosen[0]
    if told and fitting:
        message = f"the rate of {c} is {states[fitting[0]].name}, by its derivative; found {told}"
        raise MbconcordError(error("rates", message, "leave it out"))
    if fitting:
        message = f"the derivative of {states[place].name} is any of {short_list([states[k].name for k in fitting])}"
        raise MbconcordError(error("rates", message, f"say which: --map rates:{c}=NAME"))
    message = f"the derivative of {states[place].name} is no state of the FMU, but {c} needs its rate"
    raise MbconcordError(error("coordinates", message, "name the state that is a position"))


def _find_efforts(names: Sequence[str], own: FmuEquations) -> tuple[NamedReal, ...]:
    """Return the inputs that are the efforts along the coordinates; empty if any is missing."""
    inputs = {x.name: x for x in own.archive.variables.values() if x.causality == "input"}
    continuous = [x for x in inputs.values() if x.variability == "continuous"]
    require_names("inputs", own.inputs, names)
    found = []
    for c in names:
        told = own.inputs.get(c, "").strip()
        if told and told not in inputs:
            raise MbconcordError(error("inputs", f"the FMU has no input {told!r}", among(told, [*inputs])))
        own_names = [x for x in continuous if x.name == f"tau_{c}" or x.fits("effort", c)]
        if told:
            found.append(inputs[told])
        elif len(own_names) == 1:
            found += own_names
    return tuple(found) if len({x.reference for x in found}) == len(names) else ()


def _find_parameters(system: System, own: FmuEquations) -> tuple[dict[str, NamedReal], dict[str, str]]:
    """Return the FMU's parameters by the model's names, and those for which the user gave formulas."""
    able = [x for x in own.archive.variables.values() if x.causality == "parameter" and x.variability != "constant"]
    formulas = {}
    for name, text in own.symbols.items():
        fitting = [x.name for x in able if name in (x.name, x.last)]
        if len(fitting) != 1:
            message = f"the FMU has {count(len(fitting), 'parameter')} {name!r}"
            raise MbconcordError(error("symbols", message, among(name, [x.name for x in able])))
        formulas[fitting[0]] = text
    found = {}
    for p in system.parameters:
        fitting_ones = [x for x in able if x.last == p.name and x.name not in formulas]
        if len(fitting_ones) == 1:
            found[p.name] = fitting_ones[0]
        elif p.value is None and not any(p.name in text for text in formulas.values()):
            message = "it has no value, and the FMU has not one parameter of this name"
            raise NumbersError(error(f"parameters/{p.name}", message, f"give it: --set {p.name}=NUMBER"))
    return found, formulas


def _note_names(tied: TiedFmu, system: System) -> Iterator[Diagnostic]:
    """Yield notes on how names were matched, which values were set, and what was not compared."""
    archive = tied.own.archive
    matched = "; ".join(f"{c} = {name}" for c, name in tied.pairs.items())
    if tied.by == "order":
        setting = ",".join(f"{c}={name}" for c, name in tied.pairs.items())
        remedy = f"where this is meant: --map 'coordinates:{setting}'"
        yield Diagnostic("warning", f"{NAME}/coordinates", f"matched by order: {matched}", remedy)
    else:
        yield Diagnostic("note", f"{NAME}/coordinates", f"matched by {tied.by}: {matched}")
    if archive.tool.startswith("mbconcord"):
        message = f"{archive.tool} wrote this FMU: it holds a formalism's equations and is no independent witness"
        yield Diagnostic("warning", NAME, message)
    values = parameter_values(system, {p.name: 0.0 for p in system.parameters if p.value is None})
    apart = [
        f"{x.name} = {x.start!r} ({float(values[p])!r})" for p, x in tied.parameters.items()
        if _has_value(system, p) and x.start is not None and x.start != float(values[p])
    ]  # fmt: skip
    if apart:
        message = f"starts of the FMU are not the model's values, to which they were set: {short_list(apart)}"
        yield Diagnostic("warning", f"{NAME}/parameters", message)
    set_ones = {x.name for x in tied.parameters.values()} | {*tied.formulas}
    kept = [x.name for x in archive.variables.values() if x.causality == "parameter" and x.name not in set_ones]
    kept += [
        x.name for x in archive.variables.values() if x.causality == "input" and x.reference not in tied.efforts
    ]  # fmt: skip
    if kept:
        yield Diagnostic("note", f"{NAME}/parameters", f"kept at their starts: {short_list(kept)}")
    if archive.events and archive.exchange:
        yield Diagnostic("note", f"{NAME}/events", "events were iterated at every state")


def _note_reach(tied: TiedFmu, at: Sequence[State], how: str) -> Diagnostic:
    """Return a note on the states and ways in which the FMU was run; its behaviour elsewhere was not compared."""
    values = {c: [float(s.q.get(c, 0.0)) for s in at] for c in tied.names} | {"t": [s.t for s in at]}
    within = short_list([f"{name} {min(x):.3g} to {max(x):.3g}" for name, x in values.items()])
    message = f"asked for derivatives within {within}{how}; what stops, touches or switches elsewhere was never asked"
    return Diagnostic("note", f"{NAME}/asked", message)


def _has_value(system: System, name: str) -> bool:
    """Tell whether a parameter of the model has a value."""
    return any(p.name == name and p.value is not None for p in system.parameters)


def _explain(tied: TiedFmu, made: Trial, found: Sequence[Comparison]) -> Iterator[Diagnostic]:
    """Yield the cause of disagreements, if M and forces were recovered and the model has no applied forces."""
    if not any(c.verdict == "disagrees" for c in found) or made.system.forces:
        return
    parameters = dict(made.states[0].parameters)
    at = tuple(
        complete_state(made.system, replace(s, parameters=parameters), 0) for s in ordinary_states(made.system, 0)
    )
    numbers = tied.measure(made.system, at)
    if numbers.M is None or numbers.forces is None:
        return
    parts = divide_by_rates(numbers.forces)
    said = {"M": numbers.M, "h": -parts[QUADRATIC], "gravity": parts[AT_REST]}
    answer = replace(why_not_said(made.system, at, Said(said), DIGITS), names=("the model", NAME))
    yield Diagnostic("note", f"{NAME}/why", str(answer))
