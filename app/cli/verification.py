"""Whether two sources are the same machine, as ``compare`` and ``convert --verify`` tell it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from mbconcord.validation.same_machine import Sameness

    from .numbers import StateFile
    from .source import Source
    from .um_files import VectorFile


def verify(a: Source, b: Source, states: int | StateFile | VectorFile, seed: int) -> Sameness:
    """Compare the dynamics of two sources at so many random states, or at the state of a file."""
    from mbconcord.validation.same_machine import same_machine

    from .source import located

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
    from . import DISAGREEMENT, NOT_CHECKED, SUCCESS

    return {"agrees": SUCCESS, "disagrees": DISAGREEMENT, "not checked": NOT_CHECKED}[found.verdict]


def print_verification(found: Sameness, stream: TextIO | None = None) -> None:
    """The result as lines."""
    print(found, file=stream or sys.stdout)
