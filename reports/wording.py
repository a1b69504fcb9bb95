"""What verdicts mean, in the words of every form of a report: those of docs/conventions.md."""

from __future__ import annotations

from mbconcord.validation.judge.evidence import Comparison

#: How the numbers come about.
COMPARED = (
    "Each model is derived by several independent formalisms, which share nothing but the model and the expression "
    "graph; their numbers are compared at random states."
)
#: (word, what it means), in the order in which they are explained.
MEANINGS = (
    (
        "identical",
        "the equations are proved to be the same functions, for all states and all values of the parameters that have "
        "a name: they are equal at random points of large prime fields, where different ones are equal with no more "
        "than the chance shown.",
    ),
    (
        "undecided",
        "that could not be proved, nor its contrary, for the reason shown; floats decide.",
    ),
    (
        "agrees",
        "in every entry, at every state, the witnesses differ by no more than the arithmetic of floats explains: by no "
        "more than the sum of their running error bounds, which is the tolerance shown, and every claim holds.",
    ),
    (
        "disagrees",
        "some entry differs by more than that. It is never excused as ill-conditioned.",
    ),
    (
        "not checked",
        "fewer than two independent witnesses deliver the quantity, or the bounds leave no digit of some entry.",
    ),
    (
        "zero",
        "both sides are zero in every entry at every state.",
    ),
    (
        "noticed from",
        "the relative change of an entry that would have been a disagreement, in the median over the entries that are "
        "not zero to rounding.",
    ),
)
#: Whose tolerance is another.
WITHOUT_BOUNDS = (
    "Claims and formalisms' own solutions are compared with numbers that have no bounds: there the tolerance is "
    "k·ε·cond, relative to what the entry is made of."
)


def verdict_words(c: Comparison) -> str:
    """The verdict on a comparison: ``agrees, zero``."""
    return f"{c.verdict}, zero" if c.zero and c.verdict == "agrees" else c.verdict
