"""Absolute motion of frames and points, for forces and constraints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from mbconcord.model.expressions import as_expression
from mbconcord.model.force import Point
from mbconcord.model.kinematics import PointMotion, jacobian_of
from mbconcord.model.transformation import vector

from .arithmetic import Arithmetic
from .structure import Rows, Tree, bias, pair_rate_rows, rate_rows, twists
from .vectors import NONE, REST, Transfer, Vector, cross, from_column_axes, plus, to_column_axes


class Places:
    """Absolute motion of frames and points in fixed axes; computed on first use."""

    def __init__(
        self, tree: Tree, rows: Callable[[], Mapping[int, Rows]], numbers: dict[str | None, int], arithmetic: Arithmetic
    ) -> None:
        self.tree, self.numbers, self.arithmetic = tree, numbers, arithmetic
        self._rows = rows
        self._frames: dict[int, Transfer] = {0: Transfer(NONE)}
        self._twists: dict[int, Vector] = {0: REST}
        self._biases: dict[int, Vector] = {0: REST}
        self._pair_rates: dict[int, Rows] = {}

    @cached_property
    def rows(self) -> Mapping[int, Rows]:
        """Rows of S about the origins of the links' frames."""
        return self._rows()

    def frame(self, number: int) -> Transfer:
        """Compute L from the fixed frame to the link's frame, (1.1)."""
        for link in reversed(list(self.tree.path(number))):
            if link not in self._frames:
                parent = self._frames[self.tree.links[link].parent]
                self._frames[link] = self.name_frame(link, parent.then(self.tree.matrices[link].transfer))
        return self._frames[number]

    def name_frame(self, link: int, frame: Transfer) -> Transfer:
        """Return the frame for further use; the override for lists of tiers replaces its long elements by names."""
        return frame

    def name_scalar(self, label: str, value: Any) -> Any:
        """Return a scalar for further use; the override for lists of tiers replaces it by a name."""
        return value

    def twist(self, number: int) -> Vector:
        """Compute the absolute twist of the link's frame, in its axes."""
        if number not in self._twists:
            self._twists[number] = twists(self.tree, number, self.rows[number])[1]
        return self._twists[number]

    def bias(self, number: int) -> Vector:
        """Compute V̇ of the link's frame at q̈ = 0, in its axes."""
        if number not in self._biases:
            self._pair_rates = self._pair_rates or pair_rate_rows(self.tree)
            rows = self.rows[number]
            relative = twists(self.tree, number, rows)[0]
            self._biases[number] = bias(rows, rate_rows(rows, self._pair_rates[number], relative))
        return self._biases[number]

    def arm(self, point: Point) -> Vector:
        """Return the position of a point in the axes of its body."""
        return tuple(map(self.arithmetic.to_scalar, point.position))

    def position(self, point: Point) -> Vector:
        """Compute the position of a point, axes of the fixed frame."""
        frame = self.frame(self.numbers[point.body])
        return plus(frame.o, from_column_axes(frame.c, self.arm(point)))

    def velocity(self, point: Point) -> Vector:
        """Compute the velocity of a point, axes of the fixed frame."""
        number = self.numbers[point.body]
        twist = self.twist(number)
        return from_column_axes(self.frame(number).c, plus(twist[:3], cross(twist[3:], self.arm(point))))

    def acceleration(self, point: Point) -> Vector:
        """Compute a point's acceleration at q̈ = 0, fixed axes: ``c (v̇ + ω × v + ω̇ × ρ + ω × (ω × ρ))``."""
        number, arm = self.numbers[point.body], self.arm(point)
        twist, rate = self.twist(number), self.bias(number)
        v, w = twist[:3], twist[3:]
        own = plus(rate[:3], cross(w, v), cross(rate[3:], arm), cross(w, cross(w, arm)))
        return from_column_axes(self.frame(number).c, own)

    def columns(self, point: Point) -> dict[str, Vector]:
        """Compute ∂v/∂q̇ of a point by coordinate, axes of the fixed frame: ``c (a + b × ρ)`` of the rows (a, b)."""
        number, arm = self.numbers[point.body], self.arm(point)
        c = self.frame(number).c
        return {
            d.coordinate: from_column_axes(c, plus(row[:3], cross(row[3:], arm)))
            for d, row in self.rows[number].items()
            if d.coordinate
        }

    def motion(self, point: Point, names: Sequence[str]) -> PointMotion:
        """Return the motion of a point and of the axes of its body, as expressions."""
        number = self.numbers[point.body]
        c = self.frame(number).c
        rows = {d.coordinate: row for d, row in self.rows[number].items() if d.coordinate}
        angular = {name: from_column_axes(c, row[3:]) for name, row in rows.items()}
        w, e0 = (from_column_axes(c, twist[3:]) for twist in (self.twist(number), self.bias(number)))
        R: Any = [vector(map(as_expression, row)) for row in c]
        r, v, a0 = self.position(point), self.velocity(point), self.acceleration(point)
        r, v, w, a0, e0 = (vector(map(as_expression, x)) for x in (r, v, w, a0, e0))
        linear, angular = (
            {name: vector(map(as_expression, x)) for name, x in part.items()} for part in (self.columns(point), angular)
        )
        return PointMotion(tuple(R), r, v, w, jacobian_of(names, linear, angular), a0, e0)

    def wrench(self, point: Point, force: Vector, moment: Vector = NONE, follows: bool = False) -> Vector:
        """Return the wrench of a force at a point and a moment, in body axes; the force in fixed unless ``follows``."""
        own = force if follows else to_column_axes(force, self.frame(self.numbers[point.body]).c)
        return own + plus(cross(self.arm(point), own), moment)
