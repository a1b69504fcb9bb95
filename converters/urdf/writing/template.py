"""The URDF that a model was read from: written again where nothing changed, else for what lies beside the dynamics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from mbconcord.converters.carried import stateless
from mbconcord.converters.xml_text import Document, Element, parse
from mbconcord.model import Loss, System
from mbconcord.model.diagnostics import MbconcordError

from ..reader import read
from ..vocabulary import MOTION, TEXT


@dataclass(frozen=True)
class Template:
    """A document, its text, and the model that it reads as."""

    document: Document
    text: str
    system: System

    @classmethod
    def of(cls, system: System) -> Template | None:
        """The template in a model's metadata; None when there is none, or none that can be read."""
        kept = system.metadata.get(TEXT)
        if kept is None:
            return None
        try:
            text = "\n".join(kept)
            return cls(parse(text, TEXT), text, read(text, TEXT).system)
        except (MbconcordError, TypeError):
            return None

    def says(self, system: System) -> bool:
        """Whether the text says this model: all of it but the state, which no URDF says."""
        name = self.document.root.attributes.get("name", system.name)
        return stateless(system) == stateless(replace(self.system, name=name))

    def element(self, tag: str, name: str) -> Element | None:
        """The link or joint of that name."""
        return self._named.get((tag, name))

    def carrying(self, link: str) -> Element | None:
        """The joint that carries a link."""
        return self._carrying.get(link)

    @cached_property
    def _named(self) -> dict[tuple[str, str], Element]:
        return {(e.tag, e.attributes.get("name", "")): e for e in self.document.root.children}

    @cached_property
    def _carrying(self) -> dict[str, Element]:
        children = ((e, e.first("child")) for e in self.document.root.all("joint"))
        return {child.attributes["link"]: e for e, child in children if child is not None}

    def beside(self, element: Element | None) -> list[Element]:
        """What an element holds besides the equations of motion, its comments left out."""
        if element is None:
            return []
        return [child for child in element.children if child.tag not in MOTION[element.tag]]


def gone(system: System, text: str) -> Iterator[Loss]:
    """What a model's own URDF says and a text written anew does not, by reading it."""
    left = Counter((o.kind, o.what) for o in read(text, TEXT).system.omissions)
    for omission in system.omissions:
        key = omission.kind, omission.what
        if left[key]:
            left[key] -= 1
        elif omission.kind not in ("encoding", "line-end"):
            reason = "the URDF is written anew, and what had it is no more there, or elsewhere"
            yield Loss(f"omissions/{omission.place}", f"the {omission.kind} {omission.what:.60}", reason)
