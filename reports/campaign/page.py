"""The report of a campaign as one self-contained HTML file, and the printed lines of the command."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment
from markupsafe import Markup

from mbconcord.model.features import FEATURES
from mbconcord.model.limits import count
from mbconcord.records import dataclass, replace
from mbconcord.validation.claims import ALL as CLAIMS
from mbconcord.validation.many.campaign.subject import STATES
from mbconcord.validation.many.campaign.totals import ALL, FEATURE, JOINT, PLAIN, Totals

from ..plots.histogram import draw_counts
from ..summary import versions
from ..table import short
from ..templating import environment, template
from .corpus import HEADS, LAST, keep_findings, lines, verdicts, witnesses

if TYPE_CHECKING:
    from pandas import DataFrame

    from mbconcord.validation.many.campaign.corpus import CheckedModel, CorpusRequest
    from mbconcord.validation.many.campaign.folder import About
    from mbconcord.validation.many.campaign.row import CampaignRun, SavedFinding

# How many models were done when, as a small picture: pauses and slow hours show.


#: Columns at most, and their sizes.
MOST, WIDTH, HEIGHT, LEFT, BELOW = 48, 12.0, 60.0, 6.0, 22.0


def bins(times: Sequence[float]) -> tuple[list[int], float]:
    """Count times (s) in equal spans from the first to the last time; return the counts and the length of a span (s).

    The times are those of one clock, in any order; if the clock was changed meanwhile, the picture is only longer.
    """
    begin, end = min(times), max(times)
    span = max((end - begin) / MOST, 1.0)
    found = [0] * (int((end - begin) / span) + 1)
    for time in times:
        found[int((time - begin) / span)] += 1
    return found[:MOST] if len(found) <= MOST else [*found[: MOST - 1], sum(found[MOST - 1 :])], span


def throughput(times: Sequence[float]) -> str:
    """Draw an SVG with a column for every span, as high as its number of models; empty for fewer than two."""
    if len(times) < 2:
        return ""
    found, span = bins(times)
    width, height = 2 * LEFT + WIDTH * max(len(found), 24), HEIGHT + BELOW + 14
    most = max(found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="histogram" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{count(len(times), 'model')} in {_long(max(times) - min(times))}</title>",
    ]
    for column, done in enumerate(found):
        size = HEIGHT * done / most
        x = LEFT + WIDTH * column
        if done:
            parts.append(
                f'<rect x="{x + 1:g}" y="{14 + HEIGHT - size:.1f}" width="{WIDTH - 2:g}" height="{size:.1f}"/>'
            )
    said = f"a column is {_long(span)}, the highest {count(most, 'model')}"
    parts.append(f'<text class="axis" x="{width / 2:g}" y="{14 + HEIGHT + 16:g}">{said}</text></svg>')
    return "".join(parts)


def _long(seconds: float) -> str:
    for size, unit in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


# Group-by tables of a campaign: features, joints, claims and formalisms against each other.


JOINTS: Final = "comparisons of models with a joint of a kind, T of translations and R of rotations"


@dataclass(frozen=True)
class CellSummary:
    """Comparisons of a cell: numbers of all, of disagreeing and of unchecked ones; the worst relative to its bound."""

    count: int
    disagrees: int = 0
    silent: int = 0
    worst: float | None = None


@dataclass(frozen=True)
class CampaignTable:
    """A table with names of rows and columns; a cell without comparisons is None."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[CellSummary | None, ...]], ...]


def tables(found: Totals) -> list[CampaignTable]:
    """Tabulate claims, features and joints by formalisms, and features by claims."""
    every, features, joints = (found.cells[found.cells["by"] == by] for by in (ALL, FEATURE, JOINT))
    claims = [claim.name for claim in CLAIMS]
    known = [*FEATURES, PLAIN]
    having = "comparisons of models that have a feature"
    kinds = sorted(set(joints["name"]))
    return [
        _table("Claims by formalisms", "comparisons with a formalism", every, "claim", "formalism", claims),
        _table("Features by formalisms", having, features, "name", "formalism", known),
        _table("Joints by formalisms", JOINTS, joints, "name", "formalism", kinds),
        _table("Features by claims", having, features, "name", "claim", known, claims),
    ]


def models(found: Totals) -> list[tuple[str, int, int, int]]:
    """Return for each feature its name, and how many models have it, agree, and disagree or fail."""
    rows = []
    for name in (*FEATURES, PLAIN):
        own = {verdict: count for (feature, verdict), count in found.having.items() if feature == name}
        bad = own.get("disagrees", 0) + own.get("failed", 0)
        rows.append((name, sum(own.values()), own.get("agrees", 0), bad))
    return rows


