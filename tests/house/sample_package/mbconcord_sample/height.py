"""Gravity from the height of the mass centres: Q = -∂Π/∂q, Π = -Σ m g·r."""

from __future__ import annotations

from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Assignment, Derivation, Obstacle, Stage
from mbconcord.model.expressions import ZERO, Expression, gradient, symbol
from mbconcord.model.features import OPEN_TREES
from mbconcord.model.notation.listing import Listing, ReportSection, SectionTable

from .places import mass_centre


class Height(Formalism):
    """The weight alone, by its potential."""

    name = "height"
    title = "Gravity from the height of mass centres"
    reference = "any textbook of mechanics"
    takes = OPEN_TREES

    def obstacles(self, system: System) -> tuple[Obstacle, ...]:
        """Return what it does not take: elements with a mass have a weight that stands in no body."""
        heavy = (Obstacle(f"forces/{x.name}", "mass", "weights of elements are left out") for x in system.massive())
        return (*super().obstacles(system), *heavy)

    def derive(self, system: System) -> Derivation:
        """Generalized forces of gravity; nothing else is delivered."""
        self.require(system)
        return Derivation(self.name, system, {"gravity": self.forces(system, potential(system))})

    def listing(self, system: System) -> Listing:
        """The potential by its name, then the forces."""
        self.require(system)
        stage = Stage("heights", "potential of weight", (Assignment("V", potential(system)),))
        return Listing(self.name, system, {"gravity": self.forces(system, potential(system))}, (stage,))

    def sections(self, derivation: Derivation) -> tuple[ReportSection, ...]:
        """Which bodies have a weight."""
        rows = tuple((body.name, str(body.inertia.mass)) for body in derivation.system.bodies)
        return (ReportSection("Weights", table=SectionTable(("body", "mass, kg"), rows)),)

    def forces(self, system: System, energy: Expression) -> tuple[Expression, ...]:
        """-∂Π/∂q, N or N m."""
        slopes = gradient(energy, [symbol(name) for name in system.coordinate_names])
        return tuple(-slope for slope in slopes)


def potential(system: System) -> Expression:
    """Π = -Σ m g·r, J."""
    energy = ZERO
    for body in system.bodies:
        for g, r in zip(system.gravity_vector, mass_centre(system, body), strict=True):
            energy -= body.inertia.mass * g * r
    return energy
