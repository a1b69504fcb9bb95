"""The document of a model: models that it includes stand in their place, each element where it stands in its file."""

from __future__ import annotations

from pathlib import Path

from mbconcord.converters.findings import Findings
from mbconcord.converters.inclusions import Inclusions
from mbconcord.converters.xml_text import COMMENT, Document, Element, parse
from mbconcord.model.limits import XML_DEPTH, XML_ELEMENTS, too_many

from ..vocabulary import ROOT
from .values import yes

OUTSIDE = "put the files into one folder, or expand what is included: gz sdf -p model.sdf"
#: The file of a model in a folder that is one.
FILE = "model.sdf"


class Documents:
    """The file of a model and those that it includes, out of its folder and of packages; none includes itself."""

    def __init__(self, text: str, file: str, findings: Findings, packages: tuple[str, ...] = ()) -> None:
        self.findings = findings
        self.inclusions = Inclusions(text, file, OUTSIDE, findings, packages)
        self.whole = True
        document = parse(text, file)
        self.outside = list(document.outside)
        self._complete(document.root)
        self.document = Document(document.root, tuple(self.outside))

    def _complete(self, root: Element) -> None:
        """Put what is included in place; with each element go the files that it came through."""
        waiting: list[tuple[Element, tuple[Path, ...]]] = [(root, (self.inclusions.own,))]
        elements = 0
        while waiting:
            element, through = waiting.pop()
            elements += 1
            if elements > XML_ELEMENTS:
                found = too_many(f"more than {XML_ELEMENTS:,}", "elements in all files", XML_ELEMENTS)
                self.findings.refuse(root.at, found, "no model has so many")
                return
            inner: list[Element | str] = []
            for part in element.content:
                if isinstance(part, str) or part.tag != "include" or element.tag not in ("world", "model"):
                    inner.append(part)
                    if not isinstance(part, str) and part.tag != COMMENT:
                        waiting.append((part, through))
                    continue
                self.whole = False
                made = self._included(part, through)
                if made is not None:
                    inner.append(made[0])
                    waiting.append(made)
            element.content = inner

    def _included(
        self, element: Element, through: tuple[Path, ...]
    ) -> tuple[Element, tuple[Path, ...]] | None:
        """The model of an included file as it stands here, its own inclusions to be put in later."""
        at, uri = element.at, element.first("uri")
        name = "" if uri is None else uri.text
        if not name:
            self.findings.refuse(at, "<include> without <uri>", "<uri>…</uri> names a file in the folder")
            return None
        if yes_of(element, "merge", self.findings):
            self.findings.refuse(at, f"{name} is merged into the model", OUTSIDE)
            return None
        path = self.inclusions.path(name, at)
        if path is None:
            return None
        path = path / FILE if path.is_dir() else path
        if path in through or len(through) > XML_DEPTH:
            self.findings.refuse(at, f"{name} includes itself", "remove one of the inclusions")
            return None
        text = self.inclusions.text(path, name, at)
        if text is None:
            return None
        document = parse(text, self.inclusions.called(path))
        model = document.root.first("model") if document.root.tag == ROOT else None
        if model is None:
            message = f"<{document.root.tag}> without <model>; expected <{ROOT}> with one"
            self.findings.refuse(document.root.at, message)
            return None
        self.outside += document.outside
        return self._as_said(model, element), (*through, path)

    def _as_said(self, model: Element, include: Element) -> Element:
        """The model with the name, the pose, the frame that is placed and the rest that its inclusion says."""
        attributes = dict(model.attributes)
        for key in ("name", "placement_frame"):
            said = include.first(key)
            if said is not None and said.text:
                attributes[key] = said.text
        said_here = [e for key in ("pose", "static") if (e := include.first(key)) is not None]
        replaced = {e.tag for e in said_here}
        if any(yes(e, False, self.findings) for e in model.all("static")):
            replaced.discard("static")
            said_here = [e for e in said_here if e.tag != "static"]
        beside = [
            c for c in include.children if c.tag not in ("uri", "name", "placement_frame", "pose", "static")
        ]
        own = [c for c in model.content if isinstance(c, str) or c.tag not in replaced]
        return Element(model.tag, attributes, model.at, [*said_here, *own, *beside])


def yes_of(element: Element, attribute: str, findings: Findings) -> bool:
    """Whether an attribute says yes; no where it is not there."""
    made = Element(attribute, {}, element.at, [element.attributes.get(attribute, "false")])
    return yes(made, False, findings)
