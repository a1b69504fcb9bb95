"""Parts of a model that its checks read; a :class:`~mbconcord.model.system.System` provides them.

The quantities of a derivation: their names, shapes and symbols, checked on construction.

A formalism that was written for one model and is applied to another is detected here, with the reason, and not later by
the shape of an array.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

from mbconcord.model.limits import count
from mbconcord.records import dataclass

from ..body import Armature, Body, Gravity
from ..constraint import Constraint, Rod
from ..coordinate import Coordinate, Function, Parameter
from ..diagnostics import Diagnostic, error
from ..expressions import TIME, Expression, unknowns
from ..expressions.traversal import Nested, flatten
from ..force import Bipolar, Force, NamedPoint
from ..omission import Omission


class Model(Protocol):
    """The parts of a system. A system is checked on construction, so the checks do not know its class."""

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """Generalized coordinates."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Named constants."""

    @property
    def functions(self) -> tuple[Function, ...]:
        """Functions of the model's author."""

    @property
    def gravity(self) -> Gravity | None:
        """Gravity, if there is any."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Bodies of the tree."""

    @property
    def forces(self) -> tuple[Force, ...]:
        """Forces."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Constraints."""

    @property
    def armatures(self) -> tuple[Armature, ...]:
        """Inertia along coordinates alone."""

    @property
    def points(self) -> tuple[NamedPoint, ...]:
        """Points of bodies that have names."""

    @property
    def omissions(self) -> tuple[Omission, ...]:
        """Features that the reader of the source left out."""

    def massive(self) -> Iterator[Bipolar | Rod]:
        """Yield bipolar elements and rods that have a mass."""


#: The canonical quantities in the order in which they are shown, and how many indices (coordinates) each has.
INDICES: Final[Mapping[str, int]] = {
    "M": 2, "h": 1, "gravity": 1, "applied": 1, "inverse_dynamics": 1, "acceleration": 1,
    "effort": 1,
}  # fmt: skip
#: The only quantity whose formulas may use accelerations.
MOVING: Final = "inverse_dynamics"
REMEDY: Final = "declare an obstacle for models that are not meant"


@dataclass(frozen=True, slots=True)
class KnownSymbols:
    """Symbols that quantities of a model may use: number of coordinates, symbols, symbols with q'' too, functions."""

    count: int
    symbols: frozenset[str]
    moving: frozenset[str]
    functions: frozenset[tuple[str, int]]

    def covers(self, other: KnownSymbols) -> bool:
        """Return True if quantities that were checked for another model fit this one, too."""
        same = self.count == other.count
        return same and self.moving >= other.moving and self.functions >= other.functions


def find_known_symbols(model: Model, named: Collection[str] = ()) -> KnownSymbols:
    """Collect the symbols that quantities of a model may use, including the names ``named`` of assignments."""
    still, moving = (_symbols_of(model, moves) | set(named) for moves in (False, True))
    return KnownSymbols(len(model.coordinates), frozenset(still), frozenset(moving), frozenset(_functions_of(model)))


class CheckedQuantities(dict[str, Nested]):
    """Checked quantities, with the symbols they were checked against, so that a model with these is not checked again.

    ``kept`` caches programs made of the quantities, for all derivations that share them.
    """

    def __init__(self, given: Mapping[str, Nested], known: KnownSymbols) -> None:
        super().__init__(given)
        self.kept: dict[Any, Any] = {}
        self._known, self._values = known, tuple(given.values())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    @property
    def is_unchanged(self) -> bool:
        """True if the quantities are still the same objects that were checked."""
        return len(self) == len(self._values) and all(x is y for x, y in zip(self.values(), self._values))

    def fits(self, known: KnownSymbols) -> bool:
        """Return True if the quantities were checked for a model with no more symbols than this one."""
        return self.is_unchanged and known.covers(self._known)


def names(formalism: str, given: Iterable[str]) -> Iterator[Diagnostic]:
    """Report names that no canonical quantity has."""
    for name in given:
        if name not in INDICES:
            remedy = f"known: {', '.join(INDICES)}; what is the formalism's own goes into `native`"
            yield error(f"{formalism}/{name}", f"there is no quantity {name!r}", remedy)


