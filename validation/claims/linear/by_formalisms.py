"""Reduced matrices of one formalism in 50 digits, judged by motions of others, each by its own expressions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.body import Inertia, tensor
from mbconcord.model.diagnostics import FormalismError, MbconcordError
from mbconcord.model.expressions import ExpressionError, number
from mbconcord.model.force import JointEffort
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.keeping import place_state
from mbconcord.simulation.linear.equations import SlopeEquations, equations
from mbconcord.simulation.linear.equilibrium import Resting
from mbconcord.simulation.linear.following import RelativeEquilibrium, Spectrum
from mbconcord.simulation.linear.linearised import BALANCED, Linearised
from mbconcord.simulation.linear.reduction import (
    Basis,
    IndependentCoordinates,
    ReducedMatrices,
    accelerations,
    choice,
    units_of,
)
from mbconcord.simulation.linear.relative import FieldNumbers
from mbconcord.simulation.linear.sweep import CRITICAL, Sweeper, SweptMotion

from ...judge.evidence import Comparison, Verdict
from ...judge.floats import EXACT
from ...judge.kinematics import TreeKinematics, takes
from ...judge.progress import count_progress
from ...judge.scale import mass_matrix, scale_forces
from ...judge.tolerances import AT_REST, EPSILON, LINEAR_DIGITS
from ...witnesses.assembly import find_nearness
from ...witnesses.direct.formulas import bind
from ...witnesses.direct.tree import NAME as DIRECT
from ...witnesses.direct.tree import DirectTree, obstacles
from ...witnesses.screen import PRINTED
from .exact import Exactly, Referee, on_constraints, refereed
from .judged import equilibrium_printed
from .orbit import orbit_evidence, period_evidence
from .printed import PROBED, linear_printed, linear_probed
from .road import Road, sizes, stiffness_of_forces, worst

#: What is compared.
MATRICES = ("M", "C", "K", "B")
#: The same of a sweep.
SWEPT: Final = "eigenvalues of the sweep"
#: Parts of the forces in the order of :class:`.SlopeEquations`; so far are positions and rates where they are compared.
PARTS, MOVED = ("gravity", "applied", "h"), (0.1, 0.7)
#: So far (m, rad, s) a motion that is called steady goes on before its matrices are compared.
LATER: Final = 0.0987654321


@dataclass(frozen=True)
class _Witness:
    made: SlopeEquations
    found: Referee


def linear_evidence(
    system: System, found: Linearised, formalisms: Sequence[Formalism], inputs: Sequence[str] | None,
    hold: Collection[str] = (), printed: Mapping[str, Any] | None = None, made: SlopeEquations | None = None,
    most: int | None = None,
) -> tuple[Comparison, ...]:  # fmt: skip
    """Check linearised equations in 50 digits, and along random directions by motions of other formalisms.

    Motions need only values of a formalism's equations, no derivatives: a matrix that differs in any entry also differs
    along a random direction. If one differs, the other formalism's equations are differentiated, too, and entries are
    compared.

    Parameters
    ----------
    system, found
    formalisms : those to use; any that cannot take the model, or has no equations of motion, is skipped
    inputs, hold : as they were linearised with
    printed : the JSON of the printed output, which is inserted into the equations of another formalism
    made : the equations that were linearised, if known
    most : largest number of other formalisms that are asked; None: all
    """
    at, units, own = on_constraints(system, found.state), None, found.formalism
    witnesses: dict[str, _Witness] = {}
    said: list[Comparison] = []
    for by in count_progress("formalism", sorted(formalisms, key=lambda f: f.name != own), lambda f: f.name):
        if most is not None and len(witnesses.keys() - {own}) >= most:
            break
        if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
            continue
        try:
            known = made if by.name == own else None
            these = known or equations(system, by, found.state.parameters, inputs, sorted(hold))
            floats = these.numbers(_values(these, found.state))
            units = units_of(floats.M) if units is None else units
            judged = witnesses[own].found if own in witnesses else None
            witnesses[by.name] = _Witness(these, refereed(these, at, found.choice, floats.lines, units, judged=judged))
        except FormalismError:  # it delivers no equations of motion
            continue
        except Exception as problem:  # whatever a formalism raises is evidence against it
            lost = isinstance(problem, ExpressionError)
            verdict: Verdict = "not checked" if lost else "disagrees"
            explanation = f"{type(problem).__name__}: {problem}"
            said.append(Comparison(by.name, "", "linear equations", verdict, explanation=explanation))
    said += _compare(found, witnesses)
    others = [name for name in witnesses if name != own] or [*witnesses]
    if others and printed is not None and printed["bodies"]:
        by = next(f for f in formalisms if f.name == others[0])
        said += _by_weights(system, found, by, witnesses[others[0]].made, printed)
    for k, name in enumerate(others):
        said += _by_motions(system, found, name, witnesses, at, None if k else printed)
    said += _by_fields(system, found.state, {name: witness.made for name, witness in witnesses.items()})
    if witnesses:
        said += _by_definition(system, found, next(iter(witnesses.values())))
    if found.motion.steady and own in witnesses:
        said += _later(system, found, witnesses[own], at)
    if (found.relative or found.periodic) and printed is not None and others:
        by = next(f for f in formalisms if f.name == others[0])
        judge = orbit_evidence if found.relative else period_evidence
        said += judge(system, found, by, witnesses[others[0]].made, printed)
    near = find_nearness(system, found.state) if any(c.verdict == "disagrees" for c in said) else None
    if near is None:
        return tuple(said)
    why = (
        f"near a singular position: rows are independent by {near:.1g} of their size only (linearise farther beside it)"
    )
    return tuple(replace(c, verdict="not checked", explanation=why) if c.verdict == "disagrees" else c for c in said)


def _by_weights(
    system: System, found: Linearised, by: Formalism, made: SlopeEquations, printed: Mapping[str, Any]
) -> Iterator[Comparison]:
    """Compare bodies' shares in the energy of modes with M, and with the change of M if each body becomes heavier.

    The change is computed by validation's own kinematics if these take the model: a formalism derives all forces anew.
    """
    weights = {
        body.name: Fraction(k, 8 * len(system.bodies))
        for k, body in enumerate(system.bodies, 1)
        if not (body.modal or body.flywheels or body.added_inertia is not None)
    }
    M, tree = made.numbers(_values(made, found.state)).M, system.open_loops()
    if takes(tree):
        factors = {name: float(weight) for name, weight in weights.items()}
        name, gained = "kinematics", mass_matrix(TreeKinematics(tree, [found.state]), factors)[0]
    else:
        name, heavier = by.name, {body: 1 + number(weight) for body, weight in weights.items()}
        bodies = tuple(
            replace(x, inertia=Inertia(x.inertia.mass * w, x.inertia.centre, tensor(i * w for i in x.inertia.tensor)))
            if (w := heavier.get(x.name)) is not None else x for x in system.bodies
        )  # fmt: skip
        other = equations(replace(system, bodies=bodies), by, found.state.parameters)
        gained = other.numbers(_values(other, found.state)).M - M
    of_bodies = np.array([float(weights.get(body, 0)) for body in printed["bodies"]])
    alone = not system.armatures and not any(True for _ in system.massive())
    for k, mode in enumerate(printed["modes"], 1):
        x = np.array(mode["shape"], dtype=float) @ [1, 1j]
        energy = float((x.conj() @ M @ x).real)
        along, shares = (np.array(mode[f"shares of {of}"], dtype=float) for of in ("coordinates", "bodies"))
        if not energy > 0:
            continue
        rows = [
            ("coordinates", by.name, along, (x.conj() * (M @ x)).real / energy),
            ("bodies", name, of_bodies @ shares, (x.conj() @ gained @ x).real / energy),
        ]  # fmt: skip
        rows += [("bodies in sum", by.name, shares.sum(), 1.0)] if alone else []
        for of, witness, one, own in rows:
            said = f"mode {k}: shares of {of}"
            x_own, ones = np.atleast_1d(own), np.ones(np.size(own))
            yield worst(
                found.formalism, witness, said, np.atleast_1d(one), x_own, ones, 1.0, (), LINEAR_DIGITS, PRINTED
            )


def _later(system: System, found: Linearised, witness: _Witness, at: Exactly) -> Iterator[Comparison]:
    """Compare M, C, K of a motion that is reported as steady with those at a later moment; B may change."""
    made, now = witness.made, witness.found
    a = [now.values[f"{name}''"] if found.unbalanced > BALANCED else 0 for name in made.names]
    rates = [*(abs(float(v)) for v in at.v), *(abs(float(x)) ** 0.5 for x in a), float(made.rheonomic)]
    if not max(rates):
        return
    h = at.closing.t * 0 + LATER / max(rates)
    motion = list(zip(made.names, at.q, at.v, a, strict=True))
    q = {name: float(q + v * h + x * h * h / 2) for name, q, v, x in motion}
    v = {name: float(v + x * h) for name, _, v, x in motion}
    later, by = replace(found.state, t=float(at.t + h), q=q, v=v), f"{made.formalism} {float(h):.3g} s later"
    try:
        then = on_constraints(system, later)
        floats = made.numbers(_values(made, later))
        whole = refereed(made, then, found.choice, floats.lines, units_of(floats.M))
    except (MbconcordError, ExpressionError, ArithmeticError, np.linalg.LinAlgError) as problem:
        reason = f"{made.formalism} has no numbers later on the motion: {problem}"
        yield Comparison(found.formalism, by, "steady", "not checked", explanation=reason, claim="linear")
        return
    for name in MATRICES[:3]:
        yield from _matrix(found.formalism, by, name, now.reduced, whole, found, LINEAR_DIGITS)


def _by_motions(
    system: System, found: Linearised, name: str, witnesses: Mapping[str, _Witness], at: Exactly,
    printed: Mapping[str, Any] | None,
) -> Iterator[Comparison]:  # fmt: skip
    """Compare the matrices with a formalism's motions; with its own derivatives if the motions do not confirm them."""
    own, witness = witnesses.get(found.formalism), witnesses[name]
    probed = own is not None and own is not witness

    def ask(road: Road) -> list[Comparison]:
        form = {"formalism": found.formalism}
        return [*(linear_probed(form, road) if printed is None else linear_printed(printed, road))]

    road = Road(witness.made, witness.found, at, own.found if own else None, probed=probed)
    said = ask(road)
    by_motion = [c for c in said if c.quantity.endswith(PROBED.split()[-1])]
    if probed and not all(c.verdict == "agrees" for c in by_motion):
        made = witness.made
        floats = made.numbers(_values(made, found.state))
        whole = refereed(made, at, found.choice, floats.lines, units_of(floats.M))
        for matrix in MATRICES:
            assert own is not None
            yield from _matrix(found.formalism, name, matrix, own.found.reduced, whole, found, at.same)
        said = [*by_motion, *ask(replace(road, found=whole, probed=False))]
    yield from said


