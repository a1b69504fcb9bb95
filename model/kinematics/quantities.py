"""Kinematic quantities by name, ``velocity(hand)``, ``jacobian(hand, in=body)``, computed from motions of points.

The bracket names a body, whose frame's origin is meant, or a point of the model. A shift from there may follow, in the
body's axes (m): ``velocity(hand, [0, 0, 0.1])``. ``in`` says along whose axes the components are: of the world
(default), of the body itself (``body``), or of another one. A name in quotes is always one of the model's, with commas
and brackets as they are: ``velocity("arm, left")``.
Quantities of the whole machine have no bracket: ``kinetic_energy``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Final

from mbconcord.records import dataclass, replace

from ..constraint import Constraint, Holonomic, Nonholonomic
from ..diagnostics import Diagnostic, NumbersError, among, error
from ..expressions import ZERO, Expression, gradient, rate, substitute, symbol
from ..expressions.calculus import Substitution
from ..expressions.traversal import Nested
from ..force import Point, find_words, map_formulas
from ..system import System
from ..transformation import Vector, vector
from .machine import MACHINE, Jacobian, PointMotion, along, express_machine, machine_obstacles, mass_point

_XYZ: Final = ("x", "y", "z")
_SIX: Final = ("vx", "vy", "vz", "wx", "wy", "wz")
#: Kind -> names of the entries, axis by axis; None: the coordinates.
KINDS: Final[Mapping[str, tuple[tuple[str, ...] | None, ...]]] = {
    "pose": (_XYZ, ("ex", "ey", "ez", "r")),
    "position": (_XYZ,),
    "velocity": (_XYZ,),
    "angular_velocity": (_XYZ,),
    "acceleration": (_XYZ,),
    "angular_acceleration": (_XYZ,),
    "jacobian": (_SIX, None),
    "drift": (_SIX,),
}
#: Kinds that depend on q''.
ACCELERATED: Final = ("acceleration", "angular_acceleration")
WORLD: Final = "world"
OWN: Final = "body"
_FORM: Final = re.compile(r"\s*(\w+)\s*\((.*)\)\s*")
#: A name in quotes, or what may divide words.
_MARK: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[()\[\],]')
_POINT: Final = re.compile(r"\[([^\[\]]*)\]")
_ORIGIN: Final[Vector] = (ZERO, ZERO, ZERO)

#: Motions of points by a formalism, in their order.
Motions = Callable[[Sequence[Point]], Sequence[PointMotion]]


def jacobian_of(
    names: Sequence[str], linear: Mapping[str, Sequence[Expression]], angular: Mapping[str, Sequence[Expression]]
) -> Jacobian:
    """Return the six rows of J from its linear and angular columns by coordinate; missing columns are zero."""
    none = (ZERO, ZERO, ZERO)
    return tuple(tuple(part.get(name, none)[i] for name in names) for part in (linear, angular) for i in range(3))


@dataclass(frozen=True)
class KinematicQuantity:
    """A kinematic quantity of a body's frame moved to a point of the body, along axes of the world (None) or a body.

    A quantity of the whole machine has ``body`` None.
    """

    kind: str
    body: str | None = None
    along: str | None = None
    position: Vector = _ORIGIN

    @property
    def point(self) -> Point:
        """Point of the body at which the frame of the quantity has its origin."""
        return Point(self.body, self.position)

    def indices(self, system: System) -> tuple[tuple[str, ...], ...]:
        """Name the entries of the quantity, axis by axis."""
        axes = MACHINE[self.kind] if self.is_of_machine else KINDS[self.kind]
        return tuple(system.coordinate_names if axis is None else axis for axis in axes)

    def entries(self, system: System) -> list[tuple[str, ...]]:
        """Name all entries of the quantity, row by row."""
        return list(product(*self.indices(system)))

    @property
    def is_of_machine(self) -> bool:
        """True if it is a quantity of the whole machine."""
        return self.body is None

    @property
    def is_accelerated(self) -> bool:
        """True if the quantity depends on q''."""
        return self.kind in ACCELERATED

    def express(self, names: Sequence[str], at: PointMotion, axes: PointMotion | None) -> Nested:
        """Express the quantity by ``at``, the motion of its frame, along the axes of ``axes`` (None: of the world)."""

        def turn(v: Vector) -> Vector:
            return v if axes is None else along(axes.R, v)

        if self.kind == "pose":
            columns = [turn((x, y, z)) for x, y, z in (*zip(*at.R, strict=True), at.r)]
            return tuple(zip(*columns, strict=True))
        if self.kind == "jacobian":
            halves = [[turn((x, y, z)) for x, y, z in zip(*half, strict=True)] for half in (at.J[:3], at.J[3:])]
            return tuple(tuple(column[i] for column in half) for half in halves for i in range(3))
        if self.kind == "drift":
            return (*turn(at.a0), *turn(at.e0))
        if self.is_accelerated:
            rows, rest = (at.J[:3], at.a0) if self.kind == "acceleration" else (at.J[3:], at.e0)
            a = [rate(name, 2) for name in names]
            x, y, z = (sum((d * e for d, e in zip(row, a, strict=True)), c) for row, c in zip(rows, rest, strict=True))
            return turn((x, y, z))
        return turn({"position": at.r, "velocity": at.v, "angular_velocity": at.w}[self.kind])


def list_kinematics(names: Iterable[str]) -> list[str]:
    """List the names that have the form of kinematic quantities: with a bracket, or a quantity of the machine."""
    return [name for name in names if name in MACHINE or _FORM.fullmatch(name)]


def read_kinematics(system: System, names: Iterable[str], place: str = "quantities") -> dict[str, KinematicQuantity]:
    """Return the kinematic quantities among names, by name.

    Raises
    ------
    NumbersError
        A kind or a body is unknown: all findings, with similar known names.
    """
    found, findings = dict[str, KinematicQuantity](), list[Diagnostic]()
    for name in list_kinematics(names):
        try:
            found[name] = _read_one(system, name, f"{place}/{name}")
        except NumbersError as problem:
            findings += problem.diagnostics
    if findings:
        raise NumbersError(findings)
    return found


def _read_one(system: System, name: str, where: str) -> KinematicQuantity:
    if name in MACHINE:
        if missed := machine_obstacles(system, name, where):
            raise NumbersError(missed)
        return KinematicQuantity(name)
    match = _FORM.fullmatch(name)
    assert match
    kind, (first, *more) = match[1], split_words(match[2])
    place, _ = _unquote(first)
    places, along, offset, findings = system.places, None, _ORIGIN, []
    start = places.get(place, Point(place))
    body = start.body or ""
    if kind in MACHINE:
        about = f"{kind}({''.join(match[2].split())})"
        if about in MACHINE:
            return _read_one(system, about, where)
        forms = [x for x in MACHINE if x.startswith(kind)]
        raise NumbersError(error(where, "it is of the whole machine", f"write {' or '.join(forms)}"))
    if kind not in KINDS:
        raise NumbersError(error(where, f"there is no quantity {kind!r} of a body", among(kind, [*KINDS, *MACHINE])))
    if place not in places:
        findings.append(error(where, f"there is no body or point {place!r}", among(place, places)))
    for word in more:
        option, is_given, value = (part.strip() for part in word.partition("="))
        if is_given and option == "in":
            along, is_quoted = _unquote(value)
            if is_quoted or along not in (WORLD, OWN):
                if along not in places:
                    bare = f"write in={along} without quotes" if along in (WORLD, OWN) else ""
                    remedy = bare or among(along, [WORLD, OWN, *places])
                    findings.append(error(where, f"there is no body or point {along!r}", remedy))
                else:
                    along = places[along].body
            elif along in places and not _means_one(system, along, body):
                own = f"in={first} for those of {place!r}"
                instead = "leave it out for those of the world" if along == WORLD else own
                message = f"in={along} may mean the body {along!r} too"
                findings.append(error(where, message, f'write in="{along}" for the axes of that body, {instead}'))
            else:
                along = None if along == WORLD else body
        elif is_given:
            findings.append(error(where, f"there is no option {option!r}", among(option, ["in"])))
        else:
            try:
                numbers = [Fraction(part) for part in _POINT.fullmatch(word)[1].split(",")]  # type: ignore[index]
                _, _, _ = map(float, numbers)  # none is beyond the range of floats
                offset = vector(numbers)
            except (TypeError, ValueError, ZeroDivisionError, OverflowError):
                findings.append(error(where, f"{word!r} is no point", "write [x, y, z], in m along the body's axes"))
    position = vector(x + dx for x, dx in zip(start.position, offset, strict=True))
    if position != _ORIGIN and any(x.modes for x in system.bodies if x.name == body):
        message = f"of {body!r}, an elastic body, points besides the origin are not known"
        findings.append(error(where, message, "hang a body without mass at a node, and ask for its frame"))
    if findings:
        raise NumbersError(findings)
    return KinematicQuantity(kind, body, along, position)


def _means_one(system: System, along: str, body: str) -> bool:
    """Return False if a word of ``in=`` is also the name of another body, with other axes, and so has two meanings."""
    named = system.body(f"{system.places[along].body}")
    return named.name == body if along == OWN else not (named.parent or named.joint)


def split_words(text: str) -> Iterator[str]:
    """Divide a text at the commas outside quotes and brackets, and strip its words."""
    start = depth = 0
    for mark in _MARK.finditer(text):
        if mark[0] == "," and not depth:
            yield text[start : mark.start()].strip()
            start = mark.end()
        depth = max(depth + (mark[0] in "([") - (mark[0] in ")]"), 0)
    yield text[start:].strip()


def _unquote(word: str) -> tuple[str, bool]:
    """Read a name, in quotes or without; return it, and True if it was in quotes."""
    try:
        name = json.loads(word) if word.startswith('"') else None
    except ValueError:
        name = None
    return (name, True) if isinstance(name, str) else (word, False)


def express_kinematics(system: System, motions: Motions, wanted: Mapping[str, KinematicQuantity]) -> dict[str, Nested]:
    """Express kinematic quantities over q, q', q'' and t, by a formalism's own motions of points."""
    of_bodies = {name: x for name, x in wanted.items() if not x.is_of_machine}
    points = [p for x in of_bodies.values() for p in (x.point, Point(x.along or x.body))]
    tree = system.open_loops()
    if len(of_bodies) < len(wanted):
        points += map(mass_point, tree.bodies)
    points = list(dict.fromkeys(points))
    at, names = dict(zip(points, motions(points), strict=True)), system.coordinate_names
    return {
        name: express_machine(tree, x.kind, at) if x.is_of_machine
        else x.express(names, at[x.point], at[Point(x.along)] if x.along else None)
        for name, x in wanted.items()
    }  # fmt: skip


def put_in_words(system: System, motions: Callable[[System, Sequence[Point]], Sequence[PointMotion] | None]) -> System:
    """Replace the kinematic words in a system's formulas by motions of points, derived without forces and drives."""
    places = find_words(system.coordinates, system.forces, system.points, system.constraints)
    if not places:
        return system
    points = list(dict.fromkeys([p for point, axes in places.values() for p in (point, Point(axes)) if p.body]))
    still = tuple(replace(c, drive=None) for c in system.coordinates)
    bare = replace(system, coordinates=still, forces=(), constraints=())
    at = dict(zip(points, motions(bare, points) or (), strict=True))
    put: dict[Expression, Expression] = {}
    for word, (point, axes) in places.items():
        vector = getattr(at[point], word.kind)
        put[symbol(str(word))] = word.express(along(at[Point(axes)].R, vector) if axes else vector)
    return replace_words(system, put)


def replace_words(system: System, put: Mapping[Expression, Expression]) -> System:
    """Replace the kinematic words in a system's formulas by expressions of q, q' and t."""
    made = Substitution(put)
    coordinates, forces = map_formulas(system.coordinates, system.forces, lambda x, _: made.apply([x])[0])
    return replace(system, coordinates=coordinates, forces=forces, constraints=put_in_rows(system, made))


def put_in_rows(system: System, made: Substitution) -> tuple[Constraint, ...]:
    """Return the constraints with words of rolling bodies replaced: slip velocities become coefficients of rates."""
    rates, found = [rate(name) for name in system.coordinate_names], list[Constraint]()
    for c in system.constraints:
        if isinstance(c, Holonomic) and c.element is not None:
            c = replace(c, expression=made.apply([c.expression])[0])
        elif isinstance(c, Nonholonomic) and c.element is not None and not c.coefficients:
            (slip,) = made.apply([c.rest])
            slopes = dict(zip(system.coordinate_names, gradient(slip, rates), strict=True))
            rest = substitute([slip], dict.fromkeys(rates, ZERO))[0]
            c = replace(c, coefficients={name: x for name, x in slopes.items() if x is not ZERO}, rest=rest)
        found.append(c)
    return tuple(found)
