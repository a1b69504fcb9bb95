"""Forces in joints and at cuts at states: by one formalism, by others as witnesses, and by sums over the bodies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Holonomic, Nonholonomic
from mbconcord.model.contact import list_rigid, split_elements
from mbconcord.model.coordinate import Motion
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, JOINT_FORCES, OPEN, cuts, list_bodies, open_forces
from mbconcord.model.kinematics.quantities import KinematicQuantity
from mbconcord.model.limits import count
from mbconcord.model.numbers import Instance
from mbconcord.model.opened import name_turned, open_cuts, turn_axes
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.judge.closed.compare import measure_closed
from mbconcord.validation.judge.closed.rows import find_satisfied
from mbconcord.validation.judge.comparison import ArrayDifference, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.tolerances import evaluation_tolerance
from mbconcord.validation.witnesses.kinematics import evaluate_kinematics
from mbconcord.validation.witnesses.sums import constrained_forces as constrained
from mbconcord.validation.witnesses.sums.balance import compare_balance, compare_efforts
from mbconcord.validation.witnesses.sums.joint_forces import (
    BODIES,
    BodySums,
    compare_joint_forces,
    evaluate_joint_forces,
    ground,
    may_open,
    takes,
    try_opening,
)

from .kinematics import list_able
from .moving import SAME, JointMotion, assign_motion, find_motion
from .request import require

#: Names of axes in which forces and moments may be written: of the body, of its carrier, of the fixed frame.
AXES: Final = ("body", "carrier", "fixed")
#: Number of rows of a motion at which its forces are compared.
JUDGED: Final = 5


@dataclass(frozen=True)
class JointForces:
    """Forces (N) and moments (N m) that carriers exert on their bodies, about the origins of the bodies' frames.

    Attributes
    ----------
    bodies, carriers : names of the body and of its carrier at each joint; the fixed frame is ``fixed``
    axes : axes in which forces and moments are written, one of :data:`AXES`
    by : name of a witness -> (N, k, 6), the requested formalism first; columns are ``Fx Fy Fz Mx My Mz``
    comparisons : comparisons of every two witnesses; the sums over the bodies are a witness, too
    cuts : for a model with constraints, name, second and first body of each force-transmitting cut
    at_cuts : name of a witness -> (N, c, 6), wrenches of first bodies on second ones about the cuts, in these axes
    findings : findings about undetermined components, with the reasons
    motion : the motion in which the forces act
    ground (N, 6) : wrench of the fixed frame on the machine about the frame's origin, in its axes, by sums over the
        bodies; None if the sums do not take the model
    """

    bodies: tuple[str, ...]
    carriers: tuple[str, ...]
    axes: str
    by: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]
    motion: JointMotion
    cuts: tuple[tuple[str, str, str], ...] = ()
    at_cuts: Mapping[str, Array] = field(default_factory=dict)
    findings: tuple[Diagnostic, ...] = ()
    ground: Array | None = None

    @property
    def agree(self) -> bool:
        """True if no comparison of two witnesses disagrees."""
        return all(c.verdict != "disagrees" for c in self.comparisons)

    @property
    def is_open(self) -> bool:
        """True if dependent constraint rows leave a component undetermined."""
        return any(finding.message.endswith(OPEN) for finding in self.findings)


def joint_forces(
    system: System, at: Instance, by: Formalism, axes: str = "body", moving: JointMotion | None = None
) -> JointForces:
    """Compute the joint forces by a formalism and by every other formalism that has joint forces.

    The forces act in the motion ``moving``, with its accelerations. None: the motion in which accelerations in the
    states are given, drives impose their formulas, and other coordinates are free.

    Raises
    ------
    FormalismError
        The formalism has no joint forces, or it cannot take the model; NumbersError for states off the constraints.
    """
    if system.constraints:
        return _find_constrained(system, at, by, axes, moving)
    by.require(system)
    moving = moving or find_motion(system, at, by)
    found = np.flatnonzero(np.isfinite(moving.acceleration).all(axis=1)).tolist()
    k = TreeKinematics(moving.system, moving.accelerate(found) if found else moving.states)
    sums = compare_joint_forces(k, [by, *_others(by, system)])
    if by.name not in sums.values:
        remedy = among(by.name, sums.values) if sums.values else "of this model no formalism has them"
        raise FormalismError(error(JOINT_FORCES, f"{by.name} does not deliver them", remedy))
    comparisons = sums.comparisons
    if found and takes(k.system):
        efforts = moving.list_efforts()[found]
        others = [registry.formalism(name) for name in registry.names()]
        comparisons += (*compare_efforts(k, sums.values, efforts), *compare_balance(k, sums.values, others))
    comparisons += tuple(_tell_lost(system, sums.values, comparisons))
    bodies, turned = list_bodies(system), {}
    for name, x in sums.values.items():
        turned[name] = np.full((len(at), len(bodies), len(COMPONENTS)), np.nan)
        turned[name][found] = in_axes(k, x, bodies, _carriers(system), axes)[: len(found)]
    ends = list(zip(bodies, _carriers(system), strict=True))
    comparisons += tuple(_judge_turns(k, axes, ends, by.name, sums.values[by.name], turned[by.name][found]))
    return JointForces(
        bodies, tuple(map(_name_body, _carriers(system))), axes, turned, comparisons if found else (), moving,
        findings=moving.findings, ground=_find_ground(moving),
    )  # fmt: skip


def _find_constrained(
    system: System, at: Instance, by: Formalism, axes: str, moving: JointMotion | None
) -> JointForces:
    require(by, system)
    moved = moving.system if moving else system
    assembly = assemble(moved, at, held=True)
    if not find_satisfied(moved, assembly.extended).all():
        message = "the state does not satisfy the constraints: no motion goes through it"
        raise NumbersError(
            error("constraints", message, "give one that does: mbconcord assemble FILE finds the nearest")
        )
    if moving is None:
        moving = find_motion(system, at, by)
        moved, at = moving.system, Instance(moving.system, moving.states)
        assembly = assemble(moved, at, held=True)
    own = by.forces_with_constraints(moved, at)
    if own is None:
        tried = ((f.name, try_opening(f, partial(f.forces_with_constraints, moved, at))[0]) for f in _others(by))
        having = [name for name, found in tried if found is not None]
        message = f"{by.name} does not deliver them with constraints"
        raise FormalismError(error(JOINT_FORCES, message, among(by.name, having)))
    asked = [by, *_others(by, system)]
    found = constrained.compare_constrained_forces(moved, replace(assembly, states=at), asked)
    k, bodies = TreeKinematics(moved.open_loops(), at), list_bodies(system)
    comparisons = (*found.comparisons, *_tell_lost(system, found.at_joints, found.comparisons))
    in_rows = any(isinstance(c, (Holonomic, Nonholonomic)) for c in system.constraints)  # whose reactions joints bear
    if np.isfinite(moving.acceleration).all() and takes(k.system) and not in_rows:
        accelerated = TreeKinematics(k.system, moving.accelerate(range(len(at))).states)
        measure = measure_closed(moved, replace(assembly, states=at))
        efforts = moving.list_efforts()
        comparisons += tuple(compare_efforts(accelerated, found.at_joints, efforts, measure.cond, found.sizes))
    by_joint = {name: in_axes(k, x, bodies, _carriers(system), axes) for name, x in found.at_joints.items()}
    ends = [(cut.name, cut.second.body, cut.first.body) for cut in cuts(system)]
    seconds, firsts = [second for _, second, _ in ends], [first for *_, first in ends]
    by_cut = {name: in_axes(k, x, seconds, firsts, axes) for name, x in found.at_cuts.items()}
    joints = list(zip(bodies, _carriers(system), strict=True))
    comparisons += tuple(_judge_turns(k, axes, joints, by.name, found.at_joints[by.name], by_joint[by.name]))
    if ends and by.name in by_cut:
        shut = [(cut.second.body, cut.first.body) for cut in cuts(system)]
        comparisons += tuple(_judge_turns(k, axes, shut, by.name, found.at_cuts[by.name], by_cut[by.name], CUT_FORCES))
    for s in range(len(at) * (axes != "body")):
        comparisons += _judge_in_axes(moved, at, s, asked, axes, by_joint, by_cut)
    named = tuple((name, _name_body(second), _name_body(first)) for name, second, first in ends)
    return JointForces(
        bodies, tuple(map(_name_body, _carriers(system))), axes, by_joint, comparisons, moving, named, by_cut,
        (*moving.findings, *open_forces(system, replace(own, at_cuts=by_cut[by.name], at_joints=by_joint[by.name]))),
        _find_ground(moving),
    )  # fmt: skip


def _judge_in_axes(
    system: System, at: Instance, s: int, asked: Sequence[Formalism], axes: str, by_joint: Mapping[str, Array],
    by_cut: Mapping[str, Array],
) -> tuple[Comparison, ...]:  # fmt: skip
    """Replace NaN in ``by_joint`` and ``by_cut`` that only rotation to these axes caused, at state number s.

    Which components are undetermined depends on the axes: one orthogonal to all undetermined directions has a number.
    For joints and cuts with NaN, the same formalisms solve a model with massless bodies that have these axes. Return
    its comparisons.
    """
    names, ended = list_bodies(system), open_cuts(system)
    k = TreeKinematics(ended[0].open_loops(), Instance(ended[0], [at[s]]))
    carriers = _carriers(system) + [cut.first.body for cut in cuts(system)]
    solved = any(np.isfinite(x[s]).any() for x in by_joint.values())
    opened = [any(np.isnan(x[s, i]).any() for x in by_joint.values()) for i in range(len(names))]
    opened += [any(np.isnan(x[s, i]).any() for x in by_cut.values()) for i in range(len(ended[1]))]
    turns = {}
    for name, carrier, is_open in zip((*names, *ended[1]), carriers, opened, strict=True):
        if is_open and solved:
            turn = k.frame(name).rotation[0].T
            turns[name] = turn if axes == "fixed" else turn @ k.frame(carrier).rotation[0]
    if not turns:
        return ()
    turned = turn_axes(*ended, turns)
    assembly = assemble(turned, Instance(turned, [at[s]]), held=True)
    found = constrained.compare_constrained_forces(turned, replace(assembly, states=Instance(turned, [at[s]])), asked)
    places = {name: i for i, name in enumerate(list_bodies(turned))}
    for name, x in found.at_joints.items():
        sixes = x.reshape(-1, len(COMPONENTS)) + 0.0
        for i, body in enumerate(names):
            if body in turns and name in by_joint:
                by_joint[name][s, i] = sixes[places[name_turned(ended[0], body)]]
    for name, x in found.at_cuts.items():
        for i, end in enumerate(ended[1]):
            if end in turns and name in by_cut:
                by_cut[name][s, i] = x.reshape(-1, len(COMPONENTS))[i] + 0.0
    return found.comparisons


def _find_ground(moving: JointMotion) -> Array | None:
    """Return the wrench of the fixed frame on the machine (N, 6); None if sums over bodies do not take the model."""
    tree = moving.system.open_loops()
    if not takes(tree):
        return None
    found = np.flatnonzero(np.isfinite(moving.acceleration).all(axis=1)).tolist()
    six = np.full((len(moving.states), len(COMPONENTS)), np.nan)
    if found:
        six[found] = ground(TreeKinematics(tree, moving.accelerate(found).states))
    return six + 0.0


def forces_along(
    system: System, states: Sequence[State], by: Formalism, driven: Sequence[str] = ()
) -> tuple[dict[str, Array], tuple[Diagnostic, ...], tuple[Comparison, ...]]:
    """Return columns of the forces in joints and at cuts along a motion, findings, and comparisons at some rows.

    They are computed by the formalism of the motion if it has joint forces, else by the first that has. Accelerations
    are those of the states; for a model with constraints those of its own motion, with the states' accelerations of
    the ``driven`` coordinates. In rows of a run in which rigid elements press, all are NaN.

    Raises
    ------
    FormalismError
        No formalism has joint forces of this model.
    """
    moving = assign_motion(system, states, (), driven if system.constraints else None)
    at, names = Instance(moving.system, moving.states), [f"joint_forces[{b}" for b in list_bodies(system)]
    places = sorted({round(i * (len(at) - 1) / (JUDGED - 1)) for i in range(JUDGED)})
    few = Instance(moving.system, [at[i] for i in places])
    rigid = not driven and bool(list_rigid(split_elements(system)[0]))
    for each in sorted((by, *_others(by)), key=lambda f: not f.bears):  # the formalism of the run first, if it has them
        if system.constraints:
            asked = partial(each.forces_with_constraints, moving.system, at)
            found = None if each.constraint_obstacles(moving.system) else try_opening(each, asked)[0]
            if found is None:
                continue
            six = np.concatenate([found.at_joints, found.at_cuts], axis=1)
            names += [f"cut_forces[{cut.name}" for cut in cuts(system)]
            assembly = replace(assemble(moving.system, few, held=True), states=few)
            compared = constrained.compare_constrained_forces(moving.system, assembly, [each]).comparisons
            pressed = _find_pressed(system, states, by, found.acceleration) if rigid else []
            said = [
                *open_forces(system, found),
                *(() if rigid else _say_difference(system, states, found.acceleration)),
            ]
        else:
            k = TreeKinematics(moving.system, at)
            alone, _ = try_opening(each, partial(evaluate_joint_forces, each, k))
            if alone is None:
                continue
            six, compared = alone, compare_joint_forces(TreeKinematics(moving.system, few), [each]).comparisons
            pressed = _find_pressed(system, states, by) if rigid else []
            said = [] if rigid else [*_say_efforts(system, states, by, driven)]
        six = six.reshape(len(at), -1)
        columns = [f"{name}, {component}]" for name in names for component in COMPONENTS]
        acceleration = np.array([[state.a[name] for name in system.coordinate_names] for state in states])
        bottom = _find_ground(replace(moving, acceleration=acceleration.reshape(len(at), -1)))
        if bottom is not None:
            columns += [f"ground[{component}]" for component in COMPONENTS]
            six = np.concatenate([six, bottom], axis=1)
        of = Diagnostic("note", JOINT_FORCES, f"by {each.name}, in the axes of the bodies, of the motion of the rows")
        lost = () if takes(moving.system.open_loops()) else _tell_lost(system, registry.names(), ())
        if pressed:
            six[pressed] = np.nan
            message = f"there are none in {count(len(pressed), 'row')}: rigid elements press there by no formula"
            said.append(Diagnostic("warning", JOINT_FORCES, message, "give these elements a law with a stiffness"))
        return dict(zip(columns, six.T, strict=True)), (of, *said), (*compared, *lost)
    raise FormalismError(error(JOINT_FORCES, "of this model no formalism has them", "leave forces out"))


def _find_pressed(system: System, states: Sequence[State], by: Formalism, own: Array | None = None) -> list[int]:
    """List the rows whose motion is not that of the model's formulas, of constrained accelerations ``own``."""
    if own is None:
        found = by.evaluate(system, states).quantities
        apart = np.abs(found.get("inverse_dynamics", np.full((len(states), 1), np.inf)))
        made_of = [np.abs(found[name]) for name in ("h", "gravity", "applied") if name in found]
    else:
        accelerations = np.array([[state.a[name] for name in system.coordinate_names] for state in states])
        apart, made_of = np.abs(accelerations - own), [np.abs(own), np.abs(accelerations)]
    size = sum((x.max(axis=1, initial=0.0) for x in made_of), np.zeros(len(states)))
    rounded = SAME * size + SAME**2 * size.max(initial=0.0)
    return np.flatnonzero(~(apart.max(axis=1, initial=0.0) <= rounded)).tolist()