def _values(made: SlopeEquations, state: State) -> dict[str, Any]:
    q, v = ([x[name] for name in made.names] for x in (state.q, state.v))
    return made.values(state.t, q, v, [0.0] * len(q), [0.0] * len(made.rows))


def _compare(found: Linearised, witnesses: Mapping[str, _Witness]) -> Iterator[Comparison]:
    if len(witnesses) < 2:
        who = next(iter(witnesses), "")
        reason = f"only {who} delivers it; two are needed" if who else "no formalism delivers it"
        yield Comparison(who, "", "linear equations", "not checked", explanation=reason)
    own = witnesses.get(found.formalism)
    if own is not None:
        floats = ReducedMatrices(found.M, found.C, found.K, found.B, None, None, None)
        for name in MATRICES:
            yield from _matrix(found.formalism, EXACT, name, floats, own.found, found, LINEAR_DIGITS)


def _matrix(
    a: str, b: str, name: str, x: ReducedMatrices, by: Referee, found: Linearised, tolerance: float
) -> Iterator[Comparison]:  # fmt: skip
    """Compare the entry of a reduced matrix that differs most, in comparable units of coordinates."""
    y = by.reduced
    first, second = getattr(x, name), getattr(y, name)
    if not second.size:
        return
    rows, columns = (found.rates, {"K": found.positions, "B": [u.name for u in found.inputs]}.get(name, found.rates))
    own = np.sqrt(np.abs(np.diag(y.M).astype(float)))
    of = dict(zip(found.rates, own.tolist(), strict=True))
    right = np.ones(len(columns)) if name == "B" else np.array([of.get(c, 1.0) for c in columns])
    weights = np.outer(own, right)
    yield worst(
        a,
        b,
        f"linear {name}",
        first,
        second,
        weights,
        sizes(name, y, weights, stiffness_of_forces(by)),
        (rows, columns),
        tolerance,
    )


