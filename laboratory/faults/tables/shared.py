"""Seeded faults of the formalisms' shared foundation: all formalisms agree, and ``check`` has to detect them.

Each is a fault of model or expressions with the claim that must notice it, and the smallest fixture that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.testing import Fault

from . import read_table

#: The fixture of linear laws.
LINEAR = "um/suspension/input.dat"


@dataclass(frozen=True)
class Watched:
    """A fault of shared code, the claim that must detect it, and the fixture.

    ``states`` are how many are drawn; 0: the model's own initial state.
    """

    fault: Fault
    claim: str
    model: str
    states: int = 2


def read_watched(table: str, owner: str, part: str | None = None) -> tuple[Watched, ...]:
    """Read the rows of a table in sections of a claim and a fixture."""
    rows = (row for row in read_table(table, owner, part) if row.section)
    return tuple(Watched(row.fault, row.section[0], row.section[1], *map(int, row.more)) for row in rows)


FAULTS = read_watched("shared", "shared", "model")
#: Faults that no comparison of formalisms shows, each tried by a test of its own.
FIRST = FAULTS[:6]
