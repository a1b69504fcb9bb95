"""Numbers of a model at states, by one formalism."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.checks.physics import Policy
from mbconcord.model.checks.scope import require_ranges
from mbconcord.model.derivation import EFFORT, QUANTITIES
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, Severity, among, error
from mbconcord.model.elastic.rigid import require_within
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, GROUND, JOINT_FORCES
from mbconcord.model.kinematics import IN_SPEEDS, KINDS, MACHINE, read_kinematics, read_speeds
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.normal_forces import Pressed, hold_across, list_normal_forces, solve_normal_forces
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import Frame
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.assembly import report_contradictions
from mbconcord.simulation.continuation import Nearest, find_nearest
from mbconcord.simulation.keeping import SINGULAR
from mbconcord.simulation.poses import describe_far
from mbconcord.validation.judge.comparison import ArrayDifference, contradict, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.tolerances import ADMITTED
from mbconcord.validation.judge.trial import plausible
from mbconcord.validation.witnesses.assembly import check_rows
from mbconcord.validation.witnesses.evaluated import check_numbers, choose_places
from mbconcord.validation.witnesses.sums.joint_forces import BODIES, sums, takes

from .actuated import actuate
from .derivatives import (
    FOLLOWS,
    NO_SPEEDS,
    choose_in_speeds,
    derivatives_at,
    evaluate_speeds,
    judge_constrained,
    report_across,
)
from .joint_forces import joint_forces
from .kinematics import kinematics
from .moving import choose_motion, find_efforts, require_motion
from .numbers import Numbers, drop_state_axis, not_finite
from .request import choose_formalism, list_names, refuse_places, require, require_kinds
from .source import Model, locate_errors, source
from .states import States, read_states

#: Largest relative change of accelerations, when a state is moved onto the constraints, that is a warning; a larger one
#: is an error: accelerations would depend on the state's rounding. Formalisms report violations from this size on.
DEPENDS = 1e-8


@dataclass(frozen=True)
class Evaluated:
    """Numbers of a system at states.

    Attributes
    ----------
    at : the states with the values of all symbols
    evaluation : the canonical quantities; for a system with constraints those of its open tree
    motion : the constrained motion, with accelerations and multipliers; None without constraints
    warnings : warnings about physically impossible bodies and states with huge coordinates
    nearest, changes : for a system with constraints, the nearest states on them, and the relative change (N,) of the
        accelerations on the way there: zero if a state is on them, NaN if no state near it is
    """

    at: Instance
    evaluation: Evaluation
    motion: ConstrainedMotion | None
    warnings: tuple[Diagnostic, ...]
    nearest: Nearest | None = None
    changes: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Findings about quantities that cannot be computed at some of the states."""
        found = self.motion.diagnostics if self.motion else self.evaluation.diagnostics
        return (*found, *_report_off(self.nearest, self.changes)) if self.nearest else found

    def by_name(self) -> dict[str, Any]:
        """Return all evaluated quantities as arrays (n, …) by name."""
        found = {name: x for name in QUANTITIES if (x := self.evaluation.quantities.get(name)) is not None}
        if (motion := self.motion) is None:
            return found
        if find_imposed_accelerations(self.at.system):
            found[EFFORT] = find_efforts(self.at.system, motion)
        more = {"acceleration": motion.acceleration, "D": motion.D, "lambda": motion.multipliers}
        return {**found, **more, "reactions": motion.reactions}

    def judge_rows(self, by: str) -> Iterator[Comparison]:
        """Yield comparisons of D, its rank and the gaps with validation's constraint rows, at up to five states."""
        if self.motion is None or self.nearest is None or not self.motion.rows:
            return
        places, near, x = choose_places(len(self.at)), self.nearest, self.motion
        yield from check_rows(
            self.at.system, by, near.given.only(places), x.D[places], x.rank[places], near.gaps[places]
        )


#: Quantities that are solved for; findings about the solution concern these alone.
MOTION = frozenset({"acceleration", "effort", "constraints", "D", "lambda", "reactions", "reactions_from_bodies"})