def _by_fields(system: System, state: State, witnesses: Mapping[str, SlopeEquations]) -> Iterator[Comparison]:
    """Compare gravity, applied forces and h with those of the direct witness, at a state moved off the given one.

    At rest some of them vanish, and confused parts would not be noticed: one code linearises all formalisms.
    """
    tree, names = system.open_loops(), system.coordinate_names
    q, v = (
        {name: x[name] + shift * (-1) ** i for i, name in enumerate(names)}
        for x, shift in zip((state.q, state.v), MOVED, strict=True)
    )
    moved = replace(state, q=q, v=v)
    try:
        reason = next((against.reason for against in obstacles(tree)), "")
        body = None if reason else DirectTree(tree, bind(tree, [moved], at_rest=True))
        found = (body.gravity(), body.sum_applied_forces(), body.inertial()) if body else ()
        fields = {name: x[0] for name, x in zip(PARTS, found, strict=False)}
        numbers = {name: made.numbers(_values(made, moved)) for name, made in witnesses.items() if fields}
    except (MbconcordError, ExpressionError, ArithmeticError) as problem:
        reason = str(problem).splitlines()[0]
    if not (reason or all(np.isfinite(fields[what]).all() for what in PARTS)):
        reason = f"{DIRECT} has no numbers off the state"
    if reason or not names:
        yield Comparison("", DIRECT, "forces off the state", "not checked", explanation=reason, claim=PRINTED)
        return
    sized = takes(tree)
    made_of = scale_forces(TreeKinematics(tree, [moved])) if sized else {x: np.abs(fields[x])[None] for x in PARTS}
    for name, own in numbers.items():
        weights = 1 / units_of(own.M)
        size = float((sum(made_of[what][0] for what in PARTS) / weights).max())
        for what, x in zip(PARTS, own.parts, strict=True):
            said = f"{what} off the state"
            yield worst(name, DIRECT, said, x, fields[what], weights, size, (names,), LINEAR_DIGITS)


