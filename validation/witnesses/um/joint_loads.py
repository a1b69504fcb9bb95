"""Comparison of the loads by joint forces that generated procedures compute with those along the model's axes.

For a body (JForceCalc): the force passed in, and the moment with those of the joint forces. For a joint
(SingleJointFrc): its joint forces on the body from which it is written. A joint force J along a turn about the axis e
puts +J e on the outer body and -J e on the inner one. Only joints of one turn were seen: others are not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from mbconcord.model.equations import body_force_symbol, body_moment_symbol, joint_force_symbol
from mbconcord.model.expressions import ZERO, Expression, substitute, symbols
from mbconcord.model.limits import count
from mbconcord.model.omission import Omission
from mbconcord.records import dataclass
from mbconcord.validation.judge.comparison import ArrayDifference, worst
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.motion import Array
from mbconcord.validation.judge.tolerances import evaluation_tolerance

from .body_formulas import Origin, Place, WrittenPlace, frame, screw
from .matched import Matched
from .numbers import AXES, KINEMATICS, generated_values
from .pairing import CoordinatePair, NoPlaceError, row

#: Components of force and moment.
LOAD = tuple(f"{kind} {axis}" for kind in ("force", "moment") for axis in AXES)


def joint_loads(matched: Matched) -> Iterator[WrittenPlace | Comparison]:
    """Yield comparisons of the procedures JForceCalc and SingleJointFrc, if the set of equations has them."""
    made = JointLoads(matched)
    equations = matched.sides.equations
    if equations.loads:
        yield made.compare("joint_loads", "JForceCalc", equations.loads, made.on_body, made.formulas_on_body)
    if equations.reactions:
        yield made.compare(
            "joint_reactions", "SingleJointFrc", equations.reactions, made.in_joint, made.formulas_in_joint
        )
        yield from made.find_misplaced()


def unseen_loads(matched: Matched) -> Iterator[Omission]:
    """Yield omissions for terms of both procedures that are not compared: joint forces in other joints than seen."""
    unknown = ", ".join(JointLoads(matched).unknown.values())
    equations = matched.sides.equations
    for name, found in (("JForceCalc", equations.loads), ("SingleJointFrc", equations.reactions)):
        if unknown and found:
            what = f"its terms of {unknown} are not compared: only joints of one turn were seen"
            yield Omission(f"procedure/{name}", "procedure", what)


@dataclass(frozen=True)
class JointLoads:
    """Comparisons of loads by joint forces at the matching's states, with random forces, moments and joint forces."""

    matched: Matched

    @cached_property
    def pairs(self) -> dict[int, CoordinatePair]:
        """The pair of coordinates along which each joint force acts, by its number."""
        equations, found = self.matched.sides.equations, {}
        by_number = {pair.number: pair for pair in self.matched.pairing.pairs}
        for number in equations.joint_forces:
            try:
                found[number] = by_number[row(equations, number)]
            except NoPlaceError:
                continue
        return found

    @cached_property
    def unknown(self) -> dict[int, str]:
        """Joint forces that are not compared: their descriptions in words, by number."""
        system, found = self.matched.sides.system, {}
        program = self.matched.sides.equations.program
        records = system.metadata.get(f"{program}:coordinates", [])
        turned = {str(record.get("name")) for record in records if record.get("reversed")}
        for number in self.matched.sides.equations.joint_forces:
            pair = self.pairs.get(number)
            if pair is None:
                found[number] = f"joint force {number}"
                continue
            body = next(b for b in system.bodies if pair.coordinate in b.coordinates)
            moving = [et for et in body.joint if et.coordinate]
            if len(moving) > 1 or moving[0].is_translation or pair.coordinate in turned:
                found[number] = f"joint force {number} along {pair.coordinate}"
        return found

    @cached_property
    def values(self) -> dict[str, Any]:
        """Values of all symbols: forces and moments are random, joint forces that are not compared are zero."""
        random, count = Random(self.matched.sides.seed), self.matched.sides.kinematics.count
        found = dict(self.matched.values)
        equations = self.matched.sides.equations
        for name in sorted(symbols(equations.expressions())):
            if name.startswith(("_force", "_moment")):
                found[name] = np.array([random.uniform(-1, 1) for _ in range(count)])
        for number in equations.joint_forces:
            drawn = np.array([random.uniform(-1, 1) for _ in range(count)])
            found[str(joint_force_symbol(number).data)] = 0.0 * drawn if number in self.unknown else drawn
        return found

    def compare(
        self, quantity: str, procedure: str, delivered: Mapping[int, tuple[Expression, ...]],
        expected: Callable[[int], Array], written_out: Callable[[int], list[Expression]],
    ) -> WrittenPlace | Comparison:  # fmt: skip
        """Compare results by number of a body or joint; ``expected(number)`` gives (N, 6), ``written_out`` formulas."""
        sides = self.matched.sides
        labels: list[str] = []
        formulas: list[Expression] = []
        columns: list[Array] = []
        for number, entries in delivered.items():
            numbers = expected(number)
            labels += [f"{number} {label}" for label in LOAD]
            formulas += entries
            columns.append(numbers)
        count = sides.kinematics.count
        ones = np.ones(count)
        a, b = generated_values(formulas, self.values, count), np.concatenate(columns, axis=1)
        difference = ArrayDifference(a, b, np.ones_like(b), ones * evaluation_tolerance(), ones)
        c = worst(self.matched.generated_witness.name, KINEMATICS, quantity, difference, sides.states, labels)
        if c.verdict != "disagrees" or c.discrepancy is None:
            return c
        names: list[tuple[str, ...]] = [(label,) for label in labels]
        own = dict(zip(names, formulas, strict=True))
        theirs = dict(zip(names, (x for number in delivered for x in written_out(number)), strict=True))

        def both(entry: tuple[str, ...]) -> tuple[Expression | None, Expression | None]:
            return self._transform([own[entry]])[0], theirs[entry]

        places: dict[tuple[str, ...], Place] = {
            (f"{number} {label}",): (procedure, number, i) for number in delivered for i, label in enumerate(LOAD)
        }
        origin = Origin(sides.equations, own.__getitem__, places.get, self._transform)
        return WrittenPlace(c, difference, names, both, origin)

    def _transform(self, formulas: Sequence[Expression]) -> Sequence[Expression]:
        """Return formulas in the model's coordinates, with zero for joint forces that are not compared."""
        none = {joint_force_symbol(number): ZERO for number in self.unknown}
        return substitute(formulas, self.matched.pairing.replacements | none)

    def formulas_on_body(self, number: int) -> list[Expression]:
        """Return force and moment on a body, those of :meth:`on_body`, as six formulas."""
        name, system = self.matched.bodies.names.get(number), self.matched.sides.system
        total = [symbol_of(number, axis) for symbol_of in (body_force_symbol, body_moment_symbol) for axis in range(3)]
        for force, pair in self.pairs.items():
            body = next(b for b in system.bodies if pair.coordinate in b.coordinates)
            if name in (body.name, body.parent):
                moment = self._moment_formula(force, pair, name)
                sign = 1 if name == body.name else -1
                total[3:] = [x + sign * m for x, m in zip(total[3:], moment, strict=True)]
        return total

    def formulas_in_joint(self, number: int) -> list[Expression]:
        """Return force and moment of a joint's forces, those of :meth:`in_joint`, as six formulas."""
        total: list[Expression] = [ZERO] * 6
        for force in self._list_used(number):
            pair = self.pairs[force]
            body = next(b for b in self.matched.sides.system.bodies if pair.coordinate in b.coordinates)
            moment = self._moment_formula(force, pair, body.parent)
            total[3:] = [x - m for x, m in zip(total[3:], moment, strict=True)]
        return total

    def _moment_formula(self, number: int, pair: CoordinatePair, name: str | None) -> list[Expression]:
        """Return formulas of a joint force's moment J e in the axes of a body (None: world); zero if not compared."""
        system = self.matched.sides.system
        if number in self.unknown:
            return [ZERO] * 3
        body = next(b for b in system.bodies if pair.coordinate in b.coordinates)
        axis = screw(system, frame(system, body.name, centred=False), pair.coordinate)[3:]
        turned = zip(*frame(system, name, centred=False).rotation, strict=True)
        moment = joint_force_symbol(number) * pair.sign
        return [moment * sum((a * x for a, x in zip(column, axis, strict=True)), ZERO) for column in turned]

    def on_body(self, number: int) -> Array:
        """Return force (world axes) and moment (body axes) on a body, (N, 6)."""
        k, name = self.matched.sides.kinematics, self.matched.bodies.names.get(number)
        total = np.zeros((k.count, 6))
        for axis in range(3):
            total[:, axis] = self._value(body_force_symbol(number, axis))
            total[:, 3 + axis] = self._value(body_moment_symbol(number, axis))
        for force, pair in self.pairs.items():
            body = next(b for b in k.system.bodies if pair.coordinate in b.coordinates)
            if name in (body.name, body.parent):
                total[:, 3:] += (1 if name == body.name else -1) * self._moment(force, pair, name)
        return total

    def in_joint(self, number: int) -> Array:
        """Return force and moment of a joint's forces on its inner body, in that body's axes, (N, 6)."""
        k = self.matched.sides.kinematics
        total = np.zeros((k.count, 6))
        for force in self._list_used(number):
            pair = self.pairs[force]
            body = next(b for b in k.system.bodies if pair.coordinate in b.coordinates)
            total[:, 3:] -= self._moment(force, pair, body.parent)
        return total

    def find_misplaced(self) -> Iterator[Comparison]:
        """Yield as not checked joint forces that are in no joint, or in joints not in the order of the coordinates."""
        equations = self.matched.sides.equations
        places = [(joint, force) for joint in sorted(equations.reactions) for force in self._list_used(joint)]
        joints = [str(joint) for joint, _ in places]
        order = [self.pairs[force].number for _, force in places]
        known = sum(number not in self.unknown for number in self.pairs)
        if len(places) != known or order != sorted(set(order)) or len(set(joints)) < len(joints):
            reason = (
                f"joint forces of {count(known, 'coordinate')} stand in the joints {', '.join(joints) or 'none'}: "
                "expected each in a joint of its own, in the order of the coordinates"
            )
            yield Comparison(equations.program, "", "joint_reactions", "not checked", explanation=reason)

    def _list_used(self, joint: int) -> list[int]:
        """List the compared joint forces that a joint's formulas use."""
        used = symbols(self.matched.sides.equations.reactions[joint])
        known = (number for number in self.pairs if number not in self.unknown)
        return [number for number in known if joint_force_symbol(number).data in used]

    def _moment(self, number: int, pair: CoordinatePair, name: str | None) -> Array:
        """Return a joint force's moment J e (N, 3) in the axes of a body (None: world)."""
        k = self.matched.sides.kinematics
        body = next(b for b in k.system.bodies if pair.coordinate in b.coordinates)
        axis = pair.sign * k.frame(body.name).turning[:, :, k.system.coordinate_names.index(pair.coordinate)]
        moment = self._value(joint_force_symbol(number))[:, None] * axis
        return np.asarray(np.einsum("sji,sj->si", k.frame(name).rotation, moment))

    def _value(self, key: Expression) -> Array:
        count = self.matched.sides.kinematics.count
        return np.broadcast_to(np.asarray(self.values.get(str(key.data), 0.0), dtype=float), (count,))
