"""The SDF that a model was read from: written again where nothing changed, else for what lies beside the dynamics."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from mbconcord.converters.carried import Carried
from mbconcord.converters.xml_text import Element
from mbconcord.model import System

from ..reader import read
from ..vocabulary import MODEL, MOTION, TEXT, WORLD


class Template(Carried):
    """The document, by links and joints of its only model."""

    @classmethod
    def of(cls, system: System) -> Template | None:
        """The template in a model's metadata; None when there is none, or none that can be read."""
        return cls.kept(system, TEXT, read)

    @cached_property
    def ground(self) -> Element | None:
        """The world; None of a model without one."""
        return self.document.root.first("world")

    @cached_property
    def model(self) -> Element | None:
        """The only model; None where several stand in the world."""
        models = (self.ground or self.document.root).all("model")
        return models[0] if len(models) == 1 else None

    def element(self, tag: str, name: str) -> Element | None:
        """The link or joint of that name in the only model."""
        return self._named.get((tag, name))

    @cached_property
    def _named(self) -> dict[tuple[str, str], Element]:
        inside = () if self.model is None else self.model.children
        return {(e.tag, e.attributes.get("name", "")): e for e in inside}

    def beside(self, element: Element | None, known: Collection[str]) -> list[Element]:
        """What an element holds besides the equations of motion, where it stands in frames that are known."""
        if element is None:
            return []
        kept = [child for child in element.children if child.tag not in MOTION[element.tag]]
        return [child for child in kept if _frames(child) <= {*known, WORLD, MODEL, ""}]


def _frames(element: Element) -> set[str]:
    """The frames that poses in an element are given in."""
    return {e.attributes.get("relative_to", "") for e in element.walk() if e.tag == "pose"}
