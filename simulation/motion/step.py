"""What integrators have in common: the problem they are given, the steps they make, and why they stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .arrays import Array
from .equations import Equations
from .projection import Projection

#: Whether anything between two states (t, y) is asked for.
Needed = Callable[[float, Array, float, Array], bool]


@dataclass(frozen=True)
class Step:
    """A step that was made.

    Attributes
    ----------
    start, end : times (s)
    y : (q, q', work) at its end
    between : the same at a time within it, not yet on the constraints; None where nobody asked
    back : where it is not None, the run goes back to this time, and what was told of later ones does not count
    stiff : whether not accuracy but stability has made it as short as it is
    """

    start: float
    end: float
    y: Array
    between: Callable[[float], Array] | None = None
    back: float | None = None
    stiff: bool = False


class StoppedError(ArithmeticError):
    """The integrator cannot go on; its words, and whether a step was refused because it left the constraints."""

    def __init__(self, message: str, t: float, y: Array) -> None:
        super().__init__(message)
        self.t, self.y = t, y


@dataclass(frozen=True)
class Problem:
    """Equations with constraints from a time on: y = (q, q'), and the work of forces where it is balanced.

    Attributes
    ----------
    equations, projection
    moving : whether constraints move by themselves, or drives impose accelerations, so that reactions have power
    balanced : whether the work is integrated as one more unknown
    """

    equations: Equations
    projection: Projection
    moving: bool
    balanced: bool

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.equations.names)

    def rate(self, t: float, y: Array) -> Array:
        """y' = (q', q'', power)."""
        n = self.n
        found = self.equations.of([t, *y[: 2 * n].tolist()])
        v = y[n : 2 * n]
        if not self.balanced:
            return np.concatenate([v, found.a])
        return np.concatenate([v, found.a, [self.power(found.applied, found.reactions, found.explicit, v)]])

    def power(self, applied: Array, reactions: Array, explicit: float, v: Array) -> float:
        """Q·q' - ∂L/∂t, of applied forces and of the reactions of moving constraints (W)."""
        forces = applied + reactions if self.moving else applied
        return float(forces @ v) - explicit

    def projected(self, t: float, y: Array) -> Array:
        """y on the constraints."""
        n = self.n
        found = self.projection(t, y[:n], y[n : 2 * n])
        return np.concatenate([found.q, found.v, y[2 * n :]])
