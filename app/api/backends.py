"""What runs compiled equations: one entry for each backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import Expression
from mbconcord.model.expressions.levels import levels, run_levels
from mbconcord.model.expressions.program import program

#: Values of symbols, numbers or arrays (n,) -> values of the outputs (m, n).
Run = Callable[[Mapping[str, Any]], Array]


def numpy_levels(outputs: Sequence[Expression]) -> Run:
    """Level by level: what can be done together is one operation of NumPy over all states."""
    plan = levels(program(outputs))

    def run(values: Mapping[str, Any]) -> Array:
        return run_levels(plan, values)

    return run


#: Name -> what makes a :data:`Run` of expressions.
BACKENDS: Final[Mapping[str, Callable[[Sequence[Expression]], Run]]] = {"numpy": numpy_levels}


def backend(name: str) -> Callable[[Sequence[Expression]], Run]:
    """The backend of that name.

    Raises
    ------
    MbconcordError
        There is none; those that there are are listed.
    """
    if name not in BACKENDS:
        raise MbconcordError(error("backend", f"there is no backend {name!r}", among(name, BACKENDS)))
    return BACKENDS[name]
