"""Generalized forces by virtual work: Q_i = F · ∂ρ_a/∂q_i + M · ∂ω/∂q'_i, the right-hand side of eq. (1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mbconcord.model import Bipolar, JointEffort, PointForce, System, Wrench
from mbconcord.model.coordinate import Effort
from mbconcord.model.derivation import Assignment
from mbconcord.model.expressions import TIME, Expression, gradient, pullback, rate, sqrt, symbol

from .kinematics import Frame, dot, separation


@dataclass(slots=True)
class Applied:
    """Sum of the generalized forces of all but weight, in N and N m; lengths and forces of bipolar elements."""

    system: System
    frames: Mapping[str | None, Frame]
    total: list[Expression]
    named: list[Assignment] = field(default_factory=list)

    def add_all(self) -> None:
        """Every drive and force of the system."""
        for k, coordinate in enumerate(self.system.coordinates):
            if isinstance(coordinate.drive, Effort):
                self.total[k] += coordinate.drive.value
        for force in self.system.forces:
            if isinstance(force, JointEffort):
                self.total[self.system.coordinate_names.index(force.coordinate)] += force.expression()
            elif isinstance(force, Bipolar):
                self._add(self._bipolar(force))
            else:
                self._add(self._wrench(force))

    def _add(self, shares: Iterator[Expression]) -> None:
        for k, share in enumerate(shares):
            self.total[k] += share

    def _bipolar(self, force: Bipolar) -> Iterator[Expression]:
        """Q_i = F ∂l/∂q_i: F > 0 pushes the ends apart, so its work is F dl."""
        ends = (force.first.body, force.first.position), (force.second.body, force.second.position)
        d = separation(self.system, ends)
        length = sqrt(dot(d, d))
        names = self.system.coordinate_names
        *slopes, drift = gradient(length, [*map(symbol, names), TIME])
        speed = sum((s * rate(n) for s, n in zip(slopes, names, strict=True)), drift)
        value = force.force(length, speed)
        self.named += (
            Assignment(f"l_{force.name}", length),
            Assignment(f"l_{force.name}'", speed),
            Assignment(f"F_{force.name}", value),
        )
        return (value * slope for slope in slopes)

    def _wrench(self, force: PointForce | Wrench) -> Iterator[Expression]:
        """Q_i = F · ∂ρ_a/∂q_i in world axes, plus M · ∂ω/∂q'_i in body axes."""
        frame = self.frames[force.point.body]
        names = self.system.coordinate_names
        work = pullback(frame.point(force.point.position), force.force, [symbol(n) for n in names])
        if isinstance(force, Wrench) and any(force.moment):
            turned = pullback(frame.w, force.moment, [rate(n) for n in names])
            return (a + b for a, b in zip(work, turned, strict=True))
        return iter(work)
