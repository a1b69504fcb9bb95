"""Drives, reactions and joint forces of closed planar linkages, revolute and sliding.

For a given motion, the drives M (as many as degrees of freedom) and λ follow from

    [E_driven  Dᵀ] [M; λ] = M q'' + h - gravity - applied ;

for given drives, q'' and λ follow from the equations of motion. The reactions are then loads of the open tree, and
its inward sweep gives the forces m (a_O - g) + P - F and moments N in the joints. The planar equations give the
components of both in the plane.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model import State, System
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.evaluation import Array, Evaluation
from mbconcord.model.expressions import ONE, Expression, symbol
from mbconcord.model.joint_forces import list_jointed_bodies
from mbconcord.model.naming import Namer
from mbconcord.model.notation.listing import JointReaction, LinkageForces
from mbconcord.model.transformation import Vector

from ..loads import Load
from ..tree import GROUND
from ..vectors import NULL, apply, back, cross, dot, minus, plus, times
from .parts import SINGULAR, solve_motion
from .relative import Joint, RelativeLinkage

ANOTHER = "a dead point, a change point or a redundant loop: drive another coordinate, or choose another state"


def linkage_forces(
    system: System, open_tree: Evaluation, states: Sequence[State], driven: Sequence[str]
) -> LinkageForces:
    """Compute the forces of a linkage without obstacles; states give the accelerations of driven coordinates.

    Raises
    ------
    NumbersError
        A driven coordinate is unknown, their number is not that of degrees of freedom, or a loop is broken.
    """
    linkage = RelativeLinkage(system)
    _require(linkage, driven)
    D, rest = linkage.require_closed(states)
    q, columns = open_tree.quantities, [linkage.names.index(name) for name in driven]
    force = q["gravity"] + q["applied"] - q["h"]
    count, m, n = D.shape
    a, multipliers, drives = (np.full((count, size), np.nan) for size in (n, m, len(driven)))
    findings: list[Diagnostic] = []
    for s, state in enumerate(states):
        if driven:
            given = np.array([state.a.get(name, 0.0) for name in driven])
            found = _driven(q["M"][s], force[s], D[s], rest[s], columns, given)
        else:
            free = solve_motion(q["M"][s], force[s], D[s], rest[s])
            found = (free.acceleration, free.multipliers, np.zeros(0)) if free else None
        if found is None or not np.isfinite(found[1]).all():
            what = f"with {', '.join(driven)} driven" if driven else "of the closure equations"
            findings.append(error("constraints", f"singular position {what}: the forces are not determined", ANOTHER))
            continue
        a[s], multipliers[s], drives[s] = found
    moved = [_moving(state, linkage.names, own) for state, own in zip(states, a, strict=True)]
    made = dict(zip(driven, drives.T, strict=True))
    return _forces(linkage, moved, a, multipliers, made, tuple(dict.fromkeys(findings)))


def _moving(state: State, names: Sequence[str], a: Array) -> State:
    return replace(state, a=dict(zip(names, map(float, np.nan_to_num(a)), strict=True)))


def _require(linkage: RelativeLinkage, driven: Sequence[str]) -> None:
    names = linkage.names
    unknown = [error("--drive", f"there is no coordinate {n!r}", among(n, names)) for n in driven if n not in names]
    if unknown:
        raise NumbersError(unknown)
    freedom = len(names) - len(linkage.closure)
    if driven and len(driven) != freedom:
        found = f"driven coordinates: {len(driven)}, degrees of freedom: {freedom}"
        raise NumbersError(error("--drive", found, "drive one coordinate for each"))


def _driven(
    M: Array, force: Array, D: Array, rest: Array, columns: Sequence[int], given: Array
) -> tuple[Array, Array, Array] | None:
    """Compute q'' from driven accelerations and the closure, then λ and the drives; None at a singular position."""
    n, m = len(M), len(D)
    chosen = np.zeros((len(columns), n))
    chosen[range(len(columns)), columns] = 1.0
    motion, forces = np.vstack([D, chosen]), np.hstack([chosen.T, D.T])
    for matrix in (motion, forces):
        scale = np.linalg.norm(matrix, axis=1, keepdims=True)
        sizes = np.linalg.svd(matrix / np.where(scale > 0, scale, 1.0), compute_uv=False)
        if n != m + len(columns) or not sizes[-1] > SINGULAR * sizes[0]:
            return None
    a = np.asarray(np.linalg.solve(motion, np.concatenate([-rest, given])), dtype=np.float64)
    found = np.asarray(np.linalg.solve(forces, M @ a - force), dtype=np.float64)
    return a, found[len(columns) :], found[: len(columns)]


def _reactions(
    linkage: RelativeLinkage, values: Sequence[Expression]
) -> Iterator[tuple[Joint, Vector, Vector, Vector]]:
    """Yield for each cut joint the point, the force and the moment on the first body, in fixed axes."""
    found = iter(values)
    for joint in linkage.joints:
        force, moment = NULL, NULL
        for u in linkage.directions(joint):
            force = plus(force, times(next(found), u))
        if joint.slide is not None:
            moment = times(-ONE * next(found), linkage.plane.n)
        yield joint, linkage.point(joint.f), force, moment


def _forces(
    linkage: RelativeLinkage, states: Sequence[State], a: Array, multipliers: Array,
    drives: dict[str, Array], findings: tuple[Diagnostic, ...],
) -> LinkageForces:  # fmt: skip
    """Compute drives, reactions and joint forces by sweeping the open tree with the reactions as loads."""
    space, plane, namer = linkage.space, linkage.plane, Namer(linkage.system.names)
    unknown = [symbol(namer.fresh(f"F_{i}")) for i in range(len(linkage.closure))]
    reactions = list(_reactions(linkage, unknown))
    loads: list[Load] = list(space.loads.external)
    shown: list[tuple[str, str, Vector, Vector, Vector]] = []
    bodies: dict[int, str] = {}
    for body, mount in space.tree.mounts.items():
        bodies.setdefault(mount.link, body or "")
    for joint, point, force, moment in reactions:
        for link, sign in ((joint.e.link, ONE), (joint.f.link, -ONE)):
            if link == GROUND:
                continue
            place = space.places[link]
            arm, couple = back(place.A, minus(point, place.O)), back(place.A, times(sign, moment))
            loads.append(Load(link, arm, times(sign, force), couple))
            shown.append((joint.name, bodies[link], point, times(sign, force), times(sign, moment)))
    sweep = space.equations.sweep(space.motions, space.equations.loads(loads, space.places))
    outputs: list[Expression] = []
    names = list_jointed_bodies(linkage.system)
    for name in names:
        mount = space.tree.mounts[name]
        k, A = mount.link, space.places[mount.link].A
        inertial = plus(times(space.equations.bodies[k].m, space.motions[k].a), sweep.P[k])
        force = minus(inertial, sweep.F[k])
        moment = apply(A, minus(sweep.N[k], cross(mount.position, force)))
        force = apply(A, force)
        outputs += [dot(plane.x, force), dot(plane.y, force), dot(plane.n, moment)]
    for _, _, *vectors in shown:
        outputs += [x for v in vectors for x in v]
    axes = linkage.values([x for v in (plane.x, plane.y, plane.n) for x in v], states[:1]).reshape(3, 3)
    known = {str(u): own for u, own in zip(unknown, multipliers.T, strict=True)}
    values = linkage.values(outputs, states, known)
    values[~np.isfinite(np.hstack([a, multipliers])).all(axis=1)] = np.nan  # also what no loop bears
    joints = values[:, : 3 * len(names)].reshape(len(states), len(names), 3)
    cuts = values[:, 3 * len(names) :].reshape(len(states), len(shown), 3, 3)
    found = tuple(
        JointReaction(name, body, cuts[:, i, 0], cuts[:, i, 1], cuts[:, i, 2])
        for i, (name, body, *_) in enumerate(shown)
    )
    return LinkageForces(a, drives, names, joints[:, :, :2], joints[:, :, 2], axes, found, findings)
