"""Whether two sources are the same machine, as ``compare`` and ``convert --verify`` tell it."""

from __future__ import annotations

from typing import Any

from mbconcord.validation.same_machine import Sameness

from .. import DISAGREEMENT, NOT_CHECKED, SUCCESS
from ..output import say


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
