"""Machine at one state from the fields of a model, used for texts without a second reading.

Formulas are evaluated as the direct witness does it, node by node as power series in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from mbconcord.model.body import Body, Inertia
from mbconcord.model.constraint import FrameCoincidence, PointCoincidence, Rod
from mbconcord.model.coordinate import Effort
from mbconcord.model.derivation import Obstacle
from mbconcord.model.expressions import Expression
from mbconcord.model.features import FEATURES, OPEN_TREES, features
from mbconcord.model.force import Bipolar, JointEffort, LinearLaw, Point, PointForce, Wrench
from mbconcord.model.system import System
from mbconcord.model.transformation import ElementaryTransformation, Vector

from ..direct.formulas import SeriesFormulas
from ..direct.loads import law
from ..direct.series import constant
from ..second import machine as second
from ..second.machine import (
    SecondClosure,
    SecondJoined,
    SecondLoad,
    SecondMachine,
    SecondPlace,
    SecondSolid,
    SecondStep,
    Spring,
    Triple,
    symmetric,
)

NAME = "maximal"
TAKES = (OPEN_TREES - {"motion_drives"}) | {"flywheels", "armatures", "follower_forces"}
#: Constraints that are supported; a model with others is treated as its open tree.
CONSTRAINTS = frozenset({"rods", "cut_joints", "point_coincidences"})
ROWS = frozenset({"holonomic_rows", "nonholonomic_rows"})


def obstacles(system: System, taken: frozenset[str] = TAKES | CONSTRAINTS | ROWS) -> tuple[Obstacle, ...]:
    """List a model's features that are not in ``taken``: by default, those that the witness does not support."""
    return tuple(
        Obstacle(place, feature, f"{NAME} does not take {FEATURES[feature]}")
        for feature, place in features(system)
        if feature not in taken
    )


def machine(system: System, formulas: SeriesFormulas) -> SecondMachine:
    """Return the machine of a model at the single state at which the formulas are evaluated."""
    return _Fields(system, formulas).machine()


class _Fields:
    def __init__(self, system: System, formulas: SeriesFormulas) -> None:
        self.system, self.f = system, formulas

    def machine(self) -> SecondMachine:
        """Return the machine of bodies, flywheels (bodies with prescribed rotation), forces and constraints."""
        system = self.system
        g = system.gravity
        size = self.number(g.value) if g else 0.0
        return SecondMachine(
            system.coordinate_names,
            tuple(solid for body in system.bodies for solid in self.solids(body)),
            self.triple(g.direction, size) if g else second.NOWHERE,
            self.efforts(),
            tuple(self.spring(x) for x in system.forces if isinstance(x, Bipolar)),
            tuple(self.load(x) for x in system.forces if isinstance(x, (PointForce, Wrench))),
            tuple(self.rod(x) for x in system.constraints if isinstance(x, Rod)),
            tuple(self.closure(x) for x in system.constraints if isinstance(x, FrameCoincidence)),
            tuple(
                SecondJoined(x.name, self.place(x.first), self.place(x.second))
                for x in system.constraints
                if isinstance(x, PointCoincidence)
            ),
            {c.name: (self.number(c.position), self.number(c.velocity)) for c in system.coordinates},
            tuple(
                (self.number(a.inertia), {q: self.number(c) for q, c in a.coefficients.items()})
                for a in system.armatures
            ),
        )

    def number(self, expression: Expression) -> float:
        return float(self.f.value(expression)[0])

    def triple(self, values: Vector, size: float = 1.0) -> Triple:
        x, y, z = (size * self.number(v) for v in values)
        return x, y, z

    def steps(self, transformations: Iterable[ElementaryTransformation]) -> tuple[SecondStep, ...]:
        return tuple(
            SecondStep(not et.is_translation, self.triple(et.axis), coordinate=et.coordinate)
            if et.coordinate
            else SecondStep(not et.is_translation, self.triple(et.axis), self.amount(et.amount))
            for et in transformations
        )

    def amount(self, expression: Expression) -> Triple:
        x, rate, half = (float(c[0]) for c in self.f.expand(expression).c)
        return x, rate, 2 * half

    def solids(self, body: Body) -> Iterator[SecondSolid]:
        yield self.solid(body.name, body.parent, self.steps(body.joint), body.inertia)
        for k, wheel in enumerate(body.flywheels):
            turn = SecondStep(True, second.Z, self.amount(wheel.angle))
            yield self.solid(f"{body.name}/wheel{k}", body.name, (*self.steps(wheel.mounting), turn), wheel.inertia)

    def solid(self, name: str, parent: str | None, steps: tuple[SecondStep, ...], inertia: Inertia) -> SecondSolid:
        tensor = symmetric(*map(self.number, inertia.tensor))
        return SecondSolid(name, parent, steps, self.number(inertia.mass), self.triple(inertia.centre), tensor)

    def efforts(self) -> dict[str, float]:
        found = {c.name: self.number(c.drive.value) for c in self.system.coordinates if isinstance(c.drive, Effort)}
        for force in self.system.forces:
            if isinstance(force, JointEffort):
                q = self.f.symbols[force.coordinate]
                push = float(law(force.effort, self.f, q.c[0], q.c[1])[0])
                found[force.coordinate] = found.get(force.coordinate, 0.0) + push
        return found

    def place(self, point: Point) -> SecondPlace:
        return SecondPlace(point.body, self.triple(point.position))

    def spring(self, force: Bipolar) -> Spring:
        return Spring(
            force.name, self.place(force.first), self.place(force.second), self.law(force.law),
            self.number(force.mass),
        )  # fmt: skip

    def law(self, effort: Expression | LinearLaw) -> Callable[[float, float], float]:
        f = self.f

        def force(length: float, rate: float) -> float:
            x, v = np.array([length]), np.array([rate])
            own = {"@": constant(x, f.orders), "@'": constant(v, f.orders)}
            return float(
                law(effort, SeriesFormulas({**f.symbols, **own}, tuple(f.functions.values()), f.orders, 1), x, v)[0]
            )

        return force

    def load(self, force: PointForce | Wrench) -> SecondLoad:
        moment = self.triple(force.moment) if isinstance(force, Wrench) else second.NOWHERE
        return SecondLoad(self.place(force.point), self.triple(force.force), moment, force.follows)

    def rod(self, rod: Rod) -> second.SecondRod:
        return second.SecondRod(
            rod.name, self.place(rod.first), self.place(rod.second), self.number(rod.length), self.number(rod.mass)
        )

    def closure(self, cut: FrameCoincidence) -> SecondClosure:
        first, other = ((side.body, self.steps(side.transformations)) for side in (cut.first, cut.second))
        return SecondClosure(cut.name, first, other)
