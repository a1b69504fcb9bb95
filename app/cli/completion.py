"""Print a script by which a shell completes commands, options, names of formats, formalisms and quantities, and files.

bash: eval "$(mbconcord completion bash)" in ~/.bashrc. zsh: mbconcord completion zsh > a folder of $fpath/_mbconcord.
fish: mbconcord completion fish > ~/.config/fish/completions/mbconcord.fish. The names are those that are there now:
print it anew when a package brings others.
"""

from __future__ import annotations

import argparse

from . import SUCCESS, build_parser
from .io.streams import put
from .output import print_json
from .terminal.shells import SHELLS
from .terminal.words import commands


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which shell."""
    parser.add_argument("shell", metavar="SHELL", choices=tuple(SHELLS), help=" or ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    script = SHELLS[arguments.shell](commands(build_parser()))
    if arguments.json:
        print_json({"shell": arguments.shell, "script": script})
    else:
        put(script)
    return SUCCESS