def _table(
    title: str, about: str, found: DataFrame, down: str, across: str, known: list[str], columns: list[str] | None = None
) -> CampaignTable:
    """Tabulate sums and maxima of comparisons by columns ``down`` and ``across`` of the data; drop empty rows."""
    sums = found.groupby([down, across], sort=True).agg(
        agrees=("agrees", "sum"), disagrees=("disagrees", "sum"), silent=("not_checked", "sum"), worst=("worst", "max")
    )  # fmt: skip
    cells: dict[Any, CellSummary] = {
        key: CellSummary(int(a + d + s), int(d), int(s), None if w != w else float(w))
        for key, a, d, s, w in sums.itertuples()
    }
    there = {key[1] for key in cells}
    names = [name for name in columns or sorted(there) if name in there]
    rows = tuple(
        (row, tuple(cells.get((row, name)) for name in names))
        for row in known
        if any((row, name) in cells for name in names)
    )
    return CampaignTable(title, about, tuple(names), rows)


#: Verdicts of models, the worst first.
VERDICTS = ("failed", "disagrees", "refused", "not checked", "agrees in part", "agrees")


@dataclass(frozen=True)
class Facts:
    """Totals of a campaign: numbers of models, their shares, and times.

    ``minute`` is the number of models per minute of the last run, ``seconds`` the processor time per model (s).
    """

    models: int
    verdicts: dict[str, int]
    bodies: float
    closed: float
    elastic: float
    comparisons: int
    seconds: float
    minute: float | None

    def to_json(self) -> dict[str, object]:
        """Convert to the form of ``campaign run --random --json``."""
        return dict(vars(self))


def facts(found: Totals, run: CampaignRun) -> Facts:
    """Compute the totals of a campaign."""
    made = max(found.sizes.total(), 1)
    return Facts(
        found.models,
        {name: found.verdicts[name] for name in VERDICTS if found.verdicts[name]},
        float(median(sorted(found.sizes.elements()) or [0])),
        found.closed / made,
        found.elastic / made,
        found.decades.total(),
        found.seconds / made,
        60 * run.done / run.seconds if run.done and run.seconds else None,
    )


def page(about: About, totals: Totals, run: CampaignRun, found: Sequence[SavedFinding]) -> str:
    """Write the page of a campaign of random models."""
    intro = f"Profile {about.profile}, seed {about.seed}, {STATES} states and all claims of each model"
    made = {**versions(), "Hypothesis": about.hypothesis}
    return _page(f"Exploration: {count(totals.models, 'random model')}", intro, totals, run, found, made)


def corpus_page(wanted: CorpusRequest, found: Sequence[CheckedModel], run: CampaignRun) -> str:
    """Write the page of a campaign over files."""
    rows = [replace(c.row, number=i) for i, c in enumerate(found) if c.row is not None]
    drawn = f"{count(wanted.states, 'state')} from seed {wanted.seed}, claims {', '.join(wanted.claims)}"
    totals = Totals.from_rows(rows, [c.at for c in found if c.row])
    heading, intro = f"Corpus: {count(len(found), 'model')}", f"{verdicts(found)}. {drawn}"
    return _page(
        heading, intro, totals, run, keep_findings(found, wanted), versions(),
        corpus=lines(found), corpus_heads=(*HEADS, *witnesses(found), *LAST),
    )  # fmt: skip


def _page(
    heading: str,
    intro: str,
    totals: Totals,
    run: CampaignRun,
    found: Sequence[SavedFinding],
    made: dict[str, str],
    **more: object,
) -> str:
    told = dict.fromkeys(f"{number}: {what}" for number, what in sorted(totals.silent, key=itemgetter(0)))
    return (
        _environment()
        .get_template("explore.html")
        .render(
            style=Markup(template("report.css")),
            heading=heading,
            intro=intro,
            facts=facts(totals, run),
            stopped=run.stopped,
            histogram=Markup(draw_counts(totals.decades)),
            pace=Markup(throughput(totals.times)),
            exact=totals.exact,
            models=models(totals),
            tables=tables(totals),
            found=found,
            told=list(told),
            versions=made,
            **{"corpus": (), "corpus_heads": (), **more},
        )
    )


@cache
def _environment() -> Environment:
    return environment(short=short, percent=_percent, entry=_entry)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _entry(found: CellSummary | None) -> str:
    """Write a cell: ``123, 0.02``, the number of comparisons and the worst relative to its bound."""
    if found is None:
        return "-"
    worst = "" if found.worst is None else f", {found.worst:.2g}"
    silent = f" ({found.silent} not checked)" if found.silent else ""
    return f"{found.count}{worst}{silent}"
