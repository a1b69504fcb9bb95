"""Errors of a command line, with what to write instead."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence

from mbconcord.formalisms.registry import DEFAULT
from mbconcord.model.diagnostics import among, find_similar

#: What stands for an argument in an example.
_EXAMPLES = {
    "FILE": "model.mbsd",
    "IN": "model.mbsd",
    "OUT": "out.mbs.json",
    "A": "a.mbsd",
    "B": "b.mbsd",
    "TABLE": "motion.csv",
    "T": "10",
}


def explain(parser: argparse.ArgumentParser, message: str) -> str:
    """Return a message of argparse with a remedy added."""
    choice = re.match(r"(argument [^:]*: invalid choice: '([^']*)') \(choose from (.*)\)$", message)
    if choice:
        said, name, listed = choice.groups()
        known = re.findall("'([^']*)'", listed)
        asked = "; help is mbconcord --help" if name == "help" else ""
        if said.startswith("argument --output:"):
            asked = f"; it is a notation, which is printed: --output latex > {name if '.' in name else 'out.tex'}"
        return f"{said} ({among(name, known)}{asked})"
    number = re.match(r"argument ([^:]*): invalid int value: '(.*)'$", message, re.DOTALL)
    if number:
        option = number[1].split("/")[0]
        return f"argument {number[1]}: {number[2]!r:.40} is no whole number (for example {option} 10)"
    value = re.match(r"argument ([^:]*): expected (?:one argument|at least one argument)$", message)
    if value:
        spellings = value[1].split("/")
        action = parser._option_string_actions.get(spellings[0])
        shown = action.metavar if action is not None and isinstance(action.metavar, str) else "VALUE"
        return f"{message} (write {spellings[0]} {shown})"
    if "not allowed with argument" in message:
        return f"{message} (give one of them)"
    missing = re.match(r"the following arguments are required: (.*)$", message)
    return f"{message} ({_show_example(parser, missing[1])})" if missing else message


def _show_example(parser: argparse.ArgumentParser, missing: str) -> str:
    """Return an example of the command with the missing arguments."""
    words = [_word(parser, name) for name in missing.split(", ")]
    options = [word for word in words if word.startswith("-")]
    others = [_example(a) for a in parser._actions if not a.option_strings]
    return f"for example {' '.join((parser.prog, *others, *options))}"


def _example(action: argparse.Action) -> str:
    """Return an example of a positional argument: the first of its choices, or a name of a file of its kind."""
    if isinstance(action, argparse._SubParsersAction):
        name, inner = next(iter(action.choices.items()))
        return " ".join((name, *(_example(a) for a in inner.fill()._actions if not a.option_strings)))
    return next(iter(action.choices)) if action.choices else _EXAMPLES.get(str(action.metavar), str(action.metavar))


def _word(parser: argparse.ArgumentParser, name: str) -> str:
    option = name.split("/")[0]
    action = parser._option_string_actions.get(option)
    if action is None:
        return name
    known = _EXAMPLES.get(str(action.metavar), action.metavar)
    return f"{option} {DEFAULT if action.dest == 'formalism' else known}"


def left_over(parser: argparse.ArgumentParser, extras: Sequence[str]) -> str:
    """Return a message about surplus arguments, with a remedy."""
    message = f"unrecognized arguments: {' '.join(extras)}"
    first = extras[0].partition("=")[0]
    if first.startswith("-"):
        owners = ", ".join(_list_owners(first) if " " in parser.prog else ())
        if owners:
            return f"{message} ({first} is an option of {owners})"
        likely = find_similar(first, parser._option_string_actions)
        if likely:
            return f"{message} (did you mean {likely}?)"
        if " " not in parser.prog:
            return f"{message} (options stand after the command; see {parser.prog} --help)"
        return f"{message} (see {parser.prog} --help)"
    takes = " ".join(str(a.metavar) for a in parser._actions if not a.option_strings and a.metavar)
    found = f"it takes {takes} alone" if takes else "it takes no file"
    return f"{message} ({found}; names of a list are joined by commas; see {parser.prog} --help)"


def _list_owners(option: str) -> Iterator[str]:
    """Yield the commands that take an option."""
    from .. import build_parser

    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (
                name for name, command in action.choices.items() if option in command.fill()._option_string_actions
            )