def _by_definition(system: System, found: Linearised, witness: _Witness) -> Iterator[Comparison]:
    """Compare inputs along coordinates with unit efforts, their units, and statements about a state at rest.

    At rest, and without time in the equations, a state is an equilibrium if no coordinate accelerates, driven or not.
    """
    turned, resting = system.angles, found.kind == "equilibrium"
    along = {name: name for name in found.coordinates}
    along |= {f.name: f.coordinate for f in system.forces if isinstance(f, JointEffort) and f.name not in along}
    units = ["N m" if along.get(u.name) in turned else "N" if u.name in along else u.unit for u in found.inputs]
    wrong = [f"{u.name} in {u.unit}" for u, unit in zip(found.inputs, units, strict=True) if u.unit != unit]
    if not (witness.made.rheonomic or any(found.state.v.values())):
        balanced = found.unbalanced <= BALANCED and not witness.made.driven
        wrong += [f"found {found.kind}, expected {'' if balanced else 'no '}equilibrium"] * (balanced != resting)
    elif resting and any(found.state.v.values()):
        wrong.append("in equilibrium, and it moves")
    yield Comparison(
        found.formalism, "", "definitions", "disagrees" if wrong else "agrees", explanation="; ".join(wrong),
        claim=PRINTED,
    )  # fmt: skip
    chosen = [j for j, u in enumerate(found.inputs) if u.name in along]
    if chosen and found.rates:
        places = [found.coordinates.index(along[found.inputs[j].name]) for j in chosen]
        every = witness.found.reduced.rates.astype(float)
        unit, least = every[places].T, 100 * EPSILON / LINEAR_DIGITS * float(np.abs(every).max(initial=0.0))
        names = (found.rates, [found.inputs[j].name for j in chosen])
        size, ones = max(float(np.abs(unit).max(initial=0.0)), least), np.ones(unit.shape)
        yield worst(
            found.formalism, "unit efforts", "linear B", found.B[:, chosen], unit, ones, size, names, LINEAR_DIGITS
        )


