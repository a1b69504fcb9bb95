"""What is proved without tolerance, in words: the column of tables, and the sentence above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from mbconcord.validation.exactness import Exactness, together
from mbconcord.validation.judge.evidence import Comparison

#: What is claimed of equations that are identical.
PROVED = "identical for all states and parameters"


NOTHING = "-"
#: The column, where something was asked.
COLUMN = "exact"


def columns(
    headers: Sequence[str], rows: Iterable[Sequence[str]]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A table without the column of what is proved, where nothing was asked."""
    at, body = headers.index(COLUMN), list(rows)
    keep = [i for i in range(len(headers)) if i != at or any(row[at] != NOTHING for row in body)]
    table = [tuple(row[i] for i in keep) for row in (headers, *body)]
    return table[0], table[1:]


def kind(comparisons: Iterable[Comparison]) -> str:
    """The worst kind of some comparisons: a cell of a table."""
    found = together([c.exact for c in comparisons if c.exact is not None])
    return found.kind if found else NOTHING


def proved(comparisons: Sequence[Comparison]) -> list[str]:
    """The sentence on what is proved, a line for every other kind and its reason; nothing where none was asked."""
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
            f"{word} ({reason})"
            if word == "not tried"
            else f"{word}: {': '.join(filter(None, (names, reason)))}"
        )
    return lines
