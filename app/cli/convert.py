"""Write a model in another format. What that format cannot hold is listed as losses on standard error.

--strict refuses any loss; --verify reads the result back and compares its dynamics with the original's.
When either objects, nothing is written and the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mbconcord.converters.registry import Writing
    from mbconcord.model.system import System

HELP = "write a model in another format"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Input, output, formats and what to insist on."""
    from .numbers import add_parameters
    from .source import add_file

    add_file(parser, "in")
    parser.add_argument("out", metavar="OUT", help="file to write; - is standard output (then --to is needed)")
    parser.add_argument("--to", dest="target_format", metavar="FORMAT", help="format of OUT (default: told by its name)")
    parser.add_argument("--strict", action="store_true", help="refuse any loss")
    parser.add_argument("--verify", action="store_true", help="read the result back and compare the dynamics")
    parser.add_argument("--seed", type=int, default=0, help="seed of the states that --verify compares at (default: 0)")
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert; the exit code says whether the result was accepted."""
    from mbconcord.converters import registry

    from . import DISAGREEMENT, SUCCESS
    from .output import print_json, tell, write_file
    from .source import load, located

    source = load(arguments, getattr(arguments, "in"))
    target = arguments.target_format or registry.detect(_named(arguments.out)).name
    with located(source):
        writing = registry.write(source.system, target)
    report: dict[str, Any] = {
        "in": source.file,
        "out": arguments.out,
        "format": target,
        "losses": [{"place": x.place, "what": x.what, "reason": x.reason} for x in writing.losses],
        "diagnostics": [str(source.locate(d)) for d in source.diagnostics],
        "written": False,
    }
    code = DISAGREEMENT if arguments.strict and writing.losses else SUCCESS
    if arguments.verify and code == SUCCESS:
        with located(source):
            code, report["verification"] = _verify(source.system, writing, target, arguments.seed)
    if code != DISAGREEMENT:
        if arguments.out == "-" and arguments.json:
            report["text"] = writing.text
        else:
            write_file(arguments.out, writing.text)
        report["written"] = True
    if arguments.json and not (arguments.out == "-" and "text" not in report and report["written"]):
        print_json(report)
    else:
        tell(map(source.locate, source.diagnostics))
        _print_losses(report, arguments.strict)
    return code
