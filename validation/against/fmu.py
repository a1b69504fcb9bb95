"""Check a model against an FMU: one more witness, of which nothing is known but what it answers.

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
from mbconcord.model.expressions import ExpressionError, evaluate_float
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.features import features
from mbconcord.model.numbers import parameter_values
from mbconcord.model.shown import count
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace

from ..check import with_numbers
from ..explain.numbers import Said
from ..explain.numbers import states as ordinary_states
from ..explain.search import why_not_said
from ..judge.agreement import compare
from ..judge.comparison import ArrayDifference
from ..judge.evidence import Against, Comparison, Evidence
from ..judge.matching import short_list
from ..judge.motion import Array
from ..judge.size import plausible, require_size
from ..judge.states import complete_state, draw
from ..judge.tolerances import EPSILON, FOREIGN_ZEROS, solution_tolerance
from ..judge.trial import Trial, trial
from ..judge.witness import Answer, Labelled, Question
from .fmu_archive import FmuArchive, NamedReal, ask, read_archive
from .own.files import FMU

NAME: Final = "fmu"
#: Starts of motions, at most.
STARTS: Final = 3
#: States at which rates are looked for among the derivatives, and how near these must be.
PROBES, SAME = 3, 1e-12
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
    """An FMU that may be run, with what its user says of names.

    Attributes
    ----------
    archive : its description
    coordinates, rates : coordinate of the model -> name of the state that it, or its rate, is
    symbols : name of a parameter of the FMU -> formula of the model's
    inputs : coordinate of the model -> name of the input that is the effort along it
    """

    archive: FmuArchive
    coordinates: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The kind of text that they were read from: ``FMU 3.0``."""
        return f"FMU {self.archive.version}.0"


def read_fmu(file: str, allow_binary: bool, **told: Mapping[str, str]) -> FmuEquations:
    """Read an FMU that the user allows to be run.

    Raises
    ------
    MbconcordError
        It is not allowed, is no FMU, or has no binary for Model Exchange on this platform.
    """
    if not allow_binary:
        message = "an FMU is a program, and is run only where that is allowed"
        remedy = "run it if you trust it: --allow-binary, in Python allow_binary=True"
        raise MbconcordError(error(f"{FMU}{file}", message, remedy))
    archive = read_archive(file)
    archive.require_binary()
    if archive.exchange and not archive.states:
        raise MbconcordError(error(file, "it has no continuous states", "equations of motion have some"))
    return FmuEquations(archive, **told)


@dataclass(frozen=True)
class TiedFmu:
    """An FMU with the places of the model's names in it.

    Attributes
    ----------
    own : the FMU
    q, v : places of positions and rates among its states, in the order of the model's coordinates
    efforts : references of the inputs along the coordinates; empty: it has not all
    parameters : name of a parameter of the model -> variable of the FMU
    formulas : variable of the FMU -> formula of the model's parameters
    by : how coordinates were found, ``name``, ``the command`` or ``order``
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
        """Run the FMU at states, and where it takes efforts also at rest, with reversed rates, and pushed.

        Raises
        ------
        MbconcordError
            It fails, or gives what is no number.
        """
        runs: list[dict[str, Any]] = []
        known: Any = None
        kinds = (1.0, 0.0, -1.0) if self.efforts else (1.0,)
        for state in states:
            values = parameter_values(system, dict(state.parameters))
            if known != values:
                runs.append({"t": 0.0, "set": self.list_settings(values), "points": []})
                known = values
            for sign in kinds:
                x = [0.0] * (2 * len(self.names))
                for c, i, k in zip(self.names, self.q, self.v, strict=True):
                    x[i], x[k] = float(state.q.get(c, 0.0)), sign * float(state.v.get(c, 0.0))
                push = {"push": self.efforts} if sign == 1.0 else {}
                runs[-1]["points"].append({"t": state.t, "x": x, "take": self.v, **push})
        found = ask(self.own.archive, runs)
        n, each = len(self.names), len(kinds)
        slopes = np.array([answer["d"] for answer in found], dtype=float).reshape(len(states), each, n)
        if not np.isfinite(slopes).all():
            s = int(np.argwhere(~np.isfinite(slopes))[0, 0])
            at = ", ".join(f"{c} = {states[s].q.get(c, 0.0)!r}" for c in self.names[:3])
            raise MbconcordError(
                error(self.own.archive.file, f"its derivatives are no numbers at the state {at}", "look at it there")
            )
        whole = FmuNumbers(slopes)
        if self.efforts:
            whole = self._push(whole, [answer["push"] for answer in found[::each]])
        return whole

    def list_settings(self, values: Mapping[str, Any]) -> list[list[Any]]:
        """Return references and values of what is set."""
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
    slopes (N, k, n) : accelerations
    M (N, n, n), forces (N, k, n) : mass matrix, and M q'' without efforts; None where they are not recovered
    why : they are not
    """

    slopes: Array
    M: Array | None = None
    forces: Array | None = None
    why: str = ""


