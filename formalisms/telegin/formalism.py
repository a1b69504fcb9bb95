"""The formalism: its forms, what each can take, and their conversion to the canonical quantities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import State, System
from mbconcord.model.derivation import Derivation, Obstacle
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.evaluation import ConstrainedMotion, evaluate_derivation
from mbconcord.model.expressions import Expression
from mbconcord.model.lazy import Lazy
from mbconcord.model.mixed import imposed
from mbconcord.model.notation.linkage import LinkageForces
from mbconcord.model.recursion import Recursion

from . import planar
from .closed import motion
from .closed.dynamics import ClosedLinkage
from .closed.forces import linkage_forces
from .closed.relative import RelativeLinkage, sliding
from .linkage import LEAVES, Leaves
from .obstacles import NAME, SPATIAL, TAKES, form_obstacles
from .planar import PLANAR
from .recursion import recursion
from .space import SpatialEquations
from .written.given import given
from .written.lists import listing

#: All forms by name.
FORMS = (*PLANAR, SPATIAL)
#: The form of planar linkages when none is asked for.
PLANAR_DEFAULT = "relative-recurrent"
#: Why a closed linkage whose drives impose accelerations is not taken.
DRIVEN = "telegin's equations of closed linkages have forces of drives, and no row for an acceleration that one imposes"


class Telegin(Formalism):
    """Equations of augmented bodies in one of nine forms.

    Parameters
    ----------
    form : name in :data:`FORMS`, or None
        None: ``relative-recurrent`` for a planar linkage of single revolute joints, because it gives M and h
        in the relative coordinates at once, with the fewest operations of the forms that do (benchmark
        ``forms``); ``spatial`` for every other tree, because it alone takes them.
    leaves : "components" or "angles"
        How the planar forms compute J^c, J^s and G: as products of components, two trigonometric functions a
        link; or literally, with cos α_ij and sin α_ij of every pair.

    Raises
    ------
    MbconcordError
        There is no such form, or no such kind of leaves.
    """

    name = NAME
    title = "Augmented bodies: Telegin's write-out algorithms"
    reference = "Telegin & Kaygorodtsev 2010, eqs. (1)-(25); extended to prismatic joints and to space"
    takes = TAKES
    forms = FORMS
    forms_agree = True

    def __init__(self, form: str | None = None, leaves: Leaves = "components") -> None:
        for what, value, known in (("form", form, FORMS), ("leaves", leaves, LEAVES)):
            if value is not None and value not in known:
                raise MbconcordError(
                    error(what, f"there is no {what} {value!r}", f"known: {', '.join(known)}")
                )
        self.form = form
        self.leaves = leaves

    def obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why the form cannot take the model: :func:`.obstacles.form_obstacles`."""
        return form_obstacles(system, self.form)

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why it gives no motion with the constraints: they close planar linkages of revolute and sliding joints."""
        found = self.obstacles(system.opened())
        if not system.constraints:
            return found
        driven = (Obstacle(f"coordinates/{n}/drive", "motion_drives", DRIVEN) for n in imposed(system))
        return tuple(dict.fromkeys((*found, *motion.obstacles(system), *driven)))

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion:
        """Accelerations and reactions of a closed planar linkage: the vector form (20) with cut joints.

        Its open tree's quantities are those of the form that is asked for.
        """
        self.require_constraints(system)
        return _solved(system, self.derive(system.opened()), states)

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion, Derivation]:
        """The motion, and the equations, both of the same open tree's."""
        self.require_constraints(system)
        tree = tree or self.derive(system.opened())
        return _solved(system, tree, states), _closed(system, tree)

    def linkage_forces(
        self, system: System, states: Sequence[State], driven: Sequence[str] = ()
    ) -> LinkageForces | None:
        """Drives, reactions and joint forces of a closed planar linkage; None without constraints."""
        if not system.constraints:
            return None
        self.require_constraints(system)
        return linkage_forces(
            system, evaluate_derivation(self.derive(system.opened()), states), states, driven
        )

    def derive_closed(self, system: System) -> Derivation:
        """The open tree's equations with the cut joints beside them, natively: ``D`` (2c×n) and ``γ̃`` (2c)."""
        self.require_constraints(system)
        return _closed(system, self.derive(system.opened()))

    def form_of(self, system: System) -> str:
        """The form that the model is derived by."""
        if self.form is not None:
            return self.form
        planar_too = system.coordinates and not form_obstacles(system, PLANAR_DEFAULT)
        return PLANAR_DEFAULT if planar_too else SPATIAL

    def derive(self, system: System) -> Derivation:
        """Canonical quantities; ``inverse_dynamics`` is the form's own equation with q'' as symbols.

        In ``native``: H, h, S, G, MΔ of the matrix form; of the spatial one static moments m̄, their second
        derivatives P and joint moments N, in the axes of each link; ``r``, the origins of the bodies' frames in fixed
        axes (m).

        Identity: inverse_dynamics = M q'' + h - gravity - applied; all forms give the same.
        """
        self.require(system)
        lumped, form = system.lumped(), self.form_of(system)
        if form == SPATIAL:
            return SpatialEquations(lumped).derivation(self.name, system)
        return planar.derive(self.name, system, lumped, form, self.leaves)

    def listing(self, system: System) -> Derivation:
        """A planar linkage as the paper writes it, closed ones with reactions F_r; a tree in space as it is derived.

        Closed linkages are written in the vector form (20) where no form is asked for. Imposed accelerations are
        not in the paper: such a linkage is written as it is derived.
        """
        self.require_constraints(system)
        if system.constraints and sliding(system):
            return self.derive_whole(system)
        form = self.form or ("matrix" if system.constraints else self.form_of(system))
        if form == SPATIAL or imposed(system):
            return self.derive_whole(system)
        return listing(self.name, given(system), form)

    def recursion(self, system: System) -> Recursion:
        """The sweeps of the spatial form as steps of links, of planar linkages too."""
        self.require_steps(system)
        return recursion(self.name, system)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Forces in the joints of a tree by the spatial form, of planar linkages too."""
        self.require(system)
        return SpatialEquations(system.lumped()).joint_forces

    def inverse_dynamics(self, system: System) -> tuple[Expression, ...]:
        """Inverse dynamics alone by the spatial form, of planar linkages too: time linear in the links."""
        self.require(system)
        return SpatialEquations(system.lumped()).inverse_dynamics


def _solved(system: System, tree: Derivation, states: Sequence[State]) -> ConstrainedMotion:
    """The motion of a closed linkage from the equations of its open tree."""
    solve = motion.relative_motion if sliding(system) else motion.constrained_motion
    return solve(system, evaluate_derivation(tree, states), states)


def _closed(system: System, tree: Derivation) -> Derivation:
    """The open tree's equations with the rows of the cut joints."""
    if sliding(system):
        relative = RelativeLinkage(system)
        return replace(tree, system=system, native={**tree.native, **relative.native()}, rows=relative.rows)
    linkage = ClosedLinkage(system)
    native = Lazy({}) | tree.native | motion.rows(linkage)
    return replace(tree, system=system, native=native, rows=linkage.loops.names)
