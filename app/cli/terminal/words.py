"""What may follow on a command line: of each command its options, and the words that each of them takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.validation.benchmarks import runner
from mbconcord.validation.claims import ALL


def _forms() -> tuple[str, ...]:
    return tuple(form for name in formalisms.names() for form in formalisms.formalism(name).forms)


#: By the name of an argument where the command keeps it: words that are known, of which several may stand with commas.
KNOWN: Final[Mapping[str, Callable[[], Sequence[str]]]] = {
    "source_format": formats.names,
    "target_format": formats.names,
    "formalism": formalisms.names,
    "formalisms": formalisms.names,
    "form": _forms,
    "quantity": lambda: (*QUANTITIES, JOINT_FORCES, *DERIVED),
    "claims": lambda: ("all", "none", *(claim.name for claim in ALL if claim.name != "agreement")),
    "names": runner.names,
}
#: Arguments that are files.
FILES: Final = frozenset(
    {
        "folder",
        "file",
        "files",
        "in",
        "out",
        "a",
        "b",
        "report",
        "expect",
        "state",
        "parameters",
        "gait",
        "plot",
        "output",
        "resume",
        "reference",
        "motion",
        "at",
        "table",
        "results",
        "package_path",
    }
)
#: Arguments of which no word is known beforehand.
OPEN: Final = frozenset(
    {
        "settings",
        "states",
        "seed",
        "jobs",
        "at_least",
        "words",
        "against",
        "coordinates",
        "bodies",
        "accept_omissions",
        "xacro_arg",
        "name",
        "subsystems",
        "legs",
        "drive",
        "hull",
        "payload",
        "foot",
        "hold",
        "others",
        "until",
        "tolerance",
        "step_out",
        "slip",
        "driven",
        "event",
        "stop",
        "time",
        "inputs",
        "independent",
        "mode",
        "amplitude",
        "title",
        "simulate",
        "count",
        "duration",
        "modules",
        "cluster",
    }
)


@dataclass(frozen=True)
class Words:
    """What an argument takes: known words, or files; neither: something that is not known beforehand."""

    known: tuple[str, ...] = ()
    files: bool = False


@dataclass(frozen=True)
class Option:
    """An option: its spellings, what it does, and what it takes (None: nothing)."""

    spellings: tuple[str, ...]
    help: str
    takes: Words | None


@dataclass(frozen=True)
class CommandWords:
    """A command: what it does, its options, and what its other arguments are."""

    name: str
    help: str
    options: tuple[Option, ...]
    others: Words


def commands(parser: argparse.ArgumentParser) -> tuple[CommandWords, ...]:
    """All commands of the command line."""
    (sub,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in sub._choices_actions}
    return tuple(_command(name, helps[name], command.filled()) for name, command in sub.choices.items())


def _command(name: str, help: str, parser: argparse.ArgumentParser) -> CommandWords:
    options = tuple(
        Option(tuple(a.option_strings), _first(a, parser), None if a.nargs == 0 else words(a))
        for a in parser._actions
        if a.option_strings
    )
    others = [words(a) for a in parser._actions if not a.option_strings]
    known = tuple(word for found in others for word in found.known)
    return CommandWords(name, help, options, Words(known, any(found.files for found in others)))


def words(action: argparse.Action) -> Words:
    """The words that an argument takes.

    Raises
    ------
    KeyError
        An argument that no table here has.
    """
    if action.choices is not None:
        return Words(tuple(map(str, action.choices)))
    if action.dest in KNOWN:
        return Words(tuple(KNOWN[action.dest]()))
    if action.dest in FILES:
        return Words(files=True)
    if action.dest in OPEN:
        return Words()
    raise KeyError(action.dest)


def _first(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """The beginning of the help of an option, up to its first break."""
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    for mark in (";", ":", " (", ", "):
        text = text.partition(mark)[0]
    return text
