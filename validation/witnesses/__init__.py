"""Witnesses, the sources of numbers about a model: their questions, their answers, and their registry by name."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from mbconcord.plugins import entry_points

from ..judge.witness import Answer, Labelled, Question, SilentError, Witness

__all__ = ["Answer", "Labelled", "Question", "SilentError", "Witness"]


# All witnesses by name, imported on first use; others join by entry points.


#: name -> "module:class"; the order is that of the table on docs/evidence.md.
BUILT_IN: Final = {
    "formalisms": "mbconcord.validation.judge.formalism:FormalismWitness",
    "direct": "mbconcord.validation.witnesses.direct.tree:Direct",
    "maximal": "mbconcord.validation.witnesses.maximal.free_bodies:Maximal",
    "second reading": "mbconcord.validation.witnesses.text:SecondReading",
    "bodies": "mbconcord.validation.witnesses.sums.joint_forces:BodySums",
    "motions": "mbconcord.validation.witnesses.motion:MotionWitness",
    "links": "mbconcord.validation.witnesses.links.link_by_link:LinkByLink",
    "programs": "mbconcord.validation.witnesses.peers.program:ProgramWitness",
    "um": "mbconcord.validation.witnesses.um.generated:Generated",
    "table": "mbconcord.validation.witnesses.printed.table:Printed",
    "fmu": "mbconcord.validation.against.fmu:FmuWitness",
}
GROUP: Final = "mbconcord.witnesses"
#: Shared parts of witnesses: name -> description, and the claim that tests the part in every check; empty: no claim.
SHARED: Final = {
    "reader": ("the model as the reader of its text built it", "second_reading"),
    "model": ("helpers of the model: numbers at states, laws of forces, open trees", "fields"),
    "functions": ("formulas of a model's functions, put in", "second_reading"),
    "graph": ("derivatives, substitution and simplification of expressions", "fields"),
    "float evaluation": ("programs of expressions in floats, with their bounds", "float_evaluation"),
    "kinematics": ("validation's own kinematics", "kinetic_energy"),
    "direct": ("formulas and laws of the direct witness", "fields"),
    "second reading": ("the machine that the second reading finds", "second_reading"),
    "integration": ("steps in time, and what puts states onto the constraints", ""),
    "recursions": ("steps of links, run in a loop", ""),
    "binary layers": ("stages' layers that OpenUSD printed", ""),
    "texts": ("decimal numbers taken apart as readers do", ""),
}


@cache
def list_added() -> tuple[Witness, ...]:
    """Return the witnesses that installed packages register, ordered by name; every check asks them."""
    found = sorted(entry_points(GROUP), key=lambda entry: entry.name)
    return tuple(entry.load()() for entry in found)


def find_unwatched(shares: Iterable[frozenset[str]]) -> tuple[str, ...]:
    """Return the names of parts (keys of SHARED) that all witnesses of a quantity use and no claim tests."""
    every = [*shares]
    common = frozenset.intersection(*every) if every else frozenset()
    return tuple(sorted(name for name in common if not SHARED.get(name, ("", ""))[1]))
