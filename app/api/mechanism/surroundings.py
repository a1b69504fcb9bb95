"""What formulas use, and gravity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from mbconcord.model import (
    Function,
    Gravity,
    ModelError,
    Parameter,
)
from mbconcord.model.diagnostics import among, error
from mbconcord.model.expressions import ZERO, Expression, sqrt
from mbconcord.model.transformation import Vector

from .draft import Draft
from .formulas import AXIS, Amount, At, axis, formula, located


class Surroundings(Draft):
    """Parameters, functions and gravity of a mechanism."""

    def parameters(self, **values: Amount | None) -> Self:
        """Parameters by name: numbers, formulas of other parameters, or None for one whose value a check draws."""
        for name, value in values.items():
            place = f"parameters/{name}"
            self._new(place, name, (p.name for p in self._parameters))
            self._parameters.append(Parameter(name, None if value is None else formula(place, value)))
        return self

    def function(self, name: str, arguments: Sequence[str], value: Amount | None = None) -> Self:
        """A function that formulas call, ``lift(t)``: names of its arguments, and its formula where it has one."""
        place = f"functions/{name}"
        self._new(place, name, (f.name for f in self._functions))
        made = None if value is None else formula(place, value)
        self._functions.append(Function(name, tuple(arguments), made))
        return self

    def gravity(self, magnitude: Amount | None = None, along: At | None = None, **components: Amount) -> Self:
        """Uniform gravity: its acceleration by components, ``z=-9.81``, or its magnitude and the way things fall.

        Parameters
        ----------
        magnitude : m/s², a number or a formula
        along : the direction in which things fall: ``"-z"``, or three numbers in world axes
        **components : x, y, z of the acceleration (m/s²); a formula where it is the only one
        """
        place = "gravity"
        if (magnitude is None) == (not components) or (magnitude is None) != (along is None):
            remedy = "give components, z=-9.81, or a magnitude and a direction, (9.81, along='-z')"
            raise ModelError(error(place, "found neither the one nor the other, or both", remedy))
        if magnitude is not None and along is not None:
            with located(place):
                self._gravity = Gravity(formula(place, magnitude), axis(place, along))
            return self
        found = self._components(place, components)
        own = {name: x for name, x in found.items() if x is not ZERO}
        if len(own) == 1:
            ((name, value),) = own.items()
            falls_back = value.op == "neg" or (value.op == "num" and value.value < 0)
            with located(place):
                self._gravity = Gravity(
                    -value if falls_back else value, axis(place, f"{'-' * falls_back}{name}")
                )
            return self
        if not own or not all(x.constant for x in own.values()):
            message = "several components are numbers, and not all zero"
            raise ModelError(error(place, message, "of a formula give the magnitude and `along`"))
        vector: Vector = (found.get("x", ZERO), found.get("y", ZERO), found.get("z", ZERO))
        with located(place):
            self._gravity = Gravity(sqrt(sum((x * x for x in vector), ZERO)), vector)
        return self

    @staticmethod
    def _components(place: str, given: Mapping[str, Amount]) -> dict[str, Expression]:
        unknown = [name for name in given if name not in AXIS]
        if unknown:
            raise ModelError(
                [error(place, f"there is no component {name!r}", among(name, AXIS)) for name in unknown]
            )
        return {name: formula(f"{place}/{name}", value) for name, value in given.items()}
