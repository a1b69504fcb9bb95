"""Print a script by which a shell completes commands, options, names of formats, formalisms and quantities, and files.

bash: eval "$(mbconcord completion bash)" in ~/.bashrc. zsh: mbconcord completion zsh > a folder of $fpath/_mbconcord.
fish: mbconcord completion fish > ~/.config/fish/completions/mbconcord.fish. The names are those that are there now:
print it anew when a package brings others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from . import SUCCESS, build_parser
from .io.streams import put
from .output import print_json
from .terminal.words import CommandWords, Words, commands

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
    """Return the shared parts of bash and zsh: a case for each command, and one for each option with a value."""
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
    """Describe an option's value to fish."""
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
    """Print the script."""
    script = SHELLS[arguments.shell](commands(build_parser()))
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        put(script)
    return SUCCESS
