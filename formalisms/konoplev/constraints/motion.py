"""Motion of a constrained system, (4.7), (4.8): accelerations, multipliers and reactions at states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mbconcord.model.diagnostics import Diagnostic, Severity, error
from mbconcord.model.evaluation import Array, ConstrainedMotion, Evaluation, ReactionsFromBodies
from mbconcord.model.expressions import rate
from mbconcord.model.mixed import FREE, describe_fixed
from mbconcord.model.numbers import ANY_RANK, largest_ranks
from mbconcord.model.state import State

from ..aggregates import Aggregates, project_wrenches
from ..canonical import arrays, canonical_arrays
from ..diagnose import indefinite_medium, singular_angles
from .cut import Row
from .rows import constraint_rows

#: A row whose part beyond the chosen ones is smaller, relative to itself, depends on them.
DEPENDENT = 1e-9
#: Of rows that have at least this share of the largest part beyond those that are chosen, the first is chosen next.
SHARE = 0.1
#: A row smaller than this part of the largest entry of D (of 1, where all are smaller) is rounding: it is zero.
ROUNDING = 1e-12
#: Violations beyond this part of what they are made of are reported.
VIOLATED = 1e-8
SINGULAR_EQUATIONS = error(
    "constraints",
    "the equations are singular: a motion that the constraints admit has no inertia",
    "give the bodies it moves a mass or an inertia, or choose another state",
)


def constrained_motion(name: str, system: Aggregates, states: Sequence[State]) -> ConstrainedMotion:
    """Solve for accelerations, multipliers and reactions; ``system`` has arrays over the states as scalars."""
    rows, names, count = constraint_rows(system), system.mechanism.system.coordinate_names, len(states)
    found = canonical_arrays(system, count)
    D = arrays(tuple(tuple(row.D.get(name, 0) for name in names) for row in rows), count)
    D = D.reshape(count, len(rows), len(names))
    rest = arrays(tuple(row.rest for row in rows), count).reshape(count, len(rows))
    force = found["gravity"] + found["applied"] - found["h"]
    acceleration, multipliers = np.full_like(force, np.nan), np.full_like(rest, np.nan)
    solved = np.full_like(rest, np.nan)
    reactions, rank = np.full_like(force, np.nan), np.zeros(count)
    dependent: list[tuple[str, ...]] = []
    findings = dict.fromkeys((*singular_angles(system, states), *indefinite_medium(system, found["M"])))
    scale, most = scales(rows, names, D), largest_ranks(states)
    sound_D = without_rounding(D * scale[:, :, None])
    for s, sound in enumerate(sound_D):
        chosen = independent(sound, sum(bool(row.drive) for row in rows), most[s])
        rank[s] = len(chosen)
        dependent.append(tuple(row.name for i, row in enumerate(rows) if i not in chosen))
        findings |= dict.fromkeys(redundant(rows, sound, chosen))
        kept = sound[chosen]
        n, m = len(names), len(chosen)
        left = np.block([[found["M"][s], -kept.T], [kept, np.zeros((m, m))]])
        right = np.concatenate([force[s], -(rest[s] * scale[s])[chosen]])
        try:
            solution = np.linalg.solve(left, right)
        except np.linalg.LinAlgError:
            findings[SINGULAR_EQUATIONS] = None
            continue
        acceleration[s], reactions[s] = solution[:n], kept.T @ solution[n:]
        solved[s] = 0
        solved[s][chosen] = solution[n:] * scale[s][chosen]
        unique = find_unique_multipliers(sound, chosen)
        multipliers[s] = np.where(unique, solved[s], np.nan)
    second = from_bodies(system, rows, sound_D, solved, most)
    return ConstrainedMotion(
        Evaluation(name, found),
        tuple(row.name for row in rows),
        acceleration,
        multipliers,
        reactions,
        D,
        rest,
        rank,
        tuple(dependent),
        (*findings, *violations(system, rows, D, scale, count), *unequal(second, D, solved)),
        second,
    )


def from_bodies(
    system: Aggregates, rows: Sequence[Row], D: Array, multipliers: Array, most: Sequence[tuple[int, int]]
) -> ReactionsFromBodies | None:
    """Compare S_R R of the rows of touching bodies with Dᵀ λ of those rows, (4.7); None without such rows.

    Any multipliers that solve the equations will do. S_R R is unique even if they are not, unless rows of bodies
    depend on other rows: then S_R R is NaN.
    """
    touching = [i for i, row in enumerate(rows) if row.reactions]
    if not touching:
        return None
    values = generalized_reactions(system, rows, multipliers)
    others = [i for i in range(len(rows)) if i not in touching]
    for s, each in enumerate(D):
        if min(len(independent(each)), most[s][1]) < len(independent(each[touching])) + len(independent(each[others])):
            values[s] = np.nan
    expected = np.einsum("smn,sm->sn", D[:, touching], multipliers[:, touching])
    residual = np.abs(values - expected).max(axis=1, initial=0)
    return ReactionsFromBodies(tuple(rows[i].name for i in touching), values, residual)


def generalized_reactions(system: Aggregates, rows: Sequence[Row], multipliers: Array) -> Array:
    """Compute S_R R (N, n) of the wrenches R of rows of touching bodies; equals Dᵀ λ of those rows, (4.7)."""
    names = system.mechanism.system.coordinate_names
    wrenches = (
        (system.origin[number], tuple(x * multipliers[:, i] for x in wrench))
        for i, row in enumerate(rows)
        for number, wrench in row.reactions.items()
    )
    by_name = {d.coordinate: value for d, value in project_wrenches(wrenches).items()}
    return arrays(tuple(by_name.get(name, 0) for name in names), len(multipliers))


def unequal(found: ReactionsFromBodies | None, D: Array, multipliers: Array) -> Iterator[Diagnostic]:
    """Report S_R R that differs from Dᵀ λ beyond rounding: the reactions cannot be trusted."""
    if found is None:
        return
    sizes = np.einsum("smn,sm->sn", np.abs(D), np.abs(multipliers)).max(axis=1, initial=0)
    if (found.residual > VIOLATED * sizes).any():
        message = f"S_R R of the reactions on the bodies differs from D^T lambda by {np.nanmax(found.residual):.3g}"
        yield error("constraints", message, "the rows are nearly dependent here: choose another state")


def scales(rows: Sequence[Row], names: Sequence[str], D: Array) -> Array:
    """Compute scales (N, m), powers of two, that bring the largest element of rows of formulas to about 1.

    Only elements above :data:`DEPENDENT` times the sum of their terms count. If a row has none, its scale makes all its
    elements smaller than :data:`ROUNDING`. Rows of touching bodies and of drives have scale 1. ``D`` is (N, m, n).
    """
    found = np.ones(D.shape[:2])
    for i, row in enumerate(rows):
        if row.sums:
            sums = arrays(tuple(row.sums.get(name, 0) for name in names), len(D))
            elements = np.abs(D[:, i])
            counts = np.where(elements > DEPENDENT * sums, elements, 0).max(axis=1)
            sizes = np.where(counts > 0, counts, sums.max(axis=1) * (4 * DEPENDENT / ROUNDING))
            usual = (sizes > 0) & np.isfinite(sizes)
            found[:, i] = np.exp2(-np.floor(np.log2(sizes, where=usual, out=np.zeros(len(D)))))
    return found


def without_rounding(D: Array) -> Array:
    """Set rows of D (N, m, n) that are pure rounding to exact zeros: they belong to motions that no coordinate has."""
    entries = np.abs(D)
    limit = ROUNDING * np.maximum(entries.max(axis=(1, 2), initial=0, keepdims=True), 1)
    return np.where(entries.max(axis=2, initial=0, keepdims=True) > limit, D, 0)


def independent(D: Array, drives: int = 0, most: tuple[int, int] = ANY_RANK) -> list[int]:
    """List the numbers of independent rows, as many as the rank.

    Rows of drives, which come last, are chosen after those of constraints. Among nearly dependent rows the least
    dependent are chosen, since the digits that rows share are lost in accelerations (a short row, a difference of long
    ones, has lost them already). ``most`` are the largest possible ranks without and with rows of drives.
    """
    least = np.maximum(DEPENDENT * np.linalg.norm(D, axis=1), ROUNDING * np.fmax.reduce(np.abs(D), None, initial=0))
    rest, chosen = D, list[int]()
    for end, rank in zip((len(D) - drives, len(D)), most, strict=True):
        while len(chosen) < rank and (beyond := (left := np.linalg.norm(rest[:end], axis=1)) > least[:end]).any():
            number = int(np.argmax(beyond & (left >= SHARE * left[beyond].max())))
            direction = rest[number] / left[number]
            for _ in range(2):
                rest = rest - np.outer(rest @ direction, direction)
            chosen.append(number)
    return sorted(chosen)


def find_unique_multipliers(D: Array, chosen: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of rows with a unique multiplier: the chosen rows of which no other row is a combination."""
    sizes = np.linalg.norm(D, axis=1, keepdims=True)
    rows = D / np.where(sizes > 0, sizes, 1)
    others = [i for i in range(len(D)) if i not in chosen]
    shares = np.linalg.lstsq(rows[chosen].T, rows[others].T, rcond=None)[0]
    unique = np.zeros(len(D), dtype=np.bool_)
    unique[list(chosen)] = np.abs(shares).max(axis=1, initial=0) <= DEPENDENT
    return unique


