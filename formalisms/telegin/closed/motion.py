"""Motion of closed planar linkages at many states, in the coordinates of the model.

The equations are those of :class:`.closed.ClosedLinkage` in absolute angles; with ω = S⁻ᵀ q' the moments Cᵀ F of the
reactions become S⁻¹ Cᵀ F on the joints, and C becomes C S⁻ᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mbconcord.model import State, System
from mbconcord.model.derivation import Nested, Obstacle
from mbconcord.model.diagnostics import Diagnostic, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation
from mbconcord.model.expressions import ZERO
from mbconcord.model.numbers import largest_ranks

from .. import planarity
from ..planarity import form_obstacles
from ..tree import tree
from . import cuts
from .dynamics import SINGULAR, ClosedLinkage, reach
from .parts import Parts, dependent, least
from .parts import solve_motion as relative
from .relative import RelativeLinkage, sliding
from .relative import obstacles as relative_obstacles

SINGULAR_EQUATIONS = error(
    "constraints",
    "the equations are singular: a motion that the cut joints admit has no inertia",
    "give the links a mass or a moment of inertia, or choose another state",
)


def obstacles(system: System) -> tuple[Obstacle, ...]:
    """List the reasons why the constraints do not close a planar linkage of revolute and sliding joints."""
    if not form_obstacles(system.open_loops(), None) and sliding(system):
        return tuple(relative_obstacles(system))
    found = tuple(cuts.other_kinds(system))
    opened = system.open_loops()
    found = found or form_obstacles(opened, "matrix")
    if found:
        return found
    if not opened.coordinates:
        return (Obstacle("bodies", "motion in space", "no joint of the linkage moves: its plane is not told"),)
    links = tree(opened)
    return tuple(cuts.obstacles(system, links, planarity.plane_of(links)))


def rows(linkage: ClosedLinkage) -> dict[str, Nested]:
    """Derive ``D`` = C S⁻ᵀ (2c×n) and ``γ̃`` = C' ω (2c) of D q'' + γ̃ = 0, in the coordinates of the model.

    S⁻ᵀ expresses that a joint rotates every link that it carries. Identity: D and γ̃ of :func:`constrained_motion`.
    """
    carried = {name: linkage.loops.p.topology.sub[k] for k, name in enumerate(linkage.names, 1)}
    sense = dict(zip(linkage.names, map(int, linkage.sense), strict=True))
    D = tuple(
        tuple(sense[name] * sum((row[k - 1] for k in carried[name]), ZERO) for name in linkage.system.coordinate_names)
        for row in linkage.loops.jacobian
    )
    return {"D": D, "γ̃": linkage.loops.drift}


def constrained_motion(system: System, open_tree: Evaluation, states: Sequence[State]) -> ConstrainedMotion:
    """Compute accelerations and reactions at states in which the loops are closed.

    Raises
    ------
    NumbersError
        A position or a velocity breaks a loop.
    """
    linkage = ClosedLinkage(system)
    order = [linkage.names.index(name) for name in system.coordinate_names]
    rows = linkage.loops.names
    count, n, m = len(states), len(order), len(rows)
    acceleration, reactions = np.full((count, n), np.nan), np.full((count, n), np.nan)
    multipliers, D, rest = np.full((count, m), np.nan), np.zeros((count, m, n)), np.zeros((count, m))
    rank, dependent = np.zeros(count), []
    findings: dict[Diagnostic, None] = {}
    most = largest_ranks(states)
    for s, state in enumerate(states):
        numbers = linkage.numbers(state)
        linkage.require_closed(numbers, None)
        C, S = numbers.C, numbers.S
        D[s] = (np.linalg.solve(S, C.T).T * linkage.sense)[:, order]
        rest[s] = numbers.drift
        left, sizes, right = np.linalg.svd(C, full_matrices=False)
        nothing = least(sizes, SINGULAR * reach(numbers), most[s][0])
        kept = sizes > nothing
        left, across = left[:, kept], sizes[kept, None] * right[kept]
        rank[s] = kept.sum()
        shared = np.linalg.norm(left, axis=1) ** 2 < 1 - SINGULAR  # forces that are not unique
        dependent.append(
            tuple(row for i, row in enumerate(rows) if _rank(C[: i + 1], nothing) == _rank(C[:i], nothing))
        )
        solution = solve_scaled(numbers, across, left.T @ rest[s])
        if solution is None:
            findings[SINGULAR_EQUATIONS] = None
            continue
        epsilon, F = solution
        acceleration[s] = (S.T @ epsilon * linkage.sense)[order]
        reactions[s] = (np.linalg.solve(S, across.T @ F) * linkage.sense)[order]
        multipliers[s] = np.where(shared, np.nan, left @ F)
    return ConstrainedMotion(
        open_tree, rows, acceleration, multipliers, reactions, D, rest, rank, tuple(dependent), tuple(findings)
    )


def relative_motion(system: System, open_tree: Evaluation, states: Sequence[State]) -> ConstrainedMotion:
    """Compute the motion of a linkage with sliding joints, in the coordinates of the model.

    Raises
    ------
    NumbersError
        A position or a velocity breaks a loop.
    """
    linkage = RelativeLinkage(system)
    D, rest = linkage.require_closed(states)
    count, m, n = D.shape
    q = open_tree.quantities
    force = q["gravity"] + q["applied"] - q["h"]
    acceleration, reactions = np.full((count, n), np.nan), np.full((count, n), np.nan)
    multipliers, rank = np.full((count, m), np.nan), np.zeros(count)
    most = [own for own, _ in largest_ranks(states)]
    redundant = tuple(tuple(linkage.rows[i] for i in dependent(own, r)) for own, r in zip(D, most, strict=True))
    findings: dict[Diagnostic, None] = {}
    for s in range(count):
        found = relative(q["M"][s], force[s], D[s], rest[s], most[s])
        if found is None:
            rank[s] = m - len(redundant[s])
            findings[SINGULAR_EQUATIONS] = None
            continue
        acceleration[s], reactions[s] = found.acceleration, found.reactions
        multipliers[s], rank[s] = found.multipliers, found.rank
    return ConstrainedMotion(
        open_tree, linkage.rows, acceleration, multipliers, reactions, D, rest, rank, redundant, tuple(findings)
    )


def _rank(C: Array, nothing: float) -> int:
    return int((np.linalg.svd(C, compute_uv=False) > nothing).sum()) if len(C) else 0


def solve_scaled(n: Parts[Array], C: Array, drift: Array) -> tuple[Array, Array] | None:
    """Solve [[H, -Cᵀ], [C, 0]] [ε; F] = [S E - h ω² + G + MΔ; -C' ω] for ε and F, C of full rank; None if singular.

    Rows and columns are scaled by √H_kk and the lengths of C's rows, so that the choice of units does not decide what
    counts as small; where H_kk is zero up to rounding, the scale is 1.
    """
    diagonal = np.diag(n.H)
    heavy = diagonal > len(diagonal) * np.finfo(float).eps * diagonal.max(initial=0.0)
    units = 1 / np.sqrt(np.where(heavy, diagonal, 1.0))
    lengths = 1 / np.linalg.norm(C * units, axis=1)
    scale = np.concatenate([units, lengths])
    matrix = np.block([[n.H, -C.T], [C, np.zeros((len(C), len(C)))]]) * np.outer(scale, scale)
    right = np.concatenate([n.S @ n.efforts - n.h @ n.square + n.G + n.M_difference, -drift]) * scale
    if np.linalg.cond(matrix) > 1 / np.finfo(float).eps:
        return None
    solution = np.linalg.solve(matrix, right) * scale
    return solution[: len(units)], solution[len(units) :]
