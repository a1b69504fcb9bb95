"""Write a certificate: a text that states the machine and its equations, and that anyone verifies without mbconcord.

verify_certificate.py, one file that needs Python alone, derives the equations of the stated machine by itself and
compares them with those of the formalisms. It is run before the certificate is written; what it refuses is not written.
Elastic bodies and added inertia have no words in the format: there formalisms are compared with one another only.
"""

from __future__ import annotations

import argparse

from mbconcord.api.source import locate_errors
from mbconcord.certificate.emit import read_equations, write_certificate
from mbconcord.certificate.process import PROVED
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.validation.against.own.files import PREFIXES

from . import NOT_CHECKED, SUCCESS
from .numbers import add_parameters
from .options.accepted import add_accepted, exit_code, find_left_out, say_left_out
from .options.shared import MAP, SKIPPED, add_map, add_witness, read_maps, split_names
from .output import add_detail, add_force, least, print_json, require_other, require_writable, say, tell, write_file
from .source import add_file, load

#: Tables of a file that --map names.
TABLES = "coordinates", "symbols", "inputs"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, output, formalisms, other equations."""
    add_file(parser)
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="a file (default: standard output)")
    parser.add_argument(
        "--formalisms", metavar="A,B", action="append", default=[],
        help="whose equations it holds (default: those of all that take the model)",
    )  # fmt: skip
    parser.add_argument(
        "--equations", metavar="OWN",
        help="also these equations, eqs:FILE, python:FILE:NAME or matlab:FILE, or those of another model's file",
    )  # fmt: skip
    add_map(parser, TABLES, f"with --equations: what names are, by tables {', '.join(TABLES)}, symbols:J=m*l^2/12")
    parser.add_argument(
        "--differs", action="store_true",
        help="with --equations: prove that they are other functions than the model's, at a state that is written",
    )  # fmt: skip
    add_force(parser)
    add_detail(parser, "no warnings", "the reader's notes, too")
    add_accepted(parser)
    add_witness(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Derive equations, verify and write their certificate; return the exit code."""
    for option, given in ((MAP, arguments.map), ("--differs", arguments.differs)):
        if given and not arguments.equations:
            raise MbconcordError(error(option, "found no --equations", "add --equations OWN, or leave it out"))
    if (arguments.equations or "").startswith("fmu:"):
        raise MbconcordError(error("--equations", "an FMU has numbers and no equations", "name equations, or a model"))
    if arguments.output != "-":
        require_writable(arguments.output)
        prefix, _, rest = (arguments.equations or "").partition(":")
        own = rest.partition(":")[0] if f"{prefix}:" in PREFIXES else arguments.equations
        require_other(arguments.output, [arguments.file, *arguments.settings, own, *arguments.map], arguments.force)
    source = load(arguments, arguments.file).plausible()
    named = read_maps(arguments.map, TABLES)
    with locate_errors(source):
        equations = read_equations(arguments.equations, source.system, **named)
        text, found = write_certificate(
            source.system, split_names(arguments.formalisms), arguments.witness, equations, arguments.differs
        )
    tell(map(source.locate, source.diagnostics), least(arguments))
    left_out = find_left_out(arguments, source.system)
    write_file(arguments.output, text)
    said = (SKIPPED.message,) if found is None else found.said
    if arguments.output == "-":
        if not arguments.quiet:
            say("\n".join(said), error=True)
    elif arguments.json:
        told = {"system": source.system.name, "written": arguments.output, "bytes": len(text)}
        verdict = None if found is None else found.verdict
        print_json({**told, "verdict": verdict, "said": list(said), **left_out.head()})
    else:
        say_left_out(left_out)
        say("\n".join((*said, f"written: {arguments.output}")))
    return exit_code(SUCCESS if found is None or found.code == PROVED else NOT_CHECKED, left_out)
