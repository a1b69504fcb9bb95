"""Evaluate the canonical quantities of a model by one formalism at one state.

The equation is M(q) q'' + h(q, q', t) = gravity + applied; rows of rotations in N m, of translations in N.
The state is the model's initial one where --state and --seed say nothing else. A model with constraints gets
beside M, h and the forces of its open tree the rows D, their multipliers lambda and the reactions D^T lambda:
M q'' + h = gravity + applied + D^T lambda. Where bodies bear the reactions as forces and moments, these are taken
through the rows of S as well: S_R R = D^T lambda. What cannot be computed at the state (M is singular, a joint's
angles are, the rates violate a constraint) is said and is null where it has no value; the rest is printed, exit code 2.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mbconcord.api.derivatives import derivatives_at
from mbconcord.api.evaluate import evaluated
from mbconcord.api.joint_forces import AXES, joint_forces
from mbconcord.api.linkages import driven_state, linkage_forces, of_linkages
from mbconcord.api.source import Source, located
from mbconcord.converters.companions import StateFile
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import QUANTITIES
from mbconcord.model.derivatives import DERIVED, labels
from mbconcord.model.derivatives.quantities import REGRESSOR
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.evaluation import Evaluation
from mbconcord.model.joint_forces import JOINT_FORCES
from mbconcord.model.numbers import parameter_values
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.reports.table import table
from mbconcord.simulation.keeping import placed
from mbconcord.simulation.shifts import moved
from mbconcord.validation.judge.states import draw_states

from . import BAD_INPUT, DISAGREEMENT, SUCCESS
from .formalisms import add_formalism, formalism
from .io.state_files import read_state
from .numbers import add_parameters, add_state
from .options.names import listed
from .options.whole_numbers import add_seed
from .output import add_quiet, print_json, say, tell
from .source import add_file, load
from .tables.constrained import constrained, numbers_or_none, print_constraints
from .tables.joint_forces import print_joint_forces, shown
from .tables.linkage import drives, print_linkage
from .tables.linkage import shown as linkage_shown

VECTORS = (
    "q", "v", "a", "h", "gravity", "applied", "reactions", "reactions_from_bodies", "inverse_dynamics",
    "acceleration", "effort",
)  # fmt: skip

#: What is no quantity in the form of --json.
STATE = ("coordinates", "t", "q", "v", "a", "parameters")
#: What is solved for, and what findings about the solution are of.
MOTION = frozenset({"acceleration", "lambda", "reactions", "reactions_from_bodies"})


def arguments(parser: argparse.ArgumentParser) -> None:
    """File, formalism and state."""
    add_file(parser)
    add_formalism(parser)
    state = parser.add_mutually_exclusive_group()
    add_state(state)
    add_seed(state, "a random state, drawn as check draws it", None)
    parser.add_argument(
        "--quantity", action="append", default=[], metavar="A,B",
        help="only these, named as they are printed; the derivatives dtau_dq, dtau_dv, da_dq, da_dv, da_dtau, the "
        "regressor; or joint_forces, what carriers exert on bodies through their "
        "joints, drives included, in N and N m, beside the same by other formalisms; may be repeated",
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
        "--drive", action="append", default=[], metavar="NAME=Q,V,A",
        help="of a closed linkage: the motion of a coordinate, from which the others follow; printed are the drives, "
        "the reactions and the joint forces that it needs; may be repeated, once for each degree of freedom",
    )  # fmt: skip
    add_quiet(parser, "neither notes nor warnings")
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate and print."""
    chosen, names = formalism(arguments), listed(arguments.quantity)
    driven = drives(arguments.drive)
    source = load(arguments, arguments.file)
    file = read_state(arguments.state) if arguments.state else None
    if driven or (JOINT_FORCES in names and source.system.constraints and of_linkages(chosen)):
        return _linkage(arguments, source, file, chosen, driven)
    with located(source, *([file] if file else [])):
        system = source.system
        state = file.of(system) if file else State()
        if arguments.seed is not None:
            parameter_values(system)
            state = draw_states(system, 1, arguments.seed)[0]
        if arguments.assemble:
            start = placed(system, state)
            state = replace(state, q=start.state.q, v=start.state.v)
            tell(map(source.locate, moved(system, start)), "error" if arguments.quiet else "note")
        found = evaluated(system, chosen, [state], source.physics)
        slopes = derivatives_at(system, chosen, found.at, names)
        borne = joint_forces(system, found.at, chosen, arguments.axes) if JOINT_FORCES in names else None
    notes = file.notes(source.system) if file else ()
    findings = found.findings if not names or MOTION & {*names} else ()
    findings = (*findings, *borne.findings) if borne else findings
    told = map(source.locate, (*source.diagnostics, *found.warnings, *notes, *findings))
    tell(told, "error" if arguments.quiet else "note")
    result = collect(system, state, found.at.environments[0], found.evaluation)
    if found.motion:
        result |= constrained(found.motion)
    result |= {name: numbers_or_none(x[0]) for name, x in slopes.items()}
    result = only(result, names)
    if borne:
        result[JOINT_FORCES] = shown(borne)
    if arguments.json:
        print_json(result)
    else:
        print_text(result, labels(system))
        if borne:
            print_joint_forces(borne, bool(state.a), bool(system.constraints))
    if borne and not borne.agree:
        return DISAGREEMENT
    return BAD_INPUT if any(d.severity == "error" for d in findings) else SUCCESS


