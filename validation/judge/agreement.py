"""Agreement of the witnesses of a trial: all pairs, quantity by quantity, disagreements as the referee sees them."""

from __future__ import annotations

from collections.abc import Sequence

from mbconcord.model.mixed import asked

from .comparison import compare_evaluations
from .evidence import Comparison
from .referee import review
from .trial import Trial


def judged(made: Trial, quantities: Sequence[str] | None = None) -> tuple[Comparison, ...]:
    """All comparisons of a trial, disagreements as the referee sees them; None: every quantity of the model."""
    return tuple(refereed(made, c) if c.verdict == "disagrees" else c for c in compare(made, quantities))


def refereed(made: Trial, comparison: Comparison) -> Comparison:
    """The disagreement as the referee sees it."""
    return review(made.derivations, comparison)


def compare(made: Trial, quantities: Sequence[str] | None = None) -> list[Comparison]:
    """All pairs of a trial, quantity by quantity, and what failed; before the referee has looked at them.

    None: every quantity that the model has.
    """
    found = made.failures()
    for a, b in made.pairs:
        found += compare_evaluations(a, b, made.scales, made.states, made.names)
    return found + unwitnessed(made, asked(made.system) if quantities is None else quantities)


def unwitnessed(made: Trial, quantities: Sequence[str]) -> list[Comparison]:
    """Quantities with fewer than two independent witnesses: not checked, whatever the one says."""
    found = []
    for quantity in quantities:
        who = [name for name, e in made.evaluations.items() if quantity in e.quantities]
        if len(who) < 2:
            reason = f"only {who[0]} delivers it" if who else "no formalism delivers it"
            found.append(
                Comparison(
                    who[0] if who else "",
                    "",
                    quantity,
                    "not checked",
                    explanation=f"{reason}; two are needed",
                )
            )
    return found
