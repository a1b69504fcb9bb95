"""The outline of an MBSD text: its chains, global items and assignments, before any formula is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from lark import Token

from mbconcord.converters.findings import Findings
from mbconcord.model.diagnostics import Location

from .items import Assignment, Chain, Item


@dataclass
class Outline:
    """The parts of a text in order, and what is wrong with them."""

    findings: Findings
    chains: list[Chain] = field(default_factory=list)
    common: list[Item] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)

    def at(self, token: Token) -> Location:
        """Place of a token."""
        return Location(self.findings.file, token.line or 1, token.column or 1)