def _say_difference(system: System, states: Sequence[State], acceleration: Array) -> Iterator[Diagnostic]:
    """Yield a warning if accelerations in the rows differ from those with which the forces were computed."""
    names = system.coordinate_names
    apart = np.abs([[state.a[name] for name in names] for state in states] - acceleration)
    size = np.nanmax(np.abs(acceleration), initial=0.0)
    if np.nanmax(apart, initial=0.0) > SAME * size:
        i = int(np.nanargmax(np.nanmax(apart, axis=0)))
        message = f"{names[i]}'' of the rows differs by up to {np.nanmax(apart[:, i]):.2g} from that of the forces"
        yield Diagnostic("warning", JOINT_FORCES, message, "the run smoothed friction, or gave rates at jumps")


def _say_efforts(system: System, states: Sequence[State], by: Formalism, driven: Sequence[str]) -> Iterator[Diagnostic]:
    """Note efforts besides the model's own that the rows' motion of a tree needs along free coordinates."""
    found = by.evaluate(system, states).quantities
    if not {"inverse_dynamics", "h", "gravity", "applied"} <= found.keys():
        return
    size = sum(np.abs(found[name]).max(initial=0.0) for name in ("h", "gravity", "applied"))
    for i, c in enumerate(system.coordinates):
        most = np.abs(found["inverse_dynamics"][:, i]).max(initial=0.0)
        if c.name not in driven and not isinstance(c.drive, Motion) and most > SAME * size:
            message = (
                f"the motion needs up to {most:.2g} along {c.name} besides the model's own: the run smoothed friction"
            )
            yield Diagnostic("note", JOINT_FORCES, message)


