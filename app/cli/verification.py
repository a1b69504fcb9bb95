"""Whether two sources are the same machine, as ``compare`` and ``convert --verify`` tell it."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from mbconcord.converters.companions import StateFile
from mbconcord.validation.same_machine import Sameness, same_machine

from . import DISAGREEMENT, NOT_CHECKED, SUCCESS
from .source import Source, located


def verify(a: Source, b: Source, states: int | StateFile, seed: int) -> Sameness:
    """Compare the dynamics of two sources at so many random states, or at the state of a file."""
    if isinstance(states, int):
        with located(a, b):
            return same_machine(a.system, b.system, states, seed)
    with located(a, b, states):
        return same_machine(a.system, b.system, [states.of(a.system)], seed)


def verification(found: Sameness) -> dict[str, Any]:
    """The result as JSON."""
    return found.to_json()


def exit_code(found: Sameness) -> int:
    """0 the same, 1 not the same, 3 not checked."""
    return {"agrees": SUCCESS, "disagrees": DISAGREEMENT, "not checked": NOT_CHECKED}[found.verdict]


def print_verification(found: Sameness, stream: TextIO | None = None) -> None:
    """The result as lines."""
    print(found, file=stream or sys.stdout)
