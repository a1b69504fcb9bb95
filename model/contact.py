"""Contacts, ropes and stops with declared laws, which become forces, and rolling bodies, which become constraint rows.

δ is the depth by which a part is inside another, a rope exceeds its length or a coordinate is past its stop (m, rad).
An element with δ > 0 at the start presses or pulls from the start. :data:`LAWS` lists the laws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from mbconcord.records import dataclass, field, replace

from .constraint import Constraint, Holonomic, Nonholonomic
from .diagnostics import ModelError, among, error
from .expressions import (
    ONE,
    ZERO,
    Expression,
    apply,
    as_expression,
    derivative,
    evaluate_float,
    number,
    rate,
    sqrt,
    symbol,
    symbols,
)
from .expressions.functions import choose
from .force import (
    HERE,
    LENGTH,
    LENGTH_RATE,
    Bipolar,
    Force,
    JointEffort,
    KinematicWord,
    NamedPoint,
    Point,
    PointForce,
    Wrench,
)
from .omission import RIGID_ELEMENT, STOP, Omission
from .transformation import Vector, unit_vector, vector

if TYPE_CHECKING:
    from .system import System

#: Law of what presses two parts apart -> its constants; k is the stiffness.
LAWS: Final = {
    "kelvin_voigt": ("k", "c"),
    "hunt_crossley": ("k", "d", "exponent"),
    "smooth": ("k", "w"),
    "rigid": ("e",),
}
RIGID, COULOMB = "rigid", "coulomb"
#: Law of friction that no formula of position and velocity says -> what it needs.
SET_VALUED: Final = {"bristle": "a state of its own, which no model here has"}
AXES: Final = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


#: Place of a number in an element, the number, and "positive" or "not negative", which it is to be.
Number: TypeAlias = tuple[str, Expression, str]


def _require(numbers: Iterable[Number], before: str = "") -> None:
    """Raise ModelError if a number is negative, or is zero although it must be positive."""
    for place, value, least in numbers:
        if value.op == "num" and (value.value < 0 or (least == "positive" and not value.value)):
            raise ModelError(error(f"{before}{place}", f"found {value}, expected a number that is {least}", ""))


@dataclass(frozen=True, slots=True)
class NormalLaw:
    """Law of a normal force (N; N m along an angle) over the depth δ of penetration and its rate; it never pulls.

    ``kelvin_voigt``: max(0, k δ + c δ') where δ > 0, which jumps by c δ' when parts meet; ``hunt_crossley``:
    k δ^exponent max(0, 1 + d δ') where δ > 0, exponent 1 or 3/2 (Hertz);
    ``smooth``: k w ln(1 + exp(δ/w)), nowhere zero; ``rigid``: δ ≤ 0, by impulses that turn the rate δ' into -e δ' and
    by forces that no formula says: only a motion in time has them (:func:`omit_rigid`).
    """

    law: str
    k: Expression = ZERO
    c: Expression = ZERO
    d: Expression = ZERO
    w: Expression = ZERO
    exponent: Expression = ONE
    e: Expression = ZERO

    def __post_init__(self) -> None:
        for name in ("k", "c", "d", "w", "exponent", "e"):
            object.__setattr__(self, name, as_expression(getattr(self, name)))
        if self.e.op == "num" and not 0 <= self.e.value <= 1:
            raise ModelError(error("normal/e", f"found the restitution {self.e}, expected one from 0 to 1", ""))
        if self.law not in LAWS:
            raise ModelError(error("normal/law", f"there is no law {self.law!r}", among(self.law, LAWS)))
        own = LAWS[self.law]
        for name, default in (("k", ZERO), ("c", ZERO), ("d", ZERO), ("w", ZERO), ("exponent", ONE), ("e", ZERO)):
            if name not in own and getattr(self, name) is not default:
                raise ModelError(error(f"normal/{name}", f"{self.law} has no {name}", f"it has {' and '.join(own)}"))
        _require(self.numbers())
        if self.exponent not in (ONE, number(Fraction(3, 2))):
            raise ModelError(error("normal/exponent", f"found {self.exponent}, expected 1 or 3/2", ""))

    def numbers(self) -> Iterator[Number]:
        """Yield each constant of the normal law: its place, its value and the sign that it must have."""
        for name in LAWS[self.law]:
            yield f"normal/{name}", getattr(self, name), "positive" if name in ("k", "w") else "not negative"

    def describe(self) -> str:
        """Return the law and its constants in words."""
        return ", ".join([self.law, *(f"{name} = {getattr(self, name)}" for name in LAWS[self.law])])

    def side(self, depth: Expression, rate: Expression) -> Expression | None:
        """Return a formula that is positive where the force acts; None if the law acts everywhere."""
        if self.law in ("smooth", RIGID):
            return None
        more = depth + self.c / self.k * rate if self.law == "kelvin_voigt" else ONE + self.d * rate
        return depth if more in (depth, ONE) else apply("min", depth, more)

    def force(self, depth: Expression, rate: Expression) -> Expression:
        """Return the force as a formula of the depth and its rate; zero of a rigid law, which has none."""
        if self.law == RIGID:
            return ZERO
        within = apply("max", ZERO, depth)
        if self.law == "kelvin_voigt":
            return choose(depth, ">", ZERO, apply("max", ZERO, self.k * depth + self.c * rate), ZERO)
        if self.law == "smooth":  # ln(1 + exp x) = max(0, x) + ln(1 + exp(-|x|)), which no depth overflows
            rounded = apply("log", ONE + apply("exp", -apply("abs", depth) / self.w))
            return self.k * (within + self.w * rounded)
        if self.exponent is not ONE:  # its slope is 0 where parts are apart, which that of a root of 0 is not
            within *= sqrt(apply("abs", depth))
        return self.k * within * apply("max", ZERO, ONE + self.d * rate)


@dataclass(frozen=True, slots=True)
class FrictionLaw:
    """Law of friction under a normal force N at the slip velocity u (m/s).

    ``regularised``: force -mu N u/√(u² + v_s²), which creeps instead of sticking: a block on an incline slides at about
    v_s tan(incline)/mu. ``coulomb``, of rigid contacts: it sticks up to mu N, and slips under mu N against u.
    """

    law: str
    mu: Expression
    v_s: Expression = ZERO

    def __post_init__(self) -> None:
        for name in ("mu", "v_s"):
            object.__setattr__(self, name, as_expression(getattr(self, name)))
        _require([("friction/mu", self.mu, "not negative")])
        if self.law in SET_VALUED:
            needs = f"the law {self.law!r} needs {SET_VALUED[self.law]}"
            raise ModelError(error("friction/law", needs, "'regularised' with mu and v_s creeps instead of sticking"))
        if self.law not in ("regularised", COULOMB):
            known = among(self.law, ["regularised", COULOMB])
            raise ModelError(error("friction/law", f"there is no law {self.law!r}", known))
        if self.law == COULOMB and self.v_s is not ZERO:
            raise ModelError(error("friction/v_s", "coulomb has no v_s", "leave it out"))
        _require(self.numbers())

    def numbers(self) -> Iterator[Number]:
        """Yield each constant of the friction law: its place, its value and the sign that it must have."""
        yield "friction/mu", self.mu, "not negative"
        if self.law != COULOMB:
            yield "friction/v_s", self.v_s, "positive"


@dataclass(frozen=True, slots=True)
class Sphere(Point):
    """A sphere about a point of a body; of radius 0 the point itself (m)."""

    radius: Expression = ZERO

    def __post_init__(self) -> None:
        Point.__post_init__(self)
        object.__setattr__(self, "radius", as_expression(self.radius))


@dataclass(frozen=True, slots=True)
class SolidPlane:
    """The plane n·x = offset in the frame of a body (None: the fixed one); solid is the side against its normal."""

    body: str | None
    normal: Vector
    offset: Expression = ZERO

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit_vector(self.normal))
        object.__setattr__(self, "offset", as_expression(self.offset))


@dataclass(frozen=True, slots=True)
class Contact:
    """A point or sphere against a plane: normal force and friction act on its body, their opposites on the plane."""

    name: str
    first: Sphere
    second: SolidPlane
    normal: NormalLaw
    friction: FrictionLaw | None = None

    def __post_init__(self) -> None:
        _require(self.numbers(), f"contacts/{self.name}/")
        if self.first.body is None or self.first.body == self.second.body:
            message = "a contact of the fixed frame" if self.first.body is None else "a body that touches itself"
            remedy = "name a body in 'first', and another or null in 'second'"
            raise ModelError(error(f"contacts/{self.name}/first", message, remedy))
        if self.friction is not None and (self.normal.law == RIGID) != (self.friction.law == COULOMB):
            message = f"friction {self.friction.law} under the normal law {self.normal.law}"
            remedy = "coulomb is for rigid contacts, regularised with mu and v_s for others"
            raise ModelError(error(f"contacts/{self.name}/friction", message, remedy))

    def numbers(self) -> Iterator[Number]:
        """Yield each number of the contact: its place, its value and the sign that it must have."""
        yield "first/radius", self.first.radius, "not negative"
        yield from self.normal.numbers()
        yield from self.friction.numbers() if self.friction else ()

    def _words(self, words: str, place: str, along: str | None = None) -> Vector:
        """Return symbols for the components of the position (p), velocity (v) or angular velocity (w) of a place."""
        return _words(words, place, along, self.name if place == HERE else None)

    def side(self) -> Expression | None:
        """Return a formula of kinematic words, positive where the contact presses; None if it presses everywhere."""
        *_, depth, approach = self._approach(None)
        return self.normal.side(depth, approach)

    def _approach(self, along: str | None) -> tuple[Vector, Vector, Vector, Expression, Expression]:
        """Return n, the arm from the plane's body to the centre, the centre's velocity against that body, δ and δ'."""
        other, r, here = self.second.body, self.first.radius, HERE
        n, d, u = self.second.normal, self._words("p", here, along), self._words("v", here, along)
        if other is not None:
            here = f"{self.name}.point"
            zero, w = self._words("p", other, along), self._words("w", other, along)
            d = _minus(self._words("p", here, along), zero)
            u = _minus(_minus(self._words("v", here, along), self._words("v", other, along)), _cross(w, d))
        if along != other:
            n = _minus(self._words("p", f"{self.name}.normal", along), zero)
        return n, d, u, r + self.second.offset - _dot(n, d), -_dot(n, u)

    def _press(self, along: str | None) -> tuple[Vector, Vector, Vector, Vector]:
        """Return n, the arm from the plane's body to the place of contact, the whole force, and its part by friction.

        Components are along the axes of the body ``along``, or of the world if that is None.
        """
        other, r = self.second.body, self.first.radius
        n, d, u, depth, approach = self._approach(along)
        N = self.normal.force(depth, approach)
        arm = _minus(d, _times(r, n))
        if self.friction is None or self.normal.law == RIGID:
            return n, arm, _times(N, n), (ZERO, ZERO, ZERO)
        if r is not ZERO:
            spin = self._words("w", str(self.first.body), along)
            spin = spin if other is None else _minus(spin, self._words("w", other, along))
            u = _minus(u, _cross(spin, _times(r, n)))
        slip = _minus(u, _times(_dot(u, n), n))
        size = sqrt(_dot(slip, slip) + self.friction.v_s * self.friction.v_s)
        rubs = _times(-self.friction.mu * N / size, slip)
        return n, arm, _plus(_times(N, n), rubs), rubs

    def describe(self) -> str:
        """Return its geometry and its law in words."""
        a, b = self.first, self.second
        at, n = (f"({', '.join(map(str, x))})" for x in (a.position, b.normal))
        plane = f"plane {n} x = {b.offset} of {b.body or 'the fixed frame'}"
        rubs = f", friction {self.friction.law}, mu = {self.friction.mu}" if self.friction else ""
        return f"sphere of {a.radius} at {at} of {a.body} on {plane}, {self.normal.describe()}{rubs}"

    def points(self) -> Iterator[NamedPoint]:
        """Yield the points that its formulas name: its centre, the tips of the plane's normal and the body's axes."""
        if self.normal.law == RIGID:
            return
        of, other = f"{self.first.body}", self.second.body
        if other is not None:
            yield NamedPoint(f"{self.name}.point", of, self.first.position, element=self)
            yield NamedPoint(f"{self.name}.normal", other, self.second.normal, element=self)
        for axis, unit in zip("xyz", AXES, strict=True) if self._turns else ():
            yield NamedPoint(f"{self.name}.{axis}", of, unit, element=self)

    @property
    def _turns(self) -> bool:
        """True if friction has a moment about the centre of a sphere."""
        return self.friction is not None and self.normal.law != RIGID and self.first.radius is not ZERO

    def forces(self) -> Iterator[Force]:
        """Yield the force on the body, and the opposite force on the plane's body, if the plane has one."""
        at = Point(self.first.body, self.first.position)
        n, _, whole, rubs = self._press(None)
        if self._turns:
            moment, origin = _cross(_times(-self.first.radius, n), rubs), self._words("p", f"{at.body}")
            axes = (_minus(self._words("p", f"{self.name}.{axis}"), origin) for axis in "xyz")
            yield Wrench(self.name, at, whole, vector(_dot(moment, x) for x in axes), element=self)
        else:
            yield PointForce(self.name, at, whole, element=self)
        if (other := self.second.body) is not None:
            _, arm, whole, _ = self._press(other)
            back = _times(-ONE, whole)
            yield Wrench(f"{self.name}.plane", Point(other), back, _cross(arm, back), "body", element=self)


@dataclass(frozen=True, slots=True)
class Rope:
    """A rope between two points that pulls when they are farther apart than its length (m), and never pushes."""

    name: str
    first: Point
    second: Point
    length: Expression
    normal: NormalLaw

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", as_expression(self.length))
        _require(self.numbers(), f"contacts/{self.name}/")
        if self.first.body == self.second.body:
            message = "both ends of the rope are on one body"
            raise ModelError(
                error(f"contacts/{self.name}/second", message, "name another body, or null for the ground")
            )

    def numbers(self) -> Iterator[Number]:
        """Yield each number of the rope: its place, its value and the sign that it must have."""
        yield "length", self.length, "positive"
        yield from self.normal.numbers()

    def describe(self) -> str:
        """Return its ends, its length and its law in words."""
        ends = (
            f"({', '.join(map(str, x.position))}) of {x.body or 'the fixed frame'}" for x in (self.first, self.second)
        )
        return f"rope of {self.length} from {' to '.join(ends)}, {self.normal.describe()}"

    def points(self) -> Iterator[NamedPoint]:
        """Yield no points: the rope's formula needs only the distance between its ends."""
        yield from ()

    def side(self) -> Expression | None:
        """Return a formula of the distance between the ends that is positive where the rope pulls."""
        return self.normal.side(LENGTH - self.length, LENGTH_RATE)

    def forces(self) -> Iterator[Force]:
        """Yield the force along the line between its ends."""
        pull = self.normal.force(LENGTH - self.length, LENGTH_RATE)
        yield Bipolar(self.name, self.first, self.second, -pull, element=self)


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop at the ends of a coordinate's range: a force presses the coordinate back when it is past an end.

    Instead of a coordinate it may stop a sum of coordinates times constant ``coefficients``, as a tendon does.
    """

    name: str
    coordinate: str = ""
    normal: NormalLaw = field(default_factory=lambda: NormalLaw(RIGID))
    lower: Expression | None = None
    upper: Expression | None = None
    coefficients: Mapping[str, Expression] = field(default_factory=dict)

    def __post_init__(self) -> None:
        low, high = self.lower, self.upper
        place = f"contacts/{self.name}"
        object.__setattr__(self, "coefficients", {k: as_expression(c) for k, c in sorted(self.coefficients.items())})
        if bool(self.coordinate) == bool(self.coefficients):
            found = "both a coordinate and coefficients" if self.coordinate else "neither coordinate nor coefficients"
            raise ModelError(error(place, f"the stop has {found}", "give one of them"))
        if low is None and high is None:
            raise ModelError(error(place, "the stop has no end", "give lower, upper or both"))
        if low is not None and high is not None and low.op == high.op == "num" and low.value >= high.value:
            raise ModelError(error(place, f"the lower end {low} is not below the upper end {high}", "exchange them"))

    def __hash__(self) -> int:
        return hash((self.name, self.coordinate, self.normal, self.lower, self.upper, *self.coefficients.items()))

    @property
    def along(self) -> Mapping[str, Expression]:
        """The coefficient of each coordinate in the sum that is stopped."""
        return self.coefficients or {self.coordinate: ONE}

    def numbers(self) -> Iterator[Number]:
        """Yield each number of the stop, and the length of its range: place, value and the sign that it must have."""
        yield from self.normal.numbers()
        if self.lower is not None and self.upper is not None:
            yield "upper - lower", self.upper - self.lower, "positive"

    def describe(self) -> str:
        """Return its ends and its law in words."""
        ends = [f"{side} {x}" for side, x in (("from", self.lower), ("to", self.upper)) if x is not None]
        return f"{self._sum(symbol)} {' '.join(ends)}, {self.normal.describe()}"

    def points(self) -> Iterator[NamedPoint]:
        """Yield no points: the stop's formula needs only its coordinates."""
        yield from ()

    def forces(self) -> Iterator[Force]:
        """Yield the force along each coordinate."""
        made = sum((side * self.normal.force(depth, rate) for side, depth, rate in self._ends()), ZERO)
        for coordinate, c in self.along.items():
            name = self.name if self.coordinate else f"{self.name}.{coordinate}"
            yield JointEffort(name, coordinate, c * made, element=self)

    def side(self) -> Expression | None:
        """Return a formula of the coordinate that is positive where the stop presses."""
        found = [x for _, depth, rate in self._ends() if (x := self.normal.side(depth, rate)) is not None]
        return apply("max", *found) if len(found) > 1 else next(iter(found), None)

    def depths(self) -> Iterator[Expression]:
        """Yield how far the coordinate is past each end."""
        yield from (depth for _, depth, _ in self._ends())

    def _ends(self) -> Iterator[tuple[int, Expression, Expression]]:
        """Yield for each end the sign of its force, the coordinate's depth beyond it, and the rate of that depth."""
        x, v = self._sum(symbol), self._sum(rate)
        for end, side in ((self.lower, 1), (self.upper, -1)):
            if end is not None:
                yield side, side * (end - x), -side * v

    def _sum(self, of: Callable[[str], Expression]) -> Expression:
        return sum((c * of(name) for name, c in self.along.items()), ZERO)


@dataclass(frozen=True, slots=True)
class Disc:
    """A disc of a radius about an axis of its body, whose edge is a tube of a second radius (m; 0: sharp)."""

    radius: Expression
    axis: Vector
    tube: Expression = ZERO

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_expression(self.radius))
        object.__setattr__(self, "axis", unit_vector(self.axis))
        object.__setattr__(self, "tube", as_expression(self.tube))

    def numbers(self) -> Iterator[Number]:
        """Yield the radii: place, value and the sign that each must have."""
        yield "shape/disc/radius", self.radius, "positive"
        yield "shape/disc/tube", self.tube, "not negative"

    def tips(self) -> dict[str, Vector]:
        """Return the directions of the body that its formulas need."""
        return {"axis": self.axis}

    def reach(self, e: Vector, tips: Mapping[str, Vector]) -> tuple[Expression, Vector]:
        """Return how far it reaches from its centre against e, and the arm from the centre to the place of contact."""
        n = tips["axis"]
        u = _dot(e, n)
        s = sqrt(ONE - u * u)
        arm = _minus(_times(self.radius / s, _minus(_times(u, n), e)), _times(self.tube, e))
        return self.radius * s + self.tube, arm


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """An ellipsoid of three half axes along the axes of its body (m); of one half axis a sphere."""

    axes: tuple[Expression, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", tuple(map(as_expression, self.axes)))

    def numbers(self) -> Iterator[Number]:
        """Yield the half axes: place, value and the sign that each must have."""
        kind = "sphere" if len(self.axes) == 1 else "ellipsoid"
        yield from ((f"shape/{kind}", x, "positive") for x in self.axes)

    def tips(self) -> dict[str, Vector]:
        """Return the directions of the body that its formulas need."""
        return dict(zip("xyz", AXES, strict=True)) if len(self.axes) == 3 else {}

    def reach(self, e: Vector, tips: Mapping[str, Vector]) -> tuple[Expression, Vector]:
        """Return how far it reaches from its centre against e, and the arm from the centre to the place of contact."""
        if len(self.axes) == 1:
            return self.axes[0], _times(-self.axes[0], e)
        sides = [a * a * _dot(tips[k], e) for k, a in zip("xyz", self.axes, strict=True)]
        size = sqrt(sum((x * _dot(tips[k], e) for k, x in zip("xyz", sides, strict=True)), ZERO))
        arm = vector(-sum((x * tips[k][i] for k, x in zip("xyz", sides, strict=True)), ZERO) / size for i in range(3))
        return size, arm


@dataclass(frozen=True, slots=True)
class Rolling:
    """A body that rolls without slip on a plane or a sphere: a row of positions (m) and two rows of rates (m/s).

    With e the unit normal that points to the body, C its centre and ρ the arm from there to the place of contact, the
    rows are the gap e·C - offset - reach = 0 and t·(v + ω x ρ) = 0 along two tangents t, seen from what it rolls on.
    On a sphere the tangents turn with e from those at ``pole``, and have no value where e is opposite to it.
    """

    name: str
    body: str
    shape: Disc | Ellipsoid
    on: SolidPlane | Sphere
    at: Vector = (ZERO, ZERO, ZERO)
    inside: bool = False
    pole: Vector = AXES[2]
    slips: bool = False
    unilateral: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", vector(self.at))
        object.__setattr__(self, "pole", unit_vector(self.pole))
        place = f"contacts/{self.name}"
        _require(self.numbers(), f"{place}/")
        if self.body == self.on.body:
            raise ModelError(
                error(f"{place}/body", "a body that rolls on itself", "name another body in 'on', or null")
            )
        if isinstance(self.on, Sphere) and self.shape.tips():
            message = f"a {type(self.shape).__name__.lower()} rolls on planes alone"
            raise ModelError(error(f"{place}/on", message, "give a plane, or let a sphere roll on the sphere"))
        if self.inside and isinstance(self.on, SolidPlane):
            raise ModelError(error(f"{place}/inside", "a plane has no inside", "leave it out"))
        for name, needs in (("slips", "friction"), ("unilateral", "bodies that leave the ground")):
            if getattr(self, name):
                message = f"{name!r} needs {needs}, which rows of rolling do not have"
                raise ModelError(error(f"{place}/{name}", message, "take a 'contact' with laws, or leave it out"))

    def numbers(self) -> Iterator[Number]:
        """Yield each number of the rolling body: its place, its value and the sign that it must have."""
        yield from self.shape.numbers()
        if isinstance(self.on, Sphere):
            yield "on/sphere", self.on.radius, "positive"
            if self.inside:
                yield "on/sphere less the radius", self.on.radius - self.shape.reach(AXES[2], {})[0], "positive"

    def points(self) -> Iterator[NamedPoint]:
        """Yield the points that its formulas name: its centre, tips of axes there, and the centre of the sphere."""
        for tip, unit in ({"centre": (ZERO, ZERO, ZERO)} | self.shape.tips()).items():
            yield NamedPoint(f"{self.name}.{tip}", self.body, _plus(self.at, unit), element=self)
        if isinstance(self.on, Sphere) and self.on.body is not None:
            yield NamedPoint(f"{self.name}.sphere", self.on.body, self.on.position, element=self)

    def forces(self) -> Iterator[Force]:
        """Yield no forces: the body is held by constraint rows."""
        yield from ()

    def side(self) -> None:
        """Return None: the rows hold everywhere."""

    def rows(self) -> Iterator[Holonomic | Nonholonomic]:
        """Yield the row of positions and the two rows of rates, as formulas of kinematic words."""
        on, centre, along = self.on, f"{self.name}.centre", self.on.body if isinstance(self.on, SolidPlane) else None
        C, v, w = (_words(x, self.body if x == "w" else centre, along) for x in "pvw")
        tips = {tip: _minus(_words("p", f"{self.name}.{tip}", along), C) for tip in self.shape.tips()}
        if on.body is not None:  # seen from the body under it
            zero = on.body if along else f"{self.name}.sphere"
            d = _minus(C, _words("p", zero, along))
            turning = _words("w", on.body, along)
            v, w = _minus(_minus(v, _words("v", zero, along)), _cross(turning, d)), _minus(w, turning)
        else:
            d = _minus(C, on.position) if isinstance(on, Sphere) else C
        if isinstance(on, SolidPlane):
            e = on.normal
            reach, arm = self.shape.reach(e, tips)
            gap, tangents = _dot(e, d) - on.offset - reach, _plane_tangents(e)
        else:
            far = sqrt(_dot(d, d))
            e = _times(-1 / far if self.inside else 1 / far, d)
            reach, arm = self.shape.reach(e, tips)
            gap = on.radius - reach - far if self.inside else far - on.radius - reach
            tangents = _turned_tangents(e, self.pole)
        yield Holonomic(self.name, gap, element=self)
        slip = _plus(v, _cross(w, arm))
        for i, t in enumerate(tangents, 1):
            yield Nonholonomic(f"{self.name}.{i}", {}, _dot(t, slip), element=self)


def _plane_tangents(e: Vector) -> tuple[Vector, Vector]:
    """Return two unit tangents of a plane with the normal e: x and y for z."""
    axis = min(AXES, key=lambda a: abs(evaluate_float(_dot(a, e), {})))
    first = unit_vector(_minus(axis, _times(_dot(axis, e), e)))
    return first, _cross(e, first)


def _turned_tangents(e: Vector, pole: Vector) -> tuple[Vector, Vector]:
    """Return the tangents of a plane with the normal ``pole``, turned with it by the shortest turn to e."""
    both = ONE + _dot(pole, e)
    first, second = (_minus(t, _times(_dot(t, e) / both, _plus(pole, e))) for t in _plane_tangents(pole))
    return first, second


Element: TypeAlias = Contact | Rope | Stop | Rolling


def add_elements(
    elements: Iterable[Element], forces: Iterable[Force] = (), points: Iterable[NamedPoint] = ()
) -> tuple[tuple[Force, ...], tuple[NamedPoint, ...]]:
    """Return the forces and points, followed by the forces and points of the elements, those that roll last."""
    own = sorted(elements, key=lambda e: isinstance(e, Rolling))
    return (*forces, *(x for e in own for x in e.forces())), (*points, *(x for e in own for x in e.points()))


def list_rigid(elements: Iterable[Element]) -> list[Contact | Rope | Stop]:
    """List the rigid contacts, ropes and stops among elements."""
    return [x for x in elements if not isinstance(x, Rolling) and x.normal.law == RIGID]


def omit_rigid(elements: Iterable[Element], omissions: Iterable[Omission] = ()) -> tuple[Omission, ...]:
    """Return the omissions, with one for each rigid element, whose forces no formula of the state says."""
    rigid = list_rigid(elements)
    made = [Omission(f"{RIGID_ELEMENT}/{x.name}", RIGID_ELEMENT, x.describe(), "forces") for x in rigid]
    places = {o.place for o in made}
    return (*(o for o in omissions if o.place not in places), *made)


def add_rows(elements: Iterable[Element], constraints: Iterable[Constraint] = ()) -> tuple[Constraint, ...]:
    """Return the constraints, followed by the rows of the elements that roll."""
    return (*constraints, *(row for e in elements if isinstance(e, Rolling) for row in e.rows()))


def split_elements(
    system: System,
) -> tuple[tuple[Element, ...], tuple[Force, ...], tuple[NamedPoint, ...], tuple[Constraint, ...]]:
    """Return the elements of a model, and its other forces, points and constraints: the reverse of adding them.

    If a force, point or row of an element was changed since, no elements are returned, and all of these stay.
    """
    parts = [*system.forces, *system.constraints]
    found = tuple(dict.fromkeys(x for f in parts if (x := getattr(f, "element", None)) is not None))
    forces = tuple(f for f in system.forces if getattr(f, "element", None) is None)
    points = tuple(p for p in system.points if p.element is None)
    constraints = tuple(c for c in system.constraints if getattr(c, "element", None) is None)
    given = (system.forces, system.points, system.constraints)
    if (*add_elements(found, forces, points), add_rows(found, constraints)) != given:
        return (), *given
    return found, forces, points, constraints


def assume_stops(
    system: System, normal: NormalLaw, said: str, ropes: Mapping[str, tuple[Point, Point, Expression]] | None = None
) -> System:
    """Return a model with stops of the law ``normal`` for its limits; ``said`` is added to texts of omissions.

    ``ropes`` maps places of limits to the ends and the length of what is limited. Limits of other lengths than constant
    sums of coordinates, or whose ends coincide, get no stop.
    """
    names, made, omissions = system.coordinate_names, list[Element](), []
    taken = {f.name for f in system.forces}
    for o in system.omissions:
        name = f"{o.place.rpartition('/')[2]}_stop"
        while name in taken:
            name += "_"
        try:
            if o.place in (ropes or {}):
                made.append(Rope(name, *(ropes or {})[o.place], normal))
            else:
                ends = [_end(gap, names) for gap in o.gaps if o.kind == "joint-limit"]
                (along,) = {tuple(along.items()) for along, *_ in ends}
                by = {side: end for _, side, end in ends}
                alone = len(along) == 1 and along[0][1] is ONE
                own, sums = (along[0][0], {}) if alone else ("", dict(along))
                made.append(Stop(name, own, normal, by.get(1), by.get(-1), sums))
        except (ValueError, ModelError):
            omissions.append(o)
            continue
        taken |= {f.name for f in made[-1].forces()} | {name}
        omissions.append(replace(o, kind=STOP, what=f"{o.what}; {said}", effect="forces", gaps=()))
    forces, points = add_elements(made, system.forces, system.points)
    return replace(system, forces=forces, points=points, omissions=omit_rigid(made, omissions))


def _end(gap: Expression, names: Sequence[str]) -> tuple[dict[str, Expression], int, Expression]:
    """Return c of a gap Σ c q - end or end - Σ c q, the sign of the sum in it, and the end; the first c is positive.

    Raises
    ------
    ValueError
        The gap has another form.
    """
    known = symbols([gap]) & {*names}
    slopes = {name: derivative(gap, symbol(name)) for name in names if name in known}
    first = next(iter(slopes.values()), ZERO)
    if first is ZERO or symbols(slopes.values()) & {*names, "t"}:
        raise ValueError(f"a stop of {gap}")
    side = -1 if first.op == "num" and first.value < 0 else 1
    along = {name: side * c for name, c in slopes.items()}
    return along, side, sum((c * symbol(name) for name, c in along.items()), ZERO) - side * gap


def _words(words: str, place: str, along: str | None, owner: str | None = None) -> Vector:
    """Return symbols for the components of the position (p), velocity (v) or angular velocity (w) of a place."""
    return vector(symbol(str(KinematicWord(f"{words}{axis}", place, along, owner))) for axis in "xyz")


def _dot(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    return sum((x * y for x, y in zip(a, b, strict=True)), ZERO)


def _plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _times(factor: Expression, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


def _cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
