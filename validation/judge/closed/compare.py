"""Agreement of constrained motions: accelerations, reactions and rank, within bounds if available."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from mbconcord.model.evaluation import ConstrainedMotion
from mbconcord.model.state import State
from mbconcord.model.system import System
from mbconcord.records import dataclass, replace
from mbconcord.simulation.assembly import Assembly

from ..comparison import ArrayDifference, worst
from ..evidence import ACCELERATION, EQUATIONS, OWN, RANK, REACTIONS, Comparison, Verdict
from ..kinematics import TreeKinematics
from ..motion import Array
from ..scale import Scales, mass_matrix, scales
from ..solutions import BoundedMotion
from ..tolerances import CLEAR, SINGULAR, constrained_tolerance, evaluation_tolerance
from .motion import SolvedMotion
from .rows import Rows, constraint_rows, measure_lengths


@dataclass(frozen=True)
class Measure:
    """Scales for judging motions with constraints at N states of n coordinates.

    Attributes
    ----------
    units (N, n) : √M_ii, as for accelerations of an open tree; 1 where the tree has no inertia
    scale (N,) : largest force in these units, or acceleration that the constraints alone cause
    cond (N,) : condition number of the equations for q'' and λ with both in these units, rows independent
    rank (N,) : rank of D
    clear (N,) : True if no singular value of D is in doubt
    mass (N, n, n), D (N, m, n), rest (N, m) : M, D and γ̃ in these units, by validation's own kinematics
    regular (N,) : True if the rank is clear and equal to that of the states around
    """

    units: Array
    scale: Array
    cond: Array
    rank: Array
    clear: Array
    mass: Array
    D: Array
    rest: Array
    regular: Array

    def only_where(self, certain: Array) -> Measure:
        """Leave out the states that are not ``certain`` (N,), as at a singular position."""
        clear, regular = self.clear & certain, self.regular & certain
        return replace(self, clear=clear, regular=regular, cond=np.where(certain, self.cond, np.inf))


def measure_closed(system: System, assembly: Assembly) -> Measure:
    """Compute the scales for judging motions at assembled states, by validation's own kinematics."""
    k = TreeKinematics(system.open_loops(), assembly.states)
    return measured_at(system, assembly, k, scales(k))


def measured_at(system: System, assembly: Assembly, k: TreeKinematics, tree: Scales) -> Measure:
    """Compute the scales from given kinematics ``k`` and scales ``tree`` of the open tree at the assembled states."""
    units = np.where(tree.roots > 0, tree.roots, 1.0)
    mass = mass_matrix(k) / (units[:, :, None] * units[:, None, :])
    forces = sum((tree.rows[name] for name in ("h", "gravity", "applied")), np.zeros_like(units)) / units
    rows = constraint_rows(system, assembly.extended)
    D, rest, forced = generalize_rows(rows, units)
    certain = rows.certain  # a rod without length has no direction
    known = certain & (
        units.max(axis=1, initial=1.0) * SINGULAR < units.min(axis=1, initial=1.0)
    )  # units hide coordinates
    cond, rank, clear = np.zeros(k.count), np.zeros(k.count), np.zeros(k.count, dtype=bool)
    for s in range(k.count):
        _, sizes, right = np.linalg.svd(D[s], full_matrices=False)
        kept = sizes > SINGULAR
        rank[s] = kept.sum()
        clear[s] = bool(((sizes < SINGULAR / CLEAR) | (sizes > SINGULAR * CLEAR)).all() and known[s])
        across = sizes[kept, None] * right[kept]
        whole = np.block([[mass[s], -across.T], [across, np.zeros((len(across), len(across)))]])
        finite = certain[s] and np.isfinite(whole).all()
        cond[s] = (np.linalg.cond(whole) if whole.size else 1.0) if finite else np.inf
    size = np.fmax(forces.max(axis=1, initial=0.0), forced)
    return Measure(units, size, cond, rank, clear, mass, D, rest, clear & assembly.regular)


def generalize_rows(rows: Rows, units: Array) -> tuple[Array, Array, Array]:
    """Compute D (N, m, n) and γ̃ (N, m), with coordinates and rows in units of their terms, and the size of γ̃ (N,).

    Auxiliary coordinates of cut joints are projected out: the remaining rows do not depend on them.
    """
    n = units.shape[1]
    own, auxiliary = rows.D[:, :, :n], rows.D[:, :, n:]
    free = np.eye(rows.D.shape[1]) - auxiliary @ np.linalg.pinv(auxiliary, rcond=SINGULAR)
    lever = rows.lever[:, :, :n]
    reach = np.fmax(np.abs(free) @ lever, lever) / units[:, None, :]
    length = measure_lengths(reach)
    D = free @ own / units[:, None, :] / length[:, :, None]
    rest = np.einsum("sij,sj->si", free, rows.rest) / length
    forced = np.einsum("sij,sj->si", np.abs(free), rows.shaking) / length
    return D, rest, forced.max(axis=1, initial=0.0)


