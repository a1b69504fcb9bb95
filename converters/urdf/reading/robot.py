"""The links and joints of a robot, and the tree that they make: one root, each other link with one joint to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mbconcord.converters.findings import Findings
from mbconcord.converters.xml_attributes import XACRO, named
from mbconcord.converters.xml_text import Element
from mbconcord.model.diagnostics import among
from mbconcord.model.limits import listed

from ..vocabulary import TYPES


@dataclass(frozen=True, slots=True)
class Link:
    """A link and its element."""

    name: str
    element: Element


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint: its element, its type, and the links that it joins."""

    name: str
    element: Element
    type: str
    parent: str
    child: str

    @property
    def dynamics(self) -> dict[str, str]:
        """The attributes of its ``<dynamics>``."""
        element = self.element.first("dynamics")
        return {} if element is None else element.attributes


@dataclass(frozen=True, slots=True)
class Robot:
    """A robot whose links make a tree.

    Attributes
    ----------
    root : name of the link that no joint carries
    links : by name, in the order of the file
    joints : in the order of the file
    carrying : the joint that carries each link but the root
    """

    root: str
    links: dict[str, Link]
    joints: tuple[Joint, ...]
    carrying: dict[str, Joint]

    def outward(self) -> Iterator[Link]:
        """Links so that each stands behind what carries it, else in the order of the file."""
        given: set[str] = set()
        for link in self.links.values():
            way = [link.name]
            while way[-1] not in given and way[-1] in self.carrying:
                way.append(self.carrying[way[-1]].parent)
            for name in reversed(way):
                if name not in given:
                    given.add(name)
                    yield self.links[name]


def robot(root: Element, findings: Findings) -> Robot:
    """The robot of a document.

    Raises
    ------
    ReadError
        Names that are missing or come twice, links that there are not, two parents, several roots, a loop.
    """
    findings.require_root(root.at, root.tag, "robot")
    for element in root.children:  # before links are missed that they would make
        if element.tag.startswith("xacro:"):
            findings.refuse(element.at, f"found <{element.tag}>: macros are not expanded here", XACRO)
    findings.stop()
    links = _links(root.all("link"), findings)
    joints = tuple(_joints(root.all("joint"), links, findings))
    findings.stop()
    if not links:
        findings.refuse(root.at, "a robot without links", 'it has at least one <link name="…"/>')
    carrying: dict[str, Joint] = {}
    for joint in joints:
        first = carrying.setdefault(joint.child, joint)
        if first is not joint:
            message = (
                f"the link {joint.child!r} has two parents: by the joints {first.name!r} and {joint.name!r}"
            )
            remedy = "a link hangs on one joint; URDF has no closed loops"
            findings.refuse(joint.element.at, message, remedy, f"bodies/{joint.child}")
    findings.stop()
    return Robot(_root(root, links, carrying, findings), links, joints, carrying)


def _links(elements: Iterable[Element], findings: Findings) -> dict[str, Link]:
    links: dict[str, Link] = {}
    for element in elements:
        name = named(element, "name", findings)
        if name in links:
            line = links[name].element.at.line
            findings.refuse(element.at, f"the link {name!r} stands twice, first in line {line}", "rename one")
        elif name is not None:
            links[name] = Link(name, element)
    return links


def _joints(elements: Iterable[Element], links: dict[str, Link], findings: Findings) -> Iterator[Joint]:
    seen: dict[str, Element] = {}
    for element in elements:
        name = named(element, "name", findings)
        kind = named(element, "type", findings)
        if name is not None and name in seen:
            line = seen[name].at.line
            findings.refuse(
                element.at, f"the joint {name!r} stands twice, first in line {line}", "rename one"
            )
        if kind is not None and kind not in TYPES:
            message = f"the joint {name!r} is of the type {kind!r}"
            findings.refuse(element.at, message, among(kind, TYPES), f"coordinates/{name}")
        parent, child = (_end(element, end, links, findings) for end in ("parent", "child"))
        if name is None or kind not in TYPES or parent is None or child is None:
            continue
        seen[name] = element
        assert kind is not None
        yield Joint(name, element, kind, parent, child)


def _end(joint: Element, end: str, links: dict[str, Link], findings: Findings) -> str | None:
    """The link that a joint hangs on, or carries."""
    found = joint.all(end)
    if len(found) != 1:
        count = f"{len(found)} elements" if found else "no element"
        message = f"the joint {joint.attributes.get('name', '')!r} has {count} <{end}>"
        findings.refuse(found[1].at if found else joint.at, message, f'it has one <{end} link="…"/>')
        return None
    name = named(found[0], "link", findings)
    if name is not None and name not in links:
        findings.refuse(found[0].at, f"there is no link {name!r}", among(name, links))
        return None
    return name


def _root(element: Element, links: dict[str, Link], carrying: dict[str, Joint], findings: Findings) -> str:
    """The only link that no joint carries; with it, that every link hangs on it."""
    roots = [name for name in links if name not in carrying]
    if len(roots) > 1:
        second = links[roots[1]].element.at
        message = f"{len(roots)} links hang on no joint: {listed(roots)}; a robot has one root"
        findings.refuse(second, message, "add the joint that carries it, fixed or floating")
    hanging = set(roots)
    for name in links:
        way: dict[str, None] = {}
        while name not in hanging and name not in way:
            way[name] = None
            name = carrying[name].parent
        if name in way:
            circle = [*way][[*way].index(name) :]
            message = f"links carry one another in a circle: {listed(reversed(circle))}"
            findings.refuse(carrying[name].element.at, message, "one of them hangs on the root")
            break
        hanging.update(way)
    findings.stop()
    return roots[0]
