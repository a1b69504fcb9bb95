"""What is proved without tolerance, in words: the column of tables, and the sentence above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from mbconcord.validation.judge.evidence import Comparison
from mbconcord.validation.judge.exactness import Exactness, together

#: What is claimed of equations that are identical.
PROVED = "identical for all states and parameters"


def kind(comparisons: Iterable[Comparison]) -> str:
    """The worst kind of some comparisons: a cell of a table."""
    found = together([c.exact for c in comparisons if c.exact is not None])
    return found.kind if found else "-"


def proved(comparisons: Sequence[Comparison]) -> list[str]:
    """The sentence on what is proved, a line for every other kind and its reason; nothing where none was asked."""
    by_quantity: dict[str, list[Exactness]] = {}
    for c in comparisons:
        if c.exact is not None:
            by_quantity.setdefault(c.quantity, []).append(c.exact)
    worst = {name: found for name, own in by_quantity.items() if (found := together(own))}
    identical = {name: x for name, x in worst.items() if x.kind == "identical"}
    lines = []
    if identical:
        whole = together(list(identical.values()))
        which = "" if len(identical) == len(worst) else f": {', '.join(identical)}"
        error = f" (error < {whole.error})" if whole and whole.error != "0" else ""
        lines.append(f"{PROVED}{error}{which}")
    others = [(name, x) for name, x in worst.items() if name not in identical]
    for said, group in groupby(others, lambda pair: (pair[1].kind, pair[1].reason)):
        names = ", ".join(f"{name}{x.where}" for name, x in group)
        word, reason = said
        lines.append(
            f"{word} ({reason})"
            if word == "not tried"
            else f"{word}: {': '.join(filter(None, (names, reason)))}"
        )
    return lines