class FmuWitness:
    """An FMU on a question whose states are followed by those at rest and with reversed rates."""

    name = NAME
    shares = frozenset[str]()

    def __init__(self, tied: TiedFmu, base: int) -> None:
        self.tied, self.base = tied, base

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return no obstacles: what an FMU is not compared with is refused before it is run."""
        return ()

    def answer(self, question: Question) -> Answer:
        """Return its accelerations, M, and parts of its forces."""
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
        """Run it at the first states, once."""
        return self.tied.measure(question.system, question.states[: self.base])

    def expect(self, question: Question, numbers: Evaluation) -> Answer:
        """Return a formalism's numbers, and the same parts of its forces."""
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
        """Return the scale of forces that are recovered: of the largest, in units of each coordinate."""
        s = question.scales
        return np.asarray((s.roots * s.forces[:, None])[: self.base])

    def _allow(self, question: Question) -> Any:
        """Return what its numbers may be off, which have no bounds."""
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
    """Divide forces (N, 3, n), at rates v, 0 and -v, by their dependence on the rates."""
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
    own : the FMU, with what its user said of names
    file : name of the model for the report
    formalisms : names (or instances) to ask; None: all
    states, seed : number of random states, and their seed
    given : states to use instead
    physics : treatment of impossible masses and inertias: ``error``, ``warn`` or ``ignore``
    motions : of an FMU of Co-Simulation alone: what ties it, and what compares its motions

    Raises
    ------
    MbconcordError
        Names do not match, the FMU fails, or the model has constraints, imposed accelerations or undefined functions.
    """
    require_size(system, states if given is None else len(given))
    _require_tree(system)
    asked = tuple(registry.formalism(f) if isinstance(f, str) else f for f in formalisms or registry.names())
    equations = motions is None
    tied = (motions[0] if motions else tie)(system, own)

    def judge(model: System) -> Evidence:
        drawn = draw(model, (states if equations else min(states, STARTS)) if given is None else 0, seed)
        at = tuple(replace(s, t=abs(s.t) if equations else 0.0) for s in drawn.states)
        at = at if given is None else tuple(complete_state(model, s, seed) for s in given)
        warned = plausible(drawn.system, at, physics)
        signs = (1.0, 0.0, -1.0) if tied.efforts and equations else (1.0,)
        whole = tuple(replace(s, v={c: sign * float(x) for c, x in s.v.items()}) for sign in signs for s in at)
        made = trial(drawn.system, with_numbers(drawn.system, whole), asked)
        notes = [*warned, *drawn.diagnostics, *_note_names(tied, drawn.system)]
        if motions:
            found, reach = motions[1](tied, made)
        else:
            witness = FmuWitness(tied, len(at))
            found = [c for e in made.evaluations.values() for c in _compare(witness, made, e)]
            reach = f"asked at {count(len(at), 'state')}: never for motions, nor events and stops elsewhere"
            why = made.once(witness.measure).why
            if made.once(witness.measure).M is None:
                lacks = why or "it has not an input for the effort along each coordinate (--inputs q1=NAME)"
                notes.append(Diagnostic("note", NAME, f"only accelerations are compared: {lacks}"))
            notes += [_note_reach(tied, at), *_explain(tied, made, found)]
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
    """Judge at the values of the model's parameters; if all agrees, at drawn ones of those that the FMU has, too."""
    found: Evidence = judge(system)
    known = {*tied.parameters}
    loose = [p.name for p in system.parameters if p.name in known and p.value is not None and p.value.constant]
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


