"""Forces in a closed planar linkage: drives, reactions of the cut joints, and what every joint of the tree bears."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..diagnostics import Diagnostic
from ..evaluation import Array


@dataclass(frozen=True)
class Reaction:
    """What a cut joint exerts on a body at N states: force at a point and moment, N, m, N m, fixed axes (N, 3)."""

    constraint: str
    body: str
    point: Array
    force: Array
    moment: Array


@dataclass(frozen=True)
class LinkageForces:
    """Forces of a closed planar linkage at N states.

    Attributes
    ----------
    accelerations (N, n) : q'' of the model's coordinates
    drives : moments or forces of the driven coordinates (N,), besides the efforts of the model
    bodies : moved by coordinates of their own, k of them
    force (N, k, 2), moment (N, k) : of the carriers upon the bodies, along the axes of the plane, and about its normal
        at the bodies' origins
    axes (3, 3) : of the plane, x, y and the normal, fixed axes
    reactions : of the cut joints, on both bodies; of what stands on the ground, on the body alone
    diagnostics : why values are NaN
    """

    accelerations: Array
    drives: Mapping[str, Array]
    bodies: tuple[str, ...]
    force: Array
    moment: Array
    axes: Array
    reactions: tuple[Reaction, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
