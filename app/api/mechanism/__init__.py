"""Systems built in Python: bodies with their joints, forces, and constraints between bodies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

# What formulas use, and gravity.
from dataclasses import replace
from typing import Any, Self

from mbconcord.converters.inclusions import utf8_text
from mbconcord.converters.tabulated import LineError, as_number, read_columns, read_table
from mbconcord.model import (
    AddedInertia,
    Body,
    Coordinate,
    ElementaryTransformation,
    Flywheel,
    FrameCoincidence,
    Function,
    Gravity,
    Holonomic,
    Inertia,
    Mapped,
    ModelError,
    NamedPoint,
    Nonholonomic,
    Parameter,
    PointCoincidence,
    Rod,
    Variable,
    rotation,
    translation,
)
from mbconcord.model.beams import CrossSection, Mode, beam
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import ReadError, among, error
from mbconcord.model.expressions import ZERO, Expression, ExpressionError, apply, sqrt, symbol
from mbconcord.model.limits import FILE_BYTES
from mbconcord.model.transformation import Vector

from .draft import (
    AXIS,
    Amount,
    At,
    Draft,
    Place,
    Triple,
    axis,
    formula,
    point,
    relocate_errors,
    rows,
    seats,
    tensor,
    transformations,
    triple,
)
from .forces import MechanismForces


class MechanismBodies(Draft):
    """Bodies of a mechanism, their joints, and their inertia."""

    def body(
        self,
        name: str,
        on: str | None = None,
        *,
        mass: Amount = 0,
        com: Triple = (0, 0, 0),
        inertia: Sequence[Amount] | Sequence[Sequence[Amount]] = (0, 0, 0),
        about: str = "com",
        node: str | None = None,
    ) -> Self:
        """Begin a body.

        Parameters
        ----------
        name : name of the body, unique among bodies and points
        on : name of the body that carries it; None: the fixed frame
        mass : mass of the body, kg
        com : its centre of mass in its own frame, m
        inertia : its tensor in its own axes, kg m²: (xx, yy, zz), or with (xy, xz, yz), the elements of the matrix
            (xy = -∫xy dm), or the symmetric matrix, rows of three
        about : point of reference of the tensor: ``"com"``, or ``"origin"`` of the body's frame
        node : name of the node at which it is attached, if a beam carries it; None: the clamp
        """
        place = self._begin(name, on)
        if about not in ("com", "origin"):
            message = f"a tensor about {about!r}"
            raise ModelError(error(f"{place}/inertia", message, among(about, ("com", "origin"))))
        m, centre = formula(f"{place}/mass", mass), triple(f"{place}/com", com)
        elements = tensor(f"{place}/inertia", inertia)
        own = Inertia(m, centre, elements) if about == "com" else Inertia.about_origin(m, centre, elements)
        self._bodies.append(Body(name, on, (), own, parent_node=node))
        return self

    def beam(
        self,
        name: str,
        on: str | None = None,
        *,
        length: Amount,
        section: CrossSection,
        modes: Mapping[str, Mode],
        young: Amount,
        density: Amount,
        nodes: Mapping[str, Amount] | None = None,
        node: str | None = None,
        **options: Any,
    ) -> Self:
        """Begin an elastic beam, clamped at the origin of its body's frame, of :mod:`mbconcord.model.beams`.

        Parameters
        ----------
        name, on, node : as for :meth:`body`
        length, young, density : length (m), Young's modulus (Pa) and density (kg/m³)
        section : ``round_section(radius)``, ``tubular``, ``rectangular``
        modes : shapes by names of coordinates, which the mechanism gets: ``{"e1": bending(2, ClampedFree(1))}``
        nodes : places along the beam (m) by name, where bodies are attached
        **options : poisson, axis, damping, rotary, stiffened, load of :func:`mbconcord.model.beams.beam`
        """
        place = self._begin(name, on)
        with relocate_errors(place):
            L, E, rho = (
                formula(f"{place}/{n}", x) for n, x in (("length", length), ("young", young), ("density", density))
            )
            at = {n: formula(f"{place}/nodes/{n}", x) for n, x in (nodes or {}).items()}
            inertia, shapes = beam(L, section, modes, young=E, density=rho, nodes=at, **options)
        for coordinate in modes:
            self._coordinate(place, coordinate, 0, 0)
        self._bodies.append(Body(name, on, (), inertia, modes=shapes, parent_node=node))
        return self

    def _begin(self, name: str, on: str | None) -> str:
        """Return the place of a new body for findings; refuse a name in use, or a carrier that does not exist."""
        place = f"bodies/{name}"
        self._new(place, name, [b.name for b in self._bodies] + [p.name for p in self._points])
        if on is not None and on not in (known := [b.name for b in self._bodies]):
            raise ModelError(error(f"{place}/parent", f"there is no body {on!r} before it", among(on, known)))
        return place

    def shift(self, x: Amount = 0, y: Amount = 0, z: Amount = 0) -> Self:
        """Shift the body's frame along the axes that it has so far (m); a formula of t is a prescribed motion."""
        place = self._place("shift")
        shifts = ((name, formula(f"{place}/{name}", value)) for name, value in zip("xyz", (x, y, z), strict=True))
        return self._extend_joint(*(translation(name, value) for name, value in shifts if value))

    def shift_along(self, by: Amount, along: At) -> Self:
        """Shift the body's frame along an axis (m): ``"x"``, ``"-y"`` or three numbers."""
        place = self._place("shift_along")
        return self._extend_joint(translation(axis(place, along), formula(place, by)))

    def rotate(self, by: Amount, about: At) -> Self:
        """Turn the body's frame about an axis (rad), right-handed; a formula of t is a prescribed motion."""
        place = self._place("rotate")
        return self._extend_joint(rotation(axis(place, about), formula(place, by)))

    def slides(
        self, coordinate: str = "", along: At = "", *, start: Amount = 0, rate: Amount = 0, map: Amount | None = None
    ) -> Self:
        """Let the body slide along an axis by a coordinate (m); initial values ``start`` and ``rate`` (m/s).

        ``map`` in place of the coordinate is a smooth function of coordinates, parameters and t.
        """
        place = self._place(f"slides {coordinate or 'map'}")
        direction = axis(place, along)
        if map is not None:
            return self._extend_joint(translation(direction, self._map(place, coordinate, map)))
        return self._coordinate(place, coordinate, start, rate)._extend_joint(
            translation(direction, Variable(coordinate))
        )

    def turns(
        self, coordinate: str = "", about: At = "", *, start: Amount = 0, rate: Amount = 0, map: Amount | None = None
    ) -> Self:
        """Let the body turn about an axis by a coordinate (rad); initial values ``start`` and ``rate`` (rad/s).

        ``map`` in place of the coordinate is a smooth function of coordinates, parameters and t: ``"th2 - th1"``.
        """
        place = self._place(f"turns {coordinate or 'map'}")
        direction = axis(place, about)
        if map is not None:
            return self._extend_joint(rotation(direction, self._map(place, coordinate, map)))
        return self._coordinate(place, coordinate, start, rate)._extend_joint(rotation(direction, Variable(coordinate)))

    def flywheel(
        self,
        name: str,
        angle: Amount,
        *,
        mounting: Iterable[ElementaryTransformation] = (),
        mass: Amount = 0,
        com: Triple = (0, 0, 0),
        inertia: Sequence[Amount] | Sequence[Sequence[Amount]] = (0, 0, 0),
    ) -> Self:
        """Add a rotor to the body, rotated by ``angle`` (rad, a formula of t) about the z axis of its own frame.

        ``mounting`` leads from the body's frame to the rotor's (:func:`mbconcord.model.rotation`,
        :func:`mbconcord.model.translation`); mass, centre and tensor are in the rotor's frame. The body's own inertia
        excludes it.
        """
        place = self._place(f"flywheels/{name}")
        own = Inertia(formula(f"{place}/mass", mass), triple(f"{place}/com", com), tensor(f"{place}/inertia", inertia))
        body = self._bodies[-1]
        with relocate_errors(place):
            wheel = Flywheel(name, transformations(place, mounting), own, formula(f"{place}/angle", angle))
        self._bodies[-1] = replace(body, flywheels=(*body.flywheels, wheel))
        return self

    def fluid(self, added: Sequence[Sequence[Amount]]) -> Self:
        """Add inertia of an ideal fluid: the symmetric 6×6 matrix of (v; ω) in the body's axes, about its origin."""
        place = self._place("added_inertia")
        with relocate_errors(place):
            matrix = tuple(map(tuple, rows(place, added)))
            self._bodies[-1] = replace(self._bodies[-1], added_inertia=AddedInertia(matrix))
        return self

    def point(self, name: str, body: str, position: Triple = (0, 0, 0)) -> Self:
        """Name a point of a body, in the body's frame (m), for words of formulas and kinematic quantities."""
        place = f"points/{name}"
        self._new(place, name, [b.name for b in self._bodies] + [p.name for p in self._points])
        self._points.append(NamedPoint(name, body, triple(f"{place}/position", position)))
        return self

    def coordinate(self, name: str, *, start: Amount = 0, rate: Amount = 0) -> Self:
        """Add a coordinate that no joint has but that maps contain; initial values ``start`` and ``rate``."""
        return self._coordinate(f"coordinates/{name}", name, start, rate)

    def _map(self, place: str, coordinate: str, amount: Amount) -> Mapped:
        if coordinate:
            remedy = f"add it by coordinate({coordinate!r}), or leave it or the map out"
            raise ModelError(error(place, f"found the coordinate {coordinate!r} and a map", remedy))
        return Mapped(formula(place, amount))

    def _place(self, what: str) -> str:
        """Return the place of an element of the most recently begun body."""
        if not self._bodies:
            raise ModelError(error(what, "no body has been begun", "begin with body(name, …)"))
        return f"bodies/{self._bodies[-1].name}/{what}"

    def _extend_joint(self, *steps: ElementaryTransformation) -> Self:
        body = self._bodies[-1]
        self._bodies[-1] = replace(body, joint=(*body.joint, *steps))
        return self

    def _coordinate(self, place: str, name: str, start: Amount, rate: Amount) -> Self:
        if any(c.name == name for c in self._coordinates):
            raise ModelError(error(place, f"{name!r} is there already", f'another joint moves by map="{name}"'))
        at = f"coordinates/{name}"
        self._coordinates.append(Coordinate(name, formula(f"{at}/start", start), formula(f"{at}/rate", rate)))
        return self


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

    def function(self, name: str, arguments: str | Sequence[str], value: Amount | None = None) -> Self:
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
