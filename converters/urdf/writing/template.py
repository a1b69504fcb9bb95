"""The URDF that a model was read from: written again where nothing changed, else for what lies beside the dynamics."""

from __future__ import annotations

from functools import cached_property

from mbconcord.converters.carried import Carried
from mbconcord.converters.xml_text import Element
from mbconcord.model import System

from ..reader import read
from ..vocabulary import MOTION, TEXT


class Template(Carried):
    """The document, by links and joints."""

    @classmethod
    def of(cls, system: System) -> Template | None:
        """The template in a model's metadata; None when there is none, or none that can be read."""
        return cls.kept(system, TEXT, read)

    def says(self, system: System) -> bool:
        """Whether the text says this model, and its name where it has one."""
        return self.document.root.attributes.get("name", system.name) == system.name and super().says(system)

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
