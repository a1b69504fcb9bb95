"""Times at which formulas of time alone have a kink: where the argument of an abs or a sign changes its sign.

Between two such times each abs(u) is u or -u and each sign(u) is 1 or -1, so the equations of every interval are
smooth, and their limits at its ends are exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
from scipy.optimize import brentq

from mbconcord.kernels.scalar import Scalar, scalar
from mbconcord.model.expressions import (
    MINUS_ONE,
    ONE,
    TIME,
    Expression,
    compile_numpy,
    substitute,
    symbols,
    topological,
)

from .formulas import Formulas

#: So many times of an interval are looked at; what changes its sign twice between two of them is not seen.
LOOKED_AT = 10_000
Pattern = tuple[bool, ...]


def kinks(outputs: Iterable[Expression]) -> list[Expression]:
    """The nodes abs(u(t)) and sign(u(t)) below the outputs, inner ones first."""
    return [
        node for node in topological(list(outputs))
        if node.op == "fun" and node.data in ("abs", "sign") and symbols([node]) == {TIME.data}
    ]  # fmt: skip


class Switches:
    """The kinks of formulas between two times."""

    def __init__(self, outputs: Iterable[Expression], start: float, end: float) -> None:
        self.nodes = kinks(outputs)
        arguments = [node.args[0] for node in self.nodes]
        self._values = scalar(arguments, ["t"])
        self.times = _roots(arguments, start, end) if arguments else []

    def pattern(self, start: float, end: float) -> Pattern:
        """Which arguments are positive between two neighbouring times."""
        return tuple(value > 0 for value in self._values([(start + end) / 2]))

    def applied(self, formulas: Formulas, pattern: Pattern) -> Formulas:
        """The formulas within an interval of that pattern."""
        return formulas.changed(self.replacements(pattern)) if self.nodes else formulas

    def replacements(self, pattern: Pattern) -> Mapping[Expression, Expression]:
        """What stands for each node."""
        found: dict[Expression, Expression] = {}
        for node, positive in zip(self.nodes, pattern, strict=True):
            (argument,) = substitute([node.args[0]], found)
            sign = ONE if positive else MINUS_ONE
            found[node] = sign if node.data == "sign" else sign * argument
        return found


def _roots(arguments: Sequence[Expression], start: float, end: float) -> list[float]:
    """Times between two others at which an argument changes its sign."""
    grid = np.linspace(start, end, LOOKED_AT + 1)
    found: set[float] = set()
    with np.errstate(all="ignore"):
        values = compile_numpy(arguments, ["t"])(grid[None, :])
    for argument, row in zip(arguments, values, strict=True):
        value = partial(_value, scalar([argument], ["t"]))
        signs = np.sign(row)
        found |= {
            float(grid[i]) for i in np.flatnonzero((signs[1:-1] == 0) & (signs[:-2] * signs[2:] < 0)) + 1
        }
        for i in np.flatnonzero(signs[:-1] * signs[1:] < 0):
            found.add(float(brentq(value, grid[i], grid[i + 1], xtol=1e-300, rtol=1e-15)))
    return _apart(sorted(t for t in found if start < t < end))


def _value(function: Scalar, t: float) -> float:
    return function([t])[0]


def _apart(times: Sequence[float]) -> list[float]:
    """Times without those that rounding alone tells apart."""
    found: list[float] = []
    for t in times:
        if not found or t - found[-1] > 1e-12 * max(1.0, abs(t)):
            found.append(t)
    return found