def redundant(rows: Sequence[Row], D: Array, chosen: Sequence[int]) -> Iterator[Diagnostic]:
    """Report each row of D (m, n) that depends on the chosen ones, with the rank."""
    rank = f"the rank is {len(chosen)} of {len(rows)} rows"
    for i, row in enumerate(rows):
        if i in chosen:
            continue
        if row.drive:
            yield finding("error", row, describe_fixed(row.drive), FREE)
            continue
        if D[i].any():
            why = f"row {row.name} depends on other rows: {rank}, and not every multiplier is unique"
            remedy = "leave it out, or cut the loop elsewhere"
        else:
            why = f"row {row.name} is zero, no coordinate moves along it: {rank}, and its multiplier is not determined"
            remedy = "leave it out: it constrains nothing here"
        yield finding("warning", row, why, remedy)


def violations(system: Aggregates, rows: Sequence[Row], D: Array, scale: Array, count: int) -> Iterator[Diagnostic]:
    """Report constraints that the coordinates or rates of a state violate."""
    names = system.mechanism.system.coordinate_names
    rates = arrays(tuple(system.arithmetic.to_scalar(rate(name)) for name in names), count)
    moving = np.abs(D * rates[:, None, :]).sum(axis=2) * scale
    for i, row in enumerate(rows):
        if row.violation is not None:
            gaps = np.abs(arrays(row.violation, count))
            if (gaps.reshape(-1) * scale[:, i] > VIOLATED).any():
                worst = float(gaps.max(initial=0))
                message = f"the coordinates violate {row.name} by {worst:.6g}; expected 0"
                yield finding("error", row, message, "give coordinates at which the loop closes")
        speed = np.abs(arrays(row.speed, count))
        if (speed * scale[:, i] > VIOLATED * (1 + moving[:, i])).any():
            message = f"the velocities violate {row.name}: D q' + gamma = {speed.max():.6g}; expected 0"
            yield finding("error", row, message, "give rates that the constraint admits")


def finding(severity: Severity, row: Row, message: str, remedy: str) -> Diagnostic:
    """Make a diagnostic about a constraint."""
    return Diagnostic(severity, row.place, message, remedy)
