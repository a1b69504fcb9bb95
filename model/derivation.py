"""What a formalism delivers: named assignments in stages, and the canonical quantities.

One sign convention everywhere::

    M(q) q'' + h(q, q', t) = Q_gravity + Q_applied + effort + D(q)ᵀ λ ,   D q'' = -γ̃(q, q', t)

``M`` n×n symmetric; ``h`` everything else that comes from the kinetic energy; ``gravity`` = -∂Π/∂q, weight
alone; ``applied`` drives, joint efforts, bipolar forces and wrenches; ``inverse_dynamics`` is M a + h -
gravity - applied. ``effort`` is what a drive that imposes its coordinate's acceleration needs for that, unknown
like the accelerations of the others, and zero along those. Rows of rotations in N m, of translations in N; order of
``system.coordinate_names``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from .checks import quantities as check
from .diagnostics import Diagnostic, FormalismError
from .expressions import Expression
from .expressions.nested import Nested, flatten, restore
from .lazy import Lazy
from .shown import count, line
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
    """Why a formalism cannot take a model: the feature, and the place where the model uses it."""

    place: str
    feature: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Assignment:
    """A named intermediate. Where its node appears inside a later expression it is printed by this name."""

    name: str
    expression: Expression


@dataclass(frozen=True, slots=True)
class Written:
    """A line in the source's own notation and order, for a reader: as text and as LaTeX (``&`` aligns)."""

    text: str
    latex: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A group of assignments as the paper has them: a tier, a pass, a set of coefficients.

    ``written``: the same group in the source's own notation where that says more (vectors, say); these lines
    are printed in place of the assignments, whatever quantities are asked for.
    """

    name: str
    title: str
    assignments: tuple[Assignment, ...]
    written: tuple[Written, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """Equations of motion of a system by one formalism.

    What is delivered is checked when it is made: the names of the quantities, their shapes and their symbols. A
    quantity that is made when it is asked for (:class:`~mbconcord.model.lazy.Lazy`) is checked then. What was
    checked for one model is not checked again for another that has the same symbols and more.

    Attributes
    ----------
    formalism : str
        Name of the formalism (or of the program whose equations were read).
    system : System
    quantities : mapping
        Canonical quantities: ``M`` a tuple of rows, the others tuples. What is not delivered is absent.
        Symbols: parameters, ``q``, ``q'``, and ``q''`` in ``inverse_dynamics``; ``t``.
    stages : sequence of Stage
        Named intermediates in the order in which they are computed; they may be made when they are first looked at.
    native : mapping
        The formalism's own objects: ``L``, ``T``, ``Π``, …
    notes : tuple of Diagnostic
        How the formalism took the model, where it has a choice.
    rows : tuple of str
        What the rows of the native ``D`` and ``γ̃`` of a model with constraints are called: ``loop (x)``.
    indices : mapping
        What the entries of native quantities are called, axis by axis: ``{"r": (bodies, ("x", "y", "z"))}``. Axes of
        which nothing is said are counted from 1; those of canonical quantities are the coordinates.

    Raises
    ------
    FormalismError
        There is no such quantity, or it has another shape, or uses what the model does not have: all findings.
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
        known = check.known(self.system, self._named)
        if isinstance(given, Lazy):
            if given.known is None or not known.covers(given.known):
                require = partial(self._require_quantity, known)
                object.__setattr__(self, "quantities", given.checked(require, known))
        elif not (isinstance(given, check.Checked) and given.fits(known)):
            _require(check.quantities(self.formalism, known, given))
            object.__setattr__(self, "quantities", check.Checked(given, known))

    def __repr__(self) -> str:
        delivered = ", ".join(name for name in QUANTITIES if name in self.quantities)
        return line(
            type(self).__name__, f"of {self.system.name} by {self.formalism}", delivered,
            count(len(self.assignments), "intermediate"),
        )  # fmt: skip

    def _require_quantity(self, known: check.Known, name: str, value: Nested) -> None:
        _require(check.quantities(self.formalism, known, {name: value}))

    @property
    def _named(self) -> Collection[str]:
        """Assignments whose names are symbols of formulas."""
        return ()

    def _lines(self) -> Iterator[Diagnostic]:
        """Findings about the assignments."""
        return iter(())

    @property
    def assignments(self) -> tuple[Assignment, ...]:
        """All assignments in order."""
        return tuple(a for stage in self.stages for a in stage.assignments)

    def outputs(self) -> list[Expression]:
        """All scalars of the canonical quantities."""
        return [x for value in self.quantities.values() for x in flatten(value)]


def _require(findings: Iterable[Diagnostic]) -> None:
    found = tuple(findings)
    if found:
        raise FormalismError(found)
