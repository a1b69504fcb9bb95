"""Forces: joint efforts, bipolar forces, point forces, wrenches, bushings and torsions.

In a formula, a coordinate's name is its value, the name with ``'`` its rate, ``t`` the time; in the law of a
bipolar force ``@`` is the distance of its points and ``@'`` its rate, in that of a torsion the angle and its rate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from mbconcord.records import dataclass, field, fields, replace

from .coordinate import Coordinate, Effort
from .diagnostics import ModelError, among, error
from .expressions import (
    TIME,
    ZERO,
    Expression,
    Scalar,
    apply,
    as_expression,
    call,
    sin,
    sqrt,
    substitute,
    symbol,
    symbols,
)
from .expressions.calculus import divide_out
from .expressions.traversal import Below, topological
from .transformation import Frame, Vector, vector

LENGTH = symbol("@")
LENGTH_RATE = symbol("@'")

# ``element`` of a force or point is the contact, rope or stop (:mod:`.contact`) of which it is a part; it does not act.


@dataclass(frozen=True, slots=True)
class LinearLaw:
    """UM's structured ``linear`` law: f0 - k (x - l0) - d v + q sin(w t + a)."""

    f0: Expression = ZERO
    k: Expression = ZERO
    l0: Expression = ZERO
    d: Expression = ZERO
    q: Expression = ZERO
    w: Expression = ZERO
    a: Expression = ZERO

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, as_expression(getattr(self, each.name)))

    def force_at(self, x: Expression, v: Expression) -> Expression:
        """Return the force at the length or coordinate x (m, rad) and its rate v."""
        harmonic = self.q * sin(self.w * TIME + self.a) if self.q else ZERO
        return self.f0 - self.k * (x - self.l0) - self.d * v + harmonic


Law = Expression | LinearLaw


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a body: its position in the body's frame (m). Body ``None`` is the fixed frame."""

    body: str | None
    position: Vector = (ZERO, ZERO, ZERO)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector(self.position))


@dataclass(frozen=True, slots=True)
class NamedPoint:
    """A point of a body that formulas and kinematic quantities may name; it does not act on the motion."""

    name: str
    body: str
    position: Vector = (ZERO, ZERO, ZERO)
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector(self.position))

    @property
    def point(self) -> Point:
        """The point without its name."""
        return Point(self.body, self.position)


@dataclass(frozen=True, slots=True)
class JointEffort:
    """Force (N) or torque (N m) along a coordinate: its generalized force. ``effort`` in q, q', t."""

    name: str
    coordinate: str
    effort: Law
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "effort", as_law(self.effort))

    def expression(self) -> Expression:
        """Return the generalized force as a formula of the coordinates, rates and time."""
        x = symbol(self.coordinate)
        v = symbol(self.coordinate + "'")
        if isinstance(self.effort, LinearLaw):
            return self.effort.force_at(x, v)
        return self.effort


@dataclass(frozen=True, slots=True)
class Bipolar:
    """Force along the line between two points; positive pushes them apart. ``law`` in @, @', t (N).

    ``mass`` (kg) is lumped half and half on the two end points: :meth:`System.lump_masses`.
    """

    name: str
    first: Point
    second: Point
    law: Law
    mass: Expression = ZERO
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", as_law(self.law))
        object.__setattr__(self, "mass", as_expression(self.mass))

    def force(self, length: Expression, rate: Expression) -> Expression:
        """Return the force at a given distance and its rate."""
        return law_at(self.law, length, rate)

    def force_per_length(self, length: Expression, rate: Expression) -> Expression | None:
        """Return force / distance as a formula that has a value at distance zero too; None if the law has no such form.

        So a spring without a free length is -k times the vector between its points, also where these coincide.
        """
        ratio = divide_out(law_at(self.law, LENGTH, LENGTH_RATE), LENGTH)
        return None if ratio is None else substitute([ratio], {LENGTH: length, LENGTH_RATE: rate})[0]


#: In whose axes the components of a force are: of the world, or of the body, so that it follows that.
FORCE_AXES = ("world", "body")


@dataclass(frozen=True, slots=True)
class PointForce:
    """A force applied at a point of a body; components in :data:`FORCE_AXES` (N), formulas of q, q', t.

    The axes of an elastic body are those of its frame, at its nodes too.
    """

    name: str
    point: Point
    force: Vector
    axes: str = "world"
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", vector(self.force))
        _require_axes(self)

    @property
    def follows(self) -> bool:
        """True if the components are along the axes of a body; the axes of the fixed frame are those of the world."""
        return self.axes == "body" and self.point.body is not None


