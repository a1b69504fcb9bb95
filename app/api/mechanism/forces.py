"""Forces on coordinates, between points and on bodies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Self

from mbconcord.model import (
    Armature,
    Bipolar,
    Bushing,
    Effort,
    JointEffort,
    LinearLaw,
    ModelError,
    Motion,
    PointForce,
    Torsion,
    Wrench,
)
from mbconcord.model.contact import (
    COULOMB,
    Contact,
    Disc,
    Element,
    Ellipsoid,
    FrictionLaw,
    NormalLaw,
    Rolling,
    Rope,
    SolidPlane,
    Sphere,
    Stop,
)
from mbconcord.model.diagnostics import among, error
from mbconcord.model.expressions import ZERO, Expression
from mbconcord.model.force import Force, Law, six, six_rows

from .draft import Amount, At, Draft, Place, Seat, Triple, axis, formula, is_row, list_items, point, rows, seats, triple


def _rows(place: str, given: Sequence[Amount] | Sequence[Sequence[Amount]]) -> list[list[Expression]]:
    """Return a matrix from its rows; from numbers, return the diagonal matrix of these."""
    items = list_items(place, given)
    if all(map(is_row, items)):
        return rows(place, items)
    n = range(len(items))
    return [[formula(place, items[i]) if i == j else ZERO for j in n] for i in n]


@contextmanager
def _inside(place: str) -> Iterator[None]:
    """Prefix the places of errors raised inside with this place."""
    try:
        yield
    except ModelError as problem:
        found = (
            d if d.place.startswith(place) else replace(d, place=f"{place}/{d.place}") for d in problem.diagnostics
        )
        raise ModelError(found) from None


def _normal(place: str, law: str, constants: Mapping[str, Amount]) -> NormalLaw:
    """Return the law of a normal force with this name and these constants; refuse unknown constants."""
    known = [f.name for f in fields(NormalLaw) if f.name != "law"]
    with _inside(place):
        for key in constants:
            if key not in known:
                raise ModelError(error(f"normal/{key}", f"no law has a constant {key!r}", among(key, known)))
        return NormalLaw(law, **{key: formula(f"{place}/normal/{key}", x) for key, x in constants.items()})


class MechanismForces(Draft):
    """Drives and forces of a mechanism."""

    def drive(self, coordinate: str, effort: Amount | None = None, *, acceleration: Amount | None = None) -> Self:
        """Drive a coordinate by a force (N) or a torque (N m), a formula of coordinates, rates and t.

        A drive with an ``acceleration`` (m/s² or rad/s²) imposes this by the effort that it requires.
        """
        place = f"coordinates/{coordinate}/drive"
        i = self._index(place, coordinate)
        if effort is not None and acceleration is None:
            made: Effort | Motion = Effort(formula(place, effort))
        elif acceleration is not None and effort is None:
            made = Motion(formula(place, acceleration))
        else:
            raise ModelError(error(place, "found neither the one nor the other, or both", "effort, or acceleration="))
        self._coordinates[i] = replace(self._coordinates[i], drive=made)
        return self

    def effort(self, name: str, coordinate: str, effort: Amount) -> Self:
        """Add a force (N) or a torque (N m) along a coordinate to its drive: friction, a spring in a joint."""
        place = f"forces/{name}"
        self._index(place, coordinate)
        return self._force(JointEffort(name, coordinate, formula(place, effort)))

    def stop(
        self,
        name: str,
        coordinate: str | Mapping[str, Amount],
        *,
        lower: Amount | None = None,
        upper: Amount | None = None,
        law: str,
        **constants: Amount,
    ) -> Self:
        """Add stops at the ends of a coordinate's range; beyond an end by δ, a law presses the coordinate back.

        ``coordinate`` may be a sum, c by coordinate; ``law`` and its constants are those of :meth:`contact`.
        """
        place, sums = f"contacts/{name}", {} if isinstance(coordinate, str) else coordinate
        for own in sums or ([coordinate] if isinstance(coordinate, str) else []):
            self._index(place, own)
        low, high = (None if end is None else formula(place, end) for end in (lower, upper))
        made, presses = {n: formula(f"{place}/{n}", x) for n, x in sums.items()}, _normal(place, law, constants)
        alone = coordinate if isinstance(coordinate, str) else ""
        return self._element(Stop(name, alone, presses, low, high, made))

    def contact(
        self,
        name: str,
        on: Place,
        normal: At = "z",
        *,
        offset: Amount = 0,
        against: str | None = None,
        radius: Amount = 0,
        law: str,
        friction: str | None = None,
        mu: Amount | None = None,
        v_s: Amount | None = None,
        **constants: Amount,
    ) -> Self:
        """Add a contact of a point of a body, or of a sphere about it, with the plane n·x = offset of another body.

        Parameters
        ----------
        normal, offset, against : the direction out of the plane, its offset (m), and its body (None: the fixed frame)
        law : of the normal force at the depth δ of penetration. ``kelvin_voigt``: max(0, k δ + c δ') where δ > 0;
            ``hunt_crossley``: k δ^exponent max(0, 1 + d δ'), exponent 1 or 3/2; ``smooth``: k w ln(1 + exp(δ/w)),
            nowhere zero. A start within the plane is pressed out from the start. ``rigid``: δ ≤ 0, impacts with the
            restitution ``e``, in :func:`mbconcord.simulate` alone: elsewhere it is left out, and named.
        friction : ``regularised``: mu N u/√(u² + v_s²) against the slip u (m/s), which creeps; ``coulomb``, with ``mu``
            alone, of rigid contacts, which sticks; None: no friction
        **constants : constants of the law by name
        """
        place = f"contacts/{name}"
        at, given = point(place, on), {"mu": mu, "v_s": v_s}
        rubs = None
        with _inside(place):
            plane = SolidPlane(against, axis(f"{place}/second/plane/normal", normal), formula(place, offset))
            for key, value in given.items():
                if (value is None) != (friction is None) and not (key == "v_s" and friction == COULOMB):
                    said = "is missing" if value is None else "is given without a law of friction"
                    raise ModelError(error(f"friction/{key}", f"{key} {said}", "give friction, mu and v_s, or none"))
            if friction is not None:
                rubs = FrictionLaw(
                    friction, *(formula(f"{place}/{key}", x) for key, x in given.items() if x is not None)
                )
        ball = Sphere(at.body, at.position, formula(f"{place}/radius", radius))
        return self._element(Contact(name, ball, plane, _normal(place, law, constants), rubs))

    def rope(self, name: str, first: Place, second: Place, length: Amount, *, law: str, **constants: Amount) -> Self:
        """Add a rope between two points that pulls if it is stretched beyond its length (m) by δ, and never pushes.

        ``law`` and its constants are those of :meth:`contact`. A rope that is longer at the start pulls from the start.
        """
        place = f"contacts/{name}"
        ends = point(f"{place}/first", first), point(f"{place}/second", second)
        return self._element(Rope(name, *ends, formula(f"{place}/length", length), _normal(place, law, constants)))

    def rolling(
        self,
        name: str,
        on: Place,
        normal: At = "z",
        *,
        radius: Amount | None = None,
        about: At | None = None,
        tube: Amount = 0,
        half_axes: Triple | None = None,
        offset: Amount = 0,
        against: str | None = None,
        ball: Amount | None = None,
        centre: Triple = (0, 0, 0),
        inside: bool = False,
    ) -> Self:
        """Add rows by which a body rolls without slip on the plane n·x = offset of a body (None: the fixed frame).

        Parameters
        ----------
        on : the centre of what rolls: a sphere of a ``radius`` (m), a disc of a radius ``about`` an axis of its body,
            whose edge is a ``tube`` of a second radius, or an ellipsoid of ``half_axes`` along those of its body
        ball : radius of a sphere about a ``centre`` of ``against``, on which, or ``inside`` which, a sphere rolls
            instead; its tangents have no value opposite to ``normal``
        """
        place = f"contacts/{name}"
        at, up = point(place, on), axis(f"{place}/on/plane/normal", normal)
        if (radius is None) == (half_axes is None) or at.body is None:
            message = "a rolling fixed frame" if at.body is None else "found both or neither of radius and half_axes"
            raise ModelError(
                error(place, message, "name a body, and give the radius of a sphere or disc, or half axes")
            )
        size = formula(f"{place}/shape", ZERO if radius is None else radius)
        with _inside(place):
            shape: Disc | Ellipsoid = Ellipsoid((size,))
            if half_axes is not None:
                shape = Ellipsoid(triple(f"{place}/shape", half_axes))
            elif about is not None:
                shape = Disc(size, axis(f"{place}/shape/disc/axis", about), formula(f"{place}/shape", tube))
            middle = triple(f"{place}/on/at", centre)
            round_one = None if ball is None else Sphere(against, middle, formula(f"{place}/on/sphere", ball))
            made = Rolling(
                name, at.body, shape, round_one or SolidPlane(against, up, formula(place, offset)), at.position,
                inside, up,
            )  # fmt: skip
        return self._element(made)

    def spring(
        self,
        name: str,
        first: Place,
        second: Place,
        *,
        stiffness: Amount = 0,
        length: Amount = 0,
        damping: Amount = 0,
        preload: Amount = 0,
        mass: Amount = 0,
    ) -> Self:
        """Add a spring and damper: preload - stiffness (l - length) - damping l' pushes two points apart (N).

        A point is ``("body", (x, y, z))`` in the body's frame, ``"body"`` for its origin, or ``(None, (x, y, z))`` in
        the fixed frame. Half of the mass (kg) is placed on each point.
        """
        place = f"forces/{name}"
        law = LinearLaw(
            f0=formula(place, preload),
            k=formula(place, stiffness),
            l0=formula(place, length),
            d=formula(place, damping),
        )
        return self._bipolar(name, first, second, law, mass)

    def bipolar(self, name: str, first: Place, second: Place, force: Amount, *, mass: Amount = 0) -> Self:
        """Add a force (N) along the line between two points, positive apart: a formula of distance @, @' and t."""
        return self._bipolar(name, first, second, formula(f"forces/{name}", force), mass)

    def armature(self, name: str, inertia: Amount, turns_with: Mapping[str, Amount]) -> Self:
        """Add the inertia of a part that turns with coordinates, as a rotor does: ½ a (Σ c_i q_i')² along them alone.

        ``turns_with``: c by coordinate, for a rotor its gear ratio: ``{"elbow": 100}``.
        """
        place = f"armatures/{name}"
        self._new(place, name, (a.name for a in self._armatures))
        coefficients = {n: formula(f"{place}/{n}", x) for n, x in turns_with.items()}
        self._armatures.append(Armature(name, formula(place, inertia), coefficients))
        return self

    def force(self, name: str, on: Place, components: Triple, *, axes: str = "world") -> Self:
        """Apply a force at a point: components (N), formulas of coordinates, rates and t.

        ``on`` : a body (at its origin), a named point, or a pair of either and a position along the body's axes.

        ``axes`` : axes of the components: those of the ``"world"``, or of the ``"body"``, which the force follows.
        """
        place = f"forces/{name}"
        return self._force(PointForce(name, point(place, on), triple(place, components), axes))

    def wrench(
        self, name: str, on: Place, force: Triple = (0, 0, 0), moment: Triple = (0, 0, 0), *, axes: str = "world"
    ) -> Self:
        """Apply a force (N) at a point of a body, with components as for :meth:`force`, and a moment in the body's
        axes (N m).
        """
        place = f"forces/{name}"
        at = point(place, on)
        return self._force(Wrench(name, at, triple(f"{place}/force", force), triple(f"{place}/moment", moment), axes))

    def bushing(
        self,
        name: str,
        first: Seat,
        second: Seat,
        *,
        stiffness: Sequence[Amount] | Sequence[Sequence[Amount]] = (0,) * 6,
        damping: Sequence[Amount] | Sequence[Sequence[Amount]] = (0,) * 6,
        preload: Sequence[Amount] = (0,) * 6,
    ) -> Self:
        """Add a spring and damper between two frames: preload - K u - D u' on the second, in the axes of the first.

        A frame is ``"body"`` (None: the fixed frame), or a pair of it and constant transformations. K and D are six
        rows of six, or their six diagonal entries: shifts along x, y, z (N/m), turns about them (N m/rad). See
        :class:`mbconcord.model.Bushing`.
        """
        place = f"forces/{name}"
        K, D = (_rows(f"{place}/{n}", x) for n, x in (("stiffness", stiffness), ("damping", damping)))
        held = six(formula(f"{place}/preload", x) for x in list_items(f"{place}/preload", preload))
        return self._force(Bushing(name, *seats(place, first, second), six_rows(K), six_rows(D), held))

    def torsion(
        self,
        name: str,
        first: Seat,
        second: Seat,
        *,
        stiffness: Amount = 0,
        rest: Amount = 0,
        damping: Amount = 0,
        preload: Amount = 0,
    ) -> Self:
        """Add a spring and damper about an axis: preload - stiffness (@ - rest) - damping @' on the second (N m).

        The axis is the z axis of the first frame, @ the angle from its x axis to that of the second (rad): the sum of
        turns where joints keep the axis, else from -π to π. Frames are those of :meth:`bushing`. See
        :class:`mbconcord.model.Torsion`.
        """
        place = f"forces/{name}"
        f0, k, l0, d = (formula(place, x) for x in (preload, stiffness, rest, damping))
        return self._force(Torsion(name, *seats(place, first, second), LinearLaw(f0, k, l0, d)))

    def moment(self, name: str, first: Seat, second: Seat, moment: Amount) -> Self:
        """Apply a moment (N m) about the first frame's z axis to the second: a formula of the angle @, of @' and t."""
        place = f"forces/{name}"
        return self._force(Torsion(name, *seats(place, first, second), formula(place, moment)))

    def _index(self, place: str, coordinate: str) -> int:
        names = [c.name for c in self._coordinates]
        if coordinate not in names:
            raise ModelError(error(place, f"there is no coordinate {coordinate!r} so far", among(coordinate, names)))
        return names.index(coordinate)

    def _bipolar(self, name: str, first: Place, second: Place, law: Law, mass: Amount) -> Self:
        place = f"forces/{name}"
        ends = point(place, first), point(place, second)
        return self._force(Bipolar(name, *ends, law, formula(f"{place}/mass", mass)))

    def _force(self, made: Force) -> Self:
        self._new(f"forces/{made.name}", made.name, (f.name for f in (*self._forces, *self._elements)))
        self._forces.append(made)
        return self

    def _element(self, made: Element) -> Self:
        self._new(f"contacts/{made.name}", made.name, (f.name for f in (*self._forces, *self._elements)))
        self._elements.append(made)
        return self
