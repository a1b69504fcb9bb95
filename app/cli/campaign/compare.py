"""Compare many pairs of models as one campaign, whose rows are kept: two folders, a table of pairs, a converter.

Rows are written as they come; a pair whose files, as they are read, and whose options are unchanged is not compared
again, and a campaign that was stopped goes on when it is run again. Converters run every time, one process for each
file. A pair that is none, or whose converter fails, is a row with its reason. Each row has the exit code that compare
of its pair has, and the command has the worst of them, in this order: 70 (internal error), 2 (refused), 1 (not the
same), 3 (could not be told), 4 (the same but for what is left out), 5 (the same after a matching that you have not
confirmed), 0 (the same); or 130, where it was stopped before all rows were there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .. import fleet
from ..options.accepted import add_accepted
from ..options.numbers import add_seed, add_simulate, add_states
from ..options.pairs import add_fleet
from ..options.shared import COMPARED, add_cluster
from ..output import add_quiet
from ..source import add_allowed


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: pairs, results, workers, and options of compare."""
    add_fleet(parser)
    parser.add_argument("--output", metavar="FOLDER", default=COMPARED, help=f"folder of rows (default: {COMPARED})")
    add_cluster(parser)
    add_states(parser)
    add_seed(parser, "seed of the states (default: 0)", 0)
    parser.add_argument(
        "--why-seconds", metavar="T", help="stop a search for causes after T seconds, or 2m (default: 60)"
    )
    add_simulate(parser)
    add_quiet(parser, "of pairs only those whose exit code is not 0")
    add_allowed(parser)
    add_accepted(parser)
    parser.set_defaults(verbose=0)


def run(arguments: argparse.Namespace) -> int:
    """Compare the pairs that are not compared yet, print the table, and return the exit code."""
    return fleet.run(arguments, Path(arguments.output), arguments.cluster)
