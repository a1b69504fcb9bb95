"""Findings of checks with their level, rule and location in the model's text, for programs that show them there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from mbconcord.model.diagnostics import Diagnostic, Location
from mbconcord.records import dataclass, replace
from mbconcord.validation.judge.evidence import Comparison, Evidence

from .against import troubles
from .summary import list_omissions, reproduction
from .text import disagreement, not_checked

Level = Literal["error", "warning"]
#: Rule -> its sentence.
RULES: Final[Mapping[str, str]] = {
    "disagreement": "two witnesses of the equations of motion disagree",
    "not-checked": "a quantity has fewer than two witnesses",
    "left-out": "the reader left out what acts on the motion",
    "refused": "the model cannot be checked",
    "unexpected": "the check differs from the catalog",
    "remark": "the model deserves a look",
}
#: Parts of a model after which entries of quantities and omissions are named.
NAMED: Final = ("coordinates", "bodies")


@dataclass(frozen=True)
class Annotation:
    """A finding: an error where the check does not stand for it, else a warning; its rule is a key of ``RULES``."""

    level: Level
    rule: str
    location: Location
    message: str


def annotate(evidence: Evidence, options: Sequence[str] = ()) -> tuple[Annotation, ...]:
    """List what a check found at its places in the text; ``options`` are those of the command that repeats it."""
    return tuple(_annotations(evidence, options))


def _annotations(evidence: Evidence, options: Sequence[str]) -> Iterator[Annotation]:
    start = Location(evidence.file, 1, 1)
    for trouble in troubles(evidence):
        lines = [*disagreement(trouble.first, trouble.others, 1), f"reproduce: {reproduction(evidence, options)}"]
        yield Annotation("error", "disagreement", locate(evidence, trouble.first), "\n".join(lines))
    for line in not_checked(evidence.comparisons):
        yield Annotation("error" if evidence.verdict == "not checked" else "warning", "not-checked", start, line)
    left_out = evidence.left_out
    for kind in left_out.counts:
        own = tuple(o for o in left_out.touching if o.kind == kind)
        names = [("omissions", o.place) for o in own] + [(k, o.place.partition("/")[2]) for o in own for k in NAMED]
        at = _first(evidence, names)
        said = "; ".join(list_omissions(replace(left_out, omissions=own, accepted=None))[:1])
        answer = left_out.describe_acceptance()
        yield Annotation("warning" if left_out.stands else "error", "left-out", at, f"{said}; {answer}")
    yield from annotate_findings(evidence.file, evidence.diagnostics, "remark")


def annotate_findings(file: str, findings: Iterable[Diagnostic], rule: str = "refused") -> tuple[Annotation, ...]:
    """List the errors and warnings among findings about a model, by default those why it was refused."""
    start = Location(file, 1, 1)
    return tuple(
        Annotation(
            d.severity, rule, d.location or start, str(replace(d, location=None)).replace(f"{d.severity}: ", "", 1)
        )
        for d in findings
        if d.severity != "note"
    )


def locate(evidence: Evidence, c: Comparison) -> Location:
    """Return where the text has the coordinate or body of a comparison's worst entry; else its start."""
    return _first(evidence, [(kind, name) for name in c.entry for kind in NAMED])


def _first(evidence: Evidence, names: Iterable[tuple[str, str]]) -> Location:
    found = (evidence.locations.get(f"{kind}/{name}") for kind, name in names)
    return next(filter(None, found), Location(evidence.file, 1, 1))
