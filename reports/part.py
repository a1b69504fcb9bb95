"""One model's part of a report: made where the model was checked, put together with the others afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mbconcord.model.notation.section import Section
from mbconcord.validation.judge.evidence import WORST_FIRST

from .digest import Digest


@dataclass(frozen=True)
class Wanted:
    """What a report shall hold.

    Attributes
    ----------
    options : options of the command that set numbers, for the command that repeats the check
    closed_forms : whether SymPy is asked for closed forms of the equations, which takes its time
    faults : whether physical faults are seeded and the score reported
    """

    options: tuple[str, ...] = ()
    closed_forms: bool = False
    faults: bool = False


#: Nothing but what every report holds.
PLAIN = Wanted()


@dataclass(frozen=True)
class Part:
    """What is said about one model: its digest, its own text, and what formalisms say once for all models."""

    digest: Digest
    body: str
    appendices: tuple[tuple[str, tuple[Section, ...]], ...] = ()


def once(parts: Sequence[Part]) -> list[Section]:
    """What every formalism that derived some model says once."""
    said = {name: sections for part in parts for name, sections in part.appendices}
    return [section for sections in said.values() for section in sections]


def failures_first(parts: Sequence[Part]) -> list[Part]:
    """The parts with disagreements first, then what was checked in part or not at all; else in their order."""
    return sorted(parts, key=lambda part: WORST_FIRST.index(part.digest.verdict))
