"""Evidence: the findings of a check, as values for reports and tests.

Comparisons as a table of pandas: a row for each, which is one quantity by two witnesses at its worst entry.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import QUANTITIES, Derivation, Obstacle
from mbconcord.model.diagnostics import Diagnostic, Location
from mbconcord.model.expressions import Operations
from mbconcord.model.limits import count, line
from mbconcord.model.omission import Omission, acting, format_acting
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, field

from .exactness import Exactness
from .left_out import LeftOut
from .tolerances import Horizon

if TYPE_CHECKING:
    from pandas import DataFrame

    from .monomials import TermDifference

from typing import TYPE_CHECKING, Protocol

from mbconcord.model.limits import frame

if TYPE_CHECKING:
    from pandas import DataFrame


class HasRow(Protocol):
    """Value with a table row."""

    def row(self) -> Mapping[str, object]:
        """Return its values of :data:`COLUMNS`."""


#: Columns and what stands in them; numbers without a unit are relative.
COLUMNS: Final = {
    "claim": "name of the claim; empty where witnesses of the canonical quantities are compared",
    "quantity": "what is compared",
    "a": "one witness",
    "b": "the other one; empty where there is none",
    "verdict": "agrees, disagrees, not checked",
    "discrepancy": "|a - b| / scale of the worst entry over all states (1)",
    "tolerance": "what it may be there (1)",
    "scale": "of the worst entry, in the quantity's own unit",
    "entry": "coordinates of the worst entry, with commas",
    "value_a": "of a there, in the quantity's own unit",
    "value_b": "of b there, in the quantity's own unit",
    "noticed_from": "relative change of an entry that would have been noticed, in the median (1)",
    "explanation": "who is wrong, or why it was not checked",
    "excess": "discrepancy in units of the tolerance (1): above one they disagree; none where nothing was measured",
    "exact": "identical, differs, undecided, not tried; empty where functions were not compared",
    "t": "time of the worst state (s)",
}


def comparisons_frame(comparisons: Iterable[HasRow]) -> DataFrame:
    """Tabulate comparisons, in order."""
    return frame((c.row() for c in comparisons), list(COLUMNS))


Verdict = Literal["agrees", "disagrees", "not checked"]
#: Of a whole model: ``agrees after matching`` where a correspondence was searched and nobody told it, ``agrees in
#: part`` where its reader left out what acts on the motion.
#: ``agrees to digits`` is of two models whose whole difference is rounding of numbers as they are printed.
Overall = Literal["agrees", "agrees to digits", "agrees after matching", "agrees in part", "disagrees", "not checked"]
OVERALL: Final[tuple[Overall, ...]] = get_args(Overall)
#: Their order in reports.
WORST_FIRST: Final[tuple[Overall, ...]] = (
    "disagrees", "not checked", "agrees after matching", "agrees in part", "agrees to digits", "agrees",
)  # fmt: skip


#: The decade of what has no bound at all.
DECADES: Final = 99


def _obstacle(o: Obstacle) -> dict[str, str]:
    return {"place": o.place, "feature": o.feature, "reason": o.reason}


def _finite(value: float | None) -> float | None:
    """Replace infinity and NaN by null, as JSON has neither."""
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True)
class EntryTerms:
    """Difference of an entry's two formulas: its monomials, or why there is no list of them.

    ``more``: number of monomials not listed. ``location``: place of the entry in another program's files;
    ``term_location``: place there of the first listed monomial that the files contain.
    """

    entry: tuple[str, ...]
    terms: tuple[TermDifference, ...] = ()
    more: int = 0
    reason: str = ""
    location: Location | None = None
    term_location: Location | None = None

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        terms = [{"monomial": t.monomial, "a": float(t.first), "b": float(t.second)} for t in self.terms]
        found = {"entry": list(self.entry), "terms": terms, "more": self.more, "reason": self.reason}
        places = {"location": self.location, "term_location": self.term_location}
        return found | {name: str(place) for name, place in places.items() if place}


@dataclass(frozen=True)
class Against:
    """Equations of another program that a model was checked against.

    Attributes
    ----------
    source : ``um:PATH``
    witness : name of the witness that evaluates these equations
    by : how the coordinates were matched
    coordinates : pairs (number from 1, or name, formula in the other side's names)
    bodies : pairs (number, name)
    searched : pairs found by search, in words: ``reversing q7``; empty if none
    where : parameter values, ``l1 = 1``, if the equations were compared for these alone; empty: for all values
    through_loads : elements that the model leaves out, but whose forces enter the equations as loads, which agree
    asked : for a source that answers only at states, what it was asked and what not; empty for equations
    """

    source: str
    witness: str
    by: str
    coordinates: tuple[tuple[int | str, str], ...]
    bodies: tuple[tuple[int, str], ...]
    searched: str = ""
    where: str = ""
    through_loads: tuple[Omission, ...] = ()
    asked: str = ""

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        return {
            "equations": self.source,
            "matching": {"by": self.by, "coordinates": {str(n): text for n, text in self.coordinates}},
            "bodies": {str(n): name for n, name in self.bodies},
            "searched": self.searched,
        } | {name: text for name, text in (("where", self.where), ("asked", self.asked)) if text} | (
            {"through_loads": [o.to_json() for o in self.through_loads]} if self.through_loads else {}
        )  # fmt: skip

    @property
    def words_of_loads(self) -> str:
        """Sentence on elements whose laws are in the program's kernel, not in its equations; empty without these."""
        if not self.through_loads:
            return ""
        act, them = ("act", "them") if len(self.through_loads) > 1 else ("acts", "it")
        words = format_acting(self.through_loads)
        return f"{words} {act} through {self.witness.upper()}'s kernel; the equations take {them} as loads"


#: Differences below this part of the scale are rounding: no entry of theirs is shown.
ROUNDING: Final = 1e-13


@dataclass(frozen=True)
class LargestDifference:
    """The entry that differs most in units of its scale, regardless of its tolerance: both values, and the state."""

    quantity: str
    entry: tuple[str, ...]
    values: tuple[float, float]
    of_scale: float
    state: State

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``compare --json``."""
        values = [_finite(x) for x in self.values]
        return {
            "entry": list(self.entry),
            "values": values,
            "of_scale": _finite(self.of_scale),
            "state": self.state.to_json(),
        }

    def __str__(self) -> str:
        if self.of_scale < ROUNDING:
            return f"{self.quantity} {self.of_scale:.0g}"
        at = f" [{', '.join(self.entry)}]" if self.entry else ""
        return f"{self.quantity} {self.of_scale:.2g}{at} {_apart(*self.values)}"


def _apart(a: float, b: float) -> str:
    """Write two numbers with the fewest digits, four or more, that tell them apart: ``2.5 and 1.339``."""
    digits = next((n for n in range(4, 17) if f"{a:.{n}g}" != f"{b:.{n}g}"), 17)
    return f"{a:.{digits}g} and {b:.{digits}g}"


@dataclass(frozen=True)
class Comparison:
    """One quantity by two witnesses: the worst entry over all states.

    Attributes
    ----------
    a, b : str
        Names of the witnesses; for ``not checked``, b is empty (and a too, when there is none).
    quantity : str
    verdict : "agrees", "disagrees" or "not checked"
    discrepancy : float or None
        |a - b| / scale of the entry that comes closest to what is allowed, or goes farthest beyond.
    tolerance : float or None
        Limit of the discrepancy: the rounding error of floats, relative to scale; k · ε · cond without bounds.
    scale : float or None
        Scale of the worst entry, in its own unit.
    cond : float or None
        Condition number used in the tolerance (1 if none is used).
    state : State or None
        The worst state.
    entry : tuple of str
        Names of the worst entry's coordinates: one for a vector, two for M.
    values : pair of float or None
        The two values of the worst entry at this state.
    explanation : str
        The referee's finding on which witness is wrong; empty when they agree.
    terms : tuple of EntryTerms
        The differences of formulas term by term, if requested.
    noticeable : float or None
        The sensitivity: the relative change of an entry that would have been detected, median over nonzero entries.
    zero : bool
        Both sides are zero in every entry at every state.
    claim : str
        Name of the claim that was checked; empty where witnesses of the canonical quantities are compared.
    exact : Exactness or None
        Whether the two are proved to be the same functions; None if not requested, or one of them has no equations.
    rounding : tuple of (str, float)
        Of floats against 50 digits: for each quantity the largest |float - exact| in units of its error bound.
    largest : LargestDifference or None
        Of two models: the entry that differs most in units of its scale, which need not be the worst one.
    """

    a: str
    b: str
    quantity: str
    verdict: Verdict
    discrepancy: float | None = None
    tolerance: float | None = None
    scale: float | None = None
    cond: float | None = None
    state: State | None = None
    entry: tuple[str, ...] = ()
    values: tuple[float, float] | None = None
    explanation: str = ""
    terms: tuple[EntryTerms, ...] = ()
    noticeable: float | None = None
    zero: bool = False
    claim: str = ""
    exact: Exactness | None = None
    rounding: tuple[tuple[str, float], ...] = ()
    largest: LargestDifference | None = None

    @property
    def excess(self) -> float:
        """The discrepancy in units of what is tolerated: above one they disagree; -1 where nothing was compared."""
        if self.discrepancy is None:
            return -1.0
        if not self.tolerance:
            return math.inf if self.discrepancy else 0.0
        return self.discrepancy / self.tolerance

    def row(self) -> dict[str, object]:
        """Return the row in a table, of :data:`.frames.COLUMNS`."""
        a, b = self.values or (None, None)
        return {
            "claim": self.claim, "quantity": self.quantity, "a": self.a, "b": self.b, "verdict": self.verdict,
            "discrepancy": self.discrepancy, "tolerance": self.tolerance, "scale": self.scale,
            "entry": ", ".join(self.entry), "value_a": a, "value_b": b, "noticed_from": self.noticeable,
            "explanation": self.explanation, "excess": None if self.discrepancy is None else self.excess,
            "exact": self.exact.kind if self.exact else "", "t": self.state.t if self.state else None,
        }  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        return {
            "a": self.a,
            "b": self.b,
            "quantity": self.quantity,
            "verdict": self.verdict,
            "discrepancy": _finite(self.discrepancy),
            "tolerance": _finite(self.tolerance),
            "scale": _finite(self.scale),
            "cond": _finite(self.cond),
            "state": self.state.to_json() if self.state else None,
            "entry": list(self.entry),
            "values": [_finite(x) for x in self.values] if self.values else None,
            "explanation": self.explanation,
            "noticeable": _finite(self.noticeable),
            "zero": self.zero,
            "claim": self.claim,
            "exact": self.exact.to_json() if self.exact else None,
        } | {
            name: value
            for name, value in (
                ("terms", [t.to_json() for t in self.terms]),
                ("rounding", {quantity: _finite(x) for quantity, x in self.rounding}),
            )
            if value
        }


def decade(excess: float) -> int | None:
    """Return the power of ten that bounds a discrepancy relative to its bound; None for zero."""
    if excess <= 0:
        return None
    return math.ceil(math.log10(excess)) if math.isfinite(excess) else DECADES


def verdict(comparisons: Iterable[Comparison]) -> Verdict:
    """Return ``disagrees`` if any comparison does, else ``not checked`` if any is not checked, else ``agrees``.

    If all quantities that :func:`all_zero` examines are zero, the verdict is ``not checked``.
    """
    found = tuple(comparisons)
    verdicts = {c.verdict for c in found}
    if "disagrees" in verdicts:
        return "disagrees"
    return "not checked" if "not checked" in verdicts or not found or all_zero(found) else "agrees"


def overall(found: Verdict, left_out: LeftOut, searched: str = "") -> Overall:
    """Combine the verdict on a whole model; ``searched`` names a correspondence found by search."""
    if found != "agrees":
        return found
    if searched:
        return "agrees after matching"
    return "agrees in part" if left_out.counts else "agrees"


def headline(said: str, found: Overall, left_out: LeftOut, searched: str = "", sides: str = "") -> str:
    """Write a verdict with its exclusions: ``agrees after reversing q7, without 19 contacts, 1 bushing``.

    ``sides`` has the exclusions' counts if only one of two files has some.
    """
    words, without = left_out.words, left_out.without
    if found == "agrees after matching":
        return f"{said} after {searched}, {without}" if words else f"{said} after {searched}"
    if not words:
        return said
    between = " " if without.startswith("without") else ", "
    return f"{said}{between}{without}" if found == "agrees in part" else f"{said}, left out{sides or f': {words}'}"


#: Said of a model whose text no second reading and no other program read.
READ_ONCE: Final = "its text was read by one reader only"
#: What is compared of a motion with constraints, in the order in which it is shown.
CONSTRAINED = ACCELERATION, REACTIONS, RANK = "constrained acceleration", "reactions", "rank"
#: The comparison of a formalism's own solution with that of its equations, the other side of it, and that of floats.
OWN, EQUATIONS, SOLUTION = "own solution", "its equations", "solution in floats"
#: Said of such comparisons.
NOTHING_COMPARED = "every quantity that was compared is zero at all states: nothing was compared"


def all_zero(comparisons: Iterable[Comparison]) -> bool:
    """Return True if canonical quantities, or accelerations along constraints, were compared and all are zero."""
    asked = (*QUANTITIES, ACCELERATION)
    zero = [c.zero for c in comparisons if c.quantity in asked and not c.claim and c.verdict != "not checked"]
    return bool(zero) and all(zero)


@dataclass(frozen=True)
class WitnessRecord:
    """Record of one witness in a check: its obstacles, or its derivation with its cost.

    ``operations`` are counted per quantity and, under ``"all"``, of everything together; ``seconds`` is the time of the
    derivation, ``evaluation_seconds`` that of the numbers at all states. If there are neither obstacles nor a
    derivation, it failed as ``diagnostics`` say. ``form`` is the requested one of several. For a model with constraints
    ``obstacles`` and the derivation are those of its open tree, and ``constraint_obstacles`` say why it gives no motion
    with the constraints. ``by`` is the formalism itself, which may add to a report.
    """

    name: str
    title: str
    reference: str
    obstacles: tuple[Obstacle, ...] = ()
    derivation: Derivation | None = None
    operations: Mapping[str, Operations] = field(default_factory=dict)
    seconds: float | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    evaluation_seconds: float | None = None
    form: str | None = None
    constraint_obstacles: tuple[Obstacle, ...] = ()
    by: Formalism | None = field(default=None, repr=False, compare=False)

    @property
    def full_name(self) -> str:
        """The name by which it can be requested: ``name``, or ``name:form``."""
        return f"{self.name}:{self.form}" if self.form else self.name

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        return {
            "name": self.name,
            "form": self.form,
            "obstacles": [_obstacle(o) for o in self.obstacles],
            "constraint_obstacles": [_obstacle(o) for o in self.constraint_obstacles],
            "seconds": self.seconds,
            "evaluation_seconds": self.evaluation_seconds,
            "operations": {name: o.to_json() for name, o in self.operations.items()},
            "diagnostics": [str(d) for d in self.diagnostics],
            "notes": [str(d) for d in self.derivation.notes] if self.derivation else [],
        }


@dataclass(frozen=True, repr=False)
class Evidence:
    """Result of checking one model.

    ``read_once``: only its reader vouches for the reading of the text; ``by_links``: only recursions were run, and no
    equations derived; ``locations``: of the model's places in its text.
    """

    file: str
    system: System
    seed: int
    states: tuple[State, ...]
    witnesses: tuple[WitnessRecord, ...]
    comparisons: tuple[Comparison, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    against: Against | None = None
    accepted: Mapping[str, int] | None = None
    horizon: Horizon | None = None
    read_once: bool = False
    by_links: bool = False
    locations: Mapping[str, Location] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        speaking = dict.fromkeys(w.name for w in self.witnesses if w.derivation is not None)
        compared = {(c.claim, c.quantity) for c in self.comparisons if c.verdict != "not checked"}
        return line(
            type(self).__name__, f"of {self.system.name or self.file}", self.headline,
            count(len(speaking), "witness", "witnesses"), f"{count(len(compared), 'quantity', 'quantities')} compared",
        )  # fmt: skip

    @property
    def left_out(self) -> LeftOut:
        """Omissions of the model, which the verdict does not cover; the user accepted those in ``accepted`` beforehand.

        Elements whose forces enter as loads are no omissions; the user may accept exactly these all the same.
        """
        loads = acting(self.against.through_loads) if self.against else {}
        known = {k: n for k, n in (self.accepted or {}).items() if loads.get(k) != n} if loads else self.accepted
        return LeftOut(self.system.omissions, known)

    @property
    def search_note(self) -> str:
        """The correspondence with another program's equations that was searched rather than given, in words."""
        return self.against.searched if self.against else ""

    @property
    def verdict(self) -> Overall:
        """``disagrees`` if any comparison does, else ``not checked`` if any is not checked, else ``agrees``: after
        matching if correspondences were searched, in part if the model's reader left out parts of the motion.
        """
        return overall(verdict(self.comparisons), self.left_out, self.search_note)

    @property
    def stands(self) -> bool:
        """True if everything agrees, except for accepted omissions."""
        return self.verdict in ("agrees", "agrees in part") and self.left_out.stands

    @property
    def headline(self) -> str:
        """The verdict in words: ``agrees without 19 contacts, 1 bushing``; for motions with their end time.

        If the verdict is "agrees" but only one reader read the text, the headline says so.
        """
        agrees = self.verdict.startswith("agrees")
        said = "agrees" if agrees else self.verdict
        where = f" where {self.against.where}" if self.against and self.against.where else ""
        found = headline(said + where, self.verdict, self.left_out, self.search_note)
        loads = self.against.words_of_loads if self.against and agrees else ""
        found = f"{found}: {loads}" if loads else found
        found = f"{found}, {self.against.asked}" if self.against and self.against.asked and agrees else found
        found = f"{found}, link by link" if self.by_links else found
        found = f"{found}, {self.horizon.words}" if self.horizon else found
        return f"{found}; {READ_ONCE}" if agrees and self.read_once else found

    def to_frame(self) -> DataFrame:
        """Convert to a pandas table, a row for every comparison; its columns are :data:`.frames.COLUMNS`."""
        return comparisons_frame(self.comparisons)

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        return (
            {
                "file": self.file,
                "verdict": self.verdict,
                "headline": self.headline,
                **self.left_out.to_json(),
                "stands": self.stands,
                "read_once": self.read_once,
                "seed": self.seed,
                "formalisms": [w.to_json() for w in self.witnesses],
                "pairs": [c.to_json() for c in self.comparisons],
                "diagnostics": [str(d) for d in self.diagnostics],
            }
            | {
                name: value.to_json()
                for name, value in (("against", self.against), ("simulated", self.horizon))
                if value
            }
            | ({"link_by_link": True} if self.by_links else {})
        )
