"""What the check of each model is expected to give, by a catalog, and where an evidence departs from it.

A verdict says nothing of witnesses that are no longer heard, and zeros agree with zeros. A catalog names, for each
model, who witnesses what; :mod:`.catalogs` reads one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, Location, error
from mbconcord.model.expressions.field.verdict import UNDECIDED
from mbconcord.model.omission import counted

from .bodies.joint_forces import BODIES
from .claims.claim import PHYSICS
from .claims.derived.differences import DIFFERENCES
from .claims.direct_evaluation import directly, evaluated
from .claims.forward_inverse import NOTHING
from .claims.second_reading import READER, SECOND
from .constraints.agreement import EQUATIONS
from .direct.witness import NAME as DIRECT
from .judge.evidence import Evidence, Witness, verdict
from .judge.floats import EXACT
from .maximal.witness import BY_FIELDS, BY_TEXT
from .named_files import absolute

#: Witnesses beside the formalisms.
OTHERS = (DIRECT, PHYSICS, EXACT, NOTHING, EQUATIONS, READER, SECOND, BY_TEXT, BY_FIELDS, BODIES, DIFFERENCES)
AGREES, NOT_CHECKED = "agrees", "not checked"


@dataclass(frozen=True)
class Expectation:
    """What a catalog says of one model.

    Attributes
    ----------
    file : as it stands in the catalog
    location : of the entry
    witnesses : quantity -> who witnesses it; None where the file is documented only
    zero : quantities that are zero at every state
    verdict, reason : the expected verdict, and words that explain what is not checked
    sizes : of ``bodies`` and ``coordinates``, those that the catalog tells
    left_out : kind -> how many of it, acting on the motion, the reader leaves out of the model
    undecided : words of which some stand in every reason why equations are not proved to be identical
    """

    file: str
    location: Location
    witnesses: Mapping[str, frozenset[str]] | None
    zero: frozenset[str]
    verdict: str
    reason: str
    sizes: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    undecided: tuple[str, ...] = ()

    def departures(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Where the evidence is not as expected: errors; and notes of witnesses that are not expected."""
        if self.witnesses is None:
            yield self._error("", "the catalog names no witnesses of this model", "give its entry witnesses")
            return
        for name, size in self.sizes.items():
            found = len(getattr(evidence.system, name))
            if found != size:
                yield self._error(name, f"there are {found}, expected {size}")
        yield from self._left_out(evidence)
        yield from self._verdict(evidence)
        heard = witnesses(evidence)
        for quantity, expected in self.witnesses.items():
            for who in sorted(expected - heard.get(quantity, set())):
                yield self._error(quantity, f"{who} does not witness it: {_why(evidence, who)}")
        yield from self._zeros(evidence)
        yield from self._unproved(evidence)
        for quantity, found_here in heard.items():
            more = sorted(found_here - self.witnesses.get(quantity, frozenset()))
            if more:
                message = f"{', '.join(more)} too, unnamed in the catalog: nobody would notice the loss"
                yield Diagnostic("note", self._place(quantity), message, "", self.location)

    def _left_out(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Of what acts on the motion the reader left out exactly what the entry says."""
        found = evidence.left_out
        if found.counts != dict(self.left_out):
            counts = ", ".join(f"{kind} = {n}" for kind, n in found.counts.items())
            remedy = (
                f"where that is known, give the entry left_out = {{ {counts} }}" if counts else "take it out"
            )
            message = f"{found.words or 'nothing'} left out, expected {counted(self.left_out) or 'nothing'}"
            yield self._error("left_out", message, remedy)

    def _verdict(self, evidence: Evidence) -> Iterator[Diagnostic]:
        found = verdict(evidence.comparisons)
        if found != self.verdict:
            remedy = {
                "disagrees": "a catalog excuses no disagreement",
                NOT_CHECKED: f"where that is known, give the entry verdict = {NOT_CHECKED!r} and the reason",
                AGREES: "take verdict and reason out of its entry",
            }[found]
            yield self._error("verdict", f"{found}, expected {self.verdict}", remedy)
        elif evidence.searched:
            yield self._error("verdict", f"{evidence.headline}, expected {self.verdict}", "tell the matching")
        elif self.reason:
            others = {
                c.explanation: c.quantity
                for c in evidence.comparisons
                if c.verdict == NOT_CHECKED and self.reason not in c.explanation
            }
            for explanation, quantity in others.items():
                yield self._error(
                    quantity, f"not checked for another reason than {self.reason!r}: {explanation}"
                )

    def _zeros(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Canonical quantities that are zero at every state and should not be, or the other way round.

        Where two who agree are exactly zero, the others have rounding at most.
        """
        for quantity in QUANTITIES:
            compared = [c for c in evidence.comparisons if c.quantity == quantity and not c.claim]
            zero = [c.zero for c in compared if c.verdict == AGREES]
            if zero and any(zero) != (quantity in self.zero):
                found, expected = ("zero at every state", "numbers") if any(zero) else ("not zero", "zeros")
                remedy = "mend the model, or the entry's zero"
                yield self._error(quantity, f"it is {found}, expected {expected}", remedy)

    def _unproved(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Equations that agree and are not proved to be identical, for another reason than the entry says."""
        found: dict[str, str] = {}
        for c in evidence.comparisons:
            if c.verdict != AGREES or c.exact is None or c.exact.kind != UNDECIDED:
                continue
            if not any(words in c.exact.reason for words in self.undecided):
                found.setdefault(c.exact.reason, c.quantity)
        for reason, quantity in found.items():
            remedy = "where that is known, give the entry undecided = [words of the reason]"
            yield self._error(quantity, f"not proved to be identical: {reason}", remedy)

    def _place(self, of: str) -> str:
        return f"{self.file}/{of}" if of else self.file

    def _error(
        self, of: str, message: str, remedy: str = "mend the cause, or the entry in the catalog"
    ) -> Diagnostic:
        return error(self._place(of), message, remedy, self.location)


@dataclass(frozen=True)
class Catalog:
    """A catalog: file, and what it expects of each model, by the model's absolute path."""

    file: str
    expectations: Mapping[Path, Expectation]

    def departures(self, evidence: Evidence) -> tuple[Diagnostic, ...]:
        """Where the evidence of a model is not what the catalog expects."""
        expected = self.expectations.get(absolute(evidence.file))
        if expected is None:
            remedy = f"give {self.file} an entry of it"
            return (error(evidence.file, "the catalog lacks this model", remedy, Location(self.file, 1, 1)),)
        return tuple(expected.departures(evidence))

    def absent(self, folders: Iterable[str], files: Iterable[str]) -> tuple[Diagnostic, ...]:
        """Models that the catalog expects in the folders that were checked, and that are not among the files."""
        inside, there = [absolute(f) for f in folders], {absolute(f) for f in files}
        return tuple(
            error(e.file, "there is no such model in the folder", "take its entry out", e.location)
            for path, e in self.expectations.items()
            if e.witnesses is not None and path not in there and any(path.is_relative_to(f) for f in inside)
        )


def witnesses(evidence: Evidence) -> dict[str, set[str]]:
    """Quantity -> everyone who agrees with another in it: formalisms, and what claims compare them with."""
    heard: dict[str, set[str]] = {}
    for c in evidence.comparisons:
        if c.verdict == AGREES:
            heard.setdefault(c.quantity, set()).update(filter(None, (c.a, c.b)))
    return heard


def _why(evidence: Evidence, who: str) -> str:
    """Why a witness is not heard, as far as it says so itself."""
    asked: dict[str, Witness] = {w.name: w for w in evidence.witnesses}
    asked |= {name(w.name): w for w in evidence.witnesses for name in (directly, evaluated)}
    if who not in asked:
        return "no comparison with it agrees" if who in OTHERS else "it was not asked"
    witness = asked[who]
    said = (*witness.obstacles, *witness.constraint_obstacles, *(d.message for d in witness.diagnostics))
    return str(said[0]) if said else "no comparison with it agrees"
