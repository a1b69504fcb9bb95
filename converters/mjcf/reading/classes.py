"""Defaults: an element has its own attributes, else those of its class, else of the class above that.

Its class is its own ``class``, else the nearest ``childclass`` around it, else ``main``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_text import Element
from mbconcord.model.diagnostics import among

MAIN: Final = "main"
#: Elements of actuators: of a class they have one set of attributes.
ACTUATORS: Final = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "plugin",
)  # fmt: skip


class Classes:
    """The classes of a model: of each the elements of its defaults, outermost class first."""

    def __init__(self, root: Element, findings: Findings) -> None:
        self.findings = findings
        self.held: dict[str, tuple[str | None, list[Element]]] = {MAIN: (None, [])}
        self._flat: dict[tuple[str, str], dict[str, str]] = {}
        for top in root.all("default"):
            self._collect(top, MAIN, None)

    def _collect(self, default: Element, name: str, above: str | None) -> None:
        known = self.held.setdefault(name, (above, []))
        if known[0] != above:
            message = f"the class {name!r} stands in two others"
            self.findings.refuse(default.at, message, "a class has one name and one place")
        for child in default.children:
            if child.tag != "default":
                known[1].append(child)
                continue
            inner = child.attributes.get("class", "")
            if not inner:
                self.findings.refuse(child.at, "a class without a name", 'class="…" is needed')
            else:
                self._collect(child, inner, name)

    def chain(self, name: str) -> list[str]:
        """The class and those around it, outermost first."""
        found: list[str] = []
        at: str | None = name
        while at is not None and at in self.held and at not in found:
            found.insert(0, at)
            at = self.held[at][0]
        return found

    def of(self, element: Element, around: str) -> str:
        """The class of an element within ``around``."""
        name = element.attributes.get("class")
        return around if name is None else self.known(element, name, around)

    def within(self, element: Element, around: str) -> str:
        """The class of what stands in a body or frame."""
        name = element.attributes.get("childclass")
        return around if name is None else self.known(element, name, around)

    def known(self, element: Element, name: str, otherwise: str) -> str:
        """The name of a class that there is."""
        if name in self.held:
            return name
        self.findings.refuse(element.at, f"there is no class {name!r}", among(name, self.held))
        return otherwise

    def resolved(self, element: Element, around: str, tag: str = "") -> Element:
        """The element with the attributes of its class where it has none itself; ``tag`` is that of the defaults."""
        name, tag = self.of(element, around), tag or element.tag
        known = self._flat.get((name, tag))
        if known is None:
            known = {}
            for default in self.defaults(name, (tag,)):
                known |= default.attributes
            self._flat[name, tag] = known
        own = element.attributes
        if not known:
            return element
        ways = [key for key in _EXCLUSIVE if key in own]
        merged = {k: v for k, v in known.items() if not (ways and k in _EXCLUSIVE)} | own
        return Element(element.tag, merged, element.at, element.content)

    def defaults(self, name: str, tags: tuple[str, ...]) -> Iterator[Element]:
        """The elements of defaults with these tags, the outermost first."""
        for each in self.chain(name):
            yield from (element for element in self.held[each][1] if element.tag in tags)


#: One of them is said of an orientation: an element's own puts that of its class aside.
_EXCLUSIVE: Final = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
