"""Write the motion of a model near a state as matrices, modes and a state space; derivatives are exact.

M w' + C w + K z = B u in the independent coordinates z and their rates w, on the constraints; x' = A x + B_x u. C is
split into damping and gyroscopic, K into stiffness and circulatory parts. The state is the model's own, that of --at,
or with --at equilibrium the one where the forces balance. Motions of another formalism judge the matrices, by
differences in 50 digits. --sweep NAME=FROM:TO:STEP follows the eigenvalues of steady motions over a parameter, a
position or a rate: a root locus or a Campbell diagram as table and picture, with its crossings. --mode N writes the
coordinates over a period of that mode, to be animated.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from mbconcord.api.equilibrium import EquilibriumRequest, equilibrium
from mbconcord.api.linearize import (
    OUTPUTS,
    SWEPT_FILES,
    WRITTEN,
    Linearization,
    LinearizeRequest,
    follow_modes,
    linearize,
)
from mbconcord.api.source import Source
from mbconcord.api.tables import SUFFIXES, require_suffix, write_table
from mbconcord.converters.format import StateFile
from mbconcord.model.diagnostics import MbconcordError, error
from mbconcord.model.state import State
from mbconcord.validation.witnesses.screen import read_head, read_linear, read_locus
from mbconcord.witnessed import with_constraints, with_evidence

from . import DISAGREEMENT, NOT_CHECKED, SUCCESS
from .io.json_files import read_state
from .numbers import add_parameters
from .options.accepted import add_accepted, exit_code, say_left_out, with_accepted
from .options.numbers import real, whole
from .options.shared import add_linear, add_steady, read_held, read_steady, read_sweep, split_names
from .output import add_force, add_quiet, print_json, require_other, require_writable, tell
from .source import add_file, load
from .tables.linear import linear_text, say_found, sweep_text

#: The word of --at that is no file.
EQUILIBRIUM = "equilibrium"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, state, inputs, fixed coordinates, modes."""
    add_file(parser)
    parser.add_argument(
        "--state", "--at", dest="at", metavar="FILE",
        help="a state file, as evaluate takes it and equilibrium writes it; or 'equilibrium': found from "
        "the model's own position (default: the model's own state)",
    )  # fmt: skip
    add_linear(parser)
    parser.add_argument(
        "--inputs", metavar="A,B",
        help="coordinates and forces that are inputs, columns of B (default: drives that apply efforts, all forces)",
    )  # fmt: skip
    parser.add_argument(
        "--quantity", action="append", default=[], metavar="A,B",
        help="outputs of y = C x + D u: coordinates, rates a', accelerations a'', velocity(BODY) and other "
        "quantities of points, whole or an entry, velocity(BODY).x",
    )  # fmt: skip
    parser.add_argument(
        "--independent", metavar="A,B",
        help="coordinates in which the matrices are written (default: those that depend least on each other)",
    )  # fmt: skip
    parser.add_argument(
        "--period", metavar="T",
        help="of a periodic motion, s, which the state is moved onto (default: that of equations that depend on time)",
    )  # fmt: skip
    parser.add_argument(
        "--sweep", metavar="NAME=FROM:TO:STEP",
        help="eigenvalues of steady motions over a parameter, a position or a rate, \"x'=1:8:0.1\", each near the one "
        "before; --output is .svg, .csv, .parquet or .json",
    )  # fmt: skip
    add_steady(parser, "another position or rate of the motions of --sweep; may be repeated")
    parser.add_argument(
        "--mode", type=whole(1, 100_000), metavar="N",
        help="write to --output the coordinates over a period of this mode, columns t and positions, to be animated",
    )  # fmt: skip
    parser.add_argument(
        "--amplitude", metavar="X", default="0.1", help="of its largest coordinate, m or rad (default: 0.1)"
    )
    parser.add_argument("--output", metavar="OUT", help="write everything: .json, .npz; or the modes: .csv, .parquet")
    add_force(parser)
    add_quiet(parser, "no warnings")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Linearise a model, write its output files and print the results; return the exit code."""
    amplitude = real("--amplitude", arguments.amplitude)
    assert amplitude is not None
    swept, given = read_sweep(arguments.sweep) if arguments.sweep else None, read_steady(arguments)
    if given is not None and not swept:
        raise MbconcordError(
            error("--steady", "found no --sweep", "see mbconcord equilibrium FILE --steady NAME=VALUE")
        )
    if swept and (arguments.mode or arguments.quantity or arguments.period):
        raise MbconcordError(
            error("--sweep", "found --mode, --quantity or --period", "leave them out: they are of one state")
        )
    _require_output(arguments)
    source = load(arguments, arguments.file)
    balance = arguments.at == EQUILIBRIUM
    at: StateFile | State | None = read_state(arguments.at) if arguments.at and not balance else None
    time, hold, by = real("--time", arguments.time), read_held(arguments), arguments.formalism
    if balance:
        resting = equilibrium(source, EquilibriumRequest(t=time, hold=hold, formalism=by, witness=False))
        tell(resting.diagnostics, "error" if arguments.quiet else "note")
        at = resting.state
    inputs, independent = (
        None if text is None else split_names([text]) for text in (arguments.inputs, arguments.independent)
    )
    request = LinearizeRequest(
        at, t=None if balance else time, inputs=inputs, hold=hold, independent=independent, formalism=by,
        period=real("--period", arguments.period), witness=arguments.witness,
    )  # fmt: skip
    if swept:
        return _sweep(arguments, source, request, *swept, given or {})
    found = linearize(source, request)
    tell(found.diagnostics, "error" if arguments.quiet else "note")
    if outputs := split_names(arguments.quantity):
        space = found.abcd(outputs=outputs)
        found = replace(found, space=space, comparisons=space.comparisons if found.comparisons else ())
    if found.comparisons:
        asked = {"system": source.system.name, "formalism": by, "t": time}
        told = {"system": found.system, "formalism": found.formalism, "t": found.state.t}
        found = replace(found, comparisons=(*found.comparisons, read_head(found.formalism, asked, told)))
    left_out = with_accepted(arguments, found.left_out)
    written = _write(found, arguments, amplitude)
    more = with_constraints(source.system)
    if arguments.json:
        told = with_evidence("linearize", found.to_json(), more, bool(found.comparisons))
        print_json(told | {"written": written} | left_out.head())
    else:
        say_left_out(left_out)
        found = say_found("linearize", found, linear_text(found, source.system), read_linear, more, written, "\n")
    alone = any(c.verdict == "not checked" for c in found.comparisons if c.quantity == OUTPUTS)
    code = SUCCESS if found.is_founded and not alone else NOT_CHECKED
    return exit_code(DISAGREEMENT if found.verdict == "disagrees" else code, left_out, found.comparisons)


def _require_output(arguments: argparse.Namespace) -> None:
    """Raise if an output cannot be written, before anything is computed."""
    if not arguments.output:
        if arguments.mode:
            raise MbconcordError(error("--mode", "found no --output", "name a file, for example mode.csv"))
        return
    known = SWEPT_FILES if arguments.sweep else SUFFIXES if arguments.mode else WRITTEN
    require_suffix(Path(arguments.output), known)
    require_writable(arguments.output)
    own = None if arguments.at == EQUILIBRIUM else arguments.at
    require_other(arguments.output, [arguments.file, own, *arguments.settings], arguments.force)


def _sweep(
    arguments: argparse.Namespace, source: Source, request: LinearizeRequest, name: str, values: list[float],
    given: dict[str, float],
) -> int:  # fmt: skip
    """Follow the eigenvalues over values of a swept quantity, write and print them; return the exit code."""
    found = follow_modes(source, request, name, values, given)
    tell(found.diagnostics, "error" if arguments.quiet else "note")
    left_out = with_accepted(arguments, found.left_out)
    written = str(found.save(arguments.output)) if arguments.output else None
    if arguments.json:
        told = with_evidence("linearize", found.to_json(), (), bool(found.comparisons))
        print_json(told | {"written": written} | left_out.head())
    else:
        say_left_out(left_out)
        found = say_found("linearize", found, sweep_text(found), read_locus, (), written, "\n")
    code = NOT_CHECKED if found.lost else SUCCESS
    return exit_code(DISAGREEMENT if found.verdict == "disagrees" else code, left_out, found.comparisons)


def _write(found: Linearization, arguments: argparse.Namespace, amplitude: float) -> str | None:
    if not arguments.output:
        return None
    path = Path(arguments.output)
    if arguments.mode:
        return str(write_table(path, found.mode_motion(arguments.mode, amplitude)))
    return str(found.save(path))
