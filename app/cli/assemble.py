"""Put a state of a model with constraints onto them, and tell by how much it was moved.

Coordinates and rates of --state are kept as far as the constraints let them, and so are rates with which the model
begins; the others move as little as may be. --hold names the coordinates that stay. Where no state closes, the loop is
named with the gap that is left, and the nearest configuration is printed; exit code 2.
"""

from __future__ import annotations

import argparse
from functools import partial
from itertools import count
from typing import Any

from mbconcord.api.assemble import Assembled, AssembleRequest, assemble
from mbconcord.reports.description import in_units
from mbconcord.reports.part import dumps
from mbconcord.reports.table import table
from mbconcord.simulation.keeping import AssemblyError
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.witnesses.screen import read_json
from mbconcord.witnessed import with_evidence

from . import BAD_INPUT, DISAGREEMENT, SUCCESS
from .io.json_files import read_state
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, find_left_out, say_left_out
from .options.numbers import whole
from .options.shared import split_names
from .output import (
    add_force,
    add_quiet,
    capture,
    complain,
    print_json,
    require_other,
    require_writable,
    say,
    say_head,
    tell,
    write_file,
)
from .source import add_file, load
from .tables.expected import expect_assembled, read_assembled

HEADERS = ("coordinate", "position", "moved by", "rate", "changed by")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, state, fixed coordinates, number of alternatives."""
    add_file(parser)
    add_state(parser)
    parser.add_argument("--hold", metavar="A,B", help="coordinates that stay (default: those of --state)")
    parser.add_argument(
        "--others", type=whole(1, 50), default=0, metavar="N",
        help="print up to N other positions that hold the same coordinates; they are searched, and there may be more",
    )  # fmt: skip
    parser.add_argument("--output", metavar="OUT", help="write the state to a file that --state takes")
    add_force(parser)
    add_quiet(parser, "no warnings")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Assemble states of a model, and print them; return the exit code."""
    if arguments.output:
        require_writable(arguments.output)
        require_other(arguments.output, [arguments.file, arguments.state, *arguments.settings], arguments.force)
    source = load(arguments, arguments.file)
    request = AssembleRequest(
        read_state(arguments.state) if arguments.state else None,
        hold=None if arguments.hold is None else split_names([arguments.hold]), others=arguments.others,
    )  # fmt: skip
    try:
        found = assemble(source, request)
    except AssemblyError as problem:
        complain(problem)
        if arguments.json:
            print_json({"closed": False, "nearest": problem.nearest.to_json()})
        else:
            say(f"nearest configuration: {dumps(problem.nearest.to_json())}")
        return BAD_INPUT
    tell(found[0].diagnostics, "error" if arguments.quiet else "warning")
    tell((d for one in found[1:] for d in one.diagnostics), "error")
    compared = [c for one in found for c in one.comparisons]
    state, expected = dumps(found[0].state.to_json()), expect_assembled(found)
    if arguments.output:
        write_file(arguments.output, state + "\n")
    left_out = find_left_out(arguments, source.system, ("D",))
    texts = [capture(partial(print_text, one, number)) for number, one in enumerate(found)]
    read = list(map(read_assembled, found, texts, count()))
    if arguments.json:
        first, *others = map(as_json, found)
        told = {"others": others} if arguments.others else {}
        text = print_json(with_evidence("assemble", {"closed": True, **first, **told, **left_out.head()}))
        read = [read_json("assemble", text, expected)]
    else:
        say_left_out(left_out)
        say_head("assemble", (*HEADERS, "rank", "gap", *(["others"] if len(found) > 1 else [])), compared)
        say()
        say("\n".join(texts))
    read += [read_json("assemble", state, expected["state"])] if arguments.output else []
    tell(wrong := [*contradict(read, "assemble")])
    if wrong or any(d.severity == "error" for one in found for d in one.diagnostics):
        return DISAGREEMENT
    return exit_code(SUCCESS, left_out, compared)


def as_json(found: Assembled) -> dict[str, Any]:
    """Convert an assembled state, and the changes that led to it, to JSON."""
    names, moved = found.system.coordinate_names, found.placed
    return {
        "state": found.state.to_json(),
        "moved": dict(zip(names, moved.shift.tolist(), strict=True)),
        "changed": dict(zip(names, moved.change.tolist(), strict=True)),
        "distance": moved.distance, "gap": found.gap, "rank": found.rank, "rows": moved.assembly.rows,
        "regular": found.regular, "comparisons": [c.to_json() for c in found.comparisons],
    }  # fmt: skip


def print_text(found: Assembled, number: int) -> None:
    """Print the table of one assembled state; ``number`` 0 is the nearest."""
    if number:
        say(f"\nanother position, {found.placed.distance:.6g} away")
    rows = zip(
        found.system.coordinate_names, found.state.q.values(), found.placed.shift, found.state.v.values(),
        found.placed.change, strict=True,
    )  # fmt: skip
    say(table(HEADERS, ((n, repr(q), f"{s:.6g}", repr(v), f"{c:.6g}") for n, q, s, v, c in rows)))
    say(in_units(found.system, "rates by seconds"))
    position = "regular" if found.regular else "folded or singular"
    rows_, gap = found.placed.assembly.rows, found.gap
    say(f"\n{position} position: rank {found.rank} of {rows_} rows, largest gap {gap:.2g} of what it is made of")
