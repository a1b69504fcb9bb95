"""A run in charts: the present chart, its changes, and states in the coordinates of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import Final

import numpy as np

from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.system import System

from .arrays import Array
from .charts import NEAR, Ball, balls, change_charts
from .formulas import MotionFormulas
from .stretch import IntegrationStep
from .trajectory import TrajectoryRow

#: How far a body turns (rad), at most, between two states: of the angles of the model the nearest are taken.
FOLLOWED: Final = 1.0
#: Tied turns nearer to their singular position (rad) are looked at.
CLOSE: Final = 0.01
#: An eigenvalue of M, its diagonal made 1, that leaves less than six digits of accelerations.
WORTHLESS: Final = 1e-10
#: Times that a note names.
NAMED: Final = 3
#: Said of bodies that came near a singular position of their angles.
OTHER_ANGLES: Final = "integrated in other angles"


class Charts:
    """The charts of a system's freely rotating joints.

    ``formulas`` are the equations in the coordinates of the system; ``make`` derives those of the system in others.

    Attributes
    ----------
    free, tied : joints whose coordinates can be replaced; joints whose coordinates the model uses by name
    turned : the free joints that are in their other chart
    seen (n,) : the last positions in the coordinates of the model, to which the next angles are the nearest
    """

    def __init__(
        self, system: System, q: Array, formulas: MotionFormulas, make: Callable[[System], MotionFormulas]
    ) -> None:
        found = balls(system)
        self._make = make
        self._formulas: dict[tuple[Ball, ...], MotionFormulas] = {(): formulas}
        self.system = system
        self.free = tuple(ball for ball in found if not ball.tied)
        self.tied = tuple(ball for ball in found if ball.tied)
        self.turned: tuple[Ball, ...] = ()
        self.seen = q
        self._times: dict[Ball, list[float]] = {ball: [] for ball in self.free}

    @property
    def here(self) -> System:
        """The system whose coordinates are those of the charts."""
        return change_charts(self.system, self.turned) if self.turned else self.system

    @property
    def formulas(self) -> MotionFormulas:
        """The equations in the coordinates of the charts, derived once for each set of charts."""
        if self.turned not in self._formulas:
            self._formulas[self.turned] = self._make(self.here)
        return self._formulas[self.turned]

    def find_near_singular(self, y: Array) -> tuple[Ball, ...]:
        """Return joints near the singular position of their chart at a state (q, …)."""
        return tuple(ball for ball in self.free if ball.sine(y[ball.places]) < NEAR)

    def enter(self, t: float, y: Array, leaving: tuple[Ball, ...]) -> Array:
        """Convert the state (q, q', …) as these joints switch to their other charts."""
        y, n = y.copy(), len(self.seen)
        for ball in leaving:
            self._times[ball].append(t)
            i, back = ball.places, ball in self.turned
            onto = ball.quarter if back else ball.quarter.T
            near = self.seen[i] if back else np.zeros(3)
            y[i], y[n + i], _ = ball.change_chart(y[i], y[n + i], y[n + i], onto, near)
        self.turned = tuple(ball for ball in self.free if (ball in self.turned) != (ball in leaving))
        return y

    def own(self, y: Array) -> Array:
        """Convert a state (q, q', …) to the coordinates of the model."""
        if not self.turned:
            return y
        y, n = y.copy(), len(self.seen)
        for ball in self.turned:
            i = ball.places
            y[i], y[n + i], _ = ball.change_chart(y[i], y[n + i], y[n + i], ball.quarter, self.seen[i])
        return y

    def follow(
        self, step: IntegrationStep, y: Array, projected: Callable[[float, Array], Array]
    ) -> Iterator[IntegrationStep]:
        """Split a step from y into parts in which no body turns far: a long one may contain full turns."""
        n, places = len(self.seen), [place for ball in self.turned for place in ball.places]
        rates = [float(np.abs(x[n:][places]).sum()) for x in (y, step.y)]
        count = ceil((step.end - step.start) * max(rates) / FOLLOWED)
        if count <= 1 or step.between is None:
            yield step
            return
        edges = np.linspace(step.start, step.end, count + 1).tolist()
        for start, end in pairwise(edges):
            there = step.y if end == step.end else projected(end, step.between(end))
            yield replace(step, start=start, end=end, y=there)

    def pass_state(self, y: Array) -> None:
        """Record that the run has reached this state, from which the model's next positions are close."""
        if self.turned:
            self.seen = self.own(y)[: len(self.seen)]

    def to_model_row(self, row: TrajectoryRow) -> TrajectoryRow:
        """Convert a table row to the coordinates of the model, near those before it."""
        if self.turned:
            q, v, a = row.q.copy(), row.v.copy(), row.a.copy()
            for ball in self.turned:
                i = ball.places
                q[i], v[i], a[i] = ball.change_chart(q[i], v[i], a[i], ball.quarter, self.seen[i])
            row = replace(row, q=q, v=v, a=a)
        self.seen = row.q
        return row

    def notes(self) -> Iterator[Diagnostic]:
        """Note which joints changed charts, and when."""
        for ball, times in self._times.items():
            if times:
                when = ", ".join(f"{t:.6g}" for t in times[:NAMED])
                more = f" and {len(times) - NAMED} more times" if len(times) > NAMED else ""
                message = (
                    f"{', '.join(ball.names)} come near the position in which their axes lie in a plane: "
                    f"{OTHER_ANGLES} there, changed at t = {when}{more}; the table has the model's own"
                )
                yield Diagnostic("note", f"bodies/{ball.body}/joint", message)

    def stuck(self, t: float, y: Array, mass: Callable[[float, Array], Array]) -> Diagnostic | None:
        """Report why a run stops at a state: tied rotations are singular, and accelerations lose digits; or None."""
        for ball in self.tied:
            if ball.sine(y[ball.places]) < CLOSE:
                part = mass(t, y[: len(self.seen)])[np.ix_(ball.places, ball.places)]
                size = np.sqrt(np.diagonal(part))
                if not np.linalg.eigvalsh(part / np.outer(size, size))[0] > WORTHLESS:
                    return _singular(ball, t)
        return None


def _singular(ball: Ball, t: float) -> Diagnostic:
    """Report a singular position of rotations whose coordinates cannot be replaced."""
    message = (
        f"stopped at t = {t:.9g}: the axes of {', '.join(ball.names)} lie in a plane there, and the model has no "
        f"inertia for that position; other angles cannot stand for these, of which {ball.tied[0]} speaks"
    )
    remedy = "give the angles an armature, or say it by frames (bushing, torsion, wrench); what was computed is kept"
    return error(f"bodies/{ball.body}/joint", message, remedy)
