"""The report of a campaign as one HTML file that loads nothing, and the lines that the command prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING

from jinja2 import Environment
from markupsafe import Markup

from mbconcord.validation.campaign.profiles import STATES
from mbconcord.validation.campaign.totals import Totals

from ..plots.histogram import drawn
from ..plots.throughput import throughput
from ..summary import versions
from ..table import short
from ..templating import environment, template
from .corpus import HEADS, LAST, kept, lines, verdicts, witnesses
from .tables import Entry, models, tables

if TYPE_CHECKING:
    from mbconcord.validation.campaign.corpus import Checked, Wanted
    from mbconcord.validation.campaign.folder import About
    from mbconcord.validation.campaign.run import Kept, Run

#: Verdicts of models, the worst first.
VERDICTS = ("failed", "disagrees", "refused", "not checked", "agrees in part", "agrees")


@dataclass(frozen=True)
class Facts:
    """What a campaign comes to: numbers of models, shares, times.

    ``minute`` is models a minute of the last run, ``seconds`` of the processor for a model.
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
        """The form of ``explore --json``."""
        return dict(vars(self))


def facts(found: Totals, run: Run) -> Facts:
    """The numbers of a campaign."""
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


def page(about: About, totals: Totals, run: Run, found: Sequence[Kept]) -> str:
    """The whole page of a campaign of random models."""
    intro = f"Profile {about.profile}, seed {about.seed}, {STATES} states and all claims of each model"
    made = {**versions(), "Hypothesis": about.hypothesis}
    return _page(f"Exploration: {totals.models} random models", intro, totals, run, found, made)


def corpus_page(wanted: Wanted, found: Sequence[Checked], run: Run) -> str:
    """The whole page of a campaign over files."""
    rows = [replace(c.row, number=i) for i, c in enumerate(found) if c.row is not None]
    intro = f"{verdicts(found)}. {wanted.states} states from seed {wanted.seed}, claims {', '.join(wanted.claims)}"
    totals = Totals.of(rows, [c.at for c in found if c.row])
    return _page(
        f"Corpus: {len(found)} models", intro, totals, run, kept(found, wanted), versions(),
        corpus=lines(found), corpus_heads=(*HEADS, *witnesses(found), *LAST),
    )  # fmt: skip


def _page(
    heading: str,
    intro: str,
    totals: Totals,
    run: Run,
    found: Sequence[Kept],
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
            histogram=Markup(drawn(totals.decades)),
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


def _entry(found: Entry | None) -> str:
    """``123, 0.02``: how many comparisons, and the worst in units of its bound."""
    if found is None:
        return "-"
    worst = "" if found.worst is None else f", {found.worst:.2g}"
    silent = f" ({found.silent} not checked)" if found.silent else ""
    return f"{found.count}{worst}{silent}"
