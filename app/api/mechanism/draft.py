"""Draft of a mechanism: its elements while it is built, readers of arguments, and the building of the system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import fields, replace
from fractions import Fraction
from math import isfinite
from typing import Any, Final, Protocol, TypeAlias

from mbconcord.converters.findings import implausible
from mbconcord.model import Armature, Body, Coordinate, Function, Gravity, ModelError, Parameter, Point, System
from mbconcord.model.body import Tensor
from mbconcord.model.checks.physics import Policy
from mbconcord.model.constraint import Constraint
from mbconcord.model.contact import Element, add_elements, add_rows, omit_rigid
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, among, error
from mbconcord.model.expressions import Expression, ExpressionError, from_sympy, number
from mbconcord.model.expressions.formula import parse_formula
from mbconcord.model.force import Force, NamedPoint
from mbconcord.model.limits import count, line
from mbconcord.model.transformation import AXES, ElementaryTransformation, Frame, Vector, shift, unit_vector, vector

from ..request import require_kinds


class SupportsFreeSymbols(Protocol):
    """An expression of SymPy."""

    @property
    def free_symbols(self) -> Any:
        """The symbols of the expression."""


# Numbers, formulas, axes, tensors and points as a user writes them by hand, each refused at its place.


#: A number, a formula in a string, or an expression, of this package or of SymPy.
Amount: TypeAlias = float | Fraction | str | Expression | SupportsFreeSymbols
Triple: TypeAlias = Sequence[Amount]
#: A direction: ``"x"``, ``"-z"`` or three numbers.
At: TypeAlias = str | Sequence[Amount]
#: A point of a body: ``("body", (x, y, z))`` in its frame, ``"body"`` for its origin, ``(None, …)`` in the fixed frame;
#: a named point in place of the body.
Place: TypeAlias = str | tuple[str | None, Triple] | None
#: A body, or a body with constant transformations to a frame.
Seat: TypeAlias = str | tuple[str | None, Iterable[ElementaryTransformation]] | None
AXIS: Final = ("x", "y", "z")


@contextmanager
def relocate_errors(place: str) -> Iterator[None]:
    """Attribute errors raised inside to this place."""
    try:
        yield
    except MbconcordError as problem:
        found = (d if d.place.startswith(place) else replace(d, place=place) for d in problem.diagnostics)
        raise ModelError(found) from None
    except ExpressionError as problem:
        raise ModelError(error(place, str(problem))) from None


def formula(place: str, value: Amount) -> Expression:
    """Convert a number or formula to an expression; a float becomes its shortest decimal, a SymPy symbol its name."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return _parse(place, value)
    if hasattr(value, "free_symbols"):
        with relocate_errors(place):
            return from_sympy(value)
    if isinstance(value, Fraction):
        return number(value)
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        message = f"found {type(value).__name__} {value!r:.40}"
        raise ModelError(error(place, message, "expected a number, or a formula in a string"))
    try:
        found = float(value)
    except (TypeError, ValueError):
        message = f"found {type(value).__name__}, which is not one number"
        raise ModelError(error(place, message, "expected a number, or a formula in a string")) from None
    if not isfinite(found):
        raise ModelError(error(place, f"{found} is not a finite number", "give a number"))
    return number(value) if isinstance(value, int) else number(Fraction(repr(found)))


def _parse(place: str, text: str) -> Expression:
    if "**" in text:
        raise ModelError(error(place, f"found '**' in the formula {text!r:.60}", "powers are written with ^"))
    try:
        return parse_formula(text)
    except MbconcordError as problem:
        raise ModelError(
            error(
                place, f"formula {text!r:.60}, column {d.location.column if d.location else 1}: {d.message}", d.remedy
            )
            for d in problem.diagnostics
        ) from None


def triple(place: str, values: Triple) -> Vector:
    """Return a vector of three numbers or formulas."""
    items = list_items(place, values)
    if len(items) != 3:
        raise ModelError(error(place, f"found {count(len(items), 'component')}", "expected three: (x, y, z)"))
    x, y, z = (formula(f"{place}/{name}", value) for name, value in zip(AXIS, items, strict=True))
    return x, y, z