@dataclass(frozen=True, slots=True)
class Wrench:
    """A force at a point of a body in :data:`FORCE_AXES` (N), and a moment in body axes (N m)."""

    name: str
    point: Point
    force: Vector = (ZERO, ZERO, ZERO)
    moment: Vector = (ZERO, ZERO, ZERO)
    axes: str = "world"
    element: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "force", vector(self.force))
        object.__setattr__(self, "moment", vector(self.moment))
        _require_axes(self)

    @property
    def follows(self) -> bool:
        """True if the components of its force are in axes of a body."""
        return self.axes == "body" and self.point.body is not None


def _require_axes(force: PointForce | Wrench) -> None:
    if force.axes not in FORCE_AXES:
        message = f"its force is in {force.axes!r} axes"
        raise ModelError(error(f"forces/{force.name}/axes", message, among(force.axes, FORCE_AXES)))


Item = TypeVar("Item")
Six = tuple[Expression, ...]
SixRows = tuple[Six, ...]


def six(values: Iterable[Scalar]) -> Six:
    """Convert six scalars to expressions."""
    return _require_six(map(as_expression, values), "numbers")


def six_rows(rows: Iterable[Iterable[Scalar]]) -> SixRows:
    """Convert six rows of six scalars to expressions."""
    return _require_six(map(six, rows), "rows")


def _require_six(values: Iterable[Item], things: str) -> tuple[Item, ...]:
    found = tuple(values)
    if len(found) != 6:
        raise ModelError(error("bushing", f"found {len(found)} {things}, expected 6", "x, y, z, then turns"))
    return found


NOTHING: Six = six([0] * 6)
NO_ROWS: SixRows = six_rows([NOTHING] * 6)


@dataclass(frozen=True, slots=True)
class Bushing:
    """A spring and damper between two frames, linear in six displacements: w = preload - K u - D u'.

    The law is in the axes of the first frame, with R its orientation, d from its origin to that of the second, R₂ the
    second's:

    * u = (x; s): x = Rᵀ d, the place of the second origin (m), and s = ½ Σ e_i × (Rᵀ R₂ e_i), which is n sin φ for a
      turn φ about n (rad): the small rotation, and smooth for every other;
    * u' = (ẋ; Ω): the rate of x, and the angular velocity of the second frame against the first, Ω = Rᵀ (ω₂ - ω);
    * w = (f; m): force (N) and moment (N m) on the second frame; the first gets the opposite force, at the second
      origin, and the opposite moment.

    So its power is w · u'. ``stiffness`` and ``damping`` are six rows of six (N/m, N/rad; N, N m/rad; the same with s),
    formulas of parameters, and need not be symmetric. The transformations of the frames are constant.
    """

    name: str
    first: Frame
    second: Frame
    stiffness: SixRows = NO_ROWS
    damping: SixRows = NO_ROWS
    preload: Six = NOTHING

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", six_rows(self.stiffness))
        object.__setattr__(self, "damping", six_rows(self.damping))
        object.__setattr__(self, "preload", six(self.preload))

    def wrench(self, displacements: Sequence[Expression], rates: Sequence[Expression]) -> Six:
        """Return the wrench w at the displacements u and their rates u'."""
        rows = zip(self.preload, self.stiffness, self.damping, strict=True)
        return six(p - _sum(k, displacements) - _sum(d, rates) for p, k, d in rows)


def _sum(row: Six, values: Sequence[Expression]) -> Expression:
    return sum((a * x for a, x in zip(row, values, strict=True) if a), ZERO)


@dataclass(frozen=True, slots=True)
class Torsion:
    """A moment about an axis between two frames: a torsion spring or damper, a motor, ``law`` in @, @', t (N m).

    The axis n is the z axis of the first frame; a positive moment n M acts on the second body, the opposite on the
    first. With e the x axis of the second frame:

    * @ is the angle at which the first frame sees e about its z axis (rad). Where every joint between the frames turns
      about that axis it is the sum of their turns, beyond half a turn too (:func:`.turns.sum_of_turns`); elsewhere
      atan2(e·y, e·x), from -π to π, with a jump there;
    * @' = n · (ω₂ - ω), its rate there (rad/s): so its power is M @'.

    The transformations of the frames are constant.
    """

    name: str
    first: Frame
    second: Frame
    law: Law

    def __post_init__(self) -> None:
        object.__setattr__(self, "law", as_law(self.law))

    def moment(self, across: Expression, along: Expression, rate: Expression) -> Expression:
        """Return the moment M where e = (along, across, …) in the axes of the first frame, and @' = ``rate``."""
        return law_at(self.law, apply("atan2", across, along), rate)


