"""Quantities of a model as a function of plain arrays q, v, a, t and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mbconcord.kernels.arrays import ArrayFunction
from mbconcord.kernels.llvm.options import Options
from mbconcord.kernels.operands import Operand, ResultArray
from mbconcord.model.derivation import Nested, flatten
from mbconcord.model.diagnostics import NumbersError, error
from mbconcord.model.expressions import Expression, symbol, symbols
from mbconcord.model.system import System


def shape(value: Nested) -> tuple[int, ...]:
    """Return the shape of a quantity or a native object: (N, N), (N,), () …"""
    return (len(value), *(shape(value[0]) if value else ())) if isinstance(value, tuple) else ()


def inverse_dynamics(coordinates: Sequence[str], known: Mapping[str, Any]) -> tuple[Expression, ...]:
    """Return M a + h - gravity - applied (N,), with accelerations as symbols; ``known`` are these four."""
    accelerations = [symbol(f"{name}''") for name in coordinates]
    rows = zip(known["M"], known["h"], known["gravity"], known["applied"], strict=True)
    return tuple(sum((m * a for m, a in zip(row, accelerations, strict=True)), h) - g - f for row, h, g, f in rows)


def array_function(
    system: System,
    quantities: Mapping[str, Nested],
    define: Callable[[Iterable[Expression]], list[Expression]],
    backend: str,
    options: Options,
    values: Mapping[str, float],
    always: Sequence[str] = (),
) -> ArrayFunction:
    """Compile these quantities to a function whose operands are those of q, v, a, t, parameters that they need.

    ``values`` are the model's parameter values: a call may omit parameters if the model has all values. Operands named
    in ``always`` are included even if no formula needs them.

    Raises
    ------
    NumbersError
        A quantity has no entries, or symbols other than those of a state.
    """
    parameters = tuple(p.name for p in system.parameters)
    complete = all(name in values for name in parameters)
    default = np.array([values[name] for name in parameters]) if complete else None
    results = [ResultArray(name, shape(value)) for name, value in quantities.items()]
    empty = [error(f"quantities/{r.name}", "it has no entries here") for r in results if 0 in r.shape]
    outputs = define(x for value in quantities.values() for x in flatten(value))
    used = symbols(outputs)
    names = system.coordinate_names
    known = [
        Operand("q", names), Operand("v", tuple(f"{name}'" for name in names)),
        Operand("a", tuple(f"{name}''" for name in names)), Operand("t", ("t",), axis=False, default=np.zeros(())),
        Operand("parameters", parameters, default=default),
    ]  # fmt: skip
    left = used - {name for operand in known for name in operand.symbols}
    empty += [error(f"symbols/{name}", "it is no number of a state, nor a parameter") for name in sorted(left)]
    if empty:
        raise NumbersError(empty)
    operands = [operand for operand in known if operand.name in always or used & {*operand.symbols}]
    return ArrayFunction(operands or [known[0] if names else known[3]], results, outputs, backend, options)
