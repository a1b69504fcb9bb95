"""The score: counts of outcomes by kind of mutant, and whether they reach the target."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, Final

from ..runner.record import ENDINGS, ChangeOutcome
from .places import KINDS, kind, room

#: Of the mutants that change a result, those that may survive check and tests.
SURVIVE: Final = 0.005
#: Of so many that change a result a share says something.
FEWEST: Final = 30
#: A share is short where a draw from sources that reach the limit is as bad in fewer than so many cases.
DOUBT: Final = 0.05


@dataclass(frozen=True)
class ScoreRow:
    """Counts of outcomes."""

    name: str
    counts: Counter[str]

    @property
    def total(self) -> int:
        """All that were tried."""
        return self.counts.total()

    @property
    def changing(self) -> int:
        """Return mutants that change a result and still give one."""
        return sum(self.counts[how] for how in ("check", "claims", "tests", "survived"))

    @property
    def share(self) -> float | None:
        """Return the share of effective mutants that check detects by itself; None if there are none."""
        return self.counts["check"] / self.changing if self.changing else None

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON: counts by ending, and the share."""
        counts = {how: self.counts[how] for how in ENDINGS}
        return {"name": self.name, "mutants": self.total, **counts, "by check": self.share}


@dataclass(frozen=True)
class Score:
    """Outcomes, counted.

    ``possible``: how many mutants they were drawn from, where that is known. ``least``: the share that a check must
    notice by itself, of whatever kind; None: the limit of each kind.
    """

    outcomes: Sequence[ChangeOutcome]
    possible: int | None = None
    least: float | None = None

    @property
    def seconds(self) -> float:
        """Processor time of changes that may move a number; surveys of models come on top."""
        return sum(o.seconds for o in self.moving)

    @property
    def all_hours(self) -> float | None:
        """Estimated hours for all mutants on two processors, at the average of these."""
        if self.possible is None or not self.moving:
            return None
        return self.possible * self.seconds / len(self.moving) / 2 / 3600

    @property
    def moving(self) -> list[ChangeOutcome]:
        """Return mutants that may move a number; the others change texts."""
        return [o for o in self.outcomes if not o.words]

    @property
    def kinds(self) -> list[ScoreRow]:
        """A row for each kind of modules."""
        return _rows((kind(o.module), o) for o in self.moving)

    @property
    def rooms(self) -> list[ScoreRow]:
        """A row for each formalism, format and part."""
        return _rows((room(o.module), o) for o in self.moving)

    @property
    def modules(self) -> list[ScoreRow]:
        """A row for each module."""
        return _rows((o.module.partition(".")[2], o) for o in self.moving)

    @property
    def texts(self) -> list[ScoreRow]:
        """A row for each part of the package whose texts were changed."""
        return _rows((o.module.split(".")[1], o) for o in self.outcomes if o.words)

    def list_ended(self, how: str) -> list[ChangeOutcome]:
        """Return mutants that may move a number and ended so, by name."""
        return sorted((o for o in self.moving if o.how == how), key=lambda o: o.name)

    @property
    def unnoticed_texts(self) -> list[ChangeOutcome]:
        """Texts that no test notices, by name."""
        found = (o for o in self.outcomes if o.words and o.how == "survived")
        return sorted(found, key=lambda o: o.name)

    def limit(self, kind: str) -> float | None:
        """Return the share of a kind that a check must notice by itself; None if there is no requirement."""
        own = KINDS[kind].limit
        return own if own is None or self.least is None else self.least

    @property
    def short(self) -> list[str]:
        """Say what is provably below the target; empty if nothing is."""
        return [said for said, proved in self._shortfalls() if proved]

    @property
    def warnings(self) -> list[str]:
        """Say what is below the target, and may be so by the luck of the draw."""
        return [said for said, proved in self._shortfalls() if not proved]

    def _shortfalls(self) -> Iterator[tuple[str, bool]]:
        """Yield what is below the target, and whether that is proved."""
        for row in self.kinds:
            limit, share = self.limit(row.name), row.share
            if limit is not None and share is not None and row.changing >= FEWEST and share < limit:
                n, most = row.changing, row.counts["check"]  # of the binomial distribution
                chance = sum(comb(n, k) * limit**k * (1 - limit) ** (n - k) for k in range(most + 1))
                said = f"{KINDS[row.name].title}: {share:.1%} by check alone, wanted {limit:.0%}"
                yield f"{said} (by chance in {chance:.1%} of draws)", chance < DOUBT
        survivors, changing = self.list_ended("survived"), sum(row.changing for row in self.kinds)
        if survivors:
            names = "; ".join(o.name for o in survivors)
            most = max(1, int(SURVIVE * changing))  # one may be bad luck
            said = f"{len(survivors)} of {changing} survive check and tests, at most {most} may: {names}"
            yield said, len(survivors) > most

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``mutants --json``."""
        rows = {name: [row.to_json() for row in getattr(self, name)] for name in ("kinds", "modules", "texts")}
        ended = {how: [_to_row(o) for o in self.list_ended(how)] for how in ("survived", "not reached", "equivalent")}
        return {
            "enough": not self.short, "short": self.short, "warnings": self.warnings, "possible": self.possible,
            "seconds of the processor": round(self.seconds, 1), "hours of all": self.all_hours, **rows,
            "texts that no test notices": [o.name for o in self.unnoticed_texts], **ended,
        }  # fmt: skip


def _to_row(o: ChangeOutcome) -> dict[str, str]:
    return {"mutant": o.name, "by": o.by, "models": o.model}


def _rows(pairs: Iterable[tuple[str, ChangeOutcome]]) -> list[ScoreRow]:
    counts: dict[str, Counter[str]] = {}
    for name, outcome in pairs:
        counts.setdefault(name, Counter())[outcome.how] += 1
    order = {name: i for i, name in enumerate(KINDS)}
    return [ScoreRow(name, counts[name]) for name in sorted(counts, key=lambda name: (order.get(name, 9), name))]
