"""Bodies, and the joints that carry them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from mbconcord.model import (
    AddedInertia,
    Body,
    Coordinate,
    ElementaryTransformation,
    Flywheel,
    Inertia,
    Mapped,
    ModelError,
    NamedPoint,
    Variable,
    rotation,
    translation,
)
from mbconcord.model.beams import CrossSection, Mode, beam
from mbconcord.model.diagnostics import among, error

from .draft import Amount, At, Draft, Triple, axis, formula, relocate_errors, rows, tensor, transformations, triple


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