def evaluate_system(system: System, by: Formalism, states: Sequence[State], physics: Policy) -> Evaluated:
    """Evaluate a formalism's equations; with constraints, the motion that satisfies them.

    Raises
    ------
    NumbersError
        A number is missing, or a section of an elastic body is rotated beyond the equations' range; ModelError for
        a body that is physically impossible, FormalismError for an obstacle.
    """
    require_ranges(system)
    at = Instance(system, states)
    _ = at.environments  # refuses unknown names and values that are no numbers
    require_within(system, at)
    warnings = (*plausible(system, at, physics), *describe_far(system, at))
    if system.constraints:
        nearest = find_nearest(system, at)
        at = at.with_ranks(nearest.ranks)
        motion = by.constrained_motion(system, at)
        if motion:
            return Evaluated(at, motion.tree, motion, warnings, nearest, _changes(system, by, motion, nearest))
    by.require(system)
    return Evaluated(at, by.evaluate(system, at), None, warnings)


#: The arguments hold, driven, place and moved_by of :func:`choose_motion`: coordinates that are held and driven.
MotionAsked: TypeAlias = tuple[str | Iterable[str], Sequence[str] | None, str, Sequence[str]]
#: Arguments for the motion by forces and constraints alone: no coordinate is held or driven.
FREE_MOTION: Final[MotionAsked] = ((), (), "hold", ())
#: Smallest step (N) by which normal forces are varied, used where reactions without friction are smaller.
PRESSING: Final = 1.0
#: The name of normal forces among the quantities.
NORMAL_FORCE: Final = "normal_force"


@dataclass(frozen=True)
class FoundNormalForces:
    """Normal forces (N, k) of k names at N states by a formalism; states with their values; comparisons with others."""

    names: tuple[str, ...]
    values: Array
    states: tuple[State, ...]
    comparisons: tuple[Comparison, ...] = ()

    def by_name(self) -> dict[str, Array]:
        """Return each normal force (N,) under its name as a quantity, ``normal_force(NAME)``."""
        return {f"{NORMAL_FORCE}({name})": x for name, x in zip(self.names, self.values.T, strict=True)}


def find_normal_forces(
    system: System, states: Sequence[State], by: Formalism, motion: MotionAsked, witness: bool = True,
    shown: Array | None = None,
) -> FoundNormalForces | None:  # fmt: skip
    """Solve for the declared normal forces in a motion; None if the model declares none, or all have numbers.

    ``motion`` are arguments of :func:`choose_motion`. If values ``shown`` (N, k) are given, these are compared with
    the other formalisms' values in place of the solution.

    Raises
    ------
    NumbersError
        At a state no normal force solves the equations, or several do; or the law is not linear in normal forces.
    FormalismError
        The formalism does not take the model with slides across its joints.
    """
    found = [p for p in list_normal_forces(system) if not all(p.name in state.parameters for state in states)]
    if not found:
        return None
    if len(found) < len(list_normal_forces(system)):
        raise NumbersError(error("parameters", "some of the normal forces have numbers", "give all of them, or none"))
    pressed = hold_across(system)
    require(by, pressed.system)
    values, sizes = _solve_pressed(pressed, states, by, motion)
    made = FoundNormalForces(pressed.names, values, _with_values(states, pressed.names, values))
    if not witness:
        return made
    at = made.states if shown is None else _with_values(states, pressed.names, shown)
    shown = np.stack([*made.by_name().values()], axis=1) if shown is None else shown
    others = [registry.formalism(name) for name in registry.names() if name != by.name]
    places = choose_places(len(states))
    few, one, judged = [states[i] for i in places], np.ones(len(places)), list[Comparison]()
    for each in others:
        if not (each.constraint_obstacles if pressed.system.constraints else each.obstacles)(pressed.system):
            try:
                own = _solve_pressed(pressed, few, each, motion)[0]
            except FormalismError:
                continue
            difference = ArrayDifference(shown[places], own, sizes[places], ADMITTED * one, one)
            judged.append(worst(by.name, each.name, NORMAL_FORCE, difference, few, pressed.names))
    if summed := _sum_bodies(system, [at[i] for i in places], pressed.names, by, motion):
        difference = ArrayDifference(shown[places], *summed, ADMITTED * one, one)
        judged.append(worst(by.name, BODIES, NORMAL_FORCE, difference, few, pressed.names))
    if not judged:
        why = "no other formalism takes the model with slides across its joints"
        judged.append(Comparison(by.name, "", NORMAL_FORCE, "not checked", explanation=why))
    return replace(made, comparisons=tuple(judged))


