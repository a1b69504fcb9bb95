"""The interface of a formalism: its name, the models it takes, and the derivations it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence, Set
from copy import copy
from dataclasses import replace
from typing import ClassVar, Final, Self

from mbconcord.model.derivation import Derivation, Lazy, Nested, Obstacle
from mbconcord.model.diagnostics import Diagnostic, FormalismError, MbconcordError, among, error
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation, evaluate_derivation
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.features import FEATURES, STEPS_OF_LINKS, features
from mbconcord.model.force import Point
from mbconcord.model.joint_forces import ConstrainedForces, list_bodies, list_jointed_bodies
from mbconcord.model.kinematics import PointMotion
from mbconcord.model.mixed import drive_row, find_imposed_accelerations
from mbconcord.model.notation.listing import LinkageForces, ReportSection, Walker
from mbconcord.model.opened import (
    SIX,
    close,
    derive_opened,
    list_drives,
    open_cuts,
    open_joints,
    open_states,
    turn_cuts,
)
from mbconcord.model.recursion import Recursion
from mbconcord.model.state import State
from mbconcord.model.system import System

#: What a derivation notes that was made in coordinates of the joints, where maps of coordinates move them.
CHANGED: Final = "derived in coordinates of the joints, then changed to the model's by a step that these share"


class Formalism(ABC):
    """A way to derive equations of motion. Formalisms share the model, the graph and this class only."""

    #: Module name, CLI choice, test file and row of the report.
    name: ClassVar[str]
    title: ClassVar[str]
    #: Paper and equation numbers.
    reference: ClassVar[str]
    #: Features (keys of ``FEATURES``) this formalism takes, beyond plain trees of rigid bodies.
    takes: ClassVar[frozenset[str]]
    #: Forms in which it can write the same equations. All bear the one name: they are one witness.
    forms: ClassVar[tuple[str, ...]] = ()
    #: Whether every form says what the others say; else some leave terms out on purpose.
    forms_agree: ClassVar[bool] = False

    #: Whether it solves the equations of a tree itself: ``acceleration`` in its derivation.
    solves: ClassVar[bool] = False

    #: The form that is asked for; None: the formalism chooses.
    form: str | None = None

    def in_form(self, form: str) -> Self:
        """Return this formalism in the named form; raise :class:`MbconcordError` with the known names if unknown."""
        if form not in self.forms:
            known = among(form, self.forms) if self.forms else f"{self.name} has no forms to choose"
            raise MbconcordError(error("form", f"{self.name} has no form {form!r}", known))
        made = copy(self)
        made.form = form
        return made

    def obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles that prevent the formalism from taking this model; empty if it can."""
        return features_refused(self.name, self.takes, system)

    def require(self, system: System) -> None:
        """Raise :class:`FormalismError` with every obstacle when there is one."""
        found = self.obstacles(system)
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])

    @abstractmethod
    def derive(self, system: System) -> Derivation:
        """Derive the equations of motion as expressions; :class:`FormalismError` if there is an obstacle."""

    def derive_whole(self, system: System) -> Derivation:
        """Derive the equations of a tree (:meth:`derive`) or of a system with constraints (:meth:`derive_closed`).

        Drives that impose accelerations add rows to those of the constraints, on a tree too.

        Raises
        ------
        FormalismError
            There is an obstacle, or the formalism has no equations with multipliers.
        """
        if not system.constraints:
            return with_drives(self.derive(system))
        self.require_constraints(system)
        made = self.derive_closed(system)
        if made is None:
            raise FormalismError(error("constraints", f"{self.name} has no equations with multipliers"))
        return made

    def derive_asked(self, system: System, names: Collection[str]) -> Derivation:
        """Derive like :meth:`derive_whole`, possibly without parts that these quantities do not need.

        A formalism that can omit part of its equations overrides this method.
        """
        return self.derive_whole(system)

    def listing(self, system: System) -> Derivation:
        """Return the equations as the paper prints them; by default, the derivation itself.

        A :class:`~mbconcord.model.notation.listing.Listing` is printed whole, in its own notation and with its own
        sections.
        """
        return self.derive_whole(system)

    def sections(self, derivation: Derivation) -> tuple[ReportSection, ...]:
        """Return the sections that the formalism adds to a model's report, from its own derivation of the model."""
        return ()

    def appendix(self) -> tuple[ReportSection, ...]:
        """Return the sections added once, at the end of a report in which the formalism derived any model."""
        return ()

    @property
    def divides(self) -> bool:
        """True if the formalism has its own :meth:`divide`."""
        return type(self).divide is not Formalism.divide

    def divide(self, system: System, groups: Mapping[str, Sequence[str]]) -> Derivation:
        """Divide the equations into groups of coordinates, with the terms by which the groups act on each other.

        Parameters
        ----------
        groups : coordinates of every group by its name; together they hold every coordinate once

        Returns
        -------
        Derivation
            Natively ``own`` (terms with the group's q'' and q'), ``interaction`` (terms with q'' and q' of the other
            groups) and ``force``, n each in the order of the model's coordinates: own + interaction = force.
            The notes of the derivation are about the groups.

        Raises
        ------
        FormalismError
            The formalism divides no equations or cannot take the model, or the groups do not divide its coordinates.
        """
        raise FormalismError(error("subsystems", f"{self.name} does not divide its equations"))

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """List notes about places of the model where the formalism has a choice of how to treat them."""
        return ()

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """List the obstacles to the motion with constraints; empty if :meth:`constrained_motion` gives it.

        :meth:`obstacles`, in contrast, are those to :meth:`derive`, for which each constraint is an obstacle.
        """
        return self.obstacles(system)

    def require_constraints(self, system: System) -> None:
        """Raise :class:`FormalismError` with every obstacle of the motion with constraints when there is one."""
        found = self.constraint_obstacles(system)
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion | None:
        """Return accelerations and multipliers of a system with constraints; None if the formalism solves none."""
        return None

    def derive_closed(self, system: System) -> Derivation | None:
        """Derive the equations that :meth:`constrained_motion` solves, as expressions; None if there are none.

        M, h, gravity and applied are those of the open tree; natively ``D`` (m×n) and ``γ̃`` (m) of
        M q'' + h = gravity + applied + Dᵀ λ, D q'' + γ̃ = 0. With them, the motion is compared by error bounds.
        """
        return None

    @property
    def steps(self) -> bool:
        """True if the formalism has a :meth:`recursion`."""
        return type(self).recursion is not Formalism.recursion

    def recursion(self, system: System) -> Recursion:
        """Return inverse dynamics as recursion steps of links, in time and memory linear in the bodies.

        Raises
        ------
        FormalismError
            The formalism has no steps of links, or they refuse the model, for instance forces between two bodies.
        """
        raise FormalismError(error("formalism", f"{self.name} has no steps of links"))

    def require_steps(self, system: System) -> None:
        """Raise :class:`FormalismError` with every place of the model that steps of links do not take, if any."""
        found = features_refused(f"{self.name} link by link", STEPS_OF_LINKS, system)
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion | None, Derivation | None]:
        """Call :meth:`constrained_motion` and :meth:`derive_closed` at once.

        A formalism that needs the same equations for both derives them once here; one that overrides either of the two
        methods must then override this method too.

        Parameters
        ----------
        system, states : arguments of :meth:`constrained_motion`
        tree : result of :meth:`derive` for the open tree ``system.opened()``; None: not derived yet
        """
        return self.constrained_motion(system, states), self.derive_closed(system)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...] | None:
        """Derive the forces in the joints of a tree (:mod:`mbconcord.model.joint_forces`), k×6; None if unavailable.

        They are the native quantity ``joint_forces`` of the formalism's derivation.
        """
        return None

    @property
    def bears(self) -> bool:
        """True if the formalism computes forces in joints itself: by :meth:`joint_forces` or with constraints."""
        own = type(self)
        return (own.joint_forces, own.constrained_forces) != (Formalism.joint_forces, Formalism.constrained_forces)

    def forces_in_joints(
        self, system: System, bodies: Sequence[str] | None = None
    ) -> tuple[tuple[Expression, ...], ...] | None:
        """Derive the forces in the joints of bodies of a tree, k×6 over q, q', q'' and t; None if unavailable.

        For bodies that coordinates move, they are the formalism's own :meth:`joint_forces`; joints of other bodies are
        opened (:mod:`mbconcord.model.opened`). A formalism without :meth:`joint_forces` opens all these joints.

        Parameters
        ----------
        bodies : names of the bodies; None: all
        """
        self.require(system)  # with joints opened it may have fewer obstacles: torsions are wrenches there
        names, n = list_bodies(system) if bodies is None else bodies, len(system.coordinates)
        moved = list_jointed_bodies(system)
        opened = open_joints(system, [name for name in names if name not in moved])
        found = self.joint_forces(opened)
        if found is not None:
            rows = dict(zip(list_jointed_bodies(opened), found, strict=True))
            return close([x for name in names for x in rows[name]], opened.coordinate_names[n:])
        opened = open_joints(system, names)
        own = opened.coordinate_names[n:]
        derived = derive_opened(self.derive(opened), own)
        if derived is None:
            return None
        rows = dict(zip((b for b in list_bodies(system) if b in names), close(derived, own), strict=True))
        return tuple(rows[name] for name in names)

    def forces_with_constraints(
        self, system: System, states: Sequence[State], tree: Derivation | None = None,
        bodies: Collection[str] | None = None,
    ) -> ConstrainedForces | None:  # fmt: skip
        """Compute forces at the cuts and in the joints of all bodies of a system with constraints.

        They are the formalism's own :meth:`constrained_forces`, after joints that no coordinate moves are opened and
        held; without that method, all joints and cuts are opened (or the joints of ``bodies`` alone) and the forces are
        the multipliers of the rows that hold them. None if unavailable or for a tree: see :meth:`forces_in_joints`.
        """
        if not system.constraints or self.constraint_obstacles(system):  # those of opened joints may be fewer
            return None
        names, n = list_bodies(system), len(system.coordinates)
        moved = list_jointed_bodies(system)
        if type(self).constrained_forces is not Formalism.constrained_forces:
            held = open_joints(system, [name for name in names if name not in moved], held=True)
            own = held is system
            at = states if own else open_states(states, held, len(held.coordinates) - n)
            native = self.constrained_forces(held, at, tree if own else None)
            return native and ConstrainedForces(native.acceleration[:, :n], native.at_cuts, native.at_joints)
        ended, ends = open_cuts(system) if bodies is None else (system, ())
        names = tuple(name for name in names if bodies is None or name in bodies)
        held = open_joints(ended, [*names, *ends], held=True)
        if self.constraint_obstacles(held):
            return None
        opened = held.coordinate_names[n:]
        motion = self.constrained_motion(held, open_states(states, held, len(opened)))
        if motion is None:
            return None
        borne = motion.multipliers[:, [motion.rows.index(row) for row in list_drives(opened)]]
        six = borne.reshape(len(states), -1, SIX)
        k = len(names)
        at_cuts = turn_cuts(system, states, -six[:, k:]) if bodies is None else six[:, k:]
        return ConstrainedForces(motion.acceleration[:, :n], at_cuts, six[:, :k])

    def constrained_forces(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> ConstrainedForces | None:
        """Compute forces at the cuts and in the joints of a system with constraints; None if unavailable.

        ``tree`` is the result of :meth:`derive` for the open tree ``system.opened()``, or None if not yet derived.
        """
        return None

    def motions(self, system: System, points: Sequence[Point]) -> tuple[PointMotion, ...] | None:
        """Derive the motion of points of a tree by the formalism's own kinematics; None if it has none.

        Kinematic quantities are computed from it. Accelerations found by other formalisms are put into second
        derivatives of these poses, as a witness of forces.
        """
        return None

    def walker(self, system: System, legs: int | None = None) -> Walker | None:
        """Derive the moments of a walking machine whose hull is the fixed frame; None if unavailable.

        With ``legs`` given, the model is one leg, and the machine has that many.
        """
        return None

    def linkage_forces(
        self, system: System, states: Sequence[State], driven: Sequence[str] = ()
    ) -> LinkageForces | None:
        """Compute drives, reactions and joint forces of a closed linkage; None if unavailable.

        With driven coordinates, as many as degrees of freedom, the motion is given: rates satisfy the closure, and the
        states give the driven accelerations. Without driven ones, the model's own forces cause the motion.
        """
        return None

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Evaluate the canonical quantities at states. A recursive formalism may compute them directly."""
        return evaluate_derivation(self.derive(system), states)


def with_drives(tree: Derivation) -> Derivation:
    """Add q_i'' - a_i = 0 to an open tree's native equations for every drive that imposes an acceleration."""
    drives, names = find_imposed_accelerations(tree.system), tree.system.coordinate_names
    if not drives:
        return tree
    closing: dict[str, Nested] = {
        "D": tuple(tuple(ONE if name == driven else ZERO for name in names) for driven in drives),
        "γ̃": tuple(-a for a in drives.values()),
    }
    return replace(tree, native=Lazy({}) | tree.native | closing, rows=tuple(map(drive_row, drives)))


def features_refused(name: str, takes: Set[str], system: System) -> tuple[Obstacle, ...]:
    """List an obstacle for each place where the model uses a feature that is not in ``takes``."""
    return tuple(
        Obstacle(place, feature, f"{name} does not take {FEATURES[feature]}")
        for feature, place in features(system)
        if feature not in takes
    )
