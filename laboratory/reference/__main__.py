"""Follow problems whose motion is known in time: errors beside processor time."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mbconcord.cli import DISAGREEMENT, SUCCESS
from mbconcord.cli.options.shared import split_required_names
from mbconcord.cli.output import add_force, add_quiet, print_json, require_other, say, write_file
from mbconcord.formalisms import registry
from mbconcord.reports.extras import optional
from mbconcord.reports.part import dumps
from mbconcord.reports.summary import versions
from mbconcord.reports.table import short, table

from .. import command

if TYPE_CHECKING:
    from .measure import MeasuredError, ReferenceProblem

HEADERS = ("problem", "compared", "tolerance", "error", "limit", "", "evaluations", "CPU s")
WORDS: Mapping[bool | None, str] = {None: "", True: "met", False: "NOT MET"}
#: Columns of numbers.
NUMBERS = frozenset({2, 3, 4, 6, 7})


def text(found: Sequence[MeasuredError]) -> str:
    """Write the table, and how many limits are met."""
    judged = [row for row in found if row.met is not None]
    met = sum(row.met is True for row in judged)
    return f"{table(HEADERS, map(_cells, found), NUMBERS)}\n\n{met} of {len(judged)} limits met"


def _cells(row: MeasuredError) -> tuple[str, ...]:
    limit = "digits" if row.limit is None and row.met is not None else short(row.limit)
    return (
        row.problem, row.what, short(row.tolerance), short(row.error), limit if row.met is not None else "",
        WORDS[row.met], f"{row.evaluations:,}", f"{row.seconds:.2f}",
    )  # fmt: skip


def as_json(found: Sequence[MeasuredError]) -> dict[str, Any]:
    """Convert the rows to JSON, and whether every limit is met; an error that is not finite is null."""
    rows = [row.to_json() | {"error": row.error if math.isfinite(row.error) else None} for row in found]
    return {"met": all(row.met is not False for row in found), "rows": rows, "versions": versions()}


def html(found: Sequence[MeasuredError], problems: Sequence[ReferenceProblem]) -> str:
    """Write a self-contained page: the sources of the problems, and the table."""
    sources = "".join(
        f"<tr><td>{escape(p.name)}</td><td>{escape(p.source)}</td><td>{len(p.system.coordinates)}</td>"
        f"<td>{p.until:g}</td></tr>"
        for p in problems
    )
    rows = "".join(
        f'<tr class="{"missed" if row.met is False else ""}">'
        + "".join(f"<td{' class=number' if i in NUMBERS else ''}>{escape(x)}</td>" for i, x in enumerate(_cells(row)))
        + "</tr>"
        for row in found
    )
    heads = "".join(f"<th>{escape(head)}</th>" for head in HEADERS)
    made = ", ".join(f"{name} {version}" for name, version in versions().items())
    how = ", ".join(dict.fromkeys(f"{row.formalism} by {row.method}" for row in found))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>mbconcord: reference problems</title><style>"
        "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;"
        "color-scheme:light dark}"
        ".wide{overflow-x:auto}table{border-collapse:collapse}td,th{padding:.15rem .6rem;text-align:left;"
        "border-bottom:1px solid #8884}.number{text-align:right;font-variant-numeric:tabular-nums}"
        ".missed{background:#c003;font-weight:bold}</style></head><body><h1>Reference problems</h1>"
        "<p>Errors of motions that are known, against processor time. A limit is of the finest tolerance; "
        f"<em>digits</em>: half a unit of the last digit that is printed. Equations and integrator: {escape(how)}.</p>"
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        "<h2>Sources</h2><div class=wide><table><thead><tr><th>problem</th><th>source</th><th>coordinates</th>"
        f"<th>until, s</th></tr></thead><tbody>{sources}</tbody></table></div><footer><p>{escape(made)}</p></footer>"
        "</body></html>\n"
    )


#: File suffix -> what writes the report.
FORMS: Mapping[str, Callable[[Sequence[MeasuredError], Sequence[ReferenceProblem]], str]] = {
    ".html": html,
    ".json": lambda found, problems: dumps(as_json(found)) + "\n",
}


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
    from .measure import measure_errors, problems

    if arguments.report:
        command.require_report(arguments.report, FORMS, "reference problems")
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
        write_file(arguments.report, FORMS[Path(arguments.report).suffix.lower()](found, known))
        if not arguments.json:
            say(f"report: {Path(arguments.report).absolute().as_uri()}")
    return DISAGREEMENT if any(row.met is False for row in found) else SUCCESS


if __name__ == "__main__":
    sys.exit(command.main(sys.modules["__main__"]))
