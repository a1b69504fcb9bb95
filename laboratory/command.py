"""The command line of a room of the laboratory: ``python -m laboratory.ROOM``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

from mbconcord.cli import BAD_INPUT, INTERRUPTED, Parser
from mbconcord.cli.output import complain, require_writable
from mbconcord.model.diagnostics import MbconcordError, error


def main(room: ModuleType, argv: Sequence[str] | None = None) -> int:
    """Parse what the room's ``arguments`` takes, do its ``run``, and return the exit code."""
    parser = Parser(prog=f"python -m {room.__package__}", description=room.__doc__, allow_abbrev=False)
    room.arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    try:
        given, extras = parser.parse_known_args(argv)
        parser.refuse(extras)
        return int(room.run(given))
    except SystemExit as stop:
        return int(stop.code or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except MbconcordError as problem:
        complain(problem)
        return BAD_INPUT


def require_report(file: str, forms: Iterable[str], what: str) -> None:
    """Refuse the name of a report whose suffix none of the forms has, or that cannot be written."""
    if Path(file).suffix.lower() not in forms:
        message = f"{file}: no report of {what} has this suffix"
        raise MbconcordError(error("--report", message, f"known: {' '.join(forms)}"))
    require_writable(file)
