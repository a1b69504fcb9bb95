"""The command line: one module per subcommand, with ``HELP``, ``arguments(parser)`` and ``run(arguments)``.

Exit codes: 0 agreement or success, 1 disagreement or refused loss, 2 bad input or usage, 3 not checked.
Modules import what is heavy inside ``run``, so that ``--help`` answers at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = ("check", "convert", "compare", "derive", "evaluate", "info", "formats", "formalisms", "bench")

SUCCESS, DISAGREEMENT, BAD_INPUT, NOT_CHECKED = 0, 1, 2, 3
INTERRUPTED, BROKEN_PIPE = 130, 141

EPILOG = """exit codes: 0 agreement or success, 1 disagreement or refused loss, 2 bad input or usage,
3 not checked (some quantity had fewer than two witnesses)"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="mbconcord",
        description="Convert multibody models and cross-validate their equations of motion.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in COMMANDS:
        module = import_module(f"{__name__}.{name}")
        command = commands.add_parser(
            name, help=module.HELP, description=module.__doc__, epilog=EPILOG, allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        module.arguments(command)
        command.add_argument("--json", action="store_true", help="print JSON")
        command.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; errors are lines on standard error, never tracebacks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # nothing is left to be flushed at exit
        return BROKEN_PIPE


def _run(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    if arguments.version:
        from mbconcord import __version__

        print(f"mbconcord {__version__}")
        return SUCCESS
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return BAD_INPUT
    try:
        return int(arguments.run(arguments))
    except RecursionError:
        print("error: the input is nested too deeply (divide it into named parts)", file=sys.stderr)
    except Exception as problem:
        from mbconcord.model.diagnostics import MbconcordError
        from mbconcord.model.expressions import ExpressionError

        if not isinstance(problem, (MbconcordError, ExpressionError)):
            raise
        from .output import complain

        complain(problem)
    return BAD_INPUT
