"""Follow problems whose motion is known in time: errors beside processor time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.options.shared import split_required_names
from mbconcord.cli.output import add_force, add_quiet, print_json, require_other, require_writable, say, write_file
from mbconcord.formalisms import registry
from mbconcord.reports.extras import optional

from .. import command


def arguments(parser: argparse.ArgumentParser) -> None:
    """Take the folder, the formalisms and the report."""
    parser.add_argument("folder", metavar="FOLDER", help="folder with a reference.toml, such as fixtures/reference")
    parser.add_argument("--formalisms", "--formalism", metavar="A,B", help="whose equations")
    parser.add_argument("--report", metavar="FILE", help="write a report: .html or .json")
    add_force(parser)
    add_quiet(parser, "only missed limits")


def run(arguments: argparse.Namespace) -> int:
    """Follow the problems of a folder; exit code 1 where a limit is missed."""
    for package in ("scipy", "threadpoolctl"):
        optional(package, "sim", "simulation")
    from .measure import measure_errors
    from .problems import problems
    from .report import as_json, page, require_form, text

    if arguments.report:
        require_form(arguments.report)
        require_writable(arguments.report)
        require_other(arguments.report, [arguments.folder], arguments.force)
    wanted = None if arguments.formalisms is None else split_required_names(arguments.formalisms, "--formalisms")
    by = [None] if wanted is None else [registry.formalism(name) for name in wanted]
    known = problems(Path(arguments.folder))
    found = [row for one in by for row in measure_errors(known, one)]
    if arguments.json:
        print_json(as_json(found))
    else:
        say(text([row for row in found if row.met is False] if arguments.quiet else found))
    if arguments.report:
        write_file(arguments.report, page(found, known, arguments.report))
        if not arguments.json:
            say(f"report: {Path(arguments.report).absolute().as_uri()}")
    return DISAGREEMENT if any(row.met is False for row in found) else SUCCESS


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
