"""Forces on coordinates, between points and on bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from mbconcord.model.diagnostics import among, error
from mbconcord.model.expressions import ZERO, Expression, rate, symbol
from mbconcord.model.force import NORMAL_LAWS, Force, Law, press, six, six_rows

from .draft import Amount, Draft, Place, Seat, Triple, formula, is_row, list_items, point, rows, seats, triple


def _rows(place: str, given: Sequence[Amount] | Sequence[Sequence[Amount]]) -> list[list[Expression]]:
    """Return six rows; six numbers form a diagonal."""
    items = list_items(place, given)
    if all(map(is_row, items)):
        return rows(place, items)
    n = range(len(items))
    return [[formula(place, items[i]) if i == j else ZERO for j in n] for i in n]


class MechanismForces(Draft):
    """Drives and forces of a mechanism."""

    def drive(self, coordinate: str, effort: Amount | None = None, *, acceleration: Amount | None = None) -> Self:
        """Drive a coordinate by a force (N) or a torque (N m), a formula of coordinates, rates and t.

        A drive with an ``acceleration`` (m/s² or rad/s²) imposes it, by the effort that it needs.
        """
        place = f"coordinates/{coordinate}/drive"
        i = self._index(place, coordinate)
        if (effort is None) == (acceleration is None):
            raise ModelError(error(place, "found neither the one nor the other, or both", "effort, or acceleration="))
        made = Effort(formula(place, effort)) if acceleration is None else Motion(formula(place, acceleration))
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
        coordinate: str,
        *,
        lower: Amount | None = None,
        upper: Amount | None = None,
        law: str,
        k: Amount,
        c: Amount = 0,
        d: Amount = 0,
    ) -> Self:
        """Add a stop at the ends of a coordinate's range, which presses it back by a law where it is passed by δ.

        ``kelvin_voigt``: max(0, k δ + c δ'); ``hunt_crossley``: max(0, k δ (1 + d δ')).
        """
        place = f"forces/{name}"
        self._index(place, coordinate)
        if law not in NORMAL_LAWS:
            raise ModelError(error(f"{place}/law", f"there is no law {law!r}", among(law, NORMAL_LAWS)))
        own = {"k": formula(place, k), "c": formula(place, c), "d": formula(place, d)}
        for key, value in own.items():
            if key not in ("k", NORMAL_LAWS[law]) and value is not ZERO:
                raise ModelError(error(f"{place}/{key}", f"{law} has no {key}", f"it has k and {NORMAL_LAWS[law]}"))
            if value.op == "num" and (value.value < 0 or (key == "k" and not value.value)):
                need = "positive" if key == "k" else "not negative"
                raise ModelError(error(f"{place}/{key}", f"found {value}, expected a number that is {need}", ""))
        low, high = (None if end is None else formula(place, end) for end in (lower, upper))
        if low is None and high is None:
            raise ModelError(error(place, "the stop has no end", "give lower, upper or both"))
        if low is not None and high is not None and low.op == high.op == "num" and low.value >= high.value:
            raise ModelError(error(place, f"the lower end {low} is not below the upper end {high}", "exchange them"))
        x, v, made = symbol(coordinate), rate(coordinate), ZERO
        for end, side in ((low, 1), (high, -1)):
            if end is not None:
                made += side * press(law, side * (end - x), -side * v, own["k"], own[NORMAL_LAWS[law]])
        return self._force(JointEffort(name, coordinate, made))

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

        ``on``: a body, whose origin is meant, a named point, or a pair of either and a position along the body's axes.

        ``axes``: the components are in those of the ``"world"``, or of the ``"body"``, which the force follows.
        """
        place = f"forces/{name}"
        return self._force(PointForce(name, point(place, on), triple(place, components), axes))

    def wrench(
        self, name: str, on: Place, force: Triple = (0, 0, 0), moment: Triple = (0, 0, 0), *, axes: str = "world"
    ) -> Self:
        """Apply a force at a point of a body (N), its components as :meth:`force` takes them, and a moment in the
        body's axes (N m).
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
        self._new(f"forces/{made.name}", made.name, (f.name for f in self._forces))
        self._forces.append(made)
        return self
