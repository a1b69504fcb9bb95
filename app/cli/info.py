"""Describe a model: its tree, coordinates, parameters, forces, constraints, and who can take it."""

from __future__ import annotations

import argparse

from mbconcord.formalisms import registry
from mbconcord.reports import description

from . import SUCCESS
from .numbers import add_parameters
from .output import print_json, tell
from .source import add_file, load


def arguments(parser: argparse.ArgumentParser) -> None:
    """File and parameters."""
    add_file(parser)
    add_parameters(parser)


def run(arguments: argparse.Namespace) -> int:
    """Describe."""
    source = load(arguments, arguments.file)
    formalisms = [registry.formalism(name) for name in registry.names()]
    obstacles = {f.name: f.constraint_obstacles(source.system) for f in formalisms}
    findings = [
        source.locate(d) for d in (*source.diagnostics, *description.physical_findings(source.system))
    ]
    notes = {f.name: f.notes(source.system) for f in formalisms if not obstacles[f.name]}
    facts = description.describe(source.file, source.system, obstacles, findings, notes)
    if arguments.json:
        print_json(facts)
    else:
        tell(d for d in findings if d.severity != "note")
        print(description.text(facts), end="")
    return SUCCESS
