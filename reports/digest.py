"""What a report of several models says about one of them: small and free of formulas, to travel between processes."""

from __future__ import annotations

from dataclasses import dataclass

from mbconcord.validation.judge.evidence import Evidence, Overall

from .summary import worst


@dataclass(frozen=True)
class Closest:
    """The comparison whose discrepancy is the largest part of its tolerance."""

    quantity: str
    a: str
    b: str
    discrepancy: float | None
    tolerance: float | None


@dataclass(frozen=True)
class Digest:
    """One model's row.

    Attributes
    ----------
    file, verdict, headline : as in the evidence
    stands : whether everything agrees, but for what was left out and accepted
    witnesses, coordinates : how many formalisms derived it, and of how many coordinates it is
    closest : Closest or None, where nothing was compared
    excesses : discrepancies of all comparisons in units of what is tolerated
    sources : name, title and reference of every formalism that took part
    """

    file: str
    verdict: Overall
    headline: str
    stands: bool
    witnesses: int
    coordinates: int
    closest: Closest | None
    excesses: tuple[float, ...]
    sources: tuple[tuple[str, str, str], ...]

    @property
    def formalisms(self) -> tuple[str, ...]:
        """Names of the formalisms that took part."""
        return tuple(name for name, _, _ in self.sources)


def digest(evidence: Evidence) -> Digest:
    """The row of one model."""
    found = worst(evidence)
    other = evidence.against.witness if evidence.against else ""
    taking = [w for w in evidence.witnesses if not w.obstacles]
    closest = Closest(found.quantity, found.a, found.b, found.discrepancy, found.tolerance) if found else None
    return Digest(
        evidence.file,
        evidence.verdict,
        evidence.headline,
        evidence.stands,
        len(taking),
        len(evidence.system.coordinates),
        closest,
        tuple(c.excess for c in evidence.comparisons if c.discrepancy is not None),
        tuple(dict.fromkeys((w.name, w.title, w.reference) for w in taking if w.name != other)),
    )
