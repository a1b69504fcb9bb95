"""The document of a model: what its files include stands in their place, each element where it stands in its file."""

from __future__ import annotations

from pathlib import Path

from mbconcord.converters.findings import Findings
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.xml_text import COMMENT, Document, Element, parse
from mbconcord.model.limits import XML_ELEMENTS, too_many

from ..vocabulary import INCLUDED, ROOT

OUTSIDE = "put the files into one folder, or save what MuJoCo compiles of them"


class Documents:
    """The file of a model and those that it includes, each once, out of its folder and of packages."""

    def __init__(self, text: str, file: str, findings: Findings, packages: tuple[str, ...] = ()) -> None:
        self.findings = findings
        self.inclusions = Inclusions(text, file, OUTSIDE, findings, packages)
        self.seen: set[Path] = set()
        self.elements = 0
        document = parse(text, file)
        self.outside = list(document.outside)
        self._complete(document.root)
        self.document = Document(document.root, tuple(self.outside))

    @property
    def whole(self) -> bool:
        """Whether the file stands by itself."""
        return not self.seen

    def _complete(self, root: Element) -> None:
        """Put what is included in place."""
        waiting = [root]
        while waiting:
            element = waiting.pop()
            self.elements += 1
            while any(not isinstance(c, str) and c.tag == "include" for c in element.content):
                element.content = [
                    part
                    for c in element.content
                    for part in (self._included(c) if not isinstance(c, str) and c.tag == "include" else [c])
                ]
            waiting += [c for c in element.content if not isinstance(c, str) and c.tag != COMMENT]
        if self.elements > XML_ELEMENTS:
            found = too_many(self.elements, "elements in all files", XML_ELEMENTS)
            self.findings.refuse(root.at, found, "no model has so many")

    def _included(self, element: Element) -> list[Element | str]:
        """What stands in an included file, its own inclusions to be put in next."""
        path = self._path(element)
        if path is None:
            return []
        text = self.inclusions.text(path, element.attributes["file"], element.at)
        if text is None:
            return []
        document = parse(text, self.inclusions.called(path))
        if document.root.tag not in (ROOT, INCLUDED):
            found = f"the root element is <{document.root.tag}>; expected <{ROOT}> or <{INCLUDED}>"
            self.findings.refuse(document.root.at, found)
        self.outside += document.outside
        return document.root.content

    def _path(self, element: Element) -> Path | None:
        """The file that an element includes; None, and an error, where it may not."""
        name = element.attributes.get("file", "")
        if not name:
            self.findings.refuse(element.at, "<include> without file", 'file="…" is needed')
            return None
        path = self.inclusions.path(name, element.at)
        if path is None:
            return None
        if path in self.seen or path == self.inclusions.own:
            self.findings.refuse(element.at, f"{name} is included twice", "a file is included once")
            return None
        self.seen.add(path)
        return path