def _others(by: Formalism, system: System | None = None) -> list[Formalism]:
    """Return the other formalisms; with a system those with joint forces of it, their own or by opening joints."""
    found = (registry.formalism(name) for name in registry.names() if name != by.name)
    return [each for each in found if system is None or may_open(each, system)]


def _tell_lost(system: System, having: Collection[str], told: Sequence[Comparison]) -> Iterator[Comparison]:
    """Yield a not-checked comparison with its reason for each witness that has no joint forces and has not said why."""
    tree, said = system.open_loops(), {*having, *(c.a for c in told if c.verdict == "not checked")}
    many, reasons = f"it opens joints, too many with {count(len(system.bodies), 'body', 'bodies')}", dict[str, str]()
    if unknown := BodySums().obstacles(tree):
        alone = "; formalisms are not compared without them" if system.constraints else ""
        reasons[BODIES] = f"{unknown[0].reason}{alone}"
    for each in map(registry.formalism, registry.names()):
        refused = [x.reason for x in (*each.obstacles(tree), *each.constraint_obstacles(system))]
        reasons[each.name] = [*refused, "it does not deliver them" if may_open(each, system) else many][0]
    for name in (x for x in reasons if x not in said):
        yield Comparison(name, "", JOINT_FORCES, "not checked", explanation=reasons[name])


