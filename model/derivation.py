"""Result of a formalism: named assignments in stages, and the canonical quantities.

One sign convention everywhere::

    M(q) q'' + h(q, q', t) = Q_gravity + Q_applied + effort + D(q)ᵀ λ ,   D q'' = -γ̃(q, q', t)

``M`` n×n symmetric; ``h`` all other terms from the kinetic energy; ``gravity`` = -∂Π/∂q, weight alone; ``applied``
drives, joint efforts, bipolar forces and wrenches; ``inverse_dynamics`` is M a + h - gravity - applied. ``effort`` is
the unknown generalized force of each drive that imposes its coordinate's acceleration, zero along other coordinates.
Rows of rotations in N m, of translations in N; order of ``system.coordinate_names``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

from mbconcord.records import dataclass, field

from .checks import model as check
from .diagnostics import Diagnostic, FormalismError
from .expressions import Expression
from .expressions.traversal import Nested, flatten, restore
from .limits import count, line
from .system import System

__all__ = [
    "QUANTITIES", "Assignment", "Derivation", "Nested", "Obstacle", "Stage", "Written", "flatten",
    "restore",
]  # fmt: skip

#: The canonical quantities in the order in which they are shown.
QUANTITIES = tuple(check.INDICES)
#: What drives that impose accelerations need for that; no other model has it.
EFFORT = "effort"
#: Native quantities of a model with constraints that complete its equations: D q'' + γ̃ = 0. ``γ`` is D q' + γ.
CLOSING = ("D", "γ̃")
#: Native quantities of equations that are divided, an entry for every coordinate: own + interaction = force.
DIVIDED = ("own", "interaction", "force")


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Reason why a formalism cannot take a model: the feature, and the place where the model uses it."""

    place: str
    feature: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """A named intermediate. Later expressions that contain its node print this name."""

    name: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Written:
    """A line in the source's own notation and order, for a reader: as text and as LaTeX (``&`` aligns)."""

    text: str
    latex: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A group of assignments of the paper: a tier, a pass, a set of coefficients.

    ``written``: the same group in the source's own notation if that is clearer (vectors, say); these lines are printed
    instead of the assignments, for any selection of quantities.
    """

    name: str
    title: str
    assignments: tuple[Assignment, ...]
    written: tuple[Written, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """Equations of motion of a system by one formalism.

    Names, shapes and symbols of the quantities are checked on construction. A lazy quantity
    (:class:`Lazy`) is checked when it is computed. Checks for one model are not repeated for another
    that has the same symbols and more.

    Attributes
    ----------
    formalism : str
        Name of the formalism (or of the program whose equations were read).
    system : System
    quantities : mapping
        Canonical quantities: ``M`` a tuple of rows, the others tuples. Quantities that are not delivered are absent.
        Symbols: parameters, ``q``, ``q'``, and ``q''`` in ``inverse_dynamics``; ``t``.
    stages : sequence of Stage
        Named intermediates in the order in which they are computed; a lazy sequence makes them on first access.
    native : mapping
        The formalism's own objects: ``L``, ``T``, ``Π``, …
    notes : tuple of Diagnostic
        Remarks on what the formalism chose where a model leaves it a choice.
    rows : tuple of str
        Names of the rows of the native ``D`` and ``γ̃`` of a model with constraints: ``loop (x)``.
    indices : mapping
        Names of the entries of native quantities, axis by axis: ``{"r": (bodies, ("x", "y", "z"))}``. Axes without
        names are counted from 1; axes of canonical quantities have the names of the coordinates.

    Raises
    ------
    FormalismError
        A quantity is unknown, has a wrong shape, or uses symbols that the model does not have: all findings.
    """

    formalism: str
    system: System
    quantities: Mapping[str, Nested]
    stages: Sequence[Stage] = ()
    native: Mapping[str, Nested] = field(default_factory=dict)
    notes: tuple[Diagnostic, ...] = ()
    rows: tuple[str, ...] = ()
    indices: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = self.quantities
        _require((*check.names(self.formalism, given), *self._lines()))
        known = check.find_known_symbols(self.system, self._assigned_names)
        if isinstance(given, Lazy):
            if given.known is None or not known.covers(given.known):
                require = partial(self._require_quantity, known)
                object.__setattr__(self, "quantities", given.check_each(require, known))
        elif not (isinstance(given, check.CheckedQuantities) and given.fits(known)):
            _require(check.quantities(self.formalism, known, given))
            object.__setattr__(self, "quantities", check.CheckedQuantities(given, known))

    def __repr__(self) -> str:
        delivered = ", ".join(name for name in QUANTITIES if name in self.quantities)
        return line(
            type(self).__name__, f"of {self.system.name} by {self.formalism}", delivered,
            count(len(self.assignments), "intermediate"),
        )  # fmt: skip

    def _require_quantity(self, known: check.KnownSymbols, name: str, value: Nested) -> None:
        _require(check.quantities(self.formalism, known, {name: value}))

    @property
    def _assigned_names(self) -> Collection[str]:
        """Assignments whose names occur as symbols in formulas; none here, see :class:`.notation.listing.Listing`."""
        return ()

    def _lines(self) -> Iterator[Diagnostic]:
        """Yield the findings about the assignments; here they are not checked."""
        return iter(())

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """All assignments in order."""
        return tuple(a for stage in self.stages for a in stage.assignments)

    def outputs(self) -> list[Expression]:
        """List all scalars of the canonical quantities."""
        return [x for value in self.quantities.values() for x in flatten(value)]


def _require(findings: Iterable[Diagnostic]) -> None:
    found = tuple(findings)
    if found:
        raise FormalismError(found)


# Values computed on first access: quantities by name, and sequences.


T = TypeVar("T")


class Lazy(Mapping[str, Nested]):
    """A mapping whose values are computed on first use: requesting one quantity does not compute the others.

    ``known``: the symbols against which the values are checked when they are computed; None: no check.
    """

    known: Any = None

    def __init__(self, makers: Mapping[str, Callable[[], Nested]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, Nested] = {}

    def check_each(self, check: Callable[[str, Nested], None], known: Any) -> Lazy:
        """Return the same values, each checked on first access, against the symbols that the model knows."""

        def compute_checked(name: str) -> Nested:
            value = self[name]
            check(name, value)
            return value

        found = Lazy({name: partial(compute_checked, name) for name in self})
        found.known = known
        return found

    def __or__(self, other: Mapping[str, Nested]) -> Lazy:
        """Merge with another mapping, whose values win, without computing any value."""
        return Lazy(self._makers | {name: partial(other.__getitem__, name) for name in other})

    def __getitem__(self, name: str) -> Nested:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class LazySequence(Sequence[T], Generic[T]):
    """A sequence whose elements are computed on first access."""

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make

    @cached_property
    def _elements(self) -> Sequence[T]:
        return self._make()

    def __getitem__(self, place: Any) -> Any:
        return self._elements[place]

    def __len__(self) -> int:
        return len(self._elements)

    def __iter__(self) -> Iterator[T]:
        return iter(self._elements)
