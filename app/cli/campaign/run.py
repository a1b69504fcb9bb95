"""Check many models as one campaign, whose rows are kept: files, or with --random models that Hypothesis draws.

Rows are written as they come; what is there is not checked again, and a campaign that was stopped goes on when it is
run again. Of files every model has its row, exit codes are those of check. Random models are trees, closed and elastic
ones, with springs, rotors, flywheels, fluid and imposed accelerations, checked with all claims; what disagrees or fails
is made as small as it can be and kept as a file with the command that shows it again, exit code 1.
"""

from __future__ import annotations

import argparse

from mbconcord.api.regression.project import model_files
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.many.campaign.subject import PROFILES

from ..check import add_claims, add_exact, add_formalisms
from ..options.accepted import add_accepted
from ..options.numbers import add_jobs, add_seed, add_states, whole
from ..options.shared import CHECKED, Instead, add_cluster
from ..source import add_reading
from . import files, random_models


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: files or random models, results, workers."""
    named = parser.add_argument("files", metavar="FILE", nargs="+", help="model file or directory")
    parser.add_argument(
        "--random", action=Instead, of=(named,), nargs=0, const=True, default=False,
        help="random models, in place of files",
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="FOLDER",
        help=f"folder of rows and findings (default: {CHECKED}, of random models {random_models.EXPLORED})",
    )  # fmt: skip
    parser.add_argument("--report", metavar="FILE", help="write a report: .html; of files .md or .json, too")
    add_jobs(parser)
    add_cluster(parser)
    add_seed(parser, "seed of the states (default: 0), or of the random models (default: the profile's)", None)
    drawn = parser.add_argument_group("random models")
    profiles = "; ".join(f"{p.name}, {p.title}" for p in PROFILES)
    drawn.add_argument("--profile", choices=[p.name for p in PROFILES], help=f"{profiles} (default: ci)")
    drawn.add_argument("--count", type=whole(1, random_models.MOST), metavar="N", help="so many models altogether")
    drawn.add_argument(
        "--for", dest="duration", metavar="TIME",
        help="begin no model after so long: 90s, 10m, 2h (default: no end)",
    )  # fmt: skip
    own = parser.add_argument_group("files")
    add_formalisms(own)
    add_states(own)
    add_claims(own)
    add_exact(own)
    own.add_argument("-q", "--quiet", action="store_true", help="only those that do not agree")
    add_accepted(own)
    add_reading(parser)
    parser.set_defaults(kinds={group.title: _usual(group) for group in parser._action_groups if group.title in KINDS})


#: Titles of groups of options -> whether they are of random models.
KINDS = {"random models": True, "files": False, "reading models": False}


def _usual(group: argparse._ArgumentGroup) -> dict[str, tuple[str, object]]:
    """Map the attribute of each option of a group to its spelling and its default."""
    return {a.dest: (a.option_strings[-1], a.default) for a in group._group_actions}


def run(arguments: argparse.Namespace) -> int:
    """Run a campaign over files or over random models; return the exit code."""
    chosen = arguments.random
    other, instead = ("files", "--random") if chosen else ("random models", "files")
    for title, options in arguments.kinds.items():
        for dest, (option, usual) in options.items():
            if KINDS[title] is not chosen and getattr(arguments, dest) != usual:
                raise MbconcordError(
                    error(option, f"it is of a campaign over {other}, found {instead}", "leave it out")
                )
    if chosen:
        if arguments.files:
            raise MbconcordError(error("--random", f"found files, {arguments.files[0]}, too", "give one of them"))
        return random_models.run(arguments)
    return files.run(arguments, model_files(arguments.files))
