"""Inertia 1 / (J M⁻¹ Jᵀ), M at the reference, from which MuJoCo's compiler tunes springs and servos."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import Array, compose_pose, real
from mbconcord.converters.shapes import lump_of
from mbconcord.model import Inertia

from .settings import row, scalar
from .tree import MjcfJoint, MjcfLink, MjcfTree

#: Most degrees of freedom for which M is computed.
MOST: Final = 1000
#: Axis of a degree of freedom: its direction, and for a rotation a point on the axis.
Freedom = tuple[Array, Array | None]


class ReferenceInertia:
    """Mass matrix M of all joints in the file's pose, with every armature; ``unknown`` says why M is not computed."""

    def __init__(self, tree: MjcfTree, inertias: Mapping[str, Inertia], unread: bool, findings: Findings) -> None:
        self.tree, self.inertias, self.findings = tree, inertias, findings
        self._added: list[tuple[float, Mapping[str, float]]] = []
        count = sum({"free": 6, "ball": 3}.get(joint.type, 1) for _, joint in tree.joints)
        many = f"M of {count:,} degrees of freedom is not made" if count > MOST else ""
        self.unknown = "the mass of a shape is not known" if unread else many

    def add(self, armature: float, along: Mapping[str, float]) -> None:
        """Add the armature of a tendon or actuator, along joints of one coordinate each; along none it is not known."""
        self._added.append((armature, along))
        if armature and not along:
            self.unknown = self.unknown or "the armature of a tendon or an actuator is along no joint"

    def along(self, moment: Mapping[str, float]) -> float | None:
        """Return the inertia that a force with these moments about joints meets; None if it is unknown."""
        if self.unknown:
            return None
        J = np.zeros(len(self._matrix))
        for name, value in moment.items():
            J[self._places[name]] = value
        try:
            weight = float(J @ np.linalg.solve(self._matrix, J))
        except np.linalg.LinAlgError:
            return None
        return 1 / weight if weight > 0 else None

    @cached_property
    def _places(self) -> dict[str, int]:
        """Index of the first degree of freedom of each joint."""
        found, at = {}, 0
        for _, joint in self.tree.joints:
            found[joint.name] = at
            at += {"free": 6, "ball": 3}.get(joint.type, 1)
        return found

    @cached_property
    def _matrix(self) -> Array:
        axes: list[Freedom] = [axis for link, joint in self.tree.joints for axis in self._axes(link, joint)]
        M = np.zeros((len(axes), len(axes)))
        carried: dict[int, list[int]] = {}
        for link in self.tree.bodies:
            own = [i for joint in link.joints for i in self._range(joint)]
            at = carried[id(link)] = [*carried.get(id(link.parent), []), *own]
            lump = lump_of(self.inertias[link.name]).transform(link.pose)
            turns, shifts = np.zeros((3, len(at))), np.zeros((3, len(at)))
            for k, (direction, point) in enumerate(axes[i] for i in at):
                shifts[:, k] = direction if point is None else np.cross(direction, lump.centre - point)
                turns[:, k] = 0 if point is None else direction
            M[np.ix_(at, at)] += lump.mass * shifts.T @ shifts + turns.T @ lump.tensor @ turns
        for _, joint in self.tree.joints:
            for i in self._range(joint):
                M[i, i] += real(scalar(joint.element, "armature", "0", self.findings))
        for armature, along in self._added:
            c = np.zeros(len(axes))
            for name, value in along.items():
                c[self._places[name]] = value
            M += armature * np.outer(c, c)
        return M

    def _range(self, joint: MjcfJoint) -> range:
        start = self._places[joint.name]
        return range(start, start + {"free": 6, "ball": 3}.get(joint.type, 1))

    def _axes(self, link: MjcfLink, joint: MjcfJoint) -> Iterable[Freedom]:
        """Yield the axes of a joint in the world."""
        frame = link.pose.then(compose_pose(joint.within))
        point = frame.p + frame.R @ [real(x) for x in row(joint.element, "pos", "0 0 0", self.findings)]
        if joint.type in ("free", "ball"):
            point = link.pose.p if joint.type == "free" else point
            yield from ((axis, None) for axis in np.eye(3) if joint.type == "free")
            yield from ((axis, point) for axis in np.eye(3))
            return
        axis = frame.R @ [real(x) for x in row(joint.element, "axis", "0 0 1", self.findings)]
        length = float(np.linalg.norm(axis)) or 1.0
        yield axis / length, None if joint.type == "slide" else point
