"""Verdicts of judges on models that are right, and on the same with a planted difference."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from mbconcord.formalisms import registry
from mbconcord.formalisms.interface import Formalism
from mbconcord.model import System
from mbconcord.model.derivation import Derivation
from mbconcord.model.expressions import as_expression
from mbconcord.validation.check import check
from mbconcord.validation.judge.evidence import Evidence

from .posed import SEED, STATES
from .results import Results

#: By what a planted difference is wrong, relative to the entry.
PLANTED = 1e-11


def verdicts(name: str, system: System) -> Results:
    """Check a right model, and the same with a difference planted in each quantity."""
    takes = (f for f in map(registry.formalism, registry.names()) if not f.obstacles(system.open_loops()))
    asked = [*islice(takes, 2)]
    found = {"right": _signature(check(system, name, asked, STATES, SEED))}
    if len(asked) == 2:
        for quantity in ("M", "h", "gravity", "applied"):
            wrong = [asked[0], _Planted(asked[1], quantity)]
            found[f"wrong {quantity}"] = _signature(check(system, name, wrong, STATES, SEED, exact="off"))
    return found


def _signature(evidence: Evidence) -> Results:
    said = sorted(
        [c.claim, c.quantity, c.a, c.b, c.verdict, c.exact.kind if c.exact else ""] for c in evidence.comparisons
    )
    return {"verdict": evidence.verdict, "comparisons": said}


class _Planted(Formalism):
    """A formalism with one quantity wrong by a factor in every entry."""

    takes = frozenset[str]()

    def __init__(self, honest: Formalism, quantity: str) -> None:
        self.honest, self.quantity = honest, quantity
        self.name, self.title, self.reference = "planted", "planted", "planted"  # type: ignore[misc]

    def obstacles(self, system: System) -> Any:
        """Return those of the honest one."""
        return self.honest.obstacles(system)

    def derive(self, system: System) -> Derivation:
        """Plant the difference in the honest derivation."""
        made = self.honest.derive(system)
        if self.quantity not in made.quantities:
            return made
        return replace(made, quantities={**made.quantities, self.quantity: _times(made.quantities[self.quantity])})


def _times(nested: Any) -> Any:
    return tuple(map(_times, nested)) if isinstance(nested, (tuple, list)) else nested * as_expression(1 + PLANTED)
