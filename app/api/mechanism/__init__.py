"""Systems built in Python: bodies with their joints, forces, and constraints between bodies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from mbconcord.converters.inclusions import utf8_text
from mbconcord.converters.tabulated import LineError, as_number, read_columns, read_table
from mbconcord.model import (
    ElementaryTransformation,
    FrameCoincidence,
    Function,
    Gravity,
    Holonomic,
    ModelError,
    Nonholonomic,
    Parameter,
    PointCoincidence,
    Rod,
)
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import ReadError, among, error
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, apply, sqrt, symbol
from mbconcord.model.limits import FILE_BYTES
from mbconcord.model.transformation import Vector

from .bodies import MechanismBodies
from .draft import AXIS, Amount, At, Draft, Place, axis, formula, point, relocate_errors, seats
from .forces import MechanismForces

# What formulas use, and gravity.


class MechanismDraft(Draft):
    """Parameters, functions and gravity of a mechanism."""

    def parameters(self, given: Mapping[Any, Amount | None] | None = None, /, **values: Amount | None) -> Self:
        """Set parameters by name, or by symbol: numbers, formulas of others, or None if a check draws the value."""
        for name, value in {**{str(x): v for x, v in (given or {}).items()}, **values}.items():
            place = f"parameters/{name}"
            self._new(place, name, (p.name for p in self._parameters))
            self._parameters.append(Parameter(name, None if value is None else formula(place, value)))
        return self

    def normal_force(self, name: str, of: str) -> Self:
        """Name the normal force of a joint or row, for laws of friction: of a body's guide or pin, of a constraint."""
        self._new(f"parameters/{name}", name, (p.name for p in self._parameters))
        self._parameters.append(Parameter(name, normal=of))
        return self

    def varies(self, name: str, formula_of_t: Amount) -> Self:
        """Let a parameter of masses and forces vary with time; mass that leaves a body has the body's velocity.

        If mass leaves with another velocity u relative to the body, add the force m' u.
        """
        place = f"parameters/{name}"
        self._new(place, name, (p.name for p in self._parameters))
        self._parameters.append(Parameter(name, varies=formula(place, formula_of_t)))
        return self

    def function(self, name: str, arguments: Sequence[str], value: Amount | None = None) -> Self:
        """Add a function that formulas call, ``lift(t)``: names of its arguments, and optionally its formula."""
        place = f"functions/{name}"
        self._new(place, name, (f.name for f in self._functions))
        made = None if value is None else formula(place, value)
        names = (arguments,) if isinstance(arguments, str) else tuple(arguments)
        self._functions.append(Function(name, names, made))
        return self

    def table(
        self,
        name: str,
        data: Any,
        y: str | None = None,
        *,
        x: str | None = None,
        method: str = "linear",
        beyond: str = "refuse",
    ) -> Self:
        """Add a function of one argument through the rows of a table; formulas call it, ``road(t)``.

        Parameters
        ----------
        data : path of a CSV file whose first line has the names of its columns; a DataFrame or a mapping of columns;
            or two sequences, of arguments and of values
        y, x : names of the columns of values and of arguments; x is the first column by default
        method : ``linear``, or ``cubic``: monotone and smooth
        beyond : treatment of arguments beyond the first and the last row: ``refuse``, ``hold`` or ``extend``
        """
        place = f"functions/{name}"
        self._new(place, name, (f.name for f in self._functions))
        try:
            if isinstance(data, (str, os.PathLike)):
                text = utf8_text(os.fspath(data), FILE_BYTES)
                table = read_columns(text, x, y or "", method, beyond)
            else:
                if hasattr(data, "keys"):
                    named = list(data.keys())
                    chosen = (named[0] if x is None and named else x, y)
                    for column in chosen:
                        if column not in named:
                            raise ExpressionError(
                                f"there is no column {column!r} ({among(str(column), map(str, named))})"
                            )
                    data = [data[column] for column in chosen]
                arguments, values = (list(map(as_number, column)) for column in data)
                table = read_table(arguments, values, method, beyond)
        except ReadError as problem:
            (found,) = problem.diagnostics
            raise ModelError(error(place, f"{data}: {found.message}", found.remedy)) from None
        except LineError as problem:
            raise ModelError(error(place, f"{data}, {problem}", "mend this line of the table")) from None
        except (TypeError, ValueError) as problem:
            raise ModelError(error(place, str(problem), "a table is a file, or columns of numbers")) from None
        self._functions.append(Function(name, ("x",), apply(table, symbol("x"))))
        return self

    def gravity(self, magnitude: Amount | None = None, along: At | None = None, **components: Amount) -> Self:
        """Set uniform gravity: its acceleration by components, ``z=-9.81``, or its magnitude and direction.

        Parameters
        ----------
        magnitude : m/s², a number or a formula
        along : direction in which things fall: ``"-z"``, or three numbers in world axes
        **components : x, y, z of the acceleration (m/s²): numbers; a single one may be a formula
        """
        place = "gravity"
        if (magnitude is None) == (not components) or (magnitude is None) != (along is None):
            remedy = "give components, z=-9.81, or a magnitude and a direction, (9.81, along='-z')"
            raise ModelError(error(place, "found neither the one nor the other, or both", remedy))
        if magnitude is not None and along is not None:
            with relocate_errors(place):
                self._gravity = Gravity(formula(place, magnitude), axis(place, along))
            return self
        found = self._components(place, components)
        own = {name: x for name, x in found.items() if x is not ZERO}
        if len(own) == 1:
            ((name, value),) = own.items()
            falls_back = value.op == "neg" or (value.op == "num" and value.value < 0)
            with relocate_errors(place):
                self._gravity = Gravity(-value if falls_back else value, axis(place, f"{'-' * falls_back}{name}"))
            return self
        if not own or not all(x.constant for x in own.values()):
            message = "several components are numbers, and not all zero"
            raise ModelError(error(place, message, "of a formula give the magnitude and `along`"))
        vector: Vector = (found.get("x", ZERO), found.get("y", ZERO), found.get("z", ZERO))
        with relocate_errors(place):
            self._gravity = Gravity(sqrt(sum((x * x for x in vector), ZERO)), vector)
        return self

    @staticmethod
    def _components(place: str, given: Mapping[str, Amount]) -> dict[str, Expression]:
        unknown = [name for name in given if name not in AXIS]
        if unknown:
            raise ModelError([error(place, f"there is no component {name!r}", among(name, AXIS)) for name in unknown])
        return {name: formula(f"{place}/{name}", value) for name, value in given.items()}


