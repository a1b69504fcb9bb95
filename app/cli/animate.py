"""Play states of a model over time: a page of HTML that loads nothing.

The table (.csv, .parquet) has a column t and columns of coordinates by name: what simulate writes, a motion of another
program or of a test rig, a mode. Coordinates that it lacks stay at their initial values; other columns are not
drawn; warnings name both. Energies of simulate are plotted with the motion. A file of one state (.json, UM's .xv) is
drawn as it is. Without a table each joint of a tree moves in turn; a closed model is drawn at its initial position.

--mode N draws a mode of the linear equations about the model's own state, or that of TABLE (.json); about a steady
motion as it is seen from the frame that moves along.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mbconcord.api.animate import AnimateRequest, animate
from mbconcord.api.linearize import LinearizeRequest, linearize
from mbconcord.api.states import States
from mbconcord.api.tables import read_table
from mbconcord.converters.format import StateFile
from mbconcord.converters.registry import state_companion
from mbconcord.model.diagnostics import Diagnostic, MbconcordError, WriteError, error
from mbconcord.model.limits import count
from mbconcord.witnessed import with_evidence

from . import SUCCESS
from .io.json_files import read_state
from .numbers import add_parameters
from .options.accepted import add_accepted, exit_code, say_left_out, with_accepted
from .options.numbers import real, whole
from .output import add_force, add_quiet, print_json, require_other, require_writable, say, say_head, tell
from .source import add_file, load


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: model, table, page."""
    add_file(parser)
    parser.add_argument(
        "table", metavar="TABLE", nargs="?",
        help="table of states over time: .csv or .parquet; or one state: .json, .xv (um state); without it the joints "
        "move one after the other",
    )  # fmt: skip
    parser.add_argument("output", metavar="OUT.html", help="page to write")
    parser.add_argument(
        "--mode", type=whole(1, 100_000), metavar="N",
        help="draw a mode of linearize, by its number there, over a period",
    )  # fmt: skip
    parser.add_argument(
        "--amplitude", metavar="X", default="0.1", help="of its largest coordinate, m or rad (default: 0.1)"
    )
    parser.add_argument("--time", metavar="T", help="the moment of --mode, s, where the equations depend on the time")
    parser.add_argument("--title", help="heading of the page")
    add_force(parser)
    add_quiet(parser, "no warnings")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read a model and its motion, and write the page that plays it; return the exit code."""
    require_writable(arguments.output)
    if Path(arguments.output).suffix != ".html":
        raise WriteError(error("OUT", f"{arguments.output}: an animation is no such file", "name a .html"))
    inputs = [arguments.file, *([arguments.table] if arguments.table else []), *arguments.settings]
    require_other(arguments.output, inputs, arguments.force)
    source = load(arguments, arguments.file)
    states: States | None = None
    notes: tuple[Diagnostic, ...] = ()
    if arguments.table and (Path(arguments.table).suffix == ".json" or state_companion(arguments.table)):
        states = read_state(arguments.table)
        notes = states.notes(source.system)
    elif arguments.table:
        states = read_table(Path(arguments.table))
    drawn, of_mode = ["page"], ""
    if arguments.mode:
        if arguments.table and not isinstance(states, StateFile):
            raise MbconcordError(error("TABLE", "found a table over time", "name one state, .json, or leave it out"))
        amplitude = real("--amplitude", arguments.amplitude)
        assert amplitude is not None
        near = linearize(source, LinearizeRequest(states, t=real("--time", arguments.time), witness=False))
        if not near.steady:
            remedy = "name a state of mbconcord equilibrium FILE --steady NAME=VALUE"
            raise MbconcordError(error("--mode", near.stability, remedy))
        states = near.mode_motion(arguments.mode, amplitude)
        notes, drawn = (*notes, *near.diagnostics), ["page", "mode_motion"]
        of_mode = f", mode {arguments.mode} ({near.modes[arguments.mode - 1].kind}), {near.standing}"
    found = animate(source, AnimateRequest(states, title=arguments.title))
    tell((*notes, *found.diagnostics), "error" if arguments.quiet else "note")
    written = str(found.save(arguments.output))
    left_out = with_accepted(arguments, found.left_out)
    if arguments.json:
        told = {"system": found.system, "states": found.frames, "written": written}
        judged = {"comparisons": [c.to_json() for c in found.comparisons]}
        print_json(with_evidence("animate", told | judged, drawn) | left_out.head())
    else:
        say_left_out(left_out)
        say(f"{found.system}: {count(found.frames, 'state')}{of_mode}")
        say_head("animate", drawn, found.comparisons)
        say(f"written: {written}")
    return exit_code(SUCCESS, left_out, found.comparisons)
