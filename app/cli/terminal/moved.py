"""Commands and options of earlier days and of other programs, and where each of them is found here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_CAMPAIGN = "is of campaigns: mbconcord campaign run FILE… "
_LABORATORY = "moved to the laboratory of the source checkout: make "
_TOLERANCE = "is no option: bounds on rounding decide; of each row the tolerance stands in its column"
_STATE = 'is --state FILE, which holds {"q": {"NAME": 0.3}}'
_PRINTS = "is no option: it prints; into a file: --json > out.json"
_OF_STATES = ("check", "compare", "evaluate", "assemble", "equilibrium", "linearize", "simulate", "walk")
_OF_ONE = ("--against", "--coordinates", "--bodies", "--expect", "--simulate", "--closed-forms", "--state")

#: The words of a command line, without mbconcord -> where to find what they did.
MOVED: Final = {
    "explore": "is mbconcord campaign run --random",
    "bench": f"{_LABORATORY}bench",
    "mutants": f"{_LABORATORY}mutants",
    "check --reference": f"{_LABORATORY}reference",
    "check --faults": f"{_LABORATORY}faults",
    "check --output": f"{_CAMPAIGN}--output FOLDER",
    "check --cluster": f"{_CAMPAIGN}--cluster local|ADDRESS",
    "check --per-link": "is gone: models too large for matrices are compared link by link by themselves",
    "check --form": "is gone: a form is named with its formalism, --formalisms NAME:FORM",
    "check --force": "is gone: nothing is written onto a file that is read; name another file",
    **{f"{command} --tolerance": _TOLERANCE for command in ("check", "compare", "convert")},
    **{f"{command} --q": _STATE for command in _OF_STATES},
    "check --junit": "is --report FILE.xml",
    "convert --output": "is the second argument, a file: mbconcord convert IN OUT",
    "export --output": "is the second argument, a folder: mbconcord export FILE FOLDER",
    "animate --output": "is the last argument, a file: mbconcord animate FILE TABLE OUT.html",
    **{f"{command} --output": _PRINTS for command in ("evaluate", "info", "compare")},
    **{f"campaign run {option}": f"is of one model: mbconcord check FILE {option}" for option in _OF_ONE},
}


def find_moved(words: Sequence[str]) -> str:
    """Return the message for an option or command that has moved; empty if none has."""
    command = list(words[: 2 if words[:1] == ["campaign"] else 1])
    asked = (" ".join((*command, *option)) for option in ((), *((w.partition("=")[0],) for w in words)))
    return next((f"{found} {MOVED[found]}" for found in asked if found in MOVED), "")
