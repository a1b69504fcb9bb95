"""Follow the motion of a model in time, from a state on the constraints to --until.

Each step is projected onto the constraints. The table has t, positions, rates, accelerations, multipliers of the
constraints, energies, work, power, the error of their balance, and the gaps of the constraints: CSV or Parquet, by the
name of --output. Ctrl-C ends the run and keeps the rows so far; --resume goes on from the last row of a
table. Where the motion cannot go on (a mechanism locks) the rows until then are kept, exit code 2. With --motion the
motion is given, and the efforts of its drives and the reactions of the constraints along it are found. With --ensemble
many motions are followed at once, and the table has their quartiles.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any, Final

import numpy as np

from mbconcord.api.ensemble import ensemble
from mbconcord.api.parameters import ParameterValues
from mbconcord.api.simulate import TOLERANCE, SimulateRequest, Simulation, simulate, take_defaults
from mbconcord.api.source import Source, locate_errors, with_values
from mbconcord.api.states import read_states
from mbconcord.api.tables import SUFFIXES, suffix_of
from mbconcord.model.diagnostics import Diagnostic, NumbersError, WriteError, error
from mbconcord.model.evaluation import Array
from mbconcord.model.kinematics import MACHINE
from mbconcord.model.limits import CHECKED_STATES
from mbconcord.model.limits import count as counted
from mbconcord.model.numbers import Instance
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.description import in_units
from mbconcord.reports.table import table
from mbconcord.simulation.keeping import author_set, place_states
from mbconcord.simulation.motion.trajectory import IMPACTS, LOST, NOTHING, PACKAGES, PURPOSES, SLIP, TrajectoryRow
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.progress import tell as count
from mbconcord.witnessed import NOT_CHECKED, with_evidence

from . import BAD_INPUT, DISAGREEMENT, INTERRUPTED, SUCCESS
from .formalisms import named_formalism
from .io.json_files import read_state
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, say_left_out, with_accepted
from .options.numbers import add_seed, real, whole
from .options.shared import read_spread, split_names
from .output import add_force, add_quiet, print_json, require_other, require_writable, say, say_head, tell
from .source import add_file, load
from .terminal.screen import progress

DRAWINGS = (".svg", ".html")
#: Options of one motion, and of many: what each has where it is not given.
OF_ONE: Final[dict[str, Any]] = {
    **dict.fromkeys(("motion", "driven", "actuated", "method", "tolerance", "step_out", "resume")),
    **{"impacts": IMPACTS[0], "forces": False, "quantity": [], "event": [], "stop": []},
}
OF_MANY: Final = ("spread", "step", "seed")
#: How often progress is told: in so many parts of the time.
PARTS = 100
#: Rows of the table that are shown, and of those with events the first.
SHOWN, EVENTS = 11, 40


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
    parser.add_argument(
        "--ensemble", type=whole(1, CHECKED_STATES), metavar="N",
        help=f"follow so many motions at once, {CHECKED_STATES:,} at most, by steps of the length --step",
    )  # fmt: skip
    parser.add_argument(
        "--spread", metavar="NAME=SIZE,…",
        help="with --ensemble: draw coordinates, rates and parameters evenly, so far about the start: q1=0.1,m=5%%",
    )  # fmt: skip
    parser.add_argument("--step", metavar="DT", help="with --ensemble: length of its steps, s")
    add_seed(parser, "with --ensemble: the seed of what is drawn (default: 0)", None)
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
        help="draw the motion over time: .svg (extra [plot]); or .html, a page that plays it and loads nothing; "
        "of many motions their quartiles, in both (extra [plot])",
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
    _require_number_of_motions(arguments)
    source = load(arguments, arguments.file)
    if arguments.ensemble is not None:
        return _run_many(arguments, source)
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
        return exit_code(SUCCESS, left_out, found.witnesses)
    tell([found.stopped])
    if found.stopped.severity == "note":
        return exit_code(SUCCESS, left_out, found.witnesses)
    return INTERRUPTED if found.stopped.severity == "warning" else BAD_INPUT


def _require_number_of_motions(arguments: argparse.Namespace) -> None:
    """Raise if there are options of one motion with --ensemble, or of many without it."""
    if arguments.ensemble is None:
        if wrong := [name for name in OF_MANY if getattr(arguments, name) is not None]:
            more = "; of one motion --step-out DT, its steps follow --tolerance" if "step" in wrong else ""
            remedy = f"add --ensemble N{more}"
            raise NumbersError([error(f"--{name}", "it is of many motions", remedy) for name in wrong])
        return
    if wrong := [name for name, unset in OF_ONE.items() if getattr(arguments, name) != unset]:
        said = "it is of one motion", "leave it out, or --ensemble"
        raise NumbersError([error(f"--{name.replace('_', '-')}", *said) for name in wrong])
    for name, what, example in (
        ("until", "no end of the motions", "10"), ("step", "no length of the steps", "0.01"),
        ("spread", "nothing in which the motions differ", "q1=0.1,m=5%"),
    ):  # fmt: skip
        if getattr(arguments, name) is None:
            raise NumbersError(error(f"--{name}", f"found {what}", f"for example --{name} {example}"))


def _run_many(arguments: argparse.Namespace, source: Source) -> int:
    """Follow many motions of a model, write their quartiles and print a summary; return the exit code."""
    until, step, slip = (real(f"--{name}", getattr(arguments, name)) for name in ("until", "step", "slip"))
    assert until is not None and step is not None and slip is not None
    from mbconcord.validation.witnesses.screen import ENDS, SIX, read_draw, read_json, read_many, read_tables

    given, system = read_state(arguments.state) if arguments.state else None, source.system
    with locate_errors(source, given):
        state = given.to_state(system) if given else State()
        values = Instance(system, [state]).values
        moving = [name + dot for dot in ("", "'") for name in system.coordinate_names]
        known = {name: values[name][0] for name in (*moving, *(p.name for p in system.parameters))}
        spread, dice = read_spread(arguments.spread, known), np.random.default_rng(arguments.seed or 0)
        start = {name: known[name] for name in (*moving, *state.parameters)} | {"t": state.t}
        start |= {name: known[name] + x * (2 * dice.random(arguments.ensemble) - 1) for name, x in spread.items()}
        drawn = [name for name in spread if name not in moving]
        for pick in (np.min, np.max) if drawn else ():  # masses that no body has are refused, or told, at both ends
            ends_of = {name: Fraction(float(pick(start[name]))) for name in drawn}
            source = replace(source, diagnostics=with_values(source, ParameterValues(ends_of)).plausible().diagnostics)
        by = named_formalism(arguments) if arguments.formalism or arguments.form else None
        if system.constraints:
            start |= _close_starts(system, state, start, spread, arguments.quiet)
        found = ensemble(source, start, until, step, formalism=by, slip=slip, witness=not arguments.no_witness)
    warned = [d for d in source.plausible().diagnostics if d.severity != "note"]
    warned += [*(given.notes(system) if given else ()), *found.diagnostics]
    tell(dict.fromkeys(warned), "error" if arguments.quiet else "note")
    table_of, left_out = found.to_frame(), with_accepted(arguments, found.left_out)
    columns = {str(name): table_of[name].tolist() for name in table_of.columns}
    motions, ends, far = dict(found.motions()), found.end(), found.farthest
    facts: dict[str, Any] = {
        "system": found.system.name, "formalism": found.formalism, "backend": found.backend, "count": found.q.shape[1],
        "seed": arguments.seed or 0, "given": {"until": float(found.t[-1]), "step": found.step, "spread": spread},
    }  # fmt: skip
    head = f"{system.name}: {counted(arguments.ensemble, 'motion')} to {until:.9g} s by {found.formalism}, steps of "
    head += f"{step:.9g} s, {found.backend}{'' if found.has_comparison else '; no witness'}\ndrawn evenly by seed "
    head += f"{arguments.seed or 0}: {', '.join(f'{name} ±{x:.6g}' for name, x in spread.items())}"
    begun = {name: motions[name][0] if name in motions else start[name] for name in spread}
    asked = {**vars(arguments), "system": system.name}
    judged = [read_many(found.formalism, motions, ends, columns), read_draw(facts, head, asked, known, begun)]
    last = zip(*(x[-1].tolist() for x in motions.values()), strict=True)
    apart = [x for x, y in zip(found.difference.tolist(), last, strict=True) if all(map(isfinite, y))]
    most = nan if not apart or any(map(isnan, apart)) else max(apart)
    written = [str(found.save(name)) for name in (arguments.output, arguments.plot) if name]
    if arguments.json:
        told = facts | {
            "end": {name: dict(zip(ENDS, x, strict=True)) for name, x in ends.items()},
            "difference": far, "gap": float(found.gap.max(initial=0.0)),
            "quartiles": columns, "written": written,
        } | left_out.head()  # fmt: skip
        text = print_json(with_evidence("simulate", told, witnesses=found.has_comparison))
        judged.append(read_json(found.formalism, text, told | {"difference": most, "gap": max(found.gap.tolist())}))
    else:
        say_left_out(left_out)
        say(head)
        say_head("simulate", (*ENDS, "difference", *["gap"] * bool(system.constraints)), (), found.has_comparison)
        rows = [(name, *(f"{y:.6g}" for y in x)) for name, x in ends.items()]
        body = ["", table(("coordinate", *ENDS), rows), in_units(system, "rates per s"), ""]
        body.append(f"at the end, from half as many steps: {found.distance}")
        if system.constraints:
            body.append(f"constraints closed to {found.gap.max(initial=0.0):.2g} on the way, in m or rad")
        say(text := "\n".join(body))
        expected = [("coordinate", *ENDS), *((name, *((y, SIX) for y in x)) for name, x in ends.items())]
        words = [f"half as many steps: {'not known' if most != most else f'{most:.2g} at most'}"]
        words += [f"constraints closed to {max(found.gap.tolist()):.2g} on"] if system.constraints else []
        judged.append(read_tables(found.formalism, text, [expected], words))
        for name in written:
            say(f"written: {name}")
    tell(contradict(judged, "simulate"))
    wrong = {d.place for d in found.diagnostics if d.severity == "error"}
    if "witness" in wrong or any(c.verdict == "disagrees" for c in judged):
        return DISAGREEMENT
    alone = [] if found.has_comparison or arguments.no_witness else [Comparison("", "", "motions", NOT_CHECKED)]
    return BAD_INPUT if wrong else exit_code(SUCCESS, left_out, alone)


def _close_starts(
    system: System, state: State, start: Mapping[str, Any], spread: Collection[str], quiet: bool
) -> dict[str, Array]:
    """Return positions and rates (n,) on the constraints that keep what is drawn or given, as simulate keeps it.

    Raises
    ------
    NumbersError
        Constraints do not close with what is drawn.
    """
    names, states = system.coordinate_names, read_states(system, start).states()
    kept, drawn = {*state.q, *spread} & {*names}, {x for x in names if f"{x}'" in spread}
    made = place_states(system, states, kept, drawn or author_set(system, state)[1])
    if moved := not drawn and not made.is_closed.all():
        made = place_states(system, states, kept, ())
    if (left := np.flatnonzero(~made.is_closed)).size:
        found = f"{counted(len(left), 'start')} of {len(states)} cannot be closed with what is drawn, first {left[0]}"
        raise NumbersError(error("--spread", found, "draw less far, or other coordinates"))
    if moved and not quiet:
        message = "rates that the model begins with cannot be kept"
        tell([Diagnostic("warning", "state", message, "the nearest that the constraints admit are taken")])
    q, v = ([getattr(s, x) for s in made.states] for x in "qv")
    return {x + dot: np.array([each[x] for each in of]) for of, dot in ((q, ""), (v, "'")) for x in names}


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
    if left := sum(bool(row.event) for row in found.found) - sum(bool(row.event) for row, _ in chosen):
        body.append(f"{counted(left, 'row')} with events more: --output has all")
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
    """Yield evenly chosen rows and the first rows with events, each with the texts of its cells."""
    last = len(found.found) - 1
    chosen = {round(i * last / (SHOWN - 1)) for i in range(SHOWN)} if last >= 0 else set()
    chosen |= {*[i for i, row in enumerate(found.found) if row.event][:EVENTS]}
    for i, row in enumerate(found.found):
        if i in chosen:
            own = (row.multipliers[place] for place in found.efforts.values())
            efforts = (x[i] for x in found.actuated.values()) if found.actuated else own
            numbers = (row.t, *row.q, *efforts, row.kinetic + row.potential)
            yield row, [*(f"{x:.6g}" for x in numbers), row.event]
