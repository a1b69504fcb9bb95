"""What runs compiled equations: one entry for each backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from mbconcord.model.diagnostics import MbconcordError, among, error
from mbconcord.model.evaluation import Array
from mbconcord.model.expressions import Expression, compile_numpy
from mbconcord.model.expressions.levels import levels, run_levels
from mbconcord.model.expressions.program import program

#: Values of symbols, numbers or arrays (n,) -> values of the outputs (m, n).
Run = Callable[[Mapping[str, Any]], Array]


def over_numpy(outputs: Sequence[Expression]) -> Run:
    """Of many states level by level: what can be done together is one operation of NumPy over all of them.

    Of one state such operations would be more than what they compute: its floats, which are the same, come from
    generated code, made when it is first called.
    """
    roots = list(outputs)
    plan = levels(program(roots))

    @cache
    def of_one() -> Callable[[Any], Array]:
        return compile_numpy(roots, plan.symbols)

    def run(values: Mapping[str, Any]) -> Array:
        if any(np.ndim(values[name]) for name in plan.symbols):
            return run_levels(plan, values)
        with np.errstate(all="ignore"):
            return of_one()([float(values[name]) for name in plan.symbols])[:, None]

    return run


#: Name -> what makes a :data:`Run` of expressions.
BACKENDS: Final[Mapping[str, Callable[[Sequence[Expression]], Run]]] = {"numpy": over_numpy}


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