def find_broken_equations(motion: ConstrainedMotion, measure: Measure, s: int) -> list[str]:
    """List the equations, with validation's own M, D and γ̃, that a motion violates at state number s."""
    name, units = motion.tree.formalism, measure.units[s]
    q = {key: value[s] for key, value in motion.tree.quantities.items()}
    x, reactions = motion.acceleration[s] * units, motion.reactions[s] / units
    inertia = measure.mass[s] @ x
    balance = inertia + (q["h"] - q["gravity"] - q["applied"]) / units - reactions
    _, sizes, right = np.linalg.svd(measure.D[s])
    admitted = right[int((sizes > SINGULAR).sum()) :]
    size = max(measure.scale[s], *np.abs([x, reactions, inertia]).max(axis=1, initial=0.0))
    return [
        f"{name}'s {what}, by {gap:.2g} of its scale"
        for what, rows in (
            ("accelerations break the constraints", measure.D[s] @ x + measure.rest[s]),
            ("reactions do work on motions that the constraints admit", admitted @ reactions),
            ("equations of motion are not balanced", balance),
        )
        if (gap := float(np.abs(rows).max(initial=0.0)) / size) > evaluation_tolerance()
    ]


def compare_motions(
    a: tuple[str, SolvedMotion], b: tuple[str, SolvedMotion], measure: Measure, states: Sequence[State],
    names: Sequence[str],
) -> list[Comparison]:  # fmt: skip
    """Compare accelerations, reactions and rank of two witnesses."""
    (who, x), (other, y) = a, b
    found = []
    for quantity, part, unit in (
        (ACCELERATION, "acceleration", measure.units),
        (REACTIONS, "reactions", 1 / measure.units),
    ):
        difference = _difference(x, y, part, unit, measure)
        found.append(worst(who, other, quantity, difference, states, names, _why(measure, x, y)))
    return [*found, compare_ranks(who, other, x, y, measure, states)]


def _difference(x: SolvedMotion, y: SolvedMotion, part: str, unit: Array, measure: Measure) -> ArrayDifference:
    """Return both witnesses' numbers with their bounds; a side without bounds is allowed the tolerance of scale.

    Numbers become NaN, and are not compared, where a bound is infinite and one side has no number, where rows equal up
    to rounding require different accelerations at a regular position, and where a row may vanish.
    """
    torn = [(_torn(motion, measure) | ~np.isfinite(measure.cond))[:, None] for motion in (x, y)]
    p, q = (
        np.where(no, np.nan, getattr(motion.solution, part) * unit) for motion, no in zip((x, y), torn, strict=True)
    )
    bounds = [getattr(motion.bounds, part).bounds * unit for motion in (x, y) if motion.bounds]
    nothing = (x.silent | y.silent)[:, None] & ~(torn[0] | torn[1] | (np.isfinite(p) & np.isfinite(q)))
    p, q = np.where(nothing, np.nan, p), np.where(nothing, np.nan, q)
    known = len(bounds) == 2
    tolerance = np.zeros(len(p)) if known else _tolerance(measure)
    return ArrayDifference(p, q, _scale(measure, p, q), tolerance, measure.cond, unit, sum(bounds, np.zeros_like(p)))


def own_solution(
    who: str, motion: SolvedMotion, bounds: BoundedMotion, measure: Measure, states: Sequence[State],
    names: Sequence[str],
) -> Comparison:  # fmt: skip
    """Compare a formalism's own solution with that of its equations, which has bounds.

    It is not judged where it reports singular equations, or where validation's kinematics doubt the rank: there it
    drops rows by a threshold.
    """
    own, solved, units = motion.own, motion.solution, measure.units
    p, q, bound = (
        np.concatenate([a * units, r / units], axis=1)
        for a, r in (
            (own.acceleration, own.reactions),
            (solved.acceleration, solved.reactions),
            (bounds.acceleration.bounds, bounds.reactions.bounds),
        )
    )
    nothing = np.isnan(p) | ~measure.clear[:, None]
    p, q = np.where(nothing, np.nan, p), np.where(nothing, np.nan, q)
    scale = np.concatenate(
        [_scale(measure, x, y) for x, y in zip(np.hsplit(p, 2), np.hsplit(q, 2), strict=True)], axis=1
    )
    unit = np.concatenate([units, 1 / units], axis=1)
    labels = [*(f"acceleration {name}" for name in names), *(f"reaction {name}" for name in names)]
    difference = ArrayDifference(p, q, scale, _tolerance(measure), measure.cond, unit, bound)
    return worst(who, EQUATIONS, OWN, difference, states, labels, _why(measure, motion))


