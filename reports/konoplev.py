"""Konoplev's own part of a report: loads of his tiers (item 4 of the paper), operations beside his count (item 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mbconcord.formalisms.konoplev import Konoplev
from mbconcord.formalisms.konoplev.tiers.parallelism import TierLoad, tier_loads
from mbconcord.model.derivation import Derivation
from mbconcord.validation.judge.evidence import Evidence

HEADERS = ("tier", "items", "operations", "critical path", "average parallelism")
TITLE = "Operations of konoplev"
NOTE = (
    "Items of a tier are independent tasks, each computed by itself; the critical path is the longest chain of "
    "operations in one of them. all: the tiers one after the other."
)
#: Above the table of chains.
CHAINS = (
    "Multiplications and additions of A (upper triangle) and b of chains of m revolute joints beside the paper's "
    "item 5. The principal central axes of the bodies are parallel to their frames, or turned against them. Sign "
    "changes, sines and cosines are not counted."
)


@dataclass(frozen=True)
class Work:
    """Loads of the tiers of a model, and what its A and b cost beside the paper's count."""

    loads: tuple[TierLoad, ...]
    count: str


def work(evidence: Evidence) -> Work | None:
    """The work by Konoplev's tiers; None where he did not derive the model."""
    for witness in evidence.witnesses:
        if witness.name == Konoplev.name and witness.derivation is not None:
            return Work(
                tuple(tier_loads(Konoplev().listing(witness.derivation.system))), count(witness.derivation)
            )
    return None


def count(derivation: Derivation) -> str:
    """What A and b cost, in words; for a chain of revolute joints beside N_M and N_A."""
    from mbconcord.validation.benchmarks.konoplev import operations_of, printed, revolute_chain

    found = operations_of(derivation)
    own = f"A (upper triangle) and b need {found.mul} multiplications and {found.add} additions"
    m = revolute_chain(derivation.system)
    if m is None:
        return f"{own}; the paper's formulas are for chains of revolute joints, which this model is not."
    return f"{own}; the paper's formulas give N_M = {printed(m)[0]} and N_A = {printed(m)[1]} for a chain of m = {m}."


def rows(loads: Iterable[TierLoad]) -> list[tuple[str, ...]]:
    """Loads as cells under :data:`HEADERS`."""
    return [
        (x.name, str(x.items), str(x.operations), str(x.critical_path), f"{x.parallelism:.3g}") for x in loads
    ]


def chains(evidences: Sequence[Evidence]) -> list[tuple[str, ...]]:
    """Headers and rows of the counts for m = 1…8, measured now; none where Konoplev derived no model."""
    if not any(w.name == Konoplev.name and w.derivation for e in evidences for w in e.witnesses):
        return []
    from mbconcord.validation.benchmarks.konoplev import HEADERS, operations_rows

    return [HEADERS, *operations_rows()]
