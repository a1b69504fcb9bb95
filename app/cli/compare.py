"""Tell whether two models are the same machine: their dynamics are compared, coordinates matched.

Exit code 0: the same; 1: not the same, with the entry and the state of the largest difference; 3: not checked, or the
readers left out of the models what acts on the motion, or coordinates were matched by structure and nobody told it.
"""

from __future__ import annotations

import argparse

from mbconcord.api.compare import both_with_values, compared
from mbconcord.api.why import asked

from .io.state_files import read_state
from .numbers import add_parameters, add_state, overrides
from .options.accepted import accepted, add_accepted
from .options.coordinates import pairs
from .options.real_numbers import add_simulate, real
from .options.whole_numbers import add_states
from .output import add_detail, least, print_json, say, tell
from .source import add_allowed, add_physics, allowed, read
from .tables.verification import exit_code, print_verification, verification


def arguments(parser: argparse.ArgumentParser) -> None:
    """Two files, and where to compare them."""
    parser.add_argument("a", metavar="A", help="model file; - is standard input")
    parser.add_argument("b", metavar="B", help="model file; - is standard input")
    add_states(parser)
    parser.add_argument(
        "--coordinates", metavar="a=b,c=d",
        help="which coordinate of B each of A's is (default: that of the same name, then found by structure)",
    )  # fmt: skip
    parser.add_argument(
        "--why", action="store_true", help="search for the one fault that makes B of A, and where it stands"
    )
    add_simulate(parser)
    add_detail(parser, "the verdict alone", "the notes of both readers, too")
    add_physics(parser)
    add_allowed(parser)
    add_accepted(parser)
    add_parameters(parser)
    add_state(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare."""
    known = accepted(arguments, arguments.a, arguments.b)
    told = pairs(arguments.coordinates, "--coordinates")
    a, b = (
        read(file, physics=arguments.physics, allowed=allowed(arguments))
        for file in (arguments.a, arguments.b)
    )
    a, b = both_with_values(a, b, overrides(arguments))
    warnings = (*a.implausible(), *b.implausible())
    states = read_state(arguments.state) if arguments.state else arguments.states
    found = compared(a, b, states, arguments.seed, known, told, True, real("--simulate", arguments.simulate))
    stale = [d for source in (a, b) for d in source.diagnostics if d.place == "parameters"]
    notes = () if isinstance(states, int) else states.notes(a.system)
    remarks = [
        s.locate(d) for s in (a, b) for d in s.diagnostics if d.severity == "note" and arguments.verbose
    ]
    tell((*remarks, *warnings, *stale, *notes), least(arguments, "note"))
    answer = asked(a, b, told, arguments.seed) if arguments.why else None
    if arguments.json:
        head = {"a": a.file, "b": b.file, "seed": arguments.seed, "warnings": [str(d) for d in warnings]}
        print_json(head | verification(found) | ({"why": answer.to_json()} if answer else {}))
    else:
        print_verification(found, brief=arguments.quiet)
        if answer and str(answer):
            say(str(answer))
    return exit_code(found)
