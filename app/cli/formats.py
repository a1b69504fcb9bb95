"""List the formats: names, suffixes, and whether they are read, written or both."""

from __future__ import annotations

import argparse

from mbconcord.converters import registry
from mbconcord.reports.table import table

from . import SUCCESS
from .output import print_json, say


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run(arguments: argparse.Namespace) -> int:
    """Print the table of formats, or their JSON; return the exit code."""
    formats = [registry.format_named(name) for name in registry.names()]
    if arguments.json:
        print_json(
            {
                "formats": [
                    {
                        "name": f.name,
                        "title": f.title,
                        "suffixes": list(f.suffixes),
                        "reads": f.read is not None,
                        "writes": f.write is not None,
                        "holds": sorted(f.holds.features),
                        "keeps": sorted(f.holds.kept),
                        "physics": f.physics,
                    }
                    for f in formats
                ]
            }
        )
        return SUCCESS
    rows = [(f.name, " ".join(f.suffixes), _ways(f.read, f.write), f.title) for f in formats]
    say(table(("format", "suffixes", "ways", "title"), rows))
    return SUCCESS


def _ways(read: object, write: object) -> str:
    return "both" if read and write else "read" if read else "write"