def _sum_bodies(
    system: System, states: Sequence[State], names: Sequence[str], by: Formalism, motion: MotionAsked
) -> tuple[Array, Array] | None:
    """Return forces across joints (N, k) by sums over the bodies, without added slides, and their sizes.

    The motion is that under the states' normal forces. None for models with constraints, or that the sums do not take.
    """
    pressing = {p.name: system.body(p.normal) for p in system.parameters if p.name in names and not system.constraints}
    if not pressing or not takes(system) or any(body.parent_node is not None for body in pressing.values()):
        return None
    moving = choose_motion(system, states, by, *motion)
    numbers = evaluate_system(moving.system, by, moving.states, "ignore")
    moving = moving.solve(by, numbers.evaluation, numbers.motion)
    k = TreeKinematics(moving.system, moving.accelerate(range(len(states))))
    six, scale = (x.reshape(k.count, -1, len(COMPONENTS))[..., :3] for x in sums(k))
    found, sizes = np.zeros((2, k.count, len(names)))
    for i, body in enumerate(map(pressing.__getitem__, names)):
        place = next(j for j, step in enumerate(body.joint) if step.coordinate)
        seat, at = k.follow(Frame(body.parent, body.joint[:place])), k.bodies.index(body.name)
        axis = np.einsum("sij,sj->si", seat.rotation, k.vectors(body.joint[place].axis))
        found[:, i] = np.linalg.norm(np.cross(axis, k.turned(body.name, six[:, at])), axis=1)
        sizes[:, i] = scale[:, at].max(axis=1)
    return found, sizes


def report_given(system: System, states: Sequence[State]) -> Iterator[Diagnostic]:
    """Yield a warning for each normal force that has a given number, as it is then not solved for."""
    for p in system.parameters:
        if p.normal and (p.value is not None or (states and all(p.name in s.parameters for s in states))):
            message = f"is given, and not solved for: the numbers are of another normal force of {p.normal}"
            yield Diagnostic("warning", f"parameters/{p.name}", message, "leave it out")


def _with_values(states: Sequence[State], names: Sequence[str], values: Array) -> tuple[State, ...]:
    return tuple(
        replace(state, parameters={**state.parameters, **dict(zip(names, x, strict=True))})
        for state, x in zip(states, np.broadcast_to(values, (len(states), len(names))).tolist(), strict=True)
    )


