"""Meanings of verdicts, in the same words for every form of report: those of docs/conventions.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.exactness import Exactness, together

# What is proved without tolerance, in words: the column of tables, and the sentence above them.


#: What is claimed of equations that are identical.
PROVED = "identical for all states and parameters"


NOTHING = "-"
#: The column, where something was asked.
COLUMN = "proof"


def columns(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Drop the proof column from a table if no proof was attempted."""
    at, body = headers.index(COLUMN), list(rows)
    keep = [i for i in range(len(headers)) if i != at or any(row[at] != NOTHING for row in body)]
    table = [tuple(row[i] for i in keep) for row in (headers, *body)]
    return table[0], table[1:]


def kind(comparisons: Iterable[Comparison]) -> str:
    """Return the worst kind of some comparisons: a cell of a table."""
    found = together([c.exact for c in comparisons if c.exact is not None])
    return found.kind if found else NOTHING


def describe_proof(comparisons: Sequence[Comparison]) -> list[str]:
    """Write the sentence on proofs, a line for every other kind and its reason; empty without proofs."""
    by_quantity: dict[str, list[Exactness]] = {}
    for c in comparisons:
        if c.exact is not None:
            by_quantity.setdefault(c.quantity, []).append(c.exact)
    worst = {name: found for name, own in by_quantity.items() if (found := together(own))}
    identical = {name: x for name, x in worst.items() if x.kind == "identical"}
    alone = len(worst) == 1 and any(c.exact is None and not c.claim for c in comparisons)
    lines = []
    for scope in dict.fromkeys(x.scope for x in identical.values()):
        own = {name: x for name, x in identical.items() if x.scope == scope}
        whole = together(list(own.values()))
        which = "" if len(own) == len(worst) and not alone else f": {', '.join(own)}"
        error = f" (error < {whole.error})" if whole and whole.error != "0" else ""
        lines.append(f"{f'identical {scope}' if scope else PROVED}{error}{which}")
    others = [(name, x) for name, x in worst.items() if name not in identical]
    for said, group in groupby(others, lambda pair: (pair[1].kind, pair[1].reason)):
        names = ", ".join(f"{name}{x.where}" for name, x in group)
        word, reason = said
        lines.append(
            f"{word} ({reason})" if word == "not tried" else f"{word}: {': '.join(filter(None, (names, reason)))}"
        )
    return lines


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
    ("undecided", "that could not be proved, nor its contrary, for the reason shown; floats decide."),
    (
        "agrees",
        "in every entry, at every state, the witnesses differ by no more than the arithmetic of floats explains: by no "
        "more than the sum of their running error bounds, which is the tolerance shown, and every claim holds.",
    ),
    ("disagrees", "some entry differs by more than that. It is never excused as ill-conditioned."),
    (
        "not checked",
        "fewer than two independent witnesses deliver the quantity, or the bounds leave no digit of some entry.",
    ),
    ("zero", "both sides are zero in every entry at every state."),
    (
        "sensitivity",
        "the smallest relative error in an entry that this comparison would have caught (median over the entries that "
        "are not zero to rounding).",
    ),
)
#: Whose tolerance is another.
WITHOUT_BOUNDS = (
    "Claims and formalisms' own solutions are compared with numbers that have no bounds: there the tolerance is "
    "k·ε·cond, relative to what the entry is made of."
)


def verdict_words(c: Comparison) -> str:
    """Describe the verdict on a comparison: ``agrees, zero``."""
    return f"{c.verdict}, zero" if c.zero and c.verdict == "agrees" else c.verdict