def _linkage(
    arguments: argparse.Namespace, source: Source, file: StateFile | None, by: Formalism,
    driven: Mapping[str, Sequence[float]],
) -> int:  # fmt: skip
    """Evaluate and print the forces of a closed linkage."""
    with located(source, *([file] if file else [])):
        state = file.of(source.system) if file else State()
        if any(driven.values()):
            state = driven_state(source.system, driven, state)
        found = linkage_forces(source.system, state, by, list(driven))
    tell(
        map(source.locate, (*source.diagnostics, *found.forces.diagnostics)),
        "error" if arguments.quiet else "note",
    )
    names = source.system.coordinate_names
    if arguments.json:
        print_json(linkage_shown(found, names))
    else:
        print_linkage(found, names)
    if not found.agree:
        return DISAGREEMENT
    return BAD_INPUT if found.forces.diagnostics else SUCCESS


def collect(
    system: System, state: State, values: Mapping[str, Any], evaluation: Evaluation
) -> dict[str, Any]:
    """The numbers in the form of ``evaluate --json``; what cannot be computed is NaN, printed as null."""
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
    """The result with those quantities alone that are asked for; without names all of it.

    Raises
    ------
    NumbersError
        A name is none of its quantities; those that there are are listed.
    """
    quantities = [key for key in result if key not in STATE]
    known = tuple(dict.fromkeys((*quantities, JOINT_FORCES, *DERIVED)))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise NumbersError(
            [error("--quantity", f"there is no {name!r} here", among(name, known)) for name in unknown]
        )
    table = ("D", "lambda", "constraints")  # they are told together
    asked = {*names, *(table if "D" in names or "lambda" in names else ())}
    return {key: value for key, value in result.items() if not names or key in STATE or key in asked}


def print_text(result: dict[str, Any], columns_of_regressor: Sequence[str] = ()) -> None:
    """The same numbers as tables."""
    names = result["coordinates"]
    print(f"t = {result['t']!r}")
    if result["parameters"]:
        print(", ".join(f"{name} = {value!r}" for name, value in result["parameters"].items()))
    vectors = [key for key in VECTORS if key in result]
    columns = [["null"] * len(names) if result[key] is None else map(repr, result[key]) for key in vectors]
    print()
    say(table(("coordinate", *vectors), zip(names, *columns)))
    for key in ("M", *DERIVED):
        if result.get(key):
            print()
            if key == REGRESSOR:  # wide: a row for each parameter
                rows = zip(columns_of_regressor, zip(*result[key], strict=True), strict=True)
                say(table((key, *names), ((label, *map(repr, row)) for label, row in rows)))
            else:
                say(table((key, *names), ((name, *map(repr, row)) for name, row in zip(names, result[key]))))
    if "constraints" in result:
        print_constraints(result)