def _solve_pressed(
    pressed: Pressed, states: Sequence[State], by: Formalism, motion: MotionAsked
) -> tuple[Array, Array]:
    """Solve for normal forces (N, k) by the reactions of a formalism; return them and the sizes of their terms.

    Raises
    ------
    NumbersError
        At a state there is no solution, or there are several; or the law is not linear in normal forces.
    """
    k, n = len(pressed.names), len(states)

    def press(values: Array) -> list[Array]:
        """Return the reactions (N, d) across the joint of each normal force, if these have the given values (N, k)."""
        moving = choose_motion(pressed.system, _with_values(states, pressed.names, values), by, *motion)
        numbers = evaluate_system(moving.system, by, moving.states, "ignore")
        names, solved = moving.system.coordinate_names, numbers.motion
        if solved is None:
            efforts = numbers.evaluation.quantities.get(EFFORT)
            if efforts is None:
                raise FormalismError(error(EFFORT, f"{by.name} does not deliver it", "take another formalism"))
            return [np.stack([efforts[:, names.index(row.removeprefix(drive_row("")))] for row in rows], axis=1)
                    for rows in pressed.rows]  # fmt: skip
        return [solved.multipliers[:, [solved.rows.index(row) for row in rows]] for rows in pressed.rows]

    free = press(np.zeros((n, k)))
    step = np.fmax(np.max([np.abs(x).max(axis=1, initial=0.0) for x in free], axis=0), PRESSING)[:, None]
    columns = [press(step * np.eye(k)[j]) for j in range(k)]
    slopes = [np.stack([(x[i] - free[i]) / step for x in columns], axis=-1) for i in range(k)]
    found, sizes = np.zeros((n, k)), np.zeros((n, k))
    for s, state in enumerate(states):
        when = f" at t = {state.t:.9g}" if n == 1 else f" at state {s + 1}, t = {state.t:.9g}"
        a, B = [x[s] for x in free], [x[s] for x in slopes]
        found[s] = solve_normal_forces(a, B, pressed.names, when)
        sizes[s] = [np.abs(x).sum() + (np.abs(y) @ found[s]).sum() for x, y in zip(a, B, strict=True)]
    solved = press(found)
    for i, name in enumerate(pressed.names):
        off = np.abs(np.linalg.norm(solved[i], axis=1) - found[:, i])
        if (off > ADMITTED * sizes[:, i]).any():
            message = "the reaction at its solution is another one: it is not linear in the normal forces"
            raise NumbersError(error(f"parameters/{name}", message, "write the forces as coefficients times them"))
    return found, sizes


def _changes(system: System, by: Formalism, motion: ConstrainedMotion, nearest: Nearest) -> Array:
    """Return the relative change (to the largest) of accelerations (N,) when states move onto the constraints."""
    changes = np.where(nearest.given.is_closed, 0.0, np.nan)
    off = np.flatnonzero(~nearest.given.is_closed & nearest.moved.is_closed)
    if off.size:
        there = by.constrained_motion(system, nearest.moved.only(off.tolist()).states)
        a, b = motion.acceleration[off], there.acceleration if there else np.nan
        size = np.fmax(np.abs(a), np.abs(b)).max(axis=1, initial=0.0)
        with np.errstate(all="ignore"):
            changes[off] = np.where(size == 0, 0.0, np.abs(a - b).max(axis=1, initial=0.0) / size)
    return changes


def _report_off(nearest: Nearest, changes: Array) -> Iterator[Diagnostic]:
    """Report singular and contradictory states, and the state whose accelerations change most on the constraints."""
    off = ~nearest.given.is_closed
    on = np.flatnonzero(~off)
    if nearest.singular.any():
        yield Diagnostic("error", "constraints", SINGULAR, "evaluate beside it, on the branch that is meant")
    yield from report_contradictions(nearest.at.only(on), [nearest.given.extended[s] for s in on])
    if not off.any():
        return
    lost = np.where(np.isnan(changes), np.inf, changes)
    s = int(np.argmax(np.where(off, lost + nearest.gaps, -1.0)))
    name, gap = nearest.say_gap(s)
    states = (
        f"{off.sum()} of {len(off)} states are off the constraints, at most" if len(off) > 1 else "the state is off it"
    )
    if not nearest.moved.is_closed[s]:
        effect = "no state near it satisfies the constraints"
    elif np.isnan(changes[s]):
        effect = "of it or of the nearest state on the constraints there are no accelerations"
    else:
        effect = f"its accelerations change by {changes[s]:.2g} of the largest when it is moved onto the constraints"
    severity: Severity = "warning" if lost[s] <= DEPENDS else "error"
    yield Diagnostic(
        severity, f"constraints/{name}", f"{states} {gap}: {effect}",
        "give all digits, or the state that mbconcord assemble FILE finds",
    )  # fmt: skip