def equilibrium_evidence(
    system: System, found: Resting, formalisms: Sequence[Formalism], hold: Collection[str] = (),
    printed: Mapping[str, Any] | None = None, start: State | None = None,
) -> tuple[Comparison, ...]:  # fmt: skip
    """Check that the forces of every formalism balance at an equilibrium, each with its own constraint reactions.

    Parameters
    ----------
    system : at rest, at the time of the equilibrium
    found, formalisms, hold
    printed : the JSON of the printed output, which is inserted into the equations of another formalism
    start : initial state of the search, perhaps off the constraints
    """
    said, witnesses = [], {}
    for by in count_progress("formalism", formalisms, lambda f: f.name):
        if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
            continue
        try:
            made = equations(system, by, found.state.parameters, (), sorted(hold))
            said.append(_check_balance(made, found))
            witnesses[by.name] = made
        except FormalismError:  # it delivers no equations of motion
            continue
        except Exception as problem:  # whatever a formalism raises is evidence against it
            explanation = f"{type(problem).__name__}: {problem}"
            said.append(Comparison(by.name, "", "balance", "disagrees", explanation=explanation))
    if len(said) < 2:
        who = said[0].a if said else ""
        reason = f"only {who} delivers it; two are needed" if who else "no formalism delivers it"
        said.append(Comparison(who, "", "balance", "not checked", explanation=reason))
    said += _by_fields(system, found.state, witnesses)
    if printed is not None and witnesses:
        said += _put_back(system, found, witnesses, printed, start, hold)
    return tuple(said)


