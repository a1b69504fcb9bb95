"""Find where the forces of a model balance, everything at rest, on its constraints.

The search starts at the model's own position, or that of --state. Prescribed motions are frozen at --time if the
equations depend on it; otherwise, as for a turn at a constant rate, they go on: the equilibrium is relative to them.
If none is near, an error names the force that is left and its coordinate, and the nearest position is printed; exit
code 2. An equilibrium is stable, unstable or indifferent by the sign of the stiffness, or by the eigenvalues where that
does not decide, with the coordinates of each direction.

With --steady NAME=VALUE the steady motion near the start that has these positions and rates: a bicycle in a circle, the
angle of a governor, a top that precesses. It goes on along symmetries of the equations; linearize --at judges it.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from mbconcord.api.equilibrium import WRITTEN, Equilibrium, EquilibriumRequest, SteadyState, equilibrium
from mbconcord.api.tables import require_suffix
from mbconcord.model.limits import count
from mbconcord.model.system import System
from mbconcord.reports.description import in_units
from mbconcord.reports.part import dumps
from mbconcord.reports.table import short, table
from mbconcord.simulation.linear.equilibrium import UNJUDGED, NoEquilibriumError
from mbconcord.simulation.linear.linearised import HIGHER
from mbconcord.validation.witnesses.screen import read_equilibrium, read_head, read_steady
from mbconcord.witnessed import with_constraints, with_evidence

from . import BAD_INPUT, DISAGREEMENT, SUCCESS
from .io.json_files import read_state
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, find_left_out, say_left_out, with_accepted
from .options.numbers import real
from .options.shared import add_linear, add_steady, read_held
from .options.shared import read_steady as read_given
from .output import add_force, add_quiet, complain, print_json, require_other, require_writable, say, tell
from .source import add_file, load
from .tables.linear import not_compared, say_found

HEADERS = ("coordinate", "position", "moved by")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, state, time, fixed coordinates."""
    add_file(parser)
    add_state(parser)
    add_linear(parser)
    add_steady(
        parser, "find a steady motion with this position or rate, for example \"psi'=6.28\"; may be repeated"
    )  # fmt: skip
    parser.add_argument(
        "--output", metavar="OUT", help="write the state that --state and --at take: .json; or .csv, .parquet"
    )
    add_force(parser)
    add_quiet(parser, "no warnings")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Find an equilibrium or a steady motion, write its state and print it; return the exit code."""
    if arguments.output:
        require_suffix(Path(arguments.output), WRITTEN)
        require_writable(arguments.output)
        require_other(arguments.output, [arguments.file, arguments.state, *arguments.settings], arguments.force)
    source = load(arguments, arguments.file)
    request = EquilibriumRequest(
        read_state(arguments.state) if arguments.state else None, t=real("--time", arguments.time),
        hold=read_held(arguments), formalism=arguments.formalism, witness=arguments.witness,
        steady=read_given(arguments),
    )  # fmt: skip
    left_out = find_left_out(arguments, source.system)
    try:
        found = equilibrium(source, request)
    except NoEquilibriumError as problem:
        complain(problem)
        if arguments.json:
            print_json({"equilibrium": False, "nearest": problem.nearest.to_json()} | left_out.head())
        else:
            say_left_out(left_out)
            say(f"nearest position: {dumps(problem.nearest.to_json())}")
        return BAD_INPUT
    tell(found.diagnostics, "error" if arguments.quiet else "note")
    if found.comparisons:
        asked = {"system": source.system.name, "formalism": arguments.formalism, "t": real("--time", arguments.time)}
        told = {"system": found.system, "formalism": found.formalism, "t": found.state.t}
        found = replace(found, comparisons=(*found.comparisons, read_head(found.formalism, asked, told)))
    written = str(found.save(arguments.output)) if arguments.output else None
    left_out = with_accepted(arguments, found.left_out)
    more = with_constraints(source.system) if isinstance(found, Equilibrium) else []
    if arguments.json:
        told = with_evidence("equilibrium", found.to_json(), more, bool(found.comparisons))
        print_json({"equilibrium": True, **told, **left_out.head()})
    else:
        say_left_out(left_out)
        if isinstance(found, SteadyState):
            text, read = steady_text(found, source.system), read_steady
        else:
            text, read = equilibrium_text(found, source.system), read_equilibrium
        found = say_found("equilibrium", found, text, read, more, written)
    return exit_code(DISAGREEMENT if found.verdict == "disagrees" else SUCCESS, left_out, found.comparisons)


def equilibrium_text(found: Equilibrium, system: System) -> str:
    """Return a text with the positions, reactions and stability of an equilibrium."""
    still = ", of prescribed motions that stand still there" if found.still else ""
    open_ends = {"undecided": HIGHER, UNJUDGED: "its stability not judged"}
    said = open_ends.get(found.stability, "")
    kind = f"equilibrium, {said}," if said else f"{found.stability} equilibrium"
    head = f"{found.system}: {kind} by {found.formalism}, t = {found.state.t:g} s{still}"
    rows = zip(found.coordinates, found.state.q.values(), found.shift.tolist(), strict=True)
    lines = [
        head + not_compared(found.comparisons), "",
        table(HEADERS, ((name, f"{q:.12g}", f"{shift:.6g}") for name, q, shift in rows)),
        in_units(system, *(["lambda in N, N m"] if found.rows else [])),
    ]  # fmt: skip
    if found.rows:
        multipliers = zip(found.rows, found.multipliers.tolist(), strict=True)
        lines += ["", table(("row", "lambda"), ((row, _multiplier(x)) for row, x in multipliers))]
    lines += ["", f"forces left: {short(found.left)} of what they are made of, after {count(found.steps, 'step')}"]
    return "\n".join(lines)


def steady_text(found: SteadyState, system: System) -> str:
    """Return a text with the positions, rates and symmetries of a steady motion."""
    head = f"{found.system}: steady motion by {found.formalism}, t = {found.state.t:g} s: {found.generator}"
    rows = zip(found.coordinates, found.state.q.values(), found.state.v.values(), strict=True)
    return "\n".join([
        head + not_compared(found.comparisons), "",
        table(("coordinate", "position", "rate"), ((name, f"{q:.12g}", f"{v:.12g}") for name, q, v in rows)),
        in_units(system), "",
        f"left beside the symmetries: {short(found.residual)} of rates, after {count(found.steps, 'step')}",
    ])  # fmt: skip


def _multiplier(x: float) -> str:
    return f"{x:.9g}" if x == x else "not determined"
