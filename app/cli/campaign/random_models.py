"""``campaign run --random``: models that Hypothesis draws, checked with all claims; what disagrees or fails is kept."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbconcord.api.tables import write_table
from mbconcord.converters.inclusions import absolute
from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.limits import cores, count
from mbconcord.reports.campaign.page import Facts, facts, page
from mbconcord.reports.extras import is_installed, require
from mbconcord.validation.many.campaign.subject import profile
from mbconcord.validation.many.campaign.totals import Totals, frame

from .. import DISAGREEMENT, INTERRUPTED, SUCCESS
from ..options.numbers import seconds
from ..options.shared import join_cluster
from ..output import print_json, require_writable, say, tell, write_file

if TYPE_CHECKING:
    from mbconcord.validation.many.campaign.row import SavedFinding

#: Where rows and findings go when nobody says it, and the profile.
EXPLORED, PROFILE = "explored", "ci"
#: The table of a campaign, where Parquet can be written.
TABLE = "table.parquet"
#: Most models of a campaign.
MOST = 10_000_000


def run(arguments: argparse.Namespace) -> int:
    """Run a campaign of random models, print coverage and findings, and return the exit code."""
    asked, limit = profile(arguments.profile or PROFILE), seconds("--for", arguments.duration)
    output = arguments.output or EXPLORED
    if arguments.report:
        require_page(arguments.report)
        require_writable(arguments.report)
    require("hypothesis", "drawing random models")
    from mbconcord.validation.many.campaign.campaign import explore, list_findings  # not before: they need Hypothesis
    from mbconcord.validation.many.campaign.folder import ROWS, open_folder
    from mbconcord.validation.many.campaign.parts import PARTS

    folder = open_folder(Path(output), asked.name, arguments.seed, asked.new_seed())
    tell(folder.notes)
    most = arguments.count or (asked.count if limit is None else None)
    limit = asked.seconds if limit is None and arguments.count is None else limit
    if not arguments.json:
        say(_describe_start(len(folder.rows), folder.about.profile, folder.about.seed, output))
    jobs = arguments.jobs or cores()
    with join_cluster(arguments.cluster, jobs, arguments.json) as cluster:
        if cluster is not None:
            folder.by_parts()
        done = explore(folder, most, limit, jobs, _tell, cluster)
    rows = folder.list_rows()
    found = [one for row in rows for one in list_findings(folder, row.number)]
    totals = Totals.from_rows(rows, folder.times())
    known = facts(totals, done)
    written = {"rows": folder.path / (PARTS if arguments.cluster else ROWS)}
    if is_installed("pyarrow"):
        written["table"] = write_table(folder.path / TABLE, frame(rows))
    if arguments.report:
        write_file(arguments.report, page(folder.about, totals, done, found))
        written["report"] = absolute(arguments.report)
    if arguments.json:
        print_json(known.to_json() | {
            "profile": folder.about.profile, "seed": folder.about.seed, **findings_json(found),
        })  # fmt: skip
    else:
        say_facts(known, len(found))
        for what, file in written.items():
            say(f"{what}: {file}")
    return INTERRUPTED if done.stopped else DISAGREEMENT if found else SUCCESS


def _describe_start(there: int, name: str, seed: int, folder: str) -> str:
    which = "it goes on: models drawn before are not checked again" if there else "a new campaign"
    return f"profile {name}, seed {seed}, in {folder}: {which}"


def _tell(found: SavedFinding) -> None:
    say(f"{found.finding.what}\n  {found.command}", error=True)


def require_page(file: str) -> None:
    """Raise if the report of random models is to be anything but a page of HTML."""
    if not file.lower().endswith(".html"):
        raise ReadError(error("--report", f"{file}: of random models there is a page", "name it .html"))


def say_facts(known: Facts, findings: int) -> None:
    """Print verdicts, sizes, time and the number of findings."""
    verdicts = ", ".join(f"{count} {name}" for name, count in known.verdicts.items())
    say(f"{count(known.models, 'model')}: {verdicts or 'none'}")
    shares = f"{known.closed:.0%} closed, {known.elastic:.0%} elastic"
    say(f"bodies: {known.bodies:g} by the median, {shares}; {count(known.comparisons, 'comparison')}")
    speed = f", {known.minute:.0f} a minute" if known.minute else ""
    say(f"{known.seconds:.2f} s of the processor for a model{speed}")
    say(f"findings: {findings or 'none'}")


def findings_json(found: Sequence[SavedFinding]) -> dict[str, Any]:
    """Convert findings to the form of ``--json``."""
    return {"findings": [{"number": k.number, "what": k.finding.what, "command": k.command} for k in found]}
