"""Check many models as one campaign, here or on a cluster, which goes on where it was stopped; report the findings.

run checks files, or with --random models that Hypothesis draws; compare compares pairs of models; report shows the
findings, during a run or afterwards.
"""

from __future__ import annotations

import argparse

from .. import Command

ACTIONS = {
    "run": "check files, or random models",
    "compare": "compare pairs of models",
    "report": "tell what a campaign has found",
}


def arguments(parser: Command) -> None:
    """Add the actions ``run``, ``compare`` and ``report``, each with its own options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=Command)
    for name, help in ACTIONS.items():
        actions.add_parser(
            name, command=f"campaign.{name}", help=help, epilog=parser.epilog, allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
