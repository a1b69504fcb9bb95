"""Verify certificates: whether the equations that they hold are those of the machines that they state.

It runs verify_certificate.py, the file that anybody can run without mbconcord, in a process with limits of time and
memory, and prints what it says. Exit codes are its own: 0 everything is proved, 1 something is refused, 2 a file is not
readable; and 3 where the limits end it before it has decided.
"""

from __future__ import annotations

import argparse
import re

from mbconcord.certificate.process import PROVED, REFUSED, UNDECIDED, UNREADABLE, verify
from mbconcord.model.diagnostics import MbconcordError, error

from . import BAD_INPUT, DISAGREEMENT, NOT_CHECKED, SUCCESS
from .options.shared import split_names
from .output import add_quiet, print_json, say

#: The worst first.
CODES = {UNREADABLE: BAD_INPUT, REFUSED: DISAGREEMENT, UNDECIDED: NOT_CHECKED, PROVED: SUCCESS}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: files, quantities that must be proved, the seed."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="certificates")
    parser.add_argument(
        "--require", metavar="A,B", action="append", default=[],
        help="fail unless these are proved: mechanics, M, h, gravity, applied, force, inverse_dynamics, rows",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="HEX", help="the seed that a run printed, to repeat it (default: drawn)")
    add_quiet(parser, "the verdicts alone")


def run(arguments: argparse.Namespace) -> int:
    """Verify certificates and print the answers; return the worst exit code."""
    seed = arguments.seed
    if seed is not None and not re.fullmatch(r"([0-9a-fA-F]{2})+", seed):
        raise MbconcordError(error("--seed", f"found {seed!r}, expected bytes as hexadecimal digits", "leave it out"))
    found = {file: verify(file, split_names(arguments.require), seed) for file in arguments.files}
    if arguments.json:
        rows = [{"file": file, "verdict": own.verdict, "said": list(own.said)} for file, own in found.items()]
        print_json({"certificates": rows})
    else:
        for file, own in found.items():
            say("\n".join((f"{file}: {own.verdict}", *(f"  {line}" for line in (() if arguments.quiet else own.said)))))
    return next(code for own, code in CODES.items() if any(x.code == own for x in found.values()))
