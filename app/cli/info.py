"""Describe a model: its tree, coordinates, parameters, forces, constraints, and who can take it.

Of a model with constraints also its degrees of freedom, redundant rows, and who solves it.

Exit code 2 where something in it cannot be: a negative mass, a tensor that no body has.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace

from mbconcord.api.source import locate_errors
from mbconcord.converters.registry import run_defaults
from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model.diagnostics import MbconcordError
from mbconcord.model.system import System
from mbconcord.reports import description
from mbconcord.reports.description import NOT_COUNTED
from mbconcord.reports.summary import remarks
from mbconcord.simulation.motion.trajectory import quickest
from mbconcord.validation.judge.closed.closed_states import freedom
from mbconcord.validation.judge.comparison import contradict
from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.exact.base_parameters import BaseParameters
from mbconcord.validation.judge.left_out import LeftOut
from mbconcord.validation.witnesses.base import judge_base, read_base
from mbconcord.validation.witnesses.screen import read_json
from mbconcord.witnessed import list_fields, list_head, with_constraints, with_evidence

from . import BAD_INPUT, DISAGREEMENT, SUCCESS
from .numbers import add_parameters
from .options.accepted import exit_code
from .output import add_quiet, print_json, say, tell, with_head
from .source import add_file, load
from .tables.expected import expect_described, read_described


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add arguments: file, parameters."""
    add_file(parser)
    parser.add_argument(
        "--base-parameters", action="store_true",
        help="also the sums of inertial parameters that inverse dynamics depends on, their number exact",
    )  # fmt: skip
    parser.add_argument("--lint", action="store_true", help="print only what deserves a look, notes of the reader, too")
    add_quiet(parser, "no warnings")
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the description of a model; return the exit code."""
    source = load(arguments, arguments.file)
    formalisms = [registry.formalism(name) for name in registry.names()]
    obstacles = {f.name: f.constraint_obstacles(source.system) for f in formalisms}
    impossible = description.physical_findings(source.system, source.physics)
    findings = [source.locate(d) for d in (*source.diagnostics, *impossible)]
    notes = {f.name: f.notes(source.system) for f in formalisms if not obstacles[f.name]}
    free = None
    if source.system.constraints and not impossible:
        try:
            free = freedom(source.system, formalisms)
        except MbconcordError as problem:
            uncounted = [replace(d, severity="warning", message=NOT_COUNTED + d.message) for d in problem.diagnostics]
            findings += [source.locate(d) for d in uncounted]
    witnesses: Sequence[Comparison] = ()
    base = None
    run = None
    try:
        run = run_defaults(source.folder)
    except MbconcordError as problem:  # simulate refuses them, where they are used
        findings += [replace(d, severity="warning") for d in problem.diagnostics]
    facts = description.describe(source.file, source.system, obstacles, findings, notes, free, run)
    if arguments.base_parameters:
        with locate_errors(source):
            base, witnesses = _base_parameters(source.system, formalisms)
            facts["base_parameters"] = base.to_json() | {"witnesses": [c.to_json() for c in witnesses]}
    more = with_constraints(source.system) if arguments.base_parameters else []
    own = expect_described(source.system, free, base, obstacles)
    sums, read = facts["base_parameters"]["base"] if base else [], list[Comparison]()
    if arguments.json:
        text = print_json(with_evidence("info", facts, more))
        read = [read_json("info", text, own)]
        read += [read_base(base, json.loads(text)["base_parameters"]["base"])] if base else []
    elif arguments.lint:
        say("\n".join(remarks(findings)) or f"{source.file}: nothing to remark")
    else:
        tell(findings, "error" if arguments.quiet else "warning")
        head = list_head("info", (*list_fields(facts), *more), witnesses)
        say(text := with_head(description.text(facts).removesuffix("\n"), head))
        read.append(read_described(own, source.system.angles, sums, f"{text}\n"))
    tell(wrong := [*contradict(read, "info")])
    if wrong:
        return DISAGREEMENT
    code = BAD_INPUT if any(d.severity == "error" for d in findings) else SUCCESS
    return exit_code(code, LeftOut(), witnesses)


def _base_parameters(system: System, formalisms: Sequence[Formalism]) -> tuple[BaseParameters, Sequence[Comparison]]:
    """Compute base parameters by the formalism that simulates the open tree, or the first that can; else raise."""
    tree = system.open_loops()
    order = sorted(formalisms, key=lambda f: f.name != quickest(tree).name)
    able = next((f for f in order if not f.obstacles(tree)), formalisms[0])
    return judge_base(system, able)