def _judge_turns(
    k: TreeKinematics, axes: str, ends: Sequence[tuple[str | None, str | None]], name: str, own: Array, turned: Array,
    what: str = JOINT_FORCES,
) -> Iterator[Comparison]:  # fmt: skip
    """Compare wrenches in other axes (N, k, 6) with those that a formalism's poses turn from bodies' axes (N, 6 k)."""
    if axes == "body" or not ends:
        return
    quantity, able = f"{what} in axes", list_able(k.system)
    asked = {b: KinematicQuantity("pose", b) for pair in ends for b in pair if b}
    if not able:
        yield Comparison(name, "", quantity, "not checked", explanation="no formalism has motions of points")
        return
    poses = evaluate_kinematics(k.system, able[:1], Instance(k.system, k.states), asked)[able[0].name]
    turns: dict[str | None, Array] = {None: np.eye(3)[None]} | {b: x[..., :3, :3] for b, (x, _) in poses.items()}
    six = np.nan_to_num(own).reshape(k.count, -1, 2, 3)  # what an unknown component is part of is not shown
    pairs = [turns[b].swapaxes(1, 2) @ turns[c if axes == "carrier" else None] for b, c in ends]
    found = np.stack([six[:, i] @ pair for i, pair in enumerate(pairs)], axis=1).reshape(k.count, -1)
    size, ones = np.repeat(np.linalg.norm(six, axis=-1), 3, axis=-1).reshape(found.shape), np.ones(k.count)
    shown = turned.reshape(found.shape)
    kept = np.asarray(np.isfinite(shown).any(axis=0))
    x, y, scale = (np.where(np.isfinite(shown), values, np.nan)[:, kept] for values in (shown, found, size))
    difference = ArrayDifference(x, y, scale, ones * evaluation_tolerance(), ones)
    labels = [f"{b or 'fixed'} {component}" for b, _ in ends for component in COMPONENTS]
    chosen = [label for label, known in zip(labels, kept, strict=True) if known]
    yield worst(name, f"poses by {able[0].name}", quantity, difference, k.states, chosen)


