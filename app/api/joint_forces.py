"""Forces in the joints of a tree at states: by a formalism, by all others that have them, by sums over the bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import FormalismError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.instance import Instance
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, jointed
from mbconcord.model.system import System
from mbconcord.validation.bodies.joint_forces import witnessed
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import Kinematics

#: In whose axes forces and moments may be given: of the body, of its carrier, of the fixed frame.
AXES: Final = ("body", "carrier", "fixed")


@dataclass(frozen=True)
class JointForces:
    """Forces (N) and moments (N m) about the origins of the bodies' frames, of the carriers upon the bodies.

    Attributes
    ----------
    bodies, carriers : their names, joint by joint; of the fixed frame ``fixed``
    axes : one of :data:`AXES`
    by : witness -> (N, k, 6), the one that was asked first; columns are ``Fx Fy Fz Mx My Mz``
    comparisons : of every two witnesses, the sums over the bodies among them
    """

    bodies: tuple[str, ...]
    carriers: tuple[str, ...]
    axes: str
    by: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]

    @property
    def agree(self) -> bool:
        """Whether no two of them disagree."""
        return all(c.verdict != "disagrees" for c in self.comparisons)


def joint_forces(system: System, at: Instance, by: Formalism, axes: str = "body") -> JointForces:
    """The joint forces that the accelerations at the states need, by a formalism and by every other that has them.

    Raises
    ------
    FormalismError
        The model has constraints, the formalism has no joint forces, or it cannot take the model.
    """
    by.require(system)
    k = Kinematics(system, at)
    others = (registry.formalism(name) for name in registry.names() if name != by.name)
    found = witnessed(k, [by, *others])
    if by.name not in found.values:
        remedy = among(by.name, found.values) if found.values else "of this model no formalism has them"
        raise FormalismError(error(JOINT_FORCES, f"{by.name} does not deliver them", remedy))
    bodies = jointed(system)
    carriers = tuple(system.body(name).parent or "fixed" for name in bodies)
    turned = {
        name: in_axes(k, x.reshape(k.count, -1, len(COMPONENTS)), axes) for name, x in found.values.items()
    }
    return JointForces(bodies, carriers, axes, turned, found.comparisons)


def in_axes(k: Kinematics, x: Array, axes: str) -> Array:
    """The six of each joint (N, k, 6), given in the axes of the bodies, in other axes."""
    found = x.reshape(k.count, -1, 2, 3).copy()
    for i, name in enumerate(jointed(k.system)):
        turn = k.frame(name).rotation
        if axes == "carrier":
            turn = np.einsum("sji,sjk->sik", k.frame(k.system.body(name).parent).rotation, turn)
        if axes != "body":
            found[:, i] = np.einsum("sij,sbj->sbi", turn, found[:, i])
    return np.asarray(found.reshape(x.shape) + 0.0)  # no negative zeros
