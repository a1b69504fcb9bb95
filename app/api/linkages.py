"""Drive forces, reactions and joint forces of closed linkages at states of driven coordinates, with witnesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.constraint import Holonomic
from mbconcord.model.diagnostics import FormalismError, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import TIME, as_expression, symbol
from mbconcord.model.force import Point, Wrench
from mbconcord.model.joint_forces import JOINT_FORCES, list_jointed_bodies
from mbconcord.model.notation.listing import JointReaction, LinkageForces
from mbconcord.model.numbers import bind_states
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.model.transformation import vector
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import assemble
from mbconcord.simulation.batch import RowsAtStates
from mbconcord.simulation.rows import constraint_rows
from mbconcord.validation.judge.comparison import ArrayDifference, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.scale import scales as trial_scales
from mbconcord.validation.judge.tolerances import constrained_tolerance
from mbconcord.validation.witnesses.sums.joint_forces import BODIES, compare_joint_forces, sums

#: Names of a joint's three entries: forces along the plane's axes, and the moment about its normal.
PLANAR = ("Fx", "Fy", "M")


@dataclass(frozen=True)
class Linkage:
    """Forces of a linkage at a state, in fixed axes of its plane, with pairwise comparisons of the witnesses.

    The witnesses compute the open tree with the reactions as loads: its joint forces by formalisms and by sums over the
    bodies, and its inverse dynamics, which must be equal to the drive forces.
    """

    state: State
    forces: LinkageForces
    comparisons: tuple[Comparison, ...]

    @property
    def agree(self) -> bool:
        """True if no comparison with a witness disagrees."""
        return all(c.verdict != "disagrees" for c in self.comparisons)


def driven_state(system: System, driven: Mapping[str, Sequence[float]], guess: State) -> State:
    """Find the state with given q, q', q'' of driven coordinates and closed loops, near a guess.

    Raises
    ------
    NumbersError
        A coordinate is unknown, or a loop does not close: its name, and its gap at the nearest state found.
    """
    unknown = [error("--drive", f"there is no coordinate {n!r}", among(n, system.coordinate_names)) for n in driven
               if n not in system.coordinate_names]  # fmt: skip
    if unknown:
        raise NumbersError(unknown)
    rows = []
    for name, (q, v, a) in driven.items():
        since = TIME - as_expression(guess.t)
        law = as_expression(q) + as_expression(v) * since + as_expression(a / 2) * since * since
        rows.append(Holonomic(f"drive {name}", symbol(name) - law))
    held = replace(system, constraints=(*system.constraints, *rows))
    start = replace(guess, q={**guess.q, **{name: float(own[0]) for name, own in driven.items()}})
    made = assemble(held, [start])
    state = made.states[0]
    if not made.is_closed[0]:
        at = RowsAtStates(constraint_rows(held), held, [state])
        gaps = np.abs(at.positions(at.q).f[0])
        i = int(np.argmax(gaps[: len(gaps) - len(rows)]))
        place = f"constraints/{at.rows.rows[i].constraint}"
        values = ", ".join(f"{name} = {own[0]:g}" for name, own in driven.items())
        message = f"the linkage does not close at {values}: a gap of {gaps[i]:.3g} stays at the nearest state found"
        raise NumbersError(error(place, message, "drive it to another position, or give --state nearer to it"))
    return replace(state, a={name: float(own[2]) for name, own in driven.items()}, parameters=guess.parameters)


def of_linkages(by: Formalism) -> bool:
    """Return True if a formalism can compute forces of closed planar linkages."""
    return type(by).linkage_forces is not Formalism.linkage_forces


def linkage_forces(system: System, state: State, by: Formalism, driven: Sequence[str] = ()) -> Linkage:
    """Compute drive forces, reactions and joint forces at a state, and compare the witnesses.

    Raises
    ------
    FormalismError
        The formalism computes no such forces, or does not take the model; NumbersError for a state that breaks a loop.
    """
    found = by.linkage_forces(system, [state], driven)
    if found is None:
        own = (registry.formalism(n) for n in registry.names())
        having = [f.name for f in own if of_linkages(f)]
        message = f"{by.name} does not deliver them with constraints"
        raise FormalismError(error(JOINT_FORCES, message, among(by.name, having)))
    names = system.coordinate_names
    values = bind_states(system, [state]).values
    q, v = ({name: float(np.ravel(values[name + order])[0]) for name in names} for order in ("", "'"))
    if found.diagnostics:
        return Linkage(replace(state, q=q, v=v), found, ())
    moving = replace(state, q=q, v=v, a=dict(zip(names, map(float, found.accelerations[0]), strict=True)))
    return Linkage(moving, found, tuple(_compare(system, moving, by, found)))


def _compare(system: System, state: State, by: Formalism, found: LinkageForces) -> list[Comparison]:
    """Compare joint forces and drives with those of the open tree under the reactions, by every witness."""
    opened = replace(system.lump_masses(), constraints=())
    frames = TreeKinematics(opened, bind_states(opened, [state]))
    loads = tuple(_load(i, reaction, frames) for i, reaction in enumerate(found.reactions))
    loaded = replace(opened, forces=(*opened.forces, *loads))
    k = TreeKinematics(loaded, bind_states(loaded, [state]))
    others = (registry.formalism(n) for n in registry.names() if n != by.name)
    values = compare_joint_forces(k, [f for f in others if f.bears]).values
    own, scale = sums(k)
    all_of = {name: _in_plane(k, x, found.axes) for name, x in {**values, BODIES: own}.items()}
    mine = np.concatenate([found.force, found.moment[:, :, None]], axis=2).reshape(1, -1)
    jointed = [body in list_jointed_bodies(opened) for body in k.bodies]
    sizes = scale.reshape(1, -1, 6)[:, jointed][:, :, [0, 0, 3]].reshape(1, -1)
    entries = [f"{body} {c}" for body in list_jointed_bodies(opened) for c in PLANAR]
    scales = trial_scales(k)
    tolerance = np.array([constrained_tolerance(float(max(1.0, scales.cond[0])))])
    compared = [
        worst(by.name, name, JOINT_FORCES, ArrayDifference(mine, x, sizes, tolerance, np.ones(1)), [state], entries)
        for name, x in all_of.items()
    ]
    drives = np.array([[found.drives[c][0] if c in found.drives else 0.0 for c in k.system.coordinate_names]])
    for name in values:
        needed = (
            registry.formalism(name).evaluate(loaded, bind_states(loaded, [state])).quantities.get("inverse_dynamics")
        )
        if needed is not None:
            difference = ArrayDifference(drives, needed, scales.rows["inverse_dynamics"], tolerance, np.ones(1))
            compared.append(worst(by.name, name, "drives", difference, [state], k.system.coordinate_names))
    return compared


def _load(i: int, reaction: JointReaction, frames: TreeKinematics) -> Wrench:
    """Convert a reaction to a load on its body, with point and moment in the body's axes, force in fixed axes."""
    frame = frames.frame(reaction.body)
    inside = frame.rotation[0].T
    point = Point(reaction.body, vector(map(float, inside @ (reaction.point[0] - frame.position[0]))))
    moment = vector(map(float, inside @ reaction.moment[0]))
    return Wrench(f"reaction{i} of {reaction.constraint}", point, vector(map(float, reaction.force[0])), moment)


def _in_plane(k: TreeKinematics, six: Array, axes: Array) -> Array:
    """Convert joint forces from the bodies' axes to forces in the plane and moments about its normal (1, 3 k)."""
    found = []
    for body, own in zip(k.bodies, six.reshape(-1, 6), strict=True):
        if body not in list_jointed_bodies(k.system):
            continue
        turn = k.frame(body).rotation[0]
        force, moment = turn @ own[:3], turn @ own[3:]
        found += [axes[0] @ force, axes[1] @ force, axes[2] @ moment]
    return np.array(found).reshape(1, -1)
