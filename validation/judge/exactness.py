"""Proof results for two scalars or arrays over prime fields: a value carried by evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Literal

from mbconcord.model.expressions.field.sizes import DIFFERS, IDENTICAL, UNDECIDED
from mbconcord.records import dataclass

Kind = Literal["identical", "differs", "undecided", "not tried"]
#: It was not asked, or costs more than the budget.
NOT_TRIED: Final = "not tried"
#: The worst of several first.
ORDER: Final = (DIFFERS, UNDECIDED, NOT_TRIED, IDENTICAL)


@dataclass(frozen=True)
class Exactness:
    """Equality of two sides as functions.

    Attributes
    ----------
    kind : "identical", "differs", "undecided" or "not tried"
        Identical: for all states and all values of the parameters that are symbols.
    reason : reason why the proof is undecided or was not tried
    entry : names of the first entry that differs, or is undecided
    log2 : binary logarithm of the bound of the probability of a wrong "identical"
    scope : the states of the proof, if it is not for all; empty: for all
    """

    kind: Kind
    reason: str = ""
    entry: tuple[str, ...] = ()
    log2: float | None = None
    scope: str = ""

    @property
    def error(self) -> str:
        """The bound of the chance of an error: ``2^-160``; empty where nothing is proved."""
        if self.log2 is None:
            return ""
        return f"2^{math.ceil(self.log2)}" if self.log2 > -math.inf else "0"

    @property
    def where(self) -> str:
        """The entry in brackets, ``[q1, q2]``; empty if there is none."""
        return f"[{', '.join(self.entry)}]" if self.entry else ""

    def __str__(self) -> str:
        if self.kind == IDENTICAL:
            error = "no error" if self.error == "0" else f"error < {self.error}"
            return f"identical ({'; '.join(filter(None, (self.scope, error)))})"
        said = "; ".join(filter(None, (self.where, self.reason)))
        return f"{self.kind} ({said})" if said else self.kind

    def to_json(self) -> dict[str, Any]:
        """Convert to the form of ``check --json``."""
        return {
            "verdict": self.kind,
            "error": self.error or None,
            "reason": self.reason,
            "entry": list(self.entry),
            "scope": self.scope,
        }


def together(found: Sequence[Exactness]) -> Exactness | None:
    """Return the worst of several; if all are identical, the largest chance of an error. None if empty."""
    if not found:
        return None
    return min(found, key=lambda x: (ORDER.index(x.kind), -(x.log2 if x.log2 is not None else 0.0)))
