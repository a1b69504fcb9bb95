"""Write the equations of motion as source code that needs nothing of mbconcord: a library in C with its own test.

FOLDER gets a header, a source (C99), a file for CMake and a test program, which compares the results at drawn states
with numbers computed in many digits and fails where rounding does not explain a difference. With --language jax or
casadi it gets a module of Python over that package. A path that ends with .fmu is a Functional Mock-up Unit: one
archive for Model Exchange and Co-Simulation, with sources and the binary of this machine.
"""

from __future__ import annotations

import argparse

from mbconcord.api.exporting.export import FMU, LANGUAGES, choose_language, choose_options, generate_files
from mbconcord.api.exporting.fmu import VERSIONS
from mbconcord.api.exporting.self_test import find_missing
from mbconcord.api.interpreted import says_less
from mbconcord.api.source import locate_errors
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.witnessed import with_constraints, with_evidence

from . import NOT_CHECKED, SUCCESS
from .formalisms import add_formalism, add_quantity, formalism
from .io.json_files import read_state
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, find_left_out, say_left_out
from .options.numbers import real
from .options.shared import SKIPPED, add_speeds, add_witness, is_silent, list_along, read_speeds_of, split_names
from .output import add_detail, add_force, least, print_json, require_other, say, say_head, tell
from .source import add_file, load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, folder, formalism, quantities, language."""
    add_file(parser)
    parser.add_argument(
        "folder", metavar="FOLDER", help="where the files are written, made where it is missing; FILE.fmu: an FMU"
    )
    add_formalism(parser)
    add_quantity(parser)
    parser.add_argument(
        "--actuated", metavar="A,B",
        help="of a model with constraints: coordinates whose accelerations the code takes; effort, the default "
        "quantity, are their whole efforts",
    )  # fmt: skip
    add_speeds(parser)
    parser.add_argument(
        "--language", choices=(*LANGUAGES, FMU), help="of the code (default: fmu where FOLDER ends with .fmu, else c)"
    )
    own = parser.add_argument_group("an FMU")
    own.add_argument("--fmi", type=int, choices=VERSIONS, help="version of FMI (default: 3)")
    own.add_argument("--kind", metavar="me,cs", help="me: Model Exchange, cs: Co-Simulation (default: both)")
    own.add_argument(
        "--step", metavar="S",
        help="Co-Simulation takes equal steps of at most S seconds, for real time (default: as its tolerance needs)",
    )  # fmt: skip
    own.add_argument("--inputs", metavar="none|all|A,B", help="coordinates along which it takes efforts (default: all)")
    own.add_argument("--no-binary", dest="binary", action="store_false", help="sources alone, for any machine")
    add_state(own)
    parser.add_argument("--name", help="what files and functions are called by (default: as the model)")
    add_force(parser)
    add_detail(parser, "no warnings", "the reader's notes, too")
    add_accepted(parser)
    add_witness(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Derive the equations of a model and write them as source code; return the exit code."""
    source = load(arguments, arguments.file).plausible()
    by = formalism(arguments, source.system)
    name = arguments.name or source.system.name
    language = choose_language(arguments.language, arguments.folder)
    state = read_state(arguments.state) if arguments.state else None
    given = {"fmi": arguments.fmi, "kind": arguments.kind, "step": real("--step", arguments.step), "q": state}
    with locate_errors(source, state):
        options = choose_options(source.system, language, {**given, "inputs": arguments.inputs}, arguments.binary)
        names = split_names(arguments.quantity)
        turned = read_speeds_of(arguments, source.system, names)
        moved = split_names([arguments.actuated or ""])
        if arguments.actuated is not None and not moved:
            raise NumbersError(error("--actuated", "no coordinate is named", "name one, or leave it out"))
        texts = generate_files(by, source.system, names, language, name, options, turned, moved)
    for target in texts.targets(arguments.folder):
        require_other(str(target), [arguments.file, *arguments.settings, arguments.state], arguments.force)
    witness = texts.compare() if arguments.witness else SKIPPED
    files = [str(path) for path in texts.write(arguments.folder)]
    tell(map(source.locate, (*source.diagnostics, *texts.said)), least(arguments))
    left_out = find_left_out(arguments, source.system, texts.quantities)
    made = texts.quantities
    fields = with_constraints(source.system, *list_along("fmu" if language == FMU else "files", made), *made)
    if arguments.json:
        told = {
            "system": source.system.name,
            "formalism": by.name,
            "language": language,
            "quantities": list(texts.quantities),
            "operations": texts.operations.to_json(),
            "written": files,
            "witness": witness.message,
            **({"binary": not texts.lacks} if language == FMU else {}),
            **left_out.head(),
        }
        print_json(with_evidence("export", told, fields, not says_less(witness)))
    else:
        say_left_out(left_out)
        say_head("export", fields, witnesses=not says_less(witness))
        if arguments.witness and (absent := find_missing(language)):
            say(f"self-test did not run: {absent}")
        if texts.lacks:
            say(f"sources alone, no binary: {texts.lacks}")
        for file in files:
            say(f"written: {file}")
        say(f"{witness.place}: {witness.message}")
    return exit_code(NOT_CHECKED if is_silent(witness) else SUCCESS, left_out)
