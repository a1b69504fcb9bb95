"""The report of a campaign as one HTML file that loads nothing, and the lines that the command prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import mean, median
from typing import TYPE_CHECKING

from jinja2 import Environment
from markupsafe import Markup

from mbconcord.validation.campaign.profiles import STATES
from mbconcord.validation.campaign.row import Row
from mbconcord.validation.campaign.table import frame

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


def facts(rows: Sequence[Row], run: Run) -> Facts:
    """The numbers of a campaign."""
    count = len(rows)
    drawn_ = [row for row in rows if row.bodies]
    share = max(len(drawn_), 1)
    verdicts = Counter(row.verdict for row in rows)
    return Facts(
        count,
        {name: verdicts[name] for name in VERDICTS if verdicts[name]},
        float(median([row.bodies for row in drawn_] or [0])),
        sum(row.constraints > 0 for row in drawn_) / share,
        sum("elastic_modes" in row.features for row in drawn_) / share,
        sum(sum(row.decades.values()) for row in rows),
        mean([row.seconds for row in drawn_] or [0.0]),
        60 * run.done / run.seconds if run.done and run.seconds else None,
    )


def page(
    about: About, rows: Sequence[Row], run: Run, found: Sequence[Kept], times: Sequence[float] = ()
) -> str:
    """The whole page of a campaign of random models; ``times`` are those at which its rows came."""
    intro = f"Profile {about.profile}, seed {about.seed}, {STATES} states and all claims of each model"
    made = {**versions(), "Hypothesis": about.hypothesis}
    return _page(f"Exploration: {len(rows)} random models", intro, rows, run, found, times, made)


def corpus_page(wanted: Wanted, found: Sequence[Checked], run: Run) -> str:
    """The whole page of a campaign over files."""
    rows = [replace(c.row, number=i) for i, c in enumerate(found) if c.row is not None]
    intro = f"{verdicts(found)}. {wanted.states} states from seed {wanted.seed}, claims {', '.join(wanted.claims)}"
    return _page(
        f"Corpus: {len(found)} models", intro, rows, run, kept(found, wanted), [c.at for c in found if c.row],
        versions(), corpus=lines(found), corpus_heads=(*HEADS, *witnesses(found), *LAST),
    )  # fmt: skip


def _page(
    heading: str,
    intro: str,
    rows: Sequence[Row],
    run: Run,
    found: Sequence[Kept],
    times: Sequence[float],
    made: dict[str, str],
    **more: object,
) -> str:
    decades: Counter[int | None] = Counter()
    exact: Counter[str] = Counter()
    for row in rows:
        decades.update(row.decades)
        exact.update(row.exact)
    table = frame(rows)
    told = {
        f"{row.number}: {what}": None
        for row in rows
        if row.verdict in ("refused", "not checked")
        for what in row.silent
    }
    return (
        _environment()
        .get_template("explore.html")
        .render(
            style=Markup(template("report.css")),
            heading=heading,
            intro=intro,
            facts=facts(rows, run),
            stopped=run.stopped,
            histogram=Markup(drawn(decades)),
            pace=Markup(throughput(times)),
            exact=exact,
            models=models(table),
            tables=tables(table),
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