Force = JointEffort | Bipolar | PointForce | Wrench | Bushing | Torsion


def law_at(law: Law, x: Expression, rate: Expression) -> Expression:
    """Evaluate a law at a length or angle and its rate."""
    if isinstance(law, LinearLaw):
        return law.force_at(x, rate)
    return substitute([law], {LENGTH: x, LENGTH_RATE: rate})[0]


def law_expressions(law: Law) -> Iterator[Expression]:
    """Yield the expressions of a law."""
    if isinstance(law, LinearLaw):
        for each in fields(law):
            yield getattr(law, each.name)
    else:
        yield law


def as_law(value: Law | Mapping[str, Expression] | float) -> Law:
    """Convert a law, a number, or a mapping of the fields of :class:`LinearLaw` to a law."""
    if isinstance(value, LinearLaw):
        return value
    if isinstance(value, Mapping):
        return LinearLaw(**value)
    return as_expression(value)


# Words of formulas that say how a point moves: vx(here), speed(tip), wz(arm, hull).


#: Word -> what of a motion it is: position r, velocity v or angular velocity w; and which component; None: its size.
WORDS: Final[Mapping[str, tuple[str, int | None]]] = {
    **{f"{letter}{axis}": (kind, i) for letter, kind in zip("pvw", "rvw") for i, axis in enumerate("xyz")},
    "speed": ("v", None),
}
#: The place of a word that is the point of its own force.
HERE: Final = "here"
_NAME: Final = r'\w+|"(?:[^"\\]|\\.)*"'
_TEXT: Final = re.compile(rf"(\w+)\((?:{HERE} of ({_NAME})|({_NAME}))(?:, ({_NAME}))?\)")


@dataclass(frozen=True, slots=True)
class KinematicWord:
    """A component of the motion of a body's frame, a named point or the point of a force: ``vx(tip, hull)``.

    In the expression graph it is a symbol with this text as its name. Components are along the axes of the world, or
    of the body (of the point) ``along``. ``owner`` is the force whose point the place ``here`` means; None if it is
    not known yet.
    """

    word: str
    place: str
    along: str | None = None
    owner: str | None = None

    def __str__(self) -> str:
        owner = "" if self.owner is None else f" of {_quote(self.owner)}"
        along = "" if self.along is None else f", {_quote(self.along)}"
        return f"{self.word}({_quote(self.place)}{owner}{along})"

    @property
    def kind(self) -> str:
        """Kind of vector that the word is a component of: position ``r``, velocity ``v`` or angular velocity ``w``."""
        return WORDS[self.word][0]

    def express(self, vector: Sequence[Expression]) -> Expression:
        """Return the word's value, from the three components of the position, velocity or angular velocity."""
        number = WORDS[self.word][1]
        return sqrt(sum((x * x for x in vector), ZERO)) if number is None else vector[number]


def _quote(name: str) -> str:
    return name if re.fullmatch(r"\w+", name) else json.dumps(name)


def _unquote(text: str | None) -> str | None:
    return json.loads(text) if text is not None and text.startswith('"') else text


def read_word(name: str) -> KinematicWord | None:
    """Read a kinematic word from the name of a symbol; None if the symbol is not a word."""
    found = _TEXT.fullmatch(name) if "(" in name else None
    if found is None or found[1] not in WORDS:
        return None
    owner, place, along = map(_unquote, found.groups()[1:])
    return KinematicWord(found[1], place or HERE, along, owner)


def list_words(formulas: Iterable[Expression]) -> list[KinematicWord]:
    """List the kinematic words in formulas, each once."""
    read = map(read_word, sorted(name for name in symbols(formulas) if "(" in name))
    return [word for word in read if word is not None]


def mark_words(formula: Expression, functions: Collection[str], owner: str | None = None) -> Expression:
    """Return the formula with symbols for calls that are kinematic words; ``here`` becomes the point of the owner.

    ``functions`` are the names of the author's functions; a call of one of these is not a word.
    """
    put: dict[Expression, Expression] = {}
    for node in topological([formula]):
        word = read_word(node.data) if node.op == "sym" else None
        if node.op == "call" and is_word_call(node, functions):
            word = KinematicWord(node.data[0], *(arg.data for arg in node.args))
        if word is not None:
            put[node] = symbol(str(replace(word, owner=owner if word.place == HERE else None)))
    return substitute([formula], put)[0] if put else formula


