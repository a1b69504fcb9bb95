"""What is said of a campaign of random models, while it ends and afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mbconcord.model.shown import count
from mbconcord.reports.campaign.page import Facts

from ..output import say

if TYPE_CHECKING:
    from mbconcord.validation.campaign.run import Kept


def say_facts(known: Facts, findings: int) -> None:
    """Verdicts, sizes, time, how many findings."""
    verdicts = ", ".join(f"{count} {name}" for name, count in known.verdicts.items())
    say(f"{count(known.models, 'model')}: {verdicts or 'none'}")
    shares = f"{known.closed:.0%} closed, {known.elastic:.0%} elastic"
    say(f"median of {known.bodies:g} bodies, {shares}; {known.comparisons:,} comparisons")
    speed = f", {known.minute:.0f} models a minute" if known.minute else ""
    say(f"{known.seconds:.2f} s of the processor for a model{speed}")
    say(f"findings: {findings or 'none'}")


def findings_json(found: Sequence[Kept]) -> dict[str, Any]:
    """Findings in the form of ``--json``."""
    return {"findings": [{"number": k.number, "what": k.finding.what, "command": k.command} for k in found]}
