"""A line for every quantity by all its witnesses: the pair that came closest to its tolerance, or farthest beyond."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mbconcord.model.derivation import QUANTITIES
from mbconcord.validation.constraints.agreement import CONSTRAINED
from mbconcord.validation.judge.evidence import Comparison

from .exactness import columns, kind
from .table import short

_HEADERS = (
    "quantity",
    "exact",
    "witnesses",
    "closest",
    "discrepancy",
    "tolerance",
    "noticed from",
    "verdict",
)


@dataclass(frozen=True)
class Quantity:
    """Comparisons of one quantity, of the formalisms or of one claim.

    Attributes
    ----------
    name : the quantity, with its claim where that compares one that the formalisms give too
    pairs : all comparisons of it
    closest : that which came closest to its tolerance, or went farthest beyond
    """

    name: str
    pairs: tuple[Comparison, ...]
    closest: Comparison

    @property
    def compared(self) -> bool:
        """Whether it had two witnesses."""
        return self.closest.verdict != "not checked"

    @property
    def verdict(self) -> str:
        """That of the worst pair; of a quantity that is zero everywhere this is said."""
        if not self.compared:
            return "not checked"
        found = next((c.verdict for c in self.pairs if c.verdict == "disagrees"), "agrees")
        return found + (", zero" if all(c.zero for c in self.pairs) else "")

    @property
    def exact(self) -> str:
        """What is proved of the worst pair."""
        return kind(self.pairs)

    @property
    def witnesses(self) -> int:
        """How many gave it."""
        return len(dict.fromkeys(name for c in self.pairs for name in (c.a, c.b) if name))

    @property
    def noticeable(self) -> float | None:
        """The relative change that every pair would have noticed."""
        return max((c.noticeable for c in self.pairs if c.noticeable is not None), default=None)


def quantities(comparisons: Sequence[Comparison]) -> list[Quantity]:
    """The quantities in the order in which they first stand; what was not checked stands apart from what was."""
    groups: dict[tuple[str, str, bool], list[Comparison]] = {}
    for c in comparisons:
        groups.setdefault((c.claim, c.quantity, c.verdict == "not checked"), []).append(c)
    return [_quantity(group) for group in groups.values()]


def _quantity(group: Sequence[Comparison]) -> Quantity:
    closest = max(group, key=lambda c: c.excess)
    both = closest.claim and closest.quantity in (*QUANTITIES, *CONSTRAINED)
    name = f"{closest.claim}: {closest.quantity}" if both else closest.quantity
    return Quantity(name, tuple(group), closest)


def table_of(found: Iterable[Quantity]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Headers and a row for every quantity; the column of what is proved only where that was asked."""
    return columns(_HEADERS, map(_cells, found))


def _cells(found: Quantity) -> tuple[str, ...]:
    c = found.closest
    pair = ", ".join(filter(None, (c.a, c.b))) or "-"
    noticed = short(found.noticeable)
    return (
        found.name,
        found.exact,
        str(found.witnesses),
        pair,
        short(c.discrepancy),
        short(c.tolerance),
        noticed,
        found.verdict,
    )
