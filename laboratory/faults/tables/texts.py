"""Seeded faults of readers and of the model's constructors, each to be detected by every check of the text.

All witnesses have the wrong model, the direct one too. The second reading of the text does not, nor has the witness of
maximal coordinates, which takes its bodies from there.
"""

from __future__ import annotations

from mbconcord.testing import Fault

from . import read_table
from .shared import read_watched

#: By format; of those in sections of a claim a check reads the texts twice.
READERS: dict[str, list[Fault]] = {}
for row in read_table("readers", "reader"):
    READERS.setdefault(row.fault.module.split(".")[2], []).append(row.fault)
SHOWN, ROBOTS, _OTHERS = (read_watched(table, "reader") for table in ("readers", "robots", "texts"))
#: One of each format and one of shared code, each tried by a test of its own.
FIRST = (*_OTHERS[:4], ROBOTS[0])
FAULTS = (*FIRST, *SHOWN, *ROBOTS[1:], *_OTHERS[4:])