def axis(place: str, given: At) -> Vector:
    """Return a direction of length one, given as an axis such as "-z", or as three numbers or formulas."""
    if isinstance(given, str):
        name = given.removeprefix("-")
        if name not in AXES:
            known = "x, y, z, -x, -y, -z, or three numbers"
            raise ModelError(error(place, f"there is no axis {given!r}", f"known: {known}"))
        x, y, z = AXES[name]
        return (-x, -y, -z) if given.startswith("-") else (x, y, z)
    with relocate_errors(place):
        return unit_vector(triple(place, given))


def tensor(place: str, values: Sequence[Any]) -> Tensor:
    """Return a tensor (xx, yy, zz, xy, xz, yz) from three elements, six elements, or a symmetric matrix."""
    items = list_items(place, values)
    if len(items) == 3 and all(is_row(row) for row in items):
        rows = [triple(f"{place}/row {i + 1}", row) for i, row in enumerate(items)]
        for i, k in ((0, 1), (0, 2), (1, 2)):
            if rows[i][k] is not rows[k][i]:
                message = f"not symmetric: ({i + 1}, {k + 1}) is {rows[i][k]}, ({k + 1}, {i + 1}) is {rows[k][i]}"
                raise ModelError(error(place, message, "make them equal"))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows
        return xx, yy, zz, xy, xz, yz
    if len(items) not in (3, 6):
        message = f"found {count(len(items), 'element')}"
        raise ModelError(error(place, message, "expected (xx, yy, zz), (xx, yy, zz, xy, xz, yz) or a 3 by 3 matrix"))
    found = [formula(place, x) for x in items]
    xx, yy, zz, xy, xz, yz = (*found, *([number(0)] * (6 - len(found))))
    return xx, yy, zz, xy, xz, yz


def point(place: str, given: Any) -> Point:
    """Return a point of a body from the body's name or (name, position); the name None is the fixed frame."""
    if given is None or isinstance(given, str):
        return Point(given)
    items = list_items(place, given)
    if len(items) != 2 or not (items[0] is None or isinstance(items[0], str)):
        message = f"found {given!r:.60}, expected a point"
        remedy = "('body', (x, y, z)), 'body' for its origin, (None, …) for the fixed frame"
        raise ModelError(error(place, message, remedy))
    return Point(items[0], triple(f"{place}/point", items[1]))


def _list_unknown(places: Sequence[str], **kinds: Sequence[Any]) -> Iterator[Diagnostic]:
    """Yield an error for each end of an element that is on no body and at no named point."""
    for place, element in ((f"{kind}/{element.name}", element) for kind, own in kinds.items() for element in own):
        for end in (getattr(element, field.name) for field in fields(element)):
            if isinstance(end, (Point, Frame)) and end.body is not None and end.body not in places:
                yield error(place, f"there is no body or point {end.body!r}", among(end.body, places))


def _settle(element: Any, named: Mapping[str, Point]) -> Any:
    """Replace named points, at which a force acts or which a constraint joins, by points of bodies."""
    moved: dict[str, Point | Frame] = {}
    for field in fields(element):
        end = getattr(element, field.name)
        at = named.get(end.body or "") if isinstance(end, (Point, Frame)) else None
        if at and isinstance(end, Frame):
            moved[field.name] = Frame(at.body, (*shift(at.position), *end.transformations))
        elif at and isinstance(end, Point):
            position = vector(a + b for a, b in zip(at.position, end.position, strict=True))
            moved[field.name] = replace(end, body=at.body, position=position)
    return replace(element, **moved) if moved else element


def rows(place: str, values: Sequence[Any]) -> list[list[Expression]]:
    """Return a matrix, given as rows of numbers or formulas, as lists of expressions."""
    return [[formula(place, x) for x in list_items(place, row)] for row in list_items(place, values)]


