"""The mutation score as text, JSON and Markdown: detections by witness, and all survivors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mbconcord.reports.part import dumps
from mbconcord.reports.summary import versions
from mbconcord.reports.table import table

from ..runner.record import ENDINGS, ChangeOutcome
from .places import KINDS
from .score import DOUBT, FEWEST, SURVIVE, Score, ScoreRow

HEADERS: Final = ("mutants of", "tried", *ENDINGS, "by check alone")
NUMBERS: Final = frozenset(range(1, len(HEADERS)))
#: What the endings mean, in the order of a mutant's fate.
MEANING: Final[Mapping[str, str]] = {
    "check": "`mbconcord check` disagrees in a number of some model of the set",
    "claims": "claims that are asked for do (`--claims all`), or `convert --verify`",
    "tests": "no check does, tests of this project fail",
    "raised": "no result is another, some are none: an error, a model that is refused, or no end",
    "equivalent": "its line is run, and every model of the set that runs it has the same results",
    "not reached": "no model of the set runs its line; nobody was asked",
    "survived": "a result is another, and neither checks nor tests notice",
}
#: What is said of texts, which tests alone notice.
TEXT_HEADERS: Final = ("texts of", "tried", "tests", "survived", "by tests")
TEXTS: Final = (
    "Messages, names, titles and printing move no number: a text is set between marks, or a value is left out of it, "
    "and the tests that quote it, import its module or watch it are asked for half a minute each. "
    "Changes of readers by which only what is said of a model is another, what was left out, say, are here, too."
)
#: Endings of which every mutant is named.
NAMED: Final = ("survived", "not reached", "tests", "claims", "raised", "equivalent")


def text(score: Score, whole: bool = False) -> str:
    """Write the table, the survivors, and the judgement; ``whole``: by rooms, with all that reports name."""
    parts = [table(HEADERS, map(_cells, [*score.kinds, *(score.rooms if whole else ())]), NUMBERS)]
    for how in NAMED if whole else ("survived",):
        found = score.list_ended(how)
        if found:
            parts.append("\n".join((f"{how}:", *(f"  {o.name} ({_why(o)})" for o in found))))
    if score.texts:
        parts.append(table(TEXT_HEADERS, map(_text_cells, score.texts), frozenset(range(1, len(TEXT_HEADERS)))))
        parts.append("\n".join(("no test notices:", *(f"  {o.name}" for o in score.unnoticed_texts))))
    parts.append(_took(score))
    parts.append("\n".join(_judgement(score)))
    return "\n\n".join(parts)


def faults(score: Score) -> str:
    """Write the score of seeded faults: detections by witness and room, the faintest of each, and survivors."""
    parts = [table(HEADERS[:-1], [_cells(row)[:-1] for row in score.rooms], NUMBERS)]
    numbered = [o for o in score.list_ended("check") if o.by]
    if numbered:
        faintest = min(numbered, key=lambda o: float(o.by.rpartition(", ")[2]))
        parts.append(f"the faintest: {faintest.name}: {_why(faintest)}")
    parts += [f"NOT CAUGHT: {o.name}" for o in score.list_ended("survived")]
    return "\n\n".join(parts)


def as_json(score: Score) -> dict[str, Any]:
    """Convert counts, and every mutant that survived, was not reached or is equivalent, to JSON."""
    return {**score.to_json(), "versions": versions()}


def markdown(score: Score, command: str) -> str:
    """Write the score as a page of documentation."""
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    lines = ["# Mutation score", "", f"Written by `{command}` with {made}.", "", _took(score) + ".", ""]
    lines += [f"* **{how}**: {meaning}" for how, meaning in MEANING.items()]
    lines += ["", "Of the mutants that change a result and still give one, the part that `check` notices by itself"]
    lines += [
        "must be "
        + ", ".join(f"{limit:.0%} of {k.title}" for k in KINDS.values() if (limit := score.limit(k.name)))
        + ","
    ]
    lines += [f"and at most {SURVIVE:.1%} may survive; a share of fewer than {FEWEST} is not judged."]
    lines += [f"It is short where chance explains it in fewer than {DOUBT:.0%} of draws; one survivor is a warning."]
    for heading, rows in (("By kind", score.kinds), ("By part", score.rooms), ("By module", score.modules)):
        lines += ["", f"## {heading}", "", *_table(HEADERS, map(_cells, rows))]
    if score.texts:
        lines += ["", "## Texts", "", TEXTS, "", *_table(TEXT_HEADERS, map(_text_cells, score.texts))]
        lines += ["", "No test notices:", "", *(f"* `{o.name}`" for o in score.unnoticed_texts)]
    lines += ["", "## Enough?", "", *_judgement(score)]
    for how in NAMED:
        found = score.list_ended(how)
        lines += ["", f"## Those that ended so: {how} ({len(found)})", "", *(f"* `{o.name}`: {_why(o)}" for o in found)]
    return "\n".join(lines) + "\n"


#: File suffix -> what writes the report, from the score and the command.
FORMS: Final[Mapping[str, Callable[[Score, str], str]]] = {
    ".md": markdown,
    ".json": lambda score, command: dumps(as_json(score)) + "\n",
}


def page(score: Score, file: str, command: str) -> str:
    """Write the report in the form that a file's name selects."""
    return FORMS[Path(file).suffix.lower()](score, command)


def _cells(row: ScoreRow) -> tuple[str, ...]:
    share = "" if row.share is None else f"{row.share:.1%}"
    return row.name, str(row.total), *(str(row.counts[how] or "") for how in ENDINGS), share


def _text_cells(row: ScoreRow) -> tuple[str, ...]:
    noticed = row.counts["tests"]
    return row.name, str(row.total), str(noticed), str(row.counts["survived"]), f"{noticed / row.total:.0%}"


def _judgement(score: Score) -> list[str]:
    """List shortfalls, warnings, and shares of too few mutants to judge; if there are none, say that it is enough."""
    few = [
        f"{row.name}: only {row.changing} change a result; a share of fewer than {FEWEST} is not judged"
        for row in score.kinds
        if KINDS[row.name].limit is not None and row.changing < FEWEST
    ]
    found = [*score.short, *(f"warning: {said}" for said in score.warnings), *few]
    return found or ["enough: as many as are wanted are noticed"]


def _took(score: Score) -> str:
    """Describe how many of how many were tried, and the time taken."""
    tried = len(score.moving)
    of = f" of {score.possible:,}" if score.possible else ""
    took = f"{tried}{of} tried in {score.seconds:.0f} s of the processor, the models' survey not counted"
    hours = score.all_hours
    return took if hours is None else f"{took}; all would take {hours:.1f} h on two processors"


def _why(o: ChangeOutcome) -> str:
    return " ".join("; ".join(filter(None, (o.by, o.model))).split()) or "no model runs it"


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in (headers, ["---"] * len(headers), *rows)]
