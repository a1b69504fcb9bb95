"""What a text in XML carries beside a model: whether it still says the model, and the comments of the source."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mbconcord.converters.xml_text import COMMENT, Element
from mbconcord.model import Coordinate, Loss, System


def stateless(system: System) -> System:
    """A model without its state and what lies beside it, which no such text says."""
    coordinates = tuple(Coordinate(c.name, drive=c.drive) for c in system.coordinates)
    return replace(system, coordinates=coordinates, metadata={}, omissions=())


def remarks(system: System, written: Element) -> tuple[list[str], list[Loss]]:
    """Comments of the source to stand before the model, without those that are written; those that XML cannot hold."""
    inside = Counter(" ".join(e.text.split()) for e in written.walk() if e.tag == COMMENT)
    found: list[str] = []
    losses: list[Loss] = []
    for omission in system.omissions:
        if omission.kind != "comment":
            continue
        said = " ".join(omission.what.split())
        if inside[said]:
            inside[said] -= 1
        elif "--" in said or said.endswith("-") or not said.isprintable():
            reason = "a comment of XML has no two hyphens and no control characters"
            losses.append(Loss(f"omissions/{omission.place}", f"the comment {said:.60}", reason))
        else:
            found.append(f"<!-- {said} -->")
    return found, losses
