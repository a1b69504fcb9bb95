"""What is said of a state that was moved onto the constraints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.model.diagnostics import Diagnostic
from mbconcord.model.system import System

from .keeping import Placed


def moved(system: System, start: Placed) -> Iterator[Diagnostic]:
    """What is said of a start that was not on the constraints."""
    if start.released:
        message = (
            f"{', '.join(start.released)} cannot be kept: the constraints do not close with the given values"
        )
        yield Diagnostic("warning", "state", message, "the nearest state that closes is taken")
    if start.rates_released:
        message = (
            f"rates of {', '.join(start.rates_released)} cannot be kept: the constraints do not admit them"
        )
        yield Diagnostic("warning", "state", message, "the nearest rates that they admit are taken")
    if start.moved:
        message = f"the initial state is moved onto the constraints: {shifts(system, start)}"
        yield Diagnostic("warning", "state", message)


def shifts(system: System, start: Placed) -> str:
    """How far a state was moved, in words."""
    names = system.coordinate_names
    parts = []
    for what, change in (("", start.shift), ("'", start.change)):
        i = int(np.abs(change / start.units).argmax()) if len(change) else 0
        if len(change) and abs(change[i]) > 0:
            parts.append(f"{names[i]}{what} by {change[i]:.6g}")
    return ", ".join(parts) or "not at all"
