"""Write the equations of motion as source code that needs nothing of mbconcord: a library in C with its own test.

FOLDER gets a header, a source (C99), a file for CMake and a test program, which compares the results at drawn states
with numbers computed in many digits and fails where rounding does not explain a difference. With --language jax or
casadi it gets a module of Python over that package.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mbconcord.api.exporting.export import LANGUAGES, chosen, written
from mbconcord.api.source import located

from . import SUCCESS
from .formalisms import add_formalism, add_quantity, formalism
from .io.own_input import add_force, require_other
from .numbers import add_parameters
from .options.names import listed
from .output import add_detail, least, print_json, say, tell
from .source import add_file, load


def arguments(parser: argparse.ArgumentParser) -> None:
    """File, folder, formalism, quantities and language."""
    add_file(parser)
    parser.add_argument(
        "folder", metavar="FOLDER", help="where the files are written; made where it is missing"
    )
    add_formalism(parser)
    add_quantity(parser)
    parser.add_argument("--language", choices=tuple(LANGUAGES), default="c", help="of the code (default: c)")
    parser.add_argument("--name", help="what files and functions are called by (default: as the model)")
    add_force(parser)
    add_detail(parser, "no warnings", "the reader's notes, too")
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Derive and write."""
    by = formalism(arguments)
    source = load(arguments, arguments.file).plausible()
    name = arguments.name or source.system.name
    with located(source):
        texts = chosen(by, source.system, listed(arguments.quantity), arguments.language, name)
    for file in texts.files:
        require_other(
            str(Path(arguments.folder) / file), [arguments.file, arguments.parameters], arguments.force
        )
    files = [str(path) for path in written(arguments.folder, texts.files)]
    tell(map(source.locate, source.diagnostics), least(arguments))
    if arguments.json:
        print_json(
            {
                "system": source.system.name,
                "formalism": by.name,
                "language": arguments.language,
                "quantities": list(texts.quantities),
                "operations": texts.operations.to_json(),
                "written": files,
            }
        )
    else:
        for file in files:
            say(f"written: {file}")
    return SUCCESS
