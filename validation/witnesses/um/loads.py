"""Forces of a model as generated equations take them: on bodies at their centres of mass, and along coordinates.

The generating program evaluates force laws outside its equations and hands over, for every body, a force (world
axes) and a moment (body axes) at the centre of mass, and a number for every joint force. Positions and orientations
that a force needs are those of the generated equations themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mbconcord.model.coordinate import Effort
from mbconcord.model.equations import GeneratedEquations, body_force_symbol, body_moment_symbol, joint_force_symbol
from mbconcord.model.expressions import MINUS_ONE, ZERO, Expression, directional, sqrt, substitute, time_derivative
from mbconcord.model.force import Bipolar, JointEffort, Point, PointForce, Wrench
from mbconcord.model.system import System
from mbconcord.records import dataclass, field
from mbconcord.validation.judge.comparison import ArrayDifference
from mbconcord.validation.judge.kinematics import TreeKinematics
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.tolerances import evaluation_tolerance

from .body_formulas import body_formula, frame, times
from .numbers import AXES, TWIST, generated_numbers
from .pairing import CoordinatePair, NoPlaceError, Pairing, row

Vector = tuple[Expression, ...]


@dataclass
class BodyLoads:
    """Values of the symbols of forces and moments on bodies at their mass centres, and of joint forces.

    Attributes
    ----------
    system : model in which masses of massive elements are lumped on the bodies
    equations, pairing : generated equations, and the pairing of their coordinates with the model's
    bodies : name of the model's body by its number in the equations
    centred : True if positions in the equations are those of mass centres, False if of the frames' origins
    """

    system: System
    equations: GeneratedEquations
    pairing: Pairing
    bodies: Mapping[int, str | None]
    centred: bool
    values: dict[Expression, Expression] = field(default_factory=dict)

    def weight(self) -> dict[Expression, Expression]:
        """Return values of the load symbols for weight: m g on every body."""
        self.values = {}
        for body in self.system.bodies:
            if body.inertia.mass:
                self._add(body.name, [body.inertia.mass * g for g in self.system.gravity_vector], (ZERO,) * 3)
        return self.values

    def collect_applied(self) -> dict[Expression, Expression]:
        """Return values of the load symbols for applied forces: efforts along coordinates, and forces on bodies."""
        self.values = {}
        self._efforts()
        for force in self.system.forces:
            if isinstance(force, Bipolar):
                self._bipolar(force)
            elif isinstance(force, (PointForce, Wrench)):
                moment = force.moment if isinstance(force, Wrench) else (ZERO,) * 3
                push: Vector = force.force
                if force.follows and force.point.body:
                    push = times(tuple(zip(*self._orientation(force.point.body), strict=True)), push)
                self._push(force.point, push, moment)
        return self.values

    def _number(self, name: str) -> int:
        for number, body in self.bodies.items():
            if body == name:
                return number
        raise NoPlaceError(f"body {name} has no number in the generated equations")

    def _add(self, name: str, force: Sequence[Expression], moment: Sequence[Expression]) -> None:
        number = self._number(name)
        for axis in range(3):
            for key, value in (
                (body_force_symbol(number, axis), force[axis]),
                (body_moment_symbol(number, axis), moment[axis]),
            ):
                self.values[key] = self.values.get(key, ZERO) + value

    def _push(self, point: Point, force: Vector, moment: Sequence[Expression]) -> None:
        """Add a force (world axes) at a point of a body, and a moment (body axes)."""
        if point.body is None:
            return
        centre = self.system.body(point.body).inertia.centre
        arm = [p - c for p, c in zip(point.position, centre, strict=True)]
        if any(arm):
            turned = times(self._orientation(point.body), force)
            moment = [m + x for m, x in zip(moment, _cross(arm, turned), strict=True)]
        self._add(point.body, force, moment)

    def _bipolar(self, force: Bipolar) -> None:
        ends = [self._place(point) for point in (force.first, force.second)]
        apart = [b - a for a, b in zip(*ends, strict=True)]
        rates = time_derivative(apart, self.system.coordinate_names)
        length = sqrt(sum((x * x for x in apart), ZERO))
        rate = sum((x * v for x, v in zip(apart, rates, strict=True)), ZERO) / length
        size = force.force(length, rate) / length
        for point, sign in ((force.first, -size), (force.second, size)):
            self._push(point, tuple(sign * x for x in apart), (ZERO,) * 3)

    def _place(self, point: Point) -> Vector:
        """Return a point's position in world axes, by the generated equations' positions and orientations."""
        if point.body is None:
            return point.position
        motion = self.equations.bodies.get(self._number(point.body))
        if motion is None or motion.position is None:
            raise NoPlaceError(f"the position of body {point.body} is not delivered")
        start = self._rename(motion.position)
        centre = self.system.body(point.body).inertia.centre if self.centred else (ZERO,) * 3
        arm = [p - c for p, c in zip(point.position, centre, strict=True)]
        if not any(arm):
            return start
        columns = tuple(zip(*self._orientation(point.body), strict=True))
        return tuple(p + x for p, x in zip(start, times(columns, arm), strict=True))

    def _orientation(self, name: str) -> tuple[Vector, ...]:
        motion = self.equations.bodies.get(self._number(name))
        if motion is None or motion.orientation is None:
            raise NoPlaceError(f"the orientation of body {name} is not delivered")
        return tuple(map(self._rename, motion.orientation))

    def _rename(self, row: Vector) -> Vector:
        return tuple(substitute(row, self.pairing.replacements))

    def _efforts(self) -> None:
        """Set each joint force to the effort along its coordinate; raise if an effort has no joint force."""
        efforts: dict[str, Expression] = {}
        for coordinate in self.system.coordinates:
            if isinstance(coordinate.drive, Effort):
                efforts[coordinate.name] = coordinate.drive.value
        for force in self.system.forces:
            if isinstance(force, JointEffort):
                efforts[force.coordinate] = efforts.get(force.coordinate, ZERO) + force.expression()
        for number in self.equations.joint_forces:
            self.values[joint_force_symbol(number)] = ZERO
            place = row(self.equations, number)
            pair = next(p for p in self.pairing.pairs if p.number == place)
            effort = efforts.pop(pair.coordinate, ZERO)
            self.values[joint_force_symbol(number)] = effort if pair.sign > 0 else -effort
        left = [name for name, effort in efforts.items() if effort]
        if left:
            raise NoPlaceError(f"the generated equations have no joint force along {', '.join(left)}")


def _cross(a: Sequence[Expression], b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@dataclass(frozen=True)
class LoadEntry:
    """Coefficient of a component of a body's load in a coordinate's row of the equations, with its formula."""

    body: str
    symbol: Expression
    kind: str
    axis: int
    pair: CoordinatePair
    formula: Expression

    @property
    def label(self) -> str:
        """Name of the entry, as ``body1 force x q1``."""
        return f"{self.body} {self.kind} {AXES[self.axis]} {self.pair.coordinate}"

    def expected_formula(self, system: System) -> Expression | None:
        """Return the model's formula: an entry of the Jacobian of the body's centre of mass."""
        component = TWIST[self.axis + (0 if self.kind == "force" else 3)]
        origin = frame(system, self.body, centred=True)
        return body_formula(system, "jacobian", f"{component} {self.pair.coordinate}", origin)


def load_entry(
    equations: GeneratedEquations, k: TreeKinematics, bodies: Mapping[int, str | None], pairing: Pairing,
    values: Mapping[str, Any],
) -> tuple[list[LoadEntry], ArrayDifference] | None:  # fmt: skip
    """Return coefficients of body loads, and the difference of both sides; None without force vector or bodies."""
    entries: list[LoadEntry] = []
    expected: list[Array] = []
    scales: list[Array] = []
    names = k.system.coordinate_names
    for number, name in bodies.items():
        if equations.residual is None or name is None:
            continue
        m = k.centre(k.system.body(name))
        turning = np.einsum("sji,sjk->sik", m.rotation, m.turning)
        for kind, symbol_of, own, size in (
            ("force", body_force_symbol, m.moving, m.lever),
            ("moment", body_moment_symbol, turning, m.turns),
        ):
            for axis in range(3):
                load = symbol_of(number, axis)
                slopes = directional(equations.residual, {load: MINUS_ONE})
                for pair in pairing.pairs:
                    j = names.index(pair.coordinate)
                    slope = slopes[pair.number] if pair.sign > 0 else -slopes[pair.number]
                    entries.append(LoadEntry(name, load, kind, axis, pair, slope))
                    expected.append(own[:, axis, j])
                    scales.append(size[:, j])
    if not entries:
        return None
    ones = np.ones(k.count)
    formulas = [load.formula for load in entries]
    own = generated_numbers(formulas, values, k.count)
    return entries, ArrayDifference(
        own.values, np.stack(expected, axis=1), np.stack(scales, axis=1), ones * evaluation_tolerance(), ones,
        bound=own.bounds,
    )  # fmt: skip
