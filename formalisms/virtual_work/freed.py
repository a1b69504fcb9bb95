"""Reactions of joints by freeing them: one more possible displacement for each direction that a joint locks.

A joint that is freed lets its body, with all that the body carries, be displaced along and turned about the axes of the
body's frame, at the frame's origin: six displacements that the machine does not have. Along each of them virtual work
vanishes when the reaction acts, so with columns Φ_i of the freed displacement::

    R = Σ Φ_iᵀ (M_i (Φ_i q'' + W'_i) + K_i - G_i) - Σ λ (work of what constraints do to the bodies)

the sums (9) of all bodies that it moves, in N along and in N m about the axes. Directions in which the joint moves are
freed too: there R is what drives and efforts do. Displacements of the machine itself leave R out: (5).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from mbconcord.model.expressions import ONE, ZERO, Expression, symbol
from mbconcord.model.joint_forces import COMPONENTS, list_jointed_bodies
from mbconcord.model.system import System

from . import carried
from .body import BodyTerms
from .carried import deep
from .forces import Frames
from .kinematics import Kinematics
from .medium import MediumTerms
from .parts import parts
from .sections import carrier
from .vectors import NONE, dot, minus, plus, times

if TYPE_CHECKING:
    from .soft import Bent

#: Along and about the axes of a frame: whether it turns, and which axis.
SIX = tuple((turning, axis) for turning in (False, True) for axis in range(3))


def freed_kinematics(system: System) -> dict[str | None, Kinematics]:
    """Compute the motion of every body's frame, with columns of freed joints in addition to the coordinates'."""
    moved = frozenset(list_jointed_bodies(system))
    frames: dict[str | None, Kinematics] = {None: Kinematics()}
    for body in system.bodies:
        frame = carrier(system, body, frames)
        for et in body.joint:
            frame = frame.apply_transformation(et)
        frames[body.name] = free_joint(frame, body.name) if body.name in moved else frame
    return frames


def free_joint(frame: Kinematics, name: str) -> Kinematics:
    """Free a frame to be displaced along and rotated about its own axes, too."""
    D, B = dict(frame.D), dict(frame.B)
    for (turning, k), own in zip(SIX, displacements(name), strict=True):
        axis = frame.A[0][k], frame.A[1][k], frame.A[2][k]
        D[own], B[own] = (NONE, axis) if turning else (axis, NONE)
    return replace(frame, D=D, B=B)


def displacements(name: str) -> tuple[str, ...]:
    """Name the six displacements of a freed joint; the apostrophe rules out clashes with coordinates."""
    return tuple(f"{name}'{component}" for component in COMPONENTS)


def joint_forces(system: System, frames: Frames | None = None) -> tuple[tuple[Expression, ...], ...]:
    """Derive force (N) and moment (N m) on each moving body about its origin, in its axes, over q, q', q'', t: k×6.

    ``frames`` are the :func:`freed_kinematics` of the system, if known: masses on its elements do not change them.
    """
    whole = system.lump_masses()
    if frames is None and deep(whole):
        return carried.derive_freed_work(whole)
    made = parts(whole, frames or freed_kinematics(whole))
    works: dict[str, Expression] = {}
    names = frozenset(made.names)
    rigid: list[BodyTerms | MediumTerms] = [*made.solids, *made.fluids.values()]
    shares = (_rigid(part, names) for part in rigid), (_soft(part, names) for part in made.bent)
    for share in chain(*shares):
        for name, work in share:
            works[name] = works.get(name, ZERO) + work
    return tuple(tuple(works.get(own, ZERO) for own in displacements(name)) for name in list_jointed_bodies(system))


Share = Iterator[tuple[str, Expression]]


def _rigid(part: BodyTerms | MediumTerms, names: frozenset[str]) -> Share:
    """Compute the virtual work of a body, or of its surrounding fluid, on freed displacements: inertia less loads."""
    push, twist = part.bias
    for name, d, b in part.phi:
        if name in names:
            momentum, spin = part.momenta(*(times(_second_rate(name), v) for v in (d, b)))
            push, twist = plus(push, momentum), plus(twist, spin)
    if isinstance(part, BodyTerms):
        push = minus(push, plus(part.weight, part.load[0]))
        twist = minus(twist, part.load[1])
    for name, d, b in part.phi:
        if name not in names:
            yield name, dot(d, push) + dot(b, twist)


def _soft(bent: Bent, names: frozenset[str]) -> Share:
    """Compute the same for an elastic body; its stiffness does no work in a rigid displacement."""
    part = bent.terms
    needed = [(ONE, part.bias), (-ONE, part.weight)]
    columns = list(part.columns)
    needed += [(_second_rate(name), part.momenta(column)) for name, column in columns if name in names]
    for name, column in columns:
        if name not in names:
            yield name, sum((factor * part.work(column, forces) for factor, forces in needed), ZERO)
    for section in bent.loaded:
        for name, d, b in section.phi:
            if name not in names:
                yield name, -(dot(d, section.load[0]) + dot(b, section.load[1]))


def _second_rate(name: str) -> Expression:
    return symbol(f"{name}''")
