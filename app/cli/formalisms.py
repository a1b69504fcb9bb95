"""List the formalisms: what they are called and where they come from."""

from __future__ import annotations

import argparse

HELP = "list the formalisms"


def arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def run(arguments: argparse.Namespace) -> int:
    """Print the table of formalisms."""
    from mbconcord.formalisms import registry
    from mbconcord.reports.table import table

    from . import SUCCESS
    from .output import print_json

    formalisms = [registry.formalism(name) for name in registry.names()]
    if arguments.json:
        rows = [{"name": f.name, "title": f.title, "reference": f.reference} for f in formalisms]
        print_json({"formalisms": rows})
    else:
        print(
            table(("formalism", "title", "reference"), [(f.name, f.title, f.reference) for f in formalisms])
        )
    return SUCCESS
