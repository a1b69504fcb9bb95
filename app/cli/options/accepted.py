"""Accepted omissions of a model, ``--accept-omissions`` and a table of pyproject.toml; accepted losses of a format,
``--accept-losses``.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mbconcord.api.regression.project import EXAMPLE, PROGRAM, TABLE, of_project, other_projects
from mbconcord.model.diagnostics import Loss, MbconcordError, among, error
from mbconcord.model.limits import cut
from mbconcord.model.omission import ACCEPTABLE
from mbconcord.model.system import System
from mbconcord.reports.summary import list_omissions
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.left_out import LeftOut

from .. import NOT_CHECKED, SUCCESS
from ..output import say

OPTION = "--accept-omissions"
LOSSES: Final = "--accept-losses"
#: Parts of a model that a format may lose.
PARTS: Final = (
    "coordinates", "parameters", "functions", "bodies", "forces", "constraints", "armatures", "points", "gravity",
)  # fmt: skip
#: The first name in the place of a loss that the reader left out of the model already.
OMISSIONS: Final = "omissions"

#: Comparisons with what the user gave, which are no witnesses of numbers.
GIVEN: Final = ("state", "q", "v")


def add_accepted(parser: argparse._ActionsContainer) -> None:
    """Add the option that accepts omissions."""
    parser.add_argument(
        OPTION, metavar="KIND=N,…",
        help="what the model is known to leave out, for example contact=19,bushing=1: exit code 0 where it is exactly "
        f"this (default: what the table [{PROGRAM}.{TABLE}] of the nearest pyproject.toml says of the file)",
    )  # fmt: skip


def add_accepted_losses(parser: argparse.ArgumentParser) -> None:
    """Add the option that says what a format may lose."""
    parser.add_argument(
        LOSSES, metavar="PART=N,…",
        help="losses that act on the motion and are meant, for example forces=2,gravity=1: exit code 0 where they are "
        "exactly these",
    )  # fmt: skip


def accepted_losses(arguments: argparse.Namespace) -> dict[str, int]:
    """Return the accepted number of losses for each part of a model; raise :class:`MbconcordError` if it is wrong."""
    text = arguments.accept_losses
    return {} if text is None else of_option(text, LOSSES, PARTS, "for example forces=2,gravity=1")


def judge_losses(arguments: argparse.Namespace, losses: Iterable[Loss], system: System, file: str) -> tuple[str, str]:
    """Return sentences: which losses act on the motion, and how to accept them; each is empty if it does not apply."""
    known = accepted_losses(arguments)
    acting = [loss.place.partition("/")[0] for loss in losses if loss.acts]
    found = dict(Counter(part for part in acting if part != OMISSIONS))
    left_out = LeftOut(system.omissions if OMISSIONS in acting else (), find_accepted(arguments, file))
    options = [f"{LOSSES} {_format_counts(found)}"] if found else []
    options += [left_out.option] if left_out.option else []
    words = _format_counts({**found, **left_out.counts})
    said = f"not the same machine: what is lost acts on the motion: {words}" if acting else ""
    if found != known and not acting:
        return f"{LOSSES} {_format_counts(known)}: no loss acts on the motion", f"leave out {LOSSES}"
    stands = found == known and (not left_out.counts or left_out.stands)
    return said, "" if stands else f"to accept: {' '.join(options)}"


def _format_counts(counts: Mapping[str, int]) -> str:
    return ",".join(f"{kind}={n}" for kind, n in counts.items())


def find_accepted(arguments: argparse.Namespace, *files: str) -> Mapping[str, int] | None:
    """Return the accepted omissions by kind: of the option, else of the first file that has some; None without any.

    Raises
    ------
    MbconcordError
        The option or the table is wrong.
    """
    if arguments.accept_omissions is not None:
        return of_option(arguments.accept_omissions)
    return next((found for file in files if (found := of_project(file)) is not None), None)


def tell_other_projects(arguments: argparse.Namespace) -> None:
    """Print the names of projects next to the models that accept omissions which this command does not accept.

    Raises
    ------
    MbconcordError
        What is accepted is wrong: found before anything is computed.
    """
    given = vars(arguments)
    find_accepted(arguments)
    if "accept_losses" in given:
        accepted_losses(arguments)
    files = [*(given[name] for name in ("file", "in", "a", "b") if given.get(name)), *(given.get("files") or ())]
    if arguments.accept_omissions is None and not arguments.quiet:
        for note in dict.fromkeys(note for file in files for note in other_projects(file)):
            say(str(note), error=True)


def find_left_out(
    arguments: argparse.Namespace, system: System, quantities: Sequence[str] = (), file: str = ""
) -> LeftOut:
    """Return the model's omissions that act on these quantities, with those that the user accepts."""
    return LeftOut(system.omissions, find_accepted(arguments, file or arguments.file), tuple(quantities))


def with_accepted(arguments: argparse.Namespace, left_out: LeftOut) -> LeftOut:
    """Return the omissions of a result, with those that the user accepts added."""
    return replace(left_out, accepted=find_accepted(arguments, arguments.file))


def say_left_out(left_out: LeftOut) -> None:
    """Print the head of a table: the omissions of the model that act on the numbers of the table."""
    lines = list_omissions(left_out)
    if lines:
        say("\n  ".join((f"{left_out.title}:", *lines)) + "\n")
    if left_out.condition:
        say(f"{left_out.condition}\n")


def exit_code(code: int, left_out: LeftOut, judged: Iterable[Comparison] = ()) -> int:
    """Return the exit code of a command: 3 instead of 0 if an omission is not accepted, or no witness compared numbers.

    ``judged`` are all comparisons; texts that were read back and given states are no numbers of a witness.
    """
    of_numbers = [c for c in judged if (c.b or c.claim != "printed") and c.quantity not in GIVEN]
    silent = bool(of_numbers) and all(c.verdict == "not checked" for c in of_numbers)
    return NOT_CHECKED if code == SUCCESS and (silent or not left_out.stands) else code


def of_option(
    text: str, option: str = OPTION, kinds: Collection[str] = ACCEPTABLE, example: str = EXAMPLE
) -> dict[str, int]:
    """Parse ``contact=19,bushing=1`` to a mapping from kinds to numbers."""
    found: dict[str, int] = {}
    for item in text.split(","):
        kind, equals, count = (part.strip() for part in item.partition("="))
        if not equals or not re.fullmatch(r"[1-9][0-9]{0,8}", count):
            raise MbconcordError(error(option, f"found {cut(item)!r}, expected kind=count", example))
        if kind not in kinds:
            raise MbconcordError(error(option, f"unknown kind {kind!r}", among(kind, kinds)))
        if kind in found:
            raise MbconcordError(error(option, f"the kind {kind} is named twice", "name it once"))
        found[kind] = int(count)
    return found
