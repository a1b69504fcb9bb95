"""Efforts that act along other coordinates than the driven ones, whose accelerations are given.

With a, λ and the efforts u unknown, G the driven coordinates with rows S, and B the columns along which u acts::

    M a + h = gravity + applied + Dᵀ λ + B u ,    D a = -γ̃ ,    S a = a_G

With M = L Lᵀ, A = D L⁻ᵀ and N its null space, ã = -A⁺ γ̃, the free motion is y₀ = ã + N Nᵀ (L⁻¹ r - ã), and
C u = a_G - S L⁻ᵀ y₀ with C = S L⁻ᵀ N Nᵀ L⁻¹ B. ``applied`` includes all drives but those of actuated coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.coordinate import Effort, Motion, Parameter
from mbconcord.model.diagnostics import Diagnostic, NumbersError, among, error
from mbconcord.model.evaluation import Array, ConstrainedMotion
from mbconcord.model.expressions import symbol
from mbconcord.model.limits import count
from mbconcord.model.mixed import imposed_numbers
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import replace

from .moving import DEPENDENT, JointMotion, assign_motion

#: Smallest singular value of C, scaled to rows and columns of length 1, below which a state is a dead point.
DEAD: Final = 1e-9
#: Largest deviation of a force from being linear in a parameter, as a part of the largest force.
LINEAR: Final = 1e-9
#: Largest difference between accelerations of forward dynamics and the requested ones, as a part of the largest.
BACK: Final = 1e-7


def actuate(moving: JointMotion, system: System, by: Formalism, actuated: Sequence[str]) -> JointMotion:
    """Solve for efforts along actuated coordinates or of parameters; return the free motion under these efforts.

    Parameters
    ----------
    moving : the motion with its held, given and imposed coordinates, which are the driven ones
    system : the model with its own drives
    actuated : coordinates, or parameters in which the applied forces are linear, as many as driven coordinates

    Raises
    ------
    NumbersError
        An unknown name, more or fewer names than driven coordinates, nonlinear forces of a parameter, or a dead point.
    """
    _refuse(moving, system, actuated)
    bare, states, u, asked = _find_efforts(moving, system, by, actuated)
    dead = np.flatnonzero(np.isnan(u).any(axis=1))
    if dead.size:
        names, on = ", ".join(actuated), ", ".join(moving.driven)
        message = f"the effort along {names} does not act on {on} here (least singular value below {DEAD:g})"
        raise NumbersError(error(f"actuated/{actuated[0]}", message, "a dead point, or name another coordinate"))
    return _act(moving, bare, states, by, dict(zip(actuated, u.T, strict=True)), asked)


def actuate_along(
    system: System, states: Sequence[State], by: Formalism, driven: Sequence[str], actuated: Sequence[str]
) -> tuple[Array, JointMotion | None, list[int]]:
    """Return efforts (N, k) along a motion, NaN at dead points; the motion under them; numbers of its states.

    The motion is under these efforts, at all states but dead points, whose numbers follow; None if all are dead points.
    """
    moving = assign_motion(system, states, (), driven)
    _refuse(moving, system, actuated)
    bare, own, u, asked = _find_efforts(moving, system, by, actuated)
    places = np.flatnonzero(np.isfinite(u).all(axis=1)).tolist()
    if not places:
        return u, None, places
    part = replace(moving, states=tuple(moving.states[i] for i in places))
    efforts = dict(zip(actuated, u[places].T, strict=True))
    return u, _act(part, bare, [own[i] for i in places], by, efforts, asked[places]), places


def _find_efforts(
    moving: JointMotion, system: System, by: Formalism, actuated: Sequence[str]
) -> tuple[System, list[State], Array, Array]:
    """Return the model without drives of imposed and actuated coordinates, its states, efforts and accelerations.

    Efforts (N, k) are NaN at dead points; accelerations (N, g) are the requested ones of the driven coordinates.
    """
    driven, names = moving.driven, system.coordinate_names
    asked = _given_accelerations(moving)
    bare = _with_drives(system, {name: None for name in (*actuated, *moving.imposed) if name in names})
    own = {p.name for p in system.parameters}
    states = [
        replace(state, a={}, parameters={name: x for name, x in state.parameters.items() if name in own})
        for state in moving.states
    ]
    parameters = [name for name in actuated if name not in names]
    zero = [_with(state, dict.fromkeys(parameters, 0.0)) for state in states]
    M, force, D, rest = _equations(bare, by, zero)
    B = _columns(bare, by, states, actuated, parameters)
    S = np.eye(len(names))[[names.index(name) for name in driven]]
    u = np.stack([_solve(M[i], force[i], D[i], rest[i], B[i], asked[i], S) for i in range(len(states))])
    return bare, states, u, asked


def _refuse(moving: JointMotion, system: System, actuated: Sequence[str]) -> None:
    known = [*system.coordinate_names, *(p.name for p in system.parameters)]
    findings = [
        error("actuated", f"there is no coordinate and no parameter {name!r}", among(name, known))
        for name in actuated
        if name not in known
    ]
    if len(moving.driven) != len(set(actuated)):
        given = f"{count(len(moving.driven), 'acceleration')} {'is' if len(moving.driven) == 1 else 'are'} given"
        sought = f"{count(len(set(actuated)), 'effort')} {'is' if len(set(actuated)) == 1 else 'are'} sought"
        findings.append(error("actuated", f"{given} and {sought}", "name as many"))
    if findings:
        raise NumbersError(findings)


def _given_accelerations(moving: JointMotion) -> Array:
    """Return the requested accelerations of the driven coordinates (N, g)."""
    at = Instance(moving.system, moving.states)
    numbers = imposed_numbers(moving.system, at.values, len(moving.states))
    return numbers[:, [moving.system.coordinate_names.index(name) for name in moving.driven]]


def _with_drives(system: System, drives: dict[str, Effort | Motion | None]) -> System:
    return replace(system, coordinates=tuple(replace(c, drive=drives.get(c.name, c.drive)) for c in system.coordinates))


def _with(state: State, values: dict[str, float]) -> State:
    return replace(state, parameters={**state.parameters, **values})


def _equations(system: System, by: Formalism, states: Sequence[State]) -> tuple[Array, Array, Array, Array]:
    """Return M (N, n, n), gravity + applied - h (N, n), D (N, m, n) and γ̃ (N, m)."""
    motion: ConstrainedMotion | None = by.constrained_motion(system, states) if system.constraints else None
    q = (motion.tree if motion else by.evaluate(system, states)).quantities
    N, n = q["h"].shape
    D, rest = (motion.D, motion.rest) if motion else (np.zeros((N, 0, n)), np.zeros((N, 0)))
    return q["M"], q["gravity"] + q["applied"] - q["h"], D, rest


def _columns(
    system: System, by: Formalism, states: Sequence[State], actuated: Sequence[str], parameters: Sequence[str]
) -> Array:
    """Return the generalized forces B (N, n, k) of a unit of each effort."""
    names = system.coordinate_names
    found = np.zeros((len(states), len(names), len(actuated)))
    for i, name in enumerate(actuated):
        if name in names:
            found[:, names.index(name), i] = 1.0
            continue
        others = {other: 0.0 for other in parameters if other != name}
        forces = [
            by.evaluate(system.open_loops(), [_with(s, others | {name: x}) for s in states]).quantities["applied"]
            for x in (0.0, 1.0, 2.0)
        ]
        found[:, :, i] = forces[1] - forces[0]
        bent = np.abs(forces[2] - forces[0] - 2 * found[:, :, i]).max(initial=0.0)
        if bent > LINEAR * max(np.abs(x).max(initial=0.0) for x in forces):
            raise NumbersError(error("actuated", f"{name}: the forces are not linear in it", "name another parameter"))
    return found


def _solve(M: Array, force: Array, D: Array, rest: Array, B: Array, asked: Array, S: Array) -> Array:
    """Return the efforts (k,) at one state; NaN at a dead point, where they do not act on driven coordinates."""
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(M))  # L⁻¹
    except np.linalg.LinAlgError:
        message = "the mass matrix is singular: efforts are not determined"
        raise NumbersError(error("actuated", message, "give the bodies that coordinates move a mass")) from None
    A = D @ inverse.T
    lengths = np.linalg.norm(A, axis=1)
    kept = lengths > DEPENDENT * lengths.max(initial=0.0)
    A, right = A[kept] / lengths[kept, None], rest[kept] / lengths[kept]
    left, sizes, across = np.linalg.svd(A)
    rank = int((sizes > DEPENDENT).sum())
    bound = -across[:rank].T @ ((left[:, :rank].T @ right) / sizes[:rank])
    N = across[rank:].T
    start = bound + N @ (N.T @ (inverse @ force - bound))
    rows, columns = S @ inverse.T, inverse @ B
    C = rows @ N @ (N.T @ columns)
    unit = [np.where(x > 0, x, 1.0) for x in (np.linalg.norm(rows, axis=1), np.linalg.norm(columns, axis=0))]
    least = np.linalg.svd(C / unit[0][:, None] / unit[1], compute_uv=False).min(initial=np.inf)
    if least < DEAD:
        return np.full(B.shape[1], np.nan)
    return np.asarray(np.linalg.solve(C, asked - rows @ start))


def _act(
    moving: JointMotion, bare: System, states: Sequence[State], by: Formalism, efforts: dict[str, Array], asked: Array
) -> JointMotion:
    """Return the free motion under these efforts; report if its accelerations are not the requested ones."""
    names, stem = bare.coordinate_names, "effort"
    while any(name.startswith(stem) for name in bare.names):
        stem += "_"
    of = {name: f"{stem}{i + 1}" for i, name in enumerate(efforts) if name in names}
    made = _with_drives(
        replace(bare, parameters=(*bare.parameters, *map(Parameter, of.values()))),
        {name: Effort(symbol(own)) for name, own in of.items()},
    )
    acted = [
        _with(state, {of.get(name, name): float(u[i]) for name, u in efforts.items()}) for i, state in enumerate(states)
    ]
    free = assign_motion(made, acted, (), ())
    motion = by.constrained_motion(made, free.states) if made.constraints else None
    found = free.solve(by, motion.tree if motion else by.evaluate(made, free.states), motion)
    groups = {key: getattr(moving, key) for key in ("free", "imposed", "given", "held")}
    findings = (*moving.findings, *_compare_back(found, moving.driven, asked))
    return replace(found, **groups, actuated=efforts, findings=findings)


def _compare_back(found: JointMotion, driven: Sequence[str], asked: Array) -> Iterator[Diagnostic]:
    """Yield an error if forward dynamics with the efforts does not give the requested accelerations."""
    own = found.acceleration[:, [found.system.coordinate_names.index(name) for name in driven]]
    size = max(np.abs(found.acceleration).max(initial=0.0), np.abs(asked).max(initial=0.0))
    if not np.abs(own - asked).max(initial=0.0) <= BACK * size:
        message = "forward dynamics with these efforts does not give the accelerations that were asked for"
        yield error("actuated", message, "do not trust these numbers; please report the model and the command")
