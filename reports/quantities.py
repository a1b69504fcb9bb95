"""Tables of evidence: a row for each group of quantities, or for each quantity, with the worst of its comparisons.

Meanings of verdicts, in the same words for every form of report: those of docs/conventions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from mbconcord.model.derivation import QUANTITIES
from mbconcord.records import dataclass, replace
from mbconcord.validation.claims import ALL
from mbconcord.validation.judge.evidence import CONSTRAINED, Comparison
from mbconcord.validation.judge.exactness import Exactness, together

from .table import short

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
    """Return the worst result of proofs of some comparisons, as a cell of a table."""
    found = together([c.exact for c in comparisons if c.exact is not None])
    return found.kind if found else NOTHING


def describe_proof(comparisons: Sequence[Comparison]) -> list[str]:
    """Write lines on proofs: what is identical, then other results with reasons; empty if no proof was tried."""
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
    """Return the verdict on a comparison in words: ``agrees``, or ``agrees, zero`` if both sides are zero."""
    return f"{c.verdict}, zero" if c.zero and c.verdict == "agrees" else c.verdict


#: The column of the two witnesses that differ most.
_PAIR: Final = "worst pair"
HEADERS: Final = (
    "quantity", COLUMN, "witnesses", _PAIR, "largest difference", "tolerance", "sensitivity", "verdict"
)  # fmt: skip
#: Rows of the short table, each with the quantities that the formalisms deliver and that it holds.
_DELIVERED: Final = {
    "M": ("M",),
    "h": ("h",),
    "generalized forces": ("gravity", "applied"),
    "inverse dynamics": ("inverse_dynamics",),
    "acceleration": ("acceleration", "constrained acceleration", "effort", "own solution", "reactions", "rank"),
}
#: Row of positions, velocities, accelerations and loads of bodies, which generated equations and tables deliver.
_BODIES: Final = "bodies"
#: Rows of the short table with the claims that they hold; what else the registry of claims has is an identity.
_IDENTITIES: Final = "physical identities"
CLAIMED: Final = {
    "motion": ("motion", "energy", "drift", "momentum", "reversibility"),
    _IDENTITIES: (),
    "independent witnesses": ("float_evaluation", "fields", "maximal", "kinematics", "direct_evaluation"),
    "second reading": ("second_reading",),
}  # fmt: skip
_ROWS: Final = {("", name): row for row, names in _DELIVERED.items() for name in names} | {
    (name, ""): row for row, names in CLAIMED.items() for name in names
}


@dataclass(frozen=True)
class Quantity:
    """Row of a table: all comparisons of one quantity, among formalisms or by one claim.

    Attributes
    ----------
    name : name of the quantity; after that of its claim if formalisms deliver the quantity too
    pairs : all comparisons of the quantity
    closest : the comparison closest to its tolerance, or farthest beyond it
    """

    name: str
    pairs: tuple[Comparison, ...]
    closest: Comparison

    @property
    def is_compared(self) -> bool:
        """True if two witnesses delivered the quantity."""
        return self.closest.verdict != "not checked"

    @property
    def verdict(self) -> str:
        """The verdict of the worst pair; a quantity that is zero everywhere is marked."""
        if not self.is_compared:
            return "not checked"
        found = next((c.verdict for c in self.pairs if c.verdict == "disagrees"), "agrees")
        return found + (", zero" if all(c.zero for c in self.pairs) else "")

    @property
    def exact(self) -> str:
        """Worst result of the proofs of all pairs."""
        return kind(self.pairs)

    @property
    def witnesses(self) -> int:
        """Number of witnesses that delivered the quantity."""
        return len(dict.fromkeys(name for c in self.pairs for name in (c.a, c.b) if name))

    @property
    def sensitivity(self) -> float | None:
        """The smallest relative error that every comparison would have caught."""
        return max((c.noticeable for c in self.pairs if c.noticeable is not None), default=None)


def quantities(comparisons: Sequence[Comparison]) -> list[Quantity]:
    """Group comparisons by quantity, in order of appearance; unchecked comparisons form groups of their own."""
    groups: dict[tuple[str, str, bool], list[Comparison]] = {}
    for c in comparisons:
        groups.setdefault((c.claim, c.quantity, c.verdict == "not checked"), []).append(c)
    return [_quantity(own) for own in groups.values()]


def _quantity(pairs: Sequence[Comparison]) -> Quantity:
    closest = max(pairs, key=lambda c: c.excess)
    both = closest.claim and closest.quantity in (*QUANTITIES, *CONSTRAINED)
    name = f"{closest.claim}: {closest.quantity}" if both else closest.quantity
    return Quantity(name, tuple(pairs), closest)


def group(found: Iterable[Quantity]) -> list[Quantity]:
    """Merge quantities into the rows of the short table.

    A quantity that disagrees keeps a row of its own, and so does each other program named by the user.
    """
    known = {(claim.name, ""): _IDENTITIES for claim in ALL} | _ROWS
    rows: dict[tuple[str, str], list[Quantity]] = {}
    for q in found:
        claim, name = q.closest.claim, q.closest.quantity
        row = known.get((claim, "" if claim else name)) or claim or (_BODIES if name.startswith("body_") else name)
        rows.setdefault((q.name, "alone") if q.verdict == "disagrees" else (row, ""), []).append(q)
    order = {name: i for i, name in enumerate((*_DELIVERED, "", *CLAIMED))}
    merged = [replace(_quantity([c for q in own for c in q.pairs]), name=row) for (row, _), own in rows.items()]
    return sorted(merged, key=lambda q: order.get(q.name, len(_DELIVERED)))


def table_of(found: Iterable[Quantity], pairs: bool = True) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return headers and a row for each quantity; with a column of proofs if any, and of worst pairs if ``pairs``."""
    headers, rows = columns(HEADERS, map(_cells, found))
    if pairs:
        return headers, rows
    at = headers.index(_PAIR)
    return (*headers[:at], *headers[at + 1 :]), [(*row[:at], *row[at + 1 :]) for row in rows]


def _cells(found: Quantity) -> tuple[str, ...]:
    c = found.closest
    pair = ", ".join(filter(None, (c.a, c.b))) or "-"
    numbers = (short(c.discrepancy), short(c.tolerance), short(found.sensitivity))
    return (found.name, found.exact, str(found.witnesses), pair, *numbers, found.verdict)
