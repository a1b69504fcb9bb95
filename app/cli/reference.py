"""``check --reference``: problems whose motion is known, followed in time; errors beside processor time."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from mbconcord.formalisms import registry
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.reports.extras import optional

from . import DISAGREEMENT, SUCCESS
from .io.own_input import require_other
from .options.coordinates import named
from .output import print_json, require_writable, say, write_file

#: Options of check that mean nothing here, and what they are when nobody gives them.
MEANINGLESS: Final[dict[str, Any]] = {
    "files": None, "source_format": None, "form": None, "against": None, "coordinates": None, "bodies": None,
    "expect": None, "closed_forms": False, "faults": False, "settings": [], "parameters": None, "state": None,
}  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Follow the problems of a folder; exit code 1 where a limit is missed."""
    given = [name for name, usual in MEANINGLESS.items() if getattr(arguments, name, usual) != usual]
    if given:
        message = f"reference problems have their own models and states: {', '.join(given)} cannot be given"
        raise MbconcordError(error("--reference", message, "leave them out"))
    for package in ("scipy", "threadpoolctl"):
        optional(package, "sim", "simulation")
    from mbconcord.reports.reference import as_json, page, require_form, text
    from mbconcord.validation.reference.measure import measured
    from mbconcord.validation.reference.problems import problems

    if arguments.report:
        require_form(arguments.report)
        require_writable(arguments.report)
        require_other(arguments.report, [arguments.reference], arguments.force)
    wanted = None if arguments.formalisms is None else named(arguments.formalisms, "--formalisms")
    by = [None] if wanted is None else [registry.formalism(name) for name in wanted]
    known = problems(Path(arguments.reference))
    found = [row for one in by for row in measured(known, one)]
    if arguments.json:
        print_json(as_json(found))
    else:
        say(text([row for row in found if row.met is False] if arguments.quiet else found))
    if arguments.report:
        write_file(arguments.report, page(found, known, arguments.report))
        if not arguments.json:
            say(f"report: {Path(arguments.report).absolute().as_uri()}")
    return DISAGREEMENT if any(row.met is False for row in found) else SUCCESS
