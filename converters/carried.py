"""What a text in XML carries beside a model: whether it still says the model, and the comments of the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Self

from mbconcord.converters.format import Reading
from mbconcord.converters.xml_text import COMMENT, Document, Element, parse
from mbconcord.model import Coordinate, Loss, System
from mbconcord.model.diagnostics import MbconcordError


def stateless(system: System) -> System:
    """A model without its state and what lies beside it, which no such text says."""
    coordinates = tuple(Coordinate(c.name, drive=c.drive) for c in system.coordinates)
    return replace(system, coordinates=coordinates, metadata={}, omissions=())


Reader = Callable[[str, str], Reading]


@dataclass(frozen=True)
class Carried:
    """A document that a model's metadata keeps, its text, and the model that it reads as."""

    document: Document
    text: str
    system: System

    @classmethod
    def kept(cls, system: System, key: str, read: Reader) -> Self | None:
        """What the metadata keep under a key; None when there is none, or none that can be read."""
        lines = system.metadata.get(key)
        if lines is None:
            return None
        try:
            text = "\n".join(lines)
            return cls(parse(text, key), text, read(text, "-").system)
        except (MbconcordError, TypeError):
            return None

    def says(self, system: System) -> bool:
        """Whether the text says this model: all of it but its name and the state, which no such text says."""
        return stateless(system) == stateless(replace(self.system, name=system.name))


def gone(system: System, said: System, written: str) -> Iterator[Loss]:
    """What the text of a model's source says and a text written anew, which ``written`` names, does not.

    ``said`` is the model that the new text reads as.
    """
    left = Counter((o.kind, o.what) for o in said.omissions)
    for omission in system.omissions:
        key = omission.kind, omission.what
        if left[key]:
            left[key] -= 1
        elif omission.kind not in ("encoding", "line-end"):
            reason = f"the {written} is written anew, and what had it is no more there, or elsewhere"
            yield Loss(f"omissions/{omission.place}", f"the {omission.kind} {omission.what:.60}", reason)


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
