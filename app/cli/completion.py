"""Print a script by which a shell completes commands, options, names of formats, formalisms and quantities, and files.

bash: eval "$(mbconcord completion bash)" in ~/.bashrc. zsh: mbconcord completion zsh > a folder of $fpath/_mbconcord.
fish: mbconcord completion fish > ~/.config/fish/completions/mbconcord.fish. The names are those that are there now:
print it anew when a package brings others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.records import dataclass
from mbconcord.validation.claims import ALL

from . import SUCCESS, build_parser
from .io.streams import put
from .output import print_json
from .source import ASSUME, Collect


def _forms() -> tuple[str, ...]:
    return tuple(form for name in formalisms.names() for form in formalisms.formalism(name).forms)


#: By the name of an argument where the command keeps it: words that are known, of which several may stand with commas.
KNOWN: Final[Mapping[str, Callable[[], Sequence[str]]]] = {
    "source_format": formats.names,
    "target_format": formats.names,
    "formalism": formalisms.names,
    "formalisms": formalisms.names,
    "form": _forms,
    "kind": lambda: ("me", "cs"),
    "quantity": lambda: (*QUANTITIES, JOINT_FORCES, *DERIVED),
    "require": lambda: ("mechanics", *QUANTITIES[:4], "force", "inverse_dynamics", "rows"),
    "claims": lambda: ("all", "none", *(claim.name for claim in ALL if claim.name != "agreement")),
}
#: Arguments that are files.
FILES: Final = frozenset(
    {
        "folder", "file", "files", "in", "out", "a", "b", "report", "pairs", "expect", "map", "state",
        "gait", "plot", "output", "resume", "motion", "at", "table", "settings",
    }
)  # fmt: skip
#: Arguments of which no word is known beforehand.
OPEN: Final = frozenset(
    {
        "why_seconds", "convert", "convert_seconds", "states", "seed", "jobs", "against", "coordinates",
        "accept_omissions", "accept_losses", "name", "subsystems", "legs",
        "drive", "hull", "payload", "foot", "hold", "others", "until", "tolerance", "step_out", "slip", "driven",
        "actuated", "event", "stop", "time", "inputs", "independent", "mode", "amplitude", "title", "simulate", "count",
        "duration", "cluster", "step", "speeds", "equations", "period", "steady", "sweep",
        "ensemble", "spread",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Words:
    """Possible values of an argument: known words, or files; without both, the values are not known beforehand."""

    known: tuple[str, ...] = ()
    files: bool = False


@dataclass(frozen=True)
class Option:
    """An option: its spellings, its description, and the possible values (None: it takes no value)."""

    spellings: tuple[str, ...]
    help: str
    takes: Words | None


@dataclass(frozen=True)
class CommandWords:
    """A command: its name, description, options, and the possible values of its other arguments."""

    name: str
    help: str
    options: tuple[Option, ...]
    others: Words


def commands(parser: argparse.ArgumentParser) -> tuple[CommandWords, ...]:
    """Return all commands of a parser, with their options."""
    (sub,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in sub._choices_actions}
    return tuple(_command(name, helps[name], command.fill()) for name, command in sub.choices.items())


def _command(name: str, help: str, parser: argparse.ArgumentParser) -> CommandWords:
    actions = list(parser._actions)
    for choices in [a.choices for a in actions if isinstance(a, argparse._SubParsersAction)]:
        actions += [a for own in choices.values() for a in own.fill()._actions]
    options = {
        names: Option(names, _first(a), None if a.nargs == 0 else found) for a in actions for names, found in _spell(a)
    }
    others = [words(a) for a in actions if not a.option_strings]
    known = tuple(word for found in others for word in found.known)
    return CommandWords(name, help, tuple(options.values()), Words(known, any(found.files for found in others)))


def _spell(action: argparse.Action) -> Iterator[tuple[tuple[str, ...], Words]]:
    """Yield spellings and values of an option; ``--assume``, short for ``--read assume=``, has its own values."""
    names = tuple(name for name in action.option_strings if name != ASSUME)
    if names:
        yield names, Words() if action.nargs == 0 else words(action)
    if names != tuple(action.option_strings):
        begin = ASSUME.lstrip("-") + "="
        yield (ASSUME,), Words(tuple(w.removeprefix(begin) for w in words(action).known if w.startswith(begin)))


def words(action: argparse.Action) -> Words:
    """Return the possible values of an argument.

    Raises
    ------
    KeyError
        The argument has no choices and is in none of the tables of this module.
    """
    if action.choices is not None:
        return Words(tuple(map(str, action.choices)))
    if isinstance(action, Collect):
        return Words(tuple(action.known))
    if action.dest in KNOWN:
        return Words(tuple(KNOWN[action.dest]()))
    if action.dest in FILES or "--state" in action.option_strings:
        return Words(files=True)
    if action.dest in OPEN:
        return Words()
    raise KeyError(action.dest)


def _first(action: argparse.Action) -> str:
    """Return the help of an option up to its first semicolon, colon, bracket or comma."""
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    for mark in (";", ":", " (", ", "):
        text = text.partition(mark)[0]
    return text


# The scripts of completion of bash, zsh and fish, made of what the parsers know.


_BASH: Final = """# completion of mbconcord for bash: eval "$(mbconcord completion bash)"
_mbconcord() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="${{COMP_WORDS[1]}}" list="" known="" options="" files=""
    COMPREPLY=()
    if [[ $word == "=" ]]; then word=""; elif [[ $before == "=" ]]; then before="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
    if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    case "$command" in
{options}
    esac
    case "$command $before" in
{cases}
        *) list="$known"; [[ $word == -* ]] && list="$options" files="" ;;
    esac
    if [[ -n $files ]]; then
        local IFS=$'\n'
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -f -- "$word"))
    elif [[ $word == *,* ]]; then
        COMPREPLY=($(compgen -P "${{word%,*}}," -W "$list" -- "${{word##*,}}"))
    else
        COMPREPLY=($(compgen -W "$list" -- "$word"))
    fi
}}
complete -F _mbconcord mbconcord
"""

_ZSH: Final = """#compdef mbconcord
# completion of mbconcord for zsh: a file _mbconcord in a folder of $fpath
_mbconcord() {{
    local command=${{words[2]}} before=${{words[CURRENT-1]}} list="" known="" options="" files=""
    if (( CURRENT == 2 )); then
        compadd -- {commands}
        return
    fi
    if compset -P 1 '--*='; then before=${{IPREFIX%=}}; fi
    case "$command" in
{options}
    esac
    case "$command $before" in
{cases}
        *) if [[ $PREFIX == -* ]]; then compadd -- ${{=options}}; return; fi; list="$known" ;;
    esac
    if [[ -n $files ]]; then _files; return; fi
    compset -P '*,'
    compadd -- ${{=list}}
}}
compdef _mbconcord mbconcord
"""


def bash(found: Sequence[CommandWords]) -> str:
    """Write the script for bash."""
    return _BASH.format(**_parts(found))


def zsh(found: Sequence[CommandWords]) -> str:
    """Write the script for zsh."""
    return _ZSH.format(**_parts(found))


def _parts(found: Sequence[CommandWords]) -> Mapping[str, str]:
    """Return the parts that the scripts for bash and zsh share: cases for commands, and for options with values."""
    options, cases = [], []
    for command in found:
        spellings = " ".join(s for option in command.options for s in option.spellings)
        own = f'known="{" ".join(command.others.known)}"; files={"yes" if command.others.files else ""}'
        options.append(f'        {command.name}) options="{spellings}"; {own} ;;')
        for option in command.options:
            if option.takes is not None:
                pattern = "|".join(f'"{command.name} {spelling}"' for spelling in option.spellings)
                cases.append(f"        {pattern}) {_list(option.takes)} ;;")
    names = " ".join(command.name for command in found)
    return {"commands": names, "options": "\n".join(options), "cases": "\n".join(cases)}


def _list(words: Words) -> str:
    return f'list="{" ".join(words.known)}"; files={"yes" if words.files else ""}'


def fish(found: Sequence[CommandWords]) -> str:
    """Write the script for fish."""
    return "\n".join(_fish(found)) + "\n"


def _fish(found: Sequence[CommandWords]) -> Iterator[str]:
    yield "# completion of mbconcord for fish: a file mbconcord.fish in ~/.config/fish/completions"
    yield "complete -c mbconcord -f"
    for command in found:
        yield f"complete -c mbconcord -n __fish_use_subcommand -a {command.name} -d {_quote(command.help)}"
    for command in found:
        start = f"complete -c mbconcord -n '__fish_seen_subcommand_from {command.name}'"
        if command.others.files:
            yield f"{start} -F"
        if command.others.known:
            yield f"{start} -a {_quote(' '.join(command.others.known))}"
        for option in command.options:
            names = " ".join(f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in option.spellings)
            yield f"{start} {names}{_value(option.takes)} -d {_quote(option.help)}"


def _value(words: Words | None) -> str:
    """Return the words by which fish completes the value of an option."""
    if words is None:
        return ""
    if words.files:
        return " -r -F"
    return f" -x -a {_quote(' '.join(words.known))}" if words.known else " -x"


def _quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Final[Mapping[str, Callable[[Sequence[CommandWords]], str]]] = {"bash": bash, "zsh": zsh, "fish": fish}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell argument."""
    parser.add_argument("shell", metavar="SHELL", choices=tuple(SHELLS), help=" or ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script that completes words in a shell; return the exit code."""
    script = SHELLS[arguments.shell](commands(build_parser()))
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        put(script)
    return SUCCESS
