"""Tell again what a campaign has found, from the folder of its rows: coverage, distribution, findings, speed.

The folder is that of campaign run, while it runs or afterwards, wherever its rows were made. Exit code 1 when there are
findings.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mbconcord.model.diagnostics import ReadError, error
from mbconcord.model.limits import cores, read_within
from mbconcord.reports.campaign.page import facts, page
from mbconcord.reports.extras import require
from mbconcord.validation.many.campaign.row import CampaignRun

from .. import DISAGREEMENT, SUCCESS
from ..options.shared import add_cluster, join_cluster
from ..output import print_json, require_writable, say, tell, write_file
from .run import findings_json, report_files, require_form, require_page, say_facts


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: the action, the folder, and the report."""
    parser.add_argument("folder", metavar="FOLDER", help="folder of rows, --output of campaign run")
    parser.add_argument(
        "--report",
        metavar="FILE",
        help="write the report: .html; of a campaign over files or pairs .md or .json, too, over pairs .csv",
    )
    add_cluster(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="of files and pairs only those that do not agree")


def run(arguments: argparse.Namespace) -> int:
    """Read the rows of a campaign, print the results, and return the exit code."""
    require("hypothesis", "reading a campaign of random models")
    from mbconcord.validation.many.campaign.corpus import Corpus
    from mbconcord.validation.many.campaign.folder import ABOUT

    path = Path(arguments.folder)
    try:
        about = json.loads(read_within(path / ABOUT) or b"")
    except (OSError, ValueError):
        raise ReadError(error(str(path), "holds no campaign", "name the folder of one")) from None
    kind = about.get("kind") if isinstance(about, dict) else None
    if arguments.cluster and kind in ("corpus", "fleet"):
        message = "of a campaign over files every model has its line: its rows are read here"
        raise ReadError(error("--cluster", message, "leave it out"))
    if kind == "fleet":
        from mbconcord.validation.many.campaign.corpus import Fleet

        from .. import fleet

        if arguments.report:
            fleet.require_form(arguments.report)
        return fleet.report(arguments, Fleet(path), CampaignRun(0.0, 0))
    if arguments.report:
        require_form(arguments.report)
        require_writable(arguments.report)
    if kind == "corpus":
        return report_files(arguments, Corpus(path), CampaignRun(0.0, 0))
    return _random(arguments, path)


def _random(arguments: argparse.Namespace, path: Path) -> int:
    from mbconcord.validation.many.campaign.campaign import list_findings
    from mbconcord.validation.many.campaign.totals import gather

    if arguments.report:
        require_page(arguments.report)
    with join_cluster(arguments.cluster, cores(), arguments.json) as cluster:
        folder, totals = gather(path, cluster)
    tell(folder.notes)
    found = [one for number in sorted(folder.rows) for one in list_findings(folder, number)]
    known = facts(totals, CampaignRun(0.0, 0))
    if arguments.report:
        write_file(arguments.report, page(folder.about, totals, CampaignRun(0.0, 0), found))
    about = {"profile": folder.about.profile, "seed": folder.about.seed}
    if arguments.json:
        print_json(known.to_json() | about | findings_json(found))
    else:
        say(f"profile {folder.about.profile}, seed {folder.about.seed}, in {path}")
        say_facts(known, len(found))
        for one in found:
            say(f"{one.finding.what}\n  {one.command}")
    return DISAGREEMENT if found else SUCCESS
