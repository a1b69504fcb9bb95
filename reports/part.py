"""One model's part of a report: written during its check, and joined with other parts afterwards.

The module also writes reports in JSON: the objects of ``check --json`` in one document.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.notation.listing import ReportSection
from mbconcord.records import dataclass
from mbconcord.validation.judge.evidence import OVERALL, WORST_FIRST, Comparison, Evidence, Overall
from mbconcord.witnessed import list_head, with_constraints, with_evidence

# What formalisms add to a report: a section on each model they derived, and one at the end.


def collect_sections(evidence: Evidence) -> list[ReportSection]:
    """Collect the sections of the formalisms that derived the model, in addition to its equations."""
    return [
        section
        for formalism, derivation in _authors(evidence)
        for section in _ask(formalism, lambda f=formalism, d=derivation: f.sections(d))  # type: ignore[misc]
    ]


def appendices(evidence: Evidence) -> tuple[tuple[str, tuple[ReportSection, ...]], ...]:
    """Collect each formalism's appendix, included once per report for any number of models."""
    return tuple((f.name, _ask(f, f.appendix)) for f, _ in _authors(evidence))


def _authors(evidence: Evidence) -> Iterator[tuple[Formalism, Derivation]]:
    """Yield the formalisms that derived the model, and their derivations."""
    for witness in evidence.witnesses:
        if witness.by is not None and witness.derivation is not None:
            yield witness.by, witness.derivation


def _ask(formalism: Formalism, question: Callable[[], Iterable[ReportSection]]) -> tuple[ReportSection, ...]:
    """Ask a formalism for sections; if it fails, return a section with the error, so that the report goes on."""
    try:
        return tuple(question())
    except Exception as problem:
        return (ReportSection(f"Sections of {formalism.name}", note=f"{type(problem).__name__}: {problem}"),)


# What a report of several models says about one of them: small and free of formulas, to travel between processes.


@dataclass(frozen=True)
class Closest:
    """The comparison whose discrepancy is the largest part of its tolerance."""

    quantity: str
    a: str
    b: str
    discrepancy: float | None
    tolerance: float | None


@dataclass(frozen=True)
class Digest:
    """Row of one model in the summary of a report.

    Attributes
    ----------
    file, verdict, headline : as in the evidence
    stands : True if everything agrees, except for accepted omissions
    witnesses, coordinates : number of formalisms that derived the model, and of its coordinates
    closest : the comparison closest to its tolerance; None if nothing was compared
    excesses : discrepancies of all comparisons in units of the tolerance
    sources : name, title and reference of every formalism that took part
    assumes : sentences on the assumptions under which the numbers of the model hold
    """

    file: str
    verdict: Overall
    headline: str
    stands: bool
    witnesses: int
    coordinates: int
    closest: Closest | None
    excesses: tuple[float, ...]
    sources: tuple[tuple[str, str, str], ...]
    assumes: tuple[str, ...] = ()

    @property
    def formalisms(self) -> tuple[str, ...]:
        """Names of the formalisms that took part."""
        return tuple(name for name, _, _ in self.sources)


def assumptions(evidence: Evidence) -> tuple[str, ...]:
    """Return lines with the assumptions under which the numbers of a check hold, and names of unchecked numbers."""
    loads = evidence.against.words_of_loads if evidence.against else ""
    head = list_head("check", with_constraints(evidence.system, "quantity"))
    return (*head, loads) if loads else tuple(head)


def merge_assumptions(digests: Iterable[Digest]) -> list[str]:
    """Return the assumptions under which the numbers of several models hold, as sentences without repetition."""
    return [*dict.fromkeys(line for digest in digests for line in digest.assumes)]


def digest(evidence: Evidence) -> Digest:
    """Return the row of one model in the summary."""
    found = worst(evidence)
    other = evidence.against.witness if evidence.against else ""
    taking = [w for w in evidence.witnesses if not w.obstacles]
    closest = Closest(found.quantity, found.a, found.b, found.discrepancy, found.tolerance) if found else None
    return Digest(
        evidence.file,
        evidence.verdict,
        evidence.headline,
        evidence.stands,
        len(taking),
        len(evidence.system.coordinates),
        closest,
        tuple(c.excess for c in evidence.comparisons if c.discrepancy is not None),
        tuple(dict.fromkeys((w.name, w.title, w.reference) for w in taking if w.name != other)),
        assumptions(evidence),
    )


def worst(evidence: Evidence) -> Comparison | None:
    """Return the comparison with the largest discrepancy relative to its tolerance."""
    measured = (c for c in evidence.comparisons if c.discrepancy is not None)
    return max(measured, key=lambda c: c.excess, default=None)


def closing_line(digests: Sequence[Digest], unreadable: int) -> str:
    """Write the number of files by verdict: ``3 files: 2 agree, 1 refused``."""
    counts = dict.fromkeys(OVERALL, 0)
    for found in digests:
        counts[found.verdict] += 1
    words = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    if unreadable:
        words.append(f"{unreadable} refused")
    total = len(digests) + unreadable
    return f"{total} {'file' if total == 1 else 'files'}: {', '.join(words)}"


@dataclass(frozen=True)
class ReportRequest:
    """Settings of the contents of a report.

    Attributes
    ----------
    options : command-line options that set numbers; they belong to the command that repeats the check
    """

    options: tuple[str, ...] = ()


#: Nothing but what every report holds.
PLAIN = ReportRequest()


@dataclass(frozen=True)
class ReportPart:
    """Part of a report on one model: its digest, its own text, and the formalisms' appendices."""

    digest: Digest
    body: str
    appendices: tuple[tuple[str, tuple[ReportSection, ...]], ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A model that cannot be checked, and why."""

    file: str
    findings: tuple[Diagnostic, ...]


def once(parts: Sequence[ReportPart]) -> list[ReportSection]:
    """List each formalism's appendices once."""
    said = {name: sections for part in parts for name, sections in part.appendices}
    return [section for sections in said.values() for section in sections]


def failures_first(parts: Sequence[ReportPart]) -> list[ReportPart]:
    """Sort the parts: disagreements first, then partial and missing checks; otherwise in order."""
    return sorted(parts, key=lambda part: WORST_FIRST.index(part.digest.verdict))


#: Formalisms add nothing to it.
APPENDICES = False


def body(evidence: Evidence, wanted: ReportRequest) -> str:
    """Write one model's object, as ``check --json`` prints it."""
    return dumps(with_evidence("check", evidence.to_json(), with_constraints(evidence.system, "quantity")), indent=1)


def page(parts: Sequence[ReportPart], refusals: Sequence[Refusal] = ()) -> str:
    """Write a document ``{"files": [...]}``, with ``"refused"`` if models were refused."""
    files = ",\n".join(part.body for part in parts)
    refused = [{"file": r.file, "diagnostics": [str(d) for d in r.findings]} for r in refusals]
    also = f',\n"refused": {dumps(refused)}' if refused else ""
    return f'{{"files": [\n{files}\n]{also}}}\n'


def dumps(value: Any, indent: int | None = None) -> str:
    """Write JSON text; floats with all digits that distinguish them, null for NaN and infinity."""
    return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, indent=indent)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