def _torn(motion: SolvedMotion, measure: Measure) -> Array:
    """Select states (N,) at which the rows of a witness contradict each other."""
    return motion.bounds.torn & measure.regular if motion.bounds else np.zeros_like(measure.regular)


def _tolerance(measure: Measure) -> Array:
    return np.array([constrained_tolerance(c) for c in measure.cond])


def _scale(measure: Measure, p: Array, q: Array) -> Array:
    size = np.fmax(np.abs(p).max(axis=1, initial=0.0), np.abs(q).max(axis=1, initial=0.0))
    return np.broadcast_to(np.fmax(size, measure.scale)[:, None], p.shape)


def _why(measure: Measure, *motions: SolvedMotion) -> str:
    errors = [d.message for m in motions for d in m.own.diagnostics if d.severity == "error"]
    errors += [
        f"rows of {m.own.tree.formalism} that depend on each other want different accelerations"
        for m in motions
        if _torn(m, measure).any()
    ]
    return "; ".join(dict.fromkeys(errors))


def review(motions: Mapping[str, SolvedMotion], measure: Measure, states: Sequence[State], c: Comparison) -> Comparison:
    """Review a disagreement by validation's own M, D and γ̃ for both sides at its state.

    Beyond the bounds of both sides it remains. If a side has no bounds and both satisfy the equations up to rounding,
    the numbers differ only by their conditioning: ``not checked``.
    """
    if c.verdict != "disagrees" or c.values is None or c.quantity == RANK:
        return c
    s = next(i for i, state in enumerate(states) if state is c.state)
    if c.quantity == OWN:
        return replace(c, explanation=_join(c, find_broken_equations(motions[c.a].own, measure, s)))
    said = [line for name in (c.a, c.b) for line in find_broken_equations(motions[name].solution, measure, s)]
    if said:
        return replace(c, explanation=_join(c, said))
    if all(motions[name].bounds for name in (c.a, c.b)):
        text = "both satisfy validation's own equations to their digits; the difference is beyond rounding"
        return replace(c, explanation=_join(c, [text]))
    text = "ill-conditioned: both satisfy M q'' + h = Q + D^T lambda and the constraints to rounding"
    return replace(c, verdict="not checked", explanation=_join(c, [text]))


def _join(c: Comparison, lines: Iterable[str]) -> str:
    return ". ".join(filter(None, (c.explanation, "; ".join(lines))))


def compare_ranks(
    a: str, b: str, x: SolvedMotion, y: SolvedMotion, measure: Measure, states: Sequence[State]
) -> Comparison:
    """Compare the ranks of two witnesses with each other and with validation's own, where it is certain.

    Bounds prove a rank, too: if both witnesses have them, ranks are compared even if validation's own is in doubt.
    Where it is certain, the witness's own rank counts: there a row no larger than the constraint gap is none.
    """
    proven = np.ones_like(measure.clear)
    for motion in (x, y):
        proven &= motion.bounds.clear if motion.bounds else False
    decided = np.flatnonzero(measure.clear | (proven & np.isfinite(measure.cond)))
    if not decided.size:
        return Comparison(a, b, RANK, "not checked", explanation="every state is close to a singular position")
    first, second = (np.where(measure.clear, m.own.rank, m.solution.rank) for m in (x, y))
    wrong = (first != second) | (measure.clear & ((first != measure.rank) | (second != measure.rank)))
    s = int(decided[np.argmax(wrong[decided])])
    verdict: Verdict = "disagrees" if wrong[s] else "agrees"
    off = wrong[s] and measure.clear[s]
    own = f"validation's own kinematics give rank {measure.rank[s]:.0f}" if off else ""
    doubt = len(states) - decided.size
    near = f"{doubt} of {len(states)} states are close to singular positions" if doubt else ""
    return Comparison(
        a, b, RANK, verdict,
        discrepancy=float(abs(first[s] - second[s])), tolerance=0.0, scale=1.0, cond=1.0, state=states[s],
        values=(float(first[s]), float(second[s])), explanation="; ".join(filter(None, (own, near))),
    )  # fmt: skip
