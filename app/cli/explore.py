"""Check random models with all claims, and keep what disagrees or fails, as small as it can be made.

Hypothesis draws the models: trees, closed and elastic ones, with springs, rotors, flywheels, fluid and imposed
accelerations. Rows are written as they come; a run that was stopped goes on when it is run again. Every finding is a
file with the command that shows it again. Exit code 1 when there are findings.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mbconcord.api.tables import write_table
from mbconcord.reports.campaign.page import facts, page
from mbconcord.reports.extras import installed, needed
from mbconcord.validation.campaign.profiles import PROFILES, profile
from mbconcord.validation.campaign.table import frame
from mbconcord.validation.campaign.totals import Totals
from mbconcord.validation.named_files import absolute

from . import DISAGREEMENT, INTERRUPTED, SUCCESS
from .campaign.told import findings_json, say_facts
from .io.jobs import cores
from .options.clusters import add_cluster, joined
from .options.durations import seconds
from .options.whole_numbers import add_jobs, add_seed, whole
from .output import print_json, require_writable, say, tell, write_file

if TYPE_CHECKING:
    from mbconcord.validation.campaign.run import Kept

#: The table of a campaign, where Parquet can be written.
TABLE = "table.parquet"
#: Most models of a campaign.
MOST = 10_000_000


def arguments(parser: argparse.ArgumentParser) -> None:
    """How many models, for how long, from which seed, and where results go."""
    profiles = "; ".join(f"{p.name}, {p.title}" for p in PROFILES)
    parser.add_argument(
        "--profile", default="ci", choices=[p.name for p in PROFILES], help=f"{profiles} (default: ci)"
    )
    parser.add_argument("--count", type=whole(1, MOST), metavar="N", help="so many models altogether")
    parser.add_argument(
        "--for",
        dest="duration",
        metavar="TIME",
        help="begin no model after so long: 90s, 10m, 2h (default: no end)",
    )
    add_seed(parser, "seed of the campaign (default: the profile's, or of the campaign that is there)", None)
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        default="explored",
        help="folder of rows and findings (default: %(default)s)",
    )
    parser.add_argument(
        "--report", metavar="FILE.html", help="write the coverage, the distribution and the findings"
    )
    add_jobs(parser)
    add_cluster(parser)


def run(arguments: argparse.Namespace) -> int:
    """Explore, and tell what was covered and found."""
    asked, limit = profile(arguments.profile), seconds("--for", arguments.duration)
    if arguments.report:
        require_writable(arguments.report)
    needed("hypothesis", "drawing random models")
    from mbconcord.validation.campaign.campaign import explore, kept  # not before: they need Hypothesis
    from mbconcord.validation.campaign.folder import ROWS, opened
    from mbconcord.validation.campaign.parts import PARTS

    folder = opened(Path(arguments.output), asked.name, arguments.seed, asked.new_seed())
    tell(folder.notes)
    most = arguments.count or (asked.count if limit is None else None)
    limit = asked.seconds if limit is None and arguments.count is None else limit
    if not arguments.json:
        say(_begun(len(folder.rows), folder.about.profile, folder.about.seed, arguments.output))
    jobs = arguments.jobs or cores()
    with joined(arguments.cluster, jobs, arguments.json) as cluster:
        if cluster is not None:
            folder.by_parts()
        done = explore(folder, most, limit, jobs, _tell, cluster)
    rows = folder.found()
    found = [one for row in rows for one in kept(folder, row.number)]
    totals = Totals.of(rows, folder.times())
    known = facts(totals, done)
    written = {"rows": folder.path / (PARTS if arguments.cluster else ROWS)}
    if installed("pyarrow"):
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


def _begun(there: int, name: str, seed: int, folder: str) -> str:
    which = "it goes on: models drawn before are not checked again" if there else "a new campaign"
    return f"profile {name}, seed {seed}, in {folder}: {which}"


def _tell(found: Kept) -> None:
    say(f"{found.finding.what}\n  {found.command}", error=True)
