"""Print the equations of motion of a model by one formalism.

The equation is M(q) q'' + h(q, q', t) = gravity + applied; of a model with constraints + D^T lambda on the right, and
D q'' + gamma_tilde = 0: there the open tree's quantities, D, gamma_tilde and the equations are printed.
Intermediates keep their names; --closed-form prints small systems as the literature does: L, M, h and Q, simplified.
Without --quantity and --closed-form a formalism prints the list that its paper prints, where its paper prints one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from mbconcord.api.derivatives import (
    choose_in_speeds,
    derived_asked,
    derived_whole,
    report_singular_speeds,
    with_kinematics,
    with_speeds,
)  # fmt: skip
from mbconcord.api.interpreted import says_less
from mbconcord.api.printed import compare_printed
from mbconcord.api.source import locate_errors
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.derivation import Derivation
from mbconcord.model.diagnostics import FormalismError, NumbersError, error
from mbconcord.model.kinematics import read_kinematics
from mbconcord.model.mixed import drive_row
from mbconcord.model.notation.listing import Listing
from mbconcord.model.notation.simplification import simplify
from mbconcord.model.system import System
from mbconcord.reports import equations
from mbconcord.reports.equations.listing import DRIVES, UNITS
from mbconcord.reports.summary import comment
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.witnesses.screen import read_json, read_words
from mbconcord.witnessed import list_head, with_constraints, with_evidence

from ..api.request import require
from . import DISAGREEMENT, NOT_CHECKED, SUCCESS
from .formalisms import add_formalism, add_quantity, formalism
from .numbers import add_parameters
from .options.accepted import add_accepted, exit_code, find_left_out
from .options.shared import SKIPPED, add_speeds, add_witness, is_silent, list_along, read_speeds_of, split_names
from .output import add_detail, least, print_json, say, tell
from .source import add_file, load

# ``derive --subsystems``: the equations of groups of coordinates, with the terms by which they act on each other.


HELP = (
    "divide the equations between groups of coordinates, as in q1,q2/q3, or 'branches', if the formalism does: of each "
    "group its own part, the interaction with the others, and the force; own + interaction = force"
)


def divide(chosen: Formalism, system: System, text: str) -> Derivation:
    """Derive the equations by a formalism, divided into the groups of coordinates that a text names.

    Raises
    ------
    FormalismError
        The formalism does not divide its equations, or the groups do not contain every coordinate once.
    """
    if not chosen.divides:
        having = [f"--formalism {name}" for name in registry.names() if registry.formalism(name).divides]
        message = f"{chosen.name} does not divide its equations"
        raise FormalismError(error("--subsystems", message, f"use {' or '.join(having)}" if having else ""))
    return chosen.divide(system, groups(system, text))


def groups(system: System, text: str) -> Mapping[str, Sequence[str]]:
    """Map the text of each group to its coordinates; ``branches`` stands for the branches of the tree."""
    if text == "branches":
        return by_branch(system)
    parts = ([name.strip() for name in part.split(",") if name.strip()] for part in text.split("/"))
    return {", ".join(part): part for part in parts if part}


def by_branch(system: System) -> dict[str, tuple[str, ...]]:
    """Map the name of the first body of each branch to its coordinates; a branch ends where the tree divides.

    Every coordinate belongs to one branch; a branch without coordinates is left out.
    """
    branch: dict[str | None, str] = {}
    groups: dict[str, tuple[str, ...]] = {}
    for body in system.bodies:
        alone = body.parent is not None and len(system.children(body.parent)) == 1
        branch[body.name] = branch[body.parent] if alone else body.name
        groups[branch[body.name]] = (*groups.get(branch[body.name], ()), *body.coordinates)
    return {name: group for name, group in groups.items() if group}


OUTPUTS = ("text", "latex", "mathml", "python", "c", "json")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, formalism, quantities, notation."""
    add_file(parser)
    add_formalism(parser)
    add_quantity(parser, "equations, ")
    parser.add_argument("--subsystems", metavar="A,B/C", help=HELP)
    add_speeds(parser)
    parser.add_argument("--output", choices=OUTPUTS, default="text", help="notation (default: text)")
    parser.add_argument("--closed-form", action="store_true", help="simplified closed forms, for small systems")
    add_detail(parser, "no warnings", "the reader's notes, too")
    add_accepted(parser)
    add_witness(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Derive and print the equations of a model; return the exit code."""
    source = load(arguments, arguments.file).plausible()
    chosen = formalism(arguments, source.system)
    output = "json" if arguments.json else arguments.output
    names = split_names(arguments.quantity)
    witness = SKIPPED
    with locate_errors(source):
        require(chosen, source.system)
        turned = read_speeds_of(arguments, source.system, names)
        names = names or (choose_in_speeds(None, accelerated=False) if turned else [])
        if turned and arguments.subsystems is not None:
            raise NumbersError(error("--speeds", "divided equations are those of rates", "leave out --subsystems"))
        if arguments.subsystems is not None:
            derivation = divide(chosen, source.system, arguments.subsystems)
            tell(derivation.notes, least(arguments, "note"))
            names = names or list(derivation.native)
        elif arguments.closed_form:
            asked = read_kinematics(source.system, names, "--quantity")
            derivation = with_kinematics(derived_whole(chosen, source.system), chosen, asked)
            derivation = (
                with_speeds(derivation, chosen, turned, choose_in_speeds(names, True)) if turned else derivation
            )
        elif names:
            derivation = derived_asked(chosen, source.system, names, speeds=turned)
        else:
            derivation = chosen.listing(source.system)
        closed, shown = arguments.closed_form, derivation if arguments.closed_form else simplify(derivation)
        result = (equations.closed_form if closed else equations.render)(shown, names, output)
        if arguments.witness:
            listed = isinstance(shown, Listing)
            derived = derived_asked(chosen, source.system, names, speeds=turned) if listed else derivation
            witness = compare_printed(derived, names, shown, result, output, closed)
    tell(map(source.locate, (*source.diagnostics, *report_singular_speeds(derivation, names))), least(arguments))
    if says_less(witness) or arguments.verbose:
        tell([witness], "error" if arguments.quiet else "note")
    left_out = find_left_out(arguments, source.system, names)
    fields, witnesses = with_constraints(source.system, *list_along("equations", names)), not says_less(witness)
    if output == "json":
        text = print_json(with_evidence("derive", result, fields, witnesses) | left_out.head())
        read = read_json("derive", text, result)
    else:
        head = list_head("derive", fields, witnesses=witnesses)
        sys.stdout.write(text := comment(left_out, output, head) + str(result))
        legends = ((UNITS[:25], bool(source.system.constraints)), (DRIVES, f" of {drive_row('')}" in text))
        legend = [words for words, holds in legends if holds and "multipliers: " in text]
        read = read_words("derive", text, [*head, left_out.sentence, str(result), *legend])
        if not left_out.stands:
            say(left_out.describe_acceptance(), error=True)
    tell(contradict([read], "derive"))
    code = DISAGREEMENT if read.verdict == "disagrees" else NOT_CHECKED if is_silent(witness) else SUCCESS
    return exit_code(code, left_out)