def steady_evidence(
    system: System, found: RelativeEquilibrium, formalisms: Sequence[Formalism], hold: Collection[str],
    printed: Mapping[str, Any],
) -> tuple[Comparison, ...]:  # fmt: skip
    """Check that rates follow from the printed symmetries, and that every formalism's accelerations do so, too.

    Parameters
    ----------
    system, found, formalisms, hold
    printed : the JSON of the printed output
    """
    assert found.fields is not None
    state, names, said = State.from_json(printed["state"]), found.coordinates, []
    factors = [printed["along"][one.name] for one in found.fields.fields]
    q, v = (np.array([x[name] for name in names]) for x in (state.q, state.v))
    X, _, turned, _ = FieldNumbers(names, found.fields.fields, factors).evaluate(q.tolist(), v.tolist())
    own = np.array([printed["accelerations"][name] for name in names])
    for by in count_progress("formalism", formalisms, lambda f: f.name):
        if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
            continue
        try:
            made = equations(system, by, state.parameters, (), sorted(hold))
            at = made.numbers(_values(made, state))
            units = units_of(at.M)
            a, loads = accelerations(
                at, Basis(at.D, choice(at.lines, made.holonomic, units), np.linalg.solve), np.linalg.solve
            )
        except FormalismError:  # it delivers no equations of motion
            continue
        except Exception as problem:  # whatever a formalism raises is evidence against it
            explanation = f"{type(problem).__name__}: {problem}"
            said.append(
                Comparison(by.name, "", "accelerations of the steady motion", "disagrees", explanation=explanation)
            )
            continue
        forces = (at.sizes + np.abs(np.nan_to_num(loads)) @ np.abs(at.D)) * units
        size = float(max(np.abs(own / units).max(initial=0.0), forces.max(initial=0.0)))
        for other, x in (("symmetries", turned), (found.formalism, own)):
            if x is own and by.name == found.formalism:
                continue
            quantity = "accelerations of the steady motion"
            said.append(worst(by.name, other, quantity, a, x, units, size, (names,), AT_REST))
        if by.name == found.formalism:
            said.append(worst(by.name, "symmetries", "rates of the steady motion", v, X, units, 0.0, (names,), AT_REST))
    if len({c.a for c in said}) < 2:
        who = said[0].a if said else ""
        reason = f"only {who} delivers it; two are needed" if who else "no formalism delivers it"
        said.append(Comparison(who, "", "accelerations of the steady motion", "not checked", explanation=reason))
    there = {**state.q, **{f"{name}'": x for name, x in state.v.items()}}
    off = [
        f"{name} is {there[name]!r}, asked for {x!r}" for name, x in printed["given"].items()
        if not abs(there[name] - x) <= AT_REST * max(1.0, abs(x))
    ]  # fmt: skip
    verdict: Verdict = "disagrees" if off else "agrees"
    said.append(Comparison(found.formalism, "", "definitions", verdict, explanation="; ".join(off), claim=PRINTED))
    return tuple(said)


