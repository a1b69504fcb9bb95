"""Whether two sources are the same machine, as ``compare`` and ``convert --verify`` tell it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mbconcord.api.source import Source, located
from mbconcord.converters.companions import StateFile
from mbconcord.validation.same_machine import Sameness, same_machine

from . import DISAGREEMENT, NOT_CHECKED, SUCCESS
from .output import say


def verify(
    a: Source, b: Source, states: int | StateFile, seed: int, accepted: Mapping[str, int] | None = None,
    coordinates: Mapping[str, str] | None = None, printed: bool = False,
) -> Sameness:  # fmt: skip
    """Compare the dynamics of two sources at so many random states, or at the state of a file.

    ``accepted`` is what they are known to leave out, ``coordinates`` which coordinate of B each of A's is known to be,
    ``printed`` whether another program may have printed numbers.
    """
    with located(a, b, *(() if isinstance(states, int) else (states,))):
        at = states if isinstance(states, int) else [states.of(a.system)]
        found = same_machine(a.system, b.system, at, seed, coordinates=coordinates, printed=printed)
    return replace(found, left_out=replace(found.left_out, accepted=accepted))


def verification(found: Sameness) -> dict[str, Any]:
    """The result as JSON."""
    return found.to_json()


def exit_code(found: Sameness) -> int:
    """0 the same, 1 not the same, 3 not checked, or not all of what is left out accepted."""
    if found.verdict == "disagrees":
        return DISAGREEMENT
    return SUCCESS if found.stands else NOT_CHECKED


def print_verification(found: Sameness, brief: bool = False, error: bool = False) -> None:
    """The result as lines, on standard error if asked for; ``brief``: the verdict alone."""
    say(found.headline if brief else str(found), error=error)
