"""Tables of seeded faults, a file per formalism: rows of what is wrong, of the place, and of the change there.

A row is ``title | module:function | change`` in a section ``[part of the program]``. Without a module the place is the
part itself, without a function the whole module. A change is an expression, or statements with \\n between them, with
what becomes what between marks: ``joint.inertia« + rotor → »`` drops a term, ``«- → »rest / lengths`` a sign. More
columns say how a section, or a row, is tried. An indented line goes on with the one before it; # begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from mbconcord.testing import Fault

FOLDER: Final = Path(__file__).parent
CHANGE: Final = re.compile("(.*?)«(.*?) → (.*?)»(.*)", re.DOTALL)


@dataclass(frozen=True)
class SeededRow:
    """A fault, and what more its section and its row say."""

    fault: Fault
    section: tuple[str, ...]
    more: tuple[str, ...]


def read_fault(part: str, title: str, place: str, change: str, form: str | None = None, owner: str = "") -> Fault:
    """Read a row of a part of the program, such as ``formalisms.lagrange``; ``form`` and ``owner`` are the fault's."""
    found = CHANGE.fullmatch(change.replace("\\n", "\n"))
    assert found, f"{title}: {change!r} marks no change"
    before, was, becomes, after = found.groups()
    module, _, function = place.partition(":")
    name = ".".join(filter(None, ("mbconcord", part, module)))
    return Fault(title, name, function, before + was + after, before + becomes + after, form, owner)


@cache
def read_table(name: str, owner: str, part: str | None = None) -> tuple[SeededRow, ...]:
    """Read the rows of a table; ``part``: that of all sections, which then do not begin with theirs."""
    found, section = list[SeededRow](), [part or ""]
    for line in re.sub("\n +", " ", (FOLDER / f"{name}.txt").read_text("utf-8")).splitlines():
        if line.startswith("["):
            section = [*([] if part is None else [part]), *line[1:-1].split(" | ")]
        elif line and not line.startswith("#"):
            title, place, change, *more = line.split(" | ")
            fault = read_fault(section[0], title, place, change, owner=owner)
            found.append(SeededRow(fault, tuple(section[1:]), tuple(more)))
    return tuple(found)
