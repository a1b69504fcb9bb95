"""Follow problems whose motion is known in time: errors beside processor time."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
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
from mbconcord.reports.templating import environment, template

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
    rows = [asdict(row) | {"error": row.error if math.isfinite(row.error) else None} for row in found]
    return {"met": all(row.met is not False for row in found), "rows": rows, "versions": versions()}


#: The report: tables with the missed rows marked, in the style of reports.
PAGE = """{% from "macros.html" import head %}
{{ head("reference problems", style) }}<body><main><h1>Reference problems</h1>
<p>Errors of motions that are known, against processor time. A limit is of the finest tolerance; <em>digits</em>: half a
unit of the last digit that is printed. Equations and integrator: {{ how }}.</p>
{% for title, heads, rows in tables %}
<h2>{{ title }}</h2>
<div class="wide"><table class="names1"><thead><tr>{% for x in heads %}<th>{{ x }}</th>{% endfor %}</tr></thead><tbody>
{% for row in rows %}
<tr{% if "NOT MET" in row %} class="missed"{% endif %}>{% for x in row %}<td>{{ x }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table></div>
{% endfor %}
<footer><p>{{ made }}</p></footer></main></body></html>
"""


def html(found: Sequence[MeasuredError], problems: Sequence[ReferenceProblem]) -> str:
    """Write a self-contained page: the table, and the sources of the problems."""
    sources = [(p.name, p.source, len(p.system.coordinates), f"{p.until:g}") for p in problems]
    heads = ("problem", "source", "coordinates", "until, s")
    return environment().from_string(PAGE).render(
        style=template("report.css") + ".missed{background:#c003;font-weight:bold}",
        how=", ".join(dict.fromkeys(f"{row.formalism} by {row.method}" for row in found)),
        tables=[("Errors", HEADERS, [*map(_cells, found)]), ("Sources", heads, sources)],
        made=", ".join(f"{name} {version}" for name, version in versions().items()),
    )  # fmt: skip


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
