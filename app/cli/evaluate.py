"""Evaluate the canonical quantities of a model by one formalism at one state.

The equation is M(q) q'' + h(q, q', t) = gravity + applied; rows of rotations in N m, of translations in N.
The state is the model's initial one unless --state or --seed gives another. For a model with constraints M, h and the
forces are those of the open tree; the rows D, their multipliers lambda and the reactions D^T lambda come with them:
M q'' + h = gravity + applied + D^T lambda. A number that does not exist at the state (M is singular, a joint's angles
are, the rates violate a constraint) is null, with the reason; the rest is printed, exit code 2. A state that is off the
constraints is a warning, or exit code 2 where that changes the accelerations.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mbconcord.api.actuated import actuate
from mbconcord.api.derivatives import (
    FOLLOWS,
    choose_in_speeds,
    derivatives_at,
    evaluate_speeds,
    judge_constrained,
    report_across,
)
from mbconcord.api.evaluate import MOTION, NORMAL_FORCE, evaluate_system, find_asked_normal_forces, report_given
from mbconcord.api.joint_forces import AXES, joint_forces
from mbconcord.api.kinematics import kinematics
from mbconcord.api.linkages import driven_state, linkage_forces, of_linkages
from mbconcord.api.moving import assign_motion, choose_motion, find_efforts, require_motion
from mbconcord.api.numbers import not_finite
from mbconcord.api.source import Source, locate_errors
from mbconcord.converters.format import StateFile
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED, OF_FORWARD, labels
from mbconcord.model.derivatives.regressor import REGRESSOR
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.model.kinematics import MACHINE, read_kinematics
from mbconcord.model.mixed import find_imposed_accelerations
from mbconcord.model.numbers import Instance, environment, parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.table import table
from mbconcord.simulation.keeping import describe_moves, place_state
from mbconcord.validation.judge.comparison import contradict, note_unchecked
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.judge.states import draw_states
from mbconcord.validation.witnesses.assembly import check_assembly
from mbconcord.validation.witnesses.evaluated import check_given, check_numbers
from mbconcord.validation.witnesses.screen import conclude, read_json, read_tables
from mbconcord.witnessed import ACTUATED, DRIVEN, list_fields, with_constraints, with_evidence

from . import BAD_INPUT, DISAGREEMENT, SUCCESS
from .formalisms import add_formalism, formalism
from .io.json_files import NamedState, read_state
from .numbers import add_parameters, add_state
from .options.accepted import add_accepted, exit_code, say_left_out, with_accepted
from .options.numbers import add_seed
from .options.shared import add_speeds, read_speeds_of, split_names
from .output import add_quiet, capture, print_json, say, say_head, tell
from .source import add_file, load
from .tables.evaluated import (
    constrained_to_json,
    distances,
    drives,
    numbers_or_none,
    print_constraints,
    print_distance,
    print_joint_forces,
    print_linkage,
    show_joint_forces,
    show_linkage,
)
from .tables.expected import (
    expect_borne,
    expect_evaluated,
    expect_joint_forces,
    expect_kinematics,
    expect_linkage,
    expect_numbers,
    judge_linkage,
    list_motion,
    read_distance,
    read_linkage,
)

VECTORS = (
    "q", "v", "a", "h", "gravity", "applied", "reactions", "reactions_from_bodies", "inverse_dynamics",
    "acceleration", "effort",
)  # fmt: skip

#: What is no quantity in the form of --json.
STATE = ("coordinates", "t", "q", "v", "a", "parameters")
#: What witnesses judge.
JUDGED = (*QUANTITIES, *DERIVED, "effort", "D", "lambda", "reactions", "reactions_from_bodies")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, formalism, state."""
    add_file(parser)
    add_formalism(parser)
    state = parser.add_mutually_exclusive_group()
    add_state(state)
    add_seed(state, "a random state, drawn as check draws it", None)
    parser.add_argument(
        "--quantity", action="append", default=[], metavar="A,B",
        help="only these, named as they are printed; the Coriolis matrix C, the derivatives dtau_dq, dtau_dv, da_dq, "
        "da_dv, da_dtau, the regressor; joint_forces, what carriers exert on bodies through their joints, drives "
        "included, in N and N m, beside the same by other formalisms; of a body or a point of it pose, position, "
        "velocity, angular_velocity, acceleration, angular_acceleration, jacobian, drift: velocity(hand), "
        "velocity(hand, [0, 0, 0.1], in=body); of "
        f"the machine {', '.join(MACHINE)}; "
        "may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--assemble", action="store_true",
        help="move the state onto the constraints, and tell by how much; what --state gives stays as far as it can",
    )  # fmt: skip
    parser.add_argument(
        "--axes",
        choices=AXES,
        default="body",
        help="in whose axes joint forces are given; moments are about the origin of the body's frame (default: body)",
    )
    parser.add_argument(
        "--hold", action="append", default=[], metavar="A,B",
        help="coordinates that their drives hold, or all: their accelerations are zero, and the efforts that this "
        "takes are printed with joint_forces; without it coordinates move as forces make them",
    )  # fmt: skip
    parser.add_argument(
        "--driven", metavar="A,B",
        help="of a model with constraints: which of the accelerations of --state are meant (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--actuated", metavar="A,F",
        help="coordinates or parameters whose efforts make what is held, given or imposed move as it does, as many as "
        "these (default: efforts act there themselves)",
    )  # fmt: skip
    add_speeds(parser)
    parser.add_argument(
        "--drive", action="append", default=[], metavar="NAME=Q,V,A",
        help="of a closed linkage: the motion of a coordinate, from which the others follow; printed are the drives, "
        "the reactions and the joint forces that it needs; may be repeated, once for each degree of freedom",
    )  # fmt: skip
    add_quiet(parser, "neither notes nor warnings")
    add_accepted(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate the quantities of a model at a state, and print them; return the exit code."""
    driven, names = drives(arguments.drive), split_names(arguments.quantity)
    source = load(arguments, arguments.file)
    chosen = formalism(arguments, source.system)
    file = read_state(arguments.state) if arguments.state else None
    if driven or (JOINT_FORCES in names and source.system.constraints and of_linkages(chosen)):
        return _linkage(arguments, source, file, chosen, driven)
    with locate_errors(source, *([file] if file else [])):
        system = source.system
        state, moved = file.to_state(system) if file else State(), tuple[Comparison, ...]()
        if arguments.seed is not None:
            parameter_values(system, t=state.t)
            state = draw_states(system, 1, arguments.seed)[0]
            state = replace(state, a={}) if system.constraints else state  # which would satisfy none of them
        given = State(**json.loads(file.text)) if isinstance(file, NamedState) else state
        if arguments.seed is not None and not file:
            (given,) = draw_states(system, 1, arguments.seed)
            given = replace(given, a={} if system.constraints else given.a)
        if arguments.assemble:
            start = place_state(system, state)
            made = start.assembly
            rank, gap, regular = int(made.rank[0]), float(made.gaps[0]), bool(made.regular[0])
            moved = tuple(check_assembly(system, given, start, rank, gap, regular))
            tell(note_unchecked(moved, "assemble"), "error" if arguments.quiet else "note")
            given, state = (replace(x, q=start.state.q, v=start.state.v) for x in (given, state))
            tell(map(source.locate, describe_moves(system, start)), "error" if arguments.quiet else "note")
        hold = split_names(arguments.hold)
        driven_by = None if arguments.driven is None else split_names([arguments.driven])
        wanted = JOINT_FORCES in names
        moving = None
        of_points = read_kinematics(system, [n for n in names if not n.startswith(f"{NORMAL_FORCE}(")], "--quantity")
        turned = read_speeds_of(arguments, system, names)
        in_speeds = choose_in_speeds(names or None, bool(state.a)) if turned else []
        axes = {name: x.indices(system) for name, x in of_points.items()}
        axes |= {name: turned.indices(name) for name in in_speeds} if turned else {}
        accelerated = any(x.is_accelerated for x in of_points.values()) or FOLLOWS in in_speeds
        asked_for = (hold, driven_by, "--hold", ())
        normals = find_asked_normal_forces(system, [state], chosen, names or None, arguments.actuated, asked_for)
        pressing = normals.by_name() if normals else {}
        axes |= {name: () for name in pressing if not names or name in names}
        (state,) = normals.states if normals else (state,)
        given = replace(given, parameters={**given.parameters, **state.parameters}) if normals else given
        tell(map(source.locate, report_given(system, [state] if not normals else [])))
        if wanted or accelerated or hold or arguments.actuated or (normals and (state.a or driven_by)):
            moving = choose_motion(system, [state], chosen, hold, driven_by, "--hold")
        else:
            require_motion(driven_by, "--driven")
        if moving and arguments.actuated:
            moving = actuate(moving, system, chosen, split_names([arguments.actuated]))
        found = evaluate_system(
            moving.system if moving else system, chosen, moving.states if moving else [state], source.physics
        )
        if moving and not moving.actuated:
            moving = moving.solve(chosen, found.evaluation, found.motion)
        borne = joint_forces(system, found.at, chosen, arguments.axes, moving) if wanted else None
        slopes = derivatives_at(system, chosen, Instance(system, [state]) if moving else found.at, names)
        followed = moving.acceleration if moving else None
        places = kinematics(system, chosen, [state], of_points, followed)
        others = turned and evaluate_speeds(turned, chosen, [state], in_speeds, followed, True)
    notes = file.notes(source.system) if file else ()
    solved = {*MOTION, JOINT_FORCES, *(OF_FORWARD if system.constraints else ())}
    findings = found.findings if not names or accelerated or solved & {*names} else ()
    findings = (*moving.advise(findings), *(borne or moving).findings) if moving else findings
    findings = (*findings, *(others.findings if others else ()), *report_across(system, names))
    of_frames = {**places.values, **(others.values if others else {}), **pressing}
    told = map(source.locate, (*source.diagnostics, *found.warnings, *notes, *findings))
    tell(told, "error" if arguments.quiet else "note")
    values = {**found.at.environments[0]}
    if moving and moving.actuated:  # whose states have no accelerations: these are of the motion
        values |= {f"{name}''": x for name, x in state.a.items()}
    result = shown = collect(system, state, values, found.evaluation)
    if found.motion:
        result |= constrained_to_json(found.motion)
        if find_imposed_accelerations(found.at.system):
            result["effort"] = numbers_or_none(find_efforts(found.at.system, found.motion)[0])
        if found.nearest:
            result["constraints"] |= distances(found.nearest, found.changes)
    result |= {name: numbers_or_none(x[0]) for name, x in slopes.items()}
    result |= {name: numbers_or_none(x[0]) for name, x in of_frames.items()}
    if moving and moving.driven and not found.motion:
        result["effort"] = numbers_or_none(moving.whole_efforts()[0])
    asked, loads = {*(names or JUDGED)}, {"reactions", "effort", "D", "lambda"}
    asked |= loads if asked & loads else set()
    needed = asked | loads  # an acceleration is put back with its loads
    if found.motion and found.motion.from_bodies and {*found.motion.rows} - {*found.motion.from_bodies.rows}:
        needed -= {"reactions_from_bodies"}  # of rows that bodies bear alone: nothing here has their share
    needed |= {"acceleration"} if accelerated else set()  # of which accelerations of points are made
    if moving and moving.actuated:
        needed -= {"effort"}  # which is among the applied forces
    names_of_numbers = [name for name in (*JUDGED, "q", "v") if result.get(name) is not None]
    numbers = {name: np.array([result[name]], dtype=float) for name in names_of_numbers}
    numbers = {  # without a number, what is not asked for is no finding
        name: x
        for name, x in numbers.items()
        if name in ("q", "v") or (name in needed and (name in asked or np.isfinite(x).all()))
    }
    about = result.get("constraints", {}) if MOTION & {*names} else {}
    efforts = {"effort": moving.whole_efforts()} if moving and moving.driven and not found.motion else {}
    whole = expect_evaluated(system, found, {**slopes, **of_frames, **efforts})
    whole |= {"a": shown["a"]} if moving and moving.actuated and "a" in shown else {}
    result = only(result, names)
    expected = {name: x for name, x in whole.items() if name in result or (about and name == "constraints")}
    expected |= {JOINT_FORCES: expect_borne(borne)} if borne else {}
    own = {name: numbers.pop(name) for name in slopes if name in numbers}  # derivatives are with the model's own drives
    judged = [*check_numbers(found.at.system, chosen.name, found.at.states, numbers), *places.comparisons]
    mine = {c.quantity for c in places.comparisons if chosen.name in (c.a, c.b)}
    if alone := [f"found none of {x}" for x, shape in places.values.items() if x not in mine and np.size(shape)]:
        judged.append(conclude(chosen.name, "witnesses", alone))
    judged += (*(others.comparisons if others else ()), *(normals.comparisons if normals else ()))
    judged += check_numbers(system, chosen.name, [state] if moving else found.at.states, own)
    judged += judge_constrained(system, chosen, [state] if moving else found.at.states, slopes)
    judged += found.judge_rows(chosen.name) if about or "D" in result else ()
    motion = dict(zip(system.coordinate_names, moving.acceleration[0].tolist(), strict=True)) if moving else {}
    prescribed = (*moving.given, *moving.held) if moving else ()
    judged.append(check_given(system, chosen.name, given, shown, motion, prescribed))
    every = {**found.evaluation.quantities, **slopes, **of_frames}
    every |= {JOINT_FORCES: borne.by[chosen.name]} if borne and not borne.is_open else {}
    shown_ones = {name: x for name, x in every.items() if name in (*result, *names)}
    missing = [*map(source.locate, not_finite(shown_ones, findings, found.at.system, found.at.values))]
    tell([*missing, *contradict(moved, "assemble"), *contradict(judged, "evaluate")])
    if borne:
        result[JOINT_FORCES] = show_joint_forces(borne)
    printed = tuple(key for key in result if key not in STATE)
    left_out = _left_out(arguments, system, found.at.environments[0], printed)
    of_motion = moving or assign_motion(system, [replace(state, a={})])
    more = with_constraints(system) if {*JUDGED} & {*result} else []
    more += [ACTUATED] if moving and moving.actuated and {"applied", "effort"} & {*result} else []
    replaced = any(c.drive is not None and c.name in prescribed for c in system.coordinates)
    more += [DRIVEN] if replaced and {"applied", "inverse_dynamics"} & {*result} else []
    moves = not borne and (moving or MOTION & {*result})
    if arguments.json:
        result |= ({"motion": of_motion.groups()} if moves else {}) | ({"constraints": about} if about else {})
        head = with_evidence("evaluate", result | {"witnesses": [c.to_json() for c in judged]}, more)
        judged.append(read_json(chosen.name, print_json(head | left_out.head()), expected))
    else:
        say_left_out(left_out)
        line = f"motion: {of_motion.describe()}\n" if moves else ""
        print(line, end="")
        say_head("evaluate", (*list_fields(result), *more), judged)

        def show() -> None:
            print_text(result, labels(system))
            print_kinematics(result, axes)
            if "constraints" not in result:
                print_distance(about, them="the constraints")
            if borne:
                print_joint_forces(borne)

        say(text := capture(show))
        tables = [*expect_numbers(system, expected, VECTORS, found.motion.rows if found.motion else ())]
        tables += expect_kinematics(expected, axes)
        tables += expect_joint_forces(borne) if borne else []
        words = [f"t = {found.at.states[0].t!r}", *(list_motion(moving) if moving and (moves or borne) else ())]
        words += [f", rank {int(found.motion.rank[0])}"] if found.motion and "D" in expected else []
        judged += [read_distance(expected, text), read_tables(chosen.name, line + text, tables, words)]
    tell(contradict(judged[-2:], "evaluate"))
    off = any(c.verdict == "disagrees" for c in (*judged, *moved))
    if off or (borne and not borne.agree):
        return DISAGREEMENT
    code = BAD_INPUT if any(d.severity == "error" for d in (*findings, *missing)) else SUCCESS
    return exit_code(code, left_out, (*judged, *(borne.comparisons if borne else ())))


def _linkage(
    arguments: argparse.Namespace, source: Source, file: StateFile | None, by: Formalism,
    driven: Mapping[str, Sequence[float]],
) -> int:  # fmt: skip
    """Evaluate and print the forces of a closed linkage with driven coordinates; return the exit code."""
    with locate_errors(source, *([file] if file else [])):
        state = file.to_state(source.system) if file else State()
        if any(driven.values()):
            state = driven_state(source.system, driven, state)
        chosen = None if arguments.driven is None else split_names([arguments.driven])
        if driven and chosen is not None:
            raise NumbersError(error("--driven", "--drive says what is driven", "leave one of both out"))
        still = {name: 0.0 for name in driven if name in source.system.coordinate_names}
        state = replace(state, a=still | dict(state.a))
        moving = assign_motion(source.system, [state], split_names(arguments.hold), [*still] or chosen, "--hold")
        state = replace(state, a={**state.a, **dict.fromkeys(moving.held, 0.0)})
        found = linkage_forces(source.system, state, by, [*(driven or moving.given), *moving.held])
    tell(map(source.locate, (*source.diagnostics, *found.forces.diagnostics)), "error" if arguments.quiet else "note")
    names = source.system.coordinate_names
    left_out = _left_out(arguments, source.system, environment(source.system, [state])[0])
    shown = show_linkage(found, names)
    if arguments.json:
        text = print_json(with_evidence("evaluate", shown) | {"motion": moving.groups()} | left_out.head())
        read = read_json(by.name, text, expect_linkage(found, source.system))
    else:
        say_left_out(left_out)
        print(f"motion: {moving}")
        say_head("evaluate", list_fields(shown))
        say("\n" + (text := capture(lambda: print_linkage(found, names))))
        read = read_linkage(found, source.system, by.name, text)
    judged = [read, judge_linkage(found, source.system, by.name, driven)]
    tell(contradict(judged, "evaluate"))
    if any(c.verdict == "disagrees" for c in judged) or not found.agree:
        return DISAGREEMENT
    return exit_code(BAD_INPUT if found.forces.diagnostics else SUCCESS, left_out, found.comparisons)


def _left_out(
    arguments: argparse.Namespace, system: System, at: Mapping[str, Any], asked: tuple[str, ...] = ()
) -> LeftOut:
    """Return the omissions of the model that act on the quantities at a state, with those that the user accepts."""
    return with_accepted(arguments, LeftOut.at_states(system, at, asked))


def collect(system: System, state: State, values: Mapping[str, Any], evaluation: Evaluation) -> dict[str, Any]:
    """Collect the numbers in the form of ``evaluate --json``; undefined ones are NaN, printed as null."""
    names = system.coordinate_names
    result: dict[str, Any] = {
        "coordinates": list(names),
        "t": float(values["t"]),
        "q": [float(values[name]) for name in names],
        "v": [float(values[f"{name}'"]) for name in names],
    }
    if state.a:
        result["a"] = [float(values[f"{name}''"]) for name in names]
    result["parameters"] = {p.name: float(values[p.name]) for p in system.parameters}
    for quantity in QUANTITIES:
        if quantity in evaluation.quantities and (quantity != "inverse_dynamics" or state.a):
            result[quantity] = numbers_or_none(evaluation.quantities[quantity][0])
    return result


def only(result: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Select the requested quantities of the result; without names all of it.

    Raises
    ------
    NumbersError
        A name is not one of its quantities; the message lists them.
    """
    quantities = [key for key in result if key not in STATE]
    known = tuple(dict.fromkeys((*quantities, JOINT_FORCES, *DERIVED, *MACHINE)))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise NumbersError([error("--quantity", f"there is no {name!r} here", among(name, known)) for name in unknown])
    table = ("D", "lambda", "constraints")  # they are told together
    asked = {*names, *(table if {*table} & {*names} else ())}
    return {key: value for key, value in result.items() if not names or key in STATE or key in asked}


def print_kinematics(result: Mapping[str, Any], asked: Mapping[str, tuple[tuple[str, ...], ...]]) -> None:
    """Print kinematic quantities; vectors with the same names of entries go side by side, matrices one by one."""
    groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    scalars = [name for name, axes in asked.items() if not axes]
    if scalars:
        print()
        say(table(("", *scalars), [("", *(_cell(result[name]) for name in scalars))]))
    for name, axes in asked.items():
        if not axes:
            continue
        groups.setdefault(axes if len(axes) == 1 else (*axes, (name,)), []).append(name)
    for (rows, *columns), names in groups.items():
        print()
        if columns:
            matrix = result[names[0]] or [[None] * len(columns[0])] * len(rows)
            print_rows = ((row, *map(_cell, entries)) for row, entries in zip(rows, matrix, strict=True))
            say(table((names[0], *columns[0]), print_rows))
        else:
            numbers = (result[name] or [None] * len(rows) for name in names)
            say(table(("", *names), zip(rows, *(map(_cell, x) for x in numbers), strict=True)))


def _cell(number: float | None) -> str:
    return "null" if number is None or number != number else repr(number)


def print_text(result: dict[str, Any], columns_of_regressor: Sequence[str] = ()) -> None:
    """Print the numbers of ``evaluate --json`` as tables."""
    names = result["coordinates"]
    print(f"t = {result['t']!r}")
    if result["parameters"]:
        print(", ".join(f"{name} = {value!r}" for name, value in result["parameters"].items()))
    vectors = [key for key in VECTORS if key in result]
    columns = [map(_cell, result[key] or [None] * len(names)) for key in vectors]
    print()
    say(table(("coordinate", *vectors), zip(names, *columns)))
    for key in ("M", *DERIVED):
        if result.get(key):
            print()
            if key == REGRESSOR:  # wide: a row for each parameter
                rows = zip(columns_of_regressor, zip(*result[key], strict=True), strict=True)
                say(table((key, *names), ((label, *map(_cell, row)) for label, row in rows)))
            else:
                say(table((key, *names), ((name, *map(_cell, row)) for name, row in zip(names, result[key]))))
    if "constraints" in result:
        print_constraints(result)
