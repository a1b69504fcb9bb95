"""Agreement of motions with constraints: accelerations, reactions and rank, by bounds where they have any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mbconcord.model.state import State

from ..judge.closed_bounds import BoundedMotion
from ..judge.comparison import Difference, worst
from ..judge.evidence import Comparison, Verdict
from ..judge.motion import Array
from ..judge.tolerances import constrained_tolerance
from .measure import Measure, broken
from .witness import Motion

ACCELERATION, REACTIONS, RANK = "constrained acceleration", "reactions", "rank"
#: What is compared of a motion with constraints, in the order in which it is shown.
CONSTRAINED = (ACCELERATION, REACTIONS, RANK)
#: What the comparison of a formalism's own solution with that of its equations is called, and the other side of it.
OWN, EQUATIONS = "own solution", "its equations"


def compare_motions(
    a: tuple[str, Motion], b: tuple[str, Motion], measure: Measure, states: Sequence[State], names: Sequence[str]
) -> list[Comparison]:  # fmt: skip
    """Accelerations, reactions and rank of two witnesses."""
    (who, x), (other, y) = a, b
    found = []
    for quantity, part, unit in (
        (ACCELERATION, "acceleration", measure.units),
        (REACTIONS, "reactions", 1 / measure.units),
    ):
        difference = _difference(x, y, part, unit, measure)
        found.append(worst(who, other, quantity, difference, states, names, _why(measure, x, y)))
    return [*found, compare_ranks(who, other, x, y, measure, states)]


def _difference(x: Motion, y: Motion, part: str, unit: Array, measure: Measure) -> Difference:
    """The numbers by two witnesses; a side without bounds is allowed the tolerance of scale.

    Where the bounds decide nothing it does not matter which of the two has a number. Rows that are the same to rounding
    and want different accelerations give none, unless the position is singular.
    """
    torn = [_torn(motion, measure)[:, None] for motion in (x, y)]
    p, q = (
        np.where(no, np.nan, getattr(motion.solution, part) * unit)
        for motion, no in zip((x, y), torn, strict=True)
    )
    bounds = [getattr(motion.bounds, part).bounds * unit for motion in (x, y) if motion.bounds]
    nothing = (x.silent | y.silent)[:, None] & ~(torn[0] | torn[1] | (np.isfinite(p) & np.isfinite(q)))
    p, q = np.where(nothing, np.nan, p), np.where(nothing, np.nan, q)
    known = len(bounds) == 2
    tolerance = np.zeros(len(p)) if known else _tolerance(measure)
    return Difference(
        p, q, _scale(measure, p, q), tolerance, measure.cond, unit, sum(bounds, np.zeros_like(p))
    )


def own_solution(
    who: str, motion: Motion, bounds: BoundedMotion, measure: Measure, states: Sequence[State], names: Sequence[str]
) -> Comparison:  # fmt: skip
    """A formalism's own solution beside that of its equations, which has bounds.

    Nothing is asked of it where it says that the equations are singular, or where validation's kinematics have doubts
    about the rank: there it leaves out rows by a threshold.
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
    difference = Difference(p, q, scale, _tolerance(measure), measure.cond, unit, bound)
    return worst(who, EQUATIONS, OWN, difference, states, labels, _why(measure, motion))


def _torn(motion: Motion, measure: Measure) -> Array:
    """At which states (N,) the rows of a witness contradict each other."""
    return motion.bounds.torn & measure.regular if motion.bounds else np.zeros_like(measure.regular)


def _tolerance(measure: Measure) -> Array:
    return np.array([constrained_tolerance(c) for c in measure.cond])


def _scale(measure: Measure, p: Array, q: Array) -> Array:
    size = np.fmax(np.abs(p).max(axis=1, initial=0.0), np.abs(q).max(axis=1, initial=0.0))
    return np.broadcast_to(np.fmax(size, measure.scale)[:, None], p.shape)


def _why(measure: Measure, *motions: Motion) -> str:
    errors = [d.message for m in motions for d in m.own.diagnostics if d.severity == "error"]
    errors += [
        f"rows of {m.own.tree.formalism} that depend on each other want different accelerations"
        for m in motions
        if _torn(m, measure).any()
    ]
    return "; ".join(dict.fromkeys(errors))


def review(
    motions: Mapping[str, Motion], measure: Measure, states: Sequence[State], c: Comparison
) -> Comparison:
    """A disagreement with what validation's own M, D and γ̃ say of both sides at its state.

    Beyond the bounds of both sides it stays one. Where a side has no bounds and both satisfy the equations to rounding
    the numbers differ by their conditioning only: ``not checked``.
    """
    if c.verdict != "disagrees" or c.values is None or c.quantity == RANK:
        return c
    s = next(i for i, state in enumerate(states) if state is c.state)
    if c.quantity == OWN:
        return replace(c, explanation=_joined(c, broken(motions[c.a].own, measure, s)))
    said = [line for name in (c.a, c.b) for line in broken(motions[name].solution, measure, s)]
    if said:
        return replace(c, explanation=_joined(c, said))
    if all(motions[name].bounds for name in (c.a, c.b)):
        text = "both satisfy validation's own equations to their digits; the difference is beyond rounding"
        return replace(c, explanation=_joined(c, [text]))
    text = "ill-conditioned: both satisfy M q'' + h = Q + D^T lambda and the constraints to rounding"
    return replace(c, verdict="not checked", explanation=_joined(c, [text]))


def _joined(c: Comparison, lines: Iterable[str]) -> str:
    return ". ".join(filter(None, (c.explanation, "; ".join(lines))))


def compare_ranks(
    a: str, b: str, x: Motion, y: Motion, measure: Measure, states: Sequence[State]
) -> Comparison:
    """The rank by two witnesses and by validation itself, where it is not in doubt.

    Bounds prove it too: where both witnesses have them it is compared even where a threshold is in doubt. Elsewhere a
    row as small as the gap of a constraint that no state closes is none, although bounds tell it from zero.
    """
    proven = np.ones_like(measure.clear)
    for motion in (x, y):
        proven &= motion.bounds.clear if motion.bounds else False
    decided = np.flatnonzero(measure.clear | proven)
    if not decided.size:
        return Comparison(
            a, b, RANK, "not checked", explanation="every state is close to a singular position"
        )
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
