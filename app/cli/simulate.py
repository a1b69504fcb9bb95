"""Follow the motion of a model in time, from a state on the constraints to --until.

Each step is projected onto the constraints. The table has t, positions, rates, accelerations, multipliers of the
constraints, energies, work, power, the error of their balance, and the gaps of the constraints: CSV or Parquet, by the
name of --output. Ctrl-C ends the run and keeps the rows so far; --resume goes on from the last row of a
table. Where the motion cannot go on (a mechanism locks) the rows until then are kept, exit code 2. With --motion the
motion is given, and the efforts of its drives and the reactions of the constraints along it are found.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mbconcord.api.simulate import TOLERANCE, SimulateRequest, Simulation, simulate, take_defaults
from mbconcord.api.tables import SUFFIXES, suffix_of
from mbconcord.model.diagnostics import NumbersError, WriteError, error
from mbconcord.model.kinematics import MACHINE
from mbconcord.model.limits import count as counted
from mbconcord.reports.description import in_units
from mbconcord.reports.table import table
from mbconcord.simulation.motion.trajectory import IMPACTS, LOST, NOTHING, PACKAGES, PURPOSES, SLIP, TrajectoryRow
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.progress import tell as count
from mbconcord.witnessed import with_evidence

from . import BAD_INPUT, DISAGREEMENT, INTERRUPTED, SUCCESS
from .formalisms import named_formalism
from .io.json_files import read_state
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, say_left_out, with_accepted
from .options.numbers import real
from .options.shared import split_names
from .output import add_force, add_quiet, print_json, require_other, require_writable, say, say_head, tell
from .source import add_file, load
from .terminal.screen import progress

DRAWINGS = (".svg", ".html")
#: How often progress is told: in so many parts of the time.
PARTS = 100
#: Rows of the table that are shown.
SHOWN = 11


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, time, integrator, events, output."""
    add_file(parser)
    parser.add_argument(
        "--until", metavar="T",
        help="the end, s (default: that of last.icf in a folder of Universal Mechanism, as method, tolerance and step)",
    )  # fmt: skip
    parser.add_argument(
        "--motion", metavar="TABLE",
        help="follow the motion of a table instead: t, coordinates z1, and where they are known rates z1' and "
        "accelerations z1''; the efforts of the drives and the reactions along it are found, nothing is integrated",
    )  # fmt: skip
    parser.add_argument(
        "--driven", metavar="A,B", help="with --motion: coordinates of the table that are driven (default: all)"
    )
    parser.add_argument(
        "--actuated", metavar="A,F",
        help="with --motion: coordinates or parameters whose efforts make the driven ones move as they do, as many as "
        "these (default: efforts act there themselves)",
    )  # fmt: skip
    parser.add_argument(
        "--formalism", metavar="NAME", help="by whose equations (default: the quickest that takes the model)"
    )
    parser.add_argument("--form", metavar="FORM", help="which of its forms (default: it chooses)")
    parser.add_argument(
        "--method", choices=tuple(PACKAGES),
        help="; ".join(f"{name}: {purpose}" for name, purpose in PURPOSES.items()),
    )  # fmt: skip
    parser.add_argument("--tolerance", metavar="E", help=f"of a step, relative and absolute (default: {TOLERANCE:g})")
    parser.add_argument(
        "--step-out", metavar="DT", help="between rows of the table, s; the end is a row too (default: 200 rows)"
    )
    parser.add_argument(
        "--slip", default=str(SLIP), metavar="V",
        help=f"speed below which dry friction, a sign of rates, slips and does not jump, m/s, rad/s (default: {SLIP})",
    )  # fmt: skip
    parser.add_argument(
        "--impacts", choices=IMPACTS, default=IMPACTS[0],
        help="several impacts of rigid bodies at once whose results depend on their order end the run (default: "
        "refuse), happen together, or one after the other",
    )  # fmt: skip
    add_state(parser)
    parser.add_argument(
        "--forces", action="store_true",
        help="add what joints and cuts bear along the motion: columns joint_forces[body, Fx] ..., in the bodies' axes",
    )  # fmt: skip
    parser.add_argument(
        "--quantity", action="append", default=[], metavar="A,B",
        help="add kinematic quantities of evaluate along the motion: pose(hand), velocity(hand, in=body), "
        f"{', '.join(MACHINE)}; may be repeated",
    )  # fmt: skip
    for option, help in (
        ("--event", "add a row where this formula of coordinates, rates and t changes its sign; may be repeated"),
        ("--stop", "end the run where this formula changes its sign; may be repeated"),
    ):
        parser.add_argument(option, action="append", default=[], metavar="FORMULA", help=help)
    parser.add_argument("--output", metavar="OUT", help="write the table: .csv, or .parquet (extra [data])")
    parser.add_argument(
        "--plot",
        metavar="OUT",
        help="draw the motion over time: .svg (extra [plot]); or .html, a page that plays it and loads nothing",
    )
    parser.add_argument("--resume", metavar="TABLE", help="go on from the last row of a table that was written before")
    add_force(parser)
    add_quiet(parser, "neither progress nor warnings")
    parser.add_argument("--no-witness", action="store_true", help="print numbers that no witness has judged")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate a model, write its motion and print a summary; return the exit code."""
    _require_outputs(arguments)
    source = load(arguments, arguments.file)
    request, taken = take_defaults(source, _request(arguments))
    if request.until is None and request.motion is None:
        raise NumbersError(error("--until", "found no end of the motion", "for example --until 10"))
    with progress(arguments.quiet):
        found = simulate(source, request)
        count("simulated", 0, 0, "")
    tell((*taken, *found.diagnostics), "error" if arguments.quiet else "note")
    written = [str(found.save(name)) for name in (arguments.output, arguments.plot) if name]
    left_out = with_accepted(arguments, found.left_out)
    if found.witnesses and arguments.output:
        from mbconcord.validation.witnesses.screen import read_columns  # which needs what differentiates

        read = read_columns(found, {name: column.tolist() for name, column in found.to_frame().items()})
        tell(contradict([read], "simulate"))
        found = replace(found, witnesses=(*found.witnesses, read))
    if arguments.json:
        told = as_json(found) | {"written": written} | left_out.head()
        text = print_json(with_evidence("simulate", told, witnesses=bool(found.witnesses)))
        if found.witnesses:
            from mbconcord.validation.witnesses.screen import read_run_json

            read = read_run_json(found, text)
            tell(contradict([read], "simulate"))
            found = replace(found, witnesses=(*found.witnesses, read))
    else:
        say_left_out(left_out)
        found = print_text(found)
        for name in written:
            say(f"written: {name}")
    if found.witnesses:
        from mbconcord.validation.witnesses.screen import read_head

        asked: dict[str, Any] = {"system": source.system.name, "formalism": arguments.formalism}
        if not arguments.motion:
            asked |= {"method": request.method, "tolerance": request.tolerance}
            asked |= {} if found.stopped else {"reached": request.until}
        read = read_head(found.formalism, asked, summary(found))
        tell(contradict([read], "simulate"))
        found = replace(found, witnesses=(*found.witnesses, read))
    if any(c.verdict == "disagrees" for c in found.witnesses):
        return DISAGREEMENT
    if found.stopped is None:
        return exit_code(SUCCESS, left_out)
    tell([found.stopped])
    if found.stopped.severity == "note":
        return exit_code(SUCCESS, left_out)
    return INTERRUPTED if found.stopped.severity == "warning" else BAD_INPUT


def _request(arguments: argparse.Namespace) -> SimulateRequest:
    """Return the request for a simulation that the options describe."""
    if arguments.motion is not None:
        for name in ("until", "resume"):
            if getattr(arguments, name) is not None:
                message = "the motion of --motion has its own times"
                raise NumbersError(error(f"--{name}", message, "leave one of them out"))
    else:
        for name in ("driven", "actuated"):
            if getattr(arguments, name) is not None:
                raise NumbersError(error(f"--{name}", "nothing is driven without --motion", "add --motion TABLE"))
    if arguments.resume and arguments.state:
        raise NumbersError(error("--resume", "the last row of the table is the start", "leave --state out"))
    until, tolerance, step_out, slip = (
        real(f"--{name.replace('_', '-')}", getattr(arguments, name))
        for name in ("until", "tolerance", "step_out", "slip")
    )
    assert slip is not None
    by = named_formalism(arguments) if arguments.formalism or arguments.form else None
    return SimulateRequest(
        until, q=read_state(arguments.state) if arguments.state else None, formalism=by,
        method=arguments.method, tolerance=tolerance, step_out=step_out, slip=slip, events=arguments.event,
        stops=arguments.stop, motion=arguments.motion, resume=arguments.resume, progress=_make_counter(),
        driven=None if arguments.driven is None else split_names([arguments.driven]), witness=not arguments.no_witness,
        impacts=arguments.impacts, forces=arguments.forces, quantities=split_names(arguments.quantity),
        actuated=None if arguments.actuated is None else split_names([arguments.actuated]),
    )  # fmt: skip


def _require_outputs(arguments: argparse.Namespace) -> None:
    """Raise if an output cannot be written, before anything is computed."""
    inputs = [arguments.file, arguments.state, *arguments.settings]
    for name in (arguments.output, arguments.plot):
        if name:
            require_writable(name)
            require_other(name, inputs, arguments.force)
    if arguments.output:
        suffix_of(Path(arguments.output))
    if arguments.plot and Path(arguments.plot).suffix not in DRAWINGS:
        remedy = f"known: {', '.join(DRAWINGS)}; a table is --output with {' or '.join(SUFFIXES)}"
        raise WriteError(error("--plot", f"{arguments.plot}: no drawing has this suffix", remedy))


def _make_counter() -> Callable[[float, float, float], None]:
    """Return a function that reports the simulated time whenever another hundredth of the run is done."""
    last = -1

    def tell_time(t: float, begun: float, until: float) -> None:
        nonlocal last
        part = int(PARTS * (t - begun) / (until - begun))
        if part > last:
            last = part
            count("simulated", part, PARTS, f"t = {t:.4g} of {until:g} s")

    return tell_time


def summary(found: Simulation) -> dict[str, Any]:
    """Return the facts of a run by key: method, time reached, numbers of rows and evaluations, largest errors."""
    rows = found.found
    balance = max((abs(row.balance) for row in rows), default=0.0)
    return {
        "system": found.system, "formalism": found.formalism, "method": found.method, "tolerance": found.tolerance,
        "reached": found.reached, "stopped": str(found.stopped) if found.stopped else None, "rows": len(rows),
        "evaluations": found.evaluations, "seconds": found.seconds,
        "position_error": max((row.gap for row in rows), default=0.0),
        "rate_error": max((row.rate_gap for row in rows), default=0.0), "balance": balance,
    }  # fmt: skip


def as_json(found: Simulation) -> dict[str, Any]:
    """Convert to JSON: the summary, and the columns of the table by name."""
    table = found.to_frame()
    witnesses = {"witnesses": [c.to_json() for c in found.witnesses]}
    return summary(found) | witnesses | {"columns": {name: table[name].tolist() for name in table.columns}}


def print_text(found: Simulation) -> Simulation:
    """Print facts of a run and some rows; return the run with comparisons of the printed numbers added."""
    facts = summary(found)
    how = f", tolerance {found.tolerance:g}" if found.tolerance else ""
    head = (
        f"{found.system}: {found.reached:.9g} s by {found.formalism}, {found.method}{how}; "
        f"{counted(found.evaluations, 'evaluation')}, {found.seconds:.2f} s{'' if found.witnesses else '; no witness'}"
    )
    say(head)
    efforts = [f"effort {name}" for name in found.actuated or found.efforts]
    borne = [f"columns.{name}[]" for name in (*found.forces, *found.quantities)]
    events = ["event"] if any(row.event for row in found.found) else []
    closed = ["position_error"] if facts["position_error"] or facts["rate_error"] else []
    chosen = list(_choose_rows(found))
    if found.witnesses:
        from mbconcord.validation.witnesses.runs.made import check_shown  # which needs what integrates

        shown = check_shown(found.model, found.parameters, [(row, texts[-2]) for row, texts in chosen])
        found = replace(found, witnesses=(*found.witnesses, shown))
    printed = ("q", *efforts, "energy", "balance", *closed, *events, *borne)
    say_head("simulate", printed, found.witnesses, bool(found.witnesses))
    shown_rows = table(("t", *found.coordinates, *efforts, "energy", "event"), [texts for _, texts in chosen])
    units = in_units(found.model, "t in s", *(["efforts in N, N m"] if efforts else []), "energy in J")
    body = ["", shown_rows, units]
    if found.forces:
        columns = f"{counted(len(found.forces), 'column')} of the table"
        body.append(f"forces of the motion of the rows, {columns}; N, N m, in the bodies' axes")
    if found.quantities:
        columns = f"{counted(len(found.quantities), 'column')} of the table"
        body.append(f"kinematic quantities of the motion of the rows, {columns}")
    parts = [f"positions {facts['position_error']:.1e}", f"rates {facts['rate_error']:.1e}"]
    body.append("")
    if closed:
        body.append(f"constraints closed to: {', '.join(parts)}, of what they are made of")
    size = max((abs(row.kinetic) + abs(row.potential) for row in found.found), default=0.0)
    if found.found and facts["balance"] == facts["balance"]:
        body.append(f"energy and work balance to {facts['balance']:.1e} J of {size:.3g} J")
    if any(row.loads for row in found.found):
        lost, room = found.found[-1].lost, NOTHING * size
        body.append(f"{LOST}: {lost:.6g} J" if abs(lost) > room else f"{LOST}: 0 J, to {room:.0e} J")
    say("\n".join(body))
    if not found.witnesses:
        return found
    from mbconcord.validation.witnesses.runs.run import describe, judge
    from mbconcord.validation.witnesses.screen import read_run

    read = read_run(found.model, found, "\n".join((head, *body)))
    tell(judge((found.witnesses[-1], read)))
    for line in describe([c for c in found.witnesses if c.discrepancy is not None]):
        say(line)
    return replace(found, witnesses=(*found.witnesses, read))


def _choose_rows(found: Simulation) -> Iterator[tuple[TrajectoryRow, list[str]]]:
    """Yield evenly chosen rows and all rows with events, each with the texts of its cells."""
    last = len(found.found) - 1
    chosen = {round(i * last / (SHOWN - 1)) for i in range(SHOWN)} if last >= 0 else set()
    for i, row in enumerate(found.found):
        if i in chosen or row.event:
            own = (row.multipliers[place] for place in found.efforts.values())
            efforts = (x[i] for x in found.actuated.values()) if found.actuated else own
            numbers = (row.t, *row.q, *efforts, row.kinetic + row.potential)
            yield row, [*(f"{x:.6g}" for x in numbers), row.event]
