"""Diagnostics as lines, with equal notes on several things merged into one."""

from __future__ import annotations

from collections.abc import Iterable

from mbconcord.model import Diagnostic
from mbconcord.model.limits import cut, format_names


def remarks(findings: Iterable[Diagnostic]) -> list[str]:
    """Write one line per finding; notes with the same words about items of one kind share a line.

    ``a.mbsd:1:1: note: coordinates z1, z2: initial position and velocity 0 by default``
    """
    groups: dict[object, list[Diagnostic]] = {}
    for number, finding in enumerate(findings):
        kind, _, name = finding.place.rpartition("/")
        alike = finding.severity == "note" and kind and name
        groups.setdefault((kind, finding.message, finding.remedy) if alike else number, []).append(finding)
    return [_line(group) for group in groups.values()]


def _line(group: list[Diagnostic]) -> str:
    first = group[0]
    if len(group) == 1:
        return str(first)
    kind = first.place.rpartition("/")[0]
    names = format_names(finding.place.rpartition("/")[2] for finding in group)
    head = f"{first.location}: " if first.location else ""
    tail = f" ({cut(first.remedy)})" if first.remedy else ""
    return f"{head}note: {kind} {cut(names)}: {cut(first.message)}{tail}"


def format_notes(notes: Iterable[Diagnostic]) -> list[str]:
    """Write notes of a formalism as lines: ``bodies a, b: joint taken as one native pair``."""
    return [line.replace("note: ", "", 1) for line in remarks(notes)]
