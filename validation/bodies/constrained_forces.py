"""Forces at cuts and in joints of closed systems judged: by formalisms, and by sums over the bodies.

The sums are those of trees (:mod:`.joint_forces`) with the reactions of validation's own rows among the loads. A
formalism that has joint forces of trees alone is asked for those of the open tree under the same reactions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Parameter
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import symbol
from mbconcord.model.force import Point, Wrench
from mbconcord.model.joint_forces import COMPONENTS, CUT_FORCES, JOINT_FORCES, cuts, jointed
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..constraints.measure import Measure
from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison
from ..judge.kinematics import Kinematics
from ..judge.motion import Array
from ..judge.tolerances import SINGULAR, USELESS, constrained_tolerance, evaluation_tolerance
from .joint_forces import BODIES, carried_sums, delivered, sums, takes
from .reactions import Reactions, accelerated, norms, reactions


@dataclass(frozen=True)
class Witnessed:
    """Forces at cuts (N, 6 c) and in joints (N, 6 k) by witness, NaN what is not determined, every two compared."""

    at_cuts: Mapping[str, Array]
    at_joints: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]


def witnessed(
    system: System, assembly: Assembly, asked: Sequence[Formalism],
    trees: Mapping[str, Derivation] | None = None, measure: Measure | None = None,
) -> Witnessed:  # fmt: skip
    """What formalisms say of the forces of a closed system at assembled states, beside the sums over the bodies.

    ``trees`` is what they have derived of its open tree already, by name; ``measure`` is that of the system at these
    states, where it is known.
    """
    states, known = assembly.states, trees or {}
    at_cuts: dict[str, Array] = {}
    at_joints: dict[str, Array] = {}
    for f in asked:
        if f.constraint_obstacles(system):
            continue
        found = f.constrained_forces(system, states, known.get(f.name))
        if found is not None:
            at_cuts[f.name] = found.at_cuts.reshape(len(states), -1)
            at_joints[f.name] = found.at_joints.reshape(len(states), -1)
    if not takes(system.opened()):
        return Witnessed(at_cuts, at_joints, ())
    own = reactions(system, assembly, measure)
    own_cuts, own_joints = _cuts(own, own.multipliers), _sums(own)
    unknown = _open(own)
    of_trees = [f for f in asked if f.name not in at_joints]
    if of_trees:
        k = Kinematics(*_loaded(own))
        found_there = {f.name: x for f in of_trees if (x := delivered(f, k)) is not None}
        at_joints |= {name: np.where(unknown[1], np.nan, x) for name, x in found_there.items()}
    at_cuts[BODIES] = np.where(unknown[0], np.nan, own_cuts)
    at_joints[BODIES] = np.where(unknown[1], np.nan, own_joints)
    sizes = _sizes(own)
    labels = [f"{cut.name} {c}" for cut in cuts(system) for c in COMPONENTS]
    joints = [f"{body} {c}" for body in jointed(system) for c in COMPONENTS]
    told = (
        (CUT_FORCES, at_cuts, sizes[0], labels),
        (JOINT_FORCES, at_joints, sizes[1], joints),
    )
    compared = tuple(
        _judged(a, b, quantity, by, size, names, own)
        for quantity, by, size, names in told
        for a, b in combinations(by, 2)
    )
    return Witnessed(at_cuts, at_joints, compared)


def _judged(
    a: str, b: str, quantity: str, by: Mapping[str, Array], size: Array, names: Sequence[str], own: Reactions
) -> Comparison:
    """Two witnesses where validation's rank is clear, and what moves has inertia beyond rounding; what neither can
    determine at any state is left out."""
    cond = own.measure.cond
    tolerance = np.array([max(evaluation_tolerance(), constrained_tolerance(c)) for c in cond])
    moving = tolerance < USELESS
    clear = own.measure.clear & own.measure.regular & moving
    x, y = (np.where(clear[:, None], by[name], np.nan) for name in (a, b))
    kept = np.asarray((np.isfinite(x) | np.isfinite(y)).any(axis=0))
    if not kept.any():
        near = "every state is close to a singular position"
        why = (
            "not determined"
            if clear.any()
            else near
            if moving.any()
            else "what moves has no inertia, or hardly any"
        )
        return Comparison(a, b, quantity, "not checked", explanation=why if names else "there are none")
    chosen = [name for name, keep in zip(names, kept, strict=True) if keep]
    difference = Difference(x[:, kept], y[:, kept], size[:, kept], tolerance, cond)
    return worst(a, b, quantity, difference, own.k.states, chosen)


def _cuts(own: Reactions, multipliers: Array) -> Array:
    """What multipliers exert on the second sides of the cuts, in the axes of their bodies (N, 6 c)."""
    found = [np.zeros((own.k.count, 0))]
    for side in own.sides:
        axes = own.k.frame(side.bodies[1]).rotation
        for part in (side.force, side.moment):
            found.append(np.einsum("sji,sj->si", axes, np.einsum("sim,sm->si", part, multipliers)))
    return np.concatenate(found, axis=1)


def _reacting(own: Reactions, multipliers: Array) -> tuple[Array, Array]:
    """Joint forces against the reactions alone (N, 6 k), and their sizes."""
    return carried_sums(own.k, (need for side in own.sides for need in side.needs(multipliers)))


def _sums(own: Reactions) -> Array:
    alone, _ = sums(own.k)
    return alone + _reacting(own, own.multipliers)[0]


def _sizes(own: Reactions) -> tuple[Array, Array]:
    """Scales of the forces at the cuts and in the joints: what the equations may make of each part."""
    _, size = sums(accelerated(own))
    return _cut_sizes(own, own.sizes), size + _reacting(own, own.sizes)[1]


def _cut_sizes(own: Reactions, multipliers: Array) -> Array:
    """Sums of absolute values that multipliers exert on the second sides of the cuts (N, 6 c)."""
    found = [np.zeros((own.k.count, 0))]
    for side in own.sides:
        for part in (side.force, side.moment):
            size = np.einsum("sm,sm->s", norms(part), np.abs(multipliers))
            found.append(np.repeat(size[:, None], 3, axis=1))
    return np.concatenate(found, axis=1)


def _open(own: Reactions) -> tuple[Array, Array]:
    """Which components the multipliers leave open, at the cuts (N, 6 c) and in the joints (N, 6 k)."""
    limits = _cut_sizes(own, own.unit), _reacting(own, own.unit)[1]
    found = tuple(np.zeros(limit.shape, dtype=bool) for limit in limits)
    for r in range(own.open.shape[2]):
        free = own.open[:, :, r] * own.unit
        for is_open, part, limit in zip(
            found, (_cuts(own, free), _reacting(own, free)[0]), limits, strict=True
        ):
            is_open |= np.abs(part) > SINGULAR * limit
    return found[0], found[1]


def _loaded(own: Reactions) -> tuple[System, list[State]]:
    """The open tree with a wrench on every body that a cut touches; its components are parameters of the states."""
    tree, k = own.k.system, own.k
    stem = "reaction"
    while any(name.startswith(stem) for name in (*tree.names, *(f.name for f in tree.forces))):
        stem += "_"
    values: dict[str, Array] = {}
    wrenches, needed = [], [need for side in own.sides for need in side.needs(own.multipliers)]
    for i, body in enumerate(
        body for body in tree.bodies if any(body.name in side.bodies for side in own.sides)
    ):
        frame, six = k.frame(body.name), np.zeros((k.count, 6))
        for name, at, force, moment, _ in needed:
            if name == body.name:
                six[:, :3] -= force
                about = moment + np.cross(at.position - frame.position, force)
                six[:, 3:] -= np.einsum("sji,sj->si", frame.rotation, about)
        names = [f"{stem}{i}{c}" for c in COMPONENTS]
        values |= dict(zip(names, six.T, strict=True))
        parts = [symbol(name) for name in names]
        wrenches.append(Wrench(f"{stem}{i}", Point(body.name), tuple(parts[:3]), tuple(parts[3:])))  # type: ignore[arg-type]
    parameters = (*tree.parameters, *map(Parameter, values))
    states = []
    for s, state in enumerate(k.states):
        own_values = {name: float(x[s]) for name, x in values.items()}
        a = dict(zip(tree.coordinate_names, map(float, k.a[s]), strict=True))
        states.append(replace(state, a=a, parameters={**state.parameters, **own_values}))
    return replace(tree, parameters=parameters, forces=(*tree.forces, *wrenches)), states
