"""Questions to witnesses and their answers: the values of every comparison.

A witness is any source of numbers of a model: a formalism, sums over the bodies, a second reading of the text, another
program, a printed table, a user's own equations. Two witnesses confirm each other in the parts they do not share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from mbconcord.model.derivation import Obstacle
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field

from .bounds import BoundedEquations
from .comparison import ArrayDifference
from .kinematics import TreeKinematics
from .motion import Array
from .scale import Scales, scales
from .uncertainty import Inputs

if TYPE_CHECKING:
    from mbconcord.simulation.assembly import Assembly

    from .closed.compare import Measure
    from .closed.motion import SolvedMotion

T = TypeVar("T")


class Witness(Protocol):
    """A source of numbers about a model.

    ``shares`` names the parts that it has in common with others (:data:`mbconcord.validation.witnesses.SHARED`).
    """

    @property
    def name(self) -> str:
        """Name of the witness in evidence."""

    @property
    def shares(self) -> frozenset[str]:
        """Parts shared with other witnesses."""

    def obstacles(self, model: System) -> tuple[Obstacle, ...]:
        """Return what of a model it does not take; empty: it answers."""

    def answer(self, question: Question) -> Answer:
        """Return the witness's numbers at a question's states; raise :class:`SilentError` if it has no answer."""


class SilentError(Exception):
    """Reason why a witness does not answer a question."""


@dataclass(frozen=True)
class Original:
    """The text that a model was read from, its format, the programs that also read it, and its file.

    ``changed`` are the model's parameters whose values differ from the text, ``packages`` the package folders that the
    reader was allowed to use; ``apart``: the model was changed while it was read, so that it is not that of the text.
    """

    text: str
    format: str
    programs: tuple[str, ...] = ()
    file: str = "-"
    changed: frozenset[str] = frozenset()
    packages: tuple[str, ...] = ()
    apart: bool = False

    @property
    def folder(self) -> str:
        """Folder of files that the text names; empty if it came from no file."""
        return "" if self.file in ("", "-") else str(Path(self.file).parent)


@dataclass(frozen=True)
class Question:
    """A model at states, and known facts about both.

    Attributes
    ----------
    system, states : an open tree and its states
    closed : the model with constraints of which ``system`` is the open tree, or None
    assembly : the states with coordinates of cut joints; None if they violate the constraints
    text : the model's original, if known
    given : values of all symbols, with their uncertainty; None: every number of the model is exact
    room : quantity of the open tree -> addition to its error bounds when solved with the constraints
    seed : seed of random choices of the claims
    """

    system: System
    states: Sequence[State]
    closed: System | None = field(default=None, kw_only=True)
    assembly: Assembly | None = field(default=None, kw_only=True)
    text: Original | None = field(default=None, kw_only=True)
    given: Inputs | None = field(default=None, kw_only=True)
    room: Mapping[str, Array] | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    _known: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def original(self) -> System:
        """The model with its constraints, and with the masses of rods on these; ``system`` is its open tree."""
        return self.closed or self.system

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.system.coordinate_names

    @cached_property
    def kinematics(self) -> TreeKinematics:
        """Validation's own kinematics at the states."""
        return TreeKinematics(self.system, self.states)

    @cached_property
    def scales(self) -> Scales:
        """Scales of every quantity at the states."""
        return scales(self.kinematics)

    @cached_property
    def measure(self) -> Measure | None:
        """Scales for judging motions with constraints; None if no states satisfy them."""
        from .closed.compare import measured_at  # not before: most models have no constraints

        if self.closed is None or self.assembly is None:
            return None
        return measured_at(self.closed, self.assembly, self.kinematics, self.scales)

    def once(self, make: Callable[[Question], T]) -> T:
        """Return a function's result for this question, computed on first use."""
        if make not in self._known:
            self._known[make] = make(self)
        found: T = self._known[make]
        return found


@dataclass(frozen=True)
class Labelled:
    """A quantity other than the canonical ones: its numbers (N, k), and labels of the k.

    Attributes
    ----------
    values (N, k), labels
    scale (N, k) : size of the numbers' terms; None: the other side's scale is used
    bounds (N, k) : error bounds of the numbers; None: unknown, the tolerance of scale applies
    room (N, k) : additional errors, such as those of printed digits
    certain : a difference beyond the tolerance counts, however few digits of the scale remain
    """

    values: Array
    labels: Sequence[str]
    scale: Array | None = None
    bounds: Array | None = None
    room: Array | None = None
    certain: bool = False


@dataclass(frozen=True)
class Answer:
    """Answer of a witness to a question.

    Attributes
    ----------
    numbers : canonical quantities, with bounds or without
    equations : the canonical quantities as expressions, if available
    own : numbers that a formalism computes without its equations
    motion : the motion with the constraints
    beside : quantities other than the canonical ones, by name
    allow : function of a quantity and its difference; returns the difference with the witness's known errors allowed
    entries : canonical quantity -> names of those of its entries that ``allow`` keeps
    faults : known faults of the witness, reported if it disagrees
    notes : notes on how the witness was questioned
    """

    numbers: Evaluation
    equations: BoundedEquations | None = None
    own: Evaluation | None = None
    motion: SolvedMotion | None = None
    beside: Mapping[str, Labelled] = field(default_factory=dict)
    allow: Callable[[str, ArrayDifference], ArrayDifference] | None = None
    entries: Mapping[str, Sequence[str]] = field(default_factory=dict)
    faults: str = ""
    notes: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """The witness's name in evidence."""
        return self.numbers.formalism
