"""Closed planar linkages in relative coordinates: revolute and sliding joints, in the tree and where it is cut.

The open tree's equations are those of the spatial form, M q'' + h = Q + τ + Dᵀ λ, and the closure of every cut joint is
differentiated, φ'' = D q'' + γ̃ = 0:

    a revolute cut      P - Q = 0 along x and y of the plane ;  λ = F_r on the first body at P
    a sliding cut       (P - Q) · k×s = 0 and k · (s × s_2) = 0, s the direction of the slide on the first body and
                        s_2 on the second ;  λ = F_r across the slide, and the moment on the second body
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from mbconcord.model import State, System
from mbconcord.model.constraint import Frame, FrameCoincidence, PointCoincidence
from mbconcord.model.derivation import Nested, Obstacle
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import (
    ONE,
    ZERO,
    Expression,
    evaluate,
    jacobian,
    numpy_arithmetic,
    rate,
    substitute,
    symbol,
    time_derivative,
)
from mbconcord.model.expressions import apply as call
from mbconcord.model.functions import define
from mbconcord.model.numbers import bind_states
from mbconcord.model.transformation import Vector
from mbconcord.records import dataclass, replace

from .. import planarity
from ..planarity import Plane, form_obstacles
from ..stages import SpatialEquations
from ..tree import Mount, Tree, tree
from ..vectors import apply, cross, dot, minus, plus
from .cuts import find_unfit, mount_frame, other_kinds, split_cut_joint

#: Largest error of closure, relative to what its equations are made of, of a motion that is taken for closed.
CLOSED = 1e-8
#: Rates (1/s) below this are what rounding leaves of rest: a linkage without freedom has none.
STILL = 1e-12


@dataclass(frozen=True)
class Joint:
    """A cut joint between frames on links e and f; ``slide``: direction of sliding in the frames, None if revolute."""

    name: str
    e: Mount
    f: Mount
    slide: Vector | None


def sliding(system: System) -> bool:
    """Return True if a joint of the tree or a cut joint slides."""
    opened = system.open_loops()
    if any(not link.turns for link in tree(opened).links.values() if link.coordinate):
        return True
    return any(isinstance(c, FrameCoincidence) and _slides(c) for c in system.constraints)


def _slides(constraint: FrameCoincidence) -> bool:
    return len(constraint.auxiliary) == 1 and split_cut_joint(constraint)[1].is_translation


def obstacles(system: System) -> Iterator[Obstacle]:
    """Yield an obstacle for each part of a system that does not fit a planar linkage of revolute and sliding joints."""
    yield from other_kinds(system)
    opened = system.open_loops()
    found = form_obstacles(opened, "spatial")
    yield from found
    if found:
        return
    links = tree(opened)
    normal = _normal(links)
    if normal is None:
        yield Obstacle("bodies", "motion in space", "no joint of the linkage turns: its plane is not told")
        return
    axes = planarity.fixed_axes(links)
    out = (cross(normal, axes[k]) if x.turns else (dot(normal, axes[k]),) for k, x in links.links.items())
    for link, planar in zip(links.links.values(), planarity.vanish(out), strict=True):
        place = f"bodies/{link.body}/joint"
        if not link.coordinate:
            yield Obstacle(place, "prescribed_motion", "a closed linkage takes no prescribed motion")
        elif not planar:
            axis, slide = "this axis is not along the normal of", "this joint slides out of"
            yield Obstacle(place, "motion in space", f"{axis if link.turns else slide} the linkage's plane")
    for constraint in find_unfit(
        system, links, lambda slides, axis: (dot(normal, axis),) if slides else cross(normal, axis)
    ):
        reason = "a cut joint of a planar linkage turns about the normal, or slides in the plane"
        yield Obstacle(f"constraints/{constraint.name}", "cut_joints", reason)


def _normal(links: Tree) -> Vector | None:
    """Return the axis of the first revolute joint, or None."""
    axes = planarity.fixed_axes(links)
    return next((axes[k] for k, link in links.links.items() if link.turns), None)


class RelativeLinkage:
    """A closed planar linkage without obstacles."""

    def __init__(self, system: System) -> None:
        self.system = replace(system.lump_masses(), constraints=())
        self.space = SpatialEquations(self.system)
        links = self.space.tree
        self.plane: Plane = planarity.plane_of(links)
        cut = (c for c in system.constraints if isinstance(c, (PointCoincidence, FrameCoincidence)))
        self.joints = tuple(_joint(c, links) for c in cut)
        self.names = self.system.coordinate_names

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the closure equations, by the force or moment that each transmits."""
        kinds = {True: ("force across", "moment"), False: ("force x", "force y")}
        return tuple(f"{j.name} ({kind})" for j in self.joints for kind in kinds[j.slide is not None])

    def point(self, mount: Mount) -> Vector:
        """Return the origin of a frame, in fixed axes."""
        place = self.space.places[mount.link]
        return plus(place.O, apply(place.A, mount.position))

    def to_fixed_axes(self, mount: Mount, v: Vector) -> Vector:
        """Express a direction of a frame in fixed axes."""
        return apply(self.space.places[mount.link].A, apply(mount.orientation, v))

    def directions(self, joint: Joint) -> tuple[Vector, ...]:
        """Return unit vectors (fixed axes) of the forces that a cut joint transmits: x and y, or across the slide."""
        if joint.slide is None:
            return self.plane.x, self.plane.y
        return (cross(self.plane.n, self.to_fixed_axes(joint.e, joint.slide)),)

    @cached_property
    def closure(self) -> tuple[Expression, ...]:
        """Closure errors φ: lengths (m), and at sliding cuts the sine of the angle between the bodies."""
        found: list[Expression] = []
        for joint in self.joints:
            apart = minus(self.point(joint.e), self.point(joint.f))
            found += [dot(apart, u) for u in self.directions(joint)]
            if joint.slide is not None:
                first, second = (self.to_fixed_axes(end, joint.slide) for end in (joint.e, joint.f))
                found.append(dot(self.plane.n, cross(first, second)))
        return tuple(found)

    @cached_property
    def facing_cosines(self) -> tuple[Expression, ...]:
        """Quantity that must be positive, for each row: at a sliding cut's row of the angle its cosine, as the sine is
        zero at 180° too; 1 for all other rows.
        """
        found: list[Expression] = []
        for joint in self.joints:
            slide = joint.slide
            found += [
                ONE,
                ONE if slide is None else dot(self.to_fixed_axes(joint.e, slide), self.to_fixed_axes(joint.f, slide)),
            ]
        return tuple(found)

    @cached_property
    def reach(self) -> tuple[Expression, ...]:
        """Return for each row the size of the terms in φ: the sum of all arms' |components| (m); 1 for angles."""
        arms = [link.R for link in self.space.tree.links.values()]
        arms += [end.position for joint in self.joints for end in (joint.e, joint.f)]
        length = sum((call("abs", x) for arm in arms for x in arm), ZERO)
        return tuple(x for joint in self.joints for x in (length, length if joint.slide is None else ONE))

    @cached_property
    def D(self) -> tuple[tuple[Expression, ...], ...]:
        """Jacobian ∂φ/∂q."""
        return tuple(map(tuple, jacobian(self.closure, [symbol(name) for name in self.names])))

    @cached_property
    def drift(self) -> tuple[Expression, ...]:
        """γ̃, the terms of φ'' without q''."""
        still = {rate(name, 2): ZERO for name in self.names}
        rates = time_derivative(self.closure, self.names)
        return tuple(substitute(time_derivative(rates, self.names), still))

    def native(self) -> dict[str, Nested]:
        """Return ``D`` and ``γ̃`` of D q'' + γ̃ = 0."""
        return {"D": self.D, "γ̃": self.drift}

    def values(
        self, outputs: Sequence[Expression], states: Sequence[State], more: Mapping[str, Array] | None = None
    ) -> Array:
        """Return the values (N, k) of k expressions at N states; ``more`` has values (N,) of further symbols."""
        known = {**bind_states(self.system, states).values, **(more or {})}
        found = evaluate(define(outputs, self.system.functions), known, numpy_arithmetic())
        rows = [np.broadcast_to(np.asarray(x, dtype=float), (len(states),)) for x in found]
        return np.array(rows).reshape(-1, len(states)).T

    def require_closed(self, states: Sequence[State]) -> tuple[Array, Array]:
        """Return D (N, m, n) and γ̃ (N, m) at states with closed loops and consistent rates.

        Raises
        ------
        NumbersError
            A position or a velocity breaks a loop; the message names the loop and the size of the gap.
        """
        m, n, count = len(self.closure), len(self.names), len(states)
        gaps, made, turned = (self.values(x, states) for x in (self.closure, self.reach, self.facing_cosines))
        D = self.values([x for row in self.D for x in row], states).reshape(count, m, n)
        v = np.stack([bind_states(self.system, states).values[f"{name}'"] for name in self.names], axis=-1).reshape(
            count, n
        )
        speeds = np.einsum("smn,sn->sm", D, v)
        sizes = np.einsum("smn,sn->sm", np.abs(D), np.abs(v))
        backwards = turned <= 0
        checks = (
            ("position", gaps, (np.abs(gaps) > CLOSED * made) | backwards),
            ("velocity", speeds, np.abs(speeds) > CLOSED * sizes + STILL * made),
        )
        for what, gap, broken in checks:
            if broken.any():
                s, i = (int(x[0]) for x in np.nonzero(broken))
                place = f"constraints/{self.joints[i // 2].name}"
                by = "turning the slide around" if backwards[s, i] else f"by {abs(gap[s, i]):.3g}"
                remedy = "give a state in which the loop is closed"
                raise NumbersError(error(place, f"the {what} breaks the loop {by}", remedy))
        return D, self.values(self.drift, states)


def _joint(constraint: PointCoincidence | FrameCoincidence, links: Tree) -> Joint:
    """Convert a constraint without obstacles to a joint."""
    if isinstance(constraint, PointCoincidence):
        ends = []
        for end in (constraint.first, constraint.second):
            mount = links.mounts[end.body]
            ends.append(Mount(mount.link, mount.point(end.position), mount.orientation))
        return Joint(constraint.name, ends[0], ends[1], None)
    before, own, after = split_cut_joint(constraint)
    second = Frame(constraint.second.body, (*constraint.second.transformations, *after))
    e, f = (mount_frame(links, frame) for frame in (Frame(constraint.first.body, before), second))
    return Joint(constraint.name, e, f, own.axis if own.is_translation else None)
