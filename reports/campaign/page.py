"""The report of a campaign as one HTML file that loads nothing, and the lines that the command prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import mean, median
from typing import TYPE_CHECKING

from jinja2 import Environment
from markupsafe import Markup

from mbconcord.validation.campaign.profiles import STATES
from mbconcord.validation.campaign.row import Row
from mbconcord.validation.campaign.table import frame

from ..plots.histogram import drawn
from ..summary import versions
from ..table import short
from ..templating import environment, template
from .tables import Entry, models, tables

if TYPE_CHECKING:
    from mbconcord.validation.campaign.campaign import Kept, Run
    from mbconcord.validation.campaign.folder import About

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


def page(about: About, rows: Sequence[Row], run: Run, found: Sequence[Kept]) -> str:
    """The whole page."""
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
            about=about,
            facts=facts(rows, run),
            states=STATES,
            stopped=run.stopped,
            histogram=Markup(drawn(decades)),
            exact=exact,
            models=models(table),
            tables=tables(table),
            found=found,
            told=list(told),
            versions=versions(),
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
