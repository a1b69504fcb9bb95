"""The interface of a formalism: what it is called, what it takes, and the derivation it makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence, Set
from copy import copy
from dataclasses import replace
from typing import ClassVar, Self

from mbconcord.model.derivation import Derivation, Nested, Obstacle
from mbconcord.model.diagnostics import Diagnostic, FormalismError, MbconcordError, among, error
from mbconcord.model.evaluation import ConstrainedMotion, Evaluation, evaluate_derivation
from mbconcord.model.expressions import ONE, ZERO, Expression
from mbconcord.model.features import FEATURES, STEPS_OF_LINKS, features
from mbconcord.model.joint_forces import ConstrainedForces
from mbconcord.model.lazy import Lazy
from mbconcord.model.mixed import drive_row, imposed
from mbconcord.model.notation.linkage import LinkageForces
from mbconcord.model.notation.section import Section
from mbconcord.model.notation.walker import Walker
from mbconcord.model.recursion import Recursion
from mbconcord.model.state import State
from mbconcord.model.system import System


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
        """This formalism in one of its forms; :class:`MbconcordError` naming them when it is none of them."""
        if form not in self.forms:
            known = among(form, self.forms) if self.forms else f"{self.name} has no forms to choose"
            raise MbconcordError(error("form", f"{self.name} has no form {form!r}", known))
        made = copy(self)
        made.form = form
        return made

    def obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why this formalism cannot take the model; empty when it can."""
        return features_refused(self.name, self.takes, system)

    def require(self, system: System) -> None:
        """Raise :class:`FormalismError` with every obstacle when there is one."""
        found = self.obstacles(system)
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])

    @abstractmethod
    def derive(self, system: System) -> Derivation:
        """Equations of motion as expressions; :class:`FormalismError` when there is an obstacle."""

    def derive_whole(self, system: System) -> Derivation:
        """What :meth:`derive` makes of a tree, and :meth:`derive_closed` of a system with constraints.

        Drives that impose accelerations are rows beside those of constraints, of a tree too.

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
        """As :meth:`derive_whole`; what these quantities do not need may be missing.

        A formalism that can do with less than all its equations overrides it.
        """
        return self.derive_whole(system)

    def listing(self, system: System) -> Derivation:
        """The equations as the paper prints them; the derivation itself where that is how it prints them.

        A :class:`~mbconcord.model.notation.listing.Listing` is printed whole, in its own notation and with its own
        sections.
        """
        return self.derive_whole(system)

    def sections(self, derivation: Derivation) -> tuple[Section, ...]:
        """What it adds to a report on a model, from its own derivation of it."""
        return ()

    def appendix(self) -> tuple[Section, ...]:
        """What it adds once, at the end of a report in which it derived some model."""
        return ()

    @property
    def divides(self) -> bool:
        """Whether it has a :meth:`divide` of its own."""
        return type(self).divide is not Formalism.divide

    def divide(self, system: System, groups: Mapping[str, Sequence[str]]) -> Derivation:
        """The equations of groups of coordinates, with the terms by which the groups act on each other.

        Parameters
        ----------
        groups : coordinates of every group by its name; together they hold every coordinate once

        Returns
        -------
        Derivation
            Natively ``own`` (what depends on q'' and q' of the group), ``interaction`` (on those of the others) and
            ``force``, n each in the order of the model's coordinates: own + interaction = force.
            Its notes are about the groups.

        Raises
        ------
        FormalismError
            It divides no equations, it cannot take the model, or the groups are no division of the coordinates.
        """
        raise FormalismError(error("subsystems", f"{self.name} does not divide its equations"))

    def notes(self, system: System) -> tuple[Diagnostic, ...]:
        """How the formalism takes the model, where it has a choice: notes about places of the model."""
        return ()

    def constraint_obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Why it gives no motion of a system with constraints; empty when :meth:`constrained_motion` does.

        :meth:`obstacles` are those of the derivation, which is of an open tree: each constraint is one there.
        """
        return self.obstacles(system)

    def require_constraints(self, system: System) -> None:
        """Raise :class:`FormalismError` with every obstacle of the motion with constraints when there is one."""
        found = self.constraint_obstacles(system)
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])

    def constrained_motion(self, system: System, states: Sequence[State]) -> ConstrainedMotion | None:
        """Numbers of a system with constraints; None where the formalism solves none."""
        return None

    def derive_closed(self, system: System) -> Derivation | None:
        """What :meth:`constrained_motion` solves, as expressions; None where it has none.

        M, h, gravity and applied are those of the open tree; natively ``D`` (m×n) and ``γ̃`` (m) of
        M q'' + h = gravity + applied + Dᵀ λ, D q'' + γ̃ = 0. Then its motion is compared by error bounds.
        """
        return None

    @property
    def steps(self) -> bool:
        """Whether it has a :meth:`recursion`."""
        return type(self).recursion is not Formalism.recursion

    def recursion(self, system: System) -> Recursion:
        """Inverse dynamics as steps of links, in time and memory linear in the bodies.

        Raises
        ------
        FormalismError
            The formalism has no steps of links, or these do not take the model: what acts between bodies is refused.
        """
        raise FormalismError(error("formalism", f"{self.name} has no steps of links"))

    def require_steps(self, system: System) -> None:
        """Raise :class:`FormalismError` with all that steps of links do not take."""
        found = features_refused(f"{self.name} link by link", STEPS_OF_LINKS, system)
        if found:
            raise FormalismError([error(o.place, o.reason) for o in found])

    def solve_closed(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> tuple[ConstrainedMotion | None, Derivation | None]:
        """:meth:`constrained_motion` and :meth:`derive_closed` at once.

        A formalism that needs the same equations for both derives them once here. Who overrides one of the two in such
        a formalism overrides this, too.

        Parameters
        ----------
        system, states : as :meth:`constrained_motion` takes them
        tree : what :meth:`derive` made of the open tree ``system.opened()``; None: that is not known
        """
        return self.constrained_motion(system, states), self.derive_closed(system)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...] | None:
        """Forces in the joints of a tree (:mod:`mbconcord.model.joint_forces`), k×6; None where it has none.

        Natively ``joint_forces`` of its derivation.
        """
        return None

    def constrained_forces(
        self, system: System, states: Sequence[State], tree: Derivation | None = None
    ) -> ConstrainedForces | None:
        """Forces at the cuts and in the joints of a system with constraints; None where it has none.

        ``tree`` is what :meth:`derive` made of the open tree ``system.opened()``; None: that is not known.
        """
        return None

    def walker(self, system: System, legs: int | None = None) -> Walker | None:
        """The moments of a walking machine whose hull is the fixed frame; None where it writes none.

        ``legs``: the model is one leg, and the machine has so many of it.
        """
        return None

    def linkage_forces(
        self, system: System, states: Sequence[State], driven: Sequence[str] = ()
    ) -> LinkageForces | None:
        """Drives of driven coordinates, reactions and joint forces of a closed linkage; None where it has none.

        With driven coordinates, as many as degrees of freedom, the motion is given: rates satisfy the closure, and the
        accelerations of the driven ones are those of the states. Without, it is what the model's own forces make.
        """
        return None

    def evaluate(self, system: System, states: Sequence[State]) -> Evaluation:
        """Numbers of the canonical quantities at states. A recursive formalism may compute them directly."""
        return evaluate_derivation(self.derive(system), states)


def with_drives(tree: Derivation) -> Derivation:
    """The equations of an open tree with q_i'' - a_i = 0 of every drive that imposes an acceleration, natively."""
    drives, names = imposed(tree.system), tree.system.coordinate_names
    if not drives:
        return tree
    closing: dict[str, Nested] = {
        "D": tuple(tuple(ONE if name == driven else ZERO for name in names) for driven in drives),
        "γ̃": tuple(-a for a in drives.values()),
    }
    return replace(tree, native=Lazy({}) | tree.native | closing, rows=tuple(map(drive_row, drives)))


def features_refused(name: str, takes: Set[str], system: System) -> tuple[Obstacle, ...]:
    """An obstacle at every place where the model uses a feature that ``takes`` lacks; ``name`` does not take it."""
    return tuple(
        Obstacle(place, feature, f"{name} does not take {FEATURES[feature]}")
        for feature, place in features(system)
        if feature not in takes
    )
