"""Where a difference begins: coordinates that disagree while none that they carry does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.system import System

Array = NDArray[np.float64]


def outermost(system: System, beyond: Array) -> str:
    """Which coordinates disagree while none that they carry does: there the two begin to differ.

    ``beyond`` (n, C): above one an entry disagrees.
    """
    wrong = {
        name
        for name, x in zip(system.coordinate_names, beyond.max(axis=0).tolist(), strict=True)
        if not x <= 1.0
    }
    carried: set[str | None] = set()  # bodies that carry one that disagrees
    found = []
    for body in reversed(system.bodies):
        own = [et.coordinate for et in body.joint if et.coordinate in wrong]
        if own and body.name not in carried:
            found.append(f"{own[-1]} (body {body.name})")
        if own or body.name in carried:
            carried.add(body.parent)
    shown = ", ".join(found[::-1][:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")
    return f"{len(wrong)} of {len(system.coordinate_names)} entries differ; nothing farther out than {shown} does"