@refuse_places
@require_kinds
def evaluate(
    model: Model,
    q: States | None = None,
    v: States | None = None,
    *,
    t: ArrayLike | None = None,
    a: States | None = None,
    formalism: str | Formalism | None = None,
    quantities: str | Iterable[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    witness: bool = True,
    physics: Policy | None = None,
    format: str | None = None,
    hold: str | Iterable[str] = (),
    driven: str | Sequence[str] | None = None,
    actuated: str | Sequence[str] | None = None,
    speeds: Mapping[str, Any] | None = None,
) -> Numbers:
    """Evaluate the canonical quantities of a model at one state or at many.

    ``M(q) q'' + h(q, q', t) = gravity + applied (+ Dᵀ λ)``; ``inverse_dynamics`` is M a + h - gravity - applied. For
    repeated evaluation at thousands of states use :func:`mbconcord.compile`.

    Parameters
    ----------
    model : path, result of :func:`mbconcord.read`, System or Mechanism
    q : positions (N,) or (n, N), m and rad, or with rates (2N,) or (n, 2N); or a mapping or a DataFrame whose names are
        coordinates ``z1``, rates ``z1'``, accelerations ``z1''``, ``t`` or parameters; or a State, or several.
        What is missing is taken from the model: its initial positions and velocities
    v : rates (N,) or (n, N), per second, or by the coordinates' names
    t : seconds, a number or (n,)
    a : accelerations, per second squared; ``inverse_dynamics`` is delivered where they are given
    formalism : source of the equations; None: the first that takes the model, which the result names
    quantities : which; None: all that are printed. The Coriolis matrix ``C`` (n, N, N), derivatives ``dtau_dq``,
        ``dtau_dv`` (of inverse dynamics at the accelerations that are given), ``da_dq``, ``da_dv``, ``da_dtau``
        (n, N, N), and the ``regressor`` (n, N, 10 b) are there for who asks. ``joint_forces`` (n, k, 6) of the k bodies
        are what their carriers exert on them, force (N) and moment (N m) about the origin of the body in its axes, in
        the motion that happens: coordinates move as
        forces make them, but for those that a drive imposes, a gives, or hold holds; of a model with constraints
        ``cut_forces`` (n, c, 6) what first bodies exert on second ones at the c cuts between bodies, about the cut in
        the second's axes; ``ground`` (n, 6) what the fixed frame exerts on the machine, about its origin, in its axes.
        Of the frame of a body ``pose(hand)`` (n, 3, 4) [R r], ``position``, ``velocity``, ``angular_velocity``,
        ``acceleration`` and ``angular_acceleration`` (n, 3), ``jacobian`` (n, 6, N) of velocity above angular velocity
        and ``drift`` (n, 6), accelerations at q'' = 0; with ``velocity(hand, [0, 0, 0.1])`` at a point of it; along the
        axes of the world, with ``velocity(hand, in=body)`` of the body, with ``in=NAME`` of another. Accelerations are
        of the motion that happens, as joint forces. Of the machine ``center_of_mass``, ``linear_momentum``,
        ``angular_momentum`` about the origin of the fixed frame (n, 3), ``kinetic_energy`` and ``potential_energy`` of
        weights (n,), zero at that origin
    parameters : values by name, numbers for all states or arrays (n,)
    witness : whether the model's fields judge the numbers at up to five states; a disagreement is an error among the
        diagnostics of the result
    physics : treatment of impossible masses and inertias; None: the format's default
    format : format of the file, if its name does not determine it
    hold : a coordinate, several, or ``"all"``, whose accelerations are held at zero; then accelerations, efforts,
        multipliers and joint forces are of this motion
    driven : coordinates whose given accelerations are imposed on a model with constraints; None: all
    actuated : coordinates, or parameters in which the applied forces are linear, whose efforts cause the accelerations
        that are held, given or imposed, one for each of these; None: efforts act where accelerations are given
    speeds : speeds u = Y q' + y other than rates: a body with ``"angular velocity"``, ``"velocity"`` or
        ``"velocity; angular velocity"`` against its carrier in its own axes, ``{"hand": "angular velocity"}``; or a new
        name with a formula linear in rates, ``{"u1": "cos(q1)*q2'"}``. Rates that no speed contains are speeds, too.
        Then there are ``u``, ``du_dv`` = Y, ``M_u`` = Xᵀ M X with X = Y⁻¹, ``h_u``, ``gravity_u``, ``applied_u``,
        ``inverse_dynamics_u``, ``C_u``, and ``acceleration_u`` = u': M_u u' + h_u = gravity_u + applied_u. Where the
        speeds do not determine the rates, quantities that need X are NaN

    Returns
    -------
    Numbers
        Arrays by name, and ``motion``, the motion that joint forces belong to; with constraints ``acceleration``,
        ``D``, ``lambda`` and ``reactions`` of the motion.

    Raises
    ------
    NumbersError
        A state that does not fit the model, or a missing number: its place, what was expected, what to do.
    FormalismError
        The formalism does not take the model; the message says why.

    Examples
    --------
    >>> import mbconcord
    >>> pendulum = mbconcord.read(text="z j-2 $3 g", format="mbsd")
    >>> mbconcord.evaluate(pendulum, q=[0.0], v=[0.5])["M"]
    array([[12.]])
    """
    found = source(model, format, physics)
    by = choose_formalism(formalism, found.system)
    asked = None if quantities is None else list_names(quantities)
    with locate_errors(found):
        at = read_states(found.system, q, v, a, t, parameters)
        of_points = read_kinematics(found.system, [n for n in asked or () if not n.startswith(f"{NORMAL_FORCE}(")])
        turned = None if speeds is None else read_speeds(found.system, speeds)
        in_speeds = choose_in_speeds(asked, at.has_accelerations) if turned else []
        forces = {JOINT_FORCES, GROUND} | ({CUT_FORCES} if found.system.constraints else set())
        wanted, states = bool(forces & {*(asked or ())}), at.states()
        moving, drives = None, None if driven is None else list_names(driven)
        accelerated = any(x.is_accelerated for x in of_points.values()) or FOLLOWS in in_speeds
        given = tuple(report_given(found.system, states))
        motion = (hold, drives, "hold", at.driven)
        normals = find_asked_normal_forces(found.system, states, by, asked, actuated, motion, witness)
        states = normals.states if normals else states
        if wanted or accelerated or hold or actuated or (normals and (at.has_accelerations or drives)):
            moving = choose_motion(found.system, states, by, hold, drives, moved_by=at.driven)
        else:
            require_motion(drives)
        if moving and actuated:
            moving = actuate(moving, found.system, by, list_names(actuated))
        system = moving.system if moving else found.system
        numbers = evaluate_system(system, by, moving.states if moving else states, found.physics)
        if moving and not actuated:
            moving = moving.solve(by, numbers.evaluation, numbers.motion)
        borne = joint_forces(found.system, numbers.at, by, moving=moving) if wanted else None
        own = Instance(found.system, states) if moving else numbers.at
        slopes = derivatives_at(found.system, by, own, asked or ())
        moved = moving.acceleration if moving else None
        places = kinematics(found.system, by, states, of_points, moved, witness)
        others = turned and evaluate_speeds(turned, by, states, in_speeds, moved, witness)
    at = at.fill(numbers.at.values)
    made = numbers.by_name()
    if not at.has_accelerations:
        made.pop("inverse_dynamics", None)
    made |= normals.by_name() if normals else {}
    made |= slopes | {**places.values} | ({EFFORT: moving.whole_efforts()} if moving and moving.driven else {})
    if others:
        made |= others.values
    if borne:
        made |= {JOINT_FORCES: borne.by[by.name]} | ({CUT_FORCES: borne.at_cuts[by.name]} if borne.at_cuts else {})
        made |= {} if borne.ground is None else {GROUND: borne.ground}
    chosen = _choose(made, asked)
    warned = (d for d in found.diagnostics if d.severity != "note")
    findings = (*moving.advise(numbers.findings), *(borne or moving).findings) if moving else numbers.findings
    if asked is not None and not moving and MOTION.isdisjoint(asked):  # inertia is asked of accelerations alone
        findings = tuple(d for d in findings if "no inertia along" not in d.message)
    findings = (*findings, *(others.findings if others else ()))
    findings = (*findings, *report_across(found.system, asked))
    said = tuple(map(found.locate, (*warned, *given, *numbers.warnings, *findings)))
    is_open = {JOINT_FORCES, CUT_FORCES} if borne and borne.is_open else set()
    closed_ones = {name: x for name, x in chosen.items() if name not in is_open}
    missing = tuple(map(found.locate, not_finite(closed_ones, said, numbers.at.system, numbers.at.values)))
    own_numbers = {
        n: x for n, x in chosen.items() if n not in {*of_points, *in_speeds} and not n.startswith(NORMAL_FORCE)
    }
    if accelerated and moving:  # of which accelerations of points are made
        own_numbers["acceleration"] = moving.acceleration
    if "acceleration" in own_numbers:
        own_numbers |= {name: made[name] for name in ("reactions", EFFORT) if name in made}
    if actuated:  # they are among the applied forces
        own_numbers.pop(EFFORT, None)
    judged: tuple[Comparison, ...] = ()
    for one in {id(x): x for x in (numbers.at, own)}.values() if witness else ():  # derivatives: with the own drives
        part = {name: x for name, x in own_numbers.items() if own is numbers.at or (name in slopes) == (one is own)}
        judged += tuple(check_numbers(one.system, by.name, one.states, part))
    judged += (*places.comparisons, *(others.comparisons if others else ()), *(normals.comparisons if normals else ()))
    judged += borne.comparisons if borne and witness else ()
    judged += judge_constrained(own.system, by, own.states, slopes) if witness else ()
    if witness and {"D", "lambda"} & chosen.keys():
        judged += tuple(numbers.judge_rows(by.name))
    said = (*said, *missing, *contradict(judged, "evaluate"))
    rows = numbers.motion.rows if numbers.motion else ()
    labels = {name: turned.indices(name) for name in in_speeds} if turned else {}
    return Numbers(by.name, at, drop_state_axis(at, chosen), said, rows, judged, moving, labels)


def find_asked_normal_forces(
    system: System, states: Sequence[State], by: Formalism, asked: Sequence[str] | None, actuated: object,
    motion: MotionAsked, witness: bool = True,
) -> FoundNormalForces | None:  # fmt: skip
    """Return the normal forces at given states; refuse requests that laws with unknown normal forces cannot answer."""
    found = [p.name for p in list_normal_forces(system) if not all(p.name in state.parameters for state in states)]
    if not found:
        return None
    place = f"parameters/{found[0]}"
    slopes = sorted({*(asked or ())} & ({*DERIVED} - {"C"}))
    if slopes or actuated:
        of = ", ".join(slopes) or "efforts of what is actuated"
        message = f"{of}: {found[0]} changes with the motion, and is a normal force"
        raise NumbersError(error(place, message, f"give {found[0]} a number where it is held constant"))
    if system.constraints and motion[1] is None and all(n in s.a for s in states for n in system.coordinate_names):
        message = "the states accelerate every coordinate: which of them are meant is not known"
        raise NumbersError(error(place, message, "name those that are driven, or leave accelerations out"))
    return find_normal_forces(system, states, by, motion, witness)


def _choose(found: Mapping[str, Any], asked: tuple[str, ...] | None) -> dict[str, Any]:
    """Return the requested quantities from those found; refuse unknown names. None requests all."""
    if asked is None:
        return dict(found)
    forms = [f"{kind}(BODY)" for kind in KINDS]
    known = (*found, JOINT_FORCES, *MACHINE, *forms, *(name for name in DERIVED if name not in found))
    unknown = [
        error(f"quantities/{n}", *NO_SPEEDS)
        if n in IN_SPEEDS
        else error(f"quantities/{n}", "there is none here", among(n, known))
        for n in asked if n not in found
    ]  # fmt: skip
    if unknown:
        raise NumbersError(unknown)
    return {name: np.asarray(found[name]) for name in asked}
