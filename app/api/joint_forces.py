"""Forces in joints and at cuts at states: by a formalism, by all others that have them, by sums over the bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import Diagnostic, FormalismError, NumbersError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.instance import Instance
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, cuts, list_jointed_bodies, open_forces
from mbconcord.model.system import System
from mbconcord.records import dataclass, field, replace
from mbconcord.simulation.assembly import assemble
from mbconcord.validation.judge.closed.rows import find_satisfied
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.witnesses.sums import constrained_forces as constrained
from mbconcord.validation.witnesses.sums.joint_forces import compare_joint_forces

from .obstacles import require

#: In whose axes forces and moments may be given: of the body, of its carrier, of the fixed frame.
AXES: Final = ("body", "carrier", "fixed")


@dataclass(frozen=True)
class JointForces:
    """Forces (N) and moments (N m) of the carriers on the bodies, about the origins of the bodies' frames.

    Attributes
    ----------
    bodies, carriers : their names, joint by joint; of the fixed frame ``fixed``
    axes : one of :data:`AXES`
    by : witness -> (N, k, 6), the requested formalism first; columns are ``Fx Fy Fz Mx My Mz``
    comparisons : of every two witnesses, the sums over the bodies among them
    cuts : of a model with constraints, name, second and first body of each force-transmitting cut
    at_cuts : witness -> (N, c, 6), what the first body of a cut exerts on the second about the cut, in such axes
    findings : undetermined components, and why
    """

    bodies: tuple[str, ...]
    carriers: tuple[str, ...]
    axes: str
    by: Mapping[str, Array]
    comparisons: tuple[Comparison, ...]
    cuts: tuple[tuple[str, str, str], ...] = ()
    at_cuts: Mapping[str, Array] = field(default_factory=dict)
    findings: tuple[Diagnostic, ...] = ()

    @property
    def agree(self) -> bool:
        """True if no two of them disagree."""
        return all(c.verdict != "disagrees" for c in self.comparisons)


def joint_forces(system: System, at: Instance, by: Formalism, axes: str = "body") -> JointForces:
    """Compute the joint forces by a formalism and by every other that has them.

    They are those required by the accelerations at the states; for a model with constraints, those of the motion under
    the model's own forces, with the reactions at the cuts.

    Raises
    ------
    FormalismError
        The formalism has no joint forces, or it cannot take the model; NumbersError for states off the constraints.
    """
    if system.constraints:
        return _find_constrained(system, at, by, axes)
    by.require(system)
    k = TreeKinematics(system, at)
    found = compare_joint_forces(k, [by, *_others(by)])
    if by.name not in found.values:
        remedy = among(by.name, found.values) if found.values else "of this model no formalism has them"
        raise FormalismError(error(JOINT_FORCES, f"{by.name} does not deliver them", remedy))
    bodies = list_jointed_bodies(system)
    turned = {name: in_axes(k, x, bodies, _carriers(system), axes) for name, x in found.values.items()}
    return JointForces(bodies, tuple(map(_name_body, _carriers(system))), axes, turned, found.comparisons)


def _find_constrained(system: System, at: Instance, by: Formalism, axes: str) -> JointForces:
    require(by, system)
    assembly = assemble(system, at, held=True)
    if not find_satisfied(system, assembly.extended).all():
        message = "the state does not satisfy the constraints: no motion goes through it"
        raise NumbersError(
            error("constraints", message, "give one that does: mbconcord assemble FILE finds the nearest")
        )
    own = by.constrained_forces(system, at)
    if own is None:
        having = [f.name for f in _others(by) if type(f).constrained_forces is not Formalism.constrained_forces]
        message = f"{by.name} does not deliver them with constraints"
        raise FormalismError(error(JOINT_FORCES, message, among(by.name, having)))
    found = constrained.compare_constrained_forces(system, replace(assembly, states=at), [by, *_others(by)])
    k, bodies = TreeKinematics(system.open_loops(), at), list_jointed_bodies(system)
    by_joint = {name: in_axes(k, x, bodies, _carriers(system), axes) for name, x in found.at_joints.items()}
    ends = [(cut.name, cut.second.body, cut.first.body) for cut in cuts(system)]
    seconds, firsts = [second for _, second, _ in ends], [first for *_, first in ends]
    by_cut = {name: in_axes(k, x, seconds, firsts, axes) for name, x in found.at_cuts.items()}
    named = tuple((name, _name_body(second), _name_body(first)) for name, second, first in ends)
    return JointForces(
        bodies, tuple(map(_name_body, _carriers(system))), axes, by_joint, found.comparisons, named, by_cut,
        tuple(open_forces(system, own)),
    )  # fmt: skip


def _others(by: Formalism) -> list[Formalism]:
    return [registry.formalism(name) for name in registry.names() if name != by.name]


def _carriers(system: System) -> list[str | None]:
    return [system.body(name).parent for name in list_jointed_bodies(system)]


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


#: Components whose share in another one is smaller have no part in it, be they open or not.
NO_PART = 1e-9


def _rotate(turn: Array, vectors: Array) -> Array:
    """Rotate vectors (N, b, 3) by (N, 3, 3); a component is unknown if an unknown one contributes to it."""
    known = np.einsum("sij,sbj->sbi", turn, np.nan_to_num(vectors))
    is_open = np.einsum("sij,sbj->sbi", np.abs(turn) > NO_PART, np.isnan(vectors))
    return np.where(is_open, np.nan, known)
