"""Expected results of the check of each model, listed in a catalog, and deviations of evidence from them.

A verdict says nothing of witnesses that are no longer heard, and zeros agree with zeros. A catalog names, for each
model, who witnesses what, in TOML::

    [witnesses.tree]                      # a set of witnesses
    M = ["one_formalism", "another", "direct"]

    [[model]]
    file = "arm.mbsd"                     # relative to the catalog
    witnesses = ["tree"]                  # all sets together
    zero = ["applied"]                    # quantities that are zero at every state
    verdict = "not checked"               # where it is not "agrees"; then with
    reason = "no inertia along z3"        # words that stand in the explanation of all that is not checked
    undecided = ["atan2"]                 # words of which some stand in every reason why equations are not proved equal

Entries may hold ``source``, ``known``, ``bodies`` and ``coordinates`` too; the last two are compared. An entry
without ``witnesses`` documents a file that is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mbconcord.converters.inclusions import absolute, parse_toml, utf8_text
from mbconcord.formalisms import registry
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.diagnostics import Diagnostic, Location, ReadError, among, error
from mbconcord.model.expressions.field.sizes import UNDECIDED
from mbconcord.model.omission import KINDS, format_counts
from mbconcord.records import dataclass, field

from ..claims.claim import PHYSICS, directly, name_evaluated
from ..claims.derived.differences import DIFFERENCES
from ..claims.reinsertion import NOTHING
from ..judge.evidence import EQUATIONS, Evidence, WitnessRecord, verdict
from ..judge.floats import EXACT
from ..witnesses.direct.tree import NAME as DIRECT
from ..witnesses.maximal.free_bodies import BY_FIELDS, BY_TEXT
from ..witnesses.sums.joint_forces import BODIES
from ..witnesses.text import PRINTED, READER, SECOND

#: Witnesses beside the formalisms.
OTHERS = (DIRECT, PHYSICS, EXACT, NOTHING, EQUATIONS, READER, SECOND, PRINTED, BY_TEXT, BY_FIELDS, BODIES, DIFFERENCES)
AGREES, NOT_CHECKED = "agrees", "not checked"


@dataclass(frozen=True)
class Expectation:
    """Entry of a catalog for one model.

    Attributes
    ----------
    file : name of the model's file as written in the catalog
    location : location of the entry
    witnesses : quantity -> its witnesses; None if the file is only documented
    zero : quantities that are zero at every state
    verdict, reason : the expected verdict, and words that explain what is not checked
    sizes : the catalog's numbers of ``bodies`` and ``coordinates``
    left_out : kind -> number of omissions of the reader that act on the motion
    undecided : words, some of which must appear in every reason for an undecided proof
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
        """Yield errors if evidence differs from the expectation, and notes on unexpected witnesses."""
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
        yield from self._check_unproved(evidence)
        for quantity, found_here in heard.items():
            more = sorted(found_here - self.witnesses.get(quantity, frozenset()))
            if more:
                message = f"{', '.join(more)} too, unnamed in the catalog: nobody would notice the loss"
                yield Diagnostic("note", self._place(quantity), message, "", self.location)

    def _left_out(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Check that the reader's omissions that act on the motion are exactly those of the entry."""
        found = evidence.left_out
        if found.counts != dict(self.left_out):
            counts = ", ".join(f"{kind} = {n}" for kind, n in found.counts.items())
            remedy = f"where that is known, give the entry left_out = {{ {counts} }}" if counts else "take it out"
            message = f"{found.words or 'nothing'} left out, expected {format_counts(self.left_out) or 'nothing'}"
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
        elif evidence.search_note:
            yield self._error("verdict", f"{evidence.headline}, expected {self.verdict}", "tell the matching")
        elif self.reason:
            others = {
                c.explanation: c.quantity
                for c in evidence.comparisons
                if c.verdict == NOT_CHECKED and self.reason not in c.explanation
            }
            for explanation, quantity in others.items():
                yield self._error(quantity, f"not checked for another reason than {self.reason!r}: {explanation}")

    def _zeros(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Report canonical quantities that are zero at every state but should not be, or the reverse.

        If two agreeing witnesses are exactly zero, those of others are zero but for rounding.
        """
        for quantity in QUANTITIES:
            compared = [c for c in evidence.comparisons if c.quantity == quantity and not c.claim]
            zero = [c.zero for c in compared if c.verdict == AGREES]
            if zero and any(zero) != (quantity in self.zero):
                found, expected = ("zero at every state", "numbers") if any(zero) else ("not zero", "zeros")
                remedy = "mend the model, or the entry's zero"
                yield self._error(quantity, f"it is {found}, expected {expected}", remedy)

    def _check_unproved(self, evidence: Evidence) -> Iterator[Diagnostic]:
        """Report equations that agree but are not proved identical, for another reason than the entry's."""
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

    def _error(self, of: str, message: str, remedy: str = "mend the cause, or the entry in the catalog") -> Diagnostic:
        return error(self._place(of), message, remedy, self.location)


@dataclass(frozen=True)
class Catalog:
    """A catalog: its file, and absolute path of a model -> expectations for it."""

    file: str
    expectations: Mapping[Path, Expectation]

    def departures(self, evidence: Evidence) -> tuple[Diagnostic, ...]:
        """Report where a model's evidence differs from the catalog."""
        expected = self.expectations.get(absolute(evidence.file))
        if expected is None:
            remedy = f"give {self.file} an entry of it"
            return (error(evidence.file, "the catalog lacks this model", remedy, Location(self.file, 1, 1)),)
        return tuple(expected.departures(evidence))

    def absent(self, folders: Iterable[str], files: Iterable[str]) -> tuple[Diagnostic, ...]:
        """Report models that the catalog expects in the checked folders but that are not among the files."""
        inside, there = [absolute(f) for f in folders], {absolute(f) for f in files}
        return tuple(
            error(e.file, "there is no such model in the folder", "take its entry out", e.location)
            for path, e in self.expectations.items()
            if e.witnesses is not None and path not in there and any(path.is_relative_to(f) for f in inside)
        )


def witnesses(evidence: Evidence) -> dict[str, set[str]]:
    """Map each quantity to all who agree with another in it: formalisms, and witnesses of claims."""
    heard: dict[str, set[str]] = {}
    for c in evidence.comparisons:
        if c.verdict == AGREES:
            heard.setdefault(c.quantity, set()).update(filter(None, (c.a, c.b)))
    return heard


def _why(evidence: Evidence, who: str) -> str:
    """Return the reason why a witness gives no result, if the evidence has one."""
    asked: dict[str, WitnessRecord] = {w.name: w for w in evidence.witnesses}
    asked |= {name(w.name): w for w in evidence.witnesses for name in (directly, name_evaluated)}
    if who not in asked:
        return "no comparison with it agrees" if who in OTHERS else "it was not asked"
    witness = asked[who]
    said = (*witness.obstacles, *witness.constraint_obstacles, *(d.message for d in witness.diagnostics))
    return str(said[0]) if said else "no comparison with it agrees"


#: Keys of an entry, and the types of their values.
KEYS: Mapping[str, type] = {
    "file": str, "source": str, "known": str, "bodies": int, "coordinates": int, "witnesses": list, "zero": list,
    "verdict": str, "reason": str, "left_out": dict, "undecided": list,
}  # fmt: skip
TYPES = {str: "a string", int: "a whole number", list: "a list of strings", dict: "a table of counts"}


def read_catalog(file: str) -> Catalog:
    """Read the catalog in a TOML file.

    Raises
    ------
    ReadError
        The file cannot be read, is not TOML, or is no catalog; the message lists all errors with their places.
    """
    text = utf8_text(file)
    data = parse_toml(text, file, "as in fixtures/catalog.toml")
    read = _CatalogReader(file, text.splitlines())
    found = read.catalog(data)
    if read.findings:
        raise ReadError(read.findings)
    return found


class _CatalogReader:
    """Reader of a catalog's entries from its tables; ``findings`` are their errors."""

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.file, self.lines = file, lines
        names = registry.names()
        self.known = frozenset((*names, *map(directly, names), *map(name_evaluated, names), *OTHERS))
        self.findings: list[Diagnostic] = []

    def catalog(self, data: Mapping[str, Any]) -> Catalog:
        """Read the catalog of the whole file."""
        for key in data.keys() - {"witnesses", "model"}:
            self._wrong("", key, "no such table", "known: witnesses, model", self._line(rf"\[+\s*{re.escape(key)}\b"))
        sets = data.get("witnesses", {})
        if not isinstance(sets, dict):
            self._wrong("", "witnesses", f"expected a table of tables, found {sets!r}")
            sets = {}
        named = {name: self._set(name, value) for name, value in sets.items()}
        models = data.get("model", [])
        if not isinstance(models, list) or not all(isinstance(m, dict) for m in models):
            self._wrong("", "model", "expected entries [[model]]")
            models = []
        starts = [n for n, line in enumerate(self.lines, 1) if re.match(r"\s*\[\[\s*model\s*\]\]", line)]
        if len(starts) != len(models):
            starts = [1] * len(models)
        found: dict[Path, Expectation] = {}
        for entry, line in zip(models, starts, strict=True):
            expected = self._entry(entry, named, Location(self.file, line, 1))
            path = absolute(str(Path(self.file).parent / expected.file))
            if path in found and expected.file:
                self._wrong(expected.file, "", f"a second entry: the first is in line {found[path].location.line}",
                            location=expected.location)  # fmt: skip
            found[path] = expected
        return Catalog(self.file, found)

    def _set(self, name: str, value: Any) -> dict[str, frozenset[str]]:
        place, location = f"witnesses/{name}", self._line(rf"\[\s*witnesses\s*\.\s*\"?{re.escape(name)}\b")
        if not isinstance(value, dict):
            self._wrong(place, "", f"expected a table of quantities, found {value!r}", location=location)
            return {}
        found: dict[str, frozenset[str]] = {}
        for quantity, names in value.items():
            found[quantity] = frozenset(self._strings(place, quantity, names, location))
            for who in sorted(found[quantity] - self.known):
                remedy = f"known: {', '.join(sorted(self.known))}"
                self._wrong(place, quantity, f"there is no witness {who!r}", remedy, location)
        return found

    def _entry(
        self, entry: Mapping[str, Any], named: Mapping[str, Mapping[str, frozenset[str]]], location: Location
    ) -> Expectation:
        file = entry.get("file", "")
        place = str(file) or "model"
        if not file:
            self._wrong(place, "file", "an entry needs the file of its model", location=location)
        for key, value in entry.items():
            if key not in KEYS:
                self._wrong(place, key, "no such key", f"known: {', '.join(KEYS)}", location)
            elif type(value) is not KEYS[key]:
                self._wrong(place, key, f"expected {TYPES[KEYS[key]]}, found {value!r}", location=location)
        sets = self._strings(place, "witnesses", entry.get("witnesses", []), location)
        for name in sets:
            if name not in named:
                known = f"known: {', '.join(named)}" if named else f"write a table [witnesses.{name}]"
                self._wrong(place, "witnesses", f"there is no set {name!r}", known, location)
        together: dict[str, frozenset[str]] = {}
        for name in sets:
            for quantity, names in named.get(name, {}).items():
                together[quantity] = together.get(quantity, frozenset()) | names
        zero = self._strings(place, "zero", entry.get("zero", []), location)
        for quantity in zero:
            if quantity not in QUANTITIES:
                self._wrong(place, "zero", f"there is no quantity {quantity!r}", f"known: {', '.join(QUANTITIES)}",
                            location)  # fmt: skip
        verdict, reason = entry.get("verdict", AGREES), entry.get("reason", "")
        if verdict not in (AGREES, NOT_CHECKED):
            self._wrong(place, "verdict", f"expected {AGREES!r} or {NOT_CHECKED!r}, found {verdict!r}",
                        "a catalog excuses no disagreement", location)  # fmt: skip
        if (verdict == NOT_CHECKED) != bool(reason):
            self._wrong(place, "reason", f"verdict = {NOT_CHECKED!r} and a reason belong together", location=location)
        left_out = self._counts(place, entry.get("left_out", {}), location)
        undecided = tuple(self._strings(place, "undecided", entry.get("undecided", []), location))
        sizes = {key: entry[key] for key in ("bodies", "coordinates") if type(entry.get(key)) is int}
        expected = together if "witnesses" in entry else None
        return Expectation(
            str(file), location, expected, frozenset(zero), str(verdict), str(reason), sizes, left_out, undecided
        )

    def _counts(self, place: str, value: Any, location: Location) -> dict[str, int]:
        """Read kinds of omissions and their counts; a value that is no table is already reported."""
        found = value if isinstance(value, dict) else {}
        for kind, count in found.items():
            if kind not in KINDS:
                self._wrong(place, "left_out", f"unknown kind {kind!r}", among(kind, KINDS), location)
            elif type(count) is not int or count < 1:
                message = f"found {kind} = {count!r}, expected a count of one or more"
                self._wrong(place, "left_out", message, location=location)
        return {kind: n for kind, n in found.items() if kind in KINDS and type(n) is int}

    def _strings(self, place: str, key: str, value: Any, location: Location) -> list[str]:
        """Check a list of strings, and report errors that have not been reported."""
        if isinstance(value, list) and all(isinstance(x, str) for x in value):
            return value
        if isinstance(value, list) or key not in KEYS:
            self._wrong(place, key, f"expected {TYPES[list]}, found {value!r}", location=location)
        return []

    def _line(self, pattern: str) -> Location:
        """Find the first line that begins with the pattern."""
        found = (n for n, line in enumerate(self.lines, 1) if re.match(rf"\s*{pattern}", line))
        return Location(self.file, next(found, 1), 1)

    def _wrong(self, place: str, key: str, message: str, remedy: str = "", location: Location | None = None) -> None:
        whole = "/".join(filter(None, (place, key)))
        self.findings.append(error(whole, message, remedy, location or Location(self.file, 1, 1)))