def write_words(formula: Expression, names: Mapping[str, str] | None = None) -> Expression:
    """Return the formula with calls for kinematic words, as texts have them; ``names``: place -> name in the text."""
    put = {}
    for word in list_words([formula]) if may_have_words([formula]) else ():
        places = [x for x in (word.place, word.along) if x is not None]
        arguments = [symbol(x if x == HERE else (names or {}).get(x, x)) for x in places]
        put[symbol(str(word))] = call(word.word, arguments)
    return substitute([formula], put)[0] if put else formula


def is_word_call(node: Expression, functions: Collection[str]) -> bool:
    """Return True if a call is a kinematic word: one or two names in brackets, and no function of the author's."""
    (name, orders), args = node.data, node.args
    named = all(arg.op == "sym" and arg is not TIME for arg in args)
    return name in WORDS and name not in functions and not any(orders) and len(args) <= 2 and named


def map_formulas(
    coordinates: Iterable[Coordinate], forces: Iterable[Force], change: Callable[[Expression, str | None], Expression]
) -> tuple[tuple[Coordinate, ...], tuple[Force, ...]]:
    """Change the formulas that may have kinematic words: drives that apply efforts, joint efforts, forces, wrenches.

    ``change`` gets a formula and the name of the force whose point is ``here`` (None: there is none).
    """

    def law(given: Law) -> Law:
        if isinstance(given, LinearLaw):
            return LinearLaw(*(change(x, None) for x in law_expressions(given)))
        return change(given, None)

    def force(given: Force) -> Force:
        if isinstance(given, JointEffort):
            return replace(given, effort=law(given.effort))
        if not isinstance(given, (PointForce, Wrench)):
            return given
        made = replace(given, force=vector(change(x, given.name) for x in given.force))
        if isinstance(made, Wrench):
            made = replace(made, moment=vector(change(x, made.name) for x in made.moment))
        return made

    driven = (
        replace(c, drive=Effort(change(c.drive.value, None))) if isinstance(c.drive, Effort) else c for c in coordinates
    )
    return tuple(driven), tuple(map(force, forces))


def list_acting(coordinates: Iterable[Coordinate], forces: Iterable[Force]) -> Iterator[tuple[str, list[Expression]]]:
    """Yield the place and the formulas of each drive and force that :func:`map_formulas` changes."""
    for c in coordinates:
        if isinstance(c.drive, Effort):
            yield f"coordinates/{c.name}/drive", [c.drive.value]
    for force in forces:
        if isinstance(force, JointEffort):
            yield f"forces/{force.name}", [*law_expressions(force.effort)]
        elif isinstance(force, (PointForce, Wrench)):
            yield f"forces/{force.name}", [*force.force, *(force.moment if isinstance(force, Wrench) else ())]


def may_have_words(formulas: Iterable[Expression]) -> bool:
    """Return True if formulas contain kinematic words, or calls that may be such words."""
    return Below(lambda x: (x.op == "call" and x.data[0] in WORDS) or (x.op == "sym" and "(" in x.data)).any(formulas)


def rolling_formulas(constraints: Iterable[Any]) -> Iterator[Expression]:
    """Yield the formulas of rows of rolling bodies (:mod:`.contact`): gaps, and rests of rows of rates."""
    for c in constraints:
        if getattr(c, "element", None) is not None:
            yield c.expression if hasattr(c, "expression") else c.rest


def find_words(
    coordinates: Iterable[Coordinate], forces: Iterable[Force], points: Iterable[NamedPoint] = (),
    constraints: Iterable[Any] = (),
) -> dict[KinematicWord, tuple[Point, str | None]]:  # fmt: skip
    """Map each kinematic word in formulas of drives and forces to its point and the body of its axes (None: world).

    With ``constraints``, those in rows of rolling bodies are among them.
    """
    of_force = list(forces)
    formulas = [x for _, group in list_acting(coordinates, of_force) for x in group]
    formulas += rolling_formulas(constraints)
    own = {f.name: f.point for f in of_force if isinstance(f, (PointForce, Wrench))}
    words = list_words(formulas) if may_have_words(formulas) else ()
    named = {p.name: p.point for p in points}
    return {
        word: (
            own[f"{word.owner}"] if word.place == HERE else named.get(word.place, Point(word.place)),
            named[word.along].body if word.along in named else word.along,
        )
        for word in words
    }  # fmt: skip