def _require_tree(system: System) -> None:
    found = [error(place, "an imposed acceleration is no equation of an FMU with efforts", "give an effort instead")
             for feature, place in features(system) if feature == "motion_drives"]  # fmt: skip
    if system.constraints:
        message = "the model has constraints, and an FMU of a closed machine has states of its tool's choice"
        found.append(error("constraints", message, "compare motions: simulate, beside the FMU's own"))
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
        They do not go together: with the names that there are.
    """
    names, states = system.coordinate_names, own.archive.states
    rates = _find_rates(own.archive)
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
            remedy = f"say which: --coordinates {open_ones[0]}=NAME; states are {short_list([*places])}"
            raise MbconcordError(error("coordinates", message, remedy))
        q |= dict(zip(open_ones, left, strict=True))
        by = "order"
    v = {c: _find_rate(c, q[c], own, rates, places) for c in names}
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
    """Find efforts and parameters, too, and refuse units that are not those of SI."""
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
    """Refuse names of an option that are no coordinates of the model."""
    for name in told:
        if name not in names:
            raise MbconcordError(error(option, f"the model has no {name!r}", among(name, names)))


def _find_rates(archive: FmuArchive) -> dict[int, int]:
    """Return the place of a position -> that of the one state that its derivative equals at random states."""
    random, n = Random(0), len(archive.states)
    points = [[random.choice((-1, 1)) * random.uniform(0.2, 1.2) for _ in range(n)] for _ in range(PROBES)]
    run = {"t": 0.0, "set": [[], []], "points": [{"t": 0.5, "x": x} for x in points]}
    slopes = [answer["d"] for answer in ask(archive, [run])]
    found = {}
    for i in range(n):
        fitting = [
            k for k in range(n)
            if k != i and all(abs(d[i] - x[k]) <= SAME * abs(x[k]) for d, x in zip(slopes, points, strict=True))
        ]  # fmt: skip
        if len(fitting) == 1:
            found[i] = fitting[0]
    return found


def _find_rate(c: str, place: int, own: FmuEquations, rates: Mapping[int, int], places: Mapping[str, int]) -> int:
    """Return the place of the rate of a coordinate."""
    if place not in rates:
        message = f"the derivative of {own.archive.states[place].name} is no state of the FMU, but {c} needs its rate"
        raise MbconcordError(error("coordinates", message, "name the state that is a position"))
    told = own.rates.get(c, "").strip()
    if told and places.get(told) != rates[place]:
        message = f"the rate of {c} is {own.archive.states[rates[place]].name}, by its derivative; found {told}"
        raise MbconcordError(error("rates", message, "leave it out"))
    return rates[place]


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
    """Return the FMU's parameters by names of the model's, and by formulas that are told."""
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
    """Yield how names were matched, what was set, and what was not compared."""
    archive = tied.own.archive
    matched = "; ".join(f"{c} = {name}" for c, name in tied.pairs.items())
    if tied.by == "order":
        setting = ",".join(f"{c}={name}" for c, name in tied.pairs.items())
        remedy = f"where this is meant: --coordinates '{setting}'"
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


def _note_reach(tied: TiedFmu, at: Sequence[State]) -> Diagnostic:
    """Say where and how an FMU was asked: what it does beyond, or from one state to the next, was not."""
    values = {c: [float(s.q.get(c, 0.0)) for s in at] for c in tied.names} | {"t": [s.t for s in at]}
    within = short_list([f"{name} {min(x):.3g} to {max(x):.3g}" for name, x in values.items()])
    how = ", at rest, with reversed rates and with each effort" if tied.efforts else ""
    message = f"asked for derivatives within {within}{how}; what stops, touches or switches elsewhere was never asked"
    return Diagnostic("note", f"{NAME}/asked", message)


def _has_value(system: System, name: str) -> bool:
    """Tell whether a parameter of the model has a value."""
    return any(p.name == name and p.value is not None for p in system.parameters)


def _explain(tied: TiedFmu, made: Trial, found: Sequence[Comparison]) -> Iterator[Diagnostic]:
    """Yield the cause of disagreements, where M and forces of a model without applied forces are recovered."""
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