def _carriers(system: System) -> list[str | None]:
    return [system.body(name).parent for name in list_bodies(system)]


def _name_body(body: str | None) -> str:
    return body or "fixed"


def in_axes(
    k: TreeKinematics, x: Array, bodies: Sequence[str | None], carriers: Sequence[str | None], axes: str
) -> Array:
    """Convert the wrenches of joints or cuts from the bodies' axes (N, 6 k) to other axes (N, k, 6)."""
    found = x.reshape(k.count, -1, 2, 3).copy()
    for i, (body, carrier) in enumerate(zip(bodies, carriers, strict=True)):
        turn = k.frame(body).rotation
        if axes == "carrier":
            turn = np.einsum("sji,sjk->sik", k.frame(carrier).rotation, turn)
        if axes != "body":
            found[:, i] = _rotate(turn, found[:, i])
    return np.asarray(found.reshape(k.count, -1, len(COMPONENTS)) + 0.0)  # no negative zeros


#: Smallest direction cosine with which an unknown component makes a rotated component unknown.
NO_PART = 1e-9


def _rotate(turn: Array, vectors: Array) -> Array:
    """Rotate vectors (N, b, 3) by (N, 3, 3); a component is unknown if an unknown one contributes to it."""
    known = np.einsum("sij,sbj->sbi", turn, np.nan_to_num(vectors))
    is_open = np.einsum("sij,sbj->sbi", np.abs(turn) > NO_PART, np.isnan(vectors))
    return np.where(is_open, np.nan, known)
