"""Record of a checked model: its features, its comparisons, how close to the bound they came, and the findings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from mbconcord.model.features import features
from mbconcord.model.system import System
from mbconcord.records import asdict, dataclass, field

from ...judge.evidence import Comparison, Evidence, decade

#: The claim that formalisms agree, and what stands for a comparison that holds for no formalism of its own.
AGREEMENT: Final = "agreement"


@dataclass
class ClaimCount:
    """Comparisons of one claim and one formalism: counts by outcome, and the worst.

    ``worst`` is the largest discrepancy in units of its bound; -1 where nothing was measured.
    """

    agrees: int = 0
    disagrees: int = 0
    not_checked: int = 0
    worst: float = -1.0

    def add(self, c: Comparison) -> None:
        """Count a comparison."""
        if c.verdict == "agrees":
            self.agrees += 1
        elif c.verdict == "disagrees":
            self.disagrees += 1
        else:
            self.not_checked += 1
        if c.verdict != "not checked" and math.isfinite(c.excess):
            self.worst = max(self.worst, float(f"{c.excess:.3g}"))


@dataclass(frozen=True)
class Finding:
    """A finding: its ``kind``, disagreement, crash or limit; ``what`` in short; the program's ``words``.

    ``shows`` identifies the finding in smaller models: claim, quantity and witnesses; or the way the process ended.
    """

    kind: str
    what: str
    words: str
    shows: tuple[str, ...] = ()


@dataclass(frozen=True)
class CampaignRow:
    """A model of a campaign.

    Attributes
    ----------
    number : number of the model
    verdict : agrees, disagrees, not checked; refused (by the checks of the model), failed (crash or limit)
    bodies, coordinates, constraints : their numbers
    features : features of the model, from :data:`mbconcord.model.features.FEATURES`
    joints : kinds of joints (translations and rotations, ``1T2R``) -> how many
    obstacles : formalism -> features that it does not take
    cells : (claim, formalism) -> its comparisons
    decades : decade of the discrepancy in units of its bound -> number of comparisons; None: exactly zero
    exact : result of the proof -> number of comparisons
    findings : errors that the check found
    silent : reasons why quantities were not checked
    seconds : processor time, the only irreproducible part
    """

    number: int
    verdict: str
    bodies: int = 0
    coordinates: int = 0
    constraints: int = 0
    features: tuple[str, ...] = ()
    joints: Mapping[str, int] = field(default_factory=dict)
    obstacles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cells: Mapping[tuple[str, str], ClaimCount] = field(default_factory=dict)
    decades: Mapping[int | None, int] = field(default_factory=dict)
    exact: Mapping[str, int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    silent: tuple[str, ...] = ()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Convert to a line of the file of rows."""
        cells = [[*key, *asdict(cell).values()] for key, cell in self.cells.items()]
        decades = [[decade, count] for decade, count in self.decades.items()]
        return {name: getattr(self, name) for name in _PLAIN} | {
            "cells": cells, "decades": decades, "findings": [asdict(f) for f in self.findings],
        }  # fmt: skip

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> CampaignRow:
        """Restore the row of a line; KeyError, TypeError or ValueError if it is not one."""
        plain = {name: data[name] for name in _PLAIN}
        lists = {name: tuple(plain[name]) for name in ("features", "silent")}
        obstacles = {name: tuple(found) for name, found in plain["obstacles"].items()}
        cells = {(claim, name): ClaimCount(*counts) for claim, name, *counts in data["cells"]}
        findings = tuple(Finding(**f | {"shows": tuple(f["shows"])}) for f in data["findings"])
        return CampaignRow(**plain | lists | {
            "obstacles": obstacles, "cells": cells, "decades": dict(data["decades"]), "findings": findings,
        })  # fmt: skip


_PLAIN: Final = (
    "number", "verdict", "bodies", "coordinates", "constraints", "features", "joints", "obstacles", "exact",
    "silent", "seconds",
)  # fmt: skip


def describe(number: int, system: System) -> CampaignRow:
    """Describe the features of the model, before any comparison."""
    shapes = Counter(_shape(len([et for et in b.joint if et.coordinate and et.is_translation]), len(b.coordinates))
                     for b in system.bodies)  # fmt: skip
    return CampaignRow(
        number, "failed", len(system.bodies), len(system.coordinates), len(system.constraints),
        tuple(dict.fromkeys(name for name, _ in features(system))), dict(sorted(shapes.items())),
    )  # fmt: skip


