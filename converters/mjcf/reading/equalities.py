"""Equalities as constraints: connections, welds, and polynomials between joints or tendons."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mbconcord.converters.findings import Findings
from mbconcord.converters.floats import HERE, Pose, decimals, multiplied
from mbconcord.converters.turns import by_quaternion
from mbconcord.converters.xml_attributes import named, numbers_in
from mbconcord.converters.xml_text import Element
from mbconcord.model import Frame, FrameCoincidence, Holonomic, Point, PointCoincidence
from mbconcord.model.constraint import Constraint
from mbconcord.model.diagnostics import among
from mbconcord.model.expressions import ZERO, Expression, symbol
from mbconcord.model.transformation import vector

from .bodies import reference
from .classes import MAIN, Classes
from .poses import Poses, placed
from .settings import Settings
from .tendons import Tendons
from .tree import Link, Part, Tree
from .values import row, some, yes

SOFT = "MuJoCo holds equalities by stiff springs: here they hold exactly"


class Equalities:
    """Reads the equalities of a document; ``unread`` are those of other kinds."""

    def __init__(
        self,
        tree: Tree,
        tendons: Tendons,
        classes: Classes,
        poses: Poses,
        settings: Settings,
        findings: Findings,
    ) -> None:
        self.tree, self.tendons, self.classes = tree, tendons, classes
        self.poses, self.settings, self.findings = poses, settings, findings
        self.joints = {joint.name: joint for _, joint in tree.joints}
        self.unread: list[tuple[str, Element]] = []

    def read(self, root: Element) -> Iterator[Constraint]:
        """A constraint for each equality that is active."""
        names: set[str] = set()
        for section in root.all("equality"):
            for child in section.children:
                element = self.classes.resolved(child, MAIN, "equality")
                name = child.attributes.get("name") or f"{child.tag}{len(names) + 1}"
                while name in names:
                    name += "_"
                names.add(name)
                if not yes(element, "active", self.findings, "true") or "equality" in self.settings.without:
                    continue
                made = self._made(name, child.tag, element)
                if made is None:
                    self.unread.append((name, child))
                    continue
                self.findings.locations[f"constraints/{name}"] = child.at
                self.findings.remark("note", "soft", child.at, SOFT, place=f"constraints/{name}")
                yield made

    def _made(self, name: str, kind: str, element: Element) -> Constraint | None:
        if kind == "connect":
            return self._connected(name, element)
        if kind == "weld":
            return self._welded(name, element)
        if kind in ("joint", "tendon"):
            return self._polynomial(name, kind, element)
        return None

    def _body(self, element: Element, key: str, needed: bool) -> Link | None:
        if not needed and key not in element.attributes:
            return self.tree.links[0]
        name = named(element, key, self.findings)
        if name is not None and name not in self.tree.by_name:
            self.findings.refuse(element.at, f"there is no body {name!r}", among(name, self.tree.by_name))
        return self.tree.by_name.get(name or "")

    def _sites(self, element: Element) -> list[tuple[Link, Part]] | None:
        """The two sites of an equality between sites; None of one between bodies."""
        if "site1" not in element.attributes and "site2" not in element.attributes:
            return None
        found = []
        for key in ("site1", "site2"):
            name = named(element, key, self.findings)
            if name is not None and name not in self.tree.sites:
                self.findings.refuse(element.at, f"there is no site {name!r}", among(name, self.tree.sites))
            elif name is not None:
                found.append(self.tree.sites[name])
        return found if len(found) == 2 else []

    def _pose(self, part: Part) -> Pose:
        return multiplied(part.within).then(self.poses.pose(part.element))

    def _connected(self, name: str, element: Element) -> Constraint | None:
        """A point of body 1, and the point of body 2 that is there at the reference; or two sites."""
        sites = self._sites(element)
        if sites is not None:
            if len(sites) != 2:
                return PointCoincidence(name, Point(None), Point(None))
            ends = [Point(_name(link), vector(decimals(self._pose(part).p))) for link, part in sites]
            return PointCoincidence(name, *ends)
        one, other = self._body(element, "body1", True), self._body(element, "body2", False)
        anchor = numbers_in(element, "anchor", 3, self.findings)
        if one is None or other is None or anchor is None:
            if "anchor" not in element.attributes:
                self.findings.refuse(element.at, "<connect> without anchor", 'anchor="x y z" is needed')
            return PointCoincidence(name, Point(None), Point(None))
        there = one.pose.then(Pose(np.eye(3), np.array([float(x.value) for x in anchor])))
        at = there.seen_from(other.pose).p
        return PointCoincidence(
            name, Point(_name(one), vector(anchor)), Point(_name(other), vector(decimals(at)))
        )

    def _welded(self, name: str, element: Element) -> Constraint | None:
        """Body 2 in body 1 as at the reference, or as ``relpose`` says; or two sites."""
        sites = self._sites(element)
        if sites is not None:
            frames = [Frame(_name(link), placed(self._pose(part))) for link, part in sites]
            return FrameCoincidence(name, *(frames if len(frames) == 2 else [Frame(None), Frame(None)]))
        one, other = self._body(element, "body1", True), self._body(element, "body2", False)
        if one is None or other is None:
            return FrameCoincidence(name, Frame(None), Frame(None))
        given = row(element, "relpose", "0 1 0 0 0 0 0", self.findings)
        turns = by_quaternion(given[3:])
        if turns is None:
            relative = other.pose.seen_from(one.pose)
        else:
            relative = Pose(multiplied(turns).R, np.array([float(x.value) for x in given[:3]]))
        held = placed(relative) if relative is not HERE else ()
        return FrameCoincidence(name, Frame(_name(one), held), Frame(_name(other)))

    def _polynomial(self, name: str, kind: str, element: Element) -> Constraint | None:
        """(y - y₀) - Σ a_k (x - x₀)^k, where y and x are at the reference y₀ and x₀."""
        first = self._deviation(element, f"{kind}1", kind, True)
        second = self._deviation(element, f"{kind}2", kind, False)
        a = some(element, "polycoef", 5, self.findings)
        coefficients = [
            *(a or []),
            *row(Element("", {}, element.at), "x", "0 1 0 0 0", self.findings)[len(a or []) :],
        ]
        if first is None:
            return None
        total: Expression = coefficients[0]
        power = second if second is not None else ZERO
        for c in coefficients[1:] if second is not None else ():
            total = total + c * power
            power = power * second if second is not None else ZERO
        return Holonomic(name, first - total)

    def _deviation(self, element: Element, key: str, kind: str, needed: bool) -> Expression | None:
        """Joint or length of a tendon less what it is at the reference; None where there is none of one coordinate."""
        if not needed and key not in element.attributes:
            return None
        name = named(element, key, self.findings)
        if name is None:
            return None
        known = self.joints if kind == "joint" else self.tendons.found
        if name not in known:
            self.findings.refuse(element.at, f"there is no {kind} {name!r}", among(name, known))
            return None
        if kind == "joint":
            joint = self.joints[name]
            if joint.type not in ("hinge", "slide"):
                return None
            return symbol(name) - reference(joint, self.settings, self.findings)
        tendon = self.tendons.found[name]
        if not tendon.coefficients:
            return None
        start = {n: reference(self.joints[n], self.settings, self.findings) for n in tendon.coefficients}
        return tendon.length() - tendon.length(start)


def _name(link: Link) -> str | None:
    return None if link.is_world else link.name
