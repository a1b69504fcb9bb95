"""What a model is known to leave out: ``--accept-omissions``, and a table of pyproject.toml."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping

from mbconcord.api.regression.project import EXAMPLE, PROGRAM, TABLE, known_kind, of_project
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.limits import cut

OPTION = "--accept-omissions"


def add_accepted(parser: argparse.ArgumentParser) -> None:
    """The option that says what is left out."""
    parser.add_argument(
        OPTION, metavar="KIND=N,…",
        help="what the model is known to leave out, for example contact=19,bushing=1: exit code 0 where it is exactly "
        f"this (default: what the table [{PROGRAM}.{TABLE}] of the nearest pyproject.toml says of the file)",
    )  # fmt: skip


def accepted(arguments: argparse.Namespace, *files: str) -> Mapping[str, int] | None:
    """What is accepted for the first of these files of which something is said; None where nothing is.

    Raises
    ------
    MbconcordError
        The option or the table is wrong.
    """
    if arguments.accept_omissions is not None:
        return of_option(arguments.accept_omissions)
    return next((found for file in files if (found := of_project(file)) is not None), None)


def of_option(text: str) -> dict[str, int]:
    """``contact=19,bushing=1`` as a mapping."""
    found: dict[str, int] = {}
    for item in text.split(","):
        kind, equals, count = (part.strip() for part in item.partition("="))
        if not equals or not re.fullmatch(r"[1-9][0-9]{0,8}", count):
            raise MbconcordError(error(OPTION, f"found {cut(item)!r}, expected kind=count", EXAMPLE))
        known_kind(kind, OPTION, None)
        if kind in found:
            raise MbconcordError(error(OPTION, f"the kind {kind} is named twice", "name it once"))
        found[kind] = int(count)
    return found
