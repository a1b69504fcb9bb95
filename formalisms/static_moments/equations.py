"""Statics from static moments: the generalized forces of gravity."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.joint_forces import COMPONENTS, JOINT_FORCES, jointed
from mbconcord.model.lazy import Lazy, LazySequence
from mbconcord.model.notation.walker import Walker

from . import subsystems
from .frames import Frames, frames
from .joint_forces import joint_forces
from .links import Link, seated
from .moments import Moment, moments
from .positions import positions
from .stages import stages
from .vectors import Triple, cross, dot, times
from .walking import walker
from .writeout import Result, in_fixed_axes, write_out


class StaticMoments(Formalism):
    """Static moments m̄_i of subsystems; gravity from them.

    The weight of what a revolute link carries has the moment m̄_i × g about its pole, and along a prismatic
    axis the force m_i g::

        Q_i = q̄_i · (m̄_i × g)      (revolute)          Q_i = m_i q̄_i · g      (prismatic)

    Identity: Q = -∂Π/∂q with Π = -g · Σ m_p r_p. Armatures do not weigh. Of deep machines m̄_i is summed in fixed axes
    (:mod:`.subsystems`); their write-out is made where it is asked for.
    """

    name: ClassVar[str] = "static_moments"
    title: ClassVar[str] = "Static moments of subsystems (Timofeev)"
    reference: ClassVar[str] = "Timofeev, Formalism of writing out static moments, eqs. (1)-(2)"
    takes: ClassVar[frozenset[str]] = OPEN_TREES | {"armatures"}

    def derive(self, system: System) -> Derivation:
        """Gravity; natively ``static_moments``: m̄_i of every link in fixed axes (kg m), link by link.

        And ``r``, the origins of the bodies' frames in fixed axes (m), and the forces in the joints.
        """
        self.require(system)
        whole = system.lumped()
        made, seats = seated(whole)
        parts = moments(made)
        written = cache(lambda: write_out(parts))
        placed = frames(made)
        fall = whole.gravity_vector
        if subsystems.deep(parts):
            about = subsystems.summed(parts, placed)
            forces = {
                m.link.coordinate: subsystems.force(m, about[m.link.number], placed, fall) for m in parts
            }
        else:
            forces = {m.link.coordinate: force(m, written().of(m.link.number), placed, fall) for m in parts}
        gravity = tuple(forces.get(name, ZERO) for name in system.coordinate_names)
        bodies = tuple(body.name for body in system.bodies)
        native = Lazy(
            {
                "static_moments": lambda: tuple(in_fixed_axes(written().of(k.number), placed) for k in made),
                "r": lambda: positions(made, seats, placed, bodies),
                JOINT_FORCES: lambda: joint_forces(system),
            }
        )
        shown = LazySequence(lambda: stages(system, parts, written(), placed))
        axes = ("x", "y", "z")
        indices = {
            "static_moments": ((), axes), "r": (bodies, axes), JOINT_FORCES: (jointed(system), COMPONENTS),
        }  # fmt: skip
        return Derivation(self.name, system, {"gravity": gravity}, shown, native, indices=indices)

    def walker(self, system: System, legs: int | None = None) -> Walker:
        """The moments of a walking machine, or of so many legs of which the model is one (sections 9 and 10)."""
        self.require(system)
        return walker(system, legs)

    def joint_forces(self, system: System) -> tuple[tuple[Expression, ...], ...]:
        """Forces in the joints of a tree, from the static moments of what each carries."""
        self.require(system)
        return joint_forces(system)


def force(moment: Moment, result: Result, placed: Frames, fall: Triple) -> Expression:
    """Gravity's generalized force of one coordinate: q̄ · (m̄ × g) = Σ M_u (q̄ × ū) · g over НКО."""
    link = moment.link
    if not link.revolute:
        return moment.mass * dot(placed.joint_axis(link), fall)
    own = axis_name(link)
    total = ZERO
    for term in result.terms:
        if own is None:
            arm = cross(placed.joint_axis(link), placed.units[term.unit])
        elif term.unit == own[1]:  # a vector along the joint's axis has no moment about it
            continue
        else:
            arm = times(own[0], placed.cross(own[1], term.unit))
        total = total + term.value * dot(arm, fall)
    return total


def axis_name(link: Link) -> tuple[Expression, str] | None:
    """Sign and name of the joint's axis, when it is an axis of the link."""
    along = [i for i, a in enumerate(link.axis) if a]
    return (link.axis[along[0]], link.names[along[0]]) if len(along) == 1 else None
