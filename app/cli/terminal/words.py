"""Completions of a command line: the options of each command, and the words that each of them takes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.records import dataclass
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
        "pairs",
        "expect",
        "map",
        "state",
        "parameters",
        "gait",
        "plot",
        "output",
        "resume",
        "motion",
        "at",
        "table",
        "package_path",
    }
)
#: Arguments of which no word is known beforehand.
OPEN: Final = frozenset(
    {
        "settings",
        "why_seconds",
        "convert",
        "convert_seconds",
        "states",
        "seed",
        "jobs",
        "against",
        "coordinates",
        "rates",
        "symbols",
        "bodies",
        "accept_omissions",
        "accept_losses",
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
        "actuated",
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
        "cluster",
    }
)


@dataclass(frozen=True)
class Words:
    """Values of an argument: known words, or files; neither: unknown beforehand."""

    known: tuple[str, ...] = ()
    files: bool = False


@dataclass(frozen=True)
class Option:
    """An option: its spellings, description, and value (None: a flag)."""

    spellings: tuple[str, ...]
    help: str
    takes: Words | None


@dataclass(frozen=True)
class CommandWords:
    """A command: its description, its options, and its other arguments."""

    name: str
    help: str
    options: tuple[Option, ...]
    others: Words


def commands(parser: argparse.ArgumentParser) -> tuple[CommandWords, ...]:
    """Return all commands of the command line."""
    (sub,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in sub._choices_actions}
    return tuple(_command(name, helps[name], command.fill()) for name, command in sub.choices.items())


def _command(name: str, help: str, parser: argparse.ArgumentParser) -> CommandWords:
    actions = list(parser._actions)
    for choices in [a.choices for a in actions if isinstance(a, argparse._SubParsersAction)]:
        actions += [a for own in choices.values() for a in own.fill()._actions]
    options = {
        tuple(a.option_strings): Option(tuple(a.option_strings), _first(a), None if a.nargs == 0 else words(a))
        for a in actions
        if a.option_strings
    }
    others = [words(a) for a in actions if not a.option_strings]
    known = tuple(word for found in others for word in found.known)
    return CommandWords(name, help, tuple(options.values()), Words(known, any(found.files for found in others)))


def words(action: argparse.Action) -> Words:
    """Return the words that an argument takes.

    Raises
    ------
    KeyError
        The argument is in none of the tables here.
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


def _first(action: argparse.Action) -> str:
    """Return the beginning of the help of an option, up to its first break."""
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    for mark in (";", ":", " (", ", "):
        text = text.partition(mark)[0]
    return text
