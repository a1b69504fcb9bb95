"""Tell again what a campaign has found, from the folder of its rows: coverage, distribution, findings, speed.

The folder is that of --output of explore or of check, while it runs or afterwards, wherever its rows were made. Exit
code 1 when there are findings.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from mbconcord.model.diagnostics import ReadError, error
from mbconcord.reports.campaign.page import facts, page
from mbconcord.reports.extras import needed
from mbconcord.validation.campaign.run import Run

from .. import DISAGREEMENT, SUCCESS
from ..io.jobs import cores
from ..options.clusters import add_cluster, joined
from ..output import print_json, require_writable, say, tell, write_file
from . import corpus as of_files
from .told import findings_json, say_facts


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, with which folder, and the report."""
    parser.add_argument("action", metavar="report", choices=("report",), help="report: tell what there is")
    parser.add_argument("folder", metavar="FOLDER", help="folder of rows, --output of explore or check")
    parser.add_argument(
        "--report", metavar="FILE", help="write the report: .html; of a campaign over files .md or .json, too"
    )
    add_cluster(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="of files only those that do not agree")


def run(arguments: argparse.Namespace) -> int:
    """Read the rows, and tell."""
    needed("hypothesis", "reading a campaign of random models")
    from mbconcord.validation.campaign.corpus import Corpus
    from mbconcord.validation.campaign.folder import ABOUT

    path = Path(arguments.folder)
    if arguments.report:
        of_files.require_form(arguments.report)
        require_writable(arguments.report)
    try:
        about = json.loads((path / ABOUT).read_bytes())
    except (OSError, ValueError):
        raise ReadError(error("", f"{path}: holds no campaign", "name the folder of one")) from None
    if isinstance(about, dict) and about.get("kind") == "corpus":
        if arguments.cluster:
            message = "of a campaign over files every model has its line: its rows are read here"
            raise ReadError(error("--cluster", message, "leave it out"))
        return of_files.told(arguments, Corpus(path), Run(0.0, 0))
    return _random(arguments, path)


def _random(arguments: argparse.Namespace, path: Path) -> int:
    from mbconcord.validation.campaign.campaign import kept
    from mbconcord.validation.campaign.gathered import gathered

    if arguments.report and not arguments.report.lower().endswith(".html"):
        problem = error("--report", f"{arguments.report}: of random models there is a page", "name it .html")
        raise ReadError(problem)
    with joined(arguments.cluster, cores(), arguments.json) as cluster:
        folder, totals = gathered(path, cluster)
    tell(folder.notes)
    found = [one for number in sorted(folder.rows) for one in kept(folder, number)]
    known = facts(totals, Run(0.0, 0))
    if arguments.report:
        write_file(arguments.report, page(folder.about, totals, Run(0.0, 0), found))
    about = {"profile": folder.about.profile, "seed": folder.about.seed}
    if arguments.json:
        print_json(known.to_json() | about | findings_json(found))
    else:
        say(f"profile {folder.about.profile}, seed {folder.about.seed}, in {path}")
        say_facts(known, len(found))
        for one in found:
            say(f"{one.finding.what}\n  {one.command}")
    return DISAGREEMENT if found else SUCCESS
