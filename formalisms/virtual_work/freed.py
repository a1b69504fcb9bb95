"""Reactions of joints by freeing them: one more possible displacement for each direction in which a joint holds.

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

from mbconcord.model.expressions import ONE, ZERO, Expression, symbol
from mbconcord.model.joint_forces import COMPONENTS, jointed
from mbconcord.model.system import System

from . import carried
from .body import BodyTerms
from .carried import deep
from .forces import Frames
from .kinematics import Kinematics
from .medium import MediumTerms
from .parts import parts
from .sections import carrier
from .soft import Bent
from .vectors import NONE, dot, minus, plus, times

#: Along and about the axes of a frame: whether it turns, and which axis.
SIX = tuple((turning, axis) for turning in (False, True) for axis in range(3))


def freed_kinematics(system: System) -> dict[str | None, Kinematics]:
    """Motion of every body's frame, with columns of the freed joints beside those of the coordinates."""
    moved = frozenset(jointed(system))
    frames: dict[str | None, Kinematics] = {None: Kinematics()}
    for body in system.bodies:
        frame = carrier(system, body, frames)
        for et in body.joint:
            frame = frame.after(et)
        frames[body.name] = freed(frame, body.name) if body.name in moved else frame
    return frames


def freed(frame: Kinematics, name: str) -> Kinematics:
    """A frame that may be displaced along and turned about its own axes, too."""
    D, B = dict(frame.D), dict(frame.B)
    for (turning, k), own in zip(SIX, displacements(name), strict=True):
        axis = frame.A[0][k], frame.A[1][k], frame.A[2][k]
        D[own], B[own] = (NONE, axis) if turning else (axis, NONE)
    return replace(frame, D=D, B=B)


def displacements(name: str) -> tuple[str, ...]:
    """What the six displacements of a freed joint are called: as no coordinate can be, with its apostrophe."""
    return tuple(f"{name}'{component}" for component in COMPONENTS)


def joint_forces(system: System, frames: Frames | None = None) -> tuple[tuple[Expression, ...], ...]:
    """Force (N) and moment (N m) on each moving body about its origin, in its axes, over q, q', q'' and t: k×6.

    ``frames`` are the :func:`freed_kinematics` of the system, where they are known: masses on its elements leave them
    as they are.
    """
    whole = system.lumped()
    if frames is None and deep(whole):
        return carried.freed(whole)
    made = parts(whole, frames or freed_kinematics(whole))
    works: dict[str, Expression] = {}
    names = frozenset(made.names)
    rigid: list[BodyTerms | MediumTerms] = [*made.solids, *made.fluids.values()]
    shares = (_rigid(part, names) for part in rigid), (_soft(part, names) for part in made.bent)
    for share in chain(*shares):
        for name, work in share:
            works[name] = works.get(name, ZERO) + work
    return tuple(tuple(works.get(own, ZERO) for own in displacements(name)) for name in jointed(system))


Share = Iterator[tuple[str, Expression]]


def _rigid(part: BodyTerms | MediumTerms, names: frozenset[str]) -> Share:
    """What a body, or the fluid around it, does on the freed displacements: inertia less loads."""
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
    """The same of an elastic body; its stiffness does no work while it is displaced as a whole."""
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
