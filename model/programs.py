"""The program of the quantities of a derivation: made once for all who evaluate the same quantities.

A formalism that solves a model with constraints, and who judges it, evaluate the equations of the open tree again, in
floats and with bounds. What they run is one program, whatever runs it. A large one is made anew each time.
"""

from __future__ import annotations

from typing import Final

from .checks.quantities import Checked
from .derivation import Derivation
from .expressions.program import Program, program
from .functions import define

#: Steps of a program that is kept for what is asked of it later; larger ones take most of the memory of a check.
KEPT: Final = 30_000


def program_of(derivation: Derivation) -> Program:
    """What computes all scalars of the canonical quantities, in their order, the model's formulas put in for functions.

    Raises
    ------
    NumbersError
        Functions are defined by each other in a cycle, or grow beyond the limit.
    """
    found = known_program(derivation)
    if found is None:
        functions, given = derivation.system.functions, derivation.quantities
        found = program(define(derivation.outputs(), functions))
        if isinstance(given, Checked) and len(found.steps) <= KEPT:
            given.kept[functions] = found
    return found


def known_program(derivation: Derivation) -> Program | None:
    """The same where it was made already, for these quantities and functions; else None."""
    given = derivation.quantities
    if isinstance(given, Checked) and given.unchanged:
        found: Program | None = given.kept.get(derivation.system.functions)
        return found
    return None