def quantities(formalism: str, known: KnownSymbols, given: Mapping[str, Nested]) -> Iterator[Diagnostic]:
    """Check the shapes and symbols of quantities of a model."""
    delivered = {name: value for name, value in given.items() if name in INDICES}
    wrong = [*_shapes(formalism, known.count, delivered)]
    yield from wrong or _symbols(formalism, known, delivered)


def lines(formalism: str, model: Model, assignments: Iterable[tuple[str, Expression]]) -> Iterator[Diagnostic]:
    """Check assignments in order, each over the model's symbols and the names before it."""
    known, functions = _symbols_of(model, moving=True), _functions_of(model)
    for name, expression in assignments:
        place = f"{formalism}/{name}"
        if name in known:
            yield error(place, f"{name!r} is a name already, of the model or of an earlier line", "rename it")
        foreign = _foreign([expression], known, functions)
        if foreign:
            yield error(place, f"it uses {foreign}, which neither the model has nor a line before it names")
        known.add(name)


def _shapes(formalism: str, n: int, given: Mapping[str, Nested]) -> Iterator[Diagnostic]:
    def row(value: Any) -> bool:
        return isinstance(value, tuple) and len(value) == n and all(isinstance(x, Expression) for x in value)

    for name, value in given.items():
        square = INDICES[name] == 2
        fits = isinstance(value, tuple) and len(value) == n and all(map(row, value)) if square else row(value)
        if not fits:
            wanted = f"{count(n, 'row')} of {count(n, 'expression')}" if square else count(n, "expression")
            message = f"{shape(value)} for a model of {count(n, 'coordinate')}, where {wanted} are expected"
            yield error(f"{formalism}/{name}", message, REMEDY)


def shape(value: Any) -> str:
    """Describe the shape of a value in words: ``2 rows of 3 expressions``."""
    if not isinstance(value, tuple):
        return "one expression" if isinstance(value, Expression) else f"a {type(value).__name__}"
    inner = dict.fromkeys(map(shape, value))
    if not inner:
        return "empty"
    if len(inner) > 1:
        return f"a tuple of {', '.join(inner)}"
    (each,) = inner
    if each == "one expression":
        return count(len(value), "expression")
    return f"{count(len(value), 'row')} of {each}"


def _symbols(formalism: str, known: KnownSymbols, given: Mapping[str, Nested]) -> Iterator[Diagnostic]:
    """Report unknown symbols: all quantities are searched in one walk, and each by its own only if some are found."""
    seen: set[Expression] = set()
    still = [x for name, value in given.items() if name != MOVING for x in flatten(value)]
    moving = flatten(given.get(MOVING, ()))
    if not _foreign(still, known.symbols, known.functions, seen) and not _foreign(
        moving, known.moving, known.functions, seen
    ):
        return
    for name, value in given.items():
        foreign = _foreign(flatten(value), known.moving if name == MOVING else known.symbols, known.functions)
        if foreign:
            accelerations = f"; q'' stands in {MOVING} alone" if "''" in foreign else ""
            message = f"it uses {foreign}, which the model does not have{accelerations}"
            yield error(f"{formalism}/{name}", message, REMEDY)


def _foreign(
    outputs: Iterable[Expression],
    known: Collection[str],
    functions: Collection[tuple[str, int]],
    seen: set[Expression] | None = None,
) -> str:
    """List unknown symbols and undefined functions below the outputs; empty if there are none."""
    found = set()
    for node in unknowns(outputs, seen):
        if not node.args:
            if node.data not in known:
                found.add(node.data)
        elif (node.data[0], len(node.args)) not in functions:
            found.add(f"{node.data[0]}() of {len(node.args)} argument{'s' * (len(node.args) != 1)}")
    return ", ".join(sorted(found))


def _symbols_of(model: Model, moving: bool) -> set[str]:
    """Return the names of parameters, q, q' and t; with ``moving``, of q'' too."""
    orders = ("", "'", "''") if moving else ("", "'")
    coordinates = {c.name + order for c in model.coordinates for order in orders}
    return coordinates | {p.name for p in model.parameters} | {TIME.data}


def _functions_of(model: Model) -> set[tuple[str, int]]:
    return {(f.name, len(f.arguments)) for f in model.functions}