def transformations(place: str, given: Iterable[Any]) -> tuple[ElementaryTransformation, ...]:
    """Return given elementary transformations as a tuple; refuse anything else."""
    steps = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not all(isinstance(step, ElementaryTransformation) for step in steps) or (not steps and given not in ((), [])):
        message = f"found {type(given).__name__} {given!r:.40}"
        raise ModelError(
            error(place, message, 'expected transformations: [rotation("z", "pi/2"), translation("x", 1)]')
        )
    return steps


def seats(place: str, first: Any, second: Any) -> tuple[Frame, Frame]:
    """Return two frames, each from a body's name, None for the fixed frame, or a pair of it and transformations."""
    return _seat(f"{place}/first", first), _seat(f"{place}/second", second)


def _seat(place: str, given: Any) -> Frame:
    pair = given if isinstance(given, tuple) else (given, ())
    if len(pair) != 2 or not (pair[0] is None or isinstance(pair[0], str)):
        message = f"found {type(given).__name__} {given!r:.40}, expected a frame"
        raise ModelError(error(place, message, "'body', None for the fixed frame, or ('body', [transformations])"))
    return Frame(pair[0], transformations(place, pair[1]))


def is_row(value: Any) -> bool:
    """Return True if a value has several numbers."""
    return not isinstance(value, str | Expression) and hasattr(value, "__len__")


def list_items(place: str, values: Any) -> list[Any]:
    """List numbers or rows that come in a list, an array of NumPy or a matrix of SymPy."""
    if hasattr(values, "tolist"):  # of NumPy, or a matrix of SymPy, where a column is a list of rows of one
        values = [row[0] if isinstance(row, list) and len(row) == 1 else row for row in values.tolist()]
    if isinstance(values, str | bytes | Mapping | Set | Expression) or not hasattr(values, "__iter__"):
        raise ModelError(error(place, f"found {values!r:.40}", "expected several numbers: (x, y, z)"))
    return list(values)


class Draft:
    """The elements of a mechanism that were added so far, and the method that builds the system."""

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if callable(method) and not name.startswith("_"):
                setattr(cls, name, require_kinds(method))

    @require_kinds
    def __init__(self, name: str) -> None:
        self.name = name
        self._bodies: list[Body] = []
        self._coordinates: list[Coordinate] = []
        self._parameters: list[Parameter] = []
        self._functions: list[Function] = []
        self._gravity: Gravity | None = None
        self._forces: list[Force] = []
        self._elements: list[Element] = []
        self._constraints: list[Constraint] = []
        self._armatures: list[Armature] = []
        self._points: list[NamedPoint] = []

    def __repr__(self) -> str:
        return line(
            "Mechanism", self.name, count(len(self._bodies), "body", "bodies"),
            count(len(self._coordinates), "coordinate"),
        )  # fmt: skip

    @require_kinds
    def build(self, physics: Policy = "error") -> System:
        """Build the system; if ``physics`` is not "error", impossible masses and inertias are accepted.

        Raises
        ------
        ModelError
            All errors that only the whole model shows: unknown names in formulas, missing bodies, a body carried by a
            later one, an impossible inertia.
        """
        named = {p.name: p.point for p in self._points}
        places = [*(b.name for b in self._bodies), *named]
        own: dict[str, Sequence[Any]] = {
            "forces": self._forces, "contacts": self._elements, "constraints": self._constraints,
        }  # fmt: skip
        if named and (unknown := tuple(_list_unknown(places, **own))):
            raise ModelError(unknown)
        settled, elements, constraints = (tuple(_settle(x, named) for x in each) for each in own.values())
        forces, points = add_elements(elements, settled, self._points)
        system = System(
            self.name, tuple(self._coordinates), tuple(self._parameters), tuple(self._functions), self._gravity,
            tuple(self._bodies), forces, add_rows(elements, constraints),
            armatures=tuple(self._armatures), points=points, omissions=omit_rigid(elements),
        )  # fmt: skip
        impossible = implausible(system, physics, lambda _: {}) if physics == "error" else ()
        if impossible:
            raise ModelError(impossible)
        return system

    @staticmethod
    def _new(place: str, name: str, taken: Iterable[str]) -> None:
        if name in taken:
            raise ModelError(error(place, f"{name!r} is there already", "names are unique"))