# What closes loops, and other constraints.


class Constraints(Draft):
    """Constraints of a mechanism."""

    def rod(self, name: str, first: Place, second: Place, length: Amount, *, mass: Amount = 0) -> Self:
        """Add an inextensible rod between two points (m), with half of its mass (kg) on each."""
        place = f"constraints/{name}"
        ends = point(place, first), point(place, second)
        return self._constraint(Rod(name, *ends, formula(f"{place}/length", length), formula(f"{place}/mass", mass)))

    def pin(self, name: str, first: Place, second: Place) -> Self:
        """Join two points of bodies by a ball joint, which closes a loop."""
        place = f"constraints/{name}"
        return self._constraint(PointCoincidence(name, point(place, first), point(place, second)))

    def close(
        self,
        name: str,
        first: tuple[str | None, Iterable[ElementaryTransformation]],
        second: tuple[str | None, Iterable[ElementaryTransformation]],
    ) -> Self:
        """Add a cut joint: two frames coincide, each ``(body, transformations)``.

        Transformations are results of :func:`mbconcord.model.rotation` and :func:`mbconcord.model.translation`; a name
        in those of the first frame, ``rotation("z", "cut")``, is a coordinate that only the cut joint has.
        """
        place = f"constraints/{name}"
        with relocate_errors(place):
            return self._constraint(FrameCoincidence(name, *seats(place, first, second)))

    def holds(self, name: str, zero: Amount) -> Self:
        """Add a holonomic constraint: a formula of coordinates and t that is zero."""
        return self._constraint(Holonomic(name, formula(f"constraints/{name}", zero)))

    def rolls(self, name: str, coefficients: Mapping[str, Amount], rest: Amount = 0) -> Self:
        """Add a nonholonomic constraint: Σ coefficient · rate + rest = 0, coefficients by the names of coordinates."""
        place = f"constraints/{name}"
        made = {n: formula(f"{place}/{n}", x) for n, x in coefficients.items()}
        return self._constraint(Nonholonomic(name, made, formula(place, rest)))

    def _constraint(self, made: Constraint) -> Self:
        self._new(f"constraints/{made.name}", made.name, (c.name for c in self._constraints))
        self._constraints.append(made)
        return self


class Mechanism(MechanismDraft, MechanismBodies, MechanismForces, Constraints):
    """A multibody system described body by body; :meth:`build` returns the :class:`mbconcord.System`.

    Numbers are SI and radians. A number may be a formula in a string, ``"m*L^2/12"``, of parameters that
    :meth:`parameters` names; where the motion is allowed, also of coordinates ``q1``, their rates ``q1'`` and the time
    ``t``. Decimals are exact: 0.1 is one tenth.

    A body is begun by :meth:`body`; what follows says how it is carried, from its parent's frame to its own, each step
    in the frame that the one before it left: :meth:`shift` and :meth:`rotate` are fixed, :meth:`slides` and
    :meth:`turns`
    have a coordinate. Coordinates are in the order in which they appear. Every method returns the mechanism itself.

    Raises
    ------
    ModelError
        Every method raises it, with the element's place: a formula that cannot be read, an invalid axis or tensor, a
        repeated name. Errors of the whole model (undefined names, …) are found by :meth:`build`.

    Examples
    --------
    >>> import mbconcord
    >>> arm = (
    ...     mbconcord.Mechanism("arm")
    ...     .parameters(m=2.5, L=0.8)
    ...     .gravity(z=-9.81)
    ...     .body("upper", mass="m", com=("L/2", 0, 0), inertia=(0.01, "m*L^2/12", "m*L^2/12"))
    ...     .turns("q1", about="z")
    ...     .turns("q2", about="y", start=0.3)
    ...     .body("fore", on="upper", mass=1.2, com=(0.3, 0, 0), inertia=(0.004, 0.04, 0.04))
    ...     .shift(x="L")
    ...     .turns("q3", about="y")
    ... )
    >>> arm.build()
    <System arm: 2 bodies, 3 coordinates>
    """
