"""Tables of seeded faults, one module per formalism: rows of what is wrong, of the place, and of the change there.

A place is ``module:function`` in a part of the program: without a module it is the part itself, without a function the
whole module. A change is an expression, or statements, with what becomes what between marks:
``joint.inertia« + rotor → »`` drops a term, ``«- → »rest / lengths`` a sign.
"""

from __future__ import annotations

import re
from typing import Final

from mbconcord.testing import Fault

CHANGE: Final = re.compile("(.*?)«(.*?) → (.*?)»(.*)", re.DOTALL)


def read_fault(part: str, title: str, place: str, change: str, form: str | None = None, owner: str = "") -> Fault:
    """Read a row of a part of the program, such as ``formalisms.lagrange``; ``form`` and ``owner`` are the fault's."""
    found = CHANGE.fullmatch(change)
    assert found, f"{title}: {change!r} marks no change"
    before, was, becomes, after = found.groups()
    module, _, function = place.partition(":")
    name = ".".join(filter(None, ("mbconcord", part, module)))
    return Fault(title, name, function, before + was + after, before + becomes + after, form, owner)


def read_faults(part: str, *rows: tuple[str, ...]) -> tuple[Fault, ...]:
    """Read rows of title, place and change, and of the form where a fault is tried in one."""
    return tuple(read_fault(part, *row) for row in rows)