def sweep_evidence(
    system: System, found: SweptMotion, formalisms: Sequence[Formalism], given: Mapping[str, float],
    hold: Collection[str], printed: Mapping[str, Any],
) -> tuple[Comparison, ...]:  # fmt: skip
    """Compare printed eigenvalues of a sweep, at some rows and at all crossings, with those of another formalism.

    Parameters
    ----------
    system, found, formalisms, hold
    given : values that all the steady motions have in common
    printed : the JSON of the printed output
    """
    answered = [row for row in zip(found.rows, printed["rows"], strict=True) if row[0].spectrum]
    some = [answered[i] for i in sorted({0, len(answered) // 2, len(answered) - 1})] if answered else []
    said: list[Comparison] = []
    others = [by for by in formalisms if by.name != found.formalism]
    for by in others:
        if by.constraint_obstacles(system) if system.constraints else by.obstacles(system):
            continue
        try:
            sweeper = Sweeper(system, by, found.rows[0].state or State(), found.name, given, hold)
            for row, form in some:
                assert row.state is not None and row.spectrum is not None
                own = [complex(*x) for x in form["eigenvalues"]]
                said.append(_match_eigenvalues(found, by.name, row.value, own, row.spectrum, sweeper.judge(row.state)))
            for one, form in zip(found.crossings, printed["crossings"], strict=True):
                there = sweeper.judge(one.state, one.family)
                own, kind = [complex(*form["eigenvalue"])], form["kind"]
                said.append(_match_eigenvalues(found, by.name, one.value, own, there, there, kind, form["value"]))
        except FormalismError:  # it delivers no equations of motion
            continue
        except Exception as problem:  # whatever a formalism raises is evidence against it
            explanation = f"{type(problem).__name__}: {problem}"
            said.append(Comparison(by.name, "", SWEPT, "disagrees", explanation=explanation))
        break
    if not said:
        reason = "no row has an answer" if not some else f"only {found.formalism} delivers it; two are needed"
        said.append(Comparison(found.formalism, "", SWEPT, "not checked", explanation=reason))
    return tuple(said)


def _match_eigenvalues(
    found: SweptMotion, by: str, value: float, own: Sequence[complex], mine: Spectrum, other: Spectrum,
    kind: str = "", printed: float | None = None,
) -> Comparison:  # fmt: skip
    """Compare eigenvalues with the nearest ones of another formalism, each once; crossings with their axis, too."""
    left = [*zip(other.values, other.bounds, strict=True), *[(0j, 0.0)] * other.family]
    largest = max(map(abs, (*other.values, *own)), default=0.0) or 1.0
    widest = max((*mine.bounds, *other.bounds), default=0.0)
    tolerance = max(AT_REST, 10 * widest / largest)
    gap = abs(len(own) - len(left)) * largest if not kind else 0.0
    for s in own:
        if left:
            nearest = min(left, key=lambda x, s=s: abs(x[0] - s))  # type: ignore[misc]
            gap = max(gap, abs(nearest[0] - s))
            left.remove(nearest)
    if kind == CRITICAL and printed is not None:
        gap = max(gap, *(abs(abs(s.imag) - abs(printed)) for s in own))
    elif kind:  # two that meet on the axis are found to the root of rounding
        tolerance = max(tolerance, 1e-6)
        gap = max(gap, *(abs(s.real) for s in own))
    agrees = gap <= tolerance * largest
    return Comparison(
        found.formalism, by, SWEPT, "agrees" if agrees else "disagrees", gap / largest, tolerance, scale=largest,
        entry=(f"{found.name} = {value:.9g}",), values=(gap, 0.0),
        explanation="" if agrees else f"at {found.name} = {value:.9g} eigenvalues are {gap:.3g} apart", claim="linear",
    )  # fmt: skip


def _put_back(
    system: System, found: Resting, witnesses: Mapping[str, SlopeEquations], printed: Mapping[str, Any],
    start: State | None, hold: Collection[str],
) -> Iterator[Comparison]:  # fmt: skip
    """Insert printed numbers of an equilibrium into the equations of another formalism, or say why not."""
    own = found.formalism
    made = witnesses[next((name for name in witnesses if name != own), own)]
    positions, rates = (tuple(map(made.names.index, names)) for names in (found.independent, found.rates))
    chosen = IndependentCoordinates(positions, rates, (), (), len(made.names))
    try:
        at = on_constraints(system, found.state)
        referee, printer = (_resting(x, found, at, chosen) for x in (made, witnesses.get(own)))
        assert referee is not None
        begun = place_state(system, _at_rest(start, made), {*start.q, *hold}, ()).state.q if start else None
    except (ArithmeticError, ExpressionError, np.linalg.LinAlgError) as problem:
        reason = f"{made.formalism} has no answer: {type(problem).__name__}: {problem}"
        yield Comparison(own, made.formalism, "printed numbers", "not checked", explanation=reason, claim=PRINTED)
        return
    yield from equilibrium_printed(printed, Road(made, referee, at, printer, True, found.scale), begun)


def _at_rest(state: State, made: SlopeEquations) -> State:
    return State(state.t, state.q, dict.fromkeys(made.names, 0.0), {}, state.parameters)


def _resting(
    made: SlopeEquations | None, found: Resting, at: Exactly, chosen: IndependentCoordinates
) -> Referee | None:
    if made is None:
        return None
    floats = made.numbers(_values(made, found.state))
    return refereed(made, at, chosen, floats.lines, units_of(floats.M), resting=True)


def _check_balance(made: SlopeEquations, found: Resting) -> Comparison:
    """Compare a formalism's residual forces on the admitted motions with the scale of the forces."""
    left = found.shapes.T @ made.numbers(_values(made, found.state)).force
    part = np.abs(left) * found.units / found.size if found.size > 0 else np.abs(left)
    i = int(np.argmax(part)) if len(part) else 0
    worst = float(part[i]) if len(part) else 0.0
    agrees = worst <= AT_REST
    return Comparison(
        made.formalism, "equilibrium", "balance", "agrees" if agrees else "disagrees", worst, AT_REST,
        scale=float(found.size / found.units[i]) if len(part) else 0.0, state=found.state,
        entry=(found.rates[i],) if len(part) else (), values=(float(left[i]), 0.0) if len(part) else None,
        explanation="" if agrees else f"{made.formalism} leaves a force of {left[i]:.6g}", claim="linear",
    )  # fmt: skip
