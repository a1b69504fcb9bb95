"""What is asked of every file of a check, and what is kept of the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mbconcord import reports
from mbconcord.api.check import checked
from mbconcord.api.parameters import Values
from mbconcord.api.source import with_values
from mbconcord.converters.companions import StateFile
from mbconcord.converters.registry import NOTHING
from mbconcord.converters.xacro import Allowed
from mbconcord.model.checks.physics import Policy
from mbconcord.model.diagnostics import Diagnostic
from mbconcord.reports import text
from mbconcord.reports.as_json import dumps
from mbconcord.reports.digest import Digest, digest
from mbconcord.reports.part import PLAIN, Part, Wanted
from mbconcord.validation.claims import DEFAULT
from mbconcord.validation.exact.agreement import Mode
from mbconcord.validation.expectations import Catalog
from mbconcord.validation.judge.evidence import Evidence

from ..source import read

if TYPE_CHECKING:
    from mbconcord.validation.against.sources import Other


@dataclass(frozen=True)
class Outcome:
    """What the check of one file gives: text and small values, so that it may come from another process.

    Attributes
    ----------
    digest : its row
    printed : what is printed at once: its JSON, or of the only file everything
    details : of one of several files, what does not agree
    part : its part of the report, where one is written
    departures : from the catalog
    """

    digest: Digest
    printed: str = ""
    details: str = ""
    part: Part | None = None
    departures: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True)
class Task:
    """What is asked of every file."""

    format: str | None
    formalisms: list[str] | None
    states: int
    seed: int
    values: Values
    state: StateFile | None
    options: list[str]
    equations: Other | None = None
    coordinates: dict[str, str] | None = None
    bodies: dict[str, str] | None = None
    claims: tuple[str, ...] = DEFAULT
    accepted: Callable[[str], Mapping[str, int] | None] = lambda file: None
    catalog: Catalog | None = None
    report: str | None = None
    wanted: Wanted = PLAIN
    json: bool = False
    detail: Literal["quiet", "usual", "whole"] = "usual"
    alone: bool = True
    physics: Policy | None = None
    programs: tuple[str, ...] = ()
    exact: Mode = "auto"
    simulate: float | None = None
    allowed: Allowed = NOTHING
    per_link: bool | None = None

    def outcome(self, file: str) -> Outcome:
        """Check one file, and everything that is said of it."""
        known = self.accepted(file)
        evidence = replace(self.check(file), accepted=known)
        printed = details = ""
        if self.json:
            printed = dumps(evidence.to_json())
        elif self.alone and self.detail != "quiet":
            printed = text.one_file(evidence, self.options, pairs=self.detail == "whole")
        elif self.alone:
            printed = text.one_file(evidence, self.options, brief=True) if not evidence.stands else ""
        elif self.detail == "whole":
            details = text.one_file(evidence, self.options, pairs=True)
        elif evidence.verdict != "agrees":
            details = text.one_file(evidence, self.options, brief=True)
        part = reports.part(evidence, self.report, self.wanted) if self.report else None
        departures = tuple(self.catalog.departures(evidence)) if self.catalog else ()
        return Outcome(digest(evidence), printed, details, part, departures)

    @property
    def counts(self) -> bool:
        """Whether operations are shown: in JSON and in reports."""
        return self.json or self.report is not None

    def check(self, file: str) -> Evidence:
        """Read and check one file; findings carry their places in it."""
        source = with_values(read(file, self.format, self.physics, self.allowed), self.values)
        states = [self.state] if self.state else []
        return checked(
            source, file, self.formalisms, self.states, self.seed, states, self.claims, self.equations,
            self.coordinates, self.bodies, self.programs, self.exact, self.simulate,
            self.per_link, self.counts,
        )  # fmt: skip
