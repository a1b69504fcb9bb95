"""Find where the forces of a model balance, everything at rest, on its constraints.

It is looked for from the model's own position, or that of --state. Motions that are prescribed stand still at --time.
Where none is near, the force that is left is told with its coordinate, and the nearest position is printed; exit code
2. An equilibrium is stable, unstable or indifferent by the sign of the stiffness; the coordinates are named.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mbconcord.api.linear_analysis.equilibrium import WRITTEN, Equilibrium, balanced
from mbconcord.api.source import located
from mbconcord.api.tables import require_suffix
from mbconcord.model.system import System
from mbconcord.reports.as_json import dumps
from mbconcord.reports.table import short, table
from mbconcord.simulation.linear.equilibrium import NoEquilibriumError

from . import BAD_INPUT, DISAGREEMENT, SUCCESS
from .io.own_input import add_force, require_other
from .io.state_files import read_state
from .numbers import add_parameters, add_state
from .options.linear import add_linear, held, state_of
from .output import add_quiet, complain, print_json, require_writable, say, tell
from .source import add_file, load
from .tables.linear import agreed
from .tables.units import in_units

HEADERS = ("coordinate", "position", "moved by")


def arguments(parser: argparse.ArgumentParser) -> None:
    """File, state, time, what is held."""
    add_file(parser)
    add_state(parser)
    add_linear(parser)
    parser.add_argument(
        "--output", metavar="OUT", help="write the state that --state and --at take: .json; or .csv, .parquet"
    )
    add_force(parser)
    add_quiet(parser, "no warnings")
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find, write and print."""
    if arguments.output:
        require_suffix(Path(arguments.output), WRITTEN)
        require_writable(arguments.output)
        require_other(
            arguments.output, [arguments.file, arguments.state, arguments.parameters], arguments.force
        )
    source = load(arguments, arguments.file).plausible()
    file = read_state(arguments.state) if arguments.state else None
    with located(source, *([file] if file else [])):
        state, timed = state_of(file, source.system, arguments)
        try:
            found = balanced(
                source, state, held(arguments), arguments.formalism, timed, not arguments.no_check
            )
        except NoEquilibriumError as problem:
            complain(problem)
            if arguments.json:
                print_json({"equilibrium": False, "nearest": problem.nearest.to_json()})
            else:
                say(f"nearest position: {dumps(problem.nearest.to_json())}")
            return BAD_INPUT
    tell(found.diagnostics, "error" if arguments.quiet else "note")
    written = str(found.save(arguments.output)) if arguments.output else None
    if arguments.json:
        print_json({"equilibrium": True, **found.to_json()})
    else:
        print_text(found, source.system)
        if written:
            say(f"written: {written}")
    return DISAGREEMENT if found.verdict == "disagrees" else SUCCESS


def print_text(found: Equilibrium, system: System) -> None:
    """Positions, reactions, stability, evidence."""
    say(f"{found.system}: {found.stability} equilibrium by {found.formalism}, t = {found.state.t:g} s\n")
    rows = zip(found.coordinates, found.state.q.values(), found.shift.tolist(), strict=True)
    say(table(HEADERS, ((name, f"{q:.12g}", f"{shift:.6g}") for name, q, shift in rows)))
    say(in_units(system, *(["lambda in N, N m"] if found.rows else [])))
    if found.rows:
        multipliers = zip(found.rows, found.multipliers.tolist(), strict=True)
        say("\n" + table(("row", "lambda"), ((row, _multiplier(x)) for row, x in multipliers)))
    say(f"\nforces left: {short(found.left)} of what they are made of, after {found.steps} steps")
    if found.comparisons:
        say(agreed(found.comparisons))


def _multiplier(x: float) -> str:
    return f"{x:.9g}" if x == x else "not determined"
