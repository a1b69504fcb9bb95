"""The score: how many mutants ended how, by what they are of, and whether that is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from .places import KINDS, kind, room
from .record import ENDINGS, Outcome

#: Of the mutants that change a result, those that may survive check and tests.
SURVIVE: Final = 0.005
#: Of so many that change a result a share says something.
FEWEST: Final = 30


@dataclass(frozen=True)
class Row:
    """Counts of what ended how."""

    name: str
    counts: Counter[str]

    @property
    def total(self) -> int:
        """All that were tried."""
        return self.counts.total()

    @property
    def changing(self) -> int:
        """Those that change a result and still give one."""
        return sum(self.counts[how] for how in ("check", "claims", "tests", "survived"))

    @property
    def share(self) -> float | None:
        """Of those that change a result, the part that check notices by itself; None where there is none."""
        return self.counts["check"] / self.changing if self.changing else None

    def to_json(self) -> dict[str, Any]:
        """Counts by ending, and the share."""
        counts = {how: self.counts[how] for how in ENDINGS}
        return {"name": self.name, "mutants": self.total, **counts, "by check": self.share}


@dataclass(frozen=True)
class Score:
    """Outcomes, counted.

    Attributes
    ----------
    possible : how many mutants they were drawn from, where that is known
    least : the share that a check must notice by itself, of whatever kind; None: the limit of each kind
    """

    outcomes: Sequence[Outcome]
    possible: int | None = None
    least: float | None = None

    @property
    def seconds(self) -> float:
        """Of the processor, that changes which may move a number took; models are surveyed beside that."""
        return sum(o.seconds for o in self.moving)

    @property
    def all_hours(self) -> float | None:
        """What all mutants that were drawn from would take on two processors, as these did on the average."""
        if self.possible is None or not self.moving:
            return None
        return self.possible * self.seconds / len(self.moving) / 2 / 3600

    @property
    def moving(self) -> list[Outcome]:
        """Those that may move a number; the others are of texts."""
        return [o for o in self.outcomes if not o.words]

    @property
    def kinds(self) -> list[Row]:
        """A row for each kind of modules."""
        return _rows((kind(o.module), o) for o in self.moving)

    @property
    def rooms(self) -> list[Row]:
        """A row for each formalism, format and part."""
        return _rows((room(o.module), o) for o in self.moving)

    @property
    def modules(self) -> list[Row]:
        """A row for each module."""
        return _rows((o.module.partition(".")[2], o) for o in self.moving)

    @property
    def texts(self) -> list[Row]:
        """A row for each part of the package whose texts were changed."""
        return _rows((o.module.split(".")[1], o) for o in self.outcomes if o.words)

    def ended(self, how: str) -> list[Outcome]:
        """Those that may move a number and ended so, by name."""
        return sorted((o for o in self.moving if o.how == how), key=lambda o: o.name)

    @property
    def unnoticed(self) -> list[Outcome]:
        """Texts that no test notices, by name."""
        found = (o for o in self.outcomes if o.words and o.how == "survived")
        return sorted(found, key=lambda o: o.name)

    def limit(self, kind: str) -> float | None:
        """The share of a kind that a check must notice by itself; None where nothing is asked of it."""
        own = KINDS[kind].limit
        return own if own is None or self.least is None else self.least

    @property
    def short(self) -> list[str]:
        """In what it is less than wanted, in words; empty where it is enough."""
        found = []
        for row in self.kinds:
            limit, share = self.limit(row.name), row.share
            if limit is not None and share is not None and row.changing >= FEWEST and share < limit:
                found.append(f"{KINDS[row.name].title}: {share:.1%} by check alone, wanted {limit:.0%}")
        survivors, changing = len(self.ended("survived")), sum(row.changing for row in self.kinds)
        if survivors > SURVIVE * changing:
            found.append(f"{survivors} of {changing} survive check and tests, wanted at most {SURVIVE:.1%}")
        return found

    def to_json(self) -> dict[str, Any]:
        """The form of ``mutants --json``."""
        return {
            "enough": not self.short,
            "short": self.short,
            "possible": self.possible,
            "seconds of the processor": round(self.seconds, 1),
            "hours of all": self.all_hours,
            "kinds": [row.to_json() for row in self.kinds],
            "modules": [row.to_json() for row in self.modules],
            "texts": [row.to_json() for row in self.texts],
            "texts that no test notices": [o.name for o in self.unnoticed],
            "survived": [_named(o) for o in self.ended("survived")],
            "not reached": [_named(o) for o in self.ended("not reached")],
            "equivalent": [_named(o) for o in self.ended("equivalent")],
        }


def _named(o: Outcome) -> dict[str, str]:
    return {"mutant": o.name, "by": o.by, "models": o.model}


def _rows(pairs: Iterable[tuple[str, Outcome]]) -> list[Row]:
    counts: dict[str, Counter[str]] = {}
    for name, outcome in pairs:
        counts.setdefault(name, Counter())[outcome.how] += 1
    order = {name: i for i, name in enumerate(KINDS)}
    return [Row(name, counts[name]) for name in sorted(counts, key=lambda name: (order.get(name, 9), name))]
