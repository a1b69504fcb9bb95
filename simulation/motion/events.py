"""Events: formulas of t, q, q' that change their sign, found on the steps to the accuracy of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from mbconcord.kernels.scalar import scalar
from mbconcord.model.diagnostics import NumbersError, among, error
from mbconcord.model.expressions import Expression, symbols

from .arrays import Array
from .formulas import Numbers
from .step import Step


@dataclass(frozen=True)
class Event:
    """What is looked for: where a formula is zero and changes its sign; ``stops``: the run ends there."""

    name: str
    formula: Expression
    stops: bool = False


@dataclass(frozen=True)
class Happened:
    """An event at a time and state (q, q', work)."""

    event: Event
    t: float
    y: Array


class Events:
    """The events of a run; ``own`` gives its states in the coordinates of the formulas."""

    def __init__(
        self, events: Sequence[Event], numbers: Numbers, inputs: Sequence[str], own: Callable[[Array], Array]
    ) -> None:
        self.events, self._own = tuple(events), own
        formulas = numbers.of(event.formula for event in events)
        _require_known(events, formulas, inputs)
        self._values = scalar(formulas, inputs)
        self._count = 2 * ((len(inputs) - 1) // 2)

    def __bool__(self) -> bool:
        return bool(self.events)

    def values(self, t: float, y: Array) -> Array:
        """The formulas at a state."""
        return np.array(self._values([t, *self._own(y)[: self._count].tolist()]))

    def any(self, t: float, y: Array, after: float, there: Array) -> bool:
        """Whether a formula changes its sign between two states."""
        return bool(self.events) and bool(
            (np.sign(self.values(t, y)) != np.sign(self.values(after, there))).any()
        )

    def within(self, step: Step, y: Array, projected: Callable[[float, Array], Array]) -> list[Happened]:
        """What happens in a step from the state y, in order; at its end what is zero there."""
        if not self.events or step.between is None:
            return []
        between = step.between
        before, after = self.values(step.start, y), self.values(step.end, step.y)
        found = []
        for i, event in enumerate(self.events):
            if before[i] == 0 or before[i] * after[i] > 0 or not np.isfinite(before[i] * after[i]):
                continue

            def value(t: float, i: int = i) -> float:
                return float(self.values(t, projected(t, between(t)))[i])

            t = step.end
            if after[i] != 0 and value(step.start) * value(step.end) < 0:
                t = float(brentq(value, step.start, step.end, xtol=1e-300, rtol=1e-15))
            found.append(Happened(event, t, projected(t, between(t))))
        return sorted(found, key=lambda happened: happened.t)


def _require_known(events: Sequence[Event], formulas: Sequence[Expression], inputs: Sequence[str]) -> None:
    """Refuse what is no name of the model."""
    known = list(inputs)
    findings = [
        error(f"events/{event.name}", f"the model has no {name!r}", among(name, known))
        for event, formula in zip(events, formulas, strict=True)
        for name in sorted(symbols([formula]) - set(inputs))
    ]
    if findings:
        raise NumbersError(findings)