def _shape(shifts: int, all: int) -> str:
    """Format degrees of freedom: ``1T2R``; ``fixed`` for a joint without coordinates."""
    turns = all - shifts
    return "".join(f"{n}{letter}" for n, letter in ((shifts, "T"), (turns, "R")) if n) or "fixed"


def add_evidence(row: CampaignRow, evidence: Evidence, seconds: float) -> CampaignRow:
    """Add the results of the check to the row."""
    cells: dict[tuple[str, str], ClaimCount] = {}
    decades: Counter[int | None] = Counter()
    exact: Counter[str] = Counter()
    for c in evidence.comparisons:
        for name in sorted(_formalisms(c, evidence)) or [""]:
            cells.setdefault((c.claim or AGREEMENT, name), ClaimCount()).add(c)
        if c.verdict != "not checked" and c.discrepancy is not None:
            decades[decade(c.excess)] += 1
        if c.exact:
            exact[c.exact.kind] += 1
    obstacles = {
        w.name: tuple(dict.fromkeys(o.feature for o in (*w.obstacles, *w.constraint_obstacles)))
        for w in evidence.witnesses
        if w.obstacles or w.constraint_obstacles
    }
    silent = dict.fromkeys(f"{c.quantity}: {c.explanation}" for c in evidence.comparisons if c.verdict == "not checked")
    return CampaignRow(**vars(row) | {
        "verdict": evidence.verdict, "cells": cells, "decades": dict(decades), "exact": dict(exact),
        "obstacles": obstacles, "findings": tuple(_findings(evidence)), "silent": tuple(silent),
        "seconds": round(seconds, 3),
    })  # fmt: skip


def _formalisms(c: Comparison, evidence: Evidence) -> set[str]:
    """Return the formalisms on both sides of a comparison; ``NAME, bodies permuted`` counts as NAME."""
    known = {w.name for w in evidence.witnesses}
    return {name.partition(",")[0] for name in (c.a, c.b)} & known


def _findings(evidence: Evidence) -> Iterator[Finding]:
    """Yield the largest disagreement of the first claim and quantity; name the others, which mostly follow."""
    wrong = [c for c in evidence.comparisons if c.verdict == "disagrees"]
    if not wrong:
        return
    named = dict.fromkeys((c.claim or AGREEMENT, c.quantity) for c in wrong)
    claim, quantity = next(iter(named))
    c = max((c for c in wrong if (c.claim or AGREEMENT, c.quantity) == (claim, quantity)), key=lambda c: c.excess)
    who = " and ".join(filter(None, (c.a, c.b)))
    size = f"{c.excess:.2g} of what is allowed" if c.discrepancy is not None else ""
    others = ", ".join(f"{claim}: {quantity}" for claim, quantity in list(named)[1:])
    words = "; ".join(filter(None, (size, c.explanation, f"besides {others}" if others else "")))
    yield Finding("disagreement", f"{claim}: {quantity} of {who}", words, (claim, quantity, c.a, c.b))


def same(finding: Finding, others: Iterable[Finding]) -> bool:
    """Return True if another finding shows the same: claim, quantity and witnesses, or the way it ended."""
    return any(other.kind == finding.kind and other.shows == finding.shows for other in others)


class TaskRunner(Protocol):
    """Runner of remote tasks, such as that of ``validation/many/cluster``, which needs the extra."""

    def each(self, function: str, context: Any, tasks: Iterable[Sequence[Any]]) -> Generator[tuple[Sequence[Any], Any]]:
        """Yield every task with its answer, in order of completion; without one, a :class:`str` that says why."""


@dataclass(frozen=True)
class SavedFinding:
    """A finding, the file of a model that shows it or None, and the command that reproduces it.

    ``name``: the model's name, if it has one besides its number.
    """

    number: int
    finding: Finding
    file: Path | None
    command: str
    name: str = ""


@dataclass(frozen=True)
class CampaignRun:
    """Run of a campaign.

    ``seconds``: duration by the clock; ``done``: number of checked models; ``stopped``: True after an interrupt.
    """

    seconds: float
    done: int
    stopped: bool = False
