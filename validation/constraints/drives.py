"""Drives that impose accelerations beside constraints: what constraints fix, no drive can impose."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.model.diagnostics import ModelError, error
from mbconcord.model.mixed import FREE, fixed, imposed
from mbconcord.model.system import System
from mbconcord.simulation.assembly import Assembly

from ..judge.motion import Array
from ..judge.tolerances import SINGULAR
from .measure import generalized
from .rows import constraint_rows


def require_free(system: System, assembly: Assembly) -> None:
    """Raise :class:`ModelError` where a drive imposes an acceleration that is fixed at every one of the states."""
    found = [error(f"coordinates/{name}/drive", fixed(name), FREE) for name in _fixed(system, assembly)]
    if found:
        raise ModelError(found)


def _fixed(system: System, assembly: Assembly) -> Iterator[str]:
    """Coordinates whose drives' rows depend on the rows before them wherever the states are."""
    driven = list(imposed(system))
    if not driven or not assembly.states:
        return
    rows = constraint_rows(system, assembly.extended)
    D, _, _ = generalized(rows, np.ones((len(assembly.states), len(system.coordinates))))
    first = D.shape[1] - len(driven)
    for i, name in enumerate(driven, first):
        if all(_rank(each[: i + 1]) == _rank(each[:i]) for each in D):
            yield name


def _rank(rows: Array) -> int:
    return int((np.linalg.svd(rows, compute_uv=False) > SINGULAR).sum()) if rows.size else 0
