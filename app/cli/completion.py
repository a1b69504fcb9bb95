"""Print a script by which a shell completes commands, options, names of formats, formalisms and quantities, and files.

bash: eval "$(mbconcord completion bash)" in ~/.bashrc. zsh: mbconcord completion zsh > a folder of $fpath/_mbconcord.
fish: mbconcord completion fish > ~/.config/fish/completions/mbconcord.fish. The names are those that are there now:
print it anew when a package brings others.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any, Final

from mbconcord.converters import registry as formats
from mbconcord.formalisms import registry as formalisms
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.validation.claims import ALL

from . import SUCCESS, Command, build_parser
from .io.streams import put
from .output import print_json
from .source import ASSUME, READ, Collect

SHELLS: Final = ("bash", "zsh", "fish")


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
#: How usage shows an argument that may be a file.
FILES: Final = re.compile(r"FILE|FOLDER|OUT|TABLE|CATALOG|CSV|\bIN$|^[AB]$")
#: By shell, what completes names of files, with spaces and after --report= too.
_FILES: Final = {
    "bash": "_mbconcord_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct | string replace -r '^--[^=]*=' '' | string unescape))",
    "preamble": {"bash": '_mbconcord_files() { compgen -f -- "$1"; }'},
}
#: bash divides words at "=", shtab expects whole ones: --to = mbsd becomes --to mbsd, and a = 1 becomes 1.
_BASH: Final = """
_mbconcord() {
    local words=("${COMP_WORDS[@]:0:COMP_CWORD+1}") at
    COMP_WORDS=("$words")
    for ((at = 1; at <= COMP_CWORD; at++)); do
        if [[ ${words[at]} != "=" ]]; then
            COMP_WORDS+=("${words[at]}")
        else
            [[ ${words[at-1]} == -* ]] || unset "COMP_WORDS[-1]"
            ((at < COMP_CWORD)) || COMP_WORDS+=("")
        fi
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _shtab_mbconcord
}
complete -F _mbconcord mbconcord
"""


def write_script(shell: str) -> str:
    """Return the script that shtab writes for a shell, mended where it completes less than the shell could."""
    from shtab import complete  # not before: the help of this command does not need it

    script = complete(_describe(build_parser(), shell), shell)
    if shell == "bash":
        return script + _BASH
    return re.sub(r'"\(\*\)::?', '"*:', script)  # zsh: FILE… are several files, not one


def _describe(parser: argparse.ArgumentParser, shell: str) -> argparse.ArgumentParser:
    """Write into a new parser, and its commands, what shtab reads there: how values complete, and help in few words."""
    if isinstance(parser, Command):
        parser.fill().description = None
    for action in tuple(parser._actions):
        if isinstance(action, argparse._SubParsersAction):
            action.help = "command"
            for command in action.choices.values():
                _describe(command, shell)
            continue
        known = action.known if isinstance(action, Collect) else KNOWN.get(action.dest, tuple)()
        if ASSUME in action.option_strings:  # --assume is short for --read assume=, and has its own values
            assume, begin = copy(action), ASSUME.lstrip("-") + "="
            action.option_strings, assume.option_strings = [READ], [ASSUME]
            parser._actions.append(assume)
            _complete(assume, [word.removeprefix(begin) for word in known if word.startswith(begin)], shell)
        _complete(action, known, shell)
    return parser


def _complete(action: Any, known: Sequence[str], shell: str) -> None:
    """Write into an argument how its values complete: choices, words that are known, or names of files."""
    if known and action.choices is None:
        action.complete = _list(known)
    elif action.choices is None and FILES.search(action.metavar or ""):
        action.complete = _FILES
    if shell == "zsh" and action.nargs != 0:  # where --to= takes its value after "=" or as the next word
        action.option_strings = [name + "=" * name.startswith("--") for name in action.option_strings]
    action.metavar = None  # zsh would read its colon
    action.help = re.split(r"[;:]| \(|, ", action.help or "")[0]


def _list(known: Sequence[str]) -> dict[str, Any]:
    """Return, by shell, what completes one of these words, or the last of several with commas."""
    words = " ".join(known)
    name = "_mbconcord_" + re.sub(r"\W", "_", words)
    bash = f'{name}() {{ compgen -P "${{1%"${{1##*,}}"}}" -W "{words}" -- "${{1##*,}}"; }}'
    zsh = f"{{compset -P '*,'; compadd - {words}}}".replace(":", r"\:")
    return {"bash": name, "zsh": zsh, "fish": f"(__fish_append , {words})", "preamble": {"bash": bash}}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the shell argument."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script that completes words in a shell; return the exit code."""
    script = write_script(arguments.shell)
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        put(script)
    return SUCCESS
